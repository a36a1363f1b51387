/* build_steps.c: linear expressions, pointwise steps, attention, output. Each computes the range of its variable. */
#include "program_internal.h"

#include <math.h>
#include <string.h>

#define RANGE_MAX 0x1p53 /* integers beyond this are not told apart by doubles */

static bool need(at_program *P, const char *name, at_var x, bool integer, bool boolean)
{
    if (P->err.code)
        return false;
    if (x < 0 || x >= P->n_vars) {
        at_program_fail(P, "%s uses a variable that does not exist", name);
        return false;
    }
    const var *v = &P->vars[x];
    if (integer && (!v->integer || v->hi > RANGE_MAX || v->lo < -RANGE_MAX)) {
        at_program_fail(P, "%s needs an integer below 2^53, %s is not one", name,
                        v->name ? v->name : "its argument");
        return false;
    }
    if (boolean && (!v->integer || v->lo < 0 || v->hi > 1)) {
        at_program_fail(P, "%s needs a boolean, %s is not one", name, v->name ? v->name : "its argument");
        return false;
    }
    return true;
}

/* ---- linear expressions ------------------------------------------------------------------------------ */

void linear_range(const at_program *P, const var *x, double *lo, double *hi, bool *integer)
{
    *lo = *hi = x->c0;
    *integer = x->c0 == floor(x->c0);
    for (int k = 0; k < x->n_args; k++) {
        double c = x->coef[k];
        const var *a = &P->vars[x->args[k]];
        *lo += c * (c >= 0 ? a->lo : a->hi);
        *hi += c * (c >= 0 ? a->hi : a->lo);
        *integer = *integer && a->integer && c == floor(c);
    }
}

at_var at_sum(at_program *P, const char *name, at_vec v, const double *coef, double c0)
{
    at_var id = var_add(P, name, OP_LINEAR, v.v, v.n);
    if (id < 0)
        return -1;
    var *x = &P->vars[id];
    x->coef = at_new(&P->arena, double, v.n + 1);
    if (!x->coef)
        return fail_oom(P);
    x->c0 = c0;
    for (int k = 0; k < v.n; k++)
        x->coef[k] = coef ? coef[k] : 1;
    linear_range(P, x, &x->lo, &x->hi, &x->integer);
    if (!isfinite(x->lo) || !isfinite(x->hi))
        return at_program_fail(P, "%s has no finite range", name ? name : "an expression"), -1;
    return id;
}

bool linear_know(at_program *P, at_var id, double lo, double hi, bool integer, bool known, at_var when)
{
    var *v = &P->vars[id];
    const char *name = v->name ? v->name : "an expression";
    if (when != -1 && !need(P, name, when, true, true))
        return false;
    if (!(lo <= hi) || !isfinite(lo) || !isfinite(hi) || hi < v->lo || lo > v->hi) {
        at_program_fail(P, "%s is said to lie in %g..%g, its parts in %g..%g", name, lo, hi, v->lo, v->hi);
        return false;
    }
    lo = fmax(lo, v->lo);
    hi = fmin(hi, v->hi);
    if (integer) { /* the range of an integer ends at integers */
        lo = ceil(lo);
        hi = floor(hi);
    }
    if (lo > hi) {
        at_program_fail(P, "%s is said to be an integer in a range that holds none", name);
        return false;
    }
    v->lo = lo;
    v->hi = hi;
    v->integer = integer;
    v->known = known;
    v->when = when;
    return true;
}

at_var at_known(at_program *P, const char *name, at_var x, double lo, double hi, bool integer, at_var when)
{
    at_var id = at_sum(P, name, AT_VEC(x), NULL, 0);
    return id >= 0 && linear_know(P, id, lo, hi, integer, true, when) ? id : -1;
}

at_var at_const(at_program *P, double c)
{
    return at_sum(P, NULL, (at_vec){0, NULL}, NULL, c);
}

at_var at_add(at_program *P, at_var x, at_var y)
{
    return at_sum(P, NULL, AT_VEC(x, y), NULL, 0);
}

at_var at_sub(at_program *P, at_var x, at_var y)
{
    return at_sum(P, NULL, AT_VEC(x, y), (double[]){1, -1}, 0);
}

at_var at_scaled(at_program *P, double k, at_var x)
{
    return at_sum(P, NULL, AT_VEC(x), &k, 0);
}

at_var at_neg(at_program *P, at_var x)
{
    return at_scaled(P, -1, x);
}

