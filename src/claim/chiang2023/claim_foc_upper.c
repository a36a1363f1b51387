/* CLAIM foc-upper: softmax of constant precision counts, and no more: C-RASP under causal masks, FOC[MOD;+] without masks.
 *
 * Source: Chiang, Cholak, Pillay 2023, "Tighter bounds on the expressivity of transformer encoders" (fixed precision, no masks: FOC[MOD;+]);
 * Yang, Chiang 2024, "Counting like transformers" (causal: C-RASP).
 * Statement: a model of softmax or average-hard attention whose numbers have p bits and e exponent bits, and whose means are rounded once,
 * accepts what a formula says, on words of all lengths: linear inequalities between numbers of positions, nested layer by layer under
 * causal and strict masks, of letters in classes of positions without masks. The formula is made of the weights.
 *
 * Proof: src/extract/mean.c, crasp.c and foc.c have it beside the code. A stream has finitely many values. With the largest score that
 *   occurs the weights are known; the rounded mean is r or more when sum w_k (v_k - m) n_k >= 0, m half way to the number below r.
 *   part=crasp, part=foc: models of one or two layers with drawn weights, with and without positions that repeat, at p bits and 3 exponent
 *     bits. Half of them, at least, are not constant. What is printed is read again and says what the executor (qNe3) does of
 *     every word to `longest`, and of drawn ones of 40 letters.
 *   part=crasp-compiled, part=foc-compiled: compiled programs of C-RASP, and of FOC[MOD;+], in few bits: what they compute there is not their
 *     language any more, and it is a formula all the same.
 *   part=crasp-trained, part=foc-trained: models that were trained a little on words of a language (shared/drawn.c).
 * Controls: the model is run with more bits than the formula is of, or with sums that are rounded before the division: a word says so.
 *
 * Differs from the papers: their fixed precision rounds in a way of its own; here all operations are those of docs/exec.md but the mean. With
 * sums that are rounded first, where a mean changes depends on the power of two under which the length lies: refused. */
#include "../shared/claim_drawn.h"

#include <attest/extract.h>
#include <attest/front.h>
#include <attest/lang.h>

#include <string.h>

enum {
    CRASP,
    FOC,
    CRASP_COMPILED,
    FOC_COMPILED,
    CRASP_TRAINED,
    FOC_TRAINED,
    MORE = 20,
    DRAWS = 30,
    STEPS = 150
};
static const char *const parts[] = {"crasp",       "foc", "crasp-compiled", "foc-compiled", "crasp-trained",
                                    "foc-trained", NULL};

static const at_param params[] = {
    {"part", "which models, and what is made of them", 0, FOC_TRAINED, CRASP, true, parts},
    {"p", "bits of the formula's arithmetic", 2, 6, 3, true},
    {"e", "exponent bits of both", 3, 5, 3, true},
    {"run", "bits of the model's; 0: the same", 0, 12, 0, true},
    {"sums", "1: the model rounds its sums", 0, 1, 0, true},
    {"longest", "letters of the words that are all run", 1, 12, 8, true},
};

/* Programs whose models have few different keys and numbers a head. */
static const char *const crasp_texts[] = {
    "alphabet a b\naccept end\n#[Q_a] >= #[Q_b]",
    "alphabet a b\naccept end\n#[Q_a] >= 2",
    "alphabet a b\naccept end\n2 #[Q_a] > #[Q_b] + 1",
    "alphabet a b\naccept end\n#[Q_a] = #[Q_b]",
    "alphabet a b\naccept end\n#[Q_b] <= 0",
    "alphabet a b\naccept end\n3 #[Q_b] < 2 #[Q_a]",
    "alphabet a b\naccept end\n#[Q_a] + 3 > 2 #[Q_b]",
    "alphabet a b\naccept end\n#[Q_a] >= 1 and #[Q_b] >= 1",
};
static const char *const foc_texts[] = {
    "alphabet a b\n#[a] >= #[b]",      "alphabet a b\n#[a] >= 2",
    "alphabet a b\n2 #[a] > #[b] + 1", "alphabet a b\n#[a] = #[b]",
    "alphabet a b\n#[b] <= 0",         "alphabet a b\n3 #[b] < 2 #[a]",
    "alphabet a b\n#[a] + 3 > 2 #[b]", "alphabet a b\n#[a] >= 1 and #[b] >= 1",
};

typedef struct {
    uint64_t models, varied, large, words;
    int values, inequalities, definitions;
    int shown;
} tally;

enum { SHOWN = 2, SHOWN_BYTES = 20000, SHOWN_LONGEST = 6 };

static bool ordered(int part)
{
    return part == CRASP || part == CRASP_COMPILED || part == CRASP_TRAINED;
}

