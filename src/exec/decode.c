/* decode.c: the life of a decoder and the memory of its caches. Generation is in generate.c.
 *
 * The arithmetic is in decode.inc. Here: what is refused, what is reserved before a position is computed
 * (so that a push either happens or leaves everything as it was), and which rows of a cache may go.
 *
 * The cache of a group keeps rows in the order of positions. A row is dead when the mask hides it from the
 * query that comes now; masks of decoders never show a hidden row again. When the rows are full, the
 * dead are squeezed out; when more than half remain, there is room for twice as many. So a row is moved
 * O(1) times on average, and there are at most 2 * live + DECODE_LEAST rows: for block-sparse masks
 * O(k B + c T / B), for the others O(T).
 *
 *     pos   3   7  11 | 12  13  14  15        B = 4, k = 1, c = 1: block ends, then the window
 */
#include <math.h>
#include <string.h>

#include "decode.h"

#define FEATURES_KEPT 1024 /* positions whose features are computed once only */
#define DECODE_LEAST  16   /* rows of a cache that are always free after growing */

/* ---- making --------------------------------------------------------------------------------------- */

static void raise_to(size_t *most, size_t v)
{
    *most = v > *most ? v : *most;
}

static void sums_zero(const at_decoder *d, decode_group *a)
{
    size_t K = (size_t)a->g->heads * (size_t)a->g->dk, products = K * (size_t)a->g->dv;
    if (!d->exact_sums) {
        memset(a->sum_k, 0, K * d->ops->size);
        memset(a->sum_kv, 0, products * d->ops->size);
        return;
    }
    for (size_t i = 0; i < K; i++)
        at_acc_zero((at_acc *)a->sum_k + i);
    for (size_t i = 0; i < products; i++)
        at_acc_zero((at_acc *)a->sum_kv + i);
}

/* What decode_near.inc needs to leave out keys of weight 0: those of softmax and of hard attention, whose scores are scores of a query and a
 * key and nothing more. The hull is for keys of width 2. */
static at_status near_make(at_decoder *d, decode_group *out)
{
    const at_group *g = out->g;
    out->near = d->ops->near && !g->alibi && !at_weighting_is(g->weighting, AT_IS_PAIRS) &&
                (at_weighting_is(g->weighting, AT_IS_EXP) || at_weighting_is(g->weighting, AT_IS_TIED));
    if (!out->near)
        return AT_OK;
    size_t H = (size_t)g->heads;
    out->most = at_new(&d->arena, double, H *(size_t)g->dk);
    out->last = at_new(&d->arena, int, H);
    out->patience = at_new(&d->arena, int, H);
    bool hull = g->dk == 2 && at_post_is(g->post, AT_IS_SAME);
    if (hull)
        out->hull = at_new(&d->arena, decode_hull, H);
    return out->most && out->last && out->patience && (!hull || out->hull) ? AT_OK : at_oom(d->c.err);
}

static at_status group_make(at_decoder *d, const at_group *g, bool keys, decode_group *out)
{
    int D = d->c.m->width, K = g->heads * g->dk, V = g->heads * g->dv;
    *out = (decode_group){.g = g};
    at_status st = d->ops->matrix(d, g->q, g->qb, K, D, &out->q);
    if (!st)
        st = d->ops->matrix(d, g->k, g->kb, K, D, &out->k);
    if (!st)
        st = d->ops->matrix(d, g->v, g->vb, V, D, &out->v);
    if (!st)
        st = d->ops->matrix(d, g->o, g->ob, D, V, &out->o);
    if (!st && at_weighting_is(g->weighting, AT_IS_PAIRS))
        st = d->ops->matrix(d, g->k2, g->k2b, K, D, &out->k2);
    if (!st && at_weighting_is(g->weighting, AT_IS_PAIRS))
        st = d->ops->matrix(d, g->v2, g->v2b, V, D, &out->v2);
    /* Sums that clear themselves by rounding are those of this many bits, rounded after every token. */
    if (!st && g->rounded && (keys || d->exact_sums || d->c.f.p != g->rounded))
        return at_fail(
            d->c.err, AT_EREFUSED,
            "the model is cleared by rounding its sums to %d bits after every token%s; here are %s",
            g->rounded,
            g->rounded == 24   ? " (f32)"
            : g->rounded == 53 ? " (f64)"
                               : "",
            keys            ? "keys and values"
            : d->exact_sums ? "exact sums"
                            : "sums of other bits");
    /* Under a block-sparse mask keys leave again, and a sum of floats cannot give them back. */
    out->sums =
        !st && !keys && at_weighting_is(g->weighting, AT_IS_PHI) && at_mask_is(g->mask.kind, AT_IS_GROWING);
    if (!out->sums)
        return st ? st : near_make(d, out);
    size_t size = d->exact_sums ? sizeof(at_acc) : d->ops->size;
    size_t products = (size_t)K * (size_t)g->dv;
    out->sum_k = at_arena_alloc(&d->arena, (size_t)K, size);
    out->sum_kv = at_arena_alloc(&d->arena, products, size);
    if (!out->sum_k || !out->sum_kv)
        return at_oom(d->c.err);
    sums_zero(d, out);
    return AT_OK;
}

