/* spacer.c: Z3's engine for Horn clauses, on the system with as few counts as its equations allow.
 *
 * An equation that every letter keeps gives one count by the others, where that count has coefficient 1 or -1 in it: the engine sees the
 * others alone. It is asked for a set of states that has the first one, is kept by every letter and has no bad one. What it answers is
 * only believed after at_prove_recheck: the invariant is its formula together with the equations. */
#ifdef AT_Z3

#include "solver_z3.h"

#include <string.h>

typedef struct {
    z3_place place;
    z3_state x;
    int n;         /* variables that are left */
    Z3_ast *var;   /* (n) */
    Z3_app *bound; /* (n) */
    bool *gone;    /* (counts): eliminated */
    Z3_ast sane;
    Z3_func_decl inside, bad;
    Z3_fixedpoint engine;
} spacer;

/* ---- elimination ------------------------------------------------------------------------------------------------------------------- */

/* q without x[pivot], by r, where that has coefficient 1 or -1. False: the numbers grow too large. */
static bool row_take(int64_t *q, const int64_t *r, int pivot, int width)
{
    int64_t by = q[pivot] * r[pivot], product;
    for (int i = 0; i < width && by; i++)
        if (__builtin_mul_overflow(by, r[i], &product) || __builtin_sub_overflow(q[i], product, &q[i]))
            return false;
    return true;
}

/* The equations as they are, each solved for one count: row e gives x[pivot] = -/+ the rest. Eliminated counts must not occur on the right
 * of each other: each pivot is removed from the rows behind it before they are looked at. */
static void eliminate(spacer *w, int n, int64_t *row, at_arena *a)
{
    const z3_place *p = &w->place;
    const prove_system *s = p->s;
    int width = s->n_free + 1;
    int *pivot = at_new(a, int, n + 1);
    if (!pivot)
        return;
    for (int e = 0; e < n; e++) {
        int64_t *r = row + e * width;
        pivot[e] = -1;
        for (int i = s->n_free - 1; i >= 0 && pivot[e] < 0; i--)
            if (r[i] == 1 || r[i] == -1)
                pivot[e] = i;
        if (pivot[e] < 0)
            continue;
        for (int o = 0; o < n; o++) /* from all others, the solved ones among them */
            if (o != e && !row_take(row + o * width, r, pivot[e], width))
                return;
    }
    for (int e = 0; e < n; e++) {
        if (pivot[e] < 0)
            continue;
        int64_t *r = row + e * width, rest[AT_PROVE_COUNTS + 1];
        Z3_ast count[AT_PROVE_COUNTS];
        for (int i = 0; i < width; i++)
            rest[i] = i == pivot[e] ? 0 : r[pivot[e]] == 1 ? -r[i] : r[i];
        for (int i = 0; i < s->n_free; i++)
            count[i] = w->x.count[s->free[i]];
        Z3_ast is = z3_linear(p, s->n_free, rest, count, rest[s->n_free]);
        w->gone[s->free[pivot[e]]] = true;
        w->x.count[s->free[pivot[e]]] = is; /* later rows do not have this pivot */
    }
}

/* ---- clauses ------------------------------------------------------------------------------------------------------------------------ */

static at_status variables_find(spacer *w, at_arena *a, at_err *err)
{
    int most = z3_state_list(&w->x, NULL), n = 0;
    const prove_system *s = w->place.s;
    Z3_ast *all = at_new(a, Z3_ast, most + 1);
    w->var = at_new(a, Z3_ast, most + 1);
    w->bound = at_new(a, Z3_app, most + 1);
    if (!all || !w->var || !w->bound)
        return at_oom(err);
    z3_state_list(&w->x, all);
    for (int k = 0; k < s->counts.n; k++)
        if (w->x.count[k]) {
            if (!w->gone[k])
                w->var[w->n++] = all[n];
            n++;
        }
    for (; n < most; n++)
        w->var[w->n++] = all[n];
    for (int k = 0; k < w->n; k++)
        w->bound[k] = w->place.z->Z3_to_app(w->place.c, w->var[k]);
    return AT_OK;
}

