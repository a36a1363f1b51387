/* certify.c: "for all inputs of this size", by a case split, in ball arithmetic over the stored weights.
 *
 * Legend: N keys that users see, H hidden ones, a query token, b key tokens, s scaled scores, v values.
 * Classes of keys: 0 hits, 1 misses, 2 keys with a hidden part; three-wise attention counts pairs, and
 * class 2 are pairs of one seen and one hidden key, class 3 pairs of hidden keys.
 *
 * Why vertices suffice. The mean  sum n_k w_k v_k / sum n_k w_k  with w = e^s is, each with the others
 * fixed, monotone in every w_k and every v_k, and linear-fractional in n; so it is extreme at an end of each
 * s and v interval and at a vertex of {lo <= n <= hi, sum n = total}, where all n but one are at an end. */
#include "check_internal.h"
#include "../num/flint_compat.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PREC   128
#define BISECT 14 /* depth to which the mean's interval is split before the answer is Unknown */

/* ---- softmax hull ------------------------------------------------------------------------------------------ */

/* Rigorous double bounds of a ball, outward. */
static void ball_bounds(const arb_t x, double *lo, double *hi)
{
    double m = arf_get_d(arb_midref(x), ARF_RND_NEAR), r = mag_get_d(arb_radref(x));
    double slack = r * (1 + 0x1p-48) + fabs(m) * 0x1p-50 + DBL_MIN;
    *lo = m - slack;
    *hi = m + slack;
    if (!isfinite(m) || !isfinite(slack)) {
        *lo = -INFINITY;
        *hi = INFINITY;
    }
}

typedef struct {
    int n;
    uint64_t count[AT_KEY_CLASSES_MAX];
    arb_t w[AT_KEY_CLASSES_MAX][2]; /* e^(s - shift) at both ends of s */
    const at_key_class *k;
    double lo, hi; /* hull so far */
} hull;

/* The mean at the current counts, over all ends of the scores. */
static void hull_visit(hull *h)
{
    arb_t num, den, v, t;
    arb_init(num);
    arb_init(den);
    arb_init(v);
    arb_init(t);
    for (int side = 0; side < 2; side++) /* 0: largest values, 1: smallest */
        for (unsigned ends = 0; ends < 1u << h->n; ends++) {
            arb_zero(num);
            arb_zero(den);
            for (int k = 0; k < h->n; k++) {
                if (!h->count[k])
                    continue; /* an empty class has no score or value, not even a finite one */
                arb_mul_ui(t, h->w[k][ends >> k & 1], h->count[k], PREC);
                arb_add(den, den, t, PREC);
                arb_set_d(v, side ? h->k[k].value_lo : h->k[k].value_hi);
                arb_addmul(num, t, v, PREC);
            }
            double lo, hi;
            arb_div(t, num, den, PREC);
            ball_bounds(t, &lo, &hi);
            if (!side)
                h->hi = fmax(h->hi, hi);
            else
                h->lo = fmin(h->lo, lo);
        }
    arb_clear(num);
    arb_clear(den);
    arb_clear(v);
    arb_clear(t);
}

at_tri at_softmax_hull(const at_key_class *k, int n, uint64_t total, double *lo, double *hi)
{
    hull h = {.n = n, .k = k, .lo = INFINITY, .hi = -INFINITY};
    double shift = -INFINITY;
    for (int i = 0; i < n; i++)
        if (k[i].hi > 0)
            shift = fmax(shift, k[i].score_hi);
    if (n < 1 || n > AT_KEY_CLASSES_MAX || !isfinite(shift))
        return AT_UNKNOWN;
    arb_t c;
    arb_init(c);
    for (int i = 0; i < n; i++)
        for (int e = 0; e < 2; e++) {
            arb_init(h.w[i][e]);
            if (k[i].hi == 0)
                continue; /* an empty class: no score to speak of */
            arb_set_d(h.w[i][e], e ? k[i].score_hi : k[i].score_lo);
            arb_set_d(c, shift);
            arb_sub(h.w[i][e], h.w[i][e], c, PREC);
            arb_exp(h.w[i][e], h.w[i][e], PREC);
        }
    for (int free = 0; free < n; free++)
        for (unsigned ends = 0; ends < 1u << n; ends++) {
            if (ends >> free & 1)
                continue;
            uint64_t sum = 0;
            bool over = false;
            for (int i = 0; i < n; i++)
                if (i != free) {
                    h.count[i] = ends >> i & 1 ? k[i].hi : k[i].lo;
                    over = __builtin_add_overflow(sum, h.count[i], &sum) || over;
                }
            if (over || sum > total || total - sum < k[free].lo || total - sum > k[free].hi)
                continue;
            h.count[free] = total - sum;
            hull_visit(&h);
        }
    for (int i = 0; i < n; i++)
        for (int e = 0; e < 2; e++)
            arb_clear(h.w[i][e]);
    arb_clear(c);
    *lo = h.lo;
    *hi = h.hi;
    if (h.lo > h.hi)
        return AT_FALSE; /* no such counts */
    return isfinite(h.lo) && isfinite(h.hi) ? AT_TRUE : AT_UNKNOWN;
}

