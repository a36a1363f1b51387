/* test_copies.c: AGG and COPY (lemmas A.8 to A.12): that the enumerated inputs tell the worst, that the decoder's running
 * sums are the forward pass, sizes, precision, and what fails where the paper's text is taken literally.
 * The cells themselves are run by test_claims.c. */
#include "claim_test.h"

/* ---- why unit vectors are enough ---------------------------------------------------------------------------- */

/* The model's outputs on x (n, 2), in f64. */
static void outputs(const point *c, const double *x, double *y)
{
    at_arena a;
    at_arena_init(&a);
    at_output out;
    at_input in = {c->n, x};
    OK(at_run(&c->m, at_f64, &in, NULL, &a, &out, &err));
    memcpy(y, out.value, (size_t)c->n * sizeof *y);
    at_arena_release(&a);
}

#define MOST 128

/* worst[i][asked]: the largest error over all reals where position i (from 0) asks for `asked`, by the reals 0 and the unit
 * vectors of the enumeration: outputs are affine in the reals, and so are answers. */
static void worst_of_pairs(const point *c, double worst[][MOST])
{
    double x[2 * MOST], y[MOST], expected[MOST], base[MOST], sum[MOST];
    int N = c->n;
    for (int i = 0; i < N; i++)
        for (int a = 0; a < MOST; a++)
            worst[i][a] = -1;
    for (uint64_t k = 0; k < c->t->count(&c->tp, AT_ENUM_PAIRS); k++) {
        int j = (int)(k % (uint64_t)(N + 1));
        c->t->nth(&c->tp, AT_ENUM_PAIRS, k, x);
        outputs(c, x, y);
        c->t->answer(&c->tp, x, expected);
        for (int i = 0; i < N; i++) {
            double off = y[i] - expected[i];
            base[i] = j ? base[i] : off;
            sum[i] = j ? sum[i] + fabs(off - base[i]) : fabs(off);
            if (j == N) {
                double *w = &worst[i][(int)x[2 * i + 1]];
                *w = fmax(*w, sum[i]);
            }
        }
    }
}

/* All values of -M and M, and random ones, err by no more than the enumerated inputs do, pair by pair. Rounding: f64 runs of
 * these models are within 1e-12 of the real ones (test_balls.c measures less). */
static void worst_check(const char *id, const char *params, const char *control)
{
    point c = point_at(id, params, control);
    static double worst[MOST][MOST];
    double x[2 * MOST], y[MOST], expected[MOST], largest = 0;
    int N = c.n, first = !strcmp(c.t->id, "copy"), m = first ? 1 : at_params_int(&c.p, "m");
    worst_of_pairs(&c, worst);
    for (unsigned k = 0; k < 1u << N; k++)
        for (int ask = 0; ask < (first ? N : m); ask++) { /* blocks that have not begun as well */
            at_rng r = at_rng_at(3, k);
            for (int i = 0; i < N; i++) {
                double sign = k >> i & 1 ? 1 : -1;
                x[2 * i] = at_params_get(&c.p, "M") * (k % 5 ? sign : 2 * at_rng_unit(&r) - 1);
                x[2 * i + 1] = first ? (ask <= i ? ask : i) + 1 : ask;
            }
            outputs(&c, x, y);
            c.t->answer(&c.tp, x, expected);
            for (int i = 0; i < N; i++) {
                double off = fabs(y[i] - expected[i]);
                largest = fmax(largest, off);
                if (!(off <= worst[i][(int)x[2 * i + 1]] + 1e-12))
                    fail_msg("%s: position %d errs by %g, enumerated %g", id, i + 1, off,
                             worst[i][(int)x[2 * i + 1]]);
            }
        }
    assert_true(largest > 1e-9); /* there is something to compare */
    point_release(&c);
}

