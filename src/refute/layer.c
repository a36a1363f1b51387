/* layer.c: tables of scores and values, and sums of them.
 *
 * The reference (reference_pbit.c) computes, with peak = max_j s_j over all keys j of the query,
 *     w_j = exp(s_j - peak)  (two roundings),   den = round(sum w_j),   out_e = round(round(sum w_j v_je) / den),
 * the sums exact. Here the same sums are integers in units of 2^unit: a family fixes the peaks, every term is put on the grid once, and
 * a sum over a part of the positions is looked up. Terms below the grid (2^-GRID of the largest) are rounded to it: then
 * an output may differ from the model's, by luck, and whoever uses it finds out when the model is run. */
#include "layer.h"

#include <math.h>
#include <string.h>

#include "../num/pbit_rows.h"

#define GRID     100  /* bits from the largest term down to the unit */
#define PART_MAX 4096 /* items of a part */

struct layer_part {
    uint64_t size; /* items */
    int digits;    /* of the family, consecutive */
    __int128 *sum; /* (size, K) */
};

/* ---- what fits ------------------------------------------------------------------------------------------ */

static int attention_block(const at_model *m)
{
    for (int b = 0; b < m->n_blocks; b++)
        if (m->blocks[b].kind == AT_BLOCK_ATTN)
            return b;
    return -1;
}

at_status layer_fits(const at_model *m, at_arith arith, at_err *why)
{
    int layers = 0;
    if (arith.kind != AT_PBIT)
        return at_fail(
            why, AT_EREFUSED,
            "equal sums are looked for at p bits, where they do not depend on their order: choose p2..p53");
    at_status taken = at_model_takes(m, AT_IN_ANALYSE, "equal sums", why);
    if (taken)
        return taken;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *block = &m->blocks[b];
        if (block->kind != AT_BLOCK_ATTN && block->kind != AT_BLOCK_MLP)
            return at_fail(why, AT_EREFUSED, "block %d is of kind %s: only attention and mlp here", b,
                           at_block_names[block->kind]);
        layers += block->kind == AT_BLOCK_ATTN;
        for (int g = 0; block->kind == AT_BLOCK_ATTN && g < block->n_groups; g++)
            if (!(at_weighting_parts[block->groups[g].weighting].in & AT_IN_LAYER))
                return at_fail(why, AT_EREFUSED, "block %d, group %d has weighting %s: only softmax here", b,
                               g, at_weighting_names[block->groups[g].weighting]);
    }
    if (layers != 1)
        return at_fail(why, AT_EREFUSED, "the model has %d attention layers: only one here", layers);
    return AT_OK;
}

/* ---- scores and values ------------------------------------------------------------------------------------ */

/* y (D) = norm of x, in the order of the reference's row_norm. */
static void normed(const layer_view *v, const at_block *b, const double *x, double *y)
{
    const at_pfmt *f = &v->f;
    const double *g = at_model_data(v->m, b->norm_g), *c = at_model_data(v->m, b->norm_b);
    int D = v->m->width;
    double mean = 0, spread = 0;
    for (int k = 0; k < D; k++)
        mean = at_p_add_fast(f, mean, x[k]);
    mean = at_p_div_fast(f, mean, at_p_round(f, D));
    for (int k = 0; k < D; k++) {
        y[k] = at_p_sub_fast(f, x[k], mean);
        spread = at_p_add_fast(f, spread, at_p_mul_fast(f, y[k], y[k]));
    }
    spread = at_p_div_fast(f, spread, at_p_round(f, D));
    spread = at_p_sqrt(f, at_p_add_fast(f, spread < 0 ? 0 : spread, at_p_round(f, b->norm_eps)));
    for (int k = 0; k < D; k++)
        y[k] = at_p_add_fast(f, at_p_mul_fast(f, at_p_div_fast(f, y[k], spread), at_p_round(f, g[k])),
                             at_p_round(f, c[k]));
}

