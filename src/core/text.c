/* text.c: a growing string, strict numbers. */
#include <attest/core.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void at_text_init(at_text *t)
{
    *t = (at_text){0};
}

void at_text_release(at_text *t)
{
    at_free(t->s);
    at_text_init(t);
}

static bool text_reserve(at_text *t, size_t more)
{
    if (t->oom)
        return false;
    if (t->cap - t->n > more)
        return true;
    size_t cap = t->cap ? t->cap : 256;
    while (cap - t->n <= more)
        cap *= 2;
    char *s = at_realloc(t->s, cap);
    if (!s) {
        t->oom = true;
        return false;
    }
    if (!t->s)
        s[0] = 0;
    t->s = s;
    t->cap = cap;
    return true;
}

void at_text_addn(at_text *t, const char *s, size_t n)
{
    if (!text_reserve(t, n))
        return;
    if (n) /* nothing may stand nowhere */
        memcpy(t->s + t->n, s, n);
    t->n += n;
    t->s[t->n] = 0;
}

void at_text_add_le(at_text *t, uint64_t v, int bytes)
{
    char b[8];
    at_le_put(b, v, bytes);
    at_text_addn(t, b, (size_t)bytes);
}

void at_text_add(at_text *t, const char *s)
{
    at_text_addn(t, s, strlen(s));
}

void at_text_addf(at_text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0 || !text_reserve(t, (size_t)n))
        return;
    va_start(ap, fmt);
    vsnprintf(t->s + t->n, (size_t)n + 1, fmt, ap);
    va_end(ap);
    t->n += (size_t)n;
}

/* ---- strangers' words --------------------------------------------------------------------------- */

uint32_t at_text_next(const char **s)
{
    const unsigned char *p = (const unsigned char *)*s;
    if (!*p)
        return 0;
    uint32_t c = *p;
    int more = c < 0x80                ? 0
               : c >= 0xC2 && c < 0xE0 ? 1
               : c >= 0xE0 && c < 0xF0 ? 2
               : c >= 0xF0 && c < 0xF5 ? 3
                                       : -1;
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000}; /* shorter forms exist below: overlong */
    if (more < 0) {
        *s += 1;
        return AT_TEXT_REPLACEMENT;
    }
    c &= more ? 0x3Fu >> more : 0x7Fu;
    for (int k = 1; k <= more; k++) {
        if ((p[k] & 0xC0) != 0x80) { /* also stops at the final NUL */
            *s += k;
            return AT_TEXT_REPLACEMENT;
        }
        c = c << 6 | (p[k] & 0x3Fu);
    }
    *s += 1 + more;
    if (c < least[more] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return AT_TEXT_REPLACEMENT;
    return c;
}

/* Unicode's controls and formats that change direction or have no shape of their own (Default_Ignorable_Code_Point, Bidi_Control,
 * line separators, annotations), and its noncharacters. A word that holds one is not what it looks like. */
static const struct {
    uint32_t lo, hi;
} acting[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},       {0x34F, 0x34F},     {0x61C, 0x61C},
    {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},
    {0x2060, 0x206F}, {0x3164, 0x3164}, {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

bool at_text_acts(uint32_t c)
{
    if (c > 0x10FFFF || (c & 0xFFFE) == 0xFFFE || (c >= 0xD800 && c < 0xE000))
        return true;
    for (size_t i = 0; i < sizeof acting / sizeof *acting; i++)
        if (c >= acting[i].lo && c <= acting[i].hi)
            return true;
    return false;
}

bool at_text_seen(const char *s)
{
    while (*s) {
        const char *before = s;
        uint32_t c = at_text_next(&s);
        if (at_text_acts(c) || (c == AT_TEXT_REPLACEMENT && strncmp(before, "\xEF\xBF\xBD", 3) != 0))
            return false;
    }
    return true;
}

void at_text_add_plain(at_text *t, const char *s)
{
    while (*s) {
        const char *from = s;
        uint32_t c = at_text_next(&s);
        if (c == AT_TEXT_REPLACEMENT || at_text_acts(c))
            at_text_add(t, "?");
        else
            at_text_addn(t, from, (size_t)(s - from));
    }
}

#define NUMBER_MAX 63

/* strtoll and strtod want a terminated string and accept leading blanks; we accept neither blanks nor
 * anything after the number. */
static bool number_copy(const char *s, size_t n, char buf[NUMBER_MAX + 1])
{
    if (n == 0 || n > NUMBER_MAX || strchr(" \t\n\v\f\r", s[0]))
        return false;
    memcpy(buf, s, n);
    buf[n] = 0;
    return strlen(buf) == n;
}

bool at_ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && memcmp(s + n - m, end, m) == 0;
}

bool at_parse_i64(const char *s, size_t n, int64_t *out)
{
    char buf[NUMBER_MAX + 1], *end;
    if (!number_copy(s, n, buf))
        return false;
    errno = 0;
    long long v = strtoll(buf, &end, 10);
    if (*end || errno)
        return false;
    *out = v;
    return true;
}

bool at_parse_double(const char *s, size_t n, double *out)
{
    char buf[NUMBER_MAX + 1], *end;
    if (!number_copy(s, n, buf))
        return false;
    double v = strtod(buf, &end);
    if (*end || !isfinite(v))
        return false;
    *out = v;
    return true;
}
