/* test_catalogue.c: the report of the catalogue's own claims: whole, and of one of them. */
#include "../../picture/test/picture_test.h"
#include "../report_internal.h"

static at_row row(const char *subject, bool control, const char *detail)
{
    return (at_row){{subject, "N=6 M=11", "q",
                     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", 1, "b"},
                    {control ? "control" : "claim", "exact", control ? "fails" : "holds", "f64", 99, 1, 1,
                     detail, "avx2", "1", 0.25, "2026-01-01"}};
}

/* The whole catalogue with as many rows as a check in the quick tier writes, each with a detail of its usual size: every claim
 * has its anchor once and is in the contents, its proof and program are there, and the page stays small. */
static void the_catalogue_fits(void **state)
{
    (void)state;
    enum { A_CLAIM = 9 };
    at_arena a;
    at_arena_init(&a);
    at_row *rows = at_new(&a, at_row, at_n_catalogue * A_CLAIM);
    char detail[400];
    snprintf(detail, sizeof detail, "{\"note\":\"%0250d\"}", 7);
    int n = 0;
    for (int i = 0; i < at_n_catalogue; i++)
        for (int k = 0; k < A_CLAIM; k++) {
            rows[n++] = row(at_catalogue[i]->id, k % 3 == 2, detail);
        }
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    assert_int_equal(at_report_catalogue(&(at_report_about){.build = "b"}, rows, (size_t)n, &t, &err), AT_OK);
    if (t.n >= 1000000)
        fail_msg("%zu bytes", t.n);
    const char *fault = markup_fault(t.s);
    if (fault)
        fail_msg("not well formed at %s", fault);
    assert_true(text_clean(t.s));
    assert_int_equal(occurrences(t.s, "http"), 1);
    for (int i = 0; i < at_n_catalogue; i++) {
        char wanted[96];
        snprintf(wanted, sizeof wanted, " id=\"%s\"", at_catalogue[i]->id);
        assert_int_equal(occurrences(t.s, wanted), 1);
        snprintf(wanted, sizeof wanted, "<a href=\"#%s\">", at_catalogue[i]->id);
        assert_int_equal(occurrences(t.s, wanted), 1);
    }
    assert_int_equal(occurrences(t.s, "<section class=\"claim\""), at_n_catalogue);
    assert_int_equal(occurrences(t.s, "<h4>Proof</h4>"), at_n_catalogue);
    assert_true(occurrences(t.s, "<h4>Program</h4>") > 10);
    assert_int_equal(occurrences(t.s, "<h4>Weights</h4>"), occurrences(t.s, "<h4>Program</h4>"));
    assert_int_equal(occurrences(t.s, " id=\"map\""), 1);
    at_text_release(&t);
    at_text_init(&t); /* one claim: its section, its part of the map, and nothing of the others */
    assert_int_equal(at_report_catalogue(&(at_report_about){.build = "b"}, rows, A_CLAIM, &t, &err), AT_OK);
    assert_int_equal(occurrences(t.s, "<section class=\"claim\""), 1);
    for (int i = 1; i < at_n_catalogue; i++) {
        char wanted[96];
        snprintf(wanted, sizeof wanted, "\"#%s\"", at_catalogue[i]->id);
        assert_null(strstr(t.s, wanted));
    }
    assert_true(t.n < 120000);
    at_text_release(&t);
    at_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_catalogue_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
