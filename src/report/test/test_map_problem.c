/* test_map_problem.c: the map of one problem: what compiles and what was trained of it, beside its bounds where the catalogue has any. */
#include "map_test.h"

#include <attest/claim.h>
#include <attest/front.h>

static at_map problem_map(sweep *s, const char *name, const char *subject, const char *set)
{
    at_map m;
    at_problem *p;
    at_err err = {0};
    assert_int_equal(at_problem_open(name, &p, &err), AT_OK);
    at_status st = at_map_problem(p, subject, set, s->rows, s->n, "this", &s->a, &m, &err);
    at_problem_free(p); /* the map must not need it any more */
    if (st)
        fail_msg("%s: %s", name, err.text);
    return m;
}

/* Every point of what is compiled is the size of a model that the front end makes there; both measures of all four kinds. */
static void what_compiles_is_drawn(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 8);
    at_map m = problem_map(&s, "lcs", "lcs", "letters=2");
    assert_int_equal(m.n, 2 * AT_ATTENTIONS);
    assert_non_null(strstr(m.words, "No bound is known to attest for lcs"));
    at_problem *p;
    at_params q;
    at_model model;
    at_size z;
    at_err err = {0};
    assert_int_equal(at_problem_open("lcs", &p, &err), AT_OK);
    for (int k = 0; k < m.n; k++) {
        const at_map_points *b = &m.places[k].points[AT_MAP_BUILT];
        assert_true(b->n >= 4 && b->x[1] == 4);
        assert_int_equal(at_problem_params(p, AT_VIEW_CHAIN, "n1=4 n2=4 letters=2", &q, &err), AT_OK);
        at_front_options o = {.attention = m.places[k].panel->attention};
        assert_int_equal(at_front_of(p)->model(&q, &o, &model, &err), AT_OK);
        at_model_size(&model, &z);
        at_model_release(&model);
        assert_true(b->y[1] == (k % 2 ? (double)z.parameters : z.width));
        assert_int_equal(m.places[k].points[AT_MAP_PROVED].n, 0);
    }
    at_problem_free(p);
    sweep_end(&s);
}

/* Trainings count by the subject, hash included: those of another text of the same name do not, and are said. */
static void trainings_of_another_text_do_not_count(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 8);
    run_add(&s, "lcs", AT_ATTENTION_LINEAR, 4, 32, 1, 0.95, "silent");
    run_add(&s, "lcs#11111111", AT_ATTENTION_LINEAR, 8, 64, 1, 0.95, "silent");
    run_add(&s, "lcs#22222222", AT_ATTENTION_LINEAR, 9, 64, 1, 0.95, "silent");
    claim_add(&s, "lcs#22222222", "n1=3", "holds", 600); /* and a check is no training */
    at_map m = problem_map(&s, "lcs", "lcs#11111111", "n1=2..5");
    const at_map_place *p = NULL;
    for (int k = 0; k < m.n; k++)
        if (!strcmp(m.places[k].panel->architecture, "linear, width"))
            p = &m.places[k];
    assert_non_null(p);
    POINTS(p, AT_MAP_TRAINED, 8, 64);
    for (int k = 0; k < m.n; k++) { /* local attention is not trained, and parameters are not measured */
        const at_map_panel *w = m.places[k].panel;
        assert_int_equal(w->trained != NULL,
                         w->measure == AT_MAP_WIDTH && w->attention != AT_ATTENTION_LOCAL);
    }
    assert_int_equal(p->points[AT_MAP_BUILT].n, 4);
    assert_non_null(strstr(m.words, "1 training of another text of this file's name is not counted"));
    m = problem_map(&s, "parity", "lcs", NULL); /* trained models alone */
    assert_int_equal(m.n, 1);
    POINTS(&m.places[0], AT_MAP_TRAINED, 4, 32);
    assert_string_equal(m.places[0].sizes, "n 4..4");
    assert_non_null(strstr(m.words, "only trained models can be here"));
    sweep_end(&s);
}

/* Of a problem of the catalogue its panels, with bounds, and no others; a contradiction is one here, too. */
static void the_catalogues_panels_of_a_problem(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 8);
    at_map m = problem_map(&s, "prefix-sum", "prefix-sum", NULL);
    assert_int_equal(m.n, 3);
    bool bound = false;
    for (int k = 0; k < m.n; k++) {
        assert_string_equal(m.places[k].panel->task, "prefix-sum");
        bound = bound || m.places[k].points[AT_MAP_PROVED].n || m.places[k].points[AT_MAP_SHAPE].n;
    }
    assert_true(bound);
    /* Compiled at another modulus: the bound is the calculator's at that modulus and at the compiled decoder's heads. */
    m = problem_map(&s, "prefix-sum", "prefix-sum", "q=3 n=1000..1002");
    assert_int_equal(m.n, 2 * AT_ATTENTIONS + 2);
    const at_map_place *p = &m.places[m.n - 1];
    assert_string_equal(p->panel->architecture, "linear");
    const at_bound *b = at_bound_find("dp-hard");
    at_params q;
    at_bound_result r;
    at_err err = {0};
    char set[160];
    snprintf(set, sizeof set,
             "problem=prefix-sum attention=linear n=1001 letters=3 layers=%d H=%d w=1 p=24 e=8",
             p->panel->models[1].size.layers, p->panel->models[1].size.heads);
    at_params_init(&q, b->params, b->n_params);
    assert_int_equal(at_params_parse(&q, set, &err), AT_OK);
    assert_int_equal(at_bound_compute(b, &q, &s.a, &r, &err), AT_OK);
    assert_int_equal(r.verdict, AT_BOUND_BINDS);
    POINTS(p, AT_MAP_PROVED, 1000, r.least, 1001, r.least, 1002, r.least);
    double three = r.least; /* the control: with the catalogue's own modulus it is another number */
    assert_int_equal(at_params_parse(&q, "letters=5", &err), AT_OK);
    assert_int_equal(at_bound_compute(b, &q, &s.a, &r, &err), AT_OK);
    assert_true(r.least > three);
    assert_int_equal(m.contradictions, 0);
    assert_non_null(strstr(m.words, "attest map --problem prefix-sum"));
    m = problem_map(&s, "compose", "compose", NULL);
    assert_int_equal(m.n, 4);
    sweep_end(&s);
}

static at_status problem_shown(const void *of, at_text *t, at_err *err)
{
    const sweep *s = of;
    at_arena a;
    at_problem *p;
    at_map m;
    at_arena_init(&a);
    at_status st = at_problem_open("examples/prefix-sum.dp", &p, err);
    if (!st) {
        st = at_map_problem(p, "lcs", "n=2..3", s->rows, s->n, "this", &a, &m, err);
        if (!st)
            st = at_map_text(&m, 80, t, err);
        at_problem_free(p);
    }
    at_arena_release(&a);
    return st;
}

static void out_of_memory_is_reported_of_a_problem(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 8);
    run_add(&s, "lcs", AT_ATTENTION_LINEAR, 30, 32, 1, 0.5, "silent");
    assert_true(starve(problem_shown, &s, false) > 10);
    sweep_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_compiles_is_drawn),
        cmocka_unit_test(trainings_of_another_text_do_not_count),
        cmocka_unit_test(the_catalogues_panels_of_a_problem),
        cmocka_unit_test(out_of_memory_is_reported_of_a_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
