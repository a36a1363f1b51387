/* picture.h: drawing: attention pictures, terminal sketches, line plots, heat maps, the figure of the map.
 * It knows models and numbers; where these come from is the caller's. Strings are escaped here; nothing is trusted.
 *
 *     at_look look;
 *     at_look_make(&model, at_f64, &input, &arena, &look, &err);
 *     at_look_picture(&look, AT_PICTURE_PNG, "look.png", &err);
 */
#ifndef ATTEST_PICTURE_H
#define ATTEST_PICTURE_H

#include <attest/exec.h>

#define AT_LOOK_MAX_LENGTH 4096 /* T; from 129 on a cell stands for several weights and a note says so */
#define AT_LOOK_MAX_HEADS  1024

typedef enum { AT_PICTURE_PNG, AT_PICTURE_SVG, AT_PICTURE_PDF } at_picture_kind;
at_status at_picture_kind_of(const char *path, at_picture_kind *out, at_err *err); /* by suffix */
/* A clean copy in the arena, cut with an ellipsis to at most `max` units at `size` units an em; blank text becomes visible. */
char *at_picture_label(at_arena *a, const char *s, double size, double max);

/* The attention of every head and layer with token labels (rows: queries, columns: keys), the input
 * below, the outputs beside. labels: T strings (prefix and suffix included), or NULL for the indices of
 * the positions; output may be NULL. Longer or larger pictures are refused with AT_EDOMAIN and the limit.
 * Text outputs are appended to, and unchanged on failure; files are written whole or not at all. */
typedef struct {
    const at_model *model;
    const at_trace *trace;
    const at_output *output;
    const char *const *labels;
    bool
        plain; /* without tooltips, gaps between cells, name and sizes: for a page that has many and says these itself */
    const char
        *ids; /* NULL, or an id that nothing else of the page has: an SVG then draws once what heads share */
    /* Where something is known to be right. right: (output n) what should come out, (output width) each; NULL: nothing should,
     * or nobody knows. judged: (output n) is it what comes out; UNKNOWN: it was not asked. verdict: NULL, or a line. */
    const double *const *right;
    const at_tri *judged;
    const char *verdict;
} at_look;
at_status at_look_picture(const at_look *l, at_picture_kind kind, const char *path, at_err *err);
at_status at_look_svg(const at_look *l, at_text *svg, at_err *err); /* for embedding into the report */
/* A sketch for the terminal with shaded blocks, at most `columns` wide; color: ANSI allowed. */
void at_look_terminal(const at_look *l, int columns, bool color, at_text *out);
/* The attention of x in a model, with labels for its positions: everything at_look needs, in the arena. */
at_status at_look_make(const at_model *m, at_arith a, const at_input *x, at_arena *arena, at_look *out,
                       at_err *err);
/* What is looked at: x, and behind a prompt the rows that a decoder writes and is fed. One that never stops is looked at with what it
 * writes up to its limit. */
at_status at_look_whole(const at_model *m, at_arith a, const at_input *x, at_arena *arena, at_input *out,
                        at_err *err);
/* The same of x as it is: a decoder writes nothing behind it. */
at_status at_look_rows(const at_model *m, at_arith a, const at_input *x, at_arena *arena, at_look *out,
                       at_err *err);

/* A film: small pictures of the same heads and positions in models that came after each other, say the checkpoints of a training. */
#define AT_FILM_FRAMES 64
typedef struct {
    const at_look *look;
    const char *caption, *below; /* "step 500"; below: NULL, or a second line */
} at_film_frame;
typedef struct {
    const char *title;
    const at_film_frame *frames;
    int n;
    bool plain; /* without title and colour bar */
} at_film;
at_status at_film_check(const at_film *film,
                        at_err *err); /* 1..64 frames of models of one shape, with heads */
at_status at_film_svg(const at_film *film, at_text *svg, at_err *err);
at_status at_film_picture(const at_film *film, at_picture_kind kind, const char *path, at_err *err);

/* What a mark stands for: a colour each, the same in every picture. OTHER: by its place among the series. */
typedef enum {
    AT_ROLE_OTHER,
    AT_ROLE_BOUND,   /* what is proved to be needed */
    AT_ROLE_BUILT,   /* what a construction has */
    AT_ROLE_TRAINED, /* what training reached */
    AT_ROLE_REFUTED, /* models that an input was found against */
    AT_ROLE_THEORY,  /* a formula beside a measurement: the colour of text */
    AT_ROLES
} at_role;

/* A line plot: series of points with a label each. Thin series are single runs behind a bold one: no markers,
 * no place in the legend. */
