/* claim_compose.h: what the claims about function composition share: reading a table at a position that was computed.
 *
 * The score 2 t k - k^2 is -(t - k)^2 up to a constant of the row, so it is largest at the position k nearest to the target
 * t. With V the largest difference of values, N the length and scale lambda = ln(32 V N):
 *   Let t be off by e <= 1/(8N). A key at distance d from the one meant scores lower by lambda (d^2 - 2 d e) at least, and
 *   there are at most two of each distance, so the result moves by at most 2 V sum_d exp(-lambda (d^2 - 2 d e)). At N >= 2
 *   2 lambda e <= ln(32 N^2)/(4N) < 0.61 makes the first term at most 3.7 V exp(-lambda), and the others less than 0.3 V
 *   exp(-lambda): the error is at most 4 V exp(-lambda) = 1/(8N) again.
 * So look-ups may follow each other for ever, and an answer is off by at most 1/(8N). The scale grows like ln N; the
 * scores, lambda N^2, are what precision pays for. */
#ifndef ATTEST_CLAIM_COMPOSE_H
#define ATTEST_CLAIM_COMPOSE_H

#include "../claim_internal.h"

typedef struct {
    at_program *P;
    at_var here, here2; /* the position, from 1, and its square */
    at_mask_kind mask;
    int N;         /* length */
    double values; /* V, at least 1 */
} claim_reader;
/* scale: factor on all scales, 1 but for controls. */
claim_reader claim_reader_new(at_program *P, at_mask_kind mask, int N, double values, double scale);
/* The value at the target, an integer; one attention layer. */
at_var claim_read(const claim_reader *r, const char *name, at_var target, at_var value);

#define CLAIM_READER_SCALE                                                                                   \
    {                                                                                                        \
        "scale", "factor on the scale ln(32 V N)", 0.001, 16, 1, false                                       \
    }

/* The task at a claim's parameters, which may lack N: refuses what the task refuses. */
at_status claim_compose_task(const char *id, const at_params *p, const at_task **t, at_params *tp,
                             at_err *err);

/* Least p, and size: out[0] the least p from which on it holds, then width, largest head dimension, parameters. */
at_status claim_compose_size(const at_claim *c, const at_params *p, uint64_t inputs, int threads,
                             double out[4], at_err *err);

#endif
