/* errors.c: how far the weights' values are from the interpreter's, and the scales that follow.
 *
 * Twice: first in real arithmetic, which decides how steps are built (scales, flat radii, staircases); then, when a
 * layer is planned and its matrices are known, in the arithmetic that the program is assembled for (rounding.c says
 * what a sum adds, mlp.c what the units of a step do).
 *
 * Softmax with scale c, T keys, score errors e and value range V leaves at most
 *     V min(1, T exp(-c (gap - 2e)) + exp(2ce) - 1),
 * the first part for keys that are not maximal, the second for ties that are no longer equal (none where the maximal
 * keys are promised to have one value); a mean of values never leaves their range.
 *
 * Besides being near the interpreter's value, the weights' value lies in the variable's range: means and
 * selections are convex, every other step is clamped or monotone. GeLU units are not clamped: there it lies within
 * err of the range. Rounding lets a value leave its range by `over`, and the selection's error says so. */
#include "schedule.h"

#include <math.h>

#define MOST_ERROR 0.499 /* of an integer that a step must still recognise */

static double size_of(const operand *x)
{
    return extent_size(x->x);
}

/* Width of the interval in which the weights' value lies. */
static double spread(const operand *x)
{
    return x->x.hi - x->x.lo;
}

/* ---- scores ---------------------------------------------------------------------------------------------- */

static double product3(const operand *f[3], int n, int skip)
{
    double p = 1;
    for (int j = 0; j < n; j++)
        if (j != skip)
            p *= size_of(f[j]);
    return p;
}

/* The product of n factors, as a term of a sum. */
static void tally_product(tally *t, const operand *f[3], int n)
{
    double lo = 1, hi = 1, off = 0, grain = 0;
    for (int i = 0; i < n; i++) {
        extent x = f[i]->x;
        double c[4] = {lo * x.lo, lo * x.hi, hi * x.lo, hi * x.hi};
        lo = fmin(fmin(c[0], c[1]), fmin(c[2], c[3]));
        hi = fmax(fmax(c[0], c[1]), fmax(c[2], c[3]));
        off += x.off * product3(f, n, i);
        grain = x.grain <= GRAIN_NONE || grain <= GRAIN_NONE ? GRAIN_NONE : grain + x.grain;
    }
    tally_add(t, 1, (extent){lo, hi, off, (int)grain});
    t->terms += n - 2; /* one more multiplication of three */
}

static double magnitude(const var *v)
{
    return fmax(fabs(v->lo), fabs(v->hi)) + v->err;
}

double score_error(const at_program *P, const at_attention *a, const double *query, const double *key)
{
    double e = 0;
    for (int k = 0; k < a->query.n; k++) {
        const var *f[3] = {&P->vars[a->query.v[k]], &P->vars[a->key.v[k]],
                           at_weighting_is(a->weighting, AT_IS_PAIRS) ? &P->vars[a->key2.v[k]] : NULL};
        int n = f[2] ? 3 : 2;
        double size[3] = {query ? query[k] : magnitude(f[0]), key ? key[k] : magnitude(f[1]),
                          f[2] ? magnitude(f[2]) : 0};
        for (int i = 0; i < n; i++) { /* product rule; sizes include errors, so this is a bound */
            double p = f[i]->err;
            for (int j = 0; j < n; j++)
                if (j != i)
                    p *= size[j];
            e += p;
        }
    }
    return e;
}

/* Bound on |computed score - interpreter's score|, before the scale: from the errors of queries and keys as projected, and
 * from the rounding of the score itself. */
static double score_bound(const at_program *P, const at_attention *a, const operands *o)
{
    double e = 0;
    tally t = TALLY_NONE;
    t.products = true;
    for (int k = 0; k < a->query.n; k++) {
        bool three = at_weighting_is(a->weighting, AT_IS_PAIRS);
        const operand *f[3] = {&o->q[k], &o->k[k], three ? &o->k2[k] : NULL};
        for (int i = 0; i < 2 + three; i++) /* product rule; sizes include errors, so this is a bound */
            e += f[i]->err > 0 ? f[i]->err * product3(f, 2 + three, i) : 0;
        tally_product(&t, f, 2 + three);
    }
    return bound_of(e + (o->rounded ? tally_rounding(P, &t) : 0));
}