/* Row r of a matrix times y, plus its bias, in the order of the reference's row_affine. */
static double affine(const layer_view *v, int w_tensor, int b_tensor, int r, const double *y)
{
    const double *w = at_model_data(v->m, w_tensor) + (size_t)r * (size_t)v->m->width;
    const double *b = at_model_data(v->m, b_tensor);
    double sum = 0;
    for (int k = 0; k < v->m->width; k++)
        if (w[k] != 0)
            sum = at_p_add_fast(&v->f, sum, at_p_mul_fast(&v->f, at_p_round(&v->f, w[k]), y[k]));
    return b ? at_p_add_fast(&v->f, sum, at_p_round(&v->f, b[r])) : sum;
}

/* The values of one position with choice c, from the residual x (D) before the layer; y (D) is scratch. */
static void values_fill(layer_view *v, const at_block *block, int t, int c, const double *x, double *y)
{
    int e = 0;
    if (block->norm == AT_NORM_PRE) {
        normed(v, block, x, y);
        x = y;
    }
    for (int g = 0; g < block->n_groups; g++) {
        const at_group *group = &block->groups[g];
        for (int r = 0; r < group->heads * group->dv; r++, e++)
            v->value[((size_t)e * (size_t)v->T + (size_t)t) * (size_t)v->C + (size_t)c] =
                affine(v, group->v, group->vb, r, x);
    }
}

/* Choice c of every position that has one, the last choice of the others. */
static at_status view_run(layer_view *v, at_arith arith, int query, int c, double *x, double *y, at_arena *a,
                          at_err *err)
{
    int W = at_model_row_width(v->m), block = attention_block(v->m);
    size_t T = (size_t)v->T, C = (size_t)v->C;
    at_mark mark = at_arena_mark(a);
    at_trace trace;
    at_output out;
    for (int i = 0; i < v->N; i++) {
        int k = c < v->site[i].choices ? c : v->site[i].choices - 1;
        memcpy(x + (size_t)i * (size_t)W, v->site[i].row + (size_t)k * (size_t)W, (size_t)W * sizeof *x);
    }
    at_status s = at_run(v->m, arith, &(at_input){v->N, x}, &trace, a, &out, err);
    for (int t = 0; !s && t < v->T; t++) {
        int i = t - v->m->n_prefix;
        if (c && (i < 0 || i >= v->N || c >= v->site[i].choices))
            continue; /* known already */
        for (int h = 0; h < v->H; h++)
            v->score[((size_t)h * T + (size_t)t) * C + (size_t)c] =
                trace.heads[h].score[(size_t)query * T + (size_t)t];
        values_fill(v, &v->m->blocks[block], t, c, trace.state[block] + (size_t)t * (size_t)v->m->width, y);
    }
    at_arena_reset(a, mark);
    return s;
}

at_status layer_view_make(const at_model *m, at_arith arith, int N, const layer_site *site, int query,
                          at_arena *a, layer_view *out, at_err *err)
{
    layer_view v = {.m = m, .f = at_pfmt_of(arith), .N = N, .T = m->n_prefix + N + m->n_suffix, .site = site};
    const at_block *block = &m->blocks[attention_block(m)];
    for (int g = 0; g < block->n_groups; g++)
        v.H += block->groups[g].heads, v.E += block->groups[g].heads * block->groups[g].dv;
    for (int i = 0; i < N; i++)
        v.C = site[i].choices > v.C ? site[i].choices : v.C;
    size_t cells = (size_t)v.T * (size_t)v.C;
    v.dv = at_new(a, int, v.H);
    v.score = at_new(a, double, (size_t)v.H *cells);
    v.value = at_new(a, double, (size_t)v.E *cells);
    double *x = at_new(a, double, (size_t)N *(size_t)at_model_row_width(m)), *y = at_new(a, double, m->width);
    if (!v.dv || !v.score || !v.value || !x || !y)
        return at_oom(err);
    for (int g = 0, h = 0; g < block->n_groups; g++)
        for (int k = 0; k < block->groups[g].heads; k++)
            v.dv[h++] = block->groups[g].dv;
    for (int c = 0; c < v.C; c++) {
        at_status s = view_run(&v, arith, m->n_prefix + query, c, x, y, a, err);
        if (s)
            return s;
    }
    *out = v;
    return AT_OK;
}

static double score_of(const layer_view *v, int h, int t, int c)
{
    return v->score[((size_t)h * (size_t)v->T + (size_t)t) * (size_t)v->C + (size_t)c];
}

