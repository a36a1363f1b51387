/* status.c: a failure is recorded once, in words, where it is found. */
#include <attest/core.h>

#include <stdio.h>
#include <string.h>

/* Model strings come from strangers: nothing that acts reaches a terminal. */
static void line_clean(char *text)
{
    char *to = text;
    for (const char *s = text; *s;) {
        const char *from = s;
        uint32_t c = at_text_next(&s);
        size_t n = (size_t)(s - from);
        if (c == AT_TEXT_REPLACEMENT || at_text_acts(c))
            *to++ = '?';
        else {
            memmove(to, from, n);
            to += n;
        }
    }
    *to = 0;
}

at_status at_fail(at_err *err, at_status code, const char *fmt, ...)
{
    if (err && err->code == AT_OK) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(err->text, sizeof err->text, fmt, ap);
        va_end(ap);
        line_clean(err->text);
        err->code = code;
    }
    return code;
}

at_status at_oom(at_err *err)
{
    return at_fail(err, AT_ENOMEM, "out of memory");
}

int at_exit_code(at_status s)
{
    switch (s) {
    case AT_OK:
        return 0;
    case AT_ENOMEM:
    case AT_EBUDGET:
    case AT_ECANCEL:
        return 3;
    case AT_EINPUT:
    case AT_EDOMAIN:
    case AT_EREFUSED:
    case AT_EIO:
    default:
        return 2;
    }
}
