/* number.c: comparisons with logarithms, decided.
 *
 * A logarithm is a ball (Arb). A comparison takes 64 bits more than the operands, and doubles them until the ball lies on one
 * side. That ends because equality is dealt with before: n log2 n, n log2 q and log2 n! are integers only where n or q is a
 * power of two (and n! for n <= 2), and there everything is an integer. */
#include "bound_internal.h"

#include "../num/flint_compat.h"

#include <math.h>
#include <string.h>

#define WORDS_PRECISION (1 << 20) /* bits; some thousands are enough for 256 letters */

static bool is_power_of_two(const mpz_t x, unsigned long *log)
{
    if (mpz_sgn(x) <= 0)
        return false;
    *log = (unsigned long)mpz_scan1(x, 0);
    return mpz_sizeinbase(x, 2) == *log + 1;
}

static void ball_set(arb_t out, const mpz_t x)
{
    fmpz_t f;
    fmpz_init(f);
    fmpz_set_mpz(f, x);
    arb_set_fmpz(out, f);
    fmpz_clear(f);
}

/* log2 of x, or of x!. */
static void ball_log2(arb_t out, const mpz_t x, bool factorial, slong prec)
{
    arb_t two;
    arb_init(two);
    ball_set(out, x);
    if (factorial) {
        arb_add_ui(out, out, 1, prec);
        arb_lgamma(out, out, prec);
    } else
        arb_log(out, out, prec);
    arb_const_log2(two, prec);
    arb_div(out, out, two, prec);
    arb_clear(two);
}

typedef enum { LOG_POWER, LOG_FACTORIAL } log_kind;

/* n log2 q (POWER), or log2 n! (FACTORIAL). */
static void ball_of(arb_t out, log_kind kind, const mpz_t q, const mpz_t n, slong prec)
{
    ball_log2(out, kind == LOG_POWER ? q : n, kind == LOG_FACTORIAL, prec);
    if (kind == LOG_POWER) {
        arb_t t;
        arb_init(t);
        ball_set(t, n);
        arb_mul(out, out, t, prec);
        arb_clear(t);
    }
}

static slong precision(const mpz_t a, const mpz_t b, const mpz_t c)
{
    return (slong)(64 + mpz_sizeinbase(a, 2) + mpz_sizeinbase(b, 2) + mpz_sizeinbase(c, 2));
}

/* x < the logarithm, which is not equal to any integer. */
static bool below(log_kind kind, const mpz_t x, const mpz_t q, const mpz_t n)
{
    arb_t l, t;
    arb_init(l);
    arb_init(t);
    slong prec = precision(x, q, n);
    for (;; prec *= 2) {
        ball_of(l, kind, q, n, prec);
        ball_set(t, x);
        arb_sub(l, l, t, prec);
        if (!arb_contains_zero(l))
            break;
    }
    bool out = arb_is_positive(l);
    arb_clear(t);
    arb_clear(l);
    return out;
}

bool number_below_log_power(const mpz_t x, const mpz_t q, const mpz_t n)
{
    unsigned long k;
    if (!mpz_sgn(n) || !is_power_of_two(q, &k))
        return mpz_sgn(n) ? below(LOG_POWER, x, q, n) : mpz_sgn(x) < 0;
    mpz_t t;
    mpz_init(t);
    mpz_mul_ui(t, n, k);
    bool out = mpz_cmp(x, t) < 0;
    mpz_clear(t);
    return out;
}

bool number_below_log_product(const mpz_t x, const mpz_t c, const mpz_t q, const mpz_t n)
{
    unsigned long i, k;
    if (!mpz_sgn(n))
        return number_below_log(x, c);
    mpz_t t;
    arb_t l, u;
    mpz_init(t);
    arb_init(l);
    arb_init(u);
    bool out;
    if (is_power_of_two(c, &i) && is_power_of_two(q, &k)) {
        mpz_mul_ui(t, n, k);
        mpz_add_ui(t, t, i);
        out = mpz_cmp(x, t) < 0;
    } else {
        for (slong prec = precision(x, q, n);; prec *= 2) {
            ball_of(l, LOG_POWER, q, n, prec);
            ball_log2(u, c, false, prec);
            arb_add(l, l, u, prec);
            ball_set(u, x);
            arb_sub(l, l, u, prec);
            if (!arb_contains_zero(l))
                break;
        }
        out = arb_is_positive(l);
    }
    arb_clear(u);
    arb_clear(l);
    mpz_clear(t);
    return out;
}

/* sum over i < k of (-1)^i C(n, i) (k-i)^n */
static void ball_words(arb_t sum, const mpz_t k, const mpz_t n, slong prec)
{
    unsigned long letters = mpz_get_ui(k);
    arb_t t, c;
    fmpz_t length;
    arb_init(t);
    arb_init(c);
    fmpz_init(length);
    fmpz_set_mpz(length, n);
    arb_zero(sum);
    arb_one(c); /* (-1)^i C(n, i) */
    for (unsigned long i = 0; i < letters; i++) {
        arb_set_ui(t, letters - i);
        arb_pow_fmpz(t, t, length, prec);
        arb_addmul(sum, t, c, prec);
        arb_set_fmpz(t, length);
        arb_sub_ui(t, t, i, prec);
        arb_mul(c, c, t, prec);
        arb_div_ui(c, c, i + 1, prec);
        arb_neg(c, c);
    }
    fmpz_clear(length);
    arb_clear(c);
    arb_clear(t);
}

