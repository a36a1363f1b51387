/* random_any.c: random models over all parts of the format.
 *
 * Everything that a file may say is drawn: fields, hidden rows, origin and position features, blocks of every kind with every norm,
 * groups of every weighting, mask and post, readouts, stop rules, words, storage. Three kinds of models take turns:
 *
 *   whole     weights -1, 0, 1 and only parts that keep integers or halves of them exact, so that scores tie and ties are exact
 *   decoder   what may continue its own input
 *   other     normal weights over the square root of the fan-in
 *
 * Shapes are small, since parts and their combinations are what is to be covered. */
#include "random_any.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    at_model *m;
    at_rng r;
    bool whole, decoder, flat;
} draw;

static int below(draw *d, int n)
{
    return (int)at_rng_below(&d->r, (uint64_t)n);
}

/* lo..hi */
static int between(draw *d, int lo, int hi)
{
    return lo + below(d, hi - lo + 1);
}

static bool chance(draw *d, int one_in)
{
    return below(d, one_in) == 0;
}

static at_embed columns(draw *d)
{
    int col = below(d, d->m->width);
    return (at_embed){.col = col, .width = between(d, 1, d->m->width - col)};
}

static at_status words_make(draw *d, at_field *f, at_err *err)
{
    /* With '/' and ',' where a word stands alone. */
    static const char *const some[] = {"a", "é", "<eos>", "x,y", "1/2", "-7", "|", "\"q\"", "\\"};
    if (!(f->words = at_new(&d->m->arena, at_word, f->size)))
        return at_oom(err);
    for (int k = 0; k < f->size; k++)
        if (d->m->n_fields == 1)
            strcpy(f->words[k].s, some[k]);
        else
            snprintf(f->words[k].s, sizeof f->words[k].s, "w%d", 7 * k);
    return AT_OK;
}

static at_status fields_make(draw *d, at_err *err)
{
    at_model *m = d->m;
    bool tokens = d->decoder && chance(d, 2);
    m->n_fields = tokens ? 1 : between(d, 1, 3);
    if (!(m->fields = at_new(&m->arena, at_field, m->n_fields)))
        return at_oom(err);
    for (int k = 0; k < m->n_fields; k++) {
        at_field *f = &m->fields[k];
        snprintf(f->name, sizeof f->name, "f%d", k);
        f->kind = tokens       ? AT_FIELD_TOKEN
                  : d->decoder ? AT_FIELD_INT
                               : (at_field_kind)below(d, AT_FIELD_KINDS);
        if (d->whole && f->kind == AT_FIELD_REAL)
            f->kind = AT_FIELD_INT;
        f->size = f->kind == AT_FIELD_TOKEN    ? between(d, 2, 6)
                  : f->kind == AT_FIELD_SUBSET ? between(d, 2, 6)
                                               : between(d, 1, 2);
        f->pick = f->kind == AT_FIELD_SUBSET ? between(d, 1, f->size < 3 ? f->size : 3) : 0;
        if (f->kind == AT_FIELD_REAL)
            f->lo = -1.5, f->hi = 1;
        if (f->kind == AT_FIELD_INT)
            f->lo = -between(d, 0, 2), f->hi = between(d, 1, 3);
        f->embed = columns(d);
        if (f->kind == AT_FIELD_TOKEN && chance(d, 3)) {
            at_status s = words_make(d, f, err);
            if (s)
                return s;
        }
    }
    return AT_OK;
}

static bool pos_fits(const draw *d, at_pos_kind k)
{
    if (d->decoder && (k == AT_POS_N || k == AT_POS_I_OVER_N || k == AT_POS_I_OVER_N3))
        return false;
    if ((k == AT_POS_INV_I || k == AT_POS_INV_I2) && d->m->pos_origin < 1)
        return false;
    return !d->whole || k == AT_POS_I || k == AT_POS_N || k == AT_POS_ALTERNATE || k == AT_POS_TABLE;
}

