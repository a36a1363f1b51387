/* influence.c: how far one letter can move the answer of a softmax model, at a length, for the weights at hand.
 *
 * Hahn 2020, for softmax: when scores, values and MLPs are bounded, changing one of n letters changes the answer by O(1/n). Here the
 * bound is a number, computed for every word of n letters at once, and rounded outwards at every step.
 *
 *   boxes   for every position and every letter there: a ball for each coordinate of the state, over all words with this letter there.
 *   moves   for every position t and every other place u: how far each coordinate at t can move when letter u alone changes.
 * Both go through the blocks:
 *   attention   influence_attend.c.
 *   MLP         with one hidden layer, on a box: a unit that is on is linear, one that is off is nothing, of the others a line
 *               with a remainder lies around it (box), and slopes lie between 0 and 1 (moves). Linear parts are added to the skip before
 *               sizes are taken. More layers: layer by layer. GeLU: within 0.17 of ReLU, or its range; slopes in -0.13..1.13.
 *   layer norm  y = g (x - mean)/s + b with s = sqrt(variance + eps), which moves by no more than the root mean square of what
 *               x - mean moves by; on a box s has a least value, at least sqrt(eps).
 * The answer is a number: the difference of two rows of the readout, or one row. What all letters together can do to it is how wide it is
 * on the boxes; a bound that is no smaller says nothing, and is called vacuous.
 *
 * Positions are numbers at a given length, whatever their kind: nothing is assumed of other lengths. */
#include "influence.h"

#include <attest/num.h>

#include <string.h>

/* Numbers of moves at most: 128 MiB of them. */
#define MOVES_MAX ((size_t)1 << 24)

void balls_affine(const boxes *c, int w, int b, int rows, int cols, const ball *x, ball *y)
{
    const double *W = at_model_data(c->m, w), *B = at_model_data(c->m, b);
    for (int r = 0; r < rows; r++) {
        const double *row = W + (size_t)r * (size_t)cols;
        double mid = B ? B[r] : 0, size = fabs(mid), rad = 0;
        for (int k = 0; k < cols; k++) {
            double p = row[k] * x[k].mid;
            mid += p;
            size += fabs(p);
            rad += fabs(row[k]) * x[k].rad;
        }
        y[r] = (ball){mid, up_of(rad + (cols + 4) * 0x1p-52 * size, cols)};
    }
}

void moves_affine(const boxes *c, int w, int rows, int cols, const double *d, double *y)
{
    const double *W = at_model_data(c->m, w);
    for (int r = 0; r < rows; r++) {
        const double *row = W + (size_t)r * (size_t)cols;
        double sum = 0;
        for (int k = 0; k < cols; k++)
            sum += fabs(row[k]) * d[k];
        y[r] = up_of(sum, cols);
    }
}

/* ---- embeddings --------------------------------------------------------------------------------------------------------- */

static void row_add(const boxes *c, const at_embed *e, int row, double f, double off, ball *x)
{
    const double *w = at_model_data(c->m, e->tensor) + (size_t)row * (size_t)e->width;
    for (int k = 0; k < e->width; k++) {
        ball *to = &x[e->col + k];
        double p = f * w[k];
        to->rad = up_of(to->rad + off * fabs(w[k]) + 0x1p-51 * (fabs(p) + fabs(to->mid)), 4);
        to->mid += p;
    }
}

static void embed(boxes *c)
{
    const at_model *m = c->m;
    for (int t = 0; t < c->T; t++)
        for (int v = 0; v < boxes_letters(c, t); v++) {
            ball *x = box_at(c, c->x, t, v);
            int u = t - m->n_prefix;
            if (u < 0)
                row_add(c, &m->prefix, t, 1, 0, x);
            else if (u >= c->n)
                row_add(c, &m->suffix, u - c->n, 1, 0, x);
            else
                row_add(c, &m->fields[0].embed, v, 1, 0, x);
            for (int k = 0; k < m->n_pos; k++) {
                const at_pos *p = &m->pos[k];
                bool rows = at_pos_is(p->kind, AT_IS_ROWS);
                for (int f = 0; f < (rows ? 1 : at_pos_features(p)); f++) {
                    double at = rows ? 1 : at_pos_value(p, f, t + m->pos_origin, c->T);
                    row_add(c, &p->embed, rows ? t : f, at, rows ? 0 : 0x1p-50 * fabs(at) + BALL_TINY, x);
                }
            }
        }
}

