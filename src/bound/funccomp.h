/* funccomp.h: the parameters of L-sequential composition, as exact integers (bound_funccomp_params.c). */
#ifndef ATTEST_FUNCCOMP_H
#define ATTEST_FUNCCOMP_H

#include <gmp.h>
#include <stdbool.h>

/* K = (HdpL)^8 8^(2L^2), where B = Hdp. */
void funccomp_K(mpz_t K, const mpz_t B, unsigned long L);
/* Exponents of K: x_l (0 <= l < L), n_l (1 <= l < L), m, N_l (0 <= l < L). */
void funccomp_x(mpz_t E, unsigned long L, unsigned long l);
void funccomp_n(mpz_t E, unsigned long L, unsigned long l);
void funccomp_m(mpz_t E, unsigned long L);
void funccomp_N(mpz_t E, unsigned long L, unsigned long l);
/* Tokens of the prompt, N_0 + ... + N_(L-1) + 2, when it has at most `bits` bits. */
bool funccomp_tokens(mpz_t out, const mpz_t B, unsigned long L, size_t bits);

#endif
