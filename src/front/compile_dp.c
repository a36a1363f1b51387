/* compile_dp.c: a dynamic programme becomes a program, and so a decoder that reasons step by step.
 *
 * The sequence is   (s, 0, 0, 0) ...  (0, 0, 0, 0)  (0, i, dp, 0) ...  (0, 0, 0, answer)
 * inputs, a separator, one row a state in order, the answer. At the last row the program computes the next
 * one; it is fed back, rounded, until a row without a state comes after the separator.
 *
 *   1. The next state: counters with carries, as on an odometer; after the separator the first state.
 *   2. Where its dependencies stand: inputs at their index, states at n + 1 + rank. The rank is linear when
 *      bounds do not depend on other counters; an inner counter whose bounds depend on the outer one needs the
 *      outer one's offset: quadratic for triangles, where standard attention looks the square up (one layer more); else
 *      from a table of sqrt(L) units.
 *   3. COPY, one way a kind of attention (program.h).
 *   4. The transition, from min, max, comparisons and selections.
 *   5. At the last state the answer instead.
 * Look-ups that are steered by other look-ups simply come one attention layer later.
 *
 * Sizes are constants of the model: one model serves one size. With standard attention its tensor shapes do not
 * depend on the size (as long as offsets are quadratic), and so with local attention, block-sparse with blocks of m rows, m
 * the locality; with linear and sparse attention the width grows like sqrt(L). */
#include "dp_pack.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const at_dp_instance *x;
    const at_dp *d;
    at_program *P;
    at_var s, state[AT_DP_MAX], value[AT_DP_MAX]; /* this row */
    at_var next[AT_DP_MAX];                       /* the next state */
    at_copier *copier;
    at_copy_fn *copy;
    at_copying copying;
    dp_pack *pack; /* NULL: the plain construction */
    at_var take[AT_DP_MAX], need[AT_DP_MAX], let[AT_DP_MAX];
    at_var square[AT_DP_MAX]; /* of counters of the next state, or -1 */
    at_var final[AT_DP_MAX];  /* values at the state that the answer asks for */
    int serial;
    char name[32];
    at_err wrong; /* what fail_at said */
} compiler;

static const char *fresh(compiler *c)
{
    snprintf(c->name, sizeof c->name, "t%d", c->serial++);
    return c->name;
}

/* ---- expressions ------------------------------------------------------------------------------------- */

static bool is_const(const compiler *c, at_var v, double *value)
{
    at_var_info i = at_program_var(c->P, v);
    *value = i.lo;
    return v >= 0 && i.lo == i.hi;
}

static at_var product(compiler *c, at_var a, at_var b)
{
    double k;
    if (is_const(c, a, &k))
        return at_scaled(c->P, k, b);
    if (is_const(c, b, &k))
        return at_scaled(c->P, k, a);
    return at_product(c->P, fresh(c), a, b);
}

/* The first failure of the compiler, at the place in the file that it comes from. */
static at_var fail_at(compiler *c, int line, int column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static at_var fail_at(compiler *c, int line, int column, const char *fmt, ...)
{
    char text[160];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!c->wrong.code && !at_program_status(c->P, NULL))
        at_fail(&c->wrong, AT_EDOMAIN, "%.100s:%d:%d: %s", c->d->path, line, column, text);
    at_program_fail(c->P, "%s", text);
    return -1;
}

/* Steps that are made from now on come from this place in the file. */
static void place(compiler *c, int line, int column)
{
    char text[160];
    snprintf(text, sizeof text, "%.100s:%d:%d", c->d->path, line, column);
    at_program_place(c->P, text);
}

static void place_name(compiler *c, const at_dp_name *n)
{
    place(c, n->line, n->column);
}

/* Doubles keep 13 bits behind the point of numbers up to 2^40: enough for some hundreds of steps to stay far from the
 * rounding boundary at 1/2. */
#define LARGEST 0x1p40

