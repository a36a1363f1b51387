/* claim_dp.h: what the claims about compiled recurrences share (shared_dp.c, law_dp.c). */
#ifndef ATTEST_CLAIM_DP_H
#define ATTEST_CLAIM_DP_H

#include "claim_law.h"

extern const at_param claim_dp_params[];
extern const at_param claim_dp_blocks[];
extern const char *const claim_dp_problems[]; /* the values of the parameter `problem` */
/* What there is behind the first six is of packed decoders: linear ones, and block-sparse ones (claim_dp_blocks). */
enum { claim_dp_n_params = 6, claim_dp_n_packed = 11, claim_dp_n_blocks = 9 };
extern const at_chain claim_dp_chain;

/* The recurrence that the parameters name, at their sizes. */
at_status claim_dp_bind(const at_params *p, at_dp **d, at_dp_instance **x, at_err *err);
at_status claim_dp_program(const at_params *p, at_attention_kind kind, at_program **out, at_err *err);
at_status claim_dp_model(const at_params *p, at_attention_kind kind, at_model *m, at_err *err);

/* The cells that all kinds of attention share: every pair of strings over 2 letters up to 4 x 4 and over 3 up to 3 x 3,
 * every sequence of 5 values for LIS, in f64, f32 and at the least numbers of bits; then other problems, small. P2, P3,
 * PL: those numbers. */
#define CLAIM_DP_EXACT(PARAMS, ARITH, TIER, QUICK)                                                           \
    {                                                                                                        \
        PARAMS, NULL, AT_EV_EXACT, 0, ARITH, 0, TIER, QUICK                                                  \
    }
#define CLAIM_DP_CELLS(P2, P3, PL)                                                                           \
    CLAIM_DP_EXACT("problem=edit-distance a=0..4 b=0..4 letters=2", "f64", AT_TIER_QUICK, NULL),             \
        CLAIM_DP_EXACT("problem=edit-distance a=0..4 b=0..4 letters=2", "f32", AT_TIER_FULL, NULL),          \
        CLAIM_DP_EXACT("problem=edit-distance a=0..4 b=0..4 letters=2", P2, AT_TIER_QUICK, NULL),            \
        CLAIM_DP_EXACT("problem=edit-distance a=0..3 b=0..3 letters=3", "f64", AT_TIER_FULL, NULL),          \
        CLAIM_DP_EXACT("problem=edit-distance a=0..3 b=0..3 letters=3", "f32", AT_TIER_QUICK, NULL),         \
        CLAIM_DP_EXACT("problem=edit-distance a=0..3 b=0..3 letters=3", P3, AT_TIER_FULL, NULL),             \
        CLAIM_DP_EXACT("problem=lis a=0..5 b=5 letters=5", "f64", AT_TIER_QUICK,                             \
                       "problem=lis a=0..4 b=5 letters=5"),                                                  \
        CLAIM_DP_EXACT("problem=lis a=0..5 b=5 letters=5", "f32", AT_TIER_FULL, NULL),                       \
        CLAIM_DP_EXACT("problem=lis a=0..5 b=5 letters=5", PL, AT_TIER_FULL, NULL),                          \
        CLAIM_DP_EXACT("problem=edit-distance-local a=0..3 b=3 letters=2", "f64", AT_TIER_QUICK, NULL),      \
        CLAIM_DP_EXACT("problem=lcs a=0..4 b=0..4 letters=2", "f64", AT_TIER_FULL, NULL),                    \
        CLAIM_DP_EXACT("problem=grid a=1..2 b=1..3 letters=4", "f64", AT_TIER_FULL, NULL),                   \
        CLAIM_DP_EXACT("problem=prefix-sum a=0..6 b=3 letters=3", "f64", AT_TIER_QUICK, NULL),               \
        CLAIM_DP_EXACT("problem=palindrome a=0..6 letters=3", "f64", AT_TIER_FULL, NULL)
/* Where inputs steer: not for local attention, which must know the locality. */
#define CLAIM_DP_STEERED                                                                                     \
    CLAIM_DP_EXACT("problem=knapsack a=0..3 b=4..5 letters=3", "f64", AT_TIER_QUICK, NULL),                  \
        CLAIM_DP_EXACT("problem=coins a=0..3 b=5..6 letters=5", "f64", AT_TIER_FULL, NULL)
#define CLAIM_DP_SAMPLED(PARAMS, ARITH, INPUTS)                                                              \
    {                                                                                                        \
        PARAMS, NULL, AT_EV_SAMPLED, 0, ARITH, INPUTS, AT_TIER_QUICK, NULL                                   \
    }

/* Least working p against L for edit distance. */
extern const char *const claim_dp_precision_rows[];
at_status claim_dp_precision_row(const at_claim *c, const at_params *p, int threads, double *out,
                                 at_err *err);
#define CLAIM_DP_INPUTS    4
#define CLAIM_DP_PRECISION CLAIM_CHAIN_PRECISION(dp, "edit distance n x n, ", CLAIM_DP_INPUTS, "pairs", 4)

/* The size law (law_dp.c): what a table of it is made of. */
extern const char *const claim_dp_law_columns[], *const claim_dp_law_rows[], *const claim_dp_law_local_rows[];
at_status claim_dp_law_row(const at_params *p, at_attention_kind kind, double *out, at_err *err);

#endif
