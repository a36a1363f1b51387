/* drawn_model.h: small models of words with drawn weights, read behind the word; and what they say of a word. For the tests of this
 * module. Before it: test_arena.h. */
#ifndef ATTEST_DRAWN_MODEL_H
#define ATTEST_DRAWN_MODEL_H

#include <attest/exec.h>

#include <string.h>

typedef struct {
    at_weighting weighting;
    at_mask_kind mask; /* of every second layer, where `mixed`, the other one of causal and strict */
    int layers, heads, dv, prefix;
    int period;       /* of a table of positions; 0: there is none */
    double step;      /* of the weights */
    int most;         /* times step, at most */
    bool mixed, left; /* left: every second layer is leftmost-hard */
    bool without_end;
} drawn_spec;

static inline at_status drawn_layout(const drawn_spec *s, at_model *m)
{
    int D = 3;
    at_model_init(m);
    strcpy(m->name, "drawn");
    m->width = D;
    m->n_min = 0;
    m->n_max = 48;
    m->n_prefix = s->prefix;
    m->n_suffix = !s->without_end;
    m->n_fields = 1;
    m->n_pos = s->period > 0;
    m->n_blocks = 2 * s->layers;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    strcpy(m->fields[0].name, "x");
    m->fields[0].kind = AT_FIELD_TOKEN;
    m->fields[0].size = 2;
    m->fields[0].embed.width = m->prefix.width = m->suffix.width = D;
    if (m->n_pos)
        m->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = 48 + m->n_prefix + m->n_suffix, .embed.width = D};
    for (int b = 0; b < m->n_blocks; b++) {
        at_block *k = &m->blocks[b];
        k->residual = true;
        if (b % 2) {
            k->kind = AT_BLOCK_MLP;
            k->act = AT_ACT_RELU;
            k->n_dense = 2;
            k->dense = at_new(&m->arena, at_dense, 2);
            k->dense[0].rows = 4;
            k->dense[1].rows = D;
            continue;
        }
        k->kind = AT_BLOCK_ATTN;
        k->n_groups = 1;
        k->groups = at_new(&m->arena, at_group, 1);
        k->groups[0] =
            (at_group){.heads = s->heads, .dk = 2, .dv = s->dv, .weighting = s->weighting, .scale = 1};
        bool second = b % 4;
        k->groups[0].mask.kind = !second || !s->mixed        ? s->mask
                                 : s->mask == AT_MASK_CAUSAL ? AT_MASK_STRICT
                                                             : AT_MASK_CAUSAL;
        if (second && s->left)
            k->groups[0].weighting = AT_LEFTMOST_HARD;
    }
    m->readout =
        (at_readout){.kind = AT_READ_THRESHOLD, .rows = 1, .threshold = 0.25 * s->step, .last = true};
    return at_model_layout(m, &err);
}

static inline void drawn_make(const drawn_spec *s, uint64_t seed, at_model *m)
{
    if (drawn_layout(s, m))
        fail_msg("%s", err.text);
    at_rng r = at_rng_at(seed, 17);
    for (size_t k = 0; k < m->n_weights; k++)
        m->weights[k] = s->step * ((double)at_rng_below(&r, 2 * (uint64_t)s->most + 1) - s->most);
    for (int k = 0; k < m->n_pos; k++) { /* rows of the first period, again and again */
        double *w = at_model_data(m, m->pos[k].embed.tensor);
        for (int i = s->period * m->width; i < m->pos[k].size * m->width; i++)
            w[i] = w[i - s->period * m->width];
    }
    if (at_model_validate(m, &err))
        fail_msg("%s", err.text);
}

static inline bool drawn_says(const at_model *m, at_arith arith, const int *word, int n)
{
    double x[48];
    at_output y;
    at_mark mark = at_arena_mark(&arena);
    for (int i = 0; i < n; i++)
        x[i] = word[i];
    if (at_run(m, arith, &(at_input){n, x}, NULL, &arena, &y, &err))
        fail_msg("%s", err.text);
    bool yes = y.decision[0] != 0;
    at_arena_reset(&arena, mark);
    return yes;
}

#endif
