/* reference_pbit.c: the reference in p-bit floats.
 *
 * Every operation is rounded to the format, with one exception: the sums over keys in attention. There the
 * weights w_j (p-bit numbers) and the products w_j * v_j accumulate exactly, each sum is rounded once, and one
 * rounded division follows. So a sum split between parties and merged is the same number. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "exec_internal.h"

#define NUM            double
#define FORWARD        ref_forward_pbit
#define s_round(c, d)  at_p_round(&(c)->f, d)
#define s_add(c, a, b) at_p_add(&(c)->f, a, b)
#define s_sub(c, a, b) at_p_sub(&(c)->f, a, b)
#define s_mul(c, a, b) at_p_mul(&(c)->f, a, b)
#define s_div(c, a, b) at_p_div(&(c)->f, a, b)
#define s_sqrt(c, a)   at_p_sqrt(&(c)->f, a)
#define s_exp(c, a)    at_p_exp(&(c)->f, a)
#define s_gelu(c, a)   at_p_gelu(&(c)->f, a)

#include "reference_scalar.inc"

static void num_total(const ref_ctx *c, NUM *r, const NUM *w, size_t n)
{
    at_acc sum;
    at_acc_zero(&sum);
    for (size_t j = 0; j < n; j++)
        at_acc_add(&sum, w[j]);
    *r = at_acc_round(&sum, &c->f);
}

static void num_mean(const ref_ctx *c, NUM *r, const NUM *w, const NUM *den, size_t n, const NUM *v,
                     size_t stride, const int *key)
{
    at_acc sum;
    at_acc_zero(&sum);
    for (size_t j = 0; j < n; j++)
        at_acc_add_product(&sum, w[j], v[stride * (key ? (size_t)key[j] : j)]);
    *r = at_acc_round(&sum, &c->f);
    if (den)
        *r = s_div(c, *r, *den);
}

#include "rows.inc"
#include "reference.inc"
