/* test_tables.c: a table of a claim goes to the ledger whole, with all that a plot of it needs; rows that were computed are kept when a
 * later one fails. */
#include "job_test.h"

static const at_param schema[] = {{"n", "a number", 0, 100, 1, true}};
static const char *const columns[] = {"n", "half", "none", NULL};
static const char *const rows[] = {"n=4", "n=8", "n=16", "n=32", NULL};
static const char *const plots[] = {"half", "none", NULL};
static const double theory[] = {1, -0.5};

static int computed, fails_at; /* rows so far; n of the row that fails */

static at_status row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    int n = at_params_int(p, "n");
    assert_true(!strcmp(c->id, "toy") && threads == 2);
    if (n == fails_at)
        return at_fail(err, AT_EBUDGET, "no row for %d", n);
    computed++;
    out[0] = n;
    out[1] = n / 2.0 + 0.1;
    return AT_OK;
}

static const at_claim_table tables[] = {
    {.id = "halves",
     .title = "Halves",
     .columns = columns,
     .x = "n",
     .rows = rows,
     .quick_rows = 2,
     .logx = true,
     .by = "none",
     .plots = plots,
     .theory = theory,
     .row = row},
    {.id = "plain",
     .title = "The same, not drawn",
     .columns = columns,
     .rows = rows,
     .quick_rows = 1,
     .row = row},
};

static at_status check(const char *db, at_tier tier, at_job_summary *sum, at_err *why)
{
    at_claim c = {.id = "toy",
                  .title = "toy",
                  .source = "test",
                  .statement = "",
                  .params = schema,
                  .n_params = 1,
                  .tables = tables,
                  .n_tables = 2};
    const at_claim *list = &c;
    at_job job = {.threads = 2, .seed = 1, .tier = tier};
    OK(at_ledger_open(db, AT_LEDGER_WRITE, &job.ledger, &err));
    at_status s = at_job_check(&list, 1, &job, sum, why);
    at_ledger_close(job.ledger);
    return s;
}

static void test_details(void **state)
{
    (void)state;
    place p = place_new();
    at_job_summary sum;
    OK(check(p.db, AT_TIER_QUICK, &sum, &err));
    assert_int_equal(computed, 3);
    at_text t = ledger_text(p.db);
    static const char *const said[] = {
        "|halves|table halves rows=2|",
        "|plain|table plain rows=1|",
        "|table|table|computed||2|nan|",
        "|table|table|computed||1|nan|",
        "{\"table\":{\"by\":\"none\",\"columns\":[\"n\",\"half\",\"none\"],\"id\":\"halves\",\"logx\":true,"
        "\"logy\":false,"
        "\"plots\":[{\"column\":\"half\",\"exponent\":1.0},{\"column\":\"none\",\"exponent\":-0.5}],"
        "\"rows\":[[4.0,2.1000000000000001,null],[8.0,4.0999999999999996,null]],\"title\":\"Halves\",\"x\":"
        "\"n\"}}",
        "{\"table\":{\"columns\":[\"n\",\"half\",\"none\"],\"id\":\"plain\",\"logx\":false,\"logy\":false,"
        "\"plots\":[],"
        "\"rows\":[[4.0,2.1000000000000001,null]],\"title\":\"The same, not drawn\"}}",
    };
    for (size_t k = 0; k < sizeof said / sizeof *said; k++)
        if (!strstr(t.s, said[k]))
            fail_msg("no %s in\n%s", said[k], t.s);
    at_text_release(&t);
    OK(check(p.db, AT_TIER_QUICK, &sum, &err)); /* from the ledger */
    assert_int_equal(computed, 3);
    OK(check(p.db, AT_TIER_FULL, &sum, &err)); /* another table: all of it */
    assert_int_equal(computed, 3 + 8);
    place_remove(&p);
}

static void test_rows_are_kept(void **state)
{
    (void)state;
    place p = place_new();
    at_job_summary sum;
    at_err why = {0};
    computed = 0;
    fails_at = 16;
    assert_int_equal(check(p.db, AT_TIER_FULL, &sum, &why), AT_EBUDGET);
    assert_non_null(strstr(why.text, "no row for 16"));
    int before = computed;
    fails_at = 0;
    OK(check(p.db, AT_TIER_FULL, &sum, &err));
    assert_int_equal(before, 2);
    assert_int_equal(computed, 8);
    place_remove(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_details),
        cmocka_unit_test(test_rows_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
