/* maker.h: the circuit of a model while it is made: make.c goes from block to block, heads.c from keys to what a head gives. */
#ifndef ATTEST_CIRCUIT_MAKER_H
#define ATTEST_CIRCUIT_MAKER_H

#include "numbers.h"

/* Different vectors of one width, in order of appearance. */
typedef struct {
    int width;
    size_t n, room, slots;
    cell *v;         /* (n, width) */
    uint32_t *table; /* of places + 1 */
} vectors;
int vectors_meet(vectors *w, const cell *v); /* the place of a vector; -1: no memory */
void vectors_clear(vectors *w);              /* none are left; memory stays */
void vectors_release(vectors *w);
static inline const cell *vectors_at(const vectors *w, int k)
{
    return w->v + (size_t)k * (size_t)w->width;
}

/* Wires by what they say: vector `id` is what it is if one of its wires is true. */
typedef struct {
    int id;
    uint32_t order; /* of entering */
    at_wire w;
} said;
typedef struct {
    said *all;
    size_t n, room;
} bag;
bool bag_add(bag *b, int id, at_wire w); /* false: no memory. What is false is not entered */

/* What a position, or a head, may have: vectors that exclude each other, each with its wire. */
typedef struct {
    int n;
    int *id;
    at_wire *w;
    size_t room_id, room_w;
} values;
/* One OR a vector; the bag is empty after it. false: no memory. */
bool bag_close(bag *b, at_circuit *c, values *out);

typedef struct {
    int n;       /* of levels */
    int *level;  /* (keys), 0 is the highest score */
    cell *score; /* (levels), descending */
} ranking;

/* One head of the block at hand: its queries, keys and values by state, and what it can give. */
typedef struct {
    int b, g, h;
    const at_group *a;
    vectors query, key, value, out;
    int *of_query, *of_key, *of_value; /* (states) */
    ranking *ranks;                    /* (queries), made when first asked for */
} head;

typedef struct {
    int level, position, value;
    int alternatives; /* values of its position */
    at_wire w;
} key;

typedef struct maker maker;
struct maker {
    const at_model *m;
    numbers *N;
    at_circuit *c;
    at_err *err;
    int n, T, block, place; /* place: the position that is worked on */
    at_arena a;             /* of a block */
    vectors states;         /* that positions have */
    values *at;             /* (T) */
    /* heads.c */
    key *keys;
    size_t n_keys, room_keys;
    at_wire *wires;
    int64_t *weights;
    size_t room_wires, room_weights;
    bag given;
    vectors sums[2];
};

/* What head h gives to a query at position t that has state `own`, given that w is true, which says so. */
at_status head_run(maker *k, head *h, int t, int own, at_wire w, values *out);

/* The circuit's status; a budget that is spent, with the block and position that were reached. */
at_status maker_status(const maker *k);

#endif
