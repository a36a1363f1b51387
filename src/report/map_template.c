/* map_template.c: parameters as patterns: from the size of a problem to parameters, and from a row of the ledger back to its
 * size (include/attest/report.h says what a template is). */
#include "report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number behind $ and its operations, from the left; s is moved behind it. ~ is the logarithm to base 2, rounded up. */
static double computed(const char **s, double size)
{
    double v = size;
    while (**s && strchr("*+-/^~", **s)) {
        char op = *(*s)++, *end;
        if (op == '~') {
            v = ceil(log2(v));
            continue;
        }
        double k = (double)strtol(*s, &end, 10);
        v = op == '*' ? v * k : op == '+' ? v + k : op == '-' ? v - k : op == '/' ? floor(v / k) : pow(v, k);
        *s = end;
    }
    return v;
}

bool at_map_fill(at_text *t, const char *template, double size, const at_map_model *model)
{
    const at_map_model none = {0}, *m = model ? model : &none;
    const struct {
        const char *name;
        int value;
    } of[] = {{"@layers", m->size.layers},     {"@heads", m->size.heads}, {"@width", m->size.width},
              {"@head_dim", m->size.head_dim}, {"@block", m->mask.block}, {"@windows", m->mask.windows},
              {"@ends", m->mask.ends}};
    for (const char *s = template; *s;) {
        if (*s == '$') {
            s++;
            at_text_addf(t, "%.15g", computed(&s, size));
            continue;
        }
        size_t k = 0, n = sizeof of / sizeof *of;
        while (k < n && strncmp(s, of[k].name, strlen(of[k].name)))
            k++;
        if (k == n) {
            at_text_addf(t, "%c", *s == ';' ? ' ' : *s);
            s++;
        } else if (!model)
            return false;
        else {
            at_text_addf(t, "%d", of[k].value);
            s += strlen(of[k].name);
        }
    }
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

bool at_map_belongs(const at_claim *c, const char *template, const at_row *r, at_sweep *w, double *size)
{
    at_err err = {0};
    bool has = false;
    at_sweep_init(w, c->params, c->n_params);
    if (at_sweep_parse(w, r->key.params ? r->key.params : "", &err))
        return false;
    for (const char *s = template; *s && *s != ';';) {
        size_t n = strcspn(s, " ;"), name = strcspn(s, "=");
        int k = 0;
        while (k < c->n_params &&
               (strlen(c->params[k].name) != name || strncmp(c->params[k].name, s, name) != 0))
            k++;
        char one[64];
        if (k == c->n_params || n >= sizeof one)
            return false;
        memcpy(one, s, n);
        one[n] = '\0';
        at_sweep wanted;
        at_sweep_init(&wanted, c->params, c->n_params);
        if (!strchr(one, '$') && (at_sweep_parse(&wanted, one, &err) ||
                                  wanted.first.value[k] != w->first.value[k] || wanted.last[k] != w->last[k]))
            return false;
        if (!has && !strcmp(one + name, "=$")) {
            *size = w->last[k];
            has = true;
        }
        s += n + strspn(s + n, " ");
    }
    return has;
}

/* A number, a parameter at its largest, or the bits of the arithmetic; NaN when it is none of these. */
static double factor(const char **s, const at_sweep *w, const at_row *r)
{
    size_t n = strcspn(*s, "*+-");
    const char *name = *s;
    char *end;
    double v = strtod(name, &end);
    *s += n;
    if (end == name + n && n)
        return v;
    for (int k = 0; k < w->first.n; k++)
        if (strlen(w->first.schema[k].name) == n && !strncmp(w->first.schema[k].name, name, n))
            return w->last[k];
    at_arith a;
    at_err err = {0};
    bool bits = n == 4 && !strncmp(name, "bits", 4) &&
                !at_arith_parse(r->rec.arithmetic ? r->rec.arithmetic : "", &a, &err);
    if (!bits)
        return NAN;
    return a.kind == AT_F32                             ? 32
           : a.kind == AT_F64                           ? 64
           : a.kind == AT_PBIT || a.kind == AT_QUOTIENT ? a.bits + a.exp_bits
                                                        : NAN;
}

double at_map_size(const char *unit, const at_sweep *w, const at_row *r)
{
    double v = factor(&unit, w, r);
    while (*unit) {
        char op = *unit++;
        double k = factor(&unit, w, r);
        v = op == '*' ? v * k : op == '+' ? v + k : v - k;
    }
    return v;
}
