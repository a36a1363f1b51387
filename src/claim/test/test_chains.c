/* test_chains.c: the claims about decoders, beyond what every claim is asked: their sizes, and the size law.
 * The cells themselves are run by test_claims.c. */
#include "../shared/claim_dp.h"
#include "../shared/claim_expr.h"
#include "claim_test.h"

static const struct {
    const char *id;
    at_attention_kind kind;
    double width, total; /* exponents in theory, for edit distance */
} claims[] = {{"dp-standard", AT_ATTENTION_STANDARD, 0, 2},
              {"dp-linear", AT_ATTENTION_LINEAR, 0.5, 2},
              {"dp-sparse", AT_ATTENTION_SPARSE, 0.5, 2}};

static void test_one_shape(void **state)
{
    (void)state;
    static const char *const sizes[] = {"a=5 b=5", "a=10 b=10", "a=20 b=20"};
    point c[3];
    for (int k = 0; k < 3; k++)
        c[k] = point_at("dp-standard", sizes[k], NULL);
    for (int k = 1; k < 3; k++) {
        assert_int_equal(c[k].m.n_tensors, c[0].m.n_tensors);
        for (int t = 0; t < c[0].m.n_tensors; t++)
            for (int d = 0; d < 2; d++)
                assert_int_equal(c[k].m.tensors[t].shape[d], c[0].m.tensors[t].shape[d]);
        assert_true(c[k].m.n_max > c[0].m.n_max);
    }
    for (int k = 0; k < 3; k++)
        point_release(&c[k]);
}

/* Depth and heads do not change with the size, for any problem and kind; the width does not for standard attention.
 * Lengths 2^6, 2^9 (both run) and 2^14. */
static void test_depth_and_heads(void **state)
{
    (void)state;
    int rows = 0;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        double first[14] = {0}, out[14];
        for (int r = 0; claim_dp_law_rows[r]; r += (int[]){3, 5, 7}[r % 15 / 3]) {
            point c;
            point_params(&c, claims[i].id, claim_dp_law_rows[r], NULL);
            OK(claim_dp_law_row(&c.p, claims[i].kind, out, &err));
            if (r % 15 == 0)
                memcpy(first, out, sizeof out);
            assert_true(out[2] == first[2] && out[3] == first[3]);
            if (claims[i].width == 0)
                assert_true(out[4] == first[4] && out[5] == first[5] && out[6] == first[6]);
            rows++;
        }
    }
    print_message("%d rows\n", rows);
    assert_int_equal(rows, 3 * 9 * 3);
}

static void test_exponents(void **state)
{
    (void)state;
    size_t step = TEST_SCALE > 1 ? 3 : 1;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i += step) {
        double out[14];
        point c;
        point_params(&c, claims[i].id, "a=1022 b=1022", NULL);
        OK(claim_dp_law_row(&c.p, claims[i].kind, out, &err));
        print_message("%s: L = %.0f, width %.0f ~ L^%.4f, cost ~ L^%.4f\n", claims[i].id, out[1], out[4],
                      out[10], out[13]);
        assert_true(fabs(out[10] - claims[i].width) < 0.01);
        assert_true(fabs(out[13] - claims[i].total) < 0.01);
    }
}

/* Empty strings, and an answer of 0: the stop rule looks at the state. */
static void test_zero(void **state)
{
    (void)state;
    static const struct {
        const char *params;
        double answer;
    } cases[] = {{"problem=edit-distance a=0 b=0", 0}, {"problem=edit-distance a=0 b=3", 6},
                 {"problem=edit-distance a=2 b=0", 4}, {"problem=edit-distance a=2 b=2", 0},
                 {"problem=knapsack a=0 b=4", 0},      {"problem=lis a=0 b=3", 0}};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            point c = point_at(claims[i].id, cases[k].params, NULL);
            at_arena a;
            at_arena_init(&a);
            int row = at_model_row_width(&c.m), n_prompt = c.m.decode.prompt_max, n;
            double *x = at_new(&a, double, n_prompt *row), *rows, least;
            for (int t = 0; t + 1 < n_prompt; t++)
                x[t * row] = 1; /* equal strings */
            at_input in = {n_prompt, x};
            OK(at_generate(&c.m, at_f64, &in, &a, &rows, &n, &least, &err));
            assert_true(rows[(n - 1) * row + row - 1] == cases[k].answer);
            assert_true(least > 0.1);
            at_arena_release(&a);
            point_release(&c);
        }
}

/* Expressions: one shape for every number of operators; standard attention costs L^2, block-sparse L^1.5. */
static void test_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        at_attention_kind kind;
        double attention;
    } kinds[] = {{"arith-standard", AT_ATTENTION_STANDARD, 2}, {"arith-sparse", AT_ATTENTION_SPARSE, 1.5}};
    for (int i = 0; i < 2; i++) {
        double first[14] = {0}, out[14] = {0};
        for (int r = 0; claim_expr_law_rows[r]; r++) {
            point c;
            point_params(&c, kinds[i].id, claim_expr_law_rows[r], NULL);
            OK(claim_expr_law_row(&c.p, kinds[i].kind, out, &err));
            if (r == 0)
                memcpy(first, out, sizeof out);
            for (int k = 2; k < 7; k++)
                assert_true(out[k] == first[k]);
        }
        print_message("%s: L = %.0f, attention ~ L^%.4f\n", kinds[i].id, out[1], out[12]);
        assert_true(out[1] > 1e6 && out[2] <= 5 && out[3] <= 5); /* five layers and heads are the paper's */
        assert_true(fabs(out[12] - kinds[i].attention) < 0.01);
    }
}

