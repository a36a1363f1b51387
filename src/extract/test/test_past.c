/* test_past.c: models of unique-hard attention as formulas that look back. What is printed is read again, and its automaton is that of the
 * language, of all lengths; so is that of the weights that it compiles to. Drawn models; positions; budgets; what is refused. */
#include <attest/extract.h>
#include <attest/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "drawn_model.h"

static at_place place_of(const char *text)
{
    at_alphabet given, sigma;
    at_regex *e;
    at_dfa *d;
    at_place p;
    if (at_alphabet_parse("a b", &arena, &given, &err) ||
        at_regex_parse(text, &given, NULL, 1, 1, &arena, &e, &sigma, &err) ||
        at_regex_dfa(e, &sigma, &arena, &d, &err) || at_place_find(d, &arena, &p, &err))
        fail_msg("%s: %s", text, err.text);
    return p;
}

/* Printed, and read again. */
static at_formulas *again(const at_formulas *f, at_logic logic, const char *what)
{
    at_text t;
    at_formulas *g;
    int longest;
    at_text_init(&t);
    (logic == AT_LOGIC_LTL ? at_ltl_print : at_brasp_print)(f, &t);
    char *text = at_arena_strdup(&arena, t.s);
    if ((logic == AT_LOGIC_LTL ? at_ltl_read : at_brasp_read)(text, "x", NULL, &arena, &g, &longest, &err))
        fail_msg("%s: %s\n%.2000s", what, err.text, t.s);
    at_text_release(&t);
    return g;
}

static void language_is(const at_formulas *f, const at_dfa *want, const char *what)
{
    at_dfa *d;
    int *word, n;
    if (at_formulas_dfa(f, false, &arena, &d, &err) || at_dfa_differ(d, want, &arena, &word, &n, &err))
        fail_msg("%s: %s", what, err.text);
    if (n >= 0) {
        at_text t;
        at_text_init(&t);
        at_alphabet_print(&want->sigma, word, n, &t);
        fail_msg("%s: on %s the formula says %d", what, t.s, at_dfa_accepts(d, word, n));
    }
    assert_true(at_dfa_equal(d, want));
}

/* From an expression to weights, to a formula, to weights, to the same automaton. */
static void test_round(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "(ab)*",  "a*b*",     ".*abab",   "~(.*aa.*)", "(a(a(ab)*b)*b)*", ".*a..",  "∅",          "~∅", "ε",
        "a{0,4}", ".*a..b.*", "(ab|ba)*", "a.*b",      ".*ab.*a",         "(aab)*", "b*(ab*ab*)?"};
    int large = 0, layered = 0;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (at_logic logic = AT_LOGIC_LTL; logic <= AT_LOGIC_BRASP; logic++)
            for (int automaton = 0; automaton < 2; automaton++) {
                at_place p = place_of(texts[k]);
                at_model m, w;
                at_extracted_past x;
                at_extracted d;
                at_extract_options o = {.logic = logic, .automaton = automaton};
                assert_int_equal(at_dfa_model(&p, 3, NULL, &m, &err), AT_OK);
                if (at_extract_past(&m, &o, &arena, &x, &err))
                    fail_msg("%s: %s", texts[k], err.text);
                at_model_release(&m);
                layered += !automaton && !x.why;
                large += p.states >= 4;
                language_is(x.formulas, p.least, texts[k]);
                if (at_formula_written(x.formulas, x.formulas->accept) > 3000)
                    continue;
                at_formulas *g = again(x.formulas, logic, texts[k]);
                language_is(g, p.least, texts[k]);
                if (at_formulas_model(g, 4, NULL, &w, &err) || at_extract_dfa(&w, &arena, &d, &err))
                    fail_msg("%s as weights again: %s", texts[k], err.text);
                if (!at_dfa_equal(d.dfa, p.least))
                    fail_msg("%s: the formula's weights are another language", texts[k]);
                at_model_release(&w);
            }
    print_message("%d of 32 layer by layer, %d of 64 with 4 states or more\n", layered, large);
    assert_true(layered >= 28 && large >= 32);
}

