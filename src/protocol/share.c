/* share.c: several parties compute a model together.
 *
 * In an attention block, for all queries of party i at once and every party j that holds keys they see:
 *
 *     two parties                         more
 *     i -> j  queries, i's maxima         i -> j  queries
 *     j -> i  j's maxima, j's sums        j -> i  j's maxima
 *                                         i -> j  the largest of all
 *                                         j -> i  j's sums
 *
 * Why maxima at all: at p bits a weight is exp(s - max) with the difference and the exp rounded, so it cannot be rescaled
 * afterwards; whoever adds up weights must know the maximum of all keys first.
 *
 * A desk is a party's memory about a batch of queries: its own ones, or those that another party asked it about. What is on one
 * desk comes to another only through a message (at_bits), which is counted when it is sent. */
#include "protocol_internal.h"

#include <string.h>

typedef struct {
    int n;
    query *ask; /* (n) */
} desk;

typedef struct {
    layer plan;
    uint8_t *sees;     /* (parties, T, groups): does position t see a key of this party? */
    desk *own, *other; /* (parties): its own queries; those it is asked about */
} stretch;             /* an attention block */

struct at_shared {
    const at_model *m;
    at_arith a;
    at_shared_plan plan;
    int n, T, P;
    at_stage *stage;
    int *owner; /* (T) */
    int n_layers;
    stretch *layers;
    party *parties; /* (P) */
    party guest;    /* known: the row at `query`, which a party computes for itself */
    at_bits said;
    at_arena arena;
};

/* ---- preparation ------------------------------------------------------------------------------------------ */

static at_status plan_check(const at_shared *s, at_err *err)
{
    const at_shared_plan *p = &s->plan;
    if (p->parties < 2 || p->parties > 64)
        return at_fail(err, AT_EDOMAIN, "%d parties; allowed: 2..64", p->parties);
    if (p->query < -1 || p->query >= s->n)
        return at_fail(err, AT_EDOMAIN, "query position %d; allowed: 0..%d, or -1 for all", p->query,
                       s->n - 1);
    if (s->m->readout.last && p->query >= 0 && (p->query != s->n - 1 || s->m->n_suffix))
        return at_fail(err, AT_EREFUSED,
                       "the model is read at its last position only, not at user position %d", p->query + 1);
    for (int i = 0; i < s->n; i++) {
        if (p->owner[i] < 0 || p->owner[i] >= p->parties)
            return at_fail(err, AT_EDOMAIN, "position %d belongs to party %d; there are 0..%d", i + 1,
                           p->owner[i], p->parties - 1);
        if (p->autoregressive && i && p->owner[i] > p->owner[i - 1])
            return at_fail(err, AT_EREFUSED,
                           "autoregressive: position %d belongs to party %d and comes after party %d; the "
                           "parties' positions must come in descending order",
                           i + 1, p->owner[i], p->owner[i - 1]);
    }
    if (p->known && (p->query < 0 || s->n_layers > 1))
        return at_fail(err, AT_EREFUSED,
                       "a query that is known to all needs one query position and one attention block; here "
                       "there are %d blocks",
                       s->n_layers);
    for (int b = 0; p->autoregressive && b < s->m->n_blocks; b++)
        for (int g = 0; s->m->blocks[b].kind == AT_BLOCK_ATTN && g < s->m->blocks[b].n_groups; g++) {
            at_mask_kind mask = s->m->blocks[b].groups[g].mask.kind;
            if (!(at_mask_parts[mask].in & AT_IN_TURNS))
                return at_fail(
                    err, AT_EREFUSED,
                    "autoregressive: block %d, group %d has mask %s; only causal and strict ones let no "
                    "one see what comes later",
                    b, g, at_mask_names[mask]);
        }
    return AT_OK;
}

/* Is query position t (of T) asked for in attention block k? In the last block only what is read. */
static bool asked(const at_shared *s, int k, int t)
{
    if (k < s->n_layers - 1 || s->plan.query < 0)
        return true;
    return t == s->m->n_prefix + s->plan.query;
}

static at_status desk_make(const stretch *l, int n, at_arena *arena, desk *d, at_err *err)
{
    d->ask = at_new(arena, query, n);
    at_status st = d->ask ? AT_OK : at_oom(err);
    for (int i = 0; i < n && !st; i++)
        st = query_make(&l->plan, arena, &d->ask[i], err);
    return st;
}

