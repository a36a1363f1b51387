/* BOUND compose-bound: one layer does not compose functions of a large domain.
 *
 * Source: Peng, Narayanan, Papadimitriou 2024, Theorem 1: if R = n log2 n - H(d+1)p > 0, the probability of a wrong answer, over all
 * functions and queries, is at least R/(3 n log2 n).
 * Proof with its constants (docs/bounds.md): g(f(x)) is asked. For a fixed x the sums over the tokens of g are a message of c = H(d+1)p
 * bits that depends on g and x, not on f(x) = y, which is uniform. So 2^c messages must serve to look up a random entry of g.
 *   1. At most 2^c of the n^n functions g are answered without error, so the error is at least (1 - 2^-R)/n: for R <= 1 that is at least
 *      R/(2n), and for R >= 1 at least 1/(2n).
 *   2. Fano: R/n <= h(error) + error log2 n. With error >= 1/(2n) and n >= 6, h(error) <= 2 error log2 n.
 *   3. n = 2..5: by numbers, in the tests.
 * sums=exact, for floats with mantissa p and exponent e whose sums are exact and rounded once: c = H(d+1)(b + ceil(log2 n)), b = p + e. Fix f outside of x as
 * well; y is still uniform. What the query sees of a number is round(N + a_y): N the exact sum over the tokens of g, a_y the one over all others,
 * n known shifts. As a function of N each is a step function with fewer than 2^b steps, so all n of them together are constant on fewer than
 * n 2^b intervals of N. The message is the interval of each number: it depends on g, not on y, and gives the answer for every y.
 * Weights must not depend on f (a common maximum that does is not covered). */
#include "bound_internal.h"

#include <math.h>

enum { n, H, d, p, e, SUMS };
static const at_param params[] = {
    {"n", "size of the domain", 2, BOUND_MOST, 1000, true},
    {"H", "heads", 1, BOUND_MOST, 4, true},
    {"d", "width of a head", 1, BOUND_MOST, 16, true},
    {"p", "bits of a number (sums=exact: of its mantissa)", 1, BOUND_MOST, 32, true},
    {"e", "bits of an exponent (sums=exact)", 3, 64, 8, true},
    BOUND_PARAM_SUMS,
};

/* IDEAL: H(d+1)p. EXACT: H(d+1)(b + ceil(log2 n)). */
static void bits_sent(mpz_t s, const mpz_t *v, int sums)
{
    mpz_t number, t;
    mpz_init_set(number, v[p]);
    mpz_init(t);
    if (sums == SUMS_EXACT) {
        message_float(number, v[p], v[e]);
        number_log2_up(t, v[n]);
        mpz_add(number, number, t);
    }
    mpz_add_ui(s, v[d], 1);
    mpz_mul(s, s, v[H]);
    mpz_mul(s, s, number);
    mpz_clears(number, t, NULL);
}

static bool binds_counted(const mpz_t *v, int sums)
{
    mpz_t sent;
    mpz_init(sent);
    bits_sent(sent, v, sums);
    bool out = number_below_n_log_n(sent, v[n]);
    mpz_clear(sent);
    return out;
}

static bool binds(const mpz_t *v)
{
    return binds_counted(v, (int)mpz_get_ui(v[SUMS]));
}

static limit_way way(const mpz_t *v, int i)
{
    return message_way(v, i, SUMS, e, i == n);
}

/* From just after one power of two to just after the next n log2 n doubles at least, and b + ceil(log2 n) grows by 1. */
static int pieces(const mpz_t *v, int i)
{
    return i == n && !mpz_cmp_ui(v[SUMS], SUMS_EXACT);
}

static void report(sheet *s, const mpz_t *v)
{
    mpz_t sent;
    mpz_init(sent);
    int sums = (int)mpz_get_ui(v[SUMS]);
    bits_sent(sent, v, sums);
    bool binding = s->out->verdict == AT_BOUND_BINDS;
    double have = number_n_log_n(v[n]), R = have - mpz_get_d(sent);
    const char *known =
        have < 1e15 ? sheet_text(s, "%.3f", floor(have * 1000) / 1000) : sheet_text(s, "%.6g", have);
    s->out->inequality =
        sheet_text(s, "%s = %s %s n log2 n = %s", sums == SUMS_IDEAL ? "H(d+1)p" : "H(d+1)(b+ceil(log2 n))",
                   sheet_int(s, sent), binding ? "<" : ">=", known);
    if (binding) {
        if (R > 0)
            sheet_line(s, "R", "%.6g", R);
        double error = floor(R / (3 * have) * 1e6) / 1e6;
        sheet_line(s, "error, at least", "R/(3 n log2 n) = %.6f", error < 0 ? 0 : error);
    }
    for (int k = SUMS_IDEAL; k <= SUMS_EXACT; k++) {
        bits_sent(sent, v, k);
        sheet_line(s, k == SUMS_IDEAL ? "seen, p-bit numbers" : "seen, exact sums", "%s bits: %s",
                   sheet_int(s, sent), binds_counted(v, k) ? "binds" : "does not bind");
    }
    s->out->meaning =
        binding
            ? "No such layer answers every query g(f(x)); over all functions and queries it errs this often."
            : "The sums over the tokens of g may hold all of g: nothing is ruled out.";
    mpz_clear(sent);
}

static at_bound_bits counts(const mpz_t *v)
{
    return message_counts(v, SUMS);
}

const limit limit_compose_bound = {.binds = binds,
                                   .counts = counts,
                                   .way = way,
                                   .pieces = pieces,
                                   .least = d,
                                   .least_times = -1,
                                   .report = report};

const at_bound bound_compose_bound = {
    .id = "compose-bound",
    .title = "One layer does not compose functions unless H(d+1)p reaches n log n",
    .source = "Peng, Narayanan, Papadimitriou 2024, Theorem 1",
    .statement = "If R = n log2 n - H(d+1)p > 0, a layer of H heads of width d at p bits answers g(f(x)), f "
                 "and g functions of n values, wrongly "
                 "with probability at least R/(3 n log2 n) over f, g and x. n >= 2, p >= 1. With sums=exact "
                 "H(d+1)(p+e+ceil(log2 n)) stands for H(d+1)p, where weights do not depend on f.",
    .constant =
        "none is hidden; the proof in docs/bounds.md covers small R, where Fano's inequality alone does not",
    .params = params,
    .n_params = COUNT(params),
    .unit = "width of a head",
    .size = "n",
    .compute = bound_compute,
    .construction = "compose-one",
    .construction_params = "n=%d",
    .construction_size = "head width",
};
