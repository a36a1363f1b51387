/* qsa.h: what the refuters of sparse averaging share (qsa.c). */
#ifndef ATTEST_REFUTE_QSA_H
#define ATTEST_REFUTE_QSA_H

#include "refute_internal.h"

/* N positions, q subset size, d dimension of the vectors, row = d + q. */
typedef struct {
    int N, q, d, row;
} qsa_sizes;

/* Is the task qsa, and are the vectors the model's first field, as reals that may fill the unit ball? */
at_status qsa_fits(const at_subject *s, qsa_sizes *out, at_err *why);

/* The question that tells two inputs apart best, among those that look along one coordinate: diff (N, d) is z - z'. subset (q)
 * gets it, ascending, from 1; returns the distance of the two targets. side (may be NULL): the coordinate, negative with
 * minus 1 added where differences are negative. */
double qsa_ask(const qsa_sizes *z, const double *diff, double *subset, int *side);

/* x (N, row): zeros that all ask for {1..q}. */
void qsa_blank(const qsa_sizes *z, double *x);

#endif
