/* test_rasp.c: RASP: known programs on known words, how operators bind, printed and read again, and what is refused. */
#include <attest/lang.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"

static at_rasp *read_text(const char *text)
{
    at_rasp *r;
    err = (at_err){0};
    char *copy = at_arena_strdup(&arena, text);
    assert_non_null(copy);
    if (at_rasp_read(copy, "x.rasp", NULL, &arena, &r, &err))
        fail_msg("%s: %s", text, err.text);
    return r;
}

static const char *said(const at_rasp *r, const char *word)
{
    int *w, n;
    static char out[400];
    at_text t;
    at_text_init(&t);
    if (at_alphabet_word(&r->sigma, word, &arena, &w, &n, &err))
        fail_msg("%s", err.text);
    at_rasp_atom *v = at_new(&arena, at_rasp_atom, n);
    if (at_rasp_run(r, r->output_node[r->usual], w, n, &arena, v, &err))
        at_text_add(&t, err.text);
    else
        for (int i = 0; i < n; i++) {
            at_text_add(&t, i ? " " : "");
            if (v[i].kind == AT_RASP_STRING)
                at_text_add(&t, v[i].s);
            else
                at_rasp_atom_print(&v[i], &t);
        }
    snprintf(out, sizeof out, "%s", t.s ? t.s : "");
    at_text_release(&t);
    return out;
}

/* Printed and read again: the same text, and the same words. */
static void again(const at_rasp *r, const char *word)
{
    char first[400];
    at_text a, b;
    at_text_init(&a);
    at_text_init(&b);
    at_rasp_print(r, &a);
    at_rasp *s = read_text(a.s);
    at_rasp_print(s, &b);
    assert_string_equal(a.s, b.s);
    snprintf(first, sizeof first, "%s", said(r, word));
    assert_string_equal(said(s, word), first);
    at_text_release(&a);
    at_text_release(&b);
}