static void test_worst_values(void **state)
{
    (void)state;
    worst_check("lemma-a11-index", "N=8", NULL);
    worst_check("lemma-a11-index", "N=8", "alpha=0.3");
    worst_check("lemma-a12", "N=9 B=3", NULL);
    worst_check("lemma-a12", "N=9 B=2", "alpha=0.2");
    worst_check("lemma-a12", "N=9 B=3", "uniform=1");
    worst_check("lemma-a9", "N=9 m=3", NULL);
    worst_check("lemma-a9", "N=8 m=3", "alpha=0.2");
}

/* ---- what fails ------------------------------------------------------------------------------------------------ */

/* Pairs (position, target) whose error is above eps: the target is +-M and all others M, or -M. */
static int wrong_pairs(const char *params, const char *control, int *pairs)
{
    point c = point_at("lemma-a12", params, control);
    static double worst[MOST][MOST];
    double x[2 * MOST], y[MOST], M = at_params_get(&c.p, "M");
    for (int k = 0; k < 4 * c.n; k++) {
        int t = k / 4;
        for (int i = 0; i < c.n; i++) {
            x[2 * i] = (i == t ? k & 1 : k >> 1 & 1) ? M : -M;
            x[2 * i + 1] = (i < t ? i : t) + 1;
        }
        outputs(&c, x, y);
        for (int i = t; i < c.n; i++) {
            double *w = &worst[i][t + 1];
            *w = fmax(k % 4 ? *w : 0, fabs(y[i] - x[2 * t]));
        }
    }
    int wrong = 0;
    *pairs = 0;
    for (int i = 0; i < c.n; i++)
        for (int t = 1; t <= i + 1; t++) {
            wrong += worst[i][t] > c.tolerance;
            ++*pairs;
        }
    point_release(&c);
    return wrong;
}

/* Corrected; layer 1 uniform over what the mask shows: all targets that come through a block's end but the first's, which
 * sees its own block only; always through the end: all targets in a block that is not complete; a slot missing: targets
 * at a block's end that do not come directly. */
static void test_sparse_as_printed(void **state)
{
    (void)state;
    static const struct {
        const char *control;
        int wrong;
    } rows[] = {{NULL, 0}, {"uniform=1", 4095 - 855}, {"ends=1", 450}, {"fewer=1", 369}};
    for (int k = 0; k < 4; k++) {
        int pairs, wrong = wrong_pairs("N=100 B=10", rows[k].control, &pairs);
        assert_int_equal(pairs, 5050);
        assert_int_equal(wrong, rows[k].wrong);
    }
    int through = 0, first = 0; /* that these are the pairs the comment says */
    for (int i = 1; i <= 100; i++)
        for (int t = 1; t <= i - 10; t++) {
            through++;
            first += t <= 10;
        }
    assert_int_equal(through, 4095);
    assert_int_equal(first, 855);
}

/* Lemma A.12, layer 1 as printed: ReLU(ReLU(v + M) - M (1 + ReLU(j - r) + ReLU(r - j))), r = i mod B, in slot j: in slot
 * j = r it is max(v, 0), and it is 0 in slot r + 1, where the text wants v. */
static void test_slots_as_printed(void **state)
{
    (void)state;
    for (double v = -1; v <= 1; v += 0.25)
        for (int r = 0; r < 4; r++)
            for (int j = 0; j <= 4; j++) {
                double M = 1, slot = fmax(fmax(v + M, 0) - M * (1 + fmax(j - r, 0) + fmax(r - j, 0)), 0);
                assert_true(slot == (j == r ? fmax(v, 0) : 0));
            }
}

/* Theorem B.3: the divisor of a block that is not complete. The number of its positions up to i is i - (b-1) W with
 * b = ceil(t/W); printed is i - b (W-1), right in the last block only. */
