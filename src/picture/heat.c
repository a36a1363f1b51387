/* heat.c: heat maps in a grid of panels.
 *
 *     title
 *                 column title              column title
 *     r     30 ┌────┬────┬────┐       20 ┌────┬────┬────┐      sizes rise, as in a paper's figure
 *     o     20 │    │  97│ 100│       12 │    │    │    │      a cell: its value as colour and as text, the
 *     w     10 └────┴────┴────┘        6 └────┴────┴────┘      spread of the seeds below, the mark of theory
 *                16   32   64              16   32   64
 *     legend: colours, step line, dot, hatch, not run
 *     note
 *
 * Invariants: the layout is a function of the heat alone (no font is measured); all panels share one colour scale, 0..1;
 * a cell that was not run has no colour; the step line passes left of the first cell of a row that reaches the line,
 * right of the row when none does, and is interrupted where nothing was run. A panel in which nothing reaches it says so. */
#include "picture_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double edge = 24, tick_font = 11, axis_font = 11.5, panel_gap = 26, most_side = 16000,
                    most_area = 12e6, least_width = 560;
static const at_draw_rgb dark = {0x1b, 0x1f, 0x24}, light = {0xff, 0xff, 0xff}, step_rgb = {0x00, 0x9e, 0x73},
                         /* AT_ROLE_TRAINED */ vain_rgb = {0xb3, 0x26, 0x1e};

enum { KEY_VALUE, KEY_TINY, KEY_LINE, KEY_DOT, KEY_HATCH, KEY_NOT_RUN, KEYS };
static const double key_width[KEYS] = {196, 34, 34, 22, 30, 30}; /* of the samples before the words */

typedef struct {
    const at_heat *h;
    double *x, *y;  /* (columns), (rows): top left of the cells */
    double *cell_w; /* (columns) */
    double cell_h;
    int *nx, *ny; /* (columns), (rows): the most cells of a panel there */
    double *left; /* (columns): room for tick labels and the name of the axis */
    bool row_titles;
    bool vain; /* in some panel nothing reaches the line */
    double top, legend_y, note_y, w, height;
    char *title, **row_title, **column_title;
    char ***tick_x, ***tick_y; /* (rows * columns) labels of a panel */
    char **note;               /* lines */
    int n_note;
    char *legend[KEYS]; /* NULL: none */
    double legend_x[KEYS], legend_line[KEYS];
} plan;

/* The column of the first cell that reaches the line, nx when none does, -1 when nothing was run. */
static int first_reaching(const at_heat *h, const at_heat_panel *p, int row)
{
    int at = -1;
    for (int i = p->nx - 1; i >= 0; i--) {
        double v = p->cells[row * p->nx + i].value;
        if (!isnan(v) && at < 0)
            at = p->nx;
        if (v >= h->line)
            at = i;
    }
    return at;
}

/* Was something run, and does nothing reach the line? */
static bool in_vain(const at_heat *h, const at_heat_panel *p)
{
    bool run = false;
    for (int row = 0; row < p->ny && !isnan(h->line); row++) {
        int at = first_reaching(h, p, row);
        if (at >= 0 && at < p->nx)
            return false;
        run = run || at == p->nx;
    }
    return run;
}

/* ---- planning ------------------------------------------------------------------------------------ */

