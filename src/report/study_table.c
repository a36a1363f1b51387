/* study_table.c: the tables of a study, as strings, and their two forms: HTML and terminal.
 *
 *     least width      task x size x attention: the least width whose median answer accuracy reaches 90%
 *     least GFLOPs     the same, in forward GFLOPs of one longest chain, by the cheapest cell that reaches 90%
 *     the paper's      its table 2, for comparison of the shape: its sizes are not ours */
#include "report_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_ROWS_MOST = 200 };

int at_percent_text(char out[16], double v, int digits)
{
    double unit = digits ? 10 : 1;
    return snprintf(out, 16, "%.*f", digits, floor(100 * unit * v + 1e-9) / unit); /* 1e-9: 0.29 * 100 < 29 */
}

/* A row, from the head (0) on. */
static const char **row_of(const at_study_table *v, int row)
{
    return v->cell + (size_t)row * (size_t)v->columns;
}

static bool table_begin(at_study_table *v, at_arena *a, const char *title, const char *const *head,
                        int columns, int left, int most)
{
    *v = (at_study_table){.title = title, .columns = columns, .left = left};
    v->cell = at_new(a, const char *, (size_t)(most + 1) * (size_t)columns);
    if (v->cell)
        memcpy(v->cell, head, (size_t)columns * sizeof *head);
    return v->cell != NULL;
}

/* The cheapest cell that reaches 90%; the sign says that a cheaper one may not have been run. */
static char *gflops_text(const at_study_task *t, int attention, int size, at_arena *a)
{
    const at_study_least *l = &t->least[attention * t->n_sizes + size];
    if (!l->run)
        return at_arena_strdup(a, "not run");
    if (isnan(l->gflops))
        return at_arena_strdup(a, "\xE2\x80\x93");
    return at_arena_printf(a, "%s%.3g", l->lo < l->hi ? "\xE2\x89\xA4 " : "", l->gflops);
}

static bool place_fill(const char **row, const at_study_task *t, int size, at_arena *a)
{
    row[0] = at_picture_label(a, t->id, 1, 40);
    row[1] = at_arena_printf(a, "%s=%lld", t->size_name, (long long)t->sizes[size]);
    row[2] = at_arena_printf(a, "%lld", (long long)t->lengths[size]);
    return row[0] && row[1] && row[2];
}

int at_study_tables(const at_study_group *g, at_arena *a, at_study_table out[AT_STUDY_TABLES])
{
    static const char *const head[] = {"task", "size", "longest chain", "standard", "sparse", "linear"};
    static const char *const paper_head[] = {"longest chain", "standard", "sparse", "linear"};
    static const char *const paper[][4] = {{"87", "0.027", "0.106", "0.422"},
                                           {"221", "0.266", "1.055", "4.220"},
                                           {"355", "0.426", "1.690", "6.756"},
                                           {"505", "0.605", "2.399", "9.584"}};
    int rows = 0;
    bool arithmetic = false;
    for (int k = 0; k < g->n_tasks; k++)
        rows += g->tasks[k].n_sizes;
    if (!table_begin(&out[0], a, "Least width for at least 90% (median of seeds)", head, 6, 2, rows) ||
        !table_begin(&out[1], a, "Least GFLOPs for at least 90% (median of seeds)", head, 6, 2, rows) ||
        !table_begin(&out[2], a, "The same in the paper: arithmetic, its sizes, not ours", paper_head, 4, 0,
                     4))
        return 0;
    out[0].note = at_arena_printf(
        a,
        "%s. > no width that was tried gets there; \xE2\x89\xA4 narrower ones were not all run; "
        "\xE2\x89\xA5 no width gets there so far, and not all were run.",
        at_study_drawn(g) ? "Answer accuracy; of ngram e^-KL" : "Answer accuracy");
    if (!out[0].note)
        return 0;
    out[1].note = "Forward pass, to generate one longest chain. \xE2\x80\x93 no cell gets there.";
    out[2].note = "Table 2 of the paper. Compare the order, not the digits.";
    for (int k = 0; k < g->n_tasks; k++) {
        const at_study_task *t = &g->tasks[k];
        arithmetic = arithmetic || !strcmp(t->id, "arithmetic");
        for (int s = 0; s < t->n_sizes; s++) {
            const char **width = row_of(&out[0], ++out[0].rows), **flops = row_of(&out[1], ++out[1].rows);
            if (!place_fill(width, t, s, a) || !place_fill(flops, t, s, a))
                return 0;
            for (int m = 0; m < AT_TRAINED_ATTENTIONS; m++) {
                char text[48];
                width[3 + m] = at_arena_strdup(a, at_study_least_text(text, &t->least[m * t->n_sizes + s]));
                flops[3 + m] = gflops_text(t, m, s, a);
                if (!width[3 + m] || !flops[3 + m])
                    return 0;
            }
        }
    }
    for (int r = 0; r < 4; r++)
        memcpy(row_of(&out[2], ++out[2].rows), paper[r], sizeof paper[r]);
    return arithmetic ? 3 : 2;
}

