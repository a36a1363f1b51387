/* study_figure.c: the figures of a study: heat maps of accuracy, curves of training.
 *
 * Heat: rows are attentions, columns are tasks; a panel has the widths that were tried for its task (any attention) by
 * its sizes, so that the panels of a column can be compared by eye. What a foreign ledger has too much of is left out, and the note
 * counts it.
 *
 * Curves: one colour a width. The median is taken at the steps that all seeds have in common, and is not a number
 * where one of them has none. */
#include "report_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE_MOST = 16, TASKS_MOST = 8, WIDTHS_MOST = 6, SEEDS_MOST = 9 }; /* 6 * (9 + 1) series <= 64 */

static const char *const mark_words[] = {"theory is silent", "constructible", "impossible"};
static const at_heat_mark marks[] = {AT_MARK_NONE, AT_MARK_DOT, AT_MARK_HATCH};

/* ---- heat ------------------------------------------------------------------------------------------- */

static bool heat_cell_fill(const at_study_task *t, const at_study_cell *e, at_arena *a, at_heat_cell *out)
{
    *out = (at_heat_cell){.value = NAN};
    if (!e)
        return true;
    char median[16], least[16], most[16], chain[16];
    at_percent_text(median, e->median, 0);
    at_percent_text(least, e->least, 0);
    at_percent_text(most, e->most, 0);
    out->value = e->median;
    out->mark = marks[e->mark];
    out->text = at_arena_strdup(a, median);
    out->tiny = e->n > 1 ? at_arena_printf(a, "%s\xE2\x80\x93%s", least, most) : "";
    at_percent_text(median, e->median, 1);
    at_percent_text(least, e->least, 1);
    at_percent_text(most, e->most, 1);
    at_percent_text(chain, e->chain, 1);
    const char *why = e->runs[0]->d.why;
    bool drawn = e->runs[0]->d.kl >= 0; /* then both are one number */
    out->tip = at_arena_printf(
        a, "%.200s, %s, %s=%lld, width %lld: %s %s%% (median of %d seed%s, %s..%s)%s%s%s; %s%s%s", t->id,
        at_attention_names[e->attention], t->size_name, (long long)e->size, (long long)e->width,
        drawn ? "e^-KL" : "answers", median, e->n, e->n == 1 ? "" : "s", least, most,
        drawn ? "" : ", whole chains ", drawn ? "" : chain, drawn ? "" : "%", mark_words[e->mark],
        why ? ": " : "", why ? why : "");
    return out->text && out->tiny && out->tip;
}

static const char **numbers_label(const int64_t *v, int n, at_arena *a)
{
    const char **out = at_new(a, const char *, n);
    for (int i = 0; out && i < n; i++)
        if (!(out[i] = at_arena_printf(a, "%lld", (long long)v[i])))
            return NULL;
    return out;
}

static bool has_attention(const at_study_task *t, int attention)
{
    for (int s = 0; s < t->n_sizes; s++)
        if (t->least[attention * t->n_sizes + s].run)
            return true;
    return false;
}

static bool panel_fill(const at_study_task *t, int attention, at_arena *a, at_heat_panel *out)
{
    *out = (at_heat_panel){0};
    if (!has_attention(t, attention))
        return true;
    out->nx = t->n_widths < SIDE_MOST ? t->n_widths : SIDE_MOST;
    out->ny = t->n_sizes < SIDE_MOST ? t->n_sizes : SIDE_MOST;
    out->xlabel = "width";
    out->ylabel = t->size_name;
    out->x = numbers_label(t->widths, out->nx, a);
    out->y = numbers_label(t->sizes, out->ny, a);
    at_heat_cell *cells = at_new(a, at_heat_cell, out->nx * out->ny);
    if (!out->x || !out->y || !cells)
        return false;
    out->cells = cells;
    for (int j = 0; j < out->ny; j++)
        for (int i = 0; i < out->nx; i++) {
            const at_study_cell *e =
                at_study_find(t, (at_attention_kind)attention, t->sizes[j], t->widths[i]);
            if (!heat_cell_fill(t, e, a, &cells[j * out->nx + i]))
                return false;
        }
    return true;
}

