/* test_stream_branches.c: what streams draw reaches every branch of their definitions.
 *
 * A branch is told from the words of a row, by a reader of its own that knows nothing of how rows are drawn. Each stream has its list
 * of branches; DRAWS samples of either split must meet all of them. The readers are tried first: on rows that lack a branch they do not
 * see it. (Branches of tasks: test_cases.c; of recurrences: lang/test/test_dp_branches.c. ngram has no definition with branches.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "stream_test.h"

#define DRAWS 600
#define WORDS 512

typedef struct {
    int n;
    char word[WORDS][AT_STREAM_WORD];
    int sep[2]; /* where the first two separators stand; n: nowhere */
} row;

static int number(const row *x, int i)
{
    return atoi(x->word[i]);
}

static bool is(const row *x, int i, const char *word)
{
    return i >= 0 && i < x->n && !strcmp(x->word[i], word);
}

/* ---- readers: a set of bits ------------------------------------------------------------------------------------- */

/* 0 an entry of 1 that is not the first, 1 an entry of more, 2 equal numbers, which do not increase, 3 the longest ends at the last
 * number, 4 before it, 5 an entry that is no more than its left neighbour's, 6 all in one line */
static unsigned lis_read(const row *x)
{
    unsigned seen = 0;
    int n = x->sep[0], most = number(x, x->sep[1] + 1);
    for (int i = 0; i < n; i++) {
        int entry = number(x, n + 1 + i);
        seen |= (i && entry == 1) << 0 | (entry > 1) << 1 | (i && entry <= number(x, n + i)) << 5;
        for (int j = 0; j < i; j++)
            seen |= (number(x, j) == number(x, i)) << 2;
    }
    int last = number(x, 2 * n);
    return seen | (unsigned)(last == most) << 3 | (unsigned)(last < most) << 4 | (unsigned)(most == n) << 6;
}

/* An entry is 0 a match, 1 a substitution, 2 a gap above, 3 a gap at the left, 4 two of these at once; 5 words of one length, 6 of two,
 * 7 distance 0 (never drawn: equal words are drawn anew), 8 a match that a gap beats or equals, 9 the border decides an entry */
static unsigned ed_read(const row *x)
{
    enum { MOST = 16 };
    unsigned seen = 0;
    int bar = 0, n1, n2, t[MOST][MOST];
    while (!is(x, bar, "|"))
        bar++;
    n1 = bar;
    n2 = x->sep[0] - bar - 1;
    assert_true(n1 < MOST && n2 < MOST);
    for (int i = 0, at = x->sep[0] + 1; i <= n1; i++)
        for (int j = 0; j <= n2; j++) {
            while (i && j && is(x, at, ","))
                at++;
            t[i][j] = !i ? j : !j ? i : number(x, at++);
        }
    for (int i = 1; i <= n1; i++)
        for (int j = 1; j <= n2; j++) {
            bool same = !strcmp(x->word[i - 1], x->word[bar + j]);
            bool diagonal = t[i][j] == t[i - 1][j - 1] + (same ? 0 : 3), up = t[i][j] == t[i - 1][j] + 2,
                 left = t[i][j] == t[i][j - 1] + 2;
            seen |= (same && diagonal) << 0 | (!same && diagonal && !up && !left) << 1 |
                    (up && !diagonal) << 2 | (left && !diagonal) << 3 | (diagonal + up + left > 1) << 4 |
                    (same && (up || left)) << 8 | ((i == 1 || j == 1) && (up || left)) << 9;
        }
    return seen | (unsigned)(n1 == n2) << 5 | (unsigned)(n1 != n2) << 6 | (unsigned)(t[n1][n2] == 0) << 7;
}

/* 0..3 the operators, 4 brackets at the left of an operator, 5 at its right, 6 none, 7 a difference below 0, 8 a sum beyond p, 9 a
 * product by 0, 10 a quotient of 0, 11 brackets in brackets, 12 * or / before + or -, 13 + or - before * or / (which waits) */
