/* claim_text.h: problems that claims have as texts. */
#ifndef ATTEST_CLAIM_TEXT_H
#define ATTEST_CLAIM_TEXT_H

#include <attest/front.h>

/* The problem that a text says in a language, made when it is first asked for, and kept in *made, which begins as NULL. Cells may ask from
 * several threads. */
at_status claim_text_asks(const char *lang, const char *name, const char *text, at_problem **made,
                          const at_problem **out, at_err *err);

#endif