static bool too_large(double lo, double hi)
{
    return lo < -LARGEST || hi > LARGEST;
}

static at_var modulo(compiler *c, const at_dpx *e, at_var a, at_var b)
{
    double m;
    if (!is_const(c, b, &m) || m < 1 || m > INT_MAX)
        return fail_at(c, e->arg[1]->line, e->arg[1]->column, "the modulus must be a constant in 1..%d",
                       INT_MAX);
    at_var q = at_floor_div(c->P, fresh(c), a, (int)m);
    return at_sum(c->P, NULL, AT_VEC(a, q), (double[]){1, -m}, 0);
}

static at_var translate(compiler *c, const at_dpx *e);

static at_var operation(compiler *c, const at_dpx *e, const at_var a[3])
{
    at_program *P = c->P;
    switch (e->op) {
    case AT_DPX_CONST:
        return at_const(P, (double)e->value);
    case AT_DPX_SIZE:
        return at_const(P, (double)c->x->size[e->index]);
    case AT_DPX_COUNTER:
        return c->next[e->index];
    case AT_DPX_TAKE:
        return c->take[e->index];
    case AT_DPX_NEED:
        return c->need[e->index] + e->field;
    case AT_DPX_VALUE:
        return c->final[e->index];
    case AT_DPX_LET:
        if (c->let[e->index] < 0)
            c->let[e->index] = translate(c, c->d->lets[e->index].rule);
        return c->let[e->index];
    case AT_DPX_ADD:
        return at_add(P, a[0], a[1]);
    case AT_DPX_SUB:
        return at_sub(P, a[0], a[1]);
    case AT_DPX_MUL:
        return product(c, a[0], a[1]);
    case AT_DPX_MOD:
        return modulo(c, e, a[0], a[1]);
    case AT_DPX_MIN:
        return at_min2(P, fresh(c), a[0], a[1]);
    case AT_DPX_MAX:
        return at_max2(P, fresh(c), a[0], a[1]);
    case AT_DPX_NEG:
        return at_neg(P, a[0]);
    case AT_DPX_ABS:
        return at_absolute(P, fresh(c), a[0]);
    case AT_DPX_EQ:
        return at_equals(P, fresh(c), at_sub(P, a[0], a[1]), 0);
    case AT_DPX_NE:
        return at_not(P, at_equals(P, fresh(c), at_sub(P, a[0], a[1]), 0));
    case AT_DPX_LT:
        return at_at_least(P, fresh(c), at_sub(P, a[1], a[0]), 1);
    case AT_DPX_LE:
        return at_at_least(P, fresh(c), at_sub(P, a[1], a[0]), 0);
    case AT_DPX_AND:
        return at_and(P, fresh(c), a[0], a[1]);
    case AT_DPX_OR:
        return at_or(P, fresh(c), a[0], a[1]);
    case AT_DPX_NOT:
        return at_not(P, a[0]);
    case AT_DPX_IF:
    default: /* AT_DPX_IF */
        return at_select(P, fresh(c), a[0], a[1], a[2]);
    }
}

static at_var translate(compiler *c, const at_dpx *e)
{
    at_var a[3] = {-1, -1, -1};
    for (int k = 0; k < 3 && e->arg[k]; k++)
        a[k] = translate(c, e->arg[k]);
    place(c, e->line, e->column);
    at_var v = operation(c, e, a);
    at_var_info r = at_program_var(c->P, v);
    if (v >= 0 && too_large(r.lo, r.hi))
        return fail_at(c, e->line, e->column,
                       "this can be %.0f..%.0f at these sizes; compiled are numbers in -2^40..2^40", r.lo,
                       r.hi);
    return v;
}

/* ---- states ---------------------------------------------------------------------------------------------- */

