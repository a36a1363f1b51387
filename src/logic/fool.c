/* fool.c: fooling sets, verified and searched.
 *
 * Two cells (a, b), (c, d) of value v go together unless (a, d) and (c, b) have value v as well. A fooling set is a clique of that
 * relation. It has at most one cell in each row and column, and of equal rows (columns) at most in one: with R and C different ones
 * that have a v it is no larger than min(R, C), and a set of that size ends the search.
 *
 * Greedy: cells in some order, each taken that goes with all taken before. First the two diagonals (where the sets of textbooks lie),
 * then orders at random. Branch and bound where there are at most 4096 cells: candidates are coloured greedily, cells of one colour
 * being pairwise incompatible, and a branch whose colours cannot beat the best is cut (Tomita and Seki 2003, with bitsets as
 * San Segundo et al. 2011).
 *
 * Legend: V cells of value v between different rows and columns, W words of a bitset of V. */
#include "logic_internal.h"

#include <string.h>

#define V_MOST   4096
#define A_ROW    4 /* cells a row that a greedy search draws where there are more than V_MOST */
#define RESTARTS 16
#define WORK     20000000

static bool together(const at_cc_matrix *m, int v, at_cc_cell x, at_cc_cell y)
{
    return cell_at(m, x.a, y.b) != v || cell_at(m, y.a, x.b) != v;
}

at_status at_cc_fool_verify(const at_cc_matrix *m, int v, const at_cc_cell *set, int n, at_tri *holds,
                            int bad[2], at_err *err)
{
    for (int k = 0; k < n; k++)
        if (set[k].a < 0 || set[k].a >= m->rows || set[k].b < 0 || set[k].b >= m->cols)
            return at_fail(err, AT_EINPUT, "cell %d is (%d, %d): the matrix is %d x %d", k, set[k].a,
                           set[k].b, m->rows, m->cols);
    *holds = AT_FALSE;
    for (int k = 0; k < n; k++) {
        bad[1] = k;
        if (cell_at(m, set[k].a, set[k].b) != v) {
            bad[0] = k;
            return AT_OK;
        }
        for (int i = 0; i < k; i++)
            if (!together(m, v, set[i], set[k])) {
                bad[0] = i;
                return AT_OK;
            }
    }
    *holds = AT_TRUE;
    bad[0] = bad[1] = -1;
    return AT_OK;
}

/* ---- greedy ---------------------------------------------------------------------------------------------- */

typedef struct {
    const at_cc_matrix *m;
    int v;
    logic_core core;
    bool *row_used, *col_used;  /* (rows), (cols) of the matrix */
    at_cc_cell *taken, *best;   /* (min(R, C)) */
    int n_taken, n_best, limit; /* limit: min(R, C) */
    uint64_t work, spent;
    /* branch and bound */
    at_cc_cell *cell; /* (V) */
    int V, W;
    uint64_t *adj; /* (V, W) which go together */
    uint64_t *
        open; /* (levels, 3, W) candidates of a level; those without colour; those that may get the present one */
    uint16_t *order; /* (levels, V) candidates by ascending colour */
    uint16_t *color; /* (levels, V) of these */
    uint16_t *path;  /* (levels) cells chosen */
} search;

static void cell_try(search *s, at_cc_cell x)
{
    if (s->row_used[x.a] || s->col_used[x.b] || cell_at(s->m, x.a, x.b) != s->v)
        return;
    for (int i = s->n_taken - 1; i >= 0; i--, s->spent++)
        if (!together(s->m, s->v, s->taken[i], x))
            return;
    s->row_used[x.a] = s->col_used[x.b] = true;
    s->taken[s->n_taken++] = x;
}

static void taken_keep(search *s)
{
    if (s->n_taken > s->n_best) {
        memcpy(s->best, s->taken, (size_t)s->n_taken * sizeof *s->best);
        s->n_best = s->n_taken;
    }
}

