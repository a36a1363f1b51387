/* ties.c: does a check rest on hard choices that rounding may turn?
 *
 * A model of leftmost-, rightmost- or average-hard attention can be right on every input only because rounding broke its ties
 * well: in another order of the same sums it would be wrong. So when such a model was right in f32, f64 or at p bits,
 * some of the inputs are run once more with the rounding errors of every operation enclosed (at_run_ties): all of them where
 * they are few, else evenly spaced ones, by the work that it takes and not by a clock. */
#include "check_internal.h"

#include <pthread.h>
#include <stdio.h>

#define LOOK_WORK   1e7 /* operations on balls: a second or two */
#define LOOKS_LEAST 4
#define LOOKS_MOST  4096

static bool is_hard(const at_model *m)
{
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            if (at_weighting_hard(m->blocks[b].groups[g].weighting))
                return true;
    return false;
}

static uint64_t looks_of(const at_model *m, int n, uint64_t total)
{
    double T = m->n_prefix + n + m->n_suffix, cost = T * (double)m->n_weights;
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++) {
            const at_group *a = &m->blocks[b].groups[g];
            cost += T * T * a->heads * (a->dk + a->dv);
        }
    double looks = LOOK_WORK / cost;
    looks = looks < LOOKS_LEAST ? LOOKS_LEAST : looks > LOOKS_MOST ? LOOKS_MOST : looks;
    return (double)total < looks ? total : (uint64_t)looks;
}

static at_status note_add(at_verdict *v, const char *text, at_arena *a, at_err *err)
{
    char both[512];
    snprintf(both, sizeof both, "%s%s%s", v->note ? v->note : "", v->note ? "; " : "", text);
    v->note = at_arena_strdup(a, both);
    return v->note ? AT_OK : at_oom(err);
}

typedef struct {
    const at_model *m;
    at_arith arith;
    const at_check_env *env;
    uint64_t total, looks, finished;
    ties_input *make;
    void *ctx;
    at_ties *found; /* (looks) */
    at_err err;
    pthread_mutex_t lock;
} watch;

static void look(void *ctx, size_t k, int worker)
{
    watch *w = ctx;
    at_input x;
    at_err err = {0};
    pthread_mutex_lock(&w->lock);
    bool over = w->err.code;
    pthread_mutex_unlock(&w->lock);
    if (over)
        return;
    at_status s = at_cancel_pending() ? at_fail(&err, AT_ECANCEL, "interrupted") : AT_OK;
    if (!s)
        s = w->make(w->ctx, (uint64_t)((unsigned __int128)k * w->total / w->looks), worker, &x, &err);
    if (!s)
        s = at_run_ties(w->m, w->arith, &x, &w->found[k], &err);
    pthread_mutex_lock(&w->lock);
    if (s)
        at_fail(&w->err, s, "%s", err.text);
    else if (w->env)
        at_progress_tick(w->env->progress, "hard choices", (double)++w->finished, (double)w->looks);
    pthread_mutex_unlock(&w->lock);
}

/* Of each look into its own slot, whoever looks. */
static at_status looks_do(watch *w, at_err *err)
{
    pthread_mutex_init(&w->lock, NULL);
    at_status s = at_parallel(pieces_workers(w->env), w->looks, look, w, err);
    pthread_mutex_destroy(&w->lock);
    return s ? s : w->err.code ? at_fail(err, w->err.code, "%s", w->err.text) : AT_OK;
}

static at_status found_say(const watch *w, at_arena *a, at_verdict *v, at_err *err)
{
    char text[256];
    const at_ties *first = NULL;
    uint64_t turns = 0;
    for (uint64_t k = 0; k < w->looks; k++)
        if (w->found[k].unsure && !turns++)
            first = &w->found[k];
    if (!turns) {
        snprintf(text, sizeof text, "no hard choice hangs on rounding (%s%ju inputs looked at)",
                 w->looks == w->total ? "all " : "", (uintmax_t)w->looks);
        return note_add(v, text, a, err);
    }
    if (v->evidence == AT_EV_EXACT)
        v->evidence = AT_EV_SAMPLED; /* of the orders in which sums can be rounded, one */
    snprintf(text, sizeof text,
             "rounding may turn a hard choice on %ju of %ju inputs looked at, first in block %d, group %d, "
             "head %d, row %d",
             (uintmax_t)turns, (uintmax_t)w->looks, first->block, first->group, first->head,
             first->query + 1);
    return note_add(v, text, a, err);
}

at_status ties_look(const at_model *m, at_arith arith, int n, uint64_t total, const at_check_env *env,
                    ties_input *make, void *ctx, at_arena *a, at_verdict *v, at_err *err)
{
    if (!is_hard(m) || arith.kind == AT_BALL || arith.kind == AT_EXACT)
        return AT_OK; /* balls have decided, or not, already */
    watch w = {.m = m,
               .arith = arith,
               .env = env,
               .total = total,
               .looks = looks_of(m, n, total),
               .make = make,
               .ctx = ctx};
    w.found = at_calloc(w.looks, sizeof *w.found);
    at_status s = w.found ? looks_do(&w, err) : at_oom(err);
    if (!s)
        s = found_say(&w, a, v, err);
    at_free(w.found);
    return s;
}
