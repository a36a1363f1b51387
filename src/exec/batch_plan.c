/* batch_plan.c: a plain model as batched decoding wants it: what is refused, and weights rounded and packed once.
 *
 * The family is that of trained and of imported decoders: one token field, no prefix; blocks with one group of softmax
 * attention (causal or block-sparse) or of linear attention (causal), with rotary positions or alibi, or with an MLP, gated or
 * not; norms anywhere; argmax. What is outside is refused by name, so that a caller can go to at_generator, which runs every
 * decoder. */
#include "batch.h"

#include <string.h>

typedef struct {
    const at_model *m;
    const batch_kernel *kernel;
    at_arena *arena;
    batch_plan *p;
    at_pfmt format;
    at_err *err;
    char *next; /* of p->weights that is free */
} maker;

static at_status group_check(const at_group *g, int b, at_err *err)
{
    if (!(at_weighting_parts[g->weighting].in & AT_IN_BATCH))
        return at_fail(err, AT_EREFUSED, "batched decoding has no %s attention (block %d)",
                       at_weighting_names[g->weighting], b);
    if (!(at_post_parts[g->post].in & AT_IN_BATCH))
        return at_fail(err, AT_EREFUSED, "batched decoding has no scores after %s (block %d)",
                       at_post_names[g->post], b);
    if (!(at_mask_parts[g->mask.kind].in & AT_IN_BATCH) ||
        (at_mask_is(g->mask.kind, AT_IS_BLOCKS) && at_weighting_is(g->weighting, AT_IS_PHI)))
        return at_fail(err, AT_EREFUSED, "batched decoding has no %s attention with mask %s (block %d)",
                       at_weighting_names[g->weighting], at_mask_names[g->mask.kind], b);
    return AT_OK;
}

static at_status family_check(const at_model *m, at_err *err)
{
    at_status taken = at_model_takes(m, AT_IN_BATCH, "batched decoding", err);
    if (taken)
        return taken;
    if (m->n_fields != 1 || m->fields[0].kind != AT_FIELD_TOKEN)
        return at_fail(err, AT_EREFUSED, "batched decoding wants one token field; the first of %d is %s",
                       m->n_fields, at_field_names[m->fields[0].kind]);
    if (m->n_prefix)
        return at_fail(err, AT_EREFUSED, "batched decoding has no prefix rows; the model has %d",
                       m->n_prefix);
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        if (k->kind != AT_BLOCK_ATTN && k->kind != AT_BLOCK_MLP)
            return at_fail(err, AT_EREFUSED, "block %d: batched decoding has no step for %s", b,
                           at_block_names[k->kind]);
        if (k->kind == AT_BLOCK_ATTN && k->n_groups != 1)
            return at_fail(err, AT_EREFUSED, "batched decoding has one group a block; block %d has %d", b,
                           k->n_groups);
        if (k->kind == AT_BLOCK_ATTN && group_check(&k->groups[0], b, err))
            return AT_EREFUSED;
    }
    return AT_OK; /* a decoder with a token field reads by argmax */
}

/* ---- weights ---------------------------------------------------------------------------------------------- */

/* Numbers from a row to the next: no multiple of 1 KiB, or else the rows of a tile would fight for the same lines of the
 * cache. */
static size_t padded(size_t n)
{
    size_t s = (n + BATCH_ALIGN - 1) / BATCH_ALIGN * BATCH_ALIGN;
    return s % 128 ? s : s + BATCH_ALIGN;
}

/* Bytes of the panels of a matrix; whole lines of the cache. */
static size_t panel_bytes(const maker *k, int out, int in)
{
    size_t NR = 2 * (size_t)k->kernel->lanes, panels = ((size_t)out + NR - 1) / NR;
    return (panels * NR * (size_t)in * k->kernel->size + 63) / 64 * 64;
}

