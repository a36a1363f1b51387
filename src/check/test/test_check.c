/* test_check.c: symmetry, order, threads, shrinking, and what must never pass. */
#include "../../core/test/test_scale.h"
#include "../../exec/exec_internal.h"
#include "../check_internal.h"
#include "check_test.h"

/* ---- symmetry -------------------------------------------------------------------------------------------- */

/* Moving the positions of the input moves the outputs: decisions exactly, values as far as sums in another
 * order allow (the bound of at_run_bound, on both sides). The task's answers move too. */
static void permute(subject s)
{
    assert_true(s.t->symmetric);
    assert_true(at_model_symmetric(&s.m));
    for (uint64_t i = 0; i < 200; i++) {
        at_arena a;
        at_arena_init(&a);
        at_rng r = at_rng_at(41, i);
        double x[16], z[16], ax[16], az[16];
        int to[16];
        (i % 2 ? s.t->adversarial : s.t->sample)(&s.p, &r, x);
        for (int t = 0; t < s.N; t++) {
            int k = (int)at_rng_below(&r, (uint64_t)t + 1);
            to[t] = to[k];
            to[k] = t;
        }
        for (int t = 0; t < s.N; t++)
            z[to[t]] = x[t];
        at_output y, w, by, bw;
        at_input in = {s.N, x}, moved = {s.N, z};
        OK(at_run(&s.m, at_f64, &in, NULL, &a, &y, &err));
        OK(at_run(&s.m, at_f64, &moved, NULL, &a, &w, &err));
        OK(at_run_bound(&s.m, at_f64, &in, true, &a, &by, &err));
        OK(at_run_bound(&s.m, at_f64, &moved, true, &a, &bw, &err));
        s.t->answer(&s.p, x, ax);
        s.t->answer(&s.p, z, az);
        for (int t = 0; t < s.N; t++) {
            assert_true(ax[t] == az[to[t]]);
            assert_true(y.decision[t] == w.decision[to[t]]);
            assert_true(fabs(y.value[t] - w.value[to[t]]) <= 2 * (by.radius[t] + bw.radius[to[t]]));
            assert_true(by.radius[t] < 1e-6);
        }
        at_arena_release(&a);
    }
    at_model_release(&s.m);
}

static void test_permutations(void **state)
{
    (void)state;
    permute(pairs(9, 14, 1));
    permute(triples(6, 10, 1));
}

static at_status multisets(const subject *s, at_err *err)
{
    at_question q = {.evidence = AT_EV_EXACT, .how = AT_ENUM_MULTISETS, .arith = at_f64};
    at_arena a;
    at_arena_init(&a);
    at_verdict v;
    at_status st = at_check(&s->m, s->t, &s->p, &q, &(at_check_env){0}, &a, &v, err);
    at_arena_release(&a);
    return st;
}

/* A model with positions: the token's value averaged with a causal look at a position feature. */
static subject with_positions(int N, int M)
{
    subject s = {.N = N, .M = M};
    at_program *P = at_program_new("positions", N);
    at_var x = at_token(P, "x", M), i = at_position(P, "i", AT_POS_I), v = at_number(P, "v", x);
    at_emit(P, AT_VEC(at_add(P, i, v)), AT_READ_THRESHOLD, 2.5);
    subject_finish(&s, P, "match2");
    return s;
}

