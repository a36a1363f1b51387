/* numbers_exact.c: rationals of a circuit maker. Different numbers have different places in a pool, so a vector of them is a vector of
 * places; place 0 is 0 and place 1 is 1. The model's steps are written anew here, from their definition in model.h: what
 * the executor computes is what circuits are compared with. */
#include <math.h>
#include <string.h>

#include "../num/flint_compat.h"
#include "numbers.h"

enum { ZERO = 0, ONE = 1, SUM_BITS = 50 };

/* A matrix without its zeros: those of row k are first[k] .. first[k + 1] - 1. */
typedef struct {
    int *first; /* NULL: not made yet */
    int *column;
    cell *w;
} rows;

struct exact {
    const at_model *m;
    at_arena a;
    fmpq *pool;
    size_t n, room;
    uint32_t *table; /* of places + 1 */
    size_t slots;
    rows *tensors; /* (n_tensors) */
    cell *y, *wide[2];
    fmpq *t, *u;
    size_t settled, words,
        words_most; /* of numbers behind the first `settled`: two each, and what is large */
    bool oom;
};

/* ---- the pool -------------------------------------------------------------------------------------------------------- */

#define RESIDUE 4294967291u /* a prime: large numbers are told apart by what is left of them */

static size_t rational_slot(const exact *E, const fmpq *x)
{
    uint64_t key[3] = {fmpz_fdiv_ui(fmpq_numref(x), RESIDUE), fmpz_fdiv_ui(fmpq_denref(x), RESIDUE),
                       fmpq_sgn(x) < 0};
    return at_hash64(key, sizeof key, 0) & (E->slots - 1);
}

static bool pool_room(exact *E)
{
    if (!ROOM(E->pool, E->room, E->n + 1))
        return false;
    if (2 * (E->n + 1) <= E->slots)
        return true;
    size_t more = E->slots ? 2 * E->slots : 256;
    uint32_t *t = at_calloc(more, sizeof *t);
    if (!t)
        return false;
    at_free(E->table);
    E->table = t;
    E->slots = more;
    for (size_t k = 0; k < E->n; k++) {
        size_t at = rational_slot(E, &E->pool[k]);
        while (t[at])
            at = (at + 1) & (more - 1);
        t[at] = (uint32_t)k + 1;
    }
    return true;
}

/* A number is two words, and those of a numerator or denominator that does not fit in one. */
static size_t rational_words(const fmpq *x)
{
    size_t n = (size_t)fmpz_size(fmpq_numref(x)), d = (size_t)fmpz_size(fmpq_denref(x));
    return 2 + (COEFF_IS_MPZ(*fmpq_numref(x)) ? n : 0) + (COEFF_IS_MPZ(*fmpq_denref(x)) ? d : 0);
}

static cell pool_meet(exact *E, const fmpq *x)
{
    if (E->oom || !pool_room(E)) {
        E->oom = true;
        return ZERO;
    }
    size_t at = rational_slot(E, x);
    for (; E->table[at]; at = (at + 1) & (E->slots - 1))
        if (fmpq_equal(&E->pool[E->table[at] - 1], x))
            return E->table[at] - 1;
    fmpq_init(&E->pool[E->n]);
    fmpq_set(&E->pool[E->n], x);
    E->words += rational_words(x);
    E->words_most = E->words > E->words_most ? E->words : E->words_most;
    E->table[at] = (uint32_t)E->n + 1;
    return E->n++;
}

/* r = the finite double d. */
static void rational_set(fmpq *r, double d)
{
    int e;
    double m = frexp(d, &e);
    fmpz_set_si(fmpq_numref(r), (slong)ldexp(m, 53));
    fmpz_one(fmpq_denref(r));
    if (e >= 53)
        fmpq_mul_2exp(r, r, (ulong)(e - 53));
    else
        fmpq_div_2exp(r, r, (ulong)(53 - e));
}

static at_status done(const exact *E, at_err *err)
{
    return E->oom ? at_oom(err) : AT_OK;
}

