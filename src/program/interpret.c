/* interpret.c: what a program means, computed without weights.
 *
 * Legend: T positions, v variables, R outputs. Values are doubles; scores within half the promised gap of
 * the largest count as equal to it, which decides ties exactly as long as the promise holds. */
#include "program_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const at_program *P;
    const at_input *x;
    int T, row;    /* row: numbers a position takes */
    double *value; /* (n_vars, T) */
} machine;

static double *val(const machine *m, at_var v)
{
    return m->value + (size_t)v * (size_t)m->T;
}

/* Where field f starts in an input row. */
static int field_offset(const at_program *P, int f)
{
    int at = 0;
    for (int k = 0; k < f; k++)
        at += at_field_width(&P->fields[k]);
    return at;
}

double position_feature(at_pos_kind k, int64_t i, int64_t T)
{
    return at_pos_value(&(at_pos){.kind = k}, 0, i, T);
}

static double input_at(const machine *m, const var *v, int t)
{
    const at_program *P = m->P;
    int u = t - P->n_prefix; /* user position */
    if (v->op == OP_POS)
        return position_feature(v->pos, t + P->origin, m->T);
    if (v->op == OP_ROWS)
        return v->table[(size_t)t * (size_t)v->stride];
    if (u < 0)
        return v->prefix[t];
    if (u >= m->x->n)
        return v->suffix[u - m->x->n];
    if (v->field < 0)
        return 0;
    const double *row = m->x->v + (size_t)u * (size_t)m->row + field_offset(P, v->field);
    const at_field *f = &P->fields[v->field];
    if (v->op == OP_REAL)
        return row[v->component];
    int64_t r = f->kind == AT_FIELD_SUBSET ? at_subset_rank(row, f->pick) : (int64_t)row[0];
    return v->table[r * v->stride];
}

