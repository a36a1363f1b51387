/* test_stream_chains.c: every chain derived once more, by a method of its own, from the printed words: subsequences listed,
 * edit distance by recursion, values of expressions by the parser, balanced words by deleting pairs, sums over all
 * pairs and triples, functions iterated. The judges must also be judges: with any word of a completion changed, they
 * say no. And what ed-local promises: that a step needs no more than the last m outputs. */
#include <math.h>

#include "stream_test.h"

enum { ROW = 2048 };
typedef struct {
    const at_source *d;
    const at_params *p;
    char word[ROW][AT_STREAM_WORD];
    int n;     /* words, <eos> included */
    int start; /* of the completion */
} row;

static int number(const row *x, int i)
{
    char *end;
    long v = i < x->n ? strtol(x->word[i], &end, 10) : -1;
    return i < x->n && !*end && end != x->word[i] ? (int)v : -1;
}

static bool is(const row *x, int i, const char *word)
{
    return i < x->n && !strcmp(x->word[i], word);
}

/* <sep> answer <eos> from word i on, and nothing else. */
static bool ends(const row *x, int i, int answer)
{
    return is(x, i, "<sep>") && number(x, i + 1) == answer && is(x, i + 2, "<eos>") && x->n == i + 3;
}

/* ---- judges ------------------------------------------------------------------------------------------------- */

static bool lis_judge(const row *x)
{
    int n = at_params_int(x->p, "n"), best = 0;
    for (int end = 0; end < n; end++) {
        int longest = 0;
        for (unsigned set = 0; set < 1u << end; set++) { /* subsets of the positions before */
            int last = -1, size = 1;
            bool ok = true;
            for (int i = 0; i <= end; i++)
                if (i == end || (set >> i & 1)) {
                    ok &= number(x, i) > last;
                    last = number(x, i);
                    size += i < end;
                }
            longest = ok && size > longest ? size : longest;
        }
        if (number(x, n + 1 + end) != longest)
            return false;
        best = longest > best ? longest : best;
    }
    return ends(x, 2 * n + 1, best);
}

/* The cost of turning the first i letters into the first j, by its definition. */
static int cost(const row *x, const char (*b)[AT_STREAM_WORD], int i, int j, int border)
{
    if (!i || !j)
        return border * (i + j);
    int change = cost(x, b, i - 1, j - 1, border) + (strcmp(x->word[i - 1], b[j - 1]) ? 3 : 0);
    int del = cost(x, b, i - 1, j, border) + 2, ins = cost(x, b, i, j - 1, border) + 2;
    return change < del ? (change < ins ? change : ins) : del < ins ? del : ins;
}

static bool ed_judge(const row *x)
{
    int n1 = 0, n2 = 0, at = x->start, border = at_params_int(x->p, "border") ? 1 : 2;
    bool commas = !at_params_has(x->p, "beside"), beside = !commas && at_params_int(x->p, "beside");
    while (!is(x, n1, "|"))
        n1++;
    while (!is(x, n1 + 1 + n2, "<sep>"))
        n2++;
    if (n1 > n2)
        return false;
    for (int i = 1; i <= n1; i++) {
        if (beside && i > 1) { /* , a_i .. | b , */
            if (!is(x, at++, ","))
                return false;
            for (int k = i - 1; k < n1 + 1 + n2; k++)
                if (!is(x, at++, x->word[k]))
                    return false;
            if (!is(x, at++, ","))
                return false;
        }
        for (int j = beside ? 0 : 1; j <= n2; j++)
            if (number(x, at++) != cost(x, x->word + n1 + 1, i, j, border))
                return false;
        if (commas && !is(x, at++, ","))
            return false;
    }
    return ends(x, at, cost(x, x->word + n1 + 1, n1, n2, border));
}

/* The value of words from..to-1 as an expression, -1 when they are none. */
static int value(const row *x, int from, int to, int *operators)
{
    int token[ROW], v;
    for (int i = from; i < to; i++)
        token[i - from] = at_source_token(x->d, x->word[i], strlen(x->word[i]));
    return at_expr_value(at_params_int(x->p, "p"), token, to - from, &v, operators, NULL) ? -1 : v;
}

