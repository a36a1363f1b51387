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
 *   3. After k rows the stop rule ends the chain; the answer is its last row. */
#include "../shared/claim_compose.h"

#include <math.h>

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

/* ---- the chain: prompts are those of the task, the rows its values on the way ----------------------------------- */

typedef struct {
    const at_task *t;
    at_params p;
    int n, k;
} chain;

static at_status chain_open(const at_params *p, void **self, at_err *err)
{
    chain *c = at_calloc(1, sizeof *c);
    if (!c)
        return at_oom(err);
    at_status s = claim_compose_task("compose", p, &c->t, &c->p, err);
    if (s) {
        at_free(c);
        return s;
    }
    c->n = at_params_int(p, "n");
    c->k = at_params_int(p, "k");
    *self = c;
    return AT_OK;
}

static void chain_close(void *self)
{
    at_free(self);
}

static int row_width(const void *self)
{
    (void)self;
    return 1;
}

static int prompt_max(const void *self)
{
    const chain *c = self;
    return c->k * c->n + 1;
}

static int rows_max(const void *self)
{
    return ((const chain *)self)->k;
}

static uint64_t chain_count(const void *self)
{
    const chain *c = self;
    return c->t->count(&c->p, AT_ENUM_SEQUENCES);
}

static at_status chain_nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err)
{
    (void)err;
    const chain *c = self;
    c->t->nth(&c->p, AT_ENUM_SEQUENCES, i, prompt);
    *n = prompt_max(self);
    return AT_OK;
}

static at_status chain_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    (void)err;
    const chain *c = self;
    (at_rng_below(r, 2) ? c->t->adversarial : c->t->sample)(&c->p, r, prompt);
    *n = prompt_max(self);
    return AT_OK;
}

static at_status chain_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                              at_err *err)
{
    const chain *c = self;
    if (n != prompt_max(self))
        return at_fail(err, AT_EINPUT, "the prompt has %d rows: must be %d", n, prompt_max(self));
    double x = prompt[n - 1], answer;
    for (int l = 0; l < c->k; l++)
        rows[l] = x = prompt[l * c->n + (int)x];
    *n_rows = c->k;
    c->t->answer(&c->p, prompt, &answer);
    return x == answer ? AT_OK
                       : at_fail(err, AT_EREFUSED, "the chain ends in another value than the composition");
}

static const at_chain compose_chain = {
    .id = "compose",
    .title = "functions applied one after the other",
    .definition = "after f_1, ..., f_k and x: x_1 = f_1(x), x_2 = f_2(x_1), ..., x_k",
    .input_help = "1 2 0 0 2 1 0",
    .open = chain_open,
    .close = chain_close,
    .row_width = row_width,
    .prompt_max = prompt_max,
    .rows_max = rows_max,
    .count = chain_count,
    .nth = chain_nth,
    .sample = chain_sample,
    .answer = chain_answer,
};

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
    .chain = &compose_chain,
    .decoder = decoder,
    CLAIM_CELLS,
    CLAIM_TABLES,
    .look = "1 2 0 0 2 1 0",
    .look_params = "n=3",
};
