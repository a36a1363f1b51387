/* test_figures.c: what is drawn and written of rows that are always the same, against figures.txt. The other tests say
 * what must be there; here nothing in it moves unnoticed. */
#include "study_test.h"

#include "../../picture/test/picture_note.h"

static const char path[] = "src/report/test/figures.txt";

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
        for (int m = 0; m < AT_TRAINED_ATTENTIONS; m++) {
            at_plot p;
            OK(at_study_curves(&g->tasks[0], (at_attention_kind)m, 20, (at_curve)what, &s->a, &p, &err));
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
    OK(at_report_html(&(at_report_about){.build = "build 7"}, NULL, 0, s.rows, s.n, t, &err));
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

static void figures(void **state)
{
    at_text out, t;
    at_text_init(&out);
    at_text_init(&t);
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
        cmocka_unit_test_prestate(figures, golden_asked(argc, argv) ? (void *)argv : NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
