/* check_chain.c: decoders: is what they write after a prompt the reference's chain, row for row?
 *
 * Every prompt of a size, or drawn ones, one generator a worker. A chain is right when it has the same rows and ends
 * where the reference's does; a row that is undecided, out of range or missing is wrong. The arithmetics that decoders
 * run in (f32, f64, p bits) decide everything, so a wrong chain is a counterexample, never an unknown. Counterexamples
 * are generated again by the plain decoder before they are reported. */
#include "check_internal.h"

#include <math.h>
#include <string.h>

#define PIECE_WORK  1e9 /* multiply-adds: some tenths of a second */
#define SHRINK_RUNS 400
#define SHRINK_WORK 2e10

typedef struct {
    at_generator *g;
    double *prompt, *rows;
} bench;

typedef struct {
    const at_model *m;
    const at_chain *c;
    const void *self;
    const at_question *q;
    int row, prompt_max, rows_max;
    uint64_t total, per_piece, count;
    bench *bench; /* one a worker */
} work;

static at_status prompt_make(const work *w, uint64_t i, double *prompt, int *n, at_err *err)
{
    at_rng r = at_rng_at(w->q->seed, i);
    if (w->q->evidence == AT_EV_SAMPLED)
        return (i % 2 && w->c->adversarial ? w->c->adversarial : w->c->sample)(w->self, &r, prompt, n, err);
    if (w->total == w->count)
        return w->c->nth(w->self, i, prompt, n, err);
    uint64_t lo = (uint64_t)((unsigned __int128)i * w->count / w->total);
    uint64_t hi = (uint64_t)((unsigned __int128)(i + 1) * w->count / w->total);
    return w->c->nth(w->self, lo + at_rng_below(&r, hi - lo), prompt, n, err);
}

/* The first row that differs, or -1. */
static int chain_compare(int row, const double *want, int n_want, const double *rows, int n)
{
    int both = n_want < n ? n_want : n;
    for (int k = 0; k < both; k++)
        for (int j = 0; j < row; j++)
            if (!(want[(size_t)k * (size_t)row + (size_t)j] == rows[(size_t)k * (size_t)row + (size_t)j]))
                return k;
    return n == n_want ? -1 : both;
}

/* The same of what this prompt asks for: all rows, or the last ones. */
static int rows_compare(const work *w, const double *prompt, int n_prompt, const double *want, int n_want,
                        const double *rows, int n)
{
    int skipped = n - n_want;
    if (skipped <= 0 || !w->c->ending || !w->c->ending(w->self, prompt, n_prompt))
        return chain_compare(w->row, want, n_want, rows, n);
    int bad = chain_compare(w->row, want, n_want, rows + (size_t)skipped * (size_t)w->row, n_want);
    return bad < 0 ? -1 : bad + skipped;
}

/* Prompt i: *bad is the first wrong row, or -1. A generator that gives up has written what it has written. */
static at_status chain_one(const work *w, bench *b, uint64_t i, double *margin, int *bad, at_err *err)
{
    int n, n_want, n_rows = 0;
    const double *rows = NULL;
    double least = INFINITY;
    at_status s = prompt_make(w, i, b->prompt, &n, err);
    if (!s)
        s = w->c->answer(w->self, b->prompt, n, b->rows, &n_want, err);
    if (s)
        return s;
    at_err given_up = {0};
    s = at_generator_run(b->g, b->prompt, n, &rows, &n_rows, &least, &given_up);
    if (s && s != AT_EBUDGET)
        return at_fail(err, s, "%s", given_up.text);
    *bad = rows_compare(w, b->prompt, n, b->rows, n_want, rows, n_rows);
    if (s && *bad < 0)
        *bad = n_rows;
    if (*bad < 0 && !(least > 0))
        *bad = 0;
    if (*bad < 0)
        *margin = fmin(*margin, least);
    return AT_OK;
}

