/* test_triangles.c: the layer of 5-bit numbers of claim triangle-row where its proof has cases: every set of nodes that an edge leads back
 * from, in every group, and the faintest mean that there is, at the largest size. */
#include "claim_test.h"

#include <string.h>

enum { LARGEST = 191 };

static void layer_make(int N, at_model *m)
{
    const at_claim *c = at_claim_find("triangle-row");
    at_params p;
    assert_non_null(c);
    at_params_init(&p, c->params, c->n_params);
    OK(at_params_set(&p, "N", N, &err));
    OK(c->right(&p, m, &err));
}

/* What the model says of the first node, and what is right. */
static bool says(const at_model *m, int N, const double *x, bool *right)
{
    const at_task *t = at_task_find("triangle");
    at_params p;
    at_arith q;
    at_arena a;
    at_output y;
    double answer[LARGEST];
    at_params_init(&p, t->params, t->n_params);
    OK(at_params_set(&p, "N", N, &err));
    OK(at_arith_parse("q2e3", &q, &err));
    at_arena_init(&a);
    OK(at_run(m, q, &(at_input){N, x}, NULL, &a, &y, &err));
    t->answer(&p, x, answer);
    *right = answer[0] != 0;
    bool out = y.decision[0] != 0;
    at_arena_release(&a);
    return out;
}

/* 1 -> 2 -> k alone, edges back from every set of eight nodes. EVIDENCE triangle-row exact 2048 test_sets: sets of two groups, and k */
static void test_sets(void **state)
{
    (void)state;
    enum { N = 8 };
    at_model m;
    uint64_t asked = 0;
    layer_make(N, &m);
    for (int set = 0; set < 1 << N; set++)
        for (int k = 0; k < N; k++) {
            double x[N * N] = {0};
            bool right;
            for (int j = 0; j < N; j++)
                x[j * N] = set >> j & 1;
            x[1] = x[N + k] = 1;
            bool said = says(&m, N, x, &right);
            if (said != right)
                fail_msg("set %d, k = %d: %d", set, k, said);
            asked++;
        }
    evidence_say("test_sets", "triangle-row", "exact", asked, "graphs");
    at_model_release(&m);
}

/* 1 leads to all others, of which one leads to node 100; back from 100, or from 101. */
static void test_faint(void **state)
{
    (void)state;
    static double x[LARGEST * LARGEST];
    at_model m;
    layer_make(LARGEST, &m);
    for (int back = 99; back <= 100; back++) {
        bool right;
        memset(x, 0, sizeof x);
        for (int j = 1; j < LARGEST; j++)
            x[j] = 1;
        x[LARGEST + 99] = x[back * LARGEST] = 1;
        bool said = says(&m, LARGEST, x, &right);
        assert_int_equal(said, right);
        assert_int_equal(right, back == 99);
    }
    at_model_release(&m);
    at_params p;
    at_err why = {0};
    const at_claim *c = at_claim_find("triangle-row");
    at_params_init(&p, c->params, c->n_params);
    OK(at_params_set(&p, "N", LARGEST + 1, &err));
    assert_int_equal(c->right(&p, &m, &why), AT_EDOMAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_faint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
