/* claim.h: the catalogue. One file a claim: statement, proof, program, control, cells, certificate.
 *
 * Adding one touches two files: src/claim/PAPER/claim_ID.c and a row in src/claim/catalogue.c
 * (tools/add_claim.sh does both).
 *
 *     const at_claim *c = at_claim_find("match2");
 *     at_params p; at_params_init(&p, c->params, c->n_params);
 *     at_program *P; at_claim_program(c, &p, &P, &err);
 */
#ifndef ATTEST_CLAIM_H
#define ATTEST_CLAIM_H

#include <attest/check.h>
#include <attest/program.h>

typedef enum { AT_TIER_QUICK, AT_TIER_FULL } at_tier;

/* One question to the catalogue. A control is the same question with one thing changed; it must be
 * rejected by a counterexample. */
typedef struct {
    const char *params;  /* "N=6 M=11": what differs from the defaults; ranges "N=0..4" mean every point */
    const char *control; /* NULL, or the one assignment that breaks the claim: "c=0.05", or "arith=p9" */
    at_evidence evidence;
    at_enum how;
    const char *arith; /* "f64", "f32", "p12", ... */
    /* SAMPLED, SIMULATED, REFUTED, and CERTIFIED of a trial: inputs, or models, in the full tier (the quick tier takes a
     * tenth). EXACT: 0, or the most that are run at a point; where there are more, so many are drawn */
    uint64_t inputs;
    at_tier tier;      /* QUICK: in both tiers; FULL: in the full tier only */
    const char *quick; /* NULL, or the params to use instead in the quick tier: a tenth of the inputs */
    bool count_all;    /* go on after a wrong input, and count them (at_question) */
    bool plain;        /* the verdict alone (at_question) */
} at_cell;

/* A table of numbers beside theory, e.g. least working precision against M. Rows are computed one by
 * one, so that they are resumable cells themselves. */
typedef struct at_claim at_claim;
typedef struct at_claim_file at_claim_file;
typedef struct {
    const char *id, *title;
    const char *const *columns; /* NULL-terminated */
    const char *x;              /* column to plot against; NULL: no plot */
    const char *const *rows;    /* NULL-terminated: parameter assignments, one a row */
    int quick_rows;             /* rows computed in the quick tier */
    bool logx, logy;
    const char *by; /* NULL, or the column that tells which line of a plot a row belongs to */
    const char *const
        *plots;           /* NULL: one plot of all columns; else NULL-terminated: a plot for each of these */
    const double *theory; /* NULL, or an exponent a plot, drawn dashed */
    const char *const
        *heat; /* NULL, or three columns: the report draws the third over the first two as a heat map */
    /* Fills one number a column; NAN where there is none. */
    at_status (*row)(const at_claim *c, const at_params *p, int threads, double *out, at_err *err);
} at_claim_table;

/* Is given a model on the way of a training, and after how many steps it was that. */
typedef at_status at_claim_frame(void *ctx, uint64_t step, const at_model *m, at_err *err);

struct at_claim {
    const char *id, *title, *source;
    const char *
        group; /* NULL, or the heading under which it is listed; else it goes by its id, or among the limits */
    const char *statement; /* one or two sentences */
    const char *proof;     /* the idea, a few lines; the steps stand beside the code */
    const at_param *params;
    int n_params;
    const char *task;          /* id of the task it solves; NULL: it is a decoder, or a limit */
    const at_problem *problem; /* NULL, or the problem whose task or chain it is, instead of a name */
    /* NULL, or the problem at these parameters, instead of a name. It lives as long as the process. */
    at_status (*asks)(const at_params *p, const at_problem **out, at_err *err);
    /* Decoders: what they must write, and the assembled model with its stop rule. */
    const at_chain *chain;
    at_status (*decoder)(const at_params *p, at_model *m, at_err *err);
    /* Limits: no task, chain, program or decoder, but a trial that answers a cell: counts, protocols and refuters at these
     * parameters, which have the control's change in them already. limit: the cell's inputs, or a tenth of them in the
     * quick tier. The verdict has a note: what was found, or why it does not hold; a control is rejected by FALSE with a
     * note. */
    at_status (*trial)(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err);
    /* NULL, or the model that is right where no program makes it: of a limit, one that is as small as is known. */
    at_status (*right)(const at_params *p, at_model *m, at_err *err);
    /* Task parameters are those of the same name. */
    at_status (*program)(const at_params *p, at_program **out, at_err *err);
    double (*tolerance)(const at_params *p); /* real answers; NULL: integers */
    const at_cell *cells;
    int n_cells;
    const at_split *split; /* case split of its certificate; NULL: none */
    const at_box *box;     /* boxes of its certificate, when inputs are real; NULL: none */
    const at_claim_table *tables;
    int n_tables;
    const char *look; /* an input whose attention is worth looking at; NULL: none */
    const char *look_params;
    /* NULL, or the training at look_params that a trial is about: `show` gets its models, from the first on, and a report draws the
     * attention of `look` in them as a film. The last is the end of it, and the model that at_claim_model gives. */
    at_status (*film)(const at_params *p, at_claim_frame *show, void *ctx, at_err *err);
    /* NULL, or the file that it was read from, which then has its program or its model, and the SHA-256 of that file. */
    const at_claim_file *file;
    const char *digest;
};

