/* chain_expr.c: expressions modulo a prime as a chain.
 *
 * A prompt is an expression and "="; the chain is what rewriting the leftmost handle, again and again, puts behind it
 * (problem.h). Prompts have least..operators operators, and all of these are enumerated. Drawn prompts are of two sorts by
 * turns: built backwards as in the benchmark, and with all the brackets there can be, which are the longest. */
#include <attest/problem.h>

static const at_param params[] = {
    {"p", "the prime", 2, AT_EXPR_PRIME_MAX, 11, true, NULL},
    {"operators", "the most that an expression has", 1, AT_EXPR_OPERATORS_MAX, 3, true, NULL},
    {"least", "the least that a prompt has, or `operators` where these are fewer", 0, AT_EXPR_OPERATORS_MAX,
     0, true, NULL},
};

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

static int tokens(const void *self)
{
    return at_expr_vocabulary(((const at_expr_space *)self)->p);
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

const at_chain at_chain_expr = {
    .id = "arithmetic",
    .title = "an expression modulo a prime, rewritten to its value",
    .definition = "after the expression and =: the leftmost handle is replaced by its value, segments joined "
                  "by =, then <eos>",
    .input_help = "( 3 + 4 ) * 2 =",
    .params = params,
    .n_params = (int)(sizeof params / sizeof *params),
    .open = chain_open,
    .close = chain_close,
    .row_width = row_width,
    .tokens = tokens,
    .prompt_max = prompt_max,
    .rows_max = rows_max,
    .count = chain_count,
    .nth = chain_nth,
    .sample = chain_sample,
    .answer = chain_answer,
};
