/* compile_rasp_point.c: pointwise operations of RASP.
 *
 * Sums, differences and multiples of integers are linear, and cost nothing; comparisons are one step that does not grow with the
 * length. Functions of strings are linear in their booleans. Other functions of integers are tables, one unit a value. A mean of
 * integers over w keys is a multiple of 1/w: it is told from a constant by half of 1/N. */
#include <math.h>
#include <string.h>

#include "compile_rasp.h"

at_var rasp_without(rasp_maker *m, at_var x, double c)
{
    return c ? at_sub(m->P, x, at_scaled(m->P, c, m->hidden)) : x;
}

static at_var as_boolean(rasp_maker *m, at_var x)
{
    return at_known(m->P, NULL, x, 0, 1, true, -1);
}

at_var rasp_not(rasp_maker *m, at_var b)
{
    return as_boolean(m, at_sub(m->P, m->user, b));
}

static double lo_of(const rasp_maker *m, at_var v)
{
    return v < 0 ? 0 : at_program_var(m->P, v).lo;
}

static double hi_of(const rasp_maker *m, at_var v)
{
    return v < 0 ? 0 : at_program_var(m->P, v).hi;
}

static double gcd_of(double a, double b)
{
    while (b > 0) {
        double c = fmod(a, b);
        a = b;
        b = c;
    }
    return a;
}

static double lcm_of(double a, double b)
{
    return a / gcd_of(a, b) * b;
}

static rasp_value integer(at_var v, double den)
{
    return (rasp_value){.sort = RASP_INTEGER, .v = v, .den = den};
}

static rasp_value truth(at_var v)
{
    return (rasp_value){.sort = RASP_INTEGER, .v = v, .den = 1, .boolean = true};
}

/* How near to 0 a mean that is not 0 can come, in units of 1. */
static double step_of(const rasp_maker *m, const rasp_value *x)
{
    double s = x->den;
    for (int k = 0; k < x->n_means; k++)
        s *= m->N;
    return 1 / s;
}

/* a x + b y of numbers. */
static at_status combine(rasp_maker *m, int node, double a, const rasp_value *x, double b,
                         const rasp_value *y, rasp_value *out)
{
    double den = lcm_of(x->den, y->den);
    if (den > 1e6)
        return rasp_refuse(m, node, "fractions with a common denominator above a million");
    *out = (rasp_value){.sort = RASP_INTEGER, .den = den, .constant = x->constant && y->constant};
    if (x->sort == RASP_INTEGER && y->sort == RASP_INTEGER) {
        out->v = at_sum(m->P, rasp_label(m, node), AT_VEC(x->v, y->v),
                        (double[]){a * den / x->den, b * den / y->den}, 0);
        return AT_OK;
    }
    out->sort = RASP_MEAN;
    for (int way = 0; way < 2; way++) {
        const rasp_value *z = way ? y : x;
        for (int k = 0; k < z->n_means; k++) {
            int i = 0;
            while (i < out->n_means && out->mean[i] != z->mean[k])
                i++;
            if (i == RASP_MEANS)
                return rasp_refuse(m, node, "means over more than %d selectors in one sum", RASP_MEANS);
            out->mean[i] = z->mean[k];
            out->n_means += i == out->n_means;
        }
    }
    out->v = at_sum(
        m->P, rasp_label(m, node), AT_VEC(x->v, y->v),
        (double[]){x->sort == RASP_INTEGER ? a / x->den : a, y->sort == RASP_INTEGER ? b / y->den : b}, 0);
    return AT_OK;
}

/* ---- comparisons ---------------------------------------------------------------------------------------------------------- */

/* [z >= 0], or without `equal` [z > 0]. */
static at_var positive(rasp_maker *m, int node, const rasp_value *z, bool equal)
{
    const char *name = rasp_label(m, node);
    at_var b;
    if (z->sort == RASP_INTEGER)
        b = at_at_least(m->P, name, z->v, equal ? 0 : 1);
    else {
        double half = step_of(m, z) / 2;
        b = at_compare(m->P, name, at_sum(m->P, NULL, AT_VEC(z->v), NULL, equal ? half : -half), half);
    }
    return equal ? as_boolean(m, rasp_without(m, b, 1)) : b;
}

