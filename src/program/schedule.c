/* schedule.c: errors, scales, phases and lifetimes: everything about a program that must be known before
 * coordinates are handed out.
 *
 * Phases. 0 is the embedding; odd phases are MLPs, even ones attention layers. A pointwise step belongs
 * to the first odd phase at or after its arguments' (several levels of one MLP), an attention step to the
 * first even phase after them: as soon as possible, so independent steps share a layer.
 *
 * Errors. err(v) bounds |weights' value - interpreter's value| in real arithmetic. Softmax with scale c,
 * T keys, score errors e and value range V leaves at most
 *     V min(1, T exp(-c (gap - 2e)) + exp(2ce) - 1),
 * the first part for keys that are not maximal, the second for ties that are no longer equal (none where the maximal
 * keys are promised to have one value); a mean of values never leaves their range.
 *
 * Besides being near the interpreter's value, the weights' value lies in the variable's range: means and
 * selections are convex, every other step is clamped or monotone. GeLU units are not clamped: there it lies within
 * err of the range, and `spread` and the selection's error say so.
 *
 * Liveness. What no output depends on has no phase of its own to reach: it gets no unit, head or
 * coordinate, and keeps nothing else alive. */
#include "schedule.h"

#include <math.h>

#define MOST_ERROR 0.499 /* of an integer that a step must still recognise */
#define LEVELS_MAX 60    /* hidden levels of one MLP: a model allows 64 layers */

static const char *label(const var *v)
{
    return v->name ? v->name : "an unnamed expression";
}

static double magnitude(const var *v)
{
    return fmax(fabs(v->lo), fabs(v->hi)) + v->err;
}

/* Width of the interval in which the weights' value lies. */
static double spread(const at_program *P, const var *v)
{
    return v->hi - v->lo + (P->lambda > 0 ? 2 * v->err : 0);
}

