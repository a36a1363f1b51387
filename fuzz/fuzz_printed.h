/* fuzz_printed.h: for languages whose files print: what was read prints to a text that is read again and prints as the same text.
 *
 *     FUZZ_PRINTED(at_pfsa, at_pfsa_read, at_pfsa_print)          // defines printed_try(const at_pfsa *p, at_arena *a)
 */
#ifndef ATTEST_FUZZ_PRINTED_H
#define ATTEST_FUZZ_PRINTED_H

#include <string.h>

#include "fuzz_check.h"

#define FUZZ_PRINTED(TYPE, READ, PRINT)                                                                      \
    static void printed_try(const TYPE *p, at_arena *a)                                                      \
    {                                                                                                        \
        at_err err = {0};                                                                                    \
        at_text one, two;                                                                                    \
        TYPE *again;                                                                                         \
        at_text_init(&one);                                                                                  \
        at_text_init(&two);                                                                                  \
        PRINT(p, &one);                                                                                      \
        if (!one.oom) {                                                                                      \
            at_status s = READ(one.s, one.n, "printed", a, &again, &err);                                    \
            check(!s || s == AT_ENOMEM, err.text);                                                           \
            if (!s) {                                                                                        \
                PRINT(again, &two);                                                                          \
                check(two.oom || !strcmp(one.s, two.s), "printed, read and printed: another text");          \
            }                                                                                                \
        }                                                                                                    \
        at_text_release(&one);                                                                               \
        at_text_release(&two);                                                                               \
    }

#endif
