/* CLAIM qsa-fnn-hard: a feed-forward net with a narrow first layer cannot do sparse averaging, and here are the inputs.
 *
 * Source: Sanford, Hsu, Telgarsky 2023, "Representational Strengths and Limitations of Transformers" (sparse averaging, feed-forward
 * nets). Statement: the first layer of a feed-forward net that computes qSA on vectors of R^d has width of the order N d.
 *
 * Proof, for width below N d: questions held fixed, the first layer sees a linear map of N d numbers into fewer; its null space
 * has a vector v; v and -v are one to the net, and the answers to "which vector is at j" differ by 2 |v_j|. Scaled so that the longest
 * v_j has norm 1 this is 2 for q = 1, and at least 2/q else.
 *
 * The refuter null-space does this to given nets (src/refute/refute_ffn.c): nets drawn at random with first layers of every
 * width below N d, trained ones, and a right one, which it must leave alone.
 * part=right asks that one: its first layer has N d units, so the bound is tight (src/claim/shared/hard_right.c). */
#include "../shared/hard_nets.h"

static const char *const parts[] = {"refute", "right", NULL};
enum { REFUTE, RIGHT };
static const at_param params[] = {
    {"N", "positions", 2, 64, 20, true},
    {"q", "subset size", 1, 8, 1, true},
    {"d", "dimension of the vectors", 1, 8, 1, true},
    {"units", "of the first layer; 0: all widths below N d by turns, widest first", 0, 4096, 0, true},
    {"skip", "1: a skip leads around the flatten", 0, 1, 0, true},
    {"weights", "of the nets", 0, 2, HARD_RANDOM, true, hard_weights},
    {"steps", "of a training", 1, 10000, 200, true},
    {"tolerance", "distance of a right answer", 0.001, 0.999, 0.25, false},
    {"part", "what is tried: other nets, or the right one", 0, COUNT(parts) - 2, REFUTE, true, parts},
    {"idle", "right: units of the first layer that hold nothing", 0, 1, 0, true},
};

static at_status make(const void *ctx, uint64_t i, at_model *m, at_subject *s, at_err *err)
{
    const hard_qsa_claim *c = ctx;
    const at_params *p = c->p;
    hard_qsa z = {.N = at_params_int(p, "N"),
                  .q = at_params_int(p, "q"),
                  .d = at_params_int(p, "d"),
                  .units = at_params_int(p, "units"),
                  .skip = at_params_int(p, "skip"),
                  .gain = 1,
                  .seed = c->seed + i};
    uint64_t widths = (uint64_t)((z.N - z.skip) * z.d - 1);
    if (!z.units)
        z.units = (int)(widths - i % widths);
    at_status bad = hard_qsa_make(c, &z, m, s, err);
    if (c->arith.kind != AT_F64) /* f32: rounding comes to some 2^-20 of the outputs */
        s->same = s->tolerance / 4096;
    return bad;
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    hard_qsa_claim c;
    if (at_params_int(p, "part") == RIGHT)
        return hard_qsa_right_trial(p, cell, false, limit, seed, env, a, out, err);
    at_status s = hard_qsa_open(p, cell, seed, &c, err);
    int widest = (at_params_int(p, "N") - at_params_int(p, "skip")) * at_params_int(p, "d") - 1;
    if (!s && widest < 1)
        s = at_fail(err, AT_EDOMAIN, "no width lies below N d");
    if (s)
        return s;
    int units = at_params_int(p, "units");
    uint64_t least = limit < (uint64_t)widest ? (uint64_t)widest - limit + 1 : 1;
    const char *models =
        units ? at_arena_printf(a, "first layers of %d units", units)
              : at_arena_printf(a, "first layers of %llu..%d units", (unsigned long long)least, widest);
    if (at_params_int(p, "weights") == HARD_RIGHT)
        models = "a first layer of N d units";
    if (!models)
        return at_oom(err);
    hard_trial h = {.refuter = "null-space",
                    .models = models,
                    .weights = at_params_int(p, "weights"),
                    .make = make,
                    .ctx = &c};
    return hard_trial_run(&h, limit, seed, env, a, out, err);
}

static at_status right(const at_params *p, at_model *m, at_err *err)
{
    return hard_qsa_right_of(p, false, m, err);
}

static const at_cell cells[] = {
    {"N=20 d=1 q=1", NULL, AT_EV_REFUTED, 0, "f64", 200, AT_TIER_QUICK, NULL},
    {"N=20 d=2 q=3", NULL, AT_EV_REFUTED, 0, "f64", 200, AT_TIER_QUICK, NULL},
    {"N=20 d=1 q=1", NULL, AT_EV_REFUTED, 0, "f32", 200, AT_TIER_QUICK, NULL},
    {"N=20 d=1 q=1 skip=1", NULL, AT_EV_REFUTED, 0, "f64", 200, AT_TIER_QUICK, NULL},
    {"N=20 weights=trained", NULL, AT_EV_REFUTED, 0, "f64", 20, AT_TIER_QUICK, NULL},
    {"N=20 d=1 q=1", "weights=right", AT_EV_REFUTED, 0, "f64", 1, AT_TIER_QUICK, NULL},
    {"N=12 d=2 q=2", "weights=right", AT_EV_REFUTED, 0, "f64", 1, AT_TIER_QUICK, NULL},
    {"part=right N=2..16 tolerance=0.001", NULL, AT_EV_SAMPLED, 0, "f64", 200, AT_TIER_QUICK, NULL},
    {"part=right N=2..16 tolerance=0.001", NULL, AT_EV_SAMPLED, 0, "f32", 200, AT_TIER_QUICK, NULL},
    {"part=right N=6 q=2 d=2 tolerance=0.001", NULL, AT_EV_SAMPLED, 0, "f64", 200, AT_TIER_QUICK, NULL},
    {"part=right N=6 tolerance=0.001", "idle=1", AT_EV_SAMPLED, 0, "f64", 200, AT_TIER_QUICK, NULL},
};

const at_claim claim_qsa_fnn_hard = {
    .id = "qsa-fnn-hard",
    .title = "Feed-forward nets with a first layer below N d are wrong on sparse averaging",
    .source = "Sanford, Hsu, Telgarsky 2023 (sparse averaging: feed-forward nets)",
    .statement =
        "A feed-forward net whose first layer has fewer than N d units does not compute q-sparse averages "
        "of N vectors in R^d; two inputs show it. What is found refutes the given nets; it does not "
        "verify the theorem. N d units are enough.",
    .proof = "The first layer is a linear map of N d numbers into fewer, so it does not see some v: v and -v "
             "give the "
             "same output, and the answers to the right question differ by 2.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .right = right,
    .cells = cells,
    .n_cells = COUNT(cells),
};
