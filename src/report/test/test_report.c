/* test_report.c: the report: unknown is never a pass, nothing is hidden, nothing foreign acts, nothing is
 * fetched. */
#include "study_test.h"

static at_row row(const char *subject, const char *role, const char *verdict, uint64_t inputs, double margin,
                  const char *detail)
{
    return (at_row){
        {subject, "N=6 M=11", "q", "hash", 1, "build"},
        {role, "exact", verdict, "f64", inputs, margin, 1, detail, "avx2", "1", 0.25, "2026-01-01"}};
}

static const at_report_about about = {.command = "attest check match2", .build = "build 7"};

static char *report_of(const at_report_claim *c, int n, const at_row *rows, size_t n_rows, at_text *t)
{
    at_err err = {0};
    at_text_init(t);
    assert_int_equal(at_report_html(&about, c, n, rows, n_rows, t, &err), AT_OK);
    const char *fault = markup_fault(t->s);
    if (fault)
        fail_msg("not well formed at %s", fault);
    assert_true(text_clean(t->s));
    assert_int_equal(occurrences(t->s, "<script"),
                     1); /* the search, which the content policy knows by its hash */
    assert_non_null(strstr(t->s, at_report_script));
    assert_null(strstr(t->s, "<img"));
    assert_null(strstr(t->s, "<link"));
    assert_null(strstr(t->s, "<iframe"));
    assert_null(strstr(t->s, "url("));
    assert_null(strstr(t->s, "@import"));
    return t->s;
}

static const at_report_claim claim = {.id = "match2",
                                      .title = "Pairs",
                                      .source = "SHT 2023",
                                      .statement = "One head finds pairs.",
                                      .program = "x = token\n\ty < 3",
                                      .size = "1 layer, 1 head"};

static void a_claim_that_holds(void **state)
{
    (void)state;
    at_row rows[] = {
        row("match2", "claim", "holds", 1771561, 0.0833, NULL),
        row("match2", "control", "fails", 12, NAN,
            "{\"counterexample\":{\"attention\":\"0.5 0.5\\n0.1 0.9\",\"got\":0,\"input\":\"3 14 5\","
            "\"position\":2,\"expected\":1},\"drawn\":7}"),
        row("match2", "table", "computed", 3, NAN,
            "{\"table\":{\"title\":\"bits\",\"columns\":[\"p\",\"verdict\"],"
            "\"rows\":[[8,\"fails\"],[12,\"holds\"],[11,\"unknown\"]]}}")};
    at_text t;
    char *s = report_of(&claim, 1, rows, 3, &t);
    static const char *const wanted[] = {
        "<p class=\"lead\"><a class=\"self\" href=\"#match2\">",
        "<div class=\"tally holds\"><b>1 of 1</b>controls rejected",
        "build 7",
        "1,771,561 inputs",
        "least margin 0.0833",
        "<pre tabindex=\"0\">x = token\n\ty &lt; 3</pre>",
        "input <code>3 14 5</code>, position 2; expected <code>1</code>, got <code>0</code><pre>0.5 0.5\n0.1 "
        "0.9</pre>",
        "<dt>drawn</dt><dd>7</dd>",
        "<p class=\"caption\">bits</p>",
        "<th>p</th><th class=\"t\">verdict</th>",
        "<td>12</td><td class=\"t holds\">holds</td>",
        "<td class=\"t unknown\">unknown</td>",
        "href=\"#match2\"",
        "id=\"match2\"",
        "<code>attest check match2</code>",
        "The claim holds.",
        "2026-01-01",
        "<dt>seed</dt><dd>1</dd>",
        "sha-256 hash",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(s, wanted[i]))
            fail_msg("no %s", wanted[i]);
    /* claim: heading, line, cell; control: line, cell */
    assert_int_equal(occurrences(s, "<u>"), 5);
    assert_int_equal(occurrences(s, "<u class=\"fails\"") + occurrences(s, "<u class=\"unknown\""), 0);
    at_text_release(&t);
}

