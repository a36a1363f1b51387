/* CLAIM fo-mod: languages of FO[<, MOD] by rightmost-hard attention with periodic positions.
 *
 * Source: Angluin, Chiang, Yang 2023 ("Masked hard-attention transformers recognize exactly the star-free languages"): the row
 * "= FO[MOD], sinusoidal" of the survey of Strobl, Merrill, Weiss, Chiang, Angluin 2024; which regular languages these are:
 * Barrington, Compton, Straubing, Therien 1992.
 * Statement: for every regular language of FO[<, MOD] there is m such that attention as in claim fo, with positions that say
 * i mod m, accepts exactly its words, at every length.
 *
 * Proof: 1. The language is star-free over letters (a, i mod m) for some m (src/automaton/modular.c).
 *   2. Position i knows i mod m: from a table of 0 and 1, or from cos and sin of 2 pi i/m by a ramp, which has room
 *      (1 - cos(2 pi/m))/3 on both sides.
 *   3. Claim fo over these letters.
 * Control: positions of period m + 1. PARITY is refused: no m helps it. */
#include "../shared/claim_regular.h"

static const char *const forms[] = {"table", "sinusoidal", NULL};

static const at_param params[] = {
    CLAIM_REGULAR_LANGUAGE,
    CLAIM_WORD_PARAMS(8),
    {"positions", "i mod m as 0 and 1, or as cos and sin", 0, 1, 0, true, forms},
    {"off", "how much the period of the positions is off", 0, 1, 0, true},
};

static at_dfa_options options_of(const at_params *p)
{
    return (at_dfa_options){
        .positions = true, .circle = at_params_int(p, "positions"), .off = at_params_int(p, "off")};
}

CLAIM_REGULAR_FUNCTIONS(dfa)

#define INPUTS 20 /* at each p */

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    at_place place, modular;
    int m = 0;
    at_status s = claim_regular_row(c, p, INPUTS, threads, out + 1, err);
    if (!s)
        s = claim_regular_place(p, &a, &place, err);
    if (!s)
        s = at_place_modular(&place, &a, &m, &modular, err);
    out[0] = m;
    at_arena_release(&a);
    return s;
}

static const at_claim_table tables[] = {
    {
        .id = "size",
        .title = "the period m that a language needs, what it takes, and the least p from which on it holds "
                 "(" CLAIM_TEXT(
                     INPUTS) " words of length 16 at each p), with i mod m as 0 and 1, then as cos and sin",
        .columns = (const char *const[]){"m", CLAIM_REGULAR_COLUMNS},
        .rows =
            (const char *const[]){"language=even-length N=16", "language=aa-star N=16",
                                  "language=odd-places-a N=16", "language=thirds-then-a N=16",
                                  "language=ab-ba-cc N=16", "language=even-length N=16 positions=sinusoidal",
                                  "language=aa-star N=16 positions=sinusoidal",
                                  "language=thirds-then-a N=16 positions=sinusoidal", NULL},
        .quick_rows = 2,
        .row = size_row,
    },
    CLAIM_F32(
        "thirds-then-a with i mod m as cos and sin: bounded numbers, whose rounding does not grow with N",
        "language=thirds-then-a N=64 positions=sinusoidal",
        "language=thirds-then-a N=256 positions=sinusoidal",
        "language=thirds-then-a N=1024 positions=sinusoidal",
        "language=thirds-then-a N=4096 positions=sinusoidal")};

static const at_cell cells[] = {
    CLAIM_REGULAR_ALL("even-length", 16, 10),
    CLAIM_REGULAR_ALL("aa-star", 16, 12),
    CLAIM_REGULAR_ALL("odd-places-a", 16, 10),
    CLAIM_REGULAR_ALL("thirds-then-a", 16, 10),
    CLAIM_REGULAR_ALL("ab-ba-cc", 10, 7),
    CLAIM_REGULAR_ALL("even-since-b", 16, 10),
    CLAIM_REGULAR_ALL("no-aa", 16, 8), /* star-free: no positions are needed */
    {"language=thirds-then-a N=0..16 most=16 positions=sinusoidal", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES,
     "f64", 0, AT_TIER_QUICK, "language=thirds-then-a N=0..9 most=9 positions=sinusoidal"},
    {"language=aa-star N=0..9 most=9", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p2", 0, AT_TIER_QUICK,
     "language=aa-star N=0..7 most=7"},
    {"language=thirds-then-a" CLAIM_TO_OF_LONG(12), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0,
     AT_TIER_QUICK, "language=thirds-then-a" CLAIM_TO_OF_LONG(9)},
    {"language=thirds-then-a N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 100, AT_TIER_QUICK, NULL},
    {"language=even-since-b N=1000", NULL, AT_EV_SAMPLED, 0, "f32", 100, AT_TIER_FULL, NULL},
    {"language=even-length N=0..6 most=6", "off=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     NULL},
    {"language=thirds-then-a N=0..6 most=6", "off=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     NULL},
    {"language=aa-star N=0..6 most=6 positions=sinusoidal", "off=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0,
     AT_TIER_QUICK, NULL},
};

const at_claim claim_fo_mod = {
    .id = "fo-mod",
    .title =
        "With positions modulo m, rightmost-hard attention recognises the regular languages of FO[<, MOD]",
    .source =
        "Angluin, Chiang, Yang 2023; Strobl, Merrill, Weiss, Chiang, Angluin 2024 (survey, row FO[MOD]); "
        "Barrington, Compton, Straubing, Therien 1992",
    .group = "Languages",
    .statement =
        "For every regular language of FO[<, MOD] there is a period m such that rightmost-hard heads under "
        "the strict mask, with i mod m at position i, accept exactly its words at all lengths.",
    .proof =
        "Over the letters (a, i mod m) it is star-free, hence a cascade of resets (claim fo). i mod m comes "
        "from a table of 0 and 1, or from cos and sin of 2 pi i/m by a ramp.",
    .asks = claim_regular_asks,
    .decoder = model,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "aaaa",
    .look_params = "language=aa-star N=8",
};
