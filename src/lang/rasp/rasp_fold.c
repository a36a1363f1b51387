/* rasp_fold.c: a program made flat: names looked up, functions inlined, loops unrolled, lists and dicts worked out, so that only
 * s-ops and selectors remain. A function sees what its surroundings are when it is called, as in the public interpreter, and what
 * it sets ends with it. */
#include <stdio.h>
#include <string.h>

#include "rasp_nodes.h"

enum { STEPS = 2000000, DEPTH = 1200, LIST = 100000 };

typedef enum { V_NONE, V_ATOM, V_SOP, V_SELECTOR, V_LIST, V_DICT, V_FUNCTION, V_WIDTH } value_kind;
static const char *const value_names[] = {"nothing", "a value", "an s-op",    "a selector",
                                          "a list",  "a dict",  "a function", "a function"};

typedef struct value {
    value_kind kind;
    at_rasp_atom atom;
    int node; /* s-op, selector */
    int n;    /* list: values; dict: pairs */
    struct value *part;
    const rasp_statement *def;
    struct scope *home;
} value;

typedef struct binding {
    int symbol;
    long order;
    value v;
    struct binding *next;
} binding;

typedef struct scope {
    struct scope *parent;
    binding **of; /* (symbols), of the two outermost; NULL: a list */
    binding *list;
    bool library;
} scope;

typedef struct {
    rasp_reader *r;
    rasp_nodes k;
    long steps, order;
    int depth;
    const rasp_expr *call; /* where the library was called from, NULL: outside of it */
    value last;            /* s-op that was mentioned last */
    at_text letters;       /* of examples, blanks between */
} folder;

static at_status fail_at(const folder *f, const rasp_expr *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static at_status fail_at(const folder *f, const rasp_expr *e, const char *fmt, ...)
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

static binding *binding_of(const scope *s, int symbol)
{
    if (s->of)
        return s->of[symbol];
    for (binding *b = s->list; b; b = b->next)
        if (b->symbol == symbol)
            return b;
    return NULL;
}

static at_status bind(folder *f, scope *s, int symbol, const value *v)
{
    binding *b = binding_of(s, symbol);
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

static at_status unknown(const folder *f, const scope *s, const rasp_expr *e)
{
    at_guess g = {f->r->sym.s[e->symbol], NULL, 0};
    for (; s; s = s->parent)
        for (int k = 0; k < f->r->sym.n; k++)
            if (binding_of(s, k))
                at_guess_add(&g, f->r->sym.s[k]);
    const char *near = at_guess_found(&g);
    if (near)
        return fail_at(f, e, "unknown name '%.60s'; did you mean '%.60s'?", g.name, near);
    return fail_at(
        f, e, "unknown name '%.60s'; names are set with = or def, the library's are in docs/languages.md",
        g.name);
}

/* ---- nodes ----------------------------------------------------------------------------------------------------------- */

static at_status node_make(folder *f, const rasp_expr *e, at_rasp_node v, value *out)
{
    const rasp_expr *at = f->call ? f->call : e;
    v.line = at->line;
    v.column = at->column;
    v.path = f->r->path;
    int k = rasp_node(&f->k, v);
    if (k < 0)
        return strcmp(f->k.bad, "out of memory") == 0 ? at_oom(f->r->err) : fail_at(f, e, "%s", f->k.bad);
    const at_rasp_node *n = &f->k.v[k];
    *out = (value){.kind = at_rasp_selects(n->op) ? V_SELECTOR : V_SOP, .node = k};
    return AT_OK;
}

#define NODE(OP, ...)                                                                                        \
    ((at_rasp_node){.op = (OP), .arg = {-1, -1, -1}, .atom = {AT_RASP_NUMBER, 0, 1, NULL}, __VA_ARGS__})

/* The s-op that a value is. */
static at_status sop_of(folder *f, const rasp_expr *e, const value *v, int *out)
{
    if (v->kind == V_SOP) {
        *out = v->node;
        return AT_OK;
    }
    if (v->kind != V_ATOM)
        return fail_at(f, e, "%s; an s-op or a value was expected", value_names[v->kind]);
    value w;
    at_rasp_node c = NODE(AT_RASP_CONST, .line = 0);
    c.atom = v->atom;
    at_status s = node_make(f, e, c, &w);
    *out = w.node;
    return s;
}

static at_status op_make(folder *f, const rasp_expr *e, at_rasp_op op, const at_rasp_table *table,
                         const value *x, int n, value *out)
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
        return bad ? fail_at(f, e, "%s", bad) : AT_OK;
    }
    for (int k = 0; k < n; k++) {
        at_status s = sop_of(f, e, &x[k], &v.arg[k]);
        if (s)
            return s;
    }
    return node_make(f, e, v, out);
}

