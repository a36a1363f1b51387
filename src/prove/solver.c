/* solver.c: Z3 for the small questions of a proof: does a region lead out of what is said, which equations are kept. */
#ifdef AT_Z3

#include "solver_z3.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- a context ------------------------------------------------------------------------------------------------------------------ */

/* A query that is cancelled or runs out of memory raises an error: whoever asks looks at the answer, which then is none. */
static void ignore(Z3_context c, Z3_error_code e)
{
    (void)c;
    (void)e;
}

at_status z3_place_open(z3_place *p, prove_system *s, unsigned steps, at_err *err)
{
    char limit[16];
    *p = (z3_place){.z = prove_z3(), .s = s};
    const z3_calls *z = p->z;
    Z3_config cfg = z->Z3_mk_config();
    snprintf(limit, sizeof limit, "%u", steps);
    z->Z3_set_param_value(cfg, "rlimit", limit);
    z->Z3_set_param_value(cfg, "model", "true");
    p->c = z->Z3_mk_context(cfg);
    z->Z3_del_config(cfg);
    if (!p->c)
        return at_fail(err, AT_ENOMEM, "Z3 cannot be started");
    z->Z3_set_error_handler(p->c, ignore);
    p->solver = z->Z3_mk_simple_solver(p->c);
    if (!p->solver) {
        z->Z3_del_context(p->c);
        p->c = NULL;
        return at_fail(err, AT_ENOMEM, "Z3 cannot be started");
    }
    z->Z3_solver_inc_ref(p->c, p->solver);
    p->whole = z->Z3_mk_int_sort(p->c);
    p->truth = z->Z3_mk_bool_sort(p->c);
    return AT_OK;
}

void z3_place_close(z3_place *p)
{
    if (!p->c)
        return;
    p->z->Z3_solver_dec_ref(p->c, p->solver);
    p->z->Z3_del_context(p->c);
    p->c = NULL;
}

Z3_ast z3_number(const z3_place *p, int64_t v)
{
    return p->z->Z3_mk_int64(p->c, v, p->whole);
}

Z3_ast z3_all(const z3_place *p, int n, const Z3_ast *a)
{
    return n == 0 ? p->z->Z3_mk_true(p->c) : n == 1 ? a[0] : p->z->Z3_mk_and(p->c, (unsigned)n, a);
}

Z3_ast z3_any(const z3_place *p, int n, const Z3_ast *a)
{
    return n == 0 ? p->z->Z3_mk_false(p->c) : n == 1 ? a[0] : p->z->Z3_mk_or(p->c, (unsigned)n, a);
}

Z3_ast z3_linear(const z3_place *p, int n, const int64_t *coef, const Z3_ast *x, int64_t k)
{
    Z3_ast sum[AT_PROVE_COUNTS + 1];
    int m = 0;
    for (int i = 0; i < n; i++)
        if (coef[i] == 1)
            sum[m++] = x[i];
        else if (coef[i]) {
            Z3_ast product[2] = {z3_number(p, coef[i]), x[i]};
            sum[m++] = p->z->Z3_mk_mul(p->c, 2, product);
        }
    if (k || !m)
        sum[m++] = z3_number(p, k);
    return m == 1 ? sum[0] : p->z->Z3_mk_add(p->c, (unsigned)m, sum);
}

/* ---- queries ---------------------------------------------------------------------------------------------------------------------- */

