/* solver_z3.h: what the files that talk to Z3 share. */
#ifndef ATTEST_SOLVER_Z3_H
#define ATTEST_SOLVER_Z3_H

#include "prove_internal.h"
#include "z3_calls.h"

#include <pthread.h>
#include <stdatomic.h>

/* A context with a budget: queries of it take at most so many steps each (rlimit, the same on every machine). */
typedef struct {
    const z3_calls *z;
    prove_system *s;
    Z3_context c;
    Z3_solver solver;
    Z3_sort whole, truth;
} z3_place;
at_status z3_place_open(z3_place *p, prove_system *s, unsigned steps, at_err *err);
void z3_place_close(z3_place *p);

struct prove_solver {
    z3_place place;
    unsigned steps;
    Z3_ast *x; /* (n_free) */
};

Z3_ast z3_number(const z3_place *p, int64_t v);
Z3_ast z3_all(const z3_place *p, int n, const Z3_ast *a); /* and; of none true */
Z3_ast z3_any(const z3_place *p, int n, const Z3_ast *a);
Z3_ast z3_linear(const z3_place *p, int n, const int64_t *coef, const Z3_ast *x, int64_t k);
/* What is asserted, and these: can it be? A thread stops it when the user does. */
at_tri z3_check(const z3_place *p, int n, const Z3_ast *a);

/* A state as expressions, and the nodes over it. In states of one bit each (hot) or as numbers (part). */
typedef struct {
    const z3_place *p;
    Z3_ast *count, *bit, *part; /* NULL where it does not matter */
    Z3_ast **hot;               /* (parts, states), or NULL */
    bool capped;                /* counts stop at their cap */
    Z3_ast *node;               /* (nodes): those made so far */
} z3_state;
/* Constants c0, b0, q0, with `tail` behind their names; hot: also q0_1, .. instead of numbers. */
at_status z3_state_new(const z3_place *p, const char *tail, bool hot, bool capped, at_arena *a, z3_state *out,
                       at_err *err);
Z3_ast z3_state_node(z3_state *x, int node);
/* The state after a letter; nodes of it are not made. */
at_status z3_state_next(z3_state *x, int letter, at_arena *a, z3_state *out, at_err *err);
/* The variables that matter, one after the other; how many. out may be NULL. */
int z3_state_list(const z3_state *x, Z3_ast *out);
/* It is the first one; counts are not negative, and automata are in a state. */
Z3_ast z3_state_first(const z3_state *x, at_arena *a);
Z3_ast z3_state_sane(const z3_state *x, at_arena *a);

/* Stops a query when the user stops us. */
typedef struct {
    const z3_place *p;
    atomic_bool over;
    pthread_t thread;
    bool on;
} z3_watch;
void z3_watch_begin(z3_watch *w, const z3_place *p);
void z3_watch_end(z3_watch *w);

#endif
