/* heat_terminal.c: heat maps for a terminal.
 *
 *     lis, standard
 *       n    16     32     64   width        a number a cell, in percent, on its colour; without colour a shade
 *      30   ░12    ▓88   *██97               block before it; * constructible, x impossible, - not run
 *      10   ...                              > before the first cell of a row that reaches the line
 *
 * Panels of one row of the grid stand side by side as far as they fit. No line is wider than the columns. */
#include "picture_internal.h"

#include <math.h>
#include <stdio.h>

enum { CELL = 7, LABEL_MOST = 8 };

typedef struct {
    const at_heat *h;
    bool color;
    at_pen p;
} sketch;

static int label_width(const at_heat_panel *p)
{
    int w = p->ylabel ? at_text_columns(p->ylabel) : 0;
    for (int j = 0; j < p->ny; j++) {
        int n = at_text_columns(p->y[j]);
        w = n > w ? n : w;
    }
    return w > LABEL_MOST ? LABEL_MOST : w;
}

/* Columns of cells that fit behind the labels; the rest is left out, and a line says so. */
static int cells_shown(const sketch *s, const at_heat_panel *p)
{
    int fit = (s->p.columns - 3 - label_width(p)) / CELL;
    return fit < p->nx ? (fit > 0 ? fit : 0) : p->nx;
}

static const char *title_of(const char *const *titles, int k)
{
    return titles && titles[k] ? titles[k] : "";
}

/* The cells, or the title (up to a point) when that is wider. */
static int panel_width(const sketch *s, int r, int c)
{
    enum { TITLE_MOST = 36 };
    const at_heat_panel *p = &s->h->panels[r * s->h->columns + c];
    int cells = 2 + label_width(p) + cells_shown(s, p) * CELL;
    int title =
        at_text_columns(title_of(s->h->column_title, c)) + 2 + at_text_columns(title_of(s->h->row_title, r));
    title = title > TITLE_MOST ? TITLE_MOST : title;
    return cells > title ? cells : title;
}

static void cell_put(sketch *s, const at_heat_cell *e, bool first)
{
    static const uint32_t shades[] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
    static const int blues[] = {231, 195, 153, 117, 75, 33, 26, 19, 17}; /* of the 256-colour cube */
    char number[16] = "-";
    bool run = !isnan(e->value);
    if (run)
        snprintf(number, sizeof number, "%.0f", floor(100 * e->value + 1e-9));
    at_pen_put(&s->p, ' ');
    at_pen_put(&s->p, first ? '>' : ' ');
    if (run && s->color) {
        int k = (int)(8 * e->value + 0.5);
        at_text_addf(s->p.out, "\033[48;5;%d;38;5;%dm", blues[k], k > 4 ? 231 : 16);
    }
    at_pen_put(&s->p, e->mark == AT_MARK_DOT ? '*' : e->mark == AT_MARK_HATCH ? 'x' : ' ');
    if (run && !s->color)
        at_pen_put(&s->p, shades[e->value >= 0.95 ? 4 : (int)(e->value * 4)]);
    else
        at_pen_put(&s->p, ' ');
    at_pen_label(&s->p, number, 3, 3);
    if (run && s->color)
        at_text_add(s->p.out, "\033[0m");
}

static void panel_line(sketch *s, const at_heat_panel *p, int row, int from)
{
    int label = label_width(p), shown = cells_shown(s, p);
    at_pen_pad(&s->p, from);
    at_pen_label(&s->p, row < 0 ? (p->ylabel ? p->ylabel : "") : p->y[row], label + 2, LABEL_MOST);
    bool reached = isnan(s->h->line);
    for (int i = 0; i < shown; i++) {
        if (row < 0) {
            at_pen_label(&s->p, p->x[i], CELL, CELL - 1);
            continue;
        }
        const at_heat_cell *e = &p->cells[row * p->nx + i];
        bool first = !reached && e->value >= s->h->line;
        reached = reached || first;
        cell_put(s, e, first);
    }
}

/* The panels from..to-1 of one row of the grid, side by side. */
static void panels_draw(sketch *s, int r, int from, int to)
{
    const at_heat *h = s->h;
    int tallest = 0, left = 0;
    bool cut = false;
    for (int c = from; c < to; c++) {
        const at_heat_panel *p = &h->panels[r * h->columns + c];
        tallest = p->ny > tallest ? p->ny : tallest;
        cut = cut || cells_shown(s, p) < p->nx;
        at_pen_pad(&s->p, left);
        const char *column = title_of(h->column_title, c), *row = title_of(h->row_title, r);
        int all = s->p.columns, end = left + panel_width(s, r, c);
        s->p.columns = end < all ? end : all; /* what is longer is cut */
        at_pen_add(&s->p, column);
        at_pen_add(&s->p, *column && *row ? ", " : "");
        at_pen_add(&s->p, row);
        s->p.columns = all;
        left += panel_width(s, r, c) + 3;
    }
    at_pen_end(&s->p);
    for (int row = tallest - 1; row >= -1; row--) { /* the widths stand below, as in the picture */
        left = 0;
        for (int c = from; c < to; c++) {
            const at_heat_panel *p = &h->panels[r * h->columns + c];
            if (row < p->ny && p->nx)
                panel_line(s, p, row, left);
            left += panel_width(s, r, c) + 3;
        }
        at_pen_end(&s->p);
    }
    if (cut) {
        at_pen_add(&s->p, "(columns that do not fit are left out)");
        at_pen_end(&s->p);
    }
    at_pen_end(&s->p);
}

void at_heat_terminal(const at_heat *h, int columns, bool color, at_text *out)
{
    sketch s = {h, color, {out, columns > 0 ? columns : 80, 0}};
    at_text_add(out, "");
    at_err err = {0};
    if (at_heat_check(h, &err)) {
        at_pen_wrap(&s.p, err.text, 0);
        return;
    }
    if (h->title) {
        at_pen_wrap(&s.p, h->title, 0);
        at_pen_end(&s.p);
    }
    for (int r = 0; r < h->rows; r++)
        for (int c = 0; c < h->columns;) {
            int to = c, used = 0;
            while (to < h->columns) {
                used += panel_width(&s, r, to) + (to > c ? 3 : 0);
                if (to > c && used > s.p.columns)
                    break;
                to++;
            }
            panels_draw(&s, r, c, to);
            c = to;
        }
    at_text key;
    at_text_init(&key);
    at_text_addf(&key, "percent: %s", h->value ? h->value : "value");
    for (int k = 0; k < h->rows * h->columns; k++)
        if (h->panels[k].nx && h->panels[k].xlabel) {
            at_text_addf(&key, "; columns: %s", h->panels[k].xlabel);
            break;
        }
    if (!isnan(h->line))
        at_text_addf(&key, "; > first of its row with at least %g", 100 * h->line);
    if (h->dot)
        at_text_addf(&key, "; * %s", h->dot);
    if (h->hatch)
        at_text_addf(&key, "; x %s", h->hatch);
    at_text_add(&key, "; - not run");
    if (key.oom)
        out->oom = true;
    else
        at_pen_wrap(&s.p, key.s, 0);
    at_text_release(&key);
    if (h->note)
        at_pen_wrap(&s.p, h->note, 0);
}
