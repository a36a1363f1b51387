/* stream_ed.c: edit distance: ed, the table row by row, and ed-local, in which what a step needs is nearer.
 *
 *     a b c | a c c a <sep> 0 2 4 3 , 2 3 5 5 , 4 2 3 5 , <sep> 5 <eos>         ed
 *     a b c | a c c a <sep> 0 2 4 3 2 3 5 5 4 2 3 5 <sep> 5 <eos>               ed-local
 *     a b c | a c c a <sep> 1 0 2 4 3 , b c | a c c a , 2 2 3 5 5 , c | a c c a , 3 4 2 3 5 <sep> 5 <eos>
 *                                                                               ed-local, beside=1
 *
 * The shorter word stands first. Row i, column j is the least cost of turning the first i letters of the one into the
 * first j of the other: gap 2, substitution 3, match 0. Row and column 0 are not written (but for beside=1); they cost
 * 1 a letter (border=1) or 2 (border=0).
 *
 * Pairs are drawn as the public benchmark of Feng et al. 2023 draws them: one word has exactly n letters, of 3 to 10 kinds,
 * the other n-3 .. n+2 (fixed=1: n, too). In two of five pairs they are independent, else the other is the first after 1 .. n
 * random edits. Pairs of equal words, and lengths beyond these, are drawn anew with as many edits. So no row of ed has more
 * than (n+2)(n+3) tokens and <eos>, prompt included; ed-local n fewer.
 *
 * Locality. In ed-local a value is a function of two letters of the prompt and of the last m outputs, m = n2 + 1 (n2: the
 * length of the longer word). With beside=1 every token after the prompt is a function of the last m tokens whatever
 * they are, m = 4(n+2) + 2, and of nothing else, not even of its position: each row is preceded by the letters it needs
 * and by its column 0. docs/data.md says how; test_stream_chains.c tries all words of small sizes.
 *
 * Tokens: <pad> <sep> <eos> | , a..z, then the integers 0 .. 3(n+2). Legend: a (n1), b (n2) words, D the table. */
#include <stdio.h>

#include "../stream.h"

#define N_MAX    100
#define WORD_MAX (2 * N_MAX) /* while it is edited */
enum { BAR = AT_TOKEN_FIRST, COMMA, LETTER, NUMBER = LETTER + 26 };

#define ED_PARAMS                                                                                            \
    {"n", "letters of one word; the other has n-3..n+2", 4, N_MAX, 6, true},                                 \
        {"border", "1: row and column 0 cost 1 a letter, 0: they cost 2", 0, 1, 1, true},                    \
    {                                                                                                        \
        "fixed", "1: both words have n letters", 0, 1, 0, true                                               \
    }
static const at_param schema[] = {ED_PARAMS};
static const at_param local_schema[] = {
    ED_PARAMS,
    {"beside", "1: the letters that a row needs stand beside it", 0, 1, 0, true},
};

typedef enum { ROWS, BARE, BESIDE } layout; /* ed; ed-local; ed-local with beside=1 */

static layout layout_of(const at_source *d)
{
    return d->p.n == STREAM_PARAMS(schema) ? ROWS : source_int(d, "beside") ? BESIDE : BARE;
}

static int shortest_word(const at_source *d)
{
    return source_int(d, "n") - (source_int(d, "fixed") ? 0 : 3);
}

static int longest_word(const at_source *d)
{
    return source_int(d, "n") + (source_int(d, "fixed") ? 0 : 2);
}

static int vocabulary(const at_source *d)
{
    /* D(i,j) <= 3 min(i,j) + 2 |i-j| <= 3 max(i,j) */
    return NUMBER + 3 * longest_word(d) + 1;
}

static void word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    (void)d;
    if (token >= NUMBER)
        snprintf(out, AT_STREAM_WORD, "%d", token - NUMBER);
    else if (token >= LETTER)
        snprintf(out, AT_STREAM_WORD, "%c", 'a' + token - LETTER);
    else if (token >= BAR)
        snprintf(out, AT_STREAM_WORD, "%s", token == BAR ? "|" : ",");
}

/* The shorter word has n letters then, and the other as many as there may be. */
static int longest(const at_source *d)
{
    int n1 = source_int(d, "n"), n2 = longest_word(d);
    int all = n1 + n2 + 2 + n1 * n2 + 3; /* prompt, table, <sep> answer <eos> */
    switch (layout_of(d)) {
    case ROWS:
        return all + n1;
    case BARE:
        return all;
    case BESIDE:
    default: /* column 0; before each row but the first , a.. | b , */
        return all + n1 + (n1 - 1) * (n2 + 3) + n1 * (n1 - 1) / 2;
    }
}

/* ---- words ------------------------------------------------------------------------------------------------ */

static void letters_draw(at_rng *r, const int *alphabet, int letters, int *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = alphabet[at_rng_below(r, (uint64_t)letters)];
}

