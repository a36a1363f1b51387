/* CLAIM ngram-layers: One head a layer represents an n-gram language model in n-2 layers
 *
 * Source: Svete and Cotterell 2024, "Transformers can represent n-gram language models".
 * Statement: n-2 layers of one head each give the probabilities of the next word and of the end, as any n-gram
 * language model has them; hard and sparsemax attention but for rounding, softmax within eps.
 *
 * Proof: src/front/compile_ngram.c has it beside the weights: layer l fetches, from the place before, the word that
 * stands l-1 places before that one; the own word needs no layer.
 * Differs from the paper: n-2 layers are enough, because the skip connection keeps the own word; the paper has n-1.
 * Control: one layer less: the furthest word is that before it. */
#include "../shared/claim_ngram.h"

CLAIM_NGRAM(AT_NGRAM_LAYERS, CLAIM_NGRAM_BREAK("n=3"))

const at_claim claim_ngram_layers = {
    .id = "ngram-layers",
    .title = "One head a layer represents an n-gram language model in n-2 layers",
    .statement =
        "n-2 layers of one head each give the probabilities of the next word and of the end, as any n-gram "
        "language model has them; hard and sparsemax attention but for rounding, softmax within eps.",
    .proof = "Layer l fetches, from the place before, the word that stands l-1 places before that one; the "
             "own word needs no layer.",
    CLAIM_NGRAM_FIELDS,
};
