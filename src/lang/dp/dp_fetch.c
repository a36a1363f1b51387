/* dp_fetch.c: which rows a state looks at, where inputs do not steer; and the answer. */
#include "dp_internal.h"

at_status at_dp_fetches(const at_dp_instance *x, int64_t s, int64_t *take, int64_t *need, at_err *err)
{
    const at_dp *d = x->d;
    dp_env v = {.x = x, .counter = x->state + s * d->n_counters, .err = err};
    if (d->steering)
        return at_fail(err, AT_EREFUSED, "%.100s: inputs steer what is looked up", d->path);
    for (int k = 0; k < d->n_takes; k++) {
        int64_t here = 1, index = 0;
        at_status st = d->takes[k].when ? dp_eval(&v, d->takes[k].when, &here) : AT_OK;
        if (!st && here)
            st = dp_eval(&v, d->takes[k].index, &index);
        if (st)
            return st;
        take[k] = here ? x->input_first[d->takes[k].input] + index - 1 : -1;
    }
    for (int k = 0; k < d->n_needs; k++) {
        int64_t here = 1, wanted[AT_DP_MAX] = {0};
        at_status st = d->needs[k].when ? dp_eval(&v, d->needs[k].when, &here) : AT_OK;
        for (int c = 0; c < d->n_counters && !st && here; c++)
            st = dp_eval(&v, d->needs[k].counter[c], &wanted[c]);
        if (st)
            return st;
        need[k] = here ? at_dp_rank(x, wanted) : -1;
    }
    return AT_OK;
}

at_status at_dp_answer_rank(const at_dp_instance *x, int64_t *rank, at_err *err)
{
    const at_dp *d = x->d;
    const int64_t *last = x->state + (x->n_states - 1) * d->n_counters;
    int64_t at[AT_DP_MAX];
    dp_env v = {.x = x, .err = err};
    for (int c = 0; c < d->n_counters; c++) {
        at[c] = last[c];
        at_status s = d->answer_state[c] ? dp_eval(&v, d->answer_state[c], &at[c]) : AT_OK;
        if (s)
            return s;
    }
    *rank = at_dp_rank(x, at);
    return AT_OK;
}
