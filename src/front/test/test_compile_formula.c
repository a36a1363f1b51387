/* test_compile_formula.c: temporal logic and B-RASP from their text to weights: random ones, compiled and run on every short word, against
 * what they mean by the textbook (formula_test.h, brasp_test.h), for every kind of attention. A strict mask that sees itself must
 * be noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include <attest/front.h>

#include "../../core/test/test_arena.h"
#include "../../lang/test/brasp_test.h"
#include "../../lang/test/formula_test.h"

enum { LONGEST = 5 };

static const at_formula_attend kinds[] = {AT_ATTEND_OWN, AT_ATTEND_AVERAGE, AT_ATTEND_SOFTMAX,
                                          AT_ATTEND_LEFTMOST};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static drawer d;
static program p;
static uint64_t asked, yes;

/* What is right: of the formula x, or where it is NULL of the program p. */
static bool right(const at_formulas *f, const node *x, const int *word, int n)
{
    int at = f->at == AT_AT_LAST ? n : f->at == AT_AT_FIRST ? 1 : f->at == AT_AT_END ? n + 1 : 0;
    return x ? holds(&(judge){word, n, f->strict}, x, at) : program_accepts(&p, word, n, at);
}

/* Words on which the model is wrong; -1: it is refused. Two letters to length 5, three to 4. */
static int wrong(const at_formulas *f, const node *x, const at_formulas_options *o)
{
    at_model m;
    int bad = 0, longest = f->sigma.n == 2 ? LONGEST : LONGEST - 1;
    err = (at_err){0};
    if (at_formulas_model(f, longest, o, &m, &err))
        return -1;
    at_arena scratch;
    at_arena_init(&scratch);
    for (int n = f->at == AT_AT_LAST || f->at == AT_AT_FIRST; n <= longest; n++)
        for (int k = 0; k < words_of_length(f->sigma.n, n); k++) {
            int word[LONGEST];
            double in[LONGEST];
            at_output y;
            at_mark mark = at_arena_mark(&scratch);
            word_of_number(f->sigma.n, n, k, word);
            for (int i = 0; i < n; i++)
                in[i] = word[i];
            if (at_run(&m, at_f64, &(at_input){n, in}, NULL, &scratch, &y, &err))
                fail_msg("%s", err.text);
            bool is = right(f, x, word, n);
            bad += (y.value[0] > 0.5) != is;
            yes += is;
            asked++;
            at_arena_reset(&scratch, mark);
        }
    at_arena_release(&scratch);
    at_model_release(&m);
    return bad;
}

/* Formula t: drawn, written, read. */
static at_formulas *formula(int t, const node **x)
{
    at_formulas *f;
    int longest;
    at_text text;
    d = (drawer){.r = at_rng_at(57, (uint64_t)t), .letters = t % 4 ? 2 : 3, .counts = t % 3 == 0};
    at_text_init(&text);
    at_text_addf(&text, "alphabet %s; accept %s; semantics %s; " PREDICATE ";",
                 d.letters == 2 ? "a b" : "a b c", at_read_at_names[t / 2 % AT_ATS],
                 t % 2 ? "strict" : "reflexive");
    *x = draw_node(&d, 1 + draw_below(&d, 5));
    write_node(&d, *x, &text);
    if (at_ltl_read(text.s, "x.ltl", &arena, &f, &longest, &err))
        fail_msg("%s", err.text);
    at_text_release(&text);
    return f;
}

static at_formulas *brasp(int t)
{
    at_formulas *f;
    int longest;
    at_text text;
    at_text_init(&text);
    program_draw(&p, 1000 + (uint64_t)t, t % 4 ? 2 : 3);
    program_write(&p, (at_read_at)(t % AT_ATS), 0, &text);
    if (at_brasp_read(text.s, "x.brasp", &arena, &f, &longest, &err))
        fail_msg("%s", err.text);
    at_text_release(&text);
    return f;
}

