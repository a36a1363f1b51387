/* dp_every_text.c: the text of one recurrence for every size. What it is made of: dp_every.c. */
#include "dp_every.h"

#include <stdio.h>
#include <string.h>

static void wrong_at(dp_every *E, const at_dpx *e, const char *why)
{
    if (!E->wrong.code)
        at_fail(&E->wrong, AT_EREFUSED, "%.100s:%d:%d: %s", E->d->path, e->line, e->column, why);
}

/* A let of sizes alone is seen in every block, which a let of inputs is not: it is written where it is read. */
static bool let_of_sizes(const at_dp *d, int k)
{
    return !(dp_node_of(d->lets[k].rule)->uses & ~(unsigned)DP_SIZE);
}

/* ---- expressions --------------------------------------------------------------------------------------------------- */

static void put(dp_every *E, dp_manner how, const at_dpx *e);

static void number_put(const dp_every *E, int64_t v)
{
    at_text_addf(E->out, "%lld", (long long)v);
}

const char *dp_every_op(at_dpx_op op)
{
    return op == AT_DPX_MIN ? "min" : op == AT_DPX_MAX ? "max" : "sum";
}

/* What the answer gathers from a column, over all states of its block. */
static void kept_put(const dp_every *E, at_dpx_op op, int k)
{
    int block = E->d->values[k].block;
    at_text_addf(E->out, "(%s %s over ", dp_every_op(op), E->kept_name[k]);
    for (int c = 0; c < E->d->blocks[block].n; c++)
        at_text_addf(E->out, "%s%lld..%lld", c ? ", " : "(", (long long)E->box_lo[block][c],
                     (long long)E->box_hi[block][c]);
    at_text_add(E->out, "))");
}

/* How a number among zeros is found, if it is one of value k. */
static at_dpx_op one_of_zeros(const dp_every *E, int k)
{
    return E->value_lo[k] >= 0 ? AT_DPX_MAX : E->value_hi[k] <= 0 ? AT_DPX_MIN : AT_DPX_ADD;
}

/* A range that sizes change is that of the largest; terms that are not there change nothing: the largest that was seen for a
 * minimum, which a first term is not above. */
static void fold_put(dp_every *E, const at_dp_value *v)
{
    if (dp_every_varies(E, v->lo))
        wrong_at(E, v->lo, "the beginning of a fold changes with the sizes; it must not where they vary");
    at_text_addf(E->out, "(%s over %s in ", dp_every_op(v->op), v->name.name);
    put(E, LARGEST, v->lo);
    at_text_add(E->out, "..");
    put(E, LARGEST, v->hi);
    at_text_addf(E->out, " of if %s <= ", v->name.name);
    put(E, RULE, v->hi);
    at_text_add(E->out, " then ");
    put(E, RULE, v->term);
    at_text_add(E->out, " else ");
    if (v->op == AT_DPX_ADD)
        number_put(E, 0);
    else if (dp_node_of(v->term)->truth)
        at_text_add(E->out, v->op == AT_DPX_MIN ? "true" : "false");
    else
        number_put(E, v->op == AT_DPX_MIN ? E->value_hi[v - E->d->values] : E->value_lo[v - E->d->values]);
    at_text_add(E->out, ")");
}

static void size_put(dp_every *E, int k)
{
    if (!E->varies[k] || E->how == LARGEST)
        number_put(E, E->most[k]);
    else
        at_text_add(E->out, E->how == ANSWER ? E->size_name[k] : E->d->sizes[k].name);
}

static bool instead(const dp_writer *w, const at_dpx *e)
{
    dp_every *E = w->more;
    const at_dp *d = E->d;
    switch ((int)e->op) {
    case AT_DPX_SIZE:
        size_put(E, e->index);
        return true;
    case AT_DPX_LET:
        if (!let_of_sizes(d, e->index))
            return false;
        at_text_add(E->out, "(");
        put(E, E->how, d->lets[e->index].rule);
        at_text_add(E->out, ")");
        return true;
    case AT_DPX_FOLD:
        if (!dp_every_varies(E, d->values[e->index].lo) && !dp_every_varies(E, d->values[e->index].hi))
            return false;
        fold_put(E, &d->values[e->index]);
        return true;
    case AT_DPX_COUNTER:
        if (E->how != LAST)
            return false;
        at_text_add(E->out, E->last_name[e->index - d->hidden]);
        return true;
    case AT_DPX_VALUE:
        if (E->how == ANSWER) {
            kept_put(E, one_of_zeros(E, e->index), e->index);
        } else
            at_text_add(E->out, E->now_name[e->index]);
        return true;
    case AT_DPX_BEFORE:
        kept_put(E, d->values[e->index].op, e->index);
        return true;
    case AT_DPX_MOD:
    case AT_DPX_DIV:
        if (dp_every_varies(E, e->arg[1]))
            wrong_at(E, e->arg[1],
                     "mod and div are by numbers that do not change; this changes with the sizes");
        return false;
    default:
        return false;
    }
}

