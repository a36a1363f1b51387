/* test_acc.c: exact sums against GMP, and their associativity.
 *
 * The judge keeps every sum as a GMP integer times 2^-2176, and rounds it with MPFR (precision p, the format's
 * exponent range, mpfr_subnormalize).
 * Shows: exact sums exact sums of up to 40 terms split at every place, in every format width tested
 * Shows: exact sums sampled random sums and sums of products, all p in 2..53 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../num_internal.h"
#include <float.h>
#include <gmp.h>
#include <mpfr.h>

/* ---- the judge ---------------------------------------------------------------------------------- */

static void judge_add(mpz_t s, double x, double y) /* s += x*y * 2^2176, y = 1 for a plain sum */
{
    int e, d;
    mpz_t m, n;
    mpz_inits(m, n, NULL);
    mpz_set_d(m, ldexp(frexp(x, &e), 53));
    mpz_set_d(n, ldexp(frexp(y, &d), 53));
    mpz_mul(m, m, n);
    mpz_mul_2exp(m, m, 2300); /* room to shift down exactly: the result is an integer by construction */
    int up = e + d - 106 - AT_ACC_BASE - 2300;
    if (up >= 0)
        mpz_mul_2exp(m, m, (mp_bitcnt_t)up);
    else
        mpz_tdiv_q_2exp(m, m, (mp_bitcnt_t)-up);
    mpz_add(s, s, m);
    mpz_clears(m, n, NULL);
}

static double judge_round(mpz_t s, const at_pfmt *f)
{
    mpfr_t z;
    mpfr_init2(z, f->p);
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    int t = mpfr_set_z_2exp(z, s, AT_ACC_BASE, MPFR_RNDN);
    mpfr_set_emin(f->emin - f->p + 2);
    mpfr_set_emax(f->emax + 1);
    t = mpfr_check_range(z, t, MPFR_RNDN);
    mpfr_subnormalize(z, t, MPFR_RNDN);
    double r = mpz_sgn(s) ? mpfr_get_d(z, MPFR_RNDN) : 0;
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_clear(z);
    return r;
}

