/* CLAIM lemma-a7: 2n GeLU units find the block of size n in which i lies, for i up to n^2.
 *
 * Source: Yang et al. 2024, Lemma A.7 and its equation (14).
 * Statement: for every n and eps > 0 a two-layer MLP with 2n GeLU units gives b = ceil(i/n), b-1 and n-(bn-x) within
 * eps, for every real x with |x - i| <= 1/4, i in 1..n^2. At x = i the last is i's place in its block, 1..n.
 *
 * Proof:
 *   1. ceil(i/n) = 1 + #{j in 1..n-1: i > jn}, and 1{i > jn} is the ramp from jn+1/4 to jn+3/4: 2(n-1) units.
 *   2. The place is n - bn + x, with x carried by two units without error (lemma-a3): 2n units in all.
 *   3. A ramp of slope 2 is off by at most 2 * 0.16998/lambda as GeLU units, b by n-1 of that, the place by n times b.
 * Differs from the paper: (14) sums 1{i <= jn} over j, which is n+1-ceil(i/n): n at i = 1 (the control `formula=14`).
 * And for |x - i| <= 1/4 the paper wants the place of i, not of x. That has n^2 flat pieces, which a ReLU network of fewer
 * than 2(n^2-1) units cannot have; with O(n) units it is the lemma for x = i only (docs/errata.md). */
#include "../shared/lemma.h"

#include <math.h>

#define MOST_N 256

static const at_param params[] = {
    LEMMA_LENGTH,
    {"n", "size of a block, and their number", 1, MOST_N, 4, true},
    {"spread", "how far x may be from an integer", 0, 0.25, 0.25, false},
    LEMMA_EPS(0.01),
    LEMMA_LAMBDA,
    {"formula", "14: the sum as printed; 0: as proved here", 0, 14, 0, true},
};

static double lambda_of(const at_params *p)
{
    double n =
        at_params_get(p, "n"); /* n+2: the norm over the three outputs is at most (n+2) times b's error */
    return lemma_lambda(p, fmax(1, 2 * AT_GELU_GAP * n * (n + 2) / claim_eps(p)));
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int n = at_params_int(p, "n"), printed = at_params_int(p, "formula") == 14;
    at_var step[MOST_N];
    double coef[MOST_N];
    int count = 0;
    at_program *P = at_program_new("lemma-a7", at_params_int(p, "N"));
    if (!P)
        return at_oom(err);
    at_gelu(P, lambda_of(p)); /* step 3 */
    at_var x = at_reals(P, "x", 1, 0.5, n * n + 0.5);
    for (int j = 1; j < n + printed; j++, count++) { /* step 1 */
        step[count] = at_ramp(P, lemma_name("beyond", j).s, x, j * n + 0.25, j * n + 0.75);
        coef[count] = printed ? -1 : 1;
    }
    at_var block = at_sum(P, "block", (at_vec){count, step}, coef, printed ? n : 1);
    at_var place = at_sum(P, "place", AT_VEC(block, at_pass(P, "x'", x)), (double[]){-n, 1}, n); /* step 2 */
    at_emit(P, AT_VEC(block, at_sum(P, NULL, AT_VEC(block), NULL, -1), place), AT_READ_RAW, 0);
    *out = P;
    return AT_OK;
}

/* ---- certificate ----------------------------------------------------------------------------------------- */

static size_t boxes(const at_params *p)
{
    size_t n = (size_t)at_params_int(p, "n");
    return n * n;
}

static void box(const at_params *p, size_t i, double *lo, double *hi)
{
    lemma_integer_box(p, (double)i + 1, lo, hi);
}

static void answer(const at_params *p, size_t i, int r, double *c, double *g, double *H)
{
    (void)H;
    int n = at_params_int(p, "n"), block = (int)i / n + 1; /* ceil((i+1)/n) */
    *c = r == 2 ? n - block * n : block - r;
    g[0] = r == 2;
}

static const at_box certificate = {
    .text =
        "n^2 boxes, |x - i| <= spread for i = 1..n^2; the answers are constant or x plus a constant on each",
    .boxes = boxes,
    .box = box,
    .answer = answer,
};

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double n = at_params_get(p, "n");
    return lemma_size_row(c, p, threads, "n", "eps", 2 * n, lambda_of(p) * n * n, out, err);
}

static const at_claim_table tables[] = {{
    .id = "size",
    .title = "units, weights and certified error against n; the bound is 0.68 n^3 (n+2)/eps",
    .columns = LEMMA_COLUMNS("n", "eps"),
    .rows = (const char *const[]){"n=1", "n=2", "n=4", "n=8", "n=8 eps=1e-4", "n=16", "n=32", NULL},
    .quick_rows = 5,
    .row = size_row,
}};

static const at_cell cells[] = {
    {"n=32", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, "n=8"},
    {"n=256 spread=0", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "n=64 spread=0"},
    {"N=4 n=16 eps=0.1", NULL, AT_EV_SAMPLED, 0, "p24", 4000, AT_TIER_QUICK, NULL},
    {"n=4", "formula=14", AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"n=4 spread=0", "formula=14", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"n=4", "lambda=0.01", AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_lemma_a7 = {
    .id = "lemma-a7",
    .title = "2n GeLU units find block and place of a position up to n^2",
    .source = LEMMA_SOURCE ", Lemma A.7 with (14) corrected",
    .statement = "For every n and eps > 0 a two-layer MLP with 2n GeLU units gives b = ceil(i/n), b-1 and "
                 "n-(bn-x) within "
                 "eps, for every x with |x - i| <= 1/4, i in 1..n^2.",
    .proof = "ceil(i/n) = 1 + sum over j < n of 1{i > jn}, each a ramp of two units; x is carried by two "
             "more without "
             "error.",
    .task = "block-index",
    LEMMA_FIELDS,
    .look = "1 4 4.75 16",
    .look_params = "N=5",
};
