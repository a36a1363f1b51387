/* extract.c: a model of unique-hard attention, turned back into an automaton, for words of all lengths.
 *
 * CLAIM fo-extract. Let all masks be strict or causal, all weightings leftmost- or rightmost-hard, and let there be no positions, or
 * positions that repeat with a period m. What a position holds after a block is a function of its letter, of its index modulo m and
 * of what its heads chose. A head with query q chooses among keys by their scores and order alone, so of all keys before it the model
 * needs to know, for each query vector that occurs, one: the best so far. Hence the automaton: its state is the index modulo m and,
 * for each head and query vector, the largest score's key and the chosen key, as values (key and value vector). A letter is run
 * through all blocks from that state, and the keys that it makes are entered. Query vectors are found on the way; when a new one
 * turns up, nothing is known of keys that came before, and the search starts again with it.
 *
 * Positions. (-1)^i has period 2. A table has a row for each position that the file takes, and no more; it is continued with its least
 * period, which it must show at least twice. Equal rows are equal bits, so position i + m is embedded as position i is. Every
 * other feature goes on changing for ever, and is refused by name.
 *
 * Numbers are doubles. Where every sum is exact in whatever order it is added, the automaton is that of the weights over the reals,
 * and of every arithmetic that represents them. Where sums are rounded a number is a ball (extract_numbers.h) that holds the true
 * number and what f64 makes of it in any order of summation. Vectors that are the same ball count as one, and every comparison must
 * come out the same for all that balls hold: is a score within the tie of the largest one, is the readout above its threshold?
 * Then the automaton is that of the reals and of f64. Where one does not, the model is refused. */
#include <math.h>
#include <string.h>

#include "extract_search.h"

/* ---- sums ---------------------------------------------------------------------------------------------------------------- */

static at_status too_large(const search *e)
{
    return at_fail(e->err, AT_EREFUSED, "its numbers grow beyond 2^900: no automaton is certain");
}

static const number one = {1, 0};

/* A sum that is to be out; off says what rounding can do to it. */
static at_status sum_take(search *e, const sums *s, number *out)
{
    if (!sum_end(s, e->unit, out))
        return too_large(e);
    e->rounded |= out->off > 0;
    return AT_OK;
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

/* y (rows) = W x + b. from, to: NULL, or what x and y are off by (extract_traced.h). */
static at_status layer_run(search *e, int w, int b, int n, const number *x, number *y, const traced *from,
                           traced *to)
{
    const rows *r = rows_of(e, w);
    const double *B = at_model_data(e->m, b);
    at_status s = r ? AT_OK : AT_ENOMEM;
    for (int k = 0; k < n && !s; k++) {
        sums t = sum_of_nothing;
        for (int c = r->first[k]; c < r->first[k + 1]; c++)
            product_add(&t, (number){r->w[c], 0}, x[r->column[c]]);
        if (B)
            product_add(&t, (number){B[k], 0}, one);
        s = sum_take(e, &t, &y[k]);
        if (from && !s)
            traced_row(from, to, k, r->first[k + 1] - r->first[k], r->column + r->first[k],
                       r->w + r->first[k], &t, e->unit, &e->causes, &y[k]);
    }
    return s;
}

static at_status matrix_run(search *e, int w, int b, int n, const number *x, number *y)
{
    return layer_run(e, w, b, n, x, y, NULL, NULL);
}

/* x += f y */
static at_status add(search *e, int n, number f, const number *y, number *x)
{
    at_status s = AT_OK;
    for (int k = 0; k < n && !s; k++) {
        sums t = sum_of_nothing;
        product_add(&t, x[k], one);
        product_add(&t, f, y[k]);
        s = sum_take(e, &t, &x[k]);
    }
    return s;
}

/* ---- vectors ------------------------------------------------------------------------------------------------------------ */

/* The number of a vector, which is entered when it is new (*is_new); -1: too many, or no memory. */
int search_meet(search *e, vectors *w, const number *v, bool *is_new)
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
        number *more = at_new(e->a, number, (size_t)room * (size_t)w->width);
        double *off = at_new(e->a, double, room);
        if (!more || !off)
            return at_oom(e->err), -1;
        if (w->n) {
            memcpy(more, w->v, (size_t)w->n * bytes);
            memcpy(off, w->off, (size_t)w->n * sizeof *off);
        }
        w->v = more;
        w->off = off;
        w->room = room;
    }
    memcpy(w->v + (size_t)w->n * (size_t)w->width, v, bytes);
    w->off[w->n] = 0;
    *is_new = true;
    return w->n++;
}

