/* qsa.c: sparse averaging: position i holds a vector z_i and a q-subset y_i; the answer is the mean of z_j
 * over j in y_i.
 *
 * A row is (z_i: d reals with |z_i| <= 1 | y_i: q ascending integers of 1..N); an answer is d reals.
 *
 * Enumeration SUBSETS: reals cannot be enumerated, queries can. Input number b gives position i (from 0)
 * the subset of colexicographic rank (b*N + i) mod C(N,q), so ceil(C(N,q)/N) inputs ask every subset; their
 * z are drawn from b alone.
 *
 * The hardest z for a softmax construction is what pulls hardest off the support: e on y_i and -e on
 * every other position, |e| = 1; then weight w off the support shows up as an error of exactly 2w. */
#include <math.h>

#include <attest/model.h>

#include "../problem_internal.h"

/* N positions, Q = q subset size, D = d vector dimension, W = D + Q row width. */

#define SUBSET_MAX    256
#define DIMENSION_MAX 256
#define ENUM_SEED     0x715341u /* z of enumerated inputs: part of what "input number b" means */

static const at_param schema[] = {
    AT_PARAM_LENGTH(16),
    {"q", "subset size, at most N", 1, SUBSET_MAX, 2, true},
    {"d", "dimension of the vectors", 1, DIMENSION_MAX, 2, true},
};

static int row_width(const at_params *p)
{
    return at_params_int(p, "d") + at_params_int(p, "q");
}

static int out_width(const at_params *p)
{
    return at_params_int(p, "d");
}

static int fields(const at_params *p, at_field *out)
{
    out[0] = at_field_real("z", at_params_int(p, "d"), 1);
    out[1] = (at_field){
        .name = "y", .kind = AT_FIELD_SUBSET, .size = at_params_int(p, "N"), .pick = at_params_int(p, "q")};
    return 2;
}

static at_status validate(const at_params *p, at_err *err)
{
    int N = at_params_int(p, "N"), Q = at_params_int(p, "q");
    if (Q > N)
        return at_fail(err, AT_EDOMAIN, "q=%d: must be an integer in 1..N, and N is %d", Q, N);
    return AT_OK;
}

/* An element outside 1..N names no position and adds nothing: no input makes this read out of bounds. */
static void answer(const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N"), Q = at_params_int(p, "q"), D = at_params_int(p, "d"), W = D + Q;
    for (int i = 0; i < N; i++) {
        const double *subset = x + (size_t)i * W + D; /* (Q) */
        double *mean = y + (size_t)i * D;             /* (D) */
        for (int c = 0; c < D; c++)
            mean[c] = 0;
        for (int s = 0; s < Q; s++) {
            if (!(subset[s] >= 1 && subset[s] <= N))
                continue;
            const double *z = x + ((size_t)subset[s] - 1) * W; /* (D) */
            for (int c = 0; c < D; c++)
                mean[c] += z[c];
        }
        for (int c = 0; c < D; c++)
            mean[c] /= Q;
    }
}

/* ---- draws ------------------------------------------------------------------------------------------ */

/* z uniform on the sphere of the given radius <= 1. With u = 2^-53 the computed norm is short by at most
 * (D/2+1)u, the division and the product add 2u: the factor 1-(D+8)u keeps |z| <= 1 in exact arithmetic. */
static void draw_sphere(at_rng *r, int D, double radius, double *z)
{
    double square = 0;
    for (int c = 0; c < D; c++) {
        z[c] = at_rng_normal(r);
        square += z[c] * z[c];
    }
    double norm = sqrt(square);
    if (!(norm > 1e-100)) { /* not a direction; e_1 is as good as any */
        memset(z, 0, (size_t)D * sizeof *z);
        z[0] = norm = 1;
    }
    for (int c = 0; c < D; c++)
        z[c] = z[c] / norm * (radius * (1 - (D + 8) * 0x1p-53));
}

/* Half on the sphere, half in the ball. */
static void draw_vector(at_rng *r, int D, double *z)
{
    double radius = at_rng_below(r, 2) ? 1 : at_pow(at_rng_unit(r), 1.0 / D);
    draw_sphere(r, D, radius, z);
}

/* A uniform Q-subset of 1..N, ascending (Floyd: for t = N-Q+1..N take a draw from 1..t, or t if taken). */
static void draw_subset(at_rng *r, int N, int Q, double *subset)
{
    for (int n = 0; n < Q; n++) {
        int t = N - Q + 1 + n, e = 1 + (int)at_rng_below(r, (uint64_t)t), at = n;
        while (at > 0 && subset[at - 1] > e)
            at--;
        if (at > 0 && subset[at - 1] == e) {
            subset[n] = t; /* larger than all before */
            continue;
        }
        memmove(subset + at + 1, subset + at, (size_t)(n - at) * sizeof *subset);
        subset[at] = e;
    }
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), Q = at_params_int(p, "q"), D = at_params_int(p, "d");
    for (int i = 0; i < N; i++, x += D + Q) {
        draw_vector(r, D, x);
        draw_subset(r, N, Q, x + D);
    }
}

