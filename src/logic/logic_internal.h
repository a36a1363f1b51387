/* logic_internal.h: what the files of src/logic share. */
#ifndef ATTEST_LOGIC_INTERNAL_H
#define ATTEST_LOGIC_INTERNAL_H

#include <attest/logic.h>

static inline int cell_at(const at_cc_matrix *m, int a, int b)
{
    return m->at[(size_t)a * (size_t)m->cols + (size_t)b];
}

/* Rows (by_cols: columns) that are equal are one class; classes are numbered as they first occur. v >= 0: equal means equal in M_v.
 * class (rows or cols); first: of each class, with room for all. Returns how many there are, -1 without memory. */
int logic_classes(const at_cc_matrix *m, bool by_cols, int v, int *class, int *first);

/* M_v, the 0/1 matrix with a one where f is v, without copies and without lines of zeros. */
typedef struct {
    int *row, *col; /* (R), (C): of the matrix */
    int R, C;
} logic_core;
at_status logic_core_make(const at_cc_matrix *m, int v, logic_core *c,
                          at_err *err); /* AT_EDOMAIN: no such v */
void logic_core_release(logic_core *c);

/* Rank over GF(2) of (rows, words) bits; destroys them. */
int logic_rank_gf2(uint64_t *bits, size_t rows, size_t words);

/* Do the pairs (S, within \ S), S any set of n elements, fool disjointness? All pairs of them are tried, without the matrix. They do
 * where `within` is everything, and where it is less they do not. */
bool logic_disj_fools(int n, uint32_t within);

#endif
