/* job.h: the catalogue at work: cells become verdicts in the ledger, resumably.
 *
 *     at_job job = {.ledger = l, .tier = AT_TIER_QUICK};
 *     at_job_summary sum;
 *     at_job_check(claims, n, &job, &sum, &err);
 */
#ifndef ATTEST_JOB_H
#define ATTEST_JOB_H

#include <attest/claim.h>
#include <attest/lang.h>
#include <attest/learn.h>
#include <attest/refute.h>
#include <attest/store.h>
#include <attest/train.h>

AT_API const char *at_version(void);  /* "0.1.0" */
AT_API const char *at_build_id(void); /* 16 hex digits over all sources: a new build serves no old verdict */

/* What happened to one cell, told as soon as it is known. */
typedef struct {
    const at_claim *claim;
    const at_row *row;
    bool
        good; /* nothing against it: a cell that holds, a control that is rejected or idle, a table that was computed */
    bool served;                /* found in the ledger, not computed again */
    const char *counterexample; /* NULL, or several lines: the input, what came out, the attention row */
} at_job_event;

typedef struct {
    at_ledger *ledger; /* NULL: nothing is kept */
    at_tier tier;
    int threads;
    uint64_t seed;
    const char *set;   /* NULL, or assignments that override the parameters of every cell */
    const char *arith; /* NULL, or the arithmetic of every cell that is run (certificates keep theirs) */
    const at_progress *progress;
    void (*told)(void *ctx, const at_job_event *e);
    void *ctx;
} at_job;

/* With `set` a control may have nothing to say at the asked size: it takes bits away, or changes a parameter that is set, both
 * at sizes of its own; or it is not rejected there, while the same check rejects it at its own size. It is told all the same,
 * as idle, with a note, and counts for nothing. */
typedef struct {
    int claims, held; /* claims that stand: at_tally_standing */
    int controls, rejected;
    int cells, bad, unknown, served;
    at_standing standing; /* of all claims together */
    double seconds;
} at_job_summary;

at_status at_job_check(const at_claim *const *claims, int n, const at_job *job, at_job_summary *out,
                       at_err *err);

/* A counterexample with the attention row of the wrong position, as text. */
at_status at_counterexample_text(const at_model *m, at_arith a, const at_counterexample *cx, at_text *out,
                                 at_err *err);

/* ---- refuting one model ------------------------------------------------------------------------------- */

typedef struct {
    const at_subject *subject;
    const char *task, *params; /* what it should compute: an id, and its parameters as text */
    at_ledger *ledger;         /* NULL: nothing is kept */
    at_refute_env env;
    const char *only; /* NULL, or the one refuter to use */
} at_refute_job;
typedef struct {
    at_refutation found;
    bool served;     /* an earlier run of this build found it; it was run again */
    uint64_t runs;   /* earlier runs that found nothing; this one drew other inputs than they did */
    uint64_t states; /* looked at in all of them and in this one */
} at_refute_report;
/* at_refute, whose finding, or what was tried, goes into the ledger; also when it is interrupted. */
at_status at_job_refute(const at_refute_job *job, at_arena *a, at_refute_report *out, at_err *err);

/* ---- ranks: several processes, on one machine or many ---------------------------------------------- */

/*     at_ranks *r;
 *     at_ranks_open(&r, &err);                       // one rank unless mpirun or srun started more
 *     at_train_ranks how = at_ranks_training(r);     // train together: at_trainer_ranks(t, &how, &err)
 *     ...
 *     s = at_ranks_close(r, s, &err);                // the same status on every rank
 *
 * Calls marked ALL are made by every rank, in the same order; the others wait for a rank that does not come. So a failure
 * that a rank meets alone goes through at_ranks_agree before the next such call. None of them allocates. */
typedef struct at_ranks at_ranks;

/* How many ranks the launcher says it started: 1 without one, 0 when it does not say. *rank (may be NULL): which one this is.
 * Loads nothing. Whoever works on one rank only refuses to start when it is not 1. */
int at_ranks_started(int *rank);
/* ALL. Loads attest_mpi.so when the launcher started more than one: AT_EREFUSED when it is missing, is of another
 * build, or sees other ranks than the launcher. Once a process. */
