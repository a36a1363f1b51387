/* CLAIM dp-sparse: a decoder with block-sparse attention and width O(sqrt L) writes the table of a recurrence.
 *
 * Source: Yang et al. 2024, "Do Efficient Transformers Really Save Computation?" (sparse transformers, upper bound).
 * Statement: as dp-standard, but a row sees only the last B = ceil(sqrt L) rows and the last row of every block of B;
 * depth and heads are constant and the width grows like the square root of the length L.
 *
 * Proof (src/front/compile_dp.c has the steps, src/program/copy.c the COPY, lemma-a12): as dp-standard but for the copy.
 *   1. A row puts its values into slot (i-1) mod B; at the last row of a block the average over the own block, times B,
 *      holds the whole block.
 *   2. A target among the last B rows is copied by index; an earlier one from the last row of its block, slot by slot.
 * Packed (pack=1; docs/pack.md has the proof): only what is not seen comes through ends of blocks, R digits in base q a number, and blocks
 * are a power of two, so that the mean times B is the sum, exactly. Widths are 28, 40, 66 for prefix sums modulo 5 at n = 2048, 8192, 32768.
 * Differs from the paper: step 1 scores -(block_j - block_i)^2; an average over all that is seen also hits the ends of
 * older blocks (docs/errata.md). */
#include "../shared/claim_dp.h"

CLAIM_DECODER_HOOKS(dp, AT_ATTENTION_SPARSE)

static const at_claim_table tables[] = {CLAIM_DP_PRECISION,
                                        CLAIM_LAW_TABLE(dp, claim_dp_law_rows, "problem", 0.5, 2, 2, 2)};

static const at_cell cells[] = {
    CLAIM_DP_CELLS("p10", "p8", "p10"),
    CLAIM_DP_STEERED,
    CLAIM_DP_SAMPLED("problem=edit-distance a=20 b=20", "f64", 40),
    CLAIM_DP_SAMPLED("problem=edit-distance a=20 b=20 letters=2", "f32", 20),
    CLAIM_DP_EXACT("problem=prefix-sum a=0..5 b=5 letters=5 pack=1", "f32", AT_TIER_QUICK,
                   "problem=prefix-sum a=0..4 b=5 letters=5 pack=1"),
    CLAIM_DP_EXACT("problem=lis a=0..4 b=4 letters=4 pack=1", "f32", AT_TIER_FULL, NULL),
    CLAIM_DP_EXACT("problem=edit-distance a=0..3 b=0..3 letters=2 pack=1", "f32", AT_TIER_FULL, NULL),
    CLAIM_DP_SAMPLED("problem=prefix-sum a=128 b=5 pack=1", "f32", 4),
    CLAIM_DP_SAMPLED("problem=lis a=20 b=99 letters=99 pack=1", "f32", 4),
    CLAIM_DP_SAMPLED("problem=edit-distance a=12 b=12 pack=1", "f32", 4),
    {"problem=prefix-sum a=32768 b=5 pack=1", NULL, AT_EV_SAMPLED, 0, "f32", 2, AT_TIER_FULL, NULL},
    {"problem=lis a=250 b=99 letters=99 pack=1", NULL, AT_EV_SAMPLED, 0, "f32", 2, AT_TIER_FULL, NULL},
    {"problem=edit-distance a=160 b=160 pack=1", NULL, AT_EV_SAMPLED, 0, "f32", 2, AT_TIER_FULL, NULL},
    {"problem=prefix-sum a=128 b=5 pack=1", "fewer=1", AT_EV_SAMPLED, 0, "f32", 4, AT_TIER_QUICK, NULL},
    {"problem=prefix-sum a=128 b=5 pack=1", "more=1", AT_EV_SAMPLED, 0, "f32", 4, AT_TIER_QUICK, NULL},
    {"problem=prefix-sum a=512 b=5 pack=1", "block=23", AT_EV_SAMPLED, 0, "f32", 4, AT_TIER_QUICK, NULL},
    {"problem=edit-distance a=4 b=4 letters=2", "fewer=1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"problem=edit-distance a=0..4 b=0..4 letters=2", "scale=0.1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK,
     NULL},
    {"problem=edit-distance a=0..4 b=0..4 letters=2", "arith=p9", AT_EV_EXACT, 0, "p10", 0, AT_TIER_QUICK,
     NULL},
};

const at_claim claim_dp_sparse = {
    .id = "dp-sparse",
    .title = "A block-sparse decoder of width O(sqrt L) writes the table of a recurrence",
    .statement = "As dp-standard with block-sparse attention, B = ceil(sqrt L): depth and heads constant, "
                 "width O(sqrt L).",
    .proof = "Block ends collect their block slot by slot; targets that are seen are copied by index, "
             "earlier ones from the end of their block.",
    .source = "Yang et al. 2024, after Feng et al. 2023",
    .params = claim_dp_blocks,
    .n_params = claim_dp_n_blocks,
    .chain = &claim_dp_chain,
    .decoder = decoder,
    CLAIM_CELLS,
    CLAIM_TABLES,
    .look = "1 2 3 2 1 3 3 |",
    .look_params = "problem=edit-distance a=3 b=4",
};