static size_t state_bytes(const at_decoder *d, const decode_block *k)
{
    return k->h ? (size_t)k->b->rnn.state * d->ops->size : 0;
}

static at_status cell_make(at_decoder *d, const at_rnn *r, decode_block *out)
{
    int D = d->c.m->width, S = r->state, G = at_rnn_parts(r->cell) * S;
    at_status st = d->ops->matrix(d, r->w, r->b, G, D, &out->w);
    if (!st)
        st = d->ops->matrix(d, r->u, -1, G, S, &out->u);
    if (!st)
        st = d->ops->matrix(d, r->o, r->ob, D, S, &out->o);
    if (st)
        return st;
    out->h = at_arena_alloc(&d->arena, (size_t)S, d->ops->size); /* zero: +0 in all of these arithmetics */
    out->gate[0] = at_arena_alloc(&d->arena, (size_t)G, d->ops->size);
    out->gate[1] = at_arena_alloc(&d->arena, (size_t)G, d->ops->size);
    return out->h && out->gate[0] && out->gate[1] ? AT_OK : at_oom(d->c.err);
}

static at_status block_make(at_decoder *d, const at_block *b, bool keys, decode_block *out)
{
    *out = (decode_block){.b = b};
    at_status st = AT_OK;
    if (b->kind == AT_BLOCK_ATTN) {
        /* The groups count from here on, also for at_decoder_free: all zero until each is made. */
        if (!(out->groups = at_new(&d->arena, decode_group, b->n_groups)))
            return at_oom(d->c.err);
        for (int g = 0; g < b->n_groups && !st; g++)
            st = group_make(d, &b->groups[g], keys, &out->groups[g]);
        return st;
    }
    if (b->kind == AT_BLOCK_RNN)
        return cell_make(d, &b->rnn, out);
    if (b->kind != AT_BLOCK_MLP)
        return at_fail(d->c.err, AT_EREFUSED, "block %d: the decoder has no step for %s",
                       (int)(b - d->c.m->blocks), at_block_names[b->kind]);
    if (!(out->dense = at_new(&d->arena, decode_matrix, b->n_dense)) ||
        (at_block_gated(b) && !(out->gate_of = at_new(&d->arena, decode_matrix, b->n_dense))))
        return at_oom(d->c.err);
    int in = d->c.m->width;
    for (int l = 0; l < b->n_dense && !st; l++) {
        st = d->ops->matrix(d, b->dense[l].w, b->dense[l].b, b->dense[l].rows, in, &out->dense[l]);
        if (!st && out->gate_of && l + 1 < b->n_dense)
            st = d->ops->matrix(d, b->dense[l].gw, b->dense[l].gb, b->dense[l].rows, in, &out->gate_of[l]);
        in = b->dense[l].rows;
    }
    return st;
}

