/* test_counting.c: means without an error bound of their own, comparisons of them, and the positions that counts name.
 *
 * Words over {0, 1} to length 8, all of them: majority by a mean, parity by the count look-up and by its inverse form. The models
 * are run in f64 and f32, assembled for each, and must be right; variants that promise too much are refused or wrong. */
#include "../program_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

enum { N = 8 };

typedef struct {
    at_program *P;
    at_var one, begin, here, here2, odd;
} words;

static words words_new(int longest)
{
    words w = {.P = at_program_new("counting", longest)};
    at_prefix(w.P, 1);
    at_program_lengths(w.P, 0);
    at_origin(w.P, 0);
    at_var x = at_token(w.P, "x", 2);
    w.one = at_lookup(w.P, "one", x, (double[]){0, 1});
    w.begin = at_mark_prefix(w.P, "begin", 0);
    w.here = at_position(w.P, "j", AT_POS_I);
    w.here2 = at_position(w.P, "j2", AT_POS_I2);
    w.odd = at_scaled(w.P, -0.5,
                      at_sum(w.P, NULL, AT_VEC(at_position(w.P, "alternate", AT_POS_ALTERNATE)), NULL, -1));
    return w;
}

static int ones(unsigned x)
{
    return __builtin_popcount(x);
}

/* Words to length n on which the model is wrong; -1: it is refused. `want`: of the number of ones and the length. */
static int wrong(words w, at_arith arith, int n, bool (*want)(int ones, int n), double *error)
{
    at_err err = {0};
    at_model m;
    at_program_arithmetic(w.P, arith);
    at_status s = at_assemble(w.P, &m, error, &err);
    at_program_free(w.P);
    if (s) {
        assert_int_equal(s, AT_EDOMAIN);
        return -1;
    }
    int bad = 0;
    for (int k = 0; k <= n; k++)
        for (unsigned x = 0; x < 1u << k; x++) {
            at_arena a;
            at_output y;
            double in[N];
            at_arena_init(&a);
            for (int i = 0; i < k; i++)
                in[i] = x >> i & 1;
            assert_int_equal(at_run(&m, arith, &(at_input){k, in}, NULL, &a, &y, &err), AT_OK);
            bad += (y.value[0] > 0.5) != want(ones(x), k);
            at_arena_release(&a);
        }
    at_model_release(&m);
    return bad;
}

static bool more_ones(int ones, int n)
{
    return 2 * ones > n;
}

static bool odd_ones(int ones, int n)
{
    (void)n;
    return ones % 2;
}

static const at_mask all = {.kind = AT_MASK_NONE}, past = {.kind = AT_MASK_CAUSAL};
static const at_weighting weightings[] = {AT_SOFTMAX, AT_AVERAGE_HARD};

/* #1 - #0 - 1/2 over n + 1 is at least 1/2 over n + 1 away from 0. `half` is what is promised, less the 1/2. */
static words majority(at_weighting weighting, double half, double less)
{
    words w = words_new(N);
    at_var v = at_sum(w.P, NULL, AT_VEC(w.one, w.begin), (double[]){2, 1 - less}, -1);
    at_var mean = at_mean(w.P, "mean", AT_VEC(v), weighting, all);
    at_emit_last(w.P, AT_VEC(at_compare(w.P, "more", mean, half)), AT_READ_THRESHOLD, 0.5);
    return w;
}

static void test_majority(void **state)
{
    (void)state;
    double error;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(wrong(majority(weightings[k], 0.5 / (N + 1), 0.5), at_f64, N, more_ones, &error), 0);
        /* the mean's error, N + 1 times larger in a ramp, is gone; what the units round is left */
        assert_true(error < 0x1p-44);
        assert_int_equal(wrong(majority(weightings[k], 0.5 / (N + 1), 0.5), at_f32, N, more_ones, &error), 0);
    }
    /* with a whole one less, words with one 1 more are not decided */
    assert_true(wrong(majority(AT_SOFTMAX, 0.5 / (N + 1), 1), at_f64, N, more_ones, &error) > 0);
    at_arith few;
    assert_int_equal(at_arith_parse("p3", &few, NULL), AT_OK);
    assert_int_equal(wrong(majority(AT_SOFTMAX, 0.5 / (N + 1), 0.5), few, N, more_ones, &error), -1);
}