/* The numbers of a vector as all of their kind are. Where some were not off so far before, vectors that are known are others now. */
static void numbers_round(search *e, int n, number *v, double *spread)
{
    bool fit = true;
    for (int k = 0; k < n; k++)
        fit &= number_round(&v[k], &spread[k]);
    for (int h = 0; h < e->n_heads && !fit; h++)
        e->heads[h].query.n = e->heads[h].key.n = 0;
    e->grown |= !fit;
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

at_status search_score(search *e, const head *h, int query, int key, number *out)
{
    sums t = sum_of_nothing;
    const number *q = h->query.v + (size_t)query * (size_t)h->query.width;
    const number *k = h->key.v + (size_t)key * (size_t)h->key.width;
    number dot;
    for (int i = 0; i < h->g->dk; i++)
        product_add(&t, q[i], k[i]);
    at_status s = sum_take(e, &t, &dot);
    t = sum_of_nothing;
    product_add(&t, (number){h->g->scale, 0}, dot);
    if (!s)
        s = sum_take(e, &t, out);
    out->at = post_of(h->g->post, out->at); /* which brings no two numbers further apart */
    return s;
}

/* ---- what a key does to a state ------------------------------------------------------------------------------------------- */

static at_status undecided(const search *e, const char *what)
{
    return at_fail(e->err, AT_EREFUSED, "its numbers are rounded, and %s: no automaton is certain", what);
}

/* Is a score within the tie of the largest one, top? All scores are off by at most `off`, and so is the largest of them. */
at_status search_within(const search *e, const head *h, double off, double top, double score, bool *out)
{
    double tie = h->g->tie, far = top - score;
    double slack = 2 * off + (tie > 0 ? 0x1p-50 * (fabs(top) + tie) : 0); /* top - tie is rounded, too */
    bool exact = off == 0 && (tie == 0 || (far + score == top && (top - tie) + tie == top));
    *out = far <= tie;
    if (exact || far + slack <= tie * (1 - 0x1p-50) || far - slack > tie * (1 + 0x1p-50))
        return AT_OK;
    return undecided(e, tie > 0 ? "a score is as far from the largest as the tie"
                                : "scores may be equal or not, without a tie");
}

/* best[0]: the key of the largest score so far, best[1]: the one that is chosen; -1: none. */
static at_status key_enter(search *e, const head *h, int query, int key, int *best)
{
    number new, old, chosen;
    bool is_near, was_near = false;
    at_status s = search_score(e, h, query, key, &new);
    if (!s && new.off > h->query.off[query]) {
        h->query.off[query] = 2 * new.off;
        e->grown = true;
    }
    if (s || best[0] < 0) {
        best[0] = best[1] = key;
        return s;
    }
    s = search_score(e, h, query, best[0], &old);
    if (!s)
        s = search_score(e, h, query, best[1], &chosen);
    if (s)
        return s;
    double off = h->query.off[query], top = new.at > old.at ? new.at : old.at;
    bool last = at_weighting_is(h->g->weighting, AT_IS_LAST);
    if (last && new.at - old.at > 2 * off) /* the largest, surely */
        best[1] = key;
    else if (last) {
        s = search_within(e, h, off, top, new.at, &is_near);
        if (!s && is_near)
            best[1] = key;
    } else if (!(old.at - new.at > 2 * off)) {
        s = search_within(e, h, off, top, chosen.at, &is_near);
        if (!s && !is_near)
            s = search_within(e, h, off, top, old.at, &was_near);
        if (!s && was_near) /* the first within tie of the new largest may be any between */
            return at_fail(e->err, AT_EREFUSED, "leftmost-hard scores that differ by less than their tie");
        if (!s && !is_near)
            best[1] = key;
    }
    best[0] = new.at > old.at ? key : best[0];
    return s;
}

/* Head h of a position: its key is entered, and what it chooses is written to out (dv). */
static at_status head_run(search *e, head *h, number *q, number *k, number *v, const int *from, int *to,
                          number *out)
{
    bool is_new;
    const at_group *g = h->g;
    memset(out, 0, (size_t)g->dv * sizeof *out);
    numbers_round(e, g->dk, q, h->spread);
    numbers_round(e, g->dk, k, h->spread + g->dk);
    numbers_round(e, g->dv, v, h->spread + 2 * g->dk);
    if (e->grown)
        return AT_OK;
    memcpy(e->both, k, (size_t)g->dk * sizeof *k);
    memcpy(e->both + g->dk, v, (size_t)g->dv * sizeof *v);
    int key = search_meet(e, &h->key, e->both, &is_new);
    int query = key < 0 ? -1 : search_meet(e, &h->query, q, &is_new);
    if (query < 0)
        return e->err->code;
    if (is_new) {
        e->grown = true;
        return AT_OK;
    }
    at_status s = AT_OK;
    for (int k2 = 0; k2 < h->query.n && !s; k2++)
        s = key_enter(e, h, k2, key, to + h->slot + 2 * k2);
    int chosen = (at_mask_is(g->mask.kind, AT_IS_STRICT) ? from : to)[h->slot + 2 * query + 1];
    if (e->watch) {
        e->asked[h - e->heads] = query;
        e->had[h - e->heads] = key;
        e->chosen[h - e->heads] = chosen;
    }
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
        for (int h = 0; h < g->heads && !s && !e->grown; h++, ++*at)
            s = head_run(e, *at, e->q + h * g->dk, e->k + h * g->dk, e->v + h * g->dv, from, to,
                         e->mixed + h * g->dv);
        if (s || e->grown)
            return s;
        s = matrix_run(e, g->o, g->ob, D, e->mixed, e->part);
        if (!s)
            s = add(e, D, one, e->part, e->sum);
    }
    return s;
}

