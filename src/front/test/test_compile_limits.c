/* test_compile_limits.c: recurrences with large numbers: right as far as doubles are, refused beyond, at the place in the
 * file; and options that leave out more than there is. */
#include <attest/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static at_dp *parsed(const char *text)
{
    at_dp *d;
    at_err err = {0};
    if (at_dp_parse(text, strlen(text), "t.dp", &d, &err))
        fail_msg("%s", err.text);
    return d;
}

static at_dp_instance *bound(const at_dp *d, int64_t n)
{
    at_dp_instance *x;
    at_err err = {0};
    if (at_dp_bind(d, &n, &x, &err))
        fail_msg("%s", err.text);
    return x;
}

/* A rule that multiplies what is copied by `factor`, and values that grow with it. */
static at_dp *weighted(int64_t factor)
{
    char text[400];
    snprintf(text, sizeof text,
             "problem \"weighted sum\"\nsize n in 1..100\ninput a[n] in 0..9\nstate i in 1..n\n"
             "value v in 0..%lld*n\ntake x = a[i]\nneed p = (i-1) when i > 1\n"
             "v = min(%lld*i, %lld*x + if i > 1 then p.v else 0)\nanswer v\n",
             9LL * factor, 9LL * factor, (long long)factor);
    return parsed(text);
}

/* Errors of copies, multiplied by the rule, must still vanish when rows are rounded. */
static void test_large(void **state)
{
    (void)state;
    enum { N = 8 };
    static const int64_t factors[] = {1, 1000, 100000, 11111111, 11111111111};
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
        for (int kind = 0; kind < AT_DP_ATTENTIONS; kind++) {
            at_dp *d = weighted(factors[f]);
            at_dp_instance *x = bound(d, N);
            at_model m;
            at_err err = {0};
            if (at_dp_model(x, &(at_dp_options){(at_dp_attention)kind}, &m, &err))
                fail_msg("%s", err.text);
            for (uint64_t k = 0; k < 20; k++) {
                at_arena a;
                at_arena_init(&a);
                at_rng r = at_rng_at(3, k);
                double prompt[(N + 1) * 4] = {0}, *rows, least, want = 0;
                int n;
                for (int i = 0; i < N; i++)
                    prompt[4 * i] = (double)at_rng_below(&r, 10);
                if (at_generate(&m, at_f64, &(at_input){N + 1, prompt}, &a, &rows, &n, &least, &err))
                    fail_msg("%s", err.text);
                assert_int_equal(n, N + 1);
                for (int i = 0; i < N; i++) {
                    want += (double)factors[f] * prompt[4 * i];
                    assert_true(rows[4 * i + 1] == i + 1 && rows[4 * i + 2] == want);
                }
                assert_true(rows[4 * N + 3] == want);
                assert_true(least > 0.25);
                at_arena_release(&a);
            }
            at_model_release(&m);
            at_dp_instance_free(x);
            at_dp_free(d);
        }
}

/* A comparison of what was multiplied: its argument must be exact enough too. */
static void test_compared(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_DP_ATTENTIONS; kind++) {
        at_dp_options o = {(at_dp_attention)kind};
        at_dp *d =
            parsed("problem \"p\"\nsize n in 1..9\ninput a[n] in 0..9\nstate i in 1..n\nvalue v in 0..1\n"
                   "take x = a[i]\nv = if 1000000*x > 4999999 then 1 else 0\nanswer v\n");
        at_dp_instance *x = bound(d, 2);
        at_model m;
        at_arena a;
        at_arena_init(&a);
        double prompt[3 * 4] = {[0] = 5, [4] = 4}, *rows, least;
        int n;
        at_err err = {0};
        if (at_dp_shape(x, &o, &m, &err))
            fail_msg("%s", err.text);
        at_model_release(&m);
        if (at_dp_model(x, &o, &m, &err) ||
            at_generate(&m, at_f64, &(at_input){3, prompt}, &a, &rows, &n, &least, &err))
            fail_msg("%s", err.text);
        assert_true(n == 3 && rows[2] == 1 && rows[6] == 0 && rows[11] == 0);
        at_model_release(&m);
        at_arena_release(&a);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
}

static void refused(const char *text, int64_t n, const at_dp_options *o, const char *words)
{
    at_dp *d = parsed(text);
    at_dp_instance *x = bound(d, n);
    at_model m;
    at_err err = {0};
    assert_int_equal(at_dp_model(x, o, &m, &err), AT_EDOMAIN);
    assert_string_equal(err.text, words);
    err = (at_err){0};
    assert_int_equal(at_dp_shape(x, o, &m, &err), AT_EDOMAIN);
    assert_string_equal(err.text, words);
    at_dp_instance_free(x);
    at_dp_free(d);
}

#define HEAD "problem \"p\"\nsize n in 1..2000000\ninput a[n] in 0..9\nstate i in 1..n\ntake x = a[i]\n"

static void test_too_large(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_DP_ATTENTIONS; kind++) {
        at_dp_options o = {(at_dp_attention)kind};
        refused(HEAD "value v in 0..1099511627777\nv = x\nanswer v\n", 3, &o,
                "t.dp:6:7: v lies in 0..1099511627777 at these sizes; compiled are numbers in -2^40..2^40");
        refused(HEAD "value v in 0..9\nv = x*200000000000 mod 7\nanswer v\n", 3, &o,
                "t.dp:7:5: this can be 0..1800000000000 at these sizes; compiled are numbers in -2^40..2^40");
        refused(HEAD "value v in 0..9\nv = x mod 2147483648\nanswer v\n", 3, &o,
                "t.dp:7:11: the modulus must be a constant in 1..2147483647");
        refused(HEAD "value v in 0..9\nv = x\nanswer v\n", 600000, &o,
                "t.dp:2:6: L = 1200002 rows at these sizes; at most 1048576");
    }
}

/* With nothing left a construction is no broken one, and 0 means "as it should be". */
static void test_fewer(void **state)
{
    (void)state;
    static const char text[] = HEAD "value v in 0..9\nv = x\nanswer v\n";
    /* n = 2: L = 6, W = 3, 2 blocks; every row needs the 3 before it */
    refused(text, 2, &(at_dp_options){AT_DP_LINEAR, 0, 2},
            "t.dp: 2 fewer, and there are only 2; one must be left");
    refused(text, 2, &(at_dp_options){AT_DP_SPARSE, 0, 3},
            "t.dp: 3 fewer, and there are only 3; one must be left");
    refused(text, 2, &(at_dp_options){AT_DP_LOCAL, 0, 3},
            "t.dp: 3 fewer, and there are only 3; one must be left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_large), cmocka_unit_test(test_compared),
                                       cmocka_unit_test(test_too_large), cmocka_unit_test(test_fewer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
