/* test_pictures.c: what is drawn of data that is always the same, against pictures.txt: short texts in full, the
 * others, pictures and pages by their length and hash. The other tests say what must be in a picture; here nothing in it moves unnoticed. */
#include "study_test.h"

#include "../../core/test/test_golden.h"

#define OK(call)                                                                                             \
    do {                                                                                                     \
        at_err err = {0};                                                                                    \
        if ((call) != AT_OK)                                                                                 \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)

static const char path[] = "src/view/test/pictures.txt";

/* t is emptied. A short text is kept in full. */
static void text_note(at_text *out, const char *what, at_text *t)
{
    assert_false(t->oom);
    at_text_addf(out, "# %s: %zu bytes, %016jx\n", what, t->n, (uintmax_t)at_hash64(t->s, t->n, 1));
    if (t->n < 2500 && !strchr(t->s, '\033'))
        at_text_addf(out, "%s\n", t->s);
    at_text_release(t);
    at_text_init(t);
}

static void picture_note(at_text *out, const char *what, at_text *t)
{
    const char *fault = t->oom ? "the end: out of memory" : markup_fault(t->s);
    if (fault)
        fail_msg("%s is not well formed at %s", what, fault);
    text_note(out, what, t);
}

/* Texts at every width of a terminal, by one hash. */
enum { NARROW = 20, WIDE = 170 };

static void widths_note(at_text *out, const char *what, uint64_t hash)
{
    at_text_addf(out, "# %s, %d to %d columns: %016jx\n", what, NARROW, WIDE, (uintmax_t)hash);
}

static uint64_t hash_on(uint64_t hash, at_text *t)
{
    assert_false(t->oom);
    hash = at_hash64(t->s, t->n, hash + 1);
    at_text_release(t);
    at_text_init(t);
    return hash;
}

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

static void study_note(at_text *out, at_text *t, const at_study_group *g, sweep *s)
{
    at_heat h;
    OK(at_study_heat(g, &s->a, &h, &err));
    OK(at_heat_svg(&h, t, &err));
    picture_note(out, "heat", t);
    for (int columns = 60; columns <= 140; columns += 80) {
        at_heat_terminal(&h, columns, columns == 140, t);
        text_note(out, "heat", t);
        OK(at_study_text(g, columns, t, &err));
        text_note(out, "study", t);
    }
    uint64_t heat = 0, text = 0;
    for (int columns = NARROW; columns <= WIDE; columns++) {
        at_heat_terminal(&h, columns, false, t);
        heat = hash_on(heat, t);
        OK(at_study_text(g, columns, t, &err));
        text = hash_on(text, t);
    }
    widths_note(out, "heat", heat);
    widths_note(out, "study", text);
    for (int what = 0; what < 2; what++)
        for (int m = 0; m < AT_STUDY_ATTENTIONS; m++) {
            at_plot p;
            OK(at_study_curves(&g->tasks[0], (at_study_attention)m, 20, (at_curve)what, &s->a, &p, &err));
            OK(at_plot_svg(&p, t, &err));
            picture_note(out, "curves", t);
        }
}

#define LONG_NAME                                                                                            \
    "a-task-with-a-name-that-is-longer-than-any-column-of-a-table-should-be-and-than-twice-its-width-too-"   \
    "so-that-it-is-cut"

static void sweeps_note(at_text *out, at_text *t)
{
    sweep s;
    at_study st;
    sweep_paper(&s);
    OK(at_study_make(s.rows, s.n, "this", &s.a, &st, &err));
    study_note(out, t, &st.groups[0], &s);
    OK(at_trained_text(s.rows, s.n, 80, false, t, &err));
    text_note(out, "trained", t);
    at_row *r = row_add(&s, "dp-linear", "problem=lis a=4 b=5 letters=5", "q", 1, "holds", "{\"width\":96}");
    r->rec.role = "claim";
    OK(at_report_html(NULL, 0, s.rows, s.n, "build 7", t, &err));
    picture_note(out, "report of a sweep", t);
    sweep_end(&s);
    sweep_plan(&s, &paper_widths);
    run_add(&s, LONG_NAME, 0, 10, 16, 1, 0.95, "silent");
    OK(at_study_make(s.rows, s.n, "this", &s.a, &st, &err));
    study_note(out, t, &st.groups[0], &s);
    sweep_end(&s);
}

static void map_note(at_text *out, at_text *t)
{
    sweep s;
    at_map m;
    sweep_paper(&s);
    OK(at_map_make(at_map_panels, at_n_map_panels, s.rows, s.n, "this", &s.a, &m, &err));
    OK(at_map_svg(&m, t, &err));
    picture_note(out, "map", t);
    uint64_t text = 0;
    for (int columns = NARROW; columns <= WIDE; columns++) {
        OK(at_map_text(&m, columns, t, &err));
        text = hash_on(text, t);
    }
    widths_note(out, "map", text);
    sweep_end(&s);
}

static void bounds_note(at_text *out, at_text *t)
{
    for (int i = 0; i < at_n_bounds; i++) {
        at_params p;
        at_arena a;
        at_plot plot;
        at_arena_init(&a);
        at_params_init(&p, at_bounds[i]->params, at_bounds[i]->n_params);
        OK(at_bound_plot(at_bounds[i], &p, &a, &plot, &err));
        OK(at_plot_svg(&plot, t, &err));
        picture_note(out, at_bounds[i]->id, t);
        at_arena_release(&a);
    }
}

static void pictures(void **state)
{
    at_text out, t;
    at_text_init(&out);
    at_text_init(&t);
    looks_note(&out, &t);
    cells_note(&out, &t);
    sweeps_note(&out, &t);
    map_note(&out, &t);
    bounds_note(&out, &t);
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
