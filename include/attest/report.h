/* report.h: pages: what a ledger and the catalogue say, as studies, the map and the HTML report.
 * Pictures are drawn by picture.h; strings from models and ledgers are escaped; nothing is trusted. */
#ifndef ATTEST_REPORT_H
#define ATTEST_REPORT_H

#include <attest/automaton.h>
#include <attest/bound.h>
#include <attest/claim.h>
#include <attest/picture.h>
#include <attest/problem.h>
#include <attest/store.h>

/* The least size that a bound leaves, over the size of the problem, and beside it the size of the catalogue's
 * construction where there is one: everything at_plot_svg needs, in the arena. Sizes outside the hypotheses have no point. */
at_status at_bound_plot(const at_bound *b, const at_params *p, at_arena *a, at_plot *out, at_err *err);

/* ---- studies: the trained rows of a ledger ------------------------------------------------------
 *
 *     at_study st;
 *     at_study_make(rows, n, at_build_id(), &arena, &st, &err);
 *     for (int k = 0; k < st.n_groups; k++) {
 *         at_heat heat;
 *         at_study_heat(&st.groups[k], &arena, &heat, &err);
 *         at_heat_picture(&heat, AT_PICTURE_PNG, "heat.png", &err);
 *         at_study_text(&st.groups[k], 80, &text, &err);
 *     }
 */

#define AT_STUDY_MAX_RUNS 100000
#define AT_STUDY_REACHED  0.9 /* answer accuracy from which a model has learned its task */

typedef enum { AT_THEORY_SILENT, AT_THEORY_CONSTRUCTIBLE, AT_THEORY_IMPOSSIBLE } at_theory;

/* One row of role "trained", its detail checked. */
typedef struct {
    const at_row *row;
    const char *broken; /* NULL, or why nothing below can be used */
    bool other_build;   /* another build trained it */
    bool superseded;    /* the same question was answered again, by this build or later: not counted */
    const char *task;
    at_attention_kind attention;
    at_theory mark;
    at_training_detail d;
} at_trained;

/* The runs that differ in their seed only. */
typedef struct {
    at_attention_kind attention;
    int64_t size, width;
    int n;
    at_trained *const *runs;           /* (n) by seed */
    double median, least, most, chain; /* answer accuracy over the seeds; chain: median */
    double gflops_chain, gflops_to_90; /* medians; NaN unless most seeds have one */
    at_theory mark;                    /* SILENT when the runs do not agree on it */
    bool mixed;                        /* the runs differ in more than their seed */
} at_study_cell;

/* The least width whose median reaches 90%, on the widths that were tried for the task. It lies in lo..hi;
 * lo == hi: known. Widths below hi that were not run make lo smaller; hi is INFINITY when none that was run
 * reaches it. above: all were run in vain, and the least width is above lo, the largest. */
typedef struct {
    double lo, hi;
    bool above;
    bool run;      /* is there any cell at this size? */
    double gflops; /* least gflops_chain of the cells that reach 90%; NaN: none does */
} at_study_least;

typedef struct {
    const char *id, *size_name;
    int n_sizes, n_widths, n_cells;
    const int64_t *sizes, *lengths, *widths; /* ascending; lengths (n_sizes): the longest chains */
    const at_study_cell *cells;              /* (n_cells) by attention, size, width */
    const at_study_least *least;             /* (AT_TRAINED_ATTENTIONS, n_sizes) */
} at_study_task;

typedef struct {
    const char *preset;
    int n_tasks;
    const at_study_task *tasks; /* lis, ed, ed-local, arithmetic, then others by name */
} at_study_group;

typedef struct {
    size_t n_runs, n_broken, n_other, n_superseded;
    at_trained
        *runs; /* (n_runs) every trained row: preset, task, attention, size, width, seed; broken last */
    int n_groups;
    const at_study_group *groups;
} at_study;

/* Picks the rows of role "trained" and sorts them; other rows are passed over. Rows live as long as the study.
 * A row whose detail is not as it should be is kept as broken; that is no failure. */
at_status at_study_make(const at_row *rows, size_t n, const char *build, at_arena *a, at_study *out,
                        at_err *err);
