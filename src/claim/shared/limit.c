/* limit.c: a bound's calculator checked at its own starts.
 *
 * "from n = 270" is two statements, that it binds at 270 and not at 269; "up to p = 28" that it binds at 28 and not at 29. Both are
 * asked again, one by one, of the verdict alone. Outside the hypotheses nothing binds. */
#include "claim_limit.h"

#include <math.h>
#include <string.h>

/* Does it bind where one parameter is x? no: x cannot be set. */
static at_status verdict_at(const at_bound *b, const at_params *p, const char *param, double x, bool *can,
                            bool *binds, at_err *err)
{
    at_params q = *p;
    at_err why = {0};
    *binds = false;
    *can = at_params_set(&q, param, x, NULL) == AT_OK;
    if (!*can)
        return AT_OK;
    at_status s = at_bound_binds(b, &q, binds, &why);
    return !s || s == AT_EDOMAIN ? AT_OK : at_fail(err, s, "%s", why.text);
}

/* right: the start is what it says. */
static at_status start_check(const at_bound *b, const at_params *p, const at_bound_start *start, bool *right,
                             at_err *err)
{
    bool from = !strncmp(start->text, "from ", 5), upto = !strncmp(start->text, "up to ", 6);
    bool can = false, at = false, can_next = false, next = false;
    *right = true;
    if ((!from && !upto) || isnan(start->at))
        return AT_OK;
    at_status s = verdict_at(b, p, start->param, start->at, &can, &at, err);
    if (!s && can)
        s = verdict_at(b, p, start->param, start->at + (from ? -1 : 1), &can_next, &next, err);
    *right = !can || (at && !next);
    return s;
}

at_status limit_binds(const char *bound, const at_params *p, at_arena *a, at_tri *holds, const char **note,
                      at_err *err)
{
    const at_bound *b = at_bound_find(bound);
    at_params q;
    at_bound_result r;
    if (!b)
        return at_fail(err, AT_EINPUT, "no bound %s", bound);
    at_params_init(&q, b->params, b->n_params);
    at_status s = AT_OK;
    for (int i = 0; i < b->n_params && !s; i++)
        if (at_params_has(p, b->params[i].name))
            s = at_params_set(&q, b->params[i].name, at_params_get(p, b->params[i].name), err);
    if (!s)
        s = at_bound_compute(b, &q, a, &r, err);
    if (s)
        return s;
    *holds = r.verdict == AT_BOUND_BINDS ? AT_TRUE : AT_UNKNOWN;
    *note = at_arena_printf(a, "%s: %s", at_bound_verdict_names[r.verdict], r.inequality);
    for (int i = 0; i < r.n_starts && !s && *holds == AT_TRUE; i++) {
        bool right;
        s = start_check(b, &q, &r.starts[i], &right, err);
        if (!s && !right) {
            *holds = AT_FALSE;
            *note = at_arena_printf(a, "%s: \"%s\" is not where it starts to bind", bound, r.starts[i].text);
        }
    }
    return s ? s : *note ? AT_OK : at_oom(err);
}

at_status limit_trial(const char *bound, const at_params *p, const at_cell *cell, at_arena *a,
                      at_verdict *out, at_err *err)
{
    *out = (at_verdict){.evidence = cell->evidence, .inputs = 1, .margin = NAN};
    at_status s = limit_binds(bound, p, a, &out->holds, &out->note, err);
    if (!s && cell->control && out->holds == AT_UNKNOWN)
        out->holds = AT_FALSE; /* what is said to bind does not */
    return s;
}