/* One prompt through a chain: opened, counted, drawn, answered. */
static at_status chain_use(const at_claim *c, const at_params *p, at_err *err)
{
    void *self;
    double prompt[256], rows[4096];
    int n, n_rows;
    at_rng r = at_rng_at(1, 2);
    at_status s = c->chain->open(p, &self, err);
    if (s)
        return s;
    assert_true(c->chain->prompt_max(self) * c->chain->row_width(self) <= 256);
    assert_true(c->chain->rows_max(self) * c->chain->row_width(self) <= 4096);
    assert_true(c->chain->count(self) > 3);
    s = c->chain->nth(self, 3, prompt, &n, err);
    if (!s)
        s = c->chain->sample(self, &r, prompt, &n, err);
    if (!s)
        s = c->chain->answer(self, prompt, n, rows, &n_rows, err);
    c->chain->close(self);
    return s;
}

/* Chains, models and whole checks of the decoders' claims, each allocation failing once. */
static void test_memory(void **state)
{
    (void)state;
    static const char *const ids[] = {"dp-standard", "dp-linear",      "dp-sparse",
                                      "dp-local",    "arith-standard", "arith-sparse"};
    long failed = 0;
    for (int i = 0; i < 6; i++) {
        const at_claim *claim = at_claim_find(ids[i]);
        at_params p;
        at_params_init(&p, claim->params, claim->n_params);
        OK(at_params_parse(&p, i < 4 ? "problem=prefix-sum a=2 b=2 letters=2" : "p=2 operators=1", &err));
        at_cell cell = {.evidence = AT_EV_EXACT, .arith = "f64"};
        for (int what = 0; what < 2; what++)
            for (long nth = 1;; nth += TEST_SCALE > 1 ? 17 : 1) {
                at_err said = {0};
                at_model m;
                at_arena a;
                at_arena_init(&a);
                at_verdict v = {0};
                at_alloc_inject(nth);
                at_status s = what ? chain_use(claim, &p, &said) : at_claim_model(claim, &p, &m, &said);
                if (!s && !what) {
                    s = at_claim_check(claim, &cell, &p, &m, 0, 1, &(at_check_env){.threads = 1}, &a, &v,
                                       &said);
                    at_model_release(&m);
                }
                bool fired = at_alloc_injected();
                at_alloc_inject(0);
                at_arena_release(&a);
                if (s ? !fired || s != AT_ENOMEM : !what && v.holds != AT_TRUE)
                    fail_msg("%s, %s, allocation %ld (%s): status %d (%s), verdict %d", ids[i],
                             what ? "chain" : "check", nth, fired ? "failed" : "none", s, said.text, v.holds);
                failed += s != AT_OK;
                if (!fired)
                    break;
            }
    }
    print_message("%ld allocations failed\n", failed);
    assert_true(failed > 300 / (TEST_SCALE > 1 ? 17 : 1));
}

/* What is right by a tie is not right, and the row of the tie is named: 0 + 0 / 3 is 0 + 0, then 0 at 8 bits by luck. */
static void test_tie(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    point c = point_at("arith-standard", "p=5 operators=2 least=2", NULL);
    at_cell cell = {.evidence = AT_EV_EXACT, .arith = "p8"};
    at_verdict v;
    OK(at_claim_check(c.claim, &cell, &c.p, &c.m, 0, 1, &(at_check_env){0}, &a, &v, &err));
    assert_true(v.holds == AT_FALSE && v.has_counterexample);
    assert_true(v.cx.want && v.cx.wrote && v.cx.want[0] == v.cx.wrote[0]);
    assert_true(v.cx.margin == 0 && isnan(v.cx.expected));
    at_decoder *d;
    at_arith p8;
    OK(at_arith_parse("p8", &p8, &err));
    OK(at_decoder_new(&c.m, p8, &d, &err));
    for (int k = 0; k < v.cx.n; k++)
        OK(at_decoder_push(d, v.cx.x + k, &err));
    double row, margin = 1;
    at_tri decided;
    for (int k = 0; k <= v.cx.position; k++) {
        OK(at_decoder_next(d, &row, &margin, &decided, &err));
        assert_true((margin > 0) == (k < v.cx.position));
        OK(at_decoder_push(d, &row, &err));
    }
    assert_int_equal(v.cx.position, 2);
    at_decoder_free(d);
    point_release(&c);
    at_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_shape),
                                       cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_tie),
                                       cmocka_unit_test(test_zero),
                                       cmocka_unit_test(test_depth_and_heads),
                                       cmocka_unit_test(test_exponents),
                                       cmocka_unit_test(test_expressions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
