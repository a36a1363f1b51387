/* bound_internal.h: what the bounds share: how a bound is given, and how its answer is made of that.
 *
 * A bound is a predicate of integers, `binds`, decided exactly. Everything else follows from it: the verdict, where it
 * starts to bind in each parameter, and the least size that is not ruled out (limit.c). What a bound's file has to know is
 * in which direction each parameter pushes. */
#ifndef ATTEST_BOUND_INTERNAL_H
#define ATTEST_BOUND_INTERNAL_H

#include <attest/bound.h>

#include <gmp.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* What moving one parameter upwards does to a bound that does not bind (RISES: it comes to bind) or binds (FALLS: it
 * ceases to). STILL: nothing. CHOICE: no size at all (a name), not asked about. PRIMES: a rising prime, of few: tried one by
 * one. */
typedef enum { LIMIT_CHOICE, LIMIT_STILL, LIMIT_RISES, LIMIT_FALLS, LIMIT_PRIMES } limit_way;

typedef struct sheet sheet;

typedef struct {
    /* Does it bind at these values? Each is at least the least that its row allows; hypotheses that join parameters may be
     * broken: then it does not. */
    bool (*binds)(const mpz_t *v);
    limit_way (*way)(const mpz_t *v, int i);
    /* RISES: is there a value above which it rises no more, but stays or falls? NULL: never. */
    bool (*top)(const mpz_t *v, int i, mpz_t out);
    /* RISES: 0, it does so steadily; k > 0: only between the numbers floor(2^j/k), since a logarithm of k times it is
     * rounded up; and where it binds just after one of these, it binds just after all that follow. */
    int (*pieces)(const mpz_t *v, int i);
    /* The start of parameter i, where bisection would take too long: writes its text; NULL text: bisect. */
    const char *(*solve)(sheet *s, const mpz_t *v, int i, double *at);
    /* Which bits are counted. */
    at_bound_bits (*counts)(const mpz_t *v);
    int least;       /* the parameter whose least value that is not ruled out is wanted; -1: none */
    int least_times; /* a parameter to multiply it by; -1: none */
    /* Hypotheses that join parameters. NULL: none. */
    at_status (*check)(const at_params *p, const mpz_t *v, at_err *err);
    /* Writes inequality, meaning and lines; may change the verdict from VACUOUS to SHAPE. */
    void (*report)(sheet *s, const mpz_t *v);
} limit;

