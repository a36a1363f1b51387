/* claim_formulas.h: what the claims about logics share: formulas by name, and models of them. */
#ifndef ATTEST_CLAIM_FORMULAS_H
#define ATTEST_CLAIM_FORMULAS_H

#include <attest/front.h>

#include "../claim_internal.h"

/* A formula of temporal logic with a name; the text is that of a .ltl file. `made` is the problem, when it was asked for. */
typedef struct {
    const char *name, *text;
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
        "formula=" formula " N=0.." #far, NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,     \
            "formula=" formula " N=0.." #near                                                                \
    }

/* The functions of a claim about these formulas, by the names that CLAIM_FIELDS has; how_of(p) says how one is made. */
#define CLAIM_FORMULA_FUNCTIONS(all)                                                                         \
    static at_status asks(const at_params *p, const at_problem **out, at_err *err)                           \
    {                                                                                                        \
        return claim_formula_asks(all, at_params_int(p, "formula"), out, err);                               \
    }                                                                                                        \
    static at_status program(const at_params *p, at_program **out, at_err *err)                              \
    {                                                                                                        \
        claim_formula_how how = how_of(p);                                                                   \
        return claim_formula_program(all, at_params_int(p, "formula"), at_params_int(p, "N"), &how, out,     \
                                     err);                                                                   \
    }                                                                                                        \
    static at_status model(const at_params *p, at_model *m, at_err *err)                                     \
    {                                                                                                        \
        claim_formula_how how = how_of(p);                                                                   \
        return claim_formula_model(all, at_params_int(p, "formula"), at_params_int(p, "N"), &how, m, err);   \
    }                                                                                                        \
    static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)  \
    {                                                                                                        \
        out[0] = at_params_int(p, "N");                                                                      \
        return claim_formula_row(c, p, all, at_params_int(p, "formula"), INPUTS, threads, out + 1, err);     \
    }

#endif
