/* test_film_page.c: a film as a page: a section a frame with every head in it, one script that the content policy knows, nothing that is
 * fetched, words that cannot act; what is no film is refused. */
#include "study_test.h"

static at_status page(const void *film, at_text *out, at_err *err)
{
    return at_film_html(film, out, err);
}

static void clean(const char *s)
{
    const char *fault = markup_fault(s);
    if (fault)
        fail_msg("not well formed at %s", fault);
    assert_true(text_clean(s));
    assert_int_equal(occurrences(s, "<script"), 1);
    assert_non_null(strstr(s, at_film_script));
    char hash[48], want[80];
    at_report_policy_hash(at_film_script, hash);
    snprintf(want, sizeof want, "script-src 'sha256-%s'", hash);
    assert_non_null(strstr(s, want));
    static const char *const fetched[] = {"<img", "<link", "<iframe", "url(", "@import", "src=\"", "href=\""};
    for (size_t k = 0; k < sizeof fetched / sizeof *fetched; k++)
        assert_null(strstr(s, fetched[k]));
}

static void frames_and_heads(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, 5, 2, 1, NULL);
    at_film_frame frames[5];
    for (int k = 0; k < 5; k++)
        frames[k] = (at_film_frame){.look = &f.l, .caption = "step 7", .below = k % 2 ? "half right" : NULL};
    for (int n = 1; n <= 5; n += 2) {
        at_text t;
        at_err err = {0};
        at_text_init(&t);
        at_text_add(&t, "before");
        const at_film film = {.title = "a training", .frames = frames, .n = n};
        assert_int_equal(at_film_html(&film, &t, &err), AT_OK);
        assert_memory_equal(t.s, "before<!DOCTYPE html>", 21);
        clean(t.s + 6);
        assert_int_equal(occurrences(t.s, "<section"), n);
        assert_int_equal(occurrences(t.s, "<h2>step 7</h2>"), n);
        assert_int_equal(occurrences(t.s, "half right"), n / 2);
        assert_int_equal(occurrences(t.s, "<svg"), n * f.tr.n_heads);
        assert_int_equal(occurrences(t.s, "layer 2 head 1 "), n); /* each head once a frame */
        at_text_release(&t);
    }
    assert_true(starve(page, &(at_film){.title = "a", .frames = frames, .n = 2}, false) > 0);
    fixture_free(&f);
}

static void refused(const at_film *film, const char *words)
{
    at_err err = {0};
    at_text t;
    at_text_init(&t);
    assert_true(at_film_html(film, &t, &err) != AT_OK && !t.n);
    if (!strstr(err.text, words))
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
    at_text_release(&t);
}

static void what_is_refused_and_escaped(void **state)
{
    (void)state;
    fixture f[3];
    fixture_make(&f[0], 5, 1, 1, NULL);
    fixture_make(&f[1], 6, 1, 1, NULL);
    fixture_make(&f[2], 2, 1, 40, NULL);
    const at_film_frame frames[] = {{&f[0].l, "a", NULL}, {&f[1].l, "b", NULL}};
    at_film_frame many[AT_FILM_FRAMES];
    for (int k = 0; k < AT_FILM_FRAMES; k++)
        many[k] = (at_film_frame){&f[2].l, "c", NULL};
    refused(&(at_film){.title = "", .frames = frames, .n = 0}, "allowed: 1..64");
    refused(&(at_film){.title = "", .frames = frames, .n = 2}, "frame 2 has other heads or positions");
    refused(&(at_film){.title = "", .frames = many, .n = 64}, "allowed: 2048 pictures");
    for (size_t h = 0; h < HOSTILE; h++) {
        at_text t;
        at_err err = {0};
        const at_film_frame bad = {&f[0].l, hostile[h], hostile[h]};
        at_text_init(&t);
        assert_int_equal(at_film_html(&(at_film){.title = hostile[h], .frames = &bad, .n = 1}, &t, &err),
                         AT_OK);
        clean(t.s);
        at_text_release(&t);
    }
    for (int k = 0; k < 3; k++)
        fixture_free(&f[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_and_heads),
                                       cmocka_unit_test(what_is_refused_and_escaped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