static at_status select_make(folder *f, const rasp_expr *e, at_rasp_op compare, const value *key,
                             const value *query, value *out)
{
    at_rasp_node v = NODE(AT_RASP_SELECT, .compare = compare);
    at_status s = sop_of(f, e, key, &v.arg[0]);
    if (!s)
        s = sop_of(f, e, query, &v.arg[1]);
    return s ? s : node_make(f, e, v, out);
}

static at_status aggregate_make(folder *f, const rasp_expr *e, const value *sel, const value *of,
                                const value *none, value *out)
{
    at_rasp_node v = NODE(AT_RASP_AGGREGATE, .given = none != NULL);
    if (sel->kind != V_SELECTOR)
        return fail_at(f, e, "aggregate needs a selector first, this is %s", value_names[sel->kind]);
    if (none && none->kind != V_ATOM)
        return fail_at(f, e, "the default of aggregate is a value, this is %s", value_names[none->kind]);
    v.arg[0] = sel->node;
    if (none)
        v.atom = none->atom;
    at_status s = sop_of(f, e, of, &v.arg[1]);
    return s ? s : node_make(f, e, v, out);
}

static value leaf(folder *f, at_rasp_op op)
{
    value v = {0};
    at_rasp_node n = NODE(op, .line = 0);
    n.path = f->r->path;
    n.line = n.column = 1;
    v.node = rasp_node(&f->k, n);
    v.kind = V_SOP;
    return v;
}

/* ---- expressions -------------------------------------------------------------------------------------------------------- */

static at_status eval(folder *f, scope *s, const rasp_expr *e, value *out);

static at_status eval_all(folder *f, scope *s, const rasp_expr *e, value *out, int most, int *n)
{
    at_status st = AT_OK;
    for (*n = 0; e && !st && *n < most; e = e->next)
        st = eval(f, s, e, &out[(*n)++]);
    return st;
}

static at_status list_new(folder *f, const rasp_expr *e, int n, value_kind kind, value *out)
{
    *out = (value){.kind = kind, .n = n};
    if ((f->steps += n) > STEPS || n > LIST)
        return fail_at(f, e, "a list of %d values is too long here; at most %d, and %d steps in all", n, LIST,
                       STEPS);
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
        return fail_at(f, e, "%s is neither true nor false", value_names[v->kind]);
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
        return fail_at(f, e, "%s of a selector and %s; both must be selectors, or neither",
                       e->op == AT_RASP_AND ? "and" : "or", value_names[x[x[0].kind == V_SELECTOR].kind]);
    if (selectors) {
        at_rasp_node v = NODE(e->op == AT_RASP_AND  ? AT_RASP_BOTH
                              : e->op == AT_RASP_OR ? AT_RASP_EITHER
                                                    : AT_RASP_NEITHER);
        for (int k = 0; k < n; k++)
            v.arg[k] = x[k].node;
        return node_make(f, e, v, out);
    }
    if (n == 2 && atoms == 2) { /* as in Python: one of the two */
        bool first = false;
        at_status s = truth_of(f, e, &x[0], &first);
        *out = x[first == (e->op == AT_RASP_AND)];
        return s;
    }
    return op_make(f, e, e->op, NULL, x, n, out);
}

