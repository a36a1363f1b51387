/* fom.c: sentences of FOM[BIT] made (fom.h), printed and measured.
 *
 * A sum of products of numbers is compared with another by one quantifier. The product of x and y is the number of tuples (u.., v..) with u.. < x.. and
 * v.. < y..; a sum is a set of tuples that begin with a tag, one tag a term; 5 times something is tags 0..3, two digits that are free
 * below 2, and one more. What a term does not use of a tuple is 0, so tuples count once. */
#include "fom.h"

#include <string.h>

fom_number fom_number_new(fom_maker *m, int k)
{
    fom_number x = {.k = k};
    if (k > FOM_DIGITS || m->next + k > FOM_VARIABLES) {
        at_fail(m->err, AT_EBUDGET, "a sentence of more than %d variables", FOM_VARIABLES);
        x.k = 0;
        return x;
    }
    for (int i = 0; i < k; i++)
        x.digit[i] = m->next++;
    return x;
}

static fom_set set_of(const int *x, int k)
{
    fom_set s = 0;
    for (int i = 0; i < k; i++)
        s |= (fom_set)1 << x[i];
    return s;
}

static fom_node *node_new(fom_maker *m, fom_op op, const int *x, const int *y, int k, int args)
{
    fom_node *f = at_new(m->a, fom_node, 1);
    int *vx = at_new(m->a, int, k + 1), *vy = at_new(m->a, int, k + 1);
    if (!f || !vx || !vy || !(f->arg = at_new(m->a, const fom_node *, args + 1))) {
        at_oom(m->err);
        return NULL;
    }
    if (x)
        memcpy(vx, x, (size_t)k * sizeof *vx);
    if (y)
        memcpy(vy, y, (size_t)k * sizeof *vy);
    f->op = op;
    f->k = k;
    f->n = args;
    f->x = vx;
    f->y = vy;
    m->nodes++;
    return f;
}

const fom_node *fom_true(fom_maker *m)
{
    return node_new(m, FOM_TRUE, NULL, NULL, 0, 0);
}

const fom_node *fom_letter(fom_maker *m, int letter, int x)
{
    fom_node *f = node_new(m, FOM_LETTER, &x, NULL, 1, 0);
    if (!f)
        return NULL;
    f->k = letter;
    f->free = set_of(&x, 1);
    f->reads = true;
    return f;
}

const fom_node *fom_less(fom_maker *m, const int *x, const int *y, int k)
{
    fom_node *f = node_new(m, FOM_LESS, x, y, k, 0);
    if (!f)
        return NULL;
    f->of_x = set_of(x, k);
    f->of_y = set_of(y, k);
    f->free = f->of_x | f->of_y;
    f->x_differ = f->y_differ = true;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < i; j++) {
            f->x_differ &= x[i] != x[j];
            f->y_differ &= y[i] != y[j];
        }
    return f;
}

const fom_node *fom_bit(fom_maker *m, int x, int y)
{
    fom_node *f = node_new(m, FOM_BIT, &x, &y, 1, 0);
    if (f)
        f->free = set_of(&x, 1) | set_of(&y, 1);
    return f;
}

const fom_node *fom_list(fom_maker *m, fom_op op, const fom_node **arg, int n, bool apart)
{
    fom_node *f = node_new(m, op, NULL, NULL, 0, n);
    if (!f)
        return NULL;
    f->apart = apart;
    for (int i = 0; i < n; i++) {
        if (!arg[i])
            return NULL;
        f->arg[i] = arg[i];
        f->free |= arg[i]->free;
        f->reads |= arg[i]->reads;
    }
    return f;
}

const fom_node *fom_not(fom_maker *m, const fom_node *f)
{
    return fom_list(m, FOM_NOT, &f, 1, false);
}

const fom_node *fom_both(fom_maker *m, const fom_node *f, const fom_node *g)
{
    return fom_list(m, FOM_AND, (const fom_node *[]){f, g}, 2, false);
}

const fom_node *fom_either(fom_maker *m, const fom_node *f, const fom_node *g)
{
    return fom_list(m, FOM_OR, (const fom_node *[]){f, g}, 2, false);
}