at_status at_heat_check(const at_heat *h, at_err *err)
{
    if (h->rows < 1 || h->rows > AT_HEAT_MAX_PANELS || h->columns < 1 || h->columns > AT_HEAT_MAX_PANELS)
        return at_fail(err, AT_EDOMAIN, "%d x %d panels of a heat map: allowed are 1..%d each way", h->rows,
                       h->columns, AT_HEAT_MAX_PANELS);
    for (int k = 0; k < h->rows * h->columns; k++) {
        const at_heat_panel *p = &h->panels[k];
        if (p->nx < 0 || p->ny < 0 || p->nx > AT_HEAT_MAX_SIDE || p->ny > AT_HEAT_MAX_SIDE ||
            !p->nx != !p->ny)
            return at_fail(err, AT_EDOMAIN, "panel %d of a heat map has %d x %d cells: allowed are 1..%d", k,
                           p->nx, p->ny, AT_HEAT_MAX_SIDE);
        for (int i = 0; i < p->nx * p->ny; i++) {
            double v = p->cells[i].value;
            if (!isnan(v) && !(v >= 0 && v <= 1))
                return at_fail(err, AT_EDOMAIN,
                               "panel %d of a heat map: the value of cell %d is %g, not in 0..1", k, i, v);
            if (p->cells[i].mark > AT_MARK_HATCH)
                return at_fail(err, AT_EDOMAIN, "panel %d of a heat map: cell %d has no known mark", k, i);
        }
    }
    return AT_OK;
}

static bool labels_plan(at_arena *a, int n, const char *const *from, double most, char ***out, double *widest)
{
    *out = at_new(a, char *, n + 1);
    for (int i = 0; *out && i < n; i++) {
        (*out)[i] = at_picture_label(a, from[i], tick_font, most);
        if (!(*out)[i])
            return false;
        double w = at_draw_width((*out)[i], tick_font);
        *widest = w > *widest ? w : *widest;
    }
    return *out != NULL;
}

static bool panels_plan(plan *q, at_arena *a)
{
    const at_heat *h = q->h;
    q->tick_x = at_new(a, char **, h->rows * h->columns);
    q->tick_y = at_new(a, char **, h->rows * h->columns);
    if (!q->tick_x || !q->tick_y)
        return false;
    int tallest = 0;
    for (int k = 0; k < h->rows * h->columns; k++) {
        const at_heat_panel *p = &h->panels[k];
        int r = k / h->columns, c = k % h->columns;
        q->nx[c] = p->nx > q->nx[c] ? p->nx : q->nx[c];
        q->ny[r] = p->ny > q->ny[r] ? p->ny : q->ny[r];
        tallest = p->ny > tallest ? p->ny : tallest;
        q->vain = q->vain || in_vain(h, p);
    }
    q->cell_h = tallest <= 8 ? 42 : 32;
    for (int k = 0; k < h->rows * h->columns; k++) {
        const at_heat_panel *p = &h->panels[k];
        int c = k % h->columns;
        double room = q->nx[c] ? 480.0 / q->nx[c] : 0, widest = 0, ignored = 0;
        q->cell_w[c] = room > 60 ? 60 : room < 36 ? 36 : room;
        if (!labels_plan(a, p->nx, p->x, q->cell_w[c] - 2, &q->tick_x[k], &ignored) ||
            !labels_plan(a, p->ny, p->y, 70, &q->tick_y[k], &widest))
            return false;
        widest = widest + 8 + 20;
        q->left[c] = widest > q->left[c] ? widest : q->left[c];
    }
    return true;
}

/* Room for the cells of a column or row of panels: at least so much that its title can be read. */
static double panel_width(const plan *q, int column)
{
    double w = q->nx[column] * q->cell_w[column];
    double title = q->h->column_title ? at_draw_width(q->column_title[column], 13.5) : 0;
    w = w > title ? w : title;
    return w > 120 ? w : 120;
}

static double panel_height(const plan *q, int row)
{
    return (q->ny[row] > 2 ? q->ny[row] : 2) * q->cell_h;
}

/* A title may be missing; NULL is out of memory only. */
static char *title_label(at_arena *a, const char *const *titles, int k, double most)
{
    bool none = !titles || !titles[k] || !*titles[k];
    return none ? at_arena_strdup(a, "") : at_picture_label(a, titles[k], 13.5, most);
}

