/* depth.c: D(f) exactly, by dynamic programming over rectangles, with a protocol that attains it.
 *
 * A node of a protocol sees the inputs that come there: a set of rows times a set of columns. Who speaks splits one of the two sets.
 * So, for sets R and C of classes (equal rows are one, equal columns too),
 *
 *     D(R, C) = 0                                       when f is constant on R x C
 *               1 + min over splits of max of the parts  otherwise; R in two, or C in two
 *
 * Sets are masks; the parts of a mask are smaller numbers, so ascending order fills the table. A split is tried with the lowest
 * element in one part (the other half of the splits is the same), and the search of a state ends at the least that is possible:
 * log2 of its different values, or at 1. For 10 x 10 these are 2^20 states and less than 2 * 3^10 * 2^10 splits.
 *
 * Legend: r, c numbers of classes; the table is (2^r, 2^c). */
#include "logic_internal.h"

#include <string.h>

typedef struct {
    const at_cc_matrix *m;
    int r, c;
    int row[AT_CC_EXACT], col[AT_CC_EXACT]; /* of the matrix, one a class */
    uint8_t *depth;                         /* (2^r, 2^c) */
    at_cc_tree *tree;
} table;

static uint8_t *depth_at(const table *t, uint32_t R, uint32_t C)
{
    return &t->depth[(size_t)R << t->c | C];
}

/* Different values in R x C; *value is one of them. */
static int values_count(const table *t, uint32_t R, uint32_t C, int *value)
{
    uint64_t seen[4] = {0};
    for (uint32_t x = R; x; x &= x - 1)
        for (uint32_t y = C; y; y &= y - 1) {
            *value = cell_at(t->m, t->row[__builtin_ctz(x)], t->col[__builtin_ctz(y)]);
            seen[*value / 64] |= (uint64_t)1 << *value % 64;
        }
    return __builtin_popcountll(seen[0]) + __builtin_popcountll(seen[1]) + __builtin_popcountll(seen[2]) +
           __builtin_popcountll(seen[3]);
}

/* The part with the lowest element of the best split of a set (rows; by_cols: columns), not worse than *best, which is lowered. */
static uint32_t split_best(const table *t, uint32_t R, uint32_t C, bool by_cols, int least, int *best)
{
    uint32_t set = by_cols ? C : R, low = set & -set, high = set ^ low, found = 0;
    if (!high)
        return 0;
    for (uint32_t part = (high - 1) & high;;
         part = (part - 1) & high) { /* what joins the lowest: all but all */
        uint32_t x = low | part, y = set ^ x;
        int d = by_cols ? *depth_at(t, R, x) : *depth_at(t, x, C);
        int e = by_cols ? *depth_at(t, R, y) : *depth_at(t, y, C);
        d = 1 + (d > e ? d : e);
        if (d < *best) {
            *best = d;
            found = x;
        }
        if (!part || *best <= least)
            return found;
    }
}

/* Depth of R x C from smaller ones; 0: a leaf. *turn and *one: who speaks, and the part that says 1. */
static int rectangle_depth(const table *t, uint32_t R, uint32_t C, int *turn, uint32_t *one)
{
    int value = 0, values = values_count(t, R, C, &value);
    if (values == 1)
        return 0;
    int least = at_cc_log2((uint64_t)values), best = 255;
    *turn = 0;
    *one = split_best(t, R, C, false, least, &best);
    uint32_t other = best > least ? split_best(t, R, C, true, least, &best) : 0;
    if (other) {
        *turn = 1;
        *one = other;
    }
    return best;
}

