/* CLAIM pfsa-cot: a decoder that writes its states has the probabilities of a probabilistic automaton, as fractions.
 *
 * Source: Nowak, Svete, Butoi and Cotterell 2024 ("On the Representational Capacity of Neural Language Models with Chain-of-Thought
 * Reasoning"). Statement: for every probabilistic automaton, nondeterministic ones among them, there is a decoder over the letters, the
 * states and the end, such that the sum of the probabilities of all texts that are a word when their states are taken out is the
 * automaton's probability of that word.
 *
 * Proof: src/front/compile_pfsa.c has it beside the weights. A text is a run, written down: [q] a [r] b [r] </s>. Behind its state the
 * decoder has the probabilities of the next letter, behind a letter those of the next state given both; their product over a text is the
 * probability of the run, and the runs of a word are summed.
 * Differs from the paper: no weight is rounded, and no logarithm taken: a head that attends to D hidden rows alike makes 1/D, so over
 * the rationals the probabilities are the automaton's, digit by digit.
 *
 * Here every text with a positive probability in the model is followed, until it ends or has more letters than are asked about, in
 * exact arithmetic, and the sums are compared with the automaton's own as fractions, for every word.
 * Controls: 1 of the whole numbers of a row goes from its last outcome to the one before (off=1); the state before a letter is not found
 * (blind=1). */
#include "../shared/claim_sums.h"

#include <attest/front.h>

#include <string.h>

static const char *const names[] = {"coin", "weather", "ends", "drawn", NULL};
enum { DRAWN = 3 };
static const char *const texts[] = {
    /* deterministic: the last throw says which coin is next */
    "states fair bent\nstart fair\nfair h bent 2/5\nfair t fair 2/5\nend fair 1/5\n"
    "bent h bent 1/3\nbent t fair 2/3\n",
    /* nondeterministic: a wet day may come from either */
    "states high low\nstart high 2/3\nstart low 1/3\nhigh d high 1/2\nhigh w high 1/6\nhigh w low 1/6\n"
    "end high 1/6\nlow d low 1/5\nlow w low 2/5\nlow w high 1/5\nend low 1/5\n",
    /* no deterministic automaton of any size has these probabilities: two ends that forget at different speeds, one letter */
    "states fast slow\nstart fast 1/2\nstart slow 1/2\nfast a fast 1/2\nend fast 1/2\n"
    "slow a slow 1/3\nend slow 2/3\n",
};
static const char *const weightings[] = {"average-hard", "sparsemax", NULL};

static const at_param params[] = {
    {"automaton", "which one", 0, DRAWN, 0, true, names},
    {"seed", "of a drawn one", 0, 1e6, 0, true},
    {"longest", "letters of the words that are asked about", 0, 10, 8, true},
    {"weighting", "how heads see rows", 0, 1, 0, true, weightings},
    {"off", "1: one probability of the model is another", 0, 1, 0, true},
    {"blind", "1: the state before a letter is not found", 0, 1, 0, true},
};

enum { STATES = 3, LETTERS = 2 };

/* ---- the automata ------------------------------------------------------------------------------------------------------- */

/* Up to three states over two letters: of each state some transitions, and an end; whole numbers 1 .. 3. */
static at_status automaton_draw(uint64_t seed, at_arena *a, at_pfsa **out, at_err *err)
{
    at_rng r = at_rng_at(seed, 0);
    int Q = 1 + (int)at_rng_below(&r, STATES);
    at_pfsa_arc arc[STATES * STATES * LETTERS];
    uint32_t *under = at_new(a, uint32_t, Q), *end = at_new(a, uint32_t, Q), *start = at_new(a, uint32_t, Q);
    if (!under || !end || !start)
        return at_oom(err);
    at_pfsa like = {.states = Q, .letters = LETTERS, .arc = arc, .under = under, .end = end, .start = start};
    for (int q = 0; q < Q; q++) {
        for (int l = 0; l < LETTERS; l++)
            for (int to = 0; to < Q; to++)
                if (at_rng_below(&r, 3) == 0) {
                    uint32_t count = 1 + (uint32_t)at_rng_below(&r, 3);
                    arc[like.arcs++] = (at_pfsa_arc){q, l, to, count};
                    under[q] += count;
                }
        end[q] = (uint32_t)at_rng_below(&r, 3) + !under[q];
        under[q] += end[q];
        start[q] = (uint32_t)at_rng_below(&r, 3) + (q == 0);
        like.start_under += start[q];
    }
    return at_pfsa_make(&like, a, out, err);
}

static at_status automaton_take(const at_params *p, at_arena *a, at_pfsa **out, at_err *err)
{
    int which = at_params_int(p, "automaton");
    return which == DRAWN ? automaton_draw((uint64_t)at_params_int(p, "seed"), a, out, err)
                          : at_pfsa_read(texts[which], strlen(texts[which]), names[which], a, out, err);
}

/* The same with 1 moved from the end of the first state that has one, and more than that, to its first transition. */
static at_status automaton_change(const at_pfsa *p, at_arena *a, at_pfsa **out, at_err *err)
{
    at_pfsa like = *p;
    at_pfsa_arc *arc = at_new(a, at_pfsa_arc, p->arcs + 1);
    uint32_t *end = at_new(a, uint32_t, p->states);
    if (!arc || !end)
        return at_oom(err);
    memcpy(arc, p->arc, (size_t)p->arcs * sizeof *arc);
    memcpy(end, p->end, (size_t)p->states * sizeof *end);
    int q = 0;
    while (q < p->states - 1 && !(end[q] && p->first[q + 1] > p->first[q]))
        q++;
    if (end[q] && p->first[q + 1] > p->first[q]) {
        end[q]--;
        arc[p->first[q]].count++;
    }
    like.arc = arc;
    like.end = end;
    return at_pfsa_make(&like, a, out, err);
}

