/* CLAIM crasp: programs of C-RASP, and so formulas of K_t[#], by attention that averages, without positions.
 *
 * Source: Yang, Chiang 2024, "Counting like transformers: compiling temporal counting logic into softmax transformers"; the row of
 * counting with order in the survey of Strobl, Merrill, Weiss, Chiang, Angluin 2024.
 * Statement: for every program of C-RASP whose counts look back, a softmax transformer with the causal mask and without positions
 * answers at every position of every word of at most N letters what the program says there; it has one attention layer a level of
 * counts inside counts, and only the slopes of its MLPs depend on N. Average-hard attention does the same.
 *
 * Proof: src/front/compile_formula.c has it beside the weights.
 *   1. Equal scores give means; with a hidden position before the word whose value is 1, of which the mean is u = 1/(i + 1), the mean of a
 *      truth is its count times u.
 *   2. Sums, multiples, min, max and choices of counts are taken of these products; a constant k is k u.
 *   3. x >= y is (x - y) u + u/2 >= 0, and that is at least u/2 away from 0: a ramp of width 1/(N + 1) decides.
 * Differs from the paper: a ramp instead of layer normalisation, so a model serves words to N letters. PARITY is not in this logic;
 * claim foc has it, and lacks order. */
#include "../shared/claim_formulas.h"

#define LANGUAGES(ROW)                                                                                       \
    ROW("majority", "alphabet 0 1\naccept end\n#[Q_1] > #[Q_0]")                                             \
    ROW("dyck-1", "alphabet ( )\naccept end\nA = #[Q_(]; B = #[Q_)]; C = #[A < B]\naccept C = 0 and A = B")  \
    ROW("abba", "alphabet a b\naccept end\nA = #[Q_a]; B = #[Q_b & A > 0]; C = #[Q_b & B > 1]\n"             \
                "#[Q_a & C > 0] > 0")                                                                        \
    ROW("choice", "alphabet a b\naccept end\nD = #[j <= i] Q_a(j) - #[j <= i] Q_b(j)\n"                      \
                  "E(i) := if # [j < i] Q_a(j) >= 2 then max(D(i), 1) else min(2 D(i), 3)\n"                 \
                  "accept 2 E <= 3 and #[E < 0] < 3")                                                        \
    ROW("abc", "alphabet a b c\naccept end\nA = #[Q_a]; B = #[Q_b]; C = #[Q_c]\n"                            \
               "L = #[Q_a & B + C > 0 | Q_b & C > 0]\naccept L = 0 and A = B and B = C")                     \
    ROW("shuffle", "alphabet ( ) [ ]\naccept end\nX = #[Q[\"(\"]] - #[Q[\")\"]]\n"                           \
                   "Y = #[Q[\"[\"]] - #[Q[\"]\"]]\naccept #[X < 0 | Y < 0] = 0 and X = 0 and Y = 0")

#define NAME(name, text) name,
static const char *const names[] = {LANGUAGES(NAME) NULL};
#define TEXT(name, text) {"crasp", name, text, NULL},
static claim_formula all[] = {LANGUAGES(TEXT)};
CLAIM_FORMULA_FUNCTIONS(all, "language", claim_counts_how)

static const at_param params[] = {CLAIM_COUNTS_PARAMS(names, COUNT(all))};

#define INPUTS 20 /* at each p */

/* Margins of u/2 >= 1/(2(N + 1)) among numbers to 1. */
static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    return claim_word_row(c, p, at_log2(at_params_get(p, "N") + 1) + 1, INPUTS, threads, out, err);
}

#define ROWS(language)                                                                                       \
    "language=" language " N=4", "language=" language " N=8", "language=" language " N=16",                  \
        "language=" language " N=32", "language=" language " N=64", "language=" language " N=128"

static const at_claim_table tables[] = {
    {
        .id = "precision",
        .title = "least p from which on brackets are told apart (" CLAIM_TEXT(
            INPUTS) " words of length N at each p), and the size, against N",
        .columns = (const char *const[]){CLAIM_WORD_COLUMNS("log2 1/margin"), NULL},
        .x = "N",
        .logx = true,
        .plots = (const char *const[]){"least p", NULL},
        .rows = (const char *const[]){ROWS("dyck-1"), NULL},
        .quick_rows = 3,
        .row = precision_row,
    },
    CLAIM_F32("a margin of 1/(2(N + 1)) is seen with log2(N + 1) + 1 bits, of which f32 has 24",
              "language=dyck-1 N=64", "language=dyck-1 N=256", "language=dyck-1 N=1024",
              "language=dyck-1 N=2048")};

static const at_cell cells[] = {
    CLAIM_COUNTS_ALL("majority", 16, 10),
    CLAIM_COUNTS_ALL("dyck-1", 16, 12),
    CLAIM_COUNTS_ALL("abba", 16, 10),
    CLAIM_COUNTS_ALL("choice", 16, 10),
    CLAIM_COUNTS_ALL("abc", 10, 7),
    CLAIM_COUNTS_ALL("shuffle", 8, 5),
    CLAIM_COUNTS_HARD("dyck-1", 16, 9),
    CLAIM_COUNTS_HARD("abba", 16, 8),
    CLAIM_COUNTS_HARD("choice", 16, 8),
    {"language=dyck-1 N=0..10 most=10", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK,
     "language=dyck-1 N=0..8 most=8"},
    {"language=dyck-1 N=0..10 most=10", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p7", 0, AT_TIER_QUICK,
     "language=dyck-1 N=0..7 most=7"},
    {"language=dyck-1" CLAIM_TO_OF_LONG(12), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "language=dyck-1" CLAIM_TO_OF_LONG(9)},
    {"language=choice" CLAIM_TO_OF_LONG(10), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "language=choice" CLAIM_TO_OF_LONG(7)},
    CLAIM_COUNTS_LONG("dyck-1", 1000, "f64", 200),
    CLAIM_COUNTS_LONG("shuffle", 1000, "f32", 200),
    CLAIM_COUNTS_CONTROL("dyck-1", 8, "slope=0.16"),
    CLAIM_COUNTS_CONTROL("abc", 6, "slope=0.16"),
    CLAIM_COUNTS_CONTROL("dyck-1", 8, "arith=p4"),
};

const at_claim claim_crasp = {
    .id = "crasp",
    .title = "Attention that averages, under the causal mask and without positions, runs programs of C-RASP",
    .source = "Yang, Chiang 2024; Strobl, Merrill, Weiss, Chiang, Angluin 2024 (survey)",
    .group = "Languages",
    .statement = "For every program of C-RASP, and every formula of K_t[#], a softmax transformer without "
                 "positions, one attention "
                 "layer a level of counts inside counts, accepts exactly its words of at most N letters, the "
                 "empty word included; "
                 "only slopes depend on N. Average-hard attention does the same.",
    .proof = "Means under the causal mask, with a hidden position before the word, are counts times u = 1/(i "
             "+ 1), and linear forms "
             "of counts are linear forms of these. A comparison is at least u/2 away from being undecided, "
             "so a ramp of width "
             "1/(N + 1) decides it.",
    .asks = asks,
    .decoder = model,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "(()())",
    .look_params = "language=dyck-1 N=8",
};
