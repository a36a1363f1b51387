/* test_refute.c: what refuters find goes into the ledger and is run again before it is served; what they do not find is counted. */
#include "job_test.h"

typedef struct {
    at_model m;
    at_params p;
    at_subject s;
} fixture;

/* A claim's model against a task that may be another one than its own. */
static void fixture_init(fixture *f, const char *id, const char *params, const char *task, at_arith arith)
{
    const at_claim *c = at_claim_find(id);
    at_params cp;
    at_params_init(&cp, c->params, c->n_params);
    OK(at_params_parse(&cp, params, &err));
    OK(at_claim_model(c, &cp, &f->m, &err));
    const at_task *t = at_task_find(task);
    at_params_init(&f->p, t->params, t->n_params);
    OK(at_params_parse(&f->p, params, &err));
    f->s = (at_subject){.m = &f->m, .arith = arith, .task = t, .params = &f->p};
}

static at_refute_report refute(const fixture *f, const char *db, uint64_t states, at_arena *a)
{
    at_refute_job job = {.subject = &f->s,
                         .task = "match3",
                         .params = "N=5 M=18",
                         .env = {.states = states, .seed = 1, .threads = 1}};
    at_refute_report r;
    OK(at_ledger_open(db, AT_LEDGER_WRITE, &job.ledger, &err));
    OK(at_job_refute(&job, a, &r, &err));
    at_ledger_close(job.ledger);
    return r;
}

/* Replaces the detail of the one record. */
static void detail_replace(const char *db, const char *detail)
{
    at_ledger *l;
    at_row *rows;
    size_t n;
    at_arena a;
    at_arena_init(&a);
    OK(at_ledger_open(db, AT_LEDGER_WRITE, &l, &err));
    OK(at_ledger_rows(l, NULL, &rows, &n, &a, &err));
    assert_int_equal(n, 1);
    rows[0].rec.detail = detail;
    OK(at_ledger_put(l, &rows[0].key, &rows[0].rec, &err));
    at_ledger_close(l);
    at_arena_release(&a);
}

/* A method is printed, so it is a refuter's name or nothing. */
static void detail_sign(const char *db, const char *method)
{
    at_ledger *l;
    at_row *rows;
    size_t n;
    at_arena a;
    at_arena_init(&a);
    OK(at_ledger_open(db, AT_LEDGER_READ, &l, &err));
    OK(at_ledger_rows(l, NULL, &rows, &n, &a, &err));
    at_ledger_close(l);
    const char *at = strstr(rows[0].rec.detail, "\"method\":\""), *end;
    assert_non_null(at);
    at += strlen("\"method\":\"");
    end = strchr(at, '"');
    detail_replace(
        db, at_arena_printf(&a, "%.*s%s%s", (int)(at - rows[0].rec.detail), rows[0].rec.detail, method, end));
    at_arena_release(&a);
}

static void test_a_finding(void **state)
{
    (void)state;
    static const char *const damaged[] = {
        "{}",
        "[1]",
        "{\"runs\":1,\"method\":\"one-layer\",\"pair\":[]}",
        "{\"runs\":1,\"method\":\"one-layer\",\"pair\":[\"1 2 3 4 99999\",\"1 2 3 4 5\"]}", /* no token */
        "{\"runs\":1,\"method\":\"one-layer\",\"pair\":[\"1 2 3 4 5\",\"1 2 3 4 5\"]}",     /* no pair */
        "{\"runs\":1,\"method\":\"one-layer\",\"pair\":[7,8]}",
        "{\"runs\":1,\"method\":\"one-layer\",\"pair\":[\"1 2 3\",\"1 2 4\"]}", /* not of this length */
        "{\"runs\":1,\"method\":\"search\",\"pair\":[\"1 2 3\"]}",
        "{\"runs\":-3,\"states\":-4}",
        "{\"runs\":9223372036854775807,\"states\":9223372036854775807}",
    };
    place p = place_new();
    fixture f;
    at_arena a;
    at_arena_init(&a);
    fixture_init(&f, "match2", "N=5 M=18", "match3", (at_arith){AT_PBIT, 6, 8});
    at_refute_report r = refute(&f, p.db, 100000, &a);
    assert_int_equal(r.found.refuted, AT_TRUE);
    assert_false(r.served);
    assert_false(r.found.answer[r.found.wrong].correct);
    at_text t = ledger_text(p.db);
    assert_non_null(strstr(t.s, "|refutation|refuted|fails|p6e8|"));
    at_text_release(&t);

    at_refute_report again = refute(&f, p.db, 100000, &a);
    assert_true(again.served);
    assert_int_equal(again.found.refuted, AT_TRUE);
    assert_string_equal(again.found.method, r.found.method);
    assert_int_equal(again.found.pair.x[0].n, r.found.pair.x[0].n);
    assert_memory_equal(again.found.pair.x[0].v, r.found.pair.x[0].v, 5 * sizeof(double));

    for (size_t k = 0; k < sizeof damaged / sizeof *damaged; k++) { /* never believed */
        detail_replace(p.db, damaged[k]);
        again = refute(&f, p.db, 100000, &a);
        assert_false(again.served);
        assert_int_equal(again.found.refuted, AT_TRUE);
    }
    detail_sign(p.db, "search");
    assert_true(refute(&f, p.db, 100000, &a).served);
    detail_sign(p.db, "\\u001b[31mred");
    assert_false(refute(&f, p.db, 100000, &a).served);
    at_model_release(&f.m);
    at_arena_release(&a);
    place_remove(&p);
}

static void test_nothing_found(void **state)
{
    (void)state;
    place p = place_new();
    fixture f;
    at_arena a;
    at_arena_init(&a);
    fixture_init(&f, "match3-threewise", "N=5 M=18", "match3", at_f64);
    uint64_t states = 0;
    for (uint64_t k = 0; k < 3; k++) {
        at_refute_report r = refute(&f, p.db, 200, &a);
        assert_int_equal(r.found.refuted, AT_UNKNOWN);
        assert_int_equal(r.runs, k);
        assert_true(r.states > states);
        states = r.states;
    }
    at_text t = ledger_text(p.db);
    assert_non_null(strstr(t.s, "|refutation|not refuted|unknown|f64|"));
    at_text_release(&t);
    at_model_release(&f.m);
    at_arena_release(&a);
    place_remove(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_finding),
                                       cmocka_unit_test(test_nothing_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