/* Do words b..b_end-1 come from a..a_end-1 by putting a value for three words, or for three in brackets? The first such
 * place, -1 when there is none. */
static int reduced(const row *x, int a, int a_end, int b, int b_end)
{
    int gone = (a_end - a) - (b_end - b) + 1, unused;
    for (int i = a; gone >= 3 && i + gone <= a_end; i++) {
        int from = gone == 5 ? i + 1 : i;
        bool same = (gone == 3 || (gone == 5 && is(x, i, "(") && is(x, i + 4, ")"))) &&
                    number(x, b + i - a) == value(x, from, from + 3, &unused) && number(x, b + i - a) >= 0;
        for (int k = a; k < i && same; k++)
            same = is(x, b + k - a, x->word[k]);
        for (int k = i + gone; k < a_end && same; k++)
            same = is(x, b + k - a - gone + 1, x->word[k]);
        if (same)
            return i - a;
    }
    return -1;
}

static bool arithmetic_judge(const row *x)
{
    int a = 0, a_end = x->start - 1, left = at_params_int(x->p, "operators"), k;
    int v = value(x, a, a_end, &k);
    if (v < 0 || k != left)
        return false;
    for (int b = x->start, b_end; left > 0; b = b_end + 1) {
        for (b_end = b; b_end < x->n && !is(x, b_end, "=") && !is(x, b_end, "<eos>");)
            b_end++;
        if (value(x, b, b_end, &k) != v || k != --left || reduced(x, a, a_end, b, b_end) < 0 ||
            !is(x, b_end, left ? "=" : "<eos>"))
            return false;
        a = b;
        a_end = b_end;
    }
    return a_end == x->n - 1;
}

static bool match_judge(const row *x, bool three)
{
    int N = at_params_int(x->p, "N"), M = at_source_vocabulary(x->d) - AT_TOKEN_FIRST - 1;
    for (int i = 0; i < N; i++) {
        bool hit = false;
        for (int j = 0; j < N; j++)
            for (int k = 0; k < (three ? N : 1); k++)
                hit |= (number(x, i) + number(x, j) + (three ? number(x, k) : 0)) % M == 0;
        if (number(x, N + 1 + i) != hit)
            return false;
    }
    return is(x, 2 * N + 1, "<eos>") && x->n == 2 * N + 2;
}

static bool match2_judge(const row *x)
{
    return match_judge(x, false);
}

static bool match3_judge(const row *x)
{
    return match_judge(x, true);
}

static bool qsa_judge(const row *x)
{
    int N = at_params_int(x->p, "N"), q = at_params_int(x->p, "q");
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int j = 1; j <= N; j++)
            for (int k = 1; k <= q; k++)
                if (number(x, i * (q + 2) + k) == j)
                    sum += number(x, (j - 1) * (q + 2));
        if (number(x, N * (q + 2) + 1 + i) != sum)
            return false;
    }
    return is(x, N * (q + 3) + 1, "<eos>") && x->n == N * (q + 3) + 2;
}

/* Parts of a prompt between bars: where number part starts. */
static int part(const row *x, int k)
{
    int at = 0;
    while (k > 0)
        k -= is(x, at++, "|");
    return at;
}

static bool compose_judge(const row *x)
{
    int k = at_params_int(x->p, "k"), v = number(x, part(x, k));
    for (int l = 0; l < k; l++) {
        v = number(x, part(x, l) + v);
        if (number(x, x->start + l) != v)
            return false;
    }
    return ends(x, x->start + k, v);
}

static bool funccomp_judge(const row *x)
{
    int L = at_params_int(x->p, "L"), n = at_params_int(x->p, "n"), i = number(x, part(x, L));
    for (int l = 1; l <= L; l++) { /* z_l is part L - l, z_0 part L, w part L + 1 */
        int w = l > 1 ? number(x, part(x, L + 1) + l - 2) : 0;
        i = number(x, part(x, L - l) + n * w + i);
        if (number(x, x->start + l - 1) != i)
            return false;
    }
    return ends(x, x->start + L, i);
}

