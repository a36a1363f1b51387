/* report_catalogue.c: what the report shows of each claim besides its verdicts: the program, the size, a
 * look at its attention, and plots of its tables. */
#include "report_internal.h"

#include <attest/claim.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SERIES 12
#define MOST_POINTS 64
#define MOST_PLOTS  8

/* ---- plots of tables ---------------------------------------------------------------------------------- */

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
    if (json_is_number(exponent))
        theory_add(lines, &n, json_number_value(exponent));
    at_series series[MOST_SERIES];
    for (int k = 0; k < n; k++)
        series[k] = (at_series){lines[k].label, lines[k].n, lines[k].x, lines[k].y, lines[k].theory};
    at_plot p = {.title = column  ? column
                          : title ? title
                                  : "",
                 .xlabel = xname,
                 .ylabel = "",
                 .series = series,
                 .n_series = n,
                 .logx = json_is_true(json_object_get(table, "logx")),
                 .logy = json_is_true(json_object_get(table, "logy"))};
    at_status s = n ? at_plot_svg(&p, svg, err) : AT_OK;
    at_free(lines);
    return s;
}

/* ---- one claim ---------------------------------------------------------------------------------------------- */

static at_status claim_plots(const at_claim *c, const at_row *rows, size_t n, at_arena *a,
                             at_report_claim *out, at_err *err)
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

/* The attention picture, the program and the size at the parameters that are worth a look. */
static at_status claim_show(const at_claim *c, at_arena *a, at_report_claim *out, at_err *err)
{
    at_params p;
    at_params_init(&p, c->params, c->n_params);
    at_program *P = NULL;
    at_model m;
    at_status s = at_params_parse(&p, c->look_params, err);
    if (!s)
        s = at_claim_program(c, &p, &P, err);
    if (s)
        return s;
    s = at_assemble(P, &m, NULL, err);
    if (s) {
        at_program_free(P);
        return s;
    }
    at_text t;
    at_text_init(&t);
    at_program_print(P, &t);
    out->program = t.oom ? NULL : at_arena_strdup(a, t.s);
    at_text_release(&t);
    if (c->decoder) { /* the same weights with their stop rule */
        at_model_release(&m);
        s = at_claim_model(c, &p, &m, err);
        if (s) {
            at_program_free(P);
            return s;
        }
    }
    at_size z;
    at_model_size(&m, &z);
    char heads[64] = "no attention";
    if (z.layers)
        snprintf(heads, sizeof heads, "%d attention layer%s, %d head%s", z.layers, z.layers == 1 ? "" : "s",
                 z.heads, z.heads == 1 ? "" : "s");
    char width[32] = "";
    if (z.layers)
        snprintf(width, sizeof width, "head width %d, ", z.head_dim);
    out->size =
        at_arena_printf(a, "%s, residual width %d, %sMLP width %d, %zu parameters (%zu not zero) at %s",
                        heads, z.width, width, z.hidden, z.parameters, z.nonzero, c->look_params);
    at_input x;
    at_look l;
    s = out->program && out->size ? at_input_parse(&m, c->look, a, &x, err) : at_oom(err);
    if (!s && z.layers)
        s = at_look_make(&m, at_f64, &x, a, &l, err);
    if (!s && z.layers)
        s = at_look_svg(&l, &t, err);
    if (!s && z.layers && !(out->svg = at_arena_strdup(a, t.s)))
        s = at_oom(err);
    at_text_release(&t);
    at_model_release(&m);
    at_program_free(P);
    return s;
}

/* What claims with the same first word are about. */
static const char *group_of(const at_claim *c)
{
    static const char *const groups[][2] = {
        {"match", "Pairs and triples"},
        {"qsa", "Sparse averaging"},
        {"lemma", "Lemmas: products, masks, averages, look-ups"},
        {"dp", "Recurrences: decoders that write their table"},
        {"arith", "Expressions modulo a prime"},
        {"compose", "Function composition"},
        {"funccomp", "Function composition"},
    };
    if (c->trial)
        return "Limits: what small models cannot do";
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
        if (strncmp(c->id, groups[k][0], strlen(groups[k][0])) == 0)
            return groups[k][1];
    return "Others";
}

/* Without the verdicts of other builds: they are not this one's. NULL: out of memory. */
static const at_row *rows_of(const at_row *rows, size_t *n, const char *build, at_arena *a)
{
    at_row *kept = at_new(a, at_row, *n + 1);
    size_t k = 0;
    for (size_t i = 0; kept && i < *n; i++)
        if (at_row_is_trained(&rows[i]) || !build || !rows[i].key.build || !strcmp(rows[i].key.build, build))
            kept[k++] = rows[i];
    *n = k;
    return kept;
}

at_status at_report_catalogue(const at_row *rows, size_t n, const char *build, at_text *html, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    rows = rows_of(rows, &n, build, &a);
    at_report_claim *claims = rows ? at_new(&a, at_report_claim, (size_t)at_n_catalogue + n) : NULL;
    int n_claims = at_n_catalogue;
    at_status s = claims ? at_report_files(rows, n, &a, claims, &n_claims, err) : at_oom(err);
    for (int i = 0; i < at_n_catalogue && !s; i++) {
        const at_claim *c = at_catalogue[i];
        claims[i] = (at_report_claim){.id = c->id,
                                      .title = c->title,
                                      .source = c->source,
                                      .statement = c->statement,
                                      .group = group_of(c),
                                      .trial = c->trial != NULL};
        s = c->trial ? AT_OK : claim_show(c, &a, &claims[i], err);
        if (!s)
            s = claim_plots(c, rows, n, &a, &claims[i], err);
    }
    at_map map;
    if (!s)
        s = at_map_make(at_map_panels, at_n_map_panels, rows, n, build, &a, &map, err);
    if (!s)
        s = at_report_page(claims, n_claims, &map, rows, n, build, html, err);
    at_arena_release(&a);
    return s;
}
