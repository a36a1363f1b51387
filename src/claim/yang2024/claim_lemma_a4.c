/* CLAIM lemma-a4: 2d+2 GeLU units select x or y by the sign of t.
 *
 * Source: Yang et al. 2024, Lemma A.4 (from Feng et al. 2023).
 * Statement: for all eps, alpha, M > 0 a two-layer MLP with 2d+2 GeLU units and weights of size poly(M, 1/alpha, 1/eps)
 * gives x within eps where t >= alpha and y where t <= -alpha, for all x, y in [-M, M]^d and however large |t| is.
 *
 * Proof, with C = M/alpha:
 *   1. relu(x + C t) + relu(y - C t) - relu(C t) - relu(-C t). For t >= alpha: x + C t >= 0 and y - C t <= 0, so this is
 *      x + C t - C t; for t <= -alpha it is y. The last two units serve all components: 2d+2 units.
 *   2. Each output sums four units of weight 1 in size: off by at most 4 * 0.16998/lambda as GeLU units, for every t.
 * At p bits C t is rounded, so t must be bounded: C T 2^-p must stay below eps (the control T = 65536 at 24 bits). */
#include "../shared/lemma.h"

#include <math.h>

#define MOST_D 16

static const at_param params[] = {
    LEMMA_LENGTH,
    {"d", "components of x and y", 1, MOST_D, 2, true},
    {"M", "bound on the components", 1e-3, 1e6, 1, false},
    {"alpha", "least |t|", 1e-6, 1e6, 0.5, false},
    {"T", "largest |t| that the model accepts", 1e-6, 1e9, 4, false},
    LEMMA_EPS(0.01),
    LEMMA_LAMBDA,
    {"c", "slope in units of M/alpha", 0.01, 16, 1, false},
};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int d = at_params_int(p, "d");
    double M = at_params_get(p, "M"), T = at_params_get(p, "T");
    at_var x[MOST_D], y[MOST_D];
    at_program *P = at_program_new("lemma-a4", at_params_int(p, "N"));
    if (!P)
        return at_oom(err);
    at_gelu(P, lemma_lambda(p, 4 * AT_GELU_GAP / claim_eps(p) * sqrt(d))); /* step 2 */
    x[0] = at_reals(P, "x", d, -M, M);
    y[0] = at_reals(P, "y", d, -M, M);
    at_var t = at_reals(P, "t", 1, -T, T);
    for (int k = 1; k < d; k++) {
        x[k] = x[0] + k;
        y[k] = y[0] + k;
    }
    /* step 1; a hair more than M/alpha, so that rounding C leaves the arguments' signs alone */
    at_var z = at_choose_rows(P, "z", t, at_params_get(p, "alpha"), (at_vec){d, x}, (at_vec){d, y},
                              at_params_get(p, "c") * (1 + 0x1p-40));
    for (int k = 0; k < d; k++)
        x[k] = z + k;
    at_emit(P, (at_vec){d, x}, AT_READ_RAW, 0);
    *out = P;
    return AT_OK;
}

/* ---- certificate ----------------------------------------------------------------------------------------- */

static size_t boxes(const at_params *p)
{
    (void)p;
    return 2;
}

static void box(const at_params *p, size_t i, double *lo, double *hi)
{
    int d = at_params_int(p, "d");
    for (int k = 0; k < 2 * d; k++) {
        lo[k] = -at_params_get(p, "M");
        hi[k] = at_params_get(p, "M");
    }
    lo[2 * d] = i ? -INFINITY : at_params_get(p, "alpha");
    hi[2 * d] = i ? -at_params_get(p, "alpha") : INFINITY;
}

static void answer(const at_params *p, size_t i, int r, double *c, double *g, double *H)
{
    (void)c;
    (void)H;
    g[i ? at_params_int(p, "d") + r : r] = 1;
}

static const at_box certificate = {
    .text = "two boxes, x and y in [-M, M]^d with t >= alpha and with t <= -alpha, t unbounded",
    .boxes = boxes,
    .box = box,
    .answer = answer,
};

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double M = at_params_get(p, "M"), d = at_params_get(p, "d"), eps = claim_eps(p);
    double poly = 8 * AT_GELU_GAP * sqrt(d) / eps * fmax(1, M / at_params_get(p, "alpha"));
    return lemma_size_row(c, p, threads, "alpha", "eps", 2 * d + 2, poly * (1 + 0x1p-30), out, err);
}

static const at_claim_table tables[] = {{
    .id = "size",
    .title =
        "units, weights and certified error against alpha and eps; the bound is 1.36 sqrt(d) M/(alpha eps)",
    .columns = LEMMA_COLUMNS("alpha", "eps"),
    .rows = (const char *const[]){"alpha=0.5 eps=0.01", "alpha=0.1 eps=0.01", "alpha=0.01 eps=0.01",
                                  "alpha=0.5 eps=0.001", "alpha=0.5 eps=1e-6", "alpha=0.5 eps=0.01 d=16",
                                  "alpha=0.01 eps=0.01 M=100", NULL},
    .quick_rows = 7,
    .row = size_row,
}};

static const at_cell cells[] = {
    {"M=1 alpha=0.5", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"d=16 M=100 alpha=0.01 eps=1e-6 T=100", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"N=4", NULL, AT_EV_SAMPLED, 0, "f64", 100000, AT_TIER_QUICK, NULL},
    {"N=4 T=4", NULL, AT_EV_SAMPLED, 0, "p24", 10000, AT_TIER_QUICK, NULL},
    {"M=1 alpha=0.5", "c=0.9", AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"N=4 T=4", "T=65536", AT_EV_SAMPLED, 0, "p24", 10000, AT_TIER_QUICK, NULL},
};

const at_claim claim_lemma_a4 = {
    .id = "lemma-a4",
    .title = "2d+2 GeLU units select one of two vectors by a sign",
    .source = LEMMA_SOURCE ", Lemma A.4",
    .statement =
        "For all eps, alpha, M > 0 a two-layer MLP with 2d+2 GeLU units and weights poly(M, 1/alpha, 1/eps) "
        "is "
        "within eps of x where t >= alpha and of y where t <= -alpha, on [-M, M]^d and for all such t.",
    .proof =
        "relu(x+Ct) + relu(y-Ct) - relu(Ct) - relu(-Ct) with C = M/alpha is x or y; four units of weight 1 "
        "make at most 4*0.16998/lambda of error as GeLU units.",
    .task = "selection",
    LEMMA_FIELDS,
    .look = "0.5,1/-1,0/0.75 0.5,1/-1,0/-0.75 1,1/0,0/4",
    .look_params = "N=3",
};