static const fom_node *quantified(fom_maker *m, fom_op op, const int *x, int k, const fom_node **arg, int n)
{
    fom_node *f = node_new(m, op, x, NULL, k, n);
    if (!f)
        return NULL;
    for (int i = 0; i < n; i++) {
        if (!arg[i])
            return NULL;
        f->arg[i] = arg[i];
        f->free |= arg[i]->free;
        f->reads |= arg[i]->reads;
    }
    f->free &= ~set_of(x, k);
    return f;
}

const fom_node *fom_exists(fom_maker *m, const int *x, int k, const fom_node *f)
{
    return quantified(m, FOM_EXISTS, x, k, &f, 1);
}

const fom_node *fom_more(fom_maker *m, const int *x, int k, const fom_node *f, const fom_node *g)
{
    return quantified(m, FOM_MORE, x, k, (const fom_node *[]){f, g}, 2);
}

const fom_node *fom_named(fom_maker *m, const char *name, const int *x, int k, const fom_node *f)
{
    fom_node *g = node_new(m, FOM_NAMED, x, NULL, k, 1);
    if (!g || !f)
        return NULL;
    m->nodes--; /* a mark, no part of the sentence */
    g->arg[0] = f;
    g->name = name;
    g->free = f->free;
    g->reads = f->reads;
    return g;
}

int fom_digits(double times, int power)
{
    int k = power;
    for (double reach = 1; reach <= times; reach *= 3)
        k++;
    return k;
}

/* ---- sums ---------------------------------------------------------------------------------------------------------------------- */

/* The tuple of a comparison: digits that name a term, digits that are free below 2, the factors; then what some term has of its own. */
typedef struct {
    int id, loose, data, own;
    const int *x; /* (id + loose + data + own) */
} layout;

static int chunks(const fom_term *t, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += __builtin_popcountll(t[i].times);
    return sum;
}

static void layout_widen(layout *l, const fom_term *t, int n)
{
    for (int i = 0; i < n; i++) {
        int data = t[i].power + t[i].all + t[i].counts;
        for (int k = 0; k < t[i].n_of; k++)
            data += t[i].of[k].k;
        l->data = data > l->data ? data : l->data;
        l->own = t[i].own.k > l->own ? t[i].own.k : l->own;
        for (int b = 0; b < 64; b++)
            if (t[i].times >> b & 1 && b > l->loose)
                l->loose = b;
    }
}

enum { CONJUNCTS = 160 };
typedef struct {
    fom_maker *m;
    const fom_node *f[CONJUNCTS];
    int n;
} all_of;

static void also(all_of *c, const fom_node *f)
{
    if (c->n == CONJUNCTS)
        at_fail(c->m->err, AT_EBUDGET, "a term of more than %d parts", CONJUNCTS);
    else
        c->f[c->n++] = f;
}

/* k of them */
static void are_zero(all_of *c, const int *x, int k)
{
    int zeros[2 * FOM_VARIABLES];
    for (int i = 0; i < k; i++)
        zeros[i] = c->m->zero;
    if (k)
        also(c, fom_not(c->m, fom_less(c->m, zeros, x, k)));
}

static void below_two(all_of *c, int x)
{
    also(c, fom_not(c->m, fom_less(c->m, &c->m->one, &x, 1)));
}

static void is_one(all_of *c, int x)
{
    below_two(c, x);
    also(c, fom_less(c->m, &c->m->zero, &x, 1));
}

/* Term t, 2^bit times, under tag `tag`. */
static const fom_node *chunk_make(fom_maker *m, const layout *l, const fom_term *t, int bit, int tag)
{
    all_of c = {.m = m};
    const int *x = l->x, *end = l->x + l->id + l->loose + l->data;
    for (int i = 0; i < l->id; i++)
        if (tag >> i & 1)
            is_one(&c, *x++);
        else
            are_zero(&c, x++, 1);
    for (int i = 0; i < bit; i++)
        below_two(&c, *x++);
    are_zero(&c, x, l->loose - bit);
    x += l->loose - bit;
    for (int i = 0; i < t->power; i++)
        also(&c, fom_less(m, x++, &m->h, 1));
    for (int k = 0; k < t->n_of; x += t->of[k++].k)
        also(&c, fom_less(m, x, t->of[k].digit, t->of[k].k));
    if (t->counts)
        also(&c, fom_letter(m, t->letter, *x++));
    x += t->all;
    are_zero(&c, x, (int)(end - x) + (t->where ? 0 : l->own));
    if (t->where)
        also(&c, t->where);
    return fom_list(m, FOM_AND, c.f, c.n, false);
}

