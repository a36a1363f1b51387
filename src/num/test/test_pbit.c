/* test_pbit.c: p-bit arithmetic against MPFR, bit for bit.
 *
 * The judge computes in MPFR at precision p with the format's exponent range and mpfr_subnormalize, which
 * is MPFR's own definition of such a format. Nothing of the code under test is used to judge, except
 * that operands are put into a format by the judge's own rounding. NaNs are equal to each other.
 *
 * Formats: every p in 2..53, exponents of 3, 4, 5, 8 and 10 bits, and p53e11. Small formats are exhausted.
 * Shows: arithmetic exact every pair of p4e4 and p5e3, every operand of p8e5 and p11e5
 * Shows: arithmetic sampled all p in 2..53, five exponent widths, random, correlated and edge operands */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../core/test/test_scale.h"

#include <attest/num.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { ADD, SUB, MUL, DIV, SQRT, ROUND, EXP, GELU, SIN, COS } op;
static const char *const op_name[] = {"add",   "sub", "mul",  "div", "sqrt",
                                      "round", "exp", "gelu", "sin", "cos"};
static long checked;

/* ---- the judge ---------------------------------------------------------------------------------- */

/* x*erfc(-x/sqrt2)/2 with far more bits than the distance to a midpoint can hide in: near 0 the term
 * after x/2 is smaller by a factor |x| >= 2^-1074. */
static int judge_gelu(mpfr_t z, double x)
{
    if (x == -INFINITY) /* the limit; MPFR sees -inf * 0 */
        return mpfr_set_zero(z, -1), 0;
    mpfr_t t, r;
    mpfr_inits2(fabs(x) < 0x1p-40 ? 1300 : 160, t, r, (mpfr_ptr)0);
    mpfr_sqrt_ui(r, 2, MPFR_RNDN);
    mpfr_d_div(t, -x, r, MPFR_RNDN);
    mpfr_erfc(t, t, MPFR_RNDN);
    mpfr_mul_d(t, t, x, MPFR_RNDN);
    mpfr_div_2ui(t, t, 1, MPFR_RNDN);
    int inexact = mpfr_set(z, t, MPFR_RNDN);
    mpfr_clears(t, r, (mpfr_ptr)0);
    return inexact;
}

/* z, rounded with unlimited exponent and ternary value t, into the format. MPFR's significands lie
 * in [1/2, 1), so its exponents are one higher than IEEE's. */
static double judge_range(const at_pfmt *f, mpfr_t z, int t)
{
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_emin(f->emin - f->p + 2);
    mpfr_set_emax(f->emax + 1);
    t = mpfr_check_range(z, t, MPFR_RNDN);
    mpfr_subnormalize(z, t, MPFR_RNDN);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    return mpfr_get_d(z, MPFR_RNDN);
}

static double judge(const at_pfmt *f, op o, double x, double y)
{
    MPFR_DECL_INIT(a, 53);
    MPFR_DECL_INIT(b, 53);
    mpfr_t z;
    mpfr_init2(z, f->p);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    int t = 0;
    switch (o) {
    case ADD:
        t = mpfr_add(z, a, b, MPFR_RNDN);
        break;
    case SUB:
        t = mpfr_sub(z, a, b, MPFR_RNDN);
        break;
    case MUL:
        t = mpfr_mul(z, a, b, MPFR_RNDN);
        break;
    case DIV:
        t = mpfr_div(z, a, b, MPFR_RNDN);
        break;
    case SQRT:
        t = mpfr_sqrt(z, a, MPFR_RNDN);
        break;
    case ROUND:
        t = mpfr_set(z, a, MPFR_RNDN);
        break;
    case EXP:
        t = mpfr_exp(z, a, MPFR_RNDN);
        break;
    case SIN:
        t = mpfr_sin(z, a, MPFR_RNDN);
        break;
    case COS:
        t = mpfr_cos(z, a, MPFR_RNDN);
        break;
    case GELU:
        t = judge_gelu(z, x);
        break;
    }
    double r = judge_range(f, z, t);
    mpfr_clear(z);
    return r;
}

