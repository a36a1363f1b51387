/* report_plot.c: plots of the tables that a claim measured.
 *
 * The table's title stands above its plots; a plot has none of its own. What was measured of a construction has the construction's colour, in shades where there are several lines; a formula is
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

/* ---- what is on an axis ---------------------------------------------------------------------------------------------- */

/* Quantities that are measured in many tables, and what stands beside their axis. Each has a plot of its own: they share no unit. */
static const char *const quantities[][2] = {
    {"least p", "least p, in bits"},
    {"largest weight", "largest weight"},
    {"parameters", "parameters"},
    {"width", "residual width"},
    {"dense", "multiply-adds of dense layers"},
    {"attention", "multiply-adds of attention"},
    {"total", "multiply-adds of a chain"},
    {"H(d+1)p", "H(d+1)p, in bits"},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities, OTHERS = QUANTITIES };

static int quantity_of(const char *column)
{
    int k = 0;
    while (k < QUANTITIES && strcmp(quantities[k][0], column))
        k++;
    return k; /* OTHERS: it is what the title says */
}

/* "M, modulus": a parameter says what it is; L of a decoder is known. */
static const char *x_label(const at_claim *c, const char *x, at_arena *a)
{
    for (int i = 0; i < c->n_params; i++)
        if (!strcmp(c->params[i].name, x))
            return at_arena_printf(a, "%s, %s", x, c->params[i].doc);
    return c->chain && !strcmp(x, "L") ? "L, rows of prompt and chain" : x;
}

/* The first words of a title: "share" of "share of 20 random decoders that ...". */
static const char *title_begin(const char *title, at_arena *a)
{
    static const char *const ends[] = {" of ", " that ", " from ", " with ", ", ", " ("};
    size_t n = strlen(title);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        const char *at = strstr(title, ends[k]);
        n = at && (size_t)(at - title) < n ? (size_t)(at - title) : n;
    }
    return at_arena_printf(a, "%.*s", (int)n, title);
}

/* ---- one plot -------------------------------------------------------------------------------------------------------- */

/* Theory: a power of x through the last point of the first line. */
static void theory_add(line *lines, int *n, const char *x, double exponent)
{
    const line *l = &lines[0];
    if (!*n || *n == MOST_SERIES || !l->n)
        return;
    line *e = &lines[(*n)++];
    if (exponent == 0)
        snprintf(e->label, sizeof e->label, "constant, in theory");
    else
        snprintf(e->label, sizeof e->label, exponent == 1 ? "%.20s, in theory" : "%.20s^%.3g, in theory", x,
                 exponent);
    e->theory = true;
    for (int k = 0; k < l->n; k++)
        line_add(e, l->x[k], l->y[l->n - 1] * pow(l->x[k] / l->x[l->n - 1], exponent));
}

/* Which columns a plot shows: those of a quantity, with the formulas that follow them. */
typedef struct {
    bool shown[AT_TABLE_COLUMNS];
    int n;             /* columns that are no formulas */
    const char *label; /* of the y axis */
    double exponent;   /* in theory; NaN: none */
} choice;

/* Do the points lie at more than one place of the x axis? Of one place there is nothing to see that the table does not say. */
static bool are_apart(const line *lines, int n)
{
    double x = NAN;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < lines[k].n; i++) {
            if (!isnan(x) && lines[k].x[i] != x)
                return true;
            x = lines[k].x[i];
        }
    return false;
}

