/* CLAIM lm-tight: do the probabilities of all finite sentences sum to 1?
 *
 * Source: Du, Torroba Hennigen, Pimentel, Meister, Eisner and Cotterell 2023 ("A Measure-Theoretic Characterization of Tight Language
 * Models"). Statement: an n-gram model, or a probabilistic automaton, is tight exactly when every state that it reaches can reach the end; a
 * transformer with a softmax readout is tight when what it reads out is bounded, for then the end has at least some probability e > 0
 * behind every text.
 *
 * Proof: src/ngram/tight.c and src/ngram/pfsa.c (finitely many states), src/check/tight.c (weights).
 *   part=tables, automata: drawn ones, some of which lose probability. The decision, by a search without numbers, is "tight" exactly when the
 *     sum, solved for as a fraction, is 1; and the sum is that of the sentences of up to STEPS words, added up in doubles.
 *   part=ends: drawn tables that can end behind every word: they are tight, each with the fraction 1.
 *   part=weights: tables without a probability of 0 compiled, read by softmax. The bound e is certified in balls, and behind every text to length TEXT the end
 *     has at least so much.
 *   part=fractions: tables whose rows are over 16 compiled, read by sparsemax, which gives their fractions, zeros among them. Every text
 *     to a length is run in exact arithmetic; the histories that decide are found, and the tables that the model is are decided on: as
 *     the tables it was made of are, and with the same sum. Behind b comes b or the end alone: a class that is closed.
 * Controls: a word behind which nothing but itself comes (trap=1): the sum is a fraction below 1, and the state is named; a model whose
 * end becomes less likely by a factor of e with every word (decay=1) is refused; of fractions, the end has the probability 0 in the closed
 * class (trap=1). */
#include "../claim_internal.h"

#include <attest/front.h>

#include <math.h>
#include <string.h>

enum {
    TABLES,
    AUTOMATA,
    ENDS,
    WEIGHTS,
    FRACTIONS,
    WORDS = 2,
    ORDER = 3,
    STEPS = 20000,
    TEXT = 6,
    HISTORIES = 1 + 2 + 4
};
static const char *const parts[] = {"tables", "automata", "ends", "weights", "fractions", NULL};
static const at_param params[] = {
    {"part", "which models", 0, FRACTIONS, TABLES, true, parts},
    {"trap", "1: behind a word comes nothing but itself", 0, 1, 0, true},
    {"decay", "1: the end becomes less likely with every word", 0, 1, 0, true},
};
static const char *const names[] = {"a", "b"};

/* ---- what is drawn -------------------------------------------------------------------------------------------------------- */

/* How much of a row has probability: some of it; the end at least; all. */
typedef enum { SOME, END, ALL } row_has;

typedef struct {
    at_ngram *g;
    at_pfsa *p;
    const char *text; /* of whichever it is */
} drawn;

/* A line a history: how often each word follows, and the end. */
static at_status table_make(const uint64_t *count, at_arena *a, drawn *out, at_err *err)
{
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "alphabet %s %s\norder %d\n", names[0], names[1], ORDER);
    for (int i = 0; i < HISTORIES; i++) {
        int pair = i - 1 - WORDS; /* histories of two words are behind those of fewer */
        const char *first = pair >= 0 ? names[pair / WORDS] : i ? names[i - 1] : "";
        at_text_addf(&t, "%s %s :", first, pair >= 0 ? names[pair % WORDS] : "");
        for (int w = 0; w <= WORDS; w++)
            at_text_addf(&t, " %ju", (uintmax_t)count[i * (WORDS + 1) + w]);
        at_text_add(&t, "\n");
    }
    out->text = t.oom ? NULL : at_arena_strdup(a, t.s);
    at_text_release(&t);
    return out->text ? at_ngram_of_counts(ORDER, WORDS, names, count, a, &out->g, err) : at_oom(err);
}

/* trap: the last word is followed by itself alone, wherever it stands. */
static at_status table_draw(uint64_t seed, uint64_t index, row_has has, bool trap, at_arena *a, drawn *out,
                            at_err *err)
{
    int V = WORDS + 1;
    uint64_t *count = at_new(a, uint64_t, HISTORIES * V);
    if (!count)
        return at_oom(err);
    at_rng r = at_rng_at(seed, index);
    for (int i = 0; i < HISTORIES; i++) {
        uint64_t *row = count + i * V;
        for (int w = 0; w < V; w++)
            row[w] = at_rng_below(&r, 2) * at_rng_below(&r, 4) + (has == ALL);
        if (has == END)
            row[WORDS]++;
        else if (!row[0] && !row[1] && !row[2])
            row[0] = 1;
        bool last = i == 2 || (i >= 3 && (i - 3) % WORDS == WORDS - 1); /* the history ends in b */
        if (trap && last) {
            memset(row, 0, (size_t)V * sizeof *row);
            row[WORDS - 1] = 1;
        } else if (trap)
            row[WORDS - 1]++; /* which is reached */
    }
    return table_make(count, a, out, err);
}

