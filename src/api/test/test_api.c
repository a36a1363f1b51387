/* test_api.c: the promised calls, beside what they stand for.
 *
 * What they find is judged by brute force that stands here, or by the workshop's own calls; wrong models must be called wrong. */
#include <attest.h>
#include <attest/core.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../core/test/test_folder.h"

static at_err err;

#define works(call)                                                                                          \
    do {                                                                                                     \
        if (call)                                                                                            \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)
/* A failure of this kind, in words that hold these. */
#define refused(call, kind, words)                                                                           \
    do {                                                                                                     \
        assert_int_equal(call, kind);                                                                        \
        assert_int_equal(err.code, kind);                                                                    \
        if (!strstr(err.text, words))                                                                        \
            fail_msg("%s: '%s' does not say '%s'", #call, err.text, words);                                  \
    } while (0)

static at_net *match2(const char *set)
{
    at_net *net;
    works(at_net_build("match2", set, &net, &err));
    return net;
}

/* Which of n residues have a partner modulo M (themselves too), by looking. */
static void pairs(const double *x, int n, int M, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++)
            if ((int)(x[i] + x[j]) % M == 0)
                y[i] = 1;
    }
}

/* ---- running ------------------------------------------------------------------------------------------------- */

static void test_run(void **state)
{
    (void)state;
    at_net *net = match2("N=8 M=17");
    double x[] = {3, 14, 5}, y[3], margin[3], value[3];
    int width, positions, decisions, values;
    at_net_shape(net, 3, &width, &positions, &decisions, &values);
    assert_int_equal(width, 1);
    assert_int_equal(positions, 3);
    assert_int_equal(decisions, 1);
    assert_int_equal(values, 1);
    static const char *const precisions[] = {NULL, "", "f64", "f32", "p20", "ball"};
    for (size_t k = 0; k < sizeof precisions / sizeof *precisions; k++) {
        works(at_net_run(net, x, 3, precisions[k], y, margin, value, &err));
        assert_true(y[0] == 1 && y[1] == 1 && y[2] == 0);
        assert_true(margin[0] > 0.1 && isfinite(value[2]));
    }
    works(at_net_run(net, x, 3, NULL, NULL, NULL, NULL, &err));
    works(at_net_run(net, x, 3, NULL, y, NULL, NULL, NULL)); /* err may be NULL */
    refused(at_net_run(net, x, 9, NULL, y, NULL, NULL, &err), AT_EDOMAIN, "9");
    refused(at_net_run(net, x, -1, NULL, y, NULL, NULL, &err), AT_EDOMAIN, "-1 positions");
    refused(at_net_run(net, x, 3, "exact", y, NULL, NULL, &err), AT_EREFUSED, "softmax");
    refused(at_net_run(net, x, 3, "f16", y, NULL, NULL, &err), AT_EINPUT, "f16");
    refused(at_net_run(net, (double[]){3, 17}, 2, NULL, y, NULL, NULL, &err), AT_EDOMAIN, "17");
    works(at_net_run(net, x, 3, NULL, y, NULL, NULL, &err)); /* and the next call knows nothing of that */
    assert_int_equal(err.code, AT_OK);
    assert_string_equal(err.text, "");
    at_net_free(net);
}

/* A value nearer to the threshold than its ball is wide is not decided: that is NaN, and no number. */
static void test_undecided(void **state)
{
    (void)state;
    at_net *net = match2("N=4 M=5");
    double x[] = {1, 4}, y[2], value[2];
    works(at_net_run(net, x, 2, NULL, NULL, NULL, value, &err));
    for (int i = 0; i < at_net_tensors(net); i++) {
        const char *name;
        double *w = at_net_tensor(net, i, &name, NULL, NULL);
        if (strcmp(name, "readout.b") == 0)
            w[0] += 0.5 - value[0];
    }
    works(at_net_run(net, x, 2, "ball24", y, NULL, NULL, &err));
    assert_true(isnan(y[0]));
    at_net_free(net);
}