static at_status table_of(folder *f, const rasp_expr *e, const value *of, bool looked,
                          const at_rasp_table **out)
{
    bool list = of->kind == V_LIST;
    int n = of->n, rows = looked && list ? 2 * n : n;
    if (rows > AT_RASP_TABLE)
        return fail_at(f, e, "a table of %d values; at most %d are looked up", rows, AT_RASP_TABLE);
    at_rasp_table *t = at_new(f->r->a, at_rasp_table, 1);
    at_rasp_atom *key = at_new(f->r->a, at_rasp_atom, rows + 1),
                 *val = looked ? at_new(f->r->a, at_rasp_atom, rows + 1) : NULL;
    if (!t || !key || (looked && !val))
        return at_oom(f->r->err);
    for (int k = 0; k < rows; k++) {
        const value *p = &of->part[list ? k % n : 2 * k], *v = list ? p : p + 1;
        if (p->kind != V_ATOM || (looked && v->kind != V_ATOM))
            return fail_at(f, e, "%s in the list; where an s-op is looked up, all of it must be values",
                           value_names[p->kind != V_ATOM ? p->kind : v->kind]);
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
        value all, is, mean;
        value one = {.kind = V_ATOM, .atom = {AT_RASP_NUMBER, 1, 1, NULL}};
        value zero = {.kind = V_ATOM, .atom = {AT_RASP_NUMBER, 0, 1, NULL}};
        at_status s = select_make(f, e, AT_RASP_EQ, &one, &one, &all);
        value pair[2] = {x[1], x[0]};
        if (!s)
            s = op_make(f, e, AT_RASP_EQ, NULL, pair, 2, &is);
        if (!s)
            s = op_make(f, e, AT_RASP_INDICATOR, NULL, &is, 1, &is);
        if (!s)
            s = aggregate_make(f, e, &all, &is, NULL, &mean);
        pair[0] = mean;
        pair[1] = zero;
        return s ? s : op_make(f, e, AT_RASP_GT, NULL, pair, 2, out);
    }
    if ((x[0].kind != V_ATOM && x[0].kind != V_SOP) || (x[1].kind != V_LIST && x[1].kind != V_DICT))
        return fail_at(f, e, "%s in %s; a value or an s-op can be in a list or dict, a value in an s-op",
                       value_names[x[0].kind], value_names[x[1].kind]);
    at_status s = table_of(f, e, &x[1], false, &t);
    return s ? s : op_make(f, e, AT_RASP_IN, t, x, 1, out);
}

/* The letters of a string, as a list. */
static at_status letters_of(folder *f, const rasp_expr *e, const char *text, value *out)
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
        value indices = leaf(f, AT_RASP_INDICES), sel;
        if (at.kind != V_ATOM || at.atom.kind == AT_RASP_STRING || at.atom.den != 1)
            return fail_at(f, e, "an s-op is indexed by an integer; elsewhere use aggregate");
        if (at.atom.num < 0) {
            value all, one = {.kind = V_ATOM, .atom = {AT_RASP_NUMBER, 1, 1, NULL}}, pair[2];
            s = select_make(f, e, AT_RASP_EQ, &one, &one, &all);
            at_rasp_node w = NODE(AT_RASP_WIDTH, .line = 0);
            w.arg[0] = all.node;
            if (!s)
                s = node_make(f, e, w, &pair[0]);
            pair[1] = at;
            if (!s)
                s = op_make(f, e, AT_RASP_ADD, NULL, pair, 2, &at);
        }
        if (!s)
            s = select_make(f, e, AT_RASP_EQ, &indices, &at, &sel);
        return s ? s : aggregate_make(f, e, &sel, &list, NULL, out);
    }
    if (list.kind == V_ATOM && list.atom.kind == AT_RASP_STRING)
        s = letters_of(f, e, list.atom.s, &list);
    else if (list.kind != V_LIST && list.kind != V_DICT)
        return fail_at(f, e, "%s cannot be indexed; lists, dicts, strings and s-ops can",
                       value_names[list.kind]);
    if (s)
        return s;
    if (at.kind != V_ATOM) {
        const at_rasp_table *t;
        s = table_of(f, e, &list, true, &t);
        return s ? s : op_make(f, e, AT_RASP_LOOKUP, t, &at, 1, out);
    }
    if (list.kind == V_DICT) {
        for (int k = 0; k < list.n; k++)
            if (at_rasp_equal(&list.part[2 * k].atom, &at.atom)) {
                *out = list.part[2 * k + 1];
                return AT_OK;
            }
        return fail_at(f, e, "the dict has no such key");
    }
    int64_t k = at.atom.num;
    if (at.atom.kind == AT_RASP_STRING || at.atom.den != 1 || k >= list.n || k < -list.n)
        return fail_at(f, e, "the index is not in -%d..%d", list.n, list.n - 1);
    *out = list.part[k < 0 ? k + list.n : k];
    return AT_OK;
}

