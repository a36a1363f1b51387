/* positions.c: what each position feature means, once: functions of the index i and the number of positions T.
 *
 * A new one is its row in parts.def and a `meaning_ID` here; everything else asks. Most are fractions of integers. The others
 * are said twice, as balls for the reference and in double for training. */
#include "reference_pos.h"

#include <math.h>

typedef struct {
    /* The feature as a fraction; NULL: it is none. */
    void (*ratio)(int64_t i, int64_t T, int64_t *num, int64_t *den);
    /* Feature f of one that is no fraction: enclosed, and in double. */
    void (*ball)(arb_t out, const at_pos *p, int f, int64_t i, slong prec);
    double (*value)(const at_pos *p, int f, int64_t i);
    /* Where it lies; NULL: programs do not have it. */
    void (*range)(const at_pos_span *s, double *lo, double *hi);
    int period; /* it repeats after so many positions; 0: never */
} meaning;

/* ---- fractions --------------------------------------------------------------------------------------------- */

static void ratio_i(int64_t i, int64_t T, int64_t *num, int64_t *den)
{
    (void)T;
    *num = i, *den = 1;
}

static void range_i(const at_pos_span *s, double *lo, double *hi)
{
    *lo = s->first;
    *hi = s->last;
}

static const meaning meaning_AT_POS_I = {.ratio = ratio_i, .range = range_i};

static void ratio_i2(int64_t i, int64_t T, int64_t *num, int64_t *den)
{
    (void)T;
    *num = i * i, *den = 1;
}

static void range_i2(const at_pos_span *s, double *lo, double *hi)
{
    *lo = s->first > 0 ? s->first * s->first : 0;
    *hi = fmax(s->first * s->first, s->last * s->last);
}

static const meaning meaning_AT_POS_I2 = {.ratio = ratio_i2, .range = range_i2};

static void range_unit(const at_pos_span *s, double *lo, double *hi)
{
    (void)s;
    *lo = 0;
    *hi = 1;
}

static void ratio_inv_i(int64_t i, int64_t T, int64_t *num, int64_t *den)
{
    (void)T;
    *num = 1, *den = i;
}

static const meaning meaning_AT_POS_INV_I = {.ratio = ratio_inv_i, .range = range_unit};

static void ratio_inv_i2(int64_t i, int64_t T, int64_t *num, int64_t *den)
{
    (void)T;
    *num = 1, *den = i * i;
}

static const meaning meaning_AT_POS_INV_I2 = {.ratio = ratio_inv_i2, .range = range_unit};

/* i may begin below 0 or above T. */
static void range_part(const at_pos_span *s, double *lo, double *hi)
{
    *lo = fmin(0, s->first);
    *hi = fmax(1, s->first);
}

static void ratio_i_over_n(int64_t i, int64_t T, int64_t *num, int64_t *den)
{
    *num = i, *den = T;
}

static const meaning meaning_AT_POS_I_OVER_N = {.ratio = ratio_i_over_n, .range = range_part};

static void ratio_i_over_n3(int64_t i, int64_t T, int64_t *num, int64_t *den)
{
    *num = i, *den = T * T * T;
}

static const meaning meaning_AT_POS_I_OVER_N3 = {.ratio = ratio_i_over_n3, .range = range_part};

static void ratio_n(int64_t i, int64_t T, int64_t *num, int64_t *den)
{
    (void)i;
    *num = T, *den = 1;
}

static void range_n(const at_pos_span *s, double *lo, double *hi)
{
    *lo = s->least;
    *hi = s->most;
}

static const meaning meaning_AT_POS_N = {.ratio = ratio_n, .range = range_n};

static void ratio_alternate(int64_t i, int64_t T, int64_t *num, int64_t *den)
{
    (void)T;
    *num = i % 2 == 0 ? 1 : -1, *den = 1;
}

static void range_sign(const at_pos_span *s, double *lo, double *hi)
{
    (void)s;
    *lo = -1;
    *hi = 1;
}

static const meaning meaning_AT_POS_ALTERNATE = {.ratio = ratio_alternate, .range = range_sign, .period = 2};

