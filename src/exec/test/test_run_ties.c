/* test_run_ties.c: which hard choices are sure: those that no rounding can turn. The judge is a run in balls of 300 bits, which knows the
 * choices over the reals. */
#include "../exec_internal.h"
#include "random_model.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

static const at_weighting hard[] = {AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD, AT_AVERAGE_HARD};

static void must(at_status st, const at_err *err)
{
    if (st)
        fail_msg("%s", err->text);
}

/* Do both runs give every key the same weight? */
static bool traces_equal(const at_trace *a, const at_trace *b)
{
    for (int h = 0; h < a->n_heads; h++)
        for (int k = 0; k < a->T * a->T; k++)
            if (!(a->heads[h].w[k] == b->heads[h].w[k]))
                return false;
    return true;
}

typedef struct {
    int sure, unsure, turned;
} tally;

/* Weights are multiples of `step`: scores tie over the reals, whatever step is, and hardly anything is exact unless it is
 * a power of 2. */
static void look(const random_spec *s, double step, at_arith arith, tally *n)
{
    at_model m;
    at_err err = {0};
    at_arena a;
    at_input x;
    at_output y;
    at_trace run, real;
    at_ties ties, none;
    at_arena_init(&a);
    must(random_model(s, &m, &err), &err);
    for (size_t k = 0; k < m.n_weights; k++)
        m.weights[k] *= step;
    must(random_input(&m, 6, s->seed, true, &a, &x, &err), &err);
    must(at_run(&m, arith, &x, &run, &a, &y, &err), &err);
    must(at_run_ties(&m, arith, &x, &ties, &err), &err);
    must(at_run(&m, (at_arith){.kind = AT_BALL, .bits = 300}, &x, &real, &a, &y, &err), &err);
    must(at_run_ties(&m, (at_arith){.kind = AT_BALL, .bits = 300}, &x, &none, &err), &err);
    assert_true(ties.choices > 0 && ties.choices == none.choices);
    bool same = traces_equal(&run, &real);
    if (!ties.unsure) { /* in f64 the choices of the run are those over the reals */
        n->sure++;
        assert_int_equal(none.unsure, 0);
        if (!same)
            fail_msg("%s, %s, seed %ju: called sure, and turned", at_weighting_names[s->weighting],
                     at_mask_names[s->mask], (uintmax_t)s->seed);
    } else {
        n->unsure++;
        n->turned += !same && !none.unsure;
    }
    at_arena_release(&a);
    at_model_release(&m);
}

static random_spec spec_of(int w, int mask, uint64_t seed, double tie)
{
    return (random_spec){.weighting = hard[w],
                         .mask = (at_mask_kind)mask,
                         .pos = RANDOM_NO_POS,
                         .post = (at_post)(seed % AT_POSTS),
                         .tie = tie,
                         .seed = seed,
                         .integers = true,
                         .no_bias = seed % 2,
                         .layers = 1,
                         .read = AT_READ_RAW};
}

/* Integers are exact: sure without a tie. Tenths are not: unsure without one, sure with one that is neither in reach of rounding nor of
 * the next score, unsure with one that is exactly the distance of two scores. */
static void sure_and_not(void **state)
{
    (void)state;
    tally whole = {0}, tenths = {0}, tied = {0}, edge = {0};
    for (int w = 0; w < 3; w++)
        for (int mask = 0; mask < AT_MASKS; mask++)
            for (uint64_t seed = 0; seed < 6; seed++) {
                random_spec s = spec_of(w, mask, seed, 0);
                look(&s, 1, at_f64, &whole);
                look(&s, 0.1, at_f64, &tenths);
                s.tie = 1e-9;
                look(&s, 0.1, at_f64, &tied);
                s.tie = 1;
                look(&s, 1, at_f64, &whole);
                s.tie = 0.1 * 0.1 * 0.1 * 0.1; /* of scores that are products of four tenths */
                look(&s, 0.1, at_f64, &edge);
            }
    print_message("integers: %d sure, %d not; tenths: %d sure, %d not (%d turned); with a tie: %d sure, %d "
                  "not; tie at a "
                  "distance of scores: %d sure, %d not\n",
                  whole.sure, whole.unsure, tenths.sure, tenths.unsure, tenths.turned, tied.sure, tied.unsure,
                  edge.sure, edge.unsure);
    assert_int_equal(whole.unsure, 0);
    assert_int_equal(tied.unsure, 0);
    assert_true(tenths.unsure > 80 && tenths.turned > 10 && edge.unsure > 10);
}