static at_status piece_do(void *ctx, uint64_t piece, int worker, at_piece *out, at_err *err)
{
    const work *w = ctx;
    uint64_t first = piece * w->per_piece, end = first + w->per_piece;
    for (uint64_t i = first; i < end && i < w->total; i++) {
        int bad;
        at_status s = chain_one(w, &w->bench[worker], i, &out->margin, &bad, err);
        if (s)
            return s;
        out->inputs++;
        if (bad >= 0 && piece_fail(out, i, w->q->count_all))
            return AT_OK;
    }
    return AT_OK;
}

/* What the model has read when it writes the last row. */
static at_status chain_look(void *ctx, uint64_t i, int worker, at_input *x, at_err *err)
{
    const work *w = ctx;
    bench *b = &w->bench[worker];
    int n, n_rows;
    at_status s = prompt_make(w, i, b->prompt, &n, err);
    if (!s)
        s = w->c->answer(w->self, b->prompt, n, b->rows, &n_rows, err);
    if (s)
        return s;
    int read = n_rows > 0 ? n_rows - 1 : 0;
    memcpy(b->prompt + (size_t)n * (size_t)w->row, b->rows, (size_t)read * (size_t)w->row * sizeof *b->rows);
    *x = (at_input){n + read, b->prompt};
    return AT_OK;
}

static at_status work_prepare(work *w, int workers, at_arena *a, at_err *err)
{
    w->bench = at_new(a, bench, workers);
    for (int k = 0; w->bench && k < workers; k++) {
        bench *b = &w->bench[k];
        b->prompt = at_new(a, double, (w->prompt_max + w->rows_max) * w->row);
        b->rows = at_new(a, double, w->rows_max * w->row);
        if (!b->prompt || !b->rows)
            return at_oom(err);
        at_status s = at_generator_new(w->m, w->q->arith, &b->g, err);
        if (s)
            return s;
    }
    return w->bench ? AT_OK : at_oom(err);
}

static at_status question_check(const work *w, at_err *err)
{
    if (w->q->evidence != AT_EV_EXACT && w->q->evidence != AT_EV_SAMPLED)
        return at_fail(err, AT_EREFUSED, "a check by generating is exact or sampled");
    if (w->q->evidence == AT_EV_SAMPLED && (!w->q->limit || w->q->limit > INT64_MAX))
        return at_fail(err, AT_EDOMAIN, "a sampled check takes 1..2^63-1 inputs");
    if (!w->m->decode.enabled)
        return at_fail(err, AT_EINPUT, "the model does not continue its input (it has no decoding rule)");
    if (at_model_row_width(w->m) != w->row)
        return at_fail(err, AT_EINPUT, "the model takes %d numbers a row, %s has %d",
                       at_model_row_width(w->m), w->c->id, w->row);
    return AT_OK;
}

/* The first row whose margin is 0, in a chain that is right; 0 if there is none. */
static at_status tie_find(const work *w, const double *prompt, int n, const double *rows, int n_rows,
                          int *out, at_err *err)
{
    size_t row = (size_t)w->row;
    double *next = at_malloc(row * sizeof *next), margin = INFINITY;
    at_decoder *d = NULL;
    at_status s = next ? at_decoder_new(w->m, w->q->arith, &d, err) : at_oom(err);
    for (int k = 0; k < n && !s; k++)
        s = at_decoder_push(d, prompt + (size_t)k * row, err);
    *out = 0;
    for (int k = 0; k < n_rows && !s; k++) {
        at_tri decided;
        s = at_decoder_next(d, next, &margin, &decided, err);
        if (!s && !(margin > 0)) {
            *out = k;
            break;
        }
        if (!s && k + 1 < n_rows)
            s = at_decoder_push(d, rows + (size_t)k * row, err);
    }
    at_decoder_free(d);
    at_free(next);
    return s;
}

