/* plain.c: the plan of a training that walks a plain model: what is refused, where parameters lie, fixed numbers, cost.
 *
 * The plan is the one that the fast family has, with `plain` set: parameters are all tensors of the model's table in the
 * model's order, there is nothing to pack, and the kernel is the fast one with another pass. Gradients pass through every
 * weighting but the hard ones, whose output does not move with the scores.
 *
 * Position features other than tables are fixed numbers; what is trained is the matrix they are multiplied by. Those that do not
 * depend on the length are made once, in double by the C library. */
#include "plain.h"

#include <math.h>
#include <string.h>

#define STRETCH_LEAST   48
#define STRETCH_MOST    288
#define STRETCH_NUMBERS ((size_t)1 << 20)

const at_train_options at_train_options_default = {.seed = 1};

/* ---- position features ------------------------------------------------------------------------------------ */

bool plain_feature_moves(const at_pos *p)
{
    return at_pos_is(p->kind, AT_IS_MOVING);
}

static at_status features_make(const at_model *m, at_arena *arena, train_plan *p, at_err *err)
{
    for (int k = 0; k < m->n_pos; k++)
        p->n_features += at_pos_is(m->pos[k].kind, AT_IS_ROWS) ? 0 : at_pos_features(&m->pos[k]);
    size_t T = (size_t)(m->n_prefix + p->T + m->n_suffix);
    double *to = p->feature = at_new(arena, double, T *(size_t)p->n_features);
    if (!to)
        return at_oom(err);
    for (size_t t = 0; t < T; t++)
        for (int k = 0; k < m->n_pos; k++)
            for (int f = 0; !at_pos_is(m->pos[k].kind, AT_IS_ROWS) && f < at_pos_features(&m->pos[k]); f++)
                *to++ = at_pos_value(&m->pos[k], f, (int64_t)t + m->pos_origin, (int64_t)T);
    return AT_OK;
}

/* ---- rotary positions ----------------------------------------------------------------------------------- */

const double *plain_turn_of(const train_plan *p, const at_rotary *r)
{
    for (int k = 0; r->width && k < p->n_turns; k++)
        if (p->turn[k].width == r->width && !(p->turn[k].theta < r->theta) && !(p->turn[k].theta > r->theta))
            return p->turn[k].angle;
    return NULL;
}

static at_status turn_make(const at_model *m, const at_rotary *r, at_arena *arena, train_plan *p, at_err *err)
{
    size_t T = (size_t)(m->n_prefix + p->T + m->n_suffix), width = (size_t)r->width;
    if (!width || plain_turn_of(p, r))
        return AT_OK;
    struct plain_turn *to = &p->turn[p->n_turns];
    *to = (struct plain_turn){r->width, r->theta, at_new(arena, double, T *width)};
    if (!to->angle)
        return at_oom(err);
    for (size_t t = 0; t < T; t++)
        for (size_t k = 0; k < width; k++)
            to->angle[t * width + k] = at_turn_value(r, (int)(k / 2), k % 2, (int64_t)t + m->pos_origin);
    p->n_turns++;
    return AT_OK;
}

static at_status turns_make(const at_model *m, at_arena *arena, train_plan *p, at_err *err)
{
    int groups = 0;
    for (int b = 0; b < m->n_blocks; b++)
        groups += m->blocks[b].kind == AT_BLOCK_ATTN ? m->blocks[b].n_groups : 0;
    at_status s = (p->turn = at_new(arena, struct plain_turn, groups + 1)) ? AT_OK : at_oom(err);
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; !s && m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            s = turn_make(m, &m->blocks[b].groups[g].rotary, arena, p, err);
    return s;
}

/* ---- what can be trained --------------------------------------------------------------------------------------- */

static at_status model_refuse(const at_model *m, at_err *err)
{
    at_status s = at_model_takes(m, AT_IN_TRAIN, "training", err);
    if (s)
        return s;
    if (at_read_distribution(m->readout.kind))
        return at_fail(err, AT_EREFUSED, "training needs a readout of decisions or numbers; the model has %s",
                       at_read_names[m->readout.kind]);
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++) {
            at_weighting w = m->blocks[b].groups[g].weighting;
            if (!(at_weighting_parts[w].in & AT_IN_TRAIN))
                return at_fail(err, AT_EREFUSED, "block %d, group %d: weighting %s has no %s", b, g,
                               at_weighting_names[w],
                               at_weighting_hard(w)
                                   ? "useful gradient: its output does not move with the scores"
                                   : "gradient here");
        }
    return AT_OK;
}

