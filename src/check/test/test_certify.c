/* test_certify.c: certificates are believed only as far as these tests carry them.
 *
 * At small sizes every input is mapped to its case, and its run must lie in the case's bounds; deleting any
 * case must be noticed; and for hundreds of broken models: certified implies right on every input. */
#include "check_test.h"

/* ---- the splits: hits are keys (or pairs) that sum to 0 with the query --------------------------------------- */

static int tokens(const at_params *p)
{
    return at_params_int(p, "M");
}

static bool hit2(const at_params *p, int a, int b, int unused)
{
    (void)unused;
    return (a + b) % at_params_int(p, "M") == 0;
}

static bool hit3(const at_params *p, int a, int b, int c)
{
    return (a + b + c) % at_params_int(p, "M") == 0;
}

static void hits2(const at_params *p, int a, uint64_t *lo, uint64_t *hi)
{
    *lo = hit2(p, a, a, 0);
    *hi = (uint64_t)at_params_int(p, "N");
}

static void hits3(const at_params *p, int a, uint64_t *lo, uint64_t *hi)
{
    *lo = hit3(p, a, a, a);
    *hi = (uint64_t)at_params_int(p, "N") * (uint64_t)at_params_int(p, "N");
}

static uint64_t hits2_of(const at_params *p, const double *x, int i)
{
    uint64_t n = 0;
    for (int j = 0; j < at_params_int(p, "N"); j++)
        n += hit2(p, (int)x[i], (int)x[j], 0);
    return n;
}

static uint64_t hits3_of(const at_params *p, const double *x, int i)
{
    uint64_t n = 0;
    for (int j = 0; j < at_params_int(p, "N"); j++)
        for (int l = 0; l < at_params_int(p, "N"); l++)
            n += hit3(p, (int)x[i], (int)x[j], (int)x[l]);
    return n;
}

static const at_split split2 = {"pairs", tokens, hit2, hits2, hits2_of};
static const at_split split3 = {"triples", tokens, hit3, hits3, hits3_of};

/* ---- every input lies in its case --------------------------------------------------------------------------------- */

/* The attention's one value at position t, read back from the residual that it was written to. */
static double mean_of(const at_model *m, const at_trace *trace, int t)
{
    const at_group *g = &m->blocks[0].groups[0];
    const double *o = at_model_data(m, g->o), *ob = at_model_data(m, g->ob);
    for (int c = 0; c < m->width; c++)
        if (fabs(o[c]) == 1)
            return (trace->state[1][t * m->width + c] - (ob ? ob[c] : 0)) / o[c];
    fail_msg("the attention writes nothing");
    return 0;
}

static void every_input(subject s, const at_split *split)
{
    at_case cases[64];
    at_case_bounds b[64];
    size_t n = at_split_cases(&s.p, split, NULL), used[64] = {0};
    assert_true(n <= 64);
    assert_int_equal(at_split_cases(&s.p, split, cases), n);
    OK(at_cases_complete(&s.p, split, cases, n, &err));
    OK(at_certify(&s.m, &s.p, split, cases, 0, n, b, &err));
    for (uint64_t i = 0; i < s.t->count(&s.p, AT_ENUM_SEQUENCES); i++) {
        at_arena a;
        at_arena_init(&a);
        double x[8], answer[8];
        s.t->nth(&s.p, AT_ENUM_SEQUENCES, i, x);
        s.t->answer(&s.p, x, answer);
        at_input in = {s.N, x};
        at_trace trace;
        at_output y;
        OK(at_run(&s.m, (at_arith){AT_BALL, 128, 0}, &in, &trace, &a, &y, &err));
        for (int t = 0; t < s.N; t++) {
            uint64_t h = split->hits_of(&s.p, x, t);
            size_t k = 0;
            while (k < n && !(cases[k].query == (int)x[t] && cases[k].lo <= h && h <= cases[k].hi))
                k++;
            assert_true(k < n);
            used[k]++;
            assert_true(cases[k].expected == answer[t]);
            assert_int_equal(b[k].holds, AT_TRUE);
            /* The trace holds midpoints of balls as doubles: values up to 1, half an ulp off, and one
             * subtraction of a bias. */
            double mean = mean_of(&s.m, &trace, t);
            assert_true(mean >= b[k].mean_lo - 0x1p-52 && mean <= b[k].mean_hi + 0x1p-52);
            assert_true(y.value[t] + y.radius[t] >= b[k].out_lo && y.value[t] - y.radius[t] <= b[k].out_hi);
        }
        at_arena_release(&a);
    }
    for (size_t k = 0; k < n; k++)
        assert_true(used[k] > 0); /* no case is about nothing */
    for (size_t gone = 0; gone < n; gone++) {
        at_case fewer[64];
        at_err err = {0};
        memcpy(fewer, cases, gone * sizeof *cases);
        memcpy(fewer + gone, cases + gone + 1, (n - gone - 1) * sizeof *cases);
        assert_int_equal(at_cases_complete(&s.p, split, fewer, n - 1, &err), AT_EDOMAIN);
        memcpy(fewer, cases, n * sizeof *cases); /* nor may one be shorter by a single count */
        fewer[gone].hi--;
        assert_int_equal(at_cases_complete(&s.p, split, fewer, n, &err), AT_EDOMAIN);
    }
    at_err err = {0};
    cases[n] = cases[n - 1];
    assert_int_equal(at_cases_complete(&s.p, split, cases, n + 1, &err), AT_EDOMAIN);
    at_model_release(&s.m);
}

