/* protocol_internal.h: parties: who holds which rows, and what each computes from them and from what it was told.
 *
 * Letters: D width, H heads, dk, dv head widths, T positions, t one of them from 0, n rows of a party, Q numbers of a query
 * (all groups), S sums of a query: dv + 1 a head, the denominator first. */
#ifndef ATTEST_PROTOCOL_INTERNAL_H
#define ATTEST_PROTOCOL_INTERNAL_H

#include <attest/protocol.h>

/* ---- what everyone knows: the model's attention blocks, laid out ------------------------------------------ */

typedef struct {
    int group, head, dv;
    int sum; /* first of its dv + 1 sums */
    at_weighting weighting;
} layer_head;

typedef struct {
    int block;
    const at_group *group;
    int n_groups;
    int *q_at; /* (groups) where the H*dk numbers of a group begin in a query */
    int Q, S, n_heads;
    int values; /* sum of H*dv */
    layer_head *head;
    at_code code;
} layer;

bool head_hard(const layer_head *h);   /* leftmost or rightmost: a choice, not a sum */
bool head_peaked(const layer_head *h); /* does it need the maximum? all but linear */

/* The layout of block b for T positions; arrays live in the arena. */
at_status layer_make(const at_model *m, int b, at_arith a, int T, at_arena *arena, layer *l, at_err *err);
/* Bits that the sums (or choices) of one query may take, with `sum` bits a sum; a maximum of each head. */
uint64_t layer_sum_budget(const layer *l, int T, int sum);
uint64_t layer_peak_budget(const layer *l);

/* ---- a party ------------------------------------------------------------------------------------------------- */

typedef struct {
    at_stage *stage; /* the model, which everyone knows */
    int T;
    int n, cap;
    int *pos;                 /* (n) its positions, ascending */
    double *x;                /* (n, D) its rows, after the blocks so far */
    double *before;           /* (n, D) what parallel blocks read; NULL: the model has none */
    double *y, *result;       /* (n, D) */
    double *q, *q_group;      /* (n, Q) of the present attention block; scratch: of one group */
    double **k, **v, **mixed; /* (groups): (n, H*dk), (n, H*dv) */
    int *key;                 /* (n) scratch */
    double *score, *w;        /* (n) */
} party;

/* Room for `cap` rows, for any block of the model. */
at_status party_make(at_stage *stage, const layer *l, int n_layers, int T, int cap, at_arena *arena, party *p,
                     at_err *err);
/* Takes up position t; row: its numbers in the input, NULL at a hidden position. Ascending t. */
void party_take(party *p, int t, const double *row);
/* Block b is about to read its rows: where the next one is parallel, they are kept for it. */
void party_keep(party *p, int b);
at_status party_mlp(party *p, int b, at_err *err);
void party_project(party *p, const layer *l); /* before attention: q, k, v of its own rows */
/* After attention: mixed (all groups) is there for every row. */
at_status party_close(party *p, const layer *l, at_err *err);

/* ---- one query, as a party knows it ------------------------------------------------------------------------- */

typedef struct {
    int t;
    double *q;     /* (Q) */
    double *peak;  /* (heads) the largest score so far */
    uint8_t *any;  /* (heads) is there one? */
    at_acc *sum;   /* (S) */
    int *chosen;   /* (heads) hard: the position chosen so far, -1: none */
    double *value; /* (S) hard: its dv numbers, at `sum` of the head */
    double *told;  /* (S) scratch */
} query;

at_status query_make(const layer *l, at_arena *arena, query *a, at_err *err);
void query_open(const layer *l, query *a, int t); /* nothing known but t */
/* The maxima of a party's own keys join those in a; then, with peak complete, its own sums join those in a. */
void party_peaks(party *p, const layer *l, query *a);
void party_sums(party *p, const layer *l, query *a);
void query_peak(const layer *l, query *a, int head, double peak); /* one more maximum joins */
void query_choice(const layer *l, query *a, int head, int position, const double *value);
/* mixed of row i of p, which is position a->t, from the complete sums. */
void party_finish(party *p, const layer *l, int i, query *a);

/* ---- in messages ---------------------------------------------------------------------------------------------- */

/* sees (groups): which groups' sums are meant, because the keys of whoever speaks are seen there. */
void query_write_q(const layer *l, const query *a, at_bits *b);
void query_read_q(const layer *l, query *a, at_bits_reader *r);
void query_write_peaks(const layer *l, const query *a, const uint8_t *sees, at_bits *b);
void query_read_peaks(const layer *l, query *a, const uint8_t *sees, at_bits_reader *r);
/* rounded: the control. Returns the significant bits of the longest sum. */
int query_write_sums(const layer *l, query *a, const uint8_t *sees, int T, bool rounded, at_bits *b);
void query_read_sums(const layer *l, query *a, const uint8_t *sees, int T, at_bits_reader *r);

/* A message is on its way: counted in t, and refused when longer than its budget. query, peak and sum: how many of its bits
 * are of which kind. */
typedef struct {
    int layer, from, to;
    size_t query, peak, sum;
    uint64_t budget;
} message;
at_status talk_open(at_talk *t, int parties, at_arena *arena, at_err *err); /* the arrays of t, by party */
at_status talk_count(at_talk *t, const message *m, const at_bits *b, at_err *err);
/* Was all of it read, and not more? Our bug otherwise. */
void talk_read_all(const at_bits_reader *r);

#endif
