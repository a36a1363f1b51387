/* catalogue.c: every claim, one row each. */
#include "claim_internal.h"

/* A row a claim: the name of its struct in src/claim/PAPER/claim_*.c. */
#define CATALOGUE(ROW)                                                                                       \
    ROW(match2)                                                                                              \
    ROW(match3_threewise)                                                                                    \
    ROW(match3_bigram)                                                                                       \
    ROW(match3_local)                                                                                        \
    ROW(match3_slots)                                                                                        \
    ROW(qsa_rip)                                                                                             \
    ROW(qsa_moment)                                                                                          \
    ROW(qsa_train)                                                                                           \
    ROW(reasoning_train)                                                                                     \
    ROW(lemma_a1)                                                                                            \
    ROW(lemma_a2)                                                                                            \
    ROW(lemma_a3)                                                                                            \
    ROW(lemma_a4)                                                                                            \
    ROW(lemma_a5)                                                                                            \
    ROW(lemma_a6)                                                                                            \
    ROW(lemma_a7)                                                                                            \
    ROW(lemma_a8)                                                                                            \
    ROW(lemma_a9)                                                                                            \
    ROW(lemma_a11_rating)                                                                                    \
    ROW(lemma_a11_index)                                                                                     \
    ROW(lemma_a12)                                                                                           \
    ROW(dp_standard)                                                                                         \
    ROW(dp_linear)                                                                                           \
    ROW(dp_sparse)                                                                                           \
    ROW(dp_local)                                                                                            \
    ROW(arith_standard)                                                                                      \
    ROW(arith_sparse)                                                                                        \
    ROW(compose_one)                                                                                         \
    ROW(compose_two)                                                                                         \
    ROW(compose_chain)                                                                                       \
    ROW(funccomp)                                                                                            \
    ROW(disjointness)                                                                                        \
    ROW(match3_hard)                                                                                         \
    ROW(match3_sets)                                                                                         \
    ROW(triangle)                                                                                            \
    ROW(triangle_row)                                                                                        \
    ROW(qsa_attention_hard)                                                                                  \
    ROW(qsa_fnn_hard)                                                                                        \
    ROW(qsa_rnn_hard)                                                                                        \
    ROW(compose_bound)                                                                                       \
    ROW(compose_cot)                                                                                         \
    ROW(funccomp_params)                                                                                     \
    ROW(arcomm)                                                                                              \
    ROW(indistinguishable)                                                                                   \
    ROW(dp_hard)                                                                                             \
    ROW(arith_hard)                                                                                          \
    ROW(dp_local_hard)                                                                                       \
    ROW(fo)                                                                                                  \
    ROW(star_free)                                                                                           \
    ROW(fo_mod)                                                                                              \
    ROW(turing)                                                                                              \
    ROW(fo_mon)                                                                                              \
    ROW(ltl_c)                                                                                               \
    ROW(crasp)                                                                                               \
    ROW(foc)                                                                                                 \
    ROW(sscm)                                                                                                \
    ROW(automaton_shortcut)                                                                                  \
    ROW(automaton_solvable)                                                                                  \
    ROW(automaton_cot)                                                                                       \
    ROW(majority)                                                                                            \
    ROW(shuffle_dyck)                                                                                        \
    ROW(dyck)                                                                                                \
    ROW(parity)                                                                                              \
    ROW(parity_tree)                                                                                         \
    ROW(rasp)                                                                                                \
    ROW(hahn)                                                                                                \
    ROW(parity_soft)                                                                                         \
    ROW(dyck2_soft)                                                                                          \
    ROW(ac0)                                                                                                 \
    ROW(tc0)                                                                                                 \
    ROW(fo_extract)                                                                                          \
    ROW(foc_upper)                                                                                           \
    ROW(fom)                                                                                                 \
    ROW(crasp_equal)                                                                                         \
    ROW(ngram_heads)                                                                                         \
    ROW(ngram_layers)                                                                                        \
    ROW(ngram_single)                                                                                        \
    ROW(pfsa_cot)                                                                                            \
    ROW(ptm_cot)                                                                                             \
    ROW(lm_tight)                                                                                            \
    ROW(ngram_learn)                                                                                         \
    /* add_claim: rows end here */

#define DECLARE(name) extern const at_claim claim_##name;
CATALOGUE(DECLARE)

#define REFER(name) &claim_##name,
const at_claim *const at_catalogue[] = {CATALOGUE(REFER)};
const int at_n_catalogue = COUNT(at_catalogue);
const at_registry at_claim_registry =
    AT_REGISTRY("claim", "attest list claims", at_catalogue, COUNT(at_catalogue), id);
