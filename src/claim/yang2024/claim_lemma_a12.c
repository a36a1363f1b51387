/* CLAIM lemma-a12 (sparse COPY): under a block-sparse mask two softmax layers fetch any earlier position.
 *
 * Source: Yang et al. 2024, lemma A.12, corrected (docs/errata.md).
 * Statement: with blocks of B, where position i sees the last B positions and the last one of every block, two softmax
 * layers of residual width O(B) with MLPs of O(B + N/B) units output x_t for t = t_i <= i up to eps, for all |x_j| <= M.
 *
 * Proof (at_copy_sparse):
 *   1. Position i writes x_i into slot (i-1) mod B of B slots and 0 into the others.
 *   2. Layer 1 scores -lambda (block_j - block_i)^2. At the last position of a block its B positions share the weight, so B
 *      times the mean holds the whole block, slot by slot. ("Uniform over the previous B" also meets the ends of older
 *      blocks, which the mask shows: control `uniform`.)
 *   3. Layer 2 attends by index to t if t > i - B, else to the end of its block, B ceil(t/B), which is then complete and
 *      seen; it takes the key's own value in the first case, and slot (t-1) mod B in the second. (Through the end in any
 *      case fails for blocks that are not complete: control `ends`.)
 * Slots are the price: with one less (control `fewer`) the last position of each block is lost. */
#include "../shared/claim_copy.h"

#include <math.h>

static const at_param params[] = {
    {"N", "length", 1, 1024, 12, true},
    {"B", "block size; 0: ceil(sqrt(N))", 0, 64, 0, true},
    COPY_VALUES,
    COPY_EPS,
    {"fewer", "slots that are missing", 0, 1, 0, true},
    {"uniform", "1: layer 1 averages over all that is seen", 0, 1, 0, true},
    {"ends", "1: layer 2 always takes the block's last position", 0, 1, 0, true},
    {"alpha", "scale of layer 2 in units of ln(8MB^2N/eps)", 0.01, 4, 1, false},
};

static int block_of(const at_params *p)
{
    int B = at_params_int(p, "B");
    return B ? B : (int)ceil(sqrt(at_params_get(p, "N")));
}

static double scale_of(const at_params *p)
{
    double B = block_of(p);
    return at_log(8 * at_params_get(p, "M") * B * B * at_params_get(p, "N") / at_params_get(p, "eps"));
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int N = at_params_int(p, "N"), B = block_of(p), S = B - at_params_int(p, "fewer");
    double M = at_params_get(p, "M"), eps = at_params_get(p, "eps");
    at_status s = claim_copy_domain(p, err);
    if (s)
        return s;
    if (S < 1)
        return at_fail(err, AT_EDOMAIN, "fewer=1: a block of 1 has no slot to spare");
    at_program *P = at_program_new("lemma-a12", N);
    if (!P)
        return at_oom(err);
    at_var x = at_reals(P, "x", 1, -M, M), t = at_ints(P, "t", 1, 1, N);
    at_copier *c =
        at_copier_new(P, &(at_copying){.length = N,
                                       .block = B,
                                       .error = eps / (2 * B), /* B slots add up in the bound, and layer 1 */
                                       .scale = at_params_get(p, "alpha") * scale_of(p),
                                       .slots = S,
                                       .uniform = at_params_int(p, "uniform"),
                                       .ends = at_params_int(p, "ends")});
    at_emit(P, AT_VEC(at_copy_sparse(c, "copy", t, AT_VEC(x), false)), AT_READ_RAW, 0);
    at_copier_free(c);
    *out = P;
    return AT_OK;
}

#define INPUTS 10 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double N = at_params_get(p, "N");
    out[0] = N;
    out[1] = block_of(p);
    out[3] = 2 * at_log2(N) + 2;
    out[5] = fmax(scale_of(p) + at_log(2), 2 * N); /* layer 1, and the MLPs that compare positions */
    return claim_precision_and_size(c, p, INPUTS, threads, &out[2], &out[4], err);
}

static const at_claim_table tables[] = {{
    COPY_PRECISION("L"),
    .columns = (const char *const[]){"L", "B", "least p", "2 log2 L + 2", "largest weight",
                                     "max(ln(16MB^2L/eps), 2L)", NULL},
    .rows = (const char *const[]){"N=9", "N=16", "N=36", "N=64", "N=100", NULL},
    .quick_rows = 2,
}};

static const at_cell cells[] = {
    {"N=100 B=10", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=450", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_FULL, NULL},
    {"N=100 B=5", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=100 B=33", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_FULL, NULL},
    {"N=100 B=10", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "f32", 0, AT_TIER_QUICK, NULL},
    {"N=36", NULL, AT_EV_EXACT, AT_ENUM_PAIRS, "p20", 0, AT_TIER_QUICK, NULL},
    {"N=100 B=10", NULL, AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},
    {"N=16 B=4", "uniform=1", AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=16 B=4", "ends=1", AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=16 B=4", "fewer=1", AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=16 B=4", "alpha=0.3", AT_EV_EXACT, AT_ENUM_PAIRS, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_lemma_a12 = {
    .id = "lemma-a12",
    .title = "Sparse COPY: blocks of B and width O(B) fetch any earlier position",
    .source = "Yang et al. 2024, lemma A.12",
    .statement = "Under the block-sparse mask with blocks of B, two softmax layers of width O(B), with MLPs "
                 "of O(B + N/B) units, "
                 "output x_t, t = t_i <= i, up to eps for all |x_j| <= M.",
    .proof = "The last position of a block gathers the block slot by slot; a target among the last B "
             "positions is fetched by "
             "index, an earlier one through the end of its block, by its slot.",
    .task = "copy",
    COPY_FIELDS,
    .look = "1/1 0/1 1/3 0/1 0/2 1/4 0/1 0/4 1/2 0/6",
    .look_params = "N=12 B=3",
};
