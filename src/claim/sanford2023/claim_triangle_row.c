/* CLAIM triangle-row: a transformer that finds directed triangles tells of one node's whole row, N-2 bits; one layer of 3N/2+1 numbers does.
 *
 * Source: none; the question of Sanford, Hsu, Telgarsky 2023 (TriIDGraph), with a cut around one node.
 * Statement: no D layers of attention to single keys (not three-wise) with H heads and numbers of b bits find the nodes in directed
 * triangles of every graph on N nodes when H(m+1)b < N-2 (D = 1, values of width m, keys of any) or H(4D-2)m b < N-2 (all of width
 * m). One layer whose heads have N + ceil(N/4) values and 1 + ceil(N/4) scores is right with numbers of 5 bits, for N < 192.
 *
 * Proof, as it is run here:
 *   1. Gadget: u -> v always, v -> w_k iff b_k, w_k -> u iff a_k: u lies in a triangle iff a and b meet. All of b is in row v.
 *   2. One layer: Bob holds row v, Alice all others, and everyone knows row u. He sends the score that u gives to it and its value, m + 1
 *      numbers a head, and she finishes; what she has is the model's readout, bit for bit (send=sums: as exact sums, at_shared_run).
 *   3. Refuted: models of few bits get two graphs that differ in row v and agree in what u makes of it.
 *
 * The construction (part=right), numbers of 2 bits of mantissa and 3 of exponent, means rounded once (q2e3):
 *   4. Head "reach": the query of i is its row, the key of j is e_j, the value row j, an edge as 12: number k of the mean is at least
 *      12/N > 1/16 if a path of two edges leads from i to k, so it rounds to 1/8 at least; else it is 0. Scores are 12 times 1 for an edge, 1/2 for
 *      the hidden position, 0 for others: all weights but the largest ones are below 1/16, so they are 0.
 *   5. Heads "back": the query e_i, the key of j is row j, less 1 in every score if j is not of the head's group of 4 nodes: 12 for the
 *      nodes of the group that an edge leads back from, 6 for the hidden position, at most 0 for others. Values are -8, -1/2,
 *      3/2 and 6, of the hidden position 0: the mean of any of the 16 sets of them, rounded, is another number (group_make
 *      computes them).
 *   6. An MLP reads "no edge leads there" and "z >= t" as 1/8 or 0, in two levels, adds those up to "k is back" and asks for a k that
 *      is reached and back.
 * pack=1 is the same in any arithmetic with exponents enough: scores are 200 times as large, an edge is 32, and one head "back" has N
 * values, e_k for node k. */
#include "../shared/claim_limit.h"
#include "../shared/claim_simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../shared/hard_refute.h"

static const char *const parts[] = {"gadget", "protocol", "refute", "binds", "right", NULL};
enum { GADGET, PROTOCOL, REFUTE, BINDS, RIGHT };
static const char *const sent[] = {"numbers", "sums", "nothing", NULL};
enum { NUMBERS, SUMS, NOTHING };
enum { MOST = 8, NODES = MOST + 2, WIDEST = 191, GROUP = 4, SETS = 1 << GROUP };
static const at_param params[] = {
    {"part", "what is tried", 0, COUNT(parts) - 2, PROTOCOL, true, parts},
    {"N", "nodes", 1, 1 << 20, 6, true},
    {"turn", "edges w_k -> u iff a_{k+turn}", 0, 1, 0, true},
    CLAIM_PARAM_SOURCE,
    CLAIM_PARAM_MERGE,
    {"send", "protocol: what Bob sends about his row", 0, COUNT(sent) - 2, NUMBERS, true, sent},
    {"D", "binds: layers", 1, 1 << 20, 1, true},
    {"H", "heads", 1, 64, 1, true},
    {"m", "head width", 1, 1 << 20, 2, true},
    {"p", "binds: bits of a mantissa", 1, 64, 24, true},
    {"e", "binds: bits of an exponent", 3, 12, 8, true},
    {"sums", "binds: how messages are counted", 0, 1, 1, true, (const char *const[]){"ideal", "exact", NULL}},
    {"pack", "right: nodes a number that says which edges lead back", 1, GROUP, GROUP, true},
    {"c", "right: factor on the scale", 0.001, 16, 1, false},
};

