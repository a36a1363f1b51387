/* pbit.c: p-bit floats, the operations that f64 hardware has: + - * / sqrt, and rounding.
 *
 * pbit_rows.h explains why rounding the f64 result is right except on a midpoint, and holds the fast
 * paths. Here are the rare ones. They need two facts about f64 (format exponents have at most 10 bits,
 * so operands lie in 2^-562 .. 2^512):
 *   1. a result that overflows or underflows in f64 is far outside the format, so inf and 0 are right;
 *   2. a midpoint is at least 2^-563 and its error at least 2^-106 times that, so fma yields it exactly.
 * p = 53 with 11 exponent bits is f64 itself and returns f64's own result. */
#include "num_internal.h"
#include <float.h>

at_pfmt at_pfmt_of(at_arith a)
{
    int p = 53, e = 11;
    if (a.kind == AT_F32) {
        p = 24;
        e = 8;
    } else if (a.kind == AT_PBIT || a.kind == AT_QUOTIENT) {
        p = a.bits;
        e = a.exp_bits;
    }
    int emax = (1 << (e - 1)) - 1, emin = 1 - emax;
    return (at_pfmt){.p = p,
                     .emin = emin,
                     .emax = emax,
                     .shift = 53 - p,
                     .max = ldexp(2 - ldexp(1, 1 - p), emax),
                     .tiny = ldexp(1, emin - p + 1),
                     .norm = ldexp(1, emin)};
}

/* |hi| below the normal range: the grid is the multiples of tiny. Adding 2^52*tiny makes f64 itself
 * round to them, ties to even; a tie is then decided by lo. Every step is exact but that one addition. */
static double subnormal_round(const at_pfmt *f, double hi, double lo)
{
    double a = fabs(hi), big = 0x1p52 * f->tiny, q = (a + big) - big;
    if (lo != 0 && fabs(a - q) == f->tiny / 2)
        q = (lo > 0) == (hi > 0) ? a + f->tiny / 2 : a - f->tiny / 2;
    return copysign(q, hi);
}

double at_p_round2(const at_pfmt *f, double hi, double lo)
{
    if (hi == 0 || !isfinite(hi))
        return hi;
    double s = hi + lo, r = lo - (s - hi); /* now s is the f64 nearest to hi+lo, as the argument needs */
    if (at_p_is_f64(f))
        return s;
    if (fabs(s) < f->norm)
        return subnormal_round(f, s, r);
    double q = at_p_grid2(f, s, r);
    return fabs(q) > f->max ? copysign(INFINITY, hi) : q;
}

double at_p_mul_rare(const at_pfmt *f, double a, double b, double hi)
{
    return at_p_is_f64(f) ? hi : at_p_round2(f, hi, fma(a, b, -hi));
}

/* a/b - hi has the sign of (a - hi*b)/b; its size never matters. */
double at_p_div_rare(const at_pfmt *f, double a, double b, double hi)
{
    if (at_p_is_f64(f))
        return hi;
    double r = fma(-hi, b, a);
    return at_p_round2(f, hi, r == 0 ? 0 : (r > 0) == (b > 0) ? DBL_TRUE_MIN : -DBL_TRUE_MIN);
}

double at_p_sqrt_rare(const at_pfmt *f, double a, double hi)
{
    if (at_p_is_f64(f))
        return hi;
    double r = fma(-hi, hi, a);
    return at_p_round2(f, hi, r == 0 ? 0 : copysign(DBL_TRUE_MIN, r));
}

double at_p_round(const at_pfmt *f, double x)
{
    return at_p_round_fast(f, x);
}
double at_p_add(const at_pfmt *f, double a, double b)
{
    return at_p_add_fast(f, a, b);
}
double at_p_sub(const at_pfmt *f, double a, double b)
{
    return at_p_sub_fast(f, a, b);
}
double at_p_mul(const at_pfmt *f, double a, double b)
{
    return at_p_mul_fast(f, a, b);
}
double at_p_div(const at_pfmt *f, double a, double b)
{
    return at_p_div_fast(f, a, b);
}
double at_p_sqrt(const at_pfmt *f, double a)
{
    return at_p_sqrt_fast(f, a);
}

double at_p_pack(const at_pfmt *f, bool negative, uint64_t m, long e, bool sticky)
{
    double r;
    long top = e + 63; /* the number lies in [2^top, 2^(top+1)) */
    if (top > f->emax) {
        r = INFINITY;
    } else if (top < f->emin - f->p) {
        r = 0; /* below tiny/2 */
    } else {
        long unit = (top > f->emin ? top : f->emin) - f->p + 1; /* 2^unit is the spacing of the grid here */
        int cut = (int)(unit - e);                              /* bits to drop, 11..64 */
        uint64_t kept = cut < 64 ? m >> cut : 0, half = (uint64_t)1 << (cut - 1);
        uint64_t rest = cut < 64 ? m & (2 * half - 1) : m;
        kept += rest > half || (rest == half && (sticky || (kept & 1)));
        r = ldexp((double)kept, (int)unit);
        if (r > f->max)
            r = INFINITY;
    }
    return negative ? -r : r;
}

/* Long division: 128 bits by 64 leave a quotient of at least 64 bits, the remainder is sticky. */
double at_p_ratio(const at_pfmt *f, int64_t num, int64_t den)
{
    if (den == 0)
        return (double)num / 0.0; /* inf, -inf or NaN */
    if (num == 0)
        return 0;
    bool negative = (num < 0) != (den < 0);
    uint64_t a = num < 0 ? -(uint64_t)num : (uint64_t)num, b = den < 0 ? -(uint64_t)den : (uint64_t)den;
    int lead = __builtin_clzll(a);
    unsigned __int128 n = (unsigned __int128)(a << lead) << 64, q = n / b;
    bool sticky = n % b != 0;
    long e = -64 - lead;
    uint64_t high = (uint64_t)(q >> 64);
    if (high) { /* keep the top 64 bits; what falls off is sticky too */
        int drop = 64 - __builtin_clzll(high);
        sticky = sticky || (q & (((unsigned __int128)1 << drop) - 1));
        q >>= drop;
        e += drop;
    }
    return at_p_pack(f, negative, (uint64_t)q, e, sticky);
}
