/* test_counts.c: what the bounds count, counted again by other means: powers written out, brute force, recurrences run. */
#include "bound_test.h"
#include "../../core/test/test_evidence.h"
#include "../funccomp.h"

#include <attest/lang.h>
#include <attest/num.h>

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

/* ---- logarithms ------------------------------------------------------------------------------------------------------ */

static void test_logarithms(void **state)
{
    (void)state;
    mpz_t x, n, c, q;
    mpz_inits(x, n, c, q, NULL);
    for (unsigned long k = 1; k <= 300; k++) {
        mpz_set_ui(n, k);
        mpz_ui_pow_ui(c, k, k);
        unsigned long bits = (unsigned long)mpz_sizeinbase(c, 2);
        for (unsigned long d = bits < 3 ? 0 : bits - 3; d < bits + 3; d++) {
            mpz_set_ui(x, d);
            assert_int_equal(number_below_n_log_n(x, n), power_below(d, c));
            assert_int_equal(number_below_log(x, c), power_below(d, c));
        }
        mpz_fac_ui(c, k);
        bits = (unsigned long)mpz_sizeinbase(c, 2);
        for (unsigned long d = bits < 3 ? 0 : bits - 3; d < bits + 3; d++) {
            mpz_set_ui(x, d);
            assert_int_equal(number_below_log_factorial(x, n), power_below(d, c));
        }
        for (unsigned long a = 1; a <= 9; a++) { /* a * k^20: powers of two among them */
            mpz_ui_pow_ui(c, k, 20);
            mpz_mul_ui(c, c, a);
            bits = (unsigned long)mpz_sizeinbase(c, 2);
            for (unsigned long d = bits < 3 ? 0 : bits - 3; d < bits + 3; d++) {
                mpz_set_ui(x, d);
                mpz_set_ui(q, a);
                mpz_t twenty;
                mpz_init_set_ui(twenty, 20);
                assert_int_equal(number_below_log_product(x, q, n, twenty), power_below(d, c));
                mpz_clear(twenty);
            }
        }
    }
    for (unsigned long a = 0; a <= 130; a++) /* binomial coefficients, written out */
        for (unsigned long b = 0; b <= a; b++) {
            mpz_bin_uiui(c, a, b);
            unsigned long bits = (unsigned long)mpz_sizeinbase(c, 2);
            mpz_set_ui(n, a);
            mpz_set_ui(q, b);
            double log2 = number_log2_binomial(n, q);
            assert_true(log2 <= (double)bits && log2 > (double)bits - 1 - 1e-9);
            for (unsigned long d = bits < 3 ? 0 : bits - 3; d < bits + 3; d++) {
                mpz_set_ui(x, d);
                assert_int_equal(number_below_log_binomial(x, n, q), power_below(d, c));
            }
        }
    /* n log2 n beside MPFR, rounded both ways, for large n. */
    mpfr_t lo, hi;
    mpfr_inits2(200, lo, hi, NULL);
    for (int i = 0; i < 200; i++) {
        at_rng r = at_rng_at(7, (uint64_t)i);
        mpz_set_ui(n, at_rng_u64(&r) >> (i % 50));
        mpz_add_ui(n, n, 3);
        mpfr_set_z(lo, n, MPFR_RNDD);
        mpfr_log2(hi, lo, MPFR_RNDU);
        mpfr_log2(lo, lo, MPFR_RNDD);
        mpfr_mul_z(lo, lo, n, MPFR_RNDD);
        mpfr_mul_z(hi, hi, n, MPFR_RNDU);
        mpfr_get_z(x, lo, MPFR_RNDD);
        if (mpfr_cmp_z(lo, x) > 0)
            assert_true(number_below_n_log_n(x, n));
        mpfr_get_z(x, hi, MPFR_RNDU);
        assert_false(number_below_n_log_n(x, n));
        double d = number_n_log_n(n);
        assert_true(mpfr_cmp_d(hi, d) >= 0 && d >= mpfr_get_d(lo, MPFR_RNDD) * (1 - 1e-15));
    }
    mpfr_clears(lo, hi, NULL);
    mpfr_free_cache();
    mpz_clears(x, n, c, q, NULL);
}

