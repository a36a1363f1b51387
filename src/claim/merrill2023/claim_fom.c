/* CLAIM fom: softmax at log n bits is one sentence of first-order logic with majority, for all lengths n.
 *
 * Source: Merrill, Sabharwal 2023, "A logic for expressing log-precision transformers".
 * Statement: what a model of one softmax or average-hard head without positions accepts, run with p = ceil(c log2 n) bits at length n, is one
 * sentence of FOM[BIT]. It is made of the weights, and n does not occur in it.
 *
 * Proof: src/extract/fom_model.c and fom.c have it beside the code: P = 2^p by BIT, exponentials by logarithms, which majority counts as
 *   areas, and the rounded mean by one comparison of sums of products.
 *   Drawn models: scores and values of few bits, so that they are the same at every precision; a threshold of 0 or a power of two; masks take turns.
 *   Half of them, at least, are not constant. The sentence is run by src/extract/fom_run.c on all words to `longest` and
 *   says what the executor does, in another arithmetic at each length. Beyond, to `circuit` letters, the model at that length is a circuit
 *   of threshold gates that answers the same on all words (claim tc0 has the proof).
 * Controls: a sentence of one bit more than the model has (off=1); one that compares the mean before it is rounded (changed=1).
 *
 * Differs from the paper: it has all layers and a rounding of its own; here one layer, and the arithmetic of docs/exec.md with means that are
 * rounded once. */
#include "../claim_internal.h"
#include "../shared/claim_drawn.h"

#include <attest/circuit.h>
#include <attest/exec.h>
#include <attest/extract.h>

#include <string.h>

static const char *const weightings[] = {"softmax", "average-hard", NULL};
static const at_weighting weighting_of[] = {AT_SOFTMAX, AT_AVERAGE_HARD};

static const at_param params[] = {
    {"weighting", "of the models", 0, 1, 0, true, weightings},
    {"c", "bits for a doubling of the length", 1, 2, 1, true},
    {"V", "letters", 2, 4, 2, true},
    {"longest", "letters of the words on which the sentence is asked", 3, 12, 8, true},
    {"circuit", "letters of the words beyond, by circuits; 0: none", 0, 14, 10, true},
    {"off", "bits that the sentence has too many", 0, 2, 0, true},
    {"changed", "1: the mean is compared before it is rounded", 0, 1, 0, true},
};

enum { WIDTH = 3, LETTERS = 12, DRAWS = 20, EXP_BITS = 5 };

typedef struct {
    uint64_t models, varied, words, circuits, gates;
    size_t parts;
    int exponentials, shown;
} tally;

/* Models that are shown to whoever writes down what the verdict rests on, and on which words of each: a reader in Python counts tuples of 20
 * positions for minutes beyond. */
static const int shown_longest[] = {5, 4};

/* Coordinates of a stream: what its key scores, its value, and where the mean goes. */
enum { SCORE, VALUE, MEAN };

static at_status layout_make(const at_params *p, uint64_t index, at_model *m, at_err *err)
{
    static const at_mask_kind masks[] = {AT_MASK_NONE, AT_MASK_CAUSAL, AT_MASK_STRICT};
    int longest = at_params_int(p, "longest"), circuit = at_params_int(p, "circuit");
    strcpy(m->name, "drawn");
    m->width = WIDTH;
    m->n_min = 0;
    m->n_max = longest > circuit ? longest : circuit;
    m->n_suffix = 1;
    m->n_fields = 1;
    m->n_blocks = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->blocks = at_new(&m->arena, at_block, 1);
    if (!m->fields || !m->blocks || !(m->blocks[0].groups = at_new(&m->arena, at_group, 1)))
        return at_oom(err);
    strcpy(m->fields[0].name, "x");
    m->fields[0].kind = AT_FIELD_TOKEN;
    m->fields[0].size = at_params_int(p, "V");
    m->fields[0].embed.width = m->suffix.width = WIDTH;
    m->blocks[0].kind = AT_BLOCK_ATTN;
    m->blocks[0].residual = true;
    m->blocks[0].n_groups = 1;
    m->blocks[0].groups[0] = (at_group){.heads = 1,
                                        .dk = 1,
                                        .dv = 1,
                                        .weighting = weighting_of[at_params_int(p, "weighting")],
                                        .mask.kind = masks[index % 3],
                                        .bias = true,
                                        .scale = 1};
    m->readout = (at_readout){.kind = AT_READ_THRESHOLD, .rows = 1, .last = true};
    return at_model_layout(m, err);
}

