/* hard_bits.c: a self-attention unit of width 2 ceil(N/R) + 5 that averages any q of N vectors: a score reads a bit of the subset, by
 * rounding.
 *
 * Who averages within 1/(2q) has q bits in the query (bound qsa-attention-hard, N = 2q+1). Here are N, R of them a number, R <= 22, twice;
 * its keys do not depend on the vectors. In real numbers no such unit is narrower than q (bound qsa-radon): this one is of floats of 24
 * bits whose products and sums are rounded one by one, as attest runs them, and wrong in any others.
 *
 * Proof. Position j is bit i of word w, j - 1 = wR + i, i < R. The query has the word w of y as an integer W = 2 Q + 1 < 2^23, bit i of Q
 * being b = [j in y]. The score is the sum, from the left, of the products of
 *     query   2^24   W_0 W_1 ...                  -2^24   -W_0 -W_1 ...               1/2   3 * 2^22   -3 * 2^22
 *     key       1    2^(-i-1) at w, 0 elsewhere     1     2^(-i-1) at w, 0 elsewhere   1       1           1
 * All products are exact. Write X = 2^(-i-1) W = E + b + f: E the even integer below, 0 < f < 1, since W is odd. X is a multiple of
 * 2^-22 and below 2^22.
 *   1. From 2^24 to 2^25 floats are the even integers, and X is nearer to E + 2b than to others (b + f < 1 or > 1): 2^24 + E + 2b.
 *   2. Less 2^24: E + 2b, exactly. Less X: b - f, between -1 and 1, a multiple of 2^-22, exactly. Plus 1/2: exactly, and between b - 1/2
 *      and b + 1/2.
 *   3. From 2^23 to 2^24 floats are the integers: plus 3 * 2^22 it is 3 * 2^22 + b, and then b.
 * So scores are 1 on y and 0 off it. Times ALPHA = 64: a key off y has e^-64 of the weight of one on it, so all of them move the mean by less
 * than 2 N e^-64. */
#include "hard_nets.h"

#include <math.h>
#include <string.h>

#define ALPHA 64.0
#define LARGE 0x1p24
#define UNITS 0x3p22

/* One row of a table (width), words at 1 and behind them again: the constants, those of a query or those of a key. */
static double *words_begin(double *row, int words, bool query, bool rounds)
{
    double large = rounds ? LARGE : 0, units = rounds ? UNITS : 0;
    row[0] = query ? large : 1;
    row[words + 1] = query ? -large : 1;
    row[2 * words + 2] = query ? 0.5 : 1;
    row[2 * words + 3] = query ? units : 1;
    row[2 * words + 4] = query ? -units : 1;
    return row + 1;
}

static void tables_fill(const hard_bits *b, int words, double *query, double *key)
{
    int N = b->N, q = b->q, R = b->R, m = 2 * words + 5, y[HARD_BITS_MOST];
    for (int64_t r = 0; r < at_choose(N, q); r++) {
        double *word = words_begin(query + r * m, words, true, !b->idle);
        at_subset_unrank(r, q, y);
        for (int w = 0; w < words; w++)
            word[w] = 1;
        for (int e = 0; e < q; e++)
            word[(y[e] - 1) / R] += ldexp(2, (y[e] - 1) % R);
        for (int w = 0; w < words; w++)
            word[words + 1 + w] = -word[w];
    }
    for (int j = 0; j < N; j++) {
        double *word = words_begin(key + (size_t)j * (size_t)m, words, false, !b->idle);
        word[j / R] = word[words + 1 + j / R] = ldexp(0.5, -(j % R));
    }
}

/* Rows: z (d), the query (m), the key (m); the mean takes the place of z. */
static at_status shape(const hard_bits *b, int m, at_model *out, at_err *err)
{
    int N = b->N, d = b->d;
    strcpy(out->name, "bits of a subset");
    out->width = d + 2 * m;
    out->n_min = out->n_max = N;
    out->pos_origin = 1;
    out->n_fields = 2;
    out->n_pos = out->n_blocks = 1;
    out->fields = at_new(&out->arena, at_field, 2);
    out->pos = at_new(&out->arena, at_pos, 1);
    out->blocks = at_new(&out->arena, at_block, 1);
    at_group *g = at_new(&out->arena, at_group, 1);
    if (!out->fields || !out->pos || !out->blocks || !g)
        return at_oom(err);
    out->fields[0] =
        (at_field){.name = "z", .kind = AT_FIELD_REAL, .size = d, .lo = -1, .hi = 1, .embed = {0, d, -1}};
    out->fields[1] =
        (at_field){.name = "y", .kind = AT_FIELD_SUBSET, .size = N, .pick = b->q, .embed = {d, m, -1}};
    out->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = N, .embed = {d + m, m, -1}};
    *g = (at_group){.heads = 1, .dk = m, .dv = d, .weighting = AT_SOFTMAX, .scale = ALPHA};
    out->blocks[0] = (at_block){.kind = AT_BLOCK_ATTN, .groups = g, .n_groups = 1};
    out->readout = (at_readout){.kind = AT_READ_RAW, .rows = d};
    return at_model_layout(out, err);
}

static void ones_fill(const at_model *m, int tensor, int rows, int columns, int from)
{
    for (int k = 0; k < rows; k++)
        at_model_data(m, tensor)[(size_t)k * (size_t)columns + (size_t)(from + k)] = 1;
}

at_status hard_bits_model(const hard_bits *b, at_model *out, at_err *err)
{
    int N = b->N, q = b->q, d = b->d, R = b->R;
    int words = (N + R - 1) / R, m = 2 * words + 5, D = d + 2 * m;
    if (q > N || q > HARD_BITS_MOST)
        return at_fail(err, AT_EDOMAIN, "q=%d: must be at most N=%d, and %d", q, N, HARD_BITS_MOST);
    if (at_choose(N, q) > (int64_t)1 << 20)
        return at_fail(err, AT_EDOMAIN, "N=%d q=%d: a query table of %jd rows is above 2^20", N, q,
                       (intmax_t)at_choose(N, q));
    at_model_init(out);
    at_status s = shape(b, m, out, err);
    if (s) {
        at_model_release(out);
        return s;
    }
    const at_group *g = &out->blocks[0].groups[0];
    tables_fill(b, words, at_model_data(out, out->fields[1].embed.tensor),
                at_model_data(out, out->pos[0].embed.tensor));
    ones_fill(out, out->fields[0].embed.tensor, d, d, 0);
    ones_fill(out, g->q, m, D, d);
    ones_fill(out, g->k, m, D, d + m);
    ones_fill(out, g->v, d, D, 0);
    ones_fill(out, g->o, d, d, 0);
    ones_fill(out, out->readout.w, d, D, 0);
    return AT_OK;
}
