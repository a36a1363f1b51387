/* build.c: the program itself and its inputs. Each builder computes the range of its variable; failures are
 * sticky. The steps on variables are in build_steps.c. */
#include "program_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

at_program *at_program_new(const char *name, int N)
{
    at_program *P = at_calloc(1, sizeof *P);
    if (!P)
        return NULL;
    at_arena_init(&P->arena);
    P->N = N;
    P->n_min = 1;
    P->origin = 1;
    P->weaken = 1;
    at_program_arithmetic(P, at_f64);
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

at_status at_program_fail(at_program *P, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (P->place)
        return at_fail(&P->err, AT_EDOMAIN, "%s: %s", P->place, text);
    return at_fail(&P->err, AT_EDOMAIN, "program %s: %s", P->name ? P->name : "?", text);
}

void at_program_place(at_program *P, const char *place)
{
    if (place && P->place && !strcmp(place, P->place))
        return;
    P->place = place ? at_arena_strdup(&P->arena, place) : NULL;
    if (place && !P->place)
        fail_oom(P);
}

void at_program_label(at_program *P, const char *label)
{
    P->label = label && !P->err.code ? at_arena_strdup(&P->arena, label) : NULL;
    if (label && !P->err.code && !P->label)
        at_program_oom(P);
}

at_status step_fail(const at_program *P, const var *v, at_err *err, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const char *kind = v->op == OP_ATTEND ? "attention " : "",
               *name = v->name ? v->name : "an unnamed expression";
    if (v->place) /* names of steps are of the compiler's making, those of look-ups of the author's */
        return at_fail(err, AT_EDOMAIN, "%s: %s%s: %s", v->place, kind, *kind ? name : "this step", text);
    return at_fail(err, AT_EDOMAIN, "program %s: %s%s: %s", P->name, kind, name, text);
}

at_status at_program_oom(at_program *P)
{
    return at_oom(&P->err);
}

at_status at_program_status(const at_program *P, at_err *err)
{
    return P->err.code ? at_fail(err, P->err.code, "%s", P->err.text) : AT_OK;
}

void name_copy(char out[AT_NAME_MAX + 1], const char *s)
{
    size_t n = strnlen(s, AT_NAME_MAX + 1);
    if (n > AT_NAME_MAX) { /* not inside a UTF-8 character, unless there is no other place */
        n = AT_NAME_MAX;
        while (n && ((unsigned char)s[n] & 0xc0) == 0x80)
            n--;
        n = n ? n : AT_NAME_MAX;
    }
    memcpy(out, s, n);
    out[n] = 0;
}

int program_longest(const at_program *P)
{
    return P->n_prefix + P->N + P->n_suffix;
}

int64_t field_rows(const at_field *f)
{
    return f->kind == AT_FIELD_SUBSET ? at_choose(f->size, f->pick) : f->size;
}

at_var fail_oom(at_program *P)
{
    at_oom(&P->err);
    return -1;
}

/* A new variable, named when name is not NULL; its args are copied. */
at_var var_add(at_program *P, const char *name, op o, const at_var *args, int n_args)
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
    *v = (var){.op = o, .n_args = n_args, .place = P->place};
    char number[16]; /* only linear expressions can do without a name */
    snprintf(number, sizeof number, "v%d", P->n_vars);
    if (!name && o != OP_LINEAR)
        name = number;
    if (name && !(v->name = at_arena_strdup(&P->arena, name)))
        return fail_oom(P);
    if (n_args && !(v->args = at_new(&P->arena, at_var, n_args)))
        return fail_oom(P);
    for (int k = 0; k < n_args; k++)
        v->args[k] = args[k];
    return P->n_vars++;
}

