/* batch.h: a trained decoder prepared for many sequences at once (private to exec).
 *
 * A plan holds the weights in the order in which they are used; it never changes. A slot is the place of one sequence: its
 * caches. A worker is one thread's slots and scratch. A row is one position of one slot on its way through all blocks; the
 * rows of a step go through each matrix together, and through attention one by one, in order, so that a prompt may put
 * several rows into one step.
 *
 * Invariant: what is computed for a row depends on its sequence until there alone: every sum has an order that is fixed by
 * the shapes and the position. So neighbours, threads and the cut into steps leave no trace.
 *
 * Legend: D width, H heads, dk, dv head widths, dp = dv rounded up to a vector, R readout rows, T positions a sequence may
 * have, NR outputs of a panel (2 vectors), N one number: float or double. */
#ifndef ATTEST_EXEC_BATCH_H
#define ATTEST_EXEC_BATCH_H

#include "exec_internal.h"

#define BATCH_ALIGN 32 /* rows are so many numbers apart, or a multiple; at least NR */

/* y = W x + bias. */
typedef struct {
    int out, in;
    void *panel; /* N (ceil(out / NR), in, NR), zeros after the last output */
    void *bias;  /* N (out rounded up to NR) */
} batch_matrix;

typedef struct {
    at_norm_kind kind;
    double eps;
    void *gain, *shift; /* N (D); NULL: no norm */
} batch_norm;

typedef struct {
    bool attention, residual;
    bool parallel,
        kept; /* reads what is kept of the block before it; the next one will read what this one read */
    batch_norm before, after;
    /* attention */
    int H, dk, dv, dp;
    int cache; /* which of a slot's */
    double scale;
    bool linear;
    int window;      /* W: the last positions that a query sees; T in standard attention */
    int block, ends; /* B, c; ends 0: none are kept */
    at_rotary rotary;
    void *turn;            /* N (T, rotary.width): cosine and sine of each pair; NULL: nothing is turned */
    void *slope;           /* N (H) of alibi; NULL: none */
    batch_matrix qkv, mix; /* q, k, v of all heads below each other; back to D */
    /* MLP */
    at_act act;
    int n_dense; /* 0: it adds nothing (all weights are 0) */
    batch_matrix *dense;
    batch_matrix *gate; /* (n_dense - 1); NULL: none */
} batch_block;

typedef struct {
    int D, R, T, words;
    size_t xs;              /* D rounded up to BATCH_ALIGN */
    void *token, *position; /* N (words, xs), (T, xs) */
    batch_block *block;
    int n_blocks, n_caches;
    batch_norm norm; /* before the readout */
    char *weights;   /* of all panels; at_free */
    batch_matrix head;
    bool gated, parallel; /* is any block? */
    size_t wide;          /* numbers of the widest row between two products */
    size_t mixed;         /* of attention's results */
    size_t scratch;       /* of one row's attention */
} batch_plan;

/* Keys and values, `cap` panels of NR of them. A head's lie together: k (H, cap, dk, NR), v (H, cap * NR, dp). */
typedef struct {
    void *k, *v;
    int cap;
} batch_store;

/* What one attention block remembers of one sequence. Position j lies in ring slot j mod W; when it leaves the window and is
 * a block end, it moves to `ends`, the number of ends before it. Linear: sums (H, dk, dp) of phi(k) v, then (H, dk) of
 * phi(k). */
typedef struct {
    batch_store ring, ends;
    void *sums;
} batch_cache;

typedef struct {
    batch_cache *cache; /* (n_caches) of its slot */
    int t, token;
    bool read; /* is the readout wanted? */
} batch_row;

/* What the readout says after a row. */
typedef struct {
    int token;
    double margin;
    bool decided;
} batch_word;

typedef struct {
    void *x, *y;   /* N (rows, xs) */
    void *kept;    /* (rows, xs) what parallel blocks read */
    void *wide[3]; /* (rows, wide); the last: gates */
    void *mixed;   /* (rows, mixed) */
    void *scratch; /* (scratch) */
} batch_work;

typedef struct {
    const char *isa;
    size_t size; /* of N */
    int lanes;   /* NR = 2 lanes */
    /* w (rows, in) becomes outputs at, at + 1, ... of the matrix; b may be NULL. */
    void (*pack)(const batch_matrix *m, int at, int rows, const double *w, const double *b);
    void (*round)(const double *from, size_t n, void *to);
    /* n rows through all blocks; word (as many as rows that are read). Memory is reserved. */
    void (*step)(const batch_plan *p, const batch_work *w, const batch_row *row, int n, batch_word *word);
} batch_kernel;
extern const batch_kernel batch_portable_f, batch_portable_d;
#if defined(__x86_64__)
extern const batch_kernel batch_avx2_f, batch_avx2_d, batch_avx512_f, batch_avx512_d;
#endif

/* How far position t is from the one in slot s of the ring, and from block end number e. */
static inline int batch_ring_distance(const batch_block *b, int t, int s)
{
    int d = t % b->window - s;
    return d < 0 ? d + b->window : d;
}
static inline int batch_end_distance(const batch_block *b, int t, int e)
{
    return t - (e / b->ends * b->block + b->block - b->ends + e % b->ends);
}
/* Block ends among the first j positions. */
static inline int batch_ends_before(const batch_block *b, int j)
{
    int rest = j % b->block - (b->block - b->ends);
    return b->ends ? j / b->block * b->ends + (rest > 0 ? rest : 0) : 0;
}
/* Numbers of sums of a linear block. */
static inline size_t batch_sums(const batch_block *b)
{
    return (size_t)b->H * (size_t)b->dk * ((size_t)b->dp + 1);
}

/* The plan of m; everything in the arena. */
at_status batch_plan_make(const at_model *m, at_arith a, const batch_kernel *k, at_arena *arena,
                          batch_plan *p, at_err *err);

#endif
