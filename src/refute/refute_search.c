/* refute_search.c: the fallback for anything: walk towards the decision boundary.
 *
 * From an input (of the task, at random or near its boundary; of a chain, a prompt) one row at a time is exchanged for the row
 * that another input has there; real coordinates may go part of the way. A change is kept when it lowers the *margin* of the
 * right answer: how far the readout is from saying something else, at the position where that is least. No gradient is
 * needed, so any model and any arithmetic will do. A walk that has not gone down for PATIENCE changes begins again elsewhere; below
 * zero the model is wrong, and that is one failing input, no pair.
 *
 *   argmax            value of the right answer less the largest other
 *   sign, threshold   distance from the threshold, negative on the wrong side
 *   round             1/2 less the distance from the right integer
 *   raw               tolerance less the distance
 *   chains            the least margin of the rows that are written, negative when they are wrong */
#include "refute_internal.h"

#include <math.h>
#include <string.h>

#define PATIENCE 64

typedef struct {
    const at_subject *s;
    const at_refute_env *env;
    double cost; /* of an input */
    int W;
    double *x, *donor; /* (length_max, W) */
    int n, donor_n;
    at_rng rng;
    uint64_t draws;
} walk;

/* ---- margins ----------------------------------------------------------------------------------------------- */

/* How far position i is from being wrong. */
static double margin_at(const at_subject *s, const at_answer *y, int i)
{
    const at_readout *r = &s->m->readout;
    const double *value = y->value + (size_t)i * (size_t)y->values;
    const double *right = y->right + (size_t)i * (size_t)y->width;
    double least = INFINITY, square = 0;
    for (int k = 0; k < y->values; k++) {
        double v = value[k], m = INFINITY;
        if (r->kind == AT_READ_ARGMAX) {
            if (!(right[0] >= 0 && right[0] < y->values))
                return -1; /* an answer that the model cannot give */
            m = k == (int)right[0] ? INFINITY : value[(int)right[0]] - v;
        } else if (r->kind == AT_READ_SIGN || r->kind == AT_READ_THRESHOLD) {
            double over = v - (r->kind == AT_READ_SIGN ? 0 : r->threshold);
            m = right[k] > 0.5 ? over : -over;
        } else if (r->kind == AT_READ_ROUND)
            m = 0.5 - fabs(v - right[k]);
        else
            square += (v - right[k]) * (v - right[k]);
        least = m < least ? m : least;
    }
    return at_read_numbers(r->kind) ? s->tolerance - sqrt(square) : least;
}

/* The least margin of the right answer; at most 0 exactly when the answer is wrong. */
static at_status margin_of(const walk *w, const double *x, int n, double *out, at_err *err)
{
    at_arena a;
    at_answer y;
    at_arena_init(&a);
    at_status st = at_subject_answer(w->s, &(at_input){n, x}, &a, &y, err);
    if (!st) {
        *out = w->s->chain ? fabs(y.value[0]) : INFINITY;
        for (int i = 0; w->s->task && i < y.n; i++)
            *out = fmin(*out, margin_at(w->s, &y, i));
        if (y.correct)
            *out = fmax(*out, 0x1p-1000);
        else
            *out = w->s->chain ? -1 : fmin(*out, 0);
    }
    at_arena_release(&a);
    return st;
}

/* ---- steps ---------------------------------------------------------------------------------------------------- */

/* Row i of to becomes that of from, or part of the way where numbers are real. */
static void row_take(walk *w, const double *from, double *to)
{
    bool part = at_rng_below(&w->rng, 2);
    double share = at_rng_unit(&w->rng);
    for (int f = 0; f < w->s->m->n_fields; f++) {
        const at_field *field = &w->s->m->fields[f];
        int n = at_field_width(field);
        for (int k = 0; k < n; k++)
            to[k] = field->kind == AT_FIELD_REAL && part ? (1 - share) * to[k] + share * from[k] : from[k];
        to += n, from += n;
    }
}

