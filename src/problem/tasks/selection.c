/* selection.c: x where t >= alpha, y where t <= -alpha; there is no other t. The hard inputs have |t| = alpha and
 * |x|, |y| = M. */
#include <math.h>

#include "../problem_internal.h"

static const at_param schema[] = {
    AT_PARAM_LENGTH(1),
    {"d", "components of x and y", 1, 16, 2, true},
    {"M", "bound on the components", 1e-3, 1e6, 1, false},
    {"alpha", "least |t|", 1e-6, 1e6, 0.5, false},
    {"T", "largest |t|", 1e-6, 1e9, 4, false},
};

static int row_width(const at_params *p)
{
    return 2 * at_params_int(p, "d") + 1;
}

static int out_width(const at_params *p)
{
    return at_params_int(p, "d");
}

static int fields(const at_params *p, at_field *out)
{
    out[0] = at_field_real("xy", 2 * at_params_int(p, "d"), at_params_get(p, "M"));
    out[1] = at_field_real("t", 1, at_params_get(p, "T"));
    return 2;
}

static at_status validate(const at_params *p, at_err *err)
{
    double alpha = at_params_get(p, "alpha"), T = at_params_get(p, "T");
    return alpha <= T ? AT_OK : at_fail(err, AT_EDOMAIN, "alpha=%g: must be at most T=%g", alpha, T);
}

static void answer_row(const at_params *p, const double *x, double *y)
{
    int d = at_params_int(p, "d");
    memcpy(y, x[2 * d] >= 0 ? x : x + d, (size_t)d * sizeof *y);
}

static void sample_row(const at_params *p, at_rng *r, double *x)
{
    int d = at_params_int(p, "d");
    double M = at_params_get(p, "M");
    for (int k = 0; k < 2 * d; k++)
        x[k] = at_real_draw(r, -M, M);
    x[2 * d] = at_real_draw(r, at_params_get(p, "alpha"), at_params_get(p, "T"));
    if (at_rng_below(r, 2))
        x[2 * d] = -x[2 * d];
}

static void adversarial_row(const at_params *p, at_rng *r, double *x)
{
    int d = at_params_int(p, "d");
    double M = at_params_get(p, "M"), alpha = at_params_get(p, "alpha"), T = at_params_get(p, "T");
    for (int k = 0; k < 2 * d; k++) {
        x[k] = M - (at_rng_below(r, 2) ? 0 : fabs(at_real_small(r, M)));
        if (at_rng_below(r, 2))
            x[k] = -x[k];
    }
    double t = at_rng_below(r, 4) ? alpha + fabs(at_real_small(r, alpha)) : T - fabs(at_real_small(r, T));
    t = at_real_clip(at_rng_below(r, 3) ? t : alpha, alpha, T);
    x[2 * d] = at_rng_below(r, 2) ? t : -t;
}

static bool inside(const at_params *p, const double *x)
{
    int d = at_params_int(p, "d");
    for (int k = 0; k < 2 * d; k++)
        if (!(fabs(x[k]) <= at_params_get(p, "M")))
            return false;
    double t = fabs(x[2 * d]);
    return t >= at_params_get(p, "alpha") && t <= at_params_get(p, "T");
}

AT_ROWS_VERBS_DEFINE

static const char *const cases[] = {"t <= -alpha", "t >= alpha", NULL};

static int which(const at_params *p, const double *x, int i)
{
    return x[i * row_width(p) + 2 * at_params_int(p, "d")] > 0;
}

const at_task at_task_selection = {
    .id = "selection",
    .title = "Selection by a sign",
    .definition = "x if t >= alpha, y if t <= -alpha, for x, y in [-M, M]^d and alpha <= |t| <= T",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .input_help = "a position is x, y and t, as in \"0.5,1/-1,0/0.75\"",
    .validate = validate,
    AT_ROWS_VERBS,
    .holds = holds,
    AT_CASES,
};
