/* influence_attend.c: how far one letter can move what softmax attention makes.
 *
 * Query i (with one letter), one head. Every key k and letter of it has an interval of scores, so an interval E of exp(score). The mean
 * of values is linear-fractional in each E and each value, so its largest coordinate is the largest t with
 *     f(t) = sum over k of (max over letters and E of E (v - t)) >= 0.
 * f falls; Newton's steps find t, and the t that is taken is checked: f(t), widened by all rounding, is at most 0.
 *
 * Letter u changes, u not i. Let r be the mean over the keys but u, w the weight of u, v its value: the mean is r + w (v - r), and
 *     mean' - mean = [w' (v' - r) - w (v - r)]  +  (1 - w') (r' - r).
 *   The first part is linear in r, and its ends over letters, E and values are at the ends: w lies between E/(E + all others), by the
 *   largest and least E. It is O(1/n) when scores are bounded.
 *   The second part is 0 in the first layer. Later, with p the weights over the keys but u, dv_k how far values move and s_k scores:
 *     |r' - r| <= sum_k p_k dv_k + rad * sum_k |p'_k - p_k|,   rad half of how far values are apart,
 *     sum_k |p'_k - p_k| <= max_k |ds_k|, and also <= max |ds_k by the query| + 2 sum_k p_k |ds_k by the key|
 *   (the derivative of softmax is p_k (ds_k - sum p ds); |sum over p of |ds - its mean|| <= max |ds|). The second form is what causal
 *   masks need: keys just behind u see few letters and move far, but weigh little.
 * A query that sees no key has the mean 0. */
#include "influence.h"

#include <string.h>

typedef struct {
    const at_group *g;
    int K, W;             /* H dk, H dv */
    ball *q, *k, *v;      /* (T, V, K or W) */
    double *dq, *dk, *dv; /* (T, n, K or W): how far letter u moves them; NULL: nothing moves yet */
} heads;

/* One query, one head: its keys. */
typedef struct {
    int i, s, h;
    bool *sees;           /* (T) */
    double *lo, *hi;      /* (T, V): exp(score - peak) */
    double *least, *most; /* (T): over letters */
    double Z;             /* sum of least, from below */
    int keys;
} row;

static size_t place(const boxes *c, int t, int v)
{
    return (size_t)t * (size_t)c->V + (size_t)v;
}

/* Letters that key k may have, seen from query i with letter s. */
static void letters_of(const boxes *c, const row *r, int k, int *from, int *to)
{
    *from = k == r->i ? r->s : 0;
    *to = k == r->i ? r->s + 1 : boxes_letters(c, k);
}

static ball score_of(const heads *x, const ball *q, const ball *k)
{
    double mid = 0, size = 0, rad = 0, scale = fabs(x->g->scale);
    for (int e = 0; e < x->g->dk; e++) {
        double p = q[e].mid * k[e].mid;
        mid += p;
        size += fabs(p);
        rad += fabs(q[e].mid) * k[e].rad + q[e].rad * (fabs(k[e].mid) + k[e].rad);
    }
    double steps = x->g->dk + 4;
    ball s = {x->g->scale * mid,
              up_of(scale * (rad + steps * 0x1p-52 * size), 3 * steps) + 0x1p-51 * scale * size};
    switch (x->g->post) { /* none brings numbers further apart */
    case AT_POST_ID:
        break;
    case AT_POST_NEG_RELU:
        s.mid = s.mid > 0 ? -s.mid : 0;
        break;
    case AT_POST_NEG_ABS:
        s.mid = -fabs(s.mid);
        break;
    }
    return s;
}

