/* shrink.c: a failing input is made short and simple, and every step is re-run by the reference. */
#include "check_internal.h"

#include <math.h>
#include <string.h>

#define SHORT       64  /* positions: shorter inputs lose them one by one only */
#define SHRINK_WORK 3e9 /* as at_input_cost has it: some seconds */

typedef struct {
    const at_model *m;
    const at_task *t;
    const at_question *q;
    at_params p; /* N follows the length */
    int row, out;
} trial;

/* What is wrong at position i: the component that is furthest off (real answers), or the first that is
 * decided and differs. Unknown: no component is known to be wrong. */
static void trial_describe(const trial *t, const outcome *y, int i, const double *answer, int n,
                           at_counterexample *cx)
{
    double worst = -1;
    bool all = true;
    cx->n = n;
    cx->position = t->t->last ? n - 1 : i;
    cx->unknown = true;
    for (int at = i * t->out; at < (i + 1) * t->out; at++) {
        double off = t->t->real ? fabs(y->decision[at] - answer[at]) : y->decision[at] != answer[at];
        bool decided = y->decided[at] == AT_TRUE && (t->t->real || y->margin[at] > 0);
        all = all && decided;
        if (!t->t->real && !decided)
            off = 0.5;         /* shown only when nothing is known to be wrong */
        if (!(off <= worst)) { /* also NaN */
            worst = off;
            cx->expected = answer[at];
            cx->got = y->decision[at];
            cx->margin = y->margin[at];
            cx->unknown = !decided || off == 0;
        }
    }
    if (answer_is_fractions(t->t, t->q))
        cx->unknown = false;
    else if (t->t->real) /* a ball that reaches into the tolerance decides nothing */
        cx->unknown = !all || answer_distance(y, i, t->out, answer, false) <= t->q->tolerance;
}

/* Does x (n positions) fail under the reference? Fills in cx when it does. */
static at_status trial_run(trial *t, const double *x, int n, at_counterexample *cx, bool *fails, at_err *err)
{
    *fails = false;
    at_err quiet = {0};
    if (at_params_set(&t->p, "N", n, &quiet) || (t->t->validate && t->t->validate(&t->p, &quiet)))
        return AT_OK; /* not an input of the task */
    if (t->t->row_width(&t->p) != t->row)
        return AT_OK; /* rows are as wide as the input is long: none is left out */
    at_input in = {n, x};
    if (at_input_check(t->m, &in, &quiet) || (t->t->holds && !t->t->holds(&t->p, x)))
        return AT_OK;
    at_arena a;
    at_arena_init(&a);
    outcome o;
    int i = -1;
    double margin = INFINITY, *answer = at_new(&a, double, (n ? n : 1) * t->out); /* the empty word has one */
    at_status s =
        answer ? answer_try(t->m, t->t, &t->p, t->q, &in, &a, &o, answer, &margin, &i, err) : at_oom(err);
    if (!s) {
        *fails = i >= 0;
        if (i >= 0)
            trial_describe(t, &o, i, answer, n, cx);
        for (int k = i + 1; *fails && cx->unknown && k < o.positions; k++) { /* one that is sure says more */
            at_counterexample other = *cx;
            trial_describe(t, &o, k, answer, n, &other);
            if (!other.unknown)
                *cx = other;
        }
    }
    at_arena_release(&a);
    return s;
}

/* The failing input that is made simpler, in place. */
typedef struct {
    trial t;
    at_counterexample *cx;
    double *best, *next; /* (n, row) */
    int n;
    bool sure;   /* it surely fails; then only inputs that surely fail are simpler ones */
    double work; /* that is left: a short input never needs all of it */
} shrinking;

/* Does `next`, of n positions, fail as surely? Then it is the best. */
static at_status simpler_try(shrinking *k, int n, bool *taken, at_err *err)
{
    bool fails;
    *taken = false;
    k->work -= at_input_cost(k->t.m, n) * AT_REFERENCE_COST;
    at_status s = trial_run(&k->t, k->next, n, k->cx, &fails, err);
    if (s || !fails || (k->sure && k->cx->unknown))
        return s;
    memcpy(k->best, k->next, (size_t)n * (size_t)k->t.row * sizeof *k->best);
    k->n = n;
    *taken = true;
    return AT_OK;
}

/* Without stretches of `size` positions, the last one first. */
static at_status stretches_drop(shrinking *k, int size, bool *any, at_err *err)
{
    size_t row = (size_t)k->t.row;
    at_status s = AT_OK;
    for (int from = k->n - size; from >= 0 && k->n > size && k->work > 0 && !s; from -= size) {
        bool taken;
        memcpy(k->next, k->best, (size_t)from * row * sizeof *k->next);
        memcpy(k->next + (size_t)from * row, k->best + (size_t)(from + size) * row,
               (size_t)(k->n - size - from) * row * sizeof *k->next);
        s = simpler_try(k, k->n - size, &taken, err);
        *any = *any || taken;
    }
    return s;
}

/* With smaller tokens, as the task says. */
static at_status tokens_lower(shrinking *k, bool *any, at_err *err)
{
    const at_task *t = k->t.t;
    at_status s = AT_OK;
    at_params_set(&k->t.p, "N", k->n, NULL);
    for (int i = 0; t->simpler && k->work > 0 && !s && t->simpler(&k->t.p, k->best, k->n, i, k->next); i++) {
        bool taken;
        s = simpler_try(k, k->n, &taken, err);
        *any = *any || taken;
        if (taken)
            i = -1;
    }
    return s;
}

at_status counterexample_shrink(const at_model *m, const at_task *t, const at_params *p, const at_question *q,
                                const double *x, int n, at_arena *a, at_counterexample *cx, bool *confirmed,
                                at_err *err)
{
    shrinking k = {.t = {.m = m, .t = t, .q = q, .p = *p, .row = t->row_width(p), .out = t->out_width(p)},
                   .cx = cx,
                   .n = n,
                   .work = SHRINK_WORK};
    size_t numbers = (size_t)n * (size_t)k.t.row;
    k.best = at_new(a, double, numbers);
    k.next = at_new(a, double, numbers);
    if (!k.best || !k.next)
        return at_oom(err);
    memcpy(k.best, x, numbers * sizeof *k.best);
    cx->x = k.best;
    at_status s = trial_run(&k.t, k.best, n, cx, confirmed, err);
    if (s || !*confirmed || q->plain)
        return s;
    k.sure = !cx->unknown;
    bool any = true;
    for (int size = n / 2; size >= SHORT / 2 && !s; size /= 2) /* of a long input halves, quarters, ... */
        s = stretches_drop(&k, size, &any, err);
    while (any && !s) {
        any = false;
        s = stretches_drop(&k, 1, &any, err);
        if (!s)
            s = tokens_lower(&k, &any, err);
    }
    bool fails;
    return s ? s : trial_run(&k.t, k.best, k.n, cx, &fails, err);
}
