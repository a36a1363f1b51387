/* test_compile_rasp.c: programs in RASP as models, against answers by brute force that know nothing of the language, on every word to
 * length 6 over three letters; random programs against the interpreter; sizes; controls; what is refused. */
#include <attest/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"

enum { LONGEST = 6 };

static at_rasp *read_text(const char *text)
{
    at_rasp *r;
    char *copy = at_arena_strdup(&arena, text);
    assert_non_null(copy);
    err = (at_err){0};
    if (at_rasp_read(copy, "x.rasp", NULL, &arena, &r, &err))
        fail_msg("%s: %s", text, err.text);
    return r;
}

/* ---- answers by brute force: w letters 0 1 2, y what stands at every position ------------------------------------------------ */

typedef void brute(const int *w, int n, double *y);

static int count_of(const int *w, int from, int to, int letter)
{
    int c = 0;
    for (int i = from; i < to; i++)
        c += w[i] == letter;
    return c;
}

#define EACH(NAME, EXPR)                                                                                     \
    static void NAME(const int *w, int n, double *y)                                                         \
    {                                                                                                        \
        for (int i = 0; i < n; i++)                                                                          \
            y[i] = (EXPR);                                                                                   \
        (void)w;                                                                                             \
    }

EACH(b_hist, count_of(w, 0, n, w[i]))
EACH(b_reverse, w[n - 1 - i])
EACH(b_length, n)
EACH(b_indices, i)
EACH(b_same, w[i])
EACH(b_count_a, count_of(w, 0, n, 0))
EACH(b_has_b, count_of(w, 0, n, 1) > 0)
EACH(b_prev, i ? w[i - 1] : 2)
EACH(b_next_or_a, i + 1 < n ? w[i + 1] : 0)
EACH(b_seen, count_of(w, 0, i, w[i]) > 0)
EACH(b_later, count_of(w, i + 1, n, w[i]))
EACH(b_prefix_a, count_of(w, 0, i + 1, 0))
EACH(b_before_a, count_of(w, 0, i, 0))
EACH(b_more_a, count_of(w, 0, n, 0) > count_of(w, 0, n, 1))
EACH(b_half_a, 2 * count_of(w, 0, n, 0) >= n)
EACH(b_exactly_half, 2 * count_of(w, 0, n, 0) == n)
EACH(b_third_before, 3 * count_of(w, 0, i + 1, 0) > i + 1)
EACH(b_odd, (i % 2))
EACH(b_parity, (count_of(w, 0, n, 0) % 2))
EACH(b_square, i *i)
EACH(b_table, w[i] == 0 ? 5 : w[i] == 1 ? -2 : 7)
EACH(b_last, w[n - 1])
EACH(b_first, w[0])
EACH(b_is_first, w[i] == w[0])
EACH(b_palindrome, w[i] == w[n - 1 - i])
EACH(b_others, n - count_of(w, 0, n, w[i]))
EACH(b_product, i *n)
EACH(b_min, i < n - 1 - i ? i : n - 1 - i)
EACH(b_equal_counts,
     count_of(w, 0, n, 0) == count_of(w, 0, n, 1) && count_of(w, 0, n, 1) == count_of(w, 0, n, 2))
EACH(b_smaller, count_of(w, 0, n, 0) * (w[i] > 0) + count_of(w, 0, n, 1) * (w[i] > 1))
EACH(b_not_self, n - 1)
EACH(b_even_ahead, n / 2 * 0 + (n + 1) / 2)
EACH(b_ab, i > 0 && w[i - 1] == 0 && w[i] == 1)
EACH(b_ends_ab, n > 1 && w[n - 2] == 0 && w[n - 1] == 1)
EACH(b_neg, -i - w[i])

static void b_sort(const int *w, int n, double *y)
{
    int at = 0;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < n; i++)
            if (w[i] == c)
                y[at++] = c;
}

static void b_sort_down(const int *w, int n, double *y)
{
    int at = 0;
    for (int c = 2; c >= 0; c--)
        for (int i = 0; i < n; i++)
            if (w[i] == c)
                y[at++] = c;
}

