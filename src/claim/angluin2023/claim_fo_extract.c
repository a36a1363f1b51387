/* CLAIM fo-extract: a model of unique-hard attention without positions is an automaton without periods, for words of all lengths.
 *
 * Source: Angluin, Chiang, Yang 2023 ("Masked hard-attention transformers recognize exactly the star-free languages"), the other
 * half of claim fo; here by automata, and not by formulas.
 * Statement: what such a model accepts is a star-free language, whatever its weights; its least automaton is found from the weights,
 * and it is the model's answer on words of every length.
 *
 * Proof: src/check/extract.c has it beside the code: the state is, for each head and query vector, the best key so far.
 *   part=compiled: the models of claim fo are turned back, and give the least automaton of the language that they were made from. They
 *     were made for three letters; the answer is for all lengths.
 *   part=drawn: models of two layers with weights -1, 0 and 1, drawn. The automaton agrees with the executor on every word of at
 *     most 8 letters, and has no period, as it must. Those with too many states are counted.
 * Control: models with the causal mask for the strict one are not the language; a word says so. */
#include "../shared/claim_regular.h"

#include <string.h>

enum { COMPILED, DRAWN, LONGEST = 8 };
static const char *const parts[] = {"compiled", "drawn", NULL};

static const at_param params[] = {
    {"part", "which models", 0, 1, COMPILED, true, parts},
    {"causal", "1: a position sees its own letter", 0, 1, 0, true},
};

/* ---- compiled models --------------------------------------------------------------------------------------------------- */

static at_status language_try(int k, bool causal, at_arena *a, int *states, char **why, at_err *err)
{
    static const at_param row[] = {CLAIM_REGULAR_LANGUAGE};
    at_params p;
    at_place place;
    at_model m;
    at_dfa *d;
    int *word, n;
    *states = 0;
    at_params_init(&p, row, 1);
    at_status s = at_params_set(&p, "language", k, err);
    if (!s)
        s = claim_regular_place(&p, a, &place, err);
    if (s || place.star_free != AT_TRUE)
        return s;
    s = at_dfa_model(&place, 3, &(at_dfa_options){.causal = causal}, &m, err);
    if (s)
        return s;
    s = at_extract_dfa(&m, a, &d, err);
    at_model_release(&m);
    if (!s)
        s = at_dfa_differ(d, place.least, a, &word, &n, err);
    if (s)
        return s;
    *states = d->states;
    if (n < 0 && at_dfa_equal(d, place.least))
        return AT_OK;
    at_text t;
    at_text_init(&t);
    at_alphabet_print(&d->sigma, word, n < 0 ? 0 : n, &t);
    *why = t.oom ? NULL
                 : at_arena_printf(a, "the model of %s is another language: on %s it says %s",
                                   claim_regular_names[k], t.s, at_dfa_accepts(d, word, n) ? "yes" : "no");
    at_text_release(&t);
    return *why ? AT_OK : at_oom(err);
}

static at_status compiled_try(bool causal, at_arena *a, at_verdict *out, at_err *err)
{
    char *why = NULL;
    int n = 0, all = 0, states;
    at_status s = AT_OK;
    for (int k = 0; k < CLAIM_REGULAR && !s && !why; k++) {
        s = language_try(k, causal, a, &states, &why, err);
        n += states > 0;
        all += states;
    }
    if (s)
        return s;
    out->inputs = (uint64_t)n;
    out->holds = why ? AT_FALSE : AT_TRUE;
    out->note = why ? why
                    : at_arena_printf(
                          a,
                          "%d models made for three letters give the least automata of their languages, %d "
                          "states in all: equal on words of all lengths",
                          n, all);
    return AT_OK;
}

/* ---- drawn models ------------------------------------------------------------------------------------------------------- */

/* The shapes of a compiled model of (ab)*, with weights -1, 0 and 1. */
static at_status model_draw(uint64_t seed, uint64_t index, at_model *m, at_err *err)
{
    static const at_param row[] = {CLAIM_REGULAR_LANGUAGE};
    at_params p;
    at_params_init(&p, row, 1);
    at_arena a;
    at_arena_init(&a);
    at_place place;
    at_status s = claim_regular_place(&p, &a, &place, err);
    if (!s)
        s = at_dfa_model(&place, LONGEST, NULL, m, err);
    at_arena_release(&a);
    at_rng r = at_rng_at(seed, index);
    for (size_t k = 0; !s && k < m->n_weights; k++)
        m->weights[k] = (double)at_rng_below(&r, 3) - 1;
    return s;
}

