/* test_pictures.c: what is drawn of data that is always the same, against pictures.txt. The other tests say what must be
 * in a picture; here nothing in it moves unnoticed. */
#include "picture_note.h"

static const char path[] = "src/picture/test/pictures.txt";

/* Sizes on both sides of what makes a picture change its form: few positions and many, a head and several, long labels. */
static void looks_note(at_text *out, at_text *t)
{
    static const struct {
        int T, blocks, heads;
        const char *label;
    } row[] = {{1, 1, 1, NULL},  {6, 1, 1, NULL},
               {6, 2, 3, NULL},  {24, 1, 2, "a long label"},
               {40, 3, 1, NULL}, {90, 1, 1, "\xE4\xB8\xAD"},
               {200, 1, 1, NULL}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        fixture f;
        char what[80];
        fixture_make(&f, row[i].T, row[i].blocks, row[i].heads, row[i].label);
        snprintf(what, sizeof what, "look, %d positions, %d blocks", row[i].T, row[i].blocks);
        OK(at_look_svg(&f.l, t, &err));
        picture_note(out, what, t);
        for (int columns = 40; columns <= 120 && row[i].T <= 40; columns += 40) {
            at_look_terminal(&f.l, columns, columns == 120, t);
            text_note(out, what, t);
        }
        uint64_t text = 0;
        for (int columns = NARROW; columns <= WIDE && row[i].T <= 40; columns++) {
            at_look_terminal(&f.l, columns, false, t);
            text = hash_on(text, t);
        }
        widths_note(out, what, text);
        fixture_free(&f);
    }
}

/* Cells of all sizes, with small words that just fit and just do not. */
static void cells_note(at_text *out, at_text *t)
{
    static const char *const tiny[] = {"1",
                                       "12",
                                       "20\xE2\x80\x93"
                                       "30",
                                       "1234567",
                                       "123456789",
                                       "1234567890123"};
    enum { MOST = 12 };
    const char *labels[MOST];
    at_heat_cell e[MOST * MOST];
    uint64_t drawn = 0, shown = 0;
    for (int i = 0; i < MOST; i++)
        labels[i] = tiny[i % 6];
    for (int i = 0; i < MOST * MOST; i++)
        e[i] = (at_heat_cell){i % 11 / 10., "50", tiny[i % 6], "tip", (at_heat_mark)(i % 3)};
    for (int nx = 1; nx <= MOST; nx++)
        for (int ny = 1; ny <= MOST; ny++) {
            at_heat_panel p[] = {{nx, ny, "width", "n", labels, labels, e},
                                 {ny, nx, "width", "n", labels, labels, e}};
            at_heat h = {"title", "note", 1,          2,        labels,     labels,
                         p,       0.9,    "accuracy", "spread", "possible", "impossible"};
            OK(at_heat_svg(&h, t, &err));
            drawn = hash_on(drawn, t);
            at_heat_terminal(&h, 80, false, t);
            shown = hash_on(shown, t);
        }
    at_text_addf(out, "# heat maps of 1 to %d cells a side: %016jx, %016jx\n", MOST, (uintmax_t)drawn,
                 (uintmax_t)shown);
}

static void films_note(at_text *out, at_text *t)
{
    fixture f;
    at_film_frame frames[5];
    fixture_make(&f, 12, 2, 2, NULL);
    for (int k = 0; k < 5; k++)
        frames[k] =
            (at_film_frame){.look = &f.l, .caption = k % 2 ? "step 8" : "step 9", .below = k ? "half" : NULL};
    for (int n = 1; n <= 5; n += 2) {
        char what[80];
        snprintf(what, sizeof what, "film, %d frames", n);
        OK(at_film_svg(&(at_film){.title = "a training", .frames = frames, .n = n}, t, &err));
        picture_note(out, what, t);
    }
    fixture_free(&f);
}

static void pictures(void **state)
{
    at_text out, t;
    at_text_init(&out);
    at_text_init(&t);
    looks_note(&out, &t);
    films_note(&out, &t);
    cells_note(&out, &t);
    golden_check(path, out.s, *state);
    at_text_release(&out);
    at_text_release(&t);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(pictures, golden_asked(argc, argv) ? (void *)argv : NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
