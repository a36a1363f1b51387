/* traits.c: which parts a model has, and who takes them.
 *
 * parts.def says of every activation and trait who takes it. Whoever runs a model through an executor need not ask; whoever
 * computes from the weights by itself asks here first, and a part that it has never heard of is refused by its name, never
 * computed as if it were not there. */
#include "model_internal.h"

static bool groups_turn(const at_block *b)
{
    for (int g = 0; b->kind == AT_BLOCK_ATTN && g < b->n_groups; g++)
        if (b->groups[g].rotary.width)
            return true;
    return false;
}

static bool groups_slope(const at_block *b)
{
    for (int g = 0; b->kind == AT_BLOCK_ATTN && g < b->n_groups; g++)
        if (b->groups[g].alibi)
            return true;
    return false;
}

static bool groups_round(const at_block *b)
{
    for (int g = 0; b->kind == AT_BLOCK_ATTN && g < b->n_groups; g++)
        if (b->groups[g].rounded)
            return true;
    return false;
}

static bool block_has(const at_block *b, at_trait t)
{
    switch (t) {
    case AT_TRAIT_ROTARY:
        return groups_turn(b);
    case AT_TRAIT_ALIBI:
        return groups_slope(b);
    case AT_TRAIT_ROUNDED:
        return groups_round(b);
    case AT_TRAIT_RMS:
        return b->norm != AT_NORM_NONE && b->norm_kind == AT_NORM_RMS;
    case AT_TRAIT_GATED:
        return at_block_gated(b);
    case AT_TRAIT_PARALLEL:
        return b->parallel;
    case AT_TRAIT_TIED:
        break;
    }
    return false;
}

static bool readout_has(const at_readout *r, at_trait t)
{
    switch (t) {
    case AT_TRAIT_RMS:
        return r->final_norm && r->norm_kind == AT_NORM_RMS;
    case AT_TRAIT_TIED:
        return r->tied;
    case AT_TRAIT_ROTARY:
    case AT_TRAIT_ALIBI:
    case AT_TRAIT_ROUNDED:
    case AT_TRAIT_GATED:
    case AT_TRAIT_PARALLEL:
        break;
    }
    return false;
}

int at_model_trait(const at_model *m, at_trait t)
{
    for (int b = 0; b < m->n_blocks; b++)
        if (block_has(&m->blocks[b], t))
            return b;
    return readout_has(&m->readout, t) ? m->n_blocks : -1;
}

at_status at_model_takes(const at_model *m, unsigned in, const char *who, at_err *err)
{
    for (int t = 0; t < AT_TRAITS; t++) {
        int b = at_trait_parts[t].in & in ? -1 : at_model_trait(m, (at_trait)t);
        if (b == m->n_blocks && b >= 0)
            return at_fail(err, AT_EREFUSED, "%s: not for models with %s (the readout has it)", who,
                           at_trait_parts[t].name);
        if (b >= 0)
            return at_fail(err, AT_EREFUSED, "%s: not for models with %s (block %d has it)", who,
                           at_trait_parts[t].name, b);
    }
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        if (at_block_dense(k) && k->n_dense > 1 && !(at_act_parts[k->act].in & in))
            return at_fail(err, AT_EREFUSED, "%s: not for models with activation %s (block %d has it)", who,
                           at_act_names[k->act], b);
    }
    return AT_OK;
}