/* All weights lie in one block, in the order in which they are read. */
static at_status weights_reserve(maker *k)
{
    const at_model *m = k->m;
    size_t bytes = panel_bytes(k, m->readout.rows, m->width) + 64;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *from = &m->blocks[b];
        int in = m->width;
        if (from->kind == AT_BLOCK_ATTN) {
            const at_group *g = &from->groups[0];
            bytes +=
                panel_bytes(k, g->heads * (2 * g->dk + g->dv), in) + panel_bytes(k, in, g->heads * g->dv);
        }
        for (int l = 0; from->kind == AT_BLOCK_MLP && l < from->n_dense; in = from->dense[l++].rows)
            bytes += panel_bytes(k, from->dense[l].rows, in) * (from->dense[l].gw < 0 ? 1 : 2);
    }
    if (!(k->p->weights = at_calloc_large(bytes)))
        return at_oom(k->err);
    k->next = k->p->weights + (64 - (uintptr_t)k->p->weights % 64) % 64;
    return AT_OK;
}

static at_status matrix_make(maker *k, int out, int in, batch_matrix *m)
{
    size_t NR = 2 * (size_t)k->kernel->lanes, panels = ((size_t)out + NR - 1) / NR;
    *m = (batch_matrix){.out = out, .in = in, .panel = k->next};
    k->next += panel_bytes(k, out, in);
    m->bias = at_arena_alloc(k->arena, panels * NR, k->kernel->size);
    size_t wide = padded(panels * NR);
    k->p->wide = wide > k->p->wide ? wide : k->p->wide;
    return m->bias ? AT_OK : at_oom(k->err);
}

/* Tensors w (rows, in) and b (-1: none) become outputs from `at` on. */
static void matrix_fill(const maker *k, const batch_matrix *m, int at, int rows, int w, int b)
{
    k->kernel->pack(m, at, rows, at_model_data(k->m, w), at_model_data(k->m, b));
}

static at_status norm_make(maker *k, bool wanted, at_norm_kind kind, double eps, int g, int b, batch_norm *n)
{
    if (!wanted)
        return AT_OK;
    size_t D = (size_t)k->m->width;
    n->kind = kind;
    n->eps = eps;
    n->gain = at_arena_alloc(k->arena, D, k->kernel->size);
    n->shift = at_arena_alloc(k->arena, D, k->kernel->size);
    if (!n->gain || !n->shift)
        return at_oom(k->err);
    k->kernel->round(at_model_data(k->m, g), D, n->gain);
    k->kernel->round(at_model_data(k->m, b), D, n->shift);
    return AT_OK;
}

static bool all_zero(const at_model *m, int tensor)
{
    const double *w = at_model_data(m, tensor);
    for (size_t i = 0; w && i < m->tensors[tensor].count; i++)
        if (w[i] != 0)
            return false;
    return true;
}

/* ---- blocks ----------------------------------------------------------------------------------------------- */

/* Angles of all positions; blocks that turn alike share them. */
static at_status turn_make(maker *k, const at_rotary *r, batch_block *b)
{
    batch_plan *p = k->p;
    size_t z = k->kernel->size, width = (size_t)r->width;
    b->rotary = *r;
    for (const batch_block *a = p->block; width && a < b && !b->turn; a++)
        b->turn = a->turn && ref_turns_alike(&a->rotary, r) ? a->turn : NULL;
    if (!width || b->turn)
        return AT_OK;
    b->turn = at_arena_alloc(k->arena, (size_t)p->T * width, z);
    if (!b->turn)
        return at_oom(k->err);
    for (size_t t = 0; t < (size_t)p->T; t++)
        for (size_t i = 0; i < width; i++) {
            double v = ref_turn_double(r, (int)(i / 2), i % 2, (int64_t)t + k->m->pos_origin, &k->format);
            k->kernel->round(&v, 1, (char *)b->turn + (t * width + i) * z);
        }
    return AT_OK;
}

static at_status slopes_make(maker *k, const at_group *g, batch_block *b)
{
    if (!g->alibi)
        return AT_OK;
    if (!(b->slope = at_arena_alloc(k->arena, (size_t)g->heads, k->kernel->size)))
        return at_oom(k->err);
    k->kernel->round(at_model_data(k->m, g->slope), (size_t)g->heads, b->slope);
    return AT_OK;
}

