/* job.h: the catalogue at work: cells become verdicts in the ledger, resumably.
 *
 *     at_job job = {.ledger = l, .tier = AT_TIER_QUICK};
 *     at_job_summary sum;
 *     at_job_check(claims, n, &job, &sum, &err);
 */
#ifndef ATTEST_JOB_H
#define ATTEST_JOB_H

#include <attest/claim.h>
#include <attest/learn.h>
#include <attest/store.h>

const char *at_version(void);  /* "0.1.0" */
const char *at_build_id(void); /* 16 hex digits over all sources: a new build serves no old verdict */

/* What happened to one cell, told as soon as it is known. */
typedef struct {
    const at_claim *claim;
    const at_row *row;
    bool good;   /* a claim that holds, a control that is rejected, a table row that was computed */
    bool served; /* found in the ledger, not computed again */
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

typedef struct {
    int claims, held; /* claims all of whose cells are good */
    int controls, rejected;
    int cells, bad, unknown, served;
    double seconds;
} at_job_summary;

at_status at_job_check(const at_claim *const *claims, int n, const at_job *job, at_job_summary *out,
                       at_err *err);

/* A counterexample with the attention row of the wrong position, as text. */
at_status at_counterexample_text(const at_model *m, at_arith a, const at_counterexample *cx, at_text *out,
                                 at_err *err);

/* ---- sweeps: a grid of trainings ------------------------------------------------------------------------
 *
 *     at_grid g = {.preset = at_preset_find("quick")};
 *     at_grid_cell *cells; int n;
 *     at_grid_make(&g, &arena, &cells, &n, &err);
 *     at_job_sweep(cells, n, &(at_sweep_job){.ledger = l, .threads = 2}, &sum, &err);
 *
 * A cell is one training: task, size, attention, width, seed. Its record has the role "trained" and a detail that
 * docs/sweep.md describes. */
typedef struct {
    const char *stream;
    const char *size;         /* its parameter that is the size */
    const char *const *sizes; /* parameters of each, "n=10 range=25", smallest first; NULL ends them */
    const char *recipe;       /* NULL, or settings for this task that come after the preset's */
    const int *widths;        /* 0 ends them */
} at_grid_task;
typedef struct {
    const char *id, *about;
    const char *recipe;
    const at_grid_task *tasks;
    int n_tasks;
    int seeds; /* 1, 2, ..., so many */
} at_preset;
extern const at_preset *const at_presets[];
extern const int at_n_presets;
const at_preset *at_preset_find(const char *id); /* NULL when unknown */

/* What is to be run: a preset, or less or other than it. Lists are words between commas; NULL: the preset's. */
typedef struct {
    const at_preset *preset;
    const char *const *tasks; /* ids of streams, among the preset's; */
    int n_tasks;              /* 0: all */
    const char *attentions, *widths, *seeds;
    const char *recipe; /* NULL, or settings that come last */
} at_grid;
typedef struct {
    const at_preset *preset;
    const at_grid_task *task;
    const char *params; /* canonical */
    double size;
    at_recipe recipe;
} at_grid_cell;
at_status at_grid_make(const at_grid *g, at_arena *arena, at_grid_cell **cells, int *n, at_err *err);

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
    at_ledger *ledger; /* NULL: nothing is kept */
    int threads;       /* so many cells at a time, each with one thread; results do not depend on it */
    const at_progress *progress;
    void (*told)(void *ctx, const at_sweep_event *e); /* one at a time */
    void *ctx;
} at_sweep_job;
typedef struct {
    int cells, good, served; /* good: at least 90% of answers */
    double seconds;
} at_sweep_summary;
at_status at_job_sweep(const at_grid_cell *cells, int n, const at_sweep_job *job, at_sweep_summary *out,
                       at_err *err);

#endif
