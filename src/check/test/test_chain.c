/* test_chain.c: decoders against chains. The model is a compiled prefix sum mod 3; the chain is written out here, with
 * places to lie in. */
#include "check_test.h"

#include <attest/front.h>

#define N 4

/* What the chain says that is not so. */
typedef struct {
    int64_t at;  /* prompt with the lie; -1: none */
    int row;     /* the row that is one too large */
    int missing; /* rows left out at the end, or (negative) added */
    uint64_t count;
} lie;

static int row_width(const void *self)
{
    (void)self;
    return 4; /* input, i, sum, answer */
}

static int prompt_max(const void *self)
{
    (void)self;
    return N + 1;
}

static int rows_max(const void *self)
{
    (void)self;
    return N + 3;
}

static uint64_t count(const void *self)
{
    return ((const lie *)self)->count;
}

static at_status nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err)
{
    (void)self;
    (void)err;
    memset(prompt, 0, (N + 1) * 4 * sizeof *prompt);
    for (int k = 0; k < N; k++, i /= 3)
        prompt[4 * k] = (double)(i % 3);
    *n = N + 1;
    return AT_OK;
}

static at_status sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    return nth(self, at_rng_below(r, 81), prompt, n, err);
}

static at_status answer(const void *self, const double *prompt, int n, double *rows, int *n_rows, at_err *err)
{
    (void)err;
    const lie *l = self;
    int64_t index = 0;
    assert_int_equal(n, N + 1);
    memset(rows, 0, (N + 3) * 4 * sizeof *rows);
    for (int k = N - 1; k >= 0; k--)
        index = 3 * index + (int64_t)prompt[4 * k];
    int sum = 0;
    for (int k = 0; k < N; k++) {
        sum = (sum + (int)prompt[4 * k]) % 3;
        rows[4 * k + 1] = k + 1;
        rows[4 * k + 2] = sum;
    }
    rows[4 * N + 3] = sum;
    *n_rows = N + 1;
    if (index == l->at && l->missing)
        *n_rows -= l->missing;
    else if (index == l->at)
        rows[4 * l->row + 2]++;
    return AT_OK;
}

static const at_chain sums = {.id = "sums",
                              .title = "",
                              .definition = "",
                              .input_help = "",
                              .row_width = row_width,
                              .prompt_max = prompt_max,
                              .rows_max = rows_max,
                              .count = count,
                              .nth = nth,
                              .sample = sample,
                              .answer = answer};

static at_model model(void)
{
    at_dp *d;
    at_dp_instance *x;
    at_model m;
    OK(at_dp_example_load("prefix-sum", &d, &err));
    OK(at_dp_bind(d, (int64_t[]){N, 3}, &x, &err));
    OK(at_dp_model(x, &(at_dp_options){AT_ATTENTION_STANDARD}, &m, &err));
    at_dp_instance_free(x);
    at_dp_free(d);
    return m;
}

static at_verdict verdict(const at_model *m, const lie *l, at_evidence e, uint64_t limit, const char *arith,
                          int threads, at_arena *a)
{
    at_question q = {.evidence = e, .limit = limit, .seed = 5};
    at_verdict v;
    OK(at_arith_parse(arith, &q.arith, &err));
    OK(at_check_chain(m, &sums, l, &q, &(at_check_env){.threads = threads}, a, &v, &err));
    return v;
}

static void test_truth(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_model m = model();
    static const char *const ariths[] = {"f64", "f32", "p20"};
    for (int k = 0; k < 3; k++) {
        at_verdict v = verdict(&m, &(lie){.at = -1, .count = 81}, AT_EV_EXACT, 0, ariths[k], 1 + k, &a);
        assert_int_equal(v.holds, AT_TRUE);
        assert_int_equal(v.evidence, AT_EV_EXACT);
        assert_int_equal(v.inputs, 81);
        assert_true(v.margin > 0.1 && v.margin <= 0.5);
    }
    at_verdict v = verdict(&m, &(lie){.at = -1, .count = 81}, AT_EV_SAMPLED, 30, "f64", 2, &a);
    assert_true(v.holds == AT_TRUE && v.evidence == AT_EV_SAMPLED && v.inputs == 30);
    v = verdict(&m, &(lie){.at = -1, .count = 81}, AT_EV_EXACT, 30, "f64", 2, &a); /* strata are samples */
    assert_true(v.holds == AT_TRUE && v.evidence == AT_EV_SAMPLED && v.inputs == 30 && v.note);
    at_model_release(&m);
    at_arena_release(&a);
}

