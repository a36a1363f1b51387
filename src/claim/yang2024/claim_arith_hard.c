/* CLAIM arith-hard: small decoders with linear attention cannot evaluate expressions step by step.
 *
 * Source: Yang et al. 2024, "Do Efficient Transformers Really Save Computation?", proposition 5.2 (C.1). Statement: a decoder of
 * constant depth with linear attention that rewrites expressions modulo a prime to their values needs width of the order of the
 * fourth root of L, up to logarithms.
 *
 * Proof: what is written depends on the running sums after "=". There are exponentially many first steps
 * with k operators (docs/bounds.md counts them), while the chain is of the order of k^2 tokens long; so the sums, of the order of width^2 log L
 * bits, must tell of the order of sqrt L bits apart.
 *
 * The refuter running-sums finds two expressions with different chains and the same sums. Controls: decoders with wide sums, and
 * the catalogue's decoder, which is block-sparse (none with linear attention is known to be right, neither to the paper): one-block
 * says why it cannot speak of it, its window holds the whole prompt. */
#include "../shared/claim_expr.h"
#include "../shared/hard_nets.h"

static const at_param params[] = {
    {"p", "the prime", 2, 97, 5, true},
    {"operators", "of an expression", 1, 64, 10, true},
    {"weights", "of the decoders", 0, 3, HARD_RANDOM, true, hard_weights},
    {"steps", "of a training, on expressions of at most 3 operators", 1, 10000, 100, true},
    {"states", "prompts looked at for a decoder, at most", 1, 1e9, 1 << 18, true},
};

static at_status expr_params(const at_params *p, at_params *out, at_err *err)
{
    at_params_init(out, claim_expr_params, claim_expr_n_params);
    at_status s = at_params_set(out, "p", at_params_get(p, "p"), err);
    if (!s)
        s = at_params_set(out, "operators", at_params_get(p, "operators"), err);
    return s ? s : at_params_set(out, "least", at_params_get(p, "operators"), err);
}

static at_status right(const at_params *p, bool sparse, at_model *m, at_err *err)
{
    (void)sparse;
    at_params e;
    at_status s = expr_params(p, &e, err);
    return s ? s : claim_expr_model(&e, AT_ATTENTION_SPARSE, m, err);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    at_params e;
    hard_chain c = {.chain = &at_chain_expr,
                    .row = hard_expression_row,
                    .weights = at_params_int(p, "weights"),
                    .sparse = at_params_int(p, "weights") == HARD_RIGHT,
                    .steps = at_params_int(p, "steps"),
                    .states = (uint64_t)at_params_get(p, "states"),
                    .seed = seed,
                    .right = right,
                    .p = p};
    at_status s = at_arith_parse(at_cell_arith(cell), &c.arith, err);
    if (!s)
        s = at_expr_prime(at_params_int(p, "p"), err);
    if (!s)
        s = expr_params(p, &e, err);
    if (!s)
        s = c.chain->open(&e, &c.self, err);
    if (s)
        return s;
    c.lessons = c.self;
    c.shape.words = at_expr_vocabulary(at_params_int(p, "p"));
    c.shape.rule = (at_decode){.stop = AT_STOP_EQUALS,
                               .value = AT_EXPR_EOS,
                               .max_steps = c.chain->rows_max(c.self),
                               .prompt_min = 2,
                               .prompt_max = c.chain->prompt_max(c.self)};
    s = hard_chain_trial(&c, limit, env, a, out, err);
    c.chain->close(c.self);
    return s;
}

static const at_cell cells[] = {
    {"p=5 operators=10", NULL, AT_EV_REFUTED, 0, "p4e4", 200, AT_TIER_QUICK, NULL},
    {"p=5 operators=10 weights=trained", NULL, AT_EV_REFUTED, 0, "p4e4", 20, AT_TIER_QUICK, NULL},
    {"p=5 operators=10 states=512", "weights=wide", AT_EV_REFUTED, 0, "f64", 10, AT_TIER_QUICK, NULL},
    {"p=5 operators=10", "weights=right", AT_EV_REFUTED, 0, "f64", 1, AT_TIER_QUICK, NULL},
};

const at_claim claim_arith_hard = {
    .id = "arith-hard",
    .title = "Small linear decoders are wrong on expressions",
    .source = "Yang et al. 2024 (proposition 5.2)",
    .statement =
        "A decoder of constant depth with linear attention rewrites expressions modulo a prime to their "
        "values "
        "only if its width is of the order of the fourth root of L, up to logarithms. What is found refutes "
        "the given decoders; it does not verify the theorem.",
    .proof = "Two expressions with different first steps and the same running sums are continued alike.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
