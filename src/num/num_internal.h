/* num_internal.h: the p-bit operations and the exact sum as inline code, for row kernels.
 *
 * The idea of p-bit arithmetic here: let hi be the f64 result of an operation and lo its exact error,
 * so that hi+lo is the true result. The points where rounding to p <= 52 bits changes its mind (the
 * midpoints of the p-bit grid) are themselves doubles. Rounding to f64 is monotone, hence hi lies on the
 * same side of every midpoint as hi+lo, or exactly on it; only in the last case does lo matter, and then
 * only its sign. For p <= 25 even that cannot happen unless lo = 0: with operands of p bits the f64
 * result has at least 2p+2 bits, and a quotient, root, sum or product of p-bit numbers that is not a
 * midpoint is further from every midpoint than half an ulp of f64 (Figueroa 1995, "When is double rounding
 * innocuous?"). So p <= 25 costs one f64 operation and five integer operations.
 *
 * Layout: an operation X comes as at_p_X_fast (inline) and at_p_X_rare (a call: zero, the format's
 * subnormals, overflow, NaN, and midpoints that need lo). The public at_p_X is at_p_X_fast, once.
 *
 * Invariants: operands lie in the format; compiled with -ffp-contract=off; rounding mode to nearest.
 *
 * Letters: f format, u the bits of a double, hi+lo a result and its error. */
#ifndef ATTEST_NUM_INTERNAL_H
#define ATTEST_NUM_INTERNAL_H

#include <attest/num.h>
#include <math.h>
#include <string.h>

#define AT_LIKELY(c)   __builtin_expect(!!(c), 1)
#define AT_UNLIKELY(c) __builtin_expect(!!(c), 0)

enum { AT_P_PLAIN = 25 }; /* up to here f64 alone decides, 53 >= 2p+2 */

