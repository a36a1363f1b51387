/* CLAIM arcomm: a strict-causal decoder of L layers runs as an autoregressive protocol of as many epochs.
 *
 * Source: Chen, Peng, Wu 2024 (lemma 3.1).
 * Statement: players -1, ..., L; player i holds m_i tokens, and the prompt is z_L, ..., z_1, z_0, w: who has the larger index comes
 * first. In an epoch player i tells all j > i what it knows, and each j answers with 2 B m_i bits. Any decoder at p bits whose
 * attention is causal, of as many layers as there are epochs, H heads of width d, runs as such a protocol with B = H d A,
 * A the bits of an exact partial sum.
 *
 * Proof, as it is run here. One attention block is one epoch. The keys that a token of player i sees are i's own and those of players
 * j > i. Player i sends its queries; j answers, for each token and head, with the exact sum of its weights and of its weighted
 * values: (d+1) A <= 2 d A bits. Player i adds its own and all others', divides once, and goes on to the next layer alone.
 * Differs from the lemma: weights are exp(s - max), rounded, so sums need the maximum of all keys first. It goes ahead as a half-message
 * of H (p + e) bits a token, and the largest goes out with what i tells; so an epoch here is two exchanges, and the run is
 * literally a protocol of 2 L epochs in the model, L of them with H (p + e) bits a token only (docs/protocols.md). */
#include "../shared/claim_simulate.h"

#include <stdio.h>

enum { LEVELS = 5, LENGTH = 160 };
static const char *const sides[LEVELS] = {NULL, "n1", "n2", "n3", "n4"};
static const char *const masks[] = {"strict", "causal", NULL};
static const char *const attentions[] = {"softmax", "linear", NULL};

static const at_param params[] = {
    {"L", "functions; players are -1..L", 1, LEVELS, 2, true},
    {"m", "values of z_0", 1, 8, 2, true},
    {"n1", "values of w_1", 1, 8, 2, true},
    {"n2", "values of w_2", 1, 8, 1, true},
    {"n3", "values of w_3", 1, 8, 1, true},
    {"n4", "values of w_4", 1, 8, 1, true},
    {"layers", "of random and trained decoders (0: L)", 0, 16, 0, true},
    CLAIM_PARAM_SOURCE,
    CLAIM_PARAM_MERGE,
    {"mask", "of random and trained decoders", 0, 1, 0, true, masks},
    {"attention", "of random decoders; linear needs no maxima", 0, 1, 0, true, attentions},
    {"H", "heads", 1, 64, 2, true},
    {"d", "head width", 1, 64, 3, true},
    {"prompts", "drawn for each decoder (0: all there are)", 0, 1000000, 0, true},
    {"allow", "bits that a budget allows a partial sum (0: A)", 0, 65536, 0, true},
    {"steps", "of training", 0, 100000, 100, true},
};

typedef struct {
    claim_prompts ask;
    int N, vocabulary;
    int owner[LENGTH]; /* player + 1 */
} prompts;

/* The prompts of the task, and whose each position is. */
static at_status prompts_open(const at_params *p, uint64_t seed, prompts *s, at_err *err)
{
    int L = at_params_int(p, "L"), domain[LEVELS] = {at_params_int(p, "m")};
    *s = (prompts){.ask = {.t = at_task_find("funccomp"), .all = !at_params_int(p, "prompts"), .seed = seed}};
    at_params_init(&s->ask.p, s->ask.t->params, s->ask.t->n_params);
    for (int l = 1; l < L; l++)
        domain[l] = domain[l - 1] * at_params_int(p, sides[l]);
    for (int l = L; l >= 1; l--)
        for (int k = 0; k < domain[l - 1]; k++) {
            if (s->N >= LENGTH - 2)
                return at_fail(err, AT_EDOMAIN, "prompts of more than %d tokens", LENGTH);
            s->owner[s->N++] = l + 1;
        }
    s->owner[s->N++] = 1; /* z_0: player 0 */
    s->owner[s->N++] = 0; /* w: player -1 */
    s->vocabulary = domain[L - 1];
    at_status st = at_params_set(&s->ask.p, "L", L, err);
    for (int l = 1; l < LEVELS && !st; l++)
        st = at_params_set(&s->ask.p, sides[l], at_params_int(p, sides[l]), err);
    if (!st)
        st = at_params_set(&s->ask.p, "m", domain[0], err);
    if (!st)
        st = at_params_set(&s->ask.p, "N", s->N, err);
    return st ? st : s->ask.t->validate(&s->ask.p, err);
}

