/* params.c: named parameters with ranges, shared by problems and claims.
 *
 * A schema is a table of rows (name, meaning, range, default); a parameter set is one value a row. Values
 * enter by at_params_set alone, so a set in hand always lies within its schema. Text is parsed into a copy
 * and the copy is taken only when all of it was understood. */
#define _GNU_SOURCE /* memmem */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/core.h>

void at_params_init(at_params *p, const at_param *schema, int n)
{
    assert(n >= 0 && n <= AT_PARAMS_MAX);
    p->schema = schema;
    p->n = n;
    p->of = NULL;
    for (int i = 0; i < AT_PARAMS_MAX; i++)
        p->value[i] = i < n ? schema[i].value : 0;
}

/* Row of a name, or -1. Tasks look names up for every input, hence the test of the first letter. */
static int find(const at_params *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (p->schema[i].name[0] == name[0] && strcmp(p->schema[i].name, name) == 0)
            return i;
    return -1;
}

bool at_params_has(const at_params *p, const char *name)
{
    return find(p, name) >= 0;
}

double at_params_get(const at_params *p, const char *name)
{
    int i = find(p, name);
    assert(i >= 0);
    return p->value[i];
}

int at_params_int(const at_params *p, const char *name)
{
    return (int)at_params_get(p, name);
}

const char *at_number_exact(char out[32], double x)
{
    if (x == floor(x) && fabs(x) < 1e15) {
        snprintf(out, 32, "%.0f", x);
        return out;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, x);
        if (strtod(out, NULL) == x)
            break;
    }
    return out;
}

static void value_print(char *s, size_t n, const at_param *row, double v)
{
    if (row->names)
        snprintf(s, n, "%s", row->names[(int)(v - row->lo)]);
    else {
        char number[32];
        snprintf(s, n, "%s", at_number_exact(number, v));
    }
}

static at_status fail_unknown(const at_params *p, const char *name, at_err *err)
{
    const at_registry all = AT_REGISTRY_OF_ROWS("parameter", NULL, p->schema, p->n, name);
    at_registry_need(&all, name, err);
    return AT_EINPUT;
}

/* A value as it is written: a number, or the name of one. */
static bool value_parse(const at_param *row, const char *text, size_t n, double *v)
{
    for (int i = 0; row->names && i <= (int)(row->hi - row->lo); i++)
        if (strlen(row->names[i]) == n && memcmp(row->names[i], text, n) == 0) {
            *v = row->lo + i;
            return true;
        }
    return !row->names && at_parse_double(text, n, v);
}

/* `given` is the value as the user wrote it. */
static at_status fail_range(const at_param *row, const char *given, bool range, at_err *err)
{
    char lo[40], hi[40];
    if (row->names) {
        at_text t;
        at_text_init(&t);
        int n = (int)(row->hi - row->lo) + 1;
        for (int i = 0; i < n; i++)
            at_text_addf(&t, "%s%s", i ? ", " : "", row->names[i]);
        const char *near = at_nearest(given, row->names, (size_t)n);
        at_status s = near ? at_fail(err, AT_EDOMAIN, "%s=%.64s: did you mean '%s'? (there are: %s)",
                                     row->name, given, near, t.oom ? "" : t.s)
                           : at_fail(err, AT_EDOMAIN, "%s=%.64s: must be one of %s", row->name, given,
                                     t.oom ? "" : t.s);
        at_text_release(&t);
        return s;
    }
    at_number_exact(lo, row->lo);
    at_number_exact(hi, row->hi);
    return at_fail(err, AT_EDOMAIN, "%s=%.64s: must be %s in %s..%s%s", row->name, given,
                   row->integer ? "an integer" : "a number", lo, hi,
                   range ? ", or a rising range of them as in 1..3" : "");
}

static bool in_range(const at_param *row, double v)
{
    return v >= row->lo && v <= row->hi && (!row->integer || v == floor(v)); /* false for NaN */
}

at_status at_params_set(at_params *p, const char *name, double value, at_err *err)
{
    int i = find(p, name);
    if (i < 0)
        return fail_unknown(p, name, err);
    if (!in_range(&p->schema[i], value)) {
        char given[40];
        at_number_exact(given, value);
        return fail_range(&p->schema[i], isfinite(value) ? given : "not finite", false, err);
    }
    p->value[i] = value + 0.0; /* -0 becomes 0: equal sets print equally */
    return AT_OK;
}

/* May the parameter be given by a range? */
static bool ranges(const at_param *row)
{
    return row->integer && !row->names;
}

/* "3", or with hi "3..5": integers only, and the second not below the first. */
static bool range_parse(const at_param *row, const char *text, size_t n, double *lo, double *hi)
{
    const char *dots = hi && ranges(row) ? memmem(text, n, "..", 2) : NULL;
    if (!dots) {
        bool ok = value_parse(row, text, n, lo) && in_range(row, *lo);
        if (hi)
            *hi = *lo;
        return ok;
    }
    size_t first = (size_t)(dots - text);
    if (first + 2 < n && dots[2] == '.') /* "1...3" is no slip of "1.. .3" */
        return false;
    return value_parse(row, text, first, lo) && value_parse(row, dots + 2, n - first - 2, hi) &&
           in_range(row, *lo) && in_range(row, *hi) && *lo <= *hi;
}

