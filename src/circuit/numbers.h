/* numbers.h: what a circuit maker needs of an arithmetic: the steps of a model on the state of one position, and sums over keys as
 * integers.
 *
 * A number is a cell of 64 bits: at p bits the double itself, in exact arithmetic its place in a pool of different rationals. Either way
 * two numbers are the same when their cells are, so vectors are compared as bytes.
 *
 * Letters: D width, H heads, dk, dv head widths, b block, g group, h head. */
#ifndef ATTEST_CIRCUIT_NUMBERS_H
#define ATTEST_CIRCUIT_NUMBERS_H

#include "circuit_internal.h"

typedef uint64_t cell;
typedef struct numbers numbers;

/* The terms of a sum over keys: term k is w_k, w_k v_k1, .. w_k v_kdv as whole multiples of a unit a coordinate. */
typedef struct {
    int64_t *term; /* (n, 1 + dv) */
    void *unit;    /* (1 + dv) of the arithmetic */
} terms;

/* Refuses, in words, what the arithmetic does not have. */
at_status numbers_new(const at_model *m, at_arith a, numbers **out, at_err *err);
void numbers_free(numbers *N);

/* Cells of a state: D; of what block before it a parallel block reads D more; and one, the position, where queries and keys are turned
 * or scores fall with the distance. */
int numbers_width(const numbers *N);
/* Cells of a query and of a key: dk, and where scores fall with the distance the position. */
int numbers_key_width(const numbers *N, const at_group *g);
/* x (a state) = the embedding of position t of T; letter -1: a hidden position. */
at_status numbers_embed(numbers *N, int letter, int t, int T, cell *x, at_err *err);
/* q, k (H, cells of a key), v (H dv) of the state x. */
at_status numbers_project(numbers *N, int b, int g, const cell *x, cell *q, cell *k, cell *v, at_err *err);
/* The score of a query against a key of head h. */
at_status numbers_score(numbers *N, int b, int g, int h, const cell *q, const cell *k, cell *out,
                        at_err *err);
int numbers_order(const numbers *N, cell a, cell b); /* < 0, 0, > 0 */
/* w (n): the weights of n scores where the largest of all is `peak`; of hard attention 1 for those within its tie, else 0. */
at_status numbers_weigh(numbers *N, int b, int g, const cell *score, int n, cell peak, cell *w, at_err *err);
bool numbers_zero(const numbers *N, cell x);
/* Keys of weights w (n) and values v[k] (dv). t->term has room; units are written to t->unit, of numbers_unit_bytes each. */
at_status numbers_terms(numbers *N, const cell *w, const cell *const *v, int n, int dv, terms *t,
                        at_err *err);
size_t numbers_unit_bytes(const numbers *N);
/* What the arithmetic makes of a sum before it divides: sums of one coordinate with the same cell are the same to it. */
bool numbers_rounds_nothing(const numbers *N);
cell numbers_rounded(numbers *N, int coordinate, int64_t sum, const void *unit);
/* out (dv) = the sums over keys, as multiples of their units, divided. */
at_status numbers_divide(numbers *N, int b, int g, const int64_t *sum, const void *unit, cell *out,
                         at_err *err);
/* The state y = block b of x, where its heads have mixed to mixed (all groups, H dv each, one after the other; NULL: an MLP). */
at_status numbers_block(numbers *N, int b, const cell *x, const cell *mixed, cell *y, at_err *err);
/* decision (R, or 1 for argmax) of a state. */
at_status numbers_decide(numbers *N, const cell *x, int *decision, at_err *err);

/* Numbers that were made since a mark are forgotten: their cells mean nothing any more. All tensors are read first. */
at_status numbers_settle(numbers *N, at_err *err);
size_t numbers_mark(const numbers *N);
void numbers_forget(numbers *N, size_t mark);
size_t numbers_words(const numbers *N); /* of 64 bits, the most that numbers made after numbers_settle took */

/* ---- exact numbers: numbers_exact.c ------------------------------------------------------------------- */

typedef struct exact exact;
at_status exact_new(const at_model *m, exact **out, at_err *err);
void exact_free(exact *E);
at_status exact_embed(exact *E, int letter, int t, int T, cell *x, at_err *err);
at_status exact_project(exact *E, const at_group *g, const cell *x, cell *q, cell *k, cell *v, at_err *err);
at_status exact_score(exact *E, const at_group *g, const cell *q, const cell *k, cell *out, at_err *err);
int exact_order(const exact *E, cell a, cell b);
at_status exact_weigh(exact *E, const at_group *g, const cell *score, int n, cell peak, cell *w, at_err *err);
at_status exact_terms(exact *E, const cell *w, const cell *const *v, int n, int dv, terms *t, at_err *err);
at_status exact_divide(exact *E, int dv, const int64_t *sum, const cell *unit, cell *out, at_err *err);
at_status exact_block(exact *E, int b, const cell *x, const cell *mixed, cell *y, at_err *err);
at_status exact_settle(exact *E, at_err *err);
size_t exact_mark(const exact *E);
void exact_forget(exact *E, size_t mark);
size_t exact_words(const exact *E);
at_status exact_decide(exact *E, const cell *x, int *decision, at_err *err);

#endif
