/* BOUND match3-sets: one attention layer that finds triples must tell apart all sets of tokens, not only n bits of a gadget.
 *
 * Source: none; the layer of match3-hard (Sanford, Hsu, Telgarsky 2023), asked about one token at a time.
 * Proof (docs/bounds.md):
 *   1. x_1 = 1. The numbers 0..M-1 without 1, M-2 and (M odd) (M-1)/2 are floor(M/2) - 1 pairs x, M-1-x. Among tokens of these numbers
 *      position 1 has a triple iff both of a pair occur.
 *   2. H tokens are fixed, one a head: the token and the place with the largest score there, of all that are left; its pair is not used
 *      again. So the largest score of a head is the same for all inputs, and no weight depends on another token.
 *   3. K = floor(M/2) - 1 - H pairs are left. Alice's T = N-2-H tokens show a set S of their smaller numbers; Bob has one token, the
 *      partner of one of them. S decides for every y whether there is a triple, so 2^c messages of c bits from Alice serve for at most
 *      2^c sets: C(K, t) <= 2^c, t = min(T, floor(K/2)).
 *   4. sums=ideal: c = H(m+1)p. sums=exact: what the query sees of a number is round(N_S + a_y), K known shifts a_y, constant on fewer
 *      than K 2^b intervals of N_S (as in compose-bound): c = H(m+1)(b + ceil(log2 K)), and ceil(log2 K) < ceil(log2 M). */
#include "bound_internal.h"

enum { N, M, H, m, p, e, SUMS };
static const at_param params[] = {
    {"N", "length", 3, BOUND_MOST, 1024, true},
    {"M", "modulus", 2, BOUND_MOST, 8192, true},
    {"H", "heads", 1, BOUND_MOST, 4, true},
    {"m", "width of a head", 1, BOUND_MOST, 4, true},
    {"p", "bits of a mantissa", 1, BOUND_MOST, 16, true},
    {"e", "bits of an exponent (sums=exact)", 3, 64, 8, true},
    BOUND_PARAM_SUMS,
};

/* K pairs that Alice's tokens may be of, and the size t of her sets; false: there are none. */
static bool sets_of(const mpz_t *v, mpz_t K, mpz_t t)
{
    mpz_fdiv_q_2exp(K, v[M], 1);
    mpz_sub_ui(K, K, 1);
    mpz_sub(K, K, v[H]);
    mpz_sub_ui(t, v[N], 2);
    mpz_sub(t, t, v[H]);
    if (mpz_sgn(K) <= 0 || mpz_sgn(t) <= 0)
        return false;
    mpz_t half;
    mpz_init(half);
    mpz_fdiv_q_2exp(half, K, 1);
    if (mpz_cmp(half, t) < 0)
        mpz_set(t, half);
    mpz_clear(half);
    return true;
}

/* IDEAL: H(m+1)p. EXACT: H(m+1)(b + ceil(log2 M) - 1). */
static void bits_sent(mpz_t s, const mpz_t *v, int sums)
{
    mpz_t number, t;
    mpz_init_set(number, v[p]);
    mpz_init(t);
    if (sums == SUMS_EXACT) {
        message_float(number, v[p], v[e]);
        number_log2_up(t, v[M]);
        mpz_add(number, number, t);
        mpz_sub_ui(number, number, 1);
    }
    mpz_add_ui(s, v[m], 1);
    mpz_mul(s, s, v[H]);
    mpz_mul(s, s, number);
    mpz_clears(number, t, NULL);
}

static bool binds_counted(const mpz_t *v, int sums)
{
    mpz_t K, t, sent;
    mpz_inits(K, t, sent, NULL);
    bits_sent(sent, v, sums);
    bool out = sets_of(v, K, t) && number_below_log_binomial(sent, K, t);
    mpz_clears(K, t, sent, NULL);
    return out;
}

