/* dp_span.c: what can be proved of all inputs at once, by intervals, state by state.
 *
 * The states are walked in order. Each value of each state gets an interval that holds it for every input: a look-up
 * has the range of its input, a dependency the interval of its state, counters and sizes are single numbers. So
 * borders are decided, and bounds grow with the state as they do in a proof by induction (the cost at (i, j) is at
 * most 2(i + j)), which one interval for all states could not show.
 *
 * Look-ups that steer others or a dependency must be single numbers, or it is not known where the dependency is:
 * all combinations of their values are tried, and the intervals joined. Where there are too many (WORK_LIMIT), they stay
 * intervals, and what then cannot be decided is a doubt: the instance is not proved, and a run checks itself.
 * Without steering, or with few combinations, a possible failure is an error. It may be a false alarm, since
 * intervals forget that the same x stands at two places; min, max and if say what is known:
 * max(0, x - y) instead of if x > y then x - y else 0. */
#include "dp_internal.h"

#include <string.h>

#define WORK_LIMIT ((double)(1 << 27)) /* node evaluations for trying out inputs that steer: about a second */
#define BOX_LIMIT  4096                /* states that a dependency may be, as far as is known */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static dp_span hull(dp_span a, dp_span b)
{
    return (dp_span){least(a.lo, b.lo), most(a.hi, b.hi)};
}

static bool single(dp_span a)
{
    return a.lo == a.hi;
}

/* Something cannot be decided for all inputs at once; the first place is kept. */
static void doubt_at(dp_scope *v, int line, int column)
{
    if (!v->doubt) {
        v->doubt_line = line;
        v->doubt_column = column;
    }
    v->doubt = true;
}

/* ---- expressions ---------------------------------------------------------------------------------- */

/* A take or need is read: fails if it is surely or possibly absent. */
static at_status presence_check(dp_scope *v, const at_dpx *e, dp_presence here, const char *name)
{
    if (here == DP_HERE)
        return AT_OK;
    if (v->sure)
        return dp_fail_at(v->x->d, e, v->counter, v->err,
                          "%s is absent here; read it only inside an if, where its when holds", name);
    doubt_at(v, e->line, e->column);
    return AT_OK;
}

/* Look-up t is made in this row. */
static void reach_take(dp_scope *v, int t)
{
    v->reach = most(v->reach, v->x->n_input + 2 + v->rank - v->take_at[t]);
}

static at_status need_place(dp_scope *v, int n);
static at_status take_fault(dp_scope *v, int t);

/* All states that a dependency may be, where values say which: their number, or 0 where one of them is none of the earlier ones or
 * they are too many. The range of a value over them goes to *out, the farthest rank to *far. */
static int64_t box_read(const dp_scope *v, const dp_span *at, int field, dp_span *out, int64_t *far)
{
    const at_dp *d = v->x->d;
    int64_t wanted[AT_DP_MAX], count = 0;
    for (int c = 0; c < d->n_counters; c++)
        wanted[c] = at[c].lo;
    for (;;) {
        int64_t rank = at_dp_rank(v->x, wanted);
        if (rank < 0 || rank >= v->rank || count == BOX_LIMIT)
            return 0;
        dp_span r = v->value[rank * d->n_values + field];
        *out = count ? hull(*out, r) : r;
        *far = count ? least(*far, rank) : rank;
        count++;
        int c = d->n_counters - 1;
        while (c >= 0 && wanted[c] == at[c].hi) {
            wanted[c] = at[c].lo;
            c--;
        }
        if (c < 0)
            return count;
        wanted[c]++;
    }
}

/* A dependency of which the place is not one: values steer, or inputs in too many ways. */
static at_status box_eval(dp_scope *v, const at_dpx *e, dp_span *out)
{
    const at_dp_instance *x = v->x;
    const at_dp_need *need = &x->d->needs[e->index];
    dp_span at[AT_DP_MAX];
    int64_t far = 0;
    at_status s = AT_OK;
    for (int c = 0; c < x->d->n_counters && s == AT_OK; c++)
        s = dp_span_eval(v, need->counter[c], &at[c]);
    if (s != AT_OK || !box_read(v, at, e->field, out, &far)) { /* need_place doubts it */
        *out = (dp_span){least(0, x->value_lo[e->field]), most(0, x->value_hi[e->field])};
    }
    return s;
}

