/* sample_model.c: small random models over every kind.
 *
 * Kinds rotate with the stream number instead of being drawn, so coverage is certain; sizes, columns and
 * weights are drawn. */
#include "sample_model.h"

#include <stdio.h>
#include <string.h>

static int between(at_rng *r, int lo, int hi)
{
    return lo + (int)at_rng_below(r, (uint64_t)(hi - lo + 1));
}

static void columns(at_rng *r, int D, int *col, int *width)
{
    *col = between(r, 0, D - 1);
    *width = between(r, 1, D - *col);
}

static void random_field(at_field *f, at_rng *r, int D, uint64_t kind)
{
    static const char *const names[] = {"x", "<script>", "\x1b[31m\xc3\xa9", ""};
    strcpy(f->name, names[between(r, 0, 3)]);
    f->kind = (at_field_kind)(kind % AT_FIELD_KINDS);
    f->size = between(r, 1, 6);
    f->pick = f->kind == AT_FIELD_SUBSET ? between(r, 1, f->size) : 0;
    if (f->kind == AT_FIELD_REAL || f->kind == AT_FIELD_INT) {
        f->lo = -between(r, 0, 9);
        f->hi = between(r, 0, 9);
        if (f->kind == AT_FIELD_REAL)
            f->hi += at_rng_unit(r);
    }
    columns(r, D, &f->embed.col, &f->embed.width);
}

static void random_pos(at_pos *p, at_rng *r, const at_model *m, uint64_t kind)
{
    p->kind = (at_pos_kind)(kind % AT_POS_KINDS);
    if (p->kind == AT_POS_SINUSOIDAL)
        p->size = 2 * between(r, 1, 3);
    if (p->kind == AT_POS_TABLE)
        p->size = m->n_prefix + m->n_max + m->n_suffix + between(r, 0, 2);
    if (p->kind == AT_POS_SQRT_PAIR)
        p->shift = between(r, 0, 3);
    columns(r, m->width, &p->embed.col, &p->embed.width);
}

static void random_group(at_group *g, at_rng *r, uint64_t kind)
{
    g->heads = between(r, 1, 3);
    g->dk = between(r, 1, 3);
    g->dv = between(r, 1, 3);
    g->weighting = (at_weighting)(kind % AT_WEIGHTINGS);
    g->mask.kind = (at_mask_kind)(kind % AT_MASKS);
    g->post = g->weighting == AT_LINEAR ? AT_POST_ID : (at_post)between(r, 0, AT_POSTS - 1);
    g->scale = at_rng_normal(r);
    g->tie = at_weighting_hard(g->weighting) && at_rng_below(r, 3) ? at_rng_unit(r) : 0;
    g->bias = between(r, 0, 1);
    if (g->mask.kind == AT_MASK_BLOCK_SPARSE) {
        g->mask.block = between(r, 1, 4);
        g->mask.windows = between(r, 1, 3);
        g->mask.ends = between(r, 1, g->mask.block);
    }
}

static bool random_block(at_block *b, at_rng *r, at_model *m, uint64_t kind)
{
    b->kind = (at_block_kind)(kind % AT_BLOCK_KINDS);
    b->residual = between(r, 0, 1);
    b->norm = (at_norm)(kind / 2 % AT_NORMS);
    b->norm_eps = b->norm == AT_NORM_NONE ? 0 : 1e-5;
    if (b->kind == AT_BLOCK_ATTN) {
        b->n_groups = between(r, 1, 2);
        b->groups = at_new(&m->arena, at_group, b->n_groups);
        for (int g = 0; b->groups && g < b->n_groups; g++)
            random_group(&b->groups[g], r, kind + (uint64_t)g);
        return b->groups;
    }
    if (b->kind == AT_BLOCK_RNN) {
        b->rnn.cell = (at_rnn_cell)(kind / AT_BLOCK_KINDS % AT_CELLS);
        b->rnn.state = between(r, 1, 4);
        return true;
    }
    if (b->kind == AT_BLOCK_FLATTEN)
        m->n_min = m->n_max;
    b->act = (at_act)(kind / 2 % AT_ACTS);
    b->n_dense = between(r, 1, 3);
    b->dense = at_new(&m->arena, at_dense, b->n_dense);
    for (int l = 0; b->dense && l < b->n_dense; l++)
        b->dense[l].rows = l + 1 < b->n_dense ? between(r, 1, 6) : (int)at_block_inputs(m, b);
    return b->dense;
}

