/* shares_maker.h: decoders whose rows of probabilities are whole numbers over a denominator, in each of some contexts.
 *
 * 1. A context is 0 or 1, and at most one of them is 1. Its probabilities are whole numbers over D. Weights are binary fractions, which
 *    1/3 is not; so attention divides: head "share" sees the rows 1 .. D alike, by the score -relu(j - D), and the mean of "this is
 *    row 1" over them is u = 1/D. All are hidden, so a row behind them sees all.
 * 2. relu(u + c - 1) is u in the context c and 0 elsewhere; it adds its whole numbers times u. Where there is no context comes the end.
 * 3. Rows are probabilities, which sparsemax leaves as they are. All weights are whole numbers and nothing but u is not: over the
 *    rationals the probabilities are these, not rounded. */
#ifndef ATTEST_SHARES_MAKER_H
#define ATTEST_SHARES_MAKER_H

#include "front_internal.h"

typedef struct {
    at_var in;       /* is this the context? */
    uint32_t *count; /* (V) */
    uint32_t under;
} shares_context;

typedef struct {
    at_program *P;
    at_weighting weighting;
    int V,
        rows; /* outcomes, the end last; hidden rows: the largest denominator, once all contexts are there */
    shares_context *c;
    int n;
    at_arena *a;
    at_err *err;
} shares_maker;

/* One more context, whose count is to be filled in; NULL: there is no memory, or no room. */
shares_context *shares_add(shares_maker *k);
/* The counts of the last one are known. */
at_status shares_added(shares_maker *k);
/* V - 1 tokens: own[t] is 1 at token t. The hidden rows are made, *first and *begin mark the first and the last. */
at_status shares_tokens(shares_maker *k, at_var *own, at_var *first, at_var *begin);
/* The program of texts to N tokens is begun; and ended: what `made` says, and *out, which is freed when it fails. */
at_status shares_program(shares_maker *k, const char *name, int N, const at_arith *arith);
at_status shares_end(shares_maker *k, at_status made, at_program **out);
at_attention shares_head(const shares_maker *k);
/* here: the number of a row. Ends the program. */
at_status shares_emit(shares_maker *k, at_var first, at_var here);
/* The model of P, which is freed, and its words. */
at_status shares_model(at_program *P, int words,
                       void (*word)(const void *of, int token, char out[AT_WORD_MAX + 1]), const void *of,
                       at_model *m, at_err *err);
/* at_front.compile of a problem of such a kind: what is beside the letters is said. */
at_status shares_compile(const at_reading *r, const char *set, const at_front_options *o, int extra,
                         const char *each, int letters, at_model *m, at_said *said, at_err *err);

#endif
