/* test_counts.c: what the bounds count, counted again by other means: powers written out, brute force, recurrences run. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../core/test/test_evidence.h"
#include "../bound_internal.h"
#include "../funccomp.h"

#include <attest/lang.h>
#include <attest/num.h>

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)                                                                                             \
    do {                                                                                                     \
        at_err err = {0};                                                                                    \
        if ((call) != AT_OK)                                                                                 \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)

/* ---- logarithms ------------------------------------------------------------------------------------------------------ */

/* 2^x < c, by writing out 2^x. */
static bool power_below(unsigned long x, const mpz_t c)
{
    mpz_t t;
    mpz_init_set_ui(t, 1);
    mpz_mul_2exp(t, t, x);
    bool out = mpz_cmp(t, c) < 0;
    mpz_clear(t);
    return out;
}

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

/* ---- chains ------------------------------------------------------------------------------------------------------------ */

/* Permutations of n with fewer than k descents, by Euler's recurrence A(n, j) = (j+1) A(n-1, j) + (n-j) A(n-1, j-1). */
static void euler(mpz_t out, unsigned long n, unsigned long k)
{
    mpz_t *A = calloc(n, sizeof *A);
    assert_non_null(A);
    for (unsigned long j = 0; j < n; j++)
        mpz_init_set_ui(A[j], j == 0);
    for (unsigned long i = 2; i <= n; i++)
        for (unsigned long j = i - 1; j >= 1; j--) {
            mpz_mul_ui(A[j], A[j], j + 1);
            mpz_addmul_ui(A[j], A[j - 1], i - j);
        }
    mpz_set_ui(out, 0);
    for (unsigned long j = 0; j < n; j++) {
        if (j < k)
            mpz_add(out, out, A[j]);
        mpz_clear(A[j]);
    }
    free(A);
}

/* The bits at which chains_above changes are those of this number. */
static void chains_are(chains_problem w, unsigned long n, unsigned long letters, const mpz_t count)
{
    mpz_t x, length, k;
    mpz_init(x);
    mpz_init_set_ui(length, n);
    mpz_init_set_ui(k, letters);
    unsigned long bits = (unsigned long)mpz_sizeinbase(count, 2);
    for (unsigned long d = bits < 3 ? 0 : bits - 3; d < bits + 3; d++) {
        mpz_set_ui(x, d);
        assert_int_equal(chains_above(w, length, k, x), power_below(d, count));
    }
    double log = chains_log2(w, length, k);
    assert_true(log <= (double)bits + 1e-9 && log >= (double)bits - 1 - 1e-9);
    mpz_clears(x, length, k, NULL);
}

static uint64_t distinct_chains(const char *example, int64_t n, int64_t second, int64_t *locality)
{
    at_dp *d;
    at_dp_instance *x;
    at_arena a;
    at_tri regular;
    int64_t *first, *twin, size[AT_DP_MAX] = {n, second};
    uint64_t distinct;
    at_arena_init(&a);
    OK(at_dp_example_load(example, &d, &err));
    OK(at_dp_bind(d, size, &x, &err));
    if (locality)
        *locality = x->locality;
    OK(at_dp_regular(x, 100000, &a, &regular, &first, &twin, &distinct, &err));
    at_dp_instance_free(x);
    at_dp_free(d);
    at_arena_release(&a);
    return distinct;
}

static void test_lis(void **state)
{
    (void)state;
    mpz_t count;
    mpz_init(count);
    for (int64_t n = 1; n <= 6; n++)
        for (int64_t k = 1; k <= (n < 6 ? 6 : 4); k++) {
            euler(count, (unsigned long)n, (unsigned long)k);
            assert_int_equal(distinct_chains("lis", n, k, NULL), mpz_get_ui(count));
            if (k >= 2)
                chains_are(CHAINS_LIS, (unsigned long)n, (unsigned long)k, count);
        }
    euler(count, 5, 5);
    assert_int_equal(mpz_get_ui(count), 120);
    for (unsigned long n = 500; n <= 560; n += 6) /* integers below 512, balls above */
        for (unsigned long k = 2; k <= 256; k = 3 * k + 1) {
            euler(count, n, k);
            chains_are(CHAINS_LIS, n, k, count);
        }
    mpz_clear(count);
}