/* The arguments of the set, of a state. */
static void arguments_of(const spacer *w, const z3_state *x, Z3_ast *all, Z3_ast *out)
{
    int n = 0, m = 0, most = z3_state_list(x, all);
    for (int k = 0; k < w->place.s->counts.n; k++)
        if (x->count[k]) {
            if (!w->gone[k])
                out[m++] = all[n];
            n++;
        }
    for (; n < most; n++)
        out[m++] = all[n];
}

static void rule_add(spacer *w, Z3_ast body, Z3_ast head)
{
    const z3_place *p = &w->place;
    Z3_ast rule = p->z->Z3_mk_implies(p->c, body, head);
    if (w->n)
        rule = p->z->Z3_mk_forall_const(p->c, 0, (unsigned)w->n, w->bound, 0, NULL, rule);
    p->z->Z3_fixedpoint_add_rule(p->c, w->engine, rule, NULL);
}

static at_status rules_make(spacer *w, at_arena *a, at_err *err)
{
    const z3_place *p = &w->place;
    const z3_calls *z = p->z;
    prove_system *s = p->s;
    Z3_ast *to = at_new(a, Z3_ast, w->n + 1), *all = at_new(a, Z3_ast, z3_state_list(&w->x, NULL) + 1);
    Z3_sort *sorts = at_new(a, Z3_sort, w->n + 1);
    if (!to || !all || !sorts)
        return at_oom(err);
    for (int k = 0; k < w->n; k++)
        sorts[k] = z->Z3_get_sort(p->c, w->var[k]);
    w->inside =
        z->Z3_mk_func_decl(p->c, z->Z3_mk_string_symbol(p->c, "inside"), (unsigned)w->n, sorts, p->truth);
    w->bad = z->Z3_mk_func_decl(p->c, z->Z3_mk_string_symbol(p->c, "bad"), 0, NULL, p->truth);
    z->Z3_fixedpoint_register_relation(p->c, w->engine, w->inside);
    z->Z3_fixedpoint_register_relation(p->c, w->engine, w->bad);
    Z3_ast here = z->Z3_mk_app(p->c, w->inside, (unsigned)w->n, w->var);
    Z3_ast bad = z->Z3_mk_app(p->c, w->bad, 0, NULL);
    rule_add(w, z3_state_first(&w->x, a), here);
    Z3_ast both[2] = {here, w->sane}, body = z3_all(p, 2, both);
    for (int letter = 0; letter < s->S; letter++) {
        z3_state next;
        at_status st = z3_state_next(&w->x, letter, a, &next, err);
        if (st)
            return st;
        arguments_of(w, &next, all, to);
        rule_add(w, body, z->Z3_mk_app(p->c, w->inside, (unsigned)w->n, to));
    }
    for (int letter = 0; letter <= s->S; letter++)
        if (s->bad[letter]) {
            Z3_ast two[2] = {body, z3_state_node(&w->x, s->bad[letter])};
            rule_add(w, z3_all(p, 2, two), bad);
        }
    return AT_OK;
}

static void engine_open(spacer *w)
{
    const z3_place *p = &w->place;
    const z3_calls *z = p->z;
    static const char *const off[] = {"xform.slice", "xform.inline_linear", "xform.inline_eager"};
    w->engine = z->Z3_mk_fixedpoint(p->c);
    if (!w->engine)
        return;
    z->Z3_fixedpoint_inc_ref(p->c, w->engine);
    Z3_params with = z->Z3_mk_params(p->c);
    z->Z3_params_inc_ref(p->c, with);
    z->Z3_params_set_symbol(p->c, with, z->Z3_mk_string_symbol(p->c, "engine"),
                            z->Z3_mk_string_symbol(p->c, "spacer"));
    for (size_t k = 0; k < sizeof off / sizeof *off; k++) /* so that the answer speaks of what was asked */
        z->Z3_params_set_bool(p->c, with, z->Z3_mk_string_symbol(p->c, off[k]), false);
    z->Z3_fixedpoint_set_params(p->c, w->engine, with);
    z->Z3_params_dec_ref(p->c, with);
}

