/* CLAIM match3-sets: what one layer sees at a position must tell apart all sets of tokens, or it cannot find triples.
 *
 * Source: none; the layer of match3-hard (Sanford, Hsu, Telgarsky 2023), asked about one token at a time.
 * Statement: no softmax layer of H heads of width m with numbers of b bits and exact sums computes Match3 on N tokens when
 * 2^(H (m+1) (b + log2 M)) is less than the number of sets of N-2-H pairs out of M/2-1-H.
 *
 * Proof, as it is run here:
 *   1. Gadget: x_1 = 1. The numbers 0..M-1 without 1, M-2 and the half of M-1 are pairs x, M-1-x. As integers, 1 and two smaller ones of
 *      pairs are below M, 1 and two larger ones lie between M and 2M, 1 and one of each make M only if they are partners; 1 twice needs
 *      M-2. So Match3(X)_1 = 1 iff both of a pair occur.
 *   2. H tokens are fixed, one a head: token and place with the largest score at position 1 of all that are left; its pair and place are
 *      not used again. So the largest score of each head is that of a fixed token, whatever the others are.
 *   3. Alice holds the fixed tokens and N-2-H others, all smaller ones of pairs: they show a set. Bob holds x_1 and one token y, the larger
 *      one of a pair. Alice's exact sums do not depend on y, not even by the maximum: what she sends is the same bits for every y
 *      (protocol.h; here it is run). What Bob makes of it for all y decides which pairs are in her set.
 *   4. Bob needs no more of a sum than between which two of K 2^b numbers it lies: round(sum + a_y), K known a_y (bound match3-sets). So
 *      as many messages as there are sets: C(K, t) <= 2^(H(m+1)(b + log2 K)). */
#include "../shared/claim_limit.h"
#include "../shared/claim_simulate.h"

#include <math.h>

#include "../shared/hard_refute.h"

static const char *const parts[] = {"gadget", "alone", "refute", "binds", NULL};
enum { GADGET, ALONE, REFUTE, BINDS };
static const char *const kinds[] = {"pairs", "any", NULL};
static const char *const fixes[] = {"none", "largest", NULL};
enum { LONGEST = 33, PAIRS = 64, INPUTS = 1 << 20, WIDEST = 256 };

static const at_param params[] = {
    {"part", "what is tried", 0, COUNT(parts) - 2, ALONE, true, parts},
    {"N", "length", 3, 1 << 20, 6, true},
    {"M", "modulus", 4, 1 << 22, 16, true},
    {"tokens", "gadget: numbers that occur behind x_1: those of pairs, or any", 0, COUNT(kinds) - 2, 0, true,
     kinds},
    {"fixed", "whose scores the fixed tokens have", 0, COUNT(fixes) - 2, 1, true, fixes},
    CLAIM_PARAM_SOURCE,
    {"H", "heads", 1, 64, 1, true},
    {"m", "head width", 1, 1 << 20, 2, true},
    {"p", "binds: bits of a mantissa", 1, 64, 24, true},
    {"e", "binds: bits of an exponent", 3, 12, 8, true},
    {"sums", "binds: how messages are counted", 0, 1, 1, true, (const char *const[]){"ideal", "exact", NULL}},
    {"steps", "of training", 0, 100000, 150, true},
};

/* ---- step 1 ------------------------------------------------------------------------------------------------------- */

static int pairs_of(int M)
{
    return M / 2 - 1;
}

/* The smaller number of pair i: 0, 2, 3, ... */
static int smaller(int i)
{
    return i ? i + 1 : 0;
}

/* base^n, or more than INPUTS. */
static uint64_t ways(int base, int n)
{
    uint64_t out = 1;
    for (int k = 0; k < n && out <= INPUTS; k++)
        out *= (uint64_t)base;
    return out;
}

static bool meets(const double *x, int n, int M)
{
    for (int j = 1; j < n; j++)
        for (int k = 1; k < j; k++)
            if (x[j] + x[k] == M - 1)
                return true;
    return false;
}

