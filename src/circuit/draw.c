/* draw.c: models to try circuits on. */
#include <stdlib.h>
#include <string.h>

#include "circuit_internal.h"

enum { WIDTH = 6, UNITS = 6, WORDS = 32 };

static const at_mask_kind masks[] = {AT_MASK_NONE, AT_MASK_NONE, AT_MASK_CAUSAL, AT_MASK_STRICT};

static bool block_make(const at_circuit_drawing *d, int k, at_rng *r, at_model *m)
{
    at_block *b = &m->blocks[k];
    *b = (at_block){.residual = true};
    if (k % 2) {
        b->kind = AT_BLOCK_MLP;
        b->act = AT_ACT_RELU;
        b->n_dense = 2;
        if (!(b->dense = at_new(&m->arena, at_dense, 2)))
            return false;
        b->dense[0].rows = UNITS;
        b->dense[1].rows = WIDTH;
        return true;
    }
    b->kind = AT_BLOCK_ATTN;
    b->n_groups = 1;
    if (!(b->groups = at_new(&m->arena, at_group, 1)))
        return false;
    bool one = at_weighting_is(d->weighting, AT_IS_ONE);
    b->groups[0] = (at_group){.heads = d->heads,
                              .dk = 2,
                              .dv = one ? 2 : 1,
                              .weighting = d->weighting,
                              .scale = at_weighting_is(d->weighting, AT_IS_EXP) ? 0.5 : 1,
                              .mask = {.kind = masks[at_rng_below(r, COUNT(masks))]}};
    if (at_weighting_hard(d->weighting) && at_rng_below(r, 4) == 0)
        b->groups[0].tie = 1;
    return true;
}

/* The first of three has no positions, the second i, the third a table. */
static bool positions_make(const at_circuit_drawing *d, uint64_t index, at_model *m)
{
    if (index % 3 == 0)
        return true;
    m->n_pos = 1;
    if (!(m->pos = at_new(&m->arena, at_pos, 1)))
        return false;
    m->pos[0] = (at_pos){.kind = index % 3 == 1 ? AT_POS_I : AT_POS_TABLE,
                         .size = index % 3 == 1 ? 0 : d->length + 1,
                         .embed = {.col = 0, .width = WIDTH}};
    return true;
}

static int number_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Chance makes many models that say the same of all words. The threshold is put where drawn words part, in the middle if they do. */
static at_status threshold_find(const at_circuit_drawing *d, at_rng *r, at_model *m, at_err *err)
{
    at_arena a;
    double value[WORDS];
    int at = WORDS / 2;
    at_arena_init(&a);
    double *x = at_new(&a, double, d->length);
    at_status s = x ? AT_OK : at_oom(err);
    for (int k = 0; k < WORDS && !s; k++) {
        at_output y;
        at_mark mark = at_arena_mark(&a);
        for (int i = 0; i < d->length; i++)
            x[i] = (double)at_rng_below(r, (uint64_t)d->letters);
        s = at_run(m, at_f64, &(at_input){d->length, x}, NULL, &a, &y, err);
        value[k] = s ? 0 : y.value[0];
        at_arena_reset(&a, mark);
    }
    at_arena_release(&a);
    if (s)
        return s;
    qsort(value, WORDS, sizeof *value, number_order);
    while (at < WORDS - 1 && value[at - 1] == value[at])
        at++;
    while (at > 1 && value[at - 1] == value[at])
        at--;
    m->readout.threshold = value[at - 1] + (value[at] - value[at - 1]) / 2;
    return AT_OK;
}

at_status at_circuit_draw(const at_circuit_drawing *d, uint64_t seed, uint64_t index, at_model *m,
                          at_err *err)
{
    at_rng r = at_rng_at(seed, index);
    at_model_init(m);
    strcpy(m->name, "drawn");
    m->width = WIDTH;
    m->n_min = 1;
    m->n_max = d->length;
    m->pos_origin = 1;
    m->n_fields = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->n_suffix = 1;
    m->suffix = (at_embed){.col = 0, .width = WIDTH};
    m->n_blocks = 2 * d->layers;
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    bool enough = m->fields && m->blocks && positions_make(d, index, m);
    for (int k = 0; enough && k < m->n_blocks; k++)
        enough = block_make(d, k, &r, m);
    at_status s = enough ? AT_OK : at_oom(err);
    if (!s) {
        m->fields[0] = (at_field){.name = "letter",
                                  .kind = AT_FIELD_TOKEN,
                                  .size = d->letters,
                                  .embed = {.col = 0, .width = WIDTH}};
        m->readout = (at_readout){.kind = AT_READ_THRESHOLD, .rows = 1, .last = true, .threshold = 0.5};
        s = at_model_layout(m, err);
    }
    for (size_t k = 0; !s && k < m->n_weights; k++)
        m->weights[k] = (double)at_rng_below(&r, 3) - 1;
    if (!s)
        s = threshold_find(d, &r, m, err);
    if (s)
        at_model_release(m);
    return s;
}
