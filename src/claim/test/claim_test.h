/* claim_test.h: shorthands for the tests of the catalogue. */
#ifndef ATTEST_CLAIM_TEST_H
#define ATTEST_CLAIM_TEST_H

#include <attest/claim.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/test/test_evidence.h"
#include "../../core/test/test_scale.h"

/* A claim at a point: parameters, its task (NULL: a decoder), its model. */
typedef struct {
    const at_claim *claim;
    at_params p, tp;
    const at_task *t;
    at_model m;
    int n, row, out; /* length, numbers a position, answers a position */
    double tolerance;
} point;

#define OK(call)                                                                                             \
    do {                                                                                                     \
        at_err err = {0};                                                                                    \
        if ((call) != AT_OK)                                                                                 \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)

static inline void point_params(point *c, const char *id, const char *first, const char *second)
{
    *c = (point){.claim = at_claim_find(id)};
    assert_non_null(c->claim);
    at_params_init(&c->p, c->claim->params, c->claim->n_params);
    OK(at_params_parse(&c->p, first, &err));
    if (second)
        OK(at_params_parse(&c->p, second, &err));
    OK(at_claim_task(c->claim, &c->p, &c->t, &c->tp, &err));
    c->tolerance = at_claim_tolerance(c->claim, &c->p);
    if (!c->t) /* a decoder */
        return;
    c->n = at_params_int(&c->tp, "N");
    c->row = c->t->row_width(&c->tp);
    c->out = c->t->out_width(&c->tp);
}

static inline point point_at(const char *id, const char *first, const char *second)
{
    point c;
    point_params(&c, id, first, second);
    OK(at_claim_model(c.claim, &c.p, &c.m, &err));
    return c;
}

static inline void point_release(point *c)
{
    at_model_release(&c->m);
}

/* Claim k of the catalogue at the small parameters of its picture, at which every arithmetic is quick. */
static inline point small_point(int k)
{
    return point_at(at_catalogue[k]->id, at_catalogue[k]->look_params, NULL);
}

static inline at_size size_at(const char *id, const char *params)
{
    point c = point_at(id, params, NULL);
    at_size z = {0};
    at_model_size(&c.m, &z);
    point_release(&c);
    return z;
}

/* The catalogue in the order in which a long test asks it: as it stands, but the claim of the file that TEST_FIRST names
 * (claim_match2.c) comes before all others. A mutant of that file is then found in seconds. */
static inline int claim_order(int i)
{
    const char *file = getenv("TEST_FIRST");
    for (int first = 0; file && first < at_n_catalogue; first++) {
        char name[80];
        int n = snprintf(name, sizeof name, "claim_%s.c", at_catalogue[first]->id);
        for (int k = 0; k < n; k++)
            name[k] = name[k] == '-' ? '_' : name[k];
        if (!strcmp(name, file))
            return i == 0 ? first : i <= first ? i - 1 : i;
    }
    return i;
}

/* Monoids of 60 expressions and whole trainings: asked once, not for two numbers of threads, and left out under a sanitizer, where
 * they take minutes. Tests of check, automaton, train and learn run the same code at small sizes. */
static inline bool is_long(const at_claim *c)
{
    static const char *const ids[] = {"star-free", "reasoning-train", "qsa-train", "ngram-learn"};
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++)
        if (!strcmp(c->id, ids[k]))
            return true;
    return false;
}

static inline bool is_too_long(const at_claim *c)
{
    return TEST_SCALE > 1 && is_long(c);
}

#endif
