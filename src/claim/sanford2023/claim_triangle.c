/* CLAIM triangle: a transformer that finds directed triangles decides set disjointness on a network.
 *
 * Source: Sanford, Hsu, Telgarsky 2023 (TriIDGraph, by CONGEST).
 * Statement: no transformer of D layers, H heads and width m finds the nodes in directed triangles of every graph on N nodes (row i of
 * the adjacency matrix at position i) when D H m is small against N / log N.
 *
 * Proof, as it is run here:
 *   1. Gadget on N = 3k nodes: u_j -> v_l iff a_jl = 1 (rows of u: Alice's), v_l -> w_j iff b_jl = 1 (rows of v: Bob's), w_j -> u_j
 *      always (rows of w: known, Bob keeps them). A directed triangle is u_j v_l w_j: some u_j lies in one iff a and b, k^2 bits each,
 *      meet.
 *   2. Every node holds its row, and nodes talk over the edges of a tree with one edge between Alice's nodes and Bob's. For each
 *      layer and query one query, two maxima and one bundle of sums cross it, since sums are added up on the way: D N H (m numbers
 *      out, m+1 sums back). (Every pair of nodes talking to each other would have 2 N^2 / 9 edges in the cut and prove nothing.)
 *   3. The output is the model's, bit for bit; so D N H (2m+1) A bits of the cut are at least k^2 = N^2/9 for a model that is right.
 *
 * Beside it a construction that grows like N, too (part=right): two layers of one head of width N, MLPs of O(N) units between and behind.
 *   4. S is a set of nodes that position i holds as N numbers 0 or 1, at first its row: where one edge leads from i. Query: S; key of
 *      j: e_j; so the scores are 1 on S and 0 off it. Value: row j.
 *   5. With scale ln(16 N^2) keys off S have a weight of at most 1/(16 N^2) of one on S. So if S is not empty, number k of the mean is
 *      at least 1/N up to 1/(8N) if an edge leads from S to k, else 0 up to 1/(8N); an MLP makes that 1 or 0 (by a ReLU
 *      of 3/2 - 2N times it first, which is small or 0, so that large N lose no bits). If S is empty the scores
 *      are equal, and an MLP makes 0 of everything.
 *   6. So layer 1 makes S the set that two edges lead to. After layer 2 only number i is looked at: do three edges lead back to i?
 * That several layers cannot do Match3 either is a conjecture; nothing here speaks of it. */
#include "../shared/claim_limit.h"
#include "../shared/claim_simulate.h"
#include "../shared/hard_nets.h"

#include <stdio.h>
#include <string.h>

static const char *const parts[] = {"gadget", "protocol", "binds", "right", NULL};
enum { GADGET, PROTOCOL, BINDS, RIGHT };
enum { MOST = 4, NODES = 3 * MOST }; /* k, where something is run */
enum { WIDEST = 256 };               /* N of a construction */

static const at_param params[] = {
    {"part", "what is tried", 0, COUNT(parts) - 2, PROTOCOL, true, parts},
    {"k", "nodes of each part: N = 3k", 1, 1 << 20, 2, true},
    {"turn", "edges w_j -> u_{j+turn}", 0, 1, 0, true},
    CLAIM_PARAM_SOURCE,
    CLAIM_PARAM_MERGE,
    {"D", "layers", 1, 16, 2, true},
    {"H", "heads", 1, 64, 2, true},
    {"m", "head width", 1, 256, 3, true},
    {"bandwidth", "bits a round, edge and direction (0: log2 N)", 0, 65536, 0, true},
    {"allow", "bits that a budget allows a partial sum (0: A)", 0, 65536, 0, true},
    {"steps", "of training", 0, 100000, 100, true},
    {"N", "right: nodes (0: 3k)", 0, WIDEST, 0, true},
    {"hops", "right: layers", 0, 3, 2, true},
    {"c", "right: scale in units of ln(16 N^2)", 0.001, 16, 1, false},
};

typedef struct {
    int k, turn;
    bool tokens; /* a row as one token, the number with these bits */
    bool all;    /* inputs are all pairs; else number i is drawn */
    uint64_t seed;
} gadget;

/* Step 1. Pair number i: a in the lower k^2 bits, b in the next; x (N, N). */
static void graph_fill(const gadget *g, uint64_t i, double *x)
{
    int k = g->k, N = 3 * k;
    memset(x, 0, (size_t)(N * N) * sizeof *x);
    for (int j = 0; j < k; j++) {
        for (int l = 0; l < k; l++) {
            x[j * N + k + l] = claim_bit(i, j * k + l);
            x[(k + l) * N + 2 * k + j] = claim_bit(i, k * k + j * k + l);
        }
        x[(2 * k + j) * N + (j + g->turn) % k] = 1;
    }
}

