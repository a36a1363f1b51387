/* chain_stream.c: a stream's rows as a chain: a prompt of tokens, and the one completion that is right. */
#include <attest/problem.h>

#include <string.h>

#include "stream.h"

static at_status stream_open(const at_params *p, void **self, at_err *err)
{
    const at_problem *q = p->of;
    at_source *d;
    at_params own; /* a claim may have more */
    at_params_init(&own, q->stream->params, q->stream->n_params);
    own.of = q;
    for (int k = 0; k < own.n; k++)
        if (at_params_has(p, own.schema[k].name))
            own.value[k] = at_params_get(p, own.schema[k].name);
    at_status s = at_source_open(q->stream, &own, &d, err);
    if (s)
        return s;
    if (at_source_labels(d)) {
        at_source_free(d);
        return at_fail(err, AT_EINPUT, "rows of %s are answered at positions, not written", q->id);
    }
    *self = d;
    return AT_OK;
}

static void stream_close(void *self)
{
    at_source_free(self);
}

static int stream_row_width(const void *self)
{
    (void)self;
    return 1;
}

static int stream_longest(const void *self)
{
    return at_source_longest(self);
}

static uint64_t stream_count(const void *self)
{
    const at_source *d = self;
    return d->verbs->unlisted ? UINT64_MAX : d->verbs->count(d);
}

static const char *stream_unlisted(const void *self)
{
    const at_source *d = self;
    return d->verbs->unlisted;
}

/* Sample i of the test part, of seed `seed`. */
static at_status stream_prompt(const at_source *d, uint64_t seed, uint64_t i, double *prompt, int *n,
                               at_err *err)
{
    at_sequence s = {.token = at_calloc((size_t)at_source_longest(d), sizeof(int))};
    at_status bad = s.token ? at_source_sample(d, seed, AT_TEST, i, &s, err) : at_oom(err);
    for (int k = 0; k < s.prompt && !bad; k++)
        prompt[k] = s.token[k];
    *n = s.prompt;
    at_free(s.token);
    return bad;
}

static at_status stream_nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err)
{
    const at_source *d = self;
    if (d->verbs->unlisted)
        return stream_prompt(d, 1, i, prompt, n, err);
    at_sequence s = {.token = at_calloc((size_t)at_source_longest(d), sizeof(int))};
    if (!s.token)
        return at_oom(err);
    d->verbs->nth(d, i, &s);
    for (int k = 0; k < s.n; k++)
        prompt[k] = s.token[k];
    *n = s.n;
    at_free(s.token);
    return AT_OK;
}

static at_status stream_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    uint64_t seed = at_rng_u64(r);
    return stream_prompt(self, seed, at_rng_u64(r) >> 1, prompt, n, err);
}

/* What the reference writes; where a user's file has more than one right completion, there is none to compare with. */
static at_status stream_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                               at_err *err)
{
    const at_source *d = self;
    int longest = at_source_longest(d);
    at_sequence s = {.n = n, .prompt = n, .token = at_calloc((size_t)longest, sizeof(int))};
    if (!s.token)
        return at_oom(err);
    at_status bad = n <= longest ? AT_OK : at_fail(err, AT_EINPUT, "%d tokens are no prompt", n);
    for (int k = 0; k < n && !bad; k++)
        s.token[k] = (int)prompt[k];
    if (!bad)
        bad = at_source_complete(d, &s, err);
    if (!bad && at_source_rights(d, s.token, n).chains > 1)
        bad = at_fail(err, AT_EREFUSED,
                      "a prompt of this file has several right completions; `attest eval` takes any of them");
    for (int k = n; k < s.n && !bad; k++)
        rows[k - n] = s.token[k];
    *n_rows = s.n - n;
    at_free(s.token);
    return bad;
}

const at_chain at_chain_stream = {
    .id = "the stream",
    .title = "a stream's completions",
    .definition = "prompt, then the chain and the answer of the stream's reference, then <eos>",
    .input_help = "words between blanks",
    .open = stream_open,
    .close = stream_close,
    .row_width = stream_row_width,
    .prompt_max = stream_longest,
    .rows_max = stream_longest,
    .count = stream_count,
    .unlisted = stream_unlisted,
    .nth = stream_nth,
    .sample = stream_sample,
    .answer = stream_answer,
};