static at_status automaton_draw(uint64_t seed, uint64_t index, at_arena *a, drawn *out, at_err *err)
{
    enum { STATES = 4 };
    at_rng r = at_rng_at(seed, index);
    int Q = 1 + (int)at_rng_below(&r, STATES);
    at_pfsa_arc arc[STATES * STATES * WORDS];
    uint32_t *under = at_new(a, uint32_t, Q), *end = at_new(a, uint32_t, Q), *start = at_new(a, uint32_t, Q);
    if (!under || !end || !start)
        return at_oom(err);
    at_pfsa like = {.states = Q, .letters = WORDS, .arc = arc, .under = under, .end = end, .start = start};
    for (int q = 0; q < Q; q++) {
        for (int k = 0; k < WORDS * Q; k++)
            if (at_rng_below(&r, 3) == 0) {
                arc[like.arcs] = (at_pfsa_arc){q, k / Q, k % Q, 1 + (uint32_t)at_rng_below(&r, 4)};
                under[q] += arc[like.arcs++].count;
            }
        end[q] = (uint32_t)(at_rng_below(&r, 2) * at_rng_below(&r, 3)) + !under[q];
        under[q] += end[q];
        start[q] = (uint32_t)at_rng_below(&r, 2) + (q == 0);
        like.start_under += start[q];
    }
    at_status s = at_pfsa_make(&like, a, &out->p, err);
    if (s)
        return s;
    at_text t;
    at_text_init(&t);
    at_pfsa_print(out->p, &t);
    out->text = t.oom ? NULL : at_arena_strdup(a, t.s);
    at_text_release(&t);
    return out->text ? AT_OK : at_oom(err);
}

/* ---- sums of sentences ------------------------------------------------------------------------------------------------------ */

/* Of at most STEPS words. */
static double table_sum(const at_ngram *g, at_arena *a)
{
    int S = at_ngram_states(g);
    double *now = at_new(a, double, S), *then = at_new(a, double, S), p[WORDS + 1], sum = 0;
    if (!now || !then)
        return NAN;
    now[at_ngram_start(g)] = 1;
    for (int step = 0; step < STEPS; step++) {
        memset(then, 0, (size_t)S * sizeof *then);
        for (int s = 0; s < S; s++) {
            if (!(now[s] > 0))
                continue;
            at_ngram_shares(g, s, p);
            sum += now[s] * p[WORDS];
            for (int w = 0; w < WORDS; w++) {
                int to = s;
                if (p[w] > 0) {
                    at_ngram_step(g, &to, w);
                    then[to] += now[s] * p[w];
                }
            }
        }
        double *t = now;
        now = then;
        then = t;
    }
    return sum;
}

static double automaton_sum(const at_pfsa *p)
{
    double now[AT_PFSA_STATES], sum = 0;
    at_pfsa_begin(p, now);
    for (int step = 0; step < STEPS; step++) {
        double then[AT_PFSA_STATES] = {0};
        for (int q = 0; q < p->states; q++)
            sum += now[q] * p->end[q] / p->under[q];
        for (int k = 0; k < p->arcs; k++)
            then[p->arc[k].to] += now[p->arc[k].from] * p->arc[k].count / p->under[p->arc[k].from];
        memcpy(now, then, sizeof then);
    }
    return sum;
}

typedef struct {
    uint64_t tight, loose;
    double apart;       /* the largest distance of a fraction from a sum */
    double log10_least; /* part=weights: the least bound on the end */
    uint64_t texts;
    int shown; /* to whoever writes down what the verdict rests on */
} tally;

enum { SHOWN_TEXTS = 20, SHOWN_MODELS = 2 };

