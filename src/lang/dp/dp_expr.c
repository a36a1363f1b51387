/* dp_expr.c: expressions, by recursive descent; names are resolved on the spot.
 *
 *     expr    = all {"or" all}                        all  = truth {"and" truth}
 *     truth   = "not" truth | sum [("=="|"!="|"<"|"<="|">"|">=") sum]
 *     sum     = term {("+"|"-") term}                 term = factor {("*"|"mod"|"div") factor}
 *     factor  = "-" factor | NUMBER | "true" | "false" | NAME | NEED "." VALUE | VALUE "(" expr {"," expr} ")"
 *             | (INPUT | TABLE) "[" expr ["," expr] "]" | "(" expr ")" | "abs" "(" expr ")"
 *             | ("min"|"max") "(" expr "," expr {"," expr} ")" | "if" expr "then" expr "else" expr
 *             | ("min"|"max"|"sum") "over" NAME range "of" expr            (dp_fold.c)
 *             | ("min"|"max"|"sum") expr "over" "(" ... ")"                in the answer (dp_fold.c)
 *
 * a > b is stored as b < a, a >= b as b <= a, min(a, b, c) as min(min(a, b), c), true as 1, a[i, j] as the place (i-1)*cols
 * + j. What is read in place, a[i] or cost(i-1, j), is a take or a need without a name. An expression is 0 or 1 ("truth")
 * when it is a comparison or made of such by and, or, not, if, or the min or max over such; only these may be conditions,
 * while everything may be a number. Recursion is bounded by DP_NEST, the depth of a tree by DP_TREE and their number by DP_NODES, so that
 * whoever walks a tree may recurse. */
#include "dp_internal.h"

#include <stdio.h>
#include <string.h>

static at_dpx *expr(dp_parser *p);

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* A node with what its arguments use. */
at_dpx *dp_node_new(dp_parser *p, at_dpx_op op, int line, int column, at_dpx *a, at_dpx *b, at_dpx *c)
{
    if (p->status != AT_OK)
        return NULL;
    if (p->d->n_nodes >= DP_NODES) {
        dp_fail(p, line, column, "the file is too long; at most %d numbers, names and operations", DP_NODES);
        return NULL;
    }
    dp_node *n = at_new(&p->d->arena, dp_node, 1);
    if (!n) {
        p->status = at_oom(p->err);
        p->t.kind = DP_END;
        return NULL;
    }
    at_dpx *arg[3] = {a, b, c};
    n->e.node = p->d->n_nodes++;
    n->e.op = op;
    n->e.line = line;
    n->e.column = column;
    n->made = p->making;
    n->older = p->newest;
    p->newest = &n->e;
    n->truth = op >= AT_DPX_EQ && op <= AT_DPX_NOT;
    for (int i = 0; i < 3 && arg[i]; i++) {
        const dp_node *from = dp_node_of(arg[i]);
        n->e.arg[i] = arg[i];
        n->uses |= from->uses;
        n->takes |= from->takes;
        n->reads |= from->reads;
        n->round = larger(n->round, from->round);
        n->depth = larger(n->depth, from->depth + 1);
    }
    if (n->depth > DP_TREE) {
        dp_fail(p, line, column, "the expression is too deep; at most %d operations inside each other",
                DP_TREE);
        return NULL;
    }
    return &n->e;
}

static at_dpx *node_new(dp_parser *p, at_dpx_op op, const dp_token *begin, at_dpx *a, at_dpx *b, at_dpx *c)
{
    return dp_node_new(p, op, begin->line, begin->column, a, b, c);
}

at_dpx *dp_leaf_new(dp_parser *p, at_dpx_op op, const at_dpx *at, int index)
{
    at_dpx *e = dp_node_new(p, op, at->line, at->column, NULL, NULL, NULL);
    if (!e)
        return NULL;
    e->index = index;
    if (op == AT_DPX_COUNTER || op == AT_DPX_OVER)
        ((dp_node *)e)->uses = DP_COUNTER;
    else if (op != AT_DPX_CONST) /* it depends on the row */
        ((dp_node *)e)->uses = DP_FOLD;
    return e;
}

at_dpx *dp_const_new(dp_parser *p, const at_dpx *at, int64_t value)
{
    at_dpx *e = dp_leaf_new(p, AT_DPX_CONST, at, 0);
    if (e)
        e->value = value;
    return e;
}