/* A prompt by the plain decoder: is it wrong there (confirmed), and where? */
static at_status prompt_judge(const work *w, const double *prompt, int n, at_arena *a, at_counterexample *cx,
                              bool *confirmed, at_err *err)
{
    size_t row = (size_t)w->row;
    double *want = at_new(a, double, w->rows_max * w->row), *rows = NULL, least = 0;
    int n_want, n_rows = 0;
    if (!want)
        return at_oom(err);
    at_status s = w->c->answer(w->self, prompt, n, want, &n_want, err);
    if (s)
        return s;
    at_err given_up = {0};
    s = at_generate(w->m, w->q->arith, &(at_input){n, prompt}, a, &rows, &n_rows, &least, &given_up);
    if (s && s != AT_EBUDGET)
        return at_fail(err, s, "%s", given_up.text);
    int bad = rows_compare(w, prompt, n, want, n_want, rows, n_rows);
    int skipped = n_rows > n_want && w->c->ending && w->c->ending(w->self, prompt, n) ? n_rows - n_want : 0;
    *confirmed = bad >= 0 || s || !(least > 0);
    if (bad < 0 && s)
        bad = n_rows;
    if (bad < 0 && (s = tie_find(w, prompt, n, rows, n_rows, &bad, err)))
        return s;
    *cx = (at_counterexample){.n = n, .x = prompt, .position = bad, .margin = least};
    cx->want = bad >= skipped && bad - skipped < n_want ? want + (size_t)(bad - skipped) * row : NULL;
    cx->wrote = bad < n_rows ? rows + (size_t)bad * row : NULL;
    cx->expected = cx->got = NAN;
    for (size_t k = 0; cx->want && cx->wrote && k < row; k++)
        if (cx->want[k] != cx->wrote[k]) {
            cx->expected = cx->want[k];
            cx->got = cx->wrote[k];
            break;
        }
    return AT_OK;
}

/* Makes the prompt simpler for as long as it stays wrong, in place. */
static at_status prompt_shrink(const work *w, double *prompt, int n, at_err *err)
{
    double cost = (double)(w->prompt_max + w->rows_max) * ((double)w->m->n_weights + 1000);
    int runs = cost * SHRINK_RUNS > SHRINK_WORK ? (int)(SHRINK_WORK / cost) : SHRINK_RUNS;
    at_status s = AT_OK;
    at_arena a;
    at_arena_init(&a);
    double *next = at_new(&a, double, w->prompt_max * w->row);
    if (!next)
        s = at_oom(err);
    for (int k = 0; !s && runs-- > 0 && w->c->simpler && w->c->simpler(w->self, prompt, n, k, next); k++) {
        at_counterexample cx;
        bool wrong = false;
        at_arena run;
        at_arena_init(&run);
        s = prompt_judge(w, next, n, &run, &cx, &wrong, err);
        at_arena_release(&run);
        if (!s && wrong) {
            memcpy(prompt, next, (size_t)n * (size_t)w->row * sizeof *prompt);
            k = -1;
        }
    }
    at_arena_release(&a);
    return s;
}

/* The failing prompt once more, by the plain decoder; then the simplest one near it that fails. */
static at_status counterexample_make(const work *w, uint64_t i, at_arena *a, at_counterexample *cx,
                                     bool *confirmed, at_err *err)
{
    double *prompt = at_new(a, double, w->prompt_max * w->row);
    int n;
    if (!prompt)
        return at_oom(err);
    at_status s = prompt_make(w, i, prompt, &n, err);
    if (!s)
        s = prompt_judge(w, prompt, n, a, cx, confirmed, err);
    if (!s && *confirmed && !w->q->plain) {
        s = prompt_shrink(w, prompt, n, err);
        if (!s)
            s = prompt_judge(w, prompt, n, a, cx, confirmed, err);
    }
    cx->index = i;
    return s;
}

