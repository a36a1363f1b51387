/* reference_f32.c: the reference in f32: the machine's float. GELU goes through double and is rounded once. */
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "exec_internal.h"

#define NUM              float
#define FORWARD          ref_forward_f32
#define s_round(c, d)    ((void)(c), (float)(d))
#define s_add(c, a, b)   ((void)(c), (a) + (b))
#define s_sub(c, a, b)   ((void)(c), (a) - (b))
#define s_mul(c, a, b)   ((void)(c), (a) * (b))
#define s_div(c, a, b)   ((void)(c), (a) / (b))
#define s_weigh(c, w, x) s_mul(c, w, x)
#define s_sqrt(c, a)     ((void)(c), sqrtf(a))
#define s_exp(c, a)      ((void)(c), exp_or_zero(a))
#define s_gelu(c, a)     ((void)(c), gelu(a))

/* For decode_near.inc. */
#define EXP_ZERO 104
#define UNIT     0x1p-24
#define LEAST    0x1p-149
#define LARGEST  0x1.fffffep127
typedef float VEC __attribute__((vector_size(16)));
#define VEC_SET(x)     ((VEC){x, x, x, x})
#define VEC_EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define VEC_ODD(a, b)  __builtin_shufflevector(a, b, 1, 3, 5, 7)
#ifdef __SSE2__
#define VEC_MAX(a, b) ((VEC)_mm_max_ps((__m128)(a), (__m128)(b)))
#else
typedef int32_t VEC_MASK __attribute__((vector_size(16)));
#define VEC_MAX(a, b) ((VEC)((((a) > (b)) & (VEC_MASK)(a)) | (~((a) > (b)) & (VEC_MASK)(b))))
#endif

/* expf, without the C library's slow way to 0: below -104 it is less than half of the least float. */
static inline float exp_or_zero(float x)
{
    return x < -EXP_ZERO ? 0 : expf(x);
}

static inline float gelu(double x)
{
    return x == -INFINITY ? 0 : (float)(x * (0.5 * erfc(-x * M_SQRT1_2)));
}

#include "reference_scalar.inc"
#include "reference_float.inc"
#include "rows.inc"
#include "reference.inc"
#ifndef WITHOUT_STAGES /* a twin of the arithmetic in a test */
#define WEIGH ref_weigh_f
#include "reference_weigh.inc"
#endif
