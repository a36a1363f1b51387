/* build.c: builders of the IR. Each computes the range of its variable; failures are sticky. */
#include "program_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RANGE_MAX 0x1p45  /* integers beyond this leave too few bits for the steps on them */
#define TABLE_MAX (1 << 24)

at_program *at_program_new(const char *name, int N)
{
    at_program *P = at_calloc(1, sizeof *P);
    if (!P)
        return NULL;
    at_arena_init(&P->arena);
    P->N = N;
    P->n_min = 1;
    P->origin = 1;
    P->name = at_arena_strdup(&P->arena, name);
    if (!P->name)
        at_oom(&P->err);
    if (N < 1 || N > AT_MAX_LENGTH)
        at_fail(&P->err, AT_EDOMAIN, "program %s: length %d is outside 1..%d", name, N, AT_MAX_LENGTH);
    return P;
}

void at_program_free(at_program *P)
{
    if (!P)
        return;
    at_arena_release(&P->arena);
    at_free(P->vars);
    at_free(P->steps);
    at_free(P);
}

void at_program_lengths(at_program *P, int n_min)
{
    P->n_min = n_min;
}

at_status at_program_fail(at_program *P, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return at_fail(&P->err, AT_EDOMAIN, "program %s: %s", P->name ? P->name : "?", text);
}

at_status at_program_oom(at_program *P)
{
    return at_oom(&P->err);
}

at_status at_program_status(const at_program *P, at_err *err)
{
    return P->err.code ? at_fail(err, P->err.code, "%s", P->err.text) : AT_OK;
}

int program_longest(const at_program *P)
{
    return P->n_prefix + P->N + P->n_suffix;
}

int64_t field_rows(const at_field *f)
{
    return f->kind == AT_FIELD_SUBSET ? at_choose(f->size, f->pick) : f->size;
}

static at_var fail_oom(at_program *P)
{
    at_oom(&P->err);
    return -1;
}

/* A new variable, named when name is not NULL; its args are copied. */
static at_var var_add(at_program *P, const char *name, op o, const at_var *args, int n_args)
{
    if (P->err.code)
        return -1;
    for (int k = 0; k < n_args; k++) {
        if (args[k] < 0 || args[k] >= P->n_vars)
            return at_program_fail(P, "%s uses a variable that does not exist", name ? name : "?"), -1;
        if (P->vars[args[k]].op == OP_FIELD && o != OP_EMBED)
            return at_program_fail(P, "field %s must be looked up before use", P->vars[args[k]].name), -1;
    }
    if (P->n_vars == P->cap_vars) {
        int cap = P->cap_vars ? 2 * P->cap_vars : 32;
        var *v = at_realloc(P->vars, (size_t)cap * sizeof *v);
        if (!v)
            return fail_oom(P);
        P->vars = v;
        P->cap_vars = cap;
    }
    var *v = &P->vars[P->n_vars];
    *v = (var){.op = o, .n_args = n_args};
    if (name && !(v->name = at_arena_strdup(&P->arena, name)))
        return fail_oom(P);
    if (n_args && !(v->args = at_new(&P->arena, at_var, n_args)))
        return fail_oom(P);
    for (int k = 0; k < n_args; k++)
        v->args[k] = args[k];
    return P->n_vars++;
}

/* Gives v hidden values (zeros) and takes the range of its table, over n values with a stride. */
static at_var input_finish(at_program *P, at_var id)
{
    if (id < 0)
        return -1;
    var *v = &P->vars[id];
    v->prefix = at_new(&P->arena, double, P->n_prefix + 1);
    v->suffix = at_new(&P->arena, double, P->n_suffix + 1);
    return v->prefix && v->suffix ? id : fail_oom(P);
}

static void range_include(var *v, double x)
{
    v->lo = fmin(v->lo, x);
    v->hi = fmax(v->hi, x);
    v->integer = v->integer && x == floor(x);
}

