/* plain_model.c: see plain_model.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "plain_model.h"
#include "train_test.h"

const plain_shape plain_usual = {.mask = {.kind = AT_MASK_CAUSAL},
                                 .bias = true,
                                 .norm = AT_NORM_PRE,
                                 .residual = true,
                                 .act = AT_ACT_GELU,
                                 .depth = 2,
                                 .position = AT_POS_SINUSOIDAL,
                                 .final_norm = true,
                                 .n_min = 1,
                                 .n_max = 9};

void plain_model_draw(at_model *m, uint64_t seed)
{
    for (int k = 0; k < m->n_tensors; k++) {
        at_rng r = at_rng_at(seed, (uint64_t)k);
        size_t len = strlen(m->tensors[k].name);
        bool gain = len > 7 && !strcmp(m->tensors[k].name + len - 6, "norm.g");
        for (size_t i = 0; i < m->tensors[k].count; i++)
            m->weights[m->tensors[k].offset + i] = gain + 0.5 * at_rng_normal(&r);
    }
}

static bool has(const plain_shape *s, at_trait t)
{
    return s->traits >> t & 1;
}

/* The MLP, and one like it, both beside the attention. */
static void mlp_traits(const plain_shape *s, at_model *m)
{
    at_block *b = &m->blocks[1];
    b->gated = has(s, AT_TRAIT_GATED);
    if (!has(s, AT_TRAIT_PARALLEL))
        return;
    b->parallel = true;
    b[1] = b[0];
    b[1].dense = at_new(&m->arena, at_dense, s->depth);
    assert_non_null(b[1].dense);
    for (int l = 0; l < s->depth; l++)
        b[1].dense[l].rows = b->dense[l].rows;
    m->n_blocks = 3;
}

static void traits_set(const plain_shape *s, at_model *m)
{
    at_norm_kind kind = has(s, AT_TRAIT_RMS) ? AT_NORM_RMS : AT_NORM_LAYER;
    for (int g = 0; m->blocks[0].kind == AT_BLOCK_ATTN && g < m->blocks[0].n_groups; g++) {
        at_group *a = &m->blocks[0].groups[g];
        if (has(s, AT_TRAIT_ROTARY))
            a->rotary = (at_rotary){
                .width = g ? 8 : 2, .theta = g ? 20 : 3, .pairing = g ? AT_PAIR_ADJACENT : AT_PAIR_HALVES};
        a->alibi = has(s, AT_TRAIT_ALIBI);
    }
    mlp_traits(s, m);
    for (int b = 0; b < m->n_blocks; b++)
        m->blocks[b].norm_kind = kind;
    m->readout.norm_kind = kind;
    if (has(s, AT_TRAIT_TIED)) {
        m->fields[0].embed = (at_embed){0, m->width, -1};
        m->readout.tied = true;
        m->readout.rows = PLAIN_WORDS;
    }
}

void plain_model_make(const plain_shape *s, uint64_t seed, at_model *m)
{
    enum { D = 7 }; /* no vector is full */
    at_err err = {0};
    at_model_init(m);
    strcpy(m->name, "plain");
    m->width = D;
    m->n_min = s->n_min, m->n_max = s->n_max;
    m->n_prefix = s->prefix, m->n_suffix = s->suffix;
    m->prefix = (at_embed){0, D, -1}, m->suffix = (at_embed){2, D - 2, -1};
    m->n_fields = 1, m->n_pos = s->position >= 0 ? 2 : 0, m->n_blocks = 2;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 2);
    m->blocks = at_new(&m->arena, at_block, 3);
    at_group *g = at_new(&m->arena, at_group, 2);
    at_dense *d = at_new(&m->arena, at_dense, s->depth);
    assert_true(m->fields && m->pos && m->blocks && g && d);
    m->fields[0] =
        (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = PLAIN_WORDS, .embed = {1, D - 1, -1}};
    m->pos[1] = (at_pos){.kind = AT_POS_ALTERNATE, .embed = {3, 2, -1}};
    if (m->n_pos)
        m->pos[0] = (at_pos){.kind = (at_pos_kind)s->position,
                             .size = s->position == AT_POS_TABLE ? s->prefix + s->n_max + s->suffix + 1 : 4,
                             .shift = 1,
                             .embed = {0, D - 2, -1}};
    g[0] = (at_group){.heads = 2,
                      .dk = 3,
                      .dv = 2,
                      .weighting = s->weighting,
                      .post = s->post,
                      .scale = 0.7,
                      .mask = s->mask,
                      .bias = s->bias};
    g[1] = (at_group){.heads = 1, .dk = 9, .dv = 17, .scale = 0.2, .mask = {AT_MASK_NONE, 0, 0, 0}};
    m->blocks[0] = (at_block){.kind = AT_BLOCK_ATTN,
                              .residual = s->residual,
                              .norm = s->norm,
                              .norm_eps = 1e-3,
                              .groups = g,
                              .n_groups = s->alone ? 1 : 2};
    if (s->rival == AT_BLOCK_RNN) {
        m->blocks[0].kind = AT_BLOCK_RNN;
        m->blocks[0].rnn = (at_rnn){.cell = s->cell, .state = 5};
    } else if (s->rival == AT_BLOCK_FLATTEN) {
        at_block *f = &m->blocks[0];
        f->kind = AT_BLOCK_FLATTEN;
        f->act = s->act;
        f->n_dense = s->depth;
        f->dense = at_new(&m->arena, at_dense, s->depth);
        assert_non_null(f->dense);
        for (int l = 0; l < s->depth; l++)
            f->dense[l].rows = l + 1 < s->depth ? 11 - l : (int)at_block_inputs(m, f);
    }
    for (int l = 0; l < s->depth; l++)
        d[l].rows = l + 1 < s->depth ? 19 - 2 * l : D;
    m->blocks[1] = (at_block){.kind = AT_BLOCK_MLP,
                              .residual = s->residual,
                              .norm = s->norm,
                              .norm_eps = 1e-3,
                              .act = s->act,
                              .dense = d,
                              .n_dense = s->depth};
    m->readout.kind = AT_READ_ARGMAX;
    m->readout.rows = PLAIN_ANSWERS;
    m->readout.last = s->last;
    m->readout.final_norm = s->final_norm;
    m->readout.norm_eps = 1e-3;
    traits_set(s, m);
    must(at_model_layout(m, &err), &err);
    plain_model_draw(m, seed);
}