static at_status need_eval(dp_scope *v, const at_dpx *e, dp_span *out)
{
    const at_dp *d = v->x->d;
    int k = e->index;
    at_status s = d->needs[k].name.name[0] ? presence_check(v, e, v->need_here[k], d->needs[k].name.name)
                                           : need_place(v, k);
    if (s == AT_OK && v->need_rank[k] >= 0)
        *out = v->value[v->need_rank[k] * d->n_values + e->field];
    else if (s == AT_OK)
        s = box_eval(v, e, out);
    return s;
}

static at_status over_eval(dp_scope *v, const at_dpx *e, dp_span *out)
{
    const at_dp *d = v->x->d;
    const at_dp_value *f = &d->values[e->index];
    const at_dp_block *b = &d->blocks[f->block];
    dp_span own = {0, 0}, first = {0, 0}; /* single numbers, made of sizes and counters */
    at_status s = dp_span_eval(v, f->lo, &own);
    if (s == AT_OK)
        s = dp_span_eval(v, d->values[b->fold].lo, &first);
    out->lo = out->hi = own.lo + v->counter[d->hidden + b->n] - first.lo;
    return s;
}

static at_status fold_eval(dp_scope *v, const at_dpx *e, dp_span *out)
{
    const at_dp_value *f = &v->x->d->values[e->index];
    dp_span lo = {0, 0}, hi = {0, 0};
    at_status s = dp_span_eval(v, f->lo, &lo);
    if (s == AT_OK)
        s = dp_span_eval(v, f->hi, &hi);
    if (s == AT_OK && lo.lo > hi.lo && f->op != AT_DPX_ADD)
        return dp_empty_fault(v->x->d, e, v->counter, lo.lo, hi.lo, v->err);
    *out = v->now[e->index];
    return s;
}

static at_status before_eval(dp_scope *v, const at_dpx *e, dp_span *out)
{
    const at_dp *d = v->x->d;
    int64_t row = dp_row_before(v->x, v->counter, v->rank);
    if (!v->counter && v->x->first[e->index] < 0 && d->values[e->index].op != AT_DPX_ADD)
        return dp_fail_at(d, e, NULL, v->err,
                          "the answer is gathered from states that do not exist at these sizes; use if");
    *out = row < 0 ? (dp_span){0, 0} : v->value[row * d->n_values + e->index];
    return AT_OK;
}

