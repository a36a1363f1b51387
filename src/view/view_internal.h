/* view_internal.h: what the files of this module share: clean text, a colour map, a canvas.
 *
 * The rule of the module: a string that came from a model, a ledger or a caller reaches an output only
 * through view_clean, view_html or view_column; after that it is valid UTF-8 without control characters. */
#ifndef ATTEST_VIEW_INTERNAL_H
#define ATTEST_VIEW_INTERNAL_H

#include <attest/claim.h>
#include <attest/view.h>

/* ---- text (clean.c) ------------------------------------------------------------------------ */

void view_put(at_text *t, uint32_t c); /* one code point as UTF-8 */
/* Control characters become their pictures (ESC is shown as U+241B), others that act instead of being seen U+FFFD. */
uint32_t view_visible(uint32_t c);
void view_clean(at_text *t, const char *s);      /* one line of clean UTF-8; NULL is "" */
void view_html(at_text *t, const char *s);       /* the same, escaped for HTML, XML and their attributes */
void view_html_block(at_text *t, const char *s); /* the same; newline and tab stay */
/* Columns that c takes in a terminal: 1 or 2, or 0 when that is not known for sure (draw '?'). */
int view_column(uint32_t c);
/* Upper estimate of the width of clean text, at `size` units an em. Independent of installed fonts. */
double view_width(const char *s, double size);
/* A clean copy in the arena, cut with an ellipsis to at most `max` units; blank text becomes visible. */
char *view_label(at_arena *a, const char *s, double size, double max);
/* x in at most 4 significant digits; NaN is a dash. */
const char *view_number(char out[32], double x);
/* 1234567 as 1,234,567. */
const char *view_count(char out[32], uint64_t n);

/* Ends a text that was written aside: if all went well (s is AT_OK and t is whole) it is appended to out, else out stays as it
 * was. Releases t; returns s, or out of memory. */
at_status view_text_end(at_status s, at_text *t, at_text *out, at_err *err);

/* ---- terminal lines (pen.c) ---------------------------------------------------------------- */

typedef struct {
    at_text *out;
    int columns, used;
} view_pen;
void view_pen_put(view_pen *p, uint32_t c); /* dropped when it does not fit */
void view_pen_add(view_pen *p, const char *s);
void view_pen_pad(view_pen *p, int to); /* blanks up to column `to` */
void view_pen_end(view_pen *p);         /* the line */
/* At most `most` columns of s, right-aligned in `width`. */
void view_pen_label(view_pen *p, const char *s, int width, int most);
void view_pen_wrap(view_pen *p, const char *s, int indent);
int view_columns(const char *s); /* columns of s when the pen writes it */

/* ---- colour (color.c) ---------------------------------------------------------------------- */

typedef struct {
    uint8_t r, g, b;
} view_rgb;
view_rgb view_ramp(double t); /* 0 near-white .. 1 deep blue; lightness falls linearly */
double view_luminance(view_rgb c);

/* ---- canvas (canvas.c): draws into SVG text or into cairo, with the same calls ------------------- */

typedef struct {
    view_rgb rgb;
    bool ink;     /* the colour of text: currentColor in SVG, so that a page may be dark */
    double alpha; /* 1 opaque */
} view_paint;
extern const view_paint view_ink, view_faint, view_hair;
view_paint view_solid(view_rgb c);

typedef struct view_canvas view_canvas;
/* Draws what ctx holds; called once. */
typedef void view_draw(const void *ctx, view_canvas *c);
/* Renders w by h units (CSS pixels) and appends the file image to out; out is unchanged on failure.
 * title: what a screen reader says. PNG has two pixels a unit. */
at_status view_render(at_picture_kind kind, double w, double h, const char *title, view_draw *draw,
                      const void *ctx, at_text *out, at_err *err);

/* A picture's own renderer: plans `what`, then calls view_render. */
typedef at_status view_renderer(const void *what, at_picture_kind kind, at_text *out, at_err *err);
/* Rendered in memory, then written to `path`: whole or not at all. */
at_status view_picture(view_renderer *render, const void *what, at_picture_kind kind, const char *path,
                       at_err *err);

/* What is drawn between the two shows `tip` under the pointer (SVG only). */
void view_tip_begin(view_canvas *c, const char *tip);
void view_tip_end(view_canvas *c);

typedef enum { VIEW_LEFT, VIEW_MIDDLE, VIEW_RIGHT } view_anchor;
void view_rect(view_canvas *c, double x, double y, double w, double h, view_paint p);
void view_line(view_canvas *c, double x1, double y1, double x2, double y2, double width, view_paint p);
/* y is the baseline; upright: rotated to read from bottom to top around (x, y). s may be foreign text. */
void view_text(view_canvas *c, double x, double y, double size, view_anchor anchor, bool upright, bool bold,
               view_paint p, const char *s);
/* A polyline; dashed when asked. */
void view_path(view_canvas *c, const double *x, const double *y, int n, double width, bool dashed,
               view_paint p);
#define VIEW_MARKERS 5
void view_marker(view_canvas *c, double x, double y, double r, int shape, view_paint p);
/* A matrix of square cells, `cell` units each, drawn without seams; gap: units left free between cells.
 * tip: NULL or what to show under the pointer (SVG only). */
void view_cells_begin(view_canvas *c, double x, double y, double cell, double gap);
void view_cell(view_canvas *c, int column, int row, view_rgb rgb, const char *tip);
void view_cells_end(view_canvas *c);

/* ---- axes (axis.c) ------------------------------------------------------------------------- */