/* A bound of counter m, in terms of the counters in `at`. */
static at_var bound(compiler *c, const at_dpx *e, const at_var *at)
{
    at_var keep[AT_DP_MAX];
    memcpy(keep, c->next, sizeof keep);
    memcpy(c->next, at, sizeof keep);
    at_var v = translate(c, e);
    memcpy(c->next, keep, sizeof keep);
    return v;
}

/* Step 1. Returns whether this row holds the last state. */
static at_var next_state(compiler *c)
{
    at_program *P = c->P;
    int n = c->d->n_counters;
    const int64_t *first = c->x->state, *last = c->x->state + (c->x->n_states - 1) * n;
    at_var end[AT_DP_MAX], moves[AT_DP_MAX], now[AT_DP_MAX], is_last = at_const(P, 1);
    at_var started = at_at_least(P, "started", c->state[0], 1);
    for (int m = 0; m < n; m++) {
        place_name(c, &c->d->counters[m].name);
        end[m] = at_equals(P, fresh(c), at_sub(P, bound(c, c->d->counters[m].hi, c->state), c->state[m]), 0);
        is_last = at_and(P, fresh(c), is_last, at_equals(P, fresh(c), c->state[m], (double)last[m]));
    }
    memcpy(now, c->state, sizeof now);
    moves[n - 1] = at_const(P, 1);
    for (int m = n - 2; m >= 0; m--) { /* counter m moves when all inner ones are at their end */
        place_name(c, &c->d->counters[m].name);
        moves[m] = at_and(P, fresh(c), moves[m + 1], end[m + 1]);
    }
    for (int m = 0; m < n; m++) {
        at_var low = bound(c, c->d->counters[m].lo, now);
        place_name(c, &c->d->counters[m].name);
        at_var step = at_select(P, fresh(c), end[m], low, at_sum(P, NULL, AT_VEC(c->state[m]), NULL, 1));
        now[m] = at_select(P, fresh(c), moves[m], step, c->state[m]);
    }
    for (int m = 0; m < n; m++) {
        place_name(c, &c->d->counters[m].name);
        c->next[m] =
            at_select(P, c->d->counters[m].name.name, started, now[m], at_const(P, (double)first[m]));
    }
    return is_last;
}

static bool depends_on_counters(const at_dpx *e)
{
    if (e->op == AT_DPX_COUNTER)
        return true;
    for (int k = 0; k < 3 && e->arg[k]; k++)
        if (depends_on_counters(e->arg[k]))
            return true;
    return false;
}

/* A table: the number of states whose first counter is below i, for every i from lo to hi. */
static at_var offset_table(compiler *c, at_var i)
{
    at_var_info r = at_program_var(c->P, i);
    size_t n = (size_t)(r.hi - r.lo) + 1;
    double *t = at_calloc(n, sizeof *t);
    if (!t) {
        at_program_oom(c->P);
        return -1;
    }
    int64_t s = 0; /* states are in order, so those below are the first s */
    for (size_t k = 0; k < n; k++) {
        while (s < c->x->n_states && (double)c->x->state[s * c->d->n_counters] < r.lo + (double)k)
            s++;
        t[k] = (double)s;
    }
    at_var v = at_table(c->P, fresh(c), i, t);
    at_free(t);
    return v;
}

/* Is that number q[0] + q[1] i + q[2] i^2 for every i that occurs? That is so for triangles. And is position i seen
 * whenever a state of line i or later is computed, so that its square can be looked up? The row before the first state
 * of line i is at position n + 1 + offset. */
