/* mlp.c: pointwise steps become ReLU or GeLU layers.
 *
 * The idea. At every hidden level a variable is an affine form over the units of that level; linear
 * expressions cost nothing. A pointwise step at level l adds units whose pre-activations are forms over
 * level l-1. A variable that is needed deeper is carried: x = relu(x) - relu(-x), one unit when its
 * sign is known. Carrying what is one unit or coordinate already is exact in every arithmetic, since one of the two
 * units is 0; else the form is rounded as it becomes one.
 *
 *   ramp(x;a,b)    (relu(x-a) - relu(x-b)) / (b-a)
 *   max(x,y)       x + relu(y-x)                         min(x,y)  x - relu(x-y)
 *   b ? x : y      relu(x-lx - (hx-lx)(1-b)) + lx b + relu(y-ly - (hy-ly) b) + ly (1-b)
 *   [x >= t]       (relu(x-t+1-e) - relu(x-t+e)) / (1-2e): flat within e of every integer
 *   table(x)       e = 0: the polygon through the points, a unit for each change of slope;
 *                  e > 0: a staircase, two units a jump, flat within e of every integer
 *   x*y            (sq(x+y) - sq(x-y)) / 4 with the table of squares
 *
 * Rounding. A form carries the error of the variable that it is the value of; a unit what it can hold. Making a unit rounds its
 * pre-activation, and what that does to the step is its noise. Where there is too much of it a remedy is noted, and the
 * assembler plans anew (rounding.c, docs/program.md).
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

typedef struct {
    const mlp_site *s;
    mlp_net *net;
    extent **x;  /* (levels+1) what units hold; level 0: coordinates */
    int *cap;    /* (levels+1) room for units */
    form **memo; /* (n_vars, levels+1) */
    int levels;
    double noise;  /* what the rounding of units does to the form that is being made of them */
    at_var now;    /* the variable that is being lowered, to be named when it does not fit */
    at_status why; /* set with oom when the reason is not memory */
    bool oom;      /* stop */
} synth;

static form empty_form;

/* ---- forms ------------------------------------------------------------------------------------------ */

/* Room for n terms; they lie behind the form, since most forms are of one unit. NULL when out of memory. */
static form *form_new(synth *y, int n)
{
    form *f = at_arena_alloc(y->s->arena, 1, sizeof *f + (size_t)n * (sizeof *f->coef + sizeof *f->unit));
    if (!f) {
        y->oom = true;
        return NULL;
    }
    f->coef = (double *)(f + 1);
    f->unit = (int *)(f->coef + n);
    return f;
}

/* |a + k b - fl(a + fl(k b))|, at most. */
static double scaled_error(double a, double k, double b)
{
    double t = k * b;
    return fabs(fma(k, b, -t)) + sum_error(a, t);
}

/* f = a + k*b, in room for the terms of both; forms are sorted by unit. */
static void form_plus_to(const synth *y, form *f, const form *a, double k, const form *b)
{
    int n = 0, i = 0, j = 0, level = a->n ? a->level : b->level;
    bool apart = true; /* no unit is in both */
    double slop = a->slop + fabs(k) * b->slop + scaled_error(a->c0, k, b->c0);
    while (i < a->n || j < b->n) {
        int u = j >= b->n || (i < a->n && a->unit[i] <= b->unit[j]) ? a->unit[i] : b->unit[j];
        double c = 0;
        bool both = i < a->n && j < b->n && a->unit[i] == b->unit[j];
        apart = apart && !both;
        if (i < a->n && a->unit[i] == u)
            c += a->coef[i++];
        if (j < b->n && b->unit[j] == u) {
            double off = scaled_error(c, k, b->coef[j]);
            slop += off > 0 ? off * extent_size(y->x[level][u]) : 0;
            c += k * b->coef[j++];
        }
        if (c != 0) {
            f->unit[n] = u;
            f->coef[n++] = c;
        }
    }
    f->n = n;
    f->c0 = a->c0 + k * b->c0;
    f->level = level;
    f->slop = slop;
    for (int sign = 0; sign < 2; sign++)
        f->spared[sign] = apart ? a->spared[sign] + fabs(k) * b->spared[sign ^ (k < 0)] : 0;
    f->peak = a->peak + fabs(k) * b->peak;
    f->run = a->run + b->n * a->peak + fabs(k) * (b->run + a->n * b->peak);
}

