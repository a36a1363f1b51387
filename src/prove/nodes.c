/* nodes.c: truths over the old state, each once, as simple as is cheap. */
#include "prove_internal.h"

#include <stdlib.h>
#include <string.h>

/* Every list begins like this one. */
typedef PROVE_LIST(char) list;

void *prove_grow(prove_system *s, void *of, size_t bytes)
{
    list *l = of;
    if (s->err.code)
        return NULL;
    if (l->n == l->room) {
        int room = l->room ? 2 * l->room : 16;
        char *more = at_arena_alloc(s->arena, (size_t)room, bytes);
        if (!more) {
            at_oom(&s->err);
            return NULL;
        }
        if (l->n)
            memcpy(more, l->at, (size_t)l->n * bytes);
        l->at = more;
        l->room = room;
    }
    return l->at + (size_t)l->n++ * bytes;
}

static uint64_t hash_of(const prove_node *x)
{
    int64_t words[4] = {(int64_t)x->op, x->a, x->b, x->k};
    return at_hash64(words, sizeof words, 1);
}

static bool slots_grow(prove_system *s)
{
    int slots = s->slots ? 2 * s->slots : 1024;
    int *slot = at_new(s->arena, int, slots);
    if (!slot) {
        at_oom(&s->err);
        return false;
    }
    for (int k = 0; k < s->nodes.n; k++) {
        int at = (int)(hash_of(&s->nodes.at[k]) & (uint64_t)(slots - 1));
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = k + 1;
    }
    s->slot = slot;
    s->slots = slots;
    return true;
}

/* The node, made unless it is there. Numbers 0 and 1 are false and true, so a failure is false. */
static int node_make(prove_system *s, prove_node x)
{
    if (s->err.code || (2 * (s->nodes.n + 1) > s->slots && !slots_grow(s)))
        return 0;
    int at = (int)(hash_of(&x) & (uint64_t)(s->slots - 1));
    for (; s->slot[at]; at = (at + 1) & (s->slots - 1)) {
        const prove_node *y = &s->nodes.at[s->slot[at] - 1];
        if (y->op == x.op && y->a == x.a && y->b == x.b && y->k == x.k)
            return s->slot[at] - 1;
    }
    if (s->nodes.n >= AT_PROVE_NODES) {
        at_fail(&s->err, AT_EBUDGET, "more than %d different truths; the programs are too large to be proved",
                AT_PROVE_NODES);
        return 0;
    }
    prove_node *new = prove_push(s, &s->nodes);
    if (!new)
        return 0;
    *new = x;
    s->slot[at] = s->nodes.n;
    return s->nodes.n - 1;
}

int prove_not(prove_system *s, int a)
{
    if (a <= 1)
        return !a;
    return s->nodes.at[a].op == PN_NOT ? s->nodes.at[a].a : node_make(s, (prove_node){.op = PN_NOT, .a = a});
}

/* Is `whole` an op of which `part` is an argument? */
static bool has(const prove_system *s, int whole, prove_op op, int part)
{
    const prove_node *x = &s->nodes.at[whole];
    return x->op == op && (x->a == part || x->b == part);
}

static int other(const prove_system *s, int whole, int part)
{
    const prove_node *x = &s->nodes.at[whole];
    return x->a == part ? x->b : x->a;
}

/* a and b for op AND; for OR the same with false and true exchanged. */
static int join(prove_system *s, prove_op op, int a, int b)
{
    int none = op == PN_AND ? 1 : 0, all = !none;
    prove_op dual = op == PN_AND ? PN_OR : PN_AND;
    if (a == none || a == b)
        return b;
    if (b == none)
        return a;
    if (a == all || b == all || prove_not(s, a) == b)
        return all;
    for (int turn = 0; turn < 2; turn++) {
        int t = a;
        if (has(s, b, dual, a)) /* a & (a | c) = a */
            return a;
        if (has(s, b, op, a)) /* a & (a & c) */
            return b;
        int not_a = prove_not(s, a);
        if (has(s, b, dual, not_a)) /* a & (!a | c) = a & c */
            return join(s, op, a, other(s, b, not_a));
        if (has(s, b, op, not_a))
            return all;
        a = b;
        b = t;
    }
    return node_make(s, (prove_node){.op = op, .a = a < b ? a : b, .b = a < b ? b : a});
}

