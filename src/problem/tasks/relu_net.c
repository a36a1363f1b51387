/* relu_net.c: a given ReLU network, y = W2 relu(W1 x + b1) + b2. Its weights are drawn from the parameter `net`.
 * The hard inputs lie at a corner of one unit, or near it. */
#include <math.h>

#include "../problem_internal.h"

#define MOST_INPUTS 16
#define MOST_UNITS  64

static const at_param schema[] = {
    AT_PARAM_LENGTH(1),
    {"d1", "inputs", 1, MOST_INPUTS, 3, true},
    {"h", "hidden units", 1, MOST_UNITS, 8, true},
    {"d2", "outputs", 1, MOST_INPUTS, 2, true},
    {"M", "bound on the weights", 1e-3, 1e6, 1, false},
    {"X", "bound on the inputs", 1e-3, 1e6, 4, false},
    {"net", "which network", 0, 1e9, 1, true},
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

void at_relu_net_weights(const at_params *p, double *w1, double *b1, double *w2, double *b2)
{
    int d1 = at_params_int(p, "d1"), h = at_params_int(p, "h"), d2 = at_params_int(p, "d2");
    double M = at_params_get(p, "M");
    at_rng r = at_rng_at(0x6e6574, (uint64_t)at_params_get(p, "net"));
    for (int k = 0; k < h * d1; k++)
        w1[k] = at_real_weight(&r, M);
    for (int k = 0; k < h; k++)
        b1[k] = at_real_weight(&r, M);
    for (int k = 0; k < d2 * h; k++)
        w2[k] = at_real_weight(&r, M);
    for (int k = 0; k < d2; k++)
        b2[k] = at_real_weight(&r, M);
}

typedef struct {
    double w1[MOST_UNITS * MOST_INPUTS], b1[MOST_UNITS], w2[MOST_INPUTS * MOST_UNITS], b2[MOST_INPUTS];
} weights;

static void answer_row(const at_params *p, const double *x, double *y)
{
    int d1 = at_params_int(p, "d1"), h = at_params_int(p, "h"), d2 = at_params_int(p, "d2");
    weights w;
    at_relu_net_weights(p, w.w1, w.b1, w.w2, w.b2);
    for (int r = 0; r < d2; r++)
        y[r] = w.b2[r];
    for (int k = 0; k < h; k++) {
        double z = w.b1[k];
        for (int i = 0; i < d1; i++)
            z += w.w1[k * d1 + i] * x[i];
        for (int r = 0; z > 0 && r < d2; r++)
            y[r] += w.w2[r * h + k] * z;
    }
}

static void sample_row(const at_params *p, at_rng *r, double *x)
{
    double X = at_params_get(p, "X");
    for (int i = 0; i < at_params_int(p, "d1"); i++)
        x[i] = at_real_draw(r, -X, X);
}

/* A drawn point moved along the weights of a drawn unit until its argument is small. */
static void adversarial_row(const at_params *p, at_rng *r, double *x)
{
    int d1 = at_params_int(p, "d1"), h = at_params_int(p, "h");
    double X = at_params_get(p, "X"), norm = 0;
    weights w;
    at_relu_net_weights(p, w.w1, w.b1, w.w2, w.b2);
    sample_row(p, r, x);
    int k = (int)at_rng_below(r, (uint64_t)h);
    double z = w.b1[k] - at_real_small(r, 1);
    for (int i = 0; i < d1; i++) {
        z += w.w1[k * d1 + i] * x[i];
        norm += w.w1[k * d1 + i] * w.w1[k * d1 + i];
    }
    for (int i = 0; norm > 0 && i < d1; i++)
        x[i] = at_real_clip(x[i] - z * w.w1[k * d1 + i] / norm, -X, X);
}

static bool inside(const at_params *p, const double *x)
{
    for (int i = 0; i < at_params_int(p, "d1"); i++)
        if (!(fabs(x[i]) <= at_params_get(p, "X")))
            return false;
    return true;
}

AT_ROWS_VERBS_DEFINE

const at_task at_task_relu_net = {
    .id = "relu-net",
    .title = "A given ReLU network",
    .definition =
        "y = W2 relu(W1 x + b1) + b2 for x in [-X, X]^d1, weights of size at most M drawn from `net`",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .input_help = "a position is d1 reals, as in \"0.5,-1,2\"",
    AT_ROWS_VERBS,
    .holds = holds,
};
