/* heat_test.h: what every heat map must be: well formed as SVG, and as narrow as asked on a terminal. */
#ifndef ATTEST_HEAT_TEST_H
#define ATTEST_HEAT_TEST_H

#include "picture_test.h"

__attribute__((unused)) static char *heat_svg_of(const at_heat *h, at_text *t)
{
    at_err err = {0};
    at_text_init(t);
    assert_int_equal(at_heat_svg(h, t, &err), AT_OK);
    const char *fault = markup_fault(t->s);
    if (fault)
        fail_msg("not well formed at %s", fault);
    assert_true(text_clean(t->s));
    assert_null(strstr(t->s, "nan"));
    assert_null(strstr(t->s, "inf"));
    return t->s;
}

/* Every line fits, whatever the width; without colour there is no escape sequence. */
__attribute__((unused)) static void heat_lines_fit(const at_heat *h)
{
    for (int w = 1; w <= 130; w += w < 20 ? 1 : 11)
        for (int color = 0; color < 2; color++) {
            at_text t;
            at_text_init(&t);
            at_heat_terminal(h, w, color, &t);
            assert_false(t.oom);
            if (!color)
                assert_true(text_clean(t.s));
            char *plain = t.s; /* take our colours away */
            for (char *s = t.s; *s; s++) {
                if (*s == '\033')
                    while (*s != 'm')
                        s++;
                else
                    *plain++ = *s;
            }
            *plain = '\0';
            assert_true(text_clean(t.s));
            for (char *s = strtok(t.s, "\n"); s; s = strtok(NULL, "\n"))
                if (at_text_columns(s) > w)
                    fail_msg("%d columns, allowed %d: %s", at_text_columns(s), w, s);
            at_text_release(&t);
        }
}

#endif
