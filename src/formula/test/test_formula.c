/* test_formula.c: parts of formulas, and what they mean, on words where a few lines of C say it, too. The languages that are made of
 * them have judges of their own (src/lang/test). */
#include <attest/formula.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"

enum { LONGEST = 7 };
static const at_alphabet ab = {2, (const char *const[]){"a", "b"}};

static at_formulas *formulas(at_read_at at)
{
    at_formulas *f;
    assert_int_equal(at_formulas_new(&ab, &arena, &f, &err), AT_OK);
    f->at = at;
    return f;
}

static at_formula *count(at_formulas *f, at_see see, at_formula *x)
{
    return at_formula_make(f, (at_formula){.op = AT_F_COUNT, .see = see, .arg = {x}});
}

static bool says(const at_formulas *f, const int *word, int n)
{
    at_tri v;
    assert_int_equal(at_formulas_run(f, word, n, &v, &err), AT_OK);
    assert_true(v != AT_UNKNOWN);
    return v == AT_TRUE;
}

/* Words to LONGEST on which f differs from `want`. */
static int wrong(const at_formulas *f, bool (*want)(const int *word, int n))
{
    int bad = 0, word[LONGEST];
    for (int n = f->at <= AT_AT_FIRST; n <= LONGEST; n++)
        for (int x = 0; x < 1 << n; x++) {
            for (int i = 0; i < n; i++)
                word[i] = x >> i & 1;
            bad += says(f, word, n) != want(word, n);
        }
    return bad;
}

static bool dyck(const int *word, int n)
{
    int depth = 0;
    for (int i = 0; i < n; i++)
        if ((depth += word[i] ? -1 : 1) < 0)
            return false;
    return !depth;
}

static bool ends_alike(const int *word, int n)
{
    return word[0] == word[n - 1];
}

static bool a_then_b(const int *word, int n) /* every a has a b at once behind it */
{
    for (int i = 0; i < n; i++)
        if (!word[i] && (i + 1 == n || !word[i + 1]))
            return false;
    return true;
}

static void test_meaning(void **state)
{
    (void)state;
    at_formulas *f = formulas(AT_AT_END);
    at_formula *a = at_formula_letter(f, 0), *b = at_formula_letter(f, 1);
    at_formula *up = count(f, AT_SEE_UPTO, a), *down = count(f, AT_SEE_UPTO, b);
    at_formula *never = at_formula_two(
        f, AT_F_EQUAL, count(f, AT_SEE_ALL, at_formula_two(f, AT_F_LESS, up, down)), at_formula_number(f, 0));
    f->accept = at_formula_two(f, AT_F_AND, never, at_formula_two(f, AT_F_EQUAL, up, down));
    assert_int_equal(wrong(f, dyck), 0);
    f->accept = at_formula_two(f, AT_F_EQUAL, up, down); /* and without "never" it is another language */
    assert_true(wrong(f, dyck) > 0);

    f = formulas(AT_AT_LAST);
    at_formula *its = at_formula_make(f, (at_formula){.op = AT_F_LETTER, .index = 0, .other = true});
    at_formula *same = at_formula_two(f, AT_F_IFF, its, at_formula_letter(f, 0));
    at_formula find = {
        .op = AT_F_FIND, .first = true, .arg = {at_formula_const(f, true), same, at_formula_const(f, false)}};
    f->accept = at_formula_make(f, find);
    assert_int_equal(wrong(f, ends_alike), 0);
    find.first = false; /* the last one is this one */
    f->accept = at_formula_make(f, find);
    assert_true(wrong(f, ends_alike) > 0);

    f = formulas(AT_AT_BEGIN);
    a = at_formula_letter(f, 0);
    f->strict = true;
    f->accept = at_formula_one(
        f, AT_F_ALWAYS,
        at_formula_two(f, AT_F_IMPLIES, a, at_formula_one(f, AT_F_NEXT, at_formula_letter(f, 1))));
    assert_int_equal(wrong(f, a_then_b), 0);
    f->accept = at_formula_one(
        f, AT_F_ALWAYS,
        at_formula_two(f, AT_F_IMPLIES, a, at_formula_one(f, AT_F_WEAK_NEXT, at_formula_letter(f, 1))));
    assert_true(wrong(f, a_then_b) > 0);
}

static void test_empty_word(void **state)
{
    (void)state;
    for (int at = 0; at < AT_ATS; at++) {
        at_formulas *f = formulas((at_read_at)at);
        at_tri v;
        f->accept = at_formula_const(f, true);
        assert_int_equal(at_formulas_run(f, NULL, 0, &v, &err), AT_OK);
        assert_int_equal(v, at <= AT_AT_FIRST ? AT_UNKNOWN : AT_TRUE);
    }
}

static void test_parts(void **state)
{
    (void)state;
    at_formulas *f = formulas(AT_AT_LAST);
    at_formula *a = at_formula_letter(f, 0);
    assert_ptr_equal(a, at_formula_letter(f, 0)); /* equal parts are one */
    assert_ptr_not_equal(a, at_formula_letter(f, 1));
    at_formula *once = at_formula_one(f, AT_F_ONCE, at_formula_one(f, AT_F_NEXT, a));
    assert_true(at_formula_looks(f, once, true) && at_formula_looks(f, once, false));
    assert_false(at_formula_looks(f, a, true));
    assert_int_equal(at_formula_depth(f, once), 2);
    assert_int_equal(at_formulas_define(f, "P", once), 0);
    at_formula *p = at_formula_make(f, (at_formula){.op = AT_F_NAME, .index = 0});
    assert_int_equal(at_formula_depth(f, p), 2);
    assert_false(at_formula_is_number(f, p));
    assert_int_equal(at_formulas_find(f, "P", 1), 0);
    assert_int_equal(at_formulas_find(f, "Q", 1), -1);
    assert_int_equal(at_formulas_define(f, "P", a), -1); /* twice: and that sticks */
    assert_null(at_formula_letter(f, 1));
    assert_int_equal(at_formulas_status(f, &err), AT_EINPUT);
    assert_string_equal(err.text, "P is defined twice");

    f = formulas(AT_AT_LAST);
    at_formula *its = at_formula_make(f, (at_formula){.op = AT_F_LETTER, .other = true});
    assert_null(at_formula_one(f, AT_F_ONCE, its)); /* j is only known inside a FIND */
    assert_int_equal(at_formulas_status(f, &err), AT_EINPUT);

    f = formulas(AT_AT_LAST); /* numbers that could overflow are refused before they do */
    at_formula *n = count(f, AT_SEE_UPTO, at_formula_letter(f, 0));
    for (int k = 0; k < 8; k++)
        n = at_formula_make(f, (at_formula){.op = AT_F_TIMES, .value = AT_FORMULA_NUMBER, .arg = {n}});
    assert_null(n);
    assert_non_null(strstr(f->err.text, "a number that may reach"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_meaning), cmocka_unit_test(test_empty_word),
                                       cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