static void test_many(void **state)
{
    (void)state;
    enum { N = 5, M = 7, COUNT = 300 };
    static double x[COUNT][N], y[COUNT][N], one[N], margin[COUNT][N], value[COUNT][N], right[N];
    at_net *net = match2("N=8 M=7");
    at_env *env;
    at_rng r = at_rng_at(3, 0);
    for (int k = 0; k < COUNT; k++)
        for (int i = 0; i < N; i++)
            x[k][i] = (double)at_rng_below(&r, M);
    works(at_env_new(&env, &err));
    static const char *const how[] = {"threads=1", "threads=3"}, *const precision[] = {"f64", "f32", "p24"};
    for (int t = 0; t < 6; t++) {
        works(at_env_set(env, how[t % 2], &err));
        works(at_net_runs(net, &x[0][0], N, COUNT, precision[t / 2], env, &y[0][0], &margin[0][0],
                          &value[0][0], &err));
        for (int k = 0; k < COUNT; k++) {
            pairs(x[k], N, M, right);
            works(at_net_run(net, x[k], N, precision[t / 2], one, NULL, NULL, &err));
            assert_memory_equal(y[k], right, sizeof right);
            assert_memory_equal(y[k], one, sizeof one);
            assert_true(margin[k][0] > 0);
        }
    }
    x[200][2] = M; /* one that is none among many */
    refused(at_net_runs(net, &x[0][0], N, COUNT, NULL, NULL, &y[0][0], NULL, NULL, &err), AT_EDOMAIN,
            "position 3");
    works(at_net_runs(net, &x[0][0], N, 0, NULL, NULL, &y[0][0], NULL, NULL, &err));
    at_env_free(env);
    at_net_free(net);
}

static void test_words(void **state)
{
    (void)state;
    at_net *net;
    double *x, y;
    char *line;
    int n;
    works(at_net_compile("(ab)*", "N=8", "kind=regex", &net, &err));
    static const char *const words[] = {"abab", "aba", ""}, *const lines[] = {"a b a b", "a b a", ""};
    for (int k = 0; k < 3; k++) {
        works(at_net_read(net, words[k], &x, &n, &err));
        assert_int_equal(n, (int)strlen(words[k]));
        works(at_net_run(net, x, n, NULL, &y, NULL, NULL, &err));
        assert_string_equal(at_net_word(net, y), k == 1 ? "no" : "yes");
        works(at_net_say(net, x, n, false, &line, &err));
        assert_string_equal(line, lines[k]);
        at_free(line);
        at_free(x);
    }
    refused(at_net_read(net, "abc", &x, &n, &err), AT_EINPUT, "c");
    refused(at_net_say(net, (double[]){0, 7}, 2, false, &line, &err), AT_EDOMAIN, "7");
    at_net_free(net);
}

static void test_generate(void **state)
{
    (void)state;
    at_net *net;
    double *x, *rows, margin;
    char *line;
    int n, n_rows;
    works(at_net_compile("arithmetic", "p=11 operators=2", "attention=sparse", &net, &err));
    works(at_net_read(net, "( 3 + 4 ) * 2", &x, &n, &err));
    works(at_net_generate(net, x, n, NULL, &rows, &n_rows, &margin, &err));
    works(at_net_say(net, rows, n_rows, true, &line, &err));
    assert_string_equal(line, "7 * 2 = 3 <eos>");
    assert_true(margin > 0);
    at_free(line);
    at_free(rows);
    refused(at_net_generate(net, x, n - 1, NULL, &rows, &n_rows, &margin, &err), AT_EDOMAIN, "");
    at_free(x);
    at_net_free(net);
    net = match2("N=4 M=5");
    refused(at_net_generate(net, (double[]){1}, 1, NULL, &rows, &n_rows, &margin, &err), AT_EREFUSED, "");
    at_net_free(net);
}

static void test_trace(void **state)
{
    (void)state;
    at_net *net = match2("N=8 M=17");
    double x[] = {3, 14, 5};
    at_tracing *t;
    int layer, number, D;
    const char *name;
    works(at_net_trace(net, x, 3, NULL, &t, &err));
    assert_int_equal(at_tracing_positions(t), 4); /* the blank behind them */
    assert_int_equal(at_tracing_heads(t), 1);
    const double *w = at_tracing_weights(t, 0, &layer, &number, &name);
    assert_true(layer == 1 && number == 1);
    for (int i = 0; i < 4; i++) {
        double sum = 0;
        for (int j = 0; j < 4; j++)
            sum += w[4 * i + j];
        assert_true(fabs(sum - 1) < 1e-12);
    }
    assert_true(w[1] > 0.4 && w[4] > 0.4 && w[0] < 0.1); /* 3 and 14 look at each other */
    assert_non_null(at_tracing_scores(t, 0));
    assert_null(at_tracing_weights(t, 1, NULL, NULL, NULL));
    assert_null(at_tracing_scores(t, -1));
    int states = at_tracing_states(t, &D);
    assert_true(states >= 2 && D > 2);
    assert_non_null(at_tracing_state(t, states - 1));
    assert_null(at_tracing_state(t, states));
    at_net_free(net); /* the trace does not need it */
    assert_true(w[1] > 0.4 && (!name || *name));
    at_tracing_free(t);
}

