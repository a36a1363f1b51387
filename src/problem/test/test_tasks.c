/* test_tasks.c: every row of the table of tasks is complete. */
#include "task_test.h"

static void test_tasks_are_complete(void **state)
{
    (void)state;
    assert_int_equal(at_n_tasks, 25);
    for (int i = 0; i < at_n_tasks; i++) {
        const at_task *t = at_tasks[i];
        at_params p;
        at_params_init(&p, t->params, t->n_params);
        assert_ptr_equal(at_task_find(t->id), t);
        assert_true(at_params_has(&p, "N"));
        for (int k = 0; k < t->n_params; k++) /* defaults are allowed values */
            assert_int_equal(at_params_set(&p, t->params[k].name, t->params[k].value, NULL), AT_OK);
        assert_true(!t->validate || t->validate(&p, NULL) == AT_OK);
        assert_true(t->title && t->definition && t->input_help && (t->enums || t->real));
        assert_true(t->answer && t->sample && t->adversarial && t->simpler);
        assert_true(!t->enums || (t->count && t->nth));
        assert_true(t->real ? !t->answers : !t->tokens == !t->answers); /* probabilities are no tokens */
        assert_true(!t->tokens || t->row_width(&p) == 1);
        assert_true(t->symmetric || !(t->enums & 1u << AT_ENUM_MULTISETS));
        for (int e = 0; e < AT_ENUMS; e++) {
            assert_non_null(at_enum_names[e]);
            if (t->count && !(t->enums >> e & 1) && (e == AT_ENUM_SUBSETS || t->real))
                assert_int_equal(t->count(&p, e), 0);
        }
    }
    assert_null(at_task_find("match"));
    assert_null(at_task_find(""));
}

/* The fields of every task take what it draws, and no less. */
static void test_fields(void **state)
{
    (void)state;
    for (int i = 0; i < at_n_tasks; i++) {
        const at_task *t = at_tasks[i];
        at_params p;
        at_err err = {0};
        at_params_init(&p, t->params, t->n_params);
        if (t->length)
            assert_int_equal(at_params_set(&p, "N", t->length(&p), &err), AT_OK);
        at_model m;
        at_model_init(&m);
        strcpy(m.name, "fields");
        m.width = 1, m.n_min = m.n_max = at_params_int(&p, "N");
        m.fields = at_new(&m.arena, at_field, AT_MAX_FIELDS);
        m.readout = (at_readout){.kind = AT_READ_RAW, .rows = 1};
        m.n_fields = at_task_fields(t, &p, m.fields);
        assert_true(m.n_fields > 0);
        for (int f = 0; f < m.n_fields; f++)
            m.fields[f].embed = (at_embed){0, 1, -1};
        if (at_model_layout(&m, &err))
            fail_msg("%s: %s", t->id, err.text);
        assert_int_equal(at_model_row_width(&m), t->row_width(&p));
        double *x = task_input(t, &p);
        for (uint64_t k = 0; k < 200; k++) {
            at_rng r = at_rng_at(3, k);
            (k % 2 ? t->adversarial : t->sample)(&p, &r, x);
            if (at_input_check(&m, &(at_input){m.n_max, x}, &err))
                fail_msg("%s: %s", t->id, err.text);
        }
        free(x);
        at_model_release(&m);
    }
}

static void test_joint_ranges(void **state)
{
    (void)state;
    const at_task *t = at_task_find("qsa");
    at_params p;
    at_err err = {0};
    at_params_init(&p, t->params, t->n_params);
    assert_int_equal(at_params_parse(&p, "N=3 q=3", &err), AT_OK);
    assert_int_equal(t->validate(&p, &err), AT_OK);
    assert_int_equal(at_params_parse(&p, "q=4", &err), AT_OK);
    assert_int_equal(t->validate(&p, &err), AT_EDOMAIN);
    assert_string_equal(err.text, "q=4: must be an integer in 1..N, and N is 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks_are_complete),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_joint_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
