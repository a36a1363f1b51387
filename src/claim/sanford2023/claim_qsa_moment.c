/* CLAIM qsa-moment: with enough precision width 2q averages any q of N vectors, and no less does.
 *
 * Source: Sanford, Hsu, Telgarsky 2023 (remark on infinite bit precision: the log N factor goes away). They have 2q+1.
 * Statement: as qsa-rip, with keys of width 2q independent of N, at the price of precision. Bound qsa-radon: from N = 3q+1 on no narrower
 * unit exists whose keys do not depend on the vectors.
 *
 * Proof:
 *   1. Key of position j: the powers (t, ..., t^2q) of its node t = j - ceil(N/2). Query of the subset y: minus the
 *      coefficients of prod over k in y of (t - t_k)^2, without the constant one.
 *   2. The score is prod t_k^2 - prod (t_j - t_k)^2. Softmax ignores what all scores of a row share: it is largest, and the same, on y, and
 *      lower by at least 1 off it.
 *   3. Scale alpha = ln(4N/eps) after the dot product: weights off y are at most eps/(4N) each.
 * The coefficients grow like (N/2)^2q, so the dot product is exact only while 2q log2 (N/2) + 2 <= p or so: that is
 * the precision it costs. */
#include "../claim_internal.h"

#include <math.h>

static const at_param params[] = {
    {"N", "length", 2, 512, 16, true},
    {"q", "vectors averaged", 1, 4, 2, true},
    {"d", "dimension of the vectors", 1, 64, 2, true},
    {"eps", "wanted error", 1e-6, 0.5, 0.01, false},
    {"fewer", "powers fewer than 2q", 0, 1, 0, true},
    {"alpha", "scale in units of ln(4N/eps)", 0.01, 4, 1, false},
};

#define MOST_POWERS 9 /* 0..2q for q = 4 */

/* Node of position j. */
static double node(int j, int N)
{
    return j - (N + 1) / 2;
}

/* Minus the coefficients of prod (t - t_k)^2, from the power 1 on: (m). */
static void query_fill(const int *y, int q, int N, int m, double *c)
{
    double poly[MOST_POWERS] = {1};
    for (int k = 0; k < 2 * q; k++) { /* times (t - t_k), each factor twice */
        double root = node(y[k / 2], N);
        for (int e = k + 1; e >= 0; e--)
            poly[e] = (e ? poly[e - 1] : 0) - root * (e <= k ? poly[e] : 0);
    }
    for (int e = 0; e < m; e++)
        c[e] = -poly[e + 1];
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int N = at_params_int(p, "N"), q = at_params_int(p, "q"), d = at_params_int(p, "d"),
        m = 2 * q - at_params_int(p, "fewer");
    double eps = at_params_get(p, "eps");
    if (q > N)
        return at_fail(err, AT_EDOMAIN, "q=%d: must be at most N=%d", q, N);
    int64_t rows = at_choose(N, q);
    if (rows > (int64_t)1 << 22)
        return at_fail(err, AT_EDOMAIN, "N=%d q=%d: a query table of %jd rows is above 2^22", N, q,
                       (intmax_t)rows);
    double *powers = at_calloc((size_t)(N * m), sizeof *powers),
           *w = at_calloc((size_t)(rows * m), sizeof *w);
    at_program *P = at_program_new("qsa-moment", N);
    at_status s = powers && w && P ? AT_OK : at_oom(err);
    if (!s) {
        for (int j = 0; j < N; j++)
            for (int e = 0; e < m; e++)
                powers[j * m + e] = at_pow(node(j + 1, N), e + 1);
        for (int64_t r = 0; r < rows; r++) {
            int S[MOST_POWERS];
            at_subset_unrank(r, q, S);
            query_fill(S, q, N, m, w + r * m);
        }
        claim_average_emit(P, &(claim_average){N, q, d, m, powers, w,                           /* step 1 */
                                               at_params_get(p, "alpha") * at_log(4 * N / eps), /* step 3 */
                                               1, eps}); /* gap: step 2 */
    }
    at_free(powers);
    at_free(w);
    if (s)
        at_program_free(P);
    else
        *out = P;
    return s;
}

#define INPUTS 60 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double N = at_params_get(p, "N"), q = at_params_get(p, "q");
    out[0] = N;
    out[1] = q;
    out[3] = 2 * q * at_log2(N / 2) + 2;
    return claim_least_precision(c, p, INPUTS, threads, &out[2], err);
}

static const at_claim_table tables[] = {{
    .id = "precision",
    .title = "least p from which on it holds, against N and q (eps = 0.1, " CLAIM_TEXT(
        INPUTS) " random and adversarial inputs "
                "at each p)",
    .columns = (const char *const[]){"N", "q", "least p", "2q log2 (N/2) + 2", NULL},
    .x = "2q log2 (N/2) + 2",
    .rows =
        (const char *const[]){"N=8 q=1 eps=0.1", "N=32 q=1 eps=0.1", "N=128 q=1 eps=0.1", "N=8 q=2 eps=0.1",
                              "N=16 q=2 eps=0.1", "N=32 q=2 eps=0.1", "N=64 q=2 eps=0.1", "N=16 q=3 eps=0.1",
                              "N=32 q=3 eps=0.1", "N=64 q=3 eps=0.1", NULL},
    .quick_rows = 5,
    .row = precision_row,
}};

static const at_cell cells[] = {
    {"N=128 q=3", NULL, AT_EV_EXACT, AT_ENUM_SUBSETS, "f64", 0, AT_TIER_QUICK, "N=60 q=3"},
    {"N=13 q=4", NULL, AT_EV_EXACT, AT_ENUM_SUBSETS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=16 q=4", NULL, AT_EV_SAMPLED, 0, "f64", 20000, AT_TIER_QUICK, NULL},
    {"N=32 q=1", NULL, AT_EV_SAMPLED, 0, "f64", 20000, AT_TIER_QUICK, NULL},
    {"N=13 q=4", "fewer=1", AT_EV_EXACT, AT_ENUM_SUBSETS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=32 q=1", "alpha=0.2", AT_EV_SAMPLED, 0, "f64", 20000, AT_TIER_QUICK, NULL},
};

const at_claim claim_qsa_moment = {
    .id = "qsa-moment",
    .title = "With enough precision keys of width 2q average any q of N vectors",
    .source = "Sanford, Hsu, Telgarsky 2023 (q-sparse averaging, infinite precision)",
    .statement =
        "For all q <= N, d and eps, one softmax head with keys of width 2q (independent of N) outputs the "
        "mean of z_j over j in y_i up to eps; the numbers have about 2q log2 (N/2) bits.",
    .proof =
        "The score -prod_{k in y} (t_j - t_k)^2 is linear in the powers of the node t_j = j - ceil(N/2), the "
        "constant one left out; it is largest on y and lower by at "
        "least 1 off it; scale ln(4N/eps) leaves the rest eps/4 of the weight.",
    .task = "qsa",
    .tolerance = claim_eps,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "1/1,2 0.5/3,4 -1/1,6 0/2,5 0.25/4,6 -0.5/1,3",
    .look_params = "N=6 q=2 d=1",
};
