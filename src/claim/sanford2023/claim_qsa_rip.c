/* CLAIM qsa-rip: one softmax head averages any q of N vectors, with width d + O(q log N).
 *
 * Source: Sanford, Hsu, Telgarsky 2023 (q-sparse averaging, Theorem 2); keys after Candes and Tao 2005.
 * Statement: inputs x_i = (z_i, y_i, i) with z_i in the unit ball of R^d and y_i a q-subset of 1..N. One
 * softmax head with keys of width m = O(q log N) outputs the mean of z_j over j in y_i, up to eps.
 *
 * Proof:
 *   1. u_j in {+-1/sqrt(m)}^m are drawn; for a subset S, w_S is the vector in their span with <w_S, u_i> = 1
 *      on S. Off S the values are at most o < 1: checked for every q-subset in exact integers (rip.c), and
 *      drawn again otherwise. That check is the certificate.
 *   2. Key u_j comes from a position table, query w_y from a table with C(N,q) rows, rounded to p bits.
 *   3. Scale alpha = ceil(ln(4N/eps) / (1-o)): keys outside y have weight at most eps/(4N) of one inside, so
 *      the head's mean differs from the mean over y by at most eps. */
#include "../shared/rip.h"

#include <math.h>

static const at_param params[] = {
    {"N", "length", 2, 1024, 16, true},
    {"q", "vectors averaged", 1, 4, 2, true},
    {"d", "dimension of the vectors", 1, 64, 2, true},
    {"m", "key width m' (0: 8 q ln N)", 0, 4096, 0, true},
    {"eps", "wanted error", 1e-6, 0.5, 0.01, false},
    {"p", "bits of the stored queries", 4, 53, 24, true},
    {"alpha", "scale in units of the derived one", 0.01, 4, 1, false},
};

#define MOST_OFF 0.95 /* off-support value accepted when drawing keys for a model */
#define DRAWS    200

static int key_width(const at_params *p)
{
    int m = at_params_int(p, "m");
    return m ? m : (int)ceil(8 * at_params_get(p, "q") * at_log(at_params_get(p, "N")));
}

/* Query rows w_y for every subset in the order of ranks, rounded to p bits: (C(N,q), m). */
static void queries_fill(const int8_t *sign, int N, int m, int q, int bits, double *w)
{
    at_pfmt f = at_pfmt_of((at_arith){AT_PBIT, bits, 10});
    int64_t rows = at_choose(N, q);
    for (int64_t r = 0; r < rows; r++) {
        int S[RIP_EXACT_MAX], g[RIP_EXACT_MAX * RIP_EXACT_MAX];
        at_subset_unrank(r, q, S);
        for (int a = 0; a < q; a++)
            for (int b = 0; b < q; b++)
                g[a * q + b] = rip_inner(sign + (int64_t)(S[a] - 1) * m, sign + (int64_t)(S[b] - 1) * m, m);
        rip_dual x;
        rip_dual_solve(g, q, &x);
        /* w = U_S (G/m)^-1 1 with columns sign/sqrt(m): each entry is sqrt(m) * sum sign*num/den. */
        for (int k = 0; k < m; k++) {
            int64_t v = 0;
            for (int a = 0; a < q; a++)
                v += sign[(int64_t)(S[a] - 1) * m + k] * x.num[a];
            w[r * m + k] = at_p_round(&f, sqrt(m) * ((double)v / (double)x.den));
        }
    }
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int N = at_params_int(p, "N"), q = at_params_int(p, "q"), d = at_params_int(p, "d"), m = key_width(p);
    double eps = at_params_get(p, "eps"), off = 1;
    if (q > N)
        return at_fail(err, AT_EDOMAIN, "q=%d: must be at most N=%d", q, N);
    int64_t rows = at_choose(N, q);
    if (rows * m > (int64_t)1 << 27)
        return at_fail(err, AT_EDOMAIN, "N=%d q=%d: a query table of %jd x %d numbers is above 2^27", N, q,
                       (intmax_t)rows, m);
    int8_t *sign = at_malloc((size_t)N * (size_t)m);
    double *u = at_calloc((size_t)N * (size_t)m, sizeof *u), *w = at_calloc((size_t)(rows * m), sizeof *w);
    at_program *P = at_program_new("qsa-rip", N);
    at_status s = sign && u && w && P ? AT_OK : at_oom(err);
    if (!s && !rip_find(N, m, q, MOST_OFF, DRAWS, 1, sign, &off)) /* step 1 */
        s = at_fail(err, AT_EDOMAIN,
                    "m=%d: no keys with off-support values below %g in %d draws; take a larger m", m,
                    MOST_OFF, DRAWS);
    if (!s) {
        for (int64_t k = 0; k < (int64_t)N * m; k++)
            u[k] = sign[k] / sqrt(m);
        queries_fill(sign, N, m, q, at_params_int(p, "p"), w);
        claim_average_emit(
            P, &(claim_average){N, q, d, m, u, w, /* step 2 */
                                at_params_get(p, "alpha") * ceil(at_log(4 * N / eps) / (1 - off)), /* 3 */
                                (1 - off) * (1 - 1e-6), eps});
    }
    at_free(sign);
    at_free(u);
    at_free(w);
    if (s)
        at_program_free(P);
    else
        *out = P;
    return s;
}

