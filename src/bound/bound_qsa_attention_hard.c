/* BOUND qsa-attention-hard: one self-attention unit that averages q vectors needs width like q/p.
 *
 * Source: Sanford, Hsu, Telgarsky 2023: m <= cq/p is not enough, for N >= 2q + 1.
 * Proof with its constants (docs/bounds.md):
 *   1. Alice's y at position 2q+1 holds 2i-1 where a_i = 1, else 2i; Bob's z_j is e_1 where j = 2i-1 and b_i = 1, else -e_1. The average is
 *      -e_1 where a and b are disjoint, else at least 2/q away: an error of 1/(2q) tells them apart.
 *   2. Only position 2q+1 depends on Alice: she sends its query (m numbers), the score that it gives to its own key, and the first
 *      coordinate of its own value. Bob does the rest: m + 2 numbers.
 *   3. 2^q strings a need different messages: where two agree, b = e_i for an i where they differ has two answers. */
#include "qsa.h"

enum { q, N, m, p, e, SUMS };
static const at_param params[] = {
    {"q", "vectors averaged", 1, BOUND_MOST, 512, true},
    {"N", "length, at least 2q+1", 3, BOUND_MOST, 2048, true},
    {"m", "width of the unit", 1, BOUND_MOST, 16, true},
    {"p", "bits of a mantissa", 1, BOUND_MOST, 16, true},
    {"e", "bits of an exponent (sums=exact)", 3, 64, 8, true},
    BOUND_PARAM_SUMS,
};

static void bits_sent(mpz_t s, const mpz_t *v, int sums)
{
    mpz_t b;
    mpz_init_set(b, v[p]);
    if (sums == SUMS_EXACT)
        message_float(b, v[p], v[e]);
    mpz_add_ui(s, v[m], 2);
    mpz_mul(s, s, b);
    mpz_clear(b);
}

static bool binds_counted(const mpz_t *v, int sums)
{
    mpz_t sent;
    mpz_init(sent);
    bits_sent(sent, v, sums);
    bool out = mpz_cmp(sent, v[q]) < 0;
    mpz_clear(sent);
    return out && qsa_long_enough(v[q], v[N]);
}

static bool binds(const mpz_t *v)
{
    return binds_counted(v, (int)mpz_get_ui(v[SUMS]));
}

static limit_way way(const mpz_t *v, int i)
{
    return message_way(v, i, SUMS, e, i == q || i == N);
}

static bool top(const mpz_t *v, int i, mpz_t out)
{
    if (i == q) { /* more do not fit into N */
        mpz_sub_ui(out, v[N], 1);
        mpz_fdiv_q_2exp(out, out, 1);
    } else { /* a longer input changes nothing */
        mpz_mul_2exp(out, v[q], 1);
        mpz_add_ui(out, out, 1);
    }
    return true;
}

static at_status check(const at_params *ps, const mpz_t *v, at_err *err)
{
    (void)ps;
    return qsa_check(v[q], v[N], err);
}

static void report(sheet *s, const mpz_t *v)
{
    mpz_t sent;
    mpz_init(sent);
    int sums = (int)mpz_get_ui(v[SUMS]);
    bool binding = s->out->verdict == AT_BOUND_BINDS;
    for (int c = SUMS_IDEAL; c <= SUMS_EXACT; c++) {
        bits_sent(sent, v, c);
        const char *bits = sheet_int(s, sent);
        if (c == sums)
            s->out->inequality = sheet_text(s, "%s = %s bits sent %s q = %s bits needed",
                                            c == SUMS_IDEAL ? "(m+2)p" : "(m+2)(p+e)", bits,
                                            binding ? "<" : ">=", sheet_int(s, v[q]));
        sheet_line(s, c == SUMS_IDEAL ? "sent, p-bit numbers" : "sent, floats", "%s bits: %s", bits,
                   binds_counted(v, c) ? "binds" : "does not bind");
    }
    s->out->meaning =
        binding ? sheet_text(s, "No self-attention unit of width %s averages every %s vectors within 1/(2q).",
                             sheet_int(s, v[m]), sheet_int(s, v[q]))
                : "The message is long enough to hold all of Alice's bits: nothing is ruled out.";
    mpz_clear(sent);
}

static at_bound_bits counts(const mpz_t *v)
{
    /* no sum is sent */
    return mpz_cmp_ui(v[SUMS], SUMS_EXACT) ? AT_BITS_SOURCE : AT_BITS_FLOATS;
}

const limit limit_qsa_attention_hard = {.binds = binds,
                                        .counts = counts,
                                        .way = way,
                                        .top = top,
                                        .least = m,
                                        .least_times = -1,
                                        .check = check,
                                        .report = report};

const at_bound bound_qsa_attention_hard = {
    .id = "qsa-attention-hard",
    .title = "A self-attention unit that averages q vectors needs width q/p",
    .source = "Sanford, Hsu, Telgarsky 2023",
    .statement = "No self-attention unit of width m at p bits averages q of N >= 2q+1 vectors within 1/(2q) "
                 "when (m+2)p < q.",
    .constant = "from disjointness of q bits against m+2 numbers; the source has cq with c hidden",
    .params = params,
    .n_params = COUNT(params),
    .unit = "width of the unit",
    .size = "q",
    .compute = bound_compute,
    .construction = "qsa-rip",
    .construction_params = "N=12 q=%d",
    .construction_size = "head width",
};
