/* parity.c: is the number of ones odd? Answered once, for the whole word; of the empty word: no.
 *
 * Every letter counts. The adversarial words have few ones or few zeros, in one block, in turn, or anywhere: the
 * counts at the ends of their range, where a look-up by the count has a neighbour on one side only. */
#include "../problem_internal.h"

static const at_param schema[] = {AT_PARAM_WORD(8)};

static void answer(const at_params *p, const double *x, double *y)
{
    int odd = 0;
    for (int i = 0; i < at_params_int(p, "N"); i++)
        odd ^= x[i] != 0;
    *y = odd;
}

static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), few = (int)at_rng_below(r, 4);
    uint64_t kind = at_rng_below(r, 4), room = (uint64_t)N + 1;
    int from = (int)at_rng_below(r, room), to = (int)at_rng_below(r, room);
    for (int i = 0; i < N; i++)
        x[i] = kind == 1 || (kind == 2 && i >= from && i < to) || (kind == 3 && i % 2 == 0);
    for (int k = 0; k < few && N; k++) {
        int i = (int)at_rng_below(r, (uint64_t)N);
        x[i] = 1 - x[i];
    }
}

static const char *const cases[] = {"an odd number of ones", "an even number", NULL};

static int which(const at_params *p, const double *x, int i)
{
    double y;
    (void)i;
    answer(p, x, &y);
    return y == 0;
}

const at_task at_task_parity = {
    .id = "parity",
    .title = "Is the number of ones odd?",
    .definition = "y = the number of ones mod 2",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    AT_WORD_VERBS,
    .sample = at_tokens_sample,
    .word = at_bits_word,
    .input_help = "N letters 0 or 1, as in 0110; the empty word is ''",
    .answer = answer,
    .adversarial = adversarial,
    AT_CASES,
};
