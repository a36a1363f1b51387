/* dp_test.h: small helpers of the DP tests. */
#ifndef DP_TEST_H
#define DP_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include <attest/lang.h>

static inline at_dp *dp_of(const char *text)
{
    at_err err = {0};
    at_dp *d = NULL;
    if (at_dp_parse(text, strlen(text), "t.dp", &d, &err) != AT_OK)
        fail_msg("%s", err.text);
    return d;
}

static inline at_dp *dp_example(const char *name)
{
    at_err err = {0};
    at_dp *d = NULL;
    char path[128];
    snprintf(path, sizeof path, "examples/%s.dp", name);
    if (at_dp_load(path, &d, &err) != AT_OK)
        fail_msg("%s", err.text);
    return d;
}

static inline at_dp_instance *dp_bound(const at_dp *d, const char *sizes)
{
    at_err err = {0};
    at_dp_instance *x = NULL;
    int64_t size[AT_DP_MAX];
    if (at_dp_sizes_parse(d, sizes, size, &err) != AT_OK || at_dp_bind(d, size, &x, &err) != AT_OK)
        fail_msg("%s", err.text);
    return x;
}

#endif
