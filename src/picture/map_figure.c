/* map_figure.c: the map as small multiples: a panel a row of the table, equal in style, one legend.
 *
 *     task · architecture                verdict       axes are logarithmic; the vertical one spans at least a decade
 *     unit against size, in one line or two
 *     which bits are counted
 *     |  bound, construction, trained
 *     +---------------------------
 *
 * Red below, blue above: what is proved to be needed (solid; dashed: up to a constant), and what a construction has (a line where it
 * was only shaped, discs where the ledger has checked it). Between them lies what is not known. A panel without a point has
 * words in place of axes. */
#include "picture_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const at_map_kind_names[AT_MAP_KINDS] = {[AT_MAP_PROVED] = "proved lower bound",
                                                     [AT_MAP_SHAPE] = "lower bound up to a constant",
                                                     [AT_MAP_REFUTED] = "models refuted",
                                                     [AT_MAP_BUILT] = "construction",
                                                     [AT_MAP_SAMPLED] = "construction, sampled",
                                                     [AT_MAP_CHECKED] = "construction, checked",
                                                     [AT_MAP_TRAINED] =
                                                         "trained: least width that reaches 90%",
                                                     [AT_MAP_IN_VAIN] = "trained, all in vain up to here"};

enum { COLUMNS = 3, PANEL = 376, HEIGHT = 128, TALL = 224, MARGIN = 12, WORDS_LINES = 5 };
enum { WHAT_LINES = 2, LINE = 14 };
enum { TILE = 320, TILE_HEIGHT = 150, TILE_TALL = 196 }; /* one that stands alone */
static const double right = 14, unit_font = 11;

/* How a kind is drawn: line: width, 0 none; marker: shape, -1 none. What was only sampled is a ring: it is not filled by proof. */
enum { NO_MARKER = -1, RING = -2 };
static const struct {
    at_role role;
    int marker;
    double line, alpha;
    bool dashed;
} looks[AT_MAP_KINDS] = {
    [AT_MAP_PROVED] = {AT_ROLE_BOUND, 4, 2, 1, false},
    [AT_MAP_SHAPE] = {AT_ROLE_BOUND, NO_MARKER, 2, 1, true},
    [AT_MAP_REFUTED] = {AT_ROLE_REFUTED, 3, 0, 1, false},
    [AT_MAP_BUILT] = {AT_ROLE_BUILT, NO_MARKER, 2, 1, false},
    [AT_MAP_SAMPLED] = {AT_ROLE_BUILT, RING, 0, 1, false},
    [AT_MAP_CHECKED] = {AT_ROLE_BUILT, 0, 0, 1, false},
    [AT_MAP_TRAINED] = {AT_ROLE_TRAINED, 1, 1, 1, false},
    [AT_MAP_IN_VAIN] = {AT_ROLE_TRAINED, 2, 0, 0.55, false},
};

typedef struct {
    double wide, high, left, top; /* of the panel; of the axes; what lies left of them and above */
    at_draw_axis x, y;
    char *title, *verdict, *axis;
    char *what[WHAT_LINES];   /* of a tile one, its unit */
    double unit_size;         /* a long one is smaller */
    char *bits;               /* NULL: none are counted */
    char *words[WORDS_LINES]; /* in place of axes */
    bool empty;
} plan;

typedef struct {
    const at_map_figure *m;
    plan *plans;     /* (n) */
    double *px, *py; /* the longest series fits */
    bool used[AT_MAP_KINDS];
    double legend_x[AT_MAP_KINDS], legend_y[AT_MAP_KINDS];
    int columns;
    double head, w, h, tall; /* tall: of a panel */
} figure;

static at_draw_paint paint_of(int kind)
{
    at_draw_paint p = at_draw_role(looks[kind].role, 0);
    p.alpha = looks[kind].alpha;
    return p;
}

static void mark_put(at_draw_canvas *c, double x, double y, double r, int kind, int marker)
{
    if (marker == RING)
        at_draw_ring(c, x, y, r, paint_of(kind));
    else if (marker != NO_MARKER)
        at_draw_marker(c, x, y, r, marker, paint_of(kind));
}

static double place_x(const plan *p, double x0, double v)
{
    return x0 + p->left +
           (p->wide - p->left - right) * (at_draw_axis_at(&p->x, v) - p->x.lo) / (p->x.hi - p->x.lo);
}

