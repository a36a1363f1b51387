/* word_nets.h: small attention models of words that claims of limits are tried on: drawn, and trained a little. */
#ifndef ATTEST_CLAIM_WORD_NETS_H
#define ATTEST_CLAIM_WORD_NETS_H

#include <attest/train.h>

#include "../claim_internal.h"

/* Letters + positions (sinusoids), layers of softmax attention (H heads of width d, with skip) and an MLP of ReLU units (with skip);
 * argmax over the answers at the last letter. Words of 1..longest letters. */
typedef struct {
    int letters, answers, longest;
    int width, layers, heads, dim, hidden; /* D, L, H, d, U; hidden 0: no MLP */
    at_mask_kind mask;
    double gain; /* of all weights */
} word_net;
/* Weights are normal: gain in tables, gain/sqrt(columns) in matrices, gain/10 in biases. */
at_status word_net_draw(const word_net *h, uint64_t seed, at_model *m, at_err *err);
/* All attention chooses one key instead: the same weights, another function. */
void word_net_harden(at_model *m, at_weighting w);

/* One word to learn from: n letters, and the answer. */
typedef void word_row(const void *self, at_rng *r, int n, double *x, int *answer);
/* `steps` steps of AdamW on 16 words of n letters; m is replaced by what came out. */
at_status word_net_train(at_model *m, word_row *row, const void *self, int n, int steps, uint64_t seed,
                         at_err *err);
/* Words of a task, whose parameters self is. */
word_row word_row_parity, word_row_dyck;

#endif