/* Reals, and thirds: scores that are merely near. */
static void never_wrong(void **state)
{
    (void)state;
    tally n = {0};
    for (int w = 0; w < 3; w++)
        for (int mask = 0; mask < AT_MASKS; mask++)
            for (uint64_t seed = 0; seed < 8; seed++) {
                random_spec s = spec_of(w, mask, seed, seed % 4 < 2 ? 0 : 0.25);
                s.integers = seed % 2;
                s.layers = 1 + seed % 2;
                look(&s, s.integers ? 1. / 3 : 1, at_f64, &n);
            }
    assert_true(n.sure > 50 && n.unsure > 10);
}

/* The first unsure choice is named. Keys of one value are sure whichever is chosen; and the ball of a run in which the set of
 * tied keys is not sure holds the rounded mean of equal values, which need not be the value: (0.1 + 0.1 + 0.1) / 3. */
static void named(void **state)
{
    (void)state;
    for (int w = 0; w < 3; w++)
        for (int same = 0; same < 2; same++) {
            random_spec s = {.weighting = hard[w],
                             .mask = AT_MASK_CAUSAL,
                             .pos = RANDOM_NO_POS,
                             .heads = 1,
                             .dk = 1,
                             .dv = 1,
                             .one_group = true,
                             .no_bias = true,
                             .tokens_only = true,
                             .layers = 1,
                             .read = AT_READ_RAW,
                             .rows = 1};
            at_model m;
            at_err err = {0};
            at_arena a;
            at_output y, ball;
            at_ties ties;
            at_arena_init(&a);
            must(random_model(&s, &m, &err), &err);
            memset(m.weights, 0, m.n_weights * sizeof *m.weights);
            at_group *g = &m.blocks[0].groups[0];
            g->scale = 1;
            /* coordinates: 0 and 4 add up to the key, 1 is the value, 2 the query, 3 receives the mix */
            at_model_data(&m, g->k)[0] = at_model_data(&m, g->k)[4] = 1;
            at_model_data(&m, g->v)[1] = at_model_data(&m, g->q)[2] = at_model_data(&m, g->o)[3] = 1;
            at_model_data(&m, m.readout.w)[3] = 1;
            at_model_data(&m, m.prefix.tensor)[0] = at_model_data(&m, m.suffix.tensor)[0] = -4;
            for (int token = 0; token < 3; token++) {
                double *e = at_model_data(&m, m.fields[0].embed.tensor) + token * m.width;
                e[0] = 0.1;
                e[1] = same ? 0.1 : token;
                e[2] = 1;
                e[4] = 0.2;
            }
            at_input x = {3, (double[]){0, 1, 2}};
            must(at_run_ties(&m, at_f64, &x, &ties, &err), &err);
            assert_int_equal(ties.choices, 5);
            assert_int_equal(ties.unsure, same ? 0 : 2); /* of two keys, of three; the last row has query 0 */
            if (!same)
                assert_true(ties.block == 0 && ties.group == 0 && ties.head == 0 && ties.query == 2);
            for (int any = 0; any < 2; any++) {
                must(at_run(&m, at_f64, &x, NULL, &a, &y, &err), &err);
                must(at_run_bound(&m, at_f64, &x, any, &a, &ball, &err), &err);
                for (int i = 0; i < y.n; i++)
                    assert_true(fabs(y.value[i] - ball.value[i]) <= ball.radius[i]);
            }
            g->tie = 0.01;
            must(at_run_ties(&m, at_f64, &x, &ties, &err), &err);
            assert_int_equal(ties.unsure, 0);
            at_arena_release(&a);
            at_model_release(&m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sure_and_not), cmocka_unit_test(never_wrong),
                                       cmocka_unit_test(named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