static void row_scores(const boxes *c, const heads *x, row *r)
{
    const at_group *g = x->g;
    const ball *q = x->q + place(c, r->i, r->s) * (size_t)x->K + r->h * g->dk;
    double peak = -INFINITY;
    r->keys = 0;
    for (int k = 0; k < c->T; k++) {
        int from, to;
        r->sees[k] = at_mask_allows(&g->mask, r->i, k);
        if (!r->sees[k])
            continue;
        r->keys++;
        letters_of(c, r, k, &from, &to);
        for (int v = from; v < to; v++) {
            ball s = score_of(x, q, x->k + place(c, k, v) * (size_t)x->K + r->h * g->dk);
            r->lo[place(c, k, v)] = ball_lo(s);
            r->hi[place(c, k, v)] = ball_hi(s);
            peak = fmax(peak, ball_hi(s));
        }
    }
    double Z = 0;
    for (int k = 0; k < c->T; k++) {
        int from, to;
        if (!r->sees[k])
            continue;
        letters_of(c, r, k, &from, &to);
        r->least[k] = INFINITY;
        r->most[k] = 0;
        for (int v = from; v < to; v++) {
            double *lo = &r->lo[place(c, k, v)], *hi = &r->hi[place(c, k, v)];
            *lo = fmax(0, down_of(at_exp(*lo - peak - 0x1p-50 * (fabs(*lo) + fabs(peak))), 0));
            *hi = up_of(at_exp(*hi - peak + 0x1p-50 * (fabs(*hi) + fabs(peak))), 0);
            r->least[k] = fmin(r->least[k], *lo);
            r->most[k] = fmax(r->most[k], *hi);
        }
        Z += r->least[k];
    }
    r->Z = fmax(0, down_of(Z, c->T));
}

/* Values of one coordinate, above: their upper ends, else minus their lower ends. */
static double end_of(ball v, bool above)
{
    return above ? ball_hi(v) : -ball_lo(v);
}

/* The term of key k in f(t): the largest E (v - t); *E the one that has it. */
static double term_of(const boxes *c, const heads *x, const row *r, int k, int e, bool above, double t,
                      double *E, double *value)
{
    int from, to;
    double most = -INFINITY;
    letters_of(c, r, k, &from, &to);
    for (int v = from; v < to; v++) {
        double end = end_of(x->v[place(c, k, v) * (size_t)x->W + (size_t)e], above), by = end - t;
        double weight = by > 0 ? r->hi[place(c, k, v)] : r->lo[place(c, k, v)];
        if (weight * by > most) {
            most = weight * by;
            *E = weight;
            *value = end;
        }
    }
    return most;
}

enum { STEPS = 60 };

/* At least the largest mean of coordinate e (of minus it, unless above). */
static double mean_most(const boxes *c, const heads *x, const row *r, int e, bool above)
{
    double top = -INFINITY, big = 0, t, E = 0, value = 0;
    for (int k = 0; k < c->T; k++) {
        int from, to;
        if (!r->sees[k])
            continue;
        letters_of(c, r, k, &from, &to);
        for (int v = from; v < to; v++) {
            double end = end_of(x->v[place(c, k, v) * (size_t)x->W + (size_t)e], above);
            top = fmax(top, end);
            big = fmax(big, fabs(end));
        }
    }
    t = -INFINITY;
    for (int step = 0; step < STEPS; step++) {
        double over = 0, under = 0, at = step ? t : top;
        for (int k = 0; k < c->T; k++)
            if (r->sees[k]) {
                term_of(c, x, r, k, e, above, at, &E, &value);
                over += E * value;
                under += E;
            }
        double next = under > 0 ? over / under : top;
        if (step > 1 && !(next > t))
            break;
        t = next;
    }
    /* Steps come from below: a little more, until it is seen to be enough. */
    for (double more = 0x1p-46; more < 1; more *= 4) {
        double at = t + more * (fabs(t) + fabs(top) + BALL_TINY), f = 0, size = 0;
        if (!(at < top))
            break;
        for (int k = 0; k < c->T; k++)
            if (r->sees[k]) {
                f += term_of(c, x, r, k, e, above, at, &E, &value);
                size += r->most[k] * (big + fabs(at));
            }
        if (f + (c->T + 8) * 0x1p-51 * size + BALL_TINY <= 0)
            return at;
    }
    return top;
}

/* ---- one letter changes ------------------------------------------------------------------------------------------------ */