const at_study_cell *at_study_find(const at_study_task *t, at_attention_kind attention, int64_t size,
                                   int64_t width); /* NULL: not run */
/* Rows: attention; columns: task. At most 16 widths, sizes and tasks; the note says what was left out. */
at_status at_study_heat(const at_study_group *g, at_arena *a, at_heat *out, at_err *err);

typedef enum { AT_CURVE_LOSS, AT_CURVE_ANSWER, AT_CURVE_CHAIN } at_curve;
/* What happened during training, against the steps: every seed thin, their median bold, a colour a width. */
at_status at_study_curves(const at_study_task *t, at_attention_kind attention, int64_t size, at_curve what,
                          at_arena *a, at_plot *out, at_err *err);

/* What the paper says of the order of its models, and what our cells say of that. UNKNOWN: cannot tell. */
#define AT_STUDY_ORDERS 7
typedef struct {
    const char *statement;
    at_tri verdict;
    const char *why; /* the numbers, in words */
} at_study_order;
at_status at_study_orders(const at_study_group *g, at_arena *a, at_study_order out[AT_STUDY_ORDERS],
                          at_err *err);

/* The tables of a group (least width, GFLOPs, the paper's order) for a terminal, at most `columns` wide. */
at_status at_study_text(const at_study_group *g, int columns, at_text *out, at_err *err);

/* All of that at once, for a command: heat maps, tables and order of every preset; text is unchanged on failure. */
at_status at_trained_text(const at_row *rows, size_t n, int columns, bool color, at_text *out, at_err *err);
/* The heat maps of the preset that was trained last; the kind by the suffix of path. */
at_status at_trained_picture(const at_row *rows, size_t n, const char *path, at_err *err);

/* ---- the map: least size against problem size, task by task and architecture by architecture ---------
 *
 *     at_map map;
 *     at_map_make(at_map_panels, at_n_map_panels, rows, n, build, &arena, &map, &err);
 *     at_map_text(&map, 80, &text, &err);
 *     at_map_picture(&map, AT_PICTURE_PNG, "map.png", &err);
 *
 * Three kinds of evidence on one plot: what is proved to be needed (calculators, bound.h) or was refuted, what a construction of
 * the catalogue has, and what trained models needed. docs/map.md says how to read it. */

/* Which of a construction's sizes a panel is about. */
typedef enum {
    AT_MAP_WIDTH,     /* residual width */
    AT_MAP_HEAD_DIM,  /* width of a head */
    AT_MAP_HEADS_DIM, /* heads of a layer times their width */
    AT_MAP_HIDDEN,    /* widest MLP layer */
    AT_MAP_LAYERS,    /* attention layers */
    AT_MAP_PARAMETERS,
    AT_MAP_STEPS,  /* rows of a chain before its answer, which is the last one */
    AT_MAP_UNITS,  /* units of a feed-forward net's first layer, numbers of a recurrent net's state */
    AT_MAP_VALUES, /* values and scores that a row offers to those that look at it, but for one score: the values, if there is one head */
    AT_MAP_MEASURES
} at_map_measure;

/* What a template may ask of a construction. */
typedef struct {
    at_size size;
    at_mask mask;     /* block-sparse, or zeros */
    int steps, units; /* where the measure is that */
} at_map_model;

/* One row of the table (map_panels.c): adding a panel is adding a row.
 *
 * Templates are parameters in which $ is the size of the problem and $*8+2 is computed from it, from the left (also -, /, ^, and ~: log2 rounded up): "N=$ M=$*8+2 q=2".
 * In a construction's template what stands before ';' says which of the ledger's cells belong to the panel, what stands behind
 * may differ: "problem=lis a=$; b=99". In a bound's @layers, @heads, @width, @head_dim, @block, @windows and @ends are the construction's. */
