/* refute_rnn.c: rnn-state: two beginnings of an input after which a recurrent net is in the same state.
 *
 * Source: Sanford, Hsu, Telgarsky 2023 (sparse averaging): an RNN for qSA needs a state of (N-1)/2 bits, because whoever knows
 * the state in the middle knows every vector before it. Made to bite: vectors are +-1 along a coordinate, questions in the
 * beginning are fixed. Two beginnings with the same state are one to every position after them, and those ask for a
 * position where the two differ.
 *
 * Passes, until one finds a pair:
 *   1. forgetting: only the first few positions vary, all others are zeros up to the last but one. A net whose state
 *      contracts has forgotten them by then.
 *   2. birthday: beginnings that end where they vary, last position fastest; with S bits of state about 2^(S/2) of them.
 *   3. the same with eight lengths of vectors, where N is so small that pass 2 had few beginnings.
 *
 * A worker keeps the states along its last beginning, so a next one costs two steps on average.
 *
 * Legend: w positions that vary, m positions of the beginning (m - w zeros behind), S numbers of the state. */
#include "prompts.h"
#include "qsa.h"

#include <math.h>
#include <string.h>

#define FORGET  8
#define LENGTHS 8
#define VARIED  62 /* positions that vary, at most */

typedef struct {
    at_recurrence *net;
    int digit[VARIED]; /* of the last item */
    bool warm;
    double *state; /* (w + 2, S): before position 0, ...; the last is scratch for the tail */
    double *row;   /* (row) */
} walker;

typedef struct {
    const at_subject *s;
    qsa_sizes z;
    int w, m, S, lengths, base; /* base: vectors a position may hold */
    walker *walker;
    double *diff, *subset; /* for `useful`, which runs alone */
    double need;           /* targets must be farther apart than this */
} search;

static void digits_of(const search *h, uint64_t i, int *digit)
{
    for (int t = h->w - 1; t >= 0; t--) {
        digit[t] = (int)(i % (uint64_t)h->base);
        i /= (uint64_t)h->base;
    }
}

/* The vector of a digit: sign, coordinate, length. */
static void vector_of(const search *h, int digit, double *z)
{
    memset(z, 0, (size_t)h->z.d * sizeof *z);
    double length = 1 - (double)(digit / 2 / h->z.d) / h->lengths;
    z[digit / 2 % h->z.d] = digit % 2 ? -length : length;
}

static at_status state_of(void *ctx, int worker, uint64_t i, void *out, at_err *err)
{
    const search *h = ctx;
    walker *k = &h->walker[worker];
    size_t S = (size_t)h->S, bytes = S * sizeof(double);
    int digit[VARIED], t = 0;
    digits_of(h, i, digit);
    while (k->warm && t < h->w && digit[t] == k->digit[t])
        t++;
    k->warm = false; /* until it is done */
    at_status bad = AT_OK;
    for (; t < h->w && !bad; t++) {
        double *next = k->state + (size_t)(t + 1) * S;
        memcpy(next, next - S, bytes);
        vector_of(h, digit[t], k->row);
        bad = at_recurrence_step(k->net, t, k->row, next, NULL, err);
    }
    double *last = k->state + (size_t)(h->w + 1) * S;
    memcpy(last, last - S, bytes);
    memset(k->row, 0, (size_t)h->z.d * sizeof *k->row);
    for (t = h->w; t < h->m && !bad; t++)
        bad = at_recurrence_step(k->net, t, k->row, last, NULL, err);
    memcpy(k->digit, digit, sizeof digit);
    k->warm = !bad;
    memcpy(out, last, bytes);
    return bad;
}

/* The best question for two items: how far apart the targets are. */
static double question(const search *h, uint64_t i, uint64_t k, double *subset)
{
    int a[VARIED], b[VARIED];
    double y[256], z[256]; /* d of task qsa is at most 256 */
    digits_of(h, i, a);
    digits_of(h, k, b);
    memset(h->diff, 0, (size_t)h->z.N * (size_t)h->z.d * sizeof *h->diff);
    for (int t = 0; t < h->w; t++) {
        vector_of(h, a[t], y);
        vector_of(h, b[t], z);
        for (int c = 0; c < h->z.d; c++)
            h->diff[t * h->z.d + c] = y[c] - z[c];
    }
    return qsa_ask(&h->z, h->diff, subset, NULL);
}

static bool useful(void *ctx, uint64_t i, uint64_t k)
{
    const search *h = ctx;
    return question(h, i, k, h->subset) > h->need;
}

static at_status walkers_open(search *h, int workers, at_arena *a, at_err *err)
{
    h->walker = at_new(a, walker, workers);
    h->diff = at_new(a, double, h->z.N * h->z.d);
    h->subset = at_new(a, double, h->z.q);
    at_status bad = h->walker && h->diff && h->subset ? AT_OK : at_oom(err);
    for (int k = 0; k < workers && !bad; k++) {
        walker *p = &h->walker[k];
        bad = at_recurrence_new(h->s->m, h->s->arith, h->z.N, &p->net, err);
        if (bad)
            break;
        h->S = at_recurrence_numbers(p->net);
        p->state = at_new(a, double, (size_t)(VARIED + 2) * (size_t)h->S);
        p->row = at_new(a, double, h->z.row);
        if (!p->state || !p->row)
            return at_oom(err);
        at_recurrence_begin(p->net, p->state);
        for (int e = 0; e < h->z.q; e++)
            p->row[h->z.d + e] = e + 1;
    }
    return bad;
}

