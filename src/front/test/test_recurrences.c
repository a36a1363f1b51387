/* test_recurrences.c: recurrences of examples/ against the definition of their problem, interpreted and compiled.
 *
 * Each brute force follows the definition (all orders, all ways, all subsets), not the recurrence. At small sizes every input is
 * run: by the interpreter, and by the decoder of every kind of attention, whose chain must be the interpreter's row for row. Two
 * controls a problem: a recurrence with one word changed must disagree with the brute force, and a decoder whose scales are
 * too small with the interpreter. At L >= 1000 inputs are drawn, for decoders of constant size; `test_recurrences large` asks those of every
 * kind of attention. */
#include <attest/front.h>

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../core/test/test_scale.h"

#define MOST_INPUTS (TEST_SCALE > 1 ? 12 : INT_MAX) /* of a decoder, at one size: under sanitizers few */

/* ---- brute force: inputs one after the other, and sizes as the interpreter has them ---------------------------------- */

typedef int64_t brute_fn(const int64_t *s, const int64_t *n);

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The next order of n things; false behind the last. */
static bool order_next(int *p, int n)
{
    int i = n - 2, j = n - 1;
    while (i >= 0 && p[i] > p[i + 1])
        i--;
    if (i < 0)
        return false;
    while (p[j] < p[i])
        j--;
    for (int k = p[i]; k >= 0; k = -1)
        p[i] = p[j], p[j] = k;
    for (int a = i + 1, b = n - 1; a < b; a++, b--) {
        int k = p[a];
        p[a] = p[b];
        p[b] = k;
    }
    return true;
}

/* In every order of the n - 1 products: each joins two neighbours, and the side between them is gone. */
static int64_t matrix_chain(const int64_t *s, const int64_t *n)
{
    int inner = (int)n[0] - 1, p[16];
    int64_t best = INT64_MAX;
    for (int i = 0; i < inner; i++)
        p[i] = i + 1;
    do {
        bool gone[16] = {false};
        int64_t cost = 0;
        for (int i = 0; i < inner; i++) {
            int a = p[i] - 1, b = p[i] + 1;
            while (gone[a])
                a--;
            while (gone[b])
                b++;
            cost += s[a] * s[p[i]] * s[b];
            gone[p[i]] = true;
        }
        best = lesser(best, cost);
    } while (order_next(p, inner));
    return best;
}

/* Brackets never close more than are open, and in the end none is. */
static int64_t brackets(const int64_t *s, const int64_t *n)
{
    int64_t open = 0;
    bool good = n[0] > 0;
    for (int64_t i = 0; i < n[0]; i++) {
        open += s[i] == 1 ? 1 : -1;
        good = good && open >= 0;
    }
    return good && open == 0;
}

/* Every order in which keys are put into a tree without balancing makes a tree, and all trees come. */
static int64_t search_tree(const int64_t *s, const int64_t *n)
{
    int keys = (int)n[0], p[16];
    int64_t best = INT64_MAX;
    for (int i = 0; i < keys; i++)
        p[i] = i;
    do {
        int64_t steps = 0;
        for (int i = 0; i < keys;
             i++) { /* key p[i] meets those before it that nothing in between parts from it */
            int depth = 1;
            for (int j = 0; j < i; j++) {
                bool parted = false;
                for (int k = 0; k < j; k++)
                    parted = parted || (p[k] < p[j]) != (p[k] < p[i]);
                depth += !parted;
            }
            steps += depth * s[p[i]];
        }
        best = lesser(best, steps);
    } while (order_next(p, keys));
    return best;
}

/* With t throws and e eggs, sums of binomials many floors can be told apart. */
static int64_t egg_drop(const int64_t *s, const int64_t *n)
{
    (void)s;
    for (int64_t t = 0;; t++) {
        int64_t told = 0, choose = 1;
        for (int64_t e = 1; e <= n[0]; e++) {
            choose = choose * (t - e + 1) / e;
            told += choose;
        }
        if (told >= n[1])
            return t;
    }
}