/* Everything whose size does not depend on the sequence. */
static at_status fixed_make(at_decoder *d)
{
    const at_model *m = d->c.m;
    size_t D = (size_t)m->width, R = (size_t)m->readout.rows, query = 1, mixed = 1, hidden = 1, rounded = 1;
    size_t gates = 1, turn = 0;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++) {
            size_t H = (size_t)k->groups[g].heads, dk = (size_t)k->groups[g].dk, dv = (size_t)k->groups[g].dv;
            raise_to(&query, H * (2 * dk + dv)); /* for sums: q, k and v */
            raise_to(&mixed, H * dv);
            raise_to(&turn, (size_t)k->groups[g].rotary.width);
            if (k->groups[g].rotary.width && !d->turn_of)
                d->turn_of = &k->groups[g].rotary;
            if (d->blocks[b].groups[g].sums && d->exact_sums)
                raise_to(&rounded, dk * (dv + 1));
        }
        for (int l = 0; k->kind == AT_BLOCK_MLP && l < k->n_dense; l++)
            raise_to(&hidden, (size_t)k->dense[l].rows);
        if (at_block_gated(k))
            raise_to(&gates, hidden);
        if (k->kind == AT_BLOCK_RNN)
            raise_to(&hidden, (size_t)k->rnn.state);
    }
    size_t cols = D; /* of the widest matrix: what it reads is the stream, a mix of values or a layer */
    raise_to(&cols, mixed);
    raise_to(&cols, hidden);
    if (!(d->live = at_new(&d->arena, int, cols)))
        return at_oom(d->c.err);
    const struct {
        void **p;
        size_t n;
    } arrays[] = {{&d->x, D},
                  {&d->normed, D},
                  {&d->part, D},
                  {&d->result, D},
                  {&d->query, query},
                  {&d->mixed, mixed},
                  {&d->read, R},
                  {&d->hidden[0], hidden},
                  {&d->hidden[1], hidden},
                  {&d->hidden[2], gates},
                  {&d->rounded, rounded}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!(*arrays[k].p = at_arena_alloc(&d->arena, arrays[k].n, d->ops->size)))
            return at_oom(d->c.err);
    for (int k = 0; k < m->n_pos; k++)
        d->n_features += at_pos_is(m->pos[k].kind, AT_IS_ROWS) ? 0 : at_pos_features(&m->pos[k]);
    d->feature_rows = m->n_prefix + m->n_max < FEATURES_KEPT ? m->n_prefix + m->n_max : FEATURES_KEPT;
    size_t features = (size_t)(d->feature_rows + 1) * (size_t)d->n_features;
    if (!(d->feature = at_arena_alloc(&d->arena, features + 1, d->ops->size)))
        return at_oom(d->c.err);
    d->turn_width = (int)turn;
    if (turn && !(d->turn = at_arena_alloc(&d->arena, (size_t)(d->feature_rows + 1) * turn, d->ops->size)))
        return at_oom(d->c.err);
    if (at_model_trait(m, AT_TRAIT_PARALLEL) >= 0 &&
        !(d->before = at_arena_alloc(&d->arena, D, d->ops->size)))
        return at_oom(d->c.err);
    at_output *y = &d->y;
    *y = (at_output){.n = 1, .rows = (int)R, .width = m->readout.kind == AT_READ_ARGMAX ? 1 : (int)R};
    y->value = at_new(&d->arena, double, R);
    y->decision = at_new(&d->arena, double, R);
    y->margin = at_new(&d->arena, double, R);
    y->decided = at_new(&d->arena, uint8_t, R);
    return y->value && y->decision && y->margin && y->decided ? AT_OK : at_oom(d->c.err);
}

/* ---- memory of the sequence ------------------------------------------------------------------------- */

/* *p gets room for n elements; what is there stays, also when it fails. */
static at_status grow(at_decoder *d, void **p, size_t n, size_t size)
{
    void *q = size && n > SIZE_MAX / size ? NULL : at_realloc(*p, n * size);
    if (!q)
        return at_oom(d->c.err);
    *p = q;
    return AT_OK;
}

static void row_move(void *rows, size_t size, int from, int to)
{
    if (rows && from != to)
        memcpy((char *)rows + (size_t)to * size, (char *)rows + (size_t)from * size, size);
}

