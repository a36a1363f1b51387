/* CLAIM match2 (PairID): one softmax head of width 3 finds a partner mod M.
 *
 * Source: Sanford, Hsu, Telgarsky 2023, "Representational Strengths and Limitations of Transformers".
 * Statement: for every N and M there are weights of one softmax head with query/key width 3, one blank
 * token at the end and an output MLP, such that output i is 1 iff some j (possibly i) has x_i + x_j = 0
 * mod M, for every X in {0..M-1}^N.
 *
 * Proof, with theta = 2 pi x / M:
 *   1. The embedding is (cos theta, sin theta, 0); the blank's is (0, 0, 1).
 *   2. q_i = (cos, sin, 1), k_j = (cos, -sin, blank_j): the score is cos(theta_i + theta_j), and 1 for the
 *      blank. It is 1 exactly for partners, and at most cos(2 pi/M) = 1 - gap otherwise.
 *   3. With scale c = M^2 ln(6N) and gap >= 8/M^2, a key that is no partner has weight at most (6N)^-8
 *      of the blank's; b partners and the blank share the rest, so the mean of "not blank" is
 *      b/(b+1) up to 1/6: at most 1/6 without a partner, at least 1/3 with one.
 *   4. A ramp from 1/6 to 1/3 (two ReLUs) makes that 0 or 1.
 * Differs from the paper: scale after the dot product (the same numbers), no residual connection. */
#include "../claim_internal.h"

#include <math.h>

static const at_param params[] = {
    {"N", "length", 1, 4096, 6, true},
    {"M", "modulus", 2, 65536, 11, true},
    {"c", "scale in units of M^2 ln(6N)", 0.001, 16, 1, false},
};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M");
    double s = at_sin(M_PI / M); /* 1 - cos 2t = 2 sin^2 t, without the cancellation */
    at_program *P = at_program_new("match2", N);
    if (!P)
        return at_oom(err);
    at_suffix(P, 1);
    at_var x = at_token(P, "x", M);
    at_var cosx = -1, sinx = -1;
    claim_circle(P, x, M, &cosx, &sinx); /* step 1 */
    at_var blank = at_mark_suffix(P, "blank", 0);
    at_var paired =
        at_attend(P, "paired",
                  &(at_attention){.query = AT_VEC(cosx, sinx, at_const(P, 1)), /* step 2 */
                                  .key = AT_VEC(cosx, at_neg(P, sinx), blank),
                                  .value = AT_VEC(at_not(P, blank)),
                                  .weighting = AT_SOFTMAX,
                                  .scale = at_params_get(p, "c") * M * M * at_log(6 * N), /* step 3 */
                                  .gap = 2 * s * s * (1 - 1e-9)});
    at_emit(P, AT_VEC(at_ramp(P, "y", paired, 1 / 6., 1 / 3.)), AT_READ_THRESHOLD, 0.5); /* step 4 */
    *out = P;
    return AT_OK;
}

/* ---- certificate ----------------------------------------------------------------------------------------- */

static int tokens(const at_params *p)
{
    return at_params_int(p, "M");
}

static bool hit(const at_params *p, int a, int b, int unused)
{
    (void)unused;
    return (a + b) % at_params_int(p, "M") == 0;
}

static void hits(const at_params *p, int a, uint64_t *lo, uint64_t *hi)
{
    *lo = hit(p, a, a, 0); /* a query that is its own partner has at least itself */
    *hi = (uint64_t)at_params_int(p, "N");
}

static uint64_t hits_of(const at_params *p, const double *x, int i)
{
    uint64_t n = 0;
    for (int j = 0; j < at_params_int(p, "N"); j++)
        n += hit(p, (int)x[i], (int)x[j], 0);
    return n;
}

static const at_split split = {
    .text = "cases: the query's residue x no partner or 1..N partners; every key is a partner, another "
            "residue or "
            "the blank",
    .tokens = tokens,
    .hit = hit,
    .hits = hits,
    .hits_of = hits_of,
};

/* ---- precision --------------------------------------------------------------------------------------------- */

#define INPUTS 400 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double M = at_params_get(p, "M");
    out[0] = M;
    out[2] = 2 * at_log2(M) + at_log2(at_log(6 * at_params_get(p, "N")));
    return claim_least_precision(c, p, INPUTS, threads, &out[1], err);
}

static const at_claim_table tables[] = {{
    .id = "precision",
    .title = "least p from which on it holds, against M (N = 8, " CLAIM_TEXT(
        INPUTS) " random and adversarial inputs at each p)",
    .columns = (const char *const[]){"M", "least p", "log2 c", NULL},
    .x = "M",
    .logx = true,
    .rows = (const char *const[]){"N=8 M=4", "N=8 M=8", "N=8 M=16", "N=8 M=32", "N=8 M=64", "N=8 M=128",
                                  "N=8 M=256", "N=8 M=512", "N=8 M=1024", "N=8 M=2048", "N=8 M=4096", NULL},
    .quick_rows = 7,
    .row = precision_row,
}};

static const at_cell cells[] = {
    {"N=6 M=11", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=5 M=11"},
    {"N=8 M=31", NULL, AT_EV_EXACT, AT_ENUM_MULTISETS, "f64", 0, AT_TIER_QUICK, "N=7 M=28"},
    {"N=512 M=4096", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, "N=512 M=1280"},
    {"N=64 M=1024", NULL, AT_EV_SAMPLED, 0, "f32", 40000, AT_TIER_QUICK, NULL},
    {"N=6 M=11", "c=0.02", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=64 M=1024", "M=4096", AT_EV_SAMPLED, 0, "f32", 40000, AT_TIER_QUICK, NULL},
};

const at_claim claim_match2 = {
    .id = "match2",
    .title = "One softmax head of width 3 finds pairs that sum to 0 mod M",
    .source = "Sanford, Hsu, Telgarsky 2023 (PairID)",
    .statement =
        "For all N and M, one softmax head of width 3 with a blank token and a two-unit output MLP computes "
        "y_i = 1{exists j: x_i + x_j = 0 mod M} on every X in {0..M-1}^N.",
    .proof = "The score c cos(2 pi (x_i+x_j)/M) is largest, c, for partners and the blank; c = M^2 ln(6N) "
             "leaves the "
             "others less than 1/6 of the weight, so the mean is b/(b+1) +- 1/6 for b partners, and a ramp "
             "decides.",
    .task = "match2",
    .split = &split,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "3 14 5 14 12 1 0",
    .look_params = "N=8 M=17",
};