static double value_of(const layer_view *v, int e, int t, int c)
{
    return v->value[((size_t)e * (size_t)v->T + (size_t)t) * (size_t)v->C + (size_t)c];
}

/* ---- families ------------------------------------------------------------------------------------------------ */

/* Work on a family: which positions are digits still, and the peaks. */
typedef struct {
    const layer_view *v;
    layer_family *f;
    layer_free *free; /* (n_free), free[0] the secret; n = 1: pinned */
    int n_free;
    double *peak;   /* (H) */
    double *weight; /* (H, T, C) */
    uint64_t most;  /* items */
    bool *is_free;  /* (T) */
} draft;

static double free_top(const draft *d, int h, int k)
{
    double top = -INFINITY;
    int t = d->v->m->n_prefix + d->free[k].position;
    for (int j = 0; j < d->free[k].n; j++)
        top = fmax(top, score_of(d->v, h, t, d->free[k].choice[j]));
    return top;
}

/* The largest score of head h that every item has. */
static double fixed_top(const draft *d, int h)
{
    double top = -INFINITY;
    for (int t = 0; t < d->v->T; t++) {
        int i = t - d->v->m->n_prefix;
        if (!d->is_free[t])
            top = fmax(top, score_of(d->v, h, t, i < 0 || i >= d->v->N ? 0 : d->f->fixed[i]));
    }
    for (int k = 1; k < d->n_free; k++)
        if (d->free[k].n == 1)
            top = fmax(top, free_top(d, h, k));
    return top;
}

/* Fixes the peak of every head, in rounds: pinning for one head changes nothing that was fixed for another. */
static void peaks_fix(draft *d, int *kept)
{
    for (int h = 0; h < d->v->H; h++) {
        double top = fixed_top(d, h), best = top;
        int at = -1;
        for (int k = 1; k < d->n_free; k++)
            if (free_top(d, h, k) > best)
                best = free_top(d, h, k), at = k;
        if (at >= 0) {
            int t = d->v->m->n_prefix + d->free[at].position;
            for (int j = 0; j < d->free[at].n; j++)
                if (score_of(d->v, h, t, d->free[at].choice[j]) == best) {
                    d->free[at].choice += j;
                    break;
                }
            d->free[at].n = 1;
        }
        d->peak[h] = best;
    }
    int n = 0, t = d->v->m->n_prefix + d->free[0].position;
    for (int j = 0; j < d->free[0].n; j++) {
        bool below = true;
        for (int h = 0; h < d->v->H; h++)
            below = below && score_of(d->v, h, t, d->free[0].choice[j]) <= d->peak[h];
        if (below)
            kept[n++] = d->free[0].choice[j];
    }
    d->free[0].choice = kept;
    d->free[0].n = n;
}

static double weight_of(const draft *d, int h, int t, int c)
{
    return d->weight[((size_t)h * (size_t)d->v->T + (size_t)t) * (size_t)d->v->C + (size_t)c];
}

/* exp(s - peak) where s is not above it; choices that are will not be asked for. */
static void weights_fill(draft *d)
{
    const layer_view *v = d->v;
    size_t cells = (size_t)v->T * (size_t)v->C;
    for (int h = 0; h < v->H; h++)
        for (size_t k = 0; k < cells; k++) {
            double s = v->score[(size_t)h * cells + k];
            if (s > -INFINITY && s <= d->peak[h])
                d->weight[(size_t)h * cells + k] = at_p_exp(&v->f, at_p_sub(&v->f, s, d->peak[h]));
        }
}

/* How much the outputs can move by this position, roughly: the sum over heads of the spread of w v and w. */
static double influence(const draft *d, const layer_free *free)
{
    double all = 0;
    int t = d->v->m->n_prefix + free->position;
    for (int h = 0, e = 0; h < d->v->H; h++)
        for (int k = 0; k < d->v->dv[h]; k++, e++) {
            double lo = INFINITY, hi = -INFINITY;
            for (int j = 0; j < free->n; j++) {
                double wv = weight_of(d, h, t, free->choice[j]) * value_of(d->v, e, t, free->choice[j]);
                lo = fmin(lo, wv), hi = fmax(hi, wv);
            }
            all += hi - lo;
        }
    return all;
}

