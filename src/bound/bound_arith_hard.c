/* BOUND arith-hard: a linear decoder that evaluates expressions needs width about L^(1/4).
 *
 * Source: Yang et al. 2024, Proposition 5.2: Omega~(L^(1/4)) for expressions modulo a prime, L = Theta(k^2) tokens with k operators.
 * Proof with its numbers (docs/bounds.md):
 *   1. The chain is a function of its first step, and begins with it. Every expression with k-1 operators is a first step: put `r * 1` for its
 *      first number r; that is the leftmost handle and takes no brackets. So there are as many chains as expressions with k-1 operators.
 *   2. Expressions are trees; with k operators let Z_k have the value 0 and U_k each other value (by induction these are equal):
 *          +, -:  0 from Z Z + (q-1) U U,     other from 2 Z U + (q-2) U U (mixed)
 *          *:     0 from Z T + T Z - Z Z,     other from (q-1) U U
 *          /:     0 from Z (q-1) U,           other from (q-1) U U       (not by 0)
 *      summed over l + r = k-1. Beyond 32 operators: two trees make three others, with +, - or *, so there are at
 *      least C_r (3 C_32)^j with 33j + r, C the number of trees.
 *   3. A linear decoder knows S = layers H (w^2 + w) b bits of its prompt, and its length, of which there are k-1: these first steps have
 *      2k+1+2j tokens with j < k-1 pairs of brackets. So 2^S (k-1) >= number of chains. k-1 is counted as the next power of two. */
#include "bound_internal.h"

enum { operators, prime, layers, H, w, p, e };
static const at_param params[] = {
    {"operators", "of the expression", 1, BOUND_MOST, 100, true},
    {"prime", "modulus", 2, 251, 11, true},
    {"layers", "attention layers", 1, BOUND_MOST, 3, true},
    {"H", "heads a layer", 1, BOUND_MOST, 4, true},
    {"w", "width of a head, D/H", 1, BOUND_MOST, 1, true},
    {"p", "bits of a mantissa", 1, BOUND_MOST, 16, true},
    {"e", "bits of an exponent", 1, BOUND_MOST, 8, true},
};

void arith_trees(mpz_t out, unsigned long ops, unsigned long q)
{
    mpz_t Z[ARITH_EXACT + 1], U[ARITH_EXACT + 1], zz, zu, uz, uu;
    mpz_inits(zz, zu, uz, uu, NULL);
    for (unsigned long k = 0; k <= ops; k++) {
        mpz_init_set_ui(Z[k], k == 0);
        mpz_init_set_ui(U[k], k == 0);
        for (unsigned long l = 0; l < k; l++) {
            unsigned long r = k - 1 - l;
            mpz_mul(zz, Z[l], Z[r]);
            mpz_mul(zu, Z[l], U[r]);
            mpz_mul(uz, U[l], Z[r]);
            mpz_mul(uu, U[l], U[r]);
            mpz_addmul_ui(Z[k], zz, 3);           /* 2 of + and -, 1 of * */
            mpz_addmul_ui(Z[k], uu, 2 * (q - 1)); /* + and - */
            mpz_addmul_ui(Z[k], zu, 2 * (q - 1)); /* * and / */
            mpz_addmul_ui(Z[k], uz, q - 1);       /* * */
            mpz_addmul_ui(U[k], zu, 2);
            mpz_addmul_ui(U[k], uz, 2);
            mpz_addmul_ui(U[k], uu, 2 * (q - 2) + 2 * (q - 1));
        }
    }
    mpz_mul_ui(out, U[ops], q - 1);
    mpz_add(out, out, Z[ops]);
    for (unsigned long k = 0; k <= ops; k++)
        mpz_clears(Z[k], U[k], NULL);
    mpz_clears(zz, zu, uz, uu, NULL);
}

/* First steps: at least trees * growth^times, exactly where times is 0. */
static void steps_count(mpz_t trees, mpz_t growth, mpz_t times, const mpz_t *v)
{
    unsigned long q = mpz_get_ui(v[prime]), more;
    mpz_sub_ui(times, v[operators], 1);
    more = mpz_fdiv_q_ui(times, times, ARITH_EXACT + 1);
    arith_trees(trees, more, q);
    mpz_set_ui(growth, 1);
    if (mpz_sgn(times)) {
        arith_trees(growth, ARITH_EXACT, q);
        mpz_mul_ui(growth, growth, 3);
    }
}