bool number_below_words(const mpz_t x, const mpz_t k, const mpz_t n)
{
    arb_t sum, t;
    fmpz_t exponent;
    arb_init(sum);
    arb_init(t);
    fmpz_init(exponent);
    fmpz_set_mpz(exponent, x);
    for (slong prec = precision(x, k, n) + 256; prec < WORDS_PRECISION; prec *= 2) {
        ball_words(sum, k, n, prec);
        arb_one(t);
        arb_mul_2exp_fmpz(t, t, exponent);
        arb_sub(sum, sum, t, prec);
        if (!arb_contains_zero(sum))
            break;
    }
    bool out = arb_is_positive(sum); /* not decided: not claimed */
    fmpz_clear(exponent);
    arb_clear(t);
    arb_clear(sum);
    return out;
}

double number_log2_words(const mpz_t k, const mpz_t n)
{
    arb_t sum, two;
    arf_t lo;
    arb_init(sum);
    arb_init(two);
    arf_init(lo);
    slong prec = precision(k, k, n) + 256;
    for (; prec < WORDS_PRECISION; prec *= 2) {
        ball_words(sum, k, n, prec);
        if (arb_is_positive(sum) && arb_rel_accuracy_bits(sum) >= 64)
            break;
    }
    arb_log(sum, sum, prec);
    arb_const_log2(two, prec);
    arb_div(sum, sum, two, prec);
    arb_get_lbound_arf(lo, sum, 64);
    double out = arf_get_d(lo, ARF_RND_FLOOR);
    arf_clear(lo);
    arb_clear(two);
    arb_clear(sum);
    return out;
}

bool number_below_n_log_n(const mpz_t x, const mpz_t n)
{
    return number_below_log_power(x, n, n);
}

bool number_below_log_factorial(const mpz_t x, const mpz_t n)
{
    if (mpz_cmp_ui(n, 2) <= 0)
        return mpz_cmp_ui(x, mpz_cmp_ui(n, 2) == 0) < 0;
    return below(LOG_FACTORIAL, x, n, n);
}

/* log2 C(n, k) */
static void ball_binomial(arb_t out, const mpz_t n, const mpz_t k, slong prec)
{
    arb_t t;
    mpz_t rest;
    arb_init(t);
    mpz_init(rest);
    mpz_sub(rest, n, k);
    ball_log2(out, n, true, prec);
    ball_log2(t, k, true, prec);
    arb_sub(out, out, t, prec);
    ball_log2(t, rest, true, prec);
    arb_sub(out, out, t, prec);
    mpz_clear(rest);
    arb_clear(t);
}

/* k log2(n/k) <= log2 C(n, k), 1 <= k. */
static bool below_power(const mpz_t x, const mpz_t n, const mpz_t k)
{
    arb_t l, t;
    arb_init(l);
    arb_init(t);
    slong prec = precision(x, n, k);
    ball_log2(l, n, false, prec);
    ball_log2(t, k, false, prec);
    arb_sub(l, l, t, prec);
    ball_set(t, k);
    arb_mul(l, l, t, prec);
    ball_set(t, x);
    arb_sub(l, l, t, prec);
    bool out = arb_is_positive(l);
    arb_clear(t);
    arb_clear(l);
    return out;
}

/* A binomial coefficient is a power of two only at the ends and beside them: C(n, k), 2 <= k <= n-2, is no power of a prime. */
bool number_below_log_binomial(const mpz_t x, const mpz_t n, const mpz_t k)
{
    mpz_t least;
    mpz_init(least);
    mpz_sub(least, n, k);
    if (mpz_cmp(k, least) < 0)
        mpz_set(least, k);
    bool out;
    if (mpz_cmp_ui(least, 1) <= 0)
        out = mpz_sgn(least) ? number_below_log(x, n) : mpz_sgn(x) < 0;
    else if (!(out = below_power(x, n, least)) && !mpz_sgn(x))
        out = true;
    else if (!out && number_below_log_power(x, n, least)) { /* n^k is above C(n, k) */
        arb_t l, t;
        arb_init(l);
        arb_init(t);
        for (slong prec = precision(x, n, n);; prec *= 2) {
            ball_binomial(l, n, least, prec);
            ball_set(t, x);
            arb_sub(l, l, t, prec);
            if (!arb_contains_zero(l))
                break;
        }
        out = arb_is_positive(l);
        arb_clear(t);
        arb_clear(l);
    }
    mpz_clear(least);
    return out;
}

bool number_below_log(const mpz_t x, const mpz_t c)
{
    size_t bits = mpz_sizeinbase(c, 2);
    unsigned long k;
    if (mpz_sgn(c) <= 0)
        return false;
    int order = mpz_cmp_ui(x, bits - 1); /* 2^(bits-1) <= c < 2^bits */
    return order < 0 || (order == 0 && !is_power_of_two(c, &k));
}