at_status at_ranks_open(at_ranks **out, at_err *err);
/* ALL. Agrees on the last status and frees r (NULL is allowed). */
at_status at_ranks_close(at_ranks *r, at_status mine, at_err *err);
int at_ranks_rank(const at_ranks *r);
int at_ranks_count(const at_ranks *r);

/* ALL. AT_OK when every rank says AT_OK; else the first failing rank's status and words, on all. *stop (may be NULL) becomes
 * true on all when it is on one. `same` must be equal on all when none fails. Also a barrier. */
at_status at_ranks_agree(at_ranks *r, at_status mine, bool *stop, uint64_t same, at_err *err);
/* ALL. Bytes begin[k]..begin[k+1]-1 of data, known to rank k, become known to all; begin: (count + 1), equal on all. */
at_status at_ranks_gather(at_ranks *r, void *data, const size_t *begin, at_err *err);
/* ALL. */
at_status at_ranks_broadcast(at_ranks *r, void *data, size_t bytes, int from, at_err *err);
/* ALL. x (n) becomes the sum over ranks, added in the order of ranks: the same bits on all, every time. */
at_status at_ranks_sum(at_ranks *r, double *x, size_t n, at_err *err);

at_train_ranks at_ranks_training(at_ranks *r); /* valid as long as r */

/* ---- independent cells spread over ranks ------------------------------------------------------------- */

/*     at_spread *w;
 *     at_spread_open(r, "sweep.db", cells, 0, &w, &err);
 *     while (!(s = at_spread_next(w, &k, &err)) && k < cells)
 *     {
 *         ... find cell k in at_spread_ledger(w), or compute it and put it there ...
 *         at_spread_done(w, k, true, &err);
 *     }
 *     s = at_spread_close(w, s, &err);
 *
 * Cells are handed out on demand. Every rank has a ledger of its own (a copy of DB to begin with); rank 0 merges them into
 * DB at the end. A rank that dies, at any moment, loses the cell it was at: what it had put is merged, and the others take the
 * cell over once the rank has been silent for `silence` seconds. When all are killed the next run begins by
 * merging what they left. Cells must be functions of their number: a rank that only seemed dead does one twice. */
typedef struct at_spread at_spread;

/* ALL; afterwards the ranks are apart: no other call marked ALL but at_ranks_close. silence 0: 30. With one rank the ledger is
 * DB itself. AT_EIO when another run is at work on DB. */
at_status at_spread_open(at_ranks *r, const char *db, size_t cells, double silence, at_spread **out,
                         at_err *err);
at_ledger *at_spread_ledger(at_spread *w);
/* The next cell of this rank, or `cells` when there is none: all are finished, or this rank has given up. Waits for cells of
 * other ranks as long as these may die; AT_ECANCEL when cancelled. Several threads may ask at once. */
at_status at_spread_next(at_spread *w, size_t *cell, at_err *err);
/* Every cell that was handed out comes back: finished, or not. A rank with a cell that is not finished gets no more, and the cell
 * is not tried again in this run. */
at_status at_spread_done(at_spread *w, size_t cell, bool finished, at_err *err);
/* Waits for the other ranks (unless cancelled) and merges; w (NULL is allowed) is freed. mine: how this rank's work ended. */
at_status at_spread_close(at_spread *w, at_status mine, at_err *err);
/* Merges what a killed run left beside DB, if it left anything; harmless when interrupted. For whoever only reads DB. */
at_status at_spread_merge(const char *db, at_err *err);

/* ---- sweeps: a grid of trainings ------------------------------------------------------------------------
 *
 *     at_grid g = {.preset = at_preset_find("quick")};
 *     at_grid_cell *cells; int n;
 *     at_grid_make(&g, &arena, &cells, &n, &err);
 *     at_job_sweep(cells, n, &(at_sweep_job){.db = "sweep.db", .threads = 2}, &sum, &err);
 *
 * A cell is one training: task, size, attention, width, seed. Its record has the role "trained" and a detail that
 * docs/sweep.md describes. */
