/* stream_ed.c: edit distance: ed, the table row by row, and ed-local, in which what a step needs is nearer.
 *
 *     a b c | a c c a <sep> 0 2 4 3 , 2 3 5 5 , 4 2 3 5 , <sep> 5 <eos>         ed
 *     a b c | a c c a <sep> 0 2 4 3 2 3 5 5 4 2 3 5 <sep> 5 <eos>               ed-local
 *     a b c | a c c a <sep> 1 0 2 4 3 , b c | a c c a , 2 2 3 5 5 , c | a c c a , 3 4 2 3 5 <sep> 5 <eos>
 *                                                                               ed-local, beside=1
 *
 * The shorter word stands first. Row i, column j is the least cost of turning the first i letters of the one into the
 * first j of the other: gap 2, substitution 3, match 0. Row and column 0 are not written (but for beside=1); they cost
 * 1 a letter (border=1, as in the public benchmark) or 2 (border=0). Words have n-3 .. n+2 letters (fixed=1: n) of 3 to 10
 * kinds; in two of five pairs they are independent, else the second is the first after random edits.
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
#define WORD_MAX (N_MAX + 2)
enum { BAR = AT_TOKEN_FIRST, COMMA, LETTER, NUMBER = LETTER + 26 };

#define ED_PARAMS                                                                                            \
    {"n", "mean length: words have n-3..n+2 letters", 4, N_MAX, 6, true},                                    \
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

static int longest(const at_source *d)
{
    int w = longest_word(d), all = 2 * w + 2 + w * w + 3; /* prompt, table, <sep> answer <eos> */
    switch (layout_of(d)) {
    case ROWS:
        return all + w;
    case BARE:
        return all;
    case BESIDE:
    default: /* column 0; before each row but the first , a.. | b , */
        return all + w + (w - 1) * (w + 3) + w * (w - 1) / 2;
    }
}

/* ---- words ------------------------------------------------------------------------------------------------ */

/* Edits of a word t (n) whose length stays in lo..hi: letters inserted, deleted, replaced. */
static int edit(at_rng *r, int *t, int n, int lo, int hi, const int *alphabet, int letters)
{
    for (int edits = draw_within(r, 1, hi / 2 + 1); edits > 0; edits--) {
        int kind = (int)at_rng_below(r, 3), at = (int)at_rng_below(r, (uint64_t)n);
        int letter = alphabet[at_rng_below(r, (uint64_t)letters)];
        if (kind == 0 && n < hi) {
            memmove(t + at + 1, t + at, (size_t)(n++ - at) * sizeof *t);
            t[at] = letter;
        } else if (kind == 1 && n > lo) {
            memmove(t + at, t + at + 1, (size_t)(--n - at) * sizeof *t);
        } else if (kind == 2)
            t[at] = letter;
    }
    return n;
}

static void draw(const at_source *d, at_rng *r, at_sequence *s)
{
    int lo = shortest_word(d), hi = longest_word(d), letters = draw_within(r, 3, 10);
    int alphabet[10], a[WORD_MAX], b[WORD_MAX], n1 = draw_within(r, lo, hi), n2;
    draw_ascending(r, LETTER, LETTER + 25, letters, alphabet);
    for (int i = 0; i < n1; i++)
        a[i] = alphabet[at_rng_below(r, (uint64_t)letters)];
    if (at_rng_below(r, 5) < 2) {
        n2 = draw_within(r, lo, hi);
        for (int j = 0; j < n2; j++)
            b[j] = alphabet[at_rng_below(r, (uint64_t)letters)];
    } else {
        memcpy(b, a, (size_t)n1 * sizeof *a);
        n2 = edit(r, b, n1, lo, hi, alphabet, letters);
    }
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
    int hi = longest_word(d), n1 = 0, row[WORD_MAX + 1]; /* row: of D, column 0 first */
    int gap = source_int(d, "border") ? 1 : 2;
    layout how = layout_of(d);
    while (n1 < s->n && s->token[n1] != BAR)
        n1++;
    int n2 = s->n - n1 - 2;
    const int *a = s->token, *b = s->token + n1 + 1;
    if (n1 < 1 || n2 < n1 || n2 > hi || s->token[s->n - 1] != AT_TOKEN_SEP ||
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
