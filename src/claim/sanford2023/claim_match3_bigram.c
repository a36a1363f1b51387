/* CLAIM match3-bigram: depth 2 and residual width 3 find x_i + x_j + x_{j+1} = 0 mod M.
 *
 * Source: Sanford, Hsu, Telgarsky 2023 (Match3Bigram).
 * Statement: two softmax layers with one head each, residual width 3 and MLPs of O(M) units compute
 * y_i = 1{exists j < N: x_i + x_j + x_{j+1} = 0 mod M}.
 *
 * Proof:
 *   1. The residual holds (x, j, j^2); a blank at N+1 has x = M. Layer 1 scores 2(i+1)j - j^2, largest at
 *      j = i+1 with gap 1. Its scale ln(20 M^2) leaves at most 2(e + e^4 + ...) with e = 1/(20 M^2) to the
 *      others, whose values M x_j differ by at most M^2: error below 0.11. The value M x_j is added to x_i:
 *      u = x_i + M x_{i+1}.
 *   2. The MLP takes u apart: b = floor(u/M) = x_{i+1} (M for the last position, more for the blank),
 *      a = u - M b = x_i. From them y = -x_i mod M and k = x_i + x_{i+1} mod M, or k >= 3M without a
 *      successor; it writes (y, k, k^2). Steps on integers are flat around them, so the error is gone.
 *   3. Layer 2 scores 2(y+1/4)k - k^2 = -(k - y - 1/4)^2 + const: largest at the k nearest to y + 1/4, with
 *      gap 1/2, and all keys that reach it have the same k. Scale 2 ln(16 M (N+1)) leaves 1/(16 M (N+1)) to
 *      each of the others, which are below 4M + 2 away: error below 1/2 - 1/8. The value -k is added to y.
 *   4. The output is 1 iff y - k* = 0. Without the 1/4, k = y-1 and k = y+1 would average to y.
 * Differs from the paper: affine queries and keys; a literal match2 would need 5 coordinates. */
#include "../claim_internal.h"

#include <math.h>

static const at_param params[] = {
    {"N", "length", 1, 4096, 6, true},
    {"M", "modulus", 2, 2048, 7, true},
    {"offset", "the 1/4 of layer 2", 0, 0.5, 0.25, false},
};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M"), w_max = 0;
    double offset = at_params_get(p, "offset");
    double *table = at_calloc(8 * (size_t)M + 16, sizeof *table);
    at_program *P = table ? at_program_new("match3-bigram", N) : NULL;
    if (!P) {
        at_free(table);
        return at_oom(err);
    }
    at_suffix(P, 1);
    at_var field = at_token(P, "x", M);
    at_var x = at_number(P, "x", field);
    at_hidden_suffix(P, x, 0, M);
    at_var j = at_position(P, "j", AT_POS_I), j2 = at_position(P, "j^2", AT_POS_I2);
    at_var u = at_attend(
        P, "u", /* step 1 */
        &(at_attention){.query = AT_VEC(at_sum(P, NULL, AT_VEC(j), (double[]){2}, 2), at_const(P, 1)),
                        .key = AT_VEC(j, at_neg(P, j2)),
                        .value = AT_VEC(at_scaled(P, M, x)),
                        .weighting = AT_SOFTMAX,
                        .gap = 1,
                        .scale = at_log(20. * M * M),
                        .error = 0.11,
                        .unique = true,
                        .base = x,
                        .base_plus = true});
    at_var b = at_floor_div(P, "next", u, M); /* step 2 */
    at_var rest =
        at_known(P, "rest", at_sum(P, NULL, AT_VEC(u, b), (double[]){1, -M}, 0), 0, M - 1, true, -1);
    at_var_info r = at_program_var(P, rest);
    double *own = at_calloc((size_t)fmax(r.hi - r.lo + 1, 1), sizeof *own);
    if (!own)
        at_program_oom(P);
    for (double v = r.lo; own && v <= r.hi; v++)
        own[(int)(v - r.lo)] = v;
    at_var a = at_table(P, "own", rest, own);
    for (int v = 0; v < M; v++)
        table[v] = v ? M - v : 0;
    at_var y = at_table(P, "y", a, table);
    at_var alone = at_at_least(P, "alone", b, M);
    at_var w = at_sum(P, "w", AT_VEC(a, b, alone), (double[]){1, 1, 3. * M}, 0);
    w_max = (int)at_program_var(P, w).hi;
    for (int v = 0; v <= w_max && v < 8 * M + 16; v++)
        table[v] = v < M ? v : v - M;
    at_var k = at_table(P, "k", w, table);
    for (int v = 0; v <= w_max && v < 8 * M + 16; v++)
        table[v] *= table[v];
    at_var k2 = at_table(P, "k^2", w, table);
    at_var d =
        at_attend(P, "d", /* step 3 */
                  &(at_attention){
                      .query = AT_VEC(at_sum(P, NULL, AT_VEC(y), (double[]){2}, 2 * offset), at_const(P, 1)),
                      .key = AT_VEC(k, at_neg(P, k2)),
                      .value = AT_VEC(at_neg(P, k)),
                      .weighting = AT_SOFTMAX,
                      .gap = 0.5,
                      .scale = 2 * at_log(16. * M * (N + 1)),
                      .error = 0.375,
                      .unique = true,
                      .base = y,
                      .base_plus = true});
    at_emit(P, AT_VEC(at_equals(P, "match", d, 0)), AT_READ_THRESHOLD, 0.5); /* step 4 */
    at_free(table);
    at_free(own);
    *out = P;
    return AT_OK;
}

static const at_cell cells[] = {
    {"N=6 M=7", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=5 M=7"},
    {"N=256 M=1009", NULL, AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},
    {"N=6 M=7", "offset=0", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_match3_bigram = {
    .id = "match3-bigram",
    .title = "Two layers of residual width 3 find x_i + x_j + x_{j+1} = 0 mod M",
    .source = "Sanford, Hsu, Telgarsky 2023 (Match3Bigram)",
    .statement =
        "For all N and M, two softmax layers of one head each with residual width 3 and MLPs of O(M) units "
        "compute y_i = 1{exists j: x_i + x_j + x_{j+1} = 0 mod M} on every X in {0..M-1}^N.",
    .proof = "Layer 1 copies the successor, x_i + M x_{i+1}; an MLP makes y = -x_i and k = x_i + x_{i+1} mod "
             "M; layer 2 "
             "looks for the k nearest to y + 1/4 by the score 2(y+1/4)k - k^2; the output is 1 iff it is y.",
    .task = "match3-bigram",
    CLAIM_FIELDS,
    .look = "1 2 4 0 6 3",
    .look_params = "N=6 M=7",
};
