/* CLAIM ptm-cot: a decoder that writes its steps has the probabilities of a probabilistic Turing machine, as fractions.
 *
 * Source: Nowak, Svete, Butoi and Cotterell 2024, "On the Representational Capacity of Neural Language Models with Chain-of-Thought
 * Reasoning". Statement: for every probabilistic Turing machine that puts out letters there is a decoder over its steps such that the sum of
 * the probabilities of all texts that are a word, when all but the letters is taken out, is the probability that the machine ends with it.
 *
 * Proof: src/front/compile_ptm.c has it beside the weights. A text is a run, a token a step. The state is in the last token, the symbol under the
 * head is found by one head among what was written before, and the probabilities of the pair are made exactly by a head that divides.
 * Differs from the paper: the tape is not a stack or two; no weight is rounded, and no logarithm taken.
 *
 * A machine may run for ever, so both sides are asked about runs of at most `steps` steps: the probability of ending with each word to
 * length 8 by then, and of not having ended. The machine is run by src/ngram/ptm.c, run by run on a tape; the model is followed text by
 * text, in exact arithmetic.
 * Controls: 1 of the whole numbers of a row goes to another outcome (off=1); the symbol under the head is not found (blind=1). */
#include "../shared/claim_sums.h"

#include <attest/front.h>

#include <string.h>

static const char *const names[] = {"echo", "counter", "drawn", NULL};
enum { DRAWN = 2 };
static const char *const texts[] = {
    /* a word twice, the second time with slips: examples/echo.ptm */
    "alphabet a b\ntape _ A B\nstart say\nsay _ A r say a 2/5\nsay _ B r say b 2/5\nsay _ _ l back - 1/5\n"
    "back A A l back -\nback B B l back -\nback _ _ r again -\nagain A A r again a 6/7\nagain A A r again b "
    "1/7\n"
    "again B B r again b 6/7\nagain B B r again a 1/7\nend again _\n",
    /* a binary counter that puts out b at every carry and never has to end: what has not ended by `steps` counts, too */
    "alphabet a b\nstart go\ngo _ 1 l back a\ngo 0 1 l back a 1/3\ngo 0 0 l back - 2/3\ngo 1 0 r go b\n"
    "back 0 0 l back -\nback 1 1 l back -\nback _ _ r rest -\nrest 0 0 * go - 3/4\nend rest 0 1/4\nrest 1 1 "
    "* go - 1/2\n"
    "end rest 1 1/2\n",
};

static const at_param params[] = {
    {"machine", "which one", 0, DRAWN, 0, true, names},
    {"seed", "of a drawn one", 0, 1e6, 0, true},
    {"longest", "letters of the words that are asked about", 0, 10, 8, true},
    {"steps", "of a run", 0, CLAIM_SUMS_TOKENS, 14, true},
    {"off", "1: one probability of the model is another", 0, 1, 0, true},
    {"blind", "1: the symbol under the head is not found", 0, 1, 0, true},
};

/* ---- the machines -------------------------------------------------------------------------------------------------------- */

/* Two states, two or three symbols, two letters: in every state on every symbol up to three transitions, and perhaps an end; whole numbers
 * 1 .. 3. */