static form *form_plus(synth *y, const form *a, double k, const form *b)
{
    form *f = form_new(y, a->n + b->n);
    if (!f)
        return &empty_form;
    form_plus_to(y, f, a, k, b);
    return f;
}

static form *form_const(synth *y, double c)
{
    form *f = form_new(y, 0);
    if (!f)
        return &empty_form;
    f->c0 = c;
    return f;
}

static form *form_unit(synth *y, int l, int u, double coef)
{
    form *f = form_new(y, 1);
    if (!f)
        return &empty_form;
    f->n = 1;
    f->unit[0] = u;
    f->coef[0] = coef;
    f->level = l;
    f->peak = f->run = fabs(coef) * extent_size(y->x[l][u]);
    return f;
}

/* a + c; shares its terms with a, which are never changed. */
static form *form_shift(synth *y, const form *a, double c)
{
    form *f = form_const(y, a->c0 + c);
    if (f != &empty_form)
        *f = *a, f->c0 = a->c0 + c, f->slop = a->slop + sum_error(a->c0, c);
    return f;
}

/* How much less than their ranges allow the terms of f add up to, being what its author knows not to exceed hi. Then no sum of
 * some of them exceeds it either: none of them is negative. Only programs with sums need it; others stay what they were. */
static double spared_of(const synth *y, const form *f, double hi)
{
    double all = 0;
    for (int k = 0; k < f->n; k++) {
        extent x = y->x[f->level][f->unit[k]];
        if (f->coef[k] < 0 || x.lo < 0)
            return 0;
        all += f->coef[k] * x.hi;
    }
    double less = all * (1 - 0x1p-40) - (hi + f->err - f->c0); /* the sum is itself rounded */
    return y->s->P->sums && f->n > 1 && f->c0 >= 0 && less > 0 && isfinite(less) ? less : 0;
}

/* The linear expression v of what its parts are, and its errors. What its author knows of its range helps where its terms are
 * added up (spared_of). */
static form *form_linear(synth *y, const var *v, form *const *part)
{
    int n = 0;
    for (int k = 0; k < v->n_args; k++)
        n += part[k]->n;
    form *f = form_new(y, v->n_args > 1 ? n : 0), *next = form_new(y, n);
    if (y->oom)
        return &empty_form;
    f->c0 = v->c0;
    for (int k = 0; k < v->n_args; k++) { /* in turns: a long sum leaves no shorter ones behind */
        form_plus_to(y, next, f, v->coef[k], part[k]);
        form *last = f;
        f = next;
        next = last;
    }
    f->err = f->slop + meaning_rounding(y->s->P, v);
    f->over = f->err;
    f->slop = 0;
    for (int k = 0; k < v->n_args; k++) {
        f->err += fabs(v->coef[k]) * part[k]->err;
        f->over += fabs(v->coef[k]) * part[k]->over;
    }
    f->err = bound_of(f->err);
    f->over = v->known ? f->err : fmin(f->over, f->err);
    f->spared[0] = v->known ? fmax(f->spared[0], spared_of(y, f, v->hi)) : f->spared[0];
    return f;
}

form *residual_form(const mlp_site *s, at_var v)
{
    extent *x0 = (extent *)s->x;
    synth y = {.s = s, .x = &x0};
    const var *x = &s->P->vars[v];
    form *f = &empty_form;
    if (s->coord[v] >= 0) {
        f = form_unit(&y, 0, s->coord[v], 1);
        if (y.oom)
            return NULL;
        f->err = x->err;
        f->over = x->over;
    } else { /* a linear expression of variables that have coordinates */
        form **part = at_new(s->arena, form *, x->n_args + 1);
        for (int k = 0; part && k < x->n_args; k++)
            if (!(part[k] = residual_form(s, x->args[k])))
                return NULL;
        f = part ? form_linear(&y, x, part) : NULL;
        if (y.oom)
            return NULL;
    }
    return f;
}

/* ---- units ------------------------------------------------------------------------------------------- */

/* A gate: relu(c x - M b) where b is exactly 0 or 1, x >= 0, and c x, c a power of two, is at most M. Where b is 0 nothing is rounded, and
 * where it is 1 the unit is 0, before and after rounding. Only programs with sums need it, as above. */
