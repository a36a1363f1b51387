/* hard_refute.h: trials of refuters on attention layers: the part `refute` of claims of limits.
 *
 * `limit` models of one kind, drawn at random or trained, must each be refuted by a pair (hard_trial_run). HARD_RIGHT tries the
 * catalogue's own construction instead, with every search there is: it must not be refuted. The arithmetic is the cell's. */
#ifndef ATTEST_CLAIM_HARD_REFUTE_H
#define ATTEST_CLAIM_HARD_REFUTE_H

#include <attest/claim.h>

#include "hard_nets.h"

/* One layer, on whatever task. */
typedef struct {
    int weights; /* HARD_RANDOM, HARD_TRAINED, HARD_RIGHT: in this order also `model` of claim_simulate.h */
    int heads, dim, steps;
    const at_cell *cell;
    uint64_t limit, seed;
    const at_check_env *env;
} hard_layer;
at_status hard_refute_compose(const hard_layer *h, int n, at_arena *a, at_verdict *out, at_err *err);
at_status hard_refute_match3(const hard_layer *h, int N, int M, at_arena *a, at_verdict *out, at_err *err);
at_status hard_refute_triangle(const hard_layer *h, int N, at_arena *a, at_verdict *out, at_err *err);
/* Vectors in R^d, N = 2q+1, tolerance 1/(2q). */
at_status hard_refute_qsa(const hard_layer *h, int q, int d, at_arena *a, at_verdict *out, at_err *err);

#endif