static void test_multisets_need_symmetry(void **state)
{
    (void)state;
    at_err err = {0};
    subject s = pairs(4, 5, 1), pos = with_positions(4, 5);
    assert_int_equal(multisets(&s, &err), AT_OK);
    at_group *g = &s.m.blocks[0].groups[0];
    for (int mask = AT_MASK_CAUSAL; mask <= AT_MASK_STRICT_FUTURE; mask++) {
        g->mask.kind = (at_mask_kind)mask;
        assert_false(at_model_symmetric(&s.m));
        assert_int_equal(multisets(&s, &err), AT_EREFUSED);
    }
    assert_non_null(strstr(err.text, "symmetric"));
    g->mask.kind = AT_MASK_NONE;
    g->weighting = AT_LEFTMOST_HARD;
    assert_false(at_model_symmetric(&s.m));
    g->weighting = AT_RIGHTMOST_HARD;
    assert_false(at_model_symmetric(&s.m));
    g->weighting = AT_SOFTMAX;
    for (int kind = AT_BLOCK_RNN; kind <= AT_BLOCK_FLATTEN; kind++) {
        at_block block = s.m.blocks[0];
        s.m.blocks[0].kind = (at_block_kind)kind;
        assert_false(at_model_symmetric(&s.m));
        s.m.blocks[0] = block;
    }
    assert_true(at_model_symmetric(&s.m));
    s.m.readout.last = true;
    assert_false(at_model_symmetric(&s.m));
    assert_false(at_model_symmetric(&pos.m));
    assert_int_equal(multisets(&pos, &err), AT_EREFUSED);
    at_model_release(&s.m);
    at_model_release(&pos.m);
}

/* ---- exact ------------------------------------------------------------------------------------------------- */

static bool fails_on(const subject *s, const double *x, int n, at_arith arith)
{
    at_arena a;
    at_arena_init(&a);
    double answer[32];
    at_params p = s->p;
    at_output y;
    at_input in = {n, x};
    OK(at_params_set(&p, "N", n, &err));
    OK(at_run(&s->m, arith, &in, NULL, &a, &y, &err));
    s->t->answer(&p, x, answer);
    bool wrong = false;
    for (int t = 0; t < n; t++)
        wrong = wrong || y.decided[t] != AT_TRUE || y.decision[t] != answer[t];
    at_arena_release(&a);
    return wrong;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The sorted input as a number, its digits in base M. */
static size_t orbit_of(const subject *s, const double *x)
{
    double z[16];
    size_t k = 0;
    memcpy(z, x, (size_t)s->N * sizeof *z);
    qsort(z, (size_t)s->N, sizeof *z, ascending);
    for (int t = 0; t < s->N; t++)
        k = k * (size_t)s->M + (size_t)z[t];
    return k;
}

/* Every input by the reference: which orbits fail, and where the first failure stands. */
static void survey(const subject *s, at_enum how, uint8_t *orbit, int64_t *first)
{
    *first = -1;
    for (uint64_t i = 0; i < s->t->count(&s->p, how); i++) {
        double x[16];
        s->t->nth(&s->p, how, i, x);
        bool bad = fails_on(s, x, s->N, at_f64);
        orbit[orbit_of(s, x)] |= bad ? 2 : 1;
        *first = bad && *first < 0 ? (int64_t)i : *first;
    }
}

static void test_sequences_are_multisets(void **state)
{
    (void)state;
    static const double scales[] = {1, 0.05, 0.02, 0.01};
    int broken = 0;
    for (int k = 0; k < 8; k++) {
        at_arena a;
        at_arena_init(&a);
        subject s = k < 4 ? pairs(5, 6, scales[k]) : triples(4, 6, scales[k - 4]);
        uint8_t by_sequence[7776] = {0}, by_multiset[7776] = {0};
        int64_t first[2];
        survey(&s, AT_ENUM_SEQUENCES, by_sequence, &first[0]);
        survey(&s, AT_ENUM_MULTISETS, by_multiset, &first[1]);
        assert_memory_equal(by_sequence, by_multiset, sizeof by_sequence); /* and no orbit is both */
        for (int e = 0; e < 2; e++) {
            at_verdict v = check(&s, AT_EV_EXACT, e ? AT_ENUM_MULTISETS : AT_ENUM_SEQUENCES, "f64", 0, 2, &a);
            assert_int_equal(v.holds, first[e] < 0 ? AT_TRUE : AT_FALSE);
            assert_int_equal(v.evidence, AT_EV_EXACT);
            if (first[e] >= 0) {
                assert_int_equal(v.cx.index, first[e]);
                assert_int_equal(v.inputs, first[e] + 1);
                broken++;
            } else
                assert_int_equal(v.inputs, s.t->count(&s.p, e ? AT_ENUM_MULTISETS : AT_ENUM_SEQUENCES));
        }
        at_model_release(&s.m);
        at_arena_release(&a);
    }
    assert_true(broken >= 8);
}

static void assert_same(const at_verdict *a, const at_verdict *b)
{
    assert_int_equal(a->holds, b->holds);
    assert_int_equal(a->inputs, b->inputs);
    assert_true(a->margin == b->margin || (isnan(a->margin) && isnan(b->margin)));
    assert_int_equal(a->has_counterexample, b->has_counterexample);
    if (a->has_counterexample) {
        assert_int_equal(a->cx.index, b->cx.index);
        assert_int_equal(a->cx.n, b->cx.n);
        assert_memory_equal(a->cx.x, b->cx.x, (size_t)a->cx.n * sizeof *a->cx.x);
        assert_int_equal(a->cx.position, b->cx.position);
        assert_true(a->cx.got == b->cx.got && a->cx.margin == b->cx.margin);
    }
}

/* Multisets are listed by their largest token, so that a model that is wrong about the last token fails late,
 * several pieces into the work. */
static void test_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 3, 2, 7};
    enum { COUNTS = TEST_SCALE > 1 ? 2 : 4 };
    for (int k = 0; k < 3; k++) {
        at_arena a;
        at_arena_init(&a);
        subject s = pairs(8, 17, k == 2 ? 0.02 : 1);
        if (k == 1)
            s.m.weights[s.m.tensors[s.m.fields[0].embed.tensor].offset + 16 * 2] *= -1;
        at_verdict v[4], w[4];
        for (int j = 0; j < COUNTS; j++) {
            v[j] = check(&s, AT_EV_EXACT, AT_ENUM_MULTISETS, "f64", 0, threads[j], &a);
            w[j] = check(&s, AT_EV_SAMPLED, 0, "p20", 9000, threads[j], &a);
            assert_same(&v[0], &v[j]);
            assert_same(&w[0], &w[j]);
        }
        assert_int_equal(v[0].holds, k ? AT_FALSE : AT_TRUE);
        if (k == 1)
            assert_true(v[0].cx.index > 400000);
        at_model_release(&s.m);
        at_arena_release(&a);
    }
}

