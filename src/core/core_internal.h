/* core_internal.h: what the files of this module share. */
#ifndef ATTEST_CORE_INTERNAL_H
#define ATTEST_CORE_INTERNAL_H

#include <attest/core.h>

/* ---- elementary functions: elementary.c has the quick computation, elementary_limbs.c the precise one ------- */

typedef enum {
    ELEMENTARY_EXP,
    ELEMENTARY_EXPM1,
    ELEMENTARY_LOG,
    ELEMENTARY_LOG2,
    ELEMENTARY_POW,
    ELEMENTARY_SIN,
    ELEMENTARY_COS
} elementary;

/* f(x), of pow f(x, y), correctly rounded. Not for arguments with a dyadic value (exp 0, log 1, log2 and pow of powers of two, ...), nor
 * for those that are infinite, NaN, or tiny where f is flat: at_exp and its like answer these. */
double elementary_precise(elementary f, double x, double y);

/* x = m 2^e with m in [sqrt(1/2), sqrt 2); and log m within 2^-44. */
double elementary_split(double x, int *e);
double elementary_log_rough(double m);

#endif
