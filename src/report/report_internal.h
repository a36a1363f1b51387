/* report_internal.h: what the files of this module share: readers of rows, tables, the map, parts of the page.
 *
 * The rule of the module: a string that came from a model, a ledger or a caller reaches an output only
 * through at_text_add_clean, at_text_add_html or a pen; after that it is valid UTF-8 without control characters. */
#ifndef ATTEST_REPORT_INTERNAL_H
#define ATTEST_REPORT_INTERNAL_H

#include <attest/claim.h>
#include <attest/report.h>

/* ---- trainings ------------------------------------------------------------------------------- */

/* trained.c: false: out of memory; what is wrong with the row itself is said in out->broken. */
bool at_trained_read(const at_row *row, const char *build, at_arena *a, at_trained *out);
double at_study_median(double *v, int n); /* study.c: sorts v; NaN for none; v holds no NaN */
/* "32", "> 128" (above), "<= 64" or ">= 32" with the proper sign (widths were left out), "not run". */
const char *at_study_least_text(char out[48], const at_study_least *l);
int at_percent_text(char out[16], double v, int digits); /* rounded down: 89.96 is not 90 */

/* A table of strings (study_table.c): the head is row 0; the first `left` columns are words, the rest numbers. */
typedef struct {
    const char *title, *note; /* note may be NULL */
    int columns, left, rows;  /* rows without the head */
    const char **cell;        /* (rows + 1, columns) */
} at_study_table;
#define AT_STUDY_TABLES 3
/* Least width, least GFLOPs, and the paper's GFLOPs when arithmetic was trained: how many; 0: out of memory. */
int at_study_tables(const at_study_group *g, at_arena *a, at_study_table out[AT_STUDY_TABLES]);
void at_study_table_html(at_text *t, const at_study_table *v);
/* study.c: how many of the group's tasks are the paper's. */
int at_study_of_paper(const at_study_group *g);
/* Tasks whose cells are e^-KL: streams that have probabilities in place of answers. And what the cells of all are. */
int at_study_drawn(const at_study_group *g);
const char *at_study_measure(const at_study_group *g);
/* report_trained.c: the section of the trained models; nothing when there are none. */
at_status at_report_trained(at_text *t, const at_row *rows, size_t n, const char *build, at_err *err);

/* ---- the map ----------------------------------------------------------------------------------- */

/* NONE: vacuous, or outside its hypotheses; WORDS: there is no number, but a text. */
typedef enum {
    AT_MAP_BOUND_NONE,
    AT_MAP_BOUND_PROVED,
    AT_MAP_BOUND_SHAPE,
    AT_MAP_BOUND_WORDS
} at_map_bound_kind;
typedef struct {
    at_map_bound_kind kind;
    double least;
    const char *text;
    const char *refused; /* NULL, or why what is proved is not drawn: other bits are counted */
} at_map_bound;
/* The block-sparse mask that a model has; zeros: none. */
at_mask at_map_mask(const at_model *m);
/* map_bound.c; model: the construction's at this size, NULL: there is none. */
at_status at_map_bound_at(const at_map_panel *p, double size, const at_map_model *model, at_arena *a,
                          at_map_bound *out, at_err *err);
/* map_template.c. A template with its numbers in; false: it asks for a model that is not there. */
bool at_map_fill(at_text *t, const char *template, double size, const at_map_model *model);
/* Do a row's parameters agree with what stands before ';' in the template? w: they; *size: the size, at its largest. What is
 * computed from the size is free, the first parameter that is the size itself is it. */
bool at_map_belongs(const at_claim *c, const char *template, const at_row *r, at_sweep *w, double *size);
/* The size of the models of a row, from numbers, parameters and `bits`; NaN where it cannot be had. */
double at_map_size(const char *unit, const at_sweep *w, const at_row *r);
/* map_problem.c. Is the parameter what inputs or states are counted by, and not how large numbers are? */
bool at_map_counts(const at_problem *p, const char *name);
/* The task of the panels about a problem, or about what its file says in other words; NULL: there are none. */
at_status at_map_known(const at_problem *p, const char **out, at_err *err);
/* The parameters of a decoder panel's bound at those of a problem, of which grow[j] are its size; NULL: it does not speak of them. */
const char *at_map_bound_template(const at_map_panel *w, const at_params *p, const bool *grow, at_arena *a);
/* map_show.c: the section of the report. */
at_status at_report_map(at_text *t, const at_map *m, at_err *err);

/* ---- report ---------------------------------------------------------------------------------- */

