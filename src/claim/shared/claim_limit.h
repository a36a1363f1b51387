/* claim_limit.h: a part that trials of limits share: the calculator of the same bound, asked and checked. */
#ifndef ATTEST_CLAIM_LIMIT_H
#define ATTEST_CLAIM_LIMIT_H

#include <attest/bound.h>

#include "../claim_internal.h"

/* TRUE: the bound binds at these parameters (those of the same name; the others are the bound's own), and at every start that it
 * gives, in each parameter by itself, it binds, while one step further it does not. FALSE: a start is wrong. UNKNOWN: it is vacuous. note:
 * the inequality, or which start is wrong. Starts that no parameter can hold are passed over. */
at_status limit_binds(const char *bound, const at_params *p, at_arena *a, at_tri *holds, const char **note,
                      at_err *err);

/* A trial that asks nothing else; a control whose bound is vacuous is rejected. */
at_status limit_trial(const char *bound, const at_params *p, const at_cell *cell, at_arena *a,
                      at_verdict *out, at_err *err);

#endif
