/* test_ltl.c: temporal logic: random formulas as text against the textbook on every short word, printed and read again, how tight
 * operators hold, where a formula is read, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "formula_test.h"

static drawer d;

static at_formulas *ltl(const char *text)
{
    at_formulas *f;
    int longest;
    char *copy = at_arena_strdup(&arena, text);
    err = (at_err){0};
    if (at_ltl_read(copy, "x.ltl", NULL, &arena, &f, &longest, &err))
        fail_msg("%s: %s", text, err.text);
    return f;
}

static const char *printed(const at_formulas *f)
{
    at_text t;
    at_text_init(&t);
    at_ltl_print(f, &t);
    const char *s = at_arena_strdup(&arena, t.s);
    at_text_release(&t);
    return s;
}

/* Words to length `longest` on which formula and judge differ; yes: where the judge says so. */
static int differing(const at_formulas *f, const node *x, bool strict, int letters, int longest, int *yes,
                     int *words)
{
    int wrong = 0, word[8];
    for (int n = 0; n <= longest; n++)
        for (int k = 0; k < words_of_length(letters, n); k++) {
            judge w = {word, n, strict};
            at_tri v;
            word_of_number(letters, n, k, word);
            assert_int_equal(at_formulas_run(f, word, n, &v, &err), AT_OK);
            if (!n && (f->at == AT_AT_LAST || f->at == AT_AT_FIRST)) {
                assert_int_equal(v, AT_UNKNOWN);
                continue;
            }
            int at = f->at == AT_AT_LAST ? n : f->at == AT_AT_FIRST ? 1 : f->at == AT_AT_END ? n + 1 : 0;
            bool right = holds(&w, x, at);
            wrong += v != (right ? AT_TRUE : AT_FALSE);
            *yes += right;
            ++*words;
        }
    return wrong;
}

/* 1500 formulas to depth 5, some with counts, in both semantics, read at all four places. Read as if the semantics were the other
 * one, many must differ. */
static void test_random(void **state)
{
    (void)state;
    int yes = 0, words = 0, noticed = 0, counted = 0;
    for (int t = 0; t < 1500; t++) {
        bool strict = t % 2;
        d = (drawer){.r = at_rng_at(31, (uint64_t)t), .letters = t % 5 ? 2 : 3, .counts = t % 3 == 0};
        at_text text;
        at_text_init(&text);
        at_text_addf(&text, "alphabet %s\naccept %s\n" PREDICATE "\n", d.letters == 2 ? "a b" : "a b c",
                     at_read_at_names[t / 2 % AT_ATS]);
        if (strict || draw_below(&d, 2))
            at_text_addf(&text, "semantics %s\n", strict ? "strict" : "reflexive");
        const node *x = draw_node(&d, 1 + draw_below(&d, 5));
        write_node(&d, x, &text);
        at_formulas *f = ltl(text.s);
        int wrong = differing(f, x, strict, d.letters, d.letters == 2 ? 5 : 3, &yes, &words);
        if (wrong)
            fail_msg("%d words wrong: %s", wrong, text.s);
        const char *once = printed(f);
        at_formulas *again = ltl(once);
        assert_string_equal(printed(again), once);
        if (differing(again, x, strict, d.letters, 3, &yes, &words))
            fail_msg("%s is printed as %s", text.s, once);
        f->strict = !strict;
        noticed += differing(f, x, strict, d.letters, 3, &yes, &words) > 0;
        counted += strchr(once, '#') != NULL;
        at_text_release(&text);
        at_arena_release(&arena);
        at_arena_init(&arena);
    }
    print_message("%d words, of which %d hold; %d formulas count; %d differ in the other semantics\n", words,
                  yes, counted, noticed);
    assert_true(yes > words / 5 && yes < words * 4 / 5);
    assert_true(noticed > 300 && counted > 50);
}

