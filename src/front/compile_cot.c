/* compile_cot.c: any automaton by a chain of thought: a decoder of two layers that writes one state a letter.
 *
 *     a b b |  ->  q1 q1 q0 yes <eos>
 *
 * CLAIM automaton-cot. Rows are counted from 1; the prompt is the word w_1 ... w_n and | at row s = n + 1.
 * 1. Head 1, rightmost-hard over the rows so far: score 1 at |, else 0; value: the row's number. From | on it fetches s; before,
 *    where nobody asks, the row itself.
 * 2. Row i = s + k has the state after k letters: | stands for the start, a state token for itself. The letter that comes next is
 *    w_t, t = i - s + 1. Head 2 fetches row t by the score 2tj - j^2, which is largest at j = t, with gap 1.
 * 3. That is a letter, and the next token the state that it leads to: one unit a pair of states. Or it is |, all is read, and the next
 *    token says whether the state accepts. After yes or no comes <eos>, which ends the chain.
 * Scores are integers and all else 0 or 1: nothing is rounded while (2n)^2 fits. */
#include "front_internal.h"

#include <stdio.h>
#include <string.h>

/* Tokens: the states, then these, then the letters. */
enum { YES, NO, EOS, SEP, OTHERS };

static const char *const others[OTHERS] = {[YES] = "yes", [NO] = "no", [EOS] = "<eos>", [SEP] = "|"};

int at_cot_token(const at_dfa *d, at_cot_kind kind, int k)
{
    switch (kind) {
    case AT_COT_STATE:
        return k;
    case AT_COT_YES:
        return d->states + YES;
    case AT_COT_NO:
        return d->states + NO;
    case AT_COT_EOS:
        return d->states + EOS;
    case AT_COT_SEP:
        return d->states + SEP;
    case AT_COT_LETTER:
        return d->states + OTHERS + k;
    }
    return -1;
}

typedef struct {
    at_program *P;
    const at_dfa *d;
    at_var token;
    double *table; /* (tokens), zeros between uses */
} cot;

/* Is the token one of first, ..., first + n - 1? */
static at_var token_is(cot *k, const char *name, int first, int n)
{
    for (int t = 0; t < n; t++)
        k->table[first + t] = 1;
    at_var v = at_lookup(k->P, name, k->token, k->table);
    for (int t = 0; t < n; t++)
        k->table[first + t] = 0;
    return v;
}

/* Where the separator is, and what stands at row here - separator + 1. */
static at_var next_read(cot *k, at_var sep, const at_var *letter, int n, const at_cot_options *o)
{
    at_program *P = k->P;
    at_var here = at_position(P, "here", AT_POS_I), here2 = at_position(P, "here^2", AT_POS_I2);
    at_var place = at_attend(P, "separator", /* step 1 */
                             &(at_attention){.query = AT_VEC(at_const(P, 1)),
                                             .key = AT_VEC(sep),
                                             .value = AT_VEC(here),
                                             .weighting = AT_RIGHTMOST_HARD,
                                             .mask = {.kind = AT_MASK_CAUSAL},
                                             .gap = 1});
    at_var target =
        o && o->stuck ? at_const(P, 1) : at_sum(P, "target", AT_VEC(here, place), (double[]){1, -1}, 1);
    target = at_known(P, "target", target, 1, at_program_var(P, here).hi, true, -1);
    return at_attend(P, "letter", /* step 2 */
                     &(at_attention){.query = AT_VEC(at_scaled(P, 2, target), at_const(P, -1)),
                                     .key = AT_VEC(here, here2),
                                     .value = {n, letter},
                                     .weighting = AT_RIGHTMOST_HARD,
                                     .mask = {.kind = AT_MASK_CAUSAL},
                                     .gap = 1,
                                     .unique = true,
                                     .most = 1});
}

/* state q, and one of the fetched letters for which `takes` is set: what is added to the logit. */
static at_var step_make(cot *k, const char *name, at_var q, at_var fetched, const bool *takes, int n)
{
    at_var v[AT_LETTERS_MAX + 2];
    int count = 0;
    v[count++] = q;
    for (int a = 0; a < n; a++)
        if (takes[a])
            v[count++] = fetched + a;
    return count == 1 ? at_const(k->P, 0)
                      : at_relu(k->P, name, at_sum(k->P, name, (at_vec){count, v}, NULL, -1));
}

