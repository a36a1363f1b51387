/* dp_run.c: the interpreter, which is the reference, and the test for regularity.
 *
 * At each state, in order: the look-ups (a later one may be steered by an earlier one), the dependencies, then the
 * rules. Lets are evaluated where they are first read and remembered, so that an unread one may read what is absent.
 * Everything is checked as it is met, also what bind has proved. */
#include "dp_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- words ---------------------------------------------------------------------------------------- */

int dp_block_of(const at_dp *d, const int64_t *counter)
{
    bool known = d->hidden && counter[0] >= 1 && counter[0] <= d->n_blocks;
    return known ? (int)counter[0] - 1 : 0;
}

const char *dp_counter_name(const at_dp *d, int block, int m)
{
    const at_dp_block *b = &d->blocks[block];
    int c = m - d->hidden;
    if (c < 0)
        return NULL;
    return c < b->n                    ? b->counter[c].name.name
           : c == b->n && b->fold >= 0 ? d->values[b->fold].name.name
                                       : NULL;
}

void dp_state_print(const at_dp *d, const int64_t *counter, at_text *out)
{
    int block = dp_block_of(d, counter), n = 0;
    for (int c = 0; c < d->n_counters; c++) {
        const char *name = dp_counter_name(d, block, c);
        if (name)
            at_text_addf(out, "%s%s=%lld", n++ ? ", " : "(", name, (long long)counter[c]);
    }
    at_text_add(out, ")");
}

at_status dp_fail_at(const at_dp *d, const at_dpx *e, const int64_t *counter, at_err *err, const char *fmt,
                     ...)
{
    char text[256];
    at_text state;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    at_text_init(&state);
    if (counter) {
        at_text_add(&state, " state ");
        dp_state_print(d, counter, &state);
        at_text_add(&state, ":");
    }
    at_status s = state.oom ? at_oom(err)
                            : at_fail(err, AT_EINPUT, "%.100s:%d:%d:%.120s %s", d->path, e->line, e->column,
                                      state.s ? state.s : "", text);
    at_text_release(&state);
    return s;
}

/* The state that a need asks for is no state, or not an earlier one. */
at_status dp_need_fault(const at_dp_instance *x, int need, const int64_t *counter, const int64_t *wanted,
                        at_err *err)
{
    const at_dp *d = x->d;
    int64_t rank = at_dp_rank(x, wanted);
    at_text state;
    at_text_init(&state);
    dp_state_print(d, wanted, &state);
    const char *why = rank < 0                         ? "is not a state"
                      : rank == at_dp_rank(x, counter) ? "is the state itself"
                                                       : "comes later in the order";
    const at_dp_name *name = &d->needs[need].name;
    at_dpx here = {.line = name->line, .column = name->column};
    at_status s = AT_OK;
    if (state.oom)
        s = at_oom(err);
    else if (name->name[0])
        s = dp_fail_at(d, d->needs[need].counter[d->hidden], counter, err,
                       "need %s: %.120s %s; allowed are earlier states", name->name, state.s, why);
    else
        s = dp_fail_at(d, &here, counter, err, "%.120s %s; read are earlier states", state.s, why);
    at_text_release(&state);
    return s;
}

at_status dp_empty_fault(const at_dp *d, const at_dpx *e, const int64_t *counter, int64_t lo, int64_t hi,
                         at_err *err)
{
    return dp_fail_at(d, e, counter, err, "%s over the empty range %lld..%lld; read it only inside an if",
                      d->values[e->index].op == AT_DPX_MIN ? "min" : "max", (long long)lo, (long long)hi);
}

/* ---- expressions ---------------------------------------------------------------------------------- */

static at_status let_eval(dp_env *v, int k, int64_t *out)
{
    if (!v->let_known[k]) {
        at_status s = dp_eval(v, v->x->d->lets[k].rule, &v->let[k]);
        if (s != AT_OK)
            return s;
        v->let_known[k] = true;
    }
    *out = v->let[k];
    return AT_OK;
}

