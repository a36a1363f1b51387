/* restrict.h: what the files of the restriction share: numbers that know how far off they are, states as tables, brackets.
 *
 * Legend: n letters of a word, T positions with the hidden ones, D width, s letters that a state depends on. */
#ifndef ATTEST_REFUTE_RESTRICT_H
#define ATTEST_REFUTE_RESTRICT_H

#include "refute_internal.h"

#include <math.h>

/* ---- numbers ------------------------------------------------------------------------------------------------------
 *
 * A double, and how far from it the real number may be, and what f64 makes of it in whatever order sums are added. Products of
 * multiples of 2^-10 are multiples of 2^-20. When all terms of a sum are, and their sizes sum to less than 2^33, every partial
 * sum in every order has at most 53 bits: nothing is rounded, and the sum is off by nothing. Every other sum of n terms is off by at
 * most n 2^-52 times the sum of their sizes. */
typedef struct {
    double at, off;
} number;

typedef struct {
    double sum, size, off;
    bool coarse; /* all factors are multiples of 2^-10 */
} number_sum;

static const number_sum sum_empty = {.coarse = true};

static inline bool is_coarse(double x)
{
    double t = x * 1024;
    return fabs(t) < 0x1p52 && (double)(int64_t)t == t;
}

static inline void sum_add(number_sum *s, number w, number x)
{
    double p = w.at * x.at;
    s->sum += p;
    s->size += fabs(p);
    s->off += fabs(w.at) * x.off + (fabs(x.at) + x.off) * w.off;
    s->coarse = s->coarse && (p == 0 || (is_coarse(w.at) && is_coarse(x.at)));
}

/* unit: 2^-52 times the longest sum of the model, and more. */
static inline number sum_end(const number_sum *s, double unit)
{
    if (s->coarse && s->off == 0 && s->size < 0x1p33)
        return (number){s->sum, 0};
    return (number){s->sum, (s->off + unit * (s->size + s->off)) * (1 + 0x1p-30) + 0x1p-1000};
}

/* ---- states ------------------------------------------------------------------------------------------------------- */

/* What a position holds: a row of D numbers for each setting of the letters that it depends on; bit k of a setting is letter in[k]. */
typedef struct {
    int s;
    int *in;              /* (s), ascending */
    number *x;            /* (2^s, D) */
    number **q, **k, **v; /* by group: (2^s, H dk), (2^s, H dk), (2^s, H dv) */
} holding;

/* A vote: key `key` at this setting of its letters would be a sure maximum. */
typedef struct {
    int key, setting, votes;
} wish;

typedef struct {
    const at_model *m;
    int n, T;
    int out;   /* position of T that answers */
    int final; /* last attention block; -1: none */
    double unit;
    int cap;                   /* letters that a state may depend on */
    const signed char *letter; /* (n): 0 or 1, or -1: free */
    at_arena *a;               /* of one pass */
    at_err *err;
    holding *at; /* (T) */
    bool *seen;  /* (n): what the answer depends on, when a pass ends */
    /* Where a pass is blocked: */
    bool blocked;
    int layer;    /* the block */
    wish *wishes; /* (wishes_n), most votes first */
    int n_wishes;
    double work; /* multiply-adds so far */
} restricting;

/* One pass: states through all blocks, until one has too many letters (c->blocked, with wishes) or the answer is reached (c->seen). */
at_status states_pass(restricting *c);
/* Can states be kept of such a model? Else AT_EREFUSED, in words. Also fills in n-independent fields. */
at_status states_fit(const at_model *m, at_err *err);

/* ---- brackets -------------------------------------------------------------------------------------------------------
 *
 * Letters 0 and 1 are an opening and a closing bracket. Is there a balanced word, of depth at most `depth` (0: any), that has
 * these letters (-1: any)? x: NULL, or such a word, drawn. AT_OK with *is; fails for lack of memory. */
at_status brackets_complete(int n, int depth, const signed char *letter, at_rng *r, double *x, bool *is,
                            at_err *err);

#endif
