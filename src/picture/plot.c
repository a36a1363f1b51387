/* plot.c: a line plot.
 *
 * Axes are linear or logarithmic (axis.c). Each series has a colour and a marker of its own; dashed series are theory and
 * carry no markers, nor do thin ones (single runs) and bold ones (their median). Thin ones lie below and are not in the
 * legend, which stands below the axes, where it can cover nothing.
 *
 * A point that cannot stand on an axis (not finite, beyond 1e300, or not positive on a logarithmic one) is left out
 * and breaks its line; the plot says how many were left out, so that nothing vanishes silently. */
#include "picture_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 480, HEIGHT = 240 }; /* no larger: on a phone its letters must still be read */
static const double right = 20, bottom = 46;

typedef struct {
    const at_plot *p;
    at_draw_axis x, y;
    double left, top;
    int dropped;
    double *px, *py; /* one series in the units of the picture; the longest fits */
    char *title[2];  /* its lines; the second may be NULL */
    char **label;    /* (n_series) */
    double *legend_x, *legend_y;
    double h;
} plot;

static double place_x(const plot *q, double c)
{
    return q->left + (WIDTH - q->left - right) * (c - q->x.lo) / (q->x.hi - q->x.lo);
}

static double place_y(const plot *q, double c)
{
    return q->top + HEIGHT - HEIGHT * (c - q->y.lo) / (q->y.hi - q->y.lo);
}

static at_draw_paint series_paint(const plot *q, int k)
{
    const at_series *s = &q->p->series[k];
    int before = 0; /* of the same role */
    for (int i = 0; i < k; i++)
        before += q->p->series[i].role == s->role;
    at_draw_paint paint = at_draw_role(s->role, s->shade > 0 ? s->shade - 1 : before);
    paint.alpha *= s->line == AT_LINE_THIN ? 0.45 : 1;
    return paint;
}

static double series_width(const at_series *s)
{
    static const double width[] = {2, 0.9, 2.6};
    return width[s->line];
}

static bool in_legend(const at_series *s)
{
    return s->line != AT_LINE_THIN && s->label && *s->label;
}

static bool has_markers(const at_series *s)
{
    return !s->dashed && s->line == AT_LINE_MARKED;
}

static void series_draw(const plot *q, at_draw_canvas *c, int k)
{
    const at_series *s = &q->p->series[k];
    at_draw_paint paint = series_paint(q, k);
    int n = 0;
    for (int i = 0; i <= s->n; i++) {
        bool point = i < s->n && at_draw_axis_takes(&q->x, s->x[i]) && at_draw_axis_takes(&q->y, s->y[i]);
        if (point) {
            q->px[n] = place_x(q, at_draw_axis_at(&q->x, s->x[i]));
            q->py[n] = place_y(q, at_draw_axis_at(&q->y, s->y[i]));
            n++;
            continue;
        }
        if (n > 1) /* a gap, or the end */
            at_draw_path(c, q->px, q->py, n, series_width(s), s->dashed, paint);
        for (int j = 0; j < n && (has_markers(s) || n == 1); j++)
            at_draw_marker(c, q->px[j], q->py[j], 3.5, k, paint);
        n = 0;
    }
}

