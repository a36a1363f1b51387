/* test_compile_regex.c: star-free languages as models against their automata, on every short word, the empty one among them; heights
 * that the recipes give; a control; what is refused. */
#include "words_test.h"

static const struct {
    const char *text, *letters;
    int levels;
} known[] = {
    {"(ab)*", NULL, 2},      {"a*b*", NULL, 3},
    {".*aa.*", "a b", 2},    {".*abab", "a b", 4},
    {"a*b*a*", NULL, 4},     {".*a.*b.*c.*", NULL, 6},
    {"(aab)*", NULL, 3},     {"(a(a(ab)*b)*b)*", NULL, 4},
    {".*a..", "a b", 3},     {"(abc)*|(cba)*", NULL, 3},
    {"a{0,4}", "a b", 5},    {"ab*a(c|d)*b?", NULL, 6},
    {"~(.*aa.*)", "a b", 2}, {"(ab|ba)*", NULL, 3},
    {"∅", "a b", 0},         {"~∅", "a b", 0},
    {"ε", "a b", 1},         {"a", "a", 2},
};

enum { SHORTER = TEST_SCALE > 1 ? 2 : 0 }; /* words under a sanitizer */

static void test_words(void **state)
{
    (void)state;
    static const at_arith p2 = {AT_PBIT, 2, 8};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        at_place p = place_of(known[k].text, known[k].letters);
        at_model m;
        int words, longest = (p.least->sigma.n < 3 ? 10 : p.least->sigma.n == 3 ? 7 : 5) - SHORTER;
        assert_int_equal(at_dfa_model(&p, 12, NULL, &m, &err), AT_OK);
        at_size z;
        at_model_size(&m, &z);
        if (z.layers != known[k].levels)
            fail_msg("%s: %d layers", known[k].text, z.layers);
        if (wrong(&m, at_f64, p.least, longest, &words))
            fail_msg("%s: wrong on %d of %d words", known[k].text,
                     wrong(&m, at_f64, p.least, longest, &words), words);
        if (wrong(&m, p2, p.least, longest - 3, &words))
            fail_msg("%s at 2 bits: wrong on %d of %d words", known[k].text,
                     wrong(&m, p2, p.least, longest - 3, &words), words);
        at_model_release(&m);
    }
}

/* The control: a position that sees its own letter. */
static void test_control(void **state)
{
    (void)state;
    at_place p = place_of("(ab)*", NULL);
    at_model m;
    int words;
    assert_int_equal(at_dfa_model(&p, 12, &(at_dfa_options){.causal = true}, &m, &err), AT_OK);
    assert_true(wrong(&m, at_f64, p.least, 6, &words) > 0);
    at_model_release(&m);
}

/* With positions modulo a number: the period that is found, and every short word; without them refused; PARITY in any case. */
static void test_modular(void **state)
{
    (void)state;
    static const struct {
        const char *text, *letters;
        int m;
    } mod[] = {{"(aa)*", "a b", 2},      {"(..)*", "a b", 2},    {"(a.)*", "a b", 2},
               {"(...)*a", "a b", 3},    {".*b(aa)*", "a b", 2}, {"(ab|ba|cc)*", NULL, 2},
               {"(..)*a.{3}", "a b", 2}, {"(a{6})*", "a", 6}};
    for (size_t k = 0; k < sizeof mod / sizeof *mod; k++)
        for (int circle = 0; circle < 2; circle++) {
            at_place p = place_of(mod[k].text, mod[k].letters), with;
            at_model m;
            int words, found, longest = (p.least->sigma.n < 3 ? 9 : 6) - SHORTER;
            assert_int_equal(at_dfa_model(&p, 12, NULL, &m, &err), AT_EREFUSED);
            err = (at_err){0};
            assert_int_equal(at_place_modular(&p, &arena, &found, &with, &err), AT_OK);
            if (found != mod[k].m)
                fail_msg("%s: modulo %d", mod[k].text, found);
            at_dfa_options o = {.positions = true, .circle = circle};
            if (at_dfa_model(&p, 12, &o, &m, &err))
                fail_msg("%s: %s", mod[k].text, err.text);
            if (wrong(&m, at_f64, p.least, longest, &words))
                fail_msg("%s: wrong", mod[k].text);
            at_model_release(&m);
            o.off = 1; /* the control */
            assert_int_equal(at_dfa_model(&p, 12, &o, &m, &err), AT_OK);
            if (!wrong(&m, at_f64, p.least, longest, &words))
                fail_msg("%s: right with period %d", mod[k].text, found + 1);
            at_model_release(&m);
        }
    at_place p = place_of("(b*ab*a)*b*", NULL);
    at_model m;
    assert_int_equal(at_dfa_model(&p, 12, &(at_dfa_options){.positions = true}, &m, &err), AT_EREFUSED);
}

/* ceil(log2 N) layers for any automaton, by states and by elements; a round less is wrong as soon as it can be. */
static void test_shortcut(void **state)
{
    (void)state;
    static const char *const texts[] = {"(b*ab*a)*b*", "(b*ab*ab*a)*b*", "(a|bab|bb)*aa",
                                        "(ab)*",       "(a.b|b..a)*",    ".*a..",
                                        "∅",           "(ab*a|b)*a.."};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int hard = 0; hard < 2; hard++) {
            at_place p = place_of(texts[k], "a b");
            at_shortcut_options o = {.hard = hard};
            at_size z;
            at_model m;
            int words, longest = k < 2 ? 9 : 9 - SHORTER;
            if (at_shortcut_model(&p, 9, &o, &m, &err))
                fail_msg("%s: %s", texts[k], err.text);
            at_model_size(&m, &z);
            if (p.states > 1)
                assert_int_equal(z.layers, 4);
            if (wrong(&m, at_f64, p.least, longest, &words))
                fail_msg("%s: wrong", texts[k]);
            at_model_release(&m);
            o.fewer = 1;
            assert_int_equal(at_shortcut_model(&p, 9, &o, &m, &err), AT_OK);
            if (k < 2) { /* what is nine letters back counts */
                assert_int_equal(wrong(&m, at_f64, p.least, 8, &words), 0);
                assert_true(wrong(&m, at_f64, p.least, 9, &words) > 0);
            }
            at_model_release(&m);
        }
    at_place p = place_of(".*a.{5}b.*", "a b");
    at_model m;
    assert_int_equal(at_shortcut_model(&p, 9, NULL, &m, &err), AT_EBUDGET);
}

static void test_refused(void **state)
{
    (void)state;
    at_place p = place_of("(aa)*", NULL);
    at_model m;
    assert_int_equal(at_dfa_model(&p, 12, NULL, &m, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "has a period"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_words, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_control, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_modular, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_shortcut, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
