/* linear_map.c: y = W x, the matrix drawn from the parameter `net`. The hard inputs are corners of the box, and inputs
 * so small that an activation is nowhere near linear. */
#include <math.h>

#include "../problem_internal.h"

#define MOST_INPUTS 16

static const at_param schema[] = {
    AT_PARAM_LENGTH(1),
    {"d1", "inputs", 1, MOST_INPUTS, 3, true},
    {"d2", "outputs", 1, MOST_INPUTS, 2, true},
    {"M", "bound on the entries of W", 1e-3, 1e6, 1, false},
    {"X", "bound on the inputs", 1e-3, 1e6, 4, false},
    {"net", "which matrix", 0, 1e9, 1, true},
};

static int row_width(const at_params *p)
{
    return at_params_int(p, "d1");
}

static int out_width(const at_params *p)
{
    return at_params_int(p, "d2");
}

static int fields(const at_params *p, at_field *out)
{
    out[0] = at_field_real("x", at_params_int(p, "d1"), at_params_get(p, "X"));
    return 1;
}

void at_linear_map_weights(const at_params *p, double *W)
{
    at_rng r = at_rng_at(0x6d6170, (uint64_t)at_params_get(p, "net"));
    for (int k = 0; k < at_params_int(p, "d1") * at_params_int(p, "d2"); k++)
        W[k] = at_real_weight(&r, at_params_get(p, "M"));
}

static void answer_row(const at_params *p, const double *x, double *y)
{
    int d1 = at_params_int(p, "d1"), d2 = at_params_int(p, "d2");
    double W[MOST_INPUTS * MOST_INPUTS];
    at_linear_map_weights(p, W);
    for (int r = 0; r < d2; r++) {
        y[r] = 0;
        for (int i = 0; i < d1; i++)
            y[r] += W[r * d1 + i] * x[i];
    }
}

static void sample_row(const at_params *p, at_rng *r, double *x)
{
    double X = at_params_get(p, "X");
    for (int i = 0; i < at_params_int(p, "d1"); i++)
        x[i] = at_real_draw(r, -X, X);
}

static void adversarial_row(const at_params *p, at_rng *r, double *x)
{
    double X = at_params_get(p, "X");
    bool corner = at_rng_below(r, 2);
    for (int i = 0; i < at_params_int(p, "d1"); i++)
        x[i] = !corner ? at_real_small(r, X) : at_rng_below(r, 2) ? X : -X;
}

static bool inside(const at_params *p, const double *x)
{
    for (int i = 0; i < at_params_int(p, "d1"); i++)
        if (!(fabs(x[i]) <= at_params_get(p, "X")))
            return false;
    return true;
}

AT_ROWS_VERBS_DEFINE

const at_task at_task_linear_map = {
    .id = "linear-map",
    .title = "A given linear map",
    .definition = "y = W x for x in [-X, X]^d1, entries of size at most M drawn from `net`",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .input_help = "a position is d1 reals, as in \"0.5,-1,2\"",
    AT_ROWS_VERBS,
    .holds = holds,
};
