/* CLAIM fo: star-free languages by rightmost-hard attention under the strict mask, without positions.
 *
 * Source: Angluin, Chiang, Yang 2023 ("Masked hard-attention transformers recognize exactly the star-free languages"): the row
 * "= FO" of the survey of Strobl, Merrill, Weiss, Chiang, Angluin 2024. Their proof goes through B-RASP and linear temporal
 * logic; this one goes through the cascade of resets of the least automaton.
 * Statement: for every star-free language, H the height of its cascade, H layers of one rightmost-hard head each, strictly
 * masked and without positions, and MLPs between them accept exactly its words, at every length, ε included.
 *
 * Proof: src/front/compile_automaton.c has it beside the weights.
 *   1. A language is star-free when the monoid of its least automaton has no period (Schützenberger).
 *   2. Then the automaton is a cascade of coordinates that letters keep or reset (Krohn and Rhodes, without groups).
 *   3. Head t fetches the last reset of coordinate t, which is a function of the letter and the coordinates before t.
 * All scores and values are 0 or 1: two bits are enough, at any length. */
#include "../shared/claim_regular.h"

static const at_param params[] = {
    CLAIM_REGULAR_LANGUAGE,
    CLAIM_WORD_PARAMS(8),
    {"causal", "1: a position sees its own letter", 0, 1, 0, true},
};

static at_dfa_options options_of(const at_params *p)
{
    return (at_dfa_options){.causal = at_params_int(p, "causal")};
}

CLAIM_REGULAR_FUNCTIONS(dfa)

#define INPUTS 20 /* at each p */

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    return claim_regular_row(c, p, INPUTS, threads, out, err);
}

static const at_claim_table tables[] = {{
    .id = "size",
    .title =
        "what star-free languages take, at any length: one layer a level of the cascade, and the least p "
        "from which on it holds (" CLAIM_TEXT(INPUTS) " words of length 16 at each p)",
    .columns =
        (const char *const[]){"states", "monoid", "layers", "hidden", "width", "parameters", "least p", NULL},
    .rows = (const char *const[]){"language=ab-star N=16", "language=a-then-b N=16", "language=no-aa N=16",
                                  "language=ends-abab N=16", "language=third-last-a N=16",
                                  "language=depth-3 N=16", "language=subsequence-abc N=16",
                                  "language=abc-or-cba N=16", "language=ab-a-cd N=16", NULL},
    .quick_rows = 2,
    .row = size_row,
}};

static const at_cell cells[] = {
    CLAIM_REGULAR_ALL("ab-star", 16, 16),
    CLAIM_REGULAR_ALL("a-then-b", 16, 10),
    CLAIM_REGULAR_ALL("no-aa", 16, 10),
    CLAIM_REGULAR_ALL("ends-abab", 16, 10),
    CLAIM_REGULAR_ALL("third-last-a", 16, 10),
    CLAIM_REGULAR_ALL("depth-3", 16, 10),
    CLAIM_REGULAR_ALL("subsequence-abc", 10, 7),
    CLAIM_REGULAR_ALL("abc-or-cba", 10, 7),
    CLAIM_REGULAR_ALL("ab-a-cd", 8, 5),
    CLAIM_REGULAR_ALL("nothing", 16, 4),
    {"language=ends-abab N=0..10 most=10", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p2", 0, AT_TIER_QUICK,
     "language=ends-abab N=0..7 most=7"},
    {"language=depth-3 N=0..10 most=10", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p2", 0, AT_TIER_QUICK,
     "language=depth-3 N=0..7 most=7"},
    {"language=subsequence-abc N=0..8 most=8", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p2", 0, AT_TIER_FULL,
     NULL},
    {"language=depth-3" CLAIM_TO_OF_LONG(12), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "language=depth-3" CLAIM_TO_OF_LONG(9)},
    {"language=depth-3 N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 100, AT_TIER_QUICK, NULL},
    {"language=abc-or-cba N=1000", NULL, AT_EV_SAMPLED, 0, "f32", 100, AT_TIER_QUICK, NULL},
    {"language=third-last-a N=1000", NULL, AT_EV_SAMPLED, 0, "p2", 20, AT_TIER_FULL, NULL},
    {"language=ab-star N=2", "causal=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"language=depth-3 N=0..6 most=6", "causal=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     NULL},
};

const at_claim claim_fo = {
    .id = "fo",
    .title =
        "Rightmost-hard attention under the strict mask, without positions, recognises star-free languages",
    .source = "Angluin, Chiang, Yang 2023; Strobl, Merrill, Weiss, Chiang, Angluin 2024 (survey, row FO); "
              "Krohn, Rhodes 1965",
    .group = "Languages",
    .statement =
        "For every star-free language, H layers of one rightmost-hard head each under the strict mask, "
        "without positions, accept "
        "exactly its words at all lengths, the empty word included; H is the height of its cascade of "
        "resets, and two bits are enough.",
    .proof =
        "An automaton whose monoid has no period is a cascade of coordinates that letters keep or reset. "
        "Head t fetches the last "
        "reset of coordinate t, which is a function of the letter and of the coordinates before t; all "
        "numbers are 0 or 1.",
    .asks = claim_regular_asks,
    .decoder = model,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "abab",
    .look_params = "language=ab-star N=8",
};