/* ---- shrinking --------------------------------------------------------------------------------------------- */

static void test_shrunk_inputs_fail(void **state)
{
    (void)state;
    int shrunk = 0;
    for (int k = 0; k < 30; k++) {
        at_arena a;
        at_arena_init(&a);
        subject s = k % 2 ? triples(6, 13, 0.004 * (k + 1)) : pairs(12, 17, 0.002 * (k + 1));
        at_verdict v = check(&s, AT_EV_SAMPLED, 0, k % 3 ? "f64" : "p12", 400, 1, &a);
        at_arith arith = k % 3 ? at_f64 : (at_arith){AT_PBIT, 12, 10};
        if (v.holds == AT_FALSE) {
            double next[32];
            at_params p = s.p;
            OK(at_params_set(&p, "N", v.cx.n, &err));
            assert_true(fails_on(&s, v.cx.x, v.cx.n, arith));
            for (int drop = 0; drop < v.cx.n && v.cx.n > 1; drop++) { /* nothing simpler fails */
                memcpy(next, v.cx.x, (size_t)drop * sizeof *next);
                memcpy(next + drop, v.cx.x + drop + 1, (size_t)(v.cx.n - drop - 1) * sizeof *next);
                assert_false(fails_on(&s, next, v.cx.n - 1, arith));
            }
            for (int c = 0; s.t->simpler(&p, v.cx.x, v.cx.n, c, next); c++)
                assert_false(fails_on(&s, next, v.cx.n, arith));
            shrunk++;
        }
        at_model_release(&s.m);
        at_arena_release(&a);
    }
    assert_true(shrunk >= 10);
}

/* ---- unknown is never a pass -------------------------------------------------------------------------------- */

