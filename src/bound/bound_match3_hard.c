/* BOUND match3-hard: one attention layer that finds triples needs heads as large as the input is long.
 *
 * Source: Sanford, Hsu, Telgarsky 2023 (Theorem on Match3): no single multi-headed layer with m <= cN/(pH log log N).
 * Proof with its constants (docs/bounds.md):
 *   1. x_1 = 1; Alice's n tokens are 4i where a_i = 1, else 2; Bob's are M-1-4i where b_i = 1, else 2; all others are 2. For
 *      M >= 8n + 2, position 1 has a partner pair iff a_i = b_i = 1 for some i. So n = min(floor((N-1)/2), floor((M-2)/8)) bits.
 *   2. Both know the query x_1. Alice sends, a head, m numerators and a denominator; Bob adds his own and decides.
 *   3. Any protocol that ends with one of them knowing the answer sends at least n bits: 2^n pairs (a, not a) lie in different
 *      rectangles, and some rectangle holds a pair that meets, so n + 1 bits are needed until both know it. */
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

static void bits_have(mpz_t n, const mpz_t *v)
{
    mpz_t t;
    mpz_init(t);
    mpz_sub_ui(n, v[N], 1);
    mpz_fdiv_q_2exp(n, n, 1);
    mpz_sub_ui(t, v[M], 2);
    mpz_fdiv_q_2exp(t, t, 3);
    if (mpz_cmp(t, n) < 0)
        mpz_set(n, t);
    mpz_clear(t);
}

/* IDEAL: H(m+1)p. EXACT: H((m+1)A + 2b): the maxima of both go first. */
static void bits_sent(mpz_t s, const mpz_t *v, int sums)
{
    mpz_t t;
    mpz_init(t);
    mpz_add_ui(s, v[m], 1);
    if (sums == SUMS_IDEAL)
        mpz_mul(s, s, v[p]);
    else {
        message_sum(t, v[p], v[e], v[N]);
        mpz_mul(s, s, t);
        message_float(t, v[p], v[e]);
        mpz_addmul_ui(s, t, 2);
    }
    mpz_mul(s, s, v[H]);
    mpz_clear(t);
}

static bool binds_counted(const mpz_t *v, int sums)
{
    mpz_t have, sent;
    mpz_inits(have, sent, NULL);
    bits_have(have, v);
    bits_sent(sent, v, sums);
    bool out = mpz_cmp(sent, have) < 0;
    mpz_clears(have, sent, NULL);
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

/* Beyond what the other of N and M allows there are no more bits. */
static bool top(const mpz_t *v, int i, mpz_t out)
{
    if (i == N) {
        mpz_sub_ui(out, v[M], 2);
        mpz_fdiv_q_2exp(out, out, 3);
        mpz_mul_2exp(out, out, 1);
        mpz_add_ui(out, out, 1);
    } else {
        mpz_sub_ui(out, v[N], 1);
        mpz_fdiv_q_2exp(out, out, 1);
        mpz_mul_2exp(out, out, 3);
        mpz_add_ui(out, out, 2);
    }
    return true;
}

static int pieces(const mpz_t *v, int i)
{
    return i == N && !mpz_cmp_ui(v[SUMS], SUMS_EXACT);
}

static void report(sheet *s, const mpz_t *v)
{
    mpz_t have, sent, t;
    mpz_inits(have, sent, t, NULL);
    bits_have(have, v);
    int sums = (int)mpz_get_ui(v[SUMS]);
    const char *n = sheet_int(s, have);
    bool binding = s->out->verdict == AT_BOUND_BINDS;
    for (int k = SUMS_IDEAL; k <= SUMS_EXACT; k++) {
        bits_sent(sent, v, k);
        const char *bits = sheet_int(s, sent);
        if (k == sums)
            s->out->inequality =
                sheet_text(s, "%s = %s bits sent %s n = min(floor((N-1)/2), floor((M-2)/8)) = %s bits needed",
                           k == SUMS_IDEAL ? "H(m+1)p" : "H((m+1)A+2b)", bits, binding ? "<" : ">=", n);
        sheet_line(s, k == SUMS_IDEAL ? "sent, p-bit numbers" : "sent, exact sums", "%s bits: %s", bits,
                   binds_counted(v, k) ? "binds" : "does not bind");
    }
    message_sum(t, v[p], v[e], v[N]);
    sheet_line(s, "A, an exact sum", "%s bits = 2p + ceil(log2 N) + 3*2^(e-1) - 5", sheet_int(s, t));
    mpz_add_ui(t, v[N], 1);
    sheet_line(s, "source: M >= N+1", "%s; the gadget needs M >= 8n+2 instead",
               mpz_cmp(v[M], t) >= 0 ? "holds" : "does not hold");
    s->out->meaning =
        binding
            ? sheet_text(s, "No layer with H = %s and m = %s answers Match3 on every input of this length.",
                         sheet_int(s, v[H]), sheet_int(s, v[m]))
            : "The message is long enough to hold all of Alice's bits: nothing is ruled out.";
    mpz_clears(have, sent, t, NULL);
}

static at_bound_bits counts(const mpz_t *v)
{
    return message_counts(v, SUMS);
}

const limit limit_match3_hard = {.binds = binds,
                                 .counts = counts,
                                 .way = way,
                                 .top = top,
                                 .pieces = pieces,
                                 .least = m,
                                 .least_times = -1,
                                 .report = report};

const at_bound bound_match3_hard = {
    .id = "match3-hard",
    .title = "One attention layer cannot find triples unless H m p grows like N",
    .source = "Sanford, Hsu, Telgarsky 2023",
    .statement = "No layer of H heads of width m at p bits answers Match3 at position 1 for every X in [M]^N "
                 "when H(m+1)p < "
                 "min(floor((N-1)/2), floor((M-2)/8)). N >= 3.",
    .constant = "from set disjointness: n bits against (m+1) numbers a head; the source has cN/log log N "
                "with c hidden",
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
