/* mutant.h: the switch of code mutants (docs/mutants.md); included by mutated copies of sources only.
 *
 * AT_MUTANT(17) is true when mutant 17 is the one asked for, and notes that the place was reached. No function and
 * no type is declared here, because a mutated .inc may be included inside a function. */
#ifndef ATTEST_MUTANT_H
#define ATTEST_MUTANT_H

#define AT_MUTANT_MAX 65536

extern int at_mutant;                         /* 0: none */
extern volatile unsigned char *at_mutant_met; /* (AT_MUTANT_MAX) */

#define AT_MUTANT(k) (at_mutant_met[k] = 1, at_mutant == (k))

#endif