static void range_of_table(at_program *P, var *v, int64_t rows)
{
    v->lo = INFINITY;
    v->hi = -INFINITY;
    v->integer = true;
    for (int64_t r = 0; r < rows; r++) {
        double x = v->table[r * v->stride];
        if (!isfinite(x)) {
            at_program_fail(P, "table of %s has a value that is not finite", v->name);
            return;
        }
        range_include(v, x);
    }
}

/* ---- inputs --------------------------------------------------------------------------------------- */

static at_var field_add(at_program *P, const char *name, at_field f)
{
    if (P->err.code)
        return -1;
    if (P->n_fields == AT_MAX_FIELDS)
        return at_program_fail(P, "more than %d fields", AT_MAX_FIELDS), -1;
    snprintf(f.name, sizeof f.name, "%s", name);
    P->fields[P->n_fields++] = f;
    return 0;
}

static at_var field_var(at_program *P, const char *name, at_field f)
{
    if (f.size < 1 || (f.kind == AT_FIELD_SUBSET && (f.pick < 1 || f.pick > f.size)))
        return at_program_fail(P, "field %s: size %d, pick %d", name, f.size, f.pick), -1;
    if (field_rows(&f) > TABLE_MAX)
        return at_program_fail(P, "field %s: a table of %jd rows, at most %d are allowed", name,
                               (intmax_t)field_rows(&f), TABLE_MAX),
               -1;
    at_var v = field_add(P, name, f) < 0 ? -1 : var_add(P, name, OP_FIELD, NULL, 0);
    if (v >= 0)
        P->vars[v].field = P->n_fields - 1;
    return v;
}

at_var at_token(at_program *P, const char *name, int size)
{
    return field_var(P, name, (at_field){.kind = AT_FIELD_TOKEN, .size = size});
}

at_var at_subset(at_program *P, const char *name, int size, int pick)
{
    return field_var(P, name, (at_field){.kind = AT_FIELD_SUBSET, .size = size, .pick = pick});
}

at_var at_reals(at_program *P, const char *name, int d, double lo, double hi)
{
    at_field f = {.kind = AT_FIELD_REAL, .size = d, .lo = lo, .hi = hi};
    if (d < 1 || !(lo <= hi))
        return at_program_fail(P, "field %s: %d reals in [%g,%g]", name, d, lo, hi), -1;
    if (field_add(P, name, f) < 0)
        return -1;
    at_var first = -1;
    for (int k = 0; k < d; k++) {
        char label[AT_NAME_MAX + 1];
        snprintf(label, sizeof label, d > 1 ? "%s[%d]" : "%s", name, k);
        at_var v = input_finish(P, var_add(P, label, OP_REAL, NULL, 0));
        if (v < 0)
            return -1;
        var *x = &P->vars[v];
        x->field = P->n_fields - 1;
        x->component = k;
        x->lo = fmin(lo, P->n_prefix + P->n_suffix ? 0 : lo);
        x->hi = fmax(hi, P->n_prefix + P->n_suffix ? 0 : hi);
        if (k == 0)
            first = v;
    }
    return first;
}

void at_prefix(at_program *P, int count)
{
    P->n_prefix = count;
}

void at_suffix(at_program *P, int count)
{
    P->n_suffix = count;
}

void at_origin(at_program *P, int origin)
{
    P->origin = origin;
}

at_var at_lookup_rows(at_program *P, const char *name, at_var field, int m, const double *rows)
{
    if (P->err.code)
        return -1;
    if (field < 0 || field >= P->n_vars || P->vars[field].op != OP_FIELD)
        return at_program_fail(P, "%s looks up something that is not a field", name), -1;
    int64_t n = field_rows(&P->fields[P->vars[field].field]);
    double *copy = at_new(&P->arena, double, n * m);
    if (!copy)
        return fail_oom(P);
    memcpy(copy, rows, (size_t)(n * m) * sizeof *copy);
    at_var first = -1;
    for (int k = 0; k < m; k++) {
        char label[AT_NAME_MAX + 1];
        snprintf(label, sizeof label, m > 1 ? "%s[%d]" : "%s", name, k);
        at_var v = input_finish(P, var_add(P, label, OP_EMBED, &field, 1));
        if (v < 0)
            return -1;
        var *x = &P->vars[v];
        x->field = P->vars[field].field;
        x->table = copy + k;
        x->stride = m;
        range_of_table(P, x, n);
        if (P->n_prefix + P->n_suffix)
            range_include(x, 0);
        if (k == 0)
            first = v;
    }
    return P->err.code ? -1 : first;
}