typedef struct {
    const char *task, *architecture;
    const char *size; /* letter of the horizontal axis */
    const char
        *words; /* what it counts; NULL: what the parameter of that name of the claim or the bound says */
    const char *sizes; /* what the line of the construction and the bound are computed at: "8 16 32" */
    const char *unit;  /* words for the vertical axis */
    at_map_measure measure;
    double times; /* the unit is the measure times this; 0: 1 */
    const char *construction, *construction_params;
    /* The construction's size at sizes that are too large for its shape to be made: "$*2+1". Tests compare it with the shape of small ones. */
    const char *grows;
    const char *bound, *bound_params;
    /* What numbers are, of the construction and of the bound alike: "p=24 e=8", bits of mantissa and exponent (a template too; NULL: no
     * floats), and which bits are counted. A bound that counts others is not drawn, nor is one that counts as its source does beside a construction. */
    const char *numbers;
    at_bound_bits bits;
    const char *bound_sizes; /* NULL: as the construction's */
    const char *
        bound_start; /* not its least size, but where it starts to bind in this parameter: in words, where that is
                                astronomical */
    double bound_times; /* `least` times this is in the unit; 0: 1 */
    /* The bound's parameters of the most permissive model whose stream is $ wide ($ bits where these are counted): "H=$ m=1". NULL: of
     * decoders with a construction, one head; of others, that no width is ruled out. */
    const char *stream;
    const char *
        speaks; /* what parameters of the problem must be at least for the bound to speak of it: "k=2"; NULL: any */
    const char *trained; /* a stream, with attention; only where the measure is the width */
    at_attention_kind attention;
    const char *refuted, *refuted_params; /* a claim whose cells refute models, and which of them, as above */
    /* The largest models that such a cell refutes, in the unit: numbers, its parameters and `bits` of its arithmetic, from the
     * left: "state*bits", "N*d-1". The size of the problem in the same way, "n*2+1"; NULL: the parameter that is $. */
    const char *refuted_unit, *refuted_size;
    const char *note;    /* what is to be known about this panel; may be NULL */
    const char *problem; /* that it is about; NULL: the task is its name */
    bool chain;          /* a chain of thought is written; of decoders it always is */
    const at_map_model
        *models; /* (sizes) of a construction that is no claim's, instead of `construction`; NULL: none */
} at_map_panel;
extern const at_map_panel at_map_panels[];
extern const int at_n_map_panels;

typedef enum {
    AT_MAP_OPEN,     /* nothing to compare */
    AT_MAP_CONSTANT, /* the construction does not grow, and no bound with a number is there */
    AT_MAP_TIGHT,    /* bound and construction meet at the largest size that both have */
    AT_MAP_GAP,      /* they differ by the factor `gap` there */
    AT_MAP_SAME,     /* bound up to a constant, and both grow alike */
    AT_MAP_GROWING,  /* bound up to a constant; the gap grows like size^gap */
    AT_MAP_CONTRADICTS /* a bound lies above a construction: one of them is wrong, and both are shown as text only */
} at_map_verdict;

typedef struct {
    const at_map_panel *panel;
    at_map_points points[AT_MAP_KINDS];
    at_map_verdict verdict;
    double gap;   /* NaN unless the verdict has one */
    double ratio; /* construction over proved bound at the largest size that both have; NaN: there is none */
    double ratio_size;   /* that size */
    const char *words;   /* the verdict: "gap x2.3", "open", "tight" */
    const char *sizes;   /* "n 10..250" */
    const char *bound;   /* at the largest size: ">= 12", "~ 12", "vacuous", a power, or a dash */
    const char *built;   /* "33", with * when the ledger has checked it, ~ when on samples only */
    const char *trained; /* "64@20", "> 64@20" */
    const char *bits;    /* which bits are counted: "p=24 e=8: floats, exact sums"; NULL: there is no bound */
    const char *
        note; /* NULL, or what must be said: a constant that is hidden, a claim that fails, a contradiction */
} at_map_place;
typedef struct {
    int n;
    const at_map_place *places; /* in the order of the panels */
    int contradictions;
    const char *words; /* NULL, or what is to be said of all of it, a line each */
} at_map;
/* Verdicts of other builds than `build` are left out (NULL: none is); trained models of all builds count. */
at_status at_map_make(const at_map_panel *panels, int n, const at_row *rows, size_t n_rows, const char *build,
                      at_arena *a, at_map *out, at_err *err);