/* Behind the last attention only what answers is. */
static bool is_needed(const boxes *c, int t)
{
    return !c->past || t == c->out;
}

/* ---- layer norms ---------------------------------------------------------------------------------------------------------- */

/* Letter u moves x - mean, coordinate k, by at most this; all: the mean of d. */
static double centred_move(const double *d, int k, double all, int D)
{
    return up_of(d[k] * (1 - 1.0 / D) + fmax(0, all - d[k] / D), D + 8);
}

/* In place, the moves of one letter; a: x - mean, as a box; s: the least root of variance + eps. */
static void norm_moves(const ball *a, const double *G, double s, double *d, int D)
{
    double all = 0, square = 0, most = sqrt(D) * (1 + 0x1p-50);
    for (int k = 0; k < D; k++)
        all += d[k] / D;
    for (int k = 0; k < D; k++)
        square += centred_move(d, k, all, D) * centred_move(d, k, all, D) / D;
    double root = up_of(sqrt(up_of(square, 2 * D)), 2);
    for (int k = 0; k < D; k++) { /* a/s - a'/s' = (a - a')/s + (a'/s')(s' - s)/s */
        double share = fmin(most, up_of(ball_most(a[k]) / s, 2));
        double by = (centred_move(d, k, all, D) + share * root) / s;
        d[k] = up_of(fabs(G[k]) * fmin(by, 2 * share), 6);
    }
}

/* In place: a box (D) and, where it is not NULL, the moves (n, D) of its position. */
static void norm_run(const boxes *c, int g, int b, double eps, ball *x, double *d)
{
    const double *G = at_model_data(c->m, g), *B = at_model_data(c->m, b);
    int D = c->D;
    double mean = 0, rad = 0, size = 0, least = 0, most = 0, root = sqrt(D) * (1 + 0x1p-50);
    for (int k = 0; k < D; k++) {
        mean += x[k].mid / D;
        rad += x[k].rad / D;
        size += fabs(x[k].mid) / D;
    }
    rad = up_of(rad + (D + 4) * 0x1p-51 * size, D + 2);
    for (int k = 0; k < D; k++) { /* x - mean; x's own part of the mean is the same x */
        double own = x[k].rad * (1 - 1.0 / D) + fmax(0, rad - x[k].rad / D);
        x[k] =
            (ball){x[k].mid - mean, up_of(own + 0x1p-50 * (fabs(x[k].mid) + fabs(mean) + x[k].rad + rad), 4)};
        double lo = fmax(0, fabs(x[k].mid) - x[k].rad), hi = fabs(x[k].mid) + x[k].rad;
        least += lo * lo / D;
        most += hi * hi / D;
    }
    double s_least = sqrt(fmax(0, down_of(least, 2 * D)) + eps) * (1 - 0x1p-48);
    double s_most = sqrt(up_of(most, 2 * D) + eps) * (1 + 0x1p-48);
    for (int u = 0; d && u < c->n; u++)
        norm_moves(x, G, s_least, d + (size_t)u * (size_t)D, D);
    for (int k = 0; k < D; k++) {
        double lo = ball_lo(x[k]), hi = ball_hi(x[k]);
        double l = fmax(-root, lo < 0 ? lo / s_least : lo / s_most),
               h = fmin(root, hi > 0 ? hi / s_least : hi / s_most);
        double slack = 0x1p-49 * (fabs(l) + fabs(h) + 1);
        ball y = ball_between(l - slack, h + slack);
        x[k] = (ball){G[k] * y.mid + B[k],
                      up_of(fabs(G[k]) * y.rad + 0x1p-51 * (fabs(G[k] * y.mid) + fabs(B[k])), 3)};
    }
}

