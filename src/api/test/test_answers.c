/* test_answers.c: the promised calls that examine, extract, share out and map, beside brute force that stands here. Models that are
 * wrong must be called wrong. */
#include <attest.h>
#include <attest/core.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static at_err err;

static void works(at_status s)
{
    if (s)
        fail_msg("%s", err.text);
}

static void refused(at_status s, at_status kind, const char *words)
{
    assert_int_equal(s, kind);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static at_net *match2(const char *set)
{
    at_net *net;
    works(at_net_build("match2", set, &net, &err));
    return net;
}

static double *tensor(const at_net *net, const char *wanted)
{
    const char *name;
    for (int i = 0; i < at_net_tensors(net); i++) {
        double *w = at_net_tensor(net, i, &name, NULL, NULL);
        if (strcmp(name, wanted) == 0)
            return w;
    }
    fail_msg("no %s", wanted);
    return NULL;
}

/* Of a net that always says yes, all pairs of residues modulo 5 up to order, each once: how many positions are right? */
static void test_eval(void **state)
{
    (void)state;
    enum { M = 5 };
    at_net *net = match2("N=2 M=5");
    at_result *r;
    int right = 0, of = 0;
    for (int a = 0; a < M; a++)
        for (int b = a; b < M; b++, of += 2) {
            right += a == 0 || (a + b) % M == 0;
            right += b == 0 || (a + b) % M == 0;
        }
    works(at_net_eval(net, NULL, NULL, NULL, NULL, &r, &err));
    assert_true(at_result_number(r, "answer_accuracy") == 1 && at_result_number(r, "chain_accuracy") == 1);
    assert_true(at_result_number(r, "whole") == 1);
    assert_string_equal(at_result_text(r, "problem"), "match2");
    at_result_free(r);
    tensor(net, "readout.b")[0] += 10;
    works(at_net_eval(net, "match2", "N=2 M=5", "count=100 precision=f64", NULL, &r, &err));
    assert_true(at_result_number(r, "positions") == of);
    assert_true(at_result_number(r, "positions_right") == right);
    assert_true(at_result_number(r, "answer_accuracy") == (double)right / of);
    at_result_free(r);
    refused(at_net_eval(net, NULL, NULL, "split=most", NULL, &r, &err), AT_EINPUT, "train, test or all");
    refused(at_net_eval(net, "lis", NULL, NULL, NULL, &r, &err), AT_EREFUSED, "");
    refused(at_net_eval(net, NULL, NULL, "coumt=3", NULL, &r, &err), AT_EINPUT, "count");
    at_net_free(net);
    works(at_net_compile("arithmetic", "p=5 operators=2", NULL, &net, &err)); /* rows of tokens */
    works(at_net_eval(net, NULL, NULL, "count=50 split=all", NULL, &r, &err));
    assert_true(at_result_number(r, "chain_accuracy") == 1 && at_result_number(r, "prompts") > 10);
    at_result_free(r);
    at_net_free(net);
}

/* What comes out goes in again, and is the same language; another one is not. */
static void test_extract(void **state)
{
    (void)state;
    static const char *const to[] = {"dfa", "ltl", "brasp"};
    at_net *net, *again, *other;
    at_result *r, *e;
    works(at_net_compile("(ab)*", "N=6", "kind=regex", &net, &err));
    works(at_net_compile("(ab)*a?", "N=6", "kind=regex", &other, &err));
    for (int k = 0; k < 3; k++) {
        char how[32] = "kind=";
        works(at_net_extract(net, to[k], NULL, &r, &err));
        assert_string_equal(at_result_text(r, "to"), to[k]);
        works(at_net_compile(at_result_text(r, "text"), "N=6", strcat(how, to[k]), &again, &err));
        works(at_net_equal(net, again, "exact=1 lengths=0..6", NULL, &e, &err));
        assert_true(at_result_number(e, "equal") == 1);
        at_result_free(e);
        works(at_net_equal(other, again, "exact=1 lengths=0..6", NULL, &e, &err));
        assert_true(at_result_number(e, "equal") == 0);
        at_result_free(e);
        at_result_free(r);
        at_net_free(again);
    }
    works(at_net_extract(net, "circuit", "length=4", &r, &err));
    assert_non_null(strstr(at_result_text(r, "text"), ".model attest"));
    assert_true(at_result_number(r, "depth") > 0);
    at_result_free(r);
    refused(at_net_extract(net, "circuit", NULL, &r, &err), AT_EINPUT, "length=N");
    refused(at_net_extract(net, "dfa", "length=4", &r, &err), AT_EINPUT, "all lengths");
    refused(at_net_extract(net, "poem", NULL, &r, &err), AT_EINPUT, "dfa, ltl");
    at_net_free(net);
    at_net_free(other);
    net = match2("N=4 M=5");
    refused(at_net_extract(net, "dfa", NULL, &r, &err), AT_EREFUSED, "");
    at_net_free(net);
}

/* In how many words of up to `longest` letters a and b two nets differ, each in its own arithmetic; *yes: those that the first accepts. */
static int differ(const at_net *a, const char *at, const at_net *b, const char *bt, int longest, int *yes)
{
    int count = 0;
    *yes = 0;
    for (int n = 0; n <= longest; n++)
        for (int word = 0; word < 1 << n; word++) {
            double x[8] = {0}, one, two;
            for (int i = 0; i < n; i++)
                x[i] = word >> i & 1;
            works(at_net_run(a, x, n, at, &one, NULL, NULL, &err));
            works(at_net_run(b, x, n, bt, &two, NULL, NULL, &err));
            count += one != two;
            *yes += one == 1;
        }
    return count;
}

/* Counts of a softmax model at three bits, as a program: it says in f64 what the model does at three bits, and not what it does in f64. */
static void test_counts(void **state)
{
    (void)state;
    static const char text[] = "alphabet a b\naccept end\n2 #[Q_a] > #[Q_b] + 1";
    at_net *net, *again;
    at_result *r;
    int yes;
    works(at_net_compile(text, "N=7", "kind=crasp", &net, &err));
    works(at_net_extract(net, "crasp", "precision=q3e5", &r, &err));
    assert_string_equal(at_result_text(r, "to"), "crasp");
    assert_true(at_result_number(r, "inequalities") > 0 && at_result_number(r, "values") > 0);
    works(at_net_compile(at_result_text(r, "text"), "N=7", "kind=crasp", &again, &err));
    assert_int_equal(differ(net, "q3e5", again, "f64", 7, &yes), 0);
    assert_in_range(yes, 1, 254);
    assert_true(differ(net, "f64", again, "f64", 7, &yes) > 0);
    at_result_free(r);
    refused(at_net_extract(net, "crasp", NULL, &r, &err), AT_EREFUSED, "");
    at_net_free(net);
    at_net_free(again);
}

/* The example of docs/protocols.md. */
static void test_protocol(void **state)
{
    (void)state;
    at_net *net = match2("N=4 M=17");
    double x[] = {3, 14, 5, 12}, value[4];
    at_result *r;
    works(at_net_protocol(net, "BAAB", x, 4, NULL, &r, &err));
    assert_string_equal(at_result_text(r, "verdict"), "holds");
    assert_true(at_result_number(r, "sent.0") == 2932 && at_result_number(r, "sent.1") == 2168);
    assert_true(at_result_number(r, "bits") == 2932 + 2168);
    works(at_net_run(net, x, 4, "p24e8", NULL, NULL, value, &err));
    assert_true(at_result_number(r, "values.2.0") == value[2]);
    at_result_free(r);
    works(at_net_protocol(net, "3", x, 4, "precision=p8e5", &r, &err));
    assert_string_equal(at_result_text(r, "parties"), "ABCA");
    assert_string_equal(at_result_text(r, "verdict"), "holds");
    at_result_free(r);
    refused(at_net_protocol(net, "BAA", x, 4, NULL, &r, &err), AT_EINPUT, "3 positions");
    refused(at_net_protocol(net, "1", x, 4, NULL, &r, &err), AT_EDOMAIN, "2..26");
    refused(at_net_protocol(net, "5", x, 4, NULL, &r, &err), AT_EINPUT, "cannot be dealt");
    refused(at_net_protocol(net, "ACCA", x, 4, NULL, &r, &err), AT_EINPUT, "none B");
    refused(at_net_protocol(net, "BAAB", x, 4, "precision=f64", &r, &err), AT_EREFUSED, "p-bit");
    refused(at_net_protocol(net, "BAAB", (double[]){3, 14, 5, 17}, 4, NULL, &r, &err), AT_EDOMAIN, "17");
    at_net_free(net);
}

static void test_map(void **state)
{
    (void)state;
    at_result *r;
    works(at_map_read("match2", NULL, NULL, &r, &err));
    assert_true(at_result_number(r, "contradictions") == 0);
    assert_non_null(at_result_text(r, "panels.0.verdict"));
    assert_true(at_result_number(r, "panels.0.points.construction.0.1") > 0);
    at_result_free(r);
    /* The linear decoder of lis has all that a panel may have. */
    works(at_map_read("lis", NULL, NULL, &r, &err));
    static const char *const texts[] = {"architecture", "task",         "size",    "unit",   "bound",
                                        "bits",         "construction", "trained", "verdict"};
    static const char *const numbers[] = {"gap", "ratio", "ratio_at"};
    char name[64];
    int panel = 0;
    do
        snprintf(name, sizeof name, "panels.%d.architecture", panel++);
    while (at_result_text(r, name) && strcmp(at_result_text(r, name), "linear") != 0);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        snprintf(name, sizeof name, "panels.%d.%s", panel - 1, texts[k]);
        assert_non_null(at_result_text(r, name));
    }
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        snprintf(name, sizeof name, "panels.%d.%s", panel - 1, numbers[k]);
        assert_true(at_result_number(r, name) >= 1);
    }
    at_result_free(r);
    refused(at_map_read(NULL, "N=3", NULL, &r, &err), AT_EINPUT, "none is named");
    refused(at_map_read("match22", NULL, NULL, &r, &err), AT_EINPUT, "match2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_eval), cmocka_unit_test(test_extract),
                                       cmocka_unit_test(test_counts), cmocka_unit_test(test_protocol),
                                       cmocka_unit_test(test_map)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
