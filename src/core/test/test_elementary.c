/* test_elementary.c: MPFR judges the elementary functions bit for bit: a million random arguments over the whole range, the
 * precise computation on its own, arguments whose values lie next to a midpoint of two doubles, results that are exact, halfway, tiny or
 * infinite. */
#include "../core_internal.h"
#include "test_scale.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>
#include <mpfr.h>

/* One row a function: what is asked, what judges it, where its arguments lie. */
typedef struct {
    const char *name;
    double (*ours)(double);
    int (*judge)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    elementary precise;
    double lo, hi; /* uniform arguments */
    int least;     /* exponents of arguments drawn by their bits: from here .. */
    int most;      /* .. to here */
    bool positive;
} row;

static const row rows[] = {
    {"exp", at_exp, mpfr_exp, ELEMENTARY_EXP, -746, 710, -54, 9, false},
    {"log", at_log, mpfr_log, ELEMENTARY_LOG, 0, 100, -1074, 1023, true},
    {"sin", at_sin, mpfr_sin, ELEMENTARY_SIN, -50, 50, -26, 1023, false},
    {"cos", at_cos, mpfr_cos, ELEMENTARY_COS, -50, 50, -27, 1023, false},
    {"expm1", at_expm1, mpfr_expm1, ELEMENTARY_EXPM1, -40, 710, -53, 9, false},
    {"log2", at_log2, mpfr_log2, ELEMENTARY_LOG2, 0, 100, -1074, 1023, true},
    {"exp2", at_exp2, mpfr_exp2, ELEMENTARY_POW, -1076, 1025, -52, 10, false},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* The judge's value, rounded once: MPFR's exponents are made those of doubles. */
static mpfr_t in, in2, out;

static int start(void **state)
{
    (void)state;
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    mpfr_inits2(53, in, in2, out, (mpfr_ptr)0);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    mpfr_clears(in, in2, out, (mpfr_ptr)0);
    mpfr_free_cache();
    return 0;
}

static double judged(const row *f, double x)
{
    mpfr_set_d(in, x, MPFR_RNDN);
    int t = f->judge(out, in, MPFR_RNDN);
    t = mpfr_check_range(out, t, MPFR_RNDN);
    mpfr_subnormalize(out, t, MPFR_RNDN);
    return mpfr_get_d(out, MPFR_RNDN);
}

static double judged_pow(double x, double y)
{
    mpfr_set_d(in, x, MPFR_RNDN);
    mpfr_set_d(in2, y, MPFR_RNDN);
    int t = mpfr_pow(out, in, in2, MPFR_RNDN);
    t = mpfr_check_range(out, t, MPFR_RNDN);
    mpfr_subnormalize(out, t, MPFR_RNDN);
    return mpfr_get_d(out, MPFR_RNDN);
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void ask(const row *f, double x)
{
    double got = f->ours(x), want = judged(f, x);
    if (!same(got, want))
        fail_msg("%s(%a) = %a, not %a", f->name, x, want, got);
}

static void ask_pow(double x, double y)
{
    double got = at_pow(x, y), want = judged_pow(x, y);
    if (!same(got, want))
        fail_msg("pow(%a, %a) = %a, not %a", x, y, want, got);
}

static double draw(const row *f, at_rng *r)
{
    double x;
    if (at_rng_below(r, 2)) {
        x = f->lo + (f->hi - f->lo) * at_rng_unit(r);
    } else {
        x = ldexp(1 + at_rng_unit(r), f->least + (int)at_rng_below(r, (uint64_t)(f->most - f->least + 1)));
        if (!f->positive && at_rng_below(r, 2))
            x = -x;
    }
    return x;
}

static void test_random(void **state)
{
    (void)state;
    for (int k = 0; k < ROWS; k++) {
        at_rng r = at_rng_at(1, (uint64_t)k);
        for (int i = 0; i < TEST_SCALED(k < 4 ? 230000 : 20000); i++)
            ask(&rows[k], draw(&rows[k], &r));
    }
    at_rng r = at_rng_at(1, 100);
    for (int i = 0; i < TEST_SCALED(20000); i++) {
        double x = ldexp(1 + at_rng_unit(&r), (int)at_rng_below(&r, 40) - 20);
        ask_pow(x, (at_rng_unit(&r) - 0.5) * 1e3 / fmax(1, fabs(log(x))));
        ask_pow(1 + ldexp(at_rng_unit(&r) - 0.5, -(int)at_rng_below(&r, 50)),
                ldexp(at_rng_unit(&r) - 0.5, (int)at_rng_below(&r, 60)));
    }
}

/* The quick computation would hide errors of the precise one: here it answers alone. */
static void test_precise(void **state)
{
    (void)state;
    for (int k = 0; k < ROWS; k++) {
        at_rng r = at_rng_at(2, (uint64_t)k);
        for (int i = 0; i < TEST_SCALED(4000); i++) {
            double x = draw(&rows[k], &r), two = rows[k].ours == at_exp2 ? 2 : x;
            if ((rows[k].ours == at_exp2 && x == floor(x)) || x == 0)
                continue;
            double got = elementary_precise(rows[k].precise, two, x), want = judged(&rows[k], x);
            if (!same(got, want))
                fail_msg("%s(%a) = %a, not %a", rows[k].name, x, want, got);
        }
    }
}

static void around(const row *f, double x)
{
    for (int i = -3; i <= 3; i++, x = nextafter(x, INFINITY))
        if (!f->positive || x > 0)
            ask(f, i == -3 ? x = nextafter(nextafter(nextafter(x, -INFINITY), -INFINITY), -INFINITY) : x);
}

/* e^x = 1 + x + x^2/2 ..: with x an odd multiple of 2^-53 (2^-54 below 1) it lies x^2/2 from a midpoint, and likewise the others
 * where they are nearly linear, constant or a power. Multiples of pi/2 make sin and cos tiny: 6381956970095103 * 2^797 is the
 * double nearest to one, relatively. Beside powers of two log2 is next to an integer, and pow next to 1. */
static void test_hard(void **state)
{
    (void)state;
    at_rng r = at_rng_at(3, 0);
    for (int k = 0; k < ROWS; k++) {
        const row *f = &rows[k];
        for (int j = 1; j < TEST_SCALED(4000); j += 2)
            for (int e = -56; e <= -52; e++) {
                ask(f, ldexp(j, e));
                ask(f, 1 + ldexp(j, e));
                ask(f, 1 - ldexp(j, e));
                if (!f->positive)
                    ask(f, -ldexp(j, e));
            }
        for (int e = -1074; e < 1024; e++)
            around(f, ldexp(1, e));
        for (int i = 0; i < TEST_SCALED(4000); i++) {
            around(f, (double)at_rng_below(&r, 1u << (1 + i % 24)) * M_PI_2);
            around(f, ldexp(1 + at_rng_unit(&r), -20 - i % 8));
        }
        around(f, ldexp(6381956970095103, 797));
        if (!f->positive)
            around(f, -ldexp(6381956970095103, 797));
        around(f, 0x1p20);
    }
    /* the ends of the range: results that are the largest, denormalised, the least, or none */
    for (double x = -745.2; x < -708; x += 0.0137) {
        ask(&rows[0], x);
        ask(&rows[6], x * M_LOG2E);
        ask_pow(10, x / M_LN10);
    }
    for (int k = 0; k < ROWS; k++) {
        around(&rows[k], 0x1.62e42fefa39efp+9);
        around(&rows[k], -0x1.74910d52d3051p+9);
        around(&rows[k], 1024);
        around(&rows[k], -1074);
        around(&rows[k], -1075);
    }
}

static void test_powers(void **state)
{
    (void)state;
    /* exact, halfway between two doubles (54 bits), and beyond */
    for (int x = 1; x < 400; x++)
        for (int y = -40; y <= 40; y++) {
            ask_pow(x, y);
            ask_pow(x * 0x1p-7, y);
            ask_pow((double)x * x * x * x, y * 0.25);
        }
    at_rng r = at_rng_at(4, 0);
    for (int i = 0; i < TEST_SCALED(3000); i++) {
        double odd = 2 * (double)at_rng_below(&r, 1 << 26) + 1;
        ask_pow(odd, 2);            /* 52 to 54 bits */
        ask_pow(odd * 0x1p-538, 2); /* on, and beside, midpoints of denormalised numbers */
        ask_pow(ldexp(odd, -538 - i % 3), 2);
        ask_pow(odd * odd, 0.5);
        ask_pow(1 + odd * 0x1p-52, ldexp(odd, -(int)at_rng_below(&r, 60)));
        ask_pow(2, odd * 0x1p-60);
        ask_pow(4, odd * 0x1p-60);
        ask_pow(3, -odd * 0x1p-80);
    }
    for (int k = 0; k < 512; k += 2) /* frequencies of position features */
        ask_pow(10000, k / 512.);
}

static void test_special(void **state)
{
    (void)state;
    static const double odd[] = {0.,        -0., 1,         -1,         INFINITY,
                                 -INFINITY, NAN, 0x1p-1074, -0x1p-1074, 0x1.fffffffffffffp1023,
                                 2,         0.5, -2,        3,          1e300};
    for (int k = 0; k < ROWS; k++)
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
            ask(&rows[k], odd[i]);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (size_t j = 0; j < sizeof odd / sizeof *odd; j++)
            ask_pow(odd[i], odd[j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_precise), cmocka_unit_test(test_hard),
        cmocka_unit_test(test_powers), cmocka_unit_test(test_special),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