static bool nest_enter(dp_parser *p)
{
    if (++p->nest > DP_NEST)
        dp_fail(p, p->t.line, p->t.column, "nested too deeply; at most %d levels", DP_NEST);
    return p->status == AT_OK;
}

/* ---- names ---------------------------------------------------------------------------------------- */

static const char *kinds_words(unsigned kinds, char buf[96])
{
    static const struct {
        unsigned kind;
        const char *words;
    } rows[] = {{DP_SIZE, "sizes"},
                {DP_COUNTER, "counters"},
                {DP_TAKE, "takes"},
                {DP_NEED, "needs"},
                {DP_VALUE, "values"}};
    size_t n = 0, left = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        left += (kinds & rows[i].kind) != 0;
    buf[0] = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (kinds & rows[i].kind) {
            left--;
            n += (size_t)snprintf(buf + n, 96 - n, "%s%s", rows[i].words,
                                  left > 1 ? ", "
                                  : left   ? " and "
                                           : "");
        }
    return buf;
}

/* NEED "." VALUE; the name of the need was read. */
static void field_read(dp_parser *p, at_dpx *e, const dp_token *name)
{
    if (!dp_is(p, ".")) {
        dp_fail(p, name->line, name->column, "%.*s is a need; read one of its values, as in %.*s.%s",
                (int)name->n, name->s, (int)name->n, name->s,
                p->d->n_values ? p->d->values[0].name.name : "cost");
        return;
    }
    dp_next(p);
    dp_token field = p->t;
    if (field.kind != DP_NAME) {
        char buf[64];
        dp_fail(p, field.line, field.column, "expected the name of a value, found %s", dp_shown(p, buf));
        return;
    }
    const dp_entry *v = dp_lookup(p, &field);
    if (!v || v->kind != DP_VALUE) {
        dp_unknown(p, &field, DP_VALUE, "after the point of a need stands a value");
        return;
    }
    e->field = v->index;
    dp_next(p);
}

/* ---- what is read in place ------------------------------------------------------------------------ */

/* Do they say the same? What is read in place several times is looked up once. */
static bool same(const at_dp *d, const at_dpx *a, const at_dpx *b)
{
    if (!a || !b || a == b)
        return a == b;
    if (a->op != b->op || a->value != b->value || a->field != b->field)
        return false;
    if (a->op == AT_DPX_OVER && a->index != b->index) /* k of another fold, but of the same beginning */
        return d->values[a->index].block == d->values[b->index].block &&
               same(d, d->values[a->index].lo, d->values[b->index].lo);
    if (a->index != b->index)
        return false;
    for (int i = 0; i < 3; i++)
        if (!same(d, a->arg[i], b->arg[i]))
            return false;
    return true;
}

/* The number of such a look-up, which may be there already; -1: there is no room. */
static int take_add(at_dp *d, const at_dp_take *t)
{
    for (int k = 0; k < d->n_takes; k++) {
        const at_dp_take *old = &d->takes[k];
        if (!old->name.name[0] && old->input == t->input && old->block == t->block &&
            same(d, old->index, t->index) && same(d, old->column, t->column))
            return k;
    }
    if (d->n_takes == AT_DP_MAX)
        return -1;
    d->takes[d->n_takes] = *t;
    return d->n_takes++;
}

/* The same of dependencies. */
static int need_add(at_dp *d, const at_dp_need *n)
{
    for (int k = 0; k < d->n_needs; k++) {
        const at_dp_need *old = &d->needs[k];
        bool is = !old->name.name[0] && old->block == n->block && old->reader == n->reader;
        for (int c = 0; is && c < d->blocks[n->block].n; c++)
            is = same(d, old->counter[c], n->counter[c]);
        if (is)
            return k;
    }
    if (d->n_needs == AT_DP_MAX)
        return -1;
    d->needs[d->n_needs] = *n;
    return d->n_needs++;
}

