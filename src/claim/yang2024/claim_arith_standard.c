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
#include "../shared/claim_expr.h"

CLAIM_DECODER_HOOKS(expr, AT_ATTENTION_STANDARD)

static const at_claim_table tables[] = {CLAIM_EXPR_PRECISION,
                                        CLAIM_LAW_TABLE(expr, claim_expr_law_rows, NULL, 0, 1, 2, 2)};

static const at_cell cells[] = {
    CLAIM_EXPR_CELLS,
    CLAIM_EXPR_CONTROLS,
};

const at_claim claim_arith_standard = {
    .id = "arith-standard",
    .title = "A decoder of constant size evaluates expressions modulo a prime",
    .statement = "For every prime p a decoder with softmax attention, of a size that depends on p alone, "
                 "rewrites any expression modulo p with brackets and precedence to its value, leftmost "
                 "operation first, token by token.",
    CLAIM_EXPR_PROOF,
    CLAIM_DECODER_FIELDS(expr, at_chain_expr),
    .look = "( 3 + 4 ) * 2 =",
    .look_params = "p=5 operators=3",
};
