/* canvas.c: one set of drawing calls, two renderers.
 *
 * PNG and PDF are drawn by cairo. SVG is written here as text, not by cairo: text stays text (it can be
 * searched, selected, read aloud), cells carry tooltips, the ink is currentColor so that a dark page may
 * show it, and no ids are used but those that a page has asked for, so that many pictures fit into one page without
 * clashing. It is kept small, because many stand in one report: texts of one style share a group, boxes and markers of
 * one colour a path, as do cells without tooltips, of which one colour is drawn as a square below the others; discs are
 * the round ends of lines without length.
 *
 * Everything is rendered into memory first; a file is written last, whole or not at all. cairo's
 * errors are sticky on the context, ours on the at_text, so drawing calls return nothing and at_draw_render
 * asks once at the end. */
#include "picture_internal.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct at_draw_canvas {
    at_text *svg; /* NULL when cr draws */
    cairo_t *cr;
    bool oom;                                      /* sticky: a text could not be cleaned */
    double cell, gap;                              /* of the matrix being drawn */
    double cells_x, cells_y;                       /* cairo only; SVG uses a transform */
    enum { SHUT, TEXTS, LINES, BOXES, DOTS } open; /* SVG: the element that more may be added to */
    char style[160];                               /* its attributes */
    double box_x, box_y;                           /* BOXES: where the last one began */
    at_text texts;                                 /* TEXTS: what they say, escaped, each with its NUL, */
    struct place *places;                          /* and where they stand */
    size_t n_texts, cap_texts;
    struct patch *cells; /* SVG: those without a tooltip, until the matrix ends */
    size_t n_cells, cap;
    const char *ids; /* SVG: of what is shared; NULL: nothing is */
    bool shared;     /* it is drawn, there: */
    double shared_x, shared_y;
};

/* Where a text stands, in the coordinates of its group. */
typedef struct place {
    double x, y;
} place;

/* A cell that waits for others of its colour. */
typedef struct patch {
    uint32_t rgb;
    int row, column;
} patch;

static const at_draw_rgb ink_rgb = {0x1b, 0x1f, 0x24};
const at_draw_paint at_draw_ink = {{0x1b, 0x1f, 0x24}, true, 1};
const at_draw_paint at_draw_faint = {{0x1b, 0x1f, 0x24}, true, 0.66};
const at_draw_paint at_draw_hair = {{0x1b, 0x1f, 0x24}, true, 0.22};

at_draw_paint at_draw_solid(at_draw_rgb c)
{
    return (at_draw_paint){c, false, 1};
}

/* ---- paints -------------------------------------------------------------------------------- */

static void cairo_paint_set(at_draw_canvas *c, at_draw_paint p)
{
    at_draw_rgb k = p.ink ? ink_rgb : p.rgb;
    cairo_set_source_rgba(c->cr, k.r / 255.0, k.g / 255.0, k.b / 255.0, p.alpha);
}

/* The texts of a style: one has it itself, several have a group, that stands where all of them do when they lie in a line. */
static void svg_texts(at_draw_canvas *c)
{
    at_text *t = c->svg;
    const place *p = c->places;
    bool same_x = c->n_texts > 2, same_y = same_x;
    for (size_t i = 1; i < c->n_texts; i++) {
        same_x = same_x && p[i].x == p[0].x;
        same_y = same_y && p[i].y == p[0].y;
    }
    double dx = same_x ? p[0].x : 0, dy = same_y ? p[0].y : 0;
    const char *say = c->texts.s, *turned = strstr(c->style, " transform=\"rotate(-90)\"");
    if (same_x || same_y) {
        at_text_addf(t, "<g%.*s", (int)(turned ? turned - c->style : (long)strlen(c->style)), c->style);
        at_text_addf(t, " transform=\"%stranslate(%.6g", turned ? "rotate(-90) " : "", dx);
        if (same_y)
            at_text_addf(t, " %.6g", dy);
        at_text_addf(t, ")\"%s>\n", turned ? turned + strlen(" transform=\"rotate(-90)\"") : "");
    } else if (c->n_texts > 1)
        at_text_addf(t, "<g%s>\n", c->style);
    for (size_t i = 0; i < c->n_texts; i++) {
        at_text_addf(t, "<text%s", c->n_texts == 1 ? c->style : "");
        if (!same_x)
            at_text_addf(t, " x=\"%.6g\"", p[i].x);
        if (!same_y)
            at_text_addf(t, " y=\"%.6g\"", p[i].y);
        at_text_addf(t, ">%s</text>\n", say);
        say += strlen(say) + 1;
    }
    at_text_add(t, c->n_texts > 1 ? "</g>\n" : "");
    c->n_texts = 0;
    c->texts.n = 0;
}

