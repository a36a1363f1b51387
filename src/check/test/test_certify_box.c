/* test_certify_box.c: certificates over boxes of reals.
 *
 * Enclosures hold every run of the reference inside their box, for random networks with either activation; nothing
 * is both certified and wrong somewhere; the verdict does not depend on threads or on what was kept; what cannot be
 * decided is Unknown; refusals are in words.
 *
 * EVIDENCE lemma-a2 certified all test_gap: sup |relu - gelu| lies in 0.16997..0.16998, over all reals */
#include "../../core/test/test_evidence.h"
#include "check_test.h"

#include <unistd.h>

/* ---- networks drawn here ---------------------------------------------------------------------------------- */

static double draw(at_rng *r, double most)
{
    return most * ((double)at_rng_below(r, 2000001) / 1e6 - 1);
}

/* d inputs in [-2, 2], h units, R outputs; odd seeds have GeLU units and a residual connection. */
static at_model network(uint64_t seed, int d, int h, int R)
{
    at_rng r = at_rng_at(seed, 5);
    at_model m;
    at_model_init(&m);
    m.width = d > R ? d : R;
    m.n_min = m.n_max = 1;
    m.pos_origin = 1;
    m.n_fields = 1;
    m.fields = at_new(&m.arena, at_field, 1);
    m.fields[0] = (at_field){.name = "x", .kind = AT_FIELD_REAL, .size = d, .lo = -2, .hi = 2};
    m.fields[0].embed = (at_embed){0, m.width, -1};
    m.n_blocks = 1;
    m.blocks = at_new(&m.arena, at_block, 1);
    m.blocks[0] = (at_block){.kind = AT_BLOCK_MLP,
                             .act = seed % 2 ? AT_ACT_GELU : AT_ACT_RELU,
                             .residual = seed % 2,
                             .norm_g = -1,
                             .norm_b = -1,
                             .n_dense = 2};
    m.blocks[0].dense = at_new(&m.arena, at_dense, 2);
    m.blocks[0].dense[0].rows = h;
    m.blocks[0].dense[1].rows = m.width;
    m.readout = (at_readout){.kind = AT_READ_RAW, .rows = R};
    OK(at_model_layout(&m, &err));
    for (int t = 0; t < m.n_tensors; t++)
        for (size_t k = 0; k < m.tensors[t].count; k++)
            m.weights[m.tensors[t].offset + k] = draw(&r, t % 3 ? 2 : 1);
    double *w = at_model_data(&m, m.blocks[0].dense[0].w), *b = at_model_data(&m, m.blocks[0].dense[0].b);
    for (int c = 0; c < m.width && h > 1; c++) /* two opposite units, to be folded */
        w[m.width + c] = -w[c];
    if (h > 1)
        b[1] = -b[0];
    OK(at_model_validate(&m, &err));
    return m;
}

static at_output run(const at_model *m, const double *x, at_arena *a)
{
    at_output y;
    at_input in = {1, x};
    OK(at_run(m, (at_arith){AT_BALL, 128, 0}, &in, NULL, a, &y, &err));
    return y;
}

static void test_enclosures(void **state)
{
    (void)state;
    double widest = 0, narrow = INFINITY;
    for (uint64_t seed = 0; seed < 300; seed++) {
        int d = 1 + (int)(seed % 3), R = 1 + (int)(seed % 2), h = 1 + (int)(seed % 7);
        at_model m = network(seed, d, h, R);
        at_rng r = at_rng_at(seed, 6);
        double size = ldexp(1, -(int)(seed % 12)), lo[3], hi[3], x[3], out_lo[2], out_hi[2];
        for (int i = 0; i < d; i++) {
            lo[i] = fmax(-2, draw(&r, 2) - size);
            hi[i] = fmin(2, lo[i] + size);
        }
        for (int o = 0; o < R; o++) {
            OK(at_box_range(&m, lo, hi, o, &out_lo[o], &out_hi[o], &err));
            assert_true(isfinite(out_lo[o]) && isfinite(out_hi[o]));
            double width = out_hi[o] - out_lo[o];
            widest = fmax(widest, width);
            if (size < 0.001)
                narrow = fmin(narrow, width / size);
        }
        for (int k = 0; k < 40; k++) {
            at_arena a;
            at_arena_init(&a);
            for (int i = 0; i < d; i++) /* corners often */
                x[i] = at_rng_below(&r, 3) == 0 ? lo[i]
                       : at_rng_below(&r, 2)    ? hi[i]
                                                : lo[i] + (hi[i] - lo[i]) * (draw(&r, 0.5) + 0.5);
            at_output y = run(&m, x, &a);
            for (int o = 0; o < R; o++)
                assert_true(y.value[o] + y.radius[o] >= out_lo[o] && y.value[o] - y.radius[o] <= out_hi[o]);
            at_arena_release(&a);
        }
        at_model_release(&m);
    }
    print_message("widest %g\n", widest);
    assert_true(narrow < 200); /* small boxes have small images */
}