static void test_divisor_as_printed(void **state)
{
    (void)state;
    int L = 100, W = 10, pairs = 0, wrong = 0, senseless = 0;
    for (int i = 1; i <= L; i++)
        for (int t = 1; t <= i; t++) {
            int b = (t + W - 1) / W, count = 0;
            for (int j = 1; j <= i; j++)
                count += (j + W - 1) / W == b;
            if (i >= b * W)
                continue;
            pairs++;
            wrong += i - b * (W - 1) != count;
            senseless += i - b * (W - 1) <= 0;
            assert_int_equal(W - (b * W - i), count); /* the corrected one */
        }
    print_message("divisor: %d of %d pairs wrong, %d of them 0 or negative\n", wrong, pairs, senseless);
    assert_int_equal(pairs, 450);
    assert_int_equal(wrong, 405);
    assert_int_equal(senseless, 165);
}

/* The definition before assumption A.10 takes S_i = {j < i : q_i.k_j < rho}: without the absolute value every key that does
 * not match (q.k <= -delta) is in it. Counts answers on the task's inputs that change. */
static void test_matches_as_printed(void **state)
{
    (void)state;
    at_params p;
    const at_task *t = at_task_find("copy-rating");
    at_params_init(&p, t->params, t->n_params); /* N = 8, K = 5 */
    double x[40], y[8];
    int answers = 0, any = 0, strict = 0;
    for (uint64_t k = 0; k < 1000; k++) {
        at_rng r = at_rng_at(1, k);
        t->sample(&p, &r, x);
        t->answer(&p, x, y);
        for (int i = 0; i < 8; i++) {
            double all = 0, before = 0, best = -1, best_before = -1;
            bool matched = false;
            for (int j = 0; j <= i; j++) {
                const double *row = x + 5 * j;
                if (row[4] > best) {
                    best = row[4];
                    all = row[0];
                }
                if (row[2] == x[5 * i + 3] && j < i && row[4] > best_before) {
                    best_before = row[4];
                    before = row[0];
                }
                matched = matched || row[2] == x[5 * i + 3];
            }
            if (!matched)
                continue;
            answers++;
            any += all != y[i];
            strict += before != y[i];
        }
    }
    print_message("S_i: of %d answers %d change without the absolute value, %d with j < i\n", answers, any,
                  strict);
    assert_true(any > answers / 3 && strict > answers / 8);
}

/* Lemma A.9: what a key inside the block and one outside weigh, at a mu small enough to see. */
static void test_weights_as_printed(void **state)
{
    (void)state;
    point c = point_at("lemma-a9", "N=16 m=4", "alpha=0.1");
    double x[32] = {0}, mu = 0.1 * log(2 * 64 / 0.01), drop = exp(-mu);
    at_arena a;
    at_arena_init(&a);
    at_output y;
    at_trace trace;
    at_input in = {16, x};
    for (int i = 0; i < 16; i++)
        x[2 * i + 1] = 1; /* everyone asks for the second block */
    OK(at_run(&c.m, at_f64, &in, &trace, &a, &y, &err));
    const double *w = trace.heads[0].w + 15 * 16;
    double same = 1 + 3 * drop * drop, other = 2 * drop + 2 * drop * drop;
    assert_true(fabs(w[4] / w[0] - same / other) < 1e-12); /* 16 roundings of numbers near 1 */
    print_message("A.9: a key inside weighs %.4f, printed %.4f\n", w[4] / w[0] * other, 1 + 3 * drop);
    assert_true(fabs(1 + 3 * drop - same) > 0.5);
    at_arena_release(&a);
    point_release(&c);
}

/* (15) as printed has W_V x_i where the sum needs x_j: the weights then cancel and v_i is left. */
static void test_sum_as_printed(void **state)
{
    (void)state;
    point c = point_at("lemma-a8", "N=2 d=1", NULL);
    double x[6] = {0, 0, 1, 0, 0, 0}, y[2];
    outputs(&c, x, y); /* rows q, k, v; phi is 1 */
    assert_true(y[0] == 1 && y[1] == 0.5);
    point_release(&c);
}

/* ---- running sums ------------------------------------------------------------------------------------------------- */

