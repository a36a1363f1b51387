/* congest.c: a transformer on a network: every node holds one row, nodes talk over the edges of a tree, `bandwidth` bits a round,
 * edge and direction.
 *
 * For every attention block k and query position t, the tree is seen from the node r that holds t:
 *
 *     query  travels from r to every node below which keys are seen
 *     peak   the largest score of a subtree travels towards r, each node joining its own
 *     top    the largest of all travels from r outwards
 *     sums   the exact sums of a subtree travel towards r, each node adding its own
 *
 * So an edge carries one query, two maxima and one bundle of sums for each query, whatever the number of nodes behind it: that
 * is "each query's sums aggregated per party". Attention that needs no maximum (linear) goes without peak and top. Blocks are not
 * in lockstep: a node goes on as soon as its own rows are done, and keeps the keys of earlier blocks.
 *
 * Messages on an edge wait in a queue; a message has arrived when its last bit has. No header says what a message is about: messages are
 * as long for every input, so the order of arrivals is too, and everyone knows it.
 *
 * Letters: n nodes, u v nodes, r the node of a query, k attention block, t position. */
#include "protocol_internal.h"

#include <assert.h>
#include <string.h>

typedef enum { SAY_QUERY, SAY_PEAK, SAY_TOP, SAY_SUMS } saying;

typedef struct parcel {
    at_bits bits;
    saying what; /* these, and the edge, are known to both ends */
    int k, t, edge;
    struct parcel *next;
} parcel;

typedef struct {
    parcel *first, *last;
    size_t done; /* bits of the first that have passed */
    uint64_t passed;
    uint8_t
        *sees; /* (layers, T, groups): keys beyond this edge, by query position; groups padded to the most */
    int to;
} edge; /* directed; 2i: node i to its parent, 2i+1: back */

typedef struct {
    query ask;
    bool heard, peaked;  /* the query is here; own maxima have joined */
    bool topped, summed; /* the largest of all is here; own sums have joined */
    int peaks, sums;     /* subtrees still awaited */
} task;                  /* a query at a node */

typedef struct {
    party *at;  /* (layers) its rows before each attention block */
    int ready;  /* attention blocks whose keys are there */
    int open;   /* own queries of the present block that are not answered */
    task *task; /* (layers, T) */
} node;

typedef struct {
    const at_model *m;
    at_stage *stage;
    at_arena *arena;
    int n, T, K; /* K attention blocks */
    int groups;  /* the most of a block */
    layer *layers;
    const at_congest_plan *plan;
    int *owner;  /* (T) */
    int *toward; /* (n, n): the edge from u on the way to v; -1 for itself */
    edge *edges; /* (2n) */
    node *nodes;
    int finished; /* nodes that have read their rows */
    at_talk *t;
    at_err *err;
} net;

static int bits_for(int most)
{
    int n = 0;
    while (most >> n)
        n++;
    return n;
}

static int edge_from(const net *g, int e)
{
    return e % 2 ? g->plan->parent[e / 2] : e / 2;
}

static const uint8_t *edge_sees(const net *g, int e, int k, int t)
{
    return g->edges[e].sees + ((size_t)k * (size_t)g->T + (size_t)t) * (size_t)g->groups;
}

static bool edge_used(const net *g, int e, int k, int t)
{
    for (int i = 0; i < g->layers[k].n_groups; i++)
        if (edge_sees(g, e, k, t)[i])
            return true;
    return false;
}

static task *task_of(const net *g, int u, int k, int t)
{
    return &g->nodes[u].task[(size_t)k * (size_t)g->T + (size_t)t];
}

/* ---- sending ----------------------------------------------------------------------------------------------- */