/* What a block reads: a normed copy. dy: NULL where nothing moves yet. */
static at_status normed(boxes *c, int g, int b, double eps, ball **y, double **dy)
{
    size_t boxed = (size_t)c->T * (size_t)c->V * (size_t)c->D,
           moved = (size_t)c->T * (size_t)c->n * (size_t)c->D;
    ball *x = at_new(c->a, ball, boxed);
    double *d = *dy ? at_new(c->a, double, moved + 1) : NULL, *scratch = NULL;
    if (!x || (*dy && !d))
        return at_oom(c->err);
    memcpy(x, *y, boxed * sizeof *x);
    if (d && !(scratch = at_new(c->a, double, (size_t)c->n *(size_t)c->D + 1)))
        return at_oom(c->err);
    for (int t = 0; t < c->T; t++)
        for (int v = 0; v < boxes_letters(c, t) && is_needed(c, t); v++) {
            size_t row = (size_t)c->n * (size_t)c->D;
            if (d)
                memcpy(scratch, *dy + (size_t)t * row, row * sizeof *d);
            norm_run(c, g, b, eps, box_at(c, x, t, v), scratch);
            for (size_t k = 0; d && k < row; k++) /* of all letters there, the largest */
                d[(size_t)t * row + k] = fmax(d[(size_t)t * row + k], scratch[k]);
        }
    *y = x;
    *dy = d;
    return AT_OK;
}

/* ---- MLPs --------------------------------------------------------------------------------------------------------------------- */

/* A unit whose argument lies in z: value in slope z + [lo, hi], derivative within `wide` of `middle`. */
typedef struct {
    double slope, lo, hi, middle, wide;
} unit;

static double gelu_at(double x)
{
    at_pfmt f = at_pfmt_of(at_f64);
    return at_p_gelu(&f, x);
}

#define GELU_LOW (-0.7518) /* where it is least, nearly: below it falls, above -0.75 it rises */

static unit unit_on(at_act act, ball z)
{
    double lo = ball_lo(z), hi = ball_hi(z);
    unit u = {0};
    if (at_act_is(act, AT_IS_ERF)) {
        double a = gelu_at(lo), b = gelu_at(hi);
        u = (unit){0, fmin(a, b), fmax(a, b), 0.5, 0.63};
        if (lo < -0.75 && hi > GELU_LOW)
            u.lo = -AT_GELU_GAP;
        u.lo -= 0x1p-50 * fabs(u.lo) + BALL_TINY;
        u.hi += 0x1p-50 * fabs(u.hi) + BALL_TINY;
        return u;
    }
    if (lo >= 0)
        return (unit){1, 0, 0, 1, 0};
    if (hi <= 0)
        return u;
    u = (unit){.slope = hi / (hi - lo), .middle = 0.5, .wide = 0.5};
    /* relu(z) - slope z is convex: largest at an end, least at 0, where it is 0. */
    u.hi = up_of(fmax(-u.slope * lo, hi - u.slope * hi), 4);
    return u;
}

/* What a position's MLP makes of its boxes and moves: scratch of one block. */
typedef struct {
    unit *unit;                /* (U) */
    ball *z;                   /* (U) */
    double *linear, *jacobian; /* (D, D): M of the box; sizes of the derivative */
    double *row;               /* (n, D) */
} mlp_room;

