/* dp_apart.c: how far apart values are that a state looks at together, for all inputs at once.
 *
 * In edit distance |cost(i, j) - cost(i, j-1)| <= 2 for all words, which no interval for single states shows. The proof goes by
 * induction over the states, and so does this: at each state the *items* are 0, the state before, and the states that it needs. For
 * each value v there is a matrix of intervals, item i minus item j. The rule is evaluated to one interval for each item, its
 * result minus that item; these are kept, and a later state that looks at both finds them there.
 *
 *     known at (i, j)       up - diag: kept at up, whose left is diag.  left - diag: kept at left, whose up is diag.
 *     min(u + 2, ...) - l   the least of (u - l) + 2, (l - l) + 2, (d - l) + 0..3
 *
 * Intervals of differences add along a path, so the matrix is closed (Floyd-Warshall) before it is used. 0 is an item like any other:
 * its row holds the plain intervals, so that borders, which are numbers, are compared with states in the same way.
 *
 * Soundness: an expression minus an item is contained in its interval. Sums: (a + b) - r = (a - r) + b = (b - r) + a, and both hold.
 * min and max: componentwise. An if that is not decided: the hull. All else: its plain interval minus that of the item. What
 * is read where it is absent, which a proved instance does not do, could be anything. */
#include "dp_internal.h"

#include <string.h>

#define FAR   ((int64_t)1 << 60) /* nothing known: numbers are below 2^53, differences below 2^54 */
#define ITEMS (AT_DP_NEED + AT_DP_MAX)

typedef struct {
    int32_t lo, hi; /* INT32_MIN, INT32_MAX: nothing known on this side */
} kept;

struct at_dp_apart {
    const at_dp_instance *x;
    int n;         /* items */
    int32_t *need; /* (n_states, n_needs) ranks, or -1 */
    kept *value;   /* (n_states, n_values, n): a value minus the items of its state */
};

typedef struct {
    dp_span minus[ITEMS]; /* an expression minus item i */
} apart;

typedef struct {
    const at_dp_apart *a;
    const int64_t *counter;
    int64_t rank;
    int v;                              /* the value whose differences are looked at */
    bool here[ITEMS];                   /* of the items */
    at_dp_range between[ITEMS * ITEMS]; /* of value v */
    apart let[AT_DP_MAX];
    bool let_known[AT_DP_MAX];
} scene;

static const dp_span anything = {-FAR, FAR};

static dp_span clipped(dp_span a)
{
    return (dp_span){a.lo < -FAR ? -FAR : a.lo, a.hi > FAR ? FAR : a.hi};
}

static dp_span plus(dp_span a, dp_span b)
{
    return clipped((dp_span){a.lo + b.lo, a.hi + b.hi});
}

static dp_span minus(dp_span a, dp_span b)
{
    return clipped((dp_span){a.lo - b.hi, a.hi - b.lo});
}