static double place_y(const plan *p, double y0, double v)
{
    return y0 + p->top + p->high - p->high * (at_draw_axis_at(&p->y, v) - p->y.lo) / (p->y.hi - p->y.lo);
}

static void tip_begin(at_draw_canvas *c, const at_map_tile *tile, int kind, int i)
{
    char tip[160];
    const at_map_points *s = &tile->points[kind];
    snprintf(tip, sizeof tip, "%s = %.15g: %.6g (%s)", tile->size, s->x[i], s->y[i],
             s->what ? s->what[i] : at_map_kind_names[kind]);
    at_draw_tip_begin(c, tip);
}

static void series_draw(const figure *f, int k, int kind, double x0, double y0, at_draw_canvas *c)
{
    const plan *p = &f->plans[k];
    const at_map_tile *tile = &f->m->tiles[k];
    const at_map_points *s = &tile->points[kind];
    at_draw_paint paint = paint_of(kind);
    for (int i = 0; i < s->n; i++) {
        f->px[i] = place_x(p, x0, s->x[i]);
        f->py[i] = place_y(p, y0, s->y[i]);
    }
    if (looks[kind].line > 0 && s->n > 1)
        at_draw_path(c, f->px, f->py, s->n, looks[kind].line, looks[kind].dashed, paint);
    int marker =
        looks[kind].marker == NO_MARKER && s->n == 1 ? 0 : looks[kind].marker; /* one point is no line */
    for (int i = 0; i < s->n && marker != NO_MARKER; i++) {
        tip_begin(c, tile, kind, i);
        mark_put(c, f->px[i], f->py[i], 3.4, kind, marker);
        at_draw_tip_end(c);
    }
}

/* Where a tick lies. */
static double tick_x(const plan *p, double x0, int i)
{
    return x0 + p->left + (p->wide - p->left - right) * (p->x.tick[i] - p->x.lo) / (p->x.hi - p->x.lo);
}

static double tick_y(const plan *p, double y0, int i)
{
    return y0 + p->top + p->high - p->high * (p->y.tick[i] - p->y.lo) / (p->y.hi - p->y.lo);
}

static void axes_draw(const plan *p, double x0, double y0, at_draw_canvas *c)
{
    double low = y0 + p->top + p->high, end = x0 + p->wide - right;
    for (int i = 0; i < p->x.n; i++)
        at_draw_line(c, tick_x(p, x0, i), y0 + p->top, tick_x(p, x0, i), low, 1, at_draw_hair);
    for (int i = 0; i < p->y.n; i++)
        at_draw_line(c, x0 + p->left, tick_y(p, y0, i), end, tick_y(p, y0, i), 1, at_draw_hair);
    for (int i = 0; i < p->x.n; i++)
        at_draw_text(c, tick_x(p, x0, i), low + 14, 10, AT_DRAW_MIDDLE, false, false, at_draw_faint,
                     p->x.label[i]);
    for (int i = 0; i < p->y.n; i++)
        at_draw_text(c, x0 + p->left - 5, tick_y(p, y0, i) + 3.5, 10, AT_DRAW_RIGHT, false, false,
                     at_draw_faint, p->y.label[i]);
    at_draw_line(c, x0 + p->left, y0 + p->top, x0 + p->left, low, 1.2, at_draw_faint);
    at_draw_line(c, x0 + p->left, low, end, low, 1.2, at_draw_faint);
}

/* The axes and what stands on them; words, where there is nothing. */
static void plot_draw(const figure *f, int k, double x0, double y0, at_draw_canvas *c)
{
    /* what lies below is drawn first */
    static const int order[AT_MAP_KINDS] = {AT_MAP_SHAPE,   AT_MAP_PROVED,  AT_MAP_BUILT,   AT_MAP_REFUTED,
                                            AT_MAP_IN_VAIN, AT_MAP_TRAINED, AT_MAP_SAMPLED, AT_MAP_CHECKED};
    const plan *p = &f->plans[k];
    for (int i = 0; p->empty && i < WORDS_LINES && p->words[i]; i++)
        at_draw_text(c, x0 + p->left, y0 + p->top + 36 + 16 * i, 11, AT_DRAW_LEFT, false, false,
                     at_draw_faint, p->words[i]);
    if (p->empty)
        return;
    axes_draw(p, x0, y0, c);
    for (int i = 0; i < AT_MAP_KINDS; i++)
        series_draw(f, k, order[i], x0, y0, c);
}

