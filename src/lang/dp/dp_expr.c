/* dp_expr.c: expressions, by recursive descent; names are resolved on the spot.
 *
 *     expr    = all {"or" all}                        all  = truth {"and" truth}
 *     truth   = "not" truth | sum [("=="|"!="|"<"|"<="|">"|">=") sum]
 *     sum     = term {("+"|"-") term}                 term = factor {("*"|"mod") factor}
 *     factor  = "-" factor | NUMBER | NAME | NEED "." VALUE | "(" expr ")" | "abs" "(" expr ")"
 *             | ("min"|"max") "(" expr "," expr {"," expr} ")" | "if" expr "then" expr "else" expr
 *
 * a > b is stored as b < a, a >= b as b <= a, min(a, b, c) as min(min(a, b), c). An expression is 0 or 1 ("truth")
 * when it is a comparison or made of such by and, or, not, if; only these may be conditions, while everything may
 * be a number. Recursion is bounded by DP_NEST, the depth of a tree by DP_TREE and their number by DP_NODES, so that
 * whoever walks a tree may recurse. */
#include "dp_internal.h"

#include <stdio.h>
#include <string.h>

static at_dpx *expr(dp_parser *p);

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* A node at the place of `begin`, with what its arguments use. */
static at_dpx *node_new(dp_parser *p, at_dpx_op op, const dp_token *begin, at_dpx *a, at_dpx *b, at_dpx *c)
{
    if (p->status != AT_OK)
        return NULL;
    if (p->d->n_nodes >= DP_NODES) {
        dp_fail(p, begin->line, begin->column,
                "the file is too long; at most %d numbers, names and operations", DP_NODES);
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
    n->e.line = begin->line;
    n->e.column = begin->column;
    n->truth = op >= AT_DPX_EQ && op <= AT_DPX_NOT;
    for (int i = 0; i < 3 && arg[i]; i++) {
        const dp_node *from = dp_node_of(arg[i]);
        n->e.arg[i] = arg[i];
        n->uses |= from->uses;
        n->takes |= from->takes;
        n->round = larger(n->round, from->round);
        n->depth = larger(n->depth, from->depth + 1);
    }
    if (n->depth > DP_TREE) {
        dp_fail(p, begin->line, begin->column,
                "the expression is too deep; at most %d operations inside each other", DP_TREE);
        return NULL;
    }
    return &n->e;
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

static at_dpx *name_read(dp_parser *p)
{
    dp_token name = p->t;
    char words[96];
    const dp_entry *n = dp_lookup(p, &name);
    if (!n) {
        char text[160];
        if (dp_reserved(&name))
            dp_fail(p, name.line, name.column, "expected a number, a name or (, found \"%.*s\"", (int)name.n,
                    name.s);
        snprintf(text, sizeof text, "%s may use %s", p->where, kinds_words(p->allowed, words));
        dp_unknown(p, &name, p->allowed | DP_LET, text);
        return NULL;
    }
    static const struct {
        unsigned kind;
        at_dpx_op op;
    } rows[] = {{DP_SIZE, AT_DPX_SIZE}, {DP_COUNTER, AT_DPX_COUNTER}, {DP_TAKE, AT_DPX_TAKE},
                {DP_NEED, AT_DPX_NEED}, {DP_VALUE, AT_DPX_VALUE},     {DP_LET, AT_DPX_LET}};
    at_dpx_op op = AT_DPX_CONST;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == n->kind)
            op = rows[i].op;
    const dp_node *let = n->kind == DP_LET ? dp_node_of(p->d->lets[n->index].rule) : NULL;
    unsigned uses = let ? let->uses : n->kind;
    if (n->kind == DP_INPUT && !(p->allowed & DP_TAKE))
        dp_fail(p, name.line, name.column, "%s is an input; %s may use %s", n->name->name, p->where,
                kinds_words(p->allowed, words));
    else if (n->kind == DP_INPUT)
        dp_fail(p, name.line, name.column, "%s is an input; look an element up with: take x = %s[...]",
                n->name->name, n->name->name);
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
    node->uses = uses;
    if (n->kind == DP_TAKE) {
        node->takes = 1u << n->index;
        node->round = p->d->takes[n->index].round + 1;
    } else if (let) {
        node->takes = let->takes;
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
    dp_expect(p, "(", op == AT_DPX_ABS ? "after abs" : op == AT_DPX_MIN ? "after min" : "after max");
    at_dpx *e = expr(p);
    if (op == AT_DPX_ABS)
        e = node_new(p, op, begin, e, NULL, NULL);
    else {
        if (!dp_is(p, ",") && p->allowed & DP_VALUE) /* the answer: over all states is what is meant */
            dp_fail(p, begin->line, begin->column,
                    "min and max are of two numbers or more, as in min(a, b), and the answer is read at one "
                    "state; "
                    "what is largest or least so far is a value of its own, answered at the last state");
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
    at_dpx *b = expr(p);
    dp_expect(p, "else", "(an if has both branches)");
    at_dpx *c = expr(p);
    at_dpx *e = node_new(p, AT_DPX_IF, begin, a, b, c);
    if (e)
        ((dp_node *)e)->truth = dp_node_of(b)->truth && dp_node_of(c)->truth;
    return e;
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
        } else if (dp_accept(p, "mod")) {
            at_dpx *b = factor(p);
            if (b && dp_node_of(b)->uses & ~(unsigned)DP_SIZE)
                dp_fail(p, b->line, b->column, "the modulus may use numbers and sizes only");
            e = node_new(p, AT_DPX_MOD, &begin, e, b, NULL);
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