/* Element `index` of the input of a look-up, or a fault. */
static at_status element_find(dp_env *v, const at_dp_take *k, int64_t *out)
{
    const at_dp *d = v->x->d;
    int64_t index = 0, column = 0, cols = 0;
    at_status s = dp_eval(v, k->index, &index);
    if (s == AT_OK && k->column)
        s = dp_eval(v, k->column, &column);
    if (s == AT_OK && k->column)
        s = dp_eval(v, d->inputs[k->input].cols, &cols);
    if (s != AT_OK)
        return s;
    if (k->column && (column < 1 || column > cols))
        return dp_fail_at(d, k->column, v->counter, v->err, "column %lld of %s; allowed are 1..%lld",
                          (long long)column, d->inputs[k->input].name.name, (long long)cols);
    if (index < 1 || index > v->x->input_len[k->input])
        return dp_fail_at(d, k->index, v->counter, v->err, "position %lld of %s; allowed are 1..%lld",
                          (long long)index, d->inputs[k->input].name.name,
                          (long long)v->x->input_len[k->input]);
    *out = v->input[v->x->input_first[k->input] + index - 1];
    return AT_OK;
}

/* The values of the state of a dependency, or a fault. */
static at_status state_find(dp_env *v, int n, const int64_t **out)
{
    const at_dp *d = v->x->d;
    int64_t wanted[AT_DP_MAX] = {0};
    at_status s = AT_OK;
    for (int c = 0; c < d->n_counters && s == AT_OK; c++)
        s = dp_eval(v, d->needs[n].counter[c], &wanted[c]);
    if (s != AT_OK)
        return s;
    int64_t from = at_dp_rank(v->x, wanted);
    if (from < 0 || from >= v->rank)
        return dp_need_fault(v->x, n, v->counter, wanted, v->err);
    *out = v->values + from * d->n_values;
    return AT_OK;
}

static at_status need_eval(dp_env *v, const at_dpx *e, int64_t *out)
{
    const at_dp *d = v->x->d;
    const int64_t *values = v->need[e->index];
    if (!d->needs[e->index].name.name[0]) {
        at_status s = state_find(v, e->index, &values);
        if (s != AT_OK)
            return s;
    } else if (!values)
        return dp_fail_at(d, e, v->counter, v->err, "%s is absent; read it only where its when holds",
                          d->needs[e->index].name.name);
    *out = values[e->field];
    return AT_OK;
}

static at_status take_eval(dp_env *v, const at_dpx *e, int64_t *out)
{
    const at_dp *d = v->x->d;
    if (!d->takes[e->index].name.name[0])
        return element_find(v, &d->takes[e->index], out);
    if (!v->take_here[e->index])
        return dp_fail_at(d, e, v->counter, v->err, "%s is absent; read it only where its when holds",
                          d->takes[e->index].name.name);
    *out = v->take[e->index];
    return AT_OK;
}

/* k of a fold: its own beginning and as many more as the first fold of these states has. */
static at_status over_eval(dp_env *v, const at_dpx *e, int64_t *out)
{
    const at_dp *d = v->x->d;
    const at_dp_value *f = &d->values[e->index];
    const at_dp_block *b = &d->blocks[f->block];
    int64_t own = 0, first = 0;
    at_status s = dp_eval(v, f->lo, &own);
    if (s == AT_OK)
        s = dp_eval(v, d->values[b->fold].lo, &first);
    *out = own + v->counter[d->hidden + b->n] - first;
    return s;
}

/* A fold is read: it has a value. */
static at_status fold_eval(dp_env *v, const at_dpx *e, int64_t *out)
{
    const at_dp_value *f = &v->x->d->values[e->index];
    int64_t lo = 0, hi = 0;
    at_status s = dp_eval(v, f->lo, &lo);
    if (s == AT_OK)
        s = dp_eval(v, f->hi, &hi);
    if (s == AT_OK && lo > hi && f->op != AT_DPX_ADD)
        return dp_empty_fault(v->x->d, e, v->counter, lo, hi, v->err);
    *out = v->value[e->index];
    return s;
}

