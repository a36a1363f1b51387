/* mask.c: the integer i nearest to x as a mask of n entries. prefix-mask: the first i are 1, the others 0, or with onehot
 * entry i alone is 1; suffix-mask: the first i-1 are 0, the others 1.
 *
 * Both have the same inputs; onehot, the last parameter, is prefix-mask's alone and tells the two apart. */
#include <math.h>

#include "../problem_internal.h"

static const at_param schema[] = {
    AT_PARAM_LENGTH(1),
    {"n", "entries of the mask", 1, 1024, 8, true},
    {"spread", "how far x may be from an integer", 0, 1. / 3, 1. / 3, false},
    {"onehot", "1: the difference of two masks, entry i only", 0, 1, 0, true},
};

static int row_width(const at_params *p)
{
    (void)p;
    return 1;
}

static int out_width(const at_params *p)
{
    return at_params_int(p, "n");
}

static int fields(const at_params *p, at_field *out)
{
    out[0] = at_field_real("x", 1, at_params_get(p, "n") + 1);
    return 1;
}

static void answer_row(const at_params *p, const double *x, double *y)
{
    double i = nearbyint(*x);
    bool prefix = at_params_has(p, "onehot"), onehot = prefix && at_params_int(p, "onehot");
    for (int k = 1; k <= at_params_int(p, "n"); k++)
        y[k - 1] = onehot ? k == i : prefix ? k <= i : k >= i;
}

static void sample_row(const at_params *p, at_rng *r, double *x)
{
    *x = at_near_integer(r, 0, at_params_int(p, "n"), at_params_get(p, "spread"), false);
}

static void adversarial_row(const at_params *p, at_rng *r, double *x)
{
    *x = at_near_integer(r, 0, at_params_int(p, "n"), at_params_get(p, "spread"), true);
}

static bool inside(const at_params *p, const double *x)
{
    double i = nearbyint(*x);
    return i >= 0 && i <= at_params_int(p, "n") && fabs(*x - i) <= at_params_get(p, "spread");
}

/* With spread 0 the inputs are the integers 0..n: sequences of them can be counted. */
static uint64_t count(const at_params *p, at_enum e)
{
    return at_integers_count(p, e, 0, at_params_int(p, "n"));
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)e;
    at_integers_nth(p, index, 0, at_params_int(p, "n"), x);
}

AT_ROWS_VERBS_DEFINE

static const char *const cases[] = {"no entry is 1", "some are", "all are", NULL};
/* A suffix mask always has its last entry. */
static const char *const suffix_cases[] = {"some entries are 1", "all are", NULL};

static int which(const at_params *p, const double *x, int i)
{
    double at = nearbyint(x[i]), n = at_params_int(p, "n");
    return at == 0 ? 0 : at < n || at_params_int(p, "onehot") ? 1 : 2;
}

static int suffix_which(const at_params *p, const double *x, int i)
{
    (void)p;
    return nearbyint(x[i]) <= 1;
}

#define MASK_VERBS                                                                                           \
    .params = schema, .enums = 1u << AT_ENUM_SEQUENCES,                                                      \
    .input_help = "a position is one real, as in \"2.25\"", .count = count, .nth = nth, .holds = holds,      \
    AT_ROWS_VERBS

const at_task at_task_prefix_mask = {
    .id = "prefix-mask",
    .title = "A number as a prefix mask",
    .definition = "y_k = 1{k <= i} (onehot: 1{k = i}) for k = 1..n, where |x - i| <= spread, i in 0..n",
    .n_params = AT_PARAMS_COUNT(schema),
    MASK_VERBS,
    AT_CASES,
};

const at_task at_task_suffix_mask = {
    .id = "suffix-mask",
    .title = "A number as a suffix mask",
    .definition = "y_k = 1{k >= i} for k = 1..n, where |x - i| <= spread, i in 0..n",
    .n_params = AT_PARAMS_COUNT(schema) - 1, /* all but onehot */
    MASK_VERBS,
    .cases = suffix_cases,
    .which = suffix_which,
};
