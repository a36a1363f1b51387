/* CLAIM dp-local: a decoder with block-sparse attention, B = m, and constant width writes the table of an m-local recurrence.
 *
 * Source: Yang et al. 2024, "Do Efficient Transformers Really Save Computation?" (the locality assumption).
 * Statement: if every row needs only rows among the m before it, a row that sees the last m rows (and block ends, unused)
 * suffices: depth, heads and width are constant, and a row costs O(m) instead of O(L).
 *
 * Proof (src/front/compile_dp.c has the steps): as dp-standard; every target is among the rows that are seen, so that the
 * copy by index is the standard one under another mask. */
#include "../shared/claim_dp.h"

CLAIM_DECODER_HOOKS(dp, AT_ATTENTION_LOCAL)

static const at_claim_table tables[] = {
    CLAIM_DP_PRECISION, CLAIM_LAW_TABLE(dp, claim_dp_law_local_rows, "problem", 0, 1, 1.5, 1.5)};

static const at_cell cells[] = {
    CLAIM_DP_CELLS("p10", "p8", "p10"),
    CLAIM_DP_SAMPLED("problem=edit-distance-local a=20 b=20", "f64", 40),
    CLAIM_DP_SAMPLED("problem=edit-distance a=20 b=20 letters=2", "f32", 20),
    {"problem=edit-distance-local a=3 b=3 letters=2", "fewer=1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK,
     NULL},
    {"problem=edit-distance a=0..4 b=0..4 letters=2", "scale=0.1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK,
     NULL},
    {"problem=edit-distance a=0..4 b=0..4 letters=2", "arith=p9", AT_EV_EXACT, 0, "p10", 0, AT_TIER_QUICK,
     NULL},
};

const at_claim claim_dp_local = {
    .id = "dp-local",
    .title = "A block-sparse decoder of constant width writes the table of an m-local recurrence",
    .statement = "As dp-standard for m-local recurrences with block-sparse attention, B = m: constant size, "
                 "and a row looks at O(m) rows.",
    .proof = "Every target is among the last m rows, which are seen, so copying by index works under the "
             "block-sparse mask.",
    CLAIM_DECODER_FIELDS(dp, claim_dp_chain),
    .look = "1 2 3 2 1 3 3 |",
    .look_params = "problem=edit-distance a=3 b=4",
};
