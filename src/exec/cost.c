/* cost.c: what generating a chain or running an input costs, in multiply-adds and in numbers kept, from the shapes of a model alone.
 *
 * A chain of `rows` rows after a prompt pushes T = prefix + prompt + rows - 1 positions (the last row is not fed back)
 * and reads `rows` times. Everything dense costs the same at every position. Attention from keys costs
 * what its mask shows: n(t) keys at position t,
 *
 *     causal         t                              (t counts from 1 here)
 *     strict         t - 1
 *     block-sparse   min(t, kB) + ends(t - kB)      ends(n): positions of 1..n among the last c of their block
 *
 * and linear attention from sums the same at every position. Sums are saturating, so a number is exact or says
 * that it is too large. */
#include "exec_internal.h"

typedef unsigned __int128 wide;

static uint64_t fit(wide n)
{
    return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return fit((wide)a * b);
}

static void add(uint64_t *sum, uint64_t n)
{
    *sum = fit((wide)*sum + n);
}

void cost_sum(at_cost *c)
{
    c->dense = c->attention = 0;
    add(&c->dense, c->embedding);
    add(&c->dense, c->projections);
    add(&c->dense, c->mlp);
    add(&c->dense, c->readout);
    add(&c->attention, c->scores);
    add(&c->attention, c->values);
    add(&c->attention, c->states);
}

/* Positions of 1..n that are among the last c of their block of B. */
static uint64_t ends_until(int64_t n, int64_t B, int64_t c)
{
    if (n <= 0)
        return 0;
    int64_t rest = n % B - (B - c);
    return (uint64_t)(n / B * c + (rest > 0 ? rest : 0));
}

uint64_t cost_keys(const at_mask *m, int64_t t, int64_t T)
{
    int64_t window = (int64_t)m->block * m->windows;
    switch (m->kind) {
    case AT_MASK_CAUSAL:
        return (uint64_t)t;
    case AT_MASK_STRICT:
        return (uint64_t)t - 1;
    case AT_MASK_BLOCK_SPARSE:
        return (uint64_t)(t < window ? t : window) + ends_until(t - window, m->block, m->ends);
    case AT_MASK_NONE:
        return (uint64_t)T;
    case AT_MASK_FUTURE: /* these are none of a decoder: cost_refuse */
        return (uint64_t)(T - t + 1);
    case AT_MASK_STRICT_FUTURE:
        return (uint64_t)(T - t);
    }
    return 0;
}

/* Rows of keys and values that must be there when position T + 1 comes; of sums, 0. */
static uint64_t keys_kept(const at_mask *m, int64_t T)
{
    return at_mask_is(m->kind, AT_IS_BLOCKS) ? cost_keys(m, T, T) : (uint64_t)T;
}

static bool has_sums(const at_group *g)
{
    return at_weighting_is(g->weighting, AT_IS_PHI) && at_mask_is(g->mask.kind, AT_IS_GROWING);
}

static void cost_group(const at_group *g, uint64_t D, int64_t T, at_cost *c)
{
    uint64_t H = (uint64_t)g->heads, dk = (uint64_t)g->dk, dv = (uint64_t)g->dv, keys = 0, pairs = 0;
    bool three = at_weighting_is(g->weighting, AT_IS_PAIRS);
    /* q, k, v, o, and for three-wise k2, v2 */
    add(&c->projections, times((uint64_t)T, H * D * ((three ? 3 : 2) * dk + (three ? 3 : 2) * dv)));
    if (has_sums(g)) {
        /* every key is added; every query that sees one is answered */
        uint64_t queries = (uint64_t)T - (at_mask_is(g->mask.kind, AT_IS_STRICT));
        add(&c->states, times((uint64_t)T + queries, H * dk * (dv + 1)));
        return;
    }
    for (int64_t t = 1; t <= T; t++) {
        uint64_t n = cost_keys(&g->mask, t, T);
        add(&keys, n);
        add(&pairs, times(n, n));
    }
    add(&c->scores, times(keys, H * dk));
    add(&c->values, times(three ? pairs : keys, H * dv));
    if (three) {
        add(&c->scores, times(pairs, H * dk));
        add(&c->values, times(pairs, H * dv));
    }
}

static uint64_t embedding_row(const at_model *m)
{
    uint64_t n = 0;
    for (int k = 0; k < m->n_fields; k++) {
        const at_field *f = &m->fields[k];
        bool row = f->kind == AT_FIELD_TOKEN || f->kind == AT_FIELD_SUBSET;
        n += (uint64_t)(row ? 1 : f->size) * (uint64_t)f->embed.width;
    }
    return n;
}