typedef enum { AT_LINE_MARKED, AT_LINE_THIN, AT_LINE_BOLD } at_line;
typedef struct {
    const char *label;
    int n;
    const double *x, *y;
    bool dashed; /* theory */
    at_line line;
    at_role role;
    int shade; /* lines of one role: 0: by its place among them; k: the k-th shade */
} at_series;
typedef struct {
    const char *title, *xlabel, *ylabel;
    bool logx, logy;
    const at_series *series;
    int n_series;
} at_plot;
at_status at_plot_svg(const at_plot *p, at_text *svg, at_err *err);
at_status at_plot_picture(const at_plot *p, at_picture_kind kind, const char *path, at_err *err);

/* ---- heat maps -------------------------------------------------------------------------------- */

#define AT_HEAT_MAX_SIDE   64 /* cells of a panel, each way */
#define AT_HEAT_MAX_PANELS 16 /* each way */

typedef enum { AT_MARK_NONE, AT_MARK_DOT, AT_MARK_HATCH } at_heat_mark;
typedef struct {
    double value;            /* 0..1; NaN: not run */
    const char *text, *tiny; /* what stands in the cell, and below it; may be NULL */
    const char *tip;         /* under the pointer in SVG; may be NULL */
    at_heat_mark mark;
} at_heat_cell;
typedef struct {
    int nx, ny; /* both 0: the place stays empty, with a note */
    const char *xlabel, *ylabel;
    const char *const *x, *const *y; /* (nx), (ny) labels; y[0] is drawn at the bottom */
    const at_heat_cell *cells;       /* (ny, nx) */
} at_heat_panel;
/* Panels in a grid, one colour scale. Where a row of cells first reaches `line` a step line passes. */
typedef struct {
    const char *title, *note; /* note may be NULL */
    int rows, columns;
    const char *const *row_title, *const *column_title;
    const at_heat_panel *panels; /* (rows, columns) */
    double line;                 /* NaN: no step line */
    const char *value;           /* what the colours mean */
    const char *tiny;            /* what the tiny texts mean; NULL: there are none */
    const char *dot, *hatch;     /* what the marks mean; NULL: not in the legend */
} at_heat;
at_status at_heat_svg(const at_heat *h, at_text *svg, at_err *err);
at_status at_heat_picture(const at_heat *h, at_picture_kind kind, const char *path, at_err *err);
/* For a terminal: a number a cell, at most `columns` wide; color: ANSI allowed, else shade blocks. */
void at_heat_terminal(const at_heat *h, int columns, bool color, at_text *out);

/* ---- the map's figure: small panels of sizes, one legend -------------------------------------------- */

typedef enum {
    AT_MAP_PROVED,  /* least size that the bound does not rule out */
    AT_MAP_SHAPE,   /* the same up to a constant that is not known */
    AT_MAP_REFUTED, /* models of this size were refuted, each with an input */
    AT_MAP_BUILT,   /* size of the construction */
    AT_MAP_SAMPLED, /* the same, where a cell of the ledger holds on samples */
    AT_MAP_CHECKED, /* the same, where a cell of the ledger holds for every input */
    AT_MAP_TRAINED, /* least width that reached 90% */
    AT_MAP_IN_VAIN, /* widest that was trained, and did not */
    AT_MAP_KINDS
} at_map_kind;
extern const char *const at_map_kind_names[AT_MAP_KINDS];
typedef struct {
    int n;
    const double *x, *y; /* (n) ascending in x */
    const char *const
        *what; /* (n) SAMPLED and CHECKED: what the point rests on, "sampled, 4000 inputs"; else NULL */
} at_map_points;

typedef struct {
    const char *task, *architecture; /* the title */
    const char *unit, *size;         /* what stands against what */
    const char *axis;                /* the size, with words: below the axis; NULL: the size alone */
    const char *verdict;
    const char *bits;            /* which bits are counted; NULL: none are */
    const char *words;           /* in place of axes, when there is no point */
    bool wrong;                  /* the verdict is drawn as an alarm */
    bool own_labels;             /* the construction's sizes are the labels of the axis, when they are few */
    const at_map_points *points; /* (AT_MAP_KINDS) */
} at_map_tile;
typedef struct {
    int n;
    const at_map_tile *tiles;
} at_map_figure;
/* One tile without its words, and one mark of the legend: for pages. */
at_status at_map_tile_svg(const at_map_tile *tile, at_text *svg, at_err *err);
at_status at_map_mark_svg(at_map_kind kind, at_text *svg, at_err *err);
at_status at_map_figure_svg(const at_map_figure *f, at_text *svg, at_err *err);
at_status at_map_figure_picture(const at_map_figure *f, at_picture_kind kind, const char *path, at_err *err);

#endif