static bool titles_plan(plan *q, at_arena *a)
{
    const at_heat *h = q->h;
    q->row_title = at_new(a, char *, h->rows);
    q->column_title = at_new(a, char *, h->columns);
    if (!q->row_title || !q->column_title)
        return false;
    for (int c = 0; c < h->columns; c++) {
        double most = q->nx[c] * q->cell_w[c] > 240 ? q->nx[c] * q->cell_w[c] : 240;
        q->column_title[c] = title_label(a, h->column_title, c, most);
        if (!q->column_title[c])
            return false;
    }
    for (int r = 0; r < h->rows; r++) {
        double most = panel_height(q, r) + 20;
        q->row_title[r] = title_label(a, h->row_title, r, most);
        if (!q->row_title[r])
            return false;
        q->row_titles = q->row_titles || *q->row_title[r];
    }
    return true;
}

static void places_plan(plan *q)
{
    const at_heat *h = q->h;
    q->top = 46;
    double x = edge + (q->row_titles ? 22 : 0), y = q->top + (h->column_title ? 28 : 8);
    for (int c = 0; c < h->columns; c++) {
        q->x[c] = x + q->left[c];
        x = q->x[c] + panel_width(q, c) + panel_gap;
    }
    for (int r = 0; r < h->rows; r++) {
        q->y[r] = y;
        y += panel_height(q, r) + (q->vain ? 60 : 44);
    }
    q->w = x - panel_gap + edge;
    q->w = q->w < least_width ? least_width : q->w;
    q->legend_y = y + 14;
}

/* The note in lines of at most the width of the picture, broken at blanks. */
static bool note_plan(plan *q, at_arena *a)
{
    enum { MOST = 10 };
    double room = q->w - 2 * edge;
    q->note = at_new(a, char *, MOST);
    char *s = q->note ? at_picture_label(a, q->h->note, 11, MOST * room) : NULL;
    if (!s)
        return false;
    while (q->h->note && *s && q->n_note < MOST) {
        char *cut = NULL;
        for (char *b = s;; b++) {
            b += strcspn(b, " ");
            char was = *b;
            *b = '\0';
            bool fits = at_draw_width(s, 11) <= room;
            *b = was;
            if (fits || !cut)
                cut = b;
            if (!fits || !was)
                break;
        }
        char *next = *cut ? cut + 1 : cut;
        *cut = '\0';
        if (!(q->note[q->n_note++] = at_picture_label(a, s, 11, room))) /* one word may be too long */
            return false;
        s = next;
    }
    return true;
}

static bool legend_plan(plan *q, at_arena *a)
{
    const at_heat *h = q->h;
    char line[160];
    const char *axis = "column";
    for (int k = h->rows * h->columns - 1; k >= 0; k--)
        axis = h->panels[k].nx && h->panels[k].xlabel ? h->panels[k].xlabel : axis;
    snprintf(line, sizeof line, "least %.80s with at least %g%%", axis, 100 * h->line);
    const char *words[KEYS] = {h->value ? h->value : "", h->tiny, isnan(h->line) ? NULL : line, h->dot,
                               h->hatch};
    for (int k = 0; k < h->rows * h->columns; k++)
        for (int i = 0; i < h->panels[k].nx * h->panels[k].ny; i++)
            if (isnan(h->panels[k].cells[i].value))
                words[KEY_NOT_RUN] = "not run";
    double x = edge, y = q->legend_y + 10;
    for (int k = 0; k < KEYS; k++) {
        if (!words[k])
            continue;
        q->legend[k] =
            at_picture_label(a, *words[k] ? words[k] : "value", 11, q->w - 2 * edge - key_width[k]);
        if (!q->legend[k])
            return false;
        double w = key_width[k] + at_draw_width(q->legend[k], 11) + 22;
        if (x > edge && x + w - 22 > q->w - edge) {
            x = edge;
            y += 30;
        }
        q->legend_x[k] = x;
        q->legend_line[k] = y;
        x += w;
    }
    q->note_y = y + 34;
    return true;
}