static at_status send(net *g, int e, saying what, int k, int t)
{
    const layer *l = &g->layers[k];
    query *a = &task_of(g, edge_from(g, e), k, t)->ask;
    parcel *p = at_new(g->arena, parcel, 1);
    message m = {.layer = k, .from = edge_from(g, e), .to = g->edges[e].to};
    if (!p)
        return at_oom(g->err);
    at_bits *b = &p->bits;
    p->what = what;
    p->k = k;
    p->t = t;
    p->edge = e;
    if (what == SAY_QUERY) {
        query_write_q(l, a, b);
        m.query = b->n;
        m.budget = (uint64_t)l->Q * (uint64_t)l->code.number;
    } else if (what == SAY_SUMS) {
        /* sums of what lies behind the sender: what the receiver sees through the way back */
        int longest = query_write_sums(l, a, edge_sees(g, e ^ 1, k, t), g->T, g->plan->rounded, b);
        g->t->longest_sum = longest > g->t->longest_sum ? longest : g->t->longest_sum;
        m.sum = b->n;
        m.budget = layer_sum_budget(l, g->T, g->plan->sum_budget ? g->plan->sum_budget : l->code.A);
    } else {
        query_write_peaks(l, a, edge_sees(g, what == SAY_TOP ? e : e ^ 1, k, t), b);
        m.peak = b->n;
        m.budget = layer_peak_budget(l);
    }
    edge *way = &g->edges[e];
    *(way->last ? &way->last->next : &way->first) = p;
    way->last = p;
    return talk_count(g->t, &m, b, g->err);
}

/* ---- what a node does ---------------------------------------------------------------------------------------- */

static at_status node_begin(net *g, int u);

/* To all neighbours but the one on the way to r. */
static at_status spread(net *g, int u, saying what, int k, int t)
{
    int back = g->toward[u * g->n + g->owner[t]];
    at_status s = AT_OK;
    for (int e = 0; e < 2 * g->n && !s; e++)
        if (g->edges[e].to >= 0 && edge_from(g, e) == u && e != back && edge_used(g, e, k, t))
            s = send(g, e, what, k, t);
    return s;
}

/* An own query is answered. */
static at_status node_answered(net *g, int u, int k, int t)
{
    node *v = &g->nodes[u];
    party *p = &v->at[k];
    int row = 0;
    while (p->pos[row] != t)
        row++;
    party_finish(p, &g->layers[k], row, &task_of(g, u, k, t)->ask);
    if (--v->open)
        return AT_OK;
    at_status s = party_close(p, &g->layers[k], g->err);
    return s ? s : node_begin(g, u);
}

/* Whatever can be done about (k, t) at u is done. */
static at_status node_advance(net *g, int u, int k, int t)
{
    const layer *l = &g->layers[k];
    task *w = task_of(g, u, k, t);
    bool root = g->owner[t] == u;
    int back = g->toward[u * g->n + g->owner[t]];
    at_status s = AT_OK;
    if (!w->heard || g->nodes[u].ready <= k || w->summed)
        return AT_OK;
    party *p = &g->nodes[u].at[k];
    if (!w->peaked) {
        party_peaks(p, l, &w->ask);
        w->peaked = true;
        if (!layer_peak_budget(l))
            w->topped = true;
    }
    if (!w->topped && w->peaks == 0) {
        if (!root) {
            w->peaks = -1; /* sent */
            return send(g, back, SAY_PEAK, k, t);
        }
        w->topped = true;
        s = spread(g, u, SAY_TOP, k, t);
    }
    if (s || !w->topped || w->sums)
        return s;
    party_sums(p, l, &w->ask);
    w->summed = true;
    return root ? node_answered(g, u, k, t) : send(g, back, SAY_SUMS, k, t);
}

