/* CLAIM lemma-a2: every two-layer ReLU network is a GeLU network of the same size, within eps, on all of R^d.
 *
 * Source: Yang et al. 2024, Lemma A.2 (from Feng et al. 2023).
 * Statement: for every ReLU network g with one hidden layer and weights of size at most M, and every eps > 0, there is a
 * GeLU network of the same size with weights of size poly(M, 1/eps) that differs from g by at most eps, for every input.
 *
 * Proof:
 *   1. relu(u) - G(u) = |u| Phi(-|u|) lies between 0 and 0.1699712 (at |u| = 0.7518), for every real u.
 *   2. relu(z) = relu(lambda z)/lambda: with lambda W1, lambda b1 and W2/lambda a unit is off by 0.16998 |w|/lambda.
 *   3. An output with h units of weight at most M is off by at most 0.16998 h M/lambda. (Positive and negative weights
 *      err to different sides: the larger sum of the two counts.)
 * lambda is a power of two, so that the network's own weights come back exactly when it is divided out: the
 * certificate (step 3 in balls) asks for that. The hidden size of the lemma's statement counts units per output d2: the
 * largest weight grows with h, which the printed bound poly(M, 1/eps) leaves out. */
#include "../shared/lemma.h"

#include <math.h>

#define MOST_UNITS 64

static const at_param params[] = {
    LEMMA_LENGTH,
    {"d1", "inputs", 1, 16, 3, true},
    {"h", "hidden units", 1, MOST_UNITS, 8, true},
    {"d2", "outputs", 1, 16, 2, true},
    {"M", "bound on the weights", 1e-3, 1e6, 1, false},
    {"X", "bound on the inputs that the model accepts", 1e-3, 1e6, 4, false},
    {"net", "which network", 0, 1e9, 1, true},
    LEMMA_EPS(0.01),
    LEMMA_LAMBDA,
};

static at_status twin(const at_params *p, at_arena *a, at_twin *out, at_err *err)
{
    int d1 = at_params_int(p, "d1"), h = at_params_int(p, "h"), d2 = at_params_int(p, "d2");
    double *w1 = at_new(a, double, h *d1), *b1 = at_new(a, double, h), *w2 = at_new(a, double, d2 *h),
           *b2 = at_new(a, double, d2);
    if (!w1 || !b1 || !w2 || !b2)
        return at_oom(err);
    at_relu_net_weights(p, w1, b1, w2, b2);
    *out = (at_twin){h, w1, b1, w2, b2};
    return AT_OK;
}

static double lambda_of(const at_params *p)
{
    double h = at_params_get(p, "h"), M = at_params_get(p, "M"), d2 = at_params_get(p, "d2");
    /* the norm over d2 outputs is at most sqrt(d2) times the largest */
    return lemma_lambda(p, AT_GELU_GAP * h * M * sqrt(d2) / claim_eps(p));
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int d1 = at_params_int(p, "d1"), h = at_params_int(p, "h"), d2 = at_params_int(p, "d2");
    double X = at_params_get(p, "X");
    at_arena a;
    at_arena_init(&a);
    at_twin t;
    at_var x[16], unit[MOST_UNITS], y[16];
    at_status s = twin(p, &a, &t, err);
    at_program *P = s ? NULL : at_program_new("lemma-a2", at_params_int(p, "N"));
    if (!s && !P)
        s = at_oom(err);
    if (!s) {
        at_gelu(P, lambda_of(p)); /* step 2 */
        x[0] = at_reals(P, "x", d1, -X, X);
        for (int i = 0; i < d1; i++)
            x[i] = x[0] + i;
        for (int k = 0; k < h; k++)
            unit[k] = at_relu(P, lemma_name("u", k + 1).s,
                              at_sum(P, NULL, (at_vec){d1, x}, t.w1 + k * d1, t.b1[k]));
        for (int r = 0; r < d2; r++)
            y[r] = at_sum(P, lemma_name("y", r + 1).s, (at_vec){h, unit}, t.w2 + r * h, t.b2[r]);
        at_emit(P, (at_vec){d2, y}, AT_READ_RAW, 0);
        *out = P;
    }
    at_arena_release(&a);
    return s;
}

static const at_box certificate = {
    .text = "every x in R^d1: the model is the network with each unit lower by 0 to 0.16998/lambda",
    .twin = twin,
};

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double M = at_params_get(p, "M"), h = at_params_get(p, "h");
    return lemma_size_row(c, p, threads, "h", "eps", h, fmax(1, h * M) * fmax(1, M) / claim_eps(p), out, err);
}

static const at_claim_table tables[] = {{
    .id = "size",
    .title = "weights and certified error of random networks against their width",
    .columns = LEMMA_COLUMNS("h", "eps"),
    .rows = (const char *const[]){"h=4 eps=0.01", "h=8 eps=0.01", "h=16 eps=0.01", "h=64 eps=0.01",
                                  "h=8 eps=0.1", "h=8 eps=1e-4", "h=8 eps=0.01 M=100", NULL},
    .quick_rows = 7,
    .row = size_row,
}};

static const at_cell cells[] = {
    {"h=8 eps=0.01", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"d1=16 h=64 d2=16 M=100 eps=1e-6", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"N=4 h=8 eps=0.01", NULL, AT_EV_SAMPLED, 0, "f64", 100000, AT_TIER_QUICK, NULL},
    {"N=4 h=8 eps=0.01", NULL, AT_EV_SAMPLED, 0, "p16", 10000, AT_TIER_QUICK, NULL},
    {"h=8 eps=0.01", "lambda=0.02", AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_lemma_a2 = {
    .id = "lemma-a2",
    .title = "Every two-layer ReLU network is a GeLU network of the same size",
    .source = LEMMA_SOURCE ", Lemma A.2",
    .statement =
        "For every two-layer ReLU network with weights of size at most M and every eps > 0 a GeLU network of "
        "the same size with weights poly(M, h, 1/eps) differs from it by at most eps, on all of R^d1.",
    .proof = "relu(u) - G(u) lies in [0, 0.1699712] for every u, so with lambda W1 and W2/lambda an output "
             "is off by "
             "at most 0.16998 times the sum of its weights over lambda.",
    .task = "relu-net",
    LEMMA_FIELDS,
    .look = "0.5,-1,2 0,0,0 4,-4,4",
    .look_params = "N=3",
};