static at_status plan_make(plan *q, const at_heat *h, at_arena *a, at_err *err)
{
    at_status s = at_heat_check(h, err);
    if (s)
        return s;
    q->h = h;
    q->x = at_new(a, double, h->columns);
    q->left = at_new(a, double, h->columns);
    q->cell_w = at_new(a, double, h->columns);
    q->nx = at_new(a, int, h->columns);
    q->y = at_new(a, double, h->rows);
    q->ny = at_new(a, int, h->rows);
    bool ok =
        q->x && q->left && q->cell_w && q->nx && q->y && q->ny && panels_plan(q, a) && titles_plan(q, a);
    if (!ok)
        return at_oom(err);
    places_plan(q);
    q->title = at_picture_label(a, h->title, 18, q->w - 2 * edge);
    if (!q->title || !legend_plan(q, a) || !note_plan(q, a))
        return at_oom(err);
    q->height = q->note_y + 15 * q->n_note + (q->n_note ? 6 : -12);
    if (q->w > most_side || q->height > most_side || q->w * q->height > most_area)
        return at_fail(
            err, AT_EDOMAIN,
            "the heat map would be %.0f x %.0f units; at most %.0f a side and %.0f in all are drawn", q->w,
            q->height, most_side, most_area);
    return AT_OK;
}

/* ---- drawing ------------------------------------------------------------------------------------- */

/* Both diagonals, `step` apart, clipped to the rectangle. */
static void hatch_draw(at_draw_canvas *c, double x, double y, double w, double h, double step,
                       at_draw_paint p)
{
    for (double k = step; k < w + h; k += step) { /* u + v = k, with u, v from the top left */
        double u1 = k < w ? k : w, v1 = k - u1, v2 = k < h ? k : h, u2 = k - v2;
        at_draw_line(c, x + u1, y + v1, x + u2, y + v2, 0.8, p);
        at_draw_line(c, x + w - u1, y + v1, x + w - u2, y + v2, 0.8, p); /* its mirror */
    }
}

static void cell_draw(at_draw_canvas *c, const at_heat_cell *e, double x, double y, double w, double h)
{
    if (e->tip)
        at_draw_tip_begin(c, e->tip);
    bool run = !isnan(e->value);
    at_draw_rgb fill = at_draw_ramp(run ? 0.94 * e->value : 0);
    at_draw_paint text = run ? at_draw_solid(at_draw_luminance(fill) < 0.3 ? light : dark) : at_draw_faint;
    at_draw_paint pale = text;
    pale.alpha = run ? 0.82 : 0.66;
    if (run)
        at_draw_rect(c, x, y, w, h, at_draw_solid(fill));
    else
        at_draw_rect(c, x, y, w, h, (at_draw_paint){dark, true, 0.05});
    const char *word = e->text ? e->text : run ? "" : "\xE2\x80\x93";
    bool tiny = e->tiny && *e->tiny && at_draw_width(e->tiny, 8.5) <= w - 4 && h >= 36;
    double base = y + h / 2 + (tiny ? 1 : 4.5), wide = at_draw_width(word, 13) + 6;
    if (e->mark == AT_MARK_HATCH) {
        at_draw_paint lines = text;
        lines.alpha = 0.38;
        hatch_draw(c, x, y, w, h, 7, lines);
        double plate =
            tiny && at_draw_width(e->tiny, 8.5) + 6 > wide ? at_draw_width(e->tiny, 8.5) + 6 : wide;
        plate = plate > w ? w : plate;
        if (run) /* what is written stays readable */
            at_draw_rect(c, x + (w - plate) / 2, base - 13, plate, tiny ? 28 : 17, at_draw_solid(fill));
    }
    if (wide - 6 <= w)
        at_draw_text(c, x + w / 2, base, 13, AT_DRAW_MIDDLE, false, run, text, word);
    if (tiny)
        at_draw_text(c, x + w / 2, base + 12, 8.5, AT_DRAW_MIDDLE, false, false, pale, e->tiny);
    if (e->mark == AT_MARK_DOT)
        at_draw_marker(c, x + w - 7.5, y + 7.5, 3.2, 0, text);
    if (e->tip)
        at_draw_tip_end(c);
}

