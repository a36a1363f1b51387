/* test_plot.c: plots: every point that can be drawn is, every other is counted, no coordinate is NaN. */
#include "picture_test.h"

static char *plot_of(const at_plot *p, at_text *t)
{
    at_err err = {0};
    at_text_init(t);
    assert_int_equal(at_plot_svg(p, t, &err), AT_OK);
    assert_null(markup_fault(t->s));
    assert_true(text_clean(t->s));
    assert_null(strstr(t->s, "nan"));
    assert_null(strstr(t->s, "inf"));
    return t->s;
}

static void points_ticks_and_legend(void **state)
{
    (void)state;
    double x[] = {8, 16, 32, 64, 128, 256, 512, 1024}, y[] = {3, 4, 5, 6, 7, 8, 9, 10},
           z[] = {1, 1e2, 1e3, 1e4, 1e5};
    at_series s[] = {{"measured", 8, x, y, false}, {"theory", 8, x, y, true}, {"wide", 5, x, z, false}};
    at_plot p = {"bits", "N", "bits needed", true, true, s, 3};
    at_text t;
    plot_of(&p, &t);
    assert_int_equal(occurrences(t.s, "h.01"),
                     8 + 1); /* discs: the points and the legend; then come squares */
    assert_int_equal(occurrences(t.s, "stroke-dasharray"), 1 + 1);
    assert_int_equal(closed_shapes(t.s), 5 + 1);
    static const char *const labels[] = {
        ">8<",        ">16<",     ">32<",   ">64<", ">128<",         ">512<", ">1024<", ">10\xE2\x81\xB5<",
        ">measured<", ">theory<", ">wide<", ">N<",  ">bits needed<", ">bits<"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (!strstr(t.s, labels[i]))
            fail_msg("no %s", labels[i]);
    assert_null(strstr(t.s, "left out"));
    at_text_release(&t);
    p.logx = p.logy = false;
    p.n_series = 2;
    plot_of(&p, &t);
    assert_non_null(strstr(t.s, ">1200<"));
    assert_non_null(strstr(t.s, ">10<"));
    at_text_release(&t);
}

/* The size of the letters that a text is written in. */
static double letters_of(const char *svg, const char *text)
{
    const char *at = strstr(svg, text), *last = NULL;
    assert_non_null(at);
    for (const char *k = svg; (k = strstr(k, "font-size=\"")) && k < at; k++)
        last = k;
    assert_non_null(last);
    return atof(last + strlen("font-size=\""));
}

/* A legend goes on in the next line before it leaves the picture; both axes have letters of one size. */
static void the_legend_stays_inside(void **state)
{
    (void)state;
    enum { N = 12 };
    double x[] = {8, 16, 32}, y[] = {100, 1000, 1e5}, lowest = 0, highest = 0;
    char name[N][40], wanted[48];
    at_series s[N];
    for (int k = 0; k < N; k++) {
        snprintf(name[k], sizeof name[k], "a series of some length, %d", k);
        s[k] = (at_series){name[k], 3, x, y, false};
    }
    at_plot p = {"bits", "N", "bits needed", true, true, s, N};
    at_text t;
    plot_of(&p, &t);
    double width = atof(strstr(t.s, "width=\"") + strlen("width=\""));
    assert_true(width > 100);
    box text[100];
    int texts = boxes(t.s, text, 100);
    for (int k = 0; k < N; k++) {
        int i = 0;
        snprintf(wanted, sizeof wanted, "%.39s<", name[k]);
        while (i < texts && strncmp(text[i].s, wanted, strlen(wanted)) != 0)
            i++;
        assert_true(i < texts && text[i].x0 > 0 && text[i].x1 <= width);
        lowest = k ? fmax(lowest, text[i].y1) : text[i].y1;
        highest = k ? fmin(highest, text[i].y1) : text[i].y1;
    }
    assert_true(lowest > highest);
    assert_true(letters_of(t.s, ">16<") == letters_of(t.s, ">1000<"));
    at_text_release(&t);
}

static void what_cannot_be_drawn_is_counted(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4, 5, 6, 7}, y[] = {1, 0, -1, NAN, INFINITY, 1e308, 2};
    at_series s[] = {{"s", 7, x, y, false}};
    at_plot p = {"t", "x", "y", false, true, s, 1};
    at_text t;
    plot_of(&p, &t);
    assert_non_null(strstr(t.s, "5 points cannot stand on these axes and are left out"));
    assert_int_equal(occurrences(t.s, "h.01"), 2 + 1);
    at_text_release(&t);
}

