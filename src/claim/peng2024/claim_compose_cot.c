/* CLAIM compose-cot: a chain of thought of T tokens does not make up for a composition of T+2 functions, in a small layer.
 *
 * Source: Peng, Narayanan, Papadimitriou 2024, Theorem 2: Omega(sqrt(n/(Hdp))) steps.
 * Statement: no layer of H heads of width d at p bits that writes T tokens is right about g^(T+2)(1) for every g on n values, when
 * 16((T+1)H(d+1)p + T+2) <= floor(n/2). The proof, with its constants, is in src/bound/bound_compose_cot.c and docs/bounds.md.
 *
 * Checked here: the calculator's answer at these sizes and at its own starts, and two of the starts against closed forms,
 *     n >= 32((T+1)(c+1) + 1),     T + 1 <= (floor(floor(n/2)/16) - 1) / (c+1),     c = H(d+1)p,
 * with the source's sqrt(n/(Hdp)) beside them in a table. The bound speaks of all layers; that one is too small for a given model is what refuters show. */
#include "../shared/claim_limit.h"

#include <math.h>
#include <string.h>

static const at_param params[] = {
    {"n", "size of the domain", 2, 1e15, 100000, true}, {"H", "heads", 1, 4096, 4, true},
    {"d", "width of a head", 1, 4096, 16, true},        {"p", "bits of a number", 1, 4096, 16, true},
    {"T", "tokens of the chain", 0, 1e9, 1, true},
};

/* The largest T that is ruled out, and the least n for this T, by the closed forms; all are below 2^53. */
static double most_steps(double n, double c)
{
    return floor((floor(floor(n / 2) / 16) - 1) / (c + 1)) - 1;
}
static double least_domain(double T, double c)
{
    return 32 * ((T + 1) * (c + 1) + 1);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    (void)limit, (void)seed, (void)env;
    at_status s = limit_trial("compose-cot", p, cell, a, out, err);
    if (s || out->holds != AT_TRUE)
        return s;
    const at_bound *b = at_bound_find("compose-cot");
    at_params q;
    at_bound_result r;
    at_params_init(&q, b->params, b->n_params);
    for (int i = 0; i < COUNT(params) && !s; i++)
        s = at_params_set(&q, params[i].name, at_params_get(p, params[i].name), err);
    if (!s)
        s = at_bound_compute(b, &q, a, &r, err);
    if (s)
        return s;
    double c = at_params_get(p, "H") * (at_params_get(p, "d") + 1) * at_params_get(p, "p");
    double T = most_steps(at_params_get(p, "n"), c), n = least_domain(at_params_get(p, "T"), c);
    for (int i = 0; i < r.n_starts; i++)
        if ((!strcmp(r.starts[i].param, "n") && r.starts[i].at != n) ||
            (!strcmp(r.starts[i].param, "T") && r.starts[i].at != T)) {
            out->holds = AT_FALSE;
            out->note = at_arena_printf(a, "\"%s\", but by the closed forms n = %.0f and T = %.0f",
                                        r.starts[i].text, n, T);
        }
    if (r.least != T + 1) {
        out->holds = AT_FALSE;
        out->note = at_arena_printf(a, "least %s not ruled out %.0f, but by the closed form %.0f", b->unit,
                                    r.least, T + 1);
    }
    return out->note ? AT_OK : at_oom(err);
}

/* ---- table: steps against n ------------------------------------------------------------------------------------------- */

static const char *const rate_columns[] = {"n", "steps not ruled out", "sqrt(n/(Hdp))", NULL};
static const char *const rate_rows[] = {"n=1e5 T=0", "n=1e6 T=0",  "n=1e7 T=0", "n=1e8 T=0",
                                        "n=1e9 T=0", "n=1e10 T=0", NULL};

static at_status rate_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c, (void)threads;
    const at_bound *b = at_bound_find("compose-cot");
    at_params q;
    at_bound_result r;
    at_arena a;
    at_params_init(&q, b->params, b->n_params);
    at_arena_init(&a);
    at_status s = AT_OK;
    for (int i = 0; i < COUNT(params) && !s; i++)
        s = at_params_set(&q, params[i].name, at_params_get(p, params[i].name), err);
    if (!s)
        s = at_bound_compute(b, &q, &a, &r, err);
    if (!s) {
        out[0] = at_params_get(p, "n");
        out[1] = r.least;
        out[2] = sqrt(out[0] / (at_params_get(p, "H") * at_params_get(p, "d") * at_params_get(p, "p")));
    }
    at_arena_release(&a);
    return s;
}

static const at_claim_table tables[] = {
    {.id = "rate",
     .title = "Steps that are not ruled out, beside the source's sqrt(n/(Hdp)) up to a constant",
     .columns = rate_columns,
     .x = "n",
     .rows = rate_rows,
     .quick_rows = COUNT(rate_rows) - 1,
     .logx = true,
     .logy = true,
     .row = rate_row},
};

static const at_cell cells[] = {
    {"n=100000", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"n=1000000 H=1 d=1..4 p=8 T=0..30", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"n=900000000000001 H=16 d=64 p=16 T=1000", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"n=69728", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"n=69728", "n=69727", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"n=100000", "T=2", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_compose_cot = {
    .id = "compose-cot",
    .title = "A composition of T+2 functions is not done by T tokens of thought in a small layer",
    .source = "Peng, Narayanan, Papadimitriou 2024, Theorem 2",
    .statement = "A layer of H heads of width d at p bits that writes T tokens before its answer is not "
                 "right about g^(T+2)(1) for every g on n "
                 "values, when 16((T+1)H(d+1)p + T+2) <= floor(n/2).",
    .proof = "Two parties own halves of g and exchange partial sums T+1 times; an adversary keeps the next "
             "pointer open, at the price of one "
             "bit a step beside what is sent. The calculator is checked here, at its own starts and against "
             "closed forms.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
    CLAIM_TABLES,
    .look_params = "n=100000",
};
