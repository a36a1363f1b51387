/* influence.h: what the files of the influence bound share: balls in doubles, boxes of states, and how far one letter moves them.
 *
 * Legend: n letters of a word, T positions with the hidden ones, V letters of the alphabet, D width, H heads, u a letter's place. */
#ifndef ATTEST_CHECK_INFLUENCE_H
#define ATTEST_CHECK_INFLUENCE_H

#include "check_internal.h"

#include <math.h>

/* ---- balls: all numbers within rad of mid. Every sum of k terms is widened by k 2^-52 of the sum of their sizes ---- */

typedef struct {
    double mid, rad;
} ball;

#define BALL_TINY 0x1p-1000

/* At least the sum of k numbers that are not negative, when x is what they came out as. */
static inline double up_of(double x, double k)
{
    return x * (1 + (k + 8) * 0x1p-52) + BALL_TINY;
}

/* At most that sum. */
static inline double down_of(double x, double k)
{
    return x * (1 - (k + 8) * 0x1p-52) - BALL_TINY;
}

static inline double ball_most(ball x) /* of its size */
{
    return up_of(fabs(x.mid) + x.rad, 1);
}

static inline double ball_hi(ball x)
{
    double s = x.mid + x.rad;
    return s + 0x1p-51 * (fabs(x.mid) + x.rad) + BALL_TINY;
}

static inline double ball_lo(ball x)
{
    double s = x.mid - x.rad;
    return s - 0x1p-51 * (fabs(x.mid) + x.rad) - BALL_TINY;
}

static inline ball ball_between(double lo, double hi)
{
    double mid = lo + (hi - lo) / 2;
    return (ball){mid, up_of(fmax(hi - mid, mid - lo), 2) + 0x1p-51 * fabs(mid)};
}

/* ---- boxes ------------------------------------------------------------------------------------------------------------ */

typedef struct {
    const at_model *m;
    int n, T, V, D;
    int out;   /* position of T that answers */
    int final; /* last attention block; -1: none */
    bool past; /* that block is behind: only `out` counts */
    ball *
        x; /* (T, V, D): what position t may hold in words that have letter v there; hidden ones have v = 0 alone */
    double *d; /* (T, n, D): how far letter u alone moves it, where t is not u */
    at_arena *a;
    at_err *err;
} boxes;

static inline int boxes_letters(const boxes *c, int t)
{
    return t < c->m->n_prefix || t >= c->m->n_prefix + c->n ? 1 : c->V;
}

static inline ball *box_at(const boxes *c, ball *x, int t, int v)
{
    return x + ((size_t)t * (size_t)c->V + (size_t)v) * (size_t)c->D;
}

static inline double *moves_at(const boxes *c, double *d, int t, int u)
{
    return d + ((size_t)t * (size_t)c->n + (size_t)u) * (size_t)c->D;
}

/* y (rows) = W x (cols) + b; and how far it moves when x moves by at most d: |W| d. */
void balls_affine(const boxes *c, int w, int b, int rows, int cols, const ball *x, ball *y);
void moves_affine(const boxes *c, int w, int rows, int cols, const double *d, double *y);

/* What attention block b, reading y and moved by dy, adds: to sum (T, V, D) and moved (T, n, D), which are 0. In the last block only the
 * position that answers. */
at_status boxes_attend(boxes *c, const at_block *b, bool final, ball *y, double *dy, ball *sum,
                       double *moved);

#endif
