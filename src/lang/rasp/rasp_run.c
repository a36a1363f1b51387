/* rasp_run.c: what a flat program says of a word, by definition: every node at every position, selectors as tables of pairs. */
#include <stdlib.h>
#include <string.h>

#include "rasp_internal.h"

#define SHORT ((int64_t)1 << 58) /* sums below this leave no 18 digits */

typedef struct {
    const at_rasp *r;
    const int *word;
    int n;
    at_arena *a;
    at_rasp_atom **value; /* (nodes): (n) */
    bool **pair;          /* (nodes): (n, n), query first */
    at_err *err;
} run;

static at_status fail_at(const run *x, const at_rasp_node *v, int i, const char *what)
{
    at_text t;
    at_text_init(&t);
    at_alphabet_print(&x->r->sigma, x->word, x->n, &t);
    at_status s = at_fail(x->err, AT_EDOMAIN, "%.150s:%d:%d: %s (position %d of %.60s)", x->r->path, v->line,
                          v->column, what, i, t.oom ? "?" : t.s);
    at_text_release(&t);
    return s;
}

static at_status leaf_run(const run *x, const at_rasp_node *v, at_rasp_atom *out)
{
    for (int i = 0; i < x->n; i++) {
        const char *letter = x->r->sigma.letter[x->word[i]];
        out[i] = v->op == AT_RASP_CONST    ? v->atom
                 : v->op == AT_RASP_TOKENS ? (at_rasp_atom){AT_RASP_STRING, 0, 1, letter}
                                           : (at_rasp_atom){AT_RASP_NUMBER, i, 1, NULL};
        if (v->op == AT_RASP_INTS && !at_parse_i64(letter, strlen(letter), &out[i].num))
            return fail_at(x, v, i, "tokens_int of a letter that is no integer");
        if (v->op == AT_RASP_INTS && (out[i].num > 1000000 || out[i].num < -1000000))
            return fail_at(x, v, i, "tokens_int beyond a million");
    }
    return AT_OK;
}

static bool is_whole(const at_rasp_atom *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i].kind == AT_RASP_STRING || x[i].den != 1)
            return false;
    return true;
}

/* As rasp_atoms_compare, of integers: nearly all selectors compare these, n^2 pairs of them. */
static bool whole_compare(at_rasp_op op, int64_t x, int64_t y)
{
    return op == AT_RASP_EQ   ? x == y
           : op == AT_RASP_NE ? x != y
           : op == AT_RASP_LT ? x < y
           : op == AT_RASP_LE ? x <= y
           : op == AT_RASP_GT ? x > y
                              : x >= y;
}

static at_status selected_run(const run *x, const at_rasp_node *v, bool *out)
{
    const at_rasp_atom *key = x->value[v->arg[0]], *query = x->value[v->arg[1]];
    int n = x->n;
    bool whole = is_whole(key, n) && is_whole(query, n);
    for (int q = 0; q < n; q++)
        for (int k = 0; k < n; k++) {
            if (whole) {
                out[q * n + k] = whole_compare(v->compare, key[k].num, query[q].num);
                continue;
            }
            const char *bad = rasp_atoms_compare(v->compare, &key[k], &query[q], &out[q * n + k]);
            if (bad)
                return fail_at(x, v, q, bad);
        }
    return AT_OK;
}

static at_status pairs_run(const run *x, const at_rasp_node *v, bool *out)
{
    int all = x->n * x->n; /* words are at most AT_WORD_LONGEST letters */
    if (v->op == AT_RASP_SELECT)
        return selected_run(x, v, out);
    if (v->op == AT_RASP_ALL) {
        memset(out, v->atom.num != 0, (size_t)all);
        return AT_OK;
    }
    const bool *a = x->pair[v->arg[0]], *b = v->op == AT_RASP_NEITHER ? a : x->pair[v->arg[1]];
    for (int i = 0; i < all; i++)
        out[i] = v->op == AT_RASP_BOTH ? a[i] && b[i] : v->op == AT_RASP_EITHER ? a[i] || b[i] : !a[i];
    return AT_OK;
}

