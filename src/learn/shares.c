/* shares.c: how far a model's probabilities are from those of a stream whose rows are drawn (ngram).
 *
 * There is no right answer to such a stream, but a right distribution p behind every beginning of a row. With q the model's,
 *     entropy  the mean of -log p     cross entropy  the mean of -log q     KL  the mean of log p - log q
 * are means over the tokens of a row, its <eos> among them, and over rows as p draws them. Behind each beginning the mean over what may
 * follow is a sum over the vocabulary. The mean over beginnings is a sum over all rows, each with its probability, where there are few
 * enough; else over drawn ones, with the standard error of the KL. Numbers are in nats. */
#include "learn_internal.h"

#include <math.h>
#include <string.h>

#define BATCH 64

typedef struct {
    const at_source *d;
    at_shares_give *give;
    void *ctx;
    int V, longest;
    int *token;     /* (BATCH, longest): rows of n tokens each, the last of which is not read */
    double *weight; /* (BATCH) */
    int n, rows;
    double *value;           /* (BATCH, longest, V) */
    double entropy, kl, kl2; /* sums over rows, each over its tokens and by its weight */
    double weights;
    at_err *err;
} marker;

bool at_source_is_drawn(const at_source *d)
{
    return d->verbs->probability && !d->verbs->complete;
}

/* The sums of one row: value (n - 1, V) are the model's readouts. */
static void row_mark(marker *k, const int *token, double weight, const double *value)
{
    int *next = k->token + (size_t)BATCH * (size_t)k->longest; /* scratch */
    double H = 0, kl = 0;
    memcpy(next, token, (size_t)k->n * sizeof *next);
    for (int i = 1; i < k->n; i++) {
        const double *z = value + (size_t)(i - 1) * (size_t)k->V;
        double most = z[0], sum = 0;
        for (int w = 1; w < k->V; w++)
            most = fmax(most, z[w]);
        for (int w = 0; w < k->V; w++)
            sum += at_exp(z[w] - most);
        double all = most + at_log(sum);
        for (int w = 0; w < k->V; w++) {
            next[i] = w;
            double p = at_source_probability(k->d, next, i);
            if (p > 0) {
                H -= p * at_log(p);
                kl += p * (at_log(p) - (z[w] - all));
            }
        }
        next[i] = token[i];
    }
    H /= k->n - 1;
    kl /= k->n - 1;
    k->entropy += weight * H;
    k->kl += weight * kl;
    k->kl2 += weight * kl * kl;
    k->weights += weight;
}

static at_status rows_flush(marker *k)
{
    if (!k->rows)
        return AT_OK;
    at_status s = k->give(k->ctx, k->token, k->rows, k->n, k->longest, k->value, k->err);
    for (int r = 0; r < k->rows && !s; r++)
        row_mark(k, k->token + (size_t)r * (size_t)k->longest, k->weight[r],
                 k->value + (size_t)r * (size_t)(k->n - 1) * (size_t)k->V);
    k->rows = 0;
    return s;
}

static at_status row_add(marker *k, const int *token, int n, double weight)
{
    at_status s = k->rows == BATCH || (k->rows && k->n != n) ? rows_flush(k) : AT_OK;
    k->n = n;
    memcpy(k->token + (size_t)k->rows * (size_t)k->longest, token, (size_t)n * sizeof *token);
    k->weight[k->rows++] = weight;
    return s;
}

at_status at_source_rows(const at_source *d, uint64_t most, at_source_row *row, void *ctx, uint64_t *count,
                         at_err *err)
{
    int V = at_source_vocabulary(d), longest = at_source_longest(d);
    at_arena a;
    at_arena_init(&a);
    at_sequence s = {.token = at_new(&a, int, longest)};
    double *so = at_new(&a, double, longest + 1);
    int *token = at_new(&a, int, longest + 1);
    at_status st = s.token && so && token ? at_source_sample(d, 0, AT_TRAIN, 0, &s, err) : at_oom(err);
    *count = 0;
    int i = s.prompt, first = s.prompt;
    if (!st) {
        memcpy(token, s.token, (size_t)first * sizeof *token);
        so[i] = 1;
        token[i] = -1;
    }
    while (!st && i >= first) { /* token[i] was tried last behind token[0..i-1], whose probability is so[i] */
        double p = 0;
        while (++token[i] < V && !((p = at_source_probability(d, token, i)) > 0))
            ;
        if (token[i] >= V) {
            i--;
            continue;
        }
        if (token[i] != AT_TOKEN_EOS && i + 1 < longest) {
            so[i + 1] = so[i] * p;
            token[++i] = -1;
            continue;
        }
        if (++*count > most)
            break;
        if (row)
            st = row(ctx, token, i + 1, so[i] * p, err);
        if (!st && at_cancel_pending())
            st = at_fail(err, AT_ECANCEL, "interrupted");
    }
    at_arena_release(&a);
    return st;
}

static at_status row_take(void *ctx, const int *token, int n, double probability, at_err *err)
{
    (void)err;
    return row_add(ctx, token, n, probability);
}

