/* rasp_ranges.c: what the nodes of a flat program can be, as far as their parts tell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rasp_internal.h"

enum { STRINGS = 4096 };

typedef struct {
    const at_rasp *r;
    at_rasp_range *x;
    int N;
    at_arena *a;
    at_err *err;
} ranges;

static at_status fail_at(const ranges *g, const at_rasp_node *v, const char *what)
{
    return at_fail(g->err, AT_EREFUSED, "%.150s:%d:%d: %s", g->r->path, v->line, v->column, what);
}

static double number(const at_rasp_atom *x)
{
    return (double)x->num / (double)x->den;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the strings and drops double ones. */
static at_status strings_set(const ranges *g, const at_rasp_node *v, const char **s, int n,
                             at_rasp_range *out)
{
    qsort(s, (size_t)n, sizeof *s, by_text);
    int m = 0;
    for (int k = 0; k < n; k++)
        if (!m || strcmp(s[m - 1], s[k]) != 0)
            s[m++] = s[k];
    out->kind = AT_RASP_STRING;
    out->string = s;
    out->n = m;
    return m > STRINGS ? fail_at(g, v, "this can be more than 4,096 different strings") : AT_OK;
}

/* One of several ranges, or of several values. */
static at_status join(const ranges *g, const at_rasp_node *v, const at_rasp_range *const *part, int n,
                      const at_rasp_atom *value, int m, at_rasp_range *out)
{
    int strings = 0, numbers = 0, all = 0;
    bool truths = true;
    *out = (at_rasp_range){.whole = true, .lo = INFINITY, .hi = -INFINITY};
    for (int k = 0; k < n; k++) {
        bool s = part[k]->kind == AT_RASP_STRING;
        strings += s;
        numbers += !s;
        all += part[k]->n;
        if (!s) {
            truths &= part[k]->kind == AT_RASP_BOOL;
            out->whole &= part[k]->whole;
            out->lo = fmin(out->lo, part[k]->lo);
            out->hi = fmax(out->hi, part[k]->hi);
        }
    }
    for (int k = 0; k < m; k++) {
        bool s = value[k].kind == AT_RASP_STRING;
        strings += s;
        numbers += !s;
        all += s;
        if (!s) {
            truths &= value[k].kind == AT_RASP_BOOL;
            out->whole &= value[k].den == 1;
            out->lo = fmin(out->lo, number(&value[k]));
            out->hi = fmax(out->hi, number(&value[k]));
        }
    }
    if (strings && numbers)
        return fail_at(g, v, "this is a string at one place and a number at another; make it one of them");
    out->kind = truths ? AT_RASP_BOOL : AT_RASP_NUMBER;
    if (!strings)
        return AT_OK;
    const char **s = at_new(g->a, const char *, all + 1);
    if (!s)
        return at_oom(g->err);
    int at = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < part[k]->n; i++)
            s[at++] = part[k]->string[i];
    for (int k = 0; k < m; k++)
        s[at++] = value[k].s;
    return strings_set(g, v, s, at, out);
}

static at_status joined_strings(const ranges *g, const at_rasp_node *v, const at_rasp_range *x,
                                const at_rasp_range *y, at_rasp_range *out)
{
    if ((int64_t)x->n * y->n > STRINGS)
        return fail_at(g, v, "this can be more than 4,096 different strings");
    const char **s = at_new(g->a, const char *, x->n * y->n + 1);
    if (!s)
        return at_oom(g->err);
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < y->n; k++)
            if (!(s[i * y->n + k] = at_arena_printf(g->a, "%s%s", x->string[i], y->string[k])))
                return at_oom(g->err);
    return strings_set(g, v, s, x->n * y->n, out);
}

static void of_four(double a, double b, double c, double d, at_rasp_range *out)
{
    out->lo = fmin(fmin(a, b), fmin(c, d));
    out->hi = fmax(fmax(a, b), fmax(c, d));
    if (!(fabs(out->lo) <= 1e15 && fabs(out->hi) <= 1e15)) {
        out->lo = -INFINITY;
        out->hi = INFINITY;
    }
}

/* Is it times * indices + lengths * length + plus? */
static bool is_line(const at_rasp_range *x, double times, double lengths, double plus)
{
    return x->line && x->line_of[0] == times && x->line_of[1] == lengths && x->line_of[2] == plus;
}

static bool is_length(const ranges *g, const at_rasp_node *v)
{
    return v->op == AT_RASP_WIDTH && g->r->node[v->arg[0]].op == AT_RASP_ALL &&
           g->r->node[v->arg[0]].atom.num;
}

