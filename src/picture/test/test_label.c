/* test_label.c: measuring and cutting of foreign text; the canvas takes any of it. A ring in pixels. */
#include "picture_test.h"

#include <cairo.h>

static void labels_fit(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    for (size_t i = 0; i < HOSTILE; i++)
        for (double max = 30; max < 200; max += 7) {
            const char *s = at_picture_label(&a, hostile[i], 11, max);
            assert_true(at_draw_width(s, 11) <= max);
            assert_true(s[0] && text_clean(s));
        }
    assert_string_equal(at_picture_label(&a, "reading", 11, 1000), "reading");
    assert_string_equal(at_picture_label(&a, " ", 11, 100), "\xE2\x90\xA3"); /* a blank token is seen */
    at_arena_release(&a);
}

static void hostile_draw(const void *ctx, at_draw_canvas *c)
{
    (void)ctx;
    for (size_t i = 0; i < HOSTILE; i++)
        at_draw_text(c, 10, 10, 10, AT_DRAW_LEFT, i % 2, false, at_draw_ink, hostile[i]);
}

static void the_canvas_takes_any_text(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        at_text t;
        at_err err = {0};
        at_text_init(&t);
        assert_int_equal(
            at_draw_render((at_picture_kind)kind, 50, 50, hostile[4], hostile_draw, NULL, &t, &err), AT_OK);
        if (kind == AT_PICTURE_SVG)
            assert_null(markup_fault(t.s));
        at_text_release(&t);
    }
}

static void ring_draw(const void *ctx, at_draw_canvas *c)
{
    (void)ctx;
    at_draw_line(c, 0, 2, 60, 2, 4, at_draw_ink); /* what comes before does not thicken it */
    at_draw_ring(c, 30, 30, 10, at_draw_ink);
}

static cairo_status_t bytes_read(void *from, unsigned char *to, unsigned n)
{
    const char **at = from;
    memcpy(to, *at, n);
    *at += n;
    return CAIRO_STATUS_SUCCESS;
}

/* As much ink as its circumference times 1.6, two pixels a unit, around its middle. */
static void a_ring_in_pixels(void **state)
{
    (void)state;
    at_text t;
    at_err err = {0};
    double ink = 0, x = 0, y = 0;
    at_text_init(&t);
    assert_int_equal(at_draw_render(AT_PICTURE_PNG, 60, 60, "ring", ring_draw, NULL, &t, &err), AT_OK);
    const char *at = t.s;
    cairo_surface_t *png = cairo_image_surface_create_from_png_stream(bytes_read, &at);
    assert_int_equal(cairo_surface_status(png), CAIRO_STATUS_SUCCESS);
    const unsigned char *pixels = cairo_image_surface_get_data(png);
    int stride = cairo_image_surface_get_stride(png);
    for (int r = 20; r < 120; r++)
        for (int k = 0; k < 120; k++) {
            double dark = 1 - pixels[r * stride + 4 * k] / 255.;
            ink += dark, x += dark * (k + 0.5), y += dark * (r + 0.5);
        }
    double full = 1 - pixels[2 * stride + 4 * 60] / 255.; /* of the line */
    assert_true(full > 0.5);
    assert_true(fabs(ink / full / (4 * 2 * 3.14159265 * 10 * 1.6) - 1) < 0.02);
    assert_true(fabs(x / ink - 60) < 0.1 && fabs(y / ink - 60) < 0.1);
    cairo_surface_destroy(png);
    at_text_release(&t);
}

/* fontconfig, below cairo, keeps its font cache until the process ends: not ours to free. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_fit),
        cmocka_unit_test(the_canvas_takes_any_text),
        cmocka_unit_test(a_ring_in_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
