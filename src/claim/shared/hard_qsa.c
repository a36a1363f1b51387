/* hard_qsa.c: nets on sparse averaging: feed-forward and recurrent ones, random and trained.
 *
 * A position is (z: d reals | y: a q-subset), as the task has it. Embedding: z times a matrix plus a row for the subset.
 *
 * Trained. The trainer knows tokens only. So a twin is trained whose token 2(y-1) + [z = 1] is the position (z = +-1, y), d = q =
 * 1, and which says whether the answer is 1 or -1. After every step its words are put back into the form E = z a + b_y (the nearest
 * such words), so that the twin is a net on reals all the time; its two logits become one number, their difference times
 * the factor that fits best on drawn inputs.
 *
 * Right nets: hard_right.c. */
#include "hard_nets.h"

#include <math.h>
#include <string.h>

#define WIDTH 4 /* D of random and trained nets */

/* ---- shapes ---------------------------------------------------------------------------------------------------- */

at_status hard_qsa_layers(at_model *m, at_block *b, int n, const int *rows, at_err *err)
{
    b->n_dense = n;
    if (!(b->dense = at_new(&m->arena, at_dense, n)))
        return at_oom(err);
    for (int l = 0; l < n; l++)
        b->dense[l].rows = rows[l];
    return AT_OK;
}

/* Everything but the fields and the readout. */
at_status hard_qsa_shape(const hard_qsa *z, int width, at_model *m, at_err *err)
{
    at_model_init(m);
    strcpy(m->name, z->recurrent ? "rnn" : "ffn");
    m->width = width;
    m->n_min = m->n_max = z->N;
    m->pos_origin = 1;
    m->n_blocks = 1;
    m->fields = at_new(&m->arena, at_field, 2);
    m->blocks = at_new(&m->arena, at_block, 2);
    if (!m->fields || !m->blocks)
        return at_oom(err);
    m->readout.last = z->recurrent;
    if (z->recurrent) {
        m->blocks[0] = (at_block){.kind = AT_BLOCK_RNN, .rnn = {.cell = z->cell, .state = z->units}};
        return AT_OK;
    }
    m->blocks[0] = (at_block){.kind = AT_BLOCK_FLATTEN, .act = AT_ACT_RELU, .residual = z->skip};
    return hard_qsa_layers(m, &m->blocks[0], 2, (const int[]){z->units, z->N * width}, err);
}

void hard_qsa_fields(const hard_qsa *z, at_embed vector, at_embed subset, at_model *m)
{
    m->n_fields = 2;
    m->fields[0] =
        (at_field){.name = "z", .kind = AT_FIELD_REAL, .size = z->d, .lo = -1, .hi = 1, .embed = vector};
    m->fields[1] =
        (at_field){.name = "y", .kind = AT_FIELD_SUBSET, .size = z->N, .pick = z->q, .embed = subset};
    m->readout.kind = AT_READ_RAW;
    m->readout.rows = z->d;
}

static at_status failed(at_status s, at_model *m)
{
    if (s)
        at_model_release(m);
    return s;
}

/* ---- random ------------------------------------------------------------------------------------------------------ */

static void weights_draw(const hard_qsa *z, at_model *m)
{
    for (int i = 0; i < m->n_tensors; i++) {
        const at_tensor *t = &m->tensors[i];
        at_rng r = at_rng_at(z->seed, (uint64_t)i);
        bool table = i == m->fields[0].embed.tensor || (m->n_fields > 1 && i == m->fields[1].embed.tensor);
        bool cell = z->recurrent && (i == m->blocks[0].rnn.u || i == m->blocks[0].rnn.w);
        double scale = table ? 1 : 1 / sqrt((double)(t->rank == 2 ? t->shape[1] : 4));
        for (size_t k = 0; k < t->count; k++)
            m->weights[t->offset + k] = scale * (cell ? z->gain : 1) * at_rng_normal(&r);
    }
}

static at_status real_net(const hard_qsa *z, at_model *m, at_err *err)
{
    at_status s = hard_qsa_shape(z, WIDTH, m, err);
    if (!s) {
        hard_qsa_fields(z, (at_embed){0, WIDTH, -1}, (at_embed){0, WIDTH, -1}, m);
        s = at_model_layout(m, err);
    }
    return failed(s, m);
}

at_status hard_qsa_random(const hard_qsa *z, at_model *m, at_err *err)
{
    at_status s = real_net(z, m, err);
    if (!s)
        weights_draw(z, m);
    return s;
}

/* ---- trained ----------------------------------------------------------------------------------------------------- */