static int judge_bits(mpz_t s)
{
    return mpz_sgn(s) ? (int)(mpz_sizeinbase(s, 2) - mpz_scan1(s, 0)) : 0;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* s (ours) is t (the judge's): rounded into every format, as a double, and in length. */
static void check(at_acc *s, mpz_t t, at_rng *r)
{
    at_pfmt f64 = at_pfmt_of((at_arith){AT_F64, 53, 11});
    at_pfmt f = at_pfmt_of((at_arith){AT_PBIT, 2 + (int)at_rng_below(r, 52), 3 + (int)at_rng_below(r, 8)});
    double want = judge_round(t, &f64), got = at_acc_double(s);
    if (!same(want, got))
        fail_msg("double: GMP %a, attest %a", want, got);
    want = judge_round(t, &f);
    got = at_acc_round(s, &f);
    if (!same(want, got))
        fail_msg("p=%d emin=%d: GMP %a, attest %a", f.p, f.emin, want, got);
    assert_int_equal(at_acc_bits(s), judge_bits(t));
}

static double any(at_rng *r, int e0, int e1)
{
    if (at_rng_below(r, 20) == 0)
        return at_rng_u64(r) & 1 ? 0.0 : -0.0;
    double x = ldexp(1 + at_rng_unit(r), e0 + (int)at_rng_below(r, (uint64_t)(e1 - e0) + 1));
    if (at_rng_below(r, 3) == 0) /* few bits: exact cancellation and ties happen */
        x = ldexp((double)(1 + at_rng_below(r, 7)), ilogb(x));
    return at_rng_u64(r) & 1 ? -x : x;
}

/* ---- tests -------------------------------------------------------------------------------------- */

static void test_sums(void **state)
{
    (void)state;
    at_rng r = at_rng_at(1, 0);
    mpz_t t;
    mpz_init(t);
    for (int i = 0; i < 40000; i++) {
        static const int range[][2] = {{-3, 3}, {-60, 60}, {-1074, -1000}, {900, 1021}, {-1074, 1021}};
        const int *e = range[at_rng_below(&r, 5)];
        bool products = at_rng_u64(&r) & 1;
        at_acc s;
        at_acc_zero(&s);
        mpz_set_ui(t, 0);
        double x = 0;
        for (int n = (int)at_rng_below(&r, 12); n > 0; n--) {
            x = at_rng_below(&r, 4) ? any(&r, e[0], e[1]) : -x; /* cancellation */
            double y = products ? any(&r, e[0], e[1]) : 1;
            if (products)
                at_acc_add_product(&s, x, y);
            else
                at_acc_add(&s, x);
            judge_add(t, x, y);
            if (at_rng_below(&r, 8) == 0)
                at_acc_carry(&s); /* carrying early changes nothing */
        }
        check(&s, t, &r);
    }
    mpz_clear(t);
}

/* A sum split at every place and merged, and a sum in reverse, are the same bits as the sum in order. */
static void test_split(void **state)
{
    (void)state;
    at_rng r = at_rng_at(2, 0);
    mpz_t t;
    mpz_init(t);
    for (int i = 0; i < 300; i++) {
        enum { N = 40 };
        double x[N], y[N];
        int wide = i % 3 == 0 ? 1000 : 20;
        at_pfmt f = at_pfmt_of((at_arith){AT_PBIT, 2 + i % 52, 10});
        mpz_set_ui(t, 0);
        for (int k = 0; k < N; k++) {
            x[k] = any(&r, -wide, wide);
            y[k] = any(&r, -wide, wide);
            judge_add(t, x[k], y[k]);
        }
        double whole = judge_round(t, &f);
        for (int cut = 0; cut <= N; cut++) {
            at_acc a, b;
            at_acc_zero(&a);
            at_acc_zero(&b);
            for (int k = 0; k < N; k++) /* the second party goes backwards */
                at_acc_add_product(k < cut ? &a : &b, x[k < cut ? k : N - 1 - (k - cut)],
                                   y[k < cut ? k : N - 1 - (k - cut)]);
            at_acc_merge(&a, &b);
            if (!same(at_acc_round(&a, &f), whole))
                fail_msg("cut at %d: %a, whole %a", cut, at_acc_round(&a, &f), whole);
            check(&a, t, &r);
        }
    }
    mpz_clear(t);
}

/* Near midpoints: m + trifle, where the trifle lies far below and alone decides. */
static void test_sticky(void **state)
{
    (void)state;
    at_rng r = at_rng_at(3, 0);
    mpz_t t;
    mpz_init(t);
    for (int i = 0; i < 40000; i++) {
        int p = 2 + i % 51;
        at_pfmt f = at_pfmt_of((at_arith){AT_PBIT, p, 10});
        double m = ldexp((double)(at_rng_u64(&r) >> (63 - p) | 1), (int)at_rng_below(&r, 1000) - 540);
        double d = at_rng_below(&r, 3) ? any(&r, -1074, ilogb(m) - 54) : 0;
        if (at_rng_below(&r, 8) == 0) /* nothing but the lowest bit of the lowest limb */
            d = at_rng_u64(&r) & 1 ? DBL_TRUE_MIN : -DBL_TRUE_MIN;
        at_acc s = {0}; /* a zeroed struct is a zero sum */
        if (i % 2)
            at_acc_zero(&s);
        mpz_set_ui(t, 0);
        at_acc_add(&s, m);
        at_acc_add(&s, d);
        judge_add(t, m, 1);
        judge_add(t, d, 1);
        double want = judge_round(t, &f), got = at_acc_round(&s, &f);
        if (!same(want, got))
            fail_msg("p=%d %a + %a: GMP %a, attest %a", p, m, d, want, got);
    }
    mpz_clear(t);
}

/* The quotient of two sums: the judge holds it as a fraction and rounds that once. Small numbers, so that it is often exact or on a
 * midpoint; and sums whose rounding before the division would be another number. */
static void test_quotient(void **state)
{
    (void)state;
    at_rng r = at_rng_at(7, 0);
    int midpoints = 0, others = 0;
    mpz_t n, d;
    mpq_t q;
    mpfr_t z, wide;
    mpz_inits(n, d, NULL);
    mpq_init(q);
    mpfr_init2(wide, 9000);
    for (int i = 0; i < 40000; i++) {
        int p = 2 + i % 52, span = i % 3 ? 3 : 300;
        at_pfmt f = at_pfmt_of((at_arith){AT_QUOTIENT, p, 3 + i % 8});
        at_acc s, t;
        at_acc_zero(&s);
        at_acc_zero(&t);
        mpz_set_ui(n, 0);
        mpz_set_ui(d, 0);
        double half = ldexp(1, p - 1) +
                      (double)at_rng_below(&r, (uint64_t)1 << (p - 1)); /* p bits; with the next: half way */
        for (int k = 0; k < (i % 8 ? 1 + i % 6 : 2); k++) {
            double w = i % 8 ? fabs(any(&r, -span, span)) : 1, v = i % 8 ? any(&r, -span, span) : half + k;
            at_acc_add(&t, w);
            at_acc_add_product(&s, w, v);
            judge_add(d, w, 1);
            judge_add(n, w, v);
        }
        double got = at_acc_quotient(&s, &t, &f);
        if (mpz_sgn(d) == 0) {
            assert_true(isnan(got));
            continue;
        }
        mpz_set(mpq_numref(q), n);
        mpz_set(mpq_denref(q), d);
        mpq_canonicalize(q);
        mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
        mpfr_init2(z, p);
        int ternary = mpfr_set_q(z, q, MPFR_RNDN);
        bool cut = mpfr_set_q(wide, q, MPFR_RNDN) == 0 && mpfr_min_prec(wide) == p + 1;
        mpfr_set_emin(f.emin - f.p + 2);
        mpfr_set_emax(f.emax + 1);
        ternary = mpfr_check_range(z, ternary, MPFR_RNDN);
        mpfr_subnormalize(z, ternary, MPFR_RNDN);
        double want = mpq_sgn(q) ? mpfr_get_d(z, MPFR_RNDN) : 0;
        mpfr_set_emin(emin);
        mpfr_set_emax(emax);
        mpfr_clear(z);
        if (!same(got, want))
            fail_msg("q%de%d: GMP %a, attest %a", p, 3 + i % 8, want, got);
        midpoints += cut;
        others += !same(at_p_div(&f, at_acc_round(&s, &f), at_acc_round(&t, &f)), want);
    }
    mpfr_clear(wide);
    mpq_clear(q);
    mpz_clears(n, d, NULL);
    print_message("%d quotients half way, %d other ones where sums are rounded first\n", midpoints, others);
    assert_true(midpoints > 100 && others > 1000); /* not the mode that rounds the sums */
}

/* Limbs as full as they may become: what 2^30 additions leave behind, made at once. */
static void test_carry(void **state)
{
    (void)state;
    at_rng r = at_rng_at(4, 0);
    mpz_t t, one;
    mpz_inits(t, one, NULL);
    for (int i = 0; i < 200; i++) {
        at_acc s, c;
        double x = any(&r, -50, 50);
        at_acc_zero(&s);
        mpz_set_ui(t, 0);
        mpz_set_ui(one, 0);
        judge_add(one, x, 1);
        at_acc_add(&s, x);
        for (int k = 0; k < 29; k++) { /* doubling by merging with itself: 2^29 terms pending */
            c = s;
            at_acc_merge(&s, &c);
        }
        mpz_mul_2exp(t, one, 29);
        for (int k = 0; k < 6; k++) { /* merging past the limit must carry, not overflow */
            c = s;
            at_acc_merge(&s, &c);
            mpz_mul_2exp(t, t, 1);
            assert_true(s.pending >= 0 && s.pending <= AT_ACC_CARRY + 1);
        }
        s.pending = AT_ACC_CARRY; /* the next addition must carry first */
        at_acc_add(&s, x);
        mpz_add(t, t, one);
        assert_true(s.pending < AT_ACC_CARRY);
        check(&s, t, &r);
    }
    at_acc s; /* the largest and the smallest products, 10^5 times */
    at_acc_zero(&s);
    mpz_set_ui(t, 0);
    for (int i = 0; i < 100000; i++) {
        at_acc_add_product(&s, -DBL_MAX, DBL_MAX);
        at_acc_add_product(&s, DBL_TRUE_MIN, DBL_TRUE_MIN);
        judge_add(t, -DBL_MAX, DBL_MAX);
        judge_add(t, DBL_TRUE_MIN, DBL_TRUE_MIN);
    }
    check(&s, t, &r);
    assert_true(at_acc_double(&s) == -INFINITY);
    mpz_clears(t, one, NULL);
}

static void test_special(void **state)
{
    (void)state;
    at_acc s, t;
    at_acc_zero(&s);
    at_acc_zero(&t);
    assert_true(same(at_acc_double(&s), 0.0) && at_acc_bits(&s) == 0);
    at_acc_merge(&s, &t);
    at_acc_add(&s, -0.0);
    assert_true(same(at_acc_double(&s), 0.0) && at_acc_bits(&s) == 0);
    at_acc_add(&s, 1);
    at_acc_add(&s, INFINITY);
    assert_true(at_acc_double(&s) == INFINITY);
    at_acc_add_product(&t, -INFINITY, 2);
    assert_true(at_acc_double(&t) == -INFINITY);
    at_acc_merge(&s, &t);
    assert_true(isnan(at_acc_double(&s)));
    at_acc_zero(&s);
    at_acc_add_product(&s, INFINITY, 0);
    assert_true(isnan(at_acc_double(&s)));
    at_acc_zero(&s);
    assert_true(same(at_acc_double(&s), 0.0));
}

/* A sum taken apart into an odd integer and put together again is the same sum, also added to another. */
static void test_words(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 2000; k++) {
        at_rng r = at_rng_at(11, k);
        at_acc s, t, sum;
        uint32_t word[AT_ACC_LIMBS];
        bool negative;
        int low;
        at_acc_zero(&s);
        at_acc_zero(&t);
        at_acc_zero(&sum);
        for (uint64_t n = at_rng_below(&r, 6); n > 0; n--) {
            double x = ldexp(at_rng_normal(&r), (int)at_rng_below(&r, 2000) - 1000),
                   y = ldexp(at_rng_normal(&r), (int)at_rng_below(&r, 2000) - 1000);
            at_acc_add_product(&s, x, y);
        }
        at_acc_add(&t, 0.3);
        at_acc_add(&sum, 0.3);
        at_acc_merge(&sum, &s);
        int n = at_acc_words(&s, &negative, &low, word), bits = at_acc_bits(&s);
        assert_true(n == (bits + 31) / 32 && (n == 0 || (word[0] & 1)));
        at_acc_add_words(&t, negative, low, word, n);
        assert_true(same(at_acc_double(&t), at_acc_double(&sum)));
        assert_int_equal(at_acc_bits(&t), at_acc_bits(&sum));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),     cmocka_unit_test(test_split), cmocka_unit_test(test_sticky),
        cmocka_unit_test(test_quotient), cmocka_unit_test(test_carry), cmocka_unit_test(test_special),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
