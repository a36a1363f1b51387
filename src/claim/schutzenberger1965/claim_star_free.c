/* CLAIM star-free: which regular languages are star-free, with a witness for each that is not.
 *
 * Source: Schützenberger 1965; McNaughton, Papert 1971. Statement: a regular language is star-free (FO[<]) exactly when the monoid
 * of its least automaton has no period: f^(k+1) = f^k for every f and some k.
 *
 * Here the decision, on 60 expressions whose place is known. For each:
 *   1. The decision is what the table says.
 *   2. Whoever asks with an automaton twice as large gets the same answer: the monoid is that of the least one.
 *   3. Star-free: no word of a few letters has powers that go round in a circle, state by state; the language is compiled
 *      (claim fo), the model agrees with the automaton on words, and turned back (claim fo-extract) it is that automaton: equal
 *      on words of all lengths.
 *   4. Else: compiling is refused, and the witness u stands: of all words x and y that are tried, membership of x u^k y repeats
 *      with the period from k = states on, and no proper divisor of the period does for all of them.
 * Control: a period that is one more. */
#include "../shared/claim_regular.h"
#include "known.h"

#include <string.h>

static const at_param params[] = {
    {"off", "how much the period of a witness is off", 0, 1, 0, true},
};

enum {
    WORDS = 200,
    SHORT = 6,
    RUN = 12,
    DRAWN = 20
}; /* words tried as x, y and u; lengths; long words run */

typedef struct {
    const at_dfa *d;
    at_place place;
    int n, length[WORDS], word[WORDS][SHORT]; /* shortest first, the empty one first */
} language;

/* The first WORDS words of at most SHORT letters. */
static void words_list(language *l)
{
    l->n = 1;
    l->length[0] = 0;
    for (int k = 0; k < l->n && l->length[k] < SHORT; k++)
        for (int c = 0; c < l->d->sigma.n && l->n < WORDS; c++) {
            memcpy(l->word[l->n], l->word[k], sizeof l->word[k]);
            l->word[l->n][l->length[k]] = c;
            l->length[l->n++] = l->length[k] + 1;
        }
}

static int walk(const at_dfa *d, int q, const int *word, int n)
{
    for (int i = 0; i < n; i++)
        q = d->to[q * d->sigma.n + word[i]];
    return q;
}

/* Does x u^k y, from state q = that of x u^states on, repeat with period P, for all x and y? */
static bool repeats(const language *l, const int *u, int n, int P)
{
    const at_dfa *d = l->d;
    for (int x = 0; x < l->n; x++) {
        int q = walk(d, d->start, l->word[x], l->length[x]);
        for (int k = 0; k < d->states; k++)
            q = walk(d, q, u, n);
        int later = q;
        for (int k = 0; k < P; k++)
            later = walk(d, later, u, n);
        for (int k = 0; k < P; k++, q = walk(d, q, u, n), later = walk(d, later, u, n))
            for (int y = 0; y < l->n; y++)
                if (d->accept[walk(d, q, l->word[y], l->length[y])] !=
                    d->accept[walk(d, later, l->word[y], l->length[y])])
                    return false;
    }
    return true;
}

static bool witness_stands(const language *l, int off)
{
    int P = l->place.period + off;
    if (!repeats(l, l->place.witness, l->place.n_witness, P))
        return false;
    for (int part = 1; part < P; part++)
        if (P % part == 0 && repeats(l, l->place.witness, l->place.n_witness, part))
            return false;
    return true;
}

/* No short word goes round in a circle. */
static bool powers_settle(const language *l)
{
    for (int u = 1; u < l->n; u++)
        if (!repeats(l, l->word[u], l->length[u], 1))
            return false;
    return true;
}

