/* dp_pack_sparse.c: what a packed block-sparse decoder keeps at the ends of blocks.
 *
 * A row sees the last B rows, and the last row of every block of B. The plan, from what every state looks at:
 *
 *   1. What is always the row before needs no head: it is the row that asks.
 *   2. A row that is seen is copied by its place: one number a value.
 *   3. Of a block, what is ever looked at from further away is kept at its end: R digits a number, the columns one behind the other. `ends`
 *      numbers are enough for every block.
 *   4. A head reads one end at a step. Blocks that are asked for at one step, by different look-ups, are read by different heads; the
 *      others share one. A head copies as many numbers as the fullest of its blocks has, so the full ones choose first.
 *
 * B is the least power of two that is not below 0.9 sqrt(L): dividing by a power of two is exact. */
#include "dp_blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_ENOUGH 0.9 /* of sqrt(L), so that 4^k rows and a few more have blocks of 2^k */

static int block_length(const dp_pack *k, const at_dp_options *o)
{
    int B = 2;
    while (B < NEAR_ENOUGH * sqrt((double)k->x->L))
        B *= 2;
    return o->block > 0 ? o->block : B;
}

static bool is_end(const dp_blocks *b, int64_t row)
{
    return row % b->B == b->B - 1;
}

static bool sees(const dp_blocks *b, int64_t row, int64_t other)
{
    return row - other < b->B || is_end(b, other);
}

/* Steps 2 and 3: near and far; which rows are kept, a bit a column. */
static at_status fetches_split(dp_pack *k, dp_blocks *b, int *holds, at_err *err)
{
    const at_dp_instance *x = k->x;
    int64_t steps = x->n_states + 1;
    for (int f = 0; f < k->n_fetches; f++) {
        blocks_fetch *g = &b->fetch[f];
        g->near_at = at_new(&k->arena, int64_t, steps);
        g->far_at = at_new(&k->arena, int64_t, steps);
        if (!g->near_at || !g->far_at)
            return at_oom(err);
        for (int64_t s = 0; s < steps; s++) {
            int64_t row = g->bits ? k->fetch[f].at[s] : -1;
            bool seen = row >= 0 && sees(b, x->n_input + s, row), far = row >= 0 && !seen;
            g->near_at[s] = seen ? row : -1;
            g->far_at[s] = far ? row : -1;
            g->near = g->near || seen;
            g->far = g->far || far;
            if (far)
                holds[row] |= g->bits, b->stored |= g->bits;
        }
    }
    return AT_OK;
}

/* Step 3: slots and digits of the rows of a block; returns how many numbers it needs. */
static int block_fill(dp_blocks *b, int64_t L, int block, const int *holds)
{
    int64_t first = (int64_t)block * b->B, after = first + b->B < L ? first + b->B : L;
    int slots = 0;
    for (int c = 0; c < b->kept.n_columns; c++) {
        int digits = b->kept.column[c].digits, n = 0;
        for (int64_t r = first; r < after; r++) {
            bool kept = holds[r] >> c & 1;
            b->slot[c][r] = kept ? slots + n / digits : -1;
            b->digit[c][r] = kept ? n % digits : -1;
            n += kept;
        }
        slots += (n + digits - 1) / digits;
    }
    return slots;
}

/* A row holds one input at most: inputs with one range are one column. */
static int inputs_joined(const pack_head *h, int bits)
{
    int out = 0;
    for (int c = 0; c < h->n_columns; c++) {
        const pack_column *t = h->column;
        int to = c;
        for (int d = c; d-- > 0;)
            to = t[c].input && t[d].input && t[d].lo == t[c].lo && t[d].hi == t[c].hi ? d : to;
        out |= (bits >> c & 1) << to;
    }
    return out;
}

