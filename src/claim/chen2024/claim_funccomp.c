/* CLAIM funccomp: an (L+1)-layer strict-causal decoder computes L-sequential function composition.
 *
 * Source: Chen, Peng, Wu 2024 ("Theoretical limitations of multi-layer Transformer"), beside their theorem 1.1: no L-layer
 * decoder does while H d p is small against the domains. This is the construction one layer above it.
 * Statement: for all L, m, n_1, ..., n_{L-1} there is a decoder of L+1 softmax layers, one head each, strictly causal with
 * skip connections, residual width 2L+2 at most and no MLP, that computes i_L.
 *
 * Proof: the last position holds w, whose digits w_l (times N_{l-1}) are tables of the token.
 *   1. Layer 1 reads the position before: i_0 = z_0.
 *   2. Layer l+1 reads entry w_{l-1} N_{l-2} + i_{l-1} of z_l (l = 1: entry i_0) by the score -(t - k)^2
 *      (claim_compose.h): i_l, up to 1/(8N). All tables lie before the last position, so the strict mask shows them.
 *   3. Rounding i_L gives the answer.
 * The first position attends to nothing; its attention is 0. Differs from the notes' x = g(y): the skip carries w. */
#include "../shared/claim_compose.h"

#include <math.h>
#include <stdio.h>

enum { LEVELS = 6 };
static const char *const sides[LEVELS] = {NULL, "n1", "n2", "n3", "n4", "n5"};

#define SIDE(l)                                                                                              \
    {                                                                                                        \
        "n" #l, "values of w_" #l " (1 where L is at most " #l ")", 1, 8, (l) == 1 ? 2 : 1, true             \
    }
static const at_param params[] = {
    {"L", "functions", 1, LEVELS, 2, true},
    {"m", "values of z_0", 1, 8, 2, true},
    SIDE(1),
    SIDE(2),
    SIDE(3),
    SIDE(4),
    SIDE(5),
    {"fewer", "layers fewer than L+1", 0, LEVELS, 0, true},
    CLAIM_READER_SCALE,
};

/* Token w as w_l N_{l-1}: digit l of its mixed base, the lowest is digit 1. */
static at_var digit_read(at_program *P, at_var field, int size, int l, const int *domain)
{
    char name[16];
    int below = domain[l - 1] / domain[0], all = domain[l] / domain[0];
    double *table = at_calloc((size_t)size, sizeof *table);
    if (!table)
        return at_program_oom(P), -1;
    for (int w = 0; w < size; w++)
        table[w] = (double)(w % all / below) * domain[l - 1];
    snprintf(name, sizeof name, "w%d N%d", l, l - 1);
    at_var digit = at_lookup(P, name, field, table);
    at_free(table);
    return digit;
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    const at_task *t;
    at_params tp;
    at_status s = claim_compose_task("funccomp", p, &t, &tp, err);
    if (s)
        return s;
    int L = at_params_int(p, "L"), N = at_params_int(&tp, "N"), layers = L + 1 - at_params_int(p, "fewer");
    if (layers < 1)
        return at_fail(err, AT_EDOMAIN, "fewer=%d: must be at most L, and L is %d", L + 1 - layers, L);
    int domain[LEVELS] = {at_params_int(p, "m")}, first = N - 1; /* N_l; first: where z_l starts, from 1 */
    for (int l = 1; l < L; l++)
        domain[l] = domain[l - 1] * at_params_int(p, sides[l]);
    at_program *P = at_program_new("funccomp", N);
    if (!P)
        return at_oom(err);
    at_program_lengths(P, N);
    at_var field = at_token(P, "x", domain[L - 1]), x = at_number(P, "x", field);
    claim_reader r = claim_reader_new(P, AT_MASK_STRICT, N, domain[L - 1] - 1, at_params_get(p, "scale"));
    at_var i = claim_read(&r, "i0", at_sum(P, NULL, AT_VEC(r.here), NULL, -1), x); /* step 1 */
    for (int l = 1; l < layers; l++) {                                             /* step 2 */
        char name[16];
        first -= domain[l - 1];
        at_var entry = at_sum(P, NULL, AT_VEC(i), NULL, first);
        if (l > 1 && domain[l - 1] > domain[l - 2])
            entry = at_add(P, entry, digit_read(P, field, domain[L - 1], l - 1, domain));
        snprintf(name, sizeof name, "i%d", l);
        i = claim_read(&r, name, entry, x);
    }
    at_emit_last(P, AT_VEC(i), AT_READ_ROUND, 0); /* step 3 */
    *out = P;
    return AT_OK;
}

