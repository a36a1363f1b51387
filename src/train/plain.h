/* plain.h: what the files of the plain engine share: plain.c (plan), plain_pass.inc (the pass, six instances). */
#ifndef ATTEST_TRAIN_PLAIN_H
#define ATTEST_TRAIN_PLAIN_H

#include "train_internal.h"

/* The largest of everything a pass needs scratch for. */
typedef struct {
    size_t group;         /* max(H dk, H dv) */
    size_t head;          /* max(dk, dv) */
    size_t hidden, layer; /* units of all hidden layers of one MLP; of one layer */
    size_t cell, state;   /* parts of a step of an RNN; its state */
    size_t rows;          /* positions that go through an MLP at a time */
    bool three, tiled;    /* is there three-wise attention? any that goes by tiles? */
    bool gated, parallel; /* is any MLP gated, any block parallel? */
} plain_sizes;
plain_sizes plain_sizes_of(const at_model *m, int T); /* T: positions of the longest sequence */

/* A norm of a block, or that before the readout. */
typedef struct {
    at_norm_kind kind;
    double eps;
    int g, b; /* tensors */
} plain_norm;
static inline plain_norm plain_norm_of(const at_block *b)
{
    return (plain_norm){b->norm_kind, b->norm_eps, b->norm_g, b->norm_b};
}
static inline plain_norm plain_norm_read(const at_readout *r)
{
    return (plain_norm){r->norm_kind, r->norm_eps, r->norm_g, r->norm_b};
}

/* Angles of rotary positions. */
struct plain_turn {
    int width;
    double theta;
    double *angle; /* (positions, width): cosine and sine of each pair */
};
const double *plain_turn_of(const train_plan *p, const at_rotary *r); /* NULL: nothing is turned */

/* Softmax or linear, and a query sees one run of keys: many queries go at a time (plain_tiles.inc). */
bool plain_tiled(const at_group *g);

/* Do its features change with the number of positions? */
bool plain_feature_moves(const at_pos *p);

typedef struct {
    size_t (*work_size)(const train_plan *p);
    double (*sequence)(const train_plan *p, const void *weights, const void *packed, void *work,
                       const train_item *item, void *gradient, double *logits);
} plain_kernel;
extern const plain_kernel plain_portable_f, plain_portable_d;
#if defined(__x86_64__)
extern const plain_kernel plain_avx2_f, plain_avx2_d, plain_avx512_f, plain_avx512_d;
#endif

#endif