/* d sums to r, and m, unless it is NULL, has its probabilities. must: the claim is that it is tight. */
static at_status mass_show(const drawn *d, const at_tight *r, bool must, const at_model *m,
                           const at_check_env *env, at_arena *a, tally *t, at_err *err)
{
    const char *more = at_arena_printf(a, ", \"mass\": \"%s\", \"tight\": %s, \"must\": %s", r->mass,
                                       r->tight ? "true" : "false", must ? "true" : "false");
    at_witness w = {.kind = "mass",
                    .m = m,
                    .arith = {.kind = AT_EXACT},
                    .language = d->p ? "pfsa" : "counts",
                    .text = d->text,
                    .most = TEXT,
                    .more = more};
    t->shown++;
    return more ? env->witness(env->ctx, &w, err) : at_oom(err);
}

/* Is this one shown: the first ones, or of a control the one that is not tight? */
static bool is_shown(const at_check_env *env, const tally *t, int most, bool control, const char *why)
{
    return env && env->witness && (control ? why != NULL : t->shown < most);
}

static at_status drawn_try(int part, bool trap, uint64_t seed, uint64_t index, const at_check_env *env,
                           at_arena *a, tally *t, const char **why, at_err *err)
{
    drawn d = {0};
    at_tight r;
    at_status s = part == AUTOMATA ? automaton_draw(seed, index, a, &d, err)
                                   : table_draw(seed, index, part == ENDS ? END : SOME, trap, a, &d, err);
    if (!s)
        s = d.p ? at_pfsa_tight(d.p, a, &r, err) : at_ngram_tight(d.g, NULL, a, &r, err);
    if (s)
        return s;
    double sum = d.p ? automaton_sum(d.p) : table_sum(d.g, a), apart = fabs(sum - r.mass_near);
    r.tight ? t->tight++ : t->loose++;
    t->apart = apart <= t->apart ? t->apart : apart;
    if (!r.solved && strcmp(r.mass, "0") != 0)
        *why = "a sum was not solved for";
    else if (r.tight != (strcmp(r.mass, "1") == 0))
        *why = at_arena_printf(a, "decided '%s', and the sum is %s", r.tight ? "tight" : "not tight", r.mass);
    else if (!(apart <= 1e-9))
        *why = at_arena_printf(a, "the sum is said to be %s, and sentences sum to %.12g", r.mass, sum);
    else if (part == ENDS && !r.tight)
        *why = at_arena_printf(a, "not tight: the sum is %s, and behind %s nothing ends", r.mass,
                               r.n_trap ? names[r.trap[r.n_trap - 1]] : "the beginning");
    return is_shown(env, t, SHOWN_TEXTS, trap, *why) ? mass_show(&d, &r, part == ENDS, NULL, env, a, t, err)
                                                     : AT_OK;
}

/* ---- weights ----------------------------------------------------------------------------------------------------------------- */

/* Words 0 and the end; the logit of the end is minus the index. */
static at_status decaying(at_model *m, at_err *err)
{
    at_program *P = at_program_new("decay", TEXT);
    if (!P)
        return at_oom(err);
    at_program_lengths(P, 0);
    at_token(P, "word", 1);
    at_prefix(P, 1);
    at_var end = at_scaled(P, -1, at_position(P, "here", AT_POS_I));
    at_emit_last(P, AT_VEC(at_const(P, 0), end), AT_READ_SOFTMAX, 0);
    at_status s = at_program_status(P, err);
    if (!s)
        s = at_assemble(P, m, NULL, err);
    at_program_free(P);
    return s;
}

static at_status texts_try(const at_model *m, double least, at_arena *a, tally *t, const char **why,
                           at_err *err)
{
    int W = m->fields[0].size;
    at_status s = AT_OK;
    for (int n = 0; n <= TEXT && !s && !*why; n++)
        for (uint64_t i = 0; i < at_words_count(W, n) && !s && !*why; i++, t->texts++) {
            double x[TEXT + 1];
            at_output y;
            at_mark mark = at_arena_mark(a);
            at_words_nth(W, n, i, x);
            s = at_run(m, at_f64, &(at_input){n, x}, NULL, a, &y, err);
            bool right =
                !s && at_log(y.decision[W]) / at_log(10) >= least - 1e-9; /* f64 rounds; the bound does not */
            at_arena_reset(a, mark);
            if (!s && !right)
                *why = "an end that is less likely than the bound says";
        }
    return s;
}

/* bound: NULL: there is none. */
static at_status ends_show(const at_model *m, const double *bound, const at_check_env *env, at_arena *a,
                           tally *t, at_err *err)
{
    const char *more = bound ? at_arena_printf(a, ", \"least\": %.17g", *bound) : ", \"least\": null";
    at_witness w = {
        .kind = "ends", .m = m, .arith = at_f64, .language = "words", .text = "", .most = TEXT, .more = more};
    t->shown++;
    return more ? env->witness(env->ctx, &w, err) : at_oom(err);
}

