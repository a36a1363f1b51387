/* certify_box.c: "for all real inputs of these boxes", by halving boxes. The enclosures are in box_net.c.
 *
 * A case is one box of the domain. Errors are measured as at_check measures them, by the Euclidean norm over the outputs,
 * so a certified model is never wrong for a sampled check. The tree of halves is walked in a fixed order: a box on which
 * the root of the sum of the outputs' squared bounds is at most the tolerance is done; else it is halved across the side
 * that this depends on most, the midpoints of the halves are looked at (a point that is surely wrong ends the case), and
 * the half with the larger error there comes first: what is wrong is found soon. Cases are independent and pieces are
 * runs of cases, so neither threads nor interruptions change the result.
 *
 * A ReLU network as the answer (lemma A.2) needs no boxes: when the weights are those of the network up to exact
 * scaling, model minus answer is a sum of O_k (gelu(z_k) - relu(z_k)), each factor in [-gap, 0], for every input. */
#include "box_net.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BOUNDS_MOST 40000 /* of an output on a box, in one case, before the answer is Unknown */
#define DEPTH_MOST  200
#define CASES       4    /* of a piece */
#define TRIES       2000 /* inputs drawn in search of a counterexample */

/* ---- the constant --------------------------------------------------------------------------------------------- */

/* u Phi(-u) about the middle of [a, b]: |value| <= |at the middle| + |derivative| (b-a)/2, where the derivative is
 * Phi(-u) - u phi(u). */
static void gap_on(double a, double b, double *lo, double *hi)
{
    arb_t m, all, Phi, phi, t;
    arb_init(m);
    arb_init(all);
    arb_init(Phi);
    arb_init(phi);
    arb_init(t);
    arb_set_d(m, (a + b) / 2);
    arb_set(all, m);
    mag_set_d(arb_radref(all), (b - a) / 2); /* dyadic ends of few bits: exact */
    arb_neg(t, m);
    box_normal(Phi, phi, t);
    arb_mul(m, m, Phi, BOX_PREC);
    arb_neg(t, all);
    box_normal(Phi, phi, t);
    arb_submul(Phi, all, phi, BOX_PREC);
    arb_set_d(t, (b - a) / 2);
    arb_mul(t, t, Phi, BOX_PREC);
    arb_abs(t, t);
    arf_t end;
    arf_init(end);
    arb_get_lbound_arf(end, m, BOX_PREC);
    *lo = arf_get_d(end, ARF_RND_FLOOR);
    arb_add(m, m, t, BOX_PREC);
    arb_get_ubound_arf(end, m, BOX_PREC);
    *hi = arf_get_d(end, ARF_RND_CEIL);
    arf_clear(end);
    arb_clear(m);
    arb_clear(all);
    arb_clear(Phi);
    arb_clear(phi);
    arb_clear(t);
}

/* On [0,1] in steps of 2^-9; beyond 1 it falls (box_net.c), and 1 belongs to the last step. */
void at_gelu_gap(double *lo, double *hi)
{
    *lo = *hi = 0;
    for (int k = 0; k < 512; k++) {
        double a, b;
        gap_on(k * 0x1p-9, (k + 1) * 0x1p-9, &a, &b);
        *lo = fmax(*lo, a);
        *hi = fmax(*hi, b);
    }
    flint_cleanup();
}

/* ---- one case --------------------------------------------------------------------------------------------------- */

typedef struct {
    const at_params *p;
    const at_box *b;
    const box_net *net;
    double tolerance;
    size_t cases;
} job;

typedef struct {
    const job *j;
    size_t box;
    box_poly q;
    double c, *g, *H; /* the answer of one output */
    double *pull;     /* (d) what halving a side is worth, over all outputs */
    double *witness;  /* (d) a point that is surely wrong */
    uint64_t looked;  /* boxes */
    double most;      /* largest bound of a finished box */
} walk;

