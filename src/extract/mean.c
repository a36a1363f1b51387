/* mean.c: what a layer of softmax attention does to a stream, as decisions on how many positions offer which key.
 *
 * CLAIM foc-upper. A query sees n_k positions of offer k, each with the score s_k and the value v_k, all of them numbers of a finite
 * format. The largest score that occurs, the peak, is a matter of which n_k are 0. With it the weights w_k = exp(s_k - peak), rounded, are
 * known, and the mean is the fraction N/D, N = sum w_k v_k n_k, D = sum w_k n_k > 0, rounded once. Let r < r' be neighbours in the
 * format and m the number half way between. The rounded mean is r' or more exactly if N/D > m, or N/D = m where half way goes to r', so
 *
 *     sum w_k (v_k - m) n_k >= 0   (or > 0, which for whole numbers is >= 1):
 *
 * a linear inequality whose coefficients do not depend on the length. With rounded sums they would: that is why the other p-bit
 * arithmetic is refused.
 *
 * So each number of a mean, and each peak, is an ordered row of outcomes with conditions between them. They are gone through one after
 * the other, a tree of decisions; outcomes that no counts can have (feasible.c) are left out, and neighbours with the same future are one. */
#include "extract_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STACK = 400,
    OUTCOMES = 60000
}; /* conditions on the way to an outcome; outcomes of a layer that are looked at */

/* What was decided on the way: of each query, group and head the peak; conditions that hold. */
typedef struct {
    int query, group, head, number; /* number -1: the peak is asked for; else one of the mean's */
    double peak;
    bool none; /* no key is seen */
    int n;
    condition *c; /* (STACK) */
} path;

static const at_group *group_of(const mixing *w, int g)
{
    return &at_stage_model(w->stage)->blocks[w->block].groups[g];
}

static const at_pfmt *format(const mixing *w)
{
    return at_stage_format(w->stage);
}

/* ---- where things are kept: groups side by side ------------------------------------------------------------------------------- */

static int groups(const mixing *w)
{
    return at_stage_model(w->stage)->blocks[w->block].n_groups;
}

static int wide(const mixing *w, int to, bool values)
{
    int n = 0;
    for (int g = 0; g < to; g++)
        n += group_of(w, g)->heads * (values ? group_of(w, g)->dv : group_of(w, g)->dk);
    return n;
}

static int heads(const mixing *w, int to)
{
    int n = 0;
    for (int g = 0; g < to; g++)
        n += group_of(w, g)->heads;
    return n;
}

/* (n_queries, heads of all groups, n_offers) */
static double *scores(const mixing *w, const path *p)
{
    int head = heads(w, p->group) + p->head;
    return w->score + ((size_t)p->query * (size_t)heads(w, groups(w)) + (size_t)head) * (size_t)w->n_offers;
}

static double value(const mixing *w, const path *p, int o)
{
    const at_group *g = group_of(w, p->group);
    return w->v[(size_t)wide(w, p->group, true) * (size_t)w->n_offers +
                (size_t)o * (size_t)(g->heads * g->dv) + (size_t)(p->head * g->dv + p->number)];
}

