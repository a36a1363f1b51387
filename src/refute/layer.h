/* layer.h: one attention layer at p bits, seen from one query: sums over keys that can be had fast for very many inputs.
 *
 * Where a model has one attention layer, what a key position contributes to the query's sums depends on the row at that
 * position alone. So every (position, row) is run through the model once; after that an input costs one addition a
 * part of the positions, and two inputs with equal attention outputs get equal answers at the query.
 *
 * Letters: T positions with the hidden ones, C choices of a position at most, H heads of all groups, E outputs of all heads together,
 * K = H + E sums. */
#ifndef ATTEST_REFUTE_LAYER_H
#define ATTEST_REFUTE_LAYER_H

#include <attest/refute.h>

/* The rows that a user position may hold; fixed ones have one. */
typedef struct {
    int choices;
    const double *row; /* (choices, row width) */
} layer_site;

typedef struct {
    const at_model *m;
    at_pfmt f;
    int N, T, C, H, E;
    const layer_site *site; /* (N), borrowed */
    int *dv;                /* (H) */
    double *score;          /* (H, T, C); -inf where the query does not look */
    double *value;          /* (E, T, C), heads in order */
} layer_view;

/* AT_OK when m is one softmax attention layer with nothing but MLPs before and behind it, in p-bit arithmetic. */
at_status layer_fits(const at_model *m, at_arith arith, at_err *why);
/* query: a user position, whose site has one choice. */
at_status layer_view_make(const at_model *m, at_arith arith, int N, const layer_site *site, int query,
                          at_arena *a, layer_view *out, at_err *err);

/* What one user position may be in a family of inputs: some of the choices of its site. */
typedef struct {
    int position, n;
    const int *choice; /* (n) */
} layer_free;

/* A family of inputs and their sums. Item i has digit i mod n of the secret position, then those of the others: positions that
 * move the outputs least come first, so that the first items lie close together. */
typedef struct layer_part layer_part;
typedef struct {
    const layer_view *v;
    int *fixed;        /* (N) choice of every position that is not a digit */
    int n_digits;      /* digit 0 is the secret */
    layer_free *digit; /* (n_digits) */
    uint64_t count;    /* items; 0: no two choices of the secret can be compared */
    int unit;          /* sums are in units of 2^unit */
    int n_parts;
    layer_part *part;
} layer_family;
/* base: (N) choices where nothing else is said; free[0] is the secret; about `most` items, positions for which there is no
 * room stay fixed. Softmax subtracts the largest score, so that
 * sums can be added only where it is the same for all: positions that hold a largest score are pinned to it, and choices of
 * the secret that would exceed it are left out. */
at_status layer_family_make(const layer_view *v, const int *base, const layer_free *free, int n_free,
                            uint64_t most, at_arena *a, layer_family *out, at_err *err);
/* The E attention outputs of the query in item i, as the model has them. */
void layer_family_outputs(const layer_family *f, uint64_t i, double *out);
int layer_family_secret(const layer_family *f, uint64_t i);            /* choice of the secret's site */
void layer_family_input(const layer_family *f, uint64_t i, double *x); /* (N, row width) */

#endif