/* A decoder whose next row is 7 times linear attention's mean, rounded: 3d integers a row. */
static void decoder_make(int N, int d, at_mask_kind mask, at_model *m)
{
    at_var q[8], k[8], v[8], out[24];
    at_program *P = at_program_new("sums", N);
    assert_non_null(P);
    at_var row = at_ints(P, "row", 3 * d, -4, 4);
    for (int c = 0; c < d; c++) {
        q[c] = at_scaled(P, 0.5, row + c);
        k[c] = at_scaled(P, 0.75, row + d + c);
        v[c] = row + 2 * d + c;
    }
    at_var mean = at_attend(P, "mean",
                            &(at_attention){.query = {d, q},
                                            .key = {d, k},
                                            .value = {d, v},
                                            .weighting = AT_LINEAR,
                                            .mask = {.kind = mask},
                                            .kernel = true});
    for (int c = 0; c < 3 * d; c++)
        out[c] = c < d ? at_scaled(P, 7, mean + c) : at_const(P, 0);
    at_emit(P, (at_vec){3 * d, out}, AT_READ_ROUND, 0);
    OK(at_assemble(P, m, NULL, &err));
    at_program_free(P);
    m->decode = (at_decode){
        .enabled = true, .stop = AT_STOP_STEPS, .max_steps = 1, .prompt_min = 1, .prompt_max = N - 1};
    OK(at_model_validate(m, &err));
}

/* The running sums of a decoder and the forward pass over the whole prefix, at every length. Numbers are at most 28 and each
 * side rounds N + d + 8 times or so. */
static void test_running_sums(void **state)
{
    (void)state;
    enum { N = 40 };
    int compared = 0, other = 0;
    for (int d = 1; d <= 3; d++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            at_model m, strict;
            decoder_make(N, d, AT_MASK_CAUSAL, &m);
            decoder_make(N, d, AT_MASK_STRICT, &strict);
            at_decoder *dec;
            OK(at_decoder_new(&m, at_f64, &dec, &err));
            double x[N * 9], next[9], margin, allowed = 4 * 28 * (N + d + 8) * 0x1p-53;
            at_rng r = at_rng_at(8, seed);
            for (int n = 1; n < N; n++) {
                int last = (n - 1) * 3 * d;
                at_tri decided;
                at_arena a;
                at_arena_init(&a);
                at_output y, lag;
                at_input in = {n, x};
                for (int c = 0; c < 3 * d; c++)
                    x[last + c] = (double)at_rng_below(&r, 9) - 4;
                OK(at_decoder_push(dec, x + last, &err));
                OK(at_decoder_next(dec, next, &margin, &decided, &err));
                OK(at_run(&m, at_f64, &in, NULL, &a, &y, &err));
                OK(at_run(&strict, at_f64, &in, NULL, &a, &lag, &err));
                double least = INFINITY;
                bool differs = false;
                for (int c = last; c < last + 3 * d; c++) {
                    least = fmin(least, y.margin[c]);
                    differs = differs || fabs(y.value[c] - lag.value[c]) > allowed;
                }
                other += differs;
                if (least > allowed) { /* else the nearest integer is anyone's guess */
                    assert_int_equal(decided, AT_TRUE);
                    assert_true(fabs(margin - least) <= allowed);
                    for (int c = 0; c < 3 * d; c++)
                        assert_true(next[c] == y.decision[last + c]);
                    compared++;
                }
                at_arena_release(&a);
            }
            at_decoder_free(dec);
            at_model_release(&m);
            at_model_release(&strict);
        }
    print_message("running sums: %d of %d rows compared, the lagging model differs on %d\n", compared,
                  3 * 20 * (N - 1), other);
    assert_true(compared > 2000 && other > 2000);
}

