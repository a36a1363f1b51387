/* pieces.c: work in pieces with fixed bounds.
 *
 * Piece k is the same work whoever does it, and pieces are merged in order, so a verdict does not depend
 * on threads, on interruptions, or on what was finished before. When piece k fails, later pieces are not
 * begun and those already done are ignored: the verdict speaks of everything up to the first failure. Where all
 * are asked for, none is left out, and the first failure is still that of the first failing piece. */
#include "check_internal.h"

#include <math.h>
#include <pthread.h>

#define PIECE_WORK 3e7 /* about a tenth of a second of the fast executor: what kill -9 can cost */

typedef struct {
    const at_check_env *env;
    piece_run *run;
    void *ctx;
    const char *what;
    at_piece *piece; /* (n) */
    bool *done;
    uint64_t n, finished, first_bad;
    bool all;
    at_err err;
    pthread_mutex_t lock;
} board;

int pieces_workers(const at_check_env *env)
{
    int n = env && env->threads > 0 ? env->threads : at_cores();
    return n > 256 ? 256 : n;
}

uint64_t piece_inputs(double cost)
{
    double n = PIECE_WORK / cost;
    return n < 1 ? 1 : n > 1e7 ? 10000000 : (uint64_t)n;
}

bool piece_fail(at_piece *out, uint64_t i, bool go_on)
{
    if (!out->wrong++)
        out->bad = (int64_t)i;
    return !go_on;
}

static void board_do(void *ctx, size_t k, int worker)
{
    board *b = ctx;
    at_err err = {0};
    at_piece p = {0, INFINITY, -1, 0};
    pthread_mutex_lock(&b->lock);
    bool skip = b->err.code || k > b->first_bad;
    if (!skip && at_cancel_pending())
        skip = at_fail(&b->err, AT_ECANCEL, "interrupted") != AT_OK;
    bool known = !skip && b->env && b->env->have && b->env->have(b->env->ctx, k, &p);
    pthread_mutex_unlock(&b->lock);
    if (skip)
        return;
    at_status s = known ? AT_OK : b->run(b->ctx, k, worker, &p, &err);
    pthread_mutex_lock(&b->lock);
    if (!s && !known && b->env && b->env->done)
        s = b->env->done(b->env->ctx, k, &p, &err);
    if (s)
        at_fail(&b->err, s, "%s", err.text);
    else {
        b->piece[k] = p;
        b->done[k] = true;
        if (p.bad >= 0 && k < b->first_bad && !b->all)
            b->first_bad = k;
        b->finished++;
        if (b->env)
            at_progress_tick(b->env->progress, b->what, (double)b->finished, (double)b->n);
    }
    pthread_mutex_unlock(&b->lock);
}

at_status pieces_run(uint64_t n, const at_check_env *env, const char *what, bool all, piece_run *run,
                     void *ctx, at_piece *total, at_err *err)
{
    board b = {.env = env, .run = run, .ctx = ctx, .what = what, .n = n, .first_bad = UINT64_MAX, .all = all};
    b.piece = at_calloc(n, sizeof *b.piece);
    b.done = at_calloc(n, sizeof *b.done);
    at_status s = b.piece && b.done ? AT_OK : at_oom(err);
    if (!s) {
        pthread_mutex_init(&b.lock, NULL);
        s = at_parallel(pieces_workers(env), n, board_do, &b, err);
        pthread_mutex_destroy(&b.lock);
    }
    if (!s && b.err.code)
        s = at_fail(err, b.err.code, "%s", b.err.text);
    *total = (at_piece){0, INFINITY, -1, 0};
    for (uint64_t k = 0; k < n && !s && (all || total->bad < 0); k++) {
        const at_piece *p = &b.piece[k];
        if ((p->bad >= 0) != (p->wrong > 0)) /* someone kept it, and may be a stranger */
            s = at_fail(err, AT_EINPUT, "a kept piece counts %ju failures, the first of them %jd",
                        (uintmax_t)p->wrong, (intmax_t)p->bad);
        total->inputs += p->inputs;
        total->wrong += p->wrong;
        total->margin = fmin(total->margin, p->margin);
        if (total->bad < 0)
            total->bad = p->bad;
    }
    at_free(b.piece);
    at_free(b.done);
    return s;
}