/* Model minus answer of output r on a box. */
static void error_on(walk *w, int r, const double *lo, const double *hi)
{
    int d = w->j->net->d;
    box_poly_place(&w->q, lo, hi);
    box_poly_add_output(&w->q, w->j->net, r);
    w->c = 0;
    memset(w->g, 0, ((size_t)d + (size_t)d * (size_t)d) * sizeof *w->g); /* g and H */
    w->j->b->answer(w->j->p, w->box, r, &w->c, w->g, w->H);
    box_poly_sub(&w->q, w->c, w->g, w->H);
}

/* A square root that errs to one side: sqrt is correctly rounded, n terms were summed. */
static double root(double squares, int n, bool up)
{
    return up ? nextafter(sqrt(squares * (1 + (n + 2) * 0x1p-52)), INFINITY)
              : sqrt(squares) * (1 - (n + 2) * 0x1p-52);
}

/* At least the largest distance on a box; pull says how much of it each side is to blame for. */
static double bound_on(walk *w, const double *lo, const double *hi)
{
    double squares = 0;
    memset(w->pull, 0, (size_t)w->j->net->d * sizeof *w->pull);
    for (int r = 0; r < w->j->net->R; r++) {
        error_on(w, r, lo, hi);
        double size = box_poly_size(&w->q);
        if (w->j->net->R == 1)
            squares = size;
        else if (size > 0)
            squares += fmax(size * size, DBL_MIN); /* what underflows counts too */
        box_poly_blame(&w->q, size, w->pull);
    }
    return w->j->net->R == 1 ? squares : squares > 0 ? root(squares, w->j->net->R, true) : 0;
}

/* A point inside an interval with open ends. */
static double middle(double lo, double hi)
{
    if (isinf(lo) && isinf(hi))
        return 0;
    if (isinf(hi))
        return lo + fmax(fabs(lo), 1);
    if (isinf(lo))
        return hi - fmax(fabs(hi), 1);
    return lo + (hi - lo) / 2;
}

/* At most the error at the middle of a box, or at its finite end. When it is too large the point is the witness. */
static double spot_error(walk *w, const double *lo, const double *hi)
{
    for (int i = 0; i < w->j->net->d; i++) {
        double x = isinf(lo[i]) != isinf(hi[i]) ? (isinf(lo[i]) ? hi[i] : lo[i]) : middle(lo[i], hi[i]);
        w->witness[i] = fmin(fmax(x, w->j->net->lo[i]), w->j->net->hi[i]);
        if (w->witness[i] < lo[i] || w->witness[i] > hi[i])
            return 0; /* the model does not take it */
    }
    double squares = 0;
    arb_t t;
    arf_t end;
    arb_init(t);
    arf_init(end);
    for (int r = 0; r < w->j->net->R; r++) {
        error_on(w, r, w->witness, w->witness);
        arb_abs(t, w->q.c);
        arb_sub(t, t, w->q.rho, BOX_PREC);
        arb_get_lbound_arf(end, t, BOX_PREC);
        double error = fmax(arf_get_d(end, ARF_RND_FLOOR), 0);
        squares += error * error;
    }
    arf_clear(end);
    arb_clear(t);
    return root(squares, w->j->net->R, false);
}

/* The side to halve: infinite ones first. -1: every side is a point. */
static int side_of(const walk *w, const double *lo, const double *hi)
{
    int best = -1;
    for (int i = 0; i < w->j->net->d; i++) {
        bool splits = isinf(lo[i]) || isinf(hi[i]) || lo[i] + (hi[i] - lo[i]) / 2 > lo[i];
        if (splits && (best < 0 || w->pull[i] > w->pull[best]))
            best = i;
    }
    return best;
}