/* A unit on [1, infinity) and (-infinity, infinity): bounded exactly where it is. */
static void test_open_sides(void **state)
{
    (void)state;
    at_program *P = at_program_new("t", 1);
    at_var x = at_reals(P, "x", 1, -4, 4);
    at_gelu(P, 8);
    at_emit(P, AT_VEC(at_ramp(P, "r", x, -1, 1), at_relu(P, "u", x)), AT_READ_RAW, 0);
    at_model m;
    OK(at_assemble(P, &m, NULL, &err));
    double lo = 1, hi = INFINITY, a, b;
    OK(at_box_range(&m, &lo, &hi, 0, &a, &b, &err)); /* 1, less at most half a gap of 1/8 */
    assert_true(a > 1 - AT_GELU_GAP / 8 && b < 1 + AT_GELU_GAP / 8);
    OK(at_box_range(&m, &lo, &hi, 1, &a, &b, &err));
    assert_true(isinf(b));
    lo = -INFINITY;
    hi = -2;
    OK(at_box_range(&m, &lo, &hi, 1, &a, &b, &err));
    assert_true(a > -1e-10 && b < 1e-10); /* gelu(-16)/8 */
    at_model_release(&m);
    at_program_free(P);
}

static void test_gap(void **state)
{
    (void)state;
    double lo, hi;
    at_gelu_gap(&lo, &hi);
    print_message("sup |relu - gelu| in %.9f..%.9f\n", lo, hi);
    assert_true(lo > 0.16997 && hi <= AT_GELU_GAP && lo < hi); /* 0.16997 itself is too small */
    for (int k = -4000; k <= 4000; k++) {
        double u = k / 400.;
        assert_true(fabs(fmax(u, 0) - u * erfc(-u * M_SQRT1_2) / 2) < hi);
    }
    evidence_say("test_gap", "lemma-a2", "certified", INT64_MAX, "reals");
}

/* ---- certificates --------------------------------------------------------------------------------------------- */

/* The product of two reals, by four units. */
static size_t one(const at_params *p)
{
    (void)p;
    return 1;
}

static void square(const at_params *p, size_t i, double *lo, double *hi)
{
    (void)i;
    lo[0] = lo[1] = -at_params_get(p, "M");
    hi[0] = hi[1] = at_params_get(p, "M");
}

static void product(const at_params *p, size_t i, int r, double *c, double *g, double *H)
{
    (void)p, (void)i, (void)r, (void)c, (void)g;
    H[1] = H[2] = 1;
}

static const at_box boxes = {.text = "product", .boxes = one, .box = square, .answer = product};

static at_model product_model(double M, double error)
{
    at_program *P = at_program_new("t", 2);
    at_var x = at_reals(P, "a", 1, -M, M), y = at_reals(P, "b", 1, -M, M);
    at_gelu(P, 1);
    at_emit(P, AT_VEC(at_times(P, "ab", x, y, error)), AT_READ_RAW, 0);
    at_model m;
    OK(at_assemble(P, &m, NULL, &err));
    at_program_free(P);
    return m;
}

static const at_task *product_task(at_params *p, double M)
{
    const at_task *t = at_task_find("product");
    at_params_init(p, t->params, t->n_params);
    OK(at_params_set(p, "M", M, &err));
    OK(at_params_set(p, "N", 2, &err));
    return t;
}