static at_var zero_is(rasp_maker *m, int node, const rasp_value *z)
{
    if (z->sort == RASP_INTEGER)
        return as_boolean(m, rasp_without(m, at_equals(m->P, rasp_label(m, node), z->v, 0), 1));
    return as_boolean(m, at_sub(m->P, positive(m, node, z, true), positive(m, node, z, false)));
}

/* A boolean from a sum of booleans of which at most one is 1. */
static at_var either(rasp_maker *m, at_var *b, int n)
{
    if (!n)
        return at_const(m->P, 0);
    if (n == 1)
        return b[0];
    return at_known(m->P, NULL, at_sum(m->P, NULL, (at_vec){n, b}, NULL, 0), 0, 1, true, -1);
}

at_var rasp_one_of(rasp_maker *m, const rasp_value *x, const char *s)
{
    (void)m;
    for (int k = 0; k < x->n; k++)
        if (strcmp(x->string[k], s) == 0)
            return x->is[k];
    return -1;
}

static at_status same_text(rasp_maker *m, int node, const rasp_value *x, const rasp_value *y, at_var *out)
{
    at_var *b = at_new(m->a, at_var, x->n + 1);
    int n = 0;
    if (!b)
        return at_oom(m->err);
    for (int k = 0; k < x->n; k++) {
        at_var other = rasp_one_of(m, y, x->string[k]);
        if (other < 0)
            continue;
        b[n++] = y->constant   ? x->is[k]
                 : x->constant ? other
                               : at_and(m->P, rasp_label(m, node), x->is[k], other);
    }
    *out = either(m, b, n);
    return AT_OK;
}

at_status rasp_ranks(rasp_maker *m, const rasp_value *x, const rasp_value *y, rasp_value *rx, rasp_value *ry)
{
    double *cx = at_new(m->a, double, x->n), *cy = at_new(m->a, double, y->n);
    if (!cx || !cy)
        return at_oom(m->err);
    int rank = 0;
    for (int i = 0, k = 0; i < x->n || k < y->n; rank++) {
        int c = i == x->n ? 1 : k == y->n ? -1 : strcmp(x->string[i], y->string[k]);
        if (c <= 0)
            cx[i++] = rank;
        if (c >= 0)
            cy[k++] = rank;
    }
    /* one of the booleans is 1, and ranks of one that cannot be count from 0 */
    at_var vx = at_sum(m->P, NULL, (at_vec){x->n, x->is}, cx, 0),
           vy = at_sum(m->P, NULL, (at_vec){y->n, y->is}, cy, 0);
    *rx = integer(at_known(m->P, NULL, vx, 0, rank, true, -1), 1);
    *ry = integer(at_known(m->P, NULL, vy, 0, rank, true, -1), 1);
    rx->constant = x->constant;
    ry->constant = y->constant;
    return AT_OK;
}