/* u's rows have come to an attention block, or to the end. */
static at_status node_begin(net *g, int u)
{
    node *v = &g->nodes[u];
    int k = v->ready;
    party *p = &v->at[k ? k - 1 : 0];
    at_status s = AT_OK;
    for (int b = k ? g->layers[k - 1].block + 1 : 0; b < g->m->n_blocks && !s; b++) {
        if (k < g->K && b == g->layers[k].block)
            break;
        s = party_mlp(p, b, g->err);
    }
    if (s)
        return s;
    if (k == g->K) {
        const at_model *m = g->m;
        int first = m->readout.last ? g->T - 1 : m->n_prefix;
        for (int i = 0; i < p->n && !s; i++)
            if (p->pos[i] >= first && p->pos[i] - first < g->t->n)
                s = at_stage_readout(g->stage, p->x + (size_t)i * (size_t)m->width, 1,
                                     g->t->value + (size_t)(p->pos[i] - first) * (size_t)g->t->rows, g->err);
        g->finished++;
        return s;
    }
    if (k) {
        party *next = &v->at[k];
        next->n = p->n;
        memcpy(next->pos, p->pos, (size_t)p->n * sizeof *p->pos);
        memcpy(next->x, p->x, (size_t)p->n * (size_t)g->m->width * sizeof *p->x);
        if (p->before)
            memcpy(next->before, p->before, (size_t)p->n * (size_t)g->m->width * sizeof *p->before);
        p = next;
    }
    party_project(p, &g->layers[k]);
    v->ready = k + 1;
    v->open = p->n;
    for (int i = 0; i < p->n && !s; i++) { /* its own queries go out */
        task *w = task_of(g, u, k, p->pos[i]);
        memcpy(w->ask.q, p->q + (size_t)i * (size_t)g->layers[k].Q,
               (size_t)g->layers[k].Q * sizeof *w->ask.q);
        w->heard = true;
        s = spread(g, u, SAY_QUERY, k, p->pos[i]);
    }
    for (int t = 0; t < g->T && !s; t++) /* and what others have asked already can be answered */
        s = node_advance(g, u, k, t);
    return s;
}

static at_status node_hear(net *g, const parcel *p)
{
    int e = p->edge, u = g->edges[e].to, k = p->k, t = p->t;
    at_bits_reader r = {.from = &p->bits};
    const layer *l = &g->layers[k];
    task *w = task_of(g, u, k, t);
    at_status s = AT_OK;
    switch (p->what) {
    case SAY_QUERY:
        query_read_q(l, &w->ask, &r);
        w->heard = true;
        s = spread(g, u, SAY_QUERY, k, t);
        break;
    case SAY_PEAK:
        query_read_peaks(l, &w->ask, edge_sees(g, e ^ 1, k, t), &r);
        w->peaks--;
        break;
    case SAY_TOP:
        query_read_peaks(l, &w->ask, edge_sees(g, e, k, t), &r);
        w->topped = true;
        s = spread(g, u, SAY_TOP, k, t);
        break;
    case SAY_SUMS:
    default:
        query_read_sums(l, &w->ask, edge_sees(g, e ^ 1, k, t), g->T, &r);
        w->sums--;
    }
    talk_read_all(&r);
    return s ? s : node_advance(g, u, k, t);
}

/* ---- rounds ---------------------------------------------------------------------------------------------------- */

/* One round: every edge passes its bits; then what has arrived is read. */
static at_status round_run(net *g, int bandwidth, bool *moved)
{
    parcel *arrived = NULL, **end = &arrived;
    *moved = false;
    for (int e = 0; e < 2 * g->n; e++) {
        edge *way = &g->edges[e];
        size_t room = (size_t)bandwidth;
        while (way->first && room) {
            size_t left = way->first->bits.n - way->done, pass = left < room ? left : room;
            way->done += pass;
            way->passed += pass;
            room -= pass;
            *moved = true;
            if (pass < left)
                break;
            parcel *p = way->first;
            way->first = p->next;
            way->last = way->first ? way->last : NULL;
            way->done = 0;
            p->next = NULL;
            *end = p;
            end = &p->next;
        }
    }
    at_status s = AT_OK;
    for (parcel *p = arrived; p; p = p->next) {
        if (!s)
            s = node_hear(g, p);
        at_bits_release(&p->bits);
    }
    return s;
}

/* ---- preparation -------------------------------------------------------------------------------------------------- */

/* Nodes of the subtree below i, i included: 1. */
static void subtree(const net *g, int i, uint8_t *in)
{
    memset(in, 0, (size_t)g->n);
    in[i] = 1;
    for (int v = i + 1; v < g->n; v++)
        in[v] = g->plan->parent[v] >= 0 && in[g->plan->parent[v]];
}