at_var at_not(at_program *P, at_var b)
{
    return at_sum(P, NULL, AT_VEC(b), (double[]){-1}, 1);
}

/* ---- pointwise steps ----------------------------------------------------------------------------------- */

static at_var point_add(at_program *P, const char *name, op o, at_vec args, double lo, double hi,
                        bool integer)
{
    at_var id = var_add(P, name, o, args.v, args.n);
    if (id >= 0) {
        P->vars[id].lo = lo;
        P->vars[id].hi = hi;
        P->vars[id].integer = integer;
    }
    return id;
}

at_var at_ramp(at_program *P, const char *name, at_var x, double a, double b)
{
    if (!need(P, name, x, false, false))
        return -1;
    if (!(a < b) || !isfinite(a) || !isfinite(b))
        return at_program_fail(P, "%s: ramp from %g to %g", name, a, b), -1;
    at_var id = point_add(P, name, OP_RAMP, AT_VEC(x), 0, 1, false);
    if (id >= 0) {
        P->vars[id].c0 = a;
        P->vars[id].c1 = b;
    }
    return id;
}

void at_gelu(at_program *P, double lambda)
{
    if (P->err.code)
        return;
    if (!(lambda > 0) || !isfinite(lambda))
        at_program_fail(P, "GeLU units with lambda %g", lambda);
    P->lambda = lambda;
}

at_var at_relu(at_program *P, const char *name, at_var x)
{
    if (!need(P, name, x, false, false))
        return -1;
    const var *a = &P->vars[x];
    return point_add(P, name, OP_RELU, AT_VEC(x), fmax(a->lo, 0), fmax(a->hi, 0), a->integer);
}

at_var at_pass(at_program *P, const char *name, at_var x)
{
    if (!need(P, name, x, false, false))
        return -1;
    const var *a = &P->vars[x];
    return point_add(P, name, OP_PASS, AT_VEC(x), a->lo, a->hi, a->integer);
}

/* The range of x*y. */
static void range_of_product(const var *a, const var *b, double *lo, double *hi)
{
    double c[4] = {a->lo * b->lo, a->lo * b->hi, a->hi * b->lo, a->hi * b->hi};
    *lo = fmin(fmin(c[0], c[1]), fmin(c[2], c[3]));
    *hi = fmax(fmax(c[0], c[1]), fmax(c[2], c[3]));
}

at_var at_times(at_program *P, const char *name, at_var x, at_var y, double error)
{
    if (!need(P, name, x, false, false) || !need(P, name, y, false, false))
        return -1;
    double lo, hi;
    range_of_product(&P->vars[x], &P->vars[y], &lo, &hi);
    if (!(error > 0) || !isfinite(error))
        return at_program_fail(P, "%s: a product with error %g", name, error), -1;
    at_var id = point_add(P, name, OP_TIMES, AT_VEC(x, y), lo, hi, false);
    if (id >= 0)
        P->vars[id].c0 = error;
    return id;
}

/* With C = slack M/alpha, M the largest |x| or |y|:
 *     relu(x + C t) + relu(y - C t) - |C t|
 * For t >= alpha the first argument is at least M - M = 0, the second at most 0: x + C t - C t. Likewise for
 * t <= -alpha. The two units of |C t| serve all components. */
