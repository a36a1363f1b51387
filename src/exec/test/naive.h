/* naive.h: a second forward pass, written from the formulas in model.h in MPFR and sharing nothing with the
 * reference but the model. */
#ifndef ATTEST_TEST_NAIVE_H
#define ATTEST_TEST_NAIVE_H

#include <attest/model.h>
#include <mpfr.h>

#define NAIVE_BITS 300 /* of the real twin */
#define NAIVE_MAX  24  /* largest T, D, H*dk, H*dv, MLP width, R */

/* p = 0: the real value, to NAIVE_BITS bits; scores nearer than 2^-250 count as tied, since the exact ones may.
 * p > 0: the twin of p-bit arithmetic with exp_bits, by the rounding rules of docs/exec.md.
 * out: positions * R numbers, made by the call; mpfr_clear each. Returns positions * R. */
extern bool naive_quotient; /* attention as AT_QUOTIENT has it */
int naive_run(const at_model *m, int p, int exp_bits, const at_input *x, mpfr_t *out);

#endif