/* Printed, and read again. */
static at_status text_again(const at_formulas *f, bool crasp, at_arena *a, const char **text,
                            at_formulas **out, at_err *err)
{
    at_text t;
    int longest;
    at_text_init(&t);
    (crasp ? at_crasp_print : at_foc_print)(f, &t);
    char *read = t.oom ? NULL : at_arena_strdup(a, t.s);
    *text = t.oom ? NULL : at_arena_strdup(a, t.s);
    at_text_release(&t);
    if (!read || !*text)
        return at_oom(err);
    return (crasp ? at_crasp_read : at_foc_read)(read, "extracted", a, out, &longest, err);
}

/* A model and its formula, for whoever writes down what the verdict rests on: of the first models, and of one that differs. */
static at_status formula_show(const at_params *p, const at_model *m, at_arith by, bool crasp,
                              const char *text, bool differs, const at_check_env *env, tally *t, at_err *err)
{
    bool control = at_params_int(p, "run") || at_params_int(p, "sums");
    int longest = at_params_int(p, "longest");
    if (!env || !env->witness || (control ? !differs : t->shown == SHOWN) || strlen(text) > SHOWN_BYTES)
        return AT_OK;
    at_witness w = {.kind = differs ? "other" : "same",
                    .m = m,
                    .arith = by,
                    .language = crasp ? "crasp" : "foc",
                    .text = text,
                    .least = 0,
                    .most = differs || longest < SHOWN_LONGEST ? longest : SHOWN_LONGEST};
    t->shown++;
    return env->witness(env->ctx, &w, err);
}

/* One model; *why: where the formula is wrong. */
static at_status model_try(const at_params *p, const at_model *m, const at_check_env *env, tally *t,
                           at_arena *a, const char **why, at_err *err)
{
    int part = at_params_int(p, "part"), bits = at_params_int(p, "p"), run = at_params_int(p, "run");
    bool crasp = ordered(part);
    int e = at_params_int(p, "e");
    at_arith of = {AT_QUOTIENT, bits, e}, by = {AT_QUOTIENT, run ? run : bits, e};
    if (at_params_int(p, "sums"))
        by.kind = AT_PBIT;
    at_extracted_count x;
    at_formulas *f;
    at_err large = {0};
    uint64_t words = 0, yes = 0;
    at_status s = (crasp ? at_extract_crasp : at_extract_foc)(m, of, 0, a, &x, &large);
    if (s == AT_EBUDGET || s == AT_EREFUSED || s == AT_EDOMAIN ||
        (!s && at_formula_written(x.formulas, x.formulas->accept) > 100000)) {
        t->large++; /* too many values or parts; numbers that leave the format */
        return AT_OK;
    }
    if (s)
        return at_fail(err, s, "%s", large.text);
    const char *text;
    s = text_again(x.formulas, crasp, a, &text, &f, err);
    if (!s)
        s = claim_drawn_equal(m, by, f, at_params_int(p, "longest"), MORE, a, &words, &yes, why, err);
    bool varied = yes && yes + MORE < words;
    if (s || (!varied && !*why &&
              2 * (t->models - t->varied + 1) > t->models + 1)) /* no more than half of them constant */
        return s;
    if (varied || *why)
        s = formula_show(p, m, by, crasp, text, *why != NULL, env, t, err);
    t->models++;
    t->varied += varied;
    t->words += words;
    t->values = x.values > t->values ? x.values : t->values;
    t->inequalities = x.inequalities > t->inequalities ? x.inequalities : t->inequalities;
    t->definitions = x.formulas->n_names > t->definitions ? x.formulas->n_names : t->definitions;
    return s;
}

static at_status drawn_make(const at_params *p, uint64_t seed, uint64_t k, at_model *m, at_err *err)
{
    bool crasp = ordered(at_params_int(p, "part"));
    claim_drawn d = {.weighting = k % 5 == 4 ? AT_AVERAGE_HARD : AT_SOFTMAX,
                     .mask = !crasp  ? AT_MASK_NONE
                             : k % 3 ? AT_MASK_CAUSAL
                                     : AT_MASK_STRICT,
                     .layers = crasp        ? k % 4 == 3 ? 2 : 1
                               : k % 8 == 7 ? 2
                                            : 1,
                     .heads = 1,
                     .dv = 1,
                     .prefix = (int)(k / 2 % 2),
                     .longest = CLAIM_DRAWN_LONG,
                     .period = k % 6 == 5 ? 2 : 0,
                     .step = 0.5,
                     .most = 2};
    return at_params_int(p, "part") >= CRASP_TRAINED ? claim_drawn_trained(&d, seed, k, STEPS, m, err)
                                                     : claim_drawn_model(&d, seed, k, m, err);
}

