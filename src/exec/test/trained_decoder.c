/* trained_decoder.c: the architecture of trained decoders, filled with random weights.
 *
 * Few weights of a row are not 0: then the error that a ball assumes (every sign at its worst) is near to one that
 * happens, and balls stay narrow enough through all layers to tell the words of a chain in f32. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "random_decoder.h"
#include "trained_decoder.h"

static int or (int value, int otherwise)
{
    return value ? value : otherwise;
}

static bool has(const trained_spec *s, at_trait t)
{
    return s->traits >> t & 1;
}

static void group_traits(const trained_spec *s, at_group *g)
{
    int pairs = has(s, AT_TRAIT_PARALLEL) && g->dk > 3 ? g->dk / 4 : g->dk / 2;
    if (has(s, AT_TRAIT_ROTARY))
        g->rotary = (at_rotary){
            .width = 2 * pairs, .theta = 50, .pairing = g->heads % 2 ? AT_PAIR_ADJACENT : AT_PAIR_HALVES};
    g->alibi = has(s, AT_TRAIT_ALIBI);
}

static at_act act_of(const trained_spec *s)
{
    return s->relu ? AT_ACT_RELU : s->gelu_tanh ? AT_ACT_GELU_TANH : s->silu ? AT_ACT_SILU : AT_ACT_GELU;
}

static void block_fill(const trained_spec *s, const at_model *m, at_block *b, bool start, bool attention)
{
    int D = m->width, H = or (s->heads, 2);
    at_arena *a = (at_arena *)&m->arena;
    *b = (at_block){.kind = attention ? AT_BLOCK_ATTN : AT_BLOCK_MLP,
                    .residual = true,
                    .norm = start ? AT_NORM_POST : AT_NORM_PRE,
                    .norm_kind = has(s, AT_TRAIT_RMS) ? AT_NORM_RMS : AT_NORM_LAYER,
                    .norm_eps = 1e-5,
                    .parallel = has(s, AT_TRAIT_PARALLEL) && !start && !attention,
                    .gated = has(s, AT_TRAIT_GATED) && !start && !attention,
                    .act = act_of(s)};
    if (attention) {
        int dk = or (s->dk, D / H);
        b->n_groups = 1;
        b->groups = at_new(a, at_group, 1);
        b->groups[0] = (at_group){
            .heads = H,
            .dk = dk,
            .dv = or (s->dv, D / H),
            .weighting = s->linear ? AT_LINEAR : AT_SOFTMAX,
            .scale = 1 / sqrt(dk),
            .mask = {s->block ? AT_MASK_BLOCK_SPARSE : AT_MASK_CAUSAL, s->block, s->windows, s->ends},
            .bias = true};
        group_traits(s, &b->groups[0]);
        return;
    }
    b->n_dense = start ? 1 : 2;
    b->dense = at_new(a, at_dense, 2);
    b->dense[0].rows = start ? D : or (s->hidden, 2 * D);
    b->dense[1].rows = D;
}

/* Matrices: `nonzero` weights a row, 0.3..0.7 in size. Tables: normal. Vectors: gains near 1, the rest near 0. */
static void weights_fill(const trained_spec *s, const at_model *m)
{
    at_rng r = at_rng_at(s->seed, 5);
    for (int k = 0; k < m->n_tensors; k++) {
        const at_tensor *t = &m->tensors[k];
        double *w = m->weights + t->offset;
        bool table = k == m->fields[0].embed.tensor || k == m->pos[0].embed.tensor;
        bool silent = s->embed_norm && (k == m->blocks[0].dense[0].w || k == m->blocks[0].dense[0].b);
        size_t name = strlen(t->name);
        if (silent || (table && s->sinusoids && k == m->pos[0].embed.tensor))
            continue;
        for (size_t i = 0; (table || t->rank == 1) && i < t->count; i++)
            w[i] = table ? at_rng_normal(&r) : (t->name[name - 1] == 'g') + 0.1 * at_rng_normal(&r);
        for (int64_t row = 0; !table && t->rank == 2 && row < t->shape[0]; row++)
            for (int i = 0; i < or (s->nonzero, 4); i++) {
                size_t at = (size_t)(row * t->shape[1]) + at_rng_below(&r, (uint64_t)t->shape[1]);
                w[at] = (0.3 + 0.4 * at_rng_unit(&r)) * (at_rng_below(&r, 2) ? 1 : -1);
            }
    }
    for (int b = 0; s->sharp != 0 && b < m->n_blocks; b++)
        for (size_t i = 0; m->blocks[b].groups && i < m->tensors[m->blocks[b].groups->q].count; i++)
            at_model_data(m, m->blocks[b].groups->q)[i] *= s->sharp;
    if (s->sinusoids)
        for (int k = 0; k < m->width; k++)
            at_model_data(m, m->pos[0].embed.tensor)[(size_t)k * (size_t)(m->width + 1)] = 1;
}

void trained_decoder(const trained_spec *s, at_model *m)
{
    int D = or (s->width, 16), first = s->embed_norm, layers = or (s->layers, 2);
    at_model_init(m);
    strcpy(m->name, "trained decoder");
    m->width = D;
    m->n_min = 1;
    m->n_max = or (s->n_max, 48);
    m->pos_origin = 1;
    m->n_fields = m->n_pos = 1;
    m->n_blocks = first + 2 * layers;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    m->fields[0] =
        (at_field){.name = "word", .kind = AT_FIELD_TOKEN, .size = or (s->words, 11), .embed = {0, D, -1}};
    m->pos[0] = (at_pos){.kind = s->sinusoids ? AT_POS_SINUSOIDAL : AT_POS_TABLE,
                         .size = s->sinusoids ? D : m->n_max,
                         .embed = {0, D, -1}};
    for (int b = 0; b < m->n_blocks; b++)
        block_fill(s, m, &m->blocks[b], b < first, (b - first) % 2 == 0 && b >= first);
    m->readout = (at_readout){.kind = AT_READ_ARGMAX,
                              .rows = or (s->words, 11),
                              .tied = has(s, AT_TRAIT_TIED),
                              .final_norm = true,
                              .norm_kind = has(s, AT_TRAIT_RMS) ? AT_NORM_RMS : AT_NORM_LAYER,
                              .norm_eps = 1e-5};
    m->decode = (at_decode){.enabled = true,
                            .stop = AT_STOP_EQUALS,
                            .value = 1,
                            .max_steps = m->n_max,
                            .prompt_min = 1,
                            .prompt_max = m->n_max - 1};
    at_err err = {0};
    must(at_model_layout(m, &err), &err);
    weights_fill(s, m);
}
