/* CLAIM dp-linear: a decoder with linear attention and width O(sqrt L) writes the table of a recurrence.
 *
 * Source: Yang et al. 2024, "Do Efficient Transformers Really Save Computation?" (linear transformers, upper bound).
 * Statement: as dp-standard, but attention is linear; depth and heads are constant and the width grows like the square
 * root of the length L.
 *
 * Proof (src/front/compile_dp.c has the steps, src/program/copy.c the COPY): as dp-standard but for the copy. Positions
 * are cut into W = ceil(sqrt L) blocks of W; a row puts its values into slot (i-1) mod W.
 *   1. AGG (lemma-a9) with the one-hot vector of the target's block gives that block's average: every slot holds one
 *      value divided by the number of rows of the block that are there.
 *   2. The target's slot is selected, and multiplied by that number.
 * Packed (pack=1; docs/pack.md has the proof): no head for the row before, slots for rows that are fetched alone, R digits in base q
 * a number, costs of neighbours modulo 5, and a hidden key of weight 2^60 that makes the division exact. With clear=1, for f32, a
 * number that was read for the last time is cleared by rounding: W far above it is added, and taken off by the next row. Heads times width are 4, 8, 15, 29, 58 for prefix sums
 * modulo 5 at n = 128..32768.
 * Differs from the paper: the number is min(W, i - W block), one selection a number; the paper's divisor is wrong for
 * targets in the current block (docs/errata.md). */
#include "../shared/claim_dp.h"

CLAIM_DECODER_HOOKS(dp, AT_ATTENTION_LINEAR)

static const at_claim_table tables[] = {CLAIM_DP_PRECISION,
                                        CLAIM_LAW_TABLE(dp, claim_dp_law_rows, "problem", 0.5, 2, 2, 2)};

static const at_cell cells[] = {
    CLAIM_DP_CELLS("p8", "p8", "p7"),
    CLAIM_DP_STEERED,
    CLAIM_DP_SAMPLED("problem=edit-distance a=20 b=20", "f64", 40),
    CLAIM_DP_SAMPLED("problem=edit-distance a=20 b=20 letters=2", "f32", 20),
    CLAIM_DP_EXACT("problem=prefix-sum a=0..5 b=5 letters=5 pack=1", "f32", AT_TIER_QUICK,
                   "problem=prefix-sum a=0..4 b=5 letters=5 pack=1"),
    CLAIM_DP_EXACT("problem=edit-distance a=0..3 b=0..3 letters=2 pack=1", "f32", AT_TIER_FULL, NULL),
    CLAIM_DP_SAMPLED("problem=prefix-sum a=128 b=5 pack=1", "f32", 4),
    CLAIM_DP_SAMPLED("problem=lis a=20 b=99 letters=99 pack=1", "f32", 4),
    CLAIM_DP_SAMPLED("problem=edit-distance a=12 b=12 pack=1", "f32", 4),
    CLAIM_DP_EXACT("problem=edit-distance a=8 b=3 letters=2 more=-8 pack=1 clear=1", "f32", AT_TIER_QUICK,
                   NULL),
    CLAIM_DP_EXACT("problem=edit-distance-local a=4..6 b=6 letters=2 more=-9 pack=1 clear=1", "f32",
                   AT_TIER_QUICK, "problem=edit-distance-local a=4 b=5 letters=2 more=-9 pack=1 clear=1"),
    CLAIM_DP_SAMPLED("problem=edit-distance a=40 b=40 pack=1 clear=1", "f32", 4),
    CLAIM_DP_SAMPLED("problem=edit-distance-local a=20 b=20 pack=1 clear=1", "f32", 4),
    {"problem=edit-distance a=160 b=160 pack=1 clear=1", NULL, AT_EV_SAMPLED, 0, "f32", 2, AT_TIER_FULL,
     NULL},
    {"problem=prefix-sum a=8192 b=5 pack=1", NULL, AT_EV_SAMPLED, 0, "f32", 2, AT_TIER_FULL, NULL},
    {"problem=lis a=250 b=99 letters=99 pack=1", NULL, AT_EV_SAMPLED, 0, "f32", 2, AT_TIER_FULL, NULL},
    {"problem=prefix-sum a=128 b=5 pack=1", "fewer=1", AT_EV_SAMPLED, 0, "f32", 4, AT_TIER_QUICK, NULL},
    {"problem=prefix-sum a=128 b=5 pack=1", "more=1", AT_EV_SAMPLED, 0, "f32", 4, AT_TIER_QUICK, NULL},
    {"problem=edit-distance a=4 b=4 letters=2 pack=1", "less=2", AT_EV_EXACT, 0, "f32", 0, AT_TIER_QUICK,
     NULL},
    {"problem=edit-distance a=40 b=40 pack=1 clear=1", "keep=1", AT_EV_SAMPLED, 0, "f32", 4, AT_TIER_QUICK,
     NULL},
    {"problem=edit-distance a=40 b=40 pack=1 clear=1", "fewer=1", AT_EV_SAMPLED, 0, "f32", 4, AT_TIER_QUICK,
     NULL},
    {"problem=edit-distance a=2..4 b=2..4 letters=2", "fewer=1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK,
     NULL},
    {"problem=edit-distance a=0..4 b=0..4 letters=2", "scale=0.1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK,
     NULL},
    {"problem=edit-distance a=0..4 b=0..4 letters=2", "arith=p7", AT_EV_EXACT, 0, "p8", 0, AT_TIER_QUICK,
     NULL},
};

const at_claim claim_dp_linear = {
    .id = "dp-linear",
    .title = "A linear-attention decoder of width O(sqrt L) writes the table of a recurrence",
    .statement = "As dp-standard with linear attention: depth and heads constant, width O(sqrt L).",
    .proof = "The one-hot vector of the target's block averages the slots of that block (AGG); the target's "
             "slot is selected and multiplied by the number of its rows that are there.",
    .source = "Yang et al. 2024, after Feng et al. 2023",
    .params = claim_dp_params,
    .n_params = claim_dp_n_packed,
    .chain = &claim_dp_chain,
    .decoder = decoder,
    CLAIM_CELLS,
    CLAIM_TABLES,
    .look = "1 2 3 2 1 3 3 |",
    .look_params = "problem=edit-distance a=3 b=4",
};
