/* formula_test.h: formulas as a test draws them, and what they mean by the textbook, apart from the library: for the tests of LTL, of its
 * reader as of its compiler.
 *
 * Positions of the word are 1 .. n. A formula may be read at 0 and n + 1, too, where no letter is; nothing finds or counts these. */
#ifndef ATTEST_FORMULA_TEST_H
#define ATTEST_FORMULA_TEST_H

#include <stdlib.h>
#include <string.h>

#include <attest/lang.h>

#define PREDICATE "predicate odd_ones 1 3..4" /* a header line */

typedef struct node {
    char
        op; /* a letter of the logic, or one of: a (letter), t, f, m (position), p (predicate), ! & | > (implies) = (iff), c (comparison), % */
    int k, m, r; /* letter; comparison: its sign; modulus and remainder */
    int times[2], plus, mask[2];
    struct node *arg[2]; /* of a comparison what is counted, with its mask */
} node;

typedef struct {
    at_rng r;
    int letters;
    bool counts;
    node pool[4000];
    int used;
} drawer;

static inline int draw_below(drawer *d, int n)
{
    return (int)at_rng_below(&d->r, (uint64_t)n);
}

static inline node *draw_node(drawer *d, int depth)
{
    static const char ones[] = "!YZOHXNFG", twos[] = "&|>=SUWR";
    node *x = &d->pool[d->used++];
    *x = (node){0};
    int kind = depth ? draw_below(d, 20) : 0;
    if (kind < 4) {
        int leaf = draw_below(d, 12);
        x->op = leaf == 0 ? 't' : leaf == 1 ? 'f' : leaf == 2 ? 'm' : leaf == 3 ? 'p' : 'a';
        x->k = draw_below(d, d->letters);
        x->m = 2 + draw_below(d, 3);
        x->r = draw_below(d, x->m);
    } else if (kind < 11) {
        x->op = ones[draw_below(d, 9)];
        x->arg[0] = draw_node(d, depth - 1);
    } else if (kind < 19 || !d->counts) {
        x->op = twos[draw_below(d, 8)];
        x->arg[0] = draw_node(d, depth - 1);
        x->arg[1] = draw_node(d, depth - 1);
    } else {
        x->op = draw_below(d, 4) ? 'c' : '%';
        x->k = draw_below(d, 6);
        x->m = 2 + draw_below(d, 2);
        x->r = draw_below(d, x->m);
        x->plus = draw_below(d, 5) - 2;
        for (int k = 0; k < 2; k++) {
            x->times[k] = draw_below(d, 4) - 1;
            x->mask[k] = draw_below(d, 5);
            x->arg[k] = draw_node(d, depth - 1);
        }
    }
    return x;
}

/* ---- what it means ---------------------------------------------------------------------------------------------- */

typedef struct {
    const int *word;
    int n;
    bool strict;
} judge;

static inline bool holds(const judge *w, const node *x, int i);

/* There is a j on the one side with g at j and f at all between: of j, 1 .. n, and unless strict i itself. */
static inline bool reaches(const judge *w, const node *f, const node *g, bool f_not, bool g_not, int i,
                           int step)
{
    for (int j = w->strict ? i + step : i; j >= 0 && j <= w->n + 1; j += step) {
        if ((j < 1 || j > w->n) && j != i)
            continue;
        if ((!g || holds(w, g, j)) != g_not) {
            bool all = true;
            for (int k = w->strict ? i + step : i; k != j && all; k += step)
                if ((k >= 1 && k <= w->n) || k == i)
                    all = (!f || holds(w, f, k)) != f_not;
            if (all)
                return true;
        }
    }
    return false;
}

static inline int count(const judge *w, const node *x, int mask, int i)
{
    int c = 0;
    for (int j = 1; j <= w->n; j++) {
        bool seen = mask == 0 ? true : mask == 1 ? j < i : mask == 2 ? j <= i : mask == 3 ? j >= i : j > i;
        c += seen && holds(w, x, j);
    }
    return c;
}

static inline bool holds(const judge *w, const node *x, int i)
{
    bool in = i >= 1 && i <= w->n;
    const node *a = x->arg[0], *b = x->arg[1];
    int left, right;
    switch (x->op) {
    case 't':
        return true;
    case 'f':
        return false;
    case 'a':
        return in && w->word[i - 1] == x->k;
    case 'm':
        return in && i % x->m == x->r;
    case 'p': /* PREDICATE */
        return in && (i == 1 || i == 3 || i == 4);
    case '!':
        return !holds(w, a, i);
    case '&':
        return holds(w, a, i) && holds(w, b, i);
    case '|':
        return holds(w, a, i) || holds(w, b, i);
    case '>':
        return !holds(w, a, i) || holds(w, b, i);
    case '=':
        return holds(w, a, i) == holds(w, b, i);
    case 'Y':
        return i - 1 >= 1 && holds(w, a, i - 1);
    case 'Z':
        return !(i - 1 >= 1 && !holds(w, a, i - 1));
    case 'X':
        return i + 1 <= w->n && holds(w, a, i + 1);
    case 'N':
        return !(i + 1 <= w->n && !holds(w, a, i + 1));
    case 'O':
        return reaches(w, NULL, a, false, false, i, -1);
    case 'H':
        return !reaches(w, NULL, a, false, true, i, -1);
    case 'F':
        return reaches(w, NULL, a, false, false, i, 1);
    case 'G':
        return !reaches(w, NULL, a, false, true, i, 1);
    case 'S':
        return reaches(w, a, b, false, false, i, -1);
    case 'U':
        return reaches(w, a, b, false, false, i, 1);
    case 'W':
        return reaches(w, a, b, false, false, i, 1) || !reaches(w, NULL, a, false, true, i, 1);
    case 'R':
        return !reaches(w, a, b, true, true, i, 1);
    case '%':
        left = x->times[0] * count(w, a, x->mask[0], i) + x->times[1] * count(w, b, x->mask[1], i) + x->plus;
        return ((left % x->m) + x->m) % x->m == x->r;
    default: /* 'c' */
        left = x->times[0] * count(w, a, x->mask[0], i);
        right = x->times[1] * count(w, b, x->mask[1], i) + x->plus;
        return x->k == 0   ? left < right
               : x->k == 1 ? left <= right
               : x->k == 2 ? left == right
               : x->k == 3 ? left >= right
               : x->k == 4 ? left > right
                           : left != right;
    }
}