static at_status mlp_run(search *e, const at_block *b)
{
    const number *y = e->x;
    int D = e->m->width;
    at_status s = AT_OK;
    traced_begin(&e->errors[1], &e->causes, D, y);
    bool off = e->causes.n > 0;
    for (int l = 0; l < b->n_dense && !s; l++) {
        bool last = l == b->n_dense - 1;
        number *out = last ? e->sum : e->wide[l % 2];
        traced *to = &e->errors[l % 2], *from = off ? &e->errors[1 - l % 2] : NULL;
        s = layer_run(e, b->dense[l].w, b->dense[l].b, b->dense[l].rows, y, out, from, to);
        for (int k = 0; k < b->dense[l].rows && !last && !s; k++)
            if (off)
                traced_relu(to, &e->causes, k, &out[k]);
            else
                out[k] = number_relu(out[k]);
        y = out;
    }
    return s;
}

/* One position from state `from`: e->x is its embedding. to: the state after it, its answer last, where it may be the last one. */
static at_status position_run(search *e, bool may_end, const int *from, int *to)
{
    const at_model *m = e->m;
    int D = m->width, layer = 0;
    head *at = e->heads;
    at_status s = AT_OK;
    memcpy(to, from, (size_t)e->slots * sizeof *to);
    for (int k = 0; k < m->n_blocks && !s; k++) {
        const at_block *b = &m->blocks[k];
        bool attends = b->kind == AT_BLOCK_ATTN;
        if (attends && e->watch && (s = e->watch(e, layer++, e->watcher)))
            return s;
        s = attends ? attention_run(e, b, &at, from, to) : mlp_run(e, b);
        if (s || e->grown)
            return s;
        if (b->residual)
            s = add(e, D, one, e->sum, e->x);
        else
            memcpy(e->x, e->sum, (size_t)D * sizeof *e->x);
    }
    to[e->slots - 1] = 0;
    if (!s && e->watch)
        s = e->watch(e, layer, e->watcher);
    if (s || !may_end)
        return s;
    number y;
    s = matrix_run(e, m->readout.w, m->readout.b, 1, e->x, &y);
    if (!s && y.off == 0 && y.at == m->readout.threshold) /* a margin of 0, as a check has it */
        s = at_fail(e->err, AT_EREFUSED, "undecided: a word ends exactly at the threshold of the readout, %g",
                    y.at);
    if (!s && !(fabs(y.at - m->readout.threshold) > y.off * (1 + 0x1p-50)))
        s = undecided(e, "the readout may be above its threshold or not");
    if (!s)
        to[e->slots - 1] = y.at > m->readout.threshold;
    return s;
}

