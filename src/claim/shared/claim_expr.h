/* claim_expr.h: what arith-standard and arith-sparse share (shared_expr.c). */
#ifndef ATTEST_CLAIM_EXPR_H
#define ATTEST_CLAIM_EXPR_H

#include "claim_law.h"

extern const at_param claim_expr_params[];
enum { claim_expr_n_params = 6 };
at_status claim_expr_program(const at_params *p, at_attention_kind kind, at_program **out, at_err *err);
at_status claim_expr_model(const at_params *p, at_attention_kind kind, at_model *m, at_err *err);

/* Every expression with up to 3 operators mod 5, in f64, f32 and at the least number of bits; 16 operators mod 11. */
#define CLAIM_EXPR_CELLS                                                                                     \
    {"p=5 operators=3", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, "p=5 operators=2"},                   \
        {"p=5 operators=3", NULL, AT_EV_EXACT, 0, "f32", 0, AT_TIER_QUICK, "p=5 operators=2"},               \
        {"p=5 operators=2", NULL, AT_EV_EXACT, 0, "p9", 0, AT_TIER_QUICK, NULL},                             \
        {"p=5 operators=3", NULL, AT_EV_EXACT, 0, "p10", 0, AT_TIER_FULL, NULL},                             \
        {"p=11 operators=16 least=16", NULL, AT_EV_SAMPLED, 0, "f64", 200, AT_TIER_QUICK, NULL},             \
        {"p=11 operators=16 least=16", NULL, AT_EV_SAMPLED, 0, "f32", 100, AT_TIER_QUICK, NULL},             \
    {                                                                                                        \
        "p=11 operators=16 least=16", NULL, AT_EV_SAMPLED, 0, "p20", 20, AT_TIER_QUICK, NULL                 \
    }
#define CLAIM_EXPR_CONTROLS                                                                                  \
    {"p=5 operators=2", "handle=any", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},                        \
        {"p=5 operators=2", "arith=p8", AT_EV_EXACT, 0, "p9", 0, AT_TIER_QUICK, NULL},                       \
        {"p=5 operators=3", "arith=p9", AT_EV_EXACT, 0, "p10", 0, AT_TIER_FULL, NULL},                       \
    {                                                                                                        \
        "p=5 operators=2", "scale=0.05", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL                       \
    }

/* Tables: the size law, and least p against L. */
extern const char *const claim_expr_law_columns[], *const claim_expr_law_rows[];
at_status claim_expr_law_row(const at_params *p, at_attention_kind kind, double *out, at_err *err);
extern const char *const claim_expr_precision_rows[];
at_status claim_expr_precision_row(const at_claim *c, const at_params *p, int threads, double *out,
                                   at_err *err);
#define CLAIM_EXPR_INPUTS    8
#define CLAIM_EXPR_PRECISION CLAIM_CHAIN_PRECISION(expr, "", CLAIM_EXPR_INPUTS, "expressions mod 11", 3)
#define CLAIM_EXPR_PROOF                                                                                     \
    .proof =                                                                                                 \
        "The leftmost handle of the last segment is found by looking at neighbours; the next token is a "    \
        "copy from that segment, shifted after the handle, or the value of the handle, from tables over "    \
        "residues."

#endif
