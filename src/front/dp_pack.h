/* dp_pack.h: where a packed decoder keeps what a recurrence looks up (dp_pack.c), what of it modulo a small number (dp_pack_near.c),
 * which places are used again (dp_pack_ring.c), and the steps that write and fetch it (compile_dp_pack.c). docs/pack.md. */
#ifndef ATTEST_DP_PACK_H
#define ATTEST_DP_PACK_H

#include <attest/front.h>

#define PACK_COLUMNS 8

/* Numbers that are kept in the same way: an input, or a value of the states. */
typedef struct {
    bool input;
    int k;          /* which input, or which value */
    int64_t lo, hi; /* of its numbers; base q = hi - lo + 1 */
    int64_t mod;    /* 0, or they are kept modulo this: 0..mod-1 */
    int digits;     /* R of them in a number, q^R <= 2^24 */
    int slots;      /* numbers of a block */
} pack_column;

/* Where a row writes the number of a column, and where that stands which it asks for. */
typedef struct {
    int slot, digit; /* -1: it writes none */
    int asked_slot, asked_digit;
} pack_place;

/* One attention head. What it fetches at a step has one index, 0..classes-1, in all its columns; `each` of them are in a block. */
typedef struct {
    pack_column column[PACK_COLUMNS];
    int n_columns;
    int classes, each, blocks;
    int *index; /* (L) the index of a row, or -1: it is never fetched here */
    int *holds; /* (L) which columns a row fills, a bit each */
    int *asks;  /* (L) the index that is fetched at a row, or -1, */
    int *reads; /* (L) and of which columns */
    /* Where it is all kept: */
    int *block, *asked; /* (L) the block that a row writes to, or -1; the one that it asks for */
    pack_place *place;  /* (L, n_columns) */
    signed char *
        wipe; /* NULL, or (L, slots of all columns): 1 and -1 where a row begins and ends to clear a number of its block */
} pack_head;

/* A value that is fetched modulo `mod`: at each step it lies in from..from+mod-1 above something that the row knows by then. */
typedef struct {
    int64_t mod;   /* 0: it is kept whole */
    int *base;     /* (steps) AT_DP_ZERO, AT_DP_BEFORE, or AT_DP_NEED + k: a need that is known before */
    int64_t *from; /* (steps) */
} pack_near;

/* What a state looks at: an input or a state. Last, what the answer asks for, at the last row. */
typedef struct {
    int64_t *at;                 /* (steps) the row, from 0, or -1: absent */
    bool input, used[AT_DP_MAX]; /* used: which values are read */
    bool before;                 /* it is the row before, wherever it is there: no head */
    int k, head;                 /* head -1: none, it is never there */
    pack_near *near;             /* (n_values) of a need */
} pack_fetch;

typedef struct {
    const at_dp_instance *x;
    pack_fetch fetch[2 * AT_DP_MAX + 1];
    int n_fetches, n_takes; /* takes first, then needs, then the answer */
    pack_head *head;        /* (n_fetches) at most */
    int n_heads;
    struct dp_blocks *blocks; /* block-sparse (dp_blocks.h), and then there are no heads here; else NULL */
    at_arena arena;
} dp_pack;

/* Plans a packed decoder; fewer, more: of at_dp_options. Refuses in one line what has no such plan. */
at_status dp_pack_open(const at_dp_instance *x, const at_dp_options *o, dp_pack **out, at_err *err);
void dp_pack_close(dp_pack *k); /* NULL is allowed */

int dp_pack_slots(const pack_head *h); /* of all columns */
/* Instead of the blocks that dp_pack.c has found, blocks that are used again, where that is narrower (dp_pack_ring.c). */
at_status dp_pack_ring(dp_pack *k, const at_dp_options *o, pack_head *h, at_err *err);

/* Heads are known: which values of needs are kept modulo a number (dp_pack_near.c). most: what a number can be. */
at_status dp_pack_near(dp_pack *k, const at_dp_options *o, double most, at_err *err);
int dp_pack_digits(double base, double most); /* how many digits a number below `most` has, at least 1 */

/* The steps: all heads. input, value: of this row. take (n_takes), need (n_needs) and *last become the first of the variables that hold
 * what was fetched; *last -1: the answer asks for this row. The program has one hidden position before the input. */
void dp_pack_fetch(const dp_pack *k, at_program *P, at_var input, const at_var *value, at_var *take,
                   at_var *need, at_var *last);

/* For plans of other attention. bits (n_fetches): the columns of h that a fetch reads; h gets columns and their digits. */
at_status dp_pack_columns(const dp_pack *k, const at_dp_options *o, pack_head *h, int *bits, at_err *err);
/* Column t of number v: writes is the slot, writes + 1 the digit of this row, or as many as there are. slot (t->slots) gets what this
 * row adds to each. serial: of names, counted on. */
void dp_pack_write(at_program *P, int *serial, const pack_column *t, at_var writes, at_var v, at_var *slot);
/* The number at slot `asks` (t->slots: lo) and digit asks + 1 of the slots from `fetched` on, none of which is above `most`. */
at_var dp_pack_read(at_program *P, int *serial, const pack_column *t, at_var asks, at_var fetched,
                    double most);

#endif
