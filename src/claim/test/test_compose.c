/* test_compose.c: the claims about function composition, beyond what every claim is asked: sizes, masks, the error that
 * look-ups promise each other, and the numbers of its proof.
 * The cells themselves are run by test_claims.c. */
#include "claim_test.h"

#include <attest/refute.h>

static void test_sizes(void **state)
{
    (void)state;
    static const int values[] = {2, 3, 64, 1000};
    for (int k = 2; k <= 4; k++)
        for (int i = 0; i < 4; i++) {
            char text[64];
            snprintf(text, sizeof text, "n=%d k=%d", values[i], k);
            at_size z = size_at("compose-two", text);
            assert_true(z.layers == k && z.mlps == 0 && z.heads == 1 && z.head_dim == 2);
            assert_int_equal(z.width, k + 2);
            at_size first = size_at("compose-chain", "n=3 k=2");
            z = size_at("compose-chain", text);
            assert_true(z.layers == 1 && z.mlps == 0 && z.heads == 1 && z.width == 3);
            assert_int_equal(z.parameters, first.parameters); /* neither n nor k counts */
        }
    for (int n = 2; n <= 64; n *= 2) {
        char text[64];
        snprintf(text, sizeof text, "n=%d", n);
        at_size z = size_at("compose-one", text);
        assert_true(z.layers == 1 && z.heads == 1 && z.mlps == 2 && z.head_dim == n + 1);
        if (z.hidden > 8 * n + 16)
            fail_msg("compose-one n=%d: %d units", n, z.hidden);
    }
    static const int packed[][2] = {{2, 3}, {4, 3}, {16, 4}, {64, 17}, {100, 35}, {256, 87}};
    for (int i = 0; i < 6; i++) { /* ceil(n/R) + 1, but keys of 3 */
        char text[64];
        snprintf(text, sizeof text, "n=%d bits=24", packed[i][0]);
        at_size z = size_at("compose-one", text);
        assert_true(z.layers == 1 && z.heads == 1 && z.head_dim == packed[i][1]);
    }
    for (int L = 1; L <= 5; L++) {
        char text[64];
        snprintf(text, sizeof text, "L=%d m=3 n1=%d n2=%d n3=%d n4=%d", L, L > 1 ? 2 : 1, L > 2 ? 3 : 1,
                 L > 3 ? 2 : 1, L > 4 ? 2 : 1);
        at_size z = size_at("funccomp", text);
        assert_true(z.layers == L + 1 && z.mlps == 0 && z.heads == 1);
        assert_int_equal(z.width, 2 * L + 2);
    }
}

/* Every attention of funccomp is strictly causal; all but the last layer need the skip, and have it. */
static void test_strict(void **state)
{
    (void)state;
    point c = point_at("funccomp", "L=3 m=3 n1=2 n2=3", NULL);
    assert_int_equal(c.m.n_blocks, 4);
    for (int b = 0; b < c.m.n_blocks; b++) {
        assert_int_equal(c.m.blocks[b].kind, AT_BLOCK_ATTN);
        assert_int_equal(c.m.blocks[b].n_groups, 1);
        assert_int_equal(c.m.blocks[b].groups[0].mask.kind, AT_MASK_STRICT);
        assert_true(c.m.blocks[b].residual || b == 3);
    }
    point_release(&c);
}

/* The promise of claim_compose.h: an answer is within 1/(8N) of an integer, however many look-ups it took. In balls, so
 * that no rounding hides in it. */