static bool is_gate(const synth *y, const form *f, const extent *x, extent *out)
{
    const at_program *P = y->s->P;
    int e;
    if (!P->sums || P->lambda > 0 || f->n != 2 || f->c0 != 0)
        return false;
    int b = f->coef[0] < 0 ? 0 : 1;
    extent off = x[f->unit[b]], v = x[f->unit[1 - b]];
    double c = f->coef[1 - b], M = -f->coef[b];
    bool is = off.lo == 0 && off.hi == 1 && off.off == 0 && off.grain >= 0 && c >= 1 && frexp(c, &e) == 0.5 &&
              v.lo >= 0 && c * v.hi <= M &&
              (P->unit == 0 || (at_p_round(&P->fmt, M) == M && c * v.hi <= P->fmt.max));
    if (is)
        *out = (extent){-M, c * v.hi, c * v.off, v.grain <= GRAIN_NONE ? GRAIN_NONE : v.grain + grain_of(c)};
    return is;
}

/* A GeLU unit computed as z * (erfc(-z / sqrt 2) / 2): a few roundings, and erfc's own, relative to z; slope at most 1.13. */
#define GELU_ULPS  16
#define GELU_SLOPE 1.13

/* Adds a unit as it stands to level l and returns coef times it. Its pre-activation is at most `most`; what its rounding
 * does to the result is added to the noise. */
static form *bare_unit(synth *y, int l, const form *pre, double coef, double most)
{
    mlp_net *net = y->net;
    const at_program *P = y->s->P;
    if (net->units[l] >= AT_MAX_WIDTH) {
        y->why =
            step_fail(P, &P->vars[y->now], y->s->err, "an MLP layer of more than %d units", AT_MAX_WIDTH);
        y->oom = true;
    }
    if (y->oom)
        return &empty_form;
    if (net->units[l] == y->cap[l]) {
        int cap = 2 * y->cap[l] + 8;
        form *grown = at_new(y->s->arena, form, cap);
        extent *wider = at_new(y->s->arena, extent, cap);
        if (!grown || !wider) {
            y->oom = true;
            return &empty_form;
        }
        if (net->units[l]) {
            memcpy(grown, net->pre[l], (size_t)net->units[l] * sizeof *grown);
            memcpy(wider, y->x[l], (size_t)net->units[l] * sizeof *wider);
        }
        net->pre[l] = grown;
        y->x[l] = wider;
        y->cap[l] = cap;
    }
    extent z;
    double r = pre->slop + (is_gate(y, pre, y->x[l - 1], &z) ? 0 : form_rounding(P, pre, y->x[l - 1], &z));
    double below = fmin(-z.lo, 2 * AT_GELU_GAP); /* a GeLU unit is no lower */
    r = bound_of(r);
    z.lo = 0;
    z.hi = fmin(z.hi, most + r);
    z.hi = z.hi < 0 ? 0 : bound_of(z.hi);
    if (P->lambda > 0) {
        r = r * GELU_SLOPE + GELU_ULPS * P->unit * fmax(z.hi, below);
        z = (extent){-below, z.hi, 0, GRAIN_NONE};
    }
    y->noise += fabs(coef) * r;
    net->pre[l][net->units[l]] = *pre;
    y->x[l][net->units[l]] = z;
    return form_unit(y, l, net->units[l]++, coef);
}

/* The same for relu(pre): a ReLU unit, or a GeLU one in its stead. */
static form *relu_unit(synth *y, int l, const form *pre, double coef, double most)
{
    double lambda = y->s->P->lambda;
    if (!(lambda > 0))
        return bare_unit(y, l, pre, coef, most);
    y->noise += fabs(coef) * y->s->P->meaning * fmax(most, 0); /* of the division */
    return bare_unit(y, l, form_plus(y, &empty_form, lambda, pre), coef / lambda, lambda * most);
}

static form *value_at(synth *y, at_var v, int l);

/* below = relu(below) - relu(-below), one unit where the sign is known and the unit is a ReLU; it lies in lo..hi. One unit
 * or the other is off, or both are smaller than their errors: the larger error counts. */
static form *pair(synth *y, int l, const form *below, bool positive, bool negative, double lo, double hi)
{
    form *f = NULL;
    bool both = y->s->P->lambda > 0;
    double noise = y->noise, most = 0;
    if (positive || both)
        f = relu_unit(y, l, below, 1, hi);
    most = y->noise - noise;
    y->noise = noise;
    if (negative || both) {
        form *less = relu_unit(y, l, form_plus(y, &empty_form, -1, below), -1, -lo);
        f = f ? form_plus(y, f, 1, less) : less;
    }
    y->noise = noise + (both ? most + (y->noise - noise) : fmax(most, y->noise - noise));
    return f ? f : form_const(y, 0);
}