static void put(dp_every *E, dp_manner how, const at_dpx *e)
{
    dp_manner before = E->how;
    dp_writer w = {.d = E->d, .out = E->out, .instead = instead, .more = E};
    E->how = how;
    dp_write(&w, e);
    E->how = before;
}

/* ---- conditions ------------------------------------------------------------------------------------------------------ */

/* "lo <= name and name <= hi", either side alone where the other is NULL, with " and " before it where something stands before. */
static void between_put(dp_every *E, dp_manner how, bool *any, const at_dpx *lo, const char *name,
                        const at_dpx *hi)
{
    if (lo) {
        at_text_add(E->out, *any ? " and " : "");
        put(E, how, lo);
        at_text_addf(E->out, " <= %s", name);
        *any = true;
    }
    if (hi) {
        at_text_addf(E->out, "%s%s <= ", *any ? " and " : "", name);
        put(E, how, hi);
        *any = true;
    }
}

/* The end of a range, if it changes with sizes. */
static const at_dpx *if_varying(const dp_every *E, const at_dpx *e)
{
    return dp_every_varies(E, e) ? e : NULL;
}

/* That sizes whose range depends on other sizes are allowed. */
static void allowed_put(dp_every *E, dp_manner how, bool *any)
{
    for (int k = 0; k < E->d->n_sizes; k++) {
        const char *name = how == ANSWER ? E->size_name[k] : E->d->sizes[k].name;
        between_put(E, how, any, if_varying(E, E->d->size_lo[k]), name, if_varying(E, E->d->size_hi[k]));
    }
}

static bool allowed_any(const dp_every *E)
{
    bool any = false;
    for (int k = 0; k < E->d->n_sizes; k++)
        any |= dp_every_varies(E, E->d->size_lo[k]) || dp_every_varies(E, E->d->size_hi[k]);
    return any;
}

/* That a state of the block is one at these sizes. */
static void inside_put(dp_every *E, int block, bool *any)
{
    const at_dp_block *b = &E->d->blocks[block];
    allowed_put(E, RULE, any);
    for (int c = 0; c < b->n; c++)
        between_put(E, RULE, any, if_varying(E, b->counter[c].lo), b->counter[c].name.name,
                    if_varying(E, b->counter[c].hi));
}

static bool inside_any(const dp_every *E, int block)
{
    const at_dp_block *b = &E->d->blocks[block];
    bool any = allowed_any(E);
    for (int c = 0; c < b->n; c++)
        any |= dp_every_varies(E, b->counter[c].lo) || dp_every_varies(E, b->counter[c].hi);
    return any;
}

/* "name = if CONDITION then "; false: there is no condition, and "name = " is all. last: the state is the answer's, too. */
static bool if_put(dp_every *E, const char *name, int block, bool last)
{
    const at_dp_block *b = &E->d->blocks[block];
    bool any = false, some = last || inside_any(E, block);
    at_text_addf(E->out, "%s = %s", name, some ? "if " : "");
    inside_put(E, block, &any);
    for (int c = 0; c < b->n && last; c++, any = true)
        at_text_addf(E->out, "%s%s == %s", any ? " and " : "", b->counter[c].name.name, E->last_name[c]);
    at_text_add(E->out, some ? " then " : "");
    return some;
}

/* ---- the text ---------------------------------------------------------------------------------------------------------- */

static void inputs_put(dp_every *E)
{
    const at_dp *d = E->d;
    for (int k = 0; k < d->n_sizes; k++)
        if (E->varies[k])
            at_text_addf(E->out, "input %s in %lld..%lld\n", d->sizes[k].name, (long long)E->least[k],
                         (long long)E->most[k]);
    for (int k = 0; k < d->n_inputs; k++) {
        const at_dp_input *in = &d->inputs[k];
        if (dp_every_varies(E, in->lo) || dp_every_varies(E, in->hi))
            wrong_at(E, in->lo, "the range of an input changes with the sizes; those must be single numbers");
        at_text_addf(E->out, "input %s", in->name.name);
        if (in->cols) {
            at_text_add(E->out, "[");
            put(E, LARGEST, in->rows);
            at_text_add(E->out, ", ");
            put(E, LARGEST, in->cols);
            at_text_add(E->out, "]");
        } else if (!in->scalar)
            at_text_addf(E->out, "[%lld]", (long long)E->top->input_len[k]);
        at_text_addf(E->out, " in %lld..%lld\n", (long long)E->top->input_lo[k],
                     (long long)E->top->input_hi[k]);
    }
    for (int k = 0; k < d->n_tables; k++) {
        dp_write_table(&d->tables[k], E->out);
        at_text_add(E->out, "\n");
    }
}

