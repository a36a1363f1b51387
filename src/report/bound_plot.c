/* bound_plot.c: a lower bound drawn beside the construction that meets it.
 *
 * The x axis is the problem's size, from the least that is allowed to four times the user's, in steps of a fixed ratio; the other
 * parameters stay. The construction is the claim that the bound names, at parameters that follow from the size, up to
 * CONSTRUCTION_MOST, where models are built in no time. What cannot be computed has no point. */
#include "report_internal.h"

#include <attest/bound.h>
#include <attest/claim.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 32, CONSTRUCTION_MOST = 128 };

static double size_named(const at_size *z, const char *name)
{
    return !strcmp(name, "layers")       ? z->layers
           : !strcmp(name, "heads")      ? z->heads
           : !strcmp(name, "head width") ? z->head_dim
           : !strcmp(name, "width")      ? z->width
                                         : (double)z->parameters;
}

/* Bounds and streams say "ed", recurrences are named in full. */
static const char *long_name(const char *name)
{
    return strcmp(name, "ed") ? name : "edit-distance";
}

/* A pattern of the bound with n for %d and the values of parameters for {name}. */
static void pattern_fill(at_text *t, const char *s, const at_params *p, int n)
{
    while (*s) {
        const char *close = *s == '{' ? strchr(s, '}') : NULL;
        if (s[0] == '%' && s[1] == 'd') {
            at_text_addf(t, "%d", n);
            s += 2;
        } else if (close) {
            for (int i = 0; i < p->n; i++) {
                const at_param *row = &p->schema[i];
                if (strlen(row->name) == (size_t)(close - s - 1) &&
                    !strncmp(row->name, s + 1, (size_t)(close - s - 1)))
                    at_text_add(t, long_name(row->names[(int)(p->value[i] - row->lo)]));
            }
            s = close + 1;
        } else
            at_text_addn(t, s++, 1);
    }
}

/* The construction's size at problem size n; NaN where it cannot be had. Fails for want of memory alone. */
static at_status construction_size(const at_bound *b, const at_claim *c, const at_params *bp, int n,
                                   double *out, at_err *err)
{
    at_params p;
    at_program *P = NULL;
    at_model m;
    at_text set;
    *out = NAN;
    at_text_init(&set);
    pattern_fill(&set, b->construction_params, bp, n);
    at_params_init(&p, c->params, c->n_params);
    at_status s = set.oom ? AT_ENOMEM : at_params_parse(&p, set.s, NULL);
    at_text_release(&set);
    if (!s && at_claim_has_program(c))
        s = at_claim_program(c, &p, &P, NULL);
    if (!s)
        s = P ? at_program_shape(P, &m, NULL) : at_claim_model(c, &p, &m, NULL);
    if (!s) {
        at_size z;
        at_model_size(&m, &z);
        *out = size_named(&z, b->construction_size);
        at_model_release(&m);
    }
    at_program_free(P);
    return s == AT_ENOMEM ? at_oom(err) : AT_OK;
}

static void point_add(at_series *s, double *x, double *y, double at, double value)
{
    if (!isfinite(value))
        return;
    x[s->n] = at;
    y[s->n++] = value;
}

at_status at_bound_plot(const at_bound *b, const at_params *p, at_arena *a, at_plot *out, at_err *err)
{
    const at_param *row = NULL;
    for (int i = 0; i < b->n_params; i++)
        if (!strcmp(b->params[i].name, b->size))
            row = &b->params[i];
    at_series *series = at_new(a, at_series, 2);
    double *x = at_new(a, double, 4 * POINTS);
    if (!series || !x)
        return at_oom(err);
    at_text id;
    at_text_init(&id);
    if (b->construction)
        pattern_fill(&id, b->construction, p, 0);
    const at_claim *c = id.s ? at_claim_find(id.s) : NULL;
    bool builds = c && (at_claim_has_program(c) || c->decoder);
    series[0] = (at_series){.label = at_arena_printf(a, "not ruled out: %s", b->unit),
                            .x = x,
                            .y = x + POINTS,
                            .line = AT_LINE_BOLD,
                            .role = AT_ROLE_BOUND};
    series[1] = (at_series){.label = at_arena_printf(a, "construction %s: %s%s%s", id.s ? id.s : "",
                                                     b->construction_size, b->construction_note ? ", " : "",
                                                     b->construction_note ? b->construction_note : ""),
                            .x = x + 2 * POINTS,
                            .y = x + 3 * POINTS,
                            .role = AT_ROLE_BUILT};
    *out = (at_plot){.title = at_arena_printf(a, "%s: least %s", b->id, b->unit),
                     .xlabel = b->size,
                     .ylabel = b->unit,
                     .logx = true,
                     .logy = true,
                     .series = series};
    bool oom = id.oom || !series[0].label || !series[1].label || !out->title;
    at_text_release(&id);
    if (oom)
        return at_oom(err);
    double lo = fmax(1, row->lo), hi = fmin(row->hi, 4 * fmax(lo, at_params_get(p, b->size))), last = 0;
    for (int k = 0; k < POINTS; k++) {
        double v = round(lo * pow(hi / lo, k / (double)(POINTS - 1)));
        if (v <= last)
            continue;
        at_params q = *p;
        at_bound_result r = {.least = NAN};
        at_err why = {0};
        at_mark mark = at_arena_mark(a);
        at_status s = at_params_set(&q, b->size, v, err);
        if (s)
            return s;
        s = at_bound_compute(b, &q, a, &r, &why);
        at_arena_reset(a, mark);
        if (s && s != AT_EDOMAIN)
            return at_fail(err, s, "%s", why.text);
        point_add(&series[0], x, x + POINTS, v, r.least);
        double size = NAN;
        if (builds && v <= CONSTRUCTION_MOST && (s = construction_size(b, c, p, (int)v, &size, err)))
            return s;
        point_add(&series[1], x + 2 * POINTS, x + 3 * POINTS, v, size);
        last = v;
    }
    out->n_series = series[1].n ? 2 : 1;
    return AT_OK;
}
