/* claim_sums.h: the probability of every word, by a decoder that writes other tokens, too: its texts are followed and summed.
 *
 * A token has a letter or none. A text is a word when those without are taken out. Every text with a positive probability in the model is
 * followed in exact arithmetic, until it ends or has more letters than are asked about. */
#ifndef ATTEST_CLAIM_SUMS_H
#define ATTEST_CLAIM_SUMS_H

#include "../claim_internal.h"

#define CLAIM_SUMS_TOKENS 64

typedef struct {
    const at_model *m;
    int tokens, letters;     /* the end is one more token */
    const int *letter;       /* (tokens) -1: none */
    const char *const *name; /* (letters) */
    int longest,
        most; /* letters of the words, at most 10, and tokens of the texts, at most CLAIM_SUMS_TOKENS */
    /* What the word `word` (n) must have; i is its number: those of fewer letters come first. */
    at_status (*want)(const void *of, uint64_t i, const int *word, int n, at_arena *a, const char **out,
                      at_err *err);
    const void *of;
    const char *left; /* what texts must have that have not ended by `most` tokens */
} claim_sums;
/* Rows of a table of sizes: of what was compiled, m is released. */
#define CLAIM_SUMS_SIZES "hidden rows", "layers", "width", "units"
void claim_sums_sizes(at_model *m, double *out);
#define CLAIM_SUMS_EXACT(PARAMS, CONTROL, QUICK)                                                             \
    {                                                                                                        \
        PARAMS, CONTROL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, QUICK                                    \
    }
/* Of the verdict inputs, holds and, where it does not hold, the note. *words, *texts: how many were summed. */
at_status claim_sums_compare(const claim_sums *k, at_arena *a, at_verdict *out, uint64_t *words,
                             uint64_t *texts, at_err *err);

/* Model and machine, for whoever writes down what the verdict rests on. env may be NULL. */
at_status claim_sums_show(const at_model *m, const char *language, const void *of,
                          void (*print)(const void *of, at_text *out), int longest, int most,
                          const at_check_env *env, at_err *err);

#endif