int prove_and(prove_system *s, int a, int b)
{
    return join(s, PN_AND, a, b);
}

int prove_or(prove_system *s, int a, int b)
{
    return join(s, PN_OR, a, b);
}

int prove_bit_node(prove_system *s, int bit)
{
    return node_make(s, (prove_node){.op = PN_BIT, .a = bit});
}

int prove_in(prove_system *s, int part, const bool *in)
{
    int states = s->parts.at[part].states, some = 0;
    for (int q = 0; q < states; q++)
        some += in[q];
    if (!some || some == states)
        return some != 0;
    for (int k = 0; k < s->sets.n; k++)
        if (s->sets.at[k].part == part && !memcmp(s->sets.at[k].in, in, (size_t)states))
            return node_make(s, (prove_node){.op = PN_IN, .a = part, .b = k});
    bool *copy = at_new(s->arena, bool, states);
    prove_set *set = copy ? prove_push(s, &s->sets) : NULL;
    if (!set) {
        if (!copy)
            at_oom(&s->err);
        return 0;
    }
    memcpy(copy, in, (size_t)states);
    *set = (prove_set){part, copy};
    return node_make(s, (prove_node){.op = PN_IN, .a = part, .b = s->sets.n - 1});
}

/* ---- comparisons ---------------------------------------------------------------------------------------------------------------- */

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t t = a % b;
        a = b;
        b = t;
    }
    return a < 0 ? -a : a;
}

static int64_t floor_div(int64_t a, int64_t b) /* b > 0 */
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static int form_find(prove_system *s, int n, const int *count, const int64_t *coef)
{
    for (int k = 0; k < s->forms.n; k++) {
        const prove_form *f = &s->forms.at[k];
        bool same = f->n == n;
        for (int i = 0; same && i < n; i++)
            same = f->count[i] == count[i] && f->coef[i] == coef[i];
        if (same)
            return k;
    }
    prove_form *f = prove_push(s, &s->forms);
    int *c = at_new(s->arena, int, n);
    int64_t *w = at_new(s->arena, int64_t, n);
    if (!f || !c || !w) {
        at_oom(&s->err);
        return -1;
    }
    memcpy(c, count, (size_t)n * sizeof *c);
    memcpy(w, coef, (size_t)n * sizeof *w);
    *f = (prove_form){.n = n, .count = c, .coef = w};
    return s->forms.n - 1;
}

/* form <= k; false where it cannot be, because counts are never negative. */
static int less_make(prove_system *s, int form, int64_t k)
{
    bool positive = true;
    for (int i = 0; i < s->forms.at[form].n; i++)
        positive = positive && s->forms.at[form].coef[i] > 0;
    return positive && k < 0 ? 0 : node_make(s, (prove_node){.op = PN_LESS, .a = form, .k = k});
}

int prove_at_most(prove_system *s, int n, int *count, int64_t *coef, int64_t k)
{
    int m = 0;
    int64_t g = 0;
    for (int i = 0; i < n; i++) {
        if (!coef[i])
            continue;
        int at = m++;
        int64_t w = coef[i];
        int c = count[i];
        for (; at > 0 && count[at - 1] > c; at--) { /* by the number of the count */
            count[at] = count[at - 1];
            coef[at] = coef[at - 1];
        }
        count[at] = c;
        coef[at] = w;
        g = gcd(g, w);
    }
    if (!m)
        return k <= 0;
    bool turn = coef[0] < 0;
    for (int i = 0; i < m; i++)
        coef[i] = (turn ? -coef[i] : coef[i]) / g;
    int form = form_find(s, m, count, coef);
    if (form < 0)
        return 0;
    /* g f + k <= 0 is f <= floor(-k / g); -g f + k <= 0 is f >= ceil(k / g), not f <= ceil(k / g) - 1 = floor((k - 1) / g) */
    return turn ? prove_not(s, less_make(s, form, floor_div(k - 1, g)))
                : less_make(s, form, floor_div(-k, g));
}
