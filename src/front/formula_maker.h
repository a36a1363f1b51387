/* formula_maker.h: what the files of the compiler of formulas share. compile_formula.c says how it works. */
#ifndef ATTEST_FORMULA_MAKER_H
#define ATTEST_FORMULA_MAKER_H

#include "front_internal.h"

typedef enum { PAST, FUTURE, ALL, FAMILIES } family;

typedef struct {
    const at_formulas *f;
    const at_formulas_options *o;
    at_program *P;
    int N, T;
    bool begin, end, whole; /* hidden positions; positions are asked for by number */
    at_var *letter, begin_mark, end_mark, real, here, here2;
    at_var u[FAMILIES];
    at_var *truth, *count, *integer; /* (n_parts): -1: not made yet. count: c u */
    bool *used;                      /* (n_parts): accept needs it */
    int *depth;                      /* (n_parts) */
    at_status status;
    at_err *err;
    at_arena arena;
} maker;

/* What a name stands for. */
const at_formula *formula_body(const at_formulas *f, const at_formula *x);
/* What heads and units are called: by the name that the author gave, else by the operator. */
const char *formula_label(maker *k, const at_formula *x, const char *what);
/* What the next head is for, in pictures: the name that the author gave, else the formulas themselves. n 0: its own name. */
void formula_serves(maker *k, const at_formula *const *x, int n);
at_var formula_refuse(maker *k, const char *what); /* a variable all the same */
bool formula_is_const(const at_formula *x, int value);
at_var formula_real(maker *k, const at_formula *x,
                    at_var b); /* b, and a position of the word; x: what b is, or NULL */
at_mask formula_mask(const maker *k, at_see see);

at_var formula_truth(maker *k, const at_formula *x);
/* formula_find.c: value at the last (first) j of the mask where score holds; 0 where there is none. x: what it is for, or NULL. */
at_var formula_find_simple(maker *k, const at_formula *x, bool first, at_see see, at_var score, at_var value);
at_var formula_temporal(maker *k, const at_formula *x);
at_var formula_find(maker *k, const at_formula *x);
/* formula_count.c */
family formula_family(const at_formula *x);
unsigned formula_families(const maker *k,
                          const at_formula *x); /* of the counts that a number is made of, as bits */
at_var formula_compare(maker *k, const at_formula *x);
at_var formula_congruent(maker *k, const at_formula *x);

#endif
