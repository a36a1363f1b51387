/* test_compile_pfsa.c: probabilistic automata as decoders: every text to a length, as doubles and as fractions; a model that does not find
 * the state before a letter is noticed; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <attest/exec.h>
#include <attest/front.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 3, TOKENS = 8 };

static at_pfsa *take(const char *text, at_arena *a)
{
    at_pfsa *p;
    at_err err = {0};
    if (at_pfsa_read(text, strlen(text), "x", a, &p, &err))
        fail_msg("%s", err.text);
    return p;
}

static const char *const texts[] = {
    "start q\nend q\n",
    "start q\nq a q 1/2\nend q 1/2\n",
    "start q 3/7\nstart r 4/7\nq a q 1/3\nq a r 1/6\nq b r 1/2\nr b q 1/5\nr b r 3/5\nend r 1/5\n",
    "start q\nq a q 1/11\nq a r 4/11\nq b s 5/11\nend q 1/11\nr a s 1\ns b q 1/2\ns b r 1/3\nend s 1/6\n",
};

/* Probabilities that are another fraction than the definition's, of all texts to LONGEST; *rows: how many there are in all. */
static int wrong_of(const at_pfsa *p, const at_model *m, int *rows)
{
    int W = at_pfsa_tokens(p) - 1, wrong = 0;
    at_err err = {0};
    for (int n = 0; n <= LONGEST; n++)
        for (uint64_t i = 0; i < at_words_count(W, n); i++) {
            double x[LONGEST + 1];
            uint32_t count[TOKENS], under;
            const char *const *said;
            at_output y;
            at_arena a;
            at_arena_init(&a);
            at_words_nth(W, n, i, x);
            int last = n ? (int)x[n - 1] - p->letters : -1, before = n > 1 ? (int)x[n - 2] - p->letters : -1;
            if (n == 0 || last >= 0)
                at_pfsa_next(p, last, -1, count, &under);
            else
                at_pfsa_next(p, before < 0 ? -1 : before, (int)x[n - 1], count, &under);
            if (at_run_fractions(m, &(at_input){n, x}, &a, &said, &err) ||
                at_run(m, at_f64, &(at_input){n, x}, NULL, &a, &y, &err))
                fail_msg("%s", err.text);
            for (int t = 0; t <= W; t++, ++*rows) {
                char want[32];
                uint32_t d = count[t] ? count[t] : under, e = under;
                while (e) {
                    uint32_t rest = d % e;
                    d = e;
                    e = rest;
                }
                if (count[t] % under == 0)
                    snprintf(want, sizeof want, "%u", count[t] / under);
                else
                    snprintf(want, sizeof want, "%u/%u", count[t] / d, under / d);
                bool same = strcmp(want, said[t]) == 0;
                wrong += !same;
                assert_true(!same || fabs(y.decision[t] - (double)count[t] / under) < 1e-12);
            }
            at_arena_release(&a);
        }
    return wrong;
}

static void test_every_text(void **state)
{
    (void)state;
    int rows = 0, blind = 0;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int turn = 0; turn < 3; turn++) {
            at_arena a;
            at_model m;
            at_err err = {0};
            at_arena_init(&a);
            at_pfsa *p = take(texts[k], &a);
            at_pfsa_options o = {.weighting = turn == 1 ? AT_SPARSEMAX : AT_AVERAGE_HARD, .blind = turn == 2};
            if (at_pfsa_model(p, LONGEST, &o, &m, &err))
                fail_msg("%s", err.text);
            int wrong = wrong_of(p, &m, &rows);
            if (turn < 2)
                assert_int_equal(wrong, 0);
            else
                blind += wrong > 0;
            at_model_release(&m);
            at_arena_release(&a);
        }
    print_message("%d probabilities; %d blind models noticed\n", rows, blind);
    assert_int_equal(blind, 3); /* the first automaton has no letters */
}

static void test_refused(void **state)
{
    (void)state;
    at_arena a;
    at_model m;
    at_err err = {0};
    at_arena_init(&a);
    at_pfsa *p = take("start q\nq a q 1/1001\nend q 1000/1001\n", &a);
    assert_int_equal(at_pfsa_model(p, 4, &(at_pfsa_options){.weighting = AT_AVERAGE_HARD}, &m, &err),
                     AT_EBUDGET);
    assert_string_equal(err.text,
                        "probabilities over 1001; compiled are those over at most 1000: a hidden row each");
    at_arena_release(&a);
}

/* Softmax has no fractions: refused, and nothing is given. */
static void test_fractions_refused(void **state)
{
    (void)state;
    at_arena a;
    at_ngram *g;
    at_model m;
    at_err err = {0};
    const char *const *said = NULL, *const word[] = {"a"};
    at_arena_init(&a);
    assert_int_equal(at_ngram_of_table(1, 1, word, (double[]){0.5, 0.5}, &a, &g, &err), AT_OK);
    at_ngram_options o = {.weighting = AT_AVERAGE_HARD, .read = AT_READ_SOFTMAX};
    assert_int_equal(at_ngram_model(g, 2, &o, &m, &err), AT_OK);
    assert_int_equal(at_run_fractions(&m, &(at_input){0, NULL}, &a, &said, &err), AT_EREFUSED);
    assert_string_equal(err.text, "exact arithmetic has no exp: the readout is softmax");
    assert_null(said);
    at_model_release(&m);
    at_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_text),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_fractions_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