at_var at_choose_rows(at_program *P, const char *name, at_var t, double alpha, at_vec x, at_vec y,
                      double slack)
{
    double M = 0;
    if (!need(P, name, t, false, false))
        return -1;
    if (x.n < 1 || x.n != y.n || !(alpha > 0) || !isfinite(alpha) || !(slack > 0) || !isfinite(slack))
        return at_program_fail(P, "%s: %d and %d components, alpha %g, slack %g", name, x.n, y.n, alpha,
                               slack),
               -1;
    for (int k = 0; k < x.n; k++) {
        if (!need(P, name, x.v[k], false, false) || !need(P, name, y.v[k], false, false))
            return -1;
        const var *a = &P->vars[x.v[k]], *b = &P->vars[y.v[k]];
        M = fmax(M, fmax(fmax(-a->lo, a->hi), fmax(-b->lo, b->hi)));
    }
    double C = slack * M / alpha;
    at_var size = at_absolute(P, component_name(P, "|C %s|", name, 0), at_scaled(P, C, t));
    at_var *part = at_new(&P->arena, at_var, 2 * x.n);
    if (!part)
        return fail_oom(P);
    for (int k = 0; k < x.n; k++) {
        at_var over = at_sum(P, NULL, AT_VEC(x.v[k], t), (double[]){1, C}, 0);
        at_var under = at_sum(P, NULL, AT_VEC(y.v[k], t), (double[]){1, -C}, 0);
        part[2 * k] = at_relu(P, component_name(P, "%s+[%d]", name, k), over);
        part[2 * k + 1] = at_relu(P, component_name(P, "%s-[%d]", name, k), under);
    }
    at_var first = -1;
    for (int k = 0; k < x.n; k++) {
        at_var all = at_sum(P, component_name(P, x.n > 1 ? "%s[%d]" : "%s", name, k),
                            AT_VEC(part[2 * k], part[2 * k + 1], size), (double[]){1, 1, -1}, 0);
        if (all < 0)
            return -1;
        var *v = &P->vars[all]; /* of the sum's range the author knows better */
        v->lo = fmax(v->lo, fmin(P->vars[x.v[k]].lo, P->vars[y.v[k]].lo));
        v->hi = fmin(v->hi, fmax(P->vars[x.v[k]].hi, P->vars[y.v[k]].hi));
        v->known = slack >= 1;
        v->when = -1;
        first = k ? first : all;
    }
    return first;
}

static at_var extreme_add(at_program *P, const char *name, op o, at_var x, at_var y)
{
    if (!need(P, name, x, false, false) || !need(P, name, y, false, false))
        return -1;
    const var *a = &P->vars[x], *b = &P->vars[y];
    double lo = o == OP_MAX ? fmax(a->lo, b->lo) : fmin(a->lo, b->lo);
    double hi = o == OP_MAX ? fmax(a->hi, b->hi) : fmin(a->hi, b->hi);
    return point_add(P, name, o, AT_VEC(x, y), lo, hi, a->integer && b->integer);
}

at_var at_max2(at_program *P, const char *name, at_var x, at_var y)
{
    return extreme_add(P, name, OP_MAX, x, y);
}

at_var at_min2(at_program *P, const char *name, at_var x, at_var y)
{
    return extreme_add(P, name, OP_MIN, x, y);
}

at_var at_absolute(at_program *P, const char *name, at_var x)
{
    if (!need(P, name, x, false, false))
        return -1;
    const var *a = &P->vars[x];
    double lo = a->lo > 0 ? a->lo : a->hi < 0 ? -a->hi : 0;
    return point_add(P, name, OP_ABS, AT_VEC(x), lo, fmax(-a->lo, a->hi), a->integer);
}

at_var at_select(at_program *P, const char *name, at_var b, at_var x, at_var y)
{
    if (!need(P, name, b, true, true) || !need(P, name, x, false, false) || !need(P, name, y, false, false))
        return -1;
    const var *v = &P->vars[x], *w = &P->vars[y];
    return point_add(P, name, OP_SELECT, AT_VEC(b, x, y), fmin(v->lo, w->lo), fmax(v->hi, w->hi),
                     v->integer && w->integer);
}

static at_var logic_add(at_program *P, const char *name, op o, at_var a, at_var b)
{
    if (!need(P, name, a, true, true) || !need(P, name, b, true, true))
        return -1;
    return point_add(P, name, o, AT_VEC(a, b), 0, 1, true);
}

at_var at_and(at_program *P, const char *name, at_var a, at_var b)
{
    return logic_add(P, name, OP_AND, a, b);
}

at_var at_or(at_program *P, const char *name, at_var a, at_var b)
{
    return logic_add(P, name, OP_OR, a, b);
}

static at_var compare_add(at_program *P, const char *name, op o, at_var x, double t)
{
    if (!need(P, name, x, true, false))
        return -1;
    if (t != floor(t) || !isfinite(t))
        return at_program_fail(P, "%s compares an integer with %g", name, t), -1;
    /* Beyond its range the answer does not depend on t, and a corner near the range is an exact double. */
    t = fmax(P->vars[x].lo - 1, fmin(P->vars[x].hi + 1, t));
    at_var id = point_add(P, name, o, AT_VEC(x), 0, 1, true);
    if (id >= 0)
        P->vars[id].c0 = t;
    return id;
}

at_var at_at_least(at_program *P, const char *name, at_var x, double t)
{
    return compare_add(P, name, OP_AT_LEAST, x, t);
}

at_var at_equals(at_program *P, const char *name, at_var x, double t)
{
    return compare_add(P, name, OP_EQUALS, x, t);
}

