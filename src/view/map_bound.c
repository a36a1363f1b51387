/* map_bound.c: what a bound says at one size of a panel of the map. */
#include "view_internal.h"

#include <attest/bound.h>

#include <math.h>
#include <string.h>

at_status view_map_bound_at(const at_map_panel *p, double size, const view_map_model *model, at_arena *a,
                            view_map_bound *out, at_err *err)
{
    *out = (view_map_bound){.kind = VIEW_MAP_NONE, .least = NAN};
    const at_bound *b = at_bound_find(p->bound);
    if (!b)
        return at_fail(err, AT_EINPUT, "panel %s, %s of the map: there is no bound '%s'", p->task,
                       p->architecture, p->bound);
    at_text t;
    at_params at;
    at_bound_result r;
    at_text_init(&t);
    at_params_init(&at, b->params, b->n_params);
    bool known = view_map_fill(&t, p->bound_params ? p->bound_params : "", size, model);
    at_status s = t.oom ? at_oom(err) : known ? at_params_parse(&at, t.s ? t.s : "", err) : AT_OK;
    at_text_release(&t);
    if (s || !known)
        return s;
    at_err why = {0};
    s = at_bound_compute(b, &at, a, &r, &why);
    if (s == AT_EDOMAIN) /* outside the theorem's hypotheses: it says nothing here */
        return AT_OK;
    if (s)
        return at_fail(err, s, "%s", why.text);
    for (int k = 0; p->bound_start && k < r.n_starts; k++)
        if (!strcmp(r.starts[k].param, p->bound_start))
            *out = (view_map_bound){VIEW_MAP_WORDS, NAN, r.starts[k].text};
    if (p->bound_start || r.verdict == AT_BOUND_VACUOUS)
        return AT_OK;
    out->kind = r.verdict == AT_BOUND_BINDS ? VIEW_MAP_PROVED : VIEW_MAP_SHAPE;
    out->least = r.least;
    if (!isfinite(r.least)) /* it binds, but no number says so */
        *out = (view_map_bound){r.least_text ? VIEW_MAP_WORDS : VIEW_MAP_NONE, NAN, r.least_text};
    return AT_OK;
}
