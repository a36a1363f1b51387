/* CLAIM ltl-c: temporal logic that counts, by average-hard attention.
 *
 * Source: Barceló, Kozachinskiy, Lin, Podolskii 2024 ("Logical languages accepted by transformer encoders with hard attention"): the row
 * "contains LTL[C, +], average-hard, any positions" of the survey of Strobl, Merrill, Weiss, Chiang, Angluin 2024.
 * Statement: a formula with temporal operators, counts of positions before and behind where a formula holds, linear
 * inequalities and congruences of counts, and sets of positions becomes average-hard attention, a layer a level of its operators.
 *
 * Proof: src/front/compile_formula.c has it beside the weights.
 *   1. Temporal operators as in claim fo-mon: the best key is the only one, so the mean over best keys is its value.
 *   2. A count is the mean over all keys that the mask shows, a hidden position among them, whose mark has mean u = 1/(keys): c u.
 *      Sums of counts are sums of these.
 *   3. x <= y holds when x u - y u - u/2 is negative; it is at least u/2 away from 0, and a ramp as steep as 2(N+1) makes a truth of it.
 *   4. Where counts of different masks meet, or residues are asked for, the count look-up fetches the integer c, or its residue, from the
 *      position of that index.
 * Controls: without the order among keys; a ramp six times too flat; a strict mask that lets a position see itself. */
#include "../shared/claim_formulas.h"

#define SQUARES "predicate square 1 4 9 16 25 36 49 64 81 100 121 144 169 196\n"

#define FORMULAS(ROW)                                                                                        \
    ROW("majority", "alphabet a b\naccept end\n#[a] > #[b]")                                                 \
    ROW("dyck", "alphabet a b\naccept end\n#[a] = #[b] & H #[a] >= #[b]")                                    \
    ROW("after-b", "alphabet a b\naccept end\nY b & #[a] >= #[b]")                                           \
    ROW("parity", "alphabet a b\naccept end\n#[a] mod 2 = 0")                                                \
    ROW("middle-a", "alphabet a b\naccept end\nsemantics strict\nO (a & #[j < i] true = #[j > i] true)")     \
    ROW("squares-balance",                                                                                   \
        "alphabet a b\naccept end\n" SQUARES "#[a & square] = #[b & square] & O (b & Z a)")                  \
    ROW("mixed", "alphabet a b c\naccept end\n#[a] >= #[b] + 1 & O (a & Y b) & #[c & Y a] <= 2 #[b]")

#define NAME(name, text) name,
static const char *const names[] = {FORMULAS(NAME) NULL};
#define TEXT(name, text) {"ltl", name, text, NULL},
static claim_formula formulas[] = {FORMULAS(TEXT)};

static const at_param params[] = {
    {"formula", "which formula", 0, COUNT(formulas) - 1, 0, true, names},
    CLAIM_WORD_PARAMS(8),
    {"unsorted", "1: no order among equally good keys", 0, 1, 0, true},
    {"flat", "how many times too flat comparisons of counts are", 1, 64, 1, false},
    {"causal", "1: a position sees itself under the strict mask", 0, 1, 0, true},
};

static claim_formula_how how_of(const at_params *p)
{
    return (claim_formula_how){.attend = AT_ATTEND_AVERAGE,
                               .options = {.causal = at_params_int(p, "causal"),
                                           .unsorted = at_params_int(p, "unsorted"),
                                           .slope = 1 / at_params_get(p, "flat")}};
}

#define INPUTS 20 /* at each p */
CLAIM_FORMULA_FUNCTIONS(formulas, "formula", how_of)
CLAIM_FORMULA_SIZES(formulas)

static const at_claim_table tables[] = {
    {
        .id = "size",
        .title = "what a formula takes at length N, and the least p from which on it holds (" CLAIM_TEXT(
            INPUTS) " words at each p)",
        .columns = (const char *const[]){"N", CLAIM_FORMULA_COLUMNS},
        .rows = (const char *const[]){"formula=dyck N=4", "formula=dyck N=8", "formula=dyck N=16",
                                      "formula=dyck N=32", "formula=dyck N=64", "formula=parity N=4",
                                      "formula=parity N=8", "formula=parity N=16", "formula=parity N=32",
                                      "formula=mixed N=16", "formula=middle-a N=16",
                                      "formula=squares-balance N=16", NULL},
        .quick_rows = 2,
        .row = size_row,
    },
    CLAIM_F32("dyck, then parity", "formula=dyck N=32", "formula=dyck N=128", "formula=dyck N=512",
              "formula=dyck N=2048", "formula=parity N=32", "formula=parity N=128", "formula=parity N=512",
              "formula=parity N=2048")};

static const at_cell cells[] = {
    CLAIM_FORMULA_ALL("majority", 16, 10),
    CLAIM_FORMULA_ALL("dyck", 16, 10),
    CLAIM_FORMULA_ALL("after-b", 16, 8),
    CLAIM_FORMULA_ALL("parity", 16, 10),
    CLAIM_FORMULA_ALL("middle-a", 16, 9),
    CLAIM_FORMULA_ALL("squares-balance", 16, 9),
    CLAIM_FORMULA_ALL("mixed", 10, 6),
    {"formula=dyck N=10", NULL, AT_EV_SAMPLED, 0, "p12", 1000, AT_TIER_QUICK, NULL},
    {"formula=middle-a" CLAIM_TO_OF_LONG(10), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "formula=middle-a" CLAIM_TO_OF_LONG(7)},
    {"formula=mixed" CLAIM_TO_OF_LONG(6), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "formula=mixed" CLAIM_TO_OF_LONG(4)},
    {"formula=dyck N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 100, AT_TIER_QUICK, "formula=dyck N=200"},
    {"formula=mixed N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 50, AT_TIER_FULL, NULL},
    {"formula=after-b N=3", "unsorted=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"formula=dyck N=0..8 most=8", "flat=6", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"formula=mixed N=0..6 most=6", "causal=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     NULL},
};

const at_claim claim_ltl_c = {
    .id = "ltl-c",
    .title = "Temporal logic that counts, by average-hard attention",
    .source = "Barceló, Kozachinskiy, Lin, Podolskii 2024; Strobl, Merrill, Weiss, Chiang, Angluin 2024 "
              "(survey, row "
              "LTL[C, +])",
    .group = "Languages",
    .statement = "Every formula of temporal operators, counts, linear inequalities and congruences of "
                 "counts, and sets of "
                 "positions is accepted by average-hard attention, a layer a level of operators, with "
                 "positions that say j, "
                 "j^2 and the sets.",
    .proof =
        "What is looked for is the only best key, by j/(2(T+1)) on top of a truth. A count is a mean, c u "
        "with "
        "u = 1/(number of keys); linear forms of counts are at least u/2 away from where they change sign; "
        "counts of different masks are fetched as integers by the count look-up.",
    .asks = asks,
    .decoder = model,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "aabb",
    .look_params = "formula=dyck N=8",
};