/* lo, hi: (DEPTH_MOST + 2, d) rows of a stack, of which the first is the case's box. */
static at_tri walk_run(walk *w, double *lo, double *hi)
{
    int d = w->j->net->d, top = 1;
    size_t row = (size_t)d * sizeof *lo;
    if (spot_error(w, lo, hi) > w->j->tolerance)
        return AT_FALSE;
    while (top > 0) {
        double *a = lo + (top - 1) * d, *b = hi + (top - 1) * d;
        double bound = bound_on(w, a, b);
        w->looked++;
        if (bound <= w->j->tolerance) {
            w->most = fmax(w->most, bound);
            top--;
            continue;
        }
        int side = side_of(w, a, b);
        if (side < 0 || top > DEPTH_MOST || w->looked * (uint64_t)w->j->net->R > BOUNDS_MOST)
            return AT_UNKNOWN;
        double from = a[side], to = b[side], cut = middle(from, to);
        memcpy(a + d, a, row);
        memcpy(b + d, b, row);
        b[side] = a[d + side] = cut;
        double low = spot_error(w, a, b);
        if (low > w->j->tolerance)
            return AT_FALSE;
        double high = spot_error(w, a + d, b + d);
        if (high > w->j->tolerance)
            return AT_FALSE;
        if (low > high) { /* the last one comes first */
            a[side] = cut;
            b[side] = to;
            a[d + side] = from;
            b[d + side] = cut;
        }
        top++;
    }
    return AT_TRUE;
}

/* Case number k; x (d) receives a witness when the answer is FALSE. */
static at_status case_run(const job *j, size_t k, at_tri *holds, double *margin, uint64_t *boxes, double *x,
                          at_err *err)
{
    int d = j->net->d;
    walk w = {.j = j, .box = k, .witness = x};
    size_t rows = DEPTH_MOST + 2;
    double *all = at_calloc((2 * rows + 2 + (size_t)d) * (size_t)d, sizeof *all);
    at_status s = all ? box_poly_init(&w.q, d, err) : at_oom(err);
    if (!s) {
        double *lo = all, *hi = lo + rows * (size_t)d;
        w.g = hi + rows * (size_t)d;
        w.H = w.g + d;
        w.pull = w.H + (size_t)d * (size_t)d;
        j->b->box(j->p, w.box, lo, hi);
        *holds = walk_run(&w, lo, hi);
        *margin = *holds == AT_TRUE ? j->tolerance - w.most : -INFINITY;
        *boxes = w.looked;
    }
    box_poly_clear(&w.q);
    at_free(all);
    return s;
}

static at_status box_piece(void *ctx, uint64_t piece, int worker, at_piece *out, at_err *err)
{
    const job *j = ctx;
    (void)worker;
    size_t end = (piece + 1) * CASES < j->cases ? (piece + 1) * CASES : j->cases;
    at_status s = AT_OK;
    for (size_t k = piece * CASES; k < end && !s && out->bad < 0; k++) {
        double x[AT_BOX_INPUTS], margin = 0;
        at_tri holds = AT_UNKNOWN;
        uint64_t boxes = 0;
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                : case_run(j, k, &holds, &margin, &boxes, x, err);
        out->inputs += boxes;
        if (holds == AT_TRUE)
            out->margin = fmin(out->margin, margin);
        else
            piece_fail(out, k, false);
    }
    flint_cleanup(); /* this thread's caches */
    return s;
}

/* ---- a ReLU network as the answer ----------------------------------------------------------------------------- */

/* Is y = t x exactly, for the doubles x and the balls y? */
static bool is_scaled(arb_srcptr y, const double *x, int n, const arb_t t)
{
    arb_t v;
    arb_init(v);
    bool same = true;
    for (int k = 0; k < n && same; k++) {
        arb_set_d(v, x[k]);
        arb_mul(v, v, t, BOX_PREC);
        same = arb_is_exact(v) && arb_is_exact(y + k) && arb_equal(v, y + k);
    }
    arb_clear(v);
    return same;
}

/* The lambda of unit k, from its first weight that is not 0. */
static bool unit_scale(const box_net *n, const at_twin *t, int k, arb_t lambda)
{
    const double *w = t->w1 + (size_t)k * (size_t)n->d;
    arb_t v;
    arb_init(v);
    arb_one(lambda);
    for (int i = n->d; i >= 0; i--) {
        double one = i < n->d ? w[i] : t->b1[k];
        arb_set_d(v, one);
        if (one != 0)
            arb_div(lambda, i < n->d ? n->A + k * n->d + i : n->a0 + k, v, BOX_PREC);
    }
    arb_clear(v);
    return arb_is_positive(lambda) && is_scaled(n->A + k * n->d, w, n->d, lambda) &&
           is_scaled(n->a0 + k, t->b1 + k, 1, lambda);
}