static int64_t viterbi(const int64_t *s, const int64_t *n)
{
    static const int64_t start[] = {3, 2, 0}, move[3][3] = {{4, 1, 2}, {2, 5, 1}, {0, 3, 3}},
                         show[3][3] = {{5, 1, 0}, {1, 4, 2}, {2, 2, 4}};
    int64_t best = INT64_MIN, ways = 1;
    for (int64_t i = 0; i < n[0]; i++)
        ways *= 3;
    for (int64_t w = 0; w < ways; w++) {
        int64_t score = 0, left = w, last = 0;
        for (int64_t i = 0; i < n[0]; i++) {
            int64_t h = left % 3;
            score += show[h][s[i] - 1] + (i ? move[last][h] : start[h]);
            last = h;
            left /= 3;
        }
        best = greater(best, score);
    }
    return best;
}

/* Every set of towns on the way out; the others are on the way back. Roads are those from the western town. */
static int64_t bitonic(const int64_t *s, const int64_t *n)
{
    int towns = (int)n[0];
    int64_t best = INT64_MAX;
    for (unsigned f = 0; f < 1u << (towns - 2); f++) {
        int last[2] = {0, 0};
        int64_t way = 0;
        for (int t = 1; t < towns; t++)
            for (int side = 0; side < 2; side++)
                if (t == towns - 1 || (int)(f >> (t - 1) & 1) == side) {
                    way += s[last[side] * towns + t];
                    last[side] = t;
                }
        best = lesser(best, way);
    }
    return best;
}

/* Every way without a town twice. */
static int64_t simple_way(const int64_t *s, int towns, int at, int to, unsigned seen)
{
    if (at == to)
        return 0;
    int64_t best = INT64_MAX / 2;
    for (int t = 0; t < towns; t++)
        if (!(seen >> t & 1))
            best = lesser(best, s[at * towns + t] + simple_way(s, towns, t, to, seen | 1u << t));
    return best;
}

static int64_t longest_way(const int64_t *s, const int64_t *n)
{
    int64_t most = 0;
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[0]; j++)
            most = greater(most, simple_way(s, (int)n[0], i, j, 1u << i));
    return most;
}

/* All ways to pair some letters of a with as many of b in order. */
static int64_t alignment(const int64_t *s, const int64_t *n)
{
    int64_t best = INT64_MAX;
    const int64_t *b = s + n[0];
    for (unsigned f = 0; f < 1u << n[0]; f++)
        for (unsigned g = 0; g < 1u << n[1]; g++) {
            if (__builtin_popcount(f) != __builtin_popcount(g))
                continue;
            int64_t cost = 2 * (n[0] + n[1] - 2 * __builtin_popcount(f));
            for (int i = 0, j = 0; i < n[0]; i++)
                if (f >> i & 1) {
                    while (!(g >> j & 1))
                        j++;
                    cost += s[i] == b[j++] ? 0 : 3;
                }
            best = lesser(best, cost);
        }
    return best;
}

static int64_t max_product(const int64_t *s, const int64_t *n)
{
    int64_t best = INT64_MIN;
    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t j = i, p = 1; j < n[0]; j++)
            best = greater(best, p *= s[j]);
    return best;
}

static int64_t max_subarray(const int64_t *s, const int64_t *n)
{
    int64_t best = INT64_MIN;
    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t j = i, p = 0; j < n[0]; j++)
            best = greater(best, p += s[j]);
    return best;
}

/* Every set of cuts. */
static int64_t rod_cutting(const int64_t *s, const int64_t *n)
{
    int64_t best = 0;
    for (unsigned f = 0; f < 1u << (n[0] - 1); f++) {
        int64_t sum = 0, from = 0;
        for (int i = 0; i < n[0]; i++)
            if (i == n[0] - 1 || f >> i & 1) {
                sum += s[i - from];
                from = i + 1;
            }
        best = greater(best, sum);
    }
    return best;
}

static int64_t climbs(const int64_t *broken, int64_t left)
{
    int64_t ways = left == 0;
    for (int64_t k = 1; k <= 3 && k <= left; k++)
        ways += broken[k - 1] ? 0 : climbs(broken + k, left - k);
    return ways;
}

static int64_t stairs(const int64_t *s, const int64_t *n)
{
    return climbs(s, n[0]) % 1000000007;
}

static int64_t subset_sum(const int64_t *s, const int64_t *n)
{
    bool any = false;
    for (unsigned f = 0; f < 1u << n[0]; f++) {
        int64_t sum = 0;
        for (int i = 0; i < n[0]; i++)
            sum += f >> i & 1 ? s[i] : 0;
        any = any || sum == s[n[0]];
    }
    return any;
}