/* Letters once each, the most frequent first, then the dot; of ".", "a", "b", "c". */
static void b_most_frequent(const int *w, int n, double *y)
{
    int at = 0;
    for (int times = n; times > 0; times--)
        for (int i = 0; i < n; i++)
            if (!count_of(w, 0, i, w[i]) && count_of(w, 0, n, w[i]) == times)
                y[at++] = w[i] + 1;
    while (at < n)
        y[at++] = 0;
}

static void b_double_hist(const int *w, int n, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int c = 0; c < 3; c++)
            y[i] += count_of(w, 0, n, c) == count_of(w, 0, n, w[i]);
    }
}

/* a opens, b closes, c is nothing; of "F", "P", "T". */
static void b_dyck(const int *w, int n, double *y)
{
    int depth = 0;
    bool bad = false;
    for (int i = 0; i < n; i++) {
        depth += w[i] == 0 ? 1 : w[i] == 1 ? -1 : 0;
        bad |= depth < 0;
        y[i] = bad ? 0 : depth ? 1 : 2;
    }
}

static void b_last_a(const int *w, int n, double *y)
{
    int last = -1;
    for (int i = 0; i < n; i++) {
        last = w[i] == 0 ? i : last;
        y[i] = last;
    }
}

static void b_rank(const int *w, int n, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = 0; k < n; k++)
            y[i] += w[k] < w[i] || (w[k] == w[i] && k < i);
    }
}

/* The mean of the letters, as integers, rounded, halves to the even side. */
static void b_mean(const int *w, int n, double *y)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += w[i];
    int down = sum / n, twice = 2 * (sum - down * n);
    for (int i = 0; i < n; i++)
        y[i] = twice > n || (twice == n && down % 2) ? down + 1 : down;
}

/* Where the letter comes next, or -1. */
static void b_next_same(const int *w, int n, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = -1;
        for (int k = n - 1; k > i; k--)
            y[i] = w[k] == w[i] ? k : y[i];
    }
}

/* The mean of the indices of letter 0 is sum / c, 0 where there is none; both counted over the word. */
static void places(const int *w, int n, int *sum, int *c)
{
    *sum = *c = 0;
    for (int i = 0; i < n; i++)
        if (w[i] == 0) {
            *sum += i;
            ++*c;
        }
    *c += !*c;
}

/* The word moved to the right by length - 1 - that mean, if that is a whole number; else nothing, 7. */
static void b_moved(const int *w, int n, double *y)
{
    int sum, c;
    places(w, n, &sum, &c);
    for (int i = 0; i < n; i++) {
        int from = c * (i - n + 1) + sum; /* times c */
        y[i] = from >= 0 && from % c == 0 && from / c < n ? w[from / c] : 7;
    }
}

static void b_behind(const int *w, int n, double *y)
{
    int sum, c;
    places(w, n, &sum, &c);
    for (int i = 0; i < n; i++)
        y[i] = c * i > sum;
}

/* How many j have a mean of the first letters, up to j, below that of the letters up to i; and the same mean. */
static void prefixes(const int *w, int n, double *y, bool same)
{
    for (int i = 0; i < n; i++) {
        int a = count_of(w, 0, i + 1, 0);
        y[i] = 0;
        for (int j = 0; j < n; j++) {
            int d = count_of(w, 0, j + 1, 0) * (i + 1) - a * (j + 1);
            y[i] += same ? d == 0 : d < 0;
        }
    }
}

static void b_below(const int *w, int n, double *y)
{
    prefixes(w, n, y, false);
}

static void b_level(const int *w, int n, double *y)
{
    prefixes(w, n, y, true);
}

/* Letters in the order of how often they are there, most first, equal ones as they stand. */
static void b_sort_freq(const int *w, int n, double *y)
{
    int at = 0;
    for (int times = n; times > 0; times--)
        for (int i = 0; i < n; i++)
            if (count_of(w, 0, n, w[i]) == times)
                y[at++] = w[i];
}

/* Pairs of letters, opening and closing: never more closed than opened, and none left open at the end. */
static void balanced(const int *w, int n, double *y, int pairs, const int (*pair)[2])
{
    bool good = true;
    for (int p = 0; p < pairs; p++) {
        for (int i = 0; i < n; i++)
            good &= count_of(w, 0, i + 1, pair[p][0]) >= count_of(w, 0, i + 1, pair[p][1]);
        good &= count_of(w, 0, n, pair[p][0]) == count_of(w, 0, n, pair[p][1]);
    }
    for (int i = 0; i < n; i++)
        y[i] = good;
}

