/* box_net.c: see box_net.h. How a unit is enclosed.
 *
 * Legend: d inputs, h units, R outputs, z argument of a unit, [zl, zh] where it lies on the box, r its half width.
 * G(z) = z Phi(z), G' = Phi + z phi, G'' = phi (2 - z^2), G''' = phi (z^3 - 4z).
 *
 *   Taylor   G(z0) + G'(z0)(z-z0) + G''(z0)(z-z0)^2/2  +-  r^3/6 sup|G'''|      when r is at most 3
 *   ReLU     z - [0, gap] for zl >= 0,  0 - [0, gap] for zh <= 0; across 0 either one, with [0, -zl] or [0, zh] more
 *
 * where gap = AT_GELU_GAP, or u Phi(-u) at the near end u when that is 1 or more: u Phi(-u) falls there, since
 * Phi(-u) <= phi(u)/u <= u phi(u). (A ReLU unit has gap 0.) The smaller remainder is taken. The second form also
 * works when z is unbounded. Halving a box makes Taylor's remainder eight times smaller. */
#include "box_net.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TAYLOR_MOST 3 /* half width beyond which Taylor is not tried */

/* ---- the network ------------------------------------------------------------------------------------ */

static at_status shape_check(const at_model *m, at_err *err)
{
    at_status s = at_model_takes(m, AT_IN_ANALYSE, "box certificates", err);
    if (s)
        return s;
    bool ok = m->n_blocks == 1 && m->blocks[0].kind == AT_BLOCK_MLP && m->blocks[0].n_dense == 2 &&
              m->blocks[0].norm == AT_NORM_NONE && !m->n_pos && !m->n_prefix && !m->n_suffix &&
              !m->readout.final_norm && !m->readout.last && m->readout.kind == AT_READ_RAW;
    for (int f = 0; ok && f < m->n_fields; f++)
        ok = m->fields[f].kind == AT_FIELD_REAL || m->fields[f].kind == AT_FIELD_INT;
    return ok ? AT_OK
              : at_fail(err, AT_EREFUSED,
                        "box certificates need one MLP with one hidden layer over real inputs, read raw");
}

/* C (rows, cols) = A (rows, inner) B (inner, cols), where A are doubles. */
static void matrix_times(arb_ptr C, const double *A, arb_srcptr B, int rows, int inner, int cols)
{
    arb_t w;
    arb_init(w);
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < inner; k++) {
            if (A[(size_t)r * (size_t)inner + (size_t)k] == 0)
                continue;
            arb_set_d(w, A[(size_t)r * (size_t)inner + (size_t)k]);
            for (int c = 0; c < cols; c++)
                arb_addmul(C + r * cols + c, w, B + k * cols + c, BOX_PREC);
        }
    arb_clear(w);
}

static void vector_add(arb_ptr x, const double *b, int n)
{
    arb_t t;
    arb_init(t);
    for (int k = 0; b && k < n; k++) {
        arb_set_d(t, b[k]);
        arb_add(x + k, x + k, t, BOX_PREC);
    }
    arb_clear(t);
}

at_status box_net_init(box_net *n, const at_model *m, at_err *err)
{
    at_status s = shape_check(m, err);
    if (s)
        return s;
    const at_block *b = &m->blocks[0];
    int d = at_model_row_width(m), D = m->width, h = b->dense[0].rows, R = m->readout.rows, row = 0;
    *n = (box_net){.d = d, .h = h, .R = R, .gelu = at_act_is(b->act, AT_IS_ERF)};
    n->lo = at_calloc(2 * (size_t)d, sizeof *n->lo);
    if (!n->lo)
        return at_oom(err);
    n->hi = n->lo + d;
    n->A = _arb_vec_init(h * d);
    n->a0 = _arb_vec_init(h);
    n->O = _arb_vec_init(R * h);
    n->L = _arb_vec_init(R * d);
    n->o0 = _arb_vec_init(R);
    arb_ptr E = _arb_vec_init(D * d), W = _arb_vec_init(D * h), b1 = _arb_vec_init(D);
    for (int f = 0; f < m->n_fields; f++) { /* E (D, d): the embedding */
        const at_field *x = &m->fields[f];
        const double *w = at_model_data(m, x->embed.tensor);
        for (int k = 0; k < x->size; k++, row++) {
            n->lo[row] = x->lo;
            n->hi[row] = x->hi;
            for (int c = 0; c < x->embed.width; c++)
                arb_set_d(E + (x->embed.col + c) * d + row, w[k * x->embed.width + c]);
        }
    }
    const double *w1 = at_model_data(m, b->dense[1].w), *read = at_model_data(m, m->readout.w);
    matrix_times(n->A, at_model_data(m, b->dense[0].w), E, h, D, d);
    vector_add(n->a0, at_model_data(m, b->dense[0].b), h);
    for (int k = 0; k < D * h; k++)
        arb_set_d(W + k, w1[k]);
    vector_add(b1, at_model_data(m, b->dense[1].b), D);
    matrix_times(n->O, read, W, R, D, h);
    if (b->residual)
        matrix_times(n->L, read, E, R, D, d);
    matrix_times(n->o0, read, b1, R, D, 1);
    vector_add(n->o0, at_model_data(m, m->readout.b), R);
    _arb_vec_clear(E, D * d);
    _arb_vec_clear(W, D * h);
    _arb_vec_clear(b1, D);
    return AT_OK;
}