/* At least the largest distance of model and network, over all inputs; INFINITY when the weights are others. */
static double twin_bound(const box_net *n, const at_twin *t)
{
    double squares = 0;
    arb_t lambda, plus, minus, gap, v;
    arb_init(lambda);
    arb_init(plus);
    arb_init(minus);
    arb_init(gap);
    arb_init(v);
    arb_set_d(gap, AT_GELU_GAP);
    for (int r = 0; r < n->R; r++) {
        arb_zero(plus);
        arb_zero(minus);
        bool same = t->units == n->h;
        for (int i = 0; i < n->d; i++)
            same = same && arb_is_zero(n->L + r * n->d + i);
        for (int k = 0; k < n->h && same; k++) {
            arb_srcptr O = n->O + r * n->h + k;
            same = unit_scale(n, t, k, lambda);
            arb_mul(v, O, lambda, BOX_PREC);
            arb_set_d(lambda, t->w2[r * n->h + k]);
            same = same && arb_is_exact(v) && arb_equal(v, lambda);
            if (arb_is_positive(O))
                arb_addmul(plus, O, gap, BOX_PREC);
            else
                arb_submul(minus, O, gap, BOX_PREC);
        }
        arb_max(plus, plus, minus, BOX_PREC);
        arb_set_d(v, t->b2[r]);
        arb_sub(v, v, n->o0 + r, BOX_PREC);
        arb_abs(v, v);
        arb_add(plus, plus, v, BOX_PREC);
        arf_t end;
        arf_init(end);
        arb_get_ubound_arf(end, plus, BOX_PREC);
        double most = same ? arf_get_d(end, ARF_RND_CEIL) : INFINITY;
        squares += most * most;
        arf_clear(end);
    }
    arb_clear(lambda);
    arb_clear(plus);
    arb_clear(minus);
    arb_clear(gap);
    arb_clear(v);
    return root(squares, n->R, true);
}

/* ---- the verdict --------------------------------------------------------------------------------------------------- */

/* A counterexample from the witness x (d), or, when x is NULL, from inputs drawn near the boundary. */
static at_status refute(const at_model *m, const at_task *t, const at_params *tp, double tolerance,
                        const double *x, const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    at_question q = {.evidence = AT_EV_SAMPLED,
                     .arith = {AT_BALL, BOX_PREC, 0},
                     .limit = TRIES,
                     .seed = 1,
                     .tolerance = tolerance};
    bool confirmed = false;
    at_status s;
    if (x) {
        int N = at_params_int(tp, "N"), d = t->row_width(tp);
        double *all = at_new(a, double, (size_t)N *(size_t)d);
        if (!all)
            return at_oom(err);
        for (int k = 0; k < N * d; k++)
            all[k] = x[k % d];
        s = counterexample_shrink(m, t, tp, &q, all, N, a, &out->cx, &confirmed, err);
    } else {
        at_check_env alone = {.threads = env ? env->threads : 0};
        at_verdict v;
        s = at_check(m, t, tp, &q, &alone, a, &v, err);
        confirmed = !s && v.has_counterexample;
        if (confirmed)
            out->cx = v.cx;
    }
    if (s)
        return s;
    out->has_counterexample = confirmed;
    if (confirmed)
        out->inputs = out->inputs == INT64_MAX ? 1 : out->inputs;
    out->holds = confirmed && !out->cx.unknown ? AT_FALSE : AT_UNKNOWN;
    if (out->holds == AT_UNKNOWN)
        out->note = "not certified, and no counterexample found";
    return AT_OK;
}

static at_status net_match(const box_net *n, const at_task *t, const at_params *tp, at_err *err)
{
    if (n->d > AT_BOX_INPUTS)
        return at_fail(err, AT_EREFUSED, "box certificates take at most %d inputs, the model has %d",
                       AT_BOX_INPUTS, n->d);
    if (t->row_width(tp) != n->d || t->out_width(tp) != n->R || !t->real)
        return at_fail(err, AT_EINPUT, "the model does not have the shape of task %s", t->id);
    double lo, hi;
    at_gelu_gap(&lo, &hi);
    return hi <= AT_GELU_GAP ? AT_OK
                             : at_fail(err, AT_EREFUSED, "the distance of GeLU from ReLU is not certified");
}

