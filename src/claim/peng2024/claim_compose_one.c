/* CLAIM compose-one: one layer of one head composes two functions once its head carries the whole table of g.
 *
 * Source: Peng, Narayanan, Papadimitriou 2024: their theorem 1 says that one layer with H(d+1)p < n log2 n is wrong somewhere,
 * and that this is nearly tight. This is a layer that shows how nearly.
 * Statement: for every n one softmax head of width d = n+1, between two MLPs of O(n) units, computes g(f(x)). Measured, it needs
 * p = ceil(log2 n) + 2 bits, so H(d+1)p is (n+2)(log2 n + 2): n log2 n, and lower order.
 *
 * Proof:
 *   1. Position v of f holds the one-hot key e_v, those of g the mark 1, x nothing. The query is (e_x, 1): the score is 1 at
 *      f(x) and at every entry of g, and 0 elsewhere.
 *   2. An MLP has put g(j) into slot j of the value and f(v) into one slot more. The head's weights are 1/(n+1) each but for
 *      e^-lambda, so slot j holds g(j)/(n+1), and the last one f(x)/(n+1).
 *   3. An MLP multiplies by n+1 and picks slot f(x). For few bits' sake: "f(x) = j" is a difference of numbers of size n, so it
 *      is cut to 0 or 1 once more before it meets values of size n; and slots that are not picked are pushed below 0 by n,
 *      which is more than they hold, so that nothing is left of them.
 * The message of the proof of theorem 1, n values of log2 n bits, is all there: what is missing to its bound is the slot of
 * f(x), the denominator, and the bits by which a value is told from the next.
 * With bits=24 a slot holds as many values as fit into 24 bits (compose_packed.c). */
#include "compose_packed.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 256 };
static const at_param params[] = {
    {"n", "values 0..n-1 that the functions are on", 2, MOST, 3, true},
    {"missing", "values of g without a slot", 0, MOST, 0, true},
    {"bits", "that a slot holds, as many values as fit; 0: one value, whatever its bits", 0, 48, 0, true},
    {"more", "values a slot more than fit into bits", 0, 8, 0, true},
    {"scale", "factor on the scale", 0.001, 16, 1, false},
};

/* Position rows (N, n+2): key of f (n), marks of f and of g. Rows of g have their slot (n) in the second table. */
static void positions_fill(int n, double *key, double *slot)
{
    for (int v = 0; v < n; v++) {
        double *f = key + (size_t)v * (n + 2), *g = key + (size_t)(n + v) * (n + 2);
        f[v] = f[n] = g[n + 1] = 1;
        slot[(size_t)(n + v) * n + v] = 1;
    }
}

static void steps(at_program *P, int n, int slots, const double *key_rows, const double *slot_rows,
                  const double *one_hot)
{
    at_var query[MOST + 1], key[MOST + 1], value[MOST + 1], term[MOST];
    char name[16];
    at_var field = at_token(P, "x", n), x = at_number(P, "x", field), zero = at_const(P, 0);
    at_var is = at_lookup_rows(P, "is", field, n, one_hot);
    at_var f = at_position_rows(P, "f", n + 2, key_rows), g = at_position_rows(P, "g", n, slot_rows);
    if (is < 0 || f < 0 || g < 0)
        return;
    for (int j = 0; j < n; j++) {
        query[j] = is + j;
        key[j] = f + j;
        snprintf(name, sizeof name, "slot%d", j);
        value[j] = j < slots ? at_select(P, name, g + j, x, zero) : zero; /* step 2 */
    }
    query[n] = at_const(P, 1);
    key[n] = f + n + 1;
    value[n] = at_select(P, "own", f + n, x, zero);
    at_var mean = at_attend(P, "mean", /* step 1 */
                            &(at_attention){.query = {n + 1, query},
                                            .key = {n + 1, key},
                                            .value = {n + 1, value},
                                            .weighting = AT_SOFTMAX,
                                            .gap = 1,
                                            .error = 1. / (16 * (n + 1))});
    at_var fx = at_known(P, "f(x)", at_scaled(P, n + 1, mean + n), 0, n - 1, true, -1); /* step 3 */
    for (int j = 0; j < n && mean >= 0; j++) {
        snprintf(name, sizeof name, "g(%d)", j);
        at_var gj = at_known(P, name, at_scaled(P, n + 1, mean + j), 0, n, true, -1);
        snprintf(name, sizeof name, "is%d", j);
        at_var chosen = at_equals(P, name, fx, j);
        snprintf(name, sizeof name, "sure%d", j);
        at_var sure = at_known(P, name, at_ramp(P, NULL, chosen, 0.25, 0.75), 0, 1, true, -1);
        snprintf(name, sizeof name, "pick%d", j);
        term[j] = at_select(P, name, sure, gj, zero);
    }
    if (mean >= 0)
        at_emit_last(P, AT_VEC(at_sum(P, "y", (at_vec){n, term}, NULL, 0)), AT_READ_ROUND, 0);
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int n = at_params_int(p, "n"), missing = at_params_int(p, "missing");
    size_t N = 2 * (size_t)n + 1, m = (size_t)n;
    if (missing > n)
        return at_fail(err, AT_EDOMAIN, "missing=%d: must be at most n, and n is %d", missing, n);
    if (at_params_int(p, "bits") && missing)
        return at_fail(err, AT_EDOMAIN, "missing=%d: all values have a slot where bits=%d", missing,
                       at_params_int(p, "bits"));
    if (at_params_int(p, "bits"))
        return compose_packed(p, out, err);
    double *rows = at_calloc(N * (2 * m + 2) + m * m, sizeof *rows);
    at_program *P = rows ? at_program_new("compose-one", (int)N) : NULL;
    if (!P) {
        at_free(rows);
        return at_oom(err);
    }
    double *slot = rows + N * (m + 2), *one_hot = slot + N * m;
    positions_fill(n, rows, slot);
    for (size_t v = 0; v < m; v++)
        one_hot[v * m + v] = 1;
    at_program_lengths(P, (int)N);
    at_program_weaken(P, at_params_get(p, "scale"));
    steps(P, n, n - missing, rows, slot, one_hot);
    at_free(rows);
    *out = P;
    return AT_OK;
}