static at_status stretch_make(at_shared *s, int b, int most, stretch *l, at_err *err)
{
    at_status st = layer_make(s->m, b, s->a, s->T, &s->arena, &l->plan, err);
    size_t groups = (size_t)l->plan.n_groups;
    if (st)
        return st;
    l->sees = at_new(&s->arena, uint8_t, (size_t)s->P * (size_t)s->T * groups);
    l->own = at_new(&s->arena, desk, s->P);
    l->other = at_new(&s->arena, desk, s->P);
    if (!l->sees || !l->own || !l->other)
        return at_oom(err);
    for (int j = 0; j < s->T; j++)
        for (int t = 0; t < s->T; t++)
            for (int g = 0; g < l->plan.n_groups; g++)
                l->sees[((size_t)s->owner[j] * (size_t)s->T + (size_t)t) * groups + (size_t)g] |=
                    at_mask_allows(&l->plan.group[g].mask, t, j);
    for (int p = 0; p < s->P && !st; p++) {
        st = desk_make(l, s->parties[p].cap, &s->arena, &l->own[p], err);
        if (!st)
            st = desk_make(l, most, &s->arena, &l->other[p], err);
    }
    return st;
}

static at_status parties_make(at_shared *s, at_err *err)
{
    int most = 1, k = 0;
    at_status st = AT_OK;
    layer *plans = at_new(&s->arena, layer, s->n_layers + 1);
    s->layers = at_new(&s->arena, stretch, s->n_layers + 1);
    s->parties = at_new(&s->arena, party, s->P);
    if (!plans || !s->layers || !s->parties)
        return at_oom(err);
    for (int b = 0; b < s->m->n_blocks && !st; b++)
        if (s->m->blocks[b].kind == AT_BLOCK_ATTN)
            st = layer_make(s->m, b, s->a, s->T, &s->arena, &plans[k++], err);
    for (int p = 0; p < s->P && !st; p++) {
        int rows = 0;
        for (int t = 0; t < s->T; t++)
            rows += s->owner[t] == p;
        most = rows > most ? rows : most;
        st = party_make(s->stage, plans, s->n_layers, s->T, rows, &s->arena, &s->parties[p], err);
    }
    if (!st && s->plan.known)
        st = party_make(s->stage, plans, s->n_layers, s->T, 1, &s->arena, &s->guest, err);
    k = 0;
    for (int b = 0; b < s->m->n_blocks && !st; b++)
        if (s->m->blocks[b].kind == AT_BLOCK_ATTN)
            st = stretch_make(s, b, most, &s->layers[k++], err);
    return st;
}

at_status at_shared_new(const at_model *m, at_arith a, int n, const at_shared_plan *plan, at_shared **out,
                        at_err *err)
{
    if (n < m->n_min || n > m->n_max || n < 1)
        return at_fail(err, AT_EDOMAIN, "%d positions; the model takes %d..%d", n, m->n_min, m->n_max);
    at_shared *s = at_calloc(1, sizeof *s);
    if (!s)
        return at_oom(err);
    *s = (at_shared){
        .m = m, .a = a, .plan = *plan, .n = n, .T = m->n_prefix + n + m->n_suffix, .P = plan->parties};
    at_arena_init(&s->arena);
    for (int b = 0; b < m->n_blocks; b++)
        s->n_layers += m->blocks[b].kind == AT_BLOCK_ATTN;
    at_status st = plan_check(s, err);
    if (!st)
        st = at_stage_new(m, a, &s->stage, err);
    if (!st && !(s->owner = at_new(&s->arena, int, s->T)))
        st = at_oom(err);
    for (int t = 0; t < s->T && !st; t++) {
        int u = t - m->n_prefix;
        s->owner[t] = plan->owner[u < 0 ? 0 : u >= n ? n - 1 : u];
    }
    if (!st)
        st = parties_make(s, err);
    if (st) {
        at_shared_free(s);
        return st;
    }
    *out = s;
    return AT_OK;
}

void at_shared_free(at_shared *s)
{
    if (!s)
        return;
    at_stage_free(s->stage);
    at_bits_release(&s->said);
    at_arena_release(&s->arena);
    at_free(s);
}

