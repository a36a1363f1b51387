/* CLAIM ngram-single: One head of one layer represents an n-gram language model
 *
 * Source: Svete and Cotterell 2024, "Transformers can represent n-gram language models".
 * Statement: One head of one layer, followed by an MLP, gives the probabilities of the next word and of the end, as any n-gram language model has them; average-hard and sparsemax attention but for rounding, softmax within eps.
 *
 * Proof: src/front/compile_ngram.c has it beside the weights: all n-1 places share the attention, and a place puts its word into a slot by its number modulo n-1; which slot is which place depends on the number of the last one.
 * Differs from the paper: slots are booleans that the MLP turns; the paper divides digits.
 * Control: slots are not turned: words stand at wrong places unless the length is a multiple of n-1. */
#include "../shared/claim_ngram.h"

static const at_param params[] = {CLAIM_NGRAM_PARAMS(0)};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    return claim_ngram_program(p, AT_NGRAM_SINGLE, out, err);
}

CLAIM_NGRAM_ROWS
static const at_claim_table tables[] = {CLAIM_NGRAM_TABLES};

static const at_cell cells[] = {
    CLAIM_NGRAM_EXACT("", ""),
    CLAIM_NGRAM_EXACT("read=sparsemax eps=1e-15", "read=sparsemax eps=1e-15"),
    CLAIM_NGRAM_EXACT("weighting=sparsemax read=sparsemax eps=1e-15",
                      "weighting=sparsemax read=sparsemax eps=1e-15"),
    CLAIM_NGRAM_EXACT("weighting=softmax", "weighting=softmax"),
    {"N=0..6 most=6 W=3 seed=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..5 most=5 W=3 seed=2"},
    {"N=0..6 most=6 eps=0.001", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, NULL},
    {"N=100 n=4 W=3", NULL, AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},
    {"N=0..6 most=6 n=4", "broken=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=0..6 most=6 n=4 weighting=softmax read=sparsemax", "broken=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64",
     0, AT_TIER_QUICK, NULL},
};

const at_claim claim_ngram_single = {
    .id = "ngram-single",
    .title = "One head of one layer represents an n-gram language model",
    .source = "Svete and Cotterell 2024",
    .group = "Language models",
    .statement = "One head of one layer, followed by an MLP, gives the probabilities of the next word and of "
                 "the end, as any n-gram language model has them; average-hard and sparsemax attention but "
                 "for rounding, softmax within eps.",
    .proof = "all n-1 places share the attention, and a place puts its word into a slot by its number modulo "
             "n-1; which slot is which place depends on the number of the last one.",
    .task = "next-word",
    .tolerance = claim_eps,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "0 1 1 0",
    .look_params = "N=6",
};
