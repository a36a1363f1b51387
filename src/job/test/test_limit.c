/* test_limit.c: claims of limits go from a trial to the ledger like all others: a claim that is not decided does not hold, and a
 * control needs a reason. */
#include "job_test.h"

static const at_param schema[] = {
    {"n",
     "what the trial is told to find: 0 nothing, 1 that it holds, 2 that it does not, 3 the same without a "
     "word",
     0, 3, 1, true},
};

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    static const at_tri found[] = {AT_UNKNOWN, AT_TRUE, AT_FALSE, AT_FALSE};
    int n = at_params_int(p, "n");
    (void)seed;
    (void)err;
    assert_true(env->threads == 2);
    *out = (at_verdict){.holds = found[n], .evidence = cell->evidence, .inputs = limit, .margin = NAN};
    out->note = n == 3 ? NULL : at_arena_printf(a, "found %d", n);
    return AT_OK;
}

static at_job_summary check(const char *db, const at_cell *cells, int n)
{
    at_claim c = {.id = "toy-limit",
                  .title = "toy",
                  .source = "test",
                  .statement = "",
                  .params = schema,
                  .n_params = 1,
                  .trial = trial,
                  .cells = cells,
                  .n_cells = n};
    const at_claim *list = &c;
    at_job job = {.threads = 2, .seed = 1};
    at_job_summary sum;
    OK(at_ledger_open(db, AT_LEDGER_WRITE, &job.ledger, &err));
    OK(at_job_check(&list, 1, &job, &sum, &err));
    at_ledger_close(job.ledger);
    at_model m;
    at_params p;
    at_err err = {0};
    at_params_init(&p, schema, 1);
    assert_int_equal(at_claim_model(&c, &p, &m, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "is a limit"));
    return sum;
}

static void test_trials(void **state)
{
    (void)state;
    static const at_cell good[] = {
        {"n=1", NULL, AT_EV_SIMULATED, 0, "p8", 200, AT_TIER_QUICK, NULL},
        {"n=1", "n=2", AT_EV_REFUTED, 0, "p8", 200, AT_TIER_QUICK, NULL},
        {"n=1", NULL, AT_EV_REFUTED, 0, "p8", 300, AT_TIER_QUICK, NULL},
    };
    static const at_cell bad[] = {
        {"n=0", NULL, AT_EV_SIMULATED, 0, "p8", 200, AT_TIER_QUICK, NULL}, /* undecided */
        {"n=2", NULL, AT_EV_SIMULATED, 0, "p8", 200, AT_TIER_QUICK, NULL},
        {"n=1", "n=1", AT_EV_EXACT, 0, "p8", 0, AT_TIER_QUICK, NULL}, /* a control that passes */
        {"n=1", "n=0", AT_EV_EXACT, 0, "p8", 0, AT_TIER_QUICK, NULL}, /* that is undecided */
        {"n=1", "n=3", AT_EV_EXACT, 0, "p8", 0, AT_TIER_QUICK, NULL}, /* that is rejected without a reason */
    };
    place p = place_new();
    at_job_summary sum = check(p.db, good, 3);
    assert_int_equal(sum.held, 1);
    assert_int_equal(sum.controls, 1);
    assert_int_equal(sum.rejected, 1);
    at_text t = ledger_text(p.db);
    assert_non_null(strstr(t.s, "|claim|simulated|holds|p8|20|")); /* a tenth in the quick tier */
    assert_non_null(strstr(t.s, "|control|not refuted|fails|p8|20|"));
    assert_non_null(strstr(t.s, "|claim|refuted|holds|p8|30|")); /* all models were: that is what it claims */
    assert_non_null(strstr(t.s, "found 2"));
    at_text_release(&t);
    assert_int_equal(check(p.db, good, 3).served, 3);
    for (int k = 0; k < 5; k++) {
        sum = check(p.db, bad + k, 1);
        assert_int_equal(sum.held, 0);
        assert_int_equal(sum.rejected, 0);
        assert_int_equal(sum.unknown, k == 0 || k == 3 || k == 4);
        assert_int_equal(sum.standing, k == 1 || k == 2 ? AT_FALLS : AT_OPEN);
    }
    place_remove(&p);
}

/* A claim over many points: every allocation fails once, and the job says so. The first point decides, so that nothing else is done. */
static void test_out_of_memory(void **state)
{
    (void)state;
    static const at_param many[] = {{"n", "a number; 0: undecided", 0, 100000, 1, true},
                                    {"k", "another", 1, 5000, 1, true}};
    static const at_cell cell = {"n=0 k=1..4000", NULL, AT_EV_SIMULATED, 0, "p8", 200, AT_TIER_QUICK, NULL};
    at_claim c = {.id = "toy-limit",
                  .title = "toy",
                  .source = "test",
                  .statement = "",
                  .params = many,
                  .n_params = 2,
                  .trial = trial,
                  .cells = &cell,
                  .n_cells = 1};
    const at_claim *list = &c;
    int failed = 0;
    for (long nth = 1, fired = 1; fired; nth++) {
        at_err err = {0};
        at_job job = {.threads = 2, .seed = 1};
        at_job_summary sum;
        at_alloc_inject(nth);
        at_status s = at_job_check(&list, 1, &job, &sum, &err);
        fired = at_alloc_injected();
        at_alloc_inject(0);
        assert_int_equal(s, fired ? AT_ENOMEM : AT_OK);
        failed += fired;
    }
    assert_true(failed >= 3); /* the points, their models, their hashes */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trials), cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
