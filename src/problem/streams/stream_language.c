/* stream_language.c: words of formal languages, with a chain that reads them once: parity, majority, Dyck-(k,D).
 *
 *     1 0 1 1 <sep> 1 1 0 1 <sep> 1 <eos>         parity: of the ones so far
 *     1 0 1 1 <sep> 1 1 2 3 <sep> 1 <eos>         majority: ones so far; 1 iff more than half
 *     ( [ ] ) ) ( <sep> 1 2 1 0 ! ! <sep> 0 <eos>   dyck: depth so far, ! from the first fault on; 1 iff balanced
 *
 * Lengths are uniform in least..n (Dyck: the even ones). Bits are uniform. Half of the Dyck words are walks of depth at
 * most D that end at 0 (a step up or down is a fair coin wherever both are possible), half are such walks with one to
 * three symbols drawn anew; those that stay balanced count as what they are.
 *
 * Tokens: <pad> <sep> <eos>, the symbols (bits; Dyck: ! and k pairs of brackets), then integers where needed. In parity and
 * majority a bit is the integer 0 or 1. */
#include <stdio.h>

#include "../stream.h"

#define N_MAX 1024
#define K_MAX 8
enum { NUMBER = AT_TOKEN_FIRST, FAULT = AT_TOKEN_FIRST, BRACKET };

#define LENGTH_PARAMS(most)                                                                                  \
    {"n", "longest word", 1, N_MAX, most, true},                                                             \
    {                                                                                                        \
        "least", "shortest word; 0: all have n symbols", 0, N_MAX, 0, true                                   \
    }
static const at_param bits_schema[] = {LENGTH_PARAMS(20)};
static const at_param dyck_schema[] = {
    LENGTH_PARAMS(20),
    {"k", "kinds of brackets", 1, K_MAX, 2, true},
    {"D", "greatest depth", 1, N_MAX / 2, 4, true},
};

static at_status validate(const at_params *p, at_err *err)
{
    int n = at_params_int(p, "n"), least = at_params_int(p, "least");
    if (least > n)
        return at_fail(err, AT_EDOMAIN, "least=%d: must be an integer in 0..n, and n is %d", least, n);
    if (at_params_has(p, "D") && (n % 2 || least % 2))
        return at_fail(err, AT_EDOMAIN, "n=%d least=%d: balanced words have even lengths", n, least);
    return AT_OK;
}

extern const at_stream at_stream_dyck, at_stream_parity; /* below */

static bool is_dyck(const at_source *d)
{
    return d->stream == &at_stream_dyck;
}

static int depth_token(const at_source *d) /* of depth 0 */
{
    return BRACKET + 2 * source_int(d, "k");
}

static int vocabulary(const at_source *d)
{
    if (is_dyck(d))
        return depth_token(d) + source_int(d, "D") + 1; /* 0 and 1 are the answers too */
    return NUMBER + (d->stream == &at_stream_parity ? 2 : source_int(d, "n") + 1);
}

static void word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    static const char brackets[] = "()[]{}<>";
    if (token < AT_TOKEN_FIRST)
        return;
    if (!is_dyck(d))
        snprintf(out, AT_STREAM_WORD, "%d", token - NUMBER);
    else if (token == FAULT)
        snprintf(out, AT_STREAM_WORD, "!");
    else if (token >= depth_token(d))
        snprintf(out, AT_STREAM_WORD, "%d", token - depth_token(d));
    else if (token - BRACKET < 8)
        snprintf(out, AT_STREAM_WORD, "%c", brackets[token - BRACKET]);
    else
        snprintf(out, AT_STREAM_WORD, "%c%d", brackets[(token - BRACKET) % 2], (token - BRACKET) / 2 + 1);
}

static int longest(const at_source *d)
{
    return 2 * source_int(d, "n") + 4;
}

static int length_draw(const at_source *d, at_rng *r)
{
    int n = source_int(d, "n"), least = source_int(d, "least"), unit = is_dyck(d) ? 2 : 1;
    if (!least)
        return n;
    return unit * draw_within(r, least / unit, n / unit);
}

/* The length of the word in a prompt; 0: it is no prompt. */
static int length_read(const at_source *d, const at_sequence *s)
{
    int n = source_int(d, "n"), least = source_int(d, "least"), length = s->n - 1;
    bool ok = length >= 1 && length <= n && length >= (least ? least : n) && !(is_dyck(d) && length % 2) &&
              s->token[length] == AT_TOKEN_SEP;
    int lo = is_dyck(d) ? BRACKET : NUMBER, hi = is_dyck(d) ? depth_token(d) - 1 : NUMBER + 1;
    return ok && tokens_within(s->token, length, lo, hi) ? length : 0;
}

