/* ties.c: which scores of a hard attention are equal, proved row by row.
 *
 * The builder promises that every score below the largest of row i is below it by gap_i at least. A run has each score up to
 * an error e_i. So the maximal keys of the row lie within 2 e_i of the run's maximum, all others at least gap_i - 2 e_i below:
 *
 *     2 e_i < tie < gap_i - 2 e_i  for every row i    keys within tie of the maximum are the maximal keys, exactly
 *     tie = 0, 2 e_i < gap_i       for every row i    the key with the largest score is one of the maximal keys: enough where
 *                                                     they have one value (`unique`), or where e_i = 0
 *
 * One tie serves all rows, because a model has one. e_i has two parts: what the errors of queries and keys make of the score
 * (score_error), and the rounding of the score itself, both with the sizes that numbers have in that row. Rounding: a
 * component of a query is a linear form of terms that add up to at most S in size; it is computed with at most k operations,
 * whatever the order, fused or not, each within u, 2^-53 in f64 (Higham 2002, section 3.1), so the product of two components and
 * their sum over n components errs by at most m u/(1 - m u) sum S_q S_k, m = k_q + k_k + n + 2; the maximum less the tie, which
 * scores are compared with, is rounded as well, which 2 more make good. Integers are not rounded while they stay below 1/u,
 * nor is that difference below 1/(4u). */
#include "schedule.h"

#include <math.h>
#include <stdio.h>

/* Of a variable in one row. */
typedef struct {
    double reach; /* its size is at most this */
    double sum;   /* the sizes of the terms of its linear form, added up */
    double steps; /* operations of that form, at most */
    bool exact;   /* an integer without error, as are all terms */
} row_extent;

/* t -1: in all rows. */
static double input_reach(const at_program *P, const var *v, int t)
{
    double most = fmax(fabs(v->lo), fabs(v->hi)) + v->err;
    if (t < 0)
        return most;
    if (v->op == OP_ROWS)
        return fabs(v->table[(size_t)t * (size_t)v->stride]) + v->err;
    if (v->op == OP_POS && !at_pos_is(v->pos, AT_IS_MOVING)) /* a function of the index alone */
        return fabs(position_feature(v->pos, t + P->origin, 1)) + v->err;
    return most;
}

/* Of all variables before `end`, which only use earlier ones. */
static void extents(const at_program *P, int t, at_var end, row_extent *out)
{
    for (at_var id = 0; id < end; id++) {
        const var *v = &P->vars[id];
        row_extent *x = &out[id];
        *x = (row_extent){.reach = input_reach(P, v, t), .exact = v->integer && v->err == 0};
        x->sum = x->reach;
        x->steps = x->exact ? 0 : 2; /* what is stored is what is meant, within an ulp */
        if (v->op != OP_LINEAR)
            continue;
        double reach = fabs(v->c0) + v->err;
        x->sum = fabs(v->c0);
        x->steps = 2;
        x->exact = v->c0 == floor(v->c0);
        for (int k = 0; k < v->n_args; k++) {
            const row_extent *a = &out[v->args[k]];
            double c = fabs(v->coef[k]);
            reach += c * a->reach;
            x->sum += c * a->sum;
            x->steps += a->steps + 2; /* the coefficients of nested forms are multiplied out, rounded */
            x->exact = x->exact && a->exact && c == floor(c);
        }
        x->reach = fmin(x->reach, reach);
    }
}

/* The largest of what the keys of every row have: x (T, n), row by row; becomes the largest among the keys that a query
 * of the row may see. */
