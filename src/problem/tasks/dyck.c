/* dyck.c: words of brackets, answered once: `dyck`, brackets that are closed in the order of a stack, at any depth or
 * at most D; `shuffle-dyck`, brackets of k kinds each of which is balanced for itself, whatever the others do
 * between.
 *
 * Token 2t opens kind t, 2t + 1 closes it. Of a random word the answer is no. So half of the drawn words are members,
 * where the length has some: walks that end where they began. The adversarial ones are members with one letter
 * changed, two letters exchanged, or none; and, where the depth is bounded, walks that may be one deeper. */
#include <stdio.h>

#include "../problem_internal.h"

#define K_MAX 8
static const at_param dyck_schema[] = {
    AT_PARAM_WORD(8),
    {"k", "kinds of brackets", 1, K_MAX, 2, true},
    {"D", "greatest depth; 0: any", 0, AT_LENGTH_MAX / 2, 0, true},
};
static const at_param shuffle_schema[] = {
    AT_PARAM_WORD(8),
    {"k", "kinds of brackets", 1, K_MAX, 2, true},
};

static void word(const at_params *p, int token, char out[AT_WORD_MAX + 1])
{
    static const char brackets[] = "()[]{}<>";
    (void)p;
    if (token < 8)
        snprintf(out, AT_WORD_MAX + 1, "%c", brackets[token]);
    else
        snprintf(out, AT_WORD_MAX + 1, "%c%d", brackets[token % 2], token / 2 + 1);
}

/* What is wrong first, from the left. */
enum { MEMBER, UNOPENED, LEFT_OPEN, TOO_DEEP };

/* ---- a stack ------------------------------------------------------------------------------------------------- */

static int dyck_which(const at_params *p, const double *x, int at)
{
    int N = at_params_int(p, "N"), D = at_params_int(p, "D"), depth = 0;
    unsigned char open[AT_LENGTH_MAX];
    (void)at;
    for (int i = 0; i < N; i++) {
        int kind = (int)x[i] / 2;
        if ((int)x[i] % 2 == 0) {
            open[depth++] = (unsigned char)kind;
            if (D && depth > D)
                return TOO_DEEP;
        } else if (depth == 0 || open[--depth] != kind)
            return UNOPENED;
    }
    return depth ? LEFT_OPEN : MEMBER;
}

static void dyck_answer(const at_params *p, const double *x, double *y)
{
    *y = dyck_which(p, x, 0) == MEMBER;
}

/* A walk of depth at most D (0: any) that ends at 0, or for odd lengths at 1: a step up or down is drawn wherever
 * both are possible; for some words it goes up wherever it can. */
static void dyck_walk(const at_params *p, at_rng *r, int D, double *x)
{
    int N = at_params_int(p, "N"), k = at_params_int(p, "k"), depth = 0;
    unsigned char open[AT_LENGTH_MAX];
    uint64_t slope = at_rng_below(r, 4); /* 0: up; else one step in slope + 1 goes down */
    for (int left = N; left > 0; left--) {
        bool up = (!D || depth < D) && depth<left - N % 2, down = depth> 0;
        if (N % 2 && left == 1)
            up = !down; /* the letter too many */
        if (up && (!down || !slope || at_rng_below(r, slope + 1))) {
            open[depth] = (unsigned char)at_rng_below(r, (uint64_t)k);
            x[N - left] = 2 * open[depth++];
        } else
            x[N - left] = 2 * open[--depth] + 1;
    }
}

static void dyck_sample(const at_params *p, at_rng *r, double *x)
{
    if (at_rng_below(r, 2))
        dyck_walk(p, r, at_params_int(p, "D"), x);
    else
        at_tokens_sample(p, r, x);
}

/* One letter drawn anew, two exchanged, or nothing. */
static void spoil(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N");
    uint64_t kind = at_rng_below(r, 3);
    if (!N || !kind)
        return;
    uint64_t i = at_rng_below(r, (uint64_t)N), j = at_rng_below(r, (uint64_t)N);
    double was = x[i];
    x[i] = kind == 1 ? at_tokens_draw(r, at_tokens_size(p)) : x[j];
    if (kind == 2)
        x[j] = was;
}