/* What all checks have is said once above them, and not in their rows; a control says what it has besides. One check says all. */
static void common_parameters_are_said_once(void **state)
{
    (void)state;
    at_row rows[] = {row("match2", "claim", "holds", 5, 1, NULL), row("match2", "claim", "holds", 7, 1, NULL),
                     row("match2", "control", "fails", 5, 1, NULL)};
    rows[0].key.params = "N=6 late=1 M=11";
    rows[1].key.params = "N=66 late=1 M=11";
    rows[2].key.params = "N=6 late=3 M=11";
    at_text t;
    char *s = report_of(&claim, 1, rows, 3, &t);
    assert_int_equal(occurrences(s, "<p class=\"tiny\">In all of them: late=1 M=11</p>"), 1);
    assert_int_equal(occurrences(s, "late=1"), 1);
    assert_int_equal(occurrences(s, "<td>N=6</td>"), 1);
    assert_int_equal(occurrences(s, "<td>N=66</td>"), 1);
    assert_int_equal(occurrences(s, "<td>N=6 late=3</td>"), 1);
    at_text_release(&t);
    s = report_of(&claim, 1, rows, 1, &t);
    assert_int_equal(occurrences(s, "In all of them"), 0);
    assert_int_equal(occurrences(s, "<td>N=6 late=1 M=11</td>"), 1);
    at_text_release(&t);
    rows[1].key.params = rows[0].key.params; /* alike but for the arithmetic: a line says what it has */
    s = report_of(&claim, 1, rows, 2, &t);
    assert_non_null(strstr(s, "\xC2\xB7 N=6 late=1 M=11 \xC2\xB7"));
    assert_int_equal(occurrences(s, "<td>N=6 late=1 M=11</td>"), 2);
    assert_int_equal(occurrences(s, "In all of them"), 0);
    at_text_release(&t);
}

/* Whatever the verdict says, other than "holds" (or "fails" for a control), nothing is green. */
static void unknown_is_never_a_pass(void **state)
{
    (void)state;
    static const char *const words[] = {"unknown", NULL, "", "HOLDS", "holds ", "pass", "ok"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        at_row rows[] = {row("match2", "claim", words[i], 5, 1, NULL),
                         row("match2", "control", words[i], 5, 1, NULL)};
        at_text t;
        char *s = report_of(&claim, 1, rows, 2, &t);
        assert_int_equal(occurrences(s, "<u>"), 0);
        assert_int_equal(occurrences(s, "class=\"tally holds\""), 0);
        assert_non_null(strstr(s, "<h1 class=\"unknown\">"));
        assert_non_null(strstr(s, "<b>0 of 1</b>controls rejected"));
        assert_non_null(strstr(s, "undecided"));
        at_text_release(&t);
    }
    at_text t; /* no cells at all */
    char *s = report_of(&claim, 1, NULL, 0, &t);
    assert_int_equal(occurrences(s, "<u>") + occurrences(s, "class=\"tally holds\""), 0);
    assert_non_null(strstr(s, "Nothing was checked."));
    assert_null(strstr(s, "id=\"match2\""));
    at_text_release(&t);
    at_row control = row("match2", "control", "fails", 5, 1, NULL); /* no cells, but a control */
    s = report_of(&claim, 1, &control, 1, &t);
    assert_int_equal(occurrences(s, "<h1 class=\"holds\""), 0);
    assert_non_null(strstr(s, "not checked"));
    at_text_release(&t);
    s = report_of(NULL, 0, NULL, 0, &t); /* no claims */
    assert_int_equal(occurrences(s, "class=\"tally holds\""), 0);
    at_text_release(&t);
}