/* What is known of one problem: the catalogue's panels about it; where there are none, or where `set` (NULL: none) asks for
 * others, two for every attention that it compiles to (width and parameters, at sizes that grow, or those of a range in `set`: "n=2..9");
 * and one for every attention that it was trained with and no other panel has. subject: its name in the ledger (lang.h). */
at_status at_map_problem(const at_problem *p, const char *subject, const char *set, const at_row *rows,
                         size_t n_rows, const char *build, at_arena *a, at_map *out, at_err *err);
at_status at_map_svg(const at_map *m, at_text *svg, at_err *err);
at_status at_map_picture(const at_map *m, at_picture_kind kind, const char *path, at_err *err);
/* A line a panel, then what must be said; at most `columns` wide. */
at_status at_map_text(const at_map *m, int columns, at_text *out, at_err *err);

/* ---- advice: which attention for this problem at this length? -------------------------------------------
 *
 * One row an attention, with a chain of thought and without. What is known comes from the catalogue: sizes from the shapes of what
 * is compiled or of a claim's model, bounds from the calculators of bound.h, trainings from a ledger. */
typedef enum {
    AT_ADVICE_UNKNOWN, /* nothing is proved and nothing was trained, or not within the sizes that are asked for */
    AT_ADVICE_RULED_OUT, /* a bound binds at the sizes that are asked for */
    AT_ADVICE_BUILT,     /* there is a construction, and it is within them */
    AT_ADVICE_TRAINED,   /* none, but trained models reached 90% */
    AT_ADVICE_KINDS
} at_advice_kind;
extern const char *const at_advice_names[AT_ADVICE_KINDS];

typedef struct {
    at_advice_kind kind;
    const char *attention; /* "standard", "one softmax layer" */
    bool chain;            /* a chain of thought is written before the answer */
    const char *by;        /* the bound, the claim or the front end that says so; NULL: nobody does */
    const char *why;       /* one sentence */
    bool
        built; /* the next five are known: of the construction, whether or not it is within the sizes asked for */
    at_size size;
    double per_token, total; /* multiply-adds of a row on the average, and of the whole */
    double kept;             /* numbers that are kept of the rows before */
    double bytes;            /* of these and of the weights */
    double least;            /* what the bound leaves, in its unit; NaN: no bound binds */
    const char *unit;
    double trained_width, trained_size; /* least width that reached 90%, and at which size; NaN: none */
} at_advice_row;

typedef struct {
    const char *subject; /* its name in the ledger; NULL: its id */
    const char *set;     /* NULL, or parameters that are not the size */
    int length;
    double width, layers, memory; /* at most: D, attention layers, bytes; 0: any */
    int bits;                     /* of a mantissa, 24 in f32; the exponent has 8 */
    const at_row *rows;           /* of a ledger */
    size_t n_rows;
} at_advice_question;

typedef struct {
    const char *problem, *at; /* its name, and the parameters that make the length */
    int length;               /* rows of prompt and chain, or positions: the nearest that there is */
    int n;
    const at_advice_row *rows;
    const char *sentence;
} at_advice;
at_status at_advise(const at_problem *p, const at_advice_question *q, at_arena *a, at_advice *out,
                    at_err *err);
/* The table, then what must be said; at most `columns` wide. And as a page of its own. */
at_status at_advice_text(const at_advice *v, int columns, at_text *out, at_err *err);
at_status at_advice_html(const at_advice *v, at_text *html, at_err *err);

/* ---- a film as a page ----------------------------------------------------------------------------
 * One self-contained HTML file with a frame at a time under a slider; where no script may run, all of them after each other. At
 * most 2048 pictures (frames times heads). Appended to, and unchanged on failure. */
at_status at_film_html(const at_film *film, at_text *html, at_err *err);

/* ---- the report: one self-contained HTML file --------------------------------------------------------
 *
 *     at_report_about about = {.command = "attest check match2", .build = at_build_id()};
 *     at_report_catalogue(&about, rows, n, &html, &err);
 *
 * It shows what the rows are about and nothing else. */

typedef struct {
    const char *command; /* what was asked, as it was typed; NULL: not known */
    const char *build;   /* whose verdicts these are */
    const char *options; /* NULL: not known; or what was given with every claim: "--set N=4,M=7" */
    bool other_build;    /* which is not the one that writes the page: that is said */
} at_report_about;