/* Scores are 0..2 times 1/2 or 1, so that they and their differences have two bits; the query is 1 by its bias. */
static at_status model_make(const at_params *p, uint64_t seed, uint64_t index, at_model *m, at_err *err)
{
    static const double thresholds[] = {0, 0.25, 0.5, 1, -0.5, -1};
    at_rng r = at_rng_at(seed, index);
    double step = at_rng_below(&r, 2) ? 1 : 0.5;
    at_model_init(m);
    at_status s = layout_make(p, index, m, err);
    if (s) {
        at_model_release(m);
        return s;
    }
    at_group *g = &m->blocks[0].groups[0];
    for (int b = 0; b <= m->fields[0].size; b++) {
        double *x = b < m->fields[0].size ? at_model_data(m, m->fields[0].embed.tensor) + b * WIDTH
                                          : at_model_data(m, m->suffix.tensor);
        x[SCORE] = step * (double)at_rng_below(&r, 3);
        x[VALUE] = (double)at_rng_below(&r, 5) - 2;
    }
    at_model_data(m, g->qb)[0] = 1;
    at_model_data(m, g->k)[SCORE] = 1;
    at_model_data(m, g->v)[VALUE] = 1;
    at_model_data(m, g->o)[MEAN] = 1;
    at_model_data(m, m->readout.w)[MEAN] = 1;
    m->readout.threshold = thresholds[at_rng_below(&r, COUNT(thresholds))];
    return at_model_validate(m, err);
}

/* All words to `longest`; *why: on which they differ, then it is word[0..n-1]. */
static at_status words_try(const at_params *p, const at_model *m, const at_fom *f, at_fom_runner *r,
                           uint64_t *words, uint64_t *yes, at_arena *a, int *word, int *differ,
                           const char **why, at_err *err)
{
    at_fom_options o = {.c = at_params_int(p, "c"), .exp_bits = EXP_BITS};
    int V = at_params_int(p, "V");
    uint64_t all = 1;
    at_status s = AT_OK;
    for (int n = 0; n <= at_params_int(p, "longest") && !s && !*why; n++, all *= (uint64_t)V)
        for (uint64_t w = 0; w < all && !s && !*why; w++, ++*words) {
            bool says, holds;
            uint64_t rest = w;
            for (int i = 0; i < n; i++, rest /= (uint64_t)V)
                word[i] = (int)(rest % (uint64_t)V);
            s = claim_drawn_says(m, at_fom_arith(&o, n), word, n, a, &says, err);
            if (!s)
                s = at_fom_holds(r, f, word, n, &holds, err);
            *yes += !s && says;
            if (s || says == holds)
                continue;
            *differ = n;
            char text[LETTERS + 1] = "";
            for (int i = 0; i < n; i++)
                text[i] = (char)('0' + word[i]);
            if (!(*why = at_arena_printf(a, "on the word %s the model says %s", text, says ? "yes" : "no")))
                s = at_oom(err);
        }
    return s;
}

/* A model and its sentence: the same on all words of each length, in the arithmetic of that length; or the word that tells. */
static at_status sentence_show(const at_params *p, const at_model *m, const at_fom *f, const int *word,
                               int differ, const at_check_env *env, tally *t, at_arena *a, at_err *err)
{
    at_fom_options o = {.c = at_params_int(p, "c"), .exp_bits = EXP_BITS};
    bool control = at_params_int(p, "off") || at_params_int(p, "changed");
    double x[LETTERS];
    at_text text;
    if (!env || !env->witness || (control ? differ < 0 : t->shown == COUNT(shown_longest)))
        return AT_OK;
    at_text_init(&text);
    at_fom_print(f, &text);
    const char *own = text.oom ? NULL : at_arena_strdup(a, text.s);
    at_text_release(&text);
    if (!own)
        return at_oom(err);
    for (int i = 0; i < differ; i++)
        x[i] = word[i];
    at_input in = {differ, x};
    int longest = at_params_int(p, "longest"), few = control ? 0 : shown_longest[t->shown];
    int first = control ? differ : 0, last = control ? differ : longest < few ? longest : few;
    at_status s = AT_OK;
    for (int n = first; n <= last && !s; n++) {
        at_witness w = {.kind = control ? "other" : "same",
                        .m = m,
                        .arith = at_fom_arith(&o, n),
                        .language = "fom",
                        .text = own,
                        .x = &in,
                        .n = control,
                        .least = n,
                        .most = n};
        s = env->witness(env->ctx, &w, err);
    }
    t->shown++;
    return s;
}

/* Beyond: at each length a circuit. */
static at_status circuits_try(const at_params *p, const at_model *m, tally *t, at_arena *a, const char **why,
                              at_err *err)
{
    at_fom_options o = {.c = at_params_int(p, "c"), .exp_bits = EXP_BITS};
    at_status s = AT_OK;
    for (int n = at_params_int(p, "longest") + 1; n <= at_params_int(p, "circuit") && !s && !*why; n++) {
        at_circuit *c;
        at_circuit_size z;
        at_circuit_compared r;
        at_arith arith = at_fom_arith(&o, n);
        s = at_circuit_of_model(m, arith, n, NULL, &c, err);
        if (s)
            return s;
        s = at_circuit_measure(c, &z, err);
        if (!s)
            s = at_circuit_compare(c, m, arith, n, 1, &r, err);
        at_circuit_free(c);
        if (s)
            return s;
        t->circuits++;
        t->words += r.words;
        t->gates = z.gates > t->gates ? z.gates : t->gates;
        if (r.differ && !(*why = at_arena_printf(a, "the circuit differs on %ju words of %d letters",
                                                 (uintmax_t)r.differ, n)))
            s = at_oom(err);
    }
    return s;
}