static at_status machine_draw(uint64_t seed, at_arena *a, at_ptm **out, at_err *err)
{
    enum { Q = 2, LETTERS = 2, MOST = 3 };
    static const char *const states[] = {"q", "r"}, *const symbols[] = {"_", "x", "y"},
                             *const letters[] = {"a", "b"};
    at_rng r = at_rng_at(seed, 0);
    int S = 2 + (int)at_rng_below(&r, 2), n = 0;
    at_ptm_rule rule[Q * 3 * MOST];
    uint32_t *under = at_new(a, uint32_t, Q * S), *end = at_new(a, uint32_t, Q * S);
    if (!under || !end)
        return at_oom(err);
    for (int at = 0; at < Q * S; at++) {
        for (int k = (int)at_rng_below(&r, MOST + 1); k > 0; k--) {
            at_ptm_rule t = {.from = at / S,
                             .read = at % S,
                             .write = (int)at_rng_below(&r, (uint64_t)S),
                             .move = (int)at_rng_below(&r, 3) - 1,
                             .to = (int)at_rng_below(&r, Q),
                             .letter = (int)at_rng_below(&r, LETTERS + 1) - 1,
                             .count = 1 + (uint32_t)at_rng_below(&r, 3)};
            int same = 0;
            while (same < n &&
                   (rule[same].from != t.from || rule[same].read != t.read || rule[same].write != t.write ||
                    rule[same].move != t.move || rule[same].to != t.to || rule[same].letter != t.letter))
                same++;
            if (same < n)
                continue;
            rule[n++] = t;
            under[at] += t.count;
        }
        end[at] = (uint32_t)at_rng_below(&r, 3);
        under[at] += end[at];
    }
    if (!n) {
        rule[n++] = (at_ptm_rule){.letter = -1, .count = 1};
        under[0]++;
    }
    at_ptm like = {.states = Q,
                   .symbols = S,
                   .letters = LETTERS,
                   .rules = n,
                   .state = states,
                   .symbol = symbols,
                   .letter = letters,
                   .rule = rule,
                   .under = under,
                   .end = end};
    return at_ptm_make(&like, a, out, err);
}

static at_status machine_take(const at_params *p, at_arena *a, at_ptm **out, at_err *err)
{
    int which = at_params_int(p, "machine");
    return which == DRAWN ? machine_draw((uint64_t)at_params_int(p, "seed"), a, out, err)
                          : at_ptm_read(texts[which], strlen(texts[which]), names[which], a, out, err);
}

/* The same with 1 moved from the last transition of the first pair that has two to its first. */
static at_status machine_change(const at_ptm *p, at_arena *a, at_ptm **out, at_err *err)
{
    at_ptm like = *p;
    at_ptm_rule *rule = at_new(a, at_ptm_rule, p->rules);
    if (!rule)
        return at_oom(err);
    memcpy(rule, p->rule, (size_t)p->rules * sizeof *rule);
    int at = 0;
    while (at < p->states * p->symbols - 1 && p->first[at + 1] - p->first[at] < 2)
        at++;
    if (p->first[at + 1] - p->first[at] < 2)
        return at_fail(err, AT_EREFUSED, "no state has two transitions on a symbol");
    rule[p->first[at]].count++;
    if (!--rule[p->first[at + 1] - 1].count) /* it is gone */
        rule[p->first[at + 1] - 1] = rule[--like.rules];
    like.rule = rule;
    return at_ptm_make(&like, a, out, err);
}

/* ---- the trial -------------------------------------------------------------------------------------------------------------- */

static at_status word_want(const void *of, uint64_t i, const int *word, int n, at_arena *a, const char **out,
                           at_err *err)
{
    (void)word, (void)n, (void)a, (void)err;
    *out = ((const char *const *)of)[i];
    return AT_OK;
}

static at_status sums_try(const at_params *p, const at_ptm *of, const at_ptm *built, const at_model *m,
                          at_arena *a, at_verdict *out, at_err *err)
{
    const char *const *want;
    const char *left;
    uint64_t words, followed;
    at_size z;
    int *letter = at_new(a, int, built->steps);
    claim_sums k = {.m = m,
                    .tokens = built->steps,
                    .letters = of->letters,
                    .letter = letter,
                    .name = of->letter,
                    .longest = at_params_int(p, "longest"),
                    .most = at_params_int(p, "steps"),
                    .want = word_want};
    if (!letter)
        return at_oom(err);
    for (int t = 0; t < built->steps; t++)
        letter[t] = built->rule[built->step[t]].letter;
    at_status s = at_ptm_words(of, k.longest, k.most, a, &want, &left, err);
    if (s)
        return s;
    k.of = want;
    k.left = left;
    s = claim_sums_compare(&k, a, out, &words, &followed, err);
    if (s || out->note)
        return s;
    at_model_size(m, &z);
    out->note = at_arena_printf(
        a,
        "%ju words to length %d in runs of at most %d steps, %ju texts summed, and %s that has "
        "not ended: equal fractions; %d extra symbols, a step each, beside %d letters, %d "
        "layers, width %d",
        (uintmax_t)words, k.longest, k.most, (uintmax_t)followed, strlen(left) < 24 ? left : "what",
        of->steps, of->letters, z.layers, z.width);
    return out->note ? AT_OK : at_oom(err);
}

