/* test_foc.c: FOC[MOD;+]: random formulas, with and without quantifiers over counts, against a judge written here (foc_random.h), printed
 * and read again, known languages, and what is refused. */
#include <attest/lang.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "count_test.h"
#include "foc_random.h"

static at_formulas *read_text(const char *text)
{
    return formulas_read(at_foc_read, text);
}

static at_formulas *again(const at_formulas *f)
{
    return formulas_again(at_foc_read, at_foc_print, f);
}

/* 600 random formulas, 200 of them without quantifiers, on all words over two letters to length 6. Numbers of the judge go far enough:
 * coefficients and moduli are small, so that the least solution is. A judge that tries 0 only, or counts other classes, is noticed. */
static void test_random(void **state)
{
    (void)state;
    int yes = 0, words = 0, noticed[FOC_KINDS] = {0};
    for (int t = 0; t < 600; t++) {
        static const foc_kind kinds[] = {FOC_PLAIN,  FOC_EXISTS, FOC_PLAIN,
                                         FOC_FORALL, FOC_EXISTS, FOC_EXISTS_TWO};
        foc_formula p;
        at_text text;
        at_text_init(&text);
        foc_draw(&p, 41, (uint64_t)t, kinds[t % 6], &arena);
        foc_text(&p, &text);
        at_formulas *f = read_text(text.s), *g = again(f);
        bool differs = false;
        for (int n = 0; n <= (p.kind == FOC_EXISTS_TWO ? 4 : 6); n++)
            for (int k = 0; k < 1 << n; k++) {
                int w[6];
                for (int i = 0; i < n; i++)
                    w[i] = k >> i & 1;
                bool is = foc_accepts(&p, w, n, false);
                if (accepts(f, w, n) != is) {
                    at_text shown;
                    at_text_init(&shown);
                    at_foc_print(f, &shown);
                    fail_msg("%s\non word %d of length %d: %d\n%s", text.s, k, n, is, shown.s);
                }
                assert_int_equal(accepts(g, w, n), is);
                differs |= foc_accepts(&p, w, n, true) != is;
                yes += is;
                words++;
            }
        noticed[p.kind] += differs;
        at_text_release(&text);
        at_arena_release(&arena);
        at_arena_init(&arena);
    }
    assert_true(yes > words / 5 && yes < words * 4 / 5);
    for (int k = 0; k < FOC_KINDS; k++)
        assert_true(noticed[k] > 10);
}

/* Why brackets are not in this logic: exchanging two letters whose distance is a multiple of all moduli (here 6) changes no count, but makes
 * a word of brackets out of one that is none. */
static void test_order(void **state)
{
    (void)state;
    for (int t = 0; t < 200; t++) {
        foc_formula p;
        at_text text;
        at_text_init(&text);
        foc_draw(&p, 42, (uint64_t)t, t % 2 ? FOC_EXISTS : FOC_PLAIN, &arena);
        foc_text(&p, &text);
        at_formulas *f = read_text(text.s);
        static const int matched[] = {0, 0, 1, 0, 1, 0, 1, 1}, exchanged[] = {1, 0, 1, 0, 1, 0, 0, 1};
        assert_int_equal(accepts(f, matched, 8), accepts(f, exchanged, 8));
        at_text_release(&text);
        at_arena_release(&arena);
        at_arena_init(&arena);
    }
}

