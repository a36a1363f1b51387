/* compile_dp_states.c: which state comes next, and in which row a state stands. */
#include "compile_dp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A bound of counter m, in terms of the counters in `at`. */
static at_var bound(dp_compiler *c, const at_dpx *e, const at_var *at)
{
    at_var keep[AT_DP_MAX];
    bool away = c->away;
    c->away = true;
    memcpy(keep, c->next, sizeof keep);
    memcpy(c->next, at, sizeof keep);
    at_var v = dpc_translate(c, e);
    memcpy(c->next, keep, sizeof keep);
    c->away = away;
    return v;
}

/* Step 1. Returns whether this row holds the last state. */
at_var dpc_next_state(dp_compiler *c)
{
    at_program *P = c->P;
    int n = c->d->n_counters;
    const int64_t *first = c->x->state, *last = c->x->state + (c->x->n_states - 1) * n;
    at_var end[AT_DP_MAX], moves[AT_DP_MAX], now[AT_DP_MAX], is_last = at_const(P, 1);
    at_var started = at_at_least(P, "started", c->state[0], 1);
    for (int m = 0; m < n; m++) {
        dpc_place_name(c, &c->d->counters[m].name);
        end[m] =
            at_equals(P, dpc_fresh(c), at_sub(P, bound(c, c->d->counters[m].hi, c->state), c->state[m]), 0);
        is_last = at_and(P, dpc_fresh(c), is_last, at_equals(P, dpc_fresh(c), c->state[m], (double)last[m]));
    }
    memcpy(now, c->state, sizeof now);
    moves[n - 1] = at_const(P, 1);
    for (int m = n - 2; m >= 0; m--) { /* counter m moves when all inner ones are at their end */
        dpc_place_name(c, &c->d->counters[m].name);
        moves[m] = at_and(P, dpc_fresh(c), moves[m + 1], end[m + 1]);
    }
    for (int m = 0; m < n; m++) {
        at_var low = bound(c, c->d->counters[m].lo, now);
        dpc_place_name(c, &c->d->counters[m].name);
        at_var step = at_select(P, dpc_fresh(c), end[m], low, at_sum(P, NULL, AT_VEC(c->state[m]), NULL, 1));
        now[m] = at_select(P, dpc_fresh(c), moves[m], step, c->state[m]);
    }
    for (int m = 0; m < n; m++) {
        dpc_place_name(c, &c->d->counters[m].name);
        c->next[m] =
            at_select(P, c->d->counters[m].name.name, started, now[m], at_const(P, (double)first[m]));
    }
    return is_last;
}

static bool depends_on_counters(const at_dpx *e)
{
    if (e->op == AT_DPX_COUNTER)
        return true;
    for (int k = 0; k < 3 && e->arg[k]; k++)
        if (depends_on_counters(e->arg[k]))
            return true;
    return false;
}

/* A table: the number of states whose first counter is below i, for every i from lo to hi. */
static at_var offset_table(dp_compiler *c, at_var i)
{
    at_var_info r = at_program_var(c->P, i);
    size_t n = (size_t)(r.hi - r.lo) + 1;
    double *t = at_calloc(n, sizeof *t);
    if (!t) {
        at_program_oom(c->P);
        return -1;
    }
    int64_t s = 0; /* states are in order, so those below are the first s */
    for (size_t k = 0; k < n; k++) {
        while (s < c->x->n_states && (double)c->x->state[s * c->d->n_counters] < r.lo + (double)k)
            s++;
        t[k] = (double)s;
    }
    at_var v = at_table(c->P, dpc_fresh(c), i, t);
    at_free(t);
    return v;
}

/* Is that number q[0] + q[1] i + q[2] i^2 for every i that occurs? That is so for triangles. And is position i seen
 * whenever a state of line i or later is computed, so that its square can be looked up? The row before the first state
 * of line i is at position n + 1 + offset. */
