/* test_every.c: one recurrence for every size, against the recurrence at each size.
 *
 * Every example of examples/, and a text beside them, is written for a range of sizes, read again, and run at each choice of them
 * on drawn inputs, with anything behind the ends of arrays: the answer must be that of the example at these sizes, and so must
 * every value of a state that it has there. Control: told the largest sizes instead of its own, it must differ somewhere. Then models. */
#include <attest/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../core/test/test_scale.h"

static const struct row {
    const char *name;
    int64_t least[4], most[4];
    const char *text; /* NULL: an example */
} rows[] = {
    {"alignment", {1, 1}, {3, 3}},
    {"bit-count", {0}, {12}},
    {"bitonic", {3}, {5}},
    {"coins", {0, 0}, {2, 6}},
    {"common-substring", {1, 1}, {3, 3}},
    {"cyk", {1}, {5}},
    {"dice", {1, 1, 1}, {2, 5, 4}},
    {"edit-distance-local", {0, 0, 0}, {3, 3, 0}},
    {"edit-distance", {0, 0, 0}, {3, 4, 1}},
    {"egg-drop", {1, 0}, {3, 6}},
    {"floyd-warshall", {1}, {3}},
    {"grid", {1, 1}, {3, 3}},
    {"interleaving", {1, 1}, {3, 2}},
    {"jumps", {1}, {5}},
    {"knapsack", {0, 0}, {3, 5}},
    {"lcs", {0, 0}, {4, 4}},
    {"lis", {0, 9}, {5, 9}},
    {"matrix-chain", {1, 4}, {4, 4}},
    {"max-product", {1, 1024}, {6, 1024}},
    {"max-subarray", {1}, {6}},
    {"palindrome-cuts", {1}, {4}},
    {"palindrome", {0}, {6}},
    {"prefix-sum", {0, 7}, {8, 7}},
    {"rod-cutting", {1}, {5}},
    {"search-tree", {1}, {4}},
    {"stairs", {1}, {8}},
    {"stock", {1}, {6}},
    {"subset-sum", {1, 3}, {3, 3}},
    {"viterbi", {1}, {5}},
    {"folds of truths",
     {1},
     {5},
     "problem \"bounds\"\nsize n in 1..5\ninput a[n] in 0..5\nstate i in 1..n\nvalue all in 0..1, some in "
     "0..1\n"
     "all = min over j in 1..n of a[j] <= i\nsome = max over j in 1..n of a[j] == i\nanswer all at (n)\n"},
    {"guards of two blocks",
     {1},
     {5},
     "problem \"guards\"\nsize n in 1..5\ninput a[n] in 1..3\nstate i in 1..n\nvalue most in 0..3\n"
     "need before = (i - 1) when i > 1\ntake own = a[i]\nmost = if i == 1 then own else max(before.most, "
     "own)\n"
     "state k in 1..n\nvalue rest in 0..15\ntake next = a[k + 1] when k < n\n"
     "rest = (if k == 1 then 0 else rest(k - 1)) + if k < n then next else 0\nanswer rest\n"},
};
enum { EXAMPLES = sizeof rows / sizeof *rows - 2, ROWS = sizeof rows / sizeof *rows };

static void need(at_status s, const char *name, const at_err *err)
{
    if (s)
        fail_msg("%s: %s", name, err->text);
}

/* A recurrence of every size, and the largest sizes as numbers. */
typedef struct {
    at_dp *of, *all;
    at_dp_instance *x;
    at_text text;
} made;

static made made_of(const struct row *r)
{
    made m = {0};
    at_err err = {0};
    at_text_init(&m.text);
    need(r->text ? at_dp_parse(r->text, strlen(r->text), r->name, &m.of, &err)
                 : at_dp_example_load(r->name, &m.of, &err),
         r->name, &err);
    need(at_dp_every(m.of, r->least, r->most, &m.text, &err), r->name, &err);
    if (at_dp_parse(m.text.s, m.text.n, "every", &m.all, &err))
        fail_msg("%s: %s\n%s", r->name, err.text, m.text.s);
    if (at_dp_bind(m.all, NULL, &m.x, &err))
        fail_msg("%s: %s\n%s", r->name, err.text, m.text.s);
    return m;
}