static at_status positions_make(draw *d, at_err *err)
{
    at_model *m = d->m;
    int T = m->n_prefix + m->n_max + m->n_suffix;
    m->n_pos = below(d, 3);
    if (m->n_pos && !(m->pos = at_new(&m->arena, at_pos, m->n_pos)))
        return at_oom(err);
    for (int k = 0; k < m->n_pos; k++) {
        at_pos *p = &m->pos[k];
        do
            p->kind = (at_pos_kind)below(d, AT_POS_KINDS);
        while (!pos_fits(d, p->kind));
        p->size = p->kind == AT_POS_TABLE        ? T + below(d, 3)
                  : p->kind == AT_POS_SINUSOIDAL ? 2 * between(d, 1, 3)
                                                 : 0;
        p->shift = p->kind == AT_POS_SQRT_PAIR ? between(d, 1, 4) - m->pos_origin : 0;
        p->embed = columns(d);
    }
    return AT_OK;
}

static at_mask mask_draw(draw *d)
{
    at_mask k = {.kind = (at_mask_kind)below(d, AT_MASKS)};
    static const at_mask_kind stable[] = {AT_MASK_CAUSAL, AT_MASK_STRICT, AT_MASK_BLOCK_SPARSE};
    if (d->decoder)
        k.kind = stable[below(d, 3)];
    if (k.kind == AT_MASK_BLOCK_SPARSE) {
        k.block = between(d, 1, 4);
        k.windows = between(d, 1, 2);
        k.ends = between(d, 1, k.block);
    }
    return k;
}

static void group_draw(draw *d, at_group *g)
{
    static const double scales[] = {1, 0.75, -0.5, 2}, ties[] = {0, 0.25, 1};
    static const at_weighting hard[] = {AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD, AT_AVERAGE_HARD};
    g->heads = between(d, 1, 3);
    g->dk = between(d, 1, 3);
    g->dv = between(d, 1, 3);
    g->weighting = d->whole ? hard[below(d, 3)] : (at_weighting)below(d, AT_WEIGHTINGS);
    g->post = g->weighting == AT_LINEAR ? AT_POST_ID : (at_post)below(d, AT_POSTS);
    g->scale = scales[below(d, 4)];
    g->tie = at_weighting_hard(g->weighting) ? ties[below(d, 3)] : 0;
    g->mask = mask_draw(d);
    g->bias = chance(d, 2);
    bool pairs = g->weighting == AT_THREEWISE;
    if (!d->whole && !pairs && chance(d, 4)) {
        g->dk = between(d, 2, 5);
        g->rotary = (at_rotary){.width = 2 * between(d, 1, g->dk / 2),
                                .theta = chance(d, 2) ? 10000 : 3.5,
                                .pairing = (at_pairing)below(d, AT_PAIRINGS)};
    }
    g->alibi = !pairs && g->weighting != AT_LINEAR && chance(d, 4);
}

static at_status layers_make(draw *d, at_block *b, int width, at_err *err)
{
    b->act = d->whole ? AT_ACT_RELU : (at_act)below(d, AT_ACTS);
    b->n_dense = between(d, 1, 3);
    b->gated = b->kind == AT_BLOCK_MLP && b->n_dense > 1 && chance(d, 4);
    if (!(b->dense = at_new(&d->m->arena, at_dense, b->n_dense)))
        return at_oom(err);
    for (int l = 0; l < b->n_dense; l++)
        b->dense[l].rows = l == b->n_dense - 1 ? width : between(d, 1, 9);
    return AT_OK;
}

static at_status block_make(draw *d, at_block *b, at_err *err)
{
    at_model *m = d->m;
    static const at_block_kind kinds[] = {AT_BLOCK_ATTN, AT_BLOCK_ATTN, AT_BLOCK_ATTN,
                                          AT_BLOCK_MLP,  AT_BLOCK_RNN,  AT_BLOCK_FLATTEN};
    b->kind = kinds[below(d, d->whole ? 4 : d->flat ? 6 : 5)];
    b->residual = !chance(d, 4);
    b->norm = d->whole ? AT_NORM_NONE : (at_norm)below(d, AT_NORMS);
    b->norm_eps = b->norm == AT_NORM_NONE ? 0 : chance(d, 2) ? 1e-5 : 0.125;
    b->norm_kind = b->norm != AT_NORM_NONE && chance(d, 3) ? AT_NORM_RMS : AT_NORM_LAYER;
    const at_block *before = b > m->blocks ? b - 1 : NULL;
    bool plain = b->kind == AT_BLOCK_ATTN || b->kind == AT_BLOCK_MLP;
    b->parallel = before && plain && b->residual && b->norm != AT_NORM_POST && before->residual &&
                  before->norm != AT_NORM_POST &&
                  (before->kind == AT_BLOCK_ATTN || before->kind == AT_BLOCK_MLP) && chance(d, 2);
    if (b->kind == AT_BLOCK_RNN) {
        b->rnn.cell = (at_rnn_cell)below(d, AT_CELLS);
        b->rnn.state = between(d, 1, 4);
        return AT_OK;
    }
    if (b->kind != AT_BLOCK_ATTN)
        return layers_make(d, b, (int)at_block_inputs(m, b), err);
    b->n_groups = between(d, 1, 3);
    if (!(b->groups = at_new(&m->arena, at_group, b->n_groups)))
        return at_oom(err);
    for (int g = 0; g < b->n_groups; g++)
        group_draw(d, &b->groups[g]);
    return AT_OK;
}

