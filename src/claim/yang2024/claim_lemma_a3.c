/* CLAIM lemma-a3: a linear map through 2 d2 GeLU units, without any error.
 *
 * Source: Yang et al. 2024, Lemma A.3 (from Feng et al. 2023).
 * Statement: for every matrix W there is a two-layer MLP with 2 d2 GeLU units and weights of size at most max(M, 1) that
 * computes W x for every x in R^d1. (The lemma says: within eps, with weights poly(M, 1/eps). It is exact, and the
 * weights do not depend on eps.)
 *
 * Proof: G(u) - G(-u) = u (Phi(u) + Phi(-u)) = u. Units u = lambda (W x)_r and -u with outer weights 1/lambda and
 * -1/lambda, for any lambda > 0; lambda = 1 keeps the weights smallest.
 * The sharpness is no control here. Dropping one of the two units is: G(u) alone is wrong almost everywhere. */
#include "../shared/lemma.h"

#include <math.h>

#define MOST_INPUTS 16

static const at_param params[] = {
    LEMMA_LENGTH,
    {"d1", "inputs", 1, MOST_INPUTS, 3, true},
    {"d2", "outputs", 1, MOST_INPUTS, 2, true},
    {"M", "bound on the entries of W", 1e-3, 1e6, 1, false},
    {"X", "bound on the inputs that the model accepts", 1e-3, 1e6, 4, false},
    {"net", "which matrix", 0, 1e9, 1, true},
    LEMMA_EPS(1e-9),
    LEMMA_LAMBDA,
    {"drop", "1: without the second unit of the last output", 0, 1, 0, true},
};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int d1 = at_params_int(p, "d1"), d2 = at_params_int(p, "d2");
    double X = at_params_get(p, "X"), W[MOST_INPUTS * MOST_INPUTS];
    at_var x[MOST_INPUTS], y[MOST_INPUTS];
    at_program *P = at_program_new("lemma-a3", at_params_int(p, "N"));
    if (!P)
        return at_oom(err);
    at_linear_map_weights(p, W);
    at_gelu(P, at_params_get(p, "lambda"));
    x[0] = at_reals(P, "x", d1, -X, X);
    for (int i = 0; i < d1; i++)
        x[i] = x[0] + i;
    for (int r = 0; r < d2; r++) {
        at_var sum = at_sum(P, NULL, (at_vec){d1, x}, W + r * d1, 0);
        bool drop = r + 1 == d2 && at_params_int(p, "drop");
        lemma_label name = lemma_name("y", r + 1);
        y[r] = drop ? at_relu(P, name.s, sum) : at_pass(P, name.s, sum);
    }
    at_emit(P, (at_vec){d2, y}, AT_READ_RAW, 0);
    *out = P;
    return AT_OK;
}

/* ---- certificate ----------------------------------------------------------------------------------------- */

static size_t boxes(const at_params *p)
{
    (void)p;
    return 1;
}

static void box(const at_params *p, size_t i, double *lo, double *hi)
{
    (void)i;
    for (int k = 0; k < at_params_int(p, "d1"); k++) {
        lo[k] = -INFINITY;
        hi[k] = INFINITY;
    }
}

static void answer(const at_params *p, size_t i, int r, double *c, double *g, double *H)
{
    (void)i;
    (void)c;
    (void)H;
    int d1 = at_params_int(p, "d1");
    double W[MOST_INPUTS * MOST_INPUTS];
    at_linear_map_weights(p, W);
    for (int k = 0; k < d1; k++)
        g[k] = W[r * d1 + k];
}

static const at_box certificate = {
    .text = "all of R^d1; units come in pairs u, -u, for which G(u) - G(-u) = u",
    .boxes = boxes,
    .box = box,
    .answer = answer,
};

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double M = at_params_get(p, "M"), lambda = at_params_get(p, "lambda");
    return lemma_size_row(c, p, threads, "d2", "lambda", 2 * at_params_get(p, "d2"),
                          fmax(1, M) * fmax(lambda, 1 / lambda), out, err);
}

static const at_claim_table tables[] = {{
    .id = "size",
    .title = "units, weights and certified error against the number of outputs and lambda",
    .columns = LEMMA_COLUMNS("d2", "lambda"),
    .rows = (const char *const[]){"d2=1", "d2=4", "d2=16 d1=16", "d2=2 lambda=0.125", "d2=2 lambda=64",
                                  "d2=2 M=100 X=100", NULL},
    .quick_rows = 6,
    .row = size_row,
}};

static const at_cell cells[] = {
    {"d1=3 d2=2", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"d1=16 d2=16 M=100 X=100", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"lambda=0.0009765625", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"N=4", NULL, AT_EV_SAMPLED, 0, "f64", 100000, AT_TIER_QUICK, NULL},
    {"N=4 eps=0.001", NULL, AT_EV_SAMPLED, 0, "p16", 10000, AT_TIER_QUICK, NULL},
    {"d1=3 d2=2", "drop=1", AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_lemma_a3 = {
    .id = "lemma-a3",
    .title = "A linear map goes through 2 d2 GeLU units without error",
    .source = LEMMA_SOURCE ", Lemma A.3",
    .statement = "For every matrix W (d2 x d1) a two-layer MLP with 2 d2 GeLU units computes W x exactly, "
                 "for every x; "
                 "eps and lambda do not matter.",
    .proof = "G(u) - G(-u) = u Phi(u) + u Phi(-u) = u.",
    .task = "linear-map",
    LEMMA_FIELDS,
    .look = "0.5,-1,2 0,0,0 4,-4,4",
    .look_params = "N=3",
};