static bool offset_quadratic(const compiler *c, double q[3])
{
    const at_dp_instance *x = c->x;
    int n = c->d->n_counters;
    double first = (double)x->state[0], at[3] = {0};
    int lines = 0;
    q[0] = q[1] = q[2] = 0;
    for (int64_t s = 0; s < x->n_states; s++) {
        if (s > 0 && x->state[s * n] == x->state[(s - 1) * n])
            continue;
        double i = (double)x->state[s * n], want = (double)s;
        if (i > (double)(x->n_input + 1 + s))
            return false;
        if (lines < 3)
            at[lines] = want;
        lines++;
        if (lines == 3) { /* Newton's form through the first three lines */
            double d1 = at[1] - at[0], d2 = (at[2] - 2 * at[1] + at[0]) / 2;
            q[2] = d2;
            q[1] = d1 - d2 * (2 * first + 1);
            q[0] = at[0] - d1 * first + d2 * first * (first + 1);
        }
        if (lines >= 3 && q[0] + q[1] * i + q[2] * i * i != want)
            return false;
    }
    return lines >= 3;
}

/* of: what people call it. */
static at_var square_copy(compiler *c, const char *of, at_var v)
{
    char label[AT_NAME_MAX + 1];
    snprintf(label, sizeof label, "square of %.40s", of);
    at_program_label(c->P, label);
    at_var got = at_copy_square(c->copier, fresh(c), v);
    at_program_label(c->P, NULL);
    return got;
}

/* The square of counter m of the next state, looked up once. */
static at_var counter_square(compiler *c, int m)
{
    if (c->square[m] < 0)
        c->square[m] = square_copy(c, c->d->counters[m].name.name, c->next[m]);
    return c->square[m];
}

/* The square of e, whose value is v: (u + k)^2 = u^2 + 2 k u + k^2 for a counter u. */
static at_var square_of(compiler *c, const at_dpx *e, at_var v)
{
    const at_dpx *u = e, *shift = NULL;
    double k = 0;
    if ((e->op == AT_DPX_ADD || e->op == AT_DPX_SUB) && e->arg[0]->op == AT_DPX_COUNTER) {
        u = e->arg[0];
        shift = e->arg[1];
    }
    if (u->op != AT_DPX_COUNTER || (shift && !is_const(c, translate(c, shift), &k)))
        return square_copy(c, "an index", v);
    k = e->op == AT_DPX_SUB ? -k : k;
    return at_sum(c->P, NULL, AT_VEC(counter_square(c, u->index), c->next[u->index]), (double[]){1, 2 * k},
                  k * k);
}

/* The states before line i, where i is e. With standard attention a look-up of i^2 where that is enough, else a table
 * of sqrt(L) units. */
static at_var outer_offset(compiler *c, const at_dpx *e, at_var i)
{
    double q[3];
    if (c->copy != at_copy_standard || !offset_quadratic(c, q))
        return offset_table(c, i);
    return at_sum(c->P, NULL, AT_VEC(square_of(c, e, i), i), (double[]){q[2], q[1]}, q[0]);
}

/* Step 2: the rank of a state, 0-based, as a function of its counters: at, the values of the expressions e. */
static at_var rank_of(compiler *c, at_dpx *const *e, const at_var *at)
{
    const at_dp *d = c->d;
    int n = d->n_counters;
    bool linear = true;
    for (int m = 0; m < n; m++)
        linear = linear && !depends_on_counters(d->counters[m].lo) && !depends_on_counters(d->counters[m].hi);
    if (!linear && n == 2) { /* offset of the outer counter, then the place inside */
        at_var low = bound(c, d->counters[1].lo, at);
        return at_sum(c->P, NULL, AT_VEC(outer_offset(c, e[0], at[0]), at[1], low), (double[]){1, 1, -1}, 0);
    }
    if (!linear) {
        at_program_fail(c->P, "bounds that depend on other counters are compiled for two counters only");
        return -1;
    }
    double stride = 1, coef[AT_DP_MAX], c0 = 0;
    for (int m = n - 1; m >= 0; m--) {
        double lo, hi;
        if (!is_const(c, bound(c, d->counters[m].lo, at), &lo) ||
            !is_const(c, bound(c, d->counters[m].hi, at), &hi))
            return -1;
        coef[m] = stride;
        c0 -= stride * lo;
        stride *= hi - lo + 1;
    }
    return at_sum(c->P, NULL, (at_vec){n, at}, coef, c0);
}

