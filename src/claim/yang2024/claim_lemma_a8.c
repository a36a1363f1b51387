/* CLAIM lemma-a8: linear attention as a sum is linear attention as a recurrence.
 *
 * Source: Yang et al. 2024, "Do Efficient Transformers Really Save Computation?", lemma A.8.
 * Statement: sum_{j<=i} phi(k_j).phi(q_i) v_j / sum_{j<=i} phi(k_j).phi(q_i) is phi(q_i)^T s_i / phi(q_i)^T z_i, where
 * s_i = s_{i-1} + phi(k_i) v_i^T and z_i = z_{i-1} + phi(k_i): a state of d(d+1) numbers replaces all keys and values.
 *
 * Proof: the order of the two sums, over j and over coordinates, is exchanged.
 *   1. The model is one linear attention layer, which computes the sum over keys: weights, then the mean.
 *   2. The task computes the recurrence. The decoder does so too (at_decoder), and is compared in the tests.
 * Rounding: every phi is positive, so with u = 2^-53 each side is off by at most (N + d + 8) u M in each coordinate, plus
 * what exp and the product rule add, less than that again; eps is far above both in f64. */
#include "../claim_internal.h"

#include <math.h>

static const at_param params[] = {
    {"N", "length", 1, 4096, 8, true},
    {"d", "dimension of queries, keys and values", 1, 32, 2, true},
    {"M", "bound of all numbers", 0.001, 600, 2, false},
    {"eps", "distance allowed", 1e-12, 0.5, 1e-10, false},
    {"lag", "tokens that the state is behind", 0, 1, 0, true},
    {"all", "1: the sum runs over later tokens too", 0, 1, 0, true},
};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int N = at_params_int(p, "N"), d = at_params_int(p, "d");
    double M = at_params_get(p, "M");
    at_var q[32], k[32], v[32];
    at_program *P = at_program_new("lemma-a8", N);
    if (!P)
        return at_oom(err);
    at_var first[3] = {at_reals(P, "q", d, -M, M), at_reals(P, "k", d, -M, M), at_reals(P, "v", d, -M, M)};
    for (int c = 0; c < d; c++) {
        q[c] = first[0] + c;
        k[c] = first[1] + c;
        v[c] = first[2] + c;
    }
    at_mask_kind mask = at_params_int(p, "all")   ? AT_MASK_NONE
                        : at_params_int(p, "lag") ? AT_MASK_STRICT
                                                  : AT_MASK_CAUSAL;
    at_var mean = at_attend(P, "mean", /* step 1 */
                            &(at_attention){.query = {d, q},
                                            .key = {d, k},
                                            .value = {d, v},
                                            .weighting = AT_LINEAR,
                                            .mask = {.kind = mask},
                                            .kernel = true});
    for (int c = 0; c < d; c++)
        v[c] = mean + c;
    at_emit(P, (at_vec){d, v}, AT_READ_RAW, 0);
    *out = P;
    return AT_OK;
}

static const at_cell cells[] = {
    {"N=64 d=4", NULL, AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"N=450 d=8 M=20", NULL, AT_EV_SAMPLED, 0, "f64", 1000, AT_TIER_QUICK, NULL},
    {"N=64 d=4 eps=0.0001", NULL, AT_EV_SAMPLED, 0, "f32", 10000, AT_TIER_QUICK, NULL},
    {"N=16 d=2 eps=0.05", NULL, AT_EV_SAMPLED, 0, "p12", 1000, AT_TIER_QUICK, NULL},
    {"N=64 d=4", "lag=1", AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"N=64 d=4", "all=1", AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
};

const at_claim claim_lemma_a8 = {
    .id = "lemma-a8",
    .title = "Linear attention is a recurrence with a state of d(d+1) numbers",
    .source = "Yang et al. 2024, lemma A.8",
    .statement =
        "Causal linear attention, the mean of v_j over j <= i with weights phi(q_i).phi(k_j), phi = elu + 1, "
        "is "
        "phi(q_i)^T s_i / phi(q_i)^T z_i with s_i = s_{i-1} + phi(k_i) v_i^T and z_i = z_{i-1} + phi(k_i).",
    .proof = "The weight is a sum over coordinates; exchanging it with the sum over keys leaves sums that do "
             "not depend "
             "on the query and grow by one term a token.",
    .task = "linear-recurrence",
    .tolerance = claim_eps,
    CLAIM_FIELDS,
    .look = "1/-2/1 2/2/-1 -2/0/0.5 0/1/2 1/-1/-2 2/0/1",
    .look_params = "N=6 d=1",
};