at_status rasp_compare(rasp_maker *m, int node, at_rasp_op compare, const rasp_value *x, const rasp_value *y,
                       at_var *out)
{
    rasp_value z, rx, ry;
    bool negated = compare == AT_RASP_NE;
    if ((x->sort == RASP_TEXT) != (y->sort == RASP_TEXT)) {
        *out = negated ? m->user : at_const(m->P, 0);
        return AT_OK;
    }
    at_status s = AT_OK;
    if (x->sort == RASP_TEXT && (negated || compare == AT_RASP_EQ)) {
        s = same_text(m, node, x, y, out);
        if (!s && negated)
            *out = rasp_not(m, *out);
        return s;
    }
    if (x->sort == RASP_TEXT) {
        s = rasp_ranks(m, x, y, &rx, &ry);
        x = &rx;
        y = &ry;
    }
    if (!s && compare == AT_RASP_EQ && x->boolean && y->constant && lo_of(m, y->v) == 0 && y->den == 1 &&
        (hi_of(m, y->v) == 0 || hi_of(m, y->v) == 1)) { /* b == True */
        *out = hi_of(m, y->v) == 1 ? x->v : rasp_not(m, x->v);
        return AT_OK;
    }
    bool swap = compare == AT_RASP_LT || compare == AT_RASP_LE;
    if (!s)
        s = combine(m, node, swap ? -1 : 1, x, swap ? 1 : -1, y, &z);
    if (s)
        return s;
    if (compare == AT_RASP_EQ || negated)
        *out = zero_is(m, node, &z);
    else
        *out = positive(m, node, &z, compare == AT_RASP_LE || compare == AT_RASP_GE);
    if (negated)
        *out = rasp_not(m, *out);
    return AT_OK;
}

at_status rasp_truth(rasp_maker *m, int node, const rasp_value *x, at_var *out)
{
    if (x->boolean)
        *out = x->v;
    else if (x->sort == RASP_TEXT) {
        at_var empty = rasp_one_of(m, x, "");
        *out = empty < 0 ? m->user : rasp_not(m, empty);
    } else
        *out = rasp_not(m, zero_is(m, node, x));
    return AT_OK;
}

/* ---- functions -------------------------------------------------------------------------------------------------------------- */

static at_status text_new(const rasp_maker *m, int node, rasp_value *out)
{
    const at_rasp_range *g = &m->range[node];
    *out =
        (rasp_value){.sort = RASP_TEXT, .n = g->n, .string = g->string, .is = at_new(m->a, at_var, g->n + 1)};
    return out->is ? AT_OK : at_oom(m->err);
}

static at_status choose(rasp_maker *m, int node, const rasp_value *x, rasp_value *out)
{
    at_var c;
    const char *name;
    at_status s = rasp_truth(m, node, &x[0], &c);
    if (s)
        return s;
    name = rasp_label(m, node);
    if (x[1].sort == RASP_TEXT) {
        s = text_new(m, node, out);
        for (int k = 0; !s && k < out->n; k++) {
            at_var a = rasp_one_of(m, &x[1], out->string[k]), b = rasp_one_of(m, &x[2], out->string[k]);
            at_var zero = at_const(m->P, 0);
            out->is[k] = a == m->user && b < 0 ? c
                         : a < 0 && b == m->user
                             ? rasp_not(m, c)
                             : at_select(m->P, name, c, a < 0 ? zero : a, b < 0 ? zero : b);
        }
        return s;
    }
    rasp_value sum; /* its denominators and means are those of the choice */
    s = combine(m, node, 1, &x[1], 1, &x[2], &sum);
    if (s)
        return s;
    at_var a = x[1].v, b = x[2].v;
    for (int k = 1; k < 3; k++) {
        at_var *v = k == 1 ? &a : &b;
        if (sum.sort == RASP_INTEGER)
            *v = at_scaled(m->P, sum.den / x[k].den, *v);
        else if (x[k].sort == RASP_INTEGER)
            *v = at_scaled(m->P, 1 / x[k].den, *v);
    }
    *out = sum;
    out->constant = false;
    out->v = at_select(m->P, name, c, a, b);
    out->boolean = x[1].boolean && x[2].boolean;
    return AT_OK;
}

/* The integers that an s-op can be, as atoms over its denominator. */
static at_rasp_atom atom_of(const rasp_value *x, double v)
{
    int64_t num = (int64_t)v, den = (int64_t)x->den, g = (int64_t)gcd_of(fabs(v), x->den);
    return x->boolean ? (at_rasp_atom){AT_RASP_BOOL, num, 1, NULL}
                      : (at_rasp_atom){AT_RASP_NUMBER, num / g, den / g, NULL};
}