/* One hidden layer: out = (residual + W2 slope W1) x + ..., |derivative| <= |residual + W2 middle W1| + |W2| wide |W1|. */
static void mlp_two(const boxes *c, const at_block *b, const mlp_room *k, ball *x)
{
    size_t D = (size_t)c->D, U = (size_t)b->dense[0].rows;
    const double *W1 = at_model_data(c->m, b->dense[0].w), *B1 = at_model_data(c->m, b->dense[0].b);
    const double *W2 = at_model_data(c->m, b->dense[1].w), *B2 = at_model_data(c->m, b->dense[1].b);
    balls_affine(c, b->dense[0].w, b->dense[0].b, (int)U, c->D, x, k->z);
    for (size_t u = 0; u < U; u++)
        k->unit[u] = unit_on(b->act, k->z[u]);
    for (size_t d = 0; d < D; d++) {
        ball out = {B2 ? B2[d] : 0, 0};
        double size = fabs(out.mid), lost = 0;
        for (size_t e = 0; e < D; e++) {
            double line = b->residual && d == e, mid = line, wide = 0, all = line;
            for (size_t u = 0; u < U; u++) {
                double w = W2[d * U + u] * W1[u * D + e];
                line += w * k->unit[u].slope;
                mid += w * k->unit[u].middle;
                wide += fabs(w) * k->unit[u].wide;
                all += 2 * fabs(w);
            }
            double off = (double)(U + 8) * 0x1p-52 * all;
            k->jacobian[d * D + e] = up_of(fabs(mid) + wide + off, (double)U);
            out.mid += line * x[e].mid;
            size += fabs(line * x[e].mid);
            lost += off * (fabs(x[e].mid) + x[e].rad);
            out.rad += fabs(line) * x[e].rad;
        }
        for (size_t u = 0; u < U; u++) {
            const unit *n = &k->unit[u];
            double w = W2[d * U + u], shift = n->slope * (B1 ? B1[u] : 0), middle = (n->lo + n->hi) / 2;
            out.mid += w * (shift + middle);
            size += fabs(w) * (fabs(shift) + fabs(middle));
            out.rad += fabs(w) * (n->hi - n->lo) / 2;
        }
        out.rad = up_of(out.rad + lost + (double)(D + U + 16) * 0x1p-51 * (size + out.rad), (double)(D + U));
        k->z[U + d] = out;
    }
    memcpy(x, k->z + U, D * sizeof *x);
}

/* Any number of layers: each by itself. */
static void mlp_many(const boxes *c, const at_block *b, const mlp_room *k, ball *x, const double *d)
{
    int cols = c->D, widest = 0;
    for (int l = 0; l < b->n_dense; l++)
        widest = b->dense[l].rows > widest ? b->dense[l].rows : widest;
    ball *from = k->z, *to = k->z + widest + c->D, *swap;
    memcpy(from, x, (size_t)cols * sizeof *x);
    double *far = k->row; /* (n, D): this position's moves */
    double *wide[2] = {k->linear, k->linear + widest + c->D};
    unit *u = k->unit;
    /* boxes of all layers first: slopes are needed by every letter's moves */
    for (int l = 0; l < b->n_dense; l++, swap = from, from = to, to = swap) {
        int rows = b->dense[l].rows;
        balls_affine(c, b->dense[l].w, b->dense[l].b, rows, cols, from, to);
        for (int r = 0; l < b->n_dense - 1 && r < rows; r++, u++) {
            *u = unit_on(b->act, to[r]);
            double lo = ball_lo(to[r]), hi = ball_hi(to[r]);
            if (at_act_is(b->act, AT_IS_ERF))
                to[r] = ball_between(u->lo, u->hi);
            else
                to[r] = ball_between(fmax(lo, 0), fmax(hi, 0));
        }
        cols = rows;
    }
    for (int e = 0; e < c->D; e++)
        x[e] = b->residual
                   ? (ball){x[e].mid + from[e].mid,
                            up_of(x[e].rad + from[e].rad, 1) + 0x1p-51 * (fabs(x[e].mid) + fabs(from[e].mid))}
                   : from[e];
    for (int p = 0; d && p < c->n; p++) {
        double *at = far + (size_t)p * (size_t)c->D, *a = wide[0], *z = wide[1], *other;
        memcpy(a, d + (size_t)p * (size_t)c->D, (size_t)c->D * sizeof *a);
        cols = c->D;
        u = k->unit;
        for (int l = 0; l < b->n_dense; l++, other = a, a = z, z = other) {
            moves_affine(c, b->dense[l].w, b->dense[l].rows, cols, a, z);
            cols = b->dense[l].rows;
            for (int r = 0; l < b->n_dense - 1 && r < cols; r++, u++)
                z[r] *= up_of(u->middle + u->wide, 1);
        }
        for (int e = 0; e < c->D; e++)
            at[e] = up_of(a[e] + (b->residual ? d[(size_t)p * (size_t)c->D + (size_t)e] : 0), 1);
    }
}

