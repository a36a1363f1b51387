/* BOUND qsa-radon: one self-attention unit that averages any q of N vectors needs width 2q, however precise its numbers are.
 *
 * Source: none; the points of qsa-moment (Sanford, Hsu, Telgarsky 2023) lie on a curve in 2q dimensions, and Radon's theorem says that no
 * others lie in fewer.
 * Hypotheses: keys do not depend on z (they may on the position and on y); the answer is the head's mean, without an MLP behind it; the value's
 * first coordinate rises by the same amount at every position when z_j goes from -e_1 to e_1; the error is below 1/(2q). Numbers are reals.
 * (Floats, too, where a score is rounded once. Here their products and sums are rounded one by one, and scores need not grow with the exact ones.)
 * Proof (docs/bounds.md):
 *   1. Let one asker's y vary among the other N-1 positions, all z = -e_1. When z_j becomes e_1, the answer must move by more than 1/q where j
 *      is in y and by less where it is not. So j in y has the larger weight and the larger score: a half-space of R^m cuts the q keys of y off
 *      from the N-1-q others, for every y.
 *   2. Radon: any m+2 points of R^m fall into two parts A, B whose hulls meet. If some y holds A and misses B, it is not cut off.
 *   3. The smaller part has at most (m+2)/2 points, the larger at most m+1: such a y exists when (m+2)/2 < q+1 and m+1 <= N-1-q. */
#include "qsa.h"

enum { q, N, m };
static const at_param params[] = {
    {"q", "vectors averaged", 1, BOUND_MOST, 4, true},
    {"N", "length, at least 2q+1", 3, BOUND_MOST, 32, true},
    {"m", "width of the unit", 1, BOUND_MOST, 7, true},
};

/* min(2q, N-1-q) */
static void width_needed(mpz_t out, const mpz_t *v)
{
    mpz_t t;
    mpz_init(t);
    mpz_mul_2exp(out, v[q], 1);
    mpz_sub(t, v[N], v[q]);
    mpz_sub_ui(t, t, 1);
    if (mpz_cmp(t, out) < 0)
        mpz_set(out, t);
    mpz_clear(t);
}

static bool binds(const mpz_t *v)
{
    mpz_t least;
    mpz_init(least);
    width_needed(least, v);
    bool out = mpz_cmp(v[m], least) < 0 && qsa_long_enough(v[q], v[N]);
    mpz_clear(least);
    return out;
}

static limit_way way(const mpz_t *v, int i)
{
    (void)v;
    return i == m ? LIMIT_FALLS : LIMIT_RISES;
}

static bool top(const mpz_t *v, int i, mpz_t out)
{
    if (i == q) /* 2q and N-1-q meet there */
        mpz_fdiv_q_ui(out, v[N], 3);
    else { /* a longer input changes nothing */
        mpz_mul_ui(out, v[q], 3);
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
    mpz_t least, t;
    mpz_inits(least, t, NULL);
    width_needed(least, v);
    bool binding = s->out->verdict == AT_BOUND_BINDS;
    s->out->inequality = sheet_text(s, "m = %s %s min(2q, N-1-q) = %s", sheet_int(s, v[m]),
                                    binding ? "<" : ">=", sheet_int(s, least));
    mpz_add_ui(t, v[m], 2);
    sheet_line(s, "Radon", "of any %s keys two parts have hulls that meet", sheet_int(s, t));
    sheet_line(s, "hypotheses",
               "keys do not depend on z, no MLP behind the head, values rise alike at all positions");
    s->out->meaning = binding ? sheet_text(s,
                                           "No self-attention unit of width %s over the reals averages every "
                                           "%s vectors within 1/(2q).",
                                           sheet_int(s, v[m]), sheet_int(s, v[q]))
                              : "Half-spaces may cut off every q of the keys: nothing is ruled out.";
    mpz_clears(least, t, NULL);
}

static at_bound_bits counts(const mpz_t *v)
{
    (void)v;
    return AT_BITS_REALS;
}

const limit limit_qsa_radon = {.binds = binds,
                               .counts = counts,
                               .way = way,
                               .top = top,
                               .least = m,
                               .least_times = -1,
                               .check = check,
                               .report = report};

const at_bound bound_qsa_radon = {
    .id = "qsa-radon",
    .title = "A self-attention unit whose keys do not see the vectors averages q of them in width 2q only",
    .source = "Radon 1921, applied to the averages of Sanford, Hsu, Telgarsky 2023",
    .statement =
        "No self-attention unit of width m < min(2q, N-1-q) averages q of N >= 2q+1 vectors within "
        "1/(2q), over the reals, when its keys do not depend on the vectors, no MLP follows, and values "
        "rise alike at all positions: 2q from N = 3q+1 on.",
    .constant = "none is hidden; tight from N = 3q+1 on (qsa-moment)",
    .params = params,
    .n_params = COUNT(params),
    .unit = "width of the unit",
    .size = "q",
    .compute = bound_compute,
    .construction = "qsa-moment",
    .construction_params = "N=16 q=%d",
    .construction_size = "head width",
};