/* Is this an input of the task, or a prompt? Tasks whose rows depend on one another are left by some changes. */
static bool input_holds(const walk *w, const double *x, int n)
{
    at_err no = {0};
    if (at_input_check(w->s->m, &(at_input){n, x}, &no))
        return false;
    if (!w->s->chain)
        return !w->s->task->holds || w->s->task->holds(w->s->params, x);
    double *rows = at_calloc((size_t)w->s->chain->rows_max(w->s->self) * (size_t)w->W, sizeof *rows);
    int count;
    bool holds = rows && !w->s->chain->answer(w->s->self, x, n, rows, &count, &no);
    at_free(rows);
    return holds;
}

/* One walk: *margin is where it ended; w->x the input there. */
static at_status walk_down(walk *w, double *y, double *margin, uint64_t *states, at_err *err)
{
    size_t W = (size_t)w->W;
    at_status st = subject_draw(w->s, w->env->seed, w->draws++, w->x, &w->n, err);
    if (!st)
        st = margin_of(w, w->x, w->n, margin, err);
    ++*states;
    for (int idle = 0; /* the empty word has no row to change */
         !st && w->n > 0 && *margin > 0 && idle < PATIENCE &&
         !at_refute_over(w->env, *states, (double)*states * w->cost);
         idle++) {
        st = subject_draw(w->s, w->env->seed, w->draws++, w->donor, &w->donor_n, err);
        if (st || w->donor_n != w->n)
            continue;
        memcpy(y, w->x, (size_t)w->n * W * sizeof *y);
        for (int changes = 1 + (int)at_rng_below(&w->rng, 2); changes-- > 0;) {
            size_t to = (size_t)at_rng_below(&w->rng, (uint64_t)w->n) * W, from = to;
            if (w->s->task && w->s->task->symmetric)
                from = (size_t)at_rng_below(&w->rng, (uint64_t)w->n) * W;
            row_take(w, w->donor + from, y + to);
        }
        if (!input_holds(w, y, w->n))
            continue;
        double m;
        st = margin_of(w, y, w->n, &m, err);
        ++*states;
        if (!st && m < *margin) {
            memcpy(w->x, y, (size_t)w->n * W * sizeof *y);
            *margin = m;
            idle = -1;
        }
    }
    return st;
}

static at_status fits(const at_subject *s, at_err *why)
{
    if (subject_listed(s))
        return at_fail(why, AT_EREFUSED, "nothing is known beside the cases of a file");
    return AT_OK; /* at_subject_check was asked before */
}

static at_status search(const at_subject *s, const at_refute_env *env, at_arena *a, at_pair *out, at_err *err)
{
    *out = (at_pair){.bits = NAN};
    if (!(env->work > 0) && !env->states)
        return at_fail(err, AT_EBUDGET, "a search without an end: give it work, or a number of inputs");
    walk w = {.s = s,
              .env = env,
              .cost = work_of_input(s),
              .W = subject_row(s),
              .rng = at_rng_at(env->seed, 0x73656172u)};
    size_t numbers = (size_t)subject_length_max(s) * (size_t)w.W;
    double *y = at_new(a, double, numbers), margin = INFINITY, least = INFINITY;
    w.x = at_new(a, double, numbers);
    w.donor = at_new(a, double, numbers);
    if (!y || !w.x || !w.donor)
        return at_oom(err);
    uint64_t walks = 0;
    while (!at_refute_over(env, out->states, out->work)) {
        at_status st = walk_down(&w, y, &margin, &out->states, err);
        out->work = (double)out->states * w.cost;
        if (st)
            return st;
        walks++;
        least = fmin(least, margin);
        at_progress_tick(env->progress, "search near the boundary",
                         env->work > 0 ? out->work : (double)out->states,
                         env->work > 0 ? env->work : (double)env->states);
        if (margin <= 0) {
            out->x[0] = (at_input){w.n, w.x};
            out->note = at_arena_printf(a, "wrong after %ju walk%s towards the boundary", (uintmax_t)walks,
                                        walks == 1 ? "" : "s");
            return out->note ? AT_OK : at_oom(err);
        }
    }
    return at_fail(err, AT_EBUDGET,
                   "%ju walk%s towards the boundary, %ju inputs: all right, the least margin %.3g",
                   (uintmax_t)walks, walks == 1 ? "" : "s", (uintmax_t)out->states, least);
}

const at_refuter refuter_search = {
    .id = "search",
    .about = "anything: one row after the other is changed so that the right answer's margin falls",
    .fits = fits,
    .search = search,
    .single = true,
};