static void test_unknown_is_no_pass(void **state)
{
    (void)state;
    subject s = pairs(4, 5, 1);
    at_arena a;
    at_arena_init(&a);
    at_question q = {.evidence = AT_EV_EXACT, .how = AT_ENUM_SEQUENCES, .arith = {AT_BALL, 10, 0}};
    at_verdict v;
    OK(at_check(&s.m, s.t, &s.p, &q, &(at_check_env){.threads = 2}, &a, &v, &err));
    assert_int_equal(v.holds, AT_UNKNOWN);
    assert_true(v.has_counterexample && v.cx.unknown);
    assert_non_null(strstr(v.note, "could not decide"));
    v = check(&s, AT_EV_EXACT, AT_ENUM_SEQUENCES, "ball64", 0, 2, &a);
    assert_int_equal(v.holds, AT_TRUE);
    at_model_release(&s.m);
    s = pairs(5, 31, 1);
    v = check(&s, AT_EV_SAMPLED, 0, "p2", 300, 2, &a);
    assert_int_equal(v.holds, AT_FALSE);
    at_model_release(&s.m);
    at_arena_release(&a);
}

/* Real answers: a head whose keys are all equal averages all N vectors, the answer at q = N. A ball of
 * radius 1/2 around the right value is not within 1/100 of it. */
static void test_wide_balls_are_unknown(void **state)
{
    (void)state;
    int N = 4, d = 2, unknown = 0;
    at_program *P = at_program_new("mean", N);
    at_program_lengths(P, N);
    at_var z = at_reals(P, "z", d, -1, 1);
    at_subset(P, "y", N, N);
    at_var mean = at_attend(P, "mean",
                            &(at_attention){.query = AT_VEC(at_const(P, 1)),
                                            .key = AT_VEC(at_const(P, 1)),
                                            .value = AT_VEC(z, z + 1),
                                            .weighting = AT_SOFTMAX,
                                            .scale = 1,
                                            .gap = 1,
                                            .error = 1e-9});
    at_emit(P, AT_VEC(mean, mean + 1), AT_READ_RAW, 0);
    at_model m;
    OK(at_assemble(P, &m, NULL, &err));
    at_program_free(P);
    const at_task *t = at_task_find("qsa");
    at_params p;
    at_params_init(&p, t->params, t->n_params);
    OK(at_params_parse(&p, "N=4 q=4 d=2", &err));
    for (int bits = 2; bits <= 64; bits++) {
        at_arena a;
        at_arena_init(&a);
        at_question q = {
            .evidence = AT_EV_SAMPLED, .limit = 40, .arith = {AT_BALL, bits, 0}, .tolerance = 0.01};
        at_verdict v;
        OK(at_check(&m, t, &p, &q, &(at_check_env){.threads = 1}, &a, &v, &err));
        bool wide = false;
        for (uint64_t i = 0; i < q.limit; i++) {
            double x[4 * 6];
            at_rng r = at_rng_at(q.seed, i);
            (i % 2 ? t->adversarial : t->sample)(&p, &r, x);
            at_output y;
            OK(at_run(&m, q.arith, &(at_input){N, x}, NULL, &a, &y, &err));
            for (int k = 0; k < N * d; k++)
                wide = wide || y.radius[k] > q.tolerance;
        }
        if (wide)
            assert_int_equal(v.holds, AT_UNKNOWN); /* the true value is right, so it cannot be FALSE either */
        if (v.holds == AT_UNKNOWN)
            assert_true(v.has_counterexample && v.cx.unknown);
        unknown += v.holds == AT_UNKNOWN;
        assert_true(v.holds != AT_FALSE);
        if (bits > 30)
            assert_int_equal(v.holds, AT_TRUE);
        at_arena_release(&a);
    }
    assert_true(unknown > 3);
    at_model_release(&m);
}

/* ---- checks that could not fail ------------------------------------------------------------------------------ */

static at_status ask(const subject *s, at_question q, const at_check_env *env, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    at_verdict v;
    *err = (at_err){0};
    at_status st = at_check(&s->m, s->t, &s->p, &q, env, &a, &v, err);
    assert_true(st == AT_OK || v.holds == AT_UNKNOWN);
    at_arena_release(&a);
    return st;
}