/* Models with drawn weights: the formula has the automaton that the states have, without periods, and says what the executor does. */
static void test_drawn(void **state)
{
    (void)state;
    int models = 0, large = 0, refused = 0, layered = 0, parts = 0;
    for (uint64_t t = 0; t < 2000 && (models < 48 || large < 24); t++) {
        drawn_spec s = {.weighting = t % 2 ? AT_LEFTMOST_HARD : AT_RIGHTMOST_HARD,
                        .mask = t % 3 ? AT_MASK_STRICT : AT_MASK_CAUSAL,
                        .layers = 1 + (int)(t % 2),
                        .heads = 1 + (int)(t / 2 % 2),
                        .dv = 2,
                        .prefix = (int)(t / 4 % 2),
                        .step = 1,
                        .most = 1,
                        .mixed = t % 5 == 0,
                        .left = t % 7 == 0,
                        .without_end = t % 8 == 4};
        at_model m;
        at_extracted d;
        at_extracted_past x;
        at_place p;
        drawn_make(&s, t, &m);
        at_mark mark = at_arena_mark(&arena);
        err = (at_err){0};
        at_status st = at_extract_dfa(&m, &arena, &d, &err);
        if (st == AT_EBUDGET || st == AT_EREFUSED) /* too many states; a readout at its threshold */
            refused++;
        else if (st)
            fail_msg("%s", err.text);
        else if (d.dfa->states >= 4 || (d.dfa->states > 1 && models - large < 24)) {
            models++;
            large += d.dfa->states >= 4;
            assert_int_equal(at_place_find(d.dfa, &arena, &p, &err), AT_OK);
            assert_int_equal(p.star_free, AT_TRUE);
            for (at_logic logic = AT_LOGIC_LTL; logic <= AT_LOGIC_BRASP; logic++) {
                at_extract_options o = {.logic = logic};
                if (at_extract_past(&m, &o, &arena, &x, &err))
                    fail_msg("model %d: %s", (int)t, err.text);
                layered += !x.why;
                parts = x.formulas->n_parts > parts ? x.formulas->n_parts : parts;
                language_is(x.formulas, d.dfa, "drawn");
                if (at_formula_written(x.formulas, x.formulas->accept) < 3000)
                    language_is(again(x.formulas, logic, "drawn"), d.dfa, "drawn, read again");
            }
            for (int n = 0; n <= 8; n++)
                for (int w = 0; w < 1 << n; w++) {
                    int word[8];
                    at_tri v;
                    for (int i = 0; i < n; i++)
                        word[i] = w >> i & 1;
                    assert_int_equal(at_formulas_run(x.formulas, word, n, &v, &err), AT_OK);
                    if ((v == AT_TRUE) != drawn_says(&m, at_f64, word, n))
                        fail_msg("model %d on word %d of length %d", (int)t, w, n);
                }
        }
        at_arena_reset(&arena, mark);
        at_model_release(&m);
    }
    print_message(
        "%d models, %d with 4 states or more, %d refused, %d of %d layer by layer, at most %d parts\n",
        models, large, refused, layered, 2 * models, parts);
    assert_true(models >= 48 && large >= 24 && layered > models);
}

