/* test_regex.c: regular expressions: random ones against their definition on every short word, printed and read again, known
 * automata, places of known languages, and what is refused. */
#include <attest/lang.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"

static at_regex *read_over(const char *text, const char *letters, at_alphabet *sigma)
{
    at_regex *e;
    at_alphabet given;
    err = (at_err){0};
    if (letters && at_alphabet_parse(letters, &arena, &given, &err))
        fail_msg("%s", err.text);
    if (at_regex_parse(text, letters ? &given : NULL, NULL, 1, 1, &arena, &e, sigma, &err))
        fail_msg("%s: %s", text, err.text);
    return e;
}

static at_dfa *dfa_of(const char *text, const char *letters)
{
    at_alphabet sigma;
    at_dfa *d;
    at_regex *e = read_over(text, letters, &sigma);
    if (at_regex_dfa(e, &sigma, &arena, &d, &err))
        fail_msg("%s: %s", text, err.text);
    return d;
}

static void put(at_rng *r, int depth, at_text *t)
{
    static const char *const atoms[] = {"a", "b", "c", ".", "[ab]", "[^b]", "ε", "∅", "a", "b", "()"};
    static const char *const marks[] = {"*", "+", "?", "{2}", "{1,}", "{0,2}", "{1,3}", "{0}", "*", "*"};
    uint64_t k = at_rng_below(r, depth ? 10 : 1);
    if (k < 2)
        at_text_add(t, atoms[at_rng_below(r, sizeof atoms / sizeof *atoms)]);
    else if (k < 4) {
        put(r, depth - 1, t);
        put(r, depth - 1, t);
    } else if (k < 7) {
        at_text_add(t, "(");
        put(r, depth - 1, t);
        at_text_add(t, k == 6 ? "&" : "|");
        put(r, depth - 1, t);
        at_text_add(t, ")");
    } else if (k < 9) {
        at_text_add(t, "(");
        put(r, depth - 1, t);
        at_text_add(t, ")");
        at_text_add(t, marks[at_rng_below(r, sizeof marks / sizeof *marks)]);
    } else {
        at_text_add(t, "~");
        put(r, depth - 1, t);
    }
}

/* 3000 random expressions: the automaton accepts what the definition matches, on all 1,093 words to length 6; what is
 * printed is read as the same, and printed the same. */
static void test_random(void **state)
{
    (void)state;
    uint64_t yes = 0, words = 0;
    for (int t = 0; t < 3000; t++) {
        at_rng r = at_rng_at(21, (uint64_t)t);
        at_text text, printed, again;
        at_text_init(&text);
        at_text_init(&printed);
        at_text_init(&again);
        put(&r, 4, &text);
        at_alphabet sigma;
        at_regex *e = read_over(text.s, "a b c", &sigma);
        at_dfa *d, *other;
        assert_int_equal(at_regex_dfa(e, &sigma, &arena, &d, &err), AT_OK);
        at_regex_print(e, &sigma, &printed);
        at_regex *f = read_over(printed.s, "a b c", &sigma);
        at_regex_print(f, &sigma, &again);
        assert_string_equal(printed.s, again.s);
        assert_int_equal(at_regex_dfa(f, &sigma, &arena, &other, &err), AT_OK);
        if (!at_dfa_equal(d, other))
            fail_msg("%s is printed as %s", text.s, printed.s);
        int v[6];
        for (int n = 0; n <= (t % 10 ? 4 : 6); n++) {
            int all = 1;
            for (int i = 0; i < n; i++)
                all *= 3;
            for (int k = 0; k < all; k++) {
                for (int i = 0, x = k; i < n; i++, x /= 3)
                    v[i] = x % 3;
                bool in = at_regex_matches(e, v, n);
                if (at_dfa_accepts(d, v, n) != in)
                    fail_msg("%s on a word of length %d", text.s, n);
                yes += in;
                words++;
            }
        }
        at_text_release(&text);
        at_text_release(&printed);
        at_text_release(&again);
        at_arena_release(&arena);
        at_arena_init(&arena);
    }
    assert_true(yes > words / 20 && yes < words * 19 / 20);
}

