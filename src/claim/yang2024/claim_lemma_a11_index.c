/* CLAIM lemma-a11-index (COPY by index): one softmax head fetches what stands at a given position.
 *
 * Source: Yang et al. 2024, lemma A.11 (from Feng et al. 2023), in the form that its constructions use.
 * Statement: one causal softmax head of width 2 outputs x_t for t = t_i <= i up to eps, for all |x_j| <= M, with scale
 * lambda = ln(5M/eps), whatever the length.
 *
 * Proof:
 *   1. The score is lambda (2 t k - k^2) = lambda t^2 - lambda (t - k)^2: query (2t, 1), key (k, -k^2), both from the position
 *      table; softmax cancels lambda t^2, so t^2 need not be computed.
 *   2. Keys at distance n weigh e^(-lambda n^2) of the target, and there are at most two of each: the target lacks at most
 *      2 (e^-lambda + e^-4 lambda + ...) <= 2.02 e^-lambda (eps <= M), and the output moves by at most 2M times that. */
#include "../shared/claim_copy.h"

#include <math.h>

static const at_param params[] = {
    {"N", "length", 1, 4096, 12, true},
    COPY_VALUES,
    COPY_EPS,
    {"alpha", "lambda in units of ln(5M/eps)", 0.01, 4, 1, false},
};

static double lambda_of(const at_params *p)
{
    return at_log(5 * at_params_get(p, "M") / at_params_get(p, "eps"));
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int N = at_params_int(p, "N");
    double M = at_params_get(p, "M"), eps = at_params_get(p, "eps");
    at_status s = claim_copy_domain(p, err);
    if (s)
        return s;
    at_program *P = at_program_new("lemma-a11-index", N);
    if (!P)
        return at_oom(err);
    at_var x = at_reals(P, "x", 1, -M, M), t = at_ints(P, "t", 1, 1, N);
    at_copier *c = at_copier_new(
        P, &(at_copying){.length = N, .error = eps, .scale = at_params_get(p, "alpha") * lambda_of(p)});
    at_emit(P, AT_VEC(at_copy_standard(c, "copy", t, AT_VEC(x), false)), AT_READ_RAW, 0);
    at_copier_free(c);
    *out = P;
    return AT_OK;
}

#define INPUTS 40 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double N = at_params_get(p, "N");
    out[0] = N;
    out[2] = 2 * at_log2(N) + 2;
    out[4] = at_log(4 * N * at_params_get(p, "M") / at_params_get(p, "eps"));
    return claim_precision_and_size(c, p, INPUTS, threads, &out[1], &out[3], err);
}

static const at_claim_table tables[] = {{
    COPY_PRECISION("L"),
    .columns = (const char *const[]){"L", "least p", "2 log2 L + 2", "largest weight", "ln(4ML/eps)", NULL},
    .rows = (const char *const[]){"N=8", "N=16", "N=32", "N=64", "N=128", "N=256", "N=450", NULL},
    .quick_rows = 4,
}};

static const at_cell cells[] = {
    {"N=100", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=450", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=100", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "ball", 0, AT_TIER_FULL, NULL},
    {"N=100 M=1000", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=450", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f32", 0, AT_TIER_QUICK, NULL},
    {"N=64", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "p14", 0, AT_TIER_QUICK, NULL},
    {"N=100", NULL, AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"N=100", "alpha=0.7", AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=64", "N=256", AT_EV_SAMPLED, 0, "p14", 400, AT_TIER_QUICK, NULL},
};

const at_claim claim_lemma_a11_index = {
    .id = "lemma-a11-index",
    .title = "COPY by index: one softmax head of width 2 fetches any earlier position",
    .source = "Yang et al. 2024, lemma A.11 by index",
    .statement = "For every N and eps <= M, one causal softmax head of width 2 outputs x_t, t = t_i <= i, up "
                 "to eps for all "
                 "|x_j| <= M, with scale ln(5M/eps).",
    .proof = "The score lambda (2tk - k^2) is -lambda (t - k)^2 up to a constant of the row, so keys at "
             "distance n weigh "
             "e^(-lambda n^2) of the target.",
    .task = "copy",
    COPY_FIELDS,
    .look = "1/1 0/1 1/3 0/2 1/5 0/1 0/4 1/8",
    .look_params = "N=12",
};