static at_status leaf_eval(dp_scope *v, const at_dpx *e, dp_span *out)
{
    const at_dp_instance *x = v->x;
    const at_dp *d = x->d;
    int k = e->index;
    at_status s = AT_OK;
    switch (e->op) {
    case AT_DPX_SIZE:
        *out = (dp_span){x->size[k], x->size[k]};
        return AT_OK;
    case AT_DPX_COUNTER:
        *out = (dp_span){v->counter[k], v->counter[k]};
        return AT_OK;
    case AT_DPX_TAKE:
        *out = v->take[k];
        if (!d->takes[k].name.name[0]) {
            reach_take(v, k);
            return v->take_here[k] == DP_ABSENT ? take_fault(v, k) : AT_OK;
        }
        return presence_check(v, e, v->take_here[k], d->takes[k].name.name);
    case AT_DPX_NEED:
        return need_eval(v, e, out);
    case AT_DPX_VALUE:
        if (!v->answer)
            return dp_fail_at(d, e, NULL, v->err,
                              "the answer reads %s, but its state does not exist at these sizes; use if",
                              d->values[k].name.name);
        *out = v->answer[k];
        return AT_OK;
    case AT_DPX_OVER:
        return over_eval(v, e, out);
    case AT_DPX_FOLD:
        return fold_eval(v, e, out);
    case AT_DPX_BEFORE:
        return before_eval(v, e, out);
    case AT_DPX_FIRST:
        out->lo = out->hi = v->rank == x->first[k];
        return AT_OK;
    case AT_DPX_LET:
        if (!v->let_known[k]) {
            s = dp_span_eval(v, d->lets[k].rule, &v->let[k]);
            if (s != AT_OK)
                return s;
            v->let_known[k] = true;
        }
        *out = v->let[k];
        return AT_OK;
    case AT_DPX_CONST:
    case AT_DPX_ADD:
    case AT_DPX_SUB:
    case AT_DPX_MUL:
    case AT_DPX_MOD:
    case AT_DPX_DIV:
    case AT_DPX_TABLE:
    case AT_DPX_MIN:
    case AT_DPX_MAX:
    case AT_DPX_NEG:
    case AT_DPX_ABS:
    case AT_DPX_EQ:
    case AT_DPX_NE:
    case AT_DPX_LT:
    case AT_DPX_LE:
    case AT_DPX_AND:
    case AT_DPX_OR:
    case AT_DPX_NOT:
    case AT_DPX_IF:
    default:
        *out = (dp_span){e->value, e->value};
        return AT_OK;
    }
}

/* Entries at..., of a table whose column (if it has any) lies in cols. */
static at_status entry_eval(dp_scope *v, const at_dpx *e, dp_span at, dp_span cols, dp_span *out)
{
    const at_dp_table *t = &v->x->d->tables[e->index];
    bool in = at.lo >= 1 && at.hi <= t->n && (!t->cols || (cols.lo >= 1 && cols.hi <= t->cols));
    if (!in && v->sure)
        return dp_fail_at(v->x->d, e, v->counter, v->err,
                          "place %lld..%lld of %s may be outside; it has %d entries%s", (long long)at.lo,
                          (long long)at.hi, t->name.name, t->n, t->cols ? " in rows and columns" : "");
    if (!in)
        doubt_at(v, e->line, e->column);
    int64_t lo = least(most(at.lo, 1), t->n), hi = most(least(at.hi, t->n), lo);
    *out = (dp_span){t->value[lo - 1], t->value[lo - 1]};
    for (int64_t i = lo; i < hi; i++)
        *out = hull(*out, (dp_span){t->value[i], t->value[i]});
    return AT_OK;
}

/* The four products of the ends; false when one leaves 64 bits. */
static bool product(dp_span a, dp_span b, dp_span *out)
{
    int64_t p[4];
    if (__builtin_mul_overflow(a.lo, b.lo, &p[0]) || __builtin_mul_overflow(a.lo, b.hi, &p[1]) ||
        __builtin_mul_overflow(a.hi, b.lo, &p[2]) || __builtin_mul_overflow(a.hi, b.hi, &p[3]))
        return false;
    *out = (dp_span){p[0], p[0]};
    for (int i = 1; i < 4; i++)
        *out = hull(*out, (dp_span){p[i], p[i]});
    return true;
}

static int64_t floor_div(int64_t a, int64_t m)
{
    return a / m - (a % m < 0);
}

static dp_span truth(bool never, bool always)
{
    return (dp_span){always, !never};
}

static at_status if_eval(dp_scope *v, const at_dpx *e, dp_span when, dp_span *out)
{
    if (single(when))
        return dp_span_eval(v, e->arg[when.lo ? 1 : 2], out);
    dp_span a, b;
    at_status s = dp_span_eval(v, e->arg[1], &a);
    if (s == AT_OK)
        s = dp_span_eval(v, e->arg[2], &b);
    if (s == AT_OK)
        *out = hull(a, b);
    return s;
}

