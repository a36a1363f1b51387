/* claim_formulas.h: what the claims about logics and about languages that count share: formulas by name, and models of them. */
#ifndef ATTEST_CLAIM_FORMULAS_H
#define ATTEST_CLAIM_FORMULAS_H

#include <attest/front.h>

#include "../claim_internal.h"
#include "claim_words.h"

/* A formula with a name: the text of a file of its language, "ltl" or another of formulas. `made` is the problem, when it was asked for. */
typedef struct {
    const char *lang, *name, *text;
    at_problem *made;
} claim_formula;

/* The problem of formula k, made when it is first asked for, and kept. */
at_status claim_formula_asks(claim_formula *all, int k, const at_problem **out, at_err *err);
/* How a model of it is made: by which attention, and what is broken on purpose. */
typedef struct {
    at_formula_attend attend;
    bool off; /* predicates hold a position too late */
    at_formulas_options options;
} claim_formula_how;
at_status claim_formula_program(claim_formula *all, int k, int N, const claim_formula_how *how,
                                at_program **out, at_err *err);
at_status claim_formula_model(claim_formula *all, int k, int N, const claim_formula_how *how, at_model *m,
                              at_err *err);
/* A row of a table: depth of the formula, layers, heads, hidden units, width, parameters, and the least p on so many words. */
at_status claim_formula_row(const at_claim *c, const at_params *p, claim_formula *all, int k, uint64_t inputs,
                            int threads, double out[7], at_err *err);
#define CLAIM_FORMULA_COLUMNS "depth", "layers", "heads", "hidden", "width", "parameters", "least p", NULL

/* Every word of at most so many letters, in the full tier and in the quick one. */
#define CLAIM_FORMULA_ALL(formula, far, near)                                                                \
    {                                                                                                        \
        "formula=" formula CLAIM_TO(far), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,     \
            "formula=" formula CLAIM_TO(near)                                                                \
    }

/* The functions of a claim about these formulas, by the names that CLAIM_FIELDS has: the parameter `which` says of which one, how_of(p)
 * how it is made. */
#define CLAIM_FORMULA_FUNCTIONS(all, which, how_of)                                                          \
    static at_status asks(const at_params *p, const at_problem **out, at_err *err)                           \
    {                                                                                                        \
        return claim_formula_asks(all, at_params_int(p, which), out, err);                                   \
    }                                                                                                        \
    static at_status program(const at_params *p, at_program **out, at_err *err)                              \
    {                                                                                                        \
        claim_formula_how how = how_of(p);                                                                   \
        return claim_formula_program(all, at_params_int(p, which), claim_word_longest(p), &how, out, err);   \
    }                                                                                                        \
    static at_status model(const at_params *p, at_model *m, at_err *err)                                     \
    {                                                                                                        \
        claim_formula_how how = how_of(p);                                                                   \
        return claim_formula_model(all, at_params_int(p, which), claim_word_longest(p), &how, m, err);       \
    }
/* And the row of their table `size`. */
#define CLAIM_FORMULA_SIZES(all)                                                                             \
    static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)  \
    {                                                                                                        \
        out[0] = at_params_int(p, "N");                                                                      \
        return claim_formula_row(c, p, all, at_params_int(p, "formula"), INPUTS, threads, out + 1, err);     \
    }

/* ---- languages that count ----------------------------------------------------------------------------- */

extern const char *const claim_counts_weightings[]; /* softmax, average-hard */
#define CLAIM_COUNTS_PARAMS(names, n)                                                                        \
    {"language", "which language", 0, (n)-1, 0, true, names}, CLAIM_WORD_PARAMS(8),                          \
        {"weighting", "how counts are taken", 0, 1, 0, true, claim_counts_weightings},                       \
    {                                                                                                        \
        "slope", "of comparisons, times this; 0: as it should be", 0, 4, 0, false                            \
    }

/* How a language that counts is compiled: `weighting` and `slope` of CLAIM_COUNTS_PARAMS. */
claim_formula_how claim_counts_how(const at_params *p);

/* Every word of at most so many letters, in the full tier and in the quick one. */
#define CLAIM_COUNTS_ALL(language, far, near)                                                                \
    {                                                                                                        \
        "language=" language CLAIM_TO(far), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,   \
            "language=" language CLAIM_TO(near)                                                              \
    }
#define CLAIM_COUNTS_HARD(language, far, near)                                                               \
    {                                                                                                        \
        "language=" language CLAIM_TO(far) " weighting=average-hard", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES,  \
            "f64", 0, AT_TIER_QUICK, "language=" language CLAIM_TO(near) " weighting=average-hard"           \
    }
#define CLAIM_COUNTS_CONTROL(language, most, change)                                                         \
    {                                                                                                        \
        "language=" language CLAIM_TO(most), change, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0,               \
            AT_TIER_QUICK, NULL                                                                              \
    }
#define CLAIM_COUNTS_LONG(language, n, arith, inputs)                                                        \
    {                                                                                                        \
        "language=" language " N=" #n, NULL, AT_EV_SAMPLED, 0, arith, inputs, AT_TIER_QUICK, NULL            \
    }

#endif
