/* refute_layer.c: one attention layer cannot tell some inputs apart.
 *
 * The proofs (docs/bounds.md) let Alice and Bob share the input of a layer: what the query learns of Alice's rows are a few
 * sums. There are fewer sums than inputs of Alice, so two of hers give the same, and Bob can ask for where they differ.
 * Here the two are looked for: a family of inputs with one *secret* position, on which alone the answer depends, and many
 * free ones, which move the sums and nothing else; two members with equal attention outputs at the query and different secrets are
 * a pair (at_collide over layer.h's sums).
 *
 *   compose   the query is x at the end; the path f_1(x), f_2(...), ... is fixed up to the entry v of the last table, which is
 *             the secret; all other entries are free.
 *   match3    Alice's and Bob's gadget (claim match3-hard): the query is x_1 = 1, Bob has b = e_i, one token
 *             M-1-4i. The secret is 4i or not. Free positions hold 2 or any 4k, k != i: with M >= 8n+2 no sum of three with a 1
 *             reaches M without 4i and M-1-4i both, so these are Alice's sets and more.
 *   qsa       Alice's bits a choose 2j-1 or 2j for her subset y at position 2q+1, Bob's vectors are +-e_1. First all a: is
 *             her row the same up to the layer (then no b tells them apart), or behind it, or the output, for given b? And Bob's
 *             side: y is given, a vector in it is the secret, the other rows are free.
 *   triangle  the gadget of claim triangle-row: node 1 is asked, an edge leads from it to node 2 and one from node 2+k to it. The secret is
 *             the row of node 2: does an edge lead to node 2+k? Free: its edges to the others, and whether edges lead from them to node 2.
 *
 * Differs from the proofs: equality is asked of the p-bit attention outputs, not of the exact partial sums (equal sums give equal
 * outputs); free positions that move the outputs least are tried first, so fewer inputs are needed than the
 * birthday bound says; what is found is run by the model before it is believed. */
#include "refute_internal.h"
#include "layer.h"

#include <math.h>
#include <string.h>

/* ---- gadgets --------------------------------------------------------------------------------------------- */

typedef struct gadget gadget;
struct gadget {
    const at_subject *s;
    int N, W, n; /* length, row width, size of the gadget */
    int query;   /* user position that is asked */
    int variants, secrets;
    /* Filled by `vary` (sites of one variant) and by `hide` (a family of it). */
    layer_site *site; /* (N) */
    int *base;        /* (N) */
    layer_free *free; /* (N) */
    int n_free;
    int *choice;    /* (2 C) lists that free refers to */
    double *target; /* (C) by choice of the secret's site */
    double *rows;   /* rows of sites */
    void (*vary)(gadget *g, int variant);
    void (*hide)(gadget *g, int secret);
    const char *words;
};

static at_status gadget_alloc(gadget *g, int choices, int rows, at_arena *a, at_err *err)
{
    g->site = at_new(a, layer_site, g->N);
    g->base = at_new(a, int, g->N);
    g->free = at_new(a, layer_free, g->N);
    g->choice = at_new(a, int, 2 * choices);
    g->target = at_new(a, double, choices);
    g->rows = at_new(a, double, (size_t)rows *(size_t)g->W);
    return g->site && g->base && g->free && g->choice && g->target && g->rows ? AT_OK : at_oom(err);
}

static void free_add(gadget *g, int position, const int *choice, int n)
{
    g->free[g->n_free++] = (layer_free){.position = position, .n = n, .choice = choice};
}

/* compose: rows are the tokens 0..n-1. Variant x, secret v. */
static void compose_vary(gadget *g, int variant)
{
    for (int i = 0; i < g->N; i++)
        g->site[i] = (layer_site){g->n, g->rows};
    g->site[g->query] = (layer_site){1, g->rows + variant};
    g->base[g->query] = 0;
}

