/* circuits.c: claims about circuits of models (claim_circuit.h). */
#include "claim_circuit.h"
#include "claim_drawn.h"

#include <math.h>
#include <stdio.h>

const char *const claim_circuit_parts[] = {"drawn", "compiled", "trained", "printed", NULL};
const char *const claim_circuit_reads[] = {"itself", "leftmost", "rightmost", NULL};

static const at_arith exact = {.kind = AT_EXACT};

/* What was seen of all models. */
typedef struct {
    uint64_t models, large, varied, words, gates, wires;
    int depth, bound;
    size_t words_first,
        words_most; /* of memory, of what prints circuits, at the first length and the longest */
    int longest;
    int shown;
    char why[200]; /* empty, or how one differs */
} tally;

enum { SHOWN = 2, SHOWN_BYTES = 100000 }; /* circuits that are shown, and the longest */

/* ---- models -------------------------------------------------------------------------------------------------------- */

static at_status drawn_make(at_weighting w, const at_params *p, int longest, uint64_t seed, uint64_t index,
                            at_model *m, at_err *err)
{
    at_circuit_drawing d = {at_params_int(p, "L"), at_params_int(p, "H"), 2, longest, w};
    return at_circuit_draw(&d, seed, index, m, err);
}

enum { STEPS = 150, TRIES = 20 };

static at_status trained_make(at_weighting w, const at_params *p, uint64_t seed, uint64_t index, at_model *m,
                              at_err *err)
{
    static const at_mask_kind masks[] = {AT_MASK_CAUSAL, AT_MASK_NONE, AT_MASK_STRICT};
    claim_drawn d = {.weighting = w,
                     .mask = masks[index % 3],
                     .layers = at_params_int(p, "L"),
                     .heads = at_params_int(p, "H"),
                     .dv = 1,
                     .prefix = (int)(index / 3 % 2),
                     .longest = CLAIM_DRAWN_LONG,
                     .step = 0.5,
                     .most = 2};
    return claim_drawn_trained(&d, seed, index, STEPS, m, err);
}

static at_status compiled_make(const claim_circuit_model *k, int n, at_model *m, at_err *err)
{
    const at_claim *c;
    at_params p;
    at_status s = at_claim_need(k->id, &c, err);
    if (s)
        return s;
    at_params_init(&p, c->params, c->n_params);
    s = at_params_parse(&p, k->params, err);
    if (!s)
        s = at_params_set(&p, "N", n, err);
    return s ? s : at_claim_model(c, &p, m, err);
}

/* The model as a circuit reads it: ties otherwise, where the parameters say so. */
static at_status read_make(const at_model *m, int read, at_model *out, at_err *err)
{
    static const at_weighting as[] = {AT_LEFTMOST_HARD, AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD};
    at_status s = at_model_copy(m, out, err);
    for (int b = 0; !s && read && b < out->n_blocks; b++)
        for (int g = 0; out->blocks[b].kind == AT_BLOCK_ATTN && g < out->blocks[b].n_groups; g++)
            out->blocks[b].groups[g].weighting = as[read];
    return s;
}

/* ---- one model ------------------------------------------------------------------------------------------------------- */

static void word_print(uint64_t word, int n, char *out)
{
    for (int i = 0; i < n && i < 64; i++)
        *out++ = word >> i & 1 ? '1' : '0';
    *out = 0;
}

/* The circuit as text, for whoever writes down what the verdict rests on: of the first models, and of one whose circuit differs.
 * Exact arithmetic is left out: no verifier runs it. */
