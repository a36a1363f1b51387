/* test_ties.c: hard attention between scores that are equal, and that rounding pulls apart.
 *
 * Means x (of the tokens so far) and u = 1/i make scores -|x_i u_j - u_i x_j| = -|a_i - a_j| / (i j), a the numbers of ones so
 * far: products of rounded quotients, hardly ever exact, equal to 0 for every j with as many ones as i. What is right is decided in
 * integers here. The cosines of match2 are the other example. */
#include <attest/program.h>

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LONGEST = 10, STRINGS = 1 << LONGEST };

static void must(at_status st, const at_err *err)
{
    if (st)
        fail_msg("%s", err->text);
}

/* ---- means ---------------------------------------------------------------------------------------------------- */

/* The value is the position of the key that is chosen, or their mean. */
static at_program *means(at_weighting w, at_mask_kind mask)
{
    at_program *P = at_program_new("means", LONGEST);
    double first[LONGEST] = {1}, gaps[LONGEST];
    at_var f = at_token(P, "f", 2), one = at_const(P, 1), at = at_position(P, "i", AT_POS_I);
    at_var mark = at_position_rows(P, "first", 1, first);
    at_var mean = at_attend(P, "mean",
                            &(at_attention){.query = AT_VEC(one),
                                            .key = AT_VEC(one),
                                            .value = AT_VEC(at_number(P, "x", f), mark),
                                            .weighting = AT_AVERAGE_HARD,
                                            .mask = {.kind = AT_MASK_CAUSAL},
                                            .gap = 1});
    /* scores of row i are fractions of denominator i j: two that differ do so by 1/(i j k) at least */
    for (int i = 1; i <= LONGEST; i++)
        gaps[i - 1] = (1 - 1e-9) / (i * LONGEST * LONGEST);
    at_var found = at_attend(P, "found",
                             &(at_attention){.query = AT_VEC(mean, mean + 1),
                                             .key = AT_VEC(mean + 1, at_neg(P, mean)),
                                             .key2 = AT_VEC(one, one),
                                             .value = AT_VEC(at),
                                             .value2 = AT_VEC(one),
                                             .weighting = w,
                                             .post = AT_POST_NEG_ABS,
                                             .mask = {mask, 3, 1, 1},
                                             .gaps = gaps});
    at_emit(P, AT_VEC(found), AT_READ_RAW, 0);
    return P;
}

static double means_right(const at_group *g, const double *x, int n, int i)
{
    int ones[LONGEST] = {0}, best = -1, count = 0, sum = 0, first = -1, last = 0;
    for (int j = 0; j < n; j++)
        ones[j] = (j ? ones[j - 1] : 0) + (int)x[j];
#define COST(j) abs(ones[i] - ones[j]) /* over (j + 1) */
    for (int j = 0; j < n; j++)
        if (at_mask_allows(&g->mask, i, j) && (best < 0 || COST(j) * (best + 1) < COST(best) * (j + 1)))
            best = j;
    for (int j = 0; j < n; j++)
        if (at_mask_allows(&g->mask, i, j) && COST(j) * (best + 1) == COST(best) * (j + 1)) {
            first = first < 0 ? j : first;
            last = j;
            sum += j + 1;
            count++;
        }
#undef COST
    if (!count)
        return 0;
    return g->weighting == AT_LEFTMOST_HARD    ? first + 1
           : g->weighting == AT_RIGHTMOST_HARD ? last + 1
                                               : (double)sum / count;
}

/* Strings of all lengths up to LONGEST on which some position is off by more than the tolerance. */
static int means_wrong(const at_model *m, double tolerance, int *strings)
{
    const at_group *g = &m->blocks[m->n_blocks - 1].groups[0];
    static double v[STRINGS * LONGEST], value[STRINGS * LONGEST];
    int wrong = 0;
    *strings = 0;
    for (int n = 1; n <= LONGEST; n++) {
        at_exec *e;
        at_scratch *s;
        at_err err = {0};
        int count = 1 << n;
        for (int k = 0; k < count * n; k++)
            v[k] = k / n >> (k % n) & 1;
        must(at_exec_new(m, at_f64, n, &e, &err), &err);
        must(at_scratch_new(e, &s, &err), &err);
        at_exec_run(e, s, v, count, value);
        for (int k = 0; k < count; k++) {
            bool bad = false;
            for (int i = 0; i < n; i++)
                bad = bad || !(fabs(value[k * n + i] - means_right(g, v + k * n, n, i)) <= tolerance);
            wrong += bad;
            ++*strings;
        }
        at_scratch_free(s);
        at_exec_free(e);
    }
    return wrong;
}