/* ---- fetching ----------------------------------------------------------------------------------------- */

/* An input that steers a look-up must be exact, since its error is multiplied by positions. A table rounds it, a
 * few units for each value that it can have; where those are many the copy itself is made more exact. */
static at_var take_copy(compiler *c, int k, at_var target)
{
    enum { FEW = 256 };
    double same[FEW];
    const char *name = c->d->takes[k].name.name;
    at_var_info r = at_program_var(c->P, c->s);
    bool steers = c->d->steering >> k & 1, rounds = steers && r.hi - r.lo < FEW;
    at_program_label(c->P, name); /* whatever heads the copy takes */
    at_var got = c->copy(c->copier, name, target, AT_VEC(c->s), steers && !rounds);
    at_program_label(c->P, NULL);
    if (!rounds || got < 0)
        return got;
    r = at_program_var(c->P, got);
    for (int v = 0; v <= (int)(r.hi - r.lo); v++)
        same[v] = r.lo + v;
    return at_table(c->P, fresh(c), got, same);
}

static void fetch_all(compiler *c)
{
    const at_dp *d = c->d;
    at_program *P = c->P;
    double n = (double)c->x->n_input;
    if (c->pack) {
        dp_pack_fetch(c->pack, P, c->s, c->value, c->take, c->need, &c->final[0]);
        return;
    }
    for (int k = 0; k < d->n_takes; k++) {
        at_var index = translate(c, d->takes[k].index);
        place_name(c, &d->takes[k].name);
        at_var target = at_sum(P, NULL, AT_VEC(index), NULL, (double)c->x->input_first[d->takes[k].input]);
        c->take[k] = take_copy(c, k, target);
    }
    for (int k = 0; k < d->n_needs; k++) {
        at_var at[AT_DP_MAX];
        for (int m = 0; m < d->n_counters; m++)
            at[m] = translate(c, d->needs[k].counter[m]);
        place_name(c, &d->needs[k].name);
        at_var target = at_sum(P, NULL, AT_VEC(rank_of(c, d->needs[k].counter, at)), NULL, n + 2);
        place_name(c, &d->needs[k].name);
        at_program_label(P, d->needs[k].name.name);
        c->need[k] =
            c->copy(c->copier, d->needs[k].name.name, target, (at_vec){d->n_values, c->value}, false);
        at_program_label(P, NULL);
    }
}

/* ---- the program ------------------------------------------------------------------------------------------- */

/* Rows hold zeros where they say nothing, so 0 always counts. */
static double largest(const int64_t *a, int n)
{
    double m = 0;
    for (int k = 0; k < n; k++)
        m = (double)a[k] > m ? (double)a[k] : m;
    return m;
}

static double smallest(const int64_t *a, int n)
{
    double m = 0;
    for (int k = 0; k < n; k++)
        m = (double)a[k] < m ? (double)a[k] : m;
    return m;
}

/* Step 5: the values that the answer asks for: this row's when it asks for the last state, else a copy. */
static void final_values(compiler *c)
{
    const at_dp *d = c->d;
    int64_t at[AT_DP_MAX];
    bool last = true;
    for (int m = 0; m < d->n_counters; m++) {
        double v = (double)c->x->state[(c->x->n_states - 1) * d->n_counters + m];
        at[m] = (int64_t)v;
        if (d->answer_state[m] && is_const(c, translate(c, d->answer_state[m]), &v)) {
            last = last && at[m] == (int64_t)v;
            at[m] = (int64_t)v;
        }
    }
    at_var first = c->pack ? c->final[0] : c->value[0];
    place(c, d->answer->line, d->answer->column);
    if (!last && !c->pack) /* there it is fetched with the others */
        first =
            c->copy(c->copier, "final", at_const(c->P, (double)(c->x->n_input + 2 + at_dp_rank(c->x, at))),
                    (at_vec){d->n_values, c->value}, false);
    for (int k = 0; k < d->n_values; k++)
        c->final[k] = first + k;
}