static void plot_draw(const void *ctx, at_draw_canvas *c)
{
    const plot *q = ctx;
    const at_plot *p = q->p;
    for (int k = 0; k < 2; k++)
        at_draw_text(c, 12, q->title[1] ? 16 + 17 * k : 24, q->title[1] ? 13 : 14, AT_DRAW_LEFT, false, true,
                     at_draw_ink, q->title[k] ? q->title[k] : "");
    for (int i = 0; i < q->x.n; i++)
        at_draw_line(c, place_x(q, q->x.tick[i]), q->top, place_x(q, q->x.tick[i]), q->top + HEIGHT, 1,
                     at_draw_hair);
    for (int i = 0; i < q->y.n; i++)
        at_draw_line(c, q->left, place_y(q, q->y.tick[i]), WIDTH - right, place_y(q, q->y.tick[i]), 1,
                     at_draw_hair);
    for (int i = 0; i < q->x.n; i++)
        at_draw_text(c, place_x(q, q->x.tick[i]), q->top + HEIGHT + 16, 11, AT_DRAW_MIDDLE, false, false,
                     at_draw_faint, q->x.label[i]);
    for (int i = 0; i < q->y.n; i++)
        at_draw_text(c, q->left - 7, place_y(q, q->y.tick[i]) + 4, 11, AT_DRAW_RIGHT, false, false,
                     at_draw_faint, q->y.label[i]);
    at_draw_line(c, q->left, q->top, q->left, q->top + HEIGHT, 1.2, at_draw_faint);
    at_draw_line(c, q->left, q->top + HEIGHT, WIDTH - right, q->top + HEIGHT, 1.2, at_draw_faint);
    at_draw_text(c, (q->left + WIDTH - right) / 2, q->top + HEIGHT + 36, 12, AT_DRAW_MIDDLE, false, false,
                 at_draw_ink, p->xlabel ? p->xlabel : "");
    at_draw_text(c, 18, q->top + HEIGHT / 2.0, 12, AT_DRAW_MIDDLE, true, false, at_draw_ink,
                 p->ylabel ? p->ylabel : "");
    for (int layer = 0; layer < 4; layer++) /* theory, single runs, what was measured, medians */
        for (int k = 0; k < p->n_series; k++) {
            static const int above[] = {2, 1, 3};
            if (layer == (p->series[k].dashed ? 0 : above[p->series[k].line]))
                series_draw(q, c, k);
        }
    for (int k = 0; k < p->n_series; k++) {
        const at_series *s = &p->series[k];
        if (!in_legend(s))
            continue;
        double x = q->legend_x[k], y = q->legend_y[k];
        at_draw_paint paint = series_paint(q, k);
        at_draw_path(c, (double[]){x, x + 26}, (double[]){y - 4, y - 4}, 2, series_width(s), s->dashed,
                     paint);
        if (has_markers(s))
            at_draw_marker(c, x + 13, y - 4, 3.5, k, paint);
    }
    for (int k = 0; k < p->n_series; k++)
        if (in_legend(&p->series[k]))
            at_draw_text(c, q->legend_x[k] + 32, q->legend_y[k], 11, AT_DRAW_LEFT, false, false, at_draw_ink,
                         q->label[k]);
    if (q->dropped) {
        char note[96];
        snprintf(note, sizeof note, "%d point%s cannot stand on these axes and %s left out", q->dropped,
                 q->dropped == 1 ? "" : "s", q->dropped == 1 ? "is" : "are");
        at_draw_text(c, WIDTH - right, q->top - 6, 10, AT_DRAW_RIGHT, false, false, at_draw_faint, note);
    }
}

/* One line, or two broken at a space as late as it fits; what does not fit even then is cut by at_picture_label. */
static bool title_set(plot *q, at_arena *a)
{
    const double most = WIDTH - 24;
    const char *whole = q->p->title;
    if (!whole || !*whole)
        return true;
    char *first = at_picture_label(a, whole, 14, 1e9);
    if (!first)
        return false;
    q->title[0] = first;
    if (at_draw_width(first, 14) <= most)
        return true;
    char *cut = NULL;
    for (char *s = strchr(first, ' '); s; s = strchr(s + 1, ' ')) {
        *s = '\0';
        if (at_draw_width(first, 13) <= most)
            cut = s;
        *s = ' ';
    }
    if (cut)
        *cut++ = '\0';
    else
        q->title[0] = at_picture_label(a, whole, 13, most);
    q->title[1] = at_picture_label(a, cut ? cut : "", 13, most);
    return q->title[0] && q->title[1];
}

/* Few places on a logarithmic axis have a tick each, when their labels have room: 4 8 16 32 rather than 5 10 20. */
static void ticks_at_data(plot *q)
{
    enum { MOST = 8 };
    double at[MOST];
    int n = 0;
    for (int k = 0; q->x.log && k < q->p->n_series; k++)
        for (int i = 0; i < q->p->series[k].n; i++) {
            double v = q->p->series[k].x[i];
            int j = 0;
            while (j < n && at[j] < v)
                j++;
            if (!at_draw_axis_takes(&q->x, v) || (j < n && at[j] == v))
                continue;
            if (n == MOST)
                return;
            memmove(&at[j + 1], &at[j], (size_t)(n++ - j) * sizeof *at);
            at[j] = v;
        }
    if (n < 2)
        return;
    for (int j = 0; j < n; j++) {
        char label[24];
        snprintf(label, sizeof label, "%g", at[j]);
        double room = j ? place_x(q, log10(at[j])) - place_x(q, log10(at[j - 1])) : INFINITY;
        if (at_draw_width(label, 11) + 6 > room)
            return;
    }
    q->x.n = n;
    for (int j = 0; j < n; j++) {
        q->x.tick[j] = log10(at[j]);
        snprintf(q->x.label[j], sizeof q->x.label[j], "%g", at[j]);
    }
}

