/* extract_traced.h: what the numbers inside of an MLP are off by, traced back to what its inputs are off by.
 *
 * Two units that rise alike and are subtracted make a step whose flat part does not depend on its input. When each is said to be
 * off by itself, their difference is off by both; when both are linear forms of the same input they cancel. So of every number
 * there is kept, for d_i what input i is off by,
 *     |number - at - sum_i by_i d_i| <= own,
 * own for rounding and for units of which it is not known whether they are on: these change by no more than their input does. */
#ifndef ATTEST_EXTRACT_TRACED_H
#define ATTEST_EXTRACT_TRACED_H

#include <string.h>

#include "extract_numbers.h"

typedef struct {
    double *by;  /* (rows, n inputs) */
    double *own; /* (rows) */
    double *all; /* (rows): sum_i |by_i| d_i */
} traced;

/* What the inputs that are off at all are off by: most are not. */
typedef struct {
    int n;
    double *off;
} causes;

/* The inputs themselves. */
static inline void traced_begin(traced *t, causes *d, int width, const number *x)
{
    d->n = 0;
    for (int k = 0; k < width; k++)
        if (x[k].off > 0)
            d->off[d->n++] = x[k].off;
    memset(t->by, 0, (size_t)width * (size_t)d->n * sizeof *t->by);
    memset(t->own, 0, (size_t)width * sizeof *t->own);
    memset(t->all, 0, (size_t)width * sizeof *t->all);
    for (int k = 0, at = 0; k < width; k++)
        if (x[k].off > 0) {
            t->by[k * d->n + at] = 1;
            t->all[k] = x[k].off;
            at++;
        }
}

/* Row k of `to` is the sum s of n weights w times those rows of `from` that column names; *y is what it is off by without this. d: of
 * the block's inputs. Sums of forms are rounded, too, by less than unit times their size. */
static inline void traced_row(const traced *from, traced *to, int k, int n, const int *column,
                              const double *w, const sums *s, double unit, const causes *d, number *y)
{
    double *restrict by = to->by + (size_t)k * (size_t)d->n, off = 0, own = unit * (s->size + s->off);
    memset(by, 0, (size_t)d->n * sizeof *by);
    to->own[k] = to->all[k] = 0;
    if (y->off == 0)
        return;
    for (int c = 0; c < n; c++) {
        const double *restrict row = from->by + (size_t)column[c] * (size_t)d->n;
        double f = w[c], all = from->all[column[c]];
        int most = all > 0 ? d->n : 0;
        own += fabs(f) * (from->own[column[c]] + unit * all);
        for (int i = 0; i < most; i++)
            by[i] += f * row[i];
    }
    own = own * (1 + 0x1p-30) + 0x1p-1000;
    for (int i = 0; i < d->n; i++)
        off += fabs(by[i]) * d->off[i];
    to->all[k] = off + 0x1p-1000; /* 0 says that there is none */
    off = (off + own) * (1 + 0x1p-30);
    y->off = off < y->off ? off : y->off;
    to->own[k] = own;
}

/* After ReLU: as it is where the unit is surely on, nothing where it is surely off, else all of it is its own. */
static inline void traced_relu(traced *t, const causes *d, int k, number *y)
{
    bool on = y->at - y->off >= 0;
    if (!on) {
        memset(t->by + (size_t)k * (size_t)d->n, 0, (size_t)d->n * sizeof *t->by);
        t->own[k] = y->at + y->off <= 0 ? 0 : y->off;
        t->all[k] = 0;
    }
    *y = number_relu(*y);
}

#endif