static at_status choice_plot(const at_claim *claim, const at_table_detail *t, const choice *of, at_arena *a,
                             at_text *svg, at_err *err)
{
    int x = column_find(t, t->x), by = column_find(t, t->by);
    line *lines = at_calloc(MOST_SERIES, sizeof *lines);
    if (!lines)
        return at_oom(err);
    int n = 0;
    for (int c = 0; c < t->n_columns; c++)
        for (int r = 0; of->shown[c] && r < t->n_rows; r++) {
            char full[64];
            label_make(by >= 0 ? entry(t, r, by) : NULL, t->by, t->columns[c],
                       of->n == 1 && !is_formula(t->columns[c]), full);
            int k = 0;
            while (k < n && strcmp(lines[k].label, full) != 0)
                k++;
            if (k == MOST_SERIES)
                continue;
            if (k == n) {
                snprintf(lines[k].label, sizeof lines[k].label, "%s", full);
                lines[n++].theory = is_formula(t->columns[c]);
            }
            line_add(&lines[k], entry(t, r, x)->number, entry(t, r, c)->number);
        }
    if (isfinite(of->exponent))
        theory_add(lines, &n, t->x, of->exponent);
    at_series series[MOST_SERIES];
    for (int k = 0; k < n; k++)
        series[k] = (at_series){.label = lines[k].label,
                                .n = lines[k].n,
                                .x = lines[k].x,
                                .y = lines[k].y,
                                .dashed = lines[k].theory,
                                .role = lines[k].theory ? AT_ROLE_THEORY : AT_ROLE_BUILT};
    if (n == 1 && strstr(of->label, lines[0].label)) /* the axis says it */
        series[0].label = NULL;
    at_plot p = {.xlabel = x_label(claim, t->x, a),
                 .ylabel = of->label,
                 .series = series,
                 .n_series = n,
                 .logx = t->logx,
                 .logy = t->logy};
    bool oom = !p.xlabel || !p.ylabel;
    at_status s = oom ? at_oom(err) : are_apart(lines, n) ? at_plot_svg(&p, svg, err) : AT_OK;
    at_free(lines);
    return s;
}

/* The plots that a table wants: of each column that it names, else one a quantity. Returns how many. */
static int choices_make(const at_table_detail *t, at_arena *a, choice out[MOST_PLOTS])
{
    int x = column_find(t, t->x), by = column_find(t, t->by), n = 0, last = -1;
    int where[QUANTITIES + 1]; /* the plot of a quantity */
    if (x < 0)
        return 0;
    for (int k = 0; k < t->n_plots && n < MOST_PLOTS; k++) {
        int c = column_find(t, t->plots[k].column);
        if (c < 0)
            continue;
        int q = quantity_of(t->columns[c]);
        const char *label = q == OTHERS ? t->columns[c] : quantities[q][1];
        out[n] = (choice){.n = 1, .label = label, .exponent = t->plots[k].exponent};
        out[n].shown[c] = true;
        for (int f = c + 1; f < t->n_columns && is_formula(t->columns[f]) && isnan(out[n].exponent); f++)
            out[n].shown[f] = true;
        n++;
    }
    if (t->n_plots)
        return n;
    for (int q = 0; q <= OTHERS; q++)
        where[q] = -1;
    for (int c = 0; c < t->n_columns; c++) {
        bool formula = is_formula(t->columns[c]);
        if (c == x || c == by || is_parameter(t->columns[c]))
            continue;
        int q = quantity_of(t->columns[c]), at = formula && last >= 0 ? last : where[q];
        if (at < 0 && n == MOST_PLOTS)
            continue;
        if (at < 0) {
            at = where[q] = n++;
            out[at] = (choice){.exponent = NAN, .label = q == OTHERS ? t->columns[c] : quantities[q][1]};
        }
        out[at].shown[c] = true;
        out[at].n += !formula;
        last = at;
    }
    for (int k = 0; k < n; k++)
        if (out[k].n != 1 && t->title)
            out[k].label = title_begin(t->title, a);
    return n;
}

/* ---- heat maps -------------------------------------------------------------------------------------------------------- */

static int value_place(double *values, int *n, double x)
{
    int at = 0;
    while (at < *n && values[at] < x)
        at++;
    if (at < *n && values[at] == x)
        return at;
    memmove(values + at + 1, values + at, (size_t)(*n - at) * sizeof *values);
    values[at] = x;
    ++*n;
    return at;
}

static const char *const *labels_make(const double *values, int n, at_arena *a)
{
    const char **label = at_new(a, const char *, n);
    for (int k = 0; label && k < n; k++)
        if (!(label[k] = at_arena_printf(a, "%g", values[k])))
            return NULL;
    return label;
}

