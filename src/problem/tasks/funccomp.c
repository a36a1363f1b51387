/* funccomp.c: L-sequential function composition (Chen, Peng, Wu): i_0 = z_0, i_1 = z_1(i_0), i_{l+1} = z_{l+1}(w_l, i_l).
 *
 * N_0 = m and N_l = m n_1 ... n_l. z_l maps [N_{l-1}] to itself and its argument (w_{l-1}, i_{l-1}) is the number
 * w_{l-1} N_{l-2} + i_{l-1}, w_l in 0..n_l-1. Positions: the tables z_L, ..., z_1, then z_0 in 0..m-1, then w, all of
 * w_1..w_{L-1} in one token: w_1 + n_1 (w_2 + n_2 (w_3 + ...)). Deepest function first: a causal decoder meets every
 * table before it knows where to look. The answer, i_L, stands at w, the last position. */
#include "../problem_internal.h"

#define LEVELS_MAX 6 /* L */
#define SIDE_MAX   8 /* m and every n_l */

#define SIDE(l)                                                                                              \
    {                                                                                                        \
        "n" #l, "values of w_" #l " (1 where L is at most " #l ")", 1, SIDE_MAX, (l) == 1 ? 2 : 1, true      \
    }
static const at_param schema[] = {
    {"N", "length: N_0 + ... + N_{L-1} + 2 with N_l = m n_1 ... n_l", 1, AT_LENGTH_MAX, 8, true},
    {"L", "functions", 1, LEVELS_MAX, 2, true},
    {"m", "values of z_0", 1, SIDE_MAX, 2, true},
    SIDE(1),
    SIDE(2),
    SIDE(3),
    SIDE(4),
    SIDE(5),
};

static const char *const sides[LEVELS_MAX] = {NULL, "n1", "n2", "n3", "n4", "n5"};

static void tables(const at_params *p, at_tables *f)
{
    int L = at_params_int(p, "L"), size = at_params_int(p, "m"), at = 0;
    f->n = L;
    for (int t = 0; t < L; t++) { /* t = l - 1: the table of z_l */
        f->radix[t] = t ? at_params_int(p, sides[t]) : 1;
        f->size[t] = size *= f->radix[t];
    }
    for (int t = L - 1; t >= 0; at += f->size[t--])
        f->first[t] = at;
    f->start = at;
    f->digits = at + 1;
    f->length = at + 2;
}

static int length(const at_params *p)
{
    at_tables f;
    tables(p, &f);
    return f.length;
}

static at_status validate(const at_params *p, at_err *err)
{
    int L = at_params_int(p, "L");
    for (int l = L; l < LEVELS_MAX; l++)
        if (at_params_int(p, sides[l]) != 1)
            return at_fail(err, AT_EDOMAIN, "%s=%d: must be 1, since w_%d is not used when L is %d", sides[l],
                           at_params_int(p, sides[l]), l, L);
    return at_tables_validate(p, length(p), "N_0 + ... + N_{L-1} + 2", err);
}

AT_TABLES_VERBS_DEFINE

const at_task at_task_funccomp = {
    .id = "funccomp",
    .title = "Sequential composition of functions",
    .definition = "y = i_L at the last position: i_1 = z_1(z_0), i_{l+1} = z_{l+1}(w_l N_{l-1} + i_l), "
                  "N_l = m n_1 ... n_l",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .input_help =
        "the values of z_L, ..., z_1, then z_0, then w_1 + n_1 (w_2 + n_2 (...)), as in \"3 0 1 2 1 0 1 1\"",
    .validate = validate,
    AT_TABLES_VERBS,
};