static bool are_opposite(const box_net *n, int k, int l)
{
    arb_t t;
    arb_init(t);
    bool opposite = true;
    for (int i = n->d; i >= 0 && opposite; i--) { /* the bias first: it tells most units apart */
        arb_srcptr a = i < n->d ? n->A + k * n->d + i : n->a0 + k;
        arb_srcptr b = i < n->d ? n->A + l * n->d + i : n->a0 + l;
        arb_neg(t, b);
        opposite = arb_is_exact(a) && arb_equal(a, t);
    }
    arb_clear(t);
    return opposite;
}

at_status box_net_fold(box_net *n, at_err *err)
{
    bool *gone = at_calloc((size_t)n->h, sizeof *gone);
    if (!gone)
        return at_oom(err);
    for (int k = 0; k < n->h; k++)
        for (int l = k + 1; l < n->h && !gone[k]; l++) {
            if (gone[l] || !are_opposite(n, k, l))
                continue;
            gone[l] = true;
            for (int r = 0; r < n->R; r++) {
                arb_ptr o = n->O + r * n->h + l, to = n->O + r * n->h + k;
                arb_add(to, to, o, BOX_PREC);
                for (int i = 0; i < n->d; i++)
                    arb_submul(n->L + r * n->d + i, o, n->A + k * n->d + i, BOX_PREC);
                arb_submul(n->o0 + r, o, n->a0 + k, BOX_PREC);
                arb_zero(o);
            }
            break;
        }
    at_free(gone);
    return AT_OK;
}

void box_net_clear(box_net *n)
{
    _arb_vec_clear(n->A, n->h * n->d);
    _arb_vec_clear(n->a0, n->h);
    _arb_vec_clear(n->O, n->R * n->h);
    _arb_vec_clear(n->L, n->R * n->d);
    _arb_vec_clear(n->o0, n->R);
    at_free(n->lo);
}

/* ---- polynomials ------------------------------------------------------------------------------------- */

at_status box_poly_init(box_poly *q, int d, at_err *err)
{
    *q = (box_poly){.d = d, .lo = at_calloc(3 * (size_t)d, sizeof(double))};
    if (!q->lo)
        return at_oom(err);
    q->hi = q->lo + d;
    q->pull = q->hi + d;
    q->x0 = _arb_vec_init(d);
    q->rad = _arb_vec_init(d);
    q->g = _arb_vec_init(d);
    q->H = _arb_vec_init(d * d);
    arb_init(q->c);
    arb_init(q->rho);
    return AT_OK;
}

void box_poly_clear(box_poly *q)
{
    if (!q->lo)
        return;
    _arb_vec_clear(q->x0, q->d);
    _arb_vec_clear(q->rad, q->d);
    _arb_vec_clear(q->g, q->d);
    _arb_vec_clear(q->H, q->d * q->d);
    arb_clear(q->c);
    arb_clear(q->rho);
    at_free(q->lo);
}

static bool is_open(const box_poly *q, int i)
{
    return isinf(q->lo[i]) || isinf(q->hi[i]);
}

void box_poly_place(box_poly *q, const double *lo, const double *hi)
{
    arb_t t;
    arb_init(t);
    for (int i = 0; i < q->d; i++) {
        q->lo[i] = lo[i];
        q->hi[i] = hi[i];
        q->pull[i] = 0;
        arb_zero(q->rad + i);
        if (is_open(q, i)) {
            arb_set_d(q->x0 + i, isfinite(lo[i]) ? lo[i] : isfinite(hi[i]) ? hi[i] : 0);
            continue;
        }
        arb_set_d(q->x0 + i, lo[i]);
        arb_set_d(t, hi[i]);
        arb_sub(q->rad + i, t, q->x0 + i, ARF_PREC_EXACT);
        arb_add(q->x0 + i, t, q->x0 + i, ARF_PREC_EXACT);
        arb_mul_2exp_si(q->rad + i, q->rad + i, -1);
        arb_mul_2exp_si(q->x0 + i, q->x0 + i, -1);
    }
    arb_clear(t);
    arb_zero(q->c);
    arb_zero(q->rho);
    _arb_vec_zero(q->g, q->d);
    _arb_vec_zero(q->H, q->d * q->d);
}