/* y: what the block reads, which is x unless there is a norm; then the skip is added apart. */
static at_status mlp_run(boxes *c, const at_block *b, ball *y, double *dy, ball *sum, double *moved)
{
    size_t D = (size_t)c->D, n = (size_t)c->n, units = 0, widest = D;
    for (int l = 0; l < b->n_dense; l++) {
        units += (size_t)b->dense[l].rows;
        widest = (size_t)b->dense[l].rows > widest ? (size_t)b->dense[l].rows : widest;
    }
    mlp_room k = {.unit = at_new(c->a, unit, units),
                  .z = at_new(c->a, ball, 2 * (widest + D)),
                  .linear = at_new(c->a, double, 2 * (widest + D)),
                  .jacobian = at_new(c->a, double, D *D),
                  .row = at_new(c->a, double, n *D + 1)};
    if (!k.unit || !k.z || !k.linear || !k.jacobian || !k.row)
        return at_oom(c->err);
    for (int t = 0; t < c->T; t++)
        for (int v = 0; v < boxes_letters(c, t) && is_needed(c, t); v++) {
            ball *x = box_at(c, sum, t, v);
            memcpy(x, box_at(c, y, t, v), D * sizeof *x);
            const double *from = dy ? dy + (size_t)t * n * D : NULL;
            double *to = moved + (size_t)t * n * D;
            if (at_cancel_pending())
                return at_fail(c->err, AT_ECANCEL, "interrupted");
            if (b->n_dense != 2) {
                mlp_many(c, b, &k, x, from);
                for (size_t e = 0; dy && e < n * D; e++)
                    to[e] = fmax(to[e], k.row[e]);
                continue;
            }
            mlp_two(c, b, &k, x);
            for (size_t u = 0; dy && u < n; u++)
                for (size_t d = 0; d < D; d++) {
                    double far = 0;
                    for (size_t e = 0; e < D; e++)
                        far += k.jacobian[d * D + e] * from[u * D + e];
                    to[u * D + d] = fmax(to[u * D + d], up_of(far, (double)D));
                }
        }
    return AT_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------------------------------------------- */

/* x += y and d += moved, or in their place. */
static void stream_add(boxes *c, bool residual, ball *sum, double *moved, bool moves)
{
    size_t boxed = (size_t)c->T * (size_t)c->V * (size_t)c->D,
           all = (size_t)c->T * (size_t)c->n * (size_t)c->D;
    for (size_t k = 0; k < boxed; k++)
        c->x[k] = residual
                      ? (ball){c->x[k].mid + sum[k].mid, up_of(c->x[k].rad + sum[k].rad, 1) +
                                                             0x1p-51 * (fabs(c->x[k].mid) + fabs(sum[k].mid))}
                      : sum[k];
    for (size_t k = 0; moves && k < all; k++)
        c->d[k] = residual ? up_of(c->d[k] + moved[k], 1) : moved[k];
}

static at_status block_run(boxes *c, int index, bool *moves)
{
    const at_block *b = &c->m->blocks[index];
    size_t boxed = (size_t)c->T * (size_t)c->V * (size_t)c->D,
           all = (size_t)c->T * (size_t)c->n * (size_t)c->D;
    at_mark mark = at_arena_mark(c->a);
    ball *y = c->x, *sum = at_new(c->a, ball, boxed);
    double *dy = *moves ? c->d : NULL, *moved = at_new(c->a, double, all + 1);
    bool attends = b->kind == AT_BLOCK_ATTN;
    at_status s = sum && moved ? AT_OK : at_oom(c->err);
    if (!s && b->norm == AT_NORM_PRE)
        s = normed(c, b->norm_g, b->norm_b, b->norm_eps, &y, &dy);
    if (!s && attends)
        s = boxes_attend(c, b, index == c->final, y, dy, sum, moved);
    else if (!s) { /* with a norm the skip goes around it, and is added below */
        at_block own = *b;
        own.residual = b->residual && b->norm != AT_NORM_PRE;
        s = mlp_run(c, &own, y, dy, sum, moved);
    }
    *moves = *moves || attends;
    c->past = c->past || index == c->final;
    if (!s)
        stream_add(c, b->residual && (attends || b->norm == AT_NORM_PRE), sum, moved, *moves);
    at_arena_reset(c->a, mark);
    if (!s && b->norm == AT_NORM_POST) {
        y = c->x;
        dy = *moves ? c->d : NULL;
        s = normed(c, b->norm_g, b->norm_b, b->norm_eps, &y, &dy);
        if (!s)
            memcpy(c->x, y, boxed * sizeof *y);
        if (!s && dy)
            memcpy(c->d, dy, all * sizeof *dy);
        at_arena_reset(c->a, mark);
    }
    return s;
}

/* ---- the answer -------------------------------------------------------------------------------------------------------------------- */

/* The number w.x + shift at the position that answers: how wide it is, and how far each letter moves it; the largest so far stay. */
static void number_read(const boxes *c, const double *w, double shift, at_influence *out)
{
    size_t D = (size_t)c->D;
    double lo = INFINITY, hi = -INFINITY;
    for (int v = 0; v < boxes_letters(c, c->out); v++) {
        const ball *x = box_at(c, c->x, c->out, v);
        double mid = shift, rad = 0, size = fabs(shift);
        for (size_t d = 0; d < D; d++) {
            mid += w[d] * x[d].mid;
            rad += fabs(w[d]) * x[d].rad;
            size += fabs(w[d]) * (fabs(x[d].mid) + x[d].rad);
        }
        rad = up_of(rad + (double)(D + 8) * 0x1p-51 * size, (double)D);
        out->range = fmax(out->range, up_of(2 * rad, 1)); /* of words with this letter there */
        lo = fmin(lo, mid - rad);
        hi = fmax(hi, mid + rad);
    }
    for (int u = 0; u < c->n; u++) {
        double far = 0;
        const double *d = moves_at(c, c->d, c->out, u);
        for (size_t k = 0; k < D; k++)
            far += fabs(w[k]) * d[k];
        far = u == out->own ? up_of(hi - lo, 4) : up_of(far, (double)D + 8);
        out->most[u] = far >= 0 ? fmax(out->most[u], far) : INFINITY; /* what overflowed is no bound */
    }
}

static at_status answer_read(const boxes *c, int a, int b, at_influence *out)
{
    const at_readout *r = &c->m->readout;
    const double *W = at_model_data(c->m, r->w), *B = at_model_data(c->m, r->b);
    size_t D = (size_t)c->D;
    double *w = at_new(c->a, double, D);
    if (!w)
        return at_oom(c->err);
    int own = c->out - c->m->n_prefix;
    out->own = own >= 0 && own < c->n ? own : -1;
    for (int i = 0; i < r->rows; i++)
        for (int j = -1; j < i; j++) {
            bool all = a < 0 && (j >= 0 || r->rows == 1), asked = (i == a && j == b) || (i == b && j == a);
            if (!all && !asked)
                continue;
            for (size_t d = 0; d < D; d++) /* rounded once, by less than is added in number_read */
                w[d] = W[(size_t)i * D + d] - (j >= 0 ? W[(size_t)j * D + d] : 0);
            number_read(c, w, (B ? B[i] : 0) - (j >= 0 && B ? B[j] : 0), out);
        }
    return AT_OK;
}

static void ends_find(at_influence *out)
{
    out->least = out->worst = -1;
    for (int u = 0; u < out->n; u++) {
        if (u == out->own)
            continue;
        if (out->least < 0 || out->most[u] < out->most[out->least])
            out->least = u;
        if (out->worst < 0 || out->most[u] > out->most[out->worst])
            out->worst = u;
    }
    if (!(out->range >= 0))
        out->range = INFINITY;
}

static at_status model_fits(const at_model *m, at_err *err)
{
    at_status s = at_model_takes(m, AT_IN_ANALYSE, "the bound of influence", err);
    if (s)
        return s;
    if (m->n_fields != 1 || m->fields[0].kind != AT_FIELD_TOKEN || m->fields[0].size < 2)
        return at_fail(err, AT_EREFUSED, "it does not read words of letters");
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        if (k->kind == AT_BLOCK_RNN || k->kind == AT_BLOCK_FLATTEN)
            return at_fail(err, AT_EREFUSED, "block %d (%s): the bound is one of softmax attention and MLPs",
                           b + 1, at_block_names[k->kind]);
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++) {
            at_weighting w = k->groups[g].weighting;
            if (at_weighting_is(w, AT_IS_TIED))
                return at_fail(err, AT_EREFUSED,
                               "block %d: %s attention may follow one letter, at any length; `attest refute "
                               "--by hahn-restriction` takes unique-hard ones",
                               b + 1, at_weighting_names[w]);
            if (!at_weighting_is(w, AT_IS_EXP) || at_weighting_is(w, AT_IS_PAIRS))
                return at_fail(err, AT_EREFUSED, "block %d: %s attention; the bound is one of softmax", b + 1,
                               at_weighting_names[w]);
        }
    }
    return AT_OK;
}

