/* test_reference.c: the reference against the naive twin, in one loop over the tables.
 *
 * Every weighting x mask x position encoding (or none), twice: with random real weights, with norms,
 * activations, posts and readouts in rotation; and with weights in {-1, 0, 1} and whole inputs, where scores tie.
 * Each model runs in every arithmetic:
 *   p-bit   equals the MPFR twin that follows the same rounding rules, bit for bit, NaN for NaN;
 *   ball    of 128, 64, 24 and 10 bits contains the 300-bit value; its radius is at most 2^-20 at 128 bits, unless a tie between inexact
 *           scores makes it undecided (tied pass, positions that are not integers);
 *   exact   gives the double nearest to the 300-bit value, or 2^-250 apart (the twin rounds, exact does not);
 *   f32, f64, p-bit   lie in the ball of at_run_bound. That bound is no guess: it is ball arithmetic on the same
 *           operations, each result widened by that operation's rounding error, so containment holds
 *           by induction over operations. The test of its sharpness is the count of radii below 2^-20 (f64).
 * Refused: exact with anything irrational, by a rule written here a second time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../exec_internal.h"
#include "../../core/test/test_scale.h"
#include "naive.h"
#include "random_model.h"

static const at_arith formats[] = {{AT_PBIT, 3, 3},  {AT_PBIT, 5, 4},   {AT_PBIT, 8, 8},   {AT_PBIT, 11, 10},
                                   {AT_PBIT, 24, 8}, {AT_PBIT, 26, 10}, {AT_PBIT, 37, 10}, {AT_PBIT, 53, 10}};
enum { FORMATS = sizeof formats / sizeof *formats, MOST = NAIVE_MAX * NAIVE_MAX };

typedef struct {
    int models, runs, refused, unknown, nan, wide_balls, sharp, bounds;
} tally;

static bool same(double a, mpfr_t b)
{
    return isnan(a) ? mpfr_nan_p(b) : a == mpfr_get_d(b, MPFR_RNDN) && !mpfr_nan_p(b);
}

/* |value - twin| <= radius, the difference exact enough: the twin has 300 bits. */
static bool within(double value, double radius, mpfr_t twin)
{
    mpfr_t d;
    mpfr_init2(d, 400);
    mpfr_sub_d(d, twin, value, MPFR_RNDN);
    bool in = !mpfr_nan_p(d) && mpfr_cmp_d(d, radius) <= 0 && mpfr_cmp_d(d, -radius) >= 0;
    mpfr_clear(d);
    return in;
}

static bool irrational(const random_spec *s)
{
    return s->read == AT_READ_SOFTMAX || s->weighting == AT_SOFTMAX || s->weighting == AT_LINEAR ||
           s->weighting == AT_THREEWISE || s->pos == AT_POS_SINUSOIDAL || s->pos == AT_POS_SQRT_PAIR ||
           s->norm != AT_NORM_NONE || s->final_norm || s->act != AT_ACT_RELU;
}

/* Values of a run in f32, f64 or p-bit lie in the bound's balls; an unbounded ball bounds nothing. */
static void bound_check(const at_model *m, at_arith a, const at_input *x, const at_output *y, at_arena *arena,
                        tally *n)
{
    for (int any = 0; any < 2; any++) {
        at_output b;
        assert_int_equal(at_run_bound(m, a, x, any, arena, &b, NULL), AT_OK);
        for (int k = 0; k < y->n * y->rows; k++) {
            if (!isfinite(b.radius[k]))
                continue;
            if (!(fabs(y->value[k] - b.value[k]) <= b.radius[k]))
                fail_msg("value %.17g outside %.17g +- %.3g", y->value[k], b.value[k], b.radius[k]);
            if (a.kind == AT_F64 && !any) {
                n->bounds++;
                n->sharp += b.radius[k] <= 0x1p-20;
            }
        }
    }
}