/* ---- steps 1 to 3 ------------------------------------------------------------------------------------------------ */

typedef struct {
    int N, turn;
} gadget;

static bool meets(const gadget *g, uint64_t i)
{
    return (i & i >> (g->N - 2) & (((uint64_t)1 << (g->N - 2)) - 1)) != 0;
}

/* Pair number i: a in the lower N-2 bits, b in the upper. u is the first node, v the second. */
static void gadget_input(const void *ctx, uint64_t i, double *x)
{
    const gadget *g = ctx;
    int N = g->N, n = N - 2;
    memset(x, 0, (size_t)(N * N) * sizeof *x);
    x[1] = 1;
    for (int k = 0; k < n; k++) {
        x[N + 2 + k] = claim_bit(i, n + k);
        x[(2 + k) * N] = claim_bit(i, (k + g->turn) % n);
    }
}

static at_status task_params(int N, at_params *tp, at_err *err)
{
    at_params_init(tp, at_task_find("triangle")->params, at_task_find("triangle")->n_params);
    return at_params_set(tp, "N", N, err);
}

static at_status gadget_trial(const gadget *g, at_arena *a, at_verdict *out, at_err *err)
{
    uint64_t pairs = (uint64_t)1 << 2 * (g->N - 2), wrong = 0;
    double x[NODES * NODES], y[NODES];
    at_params tp;
    at_status s = task_params(g->N, &tp, err);
    for (uint64_t i = 0; i < pairs && !s; i++) {
        gadget_input(g, i, x);
        at_task_find("triangle")->answer(&tp, x, y);
        wrong += (y[0] != 0) != meets(g, i);
    }
    return s ? s
             : claim_count_verdict(AT_EV_EXACT, pairs, !wrong, a, out, err,
                                   wrong ? "N=%d: %ju of %ju pairs answered wrongly"
                                         : "N=%d: %ju wrong: u lies in a triangle iff a and b meet, for all "
                                           "%ju pairs",
                                   g->N, (uintmax_t)wrong, (uintmax_t)pairs);
}

static at_status right(const at_params *p, at_model *m, at_err *err);

static at_status make(const at_params *p, uint64_t i, uint64_t seed, at_model *m, at_err *err)
{
    int N = at_params_int(p, "N"), H = at_params_int(p, "H"), d = at_params_int(p, "m");
    if (at_params_int(p, "model") == CLAIM_COMPILED)
        return right(p, m, err);
    hard_arch h = {.integers = N,
                   .answers = 2,
                   .length = N,
                   .width = H * d,
                   .layers = 1,
                   .heads = H,
                   .dim = d,
                   .hidden = 2 * H * d};
    return hard_layers_draw(&h, seed * 1000003 + i, m, err);
}

static at_status protocol_trial(const at_params *p, const gadget *g, const at_cell *cell, uint64_t limit,
                                uint64_t seed, const at_check_env *env, at_arena *a, at_verdict *out,
                                at_err *err)
{
    int owner[NODES] = {0, 1}, n = g->N - 2;
    at_shared_plan plan = {
        .parties = 2, .owner = owner, .query = 0, .known = true, .rounded = at_params_int(p, "merge")};
    int send = at_params_int(p, "send");
    claim_sim sim = {.n = g->N,
                     .count = (uint64_t)1 << 2 * n,
                     .input = gadget_input,
                     .ctx = g,
                     .shared = send == SUMS ? &plan : NULL,
                     .told = true,
                     .teller = 1,
                     .query_only = send == NOTHING};
    claim_tally t = {0};
    at_status s = at_arith_parse(at_cell_arith(cell), &sim.arith, err);
    if (!s)
        s = claim_simulate_each(&sim, make, p, limit, seed, env, &t, err);
    if (s)
        return s;
    char more[160];
    snprintf(more, sizeof more, "all of it is about one row, numbers of %d bits; DISJ_%d takes %d bits",
             t.number, n, n);
    return claim_tally_verdict(&t, more, a, out, err);
}

/* ---- steps 4 to 6 ------------------------------------------------------------------------------------------------ */

/* The 16 sets of a group, in the order of what is seen of them: what is seen, and the set. */
typedef struct {
    double seen[SETS];
    int set[SETS];
} group_sets;