static at_status circuit_show(const at_circuit *c, const at_model *m, at_arith run, const at_params *p,
                              const at_circuit_compared *r, const at_check_env *env, tally *t, at_err *err)
{
    int n = at_params_int(p, "n"), bits = at_circuit_inputs(c) / n;
    double x[CLAIM_CIRCUIT_LONGEST];
    at_text text;
    at_input word = {n, x};
    bool fails =
        at_params_int(p, "read") || at_params_int(p, "off"); /* behind models that are equal all the same */
    if (at_circuit_outputs(c) != 1 || run.kind == AT_EXACT || (!r->differ && (fails || t->shown == SHOWN)))
        return AT_OK;
    for (int i = 0; i < n && i < CLAIM_CIRCUIT_LONGEST; i++)
        x[i] = (double)(r->first >> i * bits & ((1u << bits) - 1));
    at_text_init(&text);
    at_status s = at_circuit_write(c, AT_CIRCUIT_AAG, &text, NULL, err);
    if (!s && text.n <= SHOWN_BYTES) {
        at_witness w = {.kind = r->differ ? "other" : "same",
                        .m = m,
                        .arith = run,
                        .language = "aag",
                        .text = text.s,
                        .least = n,
                        .most = n,
                        .x = &word,
                        .n = r->differ ? 1 : 0};
        t->shown++;
        s = env->witness(env->ctx, &w, err);
    }
    at_text_release(&text);
    return s;
}

static at_status circuit_compare(const at_circuit *c, const at_model *m, at_arith run, const at_params *p,
                                 const at_check_env *env, tally *t, at_err *err)
{
    int n = at_params_int(p, "n");
    at_circuit_compared r;
    at_circuit_size z;
    char word[65];
    at_status s = at_circuit_measure(c, &z, err);
    if (!s)
        s = at_circuit_compare(c, m, run, n, env ? env->threads : 0, &r, err);
    if (!s && env && env->witness)
        s = circuit_show(c, m, run, p, &r, env, t, err);
    if (s)
        return s;
    int bound = at_circuit_depth_bound(m);
    t->varied += r.yes > 0 && r.yes < r.words;
    t->words += r.words;
    t->gates = z.gates > t->gates ? z.gates : t->gates;
    t->wires = z.wires > t->wires ? z.wires : t->wires;
    t->depth = z.depth > t->depth ? z.depth : t->depth;
    t->bound = bound > t->bound ? bound : t->bound;
    word_print(r.first, n * (at_circuit_inputs(c) / n), word);
    if (r.differ)
        snprintf(t->why, sizeof t->why, "the circuit of model %ju differs on %ju of %ju words, first on %s",
                 (uintmax_t)t->models, (uintmax_t)r.differ, (uintmax_t)r.words, word);
    else if (z.depth > bound)
        snprintf(t->why, sizeof t->why, "the circuit of model %ju is %d deep, and %d was said",
                 (uintmax_t)t->models, z.depth, bound);
    return AT_OK;
}

static at_status model_try(at_model *m, at_arith run, const at_params *p, const at_check_env *env, tally *t,
                           at_err *err)
{
    int n = at_params_int(p, "n");
    at_arith made = run.kind == AT_PBIT ? run : exact;
    at_circuit *c;
    at_model read;
    at_err own = {0};
    made.bits -= at_params_int(p, "off");
    t->models++;
    at_status s = read_make(m, at_params_int(p, "read"), &read, err);
    if (s)
        return s;
    s = at_circuit_of_model(&read, made, n, NULL, &c, &own);
    at_model_release(&read);
    if (s == AT_EBUDGET) {
        t->large++;
        return AT_OK;
    }
    if (s)
        return at_fail(err, s, "model %ju: %s", (uintmax_t)t->models, own.text);
    s = circuit_compare(c, m, run, p, env, t, err);
    at_circuit_free(c);
    return s;
}

/* ---- printed ones --------------------------------------------------------------------------------------------------------- */

static at_status sink_nothing(void *ctx, const char *text, size_t n, at_err *err)
{
    (void)text, (void)err;
    *(uint64_t *)ctx += n;
    return AT_OK;
}

