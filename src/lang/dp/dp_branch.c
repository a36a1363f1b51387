/* dp_branch.c: which branches of the definition an input takes.
 *
 * A walk of its own, so that the interpreter stays as fast and as short as it is. at_dp_run first computes all
 * values, and refuses what is faulty. Then every expression is evaluated once more at every state, and each operation
 * notes which way it went. Like the interpreter, an if walks only the branch it takes, and a let is walked where it is
 * first read. */
#include <assert.h>
#include <string.h>

#include "dp_internal.h"

typedef struct {
    const at_dp_instance *x;
    const int64_t *counter, *input;
    const at_dp_chain *y;
    int64_t take[AT_DP_MAX], let[AT_DP_MAX];
    bool let_known[AT_DP_MAX];
    int64_t need[AT_DP_MAX]; /* the rank of the needed state */
    int64_t rank;            /* of this state, or of the answer's */
    at_dp_branch *seen;
} walk;

const char *at_dp_way(at_dpx_op op, int k)
{
    static const char *const branches[] = {"else", "then"}, *const sames[] = {"unequal", "equal"},
                             *const orders[] = {"first below", "equal", "first above"},
                             *const signs[] = {"negative", "zero", "positive"},
                             *const wraps[] = {"inside", "wraps"},
                             *const both[] = {"first no", "yes, no", "yes, yes"},
                             *const either[] = {"no, no", "no, yes", "first yes"};
    const char *const *words = NULL;
    int n = 0;
    switch (op) {
    case AT_DPX_IF:
        words = branches;
        n = 2;
        break;
    case AT_DPX_EQ:
    case AT_DPX_NE:
        words = sames;
        n = 2;
        break;
    case AT_DPX_LT:
    case AT_DPX_LE:
    case AT_DPX_MIN:
    case AT_DPX_MAX:
        words = orders;
        n = 3;
        break;
    case AT_DPX_ABS:
        words = signs;
        n = 3;
        break;
    case AT_DPX_MOD:
        words = wraps;
        n = 2;
        break;
    case AT_DPX_AND:
        words = both;
        n = 3;
        break;
    case AT_DPX_OR:
        words = either;
        n = 3;
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
    case AT_DPX_ADD:
    case AT_DPX_SUB:
    case AT_DPX_MUL:
    case AT_DPX_DIV:
    case AT_DPX_TABLE:
    case AT_DPX_NEG:
    case AT_DPX_NOT: /* its argument is a truth and has the ways */
        break;
    }
    return k >= 0 && k < n ? words[k] : NULL;
}

static void way_note(walk *w, const at_dpx *e, int k)
{
    if (dp_node_of(e)->made)
        return;
    w->seen[e->node].at = e;
    w->seen[e->node].ways |= 1u << k;
}

/* Notes which of the two is larger: ways 0, 1, 2. */
static void order_note(walk *w, const at_dpx *e, int64_t a, int64_t b)
{
    way_note(w, e, a < b ? 0 : a == b ? 1 : 2);
}

static int64_t walked(walk *w, const at_dpx *e);

static int64_t element_walk(walk *w, const at_dp_take *k)
{
    return w->input[w->x->input_first[k->input] + walked(w, k->index) - 1];
}

/* The rank of the needed state. */
static int64_t need_walk(walk *w, int n)
{
    const at_dp *d = w->x->d;
    int64_t wanted[AT_DP_MAX] = {0};
    for (int c = 0; c < d->n_counters; c++)
        wanted[c] = walked(w, d->needs[n].counter[c]);
    return at_dp_rank(w->x, wanted);
}

/* What stands for a number, or a name of one. */
static int64_t leaf_walk(walk *w, const at_dpx *e)
{
    const at_dp *d = w->x->d;
    const at_dp_value *f = &d->values[e->index];
    int64_t row = 0;
    switch (e->op) {
    case AT_DPX_SIZE:
        return w->x->size[e->index];
    case AT_DPX_COUNTER:
        return w->counter[e->index];
    case AT_DPX_TAKE:
        return d->takes[e->index].name.name[0] ? w->take[e->index] : element_walk(w, &d->takes[e->index]);
    case AT_DPX_NEED:
        row = d->needs[e->index].name.name[0] ? w->need[e->index] : need_walk(w, e->index);
        return w->y->value[row * d->n_values + e->field];
    case AT_DPX_VALUE:
    case AT_DPX_FOLD:
        return w->y->value[w->rank * d->n_values + e->index];
    case AT_DPX_OVER:
        return walked(w, f->lo) + w->counter[d->hidden + d->blocks[f->block].n] -
               walked(w, d->values[d->blocks[f->block].fold].lo);
    case AT_DPX_BEFORE:
        row = dp_row_before(w->x, w->counter, w->rank);
        return row < 0 ? 0 : w->y->value[row * d->n_values + e->index];
    case AT_DPX_FIRST:
        return w->rank == w->x->first[e->index];
    case AT_DPX_LET:
        if (!w->let_known[e->index])
            w->let[e->index] = walked(w, d->lets[e->index].rule);
        w->let_known[e->index] = true;
        return w->let[e->index];
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
        return e->value;
    }
}

