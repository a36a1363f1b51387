/* dp_every.c: one recurrence for every size up to some, written as text.
 *
 * A size that may vary becomes an input, one number in front of the others; arrays are as long as the largest sizes ask for, and
 * what stands behind their own length is not looked at. The states are those of the largest sizes, in the same order, and the
 * rules are asked where the state is one of the sizes at hand; elsewhere values are 0:
 *
 *     len = if i <= n1 and j <= n2 then len_now else 0
 *
 * The answer reads a state that the sizes say, so a column of the chain keeps its values as the chain passes it, and what is
 * gathered from many states is gathered from all:
 *
 *     len_kept = if i <= n1 and j <= n2 and i == i_last and j == j_last then len_now else 0
 *     answer (max len_kept over (1..6, 1..7))
 *
 * Each allowed choice of sizes is bound once: its states must be among those of the largest, and what its values can be, and its
 * folds, says how far those of the new recurrence reach. */
#include "dp_every.h"

#include <stdio.h>
#include <string.h>

#define CHOICES_MOST 4096 /* of sizes */

bool dp_every_varies(const dp_every *E, const at_dpx *e)
{
    if (!e)
        return false;
    if (e->op == AT_DPX_SIZE)
        return E->varies[e->index];
    if (e->op == AT_DPX_LET)
        return dp_every_varies(E, E->d->lets[e->index].rule);
    if (e->op == AT_DPX_TAKE && !E->d->takes[e->index].name.name[0])
        return dp_every_varies(E, E->d->takes[e->index].index);
    bool any = false;
    for (int i = 0; i < 3 && !any; i++)
        any = dp_every_varies(E, e->arg[i]);
    return any;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool name_taken(const dp_every *E, const char *name)
{
    const at_dp *d = E->d;
    bool is = false;
    for (int k = 0; k < AT_DP_MAX && !is; k++) {
        is = (k < d->n_sizes && !strcmp(d->sizes[k].name, name)) ||
             (k < d->n_inputs && !strcmp(d->inputs[k].name.name, name)) ||
             (k < d->n_tables && !strcmp(d->tables[k].name.name, name)) ||
             (k < d->n_values && !strcmp(d->values[k].name.name, name)) ||
             (k < d->n_needs && !strcmp(d->needs[k].name.name, name)) ||
             (k < d->n_takes && !strcmp(d->takes[k].name.name, name)) ||
             (k < d->n_lets && !strcmp(d->lets[k].name.name, name));
        for (int b = 0; b < d->n_blocks && !is; b++)
            is = k < d->blocks[b].n && !strcmp(d->blocks[b].counter[k].name.name, name);
    }
    for (int k = 0; k < E->n_made && !is; k++)
        is = !strcmp(E->made[k], name);
    return is;
}

/* len_now, or len_now2 where that is taken. */
static void name_make(dp_every *E, const char *base, const char *tail, char out[32])
{
    snprintf(out, 32, "%.20s_%s", base, tail);
    for (int n = 2; name_taken(E, out); n++)
        snprintf(out, 32, "%.20s_%s%d", base, tail, n);
    memcpy(E->made[E->n_made++], out, 32);
}
/* ---- what it is made of ------------------------------------------------------------------------------------------------- */

/* What an expression of the answer reads. */
static void answer_reads(dp_every *E, const at_dpx *e, bool gathered)
{
    const at_dp *d = E->d;
    if (!e)
        return;
    if (e->op == AT_DPX_SIZE)
        E->sized[e->index] |= !gathered && E->varies[e->index];
    if (e->op == AT_DPX_LET)
        answer_reads(E, d->lets[e->index].rule, gathered);
    if (e->op == AT_DPX_VALUE) {
        E->now[e->index] = true;
        E->kept[e->index] |= !gathered;
    }
    if (e->op == AT_DPX_BEFORE) {
        E->kept[e->index] = true;
        answer_reads(E, d->values[e->index].term, true);
    }
    for (int i = 0; i < 3; i++)
        answer_reads(E, e->arg[i], gathered);
}

static void names_make(dp_every *E)
{
    const at_dp *d = E->d;
    answer_reads(E, d->answer, false);
    for (int k = 0; k < d->n_sizes; k++) {
        if (dp_every_varies(E, d->size_lo[k]) ||
            dp_every_varies(E, d->size_hi[k])) { /* the answer asks whether it is allowed */
            E->sized[k] |= E->varies[k];
            answer_reads(E, d->size_lo[k], false);
            answer_reads(E, d->size_hi[k], false);
        }
    }
    for (int k = 0; k < d->n_sizes; k++)
        if (E->sized[k])
            name_make(E, d->sizes[k].name, "given", E->size_name[k]);
    for (int k = 0; k < d->n_values; k++) {
        const char *base =
            d->values[k].kind == AT_DP_GATHERED ? dp_every_op(d->values[k].op) : d->values[k].name.name;
        if (E->now[k])
            name_make(E, base, "now", E->now_name[k]);
        if (E->kept[k])
            name_make(E, base, "kept", E->kept_name[k]);
    }
    for (int c = 0; c < d->blocks[d->answer_block].n; c++)
        name_make(E, d->blocks[d->answer_block].counter[c].name.name, "last", E->last_name[c]);
}

static void wider(int64_t *lo, int64_t *hi, int64_t from, int64_t to)
{
    *lo = from < *lo ? from : *lo;
    *hi = to > *hi ? to : *hi;
}

/* The states of x are among those of the largest sizes, and its values count. */
static at_status choice_take(dp_every *E, const at_dp_instance *x, at_err *err)
{
    const at_dp *d = E->d;
    for (int64_t s = 0; s < x->n_states; s++)
        if (at_dp_rank(E->top, x->state + s * d->n_counters) < 0)
            return dp_fail_at(
                d, d->blocks[0].counter[0].lo, x->state + s * d->n_counters, err,
                "not all states of smaller sizes are states of the largest, which one recurrence for all "
                "sizes needs");
    for (int k = 0; k < d->n_values; k++)
        wider(&E->value_lo[k], &E->value_hi[k], x->value_lo[k], x->value_hi[k]);
    return AT_OK;
}

/* Is a choice of sizes allowed? Ranges may depend on sizes before. */
static bool choice_allowed(const at_dp *d, const int64_t *size)
{
    at_dp_instance x = {.d = d};
    at_err ignored = {0};
    dp_env v = {.x = &x, .err = &ignored};
    for (int k = 0; k < d->n_sizes; k++) {
        int64_t lo, hi;
        if (dp_eval(&v, d->size_lo[k], &lo) || dp_eval(&v, d->size_hi[k], &hi) || size[k] < lo ||
            size[k] > hi)
            return false;
        x.size[k] = size[k];
    }
    return true;
}

static at_status choices_take(dp_every *E, at_err *err)
{
    const at_dp *d = E->d;
    int64_t size[AT_DP_MAX], work = 0;
    bool more = true;
    memcpy(size, E->least, (size_t)d->n_sizes * sizeof *size);
    while (more) {
        at_status s = AT_OK;
        at_dp_instance *x = NULL;
        if (choice_allowed(d, size)) {
            s = at_dp_bind_all(d, size, &x, err);
            if (!s)
                s = choice_take(E, x, err);
            work += !s ? x->n_states : 0;
            at_dp_instance_free(x);
        }
        if (!s && work > AT_DP_STATES)
            s = at_fail(err, AT_EBUDGET,
                        "%.100s: more than %lld states in all choices of sizes; choose fewer", d->path,
                        (long long)AT_DP_STATES);
        if (s)
            return s;
        int k = d->n_sizes - 1;
        while (k >= 0 && size[k] == E->most[k])
            k--;
        more = k >= 0;
        if (more)
            size[k]++;
        for (k++; more && k < d->n_sizes; k++)
            size[k] = E->least[k];
    }
    return AT_OK;
}

/* The ends of the counters of each block at the largest sizes. */
static at_status boxes_find(dp_every *E, at_err *err)
{
    const at_dp *d = E->d;
    bool any[AT_DP_BLOCKS] = {false};
    for (int64_t s = 0; s < E->top->n_states; s++) {
        const int64_t *row = E->top->state + s * d->n_counters;
        int b = dp_block_of(d, row);
        for (int c = 0; c < d->blocks[b].n; c++) {
            int64_t v = row[d->hidden + c];
            if (!any[b])
                E->box_lo[b][c] = E->box_hi[b][c] = v;
            wider(&E->box_lo[b][c], &E->box_hi[b][c], v, v);
        }
        any[b] = true;
    }
    for (int b = 0; b < d->n_blocks; b++)
        if (!any[b])
            return at_fail(err, AT_EDOMAIN, "%.100s: there is no state at the largest sizes", d->path);
    return AT_OK;
}

static at_status sizes_check(const dp_every *E, at_err *err)
{
    const at_dp *d = E->d;
    double choices = 1;
    for (int k = 0; k < d->n_sizes; k++) {
        if (E->least[k] > E->most[k])
            return at_fail(err, AT_EINPUT, "%s=%lld..%lld: the second number is smaller than the first",
                           d->sizes[k].name, (long long)E->least[k], (long long)E->most[k]);
        choices *= (double)(E->most[k] - E->least[k] + 1);
    }
    if (choices > CHOICES_MOST)
        return at_fail(err, AT_EBUDGET, "%.100s: %.0f choices of sizes; at most %d", d->path, choices,
                       CHOICES_MOST);
    /* A range that is of numbers alone is one for all choices. */
    at_dp_instance x = {.d = d};
    dp_env v = {.x = &x, .err = err};
    for (int k = 0; k < d->n_sizes; k++) {
        int64_t lo, hi;
        at_status s = dp_eval(&v, d->size_lo[k], &lo);
        if (!s)
            s = dp_eval(&v, d->size_hi[k], &hi);
        if (s)
            return s;
        if (!dp_every_varies(E, d->size_lo[k]) && !dp_every_varies(E, d->size_hi[k]) && E->least[k] < lo)
            return at_fail(err, AT_EDOMAIN, "%.100s:%d:%d: size %s is %lld; allowed are %lld..%lld", d->path,
                           d->sizes[k].line, d->sizes[k].column, d->sizes[k].name, (long long)E->least[k],
                           (long long)lo, (long long)hi);
        x.size[k] = E->most[k];
    }
    return AT_OK;
}

at_status at_dp_every(const at_dp *d, const int64_t *least, const int64_t *most, at_text *out, at_err *err)
{
    dp_every E = {.d = d, .least = least, .most = most, .how = RULE, .out = out};
    for (int k = 0; k < d->n_sizes; k++)
        E.varies[k] = least[k] != most[k];
    at_status s = sizes_check(&E, err);
    if (!s)
        s = at_dp_bind_all(d, most, &E.top, err);
    if (s)
        return s;
    s = boxes_find(&E, err);
    if (!s)
        s = choices_take(&E, err);
    if (!s) {
        names_make(&E);
        dp_every_write(&E);
        s = E.wrong.code ? at_fail(err, E.wrong.code, "%s", E.wrong.text) : out->oom ? at_oom(err) : AT_OK;
    }
    at_dp_instance_free(E.top);
    return s;
}
