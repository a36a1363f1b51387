/* pbit_rows.h: the p-bit operations as inline code, and rows of them; for num and for the modules above it.
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
#ifndef ATTEST_NUM_PBIT_ROWS_H
#define ATTEST_NUM_PBIT_ROWS_H

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

/* ---- rows: prow.inc; portable and AVX2 versions give the same bits ------------------------------- */

#define AT_P_ROW_DECLARE(isa)                                                                                \
    void at_p_row_add##isa(const at_pfmt *f, size_t n, const double *a, const double *b, double *out);       \
    void at_p_row_mul##isa(const at_pfmt *f, size_t n, const double *a, const double *b, double *out);       \
    void at_p_row_div##isa(const at_pfmt *f, size_t n, const double *a, const double *b, double *out);       \
    void at_p_row_scale##isa(const at_pfmt *f, size_t n, const double *a, double c, double *out);            \
    void at_p_row_exp##isa(const at_pfmt *f, size_t n, const double *a, double c, double *out);              \
    double at_p_row_peak##isa(size_t n, const double *a);                                                    \
    void at_p_row_dots##isa(const at_pfmt *f, size_t rows, size_t n, const double *w, size_t stride,         \
                            const int *pick, const double *x, double *y);                                    \
    double at_p_row_sum##isa(const at_pfmt *f, size_t n, const double *w, const double *v, size_t stride,    \
                             const int *key);
/* out[i] for i < n, each operation rounded; out may be an operand.
 *   add, mul, div   a[i] + b[i] and so on
 *   scale           c * a[i]
 *   exp             exp(a[i] - c), the difference rounded, then the exponential
 * peak: the largest of a, a NaN when one of them is; n >= 1.
 * dots: y[r] += w[r][pick[0]]*x[0] + w[r][pick[1]]*x[1] + ... in order, every product and sum rounded; w has `stride`
 *       numbers from row to row, x (n), y (rows); pick NULL: columns 0..n-1.
 * sum:  sum of w[j] * v[stride * key[j]] over j < n, exact, then rounded once; key NULL: v[stride * j];
 *       v NULL: the sum of w alone. What at_acc gives, without its limbs where possible. */
AT_P_ROW_DECLARE()
AT_P_ROW_DECLARE(_portable)
AT_P_ROW_DECLARE(_avx2)

#endif
