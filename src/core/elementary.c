/* elementary.c: exp, expm1, log, log2, exp2, pow, sin, cos, correctly rounded to nearest.
 *
 * Why: the numbers that constructions store in models come from these. C libraries differ in the last bit of them, and
 * so would the files and their hashes. A correctly rounded result is the same on every machine.
 *
 * How: Ziv's method. A first computation in double-double (a number is hi + lo, about 104 bits) carries a proved bound of its
 * error. When both ends of that interval round to the same double, that double is the answer. Otherwise, about once
 * in 2^30 calls, elementary_limbs.c decides with as many bits as it takes. expm1 is rare: it always goes there.
 *
 * Bounds. Double-double sums, products of two, and products with a double err by less than 2^-100 of the result
 * (Joldes, Muller, Popescu 2017: at most 5 u^2, u = 2^-53); a sum that cancels by less than 2^-100 of the larger operand.
 *
 * exp: x = k ln 2 + r, |r| < 0.36. ln 2 is the sum of parts of 42, 42 and 53 bits; k has 11 bits, so the first two products
 *   are exact, and x - k L1 is kept whole: r errs by less than 2^-98. With h = r/64, |h| < 2^-7.4, q = e^h - 1 is a Taylor sum: terms to h^5
 *   in double-double, those from h^6 to h^11 (less than 2^-53.8 in all) in double, the rest is less than 2^-117.
 *   So q errs by less than 2^-103. Six times q <- 2q + q^2, which is e^2h - 1: each multiplies the error by 2(1+q) and adds
 *   2^-99, so that e^r errs by less than 64 e^0.36 2^-103 + 2 * 64 * 2^-99 < 2^-90 (with much room).
 * log: x = 2^e m, m in [0.7, 1.42), y a rough logarithm of m. t = m e^-y - 1 is less than 2^-40 (looked at, not assumed), and
 *   log x = e ln 2 + y + t - t^2/2 up to t^3/3 < 2^-121. The error is that of m e^-y: less than 2^-89, absolutely.
 * log2, pow: log x times 1/ln 2, or times y and then exp. The error of the logarithm is multiplied along; the low half of y log x
 *   is less than 2^-43, so that e^lo = 1 + lo + lo^2/2 up to 2^-131.
 * sin, cos: x = k pi/2 + r for |x| <= 2^20, pi/2 in parts of 32, 32, 32 and 53 bits: r errs by less than 2^-97. With h = r/128 the same as
 *   for exp in complex numbers, q = e^(ih) - 1, seven doublings: less than 2^-88, absolutely.
 * The tests below take 2^-86. */
#include "core_internal.h"

#include <float.h>
#include <math.h>

#define SLACK 0x1p-86

/* ---- double-double ------------------------------------------------------------------------------------- */

typedef struct {
    double hi, lo;
} dd;

/* a + b without error. */
static inline dd two_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (dd){s, (a - (s - t)) + (b - t)};
}

/* The same for |a| >= |b|, or a = 0. */
static inline dd quick_sum(double a, double b)
{
    double s = a + b;
    return (dd){s, b - (s - a)};
}

