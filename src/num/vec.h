/* vec.h: vectors of 64 bytes (AVX-512), 32 (AVX2) or 16 of floats (suffix f) or doubles (suffix d), and their exponentials.
 *
 * GCC's vector types are written once; a file compiled with AVX2 and FMA or AVX-512 gets one instruction for each
 * function below, any other file gets plain C that the compiler lowers to what the machine has. A lane
 * never looks at its neighbours, except in the transpose and where lanes are added up or compared.
 *
 * exp2: for x <= 0, 2^x = 2^n * p(x - n) with n the nearest integer. Adding 1.5 * 2^(mantissa bits)
 * rounds to n and leaves n in the low bits, so one shift puts it into the exponent. p is the
 * minimax polynomial of relative error with p(0) = 1: degree 6 errs 2.0e-9 (0.03 ulp of float), degree 11
 * errs 3.4e-18 (0.03 ulp of double). Below the least normal exponent (-126, -1022) the result is exactly
 * 0, also for x = -infinity; a NaN stays a NaN; x may be a little above 0 (rounding of a maximum).
 * exp: the same after Cody and Waite's reduction x - n ln 2 in two parts.
 * Error bounds that the test checks: 2 ulp for both, in both widths, with or without FMA. */
#ifndef ATTEST_NUM_VEC_H
#define ATTEST_NUM_VEC_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define AT_VEC_AVX512 1
#define AT_VEC_AVX2   0
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define AT_VEC_AVX512 0
#define AT_VEC_AVX2   1
#else
#define AT_VEC_AVX512 0
#define AT_VEC_AVX2   0
#endif

#define AT_VEC static inline __attribute__((always_inline, unused))
/* Before a loop with a small constant count: -O2 alone keeps arrays of vectors in memory. */
#define AT_UNROLL _Pragma("GCC unroll 16")

#define AT_VEC_BYTES (AT_VEC_AVX512 ? 64 : AT_VEC_AVX2 ? 32 : 16) /* 16: what nearly every machine has */
#define AT_VEC_TYPE  __attribute__((vector_size(AT_VEC_BYTES)))
typedef float at_vf AT_VEC_TYPE;
typedef int32_t at_vfi AT_VEC_TYPE;
typedef uint32_t at_vfu AT_VEC_TYPE;
typedef double at_vd AT_VEC_TYPE;
typedef int64_t at_vdi AT_VEC_TYPE;
typedef uint64_t at_vdu AT_VEC_TYPE;
#define AT_LANES_f (AT_VEC_BYTES / 4)
#define AT_LANES_d (AT_VEC_BYTES / 8)

#if AT_VEC_AVX512

