/* status.c: a failure is recorded once, in words, where it is found. */
#include <attest/core.h>

#include <stdio.h>
#include <string.h>

/* Model strings come from strangers: nothing below 0x20, nor DEL, reaches a terminal. */
static void line_clean(char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            *s = '?';
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