/* ---- comprehensions, ranges ----------------------------------------------------------------------------------------------- */

static at_status iterate(folder *f, scope *s, const rasp_expr *e, const rasp_names *names, const value *v)
{
    if (!names->next)
        return bind(f, s, names->symbol, v);
    int n = 0;
    for (const rasp_names *x = names; x; x = x->next)
        n++;
    value list = *v;
    at_status st = AT_OK;
    if (v->kind == V_ATOM && v->atom.kind == AT_RASP_STRING)
        st = letters_of(f, e, v->atom.s, &list);
    if (st)
        return st;
    if (list.kind != V_LIST || list.n != n)
        return fail_at(f, e, "%d names for %s of %d", n, value_names[list.kind],
                       list.kind == V_LIST ? list.n : 1);
    for (int k = 0; k < n && !st; k++, names = names->next)
        st = bind(f, s, names->symbol, &list.part[k]);
    return st;
}

static at_status over(const folder *f, const rasp_expr *e, const value *v)
{
    return v->kind == V_LIST || v->kind == V_DICT
               ? AT_OK
               : fail_at(f, e, "one loops over a list or a dict, not over %s", value_names[v->kind]);
}

static at_status dict_put(folder *f, const rasp_expr *e, value *d, const value *key, const value *v)
{
    if (key->kind != V_ATOM)
        return fail_at(f, e, "a key of a dict is a value, this is %s", value_names[key->kind]);
    int k = 0;
    for (; k < d->n && !at_rasp_equal(&d->part[2 * k].atom, &key->atom); k++)
        if (++f->steps > STEPS)
            return fail_at(f, e, "more than %d steps", STEPS);
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
    at_status st = eval(f, s, it, &of);
    if (!st)
        st = over(f, e, &of);
    if (!st)
        st = list_new(f, e, of.n, dict ? V_DICT : V_LIST, out);
    out->n = 0;
    for (int k = 0; !st && k < of.n; k++) {
        scope inner = {.parent = s, .library = s->library};
        st = iterate(f, &inner, e, e->names, &of.part[of.kind == V_DICT ? 2 * k : k]);
        if (!st)
            st = eval(f, &inner, key, &x);
        if (!st && dict) {
            st = eval(f, &inner, val, &y);
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
            st = fail_at(f, e, "a range is of integers");
    if (st)
        return st;
    int64_t from = n > 1 ? v[0].atom.num : 0, to = v[n > 1].atom.num, by = n > 2 ? v[2].atom.num : 1, all = 0;
    if (!by)
        return fail_at(f, e, "a range with step 0");
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
            st = fail_at(f, e, "zip takes lists of one length; number %d is %s", k + 1,
                         value_names[x[k].kind]);
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

static at_status run_all(folder *f, scope *s, const rasp_statement *d);

/* What a function returns, or the values of an assignment: one, or a list. */
static at_status eval_values(folder *f, scope *s, const rasp_expr *e, value *out)
{
    if (!e->next)
        return eval(f, s, e, out);
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
    at_status st = eval(f, s, e->first, &fn);
    if (!st)
        st = eval_all(f, s, e->first->next, x, n, &m);
    if (st)
        return st;
    const char *name = e->first->form == X_NAME ? f->r->sym.s[e->first->symbol] : "this";
    if (fn.kind == V_WIDTH) {
        at_rasp_node w = NODE(AT_RASP_WIDTH, .line = 0);
        if (n != 1 || x[0].kind != V_SELECTOR)
            return fail_at(f, e, "selector_width takes one selector");
        w.arg[0] = x[0].node;
        return node_make(f, e, w, out);
    }
    if (fn.kind == V_SOP ||
        fn.kind == V_SELECTOR) { /* tried out on an input: shown at a prompt, nothing here */
        *out = (value){.kind = V_NONE};
        return n == 1 ? AT_OK : fail_at(f, e, "'%.60s' is no function; one input may follow it", name);
    }
    if (fn.kind != V_FUNCTION)
        return fail_at(f, e, "'%.60s' is %s, not a function", name, value_names[fn.kind]);
    scope inner = {.parent = fn.home, .library = fn.home->library};
    for (const rasp_names *a = fn.def->names->next; a; a = a->next)
        wanted++;
    if (n != wanted)
        return fail_at(f, e, "'%.60s' takes %d argument%s, here are %d", name, wanted, wanted == 1 ? "" : "s",
                       n);
    const rasp_names *a = fn.def->names->next;
    for (int k = 0; k < n && !st; k++, a = a->next)
        st = bind(f, &inner, a->symbol, &x[k]);
    const rasp_expr *was = f->call;
    if (inner.library && !was)
        f->call = e;
    else if (!inner.library)
        f->call = NULL;
    if (!st)
        st = run_all(f, &inner, fn.def->body);
    if (!st)
        st = eval_values(f, &inner, fn.def->value, out);
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
        st = eval(f, s, e->first, x);
        if (!st && x->kind == V_ATOM) { /* only the one that is taken, so that recursion can end */
            st = truth_of(f, e, x, &yes);
            return st ? st : eval(f, s, yes ? e->first->next : e->first->next->next, out);
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
            return fail_at(f, e,
                           "this does not work on selectors; and, or, not, aggregate and selector_width do");
    if (e->op == AT_RASP_ADD && x[0].kind == V_LIST && x[1].kind == V_LIST) {
        st = list_new(f, e, x[0].n + x[1].n, V_LIST, out);
        for (int k = 0; !st && k < out->n; k++)
            out->part[k] = k < x[0].n ? x[0].part[k] : x[1].part[k - x[0].n];
        return st;
    }
    return op_make(f, e, e->op, NULL, x, n, out);
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
        st = eval(f, s, k, &key);
        if (!st)
            st = eval(f, s, k->next, &v);
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
        *out = leaf(f, e->symbol == W_INDICES                                     ? AT_RASP_INDICES
                       : e->symbol == W_TOKENS_INT || e->symbol == W_TOKENS_FLOAT ? AT_RASP_INTS
                                                                                  : AT_RASP_TOKENS);
        return out->node < 0 ? at_oom(f->r->err) : AT_OK;
    case W_TOKENS_BOOL:
        return fail_at(f, e,
                       "tokens_bool is true everywhere: letters are not empty; use tokens_str or tokens_int");
    default:
        break;
    }
    for (const scope *k = s; k; k = k->parent) {
        const binding *b = binding_of(k, e->symbol);
        if (b) {
            *out = b->v;
            return AT_OK;
        }
    }
    return unknown(f, s, e);
}

static at_status eval(folder *f, scope *s, const rasp_expr *e, value *out)
{
    value x[3];
    int n;
    at_status st = AT_OK;
    *out = (value){0};
    if (++f->steps > STEPS)
        return fail_at(f, e, "more than %d steps; does a function call itself?", STEPS);
    if (++f->depth > DEPTH)
        return fail_at(f, e, "functions in each other more than %d steps deep; does one call itself?", DEPTH);
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
        st = eval(f, s, e->first, out);
        if (!st && out->kind != V_ATOM && out->kind != V_SOP)
            st = fail_at(f, e, "+ before %s", value_names[out->kind]);
        break;
    case X_SELECT:
        st = eval_all(f, s, e->first, x, 2, &n);
        if (!st)
            st = select_make(f, e, e->op, &x[0], &x[1], out);
        break;
    case X_AGGREGATE:
        st = eval_all(f, s, e->first, x, 3, &n);
        if (!st)
            st = aggregate_make(f, e, &x[0], &x[1], n == 3 ? &x[2] : NULL, out);
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
        st = eval(f, s, e->first, x);
        if (!st && x->kind != V_LIST && x->kind != V_DICT)
            st = fail_at(f, e, "len is of a list, this is %s; the word's is length", value_names[x->kind]);
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

/* ---- statements ------------------------------------------------------------------------------------------------------------ */

static at_status assign(folder *f, scope *s, const rasp_statement *d)
{
    value v;
    at_status st = eval_values(f, s, d->value, &v);
    if (st)
        return st;
    if (d->names->next)
        return iterate(f, s, d->value, d->names, &v);
    if (v.kind == V_NONE)
        return fail_at(f, d->value, "nothing comes out of this that could be set");
    if ((v.kind == V_SOP || v.kind == V_SELECTOR) && !f->k.v[v.node].name && !s->library && s->of)
        f->k.v[v.node].name = f->r->sym.s[d->names->symbol];
    if (v.kind == V_SOP && s->of && !s->library)
        f->last = v;
    return bind(f, s, d->names->symbol, &v);
}

/* set example "abc", or a list of values: these are letters. */
static at_status example(folder *f, scope *s, const rasp_statement *d)
{
    value v;
    at_status st = eval(f, s, d->value, &v);
    if (!st && v.kind == V_ATOM && v.atom.kind == AT_RASP_STRING)
        st = letters_of(f, d->value, v.atom.s, &v);
    if (!st && v.kind != V_LIST)
        st = fail_at(f, d->value, "an example is a string or a list of values");
    for (int k = 0; !st && k < v.n; k++)
        if (v.part[k].kind == V_ATOM && v.part[k].atom.kind == AT_RASP_STRING)
            at_text_addf(&f->letters, "%s ", v.part[k].atom.s);
        else if (v.part[k].kind == V_ATOM) {
            at_rasp_atom_print(&v.part[k].atom, &f->letters);
            at_text_add(&f->letters, " ");
        }
    return st;
}

static at_status run_one(folder *f, scope *s, const rasp_statement *d)
{
    at_status st;
    value v;
    switch (d->sort) {
    case S_NOTHING:
        return AT_OK;
    case S_EXPR:
        st = eval(f, s, d->value, &v);
        if (!st && v.kind == V_SOP && s->of)
            f->last = v;
        return st;
    case S_ASSIGN:
        return assign(f, s, d);
    case S_EXAMPLE:
        return example(f, s, d);
    case S_DEF:
        v = (value){.kind = V_FUNCTION, .def = d, .home = s};
        return bind(f, s, d->names->symbol, &v);
    case S_FOR:
        st = eval(f, s, d->value, &v);
        if (!st)
            st = over(f, d->value, &v);
        for (int k = 0; !st && k < v.n; k++) {
            st = iterate(f, s, d->value, d->names, &v.part[v.kind == V_DICT ? 2 * k : k]);
            if (!st)
                st = run_all(f, s, d->body);
        }
        return st;
    }
    return AT_OK;
}

static at_status run_all(folder *f, scope *s, const rasp_statement *d)
{
    at_status st = AT_OK;
    for (; d && !st; d = d->next)
        st = run_one(f, s, d);
    return st;
}

/* ---- what comes out ---------------------------------------------------------------------------------------------------------- */

static at_status outputs_find(folder *f, scope *s, at_rasp *out)
{
    int n = 0, symbols = f->r->sym.n;
    out->output = at_new(f->r->a, const char *, symbols + 2);
    out->output_node = at_new(f->r->a, int, symbols + 2);
    long *order = at_new(f->r->a, long, symbols + 2);
    if (!out->output || !out->output_node || !order)
        return at_oom(f->r->err);
    for (int k = W_RESERVED; k < symbols; k++) {
        const binding *b = s->of[k];
        if (!b || b->v.kind != V_SOP || f->r->sym.s[k][0] == '_') /* names with _ are the program's own */
            continue;
        int at = n++;
        for (; at > 0 && order[at - 1] > b->order; at--) {
            order[at] = order[at - 1];
            out->output[at] = out->output[at - 1];
            out->output_node[at] = out->output_node[at - 1];
        }
        order[at] = b->order;
        out->output[at] = f->r->sym.s[k];
        out->output_node[at] = b->v.node;
    }
    if (!n && f->last.kind == V_SOP) {
        out->output[n] = "out";
        out->output_node[n++] = f->last.node;
    }
    if (!n)
        return at_fail(f->r->err, AT_EINPUT,
                       "%.150s: no s-op is set; a program ends as in hist = selector_width(s);", f->r->path);
    out->n_outputs = n;
    out->usual = n - 1;
    out->n_nodes = f->k.n;
    out->node = f->k.v;
    return AT_OK;
}

static void letter_add(at_text *t, const at_rasp_atom *x)
{
    if (x->kind == AT_RASP_STRING && x->s[0] && !strpbrk(x->s, " \t"))
        at_text_addf(t, "%s ", x->s);
}

/* Letters that are compared with tokens, where there were no examples. */
static void letters_compared(const folder *f, at_text *t)
{
    for (int k = 0; k < f->k.n; k++) {
        const at_rasp_node *v = &f->k.v[k];
        bool pair = v->op == AT_RASP_EQ || v->op == AT_RASP_SELECT;
        for (int i = 0; pair && i < 2; i++)
            if (f->k.v[v->arg[i]].op == AT_RASP_TOKENS && f->k.v[v->arg[1 - i]].op == AT_RASP_CONST)
                letter_add(t, &f->k.v[v->arg[1 - i]].atom);
        if ((v->op == AT_RASP_IN || v->op == AT_RASP_LOOKUP) && f->k.v[v->arg[0]].op == AT_RASP_TOKENS)
            for (int i = 0; i < v->table->n; i++)
                letter_add(t, &v->table->key[i]);
    }
}

/* Every letter of f->letters once; n: how many. */
static void once_each(const folder *f, at_text *once, int *n)
{
    at_text_release(once);
    at_text_init(once);
    at_text_add(once, " ");
    *n = 0;
    bool single = true; /* then they can be written in quotes */
    for (const char *s = f->letters.s; s && *s;) {
        const char *next = s;
        at_text_next(&next);
        single &= *next == ' ' || *s == ' ';
        s = strchr(s, ' ') + 1;
    }
    for (const char *s = f->letters.s, *end; s && !f->letters.oom && !once->oom && *s && *n <= AT_LETTERS_MAX;
         s = end + 1) {
        end = strchr(s, ' ');
        char *word = at_arena_printf(f->r->a, " %.*s ", (int)(end - s), s);
        if (!word)
            once->oom = true;
        else if (!strstr(once->s, word) && end > s && (single || !rasp_quoted(word + 1))) {
            at_text_add(once, word + 1);
            ++*n;
        }
    }
}

static at_status letters_find(folder *f, at_rasp *out)
{
    at_text once;
    at_text_init(&once);
    bool ints = false, told = f->letters.n > 0;
    int n = 0;
    if (!told)
        letters_compared(f, &f->letters);
    for (int k = 0; k < f->k.n; k++)
        ints |= f->k.v[k].op == AT_RASP_INTS;
    for (;;) {
        once_each(f, &once, &n);
        if (told || n > 1)
            break;
        told = true; /* one letter makes no words: some more */
        at_text_add(&f->letters, ints ? "0 1 2 " : "a b c ");
    }
    at_err fault = {0};
    at_status s = f->letters.oom || once.oom ? at_oom(f->r->err)
                                             : at_alphabet_parse(once.s, f->r->a, &out->sigma, &fault);
    if (s && s != AT_ENOMEM)
        s = at_fail(f->r->err, s, "%.150s: the letters of its examples: %s", f->r->path, fault.text);
    at_text_release(&once);
    return s;
}

at_status rasp_fold(rasp_reader *r, const rasp_statement *library, const rasp_statement *program,
                    at_rasp *out)
{
    folder f = {.r = r, .k = {.a = r->a}};
    scope lib = {.library = true, .of = at_new(r->a, binding *, r->sym.n)},
          all = {.parent = &lib, .of = at_new(r->a, binding *, r->sym.n)};
    if (!lib.of || !all.of)
        return at_oom(r->err);
    at_text_init(&f.letters);
    value tokens = leaf(&f, AT_RASP_TOKENS), width = {.kind = V_WIDTH}, length;
    rasp_expr nowhere = {.line = 1, .column = 1};
    at_rasp_node any = NODE(AT_RASP_ALL, .line = 0), n = NODE(AT_RASP_WIDTH, .line = 0);
    any.atom = (at_rasp_atom){AT_RASP_BOOL, 1, 1, NULL};
    at_status s = tokens.node < 0 ? at_oom(r->err) : node_make(&f, &nowhere, any, &length);
    n.arg[0] = length.node;
    if (!s)
        s = node_make(&f, &nowhere, n, &length);
    if (!s)
        s = bind(&f, &lib, W_TOKENS, &tokens);
    if (!s)
        s = bind(&f, &lib, W_LENGTH, &length);
    if (!s)
        s = bind(&f, &lib, W_SELECTOR_WIDTH, &width);
    if (!s)
        s = run_all(&f, &lib, library);
    if (!s)
        s = run_all(&f, &all, program);
    if (!s)
        s = outputs_find(&f, &all, out);
    if (!s && !out->sigma.n)
        s = letters_find(&f, out);
    at_text_release(&f.letters);
    return s;
}
