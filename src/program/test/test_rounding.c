/* test_rounding.c: programs whose numbers are as large as the arithmetic holds are refused, or right.
 *
 * A program is drawn from the steps of the IR, over inputs and constants whose sizes are log-uniform up to 2^53 in f64 and
 * 2^24 in f32. It is assembled for that arithmetic and run by the reference and by the fast executor in it. A program
 * counts as refused where at_assemble says so, or where the bound on an integer that it puts out is 1/4 or more; every
 * other one must lie within its bounds, at every output and position. Inputs are drawn to be equal, next to each other or
 * at the ends of their ranges, so that comparisons are decided by the last unit.
 *
 * Formats of few bits, or whose exponents end early, hold less: there weights, scores, sums and scales overflow, and what is
 * small underflows. The same is asked of them, by the reference executor.
 *
 * The control assembles the same programs for real numbers, and must find some of them wrong. */
#include "../../core/test/test_scale.h"

#include <attest/program.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define PROGRAMS 50000 /* of each arithmetic */
#define FEW      1500  /* of each other format */
#define FIELDS   3
#define ROW      (FIELDS + 2)
#define POOL     40
#define OUT      3

typedef struct {
    at_program *P;
    at_rng r;
    int bits, N, serial;
    bool narrow; /* a format whose smallest numbers are met */
    double lo[FIELDS], hi[FIELDS], real;
    at_var any[POOL], ints[POOL], bools[POOL], out[OUT], index, square;
    int n_any, n_ints, n_bools;
    char name[16];
} maker;

static int below(maker *k, int n)
{
    return (int)at_rng_below(&k->r, (uint64_t)n);
}

/* An integer whose size is log-uniform up to 2^bits. */
static double large(maker *k, int bits)
{
    int e = below(k, bits + 1);
    uint64_t top = (uint64_t)1 << e, rest = e ? at_rng_below(&k->r, top) : 0;
    double x = (double)((top + rest) / (below(k, 3) ? 1 : 2));
    return fmin(x, ldexp(1, bits));
}

static const char *fresh(maker *k)
{
    snprintf(k->name, sizeof k->name, "v%d", k->serial++);
    return k->name;
}

static void keep(maker *k, at_var v)
{
    if (v < 0 || k->n_any == POOL)
        return;
    at_var_info i = at_program_var(k->P, v);
    if (fmax(fabs(i.lo), fabs(i.hi)) > ldexp(1, k->bits))
        return;
    k->any[k->n_any++] = v;
    if (i.integer)
        k->ints[k->n_ints++] = v;
    if (i.integer && i.lo >= 0 && i.hi <= 1)
        k->bools[k->n_bools++] = v;
}

/* Mostly of the latest. */
static at_var one_of(maker *k, const at_var *v, int n)
{
    int back = below(k, n), near = below(k, n);
    return v[n - 1 - (back < near ? back : near)];
}

static at_var any(maker *k)
{
    return one_of(k, k->any, k->n_any);
}

static at_var integer(maker *k)
{
    return one_of(k, k->ints, k->n_ints);
}

static at_var boolean(maker *k)
{
    return one_of(k, k->bools, k->n_bools);
}

static at_var small(maker *k)
{
    for (int t = 0; t < 8; t++) {
        at_var v = integer(k);
        at_var_info i = at_program_var(k->P, v);
        if (i.hi - i.lo <= 12)
            return v;
    }
    return k->index;
}

/* A number near or in the range of v. */
static double threshold(maker *k, at_var v)
{
    at_var_info i = at_program_var(k->P, v);
    double d[] = {i.lo, i.hi, 0, 1, floor((i.lo + i.hi) / 2), large(k, k->bits)};
    return d[below(k, 6)] + below(k, 3) - 1;
}