/* What rows say together is at_tally's word, on the first screen and in the heading, whatever the situation. */
static void summed_up_as_everywhere(void **state)
{
    (void)state;
    static const struct {
        const char *cell, *control, *word;
        const char *claims; /* class of the headline */
    } rows[] = {{"holds", "fails", "holds", "holds"},
                {"fails", "fails", "fails", "fails"},
                {"unknown", "fails", "unknown", "unknown"},
                {"holds", "holds", "control not rejected", "fails"},
                {"holds", "unknown", "control undecided", "unknown"},
                {"holds", "idle", "holds", "holds"},
                {NULL, "fails", "not checked", "unknown"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_row all[] = {row("match2", "control", rows[k].control, 9, NAN, NULL),
                        row("match2", "claim", rows[k].cell, 9, 1, NULL)};
        size_t n = rows[k].cell ? 2 : 1;
        at_tally tally = {0};
        for (size_t i = 0; i < n; i++)
            at_tally_add(&tally, &all[i]);
        assert_string_equal(at_tally_word(&tally), rows[k].word);
        at_text t;
        char *s = report_of(&claim, 1, all, n, &t), wanted[160];
        bool stands = at_tally_standing(&tally) == AT_STANDS;
        snprintf(wanted, sizeof wanted, "%s</u>%s", rows[k].word,
                 stands ? " <span class=\"tiny\">" : "</h3>"); /* the heading */
        assert_int_equal(occurrences(s, wanted), 1);
        snprintf(wanted, sizeof wanted, "%s</u></p>",
                 rows[k].word); /* the first screen names what does not stand */
        assert_int_equal(occurrences(s, wanted), !stands);
        snprintf(wanted, sizeof wanted, "<h1 class=\"%s\">", rows[k].claims);
        assert_int_equal(occurrences(s, wanted), 1);
        at_text_release(&t);
    }
}

/* Numbers of a counterexample that look the same say how far apart they are; others need not. */
static void equal_looking_numbers_differ(void **state)
{
    (void)state;
    at_row r = row("match2", "control", "fails", 1, NAN,
                   "{\"counterexample\":{\"input\":\"1\",\"expected\":907016,\"got\":907016.0078125}}");
    at_text t;
    char *s = report_of(&claim, 1, &r, 1, &t);
    assert_non_null(strstr(s, ", off by 0.007812"));
    at_text_release(&t);
    r.rec.detail = "{\"counterexample\":{\"input\":\"1\",\"expected\":1,\"got\":0}}";
    s = report_of(&claim, 1, &r, 1, &t);
    assert_null(strstr(s, "off by"));
    at_text_release(&t);
}

/* One sampled input is drawn like nothing else: other pill, other sign, and the number beside it. */
static void evidence_shows_its_strength(void **state)
{
    (void)state;
    static const struct {
        const char *evidence;
        uint64_t inputs;
        const char *pill, *text, *bar;
    } rows[] = {{"certified", INT64_MAX, "<u>", "\xE2\x96\xA0</i> certified, all inputs", "s-proof\" "},
                {"exact", 8008, "<u>", "\xE2\x97\x8F</i> exact, 8008 inputs", "s-all\" "},
                {"sampled", 4000, "<u class=\"some\"", "\xE2\x97\x90</i> sampled, 4000 inputs", "s-some\" "},
                {"sampled", 1, "<u class=\"one\"", "\xE2\x97\x8B</i> sampled, 1 input", "s-one\" "}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_row r = row("match2", "claim", "holds", rows[k].inputs, 1, NULL);
        r.rec.evidence = rows[k].evidence;
        at_text t;
        char *s = report_of(&claim, 1, &r, 1, &t);
        assert_int_equal(occurrences(s, rows[k].pill), 3); /* heading, line, cell */
        assert_int_equal(occurrences(s, rows[k].text), 3);
        assert_int_equal(occurrences(s, rows[k].bar), 1); /* the bar of the first screen */
        at_text_release(&t);
    }
}

static void one_bad_cell_spoils_the_claim(void **state)
{
    (void)state;
    static const char *const bad[] = {"fails", "unknown"};
    for (int b = 0; b < 2; b++)
        for (int at = 0; at < 7; at++) {
            at_row rows[8];
            for (int i = 0; i < 7; i++)
                rows[i] = row("match2", "claim", i == at ? bad[b] : "holds",
                              (uint64_t)(i == at ? 1 : 100 + i), 1, NULL);
            rows[7] = row("match2", "control", "holds", 9, 1, NULL); /* a control that is not rejected */
            at_text t;
            char *s = report_of(&claim, 1, rows, 8, &t);
            assert_non_null(strstr(s, "<h1 class=\"fails\">"));
            assert_non_null(strstr(s, "class=\"tally fails\"><b>0 of 1</b>controls rejected"));
            assert_non_null(strstr(s, "<u class=\"fails\">\xE2\x9C\x97 not rejected"));
            /* of seven cells three are shown in lines: the bad one is among them (line, cell; and heading and first screen,
             * which a control that is not rejected spoils more than a cell that is unknown) */
            char pill[64];
            snprintf(pill, sizeof pill, "%s %s</u>", b ? "?" : "\xE2\x9C\x97", bad[b]);
            assert_int_equal(occurrences(s, pill), b ? 2 : 4);
            assert_int_equal(occurrences(s, "\xE2\x9C\x97 control not rejected</u>"), b ? 2 : 0);
            assert_non_null(strstr(s, "and 4 more below"));
            assert_int_equal(occurrences(s, "<details open=\"open\">"),
                             3); /* what does not stand is unfolded */
            at_text_release(&t);
        }
}

static void rows_without_a_claim_are_shown(void **state)
{
    (void)state;
    at_row rows[] = {row("match2", "claim", "holds", 1, 1, NULL),
                     row("stranger", "claim", "fails", 1, 1, "{\"k\":[1,{}]}"),
                     row(NULL, NULL, NULL, 0, NAN, NULL)};
    at_text t;
    char *s = report_of(&claim, 1, rows, 3, &t);
    assert_non_null(strstr(s, "Other questions"));
    assert_int_equal(occurrences(s, "id=\"stranger\""), 1);
    assert_int_equal(occurrences(s, "id=\"claim-unnamed\""), 1);
    assert_non_null(strstr(s, "The claim holds. 0 of 2 other questions hold."));
    assert_non_null(strstr(s, "<dt>k</dt><dd><code>[1,{}]</code></dd>"));
    at_text_release(&t);
}

static void hostile_text_is_harmless(void **state)
{
    (void)state;
    for (size_t i = 0; i < HOSTILE; i++) {
        const char *h = hostile[i];
        at_report_tensor w = {h, h, 1, 1, h};
        at_report_claim c = {.id = h,
                             .title = h,
                             .source = h,
                             .statement = h,
                             .proof = h,
                             .group = h,
                             .program = h,
                             .size = h,
                             .tensors = &w,
                             .n_tensors = 1,
                             .hash = h,
                             .look = h,
                             .look_set = h};
        at_row rows[] = {{{h, h, h, h, 1, h}, {h, h, h, h, 1, 1, 1, h, h, h, 1, h}},
                         {{"x", h, h, h, 1, h}, {"control", h, h, h, 1, 1, 1, h, h, h, 1, h}}};
        at_text t;
        char *s = report_of(&c, 1, rows, 2, &t);
        assert_int_equal(occurrences(s, "<u>"), 0);
        at_text_release(&t);
    }
}

/* A model without words on its size has weights, too. */
/* The size of a model is said once, whatever number of rows ask it; the whole hash stands where there is room. Lines of attention behind
 * the first bear its name in the ledger, and not on the page. */
static void models_and_their_sizes(void **state)
{
    (void)state;
    static const char size[] = "{\"size\":{\"layers\":2,\"heads\":1,\"width\":6,\"head_dim\":2,\"hidden\":0,"
                               "\"parameters\":1610,\"nonzero\":45,\"largest_weight\":2.5}}";
    at_row rows[] = {
        row("match2", "claim", "holds", 5, 1, size), row("match2", "claim", "holds", 6, 1, size),
        row("match2", "control", "fails", 1, NAN,
            "{\"counterexample\":{\"input\":\"1\",\"attention\":\"layer 1: 0.5\\nattention  layer 2: "
            "1\"}}"),
        row("other", "claim", "holds", 5, 1, NULL), row("third", "claim", "holds", 5, 1, NULL)};
    at_text t;
    char *s = report_of(&claim, 1, rows, 3, &t);
    assert_int_equal(occurrences(s, "\t2\t1\t6\t2\t0\t1,610\t45\t2.5\n"), 1);
    assert_non_null(strstr(s, "Sizes of the models <span class=\"count\">1<"));
    assert_non_null(strstr(s, "<pre>layer 1: 0.5\nlayer 2: 1</pre>"));
    assert_int_equal(occurrences(s, "title=\"sha-256 "), 3);
    at_text_release(&t);
    s = report_of(&claim, 1, rows, 5, &t);
    assert_int_equal(occurrences(s, "title=\"sha-256 "), 0);
    at_text_release(&t);
}

static void weights_without_a_size(void **state)
{
    (void)state;
    at_report_tensor w = {.name = "blocks.0.q", .shape = "2x3"};
    for (int k = 0; k < 3; k++) {
        at_report_claim c = {.id = "match2",
                             .title = "Pairs",
                             .size = k ? k == 1 ? "" : "1 layer, 1 head" : NULL,
                             .tensors = &w,
                             .n_tensors = 1};
        at_text t;
        at_row one = row("match2", "claim", "holds", 7, 1, NULL);
        char *s = report_of(&c, 1, &one, 1, &t);
        assert_non_null(strstr(s, "blocks.0.q"));
        assert_int_equal(occurrences(s, "<h4>Weights</h4>\n<p class=\"tiny\">1 layer, 1 head</p>"), k == 2);
        assert_int_equal(occurrences(s, "<h4>Weights</h4>\n<p "), k == 2);
        at_text_release(&t);
    }
}

static void details_of_any_shape(void **state)
{
    (void)state;
    static const char *const details[] = {
        "{",
        "[1,2]",
        "null",
        "\"<script>alert(1)</script>\"",
        "{\"<b>\":\"<script>\\u001b[31m\"}",
        "{\"counterexample\":\"text\"}",
        "{\"counterexample\":{}}",
        "{\"counterexample\":{\"input\":{\"a\":{\"b\":{\"c\":{}}}}}}",
        "{\"table\":{}}",
        "{\"table\":{\"columns\":[],\"rows\":[]}}",
        "{\"table\":{\"columns\":[1,null],\"rows\":[1,[],[[2]],{}]}}",
        "{\"tables\":[{\"columns\":[\"a\"],\"rows\":[[1.5]]},{\"columns\":[\"b\"],\"rows\":[[true]]}]}",
        "{\"a\":1e999}",
        "{\"a\":1e300,\"b\":null,\"c\":\"x\\u0000y\"}",
        "{\"x\":\"\xFF\"}",
    };
    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        at_row r = row("match2", "claim", "holds", 1, 1, details[i]);
        at_text t;
        report_of(&claim, 1, &r, 1, &t);
        at_text_release(&t);
    }
    for (int more = 0; more < 2; more++) { /* 2000 rows of a table are shown, and how many are not */
        at_text long_table, t;
        at_text_init(&long_table);
        at_text_add(&long_table, "{\"table\":{\"columns\":[\"a\"],\"rows\":[[7]");
        for (int k = 1; k < 2000 + 3 * more; k++)
            at_text_add(&long_table, ",[7]");
        at_text_add(&long_table, "]}}");
        at_row r = row("match2", "table", "computed", 1, 1, long_table.s);
        report_of(&claim, 1, &r, 1, &t);
        assert_int_equal(occurrences(t.s, "<tr><td>7</td></tr>"), 2000);
        assert_int_equal(occurrences(t.s, "<td>3 more rows are not shown</td>"), more);
        at_text_release(&long_table);
        at_text_release(&t);
    }
    enum { DEEP = 5000 }; /* nesting beyond what a parser should follow */
    char *deep = malloc(2 * DEEP + 16), *p = deep;
    p += sprintf(p, "{\"a\":");
    memset(p, '[', DEEP);
    memset(p + DEEP, ']', DEEP);
    strcpy(p + 2 * DEEP, "}");
    at_row r = row("match2", "claim", "holds", 1, 1, deep);
    at_text t;
    report_of(&claim, 1, &r, 1, &t);
    at_text_release(&t);
    free(deep);
}