/* How far a variable that leaves its range by `over` can lie beyond 0 where carrying it in one unit cuts it off. */
static double cut_of(const at_program *P, const var *x, double over)
{
    bool positive = x->hi + x->real > 0, negative = x->lo - x->real < 0;
    if (P->lambda > 0)
        return 0;
    return fmax(fmax(negative ? 0 : over - x->lo, positive ? 0 : over + x->hi), 0);
}

/* Units of level l that hold the variable x are as near to its grain as that is known. */
static void grain_note(synth *y, int l, const form *f, const var *x)
{
    for (int k = 0; k < f->n && !(y->s->P->lambda > 0) && x->grain > GRAIN_NONE; k++) {
        extent *z = &y->x[l][f->unit[k]];
        if (z->grain < x->grain || z->off > f->err)
            z->grain = x->grain, z->off = f->err;
    }
}

/* A value that cannot be negative, but for rounding, takes one unit: cutting it at 0 brings it nearer. */
static form *carry(synth *y, at_var v, int l)
{
    const var *x = &y->s->P->vars[v];
    form *below = value_at(y, v, l - 1);
    if (below->n == 0)
        return below;
    form *f =
        pair(y, l, below, x->hi + x->real > 0, x->lo - x->real < 0, x->lo - below->over, x->hi + below->over);
    if (y->oom)
        return f;
    f->err = bound_of(below->err + f->slop + y->noise);
    f->over = bound_of(below->over + f->slop + y->noise);
    grain_note(y, l, f, x);
    f->slop = 0;
    return f;
}

/* The sums of the first terms of such a row, corners ascending. After corner i the sum is a polygon through the corners so far,
 * which goes on with slope_i: at most the largest corner, and slope_i times what is left of the range. */
static void row_sums(const synth *y, form *f, int n, const double *at, const double *coef, double hi)
{
    double value = 0, slope = 0, last = n ? at[0] : 0, most = 0, rest = 0;
    for (int k = 0; k < n; k++) {
        if (at[k] < last || y->s->P->lambda > 0) { /* or the units are no polygon */
            f->peak = f->run = INFINITY;
            return;
        }
        value += slope * (at[k] - last);
        slope += coef[k];
        last = at[k];
        most = fmax(most, fabs(value));
        double more = fabs(slope) * fmax(hi - at[k], 0);
        rest += more;
        f->peak = fmax(f->peak, more);
    }
    f->peak += most;
    f->run = n * most + rest;
}

/* Sum of coef[k]*relu(x - at[k]): many units at once. x is at most hi; `corner`: the error of each at. */
static form *relu_row(synth *y, int l, const form *x, int n, const double *at, const double *coef, double hi,
                      double corner)
{
    form *f = form_new(y, n);
    if (!f)
        return &empty_form;
    double noise = y->noise;
    for (int k = 0; k < n && !y->oom; k++) {
        if (coef[k] == 0)
            continue;
        form *one = relu_unit(y, l, form_shift(y, x, -at[k]), coef[k], hi - at[k]);
        y->noise += fabs(coef[k]) * corner;
        if (y->oom)
            break;
        f->unit[f->n] = one->unit[0];
        f->coef[f->n++] = one->coef[0];
    }
    f->level = l;
    row_sums(y, f, n, at, coef, hi);
    f->peak += y->noise - noise; /* its units are not quite those of the polygon */
    f->run += n * (y->noise - noise);
    return f;
}

/* The corners of the table over integers lo..lo+n-1: places and changes of slope. Returns how many there are; at and coef
 * may be NULL. */
static int table_corners(double lo, int n, const double *t, bool stairs, double flat, double *at,
                         double *coef)
{
    int m = 0;
    double slope = 0;
    for (int k = 0; k + 1 < n; k++) {
        double next = t[k + 1] - t[k], jump = next / (1 - 2 * flat);
        if (!stairs && next != slope) {
            if (at)
                at[m] = lo + k, coef[m] = next - slope;
            m++;
            slope = next;
        } else if (stairs && jump != 0) {
            if (at) {
                at[m] = lo + k + flat, coef[m] = jump;
                at[m + 1] = lo + k + 1 - flat, coef[m + 1] = -jump;
            }
            m += 2;
        }
    }
    return m;
}

/* What the rounding of the constants of a table does to its value. Differences of multiples of one grain are exact; else a
 * slope is off by 3 roundings of the largest value, and reaches as far as the table. */
