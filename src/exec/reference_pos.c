/* reference_pos.c: position features (positions.c), each one correctly rounded function of the integers i and T, and the
 * cosines and sines of rotary positions, likewise.
 *
 * Most are fractions. The others (sinusoids, square roots) are enclosed by Arb at growing precision until
 * both ends of the ball round to the same number of the format. That ends: sines and cosines of nonzero
 * algebraic numbers are transcendental, and sqrt(1/n), sqrt(1-1/n) lie in the format or on a boundary between
 * two of its numbers only when they are dyadic, and then the ball is a point. */
#include "reference_pos.h"

#include <math.h>

/* x, at most 1 in size, rounded once (nearest, ties to even) into the format, gradual underflow included. */
static double round_once(const arf_t x, const at_pfmt *fmt)
{
    if (arf_is_zero(x))
        return 0;
    /* 2^(e-1) <= |x| < 2^e; below emin the mantissa loses a bit for each step */
    slong e = arf_abs_bound_lt_2exp_si(x);
    slong bits = e - 1 >= fmt->emin ? fmt->p : fmt->p - (fmt->emin - (e - 1));
    if (bits < 1) {
        /* tiny/2 < |x| < tiny rounds up to tiny, the tie and everything below it to zero */
        bool up = bits == 0 && arf_cmpabs_2exp_si(x, e - 1) > 0;
        return up ? copysign(fmt->tiny, arf_sgn(x)) : 0;
    }
    arf_t r;
    arf_init(r);
    arf_set_round(r, x, bits, ARF_RND_NEAR);
    double d = arf_get_d(r, ARF_RND_NEAR);
    arf_clear(r);
    return d;
}

/* What is to be rounded: a feature, or a cosine or sine of a pair. */
typedef struct {
    const at_pos *p;
    int f;
    const at_rotary *turn; /* NULL: a feature */
    bool sine;
    int64_t i, T;
} sought;

static double rounded(const sought *s, const at_pfmt *fmt)
{
    arb_t x;
    arf_t lo, hi;
    arb_init(x);
    arf_init(lo);
    arf_init(hi);
    double a = 0, b = 1;
    for (slong prec = 128; a != b; prec *= 2) {
        if (s->turn)
            ref_turn_ball(x, s->turn, s->f, s->sine, s->i, prec);
        else
            ref_feature_ball(x, s->p, s->f, s->i, s->T, prec);
        arb_get_interval_arf(lo, hi, x, prec + 30);
        a = round_once(lo, fmt);
        b = round_once(hi, fmt);
    }
    arf_clear(hi);
    arf_clear(lo);
    arb_clear(x);
    return a;
}

double ref_feature_double(const at_pos *p, int f, int64_t i, int64_t T, const at_pfmt *fmt)
{
    int64_t num, den;
    if (ref_feature_ratio(p, i, T, &num, &den))
        return at_p_ratio(fmt, num, den);
    return rounded(&(sought){.p = p, .f = f, .i = i, .T = T}, fmt);
}

/* theta is a double, so the angle of an index other than 0 is algebraic and not 0: its cosine and sine are transcendental. */
void ref_turn_ball(arb_t out, const at_rotary *r, int pair, bool sine, int64_t i, slong prec)
{
    arb_t power;
    fmpq_t e;
    arb_init(power);
    fmpq_init(e);
    fmpq_set_si(e, 2 * (slong)pair, (ulong)r->width);
    arb_set_d(power, r->theta);
    arb_pow_fmpq(power, power, e, prec);
    arb_set_si(out, i);
    arb_div(out, out, power, prec);
    if (sine)
        arb_sin(out, out, prec);
    else
        arb_cos(out, out, prec);
    fmpq_clear(e);
    arb_clear(power);
}

double ref_turn_double(const at_rotary *r, int pair, bool sine, int64_t i, const at_pfmt *fmt)
{
    return i == 0 ? !sine : rounded(&(sought){.turn = r, .f = pair, .sine = sine, .i = i}, fmt);
}

double at_turn_value(const at_rotary *r, int pair, bool sine, int64_t i)
{
    at_pfmt f = at_pfmt_of(at_f64);
    return ref_turn_double(r, pair, sine, i, &f);
}