static const double values[GROUP] = {-8, -0.5, 1.5, 6};

static at_status group_make(group_sets *g, at_err *err)
{
    at_arith a;
    at_status s = at_arith_parse("p2e3", &a, err);
    at_pfmt f = at_pfmt_of(a);
    for (int set = 0, n = 0; set < SETS && !s; set++, n++) {
        double sum = 0, seen;
        for (int k = 0; k < GROUP; k++)
            sum += set >> k & 1 ? values[k] : 0;
        seen = set ? at_p_round(&f, sum / __builtin_popcount((unsigned)set)) : 0;
        int at = n;
        for (; at > 0 && g->seen[at - 1] > seen; at--) {
            g->seen[at] = g->seen[at - 1];
            g->set[at] = g->set[at - 1];
        }
        g->seen[at] = seen;
        g->set[at] = set;
    }
    return s;
}

typedef struct {
    int N, pack;
    double scale, edge; /* edge: what a value says of one */
    at_var edges, here, blank;
    group_sets sets;
} maker;

/* Step 4. Returns the first of N numbers. */
static at_var reached(at_program *P, const maker *k)
{
    at_var query[WIDEST + 1], key[WIDEST + 1], value[WIDEST];
    for (int j = 0; j < k->N; j++) {
        query[j] = k->edges + j;
        key[j] = k->here + j;
        value[j] = at_scaled(P, k->edge, k->edges + j);
    }
    query[k->N] = at_const(P, 1);
    key[k->N] = at_scaled(P, 0.5, k->blank);
    return at_attend(P, "reach",
                     &(at_attention){.query = {k->N + 1, query},
                                     .key = {k->N + 1, key},
                                     .value = {k->N, value},
                                     .weighting = AT_SOFTMAX,
                                     .gap = 0.5,
                                     .scale = k->scale,
                                     .error = 1});
}

/* Step 5, of nodes first..first+count-1: one number (packed), or one a node. */
static at_var back(at_program *P, const maker *k, int first, int count)
{
    at_var query[WIDEST + 1], key[WIDEST + 1], value[WIDEST], in[WIDEST + 1];
    double one[WIDEST + 1];
    for (int j = 0; j < k->N; j++) {
        query[j] = k->here + j;
        key[j] = k->edges + j;
    }
    for (int j = 0; j < count; j++) {
        in[j] = k->here + first + j;
        one[j] = 1;
        value[j] = at_scaled(P, k->edge, in[j]);
    }
    in[count] = k->blank;
    one[count] = 1.5;
    query[k->N] = at_const(P, 1);
    key[k->N] = at_sum(P, NULL, (at_vec){count + 1, in}, one, -1);
    if (k->pack > 1)
        value[0] = at_sum(P, NULL, (at_vec){count, in}, values, 0);
    char name[32];
    snprintf(name, sizeof name, "back%d", first + 1);
    return at_attend(P, name,
                     &(at_attention){.query = {k->N + 1, query},
                                     .key = {k->N + 1, key},
                                     .value = {k->pack > 1 ? 1 : count, value},
                                     .weighting = AT_SOFTMAX,
                                     .gap = 0.5,
                                     .scale = k->scale,
                                     .error = 1});
}

/* Step 6: 1/8 if x >= t, 0 if x <= t - 1/8, and it is one of them. */
static at_var from(at_program *P, at_var x, double t)
{
    at_var below = at_relu(P, NULL, at_sum(P, NULL, AT_VEC(x), (double[]){-1}, t));
    return at_relu(P, NULL, at_sum(P, NULL, AT_VEC(below), (double[]){-1}, 0.125));
}

/* Of the nodes of a group: is there an edge back, and is it reached? none (N): 1/8 where it is not. Steps are added up in their order, so
 * that no sum on the way is larger than 1: two bits hold these. */
