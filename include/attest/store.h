/* store.h: the ledger, one SQLite file (WAL, schema versioned). Every verdict and every finished
 * piece of work goes in at once, so that kill -9 loses nothing finished.
 *
 *     at_ledger *l;
 *     at_ledger_open("attest.db", AT_LEDGER_WRITE, &l, &err);
 *     if (at_ledger_find(l, &key, &row, &arena, &err) == AT_OK && row) ... already decided by this build
 *     at_ledger_put(l, &key, &record, &err);
 */
#ifndef ATTEST_STORE_H
#define ATTEST_STORE_H

#include <attest/core.h>

typedef struct at_ledger at_ledger;
typedef enum { AT_LEDGER_READ, AT_LEDGER_WRITE } at_ledger_mode;

/* Strings are bytes, stored as they are (views escape them). Limits, both ways: 16 KiB for a string, 1 MiB for
 * detail and payload, 2^63-1 for inputs and piece. A handle is used by one thread at a time. */

/* A cell's identity. A verdict is served again only when all of it is equal. No string is NULL. */
typedef struct {
    const char *subject;    /* claim or task id */
    const char *params;     /* canonical "N=6 M=11" */
    const char *question;   /* canonical: evidence, enumeration, arithmetic, role, limits, seed */
    const char *model_hash; /* 64 hex digits */
    int check_version;
    const char *build; /* build id */
} at_cell_key;

/* What was found. Strings may be NULL. */
typedef struct {
    const char *role;     /* "claim" or "control" */
    const char *evidence; /* exact, certified, sampled, refuted */
    const char *verdict;  /* holds, fails, unknown; a control that says nothing at this size: idle */
    const char *arithmetic;
    uint64_t inputs; /* inputs covered */
    double margin;   /* least margin; NaN when there is none */
    uint64_t seed;
    const char *detail; /* JSON object: counterexample, sizes, least precision, ... */
    const char *isa, *version;
    double seconds;
    const char *when; /* ISO 8601 UTC; at_ledger_put fills it in when NULL */
} at_record;

typedef struct {
    at_cell_key key;
    at_record rec;
} at_row;

/* Opens or creates. Both modes open foreign files defensively (trusted_schema off, no extensions, no triggers,
 * cell_size_check on, the schema equal to ours); READ never changes them, and fails later with AT_EIO
 * when a file that nobody was writing has changed since. A newer schema, a file that is not a ledger, a read-only
 * file opened for writing, a locked ledger: one line, AT_EIO/AT_EINPUT. */
at_status at_ledger_open(const char *path, at_ledger_mode mode, at_ledger **out, at_err *err);
void at_ledger_close(at_ledger *l);

at_status at_ledger_find(at_ledger *l, const at_cell_key *k, at_row **out, at_arena *a,
                         at_err *err); /* *out NULL: none */
at_status at_ledger_put(at_ledger *l, const at_cell_key *k, const at_record *r,
                        at_err *err); /* replaces; drops the cell's pieces */
bool at_ledger_now(char out[32]);     /* the date as at_ledger_put writes it; false: the clock gives none */
/* The rows in a fixed order (subject, params, question, role); build NULL: all builds. */
at_status at_ledger_rows(at_ledger *l, const char *build, at_row **rows, size_t *n, at_arena *a, at_err *err);
/* All rows of the ledger at this path, which is opened for it. */
at_status at_ledger_read(const char *path, at_row **rows, size_t *n, at_arena *a, at_err *err);

/* Pieces: finished parts of an unfinished cell, so that a killed run resumes in the middle. They are visited
 * in ascending order; payload lives until fn returns; fn must not use the ledger; its failure ends the visit. */
at_status at_ledger_piece_put(at_ledger *l, const at_cell_key *k, uint64_t piece, const char *payload,
                              at_err *err);
typedef at_status at_piece_fn(void *ctx, uint64_t piece, const char *payload, at_err *err);
at_status at_ledger_pieces(at_ledger *l, const at_cell_key *k, at_piece_fn *fn, void *ctx, at_err *err);
/* Cells whose pieces or verdicts belong to other builds are kept (history) but never served. */

