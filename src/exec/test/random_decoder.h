/* random_decoder.h: small random decoders for the tests of decoding. Failures end the test that asked. */
#ifndef ATTEST_TEST_RANDOM_DECODER_H
#define ATTEST_TEST_RANDOM_DECODER_H

#include <attest/exec.h>

enum { DECODER_LENGTH = 14, DECODER_ARITHS = 4 };
extern const at_arith decoder_ariths[DECODER_ARITHS]; /* f64, f32, p12e8, p30 */
extern const at_mask_kind decoder_masks[3];           /* those that a decoder may have */

/* Two pairs of attention (two groups) and MLP. */
typedef struct {
    at_weighting weighting;
    at_mask_kind mask; /* BLOCK_SPARSE: B = 3, k and c vary with the seed */
    at_pos_kind pos;   /* AT_POS_KINDS: none */
    bool integers;     /* two integer fields of 2 and 1 and rounding, instead of 5 tokens and argmax */
    uint64_t seed;     /* also chooses norms, activation, prefix */
    int n_max;         /* DECODER_LENGTH */
    double gain;       /* of all weights (0.5) */
} decoder_spec;
/* Prompts of 1..4 rows, at most 6 steps, stops when the first number is 1. m is initialised by this call. */
void random_decoder(const decoder_spec *s, at_model *m);
/* One row in the domain of such a model. */
void random_decoder_row(const at_model *m, at_rng *rng, double *row);
void must(at_status st, const at_err *err); /* fails with the text of err */

#endif
