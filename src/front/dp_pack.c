/* dp_pack.c: where a packed linear decoder keeps what a recurrence looks up.
 *
 * A plan of five steps, from what every state of the instance looks at (at_dp_fetches):
 *
 *   1. What is always the row before needs no head: it is the row that asks.
 *   2. Fetches share a head where, at every step at which both are there, their rows can have the same index: the rows that must are
 *      joined (union-find), and no two of a class may fill the same column. In `lis`, s[j] and len(j, j) have index j.
 *   3. Only rows that are fetched have an index, in the order in which they stand.
 *   4. What is known up to a few values is kept modulo their number (dp_pack_near.c).
 *   5. Blocks of `each` indices. A column with R digits a number takes ceil(each/R) slots of every block. The head is max(blocks, slots)
 *      wide; `each` makes that least. */
#include "dp_blocks.h"

#include <math.h>
#include <string.h>

#define PACKED 0x1p24 /* a number that is packed is an integer below this, exact in f32 */

/* ---- what is looked at ------------------------------------------------------------------------------------ */

static void used_mark(dp_pack *k, const at_dpx *e)
{
    if (e->op == AT_DPX_NEED)
        k->fetch[k->n_takes + e->index].used[e->field] = true;
    if (e->op == AT_DPX_VALUE)
        k->fetch[k->n_fetches - 1].used[e->index] = true;
    for (int a = 0; a < 3 && e->arg[a]; a++)
        used_mark(k, e->arg[a]);
}

/* The answer is of the last row, which asks itself, or of an earlier one. */
static at_status answer_find(dp_pack *k, at_err *err)
{
    const at_dp_instance *x = k->x;
    int64_t rank = 0;
    at_status s = x->n_states ? at_dp_answer_rank(x, &rank, err) : AT_OK;
    if (!s && rank >= 0 && rank < x->n_states - 1)
        k->fetch[k->n_fetches - 1].at[x->n_states] = x->n_input + 1 + rank;
    return s;
}

static at_status fetches_find(dp_pack *k, at_err *err)
{
    const at_dp_instance *x = k->x;
    const at_dp *d = x->d;
    int64_t steps = x->n_states + 1, take[AT_DP_MAX], need[AT_DP_MAX];
    k->n_takes = d->n_takes;
    k->n_fetches = d->n_takes + d->n_needs + 1;
    for (int f = 0; f < k->n_fetches; f++) {
        pack_fetch *g = &k->fetch[f];
        *g = (pack_fetch){.input = f < d->n_takes, .k = f < d->n_takes ? f : f - d->n_takes, .head = -1};
        if (!(g->at = at_new(&k->arena, int64_t, steps)))
            return at_oom(err);
        for (int64_t s = 0; s < steps; s++)
            g->at[s] = -1;
    }
    for (int64_t s = 0; s < x->n_states; s++) {
        at_status st = at_dp_fetches(x, s, take, need, err);
        if (st)
            return st;
        for (int f = 0; f < k->n_fetches - 1; f++) {
            int n = f - d->n_takes;
            k->fetch[f].at[s] = n < 0 ? take[f] : need[n] < 0 ? -1 : x->n_input + 1 + need[n];
        }
    }
    at_status st = answer_find(k, err);
    if (st)
        return st;
    for (int v = 0; v < d->n_values; v++)
        used_mark(k, d->values[v].rule);
    for (int v = 0; v < d->n_lets; v++)
        used_mark(k, d->lets[v].rule);
    used_mark(k, d->answer);
    for (int f = d->n_takes; f < k->n_fetches - 1; f++) {
        pack_fetch *g = &k->fetch[f];
        g->before = true;
        for (int64_t s = 0; s < x->n_states; s++)
            g->before = g->before && (g->at[s] < 0 || g->at[s] == x->n_input + s);
    }
    return AT_OK;
}

/* ---- which fetches share a head ------------------------------------------------------------------------------- */

static int root(int *up, int r)
{
    while (up[r] != r)
        r = up[r] = up[up[r]];
    return r;
}

/* The column of a head that a fetch reads, made where there is none; -1: no room. v: which value, of a state. */
static int column_of(const dp_pack *k, pack_head *h, const pack_fetch *f, int v)
{
    const at_dp_instance *x = k->x;
    int of = f->input ? x->d->takes[f->k].input : v;
    for (int c = 0; c < h->n_columns; c++)
        if (h->column[c].input == f->input && h->column[c].k == of)
            return c;
    if (h->n_columns == PACK_COLUMNS)
        return -1;
    h->column[h->n_columns] = (pack_column){.input = f->input,
                                            .k = of,
                                            .lo = f->input ? x->input_lo[of] : x->value_lo[of],
                                            .hi = f->input ? x->input_hi[of] : x->value_hi[of]};
    return h->n_columns++;
}