static bool bits_judge(const row *x, bool parity)
{
    int n = x->start - 1, ones = 0;
    for (int i = 0; i < n; i++) {
        ones = 0;
        for (int j = 0; j <= i; j++)
            ones += is(x, j, "1");
        if (number(x, x->start + i) != (parity ? ones & 1 : ones))
            return false;
    }
    return ends(x, x->start + n, parity ? ones & 1 : ones > n - ones);
}

static bool parity_judge(const row *x)
{
    return bits_judge(x, true);
}

static bool majority_judge(const row *x)
{
    return bits_judge(x, false);
}

/* The first n words with neighbours `( )` of a kind deleted until there are none; its length, -1 when a ) is left. */
static int deleted(const row *x, int n)
{
    static const char *const pairs[] = {"()", "[]", "{}", "<>"};
    char s[ROW];
    for (int i = 0; i < n; i++)
        s[i] = x->word[i][0];
    s[n] = 0;
    for (bool again = true; again;) {
        again = false;
        for (int k = 0; k < 4; k++) {
            char *at = strstr(s, pairs[k]);
            if (at) {
                memmove(at, at + 2, strlen(at + 2) + 1);
                again = true;
            }
        }
    }
    return strpbrk(s, ")]}>") ? -1 : (int)strlen(s);
}

static bool dyck_judge(const row *x)
{
    int n = x->start - 1, D = at_params_int(x->p, "D"), depth = 0;
    bool fault = false;
    for (int i = 0; i < n; i++) {
        depth = deleted(x, i + 1);
        fault |= depth < 0 || depth > D;
        if (fault ? !is(x, x->start + i, "!") : number(x, x->start + i) != depth)
            return false;
    }
    return ends(x, x->start + n, !fault && depth == 0);
}

/* In (aa)* are the words a^0, a^2, ...: two letters are cut off the front as long as both are a. */
static bool aa_judge(const row *x)
{
    int n = x->start - 1, left = n, at = 0;
    for (int i = 0; i < n; i++) {
        bool all = true;
        for (int k = 0; k <= i; k++)
            all = all && is(x, k, "a");
        if (all ? number(x, x->start + i) != !(i & 1) : !is(x, x->start + i, "!"))
            return false;
    }
    while (left >= 2 && is(x, at, "a") && is(x, at + 1, "a")) {
        left -= 2;
        at += 2;
    }
    return ends(x, x->start + n, left == 0);
}

/* All digits added up, then p taken away as long as there is more. */
static bool sum_judge(const row *x)
{
    int n = x->start - 1, p = at_params_int(x->p, "p"), rest = 0;
    for (int i = 0; i < n; i++) {
        rest = 0;
        for (int k = 0; k <= i; k++)
            rest += number(x, k);
        while (rest >= p)
            rest -= p;
        if (number(x, x->start + i) != rest)
            return false;
    }
    return ends(x, x->start + n, !rest);
}

/* ---- judged ------------------------------------------------------------------------------------------------- */

static void row_print(const at_source *d, const at_sequence *s, row *x)
{
    for (int i = 0; i < s->n; i++)
        at_source_word(d, s->token[i], x->word[i]);
    x->n = s->n;
    x->start = s->prompt;
}

static void judged(const char *id, const char *set, int samples, bool (*judge)(const row *x))
{
    static row x;
    at_source *d = source_with(id, set);
    at_params p;
    at_params_init(&p, at_stream_find(id)->params, at_stream_find(id)->n_params);
    assert_int_equal(at_params_parse(&p, set, NULL), AT_OK);
    assert_true(at_source_longest(d) <= ROW);
    at_sequence s = sequence_for(d);
    at_rng r = at_rng_at(17, 0);
    x.d = d;
    x.p = &p;
    for (int i = 0; i < samples; i++) {
        sample_take(d, 3, (at_part)(i % 2), (uint64_t)i, &s);
        row_print(d, &s, &x);
        if (!judge(&x)) {
            at_text t;
            at_text_init(&t);
            at_source_print(d, s.token, s.n, &t);
            fail_msg("%s %s: %s", id, set, t.s);
        }
        for (int at = s.prompt; at < s.n && i < 8;
             at++) { /* a generator that errs in one word is found out */
            int words = at_source_vocabulary(d), was = s.token[at];
            s.token[at] = (was + 1 + (int)at_rng_below(&r, (uint64_t)words - 1)) % words;
            row_print(d, &s, &x);
            if (judge(&x))
                fail_msg("%s %s: word %d may be '%s'", id, set, at, x.word[at]);
            s.token[at] = was;
        }
    }
    free(s.token);
    at_source_free(d);
}

