/* CLAIM automaton-cot: any automaton by a chain of thought of one state a letter.
 *
 * Source: Merrill, Sabharwal 2024 ("The expressive power of transformers with chain of thought"): as many steps as letters are
 * enough for every regular language.
 * Statement: for every automaton of Q states over L letters a decoder of two layers, one rightmost-hard head each, whose shapes
 * depend on Q and L alone, writes after every word the states that it leads to, then yes or no.
 *
 * Proof: src/front/compile_cot.c has it beside the weights: head 1 finds the separator, head 2 the letter that comes next, and one
 * unit a pair of states does the step. A5, which no constant depth is known for without a chain, is one of many here.
 * Differs from the paper: an end token follows yes and no, since a chain has one last token.
 * Control: every step reads the first letter. */
#include "../shared/claim_regular.h"

static const at_param params[] = {
    CLAIM_REGULAR_LANGUAGE,
    CLAIM_REGULAR_LENGTH,
    {"stuck", "1: every step reads the first letter", 0, 1, 0, true},
};

static at_status dfa_of(const at_params *p, const at_dfa **out, at_err *err)
{
    const at_problem *q;
    at_status s = claim_regular_asks(p, &q, err);
    *out = s ? NULL : at_recogniser_of(q)->dfa;
    return s;
}

static int length_of(const at_params *p)
{
    int N = at_params_int(p, "N");
    return N < 1 ? 1 : N;
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    const at_dfa *d;
    at_status s = dfa_of(p, &d, err);
    return s ? s
             : at_cot_program(d, length_of(p), &(at_cot_options){.stuck = at_params_int(p, "stuck")}, out,
                              err);
}

static at_status decoder(const at_params *p, at_model *m, at_err *err)
{
    const at_dfa *d;
    at_status s = dfa_of(p, &d, err);
    return s ? s
             : at_cot_model(d, length_of(p), &(at_cot_options){.stuck = at_params_int(p, "stuck")}, m, err);
}

#define INPUTS 10 /* at each p */

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    out[0] = at_params_get(p, "N");
    return claim_regular_row(c, p, INPUTS, threads, out + 1, err);
}

static const at_claim_table tables[] = {
    {
        .id = "size",
        .title =
            "what a chain takes, whatever the length, and the least p from which on it is right (" CLAIM_TEXT(
                INPUTS) " words at each p)",
        .columns = (const char *const[]){"N", CLAIM_REGULAR_COLUMNS},
        .x = "N",
        .logx = true,
        .plots = (const char *const[]){"least p", NULL},
        .rows = (const char *const[]){"language=a5 N=4", "language=a5 N=8", "language=a5 N=16",
                                      "language=a5 N=32", "language=a5 N=64", NULL},
        .quick_rows = 2,
        .row = size_row,
    },
    CLAIM_F32("A5: positions to 2N + 3, squared, take 2 log2 N + 2 bits, and f32 has 24: enough to N = 2047",
              "language=a5 N=16", "language=a5 N=64", "language=a5 N=256", "language=a5 N=1024")};

#define ALL(language, far, near)                                                                             \
    {                                                                                                        \
        "language=" language " N=" #far, NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK,                      \
            "language=" language " N=" #near                                                                 \
    }
static const at_cell cells[] = {
    ALL("a5", 16, 8),
    ALL("s3", 16, 7),
    ALL("parity", 16, 8),
    ALL("d4", 16, 6),
    ALL("depth-3", 16, 7),
    ALL("subsequence-abc", 10, 5),
    {"language=a5 N=8", NULL, AT_EV_EXACT, 0, "f32", 0, AT_TIER_QUICK, "language=a5 N=6"},
    {"language=parity N=5", NULL, AT_EV_EXACT, 0, "p10", 0, AT_TIER_QUICK, NULL},
    {"language=a5 N=200", NULL, AT_EV_SAMPLED, 0, "f64", 100, AT_TIER_QUICK, NULL},
    {"language=a5 N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 20, AT_TIER_FULL, NULL},
    {"language=a5 N=4", "stuck=1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"language=parity N=4", "stuck=1", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_automaton_cot = {
    .id = "automaton-cot",
    .title = "A decoder of two layers runs any automaton, one state a letter",
    .source = "Merrill, Sabharwal 2024 (linear chains of thought and regular languages)",
    .group = "Languages",
    .statement = "For every automaton a decoder of two layers of one rightmost-hard head each, of a size "
                 "that does not "
                 "depend on the length, writes the state after each letter of any word, then yes or no.",
    .proof = "Head 1 finds the separator s, head 2 fetches row i - s + 1, the letter that comes next; one "
             "unit a pair of "
             "states makes the next state, and at the separator the answer.",
    .params = params,
    .n_params = COUNT(params),
    .chain = &claim_regular_chain,
    .decoder = decoder,
    CLAIM_CELLS,
    CLAIM_TABLES,
    .look = "a b b a |",
    .look_params = "language=parity N=5",
};
