/* test_cc.c: communication complexity against slow twins that work differently: protocols by trying all functions, fooling sets by
 * all subsets, ranks by all combinations of rows and by minors. */
#include "../logic_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"

#define OK(call)                                                                                             \
    do {                                                                                                     \
        err = (at_err){0};                                                                                   \
        if ((call) != AT_OK)                                                                                 \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)
#define REFUSED(code, words, call)                                                                           \
    do {                                                                                                     \
        err = (at_err){0};                                                                                   \
        assert_int_equal(call, code);                                                                        \
        if (!strstr(err.text, words))                                                                        \
            fail_msg("'%s' lacks '%s'", err.text, words);                                                    \
    } while (0)

/* Values 0..values-1 at random; some rows and columns are copies. */
static at_cc_matrix random_matrix(uint64_t seed, int rows, int cols, int values)
{
    at_rng r = at_rng_at(seed, 0);
    uint8_t *at = at_new(&arena, uint8_t, rows * cols);
    assert_non_null(at);
    for (int i = 0; i < rows * cols; i++)
        at[i] = (uint8_t)at_rng_below(&r, (uint64_t)values);
    if (at_rng_below(&r, 3) == 0)
        memcpy(at + (rows - 1) * cols, at, (size_t)cols);
    if (at_rng_below(&r, 3) == 0)
        for (int a = 0; a < rows; a++)
            at[a * cols + cols - 1] = at[a * cols];
    return (at_cc_matrix){rows, cols, values, at};
}

/* ---- matrices ------------------------------------------------------------------------------------------- */

static int sum_of(const void *ctx, int a, int b)
{
    return *(const int *)ctx + a + b;
}

static void test_matrices(void **state)
{
    (void)state;
    at_cc_matrix m;
    int more = 3;
    OK(at_cc_make(4, 5, sum_of, &more, &arena, &m, &err));
    assert_true(m.rows == 4 && m.cols == 5 && m.values == 11 && cell_at(&m, 2, 4) == 9);
    more = 250;
    REFUSED(AT_EDOMAIN, "f(0, 6) = 256: must be in 0..255",
            at_cc_make(2, 9, sum_of, &more, &arena, &m, &err));
    more = -1;
    REFUSED(AT_EDOMAIN, "f(0, 0) = -1", at_cc_make(2, 9, sum_of, &more, &arena, &m, &err));
    REFUSED(AT_EDOMAIN, "1..16384", at_cc_make(0, 9, sum_of, &more, &arena, &m, &err));
    REFUSED(AT_EDOMAIN, "1..16384", at_cc_make(2, 16385, sum_of, &more, &arena, &m, &err));
    REFUSED(AT_EDOMAIN, "at most 134217728", at_cc_make(16384, 16384, sum_of, &more, &arena, &m, &err));
    REFUSED(AT_EINPUT, "did you mean 'disj'?", at_cc_named("disk", 3, &arena, &m, &err));
    REFUSED(AT_EDOMAIN, "1..13", at_cc_named("disj", 0, &arena, &m, &err));
    REFUSED(AT_EDOMAIN, "1..13", at_cc_named("eq", 14, &arena, &m, &err));
    for (int i = 0; i < at_n_cc_fns; i++) {
        const char *id = at_cc_fns[i].id;
        OK(at_cc_named(id, 3, &arena, &m, &err));
        assert_true(m.rows == 8 && m.cols == (strcmp(id, "index") ? 8 : 3) && m.values == 2);
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < m.cols; b++) {
                int common = 0, odd = 0; /* by elements, one by one */
                for (int k = 0; k < 3; k++)
                    if ((a >> k) % 2 && (b >> k) % 2) {
                        common = 1;
                        odd = !odd;
                    }
                int want = !strcmp(id, "disj")        ? !common
                           : !strcmp(id, "intersect") ? common
                           : !strcmp(id, "eq")        ? a == b
                           : !strcmp(id, "gt")        ? a > b
                           : !strcmp(id, "ip")        ? odd
                                                      : (a / (b == 0   ? 1
                                                              : b == 1 ? 2
                                                                       : 4)) %
                                                     2;
                assert_int_equal(cell_at(&m, a, b), want);
            }
    }
}