/* The input sorted by exchanging neighbours: its last word is the answer, and there is nothing behind it. */
static bool max_judge(const row *x)
{
    int n = at_params_int(x->p, "N"), v[64];
    for (int i = 0; i < n; i++)
        v[i] = number(x, i);
    for (int k = 0; k < n; k++)
        for (int i = 0; i + 1 < n; i++)
            if (v[i] > v[i + 1]) {
                int w = v[i];
                v[i] = v[i + 1];
                v[i + 1] = w;
            }
    return x->n == n + 1 && number(x, n) == v[n - 1];
}

static void test_judges(void **state)
{
    (void)state;
    judged("max", "", 300, max_judge);
    judged("max", "N=1 V=20", 40, max_judge);
    judged("max", "N=9 V=3", 200, max_judge);
    judged("lis", "n=1 range=30", 50, lis_judge);
    judged("lis", "n=2 range=4", 50, lis_judge);
    judged("lis", "n=10 range=12", 200, lis_judge); /* with ties */
    judged("lis", "n=11", 40, lis_judge);
    judged("ed", "n=4", 300, ed_judge);
    judged("ed", "n=4 border=0", 300, ed_judge);
    judged("ed-local", "n=4", 200, ed_judge);
    judged("ed-local", "n=4 beside=1", 200, ed_judge);
    judged("ed-local", "n=5 beside=1 border=0", 60, ed_judge);
    for (int order = 0; order < 2; order++)
        for (int k = 1; k <= 6; k++) {
            char set[64];
            snprintf(set, sizeof set, "operators=%d p=11 order=%s", k, order ? "random" : "leftmost");
            judged("arithmetic", set, 300, arithmetic_judge);
        }
    judged("arithmetic", "operators=16 order=random", 30, arithmetic_judge);
    judged("match2", "N=12", 300, match2_judge);
    judged("match2", "N=6 M=2", 60, match2_judge);
    judged("match3", "N=12", 300, match3_judge);
    judged("qsa", "N=9 q=3", 300, qsa_judge);
    judged("qsa", "N=4 q=4", 60, qsa_judge);
    judged("compose", "n=5 k=4", 300, compose_judge);
    judged("compose", "n=3 k=1", 40, compose_judge);
    judged("funccomp", "n=3 m=4 L=4", 300, funccomp_judge);
    judged("funccomp", "n=9 m=1 L=1", 60, funccomp_judge);
    judged("parity", "n=17 least=2", 300, parity_judge);
    judged("majority", "n=16 least=2", 300, majority_judge);
    judged("dyck", "n=16 least=4 k=4 D=3", 600, dyck_judge);
    judged("dyck", "n=16 least=4 k=1 D=8", 300, dyck_judge);
    judged("dyck", "n=6 k=2 D=1", 300, dyck_judge);
    judged("aa", "n=16 least=1", 300, aa_judge);
    judged("aa", "n=7", 40, aa_judge);
    judged("sum", "n=16 least=1", 300, sum_judge);
    judged("sum", "n=9 p=7", 300, sum_judge);
}

