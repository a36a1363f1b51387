/* test_chains.c: how many chains a recurrence has, as the bounds count them and as brute force does. */
#include "bound_test.h"

#include <attest/lang.h>

#include <stdlib.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lis),
        cmocka_unit_test(test_prefix_sums),
        cmocka_unit_test(test_edit_distance),
        cmocka_unit_test(test_fixed_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