static at_status attention_make(maker *k, const at_group *g, batch_block *b)
{
    batch_plan *p = k->p;
    int K = g->heads * g->dk, VH = g->heads * g->dv, lanes = k->kernel->lanes;
    b->attention = true;
    b->cache = p->n_caches++;
    b->H = g->heads;
    b->dk = g->dk;
    b->dv = g->dv;
    b->dp = (g->dv + lanes - 1) / lanes * lanes;
    b->scale = g->scale;
    b->linear = at_weighting_is(g->weighting, AT_IS_PHI);
    b->window = p->T;
    b->block = 1;
    int64_t window = (int64_t)g->mask.windows * g->mask.block;
    if (at_mask_is(g->mask.kind, AT_IS_BLOCKS) && window < p->T) {
        b->window = (int)window;
        b->block = g->mask.block;
        b->ends = g->mask.ends;
    }
    at_status st = matrix_make(k, 2 * K + VH, p->D, &b->qkv);
    if (!st)
        st = matrix_make(k, p->D, VH, &b->mix);
    if (!st)
        st = turn_make(k, &g->rotary, b);
    if (!st)
        st = slopes_make(k, g, b);
    if (st)
        return st;
    matrix_fill(k, &b->qkv, 0, K, g->q, g->qb);
    matrix_fill(k, &b->qkv, K, K, g->k, g->kb);
    matrix_fill(k, &b->qkv, 2 * K, VH, g->v, g->vb);
    matrix_fill(k, &b->mix, 0, p->D, g->o, g->ob);
    /* Vectors may go past the last head; scores of both runs of keys, or phi of q and k and a value. */
    size_t mixed = padded((size_t)VH + BATCH_ALIGN);
    size_t keys = (size_t)b->window + (size_t)batch_ends_before(b, p->T) + 2 * BATCH_ALIGN;
    size_t scratch = padded(b->linear ? 2 * (size_t)K + (size_t)b->dp + BATCH_ALIGN : keys);
    p->mixed = mixed > p->mixed ? mixed : p->mixed;
    p->scratch = scratch > p->scratch ? scratch : p->scratch;
    return AT_OK;
}

static at_status mlp_make(maker *k, const at_block *from, batch_block *b)
{
    b->act = from->act;
    const at_dense *only = &from->dense[0];
    if (from->n_dense == 1 && from->residual && all_zero(k->m, only->w) && all_zero(k->m, only->b))
        return AT_OK; /* a norm with nothing before it, as after an embedding */
    bool gated = at_block_gated(from);
    b->dense = at_new(k->arena, batch_matrix, from->n_dense);
    b->gate = gated ? at_new(k->arena, batch_matrix, from->n_dense) : NULL;
    if (!b->dense || (gated && !b->gate))
        return at_oom(k->err);
    k->p->gated |= gated;
    at_status st = AT_OK;
    for (int l = 0, in = k->p->D; !st && l < from->n_dense; in = from->dense[l++].rows) {
        const at_dense *d = &from->dense[l];
        st = matrix_make(k, d->rows, in, &b->dense[l]);
        if (!st)
            matrix_fill(k, &b->dense[l], 0, d->rows, d->w, d->b);
        if (st || !gated || l + 1 == from->n_dense)
            continue;
        st = matrix_make(k, d->rows, in, &b->gate[l]);
        if (!st)
            matrix_fill(k, &b->gate[l], 0, d->rows, d->gw, d->gb);
    }
    b->n_dense = from->n_dense;
    return st;
}

