/* tight.c: how likely the end is at least, behind every text of every length.
 *
 * A language model whose end has at least the probability e > 0 behind every text is tight: the probability that a text has not ended after
 * n words is at most (1 - e)^n. For softmax readouts e is there when what reaches the readout is bounded, whatever the length.
 *
 * Every coordinate of the residual stream lies in an interval that holds at all positions of all texts:
 *   embeddings   the hull of the rows of the words, and of the hidden rows; plus positions, by their kind
 *   attention    weights are not negative and sum to 1 (or there is no key, and the result is 0): it lies in the hull of the values,
 *                whatever the scores are. So a position that grows without end may steer where a head looks.
 *   norms        (x - mean) / sqrt(variance + eps) is at most sqrt(D) in size
 *   MLPs         layer by layer, as intervals; GeLU lies between -0.17 and max(0, x)
 *   RNNs         states lie in -1..1
 * An interval without ends is kept as such; where it meets a weight that is 0, nothing comes of it. (Where an MLP takes such a number
 * off the stream again, as compiled programs do to reuse its place, intervals do not see that they cancel: refused.) Differences of the readout are one
 * linear map, p(end) >= 1 / (1 + sum of exp(z_t - z_end)), in balls of 128 bits, rounded outwards. */
#include <attest/check.h>

#include "../num/flint_compat.h"

#include <math.h>
#include <string.h>

#define PREC 128

typedef struct {
    const at_model *m;
    arb_ptr x, y, in;  /* (D): the stream, what a block reads, what it adds */
    const char *grows; /* the first position feature without a bound; NULL: none */
    at_err *err;
} bounds;

static void interval_set(arb_t r, double lo, double hi)
{
    arf_t a, b;
    arf_init(a);
    arf_init(b);
    arf_set_d(a, lo);
    arf_set_d(b, hi);
    arb_set_interval_arf(r, a, b, PREC);
    arf_clear(a);
    arf_clear(b);
}

/* r = w (n) . x + b, zero weights skipped: they are not met by what has no end. */
static void row_times(arb_t r, const double *w, size_t n, arb_srcptr x, double b)
{
    arb_t t;
    arb_init(t);
    arb_set_d(r, b);
    for (size_t k = 0; (k = at_weights_next(w, k, n)) < n; k++)
        if (w[k] != 0) {
            arb_set_d(t, w[k]);
            arb_addmul(r, t, x + k, PREC);
        }
    arb_clear(t);
}

static void affine(const bounds *c, int w, int b, int rows, int cols, arb_srcptr x, arb_ptr out)
{
    const double *W = at_model_data(c->m, w), *B = at_model_data(c->m, b);
    for (int r = 0; r < rows; r++)
        row_times(out + r, W + (size_t)r * (size_t)cols, (size_t)cols, x, B ? B[r] : 0);
}

/* ---- embeddings -------------------------------------------------------------------------------------------------------- */

/* The hull of `rows` rows is added to the columns of an embedding. */
static void hull_add(const bounds *c, const at_embed *e, int rows, arb_ptr x)
{
    const double *w = at_model_data(c->m, e->tensor);
    arb_t t;
    arb_init(t);
    for (int k = 0; k < e->width && rows; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int r = 0; r < rows; r++) {
            lo = fmin(lo, w[(size_t)r * (size_t)e->width + (size_t)k]);
            hi = fmax(hi, w[(size_t)r * (size_t)e->width + (size_t)k]);
        }
        interval_set(t, lo, hi);
        arb_add(x + e->col + k, x + e->col + k, t, PREC);
    }
    arb_clear(t);
}

/* The last index over the number of positions: more than 1 where indices begin behind 1. */
static bool origin_usual(const at_model *m)
{
    return m->pos_origin >= 0 && m->pos_origin <= 1;
}

static void positions_add(bounds *c)
{
    const at_model *m = c->m;
    arb_t f, w;
    arb_init(f);
    arb_init(w);
    for (int k = 0; k < m->n_pos; k++) {
        const at_pos *p = &m->pos[k];
        if (at_pos_is(p->kind, AT_IS_ROWS)) {
            hull_add(c, &p->embed, p->size, c->x);
            continue;
        }
        if (at_pos_is(p->kind, AT_IS_UNIT) && (!at_pos_is(p->kind, AT_IS_MOVING) || origin_usual(m)))
            interval_set(f, -1, 1);
        else {
            arb_zero_pm_inf(f);
            c->grows = c->grows ? c->grows : at_pos_parts[p->kind].name;
        }
        const double *row = at_model_data(m, p->embed.tensor);
        for (int r = 0; r < at_pos_features(p); r++)
            for (int e = 0; e < p->embed.width; e++, row++)
                if (*row != 0) {
                    arb_set_d(w, *row);
                    arb_addmul(c->x + p->embed.col + e, w, f, PREC);
                }
    }
    arb_clear(f);
    arb_clear(w);
}

