/* test_formula.c: parts of formulas, and what they mean, on words where a few lines of C say it, too. The languages that are made of
 * them have judges of their own (src/lang/test). */
#include <attest/formula.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include <stdio.h>

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

/* ---- automata ---------------------------------------------------------------------------------------------------------- */

static at_formula *find(at_formulas *f, at_see see, bool first, at_formula *s, at_formula *v, at_formula *d)
{
    return at_formula_make(f, (at_formula){.op = AT_F_FIND, .see = see, .first = first, .arg = {s, v, d}});
}

/* A formula that looks one way, drawn. */
static at_formula *draw(at_formulas *f, at_rng *r, bool ahead, int depth)
{
    static const at_formula_op ones[2][4] = {{AT_F_PREVIOUS, AT_F_WEAK_PREVIOUS, AT_F_ONCE, AT_F_HENCE},
                                             {AT_F_NEXT, AT_F_WEAK_NEXT, AT_F_EVENTUALLY, AT_F_ALWAYS}};
    static const at_formula_op joins[] = {AT_F_AND, AT_F_OR, AT_F_IMPLIES, AT_F_IFF};
    int kind = depth ? (int)at_rng_below(r, 10) : 0;
    if (kind < 2) {
        if (!ahead && at_rng_below(r, 4) == 0)
            return at_formula_make(f, (at_formula){.op = AT_F_CLASS,
                                                   .index = (int)at_rng_below(r, 2),
                                                   .modulus = 2 + (int)at_rng_below(r, 2)});
        return at_rng_below(r, 8) ? at_formula_letter(f, (int)at_rng_below(r, 2))
                                  : at_formula_const(f, at_rng_below(r, 2));
    }
    if (kind == 2)
        return at_formula_one(f, AT_F_NOT, draw(f, r, ahead, depth - 1));
    if (kind < 5)
        return at_formula_one(f, ones[ahead][at_rng_below(r, 4)], draw(f, r, ahead, depth - 1));
    if (kind < 7)
        return at_formula_two(f, ahead ? AT_F_UNTIL : AT_F_SINCE, draw(f, r, ahead, depth - 1),
                              draw(f, r, ahead, depth - 1));
    if (kind == 7) { /* a search, by names and letters of j */
        char name[16];
        at_formula *body = draw(f, r, ahead, depth - 1), *other = draw(f, r, ahead, depth - 1);
        snprintf(name, sizeof name, "N%d", f->n_names);
        int k = at_formulas_define(f, name, body);
        at_formula *s = at_formula_make(f, (at_formula){.op = AT_F_NAME, .index = k, .other = true});
        at_formula *v = at_formula_make(
            f, (at_formula){.op = AT_F_LETTER, .index = (int)at_rng_below(r, 2), .other = true});
        at_see see = ahead                ? at_rng_below(r, 2) ? AT_SEE_AFTER : AT_SEE_FROM
                     : at_rng_below(r, 2) ? AT_SEE_BEFORE
                                          : AT_SEE_UPTO;
        return find(f, see, at_rng_below(r, 2), s, at_formula_one(f, AT_F_NOT, v), other);
    }
    return at_formula_two(f, joins[at_rng_below(r, 4)], draw(f, r, ahead, depth - 1),
                          draw(f, r, ahead, depth - 1));
}

/* The automaton says what the reference does, on every word to length 7; it is the least one, of all lengths. */
static void test_automaton(void **state)
{
    (void)state;
    int varied = 0, most = 0;
    for (uint64_t t = 0; t < 400; t++) {
        at_rng r = at_rng_at(21, t);
        at_read_at at = (at_read_at)(t % AT_ATS);
        bool ahead = at == AT_AT_FIRST || at == AT_AT_BEGIN;
        at_formulas *f = formulas(at);
        at_dfa *d;
        f->strict = t / 4 % 2;
        f->accept = draw(f, &r, ahead, 4);
        assert_int_equal(at_formulas_status(f, &err), AT_OK);
        if (at_formulas_dfa(f, t % 3 == 0, &arena, &d, &err))
            fail_msg("formula %d: %s", (int)t, err.text);
        for (int n = 0; n <= 7; n++)
            for (int w = 0; w < 1 << n; w++) {
                int word[7];
                at_tri v;
                for (int i = 0; i < n; i++)
                    word[i] = w >> i & 1;
                assert_int_equal(at_formulas_run(f, word, n, &v, &err), AT_OK);
                bool want = v == AT_UNKNOWN ? t % 3 == 0 : v == AT_TRUE;
                if (!ahead || n || v != AT_UNKNOWN) /* turned round, the empty word is as it was */
                    if (at_dfa_accepts(d, word, n) != want)
                        fail_msg("formula %d, word %d of length %d", (int)t, w, n);
            }
        varied += d->states > 2;
        most = d->states > most ? d->states : most;
    }
    print_message("%d of 400 with more than 2 states, at most %d\n", varied, most);
    assert_true(varied > 150 && most > 8);
    /* what has none */
    at_formulas *f = formulas(AT_AT_LAST);
    at_dfa *d;
    err = (at_err){0};
    f->accept = at_formula_one(f, AT_F_NEXT, at_formula_letter(f, 0));
    assert_int_equal(at_formulas_dfa(f, false, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "it looks ahead"));
    err = (at_err){0};
    f->accept =
        at_formula_two(f, AT_F_LESS, at_formula_number(f, 1), count(f, AT_SEE_UPTO, at_formula_letter(f, 0)));
    assert_int_equal(at_formulas_dfa(f, false, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "it counts"));
    err = (at_err){0};
    f->accept = find(f, AT_SEE_BEFORE, false, at_formula_letter(f, 0), at_formula_const(f, true),
                     at_formula_const(f, false));
    assert_int_equal(at_formulas_dfa(f, false, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "depends on i"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_meaning), cmocka_unit_test(test_empty_word),
                                       cmocka_unit_test(test_parts), cmocka_unit_test(test_automaton)};
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