static void steps_draw(const plan *q, at_draw_canvas *c, const at_heat_panel *p, double x, double y, double w)
{
    double px[2 * AT_HEAT_MAX_SIDE], py[2 * AT_HEAT_MAX_SIDE];
    for (int pass = 0; pass < 2; pass++) { /* a halo, then the line */
        int n = 0;
        for (int row = 0; row <= p->ny; row++) {
            int at = row < p->ny ? first_reaching(q->h, p, row) : -1;
            if (at >= 0) {
                double below = y + (p->ny - row) * q->cell_h - 1;
                px[n] = px[n + 1] = x + at * w - (at > 0 ? 1 : 0);
                py[n] = below;
                py[n + 1] = below - q->cell_h;
                n += 2;
                continue;
            }
            at_draw_path(c, px, py, n, pass ? 2.4 : 5, false, at_draw_solid(pass ? step_rgb : light));
            n = 0;
        }
    }
}

static void panel_draw(const plan *q, at_draw_canvas *c, int k)
{
    const at_heat *h = q->h;
    const at_heat_panel *p = &h->panels[k];
    int r = k / h->columns, column = k % h->columns;
    double x = q->x[column], y = q->y[r], w = q->cell_w[column];
    if (!p->nx) {
        at_draw_text(c, x, y + q->cell_h, 12, AT_DRAW_LEFT, false, false, at_draw_faint, "no runs");
        return;
    }
    for (int j = 0; j < p->ny; j++)
        for (int i = 0; i < p->nx; i++) /* the first row lies at the bottom */
            cell_draw(c, &p->cells[j * p->nx + i], x + i * w, y + (p->ny - 1 - j) * q->cell_h, w - 2,
                      q->cell_h - 2);
    for (int i = 0; i < p->nx; i++)
        at_draw_text(c, x + (i + 0.5) * w - 1, y + p->ny * q->cell_h + 13, tick_font, AT_DRAW_MIDDLE, false,
                     false, at_draw_faint, q->tick_x[k][i]);
    for (int j = 0; j < p->ny; j++)
        at_draw_text(c, x - 7, y + (p->ny - j - 0.5) * q->cell_h + 3, tick_font, AT_DRAW_RIGHT, false, false,
                     at_draw_faint, q->tick_y[k][j]);
    at_draw_text(c, x + p->nx * w / 2 - 1, y + p->ny * q->cell_h + 29, axis_font, AT_DRAW_MIDDLE, false,
                 false, at_draw_ink, p->xlabel ? p->xlabel : "");
    at_draw_text(c, x - q->left[column] + 14, y + p->ny * q->cell_h / 2, axis_font, AT_DRAW_MIDDLE, true,
                 false, at_draw_ink, p->ylabel ? p->ylabel : "");
    if (!isnan(h->line) && !in_vain(h, p)) /* no line where it would be said to be reached */
        steps_draw(q, c, p, x, y, w);
    if (in_vain(h, p)) {
        char words[64];
        snprintf(words, sizeof words, "no %.30s reached %g%%", p->xlabel && *p->xlabel ? p->xlabel : "cell",
                 100 * h->line);
        at_draw_text(c, x, y + p->ny * q->cell_h + 46, axis_font, AT_DRAW_LEFT, false, true,
                     at_draw_solid(vain_rgb), words);
    }
}