/* ---- the answer --------------------------------------------------------------------------------------------------------------------- */

/* Of "for all x: inside(x) = f" the f, with our variables for x; NULL: the answer has another shape. */
static Z3_ast answer_body(const spacer *w, Z3_ast q, at_arena *a)
{
    const z3_place *p = &w->place;
    const z3_calls *z = p->z;
    bool bound =
        z->Z3_get_ast_kind(p->c, q) == Z3_QUANTIFIER_AST; /* without variables there is nothing to bind */
    Z3_ast body = bound ? z->Z3_get_quantifier_body(p->c, q) : q;
    if (!body || z->Z3_get_ast_kind(p->c, body) != Z3_APP_AST)
        return NULL;
    Z3_app eq = z->Z3_to_app(p->c, body);
    if (z->Z3_get_app_num_args(p->c, eq) != 2)
        return NULL;
    Z3_ast left = z->Z3_get_app_arg(p->c, eq, 0), right = z->Z3_get_app_arg(p->c, eq, 1);
    Z3_ast *to = at_new(a, Z3_ast, w->n + 1);
    if (!to || z->Z3_get_ast_kind(p->c, left) != Z3_APP_AST ||
        z->Z3_get_app_decl(p->c, z->Z3_to_app(p->c, left)) != w->inside)
        return NULL;
    for (int k = 0; k < w->n; k++) {
        Z3_ast v = z->Z3_get_app_arg(p->c, z->Z3_to_app(p->c, left), (unsigned)k);
        unsigned at = z->Z3_get_ast_kind(p->c, v) == Z3_VAR_AST ? z->Z3_get_index_value(p->c, v) : UINT32_MAX;
        if (at >= (unsigned)w->n)
            return NULL;
        to[at] = w->var[k];
    }
    return z->Z3_substitute_vars(p->c, right, (unsigned)w->n, to);
}

static Z3_ast answer_find(const spacer *w, at_arena *a)
{
    const z3_place *p = &w->place;
    const z3_calls *z = p->z;
    Z3_ast all = z->Z3_fixedpoint_get_answer(p->c, w->engine);
    if (!all)
        return NULL;
    Z3_ast found = answer_body(w, all, a);
    if (found || z->Z3_get_ast_kind(p->c, all) != Z3_APP_AST)
        return found;
    Z3_app app = z->Z3_to_app(p->c, all);
    for (unsigned k = 0; k < z->Z3_get_app_num_args(p->c, app) && !found; k++)
        found = answer_body(w, z->Z3_get_app_arg(p->c, app, k), a);
    return found;
}

/* Counts as they are for counts that stop at their cap, numbers for states of one bit each. */
static Z3_ast answer_plain(const spacer *w, Z3_ast f, const z3_state *plain, at_arena *a)
{
    const z3_place *p = &w->place;
    const z3_calls *z = p->z;
    const prove_system *s = p->s;
    Z3_ast *to = at_new(a, Z3_ast, w->n + 1);
    int m = 0;
    if (!to)
        return NULL;
    for (int k = 0; k < s->counts.n; k++)
        if (w->x.count[k] && !w->gone[k]) {
            Z3_ast cap = z3_number(p, s->counts.at[k].cap), c = plain->count[k];
            to[m++] = s->counts.at[k].cap ? z->Z3_mk_ite(p->c, z->Z3_mk_ge(p->c, c, cap), cap, c) : c;
        }
    for (int k = 0; k < s->bits.n; k++)
        if (w->x.bit[k])
            to[m++] = plain->bit[k];
    for (int k = 0; k < s->parts.n; k++)
        for (int q = 0; q < s->parts.at[k].states && s->parts.at[k].live; q++)
            to[m++] = z->Z3_mk_eq(p->c, plain->part[k], z3_number(p, q));
    return z->Z3_substitute(p->c, f, (unsigned)w->n, w->var, to);
}