static void build(compiler *c)
{
    const at_dp *d = c->d;
    const at_dp_instance *x = c->x;
    at_program *P = c->P;
    int64_t top = 0;
    for (int64_t k = 0; k < x->n_states * d->n_counters; k++)
        top = x->state[k] > top ? x->state[k] : top;
    double value_lo = smallest(x->value_lo, d->n_values), value_hi = largest(x->value_hi, d->n_values);
    for (int k = 0; k < d->n_values; k++)
        if (too_large((double)x->value_lo[k], (double)x->value_hi[k]))
            fail_at(c, d->values[k].name.line, d->values[k].name.column,
                    "%s lies in %jd..%jd at these sizes; compiled are numbers in -2^40..2^40",
                    d->values[k].name.name, (intmax_t)x->value_lo[k], (intmax_t)x->value_hi[k]);
    if (c->pack)
        at_prefix(P, 1);
    at_program_lengths(P, (int)x->n_input + 1);
    c->s = at_ints(P, "input", 1, smallest(x->input_lo, d->n_inputs), largest(x->input_hi, d->n_inputs));
    at_var state = at_ints(P, "state", d->n_counters, 0, (double)top);
    at_var value = at_ints(P, "value", d->n_values, value_lo, value_hi);
    at_ints(P, "answer", 1, smallest(&x->answer_lo, 1), largest(&x->answer_hi, 1));
    for (int m = 0; m < d->n_counters; m++)
        c->state[m] = state + m;
    for (int k = 0; k < d->n_values; k++)
        c->value[k] = value + k;
    c->copier = c->pack ? NULL : at_copier_new(P, &c->copying);
    at_var out[2 + 2 * AT_DP_MAX], zero = at_const(P, 0), is_last = at_const(P, 1);
    bool any = x->n_states > 0; /* without states the answer follows the separator */
    if (any) {
        is_last = next_state(c);
        fetch_all(c);
        final_values(c);
    }
    for (int k = 0; !any && k < d->n_values; k++)
        c->final[k] = zero; /* in a branch that is not taken */
    int n = 0;
    out[n++] = zero;
    for (int m = 0; m < d->n_counters; m++) {
        place_name(c, &d->counters[m].name);
        out[n++] = any ? at_select(P, fresh(c), is_last, zero, c->next[m]) : zero;
    }
    for (int k = 0; k < d->n_values; k++) /* step 4 */
        out[n++] = any ? at_select(P, fresh(c), is_last, zero, translate(c, d->values[k].rule)) : zero;
    out[n++] = at_select(P, "answer'", is_last, translate(c, d->answer), zero);
    at_emit(P, (at_vec){n, out}, AT_READ_ROUND, 0);
    at_copier_free(c->copier);
}

/* What the options leave out of the construction, for controls. */
static at_status fewer_apply(const at_dp_instance *x, const at_dp_options *o, at_copying *copying,
                             at_err *err)
{
    int L = (int)x->L, W = (int)ceil(sqrt(L)), m = (int)x->locality, all = 0;
    copying->length = L;
    switch (o->attention) {
    case AT_ATTENTION_LOCAL:
        if (m < 0)
            return at_fail(err, AT_EREFUSED,
                           "local attention needs the locality of the recurrence, which is unknown here: "
                           "inputs steer its %jd states in too many ways",
                           (intmax_t)x->n_states);
        /* Row i writes row i+1, which needs rows i+1-m..i; a window of m rows ends at row i. */
        all = m > 1 ? m : 1;
        copying->block = all - o->fewer;
        break;
    case AT_ATTENTION_LINEAR:
        all = (L - 1) / W + 1;
        copying->blocks = all - o->fewer;
        break;
    case AT_ATTENTION_SPARSE:
        all = W;
        copying->slots = all - o->fewer;
        break;
    case AT_ATTENTION_STANDARD:
        return AT_OK;
    }
    return o->fewer < all
               ? AT_OK
               : at_fail(err, AT_EDOMAIN, "%d fewer, and there are only %d; one must be left", o->fewer, all);
}