static at_status before_eval(dp_env *v, const at_dpx *e, int64_t *out)
{
    const at_dp *d = v->x->d;
    int64_t row = dp_row_before(v->x, v->counter, v->rank);
    if (!v->counter && v->x->first[e->index] < 0 && d->values[e->index].op != AT_DPX_ADD)
        return dp_fail_at(d, e, NULL, v->err,
                          "the answer is gathered from states that do not exist at these sizes; use if");
    *out = row < 0 ? 0 : v->values[row * d->n_values + e->index];
    return AT_OK;
}

static at_status leaf_eval(dp_env *v, const at_dpx *e, int64_t *out)
{
    const at_dp *d = v->x->d;
    switch (e->op) {
    case AT_DPX_SIZE:
        *out = v->x->size[e->index];
        return AT_OK;
    case AT_DPX_COUNTER:
        *out = v->counter[e->index];
        return AT_OK;
    case AT_DPX_TAKE:
        return take_eval(v, e, out);
    case AT_DPX_NEED:
        return need_eval(v, e, out);
    case AT_DPX_VALUE:
        if (!v->value)
            return dp_fail_at(d, e, NULL, v->err,
                              "the answer reads %s, but its state does not exist at these sizes; use if",
                              d->values[e->index].name.name);
        *out = v->value[e->index];
        return AT_OK;
    case AT_DPX_OVER:
        return over_eval(v, e, out);
    case AT_DPX_FOLD:
        return fold_eval(v, e, out);
    case AT_DPX_BEFORE:
        return before_eval(v, e, out);
    case AT_DPX_FIRST:
        *out = v->rank == v->x->first[e->index];
        return AT_OK;
    case AT_DPX_LET:
        return let_eval(v, e->index, out);
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
        *out = e->value;
        return AT_OK;
    }
}

/* Entry a of a table; column: of one that has columns, its place among them. */
static at_status entry_eval(dp_env *v, const at_dpx *e, int64_t a, int64_t column, int64_t *out)
{
    const at_dp_table *t = &v->x->d->tables[e->index];
    if (t->cols && (column < 1 || column > t->cols))
        return dp_fail_at(v->x->d, e, v->counter, v->err, "column %lld of %s; allowed are 1..%d",
                          (long long)column, t->name.name, t->cols);
    if (a < 1 || a > t->n)
        return dp_fail_at(v->x->d, e, v->counter, v->err, "position %lld of %s; allowed are 1..%d",
                          (long long)a, t->name.name, t->n);
    *out = t->value[a - 1];
    return AT_OK;
}

