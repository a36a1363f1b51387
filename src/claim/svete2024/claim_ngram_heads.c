/* CLAIM ngram-heads: n-1 heads of one layer represent an n-gram language model
 *
 * Source: Svete and Cotterell 2024, "Transformers can represent n-gram language models".
 * Statement: One layer of n-1 heads gives, after every text, the probabilities of the next word and of the end, as
 * any n-gram language model has them; hard and sparsemax attention but for rounding, softmax within eps.
 *
 * Proof: src/front/compile_ngram.c has it beside the weights: head h finds the word h places back, by points of a
 * circle; a unit a context adds what that context changes.
 * Differs from the paper: the unit of a history adds to those of its suffixes, so that models with back-off need no
 * unit a history.
 * Control: the furthest head looks one place too near. */
#include "../shared/claim_ngram.h"

CLAIM_NGRAM(AT_NGRAM_HEADS, CLAIM_NGRAM_BREAK("n=3", "n=4", "n=6"))

const at_claim claim_ngram_heads = {
    .id = "ngram-heads",
    .title = "n-1 heads of one layer represent an n-gram language model",
    .statement = "One layer of n-1 heads gives, after every text, the probabilities of the next word and of "
                 "the end, as any n-gram language model has them; hard and sparsemax attention but for "
                 "rounding, softmax within eps.",
    .proof = "Head h finds the word h places back, by points of a circle; a unit a context adds what that "
             "context changes.",
    CLAIM_NGRAM_FIELDS,
};
