/* CLAIM match3-threewise (TriID): one three-wise head of rank 5 finds triples mod M.
 *
 * Source: Sanford, Hsu, Telgarsky 2023 (three-wise tensor attention).
 * Statement: for every N and M one three-wise attention unit of width 5, one blank token and an output MLP
 * compute y_i = 1{exists j1, j2: x_i + x_j1 + x_j2 = 0 mod M} (indices may coincide).
 *
 * Proof, with C, S the cosine and sine of 2 pi x / M:
 *   1. cos(a+b+c) = CCC - CSS - SCS - SSC: with q = (C,-C,-S,-S, 1), k1 = (C,S,C,S, blank) and
 *      k2 = (C,S,S,C, blank) the score of the pair (j1,j2) is cos(a+b+c), of (blank, blank) 1, and of a pair
 *      of one token and the blank 0.
 *   2. It is 1 for hits and the blank pair, and otherwise at most max(cos(2 pi/M), 0) = 1 - gap.
 *   3. With scale c = M^2 ln(6 N^2) the rest has weight below 1/6 of the blank pair's, so the mean of
 *      "neither is blank" over pairs is h/(h+1) up to 1/6 for h hits.
 *   4. A ramp from 1/6 to 1/3 decides. */
#include "../claim_internal.h"

#include <math.h>

static const at_param params[] = {
    {"N", "length", 1, 512, 5, true},
    {"M", "modulus", 2, 4096, 9, true},
    {"c", "scale in units of M^2 ln(6 N^2)", 0.001, 16, 1, false},
};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M");
    double s = at_sin(M_PI / M); /* 1 - cos 2t = 2 sin^2 t, without the cancellation */
    at_program *P = at_program_new("match3-threewise", N);
    if (!P)
        return at_oom(err);
    at_suffix(P, 1);
    at_var x = at_token(P, "x", M);
    at_var C = -1, S = -1;
    claim_circle(P, x, M, &C, &S);
    at_var blank = at_mark_suffix(P, "blank", 0), seen = at_not(P, blank);
    at_var triple =
        at_attend(P, "triple",
                  &(at_attention){.query = AT_VEC(C, at_neg(P, C), at_neg(P, S), at_neg(P, S),
                                                  at_const(P, 1)), /* step 1 */
                                  .key = AT_VEC(C, S, C, S, blank),
                                  .key2 = AT_VEC(C, S, S, C, blank),
                                  .value = AT_VEC(seen),
                                  .value2 = AT_VEC(seen),
                                  .weighting = AT_THREEWISE,
                                  .scale = at_params_get(p, "c") * M * M * at_log(6. * N * N), /* step 3 */
                                  .gap = fmin(2 * s * s, 1) * (1 - 1e-9)});                    /* step 2 */
    at_emit(P, AT_VEC(at_ramp(P, "y", triple, 1 / 6., 1 / 3.)), AT_READ_THRESHOLD, 0.5);       /* step 4 */
    *out = P;
    return AT_OK;
}

/* ---- certificate --------------------------------------------------------------------------------------------- */

static int tokens(const at_params *p)
{
    return at_params_int(p, "M");
}

static bool hit(const at_params *p, int a, int b1, int b2)
{
    return (a + b1 + b2) % at_params_int(p, "M") == 0;
}

static void hits(const at_params *p, int a, uint64_t *lo, uint64_t *hi)
{
    uint64_t N = (uint64_t)at_params_int(p, "N");
    *lo = hit(p, a, a, a);
    *hi = N * N; /* pairs */
}

static uint64_t hits_of(const at_params *p, const double *x, int i)
{
    uint64_t n = 0;
    int N = at_params_int(p, "N");
    for (int j = 0; j < N; j++)
        for (int l = 0; l < N; l++)
            n += hit(p, (int)x[i], (int)x[j], (int)x[l]);
    return n;
}

static const at_split split = {
    .text = "cases: the query's residue x no hit or 1..N^2 hits among its pairs; a pair is a hit, another "
            "pair of "
            "residues, a residue and the blank, or the blank twice",
    .tokens = tokens,
    .hit = hit,
    .hits = hits,
    .hits_of = hits_of,
};

#define INPUTS 200 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double M = at_params_get(p, "M"), N = at_params_get(p, "N");
    out[0] = M;
    out[2] = 2 * at_log2(M) + at_log2(at_log(6 * N * N));
    return claim_least_precision(c, p, INPUTS, threads, &out[1], err);
}

static const at_claim_table tables[] = {{
    .id = "precision",
    .title = "least p from which on it holds, against M (N = 6, " CLAIM_TEXT(
        INPUTS) " random and adversarial inputs at each p)",
    .columns = (const char *const[]){"M", "least p", "log2 c", NULL},
    .x = "M",
    .logx = true,
    .rows = (const char *const[]){"N=6 M=4", "N=6 M=8", "N=6 M=16", "N=6 M=32", "N=6 M=64", "N=6 M=128",
                                  "N=6 M=256", "N=6 M=512", "N=6 M=1024", NULL},
    .quick_rows = 5,
    .row = precision_row,
}};

static const at_cell cells[] = {
    {"N=5 M=9", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=4 M=9"},
    {"N=64 M=257", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, "N=64 M=119"},
    {"N=32 M=257", NULL, AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"N=5 M=9", "c=0.02", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_match3_threewise = {
    .id = "match3-threewise",
    .title = "One three-wise head of width 5 finds triples that sum to 0 mod M",
    .source = "Sanford, Hsu, Telgarsky 2023 (TriID, three-wise attention)",
    .statement =
        "For all N and M, one three-wise attention head of width 5 with a blank token and a two-unit output "
        "MLP computes y_i = 1{exists j1, j2: x_i + x_j1 + x_j2 = 0 mod M} on every X in {0..M-1}^N.",
    .proof =
        "cos(a+b+c) = CCC - CSS - SCS - SSC is a trilinear score of rank 4; hits and the pair (blank, blank) "
        "reach 1, everything else at most 1 - gap, and c = M^2 ln(6N^2) makes their weight negligible.",
    .task = "match3",
    .split = &split,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "1 3 5 8 2",
    .look_params = "N=5 M=9",
};