static at_status mean_of(const run *x, const at_rasp_node *v, int q, at_rasp_atom *out)
{
    const bool *selected = x->pair[v->arg[0]] + q * x->n;
    const at_rasp_atom *of = x->value[v->arg[1]];
    at_rasp_atom sum = {AT_RASP_NUMBER, 0, 1, NULL}, count = sum;
    at_rasp_node add = {.op = AT_RASP_ADD}, div = {.op = AT_RASP_DIV};
    const char *bad = NULL;
    for (int k = 0; k < x->n && !bad; k++) {
        if (!selected[k])
            continue;
        if (count.num++ == 0) {
            sum = of[k];
            continue;
        }
        if (sum.kind != AT_RASP_NUMBER || of[k].kind != AT_RASP_NUMBER)
            return fail_at(x, v, q,
                           sum.kind == AT_RASP_STRING
                               ? "two strings are selected and have no mean; select one at most"
                               : "two truths are selected and have no mean; indicator makes numbers of them");
        if (sum.den == 1 && of[k].den == 1 && llabs(sum.num + of[k].num) < SHORT) {
            sum.num += of[k].num;
            continue;
        }
        bad = at_rasp_apply(&add, (at_rasp_atom[]){sum, of[k]}, x->a, &sum);
    }
    if (count.num > 1 && !bad)
        bad = at_rasp_apply(&div, (at_rasp_atom[]){sum, count}, x->a, &sum);
    *out = sum;
    if (!count.num) {
        *out = v->atom;
        if (!v->given && of[0].kind != AT_RASP_NUMBER)
            *out = (at_rasp_atom){of[0].kind, 0, 1, of[0].kind == AT_RASP_STRING ? "" : NULL};
    }
    return bad ? fail_at(x, v, q, bad) : AT_OK;
}

static at_status node_run(const run *x, const at_rasp_node *v, at_rasp_atom *out)
{
    if (v->op <= AT_RASP_INDICES)
        return leaf_run(x, v, out);
    at_status s = AT_OK;
    for (int i = 0; i < x->n && !s; i++) {
        if (v->op == AT_RASP_AGGREGATE)
            s = mean_of(x, v, i, &out[i]);
        else if (v->op == AT_RASP_WIDTH) {
            out[i] = (at_rasp_atom){AT_RASP_NUMBER, 0, 1, NULL};
            for (int k = 0; k < x->n; k++)
                out[i].num += x->pair[v->arg[0]][i * x->n + k];
        } else {
            at_rasp_atom arg[3];
            for (int k = 0; k < 3 && v->arg[k] >= 0; k++)
                arg[k] = x->value[v->arg[k]][i];
            const char *bad = at_rasp_apply(v, arg, x->a, &out[i]);
            s = bad ? fail_at(x, v, i, bad) : AT_OK;
        }
    }
    return s;
}

at_status at_rasp_run(const at_rasp *r, int node, const int *word, int n, at_arena *a, at_rasp_atom *out,
                      at_err *err)
{
    if (n < 1)
        return at_fail(err, AT_EDOMAIN, "RASP says nothing of the empty word");
    int N = node + 1;
    run x = {r, word, n, a, at_new(a, at_rasp_atom *, N), at_new(a, bool *, N), err};
    bool *need = at_new(a, bool, N);
    if (!x.value || !x.pair || !need)
        return at_oom(err);
    need[node] = true;
    for (int k = node; k >= 0; k--) /* arguments are earlier nodes */
        for (int i = 0; need[k] && i < 3; i++)
            if (r->node[k].arg[i] >= 0)
                need[r->node[k].arg[i]] = true;
    for (int k = 0; k < N; k++) {
        at_status s = AT_OK;
        if (!need[k])
            continue;
        if (at_rasp_selects(r->node[k].op)) {
            x.pair[k] = at_new(a, bool, (size_t)n *(size_t)n);
            s = x.pair[k] ? pairs_run(&x, &r->node[k], x.pair[k]) : at_oom(err);
        } else {
            x.value[k] = at_new(a, at_rasp_atom, n);
            s = x.value[k] ? node_run(&x, &r->node[k], x.value[k]) : at_oom(err);
        }
        if (s)
            return s;
    }
    memcpy(out, x.value[node], (size_t)n * sizeof *out);
    return AT_OK;
}
