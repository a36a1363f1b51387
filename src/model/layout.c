/* layout.c: the tensor table.
 *
 * One walk names every tensor of an architecture, in one fixed order, with its shape. Three visitors
 * use it: one counts, one builds the table, one compares a table with what it should be. So the order
 * and the names exist once, and the file format inherits them.
 *
 *   input.<k>.embed   (rows, width)     token: size rows; subset: C(size, pick); real, int: size
 *   pos.<k>.embed     (features, width)
 *   prefix, suffix    (count, width)
 *   block.<b>.norm.g  .b                (D)
 *   block.<b>.attn.<g>.q .k             (H*dk, D)    .qb .kb (H*dk)
 *                      .v               (H*dv, D)    .vb     (H*dv)
 *                      .o               (D, H*dv)    .ob     (D)
 *                      .k2 .v2          like k, v    .k2b .v2b
 *                      .slope           (H)
 *   block.<b>.mlp.<l>.w  .b             (rows, previous rows or D), (rows)    gated: .gw .gb, the same
 *   block.<b>.flatten.<l>.w  .b         (rows, previous rows or T*D), (rows)
 *   block.<b>.rnn.w .u .b .o .ob        (G*S, D), (G*S, S), (G*S), (D, S), (D)    gru: .ub (S)
 *   readout.norm.g  .b (D)   readout.w (R, D)   readout.b (R)
 *
 * A tied readout has no w of its own: its id is that of input.0.embed.
 *
 * Invariant: tensors tile weights[0..n_weights) without gaps, in table order. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model_internal.h"

typedef struct {
    model_visit *visit;
    void *ctx;
    at_err *err;
    at_status status;
} walker;

/* Meets one tensor (rows, cols), a vector when cols is 0; unless present, an absence. */
__attribute__((format(printf, 6, 7))) static void meet(walker *w, int *id, bool present, int64_t rows,
                                                       int64_t cols, const char *fmt, ...)
{
    if (w->status != AT_OK)
        return;
    model_slot s = {.rank = !present ? 0 : cols ? 2 : 1, .shape = {rows, cols ? cols : 1}, .id = id};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(s.name, sizeof s.name, fmt, ap);
    va_end(ap);
    w->status = w->visit(w->ctx, &s, w->err);
}

static void meet_group(walker *w, at_group *a, int b, int g, int64_t D)
{
    int64_t K = (int64_t)a->heads * a->dk, V = (int64_t)a->heads * a->dv;
    bool three = at_weighting_is(a->weighting, AT_IS_PAIRS);
    meet(w, &a->q, true, K, D, "block.%d.attn.%d.q", b, g);
    meet(w, &a->k, true, K, D, "block.%d.attn.%d.k", b, g);
    meet(w, &a->v, true, V, D, "block.%d.attn.%d.v", b, g);
    meet(w, &a->o, true, D, V, "block.%d.attn.%d.o", b, g);
    meet(w, &a->qb, a->bias, K, 0, "block.%d.attn.%d.qb", b, g);
    meet(w, &a->kb, a->bias, K, 0, "block.%d.attn.%d.kb", b, g);
    meet(w, &a->vb, a->bias, V, 0, "block.%d.attn.%d.vb", b, g);
    meet(w, &a->ob, a->bias, D, 0, "block.%d.attn.%d.ob", b, g);
    meet(w, &a->k2, three, K, D, "block.%d.attn.%d.k2", b, g);
    meet(w, &a->v2, three, V, D, "block.%d.attn.%d.v2", b, g);
    meet(w, &a->k2b, three && a->bias, K, 0, "block.%d.attn.%d.k2b", b, g);
    meet(w, &a->v2b, three && a->bias, V, 0, "block.%d.attn.%d.v2b", b, g);
    meet(w, &a->slope, a->alibi, a->heads, 0, "block.%d.attn.%d.slope", b, g);
}

static void meet_rnn(walker *w, at_rnn *r, int b, int64_t D)
{
    int64_t S = r->state, parts = at_rnn_parts(r->cell) * S;
    meet(w, &r->w, true, parts, D, "block.%d.rnn.w", b);
    meet(w, &r->u, true, parts, S, "block.%d.rnn.u", b);
    meet(w, &r->b, true, parts, 0, "block.%d.rnn.b", b);
    meet(w, &r->ub, r->cell == AT_CELL_GRU, S, 0, "block.%d.rnn.ub", b);
    meet(w, &r->o, true, D, S, "block.%d.rnn.o", b);
    meet(w, &r->ob, true, D, 0, "block.%d.rnn.ob", b);
}

static int64_t field_rows(const at_field *f)
{
    return f->kind == AT_FIELD_SUBSET ? at_choose(f->size, f->pick) : f->size;
}