static double ours(const at_pfmt *f, op o, double x, double y)
{
    switch (o) {
    case ADD:
        return at_p_add(f, x, y);
    case SUB:
        return at_p_sub(f, x, y);
    case MUL:
        return at_p_mul(f, x, y);
    case DIV:
        return at_p_div(f, x, y);
    case SQRT:
        return at_p_sqrt(f, x);
    case ROUND:
        return at_p_round(f, x);
    case EXP:
        return at_p_exp(f, x);
    case GELU:
        return at_p_gelu(f, x);
    case SIN:
        return at_p_sin(f, x);
    case COS:
        return at_p_cos(f, x);
    }
    return 0;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void check(const at_pfmt *f, op o, double x, double y)
{
    double want = judge(f, o, x, y), got = ours(f, o, x, y);
    checked++;
    if (!same(want, got))
        fail_msg("%s p=%d emin=%d: x=%a y=%a: MPFR %a, attest %a", op_name[o], f->p, f->emin, x, y, want,
                 got);
}

/* ---- operands ----------------------------------------------------------------------------------- */

static at_pfmt format(int p, int e)
{
    return at_pfmt_of((at_arith){AT_PBIT, p, e});
}
static double in(const at_pfmt *f, double x)
{
    return judge(f, ROUND, x, 0);
}

/* A number of `bits` significant bits, exponent in e0..e1, mantissa random or with long runs. */
static double number(at_rng *r, int bits, int e0, int e1)
{
    uint64_t m = at_rng_u64(r);
    if (at_rng_below(r, 3) == 0) /* runs of ones or zeros: where carries go far */
        m = (m >> 63 ? ~(uint64_t)0 : 0) << at_rng_below(r, 60) ^ (uint64_t)1 << at_rng_below(r, 63);
    m = (m | (uint64_t)1 << 63) >> (64 - bits);
    double x = ldexp((double)m, e0 + (int)at_rng_below(r, (uint64_t)(e1 - e0) + 1) - bits + 1);
    return at_rng_u64(r) & 1 ? -x : x;
}

static double operand(at_rng *r, const at_pfmt *f)
{
    switch (at_rng_below(r, 8)) {
    case 0:
        return in(f, number(r, f->p, f->emin - f->p, f->emin + 2)); /* subnormals */
    case 1:
        return in(f, number(r, f->p, f->emin, f->emax));
    case 2:
        return in(f, number(r, f->p, f->emax / 2 - 1, f->emax / 2 + 1)); /* products near max */
    case 3:
        return in(f, number(r, f->p, f->emin / 2 - 1, f->emin / 2 + 1)); /* products near norm */
    default:
        return in(f, number(r, f->p, -2, 2));
    }
}

enum { EDGES = 36 };
static int edges(const at_pfmt *f, double *v)
{
    double ulp = ldexp(1, 1 - f->p), t = f->tiny, n = f->norm, m = f->max;
    const double list[] = {0,
                           t,
                           2 * t,
                           3 * t,
                           n - t,
                           n,
                           n + t,
                           n * 2,
                           n / 2,
                           1,
                           1 + ulp,
                           1 - ulp / 2,
                           1.5,
                           2,
                           3,
                           0.5,
                           ulp,
                           ulp / 2,
                           ulp / 4,
                           m,
                           m / 2,
                           ldexp(1, f->emax),
                           m * (1 - ulp / 2),
                           INFINITY};
    int k = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        double x = in(f, list[i]);
        v[k++] = x;
        if (i % 2 == 0 || i > 17) /* signs on both sides of the pairs without squaring the cost */
            v[k++] = -x;
    }
    v[k++] = NAN;
    return k;
}

static const int widths[] = {3, 4, 5, 8, 10};
enum { WIDTHS = 5 };

/* ---- tests -------------------------------------------------------------------------------------- */