static void range_put(dp_every *E, const char *name, int64_t lo, int64_t hi)
{
    at_text_addf(E->out, "value %s in %lld..%lld\n", name, (long long)(lo < 0 ? lo : 0),
                 (long long)(hi > 0 ? hi : 0));
}

/* What a value of the new recurrence can be; 0 is among it. */
static void values_put(dp_every *E, int block)
{
    const at_dp *d = E->d;
    for (int k = 0; k < d->n_values; k++) {
        int64_t lo = E->value_lo[k], hi = E->value_hi[k];
        if (d->values[k].block != block || d->values[k].kind == AT_DP_FOLDED)
            continue;
        if (d->values[k].kind == AT_DP_DECLARED)
            range_put(E, d->values[k].name.name, lo, hi);
        if (d->values[k].kind == AT_DP_GATHERED && d->values[k].op == AT_DPX_ADD)
            range_put(E, E->kept_name[k], lo - hi, hi - lo); /* a term is what two sums differ by */
        else if (E->kept[k])
            range_put(E, E->kept_name[k], lo, hi);
    }
    for (int k = 0; k < d->n_sizes && block == d->n_blocks - 1; k++)
        if (E->sized[k])
            range_put(E, E->size_name[k], E->least[k], E->most[k]);
}

/* Does a comes before b in the file? */
static bool before(const at_dp_name *a, const at_dp_name *b)
{
    return a->line < b->line || (a->line == b->line && a->column < b->column);
}

static bool in_block(const at_dp *d, int block, const at_dp_name *n)
{
    return before(&d->blocks[block].counter[0].name, n) &&
           (block + 1 == d->n_blocks || before(n, &d->blocks[block + 1].counter[0].name));
}

/* What is looked up where sizes say so is looked up inside alone. */
static void when_put(dp_every *E, int block, bool guarded, const at_dpx *when)
{
    bool any = false;
    if (when && E->d->n_blocks > 1) /* what is said besides (dp_finish.c) */
        when = when->op == AT_DPX_AND ? when->arg[1] : NULL;
    guarded = guarded && inside_any(E, block);
    at_text_add(E->out, guarded || when ? " when " : "");
    if (guarded)
        inside_put(E, block, &any);
    at_text_add(E->out, any && when ? " and (" : "");
    if (when)
        put(E, RULE, when);
    at_text_add(E->out, any && when ? ")\n" : "\n");
}

static void take_put(dp_every *E, int block, int k)
{
    const at_dp_take *t = &E->d->takes[k];
    at_text_addf(E->out, "take %s = ", t->name.name);
    dp_write_take(&(dp_writer){.d = E->d, .out = E->out, .instead = instead, .more = E}, t);
    when_put(E, block,
             dp_every_varies(E, t->index) || dp_every_varies(E, t->column) || dp_every_varies(E, t->when),
             t->when);
}

static void need_put(dp_every *E, int block, int k)
{
    const at_dp_need *n = &E->d->needs[k];
    bool guarded = dp_every_varies(E, n->when);
    for (int c = 0; c < E->d->blocks[block].n; c++)
        guarded |= dp_every_varies(E, n->counter[E->d->hidden + c]);
    at_text_addf(E->out, "need %s = ", n->name.name);
    dp_write_states(&(dp_writer){.d = E->d, .out = E->out, .instead = instead, .more = E}, n->block,
                    n->counter + E->d->hidden, NULL);
    when_put(E, block, guarded, n->when);
}

static void let_put(dp_every *E, int k)
{
    at_text_addf(E->out, "let %s = ", E->d->lets[k].name.name);
    put(E, RULE, E->d->lets[k].rule);
    at_text_add(E->out, "\n");
}

/* Look-ups, needs and lets of a block in the order of the file. */
static void names_put(dp_every *E, int block)
{
    const at_dp *d = E->d;
    int take = 0, need = 0, let = 0;
    for (;;) {
        while (take < d->n_takes &&
               (!d->takes[take].name.name[0] || !in_block(d, block, &d->takes[take].name)))
            take++;
        while (need < d->n_needs &&
               (!d->needs[need].name.name[0] || !in_block(d, block, &d->needs[need].name)))
            need++;
        while (let < d->n_lets && (let_of_sizes(d, let) || !in_block(d, block, &d->lets[let].name)))
            let++;
        const at_dp_name *t = take < d->n_takes ? &d->takes[take].name : NULL;
        const at_dp_name *n = need < d->n_needs ? &d->needs[need].name : NULL;
        const at_dp_name *l = let < d->n_lets ? &d->lets[let].name : NULL;
        if (t && (!n || before(t, n)) && (!l || before(t, l)))
            take_put(E, block, take++);
        else if (n && (!l || before(n, l)))
            need_put(E, block, need++);
        else if (l)
            let_put(E, let++);
        else
            return;
    }
}

