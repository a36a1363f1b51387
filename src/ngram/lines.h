/* lines.h: what files of automata and machines share: words of a line, names, probabilities that are fractions. */
#ifndef ATTEST_NGRAM_LINES_H
#define ATTEST_NGRAM_LINES_H

#include "ngram_internal.h"

#define LINE_WORDS (AT_PFSA_STATES + 2) /* of a line: one more than any has */
#define LINE_BYTES ((size_t)1 << 24)    /* of a file */
_Static_assert(AT_PFSA_LETTERS <= AT_PFSA_STATES && AT_PTM_STATES <= AT_PFSA_STATES &&
                   AT_PTM_SYMBOLS <= AT_PFSA_STATES && AT_PTM_LETTERS <= AT_PFSA_STATES,
               "lines that name all of a kind");

typedef struct {
    const char *s;
    size_t n;
    int line, column;
} line_word;

typedef struct {
    uint64_t over, under; /* in lowest terms */
} line_share;

typedef struct {
    const char *where;
    line_word w[LINE_WORDS]; /* of this line, */
    int n, line;
    at_arena *a;
    at_err *err;
} lines;

at_status lines_fault(const lines *r, const line_word *w, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Words stand between blanks, # begins a comment; each line that has words is read in turn. text[n] is 0. */
at_status lines_each(lines *r, const char *text, size_t n, at_status (*read)(void *ctx), void *ctx);
bool line_word_is(const line_word *w, const char *text);
/* "'x' is none of the states", with the nearest. */
at_status lines_unknown(const lines *r, const line_word *w, const char *what, const ngram_lexicon *of);
/* "1/3" or "0.25": more than 0 and at most 1. */
at_status lines_share(const lines *r, const line_word *w, line_share *out);
uint64_t lines_divisor(uint64_t x, uint64_t y);
at_status lines_names(const ngram_lexicon *x, at_arena *a, const char *const **out, at_err *err);
void lines_share_print(uint32_t over, uint32_t under, at_text *out); /* with the end of the line */
/* All of a file, by at_pfsa_read or its like. */
at_status lines_load(const char *path,
                     at_status (*read)(const char *text, size_t n, const char *where, at_arena *a, void *out,
                                       at_err *err),
                     at_arena *a, void *out, at_err *err);

#endif
