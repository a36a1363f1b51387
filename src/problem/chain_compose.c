/* chain_compose.c: functions applied one after the other, as a chain: prompts are those of the task `compose`, the rows its
 * values on the way. */
#include "problem_internal.h"

typedef struct {
    const at_task *t;
    at_params p;
    int n, k;
} chain;

static const at_param params[] = {
    {"n", "values 0..n-1 that the functions are on", 1, 1024, 3, true, NULL},
    {"k", "functions", 1, 64, 2, true, NULL},
};

static at_status chain_open(const at_params *p, void **self, at_err *err)
{
    chain *c = at_calloc(1, sizeof *c);
    if (!c)
        return at_oom(err);
    c->t = at_task_find("compose");
    c->n = at_params_int(p, "n");
    c->k = at_params_int(p, "k");
    at_params_init(&c->p, c->t->params, c->t->n_params);
    at_status s = at_params_set(&c->p, "n", c->n, err);
    if (!s)
        s = at_params_set(&c->p, "k", c->k, err);
    if (!s)
        s = at_params_set(&c->p, "N", c->t->length(&c->p), err);
    if (!s)
        s = c->t->validate(&c->p, err);
    if (s)
        at_free(c);
    else
        *self = c;
    return s;
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

static int tokens(const void *self)
{
    return ((const chain *)self)->n;
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

const at_chain at_chain_compose = {
    .id = "compose",
    .title = "functions applied one after the other",
    .definition = "after f_1, ..., f_k and x: x_1 = f_1(x), x_2 = f_2(x_1), ..., x_k",
    .input_help = "1 2 0 0 2 1 0",
    .params = params,
    .n_params = AT_PARAMS_COUNT(params),
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
