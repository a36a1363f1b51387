/* report_plot.c: plots of the tables that a claim measured.
 *
 * What was measured of a construction has the construction's colour, in shades where there are several lines; a formula is
 * drawn dashed beside it. */
#include "report_internal.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_SERIES 12
#define MOST_POINTS 64
#define MOST_PLOTS  8

typedef struct {
    char label[64];
    double x[MOST_POINTS], y[MOST_POINTS];
    int n;
    bool theory;
} line;

static double number(json_t *row, int k)
{
    json_t *v = json_array_get(row, (size_t)k);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static int column_find(json_t *columns, const char *name)
{
    for (size_t k = 0; k < json_array_size(columns); k++) {
        const char *s = json_string_value(json_array_get(columns, k));
        if (s && name && strcmp(s, name) == 0)
            return (int)k;
    }
    return -1;
}

/* A formula is drawn dashed: theory beside measurement. */
static bool is_formula(const char *column)
{
    static const char *const signs[] = {"log", "ln ", "ln(", "one-hot"};
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (strstr(column, signs[k]))
            return true;
    return false;
}

static bool is_parameter(const char *column)
{
    return strlen(column) == 1; /* N, M, q: what was chosen, not what was found */
}

static void line_add(line *l, double x, double y)
{
    if (!isfinite(x) || !isfinite(y) || l->n == MOST_POINTS)
        return;
    int at = l->n++;
    for (; at > 0 && l->x[at - 1] > x; at--) {
        l->x[at] = l->x[at - 1];
        l->y[at] = l->y[at - 1];
    }
    l->x[at] = x;
    l->y[at] = y;
}

/* The line that a number belongs to: its column, the value of the column `by`, or both. */
static void label_make(json_t *row, int by, const char *by_name, const char *column, bool alone, char out[64])
{
    json_t *v = by >= 0 ? json_array_get(row, (size_t)by) : NULL;
    char of[40] = "";
    if (json_is_string(v))
        snprintf(of, sizeof of, "%.39s", json_string_value(v));
    else if (json_is_number(v))
        snprintf(of, sizeof of, "%.12s = %.0f", by_name, json_number_value(v));
    if (alone && *of)
        snprintf(out, 64, "%s", of);
    else
        snprintf(out, 64, *of ? "%.20s, %s" : "%.60s%s", column, of);
}

/* Theory: a power of x through the last point of the first line. */
static void theory_add(line *lines, int *n, double exponent)
{
    const line *l = &lines[0];
    if (!*n || *n == MOST_SERIES || !l->n)
        return;
    line *e = &lines[(*n)++];
    snprintf(e->label, sizeof e->label, "L^%.3g", exponent);
    e->theory = true;
    for (int k = 0; k < l->n; k++)
        line_add(e, l->x[k], l->y[l->n - 1] * pow(l->x[k] / l->x[l->n - 1], exponent));
}

/* One plot of all columns, or of the one that `only` names, with its exponent in theory. */
static at_status table_plot(json_t *table, json_t *only, at_text *svg, at_err *err)
{
    json_t *columns = json_object_get(table, "columns"), *rows = json_object_get(table, "rows");
    const char *xname = json_string_value(json_object_get(table, "x"));
    const char *title = json_string_value(json_object_get(table, "title"));
    const char *column = json_string_value(json_object_get(only, "column"));
    const char *by_name = json_string_value(json_object_get(table, "by"));
    json_t *exponent = json_object_get(only, "exponent");
    int x = column_find(columns, xname), by = column_find(columns, by_name);
    if (x < 0 || !json_is_array(rows))
        return AT_OK;
    line *lines = at_calloc(MOST_SERIES, sizeof *lines);
    if (!lines)
        return at_oom(err);
    int n = 0;
    size_t c, r;
    json_t *name, *row;
    json_array_foreach(columns, c, name)
    {
        const char *label = json_string_value(name);
        if ((int)c == x || (int)c == by || !label ||
            (column ? strcmp(label, column) != 0 : is_parameter(label)))
            continue;
        json_array_foreach(rows, r, row)
        {
            char full[64];
            label_make(row, by, by_name, label, column != NULL, full);
            int k = 0;
            while (k < n && strcmp(lines[k].label, full) != 0)
                k++;
            if (k == MOST_SERIES)
                continue;
            if (k == n) {
                snprintf(lines[k].label, sizeof lines[k].label, "%s", full);
                lines[n++].theory = is_formula(label);
            }
            line_add(&lines[k], number(row, x), number(row, (int)c));
        }
    }
    const char *measured = NULL; /* the name of what is not a formula, when there is one */
    json_array_foreach(columns, c, name)
    {
        const char *label = json_string_value(name);
        if ((int)c != x && (int)c != by && label && !is_parameter(label) && !is_formula(label))
            measured = measured ? "" : label;
    }
    if (json_is_number(exponent))
        theory_add(lines, &n, json_number_value(exponent));
    at_series series[MOST_SERIES];
    for (int k = 0; k < n; k++)
        series[k] = (at_series){.label = lines[k].label,
                                .n = lines[k].n,
                                .x = lines[k].x,
                                .y = lines[k].y,
                                .dashed = lines[k].theory,
                                .role = lines[k].theory ? AT_ROLE_THEORY : AT_ROLE_BUILT};
    at_plot p = {.title = column  ? column
                          : title ? title
                                  : "",
                 .xlabel = xname,
                 .ylabel = column ? column : measured,
                 .series = series,
                 .n_series = n,
                 .logx = json_is_true(json_object_get(table, "logx")),
                 .logy = json_is_true(json_object_get(table, "logy"))};
    at_status s = n ? at_plot_svg(&p, svg, err) : AT_OK;
    at_free(lines);
    return s;
}

at_status at_report_plots(const at_claim *c, const at_row *rows, size_t n, at_arena *a, at_report_claim *out,
                          at_err *err)
{
    const char **plots = at_new(a, const char *, n *MOST_PLOTS + 1);
    if (!plots)
        return at_oom(err);
    at_status s = AT_OK;
    for (size_t i = 0; i < n && !s; i++) {
        const at_row *r = &rows[i];
        if (strcmp(r->key.subject, c->id) != 0 || !r->rec.role || strcmp(r->rec.role, "table") != 0 ||
            !r->rec.detail)
            continue;
        json_t *o = json_loads(r->rec.detail, JSON_REJECT_DUPLICATES, NULL);
        json_t *table = json_object_get(o, "table"), *wanted = json_object_get(table, "plots");
        size_t k = 0, n_wanted = json_array_size(wanted);
        do { /* one of all columns, or those that are wanted */
            at_text svg;
            at_text_init(&svg);
            s = table_plot(table, json_array_get(wanted, k), &svg, err);
            if (!s && svg.n && !(plots[out->n_plots++] = at_arena_strdup(a, svg.s)))
                s = at_oom(err);
            at_text_release(&svg);
        } while (!s && ++k < n_wanted && k < MOST_PLOTS);
        json_decref(o);
    }
    out->plots = plots;
    return s;
}