/* chain=0: the same prompts and answers, and nothing between them. Half of the words are in the language, more or less. */
static void test_no_chain(void **state)
{
    (void)state;
    static const struct {
        const char *id, *set;
    } all[] = {
        {"parity", "n=12 least=1"},        {"majority", "n=12 least=1"}, {"dyck", "n=12 least=2 k=1 D=12"},
        {"dyck", "n=12 least=2 k=2 D=12"}, {"aa", "n=12 least=1"},       {"sum", "n=12 least=1 p=5"}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char bare_set[64];
        snprintf(bare_set, sizeof bare_set, "%s chain=0", all[k].set);
        at_source *with = source_with(all[k].id, all[k].set), *bare = source_with(all[k].id, bare_set);
        at_sequence s = sequence_for(with), u = sequence_for(bare);
        int ones = 0;
        for (uint64_t i = 0; i < 1000; i++) {
            char a[AT_STREAM_WORD], b[AT_STREAM_WORD];
            sample_take(with, 1, AT_TRAIN, i, &s);
            sample_take(bare, 1, AT_TRAIN, i, &u);
            assert_int_equal(s.prompt, u.prompt);
            assert_memory_equal(s.token, u.token, (size_t)s.prompt * sizeof(int));
            assert_int_equal(u.n, u.prompt + 3);
            at_source_word(with, s.token[s.answer], a);
            assert_string_equal(a, at_source_word(bare, u.token[u.answer], b));
            ones += !strcmp(a, "1");
        }
        assert_in_range(ones, 350, 600); /* six words are in (aa)*, and what is for tests is not drawn */
        free(s.token);
        free(u.token);
        at_source_free(with);
        at_source_free(bare);
    }
}

/* Both orders have the same prompts and answers, and mostly other chains. */
static void test_orders(void **state)
{
    (void)state;
    at_source *left = source_with("arithmetic", "operators=6"),
              *any = source_with("arithmetic", "operators=6 order=random");
    at_sequence s = sequence_for(left), u = sequence_for(any);
    int differ = 0;
    for (uint64_t i = 0; i < 500; i++) {
        sample_take(left, 1, AT_TRAIN, i, &s);
        sample_take(any, 1, AT_TRAIN, i, &u);
        assert_int_equal(s.prompt, u.prompt);
        assert_memory_equal(s.token, u.token, (size_t)s.prompt * sizeof(int));
        assert_int_equal(s.token[s.answer], u.token[u.answer]);
        differ += s.n != u.n || memcmp(s.token, u.token, (size_t)s.n * sizeof(int));
    }
    assert_in_range(differ, 300, 500); /* a random order of six steps is seldom the leftmost one */
    free(s.token);
    free(u.token);
    at_source_free(left);
    at_source_free(any);
}

/* ---- locality of ed-local ------------------------------------------------------------------------------------ */

typedef struct {
    uint64_t key;
    int next;
} seen;

static int seen_compare(const void *a, const void *b)
{
    const seen *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->next - y->next;
}

/* How many keys are followed by two different tokens? */
static int conflicts(seen *all, int n)
{
    int found = 0;
    qsort(all, (size_t)n, sizeof *all, seen_compare);
    for (int i = 1; i < n; i++)
        found += all[i].key == all[i - 1].key && all[i].next != all[i - 1].next;
    return found;
}

enum { KEYS = 1 << 21 };

/* Every pair of words of n1 <= n2 <= w letters a and b, as a prompt; returns false after the last. */
static bool words_next(const at_source *d, int w, int *n1, int *n2, unsigned *bits, at_sequence *s)
{
    if (*bits >> (*n1 + *n2)) {
        *bits = 0;
        if (++*n1 > *n2) {
            *n1 = 1;
            if (++*n2 > w)
                return false;
        }
    }
    int a = at_source_token(d, "a", 1), bar = at_source_token(d, "|", 1);
    s->n = 0;
    for (int i = 0; i < *n1 + *n2; i++) {
        if (i == *n1)
            s->token[s->n++] = bar;
        s->token[s->n++] = a + (int)(*bits >> i & 1);
    }
    s->token[s->n++] = AT_TOKEN_SEP;
    ++*bits;
    assert_int_equal(at_source_complete(d, s, NULL), AT_OK);
    return true;
}