static int64_t common_substring(const int64_t *s, const int64_t *n)
{
    int64_t best = 0;
    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t j = 0; j < n[1]; j++)
            for (int64_t k = 0; i + k < n[0] && j + k < n[1] && s[i + k] == s[n[0] + j + k]; k++)
                best = greater(best, k + 1);
    return best;
}

static int64_t palindrome_cuts(const int64_t *s, const int64_t *n)
{
    int64_t best = INT64_MAX;
    for (unsigned f = 0; f < 1u << (n[0] - 1); f++) {
        bool good = true;
        int from = 0;
        for (int i = 0; i < n[0]; i++)
            if (i == n[0] - 1 || f >> i & 1) {
                for (int a = from, b = i; a < b; a++, b--)
                    good = good && s[a] == s[b];
                from = i + 1;
            }
        if (good)
            best = lesser(best, __builtin_popcount(f));
    }
    return best;
}

/* Every set of places of c for the letters of a. */
static int64_t interleaving(const int64_t *s, const int64_t *n)
{
    int all = (int)(n[0] + n[1]);
    bool any = false;
    for (unsigned f = 0; f < 1u << all; f++) {
        const int64_t *a = s, *b = s + n[0], *c = s + all;
        bool good = __builtin_popcount(f) == n[0];
        for (int i = 0; good && i < all; i++)
            good = c[i] == (f >> i & 1 ? *a++ : *b++);
        any = any || good;
    }
    return any;
}

/* Every set of days with as many for buying as for selling, in turn. */
static int64_t stock(const int64_t *s, const int64_t *n)
{
    int64_t best = 0;
    for (unsigned f = 0; f < 1u << n[0]; f++) {
        int64_t cash = 0;
        bool share = false;
        for (int i = 0; i < n[0]; i++)
            if (f >> i & 1) {
                cash += share ? s[i] - s[n[0]] : -s[i];
                share = !share;
            }
        best = share ? best : greater(best, cash);
    }
    return best;
}

static int64_t dice(const int64_t *s, const int64_t *n)
{
    int64_t all = 1, ways = 0;
    for (int64_t d = 0; d < n[0]; d++)
        all *= n[2];
    for (int64_t w = 0; w < all; w++) {
        int64_t left = w, sum = 0;
        bool good = true;
        for (int64_t d = 0; d < n[0]; d++) {
            int64_t face = 1 + left % n[2];
            sum += face;
            good = good && face != s[d];
            left /= n[2];
        }
        ways += good && sum == n[1];
    }
    return ways;
}

static int64_t jumps_from(const int64_t *reach, int64_t at, int64_t n)
{
    if (at == n - 1)
        return 0;
    int64_t best = n;
    for (int64_t k = 1; k <= reach[at] && at + k < n; k++)
        best = lesser(best, 1 + jumps_from(reach, at + k, n));
    return best;
}

static int64_t jumps(const int64_t *s, const int64_t *n)
{
    return jumps_from(s, 0, n[0]);
}

static int64_t bit_count(const int64_t *s, const int64_t *n)
{
    (void)s;
    int64_t count = 0;
    for (unsigned i = 0; i <= n[0]; i++) {
        int ones = __builtin_popcount(i), divisors = 0;
        for (int k = 1; k <= ones; k++)
            divisors += ones % k == 0;
        count += divisors == 2;
    }
    return count;
}

/* ---- the list ------------------------------------------------------------------------------------------------------- */

