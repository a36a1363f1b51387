/* stream_test.h: what the tests of streams share. */
#ifndef ATTEST_STREAM_TEST_H
#define ATTEST_STREAM_TEST_H

#include "task_test.h"

static inline at_source *source_with(const char *id, const char *assignments)
{
    const at_stream *t = at_stream_find(id);
    assert_non_null(t);
    at_err err = {0};
    at_params p;
    at_source *d = NULL;
    at_params_init(&p, t->params, t->n_params);
    if (at_params_parse(&p, assignments, &err) || at_source_open(t, &p, &d, &err))
        fail_msg("%s %s: %s", id, assignments, err.text);
    return d;
}

/* Exactly the room that is promised: a sanitizer sees any step outside. */
static inline at_sequence sequence_for(const at_source *d)
{
    at_sequence s = {.token = malloc((size_t)at_source_longest(d) * sizeof(int))};
    assert_non_null(s.token);
    return s;
}

static inline void sample_take(const at_source *d, uint64_t seed, at_part split, uint64_t i, at_sequence *s)
{
    at_err err = {0};
    if (at_source_sample(d, seed, split, i, s, &err))
        fail_msg("sample %d: %s", (int)i, err.text);
    bool labels = at_source_labels(d); /* no <pad>, and <eos> at the end; or the task's integers */
    assert_true(s->n <= at_source_longest(d) && s->prompt >= 1 && s->prompt <= s->answer &&
                s->answer < s->n - !labels);
    assert_true(labels || s->token[s->n - 1] == AT_TOKEN_EOS);
    for (int k = 0; k < s->n; k++)
        assert_in_range(s->token[k], labels ? 0 : AT_TOKEN_SEP, at_source_vocabulary(d) - 1);
}

/* A row of words as tokens; returns their number. */
static inline int tokens_from(const at_source *d, const char *text, int *out)
{
    int n = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t bytes = strcspn(text, " ");
        if ((out[n++] = at_source_token(d, text, bytes)) < 0)
            fail_msg("'%.*s' is no word", (int)bytes, text);
        text += bytes;
    }
    return n;
}

#endif