/* ---- messages ------------------------------------------------------------------------------------------------- */

static const uint8_t *sees_of(const at_shared *s, const stretch *l, int p, int t)
{
    return l->sees + ((size_t)p * (size_t)s->T + (size_t)t) * (size_t)l->plan.n_groups;
}

/* Does any query on the desk see a key of party p? */
static bool desk_sees(const at_shared *s, const stretch *l, const desk *d, int p)
{
    for (int i = 0; i < d->n; i++)
        for (int g = 0; g < l->plan.n_groups; g++)
            if (sees_of(s, l, p, d->ask[i].t)[g])
                return true;
    return false;
}

/* The parts of a message. */
enum { SAY_QUERY = 1, SAY_PEAKS = 2, SAY_SUMS = 4 };

/* Whose keys the maxima of a message are about: the sender's; but those that go out to several are the largest of all, for the
 * heads where the receiver has keys. */
static int peaks_of(const at_shared *s, int from, int to, int asker)
{
    return from == asker && s->P > 2 ? to : from;
}

/* Writes the parts of desk d, about queries of party `asker`, into s->said, and counts them. */
static at_status say(at_shared *s, int k, int from, int to, int asker, desk *d, unsigned parts, at_talk *t,
                     at_err *err)
{
    const stretch *l = &s->layers[k];
    at_bits *b = &s->said;
    message m = {.layer = k, .from = from, .to = to};
    uint64_t nq = (uint64_t)d->n, A = (uint64_t)(s->plan.sum_budget ? s->plan.sum_budget : l->plan.code.A);
    b->n = 0;
    for (int i = 0; i < d->n && parts & SAY_QUERY; i++)
        query_write_q(&l->plan, &d->ask[i], b);
    m.query = b->n;
    for (int i = 0; i < d->n && parts & SAY_PEAKS; i++)
        query_write_peaks(&l->plan, &d->ask[i], sees_of(s, l, peaks_of(s, from, to, asker), d->ask[i].t), b);
    m.peak = b->n - m.query;
    for (int i = 0; i < d->n && parts & SAY_SUMS; i++) {
        int longest = query_write_sums(&l->plan, &d->ask[i], sees_of(s, l, from, d->ask[i].t), s->T,
                                       s->plan.rounded, b);
        t->longest_sum = longest > t->longest_sum ? longest : t->longest_sum;
    }
    m.sum = b->n - m.query - m.peak;
    if (parts & SAY_QUERY)
        m.budget += nq * (uint64_t)l->plan.Q * (uint64_t)l->plan.code.number;
    if (parts & SAY_PEAKS)
        m.budget += nq * layer_peak_budget(&l->plan);
    if (parts & SAY_SUMS)
        m.budget += s->plan.autoregressive ? nq * 2 * (uint64_t)l->plan.values * A
                                           : nq * layer_sum_budget(&l->plan, s->T, (int)A);
    if (from != asker)
        t->answered[from] += m.peak + m.sum;
    return talk_count(t, &m, b, err);
}

/* Reads them onto desk d, of party `to`. */
static void hear(at_shared *s, int k, int from, int to, int asker, desk *d, unsigned parts)
{
    const stretch *l = &s->layers[k];
    at_bits_reader r = {.from = &s->said};
    for (int i = 0; i < d->n && parts & SAY_QUERY; i++)
        query_read_q(&l->plan, &d->ask[i], &r);
    for (int i = 0; i < d->n && parts & SAY_PEAKS; i++)
        query_read_peaks(&l->plan, &d->ask[i], sees_of(s, l, peaks_of(s, from, to, asker), d->ask[i].t), &r);
    for (int i = 0; i < d->n && parts & SAY_SUMS; i++)
        query_read_sums(&l->plan, &d->ask[i], sees_of(s, l, from, d->ask[i].t), s->T, &r);
    talk_read_all(&r);
}

static at_status tell(at_shared *s, int k, int from, int to, int asker, desk *of, desk *onto, unsigned parts,
                      at_talk *t, at_err *err)
{
    at_status st = say(s, k, from, to, asker, of, parts, t, err);
    if (!st)
        hear(s, k, from, to, asker, onto, parts);
    return st;
}