static void test_every_input_in_its_case(void **state)
{
    (void)state;
    every_input(pairs(4, 5, 1), &split2);
    every_input(triples(3, 5, 1), &split3);
    every_input(pairs(3, 2, 1), &split2);
}

/* ---- broken models ----------------------------------------------------------------------------------------------- */

static at_tri certified(const subject *s, const at_split *split, int threads, at_verdict *out)
{
    at_arena a;
    at_arena_init(&a);
    at_verdict v;
    OK(at_check_certified(&s->m, &s->p, split, &(at_check_env){.threads = threads}, &a, &v, &err));
    if (out)
        *out = v;
    if (out && v.holds != AT_TRUE)
        assert_non_null(strstr(v.note, "not certified: query"));
    at_arena_release(&a);
    return v.holds;
}

static at_tri exact(const subject *s)
{
    at_arena a;
    at_arena_init(&a);
    at_tri holds = check(s, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, 1, &a).holds;
    at_arena_release(&a);
    return holds;
}

static void test_control_is_not_certified(void **state)
{
    (void)state;
    subject good[2] = {pairs(4, 5, 1), triples(3, 5, 1)}, bad[2] = {pairs(6, 11, 0.02), triples(5, 9, 0.02)};
    const at_split *split[2] = {&split2, &split3};
    for (int k = 0; k < 2; k++) {
        at_verdict v;
        assert_int_equal(certified(&good[k], split[k], 1, &v), AT_TRUE);
        assert_int_equal(v.evidence, AT_EV_CERTIFIED);
        assert_int_equal(v.inputs, k ? 125 : 625);
        assert_int_equal(exact(&bad[k]), AT_FALSE);
        assert_int_equal(certified(&bad[k], split[k], 1, &v), AT_UNKNOWN);
        assert_false(v.has_counterexample);
        at_model_release(&good[k].m);
        at_model_release(&bad[k].m);
    }
}

/* Each weight in turn is moved, a little and a lot: what is certified must be right on every input. */
static void weights_moved(subject s, const at_split *split, int *still, int *broken)
{
    static const double moves[] = {-1.5, -0.4, -0.02, 1e-4, 0.03, 0.6, 2};
    for (size_t k = 0; k < s.m.n_weights; k++)
        for (int j = 0; j < 7; j++) {
            double was = s.m.weights[k];
            s.m.weights[k] = was + moves[j];
            at_tri c = certified(&s, split, 1, NULL), e = exact(&s);
            if (c == AT_TRUE && e != AT_TRUE)
                fail_msg("weight %zu moved by %g: certified, and wrong", k, moves[j]);
            *still += c == AT_TRUE;
            *broken += e == AT_FALSE;
            s.m.weights[k] = was;
        }
    at_model_release(&s.m);
}

static void test_certified_implies_right(void **state)
{
    (void)state;
    int still = 0, broken = 0;
    weights_moved(pairs(4, 5, 1), &split2, &still, &broken);
    weights_moved(triples(3, 4, 1), &split3, &still, &broken);
    print_message("of the changed models %d are certified, %d are wrong somewhere\n", still, broken);
    assert_true(still > 100 && broken > 100);
}