static void diagonals_try(search *s, int round)
{
    const logic_core *c = &s->core;
    for (int i = 0; i < c->R; i++) {
        int k = round ? i : c->C - 1 - i;
        if (k >= 0 && k < c->C)
            cell_try(s, (at_cc_cell){c->row[i], c->col[k]});
    }
}

static void random_try(search *s, at_rng *r)
{
    const logic_core *c = &s->core;
    if (s->cell)
        for (int i = s->V - 1; i >= 0; i--) { /* an order at random, made as it is used */
            int k = (int)at_rng_below(r, (uint64_t)i + 1);
            at_cc_cell x = s->cell[k];
            s->cell[k] = s->cell[i];
            s->cell[i] = x;
            cell_try(s, x);
        }
    else
        for (int i = 0; i < A_ROW * c->R; i++)
            cell_try(s, (at_cc_cell){c->row[at_rng_below(r, (uint64_t)c->R)],
                                     c->col[at_rng_below(r, (uint64_t)c->C)]});
}

static void greedy_run(search *s, int restarts, uint64_t seed)
{
    for (int k = 0; k < restarts && s->n_best < s->limit && (!k || s->spent < s->work); k++) {
        at_rng r = at_rng_at(seed, (uint64_t)k);
        memset(s->row_used, 0, (size_t)s->m->rows);
        memset(s->col_used, 0, (size_t)s->m->cols);
        s->n_taken = 0;
        if (k < 2)
            diagonals_try(s, k);
        random_try(s, &r);
        taken_keep(s);
    }
}

/* ---- branch and bound ------------------------------------------------------------------------------------ */

/* Candidates of a level in classes of pairwise incompatible cells; returns how many there are. Only those whose colour could help to
 * beat the best are listed: the others have no branch of their own. */
static int candidates_color(search *s, int level, int need)
{
    uint64_t *open = s->open + (size_t)level * 3 * (size_t)s->W, *rest = open + s->W, *now = rest + s->W;
    uint16_t *order = s->order + (size_t)level * (size_t)s->V,
             *color = s->color + (size_t)level * (size_t)s->V;
    int n = 0;
    memcpy(rest, open, (size_t)s->W * sizeof *rest);
    for (int c = 1, left = 1; left; c++) {
        memcpy(now, rest, (size_t)s->W * sizeof *now);
        left = 0;
        for (int w = 0; w < s->W; w++)
            while (now[w]) {
                int x = 64 * w + __builtin_ctzll(now[w]);
                const uint64_t *adj = s->adj + (size_t)x * (size_t)s->W;
                rest[w] &= ~((uint64_t)1 << x % 64);
                now[w] &= ~((uint64_t)1 << x % 64);
                for (int k = w; k < s->W; k++)
                    now[k] &= ~adj[k];
                if (c > need) {
                    order[n] = (uint16_t)x;
                    color[n++] = (uint16_t)c;
                }
                s->spent++;
                left = 1;
            }
        s->spent++;
    }
    return n;
}

/* True when searched to its end. */
static bool level_search(search *s, int level)
{
    uint64_t *open = s->open + (size_t)level * 3 * (size_t)s->W, *next = open + 3 * s->W;
    const uint16_t *order = s->order + (size_t)level * (size_t)s->V,
                   *color = s->color + (size_t)level * (size_t)s->V;
    int n = candidates_color(s, level, s->n_best - level);
    for (int i = n - 1; i >= 0; i--) {
        if (level + color[i] <= s->n_best)
            return true;
        if (s->spent > s->work)
            return false;
        int x = order[i];
        const uint64_t *adj = s->adj + (size_t)x * (size_t)s->W;
        uint64_t any = 0;
        for (int w = 0; w < s->W; w++)
            any |= next[w] = open[w] & adj[w];
        s->path[level] = order[i];
        if (!any && level + 1 > s->n_best) {
            for (int k = 0; k <= level; k++)
                s->best[k] = s->cell[s->path[k]];
            s->n_best = level + 1;
        }
        if (any && !level_search(s, level + 1))
            return false;
        open[x / 64] &= ~((uint64_t)1 << x % 64);
    }
    return true;
}