at_status exact_new(const at_model *m, exact **out, at_err *err)
{
    at_status s = at_arith_supports(m, (at_arith){.kind = AT_EXACT}, err);
    exact *E = s ? NULL : at_calloc(1, sizeof *E);
    int widest = m->width > m->readout.rows ? m->width : m->readout.rows;
    if (!E)
        return s ? s : at_oom(err);
    for (int b = 0; b < m->n_blocks; b++)
        for (int l = 0; m->blocks[b].kind == AT_BLOCK_MLP && l < m->blocks[b].n_dense; l++)
            widest = m->blocks[b].dense[l].rows > widest ? m->blocks[b].dense[l].rows : widest;
    E->m = m;
    at_arena_init(&E->a);
    E->t = at_new(&E->a, fmpq, 2);
    if (!E->t) {
        exact_free(E);
        return at_oom(err);
    }
    E->u = E->t + 1;
    fmpq_init(E->t);
    fmpq_init(E->u);
    pool_meet(E, E->t);
    fmpq_one(E->t);
    pool_meet(E, E->t);
    E->tensors = at_new(&E->a, rows, m->n_tensors);
    E->y = at_new(&E->a, cell, widest);
    E->wide[0] = at_new(&E->a, cell, widest);
    E->wide[1] = at_new(&E->a, cell, widest);
    E->oom |= !E->tensors || !E->y || !E->wide[0] || !E->wide[1];
    s = done(E, err);
    if (s)
        exact_free(E);
    else
        *out = E;
    return s;
}

void exact_free(exact *E)
{
    if (!E)
        return;
    for (size_t k = 0; k < E->n; k++)
        fmpq_clear(&E->pool[k]);
    if (E->t) {
        fmpq_clear(E->t);
        fmpq_clear(E->u);
    }
    at_free(E->pool);
    at_free(E->table);
    at_arena_release(&E->a);
    at_free(E);
}

/* ---- sums ---------------------------------------------------------------------------------------------------------------- */

static bool rows_make(exact *E, int tensor, rows *r)
{
    const at_tensor *t = &E->m->tensors[tensor];
    const double *W = at_model_data(E->m, tensor);
    int n = (int)t->shape[0], in = (int)t->shape[1], count = 0;
    for (size_t c = 0; (c = at_weights_next(W, c, t->count)) < t->count; c++)
        count++;
    int *first = at_new(&E->a, int, n + 1);
    r->column = at_new(&E->a, int, count + 1);
    r->w = at_new(&E->a, cell, count + 1);
    if (!first || !r->column || !r->w) {
        E->oom = true;
        return false;
    }
    count = 0;
    for (int k = 0; k < n; k++) {
        const double *row = W + (size_t)k * (size_t)in;
        for (size_t c = 0; (c = at_weights_next(row, c, (size_t)in)) < (size_t)in; c++) {
            rational_set(E->u, row[c]);
            r->column[count] = (int)c;
            r->w[count++] = pool_meet(E, E->u);
        }
        first[k + 1] = count;
    }
    r->first = first;
    return !E->oom;
}

/* y (n) = W x + b. */
static void affine(exact *E, int w, int b, int n, const cell *x, cell *y)
{
    rows *r = &E->tensors[w];
    const double *B = at_model_data(E->m, b);
    if (E->oom || (!r->first && !rows_make(E, w, r)))
        return;
    for (int k = 0; k < n; k++) {
        fmpq_zero(E->t);
        for (int c = r->first[k]; c < r->first[k + 1]; c++)
            if (x[r->column[c]] != ZERO)
                fmpq_addmul(E->t, &E->pool[r->w[c]], &E->pool[x[r->column[c]]]);
        if (B) {
            rational_set(E->u, B[k]);
            fmpq_add(E->t, E->t, E->u);
        }
        y[k] = pool_meet(E, E->t);
    }
}

/* x += y */
static void add(exact *E, int n, const cell *y, cell *x)
{
    for (int k = 0; k < n; k++)
        if (y[k] != ZERO) {
            fmpq_add(E->t, &E->pool[x[k]], &E->pool[y[k]]);
            x[k] = pool_meet(E, E->t);
        }
}

/* x (D) += factor times row `row` of an embedding; factor NULL: 1. */
static void embed_add(exact *E, const at_embed *e, int64_t row, const fmpq *factor, cell *x)
{
    const double *w = at_model_data(E->m, e->tensor) + (size_t)row * (size_t)e->width;
    for (int k = 0; k < e->width; k++) {
        if (w[k] == 0)
            continue;
        rational_set(E->t, w[k]);
        if (factor)
            fmpq_mul(E->t, E->t, factor);
        fmpq_add(E->t, E->t, &E->pool[x[e->col + k]]);
        x[e->col + k] = pool_meet(E, E->t);
    }
}

