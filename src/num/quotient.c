/* quotient.c: the quotient of two exact sums, rounded once.
 *
 * Both sums are integers times powers of 2. |num| is shifted up until the integer quotient has 64 bits or more; what the division
 * leaves, and the bits below the first 64, only say on which side of a midpoint the quotient lies (at_p_pack). */
#include "num_internal.h"

#include <gmp.h>

static void integer_of(at_acc *s, mpz_t z, bool *negative, int *low)
{
    uint32_t word[AT_ACC_LIMBS];
    int n = at_acc_words(s, negative, low, word);
    mpz_import(z, (size_t)n, -1, sizeof *word, 0, 0, word);
}

double at_acc_quotient(at_acc *num, at_acc *den, const at_pfmt *f)
{
    bool negative[2];
    int low[2];
    mpz_t n, d, rest;
    if (num->special != 0 || den->special != 0)
        return at_p_div(f, at_acc_round(num, f), at_acc_round(den, f));
    mpz_inits(n, d, rest, NULL);
    integer_of(num, n, &negative[0], &low[0]);
    integer_of(den, d, &negative[1], &low[1]);
    double out;
    if (mpz_sgn(d) == 0)
        out = at_p_div(f, at_acc_round(num, f), 0);
    else if (mpz_sgn(n) == 0)
        out = 0;
    else {
        size_t have = mpz_sizeinbase(n, 2), want = mpz_sizeinbase(d, 2) + 64;
        size_t up = have < want ? want - have : 0;
        mpz_mul_2exp(n, n, up);
        mpz_tdiv_qr(n, rest, n, d);
        size_t bits = mpz_sizeinbase(n, 2), below = bits - 64; /* 64 or more */
        bool sticky = mpz_sgn(rest) != 0 || mpz_scan1(n, 0) < below;
        mpz_tdiv_q_2exp(n, n, below);
        uint64_t top = 0;
        mpz_export(&top, NULL, -1, sizeof top, 0, 0, n);
        out = at_p_pack(f, negative[0] != negative[1], top, (long)low[0] - low[1] - (long)up + (long)below,
                        sticky);
    }
    mpz_clears(n, d, rest, NULL);
    return out;
}
