/* circuit_internal.h: private to src/circuit. */
#ifndef ATTEST_CIRCUIT_INTERNAL_H
#define ATTEST_CIRCUIT_INTERNAL_H

#include <attest/circuit.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

typedef enum { GATE_FALSE, GATE_INPUT, GATE_AND, GATE_OR, GATE_THRESHOLD } gate_kind;

/* A list of wires, ascending and different, and for sums a weight each. Threshold gates over one list share it. */
typedef struct {
    size_t first; /* in wires and weights */
    uint32_t n;
    bool weighted;
} wire_list;

typedef struct {
    uint8_t kind;
    uint32_t list; /* AND, OR, THRESHOLD */
    int depth;
    int64_t least; /* THRESHOLD; INPUT: which */
} gate;

/* Gates as vectors of bits, a bit an input (run.c). */
enum { RUN_WORDS = 256, RUN_SLICES = 64 };
typedef struct {
    const at_circuit *c;
    const uint32_t *place; /* (n_gates) of the vector of a gate; NULL: gate k is vector k */
    size_t words;          /* of a vector, at most RUN_WORDS */
    uint64_t *bits;        /* (places, words) */
    uint32_t list;         /* the sum that slices hold; UINT32_MAX: none */
    int slices;
    uint64_t *slice; /* (RUN_SLICES, words) */
} runner;
/* out (words): gate g from the vectors of what it reads; of an input, for the inputs from 64 `first` on. */
void runner_gate(runner *r, const gate *g, uint64_t first, uint64_t *out);

struct at_circuit {
    int inputs;
    at_circuit_budget budget;
    at_err err; /* the first failure */
    gate *gates;
    wire_list *lists;
    size_t n_gates, room_gates, n_lists, room_lists;
    at_wire *wires;   /* of all lists */
    int64_t *weights; /* the same places */
    size_t n_wires, room_wires, room_weights;
    bool list_new;                     /* the last one that list_meet gave was not there before */
    uint32_t *gate_table, *list_table; /* hash tables of places + 1 */
    size_t gate_slots, list_slots;
    at_wire *scratch; /* of a list that is being made */
    int64_t *scratch_weights;
    size_t room_scratch, room_scratch_weights;
    runner made; /* gates on all inputs, while they are made; words 0: they are not run */
    size_t room_bits;
    size_t n_outputs, room_outputs, room_names;
    at_wire *output;
    char **output_name, **input_name; /* NULL: x0, x1, ... */
};

/* *array, which at_realloc made, for n things of `size` bytes; false: no memory, and it is as it was. */
bool room_make(void **array, size_t *room, size_t n, size_t size);
#define ROOM(array, room, n) room_make((void **)&(array), &(room), (n), sizeof *(array))

/* Which gates outputs depend on: (n_gates) in the arena, NULL: no memory. */
uint8_t *circuit_live(const at_circuit *c, at_arena *a);

/* Are n wires never true together? Only known, and else false, while gates are run as they are made. */
bool circuit_never(const at_circuit *c, const at_wire *w, size_t n);

static inline uint32_t gate_of(at_wire w)
{
    return w >> 1;
}

#endif
