/* CLAIM dp-local-hard: locality does not save small decoders with linear attention.
 *
 * Source: Yang et al. 2024, "Do Efficient Transformers Really Save Computation?", proposition 5.5 (C.4). Statement: for a regular
 * recurrence whose rows depend on the m rows before them, m of the order of the input's length n, a decoder with linear attention needs
 * width of the order of sqrt m, up to logarithms.
 *
 * Proof: as dp-hard: the running sums after the prompt must tell n = Theta(m) numbers apart, whatever the chain's length.
 *
 * Parts: linear, refuters on small decoders; regular, both hypotheses: prefix sums are regular, and their locality is n + 1. So is
 * edit distance in its local form, because its values carry the letters along. */
#include "../shared/hard_nets.h"

static const char *const parts[] = {"linear", "regular", NULL};

static const at_param params[] = {
    {"part", "what is tried", 0, 1, 0, true, parts},
    HARD_DP_PARAMS(7, 34, 2),
};

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    return at_params_int(p, "part") ? hard_dp_regular(p, a, out, err)
                                    : hard_dp_trial(p, cell, false, limit, seed, env, a, out, err);
}

static const at_cell cells[] = {
    {"a=40 b=3", NULL, AT_EV_REFUTED, 0, "p4e4", 200, AT_TIER_QUICK, NULL},
    {"a=40 b=3 weights=trained", NULL, AT_EV_REFUTED, 0, "p4e4", 20, AT_TIER_QUICK, NULL},
    {"problem=edit-distance-local a=8 b=8 tokens=0", NULL, AT_EV_REFUTED, 0, "p4e4", 200, AT_TIER_FULL, NULL},
    {"a=8 b=2 states=256", "weights=right", AT_EV_REFUTED, 0, "f64", 1, AT_TIER_QUICK, NULL},
    {"part=regular a=9 b=3", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=regular problem=edit-distance-local a=1 b=2", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=regular a=5 b=5", "problem=lis", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_dp_local_hard = {
    .id = "dp-local-hard",
    .title = "Small linear decoders are wrong on local recurrences",
    .source = "Yang et al. 2024 (proposition 5.5)",
    .statement =
        "A decoder of constant depth with linear attention writes the chains of a regular m-local "
        "recurrence, "
        "m = Theta(n), only if its width is of the order of sqrt m, up to logarithms. What is found refutes "
        "the given decoders; it does not verify the theorem.",
    .proof = "The running sums after the prompt must tell all inputs apart, whatever the chain's length; two "
             "prompts with "
             "the same sums are continued alike.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
