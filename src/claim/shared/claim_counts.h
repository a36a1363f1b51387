/* claim_counts.h: what the claims about languages that count share: their languages, as texts with names; how attention weighs. */
#ifndef ATTEST_CLAIM_COUNTS_H
#define ATTEST_CLAIM_COUNTS_H

#include <attest/front.h>

#include "../claim_internal.h"
#include "claim_words.h"

enum { CLAIM_COUNTS_MAX = 8 };

/* The languages of one claim, of which problems are made when they are first asked for, and kept. */
typedef struct {
    const char *lang; /* "crasp" */
    const char *const *names, *const *texts;
    at_problem *made[CLAIM_COUNTS_MAX];
} claim_counts;

extern const char *const claim_counts_weightings[]; /* softmax, average-hard */
#define CLAIM_COUNTS_PARAMS(names, n)                                                                        \
    {"language", "which language", 0, (n)-1, 0, true, names}, {"N", "length", 0, AT_WORD_LONGEST, 8, true},  \
        {"weighting", "how counts are taken", 0, 1, 0, true, claim_counts_weightings},                       \
    {                                                                                                        \
        "slope", "of comparisons, times this; 0: as it should be", 0, 4, 0, false                            \
    }

at_status claim_counts_asks(claim_counts *all, const at_params *p, const at_problem **out, at_err *err);
at_status claim_counts_program(claim_counts *all, const at_params *p, at_program **out, at_err *err);
at_status claim_counts_model(claim_counts *all, const at_params *p, at_model *m, at_err *err);
/* The functions of a claim with these languages, by the names that CLAIM_FIELDS has. */
#define CLAIM_COUNTS_FUNCTIONS(all)                                                                          \
    static at_status asks(const at_params *p, const at_problem **out, at_err *err)                           \
    {                                                                                                        \
        return claim_counts_asks(&all, p, out, err);                                                         \
    }                                                                                                        \
    static at_status program(const at_params *p, at_program **out, at_err *err)                              \
    {                                                                                                        \
        return claim_counts_program(&all, p, out, err);                                                      \
    }                                                                                                        \
    static at_status model(const at_params *p, at_model *m, at_err *err)                                     \
    {                                                                                                        \
        return claim_counts_model(&all, p, m, err);                                                          \
    }

/* Every word of at most so many letters, in the full tier and in the quick one. */
#define CLAIM_COUNTS_ALL(language, far, near)                                                                \
    {                                                                                                        \
        "language=" language " N=0.." #far, NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,   \
            "language=" language " N=0.." #near                                                              \
    }
#define CLAIM_COUNTS_HARD(language, far, near)                                                               \
    {                                                                                                        \
        "language=" language " N=0.." #far " weighting=average-hard", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES,  \
            "f64", 0, AT_TIER_QUICK, "language=" language " N=0.." #near " weighting=average-hard"           \
    }
#define CLAIM_COUNTS_CONTROL(language, most, change)                                                         \
    {                                                                                                        \
        "language=" language " N=1.." #most, change, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0,               \
            AT_TIER_QUICK, NULL                                                                              \
    }
#define CLAIM_COUNTS_LONG(language, n, arith, inputs)                                                        \
    {                                                                                                        \
        "language=" language " N=" #n, NULL, AT_EV_SAMPLED, 0, arith, inputs, AT_TIER_QUICK, NULL            \
    }

#endif