static bool offset_quadratic(const dp_compiler *c, double q[3])
{
    const at_dp_instance *x = c->x;
    int n = c->d->n_counters;
    double first = (double)x->state[0], at[3] = {0};
    int lines = 0;
    q[0] = q[1] = q[2] = 0;
    for (int64_t s = 0; s < x->n_states; s++) {
        if (s > 0 && x->state[s * n] == x->state[(s - 1) * n])
            continue;
        double i = (double)x->state[s * n], want = (double)s;
        if (i > (double)(x->n_input + 1 + s))
            return false;
        if (lines < 3)
            at[lines] = want;
        lines++;
        if (lines == 3) { /* Newton's form through the first three lines */
            double d1 = at[1] - at[0], d2 = (at[2] - 2 * at[1] + at[0]) / 2;
            q[2] = d2;
            q[1] = d1 - d2 * (2 * first + 1);
            q[0] = at[0] - d1 * first + d2 * first * (first + 1);
        }
        if (lines >= 3 && q[0] + q[1] * i + q[2] * i * i != want)
            return false;
    }
    return lines >= 3;
}

/* of: what people call it. */
static at_var square_copy(dp_compiler *c, const char *of, at_var v)
{
    char label[AT_NAME_MAX + 1];
    snprintf(label, sizeof label, "square of %.40s", of);
    at_program_label(c->P, label);
    at_var got = at_copy_square(c->copier, dpc_fresh(c), v);
    at_program_label(c->P, NULL);
    return got;
}

/* The square of counter m of the next state, looked up once. */
static at_var counter_square(dp_compiler *c, int m)
{
    if (c->square[m] < 0)
        c->square[m] = square_copy(c, c->d->counters[m].name.name, c->next[m]);
    return c->square[m];
}

/* The square of e, whose value is v: (u + k)^2 = u^2 + 2 k u + k^2 for a counter u. */
static at_var square_of(dp_compiler *c, const at_dpx *e, at_var v)
{
    const at_dpx *u = e, *shift = NULL;
    double k = 0;
    if ((e->op == AT_DPX_ADD || e->op == AT_DPX_SUB) && e->arg[0]->op == AT_DPX_COUNTER) {
        u = e->arg[0];
        shift = e->arg[1];
    }
    if (u->op != AT_DPX_COUNTER || (shift && !dpc_is_const(c, dpc_translate(c, shift), &k)))
        return square_copy(c, "an index", v);
    k = e->op == AT_DPX_SUB ? -k : k;
    return at_sum(c->P, NULL, AT_VEC(counter_square(c, u->index), c->next[u->index]), (double[]){1, 2 * k},
                  k * k);
}

/* The states before line i, where i is e. With standard attention a look-up of i^2 where that is enough, else a table
 * of sqrt(L) units. */
static at_var outer_offset(dp_compiler *c, const at_dpx *e, at_var i)
{
    double q[3];
    if (c->copy != at_copy_standard || !offset_quadratic(c, q))
        return offset_table(c, i);
    return at_sum(c->P, NULL, AT_VEC(square_of(c, e, i), i), (double[]){q[2], q[1]}, q[0]);
}