/* ---- what rows say together ----------------------------------------------------------------------------
 *
 *     at_tally t = {0};
 *     for (int i = 0; i < n; i++) at_tally_add(&t, &rows[i]);        // the rows of one claim
 *     at_tally_standing(&t);                                         // does it stand?
 *
 * A cell stands when its verdict is "holds", a control when its verdict is "fails": it is rejected. Any other word but
 * the opposite one is open, and open is never a pass. Measurements, trained networks and refutations count for nothing,
 * nor does an idle control. */
typedef enum { AT_STANDS, AT_FALLS, AT_OPEN, AT_ABSENT } at_standing;
#define AT_STANDINGS 4
bool at_row_is_control(const at_row *r);
bool at_row_is_trained(const at_row *r); /* a training: what was measured, no verdict on a claim */
at_standing at_row_standing(const at_row *r);
typedef struct {
    int n[2][AT_STANDINGS]; /* cells, controls */
} at_tally;
void at_tally_add(at_tally *t, const at_row *r);
/* One that falls, falls; else one that is open is open; ABSENT: none counts. */
at_standing at_tally_role(const at_tally *t, bool control);
/* Of a claim: its cells hold and its controls are rejected. */
at_standing at_tally_standing(const at_tally *t);
/* "holds", "fails", "control not rejected", "unknown", "control undecided", "not checked". */
const char *at_tally_word(const at_tally *t);
/* Of several claims: each must stand. */
at_standing at_standing_of_all(const at_standing *one, size_t n);

/* How much a row rests on. PROOF: certified over all inputs; ALL: every input was run, or one that is wrong was found;
 * SOME: so many; ONE: a single one; NONE: undecided. Wherever a verdict is shown its sign stands beside it, and the
 * text with the number. */
typedef enum {
    AT_STRENGTH_NONE,
    AT_STRENGTH_ONE,
    AT_STRENGTH_SOME,
    AT_STRENGTH_ALL,
    AT_STRENGTH_PROOF,
    AT_STRENGTHS
} at_strength;
extern const char *const at_strength_signs[AT_STRENGTHS]; /* UTF-8, one column each */
extern const char *const at_strength_names[AT_STRENGTHS]; /* for classes of HTML, and JSON */
at_strength at_row_strength(const at_row *r);
/* "sampled, 4000 inputs"; noun: what is counted, "input" or "case". */
#define AT_EVIDENCE_TEXT 80
void at_row_evidence(const at_row *r, const char *noun, char out[AT_EVIDENCE_TEXT]);

/* ---- findings: what the detail of a record says ------------------------------------------------------------
 *
 *     at_finding f;
 *     at_finding_of_row(row, &arena, &f, &err);
 *     if (f.kind == AT_FINDING_TABLE && !f.broken)
 *         puts(f.table.title);
 *
 * A detail is a JSON object, and here is the one place that writes and reads it. Ledgers are foreign: what is read has the
 * right types, is finite where it must be, and is within the limits below. A key that is missing is absent (NULL, NaN,
 * 0); one that is unknown or damaged is absent too, and kept as text in `more`. A detail of which nothing can be used is
 * broken, in words. Strings live in the arena. */

/* Of the model that was checked. */
typedef struct {
    int layers, heads, width, head_dim, hidden; /* 0..2^30 */
    uint64_t parameters, nonzero;               /* up to 2^53 */
    double largest;                             /* magnitude of a weight; NaN: not known */
} at_size_detail;

/* Of a claim that came from a file: what a ledger must hold so that it can be read without the file. */
typedef struct {
    const char *title, *source, *statement, *proof, *sha256;
    const char *text;   /* all of the file; NULL: it is too long to be kept */
    const char *repeat; /* what `attest check` is given to ask it again; NULL: older rows do not say */
} at_claim_detail;

typedef struct {
    const char *input;
    int position;                         /* from 1; 0: none */
    double expected, got;                 /* NaN: no number */
    const char *expected_word, *got_word; /* NULL, or what the numbers stand for */
    const char *chain;                    /* of a decoder: prompt, row, expected, written, in lines */
    const char *attention;                /* NULL, or rows of attention at the position, in lines */
} at_counterexample_detail;

/* Of a cell or a control. */
typedef struct {
    const at_size_detail *size;   /* NULL: there is no model */
    const at_claim_detail *claim; /* NULL: the catalogue has it */
    const char *control;          /* NULL, or the assignment that breaks the claim */
    const char *note;             /* NULL, or what was found, or why nothing was */
    const at_counterexample_detail *counterexample;
} at_verdict_detail;

