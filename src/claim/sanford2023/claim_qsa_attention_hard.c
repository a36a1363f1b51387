/* CLAIM qsa-attention-hard: a self-attention unit that averages q vectors has width Omega(q/p): set disjointness, one message.
 *
 * Source: Sanford, Hsu, Telgarsky 2023 (theorem 4: the lower bound for q-sparse averaging).
 * Statement: no self-attention unit with m p small against q approximates q-sparse averaging within 1/(2q) at N = 2q+1: with it
 * DISJ_q is decided by one message of m + 2 numbers.
 *
 * Proof, as it is run here:
 *   1. Gadget: position 2q+1 is Alice's; its subset holds 2i-1 where a_i = 1 and 2i where a_i = 0. z_j = +1 if j = 2i-1 and b_i = 1,
 *      else -1: Bob's. The mean over the subset is -1 iff no a_i = b_i = 1, and at least -1 + 2/q otherwise.
 *   2. Alice sends the query of position 2q+1 (m numbers); its own key and value depend on her subset too, so she also sends
 *      its score and the first coordinate of its value: m + 2 numbers of p + e bits. Bob finishes (protocol.h).
 *   3. The output is the unit's, bit for bit. A unit that is right within 1/(2q) tells -1 from -1 + 2/q.
 * part=right asks a unit of width 2 ceil(N/22) + 5, six times as wide as what the bound leaves (src/claim/shared/hard_bits.c). */
#include "../shared/claim_limit.h"
#include "../shared/claim_simulate.h"

#include <stdio.h>

#include "../shared/hard_refute.h"

static const char *const parts[] = {"gadget", "protocol", "refute", "binds", "right", NULL};
enum { GADGET, PROTOCOL, REFUTE, BINDS, RIGHT };
static const char *const sent[] = {"all", "query", NULL};
enum { MOST = 8 }; /* q, where something is run */

static const at_param params[] = {
    {"part", "what is tried", 0, COUNT(parts) - 2, PROTOCOL, true, parts},
    {"q", "vectors averaged, and bits of Alice and of Bob", 1, 1 << 20, 3, true},
    {"swap", "1: Alice takes 2i where a_i = 1", 0, 1, 0, true},
    CLAIM_PARAM_SOURCE,
    {"m", "head width of random and trained units", 1, 256, 4, true},
    {"steps", "of training", 0, 100000, 60, true},
    {"d", "refuting: dimension of the vectors", 1, 8, 2, true},
    {"R", "right: bits of a subset in a number", 1, 22, 22, true},
    {"length", "right: positions (0: 2q+1)", 0, 512, 0, true},
    {"idle", "right: without the numbers that make sums round", 0, 1, 0, true},
    {"send", "Alice sends all that Bob needs, or the query alone", 0, 1, 0, true, sent},
};

typedef struct {
    int q;
    bool swap;
} gadget;

static bool meets(const gadget *g, uint64_t i)
{
    return (i & i >> g->q & (((uint64_t)1 << g->q) - 1)) != 0;
}

/* Step 1. Pair number i: a in the lower q bits, b in the upper. Rows (z | y_1 < ... < y_q); only Alice's subset matters. */
static void gadget_input(const void *ctx, uint64_t i, double *x)
{
    const gadget *g = ctx;
    for (int j = 1; j <= 2 * g->q + 1; j++, x += 1 + g->q) {
        x[0] = j % 2 && j < 2 * g->q && claim_bit(i, g->q + (j + 1) / 2 - 1) ? 1 : -1;
        for (int k = 1; k <= g->q; k++)
            x[k] = j == 2 * g->q + 1 ? 2 * k - (claim_bit(i, k - 1) != g->swap) : k;
    }
}

static at_status task_params(const gadget *g, at_params *tp, at_err *err)
{
    char text[48];
    at_params_init(tp, at_task_find("qsa")->params, at_task_find("qsa")->n_params);
    snprintf(text, sizeof text, "N=%d q=%d d=1", 2 * g->q + 1, g->q);
    return at_params_parse(tp, text, err);
}

static at_status gadget_trial(const at_params *p, at_arena *a, at_verdict *out, at_err *err)
{
    gadget g = {at_params_int(p, "q"), at_params_int(p, "swap")};
    uint64_t pairs = (uint64_t)1 << 2 * g.q, wrong = 0;
    double x[(2 * MOST + 1) * (1 + MOST)], y[2 * MOST + 1];
    at_params tp;
    at_status s = task_params(&g, &tp, err);
    for (uint64_t i = 0; i < pairs && !s; i++) {
        gadget_input(&g, i, x);
        at_task_find("qsa")->answer(&tp, x, y);
        double mean = y[2 * g.q];
        wrong += meets(&g, i) ? mean < -1 + 2. / g.q - 1e-12 : mean != -1;
    }
    if (s)
        return s;
    return claim_count_verdict(
        AT_EV_EXACT, pairs, !wrong, a, out, err,
        wrong ? "%ju of %ju pairs of %d bits answered wrongly"
              : "%ju wrong: the mean is -1 iff a and b do not meet, for all %ju pairs of %d bits",
        (uintmax_t)wrong, (uintmax_t)pairs, g.q);
}

