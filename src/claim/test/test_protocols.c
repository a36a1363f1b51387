/* test_protocols.c: the claims of limits that rest on protocols, beyond what every trial is asked: gadgets by brute force that shares
 * nothing with the tasks, bits counted to the bit, and what cannot be split.
 * The cells are run by test_limits.c. */
#include "claim_test.h"

#include <attest/protocol.h>

/* Match3 by three loops over the gadget as the claim's comment has it. */
static bool gadget_match3(int n, int M, int first, int a, int b)
{
    int x[16] = {first}, N = 2 * n + 1;
    for (int i = 1; i <= n; i++) {
        x[i] = a >> (i - 1) & 1 ? 4 * i : 2;
        x[n + i] = b >> (i - 1) & 1 ? M - 1 - 4 * i : 2;
    }
    for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
            if ((x[0] + x[j] + x[k]) % M == 0)
                return true;
    return false;
}

static void test_gadget(void **state)
{
    (void)state;
    for (int n = 1; n <= 4; n++)
        for (int over = -1; over <= 12; over++) {
            int wrong = 0;
            for (int i = 0; i < 1 << 2 * n; i++) {
                int a = i % (1 << n), b = i >> n;
                wrong += gadget_match3(n, 8 * n + 2 + over, 1, a, b) != ((a & b) != 0);
            }
            assert_int_equal(wrong > 0, over < 0);
        }
    assert_true(gadget_match3(3, 26, 0, 0, 0)); /* with x_1 = 0 there always is a triple */
}

static at_verdict verdict_of(const char *id, const char *params, const char *arith, uint64_t limit,
                             at_arena *a)
{
    const at_claim *c = at_claim_find(id);
    at_params p;
    at_verdict v;
    at_params_init(&p, c->params, c->n_params);
    OK(at_params_parse(&p, params, &err));
    at_cell cell = {.evidence = AT_EV_SIMULATED, .arith = arith};
    OK(at_claim_check(c, &cell, &p, NULL, limit, 1, &(at_check_env){.threads = 1}, a, &v, &err));
    return v;
}

static void says(const char *id, const char *params, const char *arith, const char *words)
{
    at_arena a;
    at_arena_init(&a);
    at_verdict v = verdict_of(id, params, arith, 2, &a);
    assert_int_equal(v.holds, AT_TRUE);
    if (!strstr(v.note, words))
        fail_msg("%s %s: expected \"%s\" in \"%s\"", id, params, words, v.note);
    at_arena_release(&a);
}

/* The bits of one run, from the sizes alone: b = p + e, A = 2p + ceil(log2 T) + 3*2^(e-1) - 5. */
static void test_counts(void **state)
{
    (void)state;
    /* H = 2, m = 4, T = 7, b = 13, A = 16+3+48-5 = 62: maxima each way, and Alice's H(m+1) sums */
    says("match3-hard", "n=3 H=2 m=4", "p8e5",
         "at most 672 bits of 672 allowed (queries 0, maxima 52, sums 620); A = 62");
    says("match3-hard", "n=3 H=2 m=4", "p8e5", "Alice sent 646; DISJ_3 with the answer told needs 4");
    /* m = 1: three numbers of 9 bits */
    says("qsa-attention-hard", "q=3 m=1", "p4e5", "3 numbers of 9 bits in one message");
    /* D N H (m b + 2b + (m+1) A) = 6 (2*9 + 18 + 3*54) over the cut, A = 8+3+48-5 = 54; five edges in all */
    says("triangle", "k=2 D=1 H=1 m=2", "p4e5", "at most 1188 bits an edge, 1188 over the cut");
    /* Grace: H maxima and H(d+1) sums, H = 2, d = 3: 26 + 8*62 */
    says("compose-bound", "n=3 H=2 d=3 prompts=20", "p8e5", "sent at most 522;");
    /* L = 2: sums at most 2HdA a token and answering player. w asks 3 players, z_0 2, z_1 (2 tokens) 1: 7 answers a layer */
    says("arcomm", "L=2 m=2 n1=2 prompts=20", "p8e5", "sums 6944)"); /* 2 layers * 7 * H(d+1) = 8 sums * 62 */
}

/* Three-wise attention does not split between holders of keys, and is refused by name. */
static void test_threewise(void **state)
{
    (void)state;
    point c = point_at("match3-threewise", "N=5 M=9", NULL);
    int owner[] = {1, 0, 0, 1, 1};
    at_shared *s = NULL;
    at_err why = {0};
    at_arith a;
    OK(at_arith_parse("p24", &a, &err));
    assert_int_equal(
        at_shared_new(&c.m, a, 5, &(at_shared_plan){.parties = 2, .owner = owner, .query = 0}, &s, &why),
        AT_EREFUSED);
    assert_non_null(strstr(why.text, at_weighting_names[AT_THREEWISE]));
    point_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gadget), cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_threewise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