static void test_prefix_sums(void **state)
{
    (void)state;
    mpz_t count;
    mpz_init(count);
    int64_t m;
    for (int64_t n = 1; n <= 6; n++)
        for (int64_t q = 2; q <= 5; q++) {
            mpz_ui_pow_ui(count, (unsigned long)q, (unsigned long)n);
            assert_int_equal(distinct_chains("prefix-sum", n, q, &m), mpz_get_ui(count));
            assert_int_equal(m, n + 1); /* what dp-local-hard takes */
            chains_are(CHAINS_PREFIX_SUM, (unsigned long)n, (unsigned long)q, count);
        }
    /* The local edit distance of words of one letter: 26^2 chains; locality 2n+1. */
    assert_int_equal(distinct_chains("edit-distance-local", 1, 1, &m), 676);
    assert_int_equal(m, 3);
    at_dp *d;
    at_dp_instance *x;
    int64_t size[AT_DP_MAX] = {20, 20};
    OK(at_dp_example_load("edit-distance-local", &d, &err));
    OK(at_dp_bind(d, size, &x, &err));
    assert_int_equal(x->locality, 41);
    at_dp_instance_free(x);
    at_dp_free(d);
    mpz_clear(count);
}

enum { WORD = 8, CELLS = (WORD + 1) * WORD };

/* The table of edit distances of two words of n letters: insert and delete 2, replace 3. */
static void ed_fill(int n, const int *a, const int *b, unsigned char *t)
{
    int D[WORD + 1][WORD + 1];
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            if (!i || !j) {
                D[i][j] = 2 * (i + j);
                continue;
            }
            int x = D[i - 1][j - 1] + 3 * (a[i - 1] != b[j - 1]), y = D[i - 1][j] + 2, z = D[i][j - 1] + 2;
            D[i][j] = x < y ? (x < z ? x : z) : y < z ? y : z;
            t[(i - 1) * n + j - 1] = (unsigned char)D[i][j];
        }
}

/* That of lis, as examples/lis.dp has it: line i has j = 1..i; then line n+1. */
static void lis_fill(int n, const int *s, const int *none, unsigned char *t)
{
    unsigned char own[WORD] = {0}, *at = t;
    (void)none;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= i && j < n; j++) {
            unsigned char p = j ? at[-1] : 0, q = i == n || s[j] < s[i] ? own[j] : 0;
            *at = j == i ? p + 1 : p > q ? p : q;
            if (j == i)
                own[i] = *at;
            at++;
        }
}

static int table_compare(const void *a, const void *b)
{
    return memcmp(a, b, CELLS);
}

/* Words of n letters below k of which letters from..to-1 vary and the others are those of `fixed`: how many tables they have. The first
 * `rows` of a table must be the same for all. */
static uint64_t tables_count(int n, int k, int from, int to, const int *fixed, const int *b, int rows,
                             void (*fill)(int, const int *, const int *, unsigned char *))
{
    uint64_t words = 1, distinct = 1;
    for (int i = from; i < to; i++)
        words *= (uint64_t)k;
    unsigned char(*t)[CELLS] = calloc(words, sizeof *t);
    assert_non_null(t);
    for (uint64_t x = 0; x < words; x++) {
        int a[WORD];
        uint64_t rest = x;
        memcpy(a, fixed, sizeof a);
        for (int i = from; i < to; i++, rest /= (uint64_t)k)
            a[i] = (int)(rest % (uint64_t)k);
        fill(n, a, b, t[x]);
        assert_memory_equal(t[x], t[0], (size_t)rows);
    }
    qsort(t, words, sizeof *t, table_compare);
    for (uint64_t x = 1; x < words; x++)
        distinct += table_compare(t[x - 1], t[x]) != 0;
    free(t);
    return distinct;
}

/* Words that the count of edit distance takes: b in runs, letter x of 0..k-1 most[x] times and then the next; a has each of them at most so
 * often, and the letter k at will. */
typedef struct {
    int n, k, b[WORD], most[WORD];
} ed_family;

static ed_family family_of(int n, int columns, int letters)
{
    ed_family f = {.n = columns, .k = n < letters - 1 ? n : letters - 1};
    for (int x = 0, j = 0; x < f.k; x++) {
        f.most[x] = n / f.k + (x < n % f.k);
        for (int c = 0; c < columns / f.k + (x < columns % f.k); c++)
            f.b[j++] = x;
    }
    return f;
}

/* Words of n letters, n - from of which vary and those before are k, with at most most[x] letters x: how many there are, and how many tables
 * they have against b. */
static uint64_t family_tables(const ed_family *f, int from, int to, uint64_t *words)
{
    uint64_t all = 1, n = 0, distinct = 0;
    for (int i = from; i < to; i++)
        all *= (uint64_t)f->k + 1;
    unsigned char(*t)[CELLS] = calloc(all, sizeof *t);
    assert_non_null(t);
    for (uint64_t x = 0; x < all; x++) {
        int a[WORD], count[WORD + 1] = {0};
        uint64_t rest = x;
        bool in = true;
        for (int i = 0; i < f->n; i++)
            a[i] = f->k;
        for (int i = from; i < to; i++, rest /= (uint64_t)f->k + 1) {
            a[i] = (int)(rest % ((uint64_t)f->k + 1));
            in = in && (++count[a[i]] <= f->most[a[i]] || a[i] == f->k);
        }
        if (in) {
            ed_fill(f->n, a, f->b, t[n]);
            assert_memory_equal(t[n], t[0], (size_t)(from * f->n)); /* rows about what is fixed */
            n++;
        }
    }
    qsort(t, n, sizeof *t, table_compare);
    for (uint64_t x = 0; x < n; x++)
        distinct += !x || table_compare(t[x - 1], t[x]) != 0;
    free(t);
    *words = n;
    return distinct;
}

