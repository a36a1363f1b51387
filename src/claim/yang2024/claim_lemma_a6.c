/* CLAIM lemma-a6: 2n GeLU units turn a number near an integer i into the mask that is 1 from entry i on.
 *
 * Source: Yang et al. 2024, Lemma A.6 and its equation (13).
 * Statement: for every n and eps > 0 a two-layer MLP with 2n GeLU units and weights of size poly(n, 1/eps) is within eps of
 * (1{k >= i})_{k=1..n} for every real x with |x - i| <= 1/3, i in 0..n.
 *
 * Proof:
 *   1. Entry k is 1 minus the ramp from k+1/3 to k+2/3. For i <= k, x <= k+1/3: it is 1; for i >= k+1, x >= k+2/3: 0.
 *   2. As lemma-a5: off by at most 3 * 0.16998/lambda as GeLU units.
 * Differs from the paper: slope 3 instead of 2 in (13), as in lemma-a5. */
#include "../shared/lemma.h"

#include <math.h>

#define MOST_N 1024

static const at_param params[] = {
    LEMMA_LENGTH,
    {"n", "entries of the mask", 1, MOST_N, 8, true},
    {"spread", "how far x may be from an integer", 0, 1. / 3, 1. / 3, false},
    LEMMA_EPS(0.01),
    LEMMA_LAMBDA,
    {"slope", "slope of the ramps", 1, 64, 3, false},
};

static double lambda_of(const at_params *p)
{
    return lemma_lambda(p, at_params_get(p, "slope") * AT_GELU_GAP / claim_eps(p) * (1 + 0x1p-30));
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int n = at_params_int(p, "n");
    double half = 0.5 / at_params_get(p, "slope");
    at_var m[MOST_N];
    at_program *P = at_program_new("lemma-a6", at_params_int(p, "N"));
    if (!P)
        return at_oom(err);
    at_gelu(P, lambda_of(p)); /* step 2 */
    at_var x = at_reals(P, "x", 1, -0.5, n + 0.5);
    for (int k = 1; k <= n; k++) /* step 1 */
        m[k - 1] =
            at_sum(P, NULL, AT_VEC(at_ramp(P, lemma_name("m", k).s, x, k + 0.5 - half, k + 0.5 + half)),
                   (double[]){-1}, 1);
    at_emit(P, (at_vec){n, m}, AT_READ_RAW, 0);
    *out = P;
    return AT_OK;
}

/* ---- certificate ----------------------------------------------------------------------------------------- */

static size_t boxes(const at_params *p)
{
    return (size_t)at_params_int(p, "n") + 1;
}

static void box(const at_params *p, size_t i, double *lo, double *hi)
{
    lemma_integer_box(p, (double)i, lo, hi);
}

static void answer(const at_params *p, size_t i, int r, double *c, double *g, double *H)
{
    (void)p;
    (void)g;
    (void)H;
    *c = (size_t)r + 1 >= i;
}

static const at_box certificate = {
    .text = "n+1 boxes, |x - i| <= spread for i = 0..n; the answer is constant on each",
    .boxes = boxes,
    .box = box,
    .answer = answer,
};

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double n = at_params_get(p, "n");
    return lemma_size_row(c, p, threads, "n", "eps", 2 * n, lambda_of(p) * (n + 1), out, err);
}

static const at_claim_table tables[] = {{
    .id = "size",
    .title = "units, weights and certified error against n; the bound is 1.02 (n+1)/eps",
    .columns = LEMMA_COLUMNS("n", "eps"),
    .rows = (const char *const[]){"n=4", "n=16", "n=64", "n=16 eps=0.001", "n=16 eps=1e-6", "n=256", NULL},
    .quick_rows = 5,
    .row = size_row,
}};

static const at_cell cells[] = {
    {"n=256", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, "n=64"},
    {"N=2 n=64 spread=0", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=4 n=64", NULL, AT_EV_SAMPLED, 0, "p20", 4000, AT_TIER_QUICK, NULL},
    {"n=8", "slope=2", AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_lemma_a6 = {
    .id = "lemma-a6",
    .title = "2n GeLU units turn a number into a suffix mask",
    .source = LEMMA_SOURCE ", Lemma A.6 with slope 3 in (13)",
    .statement = "For every n and eps > 0 a two-layer MLP with 2n GeLU units and weights poly(n, 1/eps) is "
                 "within eps of "
                 "(1{k >= i})_k for every x with |x - i| <= 1/3, i in 0..n.",
    .proof = "Entry k is 1 minus the ramp from k+1/3 to k+2/3; as GeLU units it is off by at most "
             "3*0.16998/lambda.",
    .task = "suffix-mask",
    LEMMA_FIELDS,
    .look = "0 2.25 7.75",
    .look_params = "N=3",
};