at_status dp_eval(dp_env *v, const at_dpx *e, int64_t *out)
{
    int64_t a = 0, b = 0, r = 0;
    bool over = false;
    at_status s = AT_OK;
    if (e->op <= AT_DPX_LET)
        return leaf_eval(v, e, out);
    s = dp_eval(v, e->arg[0], &a);
    if (s == AT_OK && e->op == AT_DPX_IF)
        return dp_eval(v, e->arg[a ? 1 : 2], out);
    bool decided = (e->op == AT_DPX_AND && !a) || (e->op == AT_DPX_OR && a);
    if (s == AT_OK && e->arg[1] && !decided)
        s = dp_eval(v, e->arg[1], &b);
    if (s != AT_OK)
        return s;
    switch (e->op) {
    case AT_DPX_ADD:
        r = a + b;
        break;
    case AT_DPX_SUB:
        r = a - b;
        break;
    case AT_DPX_MUL:
        over = __builtin_mul_overflow(a, b, &r);
        break;
    case AT_DPX_MOD:
        if (b < 1)
            return dp_fail_at(v->x->d, e->arg[1], v->counter, v->err,
                              "the modulus is %lld; allowed are 1, 2, ...", (long long)b);
        r = (a % b + b) % b;
        break;
    case AT_DPX_DIV:
        if (b < 1)
            return dp_fail_at(v->x->d, e->arg[1], v->counter, v->err,
                              "the divisor is %lld; allowed are 1, 2, ...", (long long)b);
        r = a / b - (a % b < 0);
        break;
    case AT_DPX_TABLE:
        return entry_eval(v, e, a, b, out);
    case AT_DPX_MIN:
        r = a < b ? a : b;
        break;
    case AT_DPX_MAX:
        r = a > b ? a : b;
        break;
    case AT_DPX_NEG:
        r = -a;
        break;
    case AT_DPX_ABS:
        r = a < 0 ? -a : a;
        break;
    case AT_DPX_EQ:
        r = a == b;
        break;
    case AT_DPX_NE:
        r = a != b;
        break;
    case AT_DPX_LT:
        r = a < b;
        break;
    case AT_DPX_LE:
        r = a <= b;
        break;
    case AT_DPX_AND:
        r = a && b;
        break;
    case AT_DPX_OR:
        r = a || b;
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
    case AT_DPX_NOT:
    case AT_DPX_IF:
    default:
        r = !a;
    }
    if (over || r > AT_DP_NUMBER || r < -AT_DP_NUMBER)
        return dp_fail_at(v->x->d, e, v->counter, v->err, "a number leaves -2^53..2^53");
    *out = r;
    return AT_OK;
}

/* ---- a run ---------------------------------------------------------------------------------------- */

/* Those that have a name; what is read in place is found where it is read. */
static at_status takes_run(dp_env *v)
{
    const at_dp *d = v->x->d;
    for (int t = 0; t < d->n_takes; t++) {
        const at_dp_take *k = &d->takes[t];
        int64_t here = 1;
        if (!k->name.name[0])
            continue;
        at_status s = k->when ? dp_eval(v, k->when, &here) : AT_OK;
        if (s == AT_OK && here)
            s = element_find(v, k, &v->take[t]);
        if (s != AT_OK)
            return s;
        v->take_here[t] = here;
    }
    return AT_OK;
}

static at_status needs_run(dp_env *v)
{
    const at_dp *d = v->x->d;
    for (int n = 0; n < d->n_needs; n++) {
        int64_t here = 1;
        if (!d->needs[n].name.name[0])
            continue;
        v->need[n] = NULL;
        at_status s = d->needs[n].when ? dp_eval(v, d->needs[n].when, &here) : AT_OK;
        if (s == AT_OK && here)
            s = state_find(v, n, &v->need[n]);
        if (s != AT_OK)
            return s;
    }
    return AT_OK;
}

static at_status value_run(dp_env *v, int k, int64_t *out)
{
    const at_dp *d = v->x->d;
    const at_dp_value *u = &d->values[k];
    int64_t own = 1;
    at_status s = u->own ? dp_eval(v, u->own, &own) : AT_OK;
    *out = 0;
    if (s == AT_OK && own)
        s = dp_eval(v, u->rule, out);
    if (s != AT_OK || !own || u->kind != AT_DP_DECLARED)
        return s;
    if (*out < v->x->value_lo[k] || *out > v->x->value_hi[k])
        return dp_fail_at(d, u->rule, v->counter, v->err, "%s is %lld; declared is %lld..%lld", u->name.name,
                          (long long)*out, (long long)v->x->value_lo[k], (long long)v->x->value_hi[k]);
    return AT_OK;
}

/* Folds first, since rules read them; then the rules; then what is gathered of them. */
static at_status state_run(dp_env *v, int64_t *value)
{
    static const at_dp_value_kind order[] = {AT_DP_FOLDED, AT_DP_DECLARED, AT_DP_GATHERED};
    const at_dp *d = v->x->d;
    memset(v->let_known, 0, sizeof v->let_known);
    v->value = value;
    at_status s = takes_run(v);
    if (s == AT_OK)
        s = needs_run(v);
    for (size_t o = 0; o < sizeof order / sizeof *order; o++)
        for (int k = 0; k < d->n_values && s == AT_OK; k++)
            if (d->values[k].kind == order[o])
                s = value_run(v, k, &value[k]);
    return s;
}