/* The name of the input was read: a[i], cell[i, j], or a scalar alone. */
static at_dpx *element_read(dp_parser *p, const dp_token *name, int input)
{
    at_dp *d = p->d;
    const at_dp_input *in = &d->inputs[input];
    at_dp_take t = {
        .name = {.line = name->line, .column = name->column}, .input = input, .block = dp_block_now(p)};
    if (in->scalar) {
        t.index = node_new(p, AT_DPX_CONST, name, NULL, NULL, NULL);
        if (t.index)
            t.index->value = 1;
    } else
        t.index = dp_place_read(p, in->cols, &t.column);
    t.round = dp_steer(p, dp_steer(p, 0, t.index), t.column);
    int k = p->status == AT_OK ? take_add(d, &t) : -1;
    if (k < 0)
        dp_fail(p, name->line, name->column, "too many look-ups; at most %d, those in place included",
                AT_DP_MAX);
    at_dpx *e = node_new(p, AT_DPX_TAKE, name, NULL, NULL, NULL);
    if (!e)
        return NULL;
    e->index = k;
    dp_node *n = (dp_node *)e;
    n->uses = DP_TAKE;
    n->takes = 1u << k;
    n->round = t.round + 1;
    return e;
}

/* The name of the value was read, and ( comes: cost(i-1, j). */
static at_dpx *value_read(dp_parser *p, const dp_token *name, int value)
{
    at_dp *d = p->d;
    at_dp_need n = {.name = {.line = name->line, .column = name->column},
                    .block = d->values[value].block,
                    .reader = dp_block_now(p)};
    unsigned allowed = p->allowed;
    const char *where = p->where;
    dp_tuple_read(p, n.block, allowed & ~(unsigned)(DP_NEED | DP_FOLD), where, n.counter);
    p->allowed = allowed;
    p->where = where;
    for (int c = 0; p->status == AT_OK && c < d->blocks[n.block].n; c++)
        n.round = dp_steer(p, n.round, n.counter[c]);
    int k = p->status == AT_OK ? need_add(d, &n) : -1;
    if (k < 0)
        dp_fail(p, name->line, name->column, "too many needs; at most %d, those in place included",
                AT_DP_MAX);
    at_dpx *e = node_new(p, AT_DPX_NEED, name, NULL, NULL, NULL);
    if (!e)
        return NULL;
    e->index = k;
    e->field = value;
    dp_node *node = (dp_node *)e;
    node->uses = DP_READ;
    node->reads = 1u << k;
    node->round = n.round + 1;
    return e;
}

/* The name of the table was read. */
static at_dpx *entry_read(dp_parser *p, const dp_token *name, int table)
{
    const at_dp_table *t = &p->d->tables[table];
    at_dpx *cols = t->cols ? node_new(p, AT_DPX_CONST, name, NULL, NULL, NULL) : NULL, *column = NULL;
    if (cols)
        cols->value = t->cols;
    at_dpx *place = dp_place_read(p, cols, &column);
    at_dpx *e = node_new(p, AT_DPX_TABLE, name, place, column, NULL);
    if (e)
        e->index = table;
    return e;
}

at_dpx *dp_place_read(dp_parser *p, at_dpx *cols, at_dpx **column)
{
    unsigned allowed = p->allowed;
    const char *where = p->where;
    dp_expect(p, "[", cols ? "and the place, as in a[i, j]" : "and the place, as in a[i]");
    p->allowed &= ~(unsigned)(DP_NEED | DP_FOLD);
    at_dpx *i = expr(p);
    if (cols) {
        dp_expect(p, ",", "(there are two places, as in a[i, j])");
        at_dpx *j = *column = expr(p), *one = i ? dp_const_new(p, i, 1) : NULL;
        if (p->status == AT_OK)
            i = dp_node_new(p, AT_DPX_SUB, i->line, i->column, i, one, NULL);
        if (p->status == AT_OK)
            i = dp_node_new(p, AT_DPX_MUL, i->line, i->column, i, cols, NULL);
        if (p->status == AT_OK)
            i = dp_node_new(p, AT_DPX_ADD, i->line, i->column, i, j, NULL);
    } else if (dp_is(p, ","))
        dp_fail(p, p->t.line, p->t.column, "one place too many; it is declared with one length");
    dp_expect(p, "]", "after the place");
    p->allowed = allowed;
    p->where = where;
    return p->status == AT_OK ? i : NULL;
}

/* ---- names in expressions ---------------------------------------------------------------------------- */

