/* rasp_scope.c: names and what they are bound to, and the nodes that values become, when a program is made flat. */
#include <stdio.h>
#include <string.h>

#include "rasp_fold.h"

const char *const fold_value_names[] = {"nothing", "a value", "an s-op",    "a selector",
                                        "a list",  "a dict",  "a function", "a function"};

at_status fold_fail(const folder *f, const rasp_expr *e, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    e = f->call ? f->call : e;
    return at_fail(f->r->err, AT_EINPUT, "%.150s:%d:%d: %s", f->r->path, e->line, e->column, text);
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

binding *fold_binding(const scope *s, int symbol)
{
    if (s->of)
        return s->of[symbol];
    for (binding *b = s->list; b; b = b->next)
        if (b->symbol == symbol)
            return b;
    return NULL;
}

at_status fold_bind(folder *f, scope *s, int symbol, const value *v)
{
    binding *b = fold_binding(s, symbol);
    if (!b) {
        if (!(b = at_new(f->r->a, binding, 1)))
            return at_oom(f->r->err);
        b->symbol = symbol;
        if (s->of)
            s->of[symbol] = b;
        else {
            b->next = s->list;
            s->list = b;
        }
    }
    b->v = *v;
    b->order = ++f->order;
    return AT_OK;
}

at_status fold_unknown(const folder *f, const scope *s, const rasp_expr *e)
{
    at_guess g = {f->r->sym.s[e->symbol], NULL, 0};
    for (; s; s = s->parent)
        for (int k = 0; k < f->r->sym.n; k++)
            if (fold_binding(s, k))
                at_guess_add(&g, f->r->sym.s[k]);
    const char *near = at_guess_found(&g);
    if (near)
        return fold_fail(f, e, "unknown name '%.60s'; did you mean '%.60s'?", g.name, near);
    return fold_fail(
        f, e, "unknown name '%.60s'; names are set with = or def, the library's are in docs/languages.md",
        g.name);
}

/* ---- nodes ----------------------------------------------------------------------------------------------------------- */

at_status fold_node(folder *f, const rasp_expr *e, at_rasp_node v, value *out)
{
    const rasp_expr *at = f->call ? f->call : e;
    v.line = at->line;
    v.column = at->column;
    v.path = f->r->path;
    int k = rasp_node(&f->k, v);
    if (k < 0)
        return strcmp(f->k.bad, "out of memory") == 0 ? at_oom(f->r->err) : fold_fail(f, e, "%s", f->k.bad);
    const at_rasp_node *n = &f->k.v[k];
    *out = (value){.kind = at_rasp_selects(n->op) ? V_SELECTOR : V_SOP, .node = k};
    return AT_OK;
}

/* The s-op that a value is. */
at_status fold_sop(folder *f, const rasp_expr *e, const value *v, int *out)
{
    if (v->kind == V_SOP) {
        *out = v->node;
        return AT_OK;
    }
    if (v->kind != V_ATOM)
        return fold_fail(f, e, "%s; an s-op or a value was expected", fold_value_names[v->kind]);
    value w;
    at_rasp_node c = NODE(AT_RASP_CONST, .line = 0);
    c.atom = v->atom;
    at_status s = fold_node(f, e, c, &w);
    *out = w.node;
    return s;
}

at_status fold_op(folder *f, const rasp_expr *e, at_rasp_op op, const at_rasp_table *table, const value *x,
                  int n, value *out)
{
    at_rasp_node v = NODE(op, .table = table);
    bool atoms = true;
    at_rasp_atom atom[3];
    for (int k = 0; k < n; k++) {
        atoms &= x[k].kind == V_ATOM;
        atom[k] = x[k].atom;
    }
    if (atoms) {
        v.line = 0;
        const char *bad = at_rasp_apply(&v, atom, f->r->a, &atom[0]);
        *out = (value){.kind = V_ATOM, .atom = atom[0]};
        return bad ? fold_fail(f, e, "%s", bad) : AT_OK;
    }
    for (int k = 0; k < n; k++) {
        at_status s = fold_sop(f, e, &x[k], &v.arg[k]);
        if (s)
            return s;
    }
    return fold_node(f, e, v, out);
}

at_status fold_select(folder *f, const rasp_expr *e, at_rasp_op compare, const value *key, const value *query,
                      value *out)
{
    at_rasp_node v = NODE(AT_RASP_SELECT, .compare = compare);
    at_status s = fold_sop(f, e, key, &v.arg[0]);
    if (!s)
        s = fold_sop(f, e, query, &v.arg[1]);
    return s ? s : fold_node(f, e, v, out);
}

at_status fold_aggregate(folder *f, const rasp_expr *e, const value *sel, const value *of, const value *none,
                         value *out)
{
    at_rasp_node v = NODE(AT_RASP_AGGREGATE, .given = none != NULL);
    if (sel->kind != V_SELECTOR)
        return fold_fail(f, e, "aggregate needs a selector first, this is %s", fold_value_names[sel->kind]);
    if (none && none->kind != V_ATOM)
        return fold_fail(f, e, "the default of aggregate is a value, this is %s",
                         fold_value_names[none->kind]);
    v.arg[0] = sel->node;
    if (none)
        v.atom = none->atom;
    at_status s = fold_sop(f, e, of, &v.arg[1]);
    return s ? s : fold_node(f, e, v, out);
}

value fold_leaf(folder *f, at_rasp_op op)
{
    value v = {0};
    at_rasp_node n = NODE(op, .line = 0);
    n.path = f->r->path;
    n.line = n.column = 1;
    v.node = rasp_node(&f->k, n);
    v.kind = V_SOP;
    return v;
}