static at_status projections_make(mixing *w)
{
    const at_model *m = at_stage_model(w->stage);
    int D = m->width, all = w->n_offers > w->n_queries ? w->n_offers : w->n_queries;
    double *y = at_new(w->a, double, (size_t)(all + 1) * (size_t)D);
    int *key = at_new(w->a, int, w->n_offers + 1);
    size_t K = (size_t)wide(w, groups(w), false), V = (size_t)wide(w, groups(w), true);
    w->q = at_new(w->a, double, (size_t)w->n_queries *K + 1);
    w->k = at_new(w->a, double, (size_t)w->n_offers *K + 1);
    w->v = at_new(w->a, double, (size_t)w->n_offers *V + 1);
    w->mixed = at_new(w->a, double, (size_t)w->n_queries *V + 1);
    w->score =
        at_new(w->a, double, (size_t)w->n_queries *(size_t)heads(w, groups(w)) * (size_t)w->n_offers + 1);
    if (!y || !key || !w->q || !w->k || !w->v || !w->mixed || !w->score)
        return at_oom(w->err);
    for (int o = 0; o < w->n_offers; o++) {
        at_stage_read(w->stage, w->block, w->offers[o].x, 1, y + (size_t)o * (size_t)D);
        key[o] = o;
    }
    for (int g = 0; g < groups(w); g++)
        at_stage_project(w->stage, w->block, g, y, NULL, w->n_offers, NULL,
                         w->k + (size_t)wide(w, g, false) * (size_t)w->n_offers,
                         w->v + (size_t)wide(w, g, true) * (size_t)w->n_offers);
    for (int n = 0; n < w->n_queries; n++) {
        at_stage_read(w->stage, w->block, w->query[n], 1, y);
        for (int g = 0; g < groups(w); g++) {
            double *q = w->q + (size_t)n * K + (size_t)wide(w, g, false);
            at_stage_project(w->stage, w->block, g, y, NULL, 1, q, NULL, NULL);
            for (int h = 0; h < group_of(w, g)->heads; h++)
                at_stage_scores(w->stage, w->block, g, h, q, 0,
                                w->k + (size_t)wide(w, g, false) * (size_t)w->n_offers, NULL, key,
                                w->n_offers, scores(w, &(path){.query = n, .group = g, .head = h}));
        }
    }
    size_t all_scores = (size_t)w->n_queries * (size_t)heads(w, groups(w)) * (size_t)w->n_offers;
    for (size_t c = 0; c < all_scores + (size_t)w->n_offers * V; c++)
        if (!isfinite(c < all_scores ? w->score[c] : w->v[c - all_scores]))
            return at_fail(w->err, AT_EREFUSED,
                           "a score or a value of block %d is not finite in this arithmetic", w->block + 1);
    return AT_OK;
}

/* ---- decisions -------------------------------------------------------------------------------------------------------------- */

static const choice *keep(mixing *w, const choice *c)
{
    for (int k = 0; k < w->n_kept; k++) {
        const choice *x = w->kept[k];
        if (x->leaf == c->leaf && x->n == c->n &&
            (c->n == 0 || (memcmp(x->to, c->to, (size_t)c->n * sizeof *c->to) == 0 &&
                           memcmp(x->from + 1, c->from + 1, (size_t)(c->n - 1) * sizeof *c->from) == 0)))
            return x;
    }
    if (w->n_kept == w->room) {
        int room = w->room ? 2 * w->room : 64;
        const choice **more = at_new(w->a, const choice *, room);
        if (!more)
            return at_oom(w->err), NULL;
        if (w->n_kept)
            memcpy(more, w->kept, (size_t)w->n_kept * sizeof *more);
        w->kept = more;
        w->room = room;
    }
    choice *x = at_new(w->a, choice, 1);
    if (!x)
        return at_oom(w->err), NULL;
    *x = *c;
    x->id = w->n_kept;
    return w->kept[w->n_kept++] = x;
}

static bool hold(const path *p, int offers)
{
    return conditions_meet(p->c, p->n, offers);
}

static void negate(const mixing *w, const condition *c, condition *out)
{
    *out = (condition){.constant = -c->constant - 1};
    for (int o = 0; o < w->n_offers; o++)
        out->of[o] = -c->of[o];
}

static const choice *path_run(mixing *w, const path *p);

/* The next thing to ask. */
static path path_next(const mixing *w, const path *p)
{
    path n = *p;
    const at_group *g = group_of(w, p->group);
    if (++n.number < g->dv && !p->none)
        return n;
    n.number = -1;
    n.none = false;
    if (++n.head < g->heads)
        return n;
    n.head = 0;
    if (++n.group < groups(w))
        return n;
    n.group = 0;
    n.query++;
    return n;
}

/* A row of outcomes: condition k says that it is outcome k or a later one; of 0 nothing is said. */
typedef struct {
    int n;
    const condition *from; /* (n) */
    const double *at;      /* (n): the numbers */
} outcomes;