static uint64_t embedding_position(const at_model *m)
{
    uint64_t n = 0;
    for (int k = 0; k < m->n_pos; k++)
        n += (uint64_t)(at_pos_is(m->pos[k].kind, AT_IS_ROWS) ? 1 : at_pos_features(&m->pos[k])) *
             (uint64_t)m->pos[k].embed.width;
    return n;
}

static at_status cost_refuse(const at_model *m, int prompt, int rows, at_err *err)
{
    if (prompt < 0 || rows < 1 || (int64_t)prompt + rows - 1 > m->n_max)
        return at_fail(err, AT_EDOMAIN,
                       "a prompt of %d rows and %d more; at most %d rows are fed in, and one is made", prompt,
                       rows, m->n_max);
    for (int b = 0; b < m->n_blocks; b++) {
        if (m->blocks[b].kind == AT_BLOCK_FLATTEN)
            return at_fail(err, AT_EREFUSED, "block %d: the decoder has no step for %s", b,
                           at_block_names[m->blocks[b].kind]);
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++) {
            at_mask_kind k = m->blocks[b].groups[g].mask.kind;
            if (!(at_mask_parts[k].in & AT_IN_DECODE))
                return at_fail(err, AT_EREFUSED, "block %d: the mask %s is none of a decoder", b,
                               at_mask_names[k]);
        }
    }
    return AT_OK;
}

/* T positions, of which `fed` are rows of input; `rows` of them are read. */
static void cost_all(const at_model *m, int64_t T, int64_t fed, int64_t rows, at_cost *out)
{
    uint64_t D = (uint64_t)m->width;
    at_cost c = {.positions = (uint64_t)T, .readouts = (uint64_t)rows};
    add(&c.embedding, times((uint64_t)fed, embedding_row(m)));
    add(&c.embedding, times((uint64_t)m->n_prefix, (uint64_t)m->prefix.width));
    add(&c.embedding, times((uint64_t)m->n_suffix, (uint64_t)m->suffix.width));
    add(&c.embedding, times((uint64_t)T, embedding_position(m)));
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        uint64_t all = k->kind == AT_BLOCK_FLATTEN ? (uint64_t)T : 1, in = D * all, runs = (uint64_t)T / all;
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++)
            cost_group(&k->groups[g], D, T, &c);
        if (k->kind == AT_BLOCK_RNN) { /* W y, U h, O h */
            uint64_t S = (uint64_t)k->rnn.state, G = (uint64_t)at_rnn_parts(k->rnn.cell) * S;
            add(&c.projections, times((uint64_t)T, G * (D + S) + D * S));
        }
        for (int l = 0; (k->kind == AT_BLOCK_MLP || k->kind == AT_BLOCK_FLATTEN) && l < k->n_dense; l++) {
            uint64_t gates = at_block_gated(k) && l + 1 < k->n_dense;
            add(&c.mlp, times(runs, (1 + gates) * in * (uint64_t)k->dense[l].rows));
            in = (uint64_t)k->dense[l].rows;
        }
    }
    add(&c.readout, times((uint64_t)rows, D * (uint64_t)m->readout.rows));
    cost_sum(&c);
    *out = c;
}

at_status at_generation_cost(const at_model *m, int prompt, int rows, at_cost *out, at_err *err)
{
    at_status st = cost_refuse(m, prompt, rows, err);
    int64_t fed = (int64_t)prompt + rows - 1;
    if (!st)
        cost_all(m, m->n_prefix + fed, fed, rows, out);
    return st;
}

at_status at_generation_kept(const at_model *m, int prompt, int rows, uint64_t *out, at_err *err)
{
    at_status st = cost_refuse(m, prompt, rows, err);
    int64_t T = (int64_t)m->n_prefix + prompt + rows - 1;
    *out = 0;
    for (int b = 0; b < m->n_blocks && !st; b++) {
        const at_block *k = &m->blocks[b];
        if (k->kind == AT_BLOCK_RNN)
            add(out, (uint64_t)k->rnn.state);
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++) {
            const at_group *a = &k->groups[g];
            uint64_t H = (uint64_t)a->heads, dk = (uint64_t)a->dk, dv = (uint64_t)a->dv;
            uint64_t pairs = at_weighting_is(a->weighting, AT_IS_PAIRS) ? 2 : 1;
            add(out, has_sums(a) ? H * dk * (dv + 1) : times(keys_kept(&a->mask, T), pairs * H * (dk + dv)));
        }
    }
    return st;
}

at_status at_run_cost(const at_model *m, int n, at_cost *out, at_err *err)
{
    if (n < m->n_min || n > m->n_max)
        return at_fail(err, AT_EDOMAIN, "an input of %d rows; the model takes %d..%d", n, m->n_min, m->n_max);
    cost_all(m, (int64_t)m->n_prefix + n + m->n_suffix, n, m->readout.last ? 1 : n, out);
    return AT_OK;
}