/* ---- units ------------------------------------------------------------------------------------------------ */

/* A unit on a box: g[0] + g[1](z-z0) + g[2](z-z0)^2/2 +- rho. */
typedef struct {
    arb_t g[3], rho;
} relaxation;

/* Phi and phi at z. */
void box_normal(arb_t Phi, arb_t phi, const arb_t z)
{
    arb_t t;
    arb_init(t);
    arb_sqr(t, z, BOX_PREC);
    arb_mul_2exp_si(t, t, -1);
    arb_neg(t, t);
    arb_exp(phi, t, BOX_PREC);
    arb_const_pi(t, BOX_PREC);
    arb_mul_2exp_si(t, t, 1);
    arb_sqrt(t, t, BOX_PREC);
    arb_div(phi, phi, t, BOX_PREC);
    arb_set_d(t, 0.5);
    arb_sqrt(t, t, BOX_PREC);
    arb_mul(t, t, z, BOX_PREC);
    arb_neg(t, t);
    arb_hypgeom_erfc(Phi, t, BOX_PREC);
    arb_mul_2exp_si(Phi, Phi, -1);
    arb_clear(t);
}

/* rho = sup |G'''| r^3 / 6 on z0 +- r. */
static void taylor(relaxation *u, const arb_t z0, const arb_t r)
{
    arb_t Phi, phi, all, t;
    arb_init(Phi);
    arb_init(phi);
    arb_init(all);
    arb_init(t);
    box_normal(Phi, phi, z0);
    arb_mul(u->g[0], z0, Phi, BOX_PREC);
    arb_mul(u->g[1], z0, phi, BOX_PREC);
    arb_add(u->g[1], u->g[1], Phi, BOX_PREC);
    arb_sqr(t, z0, BOX_PREC);
    arb_sub_ui(t, t, 2, BOX_PREC);
    arb_neg(t, t);
    arb_mul(u->g[2], t, phi, BOX_PREC);
    arb_set(all, z0);
    arb_add_error(all, r);
    box_normal(Phi, phi, all);
    arb_sqr(t, all, BOX_PREC);
    arb_sub_ui(t, t, 4, BOX_PREC);
    arb_mul(t, t, all, BOX_PREC);
    arb_mul(t, t, phi, BOX_PREC);
    arb_abs(t, t);
    arb_get_abs_ubound_arf(arb_midref(t), t, BOX_PREC);
    mag_zero(arb_radref(t));
    arb_pow_ui(u->rho, r, 3, BOX_PREC);
    arb_mul(u->rho, u->rho, t, BOX_PREC);
    arb_div_ui(u->rho, u->rho, 6, BOX_PREC);
    arb_clear(Phi);
    arb_clear(phi);
    arb_clear(all);
    arb_clear(t);
}

/* At least u Phi(-u) for all u >= near. */
static void gap_from(arb_t gap, const arb_t near, bool gelu)
{
    arb_t phi, one, sixteen;
    arb_init(phi);
    arb_init(one);
    arb_init(sixteen);
    arb_one(one);
    arb_set_ui(sixteen, 16);
    if (!gelu)
        arb_zero(gap);
    else if (arb_ge(near, sixteen))
        arb_set_d(gap, 0x1p-180); /* u Phi(-u) <= phi(u) <= phi(16) < e^-128 */
    else if (arb_ge(near, one)) {
        arb_neg(one, near);
        box_normal(gap, phi, one);
        arb_mul(gap, gap, near, BOX_PREC);
    } else
        arb_set_d(gap, AT_GELU_GAP);
    arb_clear(phi);
    arb_clear(one);
    arb_clear(sixteen);
}