static void test_look(void **state)
{
    (void)state;
    at_net *net = match2("N=8 M=17");
    double x[] = {3, 14, 5};
    char *svg, folder[TEST_FOLDER], path[TEST_PATH], begin[8] = "";
    works(at_net_svg(net, x, 3, NULL, &svg, &err));
    assert_non_null(strstr(svg, "<svg"));
    at_free(svg);
    assert_non_null(test_folder_new(folder));
    snprintf(path, sizeof path, "%s/look.png", folder);
    works(at_net_look(net, x, 3, NULL, path, &err));
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(begin, 1, 4, f), 4);
    fclose(f);
    assert_memory_equal(begin, "\x89PNG", 4);
    unlink(path);
    rmdir(folder);
    refused(at_net_look(net, x, 3, NULL, "x.gif", &err), AT_EINPUT, "x.gif");
    at_net_free(net);
}

/* ---- models --------------------------------------------------------------------------------------------------- */

static void test_models(void **state)
{
    (void)state;
    at_net *net = match2("N=6 M=11"), *again, *copy;
    at_result *a, *b;
    void *bytes;
    size_t n;
    works(at_net_about(net, &a, &err));
    assert_string_equal(at_result_text(a, "name"), "match2");
    assert_true(at_result_number(a, "size.layers") == 1 && at_result_number(a, "decoder") == 0);
    assert_string_equal(at_result_text(a, "blocks.0.groups.0.weighting"), "softmax");
    assert_string_equal(at_result_text(a, "problem"), "match2 N=6 M=11");
    assert_null(at_result_text(a, "blocks.7.kind"));
    assert_true(isnan(at_result_number(a, "size.nothing")) && isnan(at_result_number(a, "name")));
    assert_true(at_result_json(a)[0] == '{');
    works(at_net_image(net, &bytes, &n, &err));
    works(at_net_parse(bytes, n, &again, &err));
    works(at_net_copy(net, &copy, &err));
    at_net *const same[] = {again, copy};
    for (int k = 0; k < 2; k++) {
        works(at_net_about(same[k], &b, &err));
        assert_string_equal(at_result_text(a, "hash"), at_result_text(b, "hash"));
        at_result_free(b);
    }
    refused(at_net_parse(bytes, n - 1, &again, &err), AT_EINPUT, "");
    at_free(bytes);
    at_result_free(a);
    at_net_free(again);
    at_net_free(copy);
    at_net_free(net);
    refused(at_net_build("mtch2", NULL, &net, &err), AT_EINPUT, "match2");
    refused(at_net_build("match2", "Q=4", &net, &err), AT_EINPUT, "Q");
    refused(at_net_load("/nowhere/m.st", &net, &err), AT_EIO, "/nowhere/m.st");
    refused(at_net_compile("a", NULL, "kind=regx", &net, &err), AT_EINPUT, "regex");
    refused(at_net_compile("(ab", NULL, "kind=regex", &net, &err), AT_EINPUT, "");
    refused(at_net_compile("a*", NULL, "knd=regex", &net, &err), AT_EINPUT, "did you mean 'kind'?");
    refused(at_net_compile("a*", NULL, "kind", &net, &err), AT_EINPUT, "NAME=VALUE");
    refused(at_net_compile("a*", NULL, "kind=regex alphabet='a b", &net, &err), AT_EINPUT, "quote");
    works(at_net_compile("a*", "N=4", "kind=regex, alphabet=\"a b\"", &net, &err));
    at_net_free(net);
}

/* Texts of all languages that have files, as files and as texts: the same model. */
static void test_kinds(void **state)
{
    (void)state;
    static const char *const files[][3] = {{"dp", "examples/lis.dp", "n=3 top=4"},
                                           {"crasp", "examples/dyck-1.crasp", "N=6"},
                                           {"ltl", "examples/since.ltl", "N=6"},
                                           {"rasp", "examples/hist.rasp", "N=6"}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char *text, how[32];
        size_t n;
        at_net *a, *b;
        at_result *equal;
        snprintf(how, sizeof how, "kind=%s", files[k][0]);
        works(at_file_read(files[k][1], 1 << 20, &text, &n, &err));
        works(at_net_compile(files[k][1], files[k][2], NULL, &a, &err));
        works(at_net_compile(text, files[k][2], how, &b, &err));
        works(at_net_equal(a, b, strcmp(files[k][0], "dp") ? "lengths=1..3 exact=1" : "sampled=20", NULL,
                           &equal, &err));
        assert_true(at_result_number(equal, "equal") != 0);
        assert_true(at_result_number(equal, "inputs") > 0);
        at_result_free(equal);
        at_net_free(a);
        at_net_free(b);
        at_free(text);
    }
}

