/* test_limit.c: claims of limits go from a trial to the ledger like all others: a claim that is not decided does not hold, and a
 * control needs a reason. */
#include "job_test.h"

#include <attest/refute.h>

#include <sqlite3.h>

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
    };
    static const at_cell bad[] = {
        {"n=0", NULL, AT_EV_SIMULATED, 0, "p8", 200, AT_TIER_QUICK, NULL}, /* undecided */
        {"n=2", NULL, AT_EV_SIMULATED, 0, "p8", 200, AT_TIER_QUICK, NULL},
        {"n=1", "n=1", AT_EV_EXACT, 0, "p8", 0, AT_TIER_QUICK, NULL}, /* a control that passes */
        {"n=1", "n=0", AT_EV_EXACT, 0, "p8", 0, AT_TIER_QUICK, NULL}, /* that is undecided */
        {"n=1", "n=3", AT_EV_EXACT, 0, "p8", 0, AT_TIER_QUICK, NULL}, /* that is rejected without a reason */
    };
    place p = place_new();
    at_job_summary sum = check(p.db, good, 2);
    assert_int_equal(sum.held, 1);
    assert_int_equal(sum.controls, 1);
    assert_int_equal(sum.rejected, 1);
    at_text t = ledger_text(p.db);
    assert_non_null(strstr(t.s, "|claim|simulated|holds|p8|20|")); /* a tenth in the quick tier */
    assert_non_null(strstr(t.s, "|control|not refuted|fails|p8|20|"));
    assert_non_null(strstr(t.s, "found 2"));
    at_text_release(&t);
    assert_int_equal(check(p.db, good, 2).served, 2);
    for (int k = 0; k < 5; k++) {
        sum = check(p.db, bad + k, 1);
        assert_int_equal(sum.held, 0);
        assert_int_equal(sum.rejected, 0);
        assert_int_equal(sum.unknown, k == 0 || k == 3);
    }
    place_remove(&p);
}

static at_refute_report refute(const char *db, const at_model *m, at_arena *a)
{
    at_params p;
    const at_task *t = at_task_find("match3");
    at_params_init(&p, t->params, t->n_params);
    OK(at_params_parse(&p, "N=9 M=40", &err));
    at_subject s = {.m = m, .task = t, .params = &p};
    OK(at_arith_parse("p6", &s.arith, &err));
    at_refute_job job = {.subject = &s,
                         .task = "match3",
                         .params = "N=9 M=40",
                         .env = {.seconds = 10, .seed = 1, .threads = 1}};
    at_refute_report r;
    OK(at_ledger_open(db, AT_LEDGER_WRITE, &job.ledger, &err));
    OK(at_job_refute(&job, a, &r, &err));
    at_ledger_close(job.ledger);
    return r;
}

static void detail_write(const char *db, const char *detail)
{
    sqlite3 *s;
    char *sql = sqlite3_mprintf("UPDATE verdict SET detail = %Q", detail);
    assert_int_equal(sqlite3_open(db, &s), SQLITE_OK);
    assert_int_equal(sqlite3_exec(s, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(sql);
    sqlite3_close(s);
}

/* A kept finding is run again before it is believed; one that somebody has damaged is looked for again. */
static void test_damaged_findings(void **state)
{
    (void)state;
#define PAIR(method, x, y) "{\"method\":\"" method "\",\"runs\":1,\"pair\":[" x "," y "]}"
#define SMALL              "\"1 2 0 0 0 35 0 0 0\""
#define LARGE              "\"1 4 0 0 0 35 0 0 0\""
    static const char *const damaged[] = {
        "",
        "[",
        PAIR("one-layer", "1", "2"),
        PAIR("one-layer", "\"1 2 35\"", "\"1 4 35\""),          /* too short */
        PAIR("one-layer", LARGE, "\"1 4 0 0 0 35 0 0 0 0 0\""), /* too long */
        PAIR("one-layer", SMALL, "\"1 99 0 0 0 35 0 0 0\""),    /* no such token */
        PAIR("one-layer", SMALL, SMALL),                        /* no pair */
        PAIR("\\u001b[31m", SMALL, LARGE),                      /* nobody's */
        "{\"pair\":[" SMALL "," LARGE "]}",                     /* nobody's */
        "{\"runs\":-3,\"states\":-4}",
        "{\"runs\":9223372036854775807,\"states\":9223372036854775807}",
    };
    place p = place_new();
    at_params at;
    at_model m;
    at_arena a;
    const at_claim *c = at_claim_find("match2");
    at_arena_init(&a);
    at_params_init(&at, c->params, c->n_params);
    OK(at_params_parse(&at, "N=9 M=40", &err));
    OK(at_claim_model(c, &at, &m, &err));
    assert_int_equal(refute(p.db, &m, &a).found.refuted, AT_TRUE);
    assert_true(refute(p.db, &m, &a).served);
    detail_write(p.db, PAIR("one-layer", SMALL, LARGE));
    assert_true(refute(p.db, &m, &a).served);
    for (size_t k = 0; k < sizeof damaged / sizeof *damaged; k++) {
        detail_write(p.db, damaged[k]);
        at_refute_report r = refute(p.db, &m, &a);
        if (r.served || r.found.refuted != AT_TRUE)
            fail_msg("%s: %s", damaged[k], r.served ? "was served" : "not found again");
        assert_true(refute(p.db, &m, &a).served); /* and kept */
    }
    at_arena_release(&a);
    at_model_release(&m);
    place_remove(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trials),
                                       cmocka_unit_test(test_damaged_findings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
