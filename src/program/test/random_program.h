/* random_program.h: programs drawn from all steps of the IR, for tests that compare the interpreter with the
 * assembled model. */
#ifndef ATTEST_TEST_RANDOM_PROGRAM_H
#define ATTEST_TEST_RANDOM_PROGRAM_H

#include <attest/program.h>

#define POOL    64
#define OUTPUTS 4

/* What a program may be made of. */
typedef struct {
    double range; /* a variable that exceeds it is not used further */
    bool hard;    /* only steps whose results are dyadic: exact arithmetic then equals the interpreter */
    bool noisy;   /* attention that picks one key by its position, with a large wanted error */
    bool fields;  /* also a subset, integers and real numbers; also fractions of positions */
} recipe;

typedef struct {
    at_program *P;
    at_rng r;
    recipe how;
    at_var any[POOL], ints[POOL], bools[POOL];
    int n_any, n_ints, n_bools, serial;
    at_var index, square; /* i and i^2: what a noisy step scores by */
    at_var out[OUTPUTS];
    int N, n_min, M, row;
    char name[24];
} maker;

/* Fills k->P, except when k->P could not be made. k->r and k->how are set by the caller. */
void random_program(maker *k);
/* An input of its domain into v (at least k->N * k->row numbers). */
at_input random_input(maker *k, double *v);

#endif
