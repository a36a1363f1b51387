/* extract.c: a model of unique-hard attention, turned back into an automaton, for words of all lengths.
 *
 * CLAIM fo-extract. Let all masks be strict or causal, all weightings leftmost- or rightmost-hard, and let there be no positions.
 * What a position holds after a block is a function of its letter and of what its heads chose. A head with query q chooses among
 * keys by their scores and order alone, so of all keys before it the model needs to know, for each query vector that occurs, one: the
 * best so far. Hence the automaton: its state is, for each head and query vector, the largest score's key and the chosen key, as
 * values (key and value vector). A letter is run through all blocks from that state, and the keys that it makes are entered. Query
 * vectors are found on the way; when a new one turns up, nothing is known of keys that came before, and the search starts again
 * with it.
 *
 * Numbers are doubles, and every sum is checked to be exact in whatever order it is added; a model in which one is not is refused.
 * So the automaton is that of the weights over the reals, and of every arithmetic that represents them. */
#include <math.h>
#include <string.h>

#include "check_internal.h"

enum {
    VECTORS_MAX = 4096,
    ENTRIES_MAX = 1 << 26
}; /* different vectors of a head; numbers of all states together */

/* Different vectors of one length, in order of appearance. */
typedef struct {
    int width, n, room;
    double *v; /* (n, width) */
} vectors;

/* One head of one group: its query vectors, and its keys with their values. */
typedef struct {
    const at_group *g;
    vectors query, key;
    int slot; /* of its first query in a state; two numbers a query */
} head;

/* A matrix without its zeros: those of row k are first[k] .. first[k + 1] - 1. */
typedef struct {
    const int *first; /* NULL: not made yet */
    int *column;
    double *w;
} rows;

typedef struct {
    const at_model *m;
    rows *tensors; /* (n_tensors) */
    at_arena *a;
    at_err *err;
    int n_heads, slots; /* slots: numbers of a state, the last one its answer */
    head *heads;
    bool grown;                                                  /* a query vector that was not known */
    double *x, *sum, *part, *q, *k, *v, *mixed, *wide[2], *both; /* scratch */
    /* states */
    int n, room;
    int *state; /* (n, slots) */
    int *to;    /* (n, letters) */
    int *hash;
    size_t hashes;
} search;

/* ---- exact sums -------------------------------------------------------------------------------------------------------- */

/* Terms of a sum: their size, and the lowest bit of any. */
typedef struct {
    double sum, size;
    int low;
    bool exact;
} sums;

static const sums nothing = {.low = 2000, .exact = true};

static void term_add(sums *s, double p)
{
    if (p == 0)
        return;
    int e;
    int64_t bits = (int64_t)ldexp(frexp(p, &e), 53);
    int low = e - 53 + __builtin_ctzll((unsigned long long)(bits < 0 ? -bits : bits));
    s->low = low < s->low ? low : s->low;
    s->size += fabs(p);
    s->sum += p;
}

static bool is_small(double x)
{
    return fabs(x) < 0x1p26 && x == (double)(int)x;
}

static void product_add(sums *s, double w, double x)
{
    double p = w * x;
    if (is_small(w) && is_small(x)) { /* the usual case, and quick */
        s->low = s->low < 0 ? s->low : 0;
        s->size += fabs(p);
        s->sum += p;
        return;
    }
    s->exact &= isfinite(p) && fma(w, x, -p) == 0;
    if (s->exact)
        term_add(s, p);
}

/* Every partial sum, in whatever order, is a multiple of 2^low below 2^(low + 53). */
static bool sum_end(const sums *s, double *out)
{
    *out = s->sum;
    return s->exact && s->size < ldexp(1, s->low + 53);
}

static at_status not_exact(const search *e)
{
    return at_fail(e->err, AT_EREFUSED, "its numbers are rounded on the way: no automaton is certain");
}

