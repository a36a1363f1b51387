/* rip.h: keys with small inner products, certified in exact integers. */
#ifndef ATTEST_CLAIM_RIP_H
#define ATTEST_CLAIM_RIP_H

#include "../claim_internal.h"

/* N vectors of +-1 in m dimensions, drawn from the seed: sign (N, m). */
void rip_draw(int N, int m, uint64_t seed, int8_t *sign);
int rip_inner(const int8_t *a, const int8_t *b, int m);

/* Solves G x = 1 for the Gram matrix of the chosen vectors, exactly: x = num/den. q <= RIP_EXACT_MAX. */
#define RIP_EXACT_MAX 4
typedef struct {
    int64_t num[RIP_EXACT_MAX], den; /* den > 0, or 0 when singular */
} rip_dual;
void rip_dual_solve(const int *gram, int q, rip_dual *out); /* gram (q, q) */

/* The largest |<w_S, u_j>| over all q-subsets S and j outside S, where <w_S, u_i> = 1 on S; stops early and
 * returns a value > limit once the limit is passed. Exact integer arithmetic: the certificate. */
double rip_off_support(const int8_t *sign, int N, int m, int q, double limit, int threads);

/* Draws until off-support values of all q-subsets are <= limit: the seed, or false after `tries`. */
bool rip_find(int N, int m, int q, double limit, int tries, int threads, int8_t *sign, double *off);

#endif
