/* stream_language.c: words of formal languages, with a chain that reads them once (chain=0: without, the answer alone): parity,
 * majority, Dyck-(k,D), (aa)*, sums modulo p.
 *
 *     1 0 1 1 <sep> 1 1 0 1 <sep> 1 <eos>         parity: of the ones so far
 *     1 0 1 1 <sep> 1 1 2 3 <sep> 1 <eos>         majority: ones so far; 1 iff more than half
 *     ( [ ] ) ) ( <sep> 1 2 1 0 ! ! <sep> 0 <eos>   dyck: depth so far, ! from the first fault on; 1 iff balanced
 *
 *     a a b a <sep> 1 0 ! ! <sep> 0 <eos>         aa: length so far modulo 2, ! from the first b on; 1 iff in (aa)*
 *     2 0 1 <sep> 2 2 0 <sep> 1 <eos>             sum: modulo p so far; 1 iff 0
 *
 * Lengths are uniform in least..n (Dyck: the even ones). Half of the words of aa are in (aa)*, a quarter a's of odd length, a quarter
 * have one to three letters b. Half of the sums are 0: of every second word the last digit is chosen so. Bits are uniform. Half of the Dyck words are walks of depth at
 * most D that end at 0 (a step up or down is a fair coin wherever both are possible), half are such walks with one to
 * three symbols drawn anew, and again as long as they stay balanced.
 *
 * Tokens: <pad> <sep> <eos>, the symbols (bits, digits; Dyck: ! and k pairs of brackets; aa: !, a, b), then integers where needed. In
 * parity, majority and sum a symbol is an integer. Without chains the words of majority do not depend on n. */
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
#define CHAIN_PARAM                                                                                          \
    {                                                                                                        \
        "chain", "0: the answer alone, no chain before it", 0, 1, 1, true                                    \
    }
static const at_param bits_schema[] = {LENGTH_PARAMS(20), CHAIN_PARAM};
static const at_param sum_schema[] = {LENGTH_PARAMS(20), {"p", "modulus", 2, 64, 3, true}, CHAIN_PARAM};
static const at_param dyck_schema[] = {
    LENGTH_PARAMS(20),
    {"k", "kinds of brackets", 1, K_MAX, 2, true},
    {"D", "greatest depth", 1, N_MAX / 2, 4, true},
    CHAIN_PARAM,
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

extern const at_stream at_stream_dyck, at_stream_parity, at_stream_majority, at_stream_aa,
    at_stream_sum; /* below */

static bool is_dyck(const at_source *d)
{
    return d->stream == &at_stream_dyck;
}

static bool has_letters(const at_source *d) /* symbols that are no integers */
{
    return is_dyck(d) || d->stream == &at_stream_aa;
}

static int depth_token(const at_source *d) /* of depth 0; of the integer 0 */
{
    return !has_letters(d) ? NUMBER : BRACKET + 2 * (is_dyck(d) ? source_int(d, "k") : 1);
}

/* Symbols of a word are 0 .. that - 1, from this token on. */
static int symbols(const at_source *d, int *first)
{
    *first = has_letters(d) ? BRACKET : NUMBER;
    return has_letters(d) ? depth_token(d) - BRACKET : d->stream == &at_stream_sum ? source_int(d, "p") : 2;
}

/* The next token of a chain, where there is one. */
static void chain_add(const at_source *d, at_sequence *s, int token)
{
    if (source_int(d, "chain"))
        sequence_add(s, token);
}

static int vocabulary(const at_source *d)
{
    if (is_dyck(d))
        return depth_token(d) + source_int(d, "D") + 1; /* 0 and 1 are the answers too */
    if (d->stream == &at_stream_aa)
        return depth_token(d) + 2;
    int base = symbols(d, &(int){0});
    return NUMBER +
           (d->stream != &at_stream_majority || !source_int(d, "chain") ? base : source_int(d, "n") + 1);
}

static void word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    static const char brackets[] = "()[]{}<>";
    if (token < AT_TOKEN_FIRST)
        return;
    if (!has_letters(d))
        snprintf(out, AT_STREAM_WORD, "%d", token - NUMBER);
    else if (token == FAULT)
        snprintf(out, AT_STREAM_WORD, "!");
    else if (token >= depth_token(d))
        snprintf(out, AT_STREAM_WORD, "%d", token - depth_token(d));
    else if (!is_dyck(d))
        snprintf(out, AT_STREAM_WORD, "%c", 'a' + token - BRACKET);
    else if (token - BRACKET < 8)
        snprintf(out, AT_STREAM_WORD, "%c", brackets[token - BRACKET]);
    else
        snprintf(out, AT_STREAM_WORD, "%c%d", brackets[(token - BRACKET) % 2], (token - BRACKET) / 2 + 1);
}

static int longest(const at_source *d)
{
    return (source_int(d, "chain") ? 2 : 1) * source_int(d, "n") + 4;
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
    int lo, base = symbols(d, &lo);
    return ok && tokens_within(s->token, length, lo, lo + base - 1) ? length : 0;
}

