/* job.h: the catalogue at work: cells become verdicts in the ledger, resumably.
 *
 *     at_job job = {.ledger = l, .tier = AT_TIER_QUICK};
 *     at_job_summary sum;
 *     at_job_check(claims, n, &job, &sum, &err);
 */
#ifndef ATTEST_JOB_H
#define ATTEST_JOB_H

#include <attest/claim.h>
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

#endif