/* A word t (n) after so many edits: letters deleted (as long as there are three), replaced, inserted. Its length. */
static int edit(at_rng *r, int *t, int n, int edits, const int *alphabet, int letters)
{
    for (; edits > 0; edits--) {
        int kind = (int)at_rng_below(r, 3), at;
        if (kind == 0 && n > 2) {
            at = draw_within(r, 0, n - 1);
            memmove(t + at, t + at + 1, (size_t)(--n - at) * sizeof *t);
        } else if (kind == 1) {
            at = draw_within(r, 0, n - 1);
            letters_draw(r, alphabet, letters, t + at, 1);
        } else {
            at = draw_within(r, 0, n);
            memmove(t + at + 1, t + at, (size_t)(n++ - at) * sizeof *t);
            letters_draw(r, alphabet, letters, t + at, 1);
        }
    }
    return n;
}

/* A pair; false: it is one that is not wanted. */
static bool pair_draw(const at_source *d, at_rng *r, int edits, int *a, int n1, int *b, int *n2)
{
    int lo = shortest_word(d), hi = longest_word(d), letters = draw_within(r, 3, 10), alphabet[10];
    draw_ascending(r, LETTER, LETTER + 25, letters, alphabet);
    letters_draw(r, alphabet, letters, a, n1);
    if (at_rng_below(r, 5) < 2) {
        *n2 = draw_within(r, lo, hi);
        letters_draw(r, alphabet, letters, b, *n2);
    } else {
        memcpy(b, a, (size_t)n1 * sizeof *a);
        *n2 = edit(r, b, n1, edits, alphabet, letters);
    }
    bool equal = *n2 == n1 && memcmp(a, b, (size_t)n1 * sizeof *a) == 0;
    return !equal && *n2 >= lo && *n2 <= hi;
}

static void draw(const at_source *d, at_rng *r, at_sequence *s)
{
    int a[WORD_MAX], b[WORD_MAX], n1 = source_int(d, "n"), n2, edits = draw_within(r, 1, n1);
    while (!pair_draw(d, r, edits, a, n1, b, &n2)) /* independent words are good with probability 2/5 */
        ;
    const int *first = n1 <= n2 ? a : b, *second = n1 <= n2 ? b : a;
    for (int i = 0; i < (n1 <= n2 ? n1 : n2); i++)
        sequence_add(s, first[i]);
    sequence_add(s, BAR);
    for (int j = 0; j < (n1 <= n2 ? n2 : n1); j++)
        sequence_add(s, second[j]);
    prompt_end(s);
}

/* ---- the table --------------------------------------------------------------------------------------------- */

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* , a_{i+1} .. a_n1 | b , before row i+1 (rows from 0) */
static void beside_add(at_sequence *s, int i, int n1, int n2)
{
    sequence_add(s, COMMA);
    for (int k = i; k < n1 + 1 + n2; k++)
        sequence_add(s, s->token[k]);
    sequence_add(s, COMMA);
}

static bool complete(const at_source *d, at_sequence *s)
{
    int n = source_int(d, "n"), hi = longest_word(d), n1 = 0;
    int row[N_MAX + 3]; /* of D, column 0 first */
    int gap = source_int(d, "border") ? 1 : 2;
    layout how = layout_of(d);
    while (n1 < s->n && s->token[n1] != BAR)
        n1++;
    int n2 = s->n - n1 - 2;
    const int *a = s->token, *b = s->token + n1 + 1;
    if (n1 < 1 || n1 > n || n2 < n1 || n2 > hi || s->token[s->n - 1] != AT_TOKEN_SEP ||
        !tokens_within(a, n1, LETTER, NUMBER - 1) || !tokens_within(b, n2, LETTER, NUMBER - 1))
        return false;
    for (int j = 0; j <= n2; j++)
        row[j] = gap * j;
    for (int i = 0; i < n1; i++) {
        int diagonal = row[0];
        row[0] = gap * (i + 1);
        if (how == BESIDE) {
            if (i)
                beside_add(s, i, n1, n2);
            sequence_add(s, NUMBER + row[0]);
        }
        for (int j = 1; j <= n2; j++) {
            int up = row[j];
            row[j] = least(least(up, row[j - 1]) + 2, diagonal + (a[i] == b[j - 1] ? 0 : 3));
            diagonal = up;
            sequence_add(s, NUMBER + row[j]);
        }
        if (how == ROWS)
            sequence_add(s, COMMA);
    }
    answer_end(s, NUMBER + row[n2]);
    return true;
}

static const at_stream_verbs verbs = {
    STREAM_VERBS,
    .unlisted = "26^8 pairs of words at the least, more than can be run; the chain of its recurrence lists "
                "small ones",
    .before_answer = AT_TOKEN_SEP,
};

const at_stream at_stream_ed = {
    .id = "ed",
    .title = "Edit distance, with the table as chain, rows ended by commas",
    .format = "a b c | a c c a <sep> 0 2 4 3 , 2 3 5 5 , 4 2 3 5 , <sep> 5 <eos>",
    .params = schema,
    .n_params = STREAM_PARAMS(schema),
    .verbs = &verbs,
};

const at_stream at_stream_ed_local = {
    .id = "ed-local",
    .title = "Edit distance without commas, or with the letters a row needs beside it",
    .format = "a b c | a c c a <sep> 0 2 4 3 2 3 5 5 4 2 3 5 <sep> 5 <eos>",
    .params = local_schema,
    .n_params = STREAM_PARAMS(local_schema),
    .verbs = &verbs,
};
