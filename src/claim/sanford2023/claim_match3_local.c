/* CLAIM match3-local: depth 1 and width O(K log N) find triples whose partners are within K.
 *
 * Source: Sanford, Hsu, Telgarsky 2023 (Match3Local). keys=powers is ours.
 * Statement: one softmax head with keys of width m' = O(K log N) and an output MLP compute
 * y_i = 1{exists j1, j2 with |i-j1|, |i-j2| <= K: x_i + x_j1 + x_j2 = 0 mod M}.
 * With keys=powers the width is 2K+2, whatever N, at the price of precision.
 *
 * Proof:
 *   1. K blanks stand on each side, so every window has 2K+1 positions. Keys u_t of random signs are drawn
 *      such that for each of the N windows the vector w with <w, u_t> = 1 on it is at most o < 1 elsewhere
 *      (checked on every window); query w_i and key u_j come from the position table.
 *   2. Position j writes x_j + 2M into slot j mod (2K+1) and 0 into the others; blanks write 0. Slots of a
 *      window are all different, so 2K+1 times the mean is x_j + 2M in each slot, or 0 where a blank was.
 *   3. The scale makes the error of 2K+1 times the mean at most 1/16; minus 2M, an absent slot reads -2M.
 *   1'. keys=powers: with t the distance from i, P(t) = t^2 (t^2 - 1)(t^2 - 4)...(t^2 - K^2) is 0 on the window, and at other
 *      integers at least P(K+1) >= 12, since it is even and each factor rises. Its degree is 2K+2, so -P(j - i) without the
 *      constant, which softmax ignores, is a query of i times the powers 1..2K+2 of j - T/2. It is refused where these
 *      integers, added up, are not exact in f64: it takes about (2K+2) log2 N bits.
 *   4. For every pair of slots a <= b (a = b is allowed: j1 = j2) a trapezoid recognises x_i + s_a + s_b in
 *      {0, M, 2M}; a sum with an absent slot is negative. The output is 1 iff some trapezoid fires. */
#include "../shared/rip.h"

#include <math.h>
#include <stdio.h>

static const char *const keys[] = {"signs", "powers", NULL};
enum { SIGNS, POWERS };
static const at_param params[] = {
    {"N", "length", 1, 1024, 7, true},
    {"M", "modulus", 2, 1024, 5, true},
    {"K", "reach of the window", 1, 8, 1, true},
    {"alpha", "scale in units of the derived one", 0.01, 4, 1, false},
    {"keys", "what finds a window", 0, COUNT(keys) - 2, SIGNS, true, keys},
    {"fewer", "coordinates fewer of a key", 0, 1, 0, true},
};

#define MOST_SLOTS 17 /* 2K+1 for K = 8 */
#define MOST_OFF   0.9
#define DRAWS      50

/* w (m) with <w, u_t> = 1 for the window's 2K+1 signs: normal equations, Cholesky. */
static bool window_query(const int8_t *sign, int m, int first, int q, double *w)
{
    double G[MOST_SLOTS][MOST_SLOTS], x[MOST_SLOTS];
    for (int a = 0; a < q; a++)
        for (int b = 0; b <= a; b++)
            G[a][b] =
                (double)rip_inner(sign + (int64_t)(first + a) * m, sign + (int64_t)(first + b) * m, m) / m;
    for (int a = 0; a < q; a++) {
        for (int b = 0; b <= a; b++) {
            double s = G[a][b];
            for (int k = 0; k < b; k++)
                s -= G[a][k] * G[b][k];
            if (a == b && s <= 1e-9)
                return false;
            G[a][b] = a == b ? sqrt(s) : s / G[b][b];
        }
    }
    for (int a = 0; a < q; a++) {
        x[a] = 1;
        for (int k = 0; k < a; k++)
            x[a] -= G[a][k] * x[k];
        x[a] /= G[a][a];
    }
    for (int a = q - 1; a >= 0; a--) {
        for (int k = a + 1; k < q; k++)
            x[a] -= G[k][a] * x[k];
        x[a] /= G[a][a];
    }
    for (int k = 0; k < m; k++) {
        w[k] = 0;
        for (int a = 0; a < q; a++)
            w[k] += sign[(int64_t)(first + a) * m + k] * x[a] / sqrt(m);
    }
    return true;
}