/* The SVG, when something else comes than what is open. */
static at_text *svg_of(at_draw_canvas *c)
{
    static const char *const end[] = {"", "", "\"/>\n", "\"/>\n", "\"/>\n"};
    if (c->open == TEXTS && !c->texts.oom)
        svg_texts(c);
    at_text_add(c->svg, end[c->open]);
    c->open = SHUT;
    return c->svg;
}

/* Is such an element with these attributes open? Else it will be: the caller writes its beginning. */
static bool svg_goes_on(at_draw_canvas *c, int kind, const char *style)
{
    if ((int)c->open == kind && strcmp(style, c->style) == 0)
        return true;
    svg_of(c);
    c->open = kind;
    snprintf(c->style, sizeof c->style, "%s", style);
    return false;
}

/* "fill=\"#0072b2\" fill-opacity=\"0.4\"" */
static int paint_print(char *out, size_t n, const char *attribute, at_draw_paint p)
{
    char color[16] = "currentColor", alpha[48] = "";
    if (!p.ink)
        snprintf(color, sizeof color, "#%02x%02x%02x", p.rgb.r, p.rgb.g, p.rgb.b);
    if (p.alpha < 1)
        snprintf(alpha, sizeof alpha, " %s-opacity=\"%.3g\"", attribute, p.alpha);
    return snprintf(out, n, " %s=\"%s\"%s", attribute, color, alpha);
}

static void svg_paint(at_draw_canvas *c, const char *attribute, at_draw_paint p)
{
    char paint[80];
    paint_print(paint, sizeof paint, attribute, p);
    at_text_add(c->svg, paint);
}

/* A tenth of a unit is less than anybody sees. */
static double tenth(double v)
{
    return round(10 * v) / 10 + 0.0; /* no -0 */
}

/* ---- shapes -------------------------------------------------------------------------------- */

void at_draw_rect(at_draw_canvas *c, double x, double y, double w, double h, at_draw_paint p)
{
    if (c->svg) {
        char style[sizeof c->style];
        paint_print(style, sizeof style, "fill", p);
        bool on = svg_goes_on(c, BOXES, style);
        if (!on)
            at_text_addf(c->svg, "<path%s d=\"", style);
        at_text_addf(c->svg, "%s%.6g %.6gh%.6gv%.6gh%.6gz", on ? "m" : "M",
                     tenth(tenth(x) - (on ? c->box_x : 0)), tenth(tenth(y) - (on ? c->box_y : 0)), tenth(w),
                     tenth(h), -tenth(w));
        c->box_x = tenth(x);
        c->box_y = tenth(y);
        return;
    }
    cairo_paint_set(c, p);
    cairo_rectangle(c->cr, x, y, w, h);
    cairo_fill(c->cr);
}

void at_draw_path(at_draw_canvas *c, const double *x, const double *y, int n, double width, bool dashed,
                  at_draw_paint p)
{
    if (n < 1)
        return;
    if (c->svg) {
        char style[sizeof c->style], paint[80];
        paint_print(paint, sizeof paint, "stroke", p);
        snprintf(style, sizeof style, "%s stroke-width=\"%.3g\"%s", paint, width,
                 dashed ? " stroke-dasharray=\"6 4\"" : "");
        if (!svg_goes_on(c, LINES, style))
            at_text_addf(c->svg, "<path fill=\"none\" stroke-linejoin=\"round\"%s d=\"", style);
        for (int i = 0; i < n; i++) {
            if (i && tenth(x[i]) == tenth(x[i - 1]))
                at_text_addf(c->svg, "V%.6g", tenth(y[i]));
            else if (i && tenth(y[i]) == tenth(y[i - 1]))
                at_text_addf(c->svg, "H%.6g", tenth(x[i]));
            else
                at_text_addf(c->svg, "%s%.6g %.6g", i ? "L" : "M", tenth(x[i]), tenth(y[i]));
        }
        return;
    }
    cairo_paint_set(c, p);
    cairo_set_line_width(c->cr, width);
    cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
    static const double dash[2] = {6, 4};
    cairo_set_dash(c->cr, dash, dashed ? 2 : 0, 0);
    for (int i = 0; i < n; i++)
        cairo_line_to(c->cr, x[i], y[i]); /* the first one moves: the path is empty */
    cairo_stroke(c->cr);
}

