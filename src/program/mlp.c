/* mlp.c: pointwise steps become ReLU or GeLU layers.
 *
 * The idea. At every hidden level a variable is an affine form over the units of that level; linear
 * expressions cost nothing. A pointwise step at level l adds units whose pre-activations are forms over
 * level l-1. A variable that is needed deeper is carried: x = relu(x) - relu(-x), one unit when its
 * sign is known. Carrying is exact in every arithmetic, since one of the two units is 0.
 *
 *   ramp(x;a,b)    (relu(x-a) - relu(x-b)) / (b-a)
 *   max(x,y)       x + relu(y-x)                         min(x,y)  x - relu(x-y)
 *   b ? x : y      relu(x-lx - (hx-lx)(1-b)) + lx b + relu(y-ly - (hy-ly) b) + ly (1-b)
 *   [x >= t]       (relu(x-t+1-e) - relu(x-t+e)) / (1-2e): flat within e of every integer
 *   table(x)       e = 0: the polygon through the points, a unit for each change of slope;
 *                  e > 0: a staircase, two units a jump, flat within e of every integer
 *   x*y            (sq(x+y) - sq(x-y)) / 4 with the table of squares
 *
 * Here e is the flat radius: at least the error bound of x, so that the step removes the error. It is a
 * multiple of 2^-10, so that corners and slopes at integers of less than 42 bits are exact doubles.
 *
 * GeLU (lemma A.2). A unit relu(z) becomes G(lambda z)/lambda with G(u) = u Phi(u). It is lower by gap(lambda |z|)/lambda,
 * gap(u) = u Phi(-u) <= AT_GELU_GAP, and never higher. So a sum of units whose positive weights add up to A and whose
 * negative ones to B is off by at most max(A, B) AT_GELU_GAP / lambda; with all corners at distance d or more from the
 * argument, by max(A, B) gap(lambda d) / lambda, which is next to nothing once lambda d > 8: integer steps keep
 * removing errors. Carrying takes both units, since G(u) - G(-u) = u exactly.
 *
 *   x*y of reals   sqrt(pi/2) L^2/4 (G(s) + G(-s) - G(d) - G(-d)), s = (x+y)/L, d = (x-y)/L (lemma A.1)
 *
 * Its error. G(u) + G(-u) = u erf(u/sqrt 2), and 1-t^2 <= exp(-t^2) <= 1 gives, for every u,
 *     u^2 - u^4/6 <= sqrt(pi/2) u erf(u/sqrt 2) <= u^2.
 * So the step is ((x+y)^2 - (x-y)^2)/4 = x y up to a difference of two numbers between 0 and (|x|+|y|)^4/(24 L^2):
 * with |x|, |y| <= M the error is at most 2 M^4/(3 L^2), remainder included. */
#include "program_internal.h"

#include <math.h>
#include <string.h>

#define FLAT       0.25 /* flat radius around integers when the error bound is smaller */
#define WIDE_TABLE 16   /* a table of more corners makes many units */

/* Places where the polygon through a table turns. */
static int table_turns(const var *v)
{
    int turns = 0;
    for (int k = 2; k < v->n_table; k++)
        turns += v->table[k] - v->table[k - 1] != v->table[k - 1] - v->table[k - 2];
    return turns;
}

bool point_is_wide(const var *v)
{
    return (v->op == OP_TABLE && table_turns(v) > WIDE_TABLE) ||
           (v->op == OP_NEAR && v->n_table > WIDE_TABLE / 4) || (v->op == OP_PRODUCT);
}

typedef struct {
    const mlp_site *s;
    mlp_net *net;
    int *cap;    /* (levels+1) room for units */
    form **memo; /* (n_vars, levels+1) */
    int levels;
    at_var now;    /* the variable that is being lowered, to be named when it does not fit */
    at_status why; /* set with oom when the reason is not memory */
    bool oom;      /* stop */
} synth;

static form empty_form;

/* ---- forms ------------------------------------------------------------------------------------------ */

/* a + k*b; forms are sorted by unit. */
static form *form_plus(synth *y, const form *a, double k, const form *b)
{
    at_arena *ar = y->s->arena;
    form *f = at_new(ar, form, 1);
    int *unit = at_new(ar, int, a->n + b->n + 1);
    double *coef = at_new(ar, double, a->n + b->n + 1);
    if (!f || !unit || !coef) {
        y->oom = true;
        return &empty_form;
    }
    int n = 0, i = 0, j = 0;
    while (i < a->n || j < b->n) {
        int u = j >= b->n || (i < a->n && a->unit[i] <= b->unit[j]) ? a->unit[i] : b->unit[j];
        double c = 0;
        if (i < a->n && a->unit[i] == u)
            c += a->coef[i++];
        if (j < b->n && b->unit[j] == u)
            c += k * b->coef[j++];
        if (c != 0) {
            unit[n] = u;
            coef[n++] = c;
        }
    }
    *f = (form){n, unit, coef, a->c0 + k * b->c0};
    return f;
}