static at_status compiled_make(const at_params *p, int k, at_arena *a, at_model *m, at_err *err)
{
    bool crasp = ordered(at_params_int(p, "part"));
    at_formulas *f;
    int longest;
    char *text = at_arena_strdup(a, crasp ? crasp_texts[k] : foc_texts[k]);
    if (!text)
        return at_oom(err);
    at_status s = (crasp ? at_crasp_read : at_foc_read)(text, "compiled", a, &f, &longest, err);
    return s ? s : at_formulas_model(f, CLAIM_DRAWN_LONG, NULL, m, err);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    int part = at_params_int(p, "part");
    bool compiled = part == CRASP_COMPILED || part == FOC_COMPILED;
    tally t = {0};
    const char *why = NULL;
    at_status s = AT_OK;
    uint64_t tried = 0, most = compiled ? COUNT(crasp_texts) : DRAWS * limit;
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence};
    for (; tried < most && (compiled || t.models < limit) && !s && !why; tried++) {
        at_arena scratch;
        at_model m;
        if (at_cancel_pending())
            return at_fail(err, AT_ECANCEL, "interrupted");
        at_arena_init(&scratch);
        s = compiled ? compiled_make(p, (int)tried, &scratch, &m, err) : drawn_make(p, seed, tried, &m, err);
        if (!s) {
            const char *found = NULL;
            s = model_try(p, &m, env, &t, &scratch, &found, err);
            if (found && !(why = at_arena_strdup(a, found)))
                s = at_oom(err);
            at_model_release(&m);
        }
        at_arena_release(&scratch);
    }
    if (s)
        return s;
    out->inputs = t.models;
    out->holds = why                             ? AT_FALSE
                 : !compiled && t.models < limit ? AT_UNKNOWN
                 : t.models                      ? AT_TRUE
                                                 : AT_UNKNOWN;
    out->note =
        why ? why
            : at_arena_printf(
                  a,
                  "%ju models (of %ju; %ju too large) at %d bits: at most %d values before a layer, %d "
                  "inequalities; %ju of them not constant; read again and right on %ju words",
                  (uintmax_t)t.models, (uintmax_t)tried, (uintmax_t)t.large, at_params_int(p, "p"), t.values,
                  t.inequalities, (uintmax_t)t.varied, (uintmax_t)t.words);
    return out->note ? AT_OK : at_oom(err);
}

static const at_cell cells[] = {
    {"part=crasp", NULL, AT_EV_SIMULATED, 0, "q3e3", 240, AT_TIER_QUICK, NULL},
    {"part=foc", NULL, AT_EV_SIMULATED, 0, "q3e3", 240, AT_TIER_QUICK, NULL},
    {"part=crasp-compiled e=5", NULL, AT_EV_SIMULATED, 0, "q3e5", 80, AT_TIER_QUICK, NULL},
    {"part=foc-compiled e=5", NULL, AT_EV_SIMULATED, 0, "q3e5", 80, AT_TIER_QUICK, NULL},
    {"part=crasp-trained", NULL, AT_EV_SIMULATED, 0, "q3e3", 80, AT_TIER_QUICK, NULL},
    {"part=foc-trained", NULL, AT_EV_SIMULATED, 0, "q3e3", 80, AT_TIER_QUICK, NULL},
    {"part=crasp p=4 longest=12", NULL, AT_EV_SIMULATED, 0, "q4e3", 24, AT_TIER_FULL, NULL},
    {"part=foc p=4 longest=12", NULL, AT_EV_SIMULATED, 0, "q4e3", 24, AT_TIER_FULL, NULL},
    {"part=crasp p=2", "run=4", AT_EV_SIMULATED, 0, "q2e3", 240, AT_TIER_QUICK, NULL},
    {"part=foc p=2", "run=4", AT_EV_SIMULATED, 0, "q2e3", 240, AT_TIER_QUICK, NULL},
    {"part=crasp", "sums=1", AT_EV_SIMULATED, 0, "q3e3", 240, AT_TIER_QUICK, NULL},
};

const at_claim claim_foc_upper = {
    .id = "foc-upper",
    .title =
        "Softmax of constant precision counts, and no more: C-RASP under causal masks, FOC[MOD;+] without",
    .source = "Chiang, Cholak, Pillay 2023 (fixed precision, no masks); Yang, Chiang 2024 (causal)",
    .group = "Languages",
    .statement = "What softmax attention accepts whose numbers have p bits, and whose means are rounded "
                 "once, is a formula "
                 "made of its weights, on words of all lengths: C-RASP under causal and strict masks, "
                 "FOC[MOD;+] without "
                 "masks, also with positions that repeat.",
    .proof = "A stream has finitely many values. The largest score that occurs says the weights w; the mean "
             "of values v, seen "
             "n times each, is at least r when the sum of w (v - m) n is not negative, m half way below r: a "
             "linear "
             "inequality of counts. Drawn and compiled models are compared with the executor.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
