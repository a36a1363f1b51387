/* reference_exact.c: the reference in FLINT rationals, for models without exp, erf and square roots.
 * at_arith_supports refuses the others before a run starts, so the functions they would need are
 * assertions here. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "../num/flint_compat.h"
#include "exec_internal.h"

#define NUM     fmpq
#define FORWARD ref_forward_exact

static inline void num_init(NUM *x)
{
    fmpq_init(x);
}
static inline void num_clear(NUM *x)
{
    fmpq_clear(x);
}
static inline void num_zero(NUM *r)
{
    fmpq_zero(r);
}
static inline void num_set(NUM *r, const NUM *a)
{
    fmpq_set(r, a);
}

/* r = the finite double d, a mantissa below 2^53 times a power of two */
static void num_set_d(const ref_ctx *c, NUM *r, double d)
{
    (void)c;
    int e;
    double m = frexp(d, &e);
    fmpz_set_si(fmpq_numref(r), (slong)ldexp(m, 53));
    fmpz_one(fmpq_denref(r));
    if (e >= 53)
        fmpq_mul_2exp(r, r, (ulong)(e - 53));
    else
        fmpq_div_2exp(r, r, (ulong)(53 - e));
}

static double rounded(const NUM *x, mpfr_rnd_t rnd)
{
    mpfr_t t;
    mpfr_init2(t, 53);
    fmpq_get_mpfr(t, x, rnd);
    double d = mpfr_get_d(t, rnd);
    mpfr_clear(t);
    return d;
}
static double num_double(const NUM *x)
{
    return rounded(x, MPFR_RNDN);
}

static inline void num_add(const ref_ctx *c, NUM *r, const NUM *a, const NUM *b)
{
    (void)c;
    fmpq_add(r, a, b);
}
static inline void num_sub(const ref_ctx *c, NUM *r, const NUM *a, const NUM *b)
{
    (void)c;
    fmpq_sub(r, a, b);
}
static inline void num_mul(const ref_ctx *c, NUM *r, const NUM *a, const NUM *b)
{
    (void)c;
    fmpq_mul(r, a, b);
}
static inline void num_div(const ref_ctx *c, NUM *r, const NUM *a, const NUM *b)
{
    (void)c;
    fmpq_div(r, a, b);
}
static inline void num_addto(const ref_ctx *c, NUM *r, const NUM *a)
{
    (void)c;
    fmpq_add(r, r, a);
}
static inline void num_muladd(const ref_ctx *c, NUM *r, const NUM *a, const NUM *b)
{
    (void)c;
    fmpq_addmul(r, a, b);
}
static void refused(const ref_ctx *c, NUM *r, const NUM *a)
{
    (void)c, (void)r, (void)a;
    assert(!"at_arith_supports refuses irrational functions");
}
#define num_exp   refused
#define num_sqrt  refused
#define num_gelu  refused
#define num_phi   refused
#define num_union refused /* comparisons leave one choice */
static inline void num_blur(const ref_ctx *c, NUM *r)
{
    (void)c, (void)r;
}

static inline void num_relu(const ref_ctx *c, NUM *r, const NUM *a)
{
    (void)c;
    if (fmpq_sgn(a) > 0)
        fmpq_set(r, a);
    else
        fmpq_zero(r);
}
static inline void num_negabs(const ref_ctx *c, NUM *r, const NUM *a)
{
    (void)c;
    fmpq_abs(r, a);
    fmpq_neg(r, r);
}
static inline void num_nonneg(NUM *r)
{
    (void)r;
}

static inline bool num_isnan(const NUM *a)
{
    (void)a;
    return false;
}
static inline bool num_below(const NUM *a, const NUM *b)
{
    return fmpq_cmp(a, b) < 0;
}
static inline bool num_atmost(const NUM *a, const NUM *b)
{
    return fmpq_cmp(a, b) <= 0;
}
#define num_lower num_below
#define num_upper num_below
static inline void num_max(const ref_ctx *c, NUM *r, const NUM *a, const NUM *b)
{
    (void)c;
    fmpq_set(r, num_below(a, b) ? b : a);
}
static void num_peak(const ref_ctx *c, NUM *r, const NUM *s, size_t n)
{
    fmpq_set(r, &s[0]);
    for (size_t j = 1; j < n; j++)
        num_max(c, r, r, &s[j]);
}

static int descending(const void *a, const void *b)
{
    return fmpq_cmp(b, a);
}
static void num_sort(const ref_ctx *c, NUM *z, int n)
{
    (void)c;
    qsort(z, (size_t)n, sizeof *z, descending);
}

static void num_total(const ref_ctx *c, NUM *r, const NUM *w, size_t n)
{
    (void)c;
    fmpq_zero(r);
    for (size_t j = 0; j < n; j++)
        fmpq_add(r, r, &w[j]);
}