static void panel_draw(const figure *f, int k, at_draw_canvas *c)
{
    static const at_draw_rgb alarm = {0xC0, 0x20, 0x20};
    const plan *p = &f->plans[k];
    double x0 = MARGIN + PANEL * (k % f->columns), y0 = f->head + f->tall * (k / f->columns);
    bool wrong = f->m->tiles[k].wrong;
    at_draw_text(c, x0 + 8, y0 + 16, 12.5, AT_DRAW_LEFT, false, true, at_draw_ink, p->title);
    at_draw_text(c, x0 + p->wide - right, y0 + 16, 11, AT_DRAW_RIGHT, false, true,
                 wrong ? at_draw_solid(alarm) : at_draw_ink, p->verdict);
    double y = y0 + 32;
    for (int i = 0; i < WHAT_LINES && p->what[i]; i++, y += LINE)
        at_draw_text(c, x0 + 8, y, 10.5, AT_DRAW_LEFT, false, false, at_draw_faint, p->what[i]);
    if (p->bits)
        at_draw_text(c, x0 + 8, y, 10, AT_DRAW_LEFT, false, false, at_draw_faint, p->bits);
    plot_draw(f, k, x0, y0, c);
}

static void figure_draw(const void *ctx, at_draw_canvas *c)
{
    const figure *f = ctx;
    at_draw_text(c, MARGIN + 8, 26, 15, AT_DRAW_LEFT, false, true, at_draw_ink,
                 "Least size against problem size");
    for (int kind = 0; kind < AT_MAP_KINDS; kind++) {
        if (!f->used[kind])
            continue;
        double x = f->legend_x[kind], y = f->legend_y[kind];
        at_draw_paint paint = paint_of(kind);
        if (looks[kind].line > 0)
            at_draw_path(c, (double[]){x, x + 26}, (double[]){y - 4, y - 4}, 2, looks[kind].line,
                         looks[kind].dashed, paint);
        mark_put(c, x + 13, y - 4, 3.4, kind, looks[kind].marker);
        at_draw_text(c, x + 32, y, 11, AT_DRAW_LEFT, false, false, at_draw_ink, at_map_kind_names[kind]);
    }
    for (int k = 0; k < f->m->n; k++)
        panel_draw(f, k, c);
}

/* ---- plans ------------------------------------------------------------------------------------------------- */

/* Few sizes are their own labels. */
static void sizes_plan(at_draw_axis *a, const at_map_points *p)
{
    if (p->n < 2 || p->n > 5)
        return;
    a->n = p->n;
    for (int i = 0; i < p->n; i++) {
        a->tick[i] = at_draw_axis_at(a, p->x[i]);
        snprintf(a->label[i], sizeof a->label[i], "%g", p->x[i]);
    }
}

/* At least a decade, so that a constant looks like one; a few labels, powers of ten rather than others. */
static void axis_plan(at_draw_axis *a, double least, double room, bool across)
{
    double missing = least - (a->hi - a->lo);
    if (missing > 0) {
        a->lo -= missing / 2;
        a->hi += missing / 2;
    }
    at_draw_axis_finish(a, 4);
    double needed = 0;
    bool exponents = false; /* multiples of powers of ten beside these */
    for (int i = 0; i < a->n; i++) {
        needed += across ? at_draw_width(a->label[i], 10) + 12 : 20;
        exponents = exponents || strstr(a->label[i], "\xC2\xB7");
    }
    if (needed <= room && !exponents)
        return;
    int k = 0;
    for (int i = 0; i < a->n; i++)
        if (fabs(a->tick[i] - round(a->tick[i])) < 1e-9) {
            a->tick[k] = a->tick[i];
            memmove(a->label[k++], a->label[i], sizeof a->label[i]);
        }
    a->n = k;
}