/* [w'(v' - r) - w(v - r)] of key u at one end of r, over all pairs of its letters. */
static double change_at(const boxes *c, const heads *x, const row *r, int u, int e, double others_least,
                        double others_most, double mean)
{
    double hi[2] = {-INFINITY, -INFINITY}, lo[2] = {INFINITY, INFINITY}; /* the two largest, the two least */
    int hi_at = -1, lo_at = -1;
    for (int v = 0; v < c->V; v++) {
        ball b = x->v[place(c, u, v) * (size_t)x->W + (size_t)e];
        double El = r->lo[place(c, u, v)], Eh = r->hi[place(c, u, v)];
        double wl = El > 0 ? down_of(El / (El + others_most), 2) : 0, wh = up_of(Eh / (Eh + others_least), 2);
        double up = ball_hi(b) - mean, down = ball_lo(b) - mean,
               slack = 0x1p-50 * (fabs(up) + fabs(down) + fabs(mean));
        double h = up > 0 ? wh * up : wl * up, l = down < 0 ? wh * down : wl * down;
        h += wh * slack;
        l -= wh * slack;
        if (h > hi[0])
            hi[1] = hi[0], hi[0] = h, hi_at = v;
        else
            hi[1] = fmax(hi[1], h);
        if (l < lo[0])
            lo[1] = lo[0], lo[0] = l, lo_at = v;
        else
            lo[1] = fmin(lo[1], l);
    }
    double most = hi_at != lo_at ? hi[0] - lo[0] : fmax(hi[1] - lo[0], hi[0] - lo[1]);
    return c->V > 1 ? up_of(fmax(most, 0) + 0x1p-50 * (fabs(hi[0]) + fabs(lo[0])), 2) : 0;
}

/* Of one row: */
typedef struct {
    double *p;       /* (T): weights, from above */
    double *rad;     /* (W): half of how far apart the values are that it sees */
    double *mean[2]; /* (W): least and largest mean */
} row_scratch;

/* How far the weights of the keys but u move in all, when letter u changes: at least the sum of |p' - p|. */
static double weights_move(const boxes *c, const heads *x, const row *r, const row_scratch *z, int u,
                           double factor)
{
    const at_group *g = x->g;
    size_t n = (size_t)c->n, K = (size_t)x->K, at = (size_t)(r->h * g->dk);
    const ball *q = x->q + place(c, r->i, r->s) * K + at;
    const double *dq = x->dq + ((size_t)r->i * n + (size_t)u) * K + at;
    double by_query = 0, by_key_most = 0, by_key = 0, scale = fabs(g->scale);
    for (int k = 0; k < c->T; k++) {
        if (!r->sees[k] || k == c->m->n_prefix + u)
            continue;
        const double *dk = x->dk + ((size_t)k * n + (size_t)u) * K + at;
        double key = 0;
        int from, to;
        for (int a = 0; a < g->dk; a++)
            key += ball_most(q[a]) * dk[a]; /* the query as it is then lies in its ball, too */
        letters_of(c, r, k, &from, &to);
        for (int v = from; v < to; v++) {
            double one = 0;
            for (int a = 0; a < g->dk; a++)
                one += ball_most(x->k[place(c, k, v) * K + at + (size_t)a]) * dq[a];
            by_query = fmax(by_query, one);
        }
        by_key_most = fmax(by_key_most, key);
        by_key += z->p[k] * key;
    }
    double moved = scale * (fmin(by_key_most, 2 * factor * by_key) + by_query);
    return fmin(2, up_of(moved, 2.0 * (c->T + g->dk) + 16)); /* both sum to 1 */
}

/* |r' - r| in coordinate e, where weights move by `weights`. */
static double others_move(const boxes *c, const heads *x, const row *r, const row_scratch *z, int u, int e,
                          double factor, double weights)
{
    size_t n = (size_t)c->n, W = (size_t)x->W;
    double sum = 0, most = 0;
    for (int k = 0; k < c->T; k++)
        if (r->sees[k] && k != c->m->n_prefix + u) {
            double dv = x->dv[((size_t)k * n + (size_t)u) * W + (size_t)e];
            sum += z->p[k] * dv;
            most = fmax(most, dv);
        }
    return up_of(fmin(most, factor * sum) + z->rad[e] * weights, c->T + 8);
}

