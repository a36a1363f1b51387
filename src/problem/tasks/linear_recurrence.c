/* linear_recurrence.c: linear attention, defined as a recurrence (lemma A.8).
 *
 * A row is (q_i | k_i | v_i), d reals in -M..M each. With phi(x) = x + 1 for x > 0 and e^x otherwise, elementwise,
 *     s_i = s_{i-1} + phi(k_i) v_i^T,   z_i = z_{i-1} + phi(k_i),   y_i = phi(q_i)^T s_i / phi(q_i)^T z_i,
 * s_0 = 0 (d, d) and z_0 = 0 (d). All of phi is positive, so nothing cancels but in v. */
#include <math.h>

#include "../problem_internal.h"

#define DIMENSION_MAX 32

static const at_param schema[] = {AT_PARAM_LENGTH(8),
                                  {"d", "dimension of queries, keys and values", 1, DIMENSION_MAX, 2, true},
                                  AT_PARAM_BOUND(2)};

static int row_width(const at_params *p)
{
    return 3 * at_params_int(p, "d");
}

static int out_width(const at_params *p)
{
    return at_params_int(p, "d");
}

static int fields(const at_params *p, at_field *out)
{
    out[0] = at_field_real("qkv", row_width(p), at_params_get(p, "M"));
    return 1;
}

static double phi(double x)
{
    return x > 0 ? x + 1 : at_exp(x);
}

static void answer(const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N"), d = at_params_int(p, "d");
    double s[DIMENSION_MAX][DIMENSION_MAX] = {{0}}, z[DIMENSION_MAX] = {0};
    for (int i = 0; i < N; i++) {
        const double *q = x + (size_t)i * 3 * (size_t)d, *k = q + d, *v = k + d;
        double below = 0;
        for (int c = 0; c < d; c++) {
            z[c] += phi(k[c]);
            below += phi(q[c]) * z[c];
            for (int e = 0; e < d; e++)
                s[c][e] += phi(k[c]) * v[e];
        }
        for (int e = 0; e < d; e++) {
            double above = 0;
            for (int c = 0; c < d; c++)
                above += phi(q[c]) * s[c][e];
            y[(size_t)i * (size_t)d + (size_t)e] = above / below;
        }
    }
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    int n = at_params_int(p, "N") * row_width(p);
    for (int k = 0; k < n; k++)
        x[k] = at_real_draw(r, -at_params_get(p, "M"), at_params_get(p, "M"));
}

/* All numbers at an end of the range or at 0, where phi changes its formula; runs of equal rows. */
static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), w = row_width(p);
    double M = at_params_get(p, "M");
    for (int i = 0; i < N; i++) {
        double *row = x + (size_t)i * (size_t)w;
        if (i && at_rng_below(r, 3) == 0)
            memcpy(row, row - w, (size_t)w * sizeof *row);
        else
            for (int k = 0; k < w; k++)
                row[k] = M * ((double)at_rng_below(r, 3) - 1);
    }
}

static bool simpler(const at_params *p, const double *x, int n, int k, double *out)
{
    static const double plain[3 * DIMENSION_MAX] = {0};
    return at_columns_simpler(x, n, row_width(p), plain, k, out);
}

const at_task at_task_linear_recurrence = {
    .id = "linear-recurrence",
    .title = "Linear attention, step by step",
    .definition = "y_i = phi(q_i)^T s_i / phi(q_i)^T z_i with s_i = s_{i-1} + phi(k_i) v_i^T, z_i = z_{i-1} "
                  "+ phi(k_i), "
                  "phi = elu + 1",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .input_help = "a position is q, k and v, d reals each, as in \"0.5,1/-1,0/2,1\"",
    AT_ROWS_VERBS,
};