typedef struct {
    const char *stream; /* or what a problem that is in no preset is called in the ledger, "my.dp#1a2b3c4d" */
    const char *size;   /* its parameter that is the size */
    const char *const *sizes; /* parameters of each, "n=10 range=25", smallest first; NULL ends them */
    const char *recipe;       /* NULL, or settings for this task that come after the preset's */
    const int *widths;        /* 0 ends them */
} at_grid_task;
typedef struct {
    const char *id, *about;
    const char *differs; /* NULL, or in what it is not what it stands for, a line each */
    const char *recipe;
    const at_grid_task *tasks;
    int n_tasks;
    int seeds;              /* 1, 2, ..., so many */
    const char *attentions; /* NULL: all three */
    bool twice;             /* streams of words: each training is examined at lengths n+2..2n, too */
} at_preset;
extern const at_preset *const at_presets[];
extern const int at_n_presets;
extern const at_registry at_preset_registry;
const at_preset *at_preset_find(const char *id); /* NULL when unknown */
/* SET behind the parameters that the preset gives this stream: those of the size that SET names, or of the smallest where it names none.
 * Of another size, those that all sizes of the preset share; false then, and for a stream that is not the preset's. p, set: may be NULL. */
bool at_preset_set(const at_preset *p, const char *stream, const char *set, at_text *out);

/* What is to be run: a preset, or less or other than it. Lists are words between commas; NULL: the preset's. */
typedef struct {
    const at_preset *preset;
    const char *const *tasks; /* tasks of the preset, or any problem with rows to learn: a name or a file */
    int n_tasks;              /* 0: all of the preset's */
    const char
        *set; /* NULL, or parameters of these problems, one of which may be a range: the sizes. Tasks of the
                               * preset are problems like any other then. */
    const char *attentions, *widths, *seeds;
    const char *recipe; /* NULL, or settings that come last */
} at_grid;
typedef struct {
    const at_preset *preset;
    const at_grid_task *task;
    const char *params; /* canonical */
    double size;
    at_recipe recipe;
    at_source
        *source; /* NULL: the task is a stream; else its rows, which cells that follow each other share */
    const char *stamp; /* NULL, or the hash of the file that they were read from */
} at_grid_cell;
/* Everything that can be refused before hours of training is refused here. */
at_status at_grid_make(const at_grid *g, at_arena *arena, at_grid_cell **cells, int *n, at_err *err);
void at_grid_release(at_grid_cell *cells, int n);         /* their rows; the cells are the arena's */
uint64_t at_grid_stamp(const at_grid_cell *cells, int n); /* of all files: for at_ranks_agree */

/* CPU seconds that each cell would take on this machine if no exam ended it, in cpu (n). Trains a little, for some seconds: a cell
 * of each attention and width. */
at_status at_grid_cost(const at_grid_cell *cells, int n, const at_progress *progress, double *cpu,
                       at_err *err);

/* What theory says of a decoder of this attention and width on this task: "constructible" (a construction of the catalogue
 * has no more width), "impossible" (a bound rules it out) or "silent"; why: one line. */
typedef struct {
    const char *mark;
    char why[160];
} at_mark_of;
at_status at_grid_mark(const at_grid_cell *c, at_mark_of *out, at_err *err);

typedef struct {
    const at_grid_cell *cell;
    const at_row *row;
    bool served;
    int done, of;
} at_sweep_event;
typedef struct {
    at_ranks *ranks; /* who shares the cells (at_ranks_open) */
    const char *db;  /* the ledger */
    int threads;     /* so many cells at a time, each with one thread; results do not depend on it */
    const at_progress *progress;
    void (*told)(void *ctx, const at_sweep_event *e); /* one at a time; of this rank's cells */
    /* May be NULL. On rank 0, when all ranks have ended and their ledgers are merged: every cell of the grid, in its order. */
    void (*counted)(void *ctx, const at_sweep_event *e);
    void *ctx;
} at_sweep_job;
/* Of all ranks, whoever ran a cell; only rank 0 knows it, the others get zeros. */
typedef struct {
    int cells, good, served; /* finished; at least 90% of answers; in the ledger already */
    double seconds;
} at_sweep_summary;
at_status at_job_sweep(const at_grid_cell *cells, int n, const at_sweep_job *job, at_sweep_summary *out,
                       at_err *err);

#endif
