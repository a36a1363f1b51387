/* recurrence.h: a recurrent net taken position by position, as recurrence.c keeps it and recurrence.inc works on it (private to
 * exec).
 *
 * Legend: t position (the model's prefix counts), T positions in all, D width, S numbers of all states together,
 *         N one number of the arithmetic: float or double. */
#ifndef ATTEST_EXEC_RECURRENCE_H
#define ATTEST_EXEC_RECURRENCE_H

#include "exec_internal.h"

typedef struct {
    size_t size; /* of N */
    /* Position t: state (S) moves on. row NULL: a prefix row of the model. value: NULL, or the readout (R). */
    at_status (*step)(at_recurrence *r, int t, const double *row, double *state, double *value);
} recur_ops;
extern const recur_ops ref_forward_f32_recur, ref_forward_f64_recur, ref_forward_pbit_recur;

struct at_recurrence {
    ref_ctx c; /* arena: this one; err: of the call */
    at_arena arena;
    const recur_ops *ops;
    int T, numbers;            /* S */
    double *first;             /* (S) state before the first row of the input */
    void *x, *normed, *result; /* (D) N */
    void *a, *u, *h;           /* the widest G*S of a block, G*S, S: N */
    void *line, *read;         /* the widest row of weights, (R) N */
    int *index;                /* as line */
};

#endif
