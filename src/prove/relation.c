/* relation.c: the system as formulas of Z3: a state of constants, the truths over it, and the state after a letter. */
#ifdef AT_Z3

#include "solver_z3.h"

#include <stdio.h>

static Z3_ast constant(const z3_place *p, char kind, int k, int hot, const char *tail, Z3_sort sort)
{
    char name[48];
    if (hot < 0)
        snprintf(name, sizeof name, "%c%d%s", kind, k, tail);
    else
        snprintf(name, sizeof name, "%c%d_%d%s", kind, k, hot, tail);
    return p->z->Z3_mk_const(p->c, p->z->Z3_mk_string_symbol(p->c, name), sort);
}

static at_status state_room(const z3_place *p, bool hot, bool capped, at_arena *a, z3_state *out, at_err *err)
{
    const prove_system *s = p->s;
    *out = (z3_state){.p = p,
                      .count = at_new(a, Z3_ast, s->counts.n + 1),
                      .bit = at_new(a, Z3_ast, s->bits.n + 1),
                      .part = at_new(a, Z3_ast, s->parts.n + 1),
                      .hot = hot ? at_new(a, Z3_ast *, s->parts.n + 1) : NULL,
                      .capped = capped,
                      .node = at_new(a, Z3_ast, s->nodes.n)};
    bool all = out->count && out->bit && out->part && out->node && (!hot || out->hot);
    for (int k = 0; k < s->parts.n && all && hot; k++) {
        out->hot[k] = at_new(a, Z3_ast, s->parts.at[k].states);
        all = out->hot[k];
    }
    return all ? AT_OK : at_oom(err);
}

at_status z3_state_new(const z3_place *p, const char *tail, bool hot, bool capped, at_arena *a, z3_state *out,
                       at_err *err)
{
    const prove_system *s = p->s;
    at_status st = state_room(p, hot, capped, a, out, err);
    if (st)
        return st;
    for (int k = 0; k < s->counts.n; k++)
        if (s->counts.at[k].live)
            out->count[k] = constant(p, 'c', k, -1, tail, p->whole);
    for (int k = 0; k < s->bits.n; k++)
        if (s->bits.at[k].live)
            out->bit[k] = constant(p, 'b', k, -1, tail, p->truth);
    for (int k = 0; k < s->parts.n; k++) {
        if (s->parts.at[k].live && !hot)
            out->part[k] = constant(p, 'q', k, -1, tail, p->whole);
        for (int q = 0; q < s->parts.at[k].states && s->parts.at[k].live && hot; q++)
            out->hot[k][q] = constant(p, 'q', k, q, tail, p->truth);
    }
    return AT_OK;
}

static Z3_ast part_is(const z3_state *x, int part, int q)
{
    return x->hot ? x->hot[part][q] : x->p->z->Z3_mk_eq(x->p->c, x->part[part], z3_number(x->p, q));
}

static Z3_ast set_node(z3_state *x, const prove_set *set)
{
    const z3_place *p = x->p;
    Z3_ast any = p->z->Z3_mk_false(p->c);
    for (int q = 0; q < p->s->parts.at[set->part].states; q++)
        if (set->in[q]) {
            Z3_ast two[2] = {any, part_is(x, set->part, q)};
            any = z3_any(p, 2, two);
        }
    return any;
}

static Z3_ast less_node(z3_state *x, const prove_form *f, int64_t k)
{
    Z3_ast count[AT_PROVE_COUNTS];
    for (int i = 0; i < f->n; i++)
        count[i] = x->count[f->count[i]];
    return x->p->z->Z3_mk_le(x->p->c, z3_linear(x->p, f->n, f->coef, count, 0), z3_number(x->p, k));
}

Z3_ast z3_state_node(z3_state *x, int node)
{
    const z3_place *p = x->p;
    const prove_node *n = &p->s->nodes.at[node];
    if (x->node[node])
        return x->node[node];
    Z3_ast two[2], out = NULL;
    switch (n->op) {
    case PN_FALSE:
        out = p->z->Z3_mk_false(p->c);
        break;
    case PN_TRUE:
        out = p->z->Z3_mk_true(p->c);
        break;
    case PN_BIT:
        out = x->bit[n->a];
        break;
    case PN_IN:
        out = set_node(x, &p->s->sets.at[n->b]);
        break;
    case PN_NOT:
        out = p->z->Z3_mk_not(p->c, z3_state_node(x, n->a));
        break;
    case PN_AND:
    case PN_OR:
        two[0] = z3_state_node(x, n->a);
        two[1] = z3_state_node(x, n->b);
        out = n->op == PN_AND ? z3_all(p, 2, two) : z3_any(p, 2, two);
        break;
    case PN_LESS:
        out = less_node(x, &p->s->forms.at[n->a], n->k);
        break;
    }
    return x->node[node] = out;
}