static void walkers_close(search *h, int workers)
{
    for (int k = 0; h->walker && k < workers; k++)
        at_recurrence_free(h->walker[k].net);
}

static at_status pass_run(search *h, int w, int m, int lengths, int workers, const at_refute_env *env,
                          at_collision *got, at_err *err)
{
    h->w = w;
    h->m = m;
    h->lengths = lengths;
    h->base = 2 * h->z.d * lengths;
    uint64_t count = 1;
    for (int t = 0; t < w && count <= (UINT64_MAX >> 1) / (uint64_t)h->base; t++)
        count *= (uint64_t)h->base;
    for (int k = 0; k < workers; k++)
        h->walker[k].warm = false;
    const at_collide_job job = {.ctx = h,
                                .count = count,
                                .bytes = (size_t)h->S * sizeof(double),
                                .state = state_of,
                                .useful = useful};
    return at_collide(&job, env, got, err);
}

static at_status pair_fill(const search *h, const at_collision *got, at_arena *a, at_pair *out, at_err *err)
{
    const qsa_sizes *z = &h->z;
    double apart = question(h, got->first, got->second, h->subset);
    uint64_t item[2] = {got->first, got->second};
    for (int k = 0; k < 2; k++) {
        int digit[VARIED];
        double *x = at_new(a, double, z->N * z->row);
        if (!x)
            return at_oom(err);
        qsa_blank(z, x);
        digits_of(h, item[k], digit);
        for (int t = 0; t < h->w; t++)
            vector_of(h, digit[t], x + t * z->row);
        for (int t = h->m; t < z->N; t++)
            memcpy(x + t * z->row + z->d, h->subset, (size_t)z->q * sizeof *x);
        out->x[k] = (at_input){z->N, x};
    }
    out->note = at_arena_printf(a,
                                "after %d positions the state (%d numbers, %g bits) is the same; those after "
                                "ask for what differed, by %.3g",
                                h->m, h->S, out->bits, apart);
    return out->note ? AT_OK : at_oom(err);
}

static at_status rnn_fits(const at_subject *s, at_err *why)
{
    qsa_sizes z;
    at_recurrence *r = NULL;
    at_status bad = qsa_fits(s, &z, why);
    if (!bad && z.N < 2)
        bad = at_fail(why, AT_EREFUSED, "N = 1: there is no beginning");
    if (!bad && (s->m->n_min > z.N || s->m->n_max < z.N))
        bad = at_fail(why, AT_EREFUSED, "the model does not take %d positions", z.N);
    if (!bad) {
        bad = at_recurrence_new(s->m, s->arith, z.N, &r, why);
        at_recurrence_free(r);
    }
    return bad;
}

static at_status rnn_search(const at_subject *s, const at_refute_env *env, at_arena *a, at_pair *out,
                            at_err *err)
{
    search h = {.s = s, .need = 2 * s->tolerance + subject_same(s)};
    at_status bad = qsa_fits(s, &h.z, err);
    if (bad)
        return bad;
    int workers = env->threads > 0 ? env->threads : at_cores(), before = h.z.N - 1;
    *out = (at_pair){.bits = NAN};
    at_collision got = {0};
    bad = walkers_open(&h, workers, a, err);
    out->bits = h.S * number_bits(s->arith);
    for (int pass = 0; pass < 3 && !bad && !got.found && !at_refute_over(env, out->states, out->work);
         pass++) {
        int lengths = pass == 2 ? LENGTHS : 1, w = before, most = pass == 0 ? FORGET : VARIED;
        while (w > most || (pass && at_pow(2.0 * h.z.d * lengths, w - 1) > 0x1p62))
            w--;
        int m = pass == 0 ? before : w;
        double step =
            work_of_rows(s->m, h.z.N) / h.z.N; /* two on average, and the positions that do not vary */
        double cost = step * (2 + m - w);
        at_refute_env rest = work_left(env, out, cost);
        bad = pass_run(&h, w, m, lengths, workers, &rest, &got, err);
        work_spend(out, got.states, cost);
    }
    if (!bad && got.found)
        bad = pair_fill(&h, &got, a, out, err);
    else if (!bad)
        bad = at_fail(err, AT_EBUDGET, "%llu beginnings, no two of use with one state (%g bits)",
                      (unsigned long long)out->states, out->bits);
    walkers_close(&h, workers);
    return bad;
}

const at_refuter refuter_rnn = {
    .id = "rnn-state",
    .about = "recurrent nets on qSA: two beginnings that leave the same state",
    .fits = rnn_fits,
    .search = rnn_search,
};