/* ---- balls over the stored weights -------------------------------------------------------------------------- */

/* y (rows) = W x + b over balls; W (rows, cols) and b are doubles. */
static void ball_affine(arb_ptr y, const double *W, const double *b, arb_srcptr x, int rows, int cols)
{
    arb_ptr w = _arb_vec_init(cols);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++)
            arb_set_d(w + c, W[(size_t)r * (size_t)cols + (size_t)c]);
        arb_t b0;
        arb_init(b0);
        if (b)
            arb_set_d(b0, b[r]);
        arb_dot(y + r, b ? b0 : NULL, 0, w, 1, x, 1, cols, PREC);
        arb_clear(b0);
    }
    _arb_vec_clear(w, cols);
}

static void ball_relu(arb_t x)
{
    if (arb_is_nonnegative(x))
        return;
    if (arb_is_nonpositive(x)) {
        arb_zero(x);
        return;
    }
    arf_t up, zero;
    arf_init(up);
    arf_init(zero);
    arb_get_ubound_arf(up, x, PREC);
    arb_set_interval_arf(x, zero, up, PREC);
    arf_clear(up);
    arf_clear(zero);
}

/* Key side of the attention layer for every token and hidden position. */
typedef struct {
    const at_model *m;
    const at_group *g;
    int tokens, hidden;
    bool three;
    arb_ptr q, k, k2; /* (tokens + hidden, dk) */
    arb_ptr v, v2;    /* (tokens + hidden) */
} layer;

static at_status layer_check(const at_model *m, int tokens, at_err *err)
{
    at_status s = at_model_takes(m, AT_IN_ANALYSE, "certificates by cases", err);
    if (s)
        return s;
    bool ok = m->n_fields == 1 && m->fields[0].kind == AT_FIELD_TOKEN && m->fields[0].size == tokens &&
              !m->n_pos && m->n_blocks >= 1 && m->blocks[0].kind == AT_BLOCK_ATTN &&
              m->blocks[0].n_groups == 1 && !m->blocks[0].residual && m->blocks[0].norm == AT_NORM_NONE &&
              m->readout.rows == 1 && !m->readout.final_norm && !m->readout.last &&
              m->readout.kind == AT_READ_THRESHOLD;
    if (ok) {
        const at_group *g = &m->blocks[0].groups[0];
        ok = at_weighting_parts[g->weighting].in & at_post_parts[g->post].in &
                 at_mask_parts[g->mask.kind].in & AT_IN_CERTIFY &&
             g->heads == 1 && g->dv == 1;
    }
    for (int b = 1; ok && b < m->n_blocks; b++)
        ok = m->blocks[b].kind == AT_BLOCK_MLP && m->blocks[b].norm == AT_NORM_NONE &&
             at_act_is(m->blocks[b].act, AT_IS_RELU);
    return ok ? AT_OK
              : at_fail(err, AT_EREFUSED,
                        "certificates need one softmax or three-wise head with one value over tokens, then "
                        "ReLU MLPs");
}

static void layer_release(layer *l)
{
    int n = l->tokens + l->hidden, dk = l->g->dk;
    _arb_vec_clear(l->q, n * dk);
    _arb_vec_clear(l->k, n * dk);
    _arb_vec_clear(l->k2, n * dk);
    _arb_vec_clear(l->v, n);
    _arb_vec_clear(l->v2, n);
}