static at_copy_fn *copy_of(at_attention_kind k)
{
    switch (k) {
    case AT_ATTENTION_STANDARD:
        return at_copy_standard;
    case AT_ATTENTION_LINEAR:
        return at_copy_linear;
    case AT_ATTENTION_SPARSE:
        return at_copy_sparse;
    case AT_ATTENTION_LOCAL:
        return at_copy_window;
    }
    return NULL;
}

/* error: of copies; 0: what integers need. */
static at_status program_of(const at_dp_instance *x, const at_dp_options *o, double error, at_program **out,
                            at_err *err)
{
    const at_dp *d = x->d;
    compiler c = {.x = x, .d = d, .copy = copy_of(o->attention), .copying = {.error = error}};
    if (x->L > AT_MAX_LENGTH)
        return at_fail(err, AT_EDOMAIN, "%.100s:%d:%d: L = %jd rows at these sizes; at most %d", d->path,
                       d->n_sizes ? d->sizes[0].line : 1, d->n_sizes ? d->sizes[0].column : 1, (intmax_t)x->L,
                       AT_MAX_LENGTH);
    at_status s = o->pack ? dp_pack_open(x, o, &c.pack, err) : fewer_apply(x, o, &c.copying, err);
    if (s)
        return s;
    for (int k = 0; k < AT_DP_MAX; k++)
        c.let[k] = c.take[k] = c.need[k] = c.final[k] = c.square[k] = -1;
    if (!(c.P = at_program_new(d->title, (int)x->L))) {
        dp_pack_close(c.pack);
        return at_oom(err);
    }
    if (o->scale != 0)
        at_program_weaken(c.P, o->scale);
    if (o->arith)
        at_program_arithmetic(c.P, *o->arith);
    if (o->reals)
        at_program_reals(c.P);
    build(&c);
    dp_pack_close(c.pack);
    s = c.wrong.code ? at_fail(err, c.wrong.code, "%s", c.wrong.text) : at_program_status(c.P, err);
    if (s)
        at_program_free(c.P);
    else
        *out = c.P;
    return s;
}

at_status at_dp_program(const at_dp_instance *x, const at_dp_options *o, at_program **out, at_err *err)
{
    return program_of(x, o, 0, out, err);
}

/* Rows are rounded before they are fed back, so errors below 1/2 vanish; half of that is kept in reserve. A rule may multiply
 * the error of a copy (1000000 x): then copies are made as exact as doubles are. */
#define ERROR_MOST  0.25
#define ERROR_LEAST 0x1p-64

/* Says where it comes from: the first step whose error is at least half of the worst, its place in the file, its range. */
static at_status too_vague(const at_program *P, const at_dp_options *o, at_err *err)
{
    double most = 0;
    at_var_info worst = {0};
    char arith[16];
    at_arith_name(o->arith ? *o->arith : at_f64, arith);
    for (at_var v = 0; v < at_program_vars(P); v++)
        most = fmax(most, at_program_var(P, v).err);
    for (at_var v = at_program_vars(P) - 1; v >= 0; v--) {
        at_var_info i = at_program_var(P, v);
        if (i.name && !(i.err < most / 2))
            worst = i;
    }
    return at_fail(err, AT_EDOMAIN,
                   "%s%sthis, in %.17g..%.17g, has an error of up to %.3g in %s, and %g is the most that "
                   "rounding rows removes",
                   worst.place ? worst.place : "", worst.place ? ": " : "", worst.lo, worst.hi, worst.err,
                   arith, ERROR_MOST);
}

