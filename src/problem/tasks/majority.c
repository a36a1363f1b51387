/* majority.c: are more than half of the letters ones? Answered once, for the whole word; of the empty word: no.
 *
 * The boundary is one letter: the adversarial words have half of their letters ones, one more or one less,
 * scattered, in one block (around the end, perhaps), or in turn. */
#include "../problem_internal.h"

static const at_param schema[] = {AT_PARAM_WORD(8)};

static int ones(const at_params *p, const double *x)
{
    int n = 0;
    for (int i = 0; i < at_params_int(p, "N"); i++)
        n += x[i] != 0;
    return n;
}

static void answer(const at_params *p, const double *x, double *y)
{
    *y = 2 * ones(p, x) > at_params_int(p, "N");
}

static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), left = N / 2 + 1 - (int)at_rng_below(r, 4) % 3;
    uint64_t kind = at_rng_below(r, 4), from = at_rng_below(r, (uint64_t)N + 1);
    left = left > N ? N : left < 0 ? 0 : left;
    for (int i = 0; i < N; i++) {
        int at = (i + (int)from) % N; /* from here on, around the end */
        bool one = kind == 0   ? at < left
                   : kind == 1 ? at % 2 == 0 && at / 2 < left
                               : at_rng_below(r, (uint64_t)(N - i)) < (uint64_t)left;
        x[i] = one;
        left -= kind > 1 && one;
    }
}

static const char *const cases[] = {"more ones", "as many ones as zeros", "fewer ones", NULL};

static int which(const at_params *p, const double *x, int i)
{
    (void)i;
    int more = 2 * ones(p, x) - at_params_int(p, "N");
    return more > 0 ? 0 : more == 0 ? 1 : 2;
}

const at_task at_task_majority = {
    .id = "majority",
    .title = "Are more than half of the letters ones?",
    .definition = "y = 1 iff the word has more ones than zeros",
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