static void test_exhaustive_pairs(void **state)
{
    (void)state;
    const int pe[2][2] = {{4, 4}, {5, 3}};
    for (int c = 0; c < 2; c++) {
        at_pfmt f = format(pe[c][0], pe[c][1]);
        int per = 1 << (f.p - 1), half = (f.emax - f.emin + 2) * per; /* positive finite numbers and 0 */
        for (int i = -half; i <= half; i++)
            for (int j = -half; j <= half; j++) {
                double v[2];
                for (int s = 0; s < 2; s++) { /* code -> number; -0 is in the edge test, +-half is infinity */
                    int code = abs(s ? j : i), e = code / per;
                    v[s] = e == 0 ? code * f.tiny : ldexp(per + code % per, f.emin + e - 1 - f.p + 1);
                    v[s] = code == half ? INFINITY : v[s];
                    v[s] = (s ? j : i) < 0 ? -v[s] : v[s];
                }
                for (op o = ADD; o <= DIV; o++)
                    check(&f, o, v[0], v[1]);
            }
    }
}

static void test_exhaustive_functions(void **state)
{
    (void)state;
    const int ps[2] = {8, 11};
    for (int c = 0; c < 2; c++) {
        at_pfmt f = format(ps[c], 5);
        int per = 1 << (f.p - 1), half = (f.emax - f.emin + 2) * per;
        for (int i = -half + 1; i < half; i++) {
            int code = abs(i), e = code / per;
            double x = e == 0 ? code * f.tiny : ldexp(per + code % per, f.emin + e - f.p);
            for (op o = SQRT; o <= COS; o++)
                check(&f, o, i < 0 ? -x : x, 0);
        }
    }
}

static void test_edges(void **state)
{
    (void)state;
    double v[2 * EDGES];
    for (int p = 2; p <= 53; p++)
        for (int w = 0; w < WIDTHS; w++) {
            at_pfmt f = format(p, widths[w]);
            int n = edges(&f, v);
            assert_true(n <= 2 * EDGES);
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++)
                    for (op o = ADD; o <= DIV; o++)
                        check(&f, o, v[i], v[j]);
                for (op o = SQRT; o <= COS; o++)
                    check(&f, o, v[i], 0);
            }
        }
}

/* Rounding a double: on grid points, on midpoints and one f64 ulp beside them, in every binade. */
static void test_round_boundaries(void **state)
{
    (void)state;
    at_rng r = at_rng_at(1, 0);
    for (int p = 2; p <= 53; p++)
        for (int w = 0; w < WIDTHS; w++) {
            at_pfmt f = format(p, widths[w]);
            for (int i = 0; i < TEST_SCALED(400); i++) {
                int bits = p < 53 ? p + 1 : 53; /* p+1 bits: grid points and midpoints */
                double x = number(&r, bits, f.emin - p - 2, f.emax + 1);
                double q = fabs(x) < f.norm ? rint(x / (f.tiny / 2)) * (f.tiny / 2) : x;
                const double near[] = {x,
                                       q,
                                       nextafter(q, INFINITY),
                                       nextafter(q, -INFINITY),
                                       q / 2,
                                       number(&r, 53, -1074, 1023)};
                for (int k = 0; k < 6; k++)
                    check(&f, ROUND, near[k], 0);
            }
            const double top[] = {
                f.max,      nextafter(f.max, INFINITY), f.max + ldexp(1, f.emax - p), DBL_MAX,
                f.tiny / 2, nextafter(f.tiny / 2, 0),   nextafter(f.tiny / 2, 1),     DBL_TRUE_MIN,
                DBL_MIN};
            for (int k = 0; k < 9; k++) {
                check(&f, ROUND, top[k], 0);
                check(&f, ROUND, -top[k], 0);
            }
            check(&f, ROUND, nextafter(f.max + ldexp(1, f.emax - p), 0), 0);
        }
}

