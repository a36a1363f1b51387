/* elementary_limbs.c: elementary functions with as many bits as it takes to round them correctly (see elementary.c).
 *
 * A number is a fix: 32 bits before the point, 32 L after it; its ulp is 2^(-32 L). L grows until the interval (value -+ error)
 * rounds to one double. That ends: of doubles, exp, log, sin and cos take values that are doubles, or lie halfway between two,
 * at 0 and 1 only (Lindemann), and elementary.c keeps those and the dyadic powers away (a power of a double that is not dyadic
 * cannot be halfway either). With 192 bits the first round fails for a fraction below 2^-60 of arguments; no double needs
 * the 576 of the last for exp, log, sin, cos (Lefevre, Muller 2001: 53 + 66 bits at most).
 *
 * Errors, in ulps, "floor" being less than 1 for each truncated product or quotient:
 *   exp   h = r/256 < 2^-8 (1). Horner's rule for the Taylor sum to h^(4L): 3 more, as every step shrinks what it inherits. Eight
 *         squarings: e <- 2ve + e^2 + 1 with product of all 2v at most 2^8 * 2.1: less than 2^12. The reduced r errs by K < 1100 (ln 2 is cut
 *         off): 2^12 more. In all less than 2^16, and 4 for each ulp of error of the argument.
 *   log   m e^-y - 1 = t with the error of exp (m < 1.5), its series 2 for each term: less than 2^17 with e ln 2.
 *   pow   |y| times that of log.
 *   sin   x 2/pi mod 4 from the bits of 2/pi that matter (Payne, Hanek 1983), cut off 3 limbs on: 1; times pi/2: 3. Horner's rule for the
 *         alternating sums: 2 a step, halved by each: less than 16 in all. */
#include "core_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIMBS = 18 };

typedef struct {
    bool negative;
    int n;                 /* limbs, the one before the point included */
    uint32_t d[LIMBS + 1]; /* most significant first */
} fix;

/* Behind the point; the others begin before it. */
static const uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
    0xa9e39161, 0x5ee61b08, 0x6599855f, 0x14a06840, 0x8dffd880, 0x4d732731, 0x06061556, 0xca73a8c9,
    0x60e27bc0, 0x8c6b47c4, 0x19c367cd, 0xdce8092a, 0x8359c476, 0x8b961ca6, 0xddaf44d1, 0x5719053e,
};
static const uint32_t half_pi[] = {
    0x00000001, 0x921fb544, 0x42d18469, 0x898cc517, 0x01b839a2, 0x52049c11, 0x14cf98e8,
    0x04177d4c, 0x76273644, 0xa29410f3, 0x1c6809bb, 0xdf2a3367, 0x9a748636, 0x605614db,
    0xe4be286e, 0x9fc26ada, 0xdaa3848b, 0xc90b6aec, 0xc4bcfd8d,
};
static const uint32_t ln_2[] = {
    0x00000000, 0xb17217f7, 0xd1cf79ab, 0xc9e3b398, 0x03f2f6af, 0x40f34326, 0x7298b62d,
    0x8a0d175b, 0x8baafa2b, 0xe7b87620, 0x6debac98, 0x559552fb, 0x4afa1b10, 0xed2eae35,
    0xc1382144, 0x27573b29, 0x1169b825, 0x3e96ca16, 0x224ae8c5,
};
static const uint32_t log2_e[] = {
    0x00000001, 0x71547652, 0xb82fe177, 0x7d0ffda0, 0xd23a7d11, 0xd6aef551, 0xbad2b4b1,
    0x164a2cd9, 0xa342648f, 0xbc3887ee, 0xaa2ed9ac, 0x49b25eeb, 0x82d7c167, 0xd52173cc,
    0x1895213f, 0x897f5e06, 0xa7be7366, 0x5fc52926, 0x4c2fb3ab,
};

/* ---- fixed point ------------------------------------------------------------------------------------------- */