/* Is the compiled decoder's answer i_L? */
static bool composed(const void *ctx, uint64_t i, const double *value)
{
    const claim_prompts *s = ctx;
    double x[LENGTH], y;
    claim_prompt_nth(ctx, i, x);
    s->t->answer(&s->p, x, &y);
    return value[0] > y - 0.5 && value[0] < y + 0.5;
}

static at_status make(const at_params *p, uint64_t i, uint64_t seed, at_model *m, at_err *err)
{
    int L = at_params_int(p, "L"), H = at_params_int(p, "H"), d = at_params_int(p, "d"),
        layers = at_params_int(p, "layers");
    claim_source source = (claim_source)at_params_int(p, "model");
    prompts t;
    at_status s = prompts_open(p, seed, &t, err);
    if (s)
        return s;
    if (source == CLAIM_COMPILED) {
        char text[96];
        snprintf(text, sizeof text, "L=%d m=%d n1=%d n2=%d n3=%d n4=%d", L, at_params_int(p, "m"),
                 at_params_int(p, "n1"), at_params_int(p, "n2"), at_params_int(p, "n3"),
                 at_params_int(p, "n4"));
        return claim_compiled("funccomp", text, m, err);
    }
    hard_arch h = {.vocabulary = t.vocabulary,
                   .answers = t.vocabulary,
                   .length = t.N,
                   .width = H * d,
                   .layers = layers ? layers : L,
                   .heads = H,
                   .dim = d,
                   .hidden = 2 * H * d,
                   .strict = true,
                   .gain = 2};
    s = hard_layers_draw(&h, seed * 1000003 + i, m, err);
    for (int b = 0; !s && b < m->n_blocks; b++) {
        at_group *g = m->blocks[b].groups;
        if (m->blocks[b].kind != AT_BLOCK_ATTN)
            continue;
        g->mask.kind = at_params_int(p, "mask") ? AT_MASK_CAUSAL : AT_MASK_STRICT;
        if (at_params_int(p, "attention")) {
            g->weighting = AT_LINEAR;
            g->scale = 1; /* there it has no meaning */
        }
    }
    if (s || source == CLAIM_RANDOM)
        return s;
    s = hard_layers_train(m, t.ask.t, &t.ask.p, at_params_int(p, "steps"), seed + i, err);
    if (s)
        at_model_release(m);
    return s;
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    prompts all;
    bool compiles = at_params_int(p, "model") == CLAIM_COMPILED;
    at_status s = prompts_open(p, seed, &all, err);
    at_shared_plan plan = {.parties = at_params_int(p, "L") + 2,
                           .owner = all.owner,
                           .query = -1,
                           .autoregressive = true,
                           .rounded = at_params_int(p, "merge"),
                           .sum_budget = at_params_int(p, "allow")};
    claim_sim sim = {.n = all.N,
                     .input = claim_prompt_nth,
                     .ctx = &all.ask,
                     .shared = &plan,
                     .right = compiles ? composed : NULL};
    claim_tally t = {0};
    if (!s)
        s = at_arith_parse(at_cell_arith(cell), &sim.arith, err);
    if (s)
        return s;
    sim.count =
        all.ask.all ? all.ask.t->count(&all.ask.p, AT_ENUM_SEQUENCES) : (uint64_t)at_params_int(p, "prompts");
    if (sim.count > 1000000)
        return at_fail(err, AT_EDOMAIN, "more than 1000000 prompts; set prompts to draw some");
    s = claim_simulate_each(&sim, make, p, compiles ? 1 : limit, seed, env, &t, err);
    if (s)
        return s;
    char more[128];
    snprintf(more, sizeof more, "%s prompts of %d tokens, %d players%s", all.ask.all ? "all" : "drawn", all.N,
             plan.parties, compiles ? ", answers i_L right" : "");
    return claim_tally_verdict(&t, more, a, out, err);
}

