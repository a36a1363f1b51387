/* json.c: the little JSON that certificates are made of. */
#include "cert_internal.h"

#include <gmp.h>

#include <math.h>
#include <stdio.h>

void cert_string(at_text *t, const char *s)
{
    at_text clean;
    at_text_init(&clean);
    /* newlines belong to problems; the rest is cleaned a line at a time */
    at_text_add(t, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            at_text_addf(t, "\\%c", c);
        else if (c < 0x20)
            at_text_addf(t, "\\u%04x", c);
        else
            at_text_addn(t, s, 1);
    }
    at_text_add(t, "\"");
    at_text_release(&clean);
}

void cert_number(at_text *t, double v)
{
    if (isfinite(v))
        at_text_addf(t, "%.17g", v);
    else
        at_text_add(t, "null");
}

void cert_fraction(at_text *t, double v)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, v);
    size_t n = mpz_sizeinbase(mpq_numref(q), 10) + mpz_sizeinbase(mpq_denref(q), 10) + 3;
    char *s = at_malloc(n + 3);
    if (s) {
        mpq_get_str(s, 10, q);
        at_text_addf(t, "\"%s\"", s);
    } else
        t->oom = true;
    at_free(s);
    mpq_clear(q);
}

void cert_params(at_text *t, const at_params *p)
{
    at_text_add(t, "{");
    cert_members(t, p, NULL);
    at_text_add(t, "}");
}

void cert_members(at_text *t, const at_params *p, const at_params *but)
{
    for (int i = 0; i < p->n; i++) {
        const at_param *q = &p->schema[i];
        if (but && at_params_has(but, q->name))
            continue;
        at_text_add(t, t->n && t->s[t->n - 1] != '{' ? ", " : "");
        cert_string(t, q->name);
        at_text_add(t, ": ");
        if (q->names)
            cert_string(t, q->names[(int)(p->value[i] - q->lo)]);
        else
            cert_number(t, p->value[i]);
    }
}

void cert_base64(at_text *t, const void *data, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = data;
    for (size_t i = 0; i < n; i += 3) {
        unsigned v =
            (unsigned)b[i] << 16 | (i + 1 < n ? (unsigned)b[i + 1] << 8 : 0) | (i + 2 < n ? b[i + 2] : 0);
        char four[4] = {digit[v >> 18], digit[v >> 12 & 63], i + 1 < n ? digit[v >> 6 & 63] : '=',
                        i + 2 < n ? digit[v & 63] : '='};
        at_text_addn(t, four, 4);
    }
}
