/* product.c: y = a b. The hard inputs have |a| = |b| = M, where the remainder of the series is largest. */
#include <math.h>

#include "../problem_internal.h"

static const at_param schema[] = {
    AT_PARAM_LENGTH(1),
    {"M", "bound on |a| and |b|", 1e-3, 1e6, 1, false},
};

static int row_width(const at_params *p)
{
    (void)p;
    return 2;
}

static int out_width(const at_params *p)
{
    (void)p;
    return 1;
}

static int fields(const at_params *p, at_field *out)
{
    out[0] = at_field_real("ab", 2, at_params_get(p, "M"));
    return 1;
}

static void answer_row(const at_params *p, const double *x, double *y)
{
    (void)p;
    *y = x[0] * x[1];
}

static void sample_row(const at_params *p, at_rng *r, double *x)
{
    double M = at_params_get(p, "M");
    x[0] = at_real_draw(r, -M, M);
    x[1] = at_real_draw(r, -M, M);
}

static void adversarial_row(const at_params *p, at_rng *r, double *x)
{
    double M = at_params_get(p, "M");
    for (int k = 0; k < 2; k++) {
        double near = at_rng_below(r, 4) ? M - fabs(at_real_small(r, M)) : at_real_small(r, M);
        x[k] = at_rng_below(r, 2) ? near : -near;
    }
}

static bool inside(const at_params *p, const double *x)
{
    double M = at_params_get(p, "M");
    return fabs(x[0]) <= M && fabs(x[1]) <= M;
}

AT_ROWS_VERBS_DEFINE

const at_task at_task_product = {
    .id = "product",
    .title = "The product of two reals",
    .definition = "y = a b for a, b in [-M, M], at every position",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .input_help = "a position is a and b, as in \"0.5/-0.25\"",
    AT_ROWS_VERBS,
    .holds = holds,
};