at_var at_lookup(at_program *P, const char *name, at_var field, const double *table)
{
    return at_lookup_rows(P, name, field, 1, table);
}

at_var at_number(at_program *P, const char *name, at_var field)
{
    if (P->err.code || field < 0 || P->vars[field].op != OP_FIELD)
        return at_lookup_rows(P, name, field, 1, NULL);
    int size = P->fields[P->vars[field].field].size;
    double *t = at_new(&P->arena, double, size);
    if (!t)
        return fail_oom(P);
    for (int k = 0; k < size; k++)
        t[k] = k;
    return at_lookup(P, name, field, t);
}

/* A mark is a position-like input: zero at user positions, given at hidden ones. */
static at_var mark_add(at_program *P, const char *name, bool suffix, int k)
{
    if (k < 0 || k >= (suffix ? P->n_suffix : P->n_prefix))
        return at_program_fail(P, "%s marks hidden position %d, which does not exist", name, k), -1;
    at_var v = input_finish(P, var_add(P, name, OP_EMBED, NULL, 0));
    if (v < 0)
        return -1;
    var *x = &P->vars[v];
    x->field = -1;
    x->lo = 0;
    x->hi = 1;
    x->integer = true;
    (suffix ? x->suffix : x->prefix)[k] = 1;
    return v;
}

at_var at_mark_prefix(at_program *P, const char *name, int k)
{
    return mark_add(P, name, false, k);
}

at_var at_mark_suffix(at_program *P, const char *name, int k)
{
    return mark_add(P, name, true, k);
}

static void hidden_set(at_program *P, at_var v, bool suffix, int k, double value)
{
    if (P->err.code)
        return;
    if (v < 0 || v >= P->n_vars || P->vars[v].op != OP_EMBED || k < 0 ||
        k >= (suffix ? P->n_suffix : P->n_prefix)) {
        at_program_fail(P, "a hidden value is set where there is none");
        return;
    }
    for (at_var u = v + 1; u < P->n_vars; u++) /* its range is part of what it was used for */
        for (int a = 0; a < P->vars[u].n_args; a++)
            if (P->vars[u].args[a] == v) {
                at_program_fail(P, "a hidden value of %s is set after its first use", P->vars[v].name);
                return;
            }
    (suffix ? P->vars[v].suffix : P->vars[v].prefix)[k] = value;
    range_include(&P->vars[v], value);
}

void at_hidden_prefix(at_program *P, at_var v, int k, double value)
{
    hidden_set(P, v, false, k, value);
}

void at_hidden_suffix(at_program *P, at_var v, int k, double value)
{
    hidden_set(P, v, true, k, value);
}

at_var at_position(at_program *P, const char *name, at_pos_kind kind)
{
    at_var id = var_add(P, name, OP_POS, NULL, 0);
    if (id < 0)
        return -1;
    var *v = &P->vars[id];
    double T = program_longest(P), last = P->origin + T - 1, first = P->origin;
    v->pos = kind;
    v->integer = kind == AT_POS_I || kind == AT_POS_N || kind == AT_POS_ALTERNATE;
    switch (kind) {
    case AT_POS_I:
        v->lo = first;
        v->hi = last;
        break;
    case AT_POS_N:
        v->lo = P->n_prefix + P->n_min + P->n_suffix;
        v->hi = T;
        break;
    case AT_POS_ALTERNATE:
        v->lo = -1;
        v->hi = 1;
        break;
    case AT_POS_INV_I:
    case AT_POS_INV_I2:
        v->lo = 0;
        v->hi = 1;
        break;
    case AT_POS_I_OVER_N:
    case AT_POS_I_OVER_N3:
        v->lo = fmin(0, first);
        v->hi = fmax(1, first);
        break;
    default:
        return at_program_fail(P, "position feature %s has more than one value", name), -1;
    }
    return id;
}