/* What is written is what is printed on the right, which is printed as itself. */
static void test_tight(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"a & b | c", "a & b | c"},
        {"a & (b | c)", "a & (b | c)"},
        {"((a) & (b)) & c", "a & b & c"},
        {"a & (b & c)", "a & (b & c)"},
        {"a -> b -> c", "a -> b -> c"},
        {"(a -> b) -> c", "(a -> b) -> c"},
        {"a <-> b <-> c", "a <-> b <-> c"},
        {"a | b -> c <-> a", "a | b -> c <-> a"},
        {"a S b S c", "a S b S c"},
        {"(a S b) S c", "(a S b) S c"},
        {"a S b & c", "a S b & c"},
        {"a S (b & c)", "a S (b & c)"},
        {"!a S b", "!a S b"},
        {"!(a S b)", "!(a S b)"},
        {"Y Y !O a", "Y Y !O a"},
        {"! #[a] > 2 & b", "!2 < #[a] & b"},
        {"#[a] >= 2 #[b] + 1", "2 #[b] + 1 <= #[a]"},
        {"#[a] != #[b]", "#[a] != #[b]"},
        {"!(#[a] = #[b])", "#[a] != #[b]"},
        {"#[a] - (#[b] - 1) = 0", "#[a] - (#[b] - 1) = 0"},
        {"-#[a] - -3 < 2 * (#[b] + 1)", "-1 #[a] - -3 < 2 * (#[b] + 1)"},
        {"#[a] * 2 * 3 = 12", "6 #[a] = 12"},
        {"#[j<i] !Y (a & b) > 0", "0 < #[j < i] !Y (a & b)"},
        {"#[j <= i] a = 0", "#[a] = 0"},
        {"#[1] a = 0 & mod(i, 3) = 1", "#[1] a = 0 & mod(i, 3) = 1"},
        {"#[a] + #[b] mod 3 != 1", "#[a] + #[b] mod 3 != 1"},
        {"i mod 2 != 0 & Y a", "mod(i, 2) != 0 & Y a"},
        {"min(#[a], #[b]) < max(1, if a then #[a] else 2)", NULL},
        {"(if a then 1 else #[b]) + 1 < 2", "(if a then 1 else #[b]) + 1 < 2"},
        {"#[#[a] > 1] > 1", "1 < #[1 < #[a]]"},
        {"a ∧ ¬b ∨ c", "a & !b | c"},
        {"a && not b or c", "a & !b | c"},
        {"⊤ & ⊥", "true & false"},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        char text[300];
        snprintf(text, sizeof text, "alphabet a b c\naccept last\n%s", pairs[k][0]);
        const char *p = printed(ltl(text));
        const char *formula = strstr(p, "semantics reflexive\n");
        assert_non_null(formula);
        if (pairs[k][1] && strncmp(formula + 20, pairs[k][1], strlen(pairs[k][1])) != 0)
            fail_msg("%s is printed as %s", pairs[k][0], formula + 20);
        assert_string_equal(printed(ltl(p)), p);
        if (!pairs[k][1])
            continue;
        assert_int_equal(strlen(formula + 20), strlen(pairs[k][1]) + 1);
    }
}

/* Letters of any shape: named like operators, numbers, brackets; an alphabet that is not said. */
static void test_letters(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shows;
    } rows[] = {
        {"alphabet S U a\naccept last\n\"S\" S \"U\"", "\"S\" S \"U\""},
        {"alphabet 0 1\naccept last\n1 S 0", "1 S 0"},
        {"alphabet 0 1\naccept last\n#[1] > 1 & 1", "1 < #[\"1\"] & 1"},
        {"alphabet 0 1\naccept last\n#[1] 1 > 1 - #[0]", "1 - #[0] < #[1] 1"},
        {"alphabet 0 1\naccept last\n#[1] mod 2 = 1", "#[\"1\"] mod 2 = 1"},
        {"alphabet ( )\naccept last\n\"(\" S \")\"", "\"(\" S \")\""},
        {"alphabet i j k\naccept last\ni S (j & k)", "\"i\" S (\"j\" & k)"},
        {"alphabet \"#;\\ \"\naccept last\n\"#\" S (\";\" | \"\\\\\")", "\"#\" S (\";\" | \\)"},
        {"accept last\nz S (up | \"a b\")", NULL},
        {"accept last; semantics strict; z S (up | ä)", "z S (up | ä)"},
        {"alphabet a b; accept last; a S b; # done", "a S b"},
        {"alphabet a b # letters\n# [a comment]\na S b", NULL},
        {"predicate prime 2 3 5 7 11 13\nO (prime & !\"prim\") ; ", "O (prime & !prim)"},
        {"alphabet request answer\nG(request -> F answer)", "G (request -> F answer)"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (!rows[k].shows) { /* refused */
            at_formulas *f;
            int longest;
            err = (at_err){0};
            assert_int_equal(
                at_ltl_read(at_arena_strdup(&arena, rows[k].text), "x.ltl", NULL, &arena, &f, &longest, &err),
                AT_EINPUT);
            continue;
        }
        const char *p = printed(ltl(rows[k].text)), *formula = strstr(p, "semantics ");
        formula = strchr(formula, '\n') + 1;
        if (strncmp(formula, rows[k].shows, strlen(rows[k].shows)) != 0)
            fail_msg("%s is printed as %s", rows[k].text, p);
        assert_string_equal(printed(ltl(p)), p);
    }
    at_formulas *f = ltl("z S (up | ä)");
    assert_int_equal(f->sigma.n, 3);
    assert_string_equal(f->sigma.letter[0], "up");
    assert_string_equal(f->sigma.letter[2], "ä");
}

