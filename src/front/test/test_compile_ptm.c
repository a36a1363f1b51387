/* test_compile_ptm.c: probabilistic Turing machines as decoders: the machine's own fractions behind every text of steps, runs or not; what is
 * blind to the tape differs; refusals. The sums over words are the claim's (ptm-cot). */
#include <attest/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_scale.h"

static const char walk[] =
    "tape _ x\nstart q\nq _ x r q a 1/3\nq _ x l r - 2/3\nq x _ * r b\nr _ _ l r - 4/7\nend r _ 3/7\n"
    "r x x r q a 1/2\nr x _ r r b 1/2\n";

/* Rows that are other fractions than the machine's, behind every text to `longest` steps. */
static int rows_off(const at_ptm *p, const at_model *m, int longest, int *all)
{
    int off = 0;
    at_err err = {0};
    for (int n = 0; n <= longest; n++)
        for (uint64_t i = 0; i < at_words_count(p->steps, n); i++) {
            double x[8];
            int tape[17];
            uint32_t count[AT_PTM_STEPS + 1], under;
            const char *const *said;
            bool same = true;
            at_arena a;
            at_arena_init(&a);
            at_words_nth(p->steps, n, i, x);
            at_ptm_after(p, x, n, tape, count, &under);
            if (at_run_fractions(m, &(at_input){n, x}, &a, &said, &err))
                fail_msg("%s", err.text);
            for (int t = 0; t <= p->steps; t++) {
                unsigned long long over, below = 1;
                assert_true(sscanf(said[t], "%llu/%llu", &over, &below) >= 1);
                same = same && over * under == (unsigned long long)count[t] * below;
            }
            off += !same;
            ++*all;
            at_arena_release(&a);
        }
    return off;
}

static void test_rows(void **state)
{
    (void)state;
    at_arena a;
    at_err err = {0};
    at_ptm *p;
    at_model m;
    int all = 0, longest = TEST_SCALE > 1 ? 2 : 4;
    at_arena_init(&a);
    assert_int_equal(at_ptm_read(walk, strlen(walk), "walk", &a, &p, &err), AT_OK);
    assert_int_equal(p->steps, 5); /* two transitions make one step */
    assert_int_equal(at_ptm_model(p, longest, &(at_ptm_options){0}, &m, &err), AT_OK);
    assert_int_equal(m.n_prefix, 7);
    assert_string_equal(m.fields[0].words[0].s, "x/L/r/-");
    assert_int_equal(rows_off(p, &m, longest, &all), 0);
    print_message("%d texts of steps, equal fractions\n", all);
    at_model_release(&m);
    assert_int_equal(at_ptm_model(p, longest, &(at_ptm_options){.blind = true}, &m, &err), AT_OK);
    assert_true(rows_off(p, &m, 2, &all) > 0);
    at_model_release(&m);
    at_arena_release(&a);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } bad[] = {{"end q _\n", "a machine without a transition writes nothing"},
               {"q _ _ r q a 1/1009\nend q _ 1008/1009\n",
                "probabilities over 1009; compiled are those over at most 1000"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        at_arena a;
        at_err err = {0};
        at_ptm *p;
        at_model m;
        at_arena_init(&a);
        assert_int_equal(at_ptm_read(bad[k].text, strlen(bad[k].text), "x", &a, &p, &err), AT_OK);
        assert_int_not_equal(at_ptm_model(p, 4, &(at_ptm_options){0}, &m, &err), AT_OK);
        if (strncmp(err.text, bad[k].said, strlen(bad[k].said)) != 0)
            fail_msg("%s", err.text);
        at_arena_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("tests", tests, NULL, NULL);
}