/* Any pointwise function of one s-op (argument `which`, the others constant): by a table over what it can be. */
static at_status tabled(rasp_maker *m, int node, int which, rasp_value *out)
{
    const at_rasp_node *v = &m->r->node[node];
    const rasp_value *x = &m->value[v->arg[which]];
    double lo = x->sort == RASP_TEXT ? 0 : lo_of(m, x->v),
           hi = x->sort == RASP_TEXT ? x->n - 1 : hi_of(m, x->v);
    if (x->sort == RASP_MEAN)
        return rasp_refuse(m, node, "a mean; it can be compared, or rounded, and added to others");
    if (hi - lo + 1 > RASP_TABLE)
        return rasp_refuse(m, node, "a table of %.15g values; at most %d are made", hi - lo + 1, RASP_TABLE);
    int n = (int)(hi - lo) + 1;
    at_rasp_atom *y = at_new(m->a, at_rasp_atom, n), arg[3];
    bool *known = at_new(m->a, bool, n);
    double *table = at_new(m->a, double, n), den = 1;
    if (!y || !known || !table)
        return at_oom(m->err);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3 && v->arg[i] >= 0; i++)
            arg[i] = m->r->node[v->arg[i]].atom;
        arg[which] =
            x->sort == RASP_TEXT ? (at_rasp_atom){AT_RASP_STRING, 0, 1, x->string[k]} : atom_of(x, lo + k);
        known[k] = !at_rasp_apply(v, arg, m->a, &y[k]); /* else it does not happen, or is an error */
        if (known[k] && y[k].kind != AT_RASP_STRING)
            den = lcm_of(den, (double)y[k].den);
        if (den > 1e6)
            return rasp_refuse(m, node, "fractions with a common denominator above a million");
    }
    const at_rasp_range *g = &m->range[node];
    bool text = g->kind == AT_RASP_STRING;
    int parts = text ? g->n : 1;
    if (text) {
        at_status s = text_new(m, node, out);
        if (s)
            return s;
    } else {
        *out = integer(-1, den);
        out->boolean = g->kind == AT_RASP_BOOL || (g->whole && g->lo >= 0 && g->hi <= 1);
    }
    for (int p = 0; p < parts; p++) {
        at_var z;
        for (int k = 0; k < n; k++)
            table[k] = !known[k] ? 0
                       : text    ? strcmp(y[k].s, g->string[p]) == 0
                                 : (double)y[k].num * (den / (double)y[k].den);
        if (x->sort == RASP_TEXT) {
            double most = 0, least = 0;
            for (int k = 0; k < n; k++) {
                most = fmax(most, table[k]);
                least = fmin(least, table[k]);
            }
            z = at_known(m->P, NULL, at_sum(m->P, NULL, (at_vec){x->n, x->is}, table, 0), least, most, true,
                         -1);
        } else
            z = rasp_without(m, at_table(m->P, rasp_label(m, node), x->v, table),
                             lo <= 0 && hi >= 0 ? table[(int)-lo] : 0);
        if (text || out->boolean)
            z = as_boolean(m, z);
        *(text ? &out->is[p] : &out->v) = z;
    }
    return AT_OK;
}

static at_status rounded(rasp_maker *m, int node, const rasp_value *x, rasp_value *out)
{
    if (x->sort == RASP_INTEGER && x->den == 1) {
        *out = *x;
        return AT_OK;
    }
    if (x->sort == RASP_INTEGER)
        return tabled(m, node, 0, out);
    double lo = ceil(lo_of(m, x->v) - 0.5), hi = floor(hi_of(m, x->v) + 0.5);
    if (hi - lo > 512)
        return rasp_refuse(m, node, "rounding a mean in %.15g..%.15g; at most 512 integers are told apart",
                           lo, hi);
    /* the sum of [x >= k + 1/2]; halves go to the even side */
    at_var *b = at_new(m->a, at_var, (size_t)(hi - lo) + 1);
    int n = 0;
    if (!b)
        return at_oom(m->err);
    rasp_value z = *x;
    z.den = lcm_of(2, x->den);
    for (double k = lo; k < hi; k++) {
        z.v = at_sub(m->P, x->v, at_scaled(m->P, k + 0.5, m->user));
        bool even = fmod(k + 1, 2) == 0;
        double half = step_of(m, &z) / 2;
        at_var c = at_compare(m->P, rasp_label(m, node),
                              at_sum(m->P, NULL, AT_VEC(z.v), NULL, even ? half : -half), half);
        b[n++] = rasp_without(m, c, even); /* at hidden positions z is 0 */
    }
    at_var sum = n ? at_sum(m->P, NULL, (at_vec){n, b}, NULL, 0) : at_const(m->P, 0);
    *out = integer(at_add(m->P, sum, at_scaled(m->P, lo, m->user)), 1);
    return AT_OK;
}

