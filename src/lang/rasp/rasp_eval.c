/* rasp_eval.c: expressions worked out, as far as a program says them without its input; the rest becomes nodes. */
#include <string.h>

#include "rasp_fold.h"

/* ---- expressions -------------------------------------------------------------------------------------------------------- */

static at_status eval_all(folder *f, scope *s, const rasp_expr *e, value *out, int most, int *n)
{
    at_status st = AT_OK;
    for (*n = 0; e && !st && *n < most; e = e->next)
        st = fold_eval(f, s, e, &out[(*n)++]);
    return st;
}

static at_status list_new(folder *f, const rasp_expr *e, int n, value_kind kind, value *out)
{
    *out = (value){.kind = kind, .n = n};
    if ((f->steps += n) > STEPS || n > LIST)
        return fold_fail(f, e, "a list of %d values is too long here; at most %d, and %d steps in all", n,
                         LIST, STEPS);
    out->part = at_new(f->r->a, value, (size_t)n * (kind == V_DICT ? 2 : 1) + 1);
    return out->part ? AT_OK : at_oom(f->r->err);
}

static int length_of(const rasp_expr *e)
{
    int n = 0;
    for (; e; e = e->next)
        n++;
    return n;
}

static at_status truth_of(const folder *f, const rasp_expr *e, const value *v, bool *out)
{
    if (v->kind != V_ATOM)
        return fold_fail(f, e, "%s is neither true nor false", fold_value_names[v->kind]);
    *out = v->atom.kind == AT_RASP_STRING ? v->atom.s[0] != 0 : v->atom.num != 0;
    return AT_OK;
}

static at_status eval_logic(folder *f, const rasp_expr *e, value *x, int n, value *out)
{
    int selectors = 0, atoms = 0;
    for (int k = 0; k < n; k++) {
        selectors += x[k].kind == V_SELECTOR;
        atoms += x[k].kind == V_ATOM;
    }
    if (selectors && selectors < n)
        return fold_fail(f, e, "%s of a selector and %s; both must be selectors, or neither",
                         e->op == AT_RASP_AND ? "and" : "or",
                         fold_value_names[x[x[0].kind == V_SELECTOR].kind]);
    if (selectors) {
        at_rasp_node v = NODE(e->op == AT_RASP_AND  ? AT_RASP_BOTH
                              : e->op == AT_RASP_OR ? AT_RASP_EITHER
                                                    : AT_RASP_NEITHER);
        for (int k = 0; k < n; k++)
            v.arg[k] = x[k].node;
        return fold_node(f, e, v, out);
    }
    if (n == 2 && atoms == 2) { /* as in Python: one of the two */
        bool first = false;
        at_status s = truth_of(f, e, &x[0], &first);
        *out = x[first == (e->op == AT_RASP_AND)];
        return s;
    }
    return fold_op(f, e, e->op, NULL, x, n, out);
}

static at_status table_of(folder *f, const rasp_expr *e, const value *of, bool looked,
                          const at_rasp_table **out)
{
    bool list = of->kind == V_LIST;
    int n = of->n, rows = looked && list ? 2 * n : n;
    if (rows > AT_RASP_TABLE)
        return fold_fail(f, e, "a table of %d values; at most %d are looked up", rows, AT_RASP_TABLE);
    at_rasp_table *t = at_new(f->r->a, at_rasp_table, 1);
    at_rasp_atom *key = at_new(f->r->a, at_rasp_atom, rows + 1),
                 *val = looked ? at_new(f->r->a, at_rasp_atom, rows + 1) : NULL;
    if (!t || !key || (looked && !val))
        return at_oom(f->r->err);
    for (int k = 0; k < rows; k++) {
        const value *p = &of->part[list ? k % n : 2 * k], *v = list ? p : p + 1;
        if (p->kind != V_ATOM || (looked && v->kind != V_ATOM))
            return fold_fail(f, e, "%s in the list; where an s-op is looked up, all of it must be values",
                             fold_value_names[p->kind != V_ATOM ? p->kind : v->kind]);
        key[k] = looked && list ? (at_rasp_atom){AT_RASP_NUMBER, k < n ? k : k - 2 * n, 1, NULL} : p->atom;
        if (looked)
            val[k] = v->atom;
    }
    *t = (at_rasp_table){rows, key, val};
    *out = t;
    return AT_OK;
}