static uint64_t pair_of(const gadget *g, uint64_t i)
{
    if (g->all)
        return i;
    at_rng r = at_rng_at(g->seed, i);
    return at_rng_u64(&r) & (((uint64_t)1 << 2 * g->k * g->k) - 1);
}

static void rows_pack(const double *x, int N, double *token)
{
    for (int i = 0; i < N; i++) {
        token[i] = 0;
        for (int j = N - 1; j >= 0; j--)
            token[i] = 2 * token[i] + (x[i * N + j] != 0);
    }
}

static void gadget_input(const void *ctx, uint64_t i, double *x)
{
    const gadget *g = ctx;
    double graph[NODES * NODES];
    graph_fill(g, pair_of(g, i), g->tokens ? graph : x);
    if (g->tokens)
        rows_pack(graph, 3 * g->k, x);
}

static at_status task_params(int N, at_params *tp, at_err *err)
{
    at_params_init(tp, at_task_find("triangle")->params, at_task_find("triangle")->n_params);
    return at_params_set(tp, "N", N, err);
}

static at_status gadget_trial(const at_params *p, at_arena *a, at_verdict *out, at_err *err)
{
    gadget g = {.k = at_params_int(p, "k"), .turn = at_params_int(p, "turn")};
    if (g.k > 3)
        return at_fail(err, AT_EDOMAIN, "part=gadget k=%d: 2^%d pairs are too many; at most k=3", g.k,
                       2 * g.k * g.k);
    uint64_t pairs = (uint64_t)1 << 2 * g.k * g.k, wrong = 0;
    double x[NODES * NODES], y[NODES];
    at_params tp;
    at_status s = task_params(3 * g.k, &tp, err);
    for (uint64_t i = 0; i < pairs && !s; i++) {
        bool meet = (i & i >> g.k * g.k & (((uint64_t)1 << g.k * g.k) - 1)) != 0, found = false;
        graph_fill(&g, i, x);
        at_task_find("triangle")->answer(&tp, x, y);
        for (int j = 0; j < g.k; j++)
            found = found || y[j] != 0;
        wrong += found != meet;
    }
    if (s)
        return s;
    return claim_count_verdict(
        AT_EV_EXACT, pairs, !wrong, a, out, err,
        wrong ? "N=%d: %ju of %ju pairs answered wrongly"
              : "N=%d: %ju wrong: some u_j lies in a triangle iff a and b meet, for all %ju pairs",
        3 * g.k, (uintmax_t)wrong, (uintmax_t)pairs);
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* The task with rows as tokens, as trainers take them; every other input is a gadget. */
static void rows_sample(const at_params *p, at_rng *r, double *x)
{
    double graph[NODES * NODES];
    int N = at_params_int(p, "N");
    gadget g = {.k = N / 3};
    if (at_rng_below(r, 2))
        graph_fill(&g, at_rng_u64(r), graph);
    else
        at_task_find("triangle")->sample(p, r, graph);
    rows_pack(graph, N, x);
}

static void rows_answer(const at_params *p, const double *x, double *y)
{
    double graph[NODES * NODES];
    int N = at_params_int(p, "N");
    for (int e = 0; e < N * N; e++)
        graph[e] = (double)((uint64_t)x[e / N] >> e % N & 1);
    at_task_find("triangle")->answer(p, graph, y);
}

static const at_task rows_task = {.id = "triangle", .sample = rows_sample, .answer = rows_answer};

/* ---- a construction ----------------------------------------------------------------------------------------------- */

/* Steps 4 and 5: which of the nodes does an edge lead to from the set? */
static void hop(at_program *P, int N, double c, int step, at_var here, at_var edges, at_var set[WIDEST])
{
    at_var key[WIDEST], value[WIDEST];
    char name[32];
    for (int j = 0; j < N; j++) {
        key[j] = here + j;
        value[j] = edges + j;
    }
    snprintf(name, sizeof name, "some%d", step);
    at_var some = at_any(P, name, (at_vec){N, set});
    snprintf(name, sizeof name, "mean%d", step);
    at_var mean = at_attend(P, name,
                            &(at_attention){.query = {N, set},
                                            .key = {N, key},
                                            .value = {N, value},
                                            .weighting = AT_SOFTMAX,
                                            .gap = 1,
                                            .scale = c * at_log(16. * N * N),
                                            .error = 1. / (8 * N)});
    for (int k = 0; k < N && mean >= 0; k++) {
        snprintf(name, sizeof name, "none%d,%d", step, k + 1); /* 3/2 if none, up to 1/4; else 0 */
        at_var none = at_relu(P, name, at_sum(P, NULL, AT_VEC(mean + k), (double[]){-2 * N}, 1.5));
        snprintf(name, sizeof name, "from%d,%d", step, k + 1);
        at_var from = at_compare(P, name, at_sum(P, NULL, AT_VEC(none), (double[]){-1}, 0.75), 0.5);
        snprintf(name, sizeof name, "to%d,%d", step, k + 1);
        set[k] = at_and(P, name, from, some);
    }
}

static at_status right(const at_params *p, at_model *m, at_err *err)
{
    int N = at_params_int(p, "N") ? at_params_int(p, "N") : 3 * at_params_int(p, "k");
    if (N > WIDEST)
        return at_fail(err, AT_EDOMAIN, "N=%d: at most %d where a model is made", N, WIDEST);
    double *rows = at_calloc((size_t)N * (size_t)N, sizeof *rows);
    at_program *P = rows ? at_program_new("triangle", N) : NULL;
    if (!P) {
        at_free(rows);
        return at_oom(err);
    }
    for (int j = 0; j < N; j++)
        rows[j * N + j] = 1;
    at_program_lengths(P, N);
    at_var edges = at_ints(P, "edge", N, 0, 1), here = at_position_rows(P, "here", N, rows), set[WIDEST],
           back[WIDEST];
    for (int j = 0; j < N; j++)
        set[j] = edges + j;
    for (int step = 1; step <= at_params_int(p, "hops"); step++)
        hop(P, N, at_params_get(p, "c"), step, here, edges, set);
    for (int k = 0; k < N; k++) { /* step 6 */
        char name[32];
        snprintf(name, sizeof name, "back%d", k + 1);
        back[k] = at_and(P, name, set[k], here + k);
    }
    at_emit(P, AT_VEC(at_sum(P, "y", (at_vec){N, back}, NULL, 0)), AT_READ_THRESHOLD, 0.5);
    at_free(rows);
    at_status s = at_assemble(P, m, NULL, err);
    at_program_free(P);
    return s;
}

static at_status right_trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                             const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    at_size size;
    at_status s = hard_right_check(right, p, "triangle", cell, limit, seed, env, a, &size, out, err);
    if (s)
        return s;
    out->note = at_arena_printf(a, "%d layer%s of %d head of width %d %s on %ju inputs", size.layers,
                                size.layers == 1 ? "" : "s", size.heads, size.head_dim,
                                out->holds == AT_TRUE ? "right" : "wrong", (uintmax_t)out->inputs);
    return out->note ? AT_OK : at_oom(err);
}

