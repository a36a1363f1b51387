/* small_models.h: models and a chain for the tests of refuters, so small that all there is to find can be found by trying everything.
 *
 *     at_model m;
 *     net_draw(&(net_shape){.N = 5, .q = 2, .d = 1, .units = 2, .recurrent = true, .gain = 1}, 7, &m);
 *
 * Letters: N positions, q subset size, d dimension, D width. */
#ifndef ATTEST_TEST_SMALL_MODELS_H
#define ATTEST_TEST_SMALL_MODELS_H

#include <attest/refute.h>

#include <math.h>
#include <string.h>

static at_err err; /* of the last call */

#define OK(x)                                                                                                \
    do {                                                                                                     \
        err = (at_err){0};                                                                                   \
        if (x)                                                                                               \
            fail_msg("%s: %s", #x, err.text);                                                                \
    } while (0)

static inline const at_refuter *refuter(const char *id)
{
    const at_refuter *r = at_refuter_find(id);
    if (!r)
        fail_msg("no refuter %s", id);
    return r;
}

static inline at_params params_of(const at_task *t, const char *assignments)
{
    at_params p;
    at_params_init(&p, t->params, t->n_params);
    OK(at_params_parse(&p, assignments, &err));
    return p;
}

static inline void weights_draw(at_model *m, uint64_t seed, double gain)
{
    at_rng r = at_rng_at(seed, 3);
    for (size_t k = 0; k < m->n_weights; k++)
        m->weights[k] = gain * at_rng_normal(&r);
}

/* ---- layers of attention over tokens ------------------------------------------------------------------------------ */

typedef struct {
    int vocabulary, length, width, layers, heads, dim, groups;
    bool last, strict, norm, mlp,
        plain; /* plain: the readout is the state after the layer, and there is no skip */
    at_read_kind read;
    int rows;
    int prefix, suffix; /* hidden rows */
} shape;

static inline void model_draw(const shape *h, uint64_t seed, at_model *m)
{
    at_model_init(m);
    int each = h->mlp ? 2 : 1, n = each * h->layers;
    m->width = h->width;
    m->n_min = m->n_max = h->length;
    m->pos_origin = 1;
    m->n_fields = m->n_pos = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->n_blocks = n;
    m->blocks = at_new(&m->arena, at_block, n);
    m->n_prefix = h->prefix;
    m->n_suffix = h->suffix;
    m->prefix = m->suffix = (at_embed){0, h->width, -1};
    m->fields[0] =
        (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = h->vocabulary, .embed = {0, h->width, -1}};
    m->pos[0] =
        (at_pos){.kind = AT_POS_TABLE, .size = h->prefix + h->length + h->suffix, .embed = {0, h->width, -1}};
    for (int b = 0; b < n; b++) {
        at_block *k = &m->blocks[b];
        bool mlp = h->mlp && b % 2 == 0; /* before the attention */
        *k = (at_block){.kind = mlp ? AT_BLOCK_MLP : AT_BLOCK_ATTN,
                        .residual = mlp || !h->plain,
                        .norm = h->norm ? AT_NORM_PRE : AT_NORM_NONE,
                        .norm_eps = 1e-5,
                        .act = AT_ACT_GELU,
                        .n_groups = mlp ? 0 : h->groups,
                        .n_dense = mlp ? 2 : 0};
        k->groups = at_new(&m->arena, at_group, h->groups);
        k->dense = at_new(&m->arena, at_dense, 2);
        for (int g = 0; g < h->groups; g++)
            k->groups[g] = (at_group){.heads = h->heads,
                                      .dk = h->dim,
                                      .dv = h->dim,
                                      .weighting = AT_SOFTMAX,
                                      .scale = 0.7,
                                      .bias = g == 0,
                                      .mask = {h->strict ? AT_MASK_STRICT : AT_MASK_NONE, 0, 0, 0}};
        k->dense[0].rows = 6;
        k->dense[1].rows = h->width;
    }
    m->readout = (at_readout){.kind = h->read, .rows = h->rows, .last = h->last};
    OK(at_model_layout(m, &err));
    at_rng r = at_rng_at(seed, 1);
    for (size_t k = 0; k < m->n_weights; k++)
        m->weights[k] = at_rng_normal(&r);
}

/* ---- nets on sparse averaging ----------------------------------------------------------------------------------- */

typedef struct {
    int N, q, d, units, prefix;
    bool recurrent, skip, before, mlp; /* before: a linear map of each position first; mlp: one at the end */
    at_rnn_cell cell;
    double gain;
} net_shape;

static inline void net_draw(const net_shape *h, uint64_t seed, at_model *m)
{
    enum { D = 3 };
    at_model_init(m);
    m->width = D;
    m->n_min = m->n_max = h->N;
    m->pos_origin = 1;
    m->n_fields = 2;
    m->n_prefix = h->prefix;
    m->prefix = (at_embed){0, D, -1};
    m->fields = at_new(&m->arena, at_field, 2);
    m->blocks = at_new(&m->arena, at_block, 3);
    m->fields[0] = (at_field){.name = "z", .kind = AT_FIELD_REAL, .size = h->d, .lo = -1, .hi = 1};
    m->fields[1] = (at_field){.name = "y", .kind = AT_FIELD_SUBSET, .size = h->N, .pick = h->q};
    m->fields[0].embed = m->fields[1].embed = (at_embed){0, D, -1};
    for (int b = 0; b < 3; b++) {
        m->blocks[b].dense = at_new(&m->arena, at_dense, 2);
        m->blocks[b].act = AT_ACT_RELU;
    }
    at_block *k = m->blocks;
    if (h->before) {
        k->kind = AT_BLOCK_MLP;
        k->residual = true;
        k->n_dense = 1;
        k->dense[0].rows = D;
        k++;
    }
    k->residual = h->skip;
    if (h->recurrent) {
        k->kind = AT_BLOCK_RNN;
        k->rnn = (at_rnn){.cell = h->cell, .state = h->units};
    } else {
        k->kind = AT_BLOCK_FLATTEN;
        k->n_dense = 2;
        k->dense[0].rows = h->units;
        k->dense[1].rows = (h->prefix + h->N) * D;
    }
    k++;
    if (h->mlp) {
        k->kind = AT_BLOCK_MLP;
        k->residual = true;
        k->n_dense = 2;
        k->dense[0].rows = k->dense[1].rows = D;
        k++;
    }
    m->n_blocks = (int)(k - m->blocks);
    m->readout = (at_readout){.kind = AT_READ_RAW, .rows = h->d};
    OK(at_model_layout(m, &err));
    weights_draw(m, seed, h->gain);
}

/* ---- decoders over digits ----------------------------------------------------------------------------------------- */

typedef struct {
    int words, longest, layers, heads, dk, dv, width, prefix;
    at_weighting weighting;
    at_mask mask;
} decoder_shape;

static inline void decoder_draw(const decoder_shape *h, uint64_t seed, at_model *m)
{
    enum { STEPS = 2 };
    at_model_init(m);
    m->width = h->width;
    m->n_min = 1;
    m->n_max = h->longest + STEPS;
    m->pos_origin = 1;
    m->n_fields = m->n_pos = 1;
    m->n_prefix = h->prefix;
    m->prefix = (at_embed){0, h->width, -1};
    m->n_blocks = 2 * h->layers;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, m->n_blocks + 1); /* behind the last lies one that is none */
    m->fields[0] =
        (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = h->words, .embed = {0, h->width, -1}};
    m->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = h->prefix + m->n_max, .embed = {0, h->width, -1}};
    for (int b = 0; b <= m->n_blocks; b++) {
        at_block *k = &m->blocks[b];
        *k = (at_block){.kind = b % 2 ? AT_BLOCK_MLP : AT_BLOCK_ATTN,
                        .residual = true,
                        .act = AT_ACT_RELU,
                        .n_groups = b % 2 ? 0 : 1,
                        .n_dense = b % 2 ? 1 : 0};
        k->groups = at_new(&m->arena, at_group, 1);
        k->dense = at_new(&m->arena, at_dense, 1);
        k->groups[0] = (at_group){.heads = h->heads,
                                  .dk = h->dk,
                                  .dv = h->dv,
                                  .weighting = h->weighting,
                                  .scale = 1,
                                  .mask = h->mask};
        k->dense[0].rows = h->width;
    }
    m->readout = (at_readout){.kind = AT_READ_ARGMAX, .rows = h->words};
    m->decode = (at_decode){.enabled = true,
                            .stop = AT_STOP_STEPS,
                            .max_steps = STEPS,
                            .prompt_min = 1,
                            .prompt_max = h->longest};
    OK(at_model_layout(m, &err));
    weights_draw(m, seed, 0.7);
}