static unsigned arithmetic_read(const row *x)
{
    static const char *const operators[] = {"+", "-", "*", "/"};
    unsigned seen = 0;
    int end = 0, depth = 0, rank = -1;
    bool any = false;
    while (!is(x, end, "="))
        end++;
    for (int i = 0; i < end; i++) {
        for (int k = 0; k < 4; k++)
            if (is(x, i, operators[k])) {
                seen |= 1u << k | (unsigned)is(x, i - 1, ")") << 4 | (unsigned)is(x, i + 1, "(") << 5;
                seen |= (unsigned)(rank == 1 && k < 2) << 12 | (unsigned)(rank == 0 && k > 1) << 13;
                rank = k > 1;
                int a = number(x, i - 1), b = number(x, i + 1);
                bool numbers = strspn(x->word[i - 1], "0123456789") && strspn(x->word[i + 1], "0123456789");
                seen |= (unsigned)(numbers && k == 1 && a < b) << 7 |
                        (unsigned)(numbers && k == 0 && a + b > 4) << 8 |
                        (unsigned)(numbers && k == 2 && (!a || !b)) << 9 |
                        (unsigned)(numbers && k == 3 && !a) << 10;
            }
        if (is(x, i, "(") || is(x, i, ")"))
            rank = -1;
        depth += is(x, i, "(") - is(x, i, ")");
        any |= depth > 0;
        seen |= (unsigned)(depth > 1) << 11;
    }
    return seen | (unsigned)!any << 6;
}

/* 0 no, 1 yes; of residues: 2 a residue that is its own partner (0, or with M even M/2) */
static unsigned match_read(const row *x)
{
    unsigned seen = 0;
    for (int i = x->sep[0] + 1; i < x->n - 1; i++)
        seen |= 1u << number(x, i);
    for (int i = 0; i < x->sep[0]; i++)
        seen |= (unsigned)is(x, i, "0") << 2;
    return seen;
}

/* sums of 3 bits: none, some, all */
static unsigned qsa_read(const row *x)
{
    unsigned seen = 0;
    for (int i = x->sep[0] + 1; i < x->n - 1; i++)
        seen |= number(x, i) == 0 ? 1 : number(x, i) == 3 ? 4 : 2;
    return seen;
}

/* 0 the chain moves, 1 it stays where it is, 2 it comes back to where it was, 3 a value that two arguments have */
static unsigned compose_read(const row *x)
{
    unsigned seen = 0;
    int at = number(x, x->sep[0] - 1), begun = at;
    for (int i = x->sep[0] + 1; i < x->sep[1]; at = number(x, i++)) {
        seen |= 1u << (number(x, i) == at);
        seen |= (unsigned)(number(x, i) == begun && at != begun) << 2;
    }
    for (int i = 1; i < x->sep[0] && !is(x, i, "|"); i++)
        seen |= (unsigned)!strcmp(x->word[i], x->word[i - 1]) << 3;
    return seen;
}

/* 0 the answer 0, 1 it is 1, 2 a word without ones, 3 one with ones alone, 4 half of them, 5 shorter than the longest */
static unsigned bits_read(const row *x)
{
    int n = x->sep[0], ones = 0;
    for (int i = 0; i < n; i++)
        ones += number(x, i);
    return 1u << number(x, x->sep[1] + 1) | (unsigned)!ones << 2 | (unsigned)(ones == n && n) << 3 |
           (unsigned)(2 * ones == n && n) << 4 | (unsigned)(n < 6) << 5;
}

/* 0 balanced, 1 closes nothing, 2 closes another kind, 3 too deep, 4 left open, 5 as deep as it may be */
static unsigned dyck_read(const row *x)
{
    enum { DEEPEST = 3 };
    unsigned seen = 0;
    char open[WORDS];
    int depth = 0;
    for (int i = 0; i < x->sep[0]; i++) {
        static const char opening[] = "([{<", closing[] = ")]}>";
        const char *o = strchr(opening, x->word[i][0]), *c = strchr(closing, x->word[i][0]);
        if (o) {
            open[depth++] = (char)(o - opening);
            if (depth > DEEPEST)
                return seen | 1u << 3;
            seen |= (unsigned)(depth == DEEPEST) << 5;
        } else if (!depth)
            return seen | 1u << 1;
        else if (open[--depth] != c - closing)
            return seen | 1u << 2;
    }
    return seen | (depth ? 1u << 4 : 1u);
}

