/* CLAIM fo-mon: first-order logic with any predicates of positions, by hard attention of one side.
 *
 * Source: Barceló, Kozachinskiy, Lin, Podolskii 2024 ("Logical languages accepted by transformer encoders with hard attention"): the row
 * "contains FO[Mon], leftmost-hard, any positions" of the survey of Strobl, Merrill, Weiss, Chiang, Angluin 2024.
 * Statement: a formula of temporal logic, strict or not, whose atoms are letters and arbitrary sets of positions, becomes leftmost-hard
 * attention (or average-hard, or softmax), a layer a level of its operators, with positions that say j and the sets. By Kamp's
 * theorem these formulas are FO[<, Mon].
 *
 * Proof: src/front/compile_formula.c has it beside the weights.
 *   1. f S g looks for the last j before i where !f or g holds: score 0 or 1, value g (claim fo has this by rightmost-hard attention).
 *   2. Attention that takes the first of equally good keys, or their mean, gets j/(2(T + 1)) on top of the score, less than 1/2 in
 *      all: the last j is the only best one, by 1/(2(T + 1)). For the first j: minus that.
 *   3. A set of positions is a table of 0 and 1 beside the position.
 * Controls: without the order of step 2; a set that is one position off; a strict mask that lets a position see itself.
 *
 * Differs from the paper: positions are j itself, in tables of one length N, instead of features of all lengths. */
#include "../shared/claim_formulas.h"

#define SQUARES                                                                                              \
    "predicate square 1 4 9 16 25 36 49 64 81 100 121 144 169 196 225 256 289 324 361 400 441 484 529 576 "  \
    "625 676 729 784 841 900 961 1024\n"
#define FIBONACCI "predicate fib 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987\n"

#define FORMULAS(ROW)                                                                                        \
    ROW("a-at-squares", "alphabet a b\naccept end\n" SQUARES "Z H (a -> square)")                            \
    ROW("square-b-then-a", "alphabet a b\naccept end\nsemantics strict\n" SQUARES "!a S (b & square)")       \
    ROW("fib-until-square",                                                                                  \
        "alphabet a b\naccept begin\nsemantics strict\n" FIBONACCI SQUARES "(a | !fib) U (b & square)")      \
    ROW("squares-alternate", "alphabet a b\naccept end\nsemantics strict\n" SQUARES                          \
                             "H (square & a -> !O square | (!square S (square & b)))"                        \
                             " & H (square & b -> (!square S (square & a)))")                                \
    ROW("abc-at-fib", "alphabet a b c\naccept last\n" FIBONACCI "O (c & fib & Y O (b & fib & Y O (a & "      \
                      "fib)))")

#define NAME(name, text) name,
static const char *const names[] = {FORMULAS(NAME) NULL};
#define TEXT(name, text) {"ltl", name, text, NULL},
static claim_formula formulas[] = {FORMULAS(TEXT)};

/* The kinds that need the order of step 2; as at_formula_attend, from softmax on. */
static const char *const kinds[] = {"softmax", "average", "rightmost", "leftmost", NULL};

static const at_param params[] = {
    {"formula", "which formula", 0, COUNT(formulas) - 1, 0, true, names},
    CLAIM_WORD_PARAMS(8),
    {"attention", "what finds positions", 0, 3, 3, true, kinds},
    {"unsorted", "1: no order among equally good keys", 0, 1, 0, true},
    {"off", "1: the sets hold a position too late", 0, 1, 0, true},
    {"causal", "1: a position sees itself under the strict mask", 0, 1, 0, true},
};

static claim_formula_how how_of(const at_params *p)
{
    return (claim_formula_how){
        .attend = (at_formula_attend)(AT_ATTEND_SOFTMAX + at_params_int(p, "attention")),
        .off = at_params_int(p, "off"),
        .options = {.causal = at_params_int(p, "causal"), .unsorted = at_params_int(p, "unsorted")}};
}

#define INPUTS 20 /* at each p */
CLAIM_FORMULA_FUNCTIONS(formulas, "formula", how_of)
CLAIM_FORMULA_SIZES(formulas)