/* The protocol of R x C; returns its node. */
static int node_make(table *t, uint32_t R, uint32_t C)
{
    int at = t->tree->n++, turn = 0;
    at_cc_node *n = &t->tree->node[at];
    uint32_t one = 0;
    *n = (at_cc_node){.turn = -1, .child = {-1, -1}};
    if (!*depth_at(t, R, C)) {
        values_count(t, R, C, &n->value);
        t->tree->leaves++;
        return at;
    }
    rectangle_depth(t, R, C, &turn, &one);
    n->turn = turn;
    n->one = one;
    n->child[0] = turn ? node_make(t, R, C & ~one) : node_make(t, R & ~one, C);
    n->child[1] = turn ? node_make(t, R, one) : node_make(t, one, C);
    return at;
}

static at_status classes_take(const at_cc_matrix *m, bool by_cols, at_arena *a, uint8_t **class, int *first,
                              int *n, at_err *err)
{
    int lines = by_cols ? m->cols : m->rows;
    int *of = at_calloc((size_t)lines, sizeof *of), *each = at_calloc((size_t)lines, sizeof *each);
    *class = at_new(a, uint8_t, lines);
    *n = of && each && *class ? logic_classes(m, by_cols, -1, of, each) : -1;
    for (int i = 0; *n > 0 && *n <= AT_CC_EXACT && i < lines; i++)
        (*class)[i] = (uint8_t)of[i];
    for (int i = 0; i < *n && i < AT_CC_EXACT; i++)
        first[i] = each[i];
    at_free(of);
    at_free(each);
    if (*n < 0)
        return at_oom(err);
    if (*n > AT_CC_EXACT)
        return at_fail(err, AT_EREFUSED, "%d different %s: the exact depth is computed up to %d", *n,
                       by_cols ? "columns" : "rows", AT_CC_EXACT);
    return AT_OK;
}

at_status at_cc_depth(const at_cc_matrix *m, at_arena *arena, at_cc_tree *out, at_err *err)
{
    at_cc_tree tree = {.rows = m->rows, .cols = m->cols};
    table t = {.m = m, .tree = &tree};
    at_status s = classes_take(m, false, arena, &tree.row_class, t.row, &t.r, err);
    if (!s)
        s = classes_take(m, true, arena, &tree.col_class, t.col, &t.c, err);
    if (s)
        return s;
    t.depth = at_calloc((size_t)1 << (t.r + t.c), 1);
    /* a leaf holds a cell that no other leaf holds, and inner nodes are one fewer */
    tree.node = at_new(arena, at_cc_node, 2 * t.r * t.c);
    if (!t.depth || !tree.node) {
        at_free(t.depth);
        return at_oom(err);
    }
    uint32_t R = ((uint32_t)1 << t.r) - 1, C = ((uint32_t)1 << t.c) - 1;
    for (uint32_t x = 1; x <= R; x++)
        for (uint32_t y = 1; y <= C; y++) {
            int turn;
            uint32_t one;
            *depth_at(&t, x, y) = (uint8_t)rectangle_depth(&t, x, y, &turn, &one);
        }
    tree.depth = *depth_at(&t, R, C);
    node_make(&t, R, C);
    at_free(t.depth);
    if (at_cc_tree_check(m, &tree) != AT_TRUE)
        return at_fail(err, AT_EREFUSED, "the search went wrong: its protocol fails on an input");
    *out = tree;
    return AT_OK;
}

int at_cc_tree_run(const at_cc_tree *t, int a, int b, int *bits)
{
    const at_cc_node *n = t->node;
    for (*bits = 0; n->turn >= 0; ++*bits)
        n = &t->node[n->child[n->one >> (n->turn ? t->col_class[b] : t->row_class[a]) & 1]];
    return n->value;
}

at_tri at_cc_tree_check(const at_cc_matrix *m, const at_cc_tree *t)
{
    if (t->rows != m->rows || t->cols != m->cols)
        return AT_FALSE;
    for (int a = 0; a < m->rows; a++)
        for (int b = 0; b < m->cols; b++) {
            int bits;
            if (at_cc_tree_run(t, a, b, &bits) != cell_at(m, a, b) || bits > t->depth)
                return AT_FALSE;
        }
    return AT_TRUE;
}