static double score_size(const at_attention *a, const operands *o)
{
    double s = 0;
    for (int k = 0; k < a->query.n; k++)
        s += size_of(&o->q[k]) * size_of(&o->k[k]) *
             (at_weighting_is(a->weighting, AT_IS_PAIRS) ? size_of(&o->k2[k]) : 1);
    return s;
}

/* Multiplying a score by the scale rounds it, unless the scale is a power of 2. Equal scores stay equal. */
static double scaling_error(const at_program *P, const at_attention *a, const operands *o, double scale)
{
    int e;
    return o->rounded && frexp(scale, &e) != 0.5 ? 2 * P->unit * score_size(a, o) : 0;
}

/* The scale is a weight, and multiplies scores. */
static at_status scale_fits(const at_program *P, const var *v, const step *s, const operands *o, at_err *err)
{
    if (!o->rounded || P->unit == 0 || s->scale * fmax(score_size(&s->a, o), 1) <= P->fmt.max)
        return AT_OK;
    return step_fail(P, v, err, "its scores, times %g, may overflow", s->scale);
}

/* ---- values --------------------------------------------------------------------------------------------- */

/* Keys that a query sees, at most. */
static double keys_seen(const at_program *P, const at_attention *a)
{
    double T = program_longest(P);
    if (at_mask_is(a->mask.kind, AT_IS_BLOCKS))
        T = fmin(T, (double)a->mask.block * (a->mask.windows + 1) + (T / a->mask.block + 1) * a->mask.ends);
    return at_weighting_is(a->weighting, AT_IS_PAIRS) ? T * T : T;
}

/* What rounding adds to a mean of values of at most 1. Of n keys up to m have weight 1 (but for errors, which are
 * counted elsewhere), and the weights of the others add up to at most `rest`.
 *
 * A weight e^-x is off by at most 4 u (1 + x) of itself: the exponential, and its argument. The weights add up to at least
 * 1, so x e^-x adds up to at most 1 + log n times their sum. Numerator and denominator are sums of n terms, and divided:
 * together (2 n + 8 (2 + log n) + 4) u.
 *
 * Small terms: one that is added to a partial sum S moves it by at most twice itself, whatever it is, since S is a number of
 * the format. So only m terms count, and 8 times the rest.
 *
 * One key (m = 1) has weight exp(0) = 1, exactly, so the numerator is its value but for the rest; if the rest is at most
 * u/2, the denominator is 1, exactly, and the division does nothing. */
static double mean_rounding(const at_program *P, double m, double n, double rest)
{
    double u = P->unit, each = 8 * (3 + at_log(n));
    double few = m <= 1 && rest <= u / 2 ? 4 * rest : (2 * m + each) * u + 8 * rest;
    return fmin(few, (2 * n + each) * u);
}

/* m keys have weight 1, exactly, and their values are near multiples of 2^g, near enough for sums of such to be rounded to
 * the sum of the multiples (or to be next to 0). Then only the division rounds, and not even that where the values are equal.
 * What the other keys add is lost in the same way. */
static bool sums_are_exact(const at_program *P, const operands *o, int n, double m, double rest)
{
    for (int k = 0; k < n; k++) {
        extent x = o->v[k].x;
        double least = ldexp(1, x.grain);
        if (x.grain <= GRAIN_NONE || m * (extent_size(x) + least) > ldexp(0.999 * least, P->fmt.p) ||
            m * x.off + 2 * rest * extent_size(x) > least * P->unit / 4)
            return false;
    }
    return rest <= P->unit / 4;
}

/* The same where their number is a power of two and the author knows what they add up to (at_attention.total): the division rounds
 * nothing either. */
static bool total_is_exact(const at_program *P, const at_attention *a, const operands *o, double m,
                           double rest)
{
    bool exact =
        a->total > 0 && a->total <= ldexp(1, P->fmt.p) && rest <= P->unit / 4 && 1 / m >= P->fmt.norm;
    for (int k = 0; k < a->value.n && exact; k++) {
        extent x = o->v[k].x;
        exact = x.grain >= 0 && m * x.off + 2 * rest * extent_size(x) <= P->unit / 4;
    }
    return exact;
}

/* The largest phi(q).phi(k). */
static double kernel_size(const at_attention *a, const operands *o)
{
    double s = 0;
    for (int k = 0; k < a->query.n; k++)
        s += (1 + size_of(&o->q[k])) * (1 + size_of(&o->k[k]));
    return s;
}

