/* test_compile_tm.c: decoders of Turing machines against the reference: random machines in all three forms, on every short input, runs that
 * do not end among them; the machines of examples/; sizes; controls; what a chain ends with; what is refused. */
#include <attest/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "../../core/test/test_evidence.h"

enum { FORMS = 3 };

static at_tm *machine(const char *text)
{
    at_tm *t;
    err = (at_err){0};
    if (at_tm_read(text, "m.tm", &arena, &t, &err))
        fail_msg("%s\n%s", err.text, text);
    return t;
}

static at_model compiled(const at_tm *t, const at_tm_options *o)
{
    at_model m;
    err = (at_err){0};
    if (at_tm_model(t, o, &m, &err))
        fail_msg("%s", err.text);
    return m;
}

/* Inputs to `letters` letters whose runs are not what the model writes; *runs: all, *ended: those that stop. */
static int wrong(const at_tm *t, const at_model *m, at_arith arith, int letters, int steps, int *runs,
                 int *ended)
{
    at_generator *g;
    int bad = 0, word[16], *chain = at_new(&arena, int, steps + 2);
    double prompt[17];
    assert_int_equal(at_generator_new(m, arith, &g, &err), AT_OK);
    for (int n = 0; n <= letters; n++) {
        int all = 1;
        for (int i = 0; i < n; i++)
            all *= t->letters;
        for (int k = 0; k < all; k++, ++*runs) {
            at_mark mark = at_arena_mark(&arena);
            at_tm_end end;
            const double *rows;
            double margin;
            at_err given_up = {0};
            int n_rows, n_chain;
            for (int i = 0, v = k; i < n; i++, v /= t->letters)
                prompt[i] = word[i] = 1 + v % t->letters;
            prompt[n] = t->begin;
            assert_int_equal(at_tm_run(t, word, n, steps, &arena, chain, &n_chain, &end, &err), AT_OK);
            at_status s = at_generator_run(g, prompt, n + 1, &rows, &n_rows, &margin, &given_up);
            bool stops = end.verdict != AT_TM_RUNS, same = stops ? !s && n_rows == n_chain : s == AT_EBUDGET;
            for (int i = 0; same && i < n_chain; i++) /* of a run that does not end: as far as it goes */
                same = i < n_rows && rows[i] == chain[i];
            bad += !same;
            *ended += stops;
            at_arena_reset(&arena, mark);
        }
    }
    at_generator_free(g);
    return bad;
}

/* ---- random machines ------------------------------------------------------------------------------------------------------- */

static const char *random_text(at_rng *r)
{
    at_text t;
    at_text_init(&t);
    int states = 1 + (int)at_rng_below(r, 5), symbols = 2 + (int)at_rng_below(r, 3);
    at_text_add(&t, "start q0\nalphabet 1\n");
    for (int q = 0; q < states; q++)
        for (int a = 0; a < symbols; a++)
            if (!(q + a) || at_rng_below(r, 8)) {
                uint64_t to = at_rng_below(r, 3 * (uint64_t)states + 2);
                at_text_addf(&t, "q%d %c %c %c ", q, "_1ab"[a], "_1ab"[at_rng_below(r, (uint64_t)symbols)],
                             "lrlr*"[at_rng_below(r, 5)]);
                if (to < 3 * (uint64_t)states)
                    at_text_addf(&t, "q%d\n", (int)to % states);
                else
                    at_text_add(&t, to == 3 * (uint64_t)states ? "accept\n" : "halt\n");
            }
    const char *kept = at_arena_strdup(&arena, t.s);
    at_text_release(&t);
    return kept;
}