static at_status eval_in(folder *f, const rasp_expr *e, value *x, value *out)
{
    const at_rasp_table *t;
    if (x[0].kind == V_ATOM && x[1].kind == V_SOP) { /* is it anywhere? */
        value all, is, mean = {0};
        value one = {.kind = V_ATOM, .atom = {AT_RASP_NUMBER, 1, 1, NULL}};
        value zero = {.kind = V_ATOM, .atom = {AT_RASP_NUMBER, 0, 1, NULL}};
        at_status s = fold_select(f, e, AT_RASP_EQ, &one, &one, &all);
        value pair[2] = {x[1], x[0]};
        if (!s)
            s = fold_op(f, e, AT_RASP_EQ, NULL, pair, 2, &is);
        if (!s)
            s = fold_op(f, e, AT_RASP_INDICATOR, NULL, &is, 1, &is);
        if (!s)
            s = fold_aggregate(f, e, &all, &is, NULL, &mean);
        pair[0] = mean;
        pair[1] = zero;
        return s ? s : fold_op(f, e, AT_RASP_GT, NULL, pair, 2, out);
    }
    if ((x[0].kind != V_ATOM && x[0].kind != V_SOP) || (x[1].kind != V_LIST && x[1].kind != V_DICT))
        return fold_fail(f, e, "%s in %s; a value or an s-op can be in a list or dict, a value in an s-op",
                         fold_value_names[x[0].kind], fold_value_names[x[1].kind]);
    at_status s = table_of(f, e, &x[1], false, &t);
    return s ? s : fold_op(f, e, AT_RASP_IN, t, x, 1, out);
}

/* The letters of a string, as a list. */
at_status fold_letters(folder *f, const rasp_expr *e, const char *text, value *out)
{
    int n = 0;
    for (const char *s = text; *s; n++)
        at_text_next(&s);
    at_status st = list_new(f, e, n, V_LIST, out);
    for (int k = 0; k < n && !st; k++) {
        const char *from = text;
        at_text_next(&text);
        char *one = at_arena_printf(f->r->a, "%.*s", (int)(text - from), from);
        if (!one)
            return at_oom(f->r->err);
        out->part[k] = (value){.kind = V_ATOM, .atom = {AT_RASP_STRING, 0, 1, one}};
    }
    return st;
}

static at_status eval_index(folder *f, const rasp_expr *e, value *x, value *out)
{
    value list = x[0], at = x[1];
    at_status s = AT_OK;
    if (list.kind == V_SOP) { /* what stands at a place of the word */
        value indices = fold_leaf(f, AT_RASP_INDICES), sel;
        if (at.kind != V_ATOM || at.atom.kind == AT_RASP_STRING || at.atom.den != 1)
            return fold_fail(f, e, "an s-op is indexed by an integer; elsewhere use aggregate");
        if (at.atom.num < 0) {
            value all, one = {.kind = V_ATOM, .atom = {AT_RASP_NUMBER, 1, 1, NULL}}, pair[2];
            s = fold_select(f, e, AT_RASP_EQ, &one, &one, &all);
            at_rasp_node w = NODE(AT_RASP_WIDTH, .line = 0);
            w.arg[0] = all.node;
            if (!s)
                s = fold_node(f, e, w, &pair[0]);
            pair[1] = at;
            if (!s)
                s = fold_op(f, e, AT_RASP_ADD, NULL, pair, 2, &at);
        }
        if (!s)
            s = fold_select(f, e, AT_RASP_EQ, &indices, &at, &sel);
        return s ? s : fold_aggregate(f, e, &sel, &list, NULL, out);
    }
    if (list.kind == V_ATOM && list.atom.kind == AT_RASP_STRING)
        s = fold_letters(f, e, list.atom.s, &list);
    else if (list.kind != V_LIST && list.kind != V_DICT)
        return fold_fail(f, e, "%s cannot be indexed; lists, dicts, strings and s-ops can",
                         fold_value_names[list.kind]);
    if (s)
        return s;
    if (at.kind != V_ATOM) {
        const at_rasp_table *t;
        s = table_of(f, e, &list, true, &t);
        return s ? s : fold_op(f, e, AT_RASP_LOOKUP, t, &at, 1, out);
    }
    if (list.kind == V_DICT) {
        for (int k = 0; k < list.n; k++)
            if (at_rasp_equal(&list.part[2 * k].atom, &at.atom)) {
                *out = list.part[2 * k + 1];
                return AT_OK;
            }
        return fold_fail(f, e, "the dict has no such key");
    }
    int64_t k = at.atom.num;
    if (at.atom.kind == AT_RASP_STRING || at.atom.den != 1 || k >= list.n || k < -list.n)
        return fold_fail(f, e, "the index is not in -%d..%d", list.n, list.n - 1);
    *out = list.part[k < 0 ? k + list.n : k];
    return AT_OK;
}

