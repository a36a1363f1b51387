/* compile_dp_expr.c: expressions of a recurrence become steps of a program.
 *
 * Leaves are the next state, what was copied for it, and this row; operations have steps of their own (program.h), but for
 * products with a factor of few values and for mod and div of many numbers. A part that stands at several places of the tree
 * is made once. */
#include "compile_dp.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *dpc_fresh(dp_compiler *c)
{
    snprintf(c->name, sizeof c->name, "t%d", c->serial++);
    return c->name;
}

bool dpc_is_const(const dp_compiler *c, at_var v, double *value)
{
    at_var_info i = at_program_var(c->P, v);
    *value = i.lo;
    return v >= 0 && i.lo == i.hi;
}

static double width_of(const dp_compiler *c, at_var v)
{
    at_var_info i = at_program_var(c->P, v);
    return i.hi - i.lo + 1;
}

/* x y, where y has few values: for each of them the multiple of x, if y is it. */
static at_var product_by_cases(dp_compiler *c, at_var x, at_var y)
{
    enum { MOST = 256 };
    at_var_info r = at_program_var(c->P, y);
    at_var parts[MOST], zero = at_const(c->P, 0);
    int n = 0;
    for (double v = r.lo; v <= r.hi && n < MOST; v++) {
        if (v == 0)
            continue;
        at_var is = at_equals(c->P, dpc_fresh(c), y, v);
        parts[n++] = at_select(c->P, dpc_fresh(c), is, at_scaled(c->P, v, x), zero);
    }
    return n ? at_sum(c->P, NULL, (at_vec){n, parts}, NULL, 0) : zero;
}

/* A product takes about two units for each number that the factors' sum and difference can be; a case takes about
 * eight. */
static at_var product(dp_compiler *c, at_var a, at_var b)
{
    enum { CASE_UNITS = 8, FEW = 250 };
    double k;
    if (dpc_is_const(c, a, &k))
        return at_scaled(c->P, k, b);
    if (dpc_is_const(c, b, &k))
        return at_scaled(c->P, k, a);
    double wa = width_of(c, a), wb = width_of(c, b), least = fmin(wa, wb);
    if (least <= FEW && CASE_UNITS * least < 2 * (wa + wb))
        return wa < wb ? product_by_cases(c, b, a) : product_by_cases(c, a, b);
    return at_product(c->P, dpc_fresh(c), a, b);
}

/* The first failure of the compiler, at the place in the file that it comes from. */
at_var dpc_fail(dp_compiler *c, int line, int column, const char *fmt, ...)
{
    char text[160];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!c->wrong.code && !at_program_status(c->P, NULL))
        at_fail(&c->wrong, AT_EDOMAIN, "%.100s:%d:%d: %s", c->d->path, line, column, text);
    at_program_fail(c->P, "%s", text);
    return -1;
}

/* Steps that are made from now on come from this place in the file. */
void dpc_place(dp_compiler *c, int line, int column)
{
    char text[160];
    snprintf(text, sizeof text, "%.100s:%d:%d", c->d->path, line, column);
    at_program_place(c->P, text);
}

void dpc_place_name(dp_compiler *c, const at_dp_name *n)
{
    dpc_place(c, n->line, n->column);
}

/* Doubles keep 13 bits behind the point of numbers up to 2^40: enough for some hundreds of steps to stay far from the
 * rounding boundary at 1/2. */
#define LARGEST 0x1p40

bool dpc_too_large(double lo, double hi)
{
    return lo < -LARGEST || hi > LARGEST;
}

/* a mod m and floor(a/m), where a has too many values for a table: the multiples 2^k m that fit are taken off, from the
 * largest on, two levels each. Nothing is multiplied by m but what is known before, so that errors stay small. */
