/* form.c: linear forms as lists of terms; sums of them in an array with a bit for every column that was touched, so that a
 * sum costs what its terms cost, not what there are columns. */
#include "form.h"

#include <math.h>

bool form_live(const form *x)
{
    return x->n > 0 || x->spread > 0;
}

bool form_equal(const form *a, const form *b, int sign)
{
    for (int i = 0, k = 0;; i++, k++) {
        while (i < a->n && a->term[i].value == 0)
            i++;
        while (k < b->n && b->term[k].value == 0)
            k++;
        if (i == a->n || k == b->n)
            return i == a->n && k == b->n;
        if (a->term[i].column != b->term[k].column || a->term[i].value != sign * b->term[k].value)
            return false;
    }
}

at_status form_sum_init(form_sum *s, int columns, at_arena *arena, at_err *err)
{
    *s = (form_sum){.columns = columns,
                    .value = at_new(arena, double, columns),
                    .has = at_new(arena, uint64_t, columns / 64 + 1)};
    return s->value && s->has ? AT_OK : at_oom(err);
}

void form_add(form_sum *s, double w, const form *x)
{
    for (int i = 0; i < x->n; i++) {
        int j = x->term[i].column;
        s->value[j] += w * x->term[i].value;
        s->has[j / 64] |= (uint64_t)1 << j % 64;
    }
    s->spread += fabs(w) * x->spread;
}

at_status form_take(form_sum *s, at_arena *arena, form *out, at_err *err)
{
    int words = s->columns / 64 + 1;
    *out = (form){.spread = s->spread};
    for (int k = 0; k < words; k++)
        out->n += __builtin_popcountll(s->has[k]);
    s->spread = 0;
    if (!out->n)
        return AT_OK;
    out->term = at_new(arena, form_term, out->n);
    if (!out->term)
        return at_oom(err);
    form_term *t = out->term;
    for (int k = 0; k < words; k++)
        for (; s->has[k]; s->has[k] &= s->has[k] - 1) {
            int j = 64 * k + __builtin_ctzll(s->has[k]);
            *t++ = (form_term){j, s->value[j]};
            s->value[j] = 0;
        }
    return AT_OK;
}