/* The interpreter does not take a wrong word for it. */
static void test_promise(void **state)
{
    (void)state;
    words w = majority(AT_SOFTMAX, 0.5 / (N - 1), 0.5);
    at_arena a;
    at_err err = {0};
    double *y, x[N] = {1, 0, 1, 0, 1, 0, 1, 0};
    at_arena_init(&a);
    assert_int_equal(at_program_run(w.P, &(at_input){N - 2, x}, &a, &y, &err), AT_OK);
    assert_int_equal(at_program_run(w.P, &(at_input){N, x}, &a, &y, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "more is of"));
    at_arena_release(&a);
    at_program_free(w.P);
    w = words_new(N);
    assert_int_equal(at_compare(w.P, "none", w.one, 0), -1);
    at_program_free(w.P);
}

/* c u = ones over positions, u = 1 over positions; then what stands at position c. */
static words parity(at_weighting weighting, bool share, double least)
{
    words w = words_new(N);
    at_counting how = {weighting, past, w.here, w.here2, least, 0};
    at_var mean = at_mean(w.P, "mean", AT_VEC(w.one, w.begin), weighting, past), odd;
    if (share) { /* 1/(c + 1): the mean of begin over begin and the ones */
        at_var among = at_attend(w.P, "among",
                                 &(at_attention){.query = AT_VEC(at_const(w.P, 1)),
                                                 .key = AT_VEC(at_add(w.P, w.one, w.begin)),
                                                 .value = AT_VEC(w.begin),
                                                 .weighting = weighting,
                                                 .mask = past,
                                                 .gap = 1,
                                                 .error = 0x1p-30});
        odd = at_at_share(w.P, "odd", among, AT_VEC(w.odd), &how);
    } else
        odd = at_at_count(w.P, "odd", mean, mean + 1, AT_VEC(w.odd), &how);
    at_emit_last(w.P, AT_VEC(odd), AT_READ_THRESHOLD, 0.5);
    return w;
}

static void test_parity(void **state)
{
    (void)state;
    double error;
    for (int k = 0; k < 2; k++)
        for (int share = 0; share < 2; share++) {
            assert_int_equal(wrong(parity(weightings[k], share, 0), at_f64, N, odd_ones, &error), 0);
            assert_true(error < 0.01);
        }
    assert_int_equal(wrong(parity(AT_SOFTMAX, false, 0), at_f32, N, odd_ones, &error), 0);
    /* a gap that is promised too large leaves softmax blurred */
    assert_true(wrong(parity(AT_SOFTMAX, false, 100), at_f64, N, odd_ones, &error) > 0);
}

/* Majority, normed: the sign itself, at every length; and not where the error may be larger than what is promised. */
static words majority_normed(double half)
{
    words w = words_new(N);
    at_var v = at_sum(w.P, NULL, AT_VEC(w.one, w.begin), (double[]){2, 0.5}, -1);
    at_emit_normed(w.P, at_mean(w.P, "mean", AT_VEC(v), AT_SOFTMAX, all), half);
    return w;
}

static void test_normed(void **state)
{
    (void)state;
    double error, *y, x[N] = {1, 0, 1, 0, 1, 0, 1, 0};
    assert_int_equal(wrong(majority_normed(0.5 / (N + 1)), at_f64, N, more_ones, &error), 0);
    assert_true(error > 0 && error < 0x1p-48);
    assert_int_equal(wrong(majority_normed(0.5 / (N + 1)), at_f32, N, more_ones, &error), 0);
    assert_int_equal(wrong(majority_normed(1e-30), at_f64, N, more_ones, &error), -1);
    at_model m;
    at_err err = {0};
    at_arena a;
    at_output out;
    for (int gelu = 0; gelu < 2; gelu++) { /* the values are signs, whatever the units */
        words w = majority_normed(0.5 / (N + 1));
        if (gelu)
            at_gelu(w.P, 4);
        assert_int_equal(at_assemble(w.P, &m, &error, &err), AT_OK);
        for (int n = 0; n <= N; n++) {
            at_arena_init(&a);
            assert_int_equal(at_run(&m, at_f64, &(at_input){n, x}, NULL, &a, &out, &err), AT_OK);
            assert_int_equal(at_program_run(w.P, &(at_input){n, x}, &a, &y, &err), AT_OK);
            assert_true(*y == (n % 2 ? 1 : -1) && fabs(out.value[0] - *y) <= error);
            at_arena_release(&a);
        }
        at_model_release(&m);
        at_program_free(w.P);
    }
    words w = majority_normed(0.5 / (N - 1)); /* the interpreter does not take a wrong word for it */
    at_arena_init(&a);
    assert_int_equal(at_program_run(w.P, &(at_input){N - 2, x}, &a, &y, &err), AT_OK);
    assert_int_equal(at_program_run(w.P, &(at_input){N, x}, &a, &y, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "nearer to 0 than"));
    at_arena_release(&a);
    at_program_free(w.P);
    w = majority_normed(0);
    assert_int_equal(at_program_status(w.P, &err), AT_EDOMAIN);
    at_program_free(w.P);
}