/* ---- comprehensions, ranges ----------------------------------------------------------------------------------------------- */

at_status fold_iterate(folder *f, scope *s, const rasp_expr *e, const rasp_names *names, const value *v)
{
    if (!names->next)
        return fold_bind(f, s, names->symbol, v);
    int n = 0;
    for (const rasp_names *x = names; x; x = x->next)
        n++;
    value list = *v;
    at_status st = AT_OK;
    if (v->kind == V_ATOM && v->atom.kind == AT_RASP_STRING)
        st = fold_letters(f, e, v->atom.s, &list);
    if (st)
        return st;
    if (list.kind != V_LIST || list.n != n)
        return fold_fail(f, e, "%d names for %s of %d", n, fold_value_names[list.kind],
                         list.kind == V_LIST ? list.n : 1);
    for (int k = 0; k < n && !st; k++, names = names->next)
        st = fold_bind(f, s, names->symbol, &list.part[k]);
    return st;
}

at_status fold_over(const folder *f, const rasp_expr *e, const value *v)
{
    return v->kind == V_LIST || v->kind == V_DICT
               ? AT_OK
               : fold_fail(f, e, "one loops over a list or a dict, not over %s", fold_value_names[v->kind]);
}

static at_status dict_put(folder *f, const rasp_expr *e, value *d, const value *key, const value *v)
{
    if (key->kind != V_ATOM)
        return fold_fail(f, e, "a key of a dict is a value, this is %s", fold_value_names[key->kind]);
    int k = 0;
    for (; k < d->n && !at_rasp_equal(&d->part[2 * k].atom, &key->atom); k++)
        if (++f->steps > STEPS)
            return fold_fail(f, e, "more than %d steps", STEPS);
    if (k == d->n) {
        d->part[2 * k] = *key;
        d->n++;
    }
    d->part[2 * k + 1] = *v;
    return AT_OK;
}

static at_status eval_comprehension(folder *f, scope *s, const rasp_expr *e, value *out)
{
    bool dict = e->form == X_DICTCOMP;
    const rasp_expr *key = e->first, *val = dict ? key->next : key, *it = val->next;
    value of, x, y;
    at_status st = fold_eval(f, s, it, &of);
    if (!st)
        st = fold_over(f, e, &of);
    if (!st)
        st = list_new(f, e, of.n, dict ? V_DICT : V_LIST, out);
    out->n = 0;
    for (int k = 0; !st && k < of.n; k++) {
        scope inner = {.parent = s, .library = s->library};
        st = fold_iterate(f, &inner, e, e->names, &of.part[of.kind == V_DICT ? 2 * k : k]);
        if (!st)
            st = fold_eval(f, &inner, key, &x);
        if (!st && dict) {
            st = fold_eval(f, &inner, val, &y);
            if (!st)
                st = dict_put(f, e, out, &x, &y);
        } else if (!st)
            out->part[out->n++] = x;
    }
    return st;
}

static at_status eval_range(folder *f, scope *s, const rasp_expr *e, value *out)
{
    value v[3];
    int n;
    at_status st = eval_all(f, s, e->first, v, 3, &n);
    for (int k = 0; k < n && !st; k++)
        if (v[k].kind != V_ATOM || v[k].atom.kind == AT_RASP_STRING || v[k].atom.den != 1)
            st = fold_fail(f, e, "a range is of integers");
    if (st)
        return st;
    int64_t from = n > 1 ? v[0].atom.num : 0, to = v[n > 1].atom.num, by = n > 2 ? v[2].atom.num : 1, all = 0;
    if (!by)
        return fold_fail(f, e, "a range with step 0");
    if (by > 0 ? to > from : to < from)
        all = by > 0 ? (to - from - 1) / by + 1 : (from - to - 1) / -by + 1;
    st = list_new(f, e, all > LIST ? LIST + 1 : (int)all, V_LIST, out);
    for (int64_t k = 0; k < all && !st; k++)
        out->part[k] = (value){.kind = V_ATOM, .atom = {AT_RASP_NUMBER, from + k * by, 1, NULL}};
    return st;
}

static at_status eval_zip(folder *f, scope *s, const rasp_expr *e, value *out)
{
    int n = length_of(e->first), m;
    value *x = at_new(f->r->a, value, n);
    if (!x)
        return at_oom(f->r->err);
    at_status st = eval_all(f, s, e->first, x, n, &m);
    for (int k = 0; k < n && !st; k++)
        if (x[k].kind != V_LIST || x[k].n != x[0].n)
            st = fold_fail(f, e, "zip takes lists of one length; number %d is %s", k + 1,
                           fold_value_names[x[k].kind]);
    if (!st)
        st = list_new(f, e, x[0].n, V_LIST, out);
    for (int i = 0; !st && i < x[0].n; i++) {
        st = list_new(f, e, n, V_LIST, &out->part[i]);
        for (int k = 0; k < n && !st; k++)
            out->part[i].part[k] = x[k].part[i];
    }
    return st;
}