/* Step 4: which blocks are asked for together; (blocks, blocks). */
static void together_find(const dp_pack *k, const dp_blocks *b, bool *together)
{
    int asked[2 * AT_DP_MAX + 1];
    for (int64_t s = 0; s <= k->x->n_states; s++) {
        int n = 0;
        for (int f = 0; f < k->n_fetches; f++)
            if (b->fetch[f].far_at[s] >= 0)
                asked[n++] = (int)(b->fetch[f].far_at[s] / b->B);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                together[(size_t)asked[i] * (size_t)b->blocks + (size_t)asked[j]] = asked[i] != asked[j];
    }
}

typedef struct {
    int block, slots;
} full;

static int fuller(const void *a, const void *b)
{
    const full *x = a, *y = b;
    return x->slots != y->slots ? y->slots - x->slots : x->block - y->block;
}

static void heads_choose(dp_blocks *b, const full *order, const bool *together)
{
    for (int i = 0; i < b->blocks && order[i].slots > 0; i++) {
        int block = order[i].block, h = 0;
        for (bool free = false; !free; h += !free) {
            free = true;
            for (int j = 0; j < i; j++)
                free = free && !(b->head[order[j].block] == h &&
                                 together[(size_t)block * (size_t)b->blocks + (size_t)order[j].block]);
        }
        b->head[block] = h;
        if (h == b->n_heads)
            b->width[b->n_heads++] = order[i].slots;
    }
}

/* For controls: the last numbers are left out, and what they held. */
static at_status fewer_apply(const dp_pack *k, dp_blocks *b, int fewer, at_err *err)
{
    if (!fewer)
        return AT_OK;
    if (fewer >= b->ends)
        return at_fail(err, AT_EDOMAIN, "%d fewer, and there are only %d; one must be left", fewer, b->ends);
    b->ends -= fewer;
    for (int h = 0; h < b->n_heads; h++)
        b->width[h] = b->width[h] < b->ends ? b->width[h] : b->ends;
    for (int c = 0; c < b->kept.n_columns; c++)
        for (int64_t r = 0; r < k->x->L; r++)
            b->slot[c][r] = b->slot[c][r] < b->ends ? b->slot[c][r] : -1;
    return AT_OK;
}

at_status dp_blocks_plan(dp_pack *k, const at_dp_options *o, at_err *err)
{
    int64_t L = k->x->L;
    dp_blocks *b = at_new(&k->arena, dp_blocks, 1);
    int *holds = at_new(&k->arena, int, L), bits[2 * AT_DP_MAX + 1];
    if (!b || !holds)
        return at_oom(err);
    b->B = block_length(k, o);
    b->blocks = (int)((L - 1) / b->B) + 1;
    at_status s = dp_pack_columns(k, o, &b->kept, bits, err);
    if (s)
        return s;
    size_t n = (size_t)b->blocks;
    full *order = at_new(&k->arena, full, n);
    bool *together = at_new(&k->arena, bool, n *n);
    b->head = at_new(&k->arena, int, n);
    b->width = at_new(&k->arena, int, n);
    b->fetch = at_new(&k->arena, blocks_fetch, k->n_fetches);
    if (!order || !together || !b->head || !b->width || !b->fetch)
        return at_oom(err);
    for (int c = 0; c < b->kept.n_columns; c++)
        if (!(b->slot[c] = at_new(&k->arena, int, L)) || !(b->digit[c] = at_new(&k->arena, int, L)))
            return at_oom(err);
    for (int f = 0; f < k->n_fetches; f++)
        b->fetch[f].bits = inputs_joined(&b->kept, bits[f]);
    if ((s = fetches_split(k, b, holds, err)))
        return s;
    for (int i = 0; i < b->blocks; i++) {
        order[i] = (full){i, block_fill(b, L, i, holds)};
        b->head[i] = -1;
        b->ends = b->ends > order[i].slots ? b->ends : order[i].slots;
    }
    together_find(k, b, together);
    qsort(order, n, sizeof *order, fuller);
    heads_choose(b, order, together);
    k->blocks = b;
    return fewer_apply(k, b, o->fewer, err);
}