/* One weight moved by a little: certified and wrong at a grid point must never meet, and both must occur. */
static void test_certified_implies_right(void **state)
{
    (void)state;
    int certified = 0, wrong = 0, refuted = 0;
    at_params p;
    const at_task *t = product_task(&p, 1);
    for (uint64_t seed = 0; seed < 120; seed++) {
        at_model m = product_model(1, 0.008);
        at_rng r = at_rng_at(seed, 9);
        const at_tensor *w = &m.tensors[at_rng_below(&r, (uint64_t)m.n_tensors)];
        m.weights[w->offset + at_rng_below(&r, w->count)] *= 1 + draw(&r, 0.02);
        m.weights[w->offset + at_rng_below(&r, w->count)] += draw(&r, 0.001);
        at_arena a;
        at_arena_init(&a);
        at_verdict v;
        OK(at_check_box(&m, &p, &boxes, t, &p, 0.01, NULL, &a, &v, &err));
        double most = 0;
        for (int k = 0; k < 21 * 21; k++) {
            double x[2] = {k % 21 / 10. - 1, k / 21 / 10. - 1};
            at_output y = run(&m, (double[]){x[0], x[1]}, &a);
            most = fmax(most, fabs(y.value[0] - x[0] * x[1]) - y.radius[0]);
        }
        certified += v.holds == AT_TRUE;
        wrong += most > 0.01;
        refuted += v.holds == AT_FALSE;
        assert_false(v.holds == AT_TRUE && most > 0.01);
        if (v.holds == AT_TRUE)
            assert_true(0.01 - v.margin >= most); /* the bound bounds */
        if (v.holds == AT_FALSE) {
            assert_true(v.has_counterexample && v.cx.n == 1);
            at_output y = run(&m, v.cx.x, &a);
            assert_true(fabs(y.value[0] - v.cx.x[0] * v.cx.x[1]) > 0.01);
        }
        at_arena_release(&a);
        at_model_release(&m);
    }
    print_message("%d certified, %d wrong at a grid point, %d refuted\n", certified, wrong, refuted);
    assert_true(certified > 20 && wrong > 20 && refuted >= wrong);
}

typedef struct {
    at_piece piece[64];
    bool there[64];
    int computed;
} keep;

static bool keep_have(void *ctx, uint64_t k, at_piece *out)
{
    keep *s = ctx;
    if (s->there[k])
        *out = s->piece[k];
    return s->there[k];
}

static at_status keep_done(void *ctx, uint64_t k, const at_piece *p, at_err *err)
{
    keep *s = ctx;
    (void)err;
    s->piece[k] = *p;
    s->there[k] = true;
    s->computed++;
    return AT_OK;
}

/* A mask of n entries: (n+1) n cases, several pieces. */
#define MASK 12

static size_t mask_boxes(const at_params *p)
{
    (void)p;
    return MASK + 1;
}

static void mask_box(const at_params *p, size_t i, double *lo, double *hi)
{
    (void)p;
    *lo = (double)i - 0.3;
    *hi = (double)i + 0.3;
}

static void mask_answer(const at_params *p, size_t i, int r, double *c, double *g, double *H)
{
    (void)p, (void)g, (void)H;
    *c = (size_t)r + 1 <= i;
}

static const at_box masks = {.text = "mask", .boxes = mask_boxes, .box = mask_box, .answer = mask_answer};

static at_model mask_model(double slope)
{
    at_program *P = at_program_new("t", 1);
    at_var x = at_reals(P, "x", 1, -1, MASK + 1), m[MASK];
    at_gelu(P, 64);
    for (int k = 1; k <= MASK; k++)
        m[k - 1] = at_ramp(P, "m", x, k - 0.5 - 0.5 / slope, k - 0.5 + 0.5 / slope);
    at_emit(P, (at_vec){MASK, m}, AT_READ_RAW, 0);
    at_model model;
    OK(at_assemble(P, &model, NULL, &err));
    at_program_free(P);
    return model;
}

static const at_task *mask_task(at_params *p)
{
    const at_task *t = at_task_find("prefix-mask");
    at_params_init(p, t->params, t->n_params);
    OK(at_params_set(p, "n", MASK, &err));
    OK(at_params_set(p, "spread", 0.3, &err));
    return t;
}

static void assert_same(const at_verdict *v, const at_verdict *w)
{
    assert_int_equal(v->holds, w->holds);
    assert_true(v->inputs == w->inputs);
    assert_true(v->margin == w->margin || (isnan(v->margin) && isnan(w->margin)));
    assert_int_equal(v->has_counterexample, w->has_counterexample);
    if (v->has_counterexample)
        assert_true(v->cx.x[0] == w->cx.x[0] && v->cx.got == w->cx.got);
    else
        assert_string_equal(v->note, w->note);
}

