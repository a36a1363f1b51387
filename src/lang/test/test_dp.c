/* test_dp.c: the examples against brute force on all small inputs, the numbers of the analysis, printing back.
 *
 * Each brute force follows the definition of its problem (all subsets, all paths, all counts), not the recurrence. */
#include "dp_test.h"

/* ---- brute force: input and sizes as the interpreter gets them --------------------------------------- */

typedef int64_t brute_fn(const int64_t *s, const int64_t *n);

/* The letters of word that the mask picks. */
static int picked(const int64_t *word, int64_t n, unsigned mask, int64_t *out)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (mask >> i & 1)
            out[k++] = word[i];
    return k;
}

/* All ways to match some letters of a with as many of b in order: 2 for each letter left, 3 for an unequal pair. */
static int64_t words_edit(const int64_t *a, int64_t n1, const int64_t *b, int64_t n2)
{
    int64_t best = INT64_MAX, x[16], y[16];
    for (unsigned f = 0; f < 1u << n1; f++)
        for (unsigned g = 0; g < 1u << n2; g++) {
            int k = picked(a, n1, f, x);
            if (picked(b, n2, g, y) != k)
                continue;
            int64_t cost = 2 * (n1 + n2 - 2 * k);
            for (int i = 0; i < k; i++)
                cost += x[i] == y[i] ? 0 : 3;
            best = cost < best ? cost : best;
        }
    return best;
}

static int64_t edit_brute(const int64_t *s, const int64_t *n)
{
    return words_edit(s, n[0], s + n[0], n[1]);
}

static int64_t lcs_brute(const int64_t *s, const int64_t *n)
{
    int64_t best = 0, x[16], y[16];
    for (unsigned f = 0; f < 1u << n[0]; f++)
        for (unsigned g = 0; g < 1u << n[1]; g++) {
            int k = picked(s, n[0], f, x);
            if (picked(s + n[0], n[1], g, y) == k && k > best && memcmp(x, y, (size_t)k * sizeof *x) == 0)
                best = k;
        }
    return best;
}

static int64_t lis_brute(const int64_t *s, const int64_t *n)
{
    int64_t best = 0, x[16];
    for (unsigned f = 0; f < 1u << n[0]; f++) {
        int k = picked(s, n[0], f, x);
        bool rising = true;
        for (int i = 1; i < k; i++)
            rising = rising && x[i - 1] < x[i];
        best = rising && k > best ? k : best;
    }
    return best;
}

static int64_t palindrome_brute(const int64_t *s, const int64_t *n)
{
    int64_t best = 0, x[16];
    for (unsigned f = 0; f < 1u << n[0]; f++) {
        int k = picked(s, n[0], f, x);
        bool same = true;
        for (int i = 0; i < k; i++)
            same = same && x[i] == x[k - 1 - i];
        best = same && k > best ? k : best;
    }
    return best;
}

static int64_t knapsack_brute(const int64_t *s, const int64_t *n)
{
    int64_t best = 0;
    for (unsigned f = 0; f < 1u << n[0]; f++) {
        int64_t weight = 0, worth = 0;
        for (int i = 0; i < n[0]; i++)
            if (f >> i & 1) {
                weight += s[i];
                worth += s[n[0] + i];
            }
        best = weight <= n[1] && worth > best ? worth : best;
    }
    return best;
}

/* Every number of coins of each kind. */
static int64_t coins_least(const int64_t *coin, int64_t kinds, int64_t amount)
{
    if (amount == 0)
        return 0;
    int64_t best = -1;
    for (int64_t k = 0; kinds && k * coin[0] <= amount; k++) {
        int64_t more = coins_least(coin + 1, kinds - 1, amount - k * coin[0]);
        if (more >= 0 && (best < 0 || k + more < best))
            best = k + more;
    }
    return best;
}

static int64_t coins_brute(const int64_t *s, const int64_t *n)
{
    return coins_least(s, n[0], n[1]);
}

