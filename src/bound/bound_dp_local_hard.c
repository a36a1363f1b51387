/* BOUND dp-local-hard: for a recurrence of locality m a linear decoder still needs width about sqrt m.
 *
 * Source: Yang et al. 2024, Proposition 5.5: Omega~(sqrt m), m-local regular problems with m = Theta(n).
 * As dp-hard for linear decoders, with the input that a locality of m allows: prefix sums have m = n + 1, the local edit distance of two words
 * of n has m = 2n + 1, and both are regular: every input has its own chain. */
#include "bound_internal.h"

enum { m, letters, layers, H, w, p, e, PROBLEM };
static const char *const problems[] = {"prefix-sum", "ed-local"};
static const at_param params[] = {
    {"m", "locality: how far back a row looks", 3, BOUND_MOST, 1001, true},
    {"letters", "different ones (prefix-sum: the modulus)", 2, 1000000, 10, true},
    {"layers", "attention layers", 1, BOUND_MOST, 3, true},
    {"H", "heads a layer", 1, BOUND_MOST, 4, true},
    {"w", "width of a head, D/H", 1, BOUND_MOST, 2, true},
    {"p", "bits of a mantissa", 1, BOUND_MOST, 24, true},
    {"e", "bits of an exponent", 1, BOUND_MOST, 8, true},
    {"problem", "recurrence", 0, 1, 0, true, problems},
};

static chains_problem problem_of(const mpz_t *v)
{
    return mpz_sgn(v[PROBLEM]) ? CHAINS_ED_LOCAL : CHAINS_PREFIX_SUM;
}

/* The length of the input, or of each word. */
static void length_of(mpz_t n, const mpz_t *v)
{
    mpz_sub_ui(n, v[m], 1);
    if (problem_of(v) == CHAINS_ED_LOCAL)
        mpz_fdiv_q_2exp(n, n, 1);
}

static bool binds(const mpz_t *v)
{
    mpz_t S, b, n;
    mpz_inits(S, b, n, NULL);
    message_float(b, v[p], v[e]);
    chains_state(S, v[layers], v[H], v[w], b);
    length_of(n, v);
    bool out = chains_above(problem_of(v), n, v[letters], S);
    mpz_clears(S, b, n, NULL);
    return out;
}

static limit_way way(const mpz_t *v, int i)
{
    (void)v;
    return i == PROBLEM ? LIMIT_CHOICE : i == m || i == letters ? LIMIT_RISES : LIMIT_FALLS;
}

static void report(sheet *s, const mpz_t *v)
{
    mpz_t S, t, n;
    mpz_inits(S, t, n, NULL);
    message_float(t, v[p], v[e]);
    chains_state(S, v[layers], v[H], v[w], t);
    length_of(n, v);
    bool binding = s->out->verdict == AT_BOUND_BINDS;
    s->out->inequality =
        sheet_text(s, "layers H (w^2+w) b = %s bits %s %.10g = log2(chains)", sheet_int(s, S),
                   binding ? "<" : ">=", chains_log2(problem_of(v), n, v[letters]));
    sheet_line(s, "different chains", "%s", chains_text(s, problem_of(v), n, v[letters]));
    sheet_line(s, "input", problem_of(v) == CHAINS_ED_LOCAL ? "two words of %s" : "%s numbers",
               sheet_int(s, n));
    mpz_mul(t, v[H], v[w]);
    sheet_line(s, "width D = H w", "%s", sheet_int(s, t));
    s->out->meaning =
        binding
            ? "Two prompts with different chains leave the same running sums: no such decoder writes both."
            : "The running sums may tell all chains apart: nothing is ruled out.";
    mpz_clears(S, t, n, NULL);
}

static at_bound_bits counts(const mpz_t *v)
{
    (void)v;
    return AT_BITS_ROUNDED;
}

const limit limit_dp_local_hard = {
    .binds = binds, .counts = counts, .way = way, .least = w, .least_times = H, .report = report};

const at_bound bound_dp_local_hard = {
    .id = "dp-local-hard",
    .title = "A linear decoder of an m-local recurrence needs width about sqrt m",
    .source = "Yang et al. 2024, Proposition 5.5",
    .statement = "A linear decoder whose running sums take fewer bits than log2 of the number of chains of a "
                 "recurrence of locality m is wrong on some "
                 "prompt; with regular problems and m = Theta(n) that is width Omega~(sqrt m). m >= 3.",
    .constant = "by counting; the source has Omega~(sqrt m)",
    .params = params,
    .n_params = COUNT(params),
    .unit = "width",
    .size = "m",
    .compute = bound_compute,
};