static at_dpx *unknown_read(dp_parser *p, const dp_token *name)
{
    char words[96], text[160];
    for (int value = 0; value < 2; value++)
        if (dp_is(p, value ? "true" : "false")) {
            at_dpx *e = node_new(p, AT_DPX_CONST, name, NULL, NULL, NULL);
            if (e) {
                e->value = value;
                ((dp_node *)e)->truth = true;
                dp_next(p);
            }
            return e;
        }
    if (dp_reserved(name))
        dp_fail(p, name->line, name->column, "expected a number, a name or (, found \"%.*s\"", (int)name->n,
                name->s);
    snprintf(text, sizeof text, "%s may use %s", p->where, kinds_words(p->allowed, words));
    dp_unknown(p, name, p->allowed | DP_LET, text);
    return NULL;
}

static at_dpx *name_read(dp_parser *p)
{
    dp_token name = p->t;
    char words[96];
    const dp_entry *found = dp_lookup(p, &name);
    if (!found)
        return unknown_read(p, &name);
    const dp_entry entry = *found, *n = &entry; /* the table grows and shrinks while the rest is read */
    static const struct {
        unsigned kind;
        at_dpx_op op;
    } rows[] = {{DP_SIZE, AT_DPX_SIZE}, {DP_COUNTER, AT_DPX_COUNTER}, {DP_TAKE, AT_DPX_TAKE},
                {DP_NEED, AT_DPX_NEED}, {DP_VALUE, AT_DPX_VALUE},     {DP_LET, AT_DPX_LET},
                {DP_OVER, AT_DPX_OVER}};
    at_dpx_op op = AT_DPX_CONST;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == n->kind)
            op = rows[i].op;
    const dp_node *let = n->kind == DP_LET ? dp_node_of(p->d->lets[n->index].rule) : NULL;
    unsigned uses = let ? let->uses : n->kind == DP_OVER ? DP_COUNTER : n->kind;
    if (n->kind == DP_TABLE) {
        dp_next(p);
        return entry_read(p, &name, n->index);
    }
    if (n->kind == DP_INPUT && p->allowed & DP_TAKE) {
        dp_next(p);
        return element_read(p, &name, n->index);
    }
    if (n->kind == DP_VALUE && p->allowed & DP_READ) {
        dp_next(p);
        if (dp_is(p, "("))
            return value_read(p, &name, n->index);
        dp_fail(p, name.line, name.column,
                "%s is a value of this state, known only to the answer; of an earlier state it is read as "
                "%s(...)",
                n->name->name, n->name->name);
    }
    if (n->kind == DP_INPUT)
        dp_fail(p, name.line, name.column, "%s is an input; %s may use %s", n->name->name, p->where,
                kinds_words(p->allowed, words));
    else if (uses & ~p->allowed) {
        unsigned bad = uses & ~p->allowed;
        bad &= -bad;
        if (let)
            dp_fail(p, name.line, name.column, "%s uses %s; %s may use %s", n->name->name, dp_kind_word(bad),
                    p->where, kinds_words(p->allowed, words));
        else
            dp_fail(p, name.line, name.column, "%s is %s%s; %s may use %s", n->name->name,
                    dp_kind_word(n->kind),
                    n->kind == DP_VALUE ? " of this state, known only to the answer" : "", p->where,
                    kinds_words(p->allowed, words));
    }
    at_dpx *e = node_new(p, op, &name, NULL, NULL, NULL);
    if (!e)
        return NULL;
    dp_node *node = (dp_node *)e;
    e->index = n->index;
    e->field = op == AT_DPX_COUNTER ? dp_block_now(p) : 0;
    node->uses = uses;
    if (n->kind == DP_TAKE) {
        node->takes = 1u << n->index;
        node->round = p->d->takes[n->index].round + 1;
    } else if (let) {
        node->takes = let->takes;
        node->reads = let->reads;
        node->round = let->round;
        node->truth = let->truth;
    }
    dp_next(p);
    if (n->kind == DP_NEED)
        field_read(p, e, &name);
    return p->status == AT_OK ? e : NULL;
}

/* ---- operations ----------------------------------------------------------------------------------- */

static void truth_check(dp_parser *p, const at_dpx *e)
{
    if (e && !dp_node_of(e)->truth)
        dp_fail(p, e->line, e->column, "a condition must be a comparison, as in x != 0");
}

