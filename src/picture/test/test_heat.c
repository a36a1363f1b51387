/* test_heat.c: heat maps: every cell is drawn, the step line passes where it should, no line of a terminal is too
 * long, nothing foreign acts. */
#include "../../core/test/test_folder.h"
#include "heat_test.h"

static const char *const xs[] = {"16", "32", "64"}, *const ys[] = {"10", "20"};
/* by size (10, 20) and width; at 20 the first width was not run */
static const at_heat_cell cells[] = {{0.25, "25",
                                      "20\xE2\x80\x93"
                                      "30",
                                      "a tip", AT_MARK_HATCH},
                                     {0.9, "90", NULL, NULL, AT_MARK_DOT},
                                     {1, "100", NULL, NULL, AT_MARK_DOT},
                                     {NAN, NULL, NULL, NULL, AT_MARK_NONE},
                                     {0.899, "89", NULL, NULL, AT_MARK_NONE},
                                     {0.95, "95", NULL, NULL, AT_MARK_NONE}};
static const at_heat_panel panels[] = {{3, 2, "width", "n", xs, ys, cells},
                                       {0, 0, NULL, NULL, NULL, NULL, NULL}};
static const char *const rows[] = {"standard"}, *const columns[] = {"lis", "ed"};
static const at_heat small = {"title", "a note", 1,          2,        rows,       columns,
                              panels,  0.9,      "accuracy", "spread", "possible", "impossible"};

/* The titles of a panel stand with a comma between them, and one alone without. */
static void titles_of_panels(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        at_heat h = small;
        at_text t;
        h.row_title = k & 1 ? rows : NULL;
        h.column_title = k & 2 ? columns : NULL;
        at_text_init(&t);
        at_heat_terminal(&h, 80, false, &t);
        assert_int_equal(occurrences(t.s, "lis, standard"), k == 3);
        assert_int_equal(occurrences(t.s, "lis,"), k == 3);
        assert_int_equal(occurrences(t.s, ", standard"), k == 3 ? 2 : 0);
        assert_int_equal(occurrences(t.s, "standard"), k & 1 ? 2 : 0);
        at_text_release(&t);
    }
}

static void everything_is_drawn(void **state)
{
    (void)state;
    at_text t;
    char *s = heat_svg_of(&small, &t);
    static const char *const wanted[] = {">25<",
                                         ">20\xE2\x80\x93"
                                         "30<",
                                         ">90<",
                                         ">100<",
                                         ">89<",
                                         ">95<",
                                         ">width<",
                                         ">n<",
                                         ">16<",
                                         ">10<",
                                         ">20<",
                                         ">standard<",
                                         ">lis<",
                                         ">title<",
                                         ">a note<",
                                         ">no runs<",
                                         "<title>a tip</title>",
                                         ">accuracy<",
                                         ">spread<",
                                         ">possible<",
                                         ">impossible<",
                                         ">not run<",
                                         ">least width with at least 90%<"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(s, wanted[i]))
            fail_msg("no %s", wanted[i]);
    assert_int_equal(occurrences(s, "h.01"), 2 + 1); /* the dots and the legend */
    /* the step line: at n=10 before the second width, at n=20 before the third; one path, and the legend */
    assert_int_equal(occurrences(s, "stroke=\"#009e73\""), 2);
    double x[3], y[4];
    char *d = strstr(strstr(s, "stroke=\"#009e73\""), " d=\"M");
    assert_int_equal(sscanf(d, " d=\"M%lf %lfV%lfH%lfV%lf\"", &x[0], &y[0], &y[1], &x[2], &y[3]), 5);
    y[2] = y[1];
    assert_float_equal(x[2] - x[0], 60, 1e-4); /* one cell, in numbers printed to a tenth */
    assert_true(y[0] > y[1] && y[1] == y[2] && y[2] > y[3]);
    at_text_release(&t);
}

/* A panel in which nothing reaches the line says so; one with a cell that does, or without runs, does not. */
static void in_vain_is_said(void **state)
{
    (void)state;
    at_heat_cell low[] = {{0.25, "25"}, {0.5, "50"}, {NAN}, {0.89, "89"}};
    at_heat_panel p[] = {{2, 2, "width", "n", xs, ys, low}, {0}};
    at_heat h = {.title = "t", .rows = 1, .columns = 2, .panels = p, .line = 0.9, .value = "accuracy"};
    at_text t;
    char *s = heat_svg_of(&h, &t);
    assert_int_equal(occurrences(s, ">no width reached 90%<"), 1);
    assert_int_equal(occurrences(s, "stroke=\"#009e73\""),
                     1); /* a line in the legend alone: none is reached */
    at_text_release(&t);
    low[2].value = 0.9;
    assert_int_equal(occurrences(heat_svg_of(&h, &t), "reached 90%"), 0);
    at_text_release(&t);
    for (int i = 0; i < 4; i++)
        low[i].value = NAN;
    assert_int_equal(occurrences(heat_svg_of(&h, &t), "reached 90%"), 0);
    at_text_release(&t);
    low[0].value = 0.1;
    h.line = NAN;
    assert_int_equal(occurrences(heat_svg_of(&h, &t), "reached"), 0);
    at_text_release(&t);
}

