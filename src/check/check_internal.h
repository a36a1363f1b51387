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

/* Does the question ask for the same fractions? */
bool answer_is_fractions(const at_task *t, const at_question *q);
/* The reference runs x; *wrong is as answer_compare has it. o lives in the arena, answer has room for (positions, out_width). */
at_status answer_try(const at_model *m, const at_task *t, const at_params *p, const at_question *q,
                     const at_input *x, at_arena *a, outcome *o, double *answer, double *margin, int *wrong,
                     at_err *err);

/* Real answers: the distance of position i from the answer is at least the result with far false, at most
 * the result with far true. */
double answer_distance(const outcome *y, int i, int width, const double *answer, bool far);

/* ---- what outputs depend on (affine.c) ------------------------------------------------------------------- */

/* The outputs as functions of the reals in one column of the rows, all other numbers being those of the input `zero`, in
 * which these are 0: at_zero[i * R] + sum_j coefficient[i (n+1) + j] x_j / unit for |x_j| <= unit, up to
 * coefficient[i (n+1) + n] and the rounding of f64. affine false: not shown; the coefficients are slopes at 0 then. The
 * digest is of all keys and values: inputs with equal ones differ in the queries of positions only. */
typedef struct {
    bool affine;
    double *at_zero;     /* (n, R) */
    double *coefficient; /* (n, n+1) */
    uint64_t digest[2];
} affine;
at_status affine_make(const at_model *m, const at_input *zero, int column, double unit, at_arena *arena,
                      affine *out, at_err *err);

/* ---- enumerations and what they stand for (reduce.c) ----------------------------------------------------- */

typedef struct {
    uint64_t count;   /* inputs to run */
    bool exact;       /* they stand for every input: its hypothesis was found in the weights */
    const char *note; /* NULL, or one line */
    /* PAIRS */
    bool bounded; /* no input of the size errs by more than `bound`, before rounding */
    double bound;
    int n, row, column; /* length, numbers a row, the one that is the real */
    double unit;        /* its largest size */
    uint64_t questions, drawn_from;
    signed char *sign; /* (questions, n): the reals that are worst */
} reduction;
at_status reduction_make(const at_model *m, const at_task *t, const at_params *p, const at_question *q,
                         const at_check_env *env, at_arena *a, reduction *r, at_err *err);
/* Input k < count of PAIRS. */
void reduction_nth(const reduction *r, const at_task *t, const at_params *p, uint64_t seed, uint64_t k,
                   double *x);

/* The verdict v holds, of `total` inputs of at most n rows: says in its note whether rounding may have turned hard choices on the way,
 * and then it is not exact. make: input i, whose memory lives until the worker's next call. */
typedef at_status ties_input(void *ctx, uint64_t i, int worker, at_input *x, at_err *err);
at_status ties_look(const at_model *m, at_arith arith, int n, uint64_t total, const at_check_env *env,
                    ties_input *make, void *ctx, at_arena *a, at_verdict *v, at_err *err);

#define PIECES_MAX (1ull << 24) /* some weeks */

/* The piece loop: n pieces, each computed by run(ctx, piece, worker, out); stops after the first failing
 * piece in order, unless all are asked for; the same result for every number of threads. total: for progress. */
typedef at_status piece_run(void *ctx, uint64_t piece, int worker, at_piece *out, at_err *err);
at_status pieces_run(uint64_t n, const at_check_env *env, const char *what, bool all, piece_run *run,
                     void *ctx, at_piece *total, at_err *err);
int pieces_workers(const at_check_env *env);
uint64_t piece_inputs(double cost); /* inputs of this cost in a piece */
/* Input i of a piece failed: is that its end? */
bool piece_fail(at_piece *out, uint64_t i, bool go_on);

#endif
