/* reference_f64.c: the reference in f64: the machine's double. GELU is x * Phi(x) with Phi from erfc, so that the left tail keeps its digits. */
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
#define EXP_ZERO 746
#define UNIT     0x1p-53
#define LEAST    0x1p-1074
#define LARGEST  0x1.fffffffffffffp1023
typedef double VEC __attribute__((vector_size(16)));
#define VEC_SET(x)     ((VEC){x, x})
#define VEC_EVEN(a, b) __builtin_shufflevector(a, b, 0, 2)
#define VEC_ODD(a, b)  __builtin_shufflevector(a, b, 1, 3)
#ifdef __SSE2__
#define VEC_MAX(a, b) ((VEC)_mm_max_pd((__m128d)(a), (__m128d)(b)))
#else
typedef int64_t VEC_MASK __attribute__((vector_size(16)));
#define VEC_MAX(a, b) ((VEC)((((a) > (b)) & (VEC_MASK)(a)) | (~((a) > (b)) & (VEC_MASK)(b))))
#endif

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