/* The memory that printing takes, at three lengths: no more than in proportion to log n. */
static at_status memory_measure(const at_model *m, at_arith made, const int *lengths, tally *t, at_err *err)
{
    at_status s = AT_OK;
    double first = 0, last = 0;
    for (int k = 0; k < 3 && !s; k++) {
        at_circuit_streamed z;
        uint64_t bytes = 0;
        s = at_circuit_stream(m, made, lengths[k], sink_nothing, &bytes, &z, err);
        t->words_most = z.words > t->words_most ? z.words : t->words_most;
        t->words_first = k == 0 && z.words > t->words_first ? z.words : t->words_first;
        t->longest = lengths[k];
        first = k == 0 ? (double)z.words : first;
        last = (double)z.words;
        t->gates = k == 0 && z.gates > t->gates ? z.gates : t->gates;
    }
    if (!s && last * at_log(lengths[0]) > first * at_log(lengths[2]))
        snprintf(t->why, sizeof t->why,
                 "to print the circuit of model %ju takes %.0f words at %d letters and %.0f at %d",
                 (uintmax_t)t->models, first, lengths[0], last, lengths[2]);
    return s;
}

static at_status printed_try(at_model *m, at_arith run, const at_params *p, const at_check_env *env, tally *t,
                             at_err *err)
{
    int n = at_params_int(p, "n"), one = at_params_int(p, "L") == 1;
    at_arith made = run.kind == AT_PBIT ? run : exact;
    at_circuit *c;
    at_model read;
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            m->blocks[b].groups[g].tie = 0;
    t->models++;
    at_status s = read_make(m, at_params_int(p, "read"), &read, err);
    if (s)
        return s;
    s = at_circuit_of_stream(&read, made, n, NULL, &c, err);
    if (!s) {
        s = circuit_compare(c, m, run, p, env, t, err);
        at_circuit_free(c);
    }
    if (!s && !t->why[0])
        s = memory_measure(&read, made, one ? (int[]){n, 2 * n, 4 * n} : (int[]){n - 1, n, n + 1}, t, err);
    at_model_release(&read);
    return s;
}

/* ---- the trial ----------------------------------------------------------------------------------------------------------- */

static void verdict_make(const tally *t, int n, at_arena *a, at_verdict *out)
{
    char words[32], gates[32], wires[32], rows[32];
    out->inputs = t->words;
    out->holds = t->why[0] ? AT_FALSE : 10 * t->large <= t->models ? AT_TRUE : AT_UNKNOWN;
    if (t->why[0])
        out->note = at_arena_strdup(a, t->why);
    else if (t->words_most)
        out->note = at_arena_printf(
            a,
            "circuits of %ju models as one program prints them: equal on all %s words of %d letters, %ju not "
            "constant; at "
            "most %s gates; the program takes at most %zu words of memory, and %zu to length %d",
            (uintmax_t)t->models, at_count_text(words, t->words), n, (uintmax_t)t->varied,
            at_count_text(gates, t->gates), t->words_first, t->words_most, t->longest);
    else
        out->note = at_arena_printf(
            a,
            "%ju models, %ju of them too large: equal on all %s words of %d letters, %ju not constant; at "
            "most %s gates "
            "and %s wires, depth %d, and at no length more than %d; a table has %s rows",
            (uintmax_t)t->models, (uintmax_t)t->large, at_count_text(words, t->words), n,
            (uintmax_t)t->varied, at_count_text(gates, t->gates), at_count_text(wires, t->wires), t->depth,
            t->bound, at_count_text(rows, (uint64_t)1 << n));
}

at_status claim_circuit_trial(const claim_circuit_kind *kind, const at_params *p, const at_cell *cell,
                              uint64_t models, uint64_t seed, const at_check_env *env, at_arena *a,
                              at_verdict *out, at_err *err)
{
    tally t = {0};
    at_arith run;
    int part = at_params_int(p, "part");
    bool drawn = part != CLAIM_CIRCUIT_COMPILED, trained = part == CLAIM_CIRCUIT_TRAINED;
    int n = at_params_int(p, "n");
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence};
    at_status s = at_arith_parse(cell->arith, &run, err);
    for (uint64_t k = 0; !s && !t.why[0] &&
                         (trained ? t.varied < models && k < TRIES * models
                          : drawn ? k < models
                                  : kind->compiled[k].id != NULL);
         k++) {
        at_model m;
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
            : trained           ? trained_make(kind->weighting, p, seed, k, &m, err)
            : drawn
                ? drawn_make(kind->weighting, p, part == CLAIM_CIRCUIT_PRINTED ? 4 * n : n, seed, k, &m, err)
                : compiled_make(&kind->compiled[k], n, &m, err);
        if (s)
            return s;
        s = (part == CLAIM_CIRCUIT_PRINTED ? printed_try : model_try)(&m, run, p, env, &t, err);
        at_model_release(&m);
    }
    if (s)
        return s;
    verdict_make(&t, n, a, out);
    if (trained && t.varied < models && out->holds == AT_TRUE)
        out->holds = AT_UNKNOWN;
    return out->note ? AT_OK : at_oom(err);
}