/* Conflicts when a step sees the last m outputs (and, beside=0, its place and its two letters) and nothing else. */
static int local_conflicts(const char *set, int w, int m_more, bool beside, seen *all)
{
    at_source *d = source_with("ed-local", set);
    at_sequence s = sequence_for(d);
    int n1 = 1, n2 = 1, n = 0;
    unsigned bits = 0;
    while (words_next(d, w, &n1, &n2, &bits, &s)) {
        int cells = n1 * n2;
        for (int at = s.prompt; at < s.n; at++) {
            int cell = at - s.prompt, first = beside ? 0 : s.prompt;
            int m = beside ? 4 * w + 2 + m_more : n2 + 1 + m_more;
            int from = at - m > first ? at - m : first;
            int place[5] = {0};
            if (!beside && cell < cells) {
                int i = cell / n2, j = cell % n2;
                int have[5] = {n1, n2, cell, s.token[i], s.token[n1 + 1 + j]};
                memcpy(place, have, sizeof place);
            } else if (!beside) {
                int have[5] = {n1, n2, cell, 0, 0};
                memcpy(place, have, sizeof place);
            }
            assert_true(n < KEYS);
            all[n++] = (seen){at_hash64(s.token + from, (size_t)(at - from) * sizeof(int),
                                        at_hash64(place, sizeof place, (uint64_t)(at - from))),
                              s.token[at]};
        }
    }
    int found = conflicts(all, n);
    print_message("%s, words of at most %d: m %+d: %d steps, %d conflicts\n", set, w, m_more, n, found);
    free(s.token);
    at_source_free(d);
    return found;
}

static void test_locality(void **state)
{
    (void)state;
    seen *all = malloc(KEYS * sizeof *all);
    assert_non_null(all);
    for (int border = 0; border < 2; border++)
        for (int w = 3; w <= 5; w++) {
            const char *bare = border ? "n=5" : "n=5 border=0";
            const char *beside = border ? "n=5 beside=1" : "n=5 beside=1 border=0";
            assert_int_equal(local_conflicts(bare, w, 0, false, all), 0);
            assert_int_equal(local_conflicts(beside, w, 0, true, all), 0);
            assert_true(local_conflicts(bare, w, -1, false, all) > 0); /* one output fewer is not enough */
            assert_true(local_conflicts(beside, w, -1, true, all) > 0);
        }
    free(all);
}

/* ---- n-grams -------------------------------------------------------------------------------------------------- */

static void test_ngram(void **state)
{
    (void)state;
    at_source *d = source_with("ngram", "n=3 symbols=3 N=40 model=5"), *lis = source_with("lis", "");
    at_sequence s = sequence_for(d);
    static double expected[4][4][3], variance[4][4][3];
    static int times[4][4][3];
    for (uint64_t i = 0; i < 3000; i++) {
        sample_take(d, 1, AT_TRAIN, i, &s);
        assert_true(at_source_probability(d, s.token, s.n - 1) == 1); /* <eos> comes for sure */
        for (int k = 1; k < s.n - 1; k++) {
            int u = k > 2 ? s.token[k - 2] - 2 : 0, v = k > 1 ? s.token[k - 1] - 2 : 0, was = s.token[k];
            double all = 0;
            for (int w = 0; w < 3; w++) {
                s.token[k] = AT_TOKEN_FIRST + w;
                double q = at_source_probability(d, s.token, k);
                assert_true(q > 0 && q < 1);
                expected[u][v][w] += q;
                variance[u][v][w] += q * (1 - q);
                all += q;
            }
            assert_true(fabs(all - 1) < 1e-12); /* sums of at most three rounded terms */
            times[u][v][was - AT_TOKEN_FIRST]++;
            s.token[k] = was;
        }
    }
    for (int u = 0; u < 4; u++) /* counts given the histories: martingales; six standard deviations */
        for (int v = 0; v < 4; v++)
            for (int w = 0; w < 3; w++)
                assert_true(fabs(times[u][v][w] - expected[u][v][w]) <= 6 * sqrt(variance[u][v][w]) + 1e-9);
    int history[5] = {AT_TOKEN_SEP, 3, 3, 3, 3};
    double before = at_source_probability(d, history, 4);
    for (int back = 1; back <= 3; back++) { /* n-1 = 2 symbols decide, and both of them do */
        history[4 - back] = 4;
        assert_true((at_source_probability(d, history, 4) != before) == (back <= 2));
        history[4 - back] = 3;
    }
    assert_true(isnan(at_source_probability(lis, s.token, 1)));
    free(s.token);
    at_source_free(d);
    at_source_free(lis);

    /* rank=1: log p(w|h) - log p(0|h) = A_h (B_w - B_0), so its ratios are the same for every history. */
    d = source_with("ngram", "n=2 symbols=4 rank=1 N=2");
    double ratio = 0;
    for (int h = 0; h < 4; h++) {
        int token[3] = {AT_TOKEN_SEP, AT_TOKEN_FIRST + h, 0};
        double l[4];
        for (int w = 0; w < 4; w++) {
            token[2] = AT_TOKEN_FIRST + w;
            l[w] = log(at_source_probability(d, token, 2));
        }
        double here = (l[2] - l[0]) / (l[1] - l[0]);
        assert_true(h == 0 || fabs(here - ratio) < 1e-6 * fabs(ratio)); /* log of rounded sums, 1e-13 or so */
        ratio = here;
    }
    at_source_free(d);
}