/* ---- others ------------------------------------------------------------------------------------------------- */

static void ball_sinusoidal(arb_t out, const at_pos *p, int f, int64_t i, slong prec)
{
    arb_t power;
    fmpq_t e;
    arb_init(power);
    fmpq_init(e);
    fmpq_set_si(e, 2 * (f / 2), (ulong)p->size);
    arb_set_ui(power, 10000);
    arb_pow_fmpq(power, power, e, prec);
    arb_set_si(out, i);
    arb_div(out, out, power, prec);
    if (f % 2 == 0)
        arb_sin(out, out, prec);
    else
        arb_cos(out, out, prec);
    fmpq_clear(e);
    arb_clear(power);
}

static double value_sinusoidal(const at_pos *p, int f, int64_t i)
{
    double angle = (double)i / at_pow(10000, 2.0 * (f / 2) / p->size);
    return f % 2 == 0 ? at_sin(angle) : at_cos(angle);
}

static const meaning meaning_AT_POS_SINUSOIDAL = {.ball = ball_sinusoidal, .value = value_sinusoidal};

/* sqrt(1/n) = 1/sqrt(n), exact for powers of 4; sqrt((n-1)/n), exact for n = 1. */
static void ball_sqrt_pair(arb_t out, const at_pos *p, int f, int64_t i, slong prec)
{
    slong n = i + p->shift;
    if (f == 0) {
        arb_sqrt_ui(out, (ulong)n, prec);
        arb_inv(out, out, prec);
        return;
    }
    arb_set_si(out, n - 1);
    arb_div_si(out, out, n, prec);
    arb_sqrt(out, out, prec);
}

static double value_sqrt_pair(const at_pos *p, int f, int64_t i)
{
    double n = (double)i + p->shift;
    return sqrt(f == 0 ? 1 / n : (n - 1) / n);
}

static const meaning meaning_AT_POS_SQRT_PAIR = {.ball = ball_sqrt_pair, .value = value_sqrt_pair};

/* A row of weights a position: no features. */
static const meaning meaning_AT_POS_TABLE = {0};

/* ---- all ---------------------------------------------------------------------------------------------------- */

static const meaning *const meanings[AT_POS_KINDS] = {
#define AT_POS_ROW(id, ...) [id] = &meaning_##id,
#include <attest/parts.def>
};

bool at_pos_ratio(at_pos_kind k, int64_t i, int64_t T, int64_t *num, int64_t *den)
{
    if (!meanings[k]->ratio)
        return false;
    meanings[k]->ratio(i, T, num, den);
    return true;
}

bool ref_feature_ratio(const at_pos *p, int64_t i, int64_t T, int64_t *num, int64_t *den)
{
    return at_pos_ratio(p->kind, i, T, num, den);
}

void ref_feature_ball(arb_t out, const at_pos *p, int f, int64_t i, int64_t T, slong prec)
{
    int64_t num, den;
    if (!ref_feature_ratio(p, i, T, &num, &den)) {
        meanings[p->kind]->ball(out, p, f, i, prec);
        return;
    }
    arb_set_si(out, num);
    arb_div_si(out, out, den, prec);
}

double at_pos_value(const at_pos *p, int f, int64_t i, int64_t T)
{
    const meaning *m = meanings[p->kind];
    int64_t num, den;
    if (!m->ratio)
        return m->value ? m->value(p, f, i) : 0;
    m->ratio(i, T, &num, &den);
    return (double)num / (double)den;
}

bool at_pos_rounds_once(at_pos_kind k)
{
    int64_t num, den, most = (int64_t)1 << 53;
    if (!meanings[k]->ratio)
        return false;
    meanings[k]->ratio(AT_MAX_LENGTH, AT_MAX_LENGTH, &num, &den);
    return num <= most && den <= most;
}

int at_pos_period(at_pos_kind k)
{
    return meanings[k]->period;
}

void at_pos_range(at_pos_kind k, const at_pos_span *s, double *lo, double *hi)
{
    *lo = *hi = 0;
    if (meanings[k]->range)
        meanings[k]->range(s, lo, hi);
}