/* EVIDENCE turing sampled 1200 test_random: 100 random machines in three forms, inputs to 3 letters, 60 steps */
static void test_random(void **state)
{
    (void)state;
    int runs = 0, ended = 0, revisits = 0;
    for (uint64_t k = 0; k < 100; k++) {
        at_mark mark = at_arena_mark(&arena);
        at_rng r = at_rng_at(2026, k);
        const char *text = random_text(&r);
        const at_tm *t = machine(text);
        for (int form = 0; form < FORMS; form++) {
            at_tm_options o = {.letters = 3, .steps = 60, .form = (at_tm_form)form};
            at_model m = compiled(t, &o);
            int bad = wrong(t, &m, at_f64, 3, 60, &runs, &ended);
            if (bad)
                fail_msg("%s: wrong on %d inputs:\n%s", at_tm_form_names[form], bad, text);
            at_model_release(&m);
            o.forgets = true; /* the control: none of those that wrote on a cell is preferred */
            at_err why = {0};
            if (!at_tm_model(t, &o, &m, &why)) {
                int some = 0;
                revisits += wrong(t, &m, at_f64, 3, 60, &some, &some) > 0;
                at_model_release(&m);
            }
        }
        at_arena_reset(&arena, mark);
    }
    print_message("%d runs, %d of them stop; %d of 300 models without recency are wrong\n", runs, ended,
                  revisits);
    assert_true(runs == 100 * FORMS * 4 && ended > 300 && ended < runs && revisits > 30);
    evidence_say("test_random", "turing", "sampled", (uint64_t)runs, "100 random machines, 60 steps");
}

/* ---- examples -------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *file, *set;
    uint64_t prompts;
} examples[] = {
    {"examples/bb4.tm", "", 1},
    {"examples/increment.tm", "N=6", 127},
    {"examples/palindrome.tm", "N=6", 127},
    {"examples/copy.tm", "N=4", 31},
    {"examples/multiply.tm", "N=5", 63},
    {"examples/add-one.tm", "N=5", 63},
    {"examples/universal.tm", "N=4", 300},
};

static void test_examples(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        at_problem *p;
        assert_int_equal(at_problem_open(examples[k].file, &p, &err), AT_OK);
        for (int form = 0; form < FORMS; form++) {
            char set[64];
            at_params q;
            void *self;
            at_model m;
            snprintf(set, sizeof set, "%s form=%s", examples[k].set, at_tm_form_names[form]);
            assert_int_equal(at_problem_params(p, AT_VIEW_CHAIN, set, &q, &err), AT_OK);
            assert_int_equal(p->chain->open(&q, &self, &err), AT_OK);
            if (p->chain->count(self) != examples[k].prompts)
                fail_msg("%s: %d prompts", examples[k].file, (int)p->chain->count(self));
            p->chain->close(self);
            if (at_front_of(p)->model(&q, &(at_front_options){0}, &m, &err))
                fail_msg("%s", err.text);
            int runs = 0, ended = 0,
                bad = wrong(at_tm_of(p), &m, at_f64, at_params_int(&q, "N"), at_params_int(&q, "T"), &runs,
                            &ended);
            if (bad || ended != (int)examples[k].prompts)
                fail_msg("%s, %s: wrong on %d of %d inputs, %d stop", examples[k].file,
                         at_tm_form_names[form], bad, runs, ended);
            at_size z;
            at_model_size(&m, &z);
            assert_int_equal(z.layers, form == AT_TM_RATIONAL ? 2 : 3);
            at_model_release(&m);
        }
        at_problem_free(p);
    }
}

/* The size does not depend on how long runs are. */
static void test_size(void **state)
{
    (void)state;
    const at_tm *t = machine("1RB1LB_1LA0LC_1RZ1LD_1RD0RA");
    for (int form = 0; form < FORMS; form++) {
        at_size first, z;
        for (int steps = 10; steps <= 500; steps += 490) {
            at_model m = compiled(t, &(at_tm_options){.steps = steps, .form = (at_tm_form)form});
            at_model_size(&m, steps == 10 ? &first : &z);
            at_model_release(&m);
        }
        assert_int_equal(first.parameters, z.parameters);
        assert_int_equal(first.width, z.width);
    }
}

static void test_controls(void **state)
{
    (void)state;
    const at_tm *t = machine("1RB1LB_1LA0LC_1RZ1LD_1RD0RA");
    for (int form = 0; form < FORMS; form++) {
        at_model m;
        int runs = 0, ended = 0;
        at_tm_options o = {.steps = 107, .form = (at_tm_form)form, .forgets = true};
        if (!at_tm_model(t, &o, &m, &err)) {
            assert_int_equal(wrong(t, &m, at_f64, 0, 107, &runs, &ended), 1);
            at_model_release(&m);
        }
    }
    int runs = 0, ended = 0;
    at_model m = compiled(t, &(at_tm_options){.steps = 107, .scale = 0.02});
    assert_int_equal(wrong(t, &m, at_f64, 0, 107, &runs, &ended), 1);
    at_model_release(&m);
}

