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
    double *by;  /* (rows, width) */
    double *own; /* (rows) */
} traced;

/* The inputs themselves. */
static inline void traced_begin(traced *t, int width)
{
    memset(t->by, 0, (size_t)width * (size_t)width * sizeof *t->by);
    memset(t->own, 0, (size_t)width * sizeof *t->own);
    for (int k = 0; k < width; k++)
        t->by[k * width + k] = 1;
}

/* Row k of `to` is the sum s of n weights w times those rows of `from` that column names; *y is what it is off by without this. x: the
 * block's inputs. Sums of forms are rounded, too, by less than unit times their size. */
static inline void traced_row(const traced *from, traced *to, int k, int n, const int *column,
                              const double *w, const sums *s, double unit, int width, const number *x,
                              number *y)
{
    double *by = to->by + (size_t)k * (size_t)width, off = 0, own = unit * (s->size + s->off);
    memset(by, 0, (size_t)width * sizeof *by);
    to->own[k] = 0;
    if (y->off == 0)
        return;
    for (int c = 0; c < n; c++) {
        const double *row = from->by + (size_t)column[c] * (size_t)width;
        own += fabs(w[c]) * from->own[column[c]];
        for (int i = 0; i < width; i++) {
            by[i] += w[c] * row[i];
            own += unit * fabs(w[c] * row[i]) * x[i].off;
        }
    }
    own = own * (1 + 0x1p-30) + 0x1p-1000;
    for (int i = 0; i < width; i++)
        off += fabs(by[i]) * x[i].off;
    off = (off + own) * (1 + 0x1p-30);
    y->off = off < y->off ? off : y->off;
    to->own[k] = own;
}

/* After ReLU: as it is where the unit is surely on, nothing where it is surely off, else all of it is its own. */
static inline void traced_relu(traced *t, int k, int width, number *y)
{
    bool on = y->at - y->off >= 0;
    if (!on) {
        memset(t->by + (size_t)k * (size_t)width, 0, (size_t)width * sizeof *t->by);
        t->own[k] = y->at + y->off <= 0 ? 0 : y->off;
    }
    *y = number_relu(*y);
}

#endif
