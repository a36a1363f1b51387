/* foc_internal.h: what the files of this folder share. */
#ifndef ATTEST_FOC_INTERNAL_H
#define ATTEST_FOC_INTERNAL_H

#include <attest/formula.h>

/* A truth that says the same as "there is a whole number x >= 0 with v", x being definition `name` of f, and that does not speak of
 * x. v is made of comparisons and congruences of sums. NULL: at_formulas_status, or err says why not. */
at_formula *foc_eliminate(at_formulas *f, at_formula *v, int name, at_arena *a, at_err *err);

#endif
