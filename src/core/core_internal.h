/* core_internal.h: what the files of this module share. */
#ifndef ATTEST_CORE_INTERNAL_H
#define ATTEST_CORE_INTERNAL_H

#include <attest/core.h>

/* Bytes of the control character that s starts with, 0 when it is none. 0xC2 0x80..0x9F are the C1 controls
 * in UTF-8: some terminals obey them. */
static inline int at_control_length(const char *s)
{
    unsigned char c = (unsigned char)s[0];
    if (c < 0x20 || c == 0x7f)
        return 1;
    return c == 0xc2 && (unsigned char)s[1] >= 0x80 && (unsigned char)s[1] <= 0x9f ? 2 : 0;
}

#endif