/* "(" expr {"," expr} ")", the arguments joined by op: at least two, of abs exactly one. */
static at_dpx *call_read(dp_parser *p, const dp_token *begin, at_dpx_op op)
{
    dp_next(p);
    bool answers = p->allowed & DP_VALUE && op != AT_DPX_ABS;
    if (op != AT_DPX_ABS && dp_accept(p, "over"))
        return dp_fold_read(p, begin, op);
    if (answers && !dp_is(p, "("))
        return dp_gather_read(p, begin, op, expr(p));
    dp_expect(p, "(", op == AT_DPX_ABS ? "after abs" : op == AT_DPX_MIN ? "after min" : "after max");
    at_dpx *e = expr(p);
    if (op == AT_DPX_ABS)
        e = node_new(p, op, begin, e, NULL, NULL);
    else {
        if (answers && dp_accept(p, ")")) {
            if (dp_is(p, "over"))
                return dp_gather_read(p, begin, op, e);
            dp_fail(p, begin->line, begin->column,
                    "min and max are of two numbers or more, as in min(a, b), or over many states, as in max "
                    "cost over (1..n)");
        } else if (answers && dp_is(p, "("))
            dp_fail(p, p->t.line, p->t.column,
                    "an answer reads values at the states behind 'at' or 'over', not in place");
        else if (!dp_is(p, ","))
            dp_fail(p, p->t.line, p->t.column, "min and max need at least two arguments, as in min(a, b)");
        while (dp_accept(p, ",")) {
            at_dpx *b = expr(p);
            e = node_new(p, op, begin, e, b, NULL);
        }
    }
    dp_expect(p, ")", "or an operation");
    return e;
}

static at_dpx *if_read(dp_parser *p, const dp_token *begin)
{
    dp_next(p);
    at_dpx *a = expr(p);
    truth_check(p, a);
    dp_expect(p, "then", "after the condition");
    int g = p->n_guards; /* not more than DP_NEST, since each is a level */
    p->guard[g] = a;
    p->guard_is[g] = true;
    p->n_guards++;
    at_dpx *b = expr(p);
    dp_expect(p, "else", "(an if has both branches)");
    p->guard_is[g] = false;
    at_dpx *c = expr(p);
    p->n_guards--;
    at_dpx *e = node_new(p, AT_DPX_IF, begin, a, b, c);
    if (e)
        ((dp_node *)e)->truth = dp_node_of(b)->truth && dp_node_of(c)->truth;
    return e;
}

/* sum is a word where "over" follows, or in an answer if nothing has that name. */
static bool sum_is_word(dp_parser *p)
{
    if (!dp_is(p, "sum"))
        return false;
    if (p->allowed & DP_VALUE)
        return !dp_lookup(p, &p->t);
    dp_parser ahead = *p; /* a faulty token fails again when it is read */
    at_err ignored = {0};
    ahead.err = &ignored;
    dp_next(&ahead);
    return dp_is(&ahead, "over");
}

static at_dpx *sum_read(dp_parser *p, const dp_token *begin)
{
    dp_next(p);
    return dp_accept(p, "over") ? dp_fold_read(p, begin, AT_DPX_ADD)
                                : dp_gather_read(p, begin, AT_DPX_ADD, expr(p));
}

static at_dpx *factor(dp_parser *p)
{
    dp_token begin = p->t;
    at_dpx *e = NULL;
    char buf[64];
    if (!nest_enter(p))
        return NULL;
    if (dp_accept(p, "-"))
        e = node_new(p, AT_DPX_NEG, &begin, factor(p), NULL, NULL);
    else if (dp_accept(p, "(")) {
        e = expr(p);
        dp_expect(p, ")", "or an operation");
    } else if (dp_is(p, "if"))
        e = if_read(p, &begin);
    else if (dp_is(p, "min"))
        e = call_read(p, &begin, AT_DPX_MIN);
    else if (dp_is(p, "max"))
        e = call_read(p, &begin, AT_DPX_MAX);
    else if (dp_is(p, "abs"))
        e = call_read(p, &begin, AT_DPX_ABS);
    else if (sum_is_word(p))
        e = sum_read(p, &begin);
    else if (begin.kind == DP_NUMBER) {
        e = node_new(p, AT_DPX_CONST, &begin, NULL, NULL, NULL);
        if (e) {
            e->value = begin.number;
            dp_next(p);
        }
    } else if (begin.kind == DP_NAME)
        e = name_read(p);
    else
        dp_fail(p, begin.line, begin.column, "expected a number, a name or (, found %s", dp_shown(p, buf));
    p->nest--;
    return p->status == AT_OK ? e : NULL;
}

