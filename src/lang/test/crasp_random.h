/* crasp_random.h: random C-RASP programs with a judge of their own: a tree, what it means at every position of a word, worked out here
 * and nowhere else, and its text in the spellings that people use. For the tests of the language and of its compiler. */
#ifndef ATTEST_CRASP_RANDOM_H
#define ATTEST_CRASP_RANDOM_H

#include <attest/core.h>

#include <stdlib.h>

enum { CR_DEFINITIONS = 5, CR_WORD = 8, CR_LETTERS = 2 };

typedef enum {
    CR_LETTER, /* truths */
    CR_CONST,
    CR_CLASS,
    CR_NOT,
    CR_AND,
    CR_OR,
    CR_COMPARE,
    CR_NAME,
    CR_NUMBER, /* numbers */
    CR_COUNT,
    CR_ADD,
    CR_SUB,
    CR_TIMES,
    CR_IF,
    CR_MIN,
    CR_MAX,
    CR_OPS
} cr_op;

typedef struct cr_node {
    cr_op op;
    int value,
        index; /* CLASS: index modulo value; COUNT: mask `index`, or where it is 5 `value` back; COMPARE: sign `index` */
    struct cr_node *arg[3];
} cr_node;

typedef struct {
    at_rng r;
    at_arena *a;
    int n;
    bool number[CR_DEFINITIONS];
    cr_node *body[CR_DEFINITIONS];
    int accept;
    bool classes; /* also i mod m, and [j = i - k] */
    int seen[CR_OPS], masks[6];
} cr_program;

static inline int cr_below(cr_program *p, int n)
{
    return (int)at_rng_below(&p->r, (uint64_t)n);
}

static inline cr_node *cr_make(cr_program *p, cr_node x)
{
    cr_node *out = at_new(p->a, cr_node, 1);
    if (!out)
        abort();
    *out = x;
    p->seen[x.op]++;
    return out;
}

/* A definition of the kind; NULL: there is none. */
static inline cr_node *cr_named(cr_program *p, bool number)
{
    int k = p->n ? cr_below(p, p->n) : 0;
    return p->n && p->number[k] == number ? cr_make(p, (cr_node){.op = CR_NAME, .index = k}) : NULL;
}

static inline cr_node *cr_truth(cr_program *p, int depth);

static inline cr_node *cr_counted(cr_program *p, int depth)
{
    int mask = cr_below(p, p->classes ? 6 : 5);
    p->masks[mask]++;
    return cr_make(
        p, (cr_node){
               .op = CR_COUNT, .index = mask, .value = 1 + cr_below(p, 3), .arg = {cr_truth(p, depth - 1)}});
}

static inline cr_node *cr_number(cr_program *p, int depth)
{
    cr_node *x = cr_below(p, 3) ? NULL : cr_named(p, true);
    if (x)
        return x;
    if (depth <= 0)
        return cr_make(p, (cr_node){.op = CR_NUMBER, .value = cr_below(p, 7) - 3});
    cr_node *a = NULL, *b = NULL, *c = NULL;
    switch (cr_below(p, 9)) {
    case 0:
    case 1:
        a = cr_number(p, depth - 1);
        b = cr_number(p, depth - 1);
        return cr_make(p, (cr_node){.op = cr_below(p, 2) ? CR_ADD : CR_SUB, .arg = {a, b}});
    case 2:
        a = cr_number(p, depth - 1);
        return cr_make(p, (cr_node){.op = CR_TIMES, .value = cr_below(p, 5) - 2, .arg = {a}});
    case 3:
        c = cr_truth(p, depth - 1);
        a = cr_number(p, depth - 1);
        b = cr_number(p, depth - 1);
        return cr_make(p, (cr_node){.op = CR_IF, .arg = {c, a, b}});
    case 4:
        a = cr_number(p, depth - 1);
        b = cr_number(p, depth - 1);
        return cr_make(p, (cr_node){.op = cr_below(p, 2) ? CR_MIN : CR_MAX, .arg = {a, b}});
    default:
        return cr_counted(p, depth);
    }
}