static void test_random(void **state)
{
    (void)state;
    at_rng r = at_rng_at(2, 0);
    for (int p = 2; p <= 53; p++)
        for (int w = 0; w < WIDTHS; w++) {
            at_pfmt f = format(p, widths[w]);
            for (int i = 0; i < TEST_SCALED(1200); i++) {
                double a = operand(&r, &f), b = operand(&r, &f);
                for (op o = ADD; o <= DIV; o++)
                    check(&f, o, a, b);
                check(&f, SQRT, fabs(a), 0);
                /* correlated: the result lies on or beside a midpoint m, on either side */
                double m = number(&r, p < 53 ? p + 1 : 53, -1, 1), c = in(&f, number(&r, p, -1, 1));
                double d = in(&f, ldexp(a, -p + (int)at_rng_below(&r, 3) - 1)), big = in(&f, m);
                check(&f, MUL, in(&f, m / c), c);
                check(&f, DIV, in(&f, m * c), c);
                check(&f, SQRT, in(&f, m * m), 0);
                check(&f, ADD, a, d);
                check(&f, SUB, a, in(&f, d * (1 + ldexp(1, 1 - p))));
                check(&f, ADD, in(&f, m - c), c);
                check(&f, ADD, big, in(&f, ldexp(big, -p) + number(&r, p, -p - p, -p)));
                /* the same in the format's subnormals */
                check(&f, MUL, in(&f, ldexp(m / c, f.emin / 2)),
                      in(&f, ldexp(c, f.emin - f.emin / 2 - (int)at_rng_below(&r, (uint64_t)p))));
                check(&f, DIV, in(&f, ldexp(m * c, f.emin / 2)),
                      in(&f, ldexp(c, f.emin / 2 - f.emin + (int)at_rng_below(&r, (uint64_t)p))));
            }
        }
}

static void test_functions(void **state)
{
    (void)state;
    at_rng r = at_rng_at(3, 0);
    for (int p = 2; p <= 53; p++)
        for (int w = 0; w < WIDTHS; w++) {
            at_pfmt f = format(p, widths[w]);
            double log_max = log(f.max), log_tiny = log(f.tiny);
            for (int i = 0; i < TEST_SCALED(60); i++) {
                double m = fabs(number(&r, p < 53 ? p + 1 : 53, -3, 3));
                const double x[] = {operand(&r, &f),
                                    in(&f, number(&r, p, -6, 6)),
                                    in(&f, log(m)),
                                    in(&f, log_max),
                                    in(&f, log_tiny - 0.7 * at_rng_unit(&r)),
                                    in(&f, log(f.norm * m))};
                for (int k = 0; k < 6; k++)
                    for (op o = EXP; o <= COS; o++)
                        check(&f, o, x[k], 0);
                check(&f, SIN, in(&f, asin(m / 16)), 0);
                check(&f, COS, in(&f, acos(m / 16)), 0);
            }
            for (int i = 0; i < 12; i++) /* gelu's left tail, down to underflow, and odd multiples of tiny */
                check(&f, GELU, in(&f, -40 * at_rng_unit(&r)), 0),
                    check(&f, GELU, in(&f, f.tiny * (double)(2 * i - 11)), 0);
        }
}

/* p53e11 is f64 itself; its functions are still correctly rounded. f32 is p24e8, judged by the hardware. */
static void test_native(void **state)
{
    (void)state;
    at_rng r = at_rng_at(4, 0);
    at_pfmt f = format(53, 11), g = at_pfmt_of((at_arith){AT_F32, 0, 0});
    const double special[] = {0.0,     -0.0,         INFINITY, -INFINITY,         NAN,   DBL_MAX,
                              DBL_MIN, DBL_TRUE_MIN, 1,        -3 * DBL_TRUE_MIN, 1e-310};
    for (int i = 0; i < TEST_SCALED(200000); i++) {
        double v[2];
        for (int k = 0; k < 2; k++)
            v[k] = at_rng_below(&r, 4) ? number(&r, 53, -1080, 1023) : special[at_rng_below(&r, 11)];
        double a = v[0], b = v[1];
        assert_true(same(at_p_add(&f, a, b), a + b) && same(at_p_sub(&f, a, b), a - b));
        assert_true(same(at_p_mul(&f, a, b), a * b) && same(at_p_div(&f, a, b), a / b));
        assert_true(same(at_p_sqrt(&f, a), sqrt(a)) && same(at_p_round(&f, a), a));
        float s = (float)ldexp(a, -880), t = (float)ldexp(b, -900); /* down to f32's subnormals */
        assert_true(same(at_p_round(&g, ldexp(a, -880)), s));
        assert_true(same(at_p_add(&g, s, t), s + t) && same(at_p_mul(&g, s, t), s * t));
        assert_true(same(at_p_div(&g, s, t), s / t) && same(at_p_sqrt(&g, s), sqrtf(s)));
    }
    for (int i = 0; i < 1500; i++) {
        double x = number(&r, 53, -6, 9);
        for (op o = EXP; o <= COS; o++) {
            check(&f, o, x, 0);
            check(&f, o, i < 11 ? special[i] : number(&r, 53, -1074, -20), 0);
        }
    }
}