static const choice *outcomes_run(mixing *w, const path *p, const outcomes *o)
{
    choice c = {.leaf = -1};
    int room = o->n;
    const choice **to = at_new(w->a, const choice *, room + 1);
    condition *from = at_new(w->a, condition, room + 1);
    if (!to || !from)
        return at_oom(w->err), NULL;
    c.to = to;
    c.from = from;
    for (int k = 0; k < o->n && !w->err->code; k++) {
        path n = path_next(w, p);
        if (p->n + 2 > STACK)
            return at_fail(w->err, AT_EBUDGET, "more than %d conditions one after the other", STACK), NULL;
        n.n = p->n;
        if (k)
            n.c[n.n++] = o->from[k];
        if (k + 1 < o->n)
            negate(w, &o->from[k + 1], &n.c[n.n++]);
        if (++w->made > OUTCOMES)
            return at_fail(w->err, AT_EBUDGET,
                           "more than %d outcomes of block %d are to be looked at; take fewer bits", OUTCOMES,
                           w->block + 1),
                   NULL;
        if (!hold(&n, w->n_offers))
            continue;
        if (p->number < 0) {
            n = path_next(w, &(path){p->query, p->group, p->head, -1, o->at[k], isnan(o->at[k]), n.n, n.c});
            n.peak = o->at[k];
        } else
            w->mixed[(size_t)p->query * (size_t)wide(w, groups(w), true) + (size_t)wide(w, p->group, true) +
                     (size_t)(p->head * group_of(w, p->group)->dv + p->number)] = o->at[k];
        if (p->number < 0 && isnan(o->at[k])) /* nothing is seen: zeros */
            for (int e = 0; e < group_of(w, p->group)->dv; e++)
                w->mixed[(size_t)p->query * (size_t)wide(w, groups(w), true) +
                         (size_t)wide(w, p->group, true) +
                         (size_t)(p->head * group_of(w, p->group)->dv + e)] = 0;
        const choice *next = path_run(w, &n);
        if (!next || (c.n && to[c.n - 1] == next))
            continue;
        from[c.n] = o->from[k];
        to[c.n++] = next;
    }
    if (w->err->code || !c.n)
        return NULL;
    return c.n == 1 ? to[0] : keep(w, &c);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Which score is the largest that occurs: NaN where none does, else from the least that is possible up. */
static const choice *peak_run(mixing *w, const path *p)
{
    const double *s = scores(w, p);
    double least = -INFINITY;
    double *at = at_new(w->a, double, w->n_offers + 2);
    condition *from = at_new(w->a, condition, w->n_offers + 2);
    outcomes o = {.from = from, .at = at};
    if (!at || !from)
        return at_oom(w->err), NULL;
    for (int k = 0; k < w->n_offers; k++)
        if ((w->offers[k].some || w->offers[k].constant) && s[k] > least)
            least = s[k];
    if (least == -INFINITY)
        at[o.n++] = NAN;
    int first = o.n;
    for (int k = 0; k < w->n_offers; k++) {
        bool is_new = s[k] >= least;
        for (int c = first; c < o.n && is_new; c++)
            is_new = at[c] != s[k];
        if (is_new)
            at[o.n++] = s[k];
    }
    qsort(at + first, (size_t)(o.n - first), sizeof *at, ascending);
    for (int c = 1; c < o.n; c++) { /* some position has this score or a better one */
        from[c].constant = -1;
        for (int k = 0; k < w->n_offers; k++)
            from[c].of[k] = s[k] >= at[c] && !w->offers[k].constant;
    }
    return outcomes_run(w, p, &o);
}

/* The next number of the format. */
static double above(const at_pfmt *f, double r)
{
    if (fabs(r) < f->norm || r == -f->norm)
        return r + f->tiny;
    int e = ilogb(r);
    double step = ldexp(1, e - f->p + 1);
    return r < 0 && -r == ldexp(1, e) ? r + step / 2 : r + step;
}

static __int128 divisor(__int128 a, __int128 b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b) {
        __int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The mean is r, a number above `below`, or more: in whole numbers of units. */
static at_status half_way(mixing *w, const path *p, const double *weight, double below, double r,
                          condition *out)
{
    const at_pfmt *f = format(w);
    double middle = (below + r) / 2, unit = f->tiny / 2;
    bool also = at_p_round(f, middle) == r; /* half way goes up */
    __int128 of[OFFERS], constant = 0, g = 0;
    for (int k = 0; k < w->n_offers; k++) {
        __int128 a = (__int128)(int64_t)(weight[k] / f->tiny) * (int64_t)((value(w, p, k) - middle) / unit);
        of[k] = w->offers[k].constant ? 0 : a;
        constant += w->offers[k].constant * a;
        g = divisor(g, of[k]);
    }
    constant -= !also;
    *out = (condition){0};
    if (g > 1) {
        __int128 rest = constant % g;
        constant = constant / g - (rest < 0);
    }
    for (int k = 0; k <= w->n_offers; k++) {
        __int128 a = k < w->n_offers ? (g ? of[k] / g : 0) : constant;
        if (a > INT64_MAX / 4 || a < -INT64_MAX / 4)
            return at_fail(w->err, AT_EBUDGET,
                           "coefficients of more than 62 bits; take fewer bits, as in q4e3");
        if (k < w->n_offers)
            out->of[k] = (int64_t)a;
        else
            out->constant = (int64_t)a;
    }
    return AT_OK;
}

/* One number of a mean, from the least value of a key that weighs something to the largest. */
static const choice *number_run(mixing *w, const path *p)
{
    double weight[OFFERS], lo = INFINITY, hi = -INFINITY, r;
    const double *s = scores(w, p);
    for (int k = 0; k < w->n_offers; k++) {
        weight[k] = 0;
        if (s[k] > p->peak)
            continue;
        at_stage_weigh(w->stage, w->block, p->group, &s[k], 1, p->peak, &weight[k]);
        double v = value(w, p, k) + 0.0;
        lo = weight[k] > 0 && v < lo ? v : lo;
        hi = weight[k] > 0 && v > hi ? v : hi;
    }
    int n = 1;
    for (r = lo; r < hi; r = above(format(w), r))
        if (++n > w->most)
            return at_fail(w->err, AT_EBUDGET,
                           "a mean of block %d lies between %g and %g, where there are more than %d numbers; "
                           "take "
                           "fewer bits, as in q3e3, or --values",
                           w->block + 1, lo, hi, w->most),
                   NULL;
    double *at = at_new(w->a, double, n);
    condition *from = at_new(w->a, condition, n);
    if (!at || !from)
        return at_oom(w->err), NULL;
    r = lo;
    for (int k = 0; k < n; k++) {
        at[k] = r;
        if (k && half_way(w, p, weight, at[k - 1], r, &from[k]))
            return NULL;
        r = above(format(w), r);
    }
    return outcomes_run(w, p, &(outcomes){n, from, at});
}

/* All is decided: what the queries' streams become. */
static const choice *leaf_run(mixing *w)
{
    const at_model *m = at_stage_model(w->stage);
    int D = m->width, V = wide(w, groups(w), true), leaf;
    double *x = at_new(w->a, double, (size_t)w->n_queries *(size_t)D), *result = at_new(w->a, double, D);
    if (at_cancel_pending())
        return at_fail(w->err, AT_ECANCEL, "interrupted"), NULL;
    if (!x || !result)
        return at_oom(w->err), NULL;
    for (int n = 0; n < w->n_queries; n++) {
        memset(result, 0, (size_t)D * sizeof *result);
        memcpy(x + (size_t)n * (size_t)D, w->query[n], (size_t)D * sizeof *x);
        for (int g = 0; g < groups(w); g++)
            if (at_stage_output(w->stage, w->block, g, w->mixed + (size_t)n * (size_t)V + wide(w, g, true), 1,
                                result, w->err))
                return NULL;
        at_stage_close(w->stage, w->block, result, 1, x + (size_t)n * (size_t)D);
    }
    if (w->meet(w->own, x, &leaf, w->err))
        return NULL;
    return keep(w, &(choice){.leaf = leaf});
}

static const choice *path_run(mixing *w, const path *p)
{
    if (w->err->code)
        return NULL;
    if (p->query == w->n_queries)
        return leaf_run(w);
    return p->number < 0 ? peak_run(w, p) : number_run(w, p);
}

at_status mixing_run(mixing *w, const choice **out)
{
    path p = {.number = -1};
    if (w->n_offers > OFFERS)
        return at_fail(w->err, AT_EBUDGET, "block %d has %d different keys; at most %d are told apart",
                       w->block + 1, w->n_offers, OFFERS);
    at_status s = projections_make(w);
    if (s)
        return s;
    if (!(p.c = at_new(w->a, condition, STACK)))
        return at_oom(w->err);
    for (int k = 0; k < w->n_offers; k++)
        if (w->offers[k].some) {
            p.c[p.n] = (condition){.constant = -1};
            p.c[p.n++].of[k] = 1;
        }
    for (int k = 0; k < w->n_offers; k++) /* what is constant is in the constants */
        if (w->offers[k].constant) {
            p.c[p.n] = (condition){0};
            p.c[p.n++].of[k] = -1;
        }
    *out = path_run(w, &p);
    return *out           ? AT_OK
           : w->err->code ? w->err->code
                          : at_fail(w->err, AT_EREFUSED, "no counts are possible; this is a fault of attest");
}

/* ---- written ------------------------------------------------------------------------------------------------------------------- */

static at_formula *side_make(const mixing *w, const condition *c, int sign)
{
    at_formulas *f = w->p->f;
    at_formula *sum = NULL;
    for (int k = 0; k < w->n_offers; k++) {
        int64_t a = sign * c->of[k];
        at_formula *n = w->offers[k].count;
        if (a <= 0 || !n)
            continue;
        if (a > AT_FORMULA_NUMBER) {
            at_fail(&f->err, AT_EBUDGET,
                    "a coefficient of %lld, and they go to %d; take fewer bits, as in q4e3", (long long)a,
                    AT_FORMULA_NUMBER);
            return NULL;
        }
        at_formula *term =
            a == 1 ? n : at_formula_make(f, (at_formula){.op = AT_F_TIMES, .value = a, .arg = {n}});
        sum = sum ? at_formula_two(f, AT_F_ADD, sum, term) : term;
    }
    int64_t a = sign * c->constant;
    if (a > AT_FORMULA_NUMBER) {
        at_fail(&f->err, AT_EBUDGET, "a constant of %lld, and they go to %d; take fewer bits, as in q4e3",
                (long long)a, AT_FORMULA_NUMBER);
        return NULL;
    }
    if (a > 0 || !sum) {
        at_formula *number = at_formula_number(f, a > 0 ? a : 0);
        sum = sum ? at_formula_two(f, AT_F_ADD, sum, number) : number;
    }
    return sum;
}

at_formula *condition_make(const mixing *w, const condition *c)
{
    bool any = false;
    for (int k = 0; k < w->n_offers; k++)
        any |= c->of[k] != 0 && w->offers[k].count;
    if (!any)
        return past_const(w->p, c->constant >= 0);
    at_formula *less = side_make(w, c, -1), *more = side_make(w, c, 1);
    return less && more ? at_formula_two(w->p->f, AT_F_LESS_EQUAL, less, more) : NULL;
}

/* memo: (n_kept) */
static at_formula *reaches(const mixing *w, const choice *c, int leaf, at_formula **memo)
{
    past *p = w->p;
    if (!c->n)
        return past_const(p, c->leaf == leaf);
    if (memo[c->id])
        return memo[c->id];
    at_formula *any = past_const(p, false);
    for (int k = 0; k < c->n && !p->f->err.code; k++) {
        at_formula *here = reaches(w, c->to[k], leaf, memo);
        if (!past_is(here, false) && k)
            here = past_and(p, condition_make(w, &c->from[k]), here);
        if (!past_is(here, false) && k + 1 < c->n)
            here = past_and(p, past_not(p, condition_make(w, &c->from[k + 1])), here);
        any = past_or(p, any, here);
    }
    return memo[c->id] = any;
}

at_formula *choice_reaches(const mixing *w, const choice *c, int leaf)
{
    at_formula **memo = at_new(w->a, at_formula *, w->n_kept + 1);
    if (!memo) {
        at_oom(&w->p->f->err);
        return NULL;
    }
    return reaches(w, c, leaf, memo);
}
