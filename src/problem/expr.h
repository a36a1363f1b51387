/* expr.h: what the files about expressions share (private to task). */
#ifndef ATTEST_TASK_EXPR_H
#define ATTEST_TASK_EXPR_H

#include <attest/problem.h>

static inline bool expr_is_low(int token)
{
    return token == AT_EXPR_ADD || token == AT_EXPR_SUB;
}

static inline bool expr_is_high(int token)
{
    return token == AT_EXPR_MUL || token == AT_EXPR_DIV;
}

/* a op b modulo p; b is not 0 when op divides. */
int expr_apply(int p, int op, int a, int b);
/* One step: t (n) with its leftmost handle replaced, into out (not t); returns its length, 0 without a handle. */
int expr_rewrite(int p, const int *t, int n, int *out);

/* One split of a construction: tokens at .. at+size-1 of the row after it were one token before. */
typedef struct {
    int at, size, token;
} expr_split;
/* at_expr_sample, and how to take it back: undo (k), or NULL. */
int expr_sample_undo(int p, int k, at_rng *r, int *token, expr_split *undo);

#endif