static void ptm_print(const void *of, at_text *out)
{
    at_ptm_print(of, out);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    (void)limit, (void)seed;
    at_ptm *of, *built;
    at_model m;
    at_ptm_options o = {.blind = at_params_int(p, "blind")};
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence};
    at_status s = machine_take(p, a, &of, err);
    if (!s)
        s = at_params_int(p, "off") ? machine_change(of, a, &built, err) : (built = of, AT_OK);
    if (!s)
        s = at_ptm_model(built, at_params_int(p, "steps"), &o, &m, err);
    if (s)
        return s;
    s = sums_try(p, of, built, &m, a, out, err);
    if (!s)
        s = claim_sums_show(&m, "ptm", of, ptm_print, at_params_int(p, "longest"), at_params_int(p, "steps"),
                            env, err);
    at_model_release(&m);
    return s;
}

/* Sizes against the machine. */
static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c, (void)threads;
    at_arena a;
    at_ptm *of;
    at_model m;
    at_arena_init(&a);
    at_status s = machine_take(p, &a, &of, err);
    if (!s)
        s = at_ptm_model(of, at_params_int(p, "steps"), &(at_ptm_options){0}, &m, err);
    if (!s) {
        out[0] = of->states;
        out[1] = of->symbols;
        out[2] = of->rules;
        out[3] = of->steps;
        claim_sums_sizes(&m, out + 4);
    }
    at_arena_release(&a);
    return s;
}

static const at_claim_table tables[] = {
    {.id = "size",
     .title = "size against the machine: an extra symbol a step, a hidden row for each 1 of the largest "
              "denominator",
     .columns =
         (const char *const[]){"states", "symbols", "transitions", "extra symbols", CLAIM_SUMS_SIZES, NULL},
     .rows = (const char *const[]){"machine=echo", "machine=counter", "machine=drawn seed=1", NULL},
     .quick_rows = 3,
     .row = size_row},
};

static const at_cell cells[] = {
    CLAIM_SUMS_EXACT("machine=echo", NULL, NULL),
    CLAIM_SUMS_EXACT("machine=counter steps=24", NULL, "machine=counter steps=16"),
    CLAIM_SUMS_EXACT("machine=drawn seed=0..29 steps=6", NULL, "machine=drawn seed=0..9 steps=4"),
    CLAIM_SUMS_EXACT("machine=echo longest=4 steps=8", "off=1", NULL),
    CLAIM_SUMS_EXACT("machine=echo longest=4 steps=8", "blind=1", NULL),
};

const at_claim claim_ptm_cot = {
    .id = "ptm-cot",
    .title = "A decoder that writes its steps has the probabilities of a probabilistic Turing machine",
    .source = "Nowak, Svete, Butoi and Cotterell 2024",
    .group = "Language models",
    .statement =
        "For every probabilistic Turing machine that puts out letters, a decoder writes its steps such that "
        "the probability of every word, summed over the texts that are the word when all but the letters "
        "is taken out, is the machine's: equal fractions, for runs of every number of steps.",
    .proof = "A text is a run, a token a step. The last token says the state; one head finds what was "
             "written last where "
             "the head is; a unit a state and symbol adds its whole numbers times 1/D, which another head "
             "makes of "
             "D hidden rows, and sparsemax leaves probabilities as they are.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
    CLAIM_TABLES,
};
