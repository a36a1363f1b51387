/* pbit_fn.c: p-bit exp, gelu, sin and cos, correctly rounded.
 *
 * The idea (Ziv 1991): the C library gives y with |y - true| <= eps. When y-eps and y+eps round to the same
 * number of the format, so does the true value; else MPFR is asked. With p bits that happens about once in
 * 2^(47-p) calls, so MPFR is out of sight up to p ~ 40 and does all the work above 47.
 *
 * eps. The errors documented for glibc's double functions are below 1 ulp for exp, sin, cos (argument
 * reduction included) and at most 5 ulp for erfc; 1 ulp is at most 2^-52 relative. FN_REL = 2^-48 is 16 of
 * them. FN_ABS covers results that are subnormal in f64, which are far below any format that gets here:
 * with at most 10 exponent bits tiny is at least 2^-562. f64 itself (p53e11) always asks MPFR.
 *
 * gelu(x) = x*erfc(t)/2 at t = -x/sqrt2. The computed t has relative error below 2^-52 (the constant
 * and the product), which erfc amplifies by |t erfc'(t)/erfc(t)|: below 1 for t < 0, and at most
 * t(t + sqrt(t^2+2)) <= 2t^2 + 1 = x^2 + 1 for t > 0. Twice that is allowed, for the second order.
 *
 * None of the four is exactly a midpoint except at 0 (their values at other algebraic numbers are
 * transcendental: Lindemann-Weierstrass, Siegel-Shidlovsky for erf), so every loop ends. */
#define MPFR_USE_INTMAX_T
#include "num_internal.h"
#include <float.h>
#include <mpfr.h>
#include <pthread.h>

#define FN_REL 0x1p-48
#define FN_ABS DBL_MIN

enum {
    FN_QUICK_SHIFT = 7, /* p <= 46: half a p-bit ulp is at least 64 f64 ulps */
    FN_QUICK_ULPS = 32, /* 2^-48 relative, in f64 ulps: y < 2^(e+1), ulp 2^(e-52) */
    FN_WORD = 64        /* precision of an MPFR answer before it enters the format */
};

/* ---- MPFR, the slow door ------------------------------------------------------------------------ */

/* MPFR keeps constants in thread-local caches; a thread that used one frees it when it ends. */
static pthread_key_t cache_key;
static pthread_once_t cache_once = PTHREAD_ONCE_INIT;

static void cache_free(void *unused)
{
    (void)unused;
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
}
static void cache_key_make(void)
{
    pthread_key_create(&cache_key, cache_free);
}
static void cache_watch(void)
{
    static _Thread_local bool watched;
    if (!watched) {
        pthread_once(&cache_once, cache_key_make);
        pthread_setspecific(cache_key, &cache_key);
        watched = true;
    }
}

/* z of FN_WORD bits, a true value truncated (sticky: something was cut off), rounded into f. */
static double word_round(const at_pfmt *f, mpfr_t z, bool sticky)
{
    long e = mpfr_get_exp(z);
    bool negative = mpfr_signbit(z);
    mpfr_abs(z, z, MPFR_RNDZ);
    mpfr_set_exp(z, FN_WORD); /* now an integer of 64 bits */
    return at_p_pack(f, negative, mpfr_get_uj(z, MPFR_RNDZ), e - FN_WORD, sticky);
}

