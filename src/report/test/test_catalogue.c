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

static const char table[] =
    "{\"table\":{\"title\":\"least p from which on it holds, against M\",\"x\":\"M\",\"logx\":true,"
    "\"columns\":[\"M\",\"least p\",\"log2 c\"],\"rows\":[[4,2,5.95],[8,7,7.95],[16,7,9.95],[32,11,11.95],"
    "[64,14,13.95],[128,16,15.95],[256,18,17.95]]}}";

static at_row table_row(const char *subject, const char *detail)
{
    at_row r = row(subject, false, detail);
    r.rec.role = "table";
    r.rec.verdict = "computed";
    return r;
}

static char *page_of(const at_row *rows, size_t n, at_text *t)
{
    at_err err = {0};
    at_text_init(t);
    if (at_report_catalogue(&(at_report_about){.build = "b"}, rows, n, t, &err))
        fail_msg("%s", err.text);
    const char *fault = markup_fault(t->s);
    if (fault)
        fail_msg("not well formed at %s", fault);
    return t->s;
}

/* The whole catalogue with as many rows as a check in the quick tier writes, each with a detail of its usual size: every claim
 * has its anchor once and is in the contents, its proof and program are there, and the page stays small. */
static void the_catalogue_fits(void **state)
{
    (void)state;
    enum { A_CLAIM = 10 };
    at_arena a;
    at_arena_init(&a);
    at_row *rows = at_new(&a, at_row, at_n_catalogue * A_CLAIM);
    char detail[400];
    snprintf(detail, sizeof detail, "{\"note\":\"%0250d\"}", 7);
    int n = 0;
    for (int i = 0; i < at_n_catalogue; i++)
        for (int k = 0; k < A_CLAIM; k++) {
            rows[n++] =
                k ? row(at_catalogue[i]->id, k % 3 == 2, detail) : table_row(at_catalogue[i]->id, table);
        }
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    assert_int_equal(at_report_catalogue(&(at_report_about){.build = "b"}, rows, (size_t)n, &t, &err), AT_OK);
    enum { MOST = 1000000 };
    if (t.n >= MOST)
        fail_msg("%zu bytes, allowed are %d", t.n, MOST);
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
    assert_int_equal(occurrences(t.s, "Attention while it learns"), 1); /* qsa-train, frame by frame */
    assert_int_equal(occurrences(t.s, ">step "), 8);
    assert_int_equal(occurrences(t.s, ">step 480<"), 1);
    /* a long program is there with its beginning, without the ranges of its values */
    assert_int_equal(occurrences(t.s, " more lines: <code>attest show dp-linear --set "), 1);
    assert_null(strstr(t.s, "   # in "));
    /* whoever cannot see a picture hears its title; there is one heading of the page, and a way to search */
    assert_int_equal(occurrences(t.s, "<svg viewBox"), occurrences(t.s, " role=\"img\"><title>"));
    assert_int_equal(occurrences(t.s, "<h1"), 1);
    assert_int_equal(
        occurrences(t.s, "<input type=\"search\" id=\"search\" placeholder=\"Search\" aria-label="), 1);
    at_text_release(&t);
    at_text_init(&t); /* one claim: its section, its part of the map, and nothing of the others */
    assert_int_equal(at_report_catalogue(&(at_report_about){.build = "b"}, rows, A_CLAIM, &t, &err), AT_OK);
    assert_int_equal(occurrences(t.s, "<section class=\"claim\""), 1);
    for (int i = 1; i < at_n_catalogue; i++) {
        char wanted[96];
        snprintf(wanted, sizeof wanted, "\"#%s\"", at_catalogue[i]->id);
        assert_null(strstr(t.s, wanted));
    }
    assert_true(t.n < 60000);
    assert_non_null(strstr(t.s, "   # in "));
    at_text_release(&t);
    at_arena_release(&a);
}