static dp_span both(dp_span a, dp_span b)
{
    return (dp_span){a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

static dp_span hull(dp_span a, dp_span b)
{
    return (dp_span){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/* ---- what is kept ------------------------------------------------------------------------------------------- */

static dp_span kept_read(kept k)
{
    return (dp_span){k.lo == INT32_MIN ? -FAR : k.lo, k.hi == INT32_MAX ? FAR : k.hi};
}

static kept kept_make(dp_span a)
{
    return (kept){a.lo <= INT32_MIN   ? INT32_MIN
                  : a.lo >= INT32_MAX ? INT32_MAX - 1
                                      : (int32_t)a.lo,
                  a.hi >= INT32_MAX   ? INT32_MAX
                  : a.hi <= INT32_MIN ? INT32_MIN + 1
                                      : (int32_t)a.hi};
}

static kept *kept_at(const at_dp_apart *a, int64_t rank, int v)
{
    return a->value + ((size_t)rank * (size_t)a->x->d->n_values + (size_t)v) * (size_t)a->n;
}

/* The rank of an item of a state; -1: there is none. */
static int64_t item_rank(const at_dp_apart *a, int64_t state, int item)
{
    return item == AT_DP_BEFORE
               ? state - 1
               : a->need[(size_t)state * (size_t)a->x->d->n_needs + (size_t)(item - AT_DP_NEED)];
}

/* Value v of the state p minus that of q, as kept at p; q is before it. */
static dp_span between_kept(const at_dp_apart *a, int64_t p, int64_t q, int v)
{
    dp_span r = anything;
    for (int i = AT_DP_BEFORE; i < a->n; i++)
        if (item_rank(a, p, i) == q)
            r = both(r, kept_read(kept_at(a, p, v)[i]));
    return r;
}

void at_dp_apart_at(const at_dp_apart *a, int64_t s, int v, at_dp_range *out, bool *here)
{
    int n = a->n;
    int64_t rank[ITEMS];
    for (int i = 0; i < n; i++) {
        rank[i] = i == AT_DP_ZERO ? -1 : item_rank(a, s, i);
        here[i] = i == AT_DP_ZERO || rank[i] >= 0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && here[i]; j++) {
            dp_span r = anything;
            if (!here[j])
                continue;
            if (rank[i] == rank[j])
                r = (dp_span){0, 0};
            else if (j == AT_DP_ZERO)
                r = kept_read(kept_at(a, rank[i], v)[AT_DP_ZERO]);
            else if (i == AT_DP_ZERO)
                r = minus((dp_span){0, 0}, kept_read(kept_at(a, rank[j], v)[AT_DP_ZERO]));
            else if (rank[i] > rank[j])
                r = between_kept(a, rank[i], rank[j], v);
            else
                r = minus((dp_span){0, 0}, between_kept(a, rank[j], rank[i], v));
            out[i * n + j] = (at_dp_range){r.lo, r.hi};
        }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n && here[k]; i++)
            for (int j = 0; j < n && here[i]; j++) {
                if (!here[j])
                    continue;
                at_dp_range *r = &out[i * n + j], p = out[i * n + k], q = out[k * n + j];
                dp_span via = plus((dp_span){p.lo, p.hi}, (dp_span){q.lo, q.hi});
                via = both((dp_span){r->lo, r->hi}, via);
                *r = (at_dp_range){via.lo, via.hi};
            }
}

/* ---- expressions -------------------------------------------------------------------------------------------- */

/* A number in this interval, of which nothing else is known. */
static void plain(const scene *s, dp_span x, apart *out)
{
    int n = s->a->n;
    out->minus[AT_DP_ZERO] = x;
    for (int i = AT_DP_BEFORE; i < n; i++) {
        at_dp_range own = s->between[i * n + AT_DP_ZERO];
        out->minus[i] = s->here[i] ? minus(x, (dp_span){own.lo, own.hi}) : anything;
    }
}

static void need_read(const scene *s, int k, int field, apart *out)
{
    int n = s->a->n, item = AT_DP_NEED + k;
    int64_t at = item_rank(s->a, s->rank, item);
    if (at < 0 || field != s->v) {
        plain(s, at < 0 ? anything : kept_read(kept_at(s->a, at, field)[AT_DP_ZERO]), out);
        return;
    }
    for (int i = 0; i < n; i++) {
        at_dp_range d = s->between[item * n + i];
        out->minus[i] = s->here[i] ? (dp_span){d.lo, d.hi} : anything;
    }
}

/* a - b: as numbers, and by what both are compared with. */
static dp_span difference(const scene *s, const apart *a, const apart *b)
{
    dp_span r = anything;
    for (int i = 0; i < s->a->n; i++)
        if (s->here[i])
            r = both(r, minus(a->minus[i], b->minus[i]));
    return r;
}

static void eval(scene *s, const at_dpx *e, apart *out);

static void leaf(scene *s, const at_dpx *e, apart *out)
{
    const at_dp_instance *x = s->a->x;
    int k = e->index;
    dp_span r = anything;
    if (e->op == AT_DPX_LET) {
        if (!s->let_known[k])
            eval(s, x->d->lets[k].rule, &s->let[k]);
        s->let_known[k] = true;
        memcpy(out->minus, s->let[k].minus, (size_t)s->a->n * sizeof *out->minus);
        return;
    }
    if (e->op == AT_DPX_NEED) {
        need_read(s, k, e->field, out);
        return;
    }
    if (e->op == AT_DPX_CONST)
        r = (dp_span){e->value, e->value};
    else if (e->op == AT_DPX_SIZE)
        r = (dp_span){x->size[k], x->size[k]};
    else if (e->op == AT_DPX_COUNTER)
        r = (dp_span){s->counter[k], s->counter[k]};
    else if (e->op == AT_DPX_TAKE)
        r = (dp_span){x->input_lo[x->d->takes[k].input], x->input_hi[x->d->takes[k].input]};
    plain(s, r, out);
}

/* Sums, least and largest, item by item. */
static void items_of(const scene *s, at_dpx_op op, const apart *a, const apart *b, apart *out)
{
    for (int i = 0; i < s->a->n; i++)
        if (op == AT_DPX_ADD)
            out->minus[i] =
                both(plus(a->minus[i], b->minus[AT_DP_ZERO]), plus(b->minus[i], a->minus[AT_DP_ZERO]));
        else
            dp_span_operate(op, a->minus[i], b->minus[i], &out->minus[i]);
}

static void subtracted(const scene *s, const apart *a, const apart *b, apart *out)
{
    plain(s, difference(s, a, b), out);
    for (int i = AT_DP_BEFORE; i < s->a->n; i++)
        out->minus[i] = both(out->minus[i], minus(a->minus[i], b->minus[AT_DP_ZERO]));
}

static dp_span entries(const at_dp_table *t)
{
    dp_span all = {t->value[0], t->value[0]};
    for (int k = 1; k < t->n; k++)
        all = hull(all, (dp_span){t->value[k], t->value[k]});
    return all;
}

static void either(scene *s, const at_dpx *e, dp_span when, apart *out)
{
    apart other;
    eval(s, e->arg[when.lo ? 1 : 2], out);
    if (when.lo == when.hi)
        return;
    eval(s, e->arg[1], &other);
    for (int i = 0; i < s->a->n; i++)
        out->minus[i] = hull(out->minus[i], other.minus[i]);
}

static void operation(scene *s, const at_dpx *e, const apart *a, const apart *b, apart *out)
{
    dp_span r;
    switch (e->op) {
    case AT_DPX_ADD:
    case AT_DPX_MIN:
    case AT_DPX_MAX:
        items_of(s, e->op, a, b, out);
        return;
    case AT_DPX_SUB:
        subtracted(s, a, b, out);
        return;
    case AT_DPX_EQ:
    case AT_DPX_NE:
    case AT_DPX_LT:
    case AT_DPX_LE:
        dp_span_operate(e->op, difference(s, a, b), (dp_span){0, 0}, &r);
        plain(s, r, out);
        return;
    case AT_DPX_TABLE:
        plain(s, entries(&s->a->x->d->tables[e->index]), out);
        return;
    case AT_DPX_CONST:
    case AT_DPX_SIZE:
    case AT_DPX_COUNTER:
    case AT_DPX_TAKE:
    case AT_DPX_NEED:
    case AT_DPX_VALUE:
    case AT_DPX_OVER:
    case AT_DPX_FOLD:
    case AT_DPX_BEFORE:
    case AT_DPX_FIRST:
    case AT_DPX_LET:
    case AT_DPX_MUL:
    case AT_DPX_MOD:
    case AT_DPX_DIV:
    case AT_DPX_NEG:
    case AT_DPX_ABS:
    case AT_DPX_AND:
    case AT_DPX_OR:
    case AT_DPX_NOT:
    case AT_DPX_IF:
    default: {
        bool fits = dp_span_operate(e->op, a->minus[AT_DP_ZERO], b->minus[AT_DP_ZERO], &r);
        plain(s, fits ? clipped(r) : anything, out);
    }
    }
}

static void eval(scene *s, const at_dpx *e, apart *out)
{
    if (e->op <= AT_DPX_LET) {
        leaf(s, e, out);
        return;
    }
    apart a, b;
    eval(s, e->arg[0], &a);
    dp_span x = a.minus[AT_DP_ZERO];
    if (e->op == AT_DPX_IF)
        either(s, e, x, out);
    else if ((e->op == AT_DPX_AND && !x.hi) || (e->op == AT_DPX_OR && x.lo))
        plain(s, x, out); /* the second argument is not evaluated */
    else {
        b.minus[AT_DP_ZERO] = (dp_span){0, 0};
        if (e->arg[1])
            eval(s, e->arg[1], &b);
        operation(s, e, &a, &b, out);
    }
}

/* ---- all states ---------------------------------------------------------------------------------------------- */

static void state_prove(at_dp_apart *a, scene *s, int64_t rank)
{
    const at_dp *d = a->x->d;
    s->counter = a->x->state + rank * d->n_counters;
    s->rank = rank;
    for (int v = 0; v < d->n_values; v++) {
        apart r;
        s->v = v;
        memset(s->let_known, 0, sizeof s->let_known);
        at_dp_apart_at(a, rank, v, s->between, s->here);
        eval(s, d->values[v].rule, &r);
        /* as the instance is proved */
        r.minus[AT_DP_ZERO] = both(r.minus[AT_DP_ZERO], (dp_span){a->x->value_lo[v], a->x->value_hi[v]});
        for (int i = 0; i < a->n; i++)
            kept_at(a, rank, v)[i] = kept_make(s->here[i] ? r.minus[i] : anything);
    }
}

static at_status known(const at_dp_instance *x, at_err *err)
{
    const at_dp *d = x->d;
    bool plain = x->proved == AT_TRUE && !d->steering && !d->hidden;
    for (int v = 0; v < d->n_values; v++)
        plain = plain && d->values[v].kind == AT_DP_DECLARED && !d->values[v].own;
    return plain ? AT_OK
                 : at_fail(err, AT_EREFUSED,
                           "%.100s: differences are proved of one block of states, without folds, whose "
                           "look-ups nothing steers",
                           d->path);
}

static at_status needs_find(at_dp_apart *a, at_err *err)
{
    const at_dp *d = a->x->d;
    int64_t take[AT_DP_MAX], need[AT_DP_MAX];
    for (int64_t s = 0; s < a->x->n_states; s++) {
        at_status st = at_dp_fetches(a->x, s, take, need, err);
        if (st)
            return st;
        for (int k = 0; k < d->n_needs; k++)
            a->need[(size_t)s * (size_t)d->n_needs + (size_t)k] = (int32_t)need[k];
    }
    return AT_OK;
}

at_status at_dp_apart_new(const at_dp_instance *x, at_dp_apart **out, at_err *err)
{
    const at_dp *d = x->d;
    at_status st = known(x, err);
    if (st)
        return st;
    at_dp_apart *a = at_calloc(1, sizeof *a);
    scene *scratch = at_calloc(1, sizeof *scratch);
    if (!a || !scratch) {
        at_free(a);
        at_free(scratch);
        return at_oom(err);
    }
    size_t states = (size_t)x->n_states;
    *a = (at_dp_apart){.x = x, .n = AT_DP_NEED + d->n_needs};
    a->need = at_calloc(states * (size_t)d->n_needs + 1, sizeof *a->need);
    a->value = at_calloc(states * (size_t)d->n_values * (size_t)a->n + 1, sizeof *a->value);
    scratch->a = a;
    st = a->need && a->value ? needs_find(a, err) : at_oom(err);
    for (int64_t s = 0; s < x->n_states && !st; s++) {
        if (!(s & 1023) && at_cancel_pending())
            st = at_fail(err, AT_ECANCEL, "interrupted");
        state_prove(a, scratch, s);
    }
    at_free(scratch);
    if (st)
        at_dp_apart_free(a);
    else
        *out = a;
    return st;
}

void at_dp_apart_free(at_dp_apart *a)
{
    if (!a)
        return;
    at_free(a->need);
    at_free(a->value);
    at_free(a);
}
