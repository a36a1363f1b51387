/* sure.c: can rounding turn a choice of hard attention?
 *
 * Hard attention looks whether scores are within `tie` of the largest. Whoever runs an exported file adds in an order of
 * its own, so two scores that are equal over the reals may come out different, and another key is chosen: a wrong answer, not
 * a rounding error. So a model with hard attention is exported only when that cannot happen to equal scores:
 *
 *   exact   the scores are computed without any rounding, in every order, or
 *   tied    with e the largest error of a score, 2e < tie: scores that are equal stay within tie of each other
 *           (those that are farther apart than tie are the business of whoever chose tie, as in attest's own runs).
 *
 * Every coordinate of the residual stream has a span that holds for all inputs of the domain at once:
 *
 *   lo, hi  where its value lies         err   how far a computed one may be from the value over the reals
 *   unit    it is a multiple of 2^unit (NONE: of nothing that is known)
 *
 * A sum of products of which all terms are multiples of 2^u and all sizes together are at most 2^(u+p) is exact in p bits in
 * whatever order, fused or not, since every partial sum is such a multiple, too. Any other sum of n terms of sizes M in all
 * errs by at most (n + 2) 2^-p M beyond the errors of what goes in (Higham 2002, 3.5; the 2 pays for products). Functions pass errors on by
 * their slopes: relu 1, the other activations 1.13, softmax as below. A norm divides by at least sqrt(eps). Of recurrent blocks nothing is
 * claimed: their error is infinite, and hard attention behind them is refused. */
#include "export_internal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define NONE (INT_MIN / 4)

typedef struct {
    double lo, hi, err;
    int unit;
} span;

typedef struct {
    const at_model *m;
    at_arena arena;
    at_err *err;
    int bits;       /* p of the numbers */
    double half;    /* 2^-p: error of one rounding, relative */
    double longest; /* positions, the most */
} sure;

static double size_of(const span *s)
{
    return fmax(fabs(s->lo), fabs(s->hi));
}

/* The largest u for which v is a multiple of 2^u; a large one for 0. */
static int unit_of(double v)
{
    int e;
    if (v == 0)
        return INT_MAX / 4;
    v = frexp(v, &e);
    for (e -= 53, v = ldexp(fabs(v), 53); fmod(v, 2) == 0; v /= 2)
        e++;
    return e;
}

static int unit_less(int a, int b)
{
    return a < b ? a : b;
}

static int unit_sum(int a, int b)
{
    return a == NONE || b == NONE ? NONE : a + b;
}

static span span_of(double v)
{
    return (span){v, v, 0, unit_of(v)};
}

static span hull(span a, span b)
{
    return (span){fmin(a.lo, b.lo), fmax(a.hi, b.hi), fmax(a.err, b.err), unit_less(a.unit, b.unit)};
}

/* ---- sums ------------------------------------------------------------------------------------------------ */

typedef struct {
    span s;      /* err: what went in */
    double size; /* of all terms */
    double n;
} total;

static const total nothing = {.s = {0, 0, 0, INT_MAX / 4}};

/* Adds a term: a span times a number, or a product of two. */
static void total_add(total *t, double w, const span *x)
{
    if (w == 0)
        return;
    t->s.lo += w > 0 ? w * x->lo : w * x->hi;
    t->s.hi += w > 0 ? w * x->hi : w * x->lo;
    t->s.err += fabs(w) * x->err;
    t->s.unit = unit_less(t->s.unit, unit_sum(unit_of(w), x->unit));
    t->size += fabs(w) * (size_of(x) + x->err);
    t->n++;
}

static span product(const span *a, const span *b)
{
    double c[] = {a->lo * b->lo, a->lo * b->hi, a->hi * b->lo, a->hi * b->hi};
    return (span){fmin(fmin(c[0], c[1]), fmin(c[2], c[3])), fmax(fmax(c[0], c[1]), fmax(c[2], c[3])),
                  size_of(a) * b->err + size_of(b) * a->err + a->err * b->err, unit_sum(a->unit, b->unit)};
}