static void embed(bounds *c)
{
    const at_model *m = c->m;
    slong D = m->width;
    arb_ptr other = _arb_vec_init(D);
    hull_add(c, &m->fields[0].embed, m->fields[0].size, c->x);
    for (int side = 0; side < 2; side++) { /* a row is a word's or a hidden one */
        int n = side ? m->n_suffix : m->n_prefix;
        if (!n)
            continue;
        _arb_vec_zero(other, D);
        hull_add(c, side ? &m->suffix : &m->prefix, n, other);
        for (int d = 0; d < D; d++)
            arb_union(c->x + d, c->x + d, other + d, PREC);
    }
    _arb_vec_clear(other, D);
    positions_add(c);
}

/* ---- blocks --------------------------------------------------------------------------------------------------------------- */

static void normed(const bounds *c, int g, int b, arb_ptr x)
{
    const double *G = at_model_data(c->m, g), *B = at_model_data(c->m, b);
    arb_t size, t;
    arb_init(size);
    arb_init(t);
    arb_sqrt_ui(size, (ulong)c->m->width, PREC);
    for (int d = 0; d < c->m->width; d++) {
        arb_neg(t, size);
        arb_union(t, t, size, PREC);
        arb_set_d(x + d, G[d]);
        arb_mul(t, t, x + d, PREC);
        arb_set_d(x + d, B[d]);
        arb_add(x + d, x + d, t, PREC);
    }
    arb_clear(size);
    arb_clear(t);
}

static void attention(const bounds *c, const at_block *b)
{
    int D = c->m->width;
    arb_t t;
    arb_init(t);
    for (int k = 0; k < b->n_groups; k++) {
        const at_group *g = &b->groups[k];
        int n = g->heads * g->dv;
        arb_ptr v = _arb_vec_init(n), v2 = _arb_vec_init(n), o = _arb_vec_init(D);
        affine(c, g->v, g->vb, n, D, c->y, v);
        if (at_weighting_is(g->weighting, AT_IS_PAIRS)) {
            affine(c, g->v2, g->v2b, n, D, c->y, v2);
            for (int e = 0; e < n; e++)
                arb_mul(v + e, v + e, v2 + e, PREC);
        }
        if (at_mask_is(g->mask.kind, AT_IS_STRICT)) /* there may be no key */
            for (int e = 0; e < n; e++) {
                arb_zero(t);
                arb_union(v + e, v + e, t, PREC);
            }
        affine(c, g->o, g->ob, D, n, v, o);
        for (int d = 0; d < D; d++)
            arb_add(c->in + d, c->in + d, o + d, PREC);
        _arb_vec_clear(v, n);
        _arb_vec_clear(v2, n);
        _arb_vec_clear(o, D);
    }
    arb_clear(t);
}

static void activate(at_act act, arb_t x)
{
    arb_t least;
    arb_init(least);
    arb_nonnegative_part(x, x); /* max(0, x), also of half a line */
    if (at_act_is(act, AT_IS_ERF)) {
        interval_set(least, -0.17, 0);
        arb_union(x, x, least, PREC);
    }
    arb_clear(least);
}

static void mlp(const bounds *c, const at_block *b)
{
    int n = c->m->width;
    arb_ptr x = _arb_vec_init(n);
    _arb_vec_set(x, c->y, n);
    for (int l = 0; l < b->n_dense; l++) {
        int rows = b->dense[l].rows;
        arb_ptr next = _arb_vec_init(rows);
        affine(c, b->dense[l].w, b->dense[l].b, rows, n, x, next);
        for (int r = 0; l < b->n_dense - 1 && r < rows; r++)
            activate(b->act, next + r);
        _arb_vec_clear(x, n);
        x = next;
        n = rows;
    }
    _arb_vec_set(c->in, x, c->m->width);
    _arb_vec_clear(x, n);
}

static void rnn(const bounds *c, const at_block *b)
{
    int S = b->rnn.state;
    arb_ptr h = _arb_vec_init(S);
    for (int k = 0; k < S; k++)
        interval_set(h + k, -1, 1);
    affine(c, b->rnn.o, b->rnn.ob, c->m->width, S, h, c->in);
    _arb_vec_clear(h, S);
}

