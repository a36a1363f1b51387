/* CLAIM parity-soft: of n letters one moves the answer of a softmax model by O(1/n), so its cross entropy on PARITY tends to a coin's.
 *
 * Source: Hahn 2020, Lemma 5 and Theorem 6, for softmax with bounded weights and positions.
 * Statement: for the weights at hand and each length n there is a bound e, certified, on how far one letter moves the difference of the
 * two logits, over all words; and no such model has less than ln(1 + exp(-e/2)) nats on PARITY of random words of n letters. Where scores,
 * values and positions stay bounded, e falls like 1/n.
 *
 * Proof: src/check/influence.c and influence_attend.c for the bound, src/claim/shared/soft_words.c for the loss, beside the code.
 * Controls. read=leftmost-hard: the same weights read as hard attention. The head that prefers position 1 a little then looks at nothing
 *   else: what letter 1 does is measured, and lies above the bound. models=growing: the construction of claim parity decides PARITY at all
 *   lengths, because its scores grow with the length: the bound comes out vacuous, and is not violated. */
#include "../shared/soft_words.h"

static const at_param params[] = {SOFT_PARAMS(128)};

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    return soft_trial(SOFT_PARITY, p, cell, limit, seed, env, a, out, err);
}

static at_status row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c;
    (void)threads;
    return soft_row(SOFT_PARITY, p, out, err);
}

static const at_claim_table tables[] = {
    {
        .id = "influence",
        .title = "how far one letter moves a drawn model of one layer, bounded and measured, and the cross "
                 "entropy that "
                 "follows, against n",
        .columns = (const char *const[]){SOFT_COLUMNS, NULL},
        .x = "n",
        .logx = true,
        .logy = true,
        .plots = (const char *const[]){"bound", "nats at least", NULL},
        .rows = (const char *const[]){"N=16", "N=32", "N=64", "N=128", "N=256", "N=512", NULL},
        .quick_rows = 3,
        .row = row,
    },
};

static const at_cell cells[] = {
    {"N=512", NULL, AT_EV_CERTIFIED, 0, "f64", 24, AT_TIER_QUICK, "N=64"},
    {"N=128 L=2 gain=0.3", NULL, AT_EV_CERTIFIED, 0, "f64", 24, AT_TIER_QUICK, "N=64 L=2 gain=0.3"},
    {"N=128 L=2 gain=0.3 mask=causal", NULL, AT_EV_CERTIFIED, 0, "f64", 24, AT_TIER_QUICK,
     "N=64 L=2 gain=0.3 mask=causal"},
    {"N=256 models=trained steps=1000", NULL, AT_EV_CERTIFIED, 0, "f64", 8, AT_TIER_QUICK,
     "N=64 models=trained steps=100"},
    {"N=256 models=first", NULL, AT_EV_CERTIFIED, 0, "f64", 0, AT_TIER_QUICK, "N=64 models=first"},
    {"N=64 models=first", "read=leftmost-hard", AT_EV_CERTIFIED, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=16 models=first", "models=growing", AT_EV_CERTIFIED, 0, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_parity_soft = {
    .id = "parity-soft",
    .title = "One letter moves a softmax model by O(1/n): on PARITY its cross entropy tends to ln 2",
    .source = "Hahn 2020; Strobl et al. 2024",
    .group = "Languages",
    .statement = "For given weights and length n, one letter of any word moves the difference of two logits "
                 "by at most e, "
                 "certified, and the "
                 "cross entropy on PARITY of random words is at least ln(1 + exp(-e/2)). Where scores, "
                 "values and positions "
                 "stay bounded e "
                 "falls like 1/n.",
    .proof = "Balls for every position and letter, and how far one letter moves them, go through the layers; "
             "a weight of "
             "softmax is at most its "
             "largest exp over the least of all others. A word and its neighbour have opposite answers and "
             "nearly the same "
             "logits.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    CLAIM_TABLES,
    .cells = cells,
    .n_cells = COUNT(cells),
};