static at_status boxes_run(job *j, const at_model *m, const at_task *t, const at_params *tp,
                           const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    j->cases = j->b->boxes(j->p);
    if (!j->cases)
        return at_fail(err, AT_EDOMAIN, "no boxes to certify");
    at_piece sum;
    at_status s = pieces_run((j->cases + CASES - 1) / CASES, env, "boxes", false, box_piece, j, &sum, err);
    if (!s && sum.bad >= 0 && (uint64_t)sum.bad >= j->cases)
        s = at_fail(err, AT_EINPUT, "a kept piece names case %jd of %zu", (intmax_t)sum.bad, j->cases);
    if (s)
        return s;
    out->inputs = sum.inputs;
    out->margin = isfinite(sum.margin) ? sum.margin : NAN;
    if (sum.bad < 0) {
        out->note = at_arena_printf(a, "%s; %ju boxes", j->b->text, (uintmax_t)sum.inputs);
        if (!out->note)
            return at_oom(err);
        out->holds = AT_TRUE;
        out->inputs = INT64_MAX; /* reals: more than can be counted */
        return AT_OK;
    }
    double x[AT_BOX_INPUTS], margin;
    uint64_t boxes;
    at_tri holds = AT_UNKNOWN;
    s = case_run(j, (size_t)sum.bad, &holds, &margin, &boxes, x, err);
    return s ? s : refute(m, t, tp, j->tolerance, holds == AT_FALSE ? x : NULL, env, a, out, err);
}

at_status at_check_box(const at_model *m, const at_params *p, const at_box *b, const at_task *t,
                       const at_params *tp, double tolerance, const at_check_env *env, at_arena *a,
                       at_verdict *out, at_err *err)
{
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = AT_EV_CERTIFIED, .margin = NAN, .note = b->text};
    box_net net;
    at_status s = box_net_init(&net, m, err);
    if (s)
        return s;
    s = net_match(&net, t, tp, err);
    if (!s && b->twin) {
        at_twin twin;
        s = b->twin(p, a, &twin, err);
        double bound = s ? 0 : twin_bound(&net, &twin);
        out->inputs = INT64_MAX;
        out->margin = isfinite(bound) ? tolerance - bound : NAN;
        out->holds = !s && bound <= tolerance ? AT_TRUE : AT_UNKNOWN;
        if (!s && out->holds != AT_TRUE)
            s = refute(m, t, tp, tolerance, NULL, env, a, out, err);
    } else if (!s) {
        job j = {.p = p, .b = b, .net = &net, .tolerance = tolerance};
        s = box_net_fold(&net, err);
        if (!s)
            s = boxes_run(&j, m, t, tp, env, a, out, err);
    }
    box_net_clear(&net);
    flint_cleanup();
    return s;
}

at_status at_box_range(const at_model *m, const double *lo, const double *hi, int r, double *out_lo,
                       double *out_hi, at_err *err)
{
    box_net net;
    box_poly q;
    at_status s = box_net_init(&net, m, err);
    if (s)
        return s;
    s = box_poly_init(&q, net.d, err);
    if (!s)
        s = box_net_fold(&net, err);
    if (!s) {
        box_poly_place(&q, lo, hi);
        box_poly_add_output(&q, &net, r);
        arb_t c;
        arb_init(c);
        double at = arf_get_d(arb_midref(q.c), ARF_RND_NEAR);
        arb_set_d(c, at);
        arb_sub(q.c, q.c, c, BOX_PREC); /* the size of what is left, about a double */
        double size = box_poly_size(&q);
        *out_lo = nextafter(at - size, -INFINITY);
        *out_hi = nextafter(at + size, INFINITY);
        arb_clear(c);
    }
    box_poly_clear(&q);
    box_net_clear(&net);
    flint_cleanup();
    return s;
}