at_var at_position_rows(at_program *P, const char *name, int m, const double *rows)
{
    if (P->err.code)
        return -1;
    int T = program_longest(P);
    double *copy = at_new(&P->arena, double, (size_t)T * (size_t)m);
    if (!copy)
        return fail_oom(P);
    memcpy(copy, rows, (size_t)T * (size_t)m * sizeof *copy);
    at_var first = -1;
    for (int k = 0; k < m; k++) {
        char label[AT_NAME_MAX + 1];
        snprintf(label, sizeof label, m > 1 ? "%s[%d]" : "%s", name, k);
        at_var v = var_add(P, label, OP_ROWS, NULL, 0);
        if (v < 0)
            return -1;
        var *x = &P->vars[v];
        x->table = copy + k;
        x->stride = m;
        range_of_table(P, x, T);
        if (k == 0)
            first = v;
    }
    return P->err.code ? -1 : first;
}

/* ---- linear expressions ------------------------------------------------------------------------------ */

at_var at_sum(at_program *P, const char *name, at_vec v, const double *coef, double c0)
{
    at_var id = var_add(P, name, OP_LINEAR, v.v, v.n);
    if (id < 0)
        return -1;
    var *x = &P->vars[id];
    x->coef = at_new(&P->arena, double, v.n + 1);
    if (!x->coef)
        return fail_oom(P);
    x->c0 = x->lo = x->hi = c0;
    x->integer = c0 == floor(c0);
    for (int k = 0; k < v.n; k++) {
        double c = x->coef[k] = coef ? coef[k] : 1;
        const var *a = &P->vars[v.v[k]];
        x->lo += c * (c >= 0 ? a->lo : a->hi);
        x->hi += c * (c >= 0 ? a->hi : a->lo);
        x->integer = x->integer && a->integer && c == floor(c);
    }
    if (!isfinite(x->lo) || !isfinite(x->hi))
        return at_program_fail(P, "%s has no finite range", name ? name : "an expression"), -1;
    return id;
}

at_var at_const(at_program *P, double c)
{
    return at_sum(P, NULL, (at_vec){0, NULL}, NULL, c);
}

at_var at_add(at_program *P, at_var x, at_var y)
{
    return at_sum(P, NULL, AT_VEC(x, y), NULL, 0);
}

at_var at_sub(at_program *P, at_var x, at_var y)
{
    return at_sum(P, NULL, AT_VEC(x, y), (double[]){1, -1}, 0);
}

at_var at_scaled(at_program *P, double k, at_var x)
{
    return at_sum(P, NULL, AT_VEC(x), &k, 0);
}

at_var at_neg(at_program *P, at_var x)
{
    return at_scaled(P, -1, x);
}

at_var at_not(at_program *P, at_var b)
{
    return at_sum(P, NULL, AT_VEC(b), (double[]){-1}, 1);
}

/* ---- pointwise steps ----------------------------------------------------------------------------------- */

static at_var point_add(at_program *P, const char *name, op o, at_vec args, double lo, double hi, bool integer)
{
    at_var id = var_add(P, name, o, args.v, args.n);
    if (id >= 0) {
        P->vars[id].lo = lo;
        P->vars[id].hi = hi;
        P->vars[id].integer = integer;
    }
    return id;
}