static form *form_const(synth *y, double c)
{
    form *f = at_new(y->s->arena, form, 1);
    if (!f) {
        y->oom = true;
        return &empty_form;
    }
    f->c0 = c;
    return f;
}

static form *form_unit(synth *y, int u, double coef)
{
    form *f = at_new(y->s->arena, form, 1);
    int *unit = at_new(y->s->arena, int, 1);
    double *c = at_new(y->s->arena, double, 1);
    if (!f || !unit || !c) {
        y->oom = true;
        return &empty_form;
    }
    unit[0] = u;
    c[0] = coef;
    *f = (form){1, unit, c, 0};
    return f;
}

/* a + c; shares its terms with a, which are never changed. */
static form *form_shift(synth *y, const form *a, double c)
{
    form *f = form_const(y, a->c0 + c);
    if (f != &empty_form)
        *f = (form){a->n, a->unit, a->coef, a->c0 + c};
    return f;
}

form *residual_form(const mlp_site *s, at_var v)
{
    synth y = {.s = s};
    const var *x = &s->P->vars[v];
    form *f = &empty_form;
    if (s->coord[v] >= 0)
        f = form_unit(&y, s->coord[v], 1);
    else { /* a linear expression of variables that have coordinates */
        f = form_const(&y, x->c0);
        for (int k = 0; k < x->n_args && !y.oom; k++) {
            form *a = residual_form(s, x->args[k]);
            f = a ? form_plus(&y, f, x->coef[k], a) : NULL;
            if (!f)
                return NULL;
        }
    }
    return y.oom ? NULL : f;
}

/* ---- units ------------------------------------------------------------------------------------------- */

/* Adds a unit as it stands to level l and returns coef times it. */
static form *bare_unit(synth *y, int l, const form *pre, double coef)
{
    mlp_net *net = y->net;
    if (net->units[l] >= AT_MAX_WIDTH) {
        const at_program *P = y->s->P;
        const char *name = P->vars[y->now].name;
        y->why = at_fail(y->s->err, AT_EDOMAIN, "program %s: %s: an MLP layer of more than %d units", P->name,
                         name ? name : "an unnamed expression", AT_MAX_WIDTH);
        y->oom = true;
        return &empty_form;
    }
    if (net->units[l] == y->cap[l]) {
        int cap = 2 * y->cap[l] + 8;
        form *grown = at_new(y->s->arena, form, cap);
        if (!grown) {
            y->oom = true;
            return &empty_form;
        }
        if (net->units[l])
            memcpy(grown, net->pre[l], (size_t)net->units[l] * sizeof *grown);
        net->pre[l] = grown;
        y->cap[l] = cap;
    }
    net->pre[l][net->units[l]] = *pre;
    return form_unit(y, net->units[l]++, coef);
}

/* The same for relu(pre): a ReLU unit, or a GeLU one in its stead. */
static form *relu_unit(synth *y, int l, const form *pre, double coef)
{
    double lambda = y->s->P->lambda;
    if (!(lambda > 0))
        return bare_unit(y, l, pre, coef);
    return bare_unit(y, l, form_plus(y, &empty_form, lambda, pre), coef / lambda);
}

static form *value_at(synth *y, at_var v, int l);

/* below = relu(below) - relu(-below), one unit where the sign is known and the unit is a ReLU. */
static form *pair(synth *y, int l, const form *below, bool positive, bool negative)
{
    form *f = &empty_form;
    bool both = y->s->P->lambda > 0;
    if (positive || both)
        f = form_plus(y, f, 1, relu_unit(y, l, below, 1));
    if (negative || both)
        f = form_plus(y, f, 1, relu_unit(y, l, form_plus(y, &empty_form, -1, below), -1));
    return f;
}

static form *carry(synth *y, at_var v, int l)
{
    const var *x = &y->s->P->vars[v];
    form *below = value_at(y, v, l - 1);
    if (below->n == 0)
        return below;
    return pair(y, l, below, x->hi + x->err > 0, x->lo - x->err < 0);
}

