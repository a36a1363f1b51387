/* num.h: the arithmetics a model can be run in, p-bit floats, exact accumulation.
 *
 *     at_arith a;
 *     at_arith_parse("p12e8", &a, &err);            // 12 mantissa bits, 8 exponent bits
 *     at_pfmt f = at_pfmt_of(a);
 *     double s = at_p_add(&f, x, y);                 // x+y correctly rounded to the format
 */
#ifndef ATTEST_NUM_H
#define ATTEST_NUM_H

#include <attest/core.h>

/* QUOTIENT is PBIT but for the means of attention: there both sums stay exact, and the quotient alone is rounded. */
typedef enum { AT_F32, AT_F64, AT_PBIT, AT_BALL, AT_EXACT, AT_QUOTIENT } at_arith_kind;
#define AT_ARITH_KINDS ((int)AT_QUOTIENT + 1)
typedef struct {
    at_arith_kind kind;
    int bits; /* PBIT, QUOTIENT: mantissa bits p, 2..53 (the hidden bit counts); BALL: working precision */
    int exp_bits; /* PBIT, QUOTIENT: 3..10; p = 53 with 11 is f64 itself. Default 10 */
} at_arith;

/* f32 | f64 | pN | pNeE | qN | qNeE | ball | ballN (default 128) | exact. */
at_status at_arith_parse(const char *s, at_arith *out, at_err *err);
void at_arith_name(at_arith a, char out[16]);

/* ---- p-bit floats ----------------------------------------------------------------------------
 * Numbers are doubles that lie in the format: mantissa of p bits, exponents emin..emax as in IEEE
 * 754 with exp_bits (emax = 2^(exp_bits-1)-1, emin = 1-emax), gradual underflow, infinities.
 * Every function returns the correctly rounded (nearest, ties to even) result; MPFR is the judge.
 * Operands of + - * / sqrt must lie in the format (at_p_round puts them there). */
typedef struct {
    int p, emin, emax;
    int shift;        /* 53 - p */
    double max, tiny; /* largest finite number, smallest positive (subnormal) number */
    double norm;      /* 2^emin, smallest positive normal number */
} at_pfmt;
at_pfmt at_pfmt_of(at_arith a); /* f32 is 24 bits with 8; f64, ball and exact give 53 with 11 */
double at_p_round(const at_pfmt *f, double x);              /* a double into the format */
double at_p_round2(const at_pfmt *f, double hi, double lo); /* hi+lo, |lo| <= ulp(hi)/2, rounded once */
double at_p_add(const at_pfmt *f, double a, double b);
double at_p_sub(const at_pfmt *f, double a, double b);
double at_p_mul(const at_pfmt *f, double a, double b);
double at_p_div(const at_pfmt *f, double a, double b);
double at_p_sqrt(const at_pfmt *f, double a);
double at_p_exp(const at_pfmt *f, double a);
double at_p_gelu(const at_pfmt *f, double a); /* x*Phi(x) as one operation, correctly rounded */
/* At least sup |relu(x) - gelu(x)| = sup |x| Phi(-|x|) = 0.1699712..., reached at |x| = 0.7518. */
#define AT_GELU_GAP 0.16998
double at_p_sin(const at_pfmt *f, double x);
double at_p_cos(const at_pfmt *f, double x);
double at_p_ratio(const at_pfmt *f, int64_t num, int64_t den); /* num/den rounded once; n/0 as in IEEE */

/* ---- exact sums ------------------------------------------------------------------------------
 * A fixed-point accumulator wide enough for any sum of products of two doubles, subnormals included.
 * Addition is exact, hence associative: a sum split between parties and merged is the same number.
 * A sum that is zero is +0. Infinities and NaN are added as in IEEE 754 and then are the sum. */
#define AT_ACC_LIMBS 136
#define AT_ACC_BASE  (-2176) /* room for 2^-2148 .. 2^2048, and for 2^64 such products */
typedef struct {
    int pending;                /* additions since the last carry propagation */
    int lo, hi;                 /* limbs in use, lo > hi when empty; the others are not even initialised */
    double special;             /* sum of the infinities and NaNs, else 0 */
    int64_t limb[AT_ACC_LIMBS]; /* limb k has weight 2^(32k + AT_ACC_BASE) */
} at_acc;
void at_acc_zero(at_acc *s); /* constant time; {0} is a valid zero too */
void at_acc_add(at_acc *s, double x);
void at_acc_add_product(at_acc *s, double x, double y); /* x*y exactly */
void at_acc_merge(at_acc *s, const at_acc *t);
double at_acc_round(at_acc *s, const at_pfmt *f); /* the sum, rounded once into f */
/* num/den, rounded once; where one is infinite or NaN, or den is 0, that of the rounded sums. */
double at_acc_quotient(at_acc *num, at_acc *den, const at_pfmt *f);
double at_acc_double(at_acc *s); /* the sum, rounded once to f64 */
int at_acc_bits(at_acc *s);      /* bits from the lowest to the highest set bit, sign excluded */
/* The finite part of a sum as an integer: +-2^*low * (odd integer of words of 32 bits, the lowest first). Returns the words
 * used; 0: it is zero. And such an integer added to a sum, of any low that a sum of products can have. */
int at_acc_words(at_acc *s, bool *negative, int *low, uint32_t word[AT_ACC_LIMBS]);
void at_acc_add_words(at_acc *s, bool negative, int low, const uint32_t *word, int n);

#endif