static void num_mean(const ref_ctx *c, NUM *r, const NUM *w, const NUM *den, size_t n, const NUM *v,
                     size_t stride, const int *key)
{
    (void)c;
    fmpq_zero(r);
    for (size_t j = 0; j < n; j++)
        if (!fmpq_is_zero(&w[j]))
            fmpq_addmul(r, &w[j], &v[stride * (key ? (size_t)key[j] : j)]);
    if (den)
        fmpq_div(r, r, den);
}

static void num_feature(const ref_ctx *c, NUM *r, const at_pos *p, int f, int64_t i, int64_t T)
{
    (void)c, (void)f;
    int64_t num, den;
    bool rational = ref_feature_ratio(p, i, T, &num, &den);
    assert(rational);
    (void)rational;
    fmpq_set_si(r, num, (ulong)den);
}

static void num_turn(const ref_ctx *c, NUM *r, const at_rotary *turn, int pair, bool sine, int64_t i)
{
    (void)turn, (void)pair, (void)sine, (void)i;
    refused(c, r, NULL);
}

/* ---- decisions: exact, margins rounded down ---------------------------------------------------------- */

static void decide_argmax(const NUM *row, int R, double *decision, double *margin)
{
    int best = 0, rival = -1;
    for (int r = 1; r < R; r++)
        if (num_below(&row[best], &row[r]))
            best = r;
    for (int r = 0; r < R; r++)
        if (r != best && (rival < 0 || num_below(&row[rival], &row[r])))
            rival = r;
    *decision = best;
    *margin = INFINITY;
    if (rival >= 0) {
        fmpq_t gap;
        fmpq_init(gap);
        fmpq_sub(gap, &row[best], &row[rival]);
        *margin = rounded(gap, MPFR_RNDD);
        fmpq_clear(gap);
    }
}

/* Nearest integer, half-way to even, and 1/2 minus the distance. */
static void decide_round(const NUM *v, double *decision, double *margin)
{
    fmpq_t t, half, whole;
    fmpq_init(t);
    fmpq_init(whole);
    fmpq_init(half);
    fmpq_set_si(half, 1, 2);
    fmpq_add(t, v, half);
    fmpz_fdiv_q(fmpq_numref(whole), fmpq_numref(t), fmpq_denref(t));
    if (fmpz_is_one(fmpq_denref(t)) && fmpz_is_odd(fmpq_numref(whole)))
        fmpz_sub_ui(fmpq_numref(whole), fmpq_numref(whole), 1);
    *decision = num_double(whole);
    fmpq_sub(t, v, whole);
    fmpq_abs(t, t);
    fmpq_sub(t, half, t);
    *margin = rounded(t, MPFR_RNDD);
    fmpq_clear(half);
    fmpq_clear(whole);
    fmpq_clear(t);
}

static void fraction_write(const NUM *x, at_text *out)
{
    char *text = fmpq_get_str(NULL, 10, x);
    at_text_addf(out, "%s\n", text);
    flint_free(text);
}

static void row_decide(const ref_ctx *c, const NUM *row, at_output *y, int p)
{
    const at_readout *ro = &c->m->readout;
    double *value = y->value + (size_t)p * (size_t)y->rows;
    size_t at = (size_t)p * (size_t)y->width;
    double *decision = y->decision + at, *margin = y->margin + at;
    fmpq_t t;
    fmpq_init(t);
    for (int r = 0; r < y->rows; r++)
        value[r] = num_double(&row[r]);
    for (int r = 0; c->fractions && r < y->rows; r++)
        fraction_write(&row[r], c->fractions);
    if (ro->kind == AT_READ_ARGMAX) {
        decide_argmax(row, y->rows, decision, margin);
        y->decided[at] = AT_TRUE;
    }
    for (int r = 0; ro->kind != AT_READ_ARGMAX && r < y->rows; r++) {
        y->decided[at + (size_t)r] = AT_TRUE;
        if (at_read_numbers(ro->kind)) {
            decision[r] = value[r];
            margin[r] = 0;
        } else if (ro->kind == AT_READ_ROUND) {
            decide_round(&row[r], &decision[r], &margin[r]);
        } else {
            num_set_d(c, t, ro->kind == AT_READ_THRESHOLD ? ro->threshold : 0);
            fmpq_sub(t, &row[r], t);
            decision[r] = fmpq_sgn(t) > 0;
            if (ro->kind == AT_READ_SIGN && fmpq_sgn(t) == 0)
                y->decided[at + (size_t)r] = AT_UNKNOWN;
            fmpq_abs(t, t);
            margin[r] = rounded(t, MPFR_RNDD);
        }
    }
    /* a number too large for a double is no value and no margin */
    for (int r = 0; r < y->rows; r++)
        if (!isfinite(value[r]))
            y->decided[at + (size_t)(y->width == 1 ? 0 : r)] = AT_UNKNOWN;
    fmpq_clear(t);
}

#include "rows.inc"
#include "reference.inc"
