/* BOUND triangle: a transformer that finds directed triangles needs D H m to grow with the graph.
 *
 * Source: Sanford, Hsu, Telgarsky 2023 (TriIDGraph): D H m >= Omega(N / log N).
 * Proof with its constants (docs/bounds.md): N = 3k nodes u_j, v_l, w_j.
 *   1. Edges u_j -> v_l iff a_jl (Alice), v_l -> w_j iff b_jl (Bob), w_j -> u_j always: there is a triangle iff a_jl = b_jl = 1 for some
 *      j, l. That is disjointness of k^2 bits.
 *   2. A token is a node with its row of the matrix. Alice simulates u and w (the rows of w are known to both), Bob v. In each
 *      layer the owner of a node sends its query (m numbers a head), the other returns m numerators and a denominator: D N H
 *      (m + m + 1) numbers in all. Every triangle has a node u, so Alice knows the answer.
 *   3. As in match3-hard, that takes at least k^2 bits. */
#include "bound_internal.h"

enum { k, D, H, m, p, e, SUMS };
static const at_param params[] = {
    {"k", "a third of the nodes: N = 3k", 1, BOUND_MOST, 4096, true},
    {"D", "layers", 1, BOUND_MOST, 2, true},
    {"H", "heads a layer", 1, BOUND_MOST, 2, true},
    {"m", "width of a head", 1, BOUND_MOST, 4, true},
    {"p", "bits of a mantissa", 1, BOUND_MOST, 16, true},
    {"e", "bits of an exponent (sums=exact)", 3, 64, 8, true},
    BOUND_PARAM_SUMS,
};

/* IDEAL: D N H (2m+1) p. EXACT: D N H (m b + (m+1) A + 2b). */
static void bits_sent(mpz_t s, const mpz_t *v, int sums)
{
    mpz_t t, nodes, b;
    mpz_inits(t, nodes, b, NULL);
    mpz_mul_ui(nodes, v[k], 3);
    if (sums == SUMS_IDEAL) {
        mpz_mul_2exp(s, v[m], 1);
        mpz_add_ui(s, s, 1);
        mpz_mul(s, s, v[p]);
    } else {
        message_sum(t, v[p], v[e], nodes);
        mpz_add_ui(s, v[m], 1);
        mpz_mul(s, s, t);
        message_float(b, v[p], v[e]);
        mpz_add_ui(t, v[m], 2);
        mpz_addmul(s, t, b);
    }
    mpz_mul(s, s, v[H]);
    mpz_mul(s, s, v[D]);
    mpz_mul(s, s, nodes);
    mpz_clears(t, nodes, b, NULL);
}

static bool binds_counted(const mpz_t *v, int sums)
{
    mpz_t have, sent;
    mpz_inits(have, sent, NULL);
    mpz_mul(have, v[k], v[k]);
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
    return message_way(v, i, SUMS, e, i == k);
}

/* Binding means k > 3DH(...): just after a break the right side has grown by 3DH(m+1) since the last, and k has doubled. */
static int pieces(const mpz_t *v, int i)
{
    return i == k && !mpz_cmp_ui(v[SUMS], SUMS_EXACT) ? 3 : 0;
}

static void report(sheet *s, const mpz_t *v)
{
    mpz_t have, sent, t;
    mpz_inits(have, sent, t, NULL);
    mpz_mul(have, v[k], v[k]);
    int sums = (int)mpz_get_ui(v[SUMS]);
    bool binding = s->out->verdict == AT_BOUND_BINDS;
    for (int c = SUMS_IDEAL; c <= SUMS_EXACT; c++) {
        bits_sent(sent, v, c);
        const char *bits = sheet_int(s, sent);
        if (c == sums)
            s->out->inequality = sheet_text(s, "%s = %s bits sent %s k^2 = %s bits needed",
                                            c == SUMS_IDEAL ? "D N H (2m+1) p" : "D N H (mb+(m+1)A+2b)", bits,
                                            binding ? "<" : ">=", sheet_int(s, have));
        sheet_line(s, c == SUMS_IDEAL ? "sent, p-bit numbers" : "sent, exact sums", "%s bits: %s", bits,
                   binds_counted(v, c) ? "binds" : "does not bind");
    }
    mpz_mul_ui(t, v[k], 3);
    sheet_line(s, "nodes N", "%s", sheet_int(s, t));
    mpz_mul(t, v[D], v[H]);
    mpz_mul(t, t, v[m]);
    sheet_line(s, "D H m", "%s", sheet_int(s, t));
    s->out->meaning =
        binding ? sheet_text(s,
                             "No transformer with D = %s, H = %s and m = %s finds the triangles of every "
                             "graph of this size.",
                             sheet_int(s, v[D]), sheet_int(s, v[H]), sheet_int(s, v[m]))
                : "The simulation may send as many bits as the matrices hold: nothing is ruled out.";
    mpz_clears(have, sent, t, NULL);
}

static at_bound_bits counts(const mpz_t *v)
{
    return message_counts(v, SUMS);
}

const limit limit_triangle = {.binds = binds,
                              .counts = counts,
                              .way = way,
                              .pieces = pieces,
                              .least = m,
                              .least_times = -1,
                              .report = report};

const at_bound bound_triangle = {
    .id = "triangle",
    .title = "Finding directed triangles needs D H m to grow like N",
    .source = "Sanford, Hsu, Telgarsky 2023",
    .statement = "No D layers of H heads of width m at p bits say of every graph of N = 3k nodes (a row of "
                 "the matrix a token) which nodes "
                 "lie in a directed triangle, when D N H (2m+1) p < k^2.",
    .constant = "from disjointness of k^2 bits, sums aggregated by party; the source has N/log N with the "
                "constant hidden. For Match3 "
                "itself more layers are a conjecture",
    .params = params,
    .n_params = COUNT(params),
    .unit = "width of a head",
    .size = "k",
    .compute = bound_compute,
};