static Z3_ast count_next(z3_state *x, int k, int letter)
{
    const z3_place *p = x->p;
    const z3_calls *z = p->z;
    const prove_count *c = &p->s->counts.at[k];
    if (!c->by[letter])
        return x->count[k];
    Z3_ast two[2] = {x->count[k], z3_number(p, 1)}, more = z->Z3_mk_add(p->c, 2, two);
    if (c->by[letter] != 1)
        more = z->Z3_mk_ite(p->c, z3_state_node(x, c->by[letter]), more, x->count[k]);
    if (!x->capped || !c->cap)
        return more;
    Z3_ast full = z->Z3_mk_ge(p->c, x->count[k], z3_number(p, c->cap));
    return z->Z3_mk_ite(p->c, full, x->count[k], more);
}

static void part_next(z3_state *x, int k, int letter, z3_state *out)
{
    const z3_place *p = x->p;
    const prove_part *t = &p->s->parts.at[k];
    if (!x->hot) {
        Z3_ast to = z3_number(p, t->to[letter]);
        for (int q = 1; q < t->states; q++)
            to = p->z->Z3_mk_ite(p->c, part_is(x, k, q), z3_number(p, t->to[q * p->s->S + letter]), to);
        out->part[k] = to;
        return;
    }
    for (int q = 0; q < t->states; q++)
        out->hot[k][q] = p->z->Z3_mk_false(p->c);
    for (int q = 0; q < t->states; q++) {
        Z3_ast *to = &out->hot[k][t->to[q * p->s->S + letter]];
        Z3_ast two[2] = {*to, x->hot[k][q]};
        *to = z3_any(p, 2, two);
    }
}

at_status z3_state_next(z3_state *x, int letter, at_arena *a, z3_state *out, at_err *err)
{
    const prove_system *s = x->p->s;
    at_status st = state_room(x->p, x->hot != NULL, x->capped, a, out, err);
    if (st)
        return st;
    for (int k = 0; k < s->counts.n; k++)
        if (x->count[k])
            out->count[k] = count_next(x, k, letter);
    for (int k = 0; k < s->bits.n; k++)
        if (x->bit[k])
            out->bit[k] = z3_state_node(x, s->bits.at[k].next[letter]);
    for (int k = 0; k < s->parts.n; k++)
        if (s->parts.at[k].live)
            part_next(x, k, letter, out);
    return AT_OK;
}

int z3_state_list(const z3_state *x, Z3_ast *out)
{
    const prove_system *s = x->p->s;
    int n = 0;
    for (int k = 0; k < s->counts.n; k++)
        if (x->count[k]) {
            if (out)
                out[n] = x->count[k];
            n++;
        }
    for (int k = 0; k < s->bits.n; k++)
        if (x->bit[k]) {
            if (out)
                out[n] = x->bit[k];
            n++;
        }
    for (int k = 0; k < s->parts.n; k++)
        for (int q = 0; q < (x->hot ? s->parts.at[k].states : 1) && s->parts.at[k].live; q++) {
            if (out)
                out[n] = x->hot ? x->hot[k][q] : x->part[k];
            n++;
        }
    return n;
}

Z3_ast z3_state_first(const z3_state *x, at_arena *a)
{
    const z3_place *p = x->p;
    const z3_calls *z = p->z;
    const prove_system *s = p->s;
    Z3_ast *all = at_new(a, Z3_ast, z3_state_list(x, NULL) + 1);
    int n = 0;
    if (!all)
        return NULL;
    for (int k = 0; k < s->counts.n; k++)
        if (x->count[k])
            all[n++] = z->Z3_mk_eq(p->c, x->count[k], z3_number(p, 0));
    for (int k = 0; k < s->bits.n; k++)
        if (x->bit[k])
            all[n++] = s->bits.at[k].initial ? x->bit[k] : z->Z3_mk_not(p->c, x->bit[k]);
    for (int k = 0; k < s->parts.n; k++)
        for (int q = 0; q < s->parts.at[k].states && s->parts.at[k].live; q++) {
            if (!x->hot && q != s->parts.at[k].start)
                continue;
            Z3_ast is = part_is(x, k, q);
            all[n++] = q == s->parts.at[k].start ? is : z->Z3_mk_not(p->c, is);
        }
    return z3_all(p, n, all);
}

Z3_ast z3_state_sane(const z3_state *x, at_arena *a)
{
    const z3_place *p = x->p;
    const z3_calls *z = p->z;
    const prove_system *s = p->s;
    Z3_ast *all = at_new(a, Z3_ast, s->counts.n + 2 * s->parts.n + 1);
    int n = 0;
    if (!all)
        return NULL;
    for (int k = 0; k < s->counts.n; k++)
        if (x->count[k])
            all[n++] = z->Z3_mk_ge(p->c, x->count[k], z3_number(p, 0));
    for (int k = 0; k < s->parts.n && !x->hot; k++)
        if (s->parts.at[k].live) {
            all[n++] = z->Z3_mk_ge(p->c, x->part[k], z3_number(p, 0));
            all[n++] = z->Z3_mk_le(p->c, x->part[k], z3_number(p, s->parts.at[k].states - 1));
        }
    return z3_all(p, n, all);
}

#else
typedef int relation_unused;
#endif
