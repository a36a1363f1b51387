/* CLAIM compose-two: two attention layers compute g(f(x)), with one head each and constant width; k layers compose k
 * functions.
 *
 * Source: Peng, Narayanan, Papadimitriou 2024 ("On limitations of the transformer architecture"), whose theorem 1 says that
 * one layer cannot while H(d+1)p < n log2 n: this is the construction one layer above it.
 * Statement: for all n and k there are k softmax layers of one head, residual width k+2 and no MLP that compute
 * f_k(...f_1(x)) from the tables f_1, ..., f_k and x.
 *
 * Proof:
 *   1. The last position holds x_0 = x. f_l(v) stands at position (l-1) n + v + 1.
 *   2. Layer l reads position (l-1) n + x_{l-1} + 1 by the score -(t - k)^2 (claim_compose.h): x_l = f_l(x_{l-1}), up to
 *      1/(8N), N = kn+1, whatever the number of layers before.
 *   3. Rounding x_k gives the answer.
 * Only the last position's outputs are read; the others compute something too, which nobody needs. */
#include "../shared/claim_compose.h"

#include <math.h>
#include <stdio.h>

static const at_param params[] = {
    {"n", "values 0..n-1 that the functions are on", 1, 1024, 3, true},
    {"k", "functions", 1, 64, 2, true},
    {"fewer", "layers fewer than k", 0, 63, 0, true},
    CLAIM_READER_SCALE,
};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    const at_task *t;
    at_params tp;
    at_status s = claim_compose_task("compose", p, &t, &tp, err);
    if (s)
        return s;
    int n = at_params_int(p, "n"), k = at_params_int(p, "k"), layers = k - at_params_int(p, "fewer");
    if (layers < 1)
        return at_fail(err, AT_EDOMAIN, "fewer=%d: must be below k, and k is %d", k - layers, k);
    at_program *P = at_program_new("compose-two", k * n + 1);
    if (!P)
        return at_oom(err);
    at_program_lengths(P, k * n + 1);
    at_var x = at_number(P, "x", at_token(P, "x", n)), value = x;
    claim_reader r = claim_reader_new(P, AT_MASK_CAUSAL, k * n + 1, n - 1, at_params_get(p, "scale"));
    for (int l = 1; l <= layers; l++) { /* step 2 */
        char name[16];
        snprintf(name, sizeof name, "x%d", l);
        value = claim_read(&r, name, at_sum(P, NULL, AT_VEC(value), NULL, (l - 1.) * n + 1), x);
    }
    at_emit_last(P, AT_VEC(value), AT_READ_ROUND, 0); /* step 3 */
    *out = P;
    return AT_OK;
}

#define INPUTS 40 /* at each p */

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double n = at_params_get(p, "n"), z[4];
    at_status s = claim_compose_size(c, p, INPUTS, threads, z, err);
    out[0] = n;
    out[1] = z[0];
    out[2] = 2 * at_log2(2 * n + 1) + 2;
    out[3] = z[1];
    out[4] = z[3];
    out[5] = (z[1] + 1) * z[0];
    out[6] = n * at_log2(n);
    return s;
}

static const at_claim_table tables[] = {{
    .id = "size",
    .title = "least p from which on it holds (" CLAIM_TEXT(
        INPUTS) " inputs at each p), width d, parameters, and H(d+1)p of a layer beside the n log2 n that "
                "one layer alone needs",
    .columns = (const char *const[]){"n", "least p", "2 log2(2n+1) + 2", "d", "parameters", "H(d+1)p",
                                     "n log2 n", NULL},
    .x = "n",
    .logx = true,
    .rows = (const char *const[]){"n=2", "n=4", "n=8", "n=16", "n=32", "n=64", "n=128", "n=256", NULL},
    .quick_rows = 4,
    .row = size_row,
}};

static const at_cell cells[] = {
    {"n=2..3", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"n=2..3", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, NULL},
    {"n=3", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p6", 0, AT_TIER_QUICK, NULL},
    {"n=4", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_FULL, NULL},
    {"n=2 k=1..6", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"n=3 k=3", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"n=64", NULL, AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"n=64", NULL, AT_EV_SAMPLED, 0, "f32", 10000, AT_TIER_QUICK, NULL},
    {"n=64", NULL, AT_EV_SAMPLED, 0, "p16", 400, AT_TIER_QUICK, NULL},
    {"n=1024", NULL, AT_EV_SAMPLED, 0, "f64", 100, AT_TIER_QUICK, NULL},
    {"n=16 k=64", NULL, AT_EV_SAMPLED, 0, "f64", 40, AT_TIER_QUICK, NULL},
    {"n=3", "fewer=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"n=3 k=3", "fewer=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"n=3", "arith=p5", AT_EV_EXACT, AT_ENUM_SEQUENCES, "p6", 0, AT_TIER_QUICK, NULL},
    {"n=3", "scale=0.2", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_compose_two = {
    .id = "compose-two",
    .title = "Two layers of constant width compose two functions, k layers k functions",
    .source = "Peng, Narayanan, Papadimitriou 2024 (the construction beside their theorem 1)",
    .statement =
        "For all n and k, k softmax layers of one head each with residual width k+2 and no MLP compute "
        "f_k(...f_1(x)) from the tables of f_1, ..., f_k on 0..n-1 and x: for g(f(x)), two layers.",
    .proof = "Layer l reads the position (l-1)n + x_{l-1} + 1 by the score -lambda (t - k)^2, lambda = ln(32 "
             "V N), "
             "which turns an error of 1/(8N) in t into one of at most 1/(8N) in the value.",
    .task = "compose",
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "1 2 0 0 2 1 0",
    .look_params = "n=3",
};