static at_dpx *term(dp_parser *p)
{
    dp_token begin = p->t;
    at_dpx *e = factor(p);
    for (;;) {
        if (dp_accept(p, "*")) {
            at_dpx *b = factor(p);
            e = node_new(p, AT_DPX_MUL, &begin, e, b, NULL);
        } else if (dp_is(p, "mod") || dp_is(p, "div")) {
            at_dpx_op op = dp_is(p, "mod") ? AT_DPX_MOD : AT_DPX_DIV;
            dp_next(p);
            at_dpx *b = factor(p);
            if (b && dp_node_of(b)->uses & ~(unsigned)DP_SIZE)
                dp_fail(p, b->line, b->column, "the %s may use numbers and sizes only",
                        op == AT_DPX_MOD ? "modulus" : "divisor");
            e = node_new(p, op, &begin, e, b, NULL);
        } else
            return e;
    }
}

static at_dpx *sum(dp_parser *p)
{
    dp_token begin = p->t;
    at_dpx *e = term(p);
    while (dp_is(p, "+") || dp_is(p, "-")) {
        at_dpx_op op = dp_is(p, "+") ? AT_DPX_ADD : AT_DPX_SUB;
        dp_next(p);
        at_dpx *b = term(p);
        e = node_new(p, op, &begin, e, b, NULL);
    }
    return e;
}

static const struct comparison {
    const char *symbol;
    at_dpx_op op;
    bool swapped;
} comparisons[] = {{"==", AT_DPX_EQ, false}, {"!=", AT_DPX_NE, false}, {"<", AT_DPX_LT, false},
                   {"<=", AT_DPX_LE, false}, {">", AT_DPX_LT, true},   {">=", AT_DPX_LE, true}};

static const struct comparison *comparison_next(const dp_parser *p)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (dp_is(p, comparisons[i].symbol))
            return &comparisons[i];
    return NULL;
}

static at_dpx *truth(dp_parser *p)
{
    dp_token begin = p->t;
    if (dp_accept(p, "not")) {
        if (!nest_enter(p))
            return NULL;
        at_dpx *a = truth(p);
        truth_check(p, a);
        p->nest--;
        return node_new(p, AT_DPX_NOT, &begin, a, NULL, NULL);
    }
    at_dpx *e = sum(p);
    const struct comparison *c = comparison_next(p);
    if (c) {
        dp_next(p);
        at_dpx *b = sum(p);
        e = node_new(p, c->op, &begin, c->swapped ? b : e, c->swapped ? e : b, NULL);
        if (comparison_next(p))
            dp_fail(p, p->t.line, p->t.column, "comparisons do not chain; write a < b and b < c");
    }
    if (dp_is(p, "="))
        dp_fail(p, p->t.line, p->t.column, "a comparison for equality is written ==");
    return e;
}

static at_dpx *all(dp_parser *p)
{
    dp_token begin = p->t;
    at_dpx *e = truth(p);
    while (dp_is(p, "and")) {
        truth_check(p, e);
        dp_next(p);
        at_dpx *b = truth(p);
        truth_check(p, b);
        e = node_new(p, AT_DPX_AND, &begin, e, b, NULL);
    }
    return e;
}

static at_dpx *expr(dp_parser *p)
{
    dp_token begin = p->t;
    at_dpx *e = all(p);
    while (dp_is(p, "or")) {
        truth_check(p, e);
        dp_next(p);
        at_dpx *b = all(p);
        truth_check(p, b);
        e = node_new(p, AT_DPX_OR, &begin, e, b, NULL);
    }
    return e;
}

at_dpx *dp_expr_read(dp_parser *p, unsigned allowed, const char *where)
{
    p->allowed = allowed;
    p->where = where;
    at_dpx *e = expr(p);
    return p->status == AT_OK ? e : NULL;
}

at_dpx *dp_truth_read(dp_parser *p, unsigned allowed, const char *where)
{
    at_dpx *e = dp_expr_read(p, allowed, where);
    truth_check(p, e);
    return p->status == AT_OK ? e : NULL;
}