/* Every word, balanced or not. */
static words_all prompts_of(const at_source *d)
{
    int n = source_int(d, "n"), least = source_int(d, "least");
    return (words_all){least ? least : n, n, is_dyck(d) ? 2 : 1, is_dyck(d) ? BRACKET : NUMBER,
                       is_dyck(d) ? depth_token(d) - BRACKET : 2};
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

/* ---- bits ------------------------------------------------------------------------------------------------ */

static void bits_draw(const at_source *d, at_rng *r, at_sequence *s)
{
    for (int i = length_draw(d, r); i > 0; i--)
        sequence_add(s, NUMBER + draw_within(r, 0, 1));
    prompt_end(s);
}

static bool bits_complete(const at_source *d, at_sequence *s)
{
    int length = length_read(d, s), ones = 0;
    bool parity = d->stream == &at_stream_parity;
    if (!length)
        return false;
    for (int i = 0; i < length; i++) {
        ones += s->token[i] - NUMBER;
        sequence_add(s, NUMBER + (parity ? ones % 2 : ones));
    }
    answer_end(s, NUMBER + (parity ? ones % 2 : 2 * ones > length));
    return true;
}

/* ---- Dyck ------------------------------------------------------------------------------------------------ */

static void dyck_draw(const at_source *d, at_rng *r, at_sequence *s)
{
    int n = length_draw(d, r), k = source_int(d, "k"), D = source_int(d, "D"), open[N_MAX / 2], depth = 0;
    for (int left = n; left > 0; left--) { /* symbols left to write; depth <= left */
        bool up = depth < D && depth<left, down = depth> 0;
        if (up && (!down || at_rng_below(r, 2))) {
            open[depth] = draw_within(r, 0, k - 1);
            sequence_add(s, BRACKET + 2 * open[depth++]);
        } else
            sequence_add(s, BRACKET + 2 * open[--depth] + 1);
    }
    if (at_rng_below(r, 2))
        for (int faults = draw_within(r, 1, 3); faults > 0; faults--)
            s->token[at_rng_below(r, (uint64_t)n)] = draw_within(r, BRACKET, BRACKET + 2 * k - 1);
    prompt_end(s);
}

static bool dyck_complete(const at_source *d, at_sequence *s)
{
    int n = length_read(d, s), D = source_int(d, "D"), open[N_MAX / 2 + 1], depth = 0;
    bool fault = false;
    if (!n)
        return false;
    for (int i = 0; i < n; i++) {
        int kind = (s->token[i] - BRACKET) / 2;
        if (!fault && (s->token[i] - BRACKET) % 2 == 0) {
            fault = depth == D;
            open[depth++] = kind; /* depth <= D <= N_MAX / 2 */
        } else if (!fault)
            fault = depth == 0 || open[--depth] != kind;
        sequence_add(s, fault ? FAULT : depth_token(d) + depth);
    }
    answer_end(s, depth_token(d) + (!fault && depth == 0));
    return true;
}

#define LANGUAGE_VERBS                                                                                       \
    .validate = validate, .vocabulary = vocabulary, .word = word, .longest = longest, .count = count,        \
    .nth = nth, .before_answer = AT_TOKEN_SEP
static const at_stream_verbs bits_verbs = {LANGUAGE_VERBS, .draw = bits_draw, .complete = bits_complete};
static const at_stream_verbs dyck_verbs = {LANGUAGE_VERBS, .draw = dyck_draw, .complete = dyck_complete};

const at_stream at_stream_parity = {
    .id = "parity",
    .title = "Is the number of ones odd? The chain is the parity so far",
    .format = "1 0 1 1 <sep> 1 1 0 1 <sep> 1 <eos>",
    .params = bits_schema,
    .n_params = STREAM_PARAMS(bits_schema),
    .verbs = &bits_verbs,
};

const at_stream at_stream_majority = {
    .id = "majority",
    .title = "Are more than half of the bits ones? The chain counts them",
    .format = "1 0 1 1 <sep> 1 1 2 3 <sep> 1 <eos>",
    .params = bits_schema,
    .n_params = STREAM_PARAMS(bits_schema),
    .verbs = &bits_verbs,
};

const at_stream at_stream_dyck = {
    .id = "dyck",
    .title = "Dyck-(k,D): are k kinds of brackets balanced at depth at most D?",
    .format = "( [ ] ) ) ( <sep> 1 2 1 0 ! ! <sep> 0 <eos>",
    .params = dyck_schema,
    .n_params = STREAM_PARAMS(dyck_schema),
    .verbs = &dyck_verbs,
};
