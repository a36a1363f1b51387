/* hard_layers.c: models that are too small, made at random and then trained a little.
 *
 * A lower bound speaks of every model of a size; these are some of them. All come from a seed. Training is no attempt to do
 * well: it moves the weights from where a random model has them to where a user's would be. */
#include "hard_layers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- tokens ------------------------------------------------------------------------------------------------- */

static void weights_draw(at_model *m, double gain, uint64_t seed)
{
    for (int i = 0; i < m->n_tensors; i++) {
        const at_tensor *t = &m->tensors[i];
        at_rng r = at_rng_at(seed, (uint64_t)i);
        double scale = t->rank == 1 ? 0.1 : 1 / sqrt((double)t->shape[1]);
        for (int f = 0; f < m->n_fields; f++)
            if (i == m->fields[f].embed.tensor)
                scale = 1;
        for (int p = 0; p < m->n_pos; p++)
            if (i == m->pos[p].embed.tensor)
                scale = 1;
        for (int b = 0; b < m->n_blocks; b++)
            if (m->blocks[b].kind == AT_BLOCK_ATTN &&
                (i == m->blocks[b].groups[0].q || i == m->blocks[b].groups[0].k))
                scale *= gain;
        for (size_t k = 0; k < t->count; k++)
            m->weights[t->offset + k] = scale * at_rng_normal(&r);
    }
}

static at_status layers_fill(const hard_arch *h, at_model *m, at_err *err)
{
    int each = h->hidden ? 2 : 1;
    snprintf(m->name, sizeof m->name, "random layers");
    m->width = h->width;
    m->n_min = m->n_max = h->length;
    m->pos_origin = 1;
    m->n_fields = m->n_pos = 1;
    m->n_blocks = each * h->layers;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    if (!m->fields || !m->pos || !m->blocks)
        return at_oom(err);
    m->fields[0] =
        (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = h->vocabulary, .embed = {0, h->width, -1}};
    if (h->integers)
        m->fields[0] = (at_field){.name = "x",
                                  .kind = AT_FIELD_INT,
                                  .size = h->integers,
                                  .lo = 0,
                                  .hi = 1,
                                  .embed = {0, h->width, -1}};
    m->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = h->length, .embed = {0, h->width, -1}};
    for (int b = 0; b < m->n_blocks; b++) {
        at_block *k = &m->blocks[b];
        bool mlp = b % each == 1;
        *k = (at_block){.kind = mlp ? AT_BLOCK_MLP : AT_BLOCK_ATTN, .residual = true, .act = AT_ACT_RELU};
        k->n_groups = !mlp;
        k->n_dense = 2 * mlp;
        k->groups = at_new(&m->arena, at_group, 1);
        k->dense = at_new(&m->arena, at_dense, 2);
        if (!k->groups || !k->dense)
            return at_oom(err);
        k->groups[0] = (at_group){.heads = h->heads,
                                  .dk = h->dim,
                                  .dv = h->dim,
                                  .weighting = AT_SOFTMAX,
                                  .scale = 1 / sqrt(h->dim),
                                  .mask = {h->strict ? AT_MASK_STRICT : AT_MASK_NONE, 0, 0, 0}};
        k->dense[0].rows = h->hidden;
        k->dense[1].rows = h->width;
    }
    m->readout = (at_readout){.kind = AT_READ_ARGMAX, .rows = h->answers, .last = h->last};
    return at_model_layout(m, err);
}

at_status hard_layers_draw(const hard_arch *h, uint64_t seed, at_model *m, at_err *err)
{
    at_model_init(m);
    at_status s = layers_fill(h, m, err);
    if (s)
        at_model_release(m);
    else
        weights_draw(m, h->gain > 0 ? h->gain : 1, seed);
    return s;
}

enum { BATCH = 16 };

/* Batch number `step`: inputs of the task as sequences, answers as targets. */
static void batch_fill(const at_task *t, const at_params *p, uint64_t seed, int step, double *x, double *y,
                       int *token, int *target, at_train_sequence *batch)
{
    int N = at_params_int(p, "N");
    for (int b = 0; b < BATCH; b++) {
        at_rng r = at_rng_at(seed, (uint64_t)step * BATCH + (uint64_t)b);
        t->sample(p, &r, x);
        t->answer(p, x, y);
        for (int i = 0; i < N; i++) {
            token[b * N + i] = (int)x[i];
            target[b * N + i] = !t->last ? (int)y[i] : i == N - 1 ? (int)y[0] : -1;
        }
        batch[b] = (at_train_sequence){N, token + b * N, target + b * N};
    }
}

