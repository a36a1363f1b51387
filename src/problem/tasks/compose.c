/* compose.c: k functions on n values, one after the other: f_k(...f_2(f_1(x))). With k = 2 it is g(f(x)) of Peng et al.
 *
 * Positions: f_1(0..n-1), ..., f_k(0..n-1), x; one token in 0..n-1 each. The answer stands at x, the last one. */
#include "../problem_internal.h"

#define VALUES_MAX 1024

static const at_param schema[] = {
    {"N", "length: k n + 1", 1, AT_LENGTH_MAX, 7, true},
    {"n", "values 0..n-1 that the functions are on", 1, VALUES_MAX, 3, true},
    {"k", "functions", 1, AT_TABLES_MAX, 2, true},
};

static int length(const at_params *p)
{
    return at_params_int(p, "k") * at_params_int(p, "n") + 1;
}

static at_status validate(const at_params *p, at_err *err)
{
    return at_tables_validate(p, length(p), "k n + 1", err);
}

static void tables(const at_params *p, at_tables *f)
{
    int n = at_params_int(p, "n");
    f->n = at_params_int(p, "k");
    f->length = length(p);
    f->start = f->length - 1;
    f->digits = -1;
    for (int t = 0; t < f->n; t++) {
        f->first[t] = t * n;
        f->size[t] = n;
        f->radix[t] = 1;
    }
}

AT_TABLES_VERBS_DEFINE

const at_task at_task_compose = {
    .id = "compose",
    .title = "Composition of functions",
    .definition = "y = f_k(...f_2(f_1(x))) at the last position, functions on 0..n-1",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .input_help = "the values of f_1, ..., f_k, then x: k n + 1 integers in 0..n-1, as in \"1 2 0 2 2 1 0\"",
    .validate = validate,
    AT_TABLES_VERBS,
};