static void line_find(const ranges *g, const at_rasp_node *v, at_rasp_range *out)
{
    const at_rasp_range *x = v->arg[0] >= 0 ? &g->x[v->arg[0]] : NULL,
                        *y = v->arg[1] >= 0 ? &g->x[v->arg[1]] : NULL;
    out->line = true;
    if (v->op == AT_RASP_INDICES || is_length(g, v))
        out->line_of[v->op != AT_RASP_INDICES] = 1;
    else if (v->op == AT_RASP_CONST && v->atom.kind == AT_RASP_NUMBER && v->atom.den == 1)
        out->line_of[2] = (double)v->atom.num;
    else if (v->op == AT_RASP_NEG && x->line)
        for (int k = 0; k < 3; k++)
            out->line_of[k] = -x->line_of[k];
    else if ((v->op == AT_RASP_ADD || v->op == AT_RASP_SUB) && x->line && y->line)
        for (int k = 0; k < 3; k++)
            out->line_of[k] = x->line_of[k] + (v->op == AT_RASP_ADD ? y->line_of[k] : -y->line_of[k]);
    else
        out->line = false;
    out->permutes |= is_line(out, 1, 0, 0) || is_line(out, -1, 1, -1);
    out->distinct |= out->permutes;
}

static at_status arithmetic(const ranges *g, const at_rasp_node *v, const at_rasp_range *x,
                            const at_rasp_range *y, at_rasp_range *out)
{
    if (x->kind == AT_RASP_STRING || y->kind == AT_RASP_STRING) {
        if (v->op == AT_RASP_ADD && x->kind == y->kind)
            return joined_strings(g, v, x, y, out);
        return fail_at(g, v, "arithmetic on a string; only + joins two of them, and tokens_int are numbers");
    }
    out->kind = AT_RASP_NUMBER;
    out->whole = x->whole && y->whole && v->op != AT_RASP_DIV;
    out->distinct = (v->op == AT_RASP_ADD || v->op == AT_RASP_SUB) &&
                    ((x->distinct && y->flat) || (y->distinct && x->flat));
    out->permutes = v->op == AT_RASP_SUB && y->permutes && is_line(x, 0, 1, -1);
    out->distinct |= out->permutes;
    if (v->op == AT_RASP_ADD)
        of_four(x->lo + y->lo, x->lo + y->lo, x->hi + y->hi, x->hi + y->hi, out);
    else if (v->op == AT_RASP_SUB)
        of_four(x->lo - y->hi, x->lo - y->hi, x->hi - y->lo, x->hi - y->lo, out);
    else if (v->op == AT_RASP_MUL)
        of_four(x->lo * y->lo, x->lo * y->hi, x->hi * y->lo, x->hi * y->hi, out);
    else if (v->op == AT_RASP_DIV && (y->lo > 0 || y->hi < 0))
        of_four(x->lo / y->lo, x->lo / y->hi, x->hi / y->lo, x->hi / y->hi, out);
    else if (v->op == AT_RASP_MOD) {
        out->lo = fmin(0, y->lo);
        out->hi = fmax(0, y->hi);
        if (out->whole && y->lo > 0)
            out->hi = fmin(y->hi - 1, x->lo >= 0 ? fmax(x->hi, 0) : y->hi);
    } else if (v->op == AT_RASP_POW && x->lo >= 1 && y->lo >= 0 && y->hi <= 64)
        of_four(at_pow(x->lo, y->lo), at_pow(x->lo, y->hi), at_pow(x->hi, y->lo), at_pow(x->hi, y->hi), out);
    else if (v->op == AT_RASP_POW && x->whole && y->lo >= 0 && y->hi <= 64) {
        double m = fmax(at_pow(fmax(fabs(x->lo), fabs(x->hi)), y->hi), 1);
        of_four(-m, -1, 1, m, out);
    } else
        of_four(-INFINITY, 0, 0, INFINITY, out);
    if (v->op == AT_RASP_POW)
        out->whole &= y->lo >= 0;
    return AT_OK;
}

/* Before in the order of a key, and where keys are equal of places: then widths number the places. */
static bool ranks(const ranges *g, int s)
{
    const at_rasp_node *v = &g->r->node[s];
    for (int way = 0; v->op == AT_RASP_EITHER && way < 2; way++) {
        const at_rasp_node *first = &g->r->node[v->arg[way]], *second = &g->r->node[v->arg[1 - way]];
        for (int turn = 0; second->op == AT_RASP_BOTH && turn < 2; turn++) {
            const at_rasp_node *same = &g->r->node[second->arg[turn]],
                               *place = &g->r->node[second->arg[1 - turn]];
            if (first->op == AT_RASP_SELECT && same->op == AT_RASP_SELECT && place->op == AT_RASP_SELECT &&
                (first->compare == AT_RASP_LT || first->compare == AT_RASP_GT) &&
                same->compare == AT_RASP_EQ &&
                (place->compare == AT_RASP_LT || place->compare == AT_RASP_GT) &&
                first->arg[0] == first->arg[1] && same->arg[0] == first->arg[0] &&
                same->arg[1] == first->arg[0] && place->arg[0] == place->arg[1] &&
                g->x[place->arg[0]].distinct)
                return true;
        }
    }
    return false;
}