/* The same language by twice as many states: whether the length is even is remembered, for nothing. */
static at_status place_again(const language *l, at_arena *a, bool *same, at_err *err)
{
    at_dfa *twice;
    at_place p;
    int Q = l->d->states, L = l->d->sigma.n;
    at_status s = at_dfa_new(&l->d->sigma, 2 * Q, a, &twice, err);
    if (s)
        return s;
    twice->start = l->d->start;
    for (int q = 0; q < 2 * Q; q++) {
        twice->accept[q] = l->d->accept[q % Q];
        for (int c = 0; c < L; c++)
            twice->to[q * L + c] = l->d->to[q % Q * L + c] + (q < Q ? Q : 0);
    }
    s = at_place_find(twice, a, &p, err);
    *same = !s && p.states == l->place.states && p.monoid == l->place.monoid &&
            p.star_free == l->place.star_free && p.period == l->place.period;
    return s;
}

static at_status word_run(const at_model *m, const language *l, const int *word, int n, at_arena *a,
                          bool *right, at_err *err)
{
    double x[RUN];
    at_output y;
    for (int i = 0; i < n; i++)
        x[i] = word[i];
    at_mark mark = at_arena_mark(a);
    at_status s = at_run(m, at_f64, &(at_input){n, x}, NULL, a, &y, err);
    *right = !s && y.decided[0] == AT_TRUE && (y.decision[0] != 0) == at_dfa_accepts(l->d, word, n);
    at_arena_reset(a, mark);
    return s;
}

typedef struct {
    int star_free, refused, large, states, words;
    int models; /* that were shown */
} tally;

enum { SHOWN_MODELS = 2, SHOWN_LONGEST = 6 };

/* The expression and its place, and a model of it unless m is NULL, for whoever writes down what the verdict rests on. */
static at_status place_show(const language *l, int k, int off, const at_model *m, const at_check_env *env,
                            at_arena *a, at_err *err)
{
    const char *text =
        at_arena_printf(a, "alphabet %s\n%s\n", star_free_known[k].letters, star_free_known[k].text);
    at_text more;
    at_text_init(&more);
    at_text_addf(&more, ", \"star_free\": %s, \"period\": %d, \"witness\": [",
                 l->place.star_free == AT_TRUE ? "true" : "false",
                 l->place.star_free == AT_TRUE ? 1 : l->place.period + off);
    for (int i = 0; l->place.star_free != AT_TRUE && i < l->place.n_witness; i++)
        at_text_addf(&more, "%s%d", i ? ", " : "", l->place.witness[i]);
    at_text_add(&more, "]");
    at_witness w = {.kind = m ? "same" : "place",
                    .m = m,
                    .arith = at_f64,
                    .language = "regex",
                    .text = text,
                    .most = SHOWN_LONGEST,
                    .more = m ? NULL : more.s};
    at_status s = !text || more.oom ? at_oom(err) : env->witness(env->ctx, &w, err);
    at_text_release(&more);
    return s;
}

/* Words on which the compiled model agrees with the automaton; -1: it is wrong on one. */
static at_status model_run(const language *l, int index, uint64_t seed, const at_check_env *env, at_arena *a,
                           tally *t, int *words, at_err *err)
{
    at_model m;
    at_status s = at_dfa_model(&l->place, RUN, NULL, &m, err);
    if (s)
        return s;
    bool right = true;
    *words = 0;
    for (int k = 0; k < l->n && !s && right; k++, ++*words)
        s = word_run(&m, l, l->word[k], l->length[k], a, &right, err);
    for (int k = 0; k < DRAWN && !s && right; k++, ++*words) {
        int word[RUN];
        at_rng r = at_rng_at(seed, (uint64_t)k);
        for (int i = 0; i < RUN; i++)
            word[i] = (int)at_rng_below(&r, (uint64_t)l->d->sigma.n);
        s = word_run(&m, l, word, RUN, a, &right, err);
    }
    at_extracted back;
    if (!s && right) { /* words of all lengths */
        s = at_extract_dfa(&m, a, &back, err);
        right = !s && at_dfa_equal(back.dfa, l->d);
    }
    if (!right)
        *words = -1;
    if (!s && right && env && env->witness && t->models < SHOWN_MODELS) {
        t->models++;
        s = place_show(l, index, 0, &m, env, a, err);
    }
    at_model_release(&m);
    return s;
}