/* Columns that only fetches read which need them modulo a number. */
static void columns_shrink(const dp_pack *k, int head)
{
    pack_head *h = &k->head[head];
    for (int f = k->n_takes; f < k->n_fetches - 1; f++)
        for (int c = 0; k->fetch[f].head == head && c < h->n_columns; c++) {
            pack_column *p = &h->column[c];
            int64_t mod = p->input || !k->fetch[f].used[p->k] ? 0 : k->fetch[f].near[p->k].mod;
            if (mod)
                *p = (pack_column){.k = p->k, .lo = 0, .hi = mod - 1, .mod = mod};
        }
}

/* Bits of the columns that a fetch reads; -1: no room. */
static int columns_of(const dp_pack *k, pack_head *h, const pack_fetch *f)
{
    int bits = 0;
    for (int v = 0; v < (f->input ? 1 : k->x->d->n_values); v++) {
        int c = f->input || f->used[v] ? column_of(k, h, f, v) : 0;
        if (c < 0)
            return -1;
        bits |= f->input || f->used[v] ? 1 << c : 0;
    }
    return bits;
}

/* Fills in a head for these fetches: which rows it holds, by classes that are joined. False: two rows of one class would fill the
 * same column. up, taken: (L). */
static bool head_join(const dp_pack *k, const int *which, int n, pack_head *h, int *up, int *taken)
{
    int L = (int)k->x->L;
    int64_t steps = k->x->n_states + 1;
    h->n_columns = 0;
    for (int r = 0; r < L; r++)
        up[r] = r, h->holds[r] = h->reads[r] = taken[r] = 0, h->index[r] = h->asks[r] = -1;
    for (int i = 0; i < n; i++) {
        const pack_fetch *f = &k->fetch[which[i]];
        int bits = columns_of(k, h, f);
        if (bits < 0)
            return false;
        for (int64_t s = 0; s < steps; s++) {
            if (f->at[s] < 0)
                continue;
            int row = (int)f->at[s], at = (int)(k->x->n_input + s);
            h->holds[row] |= bits;
            h->reads[at] |= bits;
            if (h->asks[at] >= 0)
                up[root(up, row)] = root(up, h->asks[at]);
            h->asks[at] = row; /* a row of the class, for now */
        }
    }
    for (int r = 0; r < L; r++) {
        int c = root(up, r);
        if (taken[c] & h->holds[r])
            return false;
        taken[c] |= h->holds[r];
    }
    h->classes = 0;
    for (int r = 0; r < L; r++) { /* classes by their first row */
        int c = root(up, r);
        if (!h->holds[r])
            continue;
        if (h->index[c] < 0)
            h->index[c] = h->classes++;
    }
    for (int r = 0; r < L; r++)
        h->asks[r] = h->asks[r] < 0 ? -1 : h->index[root(up, h->asks[r])];
    for (int r = 0; r < L; r++)
        taken[r] = h->holds[r] ? h->index[root(up, r)] : -1;
    memcpy(h->index, taken, (size_t)L * sizeof *taken);
    return true;
}

static bool fetched(const dp_pack *k, const pack_fetch *f)
{
    bool any = false;
    for (int64_t s = 0; s <= k->x->n_states && !f->before; s++)
        any = any || f->at[s] >= 0;
    return any;
}

static int members(const dp_pack *k, int head, int *which)
{
    int n = 0;
    for (int f = 0; f < k->n_fetches; f++)
        if (k->fetch[f].head == head)
            which[n++] = f;
    return n;
}

