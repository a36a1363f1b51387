/* block_index.c: the block of size n in which i lies, and the place inside it. The place follows x, not i: a
 * network of O(n) units cannot round n^2 integers (docs/errata.md), so with spread 0 it is the lemma's answer. */
#include <math.h>

#include "../problem_internal.h"

static const at_param schema[] = {
    AT_PARAM_LENGTH(1),
    {"n", "size of a block, and their number", 1, 256, 4, true},
    {"spread", "how far x may be from an integer", 0, 0.25, 0.25, false},
};

static int row_width(const at_params *p)
{
    (void)p;
    return 1;
}

static int out_width(const at_params *p)
{
    (void)p;
    return 3;
}

static int fields(const at_params *p, at_field *out)
{
    out[0] = at_field_real("x", 1, at_params_get(p, "n") * at_params_get(p, "n") + 1);
    return 1;
}

static void answer_row(const at_params *p, const double *x, double *y)
{
    int n = at_params_int(p, "n");
    double block = ceil(nearbyint(*x) / n);
    y[0] = block;
    y[1] = block - 1;
    y[2] = n - (block * n - *x);
}

static void sample_row(const at_params *p, at_rng *r, double *x)
{
    *x = at_near_integer(r, 1, at_params_int(p, "n") * at_params_int(p, "n"), at_params_get(p, "spread"),
                         false);
}

static void adversarial_row(const at_params *p, at_rng *r, double *x)
{
    *x = at_near_integer(r, 1, at_params_int(p, "n") * at_params_int(p, "n"), at_params_get(p, "spread"),
                         true);
}

static bool inside(const at_params *p, const double *x)
{
    double i = nearbyint(*x);
    return i >= 1 && i <= at_params_int(p, "n") * at_params_int(p, "n") &&
           fabs(*x - i) <= at_params_get(p, "spread");
}

/* With spread 0 the inputs are the integers 1..n^2: sequences of them can be counted. */
static uint64_t count(const at_params *p, at_enum e)
{
    return at_integers_count(p, e, 1, at_params_int(p, "n") * at_params_int(p, "n"));
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)e;
    at_integers_nth(p, index, 1, at_params_int(p, "n") * at_params_int(p, "n"), x);
}

AT_ROWS_VERBS_DEFINE

static const char *const cases[] = {"inside a block", "the last of a block", NULL};

static int which(const at_params *p, const double *x, int i)
{
    return (int)nearbyint(x[i]) % at_params_int(p, "n") == 0;
}

const at_task at_task_block_index = {
    .id = "block-index",
    .title = "Block and place of a position",
    .definition = "(b, b-1, n-(bn-x)) with b = ceil(i/n), where |x - i| <= spread, i in 1..n^2",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .enums = 1u << AT_ENUM_SEQUENCES,
    .input_help = "a position is one real, as in \"2.25\"",
    .count = count,
    .nth = nth,
    AT_ROWS_VERBS,
    .holds = holds,
    AT_CASES,
};
