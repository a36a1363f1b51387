/* picture_internal.h: what the files of this module share: widths of text, a colour map, a canvas, axes. */
#ifndef ATTEST_PICTURE_INTERNAL_H
#define ATTEST_PICTURE_INTERNAL_H

#include <attest/picture.h>

/* Upper estimate of the width of clean text, at `size` units an em. Independent of installed fonts (label.c). */
double at_draw_width(const char *s, double size);

/* ---- colour (color.c) ---------------------------------------------------------------------- */

typedef struct {
    uint8_t r, g, b;
} at_draw_rgb;
at_draw_rgb at_draw_ramp(double t); /* 0 near-white .. 1 deep blue; lightness falls linearly */
double at_draw_luminance(at_draw_rgb c);

/* ---- canvas (canvas.c): draws into SVG text or into cairo, with the same calls ------------------- */

typedef struct {
    at_draw_rgb rgb;
    bool ink;     /* the colour of text: currentColor in SVG, so that a page may be dark */
    double alpha; /* 1 opaque */
} at_draw_paint;
extern const at_draw_paint at_draw_ink, at_draw_faint, at_draw_hair;
at_draw_paint at_draw_solid(at_draw_rgb c);

/* color.c: the colour of a role; shade: which of several of that role. */
at_draw_paint at_draw_role(at_role role, int shade);
at_draw_rgb at_draw_palette(int k); /* the k-th of several that have no role, from 0 on; they come again */

typedef struct at_draw_canvas at_draw_canvas;
/* Draws what ctx holds; called once. */
typedef void at_draw_fn(const void *ctx, at_draw_canvas *c);
/* Renders w by h units (CSS pixels) and appends the file image to out; out is unchanged on failure.
 * title: what a screen reader says. PNG has two pixels a unit. */
at_status at_draw_render(at_picture_kind kind, double w, double h, const char *title, at_draw_fn *draw,
                         const void *ctx, at_text *out, at_err *err);

/* A picture's own renderer: plans `what`, then calls at_draw_render. */
typedef at_status at_draw_renderer(const void *what, at_picture_kind kind, at_text *out, at_err *err);
/* Rendered in memory, then written to `path`: whole or not at all. */
at_status at_draw_picture(at_draw_renderer *render, const void *what, at_picture_kind kind, const char *path,
                          at_err *err);

/* What is drawn between the two shows `tip` under the pointer (SVG only). */
void at_draw_tip_begin(at_draw_canvas *c, const char *tip);
void at_draw_tip_end(at_draw_canvas *c);

/* What a picture repeats, at other places (x, y), an SVG with ids draws once and refers to later: it is to be drawn when
 * at_draw_share_begin says so. ids: what no other id of the page begins with, or NULL; it must outlive the drawing. */
void at_draw_ids(at_draw_canvas *c, const char *ids);
bool at_draw_share_begin(at_draw_canvas *c, double x, double y);
void at_draw_share_end(at_draw_canvas *c); /* only after a begin that said true */
/* What is drawn between the two bears a class and lies at (x, y): a page may draw it once for all its pictures. */
void at_draw_class_begin(at_draw_canvas *c, const char *name, double x, double y);
void at_draw_class_end(at_draw_canvas *c);

typedef enum { AT_DRAW_LEFT, AT_DRAW_MIDDLE, AT_DRAW_RIGHT } at_draw_anchor;
void at_draw_rect(at_draw_canvas *c, double x, double y, double w, double h, at_draw_paint p);
void at_draw_line(at_draw_canvas *c, double x1, double y1, double x2, double y2, double width,
                  at_draw_paint p);
/* y is the baseline; upright: rotated to read from bottom to top around (x, y). s may be foreign text. */
void at_draw_text(at_draw_canvas *c, double x, double y, double size, at_draw_anchor anchor, bool upright,
                  bool bold, at_draw_paint p, const char *s);
/* A polyline; dashed when asked. */
void at_draw_path(at_draw_canvas *c, const double *x, const double *y, int n, double width, bool dashed,
                  at_draw_paint p);
#define AT_DRAW_MARKERS 5
void at_draw_ring(at_draw_canvas *c, double x, double y, double r,
                  at_draw_paint p); /* a disc that is not filled */
void at_draw_marker(at_draw_canvas *c, double x, double y, double r, int shape, at_draw_paint p);
/* A matrix of square cells, `cell` units each, drawn without seams; gap: units left free between cells.
 * tip: NULL or what to show under the pointer (SVG only). */
void at_draw_cells_begin(at_draw_canvas *c, double x, double y, double cell, double gap);
void at_draw_cell(at_draw_canvas *c, int column, int row, at_draw_rgb rgb, const char *tip);
void at_draw_cells_end(at_draw_canvas *c);

/* ---- axes (axis.c) ------------------------------------------------------------------------- */

#define AT_DRAW_TICKS 24
typedef struct {
    bool log;
    bool broken;   /* a number that is no integer stands on it */
    double lo, hi; /* in drawn coordinates: the value, or its log10; begin with INFINITY, -INFINITY */
    double tick[AT_DRAW_TICKS];
    char label[AT_DRAW_TICKS][24];
    int n;
} at_draw_axis;
bool at_draw_axis_takes(const at_draw_axis *a, double v); /* can v stand on it? */
double at_draw_axis_at(const at_draw_axis *a, double v);  /* its drawn coordinate */
void at_draw_axis_grow(at_draw_axis *a, double v);
void at_draw_axis_finish(at_draw_axis *a, int wanted); /* about so many ticks */

/* ---- looks (look_plan.c) shared by the picture and the terminal ----------------------------------- */

/* Refuses a trace, output or model that do not belong together, naming the part. */
at_status at_look_check(const at_look *l, at_err *err);
/* "layer 1 head 2 · softmax · causal": layers count attention blocks, heads count through the groups. */
void at_look_head_title(const at_look *l, const at_trace_head *h, at_text *out);
/* The decision of output position p and its least margin (NaN when it has none); *known is false when
 * the arithmetic could not decide, and then the text is "?". */
void at_look_decision(const at_look *l, int p, at_text *out, double *margin, bool *known);
/* What is right there, likewise: empty where that is not known, a dash where nothing should be. */
void at_look_right(const at_look *l, int p, at_text *out);
bool at_look_wrong(const at_look *l, int p);     /* was it judged, and is it not that? */
int at_look_output_row(const at_look *l, int p); /* t of output position p */

typedef enum {
    AT_LOOK_WEIGHT,
    AT_LOOK_MASKED,
    AT_LOOK_BROKEN
} at_look_cell; /* BROKEN: not a finite number */
/* The cell of an f-fold reduced picture: the largest weight of the f*f square, MASKED when all of it is. */
at_look_cell at_look_pool(const at_look *l, const at_trace_head *h, int f, int row, int column, double *w);
double at_look_peak(const at_look *l, const at_trace_head *h); /* largest finite weight */

at_status at_heat_check(const at_heat *h, at_err *err); /* heat.c: refuses what cannot be drawn */

#endif