static void test_same_for_every_number_of_threads(void **state)
{
    (void)state;
    subject s[2] = {pairs(64, 700, 1), pairs(64, 700, 1)};
    at_verdict one, many;
    s[1].m.weights[s[1].m.tensors[s[1].m.fields[0].embed.tensor].offset + 690 * 2] +=
        0.1; /* late in the order */
    for (int k = 0; k < 2; k++) {
        at_tri holds = certified(&s[k], &split2, 1, &one);
        assert_int_equal(holds, k ? AT_UNKNOWN : AT_TRUE);
        for (int threads = 2; threads <= 7; threads += threads == 3 ? 4 : 1) {
            assert_int_equal(certified(&s[k], &split2, threads, &many), holds);
            assert_int_equal(one.inputs, many.inputs);
            assert_true(one.margin == many.margin);
        }
        at_model_release(&s[k].m);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    subject s = pairs(4, 5, 1);
    at_case cases[16];
    at_case_bounds b[16];
    size_t n = at_split_cases(&s.p, &split2, cases);
    at_err err = {0};
    at_params p = s.p;
    assert_int_equal(at_params_set(&p, "N", 5, &err), AT_OK); /* longer than the model takes */
    assert_int_equal(at_certify(&s.m, &p, &split2, cases, 0, n, b, &err), AT_EDOMAIN);
    err = (at_err){0};
    assert_int_equal(at_params_set(&s.p, "M", 6, &err), AT_OK); /* another alphabet */
    assert_int_equal(at_certify(&s.m, &s.p, &split2, cases, 0, n, b, &err), AT_EREFUSED);
    assert_int_equal(at_params_set(&s.p, "M", 5, &err), AT_OK);
    assert_int_equal(at_certify(&s.m, &s.p, &split2, cases, 0, n, b, &err), AT_OK);
/* Every part that the case split knows nothing of is refused, one at a time. */
#define REFUSED(part, other)                                                                                 \
    do {                                                                                                     \
        __typeof__(s.m.part) kept = s.m.part;                                                                \
        s.m.part = (other);                                                                                  \
        if (at_certify(&s.m, &s.p, &split2, cases, 0, n, b, &err) != AT_EREFUSED)                            \
            fail_msg("certified with " #part " = " #other);                                                  \
        s.m.part = kept;                                                                                     \
    } while (0)
    REFUSED(n_fields, 2);
    REFUSED(fields[0].kind, AT_FIELD_INT);
    REFUSED(n_pos, 1);
    REFUSED(n_blocks, 0);
    REFUSED(blocks[0].kind, AT_BLOCK_MLP);
    REFUSED(blocks[0].n_groups, 0);
    REFUSED(blocks[0].residual, true);
    REFUSED(blocks[0].norm, AT_NORM_PRE);
    REFUSED(blocks[0].groups[0].weighting, AT_AVERAGE_HARD);
    REFUSED(blocks[0].groups[0].heads, 2);
    REFUSED(blocks[0].groups[0].dv, 2);
    REFUSED(blocks[0].groups[0].post, AT_POST_NEG_ABS);
    REFUSED(blocks[0].groups[0].mask.kind, AT_MASK_CAUSAL);
    assert_true(s.m.n_blocks >= 2);
    for (int k = 1; k < s.m.n_blocks; k++) {
        REFUSED(blocks[k].kind, AT_BLOCK_ATTN);
        REFUSED(blocks[k].norm, AT_NORM_POST);
        REFUSED(blocks[k].act, AT_ACT_GELU);
    }
    REFUSED(readout.rows, 2);
    REFUSED(readout.final_norm, true);
    REFUSED(readout.last, true);
    REFUSED(readout.kind, AT_READ_SIGN);
#undef REFUSED
    assert_int_equal(at_certify(&s.m, &s.p, &split2, cases, 0, n, b, &err), AT_OK);
    at_model_release(&s.m);
}

/* ---- the hull ------------------------------------------------------------------------------------------------------ */

static double uniform(at_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * at_rng_unit(r);
}

/* Random classes; a class may be empty, with no score and no value. */
static int classes_draw(at_rng *r, at_key_class *k)
{
    int n = 1 + (int)at_rng_below(r, 4);
    for (int i = 0; i < n; i++) {
        uint64_t lo = at_rng_below(r, 4), span = at_rng_below(r, 4);
        double s = uniform(r, -30, 30), v = uniform(r, -2, 2);
        double ds = at_rng_below(r, 2) ? uniform(r, 0, 3) : 0, dv = at_rng_below(r, 2) ? uniform(r, 0, 1) : 0;
        k[i] = (at_key_class){lo, lo + span, s, s + ds, v, v + dv};
        if (at_rng_below(r, 6) == 0)
            k[i] = (at_key_class){0, 0, INFINITY, -INFINITY, INFINITY, -INFINITY};
    }
    return n;
}

/* The extremes over all counts, both ends of every score, largest and smallest values: an enumeration that
 * knows nothing of vertices. Returns how many counts there are. */
static int brute(const at_key_class *k, int n, uint64_t total, double *lo, double *hi)
{
    uint64_t c[4];
    int feasible = 0;
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int i = 0; i < n; i++)
        c[i] = k[i].lo;
    for (;;) {
        uint64_t sum = 0;
        for (int i = 0; i < n; i++)
            sum += c[i];
        feasible += sum == total;
        for (unsigned ends = 0; sum == total && ends < 1u << n; ends++) {
            long double den = 0, up = 0, down = 0;
            for (int i = 0; i < n; i++)
                if (c[i]) {
                    long double w = c[i] * expl(ends >> i & 1 ? k[i].score_hi : k[i].score_lo);
                    den += w;
                    up += w * k[i].value_hi;
                    down += w * k[i].value_lo;
                }
            *hi = fmax(*hi, (double)(up / den));
            *lo = fmin(*lo, (double)(down / den));
        }
        int i = 0;
        while (i < n && c[i] == k[i].hi) {
            c[i] = k[i].lo;
            i++;
        }
        if (i == n)
            return feasible;
        c[i]++;
    }
}

static void test_hull_is_brute_force(void **state)
{
    (void)state;
    int possible = 0, impossible = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        at_rng r = at_rng_at(31, i);
        at_key_class k[4];
        int n = classes_draw(&r, k);
        uint64_t total = 1 + at_rng_below(&r, 14);
        double lo, hi, lo2, hi2;
        int feasible = brute(k, n, total, &lo2, &hi2);
        at_tri t = at_softmax_hull(k, n, total, &lo, &hi);
        bool any = false;
        for (int c = 0; c < n; c++)
            any = any || k[c].hi > 0;
        if (!any) {
            assert_int_not_equal(t, AT_TRUE);
            continue;
        }
        assert_int_equal(t, feasible ? AT_TRUE : AT_FALSE);
        possible += feasible > 0;
        impossible += !feasible;
        if (!feasible)
            continue;
        /* long double sums of at most 30 terms, rounded to double at the end: 2^-50 is enough slack */
        assert_true(lo <= lo2 + 0x1p-50 * (1 + fabs(lo2)) && hi >= hi2 - 0x1p-50 * (1 + fabs(hi2)));
        assert_true(lo >= lo2 - 1e-9 && hi <= hi2 + 1e-9);
    }
    assert_true(possible > 500 && impossible > 500);
}