at_var compare_unit(at_program *P, const char *name, at_var x)
{
    if (!need(P, name, x, false, false))
        return -1;
    at_var id = point_add(P, name, OP_COMPARE, AT_VEC(x), 0, 1, true);
    if (id >= 0)
        P->vars[id].c0 = 1;
    return id;
}

at_var at_compare(at_program *P, const char *name, at_var x, double half)
{
    if (!(half > 0) || !isfinite(half) || !isfinite(1 / (2 * half)))
        return at_program_fail(P, "%s compares with a half of %g, which is to be above 0", name, half), -1;
    return compare_unit(P, name, at_sum(P, NULL, AT_VEC(x), (double[]){1 / (2 * half)}, 0.5));
}

/* Room for a table over the range of x; its values are filled in by the caller before table_finish. */
static double *table_room(at_program *P, const char *name, at_var x, int *n)
{
    if (!need(P, name, x, true, false))
        return NULL;
    double size = P->vars[x].hi - P->vars[x].lo + 1;
    if (size > TABLE_MAX) {
        at_program_fail(P, "%s: a table of %.0f entries, at most %d are allowed", name, size, TABLE_MAX);
        return NULL;
    }
    double *t = at_new(&P->arena, double, (size_t)size);
    if (!t)
        fail_oom(P);
    *n = (int)size;
    return t;
}

static at_var table_finish(at_program *P, const char *name, at_var x, const double *t, int n)
{
    at_var id = point_add(P, name, OP_TABLE, AT_VEC(x), 0, 0, true);
    if (id < 0)
        return -1;
    var *v = &P->vars[id];
    v->table = t;
    v->n_table = n;
    v->stride = 1;
    range_of_table(P, v, n);
    return P->err.code ? -1 : id;
}

at_var at_table(at_program *P, const char *name, at_var x, const double *values)
{
    int n;
    double *t = table_room(P, name, x, &n);
    if (!t)
        return -1;
    memcpy(t, values, (size_t)n * sizeof *t);
    return table_finish(P, name, x, t, n);
}

at_var at_floor_div(at_program *P, const char *name, at_var x, int m)
{
    int n;
    if (m < 1)
        return at_program_fail(P, "%s divides by %d", name, m), -1;
    double *t = table_room(P, name, x, &n);
    if (!t)
        return -1;
    for (int k = 0; k < n; k++)
        t[k] = floor((P->vars[x].lo + k) / m);
    return table_finish(P, name, x, t, n);
}

at_var at_product(at_program *P, const char *name, at_var x, at_var y)
{
    if (!need(P, name, x, true, false) || !need(P, name, y, true, false))
        return -1;
    const var *a = &P->vars[x], *b = &P->vars[y];
    double lo, hi;
    range_of_product(a, b, &lo, &hi);
    if (a->hi - a->lo + b->hi - b->lo > TABLE_MAX)
        return at_program_fail(P, "%s: the factors' ranges add up to more than %d", name, TABLE_MAX), -1;
    return point_add(P, name, OP_PRODUCT, AT_VEC(x, y), lo, hi, true);
}

at_var at_near(at_program *P, const char *name, at_var x, const double *centres, int n, double r, double w)
{
    if (!need(P, name, x, false, false))
        return -1;
    bool finite = isfinite(r) && isfinite(w);
    for (int k = 0; k < n; k++)
        finite = finite && isfinite(centres[k]);
    if (n < 1 || !finite || !(r >= 0) || !(w > 0))
        return at_program_fail(P, "%s: %d centres, radius %g, slope width %g", name, n, r, w), -1;
    at_var id = point_add(P, name, OP_NEAR, AT_VEC(x), 0, n, false);
    double *c = id < 0 ? NULL : at_new(&P->arena, double, n);
    if (id < 0 || !c)
        return id < 0 ? -1 : fail_oom(P);
    memcpy(c, centres, (size_t)n * sizeof *c);
    var *v = &P->vars[id];
    v->table = c;
    v->n_table = n;
    v->c0 = r;
    v->c1 = w;
    return id;
}

/* ---- attention --------------------------------------------------------------------------------------------- */

static bool vec_copy(at_program *P, at_vec *v)
{
    at_var *c = at_new(&P->arena, at_var, v->n + 1);
    if (!c)
        return fail_oom(P), false;
    for (int k = 0; k < v->n; k++) {
        c[k] = v->v[k];
        if (c[k] < 0 || c[k] >= P->n_vars || P->vars[c[k]].op == OP_FIELD)
            return at_program_fail(P, "attention uses a variable that does not exist or a bare field"), false;
    }
    v->v = c;
    return true;
}

