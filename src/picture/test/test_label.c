/* test_label.c: measuring and cutting of foreign text; the canvas takes any of it. */
#include "picture_test.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