static void pictures_are_embedded_once_and_fetched_never(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, 5, 1, 1, NULL);
    at_text look, plot, t;
    at_err err = {0};
    at_text_init(&look);
    at_text_init(&plot);
    assert_int_equal(at_look_svg(&f.l, &look, &err), AT_OK);
    double x[] = {1, 2};
    at_series line = {"a", 2, x, x, false};
    at_plot p = {"t", "x", "y", false, false, &line, 1};
    assert_int_equal(at_plot_svg(&p, &plot, &err), AT_OK);
    const at_report_plot plots[] = {{plot.s, NULL}, {plot.s, NULL}};
    at_report_claim c = claim;
    c.svg = look.s;
    c.plots = plots;
    c.n_plots = 2;
    at_row r = row("match2", "claim", "holds", 1, 1, NULL);
    char *s = report_of(&c, 1, &r, 1, &t);
    assert_int_equal(occurrences(s, "<svg viewBox"), 3);
    assert_int_equal(occurrences(s, "<use href=\"#bar\""),
                     1); /* the colours of the scale are drawn once a page */
    assert_int_equal(occurrences(s, "<g id=\"bar\">"), 1);
    assert_int_equal(occurrences(s, "http"), 1); /* http-equiv: no address of anything */
    at_text_release(&t);
    c.svg = "<b>not a picture";
    at_text_init(&t);
    assert_int_equal(at_report_html(&about, &c, 1, NULL, 0, &t, &err), AT_EINPUT);
    assert_int_equal(t.n, 0);
    assert_non_null(strstr(err.text, "match2"));
    at_text_release(&look);
    at_text_release(&plot);
    fixture_free(&f);
}