static bool gaps_copy(at_program *P, at_attention *a)
{
    size_t T = (size_t)program_longest(P);
    double *c = at_new(&P->arena, double, T);
    if (!c)
        return fail_oom(P), false;
    memcpy(c, a->gaps, T * sizeof *c);
    a->gaps = c;
    return true;
}

/* Sums: what at_attention.adds asks for, as far as it can be seen here. */
static bool adds_right(at_program *P, const char *name, const at_attention *a)
{
    at_var anchor = a->key.v[a->query.n];
    bool mark = anchor >= 0 && anchor < P->n_vars && P->vars[anchor].op == OP_EMBED &&
                P->vars[anchor].prefix && !P->vars[anchor].n_table;
    bool seen = at_mask_is(a->mask.kind, AT_IS_ALL) ||
                (at_mask_is(a->mask.kind, AT_IS_GROWING) && !at_mask_is(a->mask.kind, AT_IS_STRICT));
    if (!at_weighting_is(a->weighting, AT_IS_PHI) || a->kernel || a->base_plus || !seen || !mark ||
        !isfinite(a->adds))
        return at_program_fail(P,
                               "%s: sums go with linear attention to one-hot vectors, a mask full or causal, "
                               "and a mark of a hidden position before the input as the last key",
                               name),
               false;
    for (int k = 0; k < a->value.n; k++) {
        if (!need(P, name, a->value.v[k], true, false))
            return false;
        if (P->vars[a->value.v[k]].lo < 0)
            return at_program_fail(P, "%s: sums are of integers from 0 on", name), false;
    }
    for (int k = 0; k < a->wipe.n; k++) {
        if (!need(P, name, a->wipe.v[k], true, false))
            return false;
        if (P->vars[a->wipe.v[k]].lo < -1 || P->vars[a->wipe.v[k]].hi > 1)
            return at_program_fail(P, "%s: what wipes is -1, 0 or 1", name), false;
    }
    return true;
}

/* What at_attention.total asks for, as far as it can be seen here. */
static bool total_right(at_program *P, const char *name, const at_attention *a)
{
    if (!at_weighting_is(a->weighting, AT_IS_EXP) || at_weighting_is(a->weighting, AT_IS_PAIRS) ||
        a->most < 1 || (a->most & (a->most - 1)) || !isfinite(a->total))
        return at_program_fail(P, "%s: a total goes with softmax, and with a power of two as the most keys",
                               name),
               false;
    for (int k = 0; k < a->value.n; k++) {
        if (!need(P, name, a->value.v[k], true, false))
            return false;
        if (P->vars[a->value.v[k]].lo < 0)
            return at_program_fail(P, "%s: a total is of integers from 0 on", name), false;
    }
    return true;
}