/* Every word, balanced or not. */
static words_all prompts_of(const at_source *d)
{
    int n = source_int(d, "n"), least = source_int(d, "least");
    int lo, base = symbols(d, &lo);
    return (words_all){least ? least : n, n, is_dyck(d) ? 2 : 1, lo, base};
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
        chain_add(d, s, NUMBER + (parity ? ones % 2 : ones));
    }
    answer_end(s, NUMBER + (parity ? ones % 2 : 2 * ones > length));
    return true;
}

/* ---- Dyck ------------------------------------------------------------------------------------------------ */

static bool is_balanced(const int *token, int n, int D)
{
    int open[N_MAX + 1], depth = 0;
    for (int i = 0; i < n; i++) {
        int kind = (token[i] - BRACKET) / 2;
        if ((token[i] - BRACKET) % 2 == 0)
            open[depth++] = kind;
        if (depth > D || ((token[i] - BRACKET) % 2 && (depth == 0 || open[--depth] != kind)))
            return false;
    }
    return depth == 0;
}

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
        do
            for (int faults = draw_within(r, 1, 3); faults > 0; faults--)
                s->token[at_rng_below(r, (uint64_t)n)] = draw_within(r, BRACKET, BRACKET + 2 * k - 1);
        while (is_balanced(s->token, n, D));
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
        chain_add(d, s, fault ? FAULT : depth_token(d) + depth);
    }
    answer_end(s, depth_token(d) + (!fault && depth == 0));
    return true;
}

/* ---- (aa)* ------------------------------------------------------------------------------------------------ */

static void aa_draw(const at_source *d, at_rng *r, at_sequence *s)
{
    int kind = (int)at_rng_below(r, 4),
        length = length_draw(d, r); /* 0, 1: in it; 2: of odd length; 3: with b */
    int n = source_int(d, "n"), least = source_int(d, "least") ? source_int(d, "least") : n;
    if (kind < 3 && (length % 2 == 0) != (kind < 2)) /* one more or fewer, where that is a length */
        length += length < n ? 1 : length > least ? -1 : 0;
    for (int i = 0; i < length; i++)
        sequence_add(s, BRACKET);
    for (int b = kind == 3 ? draw_within(r, 1, 3) : 0; b > 0; b--)
        s->token[at_rng_below(r, (uint64_t)length)] = BRACKET + 1;
    prompt_end(s);
}

static bool aa_complete(const at_source *d, at_sequence *s)
{
    int length = length_read(d, s), zero = depth_token(d);
    bool fault = false;
    if (!length)
        return false;
    for (int i = 0; i < length; i++) {
        fault = fault || s->token[i] != BRACKET;
        chain_add(d, s, fault ? FAULT : zero + (i + 1) % 2);
    }
    answer_end(s, zero + (!fault && length % 2 == 0));
    return true;
}

/* ---- sums -------------------------------------------------------------------------------------------------- */

static void sum_draw(const at_source *d, at_rng *r, at_sequence *s)
{
    int p = source_int(d, "p"), length = length_draw(d, r), sum = 0;
    bool zero = at_rng_below(r, 2);
    for (int i = 0; i < length; i++) {
        int x = draw_within(r, 0, p - 1);
        if (i + 1 == length) /* it decides */
            x = zero ? (p - sum) % p : (p - sum + draw_within(r, 1, p - 1)) % p;
        sum = (sum + x) % p;
        sequence_add(s, NUMBER + x);
    }
    prompt_end(s);
}

static bool sum_complete(const at_source *d, at_sequence *s)
{
    int p = source_int(d, "p"), length = length_read(d, s), sum = 0;
    if (!length)
        return false;
    for (int i = 0; i < length; i++) {
        sum = (sum + s->token[i] - NUMBER) % p;
        chain_add(d, s, NUMBER + sum);
    }
    answer_end(s, NUMBER + (sum == 0));
    return true;
}

#define LANGUAGE_VERBS                                                                                       \
    .validate = validate, .vocabulary = vocabulary, .word = word, .longest = longest, .count = count,        \
    .nth = nth, .before_answer = AT_TOKEN_SEP
static const at_stream_verbs bits_verbs = {LANGUAGE_VERBS, .draw = bits_draw, .complete = bits_complete};
static const at_stream_verbs dyck_verbs = {LANGUAGE_VERBS, .draw = dyck_draw, .complete = dyck_complete};

static const at_stream_verbs aa_verbs = {LANGUAGE_VERBS, .draw = aa_draw, .complete = aa_complete};
static const at_stream_verbs sum_verbs = {LANGUAGE_VERBS, .draw = sum_draw, .complete = sum_complete};

const at_stream at_stream_aa = {
    .id = "aa",
    .title = "Is the word in (aa)*, an even number of letters a and nothing else?",
    .format = "a a b a <sep> 1 0 ! ! <sep> 0 <eos>",
    .params = bits_schema,
    .n_params = STREAM_PARAMS(bits_schema),
    .verbs = &aa_verbs,
};

const at_stream at_stream_sum = {
    .id = "sum",
    .title = "Is the sum of the digits 0 modulo p? The chain is the sum so far",
    .format = "2 0 1 <sep> 2 2 0 <sep> 1 <eos>",
    .params = sum_schema,
    .n_params = STREAM_PARAMS(sum_schema),
    .verbs = &sum_verbs,
};

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