static double table_slop(double meaning, double lo, int n, const double *t, bool stairs, double flat)
{
    double most = 0, variation = 0;
    int g = 2000;
    for (int k = 0; k < n; k++) {
        int h = grain_of(t[k]);
        g = h < g ? h : g;
        most = fmax(most, fabs(t[k]));
        variation += k ? fabs(t[k] - t[k - 1]) : 0;
    }
    double slop = most * 4 <= ldexp(1, 53 + g) ? 0 : 3 * meaning * most * n * n;
    double corner = sum_error(fmax(fabs(lo), fabs(lo + n)), flat); /* the largest */
    return slop + (stairs ? variation / (1 - 2 * flat) * (2 * corner + 2 * meaning) : 0);
}

/* The table as a function of the form x whose error is e. A long table has few corners, mostly. */
static form *table_form(synth *y, int l, const form *x, double lo, int n, const double *t, bool stairs,
                        double flat, double e)
{
    int m = table_corners(lo, n, t, stairs, flat, NULL, NULL);
    double *at = at_new(y->s->arena, double, m + 1), *coef = at_new(y->s->arena, double, m + 1);
    if (!at || !coef) {
        y->oom = true;
        return &empty_form;
    }
    table_corners(lo, n, t, stairs, flat, at, coef);
    y->noise += table_slop(y->s->P->meaning, lo, n, t, stairs, flat);
    return form_shift(y, relu_row(y, l, x, m, at, coef, lo + n - 1 + e, stairs ? fmax(e - flat, 0) : 0),
                      t[0]);
}

/* Largest and smallest that the weights' value of a variable can be, at the form f. */
static double top_of(const var *v, const form *f)
{
    return v->hi + f->over;
}

static double bottom_of(const var *v, const form *f)
{
    return v->lo - f->over;
}

/* A corner at t + d, and its rounding. */
static double corner_at(double t, double d, double *off)
{
    *off = fmax(*off, sum_error(t, d));
    return t + d;
}

/* The units of step v at level l, its arguments being fa, fb, fc at level l - 1. What the rounding of units and constants
 * does to the result goes to the noise. */
