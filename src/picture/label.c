/* label.c: foreign text measured and cut for a picture.
 *
 * Widths are estimates from above on a wide sans-serif (DejaVu Sans), not measurements: the layout of a
 * picture must not depend on the fonts of the machine that draws it. */
#include "picture_internal.h"

#include <string.h>

/* Advance of c in ems, from above. */
static double advance(uint32_t c)
{
    if (c > 0 && c < 0x80 && strchr(" !'()*,-./:;I[]`fijlrt|", (int)c))
        return 0.42;
    if (c == 'm' || c == 'w' || c == 'M' || c == 'W' || c == '@' || c == '%')
        return 0.99;
    if (c == '+' || c == '<' || c == '=' || c == '>' || c == '#' || c == '~' || c == '^')
        return 0.84;
    if (c >= 'A' && c <= 'Z')
        return 0.74;
    if (c < 0x80)
        return 0.64;
    if (c == 0xB7)
        return 0.42;
    return c < 0x1100 ? 0.75 : 1.0;
}

double at_draw_width(const char *s, double size)
{
    double w = 0;
    for (uint32_t c; (c = at_text_next(&s));)
        w += advance(c);
    return w * size;
}

char *at_picture_label(at_arena *a, const char *s, double size, double max)
{
    at_text t;
    at_text_init(&t);
    if (!s)
        s = "";
    size_t blanks = strspn(s, " ");
    if (!s[blanks]) { /* an empty or blank token would be invisible */
        for (size_t i = 0; i < blanks && (double)(i + 1) * size <= max; i++)
            at_text_put(&t, 0x2423);
        if (!blanks)
            at_text_put(&t, 0x2205);
    } else {
        double w = 0, room = max - size; /* room for the ellipsis */
        size_t cut = 0;                  /* bytes that fit before an ellipsis */
        for (uint32_t c; (c = at_text_next(&s));) {
            c = at_text_visible(c);
            w += advance(c) * size;
            if (w > max) {
                t.n = cut;
                at_text_put(&t, 0x2026);
                break;
            }
            at_text_put(&t, c);
            if (w <= room)
                cut = t.n;
        }
    }
    char *copy = t.oom ? NULL : at_arena_strdup(a, t.s ? t.s : "");
    at_text_release(&t);
    return copy;
}