/* ---- exact depth ---------------------------------------------------------------------------------------- */

/* Is there a protocol of `depth` bits for the inputs in R x C? Every function from all rows (columns) to a bit is tried, also those
 * that tell nothing. */
static bool protocol_exists(const at_cc_matrix *m, unsigned R, unsigned C, int depth)
{
    int value = -1;
    bool same = true;
    for (int a = 0; a < m->rows; a++)
        for (int b = 0; b < m->cols; b++)
            if (R >> a & 1 && C >> b & 1) {
                same = same && (value < 0 || value == cell_at(m, a, b));
                value = cell_at(m, a, b);
            }
    if (same || !depth)
        return same;
    for (unsigned f = 0; f < 1u << m->rows; f++)
        if (protocol_exists(m, R & f, C, depth - 1) && protocol_exists(m, R & ~f, C, depth - 1))
            return true;
    for (unsigned f = 0; f < 1u << m->cols; f++)
        if (protocol_exists(m, R, C & f, depth - 1) && protocol_exists(m, R, C & ~f, depth - 1))
            return true;
    return false;
}

static void depth_compare(const at_cc_matrix *m)
{
    at_cc_tree t;
    OK(at_cc_depth(m, &arena, &t, &err));
    assert_int_equal(at_cc_tree_check(m, &t), AT_TRUE);
    unsigned R = (1u << m->rows) - 1, C = (1u << m->cols) - 1;
    assert_true(protocol_exists(m, R, C, t.depth));
    assert_true(!t.depth || !protocol_exists(m, R, C, t.depth - 1));
    at_cc_bounds b;
    OK(at_cc_bound(m, NULL, &arena, &b, &err));
    assert_true(b.bits <= t.depth && b.leaves <= t.leaves);
}

static void test_depth(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 512; k++) { /* all of 3 x 3 */
        uint8_t at[9];
        for (int i = 0; i < 9; i++)
            at[i] = k >> i & 1;
        depth_compare(&(at_cc_matrix){3, 3, 2, at});
    }
    for (uint64_t k = 0; k < 150; k++) {
        at_cc_matrix m = random_matrix(k, 1 + (int)(k % 4), 1 + (int)(k / 4 % 4), 2 + (int)(k % 3));
        depth_compare(&m);
    }
}

/* D of functions that are known; the smallest n first. EQ, GT, IP, DISJ: n + 1 (Kushilevitz and Nisan 1997, section 1.3). INDEX: Bob says
 * his index, Alice the bit, and no protocol is shorter. */