/* The weights of a tensor that are not 0, row by row; made when it is first used. NULL: no memory. */
static const rows *rows_of(search *e, int tensor)
{
    rows *r = &e->tensors[tensor];
    const at_tensor *t = &e->m->tensors[tensor];
    const double *W = at_model_data(e->m, tensor);
    int in = (int)t->shape[1], n = (int)t->shape[0], count = 0;
    if (r->first)
        return r;
    for (size_t c = 0; (c = at_weights_next(W, c, t->count)) < t->count; c++)
        count++;
    int *first = at_new(e->a, int, n + 1);
    r->column = at_new(e->a, int, count + 1);
    r->w = at_new(e->a, double, count + 1);
    if (!first || !r->column || !r->w)
        return at_oom(e->err), NULL;
    count = 0;
    for (int k = 0; k < n; k++) {
        const double *row = W + (size_t)k * (size_t)in;
        for (size_t c = 0; (c = at_weights_next(row, c, (size_t)in)) < (size_t)in; c++) {
            r->column[count] = (int)c;
            r->w[count++] = row[c];
        }
        first[k + 1] = count;
    }
    r->first = first;
    return r;
}

/* y (rows) = W x + b */
static at_status matrix_run(search *e, int w, int b, int n, const double *x, double *y)
{
    const rows *r = rows_of(e, w);
    const double *B = at_model_data(e->m, b);
    if (!r)
        return AT_ENOMEM;
    for (int k = 0; k < n; k++) {
        sums s = nothing;
        for (int c = r->first[k]; c < r->first[k + 1]; c++)
            product_add(&s, r->w[c], x[r->column[c]]);
        if (B)
            product_add(&s, B[k], 1);
        if (!sum_end(&s, &y[k]))
            return not_exact(e);
    }
    return AT_OK;
}

/* x += y */
static at_status add(search *e, int n, const double *y, double *x)
{
    for (int k = 0; k < n; k++) {
        sums s = nothing;
        product_add(&s, x[k], 1);
        product_add(&s, y[k], 1);
        if (!sum_end(&s, &x[k]))
            return not_exact(e);
    }
    return AT_OK;
}

/* ---- vectors ------------------------------------------------------------------------------------------------------------ */

/* The number of a vector, which is entered when it is new (*is_new); -1: too many, or no memory. */
static int vector_meet(search *e, vectors *w, const double *v, bool *is_new)
{
    size_t bytes = (size_t)w->width * sizeof *v;
    *is_new = false;
    for (int k = 0; k < w->n; k++)
        if (memcmp(w->v + (size_t)k * (size_t)w->width, v, bytes) == 0)
            return k;
    if (w->n == VECTORS_MAX)
        return at_fail(e->err, AT_EBUDGET, "a head has more than %d different vectors", VECTORS_MAX), -1;
    if (w->n == w->room) {
        int room = w->room ? 2 * w->room : 8;
        double *more = at_new(e->a, double, (size_t)room *(size_t)w->width);
        if (!more)
            return at_oom(e->err), -1;
        if (w->n)
            memcpy(more, w->v, (size_t)w->n * bytes);
        w->v = more;
        w->room = room;
    }
    memcpy(w->v + (size_t)w->n * (size_t)w->width, v, bytes);
    *is_new = true;
    return w->n++;
}

/* A zero is 0, not -0: vectors are compared as bytes. */
static void zeros_plain(double *v, int n)
{
    for (int k = 0; k < n; k++)
        v[k] += 0.0;
}

static double post_of(at_post post, double s)
{
    switch (post) {
    case AT_POST_ID:
        return s;
    case AT_POST_NEG_RELU:
        return s > 0 ? -s : 0;
    case AT_POST_NEG_ABS:
        return -fabs(s);
    }
    return s;
}

static at_status score(search *e, const head *h, int query, int key, double *out)
{
    sums s = nothing;
    const double *q = h->query.v + (size_t)query * (size_t)h->query.width;
    const double *k = h->key.v + (size_t)key * (size_t)h->key.width;
    double dot;
    for (int i = 0; i < h->g->dk; i++)
        product_add(&s, q[i], k[i]);
    if (!sum_end(&s, &dot))
        return not_exact(e);
    s = nothing;
    product_add(&s, h->g->scale, dot);
    if (!sum_end(&s, &dot))
        return not_exact(e);
    *out = post_of(h->g->post, dot);
    return AT_OK;
}

