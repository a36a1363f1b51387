/* qsa.h: what the bounds on averaging q of N vectors by attention share. */
#ifndef ATTEST_BOUND_QSA_H
#define ATTEST_BOUND_QSA_H

#include "bound_internal.h"

/* N >= 2q + 1: there are two disjoint sets, and one that asks. */
static inline bool qsa_long_enough(const mpz_t q, const mpz_t N)
{
    mpz_t t;
    mpz_init(t);
    mpz_mul_2exp(t, q, 1);
    bool out = mpz_cmp(N, t) > 0;
    mpz_clear(t);
    return out;
}

static inline at_status qsa_check(const mpz_t q, const mpz_t N, at_err *err)
{
    return qsa_long_enough(q, N) ? AT_OK
                                 : at_fail(err, AT_EDOMAIN, "the theorem wants N >= 2q+1, and N=%.0f q=%.0f",
                                           mpz_get_d(N), mpz_get_d(q));
}

#endif
