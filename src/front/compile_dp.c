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
 *      from a table of sqrt(L) units. Of more counters those before the last one that depends on others are
 *      packed into one number, and a table of it has the offset: a unit or two a line.
 *   3. COPY, one way a kind of attention (program.h).
 *   4. The transition, from min, max, comparisons and selections. What folds and what the answer gathers is read in
 *      this very row, which is the one before.
 *   5. At the last state the answer instead.
 * Look-ups that are steered by other look-ups, or by values, simply come one attention layer later.
 *
 * Sizes are constants of the model: one model serves one size. With standard attention its tensor shapes do not
 * depend on the size (as long as offsets are quadratic), and so with local attention, block-sparse with blocks of m rows, m
 * the locality; with linear and sparse attention the width grows like sqrt(L). */
#include <attest/front.h>

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
    at_var take[AT_DP_MAX], need[AT_DP_MAX], let[AT_DP_MAX];
    at_var square[AT_DP_MAX]; /* of counters of the next state, or -1 */
    at_var now[AT_DP_MAX];    /* values of the next state, or -1 */
    at_var final[AT_DP_MAX];  /* values at the state that the answer asks for */
    bool answers;             /* it is the answer that is translated */
    at_var *memo;             /* (n_nodes) of each node at the next state, or -1 */
    bool away;                /* counters are not those of the next state: nothing is remembered */
    int copied
        [AT_DP_MAX]; /* the values that dependencies are copied for, and the place of each among them, or -1 */
    int n_copied, place_of[AT_DP_MAX];
    at_var exact[AT_DP_MAX][AT_DP_MAX]; /* of dependencies that steer, by value, or -1 */
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

static double width_of(const compiler *c, at_var v)
{
    at_var_info i = at_program_var(c->P, v);
    return i.hi - i.lo + 1;
}

/* x y, where y has few values: for each of them the multiple of x, if y is it. */
static at_var product_by_cases(compiler *c, at_var x, at_var y)
{
    enum { MOST = 256 };
    at_var_info r = at_program_var(c->P, y);
    at_var parts[MOST], zero = at_const(c->P, 0);
    int n = 0;
    for (double v = r.lo; v <= r.hi && n < MOST; v++) {
        if (v == 0)
            continue;
        at_var is = at_equals(c->P, fresh(c), y, v);
        parts[n++] = at_select(c->P, fresh(c), is, at_scaled(c->P, v, x), zero);
    }
    return n ? at_sum(c->P, NULL, (at_vec){n, parts}, NULL, 0) : zero;
}

/* A product takes about two units for each number that the factors' sum and difference can be; a case takes about
 * eight. */
