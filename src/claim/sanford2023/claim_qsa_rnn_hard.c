/* CLAIM qsa-rnn-hard: a recurrent net with a small state cannot do sparse averaging, and here are the inputs.
 *
 * Source: Sanford, Hsu, Telgarsky 2023, "Representational Strengths and Limitations of Transformers" (sparse averaging, recurrent
 * nets). Statement: a recurrent net that answers qSA at the end of its input has a state of at least (N-1)/2 bits.
 *
 * Proof: the last position may ask for any one of the vectors before it. If these are +-1, there are 2^(N-1) beginnings, and
 * those of different vectors at j need different states, since the last position might ask for j.
 *
 * The refuter rnn-state finds two such beginnings of given nets by a birthday search over states (src/refute/refute_rnn.c): nets
 * drawn at random with states of up to 40 bits at p bits, trained ones, and a right one that keeps every vector in its own
 * coordinate, which it must leave alone. part=right asks that one: at q = d = 1 its N - 1 numbers of state may have 6 bits each,
 * p2e4 (src/claim/shared/hard_right.c). */
#include "../shared/hard_nets.h"

static const char *const parts[] = {"refute", "right", NULL};
enum { REFUTE, RIGHT };
static const at_param params[] = {
    {"N", "positions", 2, 256, 82, true},
    {"q", "subset size", 1, 8, 1, true},
    {"d", "dimension of the vectors", 1, 8, 1, true},
    {"state", "most numbers of the state; nets have 1, 2, ... by turns", 1, 64, 4, true},
    {"gain", "of recurrent weights", 0.01, 64, 2, false},
    {"weights", "of the nets", 0, 2, HARD_RANDOM, true, hard_weights},
    {"steps", "of a training", 1, 10000, 100, true},
    {"tolerance", "distance of a right answer", 0.001, 0.999, 0.25, false},
    {"part", "what is tried: other nets, or the right one", 0, COUNT(parts) - 2, REFUTE, true, parts},
    {"idle", "right: numbers of the state that hold nothing", 0, 1, 0, true},
    {"small", "right: tanh of a number over this is kept", 1, 64, 8, false},
    {"states", "looked at for a net, at most", 1, 1e9, 1 << 23, true},
};

static at_status make(const void *ctx, uint64_t i, at_model *m, at_subject *s, at_err *err)
{
    const hard_qsa_claim *c = ctx;
    const at_params *p = c->p;
    int most = at_params_int(p, "state");
    hard_qsa z = {.N = at_params_int(p, "N"),
                  .q = at_params_int(p, "q"),
                  .d = at_params_int(p, "d"),
                  .units = most - (int)(i % (uint64_t)most),
                  .recurrent = true,
                  .cell = i / (uint64_t)most % 2 ? AT_CELL_GRU : AT_CELL_TANH,
                  .gain = at_params_get(p, "gain"),
                  .seed = c->seed + i};
    return hard_qsa_make(c, &z, m, s, err);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    hard_qsa_claim c;
    if (at_params_int(p, "part") == RIGHT)
        return hard_qsa_right_trial(p, cell, true, limit, seed, env, a, out, err);
    at_status s = hard_qsa_open(p, cell, seed, &c, err);
    if (s)
        return s;
    const char *models = at_arena_printf(a, "tanh and GRU, states of 1..%d numbers at %s",
                                         at_params_int(p, "state"), at_cell_arith(cell));
    if (at_params_int(p, "weights") == HARD_RIGHT)
        models = "a state of (N-1) d numbers";
    if (!models)
        return at_oom(err);
    hard_trial h = {.refuter = "rnn-state",
                    .models = models,
                    .weights = at_params_int(p, "weights"),
                    .states = (uint64_t)at_params_get(p, "states"),
                    .make = make,
                    .ctx = &c};
    return hard_trial_run(&h, limit, seed, env, a, out, err);
}

static at_status right(const at_params *p, at_model *m, at_err *err)
{
    return hard_qsa_right_of(p, true, m, err);
}

static const at_cell cells[] = {
    {"N=82 state=4", NULL, AT_EV_REFUTED, 0, "p6e4", 200, AT_TIER_QUICK, NULL},
    {"N=82 state=5 gain=4", NULL, AT_EV_REFUTED, 0, "p4e4", 200, AT_TIER_FULL, NULL},
    {"N=82 state=2 d=2 q=2", NULL, AT_EV_REFUTED, 0, "p12e8", 200, AT_TIER_FULL, NULL},
    {"N=12 state=2", NULL, AT_EV_REFUTED, 0, "p12e8", 200, AT_TIER_FULL, NULL},
    {"N=82 state=4 weights=trained", NULL, AT_EV_REFUTED, 0, "p6e4", 20, AT_TIER_QUICK, NULL},
    {"N=82 state=4 states=1000", "weights=right", AT_EV_REFUTED, 0, "p6e4", 1, AT_TIER_QUICK,
     "N=21 state=4 states=1000"},
    {"part=right N=2..24 small=1 tolerance=0.5", NULL, AT_EV_SAMPLED, 0, "p2e4", 1000, AT_TIER_QUICK, NULL},
    {"part=right N=8 q=2 d=2 tolerance=0.01", NULL, AT_EV_SAMPLED, 0, "f64", 1000, AT_TIER_QUICK, NULL},
    {"part=right N=8 small=1 tolerance=0.5", "idle=1", AT_EV_SAMPLED, 0, "p2e4", 1000, AT_TIER_QUICK, NULL},
};

const at_claim claim_qsa_rnn_hard = {
    .id = "qsa-rnn-hard",
    .title = "Recurrent nets with fewer than (N-1)/2 bits of state are wrong on sparse averaging",
    .source = "Sanford, Hsu, Telgarsky 2023 (sparse averaging: recurrent nets)",
    .statement =
        "A recurrent net that answers q-sparse averaging at its last position has a state of at least "
        "(N-1)/2 bits; two beginnings with one state show it for a given net. What is found refutes the "
        "given nets; it does not verify the theorem. 6 (N-1) bits are enough at q = d = 1.",
    .proof =
        "Vectors of +-1 make 2^(N-1) beginnings. Two that leave the same state are one to the last position, "
        "which asks for a place where they differ.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .right = right,
    .cells = cells,
    .n_cells = COUNT(cells),
};