/* The third of three columns over the first two; colours are by the largest. */
static at_status heat_plot(const at_table_detail *t, const char *const *columns, at_arena *a, at_text *svg,
                           at_err *err)
{
    int of[3], nx = 0, ny = 0;
    double x[MOST_POINTS], y[MOST_POINTS], most = 0;
    for (int k = 0; k < 3; k++)
        if ((of[k] = column_find(t, columns[k])) < 0)
            return AT_OK;
    for (int r = 0; r < t->n_rows && r < MOST_POINTS; r++)
        if (isfinite(entry(t, r, of[2])->number)) {
            value_place(x, &nx, entry(t, r, of[0])->number);
            value_place(y, &ny, entry(t, r, of[1])->number);
            most = fmax(most, entry(t, r, of[2])->number);
        }
    at_heat_cell *cells = at_new(a, at_heat_cell, nx * ny + 1);
    const char *const *xs = labels_make(x, nx, a), *const *ys = labels_make(y, ny, a);
    const char *what = at_arena_printf(a, "%s, of %.3g, the largest", columns[2], most);
    const char *title = at_arena_printf(a, "%s over %s and %s", columns[2], columns[0], columns[1]);
    if (!cells || !xs || !ys || !what || !title)
        return at_oom(err);
    for (int k = 0; k < nx * ny; k++)
        cells[k] = (at_heat_cell){.value = NAN};
    for (int r = 0; r < t->n_rows && r < MOST_POINTS; r++) {
        double v = entry(t, r, of[2])->number;
        if (!isfinite(v))
            continue;
        at_heat_cell *c = &cells[value_place(y, &ny, entry(t, r, of[1])->number) * nx +
                                 value_place(x, &nx, entry(t, r, of[0])->number)];
        *c = (at_heat_cell){.value = most > 0 ? v / most : 0, .text = at_arena_printf(a, "%.2g", v)};
        if (!c->text)
            return at_oom(err);
    }
    at_heat_panel panel = {
        .nx = nx, .ny = ny, .xlabel = columns[0], .ylabel = columns[1], .x = xs, .y = ys, .cells = cells};
    at_heat h = {.rows = 1, .columns = 1, .panels = &panel, .line = NAN, .value = what};
    static const char *const none[] = {""};
    h.row_title = h.column_title = none;
    h.title = title;
    return nx && ny ? at_heat_svg(&h, svg, err) : AT_OK;
}

/* The heat map that the claim's own table of this title wants; NULL: none. */
static const char *const *heat_of(const at_claim *c, const at_table_detail *t)
{
    for (int k = 0; k < c->n_tables; k++)
        if (t->title && !strcmp(c->tables[k].title, t->title))
            return c->tables[k].heat;
    return NULL;
}

at_status at_report_plots(const at_claim *c, const at_row *rows, size_t n, at_arena *a, at_report_claim *out,
                          at_err *err)
{
    at_report_plot *plots = at_new(a, at_report_plot, n * MOST_PLOTS + 1);
    if (!plots)
        return at_oom(err);
    at_status s = AT_OK;
    for (size_t i = 0; i < n && !s; i++) {
        const at_row *r = &rows[i];
        if (strcmp(r->key.subject, c->id) != 0 || !at_row_is_table(r))
            continue;
        at_arena scratch;
        at_finding f;
        choice wanted[MOST_PLOTS];
        at_arena_init(&scratch);
        s = at_finding_of_row(r, &scratch, &f, err);
        int plotted = s || f.broken ? 0 : choices_make(&f.table, &scratch, wanted);
        const char *const *heat = s || f.broken ? NULL : heat_of(c, &f.table);
        for (int k = 0; k < plotted + (heat && plotted < MOST_PLOTS) && !s; k++) {
            at_text svg;
            at_text_init(&svg);
            s = k < plotted ? choice_plot(c, &f.table, &wanted[k], &scratch, &svg, err)
                            : heat_plot(&f.table, heat, &scratch, &svg, err);
            if (!s && svg.n) {
                plots[out->n_plots++] = (at_report_plot){at_arena_strdup(a, svg.s), r};
                s = plots[out->n_plots - 1].svg ? AT_OK : at_oom(err);
            }
            at_text_release(&svg);
        }
        at_arena_release(&scratch);
    }
    out->plots = plots;
    return s;
}