static void b_shuffle_1(const int *w, int n, double *y)
{
    balanced(w, n, y, 1, (const int[][2]){{0, 1}});
}

static void b_shuffle_2(const int *w, int n, double *y)
{
    balanced(w, n, y, 2, (const int[][2]){{0, 1}, {0, 2}});
}

EACH(b_half_before, 2 * count_of(w, 0, i + 1, 0) >= i + 1)
EACH(b_sign, (count_of(w, 0, i + 1, 0) > count_of(w, 0, i + 1, 1)) -
                 (count_of(w, 0, i + 1, 0) < count_of(w, 0, i + 1, 1)))
EACH(b_two_before, i > 1 ? w[i - 2] : 2)
EACH(b_aba, i > 1 && w[i - 2] == 0 && w[i - 1] == 1 && w[i] == 0)
EACH(b_rare, (count_of(w, 0, n, 0) <= 2) * count_of(w, 0, n, 0) +
                 (count_of(w, 0, n, 1) <= 2) * count_of(w, 0, n, 1) +
                 (count_of(w, 0, n, 2) <= 2) * count_of(w, 0, n, 2))
EACH(b_three, w[i] * count_of(w, 0, n, 0) + i)

#define UP "up = select(indices, indices, <=);\n"
static const struct {
    const char *text;
    brute *answer;
} programs[] = {
    {"x = selector_width(select(tokens, tokens, ==));", b_hist},
    {"x = aggregate(select(indices, length - 1 - indices, ==), tokens);", b_reverse},
    {"x = sort(tokens, tokens);", b_sort},
    {"x = sort(tokens, -1 * (0 if tokens == \"a\" else (1 if tokens == \"b\" else 2)));", b_sort_down},
    {"alphabet 0 1 2\nx = sort(tokens_int, tokens_int);", b_sort},
    {"h = hist(tokens); p = has_prev(tokens); x = sort(\".\" if p else tokens, 100 * indicator(p) - h);",
     b_most_frequent},
    {"h = hist(tokens); f = not has_prev(tokens); x = selector_width(select(h, h, ==) and select(f, True, "
     "==));",
     b_double_hist},
    {UP "d = num_prevs(tokens == \"a\") - num_prevs(tokens == \"b\");\n"
        "bad = aggregate(up, indicator(d < 0)) > 0; x = \"F\" if bad else (\"T\" if d == 0 else \"P\");",
     b_dyck},
    {"x = length;", b_length},
    {"x = indices;", b_indices},
    {"x = tokens;", b_same},
    {"x = count(tokens, \"a\");", b_count_a},
    {"x = \"b\" in tokens;", b_has_b},
    {"x = contains(tokens, \"b\");", b_has_b},
    {"x = shift(tokens, 1, \"c\");", b_prev},
    {"x = aggregate(select(indices, indices + 1, ==), tokens, \"a\");", b_next_or_a},
    {"x = has_prev(tokens);", b_seen},
    {"x = selector_width(select(tokens, tokens, ==) and select(indices, indices, >));", b_later},
    {UP "x = round((indices + 1) * aggregate(up, indicator(tokens == \"a\")));", b_prefix_a},
    {"x = round(indices * aggregate(select(indices, indices, <), indicator(tokens == \"a\")));", b_before_a},
    {"x = count(tokens, \"a\") > count(tokens, \"b\");", b_more_a},
    {"x = aggregate(full_s, indicator(tokens == \"a\")) >= 0.5;", b_half_a},
    {"x = aggregate(full_s, indicator(tokens == \"a\")) == 1 / 2;", b_exactly_half},
    {UP "x = aggregate(up, indicator(tokens == \"a\")) > 1 / 3;", b_third_before},
    {"x = indices % 2;", b_odd},
    {"x = count(tokens, \"a\") % 2;", b_parity},
    {"x = indices * indices;", b_square},
    {"x = indices ^ 2;", b_square},
    {"x = {\"a\": 5, \"b\": -2, \"c\": 7}[tokens];", b_table},
    {"x = tokens[-1];", b_last},
    {"x = tokens[0];", b_first},
    {"x = tokens == tokens[0];", b_is_first},
    {"x = tokens == reverse(tokens);", b_palindrome},
    {"x = selector_width(select(tokens, tokens, !=));", b_others},
    {"x = selector_width(not select(tokens, tokens, ==));", b_others},
    {"x = indices * length;", b_product},
    {"x = min(indices, length - 1 - indices);", b_min},
    {"c = [count(tokens, l) for l in [\"a\", \"b\", \"c\"]]; x = c[0] == c[1] and (c[1] == c[2]);",
     b_equal_counts},
    {"x = selector_width(select(tokens, tokens, <));", b_smaller},
    {"x = selector_width(select(indices, indices, !=));", b_not_self},
    {"x = selector_width(select(indices % 2, 0, ==));", b_even_ahead},
    {"x = (tokens == \"b\") and (shift(tokens, 1, \"-\") == \"a\");", b_ab},
    {"x = tokens[-2] + tokens[-1] == \"ab\";", b_ends_ab},
    {"alphabet 0 1 2\nx = -indices - tokens_int;", b_neg},
    {"a = tokens == \"a\";\n"
     "later = selector_width(select(a, True, ==) and select(indices, indices, <=));\n"
     "x = round(aggregate(select(a, True, ==) and select(later, later, ==) and select(indices, indices, <=), "
     "indices, -1));",
     b_last_a},
    {"x = selector_width(select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, "
     "indices, <)));",
     b_rank},
    {"alphabet 0 1 2\nx = round(aggregate(full_s, tokens_int));", b_mean},
    {"x = round(aggregate(select_next_identical(tokens), indices, -1));", b_next_same},
    /* means in selectors: what numbers with many digits are added by moves one of them by a mean of places */
    {"alphabet 0 1 2\nat = aggregate(select(tokens_int, 0, ==), indices);\n"
     "x = aggregate(select(indices + (length - 1 - at), indices, ==), tokens_int, 7);",
     b_moved},
    {"x = indices > aggregate(select(tokens, \"a\", ==), indices);", b_behind},
    {UP "f = aggregate(up, indicator(tokens == \"a\"));\nx = selector_width(select(f, f, <));", b_below},
    {UP "f = aggregate(up, indicator(tokens == \"a\"));\nx = selector_width(select(f, f, ==));", b_level},
    /* what tracr's library computes */
    {"all = select(tokens, tokens, ==) or select(tokens, tokens, !=);\nx = selector_width(all);", b_length},
    {"opposite = length - indices;\nopposite = opposite - 1;\n"
     "x = aggregate(select(indices, opposite, ==), tokens);",
     b_reverse},
    {UP "x = aggregate(up, indicator(tokens == \"a\"), 0) >= 1 / 2;", b_half_before},
    {UP "def frac(b) { return aggregate(up, indicator(b), 0); }\n"
        "d = frac(tokens == \"a\") - frac(tokens == \"b\");\nx = indicator(d > 0) - indicator(d < 0);",
     b_sign},
#define SHUFFLE(PAIRS)                                                                                       \
    UP "def frac(b) { return aggregate(up, indicator(b), 0); }\n"                                            \
       "bad = False;\nflat = True;\n"                                                                        \
       "for p in " PAIRS " {\n"                                                                              \
       "  d = frac(tokens == p[0]) - frac(tokens == p[1]);\n"                                                \
       "  bad = bad or (d < 0);\n  flat = flat and (d == 0);\n}\n"                                           \
       "ever = aggregate(full_s, indicator(bad), 0) > 0;\n"                                                  \
       "x = aggregate(select(indices, length - 1, ==), flat) and not ever;"
    {SHUFFLE("[\"ab\"]"), b_shuffle_1},
    {SHUFFLE("[\"ab\", \"ac\"]"), b_shuffle_2},
    {"alphabet 0 1 2\nkey = 8 * tokens_int + indices;\nto = selector_width(select(key, key, <));\n"
     "x = round(aggregate(select(to, indices, ==), tokens_int));",
     b_sort},
    {"alphabet 0 1 2\nkey = tokens_int + indices / 6;\nto = selector_width(select(key, key, <));\n"
     "x = aggregate(select(to, indices, ==), tokens, \"0\");",
     b_sort},
    {"key = indices / 6 - selector_width(select(tokens, tokens, ==));\n"
     "to = selector_width(select(key, key, <));\nx = aggregate(select(to, indices, ==), tokens, \"a\");",
     b_sort_freq},
    {"x = aggregate(select(indices + 2, indices, ==), tokens, \"c\");", b_two_before},
    {"def back(b, k) { return aggregate(select(indices + k, indices, ==), b, False); }\n"
     "x = (tokens == \"a\") and back(tokens == \"b\", 1) and back(tokens == \"a\", 2);",
     b_aba},
    {"h = selector_width(select(tokens, tokens, ==));\nx = selector_width(select(h, 2, <=));", b_rare},
    {"x = selector_width(select(tokens, \"a\", ==));", b_count_a},
    {"alphabet 0 1 2\na = selector_width(select(tokens, \"0\", ==));\nx = tokens_int * a + indices;",
     b_three},
};