/* lo, hi: the ends of z, of which open[0], open[1] are infinite. The polynomial is about z0. */
static bool like_relu(relaxation *u, const arb_t z0, const arb_t lo, const arb_t hi, const bool open[2],
                      bool gelu)
{
    bool up = !open[0] && arb_is_nonnegative(lo), down = !open[1] && arb_is_nonpositive(hi), linear = up;
    arb_t more, near;
    arb_init(more);
    arb_init(near);
    if (up)
        arb_set(near, lo);
    else if (down)
        arb_neg(near, hi);
    else if (open[0] && open[1]) {
        arb_clear(more);
        arb_clear(near);
        return false;
    } else { /* across 0: z + [0, -lo], or 0 + [0, hi] */
        arb_neg(more, lo);
        linear = open[1] || (!open[0] && arb_lt(more, hi));
        if (!linear)
            arb_set(more, hi);
        arb_nonnegative_part(more, more);
    }
    gap_from(u->rho, near, gelu);
    /* [0, more] - [0, gap]: middle (more - gap)/2, radius (more + gap)/2 */
    arb_sub(u->g[0], more, u->rho, BOX_PREC);
    arb_add(u->rho, more, u->rho, BOX_PREC);
    arb_mul_2exp_si(u->g[0], u->g[0], -1);
    arb_mul_2exp_si(u->rho, u->rho, -1);
    arb_zero(u->g[1]);
    arb_zero(u->g[2]);
    if (linear) {
        arb_add(u->g[0], u->g[0], z0, BOX_PREC);
        arb_one(u->g[1]);
    }
    arb_clear(more);
    arb_clear(near);
    return true;
}

/* Adds O_rk act(A_k x + a0_k). scratch: two relaxations. false: not even bounded. */
static bool unit_add(box_poly *q, const box_net *n, int r, int k, relaxation s[2])
{
    arb_srcptr A = n->A + k * n->d, O = n->O + r * n->h + k;
    arb_t z0, half, lo, hi, t;
    bool open[2] = {false, false};
    arb_init(z0);
    arb_init(half);
    arb_init(lo);
    arb_init(hi);
    arb_init(t);
    arb_dot(z0, n->a0 + k, 0, A, 1, q->x0, 1, n->d, BOX_PREC);
    for (int i = 0; i < n->d; i++) {
        arb_abs(t, A + i);
        arb_addmul(half, t, q->rad + i, BOX_PREC);
        if (arb_is_zero(A + i) || !is_open(q, i))
            continue;
        bool positive = arb_is_positive(A + i), negative = arb_is_negative(A + i);
        open[0] = open[0] || (isinf(q->lo[i]) && !negative) || (isinf(q->hi[i]) && !positive);
        open[1] = open[1] || (isinf(q->lo[i]) && !positive) || (isinf(q->hi[i]) && !negative);
    }
    arb_sub(lo, z0, half, BOX_PREC);
    arb_add(hi, z0, half, BOX_PREC);
    bool ok = like_relu(&s[0], z0, lo, hi, open, n->gelu);
    relaxation *u = &s[0];
    arb_set_ui(t, TAYLOR_MOST);
    bool rough = !ok || arf_cmp_d(arb_midref(s[0].rho), 0x1p-100) > 0;
    if (rough && n->gelu && !open[0] && !open[1] && arb_le(half, t)) {
        taylor(&s[1], z0, half);
        if (!ok || arf_cmp(arb_midref(s[1].rho), arb_midref(s[0].rho)) < 0)
            u = &s[1];
        ok = true;
    }
    if (ok) {
        arb_addmul(q->c, O, u->g[0], BOX_PREC);
        for (int i = 0; i < n->d; i++) {
            if (arb_is_zero(A + i))
                continue;
            arb_mul(t, u->g[1], O, BOX_PREC);
            arb_addmul(q->g + i, t, A + i, BOX_PREC);
            arb_mul(t, u->g[2], O, BOX_PREC);
            arb_mul(t, t, A + i, BOX_PREC);
            for (int j = 0; j < n->d && !arb_is_zero(t); j++)
                arb_addmul(q->H + i * n->d + j, t, A + j, BOX_PREC);
        }
        arb_abs(t, O);
        arb_mul(t, t, u->rho, BOX_PREC);
        arb_add(q->rho, q->rho, t, BOX_PREC);
        double part = arf_get_d(arb_midref(t), ARF_RND_NEAR),
               whole = arf_get_d(arb_midref(half), ARF_RND_NEAR);
        for (int i = 0; i < n->d; i++) {
            double w = fabs(arf_get_d(arb_midref(A + i), ARF_RND_NEAR)) *
                       arf_get_d(arb_midref(q->rad + i), ARF_RND_NEAR);
            q->pull[i] += whole > 0 ? part * w / whole : 0;
        }
    }
    for (int i = 0; i < n->d; i++) /* an open side that keeps the unit from having a sign */
        if (is_open(q, i) && !arb_is_zero(A + i) && !(arb_is_nonnegative(lo) && !open[0]) &&
            !(arb_is_nonpositive(hi) && !open[1]))
            q->pull[i] = INFINITY;
    arb_clear(z0);
    arb_clear(half);
    arb_clear(lo);
    arb_clear(hi);
    arb_clear(t);
    return ok;
}

