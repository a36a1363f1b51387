/* test_bounds.c: the error bounds where they are tight, and the numbers that steps are made of.
 *
 * A dial turns an integer into a known amount of error: attention over two hidden keys of value 0 and 1, whose
 * scores differ by 1, with an explicit scale c, gives exactly 1/(1+e^c) instead of 0 (or 1 minus that instead of 1).
 * The error is promised to be that number, so the bounds after it can be compared with what happens. */
#include "../program_internal.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#define LEAST 0x1p-40 /* rounding, of steps and of the bounds: a dozen operations on numbers below 2^8 */

/* Hidden keys: prefix 0 has value 0, suffix 0 has value 1; user positions score far below both. */
typedef struct {
    at_program *P;
    at_var x, zero, one; /* the marks of the two keys */
} stand;

static stand stand_new(void)
{
    stand k = {.P = at_program_new("dial", 3)};
    at_prefix(k.P, 1);
    at_suffix(k.P, 1);
    at_var f = at_token(k.P, "f", 7);
    k.x = at_number(k.P, "x", f);
    k.zero = at_mark_prefix(k.P, "zero", 0);
    k.one = at_mark_suffix(k.P, "one", 0);
    return k;
}

/* The boolean `truth` (constant), off by e towards the other value. */
static at_var dial(stand k, const char *name, bool truth, double e)
{
    double c = log((1 - e) / e), most = 60 / c;
    /* scores: the true key most+1, the other most, a user's 0; the user's share is below e^-60 */
    at_var key = at_sum(k.P, NULL, AT_VEC(k.zero, k.one), (double[]){most + !truth, most + truth}, 0);
    return at_attend(k.P, name,
                     &(at_attention){.query = AT_VEC(at_const(k.P, 1)),
                                     .key = AT_VEC(key),
                                     .value = AT_VEC(k.one),
                                     .gap = 1,
                                     .scale = c,
                                     .error = e + 0x1p-50,
                                     .unique = true});
}

/* Runs the program on one token; the distance between weights and interpreter, and the bound. */
static double miss(stand k, at_var out, double token, double *value, double *bound)
{
    at_emit(k.P, AT_VEC(out), AT_READ_RAW, 0);
    at_err err = {0};
    at_model m;
    at_arena a;
    at_output y;
    double *want, x[1] = {token};
    at_arena_init(&a);
    if (at_assemble(k.P, &m, bound, &err))
        fail_msg("%s", err.text);
    assert_int_equal(at_program_run(k.P, &(at_input){1, x}, &a, &want, &err), AT_OK);
    assert_int_equal(at_run(&m, at_f64, &(at_input){1, x}, NULL, &a, &y, &err), AT_OK);
    double off = fabs(y.value[0] - want[0]);
    if (value)
        *value = y.value[0];
    if (off > *bound)
        fail_msg("off by %g, bound %g", off, *bound);
    at_arena_release(&a);
    at_model_release(&m);
    at_program_free(k.P);
    return off;
}

static void test_dial(void **state)
{
    (void)state;
    for (double e = 0.01; e < 0.46; e += 0.04)
        for (int truth = 0; truth < 2; truth++) {
            stand k = stand_new();
            double bound, off = miss(k, dial(k, "b", truth, e), 1, NULL, &bound);
            assert_true(fabs(off - e) < LEAST && fabs(bound - e) < LEAST);
        }
}

/* b ? x : y: the error of the selected one passes whole, that of the other not at all, that of b times the ranges. */
static void test_select(void **state)
{
    (void)state;
    double bound;
    for (int truth = 0; truth < 2; truth++) {
        stand k = stand_new(); /* x = 0 + 0.2, y = 1 - 0.1 */
        at_var x = dial(k, "p", false, 0.2), y = dial(k, "q", true, 0.1);
        at_var b = at_at_least(k.P, "b", k.x, truth ? 1 : 2);
        double off = miss(k, at_select(k.P, "s", b, x, y), 1, NULL, &bound);
        assert_true(fabs(off - (truth ? 0.2 : 0.1)) < LEAST && fabs(bound - 0.2) < LEAST);
    }
    stand k = stand_new(); /* ranges 5..8 and 0..1: 0.1 of b is worth up to 0.1 (3 + 1 + 5) */
    at_var b = dial(k, "b", true, 0.1),
           x = at_sum(k.P, NULL, AT_VEC(dial(k, "p", true, 0.2)), (double[]){3}, 5);
    double off = miss(k, at_select(k.P, "s", b, x, dial(k, "q", false, 0.1)), 1, NULL, &bound);
    assert_true(fabs(bound - (0.6 + 0.9)) < LEAST);
    assert_true(fabs(off - (0.6 + 0.1 * 3 + 0.1 * 5)) < LEAST);
}