/* ---- what a chain ends with -------------------------------------------------------------------------------------------------- */

static const char *answer(const at_model *m, const char *typed)
{
    at_input prompt;
    double *rows, margin;
    int n;
    at_text t;
    assert_int_equal(at_prompt_parse(m, typed, &arena, &prompt, &err), AT_OK);
    at_status s = at_generate(m, at_f64, &prompt, &arena, &rows, &n, &margin, &err);
    assert_true(s == AT_OK || s == AT_EBUDGET);
    err = (at_err){0};
    at_text_init(&t);
    at_front_answer(m, &prompt, &(at_input){n, rows}, &t);
    const char *kept = at_arena_strdup(&arena, t.s);
    at_text_release(&t);
    return kept;
}

static void test_answer(void **state)
{
    (void)state;
    at_problem *p;
    at_params q;
    at_model m;
    static const char *const files[] = {"examples/increment.tm", "examples/palindrome.tm",
                                        "examples/copy.tm"};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(at_problem_open(files[k], &p, &err), AT_OK);
        assert_int_equal(at_problem_params(p, AT_VIEW_CHAIN, "N=6", &q, &err), AT_OK);
        assert_int_equal(at_front_of(p)->model(&q, &(at_front_options){0}, &m, &err), AT_OK);
        if (k == 0) {
            assert_string_equal(answer(&m, "1011"), "1100");
            assert_string_equal(answer(&m, "1 0 1 1 <start>"), "1100");
            assert_string_equal(answer(&m, "111<start>"),
                                "1000"); /* without blanks it is letters, and then <start> */
            assert_string_equal(answer(&m, ""), "1");
        } else if (k == 1) {
            assert_string_equal(answer(&m, "abba"), "yes");
            assert_string_equal(answer(&m, "ab"), "no");
        } else
            assert_string_equal(answer(&m, "ab"), "ab#ab");
        at_input prompt;
        assert_int_equal(at_prompt_parse(&m, "1a", &arena, &prompt, &err), AT_EINPUT);
        err = (at_err){0};
        at_model_release(&m);
        at_problem_free(p);
    }
    /* past its budget: the tape so far; cells that were never written are blank */
    m = compiled(machine("start a\nalphabet 1\na * 1 r b\nb * * r a\n"),
                 &(at_tm_options){.letters = 1, .steps = 6});
    assert_string_equal(answer(&m, ""), "1_1_1_1");
    at_model_release(&m);
    /* symbols of several characters have blanks between them */
    m = compiled(machine("start a\nalphabet 1\nhalt z\na 1 one r a\na _ _ l z\n"),
                 &(at_tm_options){.letters = 3, .steps = 6});
    assert_string_equal(answer(&m, "11"), "one one");
    at_model_release(&m);
}

static void test_refused(void **state)
{
    (void)state;
    const at_tm *t = machine("start a\nalphabet 1\na * 1 r a\n");
    at_model m;
    assert_int_equal(at_tm_model(t, &(at_tm_options){.letters = 5000, .steps = 6}, &m, &err), AT_EDOMAIN);
    err = (at_err){0};
    assert_int_equal(at_tm_model(t, &(at_tm_options){.steps = 0}, &m, &err), AT_EDOMAIN);
    err = (at_err){0};
    assert_int_equal(at_tm_model(t, &(at_tm_options){.steps = 3000, .form = AT_TM_RATIONAL}, &m, &err),
                     AT_EDOMAIN);
    assert_non_null(strstr(err.text, "leaves nothing of the gap"));
}

static void test_long(void **state)
{
    (void)state;
    /* sweeps over a growing block of ones: every cell is written again and again, and far back */
    const at_tm *t = machine("start a\nalphabet\na 1 1 r a\na _ 1 l b\nb 1 1 l b\nb _ 1 r a\n");
    at_model m = compiled(t, &(at_tm_options){.steps = 10000});
    int runs = 0, ended = 0;
    assert_int_equal(wrong(t, &m, at_f64, 0, 10000, &runs, &ended), 0);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_examples, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_size, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_controls, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_answer, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_long, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
