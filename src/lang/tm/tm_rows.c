/* tm_rows.c: runs of a Turing machine as rows that a language model learns.
 *
 *     1 0 1 1 <sep> 1/R/right ... 1/L/done <sep> halt <eos>       the input, the steps, the verdict
 *
 * Prompts are those of the chain: inputs on which the machine stops within T steps. */
#include <string.h>

#include "tm_internal.h"

typedef struct {
    void *chain;
    const at_tm *t;
    int N, T;
} rows;

static const rows *rows_of(const at_source *d)
{
    return d->more;
}

static at_status rows_open(at_source *d, at_err *err)
{
    rows *w = at_calloc(1, sizeof *w);
    if (!w)
        return at_oom(err);
    *w = (rows){.t = at_tm_of(d->p.of), .N = at_params_int(&d->p, "N"), .T = at_params_int(&d->p, "T")};
    at_status s = at_tm_chain_open(w->t, NULL, w->N, w->T, &w->chain, err);
    if (!s && !at_tm_chain_count(w->chain)) {
        at_tm_chain_close(w->chain);
        s = at_fail(err, AT_EDOMAIN,
                    "N=%d T=%d: the machine stops on none of these inputs in time; there is nothing to learn",
                    w->N, w->T);
    }
    if (s)
        at_free(w);
    else
        d->more = w;
    return s;
}

static void rows_close(at_source *d)
{
    rows *w = d->more;
    at_tm_chain_close(w->chain);
    at_free(w);
}

/* The tokens of chains, but for <start> and <end>, in their order. There is one more of them than in chains: by that a decoder of rows
 * is told from one of chains. */
static int from_chain(const at_tm *t, int token)
{
    return AT_TOKEN_FIRST + token - (token > t->begin);
}

static int to_chain(const at_tm *t, int token)
{
    int k = token - AT_TOKEN_FIRST;
    return k + (k >= t->begin);
}

static int vocabulary(const at_source *d)
{
    return AT_TOKEN_FIRST + rows_of(d)->t->tokens - 2;
}

static void word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    _Static_assert(AT_STREAM_WORD == AT_WORD_MAX + 1, "words of chains are words of rows");
    if (token >= AT_TOKEN_FIRST)
        at_tm_word(rows_of(d)->t, to_chain(rows_of(d)->t, token), out);
}

static int longest(const at_source *d)
{
    return rows_of(d)->N + 1 + rows_of(d)->T + 3;
}

static void prompt_make(const at_source *d, uint64_t index, at_rng *r, at_sequence *s)
{
    const rows *w = rows_of(d);
    double *prompt = at_malloc(((size_t)w->N + 1) * sizeof *prompt);
    int n = 0;
    at_status st = !prompt              ? AT_ENOMEM
                   : !r                 ? at_tm_chain_nth(w->chain, index, prompt, &n, NULL)
                   : at_rng_below(r, 2) ? at_tm_chain_adversarial(w->chain, r, prompt, &n, NULL)
                                        : at_tm_chain_sample(w->chain, r, prompt, &n, NULL);
    s->n = 0;
    for (int k = 0; !st && k < n - 1; k++)
        s->token[s->n++] = from_chain(w->t, (int)prompt[k]);
    if (!st)
        s->token[s->n++] = AT_TOKEN_SEP; /* else there is no prompt: completing it says so */
    s->prompt = s->n;
    at_free(prompt);
}

static void draw(const at_source *d, at_rng *r, at_sequence *s)
{
    prompt_make(d, 0, r, s);
}

static uint64_t count(const at_source *d)
{
    return at_tm_chain_count(rows_of(d)->chain);
}

static void nth(const at_source *d, uint64_t i, at_sequence *s)
{
    prompt_make(d, i, NULL, s);
}

static bool complete(const at_source *d, at_sequence *s)
{
    const rows *w = rows_of(d);
    const at_tm *t = w->t;
    at_arena a;
    at_tm_end end;
    int n = s->n - 1, n_chain;
    at_arena_init(&a);
    int *input = at_new(&a, int, s->n + 1), *chain = at_new(&a, int, w->T + 2);
    bool good = input && chain && n >= 0 && n <= w->N && s->token[n] == AT_TOKEN_SEP;
    for (int k = 0; good && k < n; k++) {
        input[k] = s->token[k] - AT_TOKEN_FIRST;
        good = input[k] >= 1 && input[k] <= t->letters;
    }
    good =
        good && !at_tm_run(t, input, n, w->T, &a, chain, &n_chain, &end, NULL) && end.verdict != AT_TM_RUNS;
    s->prompt = s->n;
    for (int k = 0; good && k < n_chain - 2; k++)
        s->token[s->n++] = from_chain(t, chain[k]);
    if (good) {
        s->token[s->n++] = AT_TOKEN_SEP;
        s->answer = s->n;
        s->token[s->n++] = from_chain(t, chain[n_chain - 2]);
        s->token[s->n++] = AT_TOKEN_EOS;
    }
    at_arena_release(&a);
    return good;
}

const at_stream_verbs tm_rows = {
    .open = rows_open,
    .close = rows_close,
    .vocabulary = vocabulary,
    .word = word,
    .longest = longest,
    .draw = draw,
    .complete = complete,
    .count = count,
    .nth = nth,
    .before_answer = AT_TOKEN_SEP,
};
