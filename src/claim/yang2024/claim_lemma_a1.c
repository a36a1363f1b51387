/* CLAIM lemma-a1: four GeLU units multiply two numbers.
 *
 * Source: Yang et al. 2024, Lemma A.1 (from Feng et al. 2023).
 * Statement: for every eps > 0 and M > 0 a two-layer MLP with 4 GeLU units and weights of size poly(M, 1/eps) computes
 * a b within eps, for all reals a, b in [-M, M].
 *
 * Proof, with G(u) = u Phi(u):
 *   1. G(u) + G(-u) = u erf(u/sqrt 2) lies between sqrt(2/pi) (u^2 - u^4/6) and sqrt(2/pi) u^2, since
 *      1 - t^2 <= exp(-t^2) <= 1 under the integral of erf.
 *   2. So sqrt(pi/2) L^2/4 (G(s) + G(-s) - G(d) - G(-d)), s = (a+b)/L, d = (a-b)/L, is ((a+b)^2 - (a-b)^2)/4 = a b
 *      up to (2M)^4/(24 L^2) = 2 M^4/(3 L^2), and not more.
 *   3. L = max(1, M^2 sqrt(2/(3 eps))) gives eps. The largest weight is 1/L <= 1 or sqrt(pi/2) L^2/4, which is
 *      0.209 M^4/eps when L > 1.
 *   4. The weights are stored as doubles: the factor of a b is off by some 2^-51, which is M^2 2^-51 of error. A
 *      thousandth of eps is kept for that, which is enough while M^2/eps < 10^12.
 * With p bits each unit is off by M/L 2^-p, which the outer weight makes M L 2^-p: the sum of both errors is least near
 * L = M 2^(p/3) (table `precision`). */
#include "../shared/lemma.h"

#include <math.h>

static const at_param params[] = {
    LEMMA_LENGTH,
    {"M", "bound on |a| and |b|", 1e-3, 1e6, 1, false},
    LEMMA_EPS(0.01),
    LEMMA_LAMBDA,
    {"p", "bits, in the table of precision only", 4, 53, 12, true},
};

/* Steps 3, 4: an error that makes L at least 1, for small M too, and room for the rounding of the weights. */
static double error_of(const at_params *p)
{
    double M = at_params_get(p, "M"), lambda = at_params_get(p, "lambda");
    return fmin(claim_eps(p) * 0.999, 2 * M * M * M * M / 3) / (lambda * lambda);
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    double M = at_params_get(p, "M");
    at_program *P = at_program_new("lemma-a1", at_params_int(p, "N"));
    if (!P)
        return at_oom(err);
    at_gelu(P, 1); /* no unit stands for a ReLU */
    at_var a = at_reals(P, "a", 1, -M, M), b = at_reals(P, "b", 1, -M, M);
    /* step 2: the assembler takes L from the error, by the inverse of its square root */
    at_var ab = at_times(P, "ab", a, b, error_of(p));
    at_emit(P, AT_VEC(ab), AT_READ_RAW, 0);
    *out = P;
    return AT_OK;
}

/* ---- certificate ----------------------------------------------------------------------------------------- */

static size_t boxes(const at_params *p)
{
    (void)p;
    return 1;
}

static void box(const at_params *p, size_t i, double *lo, double *hi)
{
    (void)i;
    lo[0] = lo[1] = -at_params_get(p, "M");
    hi[0] = hi[1] = at_params_get(p, "M");
}

static void answer(const at_params *p, size_t i, int r, double *c, double *g, double *H)
{
    (void)p;
    (void)i;
    (void)r;
    (void)c;
    (void)g;
    H[1] = H[2] = 1; /* a b = x'Hx/2 */
}

static const at_box certificate = {
    .text = "one box, [-M, M]^2; the answer is a b",
    .boxes = boxes,
    .box = box,
    .answer = answer,
};

/* ---- tables ------------------------------------------------------------------------------------------------ */

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double M = at_params_get(p, "M");
    return lemma_size_row(c, p, threads, "M", "eps", 4, fmax(1, M * M * M * M / claim_eps(p)), out, err);
}

#define GRID 32