/* What prompts are: rows of some numbers, then, often, one row of one number each. */
static at_status prompt_make(draw *d, at_err *err)
{
    at_model *m = d->m;
    at_decode *rule = &m->decode;
    int width = at_model_row_width(m), last = rule->prompt_min > 0 && rule->prompt_max > 1 && chance(d, 2),
        c = 0;
    double *bounds = at_new(&m->arena, double, 4 * width);
    if (!bounds || !(rule->prompt = at_new(&m->arena, at_stretch, 2)))
        return at_oom(err);
    for (int k = 0; k < m->n_fields; k++) {
        const at_field *f = &m->fields[k];
        double lo = f->kind == AT_FIELD_TOKEN ? 0 : f->lo,
               hi = f->kind == AT_FIELD_TOKEN ? f->size - 1 : f->hi;
        for (int e = 0; e < at_field_width(f); e++, c++) {
            bounds[c] = lo + below(d, 2);
            bounds[width + c] = hi;
            bounds[2 * width + c] = bounds[3 * width + c] = lo + below(d, (int)(hi - lo) + 1);
        }
    }
    rule->prompt[0] =
        (at_stretch){rule->prompt_min - last, rule->prompt_max - last, width, bounds, bounds + width};
    rule->prompt[1] = (at_stretch){1, 1, width, bounds + 2 * width, bounds + 3 * width};
    rule->n_prompt = 1 + last;
    return AT_OK;
}

/* What is read; of a decoder, a row, and when it stops. */
static void readout_draw(draw *d)
{
    at_model *m = d->m;
    at_readout *o = &m->readout;
    o->kind = (at_read_kind)below(d, AT_READS);
    o->rows = between(d, 1, 4);
    o->last = chance(d, 2);
    o->final_norm = !d->whole && chance(d, 3);
    o->norm_eps = o->final_norm ? 1e-3 : 0;
    o->norm_kind = o->final_norm && chance(d, 3) ? AT_NORM_RMS : AT_NORM_LAYER;
    if (d->decoder) {
        const at_field *f = &m->fields[0];
        bool tokens = f->kind == AT_FIELD_TOKEN;
        o->kind = tokens ? AT_READ_ARGMAX : AT_READ_ROUND;
        o->rows = tokens ? between(d, 1, f->size) : at_model_row_width(m);
        m->decode = (at_decode){.enabled = true,
                                .stop = (at_stop_kind)below(d, AT_STOPS),
                                .max_steps = between(d, 1, 4),
                                .prompt_min = m->n_min,
                                .prompt_max = between(d, m->n_min ? m->n_min : 1, m->n_max - 4)};
        if (m->decode.stop == AT_STOP_EQUALS)
            m->decode.value = tokens ? below(d, o->rows) : 0;
    }
    o->threshold = o->kind == AT_READ_THRESHOLD ? 0.125 * below(d, 4) : 0;
    if (m->fields[0].kind == AT_FIELD_TOKEN && (!d->decoder || o->kind == AT_READ_ARGMAX) && chance(d, 3)) {
        m->fields[0].embed = (at_embed){.col = 0, .width = m->width};
        o->rows = m->fields[0].size;
        o->tied = true;
    }
}

