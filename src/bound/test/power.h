/* power.h: powers of two, written out. */
#ifndef AT_TEST_POWER_H
#define AT_TEST_POWER_H

#include <gmp.h>
#include <stdbool.h>

/* 2^x < c, by writing out 2^x. */
static inline bool power_below(unsigned long x, const mpz_t c)
{
    mpz_t t;
    mpz_init_set_ui(t, 1);
    mpz_mul_2exp(t, t, x);
    bool out = mpz_cmp(t, c) < 0;
    mpz_clear(t);
    return out;
}

#endif