static bool damaged_have(void *ctx, uint64_t piece, at_piece *out)
{
    (void)ctx;
    *out = (at_piece){10, 0.5, piece == 0 ? INT64_MAX : -1};
    return true;
}

static void test_refusals(void **state)
{
    (void)state;
    at_err said;
    at_check_env env = {.threads = 1}, damaged = {.threads = 1, .have = damaged_have};
    subject s = pairs(4, 5, 1);
    at_question sampled = {.evidence = AT_EV_SAMPLED, .arith = at_f64};
    assert_int_equal(ask(&s, sampled, &env, &said), AT_EDOMAIN); /* no inputs, nothing shown */
    sampled.limit = 10;
    assert_int_equal(ask(&s, sampled, &env, &said), AT_OK);
    at_question certified = {.evidence = AT_EV_CERTIFIED, .arith = at_f64};
    assert_int_equal(ask(&s, certified, &env, &said), AT_EREFUSED); /* balls are needed */
    certified.arith = (at_arith){.kind = AT_BALL, .bits = 128};
    certified.limit = 10;
    assert_int_equal(ask(&s, certified, &env, &said), AT_EREFUSED); /* and all inputs */
    certified.limit = 0;
    certified.how = AT_ENUM_SUBSETS;
    assert_int_equal(ask(&s, certified, &env, &said), AT_EREFUSED);
    certified.how = AT_ENUM_SEQUENCES;
    assert_int_equal(ask(&s, certified, &env, &said), AT_OK);
    at_question exact = {.evidence = AT_EV_EXACT, .how = AT_ENUM_SUBSETS, .arith = at_f64};
    assert_int_equal(ask(&s, exact, &env, &said), AT_EREFUSED);
    exact.how = AT_ENUM_SEQUENCES;
    assert_int_equal(ask(&s, exact, &damaged, &said), AT_EINPUT); /* a ledger from somewhere */
    subject other = pairs(4, 5, 1);
    OK(at_params_set(&other.p, "M", 7, &err)); /* tokens that the model does not have */
    assert_int_equal(ask(&other, exact, &env, &said), AT_EDOMAIN);
    OK(at_params_set(&other.p, "M", 5, &err));
    OK(at_params_set(&other.p, "N", 5, &err));
    assert_int_equal(ask(&other, exact, &env, &said), AT_EDOMAIN);
    subject large = pairs(40, 1000, 1);
    assert_int_equal(ask(&large, exact, &env, &said), AT_EBUDGET);
    large.p = s.p;
    OK(at_params_set(&large.p, "N", 16, &err));
    OK(at_params_set(&large.p, "M", 15, &err)); /* 15^16 fits in 64 bits, and not in a life */
    assert_int_equal(ask(&large, exact, &env, &said), AT_EBUDGET);
    at_model_release(&s.m);
    at_model_release(&other.m);
    at_model_release(&large.m);
}

/* Every input in balls is a certificate: as strong as the inputs are all, and never stronger than the arithmetic. */
static void test_certified_by_enumeration(void **state)
{
    (void)state;
    at_arena a;
    at_err said;
    at_arena_init(&a);
    subject s = pairs(3, 5, 1), bad = pairs(3, 5, 0.02), large = pairs(12, 11, 1);
    at_verdict v = check(&s, AT_EV_CERTIFIED, AT_ENUM_SEQUENCES, "ball", 0, 1, &a);
    assert_int_equal(v.holds, AT_TRUE);
    assert_int_equal(v.evidence, AT_EV_CERTIFIED);
    assert_int_equal(v.inputs, 125);
    v = check(&s, AT_EV_CERTIFIED, AT_ENUM_MULTISETS, "ball", 0, 1, &a);
    assert_int_equal(v.evidence, AT_EV_CERTIFIED);
    assert_int_equal(v.inputs, 35);
    v = check(&bad, AT_EV_CERTIFIED, AT_ENUM_SEQUENCES, "ball", 0, 1, &a); /* the control */
    assert_int_equal(v.holds, AT_FALSE);
    assert_true(v.has_counterexample);
    at_question q = {.evidence = AT_EV_CERTIFIED, .arith = {.kind = AT_BALL, .bits = 2}};
    at_check_env env = {.threads = 1};
    OK(at_check(&s.m, s.t, &s.p, &q, &env, &a, &v, &err)); /* two bits decide nothing */
    assert_int_equal(v.holds, AT_UNKNOWN);
    q.arith.bits = 128;
    assert_int_equal(ask(&large, q, &env, &said), AT_EBUDGET);
    assert_non_null(strstr(said.text, "3138428376721 inputs in balls would take a core about"));
    at_model_release(&s.m);
    at_model_release(&bad.m);
    at_model_release(&large.m);
    at_arena_release(&a);
}