/* Clears l. */
static double ball_lower(arb_t l)
{
    arf_t lo;
    arf_init(lo);
    arb_get_lbound_arf(lo, l, 64);
    double out = arf_get_d(lo, ARF_RND_FLOOR);
    arf_clear(lo);
    arb_clear(l);
    return out < 0 ? 0 : out;
}

static double lower_double(log_kind kind, const mpz_t q, const mpz_t n)
{
    arb_t l;
    arb_init(l);
    ball_of(l, kind, q, n, precision(q, n, n));
    return ball_lower(l);
}

double number_log2_binomial(const mpz_t n, const mpz_t k)
{
    arb_t l;
    arb_init(l);
    ball_binomial(l, n, k, precision(n, n, k));
    return ball_lower(l);
}

double number_log2(const mpz_t x)
{
    long e;
    double m = mpz_get_d_2exp(&e, x);
    return at_log2(m) + (double)e;
}

double number_log2_power(const mpz_t q, const mpz_t n)
{
    unsigned long k;
    if (!is_power_of_two(q, &k))
        return lower_double(LOG_POWER, q, n);
    return mpz_get_d(n) * (double)k;
}

double number_n_log_n(const mpz_t n)
{
    return number_log2_power(n, n);
}

double number_log2_factorial(const mpz_t n)
{
    return mpz_cmp_ui(n, 1) <= 0 ? 0 : lower_double(LOG_FACTORIAL, n, n);
}

void number_log2_up(mpz_t out, const mpz_t x)
{
    unsigned long k;
    mpz_set_ui(out, is_power_of_two(x, &k) ? k : mpz_sizeinbase(x, 2));
}

unsigned long number_digits(const mpz_t x)
{
    unsigned long n = (unsigned long)mpz_sizeinbase(x, 10); /* exact, or one too many */
    mpz_t t;
    mpz_init(t);
    mpz_ui_pow_ui(t, 10, n - 1);
    if (n > 1 && mpz_cmpabs(x, t) < 0)
        n--;
    mpz_clear(t);
    return n;
}

/* "10^1234.5 (1235 digits)" of a number with this base-10 logarithm. */
static const char *power_print(sheet *s, double log10, const char *digits)
{
    return sheet_text(s, "10^%.*f (%s digits)", log10 < 1e6 ? 1 : 0, floor(log10 * 10) / 10, digits);
}

const char *sheet_int(sheet *s, const mpz_t x)
{
    char plain[32];
    if (mpz_sizeinbase(x, 10) <= 24)
        return sheet_text(s, "%s", mpz_get_str(plain, 10, x));
    return power_print(s, number_log2(x) / at_log2(10), sheet_text(s, "%lu", number_digits(x)));
}

/* Is K a power of ten? Then `log` is its logarithm. */
static bool is_power_of_ten(const mpz_t K, mpz_t log)
{
    mpz_t t;
    mpz_init(t);
    unsigned long n = number_digits(K) - 1;
    mpz_ui_pow_ui(t, 10, n);
    bool out = mpz_cmp(t, K) == 0;
    mpz_set_ui(log, n);
    mpz_clear(t);
    return out;
}

const char *number_power_text(sheet *s, const mpz_t K, const mpz_t E)
{
    mpz_t digits;
    fmpz_t floor_log;
    arb_t l, t;
    mpz_init(digits);
    fmpz_init(floor_log);
    arb_init(l);
    arb_init(t);
    double log10;
    if (is_power_of_ten(K, digits)) {
        mpz_mul(digits, digits, E);
        log10 = mpz_get_d(digits);
    } else {
        for (slong prec = precision(K, E, E);; prec *= 2) {
            ball_set(l, K);
            arb_log(l, l, prec);
            arb_const_log10(t, prec);
            arb_div(l, l, t, prec);
            ball_set(t, E);
            arb_mul(l, l, t, prec); /* no integer: K is no power of ten, and 10^(i/E) = K would make it one */
            arb_floor(t, l, prec);
            if (arb_get_unique_fmpz(floor_log, t))
                break;
        }
        fmpz_get_mpz(digits, floor_log);
        log10 = arf_get_d(arb_midref(l), ARF_RND_DOWN);
    }
    mpz_add_ui(digits, digits, 1);
    char *plain = mpz_get_str(NULL, 10, digits);
    const char *out = NULL;
    if (mpz_cmp_ui(digits, 24) <= 0) {
        mpz_pow_ui(digits, K, mpz_get_ui(E));
        out = sheet_int(s, digits);
    } else
        out = log10 < 1e15 ? power_print(s, log10, plain) : sheet_text(s, "a number of %s digits", plain);
    void (*release)(void *, size_t);
    mp_get_memory_functions(NULL, NULL, &release);
    release(plain, strlen(plain) + 1);
    arb_clear(t);
    arb_clear(l);
    fmpz_clear(floor_log);
    mpz_clear(digits);
    return out;
}