/* ---- what a key does to a state ------------------------------------------------------------------------------------------- */

/* best[0]: the key of the largest score so far, best[1]: the one that is chosen; -1: none. */
static at_status key_enter(search *e, const head *h, int query, int key, int *best)
{
    double new, old, chosen;
    if (best[0] < 0) {
        best[0] = best[1] = key;
        return AT_OK;
    }
    at_status s = score(e, h, query, key, &new);
    if (!s)
        s = score(e, h, query, best[0], &old);
    if (!s)
        s = score(e, h, query, best[1], &chosen);
    if (s)
        return s;
    double top = new > old ? new : old, tie = h->g->tie;
    bool last = at_weighting_is(h->g->weighting, AT_IS_LAST);
    if (top - new != top - new || (tie > 0 && (top - new) + new != top)) /* differences are exact, too */
        return not_exact(e);
    if (last && top - new <= tie)
        best[1] = key;
    if (!last && top - chosen > tie) {
        if (top - old <= tie) /* the first within tie of the new largest may be any between */
            return at_fail(e->err, AT_EREFUSED, "leftmost-hard scores that differ by less than their tie");
        best[1] = key;
    }
    best[0] = new > old ? key : best[0];
    return AT_OK;
}

/* Head h of a position: its key is entered, and what it chooses is written to out (dv). */
static at_status head_run(search *e, head *h, const double *q, const double *k, const double *v,
                          const int *from, int *to, double *out)
{
    bool is_new;
    const at_group *g = h->g;
    memcpy(e->both, k, (size_t)g->dk * sizeof *k);
    memcpy(e->both + g->dk, v, (size_t)g->dv * sizeof *v);
    int key = vector_meet(e, &h->key, e->both, &is_new);
    int query = key < 0 ? -1 : vector_meet(e, &h->query, q, &is_new);
    if (query < 0)
        return e->err->code;
    memset(out, 0, (size_t)g->dv * sizeof *out);
    if (is_new) {
        e->grown = true;
        return AT_OK;
    }
    at_status s = AT_OK;
    for (int k2 = 0; k2 < h->query.n && !s; k2++)
        s = key_enter(e, h, k2, key, to + h->slot + 2 * k2);
    int chosen = (at_mask_is(g->mask.kind, AT_IS_STRICT) ? from : to)[h->slot + 2 * query + 1];
    if (!s && chosen >= 0)
        memcpy(out, h->key.v + (size_t)chosen * (size_t)h->key.width + g->dk, (size_t)g->dv * sizeof *out);
    return s;
}

static at_status attention_run(search *e, const at_block *b, head **at, const int *from, int *to)
{
    int D = e->m->width;
    at_status s = AT_OK;
    memset(e->sum, 0, (size_t)D * sizeof *e->sum);
    for (int n = 0; n < b->n_groups && !s; n++) {
        const at_group *g = &b->groups[n];
        int K = g->heads * g->dk, V = g->heads * g->dv;
        s = matrix_run(e, g->q, g->qb, K, e->x, e->q);
        if (!s)
            s = matrix_run(e, g->k, g->kb, K, e->x, e->k);
        if (!s)
            s = matrix_run(e, g->v, g->vb, V, e->x, e->v);
        zeros_plain(e->q, K);
        zeros_plain(e->k, K);
        zeros_plain(e->v, V);
        for (int h = 0; h < g->heads && !s && !e->grown; h++, ++*at)
            s = head_run(e, *at, e->q + h * g->dk, e->k + h * g->dk, e->v + h * g->dv, from, to,
                         e->mixed + h * g->dv);
        if (s || e->grown)
            return s;
        s = matrix_run(e, g->o, g->ob, D, e->mixed, e->part);
        if (!s)
            s = add(e, D, e->part, e->sum);
    }
    return s;
}

