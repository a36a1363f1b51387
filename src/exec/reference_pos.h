/* reference_pos.h: position features as balls; apart from exec_internal.h because it needs Arb. */
#ifndef ATTEST_REFERENCE_POS_H
#define ATTEST_REFERENCE_POS_H

#include "../num/flint_compat.h"
#include "exec_internal.h"

/* Encloses feature f of p at index i and length T. */
void ref_feature_ball(arb_t out, const at_pos *p, int f, int64_t i, int64_t T, slong prec);
/* The cosine or sine of a rotary pair at index i. */
void ref_turn_ball(arb_t out, const at_rotary *r, int pair, bool sine, int64_t i, slong prec);

#endif