bool dp_span_operate(at_dpx_op op, dp_span a, dp_span b, dp_span *out)
{
    dp_span r = {0, 0};
    bool fits = true;
    switch (op) {
    case AT_DPX_ADD:
        r = (dp_span){a.lo + b.lo, a.hi + b.hi};
        break;
    case AT_DPX_SUB:
        r = (dp_span){a.lo - b.hi, a.hi - b.lo};
        break;
    case AT_DPX_MUL:
        fits = product(a, b, &r);
        break;
    case AT_DPX_MOD:
        r = (dp_span){0, b.lo - 1};
        if (floor_div(a.lo, b.lo) == floor_div(a.hi, b.lo))
            r = (dp_span){a.lo - floor_div(a.lo, b.lo) * b.lo, a.hi - floor_div(a.hi, b.lo) * b.lo};
        break;
    case AT_DPX_DIV:
        r = (dp_span){floor_div(a.lo, b.lo), floor_div(a.hi, b.lo)};
        break;
    case AT_DPX_MIN:
        r = (dp_span){least(a.lo, b.lo), least(a.hi, b.hi)};
        break;
    case AT_DPX_MAX:
        r = (dp_span){most(a.lo, b.lo), most(a.hi, b.hi)};
        break;
    case AT_DPX_NEG:
        r = (dp_span){-a.hi, -a.lo};
        break;
    case AT_DPX_ABS:
        r = (dp_span){a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, most(-a.lo, a.hi)};
        break;
    case AT_DPX_EQ:
        r = truth(a.hi < b.lo || b.hi < a.lo, single(a) && single(b) && a.lo == b.lo);
        break;
    case AT_DPX_NE:
        r = truth(single(a) && single(b) && a.lo == b.lo, a.hi < b.lo || b.hi < a.lo);
        break;
    case AT_DPX_LT:
        r = truth(a.lo >= b.hi, a.hi < b.lo);
        break;
    case AT_DPX_LE:
        r = truth(a.lo > b.hi, a.hi <= b.lo);
        break;
    case AT_DPX_AND:
        r = (dp_span){least(a.lo, b.lo), least(a.hi, b.hi)};
        break;
    case AT_DPX_OR:
        r = (dp_span){most(a.lo, b.lo), most(a.hi, b.hi)};
        break;
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
    case AT_DPX_TABLE:
    case AT_DPX_NOT:
    case AT_DPX_IF:
    default: /* AT_DPX_NOT */
        r = (dp_span){!a.hi, !a.lo};
    }
    *out = r;
    return fits;
}

at_status dp_span_eval(dp_scope *v, const at_dpx *e, dp_span *out)
{
    dp_span a = {0, 0}, b = {0, 0}, r = {0, 0};
    if (e->op <= AT_DPX_LET)
        return leaf_eval(v, e, out);
    at_status s = dp_span_eval(v, e->arg[0], &a);
    if (s == AT_OK && e->op == AT_DPX_IF)
        return if_eval(v, e, a, out);
    if (s == AT_OK && ((e->op == AT_DPX_AND && !a.hi) || (e->op == AT_DPX_OR && a.lo))) {
        *out = a; /* the second argument is not evaluated */
        return AT_OK;
    }
    if (s == AT_OK && e->arg[1])
        s = dp_span_eval(v, e->arg[1], &b);
    if (s != AT_OK)
        return s;
    if (e->op == AT_DPX_TABLE)
        return entry_eval(v, e, a, b, out);
    if ((e->op == AT_DPX_MOD || e->op == AT_DPX_DIV) && b.lo < 1) /* b is made of sizes: a single number */
        return dp_fail_at(v->x->d, e->arg[1], v->counter, v->err, "the %s is %lld; allowed are 1, 2, ...",
                          e->op == AT_DPX_MOD ? "modulus" : "divisor", (long long)b.lo);
    bool fits = dp_span_operate(e->op, a, b, &r);
    if (!fits || r.lo < -AT_DP_NUMBER || r.hi > AT_DP_NUMBER) {
        if (v->sure)
            return dp_fail_at(v->x->d, e, v->counter, v->err, "a number may leave -2^53..2^53");
        doubt_at(v, e->line, e->column);
        r = fits ? (dp_span){most(r.lo, -AT_DP_NUMBER), least(r.hi, AT_DP_NUMBER)}
                 : (dp_span){-AT_DP_NUMBER, AT_DP_NUMBER};
    }
    *out = r;
    return AT_OK;
}