/* The rounding of a mean whose maximal keys have weight 1 exactly, or not. */
static double mean_error(const at_program *P, const at_attention *a, const operands *o, bool ones,
                         double rest, double size)
{
    double u = P->unit, seen = keys_seen(P, a), m = a->most > 0 ? fmin(a->most, seen) : seen;
    if (!o->rounded || u == 0)
        return 0;
    if (!(seen * size * (a->kernel ? kernel_size(a, o) : 1) <= P->fmt.max)) /* the numerator */
        return INFINITY;
    if (at_weighting_is(a->weighting, AT_IS_PHI) &&
        a->most <= 0) /* perhaps no key is of the query's class: then all weigh next to nothing */
        return mean_rounding(P, seen + a->query.n, seen + a->query.n, 0) * size;
    if (ones && total_is_exact(P, a, o, m, rest))
        return 4 * rest * size;
    if (ones && !at_weighting_is(a->weighting, AT_IS_PAIRS) && sums_are_exact(P, o, a->value.n, m, rest))
        return ((a->unique ? 0 : u) + 4 * rest) * size;
    if (at_weighting_is(a->weighting, AT_IS_PHI)) /* a weight is itself a sum, of tiny terms but for one */
        m += 4, seen += a->query.n;
    /* far exponentials vanish below the least number of the format */
    return (mean_rounding(P, m, seen, rest) + seen * P->fmt.norm) * size;
}

/* Are all keys the same, so that all scores of a row are, in any arithmetic? Then no weight is lost on lower ones. */
static bool keys_are_equal(const at_program *P, const at_attention *a)
{
    bool pairs = at_weighting_is(a->weighting, AT_IS_PAIRS);
    for (int k = 0; k < a->key.n; k++) {
        const var *x = &P->vars[a->key.v[k]];
        if (x->op != OP_LINEAR || x->n_args)
            return false;
    }
    return !pairs;
}

/* One key is looked for, and rounding takes more than the error that is wanted: a scale at which the rest is lost beside 1 makes
 * numerator and denominator exact (mean_rounding). Without it a length at which the rest is a little more than that would be refused
 * while longer ones, whose wanted error is less, are not. */
static void scale_raise(const at_program *P, step *s, const operands *o, double e, double keys, double size,
                        double want, double *rounding)
{
    const at_attention *a = &s->a;
    if (!o->rounded || a->scale > 0 || a->most != 1 || !(*rounding > want) || P->unit == 0)
        return;
    double scale = s->scale, gap = a->gap;
    for (int again = 0; again < 2; again++) { /* the scale and what it loses hang on each other, but little */
        gap = a->gap - 2 * (e + scaling_error(P, a, o, scale));
        if (!(gap > 0))
            return;
        scale = at_log(8 * keys / P->unit) / gap;
    }
    gap = a->gap - 2 * (e + scaling_error(P, a, o, scale));
    double less = keys * at_exp(-scale * gap), rounds = mean_error(P, a, o, e == 0, less, size);
    if (scale <= s->scale || !(rounds < *rounding))
        return;
    s->scale = scale;
    *rounding = rounds;
}

static at_status softmax_error(const at_program *P, const var *v, step *s, const operands *o, double e,
                               double range, double size, double *out, double *rounding, at_err *err)
{
    const at_attention *a = &s->a;
    double T = program_longest(P), keys = at_weighting_is(a->weighting, AT_IS_PAIRS) ? T * T : T;
    double want = a->error > 0 ? a->error : fmax(range, 1) * 0x1p-20;
    bool promised = a->scale > 0 && a->error > 0;
    bool ties =
        at_weighting_is(a->weighting, AT_IS_PAIRS) || !a->unique; /* else maximal keys have one value */
    double got = 0, rest = 0;
    if (!promised && keys_are_equal(P, a)) {
        s->scale = a->scale > 0 ? a->scale : 1;
        *out = 0;
        *rounding = mean_error(P, a, o, true, 0, size);
        return scale_fits(P, v, s, o, err);
    }
    for (int again = 0; again < 2;
         again++) { /* the scale of real arithmetic, unless rounding takes too much of the gap */
        double scaling = again || s->scale > 0 ? scaling_error(P, a, o, s->scale) : 0,
               gap = a->gap - 2 * (e + scaling);
        if (!(gap > 0) && !(promised && o->rounded)) /* a promise is made of the run, whatever rounds there */
            return step_fail(P, v, err, "score error %g leaves nothing of the gap %g", e + scaling, a->gap);
        if (!o->rounded || again)
            s->scale = a->scale > 0 ? a->scale : at_log(fmax(2 * range * keys / want, 2)) / gap;
        rest = keys * at_exp(-s->scale * gap);
        if (P->sums) /* a weight that no number of the format is so small as is 0; in real numbers none is */
            rest = !o->rounded ? fmax(rest, 0x1p-1000) : rest < P->fmt.tiny / 4 ? 0 : rest;
        got = range * fmin(1, rest + (ties && e > 0 ? at_expm1(2 * s->scale * (e + scaling)) : 0));
        if (a->scale > 0 || got <= want)
            break;
    }
    if (a->scale <= 0 && got > want)
        return step_fail(P, v, err, "error %g cannot be reached, only %g", want, got);
    *out = promised ? want : got;
    *rounding = mean_error(P, a, o, e == 0, rest, size);
    scale_raise(P, s, o, e, keys, size, want, rounding);
    return scale_fits(P, v, s, o, err);
}

