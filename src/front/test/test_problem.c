/* test_problem.c: problems by name and by file: every built-in one opens, views agree with each other, files of cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <attest/front.h>

#define OK(x) assert_int_equal((x), AT_OK)

static at_err err;

static at_problem *opened(const char *name)
{
    at_problem *p = NULL;
    err = (at_err){0};
    if (at_problem_open(name, &p, &err))
        fail_msg("%s: %s", name, err.text);
    return p;
}

static void refused(const char *name, const char *words)
{
    at_problem *p = NULL;
    err = (at_err){0};
    assert_int_not_equal(at_problem_open(name, &p, &err), AT_OK);
    assert_null(p);
    if (!strstr(err.text, words))
        fail_msg("said \"%s\", not \"%s\"", err.text, words);
}

/* A file of this text; the next call may use its name again. */
static const char *file(const char *text, const char *suffix)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/test-problem%s", getenv("TMPDIR") ? getenv("TMPDIR") : ".", suffix);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

/* Every task and every stream is the view of a problem of its name; every view of every problem has parameters. */
static void test_all(void **state)
{
    (void)state;
    for (int k = 0; k < at_n_tasks; k++) {
        at_problem *p = opened(at_tasks[k]->id);
        assert_ptr_equal(p->task, at_tasks[k]);
        at_problem_free(p);
    }
    for (int k = 0; k < at_n_streams; k++) {
        at_problem *p = opened(at_streams[k]->id);
        assert_ptr_equal(p->stream, at_streams[k]);
        at_problem_free(p);
    }
    for (int k = 0; k < at_n_dp_examples; k++) {
        at_problem *p = opened(at_dp_examples[k].name);
        assert_non_null(p->chain);
        at_problem_free(p);
    }
    for (int k = 0; at_problem_name(k); k++) {
        at_problem *p = opened(at_problem_name(k));
        assert_true(p->title && *p->title && p->definition && *p->definition);
        bool any = false;
        for (int v = 0; v < AT_VIEWS; v++) {
            at_params q;
            if (!at_problem_has(p, v))
                continue;
            any = true;
            OK(at_problem_params(p, v, NULL, &q, &err));
            assert_ptr_equal(q.of, p);
        }
        assert_true(any);
        at_problem_free(p);
    }
}

static void test_names(void **state)
{
    (void)state;
    refused("match", "did you mean 'match2'");
    refused("nothing-like-it", "attest list problems");
    refused("no/such.dp", "No such file");
    /* A stream and a recurrence are one problem under both names. */
    at_problem *a = opened("ed"), *b = opened("edit-distance");
    assert_string_equal(a->id, b->id);
    assert_ptr_equal(a->stream, b->stream);
    assert_true(a->chain && b->chain);
    at_problem_free(a);
    at_problem_free(b);
}

/* An assignment that another view knows is passed over; one that nobody knows is refused with what there is. */
static void test_params(void **state)
{
    (void)state;
    at_problem *p = opened("lis");
    at_params q;
    OK(at_problem_params(p, AT_VIEW_ROWS, "n=7,range=30,top=9", &q, &err));
    assert_int_equal(at_params_int(&q, "range"), 30);
    OK(at_problem_params(p, AT_VIEW_CHAIN, "n=7,range=30,top=9", &q, &err));
    assert_int_equal(at_params_int(&q, "top"), 9);
    assert_int_equal(at_problem_params(p, AT_VIEW_CHAIN, "tpo=9", &q, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "tpo"));
    at_problem_free(p);
    p = opened("compose"); /* a length that follows from the others */
    OK(at_problem_params(p, AT_VIEW_POSITIONS, "n=4,k=3", &q, &err));
    assert_int_equal(at_params_int(&q, "N"), 13);
    assert_int_equal(at_problem_params(p, AT_VIEW_POSITIONS, "n=4,k=3,N=12", &q, &err), AT_EDOMAIN);
    at_problem_free(p);
}

/* ---- rows of a recurrence ------------------------------------------------------------------------------------- */

