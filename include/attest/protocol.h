/* protocol.h: protocols that run: a model at p bits computed by parties that hold some of its input each.
 *
 *     int owner[] = {1, 0, 0, 1, 1};                        // user position -> party
 *     at_shared *s;
 *     at_shared_new(&m, p12, 5, &(at_shared_plan){.parties = 2, .owner = owner, .query = 0}, &s, &err);
 *     at_talk t;
 *     at_shared_run(s, &x, &arena, &t, &err);               // t.bits were sent, t.value is the readout
 *     at_talk_agrees(&m, p12, &x, &t, &arena, &same, &err); // bit for bit at_run's
 *
 * Messages are strings of bits. A party computes from its own rows and from what it has read in messages; the model, the
 * number of positions and who holds which of them are known to all. The bits counted are the bits sent, and a message longer
 * than its budget fails the run. docs/protocols.md has the codes, the budgets and what the theorems make of them.
 *
 * Letters: H heads, dk, dv head widths (m of the theorems), p bits of a mantissa, T positions, R readout rows. */
#ifndef ATTEST_PROTOCOL_H
#define ATTEST_PROTOCOL_H

#include <attest/exec.h>

/* ---- strings of bits ---------------------------------------------------------------------------------- */

typedef struct {
    uint8_t *byte; /* bit i is bit i mod 8 of byte i/8; the caller frees it with at_bits_release */
    size_t n, cap; /* bits written; bytes there is room for */
    bool oom;      /* sticky: something was not written */
} at_bits;
void at_bits_release(at_bits *b);
void at_bits_put(at_bits *b, uint64_t value, int bits); /* the lowest `bits` of value, 0..64 */
typedef struct {
    const at_bits *from;
    size_t at;
    bool over; /* sticky: read past the end; zeros were given */
} at_bits_reader;
uint64_t at_bits_get(at_bits_reader *r, int bits);

/* How numbers and exact sums are written, always in as many bits.
 *   number   as in IEEE 754: mantissa without its first bit, exponent field, sign: p + exp_bits bits
 *   sum      an integer of A bits, two's complement, in units of 2^low: the product of the two smallest numbers. T products are smaller than
 *            2^W units, W = A - 1, by so much that 2^W - 1, its negative and -2^W are free: infinite, and not a number */
typedef struct {
    at_pfmt f;
    int exp_bits;
    int number;    /* bits of a number: p + exp_bits */
    int low, W, A; /* A = 2p + ceil(log2 T) + 3*2^(exp_bits-1) - 5 where |w| <= 1 */
} at_code;
/* For sums of T terms w v with |w| <= 1 (softmax, average-hard), or of any size (wide: linear attention). */
at_code at_code_of(at_arith a, int T, bool wide);
void at_code_number(const at_code *c, at_bits *b, double x);
double at_code_number_read(const at_code *c, at_bits_reader *r);
void at_code_sum(const at_code *c, at_bits *b, at_acc *s);
void at_code_sum_read(const at_code *c, at_bits_reader *r, at_acc *s); /* adds to s */

/* ---- what was said ---------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t messages;
    uint64_t bits;                            /* all of them: the sum of the next three */
    uint64_t query_bits, peak_bits, sum_bits; /* queries (and rows); maxima; partial sums or chosen values */
    uint64_t budget;                          /* all budgets together */
    int A, number;                            /* bits of a partial sum, and of a number */
    int longest_sum;                          /* significant bits of the longest partial sum */
    uint64_t *sent;                           /* (parties) bits that each sent */
    uint64_t *said;                           /* (parties) a hash of all the bits that each sent, in order */
    uint64_t *answered;  /* (parties) of them peaks and sums: answers to others' queries */
    at_text *transcript; /* the plan's */
    int epochs;          /* attention blocks */
    /* CONGEST: */
    uint64_t rounds, cut_bits, edge_bits; /* edge_bits: of the edge that carried most, both ways */
    int first;                            /* the first position read, among those that at_run reads */
    int n, rows;                          /* positions read, R */
    double *value;                        /* (n, R) */
} at_talk;
/* Does at_run in the same arithmetic give the same values, bit for bit (a NaN equals a NaN)? */
at_status at_talk_agrees(const at_model *m, at_arith a, const at_input *x, const at_talk *t, at_arena *arena,
                         bool *same, at_err *err);

