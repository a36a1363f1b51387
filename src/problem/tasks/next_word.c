/* next_word.c: what comes after a text, by an n-gram language model: the probabilities of W words and of the end.
 *
 * A history is the last n - 1 words; the text begins with <s>, so a text of fewer words is one, too. Every history has a row of
 * counts, 0 .. 3 drawn from the seed and the history's number (at least one is not 0), and a probability is a count over the sum of
 * its row. So some words, and some ends, have probability 0. Where `sum` is given, each row has that sum, spread over some of the
 * outcomes: of 16, probabilities are n/16, which doubles hold. */
#include "../problem_internal.h"

static const at_param schema[] = {
    AT_PARAM_WORD(6),
    {"W", "words", 1, 8, 2, true, NULL},
    {"n", "order of the model", 1, 6, 3, true, NULL},
    {"seed", "of its counts", 0, 1e6, 1, true, NULL},
    {"sum", "of the counts of every row; 0: as they are drawn", 0, 1024, 0, true, NULL},
};

void at_next_word_counts(const at_params *p, uint64_t history, uint64_t *count)
{
    int W = at_params_int(p, "W");
    uint64_t seed = (uint64_t)at_params_int(p, "seed") << 8 | (uint64_t)(at_params_int(p, "n") << 4 | W);
    at_rng r = at_rng_at(seed, history);
    if (at_params_int(p, "sum") > 0) {
        uint64_t some = 1 + at_rng_below(&r, (1u << (W + 1)) - 1); /* bits: outcomes that may have a count */
        for (int w = 0; w <= W; w++)
            count[w] = 0;
        for (int left = at_params_int(p, "sum"); left > 0;) {
            uint64_t w = at_rng_below(&r, (uint64_t)W + 1);
            count[w] += some >> w & 1;
            left -= (int)(some >> w & 1);
        }
        return;
    }
    for (int w = 0; w <= W; w++)
        count[w] = at_rng_below(&r, 4);
    count[at_rng_below(&r, (uint64_t)W + 1)]++;
}

/* Histories of k < n - 1 words behind <s> come before those of k + 1; each as a number to base W. */
static uint64_t history_of(const at_params *p, const double *x)
{
    int N = at_params_int(p, "N"), most = at_params_int(p, "n") - 1, k = N < most ? N : most;
    uint64_t W = (uint64_t)at_params_int(p, "W"), before = 0, number = 0, all = 1;
    for (int i = 0; i < k; i++, all *= W)
        before += all;
    for (int i = N - k; i < N; i++)
        number = number * W + (uint64_t)x[i];
    return before + number;
}

static int words(const at_params *p)
{
    return at_params_int(p, "W");
}

static int outcomes(const at_params *p)
{
    return at_params_int(p, "W") + 1;
}

#define MOST_OUTCOMES 16

static void fractions(const at_params *p, const double *x, uint64_t *over, uint64_t *under)
{
    uint64_t sum = 0;
    int V = outcomes(p);
    at_next_word_counts(p, history_of(p, x), over);
    for (int w = 0; w < V; w++)
        sum += over[w];
    for (int w = 0; w < V; w++)
        under[w] = sum;
}

static void answer(const at_params *p, const double *x, double *y)
{
    uint64_t over[MOST_OUTCOMES], under[MOST_OUTCOMES];
    fractions(p, x, over, under);
    for (int w = 0; w < outcomes(p); w++)
        y[w] = (double)over[w] / (double)under[w];
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    for (int i = 0; i < at_params_int(p, "N"); i++)
        x[i] = (double)at_rng_below(r, (uint64_t)words(p));
}

/* Any words; at the end one again and again, and another n - 2 to n places before the end: is the furthest word seen, and no further
 * one? */
static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), n = at_params_int(p, "n"), at = N - n + (int)at_rng_below(r, 3);
    double most = (double)at_rng_below(r, (uint64_t)words(p)),
           other = (double)at_rng_below(r, (uint64_t)words(p));
    sample(p, r, x);
    for (int i = N > n ? N - n : 0; i < N; i++)
        x[i] = i == at ? other : most;
}

static uint64_t count(const at_params *p, at_enum e)
{
    return e == AT_ENUM_SEQUENCES ? at_words_count(words(p), at_params_int(p, "N")) : 0;
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)e;
    at_words_nth(words(p), at_params_int(p, "N"), index, x);
}

const at_task at_task_next_word = {
    .id = "next-word",
    .title = "What comes next, by an n-gram language model?",
    .definition = "y = (p(w_1 | h), ..., p(w_W | h), p(end | h)), h the last n-1 words, or <s> and all",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .last = true,
    .real = true,
    .tolerance = 1e-9,
    .enums = 1u << AT_ENUM_SEQUENCES,
    .input_help = "N words, numbers 0..W-1; the empty text is ''",
    .tokens = words,
    .row_width = at_tokens_width,
    .out_width = outcomes,
    .answer = answer,
    .fractions = fractions,
    .sample = sample,
    .adversarial = adversarial,
    .count = count,
    .nth = nth,
    .simpler = at_words_simpler,
};
