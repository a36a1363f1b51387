/* tasks.c: the one table of tasks. A new task is one file and one row here (and its line in
 * problem_internal.h); everything else, from `list` to the checker, reads this table. */
#include <math.h>

#include "problem_internal.h"

const at_task *const at_tasks[] = {
    &at_task_match2,    &at_task_match3,      &at_task_match3_bigram, &at_task_match3_local,
    &at_task_qsa,       &at_task_product,     &at_task_relu_net,      &at_task_linear_map,
    &at_task_selection, &at_task_prefix_mask, &at_task_suffix_mask,   &at_task_block_index,
    &at_task_copy,      &at_task_copy_rating, &at_task_block_mean,    &at_task_linear_recurrence,
    &at_task_compose,   &at_task_funccomp,    &at_task_triangle,      &at_task_max,
    &at_task_majority,  &at_task_parity,      &at_task_dyck,          &at_task_shuffle_dyck,
};
const int at_n_tasks = sizeof at_tasks / sizeof at_tasks[0];
const at_registry at_task_registry =
    AT_REGISTRY("task", "attest list tasks", at_tasks, sizeof at_tasks / sizeof at_tasks[0], id);

const char *const at_enum_names[AT_ENUMS] = {
    [AT_ENUM_SEQUENCES] = "sequences", [AT_ENUM_MULTISETS] = "multisets", [AT_ENUM_SUBSETS] = "subsets",
    [AT_ENUM_PAIRS] = "pairs",         [AT_ENUM_CASES] = "cases",
};

const at_task *at_task_find(const char *id)
{
    return at_registry_find(&at_task_registry, id);
}

double at_task_tolerance(const at_task *t, const at_params *p)
{
    return t->real && at_params_has(p, "q") ? 0.5 / at_params_get(p, "q") : 0;
}

at_status at_task_answer(const at_task *t, const at_params *p, const double *x, double *y, at_err *err)
{
    y[0] = 0;
    t->answer(p, x, y);
    return isnan(y[0]) ? at_oom(err) : AT_OK;
}