at_status exact_embed(exact *E, int letter, int t, int T, cell *x, at_err *err)
{
    const at_model *m = E->m;
    memset(x, 0, (size_t)m->width * sizeof *x);
    if (letter >= 0)
        embed_add(E, &m->fields[0].embed, letter, NULL, x);
    else if (t < m->n_prefix)
        embed_add(E, &m->prefix, t, NULL, x);
    else
        embed_add(E, &m->suffix, t - (T - m->n_suffix), NULL, x);
    for (int k = 0; k < m->n_pos; k++) {
        int64_t num, den;
        if (at_pos_is(m->pos[k].kind, AT_IS_ROWS)) {
            embed_add(E, &m->pos[k].embed, t, NULL, x);
            continue;
        }
        if (!at_pos_ratio(m->pos[k].kind, (int64_t)t + m->pos_origin, T, &num, &den))
            return at_fail(err, AT_EREFUSED, "position feature %d (%s) is irrational", k + 1,
                           at_pos_names[m->pos[k].kind]);
        fmpq_set_si(E->u, num, (ulong)den);
        embed_add(E, &m->pos[k].embed, 0, E->u, x);
    }
    return done(E, err);
}

at_status exact_project(exact *E, const at_group *g, const cell *x, cell *q, cell *k, cell *v, at_err *err)
{
    affine(E, g->q, g->qb, g->heads * g->dk, x, q);
    affine(E, g->k, g->kb, g->heads * g->dk, x, k);
    affine(E, g->v, g->vb, g->heads * g->dv, x, v);
    return done(E, err);
}

at_status exact_score(exact *E, const at_group *g, const cell *q, const cell *k, cell *out, at_err *err)
{
    fmpq_zero(E->t);
    for (int e = 0; e < g->dk; e++)
        if (q[e] != ZERO && k[e] != ZERO)
            fmpq_addmul(E->t, &E->pool[q[e]], &E->pool[k[e]]);
    rational_set(E->u, g->scale);
    fmpq_mul(E->t, E->t, E->u);
    switch (g->post) {
    case AT_POST_ID:
        break;
    case AT_POST_NEG_RELU:
        if (fmpq_sgn(E->t) < 0)
            fmpq_zero(E->t);
        fmpq_neg(E->t, E->t);
        break;
    case AT_POST_NEG_ABS:
        fmpq_abs(E->t, E->t);
        fmpq_neg(E->t, E->t);
        break;
    }
    *out = pool_meet(E, E->t);
    return done(E, err);
}

int exact_order(const exact *E, cell a, cell b)
{
    return a == b ? 0 : fmpq_cmp(&E->pool[a], &E->pool[b]);
}

at_status exact_weigh(exact *E, const at_group *g, const cell *score, int n, cell peak, cell *w, at_err *err)
{
    rational_set(E->u, g->tie);
    fmpq_sub(E->t, &E->pool[peak], E->u);
    for (int k = 0; k < n; k++)
        w[k] = fmpq_cmp(&E->pool[score[k]], E->t) >= 0 ? ONE : ZERO;
    return done(E, err);
}

/* Weights of hard attention are 0 or 1: a term is a value, or nothing. The unit is one over the least common denominator. */
at_status exact_terms(exact *E, const cell *w, const cell *const *v, int n, int dv, terms *t, at_err *err)
{
    cell *unit = t->unit;
    fmpz_t least, whole;
    at_status s = AT_OK;
    fmpz_init(least);
    fmpz_init(whole);
    for (int c = 0; c <= dv && !s; c++) {
        fmpz_one(least);
        for (int k = 0; k < n && c; k++)
            if (w[k] != ZERO)
                fmpz_lcm(least, least, fmpq_denref(&E->pool[v[k][c - 1]]));
        for (int k = 0; k < n && !s; k++) {
            const fmpq *x = &E->pool[w[k] == ZERO ? ZERO : c ? v[k][c - 1] : ONE];
            fmpz_divexact(whole, least, fmpq_denref(x));
            fmpz_mul(whole, whole, fmpq_numref(x));
            if (fmpz_bits(whole) > SUM_BITS)
                s = at_fail(err, AT_EREFUSED,
                            "the values of keys have no common unit within %d bits; fewer layers of "
                            "average-hard attention, or p bits, make them shorter",
                            SUM_BITS);
            else
                t->term[(size_t)k * (size_t)(dv + 1) + (size_t)c] = fmpz_get_si(whole);
        }
        fmpz_one(fmpq_numref(E->t));
        fmpz_set(fmpq_denref(E->t), least);
        unit[c] = pool_meet(E, E->t);
    }
    fmpz_clear(whole);
    fmpz_clear(least);
    return s ? s : done(E, err);
}