/* A limit below the number of inputs: one from each stratum, called sampled. */
static void test_limit_is_a_sample(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    subject s = pairs(5, 6, 1), bad = pairs(5, 6, 0.02);
    at_verdict v = check(&s, AT_EV_EXACT, AT_ENUM_MULTISETS, "f64", 50, 1, &a);
    assert_int_equal(v.holds, AT_TRUE);
    assert_int_equal(v.evidence, AT_EV_SAMPLED);
    assert_int_equal(v.inputs, 50);
    v = check(&s, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 7776, 1, &a);
    assert_int_equal(v.evidence, AT_EV_EXACT);
    v = check(&bad, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 200, 1, &a);
    assert_int_equal(v.holds, AT_FALSE);
    at_model_release(&s.m);
    at_model_release(&bad.m);
    at_arena_release(&a);
}

/* ---- pieces given back --------------------------------------------------------------------------------------- */

typedef struct {
    at_piece piece[64];
    bool there[64];
    int computed;
} keep;

static bool keep_have(void *ctx, uint64_t piece, at_piece *out)
{
    keep *k = ctx;
    if (k->there[piece])
        *out = k->piece[piece];
    return k->there[piece];
}

static at_status keep_done(void *ctx, uint64_t piece, const at_piece *p, at_err *err)
{
    keep *k = ctx;
    (void)err;
    k->piece[piece] = *p;
    k->there[piece] = true;
    k->computed++;
    return AT_OK;
}

static void test_pieces_come_back(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    subject s = pairs(8, 16, 1);
    keep k = {0};
    at_check_env env = {.threads = 2, .have = keep_have, .done = keep_done, .ctx = &k};
    at_question q = {.evidence = AT_EV_EXACT, .how = AT_ENUM_MULTISETS, .arith = at_f64};
    at_verdict v, w;
    OK(at_check(&s.m, s.t, &s.p, &q, &env, &a, &v, &err));
    int all = k.computed;
    assert_true(all >= 2 && all <= 64);
    for (int forget = 0; forget < all; forget++) {
        k.computed = 0;
        k.there[forget] = false;
        OK(at_check(&s.m, s.t, &s.p, &q, &env, &a, &w, &err));
        assert_int_equal(k.computed, 1);
        assert_same(&v, &w);
    }
    at_model_release(&s.m);
    at_arena_release(&a);
}

/* ---- all wrong inputs counted -------------------------------------------------------------------------------- */

/* Inputs on which the reference is wrong, one by one, and the first of them. */
static uint64_t wrong_by_hand(const subject *s, at_arith arith, uint64_t *first)
{
    uint64_t wrong = 0, all = s->t->count(&s->p, AT_ENUM_SEQUENCES);
    double x[8], y[8];
    at_arena a;
    at_arena_init(&a);
    at_mark start = at_arena_mark(&a);
    *first = UINT64_MAX;
    for (uint64_t i = 0; i < all; i++, at_arena_reset(&a, start)) {
        at_output out;
        bool right = true;
        s->t->nth(&s->p, AT_ENUM_SEQUENCES, i, x);
        s->t->answer(&s->p, x, y);
        OK(at_run(&s->m, arith, &(at_input){s->N, x}, NULL, &a, &out, &err));
        for (int k = 0; k < s->N; k++)
            right = right && out.decision[k] == y[k] && out.margin[k] > 0;
        if (!right && !wrong++)
            *first = i;
    }
    at_arena_release(&a);
    return wrong;
}

