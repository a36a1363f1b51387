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
#include "../shared/claim_expr.h"

CLAIM_DECODER_HOOKS(expr, AT_ATTENTION_SPARSE)

static const at_claim_table tables[] = {CLAIM_EXPR_PRECISION,
                                        CLAIM_LAW_TABLE(expr, claim_expr_law_rows, NULL, 0, 1, 1.5, 1.5)};

static const at_cell cells[] = {
    CLAIM_EXPR_CELLS,
    CLAIM_EXPR_CONTROLS,
    {"p=11 operators=3 least=3", "block=11", AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},
};

const at_claim claim_arith_sparse = {
    .id = "arith-sparse",
    .title = "A block-sparse decoder of constant size evaluates expressions modulo a prime at cost L^1.5",
    .statement = "As arith-standard with block-sparse attention and blocks of 4 operators: of a size that "
                 "depends on p alone, and a chain of length L costs O(L^1.5).",
    CLAIM_EXPR_PROOF,
    CLAIM_DECODER_FIELDS(expr, at_chain_expr),
    .look = "( 3 + 4 ) * 2 =",
    .look_params = "p=5 operators=3",
};
