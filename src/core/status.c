/* status.c: a failure is recorded once, in words, where it is found. */
#include "core_internal.h"

#include <stdio.h>

/* Model strings come from strangers: no control character (C0, DEL, or C1 as UTF-8) reaches a terminal. */
static void line_clean(char *s)
{
    char *to = s;
    for (; *s; s++) {
        int n = at_control_length(s);
        *to++ = n ? '?' : *s;
        s += n > 1;
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
    default:
        return 2;
    }
}