static at_status ways_make(net *g)
{
    uint8_t *in = at_new(g->arena, uint8_t, g->n);
    size_t room = (size_t)g->K * (size_t)g->T * (size_t)g->groups;
    g->edges = at_new(g->arena, edge, 2 * g->n);
    g->toward = at_new(g->arena, int, (size_t)g->n *(size_t)g->n);
    if (!in || !g->edges || !g->toward)
        return at_oom(g->err);
    for (int u = 0; u < g->n; u++) {
        g->edges[2 * u].to = g->plan->parent[u];
        g->edges[2 * u + 1].to = u ? u : -1;
        for (int v = 0; v < g->n; v++)
            g->toward[u * g->n + v] = u == v ? -1 : 2 * u; /* up, unless v is below */
    }
    for (int i = 1; i < g->n; i++) {
        int up = g->plan->parent[i];
        subtree(g, i, in);
        for (int v = 0; v < g->n; v++)
            if (in[v])
                g->toward[up * g->n + v] = 2 * i + 1;
        for (int way = 0; way < 2; way++) {
            edge *e = &g->edges[2 * i + way];
            if (!(e->sees = at_new(g->arena, uint8_t, room)))
                return at_oom(g->err);
            for (int k = 0; k < g->K; k++)
                for (int t = 0; t < g->T; t++)
                    for (int j = 0; j < g->T; j++)
                        for (int a = 0; a < g->layers[k].n_groups && in[g->owner[j]] == way; a++)
                            e->sees[((size_t)k * (size_t)g->T + (size_t)t) * (size_t)g->groups + (size_t)a] |=
                                at_mask_allows(&g->layers[k].group[a].mask, t, j);
        }
    }
    return AT_OK;
}

static at_status nodes_make(net *g)
{
    at_status s = AT_OK;
    g->nodes = at_new(g->arena, node, g->n);
    if (!g->nodes)
        return at_oom(g->err);
    for (int u = 0; u < g->n && !s; u++) {
        node *v = &g->nodes[u];
        int rows = 0;
        for (int t = 0; t < g->T; t++)
            rows += g->owner[t] == u;
        v->at = at_new(g->arena, party, g->K ? g->K : 1);
        v->task = at_new(g->arena, task, (size_t)g->K * (size_t)g->T + 1);
        if (!v->at || !v->task)
            return at_oom(g->err);
        for (int k = 0; (k < g->K || k == 0) && !s; k++)
            s = party_make(g->stage, g->layers, g->K, g->T, rows, g->arena, &v->at[k], g->err);
        for (int k = 0; k < g->K && !s; k++)
            for (int t = 0; t < g->T && !s; t++) {
                task *w = task_of(g, u, k, t);
                int back = g->toward[u * g->n + g->owner[t]];
                s = query_make(&g->layers[k], g->arena, &w->ask, g->err);
                if (s)
                    break;
                query_open(&g->layers[k], &w->ask, t);
                for (int e = 0; e < 2 * g->n; e++)
                    if (g->edges[e].to >= 0 && edge_from(g, e) == u && e != back && edge_used(g, e, k, t))
                        w->peaks++, w->sums++;
            }
    }
    return s;
}

static at_status net_make(net *g, at_arith a)
{
    at_status s = AT_OK;
    int k = 0;
    for (int b = 0; b < g->m->n_blocks; b++)
        g->K += g->m->blocks[b].kind == AT_BLOCK_ATTN;
    g->owner = at_new(g->arena, int, g->T);
    g->layers = at_new(g->arena, layer, g->K + 1);
    if (!g->owner || !g->layers)
        return at_oom(g->err);
    for (int b = 0; b < g->m->n_blocks && !s; b++)
        if (g->m->blocks[b].kind == AT_BLOCK_ATTN) {
            s = layer_make(g->m, b, a, g->T, g->arena, &g->layers[k], g->err);
            g->groups = g->layers[k].n_groups > g->groups ? g->layers[k].n_groups : g->groups;
            k++;
        }
    for (int t = 0; t < g->T; t++) {
        int u = t - g->m->n_prefix;
        g->owner[t] = u < 0 ? 0 : u >= g->n ? g->n - 1 : u;
    }
    if (!s)
        s = ways_make(g);
    return s ? s : nodes_make(g);
}