double score_error(const at_program *P, const at_attention *a, const double *query, const double *key)
{
    double e = 0;
    for (int k = 0; k < a->query.n; k++) {
        const var *f[3] = {&P->vars[a->query.v[k]], &P->vars[a->key.v[k]],
                           a->weighting == AT_THREEWISE ? &P->vars[a->key2.v[k]] : NULL};
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

static at_status attention_error(at_program *P, at_var id, step *s, double *err_out, at_err *err)
{
    at_attention *a = &s->a;
    const var *v = &P->vars[id];
    double e = score_error(P, a, NULL, NULL), T = program_longest(P), range = 0, value_err = 0;
    double keys = a->weighting == AT_THREEWISE ? T * T : T;
    for (int k = 0; k < a->value.n; k++) {
        const var *x = &P->vars[a->value.v[k]];
        double r = spread(P, x), ve = x->err;
        if (a->weighting == AT_THREEWISE) {
            const var *y = &P->vars[a->value2.v[k]];
            r = 2 * magnitude(x) * magnitude(y);
            ve = x->err * magnitude(y) + y->err * magnitude(x);
        }
        range = fmax(range, r);
        value_err = fmax(value_err, ve);
    }
    if (a->kernel) {
        s->scale = 1;
        *err_out = value_err;
        return e > 0
                   ? at_fail(err, AT_EDOMAIN, "program %s: attention %s: its queries and keys have an error",
                             P->name, label(v))
                   : AT_OK;
    }
    if (at_weighting_hard(a->weighting)) {
        s->scale = 1;
        *err_out = value_err;
        return attention_tie(P, id, s, err);
    }
    double gap = a->gap - 2 * e;
    if (gap <= 0)
        return at_fail(err, AT_EDOMAIN,
                       "program %s: attention %s: score error %g leaves nothing of the gap %g", P->name,
                       label(v), e, a->gap);
    switch (a->weighting) {
    case AT_SOFTMAX:
    case AT_THREEWISE: {
        double want = a->error > 0 ? a->error : fmax(range, 1) * 0x1p-20;
        bool promised = a->scale > 0 && a->error > 0;
        s->scale = a->scale > 0 ? a->scale : at_log(fmax(2 * range * keys / want, 2)) / gap;
        bool ties = a->weighting != AT_SOFTMAX || !a->unique; /* else maximal keys have one value */
        double apart = ties ? at_expm1(2 * s->scale * e) : 0;
        double got = range * fmin(1, keys * at_exp(-s->scale * gap) + apart);
        if (a->scale <= 0 && got > want)
            return at_fail(err, AT_EDOMAIN, "program %s: attention %s: error %g cannot be reached, only %g",
                           P->name, label(v), want, got);
        *err_out = value_err + (promised ? want : got);
        return AT_OK;
    }
    case AT_LINEAR: { /* q = mu (e - 1): an equal key weighs `same`, another one `other` */
        double want = a->error > 0 ? a->error : fmax(range, 1) * 0x1p-20, n = a->query.n;
        s->scale = a->scale > 0 ? a->scale : at_log(fmax(4 * range * T / want, n + 1));
        double drop = at_exp(-s->scale), same = 1 + (n - 1) * drop * drop, other = 2 * drop + n * drop * drop;
        *err_out = value_err + range * fmin(1, T * other / same);
        if (e > 0)
            return at_fail(err, AT_EDOMAIN, "program %s: attention %s: its one-hot vectors have an error",
                           P->name, label(v));
        return AT_OK;
    }
    default: /* sparsemax: maximal keys share equally once the others are lower by 1 */
        s->scale =
            a->scale > 0 ? a->scale : at_exp2(ceil(-at_log2(gap))); /* a power of 2: scores stay exact */
        if (s->scale * gap < 1)
            return at_fail(err, AT_EDOMAIN,
                           "program %s: attention %s: scale %g leaves other keys an error, %g is needed",
                           P->name, label(v), s->scale, 1 / gap);
        if (e > 0 && !a->unique) /* it sees every difference between the maximal keys */
            return at_fail(err, AT_EDOMAIN, "program %s: attention %s: score error %g breaks its ties",
                           P->name, label(v), e);
        *err_out = value_err;
        return AT_OK;
    }
}

static at_status integer_error(const at_program *P, const var *v, double e, at_err *err)
{
    if (e < MOST_ERROR)
        return AT_OK;
    return at_fail(err, AT_EDOMAIN, "program %s: %s: its argument has error %g, at least 1/2 of an integer",
                   P->name, label(v), e);
}

at_status schedule_errors(at_program *P, at_err *err)
{
    for (at_var id = 0; id < P->n_vars; id++) {
        var *v = &P->vars[id];
        double e[3] = {0};
        for (int k = 0; k < v->n_args && k < 3; k++)
            e[k] = P->vars[v->args[k]].err;
        at_status s = AT_OK;
        v->err = 0;
        switch (v->op) {
        case OP_LINEAR:
            for (int k = 0; k < v->n_args; k++)
                v->err += fabs(v->coef[k]) * P->vars[v->args[k]].err;
            break;
        case OP_RAMP:
            v->err = e[0] / (v->c1 - v->c0);
            break;
        case OP_NEAR:
            v->err = v->n_table * e[0] / v->c1;
            break;
        case OP_RELU:
        case OP_PASS:
            v->err = e[0];
            break;
        case OP_TIMES:
            v->err = e[0] * magnitude(&P->vars[v->args[1]]) + e[1] * magnitude(&P->vars[v->args[0]]);
            if (!(P->lambda > 0))
                s = at_fail(err, AT_EDOMAIN, "program %s: %s: a product of reals needs GeLU units", P->name,
                            label(v));
            break;
        case OP_MAX:
        case OP_MIN:
        case OP_ABS:
            v->err = fmax(e[0], e[1]);
            break;
        case OP_SELECT: {
            const var *x = &P->vars[v->args[1]], *y = &P->vars[v->args[2]];
            /* Values never leave their ranges, so the unit that is not selected is off by the error of b only. */
            v->err = P->lambda > 0 ? e[1] + e[2] : fmax(e[1], e[2]);
            v->err += e[0] * (x->hi - x->lo + y->hi - y->lo + fabs(x->lo - y->lo));
            break;
        }
        case OP_AND:
        case OP_OR:
            v->err = e[0] + e[1];
            break;
        case OP_AT_LEAST:
        case OP_EQUALS:
        case OP_TABLE:
            s = integer_error(P, v, e[0], err);
            break;
        case OP_PRODUCT:
            s = integer_error(P, v, e[0] + e[1], err);
            break;
        case OP_ATTEND:
            s = attention_error(P, id, &P->steps[v->step], &v->err, err);
            break;
        default:
            break;
        }
        if (s)
            return s;
        if (P->lambda > 0 && op_is_point(v->op))
            v->err += point_unit_error(P, v);
    }
    return AT_OK;
}

/* ---- phases ---------------------------------------------------------------------------------------- */

static int phase_of_vec(const schedule *S, at_vec v)
{
    int p = 0;
    for (int k = 0; k < v.n; k++)
        if (S->phase[v.v[k]] > p)
            p = S->phase[v.v[k]];
    return p;
}

static int max2(int a, int b)
{
    return a > b ? a : b;
}

static void live_vec(const schedule *S, at_vec v)
{
    for (int k = 0; k < v.n; k++)
        S->live[v.v[k]] = true;
}

/* Later variables only use earlier ones, so one pass backwards finds everything an output depends on. A
 * step with one live component is needed whole. */
static void schedule_live(const at_program *P, const schedule *S)
{
    live_vec(S, P->out);
    for (at_var id = P->n_vars - 1; id >= 0; id--) {
        const var *v = &P->vars[id];
        if (!S->live[id])
            continue;
        live_vec(S, (at_vec){v->n_args, v->args});
        if (v->op != OP_ATTEND)
            continue;
        const at_attention *a = &P->steps[v->step].a;
        if (v->component > 0)
            S->live[id - v->component] = true;
        live_vec(S, a->query);
        live_vec(S, a->key);
        live_vec(S, a->value);
        if (a->weighting == AT_THREEWISE) {
            live_vec(S, a->key2);
            live_vec(S, a->value2);
        }
    }
}

void schedule_phases(const at_program *P, schedule *S)
{
    S->last = 0;
    schedule_live(P, S);
    for (at_var id = 0; id < P->n_vars; id++) {
        const var *v = &P->vars[id];
        int p = phase_of_vec(S, (at_vec){v->n_args, v->args});
        if (op_is_point(v->op))
            p |= 1;
        else if (v->op == OP_ATTEND) {
            const at_attention *a = &P->steps[v->step].a;
            p = max2(max2(phase_of_vec(S, a->query), phase_of_vec(S, a->key)), phase_of_vec(S, a->value));
            if (a->weighting == AT_THREEWISE)
                p = max2(p, max2(phase_of_vec(S, a->key2), phase_of_vec(S, a->value2)));
            p = p % 2 ? p + 1 : p + 2;
        } else if (op_is_input(v->op))
            p = 0;
        /* Levels within an MLP. A form over many units is made narrow before a step reads it: one more
         * level between, where it is a unit or two, keeps the matrices small. */
        int level = 0;
        bool wide = false;
        for (int k = 0; k < v->n_args; k++) {
            at_var a = v->args[k];
            if (S->phase[a] != p)
                continue;
            level = max2(level, S->level[a] + (op_is_point(v->op) && S->wide[a]));
            wide = wide || S->wide[a];
        }
        if (op_is_point(v->op) && level >= LEVELS_MAX) { /* this MLP is as deep as can be: another one */
            p += 2;
            level = 0;
        }
        S->phase[id] = p;
        if (S->live[id])
            S->last = max2(S->last, p);
        S->level[id] = p % 2 ? level + op_is_point(v->op) : 0;
        S->wide[id] = op_is_point(v->op) ? point_is_wide(v) : v->op == OP_LINEAR && wide;
    }
}

/* ---- lifetimes ---------------------------------------------------------------------------------------- */

/* A linear expression is written to a coordinate of its own only by an MLP that computes one of its parts,
 * and only if it has several; otherwise its parts are kept and it is folded into whoever reads it. */
static bool is_folded(const at_program *P, const schedule *S, at_var v)
{
    const var *x = &P->vars[v];
    return x->op == OP_LINEAR && !S->in_place[v] && (S->phase[v] % 2 == 0 || x->n_args < 2);
}

/* v is used by a step of phase p: the coordinate that holds it, or those of its parts, must last. */
static void use(const at_program *P, schedule *S, at_var v, int p)
{
    const var *x = &P->vars[v];
    if (!is_folded(P, S, v)) {
        S->until[v] = max2(S->until[v], p);
        return;
    }
    for (int k = 0; k < x->n_args; k++)
        use(P, S, x->args[k], p);
}

static void use_vec(const at_program *P, schedule *S, at_vec v, int p)
{
    for (int k = 0; k < v.n; k++)
        use(P, S, v.v[k], p);
}

static void lifetimes_pass(const at_program *P, schedule *S)
{
    for (at_var id = 0; id < P->n_vars; id++)
        S->until[id] = -1;
    use_vec(P, S, P->out, S->last + 1);
    for (at_var id = P->n_vars - 1; id >= 0; id--) {
        const var *v = &P->vars[id];
        int p = S->phase[id];
        if (!S->live[id])
            continue;
        if (v->op == OP_ATTEND) {
            const at_attention *a = &P->steps[v->step].a;
            use_vec(P, S, a->query, p);
            use_vec(P, S, a->key, p);
            use_vec(P, S, a->value, p);
            if (a->weighting == AT_THREEWISE) {
                use_vec(P, S, a->key2, p);
                use_vec(P, S, a->value2, p);
            }
        } else if (op_is_point(v->op) || (v->op == OP_LINEAR && p % 2)) {
            for (int k = 0; k < v->n_args; k++)
                if (S->phase[v->args[k]] < p)
                    use(P, S, v->args[k], p);
        } else if (S->in_place[id]) { /* base + attention: both end here */
            at_var base = v->args[0], mix = v->args[1];
            S->until[base] = max2(S->until[base], p);
            S->until[mix] = max2(S->until[mix], p);
        }
    }
}

/* Two sums cannot both take over the coordinate of one base. */
static bool base_is_taken(const at_program *P, const schedule *S, at_var id)
{
    for (at_var other = 0; other < id; other++)
        if (S->in_place[other] && P->vars[other].args[0] == P->vars[id].args[0])
            return true;
    return false;
}

void schedule_lifetimes(const at_program *P, schedule *S)
{
    for (at_var id = 0; id < P->n_vars; id++) {
        const var *v = &P->vars[id];
        const var *base = v->accumulate ? &P->vars[v->args[0]] : NULL;
        S->in_place[id] = base && S->live[id] && S->phase[v->args[0]] < S->phase[id] &&
                          !is_folded(P, S, v->args[0]) && !base_is_taken(P, S, id);
    }
    for (bool again = true; again;) {
        lifetimes_pass(P, S);
        again = false;
        for (at_var id = 0; id < P->n_vars; id++)
            if (S->in_place[id] && (S->until[P->vars[id].args[0]] > S->phase[id] ||
                                    S->until[P->vars[id].args[1]] > S->phase[id] || S->until[id] < 0 ||
                                    is_folded(P, S, P->vars[id].args[0]))) {
                S->in_place[id] = false;
                again = true;
            }
    }
}
