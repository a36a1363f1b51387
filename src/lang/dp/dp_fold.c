/* dp_fold.c: one number from many: `min over k in a..b of e` in a rule, `max e over (1..n)` in the answer.
 *
 * A state has a fixed number of needs, and a fold reads as many as its range is long. So the state becomes as many rows, one
 * for each k, which its block counts with one counter more (dp_finish.c), and a column of the chain holds what was folded so
 * far: of this row's term and of the column in the row before. Rules are evaluated in the last of these rows, and whoever needs
 * the state needs that one.
 *
 *     folded = if k <= b and GUARD then (if first then e else op(BEFORE, e)) else (if first then 0 else BEFORE)
 *
 * GUARD says that the fold is read at all: the conditions of the ifs around it, since e may read what is absent elsewhere.
 * Folds of the same states run together: the rows count the k of the first, and k of another is its own a and as many more.
 *
 * What the answer gathers is a column, too, over all rows: op of the column before and of e at this state, if it is one of
 * those; the answer reads the last. */
#include "dp_internal.h"

#include <string.h>

/* The ifs around the fold: e and all of them. */
static at_dpx *guarded(dp_parser *p, at_dpx *e)
{
    for (int i = 0; i < p->n_guards && p->status == AT_OK; i++) {
        at_dpx *g = p->guard[i];
        if (dp_node_of(g)->uses & DP_FOLD)
            dp_fail(p, e->line, e->column,
                    "a fold inside an if whose condition uses a fold; fold it in a value of "
                    "its own");
        if (!p->guard_is[i])
            g = dp_node_new(p, AT_DPX_NOT, g->line, g->column, g, NULL, NULL);
        e = dp_node_new(p, AT_DPX_AND, e->line, e->column, e, g, NULL);
    }
    return e;
}

static at_dpx *fold_rule(dp_parser *p, int k, at_dpx *active, const at_dpx *at)
{
    const at_dp_value *v = &p->d->values[k];
    const at_dp_block *b = &p->d->blocks[v->block];
    int line = at->line, column = at->column;
    at_dpx *row = dp_leaf_new(p, AT_DPX_COUNTER, at, b->n);
    at_dpx *first = dp_node_new(p, AT_DPX_EQ, line, column, row, p->d->values[b->fold].lo, NULL);
    at_dpx *before = dp_leaf_new(p, AT_DPX_BEFORE, at, k);
    at_dpx *more = dp_node_new(p, v->op, line, column, before, v->term, NULL);
    at_dpx *taken = dp_node_new(p, AT_DPX_IF, line, column, first, v->term, more);
    at_dpx *left = dp_node_new(p, AT_DPX_IF, line, column, first, dp_const_new(p, at, 0), before);
    return dp_node_new(p, AT_DPX_IF, line, column, active, taken, left);
}

static bool value_room(dp_parser *p, const dp_token *begin)
{
    if (p->status == AT_OK && p->d->n_values == AT_DP_MAX)
        dp_fail(p, begin->line, begin->column, "too many values; at most %d, folds included", AT_DP_MAX);
    return p->status == AT_OK;
}

