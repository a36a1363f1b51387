/* check_test.h: shorthands for the tests of the checker. The models are those of the tasks' own theorems,
 * built here from the program IR, so that this module's tests use nothing above it. */
#ifndef ATTEST_CHECK_TEST_H
#define ATTEST_CHECK_TEST_H

#include <attest/check.h>
#include <attest/program.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)                                                                                             \
    do {                                                                                                     \
        at_err err = {0};                                                                                    \
        if ((call) != AT_OK)                                                                                 \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)

/* A model, its task, its parameters. The program takes tokens x and a blank at the end. */
typedef struct {
    at_model m;
    const at_task *t;
    at_params p;
    int N, M;
} subject;

static inline void circle(at_program *P, at_var x, int M, at_var *C, at_var *S)
{
    double *table = calloc(2 * (size_t)M, sizeof *table);
    for (int r = 0; r < M; r++) {
        table[r] = cos(2 * M_PI * r / M);
        table[M + r] = sin(2 * M_PI * r / M);
    }
    *C = at_lookup(P, "cos", x, table);
    *S = at_lookup(P, "sin", x, table + M);
    free(table);
}

static inline void subject_finish(subject *s, at_program *P, const char *task)
{
    OK(at_assemble(P, &s->m, NULL, &err));
    at_program_free(P);
    s->t = at_task_find(task);
    at_params_init(&s->p, s->t->params, s->t->n_params);
    OK(at_params_set(&s->p, "N", s->N, &err));
    OK(at_params_set(&s->p, "M", s->M, &err));
}

/* Pairs: score cos(a+b), the blank 1; c is the scale in units of M^2 ln 6N (1 is right, 0.02 too small). */
static inline subject pairs(int N, int M, double c)
{
    subject s = {.N = N, .M = M};
    at_program *P = at_program_new("pairs", N);
    at_suffix(P, 1);
    at_var x = at_token(P, "x", M), C, S, blank = at_mark_suffix(P, "blank", 0);
    circle(P, x, M, &C, &S);
    at_var mean = at_attend(P, "mean",
                            &(at_attention){.query = AT_VEC(C, S, at_const(P, 1)),
                                            .key = AT_VEC(C, at_neg(P, S), blank),
                                            .value = AT_VEC(at_not(P, blank)),
                                            .weighting = AT_SOFTMAX,
                                            .scale = c * M * M * log(6. * N),
                                            .gap = 0.99 * (1 - cos(2 * M_PI / M))});
    at_emit(P, AT_VEC(at_ramp(P, "y", mean, 1 / 6., 1 / 3.)), AT_READ_THRESHOLD, 0.5);
    subject_finish(&s, P, "match2");
    return s;
}

/* Triples: the three-wise score cos(a+b+c), the pair of blanks 1. */
static inline subject triples(int N, int M, double c)
{
    subject s = {.N = N, .M = M};
    at_program *P = at_program_new("triples", N);
    at_suffix(P, 1);
    at_var x = at_token(P, "x", M), C, S, blank = at_mark_suffix(P, "blank", 0), seen = at_not(P, blank);
    circle(P, x, M, &C, &S);
    at_var mean = at_attend(
        P, "mean",
        &(at_attention){.query = AT_VEC(C, at_neg(P, C), at_neg(P, S), at_neg(P, S), at_const(P, 1)),
                        .key = AT_VEC(C, S, C, S, blank),
                        .key2 = AT_VEC(C, S, S, C, blank),
                        .value = AT_VEC(seen),
                        .value2 = AT_VEC(seen),
                        .weighting = AT_THREEWISE,
                        .scale = c * M * M * log(6. * N * N),
                        .gap = 0.99 * fmin(1 - cos(2 * M_PI / M), 1)});
    at_emit(P, AT_VEC(at_ramp(P, "y", mean, 1 / 6., 1 / 3.)), AT_READ_THRESHOLD, 0.5);
    subject_finish(&s, P, "match3");
    return s;
}

static inline at_verdict check(const subject *s, at_evidence e, at_enum how, const char *arith,
                               uint64_t limit, int threads, at_arena *a)
{
    at_question q = {.evidence = e, .how = how, .limit = limit, .seed = 3};
    at_verdict v;
    OK(at_arith_parse(arith, &q.arith, &err));
    OK(at_check(&s->m, s->t, &s->p, &q, &(at_check_env){.threads = threads}, a, &v, &err));
    return v;
}

#endif
