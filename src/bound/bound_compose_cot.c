/* BOUND compose-cot: a chain of thought shorter than the composition does not help a small layer.
 *
 * Source: Peng, Narayanan, Papadimitriou 2024, Theorem 2: Omega(sqrt(n/(Hdp))) steps for iterated composition, through the randomised
 * complexity of pointer chasing. A layer is deterministic and must be right on every prompt; for that the following gives a number.
 *
 * Theorem. g maps [n] to itself. If T steps of a layer of H heads of width d at p bits are right about g^k(1) for every g, k >= T+2, then
 *     (T+1) H(d+1)p + k > floor(n/2)/16.
 * Proof (docs/bounds.md has every step): halves A and B of the domain, s = floor(n/2), g maps A to B and B to A; Alice owns g on A, Bob on B.
 *   1. To write one token, both send their partial sums, c = H(d+1)p bits each; r = T+1 times, and the answer is a function of what was sent.
 *   2. An adversary keeps sets of functions for both and the path z_0, z_1, ... fixed so far. Deficiency: (free entries) log s - log |set|.
 *      An entry is open when its entropy is at least log s - 1; at most (fixed + deficiency) entries of a side are not open.
 *   3. In round t the likeliest messages are sent (c more deficiency), and the open entry z_t is fixed to a value that is open on the other
 *      side: values that are not open there number at most rc + k <= s/16, and by entropy have probability at most 2/log2 16 = 1/2; so one
 *      that is open has probability at least 1/(2s), which costs 1 of deficiency.
 *      sums=exact: c = H(d+1)A, exact sums over at most n tokens, where weights do not depend on the other side. With k functions, each by
 *      a table of its own, all tables are g, and whoever owns an entry of g owns its k tokens: sums over at most kn.
 *   4. Each side fixes at most k/2 entries: fixed + deficiency <= rc + k. At the end z_{k-1} is open, so z_k = g(z_{k-1}) is not decided by what
 *      was sent. */
#include "bound_internal.h"

#include <math.h>

enum { n, H, d, p, T, e, SUMS, k };
static const at_param params[] = {
    {"n", "size of the domain", 2, BOUND_MOST, 100000, true},
    {"H", "heads", 1, BOUND_MOST, 4, true},
    {"d", "width of a head", 1, BOUND_MOST, 16, true},
    {"p", "bits of a number (sums=exact: of its mantissa)", 1, BOUND_MOST, 16, true},
    {"T", "steps of the chain of thought, for a composition of T+2 functions", 0, BOUND_MOST, 1, true},
    {"e", "bits of an exponent (sums=exact)", 3, 64, 8, true},
    BOUND_PARAM_SUMS,
    {"k", "functions, each with a table of its own (0: T+2, and all have one)", 0, 4096, 0, true},
};

/* 16 ((T+1) H(d+1)p + T+2), or k for T+2; EXACT: A for p, sums over n tokens, or over the kn of k tables. */
static void side_needed(mpz_t s, const mpz_t *v)
{
    mpz_t t, tokens;
    mpz_init_set(t, v[p]);
    mpz_init_set(tokens, v[n]);
    if (mpz_sgn(v[k]))
        mpz_mul(tokens, tokens, v[k]);
    if (!mpz_cmp_ui(v[SUMS], SUMS_EXACT))
        message_sum(t, v[p], v[e], tokens);
    mpz_add_ui(s, v[d], 1);
    mpz_mul(s, s, v[H]);
    mpz_mul(s, s, t);
    mpz_add_ui(t, v[T], 1);
    mpz_mul(s, s, t);
    mpz_add_ui(t, v[T], 2);
    mpz_add(s, s, mpz_sgn(v[k]) ? v[k] : t);
    mpz_mul_2exp(s, s, 4);
    mpz_clears(t, tokens, NULL);
}