/* ---- a state -------------------------------------------------------------------------------------- */

static at_status presence_eval(dp_scope *v, const at_dpx *when, dp_presence *out)
{
    dp_span t = {1, 1};
    at_status s = when ? dp_span_eval(v, when, &t) : AT_OK;
    *out = t.lo ? DP_HERE : t.hi ? DP_MAYBE : DP_ABSENT;
    return s;
}

static at_status need_place(dp_scope *v, int n)
{
    const at_dp *d = v->x->d;
    const at_dp_need *need = &d->needs[n];
    dp_span c, box[AT_DP_MAX];
    int64_t wanted[AT_DP_MAX] = {0}, far = 0;
    bool placed = true;
    at_status s = presence_eval(v, need->when, &v->need_here[n]);
    v->need_rank[n] = -1;
    if (s != AT_OK || v->need_here[n] == DP_ABSENT)
        return s;
    for (int k = 0; k < d->n_counters; k++) {
        s = dp_span_eval(v, need->counter[k], &c);
        if (s != AT_OK)
            return s;
        placed = placed && single(c);
        wanted[k] = c.lo;
        box[k] = c;
    }
    int64_t rank = placed ? at_dp_rank(v->x, wanted) : -1;
    if (rank >= 0 && rank < v->rank) {
        v->need_rank[n] = rank;
        v->reach = most(v->reach, v->rank - rank);
    } else if (v->sure && placed)
        return dp_need_fault(v->x, n, v->counter, wanted, v->err);
    else if (placed || !box_read(v, box, 0, &c, &far))
        doubt_at(v, v->x->d->needs[n].name.line, v->x->d->needs[n].name.column);
    else
        v->reach = most(v->reach, v->rank - far);
    return AT_OK;
}

/* The interval of a value at this state, as the look-ups are; a declared one lies in its range. */
static at_status value_analyse(dp_scope *v, int k)
{
    const at_dp_instance *x = v->x;
    const at_dp_value *u = &x->d->values[k];
    dp_span own = {1, 1}, r = {0, 0};
    at_status s = u->own ? dp_span_eval(v, u->own, &own) : AT_OK; /* of counters: a single number */
    if (s == AT_OK && own.lo)
        s = dp_span_eval(v, u->rule, &r);
    v->now[k] = r;
    if (s != AT_OK || !own.lo || u->kind != AT_DP_DECLARED ||
        (r.lo >= x->value_lo[k] && r.hi <= x->value_hi[k]))
        return s;
    if (v->sure)
        return dp_fail_at(x->d, u->rule, v->counter, v->err, "%s can be %lld..%lld; declared is %lld..%lld",
                          u->name.name, (long long)r.lo, (long long)r.hi, (long long)x->value_lo[k],
                          (long long)x->value_hi[k]);
    doubt_at(v, u->rule->line, u->rule->column);
    /* a run that goes on has a value in the declared range */
    v->now[k].lo = least(most(r.lo, x->value_lo[k]), x->value_hi[k]);
    v->now[k].hi = most(least(r.hi, x->value_hi[k]), v->now[k].lo);
    return AT_OK;
}

/* The look-ups are known: dependencies, then rules; joins the intervals into those of the state. */
static at_status state_finish(dp_scope *v)
{
    static const at_dp_value_kind order[] = {AT_DP_FOLDED, AT_DP_DECLARED, AT_DP_GATHERED};
    const at_dp *d = v->x->d;
    at_status s = AT_OK;
    v->answer = v->now;
    for (int n = 0; n < d->n_needs && s == AT_OK; n++)
        if (d->needs[n].name.name[0])
            s = need_place(v, n);
    for (size_t o = 0; o < sizeof order / sizeof *order; o++)
        for (int k = 0; k < d->n_values && s == AT_OK; k++)
            if (d->values[k].kind == order[o])
                s = value_analyse(v, k);
    for (int k = 0; k < d->n_values && s == AT_OK; k++) {
        dp_span *to = &v->value[v->rank * d->n_values + k];
        *to = to->lo > to->hi ? v->now[k] : hull(*to, v->now[k]);
    }
    return s;
}

