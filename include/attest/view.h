/* view.h: what people look at: attention pictures, terminal sketches, plots, the HTML report.
 * Strings from models and ledgers are escaped here; nothing is trusted. */
#ifndef ATTEST_VIEW_H
#define ATTEST_VIEW_H

#include <attest/exec.h>
#include <attest/store.h>

#define AT_LOOK_MAX_LENGTH 4096 /* T; from 129 on a cell stands for several weights and a note says so */
#define AT_LOOK_MAX_HEADS  1024

typedef enum { AT_PICTURE_PNG, AT_PICTURE_SVG, AT_PICTURE_PDF } at_picture_kind;
at_status at_picture_kind_of(const char *path, at_picture_kind *out, at_err *err); /* by suffix */

/* The attention of every head and layer with token labels (rows: queries, columns: keys), the input
 * below, the outputs beside. labels: T strings (prefix and suffix included), or NULL for the indices of
 * the positions; output may be NULL. Longer or larger pictures are refused with AT_EDOMAIN and the limit.
 * Text outputs are appended to, and unchanged on failure; files are written whole or not at all. */
typedef struct {
    const at_model *model;
    const at_trace *trace;
    const at_output *output;
    const char *const *labels;
} at_look;
at_status at_look_picture(const at_look *l, at_picture_kind kind, const char *path, at_err *err);
at_status at_look_svg(const at_look *l, at_text *svg, at_err *err); /* for embedding into the report */
/* A sketch for the terminal with shaded blocks, at most `columns` wide; color: ANSI allowed. */
void at_look_terminal(const at_look *l, int columns, bool color, at_text *out);

/* A line plot as SVG: series of points with a label each. */
typedef struct {
    const char *label;
    int n;
    const double *x, *y;
    bool dashed; /* theory */
} at_series;
typedef struct {
    const char *title, *xlabel, *ylabel;
    bool logx, logy;
    const at_series *series;
    int n_series;
} at_plot;
at_status at_plot_svg(const at_plot *p, at_text *svg, at_err *err);

/* One self-contained HTML file. The caller (job) supplies what the ledger does not hold. */
typedef struct {
    const char *id, *title, *source, *statement; /* a claim */
    const char *group;        /* NULL, or a heading over it and its neighbours of the same group */
    const char *program;      /* its program, printed */
    const char *size;         /* "1 layer, 1 head, width 4, ..." */
    const char *svg;          /* attention picture, trusted (made by at_look_svg), or NULL */
    const char *const *plots; /* SVGs made by at_plot_svg */
    int n_plots;
} at_report_claim;
at_status at_report_html(const at_report_claim *claims, int n, const at_row *rows, size_t n_rows,
                         const char *build, at_text *html, at_err *err);

/* The report of the whole catalogue from a ledger's rows: programs, sizes, attention pictures and plots of
 * the tables are made here. Claims without rows are shown as not checked. */
at_status at_report_catalogue(const at_row *rows, size_t n, const char *build, at_text *html, at_err *err);
/* The attention of x in a model, with labels for its positions: everything at_look needs, in the arena. */
at_status at_look_make(const at_model *m, at_arith a, const at_input *x, at_arena *arena, at_look *out,
                       at_err *err);

#endif