/* Words to length LONGEST on which the model is not the answer. */
static int wrong(const at_model *m, brute *answer, const at_rasp *r, int node, int longest)
{
    int bad = 0;
    for (int n = 1; n <= longest; n++) {
        int all = 1, w[LONGEST];
        double x[LONGEST], want[LONGEST];
        for (int i = 0; i < n; i++)
            all *= r->sigma.n;
        for (int k = 0; k < all; k++) {
            at_mark mark = at_arena_mark(&arena);
            at_output y;
            for (int i = 0, v = k; i < n; i++, v /= r->sigma.n)
                x[i] = w[i] = v % r->sigma.n;
            if (answer)
                answer(w, n, want);
            else {
                at_rasp_atom a[LONGEST];
                if (at_rasp_run(r, node, w, n, &arena, a, &err))
                    fail_msg("%s", err.text);
                for (int i = 0; i < n; i++)
                    want[i] = at_rasp_answer(r, &r->range[node], &a[i]);
            }
            if (at_run(m, at_f64, &(at_input){n, x}, NULL, &arena, &y, &err))
                fail_msg("%s", err.text);
            bool ok = true;
            for (int i = 0; i < n; i++)
                ok &= y.decided[i] == AT_TRUE && y.decision[i] == want[i];
            bad += !ok;
            at_arena_reset(&arena, mark);
        }
    }
    return bad;
}

