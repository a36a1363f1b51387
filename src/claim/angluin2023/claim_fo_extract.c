/* CLAIM fo-extract: a model of unique-hard attention whose positions repeat, or that has none, is an automaton for words of all
 * lengths.
 *
 * Source: Angluin, Chiang, Yang 2023 ("Masked hard-attention transformers recognize exactly the star-free languages"), the other
 * half of claims fo and fo-mod; by automata, and by formulas.
 * Statement: what such a model accepts is a star-free language without positions, and one of FO[<, MOD] with positions that repeat,
 * whatever its weights; its least automaton is found from the weights, and it is the model's answer on words of every length.
 *
 * Proof: src/check/extract.c has it beside the code: the state is, for each head and query vector, the best key so far, and the
 *   position modulo the period.
 *   part=compiled: the models of claim fo are turned back, and give the least automaton of the language that they were made from. They
 *     were made for three letters; the answer is for all lengths.
 *   part=modular: the same with positions, for all expressions of claim star-free that are no star-free languages and are in FO[<, MOD].
 *     The models were made for two periods. With cos and sin numbers are rounded; no choice depends on how.
 *   part=drawn: models of two layers with weights -1, 0 and 1, drawn. The automaton agrees with the executor on every word of at
 *     most 8 letters, and has no period, as it must. Those with too many states are counted.
 *   part=formulas: the compiled models as temporal logic and as B-RASP, layer by layer (src/extract/past.c): the automaton of the formula
 *     (src/formula/automaton.c, by what formulas mean, without weights) is the least one of the language.
 *   part=drawn-formulas: models of one or two layers with weights -1, 0 and 1, half of them with 4 states or more: the automaton of the
 *     formula is that of the model, without periods; and the formula says what the executor does of every word to `longest`.
 *   part=trained: the same of models that were trained a little, with softmax attention, and are read as unique-hard ones; those that are constant
 *     do not count.
 *   part=drawn-modular: the same with drawn tables of positions of period 2 or 3; the automaton is in FO[<, MOD], as it must.
 * Controls: models with the causal mask for the strict one, or with positions of period m + 1, are not the language; a word says
 * so. Where the model is run average-hard instead, the formula of the leftmost one is wrong. */
#include "../schutzenberger1965/known.h"
#include "../shared/claim_drawn.h"
#include "../shared/claim_regular.h"

#include <attest/extract.h>

#include <string.h>

enum { COMPILED, MODULAR, DRAWN, DRAWN_MODULAR, FORMULAS, DRAWN_FORMULAS, TRAINED, LONGEST = 8, STEPS = 150 };
static const char *const parts[] = {"compiled", "modular",        "drawn",   "drawn-modular",
                                    "formulas", "drawn-formulas", "trained", NULL};
static const char *const forms[] = {"table", "sinusoidal", NULL};

static const at_param params[] = {
    {"part", "which models", 0, TRAINED, COMPILED, true, parts},
    {"causal", "1: a position sees its own letter", 0, 1, 0, true},
    {"positions", "i mod m as 0 and 1, or as cos and sin", 0, 1, 0, true, forms},
    {"off", "how much the period of the positions is off", 0, 1, 0, true},
    {"longest", "letters of the words that are run, in parts drawn-formulas and trained", 1, 12, 8, true},
    {"average", "1: the drawn models are run average-hard", 0, 1, 0, true},
};

/* ---- what is shown ------------------------------------------------------------------------------------------------------ */

enum { SHOWN = 2, SHOWN_LONGEST = 6 };

/* Who writes down what a verdict rests on, and how much they were shown. */
typedef struct {
    const at_check_env *env; /* NULL, or without a witness: nobody */
    int n;
} audience;