/* Row `row` of a table is added to x. */
static at_status row_add(search *e, const at_embed *embed, int row, number f)
{
    const double *w = at_model_data(e->m, embed->tensor) + (size_t)row * (size_t)embed->width;
    for (int k = 0; k < embed->width; k++)
        e->part[k] = (number){w[k], 0};
    return add(e, embed->width, f, e->part, e->x + embed->col);
}

/* The position that comes after state `from`, row `row` of a table. */
at_status search_step(search *e, const at_embed *embed, int row, const int *from, int *to)
{
    const at_model *m = e->m;
    bool may_end = embed == &m->suffix ? row == m->n_suffix - 1 : !m->n_suffix;
    int at = from[e->slots - 2];
    memset(e->x, 0, (size_t)m->width * sizeof *e->x);
    at_status s = row_add(e, embed, row, one);
    for (int k = 0; k < m->n_pos && !s; k++) {
        const at_pos *p = &m->pos[k];
        bool is_rows = at_pos_is(p->kind, AT_IS_ROWS);
        for (int f = 0; f < (is_rows ? 1 : at_pos_features(p)) && !s; f++)
            s = is_rows ? row_add(e, &p->embed, at, one)
                        : row_add(e, &p->embed, f, (number){at_pos_value(p, f, m->pos_origin + at, 1), 0});
    }
    if (!s)
        s = position_run(e, may_end, from, to);
    to[e->slots - 2] = (at + 1) % e->period;
    return s;
}

/* ---- states ------------------------------------------------------------------------------------------------------------------ */

int *search_state(const search *e, int k)
{
    return e->state + (size_t)k * (size_t)e->slots;
}

static size_t state_slot(const search *e, const int *state)
{
    size_t bytes = (size_t)e->slots * sizeof *state, k = at_hash64(state, bytes, 7) & (e->hashes - 1);
    while (e->hash[k] >= 0 && memcmp(search_state(e, e->hash[k]), state, bytes) != 0)
        k = (k + 1) & (e->hashes - 1);
    return k;
}

/* Room for twice as many states, or the first. What was there before stays in the arena until the search begins again. */
static at_status states_grow(search *e, at_arena *scratch)
{
    size_t most =
        ENTRIES_MAX / (size_t)e->slots < AT_STATES_MAX ? ENTRIES_MAX / (size_t)e->slots : AT_STATES_MAX;
    size_t n = (size_t)e->n, room = n ? 2 * n : STATES_FIRST, letters = (size_t)e->m->fields[0].size;
    room = room < most ? room : most;
    if (n == room)
        return at_fail(e->err, AT_EBUDGET, "its automaton has more than %d states; that many are looked for",
                       e->n);
    int *state = at_new(scratch, int, room *(size_t)e->slots), *to = at_new(scratch, int, room *letters);
    for (e->hashes = 1; e->hashes < 3 * room;)
        e->hashes *= 2;
    e->hash = at_new(scratch, int, e->hashes);
    if (!state || !to || !e->hash)
        return at_oom(e->err);
    if (n) {
        memcpy(state, e->state, n * (size_t)e->slots * sizeof *state);
        memcpy(to, e->to, n * letters * sizeof *to);
    }
    e->state = state;
    e->to = to;
    e->room = (int)room;
    memset(e->hash, -1, e->hashes * sizeof *e->hash);
    for (int k = 0; k < e->n; k++)
        e->hash[state_slot(e, search_state(e, k))] = k;
    return AT_OK;
}

static at_status state_meet(search *e, at_arena *scratch, const int *state, int *out)
{
    size_t k = state_slot(e, state);
    if (e->hash[k] < 0) {
        if (e->n == e->room) {
            at_status s = states_grow(e, scratch);
            if (s)
                return s;
            k = state_slot(e, state);
        }
        memcpy(search_state(e, e->n), state, (size_t)e->slots * sizeof *state);
        e->hash[k] = e->n++;
    }
    *out = e->hash[k];
    return AT_OK;
}

