/* CLAIM compose-chain: by chain of thought a decoder of one layer, one head and width 3 composes any number of functions.
 *
 * Source: Peng, Narayanan, Papadimitriou 2024, beside theorem 3 (steps that iterated composition needs).
 * Statement: for all n and k a causal decoder of one softmax head, residual width 3 and no MLP, after a prompt of the tables
 * f_1, ..., f_k and x, writes x_1 = f_1(x), x_2 = f_2(x_1), ..., x_k and stops. Its size depends neither on n nor on k.
 *
 * Proof:
 *   1. f_l(v) stands at position (l-1) n + v + 1, x_{l-1} at position here = kn + l: the prompt's last row is x = x_0, and
 *      every row written is the next x_l. So the value wanted stands at n (here - kn - 1) + x_{l-1} + 1, which is linear in
 *      what the row holds: the step number is read off the position.
 *   2. It is read by the score -(t - k)^2 (claim_compose.h), within 1/(8N), and rounded: errors do not add up.
 *   3. After k rows the stop rule ends the chain; the answer is its last row: k - 1 rows stand before it, and no layer of this size
 *      does with fewer from some n on (bound compose-cot).
 *   4. p bits are enough when 8 L^2 <= 2^p, L = kn + k + 1, exponents as large as L^4, say: positions, targets and scores are integers up
 *      to 2 L^2, exact. A score times lambda = ln(32 V N) is off by lambda L^2 2^-p <= lambda/8, so a key at distance d is lower by
 *      more than 0.74 lambda d^2, also after the largest is taken away, and all of them move the result by at most
 *      2.1 V (32 V N)^-0.74 < 0.2, since V <= N. */
#include "../shared/claim_compose.h"

static const at_param params[] = {
    {"n", "values 0..n-1 that the functions are on", 1, 1024, 3, true},
    {"k", "functions", 1, 64, 2, true},
    {"step", "1: the step number counts; 0: every step reads f_1", 0, 1, 1, true},
    CLAIM_READER_SCALE,
};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    const at_task *t;
    at_params tp;
    at_status s = claim_compose_task("compose", p, &t, &tp, err);
    if (s)
        return s;
    int n = at_params_int(p, "n"), k = at_params_int(p, "k"), prompt = k * n + 1;
    at_program *P = at_program_new("compose-chain", prompt + k);
    if (!P)
        return at_oom(err);
    at_program_lengths(P, prompt);
    at_var x = at_ints(P, "x", 1, 0, n - 1);
    claim_reader r = claim_reader_new(P, AT_MASK_CAUSAL, prompt + k, n - 1, at_params_get(p, "scale"));
    double stride = at_params_int(p, "step") ? n : 0;
    at_var entry =
        at_sum(P, "entry", AT_VEC(r.here, x), (double[]){stride, 1}, 1 - stride * prompt); /* step 1 */
    at_emit(P, AT_VEC(claim_read(&r, "next", entry, x)), AT_READ_ROUND, 0);                /* step 2 */
    *out = P;
    return AT_OK;
}

static at_status decoder(const at_params *p, at_model *m, at_err *err)
{
    int k = at_params_int(p, "k"), prompt = k * at_params_int(p, "n") + 1;
    at_program *P = NULL;
    at_status s = program(p, &P, err);
    if (!s)
        s = at_assemble(P, m, NULL, err);
    at_program_free(P);
    if (s)
        return s;
    m->decode = (at_decode){.enabled = true,
                            .stop = AT_STOP_STEPS, /* step 3 */
                            .max_steps = k,
                            .prompt_min = prompt,
                            .prompt_max = prompt};
    s = at_model_validate(m, err);
    if (s)
        at_model_release(m);
    return s;
}

/* ---- tables and cells ------------------------------------------------------------------------------------------- */

#define INPUTS 20 /* at each p */

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double n = at_params_get(p, "n"), k = at_params_get(p, "k"), z[4];
    at_status s = claim_compose_size(c, p, INPUTS, threads, z, err);
    if (s)
        return s;
    out[0] = n;
    out[1] = k;
    out[2] = k * n + 1 + k;
    out[3] = z[0];
    out[4] = 2 * at_log2(out[2]) + 2;
    out[5] = z[1];
    out[6] = z[3];
    return AT_OK;
}

static const at_claim_table tables[] = {{
    .id = "size",
    .title = "least p from which on chains are right (" CLAIM_TEXT(
        INPUTS) " drawn at each p), width and parameters",
    .columns = (const char *const[]){"n", "k", "L", "least p", "2 log2 L + 2", "width", "parameters", NULL},
    .x = "L",
    .logx = true,
    .rows = (const char *const[]){"n=4 k=2", "n=4 k=4", "n=8 k=4", "n=8 k=8", "n=16 k=8", "n=16 k=16",
                                  "n=32 k=16", "n=32 k=32", NULL},
    .quick_rows = 4,
    .row = size_row,
}};

static const at_cell cells[] = {
    {"n=1..2 k=1..4", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"n=3 k=2", NULL, AT_EV_EXACT, 0, "p6", 0, AT_TIER_QUICK, NULL},
    {"n=3 k=3", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"n=3 k=3", NULL, AT_EV_EXACT, 0, "f32", 0, AT_TIER_QUICK, NULL},
    {"n=3 k=3", NULL, AT_EV_EXACT, 0, "p8", 0, AT_TIER_FULL, NULL},
    {"n=4 k=2", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_FULL, NULL},
    {"n=16 k=16", NULL, AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"n=16 k=16", NULL, AT_EV_SAMPLED, 0, "p18", 200, AT_TIER_QUICK, NULL},
    {"n=63 k=64", NULL, AT_EV_SAMPLED, 0, "f64", 100, AT_TIER_QUICK, NULL},
    {"n=3 k=2", "step=0", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"n=3 k=2", "arith=p5", AT_EV_EXACT, 0, "p6", 0, AT_TIER_QUICK, NULL},
    {"n=3 k=2", "scale=0.2", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_compose_chain = {
    .id = "compose-chain",
    .title = "A decoder of one layer and width 3 composes k functions by chain of thought",
    .source = "Peng, Narayanan, Papadimitriou 2024 (beside their theorem 3)",
    .statement =
        "For all n and k, a causal decoder of one softmax head, residual width 3 and no MLP writes x_1 = "
        "f_1(x), "
        "x_2 = f_2(x_1), ..., x_k after a prompt of the tables f_1, ..., f_k and x: one layer, whatever k.",
    .proof = "Row kn + l holds x_{l-1}; what it wants stands at n (here - kn - 1) + x_{l-1} + 1, which is "
             "linear in the "
             "row, and is read by the score -lambda (t - k)^2.",
    .params = params,
    .n_params = COUNT(params),
    .chain = &at_chain_compose,
    .decoder = decoder,
    CLAIM_CELLS,
    CLAIM_TABLES,
    .look = "1 2 0 0 2 1 0",
    .look_params = "n=3",
};
