/* reference_decide.c: from readout values, as doubles, to decisions and margins.
 *
 * A margin is the distance to the nearest other decision, rounded towards zero. Nothing is decided from a
 * value that is infinite or not a number: the decision is NaN, which equals no answer, with margin 0. */
#include <float.h>
#include <math.h>

#include "exec_internal.h"

/* a - b for a >= b, rounded down: the error of the difference is exact (Knuth 1969), and its sign decides. */
double ref_gap(double a, double b)
{
    double d = a - b, b1 = a - d, error = (a - (d + b1)) - (b - b1);
    return isinf(d) ? DBL_MAX : error < 0 ? nextafter(d, 0) : d;
}

/* The nearest other decision is that for the largest of the others: a gap that is rounded down falls as they rise. */
static bool decide_argmax(const at_readout *ro, const double *value, double *decision, double *margin)
{
    int best = 0, second = -1;
    bool finite = isfinite(value[0]);
    for (int r = 1; r < ro->rows; r++) {
        finite &= (bool)isfinite(value[r]);
        if (value[r] > value[best]) {
            second = best;
            best = r;
        } else if (second < 0 || value[r] > value[second])
            second = r;
    }
    *decision = finite ? best : NAN;
    *margin = !finite ? 0 : second < 0 ? INFINITY : ref_gap(value[best], value[second]);
    return finite;
}

static bool decide_one(const at_readout *ro, double v, double *decision, double *margin)
{
    *decision = NAN;
    *margin = 0;
    if (!isfinite(v))
        return false;
    switch (ro->kind) {
    case AT_READ_SIGN:
        *decision = v > 0;
        *margin = fabs(v);
        return v != 0;
    case AT_READ_THRESHOLD:
        *decision = v > ro->threshold;
        *margin = v > ro->threshold ? ref_gap(v, ro->threshold) : ref_gap(ro->threshold, v);
        return true;
    case AT_READ_ROUND:
        *decision = nearbyint(v); /* rounding mode to nearest: half-way to even */
        *margin = ref_gap(0.5, fabs(v - *decision));
        return true;
    case AT_READ_ARGMAX: /* of all values at once */
    case AT_READ_RAW:
    case AT_READ_SOFTMAX: /* the values are probabilities by now */
    case AT_READ_SPARSEMAX:
        break;
    }
    *decision = v;
    return true;
}

void ref_decide(const at_readout *ro, const double *value, double *decision, double *margin, uint8_t *decided)
{
    if (ro->kind == AT_READ_ARGMAX) {
        *decided = decide_argmax(ro, value, decision, margin) ? AT_TRUE : AT_UNKNOWN;
        return;
    }
    for (int r = 0; r < ro->rows; r++)
        decided[r] = decide_one(ro, value[r], &decision[r], &margin[r]) ? AT_TRUE : AT_UNKNOWN;
}

void at_decide(const at_readout *ro, int positions, const double *value, double *decision, double *margin)
{
    for (int p = 0; p < positions; p++, value += ro->rows) {
        if (ro->kind == AT_READ_ARGMAX) {
            decide_argmax(ro, value, decision++, margin++);
            continue;
        }
        for (int r = 0; r < ro->rows; r++)
            decide_one(ro, value[r], decision++, margin++);
    }
}
