/* exec_internal.h: what the files of the reference share.
 *
 * One forward pass is written as a template (rows.inc, reference.inc) over a number type NUM and some
 * scalar functions num_*. Each reference_<arithmetic>.c defines those and includes the template; it exports
 * one ref_forward_* below. reference.c checks, allocates results and dispatches. */
#ifndef ATTEST_EXEC_INTERNAL_H
#define ATTEST_EXEC_INTERNAL_H

#include <attest/exec.h>

/* An array of numbers that must be cleared before its memory is given back (balls, rationals). */
typedef struct ref_array {
    void *p;
    size_t n;
    struct ref_array *older;
} ref_array;

typedef struct {
    const at_model *m;
    at_arena *arena;
    at_err *err;
    at_pfmt f;      /* f32, f64, p-bit: the format; a literal ball run: the format it bounds */
    int prec;       /* ball: working precision in bits */
    bool quotient;  /* p-bit: of the means of attention the quotient alone is rounded */
    bool literal;   /* ball: enclose every rounded run in format f, instead of the real value */
    bool any_order; /* literal: sums may be added in any order, operations may err by 4 half-ulps */
    bool
        gelu_parts; /* literal: GELU is x * (erfc(-x * sqrt(1/2)) / 2) with each step rounded, as f64 does it */
    double terms;   /* any_order: error of a sum, in half-ulps of the sum of the sizes of its terms */
    ref_array *open;          /* newest first */
    uint64_t loaded;          /* numbers of embedding rows, added so far */
    at_ties *ties;            /* hard choices are counted there, or NULL */
    at_text *fractions;       /* exact: readout values are written there, a line each, or NULL */
    int block, group;         /* being run */
    const at_rotary *turn_of; /* the first of the model, and ... */
    void *turns;              /* ... its angles: NUM (T, width), cosine and sine of each pair; or NULL */
} ref_ctx;

/* Runs c->m on x; y and trace (may be NULL) are allocated already. Scratch is taken from c->arena and
 * given back on every path. */
typedef at_status ref_forward(ref_ctx *c, const at_input *x, at_trace *trace, at_output *y);
ref_forward ref_forward_f32, ref_forward_f64, ref_forward_pbit, ref_forward_ball, ref_forward_exact;

/* A ball for every readout that contains what any run of m in a (f32, f64 or p-bit) can give: each scalar
 * operation of the reference is enclosed and then widened by that operation's rounding error, so the bound
 * is an induction over the operations, with nothing estimated. exp is taken to err by at most one ulp
 * and erfc by at most 8, which is what the C library states. any_order also covers sums in any order, fused
 * or not, and up to 4 half-ulps an operation (reciprocals instead of divisions, other exps). */
at_status at_run_bound(const at_model *m, at_arith a, const at_input *x, bool any_order, at_arena *arena,
                       at_output *y, at_err *err);

void cost_sum(at_cost *c); /* dense and attention from their parts */
/* Keys that position t of T, from 1, sees. */
uint64_t cost_keys(const at_mask *m, int64_t t, int64_t T);

/* ---- position features -------------------------------------------------------------------------- */

/* Feature f of p at index i and length T as a fraction; false for the irrational kinds. */
bool ref_feature_ratio(const at_pos *p, int64_t i, int64_t T, int64_t *num, int64_t *den);
/* Correctly rounded into the format. */
double ref_feature_double(const at_pos *p, int f, int64_t i, int64_t T, const at_pfmt *fmt);
/* Of a rotary pair at index i the cosine, or the sine, correctly rounded. */
double ref_turn_double(const at_rotary *r, int pair, bool sine, int64_t i, const at_pfmt *fmt);
static inline bool ref_turns_alike(const at_rotary *a, const at_rotary *b)
{
    return a->width == b->width && !(a->theta < b->theta) && !(a->theta > b->theta);
}

/* ---- decisions ------------------------------------------------------------------------------------- */

/* a - b for a >= b, rounded down: what a margin is. */
double ref_gap(double a, double b);
/* at_decide for one position, with at_tri answers. */
void ref_decide(const at_readout *r, const double *value, double *decision, double *margin, uint8_t *decided);

/* Refuses models that only running sums compute (AT_TRAIT_ROUNDED), for whoever adds up over whole inputs. */
at_status exec_whole(const at_model *m, at_err *err);

#endif