static at_var product(compiler *c, at_var a, at_var b)
{
    enum { CASE_UNITS = 8, FEW = 250 };
    double k;
    if (is_const(c, a, &k))
        return at_scaled(c->P, k, b);
    if (is_const(c, b, &k))
        return at_scaled(c->P, k, a);
    double wa = width_of(c, a), wb = width_of(c, b), least = fmin(wa, wb);
    if (least <= FEW && CASE_UNITS * least < 2 * (wa + wb))
        return wa < wb ? product_by_cases(c, b, a) : product_by_cases(c, a, b);
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

/* a mod m and floor(a/m), where a has too many values for a table: the multiples 2^k m that fit are taken off, from the
 * largest on, two levels each. Nothing is multiplied by m but what is known before, so that errors stay small. */
static at_var reduced(compiler *c, at_var a, double m, at_var *quotient)
{
    at_program *P = c->P;
    at_var_info r = at_program_var(P, a);
    double from = floor(r.lo / m), step = 1, hi = r.hi - from * m, coef[64];
    at_var left = at_sum(P, NULL, AT_VEC(a), NULL, -from * m), fits[64];
    int n = 0;
    while (2 * step * m <= hi)
        step *= 2;
    for (; hi >= m; step /= 2) {
        if (step * m > hi)
            continue;
        fits[n] = at_at_least(P, fresh(c), left, step * m);
        at_var less = at_sum(P, NULL, AT_VEC(left), NULL, -step * m);
        left = at_select(P, fresh(c), fits[n], less, left);
        hi = fmax(step * m - 1, hi - step * m);
        left = at_known(P, fresh(c), left, 0, hi, true, -1);
        coef[n++] = step;
    }
    *quotient = n ? at_sum(P, NULL, (at_vec){n, fits}, coef, from) : at_const(P, from);
    return left;
}

/* a mod b, or floor(a/b). */
static at_var divided(compiler *c, const at_dpx *e, at_var a, at_var b)
{
    enum { TABLE = 1 << 16 };
    double m;
    at_var q;
    at_var_info r = at_program_var(c->P, a);
    if (!is_const(c, b, &m) || m < 1 || m > INT_MAX)
        return fail_at(c, e->arg[1]->line, e->arg[1]->column, "the %s must be a constant in 1..%d",
                       e->op == AT_DPX_MOD ? "modulus" : "divisor", INT_MAX);
    if (a < 0)
        return -1;
    if (r.hi - r.lo >= TABLE) {
        at_var left = reduced(c, a, m, &q);
        return e->op == AT_DPX_MOD ? left : q;
    }
    q = at_floor_div(c->P, fresh(c), a, (int)m);
    return e->op == AT_DPX_MOD ? at_sum(c->P, NULL, AT_VEC(a, q), (double[]){1, -m}, 0) : q;
}

/* An entry of a table of the file; where nobody looks, the nearest. */
static at_var entry(compiler *c, const at_dpx *e, at_var at)
{
    const at_dp_table *t = &c->d->tables[e->index];
    at_var_info r = at_program_var(c->P, at);
    double n = r.hi - r.lo + 1;
    if (at < 0)
        return -1;
    if (n > 1 << 16)
        return fail_at(c, e->line, e->column, "the place can be %.0f..%.0f; that is too much for a table",
                       r.lo, r.hi);
    double *values = at_calloc((size_t)n, sizeof *values);
    if (!values) {
        at_program_oom(c->P);
        return -1;
    }
    for (int k = 0; k < (int)n; k++) {
        double i = fmin(fmax(r.lo + k, 1), t->n);
        values[k] = (double)t->value[(int)i - 1];
    }
    at_var v = at_table(c->P, fresh(c), at, values);
    at_free(values);
    return v;
}

static at_var translate(compiler *c, const at_dpx *e);

static at_var take_of(compiler *c, int k);
static at_var need_of(compiler *c, int k, int field);
static at_var value_now(compiler *c, int k);

/* k of a fold: its own beginning, and as many more as the rows of the state have gone. */
static at_var over(compiler *c, int k)
{
    const at_dp *d = c->d;
    const at_dp_block *b = &d->blocks[d->values[k].block];
    at_var row = c->next[d->hidden + b->n];
    if (k == b->fold)
        return row;
    at_var own = translate(c, d->values[k].lo), first = translate(c, d->values[b->fold].lo);
    return at_sum(c->P, NULL, AT_VEC(row, own, first), (double[]){1, 1, -1}, 0);
}

/* Is the next state this one? */
static at_var state_is(compiler *c, int64_t rank)
{
    at_var is = at_const(c->P, rank >= 0);
    for (int m = 0; rank >= 0 && m < c->d->n_counters; m++) {
        double u = (double)c->x->state[rank * c->d->n_counters + m];
        is = at_and(c->P, fresh(c), is, at_equals(c->P, fresh(c), c->next[m], u));
    }
    return is;
}

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
        return take_of(c, e->index);
    case AT_DPX_NEED:
        return need_of(c, e->index, e->field);
    case AT_DPX_VALUE:
        return c->answers ? c->final[e->index] : value_now(c, e->index);
    case AT_DPX_OVER:
        return over(c, e->index);
    case AT_DPX_FOLD:
        return value_now(c, e->index);
    case AT_DPX_BEFORE:
        return c->value[e->index];
    case AT_DPX_FIRST:
        return state_is(c, c->x->first[e->index]);
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
    case AT_DPX_DIV:
        return divided(c, e, a[0], a[1]);
    case AT_DPX_TABLE:
        return entry(c, e, a[0]);
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
    bool keeps = !c->away && !c->answers; /* parts that stand at several places are made once */
    if (keeps && c->memo[e->node] >= 0)
        return c->memo[e->node];
    for (int k = 0; k < 3 && e->arg[k]; k++)
        a[k] = translate(c, e->arg[k]);
    place(c, e->line, e->column);
    at_var v = operation(c, e, a);
    if (keeps)
        c->memo[e->node] = v;
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
    bool away = c->away;
    c->away = true;
    memcpy(keep, c->next, sizeof keep);
    memcpy(c->next, at, sizeof keep);
    at_var v = translate(c, e);
    memcpy(c->next, keep, sizeof keep);
    c->away = away;
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

/* The number of states before the first whose first n counters are at least these. */
static int64_t states_before(const at_dp_instance *x, const double *prefix, int n)
{
    int64_t lo = 0, hi = x->n_states;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        const int64_t *row = x->state + mid * x->d->n_counters;
        int m = 0;
        while (m < n && (double)row[m] == prefix[m])
            m++;
        if (m < n && (double)row[m] < prefix[m])
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Counters 0..n-1 packed into one number: it is 0 at their least values, and counts the box that holds them all. */
typedef struct {
    int n;
    double least[AT_DP_MAX], extent[AT_DP_MAX], stride[AT_DP_MAX];
} packing;

static packing packing_of(const at_dp_instance *x, int n)
{
    packing p = {.n = n};
    double stride = 1;
    for (int m = n - 1; m >= 0; m--) {
        int64_t least = x->state[m], most = least;
        for (int64_t s = 0; s < x->n_states; s++) {
            int64_t u = x->state[s * x->d->n_counters + m];
            least = u < least ? u : least;
            most = u > most ? u : most;
        }
        p.least[m] = (double)least;
        p.extent[m] = (double)(most - least + 1);
        p.stride[m] = most > least ? stride : 0; /* of a single value nothing depends */
        stride *= p.extent[m];
    }
    return p;
}

/* The states before those with these first counters, from a table of what they are packed into. */
static at_var packed_offset(compiler *c, const packing *p, const at_var *at)
{
    enum { TABLE = 1 << 20 };
    double c0 = 0;
    for (int m = 0; m < p->n; m++)
        c0 -= p->stride[m] * p->least[m];
    at_var packed = at_sum(c->P, NULL, (at_vec){p->n, at}, p->stride, c0);
    at_var_info r = at_program_var(c->P, packed);
    double n = r.hi - r.lo + 1, total = 1;
    for (int m = 0; m < p->n; m++)
        total *= p->extent[m];
    if (packed < 0)
        return -1;
    if (n > TABLE)
        return fail_at(c, c->d->counters[c->d->hidden].name.line, c->d->counters[c->d->hidden].name.column,
                       "ranges depend on counters that have %.0f values together; compiled are at most %d", n,
                       TABLE);
    double *t = at_calloc((size_t)n, sizeof *t);
    if (!t) {
        at_program_oom(c->P);
        return -1;
    }
    for (int k = 0; k < (int)n; k++) {
        double left = fmin(fmax(r.lo + k, 0), total - 1), prefix[AT_DP_MAX];
        for (int m = 0; m < p->n; m++) {
            double digit = p->stride[m] > 0 ? floor(left / p->stride[m]) : 0;
            left -= digit * p->stride[m];
            prefix[m] = p->least[m] + digit;
        }
        t[k] = (double)states_before(c->x, prefix, p->n);
    }
    at_var v = at_table(c->P, fresh(c), packed, t);
    at_free(t);
    return v;
}

/* The rank where ranges depend on earlier counters: those behind the last such range count as on an odometer. */
static at_var rank_by_table(compiler *c, const at_var *at)
{
    const at_dp *d = c->d;
    int m = d->n_counters - 1, n = 0;
    double stride = 1, c0 = 0, coef[AT_DP_MAX + 2];
    at_var parts[AT_DP_MAX + 2];
    for (; !depends_on_counters(d->counters[m].lo) && !depends_on_counters(d->counters[m].hi); m--) {
        double lo = 0, hi = 0;
        is_const(c, bound(c, d->counters[m].lo, at), &lo);
        is_const(c, bound(c, d->counters[m].hi, at), &hi);
        parts[n] = at[m];
        coef[n++] = stride;
        c0 -= stride * lo;
        stride *= hi - lo + 1;
    }
    packing p = packing_of(c->x, m); /* counter 0 depends on none, so m > 0 */
    parts[n] = at[m];
    coef[n++] = stride;
    parts[n] = bound(c, d->counters[m].lo, at);
    coef[n++] = -stride;
    parts[n] = packed_offset(c, &p, at);
    coef[n++] = 1;
    return at_sum(c->P, NULL, (at_vec){n, parts}, coef, c0);
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
    if (!linear)
        return rank_by_table(c, at);
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

/* What steers a look-up must be exact, since its error is multiplied by positions. A table rounds it, a few units for each
 * value that it can have; where those are many the copy itself is made more exact. */
enum { ROUNDED = 256 };

static bool rounds(const compiler *c, at_var v)
{
    at_var_info r = at_program_var(c->P, v);
    return r.hi - r.lo < ROUNDED;
}

static at_var rounded(compiler *c, at_var got)
{
    double same[ROUNDED];
    if (got < 0)
        return got;
    at_var_info r = at_program_var(c->P, got);
    for (int v = 0; v <= (int)(r.hi - r.lo); v++)
        same[v] = r.lo + v;
    return at_table(c->P, fresh(c), got, same);
}

/* What a copy is called: as in the file, or by its number where it is read in place. */
static const char *copy_name(const at_dp_name *n, const char *kind, int k, char buf[32])
{
    if (n->name[0])
        return n->name;
    snprintf(buf, 32, "%s%d", kind, k + 1);
    return buf;
}

static at_var take_copy(compiler *c, int k, at_var target)
{
    char own[32];
    const char *name = copy_name(&c->d->takes[k].name, "in", k, own);
    bool steers = c->d->steering >> k & 1, few = rounds(c, c->s);
    at_program_label(c->P, name); /* whatever heads the copy takes */
    at_var got = c->copy(c->copier, name, target, AT_VEC(c->s), steers && !few);
    at_program_label(c->P, NULL);
    return steers && few ? rounded(c, got) : got;
}

static at_var take_of(compiler *c, int k)
{
    const at_dp *d = c->d;
    if (c->take[k] >= 0)
        return c->take[k];
    at_var index = translate(c, d->takes[k].index);
    place_name(c, &d->takes[k].name);
    at_var target = at_sum(c->P, NULL, AT_VEC(index), NULL, (double)c->x->input_first[d->takes[k].input]);
    return c->take[k] = take_copy(c, k, target);
}

static void copied_note(compiler *c, int k)
{
    if (c->place_of[k] < 0) {
        c->place_of[k] = c->n_copied;
        c->copied[c->n_copied++] = k;
    }
}

/* Of the answer, too: it may ask for a state that is not the last. */
static void copied_find(compiler *c, const at_dpx *e)
{
    if (!e)
        return;
    if (e->op == AT_DPX_NEED || (e->op == AT_DPX_VALUE && c->d->answer_state[0]))
        copied_note(c, e->op == AT_DPX_NEED ? e->field : e->index);
    for (int i = 0; i < 3; i++)
        copied_find(c, e->arg[i]);
}

/* Which values are read of other states at all: those are copied, in the order of the file. */
static void copied_all(compiler *c)
{
    const at_dp *d = c->d;
    bool used[AT_DP_MAX];
    for (int k = 0; k < AT_DP_MAX; k++)
        c->place_of[k] = -1;
    for (int l = 0; l < d->n_lets; l++)
        copied_find(c, d->lets[l].rule);
    for (int k = 0; k < d->n_values; k++)
        copied_find(c, d->values[k].rule);
    copied_find(c, d->answer);
    for (int t = 0; t < d->n_takes; t++) {
        copied_find(c, d->takes[t].index);
        copied_find(c, d->takes[t].when);
    }
    for (int n = 0; n < d->n_needs; n++) {
        copied_find(c, d->needs[n].when);
        for (int m = 0; m < d->n_counters; m++)
            copied_find(c, d->needs[n].counter[m]);
    }
    for (int k = 0; k < AT_DP_MAX; k++)
        used[k] = c->place_of[k] >= 0;
    c->n_copied = 0;
    for (int k = 0; k < d->n_values; k++) {
        c->place_of[k] = -1;
        if (used[k])
            copied_note(c, k);
    }
}

/* The columns that dependencies are copied for. */
static at_vec copied_values(const compiler *c, at_var out[AT_DP_MAX])
{
    for (int k = 0; k < c->n_copied; k++)
        out[k] = c->value[c->copied[k]];
    return (at_vec){c->n_copied, out};
}

static void need_fetch(compiler *c, int k)
{
    const at_dp *d = c->d;
    at_var at[AT_DP_MAX], columns[AT_DP_MAX];
    char own[32];
    for (int m = 0; m < d->n_counters; m++)
        at[m] = translate(c, d->needs[k].counter[m]);
    place_name(c, &d->needs[k].name);
    at_var rank = rank_of(c, d->needs[k].counter, at);
    at_var target = at_sum(c->P, NULL, AT_VEC(rank), NULL, (double)c->x->n_input + 2);
    place_name(c, &d->needs[k].name);
    const char *name = copy_name(&d->needs[k].name, "need", k, own);
    bool few = true;
    for (int v = 0; v < c->n_copied; v++)
        few = few && rounds(c, c->value[c->copied[v]]);
    at_program_label(c->P, name);
    c->need[k] = c->copy(c->copier, name, target, copied_values(c, columns), d->needs[k].steers && !few);
    at_program_label(c->P, NULL);
}

static at_var need_of(compiler *c, int k, int field)
{
    if (c->need[k] < 0)
        need_fetch(c, k);
    if (c->need[k] < 0)
        return -1;
    at_var got = c->need[k] + c->place_of[field];
    if (!c->d->needs[k].steers || !rounds(c, got))
        return got;
    if (c->exact[k][field] < 0)
        c->exact[k][field] = rounded(c, got);
    return c->exact[k][field];
}

static void fetch_all(compiler *c)
{
    for (int k = 0; k < c->d->n_takes; k++)
        take_of(c, k);
    for (int k = 0; k < c->d->n_needs; k++)
        if (c->need[k] < 0 && c->n_copied)
            need_fetch(c, k);
}

/* Step 4: value k of the next state. */
static at_var value_now(compiler *c, int k)
{
    const at_dp_value *v = &c->d->values[k];
    if (c->now[k] >= 0)
        return c->now[k];
    at_var rule = translate(c, v->rule);
    if (v->own) {
        at_var own = translate(c, v->own);
        rule = at_select(c->P, fresh(c), own, rule, at_const(c->P, 0));
    }
    return c->now[k] = rule;
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
    at_var columns[AT_DP_MAX];
    memcpy(c->final, c->value, sizeof c->final);
    place(c, d->answer->line, d->answer->column);
    int64_t rank = at_dp_rank(c->x, at);
    if (last || rank < 0)
        return; /* without that state, values are read in a branch that is not taken */
    at_var first = c->n_copied
                       ? c->copy(c->copier, "final", at_const(c->P, (double)(c->x->n_input + 2 + rank)),
                                 copied_values(c, columns), false)
                       : 0;
    for (int k = 0; k < c->n_copied && first >= 0; k++)
        c->final[c->copied[k]] = first + k;
}

static void build(compiler *c)
{
    const at_dp *d = c->d;
    const at_dp_instance *x = c->x;
    at_program *P = c->P;
    int64_t top = 0, bottom = 0;
    for (int64_t k = 0; k < x->n_states * d->n_counters; k++) {
        top = x->state[k] > top ? x->state[k] : top;
        bottom = x->state[k] < bottom ? x->state[k] : bottom;
    }
    double value_lo = smallest(x->value_lo, d->n_values), value_hi = largest(x->value_hi, d->n_values);
    for (int k = 0; k < d->n_values; k++)
        if (too_large((double)x->value_lo[k], (double)x->value_hi[k]))
            fail_at(c, d->values[k].name.line, d->values[k].name.column,
                    "%s lies in %jd..%jd at these sizes; compiled are numbers in -2^40..2^40",
                    d->values[k].kind == AT_DP_DECLARED ? d->values[k].name.name : "this",
                    (intmax_t)x->value_lo[k], (intmax_t)x->value_hi[k]);
    at_program_lengths(P, (int)x->n_input + 1);
    c->s = at_ints(P, "input", 1, smallest(x->input_lo, d->n_inputs), largest(x->input_hi, d->n_inputs));
    at_var state = at_ints(P, "state", d->n_counters, (double)bottom, (double)top);
    at_var value = at_ints(P, "value", d->n_values, value_lo, value_hi);
    at_ints(P, "answer", 1, smallest(&x->answer_lo, 1), largest(&x->answer_hi, 1));
    for (int m = 0; m < d->n_counters; m++)
        c->state[m] = state + m;
    for (int k = 0; k < d->n_values; k++)
        c->value[k] = value + k;
    c->copier = at_copier_new(P, &c->copying);
    at_var out[2 + 2 * AT_DP_MAX], zero = at_const(P, 0), is_last = at_const(P, 1);
    bool any = x->n_states > 0; /* without states the answer follows the separator */
    if (any) {
        is_last = next_state(c);
        copied_all(c);
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
        out[n++] = any ? at_select(P, fresh(c), is_last, zero, value_now(c, k)) : zero;
    c->answers = true;
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
    at_status s = fewer_apply(x, o, &c.copying, err);
    if (s)
        return s;
    for (int k = 0; k < AT_DP_MAX; k++)
        c.let[k] = c.take[k] = c.need[k] = c.final[k] = c.square[k] = c.now[k] = -1;
    memset(c.exact, -1, sizeof c.exact);
    c.memo = at_malloc((size_t)d->n_nodes * sizeof *c.memo);
    if (!c.memo)
        return at_oom(err);
    memset(c.memo, -1, (size_t)d->n_nodes * sizeof *c.memo);
    if (!(c.P = at_program_new(d->title, (int)x->L))) {
        at_free(c.memo);
        return at_oom(err);
    }
    if (o->scale != 0)
        at_program_weaken(c.P, o->scale);
    if (o->arith)
        at_program_arithmetic(c.P, *o->arith);
    if (o->reals)
        at_program_reals(c.P);
    build(&c);
    at_free(c.memo);
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
