/* CLAIM compose-bound: one attention layer cannot compose functions on a large domain.
 *
 * Source: Peng, Narayanan, Papadimitriou 2024 (theorem 1).
 * Statement: if R = n log2 n - H (d+1) p > 0, an H-headed layer of head width d at p bits answers g(f(x)) wrongly with probability at
 * least R / (3 n log2 n) over f, g, x. Exact partial sums take A > p bits: R = n log2 n - H (d+1) A where weights
 * need no common maximum. With it (exp(s - max), as here) Grace's sums depend on the maximum over Faye's keys too, hence perhaps on f(x): the
 * protocol runs, but the theorem with A is not claimed.
 *
 * Proof, as it is run here: the prompt holds the tables of f and g, then x; Faye, Grace and Xavier hold one each. The layer's output at x
 * needs of g only Grace's share of the H denominators and H d numerators. Xavier sends the query out, Faye and Grace their largest scores back,
 * the largest of all goes out, and exact sums come back: H (d+1) numbers of at most A bits from Grace. Xavier divides and goes on
 * alone; the output is the layer's, bit for bit. So Grace's table of n log2 n bits goes through H (d+1) A bits (and H maxima).
 * Refuting: for a given layer two tables g and g' with the same outputs at x, f(x) where they differ (refute_layer.c). */
#include "../shared/claim_limit.h"
#include "../shared/claim_simulate.h"

#include <math.h>
#include <stdio.h>

#include "../shared/hard_refute.h"

static const char *const parts[] = {"protocol", "refute", "binds", NULL};
enum { PROTOCOL, REFUTE, BINDS };
enum { MOST = 64 }; /* n, where something is run */

static const at_param params[] = {
    {"part", "what is tried", 0, COUNT(parts) - 2, 0, true, parts},
    {"n", "values that f and g are on", 2, 1 << 20, 3, true},
    CLAIM_PARAM_SOURCE,
    CLAIM_PARAM_MERGE,
    {"H", "heads", 1, 64, 2, true},
    {"d", "head width", 1, 256, 3, true},
    {"prompts", "drawn for each model (0: all there are)", 0, 1000000, 0, true},
    {"steps", "of training", 0, 100000, 150, true},
};

static at_status prompts_open(const at_params *p, uint64_t seed, claim_prompts *s, at_err *err)
{
    char text[48];
    *s = (claim_prompts){.t = at_task_find("compose"), .all = !at_params_int(p, "prompts"), .seed = seed};
    at_params_init(&s->p, s->t->params, s->t->n_params);
    snprintf(text, sizeof text, "n=%d k=2 N=%d", at_params_int(p, "n"), 2 * at_params_int(p, "n") + 1);
    return at_params_parse(&s->p, text, err);
}

static const char *const compiled[] = {"compose-chain", "compose-two"}; /* one layer, for one step; and two */

static at_status make(const at_params *p, uint64_t i, uint64_t seed, at_model *m, at_err *err)
{
    int n = at_params_int(p, "n"), H = at_params_int(p, "H"), d = at_params_int(p, "d");
    claim_source source = (claim_source)at_params_int(p, "model");
    if (source == CLAIM_COMPILED) {
        char text[48];
        snprintf(text, sizeof text, "n=%d k=2", n);
        return claim_compiled(compiled[i % 2], text, m, err);
    }
    hard_arch h = {.vocabulary = n,
                   .answers = n,
                   .length = 2 * n + 1,
                   .width = H * d,
                   .layers = 1,
                   .heads = H,
                   .dim = d,
                   .hidden = 2 * H * d,
                   .last = true,
                   .gain = 2};
    at_status s = hard_layers_draw(&h, seed * 1000003 + i, m, err);
    claim_prompts t;
    if (s || source == CLAIM_RANDOM)
        return s;
    s = prompts_open(p, seed, &t, err);
    if (!s)
        s = hard_layers_train(m, t.t, &t.p, at_params_int(p, "steps"), seed + i, err);
    if (s)
        at_model_release(m);
    return s;
}

