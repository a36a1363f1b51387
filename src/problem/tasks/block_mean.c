/* block_mean.c: AGG: position i holds a real x_i and a block b_i; the answer is the mean of x over that block so far.
 *
 * Positions 1..N are cut into blocks of m, 0..m-1 (N <= m^2). A row is (x_i: a real in -M..M | b_i: a token 0..m-1). The
 * mean runs over j <= i in block b_i; where there is none, over all j <= i.
 *
 * Enumeration PAIRS: all positions ask for block b, for every b of 0..m-1, begun or not; the reals are 0, or M at one
 * position. Answers are linear in the reals. */
#include "../problem_internal.h"

#define BLOCKS_MAX 64

static const at_param schema[] = {AT_PARAM_LENGTH(16),
                                  {"m", "block size, and number of blocks", 1, BLOCKS_MAX, 4, true},
                                  AT_PARAM_BOUND(1)};

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
    out[0] = at_field_real("x", 1, at_params_get(p, "M"));
    out[1] = at_field_token("b", at_params_int(p, "m"));
    return 2;
}

static at_status validate(const at_params *p, at_err *err)
{
    int N = at_params_int(p, "N"), m = at_params_int(p, "m");
    return N <= m * m ? AT_OK : at_fail(err, AT_EDOMAIN, "N=%d: must be at most m^2, and m is %d", N, m);
}

static void answer(const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N"), m = at_params_int(p, "m"), n[BLOCKS_MAX] = {0};
    double in[BLOCKS_MAX] = {0}, all = 0;
    for (int i = 0; i < N; i++) {
        double b = x[2 * i + 1];
        all += x[2 * i];
        in[i / m] += x[2 * i];
        n[i / m]++;
        int k = b >= 0 && b < BLOCKS_MAX && b == (int)b ? (int)b : -1;
        y[i] = k >= 0 && n[k] ? in[k] / n[k] : all / (i + 1);
    }
}

/* Half of the questions are for a block that has begun, if there are others. */
static double block_draw(at_rng *r, int begun, int m)
{
    return (double)at_rng_below(r, (uint64_t)(at_rng_below(r, 2) ? begun : m));
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), m = at_params_int(p, "m");
    for (int i = 0; i < N; i++) {
        x[2 * i] = at_real_draw(r, -at_params_get(p, "M"), at_params_get(p, "M"));
        x[2 * i + 1] = block_draw(r, i / m + 1, m);
    }
}

/* One block against all others, everyone asking for it; or everyone for any block, and half of the time reals of either
 * sign, so that no two positions of a block are alike. */
static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), m = at_params_int(p, "m");
    int b = (int)at_rng_below(r, (uint64_t)m);
    double M = at_rng_below(r, 2) ? at_params_get(p, "M") : -at_params_get(p, "M");
    bool mixed = at_rng_below(r, 2), signs = at_rng_below(r, 2);
    for (int i = 0; i < N; i++) {
        bool up = signs ? at_rng_below(r, 2) : i / m == b;
        x[2 * i] = up ? M : -M;
        x[2 * i + 1] = mixed ? block_draw(r, i / m + 1, m) : b;
    }
}

static uint64_t count(const at_params *p, at_enum e)
{
    return e == AT_ENUM_PAIRS ? (uint64_t)at_params_int(p, "m") * ((uint64_t)at_params_int(p, "N") + 1) : 0;
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)e;
    int N = at_params_int(p, "N");
    uint64_t b = index / ((uint64_t)N + 1), at = index % ((uint64_t)N + 1);
    for (int i = 0; i < N; i++) {
        x[2 * i] = (uint64_t)i + 1 == at ? at_params_get(p, "M") : 0;
        x[2 * i + 1] = (double)b;
    }
}

/* A value to 0, a block to the first. */
static bool simpler(const at_params *p, const double *x, int n, int k, double *out)
{
    (void)p;
    static const double plain[2] = {0, 0};
    return at_columns_simpler(x, n, 2, plain, k, out);
}

static const char *const cases[] = {"the block that i is in", "an earlier block",
                                    "a block that has not begun", NULL};

static int which(const at_params *p, const double *x, int i)
{
    int own = i / at_params_int(p, "m");
    return x[2 * i + 1] == own ? 0 : x[2 * i + 1] < own ? 1 : 2;
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
    AT_CASES,
};