static void test_known(void **state)
{
    (void)state;
    static const struct {
        const char *text, *letters;
        int states, monoid;
        at_tri star_free, fo_mod, solvable;
        const char *witness;
        int period;
    } known[] = {
        {"(ab)*", NULL, 3, 6, AT_TRUE, AT_TRUE, AT_TRUE, NULL, 0},
        {"(aa)*", "a", 2, 2, AT_FALSE, AT_TRUE, AT_TRUE, "a", 2},
        {"(aa)*", "a b", 3, 3, AT_FALSE, AT_TRUE, AT_TRUE, "a", 2},
        {"(b*ab*a)*b*", NULL, 2, 2, AT_FALSE, AT_FALSE, AT_TRUE, "a", 2}, /* PARITY */
        {"(..)*", "a b", 2, 2, AT_FALSE, AT_TRUE, AT_TRUE, "a", 2},
        {"(...)*a", "a b", 4, 7, AT_FALSE, AT_TRUE, AT_TRUE, "a", 3},
        {"(ab|ba)*", NULL, 4, 15, AT_TRUE, AT_TRUE, AT_TRUE, NULL, 0},
        {"a*b*", NULL, 3, 0, AT_TRUE, AT_TRUE, AT_TRUE, NULL, 0},
        {"~(.*aa.*)", "a b", 3, 0, AT_TRUE, AT_TRUE, AT_TRUE, NULL, 0},
        {"∅", "a", 1, 1, AT_TRUE, AT_TRUE, AT_TRUE, NULL, 0},
        {"~∅", "a", 1, 1, AT_TRUE, AT_TRUE, AT_TRUE, NULL, 0},
        {"ε", "a", 2, 2, AT_TRUE, AT_TRUE, AT_TRUE, NULL, 0},
        {"a{0,4}", "a b", 6, 0, AT_TRUE, AT_TRUE, AT_TRUE, NULL, 0},
        {"(.*a.*b.*)&(.*b.*a.*)", "a b", 6, 6, AT_TRUE, AT_TRUE, AT_TRUE, NULL, 0},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        at_place p;
        at_dfa *d = dfa_of(known[k].text, known[k].letters);
        assert_int_equal(at_place_find(d, &arena, &p, &err), AT_OK);
        if ((known[k].states && p.states != known[k].states) ||
            (known[k].monoid && p.monoid != known[k].monoid) || p.star_free != known[k].star_free ||
            p.fo_mod != known[k].fo_mod || p.solvable != known[k].solvable)
            fail_msg("%s: %d states, %d elements, %d %d %d", known[k].text, p.states, p.monoid, p.star_free,
                     p.fo_mod, p.solvable);
        if (!known[k].period)
            continue;
        at_text t;
        at_text_init(&t);
        at_alphabet_print(&p.least->sigma, p.witness, p.n_witness, &t);
        assert_string_equal(t.s, known[k].witness);
        assert_int_equal(p.period, known[k].period);
        at_text_release(&t);
    }
}