at_status search_start(search *e, int *from, int *to)
{
    at_status s = AT_OK;
    memset(from, -1, (size_t)e->slots * sizeof *from);
    from[e->slots - 2] = from[e->slots - 1] = 0;
    for (int k = 0; k < e->m->n_prefix && !s && !e->grown; k++) {
        s = search_step(e, &e->m->prefix, k, from, to);
        memcpy(from, to, (size_t)e->slots * sizeof *from);
    }
    return s;
}

/* All states that words lead to. *again: with the query vectors that are known now. */
static at_status states_find(search *e, at_arena *scratch, bool *again)
{
    const at_model *m = e->m;
    int letters = m->fields[0].size;
    e->slots = 2;
    for (int h = 0; h < e->n_heads; h++) {
        e->heads[h].slot = e->slots - 2;
        e->slots += 2 * e->heads[h].query.n;
    }
    e->n = 0;
    int *from = at_new(scratch, int, e->slots), *to = at_new(scratch, int, e->slots), next = -1;
    if (!from || !to)
        return at_oom(e->err);
    e->grown = false;
    at_status s = states_grow(e, scratch);
    if (!s)
        s = search_start(e, from, to);
    if (!s && !e->grown)
        s = state_meet(e, scratch, from, &next);
    for (int k = 0; k < e->n && !s && !e->grown; k++)
        for (int a = 0; a < letters && !s && !e->grown; a++) {
            if (at_cancel_pending())
                return at_fail(e->err, AT_ECANCEL, "interrupted");
            s = search_step(e, &m->fields[0].embed, a, search_state(e, k), to);
            if (s || e->grown)
                break;
            s = state_meet(e, scratch, to, &next);
            e->to[k * letters + a] = next;
        }
    *again = e->grown;
    return s;
}

/* The answer behind a word that leads to a state: that of the last position. */
static at_status answer_find(search *e, int k, int *from, int *to, bool *out)
{
    at_status s = AT_OK;
    memcpy(from, search_state(e, k), (size_t)e->slots * sizeof *from);
    for (int i = 0; i < e->m->n_suffix && !s && !e->grown; i++) {
        s = search_step(e, &e->m->suffix, i, from, to);
        memcpy(from, to, (size_t)e->slots * sizeof *from);
    }
    *out = from[e->slots - 1] == 1;
    return s;
}

/* ---- models ------------------------------------------------------------------------------------------------------------------- */

static at_status group_fits(const at_group *g, at_err *err)
{
    if (!at_weighting_is(g->weighting, AT_IS_ONE))
        return at_fail(err, AT_EREFUSED,
                       "%s attention mixes keys, so no automaton follows; leftmost- and rightmost-hard "
                       "choose one. Means are "
                       "counts in qNeE: attest extract --to crasp, or foc",
                       at_weighting_names[g->weighting]);
    if (!at_mask_is(g->mask.kind, AT_IS_GROWING))
        return at_fail(err, AT_EREFUSED, "the mask %s: an automaton is made under strict and causal ones",
                       at_mask_names[g->mask.kind]);
    return AT_OK;
}