/* ---- the sums -------------------------------------------------------------------------------------------------------------- */

static at_status word_want(const void *of, uint64_t i, const int *word, int n, at_arena *a, const char **out,
                           at_err *err)
{
    (void)i;
    return at_pfsa_probability(of, word, n, a, out, err);
}

static at_status sums_try(const at_params *p, const at_pfsa *of, const at_model *m, at_arena *a,
                          at_verdict *out, at_err *err)
{
    int letter[AT_PFSA_LETTERS + AT_PFSA_STATES];
    uint64_t words, summed;
    at_size z;
    for (int t = 0; t < of->letters + of->states; t++)
        letter[t] = t < of->letters ? t : -1;
    claim_sums k = {.m = m,
                    .tokens = of->letters + of->states,
                    .letters = of->letters,
                    .letter = letter,
                    .name = of->letter,
                    .longest = at_params_int(p, "longest"),
                    .most = 2 * at_params_int(p, "longest") + 1,
                    .want = word_want,
                    .of = of,
                    .left = "0"};
    at_status s = claim_sums_compare(&k, a, out, &words, &summed, err);
    if (s || out->note)
        return s;
    at_model_size(m, &z);
    out->note = at_arena_printf(a,
                                "%ju words to length %d, their %ju texts summed: equal fractions; %d extra "
                                "symbol%s beside %d letter%s, %d layers, width %d",
                                (uintmax_t)words, k.longest, (uintmax_t)summed, of->states,
                                of->states == 1 ? "" : "s", of->letters, of->letters == 1 ? "" : "s",
                                z.layers, z.width);
    return out->note ? AT_OK : at_oom(err);
}

static void pfsa_print(const void *of, at_text *out)
{
    at_pfsa_print(of, out);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    (void)limit, (void)seed;
    at_pfsa *of, *built;
    at_model m;
    at_pfsa_options o = {.weighting = at_params_int(p, "weighting") ? AT_SPARSEMAX : AT_AVERAGE_HARD,
                         .blind = at_params_int(p, "blind")};
    int longest = at_params_int(p, "longest");
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence};
    at_status s = automaton_take(p, a, &of, err);
    if (!s)
        s = at_params_int(p, "off") ? automaton_change(of, a, &built, err) : (built = of, AT_OK);
    if (!s)
        s = at_pfsa_model(built, 2 * longest + 1, &o, &m, err);
    if (s)
        return s;
    s = sums_try(p, of, &m, a, out, err);
    if (!s)
        s = claim_sums_show(&m, "pfsa", of, pfsa_print, longest, 2 * longest + 1, env, err);
    at_model_release(&m);
    return s;
}

/* Sizes against the automaton. */
static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c, (void)threads;
    at_arena a;
    at_pfsa *of;
    at_model m;
    at_arena_init(&a);
    at_status s = automaton_take(p, &a, &of, err);
    if (!s)
        s = at_pfsa_model(of, 2 * at_params_int(p, "longest") + 1,
                          &(at_pfsa_options){.weighting = AT_AVERAGE_HARD}, &m, err);
    if (!s) {
        out[0] = of->states;
        out[1] = of->letters;
        out[2] = of->arcs;
        out[3] = of->states;
        claim_sums_sizes(&m, out + 4);
    }
    at_arena_release(&a);
    return s;
}

static const at_claim_table tables[] = {
    {.id = "size",
     .title = "size against the automaton: an extra symbol a state, a hidden row for each 1 of the largest "
              "denominator",
     .columns =
         (const char *const[]){"states", "letters", "transitions", "extra symbols", CLAIM_SUMS_SIZES, NULL},
     .rows = (const char *const[]){"automaton=coin", "automaton=weather", "automaton=ends",
                                   "automaton=drawn seed=1", "automaton=drawn seed=2",
                                   "automaton=drawn seed=3", NULL},
     .quick_rows = 6,
     .row = size_row},
};

static const at_cell cells[] = {
    CLAIM_SUMS_EXACT("automaton=coin", NULL, NULL),
    CLAIM_SUMS_EXACT("automaton=weather", NULL, NULL),
    CLAIM_SUMS_EXACT("automaton=ends", NULL, NULL),
    CLAIM_SUMS_EXACT("automaton=coin weighting=sparsemax", NULL, NULL),
    CLAIM_SUMS_EXACT("automaton=drawn seed=0..39 longest=6", NULL, "automaton=drawn seed=0..9 longest=4"),
    CLAIM_SUMS_EXACT("automaton=weather longest=4", "off=1", NULL),
    CLAIM_SUMS_EXACT("automaton=coin longest=4", "off=1", NULL),
    CLAIM_SUMS_EXACT("automaton=weather longest=4", "blind=1", NULL),
};

const at_claim claim_pfsa_cot = {
    .id = "pfsa-cot",
    .title = "A decoder that writes its states has the probabilities of a probabilistic automaton",
    .source = "Nowak, Svete, Butoi and Cotterell 2024",
    .group = "Language models",
    .statement =
        "For every probabilistic automaton, nondeterministic ones among them, a decoder writes letters "
        "and states such that the probability of every word, summed over the texts that are the word "
        "when their states are taken out, is the automaton's: equal fractions.",
    .proof = "A text is a run, written down. One head finds the state before a letter; another attends to D "
             "hidden rows alike, which makes 1/D without a weight that is rounded; a unit a context adds its "
             "whole numbers times that, and sparsemax leaves probabilities as they are.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
    CLAIM_TABLES,
};
