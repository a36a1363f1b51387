/* hard_decoder.c: small decoders, random and trained, over tokens or rows of integers; and running sums as tokens, the regular
 * recurrence in the form that a trainer reads.
 *
 * A decoder is: words (or integers) and learned positions, layers of x += attend(x) and x += MLP(x), readout. There are no norms: with
 * few coordinates a norm leaves nearly nothing of a row. */
#include "hard_nets.h"

#include <math.h>
#include <string.h>

static at_status block_make(const hard_decoder *d, at_model *m, int b, at_err *err)
{
    at_block *k = &m->blocks[b];
    if (b % 2) {
        *k = (at_block){.kind = AT_BLOCK_MLP, .act = AT_ACT_GELU, .residual = true, .n_dense = 2};
        if (!(k->dense = at_new(&m->arena, at_dense, 2)))
            return at_oom(err);
        k->dense[0].rows = d->hidden;
        k->dense[1].rows = d->width;
        return AT_OK;
    }
    *k = (at_block){.kind = AT_BLOCK_ATTN, .residual = true, .n_groups = 1};
    if (!(k->groups = at_new(&m->arena, at_group, 1)))
        return at_oom(err);
    k->groups[0] = (at_group){.heads = d->heads,
                              .dk = d->dk,
                              .dv = d->dv,
                              .weighting = d->weighting,
                              .scale = 1,
                              .mask = d->mask,
                              .bias = true};
    return AT_OK;
}

static at_status decoder_shape(const hard_decoder *d, at_model *m, at_err *err)
{
    int D = d->width, numbers = 0;
    at_model_init(m);
    strcpy(m->name, "decoder");
    m->width = D;
    m->n_min = 1;
    m->n_max = d->rule.prompt_max + d->rule.max_steps;
    m->pos_origin = 1;
    m->n_fields = d->words ? 1 : d->n_fields;
    m->n_pos = 1;
    m->n_blocks = 2 * d->layers;
    m->fields = at_new(&m->arena, at_field, m->n_fields);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    if (!m->fields || !m->pos || !m->blocks)
        return at_oom(err);
    for (int f = 0; f < m->n_fields; f++) {
        if (d->words)
            m->fields[f] = (at_field){.name = "token", .kind = AT_FIELD_TOKEN, .size = d->words};
        else
            m->fields[f] = d->fields[f];
        m->fields[f].embed = (at_embed){0, D, -1};
        numbers += at_field_width(&m->fields[f]);
    }
    m->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = m->n_max, .embed = {0, D, -1}};
    m->readout = (at_readout){.kind = d->words ? AT_READ_ARGMAX : AT_READ_ROUND,
                              .rows = d->words ? d->words : numbers};
    m->decode = d->rule;
    m->decode.enabled = true;
    at_status s = AT_OK;
    for (int b = 0; b < m->n_blocks && !s; b++)
        s = block_make(d, m, b, err);
    return s ? s : at_model_layout(m, err);
}

at_status hard_decoder_random(const hard_decoder *d, at_model *m, at_err *err)
{
    at_status s = decoder_shape(d, m, err);
    if (s) {
        at_model_release(m);
        return s;
    }
    for (int i = 0; i < m->n_tensors; i++) {
        const at_tensor *t = &m->tensors[i];
        at_rng r = at_rng_at(d->seed, (uint64_t)i);
        bool table = i == m->pos[0].embed.tensor || (d->words && i == m->fields[0].embed.tensor);
        double scale = table ? 1 : 1 / sqrt((double)(t->rank == 2 ? t->shape[1] : 4));
        for (size_t k = 0; k < t->count; k++)
            m->weights[t->offset + k] = scale * at_rng_normal(&r);
    }
    return AT_OK;
}

/* ---- training ----------------------------------------------------------------------------------------------------- */

enum { BATCH = 16 };

/* Row b of a batch: tokens but for the last, and what follows each after the prompt. */
static at_status row_make(hard_row *row, const void *self, uint64_t seed, uint64_t index, int longest,
                          int *token, int *target, at_train_sequence *out, at_err *err)
{
    at_rng r = at_rng_at(seed, index);
    int prompt, n;
    at_status s = row(self, &r, token, &prompt, &n, err);
    if (!s && n > longest)
        s = at_fail(err, AT_EDOMAIN, "a row of %d tokens; the model takes %d", n, longest);
    for (int i = 0; i + 1 < n && !s; i++)
        target[i] = i + 1 >= prompt ? token[i + 1] : -1;
    *out = (at_train_sequence){n - 1, token, target};
    return s;
}