static void compose_hide(gadget *g, int v)
{
    int x = (int)*g->site[g->query].row, k = (g->N - 1) / g->n, secret = (k - 1) * g->n + v;
    if (k == 1 && v != x)
        secret = x; /* one table: its entry x is the secret, whatever v */
    for (int j = 0; j < g->n; j++)
        g->choice[j] = j, g->target[j] = j;
    g->n_free = 0;
    free_add(g, secret, g->choice, g->n);
    for (int i = 0; i < g->N - 1; i++) {
        bool path = i < (k - 1) * g->n && i % g->n == (i < g->n ? x : v);
        g->base[i] = path ? v : 0;
        if (!path && i != secret)
            free_add(g, i, g->choice, g->n);
    }
}

static at_status compose_make(gadget *g, at_arena *a, at_err *err)
{
    g->n = at_params_int(g->s->params, "n");
    g->query = g->N - 1;
    g->variants = g->secrets = g->n;
    g->vary = compose_vary;
    g->hide = compose_hide;
    g->words = "the last function differs at the one value that is asked for";
    at_status s = gadget_alloc(g, g->n, g->n, a, err);
    for (int j = 0; !s && j < g->n; j++)
        g->rows[j] = j;
    return s;
}

/* match3: rows are 1 | 2, 4, 8, ..., 4n | M-1-4, ..., M-1-4n. Secret i = 0..n-1 stands for 4(i+1). */
static void match3_vary(gadget *g, int variant)
{
    (void)variant;
    g->site[0] = (layer_site){1, g->rows};
    for (int i = 1; i < g->N; i++)
        g->site[i] = (layer_site){2 * g->n + 1, g->rows + 1};
}

static void match3_hide(gadget *g, int secret)
{
    int hers = 1 + secret, his = 1 + g->n + secret, n = 0, *others = g->choice, *all = g->choice + g->n;
    for (int j = 0; j <= g->n; j++) { /* choice 0 is the 2, choice j is 4j */
        g->target[j] = j == secret + 1;
        all[j] = j;
        if (j != secret + 1)
            others[n++] = j;
    }
    g->n_free = 0;
    free_add(g, hers, all, g->n + 1);
    for (int i = 1; i < g->N; i++) {
        g->base[i] = i == his ? g->n + 1 + secret : 0;
        if (i != hers && i != his)
            free_add(g, i, others, n);
    }
    g->base[0] = 0;
}

static at_status match3_make(gadget *g, at_arena *a, at_err *err)
{
    int M = at_params_int(g->s->params, "M");
    g->n = (g->N - 1) / 2 < (M - 2) / 8 ? (g->N - 1) / 2 : (M - 2) / 8;
    g->variants = 1;
    g->secrets = g->n;
    g->vary = match3_vary;
    g->hide = match3_hide;
    g->words = "of the two inputs one holds the token that completes the triple";
    at_status s = gadget_alloc(g, 2 * g->n + 1, 2 * g->n + 2, a, err);
    if (s)
        return s;
    g->rows[0] = 1;
    g->rows[1] = 2;
    for (int i = 1; i <= g->n; i++) {
        g->rows[1 + i] = 4 * i;
        g->rows[1 + g->n + i] = M - 1 - 4 * i;
    }
    return AT_OK;
}

/* triangle: rows of node 2 by the bits of their number, then of the others: no edge, one to node 1, one to node 2. Secret k stands for
 * node 3+k. */
enum { ROW_BITS = 11, ROW_CELLS = 1 << 18 };

static void triangle_vary(gadget *g, int variant)
{
    const double *others = g->rows + ((size_t)1 << g->n) * (size_t)g->W;
    (void)variant;
    g->site[0] = (layer_site){1, others + 2 * (size_t)g->W};
    g->site[1] = (layer_site){1 << g->n, g->rows};
    for (int i = 2; i < g->N; i++)
        g->site[i] = (layer_site){3, others};
}

