/* block_mean.c: AGG: position i holds a real x_i and a block b_i; the answer is the mean of x over that block so far.
 *
 * Positions 1..N are cut into blocks of m, 0..m-1 (N <= m^2). A row is (x_i: a real in -M..M | b_i: a token 0..m-1). The
 * mean runs over j <= i in block b_i; where there is none, over all j <= i.
 *
 * Enumeration PAIRS. As in copy.c the output of attention is linear in x with weights of the pair (i, b) only. Where keys
 * know nothing but their block, weights inside the block are equal, so each is off by the same number of either sign, and
 * those outside are not negative: the error is largest for x = +-M inside and M outside, or -M outside. All positions
 * that can ask for block b do so at once: 4 ceil(N/m) inputs hold the worst case of every pair. (Positions before
 * block b ask for their own.) */
#include "task_internal.h"

static const at_param schema[] = {
    AT_PARAM_LENGTH(16), {"m", "block size, and number of blocks", 1, 64, 4, true}, AT_PARAM_BOUND(1)};

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

static at_status validate(const at_params *p, at_err *err)
{
    int N = at_params_int(p, "N"), m = at_params_int(p, "m");
    return N <= m * m ? AT_OK : at_fail(err, AT_EDOMAIN, "N=%d: must be at most m^2, and m is %d", N, m);
}

static void answer(const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N"), m = at_params_int(p, "m");
    for (int i = 0; i < N; i++) {
        double in = 0, all = 0;
        int n = 0;
        for (int j = 0; j <= i; j++) {
            all += x[2 * j];
            if (j / m == x[2 * i + 1]) {
                in += x[2 * j];
                n++;
            }
        }
        y[i] = n ? in / n : all / (i + 1);
    }
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), m = at_params_int(p, "m");
    for (int i = 0; i < N; i++) {
        x[2 * i] = at_real_draw(r, -at_params_get(p, "M"), at_params_get(p, "M"));
        x[2 * i + 1] = (double)at_rng_below(r, (uint64_t)(i / m) + 1);
    }
}

/* `in` inside block b, `off` elsewhere. */
static void pull(const at_params *p, int b, double in, double off, double *x)
{
    int N = at_params_int(p, "N"), m = at_params_int(p, "m");
    for (int i = 0; i < N; i++) {
        x[2 * i] = i / m == b ? in : off;
        x[2 * i + 1] = i / m < b ? i / m : b;
    }
}

/* The worst case of one block; half of the time each position asks for any block that has begun. */
static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), m = at_params_int(p, "m");
    int b = (int)at_rng_below(r, (uint64_t)((N - 1) / m) + 1);
    double M = at_rng_below(r, 2) ? at_params_get(p, "M") : -at_params_get(p, "M");
    pull(p, b, M, -M, x);
    bool mixed = at_rng_below(r, 2);
    for (int i = 0; i < N && mixed; i++)
        x[2 * i + 1] = (double)at_rng_below(r, (uint64_t)(i / m) + 1);
}

static uint64_t count(const at_params *p, at_enum e)
{
    int N = at_params_int(p, "N"), m = at_params_int(p, "m");
    return e == AT_ENUM_PAIRS ? 4 * (uint64_t)((N - 1) / m + 1) : 0;
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)e;
    double M = at_params_get(p, "M");
    pull(p, (int)(index / 4), index & 1 ? -M : M, index & 2 ? M : -M, x);
}

/* A value to 0, a block to the first. */
static bool simpler(const at_params *p, const double *x, int n, int k, double *out)
{
    (void)p;
    static const double plain[2] = {0, 0};
    return at_columns_simpler(x, n, 2, plain, k, out);
}

const at_task at_task_block_mean = {
    .id = "block-mean",
    .title = "Mean over a block",
    .definition = "y_i = mean of x_j over j <= i in block b_i (blocks of m, from 0; if none, over all j <= "
                  "i), |x_j| <= M",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .enums = 1u << AT_ENUM_PAIRS,
    .input_help = "a position is a real, '/', the block it asks for (from 0), as in \"0.5/0 -1/0 0.25/1\"",
    .validate = validate,
    .count = count,
    .nth = nth,
    AT_ROWS_VERBS,
};