/* `attest refute` of a model against a task that bears a claim's name is no verdict on the claim. */
static void refutations_count_for_no_claim(void **state)
{
    (void)state;
    at_row rows[3] = {row("match2", "claim", "holds", 5, 1, NULL),
                      row("match2", "refutation", "fails", 7, NAN, NULL),
                      row("match2", "refutation", "unknown", 9, NAN, NULL)};
    at_text t;
    char *s = report_of(&claim, 1, rows, 3, &t);
    static const char *const wanted[] = {"<h1 class=\"holds\">", "<b>5</b>inputs and cases run",
                                         "Models that attest refute was given", "\xE2\x9C\x97 refuted",
                                         "? not refuted"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (occurrences(s, wanted[i]) != 1)
            fail_msg("the report does not say '%s' once", wanted[i]);
    assert_null(strstr(s, "Other entries"));
    at_text_release(&t);
}

/* What a limit counts are cases, without a margin; its control is no wrong model. */
static void limits_count_cases(void **state)
{
    (void)state;
    at_report_claim limit = claim;
    limit.trial = true;
    at_row rows[2] = {row("match2", "claim", "holds", 5, NAN, NULL),
                      row("match2", "control", "fails", 1, NAN, NULL)};
    at_text t;
    char *s = report_of(&limit, 1, rows, 2, &t);
    assert_int_equal(occurrences(s, "<th>arithmetic</th><th>seconds</th>"), 2);
    assert_non_null(strstr(s, "5 cases"));
    assert_non_null(strstr(s, "1 case<"));
    assert_null(strstr(s, "a wrong model that must be rejected"));
    assert_null(strstr(s, "<th>least margin"));
    assert_null(strstr(s, " least margin"));
    at_text_release(&t);
}

/* Trained rows have a section of their own, whoever trained them; they are no verdicts on claims. */
static void trained_models_are_shown_and_prove_nothing(void **state)
{
    (void)state;
    sweep w;
    sweep_begin(&w, 8);
    at_text t;
    char *s = report_of(&claim, 1, NULL, 0, &t);
    assert_null(strstr(s, "Trained models"));
    at_text_release(&t);
    run_add(&w, "match2", 0, 10, 32, 1, 0.95, "constructible"); /* named like the claim */
    run_add(&w, "lis", 2, 10, 32, 1, 0.5, "impossible")->key.build = "another";
    row_add(&w, "lis", "n=11", "q", 2, "holds", "{\"preset\":\"<script>\"}")->key.build = "build 7";
    w.rows[0].key.build = "build 7";
    s = report_of(&claim, 1, w.rows, w.n, &t);
    static const char *const wanted[] = {
        "<h2>Trained models</h2>",
        "3 runs. 1 was trained by another build. 1 is broken and not counted.",
        "<h1 class=\"unknown\">1 of 2 trainings reaches 90% of answers.</h1>", /* the broken one is none */
        "by another build",
        "broken: attention is no text of 1..64 bytes",
        "Least width for at least 90%",
        "Least GFLOPs",
        "what these cells say of it",
        "Every run (3)",
        "<summary>lis, linear</summary>"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(s, wanted[i]))
            fail_msg("no %s", wanted[i]);
    assert_int_equal(occurrences(s, "<td>by another build</td>"), 1);
    assert_null(strstr(s, "Other entries of the ledger"));
    assert_null(strstr(s, "class=\"tally holds\""));
    assert_null(strstr(s, "in the paper: arithmetic"));
    at_text_release(&t);
    run_add(&w, "match2", 0, 10, 32, 1, 0.95, "constructible"); /* the same question again: it counts once */
    s = report_of(&claim, 1, w.rows, w.n, &t);
    assert_non_null(strstr(s, "1 is superseded by a later one and not counted."));
    assert_non_null(strstr(s, "1 of 2 trainings reaches 90% of answers."));
    at_text_release(&t);
    run_add(&w, "arithmetic", 2, 4, 32, 1, 0.5, "silent");
    s = report_of(&claim, 1, w.rows, w.n, &t);
    assert_non_null(strstr(s, "in the paper: arithmetic"));
    assert_non_null(strstr(s, "0.605"));
    at_text_release(&t);
    sweep_end(&w);
}

static at_status report(const void *one_row, at_text *t, at_err *err)
{
    return at_report_html(&about, &claim, 1, one_row, 1, t, err);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    at_row r = row("match2", "claim", "holds", 1, 1, "{\"a\":1}");
    assert_true(starve(report, &r, false) > 0);
}

/* Whatever ids are in a ledger: every section has one anchor, the contents lead to it, and none is the page's own. */
static void anchors_are_stable_and_unique(void **state)
{
    (void)state;
    static const char *const ids[] = {"match2", "map", "a b",      "a<b", "a-b",
                                      "2nd",    "",    "\xC3\xA9", "top", "cite"};
    static const char *const anchors[] = {"match2",    "map-2",         "a-b", "a-b-2", "a-b-3",
                                          "claim-2nd", "claim-unnamed", "--",  "top-2", "cite-2"};
    enum { N = sizeof ids / sizeof *ids };
    at_row rows[N];
    for (int i = 0; i < N; i++)
        rows[i] = row(ids[i], "claim", "holds", 1, 1, NULL);
    for (int alone = 0; alone < 2; alone++) { /* beside others, or alone, a claim keeps its anchor */
        at_text t;
        char *s = report_of(&claim, 1, rows, alone ? 1 : N, &t), wanted[64];
        for (int i = 0; i < (alone ? 1 : N); i++) {
            snprintf(wanted, sizeof wanted, " id=\"%s\"", anchors[i]);
            assert_int_equal(occurrences(s, wanted), 1);
            snprintf(wanted, sizeof wanted, "<a href=\"#%s\">", anchors[i]);
            if (occurrences(s, wanted) != 1)
                fail_msg("%s is %d times in the contents", anchors[i], occurrences(s, wanted));
        }
        at_text_release(&t);
    }
}

/* A claim that nobody asked about is not in the report. */
static void only_what_was_checked(void **state)
{
    (void)state;
    at_report_claim two[] = {claim, claim};
    two[1].id = "absent";
    two[1].title = "Nobody asked";
    at_row r = row("match2", "claim", "holds", 1, 1, NULL);
    at_text t;
    char *s = report_of(two, 2, &r, 1, &t);
    assert_null(strstr(s, "absent"));
    assert_null(strstr(s, "Nobody asked"));
    assert_non_null(strstr(s, "The claim holds."));
    assert_null(strstr(s, "id=\"search\"")); /* there is nothing to look for */
    assert_null(strstr(s, "Trained models"));
    assert_null(strstr(s, "id=\"map\""));
    at_text_release(&t);
}

/* More subjects than a page can have sections for are still all there. */
static void many_subjects(void **state)
{
    (void)state;
    enum { N = 300 };
    at_row rows[N];
    char names[N][24];
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "subject%03d", i);
        rows[i] = row(names[i], "claim", "holds", 1, 1, NULL);
    }
    at_text t;
    char *s = report_of(NULL, 0, rows, N, &t);
    assert_int_equal(occurrences(s, "<section class=\"claim\""), 200);
    for (int i = 0; i < N; i++)
        assert_non_null(strstr(s, names[i]));
    assert_non_null(strstr(s, "Other entries of the ledger"));
    at_text_release(&t);
}