static at_var reduced(dp_compiler *c, at_var a, double m, at_var *quotient)
{
    at_program *P = c->P;
    at_var_info r = at_program_var(P, a);
    double from = floor(r.lo / m), step = 1, hi = r.hi - from * m, coef[64];
    at_var left = at_sum(P, NULL, AT_VEC(a), NULL, -from * m), fits[64];
    int n = 0;
    while (2 * step * m <= hi)
        step *= 2;
    for (; hi >= m; step /= 2) {
        if (step * m > hi)
            continue;
        fits[n] = at_at_least(P, dpc_fresh(c), left, step * m);
        at_var less = at_sum(P, NULL, AT_VEC(left), NULL, -step * m);
        left = at_select(P, dpc_fresh(c), fits[n], less, left);
        hi = fmax(step * m - 1, hi - step * m);
        left = at_known(P, dpc_fresh(c), left, 0, hi, true, -1);
        coef[n++] = step;
    }
    *quotient = n ? at_sum(P, NULL, (at_vec){n, fits}, coef, from) : at_const(P, from);
    return left;
}

/* a mod b, or floor(a/b). */
static at_var divided(dp_compiler *c, const at_dpx *e, at_var a, at_var b)
{
    enum { TABLE = 1 << 16 };
    double m;
    at_var q;
    at_var_info r = at_program_var(c->P, a);
    if (!dpc_is_const(c, b, &m) || m < 1 || m > INT_MAX)
        return dpc_fail(c, e->arg[1]->line, e->arg[1]->column, "the %s must be a constant in 1..%d",
                        e->op == AT_DPX_MOD ? "modulus" : "divisor", INT_MAX);
    if (a < 0)
        return -1;
    if (r.hi - r.lo >= TABLE) {
        at_var left = reduced(c, a, m, &q);
        return e->op == AT_DPX_MOD ? left : q;
    }
    q = at_floor_div(c->P, dpc_fresh(c), a, (int)m);
    return e->op == AT_DPX_MOD ? at_sum(c->P, NULL, AT_VEC(a, q), (double[]){1, -m}, 0) : q;
}

/* An entry of a table of the file; where nobody looks, the nearest. */
static at_var entry(dp_compiler *c, const at_dpx *e, at_var at)
{
    const at_dp_table *t = &c->d->tables[e->index];
    at_var_info r = at_program_var(c->P, at);
    double n = r.hi - r.lo + 1;
    if (at < 0)
        return -1;
    if (n > 1 << 16)
        return dpc_fail(c, e->line, e->column, "the place can be %.0f..%.0f; that is too much for a table",
                        r.lo, r.hi);
    double *values = at_calloc((size_t)n, sizeof *values);
    if (!values) {
        at_program_oom(c->P);
        return -1;
    }
    for (int k = 0; k < (int)n; k++) {
        double i = fmin(fmax(r.lo + k, 1), t->n);
        values[k] = (double)t->value[(int)i - 1];
    }
    at_var v = at_table(c->P, dpc_fresh(c), at, values);
    at_free(values);
    return v;
}

/* k of a fold: its own beginning, and as many more as the rows of the state have gone. */
static at_var over(dp_compiler *c, int k)
{
    const at_dp *d = c->d;
    const at_dp_block *b = &d->blocks[d->values[k].block];
    at_var row = c->next[d->hidden + b->n];
    if (k == b->fold)
        return row;
    at_var own = dpc_translate(c, d->values[k].lo), first = dpc_translate(c, d->values[b->fold].lo);
    return at_sum(c->P, NULL, AT_VEC(row, own, first), (double[]){1, 1, -1}, 0);
}

/* Is the next state this one? */
static at_var state_is(dp_compiler *c, int64_t rank)
{
    at_var is = at_const(c->P, rank >= 0);
    for (int m = 0; rank >= 0 && m < c->d->n_counters; m++) {
        double u = (double)c->x->state[rank * c->d->n_counters + m];
        is = at_and(c->P, dpc_fresh(c), is, at_equals(c->P, dpc_fresh(c), c->next[m], u));
    }
    return is;
}