/* A model and what is equal to it: of the first ones; word: not NULL, they differ on it. */
static at_status show(audience *to, const at_model *m, const char *language, at_text *text, const int *word,
                      int n, at_err *err)
{
    double x[SHOWN_LONGEST];
    at_input in = {n, x};
    bool fits = word ? n <= SHOWN_LONGEST && n <= m->n_max : to->n < SHOWN;
    at_status s = text->oom ? at_oom(err) : AT_OK;
    for (int i = 0; fits && word && i < n; i++)
        x[i] = word[i];
    if (!s && fits) {
        at_witness w = {.kind = word ? "other" : "same",
                        .m = m,
                        .arith = at_f64,
                        .language = language,
                        .text = text->s,
                        .most = m->n_max < SHOWN_LONGEST ? m->n_max : SHOWN_LONGEST,
                        .x = &in,
                        .n = word ? 1 : 0};
        to->n++;
        s = to->env->witness(to->env->ctx, &w, err);
    }
    at_text_release(text);
    return s;
}

static bool is_watched(const audience *to)
{
    return to->env && to->env->witness;
}

static at_status automaton_show(audience *to, const at_model *m, const at_dfa *d, const int *word, int n,
                                at_err *err)
{
    at_text t;
    if (!is_watched(to))
        return AT_OK;
    at_text_init(&t);
    at_dfa_print(d, &t);
    return show(to, m, "dfa", &t, word, n, err);
}

static at_status formula_show(audience *to, const at_model *m, const at_formulas *f, at_err *err)
{
    at_text t;
    if (!is_watched(to))
        return AT_OK;
    at_text_init(&t);
    at_ltl_print(f, &t);
    return show(to, m, "ltl", &t, NULL, 0, err);
}

/* ---- compiled models --------------------------------------------------------------------------------------------------- */

/* A model is turned back, and released. why: NULL, or how it differs from the language, `name`. */
static at_status language_try(at_model *m, const char *name, const at_place *place, audience *to, at_arena *a,
                              int *states, char **why, at_err *err)
{
    at_extracted d;
    int *word, n;
    at_status s = at_extract_dfa(m, a, &d, err);
    if (!s)
        s = at_dfa_differ(d.dfa, place->least, a, &word, &n, err);
    if (!s)
        s = automaton_show(to, m, place->least, n < 0 ? NULL : word, n, err);
    at_model_release(m);
    if (s)
        return s;
    *states = d.dfa->states;
    if (n < 0 && at_dfa_equal(d.dfa, place->least))
        return AT_OK;
    at_text t;
    at_text_init(&t);
    at_alphabet_print(&d.dfa->sigma, word, n < 0 ? 0 : n, &t);
    *why = t.oom ? NULL
                 : at_arena_printf(a, "the model of %s is another language: on %s it says %s", name, t.s,
                                   at_dfa_accepts(d.dfa, word, n) ? "yes" : "no");
    at_text_release(&t);
    return *why ? AT_OK : at_oom(err);
}