static void made_free(made *m)
{
    at_dp_instance_free(m->x);
    at_dp_free(m->all);
    at_dp_free(m->of);
    at_text_release(&m->text);
}

/* few: equal ones must meet now and then. */
static int64_t drawn(at_rng *r, bool few, int64_t lo, int64_t hi)
{
    int64_t most = few && hi > lo ? lo + 1 : hi;
    return lo + (int64_t)at_rng_below(r, (uint64_t)(most - lo + 1));
}

/* The inputs of x as those of the recurrence of all sizes: sizes first, then each array and anything behind it. */
static void inputs_pad(const made *m, const struct row *row, const at_dp_instance *x, const int64_t *told,
                       const int64_t *in, at_rng *r, int64_t *out)
{
    int k = 0;
    for (int s = 0; s < m->of->n_sizes; s++)
        if (row->least[s] != row->most[s])
            out[m->x->input_first[k++]] = told[s];
    for (int j = 0; j < m->of->n_inputs; j++, k++) {
        int64_t *to = out + m->x->input_first[k];
        const int64_t *from = in + x->input_first[j];
        for (int64_t i = 0; i < m->x->input_len[k]; i++)
            to[i] = drawn(r, false, m->x->input_lo[k], m->x->input_hi[k]);
        int64_t cols = x->input_len[j], wide = cols;
        if (m->of->inputs[j].cols) { /* square ones, in the examples: rows are padded, too */
            for (cols = 0; cols * cols < x->input_len[j]; cols++)
                ;
            for (wide = 0; wide * wide < m->x->input_len[k]; wide++)
                ;
        }
        for (int64_t i = 0; i < x->input_len[j]; i++)
            to[cols ? i / cols * wide + i % cols : 0] = from[i];
    }
}

/* The last row of a state: where something is folded it has several. */
static int64_t row_of(const at_dp *d, const at_dp_instance *x, const int64_t *counter)
{
    int block = d->n_blocks > 1 ? (int)counter[0] - 1 : 0, n = d->hidden + d->blocks[block].n;
    int64_t last = -1;
    for (int64_t s = 0; s < x->n_states; s++)
        if (!memcmp(x->state + s * d->n_counters, counter, (size_t)n * sizeof *counter))
            last = s;
    return last;
}

/* Does the chain say at these sizes what the example says? */
static bool agree(const made *m, const at_dp_instance *x, const at_dp_chain *own, const at_dp_chain *all)
{
    bool is = own->answer == all->answer;
    for (int64_t s = 0; s < x->n_states; s++) {
        const int64_t *counter = x->state + s * m->of->n_counters;
        int64_t at = row_of(m->all, m->x, counter);
        if (at < 0)
            return false;
        if (row_of(m->of, x, counter) != s)
            continue;
        for (int k = 0; k < m->of->n_values; k++)
            for (int j = 0; j < m->all->n_values; j++)
                if (m->of->values[k].kind == AT_DP_DECLARED && m->all->values[j].kind == AT_DP_DECLARED &&
                    !strcmp(m->of->values[k].name.name, m->all->values[j].name.name))
                    is = is && own->value[s * m->of->n_values + k] == all->value[at * m->all->n_values + j];
    }
    return is;
}

static bool size_next(const struct row *r, int n, int64_t *size)
{
    int k = n - 1;
    while (k >= 0 && size[k] == r->most[k])
        size[k] = r->least[k], k--;
    if (k >= 0)
        size[k]++;
    return k >= 0;
}