/* All tokens behind the first are numbers of pairs (all: any numbers), in every way. */
static at_status gadget_trial(const at_params *p, at_arena *a, at_verdict *out, at_err *err)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M"), all = at_params_int(p, "tokens");
    int P = pairs_of(M), W = all ? M : 2 * P;
    uint64_t inputs = ways(W, N - 1), wrong = 0;
    if (N > LONGEST || inputs > INPUTS)
        return at_fail(err, AT_EDOMAIN, "part=gadget: N=%d M=%d are more than 2^20 inputs", N, M);
    const at_task *t = at_task_find("match3");
    at_params tp;
    at_params_init(&tp, t->params, t->n_params);
    at_status s = at_params_set(&tp, "N", N, err);
    if (!s)
        s = at_params_set(&tp, "M", M, err);
    double x[LONGEST] = {1}, y[LONGEST];
    for (uint64_t i = 0; i < inputs && !s; i++) {
        uint64_t rest = i;
        for (int j = 1; j < N; j++, rest /= (uint64_t)W) {
            int d = (int)(rest % (uint64_t)W);
            x[j] = all ? d : d < P ? smaller(d) : M - 1 - smaller(d - P);
        }
        t->answer(&tp, x, y);
        wrong += (y[0] != 0) != meets(x, N, M);
    }
    return s ? s
             : claim_count_verdict(
                   AT_EV_EXACT, inputs, !wrong, a, out, err,
                   "M=%d: Match3(X)_1 = 1 iff both of a pair occur, for %s of %ju inputs of %d tokens", M,
                   wrong ? "not all" : "all", (uintmax_t)inputs, N);
}

/* ---- steps 2 and 3 ------------------------------------------------------------------------------------------------ */

/* A game on one model: who holds what, and which tokens may be drawn. */
typedef struct {
    int N, M, K, T;
    int pair[PAIRS + LONGEST]; /* (K) that are left */
    int place[LONGEST];        /* (T) Alice's, not fixed */
    int bob;                   /* his place beside the first */
    double x[LONGEST];         /* the fixed ones */
    int owner[LONGEST];
} game;

/* Input i: Alice's tokens are the digits of i / K, Bob's is i mod K. */
static void game_input(const void *ctx, uint64_t i, double *x)
{
    const game *g = ctx;
    uint64_t K = (uint64_t)g->K, rest = i / K;
    for (int j = 0; j < g->N; j++)
        x[j] = g->x[j];
    for (int j = 0; j < g->T; j++, rest /= K)
        x[g->place[j]] = smaller(g->pair[rest % K]);
    x[g->bob] = g->M - 1 - smaller(g->pair[i % K]);
}

/* Scores at position 1 of head h, when every other token is v. */
static at_status scores_find(const at_model *m, at_arith arith, int N, int v, int h, at_arena *a,
                             double *score, at_err *err)
{
    double x[LONGEST] = {1};
    at_trace t;
    at_output y;
    for (int j = 1; j < N; j++)
        x[j] = v;
    at_status s = at_run(m, arith, &(at_input){N, x}, &t, a, &y, err);
    for (int j = 1; j < N && !s; j++)
        score[j] = t.heads[h].score[j];
    return s;
}

/* Step 2: for each head in turn the token and place of the largest score (fixed=none: of the least). */
static at_status game_new(const at_model *m, at_arith arith, const at_params *p, at_arena *a, game *g,
                          at_err *err)
{
    int H = at_params_int(p, "H"), sign = at_params_int(p, "fixed") ? 1 : -1;
    g->N = at_params_int(p, "N");
    g->M = at_params_int(p, "M");
    g->K = pairs_of(g->M);
    bool taken[LONGEST] = {true};
    for (int i = 0; i < g->K; i++)
        g->pair[i] = i;
    g->x[0] = 1;
    for (int h = 0; h < H; h++) {
        double most = -INFINITY, score[LONGEST];
        int best = -1, at = -1, value = 0;
        for (int i = 0; i < 2 * g->K; i++) {
            int v = smaller(g->pair[i / 2]);
            v = i % 2 ? g->M - 1 - v : v;
            at_mark mark = at_arena_mark(a);
            at_status s = scores_find(m, arith, g->N, v, h, a, score, err);
            at_arena_reset(a, mark);
            if (s)
                return s;
            for (int j = 1; j < g->N; j++)
                if (!taken[j] && sign * score[j] > most) {
                    most = sign * score[j];
                    best = i / 2;
                    at = j;
                    value = v;
                }
        }
        if (at < 0)
            return at_fail(err, AT_EDOMAIN, "head %d has no finite score", h + 1);
        g->x[at] = value;
        taken[at] = true;
        for (g->K--; best < g->K; best++)
            g->pair[best] = g->pair[best + 1];
    }
    for (int j = 0; j < g->N; j++)
        g->owner[j] = j == 0;
    g->T = 0;
    g->bob = -1;
    for (int j = 1; j < g->N; j++)
        if (!taken[j] && g->bob < 0)
            g->owner[g->bob = j] = 1;
        else if (!taken[j])
            g->place[g->T++] = j;
    return AT_OK;
}