static bool need(at_program *P, const char *name, at_var x, bool integer, bool boolean)
{
    if (P->err.code)
        return false;
    if (x < 0 || x >= P->n_vars) {
        at_program_fail(P, "%s uses a variable that does not exist", name);
        return false;
    }
    const var *v = &P->vars[x];
    if (integer && (!v->integer || v->hi > RANGE_MAX || v->lo < -RANGE_MAX)) {
        at_program_fail(P, "%s needs an integer below 2^45, %s is not one", name, v->name ? v->name : "its argument");
        return false;
    }
    if (boolean && (!v->integer || v->lo < 0 || v->hi > 1)) {
        at_program_fail(P, "%s needs a boolean, %s is not one", name, v->name ? v->name : "its argument");
        return false;
    }
    return true;
}

at_var at_ramp(at_program *P, const char *name, at_var x, double a, double b)
{
    if (!need(P, name, x, false, false))
        return -1;
    if (!(a < b))
        return at_program_fail(P, "%s: ramp from %g to %g", name, a, b), -1;
    at_var id = point_add(P, name, OP_RAMP, AT_VEC(x), 0, 1, false);
    if (id >= 0) {
        P->vars[id].c0 = a;
        P->vars[id].c1 = b;
    }
    return id;
}

static at_var extreme_add(at_program *P, const char *name, op o, at_var x, at_var y)
{
    if (!need(P, name, x, false, false) || !need(P, name, y, false, false))
        return -1;
    const var *a = &P->vars[x], *b = &P->vars[y];
    double lo = o == OP_MAX ? fmax(a->lo, b->lo) : fmin(a->lo, b->lo);
    double hi = o == OP_MAX ? fmax(a->hi, b->hi) : fmin(a->hi, b->hi);
    return point_add(P, name, o, AT_VEC(x, y), lo, hi, a->integer && b->integer);
}

at_var at_max2(at_program *P, const char *name, at_var x, at_var y)
{
    return extreme_add(P, name, OP_MAX, x, y);
}

at_var at_min2(at_program *P, const char *name, at_var x, at_var y)
{
    return extreme_add(P, name, OP_MIN, x, y);
}

at_var at_absolute(at_program *P, const char *name, at_var x)
{
    if (!need(P, name, x, false, false))
        return -1;
    const var *a = &P->vars[x];
    double lo = a->lo > 0 ? a->lo : a->hi < 0 ? -a->hi : 0;
    return point_add(P, name, OP_ABS, AT_VEC(x), lo, fmax(-a->lo, a->hi), a->integer);
}

at_var at_select(at_program *P, const char *name, at_var b, at_var x, at_var y)
{
    if (!need(P, name, b, true, true) || !need(P, name, x, false, false) || !need(P, name, y, false, false))
        return -1;
    const var *v = &P->vars[x], *w = &P->vars[y];
    return point_add(P, name, OP_SELECT, AT_VEC(b, x, y), fmin(v->lo, w->lo), fmax(v->hi, w->hi),
                     v->integer && w->integer);
}

static at_var logic_add(at_program *P, const char *name, op o, at_var a, at_var b)
{
    if (!need(P, name, a, true, true) || !need(P, name, b, true, true))
        return -1;
    return point_add(P, name, o, AT_VEC(a, b), 0, 1, true);
}

at_var at_and(at_program *P, const char *name, at_var a, at_var b)
{
    return logic_add(P, name, OP_AND, a, b);
}

at_var at_or(at_program *P, const char *name, at_var a, at_var b)
{
    return logic_add(P, name, OP_OR, a, b);
}

static at_var compare_add(at_program *P, const char *name, op o, at_var x, double t)
{
    if (!need(P, name, x, true, false))
        return -1;
    if (t != floor(t))
        return at_program_fail(P, "%s compares an integer with %g", name, t), -1;
    at_var id = point_add(P, name, o, AT_VEC(x), 0, 1, true);
    if (id >= 0)
        P->vars[id].c0 = t;
    return id;
}

at_var at_at_least(at_program *P, const char *name, at_var x, double t)
{
    return compare_add(P, name, OP_AT_LEAST, x, t);
}

at_var at_equals(at_program *P, const char *name, at_var x, double t)
{
    return compare_add(P, name, OP_EQUALS, x, t);
}