typedef int mpfr_fn(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

static double mpfr_apply(const at_pfmt *f, mpfr_fn *fn, double x)
{
    MPFR_DECL_INIT(a, 53);
    MPFR_DECL_INIT(z, FN_WORD);
    cache_watch();
    mpfr_set_d(a, x, MPFR_RNDN);
    bool sticky = fn(z, a, MPFR_RNDZ) != 0;
    return word_round(f, z, sticky);
}

/* One end of an enclosure of gelu(x), |gelu| rounded down or up at `bits` bits, then into f. */
static double gelu_end(const at_pfmt *f, double x, long bits, bool upper)
{
    mpfr_rnd_t out = upper ? MPFR_RNDU : MPFR_RNDD, in = upper ? MPFR_RNDD : MPFR_RNDU;
    MPFR_DECL_INIT(z, FN_WORD);
    mpfr_t t, r;
    mpfr_inits2(bits, t, r, (mpfr_ptr)0);
    /* t on the side that makes erfc, a decreasing function, too large (upper) or too small */
    mpfr_sqrt_ui(r, 2, (in == MPFR_RNDD) == (x < 0) ? MPFR_RNDU : MPFR_RNDD);
    mpfr_d_div(t, -x, r, in);
    mpfr_erfc(t, t, out);
    mpfr_mul_d(t, t, fabs(x) / 2, out);
    bool sticky = mpfr_set(z, t, MPFR_RNDZ) != 0;
    mpfr_clears(t, r, (mpfr_ptr)0);
    return copysign(word_round(f, z, sticky), x);
}

static double gelu_mpfr(const at_pfmt *f, double x)
{
    cache_watch();
    for (long bits = 128;; bits *= 2) {
        double low = gelu_end(f, x, bits, false), high = gelu_end(f, x, bits, true);
        if (low == high)
            return low;
    }
}

/* ---- Ziv's test ------------------------------------------------------------------------------- */

/* y is known up to FN_REL: sets *out and says true when that is enough. */
static inline bool quick_round(const at_pfmt *f, double y, double *out)
{
    /* In the normal range this is arithmetic on the dropped bits: are they within 32 ulps of the middle?
     * Just above a power of two the grid below is twice as fine, but its first midpoint is still
     * half/2 >= 32 ulps away and eps is only 16 there. */
    uint64_t mask = ((uint64_t)1 << f->shift) - 1, rest = at_bits_of(y) & mask, half = (mask >> 1) + 1;
    if (f->shift < FN_QUICK_SHIFT || !at_p_normal(f, y) ||
        rest - half + FN_QUICK_ULPS <= (uint64_t)2 * FN_QUICK_ULPS)
        return false;
    *out = at_p_grid(f, y);
    return true;
}

static bool ziv_round(const at_pfmt *f, double y, double rel, double *out)
{
    if (at_p_is_f64(f))
        return false;
    double eps = fabs(y) * rel + FN_ABS;
    *out = at_p_round(f, y);
    return at_p_round(f, y - eps) == at_p_round(f, y + eps);
}

/* ---- the functions ------------------------------------------------------------------------------ */

double at_p_exp(const at_pfmt *f, double a)
{
    if (isnan(a))
        return a;
    if (a > 710) /* e^710 > 2^1024, beyond every format */
        return INFINITY;
    if (a < -746) /* e^-746 < 2^-1076, below half of the least number of every format */
        return 0;
    double y = exp(a), r;
    if (AT_LIKELY(quick_round(f, y, &r)))
        return r;
    if (a == 0)
        return 1;
    if (isfinite(y) && ziv_round(f, y, FN_REL, &r))
        return r;
    return mpfr_apply(f, mpfr_exp, a);
}

double at_p_sin(const at_pfmt *f, double x)
{
    if (x == 0 || isnan(x))
        return x;
    if (isinf(x))
        return NAN;
    double y = sin(x), r;
    if (AT_LIKELY(quick_round(f, y, &r)) || ziv_round(f, y, FN_REL, &r))
        return r;
    return mpfr_apply(f, mpfr_sin, x);
}

double at_p_cos(const at_pfmt *f, double x)
{
    if (x == 0)
        return 1;
    if (!isfinite(x))
        return NAN;
    double y = cos(x), r;
    if (AT_LIKELY(quick_round(f, y, &r)) || ziv_round(f, y, FN_REL, &r))
        return r;
    return mpfr_apply(f, mpfr_cos, x);
}

/* gelu(x) = x/2 + x^2/sqrt(2 pi) - ...: for |x| < 2^-60 it is x/2 and a positive trifle, which only
 * matters when x/2 is a midpoint (x an odd multiple of tiny). */
static double gelu_small(const at_pfmt *f, double x)
{
    double h = x / 2;
    if (!at_p_is_f64(f))
        return at_p_round2(f, h, DBL_TRUE_MIN);
    return h + h < x ? nextafter(h, INFINITY) : h; /* f64 subnormals: h itself was a tie */
}

double at_p_gelu(const at_pfmt *f, double a)
{
    if (a == 0 || isnan(a))
        return a;
    if (a > 45) /* 1 - Phi(45) < 2^-1400: just below a */
        return at_p_round2(f, a, -DBL_TRUE_MIN);
    if (a < -45) /* 45 Phi(-45) < 2^-1400: rounds to zero in every format */
        return -0.0;
    if (fabs(a) < 0x1p-60)
        return gelu_small(f, a);
    double y = a * (0.5 * erfc(-a * M_SQRT1_2)), r;
    double rel = FN_REL + (a < 0 ? 0x1p-51 * (a * a + 1) : 0x1p-51);
    if (ziv_round(f, y, rel, &r))
        return r;
    return gelu_mpfr(f, a);
}