/* Where a look-up may be; *in: inside its input, for all that is known. */
static at_status take_place(dp_scope *v, const at_dp_take *k, dp_span *index, bool *in)
{
    dp_span column = {1, 1}, cols = {1, 1};
    at_status s = dp_span_eval(v, k->index, index);
    if (s == AT_OK && k->column)
        s = dp_span_eval(v, k->column, &column);
    if (s == AT_OK && k->column)
        s = dp_span_eval(v, v->x->d->inputs[k->input].cols, &cols);
    *in = index->lo >= 1 && index->hi <= v->x->input_len[k->input] && column.lo >= 1 && column.hi <= cols.lo;
    return s;
}

/* A look-up that may be outside its input. */
static at_status take_fault(dp_scope *v, int t)
{
    const at_dp *d = v->x->d;
    const at_dp_take *k = &d->takes[t];
    dp_span index = {0, 0};
    bool in;
    at_status s = take_place(v, k, &index, &in);
    if (s != AT_OK)
        return s;
    bool flat = index.lo >= 1 && index.hi <= v->x->input_len[k->input];
    if (v->sure && flat)
        return dp_fail_at(d, k->column, v->counter, v->err, "this column of %s may be outside",
                          d->inputs[k->input].name.name);
    if (v->sure)
        return dp_fail_at(d, k->index, v->counter, v->err, "position %lld of %s; allowed are 1..%lld",
                          (long long)(index.lo < 1 ? index.lo : index.hi), d->inputs[k->input].name.name,
                          (long long)v->x->input_len[k->input]);
    doubt_at(v, k->index->line, k->index->column);
    return AT_OK;
}

/* Is look-up t there, and where? One that is read in place is there where its place is one, which may be asked where it is not
 * read at all: what fails then does not count. */
static at_status take_presence(dp_scope *v, int t)
{
    const at_dp_instance *x = v->x;
    const at_dp_take *k = &x->d->takes[t];
    dp_span index = {0, 0};
    bool in = false, named = k->name.name[0];
    at_err ignored = {0}, *err = v->err;
    bool doubt = v->doubt;
    at_status s = named ? presence_eval(v, k->when, &v->take_here[t]) : AT_OK;
    if (s != AT_OK || (named && v->take_here[t] == DP_ABSENT))
        return s;
    if (!named)
        v->err = &ignored;
    s = take_place(v, k, &index, &in);
    v->err = err;
    if (!named) {
        v->take_here[t] = s == AT_OK && in ? DP_HERE : DP_ABSENT;
        if (v->take_here[t] == DP_ABSENT) {
            v->take_at[t] = INT64_MAX / 2; /* nowhere: reading it is a fault */
            v->doubt = doubt;
            return AT_OK;
        }
    }
    if (s == AT_OK && !in)
        return take_fault(v, t);
    v->take_at[t] = x->input_first[k->input] + index.lo;
    if (s == AT_OK && named)
        reach_take(v, t);
    return s;
}

/* Look-ups t, t+1, ... then the rest; one that steers takes every value of its range. */
static at_status takes_try(dp_scope *v, int t)
{
    const at_dp_instance *x = v->x;
    const at_dp *d = x->d;
    if (t == d->n_takes)
        return state_finish(v);
    const at_dp_take *k = &d->takes[t];
    dp_span range = {x->input_lo[k->input], most(x->input_lo[k->input], x->input_hi[k->input])};
    at_status s = take_presence(v, t);
    bool steers = v->sure && (d->steering >> t & 1) && v->take_here[t] != DP_ABSENT;
    if (s != AT_OK)
        return s;
    for (int64_t u = steers ? range.lo : 0; u <= (steers ? range.hi : 0) && s == AT_OK; u++) {
        v->take[t] = steers ? (dp_span){u, u} : range;
        memset(v->let_known, 0, sizeof v->let_known);
        s = takes_try(v, t + 1);
    }
    return s;
}