static const struct {
    const char *text, *word, *says;
} cases[] = {
    {"hist = selector_width(select(tokens, tokens, ==));", "abac", "2 1 2 1"},
    {"r = aggregate(select(indices, length-1-indices, ==), tokens);", "abac", "c a b a"},
    {"s = sort(tokens, tokens);", "cabca", "a a b c c"},
    {"alphabet 0 1 2\ns = sort(tokens_int, -tokens_int);", "0212", "2 2 1 0"},
    {"x = round(length * aggregate(full_s, indicator(tokens == \"a\")));", "aaa", "3 3 3"},
    {"alphabet a b\nx = count(tokens, \"a\");", "abab", "2 2 2 2"},
    {"alphabet a b\nx = contains(tokens, \"b\");", "aab", "True True True"},
    {"alphabet a b\nx = \"b\" in tokens;", "aaa", "False False False"},
    {"x = shift(tokens, 1, \"-\");", "abc", "- a b"},
    {"x = tokens[-1];", "abc", "c c c"},
    {"x = tokens[1];", "abc", "b b b"},
    {"x = aggregate(select(indices, indices, <), indices);", "abc", "0 0 (1/2)"},
    {"x = aggregate(select(indices, indices, >), indices, -1);", "abc", "(3/2) 2 -1"},
    {"x = aggregate(select(indices, 7, ==), tokens);", "ab", " "},
    /* how operators bind */
    {"x = 2 + 3 * 2 ^ 2 + 0 * indices;", "a", "14"},
    {"x = -2 ^ 2 + 0 * indices;", "a", "4"},
    {"x = 7 - 2 - 1 + 0 * indices;", "a", "4"},
    {"x = 2 * 7 % 4 + 0 * indices;", "a", "2"},
    {"x = 1 + 7 % 4 + 0 * indices;", "a", "4"},
    {"x = not indices == 0;", "ab", "False True"},
    {"x = indices == 0 or indices == 1 and indices == 1;", "abc", "False True False"},
    {"x = indices == 7 and indices in [True];", "abc", "False False False"},
    {"x = 1 if indices == 0 else 2 if indices == 1 else 3;", "abc", "3 2 3"},
    {"x = 1 if indices == 0 else (2 if indices == 1 else 3);", "abc", "1 2 3"},
    {"x = indices + 1 in [1, 3];", "abc", "True False True"},
    /* numbers */
    {"x = 0.1 + 0.2 == 0.3 + 0 * indices;", "a", "True"},
    {"x = round(indices / 2);", "abcab", "0 0 1 2 2"},
    {"x = (indices - 2) % 3;", "abcab", "1 2 0 1 2"},
    {"x = (0 - 7) / 2 + 0 * indices;", "a", "(-7/2)"},
    {"x = 2 ^ (0 - 2) + 0 * indices;", "a", "(1/4)"},
    {"x = (indices == 1) + 1;", "abc", "1 2 1"},
    /* lists, loops, functions */
    {"x = 0; for i in range(4) { x = x + i; } y = x + indices;", "ab", "6 7"},
    {"x = 0; for a, b in zip([1, 2], [3, 4]) { x = x + a * b; } y = x + indices;", "a", "11"},
    {"d = {\"a\": 1, \"b\": 5, \"c\": 2}; x = d[tokens];", "abc", "1 5 2"},
    {"l = [i * i for i in range(5)]; x = l[indices];", "abcab", "0 1 4 9 16"},
    {"l = [4, 5, 6]; x = l[-1 - indices];", "abc", "6 5 4"},
    {"d = {k: len([k]) for k in [\"a\", \"b\", \"c\"]}; x = d[tokens];", "ab", "1 1"},
    {"a = \"xyz\"; x = a[indices];", "abc", "x y z"},
    {"def f(a, b) { c = a + b; return c, a; } x, y = f(1, indices); z = x * 10 + y;", "ab", "11 21"},
    {"def f(n) { return 0 if n == 0 else n + f(n - 1); } x = f(5) + indices;", "a", "15"},
    {"a = 4; def f() { return a; } a = 5; x = f() + indices;", "a", "5"},
    {"def f() { def g(x) { return x + 1; } return g(1); } x = f() + indices;", "a", "2"},
    {"def max(a, b) { return 7; } x = max(1, 2) + indices;", "a", "7"},
    {"x = \"a\" + tokens; y = x in [\"aa\", \"ac\"];", "abc", "True False True"},
    {"x = 1 if 0 > 1 else indices;", "ab", "0 1"},
    {"o = [\"(\", \"[\"]; x = tokens in o;", "[(", "True True"},
    /* selectors */
    {"x = selector_width(not select(indices, indices, ==));", "abc", "2 2 2"},
    {"x = selector_width(select(indices, indices, !=) and select(tokens, \"a\", ==));", "aba", "1 2 1"},
    {"x = selector_width(select(indices, indices, <) or select(tokens, tokens, ==));", "aba", "2 2 3"},
    /* verbs of the prompt */
    {"set example \"xyz\"\nshow example\nexamples off\nselector examples on\nload \"rasplib\";\nx = "
     "tokens;\ndraw(x, \"abc\");",
     "zx", "z x"},
    {"set example [1, 22]\nx = tokens_int;\ntokens(\"abc\");", "22 1", "22 1"},
    {"_a = indices; _a + 1;", "ab", "1 2"},
    {"alphabet a b # two\nlength 1..8\noutput y\ny = indices; z = y + 1;", "ab", "0 1"},
    /* letters that look like something else */
    {"x = tokens in [\"=\", \"#\", \",\"];", "#=", "True True"},
    {"x = tokens in [\"==a\", \"b\", \"#b\", \"c\"];", "bc", "True True"},
    {"alphabet \"#a,\"\nx = tokens == \"#\";", "#a", "True False"},
    {"alphabet a b \"c # two\nx = tokens == \"b\";", "a b \"c", "False True False"},
    /* the width in other words */
    {"w = round(1 / aggregate(select(tokens, \"a\", ==) or select(indices, 0, ==), indicator(indices == "
     "0)));",
     "aaa", "3 3 3"},
    {"u = select(indices, indices, <=); x = round((indices + 1) * aggregate(u, indicator(tokens == \"a\")));",
     "aaa", "1 2 3"},
    {"w = 1 / aggregate(select(indices, 0, <=), indicator(indices == 0));", "aaa", "1 1 1"},
};

static void test_meaning(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        at_rasp *r = read_text(cases[k].text);
        if (strcmp(said(r, cases[k].word), cases[k].says) != 0)
            fail_msg("%s\non %s: %s instead of %s", cases[k].text, cases[k].word, said(r, cases[k].word),
                     cases[k].says);
        again(r, cases[k].word);
    }
}

/* Where position 0 is not selected, one over the mean is no width: it is a division by zero. */
static void test_no_width(void **state)
{
    (void)state;
    static const char *const selected[] = {"indices, 0, >", "indices, 0, !=", "indices + 1, 0, =="};
    for (int k = 0; k < 3; k++) {
        char text[120];
        snprintf(text, sizeof text, "w = 1 / aggregate(select(%s), indicator(indices == 0));", selected[k]);
        const char *says = said(read_text(text), "aaa");
        if (!strstr(says, "division by zero"))
            fail_msg("%s: %s", text, says);
    }
}