static void layer_init(layer *l, const at_model *m)
{
    *l = (layer){.m = m,
                 .g = &m->blocks[0].groups[0],
                 .tokens = m->fields[0].size,
                 .hidden = m->n_prefix + m->n_suffix};
    l->three = at_weighting_is(l->g->weighting, AT_IS_PAIRS);
    int n = l->tokens + l->hidden, dk = l->g->dk, D = m->width;
    l->q = _arb_vec_init(n * dk);
    l->k = _arb_vec_init(n * dk);
    l->k2 = _arb_vec_init(n * dk);
    l->v = _arb_vec_init(n);
    l->v2 = _arb_vec_init(n);
    arb_ptr x = _arb_vec_init(D);
    for (int t = 0; t < n; t++) {
        int h = t - l->tokens;
        const at_embed *e = h < 0 ? &m->fields[0].embed : h < m->n_prefix ? &m->prefix : &m->suffix;
        int row = h < 0 ? t : h < m->n_prefix ? h : h - m->n_prefix;
        const double *src = at_model_data(m, e->tensor) + (size_t)row * (size_t)e->width;
        _arb_vec_zero(x, D);
        for (int c = 0; c < e->width; c++)
            arb_set_d(x + e->col + c, src[c]);
        ball_affine(l->q + t * dk, at_model_data(m, l->g->q), at_model_data(m, l->g->qb), x, dk, D);
        ball_affine(l->k + t * dk, at_model_data(m, l->g->k), at_model_data(m, l->g->kb), x, dk, D);
        ball_affine(l->v + t, at_model_data(m, l->g->v), at_model_data(m, l->g->vb), x, 1, D);
        if (l->three) {
            ball_affine(l->k2 + t * dk, at_model_data(m, l->g->k2), at_model_data(m, l->g->k2b), x, dk, D);
            ball_affine(l->v2 + t, at_model_data(m, l->g->v2), at_model_data(m, l->g->v2b), x, 1, D);
        }
    }
    _arb_vec_clear(x, D);
}

static void class_include(at_key_class *k, const arb_t s, const arb_t v)
{
    double lo, hi;
    ball_bounds(s, &lo, &hi);
    k->score_lo = fmin(k->score_lo, lo);
    k->score_hi = fmax(k->score_hi, hi);
    ball_bounds(v, &lo, &hi);
    k->value_lo = fmin(k->value_lo, lo);
    k->value_hi = fmax(k->value_hi, hi);
}

/* Hulls of the classes of keys for query token a; counts are left open. */
static int layer_classes(const layer *l, const at_params *p, const at_split *split, int a, at_key_class *k)
{
    int n = l->tokens + l->hidden, dk = l->g->dk, classes = l->three ? 4 : 3;
    for (int c = 0; c < classes; c++)
        k[c] = (at_key_class){0, 0, INFINITY, -INFINITY, INFINITY, -INFINITY};
    arb_ptr qa = _arb_vec_init(dk);
    arb_t s, v, scale;
    arb_init(s);
    arb_init(v);
    arb_init(scale);
    arb_set_d(scale, l->g->scale);
    _arb_vec_scalar_mul(qa, l->q + a * dk, dk, scale, PREC);
    if (!l->three)
        for (int b = 0; b < n; b++) {
            arb_dot(s, NULL, 0, qa, 1, l->k + b * dk, 1, dk, PREC);
            class_include(&k[b >= l->tokens ? 2 : split->hit(p, a, b, 0) ? 0 : 1], s, l->v + b);
        }
    else {
        arb_ptr alpha = _arb_vec_init(dk);
        for (int b1 = 0; b1 < n; b1++) {
            for (int c = 0; c < dk; c++)
                arb_mul(alpha + c, qa + c, l->k + b1 * dk + c, PREC);
            for (int b2 = 0; b2 < n; b2++) {
                int hidden = (b1 >= l->tokens) + (b2 >= l->tokens);
                arb_dot(s, NULL, 0, alpha, 1, l->k2 + b2 * dk, 1, dk, PREC);
                arb_mul(v, l->v + b1, l->v2 + b2, PREC);
                class_include(&k[hidden ? hidden + 1 : split->hit(p, a, b1, b2) ? 0 : 1], s, v);
            }
        }
        _arb_vec_clear(alpha, dk);
    }
    arb_clear(s);
    arb_clear(v);
    arb_clear(scale);
    _arb_vec_clear(qa, dk);
    return classes;
}

/* ---- the rest of the model, on a ball -------------------------------------------------------------------------- */

static void block_run(const at_model *m, const at_block *b, arb_ptr x)
{
    int D = m->width, cols = D;
    arb_ptr in = _arb_vec_init(D);
    _arb_vec_set(in, x, D);
    for (int l = 0; l < b->n_dense; l++) {
        int rows = b->dense[l].rows;
        arb_ptr y = _arb_vec_init(rows);
        ball_affine(y, at_model_data(m, b->dense[l].w), at_model_data(m, b->dense[l].b), in, rows, cols);
        _arb_vec_clear(in, cols);
        for (int r = 0; l + 1 < b->n_dense && r < rows; r++)
            ball_relu(y + r);
        in = y;
        cols = rows;
    }
    if (b->residual)
        _arb_vec_add(x, x, in, D, PREC);
    else
        _arb_vec_set(x, in, D);
    _arb_vec_clear(in, cols);
}

