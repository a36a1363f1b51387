/* test_params.c: parameters: defaults, ranges, text in and out, and the words of every error. */
#include <attest/core.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const at_param schema[] = {
    {"N", "length", 1, 64, 6, true},
    {"M", "modulus", 2, 65536, 11, true},
    {"epsilon", "error", 0, 0.5, 0.1, false},
};

static at_params defaults(void)
{
    at_params p;
    at_params_init(&p, schema, 3);
    return p;
}

static void test_defaults(void **state)
{
    (void)state;
    at_params p = defaults();
    assert_true(at_params_has(&p, "N"));
    assert_false(at_params_has(&p, "n"));
    assert_false(at_params_has(&p, ""));
    assert_false(at_params_has(&p, "NN"));
    assert_int_equal(at_params_int(&p, "N"), 6);
    assert_int_equal(at_params_int(&p, "M"), 11);
    assert_true(at_params_get(&p, "epsilon") == 0.1);
    at_params_init(&p, schema, 0);
    assert_false(at_params_has(&p, "N"));
}

static void prints(const at_params *p, const char *expected)
{
    at_text t;
    at_text_init(&t);
    at_params_print(p, &t);
    assert_false(t.oom);
    assert_string_equal(t.s, expected);
    at_text_release(&t);
}

static void test_print_round_trip(void **state)
{
    (void)state;
    at_params p = defaults();
    prints(&p, "N=6 M=11 epsilon=0.1");
    at_err err = {0};
    assert_int_equal(at_params_parse(&p, "  epsilon=2.5e-1,M=65536\tN=+1 ", &err), AT_OK);
    prints(&p, "N=1 M=65536 epsilon=0.25");
    assert_int_equal(at_params_parse(&p, "", &err), AT_OK);
    prints(&p, "N=1 M=65536 epsilon=0.25");
    assert_int_equal(at_params_parse(&p, "epsilon=-0", &err), AT_OK);
    prints(&p, "N=1 M=65536 epsilon=0");

    at_rng r = at_rng_at(1, 0);
    for (int i = 0; i < 1000; i++) { /* canonical text reads back as the same value, bit for bit */
        at_params q = defaults();
        double v = ldexp(at_rng_unit(&r), -1 - (int)at_rng_below(&r, 60));
        assert_int_equal(at_params_set(&p, "epsilon", v, &err), AT_OK);
        at_text t;
        at_text_init(&t);
        at_params_print(&p, &t);
        assert_int_equal(at_params_parse(&q, t.s, &err), AT_OK);
        assert_true(at_params_get(&q, "epsilon") == v);
        at_text_release(&t);
    }
}

