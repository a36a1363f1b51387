/* compile_dp_pack.c: the steps of a packed linear decoder, by the plan of dp_pack.c.
 *
 * A head remembers blocks x slots sums of integers below 2^24, and a number of a column is R digits in base q:
 *
 *   write   A row whose number is v, of index i: block, slot and digit of i are position tables. It adds (v - lo) q^digit to its slot,
 *           under the key of its block. Every digit of a sum is written once, so the sum is the digits.
 *   fetch   The query is the one-hot vector of the block. Attention adds up (at_attention.adds): a hidden row before the input weighs
 *           2^60 in every block, so that the denominator is 2^60 whatever was read, and dividing by it does nothing.
 *   pick    slot k passes relu(V_k - top nk), nk = [k is not the slot]; the sum of all is the number V.
 *   clear   With dp_pack_ring.c a row also begins or ends to clear numbers of its block (at_attention.wipe), by a position table.
 *   rebuild A value that is kept modulo m lies in from..from+m-1 above a base, both given by the step (dp_pack_near.c): it is
 *           base + from + ((digit - base - from) mod m), and residues are of numbers that the row has.
 *   digits  from the top: d = number of c >= 1 with V >= c q^i, by units relu(V - c q^i + 1) - relu(V - c q^i), which are exact on
 *           integers of any size that the arithmetic has; cleaned on small integers; V becomes V - d q^i. A base above 16 goes in steps of 16.
 *
 * Where nothing is to be fetched the query is that of block 0, and what comes is in range. */
#include "dp_blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEP 16 /* a digit is found among at most so many values at a time */

typedef struct {
    const dp_pack *k;
    at_program *P;
    at_arena arena;
    at_var anchor;
    const at_var *value;                          /* of this row */
    at_var residue[AT_DP_MAX];                    /* of these, where they are kept modulo a number, or -1 */
    at_var got[2 * AT_DP_MAX + 1][PACK_COLUMNS];  /* by head and column, as kept */
    at_var rebuilt[2 * AT_DP_MAX + 1][AT_DP_MAX]; /* by fetch and value, or -1 */
    int serial;
    char name[32];
} packer;

static const char *fresh(packer *p)
{
    snprintf(p->name, sizeof p->name, "k%d", p->serial++);
    return p->name;
}

static at_var *room(packer *p, int n)
{
    at_var *v = at_new(&p->arena, at_var, n + 1);
    if (!v)
        at_program_oom(p->P);
    return v;
}

/* For k < n: 1 where x is not k, 0 where it is; each a number by itself, so that a sum with it has few terms. */
static at_var *none_hot(packer *p, at_var x, int n)
{
    at_var *out = room(p, n);
    for (int k = 0; out && k < n; k++)
        out[k] = at_relu(p->P, fresh(p), at_not(p->P, at_equals(p->P, fresh(p), x, k)));
    return out;
}

static at_var *one_hot(packer *p, at_var x, int n)
{
    at_var *out = room(p, n);
    for (int k = 0; out && k < n; k++)
        out[k] = at_equals(p->P, fresh(p), x, k);
    return out;
}

/* x where off is 0, 0 where it is 1; x is at most top. */
static at_var gate(packer *p, at_var x, double top, at_var off)
{
    return at_relu(p->P, fresh(p), at_sum(p->P, NULL, AT_VEC(x, off), (double[]){1, -top}, 0));
}

/* ---- position tables ----------------------------------------------------------------------------------------- */

/* Of a head: the block that a row writes to (their number: none) and the one that it asks for; of each column slot and digit of both. */
enum { BLOCK, ASKED, PER_COLUMN };
enum { SLOT, DIGIT, ASKED_SLOT, ASKED_DIGIT, OF_COLUMN };

/* Behind all of these, for each slot: does the row clear it? */
static int wiping(const pack_head *h)
{
    return PER_COLUMN + OF_COLUMN * h->n_columns;
}