/* The row of query i with letter s, head h, through all letters u: moved (n, W) is raised to what letter u moves the means by. */
static void row_moves(const boxes *c, const heads *x, const row *r, const row_scratch *z, double *moved)
{
    const at_group *g = x->g;
    double most = 0;
    for (int k = 0; k < c->T; k++)
        most += r->sees[k] ? r->most[k] : 0;
    most = up_of(most, c->T);
    for (int u = 0; u < c->n; u++) {
        int key = c->m->n_prefix + u;
        if (key == r->i)
            continue;
        bool seen = r->sees[key];
        double rest_least = seen ? fmax(0, down_of(r->Z - r->least[key], 2) - 0x1p-51 * r->Z) : r->Z;
        double rest_most = seen ? most - r->most[key] + 0x1p-50 * most : most;
        double factor = rest_least > 0 ? up_of(r->Z / rest_least, 2) : INFINITY;
        bool alone = seen && r->keys == 1, moves = x->dq && !alone && factor < INFINITY;
        double weights = moves ? weights_move(c, x, r, z, u, factor) : 0;
        for (int f = 0; f < g->dv; f++) {
            int e = r->h * g->dv + f;
            double by = 0, E, value, all = 2 * z->rad[e]; /* no mean is further from another */
            if (seen && !alone && rest_least > 0) {
                /* The mean without u lies as far outside of the means of all as the term of u there says. */
                double out_hi = -term_of(c, x, r, key, e, true, z->mean[1][e], &E, &value);
                double out_lo = -term_of(c, x, r, key, e, false, -z->mean[0][e], &E, &value);
                double hi =
                    z->mean[1][e] + up_of(fmax(0, out_hi) / rest_least, 4) + 0x1p-50 * fabs(z->mean[1][e]);
                double lo =
                    z->mean[0][e] - up_of(fmax(0, out_lo) / rest_least, 4) - 0x1p-50 * fabs(z->mean[0][e]);
                by = fmax(change_at(c, x, r, key, e, rest_least, rest_most, hi),
                          change_at(c, x, r, key, e, rest_least, rest_most, lo));
            } else if (seen)
                by = all;
            if (moves)
                by += others_move(c, x, r, z, u, e, factor, weights);
            else if (x->dq && !alone)
                by = all;
            double *to = &moved[(size_t)u * (size_t)x->W + (size_t)e];
            *to = fmax(*to, up_of(fmin(by, all), 2));
        }
    }
}

/* Means of query i with letter s: into mean (W) as balls; moved (n, W) as in row_moves. */
static void row_run(const boxes *c, const heads *x, row *r, row_scratch *z, ball *mean, double *moved)
{
    const at_group *g = x->g;
    for (r->h = 0; r->h < g->heads; r->h++) {
        row_scores(c, x, r);
        for (int k = 0; k < c->T; k++) {
            double others = fmax(0, r->Z - r->least[k] - 0x1p-50 * r->Z);
            z->p[k] = r->sees[k] ? fmin(1, up_of(r->most[k] / (r->most[k] + others), 4)) : 0;
        }
        for (int f = 0; f < g->dv; f++) {
            int e = r->h * g->dv + f;
            double lo = INFINITY, hi = -INFINITY;
            for (int k = 0; k < c->T; k++) {
                int from, to;
                if (!r->sees[k])
                    continue;
                letters_of(c, r, k, &from, &to);
                for (int v = from; v < to; v++) {
                    ball b = x->v[place(c, k, v) * (size_t)x->W + (size_t)e];
                    lo = fmin(lo, ball_lo(b));
                    hi = fmax(hi, ball_hi(b));
                }
            }
            if (!r->keys) {
                mean[e] = (ball){0, 0};
                z->rad[e] = z->mean[0][e] = z->mean[1][e] = 0;
                continue;
            }
            z->rad[e] = up_of((hi - lo) / 2, 2) + 0x1p-51 * (fabs(hi) + fabs(lo));
            z->mean[1][e] = mean_most(c, x, r, e, true);
            z->mean[0][e] = -mean_most(c, x, r, e, false);
            mean[e] = ball_between(z->mean[0][e], z->mean[1][e]);
        }
        row_moves(c, x, r, z, moved);
    }
}

/* ---- a block --------------------------------------------------------------------------------------------------------------- */