/* The lemmas of the proof, of one word: a letter x of which there were fewer than its run has is seen in a column of the run that does not
 * hold all it can, and there the cost is that of the diagonal, which no other letter has. */
static void letters_are_seen(const ed_family *f, const int *a)
{
    unsigned char t[CELLS], other[CELLS];
    int n = f->n, seen[WORD + 1] = {0};
    ed_fill(n, a, f->b, t);
    for (int i = 1; i <= n; i++) {
        int x = a[i - 1], column = 0;
#define COST(t, i, j) (!(i) || !(j) ? 2 * ((i) + (j)) : t[((i)-1) * n + (j)-1])
        for (int j = n; j >= 1; j--) /* left to right, h = 2 - (cost(i-1, j) - cost(i-1, j-1)) < 4 */
            if (f->b[j - 1] == x && COST(t, i - 1, j) - COST(t, i - 1, j - 1) > -2)
                column = j;
        if (x < f->k && seen[x] < f->most[x])
            assert_true(column > 0);
        for (int y = 0; column && y <= f->k; y++) {
            int w[WORD];
            memcpy(w, a, sizeof w);
            w[i - 1] = y;
            ed_fill(n, w, f->b, other);
            assert_int_equal(memcmp(t + (i - 1) * n, other + (i - 1) * n, (size_t)n) == 0, y == x);
        }
        assert_true(!column || COST(t, i, column) == COST(t, i - 1, column - 1));
        seen[x]++;
#undef COST
    }
}

/* The same number letter by letter: words of t letters over one letter more, c of them that one. */
static void family_count(mpz_t out, const ed_family *f, int n)
{
    mpz_t g[300], c;
    mpz_init(c);
    for (int t = 0; t <= n; t++)
        mpz_init_set_ui(g[t], 1);
    for (int x = 0; x < f->k; x++)
        for (int t = n; t >= 0; t--) {
            mpz_set_ui(out, 0);
            mpz_set_ui(c, 1); /* C(t, i) */
            for (int i = 0; i <= t && i <= n / f->k + (x < n % f->k); i++) {
                mpz_addmul(out, c, g[t - i]);
                mpz_mul_ui(c, c, (unsigned long)(t - i));
                mpz_divexact_ui(c, c, (unsigned long)i + 1);
            }
            mpz_set(g[t], out);
        }
    mpz_set(out, g[n]);
    for (int t = 0; t <= n; t++)
        mpz_clear(g[t]);
    mpz_clear(c);
}

/* Edit distance: every word of the family has its own table, as many as the calculator says, at least 2^n and 3^(n-1). Controls: one of the
 * first letter more is a word more and no table more; with letters in turn instead of runs words share tables,
 * but where runs are of one letter. */
static void test_edit_distance(void **state)
{
    (void)state;
    uint64_t words, power = 1;
    mpz_t count, before;
    mpz_inits(count, before, NULL);
    for (int n = 1; n <= WORD - 1; n++, power *= 3)
        for (int letters = 2; letters <= (n < 6 ? 6 : n < 7 ? 5 : 4); letters++) {
            ed_family f = family_of(n, n, letters), g = f;
            uint64_t tables = family_tables(&f, 0, n, &words);
            assert_int_equal(tables, words);
            assert_true(words >= (uint64_t)1 << n && (letters < 3 || words >= power));
            mpz_set_ui(count, words);
            chains_are(CHAINS_ED, (unsigned long)n, (unsigned long)letters, count);
            family_count(before, &f, n);
            assert_int_equal(mpz_cmp(count, before), 0);
            for (uint64_t x = 0, all = 1; n < 6 && x < all; x++) {
                int a[WORD] = {0};
                uint64_t rest = x;
                all = 1;
                for (int i = 0; i < n; i++, rest /= (uint64_t)f.k + 1, all *= (uint64_t)f.k + 1)
                    a[i] = (int)(rest % ((uint64_t)f.k + 1));
                letters_are_seen(&f, a);
            }
            if (f.k < 2)
                continue;
            g.most[0]++;
            assert_int_equal(family_tables(&g, 0, n, &words), tables);
            assert_true(words > tables);
            g = f;
            for (int j = 0, c = 0; j < n; c++)
                for (int x = 0; x < f.k; x++)
                    if (c < f.most[x])
                        g.b[j++] = x;
            assert_int_equal(family_tables(&g, 0, n, &words) < words, f.most[0] > 1);
        }
    /* the recurrence against that sum, and no count below those of fewer letters or shorter words */
    static const int lengths[] = {8, 25, 26, 27, 60, 155, 256};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        static const int letters[] = {2, 3, 5, 26, 27, 100, 256};
        int n = lengths[i];
        for (size_t k = 0; k < sizeof letters / sizeof *letters; k++) {
            ed_family f = {.k = n < letters[k] - 1 ? n : letters[k] - 1};
            mpz_set(before, count);
            family_count(count, &f, n);
            assert_true(!k || mpz_cmp(count, before) >= 0);
            chains_are(CHAINS_ED, (unsigned long)n, (unsigned long)letters[k], count);
            chains_ed_words(before, (unsigned long)n - 1, (unsigned long)letters[k]);
            assert_true(mpz_cmp(before, count) < 0);
        }
    }
    /* words of more than 256 letters: pieces */
    chains_ed_words(count, 256, 26);
    mpz_pow_ui(count, count, 2);
    chains_ed_words(before, 44, 26);
    mpz_mul(count, count, before);
    chains_are(CHAINS_ED, 556, 26, count);
    mpz_clears(count, before, NULL);
}