/* Where no key is of the query's class all weights are small, and still must be normal numbers: the least product of
 * two phi is. */
static bool weights_vanish(const at_program *P, const at_attention *a, const operands *o, double drop)
{
    double least = drop * drop;
    for (int k = 0; a->kernel && k < a->query.n; k++) {
        double e = at_exp(fmin(o->q[k].x.lo, 0)) * at_exp(fmin(o->k[k].x.lo, 0));
        least = k ? fmin(least, e) : e;
    }
    return o->rounded && P->unit > 0 && a->most <= 0 && !(least >= P->fmt.norm);
}

/* Queries and keys are mu (e - 1), or any numbers (mu = 1): an error of e multiplies a weight by at most exp(mu error), since
 * elu + 1 is steeper nowhere, relative to itself. An equal key weighs `same`, another one `other`. */
static double linear_error(const at_program *P, const at_attention *a, const operands *o, double scale,
                           double range, double size, double *rounding)
{
    double T = program_longest(P), n = a->query.n, drop = at_exp(-scale);
    double same = 1 + (n - 1) * drop * drop, other = 2 * drop + n * drop * drop;
    double apart = o->apart > 0 ? at_expm1(2 * (a->kernel ? 1 : scale) * o->apart) : 0;
    double rest = a->kernel ? 0 : T * other / same;
    *rounding = mean_error(P, a, o, !a->kernel && apart == 0, a->kernel ? 0 : rest + n * other, size);
    if (weights_vanish(P, a, o, drop))
        *rounding = INFINITY;
    return range * fmin(1, rest + apart);
}

/* Sums (at_attention.adds). Queries and keys are mu (e - 1) with mu = ADDS_SCALE, so that a key of another class weighs at most
 * (n + 2) drop with drop = e^-mu. Let A = AT_ANCHOR. The anchor's key is A - mu, its weight A + 1 - mu, times phi(q), whose components
 * are 1 and drop; values are multiplied by A. With S the sum over the class, at most `adds`, T keys of values up to V:
 *
 *   numerator    A S (1 + n drop^2) + at most A T V (n + 2) drop
 *   denominator  A (1 + n drop) (1 - (mu - 1)/A) + between 0 and T (1 + (n + 2) drop)
 *
 * so the quotient is S up to S ((T + mu) / A + ...) and what other classes add. drop is below every double (2^-1022 stands for it), and 0
 * in every format whose least number is one.
 *
 * Rounding. S is a sum of integers at most 2^p, exact in any order, A S likewise. If T + mu + n is at most A u / 4, less than half of
 * what lies between A and its neighbours, then the anchor's key, its phi, and every partial sum of the denominator that has the
 * anchor are A, and the division by a power of 2 is exact. Else the sums err by at most T + mu and the rest by some u. */
#define ADDS_SCALE 1024.0
#define ADDS_DROP  0x1p-1022

/* What wipes a sum: W = wipe_size, 2^(2p+1). A class holds A V, V an integer at most 2^p. Half of what lies between A W and the next
 * number is A W 2^-p = 2^(p+1) A, more than A V: so A V + A W is rounded to A W, and taking A W off leaves 0. This holds where the sum is
 * rounded to p bits after each of the two keys, and nowhere else: over the reals, or with p bits more, V would come back. The
 * value of a key is A x + A W w of one number x and one number w, of which one is 0: exact (o->wiped). */