static void keys_seen(const at_mask *mask, row_extent *x, int T, int n)
{
    bool back = at_mask_is(mask->kind, AT_IS_FUTURE);
    for (int pass = 0; pass < (at_mask_is(mask->kind, AT_IS_PAST | AT_IS_FUTURE) ? 1 : 2);
         pass++, back = !back)
        for (int r = 1; r < T; r++) {
            row_extent *here = x + (size_t)(back ? T - 1 - r : r) * (size_t)n;
            const row_extent *before = x + (size_t)(back ? T - r : r - 1) * (size_t)n;
            for (int k = 0; k < n; k++) {
                here[k].reach = fmax(here[k].reach, before[k].reach);
                here[k].sum = fmax(here[k].sum, before[k].sum);
            }
        }
}

static double score_rounding(const at_program *P, const row_extent *q, const row_extent *k, int n)
{
    double size = 0, steps = 0;
    bool exact = true;
    for (int c = 0; c < n; c++) {
        size += q[c].sum * k[c].sum;
        steps = fmax(steps, q[c].steps + k[c].steps);
        exact = exact && q[c].exact && k[c].exact;
    }
    double u = (steps + n + 4) * P->unit; /* also of the maximum less the tie */
    if (P->unit > 0 && !(size <= P->fmt.max))
        return INFINITY;
    return exact && size * P->unit <= 0.25 ? 0 : u < 0.5 ? u / (1 - u) * size + n * P->fmt.norm : INFINITY;
}

at_status tie_prove(const at_program *P, at_var id, step *s, const double *e, at_err *err)
{
    const at_attention *a = &s->a;
    int T = a->gaps ? program_longest(P) : 1;
    double low = 0, high = INFINITY, least = INFINITY;
    for (int t = 0; t < T; t++) {
        double gap = a->gaps ? a->gaps[t] : a->gap;
        if (!(gap - 2 * e[t] > 0)) {
            char where[40] = "";
            if (a->gaps)
                snprintf(where, sizeof where, " at position %d", t + 1);
            return step_fail(P, &P->vars[id], err, "score error %g leaves nothing of the gap %g%s", e[t], gap,
                             where);
        }
        low = fmax(low, 2 * e[t]);
        high = fmin(high, gap - 2 * e[t]);
        least = fmin(least, gap);
    }
    s->tie = 0;
    if (at_weighting_is(a->weighting, AT_IS_ONE) && (a->unique || low == 0))
        return AT_OK;
    s->tie = least / 2;
    if (!(low < s->tie && s->tie < high))
        s->tie = low + (high - low) / 2;
    if (!(low < s->tie && s->tie < high))
        return step_fail(P, &P->vars[id], err, "score error %g breaks its ties", low / 2);
    return AT_OK;
}

at_status attention_tie(const at_program *P, at_var id, step *s, at_err *err)
{
    const at_attention *a = &s->a;
    size_t n = (size_t)a->query.n, T = a->gaps ? (size_t)program_longest(P) : 1;
    row_extent *all = at_calloc((size_t)P->n_vars + 2 * T * n, sizeof *all),
               *q = all ? all + P->n_vars : NULL, *k = q ? q + T * n : NULL;
    double *e = at_calloc(T + 2 * n, sizeof *e), *query = e ? e + T : NULL, *key = query ? query + n : NULL;
    at_status st = all && e ? AT_OK : at_oom(err);
    for (size_t t = 0; t < T && !st; t++) {
        extents(P, a->gaps ? (int)t : -1, id, all);
        for (size_t c = 0; c < n; c++) {
            q[t * n + c] = all[a->query.v[c]];
            k[t * n + c] = all[a->key.v[c]];
        }
    }
    if (!st)
        keys_seen(&a->mask, k, (int)T, a->query.n);
    for (size_t t = 0; t < T && !st; t++) {
        for (size_t c = 0; c < n; c++) {
            query[c] = q[t * n + c].reach;
            key[c] = k[t * n + c].reach;
        }
        e[t] = score_error(P, a, query, key) + score_rounding(P, q + t * n, k + t * n, a->query.n);
    }
    if (!st)
        st = tie_prove(P, id, s, e, err);
    at_free(e);
    at_free(all);
    return st;
}
