/* claim_drawn.h: small models of words with drawn weights, for claims about what all models of a kind can do. */
#ifndef ATTEST_CLAIM_DRAWN_H
#define ATTEST_CLAIM_DRAWN_H

#include <attest/exec.h>
#include <attest/formula.h>

#include "../claim_internal.h"

enum { CLAIM_DRAWN_LONG = 40 }; /* letters of a long word */

/* Two letters, width 3, pairs of an attention of one group and an MLP of 4 ReLU units, answered yes or no at one hidden position behind the
 * word; weights are multiples of `step` to `most` times it. */
typedef struct {
    at_weighting weighting;
    at_mask_kind mask;
    int layers, heads, dv, prefix, longest;
    int period; /* of a table of positions; 0: there is none */
    double step;
    int most;
} claim_drawn;
at_status claim_drawn_model(const claim_drawn *d, uint64_t seed, uint64_t index, at_model *m, at_err *err);

/* The same model trained, with softmax attention, for `steps` steps of AdamW on words of 1 to 8 letters of one of CLAIM_TAUGHT languages; then all
 * weights are rounded to multiples of 1/8, and attention is what it was. */
#define CLAIM_TAUGHT 4
at_status claim_drawn_trained(const claim_drawn *d, uint64_t seed, uint64_t index, int steps, at_model *m,
                              at_err *err);

at_status claim_drawn_says(const at_model *m, at_arith arith, const int *word, int n, at_arena *a, bool *out,
                           at_err *err);
/* Does the model say of every word to `longest`, and of `more` drawn ones of 40 letters, what the formula does? *words: run; *yes: accepted among
 * those that are listed. The first on which they differ is said in the arena (*why), else it is NULL. */
at_status claim_drawn_equal(const at_model *m, at_arith arith, const at_formulas *f, int longest, int more,
                            at_arena *a, uint64_t *words, uint64_t *yes, const char **why, at_err *err);

#endif