/* What the decoder knows: bits of its sums, and which of the k-1 lengths the prompt has. */
static void bits_known(mpz_t S, const mpz_t *v)
{
    mpz_t t;
    mpz_init(t);
    message_float(t, v[p], v[e]);
    chains_state(S, v[layers], v[H], v[w], t);
    mpz_sub_ui(t, v[operators], 2); /* ceil(log2(k-1)) bits: the digits of k-2 */
    if (mpz_sgn(t) > 0)
        mpz_add_ui(S, S, mpz_sizeinbase(t, 2));
    mpz_clear(t);
}

static bool binds(const mpz_t *v)
{
    mpz_t S, trees, times, growth;
    mpz_inits(S, trees, times, growth, NULL);
    bits_known(S, v);
    steps_count(trees, growth, times, v);
    bool out = number_below_log_product(S, trees, growth, times);
    mpz_clears(S, trees, times, growth, NULL);
    return out;
}

static limit_way way(const mpz_t *v, int i)
{
    (void)v;
    return i == operators ? LIMIT_RISES : i == prime ? LIMIT_PRIMES : LIMIT_FALLS;
}

static at_status check(const at_params *ps, const mpz_t *v, at_err *err)
{
    if (mpz_probab_prime_p(v[prime], 25))
        return AT_OK;
    return at_fail(err, AT_EDOMAIN, "the theorem is about arithmetic modulo a prime, and prime=%.0f is none",
                   at_params_get(ps, "prime"));
}

static void report(sheet *s, const mpz_t *v)
{
    mpz_t S, t, trees, growth, times;
    mpz_inits(S, t, trees, growth, times, NULL);
    bits_known(S, v);
    steps_count(trees, growth, times, v);
    double log = number_log2(trees) + number_log2_power(growth, times);
    bool binding = s->out->verdict == AT_BOUND_BINDS, exact = mpz_sgn(times) == 0;
    s->out->inequality =
        sheet_text(s, "layers H (w^2+w) b + ceil(log2(k-1)) = %s bits %s %.10g = log2(first steps%s)",
                   sheet_int(s, S), binding ? "<" : ">=", log, exact ? "" : " proved");
    sheet_line(s, "first steps", "%s%s%s", exact ? "" : "at least ", sheet_int(s, trees),
               exact ? "" : sheet_text(s, " * (%s)^%s", sheet_int(s, growth), sheet_int(s, times)));
    mpz_mul(t, v[H], v[w]);
    sheet_line(s, "width D = H w", "%s", sheet_int(s, t));
    mpz_sub_ui(t, v[operators], 1);
    mpz_mul(t, t, v[operators]);
    mpz_mul_2exp(t, t, 1);
    mpz_add_ui(t, t, 2);
    sheet_line(s, "chain, at most", "2k(k-1)+2 = %s tokens", sheet_int(s, t));
    s->out->meaning = binding ? "Two expressions with different first steps leave the same running sums: no "
                                "such decoder evaluates both."
                              : "The running sums may tell all first steps apart: nothing is ruled out.";
    mpz_clears(S, t, trees, growth, times, NULL);
}

static at_bound_bits counts(const mpz_t *v)
{
    (void)v;
    return AT_BITS_ROUNDED;
}

const limit limit_arith_hard = {.binds = binds,
                                .counts = counts,
                                .way = way,
                                .least = w,
                                .least_times = H,
                                .check = check,
                                .report = report};

const at_bound bound_arith_hard = {
    .id = "arith-hard",
    .title = "A linear decoder that evaluates expressions needs width about L^(1/4)",
    .source = "Yang et al. 2024, Proposition 5.2",
    .statement =
        "A linear decoder whose running sums, and the length of the prompt, take fewer bits than log2 of "
        "the number of expressions with k-1 operators is wrong on some expression with k operators.",
    .constant = "by counting first steps, exactly up to 33 operators; the source has Omega~(L^(1/4))",
    .params = params,
    .n_params = COUNT(params),
    .unit = "width",
    .size = "operators",
    .compute = bound_compute,
};