/* How many seeds a cell has (at most: *seeds), and what is not in the picture. */
static char *heat_note(const at_study_group *g, at_arena *a, int *seeds)
{
    int least = 0, most = 0, mixed = 0, cut = 0;
    for (int k = 0; k < g->n_tasks; k++) {
        const at_study_task *t = &g->tasks[k];
        cut += k >= TASKS_MOST || t->n_sizes > SIDE_MOST || t->n_widths > SIDE_MOST;
        for (int i = 0; i < t->n_cells; i++) {
            int n = t->cells[i].n;
            least = !least || n < least ? n : least;
            most = n > most ? n : most;
            mixed += t->cells[i].mixed;
        }
    }
    *seeds = most;
    at_text w;
    at_text_init(&w);
    const char *noun = mixed ? "run" : "seed"; /* runs of other recipes may have the same seed */
    if (least == most)
        at_text_addf(&w, "%d %s%s a cell", most, noun, most == 1 ? "" : "s");
    else
        at_text_addf(&w, "%d to %d %ss a cell", least, most, noun);
    at_text_add(&w, "; percentages are rounded down.");
    if (mixed)
        at_text_addf(&w, " %d cell%s hold%s runs that differ in more than the seed.", mixed,
                     mixed == 1 ? "" : "s", mixed == 1 ? "s" : "");
    if (cut)
        at_text_addf(&w, " %d task%s not drawn in full: at most %d tasks, %d sizes and %d widths are.", cut,
                     cut == 1 ? " is" : "s are", TASKS_MOST, SIDE_MOST, SIDE_MOST);
    char *note = w.oom ? NULL : at_arena_strdup(a, w.s);
    at_text_release(&w);
    return note;
}

int at_study_drawn(const at_study_group *g)
{
    int drawn = 0;
    for (int k = 0; k < g->n_tasks; k++)
        drawn += g->tasks[k].n_cells && g->tasks[k].cells[0].runs[0]->d.kl >= 0;
    return drawn;
}

const char *at_study_measure(const at_study_group *g)
{
    int drawn = at_study_drawn(g);
    return !drawn ? "Answer accuracy" : drawn == g->n_tasks ? "e^-KL" : "Answer accuracy, or e^-KL,";
}

at_status at_study_heat(const at_study_group *g, at_arena *a, at_heat *out, at_err *err)
{
    int columns = g->n_tasks < TASKS_MOST ? g->n_tasks : TASKS_MOST, rows = 0;
    at_heat_panel *panels = at_new(a, at_heat_panel, AT_TRAINED_ATTENTIONS * columns + 1);
    const char **tasks = at_new(a, const char *, columns + 1),
               **attentions = at_new(a, const char *, AT_TRAINED_ATTENTIONS);
    /* The catalogue's constructions were checked; what a problem of one's own compiles to need not have been. */
    bool checked = at_study_of_paper(g) == g->n_tasks;
    int drawn = at_study_drawn(g);
    at_heat h = {.line = AT_STUDY_REACHED,
                 .value = !drawn                ? "answer accuracy, median of the seeds"
                          : drawn == g->n_tasks ? "e^-KL a token, median of the seeds"
                                                : "answer accuracy, of ngram e^-KL, median of the seeds",
                 .dot = checked ? "constructible: a checked construction fits"
                                : "constructible: a construction fits",
                 .hatch = "impossible: a bound rules out always being right"};
    h.title = at_arena_printf(a, "%s of trained models (preset %s)", at_study_measure(g), g->preset);
    int seeds;
    h.note = heat_note(g, a, &seeds);
    h.tiny = seeds > 1 ? "least and greatest of the seeds" : NULL;
    if (!panels || !tasks || !attentions || !h.title || !h.note)
        return at_oom(err);
    for (int k = 0; k < columns; k++)
        tasks[k] = g->tasks[k].id;
    for (int m = 0; m < AT_TRAINED_ATTENTIONS; m++) {
        bool any = false;
        for (int k = 0; k < columns; k++)
            any = any || has_attention(&g->tasks[k], m);
        if (!any)
            continue;
        for (int k = 0; k < columns; k++)
            if (!panel_fill(&g->tasks[k], m, a, &panels[rows * columns + k]))
                return at_oom(err);
        attentions[rows++] = at_attention_names[m];
    }
    h.rows = rows;
    h.columns = columns;
    h.row_title = attentions;
    h.column_title = tasks;
    h.panels = panels;
    *out = h;
    return AT_OK;
}

