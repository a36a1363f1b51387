/* party.c: what a party computes from its own rows, and what it knows about a query.
 *
 * Nothing here sees a message: share.c and congest.c carry what queries hold from one party's memory to another's. */
#include "protocol_internal.h"

#include <math.h>
#include <string.h>

bool head_hard(const layer_head *h)
{
    return at_weighting_is(h->weighting, AT_IS_ONE);
}

bool head_peaked(const layer_head *h)
{
    return !at_weighting_is(h->weighting, AT_IS_PHI);
}

at_status layer_make(const at_model *m, int b, at_arith a, int T, at_arena *arena, layer *l, at_err *err)
{
    const at_block *block = &m->blocks[b];
    bool wide = false;
    *l = (layer){.block = b, .group = block->groups, .n_groups = block->n_groups};
    for (int g = 0; g < l->n_groups; g++)
        l->n_heads += l->group[g].heads;
    l->q_at = at_new(arena, int, l->n_groups);
    l->head = at_new(arena, layer_head, l->n_heads);
    if (!l->q_at || !l->head)
        return at_oom(err);
    for (int g = 0, k = 0; g < l->n_groups; g++) {
        const at_group *group = &l->group[g];
        l->q_at[g] = l->Q;
        l->Q += group->heads * group->dk;
        l->values += group->heads * group->dv;
        wide = wide || at_weighting_is(group->weighting, AT_IS_PHI);
        for (int h = 0; h < group->heads; h++, k++) {
            l->head[k] = (layer_head){g, h, group->dv, l->S, group->weighting};
            l->S += group->dv + 1;
        }
    }
    l->code = at_code_of(a, T, wide);
    return AT_OK;
}

/* A choice is a position (0: none) and its numbers. */
static int choice_bits(int T)
{
    int n = 0;
    while (T >> n)
        n++;
    return n;
}

uint64_t layer_sum_budget(const layer *l, int T, int sum)
{
    uint64_t bits = 0;
    for (int h = 0; h < l->n_heads; h++)
        bits += head_hard(&l->head[h]) ? (uint64_t)(choice_bits(T) + l->head[h].dv * l->code.number)
                                       : (uint64_t)(l->head[h].dv + 1) * (uint64_t)sum;
    return bits;
}

