/* word_nets.c: see word_nets.h. Training is no attempt to do well: it moves the weights to where a user's would be. */
#include "word_nets.h"

#include <math.h>
#include <stdio.h>

static at_status net_fill(const word_net *h, at_model *m, at_err *err)
{
    int each = h->hidden ? 2 : 1;
    snprintf(m->name, sizeof m->name, "words");
    m->width = h->width;
    m->n_min = 1;
    m->n_max = h->longest;
    m->pos_origin = 1;
    m->n_fields = m->n_pos = 1;
    m->n_blocks = each * h->layers;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    if (!m->fields || !m->pos || !m->blocks)
        return at_oom(err);
    m->fields[0] =
        (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = h->letters, .embed = {0, h->width, -1}};
    m->pos[0] = (at_pos){.kind = AT_POS_SINUSOIDAL, .size = h->width, .embed = {0, h->width, -1}};
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
                                  .mask = {h->mask, 0, 0, 0}};
        k->dense[0].rows = h->hidden;
        k->dense[1].rows = h->width;
    }
    m->readout = (at_readout){.kind = AT_READ_ARGMAX, .rows = h->answers, .last = true};
    return at_model_layout(m, err);
}

at_status word_net_draw(const word_net *h, uint64_t seed, at_model *m, at_err *err)
{
    at_model_init(m);
    at_status s = net_fill(h, m, err);
    if (s) {
        at_model_release(m);
        return s;
    }
    for (int i = 0; i < m->n_tensors; i++) {
        const at_tensor *t = &m->tensors[i];
        at_rng r = at_rng_at(seed, (uint64_t)i);
        bool table = i == m->fields[0].embed.tensor;
        double scale = h->gain * (table ? 1 : t->rank == 1 ? 0.1 : 1 / sqrt((double)t->shape[1]));
        for (size_t k = 0; k < t->count; k++)
            m->weights[t->offset + k] = scale * at_rng_normal(&r);
    }
    return AT_OK;
}

void word_net_harden(at_model *m, at_weighting w)
{
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            m->blocks[b].groups[g].weighting = w;
}

/* ---- training --------------------------------------------------------------------------------------------------------- */

enum { BATCH = 16 };

at_status word_net_train(at_model *m, word_row *row, const void *self, int n, int steps, uint64_t seed,
                         at_err *err)
{
    at_adamw adamw = at_adamw_default;
    at_train_options options = at_train_options_default;
    at_train_sequence batch[BATCH];
    size_t N = (size_t)n;
    double *x = at_calloc(N, sizeof *x), loss;
    int *token = at_calloc(2 * BATCH * N, sizeof *token), *target = token + BATCH * N;
    at_trainer *trainer = NULL;
    at_model out;
    adamw.rate = 3e-3;
    options.length = n;
    at_status s = x && token ? at_trainer_from_model(m, at_f32, 1, &options, &trainer, err) : at_oom(err);
    for (int k = 0; k < steps && !s; k++) {
        for (int b = 0; b < BATCH; b++) {
            at_rng r = at_rng_at(seed, (uint64_t)k * BATCH + (uint64_t)b);
            int answer;
            row(self, &r, n, x, &answer);
            for (size_t i = 0; i < N; i++) {
                token[(size_t)b * N + i] = (int)x[i];
                target[(size_t)b * N + i] = i + 1 < N ? -1 : answer;
            }
            batch[b] = (at_train_sequence){n, token + (size_t)b * N, target + (size_t)b * N, NULL, NULL};
        }
        s = at_trainer_step(trainer, batch, BATCH, &adamw, &loss, err);
    }
    if (!s && !(s = at_trainer_model(trainer, 0, &out, err))) {
        at_model_release(m);
        *m = out;
    }
    at_trainer_free(trainer);
    at_free(x);
    at_free(token);
    return s;
}

static void task_row(const char *id, const at_params *p, at_rng *r, double *x, int *answer)
{
    const at_task *t = at_task_find(id);
    double y;
    t->sample(p, r, x);
    t->answer(p, x, &y);
    *answer = (int)y;
}

void word_row_parity(const void *self, at_rng *r, int n, double *x, int *answer)
{
    (void)n;
    task_row("parity", self, r, x, answer);
}

void word_row_dyck(const void *self, at_rng *r, int n, double *x, int *answer)
{
    (void)n;
    task_row("dyck", self, r, x, answer);
}