at_status at_check_chain(const at_model *m, const at_chain *c, const void *self, const at_question *q,
                         const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = q->evidence, .margin = NAN};
    work w = {.m = m, .c = c, .self = self, .q = q, .row = c->row_width(self)};
    at_status s = question_check(&w, err);
    if (s)
        return s;
    w.prompt_max = c->prompt_max(self);
    w.rows_max = c->rows_max(self);
    w.count = q->evidence == AT_EV_EXACT ? c->count(self) : q->limit;
    at_question drawn = *q;
    if (w.count > INT64_MAX && q->evidence == AT_EV_EXACT &&
        q->limit) { /* no strata of what cannot be counted */
        drawn.evidence = out->evidence = AT_EV_SAMPLED;
        w.q = q = &drawn;
        w.count = q->limit;
    }
    if (q->evidence == AT_EV_SAMPLED && c->listed) { /* each case once, not again and again */
        drawn.evidence = AT_EV_EXACT;
        w.q = q = &drawn;
        w.count = c->count(self);
    }
    const char *unlisted = c->unlisted ? c->unlisted(self) : NULL;
    if (w.count > INT64_MAX && unlisted)
        return at_fail(err, AT_EBUDGET, "prompts are not listed: %s", unlisted);
    if (w.count > INT64_MAX)
        return at_fail(err, AT_EBUDGET, "too many prompts to enumerate at this size");
    if (!w.count)
        return at_fail(err, AT_EDOMAIN, "%s has no prompts at this size", c->id);
    w.total = q->limit && q->limit < w.count ? q->limit : w.count;
    double cost = (double)(w.prompt_max + w.rows_max) * ((double)m->n_weights + 1000) *
                  (q->arith.kind == AT_PBIT ? 25 : 1);
    w.per_piece = cost > PIECE_WORK ? 1 : (uint64_t)(PIECE_WORK / cost);
    uint64_t pieces = (w.total - 1) / w.per_piece + 1;
    if (pieces > PIECES_MAX)
        return at_fail(err, AT_EBUDGET, "%ju prompts are too many to run", (uintmax_t)w.total);
    int workers = pieces_workers(env);
    s = work_prepare(&w, workers, a, err);
    at_piece sum = {0, NAN, -1, 0};
    if (!s)
        s = pieces_run(pieces, env, c->id, q->count_all, piece_do, &w, &sum, err);
    for (int k = 0; w.bench && k < workers; k++)
        at_generator_free(w.bench[k].g);
    if (!s && sum.bad >= 0 && (uint64_t)sum.bad >= w.total)
        s = at_fail(err, AT_EINPUT, "a kept piece names prompt %jd of %ju", (intmax_t)sum.bad,
                    (uintmax_t)w.total);
    if (s)
        return s;
    out->inputs = sum.inputs;
    out->wrong = sum.wrong;
    out->margin = isfinite(sum.margin) ? sum.margin : NAN;
    if (w.total < w.count) {
        out->evidence = AT_EV_SAMPLED;
        out->note = "one prompt from each of equal strata of the enumeration";
    }
    if (c->listed && q->evidence == AT_EV_EXACT) {
        out->evidence = AT_EV_SAMPLED;
        out->note = w.total < w.count ? "some cases of the file, one from each of equal stretches of it"
                                      : "every case of the file; other inputs were not asked";
    }
    if (sum.bad < 0) {
        out->holds = AT_TRUE;
        return q->plain ? AT_OK
                        : ties_look(m, q->arith, w.prompt_max + w.rows_max, w.total, env, chain_look, &w, a,
                                    out, err);
    }
    s = counterexample_make(&w, (uint64_t)sum.bad, a, &out->cx, &out->has_counterexample, err);
    if (s)
        return s;
    out->holds = out->has_counterexample ? AT_FALSE : AT_UNKNOWN;
    if (!out->has_counterexample)
        out->note = "the generator failed on a prompt on which the plain decoder is right";
    return AT_OK;
}
