/* claim_law.h: the size law of decoders (size_law.c), shared by claims about recurrences and about expressions. */
#ifndef ATTEST_CLAIM_LAW_H
#define ATTEST_CLAIM_LAW_H

#include "../claim_internal.h"

#include <attest/front.h>

#define CLAIM_LAW_ASSEMBLED 4300 /* L up to here: models are assembled and run */

typedef struct {
    const at_chain *chain;
    at_status (*model)(const at_params *p, at_attention_kind kind, at_model *m, at_err *err);
    /* Shapes, which need no weights, and the rows of the longest prompt and of the longest chain. */
    at_status (*shape)(const at_params *p, at_attention_kind kind, at_model *m, int *prompt, int *rows,
                       at_err *err);
} claim_law;

/* Columns of a table of the law; the first names what the row is of and is the caller's. */
#define CLAIM_LAW_COLUMNS(FIRST)                                                                             \
    FIRST, "L", "layers", "heads", "width", "units", "parameters", "dense", "attention", "total", "width ^", \
        "dense ^", "attention ^", "total ^", NULL
extern const char *const claim_law_plots[];
/* The columns from L on. Fails when an assembled decoder counts other than the shapes say. */
at_status claim_law_row(const claim_law *c, at_attention_kind kind, const at_params *p,
                        const at_params *quarter, double *out, at_err *err);

/* What a claim about decoders is made of beyond its text and its cells. S: dp or expr, whose claim_S_... functions take the
 * kind of attention. */
#define CLAIM_DECODER_HOOKS(S, KIND)                                                                         \
    static at_status program(const at_params *p, at_program **out, at_err *err)                              \
    {                                                                                                        \
        return claim_##S##_program(p, KIND, out, err);                                                       \
    }                                                                                                        \
    static at_status decoder(const at_params *p, at_model *m, at_err *err)                                   \
    {                                                                                                        \
        return claim_##S##_model(p, KIND, m, err);                                                           \
    }                                                                                                        \
    static at_status law_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)   \
    {                                                                                                        \
        (void)c;                                                                                             \
        (void)threads;                                                                                       \
        return claim_##S##_law_row(p, KIND, out, err);                                                       \
    }
#define CLAIM_DECODER_FIELDS(S, CHAIN)                                                                       \
    .source = "Yang et al. 2024, after Feng et al. 2023", .params = claim_##S##_params,                      \
    .n_params = claim_##S##_n_params, .chain = &(CHAIN), .decoder = decoder, CLAIM_CELLS, CLAIM_TABLES
/* The table of the law; WIDTH...TOTAL: exponents in theory. */
#define CLAIM_LAW_TABLE(S, ROWS, BY, WIDTH, DENSE, ATTENTION, TOTAL)                                         \
    {                                                                                                        \
        .id = "size-law",                                                                                    \
        .title = "size and multiply-adds of a chain against L; exponents in theory: width " #WIDTH           \
                 ", dense " #DENSE ", attention " #ATTENTION ", total " #TOTAL,                              \
        .columns = claim_##S##_law_columns, .x = "L", .by = BY, .plots = claim_law_plots,                    \
        .theory = (const double[]){WIDTH, DENSE, ATTENTION, TOTAL}, .logx = true, .logy = true,              \
        .rows = ROWS, .quick_rows = 7, .row = law_row                                                        \
    }

/* Tables of the least p from which on chains are right, against L. */
extern const char *const claim_chain_precision_columns[];
at_status claim_chain_precision_row(const at_claim *c, const at_params *p, double L, int inputs, int threads,
                                    double *out, at_err *err);
/* IN: of what they are; N, OF: how many are drawn, of what. */
#define CLAIM_CHAIN_PRECISION(S, IN, N, OF, QUICK)                                                           \
    {                                                                                                        \
        .id = "precision",                                                                                   \
        .title = "least p from which on chains are right, against L (" IN CLAIM_TEXT(N) " drawn " OF         \
                                                                                        " at each p)",       \
        .columns = claim_chain_precision_columns, .x = "L", .logx = true,                                    \
        .rows = claim_##S##_precision_rows, .quick_rows = QUICK, .row = claim_##S##_precision_row            \
    }

#endif