static void attention_add(maker *k)
{
    at_program *P = k->P;
    static const at_weighting kinds[] = {AT_SOFTMAX,      AT_SOFTMAX,       AT_SOFTMAX,
                                         AT_AVERAGE_HARD, AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD,
                                         AT_SPARSEMAX,    AT_THREEWISE,     AT_LINEAR};
    static const double errors[] = {0, 0x1p-64, 0x1p-40, 0.01, 0.2};
    at_var t = at_scaled(P, 2, small(k)), one = at_const(P, 1), minus = at_const(P, -1);
    at_var v[2] = {below(k, 2) ? integer(k) : any(k), any(k)}, v2[2] = {boolean(k), one};
    bool copy = below(k, 2), scores = below(k, 4) == 0; /* else scores are anything that differs by its gap */
    at_attention a = {.value = {1 + below(k, 2), v},
                      .value2 = {0, v2},
                      .gap = 1,
                      .unique = true,
                      .most = below(k, 2),
                      .mask = {.kind = below(k, AT_MASK_BLOCK_SPARSE)},
                      .weighting = copy ? AT_SOFTMAX : kinds[below(k, 9)],
                      .error = errors[below(k, 5)]};
    a.value2.n = a.value.n;
    at_var onehot[2] = {boolean(k), -1}, keys[2] = {boolean(k), -1}, score = integer(k);
    at_var near[4] = {t, minus, t, minus}, left[4] = {k->index, k->square, one, one},
           right[4] = {one, one, k->index, k->square};
    if (a.weighting == AT_LINEAR) {
        onehot[1] = at_not(P, onehot[0]);
        keys[1] = at_not(P, keys[0]);
        a.query = (at_vec){2, onehot};
        a.key = (at_vec){2, keys};
        a.unique = false;
        a.most = 0;
    } else if (scores) {
        a.query = (at_vec){1, &one};
        a.key = a.key2 = (at_vec){1, &score};
        a.unique = false;
        a.most = 0;
    } else { /* the key whose index is nearest to t: one only */
        int n = a.weighting == AT_THREEWISE ? 4 : 2;
        a.query = (at_vec){n, near};
        a.key = (at_vec){n, left};
        a.key2 = (at_vec){n, right};
    }
    at_var out = at_attend(P, fresh(k), &a);
    for (int i = 0; i < a.value.n && out >= 0; i++)
        keep(k, out + i);
}

static void copy_add(maker *k, at_copier *c)
{
    static at_copy_fn *const copies[] = {at_copy_standard, at_copy_linear};
    at_var out = copies[below(k, 2)](c, fresh(k), k->index, AT_VEC(integer(k)), below(k, 2));
    keep(k, out);
}

static void point_add(maker *k)
{
    at_program *P = k->P;
    double table[16], coef[2] = {below(k, 5) - 2, 1 - 2 * below(k, 2)}, a;
    at_var x = any(k), y = any(k), z = integer(k), s = small(k);
    for (int t = 0; t < 16; t++)
        table[t] = large(k, k->bits) * (below(k, 4) ? 1 : -0.1);
    switch (below(k, 15)) {
    case 0:
    case 1:
        keep(k, at_select(P, fresh(k), boolean(k), x, y));
        break;
    case 2:
        z = at_sub(P, z, integer(k));
        keep(k, at_select(P, fresh(k), at_at_least(P, "ge", z, 0), x, y)); /* if z >= y then .. */
        break;
    case 3:
        keep(k, at_max2(P, fresh(k), x, y));
        break;
    case 4:
        keep(k, at_min2(P, fresh(k), x, y));
        break;
    case 5:
        keep(k, at_absolute(P, fresh(k), x));
        break;
    case 6:
        keep(k, at_at_least(P, fresh(k), z, threshold(k, z)));
        break;
    case 7:
        keep(k, at_equals(P, fresh(k), z, threshold(k, z)));
        break;
    case 8:
        keep(k, below(k, 2) ? at_and(P, fresh(k), boolean(k), boolean(k))
                            : at_or(P, fresh(k), boolean(k), at_not(P, boolean(k))));
        break;
    case 9:
        if (at_program_var(P, s).hi - at_program_var(P, s).lo < 16)
            keep(k, at_table(P, fresh(k), s, table));
        break;
    case 10:
        keep(k, at_product(P, fresh(k), s, small(k)));
        break;
    case 11:
        keep(k, at_floor_div(P, fresh(k), s, 1 + below(k, 4)));
        break;
    case 12:
        a = floor(large(k, k->bits));
        keep(k, at_ramp(P, fresh(k), x, a, a + large(k, 8)));
        break;
    case 13:
        keep(k, at_relu(P, fresh(k), x));
        break;
    default:
        if (below(k, 3) == 0)
            coef[0] *= 0.3;
        keep(k, at_sum(P, below(k, 2) ? fresh(k) : NULL, AT_VEC(x, y), coef,
                       below(k, 2) ? 0 : large(k, k->bits)));
    }
}

