/* compile_dp_blocks.c: the steps of a packed block-sparse decoder, by the plan of dp_pack_sparse.c.
 *
 * Row r, from 0, has block b = r div B and offset o = r mod B; these, their squares and all places of the plan are position tables. No
 * number below is above 2^24, and nothing is rounded in f32.
 *
 *   write   A row adds (v - lo) q^digit to its slot of the `ends` numbers, and 0 to the others (dp_pack_write).
 *   gather  At the end of a block attention is uniform over its B rows, by the score 2 b b' - b'^2. The mean is the sum, below 2^24,
 *           over a power of two: B times it is the sum. In other rows o'^2 is taken off the score as well: they see the
 *           first row of their block alone, and the number of keys is a power of two again.
 *   gate    relu(B mean - B top [no end]): the block's numbers at its end, 0 elsewhere.
 *   copy    A near row, by the score 2 b b' - b'^2 + 2 o o' - o'^2, which is largest there, by 1: the rows are points of a grid.
 *   fetch   In the same way the end of a block, at offset B - 1. A head that has nothing to fetch asks for the block before. In
 *           the first block, whose end is not there yet, the nearest to it is the row itself.
 *   read    slot and digit, as in compile_dp_pack.c. */
#include "dp_blocks.h"

#include <math.h>
#include <stdio.h>

#define SCALE 1024.0 /* e^-1024 is 0 in every format here; a power of two, so that scores stay exact */

typedef struct {
    const dp_pack *k;
    const dp_blocks *b;
    at_program *P;
    at_arena arena;
    at_var table;
    at_var near_at[2 * AT_DP_MAX + 1];            /* block and offset of a near row, or -1 */
    at_var asks[2 * AT_DP_MAX + 1][PACK_COLUMNS]; /* slot and digit of a far one */
    int serial;
    char name[32];
} maker;

enum { BLOCK, BLOCK2, OFFSET, OFFSET2, NO_END, FIRST };

static const char *fresh(maker *m)
{
    snprintf(m->name, sizeof m->name, "b%d", m->serial++);
    return m->name;
}

static at_var *room(maker *m, int n)
{
    at_var *v = at_new(&m->arena, at_var, n + 1);
    if (!v)
        at_program_oom(m->P);
    return v;
}

static int copied_numbers(const dp_blocks *b)
{
    int n = 0;
    for (int h = 0; h < b->n_heads; h++)
        n += b->width[h];
    return n;
}

/* ---- position tables ----------------------------------------------------------------------------------------- */

/* The slot of what is asked for among the numbers of all heads, one behind the other; all of them: none. */
static int place_of(const dp_blocks *b, int column, int64_t row)
{
    if (row < 0 || b->slot[column][row] < 0)
        return copied_numbers(b);
    int at = b->slot[column][row];
    for (int h = 0; h < b->head[row / b->B]; h++)
        at += b->width[h];
    return at;
}

/* The block that head h reads at step s, or -1. */
static int64_t asked_block(const dp_pack *k, const dp_blocks *b, int h, int64_t s)
{
    for (int f = 0; f < k->n_fetches && s >= 0; f++) {
        int64_t row = b->fetch[f].far_at[s];
        if (row >= 0 && b->head[row / b->B] == h)
            return row / b->B;
    }
    return -1;
}