/* Sum of coef[k]*relu(x - at[k]): many units at once. */
static form *relu_row(synth *y, int l, const form *x, int n, const double *at, const double *coef)
{
    form *f = at_new(y->s->arena, form, 1);
    int *unit = at_new(y->s->arena, int, n + 1);
    double *c = at_new(y->s->arena, double, n + 1);
    if (!f || !unit || !c) {
        y->oom = true;
        return &empty_form;
    }
    int m = 0;
    for (int k = 0; k < n && !y->oom; k++) {
        if (coef[k] == 0)
            continue;
        form *one = relu_unit(y, l, form_shift(y, x, -at[k]), coef[k]);
        if (y->oom)
            break;
        unit[m] = one->unit[0];
        c[m++] = one->coef[0];
    }
    *f = (form){m, unit, c, 0};
    return f;
}

/* With GeLU units half way between the error and 1/2: corners want a distance from the argument. */
static double flat_radius(const at_program *P, double err)
{
    if (!(P->lambda > 0))
        return fmax(FLAT, ceil(err * 0x1p10) * 0x1p-10);
    return err <= FLAT / 2 ? FLAT : fmin(floor((err + 0.5) * 0x1p9), 511) * 0x1p-10;
}

/* The corners of the table over integers lo..lo+n-1, an argument of error e: places and changes of slope. Returns how
 * many there are; at and coef may be NULL. */
static int table_corners(const at_program *P, double lo, int n, const double *t, double e, double *at,
                         double *coef)
{
    int m = 0;
    double slope = 0, flat = flat_radius(P, e);
    for (int k = 0; k + 1 < n; k++) {
        double next = t[k + 1] - t[k], jump = next / (1 - 2 * flat);
        if (e == 0 && next != slope) {
            if (at)
                at[m] = lo + k, coef[m] = next - slope;
            m++;
            slope = next;
        } else if (e > 0 && jump != 0) {
            if (at) {
                at[m] = lo + k + flat, coef[m] = jump;
                at[m + 1] = lo + k + 1 - flat, coef[m + 1] = -jump;
            }
            m += 2;
        }
    }
    return m;
}

/* The table as a function of the form x whose error is e. A long table has few corners, mostly. */
static form *table_form(synth *y, int l, const form *x, double lo, int n, const double *t, double e)
{
    int m = table_corners(y->s->P, lo, n, t, e, NULL, NULL);
    double *at = at_new(y->s->arena, double, m + 1), *coef = at_new(y->s->arena, double, m + 1);
    if (!at || !coef) {
        y->oom = true;
        return &empty_form;
    }
    table_corners(y->s->P, lo, n, t, e, at, coef);
    return form_shift(y, relu_row(y, l, x, m, at, coef), t[0]);
}

/* ---- what GeLU units add to errors --------------------------------------------------------------------- */

/* At least gap(u') for every u' >= u >= 0: gap falls after 0.7518, and Phi(-u) <= 4 phi(u) / (3u + sqrt(u^2 + 8)) (Sampford 1953), which is
 * 2% too much at 1 and less further on. Never 0: a tie that must be exact is none. */
double mlp_gelu_gap(double u)
{
    if (u < 1)
        return AT_GELU_GAP;
    double phi = 0x1.9884533d43651p-2 * at_exp(-u * u / 2);
    return fmin(AT_GELU_GAP, 4 * u * phi / (3 * u + sqrt(u * u + 8)) * (1 + 0x1p-30) + 0x1p-60);
}

/* A table as in table_form: positive and negative weights, and their corners' distance. */
static double table_unit_error(const at_program *P, int n, const double *t, double e)
{
    double plus = 0, minus = 0, slope = 0, flat = flat_radius(P, e);
    for (int k = 1; k < n; k++) {
        double next = t[k] - t[k - 1], turn = next - slope;
        if (e > 0)
            plus += fabs(next) / (1 - 2 * flat);
        else
            *(turn > 0 ? &plus : &minus) += fabs(turn);
        slope = next;
    }
    /* Without error the argument is at a corner, where G(0) = 0, or at least 1 away from it. */
    double distance = e > 0 ? fmax(flat - e, 0) : 1;
    return fmax(plus, minus) * mlp_gelu_gap(P->lambda * distance) / P->lambda;
}

/* The sum of sq/4 tables, without building them: the steps of a table of squares add up to its variation. */
static double product_unit_error(const at_program *P, const var *x, const var *z)
{
    double e = x->err + z->err, flat = flat_radius(P, e), total = 0;
    double range[2][2] = {{x->lo + z->lo, x->hi + z->hi}, {x->lo - z->hi, x->hi - z->lo}};
    for (int k = 0; k < 2; k++) {
        double lo = range[k][0], hi = range[k][1], most = fmax(lo * lo, hi * hi) / 4;
        total += e > 0 ? 2 * most / (1 - 2 * flat) : (hi - lo) / 2 + fmax(fabs(lo), fabs(hi));
    }
    double distance = e > 0 ? fmax(flat - e, 0) : 1;
    return total * mlp_gelu_gap(P->lambda * distance) / P->lambda;
}