/* Digits: the secret, then the others by influence, as many as there is room for; the rest take their first choice. */
static at_status digits_order(draft *d, at_arena *a, at_err *err)
{
    double *by = at_new(a, double, d->n_free);
    if (!by)
        return at_oom(err);
    for (int k = 1; k < d->n_free; k++)
        by[k] = influence(d, &d->free[k]);
    for (int k = 2; k < d->n_free; k++) /* insertion: some hundreds at most */
        for (int j = k; j > 1 && by[j] < by[j - 1]; j--) {
            layer_free f = d->free[j];
            double b = by[j];
            d->free[j] = d->free[j - 1], by[j] = by[j - 1];
            d->free[j - 1] = f, by[j - 1] = b;
        }
    layer_family *f = d->f;
    f->count = d->free[0].n < 2 ? 0 : (uint64_t)d->free[0].n;
    f->n_digits = 1;
    f->digit = d->free;
    for (int k = 1; k < d->n_free; k++) {
        layer_free next = d->free[k];
        if (next.n > 1 && f->count <= d->most / (uint64_t)next.n) {
            f->count *= (uint64_t)next.n;
            f->digit[f->n_digits++] = next;
        } else
            f->fixed[next.position] = next.choice[0];
    }
    return AT_OK;
}

/* ---- sums ----------------------------------------------------------------------------------------------------- */

/* Terms of position t with choice c: per head the weight, then weight times value, in units of 2^unit. */
static void terms_add(const draft *d, int unit, int t, int c, __int128 *sum)
{
    for (int h = 0, e = 0, k = 0; h < d->v->H; h++) {
        double w = weight_of(d, h, t, c);
        for (int j = -1; j < d->v->dv[h]; j++, k++) {
            double x = j < 0 ? 1 : value_of(d->v, e++, t, c);
            if (w == 0 || x == 0)
                continue;
            /* w x = a b 2^(i + l) with integers of 53 bits */
            int i, l;
            __int128 product = (__int128)(int64_t)ldexp(frexp(w, &i), 53) * (int64_t)ldexp(frexp(x, &l), 53);
            int shift = i + l - 106 - unit;
            if (shift >= 0)
                sum[k] += product * ((__int128)1 << shift);
            else if (shift > -126)
                sum[k] += (product + ((__int128)1 << (-shift - 1))) >> -shift;
        }
    }
}

/* The unit: 2^-GRID of the largest term, or finer than every bit. */
static int unit_choose(const draft *d)
{
    int top = -100000;
    for (int e = 0; e < d->v->E; e++)
        for (int t = 0; t < d->v->T; t++)
            for (int c = 0; c < d->v->C; c++) {
                int i;
                frexp(value_of(d->v, e, t, c), &i);
                top = i > top ? i : top;
            }
    return (top > 1 ? top : 1) - GRID; /* weights are at most 1 */
}

/* Sums of all items of a part. base (K): NULL, or what is added to each. */
static at_status part_fill(const draft *d, int unit, int first, const __int128 *base, at_arena *a,
                           layer_part *part, at_err *err)
{
    size_t K = (size_t)(d->v->H + d->v->E);
    if (!(part->sum = at_new(a, __int128, part->size *K)))
        return at_oom(err);
    for (uint64_t i = 0; i < part->size; i++) {
        __int128 *sum = part->sum + i * K;
        if (base)
            memcpy(sum, base, K * sizeof *sum);
        uint64_t rest = i;
        for (int k = first; k < first + part->digits; k++) {
            const layer_free *g = &d->f->digit[k];
            terms_add(d, unit, d->v->m->n_prefix + g->position, g->choice[rest % (uint64_t)g->n], sum);
            rest /= (uint64_t)g->n;
        }
    }
    return AT_OK;
}