static bool exact(const sure *c, int unit, double size)
{
    return unit != NONE && size <= ldexp(1, unit_less(unit, 900) + c->bits);
}

static span total_end(const sure *c, const total *t)
{
    span s = t->s;
    if (s.err > 0 || !exact(c, s.unit, t->size)) {
        s.err += (t->n + 2) * c->half * 1.01 * t->size;
        s.unit = NONE;
    }
    return s;
}

/* rows x columns matrix and bias (NULL: none) */
static at_status affine(sure *c, const double *w, const double *b, int rows, int columns, const span *x,
                        span **out)
{
    span *y = at_new(&c->arena, span, rows);
    if (!y)
        return at_oom(c->err);
    for (int r = 0; r < rows; r++) {
        total t = nothing;
        const double *row = w + (size_t)r * (size_t)columns;
        for (size_t k = at_weights_next(row, 0, (size_t)columns); k < (size_t)columns;
             k = at_weights_next(row, k + 1, (size_t)columns))
            total_add(&t, row[k], &x[k]);
        if (b)
            total_add(&t, 1, &(span){b[r], b[r], 0, unit_of(b[r])});
        y[r] = total_end(c, &t);
        if (!(fabs(y[r].lo) < INFINITY && fabs(y[r].hi) < INFINITY))
            y[r] = (span){-INFINITY, INFINITY, INFINITY, NONE};
    }
    *out = y;
    return AT_OK;
}

/* ---- attention --------------------------------------------------------------------------------------------- */

typedef struct {
    span *q, *k, *v, *k2, *v2;
} parts;

static span score_of(const sure *c, const at_group *g, const parts *p, int h)
{
    total t = nothing;
    for (int e = h * g->dk; e < (h + 1) * g->dk; e++) {
        span one = product(&p->q[e], &p->k[e]);
        if (p->k2)
            one = product(&one, &p->k2[e]);
        total_add(&t, 1, &one);
    }
    span s = total_end(c, &t);
    t = nothing;
    total_add(&t, g->scale, &s);
    return total_end(c, &t); /* posts neither round nor stretch */
}

/* What is mixed errs by what its values err, and by the error of the weights times their size. */
static span mixed(const sure *c, const span *v, double weights)
{
    span out = hull(*v, span_of(0)); /* a query that sees no key */
    out.err += (weights + (c->longest + 4) * c->half) * size_of(v) * 1.01;
    out.unit = NONE;
    return out;
}

static at_status hard_check(const sure *c, int b, int g, const span *score)
{
    const at_group *one = &c->m->blocks[b].groups[g];
    if (score->err == 0 || 2.02 * score->err < one->tie)
        return AT_OK;
    return at_fail(
        c->err, AT_EREFUSED,
        "block %d, group %d%s%s: %s with tie %g, and in %s its scores may err by %.2g: another order of "
        "summation may choose another key (exact scores, or a larger tie, can be exported)",
        b, g, one->name ? " " : "", one->name ? one->name : "", at_weighting_names[one->weighting], one->tie,
        c->bits == 24 ? "f32" : "f64", score->err);
}

/* Linear attention: by how much, relative to it, may a product of features err? */
static double phi_error(const sure *c, const at_group *g, const parts *p, int h)
{
    double least = 0, err = 0, all = 0;
    for (int e = h * g->dk; e < (h + 1) * g->dk; e++) {
        const span *q = &p->q[e], *k = &p->k[e];
        double ql = q->lo > 0 ? q->lo + 1 : at_exp(q->lo), kl = k->lo > 0 ? k->lo + 1 : at_exp(k->lo);
        double qh = fmax(q->hi, 0) + 1, kh = fmax(k->hi, 0) + 1;
        least += ql * kl;
        err += qh * (k->err + 4 * c->half * kh) + kh * (q->err + 4 * c->half * qh);
        all += qh * kh;
    }
    return 2 * (err + (g->dk + 2) * c->half * all) / least;
}