/* Fills keys and queries (T, m) for one draw; the largest off-window value, over all windows. */
static double draw_windows(int8_t *sign, int T, int K, int m, uint64_t seed, double *u, double *w)
{
    int q = 2 * K + 1;
    double off = 0;
    rip_draw(T, m, seed, sign);
    for (int64_t k = 0; k < (int64_t)T * m; k++)
        u[k] = sign[k] / sqrt(m);
    for (int t = K; t < T - K; t++) {
        double *wt = w + (int64_t)t * m;
        if (!window_query(sign, m, t - K, q, wt))
            return INFINITY;
        for (int s = 0; s < T; s++) {
            double v = 0;
            for (int k = 0; k < m; k++)
                v += wt[k] * u[(int64_t)s * m + k];
            bool inside = s >= t - K && s <= t + K;
            off = fmax(off, inside ? fabs(v - 1) > 1e-9 ? INFINITY : 0 : fabs(v));
        }
        if (off > MOST_OFF)
            return off;
    }
    return off;
}

/* Keys and queries (T, m) of random signs, and by how much scores off a window are lower. */
static at_status signs_find(const at_params *p, int m, double *u, double *w, double *gap, at_err *err)
{
    int N = at_params_int(p, "N"), K = at_params_int(p, "K"), T = N + 2 * K;
    int8_t *sign = at_malloc((size_t)T * (size_t)m);
    if (!sign)
        return at_oom(err);
    double off = INFINITY;
    for (uint64_t draw = 0; off > MOST_OFF && draw < DRAWS; draw++)
        off = draw_windows(sign, T, K, m, draw, u, w);
    at_free(sign);
    *gap = (1 - off) * (1 - 1e-6);
    return off > MOST_OFF
               ? at_fail(err, AT_EDOMAIN, "N=%d K=%d: no keys of width %d in %d draws", N, K, m, DRAWS)
               : AT_OK;
}

/* Step 1': the same of powers. Every sum of products is an integer, and exact below 2^53. */
static at_status powers_find(const at_params *p, int m, double *u, double *w, double *gap, at_err *err)
{
    int N = at_params_int(p, "N"), K = at_params_int(p, "K"), T = N + 2 * K;
    for (int t = 0; t < T; t++)
        for (int e = 0; e < m; e++)
            u[t * m + e] = at_pow(t - T / 2, e + 1);
    for (int t = K; t < T - K; t++) {
        double poly[2 * MOST_SLOTS] = {1}, most = 0;
        for (int k = 0; k < 2 * K + 2; k++) { /* the roots t - K..t + K, and t once more */
            double root = t - T / 2 + (k <= 2 * K ? k - K : 0);
            for (int e = k + 1; e >= 0; e--)
                poly[e] = (e ? poly[e - 1] : 0) - root * (e <= k ? poly[e] : 0);
        }
        for (int e = 0; e < m; e++) {
            w[t * m + e] = -poly[e + 1];
            most += fabs(poly[e + 1]) * at_pow(T / 2 + 1, e + 1);
        }
        if (!(most < 0x1p53))
            return at_fail(err, AT_EDOMAIN, "N=%d K=%d: the powers need more than 53 bits", N, K);
    }
    *gap = (K + 1.) * (K + 1);
    for (int d = 1; d <= K; d++)
        *gap *= (K + 1.) * (K + 1) - d * d;
    return AT_OK;
}