AT_VEC at_vf vec_set_f(float x)
{
    return (at_vf)_mm512_set1_ps(x);
}
AT_VEC at_vd vec_set_d(double x)
{
    return (at_vd)_mm512_set1_pd(x);
}
AT_VEC at_vf vec_fma_f(at_vf a, at_vf b, at_vf c)
{
    return (at_vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
AT_VEC at_vd vec_fma_d(at_vd a, at_vd b, at_vd c)
{
    return (at_vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
AT_VEC at_vf vec_max_f(at_vf a, at_vf b)
{
    return (at_vf)_mm512_max_ps((__m512)a, (__m512)b);
}
AT_VEC at_vd vec_max_d(at_vd a, at_vd b)
{
    return (at_vd)_mm512_max_pd((__m512d)a, (__m512d)b);
}
AT_VEC at_vf vec_sqrt_f(at_vf a)
{
    return (at_vf)_mm512_sqrt_ps((__m512)a);
}
AT_VEC at_vd vec_sqrt_d(at_vd a)
{
    return (at_vd)_mm512_sqrt_pd((__m512d)a);
}
AT_VEC bool vec_any_f(at_vfi m)
{
    return _mm512_test_epi32_mask((__m512i)m, (__m512i)m) != 0;
}
AT_VEC bool vec_any_d(at_vdi m)
{
    return _mm512_test_epi64_mask((__m512i)m, (__m512i)m) != 0;
}

#elif AT_VEC_AVX2

AT_VEC at_vf vec_set_f(float x)
{
    return (at_vf)_mm256_set1_ps(x);
}
AT_VEC at_vd vec_set_d(double x)
{
    return (at_vd)_mm256_set1_pd(x);
}
AT_VEC at_vf vec_fma_f(at_vf a, at_vf b, at_vf c)
{
    return (at_vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
AT_VEC at_vd vec_fma_d(at_vd a, at_vd b, at_vd c)
{
    return (at_vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
AT_VEC at_vf vec_max_f(at_vf a, at_vf b)
{
    return (at_vf)_mm256_max_ps((__m256)a, (__m256)b);
}
AT_VEC at_vd vec_max_d(at_vd a, at_vd b)
{
    return (at_vd)_mm256_max_pd((__m256d)a, (__m256d)b);
}
AT_VEC at_vf vec_sqrt_f(at_vf a)
{
    return (at_vf)_mm256_sqrt_ps((__m256)a);
}
AT_VEC at_vd vec_sqrt_d(at_vd a)
{
    return (at_vd)_mm256_sqrt_pd((__m256d)a);
}
AT_VEC bool vec_any_f(at_vfi m)
{
    return _mm256_movemask_ps((__m256)m) != 0;
}
AT_VEC bool vec_any_d(at_vdi m)
{
    return _mm256_movemask_pd((__m256d)m) != 0;
}

#else

AT_VEC at_vf vec_set_f(float x)
{
    return (at_vf){x, x, x, x};
}
AT_VEC at_vd vec_set_d(double x)
{
    return (at_vd){x, x};
}
AT_VEC at_vf vec_fma_f(at_vf a, at_vf b, at_vf c)
{
    return a * b + c;
}
AT_VEC at_vd vec_fma_d(at_vd a, at_vd b, at_vd c)
{
    return a * b + c;
}
AT_VEC at_vf vec_max_f(at_vf a, at_vf b)
{
    at_vfi m = a > b;
    return (at_vf)((m & (at_vfi)a) | (~m & (at_vfi)b));
}
AT_VEC at_vd vec_max_d(at_vd a, at_vd b)
{
    at_vdi m = a > b;
    return (at_vd)((m & (at_vdi)a) | (~m & (at_vdi)b));
}
AT_VEC at_vf vec_sqrt_f(at_vf a)
{
    for (int i = 0; i < AT_LANES_f; i++)
        a[i] = sqrtf(a[i]);
    return a;
}
AT_VEC at_vd vec_sqrt_d(at_vd a)
{
    for (int i = 0; i < AT_LANES_d; i++)
        a[i] = sqrt(a[i]);
    return a;
}
AT_VEC bool vec_any_f(at_vfi m)
{
    at_vdi w = (at_vdi)m;
    return (w[0] | w[1]) != 0;
}
AT_VEC bool vec_any_d(at_vdi m)
{
    return (m[0] | m[1]) != 0;
}

#endif

/* a where m, else b; and a where m, else 0 */
AT_VEC at_vf vec_select_f(at_vfi m, at_vf a, at_vf b)
{
    return (at_vf)((m & (at_vfi)a) | (~m & (at_vfi)b));
}
AT_VEC at_vd vec_select_d(at_vdi m, at_vd a, at_vd b)
{
    return (at_vd)((m & (at_vdi)a) | (~m & (at_vdi)b));
}
AT_VEC at_vf vec_keep_f(at_vfi m, at_vf a)
{
    return (at_vf)(m & (at_vfi)a);
}
AT_VEC at_vd vec_keep_d(at_vdi m, at_vd a)
{
    return (at_vd)(m & (at_vdi)a);
}

/* p(r) * 2^n, n in the low bits of t: the tail of both exponentials. Unsigned, since lanes out of range wrap
 * before they are masked. */
AT_VEC at_vf vec_scaled_f(at_vf r, at_vf t)
{
    at_vf p = vec_set_f(0x1.41fbbc2673e87p-13f);
    p = vec_fma_f(p, r, vec_set_f(0x1.5f3e52ee1df78p-10f));
    p = vec_fma_f(p, r, vec_set_f(0x1.3b2d4cf1813f3p-7f));
    p = vec_fma_f(p, r, vec_set_f(0x1.c6aee88e9f0e3p-5f));
    p = vec_fma_f(p, r, vec_set_f(0x1.ebfbdc3c3101cp-3f));
    p = vec_fma_f(p, r, vec_set_f(0x1.62e430af2708cp-1f));
    p = vec_fma_f(p, r, vec_set_f(1));
    return (at_vf)((at_vfu)p + ((at_vfu)t << 23));
}
AT_VEC at_vd vec_scaled_d(at_vd r, at_vd t)
{
    at_vd p = vec_set_d(0x1.e79bb6fc55606p-32);
    p = vec_fma_d(p, r, vec_set_d(0x1.e61b4f9a207f5p-28));
    p = vec_fma_d(p, r, vec_set_d(0x1.b5267cdfd91eep-24));
    p = vec_fma_d(p, r, vec_set_d(0x1.62bfc79d4b59fp-20));
    p = vec_fma_d(p, r, vec_set_d(0x1.ffcbfba980f96p-17));
    p = vec_fma_d(p, r, vec_set_d(0x1.4309130ed8cd5p-13));
    p = vec_fma_d(p, r, vec_set_d(0x1.5d87fe78cd6cfp-10));
    p = vec_fma_d(p, r, vec_set_d(0x1.3b2ab6fba011ap-7));
    p = vec_fma_d(p, r, vec_set_d(0x1.c6b08d7049fe8p-5));
    p = vec_fma_d(p, r, vec_set_d(0x1.ebfbdff82c5a4p-3));
    p = vec_fma_d(p, r, vec_set_d(0x1.62e42fefa39efp-1));
    p = vec_fma_d(p, r, vec_set_d(1));
    return (at_vd)((at_vdu)p + ((at_vdu)t << 52));
}

#define AT_ROUND_f 0x1.8p23f
#define AT_ROUND_d 0x1.8p52
#define AT_LEAST_f (-126.0f) /* least exponent of a normal number */
#define AT_LEAST_d (-1022.0)

AT_VEC at_vf vec_exp2_f(at_vf x)
{
    at_vf t = x + vec_set_f(AT_ROUND_f);
    at_vf e = vec_scaled_f(x - (t - vec_set_f(AT_ROUND_f)), t);
    return vec_keep_f(~(x < vec_set_f(AT_LEAST_f)), e);
}
AT_VEC at_vd vec_exp2_d(at_vd x)
{
    at_vd t = x + vec_set_d(AT_ROUND_d);
    at_vd e = vec_scaled_d(x - (t - vec_set_d(AT_ROUND_d)), t);
    return vec_keep_d(~(x < vec_set_d(AT_LEAST_d)), e);
}
AT_VEC at_vf vec_exp_f(at_vf x)
{
    at_vf t = vec_fma_f(x, vec_set_f(0x1.715476p0f), vec_set_f(AT_ROUND_f));
    at_vf n = t - vec_set_f(AT_ROUND_f);
    at_vf r = vec_fma_f(n, vec_set_f(-0x1.62e4p-1f), x); /* n * high part is exact: 15 bits of ln 2 */
    r = vec_fma_f(n, vec_set_f(-0x1.7f7d1cp-20f), r);
    at_vf e = vec_scaled_f(r * vec_set_f(0x1.715476p0f), t);
    return vec_keep_f(~(x < vec_set_f(-87.0f)), e);
}
AT_VEC at_vd vec_exp_d(at_vd x)
{
    at_vd t = vec_fma_d(x, vec_set_d(0x1.71547652b82fep0), vec_set_d(AT_ROUND_d));
    at_vd n = t - vec_set_d(AT_ROUND_d);
    at_vd r = vec_fma_d(n, vec_set_d(-0x1.62e42fefap-1), x); /* 37 bits of ln 2 */
    r = vec_fma_d(n, vec_set_d(-0x1.cf79abc9e3b398p-40), r);
    at_vd e = vec_scaled_d(r * vec_set_d(0x1.71547652b82fep0), t);
    return vec_keep_d(~(x < vec_set_d(-708.0)), e);
}

/* 1 / x for x in 1 .. 2^20, within 1 ulp: AVX-512 divides slowly, and its estimate of 14 bits needs one step of Newton's. */
AT_VEC at_vf vec_reciprocal_f(at_vf x)
{
#if AT_VEC_AVX512
    at_vf r = (at_vf)_mm512_rcp14_ps((__m512)x), one = vec_set_f(1);
    return vec_fma_f(r, vec_fma_f(-x, r, one), r);
#else
    return vec_set_f(1) / x;
#endif
}

/* Phi(x), the normal distribution. Phi(-a) = exp(-a^2/2) t p(t), t = 1/(1 + 0.26 a), p of degree 8 with a relative
 * error of 2.2e-8 for a <= 13.5; beyond, it is below every normal float, so that a may stay at `far`, whose square is
 * a float. a^2 is kept in two parts, or else exp would see its rounding. bell: exp(-a^2/2), which a slope needs too. */
AT_VEC at_vf vec_phi_bell_f(at_vf x, at_vf *bell)
{
    static const float p[] = {0x1.f85b98p-6f,  -0x1.3bc788p-3f, 0x1.046bd6p-2f,
                              -0x1.3bd06ep-3f, 0x1.4e4664p-3f,  0x1.99fc54p-5f,
                              0x1.a70e92p-4f,  0x1.a5ce96p-4f,  0x1.a90190p-4f};
    at_vf one = vec_set_f(1), a = vec_max_f(x, -x), far = vec_set_f(0x1p13f),
          b = vec_select_f(a > far, far, a);
    at_vf square = b * b, rest = vec_fma_f(b, b, -square);
    at_vf t = one / vec_fma_f(a, vec_set_f(0x1.0a3d7p-2f), one), sum = vec_set_f(p[0]);
    AT_UNROLL
    for (size_t k = 1; k < sizeof p / sizeof *p; k++)
        sum = vec_fma_f(sum, t, vec_set_f(p[k]));
    at_vf e = vec_exp_f(vec_set_f(-0.5f) * square);
    *bell = e = vec_fma_f(e, vec_set_f(-0.5f) * rest, e);
    at_vf tail = sum * t * e;
    return vec_select_f(x > vec_set_f(0), one - tail, tail);
}
AT_VEC at_vf vec_phi_f(at_vf x)
{
    at_vf bell;
    return vec_phi_bell_f(x, &bell);
}

/* Sum and maximum of all lanes, halves first. */
#if AT_VEC_AVX512 || AT_VEC_AVX2
#if AT_VEC_AVX512
#define AT_FOLD(op, v)                                                                                       \
    _mm256_##op##_ps(_mm512_castps512_ps256((__m512)(v)), _mm512_extractf32x8_ps((__m512)(v), 1))
#define AT_FOLD_D(op, v)                                                                                     \
    _mm256_##op##_pd(_mm512_castpd512_pd256((__m512d)(v)), _mm512_extractf64x4_pd((__m512d)(v), 1))
#else
#define AT_FOLD(op, v)   ((__m256)(v))
#define AT_FOLD_D(op, v) ((__m256d)(v))
#endif
#define AT_LANES_JOIN(name, op)                                                                              \
    AT_VEC float vec_##name##_f(at_vf v)                                                                     \
    {                                                                                                        \
        __m256 a = AT_FOLD(op, v);                                                                           \
        __m128 b = _mm_##op##_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));                    \
        b = _mm_##op##_ps(b, _mm_movehl_ps(b, b));                                                           \
        return _mm_cvtss_f32(_mm_##op##_ps(b, _mm_movehdup_ps(b)));                                          \
    }                                                                                                        \
    AT_VEC double vec_##name##_d(at_vd v)                                                                    \
    {                                                                                                        \
        __m256d a = AT_FOLD_D(op, v);                                                                        \
        __m128d b = _mm_##op##_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));                   \
        return _mm_cvtsd_f64(_mm_##op##_pd(b, _mm_unpackhi_pd(b, b)));                                       \
    }
AT_LANES_JOIN(sum, add)
AT_LANES_JOIN(most, max)
#else
AT_VEC float vec_sum_f(at_vf v)
{
    return (v[0] + v[2]) + (v[1] + v[3]);
}
AT_VEC double vec_sum_d(at_vd v)
{
    return v[0] + v[1];
}
AT_VEC float vec_most_f(at_vf v)
{
    float a = v[0] > v[2] ? v[0] : v[2], b = v[1] > v[3] ? v[1] : v[3];
    return a > b ? a : b;
}
AT_VEC double vec_most_d(at_vd v)
{
    return v[0] > v[1] ? v[0] : v[1];
}
#endif

/* Rows r[lane] become columns: out[c][lane] = r[lane][c]. */
#if AT_VEC_AVX512
/* From four quarters of each of a, b, c, d: quarter i of all four is the i-th result. */
AT_VEC void vec_quarters(__m512 a, __m512 b, __m512 c, __m512 d, __m512 *out, int by)
{
    __m512 low = _mm512_shuffle_f32x4(a, b, 0x44), high = _mm512_shuffle_f32x4(a, b, 0xee);
    __m512 low2 = _mm512_shuffle_f32x4(c, d, 0x44), high2 = _mm512_shuffle_f32x4(c, d, 0xee);
    out[0] = _mm512_shuffle_f32x4(low, low2, 0x88);
    out[by] = _mm512_shuffle_f32x4(low, low2, 0xdd);
    out[2 * by] = _mm512_shuffle_f32x4(high, high2, 0x88);
    out[3 * by] = _mm512_shuffle_f32x4(high, high2, 0xdd);
}
AT_VEC void vec_transpose_f(const float *const *row, at_vf *out)
{
    __m512 a[16], b[16], t[16];
    AT_UNROLL
    for (int i = 0; i < 8; i++) {
        __m512 x = _mm512_loadu_ps(row[2 * i]), y = _mm512_loadu_ps(row[2 * i + 1]);
        a[2 * i] = _mm512_unpacklo_ps(x, y);
        a[2 * i + 1] = _mm512_unpackhi_ps(x, y);
    }
    AT_UNROLL
    for (int i = 0; i < 16; i += 4) {
        b[i] = _mm512_shuffle_ps(a[i], a[i + 2], 0x44);
        b[i + 1] = _mm512_shuffle_ps(a[i], a[i + 2], 0xee);
        b[i + 2] = _mm512_shuffle_ps(a[i + 1], a[i + 3], 0x44);
        b[i + 3] = _mm512_shuffle_ps(a[i + 1], a[i + 3], 0xee);
    }
    AT_UNROLL
    for (int i = 0; i < 4; i++)
        vec_quarters(b[i], b[4 + i], b[8 + i], b[12 + i], t + i, 4);
    AT_UNROLL
    for (int i = 0; i < 16; i++)
        out[i] = (at_vf)t[i];
}
AT_VEC void vec_transpose_d(const double *const *row, at_vd *out)
{
    __m512 a[8], t[8];
    AT_UNROLL
    for (int i = 0; i < 4; i++) {
        __m512d x = _mm512_loadu_pd(row[2 * i]), y = _mm512_loadu_pd(row[2 * i + 1]);
        a[2 * i] = _mm512_castpd_ps(_mm512_unpacklo_pd(x, y));
        a[2 * i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(x, y));
    }
    for (int i = 0; i < 2; i++)
        vec_quarters(a[i], a[2 + i], a[4 + i], a[6 + i], t + i, 2);
    AT_UNROLL
    for (int i = 0; i < 8; i++)
        out[i] = (at_vd)t[i];
}
#elif AT_VEC_AVX2
AT_VEC void vec_transpose_f(const float *const *row, at_vf *out)
{
    __m256 a[8], b[8];
    for (int i = 0; i < 4; i++) {
        a[2 * i] = _mm256_loadu_ps(row[2 * i]);
        a[2 * i + 1] = _mm256_loadu_ps(row[2 * i + 1]);
        b[2 * i] = _mm256_unpacklo_ps(a[2 * i], a[2 * i + 1]);
        b[2 * i + 1] = _mm256_unpackhi_ps(a[2 * i], a[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        a[4 * i] = _mm256_shuffle_ps(b[4 * i], b[4 * i + 2], 0x44);
        a[4 * i + 1] = _mm256_shuffle_ps(b[4 * i], b[4 * i + 2], 0xee);
        a[4 * i + 2] = _mm256_shuffle_ps(b[4 * i + 1], b[4 * i + 3], 0x44);
        a[4 * i + 3] = _mm256_shuffle_ps(b[4 * i + 1], b[4 * i + 3], 0xee);
    }
    for (int i = 0; i < 4; i++) {
        out[i] = (at_vf)_mm256_permute2f128_ps(a[i], a[4 + i], 0x20);
        out[4 + i] = (at_vf)_mm256_permute2f128_ps(a[i], a[4 + i], 0x31);
    }
}
AT_VEC void vec_transpose_d(const double *const *row, at_vd *out)
{
    __m256d r0 = _mm256_loadu_pd(row[0]), r1 = _mm256_loadu_pd(row[1]);
    __m256d r2 = _mm256_loadu_pd(row[2]), r3 = _mm256_loadu_pd(row[3]);
    __m256d a = _mm256_unpacklo_pd(r0, r1), b = _mm256_unpackhi_pd(r0, r1);
    __m256d c = _mm256_unpacklo_pd(r2, r3), d = _mm256_unpackhi_pd(r2, r3);
    out[0] = (at_vd)_mm256_permute2f128_pd(a, c, 0x20);
    out[1] = (at_vd)_mm256_permute2f128_pd(b, d, 0x20);
    out[2] = (at_vd)_mm256_permute2f128_pd(a, c, 0x31);
    out[3] = (at_vd)_mm256_permute2f128_pd(b, d, 0x31);
}
#else
AT_VEC void vec_transpose_f(const float *const *row, at_vf *out)
{
    for (int c = 0; c < AT_LANES_f; c++)
        out[c] = (at_vf){row[0][c], row[1][c], row[2][c], row[3][c]};
}
AT_VEC void vec_transpose_d(const double *const *row, at_vd *out)
{
    for (int c = 0; c < AT_LANES_d; c++)
        out[c] = (at_vd){row[0][c], row[1][c]};
}
#endif

#endif