static at_status answer_run(dp_env *v, int64_t *out)
{
    const at_dp *d = v->x->d;
    int64_t rank = v->x->n_states - 1, state[AT_DP_MAX] = {0};
    memset(v->let_known, 0, sizeof v->let_known);
    v->counter = NULL;
    if (d->answer_state[0]) {
        for (int c = 0; c < d->n_counters; c++) {
            at_status s = dp_eval(v, d->answer_state[c], &state[c]);
            if (s != AT_OK)
                return s;
        }
        rank = at_dp_rank(v->x, state);
    }
    v->value = rank < 0 ? NULL : v->values + rank * d->n_values;
    return dp_eval(v, d->answer, out);
}

static at_status input_check(const at_dp_instance *x, const int64_t *input, at_err *err)
{
    for (int k = 0; k < x->d->n_inputs; k++)
        for (int64_t i = 0; i < x->input_len[k]; i++) {
            int64_t u = input[x->input_first[k] + i];
            if (u < x->input_lo[k] || u > x->input_hi[k])
                return at_fail(err, AT_EDOMAIN, "input %s[%lld] is %lld; allowed are %lld..%lld",
                               x->d->inputs[k].name.name, (long long)i + 1, (long long)u,
                               (long long)x->input_lo[k], (long long)x->input_hi[k]);
        }
    return AT_OK;
}

static at_status run_into(const at_dp_instance *x, const int64_t *input, int64_t *value, int64_t *answer,
                          at_err *err)
{
    dp_env v = {.x = x, .input = input, .values = value, .err = err};
    for (v.rank = 0; v.rank < x->n_states; v.rank++) {
        v.counter = x->state + v.rank * x->d->n_counters;
        at_status s = state_run(&v, value + v.rank * x->d->n_values);
        if (s != AT_OK)
            return s;
    }
    return answer_run(&v, answer);
}

at_status at_dp_run(const at_dp_instance *x, const int64_t *input, at_arena *a, at_dp_chain *out, at_err *err)
{
    at_status s = input_check(x, input, err);
    if (s != AT_OK)
        return s;
    int64_t answer, *value = at_new(a, int64_t, x->n_states * x->d->n_values + 1);
    if (!value)
        return at_oom(err);
    s = run_into(x, input, value, &answer, err);
    if (s == AT_OK)
        *out = (at_dp_chain){value, answer};
    return s;
}

/* ---- regularity ------------------------------------------------------------------------------------- */

/* The inputs in order, the last element fastest. */
static void input_nth(const at_dp_instance *x, uint64_t nth, int64_t *input)
{
    for (int k = x->d->n_inputs - 1; k >= 0; k--)
        for (int64_t i = x->input_len[k] - 1; i >= 0; i--) {
            uint64_t range = (uint64_t)(x->input_hi[k] - x->input_lo[k]) + 1;
            input[x->input_first[k] + i] = x->input_lo[k] + (int64_t)(nth % range);
            nth /= range;
        }
}

/* How many inputs there are; limit + 1 when more than that. */
static uint64_t input_count(const at_dp_instance *x, uint64_t limit)
{
    uint64_t count = 1;
    for (int k = 0; k < x->d->n_inputs; k++)
        for (int64_t i = 0; i < x->input_len[k]; i++) {
            uint64_t range = (uint64_t)(x->input_hi[k] - x->input_lo[k]) + 1;
            if (range == 1)
                break;
            if (__builtin_mul_overflow(count, range, &count) || count > limit)
                return limit + 1;
        }
    return count;
}

typedef struct {
    uint64_t hash, nth; /* nth + 1; 0: an empty slot */
} slot;