void at_draw_line(at_draw_canvas *c, double x1, double y1, double x2, double y2, double width,
                  at_draw_paint p)
{
    at_draw_path(c, (double[]){x1, x2}, (double[]){y1, y2}, 2, width, false, p);
}

void at_draw_marker(at_draw_canvas *c, double x, double y, double r, int shape, at_draw_paint p)
{
    /* corners as multiples of r: square, triangle, diamond, inverted triangle; shape 0 is a disc */
    static const int corners[AT_DRAW_MARKERS] = {0, 4, 3, 4, 3};
    static const double corner[AT_DRAW_MARKERS][4][2] = {
        {{0, 0}},
        {{-0.88, -0.88}, {0.88, -0.88}, {0.88, 0.88}, {-0.88, 0.88}},
        {{0, -1.2}, {1.1, 0.85}, {-1.1, 0.85}},
        {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}},
        {{0, 1.2}, {1.1, -0.85}, {-1.1, -0.85}},
    };
    shape %= AT_DRAW_MARKERS;
    if (c->svg) {
        char style[sizeof c->style], paint[80];
        paint_print(paint, sizeof paint, shape ? "fill" : "stroke", p);
        snprintf(style, sizeof style, shape ? "%s" : "%s stroke-width=\"%.3g\" stroke-linecap=\"round\"",
                 paint, 2 * r);
        if (!svg_goes_on(c, shape ? BOXES : DOTS, style))
            at_text_addf(c->svg, "<path%s d=\"", style);
        if (!shape)
            at_text_addf(c->svg, "M%.6g %.6gh.01", tenth(x), tenth(y));
        for (int i = 0; i < corners[shape]; i++)
            at_text_addf(c->svg, "%s%.6g %.6g", i ? "L" : "M", tenth(x + r * corner[shape][i][0]),
                         tenth(y + r * corner[shape][i][1]));
        at_text_add(c->svg, shape ? "z" : "");
        c->box_x = tenth(x + r * corner[shape][0][0]);
        c->box_y = tenth(y + r * corner[shape][0][1]);
        return;
    }
    cairo_paint_set(c, p);
    if (shape == 0)
        cairo_arc(c->cr, x, y, r, 0, 2 * 3.14159265358979323846);
    for (int i = 0; i < corners[shape]; i++)
        cairo_line_to(c->cr, x + r * corner[shape][i][0], y + r * corner[shape][i][1]);
    cairo_close_path(c->cr);
    cairo_fill(c->cr);
}

void at_draw_ring(at_draw_canvas *c, double x, double y, double r, at_draw_paint p)
{
    const double width = 1.6;
    if (c->svg) {
        at_text_addf(svg_of(c),
                     "<circle cx=\"%.6g\" cy=\"%.6g\" r=\"%.3g\" fill=\"none\" stroke-width=\"%.3g\"",
                     tenth(x), tenth(y), r, width);
        svg_paint(c, "stroke", p);
        at_text_add(c->svg, "/>\n");
        return;
    }
    cairo_paint_set(c, p);
    cairo_set_line_width(c->cr, width);
    cairo_set_dash(c->cr, NULL, 0, 0);
    cairo_arc(c->cr, x, y, r, 0, 2 * 3.14159265358979323846);
    cairo_stroke(c->cr);
}

/* What follows is of this style. */
static void svg_style(at_draw_canvas *c, double size, at_draw_anchor anchor, bool upright, bool bold,
                      at_draw_paint p)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    char style[sizeof c->style], paint[80];
    paint_print(paint, sizeof paint, "fill", p);
    snprintf(style, sizeof style, " font-size=\"%.3g\"%s%s%s%s", size, anchors[anchor],
             bold ? " font-weight=\"600\"" : "", upright ? " transform=\"rotate(-90)\"" : "", paint);
    svg_goes_on(c, TEXTS, style);
}

