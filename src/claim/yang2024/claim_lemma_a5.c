/* CLAIM lemma-a5: 2n GeLU units turn a number near an integer i into the mask with i ones.
 *
 * Source: Yang et al. 2024, Lemma A.5 and its equation (12).
 * Statement: for every n and eps > 0 a two-layer MLP with 2n GeLU units and weights of size poly(n, 1/eps) is within eps of
 * (1{k <= i})_{k=1..n} for every real x with |x - i| <= 1/3, i in 0..n.
 *
 * Proof:
 *   1. Entry k is the ramp from k-2/3 to k-1/3: relu(3(x-k)+2) - relu(3(x-k)+1). For k <= i, x >= k-1/3: it is 1; for
 *      k >= i+1, x <= k-2/3: it is 0.
 *   2. Two units of weight 3/lambda that err to different sides: off by at most 3 * 0.16998/lambda as GeLU units.
 * One-hot vectors need no product of masks: e_k = m_k - m_{k+1}, 2n+2 units.
 * Differs from the paper: (12) has slope 2, which is right at integers and off by 1/6 at |x - i| = 1/3, whatever lambda
 * (the control `slope=2`). */
#include "../shared/lemma.h"

#include <math.h>

#define MOST_N 1024

static const at_param params[] = {
    LEMMA_LENGTH,
    {"n", "entries of the mask", 1, MOST_N, 8, true},
    {"spread", "how far x may be from an integer", 0, 1. / 3, 1. / 3, false},
    {"onehot", "1: the difference of two masks, entry i only", 0, 1, 0, true},
    LEMMA_EPS(0.01),
    LEMMA_LAMBDA,
    {"slope", "slope of the ramps", 1, 64, 3, false},
};

static double lambda_of(const at_params *p)
{
    double masks = at_params_int(p, "onehot") ? 2 : 1;
    return lemma_lambda(p, masks * at_params_get(p, "slope") * AT_GELU_GAP / claim_eps(p) * (1 + 0x1p-30));
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int n = at_params_int(p, "n"), onehot = at_params_int(p, "onehot");
    double half = 0.5 / at_params_get(p, "slope");
    at_var m[MOST_N + 1];
    at_program *P = at_program_new("lemma-a5", at_params_int(p, "N"));
    if (!P)
        return at_oom(err);
    at_gelu(P, lambda_of(p)); /* step 2 */
    at_var x = at_reals(P, "x", 1, -0.5, n + 0.5);
    for (int k = 1; k <= n + onehot; k++) /* step 1 */
        m[k - 1] = at_ramp(P, lemma_name("m", k).s, x, k - 0.5 - half, k - 0.5 + half);
    for (int k = 0; k < n && onehot; k++)
        m[k] = at_sub(P, m[k], m[k + 1]);
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
    (void)g;
    (void)H;
    size_t k = (size_t)r + 1;
    *c = at_params_int(p, "onehot") ? k == i : k <= i;
}

static const at_box certificate = {
    .text = "n+1 boxes, |x - i| <= spread for i = 0..n; the answer is constant on each",
    .boxes = boxes,
    .box = box,
    .answer = answer,
};

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double n = at_params_get(p, "n"), stated = 2 * n + 2 * at_params_get(p, "onehot");
    return lemma_size_row(c, p, threads, "n", "eps", stated, lambda_of(p) * (n + 1), out, err);
}

static const at_claim_table tables[] = {{
    .id = "size",
    .title = "units, weights and certified error against n; the bound is 1.02 (n+1)/eps",
    .columns = LEMMA_COLUMNS("n", "eps"),
    .rows = (const char *const[]){"n=4", "n=16", "n=64", "n=16 eps=0.001", "n=16 eps=1e-6", "n=16 onehot=1",
                                  "n=256", NULL},
    .quick_rows = 6,
    .row = size_row,
}};

static const at_cell cells[] = {
    {"n=256", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, "n=64"},
    {"n=64 onehot=1 eps=1e-6", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, "n=16 onehot=1 eps=1e-6"},
    {"N=2 n=64 spread=0", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=4 n=64", NULL, AT_EV_SAMPLED, 0, "p20", 4000, AT_TIER_QUICK, NULL},
    {"n=8", "slope=2", AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"n=8", "lambda=0.2", AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_lemma_a5 = {
    .id = "lemma-a5",
    .title = "2n GeLU units turn a number into a prefix mask",
    .source = LEMMA_SOURCE ", Lemma A.5 with slope 3 in (12)",
    .statement =
        "For every n and eps > 0 a two-layer MLP with 2n GeLU units and weights poly(n, 1/eps) is within eps "
        "of "
        "(1{k <= i})_k for every x with |x - i| <= 1/3, i in 0..n; 2n+2 units make it the unit vector e_i.",
    .proof = "Entry k is relu(3(x-k)+2) - relu(3(x-k)+1), 1 from k-1/3 on and 0 up to k-2/3; as GeLU units "
             "it is off "
             "by at most 3*0.16998/lambda.",
    .task = "prefix-mask",
    LEMMA_FIELDS,
    .look = "0 2.25 7.75",
    .look_params = "N=3",
};
