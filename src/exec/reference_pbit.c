/* reference_pbit.c: the reference in p-bit floats.
 *
 * Every operation is rounded to the format, with one exception: the sums over keys in attention. There the
 * weights w_j (p-bit numbers) and the products w_j * v_j accumulate exactly, each sum is rounded once, and one
 * rounded division follows. So a sum split between parties and merged is the same number. Where c->quotient is set (AT_QUOTIENT) the
 * sums are not rounded, and their quotient is, once.
 *
 * Speed: for p <= 25 the rows that take the time run on vectors (rows_pbit.inc), and exact sums mostly
 * in f64 (prow.inc); both are the same numbers as the generic rows and at_acc give. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "../num/pbit_rows.h"
#include "exec_internal.h"

#define NUM              double
#define FORWARD          ref_forward_pbit
#define s_round(c, d)    at_p_round_fast(&(c)->f, d)
#define s_add(c, a, b)   at_p_add_fast(&(c)->f, a, b)
#define s_sub(c, a, b)   at_p_sub_fast(&(c)->f, a, b)
#define s_mul(c, a, b)   at_p_mul_fast(&(c)->f, a, b)
#define s_div(c, a, b)   at_p_div_fast(&(c)->f, a, b)
#define s_weigh(c, w, x) ((w) == 1 || (w) == -1 ? (w) * (x) : s_mul(c, w, x)) /* most weights are 1 or -1 */
#define s_sqrt(c, a)     at_p_sqrt_fast(&(c)->f, a)
#define s_exp(c, a)      at_p_exp(&(c)->f, a)
#define s_gelu(c, a)     at_p_gelu(&(c)->f, a)

#include "reference_scalar.inc"

static void num_total(const ref_ctx *c, NUM *r, const NUM *w, size_t n)
{
    *r = at_p_row_sum(&c->f, n, w, NULL, 0, NULL);
}

static void num_mean(const ref_ctx *c, NUM *r, const NUM *w, const NUM *den, size_t n, const NUM *v,
                     size_t stride, const int *key)
{
    bool run = key && key[n - 1] - key[0] == (int)n - 1; /* keys ascend: no gaps */
    if (c->quotient && den) {
        at_acc sum, total;
        at_acc_zero(&sum);
        at_acc_zero(&total);
        for (size_t j = 0; j < n; j++) {
            at_acc_add(&total, w[j]);
            at_acc_add_product(&sum, w[j], v[stride * (key ? (size_t)key[j] : j)]);
        }
        *r = at_acc_quotient(&sum, &total, &c->f);
        return;
    }
    *r = at_p_row_sum(&c->f, n, w, run ? v + stride * (size_t)key[0] : v, stride, run ? NULL : key);
    if (den)
        *r = s_div(c, *r, *den);
}

/* den is no sum of the weights: rounded as ever. */
#define NUM_OVER
static void num_over(const ref_ctx *c, NUM *r, const NUM *w, const NUM *den, size_t n, const NUM *v,
                     size_t stride, const int *key)
{
    num_mean(c, r, w, NULL, n, v, stride, key);
    *r = s_div(c, *r, *den);
}

static void num_means(const ref_ctx *c, NUM *r, const NUM *w, const NUM *den, size_t n, const NUM *v,
                      size_t m)
{
    for (size_t e = 0; e < m; e++)
        num_mean(c, &r[e], w, den, n, v + e, m, NULL);
}

/* The generic text of the rows that rows_pbit.inc has faster, under other names. */
#define row_affine   plain_affine
#define row_add      plain_add
#define row_scores   plain_scores
#define row_scores3  plain_scores3
#define row_products plain_products
#define row_exp      plain_exp
#define row_weigh    plain_weigh
#include "rows.inc"
#undef row_affine
#undef row_add
#undef row_scores
#undef row_scores3
#undef row_products
#undef row_exp
#undef row_weigh
#include "rows_pbit.inc"
#include "reference.inc"
#ifndef WITHOUT_STAGES /* a twin of the arithmetic in a test */
#include "stage.inc"
#endif
