/* advise_show.c: advice as a table for a terminal, and as a page of its own. */
#include "report_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 8, CELL = 32 };
static const char *const head[CELLS] = {"attention", "chain",   "verdict", "width",
                                        "weights",   "a token", "in all",  "memory"};
static const char legend[] = "chain: is a chain of thought written before the answer; a token, in all: "
                             "multiply-adds, of a row on the average "
                             "and of all rows; memory: weights and what is kept of the rows before.";

/* 4136, 15.8M, 6.1e12: short, and exact where it is small. */
static void number_short(char out[CELL], double v)
{
    static const char units[] = " kMGT";
    int k = 0;
    while (v >= 99999.5 && k < 4) {
        v /= 1000;
        k++;
    }
    if (!isfinite(v))
        snprintf(out, CELL, "\xE2\x80\x93");
    else if (!k)
        snprintf(out, CELL, "%.0f", v);
    else
        snprintf(out, CELL, v < 9.995 ? "%.2f%c" : v < 99.95 ? "%.1f%c" : "%.0f%c", v, units[k]);
}

static void bytes_short(char out[CELL], double v)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int k = 0;
    while (v >= 999.5 && k < 4) {
        v /= 1000;
        k++;
    }
    if (!isfinite(v))
        snprintf(out, CELL, "\xE2\x80\x93");
    else
        snprintf(out, CELL, v < 9.995 && k ? "%.2f %s" : v < 99.95 && k ? "%.1f %s" : "%.0f %s", v, units[k]);
}

static void cells_of(const at_advice_row *r, char cell[CELLS][CELL])
{
    snprintf(cell[0], CELL, "%.24s", r->attention);
    snprintf(cell[1], CELL, "%s", r->chain ? "yes" : "no");
    snprintf(cell[2], CELL, "%s", at_advice_names[r->kind]);
    number_short(cell[3], r->built ? r->size.width : NAN);
    number_short(cell[4], r->built ? (double)r->size.parameters : NAN);
    number_short(cell[5], r->per_token);
    number_short(cell[6], r->total);
    bytes_short(cell[7], r->bytes);
}

/* What stands above the table. */
static void title_of(const at_advice *v, char out[256])
{
    snprintf(out, 256, "%.60s at length %d (%.120s)", v->problem, v->length, v->at);
}

/* Is this the first row that says so? */
static bool why_first(const at_advice *v, int i)
{
    if (!v->rows[i].why)
        return false;
    for (int k = 0; k < i; k++)
        if (v->rows[k].why && !strcmp(v->rows[k].why, v->rows[i].why))
            return false;
    return true;
}

/* "sparse, linear with a chain: why" */
static void why_of(const at_advice *v, int i, at_text *t)
{
    const char *mark = "";
    for (int chain = 1; chain >= 0; chain--) {
        const char *end = "";
        for (int k = i; k < v->n; k++)
            if (v->rows[k].chain == chain && v->rows[k].why && !strcmp(v->rows[k].why, v->rows[i].why)) {
                at_text_addf(t, "%s%s", mark, v->rows[k].attention);
                mark = ", ";
                end = chain ? " with a chain" : " without";
            }
        at_text_add(t, end);
    }
    at_text_addf(t, ": %s.", v->rows[i].why);
}

at_status at_advice_text(const at_advice *v, int columns, at_text *out, at_err *err)
{
    at_text t;
    char cell[CELLS][CELL], title[256];
    int width[CELLS];
    at_text_init(&t);
    at_pen p = {&t, columns > 0 ? columns : 80, 0};
    for (int c = 0; c < CELLS; c++)
        width[c] = at_text_columns(head[c]);
    for (int i = 0; i < v->n; i++) {
        cells_of(&v->rows[i], cell);
        for (int c = 0; c < CELLS; c++) {
            int n = at_text_columns(cell[c]);
            width[c] = n > width[c] ? n : width[c];
        }
    }
    int sum = 0;
    for (int c = 0; c < CELLS; c++)
        sum += width[c];
    int gap = sum + 2 * (CELLS - 1) <= p.columns ? 2 : 1;
    if (sum + gap * (CELLS - 1) > p.columns) /* names of attentions give way */
        width[0] -= sum + gap * (CELLS - 1) - p.columns;
    width[0] = width[0] < 8 ? 8 : width[0];
    title_of(v, title);
    at_pen_wrap(&p, title, 0);
    at_pen_end(&p);
    for (int i = -1; i < v->n; i++) {
        int end = 0;
        if (i >= 0)
            cells_of(&v->rows[i], cell);
        for (int c = 0; c < CELLS; c++) {
            at_pen_label(&p, i < 0 ? head[c] : cell[c], c < 3 ? 0 : width[c], width[c]);
            end += width[c] + gap;
            if (c < CELLS - 1)
                at_pen_pad(&p, end);
        }
        at_pen_end(&p);
    }
    at_pen_end(&p);
    at_pen_wrap(&p, v->sentence, 0);
    at_pen_end(&p);
    at_pen_wrap(&p, legend, 0);
    for (int i = 0; i < v->n; i++) {
        at_text one;
        if (!why_first(v, i))
            continue;
        at_text_init(&one);
        why_of(v, i, &one);
        if (one.oom)
            t.oom = true;
        else
            at_pen_wrap(&p, one.s, 0);
        at_text_release(&one);
    }
    return at_text_end(AT_OK, &t, out, err);
}

at_status at_advice_html(const at_advice *v, at_text *html, at_err *err)
{
    at_text t;
    char cell[CELLS][CELL], title[256];
    at_text_init(&t);
    title_of(v, title);
    at_text_add(&t, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                    "'unsafe-inline'\"/>\n<meta name=\"viewport\" content=\"width=device-width, "
                    "initial-scale=1\"/>\n<title>Advice: ");
    at_text_add_html(&t, title);
    at_text_add(&t, "</title>\n<style>");
    at_text_add(&t, at_report_style);
    at_text_add(&t, "</style></head><body><main>\n<h1>");
    at_text_add_html(&t, title);
    at_text_add(&t, "</h1>\n<p>");
    at_text_add_html(&t, v->sentence);
    at_text_add(&t, "</p>\n<div class=\"scroll\"><table class=\"data\"><thead><tr>");
    for (int c = 0; c < CELLS; c++)
        at_text_addf(&t, "<th%s>%s</th>", c < 3 ? "" : " class=\"num\"", head[c]);
    at_text_add(&t, "<th>why</th></tr></thead>\n<tbody>\n");
    for (int i = 0; i < v->n; i++) {
        cells_of(&v->rows[i], cell);
        at_text_add(&t, "<tr>");
        for (int c = 0; c < CELLS; c++) {
            at_text_addf(&t, "<td%s>", c < 3 ? "" : " class=\"num\"");
            at_text_add_html(&t, cell[c]);
            at_text_add(&t, "</td>");
        }
        at_text_add(&t, "<td>");
        at_text_add_html(&t, v->rows[i].why ? v->rows[i].why : v->rows[i].by ? v->rows[i].by : "");
        at_text_add(&t, "</td></tr>\n");
    }
    at_text_add(&t, "</tbody></table></div>\n<p class=\"tiny\">");
    at_text_add_html(&t, legend);
    at_text_add(&t, "</p>\n</main></body></html>\n");
    return at_text_end(AT_OK, &t, html, err);
}