static void triangle_hide(gadget *g, int secret)
{
    static const int no_or_to_two[] = {0, 2};
    for (int j = 0; j < 1 << g->n; j++) {
        g->choice[j] = j;
        g->target[j] = j >> secret & 1;
    }
    g->n_free = 0;
    free_add(g, 1, g->choice, 1 << g->n);
    for (int i = 0; i < g->N; i++) {
        g->base[i] = i == 2 + secret;
        if (i > 1 && i != 2 + secret)
            free_add(g, i, no_or_to_two, 2);
    }
}

static at_status triangle_make(gadget *g, at_arena *a, at_err *err)
{
    g->n = g->N - 2 < ROW_BITS ? g->N - 2 : ROW_BITS;
    while (g->n > 1 && g->N > ROW_CELLS >> g->n)
        g->n--;
    g->variants = 1;
    g->secrets = g->n;
    g->vary = triangle_vary;
    g->hide = triangle_hide;
    g->words = "in one of the two graphs an edge of node 2 completes the triangle";
    int rows = 1 << g->n;
    at_status s = gadget_alloc(g, rows, rows + 3, a, err);
    for (int j = 0; j < rows && !s; j++)
        for (int k = 0; k < g->n; k++)
            g->rows[(size_t)j * (size_t)g->W + (size_t)(2 + k)] = j >> k & 1;
    for (int to = 0; to < 2 && !s; to++)
        g->rows[(size_t)(rows + 1 + to) * (size_t)g->W + (size_t)to] = 1;
    return s;
}

/* qsa, Bob's side: rows are (z, y) with z in {-e_1, e_1, 0, -e_1/2, e_1/2} and y in SUBSETS subsets, the first {1..q}; then the
 * query's rows, one a variant: y takes 2j-1 or 2j by the bits of the variant. Secret j: the vector that y has of pair j. */
enum { VECTORS = 5, SUBSETS = 4, QSA_ROWS = VECTORS * SUBSETS, QSA_VARIANTS = 16 };

/* Ascending, one of 2j-1 and 2j for each j: 2j-1 where bit j of a is 1. */
static void subset_of_bits(int q, uint64_t a, double *y)
{
    for (int j = 0; j < q; j++)
        y[j] = 2 * j + (a >> (j % 64) & 1 ? 1 : 2);
}

static void qsa_vary(gadget *g, int variant)
{
    for (int i = 0; i < g->N; i++)
        g->site[i] = (layer_site){QSA_ROWS, g->rows};
    g->site[g->query] = (layer_site){1, g->rows + (size_t)(QSA_ROWS + variant) * (size_t)g->W};
}

static void qsa_hide(gadget *g, int secret)
{
    int d = at_params_int(g->s->params, "d"), *sign = g->choice, *all = g->choice + 2;
    const double *y = g->site[g->query].row + d;
    sign[0] = 0, sign[1] = SUBSETS; /* -e_1 and e_1, y = {1..q} */
    g->target[0] = -1.0 / g->n, g->target[SUBSETS] = 1.0 / g->n;
    for (int k = 0; k < QSA_ROWS; k++)
        all[k] = k;
    g->n_free = 0;
    memset(g->base, 0, (size_t)g->N * sizeof *g->base);
    free_add(g, (int)y[secret] - 1, sign, 2);
    for (int i = 0; i < g->N; i++) {
        bool in = i == g->query;
        for (int j = 0; j < g->n; j++)
            in = in || (int)y[j] - 1 == i;
        if (!in)
            free_add(g, i, all, QSA_ROWS);
    }
}

