/* CLAIM dp-standard: a decoder of constant size writes the table of a recurrence.
 *
 * Source: Yang et al. 2024, "Do Efficient Transformers Really Save Computation?" (the construction for standard
 * attention), after Feng et al. 2023.
 * Statement: for every recurrence whose next state, dependencies and input positions are integer expressions of the
 * state there is a decoder with softmax attention whose depth, heads, width and MLP do not depend on the length L, which
 * writes state after state, each with its values, and then the answer.
 *
 * Proof (src/front/compile_dp.c has the steps, src/program/copy.c the COPY):
 *   1. The next state follows from the current one by carries.
 *   2. The rows that hold what it needs have positions that are linear in its counters (or, in triangular orders, need
 *      i^2, which a head looks up at position i).
 *   3. One head a dependency copies the row at position t by the score 2tk - k^2 over positions k, whose gap is 1.
 *   4. The transition is a ReLU network on integers; it is flat around integers, so errors of the copies vanish. */
#include "../shared/claim_dp.h"

CLAIM_DECODER_HOOKS(dp, AT_ATTENTION_STANDARD)

static const at_claim_table tables[] = {CLAIM_DP_PRECISION,
                                        CLAIM_LAW_TABLE(dp, claim_dp_law_rows, "problem", 0, 1, 2, 2)};

static const at_cell cells[] = {
    CLAIM_DP_CELLS("p10", "p8", "p10"),
    CLAIM_DP_STEERED,
    CLAIM_DP_SAMPLED("problem=edit-distance a=20 b=20", "f64", 40),
    CLAIM_DP_SAMPLED("problem=edit-distance a=20 b=20", "f32", 40),
    CLAIM_DP_SAMPLED("problem=edit-distance a=20 b=20 letters=2", "p22", 10),
    CLAIM_DP_SAMPLED("problem=lis a=40 b=99 letters=99", "f64", 20),
    CLAIM_DP_SAMPLED("problem=knapsack a=10 b=30", "f64", 20),
    {"problem=edit-distance a=0..4 b=0..4 letters=2", "scale=0.1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK,
     NULL},
    {"problem=edit-distance a=0..4 b=0..4 letters=2", "arith=p9", AT_EV_EXACT, 0, "p10", 0, AT_TIER_QUICK,
     NULL},
};

const at_claim claim_dp_standard = {
    .id = "dp-standard",
    .title = "A decoder of constant size writes the table of a recurrence",
    .statement = "For every recurrence over integers whose dependencies are expressions of the state there "
                 "is a decoder "
                 "with softmax attention, of a size that does not depend on the length, which writes the "
                 "states in order "
                 "with their values and then the answer.",
    .proof = "Positions of dependencies are linear in the counters of a state (or need a square, looked up "
             "by a head); "
             "one head each copies the row at position t by the score 2tk - k^2; the transition is a ReLU "
             "network that is "
             "flat around integers.",
    CLAIM_DECODER_FIELDS(dp, claim_dp_chain),
    .look = "1 2 3 2 1 3 3 |",
    .look_params = "problem=edit-distance a=3 b=4",
};