static void group_read(at_program *P, const maker *k, int first, int count, at_var z, const at_var *none,
                       at_var *found)
{
    at_var term[SETS + 1], step[SETS];
    double coef[SETS + 1];
    char name[32];
    for (int s = 1; s < SETS && k->pack > 1; s++)
        step[s] = from(P, z, k->sets.seen[s]);
    for (int j = 0; j < count; j++) {
        int n = 0;
        double start = 0;
        if (k->pack > 1) {
            start = k->sets.set[0] >> j & 1;
            for (int s = 1; s < SETS; s++) {
                int change = (k->sets.set[s] >> j & 1) - (k->sets.set[s - 1] >> j & 1);
                if (change) {
                    term[n] = step[s];
                    coef[n++] = 8 * change;
                }
            }
        } else {
            term[n] = from(P, z + j, 0.125);
            coef[n++] = 8;
        }
        term[n] = none[first + j];
        coef[n++] = -8;
        snprintf(name, sizeof name, "through%d", first + j + 1);
        found[first + j] = at_relu(P, name, at_sum(P, NULL, (at_vec){n, term}, coef, start));
    }
}

static at_status right(const at_params *p, at_model *m, at_err *err)
{
    maker k = {.N = at_params_int(p, "N"), .pack = at_params_int(p, "pack")};
    k.scale = (k.pack > 1 ? 12 : 200) * at_params_get(p, "c");
    k.edge = k.pack > 1 ? 12 : 32;
    if (k.N > WIDEST)
        return at_fail(err, AT_EDOMAIN, "N=%d: at most %d where a model is made", k.N, WIDEST);
    if (k.pack != 1 && k.pack != GROUP)
        return at_fail(err, AT_EDOMAIN, "pack=%d: must be 1 or %d", k.pack, GROUP);
    at_status s = group_make(&k.sets, err);
    double *rows = s ? NULL : at_calloc((size_t)(k.N + 1) * (size_t)k.N, sizeof *rows);
    at_program *P = rows ? at_program_new("triangle-row", k.N) : NULL;
    if (!P) {
        at_free(rows);
        return s ? s : at_oom(err);
    }
    for (int j = 0; j < k.N; j++)
        rows[j * k.N + j] = 1;
    at_program_lengths(P, k.N);
    at_suffix(P, 1);
    k.edges = at_ints(P, "edge", k.N, 0, 1);
    k.here = at_position_rows(P, "here", k.N, rows);
    k.blank = at_mark_suffix(P, "blank", 0);
    at_free(rows);
    at_var none[WIDEST], found[WIDEST], reach = reached(P, &k);
    int group = k.pack > 1 ? GROUP : k.N;
    for (int j = 0; j < k.N; j++)
        none[j] = at_relu(P, NULL, at_sum(P, NULL, AT_VEC(reach + j), (double[]){-1}, 0.125));
    for (int first = 0; first < k.N && reach >= 0; first += group) {
        int count = k.N - first < group ? k.N - first : group;
        group_read(P, &k, first, count, back(P, &k, first, count), none, found);
    }
    at_emit(P, AT_VEC(at_sum(P, "y", (at_vec){k.N, found}, NULL, 0)), AT_READ_THRESHOLD, 0.5);
    s = at_assemble(P, m, NULL, err);
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
    out->note = at_arena_printf(a, "%d numbers about a row %s on %ju inputs", size.offered,
                                out->holds == AT_TRUE ? "right" : "wrong", (uintmax_t)out->inputs);
    return out->note ? AT_OK : at_oom(err);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    gadget g = {at_params_int(p, "N"), at_params_int(p, "turn")};
    int part = at_params_int(p, "part");
    if (part == BINDS)
        return limit_trial("triangle-row", p, cell, a, out, err);
    if (part == RIGHT)
        return right_trial(p, cell, limit, seed, env, a, out, err);
    if (g.N < 3)
        return at_fail(err, AT_EDOMAIN, "N=%d: at least 3, nodes u, v and w_1", g.N);
    if (part != GADGET && at_params_int(p, "model") == CLAIM_TRAINED)
        return at_fail(err, AT_EDOMAIN, "model=trained: models are random or compiled here");
    if (part == REFUTE && g.N <= WIDEST) {
        hard_layer h = {.weights = at_params_int(p, "model"),
                        .heads = at_params_int(p, "H"),
                        .dim = at_params_int(p, "m"),
                        .cell = cell,
                        .limit = limit,
                        .seed = seed,
                        .env = env};
        return hard_refute_triangle(&h, g.N, a, out, err);
    }
    if (part == REFUTE || g.N > NODES)
        return at_fail(err, AT_EDOMAIN, "N=%d: at most %d where %s", g.N, part == REFUTE ? WIDEST : NODES,
                       part == REFUTE ? "models are refuted" : "all pairs are asked");
    return part == GADGET ? gadget_trial(&g, a, out, err)
                          : protocol_trial(p, &g, cell, limit, seed, env, a, out, err);
}