/* One model. One that is constant counts only while it is not more than every second. */
static at_status model_try(const at_params *p, const at_model *m, at_fom_runner *r, const at_check_env *env,
                           tally *t, at_arena *a, const char **why, at_err *err)
{
    at_fom_options o = {.c = at_params_int(p, "c"),
                        .exp_bits = EXP_BITS,
                        .off = at_params_int(p, "off"),
                        .unrounded = at_params_int(p, "changed")};
    at_extracted_fom x;
    uint64_t words = 0, yes = 0;
    int word[LETTERS], differ = -1;
    at_status s = at_extract_fom(m, &o, a, &x, err);
    if (!s)
        s = words_try(p, m, x.sentence, r, &words, &yes, a, word, &differ, why, err);
    bool varied = yes && yes < words;
    if (s || (!varied && !*why && 2 * (t->models - t->varied + 1) > t->models + 1))
        return s;
    if (varied || *why)
        s = sentence_show(p, m, x.sentence, word, differ, env, t, a, err);
    if (s)
        return s;
    t->models++;
    t->varied += varied;
    t->words += words;
    t->parts = x.parts > t->parts ? x.parts : t->parts;
    t->exponentials = x.exponentials > t->exponentials ? x.exponentials : t->exponentials;
    return *why ? AT_OK : circuits_try(p, m, t, a, why, err);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    tally t = {0};
    const char *why = NULL;
    char words[32], gates[32];
    at_fom_runner *r;
    int n = at_params_int(p, "circuit"), bits = n * (at_params_int(p, "V") > 2 ? 2 : 1);
    if (n > at_params_int(p, "longest") && bits > AT_CIRCUIT_INPUTS)
        return at_fail(err, AT_EDOMAIN,
                       "circuit=%d: these words have %d input bits, and all are compared to %d", n, bits,
                       AT_CIRCUIT_INPUTS);
    at_status s = at_fom_runner_new(&r, err);
    if (s)
        return s;
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence};
    for (uint64_t i = 0; i < DRAWS * limit && t.models < limit && !s && !why; i++) {
        at_arena scratch;
        at_model m;
        const char *found = NULL;
        if (at_cancel_pending()) {
            s = at_fail(err, AT_ECANCEL, "interrupted");
            break;
        }
        s = model_make(p, seed, i, &m, err);
        if (s)
            break;
        at_arena_init(&scratch);
        s = model_try(p, &m, r, env, &t, &scratch, &found, err);
        if (found && !(why = at_arena_strdup(a, found)))
            s = at_oom(err);
        at_arena_release(&scratch);
        at_model_release(&m);
    }
    at_fom_runner_free(r);
    if (s)
        return s;
    out->inputs = t.models;
    out->holds = why ? AT_FALSE : t.models == limit && limit ? AT_TRUE : AT_UNKNOWN;
    out->note =
        why ? why
            : at_arena_printf(
                  a,
                  "%ju models at %d log2 n bits, %ju not constant: one sentence each of at most %zu parts "
                  "and %d "
                  "exponentials, right to length %d; %ju circuits to length %d, at most %s gates; %s words",
                  (uintmax_t)t.models, at_params_int(p, "c"), (uintmax_t)t.varied, t.parts, t.exponentials,
                  at_params_int(p, "longest"), (uintmax_t)t.circuits, at_params_int(p, "circuit"),
                  at_count_text(gates, t.gates), at_count_text(words, t.words));
    return out->note ? AT_OK : at_oom(err);
}

static const at_cell cells[] = {
    {"weighting=softmax", NULL, AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
    {"weighting=average-hard c=2", NULL, AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
    {"weighting=softmax circuit=14", NULL, AT_EV_SIMULATED, 0, "f64", 24, AT_TIER_FULL, NULL},
    {"weighting=softmax V=3 circuit=11", NULL, AT_EV_SIMULATED, 0, "f64", 24, AT_TIER_FULL, NULL},
    {"weighting=softmax longest=10 circuit=12", NULL, AT_EV_SIMULATED, 0, "f64", 24, AT_TIER_FULL, NULL},
    {"weighting=softmax", "off=1", AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
    {"weighting=softmax", "changed=1", AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
};

const at_claim claim_fom = {
    .id = "fom",
    .title = "Softmax at log n bits is one sentence of first-order logic with majority, for all lengths",
    .source = "Merrill, Sabharwal 2023",
    .group = "Languages",
    .statement =
        "What one softmax or average-hard head without positions accepts, run with ceil(c log2 n) bits at "
        "length n, is one sentence of FOM[BIT] made of its weights; n does not occur in it.",
    .proof = "2^p is found by BIT, exponentials by logarithms, which are areas that majority counts, and the "
             "rounded mean is compared with the threshold by sums of products of counts. The sentence is run "
             "beside "
             "the executor on all words; beyond, circuits are.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
