/* report_trained.c: the section of the report that shows trained models.
 *
 *     what was trained, and by which build      heat maps      tables      the paper's order      curves      every run
 *
 * Nothing is dropped: a broken row is in the list with its fault, a superseded one is marked, and rows of other
 * builds carry that note (trainings take long, and a new build does not make them untrue). Curves and the list
 * are folded. */
#include "report_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUNS_MOST = 5000, GROUPS_MOST = 16, CURVES_MOST = 48 };

static void html_add(at_text *t, const char *before, const char *s, const char *after)
{
    at_text_add(t, before);
    at_text_add_html(t, s && *s ? s : "\xE2\x80\x93");
    at_text_add(t, after);
}

static void orders_html(at_text *t, const at_study_order *orders)
{
    static const char *const words[] = {"disagrees", "agrees", "cannot tell"};
    static const char *const classes[] = {"fails", "holds", "unknown"};
    static const char *const signs[] = {"\xE2\x9C\x97", "\xE2\x9C\x93", "?"};
    bool told = false; /* what cannot be told is folded away */
    for (int k = 0; k < AT_STUDY_ORDERS; k++)
        told = told || orders[k].verdict != AT_UNKNOWN;
    at_text_addf(
        t,
        "<details%s><summary>The order that the paper reports, and what these cells say of it%s</summary>\n",
        told ? " open=\"open\"" : "", told ? "" : ": they cannot tell");
    at_text_add(t,
                "<div class=\"scroll\"><table class=\"wide\"><thead><tr><th>our cells</th>"
                "<th>statement</th><th class=\"half\">numbers (least widths)</th></tr></thead>\n<tbody>\n");
    for (int k = 0; k < AT_STUDY_ORDERS; k++) {
        at_tri v = orders[k].verdict;
        at_text_addf(t, "<tr><td><b class=\"%s\">%s %s</b></td>", classes[v], signs[v], words[v]);
        html_add(t, "<td>", orders[k].statement, "</td>");
        html_add(t, "<td class=\"stack\" data-label=\"numbers\">", orders[k].why, "</td></tr>\n");
    }
    at_text_add(t, "</tbody></table></div></details>\n");
}

static at_status curve_html(at_text *t, const at_study_task *task, int m, at_curve what, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    at_plot plot;
    at_text svg;
    at_text_init(&svg);
    at_text_add(t, "<figure>");
    at_status s =
        at_study_curves(task, (at_attention_kind)m, task->sizes[task->n_sizes - 1], what, &a, &plot, err);
    if (!s)
        s = at_plot_svg(&plot, &svg, err);
    at_report_svg(t, s ? "" : svg.s);
    at_text_add(t, "</figure>\n");
    at_text_release(&svg);
    at_arena_release(&a);
    return s;
}

/* One fold a task and attention: loss and accuracy at the largest size. */
static at_status curves_html(at_text *t, const at_study_group *g, int *drawn, at_err *err)
{
    at_status s = AT_OK;
    at_text_add(t, "<p class=\"caption\">Training, at the largest size</p>\n"
                   "<p class=\"tiny\">Thin lines are seeds, bold ones their median.</p>\n");
    for (int k = 0; k < g->n_tasks; k++)
        for (int m = 0; m < AT_TRAINED_ATTENTIONS && !s; m++) {
            const at_study_task *task = &g->tasks[k];
            if (!task->least[m * task->n_sizes + task->n_sizes - 1].run || *drawn >= CURVES_MOST)
                continue;
            ++*drawn;
            html_add(t, "<details><summary>", task->id, ", ");
            at_text_addf(t, "%s</summary>\n<div class=\"plots\">\n", at_attention_names[m]);
            s = curve_html(t, task, m, AT_CURVE_LOSS, err);
            if (!s)
                s = curve_html(t, task, m, AT_CURVE_ANSWER, err);
            at_text_add(t, "</div></details>\n");
        }
    if (*drawn >= CURVES_MOST)
        at_text_addf(t, "<p class=\"tiny\">At most %d pairs of curves are drawn.</p>\n", CURVES_MOST);
    return s;
}

static at_status group_html(at_text *t, const at_study_group *g, int *drawn, at_arena *a, at_err *err)
{
    at_heat heat;
    at_study_table tables[AT_STUDY_TABLES];
    at_study_order orders[AT_STUDY_ORDERS];
    at_text svg;
    at_text_init(&svg);
    html_add(t, "<h3>Preset ", g->preset, "</h3>\n<figure class=\"look\">");
    at_status s = at_study_heat(g, a, &heat, err);
    heat.title =
        at_arena_printf(a, "%s of trained models", at_study_measure(g)); /* the heading names the preset */
    if (!s && !heat.title)
        s = at_oom(err);
    if (!s)
        s = at_heat_svg(&heat, &svg, err);
    at_report_svg(t, s ? "" : svg.s);
    at_text_release(&svg);
    at_text_add(t, "</figure>\n");
    int n = s ? 0 : at_study_tables(g, a, tables);
    if (!s && !n)
        s = at_oom(err);
    if (!s)
        s = at_study_orders(g, a, orders, err);
    if (s)
        return s;
    for (int k = 0; k < n; k++)
        at_study_table_html(t, &tables[k]);
    if (at_study_of_paper(g))
        orders_html(t, orders);
    return curves_html(t, g, drawn, err);
}

/* ---- every run ------------------------------------------------------------------------------------------ */

static void number_cell(at_text *t, double x)
{
    char number[32];
    at_text_addf(t, "<td class=\"num\">%s</td>", at_number_text(number, x));
}

static void percent_cell(at_text *t, double x)
{
    char number[16];
    at_percent_text(number, x, 1);
    at_text_addf(t, "<td class=\"num\">%s</td>", number);
}