/* ---- curves -------------------------------------------------------------------------------------------- */

static int curve_of(const at_trained *r, at_curve what, const double **x, const double **y)
{
    *x = what == AT_CURVE_LOSS ? r->d.loss_step : r->d.accuracy_step;
    *y = what == AT_CURVE_LOSS ? r->d.loss : what == AT_CURVE_ANSWER ? r->d.answer_at : r->d.chain_at;
    return what == AT_CURVE_LOSS ? r->d.n_loss : r->d.n_accuracy;
}

static int step_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool median_fill(const at_study_cell *e, at_curve what, at_arena *a, at_series *out)
{
    const double *x0, *y0;
    int n = curve_of(e->runs[0], what, &x0, &y0), k = 0;
    double *x = at_new(a, double, n + 1), *y = at_new(a, double, n + 1), *v = at_new(a, double, e->n);
    if (!x || !y || !v)
        return false;
    for (int i = 0; i < n; i++) {
        int found = 0;
        bool number = true;
        for (int r = 0; r < e->n; r++) {
            const double *xs, *ys;
            int m = curve_of(e->runs[r], what, &xs, &ys);
            const double *at = bsearch(&x0[i], xs, (size_t)m, sizeof *xs, step_order);
            if (!at)
                break;
            v[found++] = ys[at - xs];
            number = number && !isnan(v[found - 1]);
        }
        if (found < e->n)
            continue;
        x[k] = x0[i];
        y[k++] = number ? at_study_median(v, e->n) : NAN;
    }
    *out = (at_series){.label = at_arena_printf(a, "width %lld", (long long)e->width),
                       .n = k,
                       .x = x,
                       .y = y,
                       .line = AT_LINE_BOLD};
    return out->label != NULL;
}

at_status at_study_curves(const at_study_task *t, at_attention_kind attention, int64_t size, at_curve what,
                          at_arena *a, at_plot *out, at_err *err)
{
    static const char *const names[] = {"loss", "answer accuracy", "chain accuracy"};
    const int most = WIDTHS_MOST * (SEEDS_MOST + 1);
    at_series *series = at_new(a, at_series, most);
    if (!series)
        return at_oom(err);
    int n = 0, color = 0, left_out = 0;
    for (int w = 0; w < t->n_widths; w++) {
        const at_study_cell *e = at_study_find(t, attention, size, t->widths[w]);
        if (!e)
            continue;
        if (color == WIDTHS_MOST) {
            left_out++;
            continue;
        }
        color++;
        for (int r = 0; e->n > 1 && r < e->n && r < SEEDS_MOST; r++) {
            at_series *s = &series[n++];
            *s = (at_series){.line = AT_LINE_THIN, .role = AT_ROLE_TRAINED, .shade = color};
            s->n = curve_of(e->runs[r], what, &s->x, &s->y);
        }
        if (!median_fill(e, what, a, &series[n]))
            return at_oom(err);
        series[n].role = AT_ROLE_TRAINED;
        series[n++].shade = color;
    }
    char cut[48] = "";
    if (left_out)
        snprintf(cut, sizeof cut, " (%d wider ones are not drawn)", left_out);
    char *title = at_arena_printf(a, "%.200s, %s, %s=%lld: %s%s", t->id, at_attention_names[attention],
                                  t->size_name, (long long)size, names[what], cut);
    if (!title)
        return at_oom(err);
    *out = (at_plot){.title = title,
                     .xlabel = "step",
                     .ylabel = names[what],
                     .logy = what == AT_CURVE_LOSS,
                     .series = series,
                     .n_series = n};
    return AT_OK;
}