static form *units_of(synth *y, at_var id, int l, const form *fa, const form *fb, const form *fc)
{
    const at_program *P = y->s->P;
    const var *v = &P->vars[id];
    at_var a = v->args[0], b = v->n_args > 1 ? v->args[1] : a;
    const var *x = &P->vars[a], *z = &P->vars[b];
    double e, top = top_of(x, fa), off = 0;
    switch (v->op) {
    case OP_RAMP: {
        double s = 1 / (v->c1 - v->c0);
        if (!(s == 1 && x->grain >= 0 && grain_of(v->c0) >= 0))
            y->noise += 8 * P->meaning; /* of the slope, and of the interpreter */
        return relu_row(y, l, fa, 2, (double[]){v->c0, v->c1}, (double[]){s, -s}, top, 0);
    }
    case OP_RELU:
        return relu_unit(y, l, fa, 1, top);
    case OP_PASS:
        return pair(y, l, fa, true, true, bottom_of(x, fa), top);
    case OP_TIMES: {
        double L = times_scale(P, v), coef = sqrt(M_PI_2) * L * L / 4;
        double most = (extent_size((extent){bottom_of(x, fa), top, 0, 0}) +
                       extent_size((extent){bottom_of(z, fb), top_of(z, fb), 0, 0})) /
                      L;
        form *f = &empty_form;
        for (int k = 0; k < 4; k++) { /* s, -s, d, -d */
            double sign = k % 2 ? -1 : 1;
            form *sum = form_plus(y, fa, k < 2 ? 1 : -1, fb);
            f = form_plus(
                y, f, 1,
                bare_unit(y, l, form_plus(y, &empty_form, sign / L, sum), k < 2 ? coef : -coef, most));
            y->noise += coef * most * 8 * P->meaning; /* of L and coef */
        }
        return f;
    }
    case OP_MAX: { /* where x is cut off, y - x is not */
        form *more = relu_unit(y, l, form_plus(y, fb, -1, fa), 1, top_of(z, fb) - bottom_of(x, fa));
        form *kept = value_at(y, a, l);
        y->noise += kept->err - fa->err + cut_of(P, x, fa->over);
        return form_plus(y, kept, 1, more);
    }
    case OP_MIN: {
        form *less = relu_unit(y, l, form_plus(y, fa, -1, fb), -1, top - bottom_of(z, fb));
        form *kept = value_at(y, a, l);
        y->noise += kept->err - fa->err + cut_of(P, x, fa->over);
        return form_plus(y, kept, 1, less);
    }
    case OP_ABS: {
        form *below = relu_unit(y, l, form_plus(y, &empty_form, -1, fa), 1, -bottom_of(x, fa));
        return form_plus(y, relu_unit(y, l, fa, 1, top), 1, below);
    }
    case OP_SELECT: {
        const var *w = &P->vars[v->args[2]];
        /* relu((x - lx) - (hx - lx)(1 - b)): x - lx where b = 1, and 0 where b = 0 */
        double rx = z->hi - z->lo, ry = w->hi - w->lo;
        form *px = form_shift(y, form_plus(y, fb, rx, fa), -z->lo - rx);
        form *py = form_shift(y, form_plus(y, fc, -ry, fa), -w->lo);
        y->noise += 2 * (sum_error(z->hi, -z->lo) + sum_error(w->hi, -w->lo) + sum_error(-z->lo, -rx)) +
                    sum_error(z->lo, -w->lo);
        form *other = relu_unit(y, l, py, 1, ry * (1 + fa->over) + fc->over);
        form *f = form_plus(y, relu_unit(y, l, px, 1, rx * (1 + fa->over) + fb->over), 1, other);
        f = form_shift(y, f, w->lo);
        if (z->lo == w->lo)
            return f;
        form *kept = value_at(y, a, l);
        y->noise += fabs(z->lo - w->lo) * (kept->err - fa->err);
        return form_plus(y, f, z->lo - w->lo, kept);
    }
    case OP_AND:
        return relu_unit(y, l, form_shift(y, form_plus(y, fa, 1, fb), -1), 1, 1 + fa->over + fb->over);
    case OP_OR: {
        form *none = form_shift(y, form_plus(y, form_plus(y, &empty_form, -1, fa), -1, fb), 1);
        return form_shift(y, relu_unit(y, l, none, -1, 1 + fa->over + fb->over), 1);
    }
    case OP_AT_LEAST:
    case OP_COMPARE: {
        double s = 1 / (1 - 2 * (e = flat_radius(P, x->real, fa->err))), t = v->c0;
        double at[2] = {corner_at(t - 1, e, &off), corner_at(t, -e, &off)};
        y->noise += s == 2 ? 0 : 2 * P->meaning;
        return relu_row(y, l, fa, 2, at, (double[]){s, -s}, top, off + fmax(fa->err - e, 0));
    }
    case OP_EQUALS: {
        double s = 1 / (1 - 2 * (e = flat_radius(P, x->real, fa->err))), t = v->c0;
        double at[4] = {corner_at(t - 1, e, &off), corner_at(t, -e, &off), corner_at(t, e, &off),
                        corner_at(t + 1, -e, &off)};
        y->noise += s == 2 ? 0 : 4 * P->meaning;
        return relu_row(y, l, fa, 4, at, (double[]){s, -s, -s, s}, top, off + fmax(fa->err - e, 0));
    }
    case OP_TABLE:
        return table_form(y, l, fa, x->lo, v->n_table, v->table, point_is_stairs(P, v),
                          flat_radius(P, x->real, fa->err), fa->err);
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
        /* squares beyond 2^53 are rounded, and a quarter of them is what the table says */
        double most = fmax(fmax(fabs(plo), fabs(phi)), fmax(fabs(mlo), fabs(mhi)));
        y->noise += most * most <= 0x1p53 ? 0 : P->meaning * most * most;
        e = fa->err + fb->err;
        bool stairs = point_is_stairs(P, v);
        double flat = flat_radius(P, x->real + z->real, e);
        form *p = table_form(y, l, form_plus(y, fa, 1, fb), plo, np, sq, stairs, flat, e);
        form *m = table_form(y, l, form_plus(y, fa, -1, fb), mlo, nm, sq + np, stairs, flat, e);
        return form_plus(y, p, -1, m);
    }
    case OP_FIELD:
    case OP_EMBED:
    case OP_REAL:
    case OP_POS:
    case OP_ROWS:
    case OP_LINEAR:
    case OP_NEAR:
    case OP_ATTEND:
    default: { /* OP_NEAR: a trapezoid a centre */
        int n = v->n_table;
        double s = 1 / v->c1, most = 0;
        double *at = at_new(y->s->arena, double, 4 * n), *coef = at_new(y->s->arena, double, 4 * n);
        if (!at || !coef)
            return y->oom = true, &empty_form;
        for (int k = 0; k < n; k++) {
            double c = v->table[k], r = v->c0, w = v->c1;
            most = fmax(most, fabs(c) + r + w);
            memcpy(at + 4 * k, (double[]){c - r - w, c - r, c + r, c + r + w}, 4 * sizeof *at);
            memcpy(coef + 4 * k, (double[]){s, -s, -s, s}, 4 * sizeof *coef);
        }
        /* two roundings a corner; the slope; the interpreter, which also takes |x - c| */
        y->noise += n * 8 * P->meaning * (1 + s * extent_size((extent){bottom_of(x, fa), top, 0, 0}));
        return relu_row(y, l, fa, 4 * n, at, coef, top, 2 * P->meaning * most);
    }
    }
}