static at_status model_make(const at_params *p, uint64_t i, uint64_t seed, at_model *m, at_err *err)
{
    int H = at_params_int(p, "H"), d = at_params_int(p, "m"), N = at_params_int(p, "N"),
        M = at_params_int(p, "M");
    hard_arch h = {.vocabulary = M,
                   .answers = 2,
                   .length = N,
                   .width = H * d,
                   .layers = 1,
                   .heads = H,
                   .dim = d,
                   .hidden = 2 * H * d,
                   .gain = 2};
    at_status s = hard_layers_draw(&h, seed * 1000003 + i, m, err);
    if (s || at_params_int(p, "model") == CLAIM_RANDOM)
        return s;
    const at_task *t = at_task_find("match3");
    at_params tp;
    at_params_init(&tp, t->params, t->n_params);
    s = at_params_set(&tp, "N", N, err);
    if (!s)
        s = at_params_set(&tp, "M", M, err);
    if (!s)
        s = hard_layers_train(m, t, &tp, at_params_int(p, "steps"), seed + i, err);
    if (s)
        at_model_release(m);
    return s;
}

/* What the proof says of every input of a game: the answer is whether y's partner is among Alice's tokens, each y is asked of each set, and
 * the largest score of a head is the same. */
typedef struct {
    uint64_t inputs, wrong, moved;
} game_tally;

static at_status game_check(const game *g, const at_model *m, at_arith arith, uint64_t inputs, at_arena *a,
                            game_tally *t, at_err *err)
{
    const at_task *task = at_task_find("match3");
    at_params tp;
    at_params_init(&tp, task->params, task->n_params);
    at_status s = at_params_set(&tp, "N", g->N, err);
    if (!s)
        s = at_params_set(&tp, "M", g->M, err);
    double most[64] = {0};
    uint64_t yes = 0, K = (uint64_t)g->K;
    for (uint64_t i = 0; i < inputs && !s; i++) {
        double x[LONGEST], y[LONGEST];
        bool in = false, moved = false;
        at_trace trace;
        at_output out;
        at_mark mark = at_arena_mark(a);
        game_input(g, i, x);
        for (int j = 0; j < g->T; j++)
            in = in || x[g->place[j]] == g->M - 1 - x[g->bob];
        task->answer(&tp, x, y);
        t->wrong += (y[0] != 0) != in;
        yes += in;
        s = at_run(m, arith, &(at_input){g->N, x}, &trace, a, &out, err);
        for (int h = 0; h < (s ? 0 : trace.n_heads); h++) {
            double top = -INFINITY;
            for (int j = 0; j < g->N; j++)
                top = fmax(top, trace.heads[h].score[j]);
            moved = moved || (i && top != most[h]);
            most[h] = i ? most[h] : top;
        }
        t->moved += moved;
        t->inputs++;
        at_arena_reset(a, mark);
    }
    t->wrong += yes != K * (ways(g->K, g->T) - ways(g->K - 1, g->T)); /* sequences that hold a number */
    return s;
}

/* One model: what it is asked, or (shown: two inputs) what is shown of it. */
typedef struct {
    const at_params *p;
    claim_sim sim;
    claim_tally said;
    game_tally game;
    uint64_t seed;
    const at_check_env *env;
    at_arena *a;
} alone;

static at_status alone_one(alone *k, uint64_t i, const uint64_t shown[2], at_err *err)
{
    at_model m;
    game g = {0};
    at_status s = model_make(k->p, i, k->seed, &m, err);
    if (s)
        return s;
    s = game_new(&m, k->sim.arith, k->p, k->a, &g, err);
    at_shared_plan plan = {.parties = 2, .owner = g.owner, .query = 0, .known = true};
    k->sim.m = &m;
    k->sim.ctx = &g;
    k->sim.shared = &plan;
    if (!s && shown)
        s = claim_simulate_show(&k->sim, shown[0], shown[1], k->env, err);
    else if (!s && !(s = claim_simulate(&k->sim, k->env, &k->said, err)))
        s = game_check(&g, &m, k->sim.arith, k->sim.count, k->a, &k->game, err);
    at_model_release(&m);
    return s;
}