/* ---- half-spaces ------------------------------------------------------------------------------------------------------- */

enum { POINTS = 14, AXES = 9 };

/* Does a perceptron find a half-space that cuts the set y off from the others of the n points in R^m? */
static bool cut_off(int n, int m, double x[][AXES], unsigned y, int rounds)
{
    double w[AXES + 1] = {0};
    for (int round = 0; round < rounds; round++) {
        bool all = true;
        for (int j = 0; j < n; j++) {
            double s = w[m], sign = y >> j & 1 ? 1 : -1;
            for (int k = 0; k < m; k++)
                s += w[k] * x[j][k];
            if (s * sign > 0)
                continue;
            all = false;
            for (int k = 0; k < m; k++)
                w[k] += sign * x[j][k];
            w[m] += sign;
        }
        if (all)
            return true;
    }
    return false;
}

/* An affine dependence of the first m+2 points, in exact fractions: c (m+2) with sum c = 0 and sum c x = 0, not all 0. */
static void dependence(int m, double x[][AXES], mpq_t *c)
{
    int rows = m + 1, cols = m + 2, pivot[AXES + 2], rank = 0;
    mpq_t a[AXES + 1][AXES + 2], t;
    mpq_init(t);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            mpq_init(a[i][j]);
            mpq_set_d(a[i][j], i < m ? x[j][i] : 1);
        }
    int free_column = -1;
    for (int j = 0; j < cols; j++) {
        int i = rank;
        while (i < rows && !mpq_sgn(a[i][j]))
            i++;
        if (i == rows) {
            free_column = free_column < 0 ? j : free_column;
            continue;
        }
        for (int k = 0; k < cols; k++)
            mpq_swap(a[i][k], a[rank][k]);
        for (int r = 0; r < rows; r++) {
            if (r == rank || !mpq_sgn(a[r][j]))
                continue;
            mpq_t f;
            mpq_init(f);
            mpq_div(f, a[r][j], a[rank][j]);
            for (int k = 0; k < cols; k++) {
                mpq_mul(t, f, a[rank][k]);
                mpq_sub(a[r][k], a[r][k], t);
            }
            mpq_clear(f);
        }
        pivot[rank++] = j;
    }
    assert_true(free_column >= 0); /* m+2 columns, m+1 rows */
    for (int j = 0; j < cols; j++)
        mpq_set_si(c[j], j == free_column, 1);
    for (int r = 0; r < rank; r++) {
        mpq_div(t, a[r][free_column], a[r][pivot[r]]);
        mpq_neg(c[pivot[r]], t);
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            mpq_clear(a[i][j]);
    mpq_clear(t);
}

/* The y of bound qsa-radon: it holds one part of a Radon partition of the first m+2 of n points and misses the other. 0: there is no room. */
static unsigned radon_subset(int n, int q, int m, double x[][AXES])
{
    mpq_t c[AXES + 2];
    unsigned part[2] = {0}, all = (1u << n) - 1;
    for (int j = 0; j < m + 2; j++)
        mpq_init(c[j]);
    dependence(m, x, c);
    for (int k = 0; k <= m; k++) { /* the dependence is one */
        mpq_t sum, t;
        mpq_inits(sum, t, NULL);
        for (int j = 0; j < m + 2; j++) {
            mpq_set_d(t, k < m ? x[j][k] : 1);
            mpq_mul(t, t, c[j]);
            mpq_add(sum, sum, t);
        }
        assert_int_equal(mpq_sgn(sum), 0);
        mpq_clears(sum, t, NULL);
    }
    for (int j = 0; j < m + 2; j++) {
        if (mpq_sgn(c[j]))
            part[mpq_sgn(c[j]) > 0] |= 1u << j;
        mpq_clear(c[j]);
    }
    assert_true(part[0] && part[1]);
    for (int k = 0; k < 2; k++) {
        unsigned y = part[k];
        if (__builtin_popcount(y) > q || __builtin_popcount(part[1 - k]) > n - q)
            continue;
        for (int j = 0; j < n && __builtin_popcount(y) < q; j++)
            y |= (all & ~part[1 - k]) & 1u << j;
        return y;
    }
    return 0;
}