/* Words in lines that fit; what is longer ends with an ellipsis (at_picture_label). */
static bool words_plan(char **lines, int most, const char *s, double size, double room, at_arena *a)
{
    char *rest = at_picture_label(a, s, size, 1e9);
    for (int i = 0; rest && *rest && i < most; i++) {
        char *cut = NULL;
        if (at_draw_width(rest, size) > room && i + 1 < most)
            for (char *b = strchr(rest, ' '); b; b = strchr(b + 1, ' ')) {
                *b = '\0';
                bool fits = at_draw_width(rest, size) <= room;
                *b = ' ';
                if (!fits)
                    break;
                cut = b;
            }
        if (cut)
            *cut = '\0';
        lines[i] = at_picture_label(a, rest, size, room);
        if (!lines[i])
            return false;
        rest = cut ? cut + 1 : rest + strlen(rest);
    }
    return rest != NULL;
}

/* What is drawn inside the axes. */
static bool plot_plan(figure *f, int k, at_arena *a)
{
    const at_map_tile *tile = &f->m->tiles[k];
    plan *p = &f->plans[k];
    p->x = p->y = (at_draw_axis){.log = true, .lo = INFINITY, .hi = -INFINITY};
    p->empty = true;
    for (int kind = 0; kind < AT_MAP_KINDS; kind++)
        for (int i = 0; i < tile->points[kind].n; i++) {
            at_draw_axis_grow(&p->x, tile->points[kind].x[i]);
            at_draw_axis_grow(&p->y, tile->points[kind].y[i]);
            p->empty = false;
            f->used[kind] = true;
        }
    if (!p->empty) {
        axis_plan(&p->x, 0.3, p->wide - p->left - right, true);
        if (tile->own_labels)
            sizes_plan(&p->x, &tile->points[AT_MAP_BUILT]);
        axis_plan(&p->y, 1, p->high, false);
    }
    return !p->empty || words_plan(p->words, WORDS_LINES, tile->words, 11, p->wide - p->left - right, a);
}

static bool panel_plan(figure *f, int k, at_arena *a)
{
    const at_map_tile *tile = &f->m->tiles[k];
    plan *p = &f->plans[k];
    p->wide = PANEL;
    p->high = HEIGHT;
    p->left = 46;
    bool plot = plot_plan(f, k, a);
    char *title = at_arena_printf(a, "%s \xC2\xB7 %s", tile->task, tile->architecture);
    char *what = at_arena_printf(a, "%s against %s", tile->unit, tile->axis ? tile->axis : tile->size);
    double room = p->wide - 8 - right;
    p->verdict = at_picture_label(a, tile->verdict, 11, room / 2);
    p->title = title && p->verdict
                   ? at_picture_label(a, title, 12.5, room - at_draw_width(p->verdict, 11) - 12)
                   : NULL;
    p->bits = tile->bits ? at_picture_label(a, tile->bits, 10, room) : NULL;
    return plot && p->title && (p->bits || !tile->bits) && what &&
           words_plan(p->what, WHAT_LINES, what, 10.5, room, a);
}

/* All panels have the room above their axes that the one with the most lines needs. */
static void tops_plan(figure *f)
{
    double more = 0;
    for (int k = 0; k < f->m->n; k++)
        more = f->plans[k].what[1] ? LINE : more;
    for (int k = 0; k < f->m->n; k++)
        f->plans[k].top = 58 + more;
    f->tall = TALL + more;
}

/* Few panels stand in a row; many make a page that is a little wider than high. */
static int columns_of(int n)
{
    int columns = COLUMNS;
    while (columns * PANEL < 1.2 * TALL * ((n + columns - 1) / columns))
        columns++;
    return columns;
}

static void legend_plan(figure *f)
{
    double x = MARGIN + 8, y = 48;
    for (int kind = 0; kind < AT_MAP_KINDS; kind++) {
        if (!f->used[kind])
            continue;
        double w = 32 + at_draw_width(at_map_kind_names[kind], 11);
        if (x > MARGIN + 8 && x + w > f->w - MARGIN) {
            x = MARGIN + 8;
            y += 18;
        }
        f->legend_x[kind] = x;
        f->legend_y[kind] = y;
        x += w + 22;
    }
    f->head = y + 14;
}