static at_status options_check(const at_model *m, const at_train_options *o, at_err *err)
{
    if (!(o->dropout >= 0 && o->dropout < 0.999))
        return at_fail(err, AT_EDOMAIN, "dropout is %g; allowed: 0 to 0.999", o->dropout);
    if (o->slots < 0 || o->slots > TRAIN_MAX_SLOTS || (o->slots & (o->slots - 1)))
        return at_fail(err, AT_EDOMAIN, "slots is %d; it must be 0 or a power of 2 up to %d", o->slots,
                       TRAIN_MAX_SLOTS);
    if (o->length && (o->length < m->n_min || o->length > m->n_max))
        return at_fail(err, AT_EDOMAIN, "length is %d; allowed: 0, or %d..%d", o->length, m->n_min, m->n_max);
    return AT_OK;
}

#if defined(__x86_64__)
/* Vectors of AVX-512 pay where the rows of every product fill at least one: widths, heads, hidden units, states. */
static bool avx512_wanted(const at_model *m, bool single)
{
    int least = single ? 16 : 8;
    bool wide = at_exec_avx512() && m->width >= 2 * least;
    for (int b = 0; b < m->n_blocks && wide; b++) {
        const at_block *o = &m->blocks[b];
        for (int g = 0; o->kind == AT_BLOCK_ATTN && g < o->n_groups; g++)
            wide = wide && o->groups[g].dk >= least && o->groups[g].dv >= least;
        for (int l = 0; o->kind == AT_BLOCK_MLP && l + 1 < o->n_dense; l++)
            wide = wide && o->dense[l].rows >= least;
        wide = wide && (o->kind != AT_BLOCK_RNN || o->rnn.state >= 2 * least);
    }
    return wide;
}
#endif

static void kernel_make(at_trainer *t)
{
    bool single = t->arith.kind == AT_F32;
    const plain_kernel *k = single ? &plain_portable_f : &plain_portable_d;
#if defined(__x86_64__)
    if (avx512_wanted(&t->base, single)) {
        k = single ? &plain_avx512_f : &plain_avx512_d;
        t->kernel = single ? &train_avx512_f : &train_avx512_d;
    } else if (!strcmp(t->kernel->isa, "avx2"))
        k = single ? &plain_avx2_f : &plain_avx2_d;
#endif
    t->own = *t->kernel;
    t->own.work_size = k->work_size;
    t->own.sequence = k->sequence;
    t->kernel = &t->own;
}

at_status plain_plan_make(at_trainer *t, const at_train_options *o, at_err *err)
{
    const at_model *m = &t->base;
    train_plan *p = &t->plan;
    at_status s = model_refuse(m, err);
    if (!s)
        s = options_check(m, o, err);
    if (s)
        return s;
    *p = (train_plan){.plain = m, .n = m->n_weights, .n_tensors = m->n_tensors, .packed = 1};
    p->T = o->length ? o->length : m->n_max;
    p->least = m->n_min ? m->n_min : 1, p->last = m->readout.last;
    p->D = m->width, p->R = m->readout.rows;
    p->V = m->n_fields == 1 && m->fields[0].kind == AT_FIELD_TOKEN ? m->fields[0].size : 0;
    p->threshold = (uint32_t)lround(o->dropout * 65536);
    p->a = (at_train_arch){.width = p->D,
                           .vocabulary = p->R,
                           .length = p->T,
                           .dropout = o->dropout,
                           .seed = o->seed,
                           .slots = o->slots ? o->slots : train_slots(p->n)};
    if (!(p->tensor = at_new(&t->arena, at_train_tensor, m->n_tensors)))
        return at_oom(err);
    for (int k = 0; k < m->n_tensors; k++) {
        const at_tensor *e = &m->tensors[k];
        bool vector = e->rank == 1;
        memcpy(p->tensor[k].name, e->name, sizeof e->name);
        p->tensor[k].rows = vector ? 1 : (int)e->shape[0];
        p->tensor[k].cols = (int)e->shape[vector ? 0 : 1];
        p->tensor[k].offset = e->offset;
    }
    kernel_make(t);
    s = features_make(m, &t->arena, p, err);
    return s ? s : turns_make(m, &t->arena, p, err);
}