/* A weight that is no float in a model of floats: what is saved is what was run. */
static void test_tensors(void **state)
{
    (void)state;
    at_net *net, *again;
    at_result *training;
    works(
        at_net_train("match2", "N=3 M=3", "net=softmax width=3 steps=2", NULL, NULL, &net, &training, &err));
    at_result_free(training);
    const char *name;
    size_t rows, columns, vectors = 0;
    for (int i = 0; i < at_net_tensors(net); i++) {
        assert_non_null(at_net_tensor(net, i, &name, &rows, &columns));
        assert_true(*name && rows > 0);
        vectors += columns == 0;
    }
    assert_true(vectors > 0);
    assert_null(at_net_tensor(net, at_net_tensors(net), NULL, NULL, NULL));
    assert_null(at_net_tensor(net, -1, NULL, NULL, NULL));
    void *bytes;
    size_t n, wide;
    works(at_net_image(net, &bytes, &n, &err));
    at_free(bytes);
    at_net_tensor(net, 0, NULL, NULL, NULL)[0] = 0.1; /* no float */
    works(at_net_image(net, &bytes, &wide, &err));
    assert_true(wide > n);
    works(at_net_parse(bytes, wide, &again, &err));
    assert_true(at_net_tensor(again, 0, NULL, NULL, NULL)[0] == 0.1);
    at_free(bytes);
    at_net_free(again);
    at_net_tensor(net, 0, NULL, NULL, NULL)[0] = NAN;
    refused(at_net_image(net, &bytes, &n, &err), AT_EDOMAIN, "");
    refused(at_net_check(net, "match2", "N=3 M=3", NULL, NULL, &training, &err), AT_EDOMAIN, "");
    at_net_free(net);
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

static void test_check(void **state)
{
    (void)state;
    at_net *net = match2("N=6 M=5");
    at_result *r;
    works(at_net_check(net, "match2", "N=4 M=5", "exact=1", NULL, &r, &err));
    assert_string_equal(at_result_text(r, "verdict"), "holds");
    assert_string_equal(at_result_text(r, "rows.0.evidence"), "exact");
    assert_true(at_result_number(r, "inputs") >= 70); /* of 625 one of each orbit, or all */
    at_result_free(r);
    works(at_net_check(net, NULL, NULL, "sampled=50 precision=f32 lengths=2..3", NULL, &r, &err));
    assert_string_equal(at_result_text(r, "verdict"), "holds"); /* by the problem that it remembers */
    assert_string_equal(at_result_text(r, "rows.1.evidence"), "sampled");
    at_result_free(r);
    works(at_net_check(net, "match2", "N=3 M=5", "certify=1", NULL, &r, &err));
    assert_string_equal(at_result_text(r, "verdict"), "holds");
    at_result_free(r);

    /* a wrong model is called wrong, and the input is one */
    for (int i = 0; i < at_net_tensors(net); i++) {
        const char *name;
        double *w = at_net_tensor(net, i, &name, NULL, NULL);
        if (strcmp(name, "readout.b") == 0)
            w[0] += 10;
    }
    works(at_net_check(net, "match2", "N=3 M=5", "exact=1", NULL, &r, &err));
    assert_string_equal(at_result_text(r, "verdict"), "fails");
    assert_non_null(at_result_text(r, "rows.0.counterexample.input"));
    assert_true(at_result_number(r, "rows.0.counterexample.expected") !=
                at_result_number(r, "rows.0.counterexample.got"));
    at_result_free(r);
    refused(at_net_check(net, "match2", "N=3 M=5", "exact=1 sampled=3", NULL, &r, &err), AT_EINPUT,
            "exclude");
    refused(at_net_check(net, "match2", "N=3 M=5", "exact=yes", NULL, &r, &err), AT_EINPUT, "0 or 1");
    refused(at_net_check(net, "match4", NULL, NULL, NULL, &r, &err), AT_EINPUT, "match4");
    refused(at_net_check(net, "match2", "N=3 M=6", NULL, NULL, &r, &err), AT_EINPUT, "");
    at_net_free(net);
    works(at_net_compile("examples/pairs.program", "N=4 M=5", NULL, &net, &err));
    refused(at_net_check(net, NULL, NULL, NULL, NULL, &r, &err), AT_EINPUT, "which problem");
    at_net_free(net);
}

static void test_claim(void **state)
{
    (void)state;
    at_result *r;
    works(at_claim_verdict("match2", "N=3 M=5", NULL, NULL, &r, &err));
    assert_string_equal(at_result_text(r, "verdict"), "holds");
    at_result_free(r);
    works(at_claim_verdict("match2", "N=3 M=5 c=0.02", NULL, NULL, &r, &err));
    assert_string_equal(at_result_text(r, "verdict"), "fails");
    at_result_free(r);
    works(at_claim_verdict("compose-cot", NULL, NULL, NULL, &r, &err));
    assert_string_equal(at_result_text(r, "verdict"), "holds");
    assert_true(at_result_number(r, "controls") > 0 &&
                at_result_number(r, "controls") == at_result_number(r, "rejected"));
    at_result_free(r);
    refused(at_claim_verdict("match2", NULL, "tier=slow", NULL, &r, &err), AT_EINPUT, "slow");
}

static void test_refute(void **state)
{
    (void)state;
    at_net *net = match2("N=9 M=40");
    at_result *r;
    works(at_net_refute(net, "match3", "N=9 M=40", "precision=p6", NULL, &r, &err));
    assert_true(at_result_number(r, "refuted") == 1);
    assert_string_equal(at_result_text(r, "method"), "one-layer");
    /* is it wrong? x_i + x_j + x_k = 0 modulo 40, by looking */
    double *x, y[9];
    int n;
    works(at_net_read(net, at_result_text(r, "wrong"), &x, &n, &err));
    works(at_net_run(net, x, n, "p6", y, NULL, NULL, &err));
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        bool is = false;
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                is = is || (int)(x[i] + x[j] + x[k]) % 40 == 0;
        wrong += (y[i] == 1) != is;
    }
    assert_true(wrong > 0);
    at_free(x);
    at_result_free(r);
    works(at_net_refute(net, "match2", "N=9 M=40", "budget=1", NULL, &r, &err));
    assert_true(isnan(at_result_number(r, "refuted"))); /* it is right: nothing is found, and nothing said */
    assert_true(at_result_number(r, "attempts.0.states") >= 0);
    at_result_free(r);
    refused(at_net_refute(net, "match3", "N=9 M=40", "by=nobody", NULL, &r, &err), AT_EINPUT, "nobody");
    at_net_free(net);
}

