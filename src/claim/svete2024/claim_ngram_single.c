/* CLAIM ngram-single: One head of one layer represents an n-gram language model
 *
 * Source: Svete and Cotterell 2024, "Transformers can represent n-gram language models".
 * Statement: One head of one layer, followed by an MLP, gives the probabilities of the next word and of the end, as
 * any n-gram language model has them; average-hard and sparsemax attention but for rounding, softmax within eps.
 *
 * Proof: src/front/compile_ngram.c has it beside the weights: all n-1 places share the attention, and a place puts
 * its word into a slot by its number modulo n-1; which slot is which place depends on the number of the last one.
 * Differs from the paper: slots are booleans, and units of the MLP turn them.
 * Control: slots are not turned: words stand at wrong places unless the length is a multiple of n-1. */
#include "../shared/claim_ngram.h"

CLAIM_NGRAM(AT_NGRAM_SINGLE, )

const at_claim claim_ngram_single = {
    .id = "ngram-single",
    .title = "One head of one layer represents an n-gram language model",
    .statement = "One head of one layer, followed by an MLP, gives the probabilities of the next word and of "
                 "the end, as any n-gram language model has them; average-hard and sparsemax attention but "
                 "for rounding, softmax within eps.",
    .proof = "All n-1 places share the attention, and a place puts its word into a slot by its number modulo "
             "n-1; which slot is which place depends on the number of the last one.",
    CLAIM_NGRAM_FIELDS,
};