static at_status block_run(const bounds *c, const at_block *b)
{
    int D = c->m->width;
    _arb_vec_set(c->y, c->x, D);
    _arb_vec_zero(c->in, D);
    if (b->norm == AT_NORM_PRE)
        normed(c, b->norm_g, b->norm_b, c->y);
    switch (b->kind) {
    case AT_BLOCK_ATTN:
        attention(c, b);
        break;
    case AT_BLOCK_MLP:
        mlp(c, b);
        break;
    case AT_BLOCK_RNN:
        rnn(c, b);
        break;
    case AT_BLOCK_FLATTEN:
        return at_fail(c->err, AT_EREFUSED,
                       "it takes texts of one length only: nothing is said of all lengths");
    }
    for (int d = 0; d < D; d++)
        if (b->residual)
            arb_add(c->x + d, c->x + d, c->in + d, PREC);
        else
            arb_set(c->x + d, c->in + d);
    if (b->norm == AT_NORM_POST)
        normed(c, b->norm_g, b->norm_b, c->x);
    return AT_OK;
}

/* ---- the readout ------------------------------------------------------------------------------------------------------------ */

/* log10 of 1 / (1 + sum of exp(z_t - z_end)), from below; false: it has no bound. */
static bool end_least(const bounds *c, int end, double *out)
{
    const at_readout *r = &c->m->readout;
    const double *W = at_model_data(c->m, r->w), *B = at_model_data(c->m, r->b);
    size_t D = (size_t)c->m->width;
    bool ok = true;
    arb_t sum, z, t;
    arf_t low;
    arb_init(sum);
    arb_init(z);
    arb_init(t);
    arf_init(low);
    arb_one(sum);
    for (int k = 0; k < r->rows && ok; k++) {
        arb_zero(z);
        for (size_t d = 0; d < D && k != end;
             d++) { /* the difference of two doubles is exact in 128 bits, or rounded outwards */
            double a = W[(size_t)k * D + d], b = W[(size_t)end * D + d];
            if (a == b)
                continue;
            arb_set_d(t, a);
            arf_set_d(low, b);
            arb_sub_arf(t, t, low, PREC);
            arb_addmul(z, t, c->x + d, PREC);
        }
        if (k == end)
            continue;
        arb_set_d(t, B[k]);
        arf_set_d(low, B[end]);
        arb_sub_arf(t, t, low, PREC);
        arb_add(z, z, t, PREC);
        arb_get_ubound_arf(low, z, PREC);
        ok = arb_is_finite(z) && arf_is_finite(low);
        if (ok) {
            arb_set_arf(t, low);
            arb_exp(t, t, PREC);
            arb_add(sum, sum, t, PREC);
        }
    }
    if (ok) {
        arb_log(sum, sum, PREC);
        arb_const_log10(t, PREC);
        arb_div(sum, sum, t, PREC);
        arb_neg(sum, sum);
        arb_get_lbound_arf(low, sum, PREC);
        *out = arf_get_d(low, ARF_RND_FLOOR);
        ok = isfinite(*out);
    }
    arb_clear(sum);
    arb_clear(z);
    arb_clear(t);
    arf_clear(low);
    return ok;
}

bool at_model_is_lm(const at_model *m)
{
    return m->n_fields == 1 && m->fields[0].kind == AT_FIELD_TOKEN && at_read_distribution(m->readout.kind) &&
           m->readout.rows == m->fields[0].size + 1 && m->readout.last;
}

at_status at_end_least(const at_model *m, double *log10_least, at_err *err)
{
    bounds c = {.m = m, .err = err};
    at_status s = at_model_takes(m, AT_IN_ANALYSE, "tightness from weights", err);
    if (s)
        return s;
    if (!at_model_is_lm(m))
        return at_fail(err, AT_EREFUSED,
                       "no language model: words come in, and the probabilities of words and of the end out");
    if (m->readout.kind != AT_READ_SOFTMAX)
        return at_fail(
            err, AT_EREFUSED,
            "its readout is %s, which may give the end no probability at all: not decided from weights",
            at_read_names[m->readout.kind]);
    c.x = _arb_vec_init(m->width);
    c.y = _arb_vec_init(m->width);
    c.in = _arb_vec_init(m->width);
    embed(&c);
    for (int b = 0; b < m->n_blocks && !s; b++)
        s = block_run(&c, &m->blocks[b]);
    if (!s && m->readout.final_norm)
        normed(&c, m->readout.norm_g, m->readout.norm_b, c.x);
    if (!s && !end_least(&c, m->readout.rows - 1, log10_least))
        s = at_fail(err, AT_EREFUSED,
                    "the position feature %s grows with the length, and nothing shows that the readout does "
                    "not: the end may "
                    "become ever less likely",
                    c.grows ? c.grows : "of some kind");
    _arb_vec_clear(c.x, m->width);
    _arb_vec_clear(c.y, m->width);
    _arb_vec_clear(c.in, m->width);
    return s;
}