/* Every weighting and mask: right on every string, or refused. The controls are the same weights with another tie. */
static void test_means(void **state)
{
    (void)state;
    int refused = 0, made = 0, strings = 0, loose = 0, tight = 0;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int mask = 0; mask < AT_MASKS; mask++) {
            at_program *P = means((at_weighting)w, (at_mask_kind)mask);
            at_model m;
            at_err err = {0};
            double bound;
            if (at_assemble(P, &m, &bound, &err)) {
                assert_true(w == AT_LINEAR); /* one-hot vectors only */
                assert_non_null(strstr(err.text, "found"));
                refused++;
            } else {
                at_group *g = &m.blocks[m.n_blocks - 1].groups[0];
                bool one = w == AT_LEFTMOST_HARD || w == AT_RIGHTMOST_HARD;
                int wrong = means_wrong(&m, one ? 0 : bound + 0x1p-20, &strings);
                if (wrong)
                    fail_msg("%s, %s: %d of %d strings", at_weighting_names[w], at_mask_names[mask], wrong,
                             strings);
                made++;
                if (at_weighting_hard((at_weighting)w)) {
                    double tie = g->tie;
                    assert_true(tie > 1e-15 && tie < 1e-3);
                    g->tie = 0; /* below 2e */
                    tight += means_wrong(&m, one ? 0 : 0x1p-20, &strings);
                    g->tie = 0.1; /* above the gap */
                    loose += means_wrong(&m, one ? 0 : 0x1p-20, &strings);
                    g->tie = tie;
                }
            }
            at_model_release(&m);
            at_program_free(P);
        }
    print_message(
        "%d programs right on %d strings, %d refused; with tie 0, %d strings wrong; with tie 0.1, %d\n", made,
        strings, refused, tight, loose);
    assert_int_equal(strings, 2 * STRINGS - 2);
    assert_true(tight > 1000 && loose > 10000);
}

/* ---- cosines --------------------------------------------------------------------------------------------------- */

enum { M = 17, N = 16, ROUNDS = 100 };

static at_program *cosines(at_weighting w)
{
    at_program *P = at_program_new("cosines", N);
    double c[M], s[M], half = sin(M_PI / M);
    for (int k = 0; k < M; k++) {
        c[k] = cos(2 * M_PI * k / M);
        s[k] = sin(2 * M_PI * k / M);
    }
    at_suffix(P, 1);
    at_var x = at_token(P, "x", M);
    at_var cosx = at_lookup(P, "cos", x, c), sinx = at_lookup(P, "sin", x, s);
    at_var blank = at_mark_suffix(P, "blank", 0);
    at_var found = at_attend(P, "found",
                             &(at_attention){.query = AT_VEC(cosx, sinx, at_const(P, 1)),
                                             .key = AT_VEC(cosx, at_neg(P, sinx), blank),
                                             .value = AT_VEC(at_position(P, "i", AT_POS_I)),
                                             .weighting = w,
                                             /* cos(2 pi k/M) - cos(2 pi (k+1)/M) is least at k = 0 */
                                             .gap = 2 * half * half * (1 - 1e-9)});
    at_emit(P, AT_VEC(found), AT_READ_ROUND, 0);
    return P;
}

/* The partner of x_i, else the nearest to one; the blank, behind all, is always a partner. */
static int cosines_right(at_weighting w, const double *x, int i)
{
    int chosen = -1;
    for (int j = 0; j <= N; j++) {
        bool partner = j == N || ((int)(x[i] + x[j])) % M == 0;
        if (partner && (chosen < 0 || w == AT_RIGHTMOST_HARD))
            chosen = j;
    }
    return chosen + 1;
}