static void points_draw(int n, int m, at_rng *r, double x[][AXES])
{
    for (int j = 0; j < n; j++)
        for (int k = 0; k < m; k++)
            x[j][k] = (double)(at_rng_u64(r) % 41) - 20;
}

/* The core of qsa-radon at every (q, N) with N-1 <= 13: in one dimension less than it asks for, points that were drawn, and points of the
 * moment curve, have a q-set that no half-space cuts off; a perceptron finds none either. In 2q dimensions the curve has all cut off. */
static void test_radon(void **state)
{
    (void)state;
    double x[POINTS][AXES];
    const at_bound *b = at_bound_find("qsa-radon");
    int asked = 0;
    for (int q = 1; q <= 4; q++)
        for (int n = 2 * q; n < POINTS; n++) {
            int needed = 2 * q < n - q ? 2 * q : n - q;
            for (int m = 1; m <= needed; m++) {
                at_params p;
                bool binds;
                at_params_init(&p, b->params, b->n_params);
                OK(at_params_set(&p, "q", q, &err));
                OK(at_params_set(&p, "N", n + 1, &err));
                OK(at_params_set(&p, "m", m, &err));
                OK(at_bound_binds(b, &p, &binds, &err));
                assert_int_equal(binds, m < needed);
                at_rng r = at_rng_at(16, (uint64_t)(n * 100 + m));
                for (int trial = 0; binds && trial < 4; trial++) {
                    points_draw(n, m, &r, x);
                    for (int j = 0; trial == 0 && j < n; j++)
                        for (int k = 0; k < m; k++)
                            x[j][k] = pow(j - n / 2, k + 1);
                    unsigned y = radon_subset(n, q, m, x);
                    assert_int_equal(__builtin_popcount(y), q);
                    assert_true(m > 2 || trial == 0 || !cut_off(n, m, x, y, 1000));
                    asked++;
                }
            }
        }
    assert_true(asked > 300);
    /* control: where the bound does not bind there is a set of points of which every q-set is cut off */
    for (int n = 4; n < POINTS; n++) { /* q = 1: points on a parabola */
        for (int j = 0; j < n; j++) {
            x[j][0] = j - n / 2;
            x[j][1] = x[j][0] * x[j][0];
        }
        for (int j = 0; j < n; j++)
            assert_true(cut_off(n, 2, x, 1u << j, 1000000));
    }
}

/* ---- expressions ------------------------------------------------------------------------------------------------------- */

static int chain_compare(const void *a, const void *b)
{
    return memcmp(a, b, 128 * sizeof(int));
}

static void test_expressions(void **state)
{
    (void)state;
    static const int primes[] = {2, 3, 5, 7, 11};
    mpz_t count;
    mpz_init(count);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k <= 5; k++) {
            at_expr_space s;
            OK(at_expr_space_init(&s, primes[i], k, k, &err));
            arith_trees(count, (unsigned long)k, (unsigned long)primes[i]);
            assert_true(mpz_cmp_ui(count, s.count) == 0);
            at_expr_space_release(&s);
        }
    /* As many chains of k operators as expressions of k-1. */
    for (int i = 0; i < 3; i++)
        for (int k = 1; k <= (primes[i] < 5 ? 3 : 2); k++) {
            at_expr_space s;
            OK(at_expr_space_init(&s, primes[i], k, k, &err));
            int(*chain)[128] = calloc(s.count, sizeof *chain), token[64];
            assert_non_null(chain);
            for (uint64_t x = 0; x < s.count; x++) {
                int n = at_expr_nth(&s, x, token);
                at_expr_chain(primes[i], token, n, chain[x]);
            }
            qsort(chain, s.count, sizeof *chain, chain_compare);
            uint64_t distinct = 1;
            for (uint64_t x = 1; x < s.count; x++)
                distinct += chain_compare(chain[x - 1], chain[x]) != 0;
            free(chain);
            arith_trees(count, (unsigned long)k - 1, (unsigned long)primes[i]);
            assert_true(mpz_cmp_ui(count, distinct) == 0);
            at_expr_space_release(&s);
        }
    /* Beyond 32 operators: what is claimed is less than there are, here at 40. */
    mpz_t more;
    mpz_init(more);
    arith_trees(count, 3, 5);
    arith_trees(more, 4, 5);
    mpz_mul(count, count, count);
    mpz_mul_ui(count, count, 3); /* 3 C_3 C_3 <= C_7 */
    arith_trees(more, 7, 5);
    assert_true(mpz_cmp(count, more) <= 0);
    mpz_clears(count, more, NULL);
}

