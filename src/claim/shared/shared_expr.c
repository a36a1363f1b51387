/* shared_expr.c: what the claims about expressions share: parameters, models, tables. Their chain is at_chain_expr. */
#include "claim_expr.h"

static const char *const handles[] = {"leftmost", "any", NULL};

const at_param claim_expr_params[claim_expr_n_params] = {
    {"p", "the prime", 2, AT_EXPR_PRIME_MAX, 5, true},
    {"operators", "the most that an expression has", 1, AT_EXPR_OPERATORS_MAX, 3, true},
    {"least", "the least that a prompt has, or `operators` where these are fewer", 0, AT_EXPR_OPERATORS_MAX,
     0, true},
    {"block", "sparse: block and window; 0: 4 operators", 0, 4 * AT_EXPR_OPERATORS_MAX, 0, true},
    {"handle", "any: a + b is evaluated also before * and /, which is wrong", 0, 1, 0, true, handles},
    {"scale", "factor on the scale of softmax", 0.001, 16, 1, false},
};

static at_expr_spec spec_of(const at_params *p, at_attention_kind kind)
{
    return (at_expr_spec){.p = at_params_int(p, "p"),
                          .operators = at_params_int(p, "operators"),
                          .kind = kind,
                          .block = kind == AT_ATTENTION_SPARSE ? at_params_int(p, "block") : 0,
                          .any_handle = at_params_int(p, "handle"),
                          .scale = at_params_get(p, "scale")};
}

at_status claim_expr_program(const at_params *p, at_attention_kind kind, at_program **out, at_err *err)
{
    at_expr_spec s = spec_of(p, kind);
    return at_expr_program(&s, out, err);
}

at_status claim_expr_model(const at_params *p, at_attention_kind kind, at_model *m, at_err *err)
{
    at_expr_spec s = spec_of(p, kind);
    return at_expr_model(&s, m, err);
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

const char *const claim_expr_law_columns[] = {CLAIM_LAW_COLUMNS("operators")};
const char *const claim_expr_law_rows[] = {
    "p=11 operators=5",   "p=11 operators=7",   "p=11 operators=11",  "p=11 operators=15",
    "p=11 operators=22",  "p=11 operators=31",  "p=11 operators=45",  "p=11 operators=63",
    "p=11 operators=90",  "p=11 operators=127", "p=11 operators=180", "p=11 operators=255",
    "p=11 operators=361", "p=11 operators=511", "p=11 operators=720", NULL};

static at_status shape_of(const at_params *p, at_attention_kind kind, at_model *m, int *prompt, int *rows,
                          at_err *err)
{
    int k = at_params_int(p, "operators");
    *prompt = AT_EXPR_TOKENS(k) + 1;
    *rows = AT_EXPR_CHAIN(k);
    return claim_expr_model(p, kind, m, err);
}

at_status claim_expr_law_row(const at_params *p, at_attention_kind kind, double *out, at_err *err)
{
    static const claim_law law = {&at_chain_expr, claim_expr_model, shape_of};
    at_params small = *p, full = *p;
    int k = at_params_int(p, "operators");
    at_status s = at_params_set(&small, "operators", k / 2, err);
    if (!s)
        s = at_params_set(&full, "least", k, err); /* the prompt that is run has them all */
    out[0] = k;
    return s ? s : claim_law_row(&law, kind, &full, &small, out + 1, err);
}

const char *const claim_expr_precision_rows[] = {
    "p=11 operators=2 least=2",   "p=11 operators=3 least=3",   "p=11 operators=4 least=4",
    "p=11 operators=6 least=6",   "p=11 operators=8 least=8",   "p=11 operators=11 least=11",
    "p=11 operators=16 least=16", "p=11 operators=22 least=22", NULL};

at_status claim_expr_precision_row(const at_claim *c, const at_params *p, int threads, double *out,
                                   at_err *err)
{
    int k = at_params_int(p, "operators");
    return claim_chain_precision_row(c, p, AT_EXPR_TOKENS(k) + 1 + AT_EXPR_CHAIN(k), CLAIM_EXPR_INPUTS,
                                     threads, out, err);
}