/* wrong: told the largest sizes. Returns the inputs on which it differs. */
static long differences(const made *m, const struct row *row, bool wrong, int draws, at_rng *r)
{
    long bad = 0;
    int64_t size[AT_DP_MAX];
    memcpy(size, row->least, sizeof row->least); /* of four at most */
    do {
        at_err err = {0};
        at_dp_instance *x;
        if (at_dp_bind_all(m->of, size, &x, &err))
            continue; /* sizes that are not allowed beside each other */
        for (int n = 0; n < draws && !(wrong && bad); n++) {
            at_arena arena;
            at_arena_init(&arena);
            int64_t *in = at_new(&arena, int64_t, x->n_input + 1),
                    *all = at_new(&arena, int64_t, m->x->n_input + 1);
            at_dp_chain a, b;
            for (int k = 0; k < m->of->n_inputs; k++)
                for (int64_t i = 0; i < x->input_len[k]; i++)
                    in[x->input_first[k] + i] = drawn(r, n % 2, x->input_lo[k], x->input_hi[k]);
            inputs_pad(m, row, x, wrong ? row->most : size, in, r, all);
            need(at_dp_run(x, in, &arena, &a, &err), row->name, &err);
            need(at_dp_run(m->x, all, &arena, &b, &err), row->name, &err);
            if (!agree(m, x, &a, &b)) {
                if (!bad && !wrong)
                    print_message("%s: answer %lld, must be %lld, at size %lld, %lld\n%s", row->name,
                                  (long long)b.answer, (long long)a.answer, (long long)size[0],
                                  (long long)size[1], m->text.s);
                bad++;
            }
            at_arena_release(&arena);
        }
        at_dp_instance_free(x);
    } while (size_next(row, m->of->n_sizes, size));
    return bad;
}

static void test_interpreted(void **state)
{
    (void)state;
    assert_int_equal(EXAMPLES, at_n_dp_examples); /* every one of them, and texts of our own */
    for (int k = 0; k < ROWS; k++) {
        at_rng r = at_rng_at(7, 0);
        made m = made_of(&rows[k]);
        assert_int_equal(m.x->proved, AT_TRUE);
        assert_int_equal(differences(&m, &rows[k], false, TEST_SCALED(20), &r), 0);
        if (!differences(&m, &rows[k], true, 200, &r))
            fail_msg("%s: told other sizes it says the same", rows[k].name);
        made_free(&m);
    }
}

/* ---- models ------------------------------------------------------------------------------------------------------------ */

static void test_compiled(void **state)
{
    (void)state;
    static const at_attention_kind kinds[] = {AT_ATTENTION_STANDARD, AT_ATTENTION_LOCAL, AT_ATTENTION_LINEAR,
                                              AT_ATTENTION_SPARSE};
    for (int k = 0; k < ROWS; k++) {
        made m = made_of(&rows[k]);
        at_rng r = at_rng_at(3, 0);
        for (int kind = 0; kind < 4; kind++) {
            at_model model;
            at_err err = {0};
            at_status s = at_dp_model(m.x, &(at_dp_options){.attention = kinds[kind]}, &model, &err);
            if (s)
                fail_msg("%s, kind %d: %s\n%s", rows[k].name, kind, err.text, m.text.s);
            for (int n = 0; n < TEST_SCALED(20); n++) {
                at_arena arena;
                at_arena_init(&arena);
                int row = at_model_row_width(&model), made_rows;
                int64_t *in = at_new(&arena, int64_t, m.x->n_input + 1);
                double *prompt = at_new(&arena, double, (m.x->n_input + 1) * row), *out, least;
                double *want = at_new(&arena, double, (m.x->n_states + 1) * row);
                for (int i = 0; i < m.all->n_inputs; i++)
                    for (int64_t j = 0; j < m.x->input_len[i]; j++)
                        in[m.x->input_first[i] + j] = drawn(&r, n % 2, m.x->input_lo[i], m.x->input_hi[i]);
                for (int64_t i = 0; i < m.x->n_input; i++)
                    prompt[i * row] = (double)in[i];
                at_dp_chain y;
                need(at_dp_run(m.x, in, &arena, &y, &err), rows[k].name, &err);
                at_dp_rows(m.x, &y, want);
                at_input p = {(int)m.x->n_input + 1, prompt};
                need(at_generate(&model, at_f64, &p, &arena, &out, &made_rows, &least, &err), rows[k].name,
                     &err);
                assert_int_equal(made_rows, m.x->n_states + 1);
                assert_memory_equal(out, want, (size_t)made_rows * (size_t)row * sizeof *out);
                at_arena_release(&arena);
            }
            at_model_release(&model);
        }
        made_free(&m);
    }
}