static at_status make(const at_params *p, uint64_t i, uint64_t seed, at_model *m, at_err *err)
{
    int N = 3 * at_params_int(p, "k"), H = at_params_int(p, "H"), d = at_params_int(p, "m");
    if (at_params_int(p, "model") == CLAIM_COMPILED)
        return right(p, m, err);
    bool trained = at_params_int(p, "model") == CLAIM_TRAINED;
    hard_arch h = {.vocabulary = trained ? 1 << N : 0,
                   .integers = trained ? 0 : N,
                   .answers = 2,
                   .length = N,
                   .width = H * d,
                   .layers = at_params_int(p, "D"),
                   .heads = H,
                   .dim = d,
                   .hidden = 2 * H * d};
    at_status s = hard_layers_draw(&h, seed * 1000003 + i, m, err);
    if (s || !trained)
        return s;
    at_params tp;
    s = task_params(N, &tp, err);
    if (!s)
        s = hard_layers_train(m, &rows_task, &tp, at_params_int(p, "steps"), seed + i, err);
    if (s)
        at_model_release(m);
    return s;
}

/* ---- the protocol ------------------------------------------------------------------------------------------------- */

static at_status protocol_trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                                const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    int k = at_params_int(p, "k"), N = 3 * k, parent[NODES], side[NODES];
    gadget g = {.k = k, .tokens = at_params_int(p, "model") == CLAIM_TRAINED, .all = k <= 2, .seed = seed};
    for (int i = 0; i < N; i++) { /* two stars, joined by their centres u_1 and v_1 */
        side[i] = i >= k;
        parent[i] = i == 0 ? -1 : i <= k ? 0 : k;
    }
    at_congest_plan plan = {.parent = parent,
                            .side = side,
                            .bandwidth = at_params_int(p, "bandwidth"),
                            .rounded = at_params_int(p, "merge"),
                            .sum_budget = at_params_int(p, "allow")};
    claim_sim sim = {.n = N,
                     .count = k <= 2 ? (uint64_t)1 << 2 * k * k : 256,
                     .input = gadget_input,
                     .ctx = &g,
                     .congest = &plan};
    claim_tally t = {0};
    at_status s = at_arith_parse(at_cell_arith(cell), &sim.arith, err);
    if (!s)
        s = claim_simulate_each(&sim, make, p, limit, seed, env, &t, err);
    int need = 0;
    const char *why;
    if (!s)
        s = at_cc_disj_bits(k * k, a, &need, &why, err);
    if (s)
        return s;
    char more[200];
    snprintf(more, sizeof more,
             "%ju rounds, at most %ju bits an edge, %ju over the cut of 1 edge (all pairs: %d edges); "
             "DISJ_%d with "
             "the answer told needs %d",
             (uintmax_t)t.rounds, (uintmax_t)t.edge_bits, (uintmax_t)t.cut_bits, 2 * k * k, k * k, need);
    return claim_tally_verdict(&t, more, a, out, err);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    if (at_params_int(p, "part") == BINDS)
        return limit_trial("triangle", p, cell, a, out, err);
    if (at_params_int(p, "part") == RIGHT)
        return right_trial(p, cell, limit, seed, env, a, out, err);
    if (at_params_int(p, "k") > MOST)
        return at_fail(err, AT_EDOMAIN, "k=%d: at most %d where protocols run", at_params_int(p, "k"), MOST);
    return at_params_int(p, "part") == GADGET ? gadget_trial(p, a, out, err)
                                              : protocol_trial(p, cell, limit, seed, env, a, out, err);
}