/* What is drawn has a name and a unit on both axes; quantities without a common unit have plots of their own, each with the
 * formula that stands behind it in the table. */
static void plots_have_labels_and_units(void **state)
{
    (void)state;
    const at_row one = table_row("match2", table);
    at_text t;
    char *s = page_of(&one, 1, &t);
    static const char *const wanted[] = {">M, modulus<", ">least p, in bits<",
                                         ">least p from which on it holds, against M<", ">log2 c<"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(s, wanted[i]))
            fail_msg("no %s", wanted[i]);
    at_text_release(&t);
    const at_row two =
        table_row("dp-linear",
                  "{\"table\":{\"title\":\"two\",\"x\":\"L\",\"columns\":[\"L\",\"least p\",\"2 log2 L + 2\","
                  "\"largest weight\",\"ln(L)\"],\"rows\":[[10,7,8,30,2],[20,8,9,40,3]]}}");
    s = page_of(&two, 1, &t);
    char *plots = strstr(s, "<div class=\"plots\">"), *end = strstr(plots, "</div>");
    *end = '\0';
    assert_int_equal(occurrences(plots, "<svg "), 2);
    assert_int_equal(occurrences(plots, ">L, rows of prompt and chain<"), 2);
    char *second = strstr(strstr(plots, "<svg ") + 1, "<svg ");
    assert_non_null(strstr(second, ">ln(L)<"));
    assert_null(strstr(second, "log2"));
    at_text_release(&t);
    const at_row law =
        table_row("compose-one", "{\"table\":{\"x\":\"n\",\"columns\":[\"n\",\"total\"],\"plots\":"
                                 "[{\"column\":\"total\",\"exponent\":2}],\"rows\":[[10,700],[20,2800]]}}");
    s = page_of(&law, 1, &t);
    assert_non_null(strstr(s, ">n^2, in theory<"));
    assert_int_equal(occurrences(s, ">multiply-adds of a chain<"), 2); /* for the ear, and on the axis */
    at_text_release(&t);
    const at_row point = table_row(
        "compose-one", "{\"table\":{\"x\":\"n\",\"columns\":[\"n\",\"total\"],\"rows\":[[10,700]]}}");
    s = page_of(&point, 1, &t); /* one place of the axis is no plot: the table says it */
    assert_null(strstr(s, "multiply-adds of a chain"));
    assert_non_null(strstr(s, "700"));
    at_text_release(&t);
}

/* A question about a model of one's own: no paper, no control, and the command that asks it again. */
static void a_question_of_ones_own(void **state)
{
    (void)state;
    at_row r =
        row("max-m-safetensors", false,
            "{\"claim\":{\"title\":\"m.safetensors solves max\",\"source\":\"built in\",\"statement\":\"\","
            "\"proof\":\"\",\"sha256\":\"\",\"text\":\"\",\"repeat\":\"m.safetensors --problem max\"}}");
    at_text t;
    char *s = page_of(&r, 1, &t);
    static const char *const wanted[] = {"<h1 class=\"holds\">It holds.", "m.safetensors solves max",
                                         "<code>attest check m.safetensors --problem max --seed 1</code>"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(s, wanted[i]))
            fail_msg("no %s", wanted[i]);
    static const char *const not [] = {"no control", "built in</li>", ".claim --seed", "Claims from files",
                                       "id=\"search\""};
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        if (strstr(s, not [i]))
            fail_msg("%s", not [i]);
    at_text_release(&t);
    r.rec.detail =
        "{\"claim\":{\"title\":\"from a file\",\"text\":\"claim x\"}}"; /* an older row: it does not say */
    s = page_of(&r, 1, &t);
    assert_non_null(strstr(s, "The claim holds."));
    assert_null(strstr(s, "Repeat:"));
    at_text_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_catalogue_fits),
        cmocka_unit_test(plots_have_labels_and_units),
        cmocka_unit_test(a_question_of_ones_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
