/* BOUND qsa-fnn-hard: a feed-forward net that averages must have a first layer as wide as its input.
 *
 * Source: Sanford, Hsu, Telgarsky 2023: width >= N d'/2 for an error of 1/(2q), q < N/2. The proof below, which the refuter
 * runs, gives all of N d' and needs q < N only (docs/bounds.md):
 *   1. The first layer is W z + (what depends on the subsets y) with W of width x N d'. Below N d' there is v != 0 with Wv = 0, whatever y
 *      is; scale it so that the longest v_j has length 1. z = v and z = -v are inputs, with equal outputs.
 *   2. Their targets differ by 2/q |sum of v_j over y|. If that sum were at most 1/2 for all q-subsets, exchanging j* (the longest)
 *      for any j would show |v_j* - v_j| <= 1, so <v_j, v_j*> >= 0 for all j, and a y with j* in it has a sum of at least 1.
 *   3. So some y has targets more than 1/q apart: one of the two errs by more than 1/(2q). */
#include "bound_internal.h"

enum { N, d, q, width };
static const at_param params[] = {
    {"N", "length", 2, BOUND_MOST, 20, true},
    {"d", "dimension of the vectors", 1, BOUND_MOST, 4, true},
    {"q", "vectors averaged, below N", 1, BOUND_MOST, 3, true},
    {"width", "of the first layer", 1, BOUND_MOST, 64, true},
};

static bool binds(const mpz_t *v)
{
    mpz_t t;
    mpz_init(t);
    mpz_mul(t, v[N], v[d]);
    bool out = mpz_cmp(v[width], t) < 0 && mpz_cmp(v[q], v[N]) < 0;
    mpz_clear(t);
    return out;
}

static limit_way way(const mpz_t *v, int i)
{
    (void)v;
    return i == N || i == d ? LIMIT_RISES : LIMIT_FALLS;
}

static at_status check(const at_params *ps, const mpz_t *v, at_err *err)
{
    if (mpz_cmp(v[q], v[N]) < 0)
        return AT_OK;
    return at_fail(err, AT_EDOMAIN, "the theorem wants q < N, and q=%.0f N=%.0f", at_params_get(ps, "q"),
                   at_params_get(ps, "N"));
}

static void report(sheet *s, const mpz_t *v)
{
    mpz_t t;
    mpz_init(t);
    bool binding = s->out->verdict == AT_BOUND_BINDS;
    mpz_mul(t, v[N], v[d]);
    s->out->inequality = sheet_text(s, "width = %s %s N d = %s", sheet_int(s, v[width]),
                                    binding ? "<" : ">=", sheet_int(s, t));
    mpz_sub(t, t, v[width]);
    if (binding)
        sheet_line(s, "null space", "at least %s dimensions", sheet_int(s, t));
    mpz_mul(t, v[N], v[d]);
    mpz_cdiv_q_2exp(t, t, 1);
    sheet_line(s, "the source", "width >= N d/2: %s",
               mpz_cmp(v[width], t) < 0 ? "binds too" : "does not bind");
    sheet_line(s, "tolerance", "1/(2q) = 1/%s", (mpz_mul_2exp(t, v[q], 1), sheet_int(s, t)));
    s->out->meaning =
        binding ? sheet_text(s,
                             "Two inputs with equal outputs and targets more than 1/q apart exist for every "
                             "net with a first layer of %s units (inputs are reals).",
                             sheet_int(s, v[width]))
                : "A first layer this wide may keep all of the input: nothing is ruled out.";
    mpz_clear(t);
}

static at_bound_bits counts(const mpz_t *v)
{
    (void)v;
    return AT_BITS_REALS;
}

const limit limit_qsa_fnn_hard = {.binds = binds,
                                  .counts = counts,
                                  .way = way,
                                  .least = width,
                                  .least_times = -1,
                                  .check = check,
                                  .report = report};

const at_bound bound_qsa_fnn_hard = {
    .id = "qsa-fnn-hard",
    .title = "A feed-forward net that averages needs a first layer of width N d",
    .source = "Sanford, Hsu, Telgarsky 2023",
    .statement = "No feed-forward net with a first layer narrower than N d averages q < N of N vectors in "
                 "the unit ball of R^d within 1/(2q).",
    .constant = "by the null space of the first layer, on real inputs; the source has N d/2 (q < N/2)",
    .params = params,
    .n_params = COUNT(params),
    .unit = "width of the first layer",
    .size = "N",
    .compute = bound_compute,
    .construction = "qsa-rip",
    .construction_params = "N=%d q=2",
    .construction_size = "width",
    .construction_note = "attention",
};