static at_status product(rasp_maker *m, int node, const rasp_value *x, const rasp_value *y, rasp_value *out)
{
    if (y->constant) {
        const rasp_value *z = x;
        x = y;
        y = z;
    }
    if (x->constant) {
        double c = lo_of(m, x->v) ? lo_of(m, x->v) : hi_of(m, x->v);
        rasp_value zero = integer(at_const(m->P, 0), x->den * y->den);
        rasp_value z = *y;
        z.den = y->den * x->den;
        z.boolean = false;
        if (y->sort == RASP_MEAN) {
            z.v = at_scaled(m->P, c / x->den, y->v);
            *out = z;
            return AT_OK;
        }
        return combine(m, node, c, &z, 0, &zero, out);
    }
    if (x->boolean || y->boolean) {
        const rasp_value *b = x->boolean ? x : y, *z = x->boolean ? y : x;
        *out = *z;
        out->boolean = x->boolean && y->boolean;
        out->v = at_select(m->P, rasp_label(m, node), b->v, z->v, at_const(m->P, 0));
        return AT_OK;
    }
    if (x->sort == RASP_MEAN || y->sort == RASP_MEAN)
        return rasp_refuse(
            m, node,
            "a mean times an s-op; the size of its selector times the mean of an indicator is a count, and "
            "others are not made");
    if (hi_of(m, x->v) - lo_of(m, x->v) + hi_of(m, y->v) - lo_of(m, y->v) > RASP_TABLE)
        return rasp_refuse(m, node, "a product of numbers that can be more than %d apart", RASP_TABLE);
    *out = integer(at_product(m->P, rasp_label(m, node), x->v, y->v), x->den * y->den);
    return AT_OK;
}

static at_status joined(rasp_maker *m, int node, const rasp_value *x, const rasp_value *y, rasp_value *out)
{
    at_status s = text_new(m, node, out);
    at_var *b = at_new(m->a, at_var, x->n * y->n + 1);
    if (!b && !s)
        s = at_oom(m->err);
    for (int t = 0; t < out->n && !s; t++) {
        int n = 0;
        for (int i = 0; i < x->n; i++)
            for (int k = 0; k < y->n; k++) {
                size_t head = strlen(x->string[i]);
                if (strncmp(out->string[t], x->string[i], head) == 0 &&
                    strcmp(out->string[t] + head, y->string[k]) == 0)
                    b[n++] = x->constant   ? y->is[k]
                             : y->constant ? x->is[i]
                                           : at_and(m->P, rasp_label(m, node), x->is[i], y->is[k]);
            }
        out->is[t] = either(m, b, n);
    }
    return s;
}

static at_status remainder_of(rasp_maker *m, int node, const rasp_value *x, const rasp_value *y,
                              rasp_value *out)
{
    double c = y->constant ? fmax(hi_of(m, y->v), 0) / y->den * x->den : 0;
    if (x->sort != RASP_INTEGER || c < 1 || c != floor(c) || c > 1e6)
        return rasp_refuse(m, node, "%% is by a constant above 0, of what is no mean");
    at_var q = at_floor_div(m->P, rasp_label(m, node), x->v, (int)c);
    *out =
        integer(at_known(m->P, NULL, at_sub(m->P, x->v, at_scaled(m->P, c, q)), 0, c - 1, true, -1), x->den);
    return AT_OK;
}