static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        at_read_at at;
    } rows[] = {
        {"a S b", AT_AT_LAST},        {"O a & Y b", AT_AT_LAST},      {"#[a] > 2", AT_AT_LAST},
        {"a U b", AT_AT_FIRST},       {"G(a -> X b)", AT_AT_FIRST},   {"#[j >= i] a > 2", AT_AT_FIRST},
        {"#[j<i] a > 1", AT_AT_LAST}, {"accept end\nG a", AT_AT_END}, {"accept begin\na", AT_AT_BEGIN},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_int_equal(ltl(rows[k].text)->at, rows[k].at);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"\"\xff\xfe\"", "a letter has 1 to 31 bytes that are seen"},
        {"\"a\xe2\x80\x8b\"", "a letter has 1 to 31 bytes that are seen"}, /* a blank without a width */
        {"\"a#b\"", "needs a line alphabet"},
        {"a S b & F a",
         "x.ltl: the formula speaks of both past and future, so where it is read must be said"},
        {"a & b", "speaks of neither past nor future"},
        {"#[1] a > 2", "speaks of both"},
        {"", "x.ltl:1:1: a formula is missing"},
        {"alphabet a b\n\n(a S b", "x.ltl:3:1: ( without )"},
        {"a S b)", "x.ltl:1:6: ) without ("},
        {"a S", "x.ltl:1:4: a formula is missing"},
        {"a b", "x.ltl:1:3: an operator, as in a & b or a U b, is missing before 'b'"},
        {"alphabet up down\nO upp",
         "x.ltl:2:3: 'upp' is no letter of the alphabet: up down; did you mean 'up'?"},
        {"alphabet a b\nO (a & é) & O c", "x.ltl:2:8: 'é' is no letter"},
        {"alphabet a b\nO (é & c)", "x.ltl:2:4: 'é' is no letter"},
        {"alphabet a b\nO (\"é\" & c)", "x.ltl:2:4: 'é' is no letter"},
        {"alphabet a F\nO F", "x.ltl:2:3: F is an operator here; the letter is written \"F\""},
        {"S a", "a formula is missing before S; a letter of that name is written \"S\""},
        {"O a > 2", "x.ltl:1:3: a truth stands where a number must"},
        {"#[a]", "x.ltl:1:1: a number stands where a truth must"},
        {"O #[a] & b", "x.ltl:1:3: a number stands where a truth must"},
        {"#[a] < #[b] < 3", "x.ltl:1:13: a second comparison; join two by &"},
        {"#[a] mod 0 = 0", "a modulus, a number from 1 on, is missing before '0'"},
        {"#[a] mod 3 = 3", "x.ltl:1:14: the remainder is at most 2"},
        {"mod(j, 3) = 1", "the position i is missing before 'j'"},
        {"#[a] > 1000001", "x.ltl:1:8: a number beyond 1000000"},
        {"#[a] * 1000000 * 1000000 > 2", "a number beyond 1000000"},
        {"#[a] * #[b] > 2", "a number behind *, since only numbers multiply, is missing before '#'"},
        {"#[j = i] a > 2", "x.ltl:1:3: a mask is 1, j < i, j <= i, j > i or j >= i"},
        {"# a", "x.ltl:1:4: a formula is missing"},
        {"predicate 1 2\na S b", "x.ltl:1:10: a predicate is a name and its positions"},
        {"predicate p 0\na S b", "x.ltl:1:10: positions are in 1..4096"},
        {"predicate p 3..2\na S b", "positions are in 1..4096"},
        {"predicate p 1x\na S b", "positions are in 1..4096"},
        {"predicate p 1..\na S b", "positions are in 1..4096"},
        {"predicate p 4294967297\na S b", "positions are in 1..4096"},
        {"predicate p 1\npredicate p 1\na S b", "x.ltl: p is said twice"},
        {"predicate a 1\nalphabet a\nO a", "x.ltl: the predicate a has the name of a letter"},
        {"predicate S 1\nO a", "x.ltl: the predicate S has the name of an operator"},
        {"predicate and 1\nO a", "x.ltl: the predicate and has the name of an operator"},
        {"semantics odd\na S b", "x.ltl:1:10: semantics is reflexive or strict"},
        {"alphabet a b; semantics odd; a S b", "x.ltl:1:24: semantics is reflexive or strict"},
        {"\"a S b", "x.ltl:1:1: \" without another one in its line"},
        {"a S \x01", "x.ltl:1:5: a byte that is no visible character"},
        {"a S \xff", "x.ltl:1:5: a byte that is no visible character"},
        {"true S false", "the formula names no letter"},
        {"rightmost S a", "a formula is missing before 'rightmost'"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        at_formulas *f;
        int longest;
        err = (at_err){0};
        at_status s =
            at_ltl_read(at_arena_strdup(&arena, bad[k].text), "x.ltl", NULL, &arena, &f, &longest, &err);
        if (s != AT_EINPUT || !strstr(err.text, bad[k].says))
            fail_msg("'%s': %s", bad[k].text, err.text);
    }
}