static at_status compiled_try(bool causal, audience *to, at_arena *a, at_verdict *out, at_err *err)
{
    static const at_param row[] = {CLAIM_REGULAR_LANGUAGE};
    char *why = NULL;
    int n = 0, all = 0;
    at_status s = AT_OK;
    for (int k = 0; k < CLAIM_REGULAR && !s && !why; k++) {
        at_params p;
        at_place place;
        at_model m;
        int states = 0;
        at_params_init(&p, row, 1);
        s = at_params_set(&p, "language", k, err);
        if (!s)
            s = claim_regular_place(&p, a, &place, err);
        if (!s && place.star_free != AT_TRUE)
            continue;
        if (!s)
            s = at_dfa_model(&place, 3, &(at_dfa_options){.causal = causal}, &m, err);
        if (!s)
            s = language_try(&m, claim_regular_names[k], &place, to, a, &states, &why, err);
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

static at_status known_place(int k, at_arena *a, at_place *out, at_err *err)
{
    at_alphabet given, sigma;
    at_regex *e;
    at_dfa *d;
    at_status s = at_alphabet_parse(star_free_known[k].letters, a, &given, err);
    if (!s)
        s = at_regex_parse(star_free_known[k].text, &given, NULL, 1, 1, a, &e, &sigma, err);
    if (!s)
        s = at_regex_dfa(e, &sigma, a, &d, err);
    return s ? s : at_place_find(d, a, out, err);
}

static at_status modular_try(const at_params *p, audience *to, at_arena *a, at_verdict *out, at_err *err)
{
    at_dfa_options o = {
        .positions = true, .circle = at_params_int(p, "positions"), .off = at_params_int(p, "off")};
    char *why = NULL;
    int n = 0, all = 0, most = 0, outside = 0;
    at_status s = AT_OK;
    for (int k = 0; k < COUNT(star_free_known) && !s && !why; k++) {
        at_place place, modular;
        at_model m;
        int states = 0, period;
        if (star_free_known[k].star_free)
            continue;
        if (at_cancel_pending())
            return at_fail(err, AT_ECANCEL, "interrupted");
        s = known_place(k, a, &place, err);
        if (!s && place.fo_mod != AT_TRUE) {
            outside++;
            continue;
        }
        if (!s)
            s = at_place_modular(&place, a, &period, &modular, err);
        if (!s)
            s = at_dfa_model(&place, 2 * (period + o.off), &o, &m, err);
        if (!s)
            s = language_try(&m, star_free_known[k].text, &place, to, a, &states, &why, err);
        n += states > 0;
        all += states;
        most = !s && period > most ? period : most;
    }
    if (s)
        return s;
    out->inputs = (uint64_t)n;
    out->holds = why ? AT_FALSE : AT_TRUE;
    out->note =
        why ? why
            : at_arena_printf(
                  a,
                  "%d models made for two periods, of at most %d positions, give the least automata of their "
                  "languages, %d states in all: equal on words of all lengths; %d expressions lie outside",
                  n, most, all, outside);
    return AT_OK;
}

/* ---- drawn models ------------------------------------------------------------------------------------------------------- */

/* Rows of the table of positions are those of the first period. */
static void positions_repeat(at_model *m, int period)
{
    for (int k = 0; k < m->n_pos; k++) {
        const at_embed *e = &m->pos[k].embed;
        double *w = at_model_data(m, e->tensor);
        for (int i = period * e->width; i < m->pos[k].size * e->width; i++)
            w[i] = w[i - period * e->width];
    }
}

/* The shapes of a compiled model of (ab)*, or of (aa)* with positions, with weights -1, 0 and 1. */
static at_status model_draw(uint64_t seed, uint64_t index, bool modular, at_model *m, at_err *err)
{
    static const at_param row[] = {CLAIM_REGULAR_LANGUAGE};
    at_params p;
    at_params_init(&p, row, 1);
    at_arena a;
    at_arena_init(&a);
    at_place place;
    at_status s = modular ? at_params_parse(&p, "language=aa-star", err) : AT_OK;
    if (!s)
        s = claim_regular_place(&p, &a, &place, err);
    if (!s)
        s = at_dfa_model(&place, LONGEST, &(at_dfa_options){.positions = modular}, m, err);
    at_arena_release(&a);
    at_rng r = at_rng_at(seed, index);
    for (size_t k = 0; !s && k < m->n_weights; k++)
        m->weights[k] = (double)at_rng_below(&r, 3) - 1;
    if (!s)
        positions_repeat(m, 2 + (int)(index % 2));
    return s;
}

typedef struct {
    bool modular;
    uint64_t large, constant, words, star_free;
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
static at_status drawn_one(uint64_t seed, uint64_t index, tally *t, audience *to, const char **why,
                           at_err *err)
{
    at_model m;
    at_extracted d;
    at_place place = {0};
    at_err large = {0};
    bool right = true;
    at_status s = model_draw(seed, index, t->modular, &m, err);
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
        s = words_run(&m, d.dfa, &a, t, &right, err);
        if (!s)
            s = at_place_find(d.dfa, &a, &place, err);
        *why = !right ? "an automaton differs from its model on a word" : NULL;
        if (!s && right && !t->modular && place.star_free == AT_FALSE)
            *why = "an automaton of a unique-hard model has a period";
        if (!s && right && place.fo_mod == AT_FALSE)
            *why = "an automaton of a unique-hard model lies outside FO[<, MOD]";
        if (!s && !*why && place.states > 1)
            s = automaton_show(to, &m, d.dfa, NULL, 0, err);
        t->star_free += place.star_free == AT_TRUE;
        t->constant += place.states == 1;
        t->most = place.states > t->most ? place.states : t->most;
    }
    at_arena_release(&a);
    at_model_release(&m);
    return s;
}

static at_status drawn_try(bool modular, uint64_t limit, uint64_t seed, audience *to, at_arena *a,
                           at_verdict *out, at_err *err)
{
    tally t = {.modular = modular};
    const char *why = NULL;
    at_status s = AT_OK;
    uint64_t k = 0;
    for (; k < limit && !s && !why; k++)
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                : drawn_one(seed, k, &t, to, &why, err);
    if (s)
        return s;
    out->inputs = k - t.large;
    out->holds = why ? AT_FALSE : 10 * t.large <= k ? AT_TRUE : AT_UNKNOWN;
    if (why)
        out->note = at_arena_strdup(a, why);
    else if (modular)
        out->note = at_arena_printf(
            a,
            "%ju drawn models with positions of period 2 or 3: %ju with too many states; the others are "
            "automata of at most %d states in FO[<, MOD], %ju of them not star-free, equal on all %ju words "
            "to "
            "length 8, %ju of them constant",
            (uintmax_t)k, (uintmax_t)t.large, t.most, (uintmax_t)(k - t.large - t.star_free),
            (uintmax_t)t.words, (uintmax_t)t.constant);
    else
        out->note = at_arena_printf(
            a,
            "%ju drawn models: %ju with too many states; the others are automata of at most %d "
            "states without periods, equal on all %ju words to length 8, %ju of them constant",
            (uintmax_t)k, (uintmax_t)t.large, t.most, (uintmax_t)t.words, (uintmax_t)t.constant);
    return AT_OK;
}

/* ---- formulas ------------------------------------------------------------------------------------------------------------ */

static const struct {
    at_logic logic;
    const char *name;
} logics[] = {{AT_LOGIC_LTL, "temporal logic"}, {AT_LOGIC_BRASP, "B-RASP"}};

/* The model as a formula, whose automaton must be `least`; *why: where it is not. */
static at_status formula_try(const at_model *m, int logic, const at_dfa *least, const char *name,
                             audience *to, at_arena *a, at_extracted_past *x, const char **why, at_err *err)
{
    at_dfa *d;
    int *word, n;
    at_status s = at_extract_past(m, &(at_extract_options){.logic = logics[logic].logic}, a, x, err);
    if (!s)
        s = at_formulas_dfa(x->formulas, false, a, &d, err);
    if (!s)
        s = at_dfa_differ(d, least, a, &word, &n, err);
    if (s || (n < 0 && at_dfa_equal(d, least)))
        return s;
    if (n >= 0 && (s = automaton_show(to, m, least, word, n, err)))
        return s;
    at_text t;
    at_text_init(&t);
    at_alphabet_print(&d->sigma, word, n < 0 ? 0 : n, &t);
    *why = t.oom ? NULL
                 : at_arena_printf(a, "the model of %s in %s is another language: on %s it says %s", name,
                                   logics[logic].name, t.s, at_dfa_accepts(d, word, n) ? "yes" : "no");
    at_text_release(&t);
    return *why ? AT_OK : at_oom(err);
}

static at_status formulas_try(bool causal, audience *to, at_arena *a, at_verdict *out, at_err *err)
{
    static const at_param row[] = {CLAIM_REGULAR_LANGUAGE};
    const char *why = NULL;
    int n = 0, layered = 0, parts_most = 0, large = 0;
    at_status s = AT_OK;
    for (int k = 0; k < CLAIM_REGULAR && !s && !why; k++) {
        at_params p;
        at_place place;
        at_model m;
        at_params_init(&p, row, 1);
        s = at_params_set(&p, "language", k, err);
        if (!s)
            s = claim_regular_place(&p, a, &place, err);
        if (!s && place.star_free != AT_TRUE)
            continue;
        if (!s)
            s = at_dfa_model(&place, 3, &(at_dfa_options){.causal = causal}, &m, err);
        if (s)
            break;
        for (int l = 0; l < COUNT(logics) && !s && !why; l++) {
            at_extracted_past x;
            s = formula_try(&m, l, place.least, claim_regular_names[k], to, a, &x, &why, err);
            if (!s && !why && logics[l].logic == AT_LOGIC_LTL)
                s = formula_show(to, &m, x.formulas, err);
            layered += !s && !x.why;
            parts_most = !s && x.formulas->n_parts > parts_most ? x.formulas->n_parts : parts_most;
            n++;
        }
        large += place.states >= 4;
        at_model_release(&m);
    }
    if (s)
        return s;
    out->inputs = (uint64_t)n;
    out->holds = why ? AT_FALSE : AT_TRUE;
    out->note =
        why ? why
            : at_arena_printf(
                  a,
                  "%d formulas, temporal logic and B-RASP of %d models, %d layer by layer, of at most "
                  "%d parts, have the least automata of their languages, %d of 4 states or more: "
                  "equal on words of all lengths",
                  n, n / COUNT(logics), layered, parts_most, large);
    return AT_OK;
}

typedef struct {
    bool any; /* else at most every second model has fewer than 4 states */
    uint64_t models, large, drawn, words, refused, layered;
    int most;
} formula_tally;

/* One drawn model; *counts: it was one to count. */
static at_status drawn_formula(const at_params *p, const at_model *m, at_model *run, formula_tally *t,
                               audience *to, at_arena *a, const char **why, at_err *err)
{
    at_extracted d;
    at_place place;
    at_err large = {0};
    uint64_t yes;
    at_status s = at_extract_dfa(m, a, &d, &large);
    if (s == AT_EBUDGET || s == AT_EREFUSED) { /* too many states; a readout at its threshold */
        t->refused++;
        return AT_OK;
    }
    if (s)
        return at_fail(err, s, "%s", large.text);
    if (d.dfa->states < 2 || (!t->any && d.dfa->states < 4 && 2 * (t->models - t->large + 1) > t->models + 1))
        return AT_OK;
    s = at_place_find(d.dfa, a, &place, err);
    if (!s && place.star_free != AT_TRUE)
        *why = "an automaton of a unique-hard model has a period";
    for (int l = 0; l < COUNT(logics) && !s && !*why; l++) {
        at_extracted_past x;
        s = formula_try(m, l, d.dfa, "drawn weights", to, a, &x, why, err);
        if (!s && !*why)
            s = claim_drawn_equal(run, at_f64, x.formulas, at_params_int(p, "longest"), 0, a, &t->words, &yes,
                                  why, err);
        if (!s && !*why && logics[l].logic == AT_LOGIC_LTL)
            s = formula_show(to, run, x.formulas, err);
        t->layered += !s && !x.why;
    }
    t->models++;
    t->large += d.dfa->states >= 4;
    t->most = d.dfa->states > t->most ? d.dfa->states : t->most;
    return s;
}

static at_status drawn_formulas_try(const at_params *p, uint64_t limit, uint64_t seed, audience *to,
                                    at_arena *a, at_verdict *out, at_err *err)
{
    bool trained = at_params_int(p, "part") == TRAINED;
    formula_tally t = {.any = trained};
    const char *why = NULL;
    bool average = at_params_int(p, "average");
    audience nobody = {0};
    at_status s = AT_OK;
    if (average) /* which fails behind models that are equal all the same */
        to = &nobody;
    for (uint64_t k = 0; t.models < limit && t.drawn < 100 * limit && !s && !why; k++, t.drawn++) {
        claim_drawn d = {.weighting = average || k % 2 ? AT_LEFTMOST_HARD : AT_RIGHTMOST_HARD,
                         .mask = k / 2 % 3 ? AT_MASK_STRICT : AT_MASK_CAUSAL,
                         .layers = 1 + (int)(k / 6 % 2),
                         .heads = 1 + (int)(k / 12 % 2),
                         .dv = 2,
                         .prefix = (int)(k / 24 % 2),
                         .longest = 12,
                         .step = 1,
                         .most = 1};
        at_model m, run;
        if (at_cancel_pending())
            return at_fail(err, AT_ECANCEL, "interrupted");
        s = trained ? claim_drawn_trained(&d, seed, k, STEPS, &m, err)
                    : claim_drawn_model(&d, seed, k, &m, err);
        if (s)
            break;
        d.weighting = average ? AT_AVERAGE_HARD : d.weighting;
        s = trained ? at_model_copy(&m, &run, err) : claim_drawn_model(&d, seed, k, &run, err);
        if (!s) {
            at_arena scratch;
            at_arena_init(&scratch);
            const char *found = NULL;
            s = drawn_formula(p, &m, &run, &t, to, &scratch, &found, err);
            if (found && !(why = at_arena_strdup(a, found)))
                s = at_oom(err);
            at_arena_release(&scratch);
            at_model_release(&run);
        }
        at_model_release(&m);
    }
    if (s)
        return s;
    out->inputs = t.models;
    out->holds = why                                                                     ? AT_FALSE
                 : t.models && t.models == limit && (trained || 2 * t.large >= t.models) ? AT_TRUE
                                                                                         : AT_UNKNOWN;
    out->note =
        why ? why
            : at_arena_printf(
                  a,
                  "%ju %s models (of %ju; %ju refused, the others constant%s), %ju of 4 states "
                  "or more, at most %d, none with a period: both formulas, %ju of %ju layer by layer, have "
                  "their automata, and are right on %ju words to length %d",
                  (uintmax_t)t.models, trained ? "trained" : "drawn", (uintmax_t)t.drawn,
                  (uintmax_t)t.refused, trained ? "" : " or small", (uintmax_t)t.large, t.most,
                  (uintmax_t)t.layered, (uintmax_t)(2 * t.models), (uintmax_t)t.words,
                  at_params_int(p, "longest"));
    return AT_OK;
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence};
    audience to = {.env = env};
    int part = at_params_int(p, "part");
    at_status s = part == COMPILED         ? compiled_try(at_params_int(p, "causal"), &to, a, out, err)
                  : part == MODULAR        ? modular_try(p, &to, a, out, err)
                  : part == FORMULAS       ? formulas_try(at_params_int(p, "causal"), &to, a, out, err)
                  : part >= DRAWN_FORMULAS ? drawn_formulas_try(p, limit, seed, &to, a, out, err)
                                           : drawn_try(part == DRAWN_MODULAR, limit, seed, &to, a, out, err);
    return s ? s : out->note ? AT_OK : at_oom(err);
}

static const at_cell cells[] = {
    {"part=compiled", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=modular", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=modular positions=sinusoidal", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=drawn", NULL, AT_EV_SIMULATED, 0, "f64", 500, AT_TIER_QUICK, NULL},
    {"part=drawn-modular", NULL, AT_EV_SIMULATED, 0, "f64", 500, AT_TIER_QUICK, NULL},
    {"part=formulas", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=drawn-formulas", NULL, AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
    {"part=trained", NULL, AT_EV_SIMULATED, 0, "f64", 80, AT_TIER_QUICK, NULL},
    {"part=drawn-formulas longest=12", NULL, AT_EV_SIMULATED, 0, "f64", 24, AT_TIER_FULL, NULL},
    {"part=compiled", "causal=1", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=modular", "off=1", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=modular positions=sinusoidal", "off=1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=formulas", "causal=1", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=drawn-formulas", "average=1", AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
};

const at_claim claim_fo_extract = {
    .id = "fo-extract",
    .title =
        "A unique-hard model whose positions repeat, or without any, is an automaton and a formula, on words "
        "of all lengths",
    .source = "Angluin, Chiang, Yang 2023 (masked unique-hard attention is in FO, with periodic positions in "
              "FO[MOD])",
    .group = "Languages",
    .statement = "What leftmost- or rightmost-hard attention under strict or causal masks accepts is "
                 "star-free without "
                 "positions, and in FO[<, MOD] with positions that repeat; the least automaton is found from "
                 "the weights, and "
                 "is right on words of all lengths. So is a formula of temporal logic, and without positions "
                 "a program "
                 "in B-RASP, made layer by layer.",
    .proof =
        "For each head and query vector a model needs to know one of all earlier keys, the best so far, and "
        "its position modulo the period: finitely many states. Compiled models give the automaton that they "
        "were made from; drawn ones are compared with the executor on every short word. Before each layer a "
        "stream "
        "has finitely many values, each a formula of those of the layer before and of which keys came last, "
        "or first.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
