/* dp_every.c: one recurrence for every size up to some, written as text.
 *
 * A size that may vary becomes an input, one number in front of the others; arrays are as long as the largest sizes ask for, and
 * what stands behind their own length is not looked at. The states are those of the largest sizes, in the same order, and the
 * rules are asked where the state is one of the sizes at hand; elsewhere values are 0:
 *
 *     len = if i <= n1 and j <= n2 then len_now else 0
 *
 * The answer reads a state that the sizes say, so a column of the chain keeps its values as the chain passes it, and what is
 * gathered from many states is gathered from all:
 *
 *     len_kept = if i <= n1 and j <= n2 and i == i_last and j == j_last then len_now else 0
 *     answer (max len_kept over (1..6, 1..7))
 *
 * Each allowed choice of sizes is bound once: its states must be among those of the largest, and what its values can be, and its
 * folds, says how far those of the new recurrence reach. */
#include "dp_internal.h"

#include <stdio.h>
#include <string.h>

#define CHOICES_MOST 4096 /* of sizes */

/* How names are written. */
typedef enum {
    LARGEST, /* sizes as the largest numbers */
    RULE,    /* sizes as the inputs that they have become */
    LAST,    /* besides, counters as those of the answer's state */
    GATHER,  /* besides, values as those of this state, which a let holds */
    ANSWER   /* sizes, values and what is gathered as columns of the chain */
} manner;

typedef struct {
    const at_dp *d;
    const int64_t *least, *most;
    bool varies[AT_DP_MAX]; /* sizes */
    at_dp_instance *top;    /* at the largest sizes */
    int64_t value_lo[AT_DP_MAX], value_hi[AT_DP_MAX];
    int64_t box_lo[AT_DP_BLOCKS][AT_DP_MAX], box_hi[AT_DP_BLOCKS][AT_DP_MAX]; /* counters of the largest */
    bool kept[AT_DP_MAX], sized[AT_DP_MAX]; /* values and sizes that the answer reads */
    bool now[AT_DP_MAX];                    /* values that it reads in any way */
    char size_name[AT_DP_MAX][32], now_name[AT_DP_MAX][32], kept_name[AT_DP_MAX][32],
        last_name[AT_DP_MAX][32];
    char made[4 * AT_DP_MAX][32]; /* names that are new */
    int n_made;
    manner how;
    at_text *out;
    at_err wrong;
} every;

static void wrong_at(every *E, const at_dpx *e, const char *why)
{
    if (!E->wrong.code)
        at_fail(&E->wrong, AT_EREFUSED, "%.100s:%d:%d: %s", E->d->path, e->line, e->column, why);
}

/* Does it change with a size that varies? */
static bool varying(const every *E, const at_dpx *e)
{
    if (!e)
        return false;
    if (e->op == AT_DPX_SIZE)
        return E->varies[e->index];
    if (e->op == AT_DPX_LET)
        return varying(E, E->d->lets[e->index].rule);
    if (e->op == AT_DPX_TAKE && !E->d->takes[e->index].name.name[0])
        return varying(E, E->d->takes[e->index].index);
    bool any = false;
    for (int i = 0; i < 3 && !any; i++)
        any = varying(E, e->arg[i]);
    return any;
}

