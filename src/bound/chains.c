/* chains.c: how many different chains of thought a problem has.
 *
 * A decoder whose memory of the prompt is S bits writes at most 2^S different chains, so what counts is the number of chains, not
 * that of inputs. The proofs are in docs/bounds.md:
 *   prefix-sum  dp(i) - dp(i-1) = s_i: every input has its own, letters^n.
 *   lis         the table says of every j < i whether s_j < s_i, as a permutation in which equal letters fall; it says no more. So: the
 *               permutations that words of n letters out of k standardise to, those with fewer than k ascents of positions, which number
 *               sum over i < k of (-1)^i C(n, i) (k-i)^n; n! for k >= n. More than 256 letters are counted as 256.
 *   ed          at least as many as words in which no letter but one is too frequent: chains_ed.c.
 *   ed-local    the table carries the letters of both words along: letters^(2n). */
#include "bound_internal.h"

#define WORDS_EXACT   512 /* up to this length the sum is an integer, beyond it a ball */
#define WORDS_LETTERS 256 /* more are counted as so many: the sum would be long */

/* sum over i < k of (-1)^i C(n, i) (k-i)^n */
static void words_count(mpz_t out, unsigned long k, unsigned long n)
{
    mpz_t t, c;
    mpz_inits(t, c, NULL);
    mpz_set_ui(out, 0);
    for (unsigned long i = 0; i < k; i++) {
        mpz_bin_uiui(c, n, i);
        mpz_ui_pow_ui(t, k - i, n);
        if (i % 2)
            mpz_submul(out, c, t);
        else
            mpz_addmul(out, c, t);
    }
    mpz_clears(t, c, NULL);
}

/* The letters that count, at most n. */
static void lis_letters(mpz_t k, const mpz_t n, const mpz_t letters)
{
    mpz_set(k, mpz_cmp(letters, n) < 0 ? letters : n);
    if (mpz_cmp_ui(k, WORDS_LETTERS) > 0)
        mpz_set_ui(k, WORDS_LETTERS);
}

static bool lis_above(const mpz_t n, const mpz_t letters, const mpz_t x)
{
    mpz_t k, c;
    mpz_inits(k, c, NULL);
    lis_letters(k, n, letters);
    bool out;
    if (mpz_cmp(k, n) == 0)
        out = number_below_log_factorial(x, n);
    else if (!number_below_log_power(x, k, n)) /* fewer than there are words */
        out = false;
    else if (mpz_cmp_ui(n, WORDS_EXACT) > 0)
        out = number_below_words(x, k, n);
    else {
        words_count(c, mpz_get_ui(k), mpz_get_ui(n));
        out = number_below_log(x, c);
    }
    mpz_clears(k, c, NULL);
    return out;
}

bool chains_above(chains_problem w, const mpz_t n, const mpz_t letters, const mpz_t x)
{
    if (mpz_sgn(n) <= 0)
        return false;
    bool out;
    mpz_t t;
    mpz_init(t);
    switch (w) {
    case CHAINS_PREFIX_SUM:
        out = number_below_log_power(x, letters, n);
        break;
    case CHAINS_LIS:
        out = lis_above(n, letters, x);
        break;
    case CHAINS_ED:
        out = chains_ed_above(n, letters, x);
        break;
    case CHAINS_ED_LOCAL:
    default:
        mpz_mul_2exp(t, n, 1);
        out = number_below_log_power(x, letters, t);
    }
    mpz_clear(t);
    return out;
}

double chains_log2(chains_problem w, const mpz_t n, const mpz_t letters)
{
    double out;
    mpz_t c, k;
    mpz_inits(c, k, NULL);
    switch (w) {
    case CHAINS_PREFIX_SUM:
        out = number_log2_power(letters, n);
        break;
    case CHAINS_LIS:
        lis_letters(k, n, letters);
        if (mpz_cmp(k, n) == 0)
            out = number_log2_factorial(n);
        else if (mpz_cmp_ui(n, WORDS_EXACT) > 0)
            out = number_log2_words(k, n);
        else {
            words_count(c, mpz_get_ui(k), mpz_get_ui(n));
            out = number_log2(c);
        }
        break;
    case CHAINS_ED:
        out = chains_ed_log2(n, letters);
        break;
    case CHAINS_ED_LOCAL:
    default:
        out = 2 * number_log2_power(letters, n);
    }
    mpz_clears(c, k, NULL);
    return out;
}

const char *chains_text(sheet *s, chains_problem w, const mpz_t n, const mpz_t letters)
{
    double log = chains_log2(w, n, letters);
    mpz_t used;
    mpz_init_set(used, letters);
    if (w == CHAINS_LIS)
        lis_letters(used, n, letters);
    bool all = mpz_cmp(used, n) == 0;
    const char *length = sheet_int(s, n), *k = sheet_int(s, used);
    mpz_clear(used);
    switch (w) {
    case CHAINS_PREFIX_SUM:
        return sheet_text(s, "%s^%s = 2^%.10g", k, length, log);
    case CHAINS_LIS:
        if (all)
            return sheet_text(s, "%s! = 2^%.10g", length, log);
        return sheet_text(s, "words over %s letters, standardised: 2^%.10g", k, log);
    case CHAINS_ED:
        return chains_ed_text(s, n, letters);
    case CHAINS_ED_LOCAL:
    default:
        return sheet_text(s, "%s^(2*%s) = 2^%.10g", k, length, log);
    }
}

bool chains_letters_top(chains_problem w, const mpz_t n, mpz_t out)
{
    if (w == CHAINS_LIS) {
        mpz_set_ui(out, WORDS_LETTERS);
        lis_letters(out, n, out);
    } else
        chains_ed_letters_top(n, out);
    return w == CHAINS_LIS || w == CHAINS_ED;
}

void chains_state(mpz_t S, const mpz_t layers, const mpz_t H, const mpz_t w, const mpz_t b)
{
    mpz_add_ui(S, w, 1);
    mpz_mul(S, S, w);
    mpz_mul(S, S, H);
    mpz_mul(S, S, layers);
    mpz_mul(S, S, b);
}
