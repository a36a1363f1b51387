/* bound_test.h: what the tests of bounds share. */
#ifndef AT_BOUND_TEST_H
#define AT_BOUND_TEST_H

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../bound_internal.h"

#include <gmp.h>
#include <stdio.h>
#include <string.h>

#define OK(call)                                                                                             \
    do {                                                                                                     \
        at_err err = {0};                                                                                    \
        if ((call) != AT_OK)                                                                                 \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)

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