static at_status assembled(const at_dp_instance *x, const at_dp_options *o, bool weights, at_model *m,
                           at_err *err)
{
    at_status s = AT_OK;
    for (int k = 0; k < 2; k++) {
        double bound = 0;
        at_program *P;
        at_err why = {0};
        s = program_of(x, o, k ? ERROR_LEAST : 0, &P, err);
        if (s)
            return s;
        s = weights ? at_assemble(P, m, &bound, &why) : at_program_shape(P, m, &why);
        bool vague = !s && !(bound < ERROR_MOST);
        if (vague) {
            at_model_release(m);
            s = too_vague(P, o, &why);
        }
        at_program_free(P);
        if (!s)
            return AT_OK;
        if (s != AT_EDOMAIN || k) /* the first refusal may be for an error that is too large */
            return at_fail(err, s, "%s", why.text);
    }
    return s;
}

/* What a prompt is: each input in its own range, and the separator. */
static at_status prompt_say(const at_dp_instance *x, at_model *m, at_err *err)
{
    const at_dp *d = x->d;
    int width = at_model_row_width(m), n = 0;
    at_stretch *s = at_new(&m->arena, at_stretch, d->n_inputs + 1);
    for (int k = 0; s && k <= d->n_inputs; k++) {
        bool bar = k == d->n_inputs;
        int rows = bar ? 1 : (int)x->input_len[k];
        if (!rows)
            continue;
        double *lo = at_new(&m->arena, double, width), *hi = at_new(&m->arena, double, width);
        if (!lo || !hi)
            return at_oom(err);
        lo[0] = bar ? 0 : (double)x->input_lo[k];
        hi[0] = bar ? 0 : (double)x->input_hi[k];
        s[n++] = (at_stretch){rows, rows, width, lo, hi};
    }
    m->decode.prompt = s;
    m->decode.n_prompt = n;
    return s ? AT_OK : at_oom(err);
}

/* Which recurrence at which sizes. */
static at_status sizes_remember(const at_dp_instance *x, at_model *m, at_err *err)
{
    const at_dp *d = x->d;
    at_param rows[AT_DP_MAX];
    at_params p;
    for (int k = 0; k < d->n_sizes; k++)
        rows[k] = (at_param){.name = d->sizes[k].name, .value = (double)x->size[k], .integer = true};
    at_params_init(&p, rows, d->n_sizes);
    return at_problem_remember(d->known ? d->known : d->path, d->known ? NULL : d->digest, &p, m, err);
}

static at_status decoder_of(const at_dp_instance *x, const at_dp_options *o, bool weights, at_model *m,
                            at_err *err)
{
    const char *path = x->d->path;
    at_err why = {0};
    at_status s = assembled(x, o, weights, m, &why);
    if (s &&
        (s == AT_ENOMEM || !strncmp(why.text, path, strnlen(path, 100)))) /* or it names its place already */
        return at_fail(err, s, "%s", why.text);
    if (s)
        return at_fail(err, s, "%.100s: %s", path, why.text);
    /* The answer is the first row without a state. It is not fed back, so n_max = L leaves one to spare. */
    m->decode = (at_decode){.enabled = true,
                            .stop = AT_STOP_EQUALS,
                            .coordinate = 1,
                            .value = 0,
                            .max_steps = (int)x->n_states + 1,
                            .prompt_min = (int)x->n_input + 1,
                            .prompt_max = (int)x->n_input + 1};
    s = prompt_say(x, m, err);
    if (!s)
        s = sizes_remember(x, m, err);
    if (!s)
        s = weights ? at_model_validate(m, err) : at_model_shape(m, err); /* either checks the stop rule */
    if (s)
        at_model_release(m);
    return s;
}

at_status at_dp_model(const at_dp_instance *x, const at_dp_options *o, at_model *m, at_err *err)
{
    return decoder_of(x, o, true, m, err);
}

at_status at_dp_shape(const at_dp_instance *x, const at_dp_options *o, at_model *m, at_err *err)
{
    return decoder_of(x, o, false, m, err);
}