/* A let of sizes alone is seen in every block, which a let of inputs is not: it is written where it is read. */
static bool let_of_sizes(const at_dp *d, int k)
{
    return !(dp_node_of(d->lets[k].rule)->uses & ~(unsigned)DP_SIZE);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool name_taken(const every *E, const char *name)
{
    const at_dp *d = E->d;
    bool is = false;
    for (int k = 0; k < AT_DP_MAX && !is; k++) {
        is = (k < d->n_sizes && !strcmp(d->sizes[k].name, name)) ||
             (k < d->n_inputs && !strcmp(d->inputs[k].name.name, name)) ||
             (k < d->n_tables && !strcmp(d->tables[k].name.name, name)) ||
             (k < d->n_values && !strcmp(d->values[k].name.name, name)) ||
             (k < d->n_needs && !strcmp(d->needs[k].name.name, name)) ||
             (k < d->n_takes && !strcmp(d->takes[k].name.name, name)) ||
             (k < d->n_lets && !strcmp(d->lets[k].name.name, name));
        for (int b = 0; b < d->n_blocks && !is; b++)
            is = k < d->blocks[b].n && !strcmp(d->blocks[b].counter[k].name.name, name);
    }
    for (int k = 0; k < E->n_made && !is; k++)
        is = !strcmp(E->made[k], name);
    return is;
}

/* len_now, or len_now2 where that is taken. */
static void name_make(every *E, const char *base, const char *tail, char out[32])
{
    snprintf(out, 32, "%.20s_%s", base, tail);
    for (int n = 2; name_taken(E, out); n++)
        snprintf(out, 32, "%.20s_%s%d", base, tail, n);
    memcpy(E->made[E->n_made++], out, 32);
}

/* ---- expressions --------------------------------------------------------------------------------------------------- */

static void put(every *E, manner how, const at_dpx *e);

static void number_put(const every *E, int64_t v)
{
    at_text_addf(E->out, "%lld", (long long)v);
}

static const char *op_name(at_dpx_op op)
{
    return op == AT_DPX_MIN ? "min" : op == AT_DPX_MAX ? "max" : "sum";
}

/* What the answer gathers from a column, over all states of its block. */
static void kept_put(const every *E, at_dpx_op op, int k)
{
    int block = E->d->values[k].block;
    at_text_addf(E->out, "(%s %s over ", op_name(op), E->kept_name[k]);
    for (int c = 0; c < E->d->blocks[block].n; c++)
        at_text_addf(E->out, "%s%lld..%lld", c ? ", " : "(", (long long)E->box_lo[block][c],
                     (long long)E->box_hi[block][c]);
    at_text_add(E->out, "))");
}

/* How a number among zeros is found, if it is one of value k. */
static at_dpx_op one_of_zeros(const every *E, int k)
{
    return E->value_lo[k] >= 0 ? AT_DPX_MAX : E->value_hi[k] <= 0 ? AT_DPX_MIN : AT_DPX_ADD;
}

/* A range that sizes change is that of the largest; terms that are not there change nothing: the largest that was seen for a
 * minimum, which a first term is not above. */
static void fold_put(every *E, const at_dp_value *v)
{
    if (varying(E, v->lo))
        wrong_at(E, v->lo, "the beginning of a fold changes with the sizes; it must not where they vary");
    at_text_addf(E->out, "(%s over %s in ", op_name(v->op), v->name.name);
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

static void size_put(every *E, int k)
{
    if (!E->varies[k] || E->how == LARGEST)
        number_put(E, E->most[k]);
    else
        at_text_add(E->out, E->how == ANSWER ? E->size_name[k] : E->d->sizes[k].name);
}

static bool instead(const dp_writer *w, const at_dpx *e)
{
    every *E = w->more;
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
        if (!varying(E, d->values[e->index].lo) && !varying(E, d->values[e->index].hi))
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
        if (varying(E, e->arg[1]))
            wrong_at(E, e->arg[1],
                     "mod and div are by numbers that do not change; this changes with the sizes");
        return false;
    default:
        return false;
    }
}

static void put(every *E, manner how, const at_dpx *e)
{
    manner before = E->how;
    dp_writer w = {.d = E->d, .out = E->out, .instead = instead, .more = E};
    E->how = how;
    dp_write(&w, e);
    E->how = before;
}

/* ---- conditions ------------------------------------------------------------------------------------------------------ */

/* "lo <= name and name <= hi", either side alone where the other is NULL, with " and " before it where something stands before. */
static void between_put(every *E, manner how, bool *any, const at_dpx *lo, const char *name, const at_dpx *hi)
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
static const at_dpx *if_varying(const every *E, const at_dpx *e)
{
    return varying(E, e) ? e : NULL;
}

/* That sizes whose range depends on other sizes are allowed. */
static void allowed_put(every *E, manner how, bool *any)
{
    for (int k = 0; k < E->d->n_sizes; k++) {
        const char *name = how == ANSWER ? E->size_name[k] : E->d->sizes[k].name;
        between_put(E, how, any, if_varying(E, E->d->size_lo[k]), name, if_varying(E, E->d->size_hi[k]));
    }
}

static bool allowed_any(const every *E)
{
    bool any = false;
    for (int k = 0; k < E->d->n_sizes; k++)
        any |= varying(E, E->d->size_lo[k]) || varying(E, E->d->size_hi[k]);
    return any;
}

/* That a state of the block is one at these sizes. */
static void inside_put(every *E, int block, bool *any)
{
    const at_dp_block *b = &E->d->blocks[block];
    allowed_put(E, RULE, any);
    for (int c = 0; c < b->n; c++)
        between_put(E, RULE, any, if_varying(E, b->counter[c].lo), b->counter[c].name.name,
                    if_varying(E, b->counter[c].hi));
}

static bool inside_any(const every *E, int block)
{
    const at_dp_block *b = &E->d->blocks[block];
    bool any = allowed_any(E);
    for (int c = 0; c < b->n; c++)
        any |= varying(E, b->counter[c].lo) || varying(E, b->counter[c].hi);
    return any;
}

/* "name = if CONDITION then "; false: there is no condition, and "name = " is all. last: the state is the answer's, too. */
static bool if_put(every *E, const char *name, int block, bool last)
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

static void inputs_put(every *E)
{
    const at_dp *d = E->d;
    for (int k = 0; k < d->n_sizes; k++)
        if (E->varies[k])
            at_text_addf(E->out, "input %s in %lld..%lld\n", d->sizes[k].name, (long long)E->least[k],
                         (long long)E->most[k]);
    for (int k = 0; k < d->n_inputs; k++) {
        const at_dp_input *in = &d->inputs[k];
        if (varying(E, in->lo) || varying(E, in->hi))
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

static void range_put(every *E, const char *name, int64_t lo, int64_t hi)
{
    at_text_addf(E->out, "value %s in %lld..%lld\n", name, (long long)(lo < 0 ? lo : 0),
                 (long long)(hi > 0 ? hi : 0));
}

/* What a value of the new recurrence can be; 0 is among it. */
static void values_put(every *E, int block)
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
static void when_put(every *E, int block, bool guarded, const at_dpx *when)
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

static void take_put(every *E, int block, int k)
{
    const at_dp_take *t = &E->d->takes[k];
    at_text_addf(E->out, "take %s = ", t->name.name);
    dp_write_take(&(dp_writer){.d = E->d, .out = E->out, .instead = instead, .more = E}, t);
    when_put(E, block, varying(E, t->index) || varying(E, t->column) || varying(E, t->when), t->when);
}

static void need_put(every *E, int block, int k)
{
    const at_dp_need *n = &E->d->needs[k];
    bool guarded = varying(E, n->when);
    for (int c = 0; c < E->d->blocks[block].n; c++)
        guarded |= varying(E, n->counter[E->d->hidden + c]);
    at_text_addf(E->out, "need %s = ", n->name.name);
    dp_write_states(&(dp_writer){.d = E->d, .out = E->out, .instead = instead, .more = E}, n->block,
                    n->counter + E->d->hidden, NULL);
    when_put(E, block, guarded, n->when);
}

static void let_put(every *E, int k)
{
    at_text_addf(E->out, "let %s = ", E->d->lets[k].name.name);
    put(E, RULE, E->d->lets[k].rule);
    at_text_add(E->out, "\n");
}

/* Look-ups, needs and lets of a block in the order of the file. */
static void names_put(every *E, int block)
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
static void last_put(every *E, int block)
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
static void gathered_put(every *E, int k)
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

static void rules_put(every *E, int block)
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

static void block_put(every *E, int block)
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

static void text_put(every *E)
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

/* ---- what it is made of ------------------------------------------------------------------------------------------------- */

/* What an expression of the answer reads. */
static void answer_reads(every *E, const at_dpx *e, bool gathered)
{
    const at_dp *d = E->d;
    if (!e)
        return;
    if (e->op == AT_DPX_SIZE)
        E->sized[e->index] |= !gathered && E->varies[e->index];
    if (e->op == AT_DPX_LET)
        answer_reads(E, d->lets[e->index].rule, gathered);
    if (e->op == AT_DPX_VALUE) {
        E->now[e->index] = true;
        E->kept[e->index] |= !gathered;
    }
    if (e->op == AT_DPX_BEFORE) {
        E->kept[e->index] = true;
        answer_reads(E, d->values[e->index].term, true);
    }
    for (int i = 0; i < 3; i++)
        answer_reads(E, e->arg[i], gathered);
}

static void names_make(every *E)
{
    const at_dp *d = E->d;
    answer_reads(E, d->answer, false);
    for (int k = 0; k < d->n_sizes; k++) {
        if (varying(E, d->size_lo[k]) ||
            varying(E, d->size_hi[k])) { /* the answer asks whether it is allowed */
            E->sized[k] |= E->varies[k];
            answer_reads(E, d->size_lo[k], false);
            answer_reads(E, d->size_hi[k], false);
        }
    }
    for (int k = 0; k < d->n_sizes; k++)
        if (E->sized[k])
            name_make(E, d->sizes[k].name, "given", E->size_name[k]);
    for (int k = 0; k < d->n_values; k++) {
        const char *base =
            d->values[k].kind == AT_DP_GATHERED ? op_name(d->values[k].op) : d->values[k].name.name;
        if (E->now[k])
            name_make(E, base, "now", E->now_name[k]);
        if (E->kept[k])
            name_make(E, base, "kept", E->kept_name[k]);
    }
    for (int c = 0; c < d->blocks[d->answer_block].n; c++)
        name_make(E, d->blocks[d->answer_block].counter[c].name.name, "last", E->last_name[c]);
}

static void wider(int64_t *lo, int64_t *hi, int64_t from, int64_t to)
{
    *lo = from < *lo ? from : *lo;
    *hi = to > *hi ? to : *hi;
}

/* The states of x are among those of the largest sizes, and its values count. */
static at_status choice_take(every *E, const at_dp_instance *x, at_err *err)
{
    const at_dp *d = E->d;
    for (int64_t s = 0; s < x->n_states; s++)
        if (at_dp_rank(E->top, x->state + s * d->n_counters) < 0)
            return dp_fail_at(
                d, d->blocks[0].counter[0].lo, x->state + s * d->n_counters, err,
                "not all states of smaller sizes are states of the largest, which one recurrence for all "
                "sizes needs");
    for (int k = 0; k < d->n_values; k++)
        wider(&E->value_lo[k], &E->value_hi[k], x->value_lo[k], x->value_hi[k]);
    return AT_OK;
}

/* Is a choice of sizes allowed? Ranges may depend on sizes before. */
static bool choice_allowed(const at_dp *d, const int64_t *size)
{
    at_dp_instance x = {.d = d};
    at_err ignored = {0};
    dp_env v = {.x = &x, .err = &ignored};
    for (int k = 0; k < d->n_sizes; k++) {
        int64_t lo, hi;
        if (dp_eval(&v, d->size_lo[k], &lo) || dp_eval(&v, d->size_hi[k], &hi) || size[k] < lo ||
            size[k] > hi)
            return false;
        x.size[k] = size[k];
    }
    return true;
}

static at_status choices_take(every *E, at_err *err)
{
    const at_dp *d = E->d;
    int64_t size[AT_DP_MAX], work = 0;
    bool more = true;
    memcpy(size, E->least, (size_t)d->n_sizes * sizeof *size);
    while (more) {
        at_status s = AT_OK;
        at_dp_instance *x = NULL;
        if (choice_allowed(d, size)) {
            s = at_dp_bind_all(d, size, &x, err);
            if (!s)
                s = choice_take(E, x, err);
            work += !s ? x->n_states : 0;
            at_dp_instance_free(x);
        }
        if (!s && work > AT_DP_STATES)
            s = at_fail(err, AT_EBUDGET,
                        "%.100s: more than %lld states in all choices of sizes; choose fewer", d->path,
                        (long long)AT_DP_STATES);
        if (s)
            return s;
        int k = d->n_sizes - 1;
        while (k >= 0 && size[k] == E->most[k])
            k--;
        more = k >= 0;
        if (more)
            size[k]++;
        for (k++; more && k < d->n_sizes; k++)
            size[k] = E->least[k];
    }
    return AT_OK;
}

/* The ends of the counters of each block at the largest sizes. */
static at_status boxes_find(every *E, at_err *err)
{
    const at_dp *d = E->d;
    bool any[AT_DP_BLOCKS] = {false};
    for (int64_t s = 0; s < E->top->n_states; s++) {
        const int64_t *row = E->top->state + s * d->n_counters;
        int b = dp_block_of(d, row);
        for (int c = 0; c < d->blocks[b].n; c++) {
            int64_t v = row[d->hidden + c];
            if (!any[b])
                E->box_lo[b][c] = E->box_hi[b][c] = v;
            wider(&E->box_lo[b][c], &E->box_hi[b][c], v, v);
        }
        any[b] = true;
    }
    for (int b = 0; b < d->n_blocks; b++)
        if (!any[b])
            return at_fail(err, AT_EDOMAIN, "%.100s: there is no state at the largest sizes", d->path);
    return AT_OK;
}

static at_status sizes_check(const every *E, at_err *err)
{
    const at_dp *d = E->d;
    double choices = 1;
    for (int k = 0; k < d->n_sizes; k++) {
        if (E->least[k] > E->most[k])
            return at_fail(err, AT_EINPUT, "%s=%lld..%lld: the second number is smaller than the first",
                           d->sizes[k].name, (long long)E->least[k], (long long)E->most[k]);
        choices *= (double)(E->most[k] - E->least[k] + 1);
    }
    if (choices > CHOICES_MOST)
        return at_fail(err, AT_EBUDGET, "%.100s: %.0f choices of sizes; at most %d", d->path, choices,
                       CHOICES_MOST);
    /* A range that is of numbers alone is one for all choices. */
    at_dp_instance x = {.d = d};
    dp_env v = {.x = &x, .err = err};
    for (int k = 0; k < d->n_sizes; k++) {
        int64_t lo, hi;
        at_status s = dp_eval(&v, d->size_lo[k], &lo);
        if (!s)
            s = dp_eval(&v, d->size_hi[k], &hi);
        if (s)
            return s;
        if (!varying(E, d->size_lo[k]) && !varying(E, d->size_hi[k]) && E->least[k] < lo)
            return at_fail(err, AT_EDOMAIN, "%.100s:%d:%d: size %s is %lld; allowed are %lld..%lld", d->path,
                           d->sizes[k].line, d->sizes[k].column, d->sizes[k].name, (long long)E->least[k],
                           (long long)lo, (long long)hi);
        x.size[k] = E->most[k];
    }
    return AT_OK;
}

at_status at_dp_every(const at_dp *d, const int64_t *least, const int64_t *most, at_text *out, at_err *err)
{
    every E = {.d = d, .least = least, .most = most, .how = RULE, .out = out};
    for (int k = 0; k < d->n_sizes; k++)
        E.varies[k] = least[k] != most[k];
    at_status s = sizes_check(&E, err);
    if (!s)
        s = at_dp_bind_all(d, most, &E.top, err);
    if (s)
        return s;
    s = boxes_find(&E, err);
    if (!s)
        s = choices_take(&E, err);
    if (!s) {
        names_make(&E);
        text_put(&E);
        s = E.wrong.code ? at_fail(err, E.wrong.code, "%s", E.wrong.text) : out->oom ? at_oom(err) : AT_OK;
    }
    at_dp_instance_free(E.top);
    return s;
}