static void test_depth_known(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        int depth[3];
    } known[] = {{"disj", {2, 3, 4}}, {"intersect", {2, 3, 4}}, {"eq", {2, 3, 4}},
                 {"gt", {2, 3, 4}},   {"ip", {2, 3, 4}},        {"index", {1, 2, 3}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int n = 1; n <= 3; n++) {
            at_cc_matrix m;
            at_cc_tree t;
            at_cc_bounds b;
            OK(at_cc_named(known[i].id, n, &arena, &m, &err));
            OK(at_cc_depth(&m, &arena, &t, &err));
            assert_int_equal(t.depth, known[i].depth[n - 1]);
            OK(at_cc_bound(&m, NULL, &arena, &b, &err));
            assert_int_equal(b.bits, t.depth); /* here the bounds are tight */
            int longest = 0;
            for (int a = 0; a < m.rows; a++)
                for (int c = 0; c < m.cols; c++) {
                    int bits;
                    assert_int_equal(at_cc_tree_run(&t, a, c, &bits), cell_at(&m, a, c));
                    longest = bits > longest ? bits : longest;
                }
            assert_int_equal(longest, t.depth);
        }
    /* many copies of few rows and columns, and the largest that is allowed */
    at_cc_matrix m;
    at_cc_tree t;
    uint8_t *at = at_new(&arena, uint8_t, 300 * 200);
    for (int a = 0; a < 300; a++)
        for (int b = 0; b < 200; b++)
            at[a * 200 + b] = !(a % 8 & b % 8);
    m = (at_cc_matrix){300, 200, 2, at};
    OK(at_cc_depth(&m, &arena, &t, &err));
    assert_int_equal(t.depth, 4);
    for (int side = 10; side <= 11; side++) {
        for (int a = 0; a < side; a++)
            for (int b = 0; b < side; b++)
                at[a * side + b] = a == b;
        m = (at_cc_matrix){side, side, 2, at};
        if (side == 10) {
            OK(at_cc_depth(&m, &arena, &t, &err));
            assert_int_equal(t.depth, 5); /* 10 leaves of value 1, and some of value 0 */
        } else
            REFUSED(AT_EREFUSED, "11 different rows", at_cc_depth(&m, &arena, &t, &err));
    }
    at_cc_matrix wide = {1, 20, 20, at}; /* as many values as columns */
    for (int b = 0; b < 20; b++)
        at[b] = (uint8_t)b;
    REFUSED(AT_EREFUSED, "20 different columns", at_cc_depth(&wide, &arena, &t, &err));
    wide.cols = 9;
    OK(at_cc_depth(&wide, &arena, &t, &err));
    assert_int_equal(t.depth, 4);
    /* a protocol with one answer, one message or its depth falsified is not one */
    OK(at_cc_named("disj", 3, &arena, &m, &err));
    OK(at_cc_depth(&m, &arena, &t, &err));
    t.depth--;
    assert_int_equal(at_cc_tree_check(&m, &t), AT_FALSE);
    t.depth++;
    for (int i = 0; i < t.n; i++) {
        at_cc_node keep = t.node[i];
        if (keep.turn < 0)
            t.node[i].value = !keep.value;
        else
            t.node[i].one = ~keep.one;
        assert_int_equal(at_cc_tree_check(&m, &t), AT_FALSE);
        t.node[i] = keep;
    }
    assert_int_equal(at_cc_tree_check(&m, &t), AT_TRUE);
    assert_int_equal(at_cc_tree_check(&wide, &t), AT_FALSE);
}

/* ---- fooling sets --------------------------------------------------------------------------------------- */

/* By the definition. */
static bool fools(const at_cc_matrix *m, int v, const at_cc_cell *x, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            if (cell_at(m, x[i].a, x[i].b) != v)
                return false;
            if (i != k && cell_at(m, x[i].a, x[k].b) == v && cell_at(m, x[k].a, x[i].b) == v)
                return false;
        }
    return true;
}

static int largest_fool(const at_cc_matrix *m, int v)
{
    int best = 0, cells = m->rows * m->cols;
    for (unsigned set = 0; set < 1u << cells; set++) {
        if (__builtin_popcount(set) <= best)
            continue;
        at_cc_cell x[16];
        int n = 0;
        for (int i = 0; i < cells; i++)
            if (set >> i & 1)
                x[n++] = (at_cc_cell){i / m->cols, i % m->cols};
        if (fools(m, v, x, n))
            best = n;
    }
    return best;
}

static void test_fool(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        at_cc_matrix m = random_matrix(k, 1 + (int)(k % 4), 1 + (int)(k / 4 % 4), 2 + (int)(k % 2));
        for (int v = 0; v < m.values; v++) {
            at_cc_fool f;
            OK(at_cc_fool_search(&m, v, &(at_cc_effort){.restarts = 1 + (int)(k % 3), .seed = k}, &arena, &f,
                                 &err));
            assert_true(f.largest && f.v == v && fools(&m, v, f.cell, f.n));
            assert_int_equal(f.n, largest_fool(&m, v));
        }
    }
    /* too little work: what is found is a fooling set, and not called the largest */
    at_cc_matrix m = random_matrix(99, 40, 40, 2);
    at_cc_fool f, g;
    OK(at_cc_fool_search(&m, 1, &(at_cc_effort){.restarts = 1, .work = 1}, &arena, &f, &err));
    OK(at_cc_fool_search(&m, 1, NULL, &arena, &g, &err));
    assert_true(!f.largest && f.n <= g.n && fools(&m, 1, f.cell, f.n) && fools(&m, 1, g.cell, g.n));
    REFUSED(AT_EDOMAIN, "value 2: the matrix has 0..1", at_cc_fool_search(&m, 2, NULL, &arena, &f, &err));
    /* more cells than branch and bound takes: the diagonals */
    for (int i = 0; i < 2; i++) {
        OK(at_cc_named(i ? "disj" : "eq", 10, &arena, &m, &err));
        OK(at_cc_fool_search(&m, 1, NULL, &arena, &f, &err));
        assert_true(f.n == 1024 && f.largest);
    }
    OK(at_cc_named("gt", 8, &arena, &m, &err)); /* (x, x), and (x + 1, x) */
    OK(at_cc_fool_search(&m, 0, NULL, &arena, &f, &err));
    assert_int_equal(f.n, 256);
}