static at_status alone_trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                             const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    int N = at_params_int(p, "N"), H = at_params_int(p, "H"), K = pairs_of(at_params_int(p, "M")) - H;
    if (N > LONGEST || N < H + 3 || K < 2 || K > PAIRS || ways(K, N - 1 - H) > INPUTS)
        return at_fail(err, AT_EDOMAIN,
                       "part=alone: N from H+3, M from 2H+6, and at most 2^20 inputs of the game");
    if (at_params_int(p, "model") == CLAIM_COMPILED || at_params_int(p, "m") > WIDEST)
        return at_fail(err, AT_EDOMAIN, "part=alone: models are random or trained, and m at most %d", WIDEST);
    alone k = {.p = p,
               .sim = {.n = N, .input = game_input, .count = ways(K, N - 1 - H), .alike = (uint64_t)K},
               .seed = seed,
               .env = env,
               .a = a};
    uint64_t other = 0; /* the first model of which Alice says other bits */
    at_status s = at_arith_parse(at_cell_arith(cell), &k.sim.arith, err);
    for (uint64_t i = 0; i < limit && !s; i++) {
        bool alike = !k.said.unlike;
        at_progress_tick(env ? env->progress : NULL, "models", (double)i, (double)limit);
        s = alone_one(&k, i, NULL, err);
        other = alike ? i : other;
    }
    uint64_t at = k.said.first_unlike, shown[2] = {at - at % (uint64_t)K, k.said.unlike ? at : 1};
    for (uint64_t i = 0; i < (k.said.unlike ? 1 : limit < 2 ? limit : 2) && !s && env && env->witness; i++)
        s = alone_one(&k, k.said.unlike ? other : i, shown, err);
    if (s || k.said.over || k.said.differ || k.said.unlike || !(k.game.wrong + k.game.moved))
        return s ? s
                 : claim_tally_verdict(&k.said, "what Alice sends is the same for every token of Bob's", a,
                                       out, err);
    return claim_count_verdict(
        AT_EV_SIMULATED, k.game.inputs, false, a, out, err,
        "of %ju inputs %ju have another answer than the sets, and in %ju a head has another largest score",
        (uintmax_t)k.game.inputs, (uintmax_t)k.game.wrong, (uintmax_t)k.game.moved);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    switch (at_params_int(p, "part")) {
    case GADGET:
        return gadget_trial(p, a, out, err);
    case ALONE:
        return alone_trial(p, cell, limit, seed, env, a, out, err);
    case BINDS:
        return limit_trial("match3-sets", p, cell, a, out, err);
    }
    if (at_params_int(p, "m") > WIDEST)
        return at_fail(err, AT_EDOMAIN, "part=refute: m at most %d", WIDEST);
    hard_layer h = {.weights = at_params_int(p, "model"),
                    .heads = at_params_int(p, "H"),
                    .dim = at_params_int(p, "m"),
                    .steps = at_params_int(p, "steps"),
                    .cell = cell,
                    .limit = limit,
                    .seed = seed,
                    .env = env};
    return hard_refute_match3(&h, at_params_int(p, "N"), at_params_int(p, "M"), a, out, err);
}

static const at_cell cells[] = {
    {"part=gadget N=3 M=4..24", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=gadget N=5 M=10..11", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=gadget N=3 M=10..11", "tokens=any", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=6 M=16", NULL, AT_EV_SIMULATED, 0, "p8e5", 40, AT_TIER_QUICK, NULL},
    {"N=7 M=15 H=2", NULL, AT_EV_SIMULATED, 0, "p4e5", 40, AT_TIER_QUICK, NULL},
    {"N=6 M=14 H=2 m=4", NULL, AT_EV_SIMULATED, 0, "p24e8", 20, AT_TIER_QUICK, NULL},
    {"N=6 M=16 model=trained", NULL, AT_EV_SIMULATED, 0, "p8e5", 10, AT_TIER_QUICK, NULL},
    {"N=6 M=16", "fixed=none", AT_EV_SIMULATED, 0, "p8e5", 40, AT_TIER_QUICK, NULL},
    {"part=refute N=33 M=130 m=1", NULL, AT_EV_REFUTED, 0, "p8", 40, AT_TIER_QUICK, NULL},
    {"part=refute N=33 M=65536 m=1", NULL, AT_EV_REFUTED, 0, "p8", 40, AT_TIER_FULL, NULL},
    {"part=refute N=9 M=40", "model=compiled", AT_EV_REFUTED, 0, "p24", 10, AT_TIER_QUICK, NULL},
    {"part=binds N=33 M=130 m=1 p=8 e=5", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=binds N=1048576 M=4194304 m=37000", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_FULL, NULL},
    {"part=binds N=1000 M=4002 m=45", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=binds N=1000 M=4002 m=45", "m=46", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_match3_sets = {
    .id = "match3-sets",
    .title = "One layer that finds triples tells apart all sets of tokens at one position",
    .source = "none; for the layers of Sanford, Hsu, Telgarsky 2023",
    .statement = "No softmax layer of H heads of width m, numbers of b bits and exact sums, computes Match3 "
                 "on N tokens "
                 "when 2^(H(m+1)(b + log2 M)) < C(K, t), K = floor(M/2)-1-H, t = min(N-2-H, floor(K/2)).",
    .proof = "x_1 = 1, and a token a head is fixed that has the largest score there is. The others show a "
             "set of numbers, one asks "
             "whether the partner of a number is in it. The sums over the set do not depend on who asks; the "
             "protocol is run, "
             "and what is sent compared.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