static void test_logic_adds_errors(void **state)
{
    (void)state;
    stand k = stand_new();
    double bound,
        off = miss(k, at_and(k.P, "y", dial(k, "a", true, 0.1), dial(k, "b", true, 0.2)), 1, NULL, &bound);
    assert_true(fabs(off - 0.3) < LEAST && fabs(bound - 0.3) < LEAST);
    k = stand_new();
    off = miss(k, at_or(k.P, "y", dial(k, "a", false, 0.1), dial(k, "b", false, 0.2)), 1, NULL, &bound);
    assert_true(fabs(off - 0.3) < LEAST && fabs(bound - 0.3) < LEAST);
}

static void test_slopes(void **state)
{
    (void)state;
    stand k = stand_new();
    double bound, off = miss(k, at_ramp(k.P, "y", dial(k, "a", false, 0.1), 0, 0.5), 1, NULL, &bound);
    assert_true(fabs(off - 0.2) < LEAST && fabs(bound - 0.2) < LEAST);
    k = stand_new(); /* two trapezoids on top of each other: both slopes count */
    off = miss(k, at_near(k.P, "y", dial(k, "a", false, 0.1), (double[]){0.75, 0.75}, 2, 0.25, 0.5), 1, NULL,
               &bound);
    assert_true(fabs(off - 0.4) < LEAST && fabs(bound - 0.4) < LEAST);
}

/* Every integer step removes errors up to 0.499, from above and from below, at both ends of the range. */
static void test_integer_steps_remove_errors(void **state)
{
    (void)state;
    for (double e = 0.03; e < 0.499; e += 0.052)
        for (int truth = 0; truth < 2; truth++)
            for (int kind = 0; kind < 6; kind++) {
                stand k = stand_new();
                at_var b = dial(k, "b", truth, kind == 4 ? e / 2 : e), y = -1;
                at_var v = at_sum(k.P, NULL, AT_VEC(b), (double[]){-1}, 3); /* 2..3 */
                if (kind == 0)
                    y = at_at_least(k.P, "y", v, 3);
                else if (kind == 1)
                    y = at_equals(k.P, "y", v, 2);
                else if (kind == 2)
                    y = at_table(k.P, "y", v, (double[]){-7, 5.5});
                else if (kind == 3)
                    y = at_product(k.P, "y", at_add(k.P, v, k.x), at_sub(k.P, k.x, at_const(k.P, 3)));
                else if (kind == 4)
                    y = at_product(k.P, "y", v, at_neg(k.P, v));
                else
                    y = at_floor_div(k.P, "y", at_neg(k.P, v), 2);
                double bound, off = miss(k, y, 6, NULL, &bound);
                assert_true(bound < 0x1p-30 && off < LEAST); /* slopes of up to 2^9 */
            }
    /* 0.499 itself is refused: the slopes would be steeper than 2^9 */
    stand k = stand_new();
    at_emit(k.P, AT_VEC(at_equals(k.P, "y", dial(k, "b", true, 0.499), 1)), AT_READ_RAW, 0);
    at_model m;
    at_err err = {0};
    assert_int_equal(at_assemble(k.P, &m, NULL, &err), AT_EDOMAIN);
    at_program_free(k.P);
}