at_status exact_divide(exact *E, int dv, const int64_t *sum, const cell *unit, cell *out, at_err *err)
{
    for (int c = 1; c <= dv; c++) {
        fmpq_set_si(E->t, sum[c], 1);
        fmpq_mul(E->t, E->t, &E->pool[unit[c]]);
        fmpq_set_si(E->u, sum[0], 1);
        fmpq_div(E->t, E->t, E->u);
        out[c - 1] = pool_meet(E, E->t);
    }
    return done(E, err);
}

/* ---- blocks and readout ---------------------------------------------------------------------------------------------------- */

static void mlp(exact *E, const at_block *b, const cell *x)
{
    for (int l = 0; l < b->n_dense; l++) {
        bool last = l == b->n_dense - 1;
        cell *out = last ? E->y : E->wide[l % 2];
        affine(E, b->dense[l].w, b->dense[l].b, b->dense[l].rows, x, out);
        for (int k = 0; k < b->dense[l].rows && !last && !E->oom; k++)
            if (fmpq_sgn(&E->pool[out[k]]) < 0)
                out[k] = ZERO;
        x = out;
    }
}

at_status exact_block(exact *E, int b, const cell *x, const cell *mixed, cell *y, at_err *err)
{
    const at_block *block = &E->m->blocks[b];
    int D = E->m->width;
    if (block->residual)
        memcpy(y, x, (size_t)D * sizeof *y);
    else
        memset(y, 0, (size_t)D * sizeof *y);
    if (!mixed) {
        mlp(E, block, x);
        add(E, D, E->y, y);
    }
    for (int g = 0; mixed && g < block->n_groups; g++) {
        const at_group *a = &block->groups[g];
        affine(E, a->o, a->ob, D, mixed, E->y);
        add(E, D, E->y, y);
        mixed += a->heads * a->dv;
    }
    return done(E, err);
}

at_status exact_decide(exact *E, const cell *x, int *decision, at_err *err)
{
    const at_readout *r = &E->m->readout;
    cell *row = E->wide[0];
    int best = 0;
    affine(E, r->w, r->b, r->rows, x, row);
    if (E->oom)
        return at_oom(err);
    rational_set(E->u, r->kind == AT_READ_THRESHOLD ? r->threshold : 0);
    for (int k = 0; k < r->rows; k++) {
        int side = fmpq_cmp(&E->pool[row[k]], E->u);
        best = exact_order(E, row[k], row[best]) > 0 ? k : best;
        if (r->kind == AT_READ_SIGN && side == 0)
            return at_fail(err, AT_EREFUSED, "a state's readout is undecided: sign of 0");
        if (r->kind != AT_READ_ARGMAX)
            decision[k] = side > 0;
    }
    if (r->kind == AT_READ_ARGMAX)
        decision[0] = best;
    return AT_OK;
}

/* ---- forgetting ------------------------------------------------------------------------------------------------------------ */

at_status exact_settle(exact *E, at_err *err)
{
    for (int k = 0; k < E->m->n_tensors && !E->oom; k++)
        if (E->m->tensors[k].rank == 2 && !E->tensors[k].first)
            rows_make(E, k, &E->tensors[k]);
    E->settled = E->n;
    E->words = E->words_most = 0;
    return done(E, err);
}

size_t exact_mark(const exact *E)
{
    return E->n;
}

/* The last number that was entered is the last of every chain of slots that it is in: its slot is made free, and chains stay whole. */
void exact_forget(exact *E, size_t mark)
{
    while (E->n > mark) {
        const fmpq *x = &E->pool[E->n - 1];
        size_t at = rational_slot(E, x);
        while (E->table[at] != E->n)
            at = (at + 1) & (E->slots - 1);
        E->table[at] = 0;
        E->words -= rational_words(x);
        fmpq_clear(&E->pool[--E->n]);
    }
}

size_t exact_words(const exact *E)
{
    return E->words_most;
}