enum { BATCH = 16 };

static at_status twin_net(const hard_qsa *z, at_model *m, at_err *err)
{
    at_status s = hard_qsa_shape(z, WIDTH, m, err);
    if (!s) {
        m->n_fields = 1;
        m->fields[0] =
            (at_field){.name = "token", .kind = AT_FIELD_TOKEN, .size = 2 * z->N, .embed = {0, WIDTH, -1}};
        m->readout.kind = AT_READ_ARGMAX;
        m->readout.rows = 2;
        s = at_model_layout(m, err);
    }
    if (!s)
        weights_draw(z, m);
    return failed(s, m);
}

/* The nearest words of the form +-a + b_y: words (2N, WIDTH). */
static void words_project(int N, double *word)
{
    for (int e = 0; e < WIDTH; e++) {
        double a = 0;
        for (int y = 0; y < N; y++)
            a += (word[(2 * y + 1) * WIDTH + e] - word[2 * y * WIDTH + e]) / 2 / N;
        for (int y = 0; y < N; y++) {
            double b = (word[(2 * y + 1) * WIDTH + e] + word[2 * y * WIDTH + e]) / 2;
            word[(2 * y + 1) * WIDTH + e] = b + a;
            word[2 * y * WIDTH + e] = b - a;
        }
    }
}

static double *words_of(const at_trainer *t, double *parameters)
{
    const at_train_tensor *tensor;
    int n = at_trainer_tensors(t, &tensor);
    for (int i = 0; i < n; i++)
        if (!strncmp(tensor[i].name, "input.", 6))
            return parameters + tensor[i].offset;
    return NULL;
}

/* token, target: (BATCH, N) */
static void batch_draw(const hard_qsa *z, at_rng *r, int *token, int *target)
{
    for (int b = 0; b < BATCH; b++, token += z->N, target += z->N) {
        for (int i = 0; i < z->N; i++)
            token[i] = (int)at_rng_below(r, 2 * (uint64_t)z->N);
        for (int i = 0; i < z->N; i++)
            target[i] = z->recurrent && i + 1 < z->N ? -1 : token[token[i] / 2] % 2;
    }
}

static at_status twin_train(const hard_qsa *z, int steps, at_trainer *t, at_err *err)
{
    size_t n = at_trainer_parameters(t), tokens = (size_t)BATCH * (size_t)z->N;
    double *parameters = at_malloc(n * sizeof *parameters), *word, loss;
    int *token = at_malloc(2 * tokens * sizeof *token), *target = token + tokens;
    at_status s = parameters && token ? AT_OK : at_oom(err);
    at_adamw adam = at_adamw_default;
    adam.rate = 0.01;
    adam.decay = 0;
    for (int step = 0; step <= steps && !s; step++) {
        at_trainer_read(t, parameters);
        if (!(word = words_of(t, parameters)))
            s = at_fail(err, AT_EREFUSED, "the trainer has no words");
        if (!s) {
            words_project(z->N, word);
            s = at_trainer_write(t, parameters, err);
        }
        at_rng r = at_rng_at(z->seed ^ 0x7131u, (uint64_t)step);
        at_train_sequence batch[BATCH];
        for (int b = 0; b < BATCH && !s; b++)
            batch[b] = (at_train_sequence){z->N, token + b * z->N, target + b * z->N};
        if (!s)
            batch_draw(z, &r, token, target);
        if (!s && step < steps)
            s = at_trainer_step(t, batch, BATCH, &adam, &loss, err);
    }
    at_free(parameters);
    at_free(token);
    return s;
}

static const at_tensor *tensor_named(const at_model *m, const char *name)
{
    for (int i = 0; i < m->n_tensors; i++)
        if (!strcmp(m->tensors[i].name, name))
            return &m->tensors[i];
    return NULL;
}

/* The twin as a net on reals. */
static void twin_read(const hard_qsa *z, const at_model *twin, at_model *m)
{
    const double *word = at_model_data(twin, twin->fields[0].embed.tensor);
    double *a = at_model_data(m, m->fields[0].embed.tensor), *b = at_model_data(m, m->fields[1].embed.tensor);
    for (int e = 0; e < WIDTH; e++)
        a[e] = (word[WIDTH + e] - word[e]) / 2;
    for (int y = 0; y < z->N; y++)
        for (int e = 0; e < WIDTH; e++)
            b[y * WIDTH + e] = (word[(2 * y + 1) * WIDTH + e] + word[2 * y * WIDTH + e]) / 2;
    for (int i = 0; i < m->n_tensors; i++) {
        const at_tensor *from = tensor_named(twin, m->tensors[i].name);
        if (from && from->count == m->tensors[i].count && !strncmp(from->name, "block", 5))
            memcpy(m->weights + m->tensors[i].offset, twin->weights + from->offset, from->count * sizeof *a);
    }
    const double *w = at_model_data(twin, twin->readout.w), *c = at_model_data(twin, twin->readout.b);
    for (int e = 0; e < WIDTH; e++)
        at_model_data(m, m->readout.w)[e] = w[WIDTH + e] - w[e];
    at_model_data(m, m->readout.b)[0] = c[1] - c[0];
}

