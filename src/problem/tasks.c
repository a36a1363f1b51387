/* tasks.c: the one table of tasks. A new task is one file and one row here; everything else, from `list` to the checker, reads
 * this table. */
#include <math.h>

#include "problem_internal.h"

#define TASKS(ROW)                                                                                           \
    ROW(match2)                                                                                              \
    ROW(match3)                                                                                              \
    ROW(match3_bigram)                                                                                       \
    ROW(match3_local)                                                                                        \
    ROW(qsa)                                                                                                 \
    ROW(product)                                                                                             \
    ROW(relu_net)                                                                                            \
    ROW(linear_map)                                                                                          \
    ROW(selection)                                                                                           \
    ROW(prefix_mask)                                                                                         \
    ROW(suffix_mask)                                                                                         \
    ROW(block_index)                                                                                         \
    ROW(copy)                                                                                                \
    ROW(copy_rating)                                                                                         \
    ROW(block_mean)                                                                                          \
    ROW(linear_recurrence)                                                                                   \
    ROW(compose)                                                                                             \
    ROW(funccomp)                                                                                            \
    ROW(triangle)                                                                                            \
    ROW(max)                                                                                                 \
    ROW(majority)                                                                                            \
    ROW(parity)                                                                                              \
    ROW(dyck)                                                                                                \
    ROW(shuffle_dyck)                                                                                        \
    ROW(next_word)

#define DECLARE(name) extern const at_task at_task_##name;
TASKS(DECLARE)

#define REFER(name) &at_task_##name,
const at_task *const at_tasks[] = {TASKS(REFER)};
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
    return t->tolerance > 0                   ? t->tolerance
           : t->real && at_params_has(p, "q") ? 0.5 / at_params_get(p, "q")
                                              : 0;
}

int at_task_fields(const at_task *t, const at_params *p, at_field *out)
{
    if (!t->tokens)
        return t->fields ? t->fields(p, out) : 0;
    out[0] = at_field_token("x", t->tokens(p));
    return 1;
}

at_status at_task_answer(const at_task *t, const at_params *p, const double *x, double *y, at_err *err)
{
    y[0] = 0;
    t->answer(p, x, y);
    return isnan(y[0]) ? at_oom(err) : AT_OK;
}