/* The state that the answer reads, by its counters: as it says, or the last. */
static void last_put(dp_every *E, int block)
{
    const at_dp *d = E->d;
    bool any = false;
    for (int k = 0; k < d->n_values; k++)
        any |= E->kept[k] && d->values[k].kind == AT_DP_DECLARED && d->values[k].block == block;
    for (int c = 0; c < d->blocks[block].n && any; c++) {
        const at_dpx *e =
            d->answer_state[0] ? d->answer_state[d->hidden + c] : d->blocks[block].counter[c].hi;
        at_text_addf(E->out, "let %s = ", E->last_name[c]);
        put(E, LAST, e);
        at_text_add(E->out, "\n");
    }
}

/* The least and the largest of states that are there: what is beyond the end of the other side changes nothing. */
static void gathered_put(dp_every *E, int k)
{
    const at_dp_value *v = &E->d->values[k];
    int64_t none = v->op == AT_DPX_ADD ? 0 : v->op == AT_DPX_MIN ? E->value_hi[k] : E->value_lo[k];
    bool any = if_put(E, E->kept_name[k], v->block, false);
    at_text_add(E->out, "if ");
    bool more = false;
    for (int c = 0; c < E->d->blocks[v->block].n; c++)
        between_put(E, RULE, &more, v->from[c], E->d->blocks[v->block].counter[c].name.name, v->to[c]);
    at_text_add(E->out, " then ");
    if (v->op != AT_DPX_ADD)
        at_text_addf(E->out, "%s(", v->op == AT_DPX_MIN ? "min" : "max");
    put(E, GATHER, v->term);
    if (v->op != AT_DPX_ADD)
        at_text_addf(E->out, ", %lld)", (long long)none);
    at_text_addf(E->out, " else %lld", (long long)none);
    if (any)
        at_text_addf(E->out, " else %lld", (long long)none);
    at_text_add(E->out, "\n");
}

static void rules_put(dp_every *E, int block)
{
    const at_dp *d = E->d;
    for (int k = 0; k < d->n_values; k++) {
        const at_dp_value *v = &d->values[k];
        if (v->block != block || v->kind == AT_DP_FOLDED)
            continue;
        if (v->kind == AT_DP_GATHERED) {
            gathered_put(E, k);
            continue;
        }
        if (E->now[k]) {
            at_text_addf(E->out, "let %s = ", E->now_name[k]);
            put(E, RULE, v->rule);
            at_text_add(E->out, "\n");
        }
        bool any = if_put(E, v->name.name, block, false);
        if (E->now[k])
            at_text_add(E->out, E->now_name[k]);
        else
            put(E, RULE, v->rule);
        at_text_add(E->out, any ? " else 0\n" : "\n");
        if (E->kept[k]) {
            if_put(E, E->kept_name[k], block, true);
            at_text_addf(E->out, "%s else 0\n", E->now_name[k]);
        }
    }
    for (int k = 0; k < d->n_sizes && block == d->n_blocks - 1; k++)
        if (E->sized[k])
            at_text_addf(E->out, "%s = %s\n", E->size_name[k], d->sizes[k].name);
}

static void block_put(dp_every *E, int block)
{
    const at_dp_block *b = &E->d->blocks[block];
    at_text_add(E->out, "\n");
    for (int c = 0; c < b->n; c++) {
        at_text_addf(E->out, "%s%s in ", c ? ", " : "state ", b->counter[c].name.name);
        put(E, LARGEST, b->counter[c].lo);
        at_text_add(E->out, "..");
        put(E, LARGEST, b->counter[c].hi);
    }
    at_text_add(E->out, "\n");
    values_put(E, block);
    names_put(E, block);
    last_put(E, block);
    rules_put(E, block);
}

void dp_every_write(dp_every *E)
{
    const at_dp *d = E->d;
    at_text_add(E->out, "# Every size up to some, made of another recurrence: each of the first inputs is a "
                        "size, and arrays\n"
                        "# may go on with anything behind their own length.\n");
    int title = 0, room = sizeof d->title - sizeof ", every size";
    for (int k = 0; k <= room && (k == 0 || d->title[k - 1]); k++) /* whole characters */
        title = (d->title[k] & 0xC0) == 0x80 ? title : k;
    at_text_addf(E->out, "problem \"%.*s, every size\"\n", title, d->title);
    inputs_put(E);
    for (int b = 0; b < d->n_blocks; b++)
        block_put(E, b);
    bool any = false;
    at_text_add(E->out, allowed_any(E) ? "\nanswer if " : "\nanswer ");
    allowed_put(E, ANSWER, &any);
    at_text_add(E->out, any ? " then " : "");
    put(E, ANSWER, d->answer);
    at_text_add(E->out, any ? " else 0\n" : "\n");
}