double wipe_size(const at_program *P)
{
    return ldexp(1, 2 * P->fmt.p + 1);
}

static bool wipes(const at_program *P, const at_attention *a, const operands *o)
{
    return P->unit > 0 && o->wiped && a->adds <= ldexp(1, P->fmt.p) &&
           AT_ANCHOR * wipe_size(P) <= P->fmt.max / 4;
}

static double adds_error(const at_program *P, const at_attention *a, const operands *o, double *rounding)
{
    double T = program_longest(P), n = a->query.n, u = P->unit, aside = T + ADDS_SCALE + n;
    double others = T * (o->size * (n + 2) * ADDS_DROP + o->err), share = (2 * aside + 8) / AT_ANCHOR;
    *rounding = a->wipe.n && o->rounded && u == 0 ? INFINITY : 0; /* real numbers do not forget */
    if (!o->rounded || u == 0)
        return a->adds * share + 4 * others;
    if (o->apart > 0 || o->err > 0 || a->adds > ldexp(1, P->fmt.p) || a->adds * AT_ANCHOR > P->fmt.max / 4 ||
        (a->wipe.n && !wipes(P, a, o)))
        *rounding = INFINITY;
    else if (aside > AT_ANCHOR * u / 4)
        *rounding = a->adds * (share + 8 * u);
    return P->fmt.tiny > 0 && aside <= AT_ANCHOR * u / 4 ? 0 : a->adds * share + 4 * others;
}

/* The interpreter's own rounding of a mean of values of at most 1: of the division alone, where its sums are exact. */
static double meaning_mean(const at_program *P, const at_attention *a)
{
    double seen = keys_seen(P, a);
    bool exact = !a->kernel && !at_weighting_is(a->weighting, AT_IS_PAIRS);
    for (int k = 0; k < a->value.n; k++) {
        const var *x = &P->vars[a->value.v[k]];
        exact = exact && x->grain > GRAIN_NONE &&
                seen * fmax(fabs(x->lo), fabs(x->hi)) <= ldexp(0.999, 53 + x->grain);
    }
    return exact ? P->meaning : (seen + a->query.n + 8) * P->meaning;
}

/* Queries and keys of linear attention must be exact in real arithmetic. */
static at_status linear_scale(const at_program *P, const var *v, step *s, double e, double range, at_err *err)
{
    const at_attention *a = &s->a;
    double want = a->error > 0 ? a->error : fmax(range, 1) * 0x1p-20, T = program_longest(P);
    if (e > 0)
        return step_fail(P, v, err, "its %s have an error",
                         a->kernel ? "queries and keys" : "one-hot vectors");
    s->scale = a->kernel      ? 1
               : a->adds > 0  ? ADDS_SCALE
               : a->scale > 0 ? a->scale
                              : at_log(fmax(4 * range * T / want, a->query.n + 1.0));
    if (P->unit > 0 && s->scale > P->fmt.max)
        return step_fail(P, v, err, "its scale %g may overflow", s->scale);
    if (P->unit > 0 && !(a->scale > 0)) /* a weight of the arithmetic, so that mu e - mu is 0 */
        s->scale = at_p_round(&P->fmt, s->scale);
    return AT_OK;
}

/* Maximal keys share equally once the others are lower by 1. Sparsemax moves by at most as much as its scores. */
static at_status sparsemax_error(const at_program *P, const var *v, step *s, const operands *o, double e,
                                 double range, double *out, at_err *err)
{
    const at_attention *a = &s->a;
    double gap = a->gap - 2 * e;
    if (!o->rounded)
        s->scale =
            a->scale > 0 ? a->scale : at_exp2(ceil(-at_log2(gap))); /* a power of 2: scores stay exact */
    if (s->scale * gap < 1)
        return step_fail(P, v, err, "scale %g leaves other keys an error, %g is needed", s->scale, 1 / gap);
    if (e > 0 && !a->unique && !o->rounded) /* it sees every difference between the maximal keys */
        return step_fail(P, v, err, "score error %g breaks its ties", e);
    double moved = 2 * keys_seen(P, a) * s->scale * (e + scaling_error(P, a, o, s->scale));
    *out = a->unique ? 0 : range * fmin(1, moved);
    return scale_fits(P, v, s, o, err);
}

