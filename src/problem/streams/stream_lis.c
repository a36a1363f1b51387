/* stream_lis.c: the longest increasing subsequence.
 *
 *     12 40 17 33 21 <sep> 1 2 2 3 3 <sep> 3 <eos>      2n + 3 tokens and <eos>
 *
 * The chain says, for each index, how long the longest strictly increasing subsequence is that ends there. Inputs are
 * n+1 .. n+range, so no input is a length. Uniform inputs have answers near 2 sqrt n; so 3..n of the positions, cut into
 * 1 to 3 pieces, carry sorted numbers without repetition. Drawn as the public benchmark of Feng et al. 2023 does, whose inputs
 * end at 249: range = 249 - n. A run of n numbers does not fit there when n > 124.
 *
 * Tokens: <pad> <sep> <eos>, then the integers 0 .. n+range. */
#include <stdio.h>

#include "../stream.h"

#define N_MAX     1024
#define RANGE_MAX 65536

static const at_param schema[] = {
    {"n", "numbers in a prompt, at most range", 1, N_MAX, 40, true},
    {"range", "inputs are n+1..n+range", 1, RANGE_MAX, 250, true},
};

static at_status validate(const at_params *p, at_err *err)
{
    int n = at_params_int(p, "n"), range = at_params_int(p, "range");
    if (n > range)
        return at_fail(err, AT_EDOMAIN, "n=%d: a sorted run of %d numbers needs range >= %d, and range is %d",
                       n, n, n, range);
    return AT_OK;
}

static int vocabulary(const at_source *d)
{
    return AT_TOKEN_FIRST + source_int(d, "n") + source_int(d, "range") + 1;
}

static void word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    (void)d;
    if (token >= AT_TOKEN_FIRST)
        snprintf(out, AT_STREAM_WORD, "%d", token - AT_TOKEN_FIRST);
}

static int longest(const at_source *d)
{
    return 2 * source_int(d, "n") + 4;
}

static void draw(const at_source *d, at_rng *r, at_sequence *s)
{
    int n = source_int(d, "n"), lo = AT_TOKEN_FIRST + n + 1, hi = lo + source_int(d, "range") - 1;
    int place[N_MAX], value[N_MAX];
    for (int i = 0; i < n; i++)
        sequence_add(s, draw_within(r, lo, hi));
    int planted = n < 3 ? n : draw_within(r, 3, n), runs = draw_within(r, 1, 3);
    draw_ascending(r, 0, n - 1, planted, place);
    for (int k = 0, from = 0; k < runs; k++) { /* a run but the last: 1 .. 1 + its share of what is left */
        int left = planted - from, share = left / (runs - k) + 1;
        int size = k + 1 == runs ? left : draw_within(r, 1, share < left ? share : left), to = from + size;
        draw_ascending(r, lo, hi, to - from, value);
        for (int i = from; i < to; i++)
            s->token[place[i]] = value[i - from];
        from = to;
    }
    prompt_end(s);
}

static words_all prompts_of(const at_source *d)
{
    int n = source_int(d, "n");
    return (words_all){n, n, 1, AT_TOKEN_FIRST + n + 1, source_int(d, "range")};
}

static uint64_t count(const at_source *d)
{
    words_all w = prompts_of(d);
    return words_count(&w);
}

static void nth(const at_source *d, uint64_t i, at_sequence *s)
{
    words_all w = prompts_of(d);
    words_nth(&w, i, s);
}

/* tail[l]: the least last element of an increasing subsequence of length l so far. */
static bool complete(const at_source *d, at_sequence *s)
{
    int n = source_int(d, "n"), lo = AT_TOKEN_FIRST + n + 1, tail[N_MAX + 1], best = 0;
    if (s->n != n + 1 || !tokens_within(s->token, n, lo, lo + source_int(d, "range") - 1) ||
        s->token[n] != AT_TOKEN_SEP)
        return false;
    for (int i = 0; i < n; i++) {
        int from = 1, to = best + 1; /* the first l with tail[l] >= x */
        while (from < to) {
            int mid = (from + to) / 2;
            if (tail[mid] < s->token[i])
                from = mid + 1;
            else
                to = mid;
        }
        tail[from] = s->token[i];
        best = from > best ? from : best;
        sequence_add(s, AT_TOKEN_FIRST + from);
    }
    answer_end(s, AT_TOKEN_FIRST + best);
    return true;
}

static const at_stream_verbs verbs = {
    .validate = validate,
    STREAM_VERBS,
    .count = count,
    .nth = nth,
    .before_answer = AT_TOKEN_SEP,
};

const at_stream at_stream_lis = {
    .id = "lis",
    .title = "Longest increasing subsequence, with the table of lengths as chain",
    .format = "x_1 ... x_n <sep> l_1 ... l_n <sep> max l <eos>",
    .params = schema,
    .n_params = STREAM_PARAMS(schema),
    .verbs = &verbs,
};