/* k functions, and no T tokens may be enough for them. */
static bool few(const mpz_t *v)
{
    mpz_t least;
    mpz_init(least);
    mpz_add_ui(least, v[T], 2);
    bool out = !mpz_sgn(v[k]) || mpz_cmp(least, v[k]) <= 0;
    mpz_clear(least);
    return out;
}

static bool binds(const mpz_t *v)
{
    mpz_t side, needed;
    mpz_inits(side, needed, NULL);
    mpz_fdiv_q_2exp(side, v[n], 1);
    side_needed(needed, v);
    bool out = few(v) && mpz_cmp(needed, side) <= 0;
    mpz_clears(side, needed, NULL);
    return out;
}

static limit_way way(const mpz_t *v, int i)
{
    return i == k ? LIMIT_CHOICE : message_way(v, i, SUMS, e, i == n);
}

/* From just after one number at which k n reaches a power of two to just after the next n/2 doubles, and A grows by 1. */
static int pieces(const mpz_t *v, int i)
{
    if (i != n || mpz_cmp_ui(v[SUMS], SUMS_EXACT))
        return 0;
    return mpz_sgn(v[k]) ? (int)mpz_get_ui(v[k]) : 1;
}

static void report(sheet *s, const mpz_t *v)
{
    mpz_t side, needed, c;
    mpz_inits(side, needed, c, NULL);
    mpz_fdiv_q_2exp(side, v[n], 1);
    side_needed(needed, v);
    bool binding = s->out->verdict == AT_BOUND_BINDS;
    const char *more = mpz_sgn(v[k]) ? "k-1" : "one token more";
    s->out->inequality =
        sheet_text(s, "16((T+1)H(d+1)%s + %s) = %s %s floor(n/2) = %s",
                   mpz_cmp_ui(v[SUMS], SUMS_EXACT) ? "p" : "A", mpz_sgn(v[k]) ? "k" : "T+2",
                   sheet_int(s, needed), mpz_cmp(needed, side) <= 0 ? "<=" : ">", sheet_int(s, side));
    mpz_mul(c, v[H], v[d]);
    mpz_mul(c, c, v[p]);
    sheet_line(s, "the source", "sqrt(n/(Hdp)) = %.4g steps, up to a constant",
               sqrt(mpz_get_d(v[n]) / mpz_get_d(c)));
    mpz_add_ui(c, v[T], 2);
    if (mpz_sgn(v[k]))
        mpz_set(c, v[k]);
    s->out->meaning =
        !few(v) ? "T+1 tokens and the answer can take the functions one by one: nothing is ruled out."
        : binding
            ? sheet_text(
                  s,
                  "With T = %s some composition of %s functions is answered wrongly (with %s they can be "
                  "taken one by one).",
                  sheet_int(s, v[T]), sheet_int(s, c), more)
            : "The messages may hold enough of g to take two functions in one step: nothing is ruled out.";
    mpz_clears(side, needed, c, NULL);
}

static at_bound_bits counts(const mpz_t *v)
{
    return message_counts(v, SUMS);
}

const limit limit_compose_cot = {.binds = binds,
                                 .counts = counts,
                                 .way = way,
                                 .pieces = pieces,
                                 .least = T,
                                 .least_times = -1,
                                 .report = report};

const at_bound bound_compose_cot = {
    .id = "compose-cot",
    .title = "A composition of T+2 functions is not done in T steps by a small layer",
    .source = "Peng, Narayanan, Papadimitriou 2024, Theorem 2",
    .statement =
        "A layer of H heads of width d at p bits that writes T tokens before its answer is not "
        "right about g^(T+2)(1) for every g on n "
        "values, when 16((T+1)H(d+1)p + T+2) <= floor(n/2). n >= 2, p >= 1. With sums=exact A stands for p, "
        "where weights do not depend on the other tokens. For k >= T+2 functions k stands for T+2.",
    .constant = "by an adversary for deterministic pointer chasing; the source has sqrt(n/(Hdp)) with the "
                "constant hidden",
    .params = params,
    .n_params = COUNT(params),
    .unit = "steps",
    .size = "n",
    .compute = bound_compute,
};