static const at_cell cells[] = {
    {"part=gadget k=1..3", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=gadget k=2", "turn=1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"k=2 D=2 H=2 m=3", NULL, AT_EV_SIMULATED, 0, "p8e5", 50, AT_TIER_FULL, NULL},
    {"k=2 D=1 H=1 m=2", NULL, AT_EV_SIMULATED, 0, "p4e5", 20, AT_TIER_QUICK, NULL},
    {"k=3 D=3 H=2 m=3", NULL, AT_EV_SIMULATED, 0, "p12e6", 10, AT_TIER_QUICK, "k=2 D=3 H=2 m=2"},
    {"k=2 D=2 H=2 m=3 model=trained", NULL, AT_EV_SIMULATED, 0, "p8e5", 10, AT_TIER_QUICK, NULL},
    {"part=binds k=4096 D=2 H=2 m=4", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=binds k=4096 D=2 H=2 m=4", "k=256", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"k=2 D=1 H=1 m=2", "merge=rounded", AT_EV_SIMULATED, 0, "p8e5", 10, AT_TIER_QUICK, NULL},
    {"k=2 D=1 H=1 m=2", "allow=16", AT_EV_SIMULATED, 0, "p8e5", 10, AT_TIER_QUICK, NULL},
    {"k=2 model=compiled", NULL, AT_EV_SIMULATED, 0, "p24e8", 1, AT_TIER_QUICK, NULL},
    {"part=right N=1..3", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p24e8", 0, AT_TIER_QUICK, NULL},
    {"part=right N=4", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_FULL, NULL},
    {"part=right N=24", NULL, AT_EV_SAMPLED, 0, "p24e8", 400, AT_TIER_QUICK, NULL},
    {"part=right N=3", "hops=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "p24e8", 0, AT_TIER_QUICK, NULL},
    {"part=right N=3", "c=0.05", AT_EV_EXACT, AT_ENUM_SEQUENCES, "p24e8", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_triangle = {
    .id = "triangle",
    .title = "A transformer that finds directed triangles decides set disjointness over a thin cut",
    .source = "Sanford, Hsu, Telgarsky 2023 (TriIDGraph, CONGEST)",
    .statement = "No transformer with D H m small against N / log N finds, on every graph of N nodes, the "
                 "nodes in directed "
                 "triangles: on a tree with one edge between Alice's nodes and Bob's it would decide DISJ on "
                 "N^2/9 bits. Two layers of one head of width N do.",
    .proof = "u_j -> v_l by a_jl, v_l -> w_j by b_jl, w_j -> u_j: a triangle iff a and b meet. Nodes hold "
             "their rows; queries travel "
             "out, maxima and exact sums are merged on the way back: an edge carries N H (m numbers, m+1 "
             "sums) a layer.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .right = right,
    .cells = cells,
    .n_cells = COUNT(cells),
};
