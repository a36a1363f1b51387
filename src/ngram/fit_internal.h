/* fit_internal.h: the k-grams of a text, counted. */
#ifndef ATTEST_NGRAM_FIT_INTERNAL_H
#define ATTEST_NGRAM_FIT_INTERNAL_H

#include "ngram_internal.h"

const char *ngram_blank(at_tokens kind); /* how the blank is spelt; NULL: of words */

/* A text as ids, sentence behind sentence: <s>, words, </s>. */
typedef struct {
    ngram_lexicon lexicon; /* <unk>, the words from the most frequent on, </s>, <s> */
    int *id;               /* (n) */
    size_t n;
} ngram_text;
at_status ngram_text_read(const at_fit *how, const char *text, size_t n, const char *where,
                          const at_progress *progress, at_arena *a, ngram_text *out, at_fitted *said,
                          at_err *err);
void ngram_text_release(ngram_text *t);

/* The k-grams that occur, sorted as in the trie. Level 1 is every id. */
typedef struct {
    int n;
    int *parent, *word; /* (n) */
    int *suffix;        /* (n): the k-gram without its first word, in the level below; of level 1: NULL */
    uint32_t *count;    /* (n): how often it occurs */
    uint32_t *left;     /* (n): how many different tokens stand before it; of the highest level zeros */
    bool *begins;       /* (n): with <s> */
} ngram_counted;
at_status ngram_text_count(const ngram_text *t, int order, const at_progress *progress, ngram_counted *level,
                           at_err *err); /* level[1..order] */
void ngram_counted_release(ngram_counted *level, int order);

#endif