at_dpx *dp_fold_read(dp_parser *p, const dp_token *begin, at_dpx_op op)
{
    at_dp *d = p->d;
    unsigned allowed = p->allowed;
    const char *where = p->where;
    if (p->folding)
        dp_fail(p, begin->line, begin->column,
                "a fold inside a fold; let the inner one be a value of its own");
    else if (!(allowed & DP_FOLD))
        dp_fail(p, begin->line, begin->column, "a fold stands in a rule or a let, and not where %s is said",
                where);
    else if (!d->n_blocks)
        dp_fail(p, begin->line, begin->column, "no state is declared above; write: state i in 1..n");
    if (!value_room(p, begin))
        return NULL;
    int k = d->n_values;
    at_dp_value *v = &d->values[k];
    memset(v, 0, sizeof *v);
    if (!dp_name_new(p, DP_OVER, 0, &v->name))
        return NULL;
    v->kind = AT_DP_FOLDED;
    v->op = op;
    v->block = dp_block_now(p);
    dp_range_read(p, DP_SIZE | DP_COUNTER, "the range of a fold", &v->lo, &v->hi);
    dp_counter_range_check(p, v->lo);
    dp_counter_range_check(p, v->hi);
    dp_expect(p, "of", "and what is folded");
    if (p->status != AT_OK)
        return NULL;
    d->n_values++;
    int entries = p->n_entries;
    dp_name_declare(p, DP_OVER, k, &v->name);
    p->folding = true;
    v->term = dp_expr_read(p, allowed & ~(unsigned)DP_FOLD, "what is folded");
    p->folding = false;
    p->n_entries = entries;
    p->allowed = allowed;
    p->where = where;
    if (d->blocks[v->block].fold < 0)
        d->blocks[v->block].fold = k;
    at_dpx *e = dp_node_new(p, AT_DPX_FOLD, begin->line, begin->column, NULL, NULL, NULL);
    if (!e)
        return NULL;
    e->index = k;
    const dp_node *term = dp_node_of(v->term);
    dp_node *n = (dp_node *)e;
    n->uses = term->uses | DP_FOLD;
    n->takes = term->takes;
    n->reads = term->reads;
    n->round = term->round;
    n->truth = term->truth && op != AT_DPX_ADD;
    p->making = true;
    at_dpx *over = dp_leaf_new(p, AT_DPX_OVER, e, k);
    at_dpx *active = dp_node_new(p, AT_DPX_LE, e->line, e->column, over, v->hi, NULL);
    if (active)
        v->rule = fold_rule(p, k, guarded(p, active), e);
    p->making = false;
    return p->status == AT_OK ? e : NULL;
}

/* The block of the values in e; -1: there are none, or of two blocks. */
static int block_of(const at_dp *d, const at_dpx *e, int block)
{
    if (e->op == AT_DPX_VALUE)
        return block == -2 || block == d->values[e->index].block ? d->values[e->index].block : -1;
    for (int i = 0; i < 3 && e->arg[i]; i++)
        block = block_of(d, e->arg[i], block);
    return block;
}

at_dpx *dp_gather_read(dp_parser *p, const dp_token *begin, at_dpx_op op, at_dpx *term)
{
    at_dp *d = p->d;
    unsigned allowed = p->allowed;
    const char *where = p->where;
    dp_expect(p, "over", "and states, as in max cost over (1..n)");
    if (!value_room(p, begin))
        return NULL;
    int k = d->n_values, block = block_of(d, term, -2);
    at_dp_value *v = &d->values[k];
    memset(v, 0, sizeof *v);
    v->name = (at_dp_name){.line = begin->line, .column = begin->column};
    v->kind = AT_DP_GATHERED;
    v->op = op;
    v->term = term;
    v->block = block;
    if (block < 0)
        dp_fail(p, term->line, term->column,
                "what is gathered over states must read values, of one block of states");
    int n = p->status == AT_OK ? d->blocks[block].n : 0;
    dp_expect(p, "(", "and states, as in (1..n, m)");
    for (int c = 0; c < n; c++) {
        v->from[c] = v->to[c] = dp_expr_read(p, DP_SIZE, "the states of the answer");
        if (dp_accept(p, ".."))
            v->to[c] = dp_expr_read(p, DP_SIZE, "the states of the answer");
        if (c + 1 < n)
            dp_expect(p, ",", "(a state has one number, or a range, for each counter)");
    }
    if (dp_is(p, ","))
        dp_fail(p, p->t.line, p->t.column, "too many numbers; a state has %d", n);
    dp_expect(p, ")", "after the states");
    p->allowed = allowed;
    p->where = where;
    d->n_values++;
    at_dpx here = {.line = begin->line, .column = begin->column};
    return dp_leaf_new(p, AT_DPX_BEFORE, &here, k);
}