/* The sparse bound fixes the first letters and those behind the block: what is left makes as many chains as it says, and the rows about
 * what is fixed do not change. */
static void test_fixed_prefix(void **state)
{
    (void)state;
    enum { n = 7 };
    mpz_t count;
    mpz_init(count);
    for (int k = 2; k <= 4; k++)
        for (int from = 0; from < 4; from++)
            for (int to = from + 1; to <= (k < 4 ? n : from + 5 < n ? from + 5 : n); to++) {
                int word[WORD] = {0};
                for (int i = 0; i < from; i++)
                    word[i] = k - 1;
                euler(count, (unsigned long)(to - from), (unsigned long)k);
                assert_int_equal(tables_count(n, k, from, to, word, NULL, from * (from + 1) / 2, lis_fill),
                                 mpz_get_ui(count));
                ed_family f = family_of(to - from, n, k);
                uint64_t words, tables = family_tables(&f, from, to, &words);
                assert_int_equal(tables, words);
                mpz_set_ui(count, words);
                chains_are(CHAINS_ED, (unsigned long)(to - from), (unsigned long)k, count);
            }
    mpz_clear(count);
    /* how many letters are fixed, found by walking along the rows */
    static const char *const problems[] = {"prefix-sum", "lis", "ed"};
    const at_bound *bound = at_bound_find("dp-hard");
    int asked = 0;
    for (int w = 0; w < 3; w++)
        for (int size = 3; size <= 60; size += 19)
            for (int B = 2; B <= 40; B += 7)
                for (int M = 1; M <= 3; M++)
                    for (int k = 1; k <= 2; k++) {
                        char set[128], says[64] = "";
                        at_params p;
                        at_arena a;
                        at_bound_result r;
                        snprintf(set, sizeof set,
                                 "attention=sparse problem=%s n=%d B=%d layers=%d k=%d c=1 letters=9",
                                 problems[w], size, B, M, k);
                        at_params_init(&p, bound->params, bound->n_params);
                        at_arena_init(&a);
                        OK(at_params_parse(&p, set, &err));
                        OK(at_bound_compute(bound, &p, &a, &r, &err));
                        for (int i = 0; i < r.n_lines; i++)
                            if (!strcmp(r.lines[i].name, "letters that vary"))
                                snprintf(says, sizeof says, "%s", r.lines[i].text);
                        int position = (w == 2 ? 2 : 1) * size + 1, fixed = 0;
                        for (int i = 1; i <= size + (w == 1); i++)
                            for (int j = 1; j <= (w == 0 ? 1 : w == 1 ? i : size) && j <= size; j++)
                                if (++position <= (1 + (M + 1) * k) * B)
                                    fixed = i;
                        int vary = (size < B - 1 ? size : B - 1) - fixed;
                        if (vary <= 0)
                            assert_int_equal(strncmp(says, "none", 4), 0);
                        else
                            assert_int_equal(atoi(says), vary);
                        asked += vary > 0;
                        at_arena_release(&a);
                    }
    assert_true(asked > 50);
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
        cmocka_unit_test(test_step_functions),
        cmocka_unit_test(test_logarithms),
        cmocka_unit_test(test_lis),
        cmocka_unit_test(test_prefix_sums),
        cmocka_unit_test(test_edit_distance),
        cmocka_unit_test(test_fixed_prefix),
        cmocka_unit_test(test_radon),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_gadgets),
        cmocka_unit_test(test_composition),
        cmocka_unit_test(test_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
