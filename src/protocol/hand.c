/* hand.c: one message from Alice, who holds one row, to Bob, who holds all others and finishes.
 *
 * Her row is the query's, or another one, and then everyone knows the query's row: what she sends is her own score (H) and value (H*dv).
 *
 * With the query's row the message is what the lower bound for q-sparse averaging counts: the query (H*dk numbers), and, because her own key and value
 * depend on her input too, her own score (H) and value (H*dv): m + 2 numbers for one head with one value. A residual connection
 * also needs her row (D). All are p-bit numbers; no partial sums travel. */
#include "protocol_internal.h"

#include <string.h>

/* What Bob knows of Alice's row after the message. */
typedef struct {
    query ask;
    double *score; /* (heads) her own; where she sees herself */
    party row;     /* n = 1: x where it was sent, v where she sees herself */
} letter;

typedef struct {
    const at_model *m;
    layer plan;
    party alice, bob;
    party asks; /* known: the query's row, as Alice knows it */
    letter got;
    int t, row; /* the query's position, and hers */
    bool known, query_only;
    uint8_t *self; /* (groups) does the query see her, and does she say so? */
} handed;

static void alice_write(handed *d, query *a, double *score, at_bits *b, message *msg)
{
    const layer *l = &d->plan;
    int zero = 0;
    party_project(&d->alice, l);
    if (d->known)
        party_project(&d->asks, l);
    query_open(l, a, d->t);
    memcpy(a->q, d->known ? d->asks.q : d->alice.q, (size_t)l->Q * sizeof *a->q);
    if (!d->known)
        query_write_q(l, a, b);
    for (int e = 0; e < d->m->width && d->m->blocks[l->block].residual && !d->known; e++)
        at_code_number(&l->code, b, d->alice.x[e]);
    msg->query = b->n;
    for (int h = 0; h < l->n_heads; h++) {
        const layer_head *k = &l->head[h];
        if (!d->self[k->group])
            continue;
        at_stage_scores(d->alice.stage, l->block, k->group, k->head, a->q + l->q_at[k->group], d->t,
                        d->alice.k[k->group], d->alice.pos, &zero, 1, &score[h]);
        at_code_number(&l->code, b, score[h]);
    }
    msg->peak = b->n - msg->query;
    for (int h = 0; h < l->n_heads; h++) {
        const layer_head *k = &l->head[h];
        for (int e = 0; e < k->dv && d->self[k->group]; e++)
            at_code_number(&l->code, b, d->alice.v[k->group][k->head * k->dv + e]);
    }
    msg->sum = b->n - msg->query - msg->peak;
}

static void bob_read(handed *d, const at_bits *b)
{
    const layer *l = &d->plan;
    letter *got = &d->got;
    at_bits_reader r = {.from = b};
    party_project(&d->bob, l);
    query_open(l, &got->ask, d->t);
    got->row.n = 1;
    got->row.pos[0] = d->t;
    if (d->known) {
        size_t i = (size_t)(d->t - (d->t > d->row)), D = (size_t)d->m->width; /* among his rows */
        memcpy(got->ask.q, d->bob.q + i * (size_t)l->Q, (size_t)l->Q * sizeof *got->ask.q);
        memcpy(got->row.x, d->bob.x + i * D, D * sizeof *got->row.x);
    } else {
        query_read_q(l, &got->ask, &r);
        for (int e = 0; e < d->m->width; e++)
            got->row.x[e] = d->m->blocks[l->block].residual ? at_code_number_read(&l->code, &r) : 0;
    }
    party_keep(&got->row, l->block);
    for (int h = 0; h < l->n_heads; h++)
        if (d->self[l->head[h].group])
            got->score[h] = at_code_number_read(&l->code, &r);
    for (int h = 0; h < l->n_heads; h++) {
        const layer_head *k = &l->head[h];
        for (int e = 0; e < k->dv && d->self[k->group]; e++)
            got->row.v[k->group][k->head * k->dv + e] = at_code_number_read(&l->code, &r);
    }
    talk_read_all(&r);
}

/* Her key among his. */
static void bob_finish(handed *d)
{
    const layer *l = &d->plan;
    query *a = &d->got.ask;
    party *row = &d->got.row;
    int zero = 0;
    party_peaks(&d->bob, l, a);
    for (int h = 0; h < l->n_heads; h++)
        if (d->self[l->head[h].group])
            query_peak(l, a, h, d->got.score[h]);
    party_sums(&d->bob, l, a);
    for (int h = 0; h < l->n_heads; h++) {
        const layer_head *k = &l->head[h];
        double w;
        if (!d->self[k->group])
            continue;
        if (head_hard(k)) {
            if (at_stage_choose(row->stage, l->block, k->group, &d->got.score[h], 1, a->peak[h]) == 0)
                query_choice(l, a, h, d->row, row->v[k->group] + k->head * k->dv);
            continue;
        }
        at_stage_weigh(row->stage, l->block, k->group, &d->got.score[h], 1, a->peak[h], &w);
        at_stage_add(row->stage, l->block, k->group, k->head, &w, 1, row->v[k->group], &zero,
                     a->sum + k->sum);
    }
    party_finish(row, l, 0, a);
}