static void test_threads_and_pieces(void **state)
{
    (void)state;
    at_params p;
    const at_task *t = mask_task(&p);
    for (int broken = 0; broken < 2; broken++) {
        at_model m = mask_model(broken ? 2 : 3);
        at_arena a;
        at_arena_init(&a);
        at_verdict first, v;
        OK(at_check_box(&m, &p, &masks, t, &p, 0.008, &(at_check_env){.threads = 1}, &a, &first, &err));
        assert_int_equal(first.holds, broken ? AT_FALSE : AT_TRUE);
        assert_true(broken || strstr(first.note, "boxes"));
        for (int threads = 2; threads < 5; threads++) {
            OK(at_check_box(&m, &p, &masks, t, &p, 0.008, &(at_check_env){.threads = threads}, &a, &v, &err));
            assert_same(&first, &v);
        }
        keep k = {0};
        at_check_env env = {.threads = 2, .have = keep_have, .done = keep_done, .ctx = &k};
        OK(at_check_box(&m, &p, &masks, t, &p, 0.008, &env, &a, &v, &err));
        assert_same(&first, &v);
        int all = k.computed;
        assert_true(broken || all == (MASK + 1 + 3) / 4);
        for (int forget = 0; forget < all && !broken; forget++) {
            k.computed = 0;
            k.there[forget] = false;
            OK(at_check_box(&m, &p, &masks, t, &p, 0.008, &env, &a, &v, &err));
            assert_int_equal(k.computed, 1);
            assert_same(&first, &v);
        }
        at_arena_release(&a);
        at_model_release(&m);
    }
}

/* A ReLU network that is the answer itself: with a tolerance of 0 every bound is rounding or nothing; a tolerance just
 * below the true error of a smooth model is neither certified nor, where no double is wrong enough, refuted. */
static double bump; /* the answer is the product plus this */

static void shifted(const at_params *p, size_t i, int r, double *c, double *g, double *H)
{
    product(p, i, r, c, g, H);
    *c = bump;
}

static void test_unknown(void **state)
{
    (void)state;
    at_params p;
    const at_task *t = product_task(&p, 1);
    at_model m = product_model(1, 0.004);
    static const at_box wrong = {.text = "shifted", .boxes = one, .box = square, .answer = shifted};
    at_arena a;
    at_arena_init(&a);
    at_verdict v;
    bump = 0.5; /* boxes that disagree with the task: no input of the task is wrong, so nothing is refuted */
    OK(at_check_box(&m, &p, &wrong, t, &p, 0.005, NULL, &a, &v, &err));
    assert_int_equal(v.holds, AT_UNKNOWN);
    assert_false(v.has_counterexample);
    assert_non_null(strstr(v.note, "no counterexample"));
    at_arena_release(&a);
    at_model_release(&m);
}

/* ---- a ReLU network as the answer --------------------------------------------------------------------------- */

static at_status twin(const at_params *p, at_arena *a, at_twin *out, at_err *err)
{
    int d1 = at_params_int(p, "d1"), h = at_params_int(p, "h"), d2 = at_params_int(p, "d2");
    double *w1 = at_new(a, double, h *d1), *b1 = at_new(a, double, h), *w2 = at_new(a, double, d2 *h),
           *b2 = at_new(a, double, d2);
    if (!w1 || !b1 || !w2 || !b2)
        return at_oom(err);
    at_relu_net_weights(p, w1, b1, w2, b2);
    *out = (at_twin){h, w1, b1, w2, b2};
    return AT_OK;
}

static const at_box network_box = {.text = "network", .twin = twin};

static at_model network_model(const at_params *p, double lambda)
{
    int d1 = at_params_int(p, "d1"), h = at_params_int(p, "h"), d2 = at_params_int(p, "d2");
    at_arena a;
    at_arena_init(&a);
    at_twin t;
    OK(twin(p, &a, &t, &err));
    at_program *P = at_program_new("t", 1);
    at_var x[16], u[64], y[16];
    at_gelu(P, lambda);
    x[0] = at_reals(P, "x", d1, -4, 4);
    for (int i = 1; i < d1; i++)
        x[i] = x[0] + i;
    for (int k = 0; k < h; k++)
        u[k] = at_relu(P, "u", at_sum(P, NULL, (at_vec){d1, x}, t.w1 + k * d1, t.b1[k]));
    for (int r = 0; r < d2; r++)
        y[r] = at_sum(P, "y", (at_vec){h, u}, t.w2 + r * h, t.b2[r]);
    at_emit(P, (at_vec){d2, y}, AT_READ_RAW, 0);
    at_model m;
    OK(at_assemble(P, &m, NULL, &err));
    at_program_free(P);
    at_arena_release(&a);
    return m;
}