static at_verdict count(const subject *s, at_question q, const at_check_env *env, at_arena *a)
{
    at_verdict v;
    q.count_all = true;
    OK(at_check(&s->m, s->t, &s->p, &q, env, a, &v, &err));
    return v;
}

/* Counts are those of brute force, for any number of threads; the model that is right is wrong on none. */
static void test_counts(void **state)
{
    (void)state;
    static const struct {
        int N, M;
        double c;
        const char *arith;
    } rows[] = {{4, 9, 0.02, "f64"}, {4, 9, 0.02, "f32"}, {3, 11, 0.02, "f64"}, {5, 6, 0.02, "f64"},
                {3, 7, 0.02, "p9"},  {4, 9, 1, "f64"},    {2, 30, 0.002, "f32"}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        subject s = pairs(rows[k].N, rows[k].M, rows[k].c);
        at_arena a;
        at_arena_init(&a);
        at_question q = {.evidence = AT_EV_EXACT, .how = AT_ENUM_SEQUENCES};
        OK(at_arith_parse(rows[k].arith, &q.arith, &err));
        uint64_t first, wrong = wrong_by_hand(&s, q.arith, &first), all = s.t->count(&s.p, AT_ENUM_SEQUENCES);
        at_verdict v = count(&s, q, &(at_check_env){.threads = 1}, &a);
        print_message("N=%d M=%d c=%g %s: %d of %d wrong\n", s.N, s.M, rows[k].c, rows[k].arith, (int)v.wrong,
                      (int)all);
        assert_int_equal(v.wrong, wrong);
        assert_int_equal(v.inputs, all);
        assert_int_equal(v.holds, wrong ? AT_FALSE : AT_TRUE);
        assert_true((wrong == 0) == (rows[k].c == 1) && wrong < all && v.margin > 0);
        assert_true(!wrong || (v.has_counterexample && v.cx.index == first));
        for (int threads = 2; threads <= 5; threads++) {
            at_verdict w = count(&s, q, &(at_check_env){.threads = threads}, &a);
            assert_int_equal(w.wrong, wrong);
            assert_same(&v, &w);
        }
        OK(at_check(&s.m, s.t, &s.p, &q, &(at_check_env){.threads = 2}, &a, &v,
                    &err)); /* the control: ends at the first */
        assert_int_equal(v.wrong, wrong > 0);
        assert_int_equal(v.inputs, wrong ? first + 1 : all);
        at_model_release(&s.m);
        at_arena_release(&a);
    }
}

/* Pieces come back with their counts; those that cannot be are refused. */
static void test_counts_come_back(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    subject s = pairs(5, 16, 0.02);
    keep k = {0};
    at_check_env env = {.threads = 2, .have = keep_have, .done = keep_done, .ctx = &k};
    at_question q = {.evidence = AT_EV_EXACT, .how = AT_ENUM_SEQUENCES, .arith = at_f64};
    at_verdict v = count(&s, q, &env, &a), w;
    int all = k.computed;
    uint64_t wrong = 0;
    assert_true(all >= 3 && all <= 64);
    for (int i = 0; i < all; i++)
        wrong += k.piece[i].wrong;
    assert_true(v.wrong == wrong && wrong > 1 && wrong < v.inputs);
    for (int forget = 0; forget < all; forget++) { /* interrupted anywhere */
        for (int i = forget; i < all; i++)
            k.there[i] = false;
        k.computed = 0;
        w = count(&s, q, &env, &a);
        assert_int_equal(k.computed, all - forget);
        assert_int_equal(w.wrong, wrong);
        assert_same(&v, &w);
    }
    at_err said = {0};
    q.count_all = true;
    k.piece[1].wrong += 5; /* one forged count is believed, as a forged margin is ... */
    assert_int_equal(count(&s, q, &env, &a).wrong, wrong + 5);
    k.piece[1].wrong = v.inputs; /* ... but not more than there are inputs, nor none where one is named */
    assert_int_equal(ask(&s, q, &env, &said), AT_EINPUT);
    k.piece[1].wrong = 0;
    assert_int_equal(ask(&s, q, &env, &said), AT_EINPUT);
    at_model_release(&s.m);
    at_arena_release(&a);
}

