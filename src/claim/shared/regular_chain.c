/* regular_chain.c: what an automaton does, letter by letter, as a chain: all words of 0..N letters are its prompts. */
#include "claim_regular.h"

#include <string.h>

typedef struct {
    const at_dfa *d;
    int N;
} chain;

static const at_param params[] = {CLAIM_REGULAR_LANGUAGE, CLAIM_REGULAR_LENGTH};

static at_status chain_open(const at_params *p, void **self, at_err *err)
{
    const at_problem *q;
    at_status s = claim_regular_asks(p, &q, err);
    chain *c = s ? NULL : at_calloc(1, sizeof *c);
    if (s)
        return s;
    if (!c)
        return at_oom(err);
    *c = (chain){at_recogniser_of(q)->dfa, at_params_int(p, "N")};
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

static int tokens(const void *self)
{
    const chain *c = self;
    return at_cot_token(c->d, AT_COT_LETTER, c->d->sigma.n);
}

static int prompt_max(const void *self)
{
    return ((const chain *)self)->N + 1;
}

static int rows_max(const void *self)
{
    return ((const chain *)self)->N + 2;
}

static uint64_t words_of(const chain *c, int n)
{
    uint64_t all = 1;
    for (int i = 0; i < n; i++)
        if (__builtin_mul_overflow(all, (uint64_t)c->d->sigma.n, &all))
            return UINT64_MAX;
    return all;
}

static uint64_t chain_count(const void *self)
{
    const chain *c = self;
    uint64_t all = 0;
    for (int n = 0; n <= c->N; n++) {
        uint64_t some = words_of(c, n);
        if (some == UINT64_MAX || __builtin_add_overflow(all, some, &all))
            return UINT64_MAX;
    }
    return all;
}

static void end_write(const chain *c, double *prompt, int *n)
{
    prompt[*n] = at_cot_token(c->d, AT_COT_SEP, 0);
    ++*n;
}

static at_status chain_nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err)
{
    (void)err;
    const chain *c = self;
    *n = 0;
    for (; i >= words_of(c, *n); ++*n)
        i -= words_of(c, *n);
    for (int k = *n - 1; k >= 0; k--, i /= (uint64_t)c->d->sigma.n)
        prompt[k] = at_cot_token(c->d, AT_COT_LETTER, (int)(i % (uint64_t)c->d->sigma.n));
    end_write(c, prompt, n);
    return AT_OK;
}

/* Half of them as long as can be. */
static at_status chain_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    (void)err;
    const chain *c = self;
    *n = at_rng_below(r, 2) ? c->N : (int)at_rng_below(r, (uint64_t)c->N + 1);
    for (int k = 0; k < *n; k++)
        prompt[k] = at_cot_token(c->d, AT_COT_LETTER, (int)at_rng_below(r, (uint64_t)c->d->sigma.n));
    end_write(c, prompt, n);
    return AT_OK;
}

/* A letter becomes the first of the alphabet. */
static bool simpler(const void *self, const double *prompt, int n, int k, double *out)
{
    const chain *c = self;
    double first = at_cot_token(c->d, AT_COT_LETTER, 0);
    memcpy(out, prompt, (size_t)n * sizeof *out);
    for (int i = 0; i < n - 1; i++)
        if (prompt[i] != first && k-- == 0) {
            out[i] = first;
            return true;
        }
    return false;
}

static at_status chain_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                              at_err *err)
{
    const chain *c = self;
    int first = at_cot_token(c->d, AT_COT_LETTER, 0), q = c->d->start;
    if (n < 1 || n > c->N + 1 || prompt[n - 1] != at_cot_token(c->d, AT_COT_SEP, 0))
        return at_fail(err, AT_EINPUT, "a prompt is a word of at most %d letters and |", c->N);
    for (int i = 0; i < n - 1; i++) {
        int a = (int)prompt[i] - first;
        if (a < 0 || a >= c->d->sigma.n)
            return at_fail(err, AT_EINPUT, "row %d of the prompt is no letter", i + 1);
        q = c->d->to[q * c->d->sigma.n + a];
        rows[i] = at_cot_token(c->d, AT_COT_STATE, q);
    }
    rows[n - 1] = at_cot_token(c->d, c->d->accept[q] ? AT_COT_YES : AT_COT_NO, 0);
    rows[n] = at_cot_token(c->d, AT_COT_EOS, 0);
    *n_rows = n + 1;
    return AT_OK;
}

static void chain_print(const void *self, at_text *out)
{
    at_dfa_print(((const chain *)self)->d, out);
}

const at_chain claim_regular_chain = {
    .id = "states",
    .title = "the states that a word leads to, one after the other",
    .definition = "after w_1 ... w_n |: the state after each letter, then yes or no, then <eos>",
    .input_help = "a b b |",
    .params = params,
    .n_params = COUNT(params),
    .open = chain_open,
    .close = chain_close,
    .row_width = row_width,
    .tokens = tokens,
    .prompt_max = prompt_max,
    .rows_max = rows_max,
    .count = chain_count,
    .nth = chain_nth,
    .sample = chain_sample,
    .simpler = simpler,
    .answer = chain_answer,
    .print = chain_print,
    .language = "dfa",
};