/* The largest is 0 first, 1 last, 2 between, 3 there twice */
static unsigned max_read(const row *x)
{
    int n = x->n - 1, times = 0;
    unsigned seen = 0;
    for (int i = 0; i < n; i++)
        if (number(x, i) == number(x, n)) {
            seen |= i == 0 ? 1 : i == n - 1 ? 2 : 4;
            times++;
        }
    return seen | (unsigned)(times > 1) << 3;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

static void row_take(const at_source *d, const int *token, int n, row *x)
{
    assert_true(n <= WORDS);
    *x = (row){.n = n, .sep = {n, n}};
    for (int i = 0, k = 0; i < n; i++) {
        char word[AT_STREAM_WORD];
        strcpy(x->word[i], at_source_word(d, token[i], word));
        if (!strcmp(x->word[i], "<sep>") && k < 2)
            x->sep[k++] = i;
    }
}

static row line(const char *text)
{
    row x = {0};
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t n = strcspn(text, " ");
        memcpy(x.word[x.n++], text, n);
        text += n;
    }
    x.sep[0] = x.sep[1] = x.n;
    for (int i = 0, k = 0; i < x.n; i++)
        if (is(&x, i, "<sep>") && k < 2)
            x.sep[k++] = i;
    return x;
}

static const struct {
    const char *id, *set;
    unsigned (*read)(const row *x);
    unsigned all; /* the branches that there are */
    const char *example;
    unsigned of_example;
} streams[] = {
    {"lis", "n=6 range=8", lis_read, 0x7f, "7 9 9 8 <sep> 1 2 2 2 <sep> 2 <eos>", 0x2e},
    {"ed", "n=4", ed_read, 0x37f, "a | b <sep> 3 , <sep> 3 <eos>", 0x230},
    {"ed", "n=4 fixed=1", ed_read, 0x33f, "a b | a c <sep> 0 2 , 2 3 , <sep> 3 <eos>", 0},
    {"ed-local", "n=4", ed_read, 0x37f, "a | b <sep> 3 <sep> 3 <eos>", 0x230},
    {"arithmetic", "operators=4 p=5", arithmetic_read, 0x3fff, "( 3 + 4 ) * 2 = 2 * 2 = 4 <eos>", 0x115},
    {"arithmetic", "operators=4 p=5 order=random", arithmetic_read, 0x3fff, "1 - 2 * 0 = 1 <eos>", 0x22c6},
    {"match2", "N=6", match_read, 0x7, "3 0 5 <sep> 0 1 0 <eos>", 0x7},
    {"match3", "N=6", match_read, 0x7, "3 1 5 <sep> 0 0 0 <eos>", 0x1},
    {"qsa", "N=6 q=3", qsa_read, 0x7, "1 1 2 3 , <sep> 0 <eos>", 0x1},
    {"compose", "n=3 k=3", compose_read, 0xf, "1 2 0 | 2 1 0 | 0 <sep> 1 1 <sep> 1 <eos>", 0x3},
    {"parity", "n=6 least=1", bits_read, 0x3f, "1 0 1 <sep> 1 1 0 <sep> 0 <eos>", 0x21},
    {"majority", "n=6 least=1", bits_read, 0x3f, "1 0 <sep> 1 1 <sep> 0 <eos>", 0x31},
    {"dyck", "n=10 least=2 D=3", dyck_read, 0x3f, "( [ ( ] <sep> 1 2 3 ! <sep> 0 <eos>", 0x24},
    {"max", "N=4 V=8", max_read, 0xf, "3 7 7 2 7", 0xc},
};

/* The readers see what is there, and nothing else. */
static void examples(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
        row x = line(streams[k].example);
        unsigned seen = streams[k].read(&x);
        if (streams[k].of_example && seen != streams[k].of_example)
            fail_msg("%s: of '%s' the branches %x are seen, not %x", streams[k].id, streams[k].example, seen,
                     streams[k].of_example);
        assert_true((seen & ~streams[k].all) == 0);
        assert_true(seen != streams[k].all || streams[k].all == 0x7); /* one row is not enough */
    }
}

static void every_branch(void **state)
{
    (void)state;
    int poor = 0;
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
        at_source *d = source_with(streams[k].id, streams[k].set);
        at_sequence s = sequence_for(d);
        unsigned seen = 0;
        for (uint64_t i = 0; i < DRAWS; i++) {
            row x;
            sample_take(d, 1, AT_TRAIN, i, &s);
            row_take(d, s.token, s.n, &x);
            seen |= streams[k].read(&x);
            poor += i == 0 && seen != streams[k].all;
        }
        if (seen != streams[k].all)
            fail_msg("%s %s: branches %x are met, of %x", streams[k].id, streams[k].set, seen,
                     streams[k].all);
        free(s.token);
        at_source_free(d);
    }
    assert_true(poor >= 12); /* a stream that draws one row for ever would be found out */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples), cmocka_unit_test(every_branch)};
    return cmocka_run_group_tests_name("stream branches", tests, NULL, NULL);
}
