/* copy.c: position i holds a real x_i and a target t_i in 1..i; the answer is x at the target.
 *
 * A row is (x_i: a real in -M..M | t_i: an integer of 1..N). A target that is not yet there (t_i > i) is outside the
 * domain; its answer is that of the nearest one that is, position i, so that rows stay inputs after others were dropped.
 *
 * Enumeration PAIRS: every position that may ask for t does so, the ones before ask for themselves, for every t of 1..N;
 * the reals are 0, or M at one position. Answers are linear in the reals. */
#include <math.h>

#include "../problem_internal.h"

static const at_param schema[] = {AT_PARAM_LENGTH(12), AT_PARAM_BOUND(1)};

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
    out[1] = at_field_token("t", at_params_int(p, "N") + 1); /* 1..N */
    return 2;
}

static void answer(const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N");
    for (int i = 0; i < N; i++) {
        double t = x[2 * i + 1];
        int at = t > i + 1 ? i : t >= 1 ? (int)t - 1 : 0;
        y[i] = x[2 * at];
    }
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N");
    for (int i = 0; i < N; i++) {
        x[2 * i] = at_real_draw(r, -at_params_get(p, "M"), at_params_get(p, "M"));
        x[2 * i + 1] = 1 + (double)at_rng_below(r, (uint64_t)i + 1);
    }
}

/* `at` in position t (from 1), `off` elsewhere; every position from t on asks for t. */
static void pull(int N, int t, double at, double off, double *x)
{
    for (int i = 0; i < N; i++) {
        x[2 * i] = i + 1 == t ? at : off;
        x[2 * i + 1] = i + 1 < t ? i + 1 : t;
    }
}

/* The worst case of one target, often a late one (where squares of positions are large), now and then with some who
 * ask for its neighbours. */
static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), late = at_rng_below(r, 2) ? N / 2 : 0;
    int t = late + 1 + (int)at_rng_below(r, (uint64_t)(N - late));
    double M = at_rng_below(r, 2) ? at_params_get(p, "M") : -at_params_get(p, "M");
    pull(N, t, M, -M, x);
    bool nudged = at_rng_below(r, 2);
    for (int i = 0; i < N && nudged; i++)
        x[2 * i + 1] = fmin(fmax(x[2 * i + 1] + (double)at_rng_below(r, 3) - 1, 1), i + 1);
}

static uint64_t count(const at_params *p, at_enum e)
{
    uint64_t N = (uint64_t)at_params_int(p, "N");
    return e == AT_ENUM_PAIRS ? N * (N + 1) : 0;
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)e;
    int N = at_params_int(p, "N"), at = (int)(index % ((uint64_t)N + 1));
    pull(N, 1 + (int)(index / ((uint64_t)N + 1)), 0, 0, x);
    if (at)
        x[2 * (at - 1)] = at_params_get(p, "M");
}

/* A value to 0, a target to 1. */
static bool simpler(const at_params *p, const double *x, int n, int k, double *out)
{
    (void)p;
    static const double plain[2] = {0, 1};
    return at_columns_simpler(x, n, 2, plain, k, out);
}

static const char *const cases[] = {"an earlier position", "this position", NULL};

static int which(const at_params *p, const double *x, int i)
{
    (void)p;
    return x[2 * i + 1] == i + 1;
}

const at_task at_task_copy = {
    .id = "copy",
    .title = "Fetching by index",
    .definition = "y_i = x_t with t = t_i, where position i holds x_i (|x_i| <= M) and t_i in 1..i",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .enums = 1u << AT_ENUM_PAIRS,
    .input_help = "a position is a real, '/', the position it asks for, as in \"0.5/1 -1/1 0.25/2\"",
    .count = count,
    .nth = nth,
    AT_ROWS_VERBS,
    AT_CASES,
};