/* One lie in 81 chains is found, at its prompt and row, whatever the threads. */
static void test_lies(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_model m = model();
    for (int64_t at = 0; at < 81; at += 10)
        for (int k = 0; k < 3; k++)
            for (int threads = 1; threads <= 3; threads += 2) {
                lie l = {.at = at, .row = (int)at % 4, .missing = k == 1 ? 1 : k == 2 ? -1 : 0, .count = 81};
                at_verdict v = verdict(&m, &l, AT_EV_EXACT, 0, "f64", threads, &a);
                assert_int_equal(v.holds, AT_FALSE);
                assert_true(v.has_counterexample && !v.cx.unknown);
                assert_int_equal(v.cx.index, at);
                assert_int_equal(v.inputs, at + 1);
                assert_int_equal(v.cx.n, N + 1);
                int row = k == 0 ? l.row : k == 1 ? N : N + 1;
                assert_int_equal(v.cx.position, row);
                assert_true(!v.cx.want == (k == 1) && !v.cx.wrote == (k == 2));
                if (k == 0)
                    assert_true(v.cx.expected == v.cx.got + 1);
            }
    at_model_release(&m);
    at_arena_release(&a);
}

static void test_refusals(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_model m = model();
    lie l = {.at = -1, .count = 81};
    at_verdict v;
    at_err err = {0};
    at_question q = {.evidence = AT_EV_CERTIFIED, .arith = at_f64};
    assert_int_equal(at_check_chain(&m, &sums, &l, &q, NULL, &a, &v, &err), AT_EREFUSED);
    q.evidence = AT_EV_SAMPLED; /* of no inputs */
    assert_int_equal(at_check_chain(&m, &sums, &l, &q, NULL, &a, &v, &err), AT_EDOMAIN);
    q.evidence = AT_EV_EXACT;
    l.count = UINT64_MAX;
    assert_int_equal(at_check_chain(&m, &sums, &l, &q, NULL, &a, &v, &err), AT_EBUDGET);
    l.count = INT64_MAX;
    assert_int_equal(at_check_chain(&m, &sums, &l, &q, NULL, &a, &v, &err), AT_EBUDGET);
    l.count = 0;
    assert_int_equal(at_check_chain(&m, &sums, &l, &q, NULL, &a, &v, &err), AT_EDOMAIN);
    l.count = 81;
    m.decode.enabled = false;
    assert_int_equal(at_check_chain(&m, &sums, &l, &q, NULL, &a, &v, &err), AT_EINPUT);
    assert_int_equal(v.holds, AT_UNKNOWN);
    at_model_release(&m);
    at_arena_release(&a);
}

/* Every allocation fails once: out of memory is said, and no verdict is given; a verdict that is given is the right one. */
static void test_memory(void **state)
{
    (void)state;
    static const char *const ariths[] = {"f64", "f32", "p20"};
    at_model m = model();
    int failed = 0;
    for (int k = 0; k < 6; k++) {
        lie l = {.at = k % 2 ? 7 : -1, .row = 2, .count = 9};
        for (long nth = 1;; nth++) {
            at_arena a;
            at_arena_init(&a);
            at_question q = {.evidence = AT_EV_EXACT};
            at_verdict v;
            at_err said = {0};
            OK(at_arith_parse(ariths[k / 2], &q.arith, &err));
            at_alloc_inject(nth);
            at_status s = at_check_chain(&m, &sums, &l, &q, &(at_check_env){.threads = 2}, &a, &v, &said);
            bool fired = at_alloc_injected();
            at_alloc_inject(0);
            if (s) {
                assert_true(fired && s == AT_ENOMEM);
                assert_string_equal(said.text, "out of memory");
                assert_int_equal(v.holds, AT_UNKNOWN);
                failed++;
            } else
                assert_int_equal(v.holds, k % 2 ? AT_FALSE : AT_TRUE);
            at_arena_release(&a);
            if (!fired)
                break;
        }
    }
    print_message("%d allocations failed\n", failed);
    assert_true(failed > 60);
    at_model_release(&m);
}

/* Copies by hard attention: right, and no choice hangs on rounding, until the tie is the distance of two scores. */
static void test_hard(void **state)
{
    (void)state;
    at_model m = model();
    at_arena a;
    at_arena_init(&a);
    for (int w = AT_LEFTMOST_HARD; w <= AT_AVERAGE_HARD; w++)
        for (int tied = 0; tied < 2; tied++) {
            for (int b = 0; b < m.n_blocks; b++)
                for (int g = 0; m.blocks[b].kind == AT_BLOCK_ATTN && g < m.blocks[b].n_groups; g++) {
                    m.blocks[b].groups[g].weighting = (at_weighting)w;
                    m.blocks[b].groups[g].tie = (tied ? 1 : 0.5) * m.blocks[b].groups[g].scale;
                }
            at_verdict v = verdict(&m, &(lie){.at = -1, .count = 81}, AT_EV_EXACT, 0, "f64", 2, &a);
            if (!tied) {
                assert_int_equal(v.holds, AT_TRUE);
                assert_int_equal(v.evidence, AT_EV_EXACT);
                assert_string_equal(v.note, "no hard choice hangs on rounding (all 81 inputs looked at)");
            } else if (v.holds == AT_TRUE) {
                assert_int_equal(v.evidence, AT_EV_SAMPLED);
                assert_non_null(strstr(v.note, "rounding may turn a hard choice on 81 of 81 inputs"));
            }
        }
    at_arena_release(&a);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_truth), cmocka_unit_test(test_hard),
                                       cmocka_unit_test(test_lies), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
