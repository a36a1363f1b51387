/* dp_blocks.h: what a packed block-sparse decoder keeps at the ends of blocks (dp_pack_sparse.c), and the steps that write and fetch it
 * (compile_dp_blocks.c). docs/pack.md. */
#ifndef ATTEST_DP_BLOCKS_H
#define ATTEST_DP_BLOCKS_H

#include "dp_pack.h"

/* What a fetch asks for. A row that is seen is near, and copied; others are far, and come through the end of their block. */
typedef struct {
    int bits;                  /* its columns */
    bool near, far;            /* there are such rows */
    int64_t *near_at, *far_at; /* (steps) the row, or -1 */
} blocks_fetch;

typedef struct dp_blocks {
    int B, blocks;  /* rows of a block; how many there are */
    int ends;       /* numbers that the end of a block holds */
    pack_head kept; /* the columns */
    int stored;     /* bits of those that ends of blocks hold */
    int *slot[PACK_COLUMNS],
        *digit[PACK_COLUMNS]; /* (L) where a row is kept at the end of its block, or -1 */
    int n_heads;              /* that read ends of blocks */
    int *head;                /* (blocks) which of them reads this one, or -1 */
    int *width;               /* (blocks) numbers that a head copies */
    blocks_fetch *fetch;      /* (n_fetches) */
} dp_blocks;

/* Plans k->blocks, once the fetches are known. */
at_status dp_blocks_plan(dp_pack *k, const at_dp_options *o, at_err *err);
/* dp_pack_fetch for such a plan. */
void dp_blocks_fetch(const dp_pack *k, at_program *P, at_var input, const at_var *value, at_var *take,
                     at_var *need, at_var *last);

#endif
