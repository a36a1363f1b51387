/* shrink.c: a failing input is made short and simple, and every step is re-run by the reference. */
#include "check_internal.h"

#include <math.h>
#include <string.h>

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
    if (t->t->real) /* a ball that reaches into the tolerance decides nothing */
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
    at_output y;
    double *answer = at_new(&a, double, (n ? n : 1) * t->out); /* the empty word has one */
    at_status s = answer ? at_run(t->m, t->q->arith, &in, NULL, &a, &y, err) : at_oom(err);
    if (!s)
        s = at_task_answer(t->t, &t->p, x, answer, err);
    if (!s) {
        double margin = INFINITY;
        outcome o = outcome_of(&y);
        int i = answer_compare(t->t, &t->p, t->q->tolerance, &o, answer, &margin);
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

at_status counterexample_shrink(const at_model *m, const at_task *t, const at_params *p, const at_question *q,
                                const double *x, int n, at_arena *a, at_counterexample *cx, bool *confirmed,
                                at_err *err)
{
    trial tr = {.m = m, .t = t, .q = q, .p = *p, .row = t->row_width(p), .out = t->out_width(p)};
    size_t row = (size_t)tr.row;
    double *best = at_new(a, double, (size_t)n *row), *next = at_new(a, double, (size_t)n *row);
    if (!best || !next)
        return at_oom(err);
    memcpy(best, x, (size_t)n * row * sizeof *best);
    at_status s = trial_run(&tr, best, n, cx, confirmed, err);
    if (s || !*confirmed)
        return s;
    bool sure = !cx->unknown; /* then only inputs that surely fail are simpler ones */
    for (bool again = true; again && !s;) {
        again = false;
        for (int drop = n - 1; drop >= 0 && n > 1 && !s; drop--) { /* without one position */
            memcpy(next, best, (size_t)drop * row * sizeof *next);
            memcpy(next + (size_t)drop * row, best + (size_t)(drop + 1) * row,
                   (size_t)(n - 1 - drop) * row * sizeof *next);
            bool fails;
            s = trial_run(&tr, next, n - 1, cx, &fails, err);
            if (!s && fails && (!sure || !cx->unknown)) {
                memcpy(best, next, (size_t)--n * row * sizeof *best);
                again = true;
            }
        }
        at_params_set(&tr.p, "N", n, NULL);
        for (int k = 0; t->simpler && !s && t->simpler(&tr.p, best, n, k, next); k++) {
            bool fails;
            s = trial_run(&tr, next, n, cx, &fails, err);
            if (!s && fails && (!sure || !cx->unknown)) {
                memcpy(best, next, (size_t)n * row * sizeof *best);
                again = true;
                k = -1;
            }
        }
    }
    if (s)
        return s;
    bool fails;
    s = trial_run(&tr, best, n, cx, &fails, err);
    cx->x = best;
    return s;
}