#define INPUTS 20 /* at each p */

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double n = at_params_get(p, "n"), z[4];
    at_status s = claim_compose_size(c, p, INPUTS, threads, z, err);
    if (s)
        return s;
    out[0] = n;
    out[1] = z[2];
    out[2] = z[0];
    out[3] = (z[2] + 1) * z[0];
    out[4] = n * at_log2(n);
    out[5] = out[3] / out[4];
    return AT_OK;
}

static const at_claim_table tables[] = {{
    .id = "gap",
    .title = "least p from which on it holds (" CLAIM_TEXT(
        INPUTS) " inputs at each p), and H(d+1)p beside the n log2 n that every single layer needs",
    .columns = (const char *const[]){"n", "d", "least p", "H(d+1)p", "n log2 n", "ratio", NULL},
    .x = "n",
    .logx = true,
    .logy = true,
    .plots = (const char *const[]){"H(d+1)p", "ratio", NULL},
    .theory = (const double[]){1, 0},
    .rows = (const char *const[]){"n=2", "n=4", "n=8", "n=16", "n=32", "n=64", NULL},
    .quick_rows = 3,
    .row = size_row,
}};

static const at_cell cells[] = {
    {"n=2..3", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"n=2..3", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, NULL},
    {"n=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p3", 0, AT_TIER_QUICK, NULL},
    {"n=3", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p4", 0, AT_TIER_QUICK, NULL},
    {"n=16", NULL, AT_EV_SAMPLED, 0, "p6", 400, AT_TIER_QUICK, NULL},
    {"n=4", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_FULL, NULL},
    {"n=16", NULL, AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"n=64", NULL, AT_EV_SAMPLED, 0, "f64", 200, AT_TIER_QUICK, NULL},
    {"n=64", NULL, AT_EV_SAMPLED, 0, "p8", 40, AT_TIER_QUICK, NULL},
    {"n=2..3 bits=24", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p24e8", 0, AT_TIER_QUICK, NULL},
    {"n=3 bits=5", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p5e8", 0, AT_TIER_QUICK, NULL},
    {"n=16 bits=24", NULL, AT_EV_SAMPLED, 0, "p24e8", 400, AT_TIER_QUICK, NULL},
    {"n=64 bits=24", NULL, AT_EV_SAMPLED, 0, "p24e8", 40, AT_TIER_QUICK, NULL},
    {"n=256 bits=24", NULL, AT_EV_SAMPLED, 0, "p24e8", 100, AT_TIER_FULL, NULL},
    {"n=256 bits=24", NULL, AT_EV_SAMPLED, 0, "f32", 1000, AT_TIER_FULL, NULL},
    {"n=16 bits=24", "more=1", AT_EV_SAMPLED, 0, "p24e8", 400, AT_TIER_QUICK, NULL},
    {"n=3 bits=5", "arith=p4e8", AT_EV_EXACT, AT_ENUM_SEQUENCES, "p5e8", 0, AT_TIER_QUICK, NULL},
    {"n=3 bits=24", "scale=0.1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "p24e8", 0, AT_TIER_QUICK, NULL},
    {"n=3", "missing=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"n=2", "arith=p2", AT_EV_EXACT, AT_ENUM_SEQUENCES, "p3", 0, AT_TIER_QUICK, NULL},
    {"n=16", "arith=p5", AT_EV_SAMPLED, 0, "p6", 400, AT_TIER_QUICK, NULL},
    {"n=3", "scale=0.2", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_compose_one = {
    .id = "compose-one",
    .title = "One layer composes two functions when its head carries all of g",
    .source = "Peng, Narayanan, Papadimitriou 2024 (how tight their theorem 1 is)",
    .statement =
        "For every n one softmax head of width d = n+1 between two MLPs of O(n) units computes g(f(x)). At "
        "the "
        "p = ceil(log2 n) + 2 bits that it is measured to need, H(d+1)p is n log2 n + O(n), the least that "
        "theorem 1 leaves to one layer but for lower order. In 24 bits with exact sums a slot holds R "
        "values, n^R <= "
        "2^24: width max(3, ceil(n/R) + 1).",
    .proof =
        "The head scores f(x) and every entry of g alike, each in a slot of its own; an MLP picks slot f(x).",
    .task = "compose",
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "1 2 0 0 2 1 0",
    .look_params = "n=3",
};
