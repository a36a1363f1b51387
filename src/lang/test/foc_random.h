/* foc_random.h: random formulas of FOC[MOD;+] with a judge of their own: counts are taken here, quantifiers try every number that can
 * matter, and the text is written here. For the tests of the language and of its compiler. */
#ifndef ATTEST_FOC_RANDOM_H
#define ATTEST_FOC_RANDOM_H

#include <attest/core.h>

#include <stdlib.h>

enum { FOC_COUNTS = 6, FOC_VARIABLES = 2, FOC_MOST = 240 };

typedef enum { FOC_NOT, FOC_AND, FOC_OR, FOC_COMPARE, FOC_MOD } foc_op;

typedef struct foc_node {
    foc_op op;
    int sign, m, r; /* COMPARE: which; MOD: modulus and remainder, sign 1: != */
    int k[2][FOC_COUNTS + FOC_VARIABLES], constant[2]; /* both sides */
    struct foc_node *arg[2];
} foc_node;

typedef enum { FOC_PLAIN, FOC_EXISTS, FOC_FORALL, FOC_EXISTS_TWO, FOC_KINDS } foc_kind;

typedef struct {
    at_rng r;
    at_arena *a;
    foc_kind kind;
    foc_node *body;
} foc_formula;

static inline int foc_below(foc_formula *p, int n)
{
    return (int)at_rng_below(&p->r, (uint64_t)n);
}

static inline void foc_side(foc_formula *p, foc_node *x, int side)
{
    int variables = p->kind == FOC_PLAIN ? 0 : p->kind == FOC_EXISTS_TWO ? 2 : 1;
    for (int c = 0; c < 1 + foc_below(p, 2); c++)
        x->k[side][foc_below(p, FOC_COUNTS)] = foc_below(p, 6) - 2;
    if (variables && foc_below(p, 3))
        x->k[side][FOC_COUNTS + foc_below(p, variables)] = variables == 2 ? 1 : 1 + foc_below(p, 3);
    x->constant[side] = foc_below(p, 3) ? 0 : foc_below(p, 7) - 3;
}

static inline foc_node *foc_draw_truth(foc_formula *p, int depth)
{
    foc_node *x = at_new(p->a, foc_node, 1);
    if (!x)
        abort();
    int kind = depth > 0 ? foc_below(p, 7) : 4 + foc_below(p, 3);
    if (kind < 4) {
        x->op = kind == 0 ? FOC_NOT : kind == 1 ? FOC_OR : FOC_AND;
        x->arg[0] = foc_draw_truth(p, depth - 1);
        x->arg[1] = kind ? foc_draw_truth(p, depth - 1) : NULL;
        return x;
    }
    x->op = kind == 4 ? FOC_MOD : FOC_COMPARE;
    foc_side(p, x, 0);
    if (kind == 4) {
        x->m = 1 + foc_below(p, 4);
        x->r = foc_below(p, x->m);
        x->sign = !foc_below(p, 3);
    } else {
        foc_side(p, x, 1);
        x->sign = foc_below(p, 6);
    }
    return x;
}

static inline void foc_draw(foc_formula *p, uint64_t seed, uint64_t which, foc_kind kind, at_arena *a)
{
    *p = (foc_formula){.r = at_rng_at(seed, which), .a = a, .kind = kind};
    p->body = foc_draw_truth(p, kind == FOC_EXISTS_TWO ? 1 : 2);
}

/* ---- what it means --------------------------------------------------------------------------------------------------------------- */

static inline void foc_counts(const int *word, int n, int *v)
{
    for (int c = 0; c < FOC_COUNTS; c++)
        v[c] = 0;
    for (int i = 1; i <= n; i++) {
        bool a = word[i - 1] == 0, b = word[i - 1] == 1;
        v[0] += a;
        v[1] += b;
        v[2] += a && i % 2 == 1;
        v[3] += i % 3 == 0;
        v[4] += b && i % 2 == 0;
        v[5]++;
    }
}

static inline int foc_sum(const foc_node *x, int side, const int *v)
{
    int s = x->constant[side];
    for (int c = 0; c < FOC_COUNTS + FOC_VARIABLES; c++)
        s += x->k[side][c] * v[c];
    return s;
}

