/* schedule.h: when each variable of a program is computed, and how long it must be kept. */
#ifndef ATTEST_PROGRAM_SCHEDULE_H
#define ATTEST_PROGRAM_SCHEDULE_H

#include "program_internal.h"

typedef struct {
    int last;       /* the last phase */
    int *phase;     /* (n_vars) 0 embedding, odd MLP, even attention */
    int *level;     /* (n_vars) hidden level inside its MLP */
    int *until;     /* (n_vars) last phase whose steps read it from the residual stream; -1: none */
    bool *live;     /* (n_vars) an output depends on it */
    bool *wide;     /* (n_vars) a form over many units */
    bool *in_place; /* (n_vars) base + attention, kept in base's coordinate */
} schedule;

/* Error of a score, from the errors of queries and keys; query, key (query.n): how large their components are, NULL: as
 * large as their ranges allow. */
double score_error(const at_program *P, const at_attention *a, const double *query, const double *key);
/* The tie of the hard attention that begins with variable id, or why none is right (ties.c); and the same from given
 * errors of its scores: e[0], or one a position where there are gaps by position. */
at_status attention_tie(const at_program *P, at_var id, step *s, at_err *err);
at_status tie_prove(const at_program *P, at_var id, step *s, const double *e, at_err *err);
at_status schedule_errors(at_program *P, at_err *err); /* err of every variable, scale of every step */
void schedule_phases(const at_program *P, schedule *S);
void schedule_lifetimes(const at_program *P, schedule *S);

#endif
