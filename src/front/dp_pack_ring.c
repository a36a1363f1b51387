/* dp_pack_ring.c: places that are used again, in a packed decoder whose sums are rounded after every token.
 *
 * Indices come in the order of their rows. `each` of them are a run, and run u is kept in block u mod blocks: a ring. A *number* holds
 * up to R digits of one column and one run, in one slot of the block; it lives from the first row that writes to it until the last
 * row that reads it. Then two rows that stand one behind the other and write to the same block clear it (at_attention.wipe), while
 * the first of them asks for another block; after both a new number can have the slot. So every row writes to one block, as
 * before, and nobody ever sees a number that is half cleared.
 *
 * Everything is known before there is an input, so slots are given by going through the numbers in order: the first slot of its
 * column and block that is clear in time, else a new one. Of all rings the narrowest is taken, and none where blocks that are
 * written once are as narrow: letters that are read until the end, for example. */
#include "dp_pack.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int column, run, sub; /* which number */
    int first, last;      /* rows: its first write, its last use */
    int slot;
} number;

typedef struct {
    dp_pack *k;
    pack_head *h;
    int L, each, blocks, most; /* most: slots of a block, of all columns */
    int *block, *asked;        /* (L) */
    int *pair, *pairs; /* rows at which clearing may begin, block by block; (blocks + 1) where each begins */
    number *all;       /* in the order of `first` */
    int n_all, *of;    /* (runs, subs of all columns) its place in `all` by run, column and sub; -1 */
    int sub_first[PACK_COLUMNS + 1], runs;
    int *until; /* (blocks, n_columns, most) the last use of the number that has a slot, or -1 */
    int *slots; /* (n_columns) */
} ring;

static int sub_of(const ring *g, int column, int index)
{
    return index % g->each / g->h->column[column].digits;
}

/* The number that holds index i of a column. */
static number *number_at(const ring *g, int column, int i)
{
    int subs = g->sub_first[g->h->n_columns];
    int at =
        g->of[(size_t)(i / g->each) * (size_t)subs + (size_t)(g->sub_first[column] + sub_of(g, column, i))];
    return at < 0 ? NULL : &g->all[at];
}

static void number_use(ring *g, int column, int i, int row, bool writes)
{
    int subs = g->sub_first[g->h->n_columns], run = i / g->each, sub = sub_of(g, column, i);
    int *at = &g->of[(size_t)run * (size_t)subs + (size_t)(g->sub_first[column] + sub)];
    if (*at < 0 && !writes)
        return;
    if (*at < 0) {
        *at = g->n_all;
        g->all[g->n_all++] = (number){.column = column, .run = run, .sub = sub, .first = row, .slot = -1};
    }
    g->all[*at].last = row;
}

/* Who lives from when to when; rows are gone through in order, so numbers come in the order of their first row. */
static void numbers_find(ring *g)
{
    const pack_head *h = g->h;
    g->n_all = 0;
    for (int r = 0; r < g->L; r++)
        for (int c = 0; c < h->n_columns; c++) {
            if (h->index[r] >= 0 && h->holds[r] >> c & 1)
                number_use(g, c, h->index[r], r, true);
            if (h->asks[r] >= 0 && h->reads[r] >> c & 1)
                number_use(g, c, h->asks[r], r, false);
        }
}

static bool pair_here(const ring *g, int r)
{
    return r + 1 < g->L && g->block[r] >= 0 && g->block[r] == g->block[r + 1] && g->asked[r] != g->block[r];
}

static void blocks_fill(ring *g)
{
    const pack_head *h = g->h;
    for (int r = 0; r < g->L; r++) {
        g->block[r] = h->index[r] < 0 ? -1 : h->index[r] / g->each % g->blocks;
        g->asked[r] = h->asks[r] >= 0   ? h->asks[r] / g->each % g->blocks
                      : g->block[r] < 0 ? 0
                                        : (g->block[r] + 1) % g->blocks;
    }
    memset(g->pairs, 0, (size_t)(g->blocks + 2) * sizeof *g->pairs);
    for (int r = 0; r < g->L; r++)
        if (pair_here(g, r))
            g->pairs[g->block[r] + 2]++;
    for (int b = 2; b < g->blocks + 2; b++)
        g->pairs[b] += g->pairs[b - 1];
    for (int r = 0; r < g->L; r++)
        if (pair_here(g, r))
            g->pair[g->pairs[g->block[r] + 1]++] = r;
}

/* The first row after this one at which clearing in a block may begin, or -1. */
static int pair_after(const ring *g, int block, int row)
{
    int lo = g->pairs[block], end = g->pairs[block + 1], hi = end;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (g->pair[mid] > row)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo < end ? g->pair[lo] : -1;
}

/* The first slot that a number can have: one that was never used, or can be cleared in time; or the next one. */
static int slot_find(const ring *g, const number *n, const int *until)
{
    for (int s = 0; s < g->slots[n->column]; s++) {
        int from = until[s] < 0 ? -1 : pair_after(g, n->run % g->blocks, until[s]);
        if (until[s] < 0 || (from >= 0 && from + 2 <= n->first))
            return s;
    }
    return g->slots[n->column];
}

/* The rows that clear slot s of a number's column, after its last use. */
static void slot_wipe(const ring *g, const number *n, int s, int until, signed char *wipe)
{
    int from = pair_after(g, n->run % g->blocks, until), slots = dp_pack_slots(g->h), at = s;
    for (int c = 0; c < n->column; c++)
        at += g->h->column[c].slots;
    wipe[(size_t)from * (size_t)slots + (size_t)at] = 1;
    wipe[(size_t)(from + 1) * (size_t)slots + (size_t)at] = -1;
}