static at_status weights_try(bool decay, uint64_t seed, uint64_t index, const at_check_env *env, at_arena *a,
                             tally *t, const char **why, at_err *err)
{
    drawn d = {0};
    at_model m;
    at_err refusal = {0};
    double least;
    at_ngram_options o = {.form = (at_ngram_form)(index % AT_NGRAM_FORMS),
                          .weighting = index % 2 ? AT_SOFTMAX : AT_AVERAGE_HARD,
                          .read = AT_READ_SOFTMAX,
                          .error = index % 2 ? 1e-13 : 0};
    at_status s = decay ? decaying(&m, err) : table_draw(seed, index, ALL, false, a, &d, err);
    if (!s && !decay)
        s = at_ngram_model(d.g, TEXT, &o, &m, err);
    if (s)
        return s;
    s = at_end_least(&m, &least, &refusal);
    bool bounded = !s;
    if (s == AT_EREFUSED) {
        *why = at_arena_printf(a, "refused: %s", refusal.text);
        s = *why ? AT_OK : at_oom(err);
    } else if (s)
        at_fail(err, s, "%s", refusal.text);
    else {
        t->tight++;
        t->log10_least = fmin(t->log10_least, least);
        s = texts_try(&m, least, a, t, why, err);
    }
    if (!s && is_shown(env, t, SHOWN_MODELS, decay, *why))
        s = ends_show(&m, bounded ? &least : NULL, env, a, t, err);
    at_model_release(&m);
    return s;
}

/* ---- weights that give fractions -------------------------------------------------------------------------------------------- */

/* Rows over 16; behind b, b or the end; trap: b alone. */
static at_status closed_draw(uint64_t seed, uint64_t index, bool trap, at_arena *a, drawn *out, at_err *err)
{
    enum { V = WORDS + 1, SUM = 16 };
    uint64_t *count = at_new(a, uint64_t, HISTORIES * V);
    if (!count)
        return at_oom(err);
    at_rng r = at_rng_at(seed, index);
    for (int i = 0; i < HISTORIES; i++) {
        uint64_t *row = count + i * V, end = 1 + at_rng_below(&r, SUM - 2);
        bool closed = i == 2 || (i >= 3 && (i - 3) % WORDS == WORDS - 1); /* the history ends in b */
        uint64_t b = closed ? SUM - end : 1 + at_rng_below(&r, SUM - end);
        row[0] = SUM - end - b;
        row[1] = b;
        row[WORDS] = end;
        if (closed && trap) {
            row[1] += row[WORDS];
            row[WORDS] = 0;
        }
    }
    return table_make(count, a, out, err);
}

static at_status fractions_try(bool trap, uint64_t seed, uint64_t index, const at_check_env *env, at_arena *a,
                               tally *t, const char **why, at_err *err)
{
    drawn d = {0};
    at_ngram *found;
    at_model m;
    at_histories h;
    at_tight want, got;
    at_ngram_options o = {.form = (at_ngram_form)(index % AT_NGRAM_FORMS),
                          .weighting = index % 2 ? AT_SPARSEMAX : AT_AVERAGE_HARD,
                          .read = AT_READ_SPARSEMAX};
    at_status s = closed_draw(seed, index, trap, a, &d, err);
    if (!s)
        s = at_ngram_tight(d.g, NULL, a, &want, err);
    if (!s)
        s = at_ngram_model(d.g, TEXT, &o, &m, err);
    if (s)
        return s;
    s = at_ngram_of_model(&m, NULL, a, &found, &h, err);
    if (!s)
        s = at_ngram_tight(found, NULL, a, &got, err);
    if (!s && is_shown(env, t, SHOWN_MODELS, trap, !got.tight ? "" : NULL))
        s = mass_show(&d, &got, true, &m, env, a, t, err);
    at_model_release(&m);
    if (s)
        return s;
    got.tight ? t->tight++ : t->loose++;
    t->texts += h.texts;
    if (got.tight != want.tight || !got.mass || !want.mass || strcmp(got.mass, want.mass) != 0)
        *why = at_arena_printf(a, "the tables have the sum %s, and the weights %s",
                               want.mass ? want.mass : "?", got.mass ? got.mass : "?");
    else if (!got.tight)
        *why = at_arena_printf(a, "not tight: the sum is %s, and behind %s nothing ends", got.mass,
                               got.n_trap ? names[got.trap[got.n_trap - 1]] : "the beginning");
    return AT_OK;
}

