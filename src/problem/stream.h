/* stream.h: what the files about streams share (private to problem).
 *
 * A stream gives verbs; stream.c makes everything else of them. A prompt is drawn first; only when its split is
 * right the rest is written, so that throwing draws away is cheap. */
#ifndef ATTEST_PROBLEM_STREAM_H
#define ATTEST_PROBLEM_STREAM_H

#include <string.h>

#include <attest/problem.h>

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

/* Prompts that are all words of `least` to `most` letters (in steps) out of the tokens lo .. lo + base - 1, shorter ones first,
 * the last letter fastest. */
typedef struct {
    int least, most, step, lo, base;
} words_all;
uint64_t words_count(const words_all *w); /* UINT64_MAX: too many */
void words_nth(const words_all *w, uint64_t i, at_sequence *s);

/* Uniform in lo..hi. */
static inline int draw_within(at_rng *r, int lo, int hi)
{
    return lo + (int)at_rng_below(r, (uint64_t)(hi - lo) + 1);
}

/* m of the integers lo..hi without repetition, ascending (Floyd). */
void draw_ascending(at_rng *r, int lo, int hi, int m, int *out);

#endif