static at_status tree_check(const at_congest_plan *plan, int n, at_err *err)
{
    for (int i = 0; i < n; i++)
        if (i ? plan->parent[i] < 0 || plan->parent[i] >= i : plan->parent[0] != -1)
            return at_fail(err, AT_EDOMAIN, "node %d has parent %d; a tree has -1 for node 0, else 0..%d", i,
                           plan->parent[i], i - 1);
    if (plan->bandwidth < 0)
        return at_fail(err, AT_EDOMAIN, "bandwidth %d; allowed: 0 or more bits", plan->bandwidth);
    return AT_OK;
}

/* Rounds until every node has read its rows. Parcels still on the way when something fails are given back. */
static at_status net_run(net *g, const at_input *x)
{
    int width = at_model_row_width(g->m), bandwidth = g->plan->bandwidth   ? g->plan->bandwidth
                                                      : bits_for(g->n - 1) ? bits_for(g->n - 1)
                                                                           : 1;
    at_status s = AT_OK;
    for (int t = 0; t < g->T; t++) { /* the only place where rows are dealt out */
        int u = t - g->m->n_prefix;
        party_take(&g->nodes[g->owner[t]].at[0], t,
                   u >= 0 && u < g->n ? x->v + (size_t)u * (size_t)width : NULL);
    }
    for (int u = 0; u < g->n && !s; u++)
        s = node_begin(g, u);
    for (bool moved = true; moved && !s; g->t->rounds += moved)
        s = at_cancel_pending() ? at_fail(g->err, AT_ECANCEL, "interrupted")
                                : round_run(g, bandwidth, &moved);
    assert(s || g->finished == g->n);
    for (int e = 0; e < 2 * g->n; e++)
        for (parcel *p = g->edges[e].first; p; p = p->next)
            at_bits_release(&p->bits);
    for (int i = 1; i < g->n; i++) {
        uint64_t both = g->edges[2 * i].passed + g->edges[2 * i + 1].passed;
        g->t->edge_bits = both > g->t->edge_bits ? both : g->t->edge_bits;
        if (g->plan->side[i] != g->plan->side[g->plan->parent[i]])
            g->t->cut_bits += both;
    }
    return s;
}

at_status at_congest_run(const at_model *m, at_arith a, const at_input *x, const at_congest_plan *plan,
                         at_arena *arena, at_talk *out, at_err *err)
{
    at_status s = at_input_check(m, x, err);
    if (!s)
        s = tree_check(plan, x->n, err);
    if (s)
        return s;
    at_talk t = {.n = m->readout.last ? 1 : x->n, .rows = m->readout.rows};
    s = talk_open(&t, x->n, arena, err);
    if (!s && !(t.value = at_new(arena, double, (size_t)t.n *(size_t)t.rows)))
        s = at_oom(err);
    if (s)
        return s;
    at_mark mark = at_arena_mark(arena);
    net g = {.m = m,
             .arena = arena,
             .n = x->n,
             .T = m->n_prefix + x->n + m->n_suffix,
             .plan = plan,
             .t = &t,
             .err = err};
    s = at_stage_new(m, a, &g.stage, err);
    if (!s)
        s = net_make(&g, a);
    if (!s)
        s = net_run(&g, x);
    for (int k = 0; k < g.K && !s; k++) {
        t.A = g.layers[k].code.A > t.A ? g.layers[k].code.A : t.A;
        t.number = g.layers[k].code.number;
    }
    t.epochs = g.K;
    at_stage_free(g.stage);
    at_arena_reset(arena, mark);
    if (!s)
        *out = t;
    return s;
}