/* ---- remedies ------------------------------------------------------------------------------------------ */

static double form_mass(const synth *y, const form *f)
{
    double mass = fabs(f->c0);
    for (int k = 0; k < f->n; k++)
        mass += fabs(f->coef[k]) * extent_size(y->x[f->level][f->unit[k]]);
    return mass;
}

/* The step whose result b is, up to negation; -1 if it cannot be made exact at its home. */
static at_var boolean_root(const at_program *P, at_var b)
{
    while (P->vars[b].op == OP_LINEAR && P->vars[b].n_args == 1)
        b = P->vars[b].args[0];
    const var *v = &P->vars[b];
    return op_is_point(v->op) && v->integer && v->lo >= 0 && v->hi <= 1 && v->real == 0 ? b : -1;
}

/* A step that came out too noisy. Large units that cancel (the two of a comparison, the corners of a table) are made one
 * unit before they are read. A boolean whose error is multiplied by the range of a selection is made exactly 0 or 1. */
static void remedy(synth *y, const var *v, form *const f[3], double noise)
{
    at_program *P = y->s->to;
    if (P->unit == 0 || P->lambda > 0)
        return;
    bool found = false;
    for (int k = 0; k < v->n_args && noise > COARSE; k++) {
        at_var a = v->args[k];
        bool here = y->s->phase[a] == y->s->now && y->s->level[a] > 0 && f[k]->n > 1;
        if (here && !P->vars[a].narrow && form_mass(y, f[k]) > 4 * extent_size(extent_of(&P->vars[a])))
            found = P->vars[a].narrow = true;
    }
    if (v->op == OP_SELECT) {
        const var *x = &P->vars[v->args[1]], *z = &P->vars[v->args[2]];
        at_var root = boolean_root(P, v->args[0]);
        double range = x->hi - x->lo + z->hi - z->lo + fabs(x->lo - z->lo);
        if (!found && root >= 0 && !P->vars[root].clean && f[0]->err * range > COARSE && f[0]->err < 0.125)
            found = P->vars[root].clean = true;
    }
    y->net->again = y->net->again || found;
}

/* A boolean b made exactly 0 or 1: one unit holds it, off by less than 1/4; 2 relu(b - 1/4) - 2 relu(b - 3/4), where both
 * differences and their difference are numbers of the format; one unit again. From level l - 3 to l. */
static form *cleaned(synth *y, const form *b, int l)
{
    const at_program *P = y->s->P;
    double noise = y->noise;
    form *one = pair(y, l - 2, b, true, false, 0, 1 + b->over);
    double off = b->err + (y->noise - noise);
    if (!y->oom && !(off < 0.25)) {
        y->why = step_fail(P, &P->vars[y->now], y->s->err, "error %g, too much for a boolean", off);
        y->oom = true;
    }
    form *ramp = relu_row(y, l - 1, one, 2, (double[]){0.25, 0.75}, (double[]){2, -2}, 1.125, 0);
    form *f = pair(y, l, ramp, true, false, 0, 1);
    if (!y->oom)
        y->x[l][f->unit[0]] = (extent){0, 1, 0, 0};
    return f;
}