/* Room for a table over the range of x; its values are filled in by the caller before table_finish. */
static double *table_room(at_program *P, const char *name, at_var x, int *n)
{
    if (!need(P, name, x, true, false))
        return NULL;
    double size = P->vars[x].hi - P->vars[x].lo + 1;
    if (size > TABLE_MAX) {
        at_program_fail(P, "%s: a table of %.0f entries, at most %d are allowed", name, size, TABLE_MAX);
        return NULL;
    }
    double *t = at_new(&P->arena, double, (size_t)size);
    if (!t)
        fail_oom(P);
    *n = (int)size;
    return t;
}

static at_var table_finish(at_program *P, const char *name, at_var x, const double *t, int n)
{
    at_var id = point_add(P, name, OP_TABLE, AT_VEC(x), 0, 0, true);
    if (id < 0)
        return -1;
    var *v = &P->vars[id];
    v->table = t;
    v->n_table = n;
    v->stride = 1;
    range_of_table(P, v, n);
    return P->err.code ? -1 : id;
}

at_var at_table(at_program *P, const char *name, at_var x, const double *values)
{
    int n;
    double *t = table_room(P, name, x, &n);
    if (!t)
        return -1;
    memcpy(t, values, (size_t)n * sizeof *t);
    return table_finish(P, name, x, t, n);
}

at_var at_floor_div(at_program *P, const char *name, at_var x, int m)
{
    int n;
    if (m < 1)
        return at_program_fail(P, "%s divides by %d", name, m), -1;
    double *t = table_room(P, name, x, &n);
    if (!t)
        return -1;
    for (int k = 0; k < n; k++)
        t[k] = floor((P->vars[x].lo + k) / m);
    return table_finish(P, name, x, t, n);
}

at_var at_product(at_program *P, const char *name, at_var x, at_var y)
{
    if (!need(P, name, x, true, false) || !need(P, name, y, true, false))
        return -1;
    const var *a = &P->vars[x], *b = &P->vars[y];
    double c[4] = {a->lo * b->lo, a->lo * b->hi, a->hi * b->lo, a->hi * b->hi};
    double lo = fmin(fmin(c[0], c[1]), fmin(c[2], c[3])), hi = fmax(fmax(c[0], c[1]), fmax(c[2], c[3]));
    if (a->hi - a->lo + b->hi - b->lo > TABLE_MAX)
        return at_program_fail(P, "%s: the factors' ranges add up to more than %d", name, TABLE_MAX), -1;
    return point_add(P, name, OP_PRODUCT, AT_VEC(x, y), lo, hi, true);
}

at_var at_near(at_program *P, const char *name, at_var x, const double *centres, int n, double r, double w)
{
    if (!need(P, name, x, false, false))
        return -1;
    if (n < 1 || !(r >= 0) || !(w > 0))
        return at_program_fail(P, "%s: %d centres, radius %g, slope width %g", name, n, r, w), -1;
    at_var id = point_add(P, name, OP_NEAR, AT_VEC(x), 0, n, false);
    double *c = id < 0 ? NULL : at_new(&P->arena, double, n);
    if (id < 0 || !c)
        return id < 0 ? -1 : fail_oom(P);
    memcpy(c, centres, (size_t)n * sizeof *c);
    var *v = &P->vars[id];
    v->table = c;
    v->n_table = n;
    v->c0 = r;
    v->c1 = w;
    return id;
}

/* ---- attention --------------------------------------------------------------------------------------------- */

static bool vec_copy(at_program *P, at_vec *v)
{
    at_var *c = at_new(&P->arena, at_var, v->n + 1);
    if (!c)
        return fail_oom(P), false;
    for (int k = 0; k < v->n; k++) {
        c[k] = v->v[k];
        if (c[k] < 0 || c[k] >= P->n_vars || P->vars[c[k]].op == OP_FIELD)
            return at_program_fail(P, "attention uses a variable that does not exist or a bare field"), false;
    }
    v->v = c;
    return true;
}