static at_status question_fits(const at_model *m, int n, int a, int b, at_err *err)
{
    at_status s = model_fits(m, err);
    if (!s && (n < 1 || n < m->n_min || n > m->n_max))
        s = at_fail(err, AT_EINPUT, "%d letters: the model takes lengths %d..%d", n,
                    m->n_min < 1 ? 1 : m->n_min, m->n_max);
    if (!s && (a < -1 || a >= m->readout.rows || b < -1 || b >= m->readout.rows || (a == b && a >= 0) ||
               (a < 0 && b >= 0)))
        s = at_fail(err, AT_EINPUT, "rows %d and %d of a readout of %d", a, b, m->readout.rows);
    size_t T = (size_t)m->n_prefix + (size_t)n + (size_t)m->n_suffix;
    if (!s && T * (size_t)n * (size_t)m->width > MOVES_MAX)
        s = at_fail(err, AT_EBUDGET,
                    "%d letters at width %d: T n D is more than %zu, which is as far as this goes", n,
                    m->width, MOVES_MAX);
    return s;
}

at_status at_influence_bound(const at_model *m, int n, int a, int b, at_arena *arena, at_influence *out,
                             at_err *err)
{
    at_arena scratch;
    at_err own = {0};
    *out = (at_influence){.n = n, .own = -1};
    at_status s = question_fits(m, n, a, b, err ? err : &own);
    if (s)
        return s;
    at_arena_init(&scratch);
    boxes c = {.m = m,
               .n = n,
               .T = m->n_prefix + n + m->n_suffix,
               .V = m->fields[0].size,
               .D = m->width,
               .final = m->n_blocks - 1,
               .a = &scratch,
               .err = err ? err : &own};
    while (c.final >= 0 && m->blocks[c.final].kind != AT_BLOCK_ATTN)
        c.final--;
    c.out = m->readout.last ? c.T - 1 : m->n_prefix + n - 1;
    c.x = at_new(&scratch, ball, (size_t)c.T * (size_t)c.V * (size_t)c.D);
    c.d = at_new(&scratch, double, (size_t)c.T *(size_t)n *(size_t)c.D);
    out->most = at_new(arena, double, n);
    bool moves = false;
    s = c.x && c.d && out->most ? AT_OK : at_oom(c.err);
    if (!s)
        embed(&c);
    for (int k = 0; k < m->n_blocks && !s; k++)
        s = block_run(&c, k, &moves);
    if (!s && m->readout.final_norm) {
        ball *y = c.x;
        double *dy = moves ? c.d : NULL;
        s = normed(&c, m->readout.norm_g, m->readout.norm_b, m->readout.norm_eps, &y, &dy);
        c.x = y;
        c.d = dy ? dy : c.d;
    }
    if (!s)
        s = answer_read(&c, a, b, out);
    if (!s)
        ends_find(out);
    at_arena_release(&scratch);
    return s;
}