static const at_cell cells[] = {
    {"part=gadget N=3..8", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=gadget N=5", "turn=1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=6", NULL, AT_EV_SIMULATED, 0, "p8e5", 40, AT_TIER_QUICK, NULL},
    {"N=5 H=2 m=3", NULL, AT_EV_SIMULATED, 0, "p4e5", 40, AT_TIER_QUICK, NULL},
    {"N=5 model=compiled pack=1", NULL, AT_EV_SIMULATED, 0, "p24e8", 1, AT_TIER_QUICK, NULL},
    {"N=6 send=sums", NULL, AT_EV_SIMULATED, 0, "p8e5", 40, AT_TIER_QUICK, NULL},
    {"N=5 model=compiled pack=1 send=sums", NULL, AT_EV_SIMULATED, 0, "p24e8", 1, AT_TIER_QUICK, NULL},
    {"N=6", "send=nothing", AT_EV_SIMULATED, 0, "p8e5", 10, AT_TIER_QUICK, NULL},
    {"N=6 send=sums", "merge=rounded", AT_EV_SIMULATED, 0, "p8e5", 10, AT_TIER_QUICK, NULL},
    {"part=refute N=13 m=1", NULL, AT_EV_REFUTED, 0, "p2e3", 40, AT_TIER_QUICK, NULL}, /* 10 < 11 */
    {"part=refute N=13 H=2 m=2", NULL, AT_EV_REFUTED, 0, "p4", 20, AT_TIER_QUICK, NULL},
    {"part=refute N=5", "model=compiled", AT_EV_REFUTED, 0, "p24", 10, AT_TIER_QUICK, NULL},
    {"part=binds N=4096 H=1 m=126", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=binds N=4096 D=2 H=1 m=21", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=binds N=4096 H=1 m=126", "m=127", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=right N=1..4", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "q2e3", 0, AT_TIER_QUICK, NULL},
    {"part=right N=5", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "q2e3", 0, AT_TIER_FULL, NULL},
    {"part=right N=24", NULL, AT_EV_SAMPLED, 0, "q2e3", 400, AT_TIER_QUICK, NULL},
    {"part=right N=188", NULL, AT_EV_SAMPLED, 0, "q2e3", 200, AT_TIER_QUICK, "part=right N=50"},
    {"part=right N=3 pack=1", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p24e8", 0, AT_TIER_QUICK, NULL},
    {"part=right N=4", "arith=q3e3", AT_EV_EXACT, AT_ENUM_SEQUENCES, "q2e3", 0, AT_TIER_QUICK, NULL},
    {"part=right N=4", "arith=p2e3", AT_EV_EXACT, AT_ENUM_SEQUENCES, "q2e3", 0, AT_TIER_QUICK, NULL},
    {"part=right N=3", "c=0.05", AT_EV_EXACT, AT_ENUM_SEQUENCES, "q2e3", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_triangle_row = {
    .id = "triangle-row",
    .title = "A transformer that finds directed triangles tells of the row of one node",
    .source = "none; TriIDGraph of Sanford, Hsu, Telgarsky 2023",
    .statement = "No D layers of H heads, each looking at single keys, with numbers of b bits, find the "
                 "nodes in directed triangles of every "
                 "graph on N nodes when H(m+1)b < N-2 (D = 1, m the width of values) or H(4D-2)m b < N-2. "
                 "One layer with 3N/2+1 "
                 "numbers of 5 bits does, N < 192.",
    .proof = "u -> v, v -> w_k by b_k, w_k -> u by a_k: u lies in a triangle iff a and b meet, and all of b "
             "is in row v: what it "
             "says of itself, a score and a value a head, decides them. Built: one head finds what two edges "
             "reach, others "
             "what leads back, four nodes a number.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .right = right,
    .cells = cells,
    .n_cells = COUNT(cells),
};
