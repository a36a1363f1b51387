/* CLAIM dyck2-soft: a softmax model cannot know the kind of a bracket that was opened long ago, so its cross entropy on the partner of it
 * tends to a coin's.
 *
 * Source: Hahn 2020, Theorem 6 and its corollary for Dyck-2, for softmax with bounded weights and positions.
 * Statement: let an opening bracket of one of two kinds be followed by balanced brackets, n letters in all; its partner comes next. For the
 * weights at hand and each n there is a bound e, certified, on how far the first letter moves the difference of the logits of the two closing
 * brackets; and no such model has less than ln(1 + exp(-e/2)) nats on these beginnings.
 *
 * Proof: src/check/influence.c and influence_attend.c for the bound, src/claim/shared/soft_words.c for the loss, beside the code.
 * Controls. models=growing: the construction of claim dyck, whose positions and scales grow with the length, knows all brackets: the bound
 *   comes out vacuous, and is not violated. read=leftmost-hard: the same weights read as hard attention, which follows position 1: what
 *   is measured lies above the bound. */
#include "../shared/soft_words.h"

static const at_param params[] = {SOFT_PARAMS(128)};

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    return soft_trial(SOFT_DYCK2, p, cell, limit, seed, env, a, out, err);
}

static at_status row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c;
    (void)threads;
    return soft_row(SOFT_DYCK2, p, out, err);
}

static const at_claim_table tables[] = {
    {
        .id = "influence",
        .title = "how far one letter moves a drawn causal model of one layer, bounded and measured, and the "
                 "cross entropy "
                 "that follows for the first bracket, against n",
        .columns = (const char *const[]){SOFT_COLUMNS, NULL},
        .x = "n",
        .logx = true,
        .logy = true,
        .plots = (const char *const[]){"bound", "nats at least", NULL},
        .rows = (const char *const[]){"N=16 mask=causal", "N=32 mask=causal", "N=64 mask=causal",
                                      "N=128 mask=causal", "N=256 mask=causal", "N=512 mask=causal", NULL},
        .quick_rows = 3,
        .row = row,
    },
};

static const at_cell cells[] = {
    {"N=512 mask=causal", NULL, AT_EV_CERTIFIED, 0, "f64", 24, AT_TIER_QUICK, "N=64 mask=causal"},
    {"N=128 L=2 gain=0.3 mask=causal", NULL, AT_EV_CERTIFIED, 0, "f64", 24, AT_TIER_QUICK,
     "N=64 L=2 gain=0.3 mask=causal"},
    {"N=128 L=2 gain=0.3", NULL, AT_EV_CERTIFIED, 0, "f64", 24, AT_TIER_QUICK, "N=64 L=2 gain=0.3"},
    {"N=256 models=trained mask=causal steps=1000", NULL, AT_EV_CERTIFIED, 0, "f64", 8, AT_TIER_QUICK,
     "N=64 models=trained mask=causal steps=100"},
    {"N=256 models=first", NULL, AT_EV_CERTIFIED, 0, "f64", 0, AT_TIER_QUICK, "N=64 models=first"},
    {"N=64 models=first", "read=leftmost-hard", AT_EV_CERTIFIED, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=16 models=first", "models=growing", AT_EV_CERTIFIED, 0, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_dyck2_soft = {
    .id = "dyck2-soft",
    .title =
        "A softmax model forgets the kind of a bracket like 1/n: on Dyck-2 its cross entropy tends to ln 2",
    .source = "Hahn 2020; Strobl et al. 2024",
    .group = "Languages",
    .statement = "An opening bracket of one of two kinds is followed by balanced brackets, n letters in all, "
                 "and its partner "
                 "comes next. For given "
                 "weights the kind moves the difference of the two closing logits by at most e, certified, "
                 "and the cross "
                 "entropy is at least "
                 "ln(1 + exp(-e/2)). Where scores, values and positions stay bounded e falls like 1/n.",
    .proof = "Balls for every position and letter, and how far one letter moves them, go through the layers. "
             "Two beginnings "
             "that differ in the "
             "first bracket have different partners and nearly the same logits.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    CLAIM_TABLES,
    .cells = cells,
    .n_cells = COUNT(cells),
};
