/* past_parts.c: the parts that extracted formulas are made of, in both logics. */
#include "extract_internal.h"

#include <stdio.h>
#include <string.h>

at_formula *past_const(past *p, bool value)
{
    return at_formula_const(p->f, value);
}

bool past_is(const at_formula *x, bool value)
{
    return x && x->op == AT_F_CONST && x->value == value;
}

at_formula *past_not(past *p, at_formula *x)
{
    if (!x || x->op == AT_F_CONST)
        return x ? past_const(p, !x->value) : NULL;
    return x->op == AT_F_NOT ? x->arg[0] : at_formula_one(p->f, AT_F_NOT, x);
}

at_formula *past_and(past *p, at_formula *x, at_formula *y)
{
    if (past_is(x, true) || past_is(y, false) || x == y)
        return y;
    return past_is(y, true) || past_is(x, false) ? x : at_formula_two(p->f, AT_F_AND, x, y);
}

at_formula *past_or(past *p, at_formula *x, at_formula *y)
{
    if (past_is(x, false) || past_is(y, true) || x == y)
        return y;
    return past_is(y, false) || past_is(x, true) ? x : at_formula_two(p->f, AT_F_OR, x, y);
}

/* The same, said of j. */
static at_formula *of_j(past *p, const at_formula *x)
{
    if (!x)
        return NULL;
    at_formula part = *x;
    part.other = x->op == AT_F_LETTER || x->op == AT_F_NAME;
    for (int k = 0; k < 2; k++)
        part.arg[k] = x->arg[k] ? of_j(p, x->arg[k]) : NULL;
    return at_formula_make(p->f, part);
}

at_formula *past_name(past *p, const char *begin, at_formula *x)
{
    at_formulas *f = p->f;
    char name[40];
    if (!x || !p->named || x->op == AT_F_LETTER || x->op == AT_F_NAME || x->op == AT_F_CONST)
        return x;
    int k = 0;
    while (k < f->n_names && f->names[k].body != x)
        k++;
    if (k == f->n_names) {
        snprintf(name, sizeof name, "%.20s%d", begin, k);
        while (at_alphabet_find(&f->sigma, name, strlen(name)) >= 0 && strlen(name) + 1 < sizeof name)
            strcat(name, "_");
        k = at_formulas_define(f, name, x);
    }
    return k < 0 ? NULL : at_formula_make(f, (at_formula){.op = AT_F_NAME, .index = k});
}

/* rightmost (leftmost) j [j < i, s(j)] v(j) : none */
static at_formula *search_make(past *p, bool first, at_formula *s, at_formula *v, bool none)
{
    at_formula part = {.op = AT_F_FIND, .see = AT_SEE_BEFORE, .first = first};
    part.arg[0] = of_j(p, s);
    part.arg[1] = of_j(p, v);
    part.arg[2] = past_const(p, none);
    return past_name(p, "find", at_formula_make(p->f, part));
}

at_formula *past_any(past *p, at_formula *s)
{
    if (past_is(s, false))
        return s;
    return p->named ? search_make(p, false, s, past_const(p, true), false)
                    : at_formula_one(p->f, AT_F_ONCE, s);
}

at_formula *past_found(past *p, bool first, at_formula *good, at_formula *bad, at_formula *either)
{
    if (past_is(good, false))
        return good;
    if (past_is(bad, false))
        return past_any(p, good);
    if (p->named)
        return search_make(p, first, either, good, false);
    if (first) /* a good one such that there was neither before it */
        return at_formula_one(p->f, AT_F_ONCE, past_and(p, good, past_not(p, past_any(p, either))));
    return at_formula_two(p->f, AT_F_SINCE, past_not(p, bad), good);
}

at_formula *past_previous(past *p, at_formula *v, bool none)
{
    if (v && v->op == AT_F_CONST && v->value == none)
        return v;
    if (p->named)
        return search_make(p, false, past_const(p, true), v, none);
    return at_formula_one(p->f, none ? AT_F_WEAK_PREVIOUS : AT_F_PREVIOUS, v);
}

at_status past_accept(past *p, at_formula *x, at_err *err)
{
    at_formulas *f = p->f;
    f->at = AT_AT_END;
    f->strict = !p->named;
    if (p->named && x && x->op != AT_F_NAME) { /* what is accepted has a name */
        int k = at_formulas_define(f, "accepted", x);
        x = k < 0 ? NULL : at_formula_make(f, (at_formula){.op = AT_F_NAME, .index = k});
    }
    f->accept = x;
    return past_status(p, err);
}

at_status past_status(const past *p, at_err *err)
{
    at_err why = {0};
    at_status s = at_formulas_status(p->f, &why);
    if (s == AT_EINPUT) /* more parts than a text may have */
        return at_fail(err, AT_EBUDGET, "%d parts and %d names were made: %s", p->f->n_parts, p->f->n_names,
                       why.text);
    return s ? at_fail(err, s, "%s", why.text) : AT_OK;
}

double at_formula_written(const at_formulas *f, const at_formula *x)
{
    double of[AT_FORMULA_MAX];
    for (int k = 0; k <= x->id; k++) {
        const at_formula *y = f->parts[k];
        of[k] = 1;
        for (int c = 0; c < 3; c++)
            of[k] += y->arg[c] ? of[y->arg[c]->id] : 0;
    }
    return of[x->id];
}
