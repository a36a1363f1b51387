/* CLAIM disjointness: n + 1 bits must be said before both know whether two subsets of n things meet.
 *
 * Source: Yao 1979, the fact under match3-hard, triangle and qsa-attention-hard. Statement: D(DISJ_n) = n + 1.
 *
 * Proof. 1. The 2^n pairs (S, complement of S) are disjoint; of two of them, (S, not T) or (T, not S) meet: a fooling set, so a protocol has 2^n
 *    leaves that say "disjoint". 2. And at least one that says "they meet": 2^n + 1 leaves, depth n + 1 or more. 3. Alice says her set,
 *    Bob the answer: n + 1 bits do.
 *
 * part=exact computes D by trying every protocol (3 bits at most), of other functions too; part=fooling checks the fooling set pair by pair;
 * part=rank the matrix's rank over GF(2), which gives 2^n again. Controls: a bit less; a set with one cell that does not belong. */
#include <attest/logic.h>

#include "../claim_internal.h"

#include <string.h>

enum { EXACT, FOOLING, RANK };
static const char *const parts[] = {"exact", "fooling", "rank", NULL};
static const char *const functions[] = {"disj", "intersect", "eq", "gt", "ip", "index", NULL};

static const at_param params[] = {
    {"part", "what is computed", 0, RANK, EXACT, true, parts},
    {"f", "the function", 0, COUNT(functions) - 2, 0, true, functions},
    {"n", "bits of an input", 1, AT_CC_DISJ, 3, true},
    {"less", "bits that are claimed too few", 0, 1, 0, true},
    {"stranger", "cells of the set that do not belong", 0, 1, 0, true},
};

/* n + 1; the one who has the place says it, and the other the bit: ceil(log2 n) + 1 of INDEX. */
static int bits_claimed(const at_params *p)
{
    int n = at_params_int(p, "n");
    bool index = !strcmp(functions[at_params_int(p, "f")], "index");
    return (index ? at_cc_log2((uint64_t)n) : n) + 1 - at_params_int(p, "less");
}

static at_status exact_trial(const at_params *p, const at_cc_matrix *m, at_arena *a, at_verdict *out,
                             at_err *err)
{
    const char *f = functions[at_params_int(p, "f")];
    int claimed = bits_claimed(p);
    at_cc_tree t;
    at_cc_bounds b;
    at_status s = at_cc_depth(m, a, &t, err);
    if (!s)
        s = at_cc_bound(m, NULL, a, &b, err);
    if (s)
        return s;
    bool right = at_cc_tree_check(m, &t) == AT_TRUE && b.bits <= t.depth;
    out->inputs = (uint64_t)m->rows * (uint64_t)m->cols;
    out->holds = right && t.depth == claimed ? AT_TRUE : AT_FALSE;
    out->note = at_arena_printf(
        a,
        "D(%s_%d) = %d, %d claimed; a protocol of %d leaves says so on all %ju inputs; at least %d bits by "
        "fooling sets and ranks",
        f, at_params_int(p, "n"), t.depth, claimed, t.leaves, (uintmax_t)out->inputs, b.bits);
    return AT_OK;
}

static at_status fooling_trial(const at_params *p, const at_cc_matrix *m, at_arena *a, at_verdict *out,
                               at_err *err)
{
    int n = m->rows, bad[2];
    at_cc_cell *set = at_new(a, at_cc_cell, n + 1);
    if (!set)
        return at_oom(err);
    for (int k = 0; k < n; k++)
        set[k] = (at_cc_cell){k, n - 1 - k};
    set[n] = (at_cc_cell){0, 0}; /* two empty sets are disjoint too, but (0, not T) and (T, 0) do not meet */
    int size = n + at_params_int(p, "stranger");
    int v = m->at[n - 1]; /* of (0, all) */
    at_status s = at_cc_fool_verify(m, v, set, size, &out->holds, bad, err);
    if (s)
        return s;
    out->inputs = (uint64_t)size * (uint64_t)(size - 1) / 2;
    out->note = out->holds == AT_TRUE
                    ? at_arena_printf(a,
                                      "%d pairs (S, complement of S) fool every protocol, two by two: with a "
                                      "leaf for sets that meet "
                                      "at least %d bits",
                                      size, at_cc_log2((uint64_t)size + 1))
                    : at_arena_printf(a, "of %d cells (%d,%d) and (%d,%d) share a rectangle", size,
                                      set[bad[0]].a, set[bad[0]].b, set[bad[1]].a, set[bad[1]].b);
    return AT_OK;
}

static at_status rank_trial(const at_params *p, const at_cc_matrix *m, at_arena *a, at_verdict *out,
                            at_err *err)
{
    int rank, bits = bits_claimed(p), v = m->at[m->cols - 1];
    at_status s = at_cc_rank_gf2(m, v, &rank, err);
    if (s)
        return s;
    int least = at_cc_log2((uint64_t)rank + 1);
    out->inputs = (uint64_t)m->rows * (uint64_t)m->cols;
    out->holds = least == bits ? AT_TRUE : AT_FALSE;
    out->note = at_arena_printf(
        a,
        "rank %d of %d over GF(2), hence over Q: with a leaf for sets that meet at least %d bits, %d claimed",
        rank, m->rows, least, bits);
    return AT_OK;
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    (void)limit, (void)seed, (void)env;
    at_cc_matrix m;
    int part = at_params_int(p, "part"), f = at_params_int(p, "f");
    if (part != EXACT && f)
        return at_fail(err, AT_EDOMAIN, "f=%s: fooling sets and ranks are checked of disj only",
                       functions[f]);
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence};
    at_status s = at_cc_named(functions[f], at_params_int(p, "n"), a, &m, err);
    if (!s)
        s = (part == EXACT ? exact_trial : part == FOOLING ? fooling_trial : rank_trial)(p, &m, a, out, err);
    return s ? s : out->note ? AT_OK : at_oom(err);
}

static const at_cell cells[] = {
    {"part=exact f=disj n=1..3", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=exact f=intersect n=1..3", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=exact f=eq n=1..3", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=exact f=gt n=1..3", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=exact f=ip n=1..3", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=exact f=index n=1..3", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=exact f=disj n=3", "less=1", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=fooling n=1..12", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, "part=fooling n=1..10"},
    {"part=fooling n=8", "stranger=1", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"part=rank n=1..12", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, "part=rank n=1..10"},
    {"part=rank n=8", "less=1", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_disjointness = {
    .id = "disjointness",
    .title = "Two parties need n+1 bits to know whether their sets meet",
    .source = "Yao 1979 (deterministic communication); under match3-hard, triangle, qsa-attention-hard",
    .statement = "The deterministic communication complexity of set disjointness on n bits is n+1.",
    .proof =
        "The pairs (S, complement of S) are a fooling set of 2^n cells; one more leaf says that sets meet; "
        "Alice saying her "
        "set and Bob the answer takes n+1 bits. Small functions are computed exactly, over all protocols.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
