/* lemma.c: see lemma.h. */
#include "lemma.h"

#include <math.h>
#include <stdio.h>

double lemma_lambda(const at_params *p, double least)
{
    return at_exp2(ceil(at_log2(least))) * at_params_get(p, "lambda");
}

lemma_label lemma_name(const char *name, int k)
{
    lemma_label out;
    snprintf(out.s, sizeof out.s, "%.12s%d", name, k);
    return out;
}

void lemma_integer_box(const at_params *p, double i, double *lo, double *hi)
{
    double spread = at_params_get(p, "spread");
    if (spread > 0) /* a third is not a double: one step more than the parameter */
        spread = nextafter(spread, 1);
    *lo = spread > 0 ? nextafter(i - spread, -INFINITY) : i;
    *hi = spread > 0 ? nextafter(i + spread, INFINITY) : i;
}

/* The least tolerance at which the certificate was seen to close, and what it then shows. */
static at_status certified_error(const at_claim *c, const at_params *p, const at_model *m, int threads,
                                 double *error, at_err *err)
{
    const at_task *t;
    at_params tp;
    at_status s = at_claim_task(c, p, &t, &tp, err);
    double tolerance = claim_eps(p);
    *error = NAN;
    for (bool again = true; again && !s;) {
        at_arena a;
        at_arena_init(&a);
        at_verdict v;
        at_check_env env = {.threads = threads};
        s = at_check_box(m, p, c->box, t, &tp, tolerance, &env, &a, &v, err);
        again = !s && v.holds == AT_TRUE;
        if (again) {
            *error = fmax(tolerance - v.margin, 0);
            tolerance =
                c->box->twin ? 0 : fmin(*error, tolerance) * 0.8; /* a network's bound is what it is */
        }
        again = again && tolerance > claim_eps(p) * 1e-4; /* exact maps: nothing to find further down */
        at_arena_release(&a);
    }
    return s;
}

at_status lemma_size_row(const at_claim *c, const at_params *p, int threads, const char *x1, const char *x2,
                         double stated, double poly, double *out, at_err *err)
{
    at_model m;
    at_size z;
    at_status s = at_claim_model(c, p, &m, err);
    if (s)
        return s;
    at_model_size(&m, &z);
    out[0] = at_params_get(p, x1);
    out[1] = at_params_get(p, x2);
    out[2] = m.blocks[0].dense[0].rows;
    out[3] = stated;
    out[4] = z.largest;
    out[5] = poly;
    s = certified_error(c, p, &m, threads, &out[6], err);
    at_model_release(&m);
    return s;
}