static at_status head(sure *c, int b, int gi, const parts *p, int h, span *out)
{
    const at_group *g = &c->m->blocks[b].groups[gi];
    double weights = 0; /* their error: sum of those of all keys */
    bool chosen = false;
    if (at_weighting_is(g->weighting, AT_IS_PHI))
        weights = phi_error(c, g, p, h);
    else {
        span s = score_of(c, g, p, h);
        double reach = fmin(2 * size_of(&s), 800); /* beyond, exp is 0 */
        if (at_weighting_is(g->weighting, AT_IS_EXP))
            weights = 2 * at_expm1(2 * s.err + (reach + 8) * c->half);
        else if (at_weighting_is(g->weighting, AT_IS_LEVEL))
            weights = 4 * c->longest * (s.err + 8 * c->half);
        else if (at_weighting_is(g->weighting, AT_IS_TIED)) {
            at_status st = hard_check(c, b, gi, &s);
            if (st)
                return st;
            chosen = at_weighting_is(g->weighting, AT_IS_ONE);
        } else
            weights = INFINITY;
    }
    for (int e = h * g->dv; e < (h + 1) * g->dv; e++) {
        span v = p->v2 ? product(&p->v[e], &p->v2[e]) : p->v[e];
        out[e] = chosen ? hull(v, span_of(0)) : mixed(c, &v, weights); /* one key with weight 1 is copied */
    }
    return AT_OK;
}

static at_status group(sure *c, int b, int gi, const span *y, span **out)
{
    const at_model *m = c->m;
    const at_group *g = &m->blocks[b].groups[gi];
    parts p = {NULL};
    const struct {
        int w, b, rows;
        span **to;
    } into[] = {{g->q, g->qb, g->heads * g->dk, &p.q},
                {g->k, g->kb, g->heads * g->dk, &p.k},
                {g->v, g->vb, g->heads * g->dv, &p.v},
                {g->k2, g->k2b, g->heads * g->dk, &p.k2},
                {g->v2, g->v2b, g->heads * g->dv, &p.v2}};
    at_status s = AT_OK;
    for (size_t k = 0; k < sizeof into / sizeof *into && !s; k++)
        if (into[k].w >= 0)
            s = affine(c, at_model_data(m, into[k].w), at_model_data(m, into[k].b), into[k].rows, m->width, y,
                       into[k].to);
    span *o = s ? NULL : at_new(&c->arena, span, g->heads * g->dv);
    if (!s && !o)
        s = at_oom(c->err);
    for (int h = 0; h < g->heads && !s; h++)
        s = head(c, b, gi, &p, h, o);
    return s ? s
             : affine(c, at_model_data(m, g->o), at_model_data(m, g->ob), m->width, g->heads * g->dv, o, out);
}

/* ---- the other blocks --------------------------------------------------------------------------------------- */

static void activate(const sure *c, at_act act, span *x, int n)
{
    for (int k = 0; k < n; k++)
        if (at_act_is(act, AT_IS_RELU))
            x[k].lo = fmax(0, x[k].lo), x[k].hi = fmax(0, x[k].hi);
        else /* all of them are above -0.28, and grow by at most 1.13 */
            x[k] = (span){fmin(-0.28, x[k].lo), fmax(0, x[k].hi),
                          1.13 * x[k].err + 16 * c->half * size_of(&x[k]), NONE};
}

/* One position, or all of them side by side, which have the same spans. */
static at_status dense(sure *c, const at_block *b, const span *y, span **out)
{
    const at_model *m = c->m;
    int64_t columns = at_block_inputs(m, b);
    span *z = at_new(&c->arena, span, columns);
    if (!z)
        return at_oom(c->err);
    for (int64_t k = 0; k < columns; k++)
        z[k] = y[k % m->width];
    for (int l = 0; l < b->n_dense; l++) {
        at_status s = affine(c, at_model_data(m, b->dense[l].w), at_model_data(m, b->dense[l].b),
                             b->dense[l].rows, (int)columns, z, &z);
        if (s)
            return s;
        columns = b->dense[l].rows;
        if (l < b->n_dense - 1)
            activate(c, b->act, z, (int)columns);
    }
    for (int64_t k = m->width; k < columns; k++)
        z[k % m->width] = hull(z[k % m->width], z[k]);
    *out = z;
    return AT_OK;
}