static void test_equal(void **state)
{
    (void)state;
    at_net *a = match2("N=3 M=5"), *b;
    at_result *r;
    works(at_net_copy(a, &b, &err));
    works(at_net_equal(a, b, "exact=1", NULL, &r, &err));
    assert_true(at_result_number(r, "equal") == 1);
    at_result_free(r);
    for (int i = 0; i < at_net_tensors(b); i++) {
        const char *name;
        double *w = at_net_tensor(b, i, &name, NULL, NULL);
        if (strcmp(name, "readout.b") == 0)
            w[0] += 10;
    }
    works(at_net_equal(a, b, "exact=1 lengths=1..2", NULL, &r, &err));
    assert_true(at_result_number(r, "equal") == 0);
    assert_non_null(at_result_text(r, "witness.input"));
    at_result_free(r);
    refused(at_net_equal(a, b, "lengths=3..1", NULL, &r, &err), AT_EINPUT, "3..1");
    at_net_free(a);
    at_net_free(b);
}

static void test_bound(void **state)
{
    (void)state;
    at_result *r;
    works(at_bound_at("compose-bound", "H=4 d=16 p=32 n=270", &r, &err));
    assert_string_equal(at_result_text(r, "verdict"), "binding");
    assert_true(at_result_number(r, "parameters.n") == 270);
    at_result_free(r);
    works(at_bound_at("compose-bound", "H=4 d=16 p=32 n=269", &r, &err));
    assert_string_equal(at_result_text(r, "verdict"), "vacuous");
    at_result_free(r);
    refused(at_bound_at("compose", NULL, &r, &err), AT_EINPUT, "compose");
    refused(at_bound_at("compose", NULL, &r, NULL), AT_EINPUT, ""); /* err keeps what it has */
}