/* ---- an attention block ----------------------------------------------------------------------------------------- */

/* The queries of party i, on its own desk; on the desk of each other party nothing but which positions ask. */
static void desks_open(at_shared *s, int k, int i)
{
    stretch *l = &s->layers[k];
    const party *p = &s->parties[i];
    desk *own = &l->own[i];
    own->n = 0;
    for (int r = 0; r < p->n; r++)
        if (asked(s, k, p->pos[r])) {
            query *a = &own->ask[own->n++];
            query_open(&l->plan, a, p->pos[r]);
            memcpy(a->q, p->q + (size_t)r * (size_t)l->plan.Q, (size_t)l->plan.Q * sizeof *a->q);
        }
    for (int j = 0; j < s->P; j++) {
        desk *d = &l->other[j];
        d->n = own->n;
        for (int q = 0; q < d->n; q++)
            query_open(&l->plan, &d->ask[q], own->ask[q].t);
    }
}

static void desk_peaks(party *p, const stretch *l, desk *d)
{
    for (int q = 0; q < d->n; q++)
        party_peaks(p, &l->plan, &d->ask[q]);
}

static void desk_sums(party *p, const stretch *l, desk *d)
{
    for (int q = 0; q < d->n; q++)
        party_sums(p, &l->plan, &d->ask[q]);
}

/* Party j learns the queries without being told: the row is known, and everyone knows the model. */
static void desk_known(at_shared *s, int k, desk *d)
{
    const stretch *l = &s->layers[k];
    memcpy(d->ask[0].q, s->guest.q, (size_t)l->plan.Q * sizeof *d->ask[0].q);
}

/* Two parties: there and back. */
static at_status exchange_two(at_shared *s, int k, int i, at_talk *t, at_err *err)
{
    stretch *l = &s->layers[k];
    int j = 1 - i;
    desk *own = &l->own[i], *other = &l->other[j];
    desk_peaks(&s->parties[i], l, own);
    if (!desk_sees(s, l, own, j)) {
        desk_sums(&s->parties[i], l, own);
        return AT_OK;
    }
    at_status st = tell(s, k, i, j, i, own, other, (s->plan.known ? 0 : SAY_QUERY) | SAY_PEAKS, t, err);
    if (st)
        return st;
    if (s->plan.known)
        desk_known(s, k, other);
    /* What j says as its own maximum is the largest of both: i takes the larger in any case. */
    desk_peaks(&s->parties[j], l, other);
    desk_sums(&s->parties[j], l, other);
    st = say(s, k, j, i, i, other, SAY_PEAKS | SAY_SUMS, t, err);
    if (st)
        return st;
    /* i's own sums need the maximum, which comes first in the message */
    at_bits_reader r = {.from = &s->said};
    for (int q = 0; q < own->n; q++)
        query_read_peaks(&l->plan, &own->ask[q], sees_of(s, l, j, own->ask[q].t), &r);
    desk_sums(&s->parties[i], l, own);
    for (int q = 0; q < own->n; q++)
        query_read_sums(&l->plan, &own->ask[q], sees_of(s, l, j, own->ask[q].t), s->T, &r);
    talk_read_all(&r);
    return AT_OK;
}

static at_status exchange_many(at_shared *s, int k, int i, at_talk *t, at_err *err)
{
    stretch *l = &s->layers[k];
    desk *own = &l->own[i];
    at_status st = AT_OK;
    desk_peaks(&s->parties[i], l, own);
    for (int j = 0; j < s->P && !st; j++) {
        desk *other = &l->other[j];
        if (j == i || !desk_sees(s, l, own, j))
            continue;
        if (s->plan.known)
            desk_known(s, k, other);
        else
            st = tell(s, k, i, j, i, own, other, SAY_QUERY, t, err);
        if (st)
            break;
        desk_peaks(&s->parties[j], l, other);
        st = tell(s, k, j, i, i, other, own, SAY_PEAKS, t, err);
    }
    for (int j = 0; j < s->P && !st; j++)
        if (j != i && desk_sees(s, l, own, j)) {
            st = tell(s, k, i, j, i, own, &l->other[j], SAY_PEAKS, t, err);
            if (!st)
                desk_sums(&s->parties[j], l, &l->other[j]);
            if (!st)
                st = tell(s, k, j, i, i, &l->other[j], own, SAY_SUMS, t, err);
        }
    desk_sums(&s->parties[i], l, own);
    return st;
}