bool at_influence_says(const at_influence *f, int u)
{
    return f->most[u] < f->range * (1 - 0x1p-20);
}

/* ---- measured ------------------------------------------------------------------------------------------------------------------------ */

enum { BATCH = 64 };

typedef struct {
    const at_model *m;
    int n, a, b;
    at_exec *exec;
    at_scratch *scratch;
    int positions, batch;
    int place[BATCH]; /* of the letter that is changed; -1: none */
    double *x, *y;    /* (BATCH, n), (BATCH, positions, R) */
    double *base;     /* (R): the readout of the word itself */
    double *most;     /* (n) */
} measuring;

/* How far the number of the question lies apart in two readouts; of all pairs of rows, the furthest. */
static double apart(const measuring *k, const double *z)
{
    double lo = INFINITY, hi = -INFINITY;
    int R = k->m->readout.rows;
    if (k->a >= 0 || R == 1) {
        int a = k->a < 0 ? 0 : k->a;
        double was = k->base[a] - (k->b >= 0 ? k->base[k->b] : 0);
        return fabs(z[a] - (k->b >= 0 ? z[k->b] : 0) - was);
    }
    for (int r = 0; r < R; r++) {
        lo = fmin(lo, z[r] - k->base[r]);
        hi = fmax(hi, z[r] - k->base[r]);
    }
    return hi - lo;
}