static void test_cosines(void **state)
{
    (void)state;
    for (int w = AT_LEFTMOST_HARD; w <= AT_RIGHTMOST_HARD; w++) {
        at_program *P = cosines((at_weighting)w);
        at_model m;
        at_err err = {0};
        at_arena a;
        at_exec *e;
        at_scratch *s;
        at_output y;
        double x[N], value[N];
        int untied = 0;
        must(at_assemble(P, &m, NULL, &err), &err);
        at_arena_init(&a);
        must(at_exec_new(&m, at_f64, N, &e, &err), &err);
        must(at_scratch_new(e, &s, &err), &err);
        for (int round = 0; round < ROUNDS; round++) {
            at_rng r = at_rng_at(6, (uint64_t)round);
            for (int i = 0; i < N; i++)
                x[i] = (double)at_rng_below(&r, M);
            at_exec_run(e, s, x, 1, value);
            static const at_arith ariths[] = {
                {.kind = AT_F64}, {.kind = AT_F32}, {.kind = AT_BALL, .bits = 128}};
            for (int k = 0; k < 3; k++) {
                must(at_run(&m, ariths[k], &(at_input){N, x}, NULL, &a, &y, &err), &err);
                for (int i = 0; i < N; i++) {
                    assert_int_equal(y.decided[i], AT_TRUE);
                    assert_int_equal(y.decision[i], cosines_right((at_weighting)w, x, i));
                    assert_true(value[i] == y.decision[i]);
                }
            }
            double tie = m.blocks[0].groups[0].tie;
            m.blocks[0].groups[0].tie = 0;
            must(at_run(&m, at_f64, &(at_input){N, x}, NULL, &a, &y, &err), &err);
            for (int i = 0; i < N; i++)
                untied += y.decision[i] != cosines_right((at_weighting)w, x, i);
            m.blocks[0].groups[0].tie = tie;
        }
        print_message("%s: with tie 0, %d of %d positions wrong\n", at_weighting_names[w], untied,
                      ROUNDS * N);
        assert_true(untied > 0 || w == AT_RIGHTMOST_HARD);
        at_scratch_free(s);
        at_exec_free(e);
        at_arena_release(&a);
        at_model_release(&m);
        at_program_free(P);
    }
}

/* ---- proofs ---------------------------------------------------------------------------------------------------- */

typedef struct {
    double noise; /* error of the keys */
    bool inverse; /* the query is 1/i, else 1 */
    bool unique;
    at_weighting weighting;
    double gap;       /* of row i: gap / i where there are rows */
    bool rows;        /* gaps by position */
    double short_gap; /* of row 7; 0: as the others */
    const char *says; /* the refusal; NULL: none */
    double tie;       /* of the model, or -1: any in the interval */
} proof;

/* A boolean of error e, as in test_bounds. */
static at_var noisy(at_program *P, at_var value, double e)
{
    if (e == 0)
        return value;
    return at_attend(P, "noisy",
                     &(at_attention){.query = AT_VEC(at_const(P, 1)),
                                     .key = AT_VEC(at_const(P, 0)),
                                     .value = AT_VEC(value),
                                     .mask = {.kind = AT_MASK_CAUSAL},
                                     .gap = 1,
                                     .scale = 1,
                                     .error = e,
                                     .unique = true});
}

static void prove(const proof *p)
{
    at_program *P = at_program_new("proof", LONGEST);
    double gaps[LONGEST];
    for (int i = 0; i < LONGEST; i++)
        gaps[i] = i == 6 && p->short_gap > 0 ? p->short_gap : p->gap / (i + 1);
    at_var x = at_number(P, "x", at_token(P, "f", 2));
    at_var out = at_attend(
        P, "out",
        &(at_attention){.query = AT_VEC(p->inverse ? at_position(P, "q", AT_POS_INV_I) : at_const(P, 1)),
                        .key = AT_VEC(noisy(P, x, p->noise)),
                        .value = AT_VEC(x),
                        .weighting = p->weighting,
                        .unique = p->unique,
                        .gap = p->rows ? 0 : p->gap,
                        .gaps = p->rows ? gaps : NULL});
    at_emit(P, AT_VEC(out), AT_READ_RAW, 0);
    at_model m;
    at_err err = {0};
    at_status st = at_assemble(P, &m, NULL, &err);
    if (p->says) {
        assert_int_equal(st, AT_EDOMAIN);
        if (!strstr(err.text, p->says))
            fail_msg("'%s', not '%s'", err.text, p->says);
    } else {
        must(st, &err);
        const at_group *g = &m.blocks[m.n_blocks - 1].groups[0];
        if (g->tie != p->tie)
            fail_msg("tie %.17g, not %.17g", g->tie, p->tie);
    }
    at_model_release(&m);
    at_program_free(P);
}

