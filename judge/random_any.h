/* random_any.h: random models over all parts of the format, for judges.
 *
 *     at_model m;
 *     random_any(17, &m, &err);                    // the same number, the same model
 *     random_row(&m, &rng, row);                   // a row of input in its domain
 */
#ifndef ATTEST_JUDGE_RANDOM_ANY_H
#define ATTEST_JUDGE_RANDOM_ANY_H

#include <attest/model.h>

/* m is initialised by this call and to be released when it succeeds. */
at_status random_any(uint64_t seed, at_model *m, at_err *err);
void random_row(const at_model *m, at_rng *r, double *row);
/* n rows: of a decoder that says what its prompts are, a prompt; else rows in the domain. */
void random_prompt(const at_model *m, at_rng *r, int n, double *rows);

#endif
