/* status.h: how a call went. What the promised calls (attest.h) and the workshop's own (core.h) share; also for C++. */
#ifndef ATTEST_STATUS_H
#define ATTEST_STATUS_H

/* A call that libattest.so exports: it is declared in attest.h. */
#define AT_API __attribute__((visibility("default")))

typedef enum {
    AT_OK = 0,
    AT_EINPUT,   /* malformed input, unknown name, bad usage            -> exit 2 */
    AT_EDOMAIN,  /* a value outside the range that is allowed           -> exit 2 */
    AT_EREFUSED, /* a combination that this build refuses, by design    -> exit 2 */
    AT_EIO,      /* a file cannot be read or written                    -> exit 2 */
    AT_ENOMEM,   /* out of memory, or over --max-memory                 -> exit 3 */
    AT_EBUDGET,  /* the budget ran out before an answer                 -> exit 3 */
    AT_ECANCEL   /* interrupted                                         -> exit 3 */
} at_status;

typedef struct {
    at_status code;
    char text[512]; /* one line, no newline, terminal-safe */
} at_err;

#endif
