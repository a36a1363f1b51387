/* max.c: the largest of N tokens, answered at the last position.
 *
 * A model that averages confuses near misses: a crowd one below the largest pulls the mean down, ties push it up. So
 * the adversarial inputs have the largest token once, at every place, among tokens just below it; or several times;
 * and its value is uniform, where that of a uniform input is nearly always close to V. */
#include <stdlib.h>

#include "../problem_internal.h"

const at_param at_max_params[AT_MAX_PARAMS] = {
    AT_PARAM_LENGTH(4),
    {"V", "tokens are 0..V-1", 1, AT_MODULUS_MAX, 64, true},
};

static void answer(const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N");
    double largest = x[0];
    for (int i = 1; i < N; i++)
        largest = x[i] > largest ? x[i] : largest;
    *y = largest;
}

static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), V = at_tokens_size(p);
    int top = at_tokens_draw(r, V), place = (int)at_rng_below(r, (uint64_t)N);
    int kind = (int)at_rng_below(r, 5), below = top ? top - 1 : 0;
    for (int i = 0; i < N; i++) {
        int any = at_tokens_draw(r, top + 1), back = abs(i - place);
        x[i] = kind == 0   ? any                            /* anything not above it */
               : kind == 1 ? below                          /* a crowd of near misses */
               : kind == 2 ? (any % 2 ? top : below)        /* ties among near misses */
               : kind == 3 ? (any % 2 ? top : any)          /* ties among anything */
                           : (top > back ? top - back : 0); /* a hill */
    }
    x[place] = top;
}

const at_task at_task_max = {
    .id = "max",
    .title = "The largest token",
    .definition = "y = the largest of x_1, ..., x_N, at the last position",
    .params = at_max_params,
    .n_params = AT_MAX_PARAMS,
    .last = true,
    .enums = 1u << AT_ENUM_SEQUENCES,
    .input_help = "N integers in 0..V-1 separated by blanks, as in \"3 60 12 7\"",
    AT_TOKENS_VERBS,
    .answers = at_tokens_size,
    .answer = answer,
    .adversarial = adversarial,
};
