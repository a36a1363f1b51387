/* drawn.c: small models of words with drawn weights. */
#include "claim_drawn.h"

#include <attest/train.h>

#include <math.h>
#include <string.h>

enum { WIDTH = 3, UNITS = 4 };

static at_status block_make(const claim_drawn *d, at_model *m, int b, at_err *err)
{
    at_block *k = &m->blocks[b];
    k->residual = true;
    if (b % 2) {
        k->kind = AT_BLOCK_MLP;
        k->act = AT_ACT_RELU;
        k->n_dense = 2;
        if (!(k->dense = at_new(&m->arena, at_dense, 2)))
            return at_oom(err);
        k->dense[0].rows = UNITS;
        k->dense[1].rows = WIDTH;
        return AT_OK;
    }
    k->kind = AT_BLOCK_ATTN;
    k->n_groups = 1;
    if (!(k->groups = at_new(&m->arena, at_group, 1)))
        return at_oom(err);
    k->groups[0] = (at_group){
        .heads = d->heads, .dk = 2, .dv = d->dv, .weighting = d->weighting, .mask.kind = d->mask, .scale = 1};
    return AT_OK;
}

static at_status layout_make(const claim_drawn *d, at_model *m, at_err *err)
{
    at_status s = AT_OK;
    strcpy(m->name, "drawn");
    m->width = WIDTH;
    m->n_min = 0;
    m->n_max = d->longest;
    m->n_prefix = d->prefix;
    m->n_suffix = 1;
    m->n_fields = 1;
    m->n_pos = d->period > 0;
    m->n_blocks = 2 * d->layers;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    if (!m->fields || !m->pos || !m->blocks)
        return at_oom(err);
    strcpy(m->fields[0].name, "x");
    m->fields[0].kind = AT_FIELD_TOKEN;
    m->fields[0].size = 2;
    m->fields[0].embed.width = m->prefix.width = m->suffix.width = WIDTH;
    if (m->n_pos)
        m->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = d->longest + d->prefix + 1, .embed.width = WIDTH};
    for (int b = 0; b < m->n_blocks && !s; b++)
        s = block_make(d, m, b, err);
    m->readout = (at_readout){.kind = AT_READ_THRESHOLD, .rows = 1, .threshold = d->step / 4, .last = true};
    return s ? s : at_model_layout(m, err);
}

at_status claim_drawn_model(const claim_drawn *d, uint64_t seed, uint64_t index, at_model *m, at_err *err)
{
    at_model_init(m);
    at_status s = layout_make(d, m, err);
    at_rng r = at_rng_at(seed, index);
    for (size_t k = 0; !s && k < m->n_weights; k++)
        m->weights[k] = d->step * ((double)at_rng_below(&r, 2 * (uint64_t)d->most + 1) - d->most);
    for (int k = 0; !s && k < m->n_pos; k++) { /* the rows of the first period, again and again */
        double *w = at_model_data(m, m->pos[k].embed.tensor);
        for (int i = d->period * WIDTH; i < m->pos[k].size * WIDTH; i++)
            w[i] = w[i - d->period * WIDTH];
    }
    if (!s)
        s = at_model_validate(m, err);
    if (s)
        at_model_release(m);
    return s;
}

/* ---- trained ------------------------------------------------------------------------------------------------------------------ */

enum { BATCH = 16, TAUGHT_LONG = 8 };

/* Is a word of this language: a one is there; more ones than zeros; both letters are there; three ones or more. */
static bool taught(int language, int ones, int n)
{
    return language == 0   ? ones > 0
           : language == 1 ? 2 * ones > n
           : language == 2 ? ones > 0 && ones < n
                           : ones > 2;
}

static at_status steps_run(at_trainer *t, int language, int steps, uint64_t seed, at_err *err)
{
    at_adamw adamw = at_adamw_default;
    int token[BATCH][TAUGHT_LONG];
    double answer[BATCH], loss;
    at_train_sequence batch[BATCH];
    at_status s = AT_OK;
    adamw.rate = 0.02;
    for (int k = 0; k < steps && !s; k++) {
        for (int b = 0; b < BATCH; b++) {
            at_rng r = at_rng_at(seed, (uint64_t)k * BATCH + (uint64_t)b);
            int n = 1 + (int)at_rng_below(&r, TAUGHT_LONG), ones = 0;
            uint64_t share = at_rng_below(&r, 5);
            for (int i = 0; i < n; i++)
                ones += token[b][i] = at_rng_below(&r, 4) < share;
            answer[b] = taught(language, ones, n);
            batch[b] = (at_train_sequence){.length = n, .token = token[b], .y = &answer[b]};
        }
        s = at_trainer_step(t, batch, BATCH, &adamw, &loss, err);
    }
    return s;
}