static void test_promised_errors(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"compose-two", "n=2"},       {"compose-two", "n=3"},
        {"compose-two", "n=24"},      {"compose-two", "n=2 k=20"},
        {"funccomp", "L=1 m=1 n1=1"}, {"funccomp", "L=2 m=2 n1=2"},
        {"funccomp", "L=2 m=4 n1=4"}, {"funccomp", "L=6 m=2 n1=1 n2=2"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        point c = point_at(rows[k][0], rows[k][1], NULL);
        double worst = 0, promised = 1. / (8 * c.n);
        for (uint64_t i = 0; i < 60; i++) {
            at_arena a;
            at_arena_init(&a);
            at_arith ball;
            at_output y;
            double *x = at_new(&a, double, c.n), answer;
            at_rng r = at_rng_at(3, i);
            (i % 4 ? c.t->adversarial : c.t->sample)(&c.tp, &r, x);
            c.t->answer(&c.tp, x, &answer);
            OK(at_arith_parse("ball", &ball, &err));
            OK(at_run(&c.m, ball, &(at_input){c.n, x}, NULL, &a, &y, &err));
            assert_int_equal(y.n, 1);
            worst = fmax(worst, fabs(y.value[0] - answer) + y.radius[0]);
            at_arena_release(&a);
        }
        print_message("%s %s: off by %.3g of %.3g\n", rows[k][0], rows[k][1], worst, promised);
        assert_true(worst <= promised);
        point_release(&c);
    }
}

/* The proof's numbers: 2 sum_d exp(-lambda (d^2 - 2 d e)) <= 4 exp(-lambda) at e = 1/(8N), lambda = ln(32 V N), for every
 * length and the smallest and largest V. */
static void test_proof(void **state)
{
    (void)state;
    for (int N = 2; N <= 4098; N++)
        for (int largest = 0; largest < 2; largest++) {
            double lambda = log(32. * (largest ? N : 1) * N), e = 1. / (8 * N), sum = 0;
            for (int d = 1; d <= 20; d++)
                sum += 2 * exp(-lambda * (d * d - 2 * d * e));
            assert_true(2 * lambda * e < 0.61);
            assert_true(sum <= 4 * exp(-lambda));
        }
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"compose-one", "missing=4", "missing=4: must be at most n, and n is 3"},
        {"compose-one", "n=4 bits=1", "bits=1: a value of 0..3 does not fit"},
        {"compose-one", "n=4 bits=8 missing=1", "missing=1: all values have a slot where bits=8"},
        {"compose-two", "k=2 fewer=2", "fewer=2: must be below k, and k is 2"},
        {"compose-two", "n=1000 k=5", "N=5001"},
        {"compose-chain", "n=1000 k=5", "N=5001"},
        {"funccomp", "L=1", "n1=2: must be 1, since w_1 is not used when L is 1"},
        {"funccomp", "L=2 fewer=3", "fewer=3: must be at most L, and L is 2"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const at_claim *c = at_claim_find(rows[k][0]);
        at_params p;
        at_model m;
        at_err err = {0};
        at_params_init(&p, c->params, c->n_params);
        assert_int_equal(at_params_parse(&p, rows[k][1], &err), AT_OK);
        assert_int_equal(at_claim_model(c, &p, &m, &err), AT_EDOMAIN);
        if (!strstr(err.text, rows[k][2]))
            fail_msg("%s", err.text);
    }
}

/* A decoder that goes on writing is wrong after one row too many; a million steps are not waited for. */
static void test_endless(void **state)
{
    (void)state;
    point c = point_at("compose-chain", "n=3 k=2", NULL);
    void *chain;
    at_arena a;
    at_answer y;
    at_arena_init(&a);
    OK(c.claim->chain->open(&c.p, &chain, &err));
    at_subject s = {.m = &c.m, .arith = at_f64, .chain = c.claim->chain, .self = chain};
    double prompt[7] = {0, 1, 2, 1, 2, 0, 1};
    OK(at_subject_answer(&s, &(at_input){7, prompt}, &a, &y, &err));
    assert_true(y.correct && y.n == 2);
    c.m.decode.max_steps = 1000000;
    c.m.n_max = 1048576;
    OK(at_subject_answer(&s, &(at_input){7, prompt}, &a, &y, &err));
    assert_true(!y.correct && y.n == 3 && y.n_right == 2 && y.position == 2);
    at_arena_release(&a);
    c.claim->chain->close(chain);
    point_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endless),         cmocka_unit_test(test_sizes), cmocka_unit_test(test_strict),
        cmocka_unit_test(test_promised_errors), cmocka_unit_test(test_proof), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