/* Drops the rows that query d->t and all later ones cannot see. */
static void group_squeeze(at_decoder *d, decode_group *a)
{
    size_t K = (size_t)a->g->heads * (size_t)a->g->dk * d->ops->size;
    size_t V = (size_t)a->g->heads * (size_t)a->g->dv * d->ops->size;
    int kept = 0;
    for (int j = 0; j < a->used; j++)
        if (at_mask_allows(&a->g->mask, d->t, a->pos[j])) {
            row_move(a->kc, K, j, kept);
            row_move(a->vc, V, j, kept);
            row_move(a->kc2, K, j, kept);
            row_move(a->vc2, V, j, kept);
            a->pos[kept++] = a->pos[j];
        }
    for (int h = 0; a->hull && kept < a->used && h < a->g->heads; h++) /* rows have other numbers now */
        a->hull[h] = (decode_hull){.row = a->hull[h].row};
    a->lost = a->lost || kept < a->used;
    a->wild = a->wild < a->used ? 0 : a->wild; /* wherever it is now */
    a->used = kept;
}

static at_status group_reserve(at_decoder *d, decode_group *a)
{
    if (a->sums || a->used < a->cap)
        return AT_OK;
    group_squeeze(d, a);
    if (a->used < a->cap && a->used <= a->cap / 2)
        return AT_OK;
    int cap = 2 * a->used + DECODE_LEAST;
    size_t K = (size_t)a->g->heads * (size_t)a->g->dk, V = (size_t)a->g->heads * (size_t)a->g->dv;
    void *pos = a->pos;
    at_status st = grow(d, &pos, (size_t)cap, sizeof *a->pos);
    a->pos = pos;
    if (!st)
        st = grow(d, &a->kc, (size_t)cap * K, d->ops->size);
    if (!st)
        st = grow(d, &a->vc, (size_t)cap * V, d->ops->size);
    if (!st && at_weighting_is(a->g->weighting, AT_IS_PAIRS))
        st = grow(d, &a->kc2, (size_t)cap * K, d->ops->size);
    if (!st && at_weighting_is(a->g->weighting, AT_IS_PAIRS))
        st = grow(d, &a->vc2, (size_t)cap * V, d->ops->size);
    for (int h = 0; a->hull && h < a->g->heads && !st; h++) {
        void *row = a->hull[h].row;
        st = grow(d, &row, (size_t)cap, sizeof *a->hull[h].row);
        a->hull[h].row = row;
    }
    if (!st)
        a->cap = cap;
    return st;
}

/* Room in every cache for position t, and scratch for the query that sees the most. Three-wise attention
 * weighs pairs of keys and needs dk numbers more for one of its arrays. */
static at_status position_reserve(at_decoder *d)
{
    size_t rows = 1, numbers = 1;
    at_status st = AT_OK;
    for (int b = 0; b < d->c.m->n_blocks; b++)
        for (int g = 0; d->blocks[b].groups && g < d->blocks[b].b->n_groups && !st; g++) {
            decode_group *a = &d->blocks[b].groups[g];
            st = group_reserve(d, a);
            size_t n = (size_t)a->used + 1;
            raise_to(&rows, n);
            raise_to(&numbers, at_weighting_is(a->g->weighting, AT_IS_PAIRS) ? n * n + (size_t)a->g->dk : n);
        }
    if (st || (rows <= d->scratch_rows && numbers <= d->scratch_numbers))
        return st;
    int **const lists[] = {&d->key, &d->every, &d->near};
    for (size_t k = 0; k < sizeof lists / sizeof *lists && !st; k++) {
        void *list = *lists[k];
        st = grow(d, &list, 2 * rows, sizeof **lists[k]);
        *lists[k] = list;
    }
    for (size_t j = 0; !st && j < 2 * rows; j++)
        d->every[j] = (int)j;
    void *flag = d->flag;
    if (!st)
        st = grow(d, &flag, 2 * rows, sizeof *d->flag);
    d->flag = flag;
    void **const all[] = {&d->s, &d->w, &d->z, &d->extra};
    for (size_t k = 0; k < sizeof all / sizeof *all && !st; k++)
        st = grow(d, all[k], 2 * numbers, d->ops->size);
    if (st)
        return st;
    d->scratch_rows = 2 * rows;
    d->scratch_numbers = 2 * numbers;
    return AT_OK;
}

