/* reference_ball.c: the reference in Arb balls, midpoint +- radius.
 *
 * Two uses of the same functions:
 *   real (c->literal false): the ball contains the value of the model over the reals. Freedom in the order of
 *     operations is used for tightness: softmax subtracts an exact point, means are taken about a centre.
 *   literal (c->literal true): the ball contains the value of every run in the format c->f that performs the
 *     operations of the template. By induction: if the operands of such a run lie in our operand balls, then the
 *     real result of its operation lies in Arb's result ball, and its rounded result in that ball after `widen`,
 *     which adds the rounding error. An exact point that is a number of the format is not widened: a correctly
 *     rounded operation returns it. Hence integers stay exact and ties stay ties.
 *
 * A comparison that cannot be decided is not an error: a maximum becomes the union of what it could be, a
 * hard choice the union of the values of all candidates, a readout Unknown. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "reference_pos.h"

#define NUM     arb_struct
#define FORWARD ref_forward_ball

/* ---- rounding errors of a literal run ---------------------------------------------------------------- */

static bool in_format(const arb_t x, const at_pfmt *f)
{
    const arf_struct *m = arb_midref(x);
    if (!arb_is_exact(x) || arf_is_special(m))
        return arb_is_zero(x);
    return arf_bits(m) <= f->p && arf_cmpabs_2exp_si(m, f->emin) >= 0 && arf_cmpabs_2exp_si(m, f->emax) < 0;
}

/* x grows by `units` half-ulps of its format: units * (2^-p |x| + 2^(emin-p)), the second for underflow.
 * Beyond the largest number of the format nothing is known. */
static void widen_always(const ref_ctx *c, arb_t x, double units)
{
    mag_t e, k;
    mag_init(e);
    mag_init(k);
    arb_get_mag(e, x);
    if (mag_cmp_2exp_si(e, c->f.emax) > 0) {
        arb_indeterminate(x);
    } else {
        mag_mul_2exp_si(e, e, -c->f.p);
        mag_set_ui_2exp_si(k, 1, c->f.emin - c->f.p);
        mag_add(e, e, k);
        mag_set_d(k, units);
        mag_mul(e, e, k);
        mag_add(arb_radref(x), arb_radref(x), e);
    }
    mag_clear(k);
    mag_clear(e);
}

static inline void widen(const ref_ctx *c, arb_t x, double units)
{
    if (c->literal && !in_format(x, &c->f))
        widen_always(c, x, c->any_order ? 4 * units : units);
}

/* ---- scalar functions ---------------------------------------------------------------------------------- */