static void test_printed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *printed;
    } rows[] = {
        {"#[1] mod 2 = 0\nand 2 #[0] <= #[1] + 3", "#[1] mod 2 = 0 and 2 #[0] <= #[1] + 3\n"},
        {"exists x. #[1] = 3 x + 1", "1 <= #[1] and #[1] mod 3 = 1\n"},
        {"exists x. #[1] = 2 * x", "#[1] mod 2 = 0\n"},
        {"exists x. #[0] <= x and x < #[1]", "#[0] <= 0 and 1 <= #[1] or #[0] + 1 <= #[1]\n"},
        {"∃ x y. #[0] = x + 2 y", "#[0] mod 2 = 0 or 1 <= #[0] and #[0] mod 2 = 1\n"},
        {"∃x. x = 2 #[0] and x = #[1] + 1", "2 #[0] = #[1] + 1\n"},
        {"forall x. x < #[0] or x >= #[1]", NULL},
        {"#[i mod 3 = 2] != #[0, i mod 2 = 1, i mod 3 != 0]",
         "not #[i mod 3 = 2] = #[0, i mod 2 = 1, i mod 3 != 0]\n"},
        {"#[\"1\"] + #[true] mod 7 != 9", "not #[1] + #[true] mod 7 = 2\n"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_text t, whole;
        at_text_init(&t);
        at_text_init(&whole);
        at_text_addf(&whole, "alphabet 0 1\n%s", rows[k].text);
        at_formulas *f = read_text(whole.s);
        at_foc_print(f, &t);
        const char *line = strstr(t.s, "accept end\n");
        assert_non_null(line);
        if (rows[k].printed && strcmp(line + 11, rows[k].printed) != 0)
            fail_msg("%s is printed as %s", rows[k].text, line + 11);
        at_text_release(&t);
        at_text_release(&whole);
        again(f);
    }
    /* letters that are signs, and one that is a word of the language */
    at_formulas *f = again(
        read_text("alphabet ( ] true i\n#[(] = #[]] and #[\"true\"] < #[i] + #[i mod 2 = 0, i mod 3 = 1]"));
    assert_true(accepts(f, (int[]){0, 1, 3}, 3));
    assert_false(accepts(f, (int[]){0, 1, 2}, 3));
    assert_true(accepts(f, (int[]){0, 1, 3, 2}, 4) ==
                accepts(f, (int[]){2, 3, 0, 1}, 4));                          /* there is no order */
    f = again(read_text("alphabet a true\n#[true] = 2 and #[\"true\"] = 1")); /* the length, and the letter */
    assert_true(accepts(f, (int[]){0, 1}, 2));
    assert_false(accepts(f, (int[]){0, 1, 1}, 3));
    assert_false(accepts(f, (int[]){1, 1}, 2));
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"#[1] = 0", "x.foc:1:1: no alphabet"},
        {"alphabet 0 1\n", "is missing"},
        {"alphabet 0 1\n#[2] = 0", "x.foc:2:3: '2' is no letter of the alphabet: 0 1"},
        {"alphabet 0 1\n#[1, j mod 2 = 0] = 0", "x.foc:2:6: a class of positions is written i mod 3 = 2"},
        {"alphabet 0 1\n#[1, i mod 0 = 0] = 0", "a modulus is 1 or more"},
        {"alphabet 0 1\n#[1] mod 0 = 0", "a modulus is 1 or more"},
        {"alphabet 0 1\n#[1] mod 2", "= or != and the remainder is missing"},
        {"alphabet 0 1\n#[1]", "a number stands where a truth must"},
        {"alphabet 0 1\n#[1] = x", "x.foc:2:8: 'x' is no variable here"},
        {"alphabet 0 1\n(exists x. x = #[1]) and x = 0", "x.foc:2:26: 'x' is no variable here"},
        {"alphabet 0 1\nexists . #[1] = 0", "a variable, as in exists x. ..., is missing"},
        {"alphabet 0 1\nexists x #[1] = 0", "a dot behind the variables is missing"},
        {"alphabet 0 1\nmin(#[1], #[0]) = 0", "min is of C-RASP; here terms are linear"},
        {"alphabet 0 1\nexists x. 99999 x = #[1]", "x.foc:2:1: this quantifier is not eliminated: "},
        {"alphabet 0 1\nexists x. x mod 97 = 3 and x mod 89 = 1 and x > #[0]",
         "not eliminated: more than 512 cases"},
        {"alphabet 0 1\n#[1] = 0 ; #[0] = 0", "the end of the formula, or and, or or, is missing"},
        {"alphabet 0 1\n#[1 = 0", "is missing"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        at_formulas *f;
        int longest;
        err = (at_err){0};
        if (at_foc_read(at_arena_strdup(&arena, bad[k].text), "x.foc", &arena, &f, &longest, &err) !=
                AT_EINPUT ||
            !strstr(err.text, bad[k].says))
            fail_msg("%s\n%s", bad[k].text, err.text);
    }
}

static void test_large(void **state)
{
    (void)state;
    static const char *const parts[] = {"(", "not ", "exists x. ", "-", "#["};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        at_text t;
        at_formulas *f;
        int longest;
        at_text_init(&t);
        at_text_add(&t, "alphabet 0 1\n");
        while (t.n < 1 << 20)
            at_text_add(&t, parts[k]);
        err = (at_err){0};
        assert_int_equal(at_foc_read(t.s, "x.foc", &arena, &f, &longest, &err), AT_EINPUT);
        if (k != 4 && !strstr(err.text, "nested more than 200 deep") &&
            !strstr(err.text, "more than 16 variables"))
            fail_msg("%s: %s", parts[k], err.text);
        at_text_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_order, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_printed, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_large, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