static at_status model_fits(const at_model *m, int *heads, int *widest, double *unit, at_err *err)
{
    double mixed = 0;
    at_status taken = at_model_takes(m, AT_IN_ANALYSE, "extraction", err);
    if (taken)
        return taken;
    *heads = 0;
    *widest = m->width;
    if (m->n_fields != 1 || m->fields[0].kind != AT_FIELD_TOKEN || m->fields[0].size > AT_LETTERS_MAX)
        return at_fail(err, AT_EREFUSED, "it does not read words of at most %d letters", AT_LETTERS_MAX);
    if (m->decode.enabled || !m->readout.last || m->readout.kind != AT_READ_THRESHOLD || m->readout.rows != 1)
        return at_fail(err, AT_EREFUSED, "it does not answer yes or no, once for the whole word");
    if (!m->n_prefix && !m->n_suffix)
        return at_fail(err, AT_EREFUSED, "without a hidden position it has no answer for the empty word");
    if (m->readout.final_norm)
        return at_fail(err, AT_EREFUSED, "it has layer norms, whose numbers are not exact");
    for (int k = 0; k < m->n_blocks; k++) {
        const at_block *b = &m->blocks[k];
        at_status s = AT_OK;
        if (b->norm != AT_NORM_NONE)
            return at_fail(err, AT_EREFUSED, "it has layer norms, whose numbers are not exact");
        if (b->kind != AT_BLOCK_ATTN && (b->kind != AT_BLOCK_MLP || !at_act_is(b->act, AT_IS_RELU)))
            return at_fail(err, AT_EREFUSED, "block %d is neither attention nor an MLP of ReLU units", k + 1);
        for (int n = 0; b->kind == AT_BLOCK_ATTN && n < b->n_groups && !s; n++) {
            const at_group *g = &b->groups[n];
            s = group_fits(g, err);
            *heads += g->heads;
            mixed += (double)g->heads * g->dv;
            *widest = g->heads * g->dk > *widest ? g->heads * g->dk : *widest;
            *widest = g->heads * g->dv > *widest ? g->heads * g->dv : *widest;
        }
        for (int l = 0; b->kind == AT_BLOCK_MLP && l < b->n_dense; l++)
            *widest = b->dense[l].rows > *widest ? b->dense[l].rows : *widest;
        if (s)
            return s;
    }
    *unit = (2.0 * *widest + mixed + m->n_pos + 64) * 0x1p-52;
    return AT_OK;
}

/* The least p with row i = row i + p for all i: the rows less the longest stretch that they begin and end with. */
static at_status table_period(const at_model *m, const at_pos *p, int *out, at_err *err)
{
    int n = p->size, width = p->embed.width, k = 0;
    const double *w = at_model_data(m, p->embed.tensor);
    at_arena a;
    at_arena_init(&a);
    int *border = at_new(&a, int, n); /* of the first i + 1 rows */
    for (int i = 1; border && i < n; i++) {
        bool same;
        for (;; k = border[k - 1]) {
            same = true;
            for (int c = 0; c < width && same; c++)
                same = w[(size_t)i * (size_t)width + (size_t)c] == w[(size_t)k * (size_t)width + (size_t)c];
            if (same || k == 0)
                break;
        }
        border[i] = k += same;
    }
    at_arena_release(&a);
    *out = n - k;
    return border ? AT_OK : at_oom(err);
}

/* The period of all position features together. */
at_status at_model_period(const at_model *m, int *out, at_err *err)
{
    at_status taken = at_model_takes(m, AT_IN_ANALYSE, "periods of positions", err);
    if (taken)
        return taken;
    *out = 1;
    for (int k = 0; k < m->n_pos; k++) {
        const at_pos *p = &m->pos[k];
        int period = at_pos_period(p->kind), a = *out;
        at_status s = at_pos_is(p->kind, AT_IS_ROWS) ? table_period(m, p, &period, err) : AT_OK;
        if (s)
            return s;
        if (!period)
            return at_fail(err, AT_EREFUSED,
                           "position feature %d (%s) does not repeat, so what it does may depend on the "
                           "length; lengths that are "
                           "named can be run: attest equal A B --lengths 0..8",
                           k + 1, at_pos_names[p->kind]);
        if (at_pos_is(p->kind, AT_IS_ROWS) && 2 * period > p->size)
            return at_fail(
                err, AT_EREFUSED,
                "position feature %d (%s of %d rows) does not show a period twice, so nothing says "
                "what longer words have",
                k + 1, at_pos_names[p->kind], p->size);
        for (int b = period, rest; b; a = b, b = rest) /* a: the greatest common divisor, in the end */
            rest = a % b;
        if ((int64_t)*out / a * period > PERIOD_MAX)
            return at_fail(err, AT_EBUDGET,
                           "its positions repeat after more than %d; that many are looked at", PERIOD_MAX);
        *out = *out / a * period;
    }
    return AT_OK;
}