static void test_twin(void **state)
{
    (void)state;
    at_params p;
    const at_task *t = at_task_find("relu-net");
    at_params_init(&p, t->params, t->n_params);
    for (int net = 0; net < 20; net++) {
        OK(at_params_set(&p, "net", net, &err));
        at_model m = network_model(&p, 128);
        at_arena a;
        at_arena_init(&a);
        at_verdict v;
        OK(at_check_box(&m, &p, &network_box, t, &p, 0.02, NULL, &a, &v, &err));
        assert_int_equal(v.holds, AT_TRUE);
        double bound = 0.02 - v.margin; /* at most 8 units of weight 1 */
        assert_true(bound > 0 && bound <= 8 * AT_GELU_GAP / 128);
        at_rng r = at_rng_at((uint64_t)net, 3);
        for (int k = 0; k < 200; k++) {
            double x[3], y[2];
            t->adversarial(&p, &r, x);
            t->answer(&p, x, y);
            at_output got = run(&m, x, &a);
            for (int o = 0; o < 2; o++)
                assert_true(fabs(got.value[o] - y[o]) <= bound + 1e-12);
        }
        /* one weight off by a relative 2^-40: no longer that network, and nothing near is claimed */
        double *w = at_model_data(&m, m.blocks[0].dense[0].w);
        for (int k = 0; k < 3; k++)
            w[k] *= 1 + (k == 1) * 0x1p-40;
        OK(at_check_box(&m, &p, &network_box, t, &p, 0.02, NULL, &a, &v, &err));
        assert_int_equal(v.holds, w[1] == 0 ? AT_TRUE : AT_UNKNOWN);
        /* and an outer weight alone */
        w[1] /= 1 + 0x1p-40;
        double *o = at_model_data(&m, m.blocks[0].dense[1].w);
        o[0] = nextafter(o[0], 9);
        OK(at_check_box(&m, &p, &network_box, t, &p, 0.02, NULL, &a, &v, &err));
        assert_int_equal(v.holds, AT_UNKNOWN);
        at_arena_release(&a);
        at_model_release(&m);
    }
    at_model m = network_model(&p, 0.5); /* far from sharp: refuted by a drawn input */
    at_arena a;
    at_arena_init(&a);
    at_verdict v;
    OK(at_check_box(&m, &p, &network_box, t, &p, 0.02, NULL, &a, &v, &err));
    assert_int_equal(v.holds, AT_FALSE);
    assert_true(v.has_counterexample);
    at_arena_release(&a);
    at_model_release(&m);
}

/* ---- refusals, memory ------------------------------------------------------------------------------------------- */

static void test_refusals(void **state)
{
    (void)state;
    at_params p, q;
    const at_task *t = product_task(&p, 1), *other = mask_task(&q);
    at_arena a;
    at_arena_init(&a);
    at_verdict v;
    at_err err = {0};
    subject s = pairs(3, 5, 1);
    assert_int_equal(at_check_box(&s.m, &p, &boxes, t, &p, 0.1, NULL, &a, &v, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "one MLP with one hidden layer"));
    assert_int_equal(v.holds, AT_UNKNOWN);
    at_model_release(&s.m);
    at_model m = product_model(1, 0.01);
    err = (at_err){0};
    assert_int_equal(at_check_box(&m, &p, &boxes, other, &q, 0.1, NULL, &a, &v, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "task prefix-mask"));
    at_model_release(&m);
    at_arena_release(&a);
}

/* Each allocation fails once: out of memory, or the same verdict; never another one. */
static void test_out_of_memory(void **state)
{
    (void)state;
    at_params p, q;
    const at_task *t = product_task(&p, 1), *net = at_task_find("relu-net");
    at_params_init(&q, net->params, net->n_params);
    at_model m[3] = {product_model(1, 0.01), product_model(1, 0.05), network_model(&q, 128)};
    int failed = 0;
    for (int k = 0; k < 3; k++) {
        at_tri known = AT_UNKNOWN;
        for (long nth = 0;; nth++) {
            at_arena a;
            at_arena_init(&a);
            at_verdict v;
            at_err said = {0};
            at_check_env env = {.threads = 1};
            at_alloc_inject(nth);
            at_status st = k < 2 ? at_check_box(&m[k], &p, &boxes, t, &p, 0.011, &env, &a, &v, &said)
                                 : at_check_box(&m[k], &q, &network_box, net, &q, 0.02, &env, &a, &v, &said);
            bool fired = at_alloc_injected();
            at_alloc_inject(0);
            if (nth == 0) {
                assert_int_equal(st, AT_OK);
                known = v.holds;
            } else if (st != AT_OK) {
                assert_int_equal(st, AT_ENOMEM);
                assert_int_equal(v.holds, AT_UNKNOWN);
                failed++;
            } else
                assert_int_equal(v.holds, known);
            at_arena_release(&a);
            if (nth && !fired)
                break;
        }
        assert_int_equal(known, k == 1 ? AT_FALSE : AT_TRUE);
        at_model_release(&m[k]);
    }
    assert_true(failed > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_enclosures),
        cmocka_unit_test(test_open_sides),
        cmocka_unit_test(test_certified_implies_right),
        cmocka_unit_test(test_threads_and_pieces),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_twin),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