/* ---- sizes and cost ---------------------------------------------------------------------------------------------- */

static void raise_to(size_t *most, size_t n)
{
    *most = n > *most ? n : *most;
}

bool plain_tiled(const at_group *g)
{
    return at_weighting_is(g->weighting, AT_IS_EXP | AT_IS_PHI) &&
           !at_weighting_is(g->weighting, AT_IS_PAIRS) && !at_mask_is(g->mask.kind, AT_IS_BLOCKS);
}

/* Weights are copied once for all positions that go through an MLP together, so many are better than few; but what is between its
 * layers should stay near. In equal parts. */
static size_t stretch_of(size_t T, size_t units)
{
    size_t most = STRETCH_NUMBERS / (units ? units : 1);
    most = most < STRETCH_LEAST ? STRETCH_LEAST : most > STRETCH_MOST ? STRETCH_MOST : most;
    size_t parts = (T + most - 1) / most;
    return parts ? (T + parts - 1) / parts : 1;
}

plain_sizes plain_sizes_of(const at_model *m, int T)
{
    plain_sizes s = {0};
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        size_t hidden = 0;
        s.gated |= at_block_gated(k);
        s.parallel |= k->parallel;
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++) {
            const at_group *a = &k->groups[g];
            size_t head = (size_t)(a->dk > a->dv ? a->dk : a->dv);
            raise_to(&s.head, head);
            raise_to(&s.group, head * (size_t)a->heads);
            s.three = s.three || at_weighting_is(a->weighting, AT_IS_PAIRS);
            s.tiled = s.tiled || plain_tiled(a);
        }
        if (k->kind == AT_BLOCK_RNN) {
            raise_to(&s.state, (size_t)k->rnn.state);
            raise_to(&s.cell, (size_t)(at_rnn_parts(k->rnn.cell) * k->rnn.state));
        }
        for (int l = 0; at_block_dense(k) && l + 1 < k->n_dense; l++) {
            hidden += (size_t)k->dense[l].rows;
            raise_to(&s.layer, (size_t)k->dense[l].rows);
        }
        raise_to(&s.hidden, hidden);
    }
    s.rows = stretch_of((size_t)T, s.hidden);
    return s;
}

/* Multiply-adds of one group over T positions: allowed pairs, or pairs of keys, count. */
static double group_cost(const at_group *g, double D, int T)
{
    double H = g->heads, dk = g->dk, dv = g->dv, sum = 0;
    bool three = at_weighting_is(g->weighting, AT_IS_PAIRS);
    for (int i = 0; i < T; i++) {
        double n = 0;
        for (int j = 0; j < T; j++)
            n += at_mask_allows(&g->mask, i, j);
        sum += three ? n * dk + n * n * (dk + dv) + n * dv : n * (dk + dv);
    }
    return T * D * H * (three ? 3 : 2) * (dk + dv) + H * sum;
}

double plain_flops(const at_model *m, int n)
{
    int T = m->n_prefix + n + m->n_suffix;
    double D = m->width, sum = (m->readout.last ? 1 : n) * D * m->readout.rows;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        double in = (double)at_block_inputs(m, k), S = k->rnn.state;
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++)
            sum += group_cost(&k->groups[g], D, T);
        for (int l = 0; at_block_dense(k) && l < k->n_dense; l++) {
            bool gate = at_block_gated(k) && l + 1 < k->n_dense;
            sum += (k->kind == AT_BLOCK_FLATTEN ? 1 : T) * in * k->dense[l].rows * (gate ? 2 : 1);
            in = k->dense[l].rows;
        }
        if (k->kind == AT_BLOCK_RNN)
            sum += T * (at_rnn_parts(k->rnn.cell) * S * (D + S) + D * S);
    }
    return 3 * 2 * sum;
}
