/* learn_test.h: sources and recipes in a line, for the tests of learning. */
#ifndef ATTEST_LEARN_TEST_H
#define ATTEST_LEARN_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <attest/learn.h>

static at_err err;

static void must(at_status s)
{
    if (s)
        fail_msg("%s", err.text);
}

static at_source *source_of(const char *id, const char *params)
{
    const at_stream *t = at_stream_find(id);
    at_params p;
    at_source *d;
    at_params_init(&p, t->params, t->n_params);
    err = (at_err){0};
    must(at_params_parse(&p, params, &err));
    must(at_source_open(t, &p, &d, &err));
    return d;
}

static at_recipe recipe_of(const char *settings)
{
    at_recipe r;
    at_recipe_init(&r);
    must(at_recipe_set(&r, settings, &err));
    return r;
}

#endif