/* The readout when the attention's value lies in [lo,hi]. */
static void rest_run(const at_model *m, double lo, double hi, double *out_lo, double *out_hi)
{
    int D = m->width;
    const at_group *g = &m->blocks[0].groups[0];
    arf_t a, b;
    arb_t z, out;
    arf_init(a);
    arf_init(b);
    arb_init(z);
    arb_init(out);
    arf_set_d(a, lo);
    arf_set_d(b, hi);
    arb_set_interval_arf(z, a, b, PREC);
    arb_ptr x = _arb_vec_init(D);
    ball_affine(x, at_model_data(m, g->o), at_model_data(m, g->ob), z, D, 1);
    for (int k = 1; k < m->n_blocks; k++)
        block_run(m, &m->blocks[k], x);
    ball_affine(out, at_model_data(m, m->readout.w), at_model_data(m, m->readout.b), x, 1, D);
    ball_bounds(out, out_lo, out_hi);
    _arb_vec_clear(x, D);
    arf_clear(a);
    arf_clear(b);
    arb_clear(z);
    arb_clear(out);
}

static void rest_bisect(const at_model *m, double lo, double hi, int depth, const at_case *c,
                        at_case_bounds *r)
{
    double a, b, t = m->readout.threshold;
    rest_run(m, lo, hi, &a, &b);
    double margin = c->expected > 0.5 ? a - t : t - b;
    double mid = lo + (hi - lo) / 2;
    if (margin <= 0 && depth < BISECT && mid > lo && mid < hi && !(c->expected > 0.5 ? b < t : a > t)) {
        rest_bisect(m, lo, mid, depth + 1, c, r);
        if (r->holds == AT_TRUE)
            rest_bisect(m, mid, hi, depth + 1, c, r);
        return;
    }
    r->out_lo = fmin(r->out_lo, a);
    r->out_hi = fmax(r->out_hi, b);
    r->margin = fmin(r->margin, margin);
    if (!(margin > 0))
        r->holds = (c->expected > 0.5 ? b < t : a > t) ? AT_FALSE : AT_UNKNOWN;
}

static void case_run(const layer *l, const at_key_class *classes, int n, int N, const at_case *c,
                     at_case_bounds *r)
{
    at_key_class k[AT_KEY_CLASSES_MAX];
    memcpy(k, classes, (size_t)n * sizeof *k);
    uint64_t keys = (uint64_t)N, H = (uint64_t)l->hidden;
    uint64_t seen = l->three ? keys * keys : keys;
    uint64_t half = l->three ? 2 * keys * H : H;
    k[0].lo = c->lo;
    k[0].hi = k[0].score_lo > k[0].score_hi ? 0 : c->hi; /* no token is a hit */
    k[1].hi = k[1].score_lo > k[1].score_hi ? 0 : seen;
    k[2].lo = k[2].hi = half;
    if (l->three)
        k[3].lo = k[3].hi = H * H;
    uint64_t total = seen + half + (l->three ? H * H : 0);
    *r = (at_case_bounds){0, 0, INFINITY, -INFINITY, AT_TRUE, INFINITY};
    at_tri t = k[0].lo > k[0].hi ? AT_FALSE : at_softmax_hull(k, n, total, &r->mean_lo, &r->mean_hi);
    if (t != AT_TRUE) {
        r->holds = AT_UNKNOWN; /* a case that cannot occur, or a hull without bound: nothing is shown */
        r->margin = -INFINITY;
        return;
    }
    rest_bisect(l->m, r->mean_lo, r->mean_hi, 0, c, r);
}

at_status at_certify(const at_model *m, const at_params *p, const at_split *s, const at_case *cases,
                     size_t first, size_t end, at_case_bounds *bounds, at_err *err)
{
    at_status st = layer_check(m, s->tokens(p), err);
    if (st)
        return st;
    int N = at_params_int(p, "N");
    if (N < m->n_min || N > m->n_max)
        return at_fail(err, AT_EDOMAIN, "N=%d: the model takes lengths %d..%d", N, m->n_min, m->n_max);
    layer l;
    layer_init(&l, m);
    at_key_class k[AT_KEY_CLASSES_MAX];
    int query = -1, n = 0;
    for (size_t i = first; i < end; i++) {
        if (cases[i].query != query)
            n = layer_classes(&l, p, s, query = cases[i].query, k);
        case_run(&l, k, n, N, &cases[i], &bounds[i - first]);
    }
    layer_release(&l);
    return AT_OK;
}