/* A label in the arena; the formats are name, name' and name[k]. */
const char *component_name(at_program *P, const char *fmt, const char *name, int k)
{
    const char *s = at_arena_printf(&P->arena, fmt, name, k);
    if (!s)
        fail_oom(P);
    return s;
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

void range_of_table(at_program *P, var *v, int64_t rows)
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
    name_copy(f.name, name);
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

static at_var vector_add(at_program *P, const char *name, at_field_kind kind, int d, double lo, double hi)
{
    at_field f = {.kind = kind, .size = d, .lo = lo, .hi = hi};
    bool integer = kind == AT_FIELD_INT;
    if (d < 1 || !(lo <= hi) || !isfinite(lo) || !isfinite(hi) ||
        (integer && (lo != floor(lo) || hi != floor(hi))))
        return at_program_fail(P, "field %s: %d %s in [%g,%g]", name, d, integer ? "integers" : "reals", lo,
                               hi),
               -1;
    if (field_add(P, name, f) < 0)
        return -1;
    at_var first = -1;
    for (int k = 0; k < d; k++) {
        const char *label = component_name(P, d > 1 ? "%s[%d]" : "%s", name, k);
        at_var v = input_finish(P, var_add(P, label, OP_REAL, NULL, 0));
        if (v < 0)
            return -1;
        var *x = &P->vars[v];
        x->field = P->n_fields - 1;
        x->component = k;
        x->integer = integer;
        x->lo = fmin(lo, P->n_prefix + P->n_suffix ? 0 : lo);
        x->hi = fmax(hi, P->n_prefix + P->n_suffix ? 0 : hi);
        if (k == 0)
            first = v;
    }
    return first;
}

at_var at_reals(at_program *P, const char *name, int d, double lo, double hi)
{
    return vector_add(P, name, AT_FIELD_REAL, d, lo, hi);
}

at_var at_ints(at_program *P, const char *name, int d, double lo, double hi)
{
    return vector_add(P, name, AT_FIELD_INT, d, lo, hi);
}

/* Hidden positions and the origin decide the ranges and hidden values of inputs, the shortest length the
 * range of the position feature n: they come first. */
static void frame_set(at_program *P, const char *what, int *place, int value, int least, int most)
{
    if (P->err.code)
        return;
    if (value < least || value > most)
        at_program_fail(P, "%s %d is outside %d..%d", what, value, least, most);
    for (at_var v = 0; v < P->n_vars && !P->err.code; v++) {
        const var *x = &P->vars[v];
        bool depends = place == &P->n_min
                           ? value < P->n_min && x->op == OP_POS && at_pos_is(x->pos, AT_IS_MOVING) &&
                                 at_pos_is(x->pos, AT_IS_WHOLE)
                           : op_is_input(x->op) && x->op != OP_FIELD;
        if (depends)
            at_program_fail(P, "%s is set after input %s, which depends on it", what, x->name);
    }
    if (!P->err.code)
        *place = value;
}

void at_program_weaken(at_program *P, double factor)
{
    if (!(factor > 0) || !isfinite(factor))
        at_program_fail(P, "a factor of %g on scales; it must be above 0", factor);
    P->weaken = factor;
}

void at_program_narrow(at_program *P)
{
    P->few = true;
}

void at_program_arithmetic(at_program *P, at_arith a)
{
    P->arith = a;
    P->fmt = at_pfmt_of(a);
    P->unit = a.kind == AT_BALL || a.kind == AT_EXACT ? 0 : ldexp(1, -P->fmt.p);
    P->meaning = MEANING;
}

void at_program_reals(at_program *P)
{
    at_program_arithmetic(P, (at_arith){AT_EXACT, 0, 0});
    P->meaning = 0;
}

void at_program_lengths(at_program *P, int n_min)
{
    frame_set(P, "shortest length", &P->n_min, n_min, 0, P->N);
}

void at_prefix(at_program *P, int count)
{
    frame_set(P, "prefix", &P->n_prefix, count, 0, AT_MAX_WIDTH);
}

void at_suffix(at_program *P, int count)
{
    frame_set(P, "suffix", &P->n_suffix, count, 0, AT_MAX_WIDTH);
}

void at_origin(at_program *P, int origin)
{
    frame_set(P, "origin", &P->origin, origin, -AT_MAX_LENGTH, AT_MAX_LENGTH);
}

at_var at_lookup_rows(at_program *P, const char *name, at_var field, int m, const double *rows)
{
    if (P->err.code)
        return -1;
    if (field < 0 || field >= P->n_vars || P->vars[field].op != OP_FIELD)
        return at_program_fail(P, "%s looks up something that is not a field", name), -1;
    if (m < 1)
        return at_program_fail(P, "%s: %d tables", name, m), -1;
    int64_t n = field_rows(&P->fields[P->vars[field].field]);
    double *copy = at_new(&P->arena, double, n *m);
    if (!copy)
        return fail_oom(P);
    memcpy(copy, rows, (size_t)(n * m) * sizeof *copy);
    at_var first = -1;
    for (int k = 0; k < m; k++) {
        const char *label = component_name(P, m > 1 ? "%s[%d]" : "%s", name, k);
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
    if (P->err.code || field < 0 || field >= P->n_vars || P->vars[field].op != OP_FIELD)
        return at_lookup_rows(P, name, field, 1, NULL); /* which says so */
    if (P->fields[P->vars[field].field].kind != AT_FIELD_TOKEN)
        return at_program_fail(P, "%s: field %s is a subset, not a number", name, P->vars[field].name), -1;
    int size = P->fields[P->vars[field].field].size;
    double *t = at_new(&P->arena, double, size);
    if (!t)
        return fail_oom(P);
    for (int k = 0; k < size; k++)
        t[k] = k;
    return at_lookup(P, name, field, t);
}

/* A mark is a position-like input: zero at user positions, given at hidden ones. */
at_var mark_new(at_program *P, const char *name)
{
    at_var v = input_finish(P, var_add(P, name, OP_EMBED, NULL, 0));
    if (v < 0)
        return -1;
    var *x = &P->vars[v];
    x->field = -1;
    x->lo = 0;
    x->hi = 1;
    x->integer = true;
    return v;
}

static at_var mark_add(at_program *P, const char *name, bool suffix, int k)
{
    if (k < 0 || k >= (suffix ? P->n_suffix : P->n_prefix))
        return at_program_fail(P, "%s marks hidden position %d, which does not exist", name, k), -1;
    at_var v = mark_new(P, name);
    if (v >= 0)
        (suffix ? P->vars[v].suffix : P->vars[v].prefix)[k] = 1;
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

static bool vec_has(at_vec a, at_var v)
{
    for (int k = 0; k < a.n; k++)
        if (a.v[k] == v)
            return true;
    return false;
}

static bool is_used(const at_program *P, at_var v)
{
    for (at_var u = v + 1; u < P->n_vars; u++)
        if (vec_has((at_vec){P->vars[u].n_args, P->vars[u].args}, v))
            return true;
    for (int s = 0; s < P->n_steps; s++) {
        const at_attention *a = &P->steps[s].a;
        bool three = at_weighting_is(a->weighting, AT_IS_PAIRS);
        if (vec_has(a->query, v) || vec_has(a->key, v) || vec_has(a->value, v) || vec_has(a->wipe, v) ||
            (three && (vec_has(a->key2, v) || vec_has(a->value2, v))))
            return true;
    }
    return vec_has(P->out, v);
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
    if (!isfinite(value)) {
        at_program_fail(P, "a hidden value of %s is not finite", P->vars[v].name);
        return;
    }
    if (is_used(P, v)) { /* its range is part of what it was used for */
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
    v->integer = at_pos_is(kind, AT_IS_WHOLE);
    at_pos_span span = {first, last, P->n_prefix + P->n_min + P->n_suffix, T};
    at_pos_range(kind, &span, &v->lo, &v->hi);
    if (!(at_pos_parts[kind].in & AT_IN_PROGRAM))
        return at_program_fail(P, "position feature %s has more than one value", name), -1;
    return id;
}

at_var at_position_rows(at_program *P, const char *name, int m, const double *rows)
{
    if (P->err.code)
        return -1;
    if (m < 1)
        return at_program_fail(P, "%s: %d tables", name, m), -1;
    int T = program_longest(P);
    double *copy = at_new(&P->arena, double, (size_t)T *(size_t)m);
    if (!copy)
        return fail_oom(P);
    memcpy(copy, rows, (size_t)T * (size_t)m * sizeof *copy);
    at_var first = -1;
    for (int k = 0; k < m; k++) {
        const char *label = component_name(P, m > 1 ? "%s[%d]" : "%s", name, k);
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