/* The rows derived from a chain say what the chain says: all prompts, values in order, the answer. */
static void rows_compare(const char *name, const char *set)
{
    at_problem *p = opened(name);
    /* Where the problem has a stream of its own, rows are that stream's: take those of the file. */
    at_params q;
    void *self;
    OK(at_problem_params(p, AT_VIEW_CHAIN, set, &q, &err));
    OK(p->chain->open(&q, &self, &err));
    const at_dp_instance *x = at_dp_chain_instance(self);
    at_problem *again = opened(name);
    at_source *d;
    if (at_problem_source(again, set, &d, &err))
        fail_msg("%s: %s", name, err.text);
    int row = p->chain->row_width(self), n, n_rows, counters = x->d->n_counters, values = x->d->n_values;
    double *prompt = calloc((size_t)p->chain->prompt_max(self) * (size_t)row, sizeof *prompt);
    double *rows = calloc((size_t)p->chain->rows_max(self) * (size_t)row, sizeof *rows);
    at_sequence s = {.token = calloc((size_t)at_source_longest(d), sizeof(int))};
    double *tokens = calloc((size_t)at_source_longest(d), sizeof *tokens),
           *rest = calloc((size_t)at_source_longest(d), sizeof *rest);
    uint64_t count = p->chain->count(self);
    assert_true(count == at_chain_stream.count(d) && count > 1 && count < 100000);
    for (uint64_t i = 0; i < count; i++) {
        int n_tokens, n_rest;
        OK(p->chain->nth(self, i, prompt, &n, &err));
        OK(p->chain->answer(self, prompt, n, rows, &n_rows, &err));
        OK(at_chain_stream.nth(d, i, tokens, &n_tokens, &err));
        OK(at_chain_stream.answer(d, tokens, n_tokens, rest, &n_rest, &err));
        char word[AT_STREAM_WORD];
        int k = 0;
        for (int at = 0; at < n - 1; at++) { /* inputs; a bar between two of them */
            at_source_word(d, (int)tokens[k], word);
            if (strcmp(word, "|") == 0)
                at_source_word(d, (int)tokens[++k], word);
            assert_true(atof(word) == prompt[at * row]);
            k++;
        }
        assert_int_equal((int)tokens[k], AT_TOKEN_SEP);
        assert_int_equal(k + 1, n_tokens);
        assert_int_equal(n_rest, (n_rows - 1) * values + 3);
        for (int r = 0; r + 1 < n_rows; r++)
            for (int v = 0; v < values; v++) {
                at_source_word(d, (int)rest[r * values + v], word);
                assert_true(atof(word) == rows[r * row + 1 + counters + v]);
            }
        assert_int_equal((int)rest[n_rest - 3], AT_TOKEN_SEP);
        at_source_word(d, (int)rest[n_rest - 2], word);
        assert_true(atof(word) == rows[n_rows * row - 1]);
        assert_int_equal((int)rest[n_rest - 1], AT_TOKEN_EOS);
        /* A token changed in the completion is seen by the grade. */
        at_grade g;
        int got[4096], prompt_tokens[4096];
        assert_true(n_rest < 4096 && n_tokens < 4096);
        for (int t = 0; t < n_tokens; t++)
            prompt_tokens[t] = (int)tokens[t];
        for (int t = 0; t < n_rest; t++)
            got[t] = (int)rest[t];
        OK(at_source_grade(d, prompt_tokens, n_tokens, got, n_rest, &g, &err));
        assert_true(g.answer == AT_TRUE && g.chain == AT_TRUE);
        got[n_rest - 2] = got[n_rest - 2] == 5 ? 6 : 5;
        OK(at_source_grade(d, prompt_tokens, n_tokens, got, n_rest, &g, &err));
        assert_true(g.answer == AT_FALSE && g.chain == AT_FALSE);
    }
    free(prompt);
    free(rows);
    free(s.token);
    free(tokens);
    free(rest);
    p->chain->close(self);
    at_source_free(d);
    at_problem_free(p);
}

static void test_rows(void **state)
{
    (void)state;
    rows_compare("examples/lis.dp", "n=4,top=3");
    rows_compare("examples/edit-distance.dp", "n1=2,n2=1,letters=4");
    rows_compare("examples/grid.dp", "rows=1,cols=3,letters=5");
    rows_compare("examples/prefix-sum.dp", "n=5,q=3");
}

/* Numbers that make too many words are refused with the numbers. */
static void test_words(void **state)
{
    (void)state;
    at_problem *p = opened(
        file("problem \"sum\" size n in 1..9 input x[n] in 0..1000 state i in 1..n value s in 0..9000\n"
             "take a = x[i] need b = (i-1) when i > 1\n"
             "s = min(9000, a + if i > 1 then b.s else 0) answer s",
             ".dp"));
    at_source *d;
    assert_int_equal(at_problem_source(p, "n=4", &d, &err), AT_EDOMAIN);
    if (!strstr(err.text, "numbers 0..9000 make 9001 words; at most 4000"))
        fail_msg("%s", err.text);
}

/* Both samplers of a recurrence's prompts stay inside its inputs, and the adversarial one meets what the random one does not:
 * at 12 letters of 26 an equal pair of words. */
static void test_draws(void **state)
{
    (void)state;
    at_problem *p = opened("edit-distance");
    at_params q;
    void *self;
    OK(at_problem_params(p, AT_VIEW_CHAIN, "n1=6,n2=6", &q, &err));
    OK(p->chain->open(&q, &self, &err));
    int row = p->chain->row_width(self), n, equal[2] = {0, 0};
    double prompt[13 * 16];
    for (int i = 0; i < 4000; i++) {
        at_rng r = at_rng_at(7, (uint64_t)i);
        OK((i % 2 ? p->chain->adversarial : p->chain->sample)(self, &r, prompt, &n, &err));
        assert_int_equal(n, 13);
        bool same = true;
        for (int k = 0; k < 12; k++)
            assert_true(prompt[k * row] >= 1 && prompt[k * row] <= 26);
        for (int k = 0; k < 6; k++)
            same = same && prompt[k * row] == prompt[(6 + k) * row];
        equal[i % 2] += same;
    }
    assert_int_equal(equal[0], 0);
    assert_true(equal[1] > 5);
    p->chain->close(self);
    at_problem_free(p);
}

/* ---- cases -------------------------------------------------------------------------------------------------------- */

/* Every faulty line is refused with its place. */
static void test_faults(void **state)
{
    (void)state;
    refused(file("1 2\t1\n3 4 1\n", ".tsv"), ":2:6: no tab");
    refused(file("1 2\t1\t2\n", ".tsv"), ":1:6: a second tab");
    refused(file("1 2\t\n", ".tsv"), ":1:5: no answer");
    refused(file("1 2\t  \r\n", ".tsv"), ":1:5: no answer");
    refused(file("\n\n", ".tsv"), "no line input<TAB>answer");
    refused(file("1\t2\n1 \x1b[2J\t2\n", ".tsv"), ":2:3: U+001B");
    at_problem *p = opened(file("\n1 2\t1\r\n\n3\t0\n", ".tsv"));
    assert_non_null(p->stream);
    assert_null(p->task); /* what words mean only a model tells */
    at_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),    cmocka_unit_test(test_names), cmocka_unit_test(test_params),
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_words), cmocka_unit_test(test_draws),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
