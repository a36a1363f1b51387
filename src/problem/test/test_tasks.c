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
        cmocka_unit_test(test_joint_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