static void test_programs(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
        for (int softmax = 0; softmax < 2; softmax++) {
            char text[2000];
            bool said = strncmp(programs[k].text, "alphabet", 8) == 0;
            snprintf(text, sizeof text, "%s%s", said ? "" : "alphabet a b c\n", programs[k].text);
            at_rasp *r = read_text(text);
            at_model m;
            int node = r->output_node[r->usual];
            if (at_rasp_model(r, node, LONGEST, &(at_rasp_options){.softmax = softmax}, &m, &err))
                fail_msg("%s\n%s", text, err.text);
            int bad = wrong(&m, programs[k].answer, r, node, LONGEST);
            if (bad)
                fail_msg("%s\n%s: wrong on %d of 1092 words", text, softmax ? "softmax" : "average-hard",
                         bad);
            at_model_release(&m);
        }
    print_message("%zu programs, 1092 words each, average-hard and softmax\n",
                  sizeof programs / sizeof *programs);
}

/* ---- random programs ------------------------------------------------------------------------------------------------------------ */

static void put_sop(at_rng *r, int depth, char kind, at_text *t);

static void put_selector(at_rng *r, int depth, at_text *t)
{
    static const char *const compares[] = {"==", "==", "<", "<=", ">", ">=", "!="};
    uint64_t k = at_rng_below(r, depth > 0 ? 8 : 4);
    const char *c = compares[at_rng_below(r, 7)];
    if (k < 1)
        at_text_addf(t, "select(tokens, tokens, %s)", c);
    else if (k < 2)
        at_text_addf(t, "select(indices, indices, %s)", c);
    else if (k < 5) {
        char kind = "nnbs"[at_rng_below(r, 4)];
        at_text_add(t, "select(");
        put_sop(r, depth - 1, kind, t);
        at_text_add(t, ", ");
        put_sop(r, depth - 1, kind, t);
        at_text_addf(t, ", %s)", c);
    } else {
        at_text_add(t, k == 7 ? "(not " : "(");
        put_selector(r, depth - 1, t);
        if (k < 7) {
            at_text_add(t, k == 5 ? " and " : " or ");
            put_selector(r, depth - 1, t);
        }
        at_text_add(t, ")");
    }
}

