/* stream.h: what the files about streams share (private to problem).
 *
 * A stream gives verbs; stream.c makes everything else of them. A prompt is drawn first; only when its split is
 * right the rest is written, so that throwing draws away is cheap. */
#ifndef ATTEST_PROBLEM_STREAM_H
#define ATTEST_PROBLEM_STREAM_H

#include <string.h>

#include <attest/problem.h>

struct at_source {
    const at_stream *stream; /* NULL: a file, or derived from a task */
    const at_task *task;     /* whose positions these rows are; NULL: no task's */
    const struct at_stream_verbs *verbs;
    at_params p;
    void *more; /* the stream's own, made by open */
};

typedef struct at_stream_verbs {
    at_status (*validate)(const at_params *p, at_err *err); /* may be NULL */
    at_status (*open)(at_source *d, at_err *err);           /* makes d->more; may be NULL */
    void (*close)(at_source *d);                            /* may be NULL */
    int (*vocabulary)(const at_source *d);
    void (*word)(const at_source *d, int token, char out[AT_STREAM_WORD]); /* of a token in the vocabulary */
    int (*longest)(const at_source *d);
    at_labels (*labels)(const at_source *d); /* NULL: none, rows are written */
    /* Writes a prompt with its separator (s->n = s->prompt), or the whole row. */
    void (*draw)(const at_source *d, at_rng *r, at_sequence *s);
    /* Appends what follows the prompt; false when it is no prompt. NULL: the rest is random, rows are drawn whole. */
    bool (*complete)(const at_source *d, at_sequence *s);
    /* Right completions other than the reference; NULL: none. Sets chain and wrong. */
    void (*steps)(const at_source *d, const int *prompt, int n_prompt, const int *completion, int n,
                  at_grade *g);
    double (*probability)(const at_source *d, const int *token, int i); /* NULL: no language model */
    int before_answer; /* the token before an answer; -1: all that follows the prompt is the answer */
} at_stream_verbs;

extern const at_stream at_stream_lis, at_stream_ed, at_stream_ed_local, at_stream_arithmetic, at_stream_qsa,
    at_stream_match2, at_stream_match3, at_stream_compose, at_stream_funccomp, at_stream_parity,
    at_stream_majority, at_stream_dyck, at_stream_ngram, at_stream_max;

/* The verbs that every file with one family of rows has under these names. */
#define STREAM_VERBS                                                                                         \
    .vocabulary = vocabulary, .word = word, .longest = longest, .draw = draw, .complete = complete
#define STREAM_PARAMS(schema) ((int)(sizeof(schema) / sizeof((schema)[0])))

static inline int source_int(const at_source *d, const char *name)
{
    return at_params_int(&d->p, name);
}

static inline void sequence_add(at_sequence *s, int token)
{
    s->token[s->n++] = token;
}

/* <sep>, and with it the prompt ends. */
static inline void prompt_end(at_sequence *s)
{
    sequence_add(s, AT_TOKEN_SEP);
    s->prompt = s->n;
}

/* Is token[0..n-1] in lo..hi, all of it? */
static inline bool tokens_within(const int *token, int n, int lo, int hi)
{
    for (int i = 0; i < n; i++)
        if (token[i] < lo || token[i] > hi)
            return false;
    return true;
}

/* <sep> answer <eos> */
static inline void answer_end(at_sequence *s, int answer)
{
    sequence_add(s, AT_TOKEN_SEP);
    s->answer = s->n;
    sequence_add(s, answer);
    sequence_add(s, AT_TOKEN_EOS);
}

/* Uniform in lo..hi. */
static inline int draw_within(at_rng *r, int lo, int hi)
{
    return lo + (int)at_rng_below(r, (uint64_t)(hi - lo) + 1);
}

/* m of the integers lo..hi without repetition, ascending (Floyd). */
void draw_ascending(at_rng *r, int lo, int hi, int m, int *out);

#endif
