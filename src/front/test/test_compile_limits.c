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
        for (int kind = 0; kind < AT_ATTENTIONS; kind++) {
            at_dp *d = weighted(factors[f]);
            at_dp_instance *x = bound(d, N);
            at_model m;
            at_err err = {0};
            if (at_dp_model(x, &(at_dp_options){(at_attention_kind)kind}, &m, &err))
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
    for (int kind = 0; kind < AT_ATTENTIONS; kind++) {
        at_dp_options o = {(at_attention_kind)kind};
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

/* ---- selections over large values ------------------------------------------------------------------------- */

/* What a recurrence over values in 0..top makes of the first value and the next input. */
typedef struct {
    const char *rule; /* of x and y, and the constant M = top + 1 */
    double (*step)(double y, double x, double top);
} folding;

static double sum_modulo(double y, double x, double top)
{
    return y + x >= top + 1 ? y + x - (top + 1) : y + x;
}

static double larger(double y, double x, double top)
{
    (void)top;
    return x >= y ? x : y;
}

static const folding foldings[] = {
    {"let t = x + y\ns = max(0, min(%lld, if t >= %lld then t - %lld else t))\n", sum_modulo},
    {"s = if x >= y then x else y\n", larger},
};

static at_dp *folded(const folding *f, int64_t top)
{
    char text[500], rule[200];
    snprintf(rule, sizeof rule, f->rule, (long long)top, (long long)top + 1, (long long)top + 1);
    snprintf(text, sizeof text,
             "problem \"fold\"\nsize n in 1..9\ninput a[n] in 0..%lld\nstate i in 1..n\nvalue s in 0..%lld\n"
             "take x = a[i]\nneed p = (i-1) when i > 1\nlet y = if i > 1 then p.s else 0\n%sanswer s\n",
             (long long)top, (long long)top, rule);
    return parsed(text);
}

/* Prompts whose comparisons are decided by the last unit; 3 inputs. */
static double input_near(at_rng *r, double last, double top)
{
    double d[] = {top, top - 1, 0, 1, last, last + 1, top - last, top + 1 - last, top - 1 - last, last - 1};
    double x = d[at_rng_below(r, sizeof d / sizeof *d)];
    return x < 0 ? 0 : x > top ? top : x;
}

/* A refusal stands at a line of the file, from the first declaration to the answer, and names no step by a name that is not
 * in it: steps of the compiler are t0, t1, ... */
static void place_check(const char *text)
{
    int line = 0, column = 0, n = 0, digits = 0;
    if (sscanf(text, "t.dp:%d:%d: %n", &line, &column, &n) < 2 || !n || line < 3 || line > 10 || column < 1)
        fail_msg("no place: %s", text);
    for (const char *t = strstr(text + n, " t"); t; t = strstr(t + 1, " t"))
        if (sscanf(t, " t%*d%n", &digits) == 0 && digits > 2)
            fail_msg("a step of the compiler: %s", text);
}

/* Compiles for the arithmetic and runs in it; -1 refused, else whether all chains are right. */
static int fold_right(const folding *f, int64_t top, at_arith arith, int kind)
{
    enum { N = 3 };
    at_dp *d = folded(f, top);
    at_dp_instance *x = bound(d, N);
    at_model m;
    at_err err = {0};
    int right = -1;
    at_status s = at_dp_model(x, &(at_dp_options){(at_attention_kind)kind, .arith = &arith}, &m, &err);
    if (s && (s != AT_EDOMAIN || !strstr(err.text, "error")))
        fail_msg("%s", err.text);
    if (s)
        place_check(err.text);
    for (uint64_t k = 0; !s && k < 40 && right; k++) {
        at_arena a;
        at_arena_init(&a);
        at_rng r = at_rng_at(5, k);
        double prompt[(N + 1) * 4] = {0}, *rows, least, want = 0, last = (double)top;
        int n;
        for (int i = 0; i < N; i++)
            last = prompt[4 * i] = input_near(&r, last, (double)top);
        if (at_generate(&m, arith, &(at_input){N + 1, prompt}, &a, &rows, &n, &least, &err))
            fail_msg("%s", err.text);
        right = n == N + 1;
        for (int i = 0; i < N && right; i++) {
            want = f->step(want, prompt[4 * i], (double)top);
            right = rows[4 * i + 2] == want;
        }
        right = right && rows[4 * N + 3] == want;
        at_arena_release(&a);
    }
    if (!s)
        at_model_release(&m);
    at_dp_instance_free(x);
    at_dp_free(d);
    return right;
}

/* Right or refused at every range, in every arithmetic and attention; right as far as there are bits for it. */
static void test_selections(void **state)
{
    (void)state;
    static const struct {
        at_arith arith;
        double right,
            mean; /* up to here it must be right: copied, or the count times a mean (linear, sparse) */
    } run[] = {{{AT_F64, 0, 0}, 0x1p36, 0x1p36},
               {{AT_F32, 0, 0}, 0x1p18, 0x1p9},
               {{AT_PBIT, 40, 10}, 0x1p33, 0x1p24}};
    int refusals = 0;
    for (int f = 0; f < 2; f++)
        for (int a = 0; a < 3; a++)
            for (int kind = 0; kind < AT_ATTENTIONS; kind++)
                for (int64_t top = 15; top < 0x1p39; top = 8 * top + 1) {
                    int right = fold_right(&foldings[f], top, run[a].arith, kind);
                    double sure = kind == AT_ATTENTION_LINEAR || kind == AT_ATTENTION_SPARSE ? run[a].mean
                                                                                             : run[a].right;
                    refusals += right < 0;
                    if (right == 0 || (right < 0 && (double)top < sure))
                        fail_msg("rule %d, arithmetic %d, %s, top %lld: %s", f, a, at_attention_names[kind],
                                 (long long)top, right ? "refused" : "wrong");
                }
    assert_true(refusals > 0);
    /* as it was met: 1000000000 + 999999999 modulo 1000000007 */
    assert_int_equal(fold_right(&foldings[0], 1000000006, at_f64, AT_ATTENTION_STANDARD), 1);
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
    for (int kind = 0; kind < AT_ATTENTIONS; kind++) {
        at_dp_options o = {(at_attention_kind)kind};
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

/* Rounding: a comparison that cannot see its integer any more, and a rule that is too vague for its row. */
static void test_places(void **state)
{
    (void)state;
    at_dp_options o = {AT_ATTENTION_STANDARD, .arith = &at_f32};
    refused(
        "problem \"add mod\"\nsize n in 1..9\ninput a[n] in 0..9999998\nstate i in 1..n\n"
        "value s in 0..9999998\ntake x = a[i]\nneed p = (i-1) when i > 1\nlet y = if i > 1 then p.s else 0\n"
        "let t = x + y\ns = max(0, min(9999998, if t >= 9999999 then t - 9999999 else t))\nanswer s\n",
        2, &o,
        "t.dp:10:28: this step: its argument, in -9999999..9999997, has error 4.17 in f32, at least 1/2 of "
        "an integer");
    at_dp *d = parsed(HEAD "value v in 0..900000000\nv = max(0, 100000000*x)\nanswer v\n");
    at_dp_instance *x = bound(d, 3);
    at_model m;
    at_err err = {0};
    assert_int_equal(at_dp_model(x, &o, &m, &err), AT_EDOMAIN);
    if (strncmp(err.text, "t.dp:8:8: this, in 0..900000000, has an error of up to ", 55))
        fail_msg("%s", err.text);
    at_dp_instance_free(x);
    at_dp_free(d);
}

/* With nothing left a construction is no broken one, and 0 means "as it should be". */
static void test_fewer(void **state)
{
    (void)state;
    static const char text[] = HEAD "value v in 0..9\nv = x\nanswer v\n";
    /* n = 2: L = 6, W = 3, 2 blocks; every row needs the 3 before it */
    refused(text, 2, &(at_dp_options){AT_ATTENTION_LINEAR, 0, 2},
            "t.dp: 2 fewer, and there are only 2; one must be left");
    refused(text, 2, &(at_dp_options){AT_ATTENTION_SPARSE, 0, 3},
            "t.dp: 3 fewer, and there are only 3; one must be left");
    refused(text, 2, &(at_dp_options){AT_ATTENTION_LOCAL, 0, 3},
            "t.dp: 3 fewer, and there are only 3; one must be left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_large),      cmocka_unit_test(test_compared),
                                       cmocka_unit_test(test_selections), cmocka_unit_test(test_too_large),
                                       cmocka_unit_test(test_places),     cmocka_unit_test(test_fewer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