static at_status mlp_run(search *e, const at_block *b)
{
    const double *y = e->x;
    at_status s = AT_OK;
    for (int l = 0; l < b->n_dense && !s; l++) {
        bool last = l == b->n_dense - 1;
        double *out = last ? e->sum : e->wide[l % 2];
        s = matrix_run(e, b->dense[l].w, b->dense[l].b, b->dense[l].rows, y, out);
        for (int k = 0; k < b->dense[l].rows && !last; k++)
            out[k] = out[k] > 0 ? out[k] : 0;
        y = out;
    }
    return s;
}

/* One position from state `from`: e->x is its embedding. to: the state after it, its answer last. */
static at_status position_run(search *e, const int *from, int *to)
{
    const at_model *m = e->m;
    int D = m->width;
    head *at = e->heads;
    at_status s = AT_OK;
    memcpy(to, from, (size_t)e->slots * sizeof *to);
    for (int k = 0; k < m->n_blocks && !s; k++) {
        const at_block *b = &m->blocks[k];
        s = b->kind == AT_BLOCK_ATTN ? attention_run(e, b, &at, from, to) : mlp_run(e, b);
        if (s || e->grown)
            return s;
        if (b->residual)
            s = add(e, D, e->sum, e->x);
        else
            memcpy(e->x, e->sum, (size_t)D * sizeof *e->x);
    }
    double y;
    if (!s)
        s = matrix_run(e, m->readout.w, m->readout.b, 1, e->x, &y);
    if (!s)
        to[e->slots - 1] = y > m->readout.threshold;
    return s;
}

static at_status embedded_run(search *e, const at_embed *embed, int row, const int *from, int *to)
{
    memset(e->x, 0, (size_t)e->m->width * sizeof *e->x);
    memcpy(e->x + embed->col, at_model_data(e->m, embed->tensor) + (size_t)row * (size_t)embed->width,
           (size_t)embed->width * sizeof *e->x);
    return position_run(e, from, to);
}

/* ---- states ------------------------------------------------------------------------------------------------------------------ */

static int *state_of(const search *e, int k)
{
    return e->state + (size_t)k * (size_t)e->slots;
}

static size_t state_slot(const search *e, const int *state)
{
    size_t bytes = (size_t)e->slots * sizeof *state, k = at_hash64(state, bytes, 7) & (e->hashes - 1);
    while (e->hash[k] >= 0 && memcmp(state_of(e, e->hash[k]), state, bytes) != 0)
        k = (k + 1) & (e->hashes - 1);
    return k;
}

static at_status state_meet(search *e, const int *state, int *out)
{
    size_t k = state_slot(e, state);
    if (e->hash[k] < 0) {
        if (e->n == e->room)
            return at_fail(e->err, AT_EBUDGET,
                           "its automaton has more than %d states; that many are looked for", e->room);
        memcpy(state_of(e, e->n), state, (size_t)e->slots * sizeof *state);
        e->hash[k] = e->n++;
    }
    *out = e->hash[k];
    return AT_OK;
}