/* ---- several parties, everyone talks to everyone ------------------------------------------------------------
 *
 * In every attention block the holder of a query sends it to whoever holds keys that it sees, and gets partial sums back.
 * With two parties the query goes out with the holder's own maximum, and maximum and sums come back: two messages. With more, the
 * maxima come first, the largest goes out, the sums come back: four. */
typedef struct {
    int parties;
    const int *
        owner; /* (n) of every user position; hidden positions belong to the owner of the nearest user position */
    int query;  /* the user position whose readout is wanted; -1: all of the model's */
    bool known; /* the row at `query` is known to everyone: its queries need not be sent. Only with one
                         attention block */
    /* The autoregressive model: party i has the positions before those of party i-1, all masks are causal or strict, one
     * attention block is one epoch, and sums from j to i may take 2 H d A bits a position of i. What i sends to j > i is its
     * own information, which the model gives j for nothing. */
    bool autoregressive;
    bool rounded;   /* control: partial sums are rounded to p bits before they are sent */
    int sum_budget; /* bits that a budget allows a partial sum; 0: A */
    /* NULL, or gets every message, a JSON object each with commas between: block, from, to, bits of queries, maxima and sums, and
     * all bits in hexadecimal, byte by byte. */
    at_text *transcript;
} at_shared_plan;
typedef struct at_shared at_shared;
/* Prepared for inputs of n rows; m and plan.owner are borrowed until at_shared_free. One a thread. Refused: what at_stage_new
 * refuses, and plans that do not fit. */
at_status at_shared_new(const at_model *m, at_arith a, int n, const at_shared_plan *plan, at_shared **out,
                        at_err *err);
void at_shared_free(at_shared *s); /* NULL is allowed */
/* out's arrays live in the arena. AT_EBUDGET: a message is longer than its budget. */
at_status at_shared_run(at_shared *s, const at_input *x, at_arena *arena, at_talk *out, at_err *err);

/* Who holds which of n positions, from a word: a letter a position, "BAAB", every letter up to the last one used; or a number of
 * parties, 2 to 26, that take positions in turn. *all: the word in letters. All of it lives in the arena. */
at_status at_parties_read(const char *word, int n, at_arena *arena, char **all, int **owner, int *parties,
                          at_err *err);

/* ---- one message: whoever holds the query hands it over ------------------------------------------------------
 *
 * Alice holds one row. She sends its query, her own score and her own value (and the row, where a residual connection needs it), as p-bit
 * numbers; Bob, who holds all other rows, finishes. For models with one attention block. query_only: a control: she sends the query
 * and nothing of her own key and value. */
at_status at_handed_run(const at_model *m, at_arith a, const at_input *x, int query, bool query_only,
                        at_arena *arena, at_talk *out, at_err *err);

/* The same where everyone knows the row at `query` and Alice holds another one: she sends the score that the query gives to her key, and her
 * value, of every head. nothing: a control: she sends neither. */
at_status at_told_run(const at_model *m, at_arith a, const at_input *x, int row, int query, bool nothing,
                      at_arena *arena, at_talk *out, at_err *err);

/* ---- CONGEST: nodes of a tree, each with one row --------------------------------------------------------------
 *
 * Every user position is a node (hidden rows belong to the first and the last of them). In every round a node may send
 * `bandwidth` bits over each edge of a tree, in each direction. Queries travel away from their node, maxima and
 * partial sums are merged on the way back. How long messages are does not depend on the input, so neither does the order in which
 * they arrive: what a message is about is known to both ends. */
typedef struct {
    const int *parent; /* (n) the tree: parent[i] < i, parent[0] = -1 */
    const int *side;   /* (n) 0 or 1: whose node; an edge between the two is in the cut */
    int bandwidth;     /* bits a round, edge and direction; 0: ceil(log2 n) */
    bool rounded;      /* control, as in at_shared_plan */
    int sum_budget;    /* the same */
} at_congest_plan;
at_status at_congest_run(const at_model *m, at_arith a, const at_input *x, const at_congest_plan *plan,
                         at_arena *arena, at_talk *out, at_err *err);

#endif