static at_status qsa_make(gadget *g, at_arena *a, at_err *err)
{
    static const double length[VECTORS] = {-1, 1, 0, -0.5, 0.5};
    int d = at_params_int(g->s->params, "d"), q = g->n = at_params_int(g->s->params, "q");
    g->query = 2 * q;
    g->variants = q < 4 ? 1 << q : QSA_VARIANTS;
    g->secrets = q;
    g->vary = qsa_vary;
    g->hide = qsa_hide;
    g->words = "a vector that it averages is e_1 in one input and -e_1 in the other";
    at_status s = gadget_alloc(g, QSA_ROWS + 2, QSA_ROWS + g->variants, a, err);
    for (int k = 0; !s && k < QSA_ROWS + g->variants; k++) {
        double *row = g->rows + (size_t)k * (size_t)g->W;
        row[0] = k < QSA_ROWS ? length[k / SUBSETS] : -1;
        if (k >= QSA_ROWS)
            subset_of_bits(q, (uint64_t)(k - QSA_ROWS) * 0x9e3779b97f4a7c15u >> 7, row + d);
        for (int j = 0; k < QSA_ROWS && j < q; j++)
            row[d + j] = 1 + j + (k % SUBSETS) * (g->N - q) / (SUBSETS - 1);
    }
    return s;
}

/* ---- collisions of a family ---------------------------------------------------------------------------------- */

typedef struct {
    const gadget *g;
    const layer_family *f;
    double apart; /* targets must differ by more */
    bool run;     /* state: the readout, by running the model; else the attention outputs */
} family_job;

/* The readout of x (N rows) at user position `query`; numbers that are equal get equal bytes. */
static at_status readout_state(const at_subject *s, int N, const double *x, int query, double *out,
                               at_err *err)
{
    at_arena a;
    at_output y;
    at_arena_init(&a);
    at_status st = at_run(s->m, s->arith, &(at_input){N, x}, NULL, &a, &y, err);
    for (int k = 0; !st && k < y.rows; k++)
        out[k] = y.value[(s->m->readout.last ? 0 : query) * y.rows + k] + 0.0;
    at_arena_release(&a);
    return st;
}

static at_status family_state(void *ctx, int worker, uint64_t i, void *out, at_err *err)
{
    (void)worker;
    const family_job *j = ctx;
    if (!j->run) {
        layer_family_outputs(j->f, i, out);
        return AT_OK;
    }
    double *x = at_malloc((size_t)j->g->N * (size_t)j->g->W * sizeof *x);
    if (!x)
        return at_oom(err);
    layer_family_input(j->f, i, x);
    at_status s = readout_state(j->g->s, j->g->N, x, j->g->query, out, err);
    at_free(x);
    return s;
}

static bool family_useful(void *ctx, uint64_t i, uint64_t k)
{
    const family_job *j = ctx;
    const double *target = j->g->target;
    return fabs(target[layer_family_secret(j->f, i)] - target[layer_family_secret(j->f, k)]) > j->apart;
}

/* Real answers must be further apart than two tolerances; others must differ. */
static double targets_apart(const at_subject *s)
{
    return s->task->real ? 2 * s->tolerance + subject_same(s) : 0;
}

/* Does the model give both the same numbers at the query? */
static at_status values_equal(const at_subject *s, const at_pair *p, int query, at_arena *a, bool *equal,
                              at_err *err)
{
    at_mark mark = at_arena_mark(a);
    at_output y[2];
    at_status st = at_run(s->m, s->arith, &p->x[0], NULL, a, &y[0], err);
    if (!st)
        st = at_run(s->m, s->arith, &p->x[1], NULL, a, &y[1], err);
    if (!st) {
        size_t R = (size_t)y[0].rows, at = s->m->readout.last ? 0 : (size_t)query * R;
        *equal = true;
        for (size_t r = 0; r < R; r++)
            *equal = *equal && y[0].value[at + r] == y[1].value[at + r];
    }
    at_arena_reset(a, mark);
    return st;
}