void at_study_table_html(at_text *t, const at_study_table *v)
{
    at_text_add(t, "<p class=\"caption\">");
    at_text_add_html(t, v->title);
    at_text_add(t, "</p>\n<div class=\"scroll\"><table class=\"data\"><thead>");
    for (int r = 0; r <= v->rows; r++) {
        const char **row = row_of(v, r);
        at_text_add(t, "<tr>");
        for (int c = 0; c < v->columns; c++) {
            at_text_addf(t, "<t%c%s>", r ? 'd' : 'h', c < v->left ? "" : " class=\"num\"");
            at_text_add_html(t, row[c]);
            at_text_addf(t, "</t%c>", r ? 'd' : 'h');
        }
        at_text_add(t, r ? "</tr>\n" : "</tr></thead>\n<tbody>\n");
    }
    at_text_add(t, "</tbody></table></div>\n");
    if (v->note) {
        at_text_add(t, "<p class=\"tiny\">");
        at_text_add_html(t, v->note);
        at_text_add(t, "</p>\n");
    }
}

static void table_text(at_pen *p, const at_study_table *v)
{
    enum { COLUMNS_MOST = 8, WIDTH_MOST = 24 };
    int width[COLUMNS_MOST] = {0}, shown = v->rows < TEXT_ROWS_MOST ? v->rows : TEXT_ROWS_MOST;
    for (int r = 0; r <= shown; r++)
        for (int c = 0; c < v->columns; c++) {
            int n = at_text_columns(row_of(v, r)[c]);
            width[c] = n > width[c] ? n : width[c];
        }
    at_pen_wrap(p, v->title, 0);
    for (int r = 0; r <= shown; r++) {
        int end = 2;
        at_pen_pad(p, 2);
        for (int c = 0; c < v->columns; c++) {
            int w = width[c] > WIDTH_MOST ? WIDTH_MOST : width[c];
            at_pen_label(p, row_of(v, r)[c], c < v->left ? 0 : w, w);
            end += w + 2;
            if (c < v->columns - 1)
                at_pen_pad(p, end);
        }
        at_pen_end(p);
    }
    if (shown < v->rows) {
        char more[48];
        snprintf(more, sizeof more, "  and %d more rows", v->rows - shown);
        at_pen_add(p, more);
        at_pen_end(p);
    }
    if (v->note)
        at_pen_wrap(p, v->note, 2);
    at_pen_end(p);
}

at_status at_study_text(const at_study_group *g, int columns, at_text *out, at_err *err)
{
    static const char *const words[] = {"disagrees", "agrees", "cannot tell"};
    at_arena a;
    at_arena_init(&a);
    at_text t;
    at_text_init(&t);
    at_pen p = {&t, columns > 0 ? columns : 80, 0};
    at_study_table tables[AT_STUDY_TABLES];
    at_study_order orders[AT_STUDY_ORDERS];
    int n = at_study_tables(g, &a, tables);
    at_status s = n ? at_study_orders(g, &a, orders, err) : at_oom(err);
    for (int k = 0; !s && k < n; k++)
        table_text(&p, &tables[k]);
    bool paper = !s && at_study_of_paper(g) > 0; /* of other problems it says nothing */
    if (paper)
        at_pen_wrap(&p, "The order that the paper reports, and what these cells say of it", 0);
    for (int k = 0; paper && k < AT_STUDY_ORDERS; k++) {
        at_pen_add(&p, "  ");
        at_pen_add(&p, words[orders[k].verdict]);
        at_pen_wrap(&p, orders[k].statement, 15);
        at_pen_wrap(&p, orders[k].why, 17);
    }
    s = at_text_end(s, &t, out, err);
    at_arena_release(&a);
    return s;
}