at_status claim_drawn_trained(const claim_drawn *d, uint64_t seed, uint64_t index, int steps, at_model *m,
                              at_err *err)
{
    claim_drawn soft = *d;
    at_train_options options = at_train_options_default;
    at_trainer *t = NULL;
    at_model drawn;
    soft.weighting = AT_SOFTMAX;
    options.length = TAUGHT_LONG;
    at_status s = claim_drawn_model(&soft, seed, index, &drawn, err);
    if (s)
        return s;
    s = at_trainer_from_model(&drawn, at_f64, 1, &options, &t, err);
    if (!s)
        s = steps_run(t, (int)(index % CLAIM_TAUGHT), steps, seed + index, err);
    if (!s)
        s = at_trainer_model(t, 0, m, err);
    at_trainer_free(t);
    at_model_release(&drawn);
    if (s)
        return s;
    for (size_t k = 0; k < m->n_weights; k++)
        m->weights[k] = rint(8 * m->weights[k]) / 8;
    for (int b = 0; b < m->n_blocks; b++)
        if (m->blocks[b].kind == AT_BLOCK_ATTN)
            m->blocks[b].groups[0].weighting = d->weighting;
    s = at_model_validate(m, err);
    if (s)
        at_model_release(m);
    return s;
}

at_status claim_drawn_says(const at_model *m, at_arith arith, const int *word, int n, at_arena *a, bool *out,
                           at_err *err)
{
    double x[CLAIM_DRAWN_LONG];
    at_output y;
    at_mark mark = at_arena_mark(a);
    for (int i = 0; i < n; i++)
        x[i] = word[i];
    at_status s = at_run(m, arith, &(at_input){n, x}, NULL, a, &y, err);
    *out = !s && y.decision[0] != 0;
    at_arena_reset(a, mark);
    return s;
}

static at_status word_try(const at_model *m, at_arith arith, const at_formulas *f, const int *word, int n,
                          at_arena *a, uint64_t *yes, const char **why, at_err *err)
{
    bool says;
    at_tri holds;
    at_status s = claim_drawn_says(m, arith, word, n, a, &says, err);
    if (!s)
        s = at_formulas_run(f, word, n, &holds, err);
    if (s)
        return s;
    *yes += says;
    if (says == (holds == AT_TRUE))
        return AT_OK;
    at_text t;
    at_text_init(&t);
    at_alphabet_print(&f->sigma, word, n, &t);
    *why = t.oom ? NULL : at_arena_printf(a, "on %s the model says %s", t.s, says ? "yes" : "no");
    at_text_release(&t);
    return *why ? AT_OK : at_oom(err);
}

at_status claim_drawn_equal(const at_model *m, at_arith arith, const at_formulas *f, int longest, int more,
                            at_arena *a, uint64_t *words, uint64_t *yes, const char **why, at_err *err)
{
    int word[CLAIM_DRAWN_LONG];
    uint64_t unused = 0;
    at_status s = AT_OK;
    *why = NULL;
    *yes = 0;
    for (int n = 0; n <= longest && !s && !*why; n++)
        for (int w = 0; w < 1 << n && !s && !*why; w++, ++*words) {
            if (at_cancel_pending())
                return at_fail(err, AT_ECANCEL, "interrupted");
            for (int i = 0; i < n; i++)
                word[i] = w >> i & 1;
            s = word_try(m, arith, f, word, n, a, yes, why, err);
        }
    at_rng r = at_rng_at(40, 40);
    for (int k = 0; k < more && !s && !*why; k++, ++*words) {
        uint64_t share = 1 + at_rng_below(&r, 9);
        for (int i = 0; i < CLAIM_DRAWN_LONG; i++)
            word[i] = at_rng_below(&r, 10) < share;
        s = word_try(m, arith, f, word, CLAIM_DRAWN_LONG, a, &unused, why, err);
    }
    return s;
}
