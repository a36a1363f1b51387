/* pair_shrink.c: a pair made simpler while it remains one.
 *
 * Rows where the two differ are made equal where they can be, numbers that do not matter become the smallest of their size;
 * every candidate is verified as the pair was. A single wrong input goes through the task's own simpler ones. */
#include "refute_internal.h"

#include <math.h>
#include <string.h>

typedef struct {
    const at_subject *s;
    bool single;
    uint64_t runs; /* left */
    at_arena scratch;
    size_t numbers; /* of an input */
    double *x[2];   /* the best so far */
    double *y[2];   /* a candidate */
    int n;
} shrinking;

static bool over(const shrinking *k)
{
    return !k->runs || at_cancel_pending();
}

/* Is the candidate of use still? Then it is the best. */
static at_status candidate_try(shrinking *k, bool *taken, at_err *err)
{
    at_pair p = {.x = {{k->n, k->y[0]}, {k->n, k->y[1]}}};
    at_answer answer[2];
    at_tri is = AT_FALSE;
    at_err quiet = {0};
    at_mark mark = at_arena_mark(&k->scratch);
    *taken = false;
    k->runs--;
    at_status s = AT_OK;
    if (!at_input_check(k->s->m, &p.x[0], &quiet) &&
        (k->single || !at_input_check(k->s->m, &p.x[1], &quiet))) {
        s = k->single ? at_subject_answer(k->s, &p.x[0], &k->scratch, &answer[0], &quiet)
                      : at_pair_verify(k->s, &p, &k->scratch, &is, answer, NULL, &quiet);
        *taken = !s && (k->single ? !answer[0].correct : is == AT_TRUE);
        if (s == AT_EINPUT || s == AT_EDOMAIN) /* no input of the task */
            s = AT_OK;
        else if (s)
            at_fail(err, s, "%s", quiet.text);
    }
    at_arena_reset(&k->scratch, mark);
    for (int i = 0; i < 2 && *taken; i++)
        memcpy(k->x[i], k->y[i], k->numbers * sizeof(double));
    return s;
}

static void candidate_begin(shrinking *k)
{
    for (int i = 0; i < 2; i++)
        memcpy(k->y[i], k->x[i], k->numbers * sizeof(double));
}

/* One pass over the numbers; *again: something became simpler. Numbers are tried as 0 and, where both inputs differ, as
 * equal. */
static at_status numbers_pass(shrinking *k, bool *again, at_err *err)
{
    at_status s = AT_OK;
    for (size_t at = 0; at < k->numbers && !s && !over(k); at++) {
        bool taken = false;
        if (!k->single && k->x[0][at] != k->x[1][at]) {
            candidate_begin(k);
            k->y[1][at] = k->y[0][at];
            s = candidate_try(k, &taken, err);
        } else if (k->x[0][at] != 0) {
            candidate_begin(k);
            k->y[0][at] = k->y[1][at] = 0;
            s = candidate_try(k, &taken, err);
        }
        *again = *again || taken;
    }
    return s;
}

static at_status simpler_pass(shrinking *k, bool *again, at_err *err)
{
    const at_task *t = k->s->task;
    at_status s = AT_OK;
    if (!k->single || !t || !t->simpler)
        return AT_OK;
    candidate_begin(k);
    for (int i = 0; !s && !over(k) && t->simpler(k->s->params, k->x[0], k->n, i, k->y[0]); i++) {
        bool taken;
        s = candidate_try(k, &taken, err);
        if (taken) {
            *again = true;
            i = -1;
        }
    }
    return s;
}

at_status pair_shrink(const at_subject *s, bool single, uint64_t runs, at_arena *a, at_pair *p, at_err *err)
{
    if (!single && p->x[0].n != p->x[1].n)
        return AT_OK;
    shrinking k = {.s = s, .single = single, .runs = runs, .n = p->x[0].n};
    k.numbers = (size_t)k.n * (size_t)subject_row(s);
    at_arena_init(&k.scratch);
    for (int i = 0; i < 2; i++) {
        k.x[i] = at_new(a, double, k.numbers);
        k.y[i] = at_new(a, double, k.numbers);
        if (!k.x[i] || !k.y[i])
            return at_oom(err);
        memcpy(k.x[i], p->x[single ? 0 : i].v, k.numbers * sizeof(double));
    }
    at_status bad = AT_OK;
    for (bool again = true; again && !bad && !over(&k);) {
        again = false;
        bad = simpler_pass(&k, &again, err);
        if (!bad && (!single || !s->task || !s->task->simpler))
            bad = numbers_pass(&k, &again, err);
    }
    at_arena_release(&k.scratch);
    if (!bad)
        for (int i = 0; i < (single ? 1 : 2); i++)
            p->x[i] = (at_input){k.n, k.x[i]};
    return bad;
}