/* One family, at most `most` items. *found: out->x is a pair that the model cannot tell apart. */
static at_status family_search(const gadget *g, const layer_view *v, uint64_t most, bool run,
                               const at_refute_env *env, at_arena *a, at_pair *out, bool *found, at_err *err)
{
    layer_family f;
    at_status s = layer_family_make(v, g->base, g->free, g->n_free, most, a, &f, err);
    *found = false;
    if (s || !f.count)
        return s;
    family_job ctx = {g, &f, targets_apart(g->s), run};
    size_t compared = (size_t)(run ? g->s->m->readout.rows : v->E);
    at_collide_job job = {.ctx = &ctx,
                          .count = f.count,
                          .bytes = compared * sizeof(double),
                          .state = family_state,
                          .useful = family_useful};
    at_collision c;
    /* An item is a few additions of sums that are looked up, and its place in a table; or a run. */
    double cost = run ? work_of_input(g->s) : WORK_LOOKED_UP + (double)f.n_parts * (v->H + v->E);
    at_refute_env rest = work_left(env, out, cost);
    if ((s = at_collide(&job, &rest, &c, err)))
        return s;
    work_spend(out, c.states, cost);
    if (!c.found)
        return AT_OK;
    size_t numbers = (size_t)g->N * (size_t)g->W;
    double *x = at_new(a, double, 2 * numbers);
    if (!x)
        return at_oom(err);
    layer_family_input(&f, c.first, x);
    layer_family_input(&f, c.second, x + numbers);
    out->x[0] = (at_input){g->N, x};
    out->x[1] = (at_input){g->N, x + numbers};
    out->bits = (double)compared * g->s->arith.bits;
    out->note = at_arena_printf(a, "equal %s at position %d: %s", run ? "readouts" : "attention outputs",
                                g->query + 1, g->words);
    return out->note ? values_equal(g->s, out, g->query, a, found, err) : at_oom(err);
}

/* ---- qsa, Alice's side ------------------------------------------------------------------------------------------ */

typedef enum {
    ALICE_ROW,    /* her row before the layer: whatever Bob has, nothing differs behind it */
    ALICE_LAYER,  /* the row behind the layer, for Bob's given bits */
    ALICE_READOUT /* the readout, for Bob's given bits */
} alice_state_kind;

typedef struct {
    const at_subject *s;
    int N, W, q, d, block;
    alice_state_kind kind;
    uint64_t b; /* Bob's bits */
    double apart;
} alice_job;

static void alice_input(const alice_job *j, uint64_t a, double *x)
{
    for (int i = 0; i < j->N; i++) {
        double *row = x + (size_t)i * (size_t)j->W;
        bool one = i < 2 * j->q && i % 2 == 0 && (j->b >> (i / 2 % 64) & 1);
        memset(row, 0, (size_t)j->d * sizeof *row);
        row[0] = one ? 1 : -1;
        for (int k = 0; k < j->q; k++)
            row[j->d + k] = k + 1;
        if (i == 2 * j->q)
            subset_of_bits(j->q, a, row + j->d);
    }
}

/* The row of position 2q+1 before or behind the layer. */
static at_status row_state(const alice_job *j, const double *x, double *out, at_err *err)
{
    at_arena a;
    at_output y;
    at_trace t;
    int D = j->s->m->width, at = 2 * j->q + j->s->m->n_prefix;
    at_arena_init(&a);
    at_status s = at_run(j->s->m, j->s->arith, &(at_input){j->N, x}, &t, &a, &y, err);
    for (int k = 0; !s && k < D; k++)
        out[k] = t.state[j->block + (j->kind == ALICE_LAYER)][at * D + k] + 0.0;
    at_arena_release(&a);
    return s;
}

static at_status alice_state(void *ctx, int worker, uint64_t i, void *out, at_err *err)
{
    (void)worker;
    const alice_job *j = ctx;
    double *x = at_malloc((size_t)j->N * (size_t)j->W * sizeof *x);
    if (!x)
        return at_oom(err);
    alice_input(j, i, x);
    at_status s = j->kind == ALICE_READOUT ? readout_state(j->s, j->N, x, 2 * j->q, out, err)
                                           : row_state(j, x, out, err);
    at_free(x);
    return s;
}

static bool alice_useful(void *ctx, uint64_t i, uint64_t k)
{
    const alice_job *j = ctx;
    int hits = __builtin_popcountll(i & j->b) - __builtin_popcountll(k & j->b);
    return j->kind == ALICE_ROW || fabs(2.0 * hits / j->q) > j->apart;
}