/* A noisy boolean carried past a deeper step: it may be below 0. */
static void test_carry_below_the_range(void **state)
{
    (void)state;
    stand k = stand_new();
    at_var b = at_not(k.P, dial(k, "b", false, 0.3));
    at_var low = at_sum(k.P, NULL, AT_VEC(b), (double[]){-1}, 1);             /* 0.3 for 0 */
    at_var under = at_min2(k.P, "under", at_neg(k.P, low), at_const(k.P, 5)); /* -0.3 for 0 */
    at_var deep = at_at_least(k.P, "deep", at_add(k.P, at_equals(k.P, "e", k.x, 2), k.x), 1);
    double bound, off = miss(k, at_max2(k.P, "y", under, at_neg(k.P, deep)), 2, NULL, &bound);
    assert_true(fabs(off - 0.3) < LEAST && fabs(bound - 0.3) < LEAST);
}

/* A comparison with a number far outside the range is constant, not rounded away. */
static void test_far_comparisons(void **state)
{
    (void)state;
    static const double far[] = {-0x1p60, -9, 0, 6, 9, 0x1p60};
    for (int i = 0; i < 6; i++)
        for (int equal = 0; equal < 2; equal++) {
            stand k = stand_new();
            double value, bound;
            miss(k, (equal ? at_equals : at_at_least)(k.P, "y", k.x, far[i]), 6, &value, &bound);
            assert_true(value == (equal ? far[i] == 6 : far[i] <= 6));
        }
}

/* Sparsemax with a gap whose reciprocal is not a double: in exact arithmetic the other keys get nothing. */
static void test_sparsemax_is_exact(void **state)
{
    (void)state;
    static const double gaps[] = {3, 7, 0.3, 49, 0.1};
    for (int g = 0; g < 5; g++) {
        at_program *P = at_program_new("sparse", 4);
        at_var f = at_token(P, "f", 5), v = at_number(P, "v", f);
        at_var y = at_attend(P, "y",
                             &(at_attention){.query = AT_VEC(at_const(P, gaps[g])),
                                             .key = AT_VEC(v),
                                             .value = AT_VEC(v),
                                             .gap = gaps[g],
                                             .weighting = AT_SPARSEMAX,
                                             .unique = true});
        at_emit(P, AT_VEC(at_scaled(P, 0x1p60, y)), AT_READ_RAW, 0);
        at_model m;
        at_err err = {0};
        at_arena a;
        at_output o;
        at_arena_init(&a);
        double x[4] = {1, 3, 4, 2};
        assert_int_equal(at_assemble(P, &m, NULL, &err), AT_OK);
        assert_int_equal(at_run(&m, (at_arith){.kind = AT_EXACT}, &(at_input){4, x}, NULL, &a, &o, &err),
                         AT_OK);
        assert_true(o.value[0] == ldexp(4, 60));
        at_arena_release(&a);
        at_model_release(&m);
        at_program_free(P);
    }
}

/* The softmax bound, with T-1 keys exactly one gap below: V T e^{-c gap} is missed by 1 - 1/T only. */
static void test_softmax_is_tight(void **state)
{
    (void)state;
    at_program *P = at_program_new("flat", 8);
    at_var f = at_token(P, "f", 2), v = at_number(P, "v", f);
    at_var y = at_attend(P, "y",
                         &(at_attention){.query = AT_VEC(at_const(P, 1)),
                                         .key = AT_VEC(v),
                                         .value = AT_VEC(v),
                                         .gap = 1,
                                         .scale = 9,
                                         .unique = true});
    at_emit(P, AT_VEC(y), AT_READ_RAW, 0);
    at_model m;
    at_err err = {0};
    at_arena a;
    at_output o;
    at_arena_init(&a);
    double x[8] = {1}, bound;
    assert_int_equal(at_assemble(P, &m, &bound, &err), AT_OK);
    assert_int_equal(at_run(&m, at_f64, &(at_input){8, x}, NULL, &a, &o, &err), AT_OK);
    assert_true(fabs(bound - 8 * exp(-9)) < LEAST);
    assert_true(1 - o.value[0] < bound && 1 - o.value[0] > 0.87 * bound);
    at_arena_release(&a);
    at_model_release(&m);
    at_program_free(P);
}

/* A scale that is far too small still has a bound: a mean stays in the range of its values. */
static void test_bound_is_never_above_the_range(void **state)
{
    (void)state;
    stand k = stand_new();
    at_var n = dial(k, "n", true, 0.2);
    at_var y =
        at_attend(k.P, "y",
                  &(at_attention){
                      .query = AT_VEC(n), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = 10, .scale = 1e6});
    double bound;
    miss(k, y, 6, NULL, &bound);
    assert_true(bound >= 6 && bound < 6 + LEAST);
}

