/* dp_finish.c: a file that was read becomes one list of rows.
 *
 * Each block of states has counters of its own, and one more where something is folded. A row has them all at the same places:
 *
 *     [block]  i  j ...  [k]  0 ...
 *
 * `block` is there when there are several, or when the first counter may be 0, which in a row means that it holds no state. The
 * range of a place is an `if` over the block. A need gets the block of what it needs as its first number and, where that block
 * folds, the last k of that state; a declared value is 0 in rows of other blocks and before the last k. All of this is said in
 * the words of the language, so that interpreter, analysis and compiler know nothing of blocks. */
#include "dp_internal.h"

static at_dpx *two(dp_parser *p, at_dpx_op op, const at_dpx *at, at_dpx *a, at_dpx *b)
{
    return dp_node_new(p, op, at->line, at->column, a, b, NULL);
}

/* The first counter is meant to begin below 1. */
static bool begins_low(const at_dpx *e)
{
    return e->op == AT_DPX_NEG || (e->op == AT_DPX_CONST && e->value < 1);
}

/* Counter nodes count the places of a row from here on. */
static void places_shift(dp_parser *p, int by)
{
    for (at_dpx *e = p->newest; e; e = dp_node_of(e)->older)
        if (e->op == AT_DPX_COUNTER)
            e->index += by;
}

static at_dpx *place(dp_parser *p, int m, const at_dpx *at)
{
    return dp_leaf_new(p, AT_DPX_COUNTER, at, m);
}

static at_dpx *in_block(dp_parser *p, int block, const at_dpx *at)
{
    return two(p, AT_DPX_EQ, at, place(p, 0, at), dp_const_new(p, at, block + 1));
}

/* a and b; either may be NULL, which is true. */
static at_dpx *both(dp_parser *p, at_dpx *a, at_dpx *b)
{
    return a && b ? two(p, AT_DPX_AND, a, a, b) : a ? a : b;
}

/* e with these instead of the counters. */
static at_dpx *substituted(dp_parser *p, at_dpx *e, at_dpx *const *by)
{
    if (p->status != AT_OK || !(dp_node_of(e)->uses & DP_COUNTER))
        return e;
    if (e->op == AT_DPX_COUNTER)
        return by[e->index];
    at_dpx *a[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3 && e->arg[i]; i++)
        a[i] = substituted(p, e->arg[i], by);
    return dp_node_new(p, e->op, e->line, e->column, a[0], a[1], a[2]);
}

/* The counter of a block that folds: from the first of the first fold, as far as the longest. */
static at_dp_counter fold_counter(dp_parser *p, int block)
{
    const at_dp *d = p->d;
    const at_dp_value *f = &d->values[d->blocks[block].fold];
    at_dp_counter c = {f->name, f->lo, two(p, AT_DPX_MAX, f->lo, f->lo, f->hi)};
    for (int k = 0; k < d->n_values; k++) {
        const at_dp_value *v = &d->values[k];
        if (v->kind != AT_DP_FOLDED || v->block != block || v == f)
            continue;
        at_dpx *end = two(p, AT_DPX_ADD, v->lo, f->lo, two(p, AT_DPX_SUB, v->lo, v->hi, v->lo));
        c.hi = two(p, AT_DPX_MAX, v->lo, c.hi, end);
    }
    return c;
}

/* Range ends of a place: of block 0, or of the next if it is not that, ... */
static at_dpx *chosen(dp_parser *p, const at_dpx *at, at_dpx *const *of, int n)
{
    at_dpx *e = of[n - 1];
    for (int b = n - 2; b >= 0; b--)
        e = dp_node_new(p, AT_DPX_IF, at->line, at->column, in_block(p, b, at), of[b], e);
    return e;
}

typedef struct {
    at_dp_counter fold[AT_DP_BLOCKS]; /* of blocks that fold */
} folds;

static bool folds_in(const at_dp *d, int block)
{
    return d->blocks[block].fold >= 0;
}

static void counters_make(dp_parser *p, const folds *f, int most)
{
    at_dp *d = p->d;
    const at_dpx *at = d->blocks[0].counter[0].lo;
    if (d->hidden)
        d->counters[0] = (at_dp_counter){
            {"block", at->line, at->column}, dp_const_new(p, at, 1), dp_const_new(p, at, d->n_blocks)};
    for (int m = 0; m < most && p->status == AT_OK; m++) {
        at_dpx *lo[AT_DP_BLOCKS], *hi[AT_DP_BLOCKS];
        const at_dp_name *name = NULL;
        for (int b = 0; b < d->n_blocks; b++) {
            const at_dp_block *k = &d->blocks[b];
            const at_dp_counter *c = m < k->n                      ? &k->counter[m]
                                     : m == k->n && folds_in(d, b) ? &f->fold[b]
                                                                   : NULL;
            lo[b] = c ? c->lo : dp_const_new(p, at, 0);
            hi[b] = c ? c->hi : lo[b];
            name = c && !name ? &c->name : name;
        }
        if (p->status != AT_OK || !name)
            return;
        d->counters[d->hidden + m] =
            (at_dp_counter){*name, chosen(p, at, lo, d->n_blocks), chosen(p, at, hi, d->n_blocks)};
    }
}