static void norm(const sure *c, span *x, double eps, const double *g, const double *b)
{
    int D = c->m->width;
    double err = 0, size = 0, root = sqrt(D), least = sqrt(eps);
    for (int k = 0; k < D; k++)
        err = fmax(err, x[k].err), size = fmax(size, size_of(&x[k]));
    double apart = 2 * err + 2 * (D + 3) * c->half * size; /* of x - mean */
    double below =
        (2 * 2 * size * apart + (D + 3) * c->half * 4 * size * size) / (2 * least); /* of the root */
    err = apart / least + root * below / least + 8 * c->half * root;
    for (int k = 0; k < D; k++) {
        total t = nothing;
        total_add(&t, g[k], &(span){-root, root, isfinite(err) ? err : INFINITY, NONE});
        total_add(&t, 1, &(span){b[k], b[k], 0, unit_of(b[k])});
        x[k] = total_end(c, &t);
    }
}

static at_status block(sure *c, int i, span *x)
{
    const at_model *m = c->m;
    const at_block *b = &m->blocks[i];
    span *y = at_new(&c->arena, span, m->width), *r = NULL;
    total *all = at_new(&c->arena, total, m->width);
    at_status s = y && all ? AT_OK : at_oom(c->err);
    if (s)
        return s;
    memcpy(y, x, (size_t)m->width * sizeof *y);
    if (b->norm == AT_NORM_PRE)
        norm(c, y, b->norm_eps, at_model_data(m, b->norm_g), at_model_data(m, b->norm_b));
    for (int k = 0; k < m->width; k++) {
        all[k] = nothing;
        if (b->residual)
            total_add(&all[k], 1, &x[k]);
    }
    for (int g = 0; g < (b->kind == AT_BLOCK_ATTN ? b->n_groups : 1) && !s; g++) {
        if (b->kind == AT_BLOCK_ATTN)
            s = group(c, i, g, y, &r);
        else if (at_block_dense(b))
            s = dense(c, b, y, &r);
        for (int k = 0; k < m->width && !s; k++)
            total_add(&all[k], 1, r ? &r[k] : &(span){-INFINITY, INFINITY, INFINITY, NONE});
    }
    for (int k = 0; k < m->width && !s; k++)
        x[k] = total_end(c, &all[k]);
    if (!s && b->norm == AT_NORM_POST)
        norm(c, x, b->norm_eps, at_model_data(m, b->norm_g), at_model_data(m, b->norm_b));
    return s;
}

/* ---- the embedding -------------------------------------------------------------------------------------------- */

/* What one of the rows of a table may add. */
static void rows_add(const at_model *m, const at_embed *e, int64_t rows, total *t)
{
    const double *w = at_model_data(m, e->tensor);
    for (int k = 0; k < e->width; k++) {
        span s = span_of(w[k]);
        for (int64_t r = 1; r < rows; r++)
            s = hull(s, span_of(w[r * e->width + k]));
        total_add(&t[e->col + k], 1, &s);
    }
}

static void features_add(const at_model *m, const at_embed *e, int rows, const span *f, total *t)
{
    const double *w = at_model_data(m, e->tensor);
    for (int k = 0; k < e->width; k++)
        for (int r = 0; r < rows; r++)
            total_add(&t[e->col + k], w[r * e->width + k], &f[r]);
}

static at_status field_add(sure *c, const at_field *f, total *t)
{
    const at_model *m = c->m;
    if (f->kind == AT_FIELD_TOKEN || f->kind == AT_FIELD_SUBSET) {
        rows_add(m, &f->embed, m->tensors[f->embed.tensor].shape[0], t);
        return AT_OK;
    }
    span *v = at_new(&c->arena, span, f->size);
    if (!v)
        return at_oom(c->err);
    for (int k = 0; k < f->size; k++)
        v[k] = (span){f->lo, f->hi, 0, f->kind == AT_FIELD_INT ? 0 : NONE};
    for (int k = 0; k < f->size; k++)
        if (!exact(c, v[k].unit, size_of(&v[k])))
            v[k].err = c->half * size_of(&v[k]), v[k].unit = NONE; /* rounded when it is given */
    features_add(m, &f->embed, f->size, v, t);
    return AT_OK;
}