at_var at_attend(at_program *P, const char *name, const at_attention *a)
{
    if (P->err.code)
        return -1;
    bool three = a->weighting == AT_THREEWISE;
    if (a->query.n < 1 || a->query.n != a->key.n || (three && a->key2.n != a->key.n) || a->value.n < 1 ||
        (three && a->value2.n != a->value.n))
        return at_program_fail(P, "%s: query, key and value have %d, %d and %d components", name, a->query.n,
                               a->key.n, a->value.n),
               -1;
    if (a->weighting == AT_LINEAR || !(a->gap > 0) || (a->base_plus && a->value.n != 1))
        return at_program_fail(P, "%s: attention needs a weighting that selects maxima, a gap above 0, and one "
                                  "value when it has a base",
                               name),
               -1;
    if (P->n_steps == P->cap_steps) {
        int cap = P->cap_steps ? 2 * P->cap_steps : 8;
        step *s = at_realloc(P->steps, (size_t)cap * sizeof *s);
        if (!s)
            return fail_oom(P);
        P->steps = s;
        P->cap_steps = cap;
    }
    step *s = &P->steps[P->n_steps];
    *s = (step){.a = *a};
    if (!vec_copy(P, &s->a.query) || !vec_copy(P, &s->a.key) || !vec_copy(P, &s->a.value) ||
        (three && (!vec_copy(P, &s->a.key2) || !vec_copy(P, &s->a.value2))))
        return -1;
    bool selects_one = a->unique || a->weighting == AT_LEFTMOST_HARD || a->weighting == AT_RIGHTMOST_HARD;
    bool may_be_empty = a->mask.kind == AT_MASK_STRICT || a->mask.kind == AT_MASK_STRICT_FUTURE;
    int index = P->n_steps++;
    at_var first = -1;
    for (int k = 0; k < a->value.n; k++) {
        char label[AT_NAME_MAX + 1];
        snprintf(label, sizeof label, a->base_plus ? "%s'" : a->value.n > 1 ? "%s[%d]" : "%s", name, k);
        at_var id = var_add(P, label, OP_ATTEND, NULL, 0);
        if (id < 0)
            return -1;
        const var *x = &P->vars[a->value.v[k]];
        var *v = &P->vars[id];
        v->step = index;
        v->component = k;
        v->lo = x->lo;
        v->hi = x->hi;
        v->integer = x->integer && selects_one;
        if (three) {
            const var *y = &P->vars[a->value2.v[k]];
            double c[4] = {x->lo * y->lo, x->lo * y->hi, x->hi * y->lo, x->hi * y->hi};
            v->lo = fmin(fmin(c[0], c[1]), fmin(c[2], c[3]));
            v->hi = fmax(fmax(c[0], c[1]), fmax(c[2], c[3]));
            v->integer = v->integer && y->integer;
        }
        if (may_be_empty) {
            v->lo = fmin(v->lo, 0);
            v->hi = fmax(v->hi, 0);
        }
        if (k == 0)
            first = id;
    }
    if (!a->base_plus)
        return first;
    at_var sum = at_sum(P, name, AT_VEC(a->base, first), NULL, 0);
    if (sum >= 0)
        P->vars[sum].accumulate = true;
    return sum;
}

void at_emit(at_program *P, at_vec out, at_read_kind read, double threshold)
{
    if (P->err.code)
        return;
    if (out.n < 1) {
        at_program_fail(P, "no output");
        return;
    }
    P->out = out;
    P->read = read;
    P->threshold = threshold;
    vec_copy(P, &P->out);
}

int at_program_vars(const at_program *P)
{
    return P->n_vars;
}

at_var_info at_program_var(const at_program *P, at_var v)
{
    if (v < 0 || v >= P->n_vars)
        return (at_var_info){0};
    const var *x = &P->vars[v];
    return (at_var_info){x->name, x->lo, x->hi, x->err, x->integer};
}