static fix fix_of(const uint32_t *constant, int n)
{
    fix z = {.n = n};
    memcpy(z.d, constant, (size_t)n * sizeof *constant);
    return z;
}

/* |x| < 2^32, without error when its last bit is above the ulp. */
static fix fix_set(double x, int n)
{
    fix z = {.negative = x < 0, .n = n};
    x = fabs(x);
    for (int i = 0; i < n; i++) {
        z.d[i] = (uint32_t)x;
        x = (x - z.d[i]) * 0x1p32;
    }
    return z;
}

static double fix_get(const fix *a)
{
    double x = a->d[0] + a->d[1] * 0x1p-32 + a->d[2] * 0x1p-64 + a->d[3] * 0x1p-96;
    return a->negative ? -x : x;
}

static fix fix_add(const fix *a, const fix *b)
{
    if (a->negative != b->negative) {
        int order = 0;
        for (int i = 0; i < a->n && !order; i++)
            order = (a->d[i] > b->d[i]) - (a->d[i] < b->d[i]);
        const fix *big = order < 0 ? b : a, *small = order < 0 ? a : b;
        fix z = {.negative = big->negative && order, .n = a->n};
        int64_t carry = 0;
        for (int i = a->n - 1; i >= 0; i--, carry >>= 32)
            z.d[i] = (uint32_t)(carry += (int64_t)big->d[i] - small->d[i]);
        return z;
    }
    fix z = {.negative = a->negative, .n = a->n};
    uint64_t carry = 0;
    for (int i = a->n - 1; i >= 0; i--, carry >>= 32)
        z.d[i] = (uint32_t)(carry += (uint64_t)a->d[i] + b->d[i]);
    return z;
}

static fix fix_negate(fix a)
{
    a.negative = !a.negative;
    return a;
}

static fix fix_mul(const fix *a, const fix *b)
{
    fix z = {.negative = a->negative != b->negative, .n = a->n};
    uint64_t low = 0, high = 0; /* the column's sum is high 2^32 + low */
    for (int k = 2 * a->n - 2; k >= 0; k--) {
        for (int i = k < a->n ? 0 : k - a->n + 1; i <= k && i < a->n; i++) {
            uint64_t p = (uint64_t)a->d[i] * b->d[k - i];
            low += (uint32_t)p;
            high += p >> 32;
        }
        high += low >> 32;
        if (k < a->n)
            z.d[k] = (uint32_t)low;
        low = (uint32_t)high;
        high >>= 32;
    }
    return z;
}

static fix fix_div_int(fix a, uint32_t k)
{
    uint64_t rest = 0;
    for (int i = 0; i < a.n; i++) {
        rest = rest << 32 | a.d[i];
        a.d[i] = (uint32_t)(rest / k);
        rest %= k;
    }
    return a;
}

static fix fix_mul_int(fix a, uint32_t k)
{
    uint64_t carry = 0;
    for (int i = a.n - 1; i >= 0; i--, carry >>= 32)
        a.d[i] = (uint32_t)(carry += (uint64_t)a.d[i] * k);
    return a;
}

/* 32 bits of the limbs from bit `at` on, the first bit being 0; there are zeros in front of them and behind. */
static uint32_t bits_at(const uint32_t *d, int n, int at)
{
    uint64_t two = 0;
    int i = at >= 0 ? at / 32 : -((31 - at) / 32);
    for (int k = i; k <= i + 1; k++)
        two = two << 32 | (k >= 0 && k < n ? d[k] : 0);
    return (uint32_t)(two >> (32 - (at - 32 * i)));
}

