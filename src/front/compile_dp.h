/* compile_dp.h: what the files that compile recurrences share.
 *
 *     compile_dp.c         the program and its model; what the construction is
 *     compile_dp_expr.c    expressions
 *     compile_dp_states.c  the next state, and the places of states
 *     compile_dp_fetch.c   what is copied from other rows, and the values of the next one
 *     dp_pack.c, compile_dp_pack.c  the same for --pack: what is kept where, and the steps
 *     dp_pack_sparse.c, compile_dp_blocks.c  and that with block-sparse attention
 */
#ifndef ATTEST_COMPILE_DP_H
#define ATTEST_COMPILE_DP_H

#include "dp_pack.h"

typedef struct {
    const at_dp_instance *x;
    const at_dp *d;
    at_program *P;
    at_var s, state[AT_DP_MAX], value[AT_DP_MAX]; /* this row */
    at_var next[AT_DP_MAX];                       /* the next state */
    at_copier *copier;
    at_copy_fn *copy;
    at_copying copying;
    dp_pack *pack; /* NULL: the plain construction */
    at_var take[AT_DP_MAX], need[AT_DP_MAX], let[AT_DP_MAX];
    at_var square[AT_DP_MAX]; /* of counters of the next state, or -1 */
    at_var now[AT_DP_MAX];    /* values of the next state, or -1 */
    at_var final[AT_DP_MAX];  /* values at the state that the answer asks for */
    bool answers;             /* it is the answer that is translated */
    at_var *memo;             /* (n_nodes) of each node at the next state, or -1 */
    bool away;                /* counters are not those of the next state: nothing is remembered */
    int copied
        [AT_DP_MAX]; /* the values that dependencies are copied for, and the place of each among them, or -1 */
    int n_copied, place_of[AT_DP_MAX];
    at_var exact[AT_DP_MAX][AT_DP_MAX]; /* of dependencies that steer, by value, or -1 */
    int serial;
    char name[32];
    at_err wrong; /* what fail_at said */
} dp_compiler;

const char *dpc_fresh(dp_compiler *c); /* a name that no step has; until the next call */
bool dpc_is_const(const dp_compiler *c, at_var v, double *value);
/* Doubles keep 13 bits behind the point of numbers up to 2^40: enough for some hundreds of steps to stay far from the
 * rounding boundary at 1/2. */
bool dpc_too_large(double lo, double hi);
/* The first failure of the compiler, at the place in the file that it comes from. */
at_var dpc_fail(dp_compiler *c, int line, int column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Steps that are made from now on come from this place in the file. */
void dpc_place(dp_compiler *c, int line, int column);
void dpc_place_name(dp_compiler *c, const at_dp_name *n);
at_var dpc_translate(dp_compiler *c, const at_dpx *e);

/* Step 1. Returns whether this row holds the last state. */
at_var dpc_next_state(dp_compiler *c);
/* Step 2: the rank of a state, 0-based, as a function of its counters: at, the values of the expressions e. */
at_var dpc_rank(dp_compiler *c, at_dpx *const *e, const at_var *at);

/* Step 3: look-up k; value `field` of dependency k. */
at_var dpc_take(dp_compiler *c, int k);
at_var dpc_need(dp_compiler *c, int k, int field);
/* Which values are read of other states at all: those are copied, in the order of the file. */
void dpc_copied_find(dp_compiler *c);
at_vec dpc_copied(const dp_compiler *c, at_var out[AT_DP_MAX]); /* their columns */
void dpc_fetch(dp_compiler *c);                                 /* all look-ups and dependencies */
at_var dpc_value(dp_compiler *c, int k);                        /* step 4: value k of the next state */

#endif
