/* pen.c: text for a terminal, at most so many columns a line.
 *
 * Invariant: no line is wider than the pen's columns. It holds by construction: the pen counts the columns of
 * every code point it writes and drops what does not fit; code points whose width terminals disagree on
 * are written as '?'. Colour sequences are the caller's own, take no columns, and bypass the pen. */
#include <attest/core.h>

void at_pen_put(at_pen *p, uint32_t c)
{
    c = at_text_visible(c);
    int w = at_text_column(c);
    if (!w)
        c = '?', w = 1;
    if (p->used + w > p->columns)
        return;
    at_text_put(p->out, c);
    p->used += w;
}

void at_pen_add(at_pen *p, const char *s)
{
    for (uint32_t c; (c = at_text_next(&s));)
        at_pen_put(p, c);
}

void at_pen_pad(at_pen *p, int to)
{
    while (p->used < to && p->used < p->columns)
        at_pen_put(p, ' ');
}

void at_pen_end(at_pen *p)
{
    at_text_add(p->out, "\n");
    p->used = 0;
}

int at_text_columns(const char *s)
{
    int n = 0;
    for (uint32_t c; (c = at_text_next(&s));) {
        int w = at_text_column(at_text_visible(c));
        n += w ? w : 1;
    }
    return n;
}

void at_pen_label(at_pen *p, const char *s, int width, int most)
{
    int n = at_text_columns(s);
    bool cut = n > most;
    at_pen_pad(p, p->used + (width - (cut ? most : n)));
    int left = cut ? most - 1 : most;
    for (uint32_t c; left > 0 && (c = at_text_next(&s));) {
        int w = at_text_column(at_text_visible(c));
        left -= w ? w : 1;
        if (left >= 0)
            at_pen_put(p, c);
    }
    if (cut)
        at_pen_put(p, 0x2026);
}

/* Words of s from column `indent` on, wrapped; the line before may already hold something. */
void at_pen_wrap(at_pen *p, const char *s, int indent)
{
    at_pen_pad(p, indent);
    bool first = true;
    while (*s) {
        const char *end = s;
        int n = 0;
        while (*end && *end != ' ') {
            int w = at_text_column(at_text_visible(at_text_next(&end)));
            n += w ? w : 1;
        }
        if (!first && p->used + 1 + n > p->columns) {
            at_pen_end(p);
            at_pen_pad(p, indent);
            first = true;
        }
        if (!first)
            at_pen_put(p, ' ');
        while (s < end)
            at_pen_put(p, at_text_next(&s));
        first = false;
        while (*s == ' ')
            s++;
    }
    at_pen_end(p);
}