size_t at_split_cases(const at_params *p, const at_split *s, at_case *out)
{
    size_t n = 0;
    for (int a = 0; a < s->tokens(p); a++) {
        uint64_t lo, hi;
        s->hits(p, a, &lo, &hi);
        at_case c[2] = {{a, 0, 0, 0}, {a, 1, hi, 1}};
        for (int k = lo > 0; k < 1 + (hi > 0); k++, n++)
            if (out)
                out[n] = c[k];
    }
    return n;
}

/* Cases of one query are listed together, by rising number of hits. */
at_status at_cases_complete(const at_params *p, const at_split *s, const at_case *cases, size_t n,
                            at_err *err)
{
    size_t i = 0;
    for (int a = 0; a < s->tokens(p); a++) {
        uint64_t lo, hi;
        s->hits(p, a, &lo, &hi);
        while (lo <= hi) {
            if (i >= n || cases[i].query != a || cases[i].lo != lo || cases[i].hi < lo)
                return at_fail(err, AT_EDOMAIN, "no case covers query %d with %ju hits", a, (uintmax_t)lo);
            lo = cases[i++].hi + 1;
        }
    }
    return i == n ? AT_OK : at_fail(err, AT_EDOMAIN, "a case covers nothing that can occur");
}

/* ---- the certificate as a verdict ---------------------------------------------------------------------------------- */

typedef struct {
    const at_model *m;
    const at_params *p;
    const at_split *s;
    at_case *cases;
    size_t n, per_piece;
} job;

static at_status certify_piece(void *ctx, uint64_t piece, int worker, at_piece *out, at_err *err)
{
    const job *j = ctx;
    (void)worker;
    size_t first = piece * j->per_piece, end = first + j->per_piece < j->n ? first + j->per_piece : j->n;
    at_case_bounds *b = at_calloc(end - first, sizeof *b);
    at_status s = b ? at_certify(j->m, j->p, j->s, j->cases, first, end, b, err) : at_oom(err);
    for (size_t i = first; !s && i < end && out->bad < 0; i++) {
        out->margin = fmin(out->margin, b[i - first].margin);
        out->inputs++;
        if (b[i - first].holds != AT_TRUE)
            piece_fail(out, i, false);
    }
    at_free(b);
    flint_cleanup(); /* this thread's caches */
    return s;
}

/* Inputs of length N over so many tokens, saturating: what the certificate covers. */
static uint64_t inputs_of_size(int tokens, int N)
{
    uint64_t n = 1;
    for (int i = 0; i < N; i++)
        if (__builtin_mul_overflow(n, (uint64_t)tokens, &n) || n > INT64_MAX)
            return INT64_MAX;
    return n;
}

at_status at_check_certified(const at_model *m, const at_params *p, const at_split *s,
                             const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = AT_EV_CERTIFIED, .margin = NAN, .note = s->text};
    job j = {.m = m, .p = p, .s = s, .n = at_split_cases(p, s, NULL)};
    j.cases = at_new(a, at_case, j.n);
    if (!j.cases)
        return at_oom(err);
    at_split_cases(p, s, j.cases);
    at_status st = at_cases_complete(p, s, j.cases, j.n, err);
    if (st)
        return st;
    bool three = m->n_blocks && m->blocks[0].n_groups &&
                 at_weighting_is(m->blocks[0].groups[0].weighting, AT_IS_PAIRS);
    double work = three ? (double)s->tokens(p) * s->tokens(p) : s->tokens(p);
    /* Even, so that both cases of a query usually share its scores. */
    j.per_piece = 2 * (size_t)fmax(1, floor(1e6 / (work + 2000)));
    at_piece sum;
    st = pieces_run((j.n + j.per_piece - 1) / j.per_piece, env, "certificate", false, certify_piece, &j, &sum,
                    err);
    if (!st && sum.bad >= 0 && (uint64_t)sum.bad >= j.n)
        st = at_fail(err, AT_EINPUT, "a kept piece names case %jd of %zu", (intmax_t)sum.bad, j.n);
    if (st)
        return st;
    out->margin = sum.margin;
    if (sum.bad < 0) {
        out->holds = AT_TRUE;
        out->inputs = inputs_of_size(s->tokens(p), at_params_int(p, "N"));
    } else {
        const at_case *c = &j.cases[sum.bad];
        out->note = at_arena_printf(a, "not certified: query %d with %ju..%ju hits", c->query,
                                    (uintmax_t)c->lo, (uintmax_t)c->hi);
    }
    return AT_OK;
}