/* The largest error on a grid of (GRID+1)^2 inputs, at p bits. */
static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)threads;
    double M = at_params_get(p, "M"), worst = 0;
    int bits = at_params_int(p, "p");
    double L = M * M * sqrt(2 / (3 * error_of(p)));
    at_model m;
    at_status s = at_claim_model(c, p, &m, err);
    if (s)
        return s;
    for (int k = 0; k < (GRID + 1) * (GRID + 1) && !s; k++) {
        double x[2] = {M * (2. * (k % (GRID + 1)) / GRID - 1), M * (2. * (k / (GRID + 1)) / GRID - 1)};
        at_arena a;
        at_arena_init(&a);
        at_input in = {1, x};
        at_output y;
        s = at_run(&m, (at_arith){AT_PBIT, bits, 10}, &in, NULL, &a, &y, err);
        if (!s)
            worst = fmax(worst, fabs(y.value[0] - x[0] * x[1]));
        at_arena_release(&a);
    }
    at_model_release(&m);
    out[0] = L;
    out[1] = bits;
    out[2] = worst;
    out[3] = 2 * M * M * M * M / (3 * L * L);
    out[4] = M * L * ldexp(1, -bits);
    out[5] = M * at_exp2(bits / 3.);
    return s;
}

/* M = 1 and a large eps make L the parameter lambda itself. */
#define AT_L(p, L) "N=1 M=1 eps=1 p=" #p " lambda=" #L

static const at_claim_table tables[] = {
    {
        .id = "size",
        .title = "weights and certified error against M and eps",
        .columns = LEMMA_COLUMNS("M", "eps"),
        .rows = (const char *const[]){"M=1 eps=0.1", "M=1 eps=0.01", "M=1 eps=0.001", "M=4 eps=0.01",
                                      "M=16 eps=0.01", "M=64 eps=0.01", "M=1 eps=1e-6", NULL},
        .quick_rows = 5,
        .row = size_row,
    },
    {
        .id = "precision",
        .title = "largest error on a grid at p bits against the scale L (M = 1); the best L is near 2^(p/3)",
        .columns = (const char *const[]){"L", "p", "error", "2M^4/(3L^2)", "M L 2^-p", "M 2^(p/3)", NULL},
        .x = "L",
        .by = "p",
        .plots = (const char *const[]){"error", NULL},
        .logx = true,
        .logy = true,
        .rows = (const char *const[]){AT_L(12, 2), AT_L(12, 4), AT_L(12, 8), AT_L(12, 16), AT_L(12, 32),
                                      AT_L(12, 64), AT_L(12, 128), AT_L(24, 16), AT_L(24, 64), AT_L(24, 128),
                                      AT_L(24, 256), AT_L(24, 512), AT_L(24, 1024), AT_L(24, 4096), NULL},
        .quick_rows = 7,
        .row = precision_row,
    },
};

static const at_cell cells[] = {
    {"M=1 eps=0.01", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"M=64 eps=0.001", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"M=1000 eps=1e-6", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_FULL, NULL},
    {"N=4 M=1 eps=0.01", NULL, AT_EV_SAMPLED, 0, "p16", 20000, AT_TIER_QUICK, NULL},
    {"M=1 eps=0.01", "lambda=0.9", AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"N=4 M=1 eps=0.01", "lambda=16", AT_EV_SAMPLED, 0, "p12", 20000, AT_TIER_QUICK, NULL},
};

const at_claim claim_lemma_a1 = {
    .id = "lemma-a1",
    .title = "Four GeLU units multiply two reals within eps",
    .source = LEMMA_SOURCE ", Lemma A.1",
    .statement = "For every eps > 0 and M > 0 a two-layer MLP with 4 GeLU units and weights of size at most "
                 "poly(M, 1/eps) computes a b within eps, for all reals a, b in [-M, M].",
    .proof =
        "G(u)+G(-u) = u erf(u/sqrt 2) is sqrt(2/pi) u^2 up to u^4/6 of it; the difference at u = (a+b)/L and "
        "(a-b)/L, times sqrt(pi/2) L^2/4, is a b within 2M^4/(3L^2).",
    .task = "product",
    LEMMA_FIELDS,
    .look = "0.5/-0.25 1/1 -1/0.75",
    .look_params = "N=3 M=1",
};
