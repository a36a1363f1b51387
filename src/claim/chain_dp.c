/* chain_dp.c: what the four claims about compiled recurrences share: parameters, prompts and the reference's chain.
 *
 * Rows are (input, state, values, answer); a prompt is the inputs and a zero row, the chain one row a state and then the
 * answer. The reference is the interpreter at_dp_run. Prompts use the lowest `letters` values of each input. */
#include "claim_dp.h"

#include <string.h>

/* The values of the parameter `problem`; sizes beyond the second do not occur. */
const char *const claim_dp_problems[] = {
    "edit-distance", "edit-distance-local", "lis",        "lcs", "knapsack", "coins",
    "grid",          "prefix-sum",          "palindrome", NULL};

const at_param claim_dp_params[claim_dp_n_params] = {
    {"problem", "which recurrence", 0, COUNT(claim_dp_problems) - 2, 0, true, claim_dp_problems},
    {"a", "its first size", 0, 1 << 20, 3, true},
    {"b", "its second size, where it has two", 0, 1 << 20, 3, true},
    {"letters", "prompts use so many of the lowest values of each input", 1, 999, 26, true},
    {"scale", "factor on the scale of softmax and on the features of linear attention", 0.001, 16, 1, false},
    {"fewer", "blocks (linear) or slots (sparse, local) left out", 0, 8, 0, true},
};

at_status claim_dp_bind(const at_params *p, at_dp **d, at_dp_instance **x, at_err *err)
{
    int64_t size[AT_DP_MAX] = {at_params_int(p, "a"), at_params_int(p, "b")};
    at_status s = at_dp_example_load(claim_dp_problems[at_params_int(p, "problem")], d, err);
    if (s)
        return s;
    s = at_dp_bind(*d, size, x, err);
    if (s)
        at_dp_free(*d);
    return s;
}

static at_dp_options options_of(const at_params *p, at_attention_kind kind)
{
    return (at_dp_options){
        .attention = kind, .scale = at_params_get(p, "scale"), .fewer = at_params_int(p, "fewer")};
}

at_status claim_dp_program(const at_params *p, at_attention_kind kind, at_program **out, at_err *err)
{
    at_dp *d;
    at_dp_instance *x;
    at_status s = claim_dp_bind(p, &d, &x, err);
    if (s)
        return s;
    at_dp_options o = options_of(p, kind);
    s = at_dp_program(x, &o, out, err);
    at_dp_instance_free(x);
    at_dp_free(d);
    return s;
}

at_status claim_dp_model(const at_params *p, at_attention_kind kind, at_model *m, at_err *err)
{
    at_dp *d;
    at_dp_instance *x;
    at_status s = claim_dp_bind(p, &d, &x, err);
    if (s)
        return s;
    at_dp_options o = options_of(p, kind);
    s = at_dp_model(x, &o, m, err);
    at_dp_instance_free(x);
    at_dp_free(d);
    return s;
}

/* ---- the chain ----------------------------------------------------------------------------------------------- */

typedef struct {
    at_dp *d;
    at_dp_instance *x;
    int letters;
} dp_chain;

static at_status chain_open(const at_params *p, void **self, at_err *err)
{
    dp_chain *c = at_calloc(1, sizeof *c);
    if (!c)
        return at_oom(err);
    c->letters = at_params_int(p, "letters");
    at_status s = claim_dp_bind(p, &c->d, &c->x, err);
    if (s)
        at_free(c);
    else
        *self = c;
    return s;
}

static void chain_close(void *self)
{
    dp_chain *c = self;
    at_dp_instance_free(c->x);
    at_dp_free(c->d);
    at_free(c);
}

static int row_width(const void *self)
{
    const dp_chain *c = self;
    return 2 + c->d->n_counters + c->d->n_values;
}

static int prompt_max(const void *self)
{
    return (int)((const dp_chain *)self)->x->n_input + 1;
}

static int rows_max(const void *self)
{
    return (int)((const dp_chain *)self)->x->n_states + 1;
}

/* The values that element i of the inputs takes in prompts: lo and how many. */
static uint64_t values_of(const dp_chain *c, int64_t i, int64_t *lo)
{
    int which = 0;
    while (which + 1 < c->d->n_inputs && i >= c->x->input_first[which + 1])
        which++;
    *lo = c->x->input_lo[which];
    int64_t n = c->x->input_hi[which] - *lo + 1;
    return (uint64_t)(n < c->letters ? n : c->letters);
}

static uint64_t chain_count(const void *self)
{
    const dp_chain *c = self;
    uint64_t all = 1;
    int64_t lo;
    for (int64_t i = 0; i < c->x->n_input; i++)
        if (__builtin_mul_overflow(all, values_of(c, i, &lo), &all))
            return UINT64_MAX;
    return all;
}

/* From digits, the last element fastest, or from a generator. */
static void prompt_fill(const dp_chain *c, uint64_t index, at_rng *r, double *prompt, int *n)
{
    int row = row_width(c);
    *n = prompt_max(c);
    memset(prompt, 0, (size_t)*n * (size_t)row * sizeof *prompt);
    for (int64_t i = c->x->n_input - 1; i >= 0; i--) {
        int64_t lo;
        uint64_t base = values_of(c, i, &lo);
        prompt[i * row] = (double)(lo + (int64_t)(r ? at_rng_below(r, base) : index % base));
        index /= base;
    }
}

static at_status chain_nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err)
{
    (void)err;
    prompt_fill(self, i, NULL, prompt, n);
    return AT_OK;
}

static at_status chain_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    (void)err;
    prompt_fill(self, 0, r, prompt, n);
    return AT_OK;
}

static at_status chain_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                              at_err *err)
{
    const dp_chain *c = self;
    const at_dp_instance *x = c->x;
    int row = row_width(self);
    at_arena a;
    at_arena_init(&a);
    int64_t *in = at_new(&a, int64_t, n);
    at_dp_chain y;
    at_status s = in ? AT_OK : at_oom(err);
    for (int64_t i = 0; in && i < x->n_input; i++)
        in[i] = (int64_t)prompt[i * row];
    if (!s)
        s = at_dp_run(x, in, &a, &y, err);
    *n_rows = rows_max(self);
    if (!s)
        at_dp_rows(x, &y, rows);
    at_arena_release(&a);
    return s;
}

const at_chain claim_dp_chain = {
    .id = "recurrence",
    .title = "the table of a recurrence, state by state, then its answer",
    .definition =
        "after the inputs and |: one row 0/state/values/0 for each state in order, then 0/0/0/answer",
    .input_help = "the inputs, then |: 11 9 20 20 5 14 19 9 20 20 9 14 7 |",
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

/* ---- precision ------------------------------------------------------------------------------------------------ */

const char *const claim_dp_precision_rows[] = {"a=2 b=2",   "a=3 b=3",   "a=5 b=5",   "a=7 b=7", "a=10 b=10",
                                               "a=15 b=15", "a=20 b=20", "a=31 b=31", NULL};

at_status claim_dp_precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    at_dp *d;
    at_dp_instance *x;
    at_status s = claim_dp_bind(p, &d, &x, err);
    if (s)
        return s;
    double L = (double)x->L;
    at_dp_instance_free(x);
    at_dp_free(d);
    return claim_chain_precision_row(c, p, L, CLAIM_DP_INPUTS, threads, out, err);
}
