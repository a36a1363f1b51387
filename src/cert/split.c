/* split.c: a certificate by cases: every case with the bounds of what attention and readout can be, as fractions.
 *
 * What counts as a hit is a rule over the token a of the query and the tokens b (and c) of the keys, since whoever checks the cases
 * must sort keys into hits and misses. */
#include "cert_internal.h"

#include <string.h>

static const struct {
    const char *task, *hit;
} hits[] = {
    {"match2", "(a + b) mod M == 0"},
    {"match3", "(a + b + c) mod M == 0"},
};

at_status cert_cases(const cert_point *k, at_text *t, at_err *err)
{
    const at_split *w = k->c->split;
    const char *hit = NULL;
    for (size_t i = 0; i < sizeof hits / sizeof *hits; i++)
        hit = k->task && !strcmp(hits[i].task, k->task->id) ? hits[i].hit : hit;
    if (!hit || !w)
        return at_fail(err, AT_EREFUSED, "a certificate without cases, or whose hits have no rule");
    size_t n = at_split_cases(&k->p, w, NULL);
    at_case *cases = at_new(k->a, at_case, n);
    at_case_bounds *b = at_new(k->a, at_case_bounds, n);
    at_status s = cases && b ? AT_OK : at_oom(err);
    if (!s) {
        at_split_cases(&k->p, w, cases);
        s = at_certify(k->m, &k->p, w, cases, 0, n, b, err);
    }
    at_text_add(t, "\"hit\": ");
    cert_string(t, hit);
    at_text_addf(t, ", \"tokens\": %d, \"length\": %d, \"cases\": [", w->tokens(&k->p),
                 at_params_int(&k->p, "N"));
    for (size_t i = 0; i < n && !s; i++) {
        const double of[4] = {b[i].mean_lo, b[i].mean_hi, b[i].out_lo, b[i].out_hi};
        if (b[i].holds != AT_TRUE)
            return at_fail(err, AT_EREFUSED, "case %zu is not certified", i);
        at_text_addf(t, "%s[%d,%llu,%llu,%g", i ? ",\n" : "", cases[i].query, (unsigned long long)cases[i].lo,
                     (unsigned long long)cases[i].hi, cases[i].expected);
        for (int j = 0; j < 4; j++) {
            at_text_add(t, ",");
            cert_fraction(t, of[j]);
        }
        at_text_add(t, "]");
    }
    at_text_add(t, "]");
    return s;
}
