/* classes.c: equal rows are one, and so are equal columns.
 *
 * Copies change neither a rank, nor the largest fooling set (two cells in equal rows spoil it, as two in one row do), nor the depth of a
 * protocol (who holds a copy says what the holder of the original would). So everything runs on one line of each class. */
#include "logic_internal.h"

/* One pass over the matrix in its own order, also for columns. */
static void lines_hash(const at_cc_matrix *m, bool by_cols, int v, uint64_t *hash)
{
    for (int a = 0; a < m->rows; a++)
        for (int b = 0; b < m->cols; b++) {
            uint64_t *h = &hash[by_cols ? b : a], x = (uint64_t)cell_at(m, a, b);
            *h = (*h ^ (v < 0 ? x + 1 : (x == (uint64_t)v) + 1)) * 0x9e3779b97f4a7c15u;
            *h ^= *h >> 29;
        }
}

static bool lines_equal(const at_cc_matrix *m, bool by_cols, int v, int k, int l)
{
    int n = by_cols ? m->rows : m->cols;
    for (int i = 0; i < n; i++) {
        int x = by_cols ? cell_at(m, i, k) : cell_at(m, k, i);
        int y = by_cols ? cell_at(m, i, l) : cell_at(m, l, i);
        if (v < 0 ? x != y : (x == v) != (y == v))
            return false;
    }
    return true;
}

int logic_classes(const at_cc_matrix *m, bool by_cols, int v, int *class, int *first)
{
    int n = by_cols ? m->cols : m->rows, classes = 0;
    size_t places = 1;
    while (places < 2 * (size_t)n)
        places *= 2;
    uint64_t *hash = at_calloc((size_t)n, sizeof *hash);
    int *table = at_calloc(places, sizeof *table); /* class + 1, by the hash of its first line */
    if (hash && table) {
        lines_hash(m, by_cols, v, hash);
        for (int k = 0; k < n; k++) {
            size_t at = hash[k] & (places - 1);
            for (; table[at]; at = (at + 1) & (places - 1)) {
                int l = first[table[at] - 1];
                if (hash[k] == hash[l] && lines_equal(m, by_cols, v, k, l))
                    break;
            }
            if (!table[at]) {
                first[classes] = k;
                table[at] = ++classes;
            }
            class[k] = table[at] - 1;
        }
    }
    bool ok = hash && table;
    at_free(hash);
    at_free(table);
    return ok ? classes : -1;
}

/* In place: those of `first` that have a v somewhere. */
static int lines_keep(const at_cc_matrix *m, bool by_cols, int v, int *first, int n)
{
    int kept = 0, length = by_cols ? m->rows : m->cols;
    for (int k = 0; k < n; k++) {
        bool any = false;
        for (int i = 0; i < length && !any; i++)
            any = (by_cols ? cell_at(m, i, first[k]) : cell_at(m, first[k], i)) == v;
        if (any)
            first[kept++] = first[k];
    }
    return kept;
}

void logic_core_release(logic_core *c)
{
    at_free(c->row);
    at_free(c->col);
}

at_status logic_core_make(const at_cc_matrix *m, int v, logic_core *c, at_err *err)
{
    if (v < 0 || v >= m->values)
        return at_fail(err, AT_EDOMAIN, "value %d: the matrix has 0..%d", v, m->values - 1);
    int *class = at_calloc((size_t)(m->rows > m->cols ? m->rows : m->cols), sizeof *class);
    *c = (logic_core){at_calloc((size_t)m->rows, sizeof *c->row), at_calloc((size_t)m->cols, sizeof *c->col),
                      -1, -1};
    if (class && c->row && c->col) {
        c->R = logic_classes(m, false, v, class, c->row);
        c->C = c->R < 0 ? -1 : logic_classes(m, true, v, class, c->col);
    }
    at_free(class);
    if (c->R < 0 || c->C < 0) {
        logic_core_release(c);
        return at_oom(err);
    }
    c->R = lines_keep(m, false, v, c->row, c->R);
    c->C = lines_keep(m, true, v, c->col, c->C);
    return AT_OK;
}