double times_scale(const at_program *P, const var *v)
{
    double size = 0;
    for (int k = 0; k < 2; k++) {
        const var *x = &P->vars[v->args[k]];
        size += fmax(fabs(x->lo), fabs(x->hi)) + x->err;
    }
    return size * size / sqrt(24 * v->c0) * (1 + 0x1p-30); /* size^4 / (24 L^2) = c0 */
}

double point_unit_error(const at_program *P, const var *v)
{
    const var *x = &P->vars[v->args[0]], *z = &P->vars[v->args[v->n_args > 1]];
    double one = AT_GELU_GAP / P->lambda, flat = flat_radius(P, x->err);
    double jump = mlp_gelu_gap(P->lambda * fmax(flat - x->err, 0)) / P->lambda / (1 - 2 * flat);
    switch (v->op) {
    case OP_PASS:
        return 0;
    case OP_TIMES:
        return v->c0;
    case OP_RAMP:
        return one / (v->c1 - v->c0);
    case OP_ABS:
    case OP_SELECT:
        return 2 * one;
    case OP_AT_LEAST:
        return jump;
    case OP_EQUALS:
        return 2 * jump;
    case OP_TABLE:
        return table_unit_error(P, v->n_table, v->table, x->err);
    case OP_PRODUCT:
        return product_unit_error(P, x, z);
    case OP_NEAR:
        return 2 * v->n_table * one / v->c1;
    default: /* one unit of weight 1 */
        return one;
    }
}

static form *lower(synth *y, at_var id, int l)
{
    const at_program *P = y->s->P;
    const var *v = &P->vars[id];
    at_var a = v->args[0], b = v->n_args > 1 ? v->args[1] : a;
    const var *x = &P->vars[a], *z = &P->vars[b];
    form *fa = value_at(y, a, l - 1), *fb = v->n_args > 1 ? value_at(y, b, l - 1) : NULL;
    double e;
    y->now = id;
    switch (v->op) {
    case OP_RAMP: {
        double s = 1 / (v->c1 - v->c0);
        return relu_row(y, l, fa, 2, (double[]){v->c0, v->c1}, (double[]){s, -s});
    }
    case OP_RELU:
        return relu_unit(y, l, fa, 1);
    case OP_PASS:
        return pair(y, l, fa, true, true);
    case OP_TIMES: {
        double L = times_scale(P, v), coef = sqrt(M_PI_2) * L * L / 4;
        form *f = &empty_form;
        for (int k = 0; k < 4; k++) { /* s, -s, d, -d */
            double sign = k % 2 ? -1 : 1;
            form *sum = form_plus(y, fa, k < 2 ? 1 : -1, fb);
            f = form_plus(y, f, 1,
                          bare_unit(y, l, form_plus(y, &empty_form, sign / L, sum), k < 2 ? coef : -coef));
        }
        return f;
    }
    case OP_MAX:
        return form_plus(y, value_at(y, a, l), 1, relu_unit(y, l, form_plus(y, fb, -1, fa), 1));
    case OP_MIN:
        return form_plus(y, value_at(y, a, l), 1, relu_unit(y, l, form_plus(y, fa, -1, fb), -1));
    case OP_ABS:
        return form_plus(y, relu_unit(y, l, fa, 1), 1, relu_unit(y, l, form_plus(y, &empty_form, -1, fa), 1));
    case OP_SELECT: {
        const var *w = &P->vars[v->args[2]];
        form *fc = value_at(y, v->args[2], l - 1);
        /* relu((x - lx) - (hx - lx)(1 - b)): x - lx where b = 1, and 0 where b = 0 */
        double rx = z->hi - z->lo, ry = w->hi - w->lo;
        form *px = form_shift(y, form_plus(y, fb, rx, fa), -z->lo - rx);
        form *py = form_shift(y, form_plus(y, fc, -ry, fa), -w->lo);
        form *f = form_plus(y, relu_unit(y, l, px, 1), 1, relu_unit(y, l, py, 1));
        f = form_shift(y, f, w->lo);
        return z->lo == w->lo ? f : form_plus(y, f, z->lo - w->lo, value_at(y, a, l));
    }
    case OP_AND:
        return relu_unit(y, l, form_shift(y, form_plus(y, fa, 1, fb), -1), 1);
    case OP_OR: {
        form *none = form_shift(y, form_plus(y, form_plus(y, &empty_form, -1, fa), -1, fb), 1);
        return form_shift(y, relu_unit(y, l, none, -1), 1);
    }
    case OP_AT_LEAST: {
        double s = 1 / (1 - 2 * (e = flat_radius(P, x->err)));
        return relu_row(y, l, fa, 2, (double[]){v->c0 - 1 + e, v->c0 - e}, (double[]){s, -s});
    }
    case OP_EQUALS: {
        double s = 1 / (1 - 2 * (e = flat_radius(P, x->err))), t = v->c0;
        return relu_row(y, l, fa, 4, (double[]){t - 1 + e, t - e, t + e, t + 1 - e},
                        (double[]){s, -s, -s, s});
    }
    case OP_TABLE:
        return table_form(y, l, fa, x->lo, v->n_table, v->table, x->err);
    case OP_PRODUCT: {
        double plo = x->lo + z->lo, phi = x->hi + z->hi, mlo = x->lo - z->hi, mhi = x->hi - z->lo;
        int np = (int)(phi - plo) + 1, nm = (int)(mhi - mlo) + 1;
        double *sq = at_new(y->s->arena, double, np + nm);
        if (!sq)
            return y->oom = true, &empty_form;
        for (int k = 0; k < np; k++)
            sq[k] = (plo + k) * (plo + k) / 4;
        for (int k = 0; k < nm; k++)
            sq[np + k] = (mlo + k) * (mlo + k) / 4;
        e = x->err + z->err;
        form *p = table_form(y, l, form_plus(y, fa, 1, fb), plo, np, sq, e);
        form *m = table_form(y, l, form_plus(y, fa, -1, fb), mlo, nm, sq + np, e);
        return form_plus(y, p, -1, m);
    }
    default: { /* OP_NEAR: a trapezoid a centre */
        int n = v->n_table;
        double s = 1 / v->c1;
        double *at = at_new(y->s->arena, double, 4 * n), *coef = at_new(y->s->arena, double, 4 * n);
        if (!at || !coef)
            return y->oom = true, &empty_form;
        for (int k = 0; k < n; k++) {
            double c = v->table[k], r = v->c0, w = v->c1;
            memcpy(at + 4 * k, (double[]){c - r - w, c - r, c + r, c + r + w}, 4 * sizeof *at);
            memcpy(coef + 4 * k, (double[]){s, -s, -s, s}, 4 * sizeof *coef);
        }
        return relu_row(y, l, fa, 4 * n, at, coef);
    }
    }
}