void at_draw_text(at_draw_canvas *c, double x, double y, double size, at_draw_anchor anchor, bool upright,
                  bool bold, at_draw_paint p, const char *s)
{
    if (!*s)
        return;
    if (c->svg) {
        svg_style(c, size, anchor, upright, bold, p);
        if (c->n_texts == c->cap_texts) {
            size_t cap = 2 * c->cap_texts + 64;
            place *grown = at_realloc(c->places, cap * sizeof *grown);
            if (!grown) {
                c->oom = true;
                return;
            }
            c->places = grown;
            c->cap_texts = cap;
        }
        /* at most half a unit beside its place; no -0 */
        c->places[c->n_texts++] = (place){round(upright ? -y : x) + 0.0, round(upright ? x : y) + 0.0};
        at_text_add_html(&c->texts, s);
        at_text_addn(&c->texts, "", 1);
        return;
    }
    at_text clean; /* cairo refuses malformed UTF-8, and then refuses everything after it */
    at_text_init(&clean);
    at_text_add_clean(&clean, s);
    if (!clean.oom) {
        cairo_paint_set(c, p);
        cairo_select_font_face(c->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                               bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(c->cr, size);
        cairo_text_extents_t e;
        cairo_text_extents(c->cr, clean.s, &e);
        cairo_save(c->cr);
        cairo_translate(c->cr, x, y);
        if (upright)
            cairo_rotate(c->cr, -3.14159265358979323846 / 2);
        cairo_move_to(c->cr, -e.x_advance * anchor / 2, 0);
        cairo_show_text(c->cr, clean.s);
        cairo_restore(c->cr);
        cairo_new_path(c->cr);
    }
    c->oom = c->oom || clean.oom;
    at_text_release(&clean);
}

/* ---- matrices ------------------------------------------------------------------------------- */

void at_draw_cells_begin(at_draw_canvas *c, double x, double y, double cell, double gap)
{
    c->cell = cell;
    c->gap = gap;
    c->cells_x = x;
    c->cells_y = y;
    if (c->svg)
        at_text_addf(svg_of(c),
                     "<g class=\"at-cells\" transform=\"translate(%.6g %.6g) scale(%.6g)\" "
                     "shape-rendering=\"crispEdges\">\n",
                     x, y, cell);
    else
        cairo_set_antialias(c->cr, CAIRO_ANTIALIAS_NONE);
}

static void svg_cell(at_draw_canvas *c, int column, int row, at_draw_rgb rgb, const char *tip)
{
    double side = 1 - c->gap / c->cell; /* in cells */
    if (tip) {
        at_text_addf(svg_of(c), "<path fill=\"#%02x%02x%02x\" d=\"M%d %dh%.3gv%.3gh-%.3gz\"><title>", rgb.r,
                     rgb.g, rgb.b, column, row, side, side, side);
        at_text_add_html(c->svg, tip);
        at_text_add(c->svg, "</title></path>\n");
        return;
    }
    if (c->n_cells == c->cap) {
        size_t cap = 2 * c->cap + 256;
        patch *grown = at_realloc(c->cells, cap * sizeof *grown);
        if (!grown) {
            c->oom = true;
            return;
        }
        c->cells = grown;
        c->cap = cap;
    }
    c->cells[c->n_cells++] = (patch){(uint32_t)rgb.r << 16 | (uint32_t)rgb.g << 8 | rgb.b, row, column};
}

void at_draw_cell(at_draw_canvas *c, int column, int row, at_draw_rgb rgb, const char *tip)
{
    double side = c->cell - c->gap;
    if (c->svg) {
        svg_cell(c, column, row, rgb, tip);
        return;
    }
    cairo_paint_set(c, at_draw_solid(rgb));
    cairo_rectangle(c->cr, c->cells_x + column * c->cell, c->cells_y + row * c->cell, side, side);
    cairo_fill(c->cr);
}

static int cell_order(const void *a, const void *b)
{
    const patch *p = a, *q = b;
    int by_color = (p->rgb > q->rgb) - (p->rgb < q->rgb), by_row = (p->row > q->row) - (p->row < q->row);
    return by_color ? by_color : by_row ? by_row : (p->column > q->column) - (p->column < q->column);
}

/* How many cells lie side by side in the colour of the first; without lines, one. */
static size_t cell_run(const patch *p, size_t n, bool lines)
{
    size_t run = 1;
    while (lines && run < n && p[run].rgb == p->rgb && p[run].row == p->row &&
           p[run].column == p->column + (int)run)
        run++;
    return run;
}

/* The colour with most runs, when every cell of the matrix is there: it is drawn below all others at once. */
static bool svg_ground(at_draw_canvas *c, uint32_t *ground)
{
    int rows = 0, columns = 0;
    size_t most = 0, runs = 0;
    for (size_t i = 0; i < c->n_cells; i++) {
        rows = c->cells[i].row >= rows ? c->cells[i].row + 1 : rows;
        columns = c->cells[i].column >= columns ? c->cells[i].column + 1 : columns;
    }
    if (!c->n_cells || c->n_cells != (size_t)rows * (size_t)columns)
        return false;
    for (size_t i = 0; i < c->n_cells; i += cell_run(&c->cells[i], c->n_cells - i, true)) {
        runs = i && c->cells[i].rgb == c->cells[i - 1].rgb ? runs + 1 : 1;
        if (runs > most) {
            most = runs;
            *ground = c->cells[i].rgb;
        }
    }
    at_text_addf(svg_of(c), "<path fill=\"#%06x\" d=\"M0 0h%dv%dh-%dz\"/>\n", (unsigned)*ground, columns,
                 rows, columns);
    return true;
}

/* A path a colour. Where nothing is left free between cells a run of them is a line as wide as a cell. */
static void svg_cells(at_draw_canvas *c)
{
    double side = 1 - c->gap / c->cell;
    bool lines = !(c->gap > 0), open = false;
    uint32_t ground = 0;
    if (c->n_cells)
        qsort(c->cells, c->n_cells, sizeof *c->cells, cell_order);
    bool below = lines && svg_ground(c, &ground);
    for (size_t i = 0, run; i < c->n_cells; i += run) {
        const patch *p = &c->cells[i];
        run = cell_run(p, c->n_cells - i, lines);
        if (below && p->rgb == ground)
            continue;
        bool first = !open || p->rgb != p[-1].rgb;
        if (first)
            at_text_addf(svg_of(c), "%s<path %s=\"#%06x\" d=\"", open ? "\"/>\n" : "",
                         lines ? "stroke" : "fill", (unsigned)p->rgb);
        open = true;
        if (lines && first)
            at_text_addf(c->svg, "M%d %d.5h%zu", p->column, p->row, run);
        else if (lines) /* from the end of the run before it */
            at_text_addf(c->svg, "m%d %dh%zu", p->column - p[-1].column - 1, p->row - p[-1].row, run);
        else
            at_text_addf(c->svg, "M%d %dh%.3gv%.3gh-%.3gz", p->column, p->row, side, side, side);
    }
    at_text_add(c->svg, open ? "\"/>\n" : "");
    c->n_cells = 0;
}

void at_draw_cells_end(at_draw_canvas *c)
{
    if (c->svg) {
        svg_cells(c);
        at_text_add(svg_of(c), "</g>\n");
    } else
        cairo_set_antialias(c->cr, CAIRO_ANTIALIAS_DEFAULT);
}

/* ---- groups ----------------------------------------------------------------------------------- */

void at_draw_ids(at_draw_canvas *c, const char *ids)
{
    c->ids = ids;
}

bool at_draw_share_begin(at_draw_canvas *c, double x, double y)
{
    if (!c->svg || !c->ids)
        return true;
    at_text_add(svg_of(c), c->shared ? "<use href=\"#" : "<g id=\"");
    at_text_add_html(c->svg, c->ids);
    if (c->shared) {
        at_text_addf(c->svg, "\" x=\"%.6g\" y=\"%.6g\"/>\n", tenth(x - c->shared_x), tenth(y - c->shared_y));
        return false;
    }
    at_text_add(c->svg, "\">\n");
    c->shared = true;
    c->shared_x = x;
    c->shared_y = y;
    return true;
}

void at_draw_share_end(at_draw_canvas *c)
{
    if (c->svg && c->ids)
        at_text_add(svg_of(c), "</g>\n");
}

void at_draw_class_begin(at_draw_canvas *c, const char *name, double x, double y)
{
    if (c->svg)
        at_text_addf(svg_of(c), "<g class=\"%s\" transform=\"translate(%.6g %.6g)\">\n", name, x, y);
    else {
        cairo_save(c->cr);
        cairo_translate(c->cr, x, y);
    }
}

void at_draw_class_end(at_draw_canvas *c)
{
    if (c->svg)
        at_text_add(svg_of(c), "</g>\n");
    else
        cairo_restore(c->cr);
}

void at_draw_tip_begin(at_draw_canvas *c, const char *tip)
{
    if (!c->svg)
        return;
    at_text_add(svg_of(c), "<g><title>");
    at_text_add_html(c->svg, tip);
    at_text_add(c->svg, "</title>\n");
}

void at_draw_tip_end(at_draw_canvas *c)
{
    if (c->svg)
        at_text_add(svg_of(c), "</g>\n");
}

/* ---- files ---------------------------------------------------------------------------------- */

static cairo_status_t text_write(void *text, const unsigned char *data, unsigned n)
{
    at_text_addn(text, (const char *)data, n);
    return ((at_text *)text)->oom ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static void svg_draw(double w, double h, const char *title, at_draw_fn *draw, const void *ctx, at_text *out)
{
    at_text_addf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.6g %.6g\" width=\"%.6g\" height=\"%.6g\" "
        "font-family=\"system-ui, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\" color=\"#1b1f24\" "
        "role=\"img\">\n<title>",
        w, h, w, h);
    at_text_add_html(out, title);
    /* white paper for a file on its own; the report's style sheet takes it away */
    at_text_addf(
        out, "</title>\n<rect class=\"at-paper\" width=\"%.6g\" height=\"%.6g\" fill=\"#ffffff\"/>\n", w, h);
    at_draw_canvas c = {.svg = out};
    at_text_init(&c.texts);
    draw(ctx, &c);
    at_text_add(svg_of(&c), "</svg>\n");
    out->oom = out->oom || c.oom || c.texts.oom;
    at_text_release(&c.texts);
    at_free(c.places);
    at_free(c.cells);
}

static cairo_status_t cairo_draw(at_picture_kind kind, double w, double h, const char *title,
                                 at_draw_fn *draw, const void *ctx, at_text *out)
{
    bool png = kind == AT_PICTURE_PNG;
    double scale = png ? 2 : 0.75; /* pixels, or points, a unit */
    cairo_surface_t *surface =
        png ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(w * scale), (int)ceil(h * scale))
            : cairo_pdf_surface_create_for_stream(text_write, out, w * scale, h * scale);
    if (!png) {
        at_text clean;
        at_text_init(&clean);
        at_text_add_clean(&clean, title);
        if (!clean.oom)
            cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, clean.s);
        out->oom = out->oom || clean.oom;
        at_text_release(&clean);
    }
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, scale, scale);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_font_options_t *font = cairo_font_options_create();
    cairo_font_options_set_antialias(font, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(font, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(font, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cr, font);
    cairo_font_options_destroy(font);
    at_draw_canvas c = {.cr = cr};
    draw(ctx, &c);
    cairo_status_t status = c.oom ? CAIRO_STATUS_NO_MEMORY : cairo_status(cr);
    cairo_destroy(cr);
    if (status == CAIRO_STATUS_SUCCESS && png)
        status = cairo_surface_write_to_png_stream(surface, text_write, out);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

at_status at_draw_render(at_picture_kind kind, double w, double h, const char *title, at_draw_fn *draw,
                         const void *ctx, at_text *out, at_err *err)
{
    at_text image;
    at_text_init(&image);
    cairo_status_t status = CAIRO_STATUS_SUCCESS;
    if (kind == AT_PICTURE_SVG)
        svg_draw(w, h, title, draw, ctx, &image);
    else
        status = cairo_draw(kind, w, h, title, draw, ctx, &image);
    at_status result = AT_OK;
    image.oom = image.oom || status == CAIRO_STATUS_NO_MEMORY;
    if (!image.oom && status != CAIRO_STATUS_SUCCESS)
        result = at_fail(err, AT_EIO, "the picture could not be drawn: %s", cairo_status_to_string(status));
    return at_text_end(result, &image, out, err);
}

at_status at_draw_picture(at_draw_renderer *render, const void *what, at_picture_kind kind, const char *path,
                          at_err *err)
{
    at_text image;
    at_text_init(&image);
    at_status s = render(what, kind, &image, err);
    if (!s)
        s = at_file_write(path, image.s, image.n, err);
    at_text_release(&image);
    return s;
}