/* why: NULL, or what speaks against the claim. */
static at_status language_try(int k, int off, uint64_t seed, const at_check_env *env, at_arena *a, tally *t,
                              const char **why, at_err *err)
{
    language *l = at_new(a, language, 1);
    at_alphabet given, sigma;
    at_regex *e;
    at_dfa *d;
    bool same;
    int words = 0;
    *why = NULL;
    if (!l)
        return at_oom(err);
    at_status s = at_alphabet_parse(star_free_known[k].letters, a, &given, err);
    if (!s)
        s = at_regex_parse(star_free_known[k].text, &given, NULL, 1, 1, a, &e, &sigma, err);
    if (!s)
        s = at_regex_dfa(e, &sigma, a, &d, err);
    if (!s)
        s = at_place_find(d, a, &l->place, err);
    if (s)
        return s;
    l->d = l->place.least;
    words_list(l);
    t->large += l->place.monoid >= 300 && l->place.monoid <= 2000;
    t->states += l->place.states >= 5;
    s = place_again(l, a, &same, err);
    if (s)
        return s;
    if ((l->place.star_free == AT_TRUE) != star_free_known[k].star_free)
        *why = "is placed wrongly";
    else if (!same)
        *why = "has another place as a larger automaton";
    else if (star_free_known[k].star_free) {
        t->star_free++;
        if (!powers_settle(l))
            *why = "is said to be star-free, and a short word has a period";
        else if ((s = model_run(l, k, seed, off ? NULL : env, a, t, &words, err)))
            return s;
        else if (words < 0)
            *why = "is compiled to a model of another language";
        t->words += words;
    } else {
        at_program *P = NULL;
        at_err refusal = {0};
        t->refused++;
        s = at_dfa_program(&l->place, RUN, NULL, &P, &refusal);
        at_program_free(P);
        if (s == AT_ENOMEM)
            return at_oom(err);
        if (s != AT_EREFUSED)
            *why = "is not star-free, and is compiled";
        else if (!witness_stands(l, off))
            *why = "has a witness whose powers do not repeat with the period that is said";
        s = AT_OK;
    }
    if (!s && env && env->witness && (off ? *why != NULL : true)) /* a control is rejected by one */
        s = place_show(l, k, off, NULL, env, a, err);
    return s;
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    (void)limit;
    tally t = {0};
    int off = at_params_int(p, "off"), k = 0;
    const char *why = NULL;
    at_status s = AT_OK;
    for (; k < COUNT(star_free_known) && !s && !why; k++) {
        at_arena scratch;
        at_arena_init(&scratch);
        if (at_cancel_pending())
            s = at_fail(err, AT_ECANCEL, "interrupted");
        else
            s = language_try(k, off, seed, env, &scratch, &t, &why, err);
        at_arena_release(&scratch);
    }
    if (s)
        return s;
    *out = (at_verdict){.holds = why ? AT_FALSE : AT_TRUE, .evidence = cell->evidence, .inputs = (uint64_t)k};
    out->note = why ? at_arena_printf(a, "%s over %s %s", star_free_known[k - 1].text,
                                      star_free_known[k - 1].letters, why)
                    : at_arena_printf(
                          a,
                          "%d expressions, %d with at least 5 states, %d with 300 to 2000 elements in the "
                          "monoid: %d star-free, compiled, and equal on words of all lengths (%d of them "
                          "run); %d refused, and each "
                          "witness stands",
                          k, t.states, t.large, t.star_free, t.words, t.refused);
    return out->note ? AT_OK : at_oom(err);
}

static const at_cell cells[] = {
    {"off=0", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"", "off=1", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_star_free = {
    .id = "star-free",
    .title = "A regular language is star-free exactly when no element of its monoid has a period",
    .source = "Schützenberger 1965; McNaughton, Papert 1971",
    .group = "Languages",
    .statement =
        "Of 60 regular expressions, 15 with monoids of 300 to 2,000 elements, it is decided which are "
        "star-free; these are "
        "compiled to hard attention, and each of the others is refused with a word whose powers repeat "
        "with a period.",
    .proof =
        "The monoid of the least automaton is made by shortest words and each element's period is found. "
        "A witness is gone through "
        "again on words: membership of x u^k y repeats with the period, and with no proper divisor of it.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