/* ---- calls -------------------------------------------------------------------------------------------------------------- */

/* What a function returns, or the values of an assignment: one, or a list. */
at_status fold_values(folder *f, scope *s, const rasp_expr *e, value *out)
{
    if (!e->next)
        return fold_eval(f, s, e, out);
    int n = length_of(e), m;
    at_status st = list_new(f, e, n, V_LIST, out);
    return st ? st : eval_all(f, s, e, out->part, n, &m);
}

static at_status eval_call(folder *f, scope *s, const rasp_expr *e, value *out)
{
    value fn;
    int n = length_of(e->first->next), m, wanted = 0;
    value *x = at_new(f->r->a, value, n + 1);
    if (!x)
        return at_oom(f->r->err);
    at_status st = fold_eval(f, s, e->first, &fn);
    if (!st)
        st = eval_all(f, s, e->first->next, x, n, &m);
    if (st)
        return st;
    const char *name = e->first->form == X_NAME ? f->r->sym.s[e->first->symbol] : "this";
    if (fn.kind == V_WIDTH) {
        at_rasp_node w = NODE(AT_RASP_WIDTH, .line = 0);
        if (n != 1 || x[0].kind != V_SELECTOR)
            return fold_fail(f, e, "selector_width takes one selector");
        w.arg[0] = x[0].node;
        return fold_node(f, e, w, out);
    }
    if (fn.kind == V_SOP ||
        fn.kind == V_SELECTOR) { /* tried out on an input: shown at a prompt, nothing here */
        *out = (value){.kind = V_NONE};
        return n == 1 ? AT_OK : fold_fail(f, e, "'%.60s' is no function; one input may follow it", name);
    }
    if (fn.kind != V_FUNCTION)
        return fold_fail(f, e, "'%.60s' is %s, not a function", name, fold_value_names[fn.kind]);
    scope inner = {.parent = fn.home, .library = fn.home->library};
    for (const rasp_names *a = fn.def->names->next; a; a = a->next)
        wanted++;
    if (n != wanted)
        return fold_fail(f, e, "'%.60s' takes %d argument%s, here are %d", name, wanted,
                         wanted == 1 ? "" : "s", n);
    const rasp_names *a = fn.def->names->next;
    for (int k = 0; k < n && !st; k++, a = a->next)
        st = fold_bind(f, &inner, a->symbol, &x[k]);
    const rasp_expr *was = f->call;
    if (inner.library && !was)
        f->call = e;
    else if (!inner.library)
        f->call = NULL;
    if (!st)
        st = fold_run(f, &inner, fn.def->body);
    if (!st)
        st = fold_values(f, &inner, fn.def->value, out);
    f->call = was;
    return st;
}

static at_status eval_op(folder *f, scope *s, const rasp_expr *e, value *out)
{
    value x[3];
    int n;
    at_status st;
    if (e->op == AT_RASP_IF) {
        bool yes;
        st = fold_eval(f, s, e->first, x);
        if (!st && x->kind == V_ATOM) { /* only the one that is taken, so that recursion can end */
            st = truth_of(f, e, x, &yes);
            return st ? st : fold_eval(f, s, yes ? e->first->next : e->first->next->next, out);
        }
    }
    st = eval_all(f, s, e->first, x, 3, &n);
    if (st)
        return st;
    if (e->op == AT_RASP_AND || e->op == AT_RASP_OR || e->op == AT_RASP_NOT)
        return eval_logic(f, e, x, n, out);
    if (e->op == AT_RASP_IN)
        return eval_in(f, e, x, out);
    for (int k = 0; k < n; k++)
        if (x[k].kind == V_SELECTOR)
            return fold_fail(
                f, e, "this does not work on selectors; and, or, not, aggregate and selector_width do");
    if (e->op == AT_RASP_ADD && x[0].kind == V_LIST && x[1].kind == V_LIST) {
        st = list_new(f, e, x[0].n + x[1].n, V_LIST, out);
        for (int k = 0; !st && k < out->n; k++)
            out->part[k] = k < x[0].n ? x[0].part[k] : x[1].part[k - x[0].n];
        return st;
    }
    return fold_op(f, e, e->op, NULL, x, n, out);
}