static void legend_draw(const plan *q, at_draw_canvas *c)
{
    for (int k = 0; k < KEYS; k++) {
        double x = q->legend_x[k], y = q->legend_line[k];
        if (!q->legend[k])
            continue;
        if (k == KEY_VALUE) {
            enum { STEPS = 60 };
            for (int i = 0; i < STEPS; i++)
                at_draw_rect(c, x + i * 180.0 / STEPS, y - 8, 180.0 / STEPS + (i < STEPS - 1 ? 0.5 : 0), 9,
                             at_draw_solid(at_draw_ramp(0.94 * (i + 0.5) / STEPS)));
            at_draw_text(c, x, y + 12, 9.5, AT_DRAW_LEFT, false, false, at_draw_faint, "0%");
            at_draw_text(c, x + 90, y + 12, 9.5, AT_DRAW_MIDDLE, false, false, at_draw_faint, "50%");
            at_draw_text(c, x + 180, y + 12, 9.5, AT_DRAW_RIGHT, false, false, at_draw_faint, "100%");
        } else if (k == KEY_TINY) {
            at_draw_text(c, x, y, 8.5, AT_DRAW_LEFT, false, false, at_draw_faint,
                         "97\xE2\x80\x93"
                         "99");
        } else if (k == KEY_LINE) {
            at_draw_path(c, (double[]){x, x + 13, x + 13, x + 26}, (double[]){y + 1, y + 1, y - 8, y - 8}, 4,
                         2.4, false, at_draw_solid(step_rgb));
        } else if (k == KEY_DOT) {
            at_draw_marker(c, x + 8, y - 3.5, 3.6, 0, at_draw_ink);
        } else {
            at_draw_rect(c, x, y - 10, 22, 13, (at_draw_paint){dark, true, 0.05});
            if (k == KEY_HATCH)
                hatch_draw(c, x, y - 10, 22, 13, 6, at_draw_faint);
            else
                at_draw_text(c, x + 11, y + 0.5, 11, AT_DRAW_MIDDLE, false, false, at_draw_faint,
                             "\xE2\x80\x93");
        }
        at_draw_text(c, x + key_width[k], y, 11, AT_DRAW_LEFT, false, false, at_draw_ink, q->legend[k]);
    }
}

static void heat_draw(const void *ctx, at_draw_canvas *c)
{
    const plan *q = ctx;
    const at_heat *h = q->h;
    if (h->title)
        at_draw_text(c, edge, 34, 18, AT_DRAW_LEFT, false, true, at_draw_ink, q->title);
    for (int k = 0; k < h->columns; k++) {
        double w = q->nx[k] * q->cell_w[k] - 2;
        bool wide = w >= at_draw_width(q->column_title[k], 13.5); /* else it starts where the cells do */
        at_draw_text(c, wide ? q->x[k] + w / 2 : q->x[k], q->top + 16, 13.5,
                     wide ? AT_DRAW_MIDDLE : AT_DRAW_LEFT, false, true, at_draw_ink, q->column_title[k]);
    }
    for (int r = 0; r < h->rows; r++)
        at_draw_text(c, edge + 10, q->y[r] + panel_height(q, r) / 2, 13.5, AT_DRAW_MIDDLE, true, true,
                     at_draw_ink, q->row_title[r]);
    for (int k = 0; k < h->rows * h->columns; k++)
        panel_draw(q, c, k);
    legend_draw(q, c);
    for (int i = 0; i < q->n_note; i++)
        at_draw_text(c, edge, q->note_y + 15 * i, 11, AT_DRAW_LEFT, false, false, at_draw_faint, q->note[i]);
}

static at_status heat_render(const void *what, at_picture_kind kind, at_text *out, at_err *err)
{
    const at_heat *h = what;
    at_arena a;
    at_arena_init(&a);
    plan q = {0};
    at_status s = plan_make(&q, h, &a, err);
    if (!s)
        s = at_draw_render(kind, q.w, q.height, h->title ? h->title : "heat map", heat_draw, &q, out, err);
    at_arena_release(&a);
    return s;
}

at_status at_heat_svg(const at_heat *h, at_text *svg, at_err *err)
{
    return heat_render(h, AT_PICTURE_SVG, svg, err);
}

at_status at_heat_picture(const at_heat *h, at_picture_kind kind, const char *path, at_err *err)
{
    return at_draw_picture(heat_render, h, kind, path, err);
}