/* All states that words lead to. *again: with the query vectors that are known now. */
static at_status states_find(search *e, at_arena *scratch, bool *again)
{
    const at_model *m = e->m;
    int letters = m->fields[0].size;
    e->slots = 1;
    for (int h = 0; h < e->n_heads; h++) {
        e->heads[h].slot = e->slots - 1;
        e->slots += 2 * e->heads[h].query.n;
    }
    e->room = ENTRIES_MAX / e->slots < AT_STATES_MAX ? ENTRIES_MAX / e->slots : AT_STATES_MAX;
    e->n = 0;
    e->hashes = 1 << 16;
    e->state = at_new(scratch, int, (size_t)e->room *(size_t)e->slots);
    e->to = at_new(scratch, int, (size_t)e->room *(size_t)letters);
    e->hash = at_new(scratch, int, e->hashes);
    int *from = at_new(scratch, int, e->slots), *to = at_new(scratch, int, e->slots), first;
    if (!e->state || !e->to || !e->hash || !from || !to)
        return at_oom(e->err);
    memset(e->hash, -1, e->hashes * sizeof *e->hash);
    memset(from, -1, (size_t)e->slots * sizeof *from);
    from[e->slots - 1] = 0;
    e->grown = false;
    at_status s = AT_OK;
    for (int k = 0; k < m->n_prefix && !s && !e->grown; k++) {
        s = embedded_run(e, &m->prefix, k, from, to);
        memcpy(from, to, (size_t)e->slots * sizeof *from);
    }
    if (m->n_suffix) /* the answer is that of the suffix, and no part of a state */
        from[e->slots - 1] = 0;
    if (!s && !e->grown)
        s = state_meet(e, from, &first);
    for (int k = 0; k < e->n && !s && !e->grown; k++)
        for (int a = 0; a < letters && !s && !e->grown; a++) {
            if (at_cancel_pending())
                return at_fail(e->err, AT_ECANCEL, "interrupted");
            s = embedded_run(e, &m->fields[0].embed, a, state_of(e, k), to);
            if (m->n_suffix)
                to[e->slots - 1] = 0;
            if (!s && !e->grown)
                s = state_meet(e, to, &e->to[k * letters + a]);
        }
    *again = e->grown;
    return s;
}

/* The answer behind a word that leads to a state: that of the last position. */
static at_status answer_find(search *e, int k, int *from, int *to, bool *out)
{
    at_status s = AT_OK;
    memcpy(from, state_of(e, k), (size_t)e->slots * sizeof *from);
    for (int i = 0; i < e->m->n_suffix && !s && !e->grown; i++) {
        s = embedded_run(e, &e->m->suffix, i, from, to);
        memcpy(from, to, (size_t)e->slots * sizeof *from);
    }
    *out = from[e->slots - 1] == 1;
    return s;
}

/* ---- models ------------------------------------------------------------------------------------------------------------------- */

static at_status group_fits(const at_group *g, at_err *err)
{
    if (!at_weighting_is(g->weighting, AT_IS_ONE))
        return at_fail(
            err, AT_EREFUSED,
            "%s attention mixes keys, so no automaton follows; leftmost- and rightmost-hard choose one",
            at_weighting_names[g->weighting]);
    if (!at_mask_is(g->mask.kind, AT_IS_GROWING))
        return at_fail(err, AT_EREFUSED, "the mask %s: an automaton is made under strict and causal ones",
                       at_mask_names[g->mask.kind]);
    return AT_OK;
}

static at_status model_fits(const at_model *m, int *heads, int *widest, at_err *err)
{
    *heads = 0;
    *widest = m->width;
    if (m->n_fields != 1 || m->fields[0].kind != AT_FIELD_TOKEN || m->fields[0].size > AT_LETTERS_MAX)
        return at_fail(err, AT_EREFUSED, "it does not read words of at most %d letters", AT_LETTERS_MAX);
    if (m->decode.enabled || !m->readout.last || m->readout.kind != AT_READ_THRESHOLD || m->readout.rows != 1)
        return at_fail(err, AT_EREFUSED, "it does not answer yes or no, once for the whole word");
    if (m->n_pos)
        return at_fail(err, AT_EREFUSED, "it has positions (%s), so what it does may depend on the length",
                       at_pos_names[m->pos[0].kind]);
    if (!m->n_prefix && !m->n_suffix)
        return at_fail(err, AT_EREFUSED, "without a hidden position it has no answer for the empty word");
    if (m->readout.final_norm)
        return at_fail(err, AT_EREFUSED, "it has layer norms, whose numbers are not exact");
    for (int k = 0; k < m->n_blocks; k++) {
        const at_block *b = &m->blocks[k];
        at_status s = AT_OK;
        if (b->norm != AT_NORM_NONE)
            return at_fail(err, AT_EREFUSED, "it has layer norms, whose numbers are not exact");
        if (b->kind != AT_BLOCK_ATTN && (b->kind != AT_BLOCK_MLP || b->act != AT_ACT_RELU))
            return at_fail(err, AT_EREFUSED, "block %d is neither attention nor an MLP of ReLU units", k + 1);
        for (int n = 0; b->kind == AT_BLOCK_ATTN && n < b->n_groups && !s; n++) {
            const at_group *g = &b->groups[n];
            s = group_fits(g, err);
            *heads += g->heads;
            *widest = g->heads * g->dk > *widest ? g->heads * g->dk : *widest;
            *widest = g->heads * g->dv > *widest ? g->heads * g->dv : *widest;
        }
        for (int l = 0; b->kind == AT_BLOCK_MLP && l < b->n_dense; l++)
            *widest = b->dense[l].rows > *widest ? b->dense[l].rows : *widest;
        if (s)
            return s;
    }
    return AT_OK;
}

