/* words_internal.h: what languages of words share when they read files. */
#ifndef ATTEST_WORDS_INTERNAL_H
#define ATTEST_WORDS_INTERNAL_H

#include <attest/lang.h>

/* Makes p the problem that a text says, which it may change and which is gone afterwards. */
typedef at_status words_read(at_problem *p, char *text, at_err *err);
/* at_lang.open and at_lang.parse of a language that is read so. */
at_status words_open(at_problem *p, words_read *read, at_err *err);
at_status words_parse(at_problem *p, const char *text, size_t n, words_read *read, at_err *err);

#endif