/* No string is right or wrong, but what is none is wrong, from its first token that may not stand there. */
static void test_ngram_grades(void **state)
{
    (void)state;
    enum { BOS = AT_TOKEN_SEP, EOS = AT_TOKEN_EOS, A = AT_TOKEN_FIRST, B, C };
    static const struct {
        int prompt[5], n_prompt, rest[6], n;
        at_tri chain;
        int wrong;
    } cases[] = {
        {{BOS}, 1, {A, B, B, EOS}, 4, AT_UNKNOWN, -1},
        {{BOS}, 1, {A, B, EOS}, 3, AT_FALSE, 2},       /* too short */
        {{BOS}, 1, {A, B, A, B, EOS}, 5, AT_FALSE, 3}, /* too long */
        {{BOS}, 1, {A, C, A, EOS}, 4, AT_FALSE, 1},    /* C is no symbol */
        {{BOS}, 1, {A, B, A}, 3, AT_FALSE, 3},         /* no end */
        {{BOS}, 1, {A, B, A, EOS, A}, 5, AT_FALSE, 4}, /* goes on */
        {{BOS, A}, 2, {B, B, EOS}, 3, AT_UNKNOWN, -1}, /* a string's beginning */
        {{BOS, A, B}, 3, {B, EOS}, 2, AT_UNKNOWN, -1},
        {{BOS, A, B, A}, 4, {EOS}, 1, AT_UNKNOWN, -1},
        {{BOS, A, B, A}, 4, {A, EOS}, 2, AT_FALSE, 0},
        {{BOS, A, B, A, A}, 5, {EOS}, 1, AT_UNKNOWN, -1}, /* too long for a prompt: nothing is said */
        {{BOS, C}, 2, {B, B, EOS}, 3, AT_UNKNOWN, -1},    /* nor of what is none */
        {{A, BOS}, 2, {B, C, EOS}, 3, AT_UNKNOWN, -1},
        {{A}, 1, {C, EOS}, 2, AT_UNKNOWN, -1},
    };
    at_source *d = source_with("ngram", "n=2 symbols=2 N=3");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        at_grade g;
        at_err err = {0};
        if (at_source_grade(d, cases[k].prompt, cases[k].n_prompt, cases[k].rest, cases[k].n, &g, &err))
            fail_msg("row %zu: %s", k, err.text);
        if (g.chain != cases[k].chain || g.answer != cases[k].chain || g.wrong != cases[k].wrong)
            fail_msg("row %zu: chain %d, answer %d, wrong %d", k, g.chain, g.answer, g.wrong);
    }
    at_source_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ngram_grades), cmocka_unit_test(test_judges),
                                       cmocka_unit_test(test_orders),       cmocka_unit_test(test_no_chain),
                                       cmocka_unit_test(test_locality),     cmocka_unit_test(test_ngram)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
