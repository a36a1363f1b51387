/* convert.c: trained parameters as a plain model.
 *
 *     token            -> the table of the one field
 *     position         -> a table; sinusoids -> the sinusoidal feature with an identity matrix
 *     norm0            -> a block of its own: x = norm(x + 0), an MLP without units, residual, norm after
 *     layer            -> an attention block (one group of H heads) and an MLP block, residual, norm before
 *     norm, head       -> the readout; a head without bias gets zeros
 *
 * Dropout belongs to training: its factors have mean 1, so nothing is left of it. */
#include "train_internal.h"

#include <math.h>
#include <string.h>

static at_status architecture(const train_plan *p, int n_min, at_model *m, at_err *err)
{
    const at_train_arch *a = &p->a;
    int D = p->D, first = a->embed_norm ? 1 : 0;
    strcpy(m->name, "trained");
    m->width = D;
    m->n_min = n_min;
    m->n_max = p->T;
    m->pos_origin = 1;
    m->n_fields = 1;
    m->n_pos = 1;
    m->n_blocks = 2 * a->layers + first;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    if (!m->fields || !m->pos || !m->blocks)
        return at_oom(err);
    m->fields[0] = (at_field){.name = "token", .kind = AT_FIELD_TOKEN, .size = p->R, .embed = {0, D, -1}};
    m->pos[0] = (at_pos){.kind = a->learned_positions ? AT_POS_TABLE : AT_POS_SINUSOIDAL,
                         .size = a->learned_positions ? p->T : D,
                         .embed = {0, D, -1}};
    for (int b = 0; b < m->n_blocks; b++) {
        at_block *k = &m->blocks[b];
        bool start = b < first, attention = !start && (b - first) % 2 == 0;
        *k = (at_block){.kind = attention ? AT_BLOCK_ATTN : AT_BLOCK_MLP,
                        .residual = true,
                        .norm = start ? AT_NORM_POST : AT_NORM_PRE,
                        .norm_eps = a->norm_eps,
                        .act = AT_ACT_GELU};
        if (attention) {
            k->n_groups = 1;
            if (!(k->groups = at_new(&m->arena, at_group, 1)))
                return at_oom(err);
            k->groups[0] = (at_group){.heads = p->H,
                                      .dk = p->d,
                                      .dv = p->d,
                                      .weighting = a->attention == AT_TRAIN_LINEAR ? AT_LINEAR : AT_SOFTMAX,
                                      .scale = 1 / sqrt(p->d),
                                      .mask = {AT_MASK_CAUSAL, 0, 0, 0},
                                      .bias = true};
            if (a->attention == AT_TRAIN_SPARSE)
                k->groups[0].mask = (at_mask){AT_MASK_BLOCK_SPARSE, a->block, a->windows, a->ends};
        } else {
            k->n_dense = start ? 1 : 2;
            if (!(k->dense = at_new(&m->arena, at_dense, k->n_dense)))
                return at_oom(err);
            k->dense[0].rows = start ? D : p->U;
            k->dense[k->n_dense - 1].rows = D;
        }
    }
    m->readout.kind = AT_READ_ARGMAX;
    m->readout.rows = p->R;
    m->readout.final_norm = true;
    m->readout.norm_eps = a->norm_eps;
    return at_model_layout(m, err);
}

/* `count` parameters from `from` become the weights of a tensor. */
static void move(const at_model *m, int tensor, const double *w, size_t from, size_t count)
{
    memcpy(at_model_data(m, tensor), w + from, count * sizeof(double));
}

static void weights(const train_plan *p, const double *w, const at_model *m)
{
    size_t D = (size_t)p->D, U = (size_t)p->U, R = (size_t)p->R;
    int first = p->a.embed_norm ? 1 : 0;
    move(m, m->fields[0].embed.tensor, w, p->token, R * D);
    if (p->a.learned_positions)
        move(m, m->pos[0].embed.tensor, w, p->position, (size_t)p->T * D);
    else
        for (size_t k = 0; k < D; k++)
            at_model_data(m, m->pos[0].embed.tensor)[k * D + k] = 1;
    if (first) {
        move(m, m->blocks[0].norm_g, w, p->norm0, D);
        move(m, m->blocks[0].norm_b, w, p->norm0 + D, D);
    }
    for (int l = 0; l < p->a.layers; l++) {
        const train_layer *a = &p->layer[l];
        const at_block *attn = &m->blocks[first + 2 * l], *mlp = attn + 1;
        const at_group *g = attn->groups;
        const int matrix[] = {g->q, g->k, g->v}, bias[] = {g->qb, g->kb, g->vb};
        move(m, attn->norm_g, w, a->norm1, D);
        move(m, attn->norm_b, w, a->norm1 + D, D);
        for (size_t i = 0; i < 3; i++) {
            move(m, matrix[i], w, a->qkv.w + i * D * D, D * D);
            move(m, bias[i], w, a->qkv.b + i * D, D);
        }
        move(m, g->o, w, a->proj.w, D * D);
        move(m, g->ob, w, a->proj.b, D);
        move(m, mlp->norm_g, w, a->norm2, D);
        move(m, mlp->norm_b, w, a->norm2 + D, D);
        move(m, mlp->dense[0].w, w, a->fc1.w, U * D);
        move(m, mlp->dense[0].b, w, a->fc1.b, U);
        move(m, mlp->dense[1].w, w, a->fc2.w, D * U);
        move(m, mlp->dense[1].b, w, a->fc2.b, D);
    }
    move(m, m->readout.norm_g, w, p->norm, D);
    move(m, m->readout.norm_b, w, p->norm + D, D);
    move(m, m->readout.w, w, p->head.w, R * D);
    if (p->a.head_bias)
        move(m, m->readout.b, w, p->head.b, R);
}

at_status at_trainer_model(const at_trainer *t, int n_min, at_model *m, at_err *err)
{
    double *w = at_calloc(t->plan.n, sizeof *w);
    at_model_init(m);
    at_status s = w ? architecture(&t->plan, n_min, m, err) : at_oom(err);
    if (!s) {
        at_trainer_read(t, w);
        weights(&t->plan, w, m);
        m->f32 = t->arith.kind == AT_F32;
        s = at_model_validate(m, err);
    }
    if (s)
        at_model_release(m);
    at_free(w);
    return s;
}
