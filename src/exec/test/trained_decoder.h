/* trained_decoder.h: decoders of the shape that training gives, or of imported ones, with random weights, for the tests of batches. */
#ifndef ATTEST_TEST_TRAINED_DECODER_H
#define ATTEST_TEST_TRAINED_DECODER_H

#include <attest/exec.h>

/* A zero field means the default that is named beside it. */
typedef struct {
    bool linear;
    int block, windows, ends; /* block 0: causal */
    int width, heads, layers; /* 16, 2, 2 */
    int dk, dv;               /* width / heads */
    int hidden;               /* 2 width */
    int words;                /* 11 */
    int n_max;                /* 48 */
    bool sinusoids;           /* else a table of positions */
    bool embed_norm;
    bool relu, gelu_tanh, silu; /* else GeLU */
    /* Bits 1 << AT_TRAIT_...: rotary turns all pairs of a head, in parallel models half of them; MLPs are parallel and gated. */
    unsigned traits;
    int nonzero;  /* weights in a row of a matrix that are not 0 (4) */
    double sharp; /* factor of queries (1): scores that differ by so much more */
    uint64_t seed;
} trained_spec;

/* Prompts of 1..n_max-1 words, stops after n_max steps at most or at word 1. m is initialised by this call. Failures end the
 * test that asked. */
void trained_decoder(const trained_spec *s, at_model *m);

#endif
