/* report_plot.c: plots of the tables that a claim measured.
 *
 * What was measured of a construction has the construction's colour, in shades where there are several lines; a formula is
 * drawn dashed beside it. */
#include "report_internal.h"

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

static const at_table_entry *entry(const at_table_detail *t, int row, int k)
{
    return &t->entries[(size_t)row * (size_t)t->n_columns + (size_t)k];
}

static int column_find(const at_table_detail *t, const char *name)
{
    for (int k = 0; name && k < t->n_columns; k++)
        if (!strcmp(t->columns[k], name))
            return k;
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
static void label_make(const at_table_entry *by, const char *by_name, const char *column, bool alone,
                       char out[64])
{
    char of[40] = "";
    if (by && by->text)
        snprintf(of, sizeof of, "%.39s", by->text);
    else if (by && isfinite(by->number))
        snprintf(of, sizeof of, "%.12s = %.0f", by_name, by->number);
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
static at_status table_plot(const at_table_detail *t, const at_table_plot *only, at_text *svg, at_err *err)
{
    const char *column = only ? only->column : NULL;
    int x = column_find(t, t->x), by = column_find(t, t->by);
    if (x < 0)
        return AT_OK;
    line *lines = at_calloc(MOST_SERIES, sizeof *lines);
    if (!lines)
        return at_oom(err);
    int n = 0;
    for (int c = 0; c < t->n_columns; c++) {
        const char *label = t->columns[c];
        if (c == x || c == by || (column ? strcmp(label, column) != 0 : is_parameter(label)))
            continue;
        for (int r = 0; r < t->n_rows; r++) {
            char full[64];
            label_make(by >= 0 ? entry(t, r, by) : NULL, t->by, label, column != NULL, full);
            int k = 0;
            while (k < n && strcmp(lines[k].label, full) != 0)
                k++;
            if (k == MOST_SERIES)
                continue;
            if (k == n) {
                snprintf(lines[k].label, sizeof lines[k].label, "%s", full);
                lines[n++].theory = is_formula(label);
            }
            line_add(&lines[k], entry(t, r, x)->number, entry(t, r, c)->number);
        }
    }
    const char *measured = NULL; /* the name of what is not a formula, when there is one */
    for (int c = 0; c < t->n_columns; c++)
        if (c != x && c != by && !is_parameter(t->columns[c]) && !is_formula(t->columns[c]))
            measured = measured ? "" : t->columns[c];
    if (only && isfinite(only->exponent))
        theory_add(lines, &n, only->exponent);
    at_series series[MOST_SERIES];
    for (int k = 0; k < n; k++)
        series[k] = (at_series){.label = lines[k].label,
                                .n = lines[k].n,
                                .x = lines[k].x,
                                .y = lines[k].y,
                                .dashed = lines[k].theory,
                                .role = lines[k].theory ? AT_ROLE_THEORY : AT_ROLE_BUILT};
    at_plot p = {.title = column     ? column
                          : t->title ? t->title
                                     : "",
                 .xlabel = t->x,
                 .ylabel = column ? column : measured,
                 .series = series,
                 .n_series = n,
                 .logx = t->logx,
                 .logy = t->logy};
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
        if (strcmp(r->key.subject, c->id) != 0 || !at_row_is_table(r))
            continue;
        at_arena scratch;
        at_finding f;
        int k = 0;
        at_arena_init(&scratch);
        s = at_finding_of_row(r, &scratch, &f, err);
        if (!s && !f.broken)
            do { /* one of all columns, or those that are wanted */
                at_text svg;
                at_text_init(&svg);
                s = table_plot(&f.table, f.table.n_plots ? &f.table.plots[k] : NULL, &svg, err);
                if (!s && svg.n && !(plots[out->n_plots++] = at_arena_strdup(a, svg.s)))
                    s = at_oom(err);
                at_text_release(&svg);
            } while (!s && ++k < f.table.n_plots && k < MOST_PLOTS);
        at_arena_release(&scratch);
    }
    out->plots = plots;
    return s;
}