/* ---- the protocol ---------------------------------------------------------------------------------------------- */

static const char *const compiled[] = {"qsa-rip", "qsa-moment"};

static at_status make(const at_params *p, uint64_t i, uint64_t seed, at_model *m, at_err *err)
{
    gadget g = {at_params_int(p, "q"), false};
    claim_source source = (claim_source)at_params_int(p, "model");
    if (source == CLAIM_COMPILED) {
        char text[64];
        snprintf(text, sizeof text, "N=%d q=%d d=1", 2 * g.q + 1, g.q);
        return claim_compiled(compiled[i % 2], text, m, err);
    }
    at_status s = hard_qsa_draw(2 * g.q + 1, g.q, 1, 1, at_params_int(p, "m"), seed * 1000003 + i, m, err);
    if (s || source == CLAIM_RANDOM)
        return s;
    at_params tp;
    s = task_params(&g, &tp, err);
    if (!s)
        s = hard_qsa_train(m, &tp, at_params_int(p, "steps"), 4, seed + i, err);
    if (s)
        at_model_release(m);
    return s;
}

/* A unit that averages within 1/(2q) decides: above -1 + 1/q they meet. */
static bool decides(const void *ctx, uint64_t i, const double *value)
{
    const gadget *g = ctx;
    return (value[0] > -1 + 1. / g->q) == meets(g, i);
}

static at_status protocol_trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                                const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    gadget g = {at_params_int(p, "q"), at_params_int(p, "swap")};
    bool compiles = at_params_int(p, "model") == CLAIM_COMPILED;
    claim_sim sim = {.n = 2 * g.q + 1,
                     .count = (uint64_t)1 << 2 * g.q,
                     .input = gadget_input,
                     .ctx = &g,
                     .handed = 2 * g.q,
                     .query_only = at_params_int(p, "send"),
                     .right = compiles ? decides : NULL};
    claim_tally t = {0};
    at_status s = at_arith_parse(at_cell_arith(cell), &sim.arith, err);
    if (!s)
        s = claim_simulate_each(&sim, make, p, compiles ? (uint64_t)COUNT(compiled) : limit, seed, env, &t,
                                err);
    int need = 0;
    const char *why;
    if (!s)
        s = at_cc_disj_bits(g.q, a, &need, &why, err);
    if (s)
        return s;
    char more[128];
    snprintf(more, sizeof more,
             "%ju numbers of %d bits in one message; DISJ_%d with the answer told needs %d bits%s",
             (uintmax_t)(t.number ? t.bits / (uint64_t)t.number : 0), t.number, g.q, need,
             compiles ? ", and is decided" : "");
    return claim_tally_verdict(&t, more, a, out, err);
}

/* ---- a unit that is right ------------------------------------------------------------------------------------------- */

static at_status right(const at_params *p, at_model *m, at_err *err)
{
    int q = at_params_int(p, "q"), N = at_params_int(p, "length");
    hard_bits b = {.N = N ? N : 2 * q + 1,
                   .q = q,
                   .d = at_params_int(p, "d"),
                   .R = at_params_int(p, "R"),
                   .idle = at_params_int(p, "idle")};
    return hard_bits_model(&b, m, err);
}

static at_status right_trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                             const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    at_model m;
    hard_right h = {.seed = seed, .tolerance = 0.001, .of = "coordinates of a key"};
    const at_task *t = at_task_find("qsa");
    at_status s = right(p, &m, err);
    if (s)
        return s;
    at_params_init(&h.task, t->params, t->n_params);
    s = at_arith_parse(at_cell_arith(cell), &h.arith, err);
    if (!s)
        s = at_params_set(&h.task, "N", m.n_max, err);
    if (!s)
        s = at_params_set(&h.task, "q", at_params_get(p, "q"), err);
    if (!s)
        s = at_params_set(&h.task, "d", at_params_get(p, "d"), err);
    h.size = m.blocks[0].groups[0].dk;
    if (!s)
        s = hard_right_trial(&h, &m, limit, env, a, out, err);
    at_model_release(&m);
    return s;
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    if (at_params_int(p, "part") == BINDS)
        return limit_trial("qsa-attention-hard", p, cell, a, out, err);
    if (at_params_int(p, "part") == RIGHT)
        return right_trial(p, cell, limit, seed, env, a, out, err);
    if (at_params_int(p, "q") > MOST)
        return at_fail(err, AT_EDOMAIN, "q=%d: at most %d where protocols and refuters run",
                       at_params_int(p, "q"), MOST);
    if (at_params_int(p, "part") == GADGET)
        return gadget_trial(p, a, out, err);
    if (at_params_int(p, "part") == PROTOCOL)
        return protocol_trial(p, cell, limit, seed, env, a, out, err);
    hard_layer h = {.weights = at_params_int(p, "model"),
                    .heads = 1,
                    .dim = at_params_int(p, "m"),
                    .steps = at_params_int(p, "steps"),
                    .cell = cell,
                    .limit = limit,
                    .seed = seed,
                    .env = env};
    return hard_refute_qsa(&h, at_params_int(p, "q"), at_params_int(p, "d"), a, out, err);
}