static const at_cell cells[] = {
    {"L=2 m=2 n1=2", NULL, AT_EV_SIMULATED, 0, "p8e5", 10, AT_TIER_QUICK, "L=2 m=2 n1=2 prompts=400"},
    {"L=3 m=2 n1=1 n2=2", NULL, AT_EV_SIMULATED, 0, "p8e5", 3, AT_TIER_QUICK,
     "L=3 m=2 n1=1 n2=2 prompts=200"},
    {"L=4 m=2 n1=1 n2=1 n3=2", NULL, AT_EV_SIMULATED, 0, "p8e5", 1, AT_TIER_QUICK,
     "L=4 m=2 n1=1 n2=1 n3=2 prompts=100"},
    {"L=2 m=2 n1=2 mask=causal", NULL, AT_EV_SIMULATED, 0, "p24e8", 3, AT_TIER_QUICK,
     "L=2 m=2 n1=2 mask=causal prompts=200"},
    {"L=3 m=2 n1=1 n2=2 attention=linear", NULL, AT_EV_SIMULATED, 0, "p8e5", 1, AT_TIER_QUICK,
     "L=3 m=2 n1=1 n2=2 attention=linear prompts=200"},
    {"L=2 m=2 n1=2 model=trained", NULL, AT_EV_SIMULATED, 0, "p8e5", 5, AT_TIER_QUICK,
     "L=2 m=2 n1=2 model=trained prompts=200"},
    {"L=2 m=2 n1=2 model=compiled", NULL, AT_EV_SIMULATED, 0, "p12e8", 1, AT_TIER_QUICK,
     "L=2 m=2 n1=2 model=compiled prompts=400"},
    {"L=3 m=2 n1=1 n2=2 model=compiled", NULL, AT_EV_SIMULATED, 0, "p12e8", 1, AT_TIER_QUICK,
     "L=3 m=2 n1=1 n2=2 model=compiled prompts=200"},
    {"L=4 m=2 n1=1 n2=1 n3=2 model=compiled", NULL, AT_EV_SIMULATED, 0, "p12e8", 1, AT_TIER_FULL, NULL},
    {"L=3 m=2 n1=1 n2=2 model=trained", NULL, AT_EV_SIMULATED, 0, "p8e5", 1, AT_TIER_FULL, NULL},
    {"L=2 m=4 n1=4 prompts=1000", NULL, AT_EV_SIMULATED, 0, "p8e5", 1, AT_TIER_QUICK,
     "L=2 m=4 n1=4 prompts=40"},
    {"L=3 m=3 n1=2 n2=3 prompts=1000 H=1 d=4", NULL, AT_EV_SIMULATED, 0, "p12e6", 1, AT_TIER_QUICK,
     "L=3 m=3 n1=2 n2=3 prompts=30 H=1 d=4"},
    {"L=2 m=2 n1=2 prompts=200", "merge=rounded", AT_EV_SIMULATED, 0, "p8e5", 1, AT_TIER_QUICK, NULL},
    {"L=2 m=2 n1=2 prompts=10", "allow=16", AT_EV_SIMULATED, 0, "p8e5", 1, AT_TIER_QUICK, NULL},
};

const at_claim claim_arcomm = {
    .id = "arcomm",
    .title = "A causal decoder of L layers runs as an autoregressive protocol, one epoch a layer",
    .source = "Chen, Peng, Wu 2024 (lemma 3.1)",
    .statement =
        "Players -1..L hold the parts of the prompt z_L, ..., z_1, z_0, w. Any causal or strict-causal "
        "decoder at p bits with H "
        "heads of width d runs as a protocol in which player j > i answers player i with at most 2 H d A "
        "bits a token and layer, "
        "A the bits of an exact partial sum (maxima go ahead, counted apart); outputs are equal bit for bit.",
    .proof =
        "Keys of player j enter a query of player i through sums of weights and of weighted values only, and "
        "these are associative "
        "because they are exact. Run on every prompt of small domains, messages serialised, budgets checked.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