/* Two expressions of one language have one automaton; of two languages they do not. */
static void test_equal(void **state)
{
    (void)state;
    static const struct {
        const char *x, *y;
        bool same;
    } pairs[] = {
        {"(a|b)*", ".*", true},
        {"~(~a|~b)", "a&b", true},
        {"(ab)*a", "a(ba)*", true},
        {"a+", "aa*", true},
        {"a{2,4}", "aa(a(a?))?", true},
        {"~a*", "~(a*)", true},
        {"a|b&∅", "a", true},
        {"(ε|a)(ε|a)", "a{0,2}", true},
        {"a|b", "a", false},
        {"[^a]", "b", true},
        {"\\a b", "ab", true},
        {"(a*b*)*", ".*", true},
        {"~(.*b.*)", "a*", true},
        {"~a*", "(~a)*", false},
        {"(a{2}){3}", "a{6}", true},
        {"(a|ε){1000}", "a{0,1000}", true},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (at_dfa_equal(dfa_of(pairs[k].x, "a b"), dfa_of(pairs[k].y, "a b")) != pairs[k].same)
            fail_msg("%s and %s", pairs[k].x, pairs[k].y);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *letters, *says;
    } bad[] = {
        {"", "a", "character 1: an expression is missing"},
        {"(a", NULL, "character 1: ( without )"},
        {"a)", NULL, "character 2: ) without ("},
        {"*a", NULL, "character 1: nothing before * that it could apply to"},
        {"a|", NULL, "character 3: an expression is missing"},
        {"a||b", NULL, "character 3: an expression is missing"},
        {"a{3,2}", NULL, "character 2: a repetition is {m}"},
        {"a{2000}", NULL, "at most 1000"},
        {"a{x}", NULL, "a repetition is {m}"},
        {"abc", "a b", "character 3: 'c' is not in the alphabet: a b"},
        {"[", "a", "[ without ]"},
        {"[]", "a", "an empty set"},
        {"[a-c]", NULL, "a set lists its letters"},
        {".", NULL, "names no letter"},
        {"a\\", NULL, "\\ without"},
        {"a\\ b", NULL, "a blank is no letter"},
        {"a\x01", NULL, "no visible character"},
        {"a\xff", NULL, "no visible character"},
        {"é]", NULL, "character 2: nothing before ]"},
        {"a", "up down", "has several characters"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        at_regex *e;
        at_alphabet given, used;
        err = (at_err){0};
        if (bad[k].letters)
            assert_int_equal(at_alphabet_parse(bad[k].letters, &arena, &given, &err), AT_OK);
        assert_int_equal(
            at_regex_parse(bad[k].text, bad[k].letters ? &given : NULL, NULL, 1, 1, &arena, &e, &used, &err),
            AT_EINPUT);
        if (!strstr(err.text, bad[k].says))
            fail_msg("'%s': %s", bad[k].text, err.text);
    }
    at_regex *e;
    at_alphabet used;
    err = (at_err){0};
    assert_int_equal(at_regex_parse("a(", NULL, "x.regex", 3, 7, &arena, &e, &used, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "x.regex:3:9: an expression is missing"));
}

/* A megabyte of brackets, of letters, of marks; automata beyond the limits. */
static void test_large(void **state)
{
    (void)state;
    size_t n = 1 << 20;
    char *text = malloc(n + 1);
    at_regex *e;
    at_alphabet used;
    at_dfa *d;
    assert_non_null(text);
    static const struct {
        char c;
        const char *says;
    } rows[] = {{'(', "nested more than 200 deep"}, {'~', "more than 200 times ~"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        memset(text, rows[k].c, n);
        text[0] = 'a';
        text[n] = 0;
        err = (at_err){0};
        assert_int_equal(at_regex_parse(text, NULL, NULL, 1, 1, &arena, &e, &used, &err), AT_EINPUT);
        assert_non_null(strstr(err.text, rows[k].says));
    }
    memset(text, '*', n);
    text[0] = 'a';
    err = (at_err){0};
    assert_int_equal(at_regex_parse(text, NULL, NULL, 1, 1, &arena, &e, &used, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "repetitions of repetitions"));
    memset(text, 'a', n);
    err = (at_err){0};
    assert_int_equal(at_regex_parse(text, NULL, NULL, 1, 1, &arena, &e, &used, &err), AT_OK);
    assert_int_equal(at_regex_dfa(e, &used, &arena, &d, &err), AT_EBUDGET);
    free(text);
    err = (at_err){0};
    assert_int_equal(at_regex_parse(".*a.{20}", NULL, NULL, 1, 1, &arena, &e, &used, &err), AT_OK);
    assert_int_equal(used.n, 1);
    assert_int_equal(at_regex_parse(".*a.{20}|b", NULL, NULL, 1, 1, &arena, &e, &used, &err), AT_OK);
    assert_int_equal(at_regex_dfa(e, &used, &arena, &d, &err), AT_EBUDGET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_known, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_equal, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_large, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
