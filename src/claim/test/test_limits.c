/* test_limits.c: every claim of a limit: its quick cells hold, its controls are rejected with a reason, and it says so whatever the
 * number of threads. */
#include "claim_test.h"

static at_verdict answer(const at_claim *c, const at_cell *cell, int threads, at_arena *a)
{
    at_sweep w;
    at_verdict v = {.holds = AT_UNKNOWN};
    OK(at_cell_sweep(c, cell, AT_TIER_QUICK, NULL, &w, &err));
    for (uint64_t k = 0; k < at_sweep_count(&w); k++) { /* all points; the first that does not hold speaks */
        at_params p;
        at_sweep_nth(&w, k, &p);
        OK(at_claim_check(c, cell, &p, NULL, (cell->inputs + 9) / 10, 1, &(at_check_env){.threads = threads},
                          a, &v, &err));
        if (v.holds != AT_TRUE)
            break;
    }
    return v;
}

/* EVIDENCE disjointness exact D of six functions up to 3 bits, fooling sets and ranks up to 10 */
static void test_every_trial(void **state)
{
    (void)state;
    for (int i = 0; i < at_n_catalogue; i++) {
        const at_claim *c = at_catalogue[i];
        int held = 0, rejected = 0;
        for (int k = 0; c->trial && k < c->n_cells; k++) {
            const at_cell *cell = &c->cells[k];
            if (cell->tier != AT_TIER_QUICK)
                continue;
            at_arena a;
            at_arena_init(&a);
            at_verdict v = answer(c, cell, 2, &a), w = answer(c, cell, 1, &a);
            if (v.holds != (cell->control ? AT_FALSE : AT_TRUE) || !v.note)
                fail_msg("%s %s%s%s: %d, %s", c->id, cell->params, cell->control ? " control " : "",
                         cell->control ? cell->control : "", v.holds, v.note ? v.note : "without a word");
            assert_int_equal(w.holds, v.holds);
            assert_int_equal(w.inputs, v.inputs);
            assert_string_equal(w.note, v.note);
            held += !cell->control;
            rejected += !!cell->control;
            at_arena_release(&a);
        }
        if (c->trial && (!held || !rejected))
            fail_msg("%s: %d quick cells, %d quick controls", c->id, held, rejected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_trial)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