/* The policy allows the page's own script, by the sha-256 of its very text (this one was computed by others' tools). */
static void the_script_is_known_by_its_hash(void **state)
{
    (void)state;
    char hash[48];
    at_report_policy_hash("abc", hash);
    assert_string_equal(hash, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    at_report_policy_hash(at_report_script, hash);
    at_text t;
    char *s = report_of(NULL, 0, NULL, 0, &t), wanted[80];
    snprintf(wanted, sizeof wanted, "script-src 'sha256-%s'", hash);
    assert_int_equal(occurrences(s, wanted), 1);
    assert_null(strpbrk(at_report_script, "<>&"));
    at_text_release(&t);
}

/* The survey's languages: what was trained is read from the ledger, learnt and at twice the length; the rest says that it was not. A
 * training without an exam at twice the length is none of these. */
static void languages(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        sweep w;
        at_text t;
        sweep_begin(&w, 8);
        at_row *r[2] = {run_add(&w, "parity", 0, 20, 32, 1, 0.97, "silent"),
                        run_add(&w, "dyck", 0, 20, 32, 1, 0.5, "silent")};
        for (int k = 0; k < 2 && with; k++) { /* {"preset": ... becomes {"twice":0.5,"preset": ... */
            r[k]->rec.detail =
                at_arena_printf(&w.a, "{\"twice\":%s,%s", k ? "0.93" : "0.51", r[k]->rec.detail + 1);
            r[k]->key.params = k ? "k=2 n=20" : "n=20";
        }
        report_of(NULL, 0, w.rows, w.n, &t);
        const char *at = strstr(t.s, "Languages: built and trained");
        assert_true((at != NULL) == with);
        if (with) {
            assert_non_null(strstr(
                at, "<td>PARITY</td><td>parity not checked</td><td><b class=\"holds\">learnt</b>: 97.0% "
                    "to its length; <b class=\"fails\">does not generalise</b>: 51.0% at twice"));
            assert_non_null(strstr(at, "<td>Dyck-1</td><td>dyck not checked</td><td>not trained</td>"));
            assert_non_null(strstr(
                at, "<td>Dyck-2</td><td>dyck not checked</td><td><b class=\"fails\">not learnt</b>: 50.0% "
                    "to its length; <b class=\"holds\">generalises</b>: 93.0%"));
        }
        at_text_release(&t);
        sweep_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_claim_that_holds),
        cmocka_unit_test(common_parameters_are_said_once),
        cmocka_unit_test(unknown_is_never_a_pass),
        cmocka_unit_test(one_bad_cell_spoils_the_claim),
        cmocka_unit_test(summed_up_as_everywhere),
        cmocka_unit_test(evidence_shows_its_strength),
        cmocka_unit_test(equal_looking_numbers_differ),
        cmocka_unit_test(rows_without_a_claim_are_shown),
        cmocka_unit_test(hostile_text_is_harmless),
        cmocka_unit_test(models_and_their_sizes),
        cmocka_unit_test(weights_without_a_size),
        cmocka_unit_test(details_of_any_shape),
        cmocka_unit_test(pictures_are_embedded_once_and_fetched_never),
        cmocka_unit_test(refutations_count_for_no_claim),
        cmocka_unit_test(limits_count_cases),
        cmocka_unit_test(trained_models_are_shown_and_prove_nothing),
        cmocka_unit_test(languages),
        cmocka_unit_test(anchors_are_stable_and_unique),
        cmocka_unit_test(only_what_was_checked),
        cmocka_unit_test(many_subjects),
        cmocka_unit_test(the_script_is_known_by_its_hash),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