static at_status attention(at_shared *s, int k, at_talk *t, at_err *err)
{
    stretch *l = &s->layers[k];
    at_status st = AT_OK;
    for (int p = 0; p < s->P; p++)
        party_project(&s->parties[p], &l->plan);
    if (s->plan.known)
        party_project(&s->guest, &l->plan);
    for (int i = 0; i < s->P && !st; i++) {
        party *p = &s->parties[i];
        desks_open(s, k, i);
        if (l->own[i].n)
            st = s->P == 2 ? exchange_two(s, k, i, t, err) : exchange_many(s, k, i, t, err);
        for (int r = 0, q = 0; r < p->n && !st; r++)
            if (asked(s, k, p->pos[r]))
                party_finish(p, &l->plan, r, &l->own[i].ask[q++]);
    }
    for (int p = 0; p < s->P && !st; p++)
        st = party_close(&s->parties[p], &l->plan, err);
    return st;
}

/* ---- a run --------------------------------------------------------------------------------------------------------- */

static at_status read_all(at_shared *s, at_talk *t, at_arena *arena, at_err *err)
{
    const at_model *m = s->m;
    bool last = m->readout.last;
    int R = m->readout.rows, first = last ? s->T - 1 : m->n_prefix + (s->plan.query < 0 ? 0 : s->plan.query);
    t->rows = R;
    t->n = last || s->plan.query >= 0 ? 1 : s->n;
    t->first = last ? 0 : first - m->n_prefix;
    t->value = at_new(arena, double, (size_t)t->n *(size_t)R);
    if (!t->value)
        return at_oom(err);
    at_status st = AT_OK;
    for (int p = 0; p < s->P; p++)
        for (int r = 0; r < s->parties[p].n && !st; r++) {
            int at = s->parties[p].pos[r] - first;
            if (at >= 0 && at < t->n)
                st = at_stage_readout(s->stage, s->parties[p].x + (size_t)r * (size_t)m->width, 1,
                                      t->value + (size_t)at * (size_t)R, err);
        }
    return st;
}

at_status at_shared_run(at_shared *s, const at_input *x, at_arena *arena, at_talk *out, at_err *err)
{
    const at_model *m = s->m;
    int width = at_model_row_width(m);
    if (x->n != s->n)
        return at_fail(err, AT_EDOMAIN, "prepared for %d positions, not for %d", s->n, x->n);
    at_status st = at_input_check(m, x, err);
    if (st)
        return st;
    at_talk t = {.epochs = s->n_layers, .transcript = s->plan.transcript};
    st = talk_open(&t, s->P, arena, err);
    if (st)
        return st;
    for (int p = 0; p < s->P; p++)
        s->parties[p].n = 0;
    for (int i = 0; i < s->T; i++) { /* the only place where rows are dealt out */
        int u = i - m->n_prefix;
        const double *row = u >= 0 && u < s->n ? x->v + (size_t)u * (size_t)width : NULL;
        party_take(&s->parties[s->owner[i]], i, row);
        if (s->plan.known && u == s->plan.query) {
            s->guest.n = 0;
            party_take(&s->guest, i, row);
        }
    }
    for (int b = 0, k = 0; b < m->n_blocks && !st; b++) {
        if (at_cancel_pending())
            return at_fail(err, AT_ECANCEL, "interrupted");
        if (m->blocks[b].kind == AT_BLOCK_ATTN) {
            st = attention(s, k++, &t, err);
            continue;
        }
        for (int p = 0; p < s->P && !st; p++)
            st = party_mlp(&s->parties[p], b, err);
        if (!st && s->plan.known && k == 0)
            st = party_mlp(&s->guest, b, err);
    }
    if (!st)
        st = read_all(s, &t, arena, err);
    for (int k = 0; k < s->n_layers; k++) {
        t.A = s->layers[k].plan.code.A > t.A ? s->layers[k].plan.code.A : t.A;
        t.number = s->layers[k].plan.code.number;
    }
    if (!st)
        *out = t;
    return st;
}