/* A set that is right, with each cell moved to every other place in turn: the definition and the verifier agree, also on which pair. */
static void test_fool_verify(void **state)
{
    (void)state;
    at_cc_matrix m;
    at_cc_cell set[8];
    at_tri holds;
    int bad[2], broken = 0;
    OK(at_cc_named("disj", 3, &arena, &m, &err));
    for (int S = 0; S < 8; S++)
        set[S] = (at_cc_cell){S, 7 - S};
    OK(at_cc_fool_verify(&m, 1, set, 8, &holds, bad, &err));
    assert_true(holds == AT_TRUE && bad[0] == -1);
    OK(at_cc_fool_verify(&m, 0, set, 8, &holds, bad, &err));
    assert_true(holds == AT_FALSE && bad[0] == 0 && bad[1] == 0);
    for (int k = 0; k < 8; k++)
        for (int x = 0; x < 64; x++) {
            at_cc_cell keep = set[k];
            set[k] = (at_cc_cell){x / 8, x % 8};
            OK(at_cc_fool_verify(&m, 1, set, 8, &holds, bad, &err));
            assert_int_equal(holds == AT_TRUE, fools(&m, 1, set, 8));
            if (holds == AT_FALSE) {
                assert_false(
                    fools(&m, 1, set, bad[1] + 1)); /* with cell bad[1] it breaks, without it it does not, */
                assert_true(fools(&m, 1, set, bad[1]));
                at_cc_cell two[2] = {set[bad[0]], set[bad[1]]};
                assert_false(bad[0] == bad[1] ? fools(&m, 1, two, 1) : fools(&m, 1, two, 2));
                for (int i = 0; i < bad[0] && bad[0] < bad[1]; i++) { /* and no earlier cell is to blame */
                    two[0] = set[i];
                    assert_true(fools(&m, 1, two, 2));
                }
                broken++;
            }
            set[k] = keep;
        }
    assert_true(broken > 400);
    set[3].b = 8;
    REFUSED(AT_EINPUT, "cell 3 is (3, 8)", at_cc_fool_verify(&m, 1, set, 8, &holds, bad, &err));
    set[3].b = -1;
    REFUSED(AT_EINPUT, "8 x 8", at_cc_fool_verify(&m, 1, set, 8, &holds, bad, &err));
}

/* ---- ranks ---------------------------------------------------------------------------------------------- */

/* The sums of all subsets of rows are 2^rank different vectors. */
static int rank_gf2_slow(const at_cc_matrix *m, int v)
{
    int different = 0;
    static bool seen[1 << 12];
    memset(seen, 0, sizeof seen);
    for (unsigned set = 0; set < 1u << m->rows; set++) {
        unsigned sum = 0;
        for (int a = 0; a < m->rows; a++)
            for (int b = 0; b < m->cols; b++)
                if (set >> a & 1 && cell_at(m, a, b) == v)
                    sum ^= 1u << b;
        different += !seen[sum];
        seen[sum] = true;
    }
    return at_cc_log2((uint64_t)different);
}

/* Determinant by the first row. */
static long minor(const at_cc_matrix *m, int v, const int *row, const int *col, int n)
{
    if (!n)
        return 1;
    long det = 0;
    for (int k = 0, sign = 1; k < n; k++, sign = -sign) {
        int left[8];
        for (int i = 0, at = 0; i < n; i++)
            if (i != k)
                left[at++] = col[i];
        if (cell_at(m, row[0], col[k]) == v)
            det += sign * minor(m, v, row + 1, left, n - 1);
    }
    return det;
}

