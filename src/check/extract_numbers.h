/* extract_numbers.h: numbers as extract.c has them: a double, and how far the true number and what an executor makes of it may be
 * from that double.
 *
 * A sum whose terms and partial sums are exact in whatever order they are added is exact, and off by nothing. Every other sum of n
 * terms is added up by an executor in f64 with an error of at most n u/(1 - n u) times the sum of their sizes, in whatever order
 * (u = 2^-53); so is the double here. `unit` is twice that factor for the longest sum of a model, and more. */
#ifndef ATTEST_EXTRACT_NUMBERS_H
#define ATTEST_EXTRACT_NUMBERS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double at, off;
} number;

/* Terms of a sum: their size, what they are off by, and the lowest bit of any. */
typedef struct {
    double sum, size, off;
    int low;
    bool exact;
} sums;

static const sums sum_of_nothing = {.low = 2000, .exact = true};

static inline bool is_small(double x)
{
    return fabs(x) < 0x1p26 && x == (double)(int)x;
}

/* The lowest bit of p, as an exponent; p is not 0. */
static inline int lowest_bit(double p)
{
    int e;
    int64_t bits = (int64_t)ldexp(frexp(p, &e), 53);
    return e - 53 + __builtin_ctzll((unsigned long long)(bits < 0 ? -bits : bits));
}

/* One more term, w x. */
static inline void product_add(sums *s, number w, number x)
{
    double p = w.at * x.at;
    bool sure = w.off == 0 && x.off == 0;
    s->sum += p;
    s->size += fabs(p);
    if (sure && is_small(w.at) && is_small(x.at)) { /* the usual case, and quick */
        s->low = s->low < 0 ? s->low : 0;
        return;
    }
    s->off += fabs(w.at) * x.off + fabs(x.at) * w.off + w.off * x.off;
    s->exact &= sure && (w.at == 0 || x.at == 0 || (fabs(p) > 0x1p-900 && fma(w.at, x.at, -p) == 0));
    if (s->exact && p != 0) {
        int low = lowest_bit(p);
        s->low = low < s->low ? low : s->low;
    }
}

/* The sum. false: it is too large to be said anything about. Where it is exact every partial sum, in whatever order, is a multiple of
 * 2^low below 2^(low + 53). */
static inline bool sum_end(const sums *s, double unit, number *out)
{
    *out = (number){s->sum, 0};
    if (s->exact && s->size < ldexp(1, s->low + 53))
        return true;
    out->off = (s->off + unit * (s->size + s->off)) * (1 + 0x1p-30) + 0x1p-1000;
    return out->off < 0x1p900 && s->size < 0x1p900;
}

/* A number and all that are meant to be it, computed in other ways, become the same: one of few bits, where it is that near, and off by
 * `spread`, which serves all numbers of one kind. What it stands for only grows. false: it is off by more; spread says how much
 * will do. A zero is 0, not -0: numbers are compared as bytes. */
static inline bool number_round(number *x, double *spread)
{
    double few = ldexp(nearbyint(ldexp(x->at, 16)), -16), far = fabs(few - x->at);
    if (far <= 8 * x->off || far <= *spread / 2) {
        x->at = few;
        x->off += far + 0x1p-50 * (x->off + far);
    }
    x->at += 0.0;
    bool fits = x->off <= *spread;
    if (!fits)
        *spread = 2 * x->off;
    x->off = *spread;
    return fits;
}

static inline number number_relu(number x)
{
    return x.at + x.off <= 0 ? (number){0, 0} : (number){x.at > 0 ? x.at : 0, x.off};
}

#endif
