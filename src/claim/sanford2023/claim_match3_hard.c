/* CLAIM match3-hard: one multi-head layer cannot find triples unless it is large: set disjointness.
 *
 * Source: Sanford, Hsu, Telgarsky 2023 (theorem 7).
 * Statement: no single multi-head layer with input and output MLPs computes Match3 on N tokens when m H p is small against N: two parties
 * that hold the tokens would decide DISJ_n, n ~ N/2, with H (m+1) partial sums, and that takes n bits.
 *
 * Proof, as it is run here:
 *   1. Gadget: x_1 = 1; Alice's n tokens are 4i where a_i = 1, else 2; Bob's are M-1-4i where b_i = 1, else 2. As integers, M-1-4i
 *      standing for -1-4i, three tokens sum to between -8n-1 and 8n+1 where the first is 1, so for M >= 8n+2 a sum is 0
 *      mod M only if it is 0; that needs one 4i and one -1-4i: Match3(X)_1 = 1 iff some a_i = b_i = 1. At M = 8n+1 Bob's
 *      own -1-4n twice makes -8n-1. (With x_1 = 0, as printed elsewhere, 0+0+0 is always a triple.)
 *   2. Protocol: x_1 is known to both. Bob sends his largest score of each head, Alice hers and her exact sums of weights
 *      and of weighted values, H (m+1) of them, A bits each; Bob adds his own, divides, and goes on alone (protocol.h).
 *   3. The output is the layer's, bit for bit. So a layer that is right decides DISJ_n with the bits that were sent. */
#include "../shared/claim_limit.h"
#include "../shared/claim_simulate.h"

#include <stdio.h>

#include "../shared/hard_refute.h"

static const char *const parts[] = {"gadget", "protocol", "refute", "binds", NULL};
enum { GADGET, PROTOCOL, REFUTE, BINDS };

static const at_param params[] = {
    {"part", "what is tried", 0, COUNT(parts) - 2, PROTOCOL, true, parts},
    {"n", "bits of Alice and of Bob", 1, 10, 4, true},
    {"over", "M - (8n+2)", -8, 4096, 0, true},
    {"first", "x_1", 0, 1, 1, true},
    CLAIM_PARAM_SOURCE,
    CLAIM_PARAM_MERGE,
    {"H", "heads", 1, 64, 2, true},
    {"m", "head width", 1, 256, 4, true},
    {"steps", "of training", 0, 100000, 150, true},
};

typedef struct {
    int n, M, first;
} gadget;

static gadget gadget_of(const at_params *p)
{
    int n = at_params_int(p, "n");
    return (gadget){n, 8 * n + 2 + at_params_int(p, "over"), at_params_int(p, "first")};
}

/* Step 1. Pair number i: a in the lower n bits, b in the upper. */
static void gadget_input(const void *ctx, uint64_t i, double *x)
{
    const gadget *g = ctx;
    x[0] = g->first;
    for (int k = 1; k <= g->n; k++) {
        x[k] = claim_bit(i, k - 1) ? 4 * k : 2;
        x[g->n + k] = claim_bit(i, g->n + k - 1) ? ((g->M - 1 - 4 * k) % g->M + g->M) % g->M : 2;
    }
}

static at_status task_params(const gadget *g, at_params *tp, at_err *err)
{
    const at_task *t = at_task_find("match3");
    at_params_init(tp, t->params, t->n_params);
    at_status s = at_params_set(tp, "N", 2 * g->n + 1, err);
    return s ? s : at_params_set(tp, "M", g->M, err);
}

static at_status gadget_trial(const at_params *p, at_arena *a, at_verdict *out, at_err *err)
{
    gadget g = gadget_of(p);
    uint64_t pairs = (uint64_t)1 << 2 * g.n, wrong = 0, first = 0;
    double x[2 * 10 + 1], y[2 * 10 + 1];
    at_params tp;
    at_status s = task_params(&g, &tp, err);
    for (uint64_t i = 0; i < pairs && !s; i++) {
        gadget_input(&g, i, x);
        at_task_find("match3")->answer(&tp, x, y);
        bool meet = (i & i >> g.n & (((uint64_t)1 << g.n) - 1)) != 0;
        if ((y[0] != 0) != meet && !wrong++)
            first = i;
    }
    if (s)
        return s;
    if (wrong)
        return claim_count_verdict(
            AT_EV_EXACT, pairs, false, a, out, err,
            "M=%d: %ju of %ju pairs answered wrongly, first a=%jx b=%jx", g.M, (uintmax_t)wrong,
            (uintmax_t)pairs, (uintmax_t)(first & (((uint64_t)1 << g.n) - 1)), (uintmax_t)(first >> g.n));
    return claim_count_verdict(AT_EV_EXACT, pairs, true, a, out, err,
                               "M=%d: Match3(X)_1 = 1 iff a and b meet, for all %ju pairs of %d bits", g.M,
                               (uintmax_t)pairs, g.n);
}

/* ---- the protocol ---------------------------------------------------------------------------------------------- */

static const char *const compiled[] = {"match2", "match3-local"}; /* one layer each */

static at_status make(const at_params *p, uint64_t i, uint64_t seed, at_model *m, at_err *err)
{
    gadget g = gadget_of(p);
    claim_source source = (claim_source)at_params_int(p, "model");
    if (source == CLAIM_COMPILED) {
        char text[64];
        snprintf(text, sizeof text, "N=%d M=%d%s", 2 * g.n + 1, g.M, i % 2 ? " K=1" : "");
        return claim_compiled(compiled[i % 2], text, m, err);
    }
    int H = at_params_int(p, "H"), d = at_params_int(p, "m");
    hard_arch h = {.vocabulary = g.M,
                   .answers = 2,
                   .length = 2 * g.n + 1,
                   .width = H * d,
                   .layers = 1,
                   .heads = H,
                   .dim = d,
                   .hidden = 2 * H * d,
                   .gain = 2};
    at_status s = hard_layers_draw(&h, seed * 1000003 + i, m, err);
    if (s || source == CLAIM_RANDOM)
        return s;
    at_params tp;
    s = task_params(&g, &tp, err);
    if (!s)
        s = hard_layers_train(m, at_task_find("match3"), &tp, at_params_int(p, "steps"), seed + i, err);
    if (s)
        at_model_release(m);
    return s;
}