/* The columns of row r in their order; returns how many. */
static int row_fill(const maker *m, int64_t r, double *out)
{
    const dp_blocks *b = m->b;
    const dp_pack *k = m->k;
    int64_t block = r / b->B, offset = r % b->B, s = r - k->x->n_input; /* the step that this row takes */
    int n = FIRST;
    s = s <= k->x->n_states ? s : -1;
    out[BLOCK] = (double)block;
    out[BLOCK2] = (double)(block * block);
    out[OFFSET] = (double)offset;
    out[OFFSET2] = (double)(offset * offset);
    out[NO_END] = offset != b->B - 1;
    for (int c = 0; c < b->kept.n_columns; c++) {
        bool kept = b->slot[c][r] >= 0;
        out[n++] = kept ? b->slot[c][r] : b->ends;
        out[n++] = kept ? b->digit[c][r] : b->kept.column[c].digits;
    }
    for (int h = 0; h < b->n_heads; h++) {
        int64_t asked = asked_block(k, b, h, s);
        out[n++] = (double)(asked >= 0 ? asked : block > 0 ? block - 1 : 0);
    }
    for (int f = 0; f < k->n_fetches; f++) {
        const blocks_fetch *g = &b->fetch[f];
        int64_t near = s >= 0 && g->near_at[s] >= 0 ? g->near_at[s] : r, far = s >= 0 ? g->far_at[s] : -1;
        out[n++] = (double)(near / b->B);
        out[n++] = (double)(near % b->B);
        for (int c = 0; c < b->kept.n_columns; c++) {
            int at = place_of(b, c, far);
            out[n++] = at;
            out[n++] = at < copied_numbers(b) ? b->digit[c][far] : 0;
        }
    }
    return n;
}