/* The rows of one subject, and the claim that it is. */
typedef struct {
    const at_report_claim *claim; /* of the catalogue, or made from the subject's name alone */
    bool known;                   /* of the catalogue */
    const char *anchor, *group;
    bool few;            /* there are so few on the page that they are read from top to bottom */
    const at_row **rows; /* (n) */
    size_t n;
    at_tally tally;
} at_report_section;

typedef struct {
    const at_report_about *about;
    const at_map *map; /* NULL: none */
    const at_row *rows;
    size_t n_rows;
    at_report_section *sections; /* (n_sections) claims first */
    size_t n_sections, n_known;
    size_t n_trained; /* rows; of these count n_runs, of which n_reached reach 90% */
    size_t n_runs, n_reached, n_refutations, n_refuted, n_rest;
    size_t n_drawn; /* runs of streams without answers: what they reach is e^-KL */
} at_report_page;

/* report_files.c: claims that the catalogue does not have and whose verdicts say what they claim, one each, behind the
 * *n_claims of `claims`, which has room for one more a row. */
at_status at_report_files(const at_row *rows, size_t n, at_arena *a, at_report_claim *claims, int *n_claims,
                          at_err *err);
/* at_report_html, with the map when it is not NULL. */
at_status at_report_with_map(const at_report_about *about, const at_report_claim *claims, int n,
                             const at_map *map, const at_row *rows, size_t n_rows, at_text *html,
                             at_err *err);
extern const char at_report_style[];                      /* report_style.c: the style sheet */
extern const char at_report_script[];                     /* report_script.c: the search */
extern const char at_film_script[];                       /* film_page.c: the slider */
void at_report_policy_hash(const char *s, char out[48]);  /* base64 of its sha-256 */
void at_report_head(at_text *t, const at_report_page *p); /* report_head.c: the first screen */
void at_report_contents(at_text *t, const at_report_page *p);
/* report_languages.c: the survey's languages, built and trained; nothing when the ledger has neither. */
at_status at_report_languages(at_text *t, const at_report_page *p, at_err *err);
/* report_places.c: where problems lie, drawn; nothing when no claim of the page is about one. */
void at_report_places(at_text *t, const at_report_page *p);
/* report_claim.c; of few sections less is folded. room: as many pointers as the section has rows. */
void at_report_section_html(at_text *t, const at_report_page *p, const at_report_section *s,
                            const at_row **room);
void at_report_detail(at_text *t, const at_row *r); /* report_detail.c: what a ledger row found */
/* The sizes of the models that rows are about, folded; nothing where none says one. */
void at_report_models(at_text *t, const at_row *const *rows, size_t n, bool open);
/* report_plot.c: plots of the tables among the rows of a claim, in the arena. */
at_status at_report_plots(const at_claim *c, const at_row *rows, size_t n, at_arena *a, at_report_claim *out,
                          at_err *err);
/* report_svg.c: an SVG of at_picture without what the page says for all of them: paper, fonts, common colours; and what they
 * all refer to, the colour bar, from one of them (NULL: there is none). */
void at_report_svg(at_text *t, const char *svg);
void at_report_bar(at_text *t, const char *svg);
/* report_math.c: a sentence, its formulas as MathML; what is not understood stays text. */
void at_report_math(at_text *t, const char *s);

/* report_row.c. A table of measurements is no verdict; a refutation speaks of no claim, even where its task bears the name
 * of one. */
bool at_row_is_table(const at_row *r);
bool at_row_is_refutation(const at_row *r);
bool at_report_in_role(const at_row *r, bool control);
const char *at_report_class(at_standing s);
void at_report_pill(at_text *t, at_standing color, at_strength strength, const char *word);
void at_report_verdict(at_text *t, const at_report_section *s, bool evidence); /* of the subject: its pill */
void at_report_evidence(at_text *t, const at_report_section *s, const at_row *r);
/* The most that a cell which holds rests on; NULL: none holds. */
const at_row *at_report_strongest(const at_report_section *s);
void at_report_lines(at_text *t, const at_report_section *s, bool control, int most); /* at most 8 */
/* A line with the parameters that all checks of a section have; its rows leave them out. */
void at_report_common(at_text *t, const at_report_section *s);
/* s: whose rows they are; NULL: the rows name their subjects. */
void at_report_rows(at_text *t, const at_report_section *s, const at_row *const *rows, size_t n);
bool at_report_seeds_differ(const at_row *const *rows, size_t n);
size_t at_report_pick(const at_report_section *s, bool control, const at_row **out); /* the rows of a role */

#endif