static at_status heads_find(dp_pack *k, at_err *err)
{
    int L = (int)k->x->L, which[2 * AT_DP_MAX + 1];
    int *up = at_new(&k->arena, int, L), *taken = at_new(&k->arena, int, L);
    k->head = at_new(&k->arena, pack_head, k->n_fetches + 1);
    if (!up || !taken || !k->head)
        return at_oom(err);
    for (int h = 0; h <= k->n_fetches; h++) /* one more to try in */
        if (!(k->head[h].index = at_new(&k->arena, int, L)) ||
            !(k->head[h].holds = at_new(&k->arena, int, L)) ||
            !(k->head[h].asks = at_new(&k->arena, int, L)) || !(k->head[h].reads = at_new(&k->arena, int, L)))
            return at_oom(err);
    for (int f = 0; f < k->n_fetches; f++) {
        if (!fetched(k, &k->fetch[f]))
            continue;
        pack_head *trial = &k->head[k->n_fetches];
        int h = 0;
        for (; h < k->n_heads; h++) {
            int n = members(k, h, which);
            which[n++] = f;
            if (head_join(k, which, n, trial, up, taken))
                break;
        }
        k->fetch[f].head = h;
        k->n_heads += h == k->n_heads;
    }
    for (int h = 0; h < k->n_heads; h++) {
        int n = members(k, h, which);
        if (!head_join(k, which, n, &k->head[h], up, taken))
            return at_fail(
                err, AT_EREFUSED,
                "--pack keeps at most %d kinds of numbers in a head, and this recurrence looks up more",
                PACK_COLUMNS);
    }
    return AT_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------------------------- */

static int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

static int slots_of(const pack_head *h, int each)
{
    int n = 0;
    for (int c = 0; c < h->n_columns; c++)
        n += ceil_div(each, h->column[c].digits);
    return n;
}

/* A little is left free: a number of the residual stream takes the place of a smaller one as new - old, which must be exact. */
#define PACKED_PART 0.999

int dp_pack_digits(double base, double most)
{
    int n = 1;
    for (double all = base; base > 1 && all * base <= PACKED_PART * most; n++)
        all *= base;
    return n;
}

/* What a number that is packed can be, in the arithmetic of the decoder. */
static double most_of(const at_dp_options *o)
{
    return fmin(PACKED, ldexp(1, at_pfmt_of(o->arith ? *o->arith : at_f64).p));
}

static at_status blocks_find(const at_dp_options *o, double most, pack_head *h, at_err *err)
{
    for (int c = 0; c < h->n_columns; c++) {
        pack_column *p = &h->column[c];
        double q = (double)(p->hi - p->lo + 1);
        if (q > most)
            return at_fail(
                err, AT_EREFUSED,
                "--pack keeps numbers of at most %.0f values, and this recurrence looks up some in "
                "%jd..%jd",
                most, (intmax_t)p->lo, (intmax_t)p->hi);
        p->digits = q > 1 ? (int)fmax(dp_pack_digits(q, most) + o->more, 1) : h->classes;
    }
    int best = 0;
    for (int each = 1; each <= h->classes; each++) {
        int wide = (int)fmax(slots_of(h, each), ceil_div(h->classes, each));
        if (!best || wide < best) {
            best = wide;
            h->each = each;
        }
    }
    h->blocks = ceil_div(h->classes, h->each);
    for (int c = 0; c < h->n_columns; c++)
        h->column[c].slots = ceil_div(h->each, h->column[c].digits);
    return AT_OK;
}

int dp_pack_slots(const pack_head *h)
{
    int n = 0;
    for (int c = 0; c < h->n_columns; c++)
        n += h->column[c].slots;
    return n;
}

/* An index has a place of its own. */
static at_status places_find(dp_pack *k, pack_head *h, at_err *err)
{
    int L = (int)k->x->L;
    h->block = at_new(&k->arena, int, L);
    h->asked = at_new(&k->arena, int, L);
    h->place = at_new(&k->arena, pack_place, (size_t)L * (size_t)h->n_columns);
    if (!h->block || !h->asked || !h->place)
        return at_oom(err);
    for (int r = 0; r < L; r++) {
        int i = h->index[r], j = h->asks[r] < 0 ? 0 : h->asks[r];
        h->block[r] = i < 0 ? -1 : i / h->each;
        h->asked[r] = j / h->each;
        for (int c = 0; c < h->n_columns; c++) {
            int R = h->column[c].digits;
            bool here = i >= 0 && h->holds[r] >> c & 1;
            h->place[r * h->n_columns + c] = (pack_place){
                here ? i % h->each / R : -1, here ? i % h->each % R : -1, j % h->each / R, j % h->each % R};
        }
    }
    return AT_OK;
}

/* Blocks left out, for controls. */
static at_status blocks_drop(const dp_pack *k, const at_dp_options *o, pack_head *h, at_err *err)
{
    if (o->fewer >= h->blocks)
        return at_fail(err, AT_EDOMAIN, "%d fewer, and there are only %d; one must be left", o->fewer,
                       h->blocks);
    h->blocks -= o->fewer;
    for (int r = 0; r < k->x->L; r++) {
        h->block[r] = h->block[r] < h->blocks ? h->block[r] : -1;
        h->asked[r] = h->asked[r] < h->blocks ? h->asked[r] : h->blocks - 1;
    }
    return AT_OK;
}

at_status dp_pack_columns(const dp_pack *k, const at_dp_options *o, pack_head *h, int *bits, at_err *err)
{
    at_dp_options all = *o;
    all.fewer = 0;
    h->classes = 1;
    for (int f = 0; f < k->n_fetches; f++) {
        bits[f] = fetched(k, &k->fetch[f]) ? columns_of(k, h, &k->fetch[f]) : 0;
        if (bits[f] < 0)
            return at_fail(err, AT_EREFUSED,
                           "--pack keeps at most %d kinds of numbers, and this recurrence looks up more",
                           PACK_COLUMNS);
    }
    return blocks_find(&all, most_of(o), h, err);
}

/* Where the file has something that no plan knows. */
static at_status refuse(const at_dp *d, const at_dp_name *at, const char *what, at_err *err)
{
    return at_fail(
        err, AT_EREFUSED,
        "%.100s:%d:%d: --pack knows one block of states whose look-ups have names and places given by sizes "
        "and counters; here is %s",
        d->path, at->line, at->column, what);
}

static at_status known(const at_dp *d, at_err *err)
{
    if (d->hidden)
        return refuse(d, &d->blocks[d->n_blocks - 1].counter[0].name,
                      d->n_blocks > 1 ? "another block" : "a counter that begins below 1", err);
    for (int v = 0; v < d->n_values; v++)
        if (d->values[v].kind != AT_DP_DECLARED)
            return refuse(d, &d->values[v].name, "a fold, or what is gathered from many states", err);
    for (int t = 0; t < d->n_takes; t++)
        if (d->takes[t].column || !d->takes[t].name.name[0])
            return refuse(d, &d->takes[t].name, "an input that is read in place", err);
    for (int n = 0; n < d->n_needs; n++)
        if (d->needs[n].steers || d->needs[n].round || !d->needs[n].name.name[0])
            return refuse(d, &d->needs[n].name, "a state that is read in place, or whose place is a value",
                          err);
    return AT_OK;
}

static at_status plan(dp_pack *k, const at_dp_options *o, at_err *err)
{
    const at_dp *d = k->x->d;
    double most = most_of(o);
    if (o->attention != AT_ATTENTION_LINEAR && o->attention != AT_ATTENTION_SPARSE)
        return at_fail(err, AT_EREFUSED,
                       "--pack is for linear and sparse attention: add --attention linear or sparse");
    if (o->clear && o->attention != AT_ATTENTION_LINEAR)
        return at_fail(err, AT_EREFUSED, "--clear is for linear attention: add --attention linear");
    for (int t = 0; t < d->n_takes; t++)
        if (d->steering >> t & 1)
            return at_fail(err, AT_EREFUSED,
                           "%.100s:%d:%d: --pack knows recurrences that look up places given by sizes and "
                           "counters; here %s steers",
                           d->path, d->takes[t].name.line, d->takes[t].name.column, d->takes[t].name.name);
    at_status s = known(d, err);
    if (!s)
        s = fetches_find(k, err);
    if (!s && o->attention == AT_ATTENTION_SPARSE)
        return dp_blocks_plan(k, o, err);
    if (!s)
        s = heads_find(k, err);
    if (!s)
        s = dp_pack_near(k, o, most, err);
    for (int h = 0; h < k->n_heads && !s; h++) {
        columns_shrink(k, h);
        s = blocks_find(o, most, &k->head[h], err);
        if (!s)
            s = places_find(k, &k->head[h], err);
        if (!s && o->clear)
            s = dp_pack_ring(k, o, &k->head[h], err);
        if (!s)
            s = blocks_drop(k, o, &k->head[h], err);
    }
    return s;
}

at_status dp_pack_open(const at_dp_instance *x, const at_dp_options *o, dp_pack **out, at_err *err)
{
    dp_pack *k = at_calloc(1, sizeof *k);
    if (!k)
        return at_oom(err);
    at_arena_init(&k->arena);
    k->x = x;
    at_status s = plan(k, o, err);
    if (s)
        dp_pack_close(k);
    else
        *out = k;
    return s;
}

void dp_pack_close(dp_pack *k)
{
    if (!k)
        return;
    at_arena_release(&k->arena);
    at_free(k);
}