static at_status block_make(maker *k, const at_block *from, batch_block *b)
{
    b->residual = from->residual;
    b->parallel = from->parallel;
    b->kept = !from->parallel && from + 1 < k->m->blocks + k->m->n_blocks && from[1].parallel;
    k->p->parallel |= from->parallel;
    at_status st = norm_make(k, from->norm == AT_NORM_PRE, from->norm_kind, from->norm_eps, from->norm_g,
                             from->norm_b, &b->before);
    if (!st)
        st = norm_make(k, from->norm == AT_NORM_POST, from->norm_kind, from->norm_eps, from->norm_g,
                       from->norm_b, &b->after);
    if (st)
        return st;
    return from->kind == AT_BLOCK_ATTN ? attention_make(k, &from->groups[0], b) : mlp_make(k, from, b);
}

/* ---- embedding -------------------------------------------------------------------------------------------- */

/* row (D) += coefficient * row r of an embedding. */
static void embed_add(const at_model *m, const at_embed *e, int r, double coefficient, double *row)
{
    const double *w = at_model_data(m, e->tensor) + (size_t)r * (size_t)e->width;
    for (int c = 0; c < e->width; c++)
        row[e->col + c] += coefficient * w[c];
}

/* Tables of tokens and of positions, each position's features added up in f64 and rounded once. */
static at_status tables_make(maker *k)
{
    const at_model *m = k->m;
    batch_plan *p = k->p;
    size_t z = k->kernel->size, D = (size_t)p->D;
    p->token = at_arena_alloc(k->arena, (size_t)p->words * p->xs, z);
    p->position = at_arena_alloc(k->arena, (size_t)p->T * p->xs, z);
    double *row = at_new(k->arena, double, D);
    if (!p->token || !p->position || !row)
        return at_oom(k->err);
    for (int r = 0; r < p->words; r++) {
        memset(row, 0, D * sizeof *row);
        embed_add(m, &m->fields[0].embed, r, 1, row);
        k->kernel->round(row, D, (char *)p->token + (size_t)r * p->xs * z);
    }
    for (int t = 0; t < p->T; t++) {
        memset(row, 0, D * sizeof *row);
        for (int i = 0; i < m->n_pos; i++) {
            const at_pos *f = &m->pos[i];
            if (at_pos_is(f->kind, AT_IS_ROWS))
                embed_add(m, &f->embed, t, 1, row);
            for (int c = 0; !at_pos_is(f->kind, AT_IS_ROWS) && c < at_pos_features(f); c++)
                embed_add(m, &f->embed, c,
                          ref_feature_double(f, c, (int64_t)t + m->pos_origin, t + 1, &k->format), row);
        }
        k->kernel->round(row, D, (char *)p->position + (size_t)t * p->xs * z);
    }
    return AT_OK;
}

at_status batch_plan_make(const at_model *m, at_arith a, const batch_kernel *kernel, at_arena *arena,
                          batch_plan *p, at_err *err)
{
    at_status st = family_check(m, err);
    if (st)
        return st;
    maker k = {m, kernel, arena, p, at_pfmt_of(a), err};
    /* The last row of a chain is never fed back. */
    int64_t longest = (int64_t)m->decode.prompt_max + m->decode.max_steps - 1;
    *p = (batch_plan){.D = m->width, .R = m->readout.rows, .words = m->fields[0].size};
    p->T = longest < m->n_max - 1 ? (int)longest : m->n_max - 1;
    p->xs = padded((size_t)p->D);
    p->n_blocks = m->n_blocks;
    p->mixed = p->scratch = BATCH_ALIGN;
    if (!(p->block = at_new(arena, batch_block, m->n_blocks + 1)))
        return at_oom(err);
    st = weights_reserve(&k);
    for (int b = 0; b < m->n_blocks && !st; b++)
        st = block_make(&k, &m->blocks[b], &p->block[b]);
    const at_readout *r = &m->readout;
    if (!st)
        st = norm_make(&k, r->final_norm, r->norm_kind, r->norm_eps, r->norm_g, r->norm_b, &p->norm);
    if (!st)
        st = matrix_make(&k, r->rows, p->D, &p->head);
    if (st)
        return st;
    matrix_fill(&k, &p->head, 0, r->rows, r->w, r->b);
    return tables_make(&k);
}
