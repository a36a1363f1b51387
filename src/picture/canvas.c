/* canvas.c: one set of drawing calls, two renderers.
 *
 * PNG and PDF are drawn by cairo. SVG is written here as text, not by cairo: text stays text (it can be
 * searched, selected, read aloud), cells carry tooltips, the ink is currentColor so that a dark page may
 * show it, and no ids are used, so that many pictures fit into one page without clashing.
 *
 * Everything is rendered into memory first; a file is written last, whole or not at all. cairo's
 * errors are sticky on the context, ours on the at_text, so drawing calls return nothing and at_draw_render
 * asks once at the end. */
#include "picture_internal.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>

struct at_draw_canvas {
    at_text *svg; /* NULL when cr draws */
    cairo_t *cr;
    bool oom;                /* sticky: a text could not be cleaned */
    double cell, gap;        /* of the matrix being drawn */
    double cells_x, cells_y; /* cairo only; SVG uses a transform */
};

static const at_draw_rgb ink_rgb = {0x1b, 0x1f, 0x24};
const at_draw_paint at_draw_ink = {{0x1b, 0x1f, 0x24}, true, 1};
const at_draw_paint at_draw_faint = {{0x1b, 0x1f, 0x24}, true, 0.66};
const at_draw_paint at_draw_hair = {{0x1b, 0x1f, 0x24}, true, 0.22};

at_draw_paint at_draw_solid(at_draw_rgb c)
{
    return (at_draw_paint){c, false, 1};
}

/* ---- paints -------------------------------------------------------------------------------- */

static void svg_paint(at_draw_canvas *c, const char *attribute, at_draw_paint p)
{
    if (p.ink)
        at_text_addf(c->svg, " %s=\"currentColor\"", attribute);
    else
        at_text_addf(c->svg, " %s=\"#%02x%02x%02x\"", attribute, p.rgb.r, p.rgb.g, p.rgb.b);
    if (p.alpha < 1)
        at_text_addf(c->svg, " %s-opacity=\"%.3g\"", attribute, p.alpha);
}

static void cairo_paint_set(at_draw_canvas *c, at_draw_paint p)
{
    at_draw_rgb k = p.ink ? ink_rgb : p.rgb;
    cairo_set_source_rgba(c->cr, k.r / 255.0, k.g / 255.0, k.b / 255.0, p.alpha);
}

/* ---- shapes -------------------------------------------------------------------------------- */

void at_draw_rect(at_draw_canvas *c, double x, double y, double w, double h, at_draw_paint p)
{
    if (c->svg) {
        at_text_addf(c->svg, "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\"", x, y, w, h);
        svg_paint(c, "fill", p);
        at_text_add(c->svg, "/>\n");
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
        at_text_add(c->svg, "<path fill=\"none\" stroke-linejoin=\"round\"");
        svg_paint(c, "stroke", p);
        at_text_addf(c->svg, " stroke-width=\"%.3g\"%s d=\"", width,
                     dashed ? " stroke-dasharray=\"6 4\"" : "");
        for (int i = 0; i < n; i++)
            at_text_addf(c->svg, "%s%.6g %.6g", i ? "L" : "M", x[i], y[i]);
        at_text_add(c->svg, "\"/>\n");
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
        if (shape == 0) {
            at_text_addf(c->svg, "<circle cx=\"%.6g\" cy=\"%.6g\" r=\"%.3g\"", x, y, r);
        } else {
            at_text_add(c->svg, "<path d=\"");
            for (int i = 0; i < corners[shape]; i++)
                at_text_addf(c->svg, "%s%.6g %.6g", i ? "L" : "M", x + r * corner[shape][i][0],
                             y + r * corner[shape][i][1]);
            at_text_add(c->svg, "z\"");
        }
        svg_paint(c, "fill", p);
        at_text_add(c->svg, "/>\n");
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

void at_draw_text(at_draw_canvas *c, double x, double y, double size, at_draw_anchor anchor, bool upright,
                  bool bold, at_draw_paint p, const char *s)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    if (c->svg) {
        at_text_addf(c->svg, "<text x=\"%.6g\" y=\"%.6g\" font-size=\"%.3g\"%s%s", x, y, size,
                     anchors[anchor], bold ? " font-weight=\"600\"" : "");
        if (upright)
            at_text_addf(c->svg, " transform=\"rotate(-90 %.6g %.6g)\"", x, y);
        svg_paint(c, "fill", p);
        at_text_add(c->svg, ">");
        at_text_add_html(c->svg, s);
        at_text_add(c->svg, "</text>\n");
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
        at_text_addf(c->svg,
                     "<g class=\"at-cells\" transform=\"translate(%.6g %.6g) scale(%.6g)\" "
                     "shape-rendering=\"crispEdges\">\n",
                     x, y, cell);
    else
        cairo_set_antialias(c->cr, CAIRO_ANTIALIAS_NONE);
}

void at_draw_cell(at_draw_canvas *c, int column, int row, at_draw_rgb rgb, const char *tip)
{
    double side = 1 - c->gap / c->cell; /* in cells */
    if (c->svg) {
        at_text_addf(c->svg, "<path fill=\"#%02x%02x%02x\" d=\"M%d %dh%.3gv%.3gh-%.3gz\"", rgb.r, rgb.g,
                     rgb.b, column, row, side, side, side);
        if (tip) {
            at_text_add(c->svg, "><title>");
            at_text_add_html(c->svg, tip);
            at_text_add(c->svg, "</title></path>\n");
        } else {
            at_text_add(c->svg, "/>\n");
        }
        return;
    }
    cairo_paint_set(c, at_draw_solid(rgb));
    cairo_rectangle(c->cr, c->cells_x + column * c->cell, c->cells_y + row * c->cell, side * c->cell,
                    side * c->cell);
    cairo_fill(c->cr);
}

void at_draw_cells_end(at_draw_canvas *c)
{
    if (c->svg)
        at_text_add(c->svg, "</g>\n");
    else
        cairo_set_antialias(c->cr, CAIRO_ANTIALIAS_DEFAULT);
}

void at_draw_tip_begin(at_draw_canvas *c, const char *tip)
{
    if (!c->svg)
        return;
    at_text_add(c->svg, "<g><title>");
    at_text_add_html(c->svg, tip);
    at_text_add(c->svg, "</title>\n");
}

void at_draw_tip_end(at_draw_canvas *c)
{
    if (c->svg)
        at_text_add(c->svg, "</g>\n");
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
    draw(ctx, &c);
    at_text_add(out, "</svg>\n");
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