at_status hard_decoder_train(at_model *m, hard_row *row, const void *self, int steps, uint64_t seed,
                             at_err *err)
{
    at_trainer *t = NULL;
    size_t longest = (size_t)m->n_max;
    int *token = at_malloc(2 * BATCH * longest * sizeof *token), *target = token + BATCH * longest;
    at_status s =
        token ? at_trainer_from_model(m, at_f32, 1, &at_train_options_default, &t, err) : at_oom(err);
    at_adamw adam = at_adamw_default;
    adam.rate = 0.01;
    adam.decay = 0;
    for (int step = 0; step < steps && !s; step++) {
        at_train_sequence batch[BATCH];
        double loss;
        for (int b = 0; b < BATCH && !s; b++)
            s = row_make(row, self, seed, (uint64_t)(step * BATCH + b), m->n_max, token + (size_t)b * longest,
                         target + (size_t)b * longest, &batch[b], err);
        if (!s)
            s = at_trainer_step(t, batch, BATCH, &adam, &loss, err);
    }
    at_model learnt;
    if (!s)
        s = at_trainer_model(t, 0, &learnt, err);
    if (!s) {
        memcpy(m->weights, learnt.weights, m->n_weights * sizeof *m->weights);
        at_model_release(&learnt);
    }
    at_trainer_free(t);
    at_free(token);
    return s;
}

/* ---- running sums -------------------------------------------------------------------------------------------------- */

static int running_row(const void *self)
{
    (void)self;
    return 1;
}

static int running_prompt(const void *self)
{
    return ((const hard_running *)self)->n + 1;
}

static int running_rows(const void *self)
{
    return ((const hard_running *)self)->n + 3;
}

static uint64_t running_count(const void *self)
{
    const hard_running *c = self;
    uint64_t all = 1;
    for (int i = 0; i < c->n; i++)
        if (__builtin_mul_overflow(all, (uint64_t)c->q, &all))
            return UINT64_MAX;
    return all;
}

/* From digits, the last element fastest, or from a generator. */
static void running_fill(const hard_running *c, uint64_t index, at_rng *r, double *prompt, int *n)
{
    *n = c->n + 1;
    prompt[c->n] = AT_TOKEN_SEP;
    for (int i = c->n - 1; i >= 0; i--) {
        prompt[i] = AT_TOKEN_FIRST + (double)(r ? at_rng_below(r, (uint64_t)c->q) : index % (uint64_t)c->q);
        index /= (uint64_t)c->q;
    }
}

static at_status running_nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err)
{
    (void)err;
    running_fill(self, i, NULL, prompt, n);
    return AT_OK;
}

static at_status running_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    (void)err;
    running_fill(self, 0, r, prompt, n);
    return AT_OK;
}

static at_status running_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                                at_err *err)
{
    const hard_running *c = self;
    int sum = 0;
    if (n != c->n + 1 || prompt[c->n] != AT_TOKEN_SEP)
        return at_fail(err, AT_EINPUT, "a prompt is %d numbers and a separator", c->n);
    for (int i = 0; i < c->n; i++) {
        int digit = (int)prompt[i] - AT_TOKEN_FIRST;
        if (digit < 0 || digit >= c->q)
            return at_fail(err, AT_EINPUT, "token %d of the prompt is no number", i + 1);
        sum = (sum + digit) % c->q;
        rows[i] = AT_TOKEN_FIRST + sum;
    }
    rows[c->n] = AT_TOKEN_SEP;
    rows[c->n + 1] = AT_TOKEN_FIRST + sum;
    rows[c->n + 2] = AT_TOKEN_EOS;
    *n_rows = c->n + 3;
    return AT_OK;
}

const at_chain hard_running_chain = {
    .id = "running-sums",
    .title = "sums modulo q, one after the other",
    .definition =
        "after s_1 ... s_n and <sep>: the sums of the first 1, ..., n modulo q, <sep>, the last, <eos>",
    .input_help = "tokens: 1 is <sep>, 2 is <eos>, 3 is 0, 4 is 1, ...",
    .row_width = running_row,
    .prompt_max = running_prompt,
    .rows_max = running_rows,
    .count = running_count,
    .nth = running_nth,
    .sample = running_sample,
    .answer = running_answer,
};

/* ---- rows to learn from -------------------------------------------------------------------------------------------- */

at_status hard_running_row(const void *self, at_rng *r, int *token, int *prompt, int *n, at_err *err)
{
    const hard_running *c = self;
    int longest = 2 * c->n + 4, rows;
    double *x = at_malloc((size_t)longest * sizeof *x);
    if (!x)
        return at_oom(err);
    running_fill(c, 0, r, x, prompt);
    at_status s = running_answer(c, x, *prompt, x + *prompt, &rows, err);
    *n = *prompt + rows;
    for (int i = 0; i < *n && !s; i++)
        token[i] = (int)x[i];
    at_free(x);
    return s;
}

#define LESSON_OPERATORS 3 /* longer expressions would make trainings long */

at_status hard_expression_row(const void *self, at_rng *r, int *token, int *prompt, int *n, at_err *err)
{
    (void)err;
    const at_expr_space *e = self;
    int most = e->most < LESSON_OPERATORS ? e->most : LESSON_OPERATORS;
    int k = 1 + (int)at_rng_below(r, (uint64_t)most), length = at_expr_sample(e->p, k, r, token);
    *prompt = length + 1;
    *n = *prompt + at_expr_chain(e->p, token, length, token + *prompt);
    token[length] = AT_EXPR_EQUALS;
    return AT_OK;
}