/* The run has succeeded, so nothing is absent, too large or divided by 0 here. */
static int64_t walked(walk *w, const at_dpx *e)
{
    int64_t a = e->arg[0] ? walked(w, e->arg[0]) : 0;
    bool decided = e->op == AT_DPX_IF || (e->op == AT_DPX_AND && !a) || (e->op == AT_DPX_OR && a);
    int64_t b = e->arg[1] && !decided ? walked(w, e->arg[1]) : 0;
    switch (e->op) {
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
        return leaf_walk(w, e);
    case AT_DPX_DIV:
        return a / b - (a % b < 0);
    case AT_DPX_TABLE:
        return w->x->d->tables[e->index].value[a - 1];
    case AT_DPX_ADD:
        return a + b;
    case AT_DPX_SUB:
        return a - b;
    case AT_DPX_MUL:
        return a * b;
    case AT_DPX_NEG:
        return -a;
    case AT_DPX_NOT:
        return !a;
    case AT_DPX_MOD:
        way_note(w, e, a < 0 || a >= b);
        return (a % b + b) % b;
    case AT_DPX_MIN:
        order_note(w, e, a, b);
        return a < b ? a : b;
    case AT_DPX_MAX:
        order_note(w, e, a, b);
        return a > b ? a : b;
    case AT_DPX_ABS:
        order_note(w, e, a, 0);
        return a < 0 ? -a : a;
    case AT_DPX_EQ:
        way_note(w, e, a == b);
        return a == b;
    case AT_DPX_NE:
        way_note(w, e, a == b);
        return a != b;
    case AT_DPX_LT:
        order_note(w, e, a, b);
        return a < b;
    case AT_DPX_LE:
        order_note(w, e, a, b);
        return a <= b;
    case AT_DPX_AND:
        way_note(w, e, (a != 0) + (b != 0));
        return a && b;
    case AT_DPX_OR:
        way_note(w, e, a ? 2 : b != 0);
        return a || b;
    case AT_DPX_IF:
        way_note(w, e, a != 0);
        return walked(w, e->arg[a ? 1 : 2]);
    }
    return 0;
}

static void state_walk(walk *w, int64_t rank)
{
    const at_dp *d = w->x->d;
    memset(w->let_known, 0, sizeof w->let_known);
    w->counter = w->x->state + rank * d->n_counters;
    w->rank = rank;
    for (int t = 0; t < d->n_takes; t++) {
        const at_dp_take *k = &d->takes[t];
        if (k->name.name[0] && (!k->when || walked(w, k->when)))
            w->take[t] = element_walk(w, k);
    }
    for (int n = 0; n < d->n_needs; n++)
        if (d->needs[n].name.name[0] && (!d->needs[n].when || walked(w, d->needs[n].when)))
            w->need[n] = need_walk(w, n);
    for (int k = 0; k < d->n_values; k++) {
        const at_dp_value *v = &d->values[k];
        int64_t again = v->own && !walked(w, v->own) ? 0 : walked(w, v->rule);
        assert(again == w->y->value[rank * d->n_values + k]); /* the walk is the run */
        (void)again;
    }
}

static void answer_walk(walk *w)
{
    const at_dp *d = w->x->d;
    int64_t state[AT_DP_MAX] = {0};
    memset(w->let_known, 0, sizeof w->let_known);
    w->counter = NULL;
    w->rank = w->x->n_states - 1;
    for (int c = 0; d->answer_state[0] && c < d->n_counters; c++)
        state[c] = walked(w, d->answer_state[c]);
    if (d->answer_state[0])
        w->rank = at_dp_rank(w->x, state);
    int64_t again = walked(w, d->answer);
    assert(again == w->y->answer);
    (void)again;
}

at_status at_dp_branches(const at_dp_instance *x, const int64_t *input, at_dp_branch *seen, at_err *err)
{
    at_arena a;
    at_dp_chain y;
    at_arena_init(&a);
    at_status s = at_dp_run(x, input, &a, &y, err);
    if (s == AT_OK) {
        walk w = {.x = x, .input = input, .y = &y, .seen = seen};
        for (int64_t r = 0; r < x->n_states; r++)
            state_walk(&w, r);
        answer_walk(&w);
    }
    at_arena_release(&a);
    return s;
}