at_status model_walk(at_model *m, model_visit *visit, void *ctx, at_err *err)
{
    walker w = {visit, ctx, err, AT_OK};
    int64_t D = m->width;
    for (int k = 0; k < m->n_fields; k++) {
        at_field *f = &m->fields[k];
        meet(&w, &f->embed.tensor, true, field_rows(f), f->embed.width, "input.%d.embed", k);
    }
    for (int k = 0; k < m->n_pos; k++) {
        at_pos *p = &m->pos[k];
        meet(&w, &p->embed.tensor, true, at_pos_features(p), p->embed.width, "pos.%d.embed", k);
    }
    meet(&w, &m->prefix.tensor, m->n_prefix > 0, m->n_prefix, m->prefix.width, "prefix");
    meet(&w, &m->suffix.tensor, m->n_suffix > 0, m->n_suffix, m->suffix.width, "suffix");
    for (int b = 0; b < m->n_blocks && w.status == AT_OK; b++) {
        at_block *k = &m->blocks[b];
        meet(&w, &k->norm_g, k->norm != AT_NORM_NONE, D, 0, "block.%d.norm.g", b);
        meet(&w, &k->norm_b, k->norm != AT_NORM_NONE, D, 0, "block.%d.norm.b", b);
        if (k->kind == AT_BLOCK_ATTN) {
            for (int g = 0; g < k->n_groups; g++)
                meet_group(&w, &k->groups[g], b, g, D);
            continue;
        }
        if (k->kind == AT_BLOCK_RNN)
            meet_rnn(&w, &k->rnn, b, D);
        for (int l = 0; at_block_dense(k) && l < k->n_dense; l++) {
            at_dense *d = &k->dense[l];
            int64_t before = l ? k->dense[l - 1].rows : at_block_inputs(m, k);
            meet(&w, &d->w, true, d->rows, before, "block.%d.%s.%d.w", b, at_block_names[k->kind], l);
            meet(&w, &d->b, true, d->rows, 0, "block.%d.%s.%d.b", b, at_block_names[k->kind], l);
            bool gate = at_block_gated(k) && l + 1 < k->n_dense;
            meet(&w, &d->gw, gate, d->rows, before, "block.%d.mlp.%d.gw", b, l);
            meet(&w, &d->gb, gate, d->rows, 0, "block.%d.mlp.%d.gb", b, l);
        }
    }
    at_readout *r = &m->readout;
    meet(&w, &r->norm_g, r->final_norm, D, 0, "readout.norm.g");
    meet(&w, &r->norm_b, r->final_norm, D, 0, "readout.norm.b");
    if (!r->tied)
        meet(&w, &r->w, true, r->rows, D, "readout.w");
    meet(&w, &r->b, true, r->rows, 0, "readout.b");
    return w.status;
}

/* ---- count ---------------------------------------------------------------------------------- */

typedef struct {
    int tensors;
    size_t weights, most;
} measure;

/* Rows may be C(size, pick) up to INT64_MAX and columns at most AT_MAX_WIDTH: comparing by division
 * cannot overflow, and the running total never passes the most that is allowed. */
static at_status measure_visit(void *ctx, const model_slot *s, at_err *err)
{
    measure *c = ctx;
    if (s->rank == 0)
        return AT_OK;
    size_t left = c->most - c->weights;
    if ((uint64_t)s->shape[0] > left / (uint64_t)s->shape[1])
        return at_fail(err, AT_EDOMAIN, "tensor %s of %lld x %lld: the model would exceed %zu weights",
                       s->name, (long long)s->shape[0], (long long)s->shape[1], c->most);
    c->weights += (size_t)(s->shape[0] * s->shape[1]);
    c->tensors++;
    return AT_OK;
}

static at_status measure_most(const at_model *m, size_t most, int *n_tensors, size_t *n_weights, at_err *err)
{
    at_status st = model_check(m, err);
    if (st != AT_OK)
        return st;
    measure c = {0, 0, most};
    st = model_walk((at_model *)m, measure_visit, &c, err); /* measure_visit only reads */
    *n_tensors = c.tensors;
    *n_weights = c.weights;
    return st;
}

at_status model_measure(const at_model *m, int *n_tensors, size_t *n_weights, at_err *err)
{
    return measure_most(m, AT_MAX_WEIGHTS, n_tensors, n_weights, err);
}

/* ---- build ---------------------------------------------------------------------------------- */

typedef struct {
    at_tensor *tensors;
    int n;
    size_t used;
} builder;