#define INPUTS 40 /* at each p */

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    const at_task *t;
    at_params tp;
    double z[4];
    at_status s = at_claim_task(c, p, &t, &tp, err);
    if (!s)
        s = claim_compose_size(c, p, INPUTS, threads, z, err);
    if (s)
        return s;
    double N = at_params_get(&tp, "N");
    out[0] = N;
    out[1] = at_params_get(p, "L");
    out[2] = z[0];
    out[3] = 2 * at_log2(N) + 2;
    out[4] = z[1];
    out[5] = z[3];
    return AT_OK;
}

static const at_claim_table tables[] = {{
    .id = "size",
    .title = "least p from which on it holds (" CLAIM_TEXT(INPUTS) " inputs at each p), width and parameters",
    .columns = (const char *const[]){"N", "L", "least p", "2 log2 N + 2", "width", "parameters", NULL},
    .x = "N",
    .logx = true,
    .by = "L",
    .rows = (const char *const[]){"L=2 m=2 n1=2", "L=2 m=4 n1=4", "L=2 m=8 n1=8", "L=3 m=2 n1=2 n2=2",
                                  "L=3 m=4 n1=4 n2=4", "L=3 m=8 n1=8 n2=8", "L=4 m=2 n1=2 n2=2 n3=2",
                                  "L=4 m=4 n1=4 n2=4 n3=4", NULL},
    .quick_rows = 2,
    .row = size_row,
}};

static const at_cell cells[] = {
    {"L=1 n1=1 m=1..5", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"L=2 m=2 n1=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"L=2 m=2 n1=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, NULL},
    {"L=2 m=2 n1=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p6", 0, AT_TIER_QUICK, NULL},
    {"L=3 m=2 n1=1 n2=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"L=3 m=2 n1=1 n2=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p7", 0, AT_TIER_QUICK, NULL},
    {"L=4 m=2 n1=1 n2=1 n3=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"L=4 m=2 n1=1 n2=1 n3=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p7", 0, AT_TIER_FULL, NULL},
    {"L=2 m=4 n1=4", NULL, AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"L=2 m=4 n1=4", NULL, AT_EV_SAMPLED, 0, "p10", 1000, AT_TIER_QUICK, NULL},
    {"L=3 m=3 n1=2 n2=3", NULL, AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"L=3 m=8 n1=8 n2=8", NULL, AT_EV_SAMPLED, 0, "f64", 100, AT_TIER_QUICK, NULL},
    {"L=6 m=2 n1=2 n2=2 n3=2 n4=2 n5=2", NULL, AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},
    {"L=2 m=2 n1=2", "fewer=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"L=3 m=2 n1=1 n2=2", "fewer=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"L=4 m=2 n1=1 n2=1 n3=2", "fewer=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"L=2 m=2 n1=2", "arith=p5", AT_EV_EXACT, AT_ENUM_SEQUENCES, "p6", 0, AT_TIER_QUICK, NULL},
    {"L=2 m=2 n1=2", "scale=0.2", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_funccomp = {
    .id = "funccomp",
    .title = "A strict-causal decoder of L+1 layers computes L-sequential function composition",
    .source = "Chen, Peng, Wu 2024 (the construction beside their theorem 1.1)",
    .statement = "For all L, m, n_1, ..., n_{L-1}, a strictly causal decoder of L+1 softmax layers of one "
                 "head each, with "
                 "skip connections, residual width at most 2L+2 and no MLP, computes i_L on every prompt.",
    .proof = "Layer 1 reads z_0 from the position before; layer l+1 reads entry w_{l-1} N_{l-2} + i_{l-1} of "
             "z_l by the "
             "score -lambda (t - k)^2, lambda = ln(32 V N), which leaves an error of 1/(8N).",
    .task = "funccomp",
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "3 0 1 2 1 0 1 1",
    .look_params = "L=2 m=2 n1=2",
};