static const char *title_of(const at_plot *p)
{
    return p->title && *p->title ? p->title : p->ylabel && *p->ylabel ? p->ylabel : "plot";
}

static at_status plot_render(const void *what, at_picture_kind kind, at_text *out, at_err *err)
{
    const at_plot *p = what;
    if (p->n_series < 0 || p->n_series > 64)
        return at_fail(err, AT_EDOMAIN, "%d series cannot be plotted: allowed are 0..64", p->n_series);
    plot q = {.p = p, .x = {.log = p->logx, .lo = INFINITY, .hi = -INFINITY}};
    q.y = (at_draw_axis){.log = p->logy, .lo = INFINITY, .hi = -INFINITY};
    int longest = 1;
    for (int k = 0; k < p->n_series; k++) {
        const at_series *s = &p->series[k];
        if (s->n < 0)
            return at_fail(err, AT_EDOMAIN, "series %d of the plot has %d points: at least 0 are allowed", k,
                           s->n);
        if (s->line > AT_LINE_BOLD)
            return at_fail(err, AT_EDOMAIN, "series %d of the plot has a line of no known kind", k);
        longest = s->n > longest ? s->n : longest;
        for (int i = 0; i < s->n; i++) {
            if (!at_draw_axis_takes(&q.x, s->x[i]) || !at_draw_axis_takes(&q.y, s->y[i])) {
                q.dropped++;
                continue;
            }
            at_draw_axis_grow(&q.x, s->x[i]);
            at_draw_axis_grow(&q.y, s->y[i]);
        }
    }
    at_draw_axis_finish(&q.x, 8);
    at_draw_axis_finish(&q.y, 6);
    double widest = 0;
    for (int i = 0; i < q.y.n; i++) {
        double w = at_draw_width(q.y.label[i], 11);
        widest = w > widest ? w : widest;
    }
    q.left = 18 + 10 + widest + 10;
    q.top = p->title && *p->title ? 46 : q.dropped ? 22 : 12;
    ticks_at_data(&q);

    at_arena a;
    at_arena_init(&a);
    q.px = at_new(&a, double, longest);
    q.py = at_new(&a, double, longest);
    q.label = at_new(&a, char *, p->n_series + 1);
    q.legend_x = at_new(&a, double, p->n_series + 1);
    q.legend_y = at_new(&a, double, p->n_series + 1);
    bool ok = q.px && q.py && q.label && q.legend_x && q.legend_y;
    ok = ok && title_set(&q, &a);
    bool legend = false;
    double x = q.left, y = q.top + HEIGHT + bottom + 18;
    for (int k = 0; ok && k < p->n_series; k++) {
        if (!in_legend(&p->series[k]))
            continue;
        legend = true;
        ok = (q.label[k] = at_picture_label(&a, p->series[k].label, 11, WIDTH - 60)) != NULL;
        double w = ok ? 32 + at_draw_width(q.label[k], 11) + 20 : 0;
        if (x > q.left && x + w - 20 > WIDTH - right) {
            x = q.left;
            y += 18;
        }
        if (x + w - 20 > WIDTH - 8) /* a long one begins further left */
            x = 12;
        q.legend_x[k] = x;
        q.legend_y[k] = y;
        x += w;
    }
    q.h = legend ? y + 14 : y - 18;
    at_status s = ok ? at_draw_render(kind, WIDTH, q.h, title_of(p), plot_draw, &q, out, err) : at_oom(err);
    at_arena_release(&a);
    return s;
}

at_status at_plot_svg(const at_plot *p, at_text *svg, at_err *err)
{
    return plot_render(p, AT_PICTURE_SVG, svg, err);
}

at_status at_plot_picture(const at_plot *p, at_picture_kind kind, const char *path, at_err *err)
{
    return at_draw_picture(plot_render, p, kind, path, err);
}
