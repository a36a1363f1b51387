/* BOUND triangle-row: a transformer that finds directed triangles must tell of one node's whole row.
 *
 * Source: none; the question of Sanford, Hsu, Telgarsky 2023 (TriIDGraph), and a cut around one node in place of a third of them.
 * Proof (docs/bounds.md):
 *   1. N = n+2 nodes u, v, w_1..w_n. Edges u -> v always, v -> w_k iff b_k, w_k -> u iff a_k, no others. u lies in a triangle iff a and b
 *      meet. All of b stands in one token, row v: Bob holds it, Alice all others.
 *   2. Alice wants u's answer. Heads look at single keys (a three-wise one of one value does it, with keys of N^3). One layer: the query of u is known to both, so Bob sends the score and the value of v, m + 1 numbers a head.
 *      Alice adds them to what she has; no sum travels.
 *   3. D layers: before the last, Bob sends the query, key and value of v, and Alice the mean that v gets: 4m numbers a head; in the last
 *      layer he sends key and value. (4D-2)m numbers a head.
 *   4. Alice finds out whether a and b meet: n bits at least. */
#include "bound_internal.h"

enum { N, D, H, m, p, e, SUMS };
static const at_param params[] = {
    {"N", "nodes", 3, BOUND_MOST, 4096, true},
    {"D", "layers", 1, BOUND_MOST, 1, true},
    {"H", "heads a layer", 1, BOUND_MOST, 2, true},
    {"m", "width of a head (D = 1: of its values)", 1, BOUND_MOST, 4, true},
    {"p", "bits of a mantissa", 1, BOUND_MOST, 16, true},
    {"e", "bits of an exponent (sums=exact)", 3, 64, 8, true},
    BOUND_PARAM_SUMS,
};

/* H times m+1, or (4D-2)m. */
static void numbers_sent(mpz_t s, const mpz_t *v)
{
    if (!mpz_cmp_ui(v[D], 1)) {
        mpz_add_ui(s, v[m], 1);
    } else {
        mpz_mul_2exp(s, v[D], 2);
        mpz_sub_ui(s, s, 2);
        mpz_mul(s, s, v[m]);
    }
    mpz_mul(s, s, v[H]);
}

/* IDEAL: p bits a number. EXACT: floats. */
static void bits_sent(mpz_t s, const mpz_t *v, int sums)
{
    mpz_t b;
    mpz_init_set(b, v[p]);
    if (sums == SUMS_EXACT)
        message_float(b, v[p], v[e]);
    numbers_sent(s, v);
    mpz_mul(s, s, b);
    mpz_clear(b);
}

static bool binds_counted(const mpz_t *v, int sums)
{
    mpz_t sent;
    mpz_init(sent);
    bits_sent(sent, v, sums);
    mpz_add_ui(sent, sent, 2);
    bool out = mpz_cmp(sent, v[N]) < 0;
    mpz_clear(sent);
    return out;
}

static bool binds(const mpz_t *v)
{
    return binds_counted(v, (int)mpz_get_ui(v[SUMS]));
}

static limit_way way(const mpz_t *v, int i)
{
    return message_way(v, i, SUMS, e, i == N);
}

static void report(sheet *s, const mpz_t *v)
{
    mpz_t need, sent;
    mpz_inits(need, sent, NULL);
    mpz_sub_ui(need, v[N], 2);
    int sums = (int)mpz_get_ui(v[SUMS]);
    bool binding = s->out->verdict == AT_BOUND_BINDS, one = !mpz_cmp_ui(v[D], 1);
    for (int c = SUMS_IDEAL; c <= SUMS_EXACT; c++) {
        bits_sent(sent, v, c);
        const char *bits = sheet_int(s, sent);
        if (c == sums)
            s->out->inequality =
                sheet_text(s, "H %s %s = %s bits sent %s N-2 = %s bits needed", one ? "(m+1)" : "(4D-2)m",
                           c == SUMS_IDEAL ? "p" : "(p+e)", bits, binding ? "<" : ">=", sheet_int(s, need));
        sheet_line(s, c == SUMS_IDEAL ? "sent, p-bit numbers" : "sent, floats", "%s bits: %s", bits,
                   binds_counted(v, c) ? "binds" : "does not bind");
    }
    numbers_sent(sent, v);
    sheet_line(s, "numbers about one row", "%s", sheet_int(s, sent));
    s->out->meaning =
        binding
            ? sheet_text(s,
                         "No transformer with D = %s, H = %s and m = %s, whose heads look at single keys, "
                         "finds the triangles of every graph of this size.",
                         sheet_int(s, v[D]), sheet_int(s, v[H]), sheet_int(s, v[m]))
            : "The numbers may hold all of a row: nothing is ruled out.";
    mpz_clears(need, sent, NULL);
}

static at_bound_bits counts(const mpz_t *v)
{
    /* no sum is sent */
    return mpz_cmp_ui(v[SUMS], SUMS_EXACT) ? AT_BITS_SOURCE : AT_BITS_FLOATS;
}

const limit limit_triangle_row = {
    .binds = binds, .counts = counts, .way = way, .least = m, .least_times = -1, .report = report};

const at_bound bound_triangle_row = {
    .id = "triangle-row",
    .title = "Finding directed triangles needs D H m to grow like N, by the row of one node",
    .source = "none; TriIDGraph of Sanford, Hsu, Telgarsky 2023",
    .statement =
        "No D layers of H heads of width m at p bits, each looking at single keys, say of every graph of N "
        "nodes (a row of the matrix a token) which nodes lie in a directed triangle, when H(m+1)p < N-2 "
        "(D = 1; m is the width of values, keys may have any) or H(4D-2)m p < N-2.",
    .constant = "none is hidden",
    .params = params,
    .n_params = COUNT(params),
    .unit = "width of a head",
    .size = "N",
    .compute = bound_compute,
    .construction = "triangle-row",
    .construction_params = "part=right pack=1 N=%d",
    .construction_size = "head width",
};