typedef struct {
    uint64_t large, constant, words;
    int most;
} tally;

static at_status words_run(const at_model *m, const at_dfa *d, at_arena *a, tally *t, bool *right,
                           at_err *err)
{
    at_status s = AT_OK;
    for (int n = 0; n <= LONGEST && !s && *right; n++)
        for (int w = 0; w < 1 << n && !s && *right; w++, t->words++) {
            double x[LONGEST];
            int word[LONGEST];
            at_output y;
            at_mark mark = at_arena_mark(a);
            for (int i = 0; i < n; i++)
                x[i] = word[i] = w >> i & 1;
            s = at_run(m, at_f64, &(at_input){n, x}, NULL, a, &y, err);
            *right = !s && (y.decision[0] != 0) == at_dfa_accepts(d, word, n);
            at_arena_reset(a, mark);
        }
    return s;
}

/* why: NULL, or what speaks against the claim. */
static at_status drawn_one(uint64_t seed, uint64_t index, tally *t, const char **why, at_err *err)
{
    at_model m;
    at_dfa *d;
    at_place place = {0};
    at_err large = {0};
    bool right = true;
    at_status s = model_draw(seed, index, &m, err);
    if (s)
        return s;
    at_arena a;
    at_arena_init(&a);
    s = at_extract_dfa(&m, &a, &d, &large);
    if (s == AT_EBUDGET) {
        t->large++;
        s = AT_OK;
    } else if (s)
        at_fail(err, s, "%s", large.text);
    else {
        s = words_run(&m, d, &a, t, &right, err);
        if (!s)
            s = at_place_find(d, &a, &place, err);
        *why = !right ? "an automaton differs from its model on a word" : NULL;
        if (!s && right && place.star_free == AT_FALSE)
            *why = "an automaton of a unique-hard model has a period";
        t->constant += place.states == 1;
        t->most = place.states > t->most ? place.states : t->most;
    }
    at_arena_release(&a);
    at_model_release(&m);
    return s;
}

static at_status drawn_try(uint64_t limit, uint64_t seed, at_arena *a, at_verdict *out, at_err *err)
{
    tally t = {0};
    const char *why = NULL;
    at_status s = AT_OK;
    uint64_t k = 0;
    for (; k < limit && !s && !why; k++)
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted") : drawn_one(seed, k, &t, &why, err);
    if (s)
        return s;
    out->inputs = k - t.large;
    out->holds = why ? AT_FALSE : 10 * t.large <= k ? AT_TRUE : AT_UNKNOWN;
    out->note =
        why ? at_arena_strdup(a, why)
            : at_arena_printf(
                  a,
                  "%ju drawn models: %ju with too many states; the others are automata of at most %d "
                  "states without periods, equal on all %ju words to length 8, %ju of them constant",
                  (uintmax_t)k, (uintmax_t)t.large, t.most, (uintmax_t)t.words, (uintmax_t)t.constant);
    return AT_OK;
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    (void)env;
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence};
    at_status s = at_params_int(p, "part") == DRAWN ? drawn_try(limit, seed, a, out, err)
                                                    : compiled_try(at_params_int(p, "causal"), a, out, err);
    return s ? s : out->note ? AT_OK : at_oom(err);
}

static const at_cell cells[] = {
    {"part=compiled", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=drawn", NULL, AT_EV_SIMULATED, 0, "f64", 500, AT_TIER_QUICK, NULL},
    {"part=compiled", "causal=1", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_fo_extract = {
    .id = "fo-extract",
    .title = "A unique-hard model without positions is an automaton without periods, on words of all lengths",
    .source = "Angluin, Chiang, Yang 2023 (masked unique-hard attention is in FO)",
    .group = "Languages",
    .statement =
        "What leftmost- or rightmost-hard attention under strict or causal masks without positions accepts "
        "is "
        "star-free; the least automaton is found from the weights, and is right on words of all lengths.",
    .proof = "For each head and query vector a model needs to know one of all earlier keys, the best so far: "
             "finitely "
             "many states. Compiled models give the automaton that they were made from; drawn ones are "
             "compared with "
             "the executor on every short word.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