static at_status protocol_trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                                const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    int n = at_params_int(p, "n"), owner[2 * MOST + 1];
    claim_prompts all;
    at_status s = prompts_open(p, seed, &all, err);
    for (int i = 0; i <= 2 * n; i++)
        owner[i] = i == 2 * n ? 0 : i < n ? 1 : 2; /* Xavier, Faye, Grace */
    at_shared_plan plan = {
        .parties = 3, .owner = owner, .query = 2 * n, .rounded = at_params_int(p, "merge")};
    claim_sim sim = {.n = 2 * n + 1, .input = claim_prompt_nth, .ctx = &all, .shared = &plan};
    claim_tally t = {0};
    if (!s)
        s = at_arith_parse(at_cell_arith(cell), &sim.arith, err);
    if (s)
        return s;
    sim.count = all.all ? all.t->count(&all.p, AT_ENUM_SEQUENCES) : (uint64_t)at_params_int(p, "prompts");
    if (sim.count > 1000000)
        return at_fail(err, AT_EDOMAIN, "n=%d has more than 1000000 prompts; set prompts to draw some", n);
    if (at_params_int(p, "model") == CLAIM_COMPILED)
        limit = COUNT(compiled);
    s = claim_simulate_each(&sim, make, p, limit, seed, env, &t, err);
    if (s)
        return s;
    char more[128];
    snprintf(more, sizeof more, "Grace or Faye sent at most %ju; n log2 n = %.1f", (uintmax_t)t.answered,
             n * at_log2(n));
    return claim_tally_verdict(&t, more, a, out, err);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    if (at_params_int(p, "part") == BINDS)
        return limit_trial("compose-bound", p, cell, a, out, err);
    if (at_params_int(p, "n") > MOST)
        return at_fail(err, AT_EDOMAIN, "n=%d: at most %d where protocols and refuters run",
                       at_params_int(p, "n"), MOST);
    if (at_params_int(p, "part") == PROTOCOL)
        return protocol_trial(p, cell, limit, seed, env, a, out, err);
    hard_layer h = {.weights = at_params_int(p, "model"),
                    .heads = at_params_int(p, "H"),
                    .dim = at_params_int(p, "d"),
                    .steps = at_params_int(p, "steps"),
                    .cell = cell,
                    .limit = limit,
                    .seed = seed,
                    .env = env};
    return hard_refute_compose(&h, at_params_int(p, "n"), a, out, err);
}

static const at_cell cells[] = {
    {"n=3 H=2 d=3", NULL, AT_EV_SIMULATED, 0, "p8e5", 20, AT_TIER_QUICK, NULL},
    {"n=2 H=1 d=1", NULL, AT_EV_SIMULATED, 0, "p3e4", 200, AT_TIER_QUICK, NULL},
    {"n=16 H=4 d=4 prompts=100", NULL, AT_EV_SIMULATED, 0, "p24e8", 20, AT_TIER_QUICK, NULL},
    {"n=3 H=2 d=3 model=trained", NULL, AT_EV_SIMULATED, 0, "p8e5", 20, AT_TIER_QUICK,
     "n=3 H=2 d=3 model=trained prompts=500"},
    {"n=3 model=compiled", NULL, AT_EV_SIMULATED, 0, "p12e8", 2, AT_TIER_QUICK,
     "n=3 model=compiled prompts=500"},
    {"n=3 H=2 d=3 prompts=200", "merge=rounded", AT_EV_SIMULATED, 0, "p8e5", 20, AT_TIER_QUICK, NULL},
    {"part=refute n=16 H=2 d=2", NULL, AT_EV_REFUTED, 0, "p8", 200, AT_TIER_QUICK, NULL},
    {"part=refute n=16 H=1 d=5", NULL, AT_EV_REFUTED, 0, "p8", 200, AT_TIER_FULL, NULL},
    {"part=refute n=16 H=4 d=2", NULL, AT_EV_REFUTED, 0, "p4", 200, AT_TIER_FULL, NULL},
    {"part=refute n=16 H=1 d=1", NULL, AT_EV_REFUTED, 0, "p24", 200, AT_TIER_FULL, NULL},
    {"part=refute n=8 H=1 d=1", NULL, AT_EV_REFUTED, 0, "p10", 200, AT_TIER_QUICK, NULL},
    {"part=refute n=16 H=2 d=2 model=trained steps=200", NULL, AT_EV_REFUTED, 0, "p8", 20, AT_TIER_QUICK,
     "part=refute n=16 H=2 d=2 model=trained steps=30"},
    {"part=refute n=16 H=1 d=5 model=trained steps=200", NULL, AT_EV_REFUTED, 0, "p8", 20, AT_TIER_FULL,
     NULL},
    {"part=refute n=16 H=1 d=1 model=trained steps=200", NULL, AT_EV_REFUTED, 0, "p24", 20, AT_TIER_FULL,
     NULL},
    {"part=binds n=270 H=4 d=16", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=binds n=270 H=4 d=16", "n=269", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=refute n=16 H=2 d=2", "model=compiled", AT_EV_REFUTED, 0, "p24", 10, AT_TIER_QUICK, NULL},
};

const at_claim claim_compose_bound = {
    .id = "compose-bound",
    .title = "One attention layer composes functions through H(d+1) numbers only",
    .source = "Peng, Narayanan, Papadimitriou 2024 (theorem 1)",
    .statement =
        "If R = n log2 n - H(d+1)p > 0, one H-headed layer of head width d at p bits answers g(f(x)) wrongly "
        "with "
        "probability at least R / (3 n log2 n). With exact partial sums of A bits, and "
        "weights that need no common maximum: R = n log2 n - H(d+1)A.",
    .proof = "Faye, Grace and Xavier hold f, g and x. All that the output at x needs of g is Grace's share "
             "of H denominators and H d "
             "numerators: H(d+1) exact sums, which are sent, counted and merged; the output is the layer's "
             "bit for bit.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