/* One element of an ascending subset moves to the nearest free place; stays when there is none. */
static void subset_nudge(at_rng *r, int N, int Q, double *subset)
{
    int s = (int)at_rng_below(r, (uint64_t)Q);
    bool up = s + 1 < Q ? subset[s] + 1 < subset[s + 1] : subset[s] < N;
    bool down = s > 0 ? subset[s] - 1 > subset[s - 1] : subset[s] > 1;
    if (up && (!down || at_rng_below(r, 2)))
        subset[s] += 1;
    else if (down)
        subset[s] -= 1;
}

/* e on one subset, -e off it. Every position asks for that subset, or for one that is an element away. */
static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), Q = at_params_int(p, "q"), D = at_params_int(p, "d"), W = D + Q;
    double e[DIMENSION_MAX] = {0}, support[SUBSET_MAX];
    if (at_rng_below(r, 2))
        e[0] = at_rng_below(r, 2) ? 1 : -1;
    else
        draw_sphere(r, D, 1, e);
    draw_subset(r, N, Q, support);
    bool nudged = at_rng_below(r, 2);
    for (int i = 0; i < N; i++) {
        double *row = x + (size_t)i * W;
        for (int c = 0; c < D; c++)
            row[c] = -e[c];
        memcpy(row + D, support, (size_t)Q * sizeof *support);
        if (nudged && i)
            subset_nudge(r, N, Q, row + D);
    }
    for (int s = 0; s < Q; s++)
        memcpy(x + ((size_t)support[s] - 1) * W, e, (size_t)D * sizeof *e);
}

/* ---- enumeration ------------------------------------------------------------------------------------ */

static uint64_t count(const at_params *p, at_enum e)
{
    int N = at_params_int(p, "N");
    if (e != AT_ENUM_SUBSETS)
        return 0;
    int64_t subsets = at_choose(N, at_params_int(p, "q"));
    return subsets == INT64_MAX ? UINT64_MAX : ((uint64_t)subsets + (uint64_t)N - 1) / (uint64_t)N;
}

/* The colexicographic successor; after the last subset of 1..N comes the first. */
static void subset_next(int N, int Q, int *subset)
{
    int s = 0;
    while (s < Q && subset[s] == (s + 1 < Q ? subset[s + 1] - 1 : N)) {
        subset[s] = s + 1;
        s++;
    }
    if (s < Q)
        subset[s]++;
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)e;
    int N = at_params_int(p, "N"), Q = at_params_int(p, "q"), D = at_params_int(p, "d");
    int subset[SUBSET_MAX];
    at_rng r = at_rng_at(ENUM_SEED, index);
    at_subset_unrank((int64_t)(index * (uint64_t)N % (uint64_t)at_choose(N, Q)), Q, subset);
    for (int i = 0; i < N; i++, x += D + Q) {
        draw_vector(&r, D, x);
        for (int s = 0; s < Q; s++)
            x[D + s] = subset[s];
        subset_next(N, Q, subset);
    }
}

/* ---- shrinking -------------------------------------------------------------------------------------- */

#define GRID 8 /* simple coordinates are multiples of 1/8 */

/* Steps, large ones first: a vector to 0; a subset to 1..q; a coordinate to 0; a coordinate cut towards 0 to
 * a multiple of 1/8. None lengthens a vector. Each lowers (coordinates not 0) + (coordinates off the grid) +
 * (subsets other than 1..q) and none raises a part of it, so greedy descent ends. */
static bool simpler(const at_params *p, const double *x, int n, int k, double *out)
{
    int Q = at_params_int(p, "q"), D = at_params_int(p, "d"), W = D + Q;
    for (int step = 0; step < 4; step++)
        for (int i = 0; i < n; i++) {
            const double *row = x + (size_t)i * W;
            int places = step < 2 ? 1 : D;
            for (int c = 0; c < places; c++) {
                bool able = false;
                if (step == 0)
                    for (int j = 0; j < D; j++)
                        able |= row[j] != 0;
                else if (step == 1)
                    able = row[D + Q - 1] != Q; /* ascending: only 1..q ends in q */
                else
                    able = step == 2 ? row[c] != 0 && D > 1 : row[c] * GRID != trunc(row[c] * GRID);
                if (!able || k-- > 0)
                    continue;
                memcpy(out, x, (size_t)n * (size_t)W * sizeof *x);
                double *to = out + (size_t)i * W;
                if (step == 0)
                    memset(to, 0, (size_t)D * sizeof *to);
                else if (step == 1)
                    for (int s = 0; s < Q; s++)
                        to[D + s] = s + 1;
                else
                    to[c] = step == 2 ? 0 : trunc(row[c] * GRID) / GRID + 0.0; /* no -0 */
                return true;
            }
        }
    return false;
}

const at_task at_task_qsa = {
    .id = "qsa",
    .title = "Sparse averaging",
    .definition = "y_i = mean of z_j over j in S_i, where position i holds z_i (|z_i| <= 1) and S_i, a "
                  "q-subset of 1..N",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .enums = 1u << AT_ENUM_SUBSETS,
    .input_help = "a position is d reals, '/', q ascending integers of 1..N, as in \"0.6,-0.8/2,5\"",
    .validate = validate,
    .count = count,
    .nth = nth,
    AT_ROWS_VERBS,
};
