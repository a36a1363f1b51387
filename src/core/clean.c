/* clean.c: foreign text made harmless.
 *
 * Tokens of a model, names in a ledger and statements of a claim are shown in SVG, HTML, PDF and on a
 * terminal. Each of those has its own way to be attacked: markup, escape sequences, direction overrides,
 * malformed UTF-8. So all text is decoded to code points here, every code point that could act instead
 * of being seen is replaced by one that is seen, and only then is it encoded or escaped again. */
#include <attest/core.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

void at_text_put(at_text *t, uint32_t c)
{
    char b[4];
    size_t n = 0;
    if (c < 0x80) {
        b[n++] = (char)c;
    } else if (c < 0x800) {
        b[n++] = (char)(0xC0 | c >> 6);
        b[n++] = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        b[n++] = (char)(0xE0 | c >> 12);
        b[n++] = (char)(0x80 | (c >> 6 & 0x3F));
        b[n++] = (char)(0x80 | (c & 0x3F));
    } else {
        b[n++] = (char)(0xF0 | c >> 18);
        b[n++] = (char)(0x80 | (c >> 12 & 0x3F));
        b[n++] = (char)(0x80 | (c >> 6 & 0x3F));
        b[n++] = (char)(0x80 | (c & 0x3F));
    }
    at_text_addn(t, b, n);
}

uint32_t at_text_visible(uint32_t c)
{
    if (c < 0x20)
        return 0x2400 + c; /* the picture of the control character */
    if (c == 0x7F)
        return 0x2421;
    return at_text_acts(c) ? AT_TEXT_REPLACEMENT : c;
}

void at_text_add_clean(at_text *t, const char *s)
{
    at_text_add(t, "");
    for (uint32_t c; s && (c = at_text_next(&s));)
        at_text_put(t, at_text_visible(c));
}

static void html_add(at_text *t, const char *s, bool block)
{
    at_text_add(t, "");
    for (uint32_t c; s && (c = at_text_next(&s));) {
        if (block && (c == '\n' || c == '\t')) {
            at_text_put(t, c);
            continue;
        }
        c = at_text_visible(c);
        switch (c) {
        case '&':
            at_text_add(t, "&amp;");
            break;
        case '<':
            at_text_add(t, "&lt;");
            break;
        case '>':
            at_text_add(t, "&gt;");
            break;
        case '"':
            at_text_add(t, "&quot;");
            break;
        case '\'':
            at_text_add(t, "&#39;");
            break;
        default:
            at_text_put(t, c);
        }
    }
}

void at_text_add_html(at_text *t, const char *s)
{
    html_add(t, s, false);
}

void at_text_add_html_block(at_text *t, const char *s)
{
    html_add(t, s, true);
}

typedef struct {
    uint32_t lo, hi;
    int columns;
} range;

/* Only blocks whose width terminals agree on; combining marks and emoji are not among them. */
static const range terminal_ranges[] = {
    {0x20, 0x7E, 1},     {0xA0, 0x2FF, 1},    {0x370, 0x482, 1},   {0x48A, 0x52F, 1},
    {0x2010, 0x2027, 1}, {0x2030, 0x205E, 1}, {0x2070, 0x209C, 1}, {0x2190, 0x22FF, 1},
    {0x2400, 0x2426, 1}, {0x2500, 0x25FC, 1}, {0x3041, 0x3096, 2}, {0x30A1, 0x30FF, 2},
    {0x4E00, 0x9FFF, 2}, {0xAC00, 0xD7A3, 2}, {0xFF01, 0xFF60, 2}, {0xFFFD, 0xFFFD, 1},
};

int at_text_column(uint32_t c)
{
    for (size_t i = 0; i < sizeof terminal_ranges / sizeof *terminal_ranges; i++)
        if (c >= terminal_ranges[i].lo && c <= terminal_ranges[i].hi)
            return c == 0xAD ? 0 : terminal_ranges[i].columns;
    return 0;
}

void at_text_add_word(at_text *t, const char *s)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.,:/@%^";
    if (*s && !s[strspn(s, plain)]) {
        at_text_add(t, s);
        return;
    }
    at_text_add(t, "'");
    for (; *s; s++)
        if (*s == '\'')
            at_text_add(t, "'\\''");
        else
            at_text_addn(t, s, 1);
    at_text_add(t, "'");
}

const char *at_number_text(char out[32], double x)
{
    if (isnan(x))
        snprintf(out, 32, "\xE2\x80\x93");
    else if (isinf(x))
        snprintf(out, 32, "%s\xE2\x88\x9E", x < 0 ? "-" : "");
    else
        snprintf(out, 32, "%.4g", x == 0 ? 0.0 : x); /* no "-0" */
    return out;
}

const char *at_count_text(char out[32], uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), k = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = 0;
    return out;
}

at_status at_text_end(at_status s, at_text *t, at_text *out, at_err *err)
{
    if (!s && !t->oom)
        at_text_addn(out, t->s, t->n); /* all of it or, out of memory, nothing */
    if (!s && (t->oom || out->oom))
        s = at_oom(err);
    at_text_release(t);
    return s;
}