/* A slot for every number. wipe NULL: only how many; else what clears is written there. False: more than `most`. */
static bool slots_give(ring *g, signed char *wipe)
{
    int columns = g->h->n_columns, used = 0;
    memset(g->slots, 0, (size_t)columns * sizeof *g->slots);
    memset(g->until, -1, (size_t)g->blocks * (size_t)columns * (size_t)g->most * sizeof *g->until);
    for (int i = 0; i < g->n_all; i++) {
        number *n = &g->all[i];
        int *until =
            g->until + ((size_t)(n->run % g->blocks) * (size_t)columns + (size_t)n->column) * (size_t)g->most;
        n->slot = slot_find(g, n, until);
        if (n->slot == g->slots[n->column]) {
            if (++used > g->most)
                return false;
            g->slots[n->column]++;
        }
        if (until[n->slot] >= 0 && wipe)
            slot_wipe(g, n, n->slot, until[n->slot], wipe);
        until[n->slot] = n->last;
    }
    return true;
}

static at_status ring_open(ring *g, dp_pack *k, pack_head *h, int width, at_err *err)
{
    at_arena *a = &k->arena;
    size_t L = (size_t)k->x->L, columns = (size_t)h->n_columns;
    *g = (ring){.k = k, .h = h, .L = (int)k->x->L, .most = width};
    g->block = at_new(a, int, L);
    g->asked = at_new(a, int, L);
    g->pair = at_new(a, int, L);
    g->pairs = at_new(a, int, width + 3);
    g->all = at_new(a, number, (size_t)h->classes * columns + 1);
    g->of = at_new(a, int, (size_t)h->classes *columns + 1);
    g->until = at_new(a, int, (size_t)width *columns *(size_t)width + 1);
    g->slots = at_new(a, int, columns + 1);
    return g->block && g->asked && g->pair && g->pairs && g->all && g->of && g->until && g->slots
               ? AT_OK
               : at_oom(err);
}

/* Does a ring of so many blocks, runs of so many indices, have enough with `wide` slots? */
static bool ring_fits(ring *g, int blocks, int each, int wide)
{
    const pack_head *h = g->h;
    g->blocks = blocks;
    g->each = each;
    g->most = wide;
    g->runs = (h->classes + each - 1) / each;
    for (int c = 0; c < h->n_columns; c++)
        g->sub_first[c + 1] = g->sub_first[c] + (each + h->column[c].digits - 1) / h->column[c].digits;
    size_t all = (size_t)g->runs * (size_t)g->sub_first[h->n_columns];
    if (g->sub_first[h->n_columns] > wide || all > (size_t)h->classes * (size_t)h->n_columns)
        return false;
    memset(g->of, -1, all * sizeof *g->of);
    numbers_find(g);
    blocks_fill(g);
    return slots_give(g, NULL);
}

/* As many indices as lie between one that is asked for and the newest, at most. */
static int reach_of(const ring *g)
{
    int newest = 0, reach = 0;
    for (int r = 0; r < g->L; r++) {
        newest = g->h->index[r] > newest ? g->h->index[r] : newest;
        if (g->h->asks[r] >= 0 && newest - g->h->asks[r] > reach)
            reach = newest - g->h->asks[r];
    }
    return reach + 1;
}

static at_status ring_keep(ring *g, const at_dp_options *o, at_err *err)
{
    pack_head *h = g->h;
    for (int c = 0; c < h->n_columns; c++)
        h->column[c].slots = g->slots[c];
    h->each = g->each;
    h->blocks = g->blocks;
    h->wipe = at_new(&g->k->arena, signed char, (size_t)g->L *(size_t)dp_pack_slots(h));
    if (!h->wipe)
        return at_oom(err);
    slots_give(g, o->keep ? NULL : h->wipe);
    for (int r = 0; r < g->L; r++) {
        int i = h->index[r], j = h->asks[r];
        h->block[r] = g->block[r];
        h->asked[r] = g->asked[r];
        for (int c = 0; c < h->n_columns; c++) {
            int R = h->column[c].digits;
            const number *here = i >= 0 && h->holds[r] >> c & 1 ? number_at(g, c, i) : NULL,
                         *there = j >= 0 && h->reads[r] >> c & 1 ? number_at(g, c, j) : NULL;
            h->place[r * h->n_columns + c] =
                (pack_place){here ? here->slot : -1, here ? i % g->each % R : -1, there ? there->slot : 0,
                             there ? j % g->each % R : 0};
        }
    }
    return AT_OK;
}

at_status dp_pack_ring(dp_pack *k, const at_dp_options *o, pack_head *h, at_err *err)
{
    ring g;
    int now = h->blocks > dp_pack_slots(h) ? h->blocks : dp_pack_slots(h), digits = 0;
    for (int c = 0; c < h->n_columns; c++)
        digits = h->column[c].digits > digits ? h->column[c].digits : digits;
    at_status st = ring_open(&g, k, h, now, err);
    int reach = st ? 0 : reach_of(&g);
    for (int wide = 2; wide < now && !st; wide++)
        for (int each = (reach + wide - 1) / wide; each <= wide * digits; each++)
            if (ring_fits(&g, wide, each, wide))
                return ring_keep(&g, o, err);
    return st;
}