static void random_weights(at_model *m, at_rng *r)
{
    for (size_t i = 0; i < m->n_weights; i++) {
        double w = between(r, 0, 9) ? at_rng_normal(r) : 0;
        m->weights[i] = m->f32 ? (double)(float)w : w;
    }
}

at_status sample_random(at_model *m, uint64_t stream, at_err *err)
{
    at_rng rng = at_rng_at(1, stream), *r = &rng;
    at_model_init(m);
    snprintf(m->name, sizeof m->name, "random %llu", (unsigned long long)stream);
    m->width = between(r, 1, 8);
    m->n_min = between(r, 1, 3);
    m->n_max = between(r, m->n_min, 9);
    m->pos_origin = between(r, 1, 2);
    m->n_prefix = between(r, 0, 2);
    m->n_suffix = between(r, 0, 2);
    columns(r, m->width, &m->prefix.col, &m->prefix.width);
    columns(r, m->width, &m->suffix.col, &m->suffix.width);
    m->n_fields = between(r, 1, 3);
    m->n_pos = between(r, 0, 3);
    m->n_blocks = between(r, 0, 4);
    m->n_subspaces = between(r, 0, 2);
    m->f32 = stream % 2;
    m->fields = at_new(&m->arena, at_field, m->n_fields);
    m->pos = at_new(&m->arena, at_pos, m->n_pos);
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    m->subspaces = at_new(&m->arena, at_subspace, m->n_subspaces);
    bool ok = m->fields && m->pos && m->blocks && m->subspaces;
    for (int k = 0; ok && k < m->n_fields; k++)
        random_field(&m->fields[k], r, m->width, stream + (uint64_t)k);
    for (int k = 0; ok && k < m->n_pos; k++)
        random_pos(&m->pos[k], r, m, stream + (uint64_t)k);
    for (int b = 0; ok && b < m->n_blocks; b++)
        ok = random_block(&m->blocks[b], r, m, stream + (uint64_t)b);
    for (int k = 0; ok && k < m->n_subspaces; k++) {
        snprintf(m->subspaces[k].name, sizeof m->subspaces[k].name, "part %d", k);
        columns(r, m->width, &m->subspaces[k].col, &m->subspaces[k].width);
    }
    at_readout *o = &m->readout;
    o->kind = (at_read_kind)(stream % AT_READS);
    o->rows = between(r, 1, 4);
    o->threshold = o->kind == AT_READ_THRESHOLD ? at_rng_normal(r) : 0;
    o->last = between(r, 0, 1);
    o->final_norm = between(r, 0, 1);
    o->norm_eps = o->final_norm ? 1e-5 : 0;
    at_status st = ok ? at_model_layout(m, err) : at_oom(err);
    if (st != AT_OK) {
        at_model_release(m);
        return st;
    }
    random_weights(m, r);
    return AT_OK;
}

at_status sample_tiny(at_model *m, at_err *err)
{
    at_model_init(m);
    strcpy(m->name, "tiny");
    m->width = 2;
    m->n_max = 4;
    m->n_fields = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->readout.rows = 2;
    at_status st = m->fields ? AT_OK : at_oom(err);
    if (st == AT_OK) {
        strcpy(m->fields[0].name, "x");
        m->fields[0].size = 3;
        m->fields[0].embed.width = 2;
        st = at_model_layout(m, err);
    }
    if (st != AT_OK)
        at_model_release(m);
    return st;
}

at_status sample_plain(at_model *m, at_err *err)
{
    at_status st = sample_tiny(m, err);
    if (st != AT_OK)
        return st;
    strcpy(m->name, "plain");
    m->n_blocks = 1;
    m->blocks = at_new(&m->arena, at_block, 1);
    at_group *g = at_new(&m->arena, at_group, 1);
    st = m->blocks && g ? AT_OK : at_oom(err);
    if (st == AT_OK) {
        *g = (at_group){.heads = 1, .dk = 1, .dv = 2, .scale = 0.1};
        m->blocks[0] = (at_block){.residual = true, .groups = g, .n_groups = 1};
        st = at_model_layout(m, err);
    }
    if (st != AT_OK) {
        at_model_release(m);
        return st;
    }
    for (size_t i = 0; i < m->n_weights; i++)
        m->weights[i] = 0.5 * (double)i;
    return AT_OK;
}
