/* CLAIM arith-sparse: a block-sparse decoder of constant size evaluates expressions modulo a prime.
 *
 * Source: Yang et al. 2024, "Do Efficient Transformers Really Save Computation?" (arithmetic with sparse attention).
 * Statement: as arith-standard with block-sparse attention, B = 4 operators: constant size, and O(sqrt L) keys a token,
 * so that a chain of length L costs O(L^1.5).
 *
 * Proof (src/front/compile_expr.c has the steps): E1 is the last "=" and E0 the one before (the start counts as one). In
 * the segment between them the leftmost handle `a op b r`, not (op in {+, -} and r in {*, /}), is found; token j of the
 * new segment is token j of the old one before the handle, its value at it, and token j + 2 (or j + 4, with brackets)
 * after it. Looking back over one segment suffices, and the last
 * two segments lie within B + 1 tokens. */
#include "claim_expr.h"

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    return claim_expr_program(p, AT_DP_SPARSE, out, err);
}

static at_status decoder(const at_params *p, at_model *m, at_err *err)
{
    return claim_expr_model(p, AT_DP_SPARSE, m, err);
}

static at_status law_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c;
    (void)threads;
    return claim_expr_law_row(p, AT_DP_SPARSE, out, err);
}

static const at_claim_table tables[] = {
    {
        .id = "precision",
        .title = "least p from which on chains are right, against L (8 drawn expressions mod 11 at each p)",
        .columns = claim_expr_precision_columns,
        .x = "L",
        .logx = true,
        .rows = claim_expr_precision_rows,
        .quick_rows = 4,
        .row = claim_expr_precision_row,
    },
    {
        .id = "size-law",
        .title =
            "size and multiply-adds of the longest chain against L; exponents in theory: width 0, dense 1, "
            "attention 1.5, total 1.5",
        .columns = claim_expr_law_columns,
        .x = "L",
        .plots = claim_law_plots,
        .theory = (const double[]){0, 1, 1.5, 1.5},
        .logx = true,
        .logy = true,
        .rows = claim_expr_law_rows,
        .quick_rows = 7,
        .row = law_row,
    },
};

static const at_cell cells[] = {
    CLAIM_EXPR_CELLS,
    CLAIM_EXPR_CONTROLS,
    {"p=11 operators=3 least=3", "block=11", AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},
};

const at_claim claim_arith_sparse = {
    .id = "arith-sparse",
    .title = "A block-sparse decoder of constant size evaluates expressions modulo a prime at cost L^1.5",
    .source = "Yang et al. 2024, after Feng et al. 2023",
    .statement = "As arith-standard with block-sparse attention and blocks of 4 operators: of a size that "
                 "depends on p alone, and a chain of length L costs O(L^1.5).",
    .proof = "The leftmost handle of the last segment is found by looking at neighbours; the next token is a "
             "copy from that "
             "segment, shifted after the handle, or the value of the handle, from tables over residues.",
    .params = claim_expr_params,
    .n_params = CLAIM_EXPR_PARAMS,
    .chain = &claim_expr_chain,
    .decoder = decoder,
    .program = program,
    .cells = cells,
    .n_cells = COUNT(cells),
    .tables = tables,
    .n_tables = COUNT(tables),
    .look = "( 3 + 4 ) * 2 =",
    .look_params = "p=5 operators=3",
};