static const struct {
    const char *text, *says;
} bad[] = {
    {"x = ;", "x.rasp:1:5: ';' here; an expression was expected"},
    {"x = (1;", "x.rasp:1:7: ';' here; ')' was expected"},
    {"x = 1", "x.rasp:1:6: the end of the text here; ';' was expected, or an operator"},
    {"\nx = tokns;", "x.rasp:2:5: unknown name 'tokns'; did you mean 'tokens'?"},
    {"x = selectr_width(1);", "did you mean 'selector_width'?"},
    {"x = select(1, 2, 3);", "x.rasp:1:18: '3' here; a comparison was expected: == != < <= > >="},
    {"x = 1 != indices;", "x.rasp:1:7: '!=' here; only select compares so; write not (X == Y)"},
    {"x = \"a;", "x.rasp:1:5: \" without its end in this line"},
    {"x = a $ b;", "x.rasp:1:7: '$' has no meaning here"},
    {"indices = 3;", "x.rasp:1:1: 'indices' here; it has a meaning of its own and cannot be set"},
    {"x = aggregate(tokens, tokens);", "x.rasp:1:5: aggregate needs a selector first, this is an s-op"},
    {"x = select(1, 1, ==) and tokens;", "and of a selector and an s-op; both must be selectors, or neither"},
    {"x = select(1, 1, ==) + 1;", "this does not work on selectors"},
    {"x = 1 / 0 + indices;", "x.rasp:1:7: a division by zero"},
    {"x = 1 + \"a\" + indices;", "arithmetic on a string"},
    {"def f(a) { return a; } x = f(1, 2) + indices;", "'f' takes 1 argument, here are 2"},
    {"def f(x) { return f(x); } y = f(indices);", "does one call itself?"},
    {"x = sort(tokens);", "x.rasp:1:5: 'sort' takes 2 arguments, here are 1"},
    {"x = 3;", "no s-op is set"},
    {"load \"other\";", "x.rasp:1:6: \"other\" here; only \"rasplib\" can be loaded"},
    {"output hisst\nhist = indices;",
     "x.rasp:1:1: the output 'hisst' is no s-op that the program sets; did you mean 'hist'?"},
    {"alphabet a a\nx = indices;", "x.rasp:1:10: "},
    {"length 0\nx = indices;", "x.rasp:1:8: a length is written 1..N"},
    {"attention linear\nx = indices;", "x.rasp:1:11: attention is average or softmax"},
    {"x = range(1000000000) ;", "too long here"},
    {"x = range(0.5);", "a range is of integers"},
    {"x = range(\"a\");", "a range is of integers"},
    {"for i in range(5) x = 1;", "'{' was expected"},
    {"def f() { x = 1; }", "a function ends with 'return ...;'"},
    {"x = {\"a\": 1}[\"b\"];", "the dict has no such key"},
    {"x = [1, 2][2];", "the index is not in -2..1"},
    {"for i in indices { }", "one loops over a list or a dict, not over an s-op"},
    {"a, b = [1];", "2 names for a list of 1"},
    {"a, b = 12;", "2 names"},
    {"}", "x.rasp:1:1: '}' here; a statement was expected"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        at_rasp *r;
        char *copy = at_arena_strdup(&arena, bad[k].text);
        err = (at_err){0};
        assert_int_not_equal(at_rasp_read(copy, "x.rasp", NULL, &arena, &r, &err), AT_OK);
        if (!strstr(err.text, bad[k].says))
            fail_msg("%s\n%s instead of %s", bad[k].text, err.text, bad[k].says);
    }
}

static void refused_long(const char *before, const char *again_and_again, const char *says)
{
    size_t n = strlen(before), m = strlen(again_and_again), times = 1000000 / m;
    char *text = malloc(n + m * times + 1);
    assert_non_null(text);
    strcpy(text, before);
    for (size_t k = 0; k < times; k++)
        memcpy(text + n + k * m, again_and_again, m);
    text[n + m * times] = 0;
    at_rasp *r;
    err = (at_err){0};
    assert_int_not_equal(at_rasp_read(text, "x.rasp", NULL, &arena, &r, &err), AT_OK);
    if (!strstr(err.text, says))
        fail_msg("%s", err.text);
    free(text);
}

static void test_deep(void **state)
{
    (void)state;
    refused_long("x = ", "(", "nested more than 250 deep");
    refused_long("x = ", "[", "nested more than 250 deep");
    refused_long("x = ", "{1:", "nested more than 250 deep");
    refused_long("x = ", "-", "nested more than 250 deep");
    refused_long("x = ", "select(", "nested more than 250 deep");
    refused_long("x = ", "1+", "more than 1000 operations in each other");
    refused_long("x = f", "(1)", "more than 1000 operations in each other");
    refused_long("", "def f() {", "nested more than 250 deep");
    refused_long("", "for i in [1] {", "nested more than 250 deep");
    refused_long("x = 1", " if 1 else 2", "more than 1000 operations in each other");
}

/* Errors of words: the place, the position and the word. */
static void test_words(void **state)
{
    (void)state;
    at_rasp *r = read_text("x = aggregate(select(tokens, tokens, ==), tokens);");
    assert_non_null(strstr(said(r, "aba"),
                           "x.rasp:1:5: two strings are selected and have no mean; select one at most "
                           "(position 0 of aba)"));
    r = read_text("alphabet a b\nd = {\"a\": 1}; x = d[tokens];");
    assert_non_null(strstr(said(r, "ab"),
                           "x.rasp:2:19: a value that the list or dict does not have as an index (position "
                           "1 of ab)"));
    r = read_text("alphabet a 1\nx = tokens_int;");
    assert_non_null(strstr(said(r, "a1"), "tokens_int of a letter that is no integer"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_meaning, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_no_width, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_deep, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_words, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
