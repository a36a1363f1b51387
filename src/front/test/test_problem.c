/* test_problem.c: problems by name and by file: every built-in one opens, views agree with each other, files of cases. */
#define _GNU_SOURCE /* mkdtemp */
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

static char folder[200], kept[256];

static void folder_remove(void)
{
    remove(kept);
    remove(folder);
}

/* A file of this text; the next call takes it away. */
static const char *file(const char *text, const char *suffix)
{
    if (!*folder) {
        snprintf(folder, sizeof folder, "%s/attest-problem-XXXXXX",
                 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
        assert_non_null(mkdtemp(folder));
        atexit(folder_remove);
    } else
        remove(kept);
    snprintf(kept, sizeof kept, "%s/test-problem%s", folder, suffix);
    FILE *f = fopen(kept, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return kept;
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
        assert_string_equal(p->stream->id, at_streams[k]->id);
        assert_ptr_equal(p->stream->verbs, at_streams[k]->verbs);
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
    assert_ptr_equal(a->stream->verbs, b->stream->verbs);
    assert_true(a->chain && b->chain);
    /* Of a parameter that views share there is one default: that of the name. */
    for (int v = AT_VIEW_CHAIN; v <= AT_VIEW_ROWS; v++) {
        at_params p, q;
        OK(at_problem_params(a, v, NULL, &p, &err));
        OK(at_problem_params(b, v, NULL, &q, &err));
        assert_int_equal(at_params_int(&p, "border"), 1);
        assert_int_equal(at_params_int(&q, "border"), 0);
    }
    at_problem_free(a);
    at_problem_free(b);
}

/* The values of the states and the answer of a prompt of letters, by the chain; returns how many. */
static int by_chain(const at_problem *p, const int *word, int n1, int n2, int border, double *out)
{
    at_params q;
    void *self;
    int n = n1 + n2 + 1, rows;
    char set[64];
    snprintf(set, sizeof set, "n1=%d n2=%d border=%d", n1, n2, border);
    OK(at_problem_params(p, AT_VIEW_CHAIN, set, &q, &err));
    OK(p->chain->open(&q, &self, &err));
    int width = p->chain->row_width(self);
    double *prompt = calloc((size_t)(n * width), sizeof *prompt),
           *y = calloc((size_t)(p->chain->rows_max(self) * width), sizeof *y);
    for (int i = 0; i < n1 + n2; i++)
        prompt[i * width] = word[i];
    OK(p->chain->answer(self, prompt, n, y, &rows, &err));
    for (int k = 0; k < rows; k++) /* input, state, cost ..., answer */
        out[k] = k + 1 < rows ? y[k * width + 3] : y[k * width + width - 1];
    free(prompt);
    free(y);
    p->chain->close(self);
    return rows;
}

/* The same by the rows that are learnt: numbers among words. */
static int by_rows(const at_problem *p, const int *word, int n1, int n2, int border, double *out)
{
    at_params q;
    at_source *d;
    char set[64], text[AT_STREAM_WORD];
    snprintf(set, sizeof set, "n=4 border=%d", border);
    OK(at_problem_params(p, AT_VIEW_ROWS, set, &q, &err));
    OK(at_source_open(p->stream, &q, &d, &err));
    at_sequence s = {.token = calloc((size_t)at_source_longest(d), sizeof(int))};
    for (int i = 0; i < n1 + n2; i++) {
        if (i == n1)
            s.token[s.n++] = at_source_token(d, "|", 1);
        s.token[s.n++] = at_source_token(d, &"abc"[word[i] - 1], 1);
    }
    s.token[s.n++] = AT_TOKEN_SEP;
    s.prompt = s.n;
    int n = 0, from = s.n;
    OK(at_source_complete(d, &s, &err));
    for (int k = from; k < s.n; k++) {
        at_source_word(d, s.token[k], text);
        if (*text >= '0' && *text <= '9')
            out[n++] = atoi(text);
    }
    free(s.token);
    at_source_free(d);
    return n;
}

/* Chain and rows are views of one function: every small pair of words, each border. A rule of the other border differs. */
static void test_views_agree(void **state)
{
    (void)state;
    static const char *const names[] = {"ed", "ed-local", "edit-distance"};
    long asked = 0, other = 0;
    for (int k = 0; k < 3; k++) {
        at_problem *p = opened(names[k]);
        for (int n1 = 1; n1 <= 2; n1++)
            for (int n2 = n1; n2 <= 3; n2++)
                for (int code = 0; code < 1 << (n1 + n2); code++)
                    for (int border = 0; border < 2; border++) {
                        int word[8];
                        double a[16], b[16], c[16];
                        for (int i = 0; i < n1 + n2; i++)
                            word[i] = 1 + (code >> i & 1);
                        int rows = by_chain(p, word, n1, n2, border, a);
                        assert_int_equal(rows, n1 * n2 + 1);
                        assert_int_equal(by_rows(p, word, n1, n2, border, b), rows);
                        assert_memory_equal(a, b, (size_t)rows * sizeof *a);
                        by_rows(p, word, n1, n2, !border, c);
                        other += memcmp(a, c, (size_t)rows * sizeof *a) != 0;
                        asked++;
                    }
        at_problem_free(p);
    }
    print_message("%ld tables agree; under the other border %ld of them would not\n", asked, other);
    assert_true(other > asked / 2);
}

/* A stream lists all its prompts, each once and each with a completion, or says why it does not. */
static void test_lists(void **state)
{
    (void)state;
    static const struct {
        const char *id, *set;
        uint64_t count;
    } known[] = {{"lis", "n=3 range=4", 64},
                 {"match2", "N=3 M=4", 64},
                 {"match3", "N=2 M=5", 25},
                 {"parity", "n=4 least=2", 4 + 8 + 16},
                 {"majority", "n=5", 32},
                 {"dyck", "n=4 least=2 k=2 D=2", 16 + 256},
                 {"aa", "n=4 least=2", 4 + 8 + 16},
                 {"sum", "n=3 least=2 p=3", 9 + 27},
                 {"lis", "n=1024 range=65536", UINT64_MAX}};
    int listed = 0;
    for (int k = 0; k < at_n_streams; k++) {
        const at_stream_verbs *v = at_streams[k]->verbs;
        assert_true(v->count ? v->nth && !v->unlisted : v->unlisted && *v->unlisted);
        listed += v->count != NULL;
    }
    assert_int_equal(listed, 8);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        at_source *d;
        OK(at_problem_source(opened(known[k].id), known[k].set, &d, &err));
        uint64_t n = d->verbs->count(d);
        assert_true(n == known[k].count);
        int longest = at_source_longest(d), *all = calloc((n < 1000 ? n : 1) * (size_t)longest, sizeof *all);
        for (uint64_t i = 0; i < n && n < 1000; i++) {
            at_sequence s = {.token = all + i * (size_t)longest};
            d->verbs->nth(d, i, &s);
            assert_int_equal(s.n, s.prompt);
            OK(at_source_complete(d, &s, &err));
            for (uint64_t j = 0; j < i; j++) /* prompts end in <sep>, so that none begins another */
                assert_true(memcmp(all + j * (size_t)longest, s.token, (size_t)s.prompt * sizeof(int)) != 0);
        }
        free(all);
        at_source_free(d);
    }
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

/* ---- in a ledger --------------------------------------------------------------------------------------------------- */

static void test_stamps(void **state)
{
    (void)state;
    char stamp[3][65];
    const char *texts[] = {"1 2\t1\n", "1 2\t0\n", "1 2\t1\n"};
    at_text t;
    at_text_init(&t);
    for (int k = 0; k < 3; k++) {
        const char *path = file(texts[k], ".tsv");
        at_problem *p = opened(path);
        snprintf(stamp[k], sizeof stamp[k], "%s", at_problem_stamp(p));
        t.n = 0;
        at_problem_subject(p, &t);
        assert_int_equal(strncmp(t.s, "test-problem.tsv#", 17), 0); /* folders are not in it */
        assert_true(strlen(t.s) == 25 && !strncmp(t.s + 17, stamp[k], 8));
        assert_string_equal(at_problem_short(p), "test-problem.tsv");
        at_problem_free(p);
    }
    assert_string_equal(stamp[0], stamp[2]);
    assert_string_not_equal(stamp[0], stamp[1]);
    /* of the file as it is: the hash that anybody else computes */
    assert_string_equal(stamp[0], "dc21941ed155b9a348d86dcc2c96d7a84d3e04546f4ba9b72449af78a4b7c2e7");
    at_problem *p = opened("edit-distance");
    assert_int_equal(strspn(at_problem_stamp(p), "0"), 64);
    t.n = 0;
    at_problem_subject(p, &t);
    assert_string_equal(t.s, "ed");
    at_problem_free(p);
    at_text_release(&t);
}

/* Rows of a machine: letters of its inputs are prompts, and nothing else that it has a token for. */
static void test_machine_rows(void **state)
{
    (void)state;
    at_problem *p = opened("examples/increment.tm");
    at_params q;
    at_source *d;
    OK(at_problem_params(p, AT_VIEW_ROWS, "N=4", &q, &err));
    OK(at_source_open(p->stream, &q, &d, &err));
    at_sequence s = {.token = calloc((size_t)at_source_longest(d), sizeof(int))};
    int taken = 0;
    for (int k = AT_TOKEN_FIRST; k < at_source_vocabulary(d); k++) {
        char text[AT_STREAM_WORD];
        at_source_word(d, k, text);
        s.token[0] = at_source_token(d, "1", 1);
        s.token[1] = k;
        s.token[2] = AT_TOKEN_SEP;
        s.n = 3;
        bool good = !at_source_complete(d, &s, &err);
        if (good != (!strcmp(text, "0") || !strcmp(text, "1")))
            fail_msg("1 %s <sep> is %sa prompt", text, good ? "" : "not ");
        taken += good;
    }
    assert_int_equal(taken, 2);
    free(s.token);
    at_source_free(d);
    at_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),          cmocka_unit_test(test_names),
        cmocka_unit_test(test_views_agree),  cmocka_unit_test(test_lists),
        cmocka_unit_test(test_params),       cmocka_unit_test(test_rows),
        cmocka_unit_test(test_words),        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_faults),       cmocka_unit_test(test_stamps),
        cmocka_unit_test(test_machine_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