/* A number is an odd multiple of 2 to its grain: of every size, subnormal ones too. */
static void test_grains(void **state)
{
    (void)state;
    at_rng r = at_rng_at(1, 0);
    assert_int_equal(grain_of(0), 2000);
    for (int e = -1074; e <= 1023; e++)
        for (int digits = 1; digits <= 53 && digits <= e + 1075; digits++) {
            uint64_t odd = at_rng_below(&r, (uint64_t)1 << (digits - 1)) | (uint64_t)1 << (digits - 1) | 1;
            int g = e - digits + 1;
            double c = ldexp((double)odd, g);
            assert_int_equal(grain_of(c), g);
            assert_int_equal(grain_of(-c), g);
        }
}

/* x in 0..1 and y, computed in f32 from numbers that cancel: x is 0.1 v[0] - 0.3 v[1], y the same of v[2], v[3]. Rounding takes
 * them off by up to their errors. Runs hardly reach these, so here the biases of the first layer do it: x below 0 by its error,
 * y off by its own in the direction where both errors add up. One unit carries x and cuts it off at 0, while y - x has it
 * still. */
static void test_cut_off(void **state)
{
    (void)state;
    for (int min = 0; min < 2; min++) {
        at_program *P = at_program_new("cut", 1);
        at_var v = at_ints(P, "v", 4, 0, 0x1p22), of[2];
        double coef[2] = {0.1, -0.3}, low = min ? -8 : 0; /* of y: x is the smaller one, or the larger one */
        for (int k = 0; k < 2; k++) {
            at_var sum = at_sum(P, NULL, AT_VEC(v + 2 * k, v + 2 * k + 1), coef, k ? low : 0);
            double from = k ? low : 0;
            of[k] = at_pass(P, k ? "y" : "x", at_known(P, NULL, sum, from, from + 1, false, -1));
        }
        at_emit(P, AT_VEC(min ? at_min2(P, "m", of[0], of[1]) : at_max2(P, "m", of[0], of[1])), AT_READ_RAW,
                0);
        at_program_arithmetic(P, at_f32);
        at_model m;
        at_err err = {0};
        double bound, *want, x[4] = {3, 1, 8, 1};
        assert_int_equal(at_assemble(P, &m, &bound, &err), AT_OK);
        double off[2] = {-at_program_var(P, of[0]).err, at_program_var(P, of[1]).err};
        assert_true(-off[0] > 0.1 && off[1] > 0.1);
        const at_dense *d = &m.blocks[0].dense[0];
        assert_int_equal(d->rows, 4); /* x, -x, y, -y, in some order */
        for (int r = 0; r < 4; r++) {
            const double *w = at_model_data(&m, d->w) + (size_t)r * (size_t)m.width;
            double a = w[0] != 0 ? w[0] : w[2];
            at_model_data(&m, d->b)[r] += off[w[0] == 0] * (a > 0 ? 1 : -1);
        }
        at_arena a;
        at_arena_init(&a);
        at_output y;
        assert_int_equal(at_program_run(P, &(at_input){1, x}, &a, &want, &err), AT_OK);
        assert_int_equal(at_run(&m, at_f64, &(at_input){1, x}, NULL, &a, &y, &err), AT_OK);
        double miss = fabs(y.value[0] - want[0]);
        assert_true(miss > 0.99 * (off[1] - off[0])); /* they do add up */
        if (miss > bound)
            fail_msg("off by %g, bound %g", miss, bound);
        at_arena_release(&a);
        at_model_release(&m);
        at_program_free(P);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dial),
        cmocka_unit_test(test_select),
        cmocka_unit_test(test_logic_adds_errors),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_integer_steps_remove_errors),
        cmocka_unit_test(test_carry_below_the_range),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_far_comparisons),
        cmocka_unit_test(test_sparsemax_is_exact),
        cmocka_unit_test(test_softmax_is_tight),
        cmocka_unit_test(test_bound_is_never_above_the_range),
        cmocka_unit_test(test_grains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