/* a * b without error (Dekker 1971): neither overflows nor underflows here. */
static inline dd two_product(double a, double b)
{
    double p = a * b, ca = 0x1.0000002p27 * a, cb = 0x1.0000002p27 * b;
    double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    return (dd){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static inline dd dd_add(dd a, dd b)
{
    dd s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
    s = quick_sum(s.hi, s.lo + t.hi);
    return quick_sum(s.hi, s.lo + t.lo);
}

static inline dd dd_add_d(dd a, double b)
{
    dd s = two_sum(a.hi, b);
    return quick_sum(s.hi, s.lo + a.lo);
}

static inline dd dd_mul(dd a, dd b)
{
    dd p = two_product(a.hi, b.hi);
    return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline dd dd_mul_d(dd a, double b)
{
    dd p = two_product(a.hi, b);
    return quick_sum(p.hi, p.lo + a.lo * b);
}

/* Times a power of two. */
static inline dd dd_scale(dd a, double power)
{
    return (dd){a.hi * power, a.lo * power};
}

static const dd third_factorial = {0x1.5555555555555p-3, 0x1.5555555555555p-57}; /* 1/6 */
static const dd log2_e = {0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56};
static const dd fifth_factorial = {0x1.1111111111111p-7, 0x1.1111111111111p-63}; /* 1/120 */

/* Is what lies within error of a one double? Then that is *out. */
static inline bool certain(dd a, double error, double *out)
{
    *out = a.hi + (a.lo - error);
    return *out == a.hi + (a.lo + error);
}

/* Elsewhere doubles carry excess bits, and nothing above holds: elementary_limbs.c does it all. */
#define QUICK (FLT_EVAL_METHOD == 0)

/* ---- the quick computations ---------------------------------------------------------------------------- */

/* e^x = 2^k times the result, |x| < 746. */
static dd quick_exp(double x, int *k)
{
    double n = rint(x * 0x1.71547652b82fep0);
    dd r = two_sum(x, -n * 0x1.62e42fefa38p-1);
    r = dd_add_d(dd_add_d(r, -n * 0x1.ef35793c76p-45), -n * 0x1.cc01f97b57a08p-87);
    dd h = dd_scale(r, 0x1p-6);
    double g = h.hi;
    double tail =
        1. / 720 + g * (1. / 5040 + g * (1. / 40320 + g * (1. / 362880 + g * (1. / 3628800 + g / 39916800))));
    dd p = dd_add_d(fifth_factorial, g * tail);
    p = dd_add(dd_scale(third_factorial, 0.25), dd_mul(h, p));
    p = dd_add(third_factorial, dd_mul(h, p));
    p = dd_add_d(dd_mul(h, p), 0.5);
    p = dd_add_d(dd_mul(h, p), 1);
    dd q = dd_mul(h, p);
    for (int i = 0; i < 6; i++)
        q = dd_add(dd_scale(q, 2), dd_mul(q, q));
    *k = (int)n;
    return dd_add_d(q, 1);
}

/* log x for a positive finite x, and how far it may be off. */
static bool quick_log(double x, dd *out, double *error)
{
    int e, k;
    double m = elementary_split(x, &e), y = elementary_log_rough(m);
    dd t = dd_mul_d(quick_exp(-y, &k), m);
    t = dd_add_d(dd_scale(t, ldexp(1, k)), -1);
    if (!(fabs(t.hi) < 0x1p-40))
        return false;
    t = dd_add_d(t, -0.5 * t.hi * t.hi);
    dd s = two_sum(e * 0x1.62e42fefa38p-1, y);
    s = dd_add_d(dd_add_d(s, e * 0x1.ef35793c76p-45), e * 0x1.cc01f97b57a08p-87);
    *out = dd_add(s, t);
    *error = SLACK * fmax(1, fabs(out->hi));
    return true;
}

/* x^y for a positive finite x. */
static bool quick_pow(double x, double y, double *out)
{
    dd t;
    int k;
    double error;
    if (!quick_log(x, &t, &error) || !(fabs(t.hi * y) < 700) || !(fabs(t.hi * y) > 0x1p-60))
        return false;
    t = dd_mul_d(t, y);
    dd v = quick_exp(t.hi, &k);
    v = dd_add(v, dd_mul_d(v, t.lo + 0.5 * t.lo * t.lo));
    if (!certain(v, 2 * (SLACK + fabs(y) * error), out))
        return false;
    *out = ldexp(*out, k);
    return true;
}

/* sin of x and `turn` right angles more, |x| <= 2^20. */
static bool quick_sin(double x, int turn, double *out)
{
    double n = rint(x * 0x1.45f306dc9c883p-1);
    dd r = two_sum(x, -n * 0x1.921fb544p0);
    r = dd_add_d(dd_add_d(r, -n * 0x1.0b4611a6p-34), -n * 0x1.3198a2ep-69);
    dd h = dd_scale(dd_add_d(r, -n * 0x1.b839a252049c1p-104), 0x1p-7), h2 = dd_mul(h, h);
    double g = h2.hi;
    dd u = dd_add_d(dd_scale(third_factorial, 0.25), g * (-1. / 720 + g * (1. / 40320 - g / 3628800)));
    u = dd_mul(h2, dd_add_d(dd_mul(h2, u), -0.5)); /* cos h - 1 */
    dd v = dd_add_d(fifth_factorial, g * (-1. / 5040 + g * (1. / 362880 - g / 39916800)));
    v = dd_add(dd_scale(third_factorial, -1), dd_mul(h2, v));
    v = dd_add(h, dd_mul(h, dd_mul(h2, v))); /* sin h */
    for (int i = 0; i < 7; i++) {
        dd w = dd_mul(v, dd_add_d(u, 1));
        u = dd_add(dd_scale(u, 2), dd_add(dd_mul(u, u), dd_scale(dd_mul(v, v), -1)));
        v = dd_scale(w, 2);
    }
    turn += (int)fmod(n, 4) + 4; /* angle = turn right angles + r */
    dd s = turn % 2 ? dd_add_d(u, 1) : v;
    return certain(turn / 2 % 2 ? dd_scale(s, -1) : s, SLACK, out);
}

/* ---- what is called ------------------------------------------------------------------------------------- */

double elementary_split(double x, int *e)
{
    double m = frexp(x, e);
    if (m < M_SQRT1_2) {
        m *= 2;
        --*e;
    }
    return m;
}

double elementary_log_rough(double m)
{
    double z = (m - 1) / (m + 1), w = z * z, s = 1. / 15;
    for (int k = 13; k > 0; k -= 2)
        s = 1. / k + w * s;
    return 2 * z * s;
}

double at_exp(double x)
{
    int k;
    double y;
    if (isnan(x))
        return x;
    if (x > 710)
        return INFINITY;
    if (x < -746)
        return 0;
    if (fabs(x) < 0x1p-54)
        return 1;
    if (QUICK && x > -707 &&
        certain(quick_exp(x, &k), SLACK, &y)) /* no denormalised results: they round elsewhere */
        return ldexp(y, k);
    return elementary_precise(ELEMENTARY_EXP, x, 0);
}

double at_expm1(double x)
{
    if (isnan(x) || fabs(x) < 0x1p-54) /* x + x^2/2 rounds to x */
        return x;
    return x > 710 ? INFINITY : x < -40 ? -1 : elementary_precise(ELEMENTARY_EXPM1, x, 0);
}

double at_log(double x)
{
    if (!(x > 0) || isinf(x) || x == 1)
        return x == 0 ? -INFINITY : x < 0 ? NAN : x == 1 ? 0 : x;
    dd s;
    double y, error;
    return QUICK && quick_log(x, &s, &error) && certain(s, error, &y)
               ? y
               : elementary_precise(ELEMENTARY_LOG, x, 0);
}

double at_log2(double x)
{
    int e;
    dd s;
    double y, error;
    if (!(x > 0) || isinf(x))
        return at_log(x);
    if (elementary_split(x, &e) == 1)
        return e;
    return QUICK && quick_log(x, &s, &error) && certain(dd_mul(s, log2_e), 2 * error, &y)
               ? y
               : elementary_precise(ELEMENTARY_LOG2, x, 0);
}

double at_exp2(double x)
{
    return at_pow(2, x);
}

/* sin below 2^-26 is x: x^3/6 is less than half of the distance to the next double. */
double at_sin(double x)
{
    double y;
    if (isnan(x) || isinf(x))
        return NAN;
    if (fabs(x) < 0x1p-26)
        return x;
    return QUICK && fabs(x) <= 0x1p20 && quick_sin(x, 0, &y) ? y : elementary_precise(ELEMENTARY_SIN, x, 0);
}

double at_cos(double x)
{
    double y;
    if (isnan(x) || isinf(x))
        return NAN;
    if (fabs(x) < 0x1p-27)
        return 1;
    return QUICK && fabs(x) <= 0x1p20 && quick_sin(x, 1, &y) ? y : elementary_precise(ELEMENTARY_COS, x, 0);
}

/* Is x^y dyadic, and of so few bits that it might be a double or lie halfway between two? Then *out is it, rounded.
 * Let x = m 2^e, m odd. For y = a 2^-j, a odd, x must be a square j times over, m^a must have at most 54 bits, and a >= 0 unless m = 1. */
static bool pow_dyadic(double x, double y, double *out)
{
    while (y != floor(y)) {
        int e;
        double m = frexp(x, &e), root;
        if (e % 2 != 0) {
            m *= 2;
            e--;
        }
        root = sqrt(m);
        dd square = two_product(root, root);
        if (square.hi != m || square.lo != 0)
            return false;
        x = ldexp(root, e / 2);
        y *= 2;
    }
    int e;
    uint64_t m = (uint64_t)ldexp(frexp(x, &e), 53), power = 1;
    for (e -= 53; m % 2 == 0; e++)
        m /= 2;
    if (m != 1 && (y < 0 || y > 34)) /* 3^35 has 56 bits */
        return false;
    for (int i = 0; m != 1 && i < (int)y; i++) {
        if (m > (((uint64_t)1 << 54) - 1) / power)
            return false;
        power *= m;
    }
    /* power 2^shift, rounded once: to 53 bits, to multiples of 2^-1074 */
    int shift = (int)fmax(-4000, fmin(4000, e * y)), drop = power >> 53 ? 1 : 0;
    if (shift + drop < -1074)
        drop = -1074 - shift < 63 ? -1074 - shift : 63;
    uint64_t kept = power >> drop, rest = power - (kept << drop), half = drop ? (uint64_t)1 << (drop - 1) : 1;
    kept += rest > half || (rest == half && kept % 2) ? 1 : 0;
    *out = ldexp((double)kept, shift + drop);
    return true;
}

double at_pow(double x, double y)
{
    double result;
    bool whole = y == floor(y);
    if (isnan(x) || isnan(y) || isinf(x) || isinf(y) || x == 0 || y == 0 || x == 1 || (x < 0 && !whole))
        return pow(x, y); /* the C standard fixes these */
    if (x < 0)
        return fmod(y, 2) != 0 ? -at_pow(-x, y) : at_pow(-x, y);
    if (pow_dyadic(x, y, &result) || (QUICK && quick_pow(x, y, &result)))
        return result;
    return elementary_precise(ELEMENTARY_POW, x, y);
}