/* Every word of rows-1 steps down and cols-1 steps right. */
static int64_t grid_brute(const int64_t *s, const int64_t *n)
{
    int64_t best = INT64_MAX;
    int steps = (int)(n[0] + n[1] - 2);
    for (unsigned f = 0; f < 1u << steps; f++) {
        int64_t i = 0, j = 0, sum = s[0];
        for (int k = 0; k < steps && i < n[0] && j < n[1]; k++) {
            *(f >> k & 1 ? &i : &j) += 1;
            if (i < n[0] && j < n[1])
                sum += s[i * n[1] + j];
        }
        best = i < n[0] && j < n[1] && sum < best ? sum : best;
    }
    return best;
}

static int64_t prefix_brute(const int64_t *s, const int64_t *n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n[0]; i++)
        sum += s[i];
    return sum % n[1];
}

/* ---- all small inputs -------------------------------------------------------------------------------- */

/* The next input with elements among the `kinds` lowest of their ranges. */
static bool input_next(const at_dp_instance *x, int64_t kinds, int64_t *s)
{
    for (int k = x->d->n_inputs - 1; k >= 0; k--)
        for (int64_t i = x->input_len[k] - 1; i >= 0; i--) {
            int64_t *u = &s[x->input_first[k] + i], hi = x->input_lo[k] + kinds - 1;
            if (*u < hi && *u < x->input_hi[k]) {
                ++*u;
                return true;
            }
            *u = x->input_lo[k];
        }
    return false;
}

/* The answers on all those inputs are those of brute force; returns how many inputs. */
static long all_check(const at_dp *d, const char *sizes, int64_t kinds, brute_fn *brute)
{
    at_dp_instance *x = dp_bound(d, sizes);
    int64_t s[32] = {0};
    long count = 0;
    at_arena a;
    at_arena_init(&a);
    at_mark mark = at_arena_mark(&a);
    assert_true(x->n_input <= 32);
    assert_int_equal(x->proved, AT_TRUE);
    for (int k = 0; k < d->n_inputs; k++)
        for (int64_t i = 0; i < x->input_len[k]; i++)
            s[x->input_first[k] + i] = x->input_lo[k];
    do {
        at_err err = {0};
        at_dp_chain chain;
        if (at_dp_run(x, s, &a, &chain, &err) != AT_OK)
            fail_msg("%s", err.text);
        if (chain.answer != brute(s, x->size))
            fail_msg("%s at %s, input %ld: %lld, by brute force %lld", d->title, sizes, count,
                     (long long)chain.answer, (long long)brute(s, x->size));
        assert_in_range(chain.answer - x->answer_lo, 0, x->answer_hi - x->answer_lo);
        at_arena_reset(&a, mark);
        count++;
    } while (input_next(x, kinds, s));
    at_arena_release(&a);
    at_dp_instance_free(x);
    return count;
}

static void test_examples(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        brute_fn *brute;
        const char *format; /* of the sizes */
        int lo[2], hi[2];
        int64_t kinds;
    } rows[] = {
        {"edit-distance", edit_brute, "n1=%d,n2=%d", {0, 0}, {4, 4}, 2},
        {"edit-distance", edit_brute, "n1=%d,n2=%d", {1, 1}, {3, 3}, 3},
        {"lcs", lcs_brute, "n1=%d,n2=%d", {0, 0}, {4, 4}, 2},
        {"lcs", lcs_brute, "n1=%d,n2=%d", {1, 1}, {3, 3}, 3},
        {"lis", lis_brute, "n=%d,top=%d", {0, 1}, {5, 5}, 5},
        {"knapsack", knapsack_brute, "n=%d,cap=%d", {0, 0}, {3, 6}, 4},
        {"knapsack", knapsack_brute, "n=%d,cap=%d", {2, 11}, {2, 14}, 12},
        {"coins", coins_brute, "n=%d,amount=%d", {0, 0}, {3, 13}, 5},
        {"coins", coins_brute, "n=%d,amount=%d", {2, 13}, {2, 25}, 12},
        {"grid", grid_brute, "rows=%d,cols=%d", {1, 1}, {3, 3}, 3},
        {"prefix-sum", prefix_brute, "n=%d,q=%d", {0, 2}, {5, 5}, 5},
    };
    long total = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        at_dp *d = dp_example(rows[r].name);
        for (int u = rows[r].lo[0]; u <= rows[r].hi[0]; u++)
            for (int w = rows[r].lo[1]; w <= rows[r].hi[1]; w++) {
                char sizes[64];
                snprintf(sizes, sizeof sizes, rows[r].format, u, w);
                total += all_check(d, sizes, rows[r].kinds, rows[r].brute);
            }
        at_dp_free(d);
    }
    at_dp *local = dp_example("edit-distance-local"), *palindrome = dp_example("palindrome");
    for (int u = 0; u <= 4; u++)
        for (int w = u; w <= 4; w++) {
            char sizes[64];
            snprintf(sizes, sizeof sizes, "n1=%d,n2=%d", u, w);
            total += all_check(local, sizes, 2, edit_brute);
            if (w <= 3)
                total += all_check(local, sizes, 3, edit_brute);
        }
    for (int n = 0; n <= 7; n++) {
        char sizes[64];
        snprintf(sizes, sizeof sizes, "n=%d", n);
        total += all_check(palindrome, sizes, 3, palindrome_brute);
    }
    at_dp_free(local);
    at_dp_free(palindrome);
    print_message("# %ld inputs\n", total);
}

