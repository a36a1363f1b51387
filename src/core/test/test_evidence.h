/* test_evidence.h: a test says in its log what it has shown, and how far. For the tests of all modules.
 *
 *     evidence_say("test_every_cell", "match2", "exact", v.inputs, "N=5 M=11 f64");
 *
 * Said after everything was asserted. A mark in the same file, `EVIDENCE match2 exact 161051 test_every_cell: ...`, promises it;
 * tools/check_evidence.sh compares the two after the tests have run. */
#ifndef ATTEST_TEST_EVIDENCE_H
#define ATTEST_TEST_EVIDENCE_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* count: inputs, cases, models: what was looked at; INT64_MAX: all of infinitely many. */
static inline void evidence_say(const char *test, const char *claim, const char *kind, uint64_t count,
                                const char *far)
{
    char number[24] = "all";
    if (count < INT64_MAX)
        snprintf(number, sizeof number, "%" PRIu64, count);
    printf("# EVIDENCE %s %s %s %s %s\n", claim, kind, number, test, far);
    fflush(stdout);
}

#endif
