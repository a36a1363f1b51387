/* CLAIM dp-hard: small decoders with linear or block-sparse attention cannot write the chains of a recurrence.
 *
 * Source: Yang et al. 2024, "Do Efficient Transformers Really Save Computation?", theorem 4.4 (B.5, B.6). Statement: for a
 * regular recurrence with chains as long as its inputs, up to a factor, constant depth and heads need width of the order of the square root
 * of L, up to logarithms: with linear attention, and with block-sparse attention of blocks of sqrt L.
 *
 * Proof: what is written depends on the decoder's state after the prompt and on the separator. Linear: layers H (dk dv + dk)
 * running sums of b bits. Sparse: the keys and values of block ends and window. More chains than states cannot all be written.
 *
 * Parts:
 *   linear, sparse   refuters on small decoders, random and trained, of running sums modulo q (regular; as tokens) and of other
 *                    recurrences (rows of integers); the catalogue's decoders, which they must leave alone
 *   regular          the hypothesis, by running every input: prefix sums are regular. Longest increasing subsequences are
 *                    not (5 values of 5: 3125 inputs, 120 chains), so there the bound counts chains, not inputs. */
#include "../shared/hard_nets.h"

static const char *const parts[] = {"linear", "sparse", "regular", NULL};

static const at_param params[] = {
    {"part", "what is tried", 0, 2, 0, true, parts},
    HARD_DP_PARAMS(7, 34, 2),
};

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    int part = at_params_int(p, "part");
    return part == 2 ? hard_dp_regular(p, a, out, err)
                     : hard_dp_trial(p, cell, part == 1, limit, seed, env, a, out, err);
}

static const at_cell cells[] = {
    {"part=linear a=34 b=2", NULL, AT_EV_REFUTED, 0, "p4e4", 200, AT_TIER_QUICK, NULL},
    {"part=linear a=34 b=2", NULL, AT_EV_REFUTED, 0, "p11e5", 200, AT_TIER_QUICK, NULL},
    {"part=linear a=34 b=2 weights=trained", NULL, AT_EV_REFUTED, 0, "p4e4", 20, AT_TIER_QUICK, NULL},
    {"part=linear problem=lis a=14 b=14 tokens=0", NULL, AT_EV_REFUTED, 0, "p4e4", 40, AT_TIER_FULL, NULL},
    {"part=linear problem=edit-distance a=8 b=8 tokens=0", NULL, AT_EV_REFUTED, 0, "p4e4", 40, AT_TIER_FULL,
     NULL},
    {"part=linear a=8 b=2 states=256", "weights=right", AT_EV_REFUTED, 0, "f64", 1, AT_TIER_QUICK, NULL},
    {"part=linear a=34 b=2 states=512", "weights=wide", AT_EV_REFUTED, 0, "f64", 10, AT_TIER_QUICK, NULL},
    {"part=sparse a=32 b=8", NULL, AT_EV_REFUTED, 0, "p4e4", 200, AT_TIER_QUICK, NULL},
    {"part=sparse a=32 b=8 weights=trained", NULL, AT_EV_REFUTED, 0, "p4e4", 20, AT_TIER_QUICK, NULL},
    {"part=sparse a=80 b=2 states=100", "weights=right", AT_EV_REFUTED, 0, "f64", 1, AT_TIER_QUICK, NULL},
    {"part=regular a=9 b=3", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=regular a=5 b=5", "problem=lis", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_dp_hard = {
    .id = "dp-hard",
    .title = "Small linear and block-sparse decoders are wrong on recurrences",
    .source = "Yang et al. 2024 (theorem 4.4)",
    .statement =
        "A decoder of constant depth with linear attention, or block-sparse attention with blocks of sqrt L, "
        "writes the chains of a regular recurrence with L = Theta(n) only if its width is of the order of "
        "sqrt L, up to logarithms. What is found refutes the given decoders; it does not verify the theorem.",
    .proof = "What is written depends on the state after the prompt: running sums, or block ends and window. "
             "Two prompts "
             "with the same state are continued alike, and regular recurrences want different chains.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