enum { SMALL = 3 };
static const struct problem {
    const char *file;
    brute_fn *brute;
    const char *small[SMALL];
    int letters;           /* small: prompts use so many of the lowest values of each input */
    const char *large;     /* L >= 1000 */
    const char *from, *to; /* a change that makes another problem of it */
} problems[] = {
    {"matrix-chain", matrix_chain, {"n=1", "n=3", "n=4"}, 3, "n=19", "min over", "max over"},
    {"cyk", brackets, {"n=1", "n=4", "n=6"}, 2, "n=18", "l(k, i) == 1 and", "l(k, i) == 0 and"},
    {"search-tree", search_tree, {"n=1", "n=2", "n=4"}, 3, "n=18", "now + min", "min"},
    {"egg-drop",
     egg_drop,
     {"eggs=1,floors=4", "eggs=2,floors=6", "eggs=3,floors=7"},
     1,
     "eggs=3,floors=29",
     "max(",
     "min("},
    {"viterbi", viterbi, {"n=1", "n=2", "n=4"}, 3, "n=120", "max over", "min over"},
    {"bitonic", bitonic, {"n=3", NULL, NULL}, 2, "n=15", "+ far[i, n]", "+ far[1, n]"},
    {"floyd-warshall", longest_way, {"n=1", "n=2", "n=3"}, 2, "n=10", "min(way(k - 1, i, j),", "min(9,"},
    {"alignment",
     alignment,
     {"n=1,m=1", "n=2,m=3", "n=3,m=3"},
     2,
     "n=30,m=30",
     "then 0 else 3",
     "then 0 else 1"},
    {"max-product",
     max_product,
     {"n=1", "n=2", "n=3"},
     5,
     "n=500",
     "x[i]*least(i - 1))",
     "x[i]*most(i - 1))"},
    {"max-subarray", max_subarray, {"n=1", "n=2", NULL}, 19, "n=500", "answer max", "answer min"},
    {"rod-cutting", rod_cutting, {"n=1", "n=3", "n=5"}, 3, "n=45", "best(i - k)", "best(i - 1)"},
    {"stairs", stairs, {"n=1", "n=4", "n=7"}, 2, "n=500", "i > 2", "i > 3"},
    {"subset-sum",
     subset_sum,
     {"n=1,most=3", "n=2,most=5", "n=3,most=8"},
     3,
     "n=20,most=50",
     "x[i] <= w",
     "x[i] < w"},
    {"common-substring", common_substring, {"n=1,m=1", "n=2,m=3", "n=3,m=4"}, 2, "n=31,m=31", "1 + if", "if"},
    {"palindrome-cuts", palindrome_cuts, {"n=1", "n=4", "n=6"}, 2, "n=31", "cuts(b - 1) + 1", "cuts(b - 1)"},
    {"interleaving", interleaving, {"n=1,m=1", "n=2,m=2", NULL}, 2, "n=31,m=31", "or j > 0", "and j > 0"},
    {"stock", stock, {"n=1", "n=3", "n=4"}, 3, "n=500", "- fee", "- 1"},
    {"dice", dice, {"n=1,s=3", "n=2,s=7", "n=3,s=5"}, 7, "n=6,s=36", "barred[d] == f", "barred[d] == t"},
    {"jumps", jumps, {"n=1", "n=3", "n=5"}, 3, "n=45", "least(j) + 1", "least(j)"},
    {"bit-count", bit_count, {"n=0", "n=5", "n=12"}, 1, "n=1000", "i mod 2", "(i + 1) mod 2"},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* Those whose definition test_dp.c has, and whose small sizes test_compile.c: asked here at L >= 1000. */
static const struct problem others[] = {
    {"edit-distance", .large = "n1=31,n2=31"}, {"edit-distance-local", .large = "n1=31,n2=31"},
    {"lis", .large = "n=45,top=99"},           {"lcs", .large = "n1=31,n2=31"},
    {"grid", .large = "rows=23,cols=23"},      {"knapsack", .large = "n=20,cap=50"},
    {"coins", .large = "n=20,amount=50"},      {"prefix-sum", .large = "n=500,q=5"},
    {"palindrome", .large = "n=45"},
};
enum { OTHERS = sizeof others / sizeof *others };

/* ---- instances and inputs --------------------------------------------------------------------------------------------- */

static at_dp *loaded(const char *file)
{
    char path[256];
    at_err err = {0};
    at_dp *d;
    snprintf(path, sizeof path, "examples/%s.dp", file);
    if (at_dp_load(path, &d, &err))
        fail_msg("%s", err.text);
    return d;
}

static at_dp_instance *bound(const at_dp *d, const char *sizes)
{
    int64_t size[AT_DP_MAX];
    at_err err = {0};
    at_dp_instance *x;
    if (at_dp_sizes_parse(d, sizes, size, &err) || at_dp_bind_all(d, size, &x, &err))
        fail_msg("%s at %s: %s", d->title, sizes, err.text);
    return x;
}

/* How many values element i of the inputs has; its least. */
static int64_t values_of(const at_dp_instance *x, int64_t i, int letters, int64_t *least)
{
    int which = 0;
    while (which + 1 < x->d->n_inputs && i >= x->input_first[which + 1])
        which++;
    *least = x->input_lo[which];
    return lesser(x->input_hi[which] - *least + 1, letters);
}

/* All inputs, one after the other; false behind the last. Before the first: a fresh one. */
static bool input_next(const at_dp_instance *x, int letters, int64_t *in)
{
    int64_t least;
    for (int64_t i = x->n_input - 1; i >= 0; i--) {
        int64_t n = values_of(x, i, letters, &least);
        if (++in[i] < least + n)
            return true;
        in[i] = least;
    }
    return false;
}

static int64_t *input_first(const at_dp_instance *x)
{
    int64_t *in = calloc((size_t)x->n_input + 1, sizeof *in);
    assert_non_null(in);
    for (int64_t i = 0; i < x->n_input; i++)
        values_of(x, i, 1, &in[i]);
    return in;
}

/* ---- interpreted: the answer is that of the definition ------------------------------------------------------------------ */

/* How many inputs have another answer, or none. */
static long disagreements(const at_dp_instance *x, const struct problem *p, long *inputs)
{
    int64_t *in = input_first(x);
    long wrong = 0;
    at_arena a;
    at_arena_init(&a);
    at_mark mark = at_arena_mark(&a);
    do {
        at_dp_chain y;
        at_err err = {0};
        ++*inputs;
        wrong += at_dp_run(x, in, &a, &y, &err) != AT_OK || y.answer != p->brute(in, x->size);
        at_arena_reset(&a, mark);
    } while (input_next(x, p->letters, in));
    at_arena_release(&a);
    free(in);
    return wrong;
}

static void test_definition(void **state)
{
    (void)state;
    for (size_t k = 0; k < PROBLEMS; k++) {
        const struct problem *p = &problems[k];
        at_dp *d = loaded(p->file);
        long inputs = 0;
        for (int s = 0; s < SMALL && p->small[s]; s++) {
            at_dp_instance *x = bound(d, p->small[s]);
            assert_int_equal(x->proved, AT_TRUE);
            long wrong = disagreements(x, p, &inputs);
            if (wrong)
                fail_msg("%s at %s: %ld answers are not those of the definition", p->file, p->small[s],
                         wrong);
            at_dp_instance_free(x);
        }
        print_message("%s: %ld inputs\n", p->file, inputs);
        at_dp_free(d);
    }
}

/* The text with the first `from` replaced by `to`. */
static char *changed(const struct problem *p)
{
    char path[256];
    at_err err = {0};
    char *text;
    size_t n;
    snprintf(path, sizeof path, "examples/%s.dp", p->file);
    if (at_file_read(path, 1 << 16, &text, &n, &err))
        fail_msg("%s", err.text);
    char *out = calloc(n + strlen(p->to) + 1, 1);
    char *copy = calloc(n + 1, 1);
    assert_true(out && copy);
    memcpy(copy, text, n);
    at_free(text);
    char *at = strstr(copy, p->from);
    if (!at)
        fail_msg("%s: no \"%s\" in it", p->file, p->from);
    sprintf(out, "%.*s%s%s", (int)(at - copy), copy, p->to, at + strlen(p->from));
    free(copy);
    return out;
}

/* A control: another recurrence has other answers, or is refused, and the comparison above says so. */
static void test_changed(void **state)
{
    (void)state;
    for (size_t k = 0; k < PROBLEMS; k++) {
        const struct problem *p = &problems[k];
        char *text = changed(p);
        at_dp *d;
        at_err err = {0};
        if (at_dp_parse(text, strlen(text), "changed.dp", &d, &err))
            fail_msg("%s: %s", p->file, err.text);
        long wrong = 0, inputs = 0, refused = 0;
        for (int s = 0; s < SMALL && p->small[s]; s++) {
            int64_t size[AT_DP_MAX];
            at_dp_instance *x;
            assert_int_equal(at_dp_sizes_parse(d, p->small[s], size, &err), AT_OK);
            if (at_dp_bind_all(d, size, &x, &err))
                refused++;
            else {
                wrong += disagreements(x, p, &inputs);
                at_dp_instance_free(x);
            }
        }
        print_message("%s, \"%s\" for \"%s\": %ld of %ld answers differ, %ld sizes refused\n", p->file, p->to,
                      p->from, wrong, inputs, refused);
        assert_true(wrong > 0);
        at_dp_free(d);
        free(text);
    }
}

/* ---- compiled: the chain is that of the interpreter ----------------------------------------------------------------------- */

static bool chain_right(const at_dp_instance *x, const at_model *m, at_arith a, const int64_t *in,
                        double *margin)
{
    at_arena arena;
    at_arena_init(&arena);
    at_err err = {0};
    int row = at_model_row_width(m), n;
    double *prompt = at_new(&arena, double, (x->n_input + 1) * row), *rows, least;
    double *want = at_new(&arena, double, (x->n_states + 1) * row);
    for (int64_t i = 0; i < x->n_input; i++)
        prompt[i * row] = (double)in[i];
    at_dp_chain y;
    if (at_dp_run(x, in, &arena, &y, &err))
        fail_msg("%s", err.text);
    at_dp_rows(x, &y, want);
    at_input p = {(int)x->n_input + 1, prompt};
    bool right = at_generate(m, a, &p, &arena, &rows, &n, &least, &err) == AT_OK && n == x->n_states + 1 &&
                 memcmp(rows, want, (size_t)n * (size_t)row * sizeof *rows) == 0;
    if (right)
        *margin = fmin(*margin, least);
    at_arena_release(&arena);
    return right;
}

/* Every input up to a bound, by the decoder; returns how many chains are wrong. */
static int wrong_chains(const at_dp_instance *x, const struct problem *p, const at_model *m, int *inputs,
                        double *margin)
{
    int64_t *in = input_first(x);
    int wrong = 0;
    *inputs = 0;
    do {
        wrong += !chain_right(x, m, at_f64, in, margin);
        ++*inputs;
    } while (*inputs < MOST_INPUTS && input_next(x, p->letters, in));
    free(in);
    return wrong;
}

static void test_compiled(void **state)
{
    (void)state;
    long chains = 0;
    for (size_t k = 0; k < PROBLEMS; k++) {
        const struct problem *p = &problems[k];
        at_dp *d = loaded(p->file);
        for (int s = 0; s < SMALL && p->small[s]; s++) {
            at_dp_instance *x = bound(d, p->small[s]);
            for (int kind = 0; kind < AT_ATTENTIONS; kind++) {
                at_model m;
                at_err err = {0};
                double margin = INFINITY;
                int inputs;
                if (at_dp_model(x, &(at_dp_options){(at_attention_kind)kind}, &m, &err))
                    fail_msg("%s (%s): %s", p->file, at_attention_names[kind], err.text);
                int wrong = wrong_chains(x, p, &m, &inputs, &margin);
                if (wrong)
                    fail_msg("%s at %s (%s): %d of %d chains are wrong", p->file, p->small[s],
                             at_attention_names[kind], wrong, inputs);
                assert_true(margin > 0.1);
                chains += inputs;
                at_model_release(&m);
            }
            at_dp_instance_free(x);
        }
        at_dp_free(d);
    }
    print_message("# %ld chains\n", chains);
}

/* A control: with scales that are too small some chain is wrong, and the comparison above says so. */
static void test_broken(void **state)
{
    (void)state;
    for (size_t k = 0; k < PROBLEMS; k++) {
        const struct problem *p = &problems[k];
        at_dp *d = loaded(p->file);
        int wrong = 0;
        for (int s = 0; s < SMALL && p->small[s] && !wrong; s++) {
            at_dp_instance *x = bound(d, p->small[s]);
            at_model m;
            at_err err = {0};
            double margin = INFINITY;
            int inputs;
            if (at_dp_model(x, &(at_dp_options){AT_ATTENTION_STANDARD, .scale = 0.01}, &m, &err))
                fail_msg("%s: %s", p->file, err.text);
            wrong = wrong_chains(x, p, &m, &inputs, &margin);
            at_model_release(&m);
            at_dp_instance_free(x);
        }
        if (!wrong)
            fail_msg("%s: nothing is wrong with scales that are too small", p->file);
        at_dp_free(d);
    }
}

/* ---- what the alignment writes is one, and costs what it says --------------------------------------------------------------- */

static void test_traceback(void **state)
{
    (void)state;
    at_dp *d = loaded("alignment");
    at_dp_instance *x = bound(d, "n=3,m=4");
    int64_t *in = input_first(x);
    at_arena a;
    at_arena_init(&a);
    do {
        at_dp_chain y;
        at_err err = {0};
        assert_int_equal(at_dp_run(x, in, &a, &y, &err), AT_OK);
        int64_t i = 3, j = 4, cost = 0;
        for (int64_t t = 0; t < 7; t++) {
            const int64_t *v = y.value + (x->n_states - 7 + t) * d->n_values;
            switch (v[1]) {
            case 1:
                cost += in[--i] == in[3 + --j] ? 0 : 3;
                break;
            case 2:
                i--;
                cost += 2;
                break;
            case 3:
                j--;
                cost += 2;
                break;
            default:
                assert_true(i == 0 && j == 0);
            }
            assert_true(i >= 0 && j >= 0 && v[2] == i && v[3] == j);
        }
        assert_true(i == 0 && j == 0 && cost == y.answer);
    } while (input_next(x, 2, in));
    free(in);
    at_arena_release(&a);
    at_dp_instance_free(x);
    at_dp_free(d);
}

/* ---- letters in prompts ------------------------------------------------------------------------------------------- */

/* Letters are their numbers where the inputs have such, and words of nothing elsewhere. */
/* Counters behind one that depends on another: the place of a state is a sum over strides. Every state looks one step back in each
 * counter, and at a state of another line. */
static void test_strides(void **state)
{
    (void)state;
    static const char text[] = "problem \"strides\" size n in 1..4 input a[n] in 0..2\n"
                               "state i in 1..n, j in 1..i, k in 1..2, l in 1..3\n"
                               "value v in 0..4\n"
                               "need near = (i, j, k, l - 1) when l > 1\n"
                               "need left = (i, j, k - 1, l) when k > 1\n"
                               "need up = (i, j - 1, k, l) when j > 1\n"
                               "need far = (i - 1, 1, 2, l) when i > 1\n"
                               "v = (a[i] + 2*a[j] + k + l + (if l > 1 then near.v else 0) + (if k > 1 then "
                               "2*left.v else 1) + (if j > 1 then 3*up.v\n"
                               "     else 0) + (if i > 1 then far.v else 2)) mod 5\n"
                               "answer v";
    at_err err = {0};
    at_dp *d;
    at_dp_instance *x;
    int64_t n = 3;
    assert_int_equal(at_dp_parse(text, sizeof text - 1, "strides.dp", &d, &err), AT_OK);
    assert_int_equal(at_dp_bind(d, &n, &x, &err), AT_OK);
    assert_int_equal(x->n_states, 6 * 6);
    for (int kind = 0; kind < 4; kind++) {
        at_model m;
        double margin = INFINITY;
        if (at_dp_model(x, &(at_dp_options){.attention = (at_attention_kind)kind}, &m, &err))
            fail_msg("%s", err.text);
        for (int64_t in[3] = {0}; in[2] < 3; in[0]++) {
            for (int c = 0; c < 2 && in[c] == 3; c++)
                in[c] = 0, in[c + 1]++;
            if (in[2] < 3)
                assert_true(chain_right(x, &m, at_f64, in, &margin));
        }
        at_model_release(&m);
    }
    at_dp_instance_free(x);
    at_dp_free(d);
}

static void test_letters(void **state)
{
    (void)state;
    static const double kit[] = {'k', 'i', 't', 's', 'i', 't', 0};
    at_arena a;
    at_arena_init(&a);
    for (int k = 0; k < 2; k++) {
        at_dp *d = loaded(k ? "edit-distance" : "alignment");
        at_dp_instance *x = bound(d, k ? "n1=3,n2=3" : "n=3,m=3");
        at_model m;
        at_err err = {0};
        at_input in;
        assert_int_equal(at_dp_model(x, &(at_dp_options){AT_ATTENTION_STANDARD}, &m, &err), AT_OK);
        at_status s = at_prompt_parse(&m, "kit sit |", &a, &in, &err);
        assert_int_equal(at_exit_code(s), k ? 2 : 0);
        for (int i = 0; !s && i < 7; i++)
            assert_true(in.v[i * at_model_row_width(&m)] == kit[i]);
        if (!k)
            assert_int_equal(at_exit_code(at_prompt_parse(&m, "kit siT |", &a, &in, &err)), 2);
        at_model_release(&m);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
    at_arena_release(&a);
}

/* ---- L >= 1000 ---------------------------------------------------------------------------------------------------------------- */

/* What is refused there: numbers up to 2 * 1000000007, of which a mean that is multiplied by its count is not exact enough in doubles. */
static bool refused_large(const struct problem *p, at_attention_kind kind)
{
    return !strcmp(p->file, "stairs") && (kind == AT_ATTENTION_LINEAR || kind == AT_ATTENTION_SPARSE);
}

/* How many of so many draws are wrong, by a decoder with this scale (0: its own). Every second draw is adversarial (docs/dp.md). */
static int wrong_draws(const void *chain, const struct problem *p, at_attention_kind kind, double scale,
                       int draws, double *margin)
{
    const at_dp_instance *x = at_dp_chain_instance(chain);
    at_model m;
    at_err err = {0};
    int wrong = 0, n, row = at_dp_chain_row_width(chain);
    at_status s = at_dp_model(x, &(at_dp_options){kind, .scale = scale}, &m, &err);
    if ((s != AT_OK) != refused_large(p, kind))
        fail_msg("%s at %s (%s): %s", p->file, p->large, at_attention_names[kind], s ? err.text : "compiled");
    if (s)
        return 0;
    int64_t *in = input_first(x);
    double *prompt = calloc((size_t)at_dp_chain_prompt_max(chain) * (size_t)row, sizeof *prompt);
    assert_non_null(prompt);
    for (int draw = 0; draw < draws; draw++) {
        at_rng r = at_rng_at(7, (uint64_t)draw);
        assert_int_equal(
            (draw % 2 ? at_dp_chain_adversarial : at_dp_chain_sample)(chain, &r, prompt, &n, &err), AT_OK);
        for (int64_t i = 0; i < x->n_input; i++)
            in[i] = (int64_t)prompt[i * row];
        wrong += !chain_right(x, &m, at_f64, in, margin);
    }
    print_message("%s at %s (%s%s): L = %d, width %d, %d of %d draws wrong, least margin %.3g\n", p->file,
                  p->large, at_attention_names[kind], scale > 0 ? ", control" : "", (int)x->L, m.width, wrong,
                  draws, *margin);
    free(prompt);
    free(in);
    at_model_release(&m);
    return wrong;
}

/* Problems at L >= 1000, `only` one of them if it is not NULL, in these kinds of attention. */
static void large(const char *only, const at_attention_kind *kinds, int n_kinds, int draws)
{
    for (size_t k = 0; k < PROBLEMS + OTHERS; k++) {
        const struct problem *p = k < PROBLEMS ? &problems[k] : &others[k - PROBLEMS];
        if (only && strcmp(only, p->file) != 0)
            continue;
        at_dp *d = loaded(p->file);
        int64_t size[AT_DP_MAX];
        void *chain;
        at_err err = {0};
        double margin = INFINITY, broken = INFINITY;
        if (at_dp_sizes_parse(d, p->large, size, &err) || at_dp_chain_open(d, true, size, 0, &chain, &err))
            fail_msg("%s at %s: %s", p->file, p->large, err.text);
        assert_true(at_dp_chain_instance(chain)->L >= 1000);
        for (int i = 0; i < n_kinds; i++)
            if (wrong_draws(chain, p, kinds[i], 0, draws, &margin))
                fail_msg("%s at %s (%s): a draw is wrong", p->file, p->large, at_attention_names[kinds[i]]);
        assert_true(margin > 0.1);
        /* control: scales that are too small */
        if (!wrong_draws(chain, p, AT_ATTENTION_STANDARD, 0.01, 8, &broken))
            fail_msg("%s at %s: nothing is wrong with scales that are too small", p->file, p->large);
        at_dp_chain_close(chain);
    }
}

static void test_large(void **state)
{
    static const at_attention_kind kinds[] = {AT_ATTENTION_STANDARD, AT_ATTENTION_LOCAL};
    (void)state;
    large(NULL, kinds, 2, 2);
}

static void test_large_all(void **state)
{
    static const at_attention_kind kinds[] = {AT_ATTENTION_STANDARD, AT_ATTENTION_SPARSE, AT_ATTENTION_LINEAR,
                                              AT_ATTENTION_LOCAL};
    large(*state, kinds, 4, 4);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest all[] = {cmocka_unit_test_prestate(test_large_all, argc > 2 ? argv[2] : NULL)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_definition), cmocka_unit_test(test_changed),
                                       cmocka_unit_test(test_compiled),   cmocka_unit_test(test_broken),
                                       cmocka_unit_test(test_traceback),  cmocka_unit_test(test_letters),
                                       cmocka_unit_test(test_strides),    cmocka_unit_test(test_large)};
    return argc > 1 && strcmp(argv[1], "large") == 0 ? cmocka_run_group_tests(all, NULL, NULL)
                                                     : cmocka_run_group_tests(tests, NULL, NULL);
}
