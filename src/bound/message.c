/* message.c: how many bits the numbers of a p-bit layer take when they are sent.
 *
 * A float has p bits of mantissa, the first of which is not stored, e bits of exponent and a sign: p + e bits. With IEEE's
 * exponents every finite float is a multiple of 2^(emin-p+1) and below 2^(emax+1), where emax = 2^(e-1) - 1 and
 * emin = 2 - 2^(e-1).
 *
 * An exact partial sum adds at most N products w v of a weight 0 <= w <= 1 and a value: multiples of 2^(2(emin-p+1)), each
 * below 2^(emax+1), so it takes emax + 1 - 2 emin + 2p - 2 = 2p + 3*2^(e-1) - 6 bits, ceil(log2 N) more for the sum, and a sign. */
#include "bound_internal.h"

const char *const bound_sums_names[2] = {"ideal", "exact"};

void message_float(mpz_t b, const mpz_t p, const mpz_t e)
{
    mpz_add(b, p, e);
}

void message_sum(mpz_t A, const mpz_t p, const mpz_t e, const mpz_t N)
{
    mpz_t t;
    mpz_init(t);
    number_log2_up(A, N);
    mpz_addmul_ui(A, p, 2);
    mpz_set_ui(t, 3);
    mpz_mul_2exp(t, t, mpz_get_ui(e) - 1);
    mpz_add(A, A, t);
    mpz_sub_ui(A, A, 5);
    mpz_clear(t);
}

at_bound_bits message_counts(const mpz_t *v, int sums)
{
    return mpz_cmp_ui(v[sums], SUMS_EXACT) ? AT_BITS_SOURCE : AT_BITS_EXACT;
}

limit_way message_way(const mpz_t *v, int i, int sums, int e, bool problem)
{
    if (i == sums)
        return LIMIT_CHOICE;
    if (i == e && mpz_cmp_ui(v[sums], SUMS_EXACT))
        return LIMIT_STILL;
    return problem ? LIMIT_RISES : LIMIT_FALLS;
}