static at_status search_init(search *e, int widest)
{
    number **scratch[] = {&e->x, &e->sum, &e->part, &e->q, &e->k, &e->v, &e->mixed, &e->wide[0], &e->wide[1]};
    for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++)
        if (!(*scratch[k] = at_new(e->a, number, widest)))
            return at_oom(e->err);
    for (int k = 0; k < 2; k++) {
        e->errors[k].by = at_new(e->a, double, (size_t)widest *(size_t)e->m->width);
        e->errors[k].own = at_new(e->a, double, widest);
        e->errors[k].all = at_new(e->a, double, widest);
        if (!e->errors[k].by || !e->errors[k].own || !e->errors[k].all)
            return at_oom(e->err);
    }
    e->causes.off = at_new(e->a, double, e->m->width + 1);
    e->asked = at_new(e->a, int, 3 * (e->n_heads + 1));
    if (!e->causes.off || !e->asked)
        return at_oom(e->err);
    e->had = e->asked + e->n_heads;
    e->chosen = e->had + e->n_heads;
    e->both = at_new(e->a, number, 2 * widest);
    e->heads = at_new(e->a, head, e->n_heads + 1);
    e->tensors = at_new(e->a, rows, e->m->n_tensors);
    if (!e->both || !e->heads || !e->tensors)
        return at_oom(e->err);
    head *at = e->heads;
    for (int k = 0; k < e->m->n_blocks; k++)
        for (int n = 0; e->m->blocks[k].kind == AT_BLOCK_ATTN && n < e->m->blocks[k].n_groups; n++) {
            const at_group *g = &e->m->blocks[k].groups[n];
            for (int h = 0; h < g->heads; h++, at++) {
                *at = (head){.g = g, .query = {.width = g->dk}, .key = {.width = g->dk + g->dv}};
                if (!(at->spread = at_new(e->a, double, 2 * g->dk + g->dv)))
                    return at_oom(e->err);
            }
        }
    return AT_OK;
}

at_status search_letters(const at_model *m, at_arena *a, at_alphabet *out, at_err *err)
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

at_status search_open(search *e, const at_model *m, at_arena *kept, at_err *err)
{
    int widest;
    *e = (search){.m = m, .a = kept, .err = err};
    at_status s = model_fits(m, &e->n_heads, &widest, &e->unit, err);
    if (!s)
        s = at_model_period(m, &e->period, err);
    return s ? s : search_init(e, widest);
}

at_status search_settle(search *e, at_arena *scratch, bool **accept)
{
    at_status s = AT_OK;
    at_arena_init(scratch);
    for (bool again = true; again && !s;) {
        at_arena_release(scratch);
        at_arena_init(scratch);
        s = states_find(e, scratch, &again);
        if (s || again)
            continue;
        int *from = at_new(scratch, int, e->slots), *to = at_new(scratch, int, e->slots);
        *accept = at_new(scratch, bool, e->n);
        if (!from || !to || !*accept)
            return at_oom(e->err);
        for (int k = 0; !s && !again && k < e->n; k++) {
            s = answer_find(e, k, from, to, &(*accept)[k]);
            again = e->grown; /* a query of the suffix */
        }
    }
    return s;
}

at_status at_extract_dfa(const at_model *m, at_arena *a, at_extracted *out, at_err *err)
{
    at_err own = {0};
    at_arena kept, scratch;
    at_alphabet sigma;
    search e;
    bool *accept;
    at_dfa *d;
    *out = (at_extracted){0};
    at_arena_init(&kept);
    at_arena_init(&scratch);
    at_status s = search_open(&e, m, &kept, err ? err : &own);
    if (!s)
        s = search_letters(m, a, &sigma, e.err);
    if (!s)
        s = search_settle(&e, &scratch, &accept);
    if (!s)
        s = at_dfa_new(&sigma, e.n, &scratch, &d, e.err);
    if (!s) {
        memcpy(d->to, e.to, (size_t)e.n * (size_t)sigma.n * sizeof *d->to);
        memcpy(d->accept, accept, (size_t)e.n * sizeof *accept);
        s = at_dfa_minimize(d, a, &out->dfa, e.err);
    }
    out->period = e.period;
    out->rounded = e.rounded;
    at_arena_release(&scratch);
    at_arena_release(&kept);
    return s;
}
