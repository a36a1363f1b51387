/* soft_words.h: what the claims about softmax models of words share: models, the influence of one letter, and the cross entropy that no
 * such model can beat (soft_words.c). */
#ifndef ATTEST_CLAIM_SOFT_WORDS_H
#define ATTEST_CLAIM_SOFT_WORDS_H

#include "../claim_internal.h"

/* What is to be told apart. PARITY: a word and the word with one letter changed. DYCK2: two beginnings that differ in the kind of their first
 * bracket, whose partner comes next. */
typedef enum { SOFT_PARITY, SOFT_DYCK2 } soft_problem;

enum { SOFT_RANDOM, SOFT_TRAINED, SOFT_FIRST, SOFT_GROWING };
extern const char *const soft_models[], *const soft_masks[], *const soft_read[];

#define SOFT_PARAMS(LENGTH)                                                                                  \
    {"models", "which models", 0, SOFT_GROWING, SOFT_RANDOM, true, soft_models},                             \
        {"N", "greatest length; a fourth and a half of it are asked, too", 4, 4096, LENGTH, true},           \
        {"L", "layers", 1, 4, 1, true}, {"H", "heads", 1, 8, 2, true},                                       \
        {"mask", "which keys a position sees", 0, 1, 0, true, soft_masks},                                   \
        {"gain", "size of drawn weights", 0.001, 100, 0.4, false},                                           \
        {"steps", "of a training", 1, 100000, 300, true},                                                    \
        {"taught", "length of the words of a training", 2, 512, 16, true},                                   \
    {                                                                                                        \
        "read", "how the attention of the model that is measured weighs keys", 0, 1, 0, true, soft_read      \
    }

at_status soft_trial(soft_problem what, const at_params *p, const at_cell *cell, uint64_t limit,
                     uint64_t seed, const at_check_env *env, at_arena *a, at_verdict *out, at_err *err);

/* A row of a table: one drawn model at length N. */
#define SOFT_COLUMNS "n", "bound", "n bound", "n measured", "range", "nats at least", "nats measured"
at_status soft_row(soft_problem what, const at_params *p, double *out, at_err *err);

#endif
