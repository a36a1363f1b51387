/* test_map_figure.c: a tile of the map: a constant looks like one, and stands in the middle of a decade. */
#include "picture_test.h"

#include <attest/picture.h>
#include <stdlib.h>

static void a_constant_looks_like_one(void **state)
{
    (void)state;
    static const double x[] = {8, 16, 32}, y[] = {10, 10, 10};
    const at_map_points points[AT_MAP_KINDS] = {[AT_MAP_BUILT] = {3, x, y, NULL}};
    const at_map_tile tile = {.task = "copy",
                              .architecture = "one layer",
                              .unit = "width",
                              .size = "n",
                              .verdict = "constant",
                              .points = points};
    at_err err = {0};
    at_text t;
    at_text_init(&t);
    assert_int_equal(at_map_figure_svg(&(at_map_figure){1, &tile}, &t, &err), AT_OK);
    assert_null(markup_fault(t.s));
    static const char *const shown[] = {">copy", ">10<", ">5<", ">20<"};
    static const char *const beyond[] = {">0.1<", ">0.2<", ">0.5<", ">1<", ">2<", ">50<", ">100<", ">1000<"};
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
        if (!strstr(t.s, shown[k]))
            fail_msg("no %s", shown[k]);
    for (size_t k = 0; k < sizeof beyond / sizeof *beyond; k++)
        if (strstr(t.s, beyond[k]))
            fail_msg("%s is further off than half a decade", beyond[k]);
    at_text_release(&t);
}

static double number_behind(const char *svg, const char *name)
{
    const char *at = strstr(svg, name);
    assert_non_null(at);
    return strtod(at + strlen(name), NULL);
}

/* Thirty panels are a page, not a ribbon; what a panel counts is said in whole words. */
static void many_panels_are_a_page(void **state)
{
    (void)state;
    enum { PANELS = 30 };
    static const double x[] = {8, 16, 32}, y[] = {10, 20, 40};
    const at_map_points points[AT_MAP_KINDS] = {[AT_MAP_BUILT] = {3, x, y, NULL}};
    at_map_tile tiles[PANELS];
    for (int k = 0; k < PANELS; k++)
        tiles[k] = (at_map_tile){.task = "composition",
                                 .architecture = "1 layer, few bits",
                                 .unit = "head width, one head, p = log2 n + 3",
                                 .size = "n",
                                 .axis = "n, values 0..n-1 that the functions are on",
                                 .bits = "p=11 e=8 at n = 256: floats, exact sums",
                                 .verdict = "gap x3.4",
                                 .points = points};
    for (int n = 1; n <= PANELS; n++) {
        at_err err = {0};
        at_text t;
        at_text_init(&t);
        assert_int_equal(at_map_figure_svg(&(at_map_figure){n, tiles}, &t, &err), AT_OK);
        assert_null(markup_fault(t.s));
        assert_null(strstr(t.s, "\xE2\x80\xA6")); /* no words are cut */
        static const char *const whole[] = {"log2 n + 3", "functions are on<", "exact sums<", ">gap x3.4<"};
        for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
            if (!strstr(t.s, whole[k]))
                fail_msg("no %s", whole[k]);
        double ratio = number_behind(t.s, " width=\"") / number_behind(t.s, " height=\"");
        if (n > 6 && (ratio < 1.1 || ratio > 2.6))
            fail_msg("%d panels: %g times as wide as high", n, ratio);
        at_text_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_constant_looks_like_one),
                                       cmocka_unit_test(many_panels_are_a_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
