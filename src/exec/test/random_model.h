/* random_model.h: small random models and inputs for the tests of exec.
 *
 *     at_model m;
 *     random_spec s = {.weighting = AT_SOFTMAX, .mask = AT_MASK_CAUSAL, .pos = AT_POS_I, .seed = 7};
 *     random_model(&s, &m, &err);
 *     random_input(&m, 5, 7, &arena, &x, &err);
 */
#ifndef ATTEST_TEST_RANDOM_MODEL_H
#define ATTEST_TEST_RANDOM_MODEL_H

#include <attest/model.h>

#define RANDOM_NO_POS AT_POS_KINDS /* pos: no position features at all */

/* A zero field means the default that is named beside it. */
typedef struct {
    at_weighting weighting;
    at_mask_kind mask; /* BLOCK_SPARSE with B = 3, k = 1, c = 1 */
    at_pos_kind pos;   /* or RANDOM_NO_POS */
    uint64_t seed;
    int length; /* T at n = n_max (8); one prefix and one suffix row belong to it, if there are */
    int width;  /* D (6), at least 6 */
    int heads;  /* H of the first group (2) */
    int dk, dv; /* head widths of the first group (3, 2) */
    int layers; /* pairs ATTN, MLP (1) */
    at_act act;
    at_norm norm;
    bool final_norm;
    at_post post;   /* taken as identity for LINEAR, which has no other */
    double tie;     /* of hard weightings */
    bool one_group; /* default: a second group of one head, of another shape */
    bool no_bias;
    bool integers;    /* all weights in -1, 0, 1: scores tie, and are exact in every arithmetic */
    bool tokens_only; /* one token field instead of one of each kind */
    at_read_kind read;
    int rows; /* R (3) */
    bool last;
    bool
        decoder; /* no suffix; argmax of the token, or three integers and round; chains end at 1. `read` is not asked */
    bool no_prefix; /* nor a prefix row */
    /* Bits 1 << AT_TRAIT_...: what blocks, groups and readout have besides, as far as it goes with the rest (a second group turns
     * adjacent pairs by another theta; tied needs tokens_only). */
    unsigned traits;
} random_spec;

/* m is initialised by this call and to be released when it succeeds. */
at_status random_model(const random_spec *s, at_model *m, at_err *err);
/* n user positions drawn from the domain; integers where the spec asked for them are up to the caller:
 * whole = true draws the REAL fields from the integers too. */
at_status random_input(const at_model *m, int n, uint64_t seed, bool whole, at_arena *a, at_input *x,
                       at_err *err);

#endif