static void extremes(void **state)
{
    (void)state;
    static const double values[][2] = {{0, 0},           {5, 5},          {-3, -3},      {1e-300, 1e300},
                                       {1e16, 1e16 + 2}, {-1e300, 1e300}, {0.1, 0.1001}, {1e-9, 2e-9},
                                       {3, 4},           {NAN, NAN},      {999, 1001},   {1, 1e9}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (int log = 0; log < 4; log++) {
            at_series s[] = {{NULL, 2, values[i], values[i], false}};
            at_plot p = {NULL, NULL, NULL, log & 1, log & 2, s, 1};
            at_text t;
            plot_of(&p, &t);
            at_text_release(&t);
        }
    at_plot empty = {"t", "x", "y", true, true, NULL, 0};
    at_text t;
    plot_of(&empty, &t);
    at_text_release(&t);
    at_err err = {0};
    empty.n_series = 65;
    at_text_init(&t);
    assert_int_equal(at_plot_svg(&empty, &t, &err), AT_EDOMAIN);
    assert_int_equal(t.n, 0);
    assert_non_null(strstr(err.text, "0..64"));
}

/* Counts have no halves; few places on a logarithmic axis have their own labels; a plot without a title leaves no room for it, and one
 * line whose name the axis bears needs no legend. */
static void ticks_are_numbers_that_can_be(void **state)
{
    (void)state;
    double x[] = {4, 8, 16, 32}, y[] = {5, 5, 6, 7}, broken[] = {5, 5, 6.5, 7};
    at_series s[] = {{NULL, 4, x, y, false}};
    at_plot p = {NULL, "N", "bits", true, false, s, 1};
    at_text t, named;
    plot_of(&p, &t);
    static const char *const labels[] = {">4<", ">8<", ">16<", ">32<", ">5<", ">6<", ">7<", "<title>bits<"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        assert_non_null(strstr(t.s, labels[i]));
    assert_null(strstr(t.s, ">5.5<"));
    assert_null(strstr(t.s, ">\xE2\x88\x85<")); /* what stands for an empty label */
    p.title = "t";
    s[0].label = "a";
    plot_of(&p, &named);
    double high = atof(strstr(t.s, "height=\"") + 8), higher = atof(strstr(named.s, "height=\"") + 8);
    assert_true(high + 40 < higher);
    at_text_release(&t);
    at_text_release(&named);
    s[0].y = broken;
    plot_of(&p, &t);
    assert_non_null(strstr(t.s, ">5.5<"));
    at_text_release(&t);
    double near[] = {1000, 1010, 1e5,
                     1e6}; /* two that have no room beside each other: round numbers instead */
    s[0].x = near;
    plot_of(&p, &t);
    assert_null(strstr(t.s, ">1010<"));
    at_text_release(&t);
}

/* Single runs are thin, without markers and not in the legend; their median is bold; both in one colour. */
static void runs_and_their_median(void **state)
{
    (void)state;
    double x[] = {1, 2, 3}, y[] = {1, 2, 3}, gap[] = {1, NAN, 3};
    at_series s[] = {{"run", 3, x, y, .line = AT_LINE_THIN, .role = AT_ROLE_BOUND, .shade = 1},
                     {"run", 3, x, gap, .line = AT_LINE_THIN, .role = AT_ROLE_BOUND, .shade = 1},
                     {"median", 3, x, y, .line = AT_LINE_BOLD, .role = AT_ROLE_BOUND, .shade = 1}};
    at_plot p = {"t", "x", "y", false, false, s, 3};
    at_text t;
    plot_of(&p, &t);
    assert_null(strstr(t.s, ">run<"));
    assert_non_null(strstr(t.s, ">median<"));
    assert_int_equal(occurrences(t.s, "fill=\"none\" stroke-linejoin=\"round\" stroke=\"#d55e00\""),
                     1 + 1);                 /* a run; the median and its line in the legend */
    assert_int_equal(closed_shapes(t.s), 2); /* points on their own stay visible */
    assert_int_equal(occurrences(t.s, "stroke-width=\"2.6\""), 1);
    at_text_release(&t);
    s[0].line = (at_line)7;
    at_err err = {0};
    at_text_init(&t);
    assert_int_equal(at_plot_svg(&p, &t, &err), AT_EDOMAIN);
}

static void hostile_text_is_harmless(void **state)
{
    (void)state;
    double x[] = {1, 2}, y[] = {1, 2};
    for (size_t i = 0; i < HOSTILE; i++) {
        at_series s[] = {{hostile[i], 2, x, y, false}};
        at_plot p = {hostile[i], hostile[i], hostile[i], false, false, s, 1};
        at_text t;
        plot_of(&p, &t);
        assert_null(strstr(t.s, "<script"));
        assert_null(strstr(t.s, "<img"));
        at_text_release(&t);
    }
}

static at_status picture(const void *plot, at_text *t, at_err *err)
{
    return at_plot_svg(plot, t, err);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    double x[] = {1, 2}, y[] = {1, 2};
    at_series s[] = {{"a", 2, x, y, false}, {"b", 2, x, y, true}};
    at_plot p = {"t", "x", "y", false, false, s, 2};
    assert_true(starve(picture, &p, false) > 0);
}

/* A role has one colour, whatever stands beside it; lines of one role differ in their shade. */
static void roles_have_their_colour(void **state)
{
    (void)state;
    double x[] = {1, 2};
    static const struct {
        at_role role;
        const char *rgb;
    } roles[] = {{AT_ROLE_BOUND, "#d55e00"},
                 {AT_ROLE_BUILT, "#0072b2"},
                 {AT_ROLE_TRAINED, "#009e73"},
                 {AT_ROLE_REFUTED, "#cc79a7"},
                 {AT_ROLE_THEORY, "currentColor"}};
    for (int turned = 0; turned < 5; turned++) {
        at_series s[6];
        for (int k = 0; k < 6; k++)
            s[k] = (at_series){.label = "s", .n = 2, .x = x, .y = x, .role = roles[(k + turned) % 5].role};
        at_plot p = {"t", "x", "y", false, false, s, 6};
        at_text t;
        plot_of(&p, &t);
        for (int k = 0; k < 4; k++) {
            char stroke[60];
            snprintf(stroke, sizeof stroke, "stroke=\"%s\" stroke-width=\"2\"", roles[k].rgb);
            assert_int_equal(occurrences(t.s, stroke), 2); /* the line, and the legend's */
        }
        at_text_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_ticks_and_legend),         cmocka_unit_test(the_legend_stays_inside),
        cmocka_unit_test(what_cannot_be_drawn_is_counted), cmocka_unit_test(extremes),
        cmocka_unit_test(ticks_are_numbers_that_can_be),   cmocka_unit_test(runs_and_their_median),
        cmocka_unit_test(roles_have_their_colour),         cmocka_unit_test(hostile_text_is_harmless),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