#define VIEW_TICKS 24
typedef struct {
    bool log;
    double lo, hi; /* in drawn coordinates: the value, or its log10; begin with INFINITY, -INFINITY */
    double tick[VIEW_TICKS];
    char label[VIEW_TICKS][24];
    int n;
} view_axis;
view_rgb view_palette(int k); /* the k-th colour of series, from 0 on; they come again */
bool view_axis_takes(const view_axis *a, double v); /* can v stand on it? */
double view_axis_at(const view_axis *a, double v);  /* its drawn coordinate */
void view_axis_grow(view_axis *a, double v);
void view_axis_finish(view_axis *a, int wanted); /* about so many ticks */

/* ---- looks (look_plan.c) shared by the picture and the terminal ----------------------------------- */

/* Refuses a trace, output or model that do not belong together, naming the part. */
at_status view_look_check(const at_look *l, at_err *err);
/* "layer 1 head 2 · softmax · causal": layers count attention blocks, heads count through the groups. */
void view_head_title(const at_look *l, const at_trace_head *h, at_text *out);
int view_head_layer(const at_look *l, const at_trace_head *h); /* 1-based */
/* The decision of output position p and its least margin (NaN when it has none); *known is false when
 * the arithmetic could not decide, and then the text is "?". */
void view_decision(const at_look *l, int p, at_text *out, double *margin, bool *known);
int view_output_row(const at_look *l, int p); /* t of output position p */

typedef enum { VIEW_WEIGHT, VIEW_MASKED, VIEW_BROKEN } view_cell_kind; /* BROKEN: not a finite number */
/* The cell of an f-fold reduced picture: the largest weight of the f*f square, MASKED when all of it is. */
view_cell_kind view_pool(const at_look *l, const at_trace_head *h, int f, int row, int column, double *w);
double view_peak(const at_look *l, const at_trace_head *h); /* largest finite weight */

at_status view_heat_check(const at_heat *h, at_err *err); /* heat.c: refuses what cannot be drawn */

/* ---- trainings ------------------------------------------------------------------------------- */

bool view_is_trained(const at_row *r);
/* trained.c: false: out of memory; what is wrong with the row itself is said in out->broken. */
bool view_trained_read(const at_row *row, const char *build, at_arena *a, at_trained *out);
double view_median(double *v, int n); /* study.c: sorts v; NaN for none; v holds no NaN */
/* "32", "> 128" (above), "<= 64" or ">= 32" with the proper sign (widths were left out), "not run". */
const char *view_least(char out[48], const at_study_least *l);
int view_percent(char out[16], double v, int digits); /* rounded down: 89.96 is not 90 */

/* A table of strings (study_table.c): the head is row 0; the first `left` columns are words, the rest numbers. */
typedef struct {
    const char *title, *note; /* note may be NULL */
    int columns, left, rows;  /* rows without the head */
    const char **cell;        /* (rows + 1, columns) */
} view_table;
#define VIEW_STUDY_TABLES 3
/* Least width, least GFLOPs, and the paper's GFLOPs when arithmetic was trained: how many; 0: out of memory. */
int view_study_tables(const at_study_group *g, at_arena *a, view_table out[VIEW_STUDY_TABLES]);
void view_table_html(at_text *t, const view_table *v);
/* report_trained.c: the section of the trained models; nothing when there are none. */
at_status view_trained_html(at_text *t, const at_row *rows, size_t n, const char *build, at_err *err);

/* ---- the map ----------------------------------------------------------------------------------- */

/* NONE: vacuous, or outside its hypotheses; WORDS: there is no number, but a text. */
typedef enum { VIEW_MAP_NONE, VIEW_MAP_PROVED, VIEW_MAP_SHAPE, VIEW_MAP_WORDS } view_map_bound_kind;
typedef struct {
    view_map_bound_kind kind;
    double least;
    const char *text;
    const char *refused; /* NULL, or why what is proved is not drawn: other bits are counted */
} view_map_bound;
/* What a template may ask of the construction. */
typedef struct {
    at_size size;
    at_mask mask; /* block-sparse, or zeros */
} view_map_model;
/* map_bound.c; model: the construction's at this size, NULL: there is none. */
at_status view_map_bound_at(const at_map_panel *p, double size, const view_map_model *model, at_arena *a,
                            view_map_bound *out, at_err *err);
/* map_template.c. A template with its numbers in; false: it asks for a model that is not there. */
bool view_map_fill(at_text *t, const char *template, double size, const view_map_model *model);
/* Do a row's parameters agree with what stands before ';' in the template? w: they; *size: the size, at its largest. What is
 * computed from the size is free, the first parameter that is the size itself is it. */
bool view_map_belongs(const at_claim *c, const char *template, const at_row *r, at_sweep *w, double *size);
/* The size of the models of a row, from numbers, parameters and `bits`; NaN where it cannot be had. */
double view_map_size(const char *unit, const at_sweep *w, const at_row *r);
/* map_show.c: the section of the report. */
at_status view_map_html(at_text *t, const at_map *m, at_err *err);

/* ---- report ---------------------------------------------------------------------------------- */

/* at_report_html, with the map when it is not NULL. */
at_status view_report_html(const at_report_claim *claims, int n, const at_map *map, const at_row *rows,
                           size_t n_rows, const char *build, at_text *html, at_err *err);
extern const char view_report_style[];               /* report_style.c: the style sheet */
void view_detail_html(at_text *t, const char *json); /* report_detail.c: the detail of a ledger row */

#endif