static void build(at_program *P, const at_params *p, int m, const double *u, const double *w, double gap)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M"), K = at_params_int(p, "K"), q = 2 * K + 1,
        T = N + 2 * K;
    at_prefix(P, K);
    at_suffix(P, K);
    at_var field = at_token(P, "x", M), x = at_number(P, "x", field);
    at_var key = at_position_rows(P, "u", m, u), query = at_position_rows(P, "w", m, w); /* step 1 */
    double flag[MOST_SLOTS];
    double *flags = at_calloc((size_t)T * (size_t)q, sizeof *flags),
           *seen = at_calloc((size_t)M, sizeof *seen);
    at_var *kv = at_calloc(2 * (size_t)m, sizeof *kv), *qv = kv + m, value[MOST_SLOTS], slot[MOST_SLOTS];
    if (!flags || !kv || !seen) {
        at_program_oom(P);
        goto out;
    }
    for (int t = 0; t < T; t++)
        flags[t * q + t % q] = 1;
    for (int v = 0; v < M; v++)
        seen[v] = 1;
    at_var mine = at_position_rows(P, "slot", q, flags);
    /* x + 2M at user positions and 0 at blanks: a second table of the token, so that blanks stay 0 */
    at_var held = at_sum(P, "held", AT_VEC(x, at_lookup(P, "seen", field, seen)), (double[]){1, 2. * M}, 0);
    for (int s = 0; s < q; s++) { /* step 2 */
        char name[32];
        snprintf(name, sizeof name, "put%d", s);
        value[s] = at_select(P, name, mine + s, held, at_const(P, 0));
        flag[s] = q;
    }
    for (int k = 0; k < m; k++) {
        kv[k] = key + k;
        qv[k] = query + k;
    }
    double error = 1 / (16. * q);
    at_var mean =
        at_attend(P, "mean", /* step 3 */
                  &(at_attention){.query = {m, qv},
                                  .key = {m, kv},
                                  .value = {q, value},
                                  .weighting = AT_SOFTMAX,
                                  .gap = gap,
                                  .scale = at_params_get(p, "alpha") * at_log(6. * M * T / error) / gap,
                                  .error = error});
    double centres[3] = {0, M, 2. * M};
    at_var hits[MOST_SLOTS * (MOST_SLOTS + 1) / 2];
    int n = 0;
    for (int s = 0; s < q; s++)
        slot[s] = at_sum(P, NULL, AT_VEC(mean + s), &flag[s], -2. * M);
    for (int a = 0; a < q; a++) /* step 4 */
        for (int b = a; b < q; b++) {
            char name[32];
            snprintf(name, sizeof name, "hit%d,%d", a, b);
            at_var sum = at_sum(P, NULL, AT_VEC(x, slot[a], slot[b]), NULL, 0);
            hits[n++] = at_near(P, name, sum, centres, 3, 0.25, 0.5);
        }
    at_emit(P, AT_VEC(at_sum(P, "hits", (at_vec){n, hits}, NULL, 0)), AT_READ_THRESHOLD, 0.5);
out:
    at_free(flags);
    at_free(seen);
    at_free(kv);
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int N = at_params_int(p, "N"), K = at_params_int(p, "K"), T = N + 2 * K;
    bool powers = at_params_int(p, "keys") == POWERS;
    int m = (powers ? 2 * K + 2 : (int)ceil(4 * (2 * K + 1) * at_log(T))) - at_params_int(p, "fewer");
    double *u = at_calloc((size_t)T * (size_t)m, sizeof *u), *w = at_calloc((size_t)T * (size_t)m, sizeof *w);
    at_program *P = at_program_new("match3-local", N);
    double gap;
    at_status s = u && w && P ? AT_OK : at_oom(err);
    if (!s)
        s = powers ? powers_find(p, m, u, w, &gap, err) : signs_find(p, m, u, w, &gap, err);
    if (!s)
        build(P, p, m, u, w, gap);
    at_free(u);
    at_free(w);
    if (s)
        at_program_free(P);
    else
        *out = P;
    return s;
}

static const at_cell cells[] = {
    {"N=7 M=5 K=1", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=6 M=5 K=1"},
    {"N=7 M=5 K=1 keys=powers", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=6 M=5 K=1 keys=powers"},
    {"N=128 M=101 K=4", NULL, AT_EV_SAMPLED, 0, "f64", 10000, AT_TIER_QUICK, NULL},
    {"N=512 M=101 K=1 keys=powers", NULL, AT_EV_SAMPLED, 0, "f64", 1000, AT_TIER_QUICK, NULL},
    {"N=6 M=5 K=1 keys=powers", "fewer=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=7 M=5 K=1", "alpha=0.1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_match3_local = {
    .id = "match3-local",
    .title = "One head with keys of width O(K log N) finds triples within a window of reach K",
    .source = "Sanford, Hsu, Telgarsky 2023 (Match3Local)",
    .statement =
        "For all N, M and K, one softmax head with keys of width O(K log N) and an output MLP computes "
        "y_i = 1{exists j1, j2 within K of i: x_i + x_j1 + x_j2 = 0 mod M} on every X in {0..M-1}^N; keys of "
        "width 2K+2 are enough where numbers have about (2K+2) log2 N bits.",
    .proof =
        "The head averages the 2K+1 positions of the window (keys as in qsa-rip), each in its slot j mod "
        "(2K+1), so "
        "that the MLP sees every x_j of the window and tries all pairs of slots with trapezoids at 0, M, 2M.",
    .task = "match3-local",
    CLAIM_FIELDS,
    .look = "1 2 4 0 3 3 1",
    .look_params = "N=7 M=5 K=1",
};