/* A number n, a truth b, a string s. */
static void put_sop(at_rng *r, int depth, char kind, at_text *t)
{
    static const char *const leaves[] = {"indices",
                                         "length",
                                         "1",
                                         "2",
                                         "indices",
                                         "(tokens == \"a\")",
                                         "True",
                                         "(tokens == \"b\")",
                                         "(indices == 0)",
                                         "(tokens in [\"a\", \"c\"])",
                                         "tokens",
                                         "tokens",
                                         "\"a\"",
                                         "tokens",
                                         "\"b\""};
    uint64_t k = at_rng_below(r, depth > 0 ? 8 : 1);
    int of = kind == 'n' ? 0 : kind == 'b' ? 5 : 10;
    if (k == 0) {
        at_text_add(t, leaves[of + (int)at_rng_below(r, 5)]);
        return;
    }
    at_text_add(t, "(");
    if (k == 1) {
        put_sop(r, depth - 1, kind, t);
        at_text_add(t, " if ");
        put_sop(r, depth - 1, 'b', t);
        at_text_add(t, " else ");
        put_sop(r, depth - 1, kind, t);
    } else if (kind == 's') {
        at_text_addf(t, "aggregate(select(indices, ");
        put_sop(r, depth - 1, 'n', t);
        at_text_add(t, ", ==), ");
        put_sop(r, depth - 1, 's', t);
        at_text_add(t, ", \"c\")");
    } else if (kind == 'b' && k < 4) {
        char of_kind = k == 2 ? 'n' : 's';
        put_sop(r, depth - 1, of_kind, t);
        at_text_add(t, (const char *const[]){" == ", " < ", " >= "}[at_rng_below(r, 3)]);
        put_sop(r, depth - 1, of_kind, t);
    } else if (kind == 'b' && k < 6) {
        put_sop(r, depth - 1, 'b', t);
        at_text_add(t, k == 4 ? " and " : " or ");
        put_sop(r, depth - 1, 'b', t);
    } else if (kind == 'b' && k == 6) {
        at_text_add(t, "aggregate(");
        put_selector(r, depth - 1, t);
        at_text_add(t, ", indicator(");
        put_sop(r, depth - 1, 'b', t);
        at_text_add(t, ")) > 1 / 2");
    } else if (kind == 'b') {
        at_text_add(t, "not ");
        put_sop(r, depth - 1, 'b', t);
    } else if (k < 5) {
        at_text_add(t, "selector_width(");
        put_selector(r, depth - 1, t);
        at_text_add(t, ")");
    } else if (k == 5) {
        at_text_add(t, "round(aggregate(");
        put_selector(r, depth - 1, t);
        at_text_add(t, ", ");
        put_sop(r, depth - 1, 'n', t);
        at_text_addf(t, ", %d))", (int)at_rng_below(r, 3));
    } else {
        put_sop(r, depth - 1, 'n', t);
        at_text_add(t, k == 6 ? " + " : " - ");
        put_sop(r, depth - 1, 'n', t);
    }
    at_text_add(t, ")");
}

