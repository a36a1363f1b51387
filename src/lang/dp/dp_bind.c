/* dp_bind.c: a problem at concrete sizes: lengths, ranges, and the states in their order.
 *
 * States are counted before anything is allocated. They are kept as rows (n_states, n_counters), which lexicographic
 * order makes sorted, so the rank of a state is found by halving. Within the order no range may be empty (the next
 * state would be hard to say) unless there is no state at all, which is how an empty input looks. */
#include "dp_internal.h"

#include <string.h>

#define WORK_LIMIT ((int64_t)1 << 30) /* states times nodes: some seconds */

int64_t at_dp_rank(const at_dp_instance *x, const int64_t *counters)
{
    int64_t lo = 0, hi = x->n_states; /* it is at lo..hi-1 or nowhere */
    int n = x->d->n_counters;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        const int64_t *row = x->state + mid * n;
        int c = 0;
        while (c < n && row[c] == counters[c])
            c++;
        if (c == n)
            return mid;
        if (row[c] < counters[c])
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

/* ---- sizes, inputs, ranges -------------------------------------------------------------------------- */

at_status at_dp_sizes_parse(const at_dp *d, const char *text, int64_t size[AT_DP_MAX], at_err *err)
{
    bool given[AT_DP_MAX] = {false};
    const char *names[AT_DP_MAX];
    for (int k = 0; k < d->n_sizes; k++)
        names[k] = d->sizes[k].name;
    for (const char *s = text + strspn(text, ", "); *s; s += strspn(s, ", ")) {
        size_t n = strcspn(s, ", "), name = strcspn(s, "=, ");
        char word[sizeof d->sizes[0].name];
        int k = 0;
        if (name == n || name == 0 || name >= sizeof word)
            return at_fail(err, AT_EINPUT, "size \"%.*s\": expected name=number", (int)(n < 40 ? n : 40), s);
        memcpy(word, s, name);
        word[name] = 0;
        while (k < d->n_sizes && strcmp(word, names[k]) != 0)
            k++;
        if (k == d->n_sizes) {
            const at_registry sizes = AT_REGISTRY_OF_NAMES("size", NULL, names, d->n_sizes);
            at_registry_need(&sizes, word, err);
            return AT_EINPUT;
        }
        if (given[k])
            return at_fail(err, AT_EINPUT, "size %s is given twice", word);
        if (!at_parse_i64(s + name + 1, n - name - 1, &size[k]))
            return at_fail(err, AT_EINPUT, "size %s: \"%.*s\" is not an integer", word,
                           (int)(n - name - 1 < 40 ? n - name - 1 : 40), s + name + 1);
        given[k] = true;
        s += n;
    }
    at_dp_instance x = {.d = d};
    dp_env v = {.x = &x, .err = err};
    for (int k = 0; k < d->n_sizes; k++) {
        if (!given[k] && !d->size_usual[k])
            return at_fail(err, AT_EINPUT, "size %s is missing; expected %s=number", names[k], names[k]);
        at_status s = given[k] ? AT_OK : dp_eval(&v, d->size_usual[k], &size[k]);
        if (s != AT_OK)
            return s;
        x.size[k] = size[k];
    }
    return AT_OK;
}

static at_status range_eval(dp_env *v, const at_dpx *lo, const at_dpx *hi, int64_t *out_lo, int64_t *out_hi)
{
    memset(v->let_known, 0, sizeof v->let_known);
    at_status s = dp_eval(v, lo, out_lo);
    return s == AT_OK ? dp_eval(v, hi, out_hi) : s;
}

static at_status sizes_bind(at_dp_instance *x, const int64_t *size, bool all, at_err *err)
{
    const at_dp *d = x->d;
    dp_env v = {.x = x, .err = err};
    for (int k = 0; k < d->n_sizes; k++) {
        int64_t lo, hi;
        at_status s = range_eval(&v, d->size_lo[k], d->size_hi[k], &lo, &hi);
        if (s != AT_OK)
            return s;
        if (d->size_usual[k] && !all)
            s = dp_eval(&v, d->size_usual[k], &x->size[k]);
        else
            x->size[k] = size[k];
        if (s != AT_OK)
            return s;
        if (x->size[k] < lo || x->size[k] > hi)
            return at_fail(err, AT_EDOMAIN, "%.100s:%d:%d: size %s is %lld; allowed are %lld..%lld", d->path,
                           d->sizes[k].line, d->sizes[k].column, d->sizes[k].name, (long long)x->size[k],
                           (long long)lo, (long long)hi);
    }
    return AT_OK;
}

static at_status inputs_bind(at_dp_instance *x, at_err *err)
{
    const at_dp *d = x->d;
    dp_env v = {.x = x, .err = err};
    for (int k = 0; k < d->n_inputs; k++) {
        const at_dp_input *in = &d->inputs[k];
        int64_t n;
        at_status s = range_eval(&v, in->lo, in->hi, &x->input_lo[k], &x->input_hi[k]);
        if (s == AT_OK)
            s = dp_eval(&v, in->length, &n);
        if (s != AT_OK)
            return s;
        if (n < 0)
            return dp_fail_at(d, in->length, NULL, err, "input %s has length %lld; allowed are 0, 1, ...",
                              in->name.name, (long long)n);
        if (n > AT_DP_STATES - x->n_input)
            return at_fail(err, AT_EREFUSED,
                           "%.100s:%d:%d: input %s has length %lld; at most %lld in all inputs", d->path,
                           in->length->line, in->length->column, in->name.name, (long long)n,
                           (long long)AT_DP_STATES);
        if (n && x->input_lo[k] > x->input_hi[k])
            return dp_fail_at(d, in->lo, NULL, err, "input %s has the empty range %lld..%lld", in->name.name,
                              (long long)x->input_lo[k], (long long)x->input_hi[k]);
        x->input_first[k] = x->n_input;
        x->input_len[k] = n;
        x->n_input += n;
    }
    return AT_OK;
}

static at_status values_bind(at_dp_instance *x, at_err *err)
{
    const at_dp *d = x->d;
    dp_env v = {.x = x, .err = err};
    for (int k = 0; k < d->n_values; k++) {
        if (d->values[k].kind != AT_DP_DECLARED)
            continue; /* the analysis finds it */
        at_status s = range_eval(&v, d->values[k].lo, d->values[k].hi, &x->value_lo[k], &x->value_hi[k]);
        if (s != AT_OK)
            return s;
        if (x->n_states && x->value_lo[k] > x->value_hi[k])
            return dp_fail_at(d, d->values[k].lo, NULL, err, "value %s has the empty range %lld..%lld",
                              d->values[k].name.name, (long long)x->value_lo[k], (long long)x->value_hi[k]);
    }
    return AT_OK;
}

/* ---- states ----------------------------------------------------------------------------------------- */

typedef struct {
    dp_env v;
    int64_t counter[AT_DP_MAX];
    int64_t *to;             /* NULL: only count */
    int64_t count, prefixes; /* states, and beginnings of states */
    int gap;                 /* 1 + the first counter with an empty range; 0: none */
    int64_t gap_at[AT_DP_MAX], gap_lo, gap_hi;
} states_walk;

static at_status walk_refuse(const at_dp *d, at_err *err)
{
    return at_fail(err, AT_EREFUSED,
                   "%.100s:%d:%d: more than %lld states at these sizes; that is the most allowed", d->path,
                   d->counters[0].name.line, d->counters[0].name.column, (long long)AT_DP_STATES);
}

static at_status walk(states_walk *w, int c)
{
    const at_dp *d = w->v.x->d;
    int64_t lo, hi;
    bool last = c + 1 == d->n_counters;
    at_status s = range_eval(&w->v, d->counters[c].lo, d->counters[c].hi, &lo, &hi);
    if (s != AT_OK)
        return s;
    if (lo > hi) {
        if (!w->gap) {
            w->gap = c + 1;
            memcpy(w->gap_at, w->counter, sizeof w->gap_at);
            w->gap_lo = lo;
            w->gap_hi = hi;
        }
        return AT_OK;
    }
    if (lo < 1 && c == 0) /* a row whose first number is 0 holds no state */
        return dp_fail_at(
            d, d->counters[c].lo, NULL, w->v.err,
            "counter %s begins at %lld; a first counter that begins below 1 begins with a number, "
            "as in 0..n",
            d->counters[c].name.name, (long long)lo);
    if (hi - lo >= AT_DP_STATES - (last ? w->count : w->prefixes))
        return walk_refuse(d, w->v.err);
    if (last && !w->to) {
        w->count += hi - lo + 1;
        return AT_OK;
    }
    for (int64_t u = lo; u <= hi && s == AT_OK; u++) {
        w->counter[c] = u;
        if (last)
            memcpy(w->to + w->count++ * d->n_counters, w->counter, (size_t)d->n_counters * sizeof *w->to);
        else {
            w->prefixes++;
            s = walk(w, c + 1);
        }
    }
    return s;
}

/* What counter k is called in the block of the gap. */
static const char *gap_name(const at_dp *d, const states_walk *w, int k)
{
    const char *name = dp_counter_name(d, dp_block_of(d, w->gap_at), k);
    return name ? name : d->counters[k].name.name;
}

static at_status gap_fail(const at_dp *d, const states_walk *w, at_err *err)
{
    int c = w->gap - 1;
    char where[64] = "";
    at_text t;
    at_text_init(&t);
    for (int k = d->hidden; k < c; k++)
        at_text_addf(&t, "%s%s=%lld", k > d->hidden ? ", " : " at ", gap_name(d, w, k),
                     (long long)w->gap_at[k]);
    if (t.s)
        memcpy(where, t.s, t.n < sizeof where ? t.n : sizeof where - 1);
    at_status s =
        t.oom
            ? at_oom(err)
            : dp_fail_at(d, d->counters[c].lo, NULL, err,
                         "counter %s has the empty range %lld..%lld%s; allowed only if there is no state at "
                         "all",
                         gap_name(d, w, c), (long long)w->gap_lo, (long long)w->gap_hi, where);
    at_text_release(&t);
    return s;
}

/* A range such as n..1, which was meant downwards: it begins where the sizes say, and ends at a number or far below. An empty
 * input (1..n at n = 0) is none. */
static bool backwards(const at_dp *d, const states_walk *w)
{
    const at_dp_counter *c = &d->counters[w->gap - 1];
    unsigned sizes = DP_SIZE | DP_COUNTER;
    return dp_node_of(c->lo)->uses & sizes &&
           (!(dp_node_of(c->hi)->uses & sizes) || w->gap_hi < w->gap_lo - 1);
}

static at_status states_bind(at_dp_instance *x, at_err *err)
{
    const at_dp *d = x->d;
    states_walk w = {.v = {.x = x, .err = err}};
    w.v.counter = w.counter;
    at_status s = walk(&w, 0);
    if (s != AT_OK)
        return s;
    if (w.count && w.gap)
        return gap_fail(d, &w, err);
    if (w.gap && backwards(d, &w))
        return dp_fail_at(
            d, d->counters[w.gap - 1].lo, NULL, err,
            "counter %s has the empty range %lld..%lld, so that there is no state; ranges go upwards, "
            "as in 1..n",
            d->counters[w.gap - 1].name.name, (long long)w.gap_lo, (long long)w.gap_hi);
    if (w.count > WORK_LIMIT / d->n_nodes)
        return at_fail(err, AT_EREFUSED,
                       "%.100s:%d:%d: %lld states and %d operations; at most 2^30 for their product", d->path,
                       d->counters[0].name.line, d->counters[0].name.column, (long long)w.count, d->n_nodes);
    x->state = at_new(&x->arena, int64_t, w.count * d->n_counters + 1);
    if (!x->state)
        return at_oom(err);
    x->n_states = w.count;
    w.to = x->state;
    w.count = w.prefixes = 0;
    return walk(&w, 0);
}

/* The first state that each gathered value is gathered from. */
static at_status gathered_bind(at_dp_instance *x, at_err *err)
{
    const at_dp *d = x->d;
    for (int k = 0; k < d->n_values; k++) {
        const at_dp_value *g = &d->values[k];
        int64_t from[AT_DP_MAX], to[AT_DP_MAX];
        dp_env v = {.x = x, .err = err};
        x->first[k] = -1;
        if (g->kind != AT_DP_GATHERED)
            continue;
        for (int c = 0; c < d->blocks[g->block].n; c++) {
            at_status s = range_eval(&v, g->from[c], g->to[c], &from[c], &to[c]);
            if (s != AT_OK)
                return s;
        }
        for (int64_t r = 0; r < x->n_states && x->first[k] < 0; r++) {
            const int64_t *row = x->state + r * d->n_counters;
            bool in = !d->hidden || row[0] == g->block + 1;
            for (int c = 0; c < d->blocks[g->block].n; c++)
                in = in && from[c] <= row[d->hidden + c] && row[d->hidden + c] <= to[c];
            /* the last of the rows of a state that folds: the next is of another */
            const int64_t *next = r + 1 < x->n_states ? row + d->n_counters : NULL;
            bool last =
                !next || memcmp(row, next, (size_t)(d->hidden + d->blocks[g->block].n) * sizeof *row) != 0;
            if (in && last)
                x->first[k] = r;
        }
    }
    return AT_OK;
}

static at_status bind(const at_dp *d, const int64_t *size, bool all, at_dp_instance **out, at_err *err)
{
    at_dp_instance *x = at_calloc(1, sizeof *x);
    if (!x)
        return at_oom(err);
    at_arena_init(&x->arena);
    x->d = d;
    at_status s = sizes_bind(x, size, all, err);
    if (s == AT_OK)
        s = inputs_bind(x, err);
    if (s == AT_OK)
        s = states_bind(x, err);
    if (s == AT_OK)
        s = values_bind(x, err);
    if (s == AT_OK)
        s = gathered_bind(x, err);
    x->L = x->n_input + 1 + x->n_states + 1;
    if (s == AT_OK)
        s = dp_states_analyse(x, err);
    if (s != AT_OK) {
        at_dp_instance_free(x);
        return s;
    }
    *out = x;
    return AT_OK;
}

at_status at_dp_bind(const at_dp *d, const int64_t *size, at_dp_instance **out, at_err *err)
{
    return bind(d, size, false, out, err);
}

at_status at_dp_bind_all(const at_dp *d, const int64_t *size, at_dp_instance **out, at_err *err)
{
    return bind(d, size, true, out, err);
}

void at_dp_instance_free(at_dp_instance *x)
{
    if (!x)
        return;
    at_arena_release(&x->arena);
    at_free(x);
}