typedef struct {
    const char *name, *shape;
    size_t nonzero;
    double largest;     /* magnitude */
    const char *values; /* NULL, or all of them */
} at_report_tensor;

typedef struct {
    const char *svg; /* made by at_plot_svg */
    const at_row
        *table; /* the row that it is a plot of, one of those that the report is given; NULL: of none */
} at_report_plot;

/* What the ledger does not hold of a claim; all but id may be NULL. */
typedef struct {
    const char *id, *title, *source, *statement;
    const char *proof;
    const char *group;   /* a heading over it and its neighbours of the same group */
    const char *program; /* its program, printed */
    const char *size;    /* "1 layer, 1 head, width 4, ..." */
    const at_report_tensor *tensors;
    int n_tensors, more_tensors; /* more: not shown */
    const char *hash;            /* of the model that is shown */
    const char *look, *look_set; /* the input of the attention picture, and "N=8,M=17": at which parameters */
    const char *svg;             /* attention picture, trusted (made by at_look_svg, or at_film_svg) */
    bool film;                   /* it is one, of a training */
    const at_report_plot *plots;
    int n_plots;
    bool trial; /* what its cells count are cases, and what stands against it is no model */
    bool limit; /* ... and it is about what small models cannot do */
    bool file;  /* from a file, which `program` is the text of */
    bool asked; /* a question about a model or a problem of one's own: there is no control, nor a paper */
    const char *repeat; /* what `attest check` is given to ask it again; NULL: the id, if it is no file */
} at_report_claim;
at_status at_report_html(const at_report_about *about, const at_report_claim *claims, int n,
                         const at_row *rows, size_t n_rows, at_text *html, at_err *err);

/* The report of a ledger's rows: programs, weights, attention pictures and plots of the tables are made here for the claims that
 * have rows. Verdicts of other builds are left out; trained models of all builds are shown. */
at_status at_report_catalogue(const at_report_about *about, const at_row *rows, size_t n, at_text *html,
                              at_err *err);

/* ---- where problems lie ------------------------------------------------------------------------------------------------------
 *
 * Circuit classes and the Chomsky hierarchy, each a chain of inclusions, with what is known of a problem and why (places.c). */
typedef enum {
    AT_CLASS_AC0,
    AT_CLASS_ACC0,
    AT_CLASS_TC0,
    AT_CLASS_NC1,
    AT_CLASS_BEYOND,
    AT_CLASSES
} at_class;
typedef enum {
    AT_CHOMSKY_REGULAR,
    AT_CHOMSKY_FREE,
    AT_CHOMSKY_SENSITIVE,
    AT_CHOMSKY_COMPUTABLE,
    AT_CHOMSKYS
} at_chomsky;
extern const char *const at_class_names[AT_CLASSES];    /* AC0, ACC0, TC0, NC1, beyond NC1 */
extern const char *const at_chomsky_names[AT_CHOMSKYS]; /* regular, context-free, ... */

typedef struct {
    int least;     /* the least class known to have it; -1: none of this chain is about it */
    int not_in;    /* the greatest known not to; -1: none */
    bool complete; /* for the least, under AC0 reductions */
    const char *why_in, *why_not;
} at_lies;
at_tri at_lies_in(const at_lies *s, int class); /* unknown: open */

#define AT_PLACE_CLAIMS 6
typedef struct {
    const char *problem, *about;
    at_lies circuit, chomsky;
    const char *claims[AT_PLACE_CLAIMS]; /* beside those that name it as their task; then NULL */
} at_task_place;
const at_task_place *at_task_place_find(const char *problem); /* NULL: nothing is said of it */
const at_task_place *at_task_place_at(int k);                 /* NULL past the last */
/* Where a regular language lies, by its place; and what layers like these can have at most at any length, with numbers of
 * logarithmically many bits, whatever the weights: a theorem about the parts of the model. */
at_lies at_language_lies(const at_place *p);
at_lies at_model_lies(const at_model *m);
/* The claims of the catalogue about a problem; how many. */
int at_task_place_claims(const char *problem, const at_claim **out, int most);

#endif