/* ---- gadgets ------------------------------------------------------------------------------------------------------------ */

/* Match3 at position 1 of the disjointness gadget. */
static bool gadget(int n, int M, unsigned a, unsigned b)
{
    int x[1 + 2 * 8], N = 1 + 2 * n;
    x[0] = 1;
    for (int i = 1; i <= n; i++) {
        x[i] = a >> (i - 1) & 1 ? 4 * i : 2;
        x[n + i] = b >> (i - 1) & 1 ? M - 1 - 4 * i : 2;
    }
    for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
            if ((x[0] + x[j] + x[k]) % M == 0)
                return true;
    return false;
}

static void test_gadgets(void **state)
{
    (void)state;
    for (int n = 1; n <= 5; n++)
        for (int M = 8 * n + 1; M <= 8 * n + 20; M++) {
            int wrong = 0;
            for (unsigned a = 0; a < 1u << n; a++)
                for (unsigned b = 0; b < 1u << n; b++)
                    wrong += gadget(n, M, a, b) != ((a & b) != 0);
            assert_int_equal(wrong > 0, M == 8 * n + 1);
        }
    /* qsa-fnn-hard: whatever v is, with its longest vector of length 1, some q-subset sums to more than 1/2. */
    for (int t = 0; t < 2000; t++) {
        at_rng r = at_rng_at(3, (uint64_t)t);
        int N = 2 + (int)at_rng_below(&r, 7), q = 1 + (int)at_rng_below(&r, (uint64_t)N - 1),
            d = 1 + (int)at_rng_below(&r, 3);
        double v[8][3], longest = 0, best = 0;
        for (int j = 0; j < N; j++) {
            double len = 0;
            for (int k = 0; k < d; k++) {
                v[j][k] = t % 3 ? at_rng_normal(&r) : (double)at_rng_below(&r, 3) - 1;
                len += v[j][k] * v[j][k];
            }
            longest = fmax(longest, sqrt(len));
        }
        for (unsigned y = 0; longest > 0 && y < 1u << N; y++) {
            double len = 0;
            for (int k = 0; k < d && __builtin_popcount(y) == q; k++) {
                double sum = 0;
                for (int j = 0; j < N; j++)
                    sum += y >> j & 1 ? v[j][k] / longest : 0;
                len += sum * sum;
            }
            best = fmax(best, sqrt(len));
        }
        assert_true(longest == 0 || best > 0.5);
    }
}

/* ---- composition ---------------------------------------------------------------------------------------------------------- */

static double entropy(double e)
{
    return e <= 0 || e >= 1 ? 0 : -e * log2(e) - (1 - e) * log2(1 - e);
}

/* Theorem 1 for every number of bits c < n log2 n: (1 - 2^-R)/n, or the least error that Fano leaves, is at least R/(3 n log2 n). The proof
 * covers n >= 6; here n = 2..40. Slack of 1e-9 for rounding, which no case comes near. */
static void test_composition(void **state)
{
    (void)state;
    for (int n = 2; n <= 40; n++)
        for (int c = 0; c < n * log2(n); c++) {
            double R = n * log2(n) - c, least = (1 - exp2(-R)) / n, lo = 0, hi = 1 - 1. / n;
            for (int k = 0; k < 60; k++) { /* h(e) + e log2 (n-1) rises up to 1 - 1/n */
                double e = (lo + hi) / 2;
                *(entropy(e) + e * log2(n - 1) >= R / n ? &hi : &lo) = e;
            }
            if (!(fmax(least, lo) > R / (3 * n * log2(n)) + 1e-9))
                fail_msg("n=%d c=%d: %g %g %g", n, c, least, lo, R / (3 * n * log2(n)));
        }
}