static inline uint64_t at_bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline double at_double_of(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* The format that is f64 itself. */
static inline bool at_p_is_f64(const at_pfmt *f)
{
    return f->emin == -1022;
}

/* ---- rounding in the normal range -------------------------------------------------------------- */

/* Is x a number whose neighbours in the format are p bits wide? */
static inline bool at_p_normal(const at_pfmt *f, double x)
{
    return fabs(x) >= f->norm && fabs(x) <= f->max;
}

/* Nearest p-bit number, ties to `up`: 1 away from zero, 0 towards it. Adding half - 1 + up to the
 * magnitude carries into the kept bits exactly when the number must go up; (mask + up) / 2 is that
 * number also for p = 53, where it must be 0. A carry out of the mantissa lands in the exponent. */
static inline double at_p_grid_up(const at_pfmt *f, uint64_t u, uint64_t up)
{
    uint64_t mask = ((uint64_t)1 << f->shift) - 1;
    return at_double_of((u + ((mask + up) >> 1)) & ~mask);
}

/* Nearest p-bit number, ties to even, the exponent unlimited. Branch-free; exact zeros stay. */
static inline double at_p_grid(const at_pfmt *f, double x)
{
    uint64_t u = at_bits_of(x);
    return at_p_grid_up(f, u, (u >> f->shift) & 1);
}

/* The same for hi+lo. `up` is read only at a midpoint, so setting it from lo always is harmless. */
static inline double at_p_grid2(const at_pfmt *f, double hi, double lo)
{
    uint64_t u = at_bits_of(hi), even = (u >> f->shift) & 1, away = (lo > 0) == (hi > 0);
    return at_p_grid_up(f, u, lo == 0 ? even : away);
}

/* Is x exactly between two neighbours of p bits? Never for p = 53. */
static inline bool at_p_midpoint(const at_pfmt *f, double x)
{
    uint64_t mask = ((uint64_t)1 << f->shift) - 1;
    return (at_bits_of(x) & mask) == (mask >> 1) + 1;
}

/* a+b - fl(a+b), exact when nothing overflows (Knuth 1969). */
static inline double at_sum_error(double a, double b, double sum)
{
    double b1 = sum - a, a1 = sum - b1;
    return (a - a1) + (b - b1);
}

/* ---- operations ------------------------------------------------------------------------------- */

double at_p_mul_rare(const at_pfmt *f, double a, double b, double hi);
double at_p_div_rare(const at_pfmt *f, double a, double b, double hi);
double at_p_sqrt_rare(const at_pfmt *f, double a, double hi);

static inline double at_p_round_fast(const at_pfmt *f, double x)
{
    return AT_LIKELY(at_p_normal(f, x)) ? at_p_grid(f, x) : at_p_round2(f, x, 0);
}

static inline double at_p_add_fast(const at_pfmt *f, double a, double b)
{
    double hi = a + b;
    if (f->p <= AT_P_PLAIN)
        return AT_LIKELY(at_p_normal(f, hi)) ? at_p_grid(f, hi) : at_p_round2(f, hi, 0);
    /* Midpoints are common here (two numbers of one binade: every second sum), so no branch on them. */
    double lo = at_sum_error(a, b, hi);
    return AT_LIKELY(at_p_normal(f, hi)) ? at_p_grid2(f, hi, lo) : at_p_round2(f, hi, lo);
}

static inline double at_p_sub_fast(const at_pfmt *f, double a, double b)
{
    return at_p_add_fast(f, a, -b);
}

/* For p > 25 the error is computed only on a midpoint: it needs fma, which is a call. */
static inline double at_p_mul_fast(const at_pfmt *f, double a, double b)
{
    double hi = a * b;
    bool easy = at_p_normal(f, hi) && (f->p <= AT_P_PLAIN || !at_p_midpoint(f, hi));
    return AT_LIKELY(easy) ? at_p_grid(f, hi) : at_p_mul_rare(f, a, b, hi);
}

static inline double at_p_div_fast(const at_pfmt *f, double a, double b)
{
    double hi = a / b;
    bool easy = at_p_normal(f, hi) && (f->p <= AT_P_PLAIN || !at_p_midpoint(f, hi));
    return AT_LIKELY(easy) ? at_p_grid(f, hi) : at_p_div_rare(f, a, b, hi);
}

static inline double at_p_sqrt_fast(const at_pfmt *f, double a)
{
    double hi = sqrt(a);
    bool easy = at_p_normal(f, hi) && (f->p <= AT_P_PLAIN || !at_p_midpoint(f, hi));
    return AT_LIKELY(easy) ? at_p_grid(f, hi) : at_p_sqrt_rare(f, a, hi);
}

/* (m + s) * 2^e rounded once into f, with the sign; m has its top bit set, s is 0 or, when sticky,
 * some number strictly between 0 and 1. The slow, general door through which integers enter a format. */
double at_p_pack(const at_pfmt *f, bool negative, uint64_t m, long e, bool sticky);

/* ---- rows: prow.inc; portable and AVX2 versions give the same bits -------------------------------- */

#define AT_P_ROW_DECLARE(isa)                                                                                \
    void at_p_row_add##isa(const at_pfmt *f, size_t n, const double *a, const double *b, double *out);       \
    void at_p_row_mul##isa(const at_pfmt *f, size_t n, const double *a, const double *b, double *out);       \
    void at_p_row_div##isa(const at_pfmt *f, size_t n, const double *a, const double *b, double *out);       \
    void at_p_row_dots##isa(const at_pfmt *f, size_t rows, size_t n, const double *w, size_t stride,         \
                            const double *x, double *y);
/* out[i] = a[i] + b[i] and so on for i < n, each rounded; out may be a or b. dots: y[r] += w[r]*x in order,
 * every product and sum rounded; w (rows, n) with `stride` numbers from row to row, x (n), y (rows). */
AT_P_ROW_DECLARE()
AT_P_ROW_DECLARE(_portable)
AT_P_ROW_DECLARE(_avx2)

/* ---- exact sums: layout in acc.c ---------------------------------------------------------------- */