void operands_sum(const at_program *P, const at_attention *a, operands *o)
{
    o->score = score_bound(P, a, o);
    for (int k = 0; k < a->query.n; k++)
        o->apart = fmax(o->apart, o->q[k].err + o->k[k].err);
    for (int k = 0; k < a->value.n; k++) {
        const operand *x = &o->v[k];
        double r = spread(x), m = size_of(x), ve = x->err;
        o->over = fmax(o->over, x->over);
        if (at_weighting_is(a->weighting, AT_IS_PAIRS)) {
            const operand *y = &o->v2[k];
            m = bound_of(size_of(x) * size_of(y));
            r = 2 * m;
            ve = x->err * size_of(y) + y->err * size_of(x);
            ve = bound_of(ve + (o->rounded ? P->unit * fmax(m, P->fmt.norm) : 0));
            o->over = fmax(o->over, ve);
        }
        o->range = fmax(o->range, r);
        o->size = fmax(o->size, m);
        o->err = fmax(o->err, ve);
    }
}

at_status attention_error(at_program *P, at_var id, step *s, const operands *o, double *err_out,
                          double *over_out, at_err *err)
{
    const at_attention *a = &s->a;
    const var *v = &P->vars[id];
    double e = o->score, range = o->range, size = o->size;
    double own = 0, rounding = 0; /* the mean's */
    at_status st = AT_OK;
    /* By family; a weighting of none is not in programs (at_attend). */
    if (at_weighting_is(a->weighting, AT_IS_PHI)) {
        if (!o->rounded)
            st = linear_scale(P, v, s, e, range, err);
        own = a->adds > 0 ? adds_error(P, a, o, &rounding)
                          : linear_error(P, a, o, s->scale, range, size, &rounding);
    } else if (at_weighting_is(a->weighting, AT_IS_TIED)) {
        s->scale = 1;
        if (o->rounded && v->component == 0)
            st = attention_tie(P, id, s, err);
        if (!at_weighting_is(a->weighting, AT_IS_ONE))
            rounding = mean_error(P, a, o, true, 0, size);
    } else if (at_weighting_is(a->weighting, AT_IS_LEVEL)) {
        if (!(a->gap - 2 * e > 0))
            return step_fail(P, v, err, "score error %g leaves nothing of the gap %g", e, a->gap);
        st = sparsemax_error(P, v, s, o, e, range, &own, err);
        rounding = mean_error(P, a, o, false, 0, size);
    } else
        st = softmax_error(P, v, s, o, e, range, size, &own, &rounding, err);
    bool selects = at_weighting_is(a->weighting, AT_IS_ONE) || a->adds > 0 ||
                   a->total > 0; /* of these, sums are exact */
    double meaning = o->rounded && !selects && !(a->unique && v->integer) ? meaning_mean(P, a) * size : 0;
    *err_out = bound_of(o->err + own + rounding + meaning);
    *over_out = bound_of(o->over + rounding + (a->adds > 0 ? own : 0));
    return st;
}

/* ---- errors in real arithmetic ------------------------------------------------------------------------ */

static at_status integer_error(const at_program *P, const var *v, double e, at_err *err)
{
    if (e < MOST_ERROR)
        return AT_OK;
    const var *x = &P->vars[v->args[0]];
    char arith[16];
    at_arith_name(P->arith, arith);
    return step_fail(P, v, err,
                     "its argument, in %.15g..%.15g, has error %.3g in %s, at least 1/2 of an integer", x->lo,
                     x->hi, e, arith);
}