/* w (n limbs, `before` of them before the point) times m < 2^53 times 2^shift: what lies below 2^32 of it, cut off behind. */
static fix fix_scaled(const uint32_t *w, int n, int before, uint64_t m, int shift, int limbs)
{
    uint32_t p[2 * LIMBS + 8] = {0}; /* two limbs more in front */
    for (int part = 0; part < 2; part++) {
        uint64_t carry = 0;
        for (int i = n - 1; i >= -2; i--, carry >>= 32) {
            int to = i + 2 - part;
            if (to >= 0)
                p[to] = (uint32_t)(carry += p[to] + (i >= 0 ? (m >> 32 * part & 0xffffffff) * w[i] : 0));
        }
    }
    fix z = {.n = limbs};
    for (int i = 0; i < limbs; i++)
        z.d[i] = bits_at(p, n + 2, 32 * (before + 1) + 32 * i + shift);
    return z;
}

/* |a| 2^k rounded to nearest, ties to even, with gradual underflow. */
static double fix_round(const fix *a, int k)
{
    int top = 0; /* bits in front of the first one */
    while (top < 32 * a->n && !(bits_at(a->d, a->n, top) >> 31))
        top++;
    int e = 31 - top + k, keep = e >= -1022 ? 53 : 53 - (-1022 - e); /* the value is in [2^e, 2^(e+1)) */
    if (top == 32 * a->n || keep < 0)
        return 0;
    uint64_t all = (uint64_t)bits_at(a->d, a->n, top) << 32 | bits_at(a->d, a->n, top + 32);
    uint64_t kept = keep ? all >> (64 - keep) : 0, next = all >> (63 - keep) & 1;
    bool rest = keep < 63 && all << (keep + 1) != 0;
    for (int at = top + 64; at < 32 * a->n; at += 32)
        rest = rest || bits_at(a->d, a->n, at);
    kept += next && (rest || kept % 2) ? 1 : 0;
    return ldexp((double)kept, e - keep + 1);
}

/* ---- functions ------------------------------------------------------------------------------------------------ */

/* e^a = 2^k times the result, which lies in [1, 2.1). |a| < 800. */
static fix exp_fix(const fix *a, int *k)
{
    double size = fabs(fix_get(a)) * 0x1.71547652b82fep0;
    int K = a->negative ? (int)(size + 1 + 0x1p-20) : (int)fmax(size - 0x1p-20, 0);
    fix r = fix_of(ln_2, a->n);
    r = fix_mul_int(r, (uint32_t)K);
    r.negative = !a->negative;
    r = fix_add(a, &r);
    fix one = fix_set(1, a->n), h = fix_div_int(r, 256), v = one;
    for (uint32_t i = 4 * (uint32_t)a->n; i > 0; i--) {
        v = fix_mul(&v, &h);
        v = fix_div_int(v, i);
        v = fix_add(&v, &one);
    }
    for (int i = 0; i < 8; i++)
        v = fix_mul(&v, &v);
    *k = a->negative ? -K : K;
    return v;
}

/* log x = e ln 2 + the result, |result| < 0.36. */
static fix log_fix(double x, int n, int *e)
{
    int k;
    double m = elementary_split(x, e), y = elementary_log_rough(m);
    fix back = fix_set(-y, n), v = exp_fix(&back, &k), t = fix_set(ldexp(m, k), n), minus = fix_set(-1, n);
    t = fix_mul(&t, &v);
    t = fix_add(&t, &minus);
    assert(fabs(fix_get(&t)) < 0x1p-40);
    fix sum = fix_set(y, n), power = t;
    for (uint32_t j = 1; 40 * j < 32 * (uint32_t)n + 40; j++) {
        fix term = fix_div_int(power, j);
        sum = fix_add(&sum, &term);
        power = fix_mul(&power, &t);
        power.negative = !power.negative;
    }
    return sum;
}

