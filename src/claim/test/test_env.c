/* test_env.c: an environment that is not given (NULL) is that of the defaults, for every claim and every public function that
 * takes one. */
#include "claim_test.h"

#include <attest/refute.h>

static void test_claims_without(void **state)
{
    (void)state;
    int tried = 0;
    for (int i = 0; i < at_n_catalogue; i++) {
        const at_claim *c = at_catalogue[i];
        for (int k = 0; k < c->n_cells && !is_too_long(c); k++) {
            const at_cell *cell = &c->cells[k];
            if (cell->tier != AT_TIER_QUICK || (!c->trial && cell->evidence != AT_EV_SAMPLED))
                continue; /* a sampled cell asks for as little as it is told */
            if (is_long(c) && !cell->control)
                continue; /* a control is found out sooner, by the same trial */
            at_sweep w;
            at_params p;
            at_arena a;
            at_verdict v;
            at_model m;
            at_err err = {0};
            at_arena_init(&a);
            at_status s = at_cell_sweep(c, cell, AT_TIER_QUICK, NULL, &w, &err);
            assert_int_equal(s, AT_OK);
            at_sweep_nth(&w, 0, &p);
            if (c->trial)
                s = c->trial(&p, cell, 1, 1, NULL, &a, &v, &err);
            else if (!(s = at_claim_model(c, &p, &m, &err))) {
                s = at_claim_check(c, cell, &p, &m, 1, 1, NULL, &a, &v, &err);
                at_model_release(&m);
            }
            if (s)
                fail_msg("%s, cell %d: %s", c->id, k, err.text);
            at_arena_release(&a);
            tried++;
            break;
        }
    }
    assert_true(tried > at_n_catalogue / 2);
}

static void test_refuters_without(void **state)
{
    (void)state;
    at_err err = {0};
    assert_false(at_refute_over(NULL, UINT64_MAX, 1e300)); /* no limit */
    at_random_search random;
    at_subject none = {0};
    assert_int_equal(at_refute_random(&none, NULL, &random, &err), AT_EINPUT);
    at_collision out;
    at_collide_job job = {0};
    assert_int_equal(at_collide(&job, NULL, &out, &err), AT_EDOMAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_claims_without),
                                       cmocka_unit_test(test_refuters_without)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