static at_status heads_make(const boxes *c, const at_group *g, ball *y, double *dy, heads *x)
{
    size_t T = (size_t)c->T, n = (size_t)c->n, V = (size_t)c->V;
    *x = (heads){.g = g, .K = g->heads * g->dk, .W = g->heads * g->dv};
    x->q = at_new(c->a, ball, T * V * (size_t)x->K);
    x->k = at_new(c->a, ball, T * V * (size_t)x->K);
    x->v = at_new(c->a, ball, T * V * (size_t)x->W);
    if (!x->q || !x->k || !x->v)
        return at_oom(c->err);
    for (int t = 0; t < c->T; t++)
        for (int v = 0; v < boxes_letters(c, t); v++) {
            const ball *from = box_at(c, y, t, v);
            balls_affine(c, g->q, g->qb, x->K, c->D, from, x->q + place(c, t, v) * (size_t)x->K);
            balls_affine(c, g->k, g->kb, x->K, c->D, from, x->k + place(c, t, v) * (size_t)x->K);
            balls_affine(c, g->v, g->vb, x->W, c->D, from, x->v + place(c, t, v) * (size_t)x->W);
        }
    if (!dy)
        return AT_OK;
    x->dq = at_new(c->a, double, T *n *(size_t)x->K);
    x->dk = at_new(c->a, double, T *n *(size_t)x->K);
    x->dv = at_new(c->a, double, T *n *(size_t)x->W);
    if (!x->dq || !x->dk || !x->dv)
        return at_oom(c->err);
    for (int t = 0; t < c->T; t++)
        for (int u = 0; u < c->n; u++) {
            size_t at = (size_t)t * n + (size_t)u;
            const double *from = moves_at(c, dy, t, u);
            moves_affine(c, g->q, x->K, c->D, from, x->dq + at * (size_t)x->K);
            moves_affine(c, g->k, x->K, c->D, from, x->dk + at * (size_t)x->K);
            moves_affine(c, g->v, x->W, c->D, from, x->dv + at * (size_t)x->W);
        }
    return AT_OK;
}

static at_status group_run(boxes *c, const at_group *g, bool final, ball *y, double *dy, ball *sum,
                           double *moved)
{
    heads x;
    size_t T = (size_t)c->T, V = (size_t)c->V, D = (size_t)c->D;
    at_status s = heads_make(c, g, y, dy, &x);
    row r = {.sees = at_new(c->a, bool, T),
             .lo = at_new(c->a, double, T *V),
             .hi = at_new(c->a, double, T *V),
             .least = at_new(c->a, double, T),
             .most = at_new(c->a, double, T)};
    size_t W = (size_t)x.W;
    row_scratch z = {.p = at_new(c->a, double, T), .rad = at_new(c->a, double, W)};
    z.mean[0] = at_new(c->a, double, W);
    z.mean[1] = at_new(c->a, double, W);
    ball *mean = at_new(c->a, ball, W), *out = at_new(c->a, ball, D);
    double *by = at_new(c->a, double, (size_t)c->n *W + 1), *far = at_new(c->a, double, D);
    if (!s && (!r.sees || !r.lo || !r.hi || !r.least || !r.most || !z.p || !z.rad || !z.mean[0] ||
               !z.mean[1] || !mean || !out || !by || !far))
        s = at_oom(c->err);
    for (r.i = 0; r.i < c->T && !s; r.i++) {
        if (final && r.i != c->out)
            continue;
        if (at_cancel_pending())
            return at_fail(c->err, AT_ECANCEL, "interrupted");
        memset(by, 0, (size_t)c->n * W * sizeof *by);
        for (r.s = 0; r.s < boxes_letters(c, r.i); r.s++) {
            row_run(c, &x, &r, &z, mean, by);
            balls_affine(c, g->o, g->ob, c->D, x.W, mean, out);
            ball *to = box_at(c, sum, r.i, r.s);
            for (size_t d = 0; d < D; d++)
                to[d] = (ball){to[d].mid + out[d].mid, up_of(to[d].rad + out[d].rad, 2) +
                                                           0x1p-52 * (fabs(to[d].mid) + fabs(out[d].mid))};
        }
        for (int u = 0; u < c->n; u++) {
            moves_affine(c, g->o, c->D, x.W, by + (size_t)u * W, far);
            double *to = moves_at(c, moved, r.i, u);
            for (size_t d = 0; d < D; d++)
                to[d] = up_of(to[d] + far[d], 1);
        }
    }
    return s;
}

at_status boxes_attend(boxes *c, const at_block *b, bool final, ball *y, double *dy, ball *sum, double *moved)
{
    at_status s = AT_OK;
    for (int g = 0; g < b->n_groups && !s; g++) {
        at_mark mark = at_arena_mark(c->a);
        s = group_run(c, &b->groups[g], final, y, dy, sum, moved);
        at_arena_reset(c->a, mark);
    }
    return s;
}
