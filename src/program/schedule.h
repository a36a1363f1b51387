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

/* A number that attention reads, as projected: where it lies, its error, how far it leaves its declared range. */
typedef struct {
    extent x;
    double err, over;
} operand;
typedef struct {
    operand *q, *k, *k2; /* one a component of the query */
    operand *v, *v2;     /* one a value */
    bool rounded;        /* in the program's arithmetic; else in real numbers */
    bool wiped;          /* it wipes, and by numbers that are exact, or there is none */
    /* Of all of them together, set by operands_sum: */
    double score;       /* error of a score */
    double apart;       /* largest error of a component of query and key together */
    double range, size; /* of values */
    double err, over;   /* of values */
} operands;
operands *operands_new(const at_attention *a, at_arena *arena); /* NULL when out of memory */
void operands_sum(const at_program *P, const at_attention *a, operands *o);

/* Errors of all variables in real arithmetic, grains, scales of all steps; errors of inputs in the program's
 * arithmetic. */
at_status schedule_errors(at_program *P, at_arena *arena, at_err *err);
/* The error of the attention step whose component is variable id, and how far its results leave their ranges, from operands
 * that were summed up. In real arithmetic it also sets the scale; with rounding it raises it where that takes too much of the
 * gap. */
double wipe_size(const at_program *P); /* what wipes sums, in units of the anchor's weight */
at_status attention_error(at_program *P, at_var id, step *s, const operands *o, double *err_out,
                          double *over_out, at_err *err);
/* Error of a score in real arithmetic, from the errors of queries and keys; query, key (query.n): how large their components are, NULL: as
 * large as their ranges allow. */
double score_error(const at_program *P, const at_attention *a, const double *query, const double *key);
/* The tie of the hard attention that begins with variable id, or why none is right (ties.c); and the same from given
 * errors of its scores: e[0], or one a position where there are gaps by position. */
at_status attention_tie(const at_program *P, at_var id, step *s, at_err *err);
at_status tie_prove(const at_program *P, at_var id, step *s, const double *e, at_err *err);
at_status schedule_phases(const at_program *P, schedule *S, at_arena *arena, at_err *err);
void schedule_lifetimes(const at_program *P, schedule *S);

#endif