/* The number of states before the first whose first n counters are at least these. */
static int64_t states_before(const at_dp_instance *x, const double *prefix, int n)
{
    int64_t lo = 0, hi = x->n_states;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        const int64_t *row = x->state + mid * x->d->n_counters;
        int m = 0;
        while (m < n && (double)row[m] == prefix[m])
            m++;
        if (m < n && (double)row[m] < prefix[m])
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Counters 0..n-1 packed into one number: it is 0 at their least values, and counts the box that holds them all. */
typedef struct {
    int n;
    double least[AT_DP_MAX], extent[AT_DP_MAX], stride[AT_DP_MAX];
} packing;

static packing packing_of(const at_dp_instance *x, int n)
{
    packing p = {.n = n};
    double stride = 1;
    for (int m = n - 1; m >= 0; m--) {
        int64_t least = x->state[m], most = least;
        for (int64_t s = 0; s < x->n_states; s++) {
            int64_t u = x->state[s * x->d->n_counters + m];
            least = u < least ? u : least;
            most = u > most ? u : most;
        }
        p.least[m] = (double)least;
        p.extent[m] = (double)(most - least + 1);
        p.stride[m] = most > least ? stride : 0; /* of a single value nothing depends */
        stride *= p.extent[m];
    }
    return p;
}

/* The states before those with these first counters, from a table of what they are packed into. */
static at_var packed_offset(dp_compiler *c, const packing *p, const at_var *at)
{
    enum { TABLE = 1 << 20 };
    double c0 = 0;
    for (int m = 0; m < p->n; m++)
        c0 -= p->stride[m] * p->least[m];
    at_var packed = at_sum(c->P, NULL, (at_vec){p->n, at}, p->stride, c0);
    at_var_info r = at_program_var(c->P, packed);
    double n = r.hi - r.lo + 1, total = 1;
    for (int m = 0; m < p->n; m++)
        total *= p->extent[m];
    if (packed < 0)
        return -1;
    if (n > TABLE)
        return dpc_fail(c, c->d->counters[c->d->hidden].name.line, c->d->counters[c->d->hidden].name.column,
                        "ranges depend on counters that have %.0f values together; compiled are at most %d",
                        n, TABLE);
    double *t = at_calloc((size_t)n, sizeof *t);
    if (!t) {
        at_program_oom(c->P);
        return -1;
    }
    for (int k = 0; k < (int)n; k++) {
        double left = fmin(fmax(r.lo + k, 0), total - 1), prefix[AT_DP_MAX];
        for (int m = 0; m < p->n; m++) {
            double digit = p->stride[m] > 0 ? floor(left / p->stride[m]) : 0;
            left -= digit * p->stride[m];
            prefix[m] = p->least[m] + digit;
        }
        t[k] = (double)states_before(c->x, prefix, p->n);
    }
    at_var v = at_table(c->P, dpc_fresh(c), packed, t);
    at_free(t);
    return v;
}

/* The rank where ranges depend on earlier counters: those behind the last such range count as on an odometer. */
static at_var rank_by_table(dp_compiler *c, const at_var *at)
{
    const at_dp *d = c->d;
    int m = d->n_counters - 1, n = 0;
    double stride = 1, c0 = 0, coef[AT_DP_MAX + 2];
    at_var parts[AT_DP_MAX + 2];
    for (; !depends_on_counters(d->counters[m].lo) && !depends_on_counters(d->counters[m].hi); m--) {
        double lo = 0, hi = 0;
        dpc_is_const(c, bound(c, d->counters[m].lo, at), &lo);
        dpc_is_const(c, bound(c, d->counters[m].hi, at), &hi);
        parts[n] = at[m];
        coef[n++] = stride;
        c0 -= stride * lo;
        stride *= hi - lo + 1;
    }
    packing p = packing_of(c->x, m); /* counter 0 depends on none, so m > 0 */
    parts[n] = at[m];
    coef[n++] = stride;
    parts[n] = bound(c, d->counters[m].lo, at);
    coef[n++] = -stride;
    parts[n] = packed_offset(c, &p, at);
    coef[n++] = 1;
    return at_sum(c->P, NULL, (at_vec){n, parts}, coef, c0);
}

/* Step 2: the rank of a state, 0-based, as a function of its counters: at, the values of the expressions e. */
at_var dpc_rank(dp_compiler *c, at_dpx *const *e, const at_var *at)
{
    const at_dp *d = c->d;
    int n = d->n_counters;
    bool linear = true;
    for (int m = 0; m < n; m++)
        linear = linear && !depends_on_counters(d->counters[m].lo) && !depends_on_counters(d->counters[m].hi);
    if (!linear && n == 2) { /* offset of the outer counter, then the place inside */
        at_var low = bound(c, d->counters[1].lo, at);
        return at_sum(c->P, NULL, AT_VEC(outer_offset(c, e[0], at[0]), at[1], low), (double[]){1, 1, -1}, 0);
    }
    if (!linear)
        return rank_by_table(c, at);
    double stride = 1, coef[AT_DP_MAX], c0 = 0;
    for (int m = n - 1; m >= 0; m--) {
        double lo, hi;
        if (!dpc_is_const(c, bound(c, d->counters[m].lo, at), &lo) ||
            !dpc_is_const(c, bound(c, d->counters[m].hi, at), &hi))
            return -1;
        coef[m] = stride;
        c0 -= stride * lo;
        stride *= hi - lo + 1;
    }
    return at_sum(c->P, NULL, (at_vec){n, at}, coef, c0);
}
