/* lines.c: standard input, line by line. */
#define _GNU_SOURCE
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINE_MOST ((size_t)64 << 20) /* bytes in a line */

bool cli_line_read(at_text *line, at_err *err)
{
    char buffer[4096];
    size_t n = 0;
    int c;
    line->n = 0;
    at_text_add(line, "");
    while ((c = getc_unlocked(stdin)) != EOF && c != '\n') {
        if (c == 0) {
            at_fail(err, AT_EINPUT, "a zero byte");
            return false;
        }
        buffer[n++] = (char)c;
        if (n == sizeof buffer) {
            at_text_addn(line, buffer, n);
            n = 0;
        }
        if (line->oom || at_cancel_pending())
            break;
        if (line->n > LINE_MOST) {
            at_fail(err, AT_EINPUT, "more than %zu bytes", LINE_MOST);
            return false;
        }
    }
    at_text_addn(line, buffer, n);
    if (line->oom)
        at_oom(err);
    else if (c != '\n' && at_cancel_pending())
        at_fail(err, AT_ECANCEL, "interrupted");
    else if (c == EOF && ferror(stdin))
        at_fail(err, AT_EIO, "standard input: %s", strerror(errno));
    return !err->code && (c == '\n' || line->n > 0);
}
