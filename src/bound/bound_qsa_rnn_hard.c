/* BOUND qsa-rnn-hard: a recurrent net that averages must remember everything.
 *
 * Source: Sanford, Hsu, Telgarsky 2023: at least (N-1)/2 bits of state (q = 1, d' = 1). The proof below, which the refuter runs, gives
 * all of N - 1 and any q <= N - 2 (docs/bounds.md):
 *   1. The first N-1 vectors are +-1, 2^(N-1) prefixes. With fewer than N-1 bits two of them end in the same state.
 *   2. They differ, so some q-subset y of 1..N-1 has different sums: if all were equal, exchanging one element would show that the
 *      difference is the same everywhere, and then a sum differs by q times it.
 *   3. Asked for y at position N both have the same output; sums of q signs that differ do so by 2 or more, so the targets are at least
 *      2/q apart, and one of them errs by 1/q or more. */
#include "bound_internal.h"

enum { N, q, bits };
static const at_param params[] = {
    {"N", "length", 3, BOUND_MOST, 20, true},
    {"q", "vectors averaged, at most N-2", 1, BOUND_MOST, 1, true},
    {"bits", "of state", 1, BOUND_MOST, 16, true},
};

static bool fits(const mpz_t *v)
{
    mpz_t t;
    mpz_init(t);
    mpz_add_ui(t, v[q], 2);
    bool out = mpz_cmp(t, v[N]) <= 0;
    mpz_clear(t);
    return out;
}

static bool binds(const mpz_t *v)
{
    mpz_t t;
    mpz_init(t);
    mpz_sub_ui(t, v[N], 1);
    bool out = mpz_cmp(v[bits], t) < 0;
    mpz_clear(t);
    return out && fits(v);
}

static limit_way way(const mpz_t *v, int i)
{
    (void)v;
    return i == N ? LIMIT_RISES : LIMIT_FALLS;
}

static at_status check(const at_params *ps, const mpz_t *v, at_err *err)
{
    if (fits(v))
        return AT_OK;
    return at_fail(err, AT_EDOMAIN, "the theorem wants q <= N-2, and q=%.0f N=%.0f", at_params_get(ps, "q"),
                   at_params_get(ps, "N"));
}

static void report(sheet *s, const mpz_t *v)
{
    mpz_t t;
    mpz_init(t);
    bool binding = s->out->verdict == AT_BOUND_BINDS;
    mpz_sub_ui(t, v[N], 1);
    s->out->inequality =
        sheet_text(s, "bits = %s %s N-1 = %s", sheet_int(s, v[bits]), binding ? "<" : ">=", sheet_int(s, t));
    mpz_cdiv_q_2exp(t, t, 1);
    sheet_line(s, "the source", "bits >= (N-1)/2: %s",
               mpz_cmp(v[bits], t) < 0 ? "binds too" : "does not bind");
    sheet_line(s, "birthdays", "about 2^%.1f random prefixes until two end in the same state",
               mpz_get_d(v[bits]) / 2);
    s->out->meaning = binding ? sheet_text(s,
                                           "Two prefixes end in the same state of %s bits, and a subset "
                                           "asked for afterwards tells them apart.",
                                           sheet_int(s, v[bits]))
                              : "The state may hold the sign of every vector: nothing is ruled out.";
    mpz_clear(t);
}

static at_bound_bits counts(const mpz_t *v)
{
    (void)v;
    return AT_BITS_STATE;
}

const limit limit_qsa_rnn_hard = {.binds = binds,
                                  .counts = counts,
                                  .way = way,
                                  .least = bits,
                                  .least_times = -1,
                                  .check = check,
                                  .report = report};

const at_bound bound_qsa_rnn_hard = {
    .id = "qsa-rnn-hard",
    .title = "A recurrent net that averages needs N-1 bits of state",
    .source = "Sanford, Hsu, Telgarsky 2023",
    .statement = "No recurrent net with fewer than N-1 bits of state, read left to right, averages q <= N-2 "
                 "of N numbers in -1..1 with an error "
                 "below 1/q.",
    .constant = "by counting states; the source has (N-1)/2",
    .params = params,
    .n_params = COUNT(params),
    .unit = "bits of state",
    .size = "N",
    .compute = bound_compute,
};