size_t at_decoder_bytes(const at_decoder *d)
{
    size_t bytes = 0;
    for (int b = 0; b < d->c.m->n_blocks; b++) {
        bytes += state_bytes(d, &d->blocks[b]);
        for (int g = 0; d->blocks[b].groups && g < d->blocks[b].b->n_groups; g++) {
            const decode_group *a = &d->blocks[b].groups[g];
            size_t K = (size_t)a->g->heads * (size_t)a->g->dk, V = (size_t)a->g->heads * (size_t)a->g->dv;
            size_t pairs = at_weighting_is(a->g->weighting, AT_IS_PAIRS) ? 2 : 1;
            if (a->sums)
                bytes += K * ((size_t)a->g->dv + 1) * (d->exact_sums ? sizeof(at_acc) : d->ops->size);
            else
                bytes += (size_t)a->cap * (pairs * (K + V) * d->ops->size + sizeof *a->pos +
                                           (a->hull ? (size_t)a->g->heads * sizeof *a->hull->row : 0));
        }
    }
    return bytes;
}

at_cost at_decoder_cost(const at_decoder *d)
{
    at_cost c = d->cost;
    c.embedding = d->c.loaded;
    cost_sum(&c);
    return c;
}

/* ---- the decoder ------------------------------------------------------------------------------------- */

void at_decoder_free(at_decoder *d)
{
    if (!d)
        return;
    for (int b = 0; d->blocks && b < d->c.m->n_blocks; b++)
        for (int g = 0; d->blocks[b].groups && g < d->blocks[b].b->n_groups; g++) {
            decode_group *a = &d->blocks[b].groups[g];
            at_free(a->pos);
            at_free(a->kc);
            at_free(a->vc);
            at_free(a->kc2);
            at_free(a->vc2);
            for (int h = 0; a->hull && h < a->g->heads; h++)
                at_free(a->hull[h].row);
        }
    at_free(d->key);
    at_free(d->every);
    at_free(d->near);
    at_free(d->flag);
    at_free(d->s);
    at_free(d->w);
    at_free(d->z);
    at_free(d->extra);
    at_arena_release(&d->arena);
    at_free(d);
}

at_status decoder_advance(at_decoder *d, const double *row, at_err *err)
{
    if (at_cancel_pending())
        return at_fail(err, AT_ECANCEL, "interrupted");
    d->c.err = err;
    at_status st = position_reserve(d);
    if (!st)
        d->ops->step(d, row);
    return st;
}

static at_status fill(at_decoder *d, bool keys, at_err *err)
{
    const at_model *m = d->c.m;
    d->c.err = err;
    if (!(d->blocks = at_new(&d->arena, decode_block, m->n_blocks + 1)))
        return at_oom(err);
    at_status st = AT_OK;
    for (int b = 0; b < m->n_blocks && !st; b++)
        st = block_make(d, &m->blocks[b], keys, &d->blocks[b]);
    if (!st)
        st = d->ops->matrix(d, m->readout.w, m->readout.b, m->readout.rows, m->width, &d->readout);
    if (!st)
        st = fixed_make(d);
    for (int t = 0; t < m->n_prefix && !st; t++)
        st = decoder_advance(d, NULL, err);
    return st;
}

at_status decoder_reset(at_decoder *d, at_err *err)
{
    const at_model *m = d->c.m;
    if (d->t == m->n_prefix)
        return AT_OK;
    d->t = 0;
    for (int b = 0; b < m->n_blocks; b++) {
        if (d->blocks[b].h)
            memset(d->blocks[b].h, 0, state_bytes(d, &d->blocks[b]));
        for (int g = 0; d->blocks[b].groups && g < d->blocks[b].b->n_groups; g++) {
            decode_group *a = &d->blocks[b].groups[g];
            a->used = a->seen = 0;
            a->lost = false;
            if (a->sums)
                sums_zero(d, a);
        }
    }
    at_status st = AT_OK;
    for (int t = 0; t < m->n_prefix && !st; t++)
        st = decoder_advance(d, NULL, err);
    return st;
}

/* ---- the state ------------------------------------------------------------------------------------------- */

/* Appends n bytes to *to, or only counts them. */
static void state_put(char **to, size_t *bytes, const void *from, size_t n)
{
    if (*to) {
        memcpy(*to, from, n);
        *to += n;
    }
    *bytes += n;
}