/* ---- tables ---------------------------------------------------------------------------------------------------------------- */

enum { GROWTH_SEED = 11, GROWTH_LENGTHS = 4 };

typedef struct {
    double gates, wires, file, depth;
    int made;
} means;

/* Of drawn models for words of CLAIM_CIRCUIT_LONGEST letters, each one circuit at n: the same models at every n. */
static at_status means_find(at_weighting w, at_arith arith, const at_params *p, int n, bool with_file,
                            means *out, at_err *err)
{
    at_status s = AT_OK;
    *out = (means){0};
    for (uint64_t k = 0; k < CLAIM_CIRCUIT_MODELS && !s; k++) {
        at_model m;
        at_circuit *c;
        at_circuit_size z;
        at_circuit_file f = {0};
        at_text text;
        s = drawn_make(w, p, CLAIM_CIRCUIT_LONGEST, GROWTH_SEED, k, &m, err);
        if (s)
            return s;
        at_text_init(&text);
        s = at_circuit_of_model(&m, arith, n, &(at_circuit_budget){.folded = -1}, &c, err);
        at_model_release(&m);
        if (s)
            return s;
        s = at_circuit_measure(c, &z, err);
        if (!s && with_file)
            s = at_circuit_write(c, AT_CIRCUIT_AIG, &text, &f, err);
        out->gates += (double)z.gates / CLAIM_CIRCUIT_MODELS;
        out->wires += (double)z.wires / CLAIM_CIRCUIT_MODELS;
        out->file += (double)f.gates / CLAIM_CIRCUIT_MODELS;
        out->depth = z.depth > out->depth ? z.depth : out->depth;
        at_circuit_free(c);
        at_text_release(&text);
    }
    return s;
}

at_status claim_circuit_size_row(at_weighting w, at_arith arith, const at_params *p, double out[7],
                                 at_err *err)
{
    means m;
    int n = at_params_int(p, "n");
    at_status s = means_find(w, arith, p, n, true, &m, err);
    out[0] = at_params_get(p, "L");
    out[1] = n;
    out[2] = m.gates;
    out[3] = m.wires;
    out[4] = m.file;
    out[5] = m.depth;
    out[6] = ldexp(1, n);
    return s;
}

at_status claim_circuit_growth_row(at_weighting w, at_arith arith, const at_params *p, int from, int to,
                                   double out[5], at_err *err)
{
    double x = 0, xx = 0, y[2] = {0}, xy[2] = {0};
    at_status s = AT_OK;
    for (int k = 0; k < GROWTH_LENGTHS && !s; k++) {
        means m;
        int n = from + (to - from) * k / (GROWTH_LENGTHS - 1);
        double t = at_log(n);
        s = means_find(w, arith, p, n, false, &m, err);
        x += t;
        xx += t * t;
        y[0] += at_log(m.gates);
        y[1] += at_log(m.wires);
        xy[0] += t * at_log(m.gates);
        xy[1] += t * at_log(m.wires);
    }
    out[0] = at_params_get(p, "L");
    out[1] = from;
    out[2] = to;
    for (int k = 0; k < 2; k++)
        out[3 + k] = (GROWTH_LENGTHS * xy[k] - x * y[k]) / (GROWTH_LENGTHS * xx - x * x);
    return s;
}
