/* CLAIM lemma-a11-rating (COPY, general form): among the keys that match, the one with the highest rating.
 *
 * Source: Yang et al. 2024, assumption A.10 and lemma A.11 (from Feng et al. 2023).
 * Assumption: for all i, j either |q_i.k_j| <= rho (a match) or q_i.k_j <= -delta; ratings differ by at least delta and lie in
 * a range of 2R; rho <= delta^2/(8R). Statement: one causal softmax head outputs the value of the match of highest rating
 * up to eps, with weights polynomial in R, 1/delta, log N and log 1/eps.
 *
 * Proof:
 *   1. Keys of K kinds stand on a circle: q.k = cos(angle) - 1 + rho e_j is rho e_j on a match, e_j in -1..1 any slack, and
 *      at most -delta + rho e_j otherwise, where delta = 1 - cos(2 pi/K) - rho. A hidden position in front matches
 *      everything (its key is 0) with the lowest rating and the value 0.
 *   2. Ratings are delta r_j for different integers r_j, -1 for the hidden one: a range of 2R = delta N.
 *   3. The score is C q.k + delta r with C = 3R/delta. Two matches differ by at least delta - 2 C rho = delta/4. A key that does
 *      not match is below the best match by at least C (delta - rho) - 2R = N delta/2 - 3 delta/8 >= delta/8 (>= delta/4 from
 *      N = 2 on). (C = 4R/delta would leave nothing: 2 C rho = delta.)
 *   4. The assembler's scale, ln(4 (N+1) M/eps)/gap, does the rest. */
#include "../shared/claim_copy.h"

#include <math.h>

static const at_param params[] = {
    {"N", "length", 1, 1024, 8, true},
    {"K", "keys", 2, 64, 5, true},
    COPY_VALUES,
    COPY_EPS,
    {"alpha", "scale in units of ln(4(N+1)M/eps)/gap", 0.001, 4, 1, false},
    {"slack", "rho in units of delta^2/(8R)", 0, 8, 1, false},
    {"C", "weight of a match in units of 3R/delta", 0.01, 4, 1, false},
};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int N = at_params_int(p, "N"), K = at_params_int(p, "K");
    double M = at_params_get(p, "M"), eps = at_params_get(p, "eps"), half = at_sin(M_PI / K);
    at_status s = claim_copy_domain(p, err);
    if (s)
        return s;
    at_program *P = at_program_new("lemma-a11-rating", N);
    if (!P)
        return at_oom(err);
    at_prefix(P, 1);
    at_var x = at_reals(P, "x", 1, -M, M), e = at_reals(P, "e", 1, -1, 1);
    at_var key = at_token(P, "k", K), query = at_token(P, "q", K), rating = at_token(P, "r", N);
    at_var r = at_number(P, "r", rating), c[2] = {-1, -1}, sn[2] = {-1, -1};
    claim_circle(P, key, K, &c[0], &sn[0]); /* step 1 */
    claim_circle(P, query, K, &c[1], &sn[1]);
    at_var here = at_not(P, at_mark_prefix(P, "front", 0)); /* 0 at the hidden position, as its key is */
    at_hidden_prefix(P, r, 0, -1);
    double apart = 2 * half * half, delta = apart / (1 + 1 / (4. * N)),
           rho = delta / (4. * N);                                                   /* delta + rho = apart */
    double C = at_params_get(p, "C") * 1.5 * N, gap = N > 1 ? delta / 4 : delta / 8; /* steps 2 and 3 */
    rho *= at_params_get(p, "slack");
    at_var got = at_attend(
        P, "best",
        &(at_attention){.query = AT_VEC(c[1], sn[1], at_const(P, -1), at_const(P, 1), at_const(P, 1)),
                        .key = AT_VEC(at_scaled(P, C, c[0]), at_scaled(P, C, sn[0]), at_scaled(P, C, here),
                                      at_scaled(P, C * rho, e), at_scaled(P, delta, r)),
                        .value = AT_VEC(x),
                        .weighting = AT_SOFTMAX,
                        .mask = {.kind = AT_MASK_CAUSAL},
                        .gap = gap * (1 - 1e-9),
                        .scale = at_params_get(p, "alpha") * at_log(4 * (N + 1) * M / eps) / gap,
                        .error = eps,
                        .unique = true}); /* step 4 */
    at_emit(P, AT_VEC(got), AT_READ_RAW, 0);
    *out = P;
    return AT_OK;
}

#define INPUTS 60 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double N = at_params_get(p, "N"), K = at_params_get(p, "K"), delta = 1 - at_cos(2 * M_PI / K);
    out[0] = N;
    out[1] = K;
    double scale = 4 * at_log(4 * (N + 1) * at_params_get(p, "M") / at_params_get(p, "eps")) / delta;
    out[4] = fmax(scale * (1 + 1 / (4 * N)), 1.5 * N);
    return claim_precision_and_size(c, p, INPUTS, threads, &out[2], &out[3], err);
}

static const at_claim_table tables[] = {{
    COPY_PRECISION("L and the keys"),
    .columns = (const char *const[]){"L", "K", "least p", "largest weight",
                                     "max(4 ln(4ML/eps)/delta, 3R/delta)", NULL},
    .rows =
        (const char *const[]){"N=8 K=4", "N=16 K=4", "N=32 K=4", "N=64 K=4", "N=32 K=8", "N=32 K=16", NULL},
    .quick_rows = 2,
}};

static const at_cell cells[] = {
    {"N=100 K=5", NULL, AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"N=450 K=16", NULL, AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},
    {"N=64 K=5", NULL, AT_EV_SAMPLED, 0, "f32", 10000, AT_TIER_QUICK, NULL},
    {"N=16 K=4", NULL, AT_EV_SAMPLED, 0, "p20", 400, AT_TIER_QUICK, NULL},
    {"N=8 K=5", "alpha=0.2", AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"N=8 K=5", "slack=2", AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"N=8 K=5", "C=0.2", AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
};

const at_claim claim_lemma_a11_rating = {
    .id = "lemma-a11-rating",
    .title = "COPY: one softmax head fetches the match with the highest rating",
    .source = "Yang et al. 2024, assumption A.10 and lemma A.11",
    .statement = "If |q_i.k_j| <= rho or q_i.k_j <= -delta for all i, j, ratings differ by at least delta "
                 "within a range of 2R, and "
                 "rho <= delta^2/(8R), then one causal softmax head outputs the value of the match of "
                 "highest rating up to eps.",
    .proof = "Score C q.k + r with C = 3R/delta: ratings of two matches outweigh their slack by delta/4, and "
             "a key that does not "
             "match loses more than any rating can give; scale ln(4(N+1)M/eps)/gap.",
    .task = "copy-rating",
    COPY_FIELDS,
    .look = "1/0/0/0/3 -1/1/1/0/0 0.5/-1/0/1/7 0.25/0/1/0/5 -0.5/0/0/1/1 1/0/1/1/2",
    .look_params = "N=8 K=4",
};