static void test_random(void **state)
{
    (void)state;
    int made = 0, refused = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        at_rng r = at_rng_at(12, seed);
        at_text t;
        at_model m;
        at_rasp_range *g;
        at_mark mark = at_arena_mark(&arena);
        at_text_init(&t);
        at_text_add(&t, "alphabet a b c\nx = ");
        put_sop(&r, 4, "nbs"[seed % 3], &t);
        at_text_add(&t, " if indices > -1 else ");
        put_sop(&r, 0, "nbs"[seed % 3], &t);
        at_text_add(&t, ";\n");
        at_rasp *x = read_text(t.s);
        int node = x->output_node[x->usual];
        assert_int_equal(at_rasp_ranges(x, LONGEST, &arena, &g, &err), AT_OK);
        x->range = g;
        bool softmax = seed % 2;
        at_status s = at_rasp_model(x, node, 4, &(at_rasp_options){.softmax = softmax}, &m, &err);
        if (s) { /* in words, and by no more than some */
            if (s != AT_EREFUSED && !(softmax && s == AT_EDOMAIN))
                fail_msg("%s%s", t.s, err.text);
            refused++;
            err = (at_err){0};
        } else {
            int bad = wrong(&m, NULL, x, node, 4);
            if (bad)
                fail_msg("%s%s: wrong on %d words", t.s, softmax ? "softmax" : "average-hard", bad);
            at_model_release(&m);
            made++;
        }
        at_text_release(&t);
        at_arena_reset(&arena, mark);
    }
    print_message("%d random programs made and equal on 120 words each, %d refused\n", made, refused);
    assert_true(refused <= 30);
}

/* ---- sizes, controls, refusals ---------------------------------------------------------------------------------------------------- */

static void test_size(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int layers, width;
    } rows[] = {
        {"x = hist(tokens);", 2, 6}, {"x = reverse(tokens);", 3, 7}, {"x = sort(tokens, tokens);", 3, 7}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int N = 4; N <= 256; N *= 8) {
            char text[200];
            snprintf(text, sizeof text, "alphabet a b c\n%s", rows[k].text);
            at_rasp *r = read_text(text);
            at_model m;
            at_size z;
            if (at_rasp_model(r, r->output_node[r->usual], N, NULL, &m, &err))
                fail_msg("%s", err.text);
            at_model_size(&m, &z);
            if (z.layers != rows[k].layers || z.width != rows[k].width)
                fail_msg("%s at N = %d: %d layers, width %d", rows[k].text, N, z.layers, z.width);
            at_model_release(&m);
        }
}

/* The key "none" with the score of a selected one, or of one that is not: wrong. */
static void test_control(void **state)
{
    (void)state;
    at_rasp *r = read_text("alphabet a b c\nx = shift(tokens, 1, \"c\");");
    at_model m;
    int node = r->output_node[r->usual];
    assert_int_equal(at_rasp_model(r, node, LONGEST, NULL, &m, &err), AT_OK);
    assert_int_equal(wrong(&m, b_prev, r, node, LONGEST), 0);
    at_model_release(&m);
    if (at_rasp_model(r, node, LONGEST, &(at_rasp_options){.none = 3}, &m, &err))
        fail_msg("%s", err.text);
    assert_true(wrong(&m, b_prev, r, node, LONGEST) > 100);
    at_model_release(&m);
}

static const struct {
    const char *text, *says;
} refused[] = {
    {"x = round(indices * aggregate(full_s, indices));", "x.rasp:1:19: a mean times an s-op"},
    {"x = round(aggregate(full_s, aggregate(full_s, indices)));", "the mean of a mean"},
    {"x = round(1 / aggregate(full_s, indices));", "a mean; it can be compared, or rounded"},
    {"x = round(indices / length);", "a division by an s-op"},
    {"x = indices % length;", "% is by a constant above 0"},
    {"x = selector_width(select(aggregate(full_s, indices), indices, ==));", ""},
    {"x = selector_width(select(aggregate(full_s, indices), aggregate(select(indices, indices, <=), "
     "indices), !=));",
     "a selector that compares a mean with an s-op"},
    {"x = aggregate(full_s, indices);", "the output can be a fraction"},
    {"x = indices ^ length;", "a power of two s-ops"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        at_rasp *r = read_text(refused[k].text);
        at_model m;
        at_status s = at_rasp_model(r, r->output_node[r->usual], 8, NULL, &m, &err);
        if (!refused[k].says[0]) {
            if (s)
                fail_msg("%s: %s", refused[k].text, err.text);
            at_model_release(&m);
            continue;
        }
        if (s != AT_EREFUSED || !strstr(err.text, refused[k].says))
            fail_msg("%s: %s", refused[k].text, s ? err.text : "made");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_programs, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_random, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_size, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_control, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