static at_status aggregate(const ranges *g, const at_rasp_node *v, const at_rasp_range *of,
                           at_rasp_range *out)
{
    at_rasp_atom none = v->atom;
    if (!v->given && of->kind != AT_RASP_NUMBER)
        none = (at_rasp_atom){of->kind, 0, 1, of->kind == AT_RASP_STRING ? "" : NULL};
    at_status s = join(g, v, &of, 1, &none, !g->x[v->arg[0]].always, out);
    if (!s && out->kind == AT_RASP_NUMBER)
        out->whole &= g->x[v->arg[0]].once || of->kind == AT_RASP_BOOL || of->lo == of->hi;
    return s;
}

/* What is made of parts that are the same everywhere is, too; of a comparison of keys with queries the queries decide, and of what is
 * attended to the selector. */
static bool is_flat(const ranges *g, const at_rasp_node *v)
{
    if (v->op == AT_RASP_TOKENS || v->op == AT_RASP_INTS || v->op == AT_RASP_INDICES)
        return false;
    bool attends = v->op == AT_RASP_AGGREGATE || v->op == AT_RASP_WIDTH;
    for (int i = v->op == AT_RASP_SELECT; i < (attends ? 1 : 3); i++)
        if (v->arg[i] >= 0 && !g->x[v->arg[i]].flat)
            return false;
    return true;
}