uint64_t layer_peak_budget(const layer *l)
{
    uint64_t bits = 0;
    for (int h = 0; h < l->n_heads; h++)
        bits += head_peaked(&l->head[h]) ? (uint64_t)l->code.number : 0;
    return bits;
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

at_status party_make(at_stage *stage, const layer *l, int n_layers, int T, int cap, at_arena *arena, party *p,
                     at_err *err)
{
    size_t n = (size_t)(cap ? cap : 1), D = (size_t)at_stage_model(stage)->width;
    int groups = 1, Q = 1;
    *p = (party){.stage = stage, .T = T, .cap = cap};
    for (int i = 0; i < n_layers; i++) {
        groups = l[i].n_groups > groups ? l[i].n_groups : groups;
        Q = l[i].Q > Q ? l[i].Q : Q;
    }
    p->pos = at_new(arena, int, n);
    p->key = at_new(arena, int, n);
    p->x = at_new(arena, double, n *D);
    p->y = at_new(arena, double, n *D);
    bool parallel = at_model_trait(at_stage_model(stage), AT_TRAIT_PARALLEL) >= 0;
    p->before = parallel ? at_new(arena, double, n *D) : NULL;
    p->result = at_new(arena, double, n *D);
    p->score = at_new(arena, double, n);
    p->w = at_new(arena, double, n);
    p->q = at_new(arena, double, n *(size_t)Q);
    p->q_group = at_new(arena, double, n *(size_t)Q);
    p->k = at_new(arena, double *, groups);
    p->v = at_new(arena, double *, groups);
    p->mixed = at_new(arena, double *, groups);
    if (!p->pos || !p->key || !p->x || !p->y || !p->result || !p->score || !p->w || !p->q || !p->q_group ||
        !p->k || !p->v || !p->mixed || (parallel && !p->before))
        return at_oom(err);
    for (int g = 0; g < groups; g++) {
        size_t K = 1, V = 1;
        for (int i = 0; i < n_layers; i++)
            if (g < l[i].n_groups) {
                size_t k = (size_t)l[i].group[g].heads * (size_t)l[i].group[g].dk,
                       v = (size_t)l[i].group[g].heads * (size_t)l[i].group[g].dv;
                K = k > K ? k : K;
                V = v > V ? v : V;
            }
        p->k[g] = at_new(arena, double, n *K);
        p->v[g] = at_new(arena, double, n *V);
        p->mixed[g] = at_new(arena, double, n *V);
        if (!p->k[g] || !p->v[g] || !p->mixed[g])
            return at_oom(err);
    }
    return AT_OK;
}

void party_take(party *p, int t, const double *row)
{
    p->pos[p->n] = t;
    at_stage_embed(p->stage, row, t, p->T, p->x + (size_t)p->n * (size_t)at_stage_model(p->stage)->width);
    p->n++;
}

void party_keep(party *p, int b)
{
    const at_model *m = at_stage_model(p->stage);
    if (!m->blocks[b].parallel && b + 1 < m->n_blocks && m->blocks[b + 1].parallel)
        memcpy(p->before, p->x, (size_t)p->n * (size_t)m->width * sizeof *p->x);
}

/* y = what block b reads. */
static void party_read(party *p, int b)
{
    party_keep(p, b);
    at_stage_read(p->stage, b, at_stage_model(p->stage)->blocks[b].parallel ? p->before : p->x, p->n, p->y);
}

at_status party_mlp(party *p, int b, at_err *err)
{
    party_read(p, b);
    at_status s = at_stage_mlp(p->stage, b, p->y, p->n, p->result, err);
    if (!s)
        at_stage_close(p->stage, b, p->result, p->n, p->x);
    return s;
}

void party_project(party *p, const layer *l)
{
    party_read(p, l->block);
    for (int g = 0; g < l->n_groups; g++) {
        size_t width = (size_t)l->group[g].heads * (size_t)l->group[g].dk;
        at_stage_project(p->stage, l->block, g, p->y, p->pos, p->n, p->q_group, p->k[g], p->v[g]);
        for (int i = 0; i < p->n; i++)
            memcpy(p->q + (size_t)i * (size_t)l->Q + (size_t)l->q_at[g], p->q_group + (size_t)i * width,
                   width * sizeof *p->q);
    }
}

at_status party_close(party *p, const layer *l, at_err *err)
{
    at_status s = AT_OK;
    memset(p->result, 0, (size_t)p->n * (size_t)at_stage_model(p->stage)->width * sizeof *p->result);
    for (int g = 0; g < l->n_groups && !s; g++)
        s = at_stage_output(p->stage, l->block, g, p->mixed[g], p->n, p->result, err);
    if (!s)
        at_stage_close(p->stage, l->block, p->result, p->n, p->x);
    return s;
}

/* ---- queries --------------------------------------------------------------------------------------------- */

at_status query_make(const layer *l, at_arena *arena, query *a, at_err *err)
{
    a->q = at_new(arena, double, l->Q);
    a->peak = at_new(arena, double, l->n_heads);
    a->any = at_new(arena, uint8_t, l->n_heads);
    a->sum = at_new(arena, at_acc, l->S);
    a->chosen = at_new(arena, int, l->n_heads);
    a->value = at_new(arena, double, l->S);
    a->told = at_new(arena, double, l->S);
    return a->q && a->peak && a->any && a->sum && a->chosen && a->value && a->told ? AT_OK : at_oom(err);
}

void query_open(const layer *l, query *a, int t)
{
    a->t = t;
    for (int h = 0; h < l->n_heads; h++) {
        a->any[h] = 0;
        a->chosen[h] = -1;
    }
    for (int k = 0; k < l->S; k++)
        at_acc_zero(&a->sum[k]);
}

void query_peak(const layer *l, query *a, int head, double peak)
{
    (void)l;
    if (!a->any[head] || a->peak[head] < peak || isnan(peak))
        a->peak[head] = a->any[head] && isnan(a->peak[head]) ? a->peak[head] : peak;
    a->any[head] = 1;
}

void query_choice(const layer *l, query *a, int head, int position, const double *value)
{
    const layer_head *h = &l->head[head];
    bool right = at_weighting_is(h->weighting, AT_IS_LAST);
    if (a->chosen[head] >= 0 && (right ? position < a->chosen[head] : position > a->chosen[head]))
        return;
    a->chosen[head] = position;
    memcpy(a->value + h->sum, value, (size_t)h->dv * sizeof *value);
}

/* The party's own keys that a query of group g sees; their number. */
static int keys_seen(party *p, const at_group *g, int t)
{
    int n = 0;
    for (int i = 0; i < p->n; i++)
        if (at_mask_allows(&g->mask, t, p->pos[i]))
            p->key[n++] = i;
    return n;
}

void party_peaks(party *p, const layer *l, query *a)
{
    for (int h = 0; h < l->n_heads; h++) {
        const layer_head *k = &l->head[h];
        int n = keys_seen(p, &l->group[k->group], a->t);
        if (!n)
            continue;
        a->any[h] |= !head_peaked(k);
        if (!head_peaked(k))
            continue;
        at_stage_scores(p->stage, l->block, k->group, k->head, a->q + l->q_at[k->group], a->t, p->k[k->group],
                        p->pos, p->key, n, p->score);
        query_peak(l, a, h, at_stage_peak(p->score, n));
    }
}

void party_sums(party *p, const layer *l, query *a)
{
    for (int h = 0; h < l->n_heads; h++) {
        const layer_head *k = &l->head[h];
        const at_group *g = &l->group[k->group];
        int n = keys_seen(p, g, a->t);
        if (!n)
            continue;
        a->any[h] = 1;
        at_stage_scores(p->stage, l->block, k->group, k->head, a->q + l->q_at[k->group], a->t, p->k[k->group],
                        p->pos, p->key, n, p->score);
        if (!head_hard(k)) {
            at_stage_weigh(p->stage, l->block, k->group, p->score, n, a->peak[h], p->w);
            at_stage_add(p->stage, l->block, k->group, k->head, p->w, n, p->v[k->group], p->key,
                         a->sum + k->sum);
            continue;
        }
        int best = at_stage_choose(p->stage, l->block, k->group, p->score, n, a->peak[h]);
        if (best >= 0)
            query_choice(l, a, h, p->pos[p->key[best]],
                         p->v[k->group] + (size_t)p->key[best] * (size_t)(g->heads * g->dv) +
                             k->head * g->dv);
    }
}

void party_finish(party *p, const layer *l, int i, query *a)
{
    for (int h = 0; h < l->n_heads; h++) {
        const layer_head *k = &l->head[h];
        const at_group *g = &l->group[k->group];
        double *out = p->mixed[k->group] + (size_t)i * (size_t)(g->heads * g->dv) + k->head * g->dv;
        if (!a->any[h]) /* it sees no key at all */
            memset(out, 0, (size_t)g->dv * sizeof *out);
        else if (!head_hard(k))
            at_stage_finish(p->stage, l->block, k->group, a->sum + k->sum, out);
        else
            for (int e = 0; e < g->dv; e++)
                out[e] = a->chosen[h] >= 0 ? a->value[k->sum + e] : NAN;
    }
}

/* ---- in messages ------------------------------------------------------------------------------------------ */

void query_write_q(const layer *l, const query *a, at_bits *b)
{
    for (int k = 0; k < l->Q; k++)
        at_code_number(&l->code, b, a->q[k]);
}

void query_read_q(const layer *l, query *a, at_bits_reader *r)
{
    for (int k = 0; k < l->Q; k++)
        a->q[k] = at_code_number_read(&l->code, r);
}

void query_write_peaks(const layer *l, const query *a, const uint8_t *sees, at_bits *b)
{
    for (int h = 0; h < l->n_heads; h++)
        if (head_peaked(&l->head[h]) && sees[l->head[h].group])
            at_code_number(&l->code, b, a->peak[h]);
}

void query_read_peaks(const layer *l, query *a, const uint8_t *sees, at_bits_reader *r)
{
    for (int h = 0; h < l->n_heads; h++)
        if (head_peaked(&l->head[h]) && sees[l->head[h].group])
            query_peak(l, a, h, at_code_number_read(&l->code, r));
}

int query_write_sums(const layer *l, query *a, const uint8_t *sees, int T, bool rounded, at_bits *b)
{
    int longest = 0;
    for (int h = 0; h < l->n_heads; h++) {
        const layer_head *k = &l->head[h];
        if (!sees[k->group])
            continue;
        if (head_hard(k)) {
            at_bits_put(b, (uint64_t)(a->chosen[h] + 1), choice_bits(T));
            for (int e = 0; e < k->dv; e++)
                at_code_number(&l->code, b, a->chosen[h] >= 0 ? a->value[k->sum + e] : 0);
            continue;
        }
        for (int e = 0; e <= k->dv; e++) {
            at_acc *s = &a->sum[k->sum + e];
            if (rounded) {
                double x = at_acc_round(s, &l->code.f);
                at_acc_zero(s);
                at_acc_add(s, x);
            }
            at_code_sum(&l->code, b, s);
            longest = at_acc_bits(s) > longest ? at_acc_bits(s) : longest;
        }
    }
    return longest;
}

void query_read_sums(const layer *l, query *a, const uint8_t *sees, int T, at_bits_reader *r)
{
    for (int h = 0; h < l->n_heads; h++) {
        const layer_head *k = &l->head[h];
        if (!sees[k->group])
            continue;
        a->any[h] = 1;
        if (!head_hard(k)) {
            for (int e = 0; e <= k->dv; e++)
                at_code_sum_read(&l->code, r, &a->sum[k->sum + e]);
            continue;
        }
        int position = (int)at_bits_get(r, choice_bits(T)) - 1;
        for (int e = 0; e < k->dv; e++)
            a->told[e] = at_code_number_read(&l->code, r);
        if (position >= 0)
            query_choice(l, a, h, position, a->told);
    }
}
