/* formula_find.c: formulas that look for a position: FIND, since, until and the others. */
#include "formula_maker.h"

enum { FACTS = 6 }; /* of i in a score: there are 2^FACTS keys */

/* ---- finding a position ------------------------------------------------------------------------------------------ */

/* Attention to the last (first) j of the mask with the largest sum of query times key, which is 1 or 0. The first of values. x: what it is
 * for; NULL: the verdict. */
static at_var find_attend(maker *k, const at_formula *x, bool first, at_see see, at_vec query, at_vec key,
                          at_vec values)
{
    static const at_weighting kinds[AT_ATTENDS] = {AT_RIGHTMOST_HARD, AT_SOFTMAX, AT_AVERAGE_HARD,
                                                   AT_RIGHTMOST_HARD, AT_LEFTMOST_HARD};
    at_formula_attend how = k->f->attend;
    bool own = how == AT_ATTEND_OWN || how == (first ? AT_ATTEND_LEFTMOST : AT_ATTEND_RIGHTMOST);
    at_attention a = {.query = query,
                      .key = key,
                      .value = values,
                      .weighting = how == AT_ATTEND_OWN && first ? AT_LEFTMOST_HARD : kinds[how],
                      .mask = formula_mask(k, see),
                      .gap = 1};
    at_var q[(1 << FACTS) + 1], c[(1 << FACTS) + 1];
    if (!own) {
        double each = 0.5 / (k->T + 1);
        for (int n = 0; n < query.n; n++)
            q[n] = query.v[n], c[n] = key.v[n];
        q[query.n] = at_const(k->P, k->o->unsorted ? 0 : first ? -each : each);
        c[query.n] = k->here;
        a.query = (at_vec){query.n + 1, q};
        a.key = (at_vec){query.n + 1, c};
        a.gap = each;
        a.unique = true;
        a.most = 1;
    }
    formula_serves(k, &x, x ? 1 : 0);
    at_var got = at_attend(k->P, x ? formula_label(k, x, "") : "verdict", &a);
    formula_serves(k, NULL, 0);
    return got;
}

/* value at the last (first) j of the mask where score holds; 0 where there is none. */
at_var formula_find_simple(maker *k, const at_formula *x, bool first, at_see see, at_var score, at_var value)
{
    return find_attend(k, x, first, see, AT_VEC(at_const(k->P, 1)), AT_VEC(score), AT_VEC(value));
}

/* ---- temporal operators -------------------------------------------------------------------------------------------- */

/* Strictly: there is a j with g, and f at all between. The nearest j where f ends or g begins decides. f NULL: true. */
static at_var strict_until(maker *k, const at_formula *x, at_var f, at_var g, bool back)
{
    at_program *P = k->P;
    at_var both = formula_real(k, NULL, g), score = both;
    if (f >= 0)
        score = formula_real(k, NULL, at_any(P, formula_label(k, x, "stops"), AT_VEC(at_not(P, f), g)));
    return formula_find_simple(k, x, !back, back ? AT_SEE_BEFORE : AT_SEE_AFTER, score, both);
}

/* g, or f and what is strictly so; or strictly so alone. */
static at_var until(maker *k, const at_formula *x, at_var f, at_var g, bool back)
{
    at_var strict = strict_until(k, x, f, g, back);
    if (k->f->strict)
        return strict;
    at_var later = f >= 0 ? at_all(k->P, formula_label(k, x, "on"), AT_VEC(f, strict)) : strict;
    return at_any(k->P, formula_label(k, x, "now"), AT_VEC(g, later));
}

at_var formula_temporal(maker *k, const at_formula *x)
{
    at_program *P = k->P;
    at_var a = formula_truth(k, x->arg[0]), b = x->arg[1] ? formula_truth(k, x->arg[1]) : -1;
    bool back = x->op <= AT_F_SINCE;
    at_see see = back ? AT_SEE_BEFORE : AT_SEE_AFTER;
    switch ((int)x->op) {
    case AT_F_PREVIOUS:
    case AT_F_NEXT:
        return formula_find_simple(k, x, !back, see, k->real, formula_real(k, x->arg[0], a));
    case AT_F_WEAK_PREVIOUS:
    case AT_F_WEAK_NEXT:
        return at_not(P, formula_find_simple(k, x, !back, see, k->real, formula_real(k, NULL, at_not(P, a))));
    case AT_F_ONCE:
    case AT_F_EVENTUALLY:
        return until(k, x, -1, a, back);
    case AT_F_HENCE:
    case AT_F_ALWAYS:
        return at_not(P, until(k, x, -1, at_not(P, a), back));
    case AT_F_WEAK_UNTIL: /* not (not g U (not f and not g)) */
        return at_not(P, until(k, x, at_not(P, b),
                               at_all(P, formula_label(k, x, "neither"), AT_VEC(at_not(P, a), at_not(P, b))),
                               false));
    case AT_F_RELEASE:
        return at_not(P, until(k, x, at_not(P, a), at_not(P, b), false));
    default: /* since, until */
        return until(k, x, a, b, back);
    }
}

/* ---- FIND ----------------------------------------------------------------------------------------------------------- */

typedef struct {
    int n;
    const at_formula *of[32];
    at_var v[32];
} facts;