static bool binds(const mpz_t *v)
{
    return binds_counted(v, (int)mpz_get_ui(v[SUMS]));
}

static limit_way way(const mpz_t *v, int i)
{
    return message_way(v, i, SUMS, e, i == N || i == M);
}

/* Sets of half of the pairs are the most. */
static bool top(const mpz_t *v, int i, mpz_t out)
{
    if (i != N)
        return false;
    mpz_fdiv_q_2exp(out, v[M], 1);
    mpz_sub_ui(out, out, 1);
    mpz_sub(out, out, v[H]);
    mpz_fdiv_q_2exp(out, out, 1);
    mpz_add(out, out, v[H]);
    mpz_add_ui(out, out, 2);
    return true;
}

/* From just after one power of two to just after the next K doubles at least. Where it binds H(m+1) < t, and C(K, t) grows 2^t times, or K
 * times as many bits. */
static int pieces(const mpz_t *v, int i)
{
    return i == M && !mpz_cmp_ui(v[SUMS], SUMS_EXACT);
}

static void report(sheet *s, const mpz_t *v)
{
    mpz_t K, t, sent;
    mpz_inits(K, t, sent, NULL);
    int sums = (int)mpz_get_ui(v[SUMS]);
    bool binding = s->out->verdict == AT_BOUND_BINDS, any = sets_of(v, K, t);
    bits_sent(sent, v, sums);
    const char *sets = any ? sheet_text(s, "log2 C(%s, %s) = %.6g", sheet_int(s, K), sheet_int(s, t),
                                        number_log2_binomial(K, t))
                           : "0: no set is left";
    s->out->inequality =
        sheet_text(s, "%s = %s bits seen %s %s", sums == SUMS_IDEAL ? "H(m+1)p" : "H(m+1)(b+ceil(log2 M)-1)",
                   sheet_int(s, sent), binding ? "<" : ">=", sets);
    for (int k = SUMS_IDEAL; k <= SUMS_EXACT; k++) {
        bits_sent(sent, v, k);
        sheet_line(s, k == SUMS_IDEAL ? "seen, p-bit numbers" : "seen, exact sums", "%s bits: %s",
                   sheet_int(s, sent), binds_counted(v, k) ? "binds" : "does not bind");
    }
    sheet_line(s, "tokens", "1 at position 1, H fixed, one is asked for, the others show the set");
    s->out->meaning =
        binding
            ? sheet_text(s, "No layer with H = %s and m = %s answers Match3 on every input of this length.",
                         sheet_int(s, v[H]), sheet_int(s, v[m]))
            : "What position 1 sees may hold every set: nothing is ruled out.";
    mpz_clears(K, t, sent, NULL);
}

static at_bound_bits counts(const mpz_t *v)
{
    return message_counts(v, SUMS);
}

const limit limit_match3_sets = {.binds = binds,
                                 .counts = counts,
                                 .way = way,
                                 .top = top,
                                 .pieces = pieces,
                                 .least = m,
                                 .least_times = -1,
                                 .report = report};

const at_bound bound_match3_sets = {
    .id = "match3-sets",
    .title = "One attention layer that finds triples sees all sets of tokens in H(m+1) numbers",
    .source = "none; for the layers of Sanford, Hsu, Telgarsky 2023",
    .statement =
        "No softmax layer of H heads of width m at p bits answers Match3 at position 1 for every X in [M]^N "
        "when 2^(H(m+1)p) < C(K, t), K = floor(M/2)-1-H, t = min(N-2-H, floor(K/2)). With sums=exact "
        "p + e + ceil(log2 M) - 1 stands for p. N >= 3.",
    .constant = "none is hidden",
    .params = params,
    .n_params = COUNT(params),
    .unit = "width of a head",
    .size = "N",
    .compute = bound_compute,
    .construction = "match3-threewise",
    .construction_params = "N=%d",
    .construction_size = "head width",
    .construction_note = "three-wise attention",
};