static void test_train(void **state)
{
    (void)state;
    at_env *env;
    char hash[2][65];
    works(at_env_new(&env, &err));
    for (int t = 0; t < 2; t++) {
        at_net *net;
        at_result *r, *about;
        works(at_env_set(env, t ? "threads=2 seed=2" : "threads=1,seed=2", &err));
        works(at_net_train("match2", "N=3 M=3", "net=softmax width=3 steps=300 rate=0.03", NULL, env, &net,
                           &r, &err));
        assert_true(at_result_number(r, "steps") == 300);
        assert_true(at_result_number(r, "exam.answer_accuracy") > 0.9);
        works(at_net_about(net, &about, &err));
        snprintf(hash[t], sizeof hash[t], "%s", at_result_text(about, "hash"));
        at_result_free(about);
        at_result_free(r);
        if (t) { /* on from there, by what it remembers */
            at_net *more;
            works(at_net_train("match2", "N=3 M=3", "net=softmax width=3 steps=20 rate=0.001", net, NULL,
                               &more, NULL, &err));
            works(at_net_check(more, NULL, NULL, NULL, NULL, &r, &err));
            assert_non_null(at_result_text(r, "verdict"));
            at_result_free(r);
            at_net_free(more);
        }
        at_net_free(net);
    }
    assert_string_equal(hash[0], hash[1]);
    at_net *net;
    refused(at_env_set(env, "threads=-1", &err), AT_EINPUT, "threads");
    refused(at_env_set(env, "cores=2", &err), AT_EINPUT, "cores");
    refused(at_net_train("match2", NULL, "witdh=3", NULL, env, &net, NULL, &err), AT_EINPUT, "width");
    at_env_free(env);
}

static int ticks;
static void tick(void *ctx, const char *what, double done, double total)
{
    ticks += ctx == &ticks && what && done <= total;
}

static void test_cancel(void **state)
{
    (void)state;
    at_net *net = match2("N=6 M=11");
    at_result *r;
    at_env *env;
    at_cancel_request();
    assert_true(at_cancel_pending());
    refused(at_net_check(net, "match2", "N=4 M=11", "exact=1", NULL, &r, &err), AT_ECANCEL, "");
    at_cancel_clear();
    assert_false(at_cancel_pending());
    works(at_env_new(&env, &err));
    at_env_progress(env, tick, &ticks);
    works(at_net_check(net, "match2", "N=4 M=11", "exact=1", env, &r, &err));
    assert_string_equal(at_result_text(r, "verdict"), "holds");
    assert_true(ticks > 0);
    at_result_free(r);
    at_env_free(env);
    at_net_free(net);
}

/* Every text that no call can do without, given as NULL. */
enum { TEXTS = 16 };
static at_status without(int k, at_net *net, at_err *e)
{
    double x[2] = {1, 2}, *read;
    int n;
    at_net *made;
    at_result *r;
    switch (k) {
    case 0:
        return at_list(NULL, &r, e);
    case 1:
        return at_net_build(NULL, "N=3", &made, e);
    case 2:
        return at_net_compile(NULL, NULL, "kind=regex", &made, e);
    case 3:
        return at_net_compile(NULL, NULL, NULL, &made, e);
    case 4:
        return at_net_load(NULL, &made, e);
    case 5:
        return at_net_save(net, NULL, e);
    case 6:
        return at_net_import(NULL, NULL, &made, e);
    case 7:
        return at_net_export(net, NULL, NULL, "x", e);
    case 8:
        return at_net_export(net, "npz", NULL, NULL, e);
    case 9:
        return at_net_read(net, NULL, &read, &n, e);
    case 10:
        return at_net_look(net, x, 2, NULL, NULL, e);
    case 11:
        return at_claim_verdict(NULL, NULL, NULL, NULL, &r, e);
    case 12:
        return at_net_extract(net, NULL, NULL, &r, e);
    case 13:
        return at_net_protocol(net, NULL, x, 2, NULL, &r, e);
    case 14:
        return at_bound_at(NULL, NULL, &r, e);
    default:
        return at_net_train(NULL, NULL, NULL, NULL, NULL, &made, &r, e);
    }
}

static void test_no_text(void **state)
{
    (void)state;
    at_net *net = match2("N=3 M=3");
    for (int k = 0; k < TEXTS; k++) {
        refused(without(k, net, &err), AT_EINPUT, "is missing: it must be a text, and is NULL");
        refused(without(k, net, NULL), AT_EINPUT, "");
    }
    at_net_free(net);
}

