/* test_film.c: films: a frame for every model and head, in one scale, with captions that cannot act; what is no film is refused. */
#include "picture_test.h"

static at_status film_svg(const void *film, at_text *out, at_err *err)
{
    return at_film_svg(film, out, err);
}

static int times(const char *s, const char *what)
{
    int n = 0;
    for (; (s = strstr(s, what)); s += strlen(what))
        n++;
    return n;
}

static void frames_and_captions(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, 5, 2, 1, NULL);
    at_film_frame frames[9];
    for (int k = 0; k < 9; k++)
        frames[k] = (at_film_frame){.look = &f.l, .caption = "step 7", .below = k % 2 ? "half right" : NULL};
    for (int n = 1; n <= 9; n += 4) {
        at_text t;
        at_err err = {0};
        at_text_init(&t);
        assert_int_equal(at_film_svg(&(at_film){.title = "a training", .frames = frames, .n = n}, &t, &err),
                         AT_OK);
        assert_null(markup_fault(t.s));
        assert_int_equal(times(t.s, "step 7"), n * f.tr.n_heads);
        assert_int_equal(times(t.s, "half right"), n / 2 * f.tr.n_heads);
        assert_int_equal(times(t.s, "layer 2"), 2); /* its heads */
        at_text_release(&t);
    }
    assert_true(starve(film_svg, &(at_film){.title = "a", .frames = frames, .n = 2}, false) > 0);
    at_arena_release(&f.a);
}

/* The scale is that of a film: a uniform frame has one colour, whatever the other frames. */
static void one_scale(void **state)
{
    (void)state;
    fixture f[2];
    at_text t[2];
    at_err err = {0};
    for (int k = 0; k < 2; k++) {
        fixture_make(&f[k], 4, 1, 1, NULL);
        for (int i = 0; i < 16; i++)
            ((double *)f[k].tr.heads[0].w)[i] = k ? i % 5 == 0 : 0.25;
    }
    f[0].tr.n_heads = f[1].tr.n_heads = 1;
    f[0].m.blocks[0].groups[0].mask.kind = f[1].m.blocks[0].groups[0].mask.kind = AT_MASK_NONE;
    const at_film_frame frames[] = {{&f[0].l, "1", NULL}, {&f[1].l, "2", NULL}};
    for (int n = 1; n <= 2; n++) {
        at_text_init(&t[n - 1]);
        assert_int_equal(
            at_film_svg(&(at_film){.title = "", .frames = frames, .n = n, .plain = true}, &t[n - 1], &err),
            AT_OK);
    }
    at_draw_rgb half = at_draw_ramp(0.5), full = at_draw_ramp(1);
    char want[2][8];
    snprintf(want[0], 8, "#%02x%02x%02x", half.r, half.g, half.b);
    snprintf(want[1], 8, "#%02x%02x%02x", full.r, full.g, full.b);
    assert_true(strstr(t[0].s, want[0]) && !strstr(t[0].s, want[1]));
    assert_true(strstr(t[1].s, want[0]) && strstr(t[1].s, want[1]));
    for (int k = 0; k < 2; k++) {
        at_text_release(&t[k]);
        at_arena_release(&f[k].a);
    }
}

static void refused(const at_film *film, const char *words)
{
    at_err err = {0};
    at_text t;
    at_text_init(&t);
    assert_true(at_film_svg(film, &t, &err) != AT_OK && !t.n);
    if (!strstr(err.text, words))
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
    at_text_release(&t);
}

static void what_is_no_film(void **state)
{
    (void)state;
    fixture f[3];
    fixture_make(&f[0], 5, 1, 1, NULL);
    fixture_make(&f[1], 6, 1, 1, NULL);
    fixture_make(&f[2], 5, 0, 0, NULL);
    const at_film_frame frames[] = {{&f[0].l, "a", NULL}, {&f[1].l, "b", NULL}}, none = {&f[2].l, "c", NULL};
    refused(&(at_film){.title = "", .frames = frames, .n = 0}, "allowed: 1..64");
    refused(&(at_film){.title = "", .frames = frames, .n = 2}, "frame 2 has other heads or positions");
    refused(&(at_film){.title = "", .frames = &none, .n = 1}, "no attention");
    for (size_t h = 0; h < HOSTILE; h++) {
        at_text t;
        at_err err = {0};
        const at_film_frame bad = {&f[0].l, hostile[h], hostile[h]};
        at_text_init(&t);
        assert_int_equal(at_film_svg(&(at_film){.title = hostile[h], .frames = &bad, .n = 1}, &t, &err),
                         AT_OK);
        assert_null(markup_fault(t.s));
        at_text_release(&t);
    }
    for (int k = 0; k < 3; k++)
        at_arena_release(&f[k].a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_and_captions), cmocka_unit_test(one_scale),
                                       cmocka_unit_test(what_is_no_film)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