static form *lower(synth *y, at_var id, int l)
{
    const at_program *P = y->s->P;
    const var *v = &P->vars[id];
    int at = v->clean ? l - CLEAN_LEVELS : l;
    form *arg[3] = {&empty_form, &empty_form, &empty_form};
    double e[3] = {0}, over[3] = {0}, err;
    for (int k = 0; k < v->n_args; k++) {
        arg[k] = value_at(y, v->args[k], at - 1);
        e[k] = arg[k]->err;
        over[k] = arg[k]->over;
    }
    y->now = id;
    form *f = y->oom ? NULL : units_of(y, id, at, arg[0], arg[1], arg[2]);
    if (y->oom)
        return &empty_form;
    y->why = point_error(P, v, e, over, &err, y->s->err);
    f->err = bound_of(err + f->slop + y->noise);
    f->over = fmin(f->err, point_over(P, v, over, err) + f->slop + y->noise);
    f->slop = 0;
    remedy(y, v, arg, y->noise);
    if (y->why) {
        y->oom = true;
        return &empty_form;
    }
    if (v->op == OP_RELU)
        grain_note(y, at, f, v);
    if (!v->clean)
        return f;
    f = cleaned(y, f, l);
    if (!y->oom)
        f->err = f->over = f->slop = 0;
    return f;
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
    double noise = y->noise;
    form *f;
    y->noise = 0;
    if (l == 0)
        f = residual_form(y->s, v);
    else if (home < l)
        f = carry(y, v, l);
    else if (x->op == OP_LINEAR) {
        form **part = at_new(y->s->arena, form *, x->n_args + 1);
        for (int k = 0; part && k < x->n_args; k++)
            part[k] = value_at(y, x->args[k], l);
        f = part ? form_linear(y, x, part) : NULL;
    } else
        f = lower(y, v, l);
    y->noise = noise;
    if (!f) {
        y->oom = true;
        f = &empty_form;
    }
    if (!y->oom && l == home && home > 0) {
        y->s->to->vars[v].err = f->err;
        y->s->to->vars[v].over = f->over;
    }
    return *memo = f;
}

/* What is written to a coordinate: new, or new - old where old is erased; old + (new - old) is one more sum. Old is
 * carried as it was stored, but for what is cut off. */
static form *written(synth *y, at_var v, at_var old, int levels)
{
    const at_program *P = y->s->P;
    form *f = value_at(y, v, levels), *gone = old >= 0 ? value_at(y, old, levels) : NULL;
    double err = f->err, over = f->over;
    if (gone)
        f = form_plus(y, f, -1, gone);
    if (y->oom)
        return f;
    extent z;
    double r = f->slop + form_rounding(P, f, y->x[levels], &z);
    if (gone) {
        const var *x = &P->vars[v], *o = &P->vars[old];
        extent now = extent_of(o);
        tally t = TALLY_NONE;
        tally_add(&t, 1, now);
        tally_add(&t, 1, (extent){x->lo - over - now.hi, x->hi + over - now.lo, err + now.off, z.grain});
        t.mass = extent_size((extent){x->lo - over, x->hi + over, 0, 0}); /* one addition: of its result */
        if (P->few)
            t.up = fmax(x->hi + over, 0), t.down = fmax(over - x->lo, 0);
        r += tally_rounding(P, &t) + (gone->err - o->err) + cut_of(P, o, o->over);
    }
    y->s->to->vars[v].err = bound_of(err + r);
    y->s->to->vars[v].over = bound_of(over + r);
    return f;
}

/* Minus what stands in coordinate c: carried by a unit, or two, which is exact. */
static form *cleared(synth *y, int c, int levels)
{
    extent x = y->x[0][c];
    form *f = form_unit(y, 0, c, 1);
    for (int l = 1; l <= levels && !y->oom; l++)
        f = pair(y, l, f, x.hi > 0, x.lo < 0, x.lo, x.hi);
    return form_plus(y, &empty_form, -1, f);
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
    y.x = at_new(s->arena, extent *, levels + 1);
    y.memo = at_new(s->arena, form *, (size_t)s->P->n_vars * (size_t)(levels + 1));
    if (!net->units || !net->pre || !net->out || !y.cap || !y.memo || !y.x)
        return at_oom(s->err);
    net->units[0] = s->D;
    y.x[0] = (extent *)s->x;
    for (int k = 0; k < n && !y.oom; k++)
        net->out[at[k]] = want[k] < 0 ? *cleared(&y, at[k], levels) : *written(&y, want[k], erase[k], levels);
    for (int l = 1; l <= levels && !y.oom; l++)
        if (net->units[l] == 0) /* only constants cross this level */
            relu_unit(&y, l, &empty_form, 1, 0);
    return !y.oom ? AT_OK : y.why ? y.why : at_oom(s->err);
}