static at_status protocol_trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                                const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    gadget g = gadget_of(p);
    int owner[2 * 10 + 1];
    for (int i = 0; i <= 2 * g.n; i++)
        owner[i] = !(i >= 1 && i <= g.n); /* Alice is 0; x_1, known to both, is read by Bob */
    at_shared_plan plan = {
        .parties = 2, .owner = owner, .query = 0, .known = true, .rounded = at_params_int(p, "merge")};
    claim_sim sim = {
        .n = 2 * g.n + 1, .count = (uint64_t)1 << 2 * g.n, .input = gadget_input, .ctx = &g, .shared = &plan};
    claim_tally t = {0};
    at_status s = at_arith_parse(at_cell_arith(cell), &sim.arith, err);
    if (at_params_int(p, "model") == CLAIM_COMPILED)
        limit = COUNT(compiled);
    if (!s)
        s = claim_simulate_each(&sim, make, p, limit, seed, env, &t, err);
    int need = 0;
    const char *why;
    if (!s)
        s = at_cc_disj_bits(g.n, a, &need, &why, err);
    if (s)
        return s;
    char more[96];
    snprintf(more, sizeof more, "Alice sent %ju; DISJ_%d with the answer told needs %d",
             (uintmax_t)t.answered, g.n, need);
    return claim_tally_verdict(&t, more, a, out, err);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    if (at_params_int(p, "part") == GADGET)
        return gadget_trial(p, a, out, err);
    if (at_params_int(p, "part") == PROTOCOL)
        return protocol_trial(p, cell, limit, seed, env, a, out, err);
    if (at_params_int(p, "part") == BINDS)
        return limit_trial("match3-hard", p, cell, a, out, err);
    gadget g = gadget_of(p);
    hard_layer h = {.weights = at_params_int(p, "model"),
                    .heads = at_params_int(p, "H"),
                    .dim = at_params_int(p, "m"),
                    .steps = at_params_int(p, "steps"),
                    .cell = cell,
                    .limit = limit,
                    .seed = seed,
                    .env = env};
    return hard_refute_match3(&h, 2 * g.n + 1, g.M, a, out, err);
}

static const at_cell cells[] = {
    {"part=gadget n=1..6", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, "part=gadget n=1..5"},
    {"part=gadget n=3 over=0..64", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=gadget n=5", "over=-1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=gadget n=5", "first=0", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"n=5 H=2 m=4", NULL, AT_EV_SIMULATED, 0, "p8e5", 200, AT_TIER_QUICK, "n=4 H=2 m=4"},
    {"n=3 H=1 m=1", NULL, AT_EV_SIMULATED, 0, "p4e5", 200, AT_TIER_QUICK, NULL},
    {"n=3 H=4 m=2", NULL, AT_EV_SIMULATED, 0, "p24e8", 50, AT_TIER_QUICK, NULL},
    {"n=4 H=2 m=4 model=trained", NULL, AT_EV_SIMULATED, 0, "p8e5", 20, AT_TIER_QUICK, NULL},
    {"n=4 model=compiled", NULL, AT_EV_SIMULATED, 0, "p24", 2, AT_TIER_QUICK, NULL},
    {"n=3 H=2 m=4", "merge=rounded", AT_EV_SIMULATED, 0, "p8e5", 20, AT_TIER_QUICK, NULL},
    {"part=refute n=8 H=1 m=4", NULL, AT_EV_REFUTED, 0, "p8", 200, AT_TIER_QUICK, NULL},
    {"part=refute n=8 H=2 m=2", NULL, AT_EV_REFUTED, 0, "p8", 200, AT_TIER_FULL, NULL},
    {"part=refute n=8 H=1 m=2", NULL, AT_EV_REFUTED, 0, "p12", 200, AT_TIER_FULL, NULL},
    {"part=refute n=8 H=1 m=4 model=trained", NULL, AT_EV_REFUTED, 0, "p8", 20, AT_TIER_QUICK,
     "part=refute n=8 H=1 m=4 model=trained steps=30"},
    {"part=refute n=8 H=1 m=2 model=trained", NULL, AT_EV_REFUTED, 0, "p12", 20, AT_TIER_FULL, NULL},
    {"part=binds H=4 m=4", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=binds H=4 m=4", "H=64", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=refute n=8", "model=compiled", AT_EV_REFUTED, 0, "p24", 10, AT_TIER_QUICK, NULL},
};

const at_claim claim_match3_hard = {
    .id = "match3-hard",
    .title = "One multi-head layer that finds triples decides set disjointness",
    .source = "Sanford, Hsu, Telgarsky 2023 (theorem 7)",
    .statement =
        "No single multi-head layer with m H p small against N computes Match3 on N tokens: with it two "
        "parties decide "
        "DISJ_n, n = min((N-1)/2, (M-2)/8), sending H(m+1) exact partial sums and H maxima each way.",
    .proof = "x_1 = 1, Alice's tokens 4i or 2, Bob's M-1-4i or 2: position 1 is in a triple iff a and b "
             "meet. Alice sends her "
             "share of the numerators and denominators, Bob finishes; the protocol is run and its bits are "
             "counted.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