static at_status position_add(sure *c, const at_pos *p, total *t)
{
    const at_model *m = c->m;
    if (at_pos_is(p->kind, AT_IS_ROWS)) {
        rows_add(m, &p->embed, p->size, t);
        return AT_OK;
    }
    int n = at_pos_features(p);
    span *f = at_new(&c->arena, span, n);
    if (!f)
        return at_oom(c->err);
    int64_t hidden = m->n_prefix + m->n_suffix, first = m->pos_origin, most = m->n_max + hidden;
    for (int k = 0; k < n; k++) {
        bool whole = at_pos_is(p->kind, AT_IS_WHOLE);
        double ends[] = {at_pos_value(p, k, first, most), at_pos_value(p, k, first + most - 1, most),
                         at_pos_value(p, k, first, hidden + m->n_min), whole && first < 0 ? 0 : 1};
        f[k] = span_of(ends[0]);
        for (int e = 1; e < 4; e++)
            f[k] = hull(f[k], span_of(ends[e]));
        if (!whole) /* -1..1, but where i/n has indices beyond T */
            f[k] = (span){-fmax(1, size_of(&f[k])), fmax(1, size_of(&f[k])), 0, NONE};
        else if (at_pos_is(p->kind, AT_IS_UNIT))
            f[k] = (span){-1, 1, 0, 0};
        else
            f[k].unit = 0;
        if (!exact(c, f[k].unit, size_of(&f[k])))
            f[k].err = 2 * c->half * size_of(&f[k]), f[k].unit = NONE;
    }
    features_add(m, &p->embed, n, f, t);
    return AT_OK;
}

/* Users' rows and hidden ones, which have the position in common. */
static at_status embedding(sure *c, span *x)
{
    const at_model *m = c->m;
    total *t[3];
    at_status s = AT_OK;
    for (int r = 0; r < 3; r++) {
        if (!(t[r] = at_new(&c->arena, total, m->width)))
            return at_oom(c->err);
        for (int k = 0; k < m->width; k++)
            t[r][k] = nothing;
    }
    for (int k = 0; k < m->n_fields && !s; k++)
        s = field_add(c, &m->fields[k], t[0]);
    if (m->n_prefix)
        rows_add(m, &m->prefix, m->n_prefix, t[1]);
    if (m->n_suffix)
        rows_add(m, &m->suffix, m->n_suffix, t[2]);
    const bool there[] = {true, m->n_prefix > 0, m->n_suffix > 0};
    for (int r = 0; r < 3 && !s; r++) {
        for (int k = 0; k < m->n_pos && !s && there[r]; k++)
            s = position_add(c, &m->pos[k], t[r]);
        for (int k = 0; k < m->width && !s && there[r]; k++)
            x[k] = r ? hull(x[k], total_end(c, &t[r][k])) : total_end(c, &t[r][k]);
    }
    return s;
}

at_status export_sure(const at_model *m, at_err *err)
{
    bool any = false;
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            any = any || at_weighting_hard(m->blocks[b].groups[g].weighting);
    if (!any)
        return AT_OK;
    sure c = {.m = m,
              .err = err,
              .bits = m->f32 ? 24 : 53,
              .half = ldexp(1, m->f32 ? -24 : -53),
              .longest = m->n_prefix + m->n_max + m->n_suffix};
    at_arena_init(&c.arena);
    span *x = at_new(&c.arena, span, m->width);
    at_status s = x ? embedding(&c, x) : at_oom(err);
    for (int b = 0; b < m->n_blocks && !s; b++) {
        at_mark mark = at_arena_mark(&c.arena);
        s = block(&c, b, x);
        at_arena_reset(&c.arena, mark);
        if (!s && at_cancel_pending())
            s = at_fail(err, AT_ECANCEL, "interrupted");
    }
    at_arena_release(&c.arena);
    return s;
}