static void dyck_adversarial(const at_params *p, at_rng *r, double *x)
{
    int D = at_params_int(p, "D");
    dyck_walk(p, r, D ? D + (int)at_rng_below(r, 2) : 0, x);
    spoil(p, r, x);
}

static const char *const dyck_cases[] = {"the word is balanced",
                                         "a closing bracket has no opening one of its kind",
                                         "a bracket stays open", "it is too deep", NULL};

const at_task at_task_dyck = {
    .id = "dyck",
    .title = "Dyck-k: is the word of k kinds of brackets balanced?",
    .definition =
        "y = 1 iff every bracket is closed by one of its kind, last opened first closed, at depth at most D",
    .params = dyck_schema,
    .n_params = AT_PARAMS_COUNT(dyck_schema),
    AT_WORD_VERBS,
    .sample = dyck_sample,
    .word = word,
    .input_help = "N brackets ()[]{}<>, as in ([]); the empty word is ''",
    .answer = dyck_answer,
    .adversarial = dyck_adversarial,
    .cases = dyck_cases,
    .which = dyck_which,
};

/* ---- counters -------------------------------------------------------------------------------------------------- */

static int shuffle_which(const at_params *p, const double *x, int at)
{
    int N = at_params_int(p, "N"), depth[K_MAX] = {0}, open = 0;
    (void)at;
    for (int i = 0; i < N; i++) {
        int step = (int)x[i] % 2 ? -1 : 1;
        depth[(int)x[i] / 2] += step;
        open += step;
        if (depth[(int)x[i] / 2] < 0)
            return UNOPENED;
    }
    return open ? LEFT_OPEN : MEMBER;
}

static void shuffle_answer(const at_params *p, const double *x, double *y)
{
    *y = shuffle_which(p, x, 0) == MEMBER;
}

static void shuffle_walk(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), k = at_params_int(p, "k"), depth[K_MAX] = {0}, open = 0;
    uint64_t slope = at_rng_below(r, 4);
    for (int left = N; left > 0; left--) {
        bool up = open < left - N % 2;
        int t = (int)at_rng_below(r, (uint64_t)k);
        if (N % 2 && left == 1)
            up = !open;
        if (up && (!depth[t] || !slope || at_rng_below(r, slope + 1)))
            depth[t]++, open++, x[N - left] = 2 * t;
        else {
            while (!depth[t])
                t = (t + 1) % k;
            depth[t]--, open--, x[N - left] = 2 * t + 1;
        }
    }
}

static void shuffle_sample(const at_params *p, at_rng *r, double *x)
{
    if (at_rng_below(r, 2))
        shuffle_walk(p, r, x);
    else
        at_tokens_sample(p, r, x);
}

static void shuffle_adversarial(const at_params *p, at_rng *r, double *x)
{
    shuffle_walk(p, r, x);
    spoil(p, r, x);
}

static const char *const shuffle_cases[] = {"every kind is balanced",
                                            "a closing bracket has no opening one of its kind",
                                            "a bracket stays open", NULL};

const at_task at_task_shuffle_dyck = {
    .id = "shuffle-dyck",
    .title = "Shuffle-Dyck-k: is each of k kinds of brackets balanced for itself?",
    .definition =
        "y = 1 iff for each kind no prefix has more closing than opening brackets, and the word as many",
    .params = shuffle_schema,
    .n_params = AT_PARAMS_COUNT(shuffle_schema),
    AT_WORD_VERBS,
    .sample = shuffle_sample,
    .word = word,
    .input_help = "N brackets ()[]{}<>, as in ([)]; the empty word is ''",
    .answer = shuffle_answer,
    .adversarial = shuffle_adversarial,
    .cases = shuffle_cases,
    .which = shuffle_which,
};