static void state_put_group(const at_decoder *d, const decode_group *a, char **to, size_t *bytes)
{
    size_t K = (size_t)a->g->heads * (size_t)a->g->dk * d->ops->size;
    size_t V = (size_t)a->g->heads * (size_t)a->g->dv * d->ops->size;
    if (a->sums) {
        state_put(to, bytes, a->sum_k, K);
        state_put(to, bytes, a->sum_kv, K * (size_t)a->g->dv);
        return;
    }
    bool three = at_weighting_is(a->g->weighting, AT_IS_PAIRS);
    for (size_t j = 0; j < (size_t)a->used; j++)
        if (at_mask_allows(&a->g->mask, d->t, a->pos[j])) {
            state_put(to, bytes, &a->pos[j], sizeof *a->pos);
            state_put(to, bytes, (const char *)a->kc + j * K, K);
            state_put(to, bytes, (const char *)a->vc + j * V, V);
            if (three) {
                state_put(to, bytes, (const char *)a->kc2 + j * K, K);
                state_put(to, bytes, (const char *)a->vc2 + j * V, V);
            }
        }
}

at_status decoder_state(const at_decoder *d, void *state, size_t *bytes, at_err *err)
{
    char *to = state;
    *bytes = 0;
    state_put(&to, bytes, &d->t, sizeof d->t);
    for (int b = 0; b < d->c.m->n_blocks; b++) {
        if (d->blocks[b].h)
            state_put(&to, bytes, d->blocks[b].h, state_bytes(d, &d->blocks[b]));
        for (int g = 0; d->blocks[b].groups && g < d->blocks[b].b->n_groups; g++) {
            const decode_group *a = &d->blocks[b].groups[g];
            if (a->sums && d->exact_sums)
                return at_fail(err, AT_EREFUSED,
                               "block %d, group %d: exact running sums have no fixed size; round them", b, g);
            state_put_group(d, a, &to, bytes);
        }
    }
    return AT_OK;
}

/* ---- rewinding ------------------------------------------------------------------------------------------ */

#define SAVE_BYTES ((size_t)1 << 18) /* the most memory for saved sums */

/* Copies all sums and states to or from memory in one order. */
static void sums_copy(at_decoder *d, char *memory, bool save)
{
    size_t size = d->exact_sums ? sizeof(at_acc) : d->ops->size;
    for (int b = 0; b < d->c.m->n_blocks; b++) {
        decode_block *k = &d->blocks[b];
        if (k->h)
            memcpy(save ? memory : k->h, save ? k->h : memory, state_bytes(d, k));
        memory += state_bytes(d, k);
        for (int g = 0; k->groups && g < k->b->n_groups; g++) {
            decode_group *a = &k->groups[g];
            size_t K = (size_t)a->g->heads * (size_t)a->g->dk * size, KV = K * (size_t)a->g->dv;
            if (!a->sums)
                continue;
            memcpy(save ? memory : a->sum_k, save ? a->sum_k : memory, K);
            memcpy(save ? memory + K : a->sum_kv, save ? a->sum_kv : memory + K, KV);
            memory += K + KV;
        }
    }
}

at_status decoder_save_room(at_decoder *d, int positions, at_err *err)
{
    size_t size = d->exact_sums ? sizeof(at_acc) : d->ops->size;
    for (int b = 0; b < d->c.m->n_blocks; b++) {
        d->sum_bytes += state_bytes(d, &d->blocks[b]);
        for (int g = 0; d->blocks[b].groups && g < d->blocks[b].b->n_groups; g++) {
            const decode_group *a = &d->blocks[b].groups[g];
            d->sum_bytes +=
                a->sums ? (size_t)a->g->heads * (size_t)a->g->dk * (size_t)(a->g->dv + 1) * size : 0;
        }
    }
    if (d->sum_bytes == 0)
        return AT_OK;
    size_t rows = SAVE_BYTES / d->sum_bytes;
    d->save_rows = rows < (size_t)positions ? (int)rows : positions;
    d->saved = at_arena_alloc(&d->arena, (size_t)d->save_rows + 1, d->sum_bytes);
    return d->saved ? AT_OK : at_oom(err);
}

