/* circuit.h: circuits of AND, OR, NOT and threshold gates of unbounded fan-in, and the circuit of a model at one length.
 *
 *     at_circuit *c;
 *     at_circuit_of_model(&m, exact, 8, NULL, &c, &err);        // equal to the model on all words of 8 letters
 *     at_circuit_size z;
 *     at_circuit_measure(c, &z, &err);                          // gates, wires, depth
 *     at_circuit_write(c, AT_CIRCUIT_BLIF, &text, NULL, &err);
 *     at_circuit_free(c);
 */
#ifndef ATTEST_CIRCUIT_H
#define ATTEST_CIRCUIT_H

#include <attest/exec.h>

/* ---- circuits ------------------------------------------------------------------------------------------
 *
 * Gates are made from inputs on; a gate that is there already is found, not made again, and constants are folded. A wire is a gate
 * or its negation, so a NOT is no gate of its own while a circuit is made; it is counted as one where it is needed. The first
 * failure (memory, budget) stays: every wire is false from then on, and at_circuit_status says why. */
typedef struct at_circuit at_circuit;
typedef uint32_t at_wire;
enum { AT_WIRE_FALSE = 0, AT_WIRE_TRUE = 1 };
static inline at_wire at_wire_not(at_wire w)
{
    return w ^ 1;
}

typedef struct {
    uint64_t gates,
        wires; /* of a circuit while it is made, what is not used in the end included; 0: 4 and 64 million */
    uint64_t values; /* of at_circuit_of_model: states of all positions after a block; 0: 40,000 */
    uint64_t sums;   /* of at_circuit_of_model: sums that a head of mixed keys can reach; 0: 40,000 */
    /* Circuits of at most so many inputs are run on all of them while they are made, and gates that are constant are folded, as long
     * as that takes no more than 256 MiB; 0: 14, which is the most; -1: none is. */
    int folded;
} at_circuit_budget;

at_status at_circuit_new(int inputs, const at_circuit_budget *budget, at_circuit **out, at_err *err);
void at_circuit_free(at_circuit *c); /* NULL is allowed */
int at_circuit_inputs(const at_circuit *c);
int at_circuit_outputs(const at_circuit *c);
at_wire at_circuit_input(const at_circuit *c, int k);
at_wire at_circuit_and(at_circuit *c, const at_wire *w, size_t n);
at_wire at_circuit_or(at_circuit *c, const at_wire *w, size_t n);
/* Is the sum of weight[k] over the true w[k] at least `least`? weight NULL: all are 1. Weights may be negative; the sizes of all
 * weights of a gate sum to less than 2^62. */
at_wire at_circuit_threshold(at_circuit *c, const at_wire *w, const int64_t *weight, size_t n, int64_t least);
/* One more output; its name is letters, digits, '_', '[' and ']'. */
void at_circuit_output(at_circuit *c, at_wire w, const char *name);
void at_circuit_name_input(at_circuit *c, int k, const char *name);
at_status at_circuit_status(const at_circuit *c, at_err *err);

/* Of what outputs depend on. */
typedef struct {
    uint64_t gates; /* all of the four below */
    uint64_t ands, ors, nots, thresholds;
    uint64_t wires;  /* into ANDs, ORs and threshold gates */
    uint64_t inputs; /* that an output depends on */
    int depth;       /* most ANDs, ORs and threshold gates on a way; a NOT adds nothing */
    int64_t weight;  /* the largest of a threshold gate, 0: there is none */
} at_circuit_size;
at_status at_circuit_measure(const at_circuit *c, at_circuit_size *out, at_err *err);

#define AT_CIRCUIT_INPUTS 26 /* the most at which all inputs are gone through */
/* All 2^inputs inputs: *out (outputs, words) in the arena, words = max(1, 2^inputs / 64). Bit x of an output is its value where
 * input k is bit k of x. */
at_status at_circuit_run(const at_circuit *c, at_arena *a, const uint64_t **out, at_err *err);