/* ---- how it is written -------------------------------------------------------------------------------------------- */

static inline const char *spelling(drawer *d, const char *const *all)
{
    int n = 0;
    while (all[n])
        n++;
    return all[draw_below(d, n)];
}

static inline void write_node(drawer *d, const node *x, at_text *t);

/* times #[mask] what is counted */
static inline void write_count(drawer *d, const node *x, int k, at_text *t)
{
    static const char *const masks[5][4] = {{"1", NULL},
                                            {"j < i", "i>j", NULL},
                                            {"j <= i", "j ≤ i", NULL},
                                            {"j >= i", "i ≤ j", NULL},
                                            {"j > i", "i<j", NULL}};
    at_text_addf(t, "%d%s", x->times[k], draw_below(d, 2) ? " " : " * ");
    if (x->mask[k] == 2 && draw_below(d, 2)) {
        at_text_add(t, "#[");
        write_node(d, x->arg[k], t);
        at_text_add(t, "]");
        return;
    }
    at_text_addf(t, "#[%s] ", spelling(d, masks[x->mask[k]]));
    write_node(d, x->arg[k], t);
}

/* Brackets around everything but letters and constants. */
static inline void write_node(drawer *d, const node *x, at_text *t)
{
    static const char *const nots[] = {"!", "~", "¬", "not ", NULL},
                             *const ands[] = {"&", "&&", "∧", "and", NULL},
                             *const ors[] = {"|", "||", "∨", "or", NULL},
                             *const implies[] = {"->", "→", "=>", NULL}, *const iffs[] = {"<->", "↔", NULL},
                             *const trues[] = {"true", "⊤", NULL}, *const falses[] = {"false", "⊥", NULL},
                             *const signs[6][4] = {{"<", NULL},       {"<=", "≤", NULL}, {"=", "==", NULL},
                                                   {">=", "≥", NULL}, {">", NULL},       {"!=", "≠", NULL}};
    const char *const *sign = x->op == '&' ? ands : x->op == '|' ? ors : x->op == '>' ? implies : iffs;
    if (x->op == 'a') {
        at_text_addf(t, draw_below(d, 5) ? "%c" : "\"%c\"", 'a' + x->k);
        return;
    }
    if (x->op == 'p') {
        at_text_add(t, "odd_ones");
        return;
    }
    if (x->op == 't' || x->op == 'f') {
        at_text_add(t, spelling(d, x->op == 't' ? trues : falses));
        return;
    }
    at_text_add(t, "(");
    if (x->op == 'm')
        at_text_addf(t, draw_below(d, 2) ? "mod(i, %d) = %d" : "i mod %d = %d", x->m, x->r);
    else if (x->op == 'c' || x->op == '%') {
        write_count(d, x, 0, t);
        if (x->op == 'c')
            at_text_addf(t, " %s ", spelling(d, signs[x->k]));
        else
            at_text_add(t, " + ");
        write_count(d, x, 1, t);
        at_text_addf(t, " %c %d", x->plus < 0 ? '-' : '+', abs(x->plus));
        if (x->op == '%')
            at_text_addf(t, " mod %d = %d", x->m, x->r);
    } else if (!x->arg[1]) {
        if (x->op == '!')
            at_text_add(t, spelling(d, nots));
        else
            at_text_addf(t, "%c ", x->op);
        write_node(d, x->arg[0], t);
    } else {
        write_node(d, x->arg[0], t);
        if (strchr("SUWR", x->op))
            at_text_addf(t, " %c ", x->op);
        else
            at_text_addf(t, " %s ", spelling(d, sign));
        write_node(d, x->arg[1], t);
    }
    at_text_add(t, ")");
}

/* Words of length n over this many letters, by number. */
static inline int words_of_length(int letters, int n)
{
    int all = 1;
    while (n--)
        all *= letters;
    return all;
}

static inline void word_of_number(int letters, int n, int number, int *word)
{
    for (int i = 0; i < n; i++, number /= letters)
        word[i] = number % letters;
}

#endif