static void test_lists(void **state)
{
    (void)state;
    static const char *const lists[][2] = {{"claims", "match2"},      {"bounds", "compose-bound"},
                                           {"problems", "match2"},    {"languages", "regex"},
                                           {"refuters", "one-layer"}, {"settings", "width"}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        at_result *r;
        bool found = false;
        works(at_list(lists[k][0], &r, &err));
        for (int i = 0; !found; i++) {
            char name[32];
            snprintf(name, sizeof name, "rows.%d.id", i);
            const char *id = at_result_text(r, name);
            if (!id)
                fail_msg("%s without %s", lists[k][0], lists[k][1]);
            found = strcmp(id, lists[k][1]) == 0;
        }
        at_result_free(r);
    }
    at_result *r;
    refused(at_list("nothing", &r, &err), AT_EINPUT, "claims");
    works(at_list("claims", &r, &err)); /* what has a model: a training may be filmed, and a limit has none */
    for (int i = 0;; i++) {
        static const char *const models[][2] = {{"match2", "1"},
                                                {"qsa-train", "1"},
                                                {"reasoning-train", "0"},
                                                {"ngram-learn", "0"},
                                                {"match3-hard", "0"}};
        char name[48];
        snprintf(name, sizeof name, "rows.%d.id", i);
        const char *id = at_result_text(r, name);
        if (!id)
            break;
        snprintf(name, sizeof name, "rows.%d.model", i);
        for (size_t k = 0; k < sizeof models / sizeof *models; k++)
            if (strcmp(models[k][0], id) == 0)
                assert_true(at_result_number(r, name) == (*models[k][1] == '1'));
    }
    at_result_free(r);
    unsigned seen = 0; /* every view of problems is told with its parameters */
    works(at_list("problems", &r, &err));
    for (int i = 0;; i++) {
        static const char *const views[] = {"positions", "chain", "rows"};
        char name[48];
        snprintf(name, sizeof name, "rows.%d.id", i);
        if (!at_result_text(r, name))
            break;
        for (int v = 0; v < 3; v++) {
            snprintf(name, sizeof name, "rows.%d.%s.0.name", i, views[v]);
            seen |= at_result_text(r, name) ? 1u << v : 0;
        }
    }
    assert_int_equal(seen, 7);
    at_result_free(r);
}

/* ---- memory that ends -------------------------------------------------------------------------------------------- */

static at_net *given;

static at_status do_about(void)
{
    at_result *r;
    at_status s = at_net_about(given, &r, &err);
    if (!s)
        at_result_free(r);
    return s;
}

static at_status do_check(void)
{
    at_result *r;
    at_status s = at_net_check(given, "match2", "N=2 M=5", "exact=1", NULL, &r, &err);
    if (!s)
        at_result_free(r);
    return s;
}

static at_status do_runs(void)
{
    double x[] = {1, 4, 2, 2}, y[4];
    at_env *env;
    at_status s = at_env_new(&env, &err);
    if (s)
        return s;
    s = at_env_set(env, "threads=1", &err);
    if (!s)
        s = at_net_runs(given, x, 2, 2, NULL, env, y, NULL, NULL, &err);
    at_env_free(env);
    return s;
}

static at_status do_trace(void)
{
    at_tracing *t;
    at_status s = at_net_trace(given, (double[]){1, 4}, 2, NULL, &t, &err);
    if (!s)
        at_tracing_free(t);
    return s;
}

static at_status do_image(void)
{
    void *bytes;
    size_t n;
    at_net *net;
    at_status s = at_net_image(given, &bytes, &n, &err);
    if (s)
        return s;
    s = at_net_parse(bytes, n, &net, &err);
    at_free(bytes);
    if (!s)
        at_net_free(net);
    return s;
}

static at_status do_compile(void)
{
    at_net *net;
    at_status s = at_net_compile("a*", "N=3", "kind=regex", &net, &err);
    if (!s)
        at_net_free(net);
    return s;
}

static void test_memory(void **state)
{
    (void)state;
    given = match2("N=3 M=5");
    at_status (*const calls[])(void) = {do_about, do_check, do_runs, do_trace, do_image, do_compile};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        works(calls[k]()); /* what is made once a process is there */
        int failures = 0;
        for (long nth = 1;; nth += 1 + nth / 40) {
            at_alloc_inject(nth);
            at_status s = calls[k]();
            bool fired = at_alloc_injected();
            at_alloc_inject(0);
            if (!fired)
                break;
            if (s && s != AT_ENOMEM)
                fail_msg("call %zu, allocation %ld: %d %s", k, nth, (int)s, err.text);
            failures += s == AT_ENOMEM;
        }
        assert_true(failures > 0);
        works(calls[k]());
    }
    at_net_free(given);
}

