/* CLAIM arith-standard: a decoder of constant size evaluates expressions modulo a prime, token by token.
 *
 * Source: Yang et al. 2024, "Do Efficient Transformers Really Save Computation?" (after Feng et al. 2023).
 * Statement: for every prime p there is a decoder with softmax attention whose size does not depend on the number of
 * operators, which rewrites an expression to its value, one operation a segment.
 *
 * Proof (src/front/compile_expr.c has the steps): E1 is the last "=" and E0 the one before (the start counts as one). In
 * the segment between them the leftmost handle `a op b r`, not (op in {+, -} and r in {*, /}), is found; token j of the
 * new segment is token j of the old one before the handle, its value at it, and token j + 2 (or j + 4, with brackets)
 * after it. Looking back over one segment suffices. */
#include "claim_expr.h"

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    return claim_expr_program(p, AT_DP_STANDARD, out, err);
}

static at_status decoder(const at_params *p, at_model *m, at_err *err)
{
    return claim_expr_model(p, AT_DP_STANDARD, m, err);
}

static at_status law_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c;
    (void)threads;
    return claim_expr_law_row(p, AT_DP_STANDARD, out, err);
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
            "attention 2, total 2",
        .columns = claim_expr_law_columns,
        .x = "L",
        .plots = claim_law_plots,
        .theory = (const double[]){0, 1, 2, 2},
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
};

const at_claim claim_arith_standard = {
    .id = "arith-standard",
    .title = "A decoder of constant size evaluates expressions modulo a prime",
    .source = "Yang et al. 2024, after Feng et al. 2023",
    .statement = "For every prime p a decoder with softmax attention, of a size that depends on p alone, "
                 "rewrites any expression modulo p with brackets and precedence to its value, leftmost "
                 "operation first, token by token.",
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