/* hi: (n) the upper ends of ranges; NULL: there are none. */
static at_status assignments_parse(at_params *p, double *hi, const char *assignments, at_err *err)
{
    static const char blanks[] = " \t\r\n,";
    bool seen[AT_PARAMS_MAX] = {false};
    const char *s = assignments + strspn(assignments, blanks);
    while (*s) {
        size_t n = strcspn(s, blanks);
        const char *eq = memchr(s, '=', n);
        if (!eq || eq == s || eq + 1 == s + n)
            return at_fail(err, AT_EINPUT, "'%.*s': expected NAME=VALUE, as in N=6", (int)(n < 64 ? n : 64),
                           s);
        char name[65], given[65];
        size_t n_name = (size_t)(eq - s), n_given = n - n_name - 1;
        snprintf(name, sizeof name, "%.*s", (int)(n_name < 64 ? n_name : 64), s);
        snprintf(given, sizeof given, "%.*s", (int)(n_given < 64 ? n_given : 64), eq + 1);
        int i = find(p, name);
        if (i < 0)
            return fail_unknown(p, name, err);
        if (seen[i])
            return at_fail(err, AT_EINPUT, "parameter %s is given twice", name);
        seen[i] = true;
        double v, top;
        if (!range_parse(&p->schema[i], eq + 1, n_given, &v, hi ? &top : NULL))
            return fail_range(&p->schema[i], given, hi && ranges(&p->schema[i]) && strstr(given, ".."), err);
        at_status status = at_params_set(p, name, v, err);
        if (status)
            return status;
        if (hi)
            hi[i] = top + 0.0;
        s += n;
        s += strspn(s, blanks);
    }
    return AT_OK;
}

at_status at_params_parse(at_params *p, const char *assignments, at_err *err)
{
    at_params q = *p;
    at_status s = assignments_parse(&q, NULL, assignments, err);
    if (!s)
        *p = q;
    return s;
}

void at_params_print(const at_params *p, at_text *out)
{
    at_text_add(out, ""); /* without parameters, too */
    for (int i = 0; i < p->n; i++) {
        char v[64];
        value_print(v, sizeof v, &p->schema[i], p->value[i]);
        at_text_addf(out, "%s%s=%s", i ? " " : "", p->schema[i].name, v);
    }
}

static const char blanks[] = " \t\r\n,"; /* between assignments */

bool at_assignments_name(const char *assignments, const char *name)
{
    size_t n = strlen(name);
    for (const char *s = assignments ? assignments : ""; *(s += strspn(s, blanks)); s += strcspn(s, blanks))
        if (strncmp(s, name, n) == 0 && s[n] == '=')
            return true;
    return false;
}

const char *at_assignments_range(const char *assignments, size_t *name, int64_t *lo, int64_t *hi)
{
    for (const char *s = assignments ? assignments : ""; *(s += strspn(s, blanks)); s += strcspn(s, blanks)) {
        size_t n = strcspn(s, blanks), eq = strcspn(s, "=");
        const char *value = s + eq + 1, *end = s + n, *dots = eq < n ? strstr(value, "..") : NULL;
        if (dots && dots + 2 < end && at_parse_i64(value, (size_t)(dots - value), lo) &&
            at_parse_i64(dots + 2, (size_t)(end - dots - 2), hi)) {
            *name = eq;
            return s;
        }
    }
    return NULL;
}

void at_assignments_put(const char *assignments, const char *name, size_t n_name, double value, at_text *out)
{
    at_text_add(out, "");
    for (const char *s = assignments ? assignments : ""; *(s += strspn(s, blanks));) {
        size_t n = strcspn(s, blanks);
        if (strcspn(s, "=") != n_name || strncmp(s, name, n_name) != 0) {
            at_text_addn(out, s, n);
            at_text_add(out, " ");
        }
        s += n;
    }
    at_text_addf(out, "%.*s=%.15g", (int)n_name, name, value);
}

/* ---- sweeps ------------------------------------------------------------------------------------------------- */

void at_sweep_init(at_sweep *w, const at_param *schema, int n)
{
    at_params_init(&w->first, schema, n);
    memcpy(w->last, w->first.value, sizeof w->last);
}

at_status at_sweep_parse(at_sweep *w, const char *assignments, at_err *err)
{
    at_sweep q = *w;
    at_status s = assignments_parse(&q.first, q.last, assignments, err);
    if (!s)
        *w = q;
    return s;
}

uint64_t at_sweep_count(const at_sweep *w)
{
    double n = 1;
    for (int i = 0; i < w->first.n; i++)
        n *= w->last[i] - w->first.value[i] + 1;
    return n < 1e9 ? (uint64_t)n : 1000000000;
}

void at_sweep_nth(const at_sweep *w, uint64_t k, at_params *out)
{
    *out = w->first;
    for (int i = w->first.n - 1; i >= 0; i--) {
        uint64_t n = (uint64_t)(w->last[i] - w->first.value[i]) + 1;
        out->value[i] += (double)(k % n);
        k /= n;
    }
}

void at_sweep_print(const at_sweep *w, at_text *out)
{
    at_text_add(out, ""); /* without parameters, too */
    const at_params *p = &w->first;
    for (int i = 0; i < p->n; i++) {
        char v[64];
        value_print(v, sizeof v, &p->schema[i], p->value[i]);
        at_text_addf(out, "%s%s=%s", i ? " " : "", p->schema[i].name, v);
        if (w->last[i] > p->value[i])
            at_text_addf(out, "..%.0f", w->last[i]);
    }
}
