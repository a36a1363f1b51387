/* count_test.h: what the tests of languages that count share. Before it: test_arena.h. */
#ifndef ATTEST_COUNT_TEST_H
#define ATTEST_COUNT_TEST_H

#include <attest/lang.h>

typedef at_status formulas_reader(char *text, const char *path, at_arena *a, at_formulas **out, int *longest,
                                  at_err *err);
typedef void formulas_printer(const at_formulas *f, at_text *out);

static at_formulas *formulas_read(formulas_reader *read, const char *text)
{
    at_formulas *f;
    int longest;
    err = (at_err){0};
    if (read(at_arena_strdup(&arena, text), "x.text", &arena, &f, &longest, &err))
        fail_msg("%s\n%s", text, err.text);
    return f;
}

static bool accepts(const at_formulas *f, const int *word, int n)
{
    at_tri v;
    assert_int_equal(at_formulas_run(f, word, n, &v, &err), AT_OK);
    assert_true(v != AT_UNKNOWN);
    return v == AT_TRUE;
}

/* What is printed is read as something that prints the same. */
static at_formulas *formulas_again(formulas_reader *read, formulas_printer *print, const at_formulas *f)
{
    at_text one, two;
    at_text_init(&one);
    at_text_init(&two);
    print(f, &one);
    at_formulas *g = formulas_read(read, one.s);
    print(g, &two);
    assert_string_equal(one.s, two.s);
    at_text_release(&one);
    at_text_release(&two);
    return g;
}

#endif