static at_status rows_draw(marker *k, uint64_t count, uint64_t seed)
{
    at_sequence s = {.token = at_calloc((size_t)k->longest, sizeof(int))};
    at_status st = s.token ? AT_OK : at_oom(k->err);
    for (uint64_t i = 0; i < count && !st; i++) {
        st = at_cancel_pending() ? at_fail(k->err, AT_ECANCEL, "interrupted")
                                 : at_source_sample(k->d, seed, AT_TEST, i, &s, k->err);
        if (!st)
            st = row_add(k, s.token, s.n, 1);
    }
    at_free(s.token);
    return st;
}

at_status at_shares_mark(const at_source *d, at_shares_give *give, void *ctx, uint64_t count, uint64_t seed,
                         at_shares *out, at_err *err)
{
    at_arena a;
    uint64_t all;
    *out = (at_shares){0};
    if (!at_source_is_drawn(d))
        return at_fail(err, AT_EREFUSED, "rows of this stream are not drawn: there is one right answer");
    at_arena_init(&a);
    marker k = {.d = d, .give = give, .ctx = ctx, .err = err};
    k.V = at_source_vocabulary(d);
    k.longest = at_source_longest(d);
    k.token = at_new(&a, int, (size_t)(BATCH + 1) * (size_t)k.longest);
    k.weight = at_new(&a, double, BATCH);
    k.value = at_new(&a, double, (size_t)BATCH *(size_t)k.longest *(size_t)k.V);
    at_status s = k.token && k.weight && k.value ? at_source_rows(d, AT_SHARES_WHOLE, NULL, NULL, &all, err)
                                                 : at_oom(err);
    if (!s) {
        out->whole = all <= AT_SHARES_WHOLE;
        out->rows = out->whole ? all : count;
        s = out->whole ? at_source_rows(d, AT_SHARES_WHOLE, row_take, &k, &all, err)
                       : rows_draw(&k, count, seed);
    }
    if (!s)
        s = rows_flush(&k);
    if (!s) {
        out->entropy = k.entropy / k.weights;
        out->kl = k.kl / k.weights;
        out->cross = out->entropy + out->kl;
        double variance = k.kl2 / k.weights - out->kl * out->kl;
        out->error = out->whole ? 0 : sqrt(fmax(variance, 0) / (double)out->rows);
    }
    at_arena_release(&a);
    return s;
}

/* ---- of a model ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const at_model *m;
    at_arith arith;
    at_exec *exec; /* for rows of n positions; NULL: the reference */
    at_scratch *scratch;
    int n;
    double *x; /* (BATCH, n) */
} reader;

static void reader_close(reader *r)
{
    at_scratch_free(r->scratch);
    at_exec_free(r->exec);
    at_free(r->x);
    *r = (reader){.m = r->m, .arith = r->arith};
}

static at_status reader_open(reader *r, int n, at_err *err)
{
    at_err refused = {0};
    reader_close(r);
    at_status s = at_exec_new(r->m, r->arith, n, &r->exec, &refused);
    if (s == AT_EREFUSED)
        s = at_arith_supports(r->m, r->arith, err);
    else if (s)
        at_fail(err, s, "%s", refused.text);
    if (!s && r->exec)
        s = at_scratch_new(r->exec, &r->scratch, err);
    if (!s && !(r->x = at_calloc((size_t)BATCH * (size_t)n, sizeof *r->x)))
        s = at_oom(err);
    r->n = n;
    return s;
}

static at_status reader_give(void *ctx, const int *token, int rows, int n, int stride, double *value,
                             at_err *err)
{
    reader *r = ctx;
    int reads = n - 1, V = r->m->readout.rows;
    at_status s = r->n == reads ? AT_OK : reader_open(r, reads, err);
    if (s)
        return s;
    for (int b = 0; b < rows; b++)
        for (int i = 0; i < reads; i++)
            r->x[b * reads + i] = token[b * stride + i];
    if (r->exec) {
        at_exec_run(r->exec, r->scratch, r->x, rows, value);
        return AT_OK;
    }
    for (int b = 0; b < rows && !s; b++) {
        at_arena a;
        at_output y;
        at_arena_init(&a);
        s = at_run(r->m, r->arith, &(at_input){reads, r->x + b * reads}, NULL, &a, &y, err);
        if (!s)
            memcpy(value + (size_t)b * (size_t)reads * (size_t)V, y.value,
                   (size_t)reads * (size_t)V * sizeof *value);
        at_arena_release(&a);
    }
    return s;
}

at_status learn_shared(const at_model *m, const at_source *d, at_err *err)
{
    return at_source_is_drawn(d) && m->readout.last
               ? at_fail(err, AT_EREFUSED,
                         "the model answers at the last position only; every position is asked")
               : AT_OK;
}

at_status at_shares_exam(const at_model *m, const at_source *d, uint64_t count, uint64_t seed, at_arith arith,
                         at_shares *out, at_err *err)
{
    reader r = {.m = m, .arith = arith};
    at_status s = learn_fits(m, d, err);
    if (!s)
        s = learn_shared(m, d, err);
    if (!s && (m->n_min > 1 || m->n_max < at_source_longest(d) - 1))
        s = at_fail(err, AT_EREFUSED,
                    "the model takes rows of %d..%d tokens, and those of the stream have %d", m->n_min,
                    m->n_max, at_source_longest(d) - 1);
    if (!s)
        s = at_shares_mark(d, reader_give, &r, count, seed, out, err);
    reader_close(&r);
    return s;
}