enum {
    AT_ACC_CARRY = 1 << 30 /* additions a limb can take between carry propagations */
};

void at_acc_carry(at_acc *s);                 /* propagates carries: limbs below hi in [0, 2^32) */
void at_acc_widen(at_acc *s, int lo, int hi); /* limbs lo..hi become part of the number, as zeros */
void at_acc_add_special(at_acc *s, double x); /* x infinite or NaN */

/* Makes limbs k..top ready for one more addition. */
static inline void at_acc_open(at_acc *s, int k, int top)
{
    if (AT_UNLIKELY((k < s->lo) | (top > s->hi)))
        at_acc_widen(s, k, top);
    if (AT_UNLIKELY(++s->pending > AT_ACC_CARRY))
        at_acc_carry(s);
}

/* Adds +-m * 2^(AT_ACC_BASE + bit), m < 2^53; sign is 0 or -1. */
static inline void at_acc_add_mantissa(at_acc *s, uint64_t m, int bit, int64_t sign)
{
    int k = bit >> 5, r = bit & 31;
    uint64_t low = m << r, high = (m >> 1) >> (63 - r); /* m * 2^r in two words */
    at_acc_open(s, k, k + 2);
    s->limb[k] += ((int64_t)(low & 0xffffffff) ^ sign) - sign;
    s->limb[k + 1] += ((int64_t)(low >> 32) ^ sign) - sign;
    s->limb[k + 2] += ((int64_t)high ^ sign) - sign;
}

static inline void at_acc_add_fast(at_acc *s, double x)
{
    uint64_t u = at_bits_of(x), m = u & 0xfffffffffffff;
    int e = (int)(u >> 52) & 2047;
    if (AT_UNLIKELY(e == 2047)) {
        at_acc_add_special(s, x);
        return;
    }
    m |= (uint64_t)(e != 0) << 52;
    at_acc_add_mantissa(s, m, e - (e != 0) - 1074 - AT_ACC_BASE, -(int64_t)(u >> 63));
}

/* x*y as integers: two mantissas of 53 bits make 106, so nothing is lost to underflow. A product that
 * fits in 53 bits (always for p <= 26) takes the three-limb road. */
static inline void at_acc_add_product_fast(at_acc *s, double x, double y)
{
    uint64_t u = at_bits_of(x), v = at_bits_of(y);
    int e = (int)(u >> 52) & 2047, d = (int)(v >> 52) & 2047;
    if (AT_UNLIKELY((e == 2047) | (d == 2047))) {
        at_acc_add_special(s, x * y);
        return;
    }
    uint64_t m = (u & 0xfffffffffffff) | (uint64_t)(e != 0) << 52;
    uint64_t n = (v & 0xfffffffffffff) | (uint64_t)(d != 0) << 52;
    unsigned __int128 w = (unsigned __int128)m * n;
    int bit = e - (e != 0) + d - (d != 0) - 2148 - AT_ACC_BASE;
    int64_t sign = -(int64_t)((u ^ v) >> 63);
    if (((uint64_t)w & 0x1fffffffffffff) == 0) {
        at_acc_add_mantissa(s, (uint64_t)(w >> 53), bit + 53, sign);
        return;
    }
    int k = bit >> 5, r = bit & 31;
    uint64_t low = (uint64_t)w << r, high = (uint64_t)(w >> 64);
    uint64_t mid = (high << r) | (((uint64_t)w >> 1) >> (63 - r)), top = (high >> 1) >> (63 - r);
    at_acc_open(s, k, k + 4);
    s->limb[k] += ((int64_t)(low & 0xffffffff) ^ sign) - sign;
    s->limb[k + 1] += ((int64_t)(low >> 32) ^ sign) - sign;
    s->limb[k + 2] += ((int64_t)(mid & 0xffffffff) ^ sign) - sign;
    s->limb[k + 3] += ((int64_t)(mid >> 32) ^ sign) - sign;
    s->limb[k + 4] += ((int64_t)top ^ sign) - sign;
}

#endif