/* ---- all states ------------------------------------------------------------------------------------- */

/* Are there few enough combinations of the look-ups that steer to try them all at every state? */
static bool steering_few(const at_dp_instance *x)
{
    double work = (double)x->n_states * x->d->n_nodes;
    for (int t = 0; t < x->d->n_takes; t++)
        if (x->d->steering >> t & 1)
            work *= (double)(x->input_hi[x->d->takes[t].input] - x->input_lo[x->d->takes[t].input] + 1);
    return !x->d->steering || work <= WORK_LIMIT;
}

static at_status answer_analyse(dp_scope *v, at_dp_instance *x)
{
    const at_dp *d = x->d;
    int64_t rank = x->n_states - 1, state[AT_DP_MAX] = {0};
    dp_span r;
    v->counter = NULL;
    v->sure = true; /* sizes are numbers */
    memset(v->let_known, 0, sizeof v->let_known);
    if (d->answer_state[0]) {
        for (int c = 0; c < d->n_counters; c++) {
            at_status s = dp_span_eval(v, d->answer_state[c], &r);
            if (s != AT_OK)
                return s;
            state[c] = r.lo;
        }
        rank = at_dp_rank(x, state);
    }
    v->answer = rank < 0 ? NULL : v->value + rank * d->n_values;
    at_status s = dp_span_eval(v, d->answer, &r);
    if (s != AT_OK)
        return s;
    if (rank >= 0 && dp_node_of(d->answer)->uses & DP_VALUE)
        v->reach = most(v->reach, x->n_states - rank);
    x->answer_lo = r.lo;
    x->answer_hi = r.hi;
    return AT_OK;
}

/* The ranges of what was not declared are those that were found. */
static void folded_bind(at_dp_instance *x, const dp_span *value)
{
    const at_dp *d = x->d;
    for (int k = 0; k < d->n_values; k++) {
        dp_span all = {0, 0};
        if (d->values[k].kind == AT_DP_DECLARED)
            continue;
        for (int64_t r = 0; r < x->n_states; r++)
            if (value[r * d->n_values + k].lo <= value[r * d->n_values + k].hi)
                all = hull(all, value[r * d->n_values + k]);
        x->value_lo[k] = all.lo;
        x->value_hi[k] = all.hi;
    }
}

at_status dp_states_analyse(at_dp_instance *x, at_err *err)
{
    const at_dp *d = x->d;
    size_t n = (size_t)(x->n_states * d->n_values);
    /* every row needs the one before it, to know which state comes next */
    dp_scope v = {.x = x, .err = err, .reach = 1, .sure = steering_few(x)};
    v.value = at_malloc((n + 1) * sizeof *v.value);
    if (!v.value)
        return at_oom(err);
    for (size_t i = 0; i < n; i++)
        v.value[i] = (dp_span){1, 0}; /* empty */
    at_status s = AT_OK;
    for (v.rank = 0; v.rank < x->n_states && s == AT_OK; v.rank++) {
        v.counter = x->state + v.rank * d->n_counters;
        memset(v.let_known, 0, sizeof v.let_known);
        s = (v.rank & 1023) == 0 && at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                                        : takes_try(&v, 0);
    }
    if (s == AT_OK)
        s = answer_analyse(&v, x);
    folded_bind(x, v.value);
    at_free(v.value);
    x->proved = v.doubt ? AT_UNKNOWN : AT_TRUE;
    x->doubt_line = v.doubt_line;
    x->doubt_column = v.doubt_column;
    x->locality = v.doubt ? -1 : v.reach;
    return s;
}