/* EVIDENCE funccomp-params exact 3 test_parameters: L=1..3 multiplied out, digits counted */
static void test_parameters(void **state)
{
    (void)state;
    mpz_t B, K, E, t, product, x, tokens;
    mpz_inits(B, K, E, t, product, x, tokens, NULL);
    static const unsigned long exponent[] = {0, 64, 608, 4960}, printed[] = {0, 16, 256, 4096};
    for (unsigned long L = 1; L <= 3; L++) {
        funccomp_N(E, L, L - 1);
        assert_int_equal(8 * mpz_get_ui(E), exponent[L]);
        assert_true(exponent[L] != printed[L]); /* the two printings do not agree */
        mpz_set_ui(B, 6);
        funccomp_K(K, B, L);
        mpz_set_ui(product, 1);
        mpz_set_ui(tokens, 2);
        for (unsigned long l = 0; l < L; l++) { /* m = (x_0 ... x_(L-1))^8 */
            funccomp_x(E, L, l);
            mpz_pow_ui(x, K, mpz_get_ui(E));
            mpz_mul(product, product, x);
        }
        mpz_pow_ui(product, product, 8);
        mpz_add(tokens, tokens, product);
        for (unsigned long l = 1; l < L; l++) {
            funccomp_x(E, L, l);
            mpz_pow_ui(x, K, mpz_get_ui(E));
            mpz_pow_ui(x, x, 4);
            mpz_mul(product, product, x);
            mpz_add(tokens, tokens, product);
        }
        assert_true(funccomp_tokens(t, B, L, 1 << 20));
        assert_true(mpz_cmp(t, tokens) == 0);
        assert_false(funccomp_tokens(t, B, L, mpz_sizeinbase(tokens, 2) - 1));
        char *s = mpz_get_str(NULL, 10, tokens);
        assert_int_equal(number_digits(tokens), strlen(s));
        free(s);
    }
    evidence_say("test_parameters", "funccomp-params", "exact", 3, "depths");
    /* Digits of powers that are powers of ten: K = 10^32 at HdpL = 1250, L = 2. */
    mpz_set_ui(B, 625);
    funccomp_K(K, B, 2);
    at_arena a;
    at_arena_init(&a);
    at_bound_result r;
    sheet sh = {.a = &a, .out = &r};
    mpz_set_ui(E, 76);
    assert_string_equal(number_power_text(&sh, K, E), "10^2432.0 (2433 digits)");
    mpz_sub_ui(K, K, 1);
    assert_string_equal(number_power_text(&sh, K, E), "10^2431.9 (2432 digits)");
    at_arena_release(&a);
    mpz_clears(B, K, E, t, product, x, tokens, NULL);
}

/* compose-bound with exact sums: round(N + a_1), ..., round(N + a_n) together take at most n 2^(p+e) values as N runs over the reals, here over
 * multiples of 2^-9, which lie on and between all points where a number of these formats and shifts begins or ends. Half of that is not
 * enough for one shift: all floats but NaN and -0 are reached. */
static void test_step_functions(void **state)
{
    (void)state;
    at_rng r = at_rng_at(5, 0);
    for (int p = 2; p <= 4; p++)
        for (int n = 1; n <= 6; n++)
            for (int draw = 0; draw < 20; draw++) {
                char name[16];
                at_arith arith;
                snprintf(name, sizeof name, "p%de3", p);
                OK(at_arith_parse(name, &arith, &err));
                at_pfmt f = at_pfmt_of(arith);
                double shift[6], last[6];
                for (int y = 0; y < n; y++)
                    shift[y] = ((double)at_rng_below(&r, 4097) - 2048) * 0x1p-8;
                int seen = 0;
                for (int k = -32 * 512; k <= 32 * 512; k++) {
                    bool other = !seen;
                    for (int y = 0; y < n; y++) {
                        double v = at_p_round(&f, k * 0x1p-9 + shift[y]);
                        other = other || v != last[y];
                        last[y] = v;
                    }
                    seen += other;
                }
                assert_true(seen <= n << (p + 3));
                if (n == 1)
                    assert_true(2 * seen > 1 << (p + 3));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_functions), cmocka_unit_test(test_logarithms),
        cmocka_unit_test(test_radon),          cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_gadgets),        cmocka_unit_test(test_composition),
        cmocka_unit_test(test_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
