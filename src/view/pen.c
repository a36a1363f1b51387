/* pen.c: text for a terminal, at most so many columns a line.
 *
 * Invariant: no line is wider than the pen's columns. It holds by construction: the pen counts the columns of
 * every code point it writes and drops what does not fit; code points whose width terminals disagree on
 * are written as '?'. Colour sequences are the caller's own, take no columns, and bypass the pen. */
#include "view_internal.h"

void view_pen_put(view_pen *p, uint32_t c)
{
    c = view_visible(c);
    int w = view_column(c);
    if (!w)
        c = '?', w = 1;
    if (p->used + w > p->columns)
        return;
    view_put(p->out, c);
    p->used += w;
}

void view_pen_add(view_pen *p, const char *s)
{
    for (uint32_t c; (c = at_text_next(&s));)
        view_pen_put(p, c);
}

void view_pen_pad(view_pen *p, int to)
{
    while (p->used < to && p->used < p->columns)
        view_pen_put(p, ' ');
}

void view_pen_end(view_pen *p)
{
    at_text_add(p->out, "\n");
    p->used = 0;
}

int view_columns(const char *s)
{
    int n = 0;
    for (uint32_t c; (c = at_text_next(&s));) {
        int w = view_column(view_visible(c));
        n += w ? w : 1;
    }
    return n;
}

void view_pen_label(view_pen *p, const char *s, int width, int most)
{
    int n = view_columns(s);
    bool cut = n > most;
    view_pen_pad(p, p->used + (width - (cut ? most : n)));
    int left = cut ? most - 1 : most;
    for (uint32_t c; left > 0 && (c = at_text_next(&s));) {
        int w = view_column(view_visible(c));
        left -= w ? w : 1;
        if (left >= 0)
            view_pen_put(p, c);
    }
    if (cut)
        view_pen_put(p, 0x2026);
}

/* Words of s from column `indent` on, wrapped; the line before may already hold something. */
void view_pen_wrap(view_pen *p, const char *s, int indent)
{
    view_pen_pad(p, indent);
    bool first = true;
    while (*s) {
        const char *end = s;
        int n = 0;
        while (*end && *end != ' ') {
            int w = view_column(view_visible(at_text_next(&end)));
            n += w ? w : 1;
        }
        if (!first && p->used + 1 + n > p->columns) {
            view_pen_end(p);
            view_pen_pad(p, indent);
            first = true;
        }
        if (!first)
            view_pen_put(p, ' ');
        while (s < end)
            view_pen_put(p, at_text_next(&s));
        first = false;
        while (*s == ' ')
            s++;
    }
    view_pen_end(p);
}