#define ALICE_BITS 12 /* at most so many of her bits vary */

/* The job's kind, for Bob's bits j->b. */
static at_status alice_try(alice_job *j, const at_refute_env *env, at_arena *a, at_pair *out, bool *found,
                           at_err *err)
{
    static const char *const words[] = {
        [ALICE_ROW] =
            "Alice's subsets differ, her row before the layer does not: no message tells them apart",
        [ALICE_LAYER] = "Alice's subsets differ, the row behind the layer at position 2q+1 does not",
        [ALICE_READOUT] = "Alice's subsets differ, the output at position 2q+1 does not"};
    size_t compared = (size_t)(j->kind == ALICE_READOUT ? j->d : j->s->m->width),
           numbers = (size_t)j->N * (size_t)j->W;
    at_collide_job job = {.ctx = j,
                          .count = (uint64_t)1 << (j->q < ALICE_BITS ? j->q : ALICE_BITS),
                          .bytes = compared * sizeof(double),
                          .state = alice_state,
                          .useful = alice_useful};
    at_collision c;
    double cost = work_of_input(j->s);
    at_refute_env rest = work_left(env, out, cost);
    at_status s = at_collide(&job, &rest, &c, err);
    if (s)
        return s;
    work_spend(out, c.states, cost);
    if (!c.found)
        return AT_OK;
    if (j->kind == ALICE_ROW) /* Bob asks where they differ */
        j->b = c.first & ~c.second ? c.first & ~c.second : c.second & ~c.first;
    double *x = at_new(a, double, 2 * numbers);
    if (!x)
        return at_oom(err);
    alice_input(j, c.first, x);
    alice_input(j, c.second, x + numbers);
    out->x[0] = (at_input){j->N, x};
    out->x[1] = (at_input){j->N, x + numbers};
    out->bits = (double)compared * j->s->arith.bits;
    out->note = words[j->kind];
    return values_equal(j->s, out, 2 * j->q, a, found, err);
}

/* Kinds first..last, each for some sets of Bob's. */
static at_status alice_search(const at_subject *s, alice_state_kind first, alice_state_kind last,
                              const at_refute_env *env, at_arena *a, at_pair *out, bool *found, at_err *err)
{
    enum { BOBS = 16 };
    int q = at_params_int(s->params, "q"), d = at_params_int(s->params, "d");
    uint64_t all = ((uint64_t)1 << (q < ALICE_BITS ? q : ALICE_BITS)) - 1;
    alice_job j = {.s = s, .N = at_params_int(s->params, "N"), .W = q + d, .q = q, .d = d};
    at_rng r = at_rng_at(env->seed, 0x716c6963u);
    j.apart = targets_apart(s);
    while (s->m->blocks[j.block].kind != AT_BLOCK_ATTN)
        j.block++;
    for (j.kind = first; j.kind <= last; j.kind++)
        for (int k = 0; k < (j.kind == ALICE_ROW ? 1 : BOBS); k++) {
            if (*found || at_refute_over(env, out->states, out->work))
                return AT_OK;
            j.b = k ? 1 + at_rng_below(&r, all) : all;
            at_status st = alice_try(&j, env, a, out, found, err);
            if (st)
                return st;
        }
    return AT_OK;
}