static at_status cot_make(cot *k, const at_cot_options *o, at_arena *a, at_err *err)
{
    const at_dfa *d = k->d;
    at_program *P = k->P;
    int Q = d->states, L = d->sigma.n;
    char name[64];
    at_var *letter = at_new(a, at_var, L + 1), *logit = at_new(a, at_var, Q + EOS + 1);
    if (!letter || !logit)
        return at_oom(err);
    k->token = at_token(P, "token", Q + OTHERS + L);
    at_var sep = token_is(k, "is_sep", Q + SEP, 1);
    for (int c = 0; c < L; c++) {
        snprintf(name, sizeof name, "is_%d", c);
        letter[c] = token_is(k, name, Q + OTHERS + c, 1);
    }
    letter[L] = sep;
    at_var fetched = next_read(k, sep, letter, L + 1, o);
    for (int t = 0; t <= Q + EOS; t++)
        logit[t] = at_const(P, 0);
    for (int q = 0; q < Q; q++) { /* step 3 */
        bool takes[AT_LETTERS_MAX + 1];
        snprintf(name, sizeof name, "in_%d", q);
        at_var in = token_is(k, name, q, 1);
        if (q == d->start)
            in = at_add(P, in, sep);
        for (int to = 0; to < Q; to++) {
            bool any = false;
            takes[L] = false;
            for (int c = 0; c < L; c++)
                any |= takes[c] = d->to[q * L + c] == to;
            snprintf(name, sizeof name, "from_%d_to_%d", q, to);
            if (any)
                logit[to] = at_add(P, logit[to], step_make(k, name, in, fetched, takes, L + 1));
        }
        memset(takes, 0, sizeof takes);
        takes[L] = true;
        int end = Q + (d->accept[q] ? YES : NO);
        snprintf(name, sizeof name, "ends_%d", q);
        logit[end] = at_add(P, logit[end], step_make(k, name, in, fetched, takes, L + 1));
    }
    logit[Q + EOS] = token_is(k, "said", Q + YES, 2);
    at_emit(P, (at_vec){Q + EOS + 1, logit}, AT_READ_ARGMAX, 0);
    return AT_OK;
}

at_status at_cot_program(const at_dfa *d, int N, const at_cot_options *o, at_program **out, at_err *err)
{
    cot k = {.d = d};
    at_arena a;
    *out = NULL;
    if (d->states > AT_COT_STATES)
        return at_fail(err, AT_EBUDGET, "an automaton of %d states; chains of at most %d are compiled",
                       d->states, AT_COT_STATES);
    at_arena_init(&a);
    k.P = at_program_new("automaton-cot", 2 * N + 3);
    k.table = at_new(&a, double, d->states + OTHERS + d->sigma.n);
    at_status s = k.P && k.table ? AT_OK : at_oom(err);
    if (!s && o && o->arith)
        at_program_arithmetic(k.P, *o->arith);
    if (!s)
        s = cot_make(&k, o, &a, err);
    if (!s)
        s = at_program_status(k.P, err);
    if (s)
        at_program_free(k.P);
    else
        *out = k.P;
    at_arena_release(&a);
    return s;
}

/* A prompt is up to N letters, then |. */
static at_status prompt_say(const at_dfa *d, int N, at_model *m, at_err *err)
{
    at_stretch *w = at_new(&m->arena, at_stretch, 2);
    double *range = at_new(&m->arena, double, 4);
    if (!w || !range)
        return at_oom(err);
    int first = at_cot_token(d, AT_COT_LETTER, 0), sep = at_cot_token(d, AT_COT_SEP, 0);
    range[0] = first;
    range[1] = first + d->sigma.n - 1;
    range[2] = range[3] = sep;
    w[0] = (at_stretch){0, N, 1, range, range + 1};
    w[1] = (at_stretch){1, 1, 1, range + 2, range + 3};
    m->decode = (at_decode){.enabled = true,
                            .stop = AT_STOP_EQUALS,
                            .value = at_cot_token(d, AT_COT_EOS, 0),
                            .max_steps = N + 2,
                            .prompt_min = 1,
                            .prompt_max = N + 1,
                            .prompt = w,
                            .n_prompt = 2};
    return AT_OK;
}

static at_status words_say(const at_dfa *d, at_model *m, at_err *err)
{
    int Q = d->states;
    at_word *words = at_new(&m->arena, at_word, Q + OTHERS + d->sigma.n);
    if (!words)
        return at_oom(err);
    for (int t = 0; t < Q + OTHERS + d->sigma.n; t++)
        if (t < Q)
            snprintf(words[t].s, sizeof words[t].s, "q%d", t);
        else
            snprintf(words[t].s, sizeof words[t].s, "%s",
                     t < Q + OTHERS ? others[t - Q] : d->sigma.letter[t - Q - OTHERS]);
    m->fields[0].words = words;
    return AT_OK;
}

at_status at_cot_model(const at_dfa *d, int N, const at_cot_options *o, at_model *m, at_err *err)
{
    at_program *P;
    at_status s = at_cot_program(d, N, o, &P, err);
    if (s)
        return s;
    s = front_assemble(P, m, err);
    if (s)
        return s;
    s = prompt_say(d, N, m, err);
    if (!s)
        s = words_say(d, m, err);
    if (!s)
        s = at_model_validate(m, err);
    if (s)
        at_model_release(m);
    return s;
}