/* Not only the answer: the cost at every state is that of the two beginnings, and the letters travel. */
static void test_chain(void **state)
{
    (void)state;
    static const int64_t s[] = {11, 9, 20, 20, 5, 14, 19, 9, 20, 20, 9, 14, 7}; /* kitten, sitting */
    static const char *const names[] = {"edit-distance", "edit-distance-local"};
    for (int which = 0; which < 2; which++) {
        at_dp *d = dp_example(names[which]);
        at_dp_instance *x = dp_bound(d, "n1=6,n2=7");
        at_err err = {0};
        at_arena a;
        at_arena_init(&a);
        at_dp_chain chain;
        assert_int_equal(at_dp_run(x, s, &a, &chain, &err), AT_OK);
        assert_int_equal(x->n_states, 42);
        for (int64_t r = 0; r < x->n_states; r++) {
            int64_t i = r / 7 + 1, j = r % 7 + 1; /* the last counter fastest */
            const int64_t *v = chain.value + r * d->n_values;
            assert_int_equal(x->state[2 * r], i);
            assert_int_equal(x->state[2 * r + 1], j);
            assert_int_equal(at_dp_rank(x, x->state + 2 * r), r);
            assert_int_equal(v[0], words_edit(s, i, s + 6, j));
            if (which == 1) {
                assert_int_equal(v[1], s[i - 1]);
                assert_int_equal(v[2], s[6 + j - 1]);
                assert_int_equal(v[3], j <= 6 ? s[j - 1] : 0);
            }
        }
        assert_int_equal(chain.answer, 8); /* two letters replaced, one inserted */
        assert_int_equal(at_dp_rank(x, (int64_t[]){7, 1}), -1);
        assert_int_equal(at_dp_rank(x, (int64_t[]){0, 1}), -1);
        assert_int_equal(at_dp_rank(x, (int64_t[]){3, 8}), -1);
        at_arena_release(&a);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
}

/* ---- the analysis ------------------------------------------------------------------------------------- */

static void test_lengths(void **state)
{
    (void)state;
    static const struct {
        const char *name, *sizes;
        int64_t L, locality;
    } rows[] = {
        /* 20 + 20 inputs, a bar, 400 states, the answer; a[20] stands in row 20, state (20, 20) in row 441 */
        {"edit-distance", "n1=20,n2=20", 442, 421},
        {"edit-distance", "n1=0,n2=0", 2, 1},
        {"edit-distance", "n1=3,n2=0", 5, 1},
        {"edit-distance", "n1=1,n2=1", 5, 3},
        /* a[j] in row j, state (1, j) in row 41 + j */
        {"edit-distance-local", "n1=20,n2=20", 442, 41},
        {"edit-distance-local", "n1=5,n2=9", 61, 15},
        {"edit-distance-local", "n1=1,n2=60", 123, 62},
        /* 40 inputs, 40*41/2 + 40 states; s[j] in row j, state (40, j) in row 41 + 780 + j */
        {"lis", "n=40,top=100", 902, 821},
        {"lis", "n=0,top=1", 2, 1},
        {"lcs", "n1=20,n2=20", 442, 421},
        /* x[i] and s[i] in row i, state i in row n + 1 + i */
        {"prefix-sum", "n=100,q=7", 202, 101},
        /* cell (i, j) and state (i, j) are rows*cols + 1 apart */
        {"grid", "rows=4,cols=6", 50, 25},
        /* weight[n], in row n, is read last by (n, cap), in row 2n + 1 + n*cap; the worth stands nearer */
        {"knapsack", "n=20,cap=50", 1042, 1021},
        {"coins", "n=5,amount=50", 257, 251},
        /* s[1], in row 1, is read last by (n, 1), in row n + 1 + n(n+1)/2 */
        {"palindrome", "n=8", 46, 44},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        at_dp *d = dp_example(rows[r].name);
        at_dp_instance *x = dp_bound(d, rows[r].sizes);
        assert_int_equal(x->L, rows[r].L);
        assert_int_equal(x->L, x->n_input + 1 + x->n_states + 1);
        assert_int_equal(x->locality, rows[r].locality);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
}

/* Which rows count: inputs, dependencies, the state of the answer; of what is steered, the farthest. */
static void test_locality(void **state)
{
    (void)state;
    at_dp *d = dp_of("problem \"far\" size n in 1..99 input c[1] in 2..12 state i in 1..n value v in 0..n\n"
                     "take x = c[1] when i == 1\n"
                     "value k in 0..12\n"
                     "need back = (i-1) when i > 1\n"
                     "k = if i == 1 then x else back.k\n"
                     "v = if i == 1 then 0 else back.v + 1\n"
                     "answer v");
    at_dp_instance *x = dp_bound(d, "n=50");
    assert_int_equal(x->locality, 2); /* the input stands before the bar */
    at_dp_instance_free(x);
    at_dp_free(d);
    d = dp_of("problem \"back\" state i in 1..20 value v in 0..1 need u = (i - 7) when i > 7 v = 0 answer v");
    x = dp_bound(d, "");
    assert_int_equal(x->locality, 7);
    at_dp_instance_free(x);
    at_dp_free(d);
    d = dp_of("problem \"answer\" state i in 1..20 value v in 0..1 v = 0 answer v at (3)");
    x = dp_bound(d, "");
    assert_int_equal(x->locality, 18);
    at_dp_instance_free(x);
    at_dp_free(d);
    d = dp_of("problem \"steered\" size n in 1..99 input c[n] in 2..12 state i in 1..n value v in 0..n\n"
              "take x = c[i] need back = (i - x) when x < i\n"
              "v = if x < i then back.v + 1 else 0 answer v");
    x = dp_bound(d, "n=50");
    assert_int_equal(d->steering, 1);
    assert_int_equal(d->takes[0].round, 0);
    assert_int_equal(d->needs[0].round, 1);
    assert_int_equal(x->locality, 51);  /* c[i] and state i; the dependency only 12 */
    assert_int_equal(x->answer_hi, 24); /* (50 - 1) / 2 steps of 2 */
    at_dp_instance_free(x);
    at_dp_free(d);
    d = dp_of("problem \"rounds\" size n in 1..9 input c[n] in 1..n state i in 1..n value v in 0..n\n"
              "take x = c[i] let far = x + 0 take y = c[far] take z = c[y]\n"
              "need back = (y) when y < i and z == z\n"
              "v = if y < i then min(n, back.v + 1) else 0 answer v");
    assert_int_equal(d->takes[1].round, 1);
    assert_int_equal(d->takes[2].round, 2);
    assert_int_equal(d->needs[0].round, 3);
    assert_int_equal(d->steering, 7);
    x = dp_bound(d, "n=4");
    assert_int_equal(x->proved, AT_TRUE);
    at_dp_instance_free(x);
    at_dp_free(d);
}

/* Intervals of the answer against all inputs. No rule here reads an element twice or takes a square, so that the ends of
 * the interval are reached. */
static void test_intervals(void **state)
{
    (void)state;
    static const char *const rules[] = {
        "x + y",
        "x - y",
        "y - 2*x",
        "-x",
        "-(x - 4)",
        "(x - 2)*(y - 3)",
        "(x - 9)*y",
        "(x + 1)*(y + 2)",
        "abs(x - 2)",
        "abs(x - 9)",
        "abs(x + 1)",
        "min(x, y - 1)",
        "max(x - 1, 2)",
        "x mod 3",
        "(x - 7) mod 9",
        "(x - 3) mod 4",
        "(x + 9) mod 30",
        "x < y",
        "x < 7",
        "7 < x",
        "x <= 0",
        "x <= 5",
        "x == y",
        "x == 9",
        "x != y",
        "x != 9",
        "3*(x == y) - 1",
        "if x < y then 1 else 3",
        "if x < 9 then 1 else y",
        "if x > 9 then 1 else y",
        "(x < 3 and y < 3) + 0",
        "(x < 9 or y < 3) + 0",
        "(x < 9 and y < 9) + 0",
        "(x > 9 or y > 9) + 0",
        "not x < 3",
        "not x < 9",
        "not x > 9",
    };
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        char text[256];
        snprintf(text, sizeof text,
                 "problem \"p\" input a[2] in 0..5 state i in 1..1 value v in -99..99 take x = a[1] take y = "
                 "a[2]\n"
                 "v = %s answer v",
                 rules[r]);
        at_dp *d = dp_of(text);
        at_dp_instance *x = dp_bound(d, "");
        int64_t s[2] = {0, 0}, lo = INT64_MAX, hi = INT64_MIN;
        at_arena a;
        at_arena_init(&a);
        do {
            at_dp_chain chain;
            assert_int_equal(at_dp_run(x, s, &a, &chain, NULL), AT_OK);
            lo = chain.answer < lo ? chain.answer : lo;
            hi = chain.answer > hi ? chain.answer : hi;
        } while (input_next(x, 6, s));
        if (lo != x->answer_lo || hi != x->answer_hi)
            fail_msg("%s: %lld..%lld, by intervals %lld..%lld", rules[r], (long long)lo, (long long)hi,
                     (long long)x->answer_lo, (long long)x->answer_hi);
        at_arena_release(&a);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
}

static void test_regular(void **state)
{
    (void)state;
    static const struct {
        const char *name, *sizes;
        uint64_t limit;
        at_tri regular;
        uint64_t distinct;
    } rows[] = {
        {"lis", "n=5,top=5", 3125, AT_FALSE, 120}, /* which earlier elements are smaller: 5! patterns */
        {"lis", "n=5,top=5", 3124, AT_UNKNOWN, 0},
        {"lis", "n=1,top=1", 1, AT_TRUE, 1},
        {"prefix-sum", "n=5,q=5", 10000, AT_TRUE, 3125},
        {"prefix-sum", "n=0,q=5", 10000, AT_TRUE, 1},
        {"grid", "rows=2,cols=2", 10000, AT_TRUE, 10000},
        {"edit-distance", "n1=1,n2=1", 676, AT_FALSE, 2},
        {"edit-distance-local", "n1=1,n2=1", 676, AT_TRUE, 676},
        {"edit-distance", "n1=20,n2=20", UINT64_MAX, AT_UNKNOWN, 0},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        at_dp *d = dp_example(rows[r].name);
        at_dp_instance *x = dp_bound(d, rows[r].sizes);
        at_err err = {0};
        at_arena a;
        at_arena_init(&a);
        at_tri regular;
        int64_t *first, *second;
        uint64_t distinct;
        assert_int_equal(at_dp_regular(x, rows[r].limit, &a, &regular, &first, &second, &distinct, &err),
                         AT_OK);
        assert_int_equal(regular, rows[r].regular);
        assert_int_equal(distinct, rows[r].distinct);
        assert_int_equal(first != NULL, regular == AT_FALSE);
        if (first) { /* two inputs, one chain */
            at_dp_chain c1, c2;
            assert_memory_not_equal(first, second, (size_t)x->n_input * sizeof *first);
            assert_int_equal(at_dp_run(x, first, &a, &c1, &err), AT_OK);
            assert_int_equal(at_dp_run(x, second, &a, &c2, &err), AT_OK);
            assert_memory_equal(c1.value, c2.value, (size_t)(x->n_states * d->n_values) * sizeof *first);
            assert_int_equal(c1.answer, c2.answer);
        }
        at_arena_release(&a);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
}

/* ---- printing ----------------------------------------------------------------------------------------- */

static bool tree_same(const at_dpx *a, const at_dpx *b)
{
    if (!a || !b)
        return a == b;
    return a->op == b->op && a->value == b->value && a->index == b->index && a->field == b->field &&
           tree_same(a->arg[0], b->arg[0]) && tree_same(a->arg[1], b->arg[1]) &&
           tree_same(a->arg[2], b->arg[2]);
}

/* Reading what was printed gives the same tree and the same text. */
static void print_check(const at_dp *d)
{
    at_text one, two;
    at_text_init(&one);
    at_text_init(&two);
    assert_int_equal(at_dp_print(d, &one), AT_OK);
    at_dp *again = dp_of(one.s);
    assert_int_equal(at_dp_print(again, &two), AT_OK);
    assert_string_equal(one.s, two.s);
    for (int v = 0; v < d->n_values; v++)
        assert_true(tree_same(d->values[v].rule, again->values[v].rule));
    for (int l = 0; l < d->n_lets; l++)
        assert_true(tree_same(d->lets[l].rule, again->lets[l].rule));
    for (int n = 0; n < d->n_needs; n++)
        assert_true(tree_same(d->needs[n].when, again->needs[n].when));
    assert_true(tree_same(d->answer, again->answer));
    at_text_release(&one);
    at_text_release(&two);
    at_dp_free(again);
}

static void test_print(void **state)
{
    (void)state;
    for (int i = 0; i < at_n_dp_examples; i++) {
        at_dp *d = dp_example(at_dp_examples[i].name);
        print_check(d);
        at_dp_free(d);
    }
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"1 - (2 - 3) - 4", "1 - (2 - 3) - 4"},
        {"(1 - 2) - 3", "1 - 2 - 3"},
        {"2*(i + 1)*(3*i)", "2*(i + 1)*(3*i)"},
        {"-(i + 1) - -i*2", "-(i + 1) - -i*2"},
        {"(i + 3) mod 5*2 mod 3", "(i + 3) mod 5*2 mod 3"},
        {"i*(7 mod 5)", "i*(7 mod 5)"},
        {"min(1, min(2, 3), 4)", "min(1, min(2, 3), 4)"},
        {"max(max(1, 2), 3)", "max(1, 2, 3)"},
        {"max(min(1, 2), 3)", "max(min(1, 2), 3)"},
        {"abs(i - 3)", "abs(i - 3)"},
        {"i div 2 mod 3 div (2*2)", "i div 2 mod 3 div (2*2)"},
        {"1 + (sum over k in 1..i of 2*k) + 3", "1 + (sum over k in 1..i of 2*k) + 3"},
        {"if true and i > 'a' then 1 else 0", "if true and 97 < i then 1 else 0"},
        {"1 + if i == 1 then 2 else 3 + 4", "1 + (if i == 1 then 2 else 3 + 4)"},
        {"(if i > 2 then 1 else 2) + 1", "(if 2 < i then 1 else 2) + 1"},
        {"3*(i >= 2)", "3*(2 <= i)"},
        {"if not (i == 1 or i == 2) and i != 3 then 1 else 0",
         "if not (i == 1 or i == 2) and i != 3 then 1 else 0"},
        {"if not i == 1 then 1 else 0", "if not i == 1 then 1 else 0"},
        {"(not i == 1) + 1", "(not i == 1) + 1"},
        {"if (i == 1) == (i < 2) then 1 else 0", "if (i == 1) == (i < 2) then 1 else 0"},
        {"if i == 1 or i == 2 and i == 3 then 1 else 0", "if i == 1 or i == 2 and i == 3 then 1 else 0"},
        {"if (i == 1 or i == 2) and i == 3 then 1 else 0", "if (i == 1 or i == 2) and i == 3 then 1 else 0"},
        {"if i == 1 and (i == 2 and i == 3) then 1 else 0",
         "if i == 1 and (i == 2 and i == 3) then 1 else 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        snprintf(text, sizeof text, "problem \"p\" state i in 1..3 value v in -99..99 v = %s answer v",
                 rows[i].in);
        at_dp *d = dp_of(text);
        at_text t;
        at_text_init(&t);
        at_dpx_print(d, d->values[0].rule, &t);
        assert_string_equal(t.s, rows[i].out);
        at_text_release(&t);
        print_check(d);
        at_dp_free(d);
    }
}

/* The problem that the documentation teaches with is the example of the same name. */
static void text_same(const char *text, const char *example)
{
    at_dp *taught = dp_of(text), *shipped = dp_example(example);
    at_text one, two;
    at_text_init(&one);
    at_text_init(&two);
    assert_int_equal(at_dp_print(taught, &one), AT_OK);
    assert_int_equal(at_dp_print(shipped, &two), AT_OK);
    assert_string_equal(one.s, two.s);
    at_text_release(&one);
    at_text_release(&two);
    at_dp_free(taught);
    at_dp_free(shipped);
}

/* Every recurrence of the page is a shipped one. */
static void test_documentation(void **state)
{
    (void)state;
    static const char *const taught[] = {"lcs", "matrix-chain", "palindrome-cuts"};
    char *page, *text;
    size_t n, found = 0;
    assert_int_equal(at_file_read("docs/dp.md", 1 << 20, &page, &n, NULL), AT_OK);
    for (text = page; (text = strstr(text, "```\nproblem ")); found++) {
        char *end = strstr(text += 4, "```");
        assert_true(end && found < sizeof taught / sizeof *taught);
        *end = 0;
        text_same(text, taught[found]);
        text = end + 1;
    }
    assert_int_equal(found, sizeof taught / sizeof *taught);
    at_free(page);
}

/* Every operation, by its definition. */
static void test_operations(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        int64_t at[5]; /* i = 1..5 */
    } rows[] = {
        {"i + 2*i - 1", {2, 5, 8, 11, 14}},
        {"2 - 3 - i", {-2, -3, -4, -5, -6}},
        {"-i mod 3", {2, 1, 0, 2, 1}},
        {"(i - 3) mod 3", {1, 2, 0, 1, 2}},
        {"-(i mod 3)", {-1, -2, 0, -1, -2}},
        {"min(i, 3, 4)", {1, 2, 3, 3, 3}},
        {"max(i, 3) - min(2, i)", {2, 1, 1, 2, 3}},
        {"abs(i - 3)", {2, 1, 0, 1, 2}},
        {"i div 2", {0, 1, 1, 2, 2}},
        {"(i - 4) div 2", {-2, -1, -1, 0, 0}},
        {"if true then i else 9", {1, 2, 3, 4, 5}},
        {"(i > 2 or false) + 0", {0, 0, 1, 1, 1}},
        {"'c' - 'a' + i", {3, 4, 5, 6, 7}},
        {"(i == 2) + 2*(i != 2)", {2, 1, 2, 2, 2}},
        {"(i < 3) + 2*(i <= 3) + 4*(i > 3) + 8*(i >= 3)", {3, 3, 10, 12, 12}},
        {"if i == 1 or i == 2 and i == 9 then 1 else 0", {1, 0, 0, 0, 0}},
        {"if not i == 1 and i < 4 then 7 else -7", {-7, 7, 7, -7, -7}},
        {"if i < 3 then if i == 1 then 1 else 2 else 3", {1, 2, 3, 3, 3}},
        {"2 + if i < 3 then 1 else 2 + 3", {3, 3, 7, 7, 7}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char text[256];
        snprintf(text, sizeof text, "problem \"p\" state i in 1..5 value v in -99..99 v = %s answer v",
                 rows[r].rule);
        at_dp *d = dp_of(text);
        at_dp_instance *x = dp_bound(d, "");
        at_arena a;
        at_arena_init(&a);
        at_dp_chain chain;
        assert_int_equal(at_dp_run(x, NULL, &a, &chain, NULL), AT_OK);
        assert_memory_equal(chain.value, rows[r].at, sizeof rows[r].at);
        assert_int_equal(x->answer_lo, rows[r].at[4]); /* without inputs the intervals are numbers */
        assert_int_equal(x->answer_hi, rows[r].at[4]);
        at_arena_release(&a);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
}

/* Folds, and what is gathered, by their definition: the answer at n = 1..5. */
static void test_folds(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *answer;
        int64_t at[5];
    } rows[] = {
        {"sum over k in 1..i of k", "v", {1, 3, 6, 10, 15}},
        {"sum over k in 2..i of k", "v", {0, 2, 5, 9, 14}},
        {"max over k in 0..i of (k - 2)*(k - 2)", "v", {4, 4, 4, 4, 9}},
        {"if i > 1 then min over k in 1..i-1 of abs(2*k - i) else 7", "v", {7, 0, 1, 0, 1}},
        /* two folds of different lengths run together */
        {"10*(sum over k in 1..i of 1) + (sum over l in i..2*i of 1)", "v", {12, 23, 34, 45, 56}},
        {"10*(max over k in 1..2 of k) + (min over l in i..2*i of l)", "v", {21, 22, 23, 24, 25}},
        {"if i == 1 then 1 else sum over k in 1..i-1 of v(k)", "v", {1, 1, 2, 4, 8}},
        {"(min over k in 1..i of k < 3) and true", "v", {1, 1, 0, 0, 0}},
        {"i*i", "max v over (1..n)", {1, 4, 9, 16, 25}},
        {"3 - i", "max v over (2..n+1)", {1, 1, 1, 1, 1}},
        {"3 - i", "min v over (1..n)", {2, 1, 0, -1, -2}},
        {"i", "sum v over (1..n)", {1, 3, 6, 10, 15}},
        {"i", "sum (v*v) over (2..n)", {0, 4, 13, 29, 54}},
        {"sum over k in 1..i of k", "(sum v over (1..n)) - v", {0, 1, 4, 10, 20}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int64_t n = 1; n <= 5; n++) {
            char text[300];
            snprintf(
                text, sizeof text,
                "problem \"p\" size n in 1..5 state i in 1..n+1 value v in -99..99 v = %s answer %s at (n)",
                rows[r].rule, rows[r].answer);
            at_dp *d = dp_of(text);
            at_err err = {0};
            at_dp_instance *x;
            assert_int_equal(at_dp_bind(d, &n, &x, &err), AT_OK);
            at_arena a;
            at_arena_init(&a);
            at_dp_chain chain;
            assert_int_equal(at_dp_run(x, NULL, &a, &chain, NULL), AT_OK);
            if (chain.answer != rows[r].at[n - 1] || x->answer_lo != chain.answer ||
                x->answer_hi != chain.answer)
                fail_msg("%s, %s at %lld: %lld, by intervals %lld..%lld", rows[r].rule, rows[r].answer,
                         (long long)n, (long long)chain.answer, (long long)x->answer_lo,
                         (long long)x->answer_hi);
            at_arena_release(&a);
            at_dp_instance_free(x);
            at_dp_free(d);
        }
}

/* What is read in place inside a take or a need stands in the list before it, and loses neither: x is a[i] up to `fee`, and w the
 * value at the state that the value before says. */
static void test_in_place_within(void **state)
{
    (void)state;
    static const char text[] =
        "problem \"p\" size n in 1..9 input a[n] in 1..2 input fee in 0..9 state i in 1..n\n"
        "value v in 0..9, w in 0..9 take x = a[i] when i <= fee\n"
        "need p = (v(i - 1)) when i > 2\n"
        "v = if i == 1 then 1 else if i <= fee then min(x, i - 1) else 1\n"
        "w = if i > 2 then p.v + 5 else 0 answer w";
    at_dp *d = dp_of(text);
    assert_int_equal(d->n_takes, 2);
    assert_int_equal(d->n_needs, 2);
    at_err err = {0};
    at_dp_instance *x;
    int64_t n = 4;
    assert_int_equal(at_dp_bind(d, &n, &x, &err), AT_OK);
    at_arena a;
    at_arena_init(&a);
    at_dp_chain chain;
    int64_t in[] = {2, 1, 2, 2, 3}; /* v: 1, 1, 2, 1; w at 4 is v(v(3)) + 5 = v(2) + 5 */
    assert_int_equal(at_dp_run(x, in, &a, &chain, NULL), AT_OK);
    static const int64_t want[] = {1, 0, 1, 0, 2, 6, 1, 6};
    assert_memory_equal(chain.value, want, sizeof want);
    at_arena_release(&a);
    at_dp_instance_free(x);
    at_dp_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),      cmocka_unit_test(test_folds),
        cmocka_unit_test(test_examples),        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_lengths),         cmocka_unit_test(test_locality),
        cmocka_unit_test(test_regular),         cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_print),           cmocka_unit_test(test_documentation),
        cmocka_unit_test(test_in_place_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
