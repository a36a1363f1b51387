/* recheck.c: an invariant, whoever found it, shown again: a formula of SMT-LIB as text, and the system as it is written, in a new
 * context. Counts are not capped here and automata are numbers: another way to write the system than the one that found it.
 *
 *     first:  the first state satisfies it
 *     step:   after every letter it holds again
 *     safe:   no state in it is bad; or (k > 1) none after k - 1 steps through states that are not, and no word of fewer than k
 *             letters leads to one */
#ifdef AT_Z3

#include "solver_z3.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    z3_place place;
    z3_state x;
    Z3_ast holds; /* the invariant of x */
    int n;
    Z3_ast *list; /* (n) variables of x */
} checker;

static void text_make(const at_invariant *v, at_text *t)
{
    at_text_addf(t, "(assert (%s %s", v->any ? "or" : "and", v->any ? "false" : "true");
    for (int k = 0; k < v->n; k++)
        at_text_addf(t, " %s", v->part[k]);
    at_text_add(t, "))");
}

static at_status parse(checker *c, const at_invariant *v, at_arena *a, at_err *err)
{
    const z3_place *p = &c->place;
    const z3_calls *z = p->z;
    Z3_symbol *names = at_new(a, Z3_symbol, c->n + 1);
    Z3_func_decl *decls = at_new(a, Z3_func_decl, c->n + 1);
    at_text t;
    at_text_init(&t);
    text_make(v, &t);
    if (!names || !decls || t.oom) {
        at_text_release(&t);
        return at_oom(err);
    }
    for (int k = 0; k < c->n; k++) {
        decls[k] = z->Z3_get_app_decl(p->c, z->Z3_to_app(p->c, c->list[k]));
        names[k] = z->Z3_get_decl_name(p->c, decls[k]);
    }
    Z3_ast_vector said = z->Z3_parse_smtlib2_string(p->c, t.s, 0, NULL, NULL, (unsigned)c->n, names, decls);
    at_text_release(&t);
    if (!said || z->Z3_get_error_code(p->c))
        return at_fail(err, AT_EINPUT, "the invariant is no formula over the variables of the question");
    z->Z3_ast_vector_inc_ref(p->c, said);
    bool one = z->Z3_ast_vector_size(p->c, said) == 1;
    if (one)
        c->holds = z->Z3_ast_vector_get(p->c, said, 0);
    else /* "true" may come back as nothing at all */
        c->holds = z->Z3_mk_true(p->c);
    z->Z3_ast_vector_dec_ref(p->c, said);
    return AT_OK;
}

static Z3_ast bad_of(z3_state *x)
{
    const prove_system *s = x->p->s;
    Z3_ast all[AT_LETTERS_MAX + 1];
    int n = 0;
    for (int a = 0; a <= s->S; a++)
        if (s->bad[a])
            all[n++] = z3_state_node(x, s->bad[a]);
    return z3_any(x->p, n, all);
}

/* y is the state after some letter. */
static at_status step_of(z3_state *x, const z3_state *y, at_arena *a, Z3_ast *out, at_err *err)
{
    const z3_place *p = x->p;
    int n = z3_state_list(x, NULL);
    Z3_ast any[AT_LETTERS_MAX];
    Z3_ast *left = at_new(a, Z3_ast, n + 1), *right = at_new(a, Z3_ast, n + 1);
    if (!left || !right)
        return at_oom(err);
    z3_state_list(y, left);
    for (int letter = 0; letter < p->s->S; letter++) {
        z3_state next;
        at_status st = z3_state_next(x, letter, a, &next, err);
        if (st)
            return st;
        z3_state_list(&next, right);
        for (int k = 0; k < n; k++)
            right[k] = p->z->Z3_mk_eq(p->c, left[k], right[k]);
        any[letter] = z3_all(p, n, right);
    }
    *out = z3_any(p, p->s->S, any);
    return AT_OK;
}

/* k states in a row, the first `first`, all but the last good, the last bad. */
static at_status row_check(checker *c, Z3_ast first, int k, at_arena *a, at_tri *out, at_err *err)
{
    const z3_place *p = &c->place;
    Z3_ast all[32];
    int n = 0;
    all[n++] = first;
    z3_state *x = &c->x;
    at_status st = AT_OK;
    for (int i = 1; i < k && !st; i++) {
        char tail[16];
        snprintf(tail, sizeof tail, "_%d", i);
        z3_state *y = at_new(a, z3_state, 1);
        st = y ? z3_state_new(p, tail, false, false, a, y, err) : at_oom(err);
        if (st)
            break;
        all[n++] = p->z->Z3_mk_not(p->c, bad_of(x));
        st = step_of(x, y, a, &all[n++], err);
        x = y;
    }
    if (st)
        return st;
    all[n++] = bad_of(x);
    *out = z3_check(p, n, all);
    return AT_OK;
}

/* Are all three impossible? */
static at_status queries(checker *c, const at_invariant *v, at_arena *a, at_tri *out, const char **why,
                         at_err *err)
{
    const z3_place *p = &c->place;
    const z3_calls *z = p->z;
    Z3_ast two[2] = {z3_state_first(&c->x, a), z->Z3_mk_not(p->c, c->holds)};
    Z3_ast *next = at_new(a, Z3_ast, c->n + 1);
    if (!two[0] || !next)
        return at_oom(err);
    *why = "first";
    at_tri found = z3_check(p, 2, two);
    for (int letter = 0; letter < p->s->S && found == AT_FALSE; letter++) {
        z3_state after;
        *why = "step";
        at_status st = z3_state_next(&c->x, letter, a, &after, err);
        if (st)
            return st;
        z3_state_list(&after, next);
        Z3_ast then = z->Z3_substitute(p->c, c->holds, (unsigned)c->n, c->list, next);
        two[0] = c->holds;
        two[1] = then ? z->Z3_mk_not(p->c, then) : NULL;
        found = then ? z3_check(p, 2, two) : AT_UNKNOWN;
    }
    if (found == AT_FALSE) {
        *why = "safe";
        at_status st = row_check(c, c->holds, v->k > 1 ? v->k : 1, a, &found, err);
        for (int k = 1; k < v->k && !st && found == AT_FALSE; k++)
            st = row_check(c, z3_state_first(&c->x, a), k, a, &found, err);
        if (st)
            return st;
    }
    *out = found == AT_FALSE ? AT_TRUE : found == AT_TRUE ? AT_FALSE : AT_UNKNOWN;
    if (*out == AT_TRUE)
        *why = NULL;
    return at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted") : AT_OK;
}

at_status prove_solver_recheck(prove_solver *v, const at_invariant *x, at_arena *a, at_tri *out,
                               const char **why, at_err *err)
{
    checker c = {0};
    *out = AT_UNKNOWN;
    if (x->k > 8)
        return at_fail(err, AT_EINPUT, "an induction of more than 8 steps");
    at_status st = z3_place_open(&c.place, v->place.s, v->steps, err);
    if (!st)
        st = z3_state_new(&c.place, "", false, false, a, &c.x, err);
    if (!st) {
        c.n = z3_state_list(&c.x, NULL);
        c.list = at_new(a, Z3_ast, c.n + 1);
        st = c.list ? AT_OK : at_oom(err);
    }
    if (!st) {
        z3_state_list(&c.x, c.list);
        st = parse(&c, x, a, err);
    }
    if (!st)
        st = queries(&c, x, a, out, why, err);
    z3_place_close(&c.place);
    return st;
}

#else
typedef int recheck_unused;
#endif