extern const at_claim *const at_catalogue[];
extern const int at_n_catalogue;
extern const at_registry at_claim_registry;
const at_claim *at_claim_find(const char *id);
/* As at_claim_find, but failing in words, with the nearest id. */
at_status at_claim_need(const char *id, const at_claim **out, at_err *err);
/* A trial about what small models cannot do; the other trials (trainings, say) have a group. */
bool at_claim_is_limit(const at_claim *c);
/* Its program at these parameters, and its model. A limit has neither; the model of a training is made by training. */
bool at_claim_has_program(const at_claim *c);
at_status at_claim_program(const at_claim *c, const at_params *p, at_program **out, at_err *err);
at_status at_claim_model(const at_claim *c, const at_params *p, at_model *m, at_err *err);
/* How far real answers may be off; 0: they are integers. */
double at_claim_tolerance(const at_claim *c, const at_params *p);
/* ---- claims without C --------------------------------------------------------------------------------
 *
 * A text file that names a problem, a program, a model or a recurrence, questions and controls (docs/claimfile.md). What is read is
 * an at_claim like those of the catalogue; it lives as long as the file's. Faults are "path:line:column: ...". */
at_status at_claim_file_load(const char *path, at_claim_file **out, at_err *err);
const at_claim *at_claim_file_claim(const at_claim_file *f);
const char *at_claim_file_text(const at_claim_file *f); /* all of it */
/* What `attest check` is given to ask it again: the file, or the model with its problem and sizes. */
const char *at_claim_file_words(const at_claim_file *f);
void at_claim_file_free(at_claim_file *f); /* NULL is allowed */

/* ---- a question of one's own: does this model solve that problem? -------------------------------------------
 *
 *     at_ask q = {.problem = problem, .model = "m.safetensors", .set = "M=11", .lengths = "1..6"};
 *     at_claim_file *f;
 *     at_claim_ask(&q, &f, NULL, &err);                       // like a claim of the catalogue, but without controls
 *     at_job_check((const at_claim *[]){at_claim_file_claim(f)}, 1, &job, &sum, &err);
 */
typedef enum { AT_ASK_ANY, AT_ASK_EXACT, AT_ASK_SAMPLED, AT_ASK_CERTIFIED } at_ask_how;
typedef struct {
    at_problem *problem; /* must outlive the claim */
    const char *model;   /* a file; NULL: the problem itself is compiled (front.h) */
    const at_model
        *given; /* NULL, or the model itself, which must outlive the claim; `model` is what it is called */
    const char *set;     /* NULL, or assignments; integers may be ranges */
    const char *lengths; /* NULL, or "0..6": of problems with a length N; else those that the model takes */
    at_ask_how how;      /* ANY: exact where that is quick, else sampled */
    uint64_t inputs;     /* SAMPLED: so many at each point; 0: a thousand */
    const char *arith;   /* NULL: f64 */
    double tolerance;    /* real answers; 0: the problem's own, if it has one */
    int attention;       /* compiled: an at_attention_kind, or -1: all that apply */
    /* Languages that are compiled: lengths at which nothing is defined are left out; and, how ANY, long words are asked about, too, and unless
     * `arith` is given there is a table of how many words of a length are wrong in f64 and f32 and of the bits that are enough. */
    bool reach;
} at_ask;
/* Fails in words where the model does not fit the problem: which field, width or length differs. Kinds of attention that do not
 * apply are left out, and `left_out` (may be NULL) says why, a line each. */
at_status at_claim_ask(const at_ask *q, at_claim_file **out, at_text *left_out, at_err *err);

/* The answer to a cell at parameters that have its control's change in them already: the claim's certificate, its
 * task or its chain, whatever it has. limit: inputs of a sampled cell. */
at_status at_claim_check(const at_claim *c, const at_cell *cell, const at_params *p, const at_model *m,
                         uint64_t limit, uint64_t seed, const at_check_env *env, at_arena *a, at_verdict *out,
                         at_err *err);
/* The arithmetic of a cell: its own, or that of a control "arith=...". */
const char *at_cell_arith(const at_cell *cell);
/* The points of a cell: the claim's defaults, the cell's parameters, then `set` (or NULL), then its control. */
at_status at_cell_sweep(const at_claim *c, const at_cell *cell, at_tier tier, const char *set, at_sweep *out,
                        at_err *err);
/* The chain of a claim that has one, opened at these parameters; its `close` ends it. */
at_status at_claim_chain_open(const at_claim *c, const at_params *p, void **self, at_err *err);
/* Task parameters from a claim's. */
at_status at_claim_task(const at_claim *c, const at_params *p, const at_task **t, at_params *tp, at_err *err);

#endif