/* A model of another tool comes in, and goes out again as it was. */
static void test_exchange(void **state)
{
    (void)state;
    at_net *in, *again;
    at_result *one, *two;
    char folder[TEST_FOLDER], path[TEST_PATH];
    double x[] = {2, 0, 1}, *rows;
    int n;
    assert_non_null(test_folder_new(folder));
    snprintf(path, sizeof path, "%s/back", folder);
    works(at_net_import("examples/copycat", "as=gpt2 steps=4", &in, &err));
    works(at_net_generate(in, x, 3, NULL, &rows, &n, NULL, &err));
    assert_int_equal(n, 4);
    assert_true(rows[0] == 2 && rows[3] == 2);
    at_free(rows);
    works(at_net_export(in, "gpt2", NULL, path, &err));
    works(at_net_import(path, "steps=4", &again, &err));
    works(at_net_about(in, &one, &err));
    works(at_net_about(again, &two, &err));
    assert_string_equal(at_result_text(one, "hash"), at_result_text(two, "hash"));
    at_result_free(one);
    at_result_free(two);
    at_net_free(again);
    refused(at_net_export(in, "gpt5", NULL, path, &err), AT_EINPUT, "unknown format 'gpt5'");
    refused(at_net_export(in, "npz", "dtype=f16", path, &err), AT_EINPUT, "must be one of stored, f32, f64");
    refused(at_net_import("examples/copycat", "as=llama", &again, &err), AT_EINPUT, "");
    refused(at_net_import("examples/copycat", "as=bert", &again, &err), AT_EINPUT, "must be one of gpt2");
    refused(at_net_adopt("x", 1, NULL, NULL, &again, &err), AT_EINPUT, "");
    at_net_free(in);
    static const char *const files[] = {"/back/config.json", "/back/model.safetensors", "/back/names.json"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        snprintf(path, sizeof path, "%s%s", folder, files[k]);
        assert_int_equal(unlink(path), 0);
    }
    snprintf(path, sizeof path, "%s/back", folder);
    rmdir(path);
    assert_int_equal(rmdir(folder), 0);
}

/* Dense weights go to GPT-2 and come back as they were, each in its place. */
static void test_there_and_back(void **state)
{
    (void)state;
    at_net *in, *back;
    char folder[TEST_FOLDER], path[TEST_PATH], file[TEST_PATH + 32];
    at_rng r = at_rng_at(5, 0);
    assert_non_null(test_folder_new(folder));
    works(at_net_import("examples/copycat", NULL, &in, &err));
    for (int t = 0; t < at_net_tensors(in); t++) { /* a readout has no bias there */
        size_t rows, columns;
        double *w = at_net_tensor(in, t, NULL, &rows, &columns);
        for (size_t i = 0; i < rows * columns; i++)
            w[i] = (float)at_rng_normal(&r);
    }
    snprintf(path, sizeof path, "%s/gpt2", folder);
    works(at_net_export(in, "gpt2", "dtype=f32", path, &err));
    works(at_net_import(path, NULL, &back, &err));
    assert_int_equal(at_net_tensors(in), at_net_tensors(back));
    for (int t = 0; t < at_net_tensors(in); t++) {
        size_t rows, columns;
        const char *name;
        const double *w = at_net_tensor(in, t, &name, &rows, &columns),
                     *v = at_net_tensor(back, t, NULL, NULL, NULL);
        for (size_t i = 0; i < rows * (columns ? columns : 1); i++)
            if (fabs(w[i] - v[i]) > 1e-6)
                fail_msg("%s, number %zu: %g, not %g", name, i, v[i], w[i]);
    }
    at_net_free(in);
    at_net_free(back);
    static const char *const files[] = {"config.json", "model.safetensors", "names.json"};
    for (int k = 0; k < 3; k++) {
        snprintf(file, sizeof file, "%s/%s", path, files[k]);
        unlink(file);
    }
    assert_int_equal(rmdir(path) || rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),      cmocka_unit_test(test_undecided),
        cmocka_unit_test(test_many),     cmocka_unit_test(test_words),
        cmocka_unit_test(test_generate), cmocka_unit_test(test_trace),
        cmocka_unit_test(test_look),     cmocka_unit_test(test_models),
        cmocka_unit_test(test_kinds),    cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_check),    cmocka_unit_test(test_claim),
        cmocka_unit_test(test_refute),   cmocka_unit_test(test_equal),
        cmocka_unit_test(test_bound),    cmocka_unit_test(test_train),
        cmocka_unit_test(test_cancel),   cmocka_unit_test(test_lists),
        cmocka_unit_test(test_no_text),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_exchange), cmocka_unit_test(test_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