static void batch_flush(measuring *k)
{
    size_t R = (size_t)k->m->readout.rows;
    if (!k->batch)
        return;
    at_exec_run(k->exec, k->scratch, k->x, k->batch, k->y);
    for (int i = 0; i < k->batch; i++) {
        const double *z = k->y + ((size_t)(i + 1) * (size_t)k->positions - 1) * R;
        if (k->place[i] < 0)
            memcpy(k->base, z, R * sizeof *z);
        else
            k->most[k->place[i]] = fmax(k->most[k->place[i]], apart(k, z));
    }
    k->batch = 0;
}

/* A word with letter v at place u; the word itself, u = -1, comes first. */
static void word_add(measuring *k, const double *word, int u, int v)
{
    double *x = k->x + (size_t)k->batch * (size_t)k->n;
    memcpy(x, word, (size_t)k->n * sizeof *x);
    if (u >= 0)
        x[u] = v;
    k->place[k->batch++] = u;
    if (k->batch == BATCH || u < 0)
        batch_flush(k);
}

at_status at_influence_measure(const at_model *m, int n, int a, int b, int words, uint64_t seed, double *most,
                               at_err *err)
{
    measuring k = {.m = m, .n = n, .a = a, .b = b, .most = most};
    int V = m->fields[0].size;
    size_t R = (size_t)m->readout.rows;
    at_status s = at_exec_new(m, at_f64, n, &k.exec, err);
    if (!s)
        s = at_scratch_new(k.exec, &k.scratch, err);
    k.positions = s ? 0 : at_exec_positions(k.exec);
    double *word = at_calloc((size_t)n + 1, sizeof *word);
    k.x = at_calloc((size_t)BATCH * (size_t)n + 1, sizeof *k.x);
    k.y = at_calloc((size_t)BATCH * (size_t)(k.positions + 1) * R, sizeof *k.y);
    k.base = at_calloc(R, sizeof *k.base);
    if (!s && (!word || !k.x || !k.y || !k.base))
        s = at_oom(err);
    for (int u = 0; u < n; u++)
        most[u] = 0;
    for (int w = 0; w < words && !s; w++) {
        at_rng r = at_rng_at(seed, (uint64_t)w);
        int kind = w % 3,
            letter = (int)at_rng_below(&r, (uint64_t)V); /* one letter alone, nearly so, or any */
        for (int i = 0; i < n; i++) {
            word[i] = (double)at_rng_below(&r, (uint64_t)V);
            if (kind == 0 || (kind == 1 && at_rng_below(&r, 8)))
                word[i] = letter;
        }
        word_add(&k, word, -1, 0);
        for (int u = 0; u < n; u++)
            for (int v = 0; v < V; v++)
                if (v != (int)word[u])
                    word_add(&k, word, u, v);
        batch_flush(&k);
        if (at_cancel_pending())
            s = at_fail(err, AT_ECANCEL, "interrupted");
    }
    at_free(word);
    at_free(k.x);
    at_free(k.y);
    at_free(k.base);
    at_scratch_free(k.scratch);
    at_exec_free(k.exec);
    return s;
}

double at_influence_loss(double move)
{
    /* ln(1 + t) with t = e^(-move/2), from below; for small t it is at least t - t^2/2, where 1 + t would lose its digits. */
    if (!(move < 1400))
        return 0;
    double t = at_exp(-move / 2 * (1 + 0x1p-50)),
           least = t < 0x1p-10 ? t * (1 - t / 2) : at_log(1 + t) - 0x1p-50;
    return fmax(0, least * (1 - 0x1p-40));
}