static inline cr_node *cr_truth(cr_program *p, int depth)
{
    cr_node *x = cr_below(p, 3) ? NULL : cr_named(p, false);
    if (x)
        return x;
    if (depth <= 0 || !cr_below(p, 5)) {
        if (p->classes && !cr_below(p, 6)) {
            int m = 1 + cr_below(p, 3);
            return cr_make(p, (cr_node){.op = CR_CLASS, .value = m, .index = cr_below(p, m)});
        }
        if (!cr_below(p, 10))
            return cr_make(p, (cr_node){.op = CR_CONST, .value = cr_below(p, 2)});
        return cr_make(p, (cr_node){.op = CR_LETTER, .index = cr_below(p, CR_LETTERS)});
    }
    cr_node *a, *b;
    switch (cr_below(p, 6)) {
    case 0:
        return cr_make(p, (cr_node){.op = CR_NOT, .arg = {cr_truth(p, depth - 1)}});
    case 1:
    case 2:
        a = cr_truth(p, depth - 1);
        b = cr_truth(p, depth - 1);
        return cr_make(p, (cr_node){.op = cr_below(p, 2) ? CR_AND : CR_OR, .arg = {a, b}});
    default:
        a = cr_number(p, depth - 1);
        b = cr_number(p, depth - 1);
        return cr_make(p, (cr_node){.op = CR_COMPARE, .index = cr_below(p, 6), .arg = {a, b}});
    }
}

/* Two to five definitions, the last a truth. */
static inline void cr_draw(cr_program *p, uint64_t seed, uint64_t which, bool classes, at_arena *a)
{
    *p = (cr_program){.r = at_rng_at(seed, which), .a = a, .classes = classes};
    int n = 2 + cr_below(p, CR_DEFINITIONS - 1);
    for (int k = 0; k < n; k++) {
        bool number = k + 1 < n && cr_below(p, 2);
        cr_node *x = number ? cr_counted(p, 2) : cr_truth(p, 3);
        p->number[k] = number;
        p->body[k] = x;
        p->n++;
    }
    p->accept = n - 1;
}

/* ---- what it means ------------------------------------------------------------------------------------------------------------ */

typedef struct {
    const cr_program *p;
    const int *word;
    int n;
    bool confused; /* a control: j < i is read as j <= i, and j > i as j >= i */
    int64_t value[CR_DEFINITIONS][CR_WORD + 2];
} cr_judge;

static inline bool cr_sees(const cr_judge *u, const cr_node *x, int i, int j)
{
    switch (x->index) {
    case 0:
        return j <= i;
    case 1:
        return u->confused ? j <= i : j < i;
    case 2:
        return j >= i;
    case 3:
        return u->confused ? j >= i : j > i;
    case 4:
        return true;
    default:
        return j == i - x->value;
    }
}

static inline int64_t cr_value(const cr_judge *u, const cr_node *x, int i)
{
    if (x->op == CR_LETTER)
        return i >= 1 && i <= u->n && u->word[i - 1] == x->index;
    if (x->op == CR_CONST || x->op == CR_NUMBER)
        return x->value;
    if (x->op == CR_CLASS)
        return i >= 1 && i <= u->n && i % x->value == x->index;
    if (x->op == CR_NAME)
        return u->value[x->index][i];
    if (x->op == CR_COUNT) {
        int64_t c = 0;
        for (int j = 1; j <= u->n; j++)
            if (cr_sees(u, x, i, j))
                c += cr_value(u, x->arg[0], j);
        return c;
    }
    int64_t a = cr_value(u, x->arg[0], i), b = x->arg[1] ? cr_value(u, x->arg[1], i) : 0;
    switch ((int)x->op) {
    case CR_NOT:
        return !a;
    case CR_AND:
        return a && b;
    case CR_OR:
        return a || b;
    case CR_COMPARE:
        return x->index == 0   ? a < b
               : x->index == 1 ? a <= b
               : x->index == 2 ? a == b
               : x->index == 3 ? a != b
               : x->index == 4 ? a >= b
                               : a > b;
    case CR_ADD:
        return a + b;
    case CR_SUB:
        return a - b;
    case CR_TIMES:
        return x->value * a;
    case CR_IF:
        return a ? b : cr_value(u, x->arg[2], i);
    case CR_MIN:
        return a < b ? a : b;
    case CR_MAX:
        return a > b ? a : b;
    default:
        abort();
    }
}

/* at: 0 begin, 1..n, n + 1 end. */
static inline bool cr_accepts(const cr_program *p, const int *word, int n, int at, bool confused)
{
    cr_judge u = {.p = p, .word = word, .n = n, .confused = confused};
    for (int k = 0; k < p->n; k++)
        for (int i = 0; i <= n + 1; i++)
            u.value[k][i] = cr_value(&u, p->body[k], i);
    return u.value[p->accept][at] != 0;
}

