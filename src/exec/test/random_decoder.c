/* random_decoder.c: an architecture that uses what a decoder may use, filled with random weights, a third of them zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "random_decoder.h"

const at_arith decoder_ariths[DECODER_ARITHS] = {
    {AT_F64, 0, 0}, {AT_F32, 0, 0}, {AT_PBIT, 12, 8}, {AT_PBIT, 30, 10}};
const at_mask_kind decoder_masks[3] = {AT_MASK_CAUSAL, AT_MASK_STRICT, AT_MASK_BLOCK_SPARSE};

void must(at_status st, const at_err *err)
{
    if (st)
        fail_msg("%s", err->text);
}

static void blocks_fill(const decoder_spec *s, at_model *m)
{
    for (int b = 0; b < m->n_blocks; b++) {
        at_block *block = &m->blocks[b];
        block->residual = b != 3;
        block->norm = (at_norm)((s->seed + (uint64_t)b) % AT_NORMS);
        block->norm_eps = 1e-3;
        if (b % 2) {
            block->kind = AT_BLOCK_MLP;
            block->act = s->seed % 2 ? AT_ACT_RELU : AT_ACT_GELU;
            block->n_dense = 3;
            block->dense = at_new(&m->arena, at_dense, 3);
            block->dense[0].rows = 9;
            block->dense[1].rows = 7;
            block->dense[2].rows = m->width;
            continue;
        }
        block->kind = AT_BLOCK_ATTN;
        block->n_groups = 2;
        block->groups = at_new(&m->arena, at_group, 2);
        for (int g = 0; g < 2; g++)
            block->groups[g] = (at_group){
                .heads = g ? 1 : 2,
                .dk = g ? 2 : 3,
                .dv = g ? 4 : 2,
                .weighting = s->weighting,
                .post =
                    s->weighting == AT_LINEAR ? AT_POST_ID : (at_post)((s->seed + (uint64_t)g) % AT_POSTS),
                .scale = g ? 1 : 0.75,
                .tie = s->seed % 3 ? 0.25 : 0,
                .mask = {s->mask, 3, 1 + (int)(s->seed % 2), 1 + (int)(s->seed / 2 % 2)},
                .bias = !g,
            };
    }
}

void random_decoder(const decoder_spec *s, at_model *m)
{
    at_err err = {0};
    at_model_init(m);
    strcpy(m->name, "random decoder");
    m->width = 6;
    m->n_max = s->n_max ? s->n_max : DECODER_LENGTH;
    m->n_prefix = (int)(s->seed % 3);
    m->prefix.width = 6;
    m->n_fields = s->integers ? 2 : 1;
    m->fields = at_new(&m->arena, at_field, 2);
    for (int k = 0; k < m->n_fields; k++) {
        at_field *f = &m->fields[k];
        *f = (at_field){.name = "f", .size = 2 - k, .lo = -3, .hi = 3, .embed = {k, 5, 0}};
        f->kind = s->integers ? AT_FIELD_INT : AT_FIELD_TOKEN;
        f->size = s->integers ? 2 - k : 5;
    }
    m->n_pos = s->pos != AT_POS_KINDS;
    m->pos = at_new(&m->arena, at_pos, 1);
    m->pos[0] =
        (at_pos){.kind = s->pos, .size = s->pos == AT_POS_TABLE ? m->n_max + 2 : 4, .embed = {1, 4, 0}};
    m->n_blocks = 4;
    m->blocks = at_new(&m->arena, at_block, 4);
    blocks_fill(s, m);
    m->readout = (at_readout){.kind = s->integers ? AT_READ_ROUND : AT_READ_ARGMAX,
                              .rows = s->integers ? 3 : 4,
                              .last = s->seed % 2,
                              .final_norm = s->seed / 3 % 2,
                              .norm_eps = 1e-3};
    m->decode = (at_decode){.enabled = true,
                            .stop = AT_STOP_EQUALS,
                            .value = 1,
                            .max_steps = 6,
                            .prompt_min = 1,
                            .prompt_max = 4};
    must(at_model_layout(m, &err), &err);
    at_rng rng = at_rng_at(s->seed, 77);
    for (int k = 0; k < m->n_tensors; k++)
        for (size_t i = 0; i < m->tensors[k].count; i++) /* a third are zeros: runs with gaps */
            m->weights[m->tensors[k].offset + i] =
                at_rng_below(&rng, 3) ? (s->gain ? s->gain : 0.5) * at_rng_normal(&rng) : 0;
}

void random_decoder_row(const at_model *m, at_rng *rng, double *row)
{
    for (int k = 0; k < at_model_row_width(m); k++)
        row[k] = m->fields[0].kind == AT_FIELD_TOKEN ? (double)at_rng_below(rng, 5)
                                                     : (double)at_rng_below(rng, 7) - 3;
}