/* The same function without threshold gates: each is a tree of full adders and a comparison. */
at_status at_circuit_expand(const at_circuit *c, at_circuit **out, at_err *err);

/* Files that other tools read; threshold gates are expanded first. BLIF keeps gates of unbounded fan-in, AIGER has ANDs of two. */
typedef enum { AT_CIRCUIT_BLIF, AT_CIRCUIT_AAG, AT_CIRCUIT_AIG } at_circuit_format;
/* By the end of a file's name: .blif, .aag, .aig. */
at_status at_circuit_format_of(const char *path, at_circuit_format *out, at_err *err);
typedef struct {
    uint64_t gates; /* BLIF: .names of ANDs and ORs; AIGER: ANDs of two */
    int depth;
} at_circuit_file;
at_status at_circuit_write(const at_circuit *c, at_circuit_format f, at_text *out, at_circuit_file *said,
                           at_err *err);

/* ---- of models --------------------------------------------------------------------------------------------
 *
 * Words of n letters of the model's one token field. A letter is written in b = ceil(log2 letters) inputs: bit k of the letter at
 * position i (from 0) is input i b + k. What is no letter (where their number is no power of two) may get any answer.
 *
 * Outputs, for each position that is read: threshold and sign one a row of the readout, argmax the bits of the index, lowest first.
 *
 * a: exact, or p bits. The circuit is equal to at_run(m, a) on all words. Unique-hard attention takes no threshold gates; depth
 * depends on the blocks alone. Refused (AT_EREFUSED) with the reason: several fields, other readouts, recurrent and flattening
 * blocks, weightings that are neither hard nor sums. Beyond the budget: AT_EBUDGET, and what was reached. */
at_status at_circuit_of_model(const at_model *m, at_arith a, int n, const at_circuit_budget *budget,
                              at_circuit **out, at_err *err);
/* A depth that the circuit of this model does not exceed, at any length. */
int at_circuit_depth_bound(const at_model *m);

/* A circuit beside the model, on all words of n letters. */
typedef struct {
    uint64_t words, differ; /* differ: some output does */
    uint64_t yes;           /* words of which the first output is 1 in the model */
    uint64_t first;         /* the number of the first that differs: input k is bit k */
} at_circuit_compared;
/* threads 0: one a core. A model that leaves a word undecided differs there. */
at_status at_circuit_compare(const at_circuit *c, const at_model *m, at_arith a, int n, int threads,
                             at_circuit_compared *out, at_err *err);

/* ---- one program for all n ----------------------------------------------------------------------------------
 *
 * The circuit of a unique-hard model, printed as BLIF gate by gate, without any of it being kept: the working memory is a few
 * histories (letters and positions), a few states and a name, whatever n is. It is larger than that of at_circuit_of_model: states are told apart by how
 * they came to be. For threshold readouts of one row at the last position, ties of 0. */
typedef at_status at_circuit_sink(void *ctx, const char *text, size_t n, at_err *err);
typedef struct {
    uint64_t gates, wires;
    size_t words; /* of 64 bits: the most that were in use, beside the model */
} at_circuit_streamed;
at_status at_circuit_stream(const at_model *m, at_arith a, int n, at_circuit_sink *sink, void *ctx,
                            at_circuit_streamed *out, at_err *err);
/* The same gates as a circuit. */
at_status at_circuit_of_stream(const at_model *m, at_arith a, int n, const at_circuit_budget *budget,
                               at_circuit **out, at_err *err);

/* Models to try circuits on: whole weights, -1, 0 and 1, so that scores tie and ties are exact; words of at most `length` letters, one hidden
 * position behind them, which is read. A layer is attention and an MLP. Masks, ties and positions (none, i, a table) take turns. */
typedef struct {
    int layers, heads, letters, length;
    at_weighting weighting;
} at_circuit_drawing;
at_status at_circuit_draw(const at_circuit_drawing *d, uint64_t seed, uint64_t index, at_model *m,
                          at_err *err);

#endif