/* The readout times the factor that fits best on drawn inputs. */
static at_status readout_fit(const hard_qsa *z, at_model *m, at_err *err)
{
    const at_task *t = at_task_find("qsa");
    at_params p;
    at_params_init(&p, t->params, t->n_params);
    at_status s = at_params_set(&p, "N", z->N, err);
    if (!s)
        s = at_params_set(&p, "q", 1, err);
    if (!s)
        s = at_params_set(&p, "d", 1, err);
    double product = 0, square = 0;
    for (uint64_t k = 0; k < 32 && !s; k++) {
        at_arena a;
        at_arena_init(&a);
        at_rng r = at_rng_at(z->seed ^ 0xf17u, k);
        double *x = at_new(&a, double, 2 * z->N), *right = at_new(&a, double, z->N);
        at_output y;
        s = x && right ? AT_OK : at_oom(err);
        if (!s) {
            t->sample(&p, &r, x);
            t->answer(&p, x, right);
            s = at_run(m, at_f64, &(at_input){z->N, x}, NULL, &a, &y, err);
        }
        for (int i = 0; !s && i < y.n; i++) {
            double want = right[y.n == 1 ? z->N - 1 : i];
            product += want * y.value[i];
            square += y.value[i] * y.value[i];
        }
        at_arena_release(&a);
    }
    double factor = square > 0 ? product / square : 1;
    for (int e = 0; e < WIDTH; e++)
        at_model_data(m, m->readout.w)[e] *= factor;
    at_model_data(m, m->readout.b)[0] *= factor;
    return s;
}

at_status hard_qsa_trained(const hard_qsa *z, int steps, at_model *m, at_err *err)
{
    at_model twin, learnt;
    at_trainer *t = NULL;
    if (z->d != 1 || z->q != 1 || z->skip)
        return at_fail(err, AT_EREFUSED, "nets are trained with d = q = 1 and no skip");
    at_status s = twin_net(z, &twin, err);
    if (s)
        return s;
    s = at_trainer_from_model(&twin, at_f32, 1, &at_train_options_default, &t, err);
    at_model_release(&twin);
    if (!s)
        s = twin_train(z, steps, t, err);
    if (!s)
        s = at_trainer_model(t, 0, &learnt, err);
    at_trainer_free(t);
    if (s)
        return s;
    s = real_net(z, m, err);
    if (!s) {
        twin_read(z, &learnt, m);
        s = failed(readout_fit(z, m, err), m);
    }
    at_model_release(&learnt);
    return s;
}

at_status hard_qsa_open(const at_params *p, const at_cell *cell, uint64_t seed, hard_qsa_claim *out,
                        at_err *err)
{
    static const char *const shared[] = {"N", "q", "d"};
    const at_task *t = at_task_find("qsa");
    *out = (hard_qsa_claim){.p = p, .seed = seed};
    at_params_init(&out->task, t->params, t->n_params);
    at_status s = at_arith_parse(at_cell_arith(cell), &out->arith, err);
    for (int k = 0; k < COUNT(shared) && !s; k++)
        s = at_params_set(&out->task, shared[k], at_params_get(p, shared[k]), err);
    return s ? s : t->validate(&out->task, err);
}

at_status hard_qsa_make(const hard_qsa_claim *c, const hard_qsa *z, at_model *m, at_subject *s, at_err *err)
{
    int weights = at_params_int(c->p, "weights");
    *s = (at_subject){.m = m,
                      .arith = c->arith,
                      .task = at_task_find("qsa"),
                      .params = &c->task,
                      .tolerance = at_params_get(c->p, "tolerance")};
    return weights == HARD_RANDOM    ? hard_qsa_random(z, m, err)
           : weights == HARD_TRAINED ? hard_qsa_trained(z, at_params_int(c->p, "steps"), m, err)
                                     : hard_qsa_right(z, m, err);
}