static at_status search_init(search *e, int widest)
{
    double **scratch[] = {&e->x, &e->sum, &e->part, &e->q, &e->k, &e->v, &e->mixed, &e->wide[0], &e->wide[1]};
    for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++)
        if (!(*scratch[k] = at_new(e->a, double, widest)))
            return at_oom(e->err);
    e->both = at_new(e->a, double, 2 * widest);
    e->heads = at_new(e->a, head, e->n_heads + 1);
    e->tensors = at_new(e->a, rows, e->m->n_tensors);
    if (!e->both || !e->heads || !e->tensors)
        return at_oom(e->err);
    head *at = e->heads;
    for (int k = 0; k < e->m->n_blocks; k++)
        for (int n = 0; e->m->blocks[k].kind == AT_BLOCK_ATTN && n < e->m->blocks[k].n_groups; n++) {
            const at_group *g = &e->m->blocks[k].groups[n];
            for (int h = 0; h < g->heads; h++)
                *at++ = (head){.g = g, .query = {.width = g->dk}, .key = {.width = g->dk + g->dv}};
        }
    return AT_OK;
}

static at_status letters_of(const at_model *m, at_arena *a, at_alphabet *out, at_err *err)
{
    const at_field *f = &m->fields[0];
    const char **letter = at_new(a, const char *, f->size);
    if (!letter)
        return at_oom(err);
    for (int k = 0; k < f->size; k++)
        if (!(letter[k] = f->words ? at_arena_strdup(a, f->words[k].s) : at_arena_printf(a, "%d", k)))
            return at_oom(err);
    *out = (at_alphabet){f->size, letter};
    return AT_OK;
}

at_status at_extract_dfa(const at_model *m, at_arena *a, at_dfa **out, at_err *err)
{
    at_err own = {0};
    at_arena kept, scratch;
    at_alphabet sigma;
    int widest;
    search e = {.m = m, .a = &kept, .err = err ? err : &own};
    *out = NULL;
    at_status s = model_fits(m, &e.n_heads, &widest, e.err);
    if (!s)
        s = letters_of(m, a, &sigma, e.err);
    if (s)
        return s;
    at_arena_init(&kept);
    at_arena_init(&scratch);
    s = search_init(&e, widest);
    for (bool again = true; again && !s;) {
        at_arena_release(&scratch);
        at_arena_init(&scratch);
        s = states_find(&e, &scratch, &again);
        int *from = s ? NULL : at_new(&scratch, int, e.slots),
            *to = s ? NULL : at_new(&scratch, int, e.slots);
        if (!s && (!from || !to))
            s = at_oom(e.err);
        at_dfa *d = NULL;
        if (!s && !again)
            s = at_dfa_new(&sigma, e.n, &scratch, &d, e.err);
        for (int k = 0; !s && !again && k < e.n; k++) {
            s = answer_find(&e, k, from, to, &d->accept[k]);
            again = e.grown; /* a query of the suffix */
        }
        if (!s && !again) {
            memcpy(d->to, e.to, (size_t)e.n * (size_t)sigma.n * sizeof *d->to);
            s = at_dfa_minimize(d, a, out, e.err);
        }
    }
    at_arena_release(&scratch);
    at_arena_release(&kept);
    return s;
}