/* The numbers of a state of a block become those of a row. */
static void tuple_widen(dp_parser *p, const folds *f, int block, at_dpx **tuple)
{
    at_dp *d = p->d;
    int n = d->blocks[block].n, at = 0;
    at_dpx *full[AT_DP_MAX];
    const at_dpx *begin = tuple[0];
    if (d->hidden)
        full[at++] = dp_const_new(p, begin, block + 1);
    for (int c = 0; c < n; c++)
        full[at++] = tuple[c];
    if (folds_in(d, block)) {
        full[at] = substituted(p, f->fold[block].hi, full);
        at++;
    }
    while (at < d->n_counters)
        full[at++] = dp_const_new(p, begin, 0);
    for (int c = 0; c < d->n_counters; c++)
        tuple[c] = full[c];
}

/* if this state is one of those then (if it is the first then e else op(BEFORE, e)) else BEFORE */
static void gathered_make(dp_parser *p, int k, at_dpx *own)
{
    const at_dp *d = p->d;
    at_dp_value *v = &p->d->values[k];
    at_dpx *e = v->term, *before = dp_leaf_new(p, AT_DPX_BEFORE, e, k);
    for (int c = 0; c < d->blocks[v->block].n; c++) {
        at_dpx *u = place(p, d->hidden + c, v->from[c]);
        own = both(p, own, two(p, AT_DPX_LE, v->from[c], v->from[c], u));
        own = both(p, own, two(p, AT_DPX_LE, v->to[c], u, v->to[c]));
    }
    at_dpx *more = two(p, v->op, e, before, e);
    if (v->op != AT_DPX_ADD)
        more = dp_node_new(p, AT_DPX_IF, e->line, e->column, dp_leaf_new(p, AT_DPX_FIRST, e, k), e, more);
    v->rule = dp_node_new(p, AT_DPX_IF, e->line, e->column, own, more, before);
}

static void values_make(dp_parser *p, const folds *f)
{
    at_dp *d = p->d;
    for (int k = 0; k < d->n_values && p->status == AT_OK; k++) {
        at_dp_value *v = &d->values[k];
        const at_dpx *at = v->kind == AT_DP_GATHERED ? v->term : v->lo;
        at_dpx *own = d->n_blocks > 1 ? in_block(p, v->block, at) : NULL;
        if (v->kind != AT_DP_FOLDED && folds_in(d, v->block)) {
            at_dpx *k_now = place(p, d->hidden + d->blocks[v->block].n, at);
            own = both(p, own, two(p, AT_DPX_EQ, at, k_now, f->fold[v->block].hi));
        }
        if (v->kind == AT_DP_GATHERED)
            gathered_make(p, k, own);
        else
            v->own = own;
    }
}

void dp_finish(dp_parser *p)
{
    at_dp *d = p->d;
    folds f = {0};
    int most = 0;
    p->making = true;
    d->hidden = d->n_blocks > 1 || begins_low(d->blocks[0].counter[0].lo);
    places_shift(p, d->hidden);
    for (int b = 0; b < d->n_blocks; b++) {
        int n = d->blocks[b].n + folds_in(d, b);
        most = n > most ? n : most;
        if (folds_in(d, b))
            f.fold[b] = fold_counter(p, b);
    }
    d->n_counters = d->hidden + most;
    if (d->n_counters > AT_DP_MAX) {
        dp_fail(p, d->blocks[0].counter[0].name.line, d->blocks[0].counter[0].name.column,
                "rows have %d counters; at most %d, that of the block and of folds included", d->n_counters,
                AT_DP_MAX);
        return;
    }
    counters_make(p, &f, most);
    for (int n = 0; n < d->n_needs && p->status == AT_OK; n++) {
        at_dp_need *k = &d->needs[n];
        if (d->n_blocks > 1 && k->name.name[0])
            k->when = both(p, in_block(p, k->block, k->counter[0]), k->when);
        tuple_widen(p, &f, k->block, k->counter);
    }
    for (int t = 0; t < d->n_takes && p->status == AT_OK; t++)
        if (d->n_blocks > 1 && d->takes[t].name.name[0])
            d->takes[t].when = both(p, in_block(p, d->takes[t].block, d->takes[t].index), d->takes[t].when);
    if (p->status == AT_OK)
        values_make(p, &f);
    if (p->status == AT_OK && d->answer_state[0])
        tuple_widen(p, &f, d->answer_block, d->answer_state);
    else if (p->status == AT_OK && d->answer_block != d->n_blocks - 1)
        dp_fail(p, d->answer->line, d->answer->column,
                "the answer reads values of an earlier block of states; say of which state: at (...)");
}
