/* rasp_nodes.c: nodes of a flat program: equal ones are one, constants are folded, widths in disguise are widths. */
#include "rasp_nodes.h"

#include <string.h>

static const char no_memory[] = "out of memory";

static bool same_atom(const at_rasp_atom *x, const at_rasp_atom *y)
{
    return x->kind == y->kind && x->num == y->num && x->den == y->den &&
           (x->kind != AT_RASP_STRING || strcmp(x->s, y->s) == 0);
}

static bool same_table(const at_rasp_table *x, const at_rasp_table *y)
{
    if (x == y)
        return true;
    if (!x || !y || x->n != y->n)
        return false;
    for (int k = 0; k < x->n; k++)
        if (!same_atom(&x->key[k], &y->key[k]) || (x->value && !same_atom(&x->value[k], &y->value[k])))
            return false;
    return true;
}

static bool same(const at_rasp_node *x, const at_rasp_node *y)
{
    return x->op == y->op && x->compare == y->compare && memcmp(x->arg, y->arg, sizeof x->arg) == 0 &&
           x->given == y->given && same_atom(&x->atom, &y->atom) && same_table(x->table, y->table);
}

static uint64_t hash_of(const at_rasp_node *x)
{
    int64_t words[8] = {x->op,     x->compare,  x->arg[0],   x->arg[1],
                        x->arg[2], x->atom.num, x->atom.den, x->table ? x->table->n : 0};
    uint64_t h = at_hash64(words, sizeof words, 3);
    return x->atom.kind == AT_RASP_STRING ? h ^ at_hash64(x->atom.s, strlen(x->atom.s), 4) : h;
}

static bool grow(rasp_nodes *k)
{
    int room = k->room ? 2 * k->room : 256;
    at_rasp_node *v = at_new(k->a, at_rasp_node, room);
    bool *whole = at_new(k->a, bool, room);
    int *slot = at_new(k->a, int, 2 * room);
    if (!v || !whole || !slot)
        return false;
    if (k->n) {
        memcpy(v, k->v, (size_t)k->n * sizeof *v);
        memcpy(whole, k->whole, (size_t)k->n * sizeof *whole);
    }
    k->room = room;
    k->v = v;
    k->whole = whole;
    k->slot = slot;
    k->slots = 2 * (size_t)room;
    memset(slot, -1, k->slots * sizeof *slot);
    for (int i = 0; i < k->n; i++) {
        size_t h = hash_of(&v[i]) & (k->slots - 1);
        while (slot[h] >= 0)
            h = (h + 1) & (k->slots - 1);
        slot[h] = i;
    }
    return true;
}

static bool pointwise(at_rasp_op op)
{
    return op >= AT_RASP_NEG && op <= AT_RASP_IN;
}

/* Surely an integer, if it is a number. */
static bool whole_of(const rasp_nodes *k, const at_rasp_node *v)
{
    switch (v->op) {
    case AT_RASP_CONST:
        return v->atom.den == 1;
    case AT_RASP_INTS:
    case AT_RASP_INDICES:
    case AT_RASP_ROUND:
    case AT_RASP_INDICATOR:
    case AT_RASP_WIDTH:
        return true;
    case AT_RASP_NEG:
        return k->whole[v->arg[0]];
    case AT_RASP_ADD:
    case AT_RASP_SUB:
    case AT_RASP_MUL:
    case AT_RASP_MOD:
        return k->whole[v->arg[0]] && k->whole[v->arg[1]];
    case AT_RASP_IF:
        return k->whole[v->arg[1]] && k->whole[v->arg[2]];
    case AT_RASP_LOOKUP:
        for (int i = 0; i < v->table->n; i++)
            if (v->table->value[i].den != 1)
                return false;
        return true;
    case AT_RASP_TOKENS:
    case AT_RASP_NOT:
    case AT_RASP_DIV:
    case AT_RASP_POW:
    case AT_RASP_EQ:
    case AT_RASP_NE:
    case AT_RASP_LT:
    case AT_RASP_LE:
    case AT_RASP_GT:
    case AT_RASP_GE:
    case AT_RASP_AND:
    case AT_RASP_OR:
    case AT_RASP_IN:
    case AT_RASP_SELECT:
    case AT_RASP_ALL:
    case AT_RASP_BOTH:
    case AT_RASP_EITHER:
    case AT_RASP_NEITHER:
    case AT_RASP_AGGREGATE:
    case AT_RASP_OPS:
        break;
    }
    return false;
}

