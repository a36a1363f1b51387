/* plain_model.h: small random plain models for the tests of the plain engine. */
#ifndef ATTEST_PLAIN_MODEL_H
#define ATTEST_PLAIN_MODEL_H

#include <attest/train.h>

/* One attention block (two groups: the one described, and a plain one of other widths unless `alone`), one MLP block; instead of
 * the attention, if `rival` says so, an RNN or a FLATTEN. */
typedef struct {
    at_block_kind rival; /* 0: none */
    at_rnn_cell cell;
    at_weighting weighting;
    at_mask mask;
    at_post post;
    bool bias, alone;
    at_norm norm;
    bool residual;
    at_act act;
    int depth;    /* layers of the MLP */
    int position; /* at_pos_kind of the first of two features, or -1: none */
    int prefix, suffix;
    bool last, final_norm;
    int n_min, n_max;
    /* Bits 1 << AT_TRAIT_...: rotary turns halves of the first group, adjacent pairs of the second; a parallel MLP is followed by
     * another one; tied: answers are words, and R is PLAIN_WORDS. */
    unsigned traits;
} plain_shape;

#define PLAIN_WORDS   5 /* of the input */
#define PLAIN_ANSWERS 4 /* R */

/* A usual shape: softmax, causal, biases, norms before, residual, GeLU. */
extern const plain_shape plain_usual;
/* Laid out, with normal weights of deviation 0.5 and gains about 1. */
void plain_model_make(const plain_shape *s, uint64_t seed, at_model *m);
void plain_model_draw(at_model *m, uint64_t seed); /* the weights alone */

#endif