static void *watch(void *at)
{
    z3_watch *w = at;
    while (!atomic_load(&w->over)) {
        if (at_cancel_pending())
            w->p->z->Z3_interrupt(w->p->c);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return NULL;
}

void z3_watch_begin(z3_watch *w, const z3_place *p)
{
    w->p = p;
    atomic_init(&w->over, false);
    w->on = !pthread_create(&w->thread, NULL, watch, w);
}

void z3_watch_end(z3_watch *w)
{
    atomic_store(&w->over, true);
    if (w->on)
        pthread_join(w->thread, NULL);
}

at_tri z3_check(const z3_place *p, int n, const Z3_ast *a)
{
    const z3_calls *z = p->z;
    z3_watch w;
    z3_watch_begin(&w, p);
    z->Z3_solver_push(p->c, p->solver);
    for (int k = 0; k < n; k++)
        z->Z3_solver_assert(p->c, p->solver, a[k]);
    Z3_lbool v = z->Z3_get_error_code(p->c) ? Z3_L_UNDEF : z->Z3_solver_check(p->c, p->solver);
    z->Z3_solver_pop(p->c, p->solver, 1);
    z3_watch_end(&w);
    return v == Z3_L_TRUE ? AT_TRUE : v == Z3_L_FALSE ? AT_FALSE : AT_UNKNOWN;
}

at_status prove_solver_open(prove_system *s, unsigned steps, prove_solver **out, at_err *err)
{
    *out = NULL;
    if (!prove_z3())
        return AT_OK;
    prove_solver *v = at_new(s->arena, prove_solver, 1);
    if (!v)
        return at_oom(err);
    v->x = at_new(s->arena, Z3_ast, s->n_free + 1);
    v->steps = steps;
    if (!v->x)
        return at_oom(err);
    at_status st = z3_place_open(&v->place, s, steps / 10 + 1, err);
    for (int i = 0; i < s->n_free && !st; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        v->x[i] = v->place.z->Z3_mk_const(v->place.c, v->place.z->Z3_mk_string_symbol(v->place.c, name),
                                          v->place.whole);
    }
    *out = st ? NULL : v;
    return st;
}

void prove_solver_close(prove_solver *v)
{
    if (v)
        z3_place_close(&v->place);
}

unsigned prove_solver_spent(const prove_solver *v)
{
    const z3_place *p = &v->place;
    const z3_calls *z = p->z;
    Z3_stats stats = z->Z3_solver_get_statistics(p->c, p->solver);
    unsigned spent = 0;
    if (!stats)
        return UINT32_MAX;
    z->Z3_stats_inc_ref(p->c, stats);
    for (unsigned k = 0; k < z->Z3_stats_size(p->c, stats); k++)
        if (!strcmp(z->Z3_stats_get_key(p->c, stats, k), "rlimit count") &&
            z->Z3_stats_is_uint(p->c, stats, k))
            spent = z->Z3_stats_get_uint_value(p->c, stats, k);
    z->Z3_stats_dec_ref(p->c, stats);
    return spent;
}

/* The rows, of x + d. */
static Z3_ast rows_at(prove_solver *v, const prove_rows *r, const int64_t *d)
{
    const z3_place *p = &v->place;
    int n = p->s->n_free;
    Z3_ast *all = at_malloc(((size_t)r->n + 1) * sizeof(Z3_ast));
    if (!all)
        return NULL;
    for (int k = 0; k < r->n; k++) {
        const int64_t *row = r->a + (size_t)k * (size_t)(n + 1);
        int64_t constant = row[n];
        for (int i = 0; i < n && d; i++)
            constant += row[i] * d[i];
        Z3_ast sum = z3_linear(p, n, row, v->x, constant), none = z3_number(p, 0);
        all[k] = r->equal[k] ? p->z->Z3_mk_eq(p->c, sum, none) : p->z->Z3_mk_ge(p->c, sum, none);
    }
    Z3_ast out = z3_all(p, r->n, all);
    at_free(all);
    return out;
}

static at_tri model_read(prove_solver *v, int64_t *x)
{
    const z3_place *p = &v->place;
    const z3_calls *z = p->z;
    Z3_model m = z->Z3_solver_get_model(p->c, p->solver);
    bool all = m != NULL;
    if (m)
        z->Z3_model_inc_ref(p->c, m);
    for (int i = 0; i < p->s->n_free && all; i++) {
        Z3_ast value;
        all = z->Z3_model_eval(p->c, m, v->x[i], true, &value) && z->Z3_get_numeral_int64(p->c, value, &x[i]);
    }
    if (m)
        z->Z3_model_dec_ref(p->c, m);
    return all ? AT_TRUE : AT_UNKNOWN;
}

at_tri prove_solver_escape(prove_solver *v, const prove_rows *from, const int64_t *d,
                           const prove_rows *const *to, int n, int64_t *x)
{
    const z3_place *p = &v->place;
    const z3_calls *z = p->z;
    z->Z3_solver_push(p->c, p->solver);
    Z3_ast a = rows_at(v, from, NULL);
    bool made = a != NULL;
    if (made)
        z->Z3_solver_assert(p->c, p->solver, a);
    for (int k = 0; k < n && made; k++) {
        a = rows_at(v, to[k], d);
        made = a != NULL;
        if (made)
            z->Z3_solver_assert(p->c, p->solver, z->Z3_mk_not(p->c, a));
    }
    Z3_lbool r = made && !z->Z3_get_error_code(p->c) ? z->Z3_solver_check(p->c, p->solver) : Z3_L_UNDEF;
    at_tri out = r == Z3_L_TRUE ? model_read(v, x) : r == Z3_L_FALSE ? AT_FALSE : AT_UNKNOWN;
    z->Z3_solver_pop(p->c, p->solver, 1);
    return out;
}

/* ---- equations that every letter keeps ---------------------------------------------------------------------------------------------- */

static Z3_ast equation_of(const z3_state *x, const int64_t *row)
{
    const prove_system *s = x->p->s;
    Z3_ast count[AT_PROVE_COUNTS];
    for (int i = 0; i < s->n_free; i++)
        count[i] = x->count[s->free[i]];
    return x->p->z->Z3_mk_eq(x->p->c, z3_linear(x->p, s->n_free, row, count, row[s->n_free]),
                             z3_number(x->p, 0));
}

at_status prove_solver_equations(prove_solver *v, int *n, int64_t *equation, at_err *err)
{
    const z3_place *p = &v->place;
    prove_system *s = p->s;
    size_t width = (size_t)s->n_free + 1;
    z3_state x;
    z3_state *next = at_new(s->arena, z3_state, s->S);
    at_status st = next ? z3_state_new(p, "", false, true, s->arena, &x, err) : at_oom(err);
    for (int a = 0; a < s->S && !st; a++)
        st = z3_state_next(&x, a, s->arena, &next[a], err);
    Z3_ast *all = st ? NULL : at_new(s->arena, Z3_ast, *n + 3);
    if (!st && !all)
        st = at_oom(err);
    for (bool again = true; again && !st;) {
        again = false;
        for (int e = 0; e < *n && !again; e++) {
            all[0] = z3_state_sane(&x, s->arena);
            for (int k = 0; k < *n; k++)
                all[k + 1] = equation_of(&x, equation + (size_t)k * width);
            for (int a = 0; a < s->S && !again; a++) {
                all[*n + 1] = p->z->Z3_mk_not(p->c, equation_of(&next[a], equation + (size_t)e * width));
                again = z3_check(p, *n + 2, all) != AT_FALSE;
            }
            if (again)
                memmove(equation + (size_t)e * width, equation + (size_t)(e + 1) * width,
                        (size_t)(--*n - e) * width * sizeof *equation);
        }
        if (at_cancel_pending())
            st = at_fail(err, AT_ECANCEL, "interrupted");
    }
    return st;
}

bool at_prove_has_solver(void)
{
    return prove_z3() != NULL;
}

#else /* built without Z3: no solver ever is there */

#include "prove_internal.h"

at_status prove_solver_open(prove_system *s, unsigned steps, prove_solver **out, at_err *err)
{
    (void)s;
    (void)steps;
    (void)err;
    *out = NULL;
    return AT_OK;
}

void prove_solver_close(prove_solver *v)
{
    (void)v;
}

unsigned prove_solver_spent(const prove_solver *v)
{
    (void)v;
    return 0;
}

at_tri prove_solver_escape(prove_solver *v, const prove_rows *from, const int64_t *d,
                           const prove_rows *const *to, int n, int64_t *x)
{
    (void)v;
    (void)from;
    (void)d;
    (void)to;
    (void)n;
    (void)x;
    return AT_UNKNOWN;
}

at_status prove_solver_equations(prove_solver *v, int *n, int64_t *equation, at_err *err)
{
    (void)v;
    (void)equation;
    (void)err;
    *n = 0;
    return AT_OK;
}

at_status prove_solver_spacer(prove_solver *v, int n, const int64_t *equation, at_arena *a, at_tri *holds,
                              at_invariant *out, at_err *err)
{
    (void)v;
    (void)n;
    (void)equation;
    (void)a;
    (void)out;
    (void)err;
    *holds = AT_UNKNOWN;
    return AT_OK;
}

at_status prove_solver_recheck(prove_solver *v, const at_invariant *x, at_arena *a, at_tri *out,
                               const char **why, at_err *err)
{
    (void)v;
    (void)x;
    (void)a;
    (void)why;
    (void)err;
    *out = AT_UNKNOWN;
    return AT_OK;
}

bool at_prove_has_solver(void)
{
    return false;
}

#endif
