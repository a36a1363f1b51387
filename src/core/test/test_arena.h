/* test_arena.h: an arena and an error for each test of a program. For the tests of all modules.
 *
 *     cmocka_unit_test_setup_teardown(test_words, arena_setup, arena_teardown) */
#ifndef ATTEST_TEST_ARENA_H
#define ATTEST_TEST_ARENA_H

#include <attest/core.h>

static at_err err;
static at_arena arena;

static inline int arena_setup(void **state)
{
    (void)state;
    err = (at_err){0};
    at_arena_init(&arena);
    return 0;
}

static inline int arena_teardown(void **state)
{
    (void)state;
    at_arena_release(&arena);
    return 0;
}

#endif