/* What is being written. A NULL from the arena is remembered in oom. */
#define SHEET_LINES 24
struct sheet {
    at_arena *a;
    const at_params *p;
    at_bound_result *out;
    at_bound_line line[SHEET_LINES];
    int n_lines;
    bool oom;
};
const char *sheet_text(sheet *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sheet_line(sheet *s, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
const char *sheet_int(sheet *s, const mpz_t x); /* plain, or a power with its digits counted */

at_status limit_compute(const limit *l, const at_params *p, at_arena *a, at_bound_result *out, at_err *err);
at_status limit_decide(const limit *l, const at_params *p, bool *out, at_err *err);
/* What every bound's `compute` is: it finds its limit by the table of parameters. */
at_status bound_compute(const at_params *p, at_arena *a, at_bound_result *out, at_err *err);

/* ---- numbers (number.c): logarithms are balls, refined until they decide ---------------------------------------- */

bool number_below_n_log_n(const mpz_t x, const mpz_t n);                  /* x < n log2 n, n >= 1 */
bool number_below_log_power(const mpz_t x, const mpz_t q, const mpz_t n); /* 2^x < q^n, q >= 1, n >= 0 */
bool number_below_log_factorial(const mpz_t x, const mpz_t n);            /* 2^x < n! */
bool number_below_log_product(const mpz_t x, const mpz_t c, const mpz_t q, const mpz_t n); /* 2^x < c q^n */
/* 2^x < sum over i < k of (-1)^i C(n, i) (k-i)^n, where k < n and x < n log2 k. */
bool number_below_words(const mpz_t x, const mpz_t k, const mpz_t n);
bool number_below_log_binomial(const mpz_t x, const mpz_t n, const mpz_t k); /* 2^x < C(n, k), 0 <= k <= n */
bool number_below_log(const mpz_t x, const mpz_t c);                         /* 2^x < c */
double number_log2(const mpz_t x);                                           /* about; x >= 1 */
double number_n_log_n(const mpz_t n);                                        /* n log2 n, rounded down */
double number_log2_factorial(const mpz_t n);                                 /* rounded down */
double number_log2_power(const mpz_t q, const mpz_t n);                      /* n log2 q, rounded down */
double number_log2_words(const mpz_t k, const mpz_t n);                      /* of that sum, rounded down */
double number_log2_binomial(const mpz_t n, const mpz_t k);                   /* rounded down */
void number_log2_up(mpz_t out, const mpz_t x); /* the least k with 2^k >= x, x >= 1 */
unsigned long number_digits(const mpz_t x);    /* decimal digits, x >= 0 */
/* K^E as text, a power with its digits counted, also where it does not fit any memory. */
const char *number_power_text(sheet *s, const mpz_t K, const mpz_t E);

/* ---- messages of a layer at p bits (message.c) -------------------------------------------------------------------- */

/* How messages are counted. IDEAL: every number in a message is p bits, as the papers count. EXACT: numbers are floats of
 * p + e bits, and partial sums are sent without rounding, A bits each. */
enum { SUMS_IDEAL, SUMS_EXACT };
extern const char *const bound_sums_names[2];
#define BOUND_PARAM_SUMS                                                                                     \
    {                                                                                                        \
        "sums", "how messages are counted", 0, 1, 0, true, bound_sums_names                                  \
    }
#define BOUND_MOST 9007199254740991. /* 2^53 - 1: the largest parameter */

/* Bits of a float: sign, exponent and the mantissa without its hidden bit. */
void message_float(mpz_t b, const mpz_t p, const mpz_t e);
/* Bits of an exact partial sum over at most N keys: A = 2p + ceil(log2 N) + 3*2^(e-1) - 5. */
void message_sum(mpz_t A, const mpz_t p, const mpz_t e, const mpz_t N);
/* Which bits are counted there. */
at_bound_bits message_counts(const mpz_t *v, int sums);
/* Which way parameter i pushes where `sums` and e are among the parameters: exponents count in exact sums only, and what does not
 * make the problem larger makes messages longer. */
limit_way message_way(const mpz_t *v, int i, int sums, int e, bool problem);

/* ---- counting chains (chains.c) ---------------------------------------------------------------------------------------- */

typedef enum { CHAINS_PREFIX_SUM, CHAINS_LIS, CHAINS_ED, CHAINS_ED_LOCAL } chains_problem;
/* 2^x < the number of different chains that a problem has (of which this is exact but for ED, where it is what is proved):
 * n tokens of `letters` different ones (ED, ED_LOCAL: two words of n). */
bool chains_above(chains_problem w, const mpz_t n, const mpz_t letters, const mpz_t x);
/* log2 of that, rounded down (about); and its formula with the numbers in it. */
double chains_log2(chains_problem w, const mpz_t n, const mpz_t letters);
const char *chains_text(sheet *s, chains_problem w, const mpz_t n, const mpz_t letters);
/* letters above this number change nothing; false: there is no such number. */
bool chains_letters_top(chains_problem w, const mpz_t n, mpz_t out);

/* ED (chains_ed.c): words of n <= CHAINS_ED_PIECE letters that are proved to have different tables, and what follows for all n; more letters
 * than CHAINS_ED_LETTERS are counted as so many. */
#define CHAINS_ED_PIECE   256
#define CHAINS_ED_LETTERS 256
void chains_ed_words(mpz_t out, unsigned long n, unsigned long letters);
bool chains_ed_above(const mpz_t n, const mpz_t letters, const mpz_t x);
double chains_ed_log2(const mpz_t n, const mpz_t letters);
const char *chains_ed_text(sheet *s, const mpz_t n, const mpz_t letters);
void chains_ed_letters_top(const mpz_t n, mpz_t out);

/* Bits that a linear decoder carries: layers H (w^2 + w) b, heads of width w. */
void chains_state(mpz_t S, const mpz_t layers, const mpz_t H, const mpz_t w, const mpz_t b);

/* Expressions with exactly `ops` operators modulo q, ops <= ARITH_EXACT (bound_arith_hard.c). */
#define ARITH_EXACT 32
void arith_trees(mpz_t out, unsigned long ops, unsigned long q);

#endif
