/* bound_plot.c: a lower bound drawn beside the construction that meets it.
 *
 * The x axis is the problem's size, from the least that is allowed to four times the user's, in steps of a fixed ratio; the other
 * parameters stay. The construction is the claim that the bound names, at parameters that follow from the size, up to
 * CONSTRUCTION_MOST, where models are built in no time. What cannot be computed has no point. */
#include "view_internal.h"

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

/* The construction's size at problem size n; NaN where it cannot be had. */
static double construction_size(const at_bound *b, const at_claim *c, int n)
{
    char set[128];
    at_params p;
    at_program *P = NULL;
    at_model m;
    double out = NAN;
    /* The format is the bound's, a constant of ours: one %d at most. */
    const char *at = strstr(b->construction_params, "%d");
    snprintf(set, sizeof set, "%.*s%d%s", (int)(at ? at - b->construction_params : 0), b->construction_params,
             n, at ? at + 2 : "");
    at_params_init(&p, c->params, c->n_params);
    if (at_params_parse(&p, set, NULL))
        return NAN;
    at_status s = c->program ? c->program(&p, &P, NULL) : AT_OK;
    if (!s)
        s = c->program ? at_program_shape(P, &m, NULL) : at_claim_model(c, &p, &m, NULL);
    if (!s) {
        at_size z;
        at_model_size(&m, &z);
        out = size_named(&z, b->construction_size);
        at_model_release(&m);
    }
    at_program_free(P);
    return out;
}

at_status at_bound_plot(const at_bound *b, const at_params *p, at_arena *a, at_plot *out, at_err *err)
{
    const at_param *row = NULL;
    for (int i = 0; i < b->n_params; i++)
        if (!strcmp(b->params[i].name, b->size))
            row = &b->params[i];
    at_series *series = at_new(a, at_series, 2);
    double *x = at_new(a, double, POINTS), *y = at_new(a, double, POINTS), *z = at_new(a, double, POINTS);
    if (!series || !x || !y || !z)
        return at_oom(err);
    double lo = fmax(1, row->lo), hi = fmin(row->hi, 4 * fmax(lo, at_params_get(p, b->size)));
    const at_claim *c = b->construction ? at_claim_find(b->construction) : NULL;
    int n = 0, drawn = 0;
    for (int k = 0; k < POINTS; k++) {
        double v = round(lo * pow(hi / lo, k / (double)(POINTS - 1)));
        if (n && v <= x[n - 1])
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
        x[n] = v;
        y[n] = r.least;
        z[n] =
            c && (c->program || c->decoder) && v <= CONSTRUCTION_MOST ? construction_size(b, c, (int)v) : NAN;
        drawn += isfinite(z[n]);
        n++;
    }
    series[0] = (at_series){.label = at_arena_printf(a, "not ruled out: %s", b->unit),
                            .n = n,
                            .x = x,
                            .y = y,
                            .line = AT_LINE_BOLD};
    series[1] =
        (at_series){.label = at_arena_printf(a, "construction %s: %s", b->construction ? b->construction : "",
                                             b->construction_size ? b->construction_size : ""),
                    .n = n,
                    .x = x,
                    .y = z};
    *out = (at_plot){.title = at_arena_printf(a, "%s: least %s", b->id, b->unit),
                     .xlabel = b->size,
                     .ylabel = b->unit,
                     .logx = true,
                     .logy = true,
                     .series = series,
                     .n_series = drawn ? 2 : 1};
    return out->title && series[0].label && series[1].label ? AT_OK : at_oom(err);
}