static at_var operation(dp_compiler *c, const at_dpx *e, const at_var a[3])
{
    at_program *P = c->P;
    switch (e->op) {
    case AT_DPX_CONST:
        return at_const(P, (double)e->value);
    case AT_DPX_SIZE:
        return at_const(P, (double)c->x->size[e->index]);
    case AT_DPX_COUNTER:
        return c->next[e->index];
    case AT_DPX_TAKE:
        return dpc_take(c, e->index);
    case AT_DPX_NEED:
        return dpc_need(c, e->index, e->field);
    case AT_DPX_VALUE:
        return c->answers ? c->final[e->index] : dpc_value(c, e->index);
    case AT_DPX_OVER:
        return over(c, e->index);
    case AT_DPX_FOLD:
        return dpc_value(c, e->index);
    case AT_DPX_BEFORE:
        return c->value[e->index];
    case AT_DPX_FIRST:
        return state_is(c, c->x->first[e->index]);
    case AT_DPX_LET:
        if (c->let[e->index] < 0)
            c->let[e->index] = dpc_translate(c, c->d->lets[e->index].rule);
        return c->let[e->index];
    case AT_DPX_ADD:
        return at_add(P, a[0], a[1]);
    case AT_DPX_SUB:
        return at_sub(P, a[0], a[1]);
    case AT_DPX_MUL:
        return product(c, a[0], a[1]);
    case AT_DPX_MOD:
    case AT_DPX_DIV:
        return divided(c, e, a[0], a[1]);
    case AT_DPX_TABLE:
        return entry(c, e, a[0]);
    case AT_DPX_MIN:
        return at_min2(P, dpc_fresh(c), a[0], a[1]);
    case AT_DPX_MAX:
        return at_max2(P, dpc_fresh(c), a[0], a[1]);
    case AT_DPX_NEG:
        return at_neg(P, a[0]);
    case AT_DPX_ABS:
        return at_absolute(P, dpc_fresh(c), a[0]);
    case AT_DPX_EQ:
        return at_equals(P, dpc_fresh(c), at_sub(P, a[0], a[1]), 0);
    case AT_DPX_NE:
        return at_not(P, at_equals(P, dpc_fresh(c), at_sub(P, a[0], a[1]), 0));
    case AT_DPX_LT:
        return at_at_least(P, dpc_fresh(c), at_sub(P, a[1], a[0]), 1);
    case AT_DPX_LE:
        return at_at_least(P, dpc_fresh(c), at_sub(P, a[1], a[0]), 0);
    case AT_DPX_AND:
        return at_and(P, dpc_fresh(c), a[0], a[1]);
    case AT_DPX_OR:
        return at_or(P, dpc_fresh(c), a[0], a[1]);
    case AT_DPX_NOT:
        return at_not(P, a[0]);
    case AT_DPX_IF:
    default: /* AT_DPX_IF */
        return at_select(P, dpc_fresh(c), a[0], a[1], a[2]);
    }
}

at_var dpc_translate(dp_compiler *c, const at_dpx *e)
{
    at_var a[3] = {-1, -1, -1};
    bool keeps = !c->away && !c->answers; /* parts that stand at several places are made once */
    if (keeps && c->memo[e->node] >= 0)
        return c->memo[e->node];
    for (int k = 0; k < 3 && e->arg[k]; k++)
        a[k] = dpc_translate(c, e->arg[k]);
    dpc_place(c, e->line, e->column);
    at_var v = operation(c, e, a);
    if (keeps)
        c->memo[e->node] = v;
    at_var_info r = at_program_var(c->P, v);
    if (v >= 0 && dpc_too_large(r.lo, r.hi))
        return dpc_fail(c, e->line, e->column,
                        "this can be %.0f..%.0f at these sizes; compiled are numbers in -2^40..2^40", r.lo,
                        r.hi);
    return v;
}