/* The chain: shortest..longest rows, digits and then the separator `base` (bare: digits only); what is right is the digits' sum modulo the
 * base, written twice where the first digit is 0. So many prompts have one chain, and chains are of two lengths. */
typedef struct {
    int base, shortest, longest; /* rows of a prompt, the separator among them */
    bool counted;                /* can prompts be counted? Only where all are as long */
    bool bare;
} digits;

static inline int digits_row(const void *self)
{
    (void)self;
    return 1;
}

static inline int digits_longest(const void *self)
{
    return ((const digits *)self)->longest;
}

static inline int digits_rows(const void *self)
{
    (void)self;
    return 2;
}

static inline uint64_t digits_count(const void *self)
{
    const digits *d = self;
    uint64_t n = 1;
    for (int k = d->bare ? 0 : 1; k < d->longest; k++)
        n *= (uint64_t)d->base;
    return d->counted ? n : UINT64_MAX;
}

static inline at_status digits_nth(const void *self, uint64_t i, double *prompt, int *n, at_err *e)
{
    (void)e;
    const digits *d = self;
    *n = d->longest;
    for (int k = 0; k < *n; k++, i /= (uint64_t)d->base)
        prompt[k] = k + 1 < *n || d->bare ? (double)(i % (uint64_t)d->base) : d->base;
    return AT_OK;
}

static inline at_status digits_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *e)
{
    (void)e;
    const digits *d = self;
    *n = d->shortest + (int)at_rng_below(r, (uint64_t)(d->longest - d->shortest) + 1);
    for (int k = 0; k < *n; k++)
        prompt[k] = k + 1 < *n || d->bare ? (double)at_rng_below(r, (uint64_t)d->base) : d->base;
    return AT_OK;
}

static inline at_status digits_answer(const void *self, const double *prompt, int n, double *rows,
                                      int *n_rows, at_err *e)
{
    const digits *d = self;
    int sum = 0;
    for (int k = 0; k < n; k++) {
        bool digit = k + 1 < n || d->bare;
        if (digit ? prompt[k] >= d->base : prompt[k] != d->base)
            return at_fail(e, AT_EINPUT, "no prompt");
        sum += digit ? (int)prompt[k] : 0;
    }
    *n_rows = prompt[0] == 0 ? 2 : 1;
    rows[0] = rows[1] = sum % d->base;
    return AT_OK;
}

static const at_chain digits_chain = {.id = "digits",
                                      .row_width = digits_row,
                                      .prompt_max = digits_longest,
                                      .rows_max = digits_rows,
                                      .count = digits_count,
                                      .nth = digits_nth,
                                      .sample = digits_sample,
                                      .answer = digits_answer};

#endif
