/* CLAIM sscm: simplified and stateless counter machines by one layer of attention, without positions.
 *
 * Source: Bhattamishra, Ahuja, Goyal 2020, "On the ability and limitations of transformers to recognize formal languages"; their row
 * in the survey of Strobl, Merrill, Weiss, Chiang, Angluin 2024.
 * Statement: for every machine whose letters add to counters, and which decides at the end by comparisons of linear forms of the counters
 * and by the last letter, one layer of attention without positions accepts exactly its words of at most N letters, ε included: softmax or
 * average-hard for the counters, and a rightmost-hard head where the last letter is asked for.
 *
 * Proof, read behind the word:
 *   1. A counter is the sum of its steps times the counts of letters; the mean over the word and a hidden position is that times
 *      u = 1/(n + 1).
 *   2. It is an integer, so comparisons have room u/2 and a ramp of width 1/(N + 1) decides them.
 *   3. The rightmost position before the end is the last letter; of the empty word there is none. */
#include "../shared/claim_formulas.h"

#define LANGUAGES(ROW)                                                                                       \
    ROW("equal-abc", "alphabet a b c\ncounters x y\na: x+1; b: x-1 y+1; c: y-1\naccept x = 0 and y = 0")     \
    ROW("double-ends-a", "alphabet a b\ncounters x\na: x+1; b: x-2\naccept x = 0 and last in {a}")           \
    ROW("either", "alphabet a b c d\ncounters x y\na: x+1; b: x-1; c: y+1; d: y-1\n"                         \
                  "accept x = 0 and y != 0 or x != 0 and y = 0")                                             \
    ROW("not-triple", "alphabet a b\ncounters x\na: x+1; b: x-3\naccept x != 0 or last is none")             \
    ROW("slanted", "alphabet a b\ncounters x y\na: x+3 y-1; b: x-2 y+2\n"                                    \
                   "accept 2x - y <= 3 and x + y >= -1 or last in {b} and y = 0")

#define NAME(name, text) name,
static const char *const names[] = {LANGUAGES(NAME) NULL};
#define TEXT(name, text) {"sscm", name, text, NULL},
static claim_formula all[] = {LANGUAGES(TEXT)};
CLAIM_FORMULA_FUNCTIONS(all, "language", claim_counts_how)

static const at_param params[] = {CLAIM_COUNTS_PARAMS(names, COUNT(all))};

#define INPUTS 20 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    return claim_word_row(c, p, at_log2(at_params_get(p, "N") + 1) + 1, INPUTS, threads, out, err);
}

static const at_claim_table tables[] = {
    {
        .id = "precision",
        .title = "least p from which on as many a as b as c are seen (" CLAIM_TEXT(
            INPUTS) " words of length N at each p), and the size, against N",
        .columns = (const char *const[]){CLAIM_WORD_COLUMNS("log2 1/margin"), NULL},
        .x = "N",
        .logx = true,
        .plots = (const char *const[]){"least p", NULL},
        .rows = (const char *const[]){"language=equal-abc N=3", "language=equal-abc N=9",
                                      "language=equal-abc N=18", "language=equal-abc N=36",
                                      "language=equal-abc N=72", "language=equal-abc N=144", NULL},
        .quick_rows = 3,
        .row = precision_row,
    },
    CLAIM_F32("a margin of 1/(2(N + 1)) is seen with log2(N + 1) + 1 bits, of which f32 has 24",
              "language=equal-abc N=63", "language=equal-abc N=255", "language=equal-abc N=1023")};

static const at_cell cells[] = {
    CLAIM_COUNTS_ALL("equal-abc", 10, 7),
    CLAIM_COUNTS_ALL("double-ends-a", 16, 10),
    CLAIM_COUNTS_ALL("either", 8, 6),
    CLAIM_COUNTS_ALL("not-triple", 16, 10),
    CLAIM_COUNTS_ALL("slanted", 16, 10),
    CLAIM_COUNTS_HARD("equal-abc", 10, 6),
    CLAIM_COUNTS_HARD("double-ends-a", 16, 8),
    CLAIM_COUNTS_HARD("slanted", 16, 8),
    {"language=double-ends-a N=0..10 most=10", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK,
     "language=double-ends-a N=0..8 most=8"},
    {"language=slanted" CLAIM_TO_OF_LONG(12), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "language=slanted" CLAIM_TO_OF_LONG(9)},
    CLAIM_COUNTS_LONG("equal-abc", 1000, "f64", 100),
    CLAIM_COUNTS_LONG("slanted", 1000, "f32", 40),
    CLAIM_COUNTS_CONTROL("equal-abc", 6, "slope=0.16"),
    CLAIM_COUNTS_CONTROL("slanted", 8, "slope=0.16"),
    CLAIM_COUNTS_CONTROL("double-ends-a", 8, "arith=p3"),
};

const at_claim claim_sscm = {
    .id = "sscm",
    .title = "One layer of attention without positions runs a simplified stateless counter machine",
    .source = "Bhattamishra, Ahuja, Goyal 2020; Strobl, Merrill, Weiss, Chiang, Angluin 2024 (survey)",
    .group = "Languages",
    .statement = "For every machine whose letters add to counters and which decides at the end by comparing "
                 "them and by the last letter, "
                 "one layer of attention without positions, softmax or average-hard, with a rightmost-hard "
                 "head for the last letter, "
                 "accepts exactly its words of at most N letters, the empty word included.",
    .proof = "A counter is a linear form of counts of letters, so the mean over the word and a hidden "
             "position is its value times 1/(n + "
             "1); comparisons of integers have room 1/(2(n + 1)), which a ramp of width 1/(N + 1) needs.",
    .asks = asks,
    .decoder = model,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "aabbcc",
    .look_params = "language=equal-abc N=9",
};