static inline void num_init(NUM *x)
{
    arb_init(x);
}
static inline void num_clear(NUM *x)
{
    arb_clear(x);
}
static inline void num_zero(NUM *r)
{
    arb_zero(r);
}
static inline void num_set(NUM *r, const NUM *a)
{
    arb_set(r, a);
}
static inline void num_set_d(const ref_ctx *c, NUM *r, double d)
{
    arb_set_d(r, c->literal ? at_p_round(&c->f, d) : d);
}
static inline double num_double(const NUM *x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

static inline void num_add(const ref_ctx *c, NUM *r, const NUM *a, const NUM *b)
{
    arb_add(r, a, b, c->prec);
    widen(c, r, 1);
}
static inline void num_sub(const ref_ctx *c, NUM *r, const NUM *a, const NUM *b)
{
    arb_sub(r, a, b, c->prec);
    widen(c, r, 1);
}
static inline void num_mul(const ref_ctx *c, NUM *r, const NUM *a, const NUM *b)
{
    arb_mul(r, a, b, c->prec);
    widen(c, r, 1);
}
static inline void num_div(const ref_ctx *c, NUM *r, const NUM *a, const NUM *b)
{
    arb_div(r, a, b, c->prec);
    widen(c, r, 1);
}

/* Adding the term t to a sum. In any order, fused or not, a sum of n products errs by at most g = nu/(1-nu) times
 * the sum of their sizes (u half an ulp; Higham 2002, section 3.1), so each term pays its own share of g. When
 * every term is below the format's limit divided by their number, no order has a partial sum that overflows; else
 * nothing is known. */
static void term_add(const ref_ctx *c, NUM *r, arb_t t)
{
    if (c->any_order) {
        mag_t e, k;
        mag_init(e);
        mag_init(k);
        arb_get_mag(e, t);
        mag_set_d(k, c->terms); /* at least the number of terms */
        mag_mul(e, e, k);
        if (mag_cmp_2exp_si(e, c->f.emax) > 0)
            arb_indeterminate(t);
        mag_clear(k);
        mag_clear(e);
        widen_always(c, t, c->terms);
        arb_add(r, r, t, c->prec);
    } else {
        num_add(c, r, r, t);
    }
}
static void num_addto(const ref_ctx *c, NUM *r, const NUM *a)
{
    if (!c->literal) {
        arb_add(r, r, a, c->prec);
        return;
    }
    if (arb_is_zero(a)) /* nothing is rounded */
        return;
    arb_t t;
    arb_init(t);
    arb_set(t, a);
    term_add(c, r, t);
    arb_clear(t);
}
static void num_muladd(const ref_ctx *c, NUM *r, const NUM *a, const NUM *b)
{
    if (!c->literal) {
        arb_addmul(r, a, b, c->prec);
        return;
    }
    if ((arb_is_zero(a) && arb_is_finite(b)) || (arb_is_zero(b) && arb_is_finite(a)))
        return;
    arb_t t;
    arb_init(t);
    num_mul(c, t, a, b);
    term_add(c, r, t);
    arb_clear(t);
}

/* Within one ulp, and exactly 1 at 0. */
static inline void num_exp(const ref_ctx *c, NUM *r, const NUM *a)
{
    bool zero = arb_is_zero(a);
    arb_exp(r, a, c->prec);
    if (!zero)
        widen(c, r, 2);
}
static inline void num_sqrt(const ref_ctx *c, NUM *r, const NUM *a)
{
    arb_sqrtpos(r, a, c->prec);
    widen(c, r, 1);
}

/* x * Phi(x) = x * erfc(-x * sqrt(1/2)) / 2 */
static void num_gelu(const ref_ctx *c, NUM *r, const NUM *a)
{
    arb_t t;
    arb_init(t);
    if (c->literal && c->gelu_parts) {
        arb_set_d(t, -at_p_round(&c->f, M_SQRT1_2));
        num_mul(c, t, t, a);
    } else {
        arb_set_d(t, 0.5);
        arb_sqrt(t, t, c->prec);
        arb_mul(t, t, a, c->prec);
        arb_neg(t, t);
    }
    arb_hypgeom_erfc(t, t, c->prec);
    arb_mul_2exp_si(t, t, -1);
    if (c->literal && c->gelu_parts)
        widen(c, t, 16);
    arb_mul(r, a, t, c->prec);
    widen(c, r, 2);
    arb_clear(t);
}

static void num_relu(const ref_ctx *c, NUM *r, const NUM *a)
{
    if (arb_is_nonnegative(a)) {
        arb_set(r, a);
    } else if (arb_is_nonpositive(a)) {
        arb_zero(r);
    } else {
        arf_t hi, zero;
        arf_init(hi);
        arf_init(zero);
        arb_get_ubound_arf(hi, a, c->prec);
        arb_set_interval_arf(r, zero, hi, c->prec);
        arf_clear(zero);
        arf_clear(hi);
    }
}
static void num_negabs(const ref_ctx *c, NUM *r, const NUM *a)
{
    (void)c;
    arb_abs(r, a);
    arb_nonnegative_part(r, r);
    arb_neg(r, r);
}

/* Increasing, so across 0 the two ends enclose it. */
static void num_phi(const ref_ctx *c, NUM *r, const NUM *a)
{
    NUM one;
    arb_init(&one);
    arb_one(&one);
    if (arb_is_positive(a)) {
        num_add(c, r, a, &one);
    } else if (arb_is_nonpositive(a)) {
        num_exp(c, r, a);
    } else {
        NUM lo, hi;
        arb_init(&lo);
        arb_init(&hi);
        arb_get_interval_arf(arb_midref(&lo), arb_midref(&hi), a, c->prec);
        num_exp(c, &lo, &lo);
        num_add(c, &hi, &hi, &one);
        arb_union(r, &lo, &hi, c->prec);
        arb_clear(&hi);
        arb_clear(&lo);
    }
    arb_clear(&one);
}
static inline void num_nonneg(NUM *r)
{
    arb_nonnegative_part(r, r);
}

static inline bool num_isnan(const NUM *a)
{
    return !arb_is_finite(a);
}
/* m 2^e, exactly; NAN where that is far beyond what scores are. */
static double scaled(double m, fmpz e)
{
    return m == 0 ? 0 : !COEFF_IS_MPZ(e) && e > -800 && e < 800 ? ldexp(m, (int)e) : NAN;
}

/* A midpoint within 2^-52 of its size: its highest limb. */
static double mid_near(const arf_struct *x)
{
    if (arf_is_special(x))
        return arf_is_zero(x) ? 0 : NAN;
    mp_srcptr limb;
    mp_size_t n;
    ARF_GET_MPN_READONLY(limb, n, x);
    double m = scaled((double)limb[n - 1], ARF_EXP(x) - FLINT_BITS);
    return ARF_SGNBIT(x) ? -m : m;
}

/* One end of a ball as a machine number, side -1 the lower, 1 the upper; it is off by less than half of what is added to *slack. */
static double end_near(const NUM *a, int side, double *slack)
{
    const mag_struct *e = arb_radref(a);
    double m = mid_near(arb_midref(a));
    double r = mag_is_inf(e) ? NAN : scaled((double)MAG_MAN(e), MAG_EXP(e) - MAG_BITS);
    *slack += 0x1p-49 * (fabs(m) + r);
    return m + side * r;
}

/* Is one end surely below the other (-1), surely above (1), or too near to say in machine numbers (0)? Rows of hard attention
 * ask this of every key, and few are near. */
static int ends_apart(const NUM *a, int side_a, const NUM *b, int side_b)
{
    double slack = 0, x = end_near(a, side_a, &slack), y = end_near(b, side_b, &slack);
    return x - y < -slack ? -1 : x - y > slack ? 1 : 0; /* 0 also of what is not finite */
}

static inline bool same_mid(const NUM *a, const NUM *b)
{
    return arf_equal(arb_midref(a), arb_midref(b));
}

static bool num_below(const NUM *a, const NUM *b)
{
    int apart = same_mid(a, b) ? 1 : ends_apart(a, 1, b, -1);
    return apart ? apart < 0 : arb_lt(a, b);
}
static bool num_atmost(const NUM *a, const NUM *b)
{
    if (same_mid(a, b))
        return arb_is_exact(a) && arb_is_exact(b) && !arf_is_nan(arb_midref(a));
    int apart = ends_apart(a, 1, b, -1);
    return apart ? apart < 0 : arb_le(a, b);
}

/* Compares ends of finite balls, without rounding: side -1 the lower ends, 1 the upper. */
static bool end_below(const NUM *a, const NUM *b, int side)
{
    if (same_mid(a, b)) /* ties, of which a row may be full */
        return side * mag_cmp(arb_radref(a), arb_radref(b)) < 0;
    int apart = ends_apart(a, side, b, side);
    if (apart)
        return apart < 0;
    arf_t x, y;
    arf_init(x);
    arf_init(y);
    arf_set_mag(x, arb_radref(a));
    arf_set_mag(y, arb_radref(b));
    if (side < 0) {
        arf_neg(x, x);
        arf_neg(y, y);
    }
    arf_add(x, x, arb_midref(a), ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_add(y, y, arb_midref(b), ARF_PREC_EXACT, ARF_RND_DOWN);
    bool below = arf_cmp(x, y) < 0;
    arf_clear(y);
    arf_clear(x);
    return below;
}
static bool num_lower(const NUM *a, const NUM *b)
{
    return end_below(a, b, -1);
}
static bool num_upper(const NUM *a, const NUM *b)
{
    return end_below(a, b, 1);
}
static inline void num_max(const ref_ctx *c, NUM *r, const NUM *a, const NUM *b)
{
    arb_max(r, a, b, c->prec);
}

/* Real: any point may be subtracted, so an exact one near the maximum. Literal: the maximum. */
static void num_peak(const ref_ctx *c, NUM *r, const NUM *s, size_t n)
{
    size_t best = 0;
    arb_set(r, &s[0]);
    for (size_t j = 1; j < n; j++) {
        if (arf_cmp(arb_midref(&s[best]), arb_midref(&s[j])) < 0)
            best = j;
        if (c->literal)
            arb_max(r, r, &s[j], c->prec);
    }
    if (!c->literal)
        arb_set_arf(r, arb_midref(&s[best]));
}

static int descending(const void *a, const void *b)
{
    return arf_cmp(arb_midref((const NUM *)b), arb_midref((const NUM *)a));
}

/* When every number moves by at most e, so does every order statistic. */
static void num_sort(const ref_ctx *c, NUM *z, int n)
{
    (void)c;
    mag_t e;
    mag_init(e);
    for (int j = 0; j < n; j++)
        mag_max(e, e, arb_radref(&z[j]));
    qsort(z, (size_t)n, sizeof *z, descending);
    for (int j = 0; j < n; j++)
        mag_set(arb_radref(&z[j]), e);
    mag_clear(e);
}

static inline void num_union(const ref_ctx *c, NUM *r, const NUM *a)
{
    arb_union(r, r, a, c->prec);
}

static void num_blur(const ref_ctx *c, NUM *r)
{
    if (c->literal)
        widen_always(c, r, c->terms + 8); /* the sum, its count, the division */
}

static void num_total(const ref_ctx *c, NUM *r, const NUM *w, size_t n)
{
    arb_zero(r);
    for (size_t j = 0; j < n; j++)
        num_addto(c, r, &w[j]);
}

/* sum w v / den as it is said: no mean of the v_j, so nothing more is known of it. */
#define NUM_OVER
static void num_over(const ref_ctx *c, NUM *r, const NUM *w, const NUM *den, size_t n, const NUM *v,
                     size_t stride, const int *key)
{
    arb_zero(r);
    for (size_t j = 0; j < n; j++)
        num_muladd(c, r, &w[j], &v[stride * (key ? (size_t)key[j] : j)]);
    num_div(c, r, r, den);
}

/* Real: weights are >= 0, so the mean m of v is also centre + mean(v - centre) and lies in the union of the
 * v_j. With the midpoint of a first estimate as the centre, errors of the weights meet only differences of
 * values; and when the weights are hopeless the union remains. */
static void num_mean(const ref_ctx *c, NUM *r, const NUM *w, const NUM *den, size_t n, const NUM *v,
                     size_t stride, const int *key)
{
    NUM centre, t, all, out;
    arb_init(&centre);
    arb_init(&t);
    arb_init(&all);
    arb_init(&out);
    for (int pass = 0; pass < (c->literal ? 1 : 2); pass++) {
        bool first = true;
        arb_zero(&out);
        for (size_t j = 0; j < n; j++) {
            const NUM *value = &v[stride * (key ? (size_t)key[j] : j)];
            if (arb_is_zero(&w[j]) && arb_is_finite(value))
                continue;
            if (c->literal) {
                num_muladd(c, &out, &w[j], value);
                continue;
            }
            if (first)
                arb_set(&all, value);
            else if (pass)
                arb_union(&all, &all, value, c->prec);
            first = false;
            arb_sub(&t, value, &centre, c->prec);
            arb_addmul(&out, &w[j], &t, c->prec);
        }
        if (den)
            num_div(c, &out, &out, den);
        if (c->literal)
            break;
        arb_add(&out, &out, &centre, c->prec);
        arb_set_arf(&centre, arb_midref(&out));
        if (!arb_is_finite(&centre))
            arb_zero(&centre);
    }
    if (!c->literal && arb_is_finite(&all) &&
        (!arb_is_finite(&out) || mag_cmp(arb_radref(&all), arb_radref(&out)) < 0))
        arb_set(&out, &all);
    arb_set(r, &out);
    arb_clear(&out);
    arb_clear(&all);
    arb_clear(&t);
    arb_clear(&centre);
}

static void num_feature(const ref_ctx *c, NUM *r, const at_pos *p, int f, int64_t i, int64_t T)
{
    if (c->literal)
        arb_set_d(r, ref_feature_double(p, f, i, T, &c->f));
    else
        ref_feature_ball(r, p, f, i, T, c->prec);
}

static void num_turn(const ref_ctx *c, NUM *r, const at_rotary *turn, int pair, bool sine, int64_t i)
{
    if (c->literal)
        arb_set_d(r, ref_turn_double(turn, pair, sine, i, &c->f));
    else
        ref_turn_ball(r, turn, pair, sine, i, c->prec);
}

/* ---- decisions: sure, or Unknown ------------------------------------------------------------------------ */

/* The lower end of x as a double, at least 0. */
static double lower_end(const NUM *x, int prec)
{
    arf_t u;
    arf_init(u);
    arb_get_lbound_arf(u, x, prec);
    double d = arf_get_d(u, ARF_RND_FLOOR);
    arf_clear(u);
    return d > 0 ? d : 0;
}

static void decide_argmax(const ref_ctx *c, const NUM *row, int R, double *decision, double *margin,
                          bool *sure)
{
    int best = 0;
    for (int r = 1; r < R; r++)
        if (arf_cmp(arb_midref(&row[best]), arb_midref(&row[r])) < 0)
            best = r;
    *decision = best;
    *margin = INFINITY;
    NUM gap;
    arb_init(&gap);
    for (int r = 0; r < R; r++)
        if (r != best) {
            arb_sub(&gap, &row[best], &row[r], c->prec);
            *sure = *sure && arb_is_positive(&gap);
            *margin = fmin(*margin, lower_end(&gap, c->prec));
        }
    arb_clear(&gap);
}

/* One number v against the boundaries of its decision; returns whether it is sure. */
static bool decide_one(const ref_ctx *c, const NUM *v, double *decision, double *margin)
{
    const at_readout *ro = &c->m->readout;
    NUM t;
    bool sure = true;
    arb_init(&t);
    if (ro->kind == AT_READ_ROUND) {
        /* whole = floor(mid + 1/2); margin 1/2 - |v - whole| */
        arf_t whole;
        arf_init(whole);
        arf_set_d(whole, 0.5);
        arf_add(whole, whole, arb_midref(v), ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_floor(whole, whole);
        *decision = arf_get_d(whole, ARF_RND_NEAR);
        arb_sub_arf(&t, v, whole, c->prec);
        arb_abs(&t, &t);
        arb_neg(&t, &t);
        NUM half;
        arb_init(&half);
        arb_set_d(&half, 0.5);
        arb_add(&t, &t, &half, c->prec);
        sure = arb_is_positive(&t);
        *margin = lower_end(&t, c->prec);
        arb_clear(&half);
        arf_clear(whole);
    } else {
        arb_set_d(&t, ro->kind == AT_READ_THRESHOLD ? ro->threshold : 0);
        arb_sub(&t, v, &t, c->prec);
        sure = arb_is_positive(&t) || arb_is_negative(&t) ||
               (ro->kind == AT_READ_THRESHOLD && arb_is_nonpositive(&t));
        *decision = arf_sgn(arb_midref(&t)) > 0;
        if (!arb_is_positive(&t))
            arb_neg(&t, &t);
        *margin = sure ? lower_end(&t, c->prec) : 0;
    }
    arb_clear(&t);
    return sure;
}

/* Midpoint and radius as doubles, the rounding of the midpoint included in the radius. */
static bool store(const NUM *v, double *value, double *radius)
{
    *value = num_double(v);
    *radius = INFINITY;
    if (!arb_is_finite(v) || !isfinite(*value))
        return false;
    arf_t d;
    mag_t e;
    arf_init(d);
    mag_init(e);
    arf_set_d(d, *value);
    arf_sub(d, d, arb_midref(v), ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_get_mag(e, d);
    mag_add(e, e, arb_radref(v));
    arf_set_mag(d, e);
    *radius = arf_get_d(d, ARF_RND_CEIL);
    mag_clear(e);
    arf_clear(d);
    return isfinite(*radius);
}

static void row_decide(const ref_ctx *c, const NUM *row, at_output *y, int p)
{
    at_read_kind kind = c->m->readout.kind;
    size_t at = (size_t)p * (size_t)y->width, base = (size_t)p * (size_t)y->rows;
    bool all = true;
    for (int r = 0; r < y->rows; r++) {
        bool sure = store(&row[r], &y->value[base + (size_t)r], &y->radius[base + (size_t)r]);
        all = all && sure;
        if (kind == AT_READ_ARGMAX)
            continue;
        double decision = y->value[base + (size_t)r], margin = 0;
        if (sure && !at_read_numbers(kind))
            sure = decide_one(c, &row[r], &decision, &margin);
        y->decision[at + (size_t)r] = decision;
        y->margin[at + (size_t)r] = margin;
        y->decided[at + (size_t)r] = sure ? AT_TRUE : AT_UNKNOWN;
    }
    if (kind == AT_READ_ARGMAX) {
        y->decision[at] = NAN;
        y->margin[at] = 0;
        if (all)
            decide_argmax(c, row, y->rows, &y->decision[at], &y->margin[at], &all);
        y->decided[at] = all ? AT_TRUE : AT_UNKNOWN;
    }
}

#include "rows.inc"
#include "reference.inc"