static inline bool foc_holds(const foc_node *x, const int *v)
{
    if (x->op == FOC_NOT)
        return !foc_holds(x->arg[0], v);
    if (x->op == FOC_AND)
        return foc_holds(x->arg[0], v) && foc_holds(x->arg[1], v);
    if (x->op == FOC_OR)
        return foc_holds(x->arg[0], v) || foc_holds(x->arg[1], v);
    int a = foc_sum(x, 0, v);
    if (x->op == FOC_MOD)
        return (((a - x->r) % x->m) != 0) == (x->sign == 1);
    int b = foc_sum(x, 1, v);
    return x->sign == 0   ? a < b
           : x->sign == 1 ? a <= b
           : x->sign == 2 ? a == b
           : x->sign == 3 ? a != b
           : x->sign == 4 ? a >= b
                          : a > b;
}

/* confused: a control: quantifiers stop at 0 already, and classes of positions are one too far. */
static inline bool foc_accepts(const foc_formula *p, const int *word, int n, bool confused)
{
    int v[FOC_COUNTS + FOC_VARIABLES] = {0}, most = confused ? 1 : p->kind == FOC_EXISTS_TWO ? 100 : FOC_MOST;
    foc_counts(word, n, v);
    if (confused)
        v[2] = v[0] - v[2];
    if (p->kind == FOC_PLAIN)
        return foc_holds(p->body, v);
    for (int x = 0; x < most; x++)
        for (int y = 0; y < (p->kind == FOC_EXISTS_TWO ? most : 1); y++) {
            v[FOC_COUNTS] = x;
            v[FOC_COUNTS + 1] = y;
            if (foc_holds(p->body, v) != (p->kind == FOC_FORALL))
                return p->kind != FOC_FORALL;
        }
    return p->kind == FOC_FORALL;
}

/* ---- its text ------------------------------------------------------------------------------------------------------------------------ */

static inline void foc_put_side(const foc_node *x, int side, at_text *t)
{
    static const char *const names[] = {
        "#[a]", "#[b]", "#[a, i mod 2 = 1]", "#[i mod 3 = 0]", "#[b, i mod 2 = 0]", "#[true]", "x", "y"};
    bool any = false;
    for (int c = 0; c < FOC_COUNTS + FOC_VARIABLES; c++) {
        int k = x->k[side][c];
        if (!k)
            continue;
        at_text_add(t, k < 0 ? (any ? " - " : "-") : any ? " + " : "");
        if (abs(k) != 1)
            at_text_addf(t, "%d %s", abs(k), k % 2 ? "* " : "");
        at_text_add(t, names[c]);
        any = true;
    }
    if (!any)
        at_text_addf(t, "%d", x->constant[side]);
    else if (x->constant[side])
        at_text_addf(t, " %c %d", x->constant[side] < 0 ? '-' : '+', abs(x->constant[side]));
}

static inline void foc_put(const foc_node *x, at_text *t)
{
    static const char *const signs[] = {"<", "<=", "=", "!=", ">=", ">"};
    if (x->op == FOC_NOT)
        at_text_add(t, "not ");
    at_text_add(t, "(");
    if (x->op == FOC_MOD) {
        foc_put_side(x, 0, t);
        at_text_addf(t, " mod %d %s %d", x->m, x->sign ? "!=" : "=", x->r);
    } else if (x->op == FOC_COMPARE) {
        foc_put_side(x, 0, t);
        at_text_addf(t, " %s ", signs[x->sign]);
        foc_put_side(x, 1, t);
    } else {
        foc_put(x->arg[0], t);
        if (x->op != FOC_NOT) {
            at_text_add(t, x->op == FOC_AND ? " and\n" : "\nor ");
            foc_put(x->arg[1], t);
        }
    }
    at_text_add(t, ")");
}

static inline void foc_text(const foc_formula *p, at_text *t)
{
    static const char *const prefix[FOC_KINDS] = {"", "exists x. ", "∀x. ", "exists x y. "};
    at_text_addf(t, "alphabet a b\n%s", prefix[p->kind]);
    foc_put(p->body, t);
    at_text_add(t, "\n");
}

#endif