static void test_proofs(void **state)
{
    (void)state;
    static const proof cases[] = {
        /* integers: exact, no tie; average-hard always has one */
        {.weighting = AT_LEFTMOST_HARD, .gap = 1, .tie = 0},
        {.weighting = AT_AVERAGE_HARD, .gap = 1, .tie = 0.5},
        /* errors: gap/2, while they stay below gap/4 */
        {.weighting = AT_LEFTMOST_HARD, .noise = 0.2, .gap = 1, .tie = 0.5},
        {.weighting = AT_RIGHTMOST_HARD, .noise = 0.24, .gap = 1, .tie = 0.5},
        {.weighting = AT_RIGHTMOST_HARD,
         .noise = 0.25,
         .gap = 1,
         .says = "attention out: score error 0.25 breaks its ties"},
        {.weighting = AT_AVERAGE_HARD,
         .noise = 0.25,
         .gap = 1,
         .says = "attention out: score error 0.25 breaks its ties"},
        /* one maximal key, or one value: below gap/2, no tie; average-hard sees who shares all the same */
        {.weighting = AT_LEFTMOST_HARD, .noise = 0.49, .gap = 1, .unique = true, .tie = 0},
        {.weighting = AT_LEFTMOST_HARD,
         .noise = 0.5,
         .gap = 1,
         .unique = true,
         .says = "attention out: score error 0.5 leaves nothing of the gap 1"},
        {.weighting = AT_AVERAGE_HARD,
         .noise = 0.3,
         .gap = 1,
         .unique = true,
         .says = "attention out: score error 0.3 breaks its ties"},
        /* rounding alone: 1/i is no integer */
        {.weighting = AT_LEFTMOST_HARD, .inverse = true, .gap = 0.0625, .tie = 0.03125},
        {.weighting = AT_LEFTMOST_HARD, .inverse = true, .gap = 0x1p-49, .says = "breaks its ties"},
        {.weighting = AT_LEFTMOST_HARD, .inverse = true, .gap = 0x1p-52, .says = "leaves nothing of the gap"},
        /* row by row: the error 0.1/i against the gap 0.5/i is fine in every row, though 0.1 is not against 0.05 */
        {.weighting = AT_RIGHTMOST_HARD,
         .noise = 0.1,
         .inverse = true,
         .unique = true,
         .gap = 0.05,
         .says = "leaves nothing of the gap 0.05"},
        {.weighting = AT_RIGHTMOST_HARD,
         .noise = 0.1,
         .inverse = true,
         .unique = true,
         .gap = 0.5,
         .rows = true,
         .tie = 0},
        {.weighting = AT_RIGHTMOST_HARD,
         .noise = 0.1,
         .inverse = true,
         .unique = true,
         .gap = 0.5,
         .rows = true,
         .short_gap = 0.02,
         .says = "leaves nothing of the gap 0.02 at position 7"},
        /* one tie for all rows: 0.02 (row 1) .. 0.05 - 0.002 (row 10) holds 0.025; five times the noise leaves nothing */
        {.weighting = AT_RIGHTMOST_HARD,
         .noise = 0.01,
         .inverse = true,
         .gap = 0.5,
         .rows = true,
         .tie = 0.025},
        {.weighting = AT_RIGHTMOST_HARD,
         .noise = 0.05,
         .inverse = true,
         .gap = 0.5,
         .rows = true,
         .says = "attention out: score error 0.05 breaks its ties"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        prove(&cases[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_means), cmocka_unit_test(test_cosines),
                                       cmocka_unit_test(test_proofs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
