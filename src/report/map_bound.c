/* map_bound.c: what a bound says at one size of a panel of the map. */
#include "report_internal.h"

#include <attest/bound.h>

#include <math.h>
#include <string.h>

/* Numbers of the panel's kind, said in the bound's words: where it can count sums in two ways, they are exact. */
static bool numbers_fill(at_text *t, const at_map_panel *p, const at_bound *b, double size)
{
    at_text_add(t, " ");
    if (p->numbers && !at_map_fill(t, p->numbers, size, NULL))
        return false;
    for (int k = 0; k < b->n_params; k++)
        if (!strcmp(b->params[k].name, "sums") && (p->bits == AT_BITS_FLOATS || p->bits == AT_BITS_EXACT))
            at_text_add(t, " sums=exact");
    return true;
}

/* Does the bound count the bits that the panel is about? p bits a number "as the source counts" are no format: no construction has them. */
static bool alike(const at_map_panel *p, at_bound_bits bits)
{
    return bits == p->bits && !(bits == AT_BITS_SOURCE && (p->construction || p->models));
}

static at_status refuse(const at_map_panel *p, at_bound_bits bits, at_arena *a, at_map_bound *out,
                        at_err *err)
{
    const char *other = bits == p->bits ? "its construction has floats" : at_bound_bits_names[p->bits];
    out->refused = at_arena_printf(a, "Bound %s counts %s, the panel does not (%s): it is not drawn.",
                                   p->bound, at_bound_bits_names[bits], other);
    return out->refused ? AT_OK : at_oom(err);
}

at_status at_map_bound_at(const at_map_panel *p, double size, const at_map_model *model, at_arena *a,
                          at_map_bound *out, at_err *err)
{
    *out = (at_map_bound){.kind = AT_MAP_BOUND_NONE, .least = NAN};
    const at_bound *b = at_bound_find(p->bound);
    if (!b)
        return at_fail(err, AT_EINPUT, "panel %s, %s of the map: there is no bound '%s'", p->task,
                       p->architecture, p->bound);
    at_text t;
    at_params at;
    at_bound_result r;
    at_text_init(&t);
    at_params_init(&at, b->params, b->n_params);
    bool known =
        at_map_fill(&t, p->bound_params ? p->bound_params : "", size, model) && numbers_fill(&t, p, b, size);
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
    if (!alike(p, r.bits))
        return refuse(p, r.bits, a, out, err);
    for (int k = 0; p->bound_start && k < r.n_starts; k++)
        if (!strcmp(r.starts[k].param, p->bound_start))
            *out = (at_map_bound){AT_MAP_BOUND_WORDS, NAN, r.starts[k].text};
    if (p->bound_start || r.verdict == AT_BOUND_VACUOUS)
        return AT_OK;
    out->kind = r.verdict == AT_BOUND_BINDS ? AT_MAP_BOUND_PROVED : AT_MAP_BOUND_SHAPE;
    out->least = r.least;
    if (!isfinite(r.least)) /* it binds, but no number says so */
        *out = (at_map_bound){r.least_text ? AT_MAP_BOUND_WORDS : AT_MAP_BOUND_NONE, NAN, r.least_text};
    return AT_OK;
}