static at_status handed_make(handed *d, at_stage *stage, at_arith a, int T, at_arena *arena, at_err *err)
{
    int block = -1;
    for (int b = 0; b < d->m->n_blocks; b++)
        if (d->m->blocks[b].kind == AT_BLOCK_ATTN) {
            if (block >= 0)
                return at_fail(err, AT_EREFUSED,
                               "one message is enough for one attention block only; blocks %d and %d "
                               "are two",
                               block, b);
            block = b;
        }
    if (block < 0)
        return at_fail(err, AT_EREFUSED, "the model has no attention block");
    if (d->m->blocks[block].parallel && block + 1 < d->m->n_blocks && d->m->blocks[block + 1].parallel)
        return at_fail(err, AT_EREFUSED,
                       "block %d is parallel: it reads a row of before block %d, which one message does not "
                       "hold beside the present one",
                       block + 1, block);
    at_status s = layer_make(d->m, block, a, T, arena, &d->plan, err);
    if (!s)
        s = party_make(stage, &d->plan, 1, T, 1, arena, &d->alice, err);
    if (!s)
        s = party_make(stage, &d->plan, 1, T, T, arena, &d->bob, err);
    if (!s)
        s = party_make(stage, &d->plan, 1, T, 1, arena, &d->asks, err);
    if (!s)
        s = party_make(stage, &d->plan, 1, T, 1, arena, &d->got.row, err);
    if (!s)
        s = query_make(&d->plan, arena, &d->got.ask, err);
    d->got.score = at_new(arena, double, d->plan.n_heads);
    d->self = at_new(arena, uint8_t, d->plan.n_groups);
    if (!s && (!d->got.score || !d->self))
        s = at_oom(err);
    for (int g = 0; g < d->plan.n_groups && !s; g++)
        d->self[g] = !d->query_only && at_mask_allows(&d->plan.group[g].mask, d->t, d->row);
    return s;
}

static at_status handed_go(handed *d, at_arena *arena, at_bits *b, at_talk *t, at_err *err)
{
    at_status s = AT_OK;
    bool handed_over = false;
    query ask;
    double *score = at_new(arena, double, d->plan.n_heads);
    if (!score)
        return at_oom(err);
    for (int k = 0; k < d->m->n_blocks && !s; k++) {
        if (k != d->plan.block) {
            if (!handed_over)
                s = party_mlp(&d->alice, k, err);
            if (!s && !handed_over && d->known)
                s = party_mlp(&d->asks, k, err);
            if (!s)
                s = party_mlp(handed_over ? &d->got.row : &d->bob, k, err);
            continue;
        }
        message msg = {.from = 0, .to = 1};
        s = query_make(&d->plan, arena, &ask, err);
        if (s)
            break;
        alice_write(d, &ask, score, b, &msg);
        int asking = d->known ? 0 : d->plan.Q + (d->m->blocks[k].residual ? d->m->width : 0);
        msg.budget = (uint64_t)(asking + d->plan.n_heads + d->plan.values) * (uint64_t)d->plan.code.number;
        s = talk_count(t, &msg, b, err);
        if (s)
            break;
        bob_read(d, b);
        bob_finish(d);
        s = party_close(&d->got.row, &d->plan, err);
        handed_over = true;
    }
    return s ? s : at_stage_readout(d->got.row.stage, d->got.row.x, 1, t->value, err);
}

/* The row at `row` is Alice's, `position` is read; they are one, or everyone knows the row there. */
static at_status handed_run(const at_model *m, at_arith a, const at_input *x, int row, int position,
                            bool query_only, at_arena *arena, at_talk *out, at_err *err)
{
    int T = m->n_prefix + x->n + m->n_suffix, width = at_model_row_width(m);
    at_status s = at_input_check(m, x, err);
    if (!s && (position < 0 || position >= x->n))
        s = at_fail(err, AT_EDOMAIN, "query position %d; allowed: 0..%d", position, x->n - 1);
    if (!s && m->readout.last && (position != x->n - 1 || m->n_suffix))
        s = at_fail(err, AT_EREFUSED, "the model is read at its last position only, not at user position %d",
                    position + 1);
    if (s)
        return s;
    at_stage *stage = NULL;
    at_bits b = {0};
    handed d = {.m = m,
                .t = m->n_prefix + position,
                .row = m->n_prefix + row,
                .known = row != position,
                .query_only = query_only};
    at_talk t = {.n = 1, .rows = m->readout.rows, .first = m->readout.last ? 0 : position, .epochs = 1};
    s = talk_open(&t, 2, arena, err);
    if (!s && !(t.value = at_new(arena, double, t.rows)))
        s = at_oom(err);
    if (s)
        return s;
    at_mark mark = at_arena_mark(arena);
    s = at_stage_new(m, a, &stage, err);
    if (!s)
        s = handed_make(&d, stage, a, T, arena, err);
    for (int i = 0; i < T && !s; i++) {
        int u = i - m->n_prefix;
        const double *v = u >= 0 && u < x->n ? x->v + (size_t)u * (size_t)width : NULL;
        party_take(i == d.row ? &d.alice : &d.bob, i, v);
        if (d.known && i == d.t)
            party_take(&d.asks, i, v);
    }
    if (!s)
        s = handed_go(&d, arena, &b, &t, err);
    t.A = d.plan.code.A;
    t.number = d.plan.code.number;
    at_bits_release(&b);
    at_stage_free(stage);
    at_arena_reset(arena, mark);
    if (!s)
        *out = t;
    return s;
}

at_status at_handed_run(const at_model *m, at_arith a, const at_input *x, int position, bool query_only,
                        at_arena *arena, at_talk *out, at_err *err)
{
    return handed_run(m, a, x, position, position, query_only, arena, out, err);
}

at_status at_told_run(const at_model *m, at_arith a, const at_input *x, int row, int position, bool nothing,
                      at_arena *arena, at_talk *out, at_err *err)
{
    if (row < 0 || row >= x->n || row == position)
        return at_fail(err, AT_EDOMAIN, "row %d tells; allowed: 0..%d, and not %d, which is asked", row,
                       x->n - 1, position);
    return handed_run(m, a, x, row, position, nothing, arena, out, err);
}
