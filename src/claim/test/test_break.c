/* test_break.c: the row at which rounding hides a place, against models that are run: before it every text is answered rightly, at it one
 * of the two ways to break ties errs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../shared/claim_ngram.h"

#include <math.h>

enum { TEXTS = 40, W = 3 };

/* Texts of s - 1 words (row s is the last) that are answered wrongly in f32. */
static int wrong_at(const at_model *m, const at_ngram *g, int s)
{
    int wrong = 0;
    for (uint64_t k = 0; k < TEXTS; k++) {
        at_arena a;
        at_output y;
        at_err err = {0};
        double right[W + 1];
        int state = at_ngram_start(g);
        at_rng r = at_rng_at(k, (uint64_t)s);
        at_arena_init(&a);
        double *x = at_new(&a, double, s);
        for (int i = 0; i < s - 1; i++) {
            x[i] = (double)at_rng_below(&r, W);
            at_ngram_step(g, &state, (int)x[i]);
        }
        at_ngram_shares(g, state, right);
        if (at_run(m, at_f32, &(at_input){s - 1, x}, NULL, &a, &y, &err))
            fail_msg("%s", err.text);
        bool off = false;
        for (int w = 0; w <= W; w++)
            off |= !(fabs(y.decision[w] - right[w]) < 1e-3);
        wrong += off;
        at_arena_release(&a);
    }
    return wrong;
}

static void test_f32(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    at_arena a;
    at_err err = {0};
    at_ngram *g;
    at_model m[2];
    uint64_t count[(1 + W + W * W) * (W + 1)];
    at_arena_init(&a);
    for (size_t k = 0; k < sizeof count / sizeof *count; k++) /* all rows differ */
        count[k] = 1 + (k * k + k / (W + 1)) % 11;
    assert_int_equal(at_ngram_of_counts(3, W, names, count, &a, &g, &err), AT_OK);
    int row = claim_ngram_break(true, 1, 1000000);
    assert_in_range(row, 64, 256);
    for (int k = 0; k < 2; k++) {
        at_ngram_options o = {.form = AT_NGRAM_HEADS,
                              .weighting = k ? AT_RIGHTMOST_HARD : AT_LEFTMOST_HARD,
                              .read = AT_READ_SOFTMAX};
        if (at_ngram_model(g, row, &o, &m[k], &err))
            fail_msg("%s", err.text);
    }
    for (int s = 2; s < row; s += s < row - 8 ? 7 : 1)
        assert_int_equal(wrong_at(&m[0], g, s) + wrong_at(&m[1], g, s), 0);
    int wrong = wrong_at(&m[0], g, row) + wrong_at(&m[1], g, row);
    print_message("right in f32 before row %d, %d of %d texts wrong at it\n", row, wrong, 2 * TEXTS);
    assert_true(wrong > 0);
    at_model_release(&m[0]);
    at_model_release(&m[1]);
    at_arena_release(&a);
}

static void test_f64(void **state)
{
    (void)state;
    int row = claim_ngram_break(false, 1, 1000000);
    print_message("f64: row %d\n", row);
    assert_in_range(row, 52016, 208064); /* 2^(50/3), within a factor of 2 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_f32), cmocka_unit_test(test_f64)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