/* All subsets of three booleans: n-ary connectives. */
static void test_logic(void **state)
{
    (void)state;
    for (int n = 1; n <= 3; n++)
        for (unsigned x = 0; x < 8; x++) {
            at_program *P = at_program_new("logic", 1);
            at_var f = at_token(P, "f", 8), b[3];
            for (int k = 0; k < 3; k++) {
                double table[8];
                for (int c = 0; c < 8; c++)
                    table[c] = c >> k & 1;
                b[k] = at_lookup(P, "b", f, table);
            }
            at_emit(P, AT_VEC(at_all(P, "all", (at_vec){n, b}), at_any(P, "any", (at_vec){n, b})),
                    AT_READ_RAW, 0);
            at_model m;
            at_err err = {0};
            at_arena a;
            at_output y;
            double bound, in = x;
            at_arena_init(&a);
            assert_int_equal(at_assemble(P, &m, &bound, &err), AT_OK);
            assert_int_equal(at_run(&m, at_f64, &(at_input){1, &in}, NULL, &a, &y, &err), AT_OK);
            unsigned mask = (1u << n) - 1;
            assert_true(y.value[0] == ((x & mask) == mask) && y.value[1] == ((x & mask) != 0));
            at_arena_release(&a);
            at_model_release(&m);
            at_program_free(P);
        }
}

static void text_is(words w, const char *has)
{
    at_text t, again;
    at_err err = {0};
    at_program *P;
    at_text_init(&t);
    at_text_init(&again);
    assert_int_equal(at_program_print_exact(w.P, &t), AT_OK);
    assert_non_null(strstr(t.s, has));
    assert_int_equal(at_program_parse(&(at_program_text){"x", t.s, t.n, 1}, NULL, &P, &err), AT_OK);
    assert_int_equal(at_program_print_exact(P, &again), AT_OK);
    assert_string_equal(t.s, again.s);
    at_program_free(P);
    at_program_free(w.P);
    at_text_release(&t);
    at_text_release(&again);
}

static void test_text(void **state)
{
    (void)state;
    text_is(majority(AT_SOFTMAX, 0.5 / (N + 1), 0.5), "compare(");
    text_is(majority_normed(0.5 / (N + 1)),
            "at the last position normed 0.05555555555555555 read by threshold 0");
    static const char *const bad[] = {"(one, one) at the last position normed 1 read by threshold 0",
                                      "(one) at the last position normed 1 read by argmax",
                                      "(one) at the last position normed 1 read by threshold 1/2",
                                      "(one) at the last position normed 0 read by threshold 0",
                                      "(one) normed 1 read by threshold 0"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[256];
        at_program *P;
        at_err err = {0};
        int n = snprintf(
            text, sizeof text,
            "program p, lengths 1..4\n  input x: token 0..1\n  one = table of x (0, 1)\n  output %s\n",
            bad[k]);
        assert_int_equal(at_program_parse(&(at_program_text){"x", text, (size_t)n, 1}, NULL, &P, &err),
                         AT_EINPUT);
        if (!strstr(err.text, k < 4 ? "what is normed is one output" : "read"))
            fail_msg("%s: %s", bad[k], err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_majority), cmocka_unit_test(test_promise), cmocka_unit_test(test_parity),
        cmocka_unit_test(test_logic),    cmocka_unit_test(test_normed),  cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