/* ---- its text --------------------------------------------------------------------------------------------------------------------- */

static inline const char *cr_variable(int depth)
{
    static const char *const names[] = {"i", "j", "k", "u", "v", "w", "x", "y", "z", "p", "q", "r", "s", "t"};
    if (depth >= (int)(sizeof names / sizeof *names))
        abort();
    return names[depth];
}

static inline const char *cr_one_of(cr_program *p, const char *a, const char *b, const char *c)
{
    const char *all[] = {a, b, c};
    return all[cr_below(p, 3)];
}

/* Everything that has parts stands in brackets, so that no rule of strength is asked for here. */
static inline void cr_put(cr_program *p, const cr_node *x, int depth, at_text *t)
{
    static const char *const masks[] = {"<=", "<", ">=", ">"}, *const signs[] = {"<",  "<=", "=",
                                                                                 "!=", ">=", ">"};
    const char *i = cr_variable(depth);
    switch ((int)x->op) {
    case CR_LETTER:
        if (cr_below(p, 3))
            at_text_addf(t, "Q_%c(%s)", 'a' + x->index, i);
        else
            at_text_addf(t, "Q[\"%c\"](%s)", 'a' + x->index, i);
        return;
    case CR_CONST:
        at_text_add(t, x->value ? "true" : "false");
        return;
    case CR_CLASS:
        at_text_addf(t, "(%s mod %d = %d)", i, x->value, x->index);
        return;
    case CR_NAME:
        at_text_addf(t, "D%d(%s)", x->index, i);
        return;
    case CR_NUMBER:
        at_text_addf(t, "%d", x->value);
        return;
    case CR_COUNT:
        if (x->index == 4)
            at_text_add(t, cr_one_of(p, "#[1]", "# [1] ", "#[1] "));
        else if (x->index == 5)
            at_text_addf(t, "#[%s = %s - %d]", cr_variable(depth + 1), i, x->value);
        else
            at_text_addf(t, "# [%s %s %s]", cr_variable(depth + 1), masks[x->index], i);
        at_text_add(t, "(");
        cr_put(p, x->arg[0], depth + 1, t);
        at_text_add(t, ")");
        return;
    case CR_NOT:
        at_text_addf(t, "(%s ", cr_one_of(p, "not", "!", "¬"));
        break;
    case CR_TIMES:
        at_text_addf(t, "(%d %s(", x->value, cr_below(p, 2) ? "* " : "");
        cr_put(p, x->arg[0], depth, t);
        at_text_add(t, "))");
        return;
    case CR_IF:
        at_text_add(t, "(if ");
        cr_put(p, x->arg[0], depth, t);
        at_text_add(t, " then ");
        cr_put(p, x->arg[1], depth, t);
        at_text_add(t, " else ");
        cr_put(p, x->arg[2], depth, t);
        at_text_add(t, ")");
        return;
    case CR_MIN:
    case CR_MAX:
        at_text_add(t, x->op == CR_MIN ? "min(" : "max(");
        break;
    default:
        at_text_add(t, "(");
    }
    cr_put(p, x->arg[0], depth, t);
    switch ((int)x->op) {
    case CR_AND:
        at_text_addf(t, " %s ", cr_one_of(p, "and", "&", "∧"));
        break;
    case CR_OR:
        at_text_addf(t, " %s ", cr_one_of(p, "or", "|", "∨"));
        break;
    case CR_COMPARE:
        at_text_addf(t, " %s ", signs[x->index]);
        break;
    case CR_ADD:
        at_text_add(t, " + ");
        break;
    case CR_SUB:
        at_text_add(t, cr_below(p, 2) ? " - " : "-");
        break;
    case CR_MIN:
    case CR_MAX:
        at_text_add(t, ", ");
        break;
    default:
        break;
    }
    if (x->arg[1])
        cr_put(p, x->arg[1], depth, t);
    at_text_add(t, ")");
}

static inline void cr_text(cr_program *p, const char *header, at_text *t)
{
    at_text_addf(t, "alphabet a b\n%s", header);
    for (int k = 0; k < p->n; k++) {
        at_text_addf(t, "D%d(i) %s ", k, cr_below(p, 2) ? ":=" : "=");
        cr_put(p, p->body[k], 0, t);
        at_text_add(t, cr_below(p, 4) ? "\n" : ";");
    }
}

#endif
