/* task_test.h: what the tests of this module share. */
#ifndef ATTEST_TASK_TEST_H
#define ATTEST_TASK_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <attest/problem.h>

/* The task with parameters from text. */
static inline const at_task *task_with(const char *id, const char *assignments, at_params *p)
{
    const at_task *t = at_task_find(id);
    assert_non_null(t);
    at_err err = {0};
    at_params_init(p, t->params, t->n_params);
    if (at_params_parse(p, assignments, &err) || (t->validate && t->validate(p, &err)))
        fail_msg("%s %s: %s", id, assignments, err.text);
    return t;
}

/* A task at length N and at a middling size otherwise. */
static inline const at_task *task_middling(const at_task *t, int N, at_params *p)
{
    char text[64];
    bool tokens = !t->real, qsa = strcmp(t->id, "qsa") == 0;
    tokens = tokens && strcmp(t->id, "triangle") != 0 && !t->word;
    snprintf(text, sizeof text,
             t->answers == t->tokens && tokens ? "N=%d V=5000"
             : tokens                          ? "N=%d M=5000"
             : qsa                             ? "N=%d q=3 d=2"
                                               : "N=%d",
             N);
    return task_with(t->id, text, p);
}

static inline size_t task_row_bytes(const at_task *t, const at_params *p)
{
    return (size_t)at_params_int(p, "N") * (size_t)t->row_width(p) * sizeof(double);
}

/* Blocks of exactly the size of an input and of an answer: a sanitizer sees any step outside. */
static inline double *task_input(const at_task *t, const at_params *p)
{
    double *x = malloc(task_row_bytes(t, p));
    assert_non_null(x);
    return x;
}

static inline double *task_output(const at_task *t, const at_params *p)
{
    double *y = malloc((size_t)at_params_int(p, "N") * (size_t)t->out_width(p) * sizeof *y);
    assert_non_null(y);
    return y;
}

#endif