/* at_p_round2 on its own contract: hi+lo with more bits than f64 has, near midpoints and subnormal. */
static void test_round2(void **state)
{
    (void)state;
    at_rng r = at_rng_at(5, 0);
    for (int p = 2; p <= 53; p++)
        for (int i = 0; i < TEST_SCALED(600); i++) {
            at_pfmt f = format(p, 8);
            double a = number(&r, p < 53 ? p + 1 : 53, f.emin - p, 3),
                   b = number(&r, 20, f.emin - p - 60, -50);
            double hi = a + b, lo = b - (hi - a);
            if (fabs(a) < fabs(b) * 2)
                continue;
            double want = judge(&f, ADD, a, b), got = at_p_round2(&f, hi, lo);
            if (!same(want, got))
                fail_msg("round2 p=%d hi=%a lo=%a: MPFR %a, attest %a", p, hi, lo, want, got);
            checked++;
        }
}

/* n/d = (m -+ 1/d) / 2^p, m odd with p+1 bits: as near to a midpoint as such a fraction can be. d is chosen
 * with m*d = +-1 mod 2^p, through the inverse of m modulo 2^64 (Newton: the right bits double each step). */
static void beside_midpoint(at_rng *r, int p, int64_t *n, int64_t *d)
{
    uint64_t m = (uint64_t)1 << p | at_rng_below(r, (uint64_t)1 << p) | 1, inverse = m,
             low = ((uint64_t)1 << p) - 1;
    for (int step = 0; step < 6; step++)
        inverse *= 2 - m * inverse;
    bool above = at_rng_u64(r) & 1;
    uint64_t big = ((above ? -inverse : inverse) & low) | (at_rng_u64(r) >> 2 & ~low);
    unsigned __int128 product = (unsigned __int128)m * big;
    *n = (int64_t)((above ? product + 1 : product - 1) >> p);
    *d = (int64_t)big;
}

static void test_ratio(void **state)
{
    (void)state;
    at_rng r = at_rng_at(6, 0);
    for (int i = 0; i < TEST_SCALED(200000); i++) {
        at_pfmt f = i % 50 == 0 ? format(53, 11) : format(2 + i % 52, widths[i % WIDTHS]);
        int64_t n = (int64_t)(at_rng_u64(&r) >> at_rng_below(&r, 64)),
                d = (int64_t)(at_rng_u64(&r) >> at_rng_below(&r, 64));
        n = i == 0 ? INT64_MIN : i == 1 ? INT64_MAX : n;
        d = i == 1 ? INT64_MIN : d;
        if (i % 3 == 0 && f.p <= 40)
            beside_midpoint(&r, f.p, &n, &d);
        MPFR_DECL_INIT(a, 64);
        MPFR_DECL_INIT(b, 64);
        mpfr_t z;
        mpfr_init2(z, f.p);
        mpfr_set_sj(a, n, MPFR_RNDN);
        mpfr_set_sj(b, d, MPFR_RNDN);
        int t = mpfr_div(z, a, b, MPFR_RNDN);
        double want = n == 0 && d != 0 ? 0 : judge_range(&f, z, t);
        mpfr_clear(z);
        if (!same(want, at_p_ratio(&f, n, d)))
            fail_msg("ratio p=%d %" PRId64 "/%" PRId64 ": MPFR %a, attest %a", f.p, n, d, want,
                     at_p_ratio(&f, n, d));
        checked++;
    }
}

static int report(void **state)
{
    (void)state;
    print_message("%ld operations equal MPFR's\n", checked);
    mpfr_free_cache();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exhaustive_pairs),
        cmocka_unit_test(test_exhaustive_functions),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_round_boundaries),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_native),
        cmocka_unit_test(test_round2),
        cmocka_unit_test(test_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, report);
}