static at_status part_keep(const spacer *w, Z3_ast f, at_arena *a, at_invariant *out, at_err *err)
{
    const char *said = f ? w->place.z->Z3_ast_to_string(w->place.c, f) : NULL;
    char *copy = said ? at_arena_strdup(a, said) : NULL;
    if (!copy)
        return at_oom(err);
    out->part[out->n++] = copy;
    return AT_OK;
}

static at_status answer_keep(spacer *w, int n, const int64_t *equation, at_arena *a, at_invariant *out,
                             at_err *err)
{
    const z3_place *p = &w->place;
    const prove_system *s = p->s;
    z3_state plain;
    Z3_ast count[AT_PROVE_COUNTS], f = answer_find(w, a);
    if (!f)
        return AT_OK;
    *out = (at_invariant){.k = 1, .part = at_new(a, const char *, n + 3)};
    at_status st = out->part ? z3_state_new(p, "", false, false, a, &plain, err) : at_oom(err);
    if (!st)
        st = part_keep(w, answer_plain(w, f, &plain, a), a, out, err);
    for (int i = 0; i < s->n_free && !st; i++)
        count[i] = plain.count[s->free[i]];
    for (int e = 0; e < n && !st; e++) {
        const int64_t *row = equation + (size_t)e * (size_t)(s->n_free + 1);
        Z3_ast sum = z3_linear(p, s->n_free, row, count, row[s->n_free]);
        st = part_keep(w, p->z->Z3_mk_eq(p->c, sum, z3_number(p, 0)), a, out, err);
    }
    if (!st)
        st = part_keep(w, z3_state_sane(&plain, a), a, out, err);
    return st;
}

at_status prove_solver_spacer(prove_solver *v, int n, const int64_t *equation, at_arena *a, at_tri *holds,
                              at_invariant *out, at_err *err)
{
    prove_system *s = v->place.s;
    spacer w = {.gone = at_new(a, bool, s->counts.n + 1)};
    size_t cells = (size_t)n * (size_t)(s->n_free + 1);
    int64_t *rows = at_new(a, int64_t, cells + 1);
    *holds = AT_UNKNOWN;
    at_status st = w.gone && rows ? z3_place_open(&w.place, s, v->steps, err) : at_oom(err);
    if (st)
        return st;
    memcpy(rows, equation, cells * sizeof *rows);
    st = z3_state_new(&w.place, "", true, true, a, &w.x, err);
    if (!st) {
        eliminate(&w, n, rows, a);
        w.sane = z3_state_sane(&w.x, a);
        st = w.sane ? variables_find(&w, a, err) : at_oom(err);
    }
    if (!st)
        engine_open(&w);
    if (!st && w.engine)
        st = rules_make(&w, a, err);
    if (!st && w.engine && !w.place.z->Z3_get_error_code(w.place.c)) {
        z3_watch watch;
        z3_watch_begin(&watch, &w.place);
        Z3_lbool r = w.place.z->Z3_fixedpoint_query(w.place.c, w.engine,
                                                    w.place.z->Z3_mk_app(w.place.c, w.bad, 0, NULL));
        z3_watch_end(&watch);
        *holds = r == Z3_L_FALSE ? AT_TRUE : r == Z3_L_TRUE ? AT_FALSE : AT_UNKNOWN;
        if (*holds == AT_TRUE)
            st = answer_keep(&w, n, equation, a, out, err);
    }
    if (w.engine)
        w.place.z->Z3_fixedpoint_dec_ref(w.place.c, w.engine);
    z3_place_close(&w.place);
    if (!st && at_cancel_pending())
        st = at_fail(err, AT_ECANCEL, "interrupted");
    return st;
}

#else
typedef int spacer_unused;
#endif