/* Room for the longest series; false: out of memory. */
static bool figure_make(figure *f, const at_map_figure *m, at_arena *a)
{
    int longest = 1;
    for (int k = 0; k < m->n; k++)
        for (int i = 0; i < AT_MAP_KINDS; i++)
            longest = m->tiles[k].points[i].n > longest ? m->tiles[k].points[i].n : longest;
    int columns = columns_of(m->n);
    *f = (figure){.m = m, .columns = columns, .w = 2 * MARGIN + columns * PANEL};
    f->plans = at_new(a, plan, m->n + 1);
    f->px = at_new(a, double, longest);
    f->py = at_new(a, double, longest);
    return f->plans && f->px && f->py;
}

static at_status map_render(const void *what, at_picture_kind kind, at_text *out, at_err *err)
{
    const at_map_figure *m = what;
    at_arena a;
    at_arena_init(&a);
    figure f;
    bool ok = figure_make(&f, m, &a);
    for (int k = 0; ok && k < m->n; k++)
        ok = panel_plan(&f, k, &a);
    legend_plan(&f);
    if (ok)
        tops_plan(&f);
    f.h = f.head + f.tall * ((m->n + f.columns - 1) / f.columns) + MARGIN;
    at_status s =
        ok ? at_draw_render(kind, f.w, f.h, "Least size against problem size", figure_draw, &f, out, err)
           : at_oom(err);
    at_arena_release(&a);
    return s;
}

/* ---- one tile, one mark: for a page that has words of its own ------------------------------------------------ */

static void tile_draw(const void *ctx, at_draw_canvas *c)
{
    const figure *f = ctx;
    const plan *p = &f->plans[0];
    plot_draw(f, 0, 0, 0, c);
    if (p->empty)
        return;
    at_draw_text(c, (p->left + p->wide - right) / 2, TILE_TALL - 6, 11, AT_DRAW_MIDDLE, false, false,
                 at_draw_ink, p->axis);
    bool small = p->unit_size < unit_font; /* then it has the height of the tile */
    at_draw_text(c, 11, small ? TILE_TALL / 2.0 : p->top + p->high / 2, p->unit_size, AT_DRAW_MIDDLE, true,
                 false, at_draw_ink, p->what[0]);
}

at_status at_map_tile_svg(const at_map_tile *tile, at_text *svg, at_err *err)
{
    const at_map_figure one = {1, tile};
    at_arena a;
    at_arena_init(&a);
    figure f;
    bool ok = figure_make(&f, &one, &a);
    if (ok) {
        plan *p = &f.plans[0];
        p->wide = TILE;
        p->high = TILE_HEIGHT;
        p->left = 56;
        p->top = 10;
        bool fits = at_draw_width(tile->unit, unit_font) <= TILE_HEIGHT + 20;
        p->unit_size = fits ? unit_font : 9;
        p->what[0] = at_picture_label(&a, tile->unit, p->unit_size, fits ? TILE_HEIGHT + 20 : TILE_TALL - 4);
        p->axis = at_picture_label(&a, tile->axis ? tile->axis : tile->size, unit_font, TILE - p->left);
        ok = p->what[0] && p->axis && plot_plan(&f, 0, &a);
    }
    char *title =
        ok ? at_arena_printf(&a, "%s, %s: %s", tile->task, tile->architecture, tile->verdict) : NULL;
    at_status s =
        title ? at_draw_render(AT_PICTURE_SVG, TILE, TILE_TALL, title, tile_draw, &f, svg, err) : at_oom(err);
    at_arena_release(&a);
    return s;
}

static void mark_draw(const void *ctx, at_draw_canvas *c)
{
    int kind = (int)*(const at_map_kind *)ctx;
    if (looks[kind].line > 0)
        at_draw_path(c, (double[]){1, 27}, (double[]){7, 7}, 2, looks[kind].line, looks[kind].dashed,
                     paint_of(kind));
    mark_put(c, 14, 7, 3.8, kind, looks[kind].marker);
}

at_status at_map_mark_svg(at_map_kind kind, at_text *svg, at_err *err)
{
    return at_draw_render(AT_PICTURE_SVG, 28, 14, at_map_kind_names[kind], mark_draw, &kind, svg, err);
}

at_status at_map_figure_svg(const at_map_figure *m, at_text *svg, at_err *err)
{
    return map_render(m, AT_PICTURE_SVG, svg, err);
}

at_status at_map_figure_picture(const at_map_figure *m, at_picture_kind kind, const char *path, at_err *err)
{
    return at_draw_picture(map_render, m, kind, path, err);
}