static void make(maker *k)
{
    at_program *P = k->P = at_program_new("large", k->N = 1 + below(k, 4));
    assert_non_null(P);
    for (int f = 0; f < FIELDS; f++) {
        k->hi[f] = large(k, k->bits);
        k->lo[f] = below(k, 2) ? 0 : -large(k, k->bits);
        keep(k, at_ints(P, (char[]){(char)('a' + f), 0}, 1, k->lo[f], k->hi[f]));
    }
    k->real = large(k, k->bits) / (below(k, 2) ? 1 : k->narrow ? ldexp(1, below(k, 20)) : 8);
    keep(k, at_reals(P, "x", 1, -k->real, k->real));
    at_var t = at_token(P, "t", 4);
    double rows[4] = {large(k, k->bits), 0.1 * large(k, 9), -large(k, k->bits), 1};
    keep(k, at_lookup(P, "rows", t, rows));
    keep(k, at_at_least(P, "half", at_number(P, "number", t), 2));
    at_copier *c = NULL;
    if (below(k, 4) == 0) {
        c = at_copier_new(P, &(at_copying){.length = k->N, .error = below(k, 2) ? 0x1p-64 : 0});
        assert_non_null(c);
    }
    keep(k, k->index = at_position(P, "i", AT_POS_I));
    k->square = at_position(P, "ii", AT_POS_I2);
    if (below(k, 4) == 0)
        keep(k, at_position(P, "1/i", AT_POS_INV_I));
    for (int steps = 1 + below(k, 10); steps > 0; steps--)
        if (below(k, 4))
            point_add(k);
        else if (c && below(k, 2))
            copy_add(k, c);
        else
            attention_add(k);
    at_copier_free(c);
    k->out[0] = k->ints[k->n_ints - 1];
    k->out[1] = k->any[k->n_any - 1];
    k->out[2] = any(k);
    at_emit(P, (at_vec){OUT, k->out}, AT_READ_RAW, 0);
}

static double number_in(maker *k, double lo, double hi, double near)
{
    double d[] = {lo, hi, 0, floor(lo + (hi - lo) * at_rng_unit(&k->r)), near, near + 1, near - 1};
    return fmax(lo, fmin(hi, d[below(k, 7)]));
}

static void input_make(maker *k, double *v)
{
    double last = 0;
    for (int t = 0; t < k->N; t++, v += ROW) {
        for (int f = 0; f < FIELDS; f++)
            last = v[f] = number_in(k, k->lo[f], k->hi[f], last);
        v[FIELDS] = k->real * (2 * at_rng_unit(&k->r) - 1);
        v[FIELDS + 1] = below(k, 4);
    }
}

typedef struct {
    int assembled, refused, vague, wrong, compared;
    int mistaken;   /* integers that round to another one */
    double closest; /* largest error / bound, of bounds above 0 */
} census;

static bool is_right(const maker *k, const double *value, const double *want, census *y)
{
    bool right = true;
    for (int i = 0; i < k->N * OUT; i++) {
        double bound = at_program_var(k->P, k->out[i % OUT]).err, miss = fabs(value[i] - want[i]);
        right = right && miss <= bound;
        y->compared++;
        y->mistaken += at_program_var(k->P, k->out[i % OUT]).integer && !(miss < 0.5);
        if (bound > 0)
            y->closest = fmax(y->closest, miss / bound);
    }
    return right;
}

