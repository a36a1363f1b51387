/* claim_regular.h: what the claims about regular languages share: the languages themselves, by name. */
#ifndef ATTEST_CLAIM_REGULAR_H
#define ATTEST_CLAIM_REGULAR_H

#include <attest/front.h>

#include "../claim_internal.h"

/* The values of the parameter `language`, NULL at the end, and how many there are. */
extern const char *const claim_regular_names[];
enum { CLAIM_REGULAR = 22 };

#define CLAIM_REGULAR_LENGTH                                                                                 \
    {                                                                                                        \
        "N", "length", 0, AT_WORD_LONGEST, 8, true                                                           \
    }
#define CLAIM_REGULAR_LANGUAGE                                                                               \
    {                                                                                                        \
        "language", "which language", 0, CLAIM_REGULAR - 1, 0, true, claim_regular_names                     \
    }

/* The problem of the language that the parameters name (at_claim.asks): made when it is first asked for, and kept. */
at_status claim_regular_asks(const at_params *p, const at_problem **out, at_err *err);
/* Where it lies; all in the arena. */
at_status claim_regular_place(const at_params *p, at_arena *a, at_place *out, at_err *err);

#endif