static at_status exact_run(search *s, at_arena *a, bool *largest, at_err *err)
{
    size_t V = (size_t)s->V, levels = (size_t)s->limit + 1;
    s->W = (s->V + 63) / 64;
    size_t W = (size_t)s->W;
    s->adj = at_new(a, uint64_t, V * W);
    s->open = at_new(a, uint64_t, levels * 3 * W);
    s->order = at_new(a, uint16_t, levels * V);
    s->color = at_new(a, uint16_t, levels * V);
    s->path = at_new(a, uint16_t, levels);
    if (!s->adj || !s->open || !s->order || !s->color || !s->path)
        return at_oom(err);
    for (size_t x = 0; x < V; x++) {
        s->open[x / 64] |= (uint64_t)1 << x % 64;
        for (size_t y = 0; y < x; y++)
            if (together(s->m, s->v, s->cell[x], s->cell[y])) {
                s->adj[x * W + y / 64] |= (uint64_t)1 << y % 64;
                s->adj[y * W + x / 64] |= (uint64_t)1 << x % 64;
            }
    }
    s->spent = 0; /* the greedy search had its own */
    *largest = level_search(s, 0);
    return AT_OK;
}

/* ---- both ------------------------------------------------------------------------------------------------ */

static at_status search_run(search *s, const at_cc_effort *e, at_arena *a, bool *largest, at_err *err)
{
    const logic_core *c = &s->core;
    size_t V = 0;
    for (int i = 0; i < c->R; i++)
        for (int k = 0; k < c->C; k++)
            V += cell_at(s->m, c->row[i], c->col[k]) == s->v;
    s->limit = c->R < c->C ? c->R : c->C;
    s->row_used = at_new(a, bool, s->m->rows);
    s->col_used = at_new(a, bool, s->m->cols);
    s->taken = at_new(a, at_cc_cell, s->limit);
    s->best = at_new(a, at_cc_cell, s->limit);
    if (V <= V_MOST)
        s->cell = at_new(a, at_cc_cell, V);
    if (!s->row_used || !s->col_used || !s->taken || !s->best || (V <= V_MOST && !s->cell))
        return at_oom(err);
    for (int i = 0; s->cell && i < c->R; i++)
        for (int k = 0; k < c->C; k++)
            if (cell_at(s->m, c->row[i], c->col[k]) == s->v)
                s->cell[s->V++] = (at_cc_cell){c->row[i], c->col[k]};
    greedy_run(s, e->restarts > 0 ? e->restarts : RESTARTS, e->seed);
    *largest = s->n_best == s->limit;
    return *largest || !s->cell ? AT_OK : exact_run(s, a, largest, err);
}

at_status at_cc_fool_search(const at_cc_matrix *m, int v, const at_cc_effort *effort, at_arena *arena,
                            at_cc_fool *out, at_err *err)
{
    at_cc_effort e = effort ? *effort : (at_cc_effort){0};
    search s = {.m = m, .v = v, .work = e.work ? e.work : WORK};
    at_status st = logic_core_make(m, v, &s.core, err);
    if (st)
        return st;
    at_arena scratch;
    at_arena_init(&scratch);
    at_cc_fool f = {.v = v};
    st = search_run(&s, &e, &scratch, &f.largest, err);
    if (!st && !(f.cell = at_new(arena, at_cc_cell, s.n_best)))
        st = at_oom(err);
    if (!st) {
        at_tri holds = AT_UNKNOWN;
        int bad[2];
        f.n = s.n_best;
        if (f.n)
            memcpy(f.cell, s.best, (size_t)f.n * sizeof *f.cell);
        st = at_cc_fool_verify(m, v, f.cell, f.n, &holds, bad, err);
        if (!st && holds != AT_TRUE)
            st = at_fail(err, AT_EREFUSED, "the search went wrong: cells %d and %d do not go together",
                         bad[0], bad[1]);
    }
    if (!st)
        *out = f;
    at_arena_release(&scratch);
    logic_core_release(&s.core);
    return st;
}