static void test_parse_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        at_status code;
        const char *words;
    } rows[] = {
        {"M=0", AT_EDOMAIN, "M=0: must be an integer in 2..65536"},
        {"M=65537", AT_EDOMAIN, "M=65537: must be an integer in 2..65536"},
        {"N=2 M=2.5", AT_EDOMAIN, "M=2.5: must be an integer in 2..65536"},
        {"M=1e99", AT_EDOMAIN, "M=1e99: must be an integer in 2..65536"},
        {"M=eleven", AT_EDOMAIN, "M=eleven: must be an integer in 2..65536"},
        {"M=nan", AT_EDOMAIN, "M=nan: must be an integer in 2..65536"},
        {"M=7x", AT_EDOMAIN, "M=7x: must be an integer in 2..65536"},
        {"epsilon=0.6", AT_EDOMAIN, "epsilon=0.6: must be a number in 0..0.5"},
        {"epsilon=inf", AT_EDOMAIN, "epsilon=inf: must be a number in 0..0.5"},
        {"m=7", AT_EINPUT, "unknown parameter 'm'; did you mean 'M'? (there are: N, M, epsilon)"},
        {"epsilom=0", AT_EINPUT,
         "unknown parameter 'epsilom'; did you mean 'epsilon'? (there are: N, M, epsilon)"},
        {"q=7", AT_EINPUT, "unknown parameter 'q' (there are: N, M, epsilon)"},
        {"N=2 N=3", AT_EINPUT, "parameter N is given twice"},
        {"N", AT_EINPUT, "'N': expected NAME=VALUE, as in N=6"},
        {"N=", AT_EINPUT, "'N=': expected NAME=VALUE, as in N=6"},
        {"=3", AT_EINPUT, "'=3': expected NAME=VALUE, as in N=6"},
        {"N = 3", AT_EINPUT, "'N': expected NAME=VALUE, as in N=6"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        at_params p = defaults();
        at_err err = {0};
        assert_int_equal(at_params_parse(&p, rows[i].text, &err), rows[i].code);
        assert_string_equal(err.text, rows[i].words);
        prints(&p, "N=6 M=11 epsilon=0.1"); /* a failed parse changes nothing */
    }
    char longer[5000]; /* and no text is too long */
    memset(longer, 'z', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    at_params p = defaults();
    at_err err = {0};
    assert_int_equal(at_params_parse(&p, longer, &err), AT_EINPUT);
    longer[100] = '=';
    err = (at_err){0};
    assert_int_equal(at_params_parse(&p, longer, &err), AT_EINPUT);
    memcpy(longer, "N=", 2);
    err = (at_err){0};
    assert_int_equal(at_params_parse(&p, longer, &err), AT_EDOMAIN);
}

static void test_set_errors(void **state)
{
    (void)state;
    at_params p = defaults();
    at_err err = {0};
    assert_int_equal(at_params_set(&p, "N", 64, &err), AT_OK);
    assert_int_equal(at_params_set(&p, "N", 65, &err), AT_EDOMAIN);
    assert_string_equal(err.text, "N=65: must be an integer in 1..64");
    err = (at_err){0};
    assert_int_equal(at_params_set(&p, "N", 1.5, &err), AT_EDOMAIN);
    assert_string_equal(err.text, "N=1.5: must be an integer in 1..64");
    assert_int_equal(at_params_set(&p, "epsilon", NAN, NULL), AT_EDOMAIN);
    assert_int_equal(at_params_set(&p, "epsilon", INFINITY, NULL), AT_EDOMAIN);
    assert_int_equal(at_params_set(&p, "eps", 0, NULL), AT_EINPUT);
    assert_int_equal(at_params_int(&p, "N"), 64);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"red", "green", "blue"};
    static const at_param rows[] = {{"colour", "", 4, 6, 5, true, names}};
    at_params p;
    at_err err = {0};
    at_params_init(&p, rows, 1);
    at_text t;
    at_text_init(&t);
    assert_int_equal(at_params_parse(&p, "colour=blue", &err), AT_OK);
    assert_int_equal(at_params_int(&p, "colour"), 6);
    at_params_print(&p, &t);
    assert_string_equal(t.s, "colour=blue");
    assert_int_equal(at_params_parse(&p, "colour=bleu", &err), AT_EDOMAIN);
    assert_string_equal(err.text, "colour=bleu: did you mean 'blue'? (there are: red, green, blue)");
    err = (at_err){0};
    assert_int_equal(at_params_parse(&p, "colour=5", &err), AT_EDOMAIN); /* names are written, not numbers */
    assert_int_equal(at_params_parse(&p, "colour=", NULL), AT_EINPUT);
    assert_int_equal(at_params_int(&p, "colour"), 6);
    at_text_release(&t);
}

