/* axis.c: the axes that plots and the map share, linear or logarithmic, and the colours of their series.
 *
 * Ticks stand at 1, 2 or 5 times a power of ten, on long logarithmic axes at powers of ten. Colours are those of Okabe and
 * Ito (2008), told apart by every kind of colour vision. */
#include "picture_internal.h"

#include <math.h>
#include <stdio.h>

bool at_draw_axis_takes(const at_draw_axis *a, double v)
{
    return fabs(v) <= 1e300 && (!a->log || v > 0); /* beyond 1e300 differences overflow; NaN fails too */
}

double at_draw_axis_at(const at_draw_axis *a, double v)
{
    return a->log ? log10(v) : v;
}

/* times * 10^e, times 1, 2 or 5. */
static void power_label(char out[24], int times, int e)
{
    static const char *const raised[] = {"\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",
                                         "\xE2\x81\xB4", "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7",
                                         "\xE2\x81\xB8", "\xE2\x81\xB9"};
    char digits[12];
    if (e >= -2 && e <= 4) {
        snprintf(out, 24, "%g", times * pow(10, e));
        return;
    }
    snprintf(digits, sizeof digits, "%d", e < 0 ? -e : e);
    char factor[8] = "";
    if (times != 1)
        snprintf(factor, sizeof factor, "%d\xC2\xB7", times);
    int n = snprintf(out, 24, "%s10%s", factor, e < 0 ? "\xE2\x81\xBB" : "");
    for (char *d = digits; *d; d++)
        n += snprintf(out + n, (size_t)(24 - n), "%s", raised[*d - '0']);
}

static void tick_add(at_draw_axis *a, double v)
{
    a->tick[a->n++] = v; /* callers stop at AT_DRAW_TICKS */
}

/* Ticks at nice numbers; a linear axis is widened to the ticks around the data, a logarithmic one by a little. */
void at_draw_axis_finish(at_draw_axis *a, int wanted)
{
    if (!(a->lo <= a->hi)) /* no data at all */
        a->lo = 0, a->hi = 1;
    double span = a->hi - a->lo;
    if (a->log) {
        double pad = span > 0 ? 0.04 * span : 0.2;
        a->lo -= pad;
        a->hi += pad;
        int first = (int)ceil(a->lo), last = (int)floor(a->hi);
        if (span > 3) { /* long: powers of ten */
            int step = (int)ceil(span / wanted);
            for (int e = first; e <= last && a->n < AT_DRAW_TICKS; e += step) {
                tick_add(a, e);
                power_label(a->label[a->n - 1], 1, e);
            }
            return;
        }
        static const int steps[] = {1, 2, 5};
        for (int e = first - 1; e <= last; e++)
            for (int i = 0; i < 3; i++) {
                double v = e + log10(steps[i]);
                if (v < a->lo || v > a->hi || a->n == AT_DRAW_TICKS)
                    continue;
                tick_add(a, v);
                power_label(a->label[a->n - 1], steps[i], e);
            }
        if (a->n < 2) { /* the data lie between two ticks: label the ends */
            a->n = 0;
            tick_add(a, a->lo);
            tick_add(a, a->hi);
            for (int i = 0; i < 2; i++)
                snprintf(a->label[i], 24, "%.3g", pow(10, a->tick[i]));
        }
        return;
    }
    if (span <= 0) {
        double pad = fabs(a->lo) * 0.5;
        a->lo -= pad;
        a->hi += pad > 0 ? pad : 1; /* nothing but 0: a share or a count, that is not negative */
        span = a->hi - a->lo;
    }
    double ten = pow(10, floor(log10(span / wanted))), r = span / wanted / ten;
    double step = ten * (r <= 1 ? 1 : r <= 2 ? 2 : r <= 5 ? 5 : 10);
    step = step < 1 && !a->broken ? 1 : step; /* no half bits */
    double first = floor(a->lo / step + 1e-9), last = ceil(a->hi / step - 1e-9);
    for (double k = first; k <= last && a->n < AT_DRAW_TICKS; k++) {
        tick_add(a, k * step);
        snprintf(a->label[a->n - 1], 24, "%.10g", k == 0 ? 0.0 : k * step);
    }
    a->lo = first * step;
    a->hi = last * step;
    if (!(a->hi > a->lo)) /* the data differ by less than the spacing of doubles */
        a->hi = a->lo + (a->lo != 0 ? fabs(a->lo) : 1);
}

void at_draw_axis_grow(at_draw_axis *a, double v)
{
    double c = at_draw_axis_at(a, v);
    a->lo = c < a->lo ? c : a->lo;
    a->hi = c > a->hi ? c : a->hi;
    a->broken = a->broken || v != floor(v);
}