at_status hard_layers_train(at_model *m, const at_task *t, const at_params *p, int steps, uint64_t seed,
                            at_err *err)
{
    size_t N = (size_t)at_params_int(p, "N");
    at_adamw adamw = at_adamw_default;
    at_train_sequence batch[BATCH];
    double *x = at_calloc(2 * N, sizeof *x), loss;
    int *token = at_calloc(2 * BATCH * N, sizeof *token);
    at_trainer *trainer = NULL;
    at_status s = x && token ? AT_OK : at_oom(err);
    adamw.rate = 3e-3;
    if (!s)
        s = at_trainer_from_model(m, at_f32, 1, &at_train_options_default, &trainer, err);
    for (int k = 0; k < steps && !s; k++) {
        batch_fill(t, p, seed, k, x, x + N, token, token + BATCH * N, batch);
        s = at_trainer_step(trainer, batch, BATCH, &adamw, &loss, err);
    }
    at_model out;
    if (!s && !(s = at_trainer_model(trainer, 0, &out, err))) {
        at_model_release(m);
        *m = out;
    }
    at_trainer_free(trainer);
    at_free(x);
    at_free(token);
    return s;
}

/* ---- qSA ----------------------------------------------------------------------------------------------------- */

static at_status qsa_fill(int N, int q, int vector, int heads, int dim, at_model *m, at_err *err)
{
    int D = vector + 2 * heads * dim;
    snprintf(m->name, sizeof m->name, "random attention unit");
    m->width = D;
    m->n_min = m->n_max = N;
    m->pos_origin = 1;
    m->n_fields = 2;
    m->n_pos = m->n_blocks = 1;
    m->fields = at_new(&m->arena, at_field, 2);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, 1);
    at_group *g = at_new(&m->arena, at_group, 1);
    if (!m->fields || !m->pos || !m->blocks || !g)
        return at_oom(err);
    m->fields[0] = (at_field){
        .name = "z", .kind = AT_FIELD_REAL, .size = vector, .lo = -1, .hi = 1, .embed = {0, D, -1}};
    m->fields[1] =
        (at_field){.name = "y", .kind = AT_FIELD_SUBSET, .size = N, .pick = q, .embed = {0, D, -1}};
    m->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = N, .embed = {0, D, -1}};
    *g = (at_group){.heads = heads, .dk = dim, .dv = dim, .weighting = AT_SOFTMAX, .scale = 1 / sqrt(dim)};
    m->blocks[0] = (at_block){.kind = AT_BLOCK_ATTN, .groups = g, .n_groups = 1};
    m->readout = (at_readout){.kind = AT_READ_RAW, .rows = vector};
    return at_model_layout(m, err);
}

at_status hard_qsa_draw(int N, int q, int vector, int heads, int dim, uint64_t seed, at_model *m, at_err *err)
{
    at_model_init(m);
    at_status s = qsa_fill(N, q, vector, heads, dim, m, err);
    if (s)
        at_model_release(m);
    else
        weights_draw(m, 1, seed);
    return s;
}

/* Mean square error of m over inputs 0..inputs-1 of the seed. */
static at_status qsa_error(const at_model *m, const at_params *p, int inputs, uint64_t seed, double *x,
                           double *y, at_arena *a, double *out, at_err *err)
{
    const at_task *t = at_task_find("qsa");
    int N = at_params_int(p, "N"), d = at_params_int(p, "d");
    *out = 0;
    for (int k = 0; k < inputs; k++) {
        at_mark mark = at_arena_mark(a);
        at_rng r = at_rng_at(seed, (uint64_t)k);
        at_output o;
        t->sample(p, &r, x);
        t->answer(p, x, y);
        at_status s = at_run(m, at_f64, &(at_input){N, x}, NULL, a, &o, err);
        for (int i = 0; i < N * d && !s; i++)
            *out += (o.value[i] - y[i]) * (o.value[i] - y[i]) / (inputs * N * d);
        at_arena_reset(a, mark);
        if (s)
            return s;
    }
    return AT_OK;
}

at_status hard_qsa_train(at_model *m, const at_params *p, int steps, int inputs, uint64_t seed, at_err *err)
{
    size_t N = (size_t)at_params_int(p, "N"), d = (size_t)at_params_int(p, "d"),
           W = d + (size_t)at_params_int(p, "q");
    at_arena a;
    at_arena_init(&a);
    double *x = at_new(&a, double, N *W), *y = at_new(&a, double, N *d),
           *old = at_new(&a, double, m->n_weights);
    at_rng r = at_rng_at(seed, 0x68696c6cu);
    double error = 0, trial;
    at_status s = x && y && old ? qsa_error(m, p, inputs, seed, x, y, &a, &error, err) : at_oom(err);
    for (int k = 0; k < steps && !s; k++) {
        double size = 0.3 * at_pow(0.01, at_rng_unit(&r));
        memcpy(old, m->weights, m->n_weights * sizeof *old);
        for (size_t i = 0; i < m->n_weights; i++)
            m->weights[i] += size * at_rng_normal(&r);
        s = qsa_error(m, p, inputs, seed, x, y, &a, &trial, err);
        if (!s && trial < error)
            error = trial;
        else
            memcpy(m->weights, old, m->n_weights * sizeof *old);
    }
    at_arena_release(&a);
    return s;
}