/* Positions that repeat: mod(i, m) in temporal logic, and nothing in B-RASP. */
static void test_modular(void **state)
{
    (void)state;
    static const char *const texts[] = {"(..)*", "(aa)*", "(a.)*", "(...)*a", ".*b(aa)*", ".*a(..)*b(..)*"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int circle = 0; circle < 2; circle++)
            for (int automaton = 0; automaton < 2; automaton++) {
                at_place p = place_of(texts[k]);
                at_model m;
                at_extracted_past x;
                at_dfa_options o = {.positions = true, .circle = circle};
                at_extract_options e = {.logic = AT_LOGIC_LTL, .automaton = automaton};
                assert_int_equal(at_dfa_model(&p, 12, &o, &m, &err), AT_OK);
                if (at_extract_past(&m, &e, &arena, &x, &err))
                    fail_msg("%s: %s", texts[k], err.text);
                assert_true(x.period > 1 && x.rounded == circle);
                language_is(x.formulas, p.least, texts[k]);
                if (at_formula_written(x.formulas, x.formulas->accept) < 3000)
                    language_is(again(x.formulas, AT_LOGIC_LTL, texts[k]), p.least, texts[k]);
                e.logic = AT_LOGIC_BRASP;
                err = (at_err){0};
                assert_int_equal(at_extract_past(&m, &e, &arena, &x, &err), AT_EREFUSED);
                assert_non_null(strstr(err.text, "B-RASP knows no positions"));
                at_model_release(&m);
            }
    int models = 0, modular = 0;
    for (uint64_t t = 0; t < 400 && models < 24; t++) {
        drawn_spec s = {.weighting = AT_RIGHTMOST_HARD,
                        .mask = AT_MASK_STRICT,
                        .layers = 1,
                        .heads = 1,
                        .dv = 2,
                        .prefix = (int)(t % 2),
                        .period = 2 + (int)(t % 2),
                        .step = 1,
                        .most = 1,
                        .without_end = t % 4 == 1};
        at_model m;
        at_extracted d;
        at_extracted_past x;
        at_place p;
        drawn_make(&s, t, &m);
        err = (at_err){0};
        if (!at_extract_dfa(&m, &arena, &d, &err) && d.dfa->states > 2) {
            models++;
            if (at_extract_past(&m, &(at_extract_options){.logic = AT_LOGIC_LTL}, &arena, &x, &err))
                fail_msg("model %d: %s", (int)t, err.text);
            language_is(x.formulas, d.dfa, "drawn with positions");
            assert_int_equal(at_place_find(d.dfa, &arena, &p, &err), AT_OK);
            assert_true(p.fo_mod != AT_FALSE);
            modular += p.star_free == AT_FALSE;
        }
        at_model_release(&m);
    }
    print_message("%d drawn models with positions, %d not star-free\n", models, modular);
    assert_true(models == 24 && modular >= 4);
}

/* A formula that is another one is found out: a control of language_is; a mask that is another one is another language. */
static void test_control(void **state)
{
    (void)state;
    at_place p = place_of("(ab)*");
    at_model m;
    at_extracted_past x;
    at_dfa *d;
    int *word, n;
    assert_int_equal(at_dfa_model(&p, 3, &(at_dfa_options){.causal = true}, &m, &err), AT_OK);
    assert_int_equal(at_extract_past(&m, &(at_extract_options){0}, &arena, &x, &err), AT_OK);
    assert_int_equal(at_formulas_dfa(x.formulas, false, &arena, &d, &err), AT_OK);
    assert_int_equal(at_dfa_differ(d, p.least, &arena, &word, &n, &err), AT_OK);
    assert_int_equal(n, 2);
    at_model_release(&m);
}

static void test_refused(void **state)
{
    (void)state;
    at_place p = place_of(".*abab");
    at_model m;
    at_extracted_past x;
    at_extract_options o = {.logic = AT_LOGIC_LTL, .values = 3};
    assert_int_equal(at_dfa_model(&p, 8, NULL, &m, &err), AT_OK);
    assert_int_equal(at_extract_past(&m, &o, &arena, &x, &err), AT_EBUDGET);
    assert_non_null(strstr(err.text, "its stream has more than 3 values"));
    m.blocks[0].groups[0].weighting = AT_AVERAGE_HARD;
    o.values = 0;
    err = (at_err){0};
    assert_int_equal(at_extract_past(&m, &o, &arena, &x, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "average-hard attention mixes keys"));
    m.blocks[0].groups[0].weighting = AT_SOFTMAX;
    err = (at_err){0};
    assert_int_equal(at_extract_past(&m, &o, &arena, &x, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "softmax attention mixes keys"));
    at_model_release(&m);
}

/* Every allocation fails once: that is said, and nothing else happens. */
static void test_memory(void **state)
{
    (void)state;
    at_place p = place_of("a*b*");
    at_model m;
    assert_int_equal(at_dfa_model(&p, 3, NULL, &m, &err), AT_OK);
    for (int logic = 0; logic < 4; logic++) /* layer by layer, and from the automaton */
        for (int64_t k = 1;; k++) {
            at_arena own;
            at_extracted_past x;
            at_err said = {0};
            at_arena_init(&own);
            at_alloc_inject(k);
            at_extract_options o = {.logic = (at_logic)(logic % 2), .automaton = logic / 2};
            at_status s = at_extract_past(&m, &o, &own, &x, &said);
            bool failed = at_alloc_injected();
            at_alloc_inject(0);
            at_arena_release(&own);
            assert_int_equal(s, failed ? AT_ENOMEM : AT_OK);
            if (!failed)
                break;
        }
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_drawn, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_modular, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_control, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_memory, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