static double clamp01(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static double point_at(const machine *m, const var *v, int t)
{
    double a = val(m, v->args[0])[t], b = v->n_args > 1 ? val(m, v->args[1])[t] : 0, sum = 0;
    switch (v->op) {
    case OP_RAMP:
        return clamp01((a - v->c0) / (v->c1 - v->c0));
    case OP_RELU:
        return fmax(a, 0);
    case OP_PASS:
        return a;
    case OP_TIMES:
    case OP_PRODUCT:
        return a * b;
    case OP_MAX:
        return fmax(a, b);
    case OP_MIN:
        return fmin(a, b);
    case OP_ABS:
        return fabs(a);
    case OP_SELECT:
        return a > 0.5 ? b : val(m, v->args[2])[t];
    case OP_AND:
        return a > 0.5 && b > 0.5;
    case OP_OR:
        return a > 0.5 || b > 0.5;
    case OP_AT_LEAST:
        return a >= v->c0;
    case OP_COMPARE:
        return a >= 0.5;
    case OP_EQUALS:
        return a == v->c0;
    case OP_TABLE:
        return v->table[(size_t)(a - m->P->vars[v->args[0]].lo)];
    case OP_FIELD:
    case OP_EMBED:
    case OP_REAL:
    case OP_POS:
    case OP_ROWS:
    case OP_LINEAR:
    case OP_NEAR:
    case OP_ATTEND:
    default: /* OP_NEAR */
        for (int k = 0; k < v->n_table; k++)
            sum += clamp01((v->c0 + v->c1 - fabs(a - v->table[k])) / v->c1);
        return sum;
    }
}

static double score_at(const machine *m, const at_attention *a, int i, int j1, int j2)
{
    double s = 0;
    for (int k = 0; k < a->query.n; k++) {
        double p = val(m, a->query.v[k])[i] * val(m, a->key.v[k])[j1];
        s += at_weighting_is(a->weighting, AT_IS_PAIRS) ? p * val(m, a->key2.v[k])[j2] : p;
    }
    switch (a->post) {
    case AT_POST_ID:
        return s;
    case AT_POST_NEG_RELU:
        return -fmax(s, 0);
    case AT_POST_NEG_ABS:
        return -fabs(s);
    }
    return s;
}

static double elu1(double x)
{
    return x > 0 ? x + 1 : at_exp(x);
}

/* Linear attention of any queries and keys: the mean by the weights phi(q).phi(k). */
static void kernel_at(const machine *m, const at_attention *a, int i, double *out)
{
    double sum = 0;
    for (int j = 0; j < m->T; j++) {
        double w = 0;
        for (int k = 0; k < a->query.n && at_mask_allows(&a->mask, i, j); k++)
            w += elu1(val(m, a->query.v[k])[i]) * elu1(val(m, a->key.v[k])[j]);
        for (int k = 0; k < a->value.n; k++)
            out[k] += w * val(m, a->value.v[k])[j];
        sum += w;
    }
    for (int k = 0; k < a->value.n && sum > 0; k++)
        out[k] /= sum;
}

/* Value k of the keys of the query's class, in their order; what wipes makes the sum 0. False where the author's word is not kept. */
static bool wiped_sum_at(const machine *m, const at_attention *a, int i, int k, double *out)
{
    bool kept = true, going = false;
    *out = 0;
    for (int j = 0; j < m->T && kept; j++) {
        if (!at_mask_allows(&a->mask, i, j) || !(score_at(m, a, i, j, 0) > 0.5))
            continue;
        double x = val(m, a->value.v[k])[j], w = val(m, a->wipe.v[k])[j];
        bool begins = w > 0.5, ends = w < -0.5;
        kept = *out <= a->adds && !(begins && going) && !(ends && !going) && (!(going || begins) || x == 0);
        going = (going || begins) && !ends;
        *out = ends ? 0 : *out + x;
    }
    return kept && !going;
}

/* Linear attention that adds up: the keys of the query's class. False where the author's word is not kept. */
static bool sum_at(const machine *m, const at_attention *a, int i, double *out)
{
    int anchors = 0;
    bool kept = true;
    for (int j = 0; j < m->T; j++) {
        if (!at_mask_allows(&a->mask, i, j))
            continue;
        bool anchor = val(m, a->key.v[a->query.n])[j] > 0.5;
        anchors += anchor;
        for (int k = 0; k < a->value.n; k++) {
            double x = val(m, a->value.v[k])[j];
            kept = kept && !(anchor && x != 0);
            out[k] += score_at(m, a, i, j, 0) > 0.5 ? x : 0;
        }
    }
    for (int k = 0; k < a->wipe.n && kept; k++)
        kept = wiped_sum_at(m, a, i, k, &out[k]);
    for (int k = 0; k < a->value.n; k++)
        kept = kept && out[k] <= a->adds;
    return kept && anchors == 1;
}

/* All components of one attention step at query i. False where the author's word about a total is not kept. */
static bool attend_at(const machine *m, const at_attention *a, int i, double *out)
{
    bool three = at_weighting_is(a->weighting, AT_IS_PAIRS),
         right = at_weighting_is(a->weighting, AT_IS_LAST),
         left = at_weighting_is(a->weighting, AT_IS_ONE) && !right;
    int n2 = three ? m->T : 1;
    double best = -INFINITY;
    for (int j = 0; j < m->T; j++)
        for (int l = 0; l < n2; l++)
            if (at_mask_allows(&a->mask, i, j) && (!three || at_mask_allows(&a->mask, i, l)))
                best = fmax(best, score_at(m, a, i, j, l));
    double count = 0, gap = a->gaps ? a->gaps[i] : a->gap;
    for (int j = 0; j < m->T; j++)
        for (int l = 0; l < n2; l++) {
            if (!at_mask_allows(&a->mask, i, j) || (three && !at_mask_allows(&a->mask, i, l)) ||
                score_at(m, a, i, j, l) < best - gap / 2 || (left && count > 0))
                continue;
            for (int k = 0; k < a->value.n; k++) {
                double x = val(m, a->value.v[k])[j] * (three ? val(m, a->value2.v[k])[l] : 1);
                out[k] = right ? x : out[k] + x;
            }
            count = left || right ? 1 : count + 1;
        }
    bool kept = true;
    int e;
    for (int k = 0; k < a->value.n && count > 0; k++) {
        kept =
            kept && (!(a->total > 0) || (out[k] <= a->total && frexp(count, &e) == 0.5 && count <= a->most));
        out[k] /= count;
    }
    return kept;
}

#define KNOWN_SLACK 0x1p-20 /* an author's word holds up to the rounding of the interpreter */

/* Is the author's word true here? An integer is made one, also where nobody cares. */
static bool known_hold(const var *v, double *x, bool cares)
{
    if (!(*x >= v->lo - KNOWN_SLACK && *x <= v->hi + KNOWN_SLACK))
        return false;
    if (!v->integer)
        return true;
    double whole = nearbyint(*x);
    bool near = fabs(*x - whole) <= KNOWN_SLACK;
    *x = fmin(fmax(whole, v->lo), v->hi);
    return near || !cares;
}

static bool compare_hold(double x)
{
    return x <= KNOWN_SLACK || x >= 1 - KNOWN_SLACK;
}

static int larger_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Where the output is a distribution, R values become probabilities; scratch (R). Sparsemax by its definition: what is above tau keeps
 * the difference, and tau is such that these sum to 1 (Martins and Astudillo 2016). */
static void distribute(at_read_kind kind, double *p, int R, double *scratch)
{
    double sum = 0, tau = 0;
    memcpy(scratch, p, (size_t)R * sizeof *p);
    qsort(scratch, (size_t)R, sizeof *scratch, larger_first);
    if (kind == AT_READ_SOFTMAX) {
        for (int r = 0; r < R; r++)
            sum += at_exp(p[r] - scratch[0]);
        for (int r = 0; r < R; r++)
            p[r] = at_exp(p[r] - scratch[0]) / sum;
        return;
    }
    for (int k = 0; k < R; k++) {
        sum += scratch[k];
        if (1 + (k + 1) * scratch[k] > sum)
            tau = (sum - 1) / (k + 1);
    }
    for (int r = 0; r < R; r++)
        p[r] = fmax(0, p[r] - tau);
}

at_status at_program_run(const at_program *P, const at_input *x, at_arena *arena, double **out, at_err *err)
{
    if (at_program_status(P, err))
        return P->err.code;
    /* The domain is that of the model that would be assembled. */
    at_model domain = {
        .n_min = P->n_min, .n_max = P->N, .fields = (at_field *)P->fields, .n_fields = P->n_fields};
    at_status st = at_input_check(&domain, x, err);
    if (st)
        return st;
    machine m = {.P = P, .x = x, .T = P->n_prefix + x->n + P->n_suffix};
    if (P->last && !m.T)
        return at_fail(err, AT_EDOMAIN, "program %s: the empty input has no last position", P->name);
    m.row = field_offset(P, P->n_fields);
    m.value = at_new(arena, double, (size_t)P->n_vars *(size_t)m.T);
    int R = P->out.n;
    double *result = at_new(arena, double, (size_t)(P->last ? 1 : x->n) * (size_t)R);
    double *mixed = at_new(arena, double, P->n_vars + R + 1);
    if (!m.value || !result || !mixed)
        return at_oom(err);
    for (at_var id = 0; id < P->n_vars; id++) {
        const var *v = &P->vars[id];
        if (v->op == OP_FIELD || (v->op == OP_ATTEND && v->component > 0))
            continue;
        for (int t = 0; t < m.T; t++) {
            double *here = val(&m, id) + t;
            if (op_is_input(v->op))
                *here = input_at(&m, v, t);
            else if (op_is_point(v->op)) {
                *here = point_at(&m, v, t);
                if (v->op == OP_COMPARE && !compare_hold(val(&m, v->args[0])[t]))
                    return at_fail(
                        err, AT_EDOMAIN,
                        "program %s: %s is of %.17g at position %d, which is neither 1 or more nor 0 or "
                        "less",
                        P->name, v->name, val(&m, v->args[0])[t], t + 1);
            } else if (v->op == OP_LINEAR) {
                *here = v->c0;
                for (int k = 0; k < v->n_args; k++)
                    *here += v->coef[k] * val(&m, v->args[k])[t];
                if (v->known && !known_hold(v, here, v->when < 0 || val(&m, v->when)[t] > 0.5))
                    return at_fail(err, AT_EDOMAIN, "program %s: %s is %.17g at position %d, not %s %g..%g",
                                   P->name, v->name, *here, t + 1, v->integer ? "an integer in" : "in", v->lo,
                                   v->hi);
            } else { /* the components of a step are consecutive variables */
                int n = P->steps[v->step].a.value.n;
                for (int k = 0; k < n; k++)
                    mixed[k] = 0;
                const at_attention *a = &P->steps[v->step].a;
                if (a->kernel)
                    kernel_at(&m, a, t, mixed);
                else if (!(a->adds > 0)) {
                    if (!attend_at(&m, a, t, mixed))
                        return at_fail(
                            err, AT_EDOMAIN,
                            "program %s: %s has a total above %.17g at position %d, or its keys are "
                            "not a power of two, at most %d",
                            P->name, v->name, a->total, t + 1, a->most);
                } else if (!sum_at(&m, a, t, mixed))
                    return at_fail(
                        err, AT_EDOMAIN,
                        "program %s: %s sums up to more than %.17g at position %d, or is being wiped, or its "
                        "anchor is not one key of values 0",
                        P->name, v->name, a->adds, t + 1);
                for (int k = 0; k < n; k++)
                    val(&m, id + k)[t] = mixed[k];
            }
        }
    }
    for (int u = 0; u < (P->last ? 1 : x->n); u++)
        for (int r = 0; r < R; r++)
            result[(size_t)u * (size_t)R + (size_t)r] =
                val(&m, P->out.v[r])[P->last ? m.T - 1 : u + P->n_prefix];
    for (int u = 0; at_read_distribution(P->read) && u < (P->last ? 1 : x->n); u++)
        distribute(P->read, result + (size_t)u * (size_t)R, R, mixed);
    if (P->half > 0) {
        if (!(fabs(result[0]) >= P->half * (1 - KNOWN_SLACK)))
            return at_fail(err, AT_EDOMAIN, "program %s: %s is %.17g, which is nearer to 0 than %.9g",
                           P->name, P->vars[P->out.v[0]].name, result[0], P->half);
        result[0] = result[0] > 0 ? 1 : -1;
    }
    *out = result;
    return AT_OK;
}