/* ---- refused -------------------------------------------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        int64_t least, most;
    } bad[] = {
        {"problem \"p\" size n in 1..9 input a[n] in 0..n state i in 1..n value v in 0..9 v = a[i] answer v",
         "range of an input", 1, 4},
        {"problem \"p\" size n in 1..9 input a[n] in 0..3 state i in 1..n value v in 0..9 v = a[i] mod n "
         "answer v",
         "mod and div are by numbers", 1, 4},
        {"problem \"p\" size n in 1..9 input a[9] in 0..3 state i in 1..10-n value v in 0..9 v = a[i] answer "
         "v",
         "not all states of smaller sizes", 1, 4},
        {"problem \"p\" size n in 1..9 input a[n] in 0..3 state i in 1..n value v in 0..9 v = a[i] answer v",
         "size n is 0; allowed are 1..9", 0, 4},
        {"problem \"p\" size n in 1..9 input a[n] in 0..3 state i in 1..n value v in 0..9 v = a[i] answer v",
         "size n is 10", 1, 10},
        {"problem \"p\" size n in 0..9000 input a[n] in 0..3 state i in 1..n value v in 0..9 v = a[i] answer "
         "v",
         "choices of sizes; at most", 1, 9000},
        {"problem \"p\" size n in 0..9 input a[n] in 0..3 state i in 1..n value v in 0..9 v = a[i] answer if "
         "n == 0 then 0 else v",
         "second number is smaller", 4, 1},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        at_dp *d;
        at_err err = {0};
        at_text t;
        at_text_init(&t);
        need(at_dp_parse(bad[k].text, strlen(bad[k].text), "bad.dp", &d, &err), bad[k].text, &err);
        if (!at_dp_every(d, &bad[k].least, &bad[k].most, &t, &err))
            fail_msg("taken: %s", bad[k].text);
        if (!strstr(err.text, bad[k].says))
            fail_msg("said: %s", err.text);
        at_text_release(&t);
        at_dp_free(d);
    }
}

/* A title that is as long as can be is cut between characters. */
static void test_title(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        at_text text, out;
        at_err err = {0};
        at_dp *d, *all;
        at_text_init(&text);
        at_text_init(&out);
        at_text_addf(&text, "problem \"%s", first ? "x" : "");
        for (int k = 0; k < 31; k++)
            at_text_add(&text, "\xC3\xA9");
        at_text_add(&text,
                    "\" size n in 1..9 input a[n] in 0..3 state i in 1..n value v in 0..9 v = a[i] answer v");
        need(at_dp_parse(text.s, text.n, "title", &d, &err), "title", &err);
        need(at_dp_every(d, (int64_t[]){1}, (int64_t[]){3}, &out, &err), "title", &err);
        need(at_dp_parse(out.s, out.n, "every", &all, &err), "title", &err);
        assert_non_null(strstr(all->title, "\xC3\xA9, every size"));
        assert_true(strlen(all->title) >= 61);
        at_dp_free(all);
        at_dp_free(d);
        at_text_release(&text);
        at_text_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_interpreted), cmocka_unit_test(test_compiled),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_title)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