/* A megabyte of brackets, of operators, of letters. */
static void test_large(void **state)
{
    (void)state;
    static const struct {
        const char *piece, *says;
    } rows[] = {
        {"(", "nested more than 200 deep"},       {"!", "nested more than 200 deep"},
        {"Y ", "nested more than 200 deep"},      {"a S ", "nested more than 200 deep"},
        {"a -> ", "nested more than 200 deep"},   {"#[", "nested more than 200 deep"},
        {"-", "nested more than 200 deep"},       {"2*", "nested more than 200 deep"},
        {"#[j<i] ", "nested more than 200 deep"}, {"if ", "nested more than 200 deep"},
        {"min(", "nested more than 200 deep"},    {"a & b & ", "more than 4096 different parts"},
        {"#[a] + ", "more than 4096 different"},
    };
    size_t n = 1 << 20;
    char *text = malloc(n + 1);
    assert_non_null(text);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_formulas *f;
        int longest;
        size_t m = strlen(rows[k].piece);
        for (size_t c = 0; c < n; c++)
            text[c] = rows[k].piece[c % m];
        text[n] = 0;
        err = (at_err){0};
        assert_int_equal(at_ltl_read(text, "x.ltl", NULL, &arena, &f, &longest, &err), AT_EINPUT);
        if (!strstr(err.text, rows[k].says))
            fail_msg("%s...: %s", rows[k].piece, err.text);
    }
    free(text);
}

/* Each allocation that fails is reported, and nothing is lost. */
static void test_memory(void **state)
{
    (void)state;
    for (long nth = 1;; nth++) {
        at_formulas *f;
        int longest;
        char text[] = "O (z & \"up\") & #[a] > 2";
        at_arena own;
        at_arena_init(&own);
        err = (at_err){0};
        at_alloc_inject(nth);
        at_status s = at_ltl_read(text, "x.ltl", NULL, &own, &f, &longest, &err);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        at_arena_release(&own);
        assert_int_equal(s, fired ? AT_ENOMEM : AT_OK);
        if (!fired)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_tight, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_letters, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_places, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_large, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_memory, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