/* ---- the refuter -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *task;
    at_status (*make)(gadget *g, at_arena *a, at_err *err);
} makers[] = {
    {"compose", compose_make}, {"match3", match3_make}, {"qsa", qsa_make}, {"triangle", triangle_make}};

static int maker_of(const at_subject *s)
{
    for (size_t k = 0; s->task && k < sizeof makers / sizeof *makers; k++)
        if (!strcmp(s->task->id, makers[k].task))
            return (int)k;
    return -1;
}

static at_status fits(const at_subject *s, at_err *why)
{
    int maker = maker_of(s);
    if (maker < 0)
        return at_fail(why, AT_EREFUSED, "it knows inputs for compose, match3, qsa and triangle only");
    at_status st = layer_fits(s->m, s->arith, why);
    if (st)
        return st;
    int N = at_params_int(s->params, "N");
    if (maker == 0 && at_params_int(s->params, "n") < 2)
        return at_fail(why, AT_EREFUSED, "n=1: there is one function only");
    if (maker == 1 && (N < 3 || at_params_int(s->params, "M") < 10))
        return at_fail(why, AT_EREFUSED, "N=%d M=%d: the inputs that are compared need N >= 3 and M >= 10", N,
                       at_params_int(s->params, "M"));
    if (maker == 2 && N < 2 * at_params_int(s->params, "q") + 1)
        return at_fail(why, AT_EREFUSED, "N=%d q=%d: the inputs that are compared need N >= 2q+1", N,
                       at_params_int(s->params, "q"));
    if (maker == 3 && N < 3)
        return at_fail(why, AT_EREFUSED, "N=%d: the inputs that are compared need N >= 3", N);
    return AT_OK;
}

/* Rounds: every secret of some variants with few items, then with more; in between a round of readouts, which are run (some
 * hundred times slower) and may be fewer numbers than the layer's outputs are. */
static const struct {
    int bits; /* of items */
    bool run;
    int families;
} rounds[] = {{12, false, 64}, {16, false, 64}, {12, true, 4},
              {20, false, 64}, {24, false, 64}, {28, false, 64}};
enum { ROUNDS = sizeof rounds / sizeof *rounds };

static at_status round_search(gadget *g, int round, const at_refute_env *env, at_arena *a, at_pair *out,
                              bool *found, at_err *err)
{
    int left = rounds[round].families;
    for (int v = 0; v < g->variants && left > 0 && !*found; v++) {
        at_mark mark = at_arena_mark(a);
        layer_view view;
        g->vary(g, v);
        at_status s = layer_view_make(g->s->m, g->s->arith, g->N, g->site, g->query, a, &view, err);
        for (int k = 0; !s && k < g->secrets && left-- > 0 && !*found; k++) {
            if (at_refute_over(env, out->states, out->work))
                return AT_OK;
            at_mark family = at_arena_mark(a);
            g->hide(g, k);
            s = family_search(g, &view, (uint64_t)1 << rounds[round].bits, rounds[round].run, env, a, out,
                              found, err);
            if (!*found)
                at_arena_reset(a, family);
        }
        if (s)
            return s;
        if (!*found)
            at_arena_reset(a, mark);
    }
    return AT_OK;
}

static at_status search(const at_subject *s, const at_refute_env *env, at_arena *a, at_pair *out, at_err *err)
{
    bool found = false;
    gadget g = {.s = s, .N = at_params_int(s->params, "N"), .W = at_model_row_width(s->m)};
    *out = (at_pair){.bits = NAN};
    bool qsa = !strcmp(s->task->id, "qsa");
    at_status st = makers[maker_of(s)].make(&g, a, err);
    if (!st && qsa)
        st = alice_search(s, ALICE_ROW, ALICE_LAYER, env, a, out, &found, err);
    for (int r = 0; r < ROUNDS && !st && !found && !at_refute_over(env, out->states, out->work); r++) {
        at_progress_tick(env->progress, "inputs with equal sums", r, ROUNDS);
        st = round_search(&g, r, env, a, out, &found, err);
        if (!st && !found && qsa && r == 0)
            st = alice_search(s, ALICE_READOUT, ALICE_READOUT, env, a, out, &found, err);
    }
    if (st || found)
        return st;
    return at_fail(err, AT_EBUDGET,
                   "no two of %ju inputs have equal attention outputs, or readouts, at position %d and "
                   "different answers",
                   (uintmax_t)out->states, g.query + 1);
}

const at_refuter refuter_one_layer = {
    .id = "one-layer",
    .about = "one attention layer at p bits: equal sums over keys for inputs with different answers",
    .fits = fits,
    .search = search,
};