static void tables(maker *m)
{
    const dp_blocks *b = m->b;
    int64_t L = m->k->x->L;
    int n = FIRST + 2 * b->kept.n_columns + b->n_heads + m->k->n_fetches * (2 + 2 * b->kept.n_columns);
    double *rows = at_new(&m->arena, double, (size_t)L *(size_t)n);
    if (!rows) {
        at_program_oom(m->P);
        return;
    }
    for (int64_t r = 0; r < L; r++)
        row_fill(m, r, rows + (size_t)r * (size_t)n);
    m->table = at_position_rows(m->P, "rows", n, rows);
    at_var at = m->table + FIRST + 2 * b->kept.n_columns + b->n_heads;
    for (int f = 0; f < m->k->n_fetches; f++) {
        m->near_at[f] = at;
        for (int c = 0; c < b->kept.n_columns; c++)
            m->asks[f][c] = at + 2 + 2 * c;
        at += 2 + 2 * b->kept.n_columns;
    }
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* The largest number that an end holds. */
static double top_of(const dp_blocks *b)
{
    double top = 0;
    for (int c = 0; c < b->kept.n_columns; c++) {
        const pack_column *t = &b->kept.column[c];
        double all = 1;
        for (int d = 0; d < t->digits && b->stored >> c & 1; d++)
            all *= (double)(t->hi - t->lo + 1);
        top = fmax(top, all - 1);
    }
    return top;
}

/* What this row adds to each of the numbers: of one column, since no other has that slot in its block. */
static void slots_fill(maker *m, at_var input, const at_var *value, at_var *slot)
{
    const dp_blocks *b = m->b;
    int n = 0;
    at_var *all = room(m, b->kept.n_columns * b->ends), *one = room(m, b->kept.n_columns);
    for (int c = 0; c < b->kept.n_columns && all && one; c++) {
        pack_column t = b->kept.column[c];
        t.slots = b->ends;
        if (b->stored >> c & 1)
            dp_pack_write(m->P, &m->serial, &t, m->table + FIRST + 2 * c, t.input ? input : value[t.k],
                          all + n++ * b->ends);
    }
    for (int s = 0; s < b->ends && all && one; s++) {
        for (int c = 0; c < n; c++)
            one[c] = all[c * b->ends + s];
        at_var sum =
            at_known(m->P, fresh(m), at_sum(m->P, NULL, (at_vec){n, one}, NULL, 0), 0, top_of(b), true, -1);
        slot[s] = n > 1 ? at_relu(m->P, fresh(m), sum) : one[0];
    }
}

static at_mask mask_of(const dp_blocks *b)
{
    return (at_mask){.kind = AT_MASK_BLOCK_SPARSE, .block = b->B, .windows = 1, .ends = 1};
}

/* Gather and gate: at the ends of blocks the numbers of the block. */
static void ends_make(maker *m, const at_var *slot, at_var *out)
{
    at_program *P = m->P;
    const dp_blocks *b = m->b;
    double top = top_of(b);
    at_var one = at_const(P, 1), no_end = m->table + NO_END;
    bool power = !(b->B & (b->B - 1));
    at_program_label(P, "block");
    at_var mean = at_attend(
        P, fresh(m),
        &(at_attention){.query = AT_VEC(at_scaled(P, 2, m->table + BLOCK), at_neg(P, one), at_neg(P, no_end)),
                        .key = AT_VEC(m->table + BLOCK, m->table + BLOCK2, m->table + OFFSET2),
                        .value = {b->ends, slot},
                        .weighting = AT_SOFTMAX,
                        .mask = mask_of(b),
                        .gap = 1,
                        .scale = SCALE,
                        .most = b->B,
                        .total = power ? top : 0});
    at_program_label(P, NULL);
    for (int s = 0; s < b->ends && mean >= 0; s++) {
        at_var sum = at_sum(P, NULL, AT_VEC(mean + s, no_end), (double[]){b->B, -b->B * top}, 0);
        out[s] = at_relu(P, fresh(m), at_known(P, fresh(m), sum, -b->B * top, top, true, -1));
    }
}

/* ---- fetching -------------------------------------------------------------------------------------------------- */

static at_vec grid_query(maker *m, at_var block, at_var offset)
{
    at_var *q = room(m, 4), minus = at_const(m->P, -1);
    if (!q)
        return (at_vec){0, NULL};
    q[0] = at_scaled(m->P, 2, block);
    q[1] = q[3] = minus;
    q[2] = at_scaled(m->P, 2, offset);
    return (at_vec){4, q};
}

/* The values of the row that the query asks for; the first of them. total: 0, or what none is above. */
static at_var copy(maker *m, const char *label, at_vec query, at_vec values, double total)
{
    at_var t = m->table;
    at_program_label(m->P, label);
    at_var got = at_attend(m->P, fresh(m),
                           &(at_attention){.query = query,
                                           .key = AT_VEC(t + BLOCK, t + BLOCK2, t + OFFSET, t + OFFSET2),
                                           .value = values,
                                           .weighting = AT_SOFTMAX,
                                           .mask = mask_of(m->b),
                                           .gap = 1,
                                           .scale = SCALE,
                                           .unique = true,
                                           .most = 1,
                                           .total = total});
    at_program_label(m->P, NULL);
    return got;
}

/* The numbers of all heads, one behind the other: no variable is made between the heads. */
static at_var ends_fetch(maker *m, const at_var *end)
{
    const dp_blocks *b = m->b;
    at_vec *query = at_new(&m->arena, at_vec, b->n_heads);
    at_var first = -1, last = at_const(m->P, b->B - 1), asked = m->table + FIRST + 2 * b->kept.n_columns;
    if (!query)
        return at_program_oom(m->P), -1;
    for (int h = 0; h < b->n_heads; h++)
        query[h] = grid_query(m, asked + h, last);
    for (int h = 0; h < b->n_heads; h++) {
        at_var got = copy(m, "end of a block", query[h], (at_vec){b->width[h], end}, top_of(b));
        first = h ? first : got;
    }
    return first;
}

static const char *label_of(const dp_pack *k, int f)
{
    const at_dp *d = k->x->d;
    return f < k->n_takes         ? d->takes[f].name.name
           : f < k->n_fetches - 1 ? d->needs[f - k->n_takes].name.name
                                  : "answer";
}

/* x in lo..hi, where it is not that already. */
static at_var within(maker *m, at_var x, double lo, double hi)
{
    at_var_info i = at_program_var(m->P, x);
    if (i.lo < lo)
        x = at_max2(m->P, fresh(m), x, at_const(m->P, lo));
    if (i.hi > hi)
        x = at_min2(m->P, fresh(m), x, at_const(m->P, hi));
    return x;
}

/* Column c of fetch f: near what was copied, far what stands in the numbers. */
static at_var column_give(maker *m, int f, int c, at_var near, at_var fetched)
{
    const blocks_fetch *g = &m->b->fetch[f];
    pack_column t = m->b->kept.column[c];
    at_var far = -1;
    t.slots = copied_numbers(m->b);
    if (near >= 0)
        near = within(m, near, (double)t.lo, (double)t.hi);
    if (g->far)
        far = dp_pack_read(m->P, &m->serial, &t, m->asks[f][c], fetched, top_of(m->b));
    if (near < 0 || far < 0)
        return near < 0 ? far : near;
    at_var none = at_at_least(m->P, fresh(m), m->asks[f][c], t.slots);
    return at_select(m->P, fresh(m), none, near, far);
}

/* An input is one column, of itself or of another with the same range. */
static int column_find(const dp_blocks *b, int bits, bool input, int k)
{
    for (int c = 0; c < b->kept.n_columns; c++)
        if (bits >> c & 1 && b->kept.column[c].input == input && (input || b->kept.column[c].k == k))
            return c;
    return -1;
}

/* What fetch f gives: one variable, or one a value of the state, consecutive; those that nobody reads are in range. got: near ones. */
static at_var fetch_give(maker *m, int f, const at_var *got, at_var fetched)
{
    const at_dp_instance *x = m->k->x;
    const pack_fetch *g = &m->k->fetch[f];
    int n = g->input ? 1 : x->d->n_values, of = g->input ? x->d->takes[f].input : 0;
    at_var from[AT_DP_MAX], first = -1;
    for (int v = 0; v < n; v++) {
        int k = g->input ? of : v, c = column_find(m->b, m->b->fetch[f].bits, g->input, k);
        from[v] = c >= 0 ? column_give(m, f, c, got[c], fetched)
                         : at_const(m->P, (double)(g->input ? x->input_lo[k] : x->value_lo[k]));
    }
    for (int v = 0; v < n; v++) {
        double lo = (double)(g->input ? x->input_lo[of] : x->value_lo[v]),
               hi = (double)(g->input ? x->input_hi[of] : x->value_hi[v]);
        at_var one = at_known(m->P, fresh(m), from[v], lo, hi, true, -1);
        first = v ? first : one;
    }
    return first;
}

void dp_blocks_fetch(const dp_pack *k, at_program *P, at_var input, const at_var *value, at_var *take,
                     at_var *need, at_var *last)
{
    const dp_blocks *b = k->blocks;
    maker m = {.k = k, .b = b, .P = P};
    at_arena_init(&m.arena);
    tables(&m);
    at_var *slot = room(&m, b->ends), *end = room(&m, b->ends), fetched = -1;
    if (b->ends && slot && end && !at_program_status(P, NULL)) {
        slots_fill(&m, input, value, slot);
        ends_make(&m, slot, end);
        fetched = ends_fetch(&m, end);
    }
    for (int f = 0; f < k->n_fetches && !at_program_status(P, NULL); f++) {
        const pack_fetch *g = &k->fetch[f];
        at_var got[PACK_COLUMNS], values[PACK_COLUMNS], v = value[0];
        int n = 0;
        for (int c = 0; c < b->kept.n_columns; c++) {
            const pack_column *t = &b->kept.column[c];
            got[c] = b->fetch[f].near && b->fetch[f].bits >> c & 1 ? n : -1;
            if (got[c] >= 0)
                values[n++] = t->input ? input : value[t->k];
        }
        at_var first = n ? copy(&m, label_of(k, f), grid_query(&m, m.near_at[f], m.near_at[f] + 1),
                                (at_vec){n, values}, 0)
                         : 0;
        for (int c = 0; c < b->kept.n_columns; c++)
            got[c] += got[c] >= 0 ? first : 0;
        bool answer = f == k->n_fetches - 1;
        if (!g->before && !(answer && !b->fetch[f].bits))
            v = fetch_give(&m, f, got, fetched);
        *(g->input ? &take[f] : answer ? last : &need[f - k->n_takes]) = v;
    }
    at_arena_release(&m.arena);
}
