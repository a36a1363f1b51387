/* hard_refute.h: trials of refuters: over many models of one kind, how many are refuted by a pair?
 *
 * Each function is the part `refute` of a claim of a limit; what it reads of the parameters may be absent (in brackets: the
 * default then).
 *
 *   compose   n, H, d, p, steps [200], correct [0]            compose-bound
 *   match3    N, M, H, m, p, steps, correct                   match3-hard        m: width of a head
 *   qsa       q, d [1], H [1], m, p, steps, correct           qsa-attention-hard, N = 2q+1, tolerance 1/(2q)
 *
 * `limit` random models are tried and a tenth as many trained ones, which took `steps` steps. TRUE: all were refuted by a
 * verified pair; FALSE: none was; else UNKNOWN. correct=1 tries the catalogue's own construction instead of them, with every
 * search there is, and must come to FALSE. */
#ifndef ATTEST_CLAIM_HARD_REFUTE_H
#define ATTEST_CLAIM_HARD_REFUTE_H

#include <attest/claim.h>
#include <attest/refute.h>

typedef at_status hard_trial_fn(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                                const at_check_env *env, at_arena *a, at_verdict *out, at_err *err);
hard_trial_fn hard_refute_compose, hard_refute_match3, hard_refute_qsa;

/* Rows for a claim's schema. */
#define HARD_REFUTE_PARAMS                                                                                   \
    {"steps", "refuting: steps of training", 0, 10000, 200, true},                                           \
    {                                                                                                        \
        "correct", "refuting: 1 takes the catalogue's own construction", 0, 1, 0, true                       \
    }

#endif
