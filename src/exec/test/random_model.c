/* random_model.c: one architecture that uses every part of a model, filled with random weights.
 *
 * Fields: a token, a 2-subset of 1..4, two reals in [-1,1], one integer in [-2,2]; one prefix and one
 * suffix row; one position encoding; `layers` times ATTN (two groups of different shapes), MLP (one hidden
 * layer); a readout. A decoder has the token or two integer fields, and no suffix. Weights are normal with variance 1/fan-in, so that activations stay of order one and
 * scores differ by much more than rounding errors do. */
#include "random_model.h"

#include <math.h>
#include <string.h>

static void field_set(at_field *f, const char *name, at_field_kind kind, int size, int pick, double lo,
                      double hi, int col, int width)
{
    strcpy(f->name, name);
    f->kind = kind;
    f->size = size;
    f->pick = pick;
    f->lo = lo;
    f->hi = hi;
    f->embed.col = col;
    f->embed.width = width;
}

static int or_else(int value, int fallback)
{
    return value ? value : fallback;
}

static bool has(const random_spec *s, at_trait t)
{
    return s->traits >> t & 1;
}

static void group_traits(const random_spec *s, int g, at_group *a)
{
    bool pairs = at_weighting_is(s->weighting, AT_IS_PAIRS), phi = at_weighting_is(s->weighting, AT_IS_PHI);
    if (has(s, AT_TRAIT_ROTARY) && !pairs && a->dk > 1)
        a->rotary = (at_rotary){.width = g ? 2 : a->dk / 2 * 2,
                                .theta = g ? 10000 : 7.5,
                                .pairing = g ? AT_PAIR_ADJACENT : AT_PAIR_HALVES};
    a->alibi = has(s, AT_TRAIT_ALIBI) && !pairs && !phi;
}

static at_status architecture(const random_spec *s, at_model *m, at_err *err)
{
    int D = or_else(s->width, 6), T = or_else(s->length, 8), layers = or_else(s->layers, 1);
    strcpy(m->name, "random");
    m->width = D;
    m->n_min = 1;
    m->n_prefix = !s->no_prefix;
    m->n_suffix = !s->decoder;
    m->n_max = T - m->n_prefix - m->n_suffix;
    m->pos_origin = 1;
    m->n_fields = s->tokens_only ? 1 : s->decoder ? 2 : 4;
    m->n_pos = s->pos == RANDOM_NO_POS ? 0 : 1;
    m->n_blocks = 2 * layers;
    m->fields = at_new(&m->arena, at_field, m->n_fields);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    if (!m->fields || !m->pos || !m->blocks)
        return at_oom(err);
    if (s->decoder && !s->tokens_only) {
        field_set(&m->fields[0], "pair", AT_FIELD_INT, 2, 0, -3, 3, 0, 5);
        field_set(&m->fields[1], "int", AT_FIELD_INT, 1, 0, -2, 2, 1, 5);
    } else
        field_set(&m->fields[0], "token", AT_FIELD_TOKEN, 5, 0, 0, 0, 0, D);
    if (!s->decoder && !s->tokens_only) {
        field_set(&m->fields[1], "subset", AT_FIELD_SUBSET, 4, 2, 0, 0, 1, 3);
        field_set(&m->fields[2], "real", AT_FIELD_REAL, 2, 0, -1, 1, 2, 4);
        field_set(&m->fields[3], "int", AT_FIELD_INT, 1, 0, -2, 2, 0, 3);
    }
    m->prefix.width = m->suffix.width = D;
    if (m->n_pos) {
        m->pos[0].kind = s->pos;
        m->pos[0].size = s->pos == AT_POS_SINUSOIDAL ? 4 : s->pos == AT_POS_TABLE ? T : 0;
        m->pos[0].shift = s->pos == AT_POS_SQRT_PAIR ? 1 : 0;
        m->pos[0].embed.col = 1;
        m->pos[0].embed.width = D - 1;
    }
    for (int b = 0; b < m->n_blocks; b++) {
        at_block *block = &m->blocks[b];
        block->residual = true;
        block->norm = s->norm;
        block->norm_eps = s->norm == AT_NORM_NONE ? 0 : 1e-5;
        block->norm_kind = has(s, AT_TRAIT_RMS) ? AT_NORM_RMS : AT_NORM_LAYER;
        block->parallel = has(s, AT_TRAIT_PARALLEL) && b % 3 == 1 && s->norm != AT_NORM_POST;
        if (b % 2) {
            block->kind = AT_BLOCK_MLP;
            block->act = s->act;
            block->gated = has(s, AT_TRAIT_GATED);
            block->n_dense = 2;
            block->dense = at_new(&m->arena, at_dense, 2);
            if (!block->dense)
                return at_oom(err);
            block->dense[0].rows = 2 * D;
            block->dense[1].rows = D;
            continue;
        }
        block->kind = AT_BLOCK_ATTN;
        block->n_groups = s->one_group ? 1 : 2;
        block->groups = at_new(&m->arena, at_group, block->n_groups);
        if (!block->groups)
            return at_oom(err);
        for (int g = 0; g < block->n_groups; g++) {
            at_group *group = &block->groups[g];
            group->heads = g ? 1 : or_else(s->heads, 2);
            group->dk = g ? 2 : or_else(s->dk, 3);
            group->dv = g ? 3 : or_else(s->dv, 2);
            group->weighting = s->weighting;
            group->post = s->weighting == AT_LINEAR ? AT_POST_ID : s->post;
            group->scale = g || s->weighting == AT_LINEAR ? 1 : 0.75;
            group->tie = at_weighting_hard(s->weighting) ? s->tie : 0;
            group->mask.kind = s->mask;
            if (s->mask == AT_MASK_BLOCK_SPARSE) {
                group->mask.block = 3;
                group->mask.windows = group->mask.ends = 1;
            }
            group->bias = !s->no_bias && !g;
            group_traits(s, g, group);
        }
    }
    m->readout.kind = s->read;
    m->readout.rows = or_else(s->rows, 3);
    m->readout.threshold = s->read == AT_READ_THRESHOLD ? 0.125 : 0;
    m->readout.last = s->last;
    m->readout.final_norm = s->final_norm;
    m->readout.norm_eps = s->final_norm ? 1e-5 : 0;
    m->readout.norm_kind = has(s, AT_TRAIT_RMS) ? AT_NORM_RMS : AT_NORM_LAYER;
    m->readout.tied = has(s, AT_TRAIT_TIED) && s->tokens_only;
    if (s->decoder) {
        m->readout.kind = s->tokens_only ? AT_READ_ARGMAX : AT_READ_ROUND;
        m->readout.rows = s->tokens_only ? or_else(s->rows, 3) : 3;
        m->readout.threshold = 0;
        m->decode = (at_decode){.enabled = true,
                                .stop = AT_STOP_EQUALS,
                                .value = 1,
                                .max_steps = m->n_max,
                                .prompt_min = 1,
                                .prompt_max = m->n_max - 1};
    }
    if (m->readout.tied)
        m->readout.rows = m->fields[0].size;
    return at_model_layout(m, err);
}

