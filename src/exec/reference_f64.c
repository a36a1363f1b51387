/* reference_f64.c: the reference in f64: the machine's double. GELU is x * Phi(x) with Phi from erfc, so that the left tail keeps its digits. */
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "../num/vec.h"
#include "exec_internal.h"

#define NUM              double
#define FORWARD          ref_forward_f64
#define s_round(c, d)    ((void)(c), (double)(d))
#define s_add(c, a, b)   ((void)(c), (a) + (b))
#define s_sub(c, a, b)   ((void)(c), (a) - (b))
#define s_mul(c, a, b)   ((void)(c), (a) * (b))
#define s_div(c, a, b)   ((void)(c), (a) / (b))
#define s_weigh(c, w, x) s_mul(c, w, x)
#define s_sqrt(c, a)     ((void)(c), sqrt(a))
#define s_exp(c, a)      ((void)(c), exp_or_zero(a))
#define s_gelu(c, a)     ((void)(c), gelu(a))

/* For decode_near.inc. */
#define EXP_ZERO       746
#define UNIT           0x1p-53
#define LEAST          0x1p-1074
#define LARGEST        0x1.fffffffffffffp1023
#define VEC            at_vd
#define VEC_SET        vec_set_d
#define VEC_MAX        vec_max_d
#define VEC_EVEN(a, b) __builtin_shufflevector(a, b, 0, 2)
#define VEC_ODD(a, b)  __builtin_shufflevector(a, b, 1, 3)

/* exp, without the C library's slow way to 0: below -746 it is less than half of the least double. */
static inline double exp_or_zero(double x)
{
    return x < -EXP_ZERO ? 0 : exp(x);
}

static inline double gelu(double x)
{
    return x == -INFINITY ? 0 : x * (0.5 * erfc(-x * M_SQRT1_2));
}

#include "reference_scalar.inc"
#include "reference_float.inc"
#include "rows.inc"
#include "reference.inc"
#ifndef WITHOUT_STAGES /* a twin of the arithmetic in a test */
#define WEIGH ref_weigh_d
#include "reference_weigh.inc"
#endif