static void all_kinds(at_formulas *f, const node *x, int t, int *refused)
{
    for (int k = 0; k < KINDS; k++) {
        f->attend = kinds[k];
        int bad = wrong(f, x, NULL);
        if (bad > 0)
            fail_msg("number %d, attention %s: %d words wrong", t, at_formula_attend_names[kinds[k]], bad);
        if (bad < 0)
            print_message("number %d, attention %s: %s\n", t, at_formula_attend_names[kinds[k]], err.text);
        *refused += bad < 0;
    }
}

static void arena_again(void)
{
    at_arena_release(&arena);
    at_arena_init(&arena);
}

/* 500 formulas to depth 5, 200 programs. */
static void test_ltl(void **state)
{
    (void)state;
    int refused = 0;
    asked = yes = 0;
    for (int t = 0; t < 500; t++) {
        const node *x;
        at_formulas *f = formula(t, &x);
        all_kinds(f, x, t, &refused);
        arena_again();
    }
    print_message("%llu answers right, %llu of them yes; %d of 2000 models refused\n",
                  (unsigned long long)asked, (unsigned long long)yes, refused);
    assert_true(yes > asked / 5 && yes < asked * 4 / 5 && refused < 20);
}

static void test_brasp(void **state)
{
    (void)state;
    int refused = 0;
    asked = yes = 0;
    for (int t = 0; t < 200; t++) {
        all_kinds(brasp(t), NULL, t, &refused);
        arena_again();
    }
    print_message("%llu answers right, %llu of them yes; %d of 800 models refused\n",
                  (unsigned long long)asked, (unsigned long long)yes, refused);
    assert_true(yes > asked / 5 && yes < asked * 4 / 5 && refused < 8);
}

/* Causal for strict, and no order among keys where attention is not of the search's own side. */
static void test_broken(void **state)
{
    (void)state;
    int causal = 0, causal_program = 0, unsorted = 0;
    for (int t = 0; t < 200; t++) {
        const node *x;
        at_formulas *f = formula(t, &x);
        causal += wrong(f, x, &(at_formulas_options){.causal = true}) > 0;
        f->attend = AT_ATTEND_AVERAGE;
        unsorted += wrong(f, x, &(at_formulas_options){.unsorted = true}) > 0;
        causal_program += wrong(brasp(t), NULL, &(at_formulas_options){.causal = true}) > 0;
        arena_again();
    }
    print_message("of 200: causal noticed in %d formulas, %d programs; unsorted keys in %d formulas\n",
                  causal, causal_program, unsorted);
    assert_true(causal > 20 && causal_program > 10 && unsorted > 20);
}

/* Rows of connectives longer than any buffer: 1000 different parts, joined. */
static void test_long_rows(void **state)
{
    (void)state;
    static const char *const signs[] = {" & ", " | "};
    for (int op = 0; op < 2; op++) {
        at_text text;
        at_formulas *f;
        int longest;
        at_text_init(&text);
        at_text_add(&text, "alphabet a b; accept last; #[a] = 1");
        for (int k = 2; k < 1000; k++)
            at_text_addf(&text, "%s#[%c] %s %d", signs[op], k % 2 ? 'a' : 'b', op ? "=" : "!=", k);
        at_model m;
        at_arena scratch;
        if (at_ltl_read(text.s, "x.ltl", &arena, &f, &longest, &err) ||
            at_formulas_model(f, 4, NULL, &m, &err))
            fail_msg("%s", err.text);
        at_arena_init(&scratch);
        for (int k = 0; k < 16; k++) {
            int word[4];
            double in[4];
            at_output y;
            at_tri v;
            word_of_number(2, 4, k, word);
            for (int i = 0; i < 4; i++)
                in[i] = word[i];
            assert_int_equal(at_run(&m, at_f64, &(at_input){4, in}, NULL, &scratch, &y, &err), AT_OK);
            assert_int_equal(at_formulas_run(f, word, 4, &v, &err), AT_OK);
            assert_int_equal(y.value[0] > 0.5, v == AT_TRUE);
        }
        at_arena_release(&scratch);
        at_model_release(&m);
        at_text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ltl, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_brasp, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_broken, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_long_rows, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
