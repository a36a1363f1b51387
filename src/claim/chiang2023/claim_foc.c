/* CLAIM foc: formulas of FOC[MOD;+], counts without order, by softmax attention.
 *
 * Source: Chiang, Cholak, Pillay 2023, "Tighter bounds on the expressivity of transformer encoders"; its row in the survey of Strobl,
 * Merrill, Weiss, Chiang, Angluin 2024.
 * Statement: for every formula of FOC[MOD;+] a softmax transformer of at most two attention layers accepts exactly its words of at most N
 * letters, the empty word included. Inequalities take one layer, with positions only for their classes; congruences take two, with
 * positions j and j^2. Average-hard attention does the same.
 *
 * Proof: src/lang/foc/foc_exists.c and src/front/compile_formula.c have it in full.
 *   1. Quantifiers over counts are eliminated (Presburger): what is left are inequalities and congruences of sums of counts of letters in
 *      classes of positions.
 *   2. Inequalities: means without a mask are counts times u = 1/(n + 1); as in claim crasp.
 *   3. Congruences: the score u (2 c j - j^2) is largest at j = c alone, by u; position c fetches c mod m, and sums of those are looked up in a
 *      table.
 * Differs from the paper: counts are whole numbers, and quantifiers run over these; the paper's run over a sort of its own.
 * A word and what comes of it when two letters exchange places whose distance is a multiple of all moduli are the same to such a formula, so
 * brackets that match are not in this logic; claim crasp has them, and lacks congruences. */
#include "../shared/claim_formulas.h"

#define LANGUAGES(ROW)                                                                                       \
    ROW("parity", "alphabet 0 1\n#[1] mod 2 = 0")                                                            \
    ROW("thirds", "alphabet 0 1\nexists x. #[1] = 3 x + 1")                                                  \
    ROW("few-zeros", "alphabet 0 1\n2 #[0] <= #[1] + 3 and not #[true] mod 4 = 3")                           \
    ROW("shares", "alphabet 0 1\nexists x y. #[0] = 2 x + 3 y and x <= y and y < #[1] + 2")                  \
    ROW("classes", "alphabet a b c\n#[a, i mod 2 = 1] = #[b, i mod 2 = 0] or\n"                              \
                   "#[c, i mod 3 = 0] = 0 and #[i mod 2 = 0] + 2 #[c] < 6")                                  \
    ROW("fifths", "alphabet a b c d\n#[a] + 2 #[b] mod 5 = 2 or #[c, i mod 2 = 0] > #[d]")

#define NAME(name, text) name,
static const char *const names[] = {LANGUAGES(NAME) NULL};
#define TEXT(name, text) {"foc", name, text, NULL},
static claim_formula all[] = {LANGUAGES(TEXT)};
CLAIM_FORMULA_FUNCTIONS(all, "language", claim_counts_how)

static const at_param params[] = {CLAIM_COUNTS_PARAMS(names, COUNT(all))};

#define INPUTS 10 /* at each p */

/* Scores to N that are 1/(N + 1) apart. */
static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    return claim_word_row(c, p, 2 * at_log2(at_params_get(p, "N") + 1), INPUTS, threads, out, err);
}

static const at_claim_table tables[] = {
    {
        .id = "precision",
        .title = "least p from which on parity is right (" CLAIM_TEXT(
            INPUTS) " words of length N at each p), and the size, against N",
        .columns = (const char *const[]){CLAIM_WORD_COLUMNS("2 log2(N+1)"), NULL},
        .x = "N",
        .logx = true,
        .plots = (const char *const[]){"least p", NULL},
        .rows = (const char *const[]){"language=parity N=4", "language=parity N=8", "language=parity N=16",
                                      "language=parity N=32", "language=parity N=64", "language=parity N=128",
                                      NULL},
        .quick_rows = 3,
        .row = precision_row,
    },
    CLAIM_F32("parity takes 2 log2(N + 1) bits, and f32 has 24: enough to N = 4095", "language=parity N=64",
              "language=parity N=256", "language=parity N=1024", "language=parity N=2048",
              "language=parity N=4096")};

static const at_cell cells[] = {
    CLAIM_COUNTS_ALL("parity", 16, 12),
    CLAIM_COUNTS_ALL("thirds", 16, 10),
    CLAIM_COUNTS_ALL("few-zeros", 16, 10),
    CLAIM_COUNTS_ALL("shares", 16, 10),
    CLAIM_COUNTS_ALL("classes", 10, 7),
    CLAIM_COUNTS_ALL("fifths", 8, 5),
    CLAIM_COUNTS_HARD("parity", 16, 9),
    CLAIM_COUNTS_HARD("shares", 16, 8),
    CLAIM_COUNTS_HARD("classes", 10, 6),
    {"language=shares" CLAIM_TO_OF_LONG(10), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "language=shares" CLAIM_TO_OF_LONG(7)},
    {"language=classes" CLAIM_TO_OF_LONG(7), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "language=classes" CLAIM_TO_OF_LONG(4)},
    CLAIM_COUNTS_LONG("parity", 1000, "f64", 100),
    CLAIM_COUNTS_LONG("classes", 1000, "f64", 100),
    CLAIM_COUNTS_CONTROL("thirds", 8, "arith=p4"),
    CLAIM_COUNTS_CONTROL("classes", 6, "slope=0.16"),
    CLAIM_COUNTS_CONTROL("parity", 8, "arith=p4"),
};

const at_claim claim_foc = {
    .id = "foc",
    .title = "Softmax attention accepts the words of a formula of FOC[MOD;+], counting without order",
    .source = "Chiang, Cholak, Pillay 2023; Strobl, Merrill, Weiss, Chiang, Angluin 2024 (survey)",
    .group = "Languages",
    .statement = "For every formula of FOC[MOD;+], Boolean combinations of linear inequalities and "
                 "congruences of counts of letters in "
                 "classes of positions, with quantifiers over counts, softmax attention of at most two "
                 "layers accepts exactly its words "
                 "of at most N letters, the empty word included. Average-hard attention does the same.",
    .proof = "Quantifiers are eliminated. Means are counts times u = 1/(n + 1), of which inequalities are "
             "decided by a ramp. For a "
             "congruence the score u (2cj - j^2) finds position j = c, which knows c mod m.",
    .asks = asks,
    .decoder = model,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "0110100",
    .look_params = "language=parity N=8",
};