static const fom_node *side_make(fom_maker *m, const layout *l, const fom_term *t, int n)
{
    const fom_node **part = at_new(m->a, const fom_node *, chunks(t, n) + 1);
    int tag = 0;
    if (!part) {
        at_oom(m->err);
        return NULL;
    }
    for (int i = 0; i < n; i++)
        for (int b = 0; b < 64; b++)
            if (t[i].times >> b & 1) {
                part[tag] = chunk_make(m, l, &t[i], b, tag);
                tag++;
            }
    return fom_list(m, FOM_OR, part, tag, true);
}

const fom_node *fom_larger(fom_maker *m, const fom_term *left, int n_left, const fom_term *right, int n_right)
{
    layout l = {0};
    int most = chunks(left, n_left), other = chunks(right, n_right), x[2 * FOM_VARIABLES], mark = m->next;
    most = other > most ? other : most;
    while (1 << l.id < most)
        l.id++;
    layout_widen(&l, left, n_left);
    layout_widen(&l, right, n_right);
    int own = l.own, k = l.id + l.loose + l.data;
    if (m->next + k > FOM_VARIABLES) {
        at_fail(m->err, AT_EBUDGET, "a sentence of more than %d variables", FOM_VARIABLES);
        return NULL;
    }
    for (int i = 0; i < k; i++)
        x[i] = m->next++;
    for (int i = 0; i < n_left + n_right; i++) {
        const fom_term *t = i < n_left ? &left[i] : &right[i - n_left];
        if (t->where)
            memcpy(x + k, t->own.digit, (size_t)own * sizeof *x);
    }
    l.x = x;
    const fom_node *f = side_make(m, &l, left, n_left), *g = side_make(m, &l, right, n_right);
    m->next = mark;
    return m->err->code ? NULL : fom_more(m, x, k + own, f, g);
}

/* ---- printed --------------------------------------------------------------------------------------------------------------------- */

static void tuple_print(const int *x, int k, at_text *out)
{
    for (int i = 0; i < k; i++)
        at_text_addf(out, "%sx%d", i ? " " : "", x[i]);
}

static void node_print(const fom_node *f, const at_alphabet *sigma, at_text *out)
{
    static const char *const heads[] = {[FOM_NOT] = "(not",
                                        [FOM_AND] = "(and",
                                        [FOM_OR] = "(or",
                                        [FOM_EXISTS] = "(some",
                                        [FOM_MORE] = "(more"};
    switch (f->op) {
    case FOM_TRUE:
        at_text_add(out, "true");
        return;
    case FOM_LETTER:
        at_text_addf(out, "Q_%s(x%d)", sigma->letter[f->k], f->x[0]);
        return;
    case FOM_BIT:
        at_text_addf(out, "BIT(x%d, x%d)", f->x[0], f->y[0]);
        return;
    case FOM_LESS:
        at_text_add(out, "(");
        tuple_print(f->x, f->k, out);
        at_text_add(out, " < ");
        tuple_print(f->y, f->k, out);
        at_text_add(out, ")");
        return;
    case FOM_NAMED:
        node_print(f->arg[0], sigma, out);
        return;
    case FOM_NOT:
    case FOM_AND:
    case FOM_OR:
    case FOM_EXISTS:
    case FOM_MORE:
        at_text_add(out, heads[f->op]);
        if (f->op == FOM_EXISTS || f->op == FOM_MORE) {
            at_text_add(out, " (");
            tuple_print(f->x, f->k, out);
            at_text_add(out, ")");
        }
        for (int i = 0; i < f->n; i++) {
            at_text_add(out, " ");
            node_print(f->arg[i], sigma, out);
        }
        at_text_add(out, ")");
        return;
    }
}

void at_fom_print(const at_fom *f, at_text *out)
{
    node_print(f->root, &f->sigma, out);
    at_text_add(out, "\n");
}