static int members(unsigned set, int *out)
{
    int n = 0;
    for (int i = 0; set >> i; i++)
        if (set >> i & 1)
            out[n++] = i;
    return n;
}

/* The largest minor that is not zero. */
static int rank_q_slow(const at_cc_matrix *m, int v)
{
    int best = 0;
    for (unsigned R = 0; R < 1u << m->rows; R++)
        for (unsigned C = 0; C < 1u << m->cols; C++) {
            int row[8], col[8], n = members(R, row);
            if (n > best && members(C, col) == n && minor(m, v, row, col, n))
                best = n;
        }
    return best;
}

static void test_ranks(void **state)
{
    (void)state;
    int differ = 0;
    for (uint64_t k = 0; k < 160; k++) {
        at_cc_matrix m = random_matrix(k, 3 + (int)(k % 4), 3 + (int)(k / 4 % 4), 2);
        for (int v = 0; v < 2; v++) {
            int r;
            at_cc_rank q;
            OK(at_cc_rank_gf2(&m, v, &r, &err));
            OK(at_cc_rank_q(&m, v, &q, &err));
            assert_int_equal(r, rank_gf2_slow(&m, v));
            assert_int_equal(q.least, rank_q_slow(&m, v));
            assert_true(q.exact);
            differ += r != q.least;
        }
    }
    assert_true(differ > 10);
    for (uint64_t k = 0; k < 20; k++) {
        at_cc_matrix m = random_matrix(k, 12, 12, 2);
        int r;
        OK(at_cc_rank_gf2(&m, 1, &r, &err));
        assert_int_equal(r, rank_gf2_slow(&m, 1));
    }
}

/* Sums of k matrices of rank 1 with blocks that do not overlap in rows: rank at most k; sides from where each way of computing is used. */
static void test_ranks_large(void **state)
{
    (void)state;
    static const int sides[] = {100, 200, 1500};
    for (int i = 0; i < 3; i++) {
        int n = sides[i], k = 40;
        uint8_t *at = at_new(&arena, uint8_t, n * n);
        at_rng r = at_rng_at(5, (uint64_t)i);
        for (int a = 0; a < n;
             a++) /* row a is one of 40, and the last 10 of these are sums of two disjoint ones before them */
            for (int b = 0; b < n; b++) {
                int kind = a % k;
                at[a * n + b] = kind < 30 ? b % 30 == kind : b % 30 == kind - 30 || b % 30 == kind - 20;
            }
        for (int s = 0; s < n; s++) { /* in any order */
            int x = (int)at_rng_below(&r, (uint64_t)n);
            for (int b = 0; b < n; b++) {
                uint8_t t = at[x * n + b];
                at[x * n + b] = at[s * n + b];
                at[s * n + b] = t;
            }
        }
        at_cc_matrix m = {n, n, 2, at};
        int g;
        at_cc_rank q;
        OK(at_cc_rank_gf2(&m, 1, &g, &err));
        OK(at_cc_rank_q(&m, 1, &q, &err));
        assert_int_equal(g, 30);
        assert_true(q.least == 30 && q.exact);
    }
    /* a circulant with two ones a row: singular modulo 2, over Q when the side is even; too large for the integers when it is even */
    for (int n = 299; n <= 300; n++) {
        uint8_t *at = at_new(&arena, uint8_t, n * n);
        for (int a = 0; a < n; a++)
            at[a * n + a] = at[a * n + (a + 1) % n] = 1;
        at_cc_matrix m = {n, n, 2, at};
        int g;
        at_cc_rank q;
        OK(at_cc_rank_gf2(&m, 1, &g, &err));
        OK(at_cc_rank_q(&m, 1, &q, &err));
        assert_int_equal(g, n - 1);
        assert_int_equal(q.least, n % 2 ? n : n - 1);
        assert_int_equal(q.exact, n % 2);
    }
    at_cc_matrix m;
    int g;
    at_cc_rank q;
    /* 2^10: IP has rank 10 over GF(2), being a product of a and b; over Q 2^10 - 1 */
    OK(at_cc_named("ip", 10, &arena, &m, &err));
    OK(at_cc_rank_gf2(&m, 1, &g, &err));
    OK(at_cc_rank_q(&m, 1, &q, &err));
    assert_true(g == 10 && q.least == 1023 && q.exact);
    OK(at_cc_named("disj", 11, &arena, &m, &err));
    OK(at_cc_rank_gf2(&m, 1, &g, &err));
    OK(at_cc_rank_q(&m, 1, &q, &err));
    assert_true(g == 2048 && q.least == 2048 && q.exact);
    REFUSED(AT_EDOMAIN, "value -1", at_cc_rank_gf2(&m, -1, &g, &err));
    REFUSED(AT_EDOMAIN, "value 7", at_cc_rank_q(&m, 7, &q, &err));
}