/* Gains are moved by 1, as normal weights around 0 would say little about a norm. */
static void weights_draw(draw *d)
{
    at_model *m = d->m;
    for (int k = 0; k < m->n_tensors; k++) {
        at_tensor *t = &m->tensors[k];
        bool gain = t->rank == 1 && !strcmp(t->name + strlen(t->name) - 2, ".g");
        double size = t->rank == 2 ? 1 / sqrt((double)t->shape[1]) : 0.5;
        for (size_t i = 0; i < t->count; i++) {
            double w = d->whole ? below(d, 3) - 1 : gain + size * at_rng_normal(&d->r);
            m->weights[t->offset + i] = m->f32 ? (double)(float)w : w;
        }
    }
}

at_status random_any(uint64_t seed, at_model *m, at_err *err)
{
    draw d = {.m = m, .r = at_rng_at(seed, 4), .whole = seed % 3 == 0, .decoder = seed % 4 == 1};
    at_model_init(m);
    snprintf(m->name, sizeof m->name, "random %ju", (uintmax_t)seed);
    m->width = between(&d, 3, 7);
    m->n_max = d.decoder ? between(&d, 6, 9) : between(&d, 1, 7);
    d.flat = !d.decoder && chance(&d, 4);
    m->n_min = d.flat ? m->n_max : between(&d, 1, d.decoder ? 2 : m->n_max);
    m->pos_origin = between(&d, -2, 3);
    m->n_prefix = below(&d, 3);
    m->n_suffix = d.decoder ? 0 : below(&d, 3);
    if (!d.flat && (m->n_prefix || m->n_suffix) && chance(&d, 3))
        m->n_min = 0;
    m->f32 = chance(&d, 4);
    if (m->n_prefix)
        m->prefix = columns(&d);
    if (m->n_suffix)
        m->suffix = columns(&d);
    at_status s = fields_make(&d, err);
    if (!s)
        s = positions_make(&d, err);
    m->n_blocks = between(&d, 0, 4);
    if (!s && m->n_blocks && !(m->blocks = at_new(&m->arena, at_block, m->n_blocks)))
        s = at_oom(err);
    for (int b = 0; b < m->n_blocks && !s; b++)
        s = block_make(&d, &m->blocks[b], err);
    if (!s) {
        readout_draw(&d);
        if (d.decoder && chance(&d, 2))
            s = prompt_make(&d, err);
    }
    if (!s) {
        s = at_model_layout(m, err);
    }
    if (s)
        at_model_release(m);
    else
        weights_draw(&d);
    return s;
}

void random_prompt(const at_model *m, at_rng *r, int n, double *rows)
{
    const at_decode *d = &m->decode;
    int width = at_model_row_width(m);
    for (int k = 0; d->prompt && k < d->n_prompt; k++) {
        const at_stretch *s = &d->prompt[k];
        int count = s->rows_min < s->rows_max ? s->rows_min + n - d->prompt_min : s->rows_min;
        for (; count > 0; count--)
            for (int c = 0; c < width; c++)
                *rows++ = s->lo[c] + (double)at_rng_below(r, (uint64_t)(s->hi[c] - s->lo[c]) + 1);
    }
    for (int t = 0; !d->prompt && t < n; t++)
        random_row(m, r, rows + t * width);
}

void random_row(const at_model *m, at_rng *r, double *row)
{
    for (int k = 0; k < m->n_fields; k++) {
        const at_field *f = &m->fields[k];
        int subset[64];
        if (f->kind == AT_FIELD_SUBSET)
            at_subset_unrank((int64_t)at_rng_below(r, (uint64_t)at_choose(f->size, f->pick)), f->pick,
                             subset);
        for (int c = 0; c < at_field_width(f); c++)
            switch (f->kind) {
            case AT_FIELD_TOKEN:
                *row++ = (double)at_rng_below(r, (uint64_t)f->size);
                break;
            case AT_FIELD_SUBSET: /* in any order */
                *row++ = subset[f->pick - 1 - c];
                break;
            case AT_FIELD_INT:
                *row++ = f->lo + (double)at_rng_below(r, (uint64_t)(f->hi - f->lo) + 1);
                break;
            case AT_FIELD_REAL:
                *row++ = f->lo + (f->hi - f->lo) * at_rng_unit(r);
            }
    }
}