/* A table of numbers, and what is to be drawn of it. */
#define AT_TABLE_COLUMNS 64 /* most columns; plots likewise */
typedef struct {
    const char *text; /* NULL: a number */
    double number;    /* NaN: none */
} at_table_entry;
typedef struct {
    const char *column;
    double exponent; /* in theory; NaN: none */
} at_table_plot;
typedef struct {
    const char *id, *title; /* may be NULL */
    const char *x, *by;     /* NULL, or the columns to plot against, and that tells lines apart */
    bool logx, logy;
    int n_columns, n_rows, n_plots;
    const char *const *columns;    /* (n_columns), at least one */
    const at_table_entry *entries; /* (n_rows, n_columns) */
    const at_table_plot *plots;    /* (n_plots); none: one of all columns */
} at_table_detail;

/* Of a network that was trained. All keys are there, in range, or the finding is broken. */
#define AT_TRAINING_POINTS 400 /* most points of a curve */
typedef struct {
    const char *preset, *attention, *size_name;
    int64_t width, layers, heads, parameters, size, length, steps, batch, tokens;
    double rate, answer, chain;          /* accuracies: 0..1 */
    double first_wrong, gflops_to_90;    /* NaN: none */
    double gflops_chain, gflops_trained; /* NaN: not known */
    double twice;                        /* accuracy of answers at twice the length; NaN: not asked */
    double kl,
        entropy; /* of streams whose rows are drawn, nats a token; answer and chain are e^-KL then. NaN: others */
    const char *mark;        /* what theory says: silent, constructible, impossible */
    const char *why, *flags; /* may be NULL */
    int n_loss, n_accuracy;
    const double *loss_step, *loss; /* (n_loss) steps rise; a loss that was no number is NaN */
    const double *accuracy_step, *answer_at, *chain_at; /* (n_accuracy) */
} at_training_detail;

/* Of a model that refuters looked at. */
typedef struct {
    const char *refuter;
    uint64_t states;
    double work;       /* multiply-adds; NaN: older rows do not say */
    const char *words; /* what came of it */
} at_attempt_detail;
typedef struct {
    uint64_t runs, states; /* of all runs so far; up to 2^53 */
    uint64_t random_inputs;
    bool random_pair, random_wrong;
    int n_attempts;
    const at_attempt_detail *attempts;
    const char *method; /* NULL: nothing was found; else a refuter's id */
    const char *wrong;  /* the input that is answered wrongly */
    int n_pair;         /* 0..2 inputs that it cannot tell apart, or the one that is wrong */
    const char *pair[2];
} at_refutation_detail;

typedef enum {
    AT_FINDING_VERDICT,
    AT_FINDING_TABLE,
    AT_FINDING_TRAINING,
    AT_FINDING_REFUTATION
} at_finding_kind;
typedef struct {
    const char *key, *value; /* a string as it is, anything else as JSON */
    bool list;               /* the value is an array or an object */
} at_detail_pair;
typedef struct {
    at_finding_kind kind;
    union {
        at_verdict_detail verdict;
        at_table_detail table;
        at_training_detail training;
        at_refutation_detail refutation;
    };
    const char *broken; /* NULL, or why nothing of the above can be used: "width is no whole number in .." */
    int n_more;
    const at_detail_pair *more; /* what was not understood; not written */
} at_finding;

/* The detail as text. Strings that are not UTF-8 are cleaned; numbers that are not finite become null. */
at_status at_finding_write(const at_finding *f, at_arena *a, const char **json, at_err *err);
/* Fails only without memory. json NULL or empty: a verdict has no detail; other findings are broken. */
at_status at_finding_read(at_finding_kind kind, const char *json, at_arena *a, at_finding *out, at_err *err);
/* Of the kind that the record's role says. */
at_status at_finding_of_row(const at_row *r, at_arena *a, at_finding *out, at_err *err);

/* One row of a table, for pieces: an array of n entries. False: it is not such a row. */
at_status at_table_row_write(const at_table_entry *e, int n, at_arena *a, const char **json, at_err *err);
bool at_table_row_read(const char *json, int n, at_arena *a, at_table_entry *e);

#endif