void decoder_save(at_decoder *d)
{
    if (d->t <= d->save_rows)
        sums_copy(d, (char *)d->saved + (size_t)d->t * d->sum_bytes, true);
}

bool decoder_rewind(at_decoder *d, int positions)
{
    const at_model *m = d->c.m;
    if (positions < m->n_prefix || positions > d->t || (d->sum_bytes && positions > d->save_rows))
        return false;
    for (int pass = 0; pass < 2; pass++) /* first ask, then do */
        for (int b = 0; b < m->n_blocks; b++)
            for (int g = 0; d->blocks[b].groups && g < d->blocks[b].b->n_groups; g++) {
                decode_group *a = &d->blocks[b].groups[g];
                if (a->lost)
                    return false;
                if (pass && a->sums)
                    a->seen = positions;
                else if (pass)
                    a->used = positions;
            }
    if (d->sum_bytes)
        sums_copy(d, (char *)d->saved + (size_t)positions * d->sum_bytes, false);
    d->t = positions;
    return true;
}

typedef enum { SUMS, SUMS_ROUNDED, KEYS } linear_kind; /* what linear attention keeps */

static at_status decoder_make(const at_model *m, at_arith a, linear_kind kind, at_decoder **out, at_err *err)
{
    static const decode_ops *const ops[AT_ARITH_KINDS] = {
        [AT_F32] = &ref_forward_f32_decode,
        [AT_F64] = &ref_forward_f64_decode,
        [AT_PBIT] = &ref_forward_pbit_decode,
    };
    if ((unsigned)a.kind >= AT_ARITH_KINDS || !ops[a.kind])
        return at_fail(err, AT_EREFUSED, "decoding is done in f32, f64 or p-bit arithmetic");
    if (!m->decode.enabled)
        return at_fail(err, AT_EREFUSED, "the model is no decoder: it has no stop rule");
    at_status st = at_model_validate(m, err);
    if (st)
        return st;
    at_decoder *d = at_calloc(1, sizeof *d);
    if (!d)
        return at_oom(err);
    at_arena_init(&d->arena);
    d->c = (ref_ctx){.m = m, .arena = &d->arena, .f = at_pfmt_of(a)};
    d->ops = ops[a.kind];
    d->exact_sums = a.kind == AT_PBIT && kind != SUMS_ROUNDED;
    st = fill(d, kind == KEYS, err);
    if (st)
        at_decoder_free(d);
    else
        *out = d;
    return st;
}

at_status at_decoder_new(const at_model *m, at_arith a, at_decoder **out, at_err *err)
{
    return decoder_make(m, a, SUMS, out, err);
}

at_status at_decoder_new_keys(const at_model *m, at_arith a, at_decoder **out, at_err *err)
{
    return decoder_make(m, a, KEYS, out, err);
}

at_status at_decoder_new_rounded(const at_model *m, at_arith a, at_decoder **out, at_err *err)
{
    return decoder_make(m, a, SUMS_ROUNDED, out, err);
}

at_status at_decoder_push(at_decoder *d, const double *row, at_err *err)
{
    const at_model *m = d->c.m;
    int done = d->t - m->n_prefix;
    if (done >= m->n_max)
        return at_fail(err, AT_EDOMAIN, "length %d out of range %d..%d", done + 1, m->n_min, m->n_max);
    at_status st = at_input_check_row(m, row, done + 1, err);
    return st ? st : decoder_advance(d, row, err);
}

at_status at_decoder_next(at_decoder *d, double *row, double *margin, at_tri *decided, at_err *err)
{
    if (d->t == 0)
        return at_fail(err, AT_EINPUT, "nothing was pushed, so nothing follows");
    d->ops->read(d);
    double least = INFINITY;
    at_tri all = AT_TRUE;
    for (int k = 0; k < d->y.width; k++) {
        least = fmin(least, d->y.margin[k]);
        all = at_tri_and(all, d->y.decided[k]);
        row[k] = d->y.decision[k] + 0.0; /* no -0 in a row */
    }
    *margin = least;
    *decided = all;
    return AT_OK;
}

const double *at_decoder_values(const at_decoder *d, int *n)
{
    *n = d->y.rows;
    return d->y.value;
}
