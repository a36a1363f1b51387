/* formula_count.c: counts as means, comparisons of them, and the integers themselves where these are needed. */
#include <stdio.h>

#include "formula_maker.h"

static at_weighting mean_weighting(const maker *k)
{
    return k->f->attend == AT_ATTEND_AVERAGE ? AT_AVERAGE_HARD : AT_SOFTMAX;
}

/* ---- counts ------------------------------------------------------------------------------------------------------------ */

family formula_family(const at_formula *x)
{
    return x->see == AT_SEE_ALL ? ALL : x->see < AT_SEE_FROM ? PAST : FUTURE;
}

/* Which families of counts a number is made of, as bits. */
unsigned formula_families(const maker *k, const at_formula *x)
{
    x = formula_body(k->f, x);
    if (x->op == AT_F_COUNT)
        return 1u << formula_family(x);
    unsigned any = 0;
    for (int n = x->op == AT_F_IF; n < 3 && x->arg[n] && x->op > AT_F_COUNT; n++)
        any |= formula_families(k, x->arg[n]);
    return any;
}

static bool is_count(const maker *k, int part, family of, int depth)
{
    const at_formula *x = k->f->parts[part];
    return k->used[part] && x->op == AT_F_COUNT && formula_family(x) == of &&
           k->depth[formula_body(k->f, x->arg[0])->id] == depth;
}

/* All counts of one family over truths of one depth: one head. */
static void counts_make(maker *k, family of, int depth)
{
    static const at_see all[FAMILIES] = {AT_SEE_UPTO, AT_SEE_FROM, AT_SEE_ALL};
    int n = 0;
    at_program *P = k->P;
    at_var *value = at_new(&k->arena, at_var, k->f->n_parts + 1);
    const at_formula **counts = at_new(&k->arena, const at_formula *, k->f->n_parts + 1);
    if (!value || !counts) {
        k->status = at_oom(k->err);
        return;
    }
    for (int c = 0; c < k->f->n_parts; c++)
        if (is_count(k, c, of, depth)) {
            counts[n] = k->f->parts[c];
            value[n++] = formula_real(k, k->f->parts[c]->arg[0], formula_truth(k, k->f->parts[c]->arg[0]));
        }
    value[n] = of == FUTURE ? k->end_mark : k->begin_mark;
    char name[32];
    snprintf(name, sizeof name, "counts%d.%d", (int)of, depth);
    formula_serves(k, counts, n);
    at_var mean = at_mean(P, name, (at_vec){n + 1, value}, mean_weighting(k), formula_mask(k, all[of]));
    formula_serves(k, NULL, 0);
    if (mean < 0)
        return;
    if (k->u[of] < 0)
        k->u[of] = mean + n;
    n = 0;
    for (int c = 0; c < k->f->n_parts; c++)
        if (is_count(k, c, of, depth)) {
            const at_formula *x = k->f->parts[c];
            at_var own = value[n];
            k->count[c] = mean + n++;
            if (x->see == AT_SEE_BEFORE || x->see == AT_SEE_AFTER) /* without itself */
                k->count[c] = at_sub(P, k->count[c],
                                     at_select(P, formula_label(k, x, "own"), own, k->u[of], at_const(P, 0)));
        }
}

/* x u, all of its counts being of this family. */
static at_var ratio_make(maker *k, const at_formula *x, family of)
{
    at_program *P = k->P;
    x = formula_body(k->f, x);
    if (x->op == AT_F_COUNT) {
        if (k->count[x->id] < 0)
            counts_make(k, of, k->depth[formula_body(k->f, x->arg[0])->id]);
        return k->count[x->id];
    }
    if (x->op == AT_F_NUMBER)
        return at_scaled(P, (double)x->value, k->u[of]);
    if (x->op == AT_F_IF) {
        at_var b = formula_truth(k, x->arg[0]), y = ratio_make(k, x->arg[1], of),
               z = ratio_make(k, x->arg[2], of);
        return at_select(P, formula_label(k, x, ""), b, y, z);
    }
    at_var a = ratio_make(k, x->arg[0], of), b = x->arg[1] ? ratio_make(k, x->arg[1], of) : -1;
    return x->op == AT_F_ADD     ? at_add(P, a, b)
           : x->op == AT_F_SUB   ? at_sub(P, a, b)
           : x->op == AT_F_TIMES ? at_scaled(P, (double)x->value, a)
           : x->op == AT_F_MIN   ? at_min2(P, formula_label(k, x, ""), a, b)
                                 : at_max2(P, formula_label(k, x, ""), a, b);
}

/* The counts of a number come first: with them comes u, which its constants are multiples of. */
static void counts_first(maker *k, const at_formula *x, family of)
{
    x = formula_body(k->f, x);
    if (x->op == AT_F_COUNT)
        ratio_make(k, x, of);
    for (int n = x->op == AT_F_IF; n < 3 && x->arg[n] && x->op > AT_F_COUNT; n++)
        counts_first(k, x->arg[n], of);
}

/* What stands at the position that a count names. */
static at_var lookup_make(maker *k, const at_formula *x, const char *what, at_var value)
{
    at_counting how = {
        .weighting = mean_weighting(k), .here = k->here, .here2 = k->here2, .least = 1.0 / k->T};
    at_var cu = ratio_make(k, x, formula_family(x));
    return at_at_count(k->P, formula_label(k, x, what), cu, k->u[formula_family(x)], AT_VEC(value), &how);
}

