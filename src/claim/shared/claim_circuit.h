/* claim_circuit.h: what the claims about circuits of models share: models that are drawn, models of other claims, their circuits beside
 * the executor on all words of a length, and how circuits grow with it. */
#ifndef ATTEST_CLAIM_CIRCUIT_H
#define ATTEST_CLAIM_CIRCUIT_H

#include <attest/circuit.h>

#include "../claim_internal.h"

/* A model of another claim: its id, and parameters without N. */
typedef struct {
    const char *id, *params;
} claim_circuit_model;

enum { CLAIM_CIRCUIT_DRAWN, CLAIM_CIRCUIT_COMPILED, CLAIM_CIRCUIT_TRAINED, CLAIM_CIRCUIT_PRINTED };
extern const char *const claim_circuit_parts[]; /* drawn, compiled, trained, printed */
extern const char *const claim_circuit_reads[]; /* itself, leftmost, rightmost */
#define CLAIM_CIRCUIT_LONGEST 128
#define CLAIM_CIRCUIT_PARAMS(LAST_PART)                                                                      \
    {"part", "which models", 0, LAST_PART, 0, true, claim_circuit_parts}, {"n", "letters", 1, 64, 8, true},  \
        {"L", "layers of a drawn model", 1, 4, 1, true}, {"H", "heads of a layer", 1, 4, 1, true},           \
        {"read", "how a circuit reads ties", 0, 2, 0, true, claim_circuit_reads},                            \
    {                                                                                                        \
        "off", "bits that the circuit has less than the model", 0, 4, 0, true                                \
    }

/* The trial of a claim: `models` of them are drawn, or drawn and trained (claim_drawn.h; those that are constant do not count), or all of the NULL-terminated list of compiled ones taken; each one's circuit is equal
 * to the model, as the cell's arithmetic runs it, on all words of n letters. A circuit is of exact arithmetic where that is not p
 * bits. TRUE only if at most one in ten is beyond the budget.
 * part=printed: the circuits that at_circuit_stream prints of drawn models, ties 0, at n; and the words of memory that it takes
 * grow no faster than log n to 4 n letters (one layer; else from n - 1 to n + 1). */
typedef struct {
    at_weighting weighting; /* of drawn ones */
    const claim_circuit_model *compiled;
} claim_circuit_kind;
at_status claim_circuit_trial(const claim_circuit_kind *kind, const at_params *p, const at_cell *cell,
                              uint64_t models, uint64_t seed, const at_check_env *env, at_arena *a,
                              at_verdict *out, at_err *err);

/* Rows of a table: L, n, the mean gates, wires and gates of an AIGER file of CLAIM_CIRCUIT_MODELS drawn models, the greatest depth, and 2^n. */
#define CLAIM_CIRCUIT_MODELS  24
#define CLAIM_CIRCUIT_COLUMNS "L", "n", "gates", "wires", "AIGER gates", "depth", "2^n", NULL
at_status claim_circuit_size_row(at_weighting w, at_arith arith, const at_params *p, double out[7],
                                 at_err *err);
/* L, and the exponents of n with which mean gates and wires grow, fitted to the lengths `from` to `to` (four of them). */
#define CLAIM_CIRCUIT_GROWTH "L", "from n", "to n", "gates ^", "wires ^", NULL
at_status claim_circuit_growth_row(at_weighting w, at_arith arith, const at_params *p, int from, int to,
                                   double out[5], at_err *err);

#endif
