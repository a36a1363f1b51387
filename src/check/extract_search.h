/* extract_search.h: what extract.c knows of a model while it turns it back, for those who look on (extract_layers.c). */
#ifndef ATTEST_EXTRACT_SEARCH_H
#define ATTEST_EXTRACT_SEARCH_H

#include "check_internal.h"
#include "extract_traced.h"

enum {
    VECTORS_MAX = 4096,
    ENTRIES_MAX = 1 << 26,
    STATES_FIRST = 64,
    PERIOD_MAX = 4096
}; /* different vectors of a head; numbers of all states together; states at first; period of all positions together */

/* Different vectors of one length, in order of appearance. */
typedef struct {
    int width, n, room;
    number *v;   /* (n, width) */
    double *off; /* (n): of a query, what its scores are off by at most */
} vectors;

/* One head of one group: its query vectors, and its keys with their values. */
typedef struct {
    const at_group *g;
    vectors query, key;
    double *spread; /* (dk + dk + dv): what the numbers of queries, keys and values are off by */
    int slot;       /* of its first query in a state; two numbers a query */
} head;

/* A matrix without its zeros: those of row k are first[k] .. first[k + 1] - 1. */
typedef struct {
    const int *first; /* NULL: not made yet */
    int *column;
    double *w;
} rows;

typedef struct search search;
struct search {
    const at_model *m;
    rows *tensors; /* (n_tensors) */
    at_arena *a;
    at_err *err;
    int period;   /* of all positions together; 1: there are none */
    double unit;  /* extract_numbers.h */
    bool rounded; /* a number was */
    int n_heads,
        slots; /* slots: numbers of a state, the last two its index modulo the period and its answer */
    head *heads;
    bool grown; /* a query vector that was not known, or a number that is off by more than was known */
    number *x, *sum, *part, *q, *k, *v, *mixed, *wide[2], *both; /* scratch */
    traced errors[2];                                            /* of an MLP's layers, by turns */
    causes causes;                                               /* of its inputs */
    /* states */
    int n, room;
    int *state; /* (n, slots) */
    int *to;    /* (n, letters) */
    int *hash;
    size_t hashes;
    /* One who looks on: called before attention layer 0, 1, ... of a position with its stream e->x, and once at the end. What the heads of
     * the layer before asked, had and chose is in the three rows then; chosen -1: there was no key. */
    at_status (*watch)(search *e, int layer, void *own);
    void *watcher;
    int *asked, *had, *chosen; /* (n_heads) */
};

/* Opened for a model: its shape, period and scratch, in `kept`; failures go to err. Refused models are said why. */
at_status search_open(search *e, const at_model *m, at_arena *kept, at_err *err);
/* All states, and whether each is accepted; both live in *scratch, which is made by this call, also where it fails. */
at_status search_settle(search *e, at_arena *scratch, bool **accept);
int *search_state(const search *e, int k); /* (slots) */
/* The position that comes after state `from`, row `row` of a table. */
at_status search_step(search *e, const at_embed *embed, int row, const int *from, int *to);
/* The state before the word: all prefix positions are gone through. */
at_status search_start(search *e, int *from, int *to);
at_status search_score(search *e, const head *h, int query, int key, number *out);
/* Is a score within the tie of a larger one, top? */
at_status search_within(const search *e, const head *h, double off, double top, double score, bool *out);
int search_meet(search *e, vectors *w, const number *v, bool *is_new);
at_status search_letters(const at_model *m, at_arena *a, at_alphabet *out, at_err *err);

#endif