/* ---- the trial ------------------------------------------------------------------------------------------------------------------ */

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    int part = at_params_int(p, "part");
    bool trap = at_params_int(p, "trap"), decay = at_params_int(p, "decay");
    tally t = {0};
    const char *why = NULL;
    at_status s = AT_OK;
    uint64_t k = 0;
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence};
    for (; k < limit && !s && !why; k++) {
        at_arena scratch;
        at_arena_init(&scratch);
        if (at_cancel_pending())
            s = at_fail(err, AT_ECANCEL, "interrupted");
        else
            s = part == WEIGHTS     ? weights_try(decay, seed, k, env, &scratch, &t, &why, err)
                : part == FRACTIONS ? fractions_try(trap, seed, k, env, &scratch, &t, &why, err)
                                    : drawn_try(part, trap, seed, k, env, &scratch, &t, &why, err);
        if (!s && why && !(why = at_arena_strdup(a, why)))
            s = at_oom(err);
        at_arena_release(&scratch);
    }
    if (s)
        return s;
    out->inputs = k;
    out->holds = why ? AT_FALSE : AT_TRUE;
    if (why)
        out->note = why;
    else if (part == WEIGHTS)
        out->note =
            at_arena_printf(a,
                            "%ju compiled models: the end has at least 10^%.1f behind every text of "
                            "every length, and so it has behind all %ju texts to length %d",
                            (uintmax_t)t.tight, floor(10 * t.log10_least) / 10, (uintmax_t)t.texts, TEXT);
    else if (part == FRACTIONS)
        out->note =
            at_arena_printf(a,
                            "%ju compiled models, %ju texts run in exact arithmetic: all tight, the sum 1 as "
                            "a fraction, as their tables have it",
                            (uintmax_t)t.tight, (uintmax_t)t.texts);
    else
        out->note = at_arena_printf(
            a,
            "%ju drawn: %ju tight, the sum 1 as a fraction; %ju not, their fractions below "
            "1; sentences of up to %d words sum to these within %s",
            (uintmax_t)k, (uintmax_t)t.tight, (uintmax_t)t.loose, STEPS, t.apart <= 1e-12 ? "1e-12" : "1e-9");
    return out->note ? AT_OK : at_oom(err);
}

static const at_cell cells[] = {
    {"part=tables", NULL, AT_EV_SIMULATED, 0, "exact", 500, AT_TIER_QUICK, NULL},
    {"part=automata", NULL, AT_EV_SIMULATED, 0, "exact", 500, AT_TIER_QUICK, NULL},
    {"part=ends", NULL, AT_EV_SIMULATED, 0, "exact", 200, AT_TIER_QUICK, NULL},
    {"part=weights", NULL, AT_EV_SIMULATED, 0, "ball", 200, AT_TIER_QUICK, NULL},
    {"part=fractions", NULL, AT_EV_SIMULATED, 0, "exact", 120, AT_TIER_QUICK, NULL},
    {"part=fractions", "trap=1", AT_EV_SIMULATED, 0, "exact", 120, AT_TIER_QUICK, NULL},
    {"part=ends", "trap=1", AT_EV_SIMULATED, 0, "exact", 200, AT_TIER_QUICK, NULL},
    {"part=weights", "decay=1", AT_EV_SIMULATED, 0, "ball", 200, AT_TIER_QUICK, NULL},
};

const at_claim claim_lm_tight = {
    .id = "lm-tight",
    .title = "A language model is tight when every state that it reaches can end, or its end has a bound",
    .source = "Du, Torroba Hennigen, Pimentel, Meister, Eisner, Cotterell 2023",
    .group = "Language models",
    .statement =
        "The probabilities of all finite sentences of an n-gram model, or of a probabilistic automaton, "
        "sum to 1 exactly when every state that is reached can reach the end; those of a model with a "
        "softmax readout do when what is read out is bounded at all lengths. With a sparsemax readout they "
        "are "
        "those of the tables that the histories make.",
    .proof =
        "Among finitely many states the chain ends with probability 1 exactly when no state that it reaches "
        "is cut off from the end; the sum solves linear equations, in fractions. Attention stays in the hull "
        "of its values, so bounded embeddings give a bounded readout, and softmax then gives the end at "
        "least e > 0 behind every text.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