void box_poly_add_output(box_poly *q, const box_net *n, int r)
{
    relaxation s[2];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            arb_init(s[k].g[i]);
        arb_init(s[k].rho);
    }
    arb_add(q->c, q->c, n->o0 + r, BOX_PREC);
    for (int i = 0; i < n->d; i++) {
        arb_addmul(q->c, n->L + r * n->d + i, q->x0 + i, BOX_PREC);
        arb_add(q->g + i, q->g + i, n->L + r * n->d + i, BOX_PREC);
    }
    for (int k = 0; k < n->h; k++)
        if (!arb_is_zero(n->O + r * n->h + k) && !unit_add(q, n, r, k, s))
            arb_pos_inf(q->rho);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            arb_clear(s[k].g[i]);
        arb_clear(s[k].rho);
    }
}

void box_poly_sub(box_poly *q, double c, const double *g, const double *H)
{
    int d = q->d;
    arb_t t, e;
    arb_init(t);
    arb_init(e);
    arb_set_d(t, c);
    arb_sub(q->c, q->c, t, BOX_PREC);
    for (int i = 0; i < d; i++) {
        /* c: g_i x0_i + x0_i (H x0)_i / 2; g: g_i + (H x0)_i */
        arb_zero(e);
        for (int j = 0; j < d; j++) {
            if (H[i * d + j] == 0)
                continue;
            arb_set_d(t, H[i * d + j]);
            arb_sub(q->H + i * d + j, q->H + i * d + j, t, BOX_PREC);
            arb_addmul(e, t, q->x0 + j, BOX_PREC);
        }
        arb_set_d(t, g[i]);
        arb_sub(q->g + i, q->g + i, t, BOX_PREC);
        arb_sub(q->g + i, q->g + i, e, BOX_PREC);
        arb_mul_2exp_si(e, e, -1);
        arb_add(t, t, e, BOX_PREC);
        arb_submul(q->c, t, q->x0 + i, BOX_PREC);
    }
    arb_clear(t);
    arb_clear(e);
}

double box_poly_size(const box_poly *q)
{
    arb_t sum, t;
    arb_init(sum);
    arb_init(t);
    arb_abs(sum, q->c);
    arb_add(sum, sum, q->rho, BOX_PREC);
    bool bounded = true;
    for (int i = 0; i < q->d; i++) {
        bounded = bounded && (!is_open(q, i) || arb_is_zero(q->g + i));
        arb_abs(t, q->g + i);
        arb_addmul(sum, t, q->rad + i, BOX_PREC);
        for (int j = 0; j < q->d; j++) {
            if (arb_is_zero(q->H + i * q->d + j))
                continue;
            bounded = bounded && !is_open(q, i) && !is_open(q, j);
            arb_abs(t, q->H + i * q->d + j);
            arb_mul(t, t, q->rad + i, BOX_PREC);
            arb_mul_2exp_si(t, t, -1);
            arb_addmul(sum, t, q->rad + j, BOX_PREC);
        }
    }
    arf_t up;
    arf_init(up);
    arb_get_ubound_arf(up, sum, BOX_PREC);
    double most = bounded && arb_is_finite(sum) ? arf_get_d(up, ARF_RND_CEIL) : INFINITY;
    arf_clear(up);
    arb_clear(sum);
    arb_clear(t);
    return most;
}

void box_poly_blame(const box_poly *q, double weight, double *pull)
{
    for (int i = 0; i < q->d; i++) {
        double r = arf_get_d(arb_midref(q->rad + i), ARF_RND_NEAR), own = q->pull[i];
        double slope = fabs(arf_get_d(arb_midref(q->g + i), ARF_RND_NEAR)) * r;
        for (int j = 0; j < q->d && r > 0; j++)
            slope += arb_is_zero(q->H + i * q->d + j)
                         ? 0
                         : fabs(arf_get_d(arb_midref(q->H + i * q->d + j), ARF_RND_NEAR)) * r *
                               arf_get_d(arb_midref(q->rad + j), ARF_RND_NEAR);
        pull[i] += isfinite(weight) ? (own + slope) * weight : own + slope;
    }
}
