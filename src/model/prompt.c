/* prompt.c: what the prompts of a decoder are: lengths, and stretches of rows with ranges of their own.
 *
 * The ranges of the fields hold for every row, also for those that are written. A prompt is less than that: edit distance
 * reads letters 1..26 first, and then one row of zeros, the bar. A decoder that was never meant for another row there would
 * still write something after it; so the model says what its prompts are, and others are refused. */
#include "model_internal.h"

const at_stretch *prompt_stretch(const at_model *m, int t, int n)
{
    const at_decode *d = &m->decode;
    int spare = n - d->prompt_min; /* rows that the one stretch of several lengths has beyond its least */
    for (int k = 0; d->enabled && d->prompt && t >= 0 && k < d->n_prompt; k++) {
        const at_stretch *s = &d->prompt[k];
        int rows = s->rows_min < s->rows_max ? s->rows_min + spare : s->rows_min;
        if (t < rows)
            return s;
        t -= rows;
    }
    return NULL;
}

static bool stretch_is_one_row(const at_stretch *s)
{
    for (int c = 0; c < s->width; c++)
        if (s->lo[c] != s->hi[c])
            return false;
    return true;
}

/* The one row that a stretch allows is that of zeros, and it stands alone. */
static bool stretch_is_bar(const at_stretch *s)
{
    bool zeros = s->rows_max == 1 && stretch_is_one_row(s);
    for (int c = 0; c < s->width && zeros; c++)
        zeros = s->lo[c] == 0;
    return zeros;
}

bool prompt_rows_short(const at_model *m)
{
    return m->decode.enabled && m->n_fields > 1 && at_field_width(&m->fields[0]) == 1;
}

bool prompt_bar(const at_model *m, int t, int n)
{
    const at_decode *d = &m->decode;
    if (!prompt_rows_short(m))
        return false;
    if (!d->prompt) /* a file that does not say it: the last row, where prompts have one length */
        return d->prompt_min == d->prompt_max && t == d->prompt_max - 1;
    if (n > d->prompt_max || d->prompt_min == d->prompt_max)
        n = d->prompt_max;
    const at_stretch *s = n < d->prompt_min ? NULL : prompt_stretch(m, t, n);
    return s && stretch_is_bar(s);
}

bool words_alone(const at_model *m)
{
    return m->n_fields == 1 && m->fields[0].kind == AT_FIELD_TOKEN && m->fields[0].words;
}

int prompt_tail(const at_model *m)
{
    const at_decode *d = &m->decode;
    if (!d->enabled || !d->prompt || d->n_prompt < 1 || !words_alone(m))
        return -1;
    const at_stretch *s = &d->prompt[d->n_prompt - 1];
    return s->rows_min == 1 && s->rows_max == 1 && stretch_is_one_row(s) ? (int)s->lo[0] : -1;
}

/* A row as prompts are written: the bar, the first field alone, or all of it. */
static void bound_print(const at_model *m, const at_stretch *s, const double *row, at_text *out)
{
    if (stretch_is_bar(s) && prompt_rows_short(m))
        at_text_add(out, "|");
    else
        at_input_print_row(m, row, 0, out);
}

static void stretch_print(const at_model *m, const at_stretch *s, at_text *out)
{
    if (s->rows_max > 1 && s->rows_min < s->rows_max)
        at_text_addf(out, "%d..%d rows of ", s->rows_min, s->rows_max);
    else if (s->rows_max > 1)
        at_text_addf(out, "%d rows of ", s->rows_max);
    else if (s->rows_min == 0 || !stretch_is_one_row(s))
        at_text_add(out, s->rows_min ? "1 row of " : "at most 1 row of ");
    bound_print(m, s, s->lo, out);
    if (stretch_is_one_row(s))
        return;
    at_text_add(out, "..");
    bound_print(m, s, s->hi, out);
}

void at_prompt_print(const at_model *m, at_text *out)
{
    const at_decode *d = &m->decode;
    if (!d->prompt) {
        if (d->prompt_min < d->prompt_max)
            at_text_addf(out, "%d..", d->prompt_min);
        at_text_addf(out, "%d row%s", d->prompt_max, d->prompt_max == 1 ? "" : "s");
    }
    for (int k = 0; d->prompt && k < d->n_prompt; k++) {
        if (k > 0)
            at_text_add(out, ", ");
        stretch_print(m, &d->prompt[k], out);
    }
}

/* "..., %s": what prompts are. */
static at_status prompt_fail(const at_model *m, at_err *err, const char *what)
{
    at_text t;
    at_text_init(&t);
    at_prompt_print(m, &t);
    at_status st = t.oom ? at_oom(err) : at_fail(err, AT_EDOMAIN, "%s; a prompt is: %.200s", what, t.s);
    at_text_release(&t);
    return st;
}

at_status at_prompt_check_length(const at_model *m, int64_t n, at_err *err)
{
    const at_decode *d = &m->decode;
    if (n >= d->prompt_min && n <= d->prompt_max)
        return AT_OK;
    at_err why = {0};
    if (d->prompt_min == d->prompt_max)
        at_fail(&why, AT_EDOMAIN, "prompt of length %lld, must be %d", (long long)n, d->prompt_max);
    else
        at_fail(&why, AT_EDOMAIN, "prompt of length %lld out of range %d..%d", (long long)n, d->prompt_min,
                d->prompt_max);
    return d->prompt ? prompt_fail(m, err, why.text) : at_fail(err, AT_EDOMAIN, "%s", why.text);
}

/* Row t of a prompt of n rows, in the ranges of its fields already. */
at_status prompt_check_row(const at_model *m, const double *row, int t, int n, at_err *err)
{
    const at_stretch *s = prompt_stretch(m, t, n);
    int c = 0;
    while (s && c < s->width && row[c] >= s->lo[c] && row[c] <= s->hi[c])
        c++;
    if (!s || c == s->width)
        return AT_OK;
    at_text have, want;
    at_text_init(&have);
    at_text_init(&want);
    at_input_print_row(m, row, t, &have);
    bound_print(m, s, s->lo, &want);
    if (!stretch_is_one_row(s)) {
        at_text_add(&want, "..");
        bound_print(m, s, s->hi, &want);
    }
    at_err why = {0};
    if (!have.oom && !want.oom)
        at_fail(&why, AT_EDOMAIN, "position %d: %.60s where a prompt has %.120s", t + 1, have.s, want.s);
    at_status st = why.code ? prompt_fail(m, err, why.text) : at_oom(err);
    at_text_release(&have);
    at_text_release(&want);
    return st;
}

at_status at_prompt_check(const at_model *m, const at_input *x, at_err *err)
{
    size_t width = (size_t)at_model_row_width(m);
    at_status st = at_prompt_check_length(m, x->n, err);
    for (int t = 0; t < x->n && !st; t++) {
        st = at_input_check_row(m, x->v + (size_t)t * width, t + 1, err);
        if (!st)
            st = prompt_check_row(m, x->v + (size_t)t * width, t, x->n, err);
    }
    return st;
}

at_status prompt_bar_refuse(const at_model *m, int t, at_err *err)
{
    at_err why = {0};
    at_fail(&why, AT_EDOMAIN, "position %d: there is no | here", t + 1);
    return prompt_fail(m, err, why.text);
}