/* Only of j: every leaf is. */
static bool of_j(const at_formula *x)
{
    if (!x->two)
        return false;
    if (x->op == AT_F_NAME || x->other)
        return true;
    return of_j(x->arg[0]) && (!x->arg[1] || of_j(x->arg[1]));
}

/* The largest parts that are of i alone (or of j alone); constants are none. */
static void facts_take(maker *k, const at_formula *x, bool j, facts *out)
{
    if (x->op == AT_F_CONST)
        return;
    if (j ? of_j(x) : !x->two) {
        for (int n = 0; n < out->n; n++)
            if (out->of[n] == x)
                return;
        if (out->n == 32)
            formula_refuse(k, "a score or value that speaks of more than 32 facts");
        else
            out->of[out->n++] = x;
        return;
    }
    for (int n = 0; n < 2 && x->two && x->op != AT_F_NAME && !x->other; n++)
        if (x->arg[n])
            facts_take(k, x->arg[n], j, out);
}

/* x as a truth of one position, with these facts as they are given; what is left of it is said of that position. */
static at_var pair_make(maker *k, const at_formula *x, const facts *given)
{
    for (int n = 0; given && n < given->n; n++)
        if (given->of[n] == x)
            return given->v[n];
    if (!x->two)
        return formula_truth(k, x);
    if (x->op == AT_F_NAME)
        return formula_truth(k, formula_body(k->f, x));
    if (x->op == AT_F_LETTER)
        return k->letter[x->index];
    if (x->op == AT_F_CLASS || x->op == AT_F_SET || x->op == AT_F_CONST) {
        for (int n = 0; n < k->f->n_parts; n++) { /* the same, said of i */
            const at_formula *y = k->f->parts[n];
            if (y->op == x->op && y->index == x->index && y->modulus == x->modulus && y->value == x->value &&
                !y->other)
                return formula_truth(k, y);
        }
        return formula_refuse(k, "a predicate of positions that is said of j alone");
    }
    at_program *P = k->P;
    at_var a = pair_make(k, x->arg[0], given), b = x->arg[1] ? pair_make(k, x->arg[1], given) : -1;
    const char *name = formula_label(k, x, "");
    if (x->op == AT_F_NOT)
        return at_not(P, a);
    if (x->op == AT_F_AND)
        return at_all(P, name, AT_VEC(a, b));
    if (x->op == AT_F_OR)
        return at_any(P, name, AT_VEC(a, b));
    if (x->op == AT_F_IMPLIES)
        return at_any(P, name, AT_VEC(at_not(P, a), b));
    at_var both = at_all(P, name, AT_VEC(a, b)), one = at_any(P, name, AT_VEC(a, b));
    return at_not(P, at_sub(P, one, both));
}

/* V where S was found, D elsewhere. */
static at_var found_or(maker *k, const at_formula *x, at_var found, at_var v)
{
    const at_formula *d = x->arg[2];
    at_program *P = k->P;
    if (formula_is_const(x->arg[1], 1) && formula_is_const(d, 0))
        return found;
    at_var hit = at_all(P, formula_label(k, x, "hit"), AT_VEC(found, v));
    if (formula_is_const(d, 0))
        return hit;
    at_var miss = at_all(P, formula_label(k, x, "miss"), AT_VEC(at_not(P, found), formula_truth(k, d)));
    return at_known(P, formula_label(k, x, "either"), at_add(P, hit, miss), 0, 1, true, -1);
}

at_var formula_find(maker *k, const at_formula *x)
{
    at_program *P = k->P;
    const at_formula *S = x->arg[0], *V = x->arg[1];
    facts mine = {0}, its = {0};
    facts_take(k, S, false, &mine);
    facts_take(k, V, true, &its);
    if (mine.n > FACTS)
        return formula_refuse(k, "a score that depends on more than 6 facts of i");
    int keys = 1 << mine.n, n = 0;
    at_var query[1 << FACTS], key[1 << FACTS], value[(1 << FACTS) + 32];
    for (int c = 0; c < keys; c++) {
        at_var side[FACTS];
        facts given = mine;
        for (int m = 0; m < mine.n; m++) {
            at_var b = formula_truth(k, mine.of[m]);
            given.v[m] = at_const(P, c >> m & 1);
            side[m] = c >> m & 1 ? b : at_not(P, b);
        }
        query[c] = mine.n ? at_all(P, formula_label(k, x, "query"), (at_vec){mine.n, side}) : at_const(P, 1);
        key[c] = value[n++] = formula_real(k, NULL, pair_make(k, S, &given));
    }
    for (int m = 0; m < its.n; m++)
        value[n++] = pair_make(k, its.of[m], NULL);
    at_var got =
        find_attend(k, x, x->first, x->see, (at_vec){keys, query}, (at_vec){keys, key}, (at_vec){n, value});
    if (got < 0)
        return -1;
    at_var hit[1 << FACTS];
    for (int c = 0; c < keys; c++)
        hit[c] = mine.n ? at_all(P, formula_label(k, x, "there"), AT_VEC(query[c], got + c)) : got + c;
    at_var found = hit[0];
    for (int c = 1; c < keys; c++) /* the assignments exclude each other */
        found = at_add(P, found, hit[c]);
    if (keys > 1)
        found = at_known(P, formula_label(k, x, "found"), found, 0, 1, true, -1);
    for (int m = 0; m < its.n; m++)
        its.v[m] = got + keys + m;
    return found_or(k, x, found, pair_make(k, V, &its));
}