/* ---- bounds --------------------------------------------------------------------------------------------- */

static void test_disj(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 8, 12, 13, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int bits = 0;
        const char *note;
        OK(at_cc_disj_bits(sizes[i], &arena, &bits, &note, &err));
        assert_int_equal(bits, sizes[i] + 1);
        assert_non_null(strstr(note, sizes[i] > 12 ? "checked at n = 12" : "all pairs checked"));
    }
    int bits;
    OK(at_cc_disj_bits(4, &arena, &bits, NULL, &err));
    REFUSED(AT_EDOMAIN, "0 elements: must be 1 or more", at_cc_disj_bits(0, &arena, &bits, NULL, &err));
    for (uint32_t within = 0; within < 64; within++)
        assert_int_equal(logic_disj_fools(6, within), within == 63);
    /* the same from the matrix, by the general road */
    at_cc_matrix m;
    at_cc_bounds b;
    for (int n = 1; n <= 8; n++) {
        OK(at_cc_named("disj", n, &arena, &m, &err));
        OK(at_cc_bound(&m, &(at_cc_effort){.work = 1000}, &arena, &b, &err));
        assert_true(b.n == 2 && b.side[1].fool.n == 1 << n && b.side[1].rank_gf2 == 1 << n &&
                    b.bits == n + 1);
        assert_true(b.side[0].rank_q.least == (1 << n) - 1 && b.leaves == (2 << n) - 1);
    }
}

static void test_log2(void **state)
{
    (void)state;
    assert_true(at_cc_log2(1) == 0 && at_cc_log2(2) == 1 && at_cc_log2(3) == 2 && at_cc_log2(4) == 2);
    assert_true(at_cc_log2(5) == 3 && at_cc_log2(((uint64_t)1 << 40) + 1) == 41 &&
                at_cc_log2(UINT64_MAX) == 64);
}

static at_status everything(const at_cc_matrix *r, at_arena *a, at_err *e)
{
    at_cc_matrix m;
    at_cc_tree t;
    at_cc_bounds b;
    int bits;
    const char *note;
    at_status s = at_cc_named("disj", 3, a, &m, e);
    if (!s)
        s = at_cc_depth(&m, a, &t, e);
    if (!s)
        s = at_cc_bound(&m, NULL, a, &b, e);
    if (!s)
        s = at_cc_bound(r, NULL, a, &b, e);
    return s ? s : at_cc_disj_bits(5, a, &bits, &note, e);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    int failed = 0;
    at_cc_matrix r = random_matrix(3, 9, 9, 2);
    for (long nth = 1;; nth++) {
        at_arena a;
        at_arena_init(&a);
        at_err said = {0};
        at_alloc_inject(nth);
        at_status s = everything(&r, &a, &said);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        at_arena_release(&a);
        if (!fired) {
            assert_int_equal(s, AT_OK);
            break;
        }
        assert_int_equal(s, AT_ENOMEM);
        assert_string_equal(said.text, "out of memory");
        failed++;
    }
    assert_true(failed > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_matrices, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_depth, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_depth_known, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_fool, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_fool_verify, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_ranks, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_ranks_large, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_disj, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_log2, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_out_of_memory, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
