/* bounds.c: lower bounds on D(f) from fooling sets and ranks, and the certificate of disjointness.
 *
 * The leaves of a protocol are monochromatic rectangles that partition the cells. Leaves of value v: at least as many as a fooling
 * set of value v has cells (no two in one rectangle), and at least rank M_v over any field (M_v is the sum of one matrix of rank 1
 * for each of them). So all leaves are at least the sum over v of the larger, and a binary tree of depth D has at most 2^D. */
#include "logic_internal.h"

int at_cc_log2(uint64_t n)
{
    return n <= 1 ? 0 : 64 - __builtin_clzll(n - 1);
}

static at_status side_bound(const at_cc_matrix *m, int v, const at_cc_effort *effort, at_arena *arena,
                            at_cc_side *out, at_err *err)
{
    out->v = v;
    at_status s = at_cc_fool_search(m, v, effort, arena, &out->fool, err);
    if (!s)
        s = at_cc_rank_gf2(m, v, &out->rank_gf2, err);
    if (!s)
        s = at_cc_rank_q(m, v, &out->rank_q, err);
    if (!s) {
        int rank = out->rank_gf2 > out->rank_q.least ? out->rank_gf2 : out->rank_q.least;
        out->leaves = out->fool.n > rank ? out->fool.n : rank;
    }
    return s;
}

at_status at_cc_bound(const at_cc_matrix *m, const at_cc_effort *effort, at_arena *arena, at_cc_bounds *out,
                      at_err *err)
{
    bool occurs[256] = {false};
    for (size_t i = 0; i < (size_t)m->rows * (size_t)m->cols; i++)
        occurs[m->at[i]] = true;
    at_cc_bounds b = {.side = at_new(arena, at_cc_side, m->values)};
    if (!b.side)
        return at_oom(err);
    at_status s = AT_OK;
    for (int v = 0; !s && v < m->values; v++)
        if (occurs[v]) {
            s = side_bound(m, v, effort, arena, &b.side[b.n], err);
            b.leaves += b.side[b.n++].leaves;
        }
    if (s)
        return s;
    b.bits = at_cc_log2((uint64_t)b.leaves);
    *out = b;
    return AT_OK;
}

/* ---- disjointness ---------------------------------------------------------------------------------------- */

bool logic_disj_fools(int n, uint32_t within)
{
    for (uint32_t S = 0; S < (uint32_t)1 << n; S++) {
        if (S & (within & ~S))
            return false;
        for (uint32_t T = 0; T < S; T++)
            if (!(S & (within & ~T)) && !(T & (within & ~S)))
                return false;
    }
    return true;
}

static at_status disj_rank(int n, int *rank, at_err *err)
{
    size_t side = (size_t)1 << n, words = (side + 63) / 64;
    uint64_t *bits = at_calloc(side * words, sizeof *bits); /* (2^n, words) */
    if (!bits)
        return at_oom(err);
    for (size_t a = 0; a < side; a++)
        for (size_t b = 0; b < side; b++)
            if (!(a & b))
                bits[a * words + b / 64] |= (uint64_t)1 << b % 64;
    *rank = logic_rank_gf2(bits, side, words);
    at_free(bits);
    return AT_OK;
}

at_status at_cc_disj_bits(int n, at_arena *arena, int *bits, const char **note, at_err *err)
{
    if (n < 1 || n == INT32_MAX)
        return at_fail(err, AT_EDOMAIN, "disjointness of sets of %d elements: must be 1 or more", n);
    int k = n < AT_CC_DISJ ? n : AT_CC_DISJ, rank = 0;
    at_status s = disj_rank(k, &rank, err);
    if (s)
        return s;
    if (!logic_disj_fools(k, ((uint32_t)1 << k) - 1) || rank != 1 << k)
        return at_fail(err, AT_EREFUSED, "the certificate of disjointness fails at n = %d", k);
    const char *words;
    if (k == n)
        words = at_arena_printf(
            arena,
            "D(DISJ_%d) >= %d: the %d pairs (S, complement) fool, all pairs checked, and the rank "
            "over GF(2) is %d; with a leaf for 0 that is more than 2^%d leaves",
            n, n + 1, 1 << k, rank, n);
    else
        words = at_arena_printf(
            arena,
            "D(DISJ_%d) >= %d: the 2^%d pairs (S, complement) fool, by proof for every n; all "
            "pairs and the rank checked at n = %d",
            n, n + 1, n, k);
    if (!words)
        return at_oom(err);
    *bits = n + 1;
    if (note)
        *note = words;
    return AT_OK;
}