/* Keys of a class differ among themselves: each has a score and a value of its own. */
static void test_hull_holds_single_keys(void **state)
{
    (void)state;
    int tried = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        at_rng r = at_rng_at(37, i);
        at_key_class k[4];
        int n = classes_draw(&r, k);
        uint64_t total = 0;
        long double num = 0, den = 0;
        for (int c = 0; c < n; c++) {
            uint64_t count = k[c].lo + at_rng_below(&r, k[c].hi - k[c].lo + 1);
            total += count;
            for (uint64_t j = 0; j < count; j++) {
                long double w = expl(uniform(&r, k[c].score_lo, k[c].score_hi));
                num += w * uniform(&r, k[c].value_lo, k[c].value_hi);
                den += w;
            }
        }
        double lo, hi, mean = (double)(num / den);
        if (!total)
            continue;
        tried++;
        assert_int_equal(at_softmax_hull(k, n, total, &lo, &hi), AT_TRUE);
        assert_true(mean >= lo - 0x1p-50 && mean <= hi + 0x1p-50);
    }
    assert_true(tried > 3000);
}

static void test_hull_extremes(void **state)
{
    (void)state;
    double lo, hi;
    /* exp would overflow a double by far; only differences matter */
    at_key_class far[2] = {{1, 3, 1e6, 1e6, 1, 1}, {0, 1000, -1e6, 999900, 0, 0}};
    assert_int_equal(at_softmax_hull(far, 2, 1001, &lo, &hi), AT_TRUE);
    assert_true(lo > 1 - 0x1p-45 && hi >= 1 && hi < 1 + 0x1p-45);
    /* counts whose sum does not fit in 64 bits are not counts of anything */
    at_key_class huge[3] = {{UINT64_MAX, UINT64_MAX, 0, 0, 0, 0}, {5, 5, 0, 0, 1, 1}, {0, 9, 0, 0, 1, 1}};
    assert_int_equal(at_softmax_hull(huge, 3, 4, &lo, &hi), AT_FALSE);
    at_key_class unbounded[2] = {{1, 1, 0, INFINITY, 0, 0}, {1, 1, 0, 0, 1, 1}};
    assert_int_equal(at_softmax_hull(unbounded, 2, 2, &lo, &hi), AT_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_input_in_its_case),
        cmocka_unit_test(test_control_is_not_certified),
        cmocka_unit_test(test_certified_implies_right),
        cmocka_unit_test(test_same_for_every_number_of_threads),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_hull_is_brute_force),
        cmocka_unit_test(test_hull_holds_single_keys),
        cmocka_unit_test(test_hull_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