static at_status parts_make(draft *d, at_arena *a, at_err *err)
{
    layer_family *f = d->f;
    const layer_view *v = d->v;
    int unit = unit_choose(d);
    f->part = at_new(a, layer_part, f->n_digits);
    f->unit = unit;
    __int128 *base = at_new(a, __int128, v->H + v->E);
    bool *moves = at_new(a, bool, v->T);
    if (!f->part || !base || !moves)
        return at_oom(err);
    for (int k = 0; k < f->n_digits; k++)
        moves[v->m->n_prefix + f->digit[k].position] = true;
    for (int t = 0; t < v->T; t++) {
        int i = t - v->m->n_prefix;
        if (!moves[t])
            terms_add(d, unit, t, i < 0 || i >= v->N ? 0 : f->fixed[i], base);
    }
    for (int k = 0; k < f->n_digits; f->n_parts++) {
        layer_part *part = &f->part[f->n_parts];
        part->size = 1;
        int first = k;
        while (k < f->n_digits && (k == first || part->size * (uint64_t)f->digit[k].n <= PART_MAX))
            part->size *= (uint64_t)f->digit[k++].n;
        part->digits = k - first;
        at_status s = part_fill(d, unit, first, f->n_parts ? NULL : base, a, part, err);
        if (s)
            return s;
    }
    return AT_OK;
}

at_status layer_family_make(const layer_view *v, const int *base, const layer_free *free, int n_free,
                            uint64_t most, at_arena *a, layer_family *out, at_err *err)
{
    layer_family f = {.v = v, .fixed = at_new(a, int, v->N)};
    draft d = {.v = v, .f = &f, .free = at_new(a, layer_free, n_free), .n_free = n_free, .most = most};
    int *kept = at_new(a, int, free[0].n);
    d.peak = at_new(a, double, v->H);
    d.is_free = at_new(a, bool, v->T);
    d.weight = at_new(a, double, (size_t)v->H *(size_t)v->T *(size_t)v->C);
    if (!f.fixed || !d.free || !kept || !d.peak || !d.is_free || !d.weight)
        return at_oom(err);
    memcpy(f.fixed, base, (size_t)v->N * sizeof *base);
    memcpy(d.free, free, (size_t)n_free * sizeof *free);
    for (int k = 0; k < n_free; k++)
        d.is_free[v->m->n_prefix + free[k].position] = true;
    peaks_fix(&d, kept);
    weights_fill(&d);
    at_status s = digits_order(&d, a, err);
    if (!s && f.count)
        s = parts_make(&d, a, err);
    if (!s)
        *out = f;
    return s;
}

/* A sum in units of 2^unit, rounded once into the format: only the sign of what a double does not hold matters. */
static double sum_round(const at_pfmt *f, __int128 sum, int unit)
{
    double hi = (double)sum, lo = (double)(sum - (__int128)hi);
    return at_p_round2(f, ldexp(hi, unit), ldexp(lo, unit));
}

void layer_family_outputs(const layer_family *f, uint64_t i, double *out)
{
    const layer_view *v = f->v;
    const __int128 *row[64];
    size_t K = (size_t)(v->H + v->E);
    for (int k = 0; k < f->n_parts; k++) {
        row[k] = f->part[k].sum + i % f->part[k].size * K;
        i /= f->part[k].size;
    }
    for (int h = 0, k = 0, e = 0; h < v->H; h++) {
        double den = 0;
        for (int j = -1; j < v->dv[h]; j++, k++) {
            __int128 sum = 0;
            for (int part = 0; part < f->n_parts; part++)
                sum += row[part][k];
            double x = sum_round(&v->f, sum, f->unit);
            if (j < 0)
                den = x;
            else
                out[e++] = at_p_div(&v->f, x, den) + 0.0; /* no -0: it is equal */
        }
    }
}

static int digit_of(const layer_family *f, uint64_t i, int k)
{
    for (int j = 0; j < k; j++)
        i /= (uint64_t)f->digit[j].n;
    return f->digit[k].choice[i % (uint64_t)f->digit[k].n];
}

int layer_family_secret(const layer_family *f, uint64_t i)
{
    return digit_of(f, i, 0);
}

void layer_family_input(const layer_family *f, uint64_t i, double *x)
{
    size_t W = (size_t)at_model_row_width(f->v->m);
    for (int n = 0; n < f->v->N; n++)
        memcpy(x + (size_t)n * W, f->v->site[n].row + (size_t)f->fixed[n] * W, W * sizeof *x);
    for (int k = 0; k < f->n_digits; k++) {
        int n = f->digit[k].position;
        memcpy(x + (size_t)n * W, f->v->site[n].row + (size_t)digit_of(f, i, k) * W, W * sizeof *x);
    }
}