static bool runs_right(const maker *k, const at_model *m, at_arith a, const double *x, census *y)
{
    at_arena arena;
    at_arena_init(&arena);
    at_output o;
    at_err err = {0};
    at_input in = {k->N, x};
    at_exec *e;
    at_scratch *s;
    double *want, value[4 * OUT];
    if (at_program_run(k->P, &in, &arena, &want, &err) || at_run(m, a, &in, NULL, &arena, &o, &err))
        fail_msg("%s", err.text);
    bool right = is_right(k, o.value, want, y);
    if (a.kind != AT_PBIT) {
        if (at_exec_new(m, a, k->N, &e, &err) || at_scratch_new(e, &s, &err))
            fail_msg("%s", err.text);
        at_exec_run(e, s, x, 1, value);
        right = right && is_right(k, value, want, y);
        at_scratch_free(s);
        at_exec_free(e);
    }
    at_arena_release(&arena);
    return right;
}

/* Are the integers that it puts out told apart? */
static bool is_vague(const maker *k)
{
    for (int o = 0; o < OUT; o++) {
        at_var_info i = at_program_var(k->P, k->out[o]);
        if (i.integer && !(i.err < 0.25))
            return true;
    }
    return false;
}

static census run_many(at_arith runs, at_arith assembled, int programs, bool control)
{
    census y = {0};
    for (int s = 0; s < programs; s++) {
        at_pfmt f = at_pfmt_of(runs);
        maker k = {.r = at_rng_at(77, (uint64_t)s),
                   .bits = f.p < f.emax ? f.p : f.emax,
                   .narrow = runs.kind == AT_PBIT};
        make(&k);
        at_program_arithmetic(k.P, assembled);
        if (s % 4 == 3)
            at_program_narrow(k.P);
        at_model m;
        at_err err = {0};
        at_status st = at_assemble(k.P, &m, NULL, &err);
        if (st) {
            if (st != AT_EDOMAIN || !strstr(err.text, "program large: "))
                fail_msg("program %d: %s", s, err.text);
            y.refused++;
        } else if (is_vague(&k)) {
            y.vague++;
            at_model_release(&m);
        } else {
            double x[4 * ROW];
            bool right = true;
            for (int run = 0; run < 2 && right; run++) {
                input_make(&k, x);
                right = runs_right(&k, &m, runs, x, &y);
            }
            y.assembled++;
            y.wrong += !right;
            if (!right && !control) {
                at_text t;
                at_text_init(&t);
                at_program_print(k.P, &t);
                for (int i = 0; i < k.N * ROW; i++)
                    at_text_addf(&t, "%.17g ", x[i]);
                fail_msg("program %d is wrong\n%s", s, t.s);
            }
            at_model_release(&m);
        }
        at_program_free(k.P);
    }
    char name[16];
    at_arith_name(runs, name);
    print_message("%s%s: %d assembled, %d refused, %d vague, %d wrong; %d values, %d integers mistaken, "
                  "worst error/bound "
                  "%.3g\n",
                  name, control ? ", bounds of real numbers" : "", y.assembled, y.refused, y.vague, y.wrong,
                  y.compared, y.mistaken, y.closest);
    return y;
}

static void test_right_or_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        at_arith a = k ? at_f32 : at_f64;
        census y = run_many(a, a, TEST_SCALED(PROGRAMS), false);
        assert_int_equal(y.wrong + y.mistaken, 0);
        assert_true(y.assembled > TEST_SCALED(PROGRAMS / 2));
        assert_true(y.closest > 0.25); /* the bounds are not idle */
    }
}

static void test_formats(void **state)
{
    (void)state;
    static const int formats[][2] = {{11, 5}, {8, 8}, {8, 3}, {16, 5}, {24, 5}, {40, 10}, {4, 4}};
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        at_arith a = {.kind = AT_PBIT, .bits = formats[k][0], .exp_bits = formats[k][1]};
        census y = run_many(a, a, TEST_SCALED(FEW), false);
        assert_int_equal(y.wrong + y.mistaken, 0);
        assert_true(y.assembled > TEST_SCALED(FEW) / 40);
    }
}

static void test_control(void **state)
{
    (void)state;
    at_arith real = {.kind = AT_EXACT};
    for (int k = 0; k < 2; k++) {
        census y = run_many(k ? at_f32 : at_f64, real, 2000, true);
        assert_true(y.wrong > 20 && y.mistaken > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_or_refused),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