static at_status build_visit(void *ctx, const model_slot *s, at_err *err)
{
    (void)err;
    builder *b = ctx;
    if (s->rank == 0) {
        *s->id = -1;
        return AT_OK;
    }
    at_tensor *t = &b->tensors[b->n];
    memcpy(t->name, s->name, sizeof t->name);
    t->rank = s->rank;
    t->shape[0] = s->shape[0];
    t->shape[1] = s->shape[1];
    t->offset = b->used;
    t->count = (size_t)(s->shape[0] * s->shape[1]);
    b->used += t->count;
    *s->id = b->n++;
    return AT_OK;
}

#define MOST_NUMBERS (SIZE_MAX / 4 + 1) /* of a model without weights: offsets still fit */

static at_status layout(at_model *m, bool weights, at_err *err)
{
    int n_tensors;
    size_t n_weights;
    at_status st = measure_most(m, weights ? AT_MAX_WEIGHTS : MOST_NUMBERS, &n_tensors, &n_weights, err);
    if (st != AT_OK)
        return st;
    at_tensor *tensors = at_new(&m->arena, at_tensor, n_tensors);
    if (!tensors)
        return at_oom(err);
    builder b = {tensors, 0, 0};
    model_walk(m, build_visit, &b, err); /* build_visit cannot fail */
    if (m->readout.tied)
        m->readout.w = m->fields[0].embed.tensor;
    m->tensors = tensors;
    m->n_tensors = n_tensors;
    m->weights = NULL;
    m->n_weights = n_weights;
    return weights ? model_weights_make(m, err) : AT_OK;
}

at_status model_weights_make(at_model *m, at_err *err)
{
    m->weights = at_new(&m->arena, double, m->n_weights);
    return m->weights
               ? AT_OK
               : at_fail(err, AT_ENOMEM, "out of memory: the model has %zu weights, which take %zu MiB",
                         m->n_weights, m->n_weights / 131072 + 1);
}

at_status at_model_layout(at_model *m, at_err *err)
{
    return layout(m, true, err);
}

at_status at_model_shape(at_model *m, at_err *err)
{
    return layout(m, false, err);
}

/* ---- compare -------------------------------------------------------------------------------- */

typedef struct {
    const at_model *m;
    int n;
    size_t used;
} comparer;

static at_status compare_visit(void *ctx, const model_slot *s, at_err *err)
{
    comparer *c = ctx;
    if (s->rank == 0)
        return *s->id == -1 ? AT_OK
                            : at_fail(err, AT_EINPUT, "%s: id %d of an absent tensor", s->name, *s->id);
    const at_tensor *t = &c->m->tensors[c->n];
    size_t count = (size_t)(s->shape[0] * s->shape[1]);
    if (*s->id != c->n || strcmp(t->name, s->name) || t->rank != s->rank || t->shape[0] != s->shape[0] ||
        t->shape[1] != s->shape[1] || t->offset != c->used || t->count != count)
        return at_fail(err, AT_EINPUT, "tensor %s does not match the tensor table (lay the model out again)",
                       s->name);
    c->n++;
    c->used += count;
    return AT_OK;
}

static bool is_float(double w)
{
    return fabs(w) <= FLT_MAX && (double)(float)w == w;
}

at_status at_model_validate(const at_model *m, at_err *err)
{
    int n_tensors;
    size_t n_weights;
    at_status st = model_measure(m, &n_tensors, &n_weights, err);
    if (st != AT_OK)
        return st;
    if (m->n_tensors != n_tensors || m->n_weights != n_weights || !m->tensors || !m->weights)
        return at_fail(err, AT_EINPUT,
                       "the model has %d tensors of %zu weights; its architecture needs %d of %zu",
                       m->n_tensors, m->n_weights, n_tensors, n_weights);
    comparer c = {m, 0, 0};
    st = model_walk((at_model *)m, compare_visit, &c, err); /* compare_visit only reads */
    if (st != AT_OK)
        return st;
    if (m->readout.tied && m->readout.w != m->fields[0].embed.tensor)
        return at_fail(err, AT_EINPUT, "readout.w: id %d of a tied readout is not that of %s", m->readout.w,
                       m->tensors[m->fields[0].embed.tensor].name);
    for (int t = 0; t < n_tensors; t++) {
        const double *w = m->weights + m->tensors[t].offset;
        size_t n = m->tensors[t].count;
        for (size_t i = 0; (i = at_weights_next(w, i, n)) < n; i++) {
            if (!isfinite(w[i]))
                return at_fail(err, AT_EDOMAIN, "tensor %s: weight %zu is %g, not finite", m->tensors[t].name,
                               i, w[i]);
            if (m->f32 && !is_float(w[i]))
                return at_fail(err, AT_EDOMAIN,
                               "tensor %s: weight %zu is %.17g, not a float, in a model stored as F32",
                               m->tensors[t].name, i, w[i]);
        }
    }
    return AT_OK;
}
