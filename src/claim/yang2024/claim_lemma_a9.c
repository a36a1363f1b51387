/* CLAIM lemma-a9 (AGG): one linear attention head averages over a block.
 *
 * Source: Yang et al. 2024, lemma A.9.
 * Statement: for N <= m^2 positions in blocks of m and eps <= M, one causal linear head with queries and keys of width m
 * outputs the mean of x_j over j <= i in block b_i up to eps, for all |x_j| <= M; its weights are at most ln(2Mm^3/eps).
 *
 * Proof:
 *   1. Query mu (e_b - 1), key mu (e_block - 1), with one-hot vectors from the token and from the position table. Under
 *      phi = elu + 1 a coordinate 0 becomes 1 and -mu becomes e^-mu.
 *   2. So a key of the block weighs 1 + (m-1) e^-2mu and another one 2 e^-mu + (m-2) e^-2mu <= m e^-mu (m >= 2).
 *   3. Fewer than m^2 others weigh less than m^3 e^-mu = eps/(2M) of one key of the block: the mean moves by at most 2M
 *      times that. */
#include "../shared/claim_copy.h"

#include <math.h>

static const at_param params[] = {
    {"N", "length, at most m^2", 1, 4096, 16, true},
    {"m", "block size", 2, 64, 4, true},
    COPY_VALUES,
    COPY_EPS,
    {"alpha", "mu in units of ln(2Mm^3/eps)", 0.01, 4, 1, false},
};

static double mu_of(const at_params *p)
{
    return at_log(2 * at_params_get(p, "M") * at_pow(at_params_get(p, "m"), 3) / at_params_get(p, "eps"));
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int N = at_params_int(p, "N"), m = at_params_int(p, "m");
    double M = at_params_get(p, "M"), *asked, *own;
    at_var query[64], key[64];
    at_status s = claim_copy_domain(p, err);
    if (s)
        return s;
    at_program *P = at_program_new("lemma-a9", N);
    if (!P)
        return at_oom(err);
    if (N > m * m)
        at_program_fail(P, "N=%d: must be at most m^2, and m is %d", N, m);
    if (!(asked = at_calloc((size_t)(m + N) * (size_t)m, sizeof *asked))) {
        at_program_free(P);
        return at_oom(err);
    }
    own = asked + m * m;
    for (int b = 0; b < m; b++)
        asked[b * m + b] = 1;
    for (int j = 0; j < N && N <= m * m; j++)
        own[j * m + j / m] = 1;
    at_var x = at_reals(P, "x", 1, -M, M), b = at_token(P, "b", m);
    at_var e_b = at_lookup_rows(P, "e_b", b, m, asked), e_own = at_position_rows(P, "e_own", m, own);
    at_free(asked);
    for (int k = 0; k < m; k++) {
        query[k] = e_b + k;
        key[k] = e_own + k;
    }
    at_var mean = at_attend(P, "mean", /* step 1: linear attention of one-hot vectors is exactly this */
                            &(at_attention){.query = {m, query},
                                            .key = {m, key},
                                            .value = AT_VEC(x),
                                            .weighting = AT_LINEAR,
                                            .mask = {.kind = AT_MASK_CAUSAL},
                                            .gap = 1,
                                            .scale = at_params_get(p, "alpha") * mu_of(p)});
    at_emit(P, AT_VEC(mean), AT_READ_RAW, 0);
    *out = P;
    return AT_OK;
}

#define INPUTS 10 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    out[0] = at_params_get(p, "N");
    out[1] = at_params_get(p, "m");
    out[4] = mu_of(p);
    return claim_precision_and_size(c, p, INPUTS, threads, &out[2], &out[3], err);
}

static const at_claim_table tables[] = {{
    COPY_PRECISION("L = m^2"),
    .columns = (const char *const[]){"L", "m", "least p", "largest weight", "ln(2Mm^3/eps)", NULL},
    .rows = (const char *const[]){"N=16 m=4", "N=36 m=6", "N=64 m=8", "N=144 m=12", "N=256 m=16",
                                  "N=484 m=22", NULL},
    .quick_rows = 3,
}};

static const at_cell cells[] = {
    {"N=100 m=10", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=450 m=22", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=100 m=10", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "ball", 0, AT_TIER_FULL, NULL},
    {"N=100 m=10 M=1000", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=450 m=22", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f32", 0, AT_TIER_QUICK, NULL},
    {"N=100 m=10", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "p12", 0, AT_TIER_QUICK, NULL},
    {"N=100 m=10", NULL, AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"N=16 m=4", "alpha=0.4", AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=100 m=10", "alpha=0.4", AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_FULL, NULL},
};

const at_claim claim_lemma_a9 = {
    .id = "lemma-a9",
    .title = "AGG: one linear head with keys of width m averages over any block of m",
    .source = "Yang et al. 2024, lemma A.9",
    .statement = "For N <= m^2 and eps <= M, one causal linear attention head with queries and keys of width "
                 "m outputs the "
                 "mean of x_j over j <= i in block b_i up to eps, for all |x_j| <= M, with weights of at "
                 "most ln(2Mm^3/eps).",
    .proof = "With q = mu (e_b - 1) and k = mu (e_block - 1) the features are 1 and e^-mu: a key of the "
             "block weighs "
             "at least 1, each of the fewer than m^2 others at most m e^-mu; mu = ln(2Mm^3/eps).",
    .task = "block-mean",
    COPY_FIELDS,
    .look = "1/0 0/0 0/0 1/0 1/0 0/1 1/0 1/1",
    .look_params = "N=12 m=4",
};