at_var at_attend(at_program *P, const char *name, const at_attention *a)
{
    if (P->err.code)
        return -1;
    bool three = at_weighting_is(a->weighting, AT_IS_PAIRS);
    if (!at_weighting_is(a->weighting, AT_IS_FAMILIES))
        return at_program_fail(P, "%s: programs have no %s attention", name,
                               at_weighting_names[a->weighting]),
               -1;
    if (a->query.n < 1 || a->query.n != a->key.n - (a->adds > 0) || (three && a->key2.n != a->key.n) ||
        a->value.n < 1 || (three && a->value2.n != a->value.n))
        return at_program_fail(P, "%s: query, key and value have %d, %d and %d components", name, a->query.n,
                               a->key.n, a->value.n),
               -1;
    if (a->kernel && !at_weighting_is(a->weighting, AT_IS_PHI))
        return at_program_fail(P, "%s: a kernel goes with linear attention only", name), -1;
    for (int k = 0; at_weighting_is(a->weighting, AT_IS_PHI) && !a->kernel && k < a->query.n;
         k++) /* one-hot vectors */
        if (!need(P, name, a->query.v[k], true, true) || !need(P, name, a->key.v[k], true, true))
            return -1;
    if (a->wipe.n && (!(a->adds > 0) || a->wipe.n != a->value.n || !at_mask_is(a->mask.kind, AT_IS_GROWING)))
        return at_program_fail(P, "%s: only sums under a causal mask are wiped, all of a class or none",
                               name),
               -1;
    if ((a->adds > 0 && !adds_right(P, name, a)) || (a->total > 0 && !total_right(P, name, a)))
        return -1;
    double gap = a->gaps ? INFINITY : a->gap;
    for (int t = 0; a->gaps && t < program_longest(P); t++)
        gap = a->gaps[t] > 0 && gap > 0 ? fmin(gap, a->gaps[t]) : 0; /* also for NaN */
    if (!(gap > 0 || a->kernel) || !isfinite(gap) || !isfinite(a->scale) || (a->base_plus && a->value.n != 1))
        return at_program_fail(
                   P, "%s: attention needs a gap above 0, finite numbers, and one value when it has a base",
                   name),
               -1;
    if (P->n_steps == P->cap_steps) {
        int cap = P->cap_steps ? 2 * P->cap_steps : 8;
        step *s = at_realloc(P->steps, (size_t)cap * sizeof *s);
        if (!s)
            return fail_oom(P);
        P->steps = s;
        P->cap_steps = cap;
    }
    step *s = &P->steps[P->n_steps];
    *s = (step){.a = *a, .label = P->label ? P->label : at_arena_strdup(&P->arena, name)};
    if (!s->label)
        return fail_oom(P);
    s->a.gap = gap;
    if ((a->gaps && !gaps_copy(P, &s->a)) || !vec_copy(P, &s->a.query) || !vec_copy(P, &s->a.key) ||
        !vec_copy(P, &s->a.value) || !vec_copy(P, &s->a.wipe) ||
        (three && (!vec_copy(P, &s->a.key2) || !vec_copy(P, &s->a.value2))))
        return -1;
    bool selects_one = a->unique || at_weighting_is(a->weighting, AT_IS_ONE);
    bool may_be_empty = at_mask_is(a->mask.kind, AT_IS_STRICT);
    P->sums = P->sums || a->adds > 0 || a->total > 0;
    int index = P->n_steps++;
    at_var first = -1;
    for (int k = 0; k < a->value.n; k++) {
        const char *label = component_name(P,
                                           a->base_plus     ? "%s'"
                                           : a->value.n > 1 ? "%s[%d]"
                                                            : "%s",
                                           name, k);
        at_var id = var_add(P, label, OP_ATTEND, NULL, 0);
        if (id < 0)
            return -1;
        const var *x = &P->vars[a->value.v[k]];
        var *v = &P->vars[id];
        v->step = index;
        v->component = k;
        v->lo = x->lo;
        v->hi = x->hi;
        v->integer = x->integer && selects_one;
        if (three) {
            const var *y = &P->vars[a->value2.v[k]];
            range_of_product(x, y, &v->lo, &v->hi);
            v->integer = v->integer && y->integer;
        }
        if (a->adds > 0) {
            v->lo = 0;
            v->hi = a->adds;
            v->integer = true;
        }
        if (may_be_empty) {
            v->lo = fmin(v->lo, 0);
            v->hi = fmax(v->hi, 0);
        }
        if (k == 0)
            first = id;
    }
    if (!a->base_plus)
        return first;
    at_var sum = at_sum(P, name, AT_VEC(a->base, first), NULL, 0);
    if (sum >= 0)
        P->vars[sum].accumulate = true;
    return sum;
}

void at_emit(at_program *P, at_vec out, at_read_kind read, double threshold)
{
    if (P->err.code)
        return;
    if (out.n < 1) {
        at_program_fail(P, "no output");
        return;
    }
    if (!vec_copy(P, &out))
        return;
    P->out = out;
    P->read = read;
    P->threshold = threshold;
    P->last = false;
    P->half = 0;
}

void at_emit_last(at_program *P, at_vec out, at_read_kind read, double threshold)
{
    at_emit(P, out, read, threshold);
    P->last = true;
}

void at_emit_normed(at_program *P, at_var v, double half)
{
    if (!P->err.code && !(half > 0 && half < INFINITY)) {
        at_program_fail(P, "an output is normed with a half of %g, which is to be above 0", half);
        return;
    }
    at_emit_last(P, AT_VEC(v), AT_READ_THRESHOLD, 0);
    P->half = half;
}

int at_program_vars(const at_program *P)
{
    return P->n_vars;
}

at_var_info at_program_var(const at_program *P, at_var v)
{
    if (v < 0 || v >= P->n_vars)
        return (at_var_info){0};
    const var *x = &P->vars[v];
    return (at_var_info){x->name, x->lo, x->hi, x->err, x->integer, x->place};
}