static int put(rasp_nodes *k, const at_rasp_node *v)
{
    if (k->n == k->room && !grow(k)) {
        k->bad = no_memory;
        return -1;
    }
    size_t h = hash_of(v) & (k->slots - 1);
    for (; k->slot[h] >= 0; h = (h + 1) & (k->slots - 1))
        if (same(&k->v[k->slot[h]], v))
            return k->slot[h];
    if (k->n == AT_RASP_NODES) {
        k->bad = "the program unfolds to more than 20,000 steps";
        return -1;
    }
    k->v[k->n] = *v;
    k->whole[k->n] = whole_of(k, v);
    return k->slot[h] = k->n++;
}

int rasp_node_const(rasp_nodes *k, at_rasp_atom x, const at_rasp_node *like)
{
    at_rasp_node v = *like;
    v.op = AT_RASP_CONST;
    v.compare = AT_RASP_CONST;
    v.arg[0] = v.arg[1] = v.arg[2] = -1;
    v.atom = x;
    v.given = false;
    v.table = NULL;
    v.name = NULL;
    return put(k, &v);
}

/* ---- widths in disguise -------------------------------------------------------------------------------------------------- */

static const at_rasp_node *node(const rasp_nodes *k, int i)
{
    return &k->v[i];
}

static bool is_number(const rasp_nodes *k, int i, int64_t x)
{
    const at_rasp_node *v = node(k, i);
    return v->op == AT_RASP_CONST && v->atom.kind != AT_RASP_STRING && v->atom.num == x && v->atom.den == 1;
}

static bool is_op(const rasp_nodes *k, int i, at_rasp_op op)
{
    return node(k, i)->op == op;
}

/* indices == 0, in either order */
static bool is_first(const rasp_nodes *k, int i)
{
    const at_rasp_node *v = node(k, i);
    if (v->op == AT_RASP_INDICATOR)
        return is_first(k, v->arg[0]);
    return v->op == AT_RASP_EQ && ((is_op(k, v->arg[0], AT_RASP_INDICES) && is_number(k, v->arg[1], 0)) ||
                                   (is_op(k, v->arg[1], AT_RASP_INDICES) && is_number(k, v->arg[0], 0)));
}

/* Does the selector select position 0 for every query? */
static bool has_first(const rasp_nodes *k, int s)
{
    const at_rasp_node *v = node(k, s);
    if (v->op == AT_RASP_ALL)
        return v->atom.num;
    if (v->op == AT_RASP_EITHER)
        return has_first(k, v->arg[0]) || has_first(k, v->arg[1]);
    if (v->op == AT_RASP_BOTH)
        return has_first(k, v->arg[0]) && has_first(k, v->arg[1]);
    return v->op == AT_RASP_SELECT && v->compare == AT_RASP_EQ && is_op(k, v->arg[0], AT_RASP_INDICES) &&
           is_number(k, v->arg[1], 0);
}

static bool is_binary(const rasp_nodes *k, int i)
{
    at_rasp_op op = node(k, i)->op;
    return op == AT_RASP_INDICATOR || op == AT_RASP_NOT || op == AT_RASP_IN ||
           (op >= AT_RASP_EQ && op <= AT_RASP_OR) || is_number(k, i, 0) || is_number(k, i, 1);
}

/* Is `size` how many s selects? */
static bool is_size(const rasp_nodes *k, int size, int s)
{
    const at_rasp_node *n = node(k, size), *v = node(k, s);
    if (n->op == AT_RASP_WIDTH)
        return n->arg[0] == s;
    if (v->op != AT_RASP_SELECT || !is_op(k, v->arg[0], AT_RASP_INDICES) ||
        !is_op(k, v->arg[1], AT_RASP_INDICES))
        return false;
    if (v->compare == AT_RASP_LT)
        return n->op == AT_RASP_INDICES;
    return v->compare == AT_RASP_LE && n->op == AT_RASP_ADD &&
           ((is_op(k, n->arg[0], AT_RASP_INDICES) && is_number(k, n->arg[1], 1)) ||
            (is_op(k, n->arg[1], AT_RASP_INDICES) && is_number(k, n->arg[0], 1)));
}