static at_var integer_make(maker *k, const at_formula *x)
{
    at_program *P = k->P;
    x = formula_body(k->f, x);
    at_var *made = &k->integer[x->id];
    if (*made >= 0)
        return *made;
    if (x->op == AT_F_COUNT)
        return *made = at_known(P, formula_label(k, x, "whole"), lookup_make(k, x, "look-up", k->here), 0,
                                k->N, true, -1);
    if (x->op == AT_F_NUMBER)
        return *made = at_const(P, (double)x->value);
    if (x->op == AT_F_IF) {
        at_var b = formula_truth(k, x->arg[0]), y = integer_make(k, x->arg[1]),
               z = integer_make(k, x->arg[2]);
        return *made = at_select(P, formula_label(k, x, ""), b, y, z);
    }
    at_var a = integer_make(k, x->arg[0]), b = x->arg[1] ? integer_make(k, x->arg[1]) : -1;
    return *made = x->op == AT_F_ADD     ? at_add(P, a, b)
                   : x->op == AT_F_SUB   ? at_sub(P, a, b)
                   : x->op == AT_F_TIMES ? at_scaled(P, (double)x->value, a)
                   : x->op == AT_F_MIN   ? at_min2(P, formula_label(k, x, ""), a, b)
                                         : at_max2(P, formula_label(k, x, ""), a, b);
}

/* A number that is congruent to x, and small. */
static at_var residue_make(maker *k, const at_formula *x, int m)
{
    at_program *P = k->P;
    x = formula_body(k->f, x);
    if (x->op == AT_F_COUNT) {
        double *row = at_new(&k->arena, double, k->T);
        if (!row) {
            k->status = at_oom(k->err);
            return -1;
        }
        for (int t = 0; t < k->T; t++)
            row[t] = t % m;
        return lookup_make(k, x, "residue", at_position_rows(P, formula_label(k, x, "mod"), 1, row));
    }
    if (x->op == AT_F_NUMBER)
        return at_const(P, (double)(x->value % m));
    if (x->op == AT_F_ADD || x->op == AT_F_SUB) {
        at_var a = residue_make(k, x->arg[0], m), b = residue_make(k, x->arg[1], m);
        return x->op == AT_F_ADD ? at_add(P, a, b) : at_sub(P, a, b);
    }
    if (x->op == AT_F_TIMES)
        return at_scaled(P, (double)(x->value % m), residue_make(k, x->arg[0], m));
    return integer_make(k, x);
}

at_var formula_congruent(maker *k, const at_formula *x)
{
    at_var r = residue_make(k, x->arg[0], x->modulus);
    if (r < 0)
        return -1;
    at_var_info i = at_program_var(k->P, r);
    if (i.hi - i.lo > 1 << 20)
        return formula_refuse(k, "a congruence of numbers that may be a million apart");
    double *table = at_new(&k->arena, double, (size_t)(i.hi - i.lo) + 1);
    if (!table) {
        k->status = at_oom(k->err);
        return -1;
    }
    for (int64_t v = (int64_t)i.lo; v <= (int64_t)i.hi; v++)
        table[v - (int64_t)i.lo] = (v % x->modulus + x->modulus) % x->modulus == x->index;
    return at_table(k->P, formula_label(k, x, ""), r, table);
}

/* [d >= 0] for an integer d that is known as d u. */
static at_var sign_make(maker *k, const char *name, at_var d, at_var u)
{
    at_program *P = k->P;
    double half = 0.5 / k->T, slope = k->o->slope > 0 ? k->o->slope : 1;
    at_var x = at_sum(P, NULL, AT_VEC(d, u), (double[]){1, 0.5}, 0);
    return k->o->slope > 0 ? at_ramp(P, name, x, -half / slope, half / slope) : at_compare(P, name, x, half);
}

at_var formula_compare(maker *k, const at_formula *x)
{
    at_program *P = k->P;
    unsigned of = formula_families(k, x->arg[0]) | formula_families(k, x->arg[1]);
    const char *less = formula_label(k, x, "less"), *more = formula_label(k, x, "more");
    if (of == 1u << PAST || of == 1u << FUTURE || of == 1u << ALL) {
        family one = of == 1u << PAST ? PAST : of == 1u << FUTURE ? FUTURE : ALL;
        counts_first(k, x->arg[0], one);
        counts_first(k, x->arg[1], one);
        at_var a = ratio_make(k, x->arg[0], one), b = ratio_make(k, x->arg[1], one);
        at_var up = at_sub(P, b, a), down = at_sub(P, a, b);
        if (x->op == AT_F_LESS)
            return at_not(P, sign_make(k, less, down, k->u[one]));
        at_var most = sign_make(k, less, up, k->u[one]);
        if (x->op == AT_F_LESS_EQUAL)
            return most;
        return at_all(P, formula_label(k, x, ""), AT_VEC(most, sign_make(k, more, down, k->u[one])));
    }
    at_var up = at_sub(P, integer_make(k, x->arg[1]), integer_make(k, x->arg[0]));
    return x->op == AT_F_EQUAL ? at_equals(P, formula_label(k, x, ""), up, 0)
                               : at_at_least(P, less, up, x->op == AT_F_LESS);
}
