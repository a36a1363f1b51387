/* lines.c: lines of files of automata and machines: words, names, fractions. */
#include "lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

at_status lines_fault(const lines *r, const line_word *w, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return at_fail(r->err, AT_EINPUT, "%.150s:%d:%d: %s", r->where, w->line, w->column, text);
}

uint64_t lines_divisor(uint64_t x, uint64_t y)
{
    while (y) {
        uint64_t t = x % y;
        x = y;
        y = t;
    }
    return x;
}

/* ---- words of a line --------------------------------------------------------------------------------------------- */

static at_status line_cut(lines *r, const char *s, const char *end)
{
    const char *from = s;
    r->n = 0;
    while (s < end && *s != '#') {
        if (*s == ' ' || *s == '\t' || *s == '\r') {
            s++;
            continue;
        }
        line_word w = {s, 0, r->line, (int)(s - from) + 1};
        while (s < end && !strchr(" \t\r#", *s)) {
            const char *next = s;
            uint32_t u = at_text_next(&next);
            if (at_text_acts(u) || u == AT_TEXT_REPLACEMENT || next > end)
                return lines_fault(r, &(line_word){.line = r->line, .column = (int)(s - from) + 1},
                                   "a byte that is no visible character");
            s = next;
        }
        w.n = (size_t)(s - w.s);
        if (r->n == LINE_WORDS)
            return lines_fault(r, &w, "more than %d words in a line", LINE_WORDS);
        r->w[r->n++] = w;
    }
    return AT_OK;
}

bool line_word_is(const line_word *w, const char *text)
{
    return w->n == strlen(text) && memcmp(w->s, text, w->n) == 0;
}

/* ---- names --------------------------------------------------------------------------------------------------------- */

at_status lines_unknown(const lines *r, const line_word *w, const char *what, const ngram_lexicon *of)
{
    char name[64], near[AT_GUESS_TEXT];
    snprintf(name, sizeof name, "%.*s", (int)(w->n < 40 ? w->n : 40), w->s);
    at_guess g = {.name = name};
    for (int k = 0; k < of->n; k++)
        at_guess_add(&g, of->name[k]);
    return lines_fault(r, w, "'%s' is none of the %s%s", name, what, at_guess_text(&g, near));
}

at_status lines_names(const ngram_lexicon *x, at_arena *a, const char *const **out, at_err *err)
{
    const char **name = at_new(a, const char *, x->n + 1);
    for (int k = 0; name && k < x->n; k++)
        name[k] = x->name[k];
    *out = name;
    return name ? AT_OK : at_oom(err);
}

/* ---- fractions ------------------------------------------------------------------------------------------------------- */

/* Digits at *s, no more than fit; false: there are none, or too many. */
static bool digits_read(const char **s, const char *end, uint64_t *out, int *count)
{
    const char *begin = *s;
    for (*out = 0; *s < end && **s >= '0' && **s <= '9'; ++*s) {
        if (*s - begin == 9)
            return false;
        *out = 10 * *out + (uint64_t)(**s - '0');
    }
    *count = (int)(*s - begin);
    return *count > 0;
}

at_status lines_share(const lines *r, const line_word *w, line_share *out)
{
    const char *s = w->s, *end = w->s + w->n;
    uint64_t part;
    int n;
    bool ok = digits_read(&s, end, &out->over, &n);
    out->under = 1;
    if (ok && s < end && *s == '/') {
        s++;
        ok = digits_read(&s, end, &out->under, &n);
    } else if (ok && s < end && *s == '.') {
        s++;
        ok = digits_read(&s, end, &part, &n) && n <= 6;
        for (int k = 0; ok && k < n; k++)
            out->under *= 10;
        if (ok)
            out->over = out->over * out->under + part;
    }
    if (!ok || s < end || !out->under || !out->over || out->over > out->under)
        return lines_fault(r, w, "'%.*s' is no probability; write 1/3 or 0.25, more than 0 and at most 1",
                           (int)(w->n < 40 ? w->n : 40), w->s);
    uint64_t d = lines_divisor(out->over, out->under);
    out->over /= d;
    out->under /= d;
    if (out->under > AT_PFSA_UNDER)
        return lines_fault(r, w, "a denominator of %ju; at most %d", (uintmax_t)out->under, AT_PFSA_UNDER);
    return AT_OK;
}

void lines_share_print(uint32_t over, uint32_t under, at_text *out)
{
    uint32_t d = (uint32_t)lines_divisor(over, under);
    if (over == under)
        at_text_add(out, "1\n");
    else
        at_text_addf(out, "%u/%u\n", over / d, under / d);
}

/* ---- files ------------------------------------------------------------------------------------------------------------- */

at_status lines_each(lines *r, const char *text, size_t n, at_status (*read)(void *ctx), void *ctx)
{
    const char *s = text, *end = text + n;
    at_status status = AT_OK;
    if (memchr(text, 0, n))
        return at_fail(r->err, AT_EINPUT, "%.200s: a zero byte; this is no text", r->where);
    if (n >= 3 && memcmp(s, "\xEF\xBB\xBF", 3) == 0) /* some editors put this before a text */
        s += 3;
    for (r->line = 1; s < end && !status; r->line++) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        stop = stop ? stop : end;
        status = line_cut(r, s, stop);
        if (!status && r->n)
            status = read(ctx);
        s = stop < end ? stop + 1 : end;
    }
    return status;
}

at_status lines_load(const char *path,
                     at_status (*read)(const char *text, size_t n, const char *where, at_arena *a, void *out,
                                       at_err *err),
                     at_arena *a, void *out, at_err *err)
{
    char *text;
    size_t n;
    at_status s = at_file_read(path, LINE_BYTES, &text, &n, err);
    if (s)
        return s;
    s = read(text, n, path, a, out, err);
    at_free(text);
    return s;
}