/* size * aggregate(s, b) */
static int counted(rasp_nodes *k, const at_rasp_node *v)
{
    for (int way = 0; way < 2; way++) {
        int size = v->arg[way], mean = v->arg[1 - way];
        const at_rasp_node *m = node(k, mean);
        if (m->op != AT_RASP_AGGREGATE || !is_binary(k, m->arg[1]) || m->atom.num ||
            m->atom.kind == AT_RASP_STRING || !is_size(k, size, m->arg[0]))
            continue;
        at_rasp_node x = *v;
        x.given = false;
        x.atom = (at_rasp_atom){AT_RASP_NUMBER, 0, 1, NULL};
        int s = m->arg[0], b = m->arg[1],
            one = rasp_node_const(k, (at_rasp_atom){AT_RASP_NUMBER, 1, 1, NULL}, v);
        if (one < 0)
            return -1;
        x.op = AT_RASP_SELECT;
        x.compare = AT_RASP_EQ;
        x.arg[0] = b;
        x.arg[1] = one;
        int held = rasp_node(k, x);
        if (held < 0)
            return -1;
        x.op = AT_RASP_BOTH;
        x.compare = AT_RASP_CONST;
        x.arg[0] = s;
        x.arg[1] = held;
        int both = rasp_node(k, x);
        if (both < 0)
            return -1;
        x.op = AT_RASP_WIDTH;
        x.arg[0] = both;
        x.arg[1] = -1;
        return rasp_node(k, x);
    }
    return put(k, v);
}

static int pointwise_node(rasp_nodes *k, const at_rasp_node *v)
{
    at_rasp_atom x[3], out;
    bool constant = true;
    for (int i = 0; i < 3 && v->arg[i] >= 0; i++) {
        constant &= is_op(k, v->arg[i], AT_RASP_CONST);
        x[i] = node(k, v->arg[i])->atom;
    }
    if (constant) {
        k->bad = at_rasp_apply(v, x, k->a, &out);
        return k->bad ? -1 : rasp_node_const(k, out, v);
    }
    if (v->op == AT_RASP_ROUND && k->whole[v->arg[0]])
        return v->arg[0];
    if (v->op == AT_RASP_DIV && is_number(k, v->arg[0], 1)) {
        const at_rasp_node *m = node(k, v->arg[1]);
        if (m->op == AT_RASP_AGGREGATE && is_first(k, m->arg[1]) && has_first(k, m->arg[0])) {
            at_rasp_node w = *v;
            w.op = AT_RASP_WIDTH;
            w.arg[0] = m->arg[0];
            w.arg[1] = -1;
            return rasp_node(k, w);
        }
    }
    return v->op == AT_RASP_MUL ? counted(k, v) : put(k, v);
}

static int all_node(rasp_nodes *k, const at_rasp_node *v, bool yes)
{
    at_rasp_node w = *v;
    w.op = AT_RASP_ALL;
    w.compare = AT_RASP_CONST;
    w.arg[0] = w.arg[1] = w.arg[2] = -1;
    w.atom = (at_rasp_atom){AT_RASP_BOOL, yes, 1, NULL};
    return put(k, &w);
}

int rasp_node(rasp_nodes *k, at_rasp_node v)
{
    if (pointwise(v.op))
        return pointwise_node(k, &v);
    const at_rasp_node *x = v.arg[0] >= 0 ? node(k, v.arg[0]) : NULL,
                       *y = v.arg[1] >= 0 ? node(k, v.arg[1]) : NULL;
    if (v.op == AT_RASP_SELECT && x->op == AT_RASP_CONST && y->op == AT_RASP_CONST) {
        at_rasp_atom pair[2] = {x->atom, y->atom}, is;
        at_rasp_node c = v;
        c.op = v.compare;
        k->bad = at_rasp_apply(&c, pair, k->a, &is);
        return k->bad ? -1 : all_node(k, &v, is.num);
    }
    if (v.op == AT_RASP_NEITHER && x->op == AT_RASP_ALL)
        return all_node(k, &v, !x->atom.num);
    if (v.op == AT_RASP_BOTH || v.op == AT_RASP_EITHER)
        for (int way = 0; way < 2; way++) {
            const at_rasp_node *one = way ? y : x;
            if (one->op == AT_RASP_ALL)
                return (one->atom.num != 0) == (v.op == AT_RASP_EITHER) ? v.arg[way] : v.arg[1 - way];
        }
    return put(k, &v);
}
