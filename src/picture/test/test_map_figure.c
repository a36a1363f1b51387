/* test_map_figure.c: a tile of the map: a constant looks like one, and stands in the middle of a decade. */
#include "picture_test.h"

#include <attest/picture.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_constant_looks_like_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
