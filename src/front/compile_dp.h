/* compile_dp.h: how a compiled recurrence fetches rows: one COPY a kind of attention (private to front). */
#ifndef ATTEST_FRONT_COMPILE_DP_H
#define ATTEST_FRONT_COMPILE_DP_H

#include <attest/front.h>

/* Values that copies fetch, in slots: made once for each vector of values, shared by all copies of it. */
typedef struct {
    at_var of;     /* the first of the values */
    at_var *slot;  /* (n, W) value v in slot k where k is this position's slot, else 0 */
    at_var *block; /* sparse: (n, W) at block ends, what the slots of the whole block hold; NULL before use */
} slotting;
#define SLOTTINGS 4

/* What a COPY works with. here, here2: the 1-based position and its square. */
typedef struct {
    at_program *P;
    at_var here, here2;
    int length; /* L: positions that can occur */
    int serial; /* for names */
    /* linear and sparse: made at the first copy */
    int W;             /* blocks, and slots of a block: ceil(sqrt(L)) */
    at_var block;      /* this position's block, 0-based */
    at_var *key_block; /* (W) one-hot of it */
    at_var *key_slot;  /* (W) one-hot of this position's slot */
    slotting kept[SLOTTINGS];
    int n_kept;
    at_arena arena;
} copier;

void copier_init(copier *c, at_program *P, int length);
void copier_release(copier *c);

/* The values at 1-based position target (an integer, at most `here`): the first of values.n variables. steers: the
 * result is used to find another position, so it must be nearly exact. */
typedef at_var copy_fn(copier *c, const char *name, at_var target, at_vec values, bool steers);
copy_fn copy_standard, copy_linear, copy_sparse;

#endif