typedef struct {
    const at_dp_instance *x;
    int64_t *input, *chain, *other; /* (n_input), (length), (length) */
    size_t length;                  /* values of all states, and the answer */
    slot *slots;                    /* open addressing, at least half of it empty */
    uint64_t mask;
    at_err *err;
} chains;

static at_status chain_of(chains *c, uint64_t nth, int64_t *chain)
{
    input_nth(c->x, nth, c->input);
    return run_into(c->x, c->input, chain, &chain[c->length - 1], c->err);
}

/* Adds the chain of an input; *same: 1 + an earlier input with the same chain, or 0. Equal hashes are not enough: the
 * earlier chain is computed again and compared. */
static at_status chain_add(chains *c, uint64_t nth, uint64_t *same)
{
    at_status s = chain_of(c, nth, c->chain);
    if (s != AT_OK)
        return s;
    uint64_t hash = at_hash64(c->chain, c->length * sizeof *c->chain, 1);
    uint64_t i = hash & c->mask;
    for (; c->slots[i].nth; i = (i + 1) & c->mask) {
        if (c->slots[i].hash != hash)
            continue;
        s = chain_of(c, c->slots[i].nth - 1, c->other);
        if (s != AT_OK)
            return s;
        if (memcmp(c->chain, c->other, c->length * sizeof *c->chain) == 0) {
            *same = c->slots[i].nth;
            return AT_OK;
        }
    }
    c->slots[i] = (slot){hash, nth + 1};
    *same = 0;
    return AT_OK;
}

void at_dp_rows(const at_dp_instance *x, const at_dp_chain *c, double *rows)
{
    int64_t nc = x->d->n_counters, nv = x->d->n_values, row = 2 + nc + nv;
    memset(rows, 0, (size_t)((x->n_states + 1) * row) * sizeof *rows);
    for (int64_t t = 0; t < x->n_states; t++) {
        for (int64_t k = 0; k < nc; k++)
            rows[t * row + 1 + k] = (double)x->state[t * nc + k];
        for (int64_t k = 0; k < nv; k++)
            rows[t * row + 1 + nc + k] = (double)c->value[t * nv + k];
    }
    rows[x->n_states * row + row - 1] = (double)c->answer;
}

at_status at_dp_regular(const at_dp_instance *x, uint64_t limit, at_arena *a, at_tri *out, int64_t **first,
                        int64_t **second, uint64_t *distinct, at_err *err)
{
    if (limit > (uint64_t)1 << 32)
        limit = (uint64_t)1 << 32;
    uint64_t count = input_count(x, limit), seen = 0, cap = 2, twin[2] = {0, 0};
    bool found = false;
    if (count > limit) {
        *out = AT_UNKNOWN;
        *distinct = 0;
        *first = *second = NULL;
        return AT_OK;
    }
    while (cap < 2 * count)
        cap *= 2;
    size_t length = (size_t)(x->n_states * x->d->n_values) + 1, n = (size_t)x->n_input + 1;
    int64_t *pair = at_new(a, int64_t, 2 * n);
    int64_t *work = at_calloc(n + 2 * length, sizeof *work);
    slot *slots = at_calloc(cap, sizeof *slots);
    at_status s = pair && work && slots ? AT_OK : at_oom(err);
    chains c = {x,       work, work ? work + n : NULL, work ? work + n + length : NULL, length, slots,
                cap - 1, err};
    for (uint64_t i = 0; i < count && s == AT_OK; i++) {
        uint64_t same = 0;
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted") : chain_add(&c, i, &same);
        seen += s == AT_OK && !same;
        if (same && !found) {
            found = true;
            twin[0] = same - 1;
            twin[1] = i;
        }
    }
    at_free(work);
    at_free(slots);
    if (s != AT_OK)
        return s;
    *out = found ? AT_FALSE : AT_TRUE;
    *distinct = seen;
    *first = found ? pair : NULL;
    *second = found ? pair + n : NULL;
    for (int k = 0; k < 2 && found; k++)
        input_nth(x, twin[k], pair + (size_t)k * n);
    return AT_OK;
}