static at_status node_range(const ranges *g, const at_rasp_node *v, at_rasp_range *out)
{
    const at_rasp_range *x = v->arg[0] >= 0 ? &g->x[v->arg[0]] : NULL,
                        *y = v->arg[1] >= 0 ? &g->x[v->arg[1]] : NULL,
                        *z = v->arg[2] >= 0 ? &g->x[v->arg[2]] : NULL;
    const at_alphabet *sigma = &g->r->sigma;
    *out = (at_rasp_range){.kind = AT_RASP_BOOL, .whole = true, .lo = 0, .hi = 1};
    switch (v->op) {
    case AT_RASP_CONST:
        return join(g, v, NULL, 0, &v->atom, 1, out);
    case AT_RASP_TOKENS: {
        const char **s = at_new(g->a, const char *, sigma->n);
        for (int k = 0; s && k < sigma->n; k++)
            s[k] = sigma->letter[k];
        return s ? strings_set(g, v, s, sigma->n, out) : at_oom(g->err);
    }
    case AT_RASP_INTS:
        *out = (at_rasp_range){.kind = AT_RASP_NUMBER, .whole = true, .lo = INFINITY, .hi = -INFINITY};
        for (int k = 0; k < sigma->n; k++) {
            int64_t i;
            if (!at_parse_i64(sigma->letter[k], strlen(sigma->letter[k]), &i) || i > 1000000 || i < -1000000)
                return fail_at(g, v,
                               "tokens_int, but not all letters of the alphabet are integers to a million");
            out->lo = fmin(out->lo, (double)i);
            out->hi = fmax(out->hi, (double)i);
        }
        return AT_OK;
    case AT_RASP_INDICES:
        *out = (at_rasp_range){.kind = AT_RASP_NUMBER, .whole = true, .lo = 0, .hi = g->N - 1};
        return AT_OK;
    case AT_RASP_NEG:
    case AT_RASP_ROUND:
        if (x->kind == AT_RASP_STRING)
            return fail_at(g, v, "arithmetic on a string; tokens_int are numbers");
        out->kind = AT_RASP_NUMBER;
        out->whole = v->op == AT_RASP_ROUND || x->whole;
        out->lo = v->op == AT_RASP_NEG ? -x->hi : ceil(x->lo - 0.5);
        out->hi = v->op == AT_RASP_NEG ? -x->lo : floor(x->hi + 0.5);
        out->distinct = v->op == AT_RASP_NEG && x->distinct;
        return AT_OK;
    case AT_RASP_INDICATOR:
        out->kind = AT_RASP_NUMBER;
        return AT_OK;
    case AT_RASP_LT:
    case AT_RASP_LE:
    case AT_RASP_GT:
    case AT_RASP_GE:
        if ((x->kind == AT_RASP_STRING) != (y->kind == AT_RASP_STRING))
            return fail_at(g, v, "a string and a number have no order; only == compares them");
        return AT_OK;
    case AT_RASP_NOT:
    case AT_RASP_EQ:
    case AT_RASP_NE:
    case AT_RASP_AND:
    case AT_RASP_OR:
    case AT_RASP_IN:
        return AT_OK;
    case AT_RASP_ADD:
    case AT_RASP_SUB:
    case AT_RASP_MUL:
    case AT_RASP_DIV:
    case AT_RASP_MOD:
    case AT_RASP_POW:
        return arithmetic(g, v, x, y, out);
    case AT_RASP_IF:
        return join(g, v, (const at_rasp_range *const[]){y, z}, 2, NULL, 0, out);
    case AT_RASP_LOOKUP:
        return join(g, v, NULL, 0, v->table->value, v->table->n, out);
    case AT_RASP_SELECT:
        out->once = v->compare == AT_RASP_EQ && x->distinct;
        out->self = v->arg[0] == v->arg[1] &&
                    (v->compare == AT_RASP_EQ || v->compare == AT_RASP_LE || v->compare == AT_RASP_GE);
        out->always = out->self || (v->compare == AT_RASP_EQ && x->permutes &&
                                    (y->permutes || is_line(y, 0, 0, 0) || is_line(y, 0, 1, -1)));
        if (v->compare != AT_RASP_EQ && v->compare != AT_RASP_NE &&
            (x->kind == AT_RASP_STRING) != (y->kind == AT_RASP_STRING))
            return fail_at(g, v, "a string and a number have no order; only == compares them");
        return AT_OK;
    case AT_RASP_BOTH:
        out->once = x->once || y->once;
        out->always = out->self = x->self && y->self;
        return AT_OK;
    case AT_RASP_ALL:
        out->once = !v->atom.num || g->N <= 1;
        out->always = out->self = v->atom.num;
        return AT_OK;
    case AT_RASP_EITHER:
        out->self = x->self || y->self;
        out->always = x->always || y->always;
        return AT_OK;
    case AT_RASP_NEITHER:
        return AT_OK;
    case AT_RASP_AGGREGATE:
        return aggregate(g, v, y, out);
    case AT_RASP_WIDTH:
        *out = (at_rasp_range){.kind = AT_RASP_NUMBER, .whole = true, .lo = 0, .hi = g->N};
        out->distinct = out->permutes = ranks(g, v->arg[0]);
        out->hi = out->distinct ? g->N - 1 : x->once ? 1 : g->N;
        out->lo = g->r->node[v->arg[0]].op == AT_RASP_ALL && g->r->node[v->arg[0]].atom.num;
        return AT_OK;
    case AT_RASP_OPS:
        break;
    }
    return AT_OK;
}

at_status at_rasp_ranges(const at_rasp *r, int N, at_arena *a, at_rasp_range **out, at_err *err)
{
    ranges g = {r, at_new(a, at_rasp_range, r->n_nodes), N, a, err};
    bool *need = at_new(a, bool, r->n_nodes + 1);
    if (!g.x || !need)
        return at_oom(err);
    for (int k = 0; k < r->n_outputs; k++)
        need[r->output_node[k]] = true;
    for (int k = r->n_nodes - 1; k >= 0; k--)
        for (int i = 0; need[k] && i < 3; i++)
            if (r->node[k].arg[i] >= 0)
                need[r->node[k].arg[i]] = true;
    at_status s = AT_OK;
    for (int k = 0; k < r->n_nodes && !s; k++)
        if (need[k]) {
            s = node_range(&g, &r->node[k], &g.x[k]);
            line_find(&g, &r->node[k], &g.x[k]);
            g.x[k].flat = is_flat(&g, &r->node[k]);
        }
    *out = g.x;
    return s;
}

bool at_rasp_letters(const at_rasp *r, const at_rasp_range *of)
{
    if (of->kind != AT_RASP_STRING)
        return false;
    for (int k = 0; k < of->n; k++)
        if (at_alphabet_find(&r->sigma, of->string[k], strlen(of->string[k])) < 0)
            return false;
    return true;
}

double at_rasp_answer(const at_rasp *r, const at_rasp_range *of, const at_rasp_atom *x)
{
    if (x->kind != AT_RASP_STRING)
        return number(x);
    if (at_rasp_letters(r, of))
        return at_alphabet_find(&r->sigma, x->s, strlen(x->s));
    for (int k = 0; k < of->n; k++)
        if (strcmp(of->string[k], x->s) == 0)
            return k;
    return -1;
}