static void row_fill(const pack_head *h, int row, double *out)
{
    out[BLOCK] = h->block[row] < 0 ? h->blocks : h->block[row];
    out[ASKED] = h->asked[row];
    for (int c = 0; c < h->n_columns; c++) {
        const pack_column *t = &h->column[c];
        const pack_place *p = &h->place[row * h->n_columns + c];
        double *o = out + PER_COLUMN + c * OF_COLUMN;
        bool here = h->block[row] >= 0 && p->slot >= 0;
        o[SLOT] = here ? p->slot : t->slots;
        o[DIGIT] = here ? p->digit : t->digits;
        o[ASKED_SLOT] = p->asked_slot;
        o[ASKED_DIGIT] = p->asked_digit;
    }
    int slots = dp_pack_slots(h);
    for (int s = 0; h->wipe && h->block[row] >= 0 && s < slots; s++)
        out[wiping(h) + s] = h->wipe[(size_t)row * (size_t)slots + (size_t)s];
}

/* The first of the variables above; the hidden row writes nothing. */
static at_var tables(packer *p, const pack_head *h)
{
    int L = (int)p->k->x->L, m = wiping(h) + (h->wipe ? dp_pack_slots(h) : 0);
    double *rows = at_new(&p->arena, double, (size_t)(L + 1) * (size_t)m);
    if (!rows)
        return at_program_oom(p->P), -1;
    for (int r = 0; r < L; r++)
        row_fill(h, r, rows + (size_t)(r + 1) * (size_t)m);
    rows[BLOCK] = h->blocks;
    for (int c = 0; c < h->n_columns; c++) {
        rows[PER_COLUMN + c * OF_COLUMN + SLOT] = h->column[c].slots;
        rows[PER_COLUMN + c * OF_COLUMN + DIGIT] = h->column[c].digits;
    }
    return at_position_rows(p->P, fresh(p), m, rows);
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

static double base_of(const pack_column *t)
{
    return (double)(t->hi - t->lo + 1);
}

static double power(double q, int n)
{
    double p = 1;
    for (int k = 0; k < n; k++)
        p *= q;
    return p;
}

/* The largest number of a column. */
static double top_of(const pack_column *t)
{
    return power(base_of(t), t->digits) - 1;
}

static void slots_write(packer *p, const pack_column *t, at_var table, at_var v, at_var *slot)
{
    at_program *P = p->P;
    at_var_info i = at_program_var(P, v);
    at_var *not_digit = none_hot(p, table + DIGIT, t->digits),
           *not_slot = none_hot(p, table + SLOT, t->slots), *terms = room(p, t->digits);
    double *place = at_new(&p->arena, double, t->digits + 1);
    if (!not_digit || !not_slot || !terms || !place)
        return (void)at_program_oom(P);
    /* by a name, since every digit reads it: a text says it once, too */
    at_var from0 = t->lo ? at_sum(P, fresh(p), AT_VEC(v), NULL, -(double)t->lo) : v;
    for (int d = 0; d < t->digits; d++) {
        place[d] = power(base_of(t), d);
        terms[d] = gate(p, from0, fmax(i.hi - (double)t->lo, 1), not_digit[d]);
    }
    at_var packed = at_sum(P, NULL, (at_vec){t->digits, terms}, place, 0);
    packed = at_known(P, fresh(p), packed, 0, top_of(t), true, -1);
    for (int s = 0; s < t->slots; s++)
        slot[s] = gate(p, packed, top_of(t), not_slot[s]);
}

/* ---- fetching -------------------------------------------------------------------------------------------------- */

/* floor(V / weight), at most count; *V becomes the rest. */
static at_var digit_take(packer *p, at_var *V, double weight, int count)
{
    at_program *P = p->P;
    at_var terms[STEP], d = *V;
    for (int c = 1; weight > 1 && c <= count; c++) { /* a unit each: the large ones are not added up */
        terms[c - 1] = at_ramp(P, fresh(p), *V, c * weight - 1, c * weight);
        terms[c - 1] = at_relu(P, fresh(p), terms[c - 1]);
    }
    if (weight > 1)
        d = at_known(P, fresh(p), at_sum(P, NULL, (at_vec){count, terms}, NULL, 0), 0, count, true, -1);
    for (int c = 1; c <= count; c++)
        terms[c - 1] = at_at_least(P, fresh(p), d, c);
    d = at_relu(P, fresh(p), at_sum(P, NULL, (at_vec){count, terms}, NULL, 0));
    at_var rest = at_sum(P, NULL, AT_VEC(*V, d), (double[]){1, -weight}, 0);
    *V = weight > 1 ? at_known(P, fresh(p), rest, 0, weight - 1, true, -1) : rest;
    return d;
}

/* One digit in base q that stands at `weight` in V. */
static at_var digit_of(packer *p, at_var *V, double weight, double q)
{
    at_var parts[16];
    double by[16], step = 1;
    int n = 0;
    while (step * STEP < q)
        step *= STEP;
    for (double left = q - 1; step >= 1; step /= STEP, n++) {
        int count = (int)fmin(floor(left / step), STEP - 1);
        parts[n] = count ? digit_take(p, V, weight * step, count) : at_const(p->P, 0);
        by[n] = step;
    }
    return at_sum(p->P, NULL, (at_vec){n, parts}, by, 0);
}

/* What stands at the asked place of a column; V: the first of its slots as fetched, none above `most`. */
static at_var column_read(packer *p, const pack_column *t, at_var table, at_var fetched, double most)
{
    at_program *P = p->P;
    at_var *not_slot = none_hot(p, table + ASKED_SLOT, t->slots), *slot = room(p, t->slots),
           *digit = one_hot(p, table + ASKED_DIGIT, t->digits), *terms = room(p, t->digits);
    double q = base_of(t);
    if (!not_slot || !slot || !digit || !terms || fetched < 0)
        return -1;
    for (int s = 0; s < t->slots; s++)
        slot[s] = gate(p, fetched + s, most, not_slot[s]);
    at_var V =
        at_known(P, fresh(p), at_sum(P, NULL, (at_vec){t->slots, slot}, NULL, 0), 0, top_of(t), true, -1);
    for (int d = t->digits - 1; d >= 0; d--) {
        at_var x = q > 1 ? digit_of(p, &V, power(q, d), q) : at_const(P, 0);
        terms[d] = at_select(P, fresh(p), digit[d], x, at_const(P, 0));
    }
    at_var all = at_sum(P, NULL, (at_vec){t->digits, terms}, NULL, (double)t->lo);
    return at_known(P, fresh(p), all, (double)t->lo, (double)t->hi, true, -1);
}

/* x mod m, of an integer. */
static at_var residue(packer *p, at_var x, int64_t m)
{
    at_program *P = p->P;
    at_var q = at_floor_div(P, fresh(p), x, (int)m);
    at_var rest = at_sum(P, NULL, AT_VEC(x, q), (double[]){1, -(double)m}, 0);
    return at_known(P, fresh(p), rest, 0, (double)m - 1, true, -1);
}

/* Of value v of this row; it has one modulus. */
static at_var own_residue(packer *p, int v, int64_t m)
{
    if (p->residue[v] < 0)
        p->residue[v] = residue(p, p->value[v], m);
    return p->residue[v];
}

/* A head: what it fetches, column by column. */
static void head_steps(packer *p, const pack_head *h, at_var input, at_var *got)
{
    at_program *P = p->P;
    double most = 0;
    for (int c = 0; c < h->n_columns; c++)
        most = fmax(most, top_of(&h->column[c]));
    for (int c = 0; c < h->n_columns && most == 0; c++) /* numbers that can be one thing only are known */
        got[c] = at_const(P, (double)h->column[c].lo);
    if (most == 0)
        return;
    at_var table = tables(p, h), first = -1;
    int slots = dp_pack_slots(h), at = 0;
    at_var *slot = room(p, slots), *wipe = room(p, slots), *key = room(p, h->blocks + 1),
           *hot = one_hot(p, table + BLOCK, h->blocks), *query = one_hot(p, table + ASKED, h->blocks);
    if (!slot || !wipe || !key || !hot || !query || table < 0)
        return;
    for (int s = 0; s < slots; s++)
        wipe[s] = table + wiping(h) + s;
    for (int c = 0; c < h->n_columns; c++) {
        const pack_column *t = &h->column[c];
        at_var v = t->input ? input : t->mod ? own_residue(p, t->k, t->mod) : p->value[t->k];
        slots_write(p, t, table + PER_COLUMN + c * OF_COLUMN, v, slot + at);
        at += t->slots;
    }
    for (int b = 0; b < h->blocks; b++)
        key[b] = hot[b];
    key[h->blocks] = p->anchor;
    first = at_attend(P, fresh(p),
                      &(at_attention){.query = {h->blocks, query},
                                      .key = {h->blocks + 1, key},
                                      .value = {slots, slot},
                                      .weighting = AT_LINEAR,
                                      .mask = {.kind = AT_MASK_CAUSAL},
                                      .gap = 1,
                                      .adds = most,
                                      .wipe = {h->wipe ? slots : 0, wipe}});
    at = 0;
    for (int c = 0; c < h->n_columns && first >= 0; c++) {
        got[c] = column_read(p, &h->column[c], table + PER_COLUMN + c * OF_COLUMN, first + at,
                             top_of(&h->column[c]));
        at += h->column[c].slots;
    }
}

static int column_find(const pack_head *h, bool input, int k)
{
    for (int c = 0; c < h->n_columns; c++)
        if (h->column[c].input == input && h->column[c].k == k)
            return c;
    return -1;
}

/* ---- rebuilding ------------------------------------------------------------------------------------------------ */

enum { FROM, FROM_REST, OF_BASE }; /* and behind them, for each item: is it the base? */

/* At every row that asks for a step; elsewhere the least value, above 0. */
static at_var near_tables(packer *p, const pack_near *near, int v, int items)
{
    const at_dp_instance *x = p->k->x;
    int m = OF_BASE + items;
    double *rows = at_new(&p->arena, double, (size_t)(x->L + 1) * (size_t)m);
    if (!rows)
        return at_program_oom(p->P), -1;
    for (int64_t r = 0; r <= x->L; r++) {
        int64_t s = r - 1 - x->n_input;
        bool step = s >= 0 && s <= x->n_states;
        double from = (double)(step ? near->from[s] : x->value_lo[v]), mod = (double)near->mod;
        double *out = rows + (size_t)r * (size_t)m;
        out[FROM] = from;
        out[FROM_REST] = from - mod * floor(from / mod);
        out[OF_BASE + (step ? near->base[s] : AT_DP_ZERO)] = 1;
    }
    return at_position_rows(p->P, fresh(p), m, rows);
}

static bool base_used(const packer *p, const pack_near *near, int item)
{
    bool any = false;
    for (int64_t s = 0; s <= p->k->x->n_states; s++)
        any = any || near->base[s] == item;
    return any;
}

static at_var value_of(packer *p, int fetch, int v);

/* What an item is, and its residue. */
static at_var item_of(packer *p, int item, int v, int64_t m, at_var *rest)
{
    if (item == AT_DP_BEFORE) {
        *rest = own_residue(p, v, m);
        return p->value[v];
    }
    int f = p->k->n_takes + item - AT_DP_NEED;
    const pack_fetch *g = &p->k->fetch[f];
    at_var x = value_of(p, f, v);
    *rest = x < 0            ? -1
            : g->near[v].mod ? p->got[g->head][column_find(&p->k->head[g->head], false, v)]
                             : residue(p, x, m);
    return x;
}

/* base + from + ((digit - base - from) mod m). */
static at_var rebuild(packer *p, const pack_near *near, int v, at_var digit)
{
    at_program *P = p->P;
    const at_dp_instance *x = p->k->x;
    int items = AT_DP_NEED + x->d->n_needs, n = 1;
    at_var table = near_tables(p, near, v, items), *whole = room(p, items + 2), *rest = room(p, items + 2);
    double *less = at_new(&p->arena, double, items + 2), m = (double)near->mod;
    double *after = at_new(&p->arena, double, 3 * (size_t)near->mod);
    if (table < 0 || !whole || !rest || !less || !after)
        return -1;
    whole[0] = table + FROM;
    rest[0] = digit, less[0] = 1;
    rest[n] = table + FROM_REST, less[n] = -1;
    for (int i = AT_DP_BEFORE; i < items; i++) {
        if (!base_used(p, near, i))
            continue;
        at_var residue_there, there = item_of(p, i, v, near->mod, &residue_there), zero = at_const(P, 0);
        whole[n++] = at_select(P, fresh(p), table + OF_BASE + i, there, zero);
        rest[n] = at_select(P, fresh(p), table + OF_BASE + i, residue_there, zero), less[n] = -1;
    }
    at_var off = at_sum(P, NULL, (at_vec){n + 1, rest}, less, 0);
    off = at_known(P, fresh(p), off, -2 * (m - 1), m - 1, true, -1);
    at_var_info range = at_program_var(P, off); /* perhaps narrower */
    for (int t = 0; t <= (int)(range.hi - range.lo) && off >= 0; t++)
        after[t] = fmod(range.lo + t + 2 * m, m);
    whole[n++] = at_table(P, fresh(p), off, after);
    at_var all = at_sum(P, NULL, (at_vec){n, whole}, NULL, 0);
    return at_known(P, fresh(p), all, (double)x->value_lo[v], (double)x->value_hi[v], true, -1);
}

/* Value v of a fetch that has a head and reads it. */
static at_var value_of(packer *p, int fetch, int v)
{
    const pack_fetch *f = &p->k->fetch[fetch];
    at_var *out = &p->rebuilt[fetch][v];
    if (*out < 0) {
        at_var got = p->got[f->head][column_find(&p->k->head[f->head], false, v)];
        *out = f->near[v].mod ? rebuild(p, &f->near[v], v, got) : got;
    }
    return *out;
}

/* Consecutive variables, one a value: what was fetched, or, of values that nobody reads, something in range. */
static at_var state_give(packer *p, int fetch)
{
    const at_dp_instance *x = p->k->x;
    const pack_fetch *f = &p->k->fetch[fetch];
    at_var first = -1, from[AT_DP_MAX];
    for (int v = 0; v < x->d->n_values; v++)
        from[v] = f->head >= 0 && f->used[v] ? value_of(p, fetch, v) : at_const(p->P, (double)x->value_lo[v]);
    for (int v = 0; v < x->d->n_values; v++) {
        at_var one =
            at_known(p->P, fresh(p), from[v], (double)x->value_lo[v], (double)x->value_hi[v], true, -1);
        first = v ? first : one;
    }
    return first;
}

void dp_pack_write(at_program *P, int *serial, const pack_column *t, at_var writes, at_var v, at_var *slot)
{
    packer p = {.P = P, .serial = *serial};
    at_arena_init(&p.arena);
    slots_write(&p, t, writes - SLOT, v, slot);
    *serial = p.serial;
    at_arena_release(&p.arena);
}

at_var dp_pack_read(at_program *P, int *serial, const pack_column *t, at_var asks, at_var fetched,
                    double most)
{
    packer p = {.P = P, .serial = *serial};
    at_arena_init(&p.arena);
    at_var v = column_read(&p, t, asks - ASKED_SLOT, fetched, most);
    *serial = p.serial;
    at_arena_release(&p.arena);
    return v;
}

void dp_pack_fetch(const dp_pack *k, at_program *P, at_var input, const at_var *value, at_var *take,
                   at_var *need, at_var *last)
{
    if (k->blocks) {
        dp_blocks_fetch(k, P, input, value, take, need, last);
        return;
    }
    packer *p = at_calloc(1, sizeof *p);
    const at_dp *d = k->x->d;
    if (!p) {
        at_program_oom(P);
        return;
    }
    *p = (packer){.k = k, .P = P, .anchor = at_mark_prefix(P, "anchor", 0), .value = value};
    at_arena_init(&p->arena);
    memset(p->residue, -1, sizeof p->residue);
    memset(p->rebuilt, -1, sizeof p->rebuilt);
    memset(p->got, -1, sizeof p->got);
    for (int h = 0; h < k->n_heads; h++) {
        char label[AT_NAME_MAX + 1] = "";
        int n = 0;
        for (int f = 0; f < k->n_fetches; f++)
            if (k->fetch[f].head == h)
                n += snprintf(label + n, sizeof label - (size_t)n, "%s%.20s", n ? ", " : "",
                              f < k->n_takes         ? d->takes[f].name.name
                              : f < k->n_fetches - 1 ? d->needs[f - k->n_takes].name.name
                                                     : "answer");
        at_program_label(P, label);
        head_steps(p, &k->head[h], input, p->got[h]);
        at_program_label(P, NULL);
    }
    for (int f = 0; f < k->n_fetches && !at_program_status(P, NULL); f++) {
        const pack_fetch *g = &k->fetch[f];
        bool answer = f == k->n_fetches - 1;
        at_var v;
        if (g->input)
            v = g->head < 0 ? at_const(P, (double)k->x->input_lo[d->takes[f].input])
                            : p->got[g->head][column_find(&k->head[g->head], true, d->takes[f].input)];
        else if (g->before || (answer && g->head < 0))
            v = value[0];
        else
            v = state_give(p, f);
        *(g->input ? &take[f] : answer ? last : &need[f - k->n_takes]) = v;
    }
    at_arena_release(&p->arena);
    at_free(p);
}