static const at_claim_table tables[] = {
    {
        .id = "size",
        .title =
            "what a formula takes at length N with leftmost-hard attention, and the least p from which on "
            "it holds "
            "(" CLAIM_TEXT(INPUTS) " words at each p)",
        .columns = (const char *const[]){"N", CLAIM_FORMULA_COLUMNS},
        .rows = (const char *const[]){"formula=square-b-then-a N=4", "formula=square-b-then-a N=8",
                                      "formula=square-b-then-a N=16", "formula=square-b-then-a N=32",
                                      "formula=square-b-then-a N=64", "formula=a-at-squares N=16",
                                      "formula=squares-alternate N=16", "formula=fib-until-square N=16",
                                      "formula=abc-at-fib N=16", NULL},
        .quick_rows = 2,
        .row = size_row,
    },
    CLAIM_F32(
        "square-b-then-a: scores to 3/2 that are 1/(2(N + 2)) apart take log2 N + 2 bits, and f32 has 24",
        "formula=square-b-then-a N=64", "formula=square-b-then-a N=256", "formula=square-b-then-a N=1024",
        "formula=square-b-then-a N=4096")};

static const at_cell cells[] = {
    CLAIM_FORMULA_ALL("a-at-squares", 16, 10),
    CLAIM_FORMULA_ALL("square-b-then-a", 16, 10),
    CLAIM_FORMULA_ALL("fib-until-square", 16, 10),
    CLAIM_FORMULA_ALL("squares-alternate", 16, 10),
    {"formula=abc-at-fib N=1..10 most=10", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "formula=abc-at-fib N=1..7 most=7"},
    {"formula=squares-alternate N=0..16 most=16 attention=average", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES,
     "f64", 0, AT_TIER_QUICK, "formula=squares-alternate N=0..9 most=9 attention=average"},
    {"formula=squares-alternate N=0..16 most=16 attention=softmax", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES,
     "f64", 0, AT_TIER_QUICK, "formula=squares-alternate N=0..8 most=8 attention=softmax"},
    {"formula=fib-until-square N=0..16 most=16 attention=rightmost", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES,
     "f64", 0, AT_TIER_QUICK, "formula=fib-until-square N=0..9 most=9 attention=rightmost"},
    {"formula=squares-alternate N=0..9 most=9", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p12", 0, AT_TIER_QUICK,
     "formula=squares-alternate N=0..7 most=7"},
    {"formula=squares-alternate" CLAIM_TO_OF_LONG(10), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0,
     AT_TIER_QUICK, "formula=squares-alternate" CLAIM_TO_OF_LONG(7)},
    {"formula=squares-alternate N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 100, AT_TIER_QUICK,
     "formula=squares-alternate N=200"},
    {"formula=abc-at-fib N=1000", NULL, AT_EV_SAMPLED, 0, "f32", 100, AT_TIER_FULL, NULL},
    {"formula=square-b-then-a N=0..4 most=4", "unsorted=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0,
     AT_TIER_QUICK, NULL},
    {"formula=a-at-squares N=0..4 most=4", "off=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     NULL},
    {"formula=squares-alternate N=0..6 most=6", "causal=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0,
     AT_TIER_QUICK, NULL},
};

const at_claim claim_fo_mon = {
    .id = "fo-mon",
    .title = "First-order logic with any predicates of positions, by leftmost-hard attention",
    .source = "Barceló, Kozachinskiy, Lin, Podolskii 2024; Strobl, Merrill, Weiss, Chiang, Angluin 2024 "
              "(survey, row "
              "FO[Mon]); Kamp 1968",
    .group = "Languages",
    .statement = "Every formula of temporal logic over letters and arbitrary sets of positions, hence every "
                 "language of "
                 "FO[<, Mon], is accepted by leftmost-hard attention, a layer a level of operators, with "
                 "positions that "
                 "say j and the sets.",
    .proof =
        "f S g is the value of g at the last j before i where !f or g holds. Leftmost-hard attention finds "
        "it when "
        "keys get j/(2(T+1)) on top of that truth: less than 1/2 in all, and the last one is the only best.",
    .asks = asks,
    .decoder = model,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "babbbbbba",
    .look_params = "formula=squares-alternate N=9",
};