static void one_model(const random_spec *s, int length, int turn, bool integral, tally *n)
{
    at_model m;
    at_err err = {0};
    at_arena arena;
    at_input x;
    at_output y;
    at_arena_init(&arena);
    if (random_model(s, &m, &err))
        fail_msg("%s", err.text);
    assert_int_equal(random_input(&m, length, s->seed, s->integers, &arena, &x, &err), AT_OK);
    mpfr_t *real = at_new(&arena, mpfr_t, MOST), *twin = at_new(&arena, mpfr_t, MOST);
    int count = naive_run(&m, 0, 0, &x, real);
    n->models++;

    for (int f = 0; f < 3; f++) {
        at_arith a = formats[(turn + f % 2 * FORMATS / 2) % FORMATS];
        naive_quotient = f == 2 && a.exp_bits < 11;
        a.kind = naive_quotient ? AT_QUOTIENT : AT_PBIT;
        assert_int_equal(at_run(&m, a, &x, NULL, &arena, &y, &err), AT_OK);
        assert_int_equal(y.n * y.rows, count);
        assert_int_equal(naive_run(&m, a.bits, a.exp_bits, &x, twin), count);
        for (int k = 0; k < count; k++) {
            if (!same(y.value[k], twin[k]))
                fail_msg("%c%de%d %s %s pos %d: %.17g, twin %.17g", "pq"[f == 2], a.bits, a.exp_bits,
                         at_weighting_names[s->weighting], at_mask_names[s->mask], s->pos, y.value[k],
                         mpfr_get_d(twin[k], MPFR_RNDN));
            n->nan += !isfinite(y.value[k]);
            mpfr_clear(twin[k]);
        }
        for (int k = 0; k < y.n * y.width; k++) {
            bool finite = true;
            for (int r = 0; r < y.rows; r++)
                if (y.width == y.rows ? r == k % y.width : true)
                    finite = finite && isfinite(y.value[k / y.width * y.rows + r]);
            assert_true(finite || y.decided[k] == AT_UNKNOWN);
        }
        if (f % 2 == 0)
            bound_check(&m, a, &x, &y, &arena, n);
        n->runs++;
    }
    naive_quotient = false;

    for (int b = 0; b < 4; b++) {
        at_arith ball = {AT_BALL, (int[]){128, 64, 24, 10}[b], 0};
        assert_int_equal(at_run(&m, ball, &x, NULL, &arena, &y, &err), AT_OK);
        n->runs++;
        for (int k = 0; k < count; k++) {
            /* The 300-bit judge rounds too (an average over three keys), where a ball may be a point. */
            if (isfinite(y.radius[k]) && !within(y.value[k], y.radius[k] + 0x1p-250, real[k]))
                fail_msg("ball%d %.17g +- %.3g does not contain %.17g", ball.bits, y.value[k], y.radius[k],
                         mpfr_get_d(real[k], MPFR_RNDN));
            if (b == 0 && integral && !(y.radius[k] <= 0x1p-20))
                fail_msg("%s %s pos %d: radius %g", at_weighting_names[s->weighting], at_mask_names[s->mask],
                         s->pos, y.radius[k]);
            n->wide_balls += b == 0 && y.radius[k] > 0x1p-20;
        }
        for (int k = 0; b == 0 && k < y.n * y.width; k++)
            n->unknown += y.decided[k] == AT_UNKNOWN;
    }

    at_arith exact = {AT_EXACT, 0, 0};
    at_err why = {0};
    at_status st = at_run(&m, exact, &x, NULL, &arena, &y, &why);
    assert_int_equal(st, irrational(s) ? AT_EREFUSED : AT_OK);
    assert_int_equal(at_arith_supports(&m, exact, NULL), st);
    n->refused += st == AT_EREFUSED;
    n->runs += st == AT_OK;
    for (int k = 0; !st && k < count; k++)
        if (!same(y.value[k], real[k]) && !within(y.value[k], 0x1p-250, real[k]))
            fail_msg("exact %.17g, twin %.17g", y.value[k], mpfr_get_d(real[k], MPFR_RNDN));

    for (int f = 0; f < 2; f++) {
        assert_int_equal(at_run(&m, f ? at_f64 : at_f32, &x, NULL, &arena, &y, &err), AT_OK);
        bound_check(&m, f ? at_f64 : at_f32, &x, &y, &arena, n);
        n->runs++;
    }
    for (int k = 0; k < count; k++)
        mpfr_clear(real[k]);
    at_arena_release(&arena);
    at_model_release(&m);
}

static bool integer_valued(at_pos_kind pos)
{
    return pos == AT_POS_I || pos == AT_POS_N || pos == AT_POS_ALTERNATE || pos == AT_POS_TABLE ||
           pos == RANDOM_NO_POS;
}

/* How many there are of them. */
static int every_combination(bool tied, tally *n)
{
    int turn = 0, asked = 0;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int mask = 0; mask < AT_MASKS; mask++)
            for (int pos = 0; pos <= RANDOM_NO_POS; pos++, turn++) {
                if (TEST_SCALE > 1 && (w + mask + pos) % 2 == tied)
                    continue; /* each once, tied or not */
                asked++;
                random_spec s = {.weighting = w, .mask = mask, .pos = pos, .seed = (uint64_t)turn * 2 + tied};
                s.integers = tied;
                s.norm = tied ? AT_NORM_NONE : turn % AT_NORMS;
                s.act = tied ? AT_ACT_RELU : turn % AT_ACTS;
                s.final_norm = !tied && turn % 5 == 0;
                s.post = turn % AT_POSTS;
                s.read = turn / 2 % AT_READS;
                s.last = turn % 7 == 0;
                s.no_bias = turn % 4 == 3;
                s.tie = turn % 2 ? 0.25 : 0;
                one_model(&s, 3 + turn % 4, turn, !tied || integer_valued(s.pos), n);
            }
    return asked;
}

static void report(const char *what, const tally *n)
{
    print_message(
        "%s: %d models, %d runs, %d combinations refused in exact; p-bit values not finite %d; ball: unknown "
        "decisions %d, radii over 2^-20 %d; f64 bounds below 2^-20: %d of %d\n",
        what, n->models, n->runs, n->refused, n->nan, n->unknown, n->wide_balls, n->sharp, n->bounds);
}

static void random_models(void **state)
{
    (void)state;
    tally n = {0};
    int asked = every_combination(false, &n);
    report("random", &n);
    assert_int_equal(n.models, asked);
    assert_true(asked >= AT_WEIGHTINGS * AT_MASKS * (RANDOM_NO_POS + 1) / (TEST_SCALE > 1 ? 2 : 1));
    assert_true(n.nan > 0);                   /* overflow occurs and is compared */
    assert_true(10 * n.sharp > 9 * n.bounds); /* the bounds are of use */
}

static void tied_models(void **state)
{
    (void)state;
    tally n = {0};
    every_combination(true, &n);
    report("tied", &n);
    assert_true(n.refused < n.models * 3 / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_models), cmocka_unit_test(tied_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