/* ---- how narrow can the keys be? --------------------------------------------------------------------------- */

#define SEARCH_DRAWS  16
#define SEARCH_WIDEST 8192 /* where rip.c's integers end */

/* The least m found such that some draw keeps every off-support value at or below limit. Feasibility is
 * not monotone in m, so this is the least found by doubling, bisection and a walk down, each certified; NAN
 * when there is none up to SEARCH_WIDEST. */
static at_status least_width(int N, int q, double limit, int threads, double *out, at_err *err)
{
    int lo = q, hi = 16;
    double off;
    int8_t *sign = at_malloc((size_t)N * SEARCH_WIDEST);
    if (!sign)
        return at_oom(err);
    bool found = false;
    while (!(found = rip_find(N, hi, q, limit, SEARCH_DRAWS, threads, sign, &off)) && hi < SEARCH_WIDEST &&
           !at_cancel_pending()) {
        lo = hi;
        hi = hi * 3 / 2 < SEARCH_WIDEST ? hi * 3 / 2 : SEARCH_WIDEST;
    }
    while (found && hi - lo > 1 && !at_cancel_pending()) {
        int mid = (lo + hi) / 2;
        if (rip_find(N, mid, q, limit, SEARCH_DRAWS, threads, sign, &off))
            hi = mid;
        else
            lo = mid;
    }
    for (int m = hi - 1; found && m > hi - 5 && m > q && !at_cancel_pending(); m--)
        if (rip_find(N, m, q, limit, 4 * SEARCH_DRAWS, threads, sign, &off))
            hi = m;
    at_free(sign);
    *out = found ? hi : NAN;
    return at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted") : AT_OK;
}

static at_status width_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c;
    int N = at_params_int(p, "N"), q = at_params_int(p, "q");
    out[0] = N;
    out[1] = q;
    out[4] = q * at_log(N);
    out[5] = N;
    at_status s = least_width(N, q, 0.5, threads, &out[2], err);
    return s ? s : least_width(N, q, 0.9, threads, &out[3], err);
}

#define INPUTS 60 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double N = at_params_get(p, "N"), q = at_params_get(p, "q");
    out[0] = N;
    out[1] = q;
    out[3] = at_log2(q / at_params_get(p, "eps") * at_log(N));
    return claim_least_precision(c, p, INPUTS, threads, &out[2], err);
}

static const at_claim_table tables[] = {
    {
        .id = "width",
        .title =
            "least certified key width m' with off-support values at most 0.5 and 0.9, over every q-subset",
        .columns =
            (const char *const[]){"N", "q", "m' (o=0.5)", "m' (o=0.9)", "q ln N", "one-hot keys", NULL},
        .x = "q ln N",
        .rows = (const char *const[]){"N=64 q=1", "N=256 q=1", "N=64 q=2", "N=32 q=3", "N=256 q=2",
                                      "N=64 q=3", "N=1024 q=1", "N=1024 q=2", "N=128 q=3", "N=181 q=3",
                                      "N=32 q=4", "N=71 q=4", NULL},
        .quick_rows = 4,
        .row = width_row,
    },
    {
        .id = "precision",
        .title = "least p from which on it holds, against N and q (eps = 0.1, " CLAIM_TEXT(
            INPUTS) " random and adversarial "
                    "inputs at each p)",
        .columns = (const char *const[]){"N", "q", "least p", "log2((q/eps) ln N)", NULL},
        .x = "N",
        .by = "q",
        .logx = true,
        .rows = (const char *const[]){"N=8 q=1 eps=0.1", "N=16 q=1 eps=0.1", "N=32 q=1 eps=0.1",
                                      "N=8 q=2 eps=0.1", "N=16 q=2 eps=0.1", "N=32 q=2 eps=0.1",
                                      "N=64 q=2 eps=0.1", "N=16 q=3 eps=0.1", "N=32 q=3 eps=0.1", NULL},
        .quick_rows = 5,
        .row = precision_row,
    },
};

static const at_cell cells[] = {
    {"N=64 q=3", NULL, AT_EV_EXACT, AT_ENUM_SUBSETS, "f64", 0, AT_TIER_QUICK, "N=31 q=3"},
    {"N=32 q=2", NULL, AT_EV_SAMPLED, 0, "f32", 20000, AT_TIER_QUICK, NULL},
    {"N=32 q=2", "alpha=0.2", AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},
};

const at_claim claim_qsa_rip = {
    .id = "qsa-rip",
    .title = "One softmax head averages any q of N vectors with keys of width O(q log N)",
    .source = "Sanford, Hsu, Telgarsky 2023 (q-sparse averaging); Candes, Tao 2005",
    .statement =
        "For all q <= N, d and eps, one softmax head with keys of width m' = O(q log N) outputs the mean of "
        "z_j over j in y_i up to eps, for every z in the unit ball and every q-subset y_i.",
    .proof =
        "Random signs u_j have, for every q-subset S, a w_S with <w_S,u_i> = 1 on S and at most o < 1 "
        "elsewhere "
        "(checked on every subset in integers); scale ln(4N/eps)/(1-o) leaves the rest eps/4 of the weight.",
    .task = "qsa",
    .tolerance = claim_eps,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "1/1,2 0.5/3,4 -1/1,6 0/2,5 0.25/4,6 -0.5/1,3",
    .look_params = "N=6 q=2 d=1 m=24",
};