static void notes_html(at_text *t, const at_trained *r)
{
    char kl[80] = "";
    if (!r->broken && r->d.kl >= 0)
        snprintf(kl, sizeof kl, "e^-KL; KL %.3g of %.3g nats a token", r->d.kl, r->d.entropy);
    const char *notes[] = {r->other_build ? "by another build" : NULL,
                           r->superseded ? "superseded, not counted" : NULL, *kl ? kl : NULL,
                           r->broken ? NULL : r->d.flags};
    bool any = false;
    at_text_add(t, "<td>");
    for (size_t k = 0; k < sizeof notes / sizeof *notes; k++) {
        if (!notes[k])
            continue;
        at_text_add(t, any ? "; " : "");
        at_text_add_html(t, notes[k]);
        any = true;
    }
    at_text_add(t, "</td></tr>\n");
}

static void run_html(at_text *t, const at_trained *r)
{
    const at_record *rec = &r->row->rec;
    at_text_add(t, "<tr>");
    if (r->broken) {
        html_add(t, "<td>", r->task, "</td>");
        html_add(t, "<td>", r->row->key.params, "</td>");
        html_add(t, "<td colspan=\"10\" class=\"unknown\">broken: ", r->broken, "</td>");
        notes_html(t, r);
        return;
    }
    html_add(t, "<td>", r->task, "</td>");
    html_add(t, "<td>", r->row->key.params, "</td>");
    at_text_addf(t, "<td>%s</td><td class=\"num\">%lld</td><td class=\"num\">%llu</td>",
                 at_attention_names[r->attention], (long long)r->d.width, (unsigned long long)rec->seed);
    percent_cell(t, r->d.answer);
    percent_cell(t, r->d.chain);
    number_cell(t, r->d.n_loss ? r->d.loss[r->d.n_loss - 1] : NAN);
    at_text_addf(t, "<td class=\"num\">%lld</td>", (long long)r->d.steps);
    number_cell(t, r->d.gflops_trained);
    number_cell(t, r->d.gflops_to_90);
    number_cell(t, rec->seconds);
    notes_html(t, r);
}

static void runs_html(at_text *t, const at_study *st)
{
    char all[32];
    at_text_addf(t, "<details><summary>Every run (%s)</summary>\n", at_count_text(all, st->n_runs));
    at_text_add(t,
                "<div class=\"scroll\"><table class=\"data\"><thead><tr><th>task</th><th>parameters</th>"
                "<th>attention</th><th class=\"num\">width</th><th class=\"num\">seed</th>"
                "<th class=\"num\">answers %</th><th class=\"num\">chains %</th><th class=\"num\">last "
                "loss</th><th class=\"num\">steps</th><th class=\"num\">GFLOPs</th><th "
                "class=\"num\">GFLOPs to 90%</th><th class=\"num\">seconds</th><th>notes</th></tr></thead>\n"
                "<tbody>\n");
    for (size_t i = 0; i < st->n_runs && i < RUNS_MOST; i++)
        run_html(t, &st->runs[i]);
    at_text_add(t, "</tbody></table></div>\n");
    if (st->n_runs > RUNS_MOST)
        at_text_addf(t, "<p class=\"tiny\">%zu more runs are not shown.</p>\n", st->n_runs - RUNS_MOST);
    at_text_add(t, "</details>\n");
}

static void count_html(at_text *t, size_t n, const char *one, const char *many)
{
    char number[32];
    if (n)
        at_text_addf(t, " %s %s", at_count_text(number, n), n == 1 ? one : many);
}

static at_status study_html(at_text *t, const at_study *st, at_arena *a, at_err *err)
{
    char number[32];
    at_text_addf(t, "<section id=\"trained\">\n<h2>Trained models</h2>\n<p>%s run%s.",
                 at_count_text(number, st->n_runs), st->n_runs == 1 ? "" : "s");
    count_html(t, st->n_other, "was trained by another build.", "were trained by another build.");
    count_html(t, st->n_superseded, "is superseded by a later one and not counted.",
               "are superseded by later ones and not counted.");
    count_html(t, st->n_broken, "is broken and not counted.", "are broken and not counted.");
    at_text_add(t, " Measured on test sequences, not proved.</p>\n");
    at_status s = AT_OK;
    int drawn = 0;
    for (int k = 0; k < st->n_groups && k < GROUPS_MOST && !s; k++)
        s = group_html(t, &st->groups[k], &drawn, a, err);
    if (st->n_groups > GROUPS_MOST)
        at_text_addf(t, "<p class=\"tiny\">%d more presets are only in the list.</p>\n",
                     st->n_groups - GROUPS_MOST);
    runs_html(t, st);
    at_text_add(t, "</section>\n");
    return s;
}

at_status at_report_trained(at_text *t, const at_row *rows, size_t n, const char *build, at_err *err)
{
    size_t trained = 0;
    for (size_t i = 0; i < n; i++)
        trained += at_row_is_trained(&rows[i]);
    if (!trained)
        return AT_OK;
    if (trained > AT_STUDY_MAX_RUNS) {
        at_text_addf(t,
                     "<section id=\"trained\">\n<h2>Trained models</h2>\n<p>%zu runs; more than %d "
                     "are not shown.</p>\n</section>\n",
                     trained, AT_STUDY_MAX_RUNS);
        return AT_OK;
    }
    at_arena a;
    at_arena_init(&a);
    at_study st;
    at_status s = at_study_make(rows, n, build, &a, &st, err);
    if (!s)
        s = study_html(t, &st, &a, err);
    at_arena_release(&a);
    return s;
}
