/* chain_expr.c: what the claims about expressions share: parameters, prompts, the reference's chain, tables.
 *
 * A prompt is an expression and "="; the chain is what rewriting the leftmost handle, again and again, puts behind it
 * (problem.h). Exact cells run every expression with least..operators operators. Drawn prompts are of two sorts by turns:
 * built backwards as in the benchmark, and with all the brackets there can be, which are the longest. */
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

/* ---- the chain ------------------------------------------------------------------------------------------------ */

static at_status chain_open(const at_params *p, void **self, at_err *err)
{
    int least = at_params_int(p, "least"), most = at_params_int(p, "operators");
    at_expr_space *s = at_calloc(1, sizeof *s);
    if (!s)
        return at_oom(err);
    at_status st = at_expr_space_init(s, at_params_int(p, "p"), least < most ? least : most, most, err);
    if (st)
        at_free(s);
    else
        *self = s;
    return st;
}

static void chain_close(void *self)
{
    at_expr_space_release(self);
    at_free(self);
}

static int row_width(const void *self)
{
    (void)self;
    return 1;
}

static int prompt_max(const void *self)
{
    return AT_EXPR_TOKENS(((const at_expr_space *)self)->most) + 1;
}

static int rows_max(const void *self)
{
    return AT_EXPR_CHAIN(((const at_expr_space *)self)->most);
}

static uint64_t chain_count(const void *self)
{
    return ((const at_expr_space *)self)->count;
}

static void prompt_fill(const int *token, int n, double *prompt, int *out)
{
    for (int k = 0; k < n; k++)
        prompt[k] = token[k];
    prompt[n] = AT_EXPR_EQUALS;
    *out = n + 1;
}

static int *tokens_new(int n, at_err *err)
{
    int *t = at_malloc((size_t)n * sizeof *t);
    if (!t)
        at_oom(err);
    return t;
}

static at_status chain_nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err)
{
    int *token = tokens_new(prompt_max(self), err);
    if (!token)
        return AT_ENOMEM;
    prompt_fill(token, at_expr_nth(self, i, token), prompt, n);
    at_free(token);
    return AT_OK;
}

static at_status chain_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    const at_expr_space *s = self;
    int *token = tokens_new(prompt_max(self), err);
    if (!token)
        return AT_ENOMEM;
    int k = s->least + (int)at_rng_below(r, (uint64_t)(s->most - s->least + 1));
    bool longest = at_rng_below(r, 2);
    prompt_fill(token, (longest ? at_expr_sample_long : at_expr_sample)(s->p, k, r, token), prompt, n);
    at_free(token);
    return AT_OK;
}

static at_status chain_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                              at_err *err)
{
    const at_expr_space *s = self;
    int *token = tokens_new(prompt_max(self), err), *chain = tokens_new(rows_max(self), err);
    int value, operators;
    at_status st = token && chain ? AT_OK : AT_ENOMEM;
    for (int k = 0; k < n && !st; k++)
        token[k] = (int)prompt[k];
    if (!st)
        st = at_expr_value(s->p, token, n - 1, &value, &operators, err);
    if (!st) {
        *n_rows = at_expr_chain(s->p, token, n - 1, chain);
        for (int k = 0; k < *n_rows; k++)
            rows[k] = chain[k];
        /* The judge by recursive descent and the rewriting must agree. */
        if (*n_rows < 2 || chain[*n_rows - 2] != AT_EXPR_NUMBER + value)
            st = at_fail(err, AT_EREFUSED, "the chain ends in another value than the expression has");
    }
    at_free(token);
    at_free(chain);
    return st;
}

const at_chain claim_expr_chain = {
    .id = "arithmetic",
    .title = "an expression modulo a prime, rewritten to its value",
    .definition = "after the expression and =: the leftmost handle is replaced by its value, segments joined "
                  "by =, then <eos>",
    .input_help = "( 3 + 4 ) * 2 =",
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
    static const claim_law law = {&claim_expr_chain, claim_expr_model, shape_of};
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