at_status rasp_point(rasp_maker *m, int node)
{
    const at_rasp_node *v = &m->r->node[node];
    rasp_value x[3] = {{0}}, *out = &m->value[node];
    at_var b = -1, c = -1;
    at_status s = AT_OK;
    for (int k = 0; k < 3 && v->arg[k] >= 0; k++)
        x[k] = m->value[v->arg[k]];
    switch (v->op) {
    case AT_RASP_NEG: {
        rasp_value zero = integer(at_const(m->P, 0), 1);
        return combine(m, node, -1, &x[0], 0, &zero, out);
    }
    case AT_RASP_ROUND:
        return rounded(m, node, &x[0], out);
    case AT_RASP_NOT:
    case AT_RASP_INDICATOR:
        s = rasp_truth(m, node, &x[0], &b);
        *out = truth(v->op == AT_RASP_NOT ? rasp_not(m, b) : b);
        return s;
    case AT_RASP_ADD:
        if (x[0].sort == RASP_TEXT)
            return joined(m, node, &x[0], &x[1], out);
        return combine(m, node, 1, &x[0], 1, &x[1], out);
    case AT_RASP_SUB:
        return combine(m, node, 1, &x[0], -1, &x[1], out);
    case AT_RASP_MUL:
        return product(m, node, &x[0], &x[1], out);
    case AT_RASP_DIV: {
        if (!x[1].constant)
            return x[0].constant ? tabled(m, node, 1, out)
                                 : rasp_refuse(m, node,
                                               "a division by an s-op; constants divide, and 1 by a mean of "
                                               "indicator(indices == 0) is a width");
        const at_rasp_atom *by = &m->r->node[v->arg[1]].atom;
        rasp_value inverse = integer(at_scaled(m->P, (double)(by->num < 0 ? -by->den : by->den), m->user),
                                     (double)(by->num < 0 ? -by->num : by->num));
        inverse.constant = true;
        return product(m, node, &inverse, &x[0], out);
    }
    case AT_RASP_MOD:
        return x[0].constant ? tabled(m, node, 1, out) : remainder_of(m, node, &x[0], &x[1], out);
    case AT_RASP_POW:
        if (!x[0].constant && !x[1].constant)
            return rasp_refuse(m, node, "a power of two s-ops; one of them must be constant");
        return tabled(m, node, x[0].constant, out);
    case AT_RASP_EQ:
    case AT_RASP_NE:
    case AT_RASP_LT:
    case AT_RASP_LE:
    case AT_RASP_GT:
    case AT_RASP_GE:
        s = rasp_compare(m, node, v->op, &x[0], &x[1], &b);
        *out = truth(b);
        return s;
    case AT_RASP_AND:
    case AT_RASP_OR:
        s = rasp_truth(m, node, &x[0], &b);
        if (!s)
            s = rasp_truth(m, node, &x[1], &c);
        if (!s)
            *out = truth((v->op == AT_RASP_AND ? at_and : at_or)(m->P, rasp_label(m, node), b, c));
        return s;
    case AT_RASP_IF:
        return choose(m, node, x, out);
    case AT_RASP_LOOKUP:
    case AT_RASP_IN:
        return tabled(m, node, 0, out);
    case AT_RASP_CONST:
    case AT_RASP_TOKENS:
    case AT_RASP_INTS:
    case AT_RASP_INDICES:
    case AT_RASP_SELECT:
    case AT_RASP_ALL:
    case AT_RASP_BOTH:
    case AT_RASP_EITHER:
    case AT_RASP_NEITHER:
    case AT_RASP_AGGREGATE:
    case AT_RASP_WIDTH:
    case AT_RASP_OPS:
        break;
    }
    return rasp_refuse(m, node, "no pointwise operation");
}