/* Fan-in normal weights; a gain of a norm (rank 1, named ...g) is near 1 because the mean is added. */
static void weights_fill(at_model *m, bool integers, uint64_t seed)
{
    for (int k = 0; k < m->n_tensors; k++) {
        at_tensor *t = &m->tensors[k];
        at_rng rng = at_rng_at(seed, (uint64_t)k);
        double scale = t->rank == 2 ? 1 / sqrt((double)t->shape[1]) : 0.25;
        for (size_t i = 0; i < t->count; i++)
            m->weights[t->offset + i] =
                integers ? (double)at_rng_below(&rng, 3) - 1 : scale * at_rng_normal(&rng);
    }
    for (int b = 0; b <= m->n_blocks; b++) {
        double *gain = at_model_data(m, b < m->n_blocks ? m->blocks[b].norm_g : m->readout.norm_g);
        for (int d = 0; gain && d < m->width; d++)
            gain[d] += 1;
    }
}

at_status random_model(const random_spec *s, at_model *m, at_err *err)
{
    at_model_init(m);
    at_status status = architecture(s, m, err);
    if (status) {
        at_model_release(m);
        return status;
    }
    weights_fill(m, s->integers, s->seed);
    return AT_OK;
}

at_status random_input(const at_model *m, int n, uint64_t seed, bool whole, at_arena *a, at_input *x,
                       at_err *err)
{
    at_rng rng = at_rng_at(seed, 1000003);
    double *v = at_new(a, double, n *at_model_row_width(m));
    if (!v)
        return at_oom(err);
    x->n = n;
    x->v = v;
    for (int t = 0; t < n; t++)
        for (int f = 0; f < m->n_fields; f++) {
            const at_field *field = &m->fields[f];
            int wide = at_field_width(field), subset[64];
            if (field->kind == AT_FIELD_SUBSET)
                at_subset_unrank((int64_t)at_rng_below(&rng, (uint64_t)at_choose(field->size, field->pick)),
                                 field->pick, subset);
            for (int c = 0; c < wide; c++) {
                double span = field->hi - field->lo;
                if (field->kind == AT_FIELD_TOKEN)
                    *v++ = (double)at_rng_below(&rng, (uint64_t)field->size);
                else if (field->kind == AT_FIELD_SUBSET)
                    *v++ = subset[c];
                else if (field->kind == AT_FIELD_INT || whole)
                    *v++ = field->lo + (double)at_rng_below(&rng, (uint64_t)span + 1);
                else
                    *v++ = field->lo + span * at_rng_unit(&rng);
            }
        }
    return AT_OK;
}