/* ---- out of memory ------------------------------------------------------------------------------------------- */

static int tokens(const at_params *p)
{
    return at_params_int(p, "M");
}

static bool hit(const at_params *p, int a, int b, int unused)
{
    (void)unused;
    return (a + b) % at_params_int(p, "M") == 0;
}

static void hits(const at_params *p, int a, uint64_t *lo, uint64_t *hi)
{
    *lo = hit(p, a, a, 0);
    *hi = (uint64_t)at_params_int(p, "N");
}

/* Each allocation fails once. One that is refused inside the fast executor's choice of kernel may be got
 * around; otherwise the answer is AT_ENOMEM, never a verdict that differs. */
static void test_out_of_memory(void **state)
{
    (void)state;
    static const at_split split = {"pairs", tokens, hit, hits, NULL};
    subject s[2] = {pairs(3, 5, 1), pairs(3, 5, 0.005)};
    static const char *const arith[] = {"f64", "p9", "ball40"};
    int failed = 0;
    for (int k = 0; k < 8; k++) {
        const subject *x = &s[k % 2];
        at_tri known = AT_UNKNOWN;
        for (long nth = 0;; nth++) {
            at_arena a;
            at_arena_init(&a);
            at_question q = {.evidence = AT_EV_EXACT, .how = AT_ENUM_SEQUENCES};
            at_verdict v;
            at_err said = {0};
            at_check_env env = {.threads = 2};
            OK(at_arith_parse(arith[k / 2 % 3], &q.arith, &err));
            at_alloc_inject(nth);
            at_status st = k < 6 ? at_check(&x->m, x->t, &x->p, &q, &env, &a, &v, &said)
                                 : at_check_certified(&x->m, &x->p, &split, &env, &a, &v, &said);
            bool fired = at_alloc_injected();
            at_alloc_inject(0);
            if (nth == 0) {
                assert_int_equal(st, AT_OK);
                known = v.holds;
            } else if (fired && st != AT_OK) {
                assert_int_equal(st, AT_ENOMEM);
                assert_string_equal(said.text, "out of memory");
                assert_int_equal(v.holds, AT_UNKNOWN);
                failed++;
            } else
                assert_int_equal(v.holds, known);
            at_arena_release(&a);
            if (nth && !fired)
                break;
        }
    }
    assert_true(failed > 30);
    at_model_release(&s[0].m);
    at_model_release(&s[1].m);
}

static void answer_nothing(const at_params *p, const double *x, double *y)
{
    (void)p;
    (void)x;
    y[0] = NAN;
}

/* A task that lacks the memory to tell what is right: the model is not called wrong. Batches, rows and shrinking ask. */
static void test_answer_without_memory(void **state)
{
    (void)state;
    static const char *const arith[] = {"f64", "p9"};
    subject s = pairs(3, 5, 1);
    at_task t = *s.t;
    t.answer = answer_nothing;
    for (int k = 0; k < 2; k++) {
        at_arena a;
        at_arena_init(&a);
        at_question q = {.evidence = AT_EV_EXACT, .how = AT_ENUM_SEQUENCES};
        at_verdict v;
        at_err said = {0};
        OK(at_arith_parse(arith[k], &q.arith, &err));
        assert_int_equal(at_check(&s.m, &t, &s.p, &q, &(at_check_env){0}, &a, &v, &said), AT_ENOMEM);
        assert_int_equal(v.holds, AT_UNKNOWN);
        at_arena_release(&a);
    }
    at_model_release(&s.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_multisets_need_symmetry),
        cmocka_unit_test(test_sequences_are_multisets),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_shrunk_inputs_fail),
        cmocka_unit_test(test_unknown_is_no_pass),
        cmocka_unit_test(test_wide_balls_are_unknown),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_certified_by_enumeration),
        cmocka_unit_test(test_limit_is_a_sample),
        cmocka_unit_test(test_pieces_come_back),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_counts_come_back),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_answer_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
