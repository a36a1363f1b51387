/* hard_layers.h: small attention models that the claims of limits are tried on: drawn at random, and trained a little. */
#ifndef ATTEST_CLAIM_HARD_LAYERS_H
#define ATTEST_CLAIM_HARD_LAYERS_H

#include <attest/refute.h>
#include <attest/train.h>

/* Tokens (or integers 0..1 through a matrix) + position table; layers of attention (H heads of width d, with skip) and, if hidden > 0, an MLP of so many ReLU
 * units (with skip); argmax. */
typedef struct {
    int vocabulary, answers, length;
    int integers;                          /* 0, or as many 0..1 a position instead of a token */
    int width, layers, heads, dim, hidden; /* D, L, H, d, U */
    bool last;                             /* one answer, at the last position */
    bool strict;                           /* position j sees those before it only */
    double gain;                           /* 0: 1; factor of queries and keys */
} hard_arch;
/* Weights are normal: 1 in tables, 1/sqrt(columns) in matrices, 0.1 in biases. */
at_status hard_layers_draw(const hard_arch *h, uint64_t seed, at_model *m, at_err *err);
/* `steps` steps of AdamW on batches of inputs of the task; m is replaced by what came out. */
at_status hard_layers_train(at_model *m, const at_task *t, const at_params *p, int steps, uint64_t seed,
                            at_err *err);

/* qSA: z through a matrix, y through a table with C(N,q) rows, positions through a table; one attention layer without skip,
 * H heads of width d; a linear readout of the vector. */
at_status hard_qsa_draw(int N, int q, int vector, int heads, int dim, uint64_t seed, at_model *m,
                        at_err *err);
/* Random steps that are kept when they lower the mean square error on `inputs` inputs. */
at_status hard_qsa_train(at_model *m, const at_params *p, int steps, int inputs, uint64_t seed, at_err *err);

#endif