static form *value_at(synth *y, at_var v, int l)
{
    if (y->oom)
        return &empty_form;
    form **memo = &y->memo[(size_t)v * (size_t)(y->levels + 1) + (size_t)l];
    if (*memo)
        return *memo;
    const var *x = &y->s->P->vars[v];
    int home = y->s->phase[v] == y->s->now ? y->s->level[v] : 0; /* older ones come from the residual */
    form *f;
    if (l == 0)
        f = residual_form(y->s, v);
    else if (home < l)
        f = carry(y, v, l);
    else if (x->op == OP_LINEAR) {
        f = form_const(y, x->c0);
        for (int k = 0; k < x->n_args; k++)
            f = form_plus(y, f, x->coef[k], value_at(y, x->args[k], l));
    } else
        f = lower(y, v, l);
    if (!f) {
        y->oom = true;
        f = &empty_form;
    }
    return *memo = f;
}

at_status mlp_synthesise(const mlp_site *s, const at_var *want, const int *at, const at_var *erase, int n,
                         int levels, mlp_net *net)
{
    synth y = {.s = s, .net = net, .levels = levels};
    net->n_levels = levels;
    net->units = at_new(s->arena, int, levels + 1);
    net->pre = at_new(s->arena, form *, levels + 1);
    net->out = at_new(s->arena, form, s->D);
    y.cap = at_new(s->arena, int, levels + 1);
    y.memo = at_new(s->arena, form *, (size_t)s->P->n_vars * (size_t)(levels + 1));
    if (!net->units || !net->pre || !net->out || !y.cap || !y.memo)
        return at_oom(s->err);
    net->units[0] = s->D;
    for (int k = 0; k < n; k++) {
        form *f = value_at(&y, want[k], levels);
        if (erase[k] >= 0)
            f = form_plus(&y, f, -1, value_at(&y, erase[k], levels));
        if (y.oom)
            return y.why ? y.why : at_oom(s->err);
        net->out[at[k]] = *f;
    }
    for (int l = 1; l <= levels; l++)
        if (net->units[l] == 0) /* only constants cross this level */
            relu_unit(&y, l, &empty_form, 1);
    return y.oom ? at_oom(s->err) : AT_OK;
}