static void one_cell_and_none(void **state)
{
    (void)state;
    at_heat h = small;
    at_heat_panel one = {1, 1, NULL, NULL, xs, ys, cells};
    h.panels = &one;
    h.columns = 1;
    h.title = h.note = h.dot = h.hatch = h.tiny = h.value = NULL;
    h.row_title = h.column_title = NULL;
    for (int k = 0; k < 3; k++) {
        if (k == 1)
            h.line = NAN;
        if (k == 2)
            one.nx = one.ny = 0;
        at_text t;
        heat_svg_of(&h, &t);
        at_heat_terminal(&h, 80, false, &t);
        assert_false(t.oom);
        at_text_release(&t);
    }
}

static void what_cannot_be_drawn_is_refused(void **state)
{
    (void)state;
    static const double bad[] = {-0.01, 1.0001, INFINITY, -INFINITY, 1e300};
    at_err err = {0};
    at_text t;
    at_text_init(&t);
    at_heat_cell e = {0};
    at_heat_panel p = {1, 1, NULL, NULL, xs, ys, &e};
    at_heat h = small;
    h.panels = &p;
    h.rows = h.columns = 1;
    h.row_title = h.column_title = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        e.value = bad[i];
        err = (at_err){0};
        assert_int_equal(at_heat_svg(&h, &t, &err), AT_EDOMAIN);
        assert_non_null(strstr(err.text, "0..1"));
    }
    e.value = 0.5;
    p.nx = 65;
    assert_int_equal(at_heat_svg(&h, &t, NULL), AT_EDOMAIN);
    p.nx = 0; /* rows without columns */
    assert_int_equal(at_heat_svg(&h, &t, NULL), AT_EDOMAIN);
    p.nx = 1;
    h.rows = 17;
    assert_int_equal(at_heat_svg(&h, &t, NULL), AT_EDOMAIN);
    h.rows = 0;
    assert_int_equal(at_heat_svg(&h, &t, NULL), AT_EDOMAIN);
    assert_int_equal(t.n, 0);
    at_heat_terminal(&h, 80, false, &t); /* a sketch says it in words */
    assert_non_null(strstr(t.s, "panels"));
    at_text_release(&t);
}

static void largest_picture_is_bounded(void **state)
{
    (void)state;
    static const char *names[64];
    static at_heat_cell many[64 * 64];
    for (int i = 0; i < 64; i++)
        names[i] = "1";
    at_heat_panel p[256];
    for (int k = 0; k < 256; k++)
        p[k] = (at_heat_panel){64, 64, "x", "y", names, names, many};
    at_heat h = {.rows = 16, .columns = 16, .panels = p, .line = 0.9};
    at_text t;
    at_text_init(&t);
    at_err err = {0};
    assert_int_equal(at_heat_svg(&h, &t, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "units"));
    h.rows = h.columns = 1;
    assert_int_equal(at_heat_svg(&h, &t, &err), AT_OK);
    at_text_release(&t);
}

static void the_sketch_is_exact(void **state)
{
    (void)state;
    at_text t;
    at_text_init(&t);
    at_heat_terminal(&small, 60, false, &t);
    assert_non_null(strstr(t.s, "lis, standard"));
    assert_non_null(strstr(t.s, "  20      -   \xE2\x96\x93 89 > \xE2\x96\x88 95\n"));
    assert_non_null(strstr(t.s, "  10  x\xE2\x96\x91 25 >*\xE2\x96\x93 90  *\xE2\x96\x88"
                                "100\n"));
    assert_non_null(strstr(t.s, "   n     16     32     64\n"));
    assert_true(strstr(t.s, "  20 ") < strstr(t.s, "  10 ")); /* the largest on top */
    at_text_release(&t);
    heat_lines_fit(&small);
}

static void hostile_text_is_harmless(void **state)
{
    (void)state;
    for (size_t i = 0; i < HOSTILE; i++) {
        const char *h = hostile[i], *const labels[] = {h, h, h};
        at_heat_cell e[] = {{0.5, h, h, h, AT_MARK_DOT}, {1, h, h, h, AT_MARK_HATCH}};
        at_heat_panel p = {2, 1, h, h, labels, labels, e};
        at_heat heat = {h, h, 1, 1, labels, labels, &p, 0.9, h, h, h, h};
        at_text t;
        char *s = heat_svg_of(&heat, &t);
        assert_null(strstr(s, "<script"));
        assert_null(strstr(s, "<img"));
        at_text_release(&t);
        heat_lines_fit(&heat);
    }
}

static at_status picture(const void *heat, at_text *t, at_err *err)
{
    return at_heat_svg(heat, t, err);
}

static at_status lines(const void *heat, at_text *t, at_err *err)
{
    at_heat_terminal(heat, 80, true, t);
    return t->oom ? at_oom(err) : AT_OK;
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    assert_true(starve(picture, &small, false) > 0);
    assert_true(starve(lines, &small, true) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(titles_of_panels),
        cmocka_unit_test(everything_is_drawn),
        cmocka_unit_test(in_vain_is_said),
        cmocka_unit_test(one_cell_and_none),
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
        cmocka_unit_test(largest_picture_is_bounded),
        cmocka_unit_test(the_sketch_is_exact),
        cmocka_unit_test(hostile_text_is_harmless),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