/* sin of |x| and `turn` right angles more. */
static fix sin_fix(double x, int turn, int n)
{
    int q;
    uint64_t m = (uint64_t)ldexp(frexp(fabs(x), &q), 53);
    q -= 53; /* |x| = m 2^q: bits of 2/pi that give multiples of 4 are left out */
    int skip = q > 2 ? (q - 2) / 32 : 0;
    fix f = fix_scaled(two_over_pi + skip, n + 3, 0, m, q - 32 * skip, n), one = fix_set(1, n);
    turn += (int)(f.d[0] & 3);
    f.d[0] = 0;
    bool fold = f.d[1] >> 31;
    if (fold) {
        f = fix_negate(f);
        f = fix_add(&f, &one);
    }
    bool cosine = (turn % 2 != 0) != fold;
    fix r = fix_of(half_pi, n), r2, v = one;
    r = fix_mul(&r, &f);
    r2 = fix_mul(&r, &r);
    for (uint32_t k = 4 * (uint32_t)n + 4; k > 0; k--) {
        v = fix_mul(&v, &r2);
        v = fix_div_int(v, 2 * k * (cosine ? 2 * k - 1 : 2 * k + 1));
        v = fix_negate(v);
        v = fix_add(&v, &one);
    }
    if (!cosine)
        v = fix_mul(&v, &r);
    v.negative = turn / 2 % 2;
    return v;
}

/* ---- Ziv's loop ------------------------------------------------------------------------------------------------- */

/* The value with n limbs is v 2^k, and errs by at most 2^error ulps of v. */
static fix value(elementary f, double x, double y, int n, int *k, int *error)
{
    fix v, w;
    int e;
    *k = 0;
    *error = 17;
    switch (f) {
    case ELEMENTARY_EXP:
        v = fix_set(x, n);
        return exp_fix(&v, k);
    case ELEMENTARY_EXPM1:
        v = fix_set(x, n);
        v = exp_fix(&v, k);
        w = fix_set(*k <= 0 ? -1 : *k < 32 * n ? -ldexp(1, -*k) : 0, n);
        if (*k < 0) {
            v = fix_scaled(v.d, n, 1, 1, *k, n);
            *k = 0;
        }
        return fix_add(&v, &w);
    case ELEMENTARY_LOG:
    case ELEMENTARY_LOG2:
    case ELEMENTARY_POW:
        v = log_fix(x, n, &e);
        if (f == ELEMENTARY_LOG2) {
            w = fix_of(log2_e, n);
            v = fix_mul(&v, &w);
            w = fix_set(e, n);
            *error = 18;
            return fix_add(&v, &w);
        }
        w = fix_of(ln_2, n);
        w = fix_mul_int(w, (uint32_t)abs(e));
        w.negative = e < 0;
        v = fix_add(&v, &w);
        if (f == ELEMENTARY_LOG)
            return v;
        break;
    case ELEMENTARY_SIN:
    case ELEMENTARY_COS:
        *error = 4;
        v = sin_fix(x, f == ELEMENTARY_COS, n);
        v.negative = v.negative != (f == ELEMENTARY_SIN && x < 0);
        return v;
    }
    /* x^y = e^(y log x) */
    double size = fix_get(&v) * y;
    if (fabs(size) > 800 || fabs(size) < 0x1p-55) {
        *k = size > 800 ? 4000 : size < -800 ? -4000 : 0;
        return fix_set(1, n);
    }
    uint64_t m = (uint64_t)ldexp(frexp(fabs(y), &e), 53);
    w = fix_scaled(v.d, n, 1, m, e - 53, n);
    w.negative = v.negative != (y < 0);
    *error = 20 + (e > 0 ? e : 0);
    return exp_fix(&w, k);
}

double elementary_precise(elementary f, double x, double y)
{
    for (int n = 7; n <= LIMBS + 1; n += 4) {
        int k, error;
        fix v = value(f, x, y, n, &k, &error), slack = {.n = n}, low, high;
        bool negative = v.negative;
        v.negative = false;
        slack.d[n - 1 - error / 32] = (uint32_t)1 << error % 32;
        high = fix_add(&v, &slack);
        slack.negative = true;
        low = fix_add(&v, &slack);
        double a = fix_round(&low, k), b = fix_round(&high, k);
        if (!low.negative && a == b)
            return negative ? -a : a;
    }
    assert(!"an elementary function is undecided at 576 bits");
    return NAN;
}