at_status point_error(const at_program *P, const var *v, const double e[3], const double over[3], double *out,
                      at_err *err)
{
    double d = 0;
    at_status s = AT_OK;
    switch (v->op) {
    case OP_RAMP:
        d = e[0] / (v->c1 - v->c0);
        break;
    case OP_NEAR:
        d = v->n_table * e[0] / v->c1;
        break;
    case OP_RELU:
    case OP_PASS:
        d = e[0];
        break;
    case OP_TIMES: {
        double size[2];
        for (int k = 0; k < 2; k++)
            size[k] = fmax(fabs(P->vars[v->args[k]].lo), fabs(P->vars[v->args[k]].hi)) + e[k];
        d = e[0] * size[1] + e[1] * size[0];
        if (!(P->lambda > 0))
            s = step_fail(P, v, err, "a product of reals needs GeLU units");
        break;
    }
    case OP_MAX:
    case OP_MIN:
    case OP_ABS:
        d = fmax(e[0], e[1]);
        break;
    case OP_SELECT: {
        const var *x = &P->vars[v->args[1]], *y = &P->vars[v->args[2]];
        /* The unit that is not selected is off by how far its argument leaves its range, and by the error of b. */
        d = fmin(fmax(e[1] + over[2], e[2] + over[1]), e[1] + e[2]);
        d += e[0] * (x->hi - x->lo + y->hi - y->lo + fabs(x->lo - y->lo));
        break;
    }
    case OP_AND:
    case OP_OR:
        d = e[0] + e[1];
        break;
    case OP_AT_LEAST:
    case OP_COMPARE:
    case OP_EQUALS:
        s = integer_error(P, v, e[0], err);
        break;
    case OP_FIELD:
    case OP_EMBED:
    case OP_REAL:
    case OP_POS:
    case OP_ROWS:
    case OP_LINEAR:
    case OP_TABLE:
    case OP_PRODUCT:
    case OP_ATTEND:
    default: { /* OP_TABLE, OP_PRODUCT */
        double both = e[0] + (v->op == OP_PRODUCT ? e[1] : 0);
        if (point_is_stairs(P, v))
            s = integer_error(P, v, both, err);
        else
            d = both * point_slope(P, v);
    }
    }
    *out = d + (P->lambda > 0 ? point_unit_error(P, v, e) : 0);
    return s;
}

/* The variables as they are in real arithmetic; a factor is as large as its error lets it be. */
static void operands_take(const at_program *P, at_vec v, bool factor, operand *to)
{
    for (int k = 0; k < v.n; k++) {
        const var *x = &P->vars[v.v[k]];
        double over = factor || P->lambda > 0 ? x->real : 0;
        to[k] = (operand){{x->lo - over, x->hi + over, 0, x->grain}, x->real, over};
    }
}

operands *operands_new(const at_attention *a, at_arena *arena)
{
    operands *o = at_new(arena, operands, 1);
    if (!o)
        return NULL;
    o->q = at_new(arena, operand, a->query.n);
    o->k = at_new(arena, operand, a->key.n); /* one more than the query where it adds */
    o->k2 = at_new(arena, operand, a->query.n);
    o->v = at_new(arena, operand, a->value.n);
    o->v2 = at_new(arena, operand, a->value.n);
    return o->q && o->k && o->k2 && o->v && o->v2 ? o : NULL;
}

/* All components of a step have one error. */
static at_status attention_real(at_program *P, at_var id, at_arena *arena, at_err *err)
{
    var *v = &P->vars[id];
    step *s = &P->steps[v->step];
    if (v->component) {
        v->real = P->vars[id - v->component].real;
        return AT_OK;
    }
    at_mark before = at_arena_mark(arena);
    operands *o = operands_new(&s->a, arena);
    double over;
    if (!o)
        return at_oom(err);
    bool three = at_weighting_is(s->a.weighting, AT_IS_PAIRS);
    operands_take(P, s->a.query, true, o->q);
    operands_take(P, s->a.key, true, o->k);
    operands_take(P, s->a.value, three, o->v);
    if (three) {
        operands_take(P, s->a.key2, true, o->k2);
        operands_take(P, s->a.value2, true, o->v2);
    }
    operands_sum(P, &s->a, o);
    at_status st = attention_error(P, id, s, o, &v->real, &over, err);
    at_arena_reset(arena, before);
    return st;
}

at_status schedule_errors(at_program *P, at_arena *arena, at_err *err)
{
    for (at_var id = 0; id < P->n_vars; id++) {
        var *v = &P->vars[id];
        double e[3] = {0};
        for (int k = 0; k < v->n_args && k < 3; k++)
            e[k] = P->vars[v->args[k]].real;
        at_status s = AT_OK;
        v->real = 0;
        v->grain = var_grain(P, v);
        if (v->op == OP_LINEAR)
            for (int k = 0; k < v->n_args; k++)
                v->real += fabs(v->coef[k]) * P->vars[v->args[k]].real;
        else if (op_is_point(v->op))
            s = point_error(P, v, e, P->lambda > 0 ? e : (double[3]){0}, &v->real, err);
        else if (v->op == OP_ATTEND)
            s = attention_real(P, id, arena, err);
        if (s)
            return s;
        v->err = v->real;
        v->over = P->lambda > 0 ? v->real : 0;
        if (op_is_input(v->op) && v->op != OP_FIELD)
            input_rounding(P, v);
    }
    return AT_OK;
}