static const at_cell cells[] = {
    {"part=gadget q=1..7", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, "part=gadget q=1..5"},
    {"part=gadget q=4", "swap=1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"q=4 m=4", NULL, AT_EV_SIMULATED, 0, "p8e5", 200, AT_TIER_QUICK, "q=3 m=4"},
    {"q=3 m=1", NULL, AT_EV_SIMULATED, 0, "p4e5", 200, AT_TIER_QUICK, NULL},
    {"q=3 m=4 model=trained", NULL, AT_EV_SIMULATED, 0, "p8e5", 20, AT_TIER_QUICK, NULL},
    {"q=3 model=compiled", NULL, AT_EV_SIMULATED, 0, "p24", 2, AT_TIER_QUICK, NULL},
    {"q=4 model=compiled", NULL, AT_EV_SIMULATED, 0, "p53", 2, AT_TIER_FULL, NULL},
    {"q=3 m=4", "send=query", AT_EV_SIMULATED, 0, "p8e5", 20, AT_TIER_QUICK, NULL},
    {"part=refute q=4 m=2", NULL, AT_EV_REFUTED, 0, "p8", 200, AT_TIER_QUICK, NULL},
    {"part=refute q=6 m=2", NULL, AT_EV_REFUTED, 0, "p12", 200, AT_TIER_FULL, NULL},
    {"part=refute q=8 m=1", NULL, AT_EV_REFUTED, 0, "p8", 200, AT_TIER_FULL, NULL},
    {"part=refute q=4 m=2 model=trained steps=300", NULL, AT_EV_REFUTED, 0, "p8", 20, AT_TIER_QUICK, NULL},
    {"part=refute q=6 m=2 model=trained steps=300", NULL, AT_EV_REFUTED, 0, "p12", 20, AT_TIER_FULL, NULL},
    {"part=binds q=512 m=16", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=binds q=512 m=16", "m=64", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=refute q=4", "model=compiled", AT_EV_REFUTED, 0, "p24", 10, AT_TIER_QUICK, NULL},
    {"part=right q=1..6", NULL, AT_EV_SAMPLED, 0, "p24e8", 1000, AT_TIER_QUICK, NULL},
    {"part=right q=4", NULL, AT_EV_SAMPLED, 0, "f32", 1000, AT_TIER_QUICK, NULL},
    {"part=right q=4 R=1..8", NULL, AT_EV_SAMPLED, 0, "p24e8", 1000, AT_TIER_QUICK, NULL},
    {"part=right q=3 length=45", NULL, AT_EV_SAMPLED, 0, "p24e8", 1000, AT_TIER_QUICK, NULL},
    {"part=right q=4", "idle=1", AT_EV_SAMPLED, 0, "p24e8", 100, AT_TIER_QUICK, NULL},
    {"part=right q=4", "arith=p23e8", AT_EV_SAMPLED, 0, "p24e8", 100, AT_TIER_QUICK, NULL},
    {"part=right q=4", "arith=f64", AT_EV_SAMPLED, 0, "p24e8", 100, AT_TIER_QUICK, NULL},
};

const at_claim claim_qsa_attention_hard = {
    .id = "qsa-attention-hard",
    .title = "A self-attention unit that averages q vectors decides set disjointness on q bits",
    .source = "Sanford, Hsu, Telgarsky 2023 (theorem 4)",
    .statement =
        "No self-attention unit with m p small against q averages q of N >= 2q+1 vectors within "
        "1/(2q): with it two "
        "parties decide DISJ_q by one message of m + 2 numbers. Width 2 ceil(N/22) + 5 is enough at 24 bits.",
    .proof = "Alice's subset holds 2i-1 or 2i by a_i, Bob's z_{2i-1} is 1 or -1 by b_i: the mean is -1 iff "
             "they do not meet. She "
             "sends the query, and the score and the value of her own key; Bob finishes. Run, equal bit for "
             "bit, bits counted.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .right = right,
    .cells = cells,
    .n_cells = COUNT(cells),
};
