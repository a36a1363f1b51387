/* test_histories.c: weights as the n-gram model that they are: the same fractions, found with the fewest words; what is no such model is
 * refused. */
#include <attest/front.h>
#include <attest/check.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const words[] = {"a", "b"};

/* Order n over a, b: rows over 8, the first some of which are equal where `same` says so. */
static at_ngram *draw(int order, bool same, at_arena *a)
{
    at_err err = {0};
    at_ngram *g;
    uint64_t histories = 1, all = 1;
    for (int k = 1; k < order; k++)
        histories += all *= 2;
    uint64_t *count = at_new(a, uint64_t, 3 * histories);
    at_rng r = at_rng_at(5, (uint64_t)order);
    for (uint64_t i = 0; i < histories; i++) {
        uint64_t end = same ? 2 : at_rng_below(&r, 4), x = same ? 3 : at_rng_below(&r, 9 - end);
        memcpy(count + 3 * i, (uint64_t[]){x, 8 - x - end, end}, 3 * sizeof *count);
    }
    if (at_ngram_of_counts(order, 2, words, count, a, &g, &err))
        fail_msg("%s", err.text);
    return g;
}

static at_model model_of(const at_ngram *g, int N, at_read_kind read)
{
    at_model m;
    at_err err = {0};
    if (at_ngram_model(g, N, &(at_ngram_options){.weighting = AT_AVERAGE_HARD, .read = read}, &m, &err))
        fail_msg("%s", err.text);
    return m;
}

static void test_same(void **state)
{
    (void)state;
    for (int order = 1; order <= 4; order++)
        for (int same = 0; same < 2; same++) {
            at_arena a;
            at_ngram *found;
            at_histories h;
            at_err err = {0};
            at_arena_init(&a);
            at_ngram *g = draw(order, same, &a);
            int bos = at_ngram_bos(g);
            at_model m = model_of(g, order + 2, AT_READ_SPARSEMAX);
            if (at_ngram_of_model(&m, NULL, &a, &found, &h, &err))
                fail_msg("%s", err.text);
            assert_int_equal(h.seen, same ? 0 : order - 1);
            assert_int_equal(h.longest, order + 2);
            assert_int_equal(found->order, h.seen + 1);
            assert_true(h.fractions);
            assert_int_equal(h.texts, (1u << (order + 3)) - 1);
            assert_string_equal(found->word[1], "b");
            for (uint64_t i = 0; i < at_ngram_histories(found); i++) {
                int history[AT_NGRAM_ORDER_MAX], n = at_ngram_history(found, i, history);
                int behind = n < order - 1 && same; /* all rows are one: any history will do */
                for (int w = 0; w <= 2; w++) {
                    uint64_t p, q, x, y;
                    assert_true(at_ngram_fraction(found, history, n, w, &p, &q));
                    assert_true(at_ngram_fraction(g, behind ? &bos : history, behind ? 1 : n, w, &x, &y));
                    assert_true(p * y == x * q);
                }
            }
            at_model_release(&m);
            at_arena_release(&a);
        }
}

static void test_refused(void **state)
{
    (void)state;
    at_arena a;
    at_ngram *found;
    at_histories h;
    at_err err = {0};
    at_arena_init(&a);
    at_model m = model_of(draw(3, false, &a), 5, AT_READ_SOFTMAX);
    assert_int_equal(at_ngram_of_model(&m, NULL, &a, &found, &h, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "its readout is softmax"));
    at_model_release(&m);
    m = model_of(draw(4, false, &a), 3, AT_READ_SPARSEMAX); /* no text is longer than what decides */
    err = (at_err){0};
    assert_int_equal(at_ngram_of_model(&m, NULL, &a, &found, &h, &err), AT_EREFUSED);
    assert_non_null(
        strstr(err.text, "on the 15 texts to length 3 that were run, what comes next depends on more"));
    at_model_release(&m);
    at_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("tests", tests, NULL, NULL);
}