static at_status eval_list(folder *f, scope *s, const rasp_expr *e, value *out)
{
    int n = length_of(e->first), m;
    at_status st = list_new(f, e, n, V_LIST, out);
    if (st || e->form == X_LIST)
        return st ? st : eval_all(f, s, e->first, out->part, n, &m);
    *out = (value){.kind = V_DICT, .part = out->part};
    for (const rasp_expr *k = e->first; k && !st; k = k->next->next) {
        value key, v;
        st = fold_eval(f, s, k, &key);
        if (!st)
            st = fold_eval(f, s, k->next, &v);
        if (!st)
            st = dict_put(f, k, out, &key, &v);
    }
    return st;
}

static at_status eval_name(folder *f, const scope *s, const rasp_expr *e, value *out)
{
    switch (e->symbol) {
    case W_TRUE:
    case W_FALSE:
        *out = (value){.kind = V_ATOM, .atom = {AT_RASP_BOOL, e->symbol == W_TRUE, 1, NULL}};
        return AT_OK;
    case W_TOKENS_STR:
    case W_TOKENS_ASIS:
    case W_TOKENS_INT:
    case W_TOKENS_FLOAT:
    case W_INDICES:
        *out = fold_leaf(f, e->symbol == W_INDICES                                     ? AT_RASP_INDICES
                            : e->symbol == W_TOKENS_INT || e->symbol == W_TOKENS_FLOAT ? AT_RASP_INTS
                                                                                       : AT_RASP_TOKENS);
        return out->node < 0 ? at_oom(f->r->err) : AT_OK;
    case W_TOKENS_BOOL:
        return fold_fail(
            f, e, "tokens_bool is true everywhere: letters are not empty; use tokens_str or tokens_int");
    default:
        break;
    }
    for (const scope *k = s; k; k = k->parent) {
        const binding *b = fold_binding(k, e->symbol);
        if (b) {
            *out = b->v;
            return AT_OK;
        }
    }
    return fold_unknown(f, s, e);
}

at_status fold_eval(folder *f, scope *s, const rasp_expr *e, value *out)
{
    value x[3];
    int n;
    at_status st = AT_OK;
    *out = (value){0};
    if (++f->steps > STEPS)
        return fold_fail(f, e, "more than %d steps; does a function call itself?", STEPS);
    if (++f->depth > DEPTH)
        return fold_fail(f, e, "functions in each other more than %d steps deep; does one call itself?",
                         DEPTH);
    switch (e->form) {
    case X_ATOM:
        *out = (value){.kind = V_ATOM, .atom = e->atom};
        break;
    case X_NAME:
        st = eval_name(f, s, e, out);
        break;
    case X_OP:
        st = eval_op(f, s, e, out);
        break;
    case X_PLUS:
        st = fold_eval(f, s, e->first, out);
        if (!st && out->kind != V_ATOM && out->kind != V_SOP)
            st = fold_fail(f, e, "+ before %s", fold_value_names[out->kind]);
        for (int k = 0; k < 2 && !st;
             k++) { /* + makes numbers of truths, and has no meaning for strings: as - - does */
            *x = *out;
            st = fold_op(f, e, AT_RASP_NEG, NULL, x, 1, out);
        }
        break;
    case X_SELECT:
        st = eval_all(f, s, e->first, x, 2, &n);
        if (!st)
            st = fold_select(f, e, e->op, &x[0], &x[1], out);
        break;
    case X_AGGREGATE:
        st = eval_all(f, s, e->first, x, 3, &n);
        if (!st)
            st = fold_aggregate(f, e, &x[0], &x[1], n == 3 ? &x[2] : NULL, out);
        break;
    case X_CALL:
        st = eval_call(f, s, e, out);
        break;
    case X_INDEX:
        st = eval_all(f, s, e->first, x, 2, &n);
        if (!st)
            st = eval_index(f, e, x, out);
        break;
    case X_LIST:
    case X_DICT:
        st = eval_list(f, s, e, out);
        break;
    case X_RANGE:
        st = eval_range(f, s, e, out);
        break;
    case X_ZIP:
        st = eval_zip(f, s, e, out);
        break;
    case X_LEN:
        st = fold_eval(f, s, e->first, x);
        if (!st && x->kind != V_LIST && x->kind != V_DICT)
            st = fold_fail(f, e, "len is of a list, this is %s; the word's is length",
                           fold_value_names[x->kind]);
        *out = (value){.kind = V_ATOM, .atom = {AT_RASP_NUMBER, x->n, 1, NULL}};
        break;
    case X_LISTCOMP:
    case X_DICTCOMP:
        st = eval_comprehension(f, s, e, out);
        break;
    }
    f->depth--;
    return st;
}
