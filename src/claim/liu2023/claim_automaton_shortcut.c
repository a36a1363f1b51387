/* CLAIM automaton-shortcut: any automaton in ceil(log2 N) layers.
 *
 * Source: Liu, Ash, Goel, Krishnamurthy, Zhang 2023 ("Transformers learn shortcuts to automata"), theorem 1.
 * Statement: for every automaton and every N, ceil(log2 N) layers of one softmax head each decide all words of at most N letters.
 *
 * Proof: src/front/compile_shortcut.c has it beside the weights. Position i holds the map of its last 2^r letters; in round r it
 * fetches that of position i - 2^r and composes both.
 * Control: one round fewer: then letters more than 2^(R-1) from the end are not read. */
#include "../shared/claim_regular.h"

static const char *const heads[] = {"softmax", "rightmost-hard", NULL};

static const at_param params[] = {
    CLAIM_REGULAR_LANGUAGE,
    CLAIM_WORD_PARAMS(8),
    {"head", "what fetches the earlier map", 0, 1, 0, true, heads},
    {"fewer", "rounds less", 0, 1, 0, true},
};

static at_shortcut_options options_of(const at_params *p)
{
    return (at_shortcut_options){.hard = at_params_int(p, "head"), .fewer = at_params_int(p, "fewer")};
}

CLAIM_REGULAR_FUNCTIONS(shortcut)

#define INPUTS 20 /* at each p */

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    out[0] = at_params_get(p, "N");
    out[1] = at_log2(out[0]);
    return claim_regular_row(c, p, INPUTS, threads, out + 2, err);
}

static const at_claim_table tables[] = {
    {
        .id = "size",
        .title = "layers beside log2 N, what it takes, and the least p from which on it holds (" CLAIM_TEXT(
            INPUTS) " words at each p): PARITY, then the group A5, which no constant depth is known for",
        .columns = (const char *const[]){"N", "log2 N", CLAIM_REGULAR_COLUMNS},
        .rows = (const char *const[]){"language=parity N=4", "language=parity N=8", "language=parity N=16",
                                      "language=parity N=32", "language=parity N=64", "language=a5 N=4",
                                      "language=a5 N=8", "language=a5 N=16", "language=a5 N=32", NULL},
        .quick_rows = 2,
        .row = size_row,
    },
    CLAIM_F32("PARITY: positions j and j^2 take 2 log2 N bits and some, and f32 has 24",
              "language=parity N=32", "language=parity N=128", "language=parity N=512",
              "language=parity N=1024", "language=parity N=2048")};

static const at_cell cells[] = {
    CLAIM_REGULAR_ALL("parity", 16, 10),
    CLAIM_REGULAR_ALL("thirds-of-a", 16, 9),
    CLAIM_REGULAR_ALL("s3", 16, 8),
    CLAIM_REGULAR_ALL("a4", 16, 8),
    CLAIM_REGULAR_ALL("d4", 16, 7),
    CLAIM_REGULAR_ALL("a5", 16, 8),
    CLAIM_REGULAR_ALL("depth-3", 16, 7), /* star-free ones, too */
    CLAIM_REGULAR_ALL("ab-ba-cc", 10, 5),
    {"language=parity N=0..16 most=16 head=rightmost-hard", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0,
     AT_TIER_QUICK, "language=parity N=0..9 most=9 head=rightmost-hard"},
    {"language=parity N=0..8 most=8", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, NULL},
    {"language=s3 N=0..9 most=200", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "language=s3 N=0..6 most=200"},
    {"language=a5 N=64", NULL, AT_EV_SAMPLED, 0, "f64", 1000, AT_TIER_QUICK, NULL},
    {"language=parity N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 50, AT_TIER_FULL, NULL},
    {"language=parity N=9..10 most=10", "fewer=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     NULL},
    {"language=a5 N=9..10 most=10", "fewer=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_automaton_shortcut = {
    .id = "automaton-shortcut",
    .title = "Any automaton runs in ceil(log2 N) layers of one head",
    .source = "Liu, Ash, Goel, Krishnamurthy, Zhang 2023, theorem 1",
    .group = "Languages",
    .statement =
        "For every automaton and every N, ceil(log2 N) layers of one softmax head each decide every word of "
        "at most N letters.",
    .proof = "Position i holds the map of its last 2^r letters; in round r it fetches that of position i - "
             "2^r by the "
             "score 2tj - j^2 and composes both by two units a triple of states.",
    .asks = claim_regular_asks,
    .decoder = model,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "aba",
    .look_params = "language=parity N=3",
};