static void test_sweeps(void **state)
{
    (void)state;
    static const at_param rows[] = {
        {"a", "", 0, 9, 3, true}, {"x", "", 0, 1, 0.5, false}, {"b", "", 0, 9, 2, true}};
    at_sweep w;
    at_params p;
    at_err err = {0};
    at_text t;
    at_text_init(&t);
    at_sweep_init(&w, rows, 3);
    assert_int_equal(at_sweep_count(&w), 1);
    assert_int_equal(at_sweep_parse(&w, "a=0..2 b=4..5", &err), AT_OK);
    assert_int_equal(at_sweep_count(&w), 6);
    for (int k = 0; k < 6; k++) {
        at_sweep_nth(&w, (uint64_t)k, &p);
        assert_int_equal(at_params_int(&p, "a"), k / 2);
        assert_int_equal(at_params_int(&p, "b"), 4 + k % 2);
    }
    at_sweep_print(&w, &t);
    assert_string_equal(t.s, "a=0..2 x=0.5 b=4..5");
    assert_int_equal(at_sweep_parse(&w, "a=7", &err), AT_OK); /* a value takes the range away */
    assert_int_equal(at_sweep_count(&w), 2);
    static const char *const bad[] = {"a=2..1",    "a=0..10", "a=..",       "a=1..",
                                      "a=1..2..3", "x=0..1",  "a=1..2 a=3", "a=0...0"};
    for (int k = 0; k < 8; k++)
        assert_int_not_equal(at_sweep_parse(&w, bad[k], NULL), AT_OK);
    assert_int_equal(at_sweep_parse(&w, "a=2..1", &err), AT_EDOMAIN);
    assert_string_equal(err.text, "a=2..1: must be an integer in 0..9, or a rising range of them as in 1..3");
    assert_int_equal(at_sweep_count(&w), 2);
    assert_int_not_equal(at_params_parse(&p, "a=1..2", NULL), AT_OK); /* a point has no ranges */
    at_text_release(&t);
}

/* A range among assignments that are not parsed yet, and one of them put to a value. */
static void test_assignments(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int at; /* -1: none is a range */
        int lo, hi;
    } rows[] = {{"k=2,n=4..9 m=1..2", 4, 4, 9},
                {"n=-3..3", 0, -3, 3},
                {"n=4", -1, 0, 0},
                {"", -1, 0, 0},
                {"n=..3", -1, 0, 0},
                {"n=1..", -1, 0, 0},
                {"a..b", -1, 0, 0},
                {"x=1...3", -1, 0, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        size_t name = 0;
        int64_t lo = 0, hi = 0;
        const char *found = at_assignments_range(rows[k].text, &name, &lo, &hi);
        assert_int_equal(found ? found - rows[k].text : -1, rows[k].at);
        if (found)
            assert_true(name == 1 && lo == rows[k].lo && hi == rows[k].hi);
    }
    assert_null(at_assignments_range(NULL, &(size_t){0}, &(int64_t){0}, &(int64_t){0}));
    at_text t;
    at_text_init(&t);
    at_assignments_put("k=2,n=4..9 nn=7", "n", 1, 5, &t);
    assert_string_equal(t.s, "k=2 nn=7 n=5");
    at_text_release(&t);
    at_text_init(&t);
    at_assignments_put(NULL, "n=4..9", 1, 0.5, &t);
    assert_string_equal(t.s, "n=0.5");
    at_text_release(&t);
}

/* The shortest decimal that reads back: never 0.029999999999999999. */
static void test_exact_numbers(void **state)
{
    (void)state;
    static const struct {
        double x;
        const char *s;
    } rows[] = {{0.03, "0.03"},  {0.1 + 0.2, "0.30000000000000004"},
                {-0.5, "-0.5"},  {1e6, "1000000"},
                {1e15, "1e+15"}, {0, "0"},
                {1e-9, "1e-09"}, {5e-324, "5e-324"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char s[32];
        assert_string_equal(at_number_exact(s, rows[k].x), rows[k].s);
        assert_true(strtod(s, NULL) == rows[k].x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_defaults),     cmocka_unit_test(test_print_round_trip),
        cmocka_unit_test(test_parse_errors), cmocka_unit_test(test_set_errors),
        cmocka_unit_test(test_assignments),  cmocka_unit_test(test_exact_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
