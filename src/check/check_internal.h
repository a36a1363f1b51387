/* check_internal.h: what the files of this module share. */
#ifndef ATTEST_CHECK_INTERNAL_H
#define ATTEST_CHECK_INTERNAL_H

#include <attest/check.h>

/* Shrinks the failing input x of length n under the reference, re-runs it, and fills in cx (in the arena).
 * *confirmed is false when the reference does not fail on x. */
at_status counterexample_shrink(const at_model *m, const at_task *t, const at_params *p, const at_question *q,
                                const double *x, int n, at_arena *a, at_counterexample *cx, bool *confirmed,
                                at_err *err);

/* What came out for one input, as in at_output; decided and radius are NULL where nothing is undecided. */
typedef struct {
    int positions;
    const double *decision, *margin, *radius;
    const uint8_t *decided;
} outcome;
outcome outcome_of(const at_output *y);

/* Where an outcome is not known to be the answer: -1 nowhere, else the position. *margin is the least
 * margin up to there. */
int answer_compare(const at_task *t, const at_params *p, double tolerance, const outcome *y,
                   const double *answer, double *margin);

/* Real answers: the distance of position i from the answer is at least the result with far false, at most
 * the result with far true. */
double answer_distance(const outcome *y, int i, int width, const double *answer, bool far);

#define PIECES_MAX (1ull << 24) /* some weeks */

/* The piece loop: n pieces, each computed by run(ctx, piece, worker, out); stops after the first failing
 * piece in order; the same result for every number of threads. total: for progress. */
typedef at_status piece_run(void *ctx, uint64_t piece, int worker, at_piece *out, at_err *err);
at_status pieces_run(uint64_t n, const at_check_env *env, const char *what, piece_run *run, void *ctx,
                     at_piece *total, at_err *err);
int pieces_workers(const at_check_env *env);

#endif