/* Where eps is above M scales would be logarithms of less than 1: refused in words, and not at eps = M. */
static void test_domain(void **state)
{
    (void)state;
    static const char *const ids[] = {"lemma-a9", "lemma-a11-rating", "lemma-a11-index", "lemma-a12"};
    for (int k = 0; k < 4; k++) {
        point c = point_at(ids[k], "M=0.25 eps=0.25", NULL);
        point_release(&c);
        at_err err = {0};
        point_params(&c, ids[k], "M=0.25 eps=0.26", NULL);
        assert_int_equal(at_claim_model(c.claim, &c.p, &c.m, &err), AT_EDOMAIN);
        assert_non_null(strstr(err.text, "eps=0.26: must be at most M"));
    }
}

/* ---- sizes and precision --------------------------------------------------------------------------------------- */

static void test_sizes(void **state)
{
    (void)state;
    at_size z = size_at("lemma-a11-index", "N=8"), y = size_at("lemma-a11-index", "N=4096");
    assert_int_equal(z.layers, 1);
    assert_int_equal(z.mlps, 0);
    assert_int_equal(z.head_dim, 2);
    assert_int_equal(z.width, 4);
    assert_int_equal(z.parameters, y.parameters); /* constant size, scale included */
    assert_true(z.largest == y.largest);
    for (int m = 2; m <= 16; m *= 2) {
        char text[32];
        snprintf(text, sizeof text, "N=%d m=%d", m * m, m);
        z = size_at("lemma-a9", text);
        assert_int_equal(z.layers, 1);
        assert_int_equal(z.mlps, 0);
        assert_int_equal(z.head_dim, m);
        assert_int_equal(z.width, 2 * m + 1);
        assert_true(z.largest <= log(2 * pow(m, 3) / 0.01) * (1 + 1e-15));
    }
    for (int B = 5; B <= 20; B += 5) {
        char text[32];
        snprintf(text, sizeof text, "N=%d B=%d", B * B, B);
        z = size_at("lemma-a12", text);
        assert_int_equal(z.layers, 2);
        assert_int_equal(z.heads, 1);
        if (z.width > 4 * B + 8 || z.hidden > 12 * B + 24)
            fail_msg("B=%d: width %d, hidden %d", B, z.width, z.hidden);
    }
}

/* The table's least p: with squares of positions in a table 2 log2 L + 2 bits are enough from L = 32 on (below, eps
 * asks for 11), and at L = 64 one bit less is not. */
static void test_precision(void **state)
{
    (void)state;
    const at_claim *claim = at_claim_find("lemma-a11-index");
    static const char *const at[] = {"N=8", "N=32", "N=64"};
    static const double least[] = {11, 12, 14};
    for (int k = 0; k < 3; k++) {
        point c = point_at("lemma-a11-index", at[k], NULL);
        double row[8];
        OK(claim->tables[0].row(claim, &c.p, 2, row, &err));
        print_message("lemma-a11-index %s: least p %g, 2 log2 L + 2 = %g\n", at[k], row[1], row[2]);
        assert_true(row[1] == least[k]);
        assert_true(row[1] <= fmax(row[2], 11));
        point_release(&c);
    }
    point c = point_at("lemma-a11-index", "N=64", NULL); /* every pair, not drawn ones */
    for (int bits = 13; bits <= 14; bits++) {
        at_arena a;
        at_arena_init(&a);
        at_verdict v;
        at_question q = {.evidence = AT_EV_EXACT,
                         .how = AT_ENUM_PAIRS,
                         .arith = {AT_PBIT, bits, 10},
                         .tolerance = c.tolerance};
        OK(at_check(&c.m, c.t, &c.tp, &q, &(at_check_env){0}, &a, &v, &err));
        assert_int_equal(v.holds, bits == 14 ? AT_TRUE : AT_FALSE);
        at_arena_release(&a);
    }
    point_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worst_values),
        cmocka_unit_test(test_sparse_as_printed),
        cmocka_unit_test(test_slots_as_printed),
        cmocka_unit_test(test_divisor_as_printed),
        cmocka_unit_test(test_matches_as_printed),
        cmocka_unit_test(test_weights_as_printed),
        cmocka_unit_test(test_sum_as_printed),
        cmocka_unit_test(test_running_sums),
        cmocka_unit_test(test_domain),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
