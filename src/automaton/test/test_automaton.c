/* test_automaton.c: automata against brute force over all short words; monoids against composition; places of known languages,
 * and of random ones against the definitions. */
#include <attest/automaton.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"a", "b", "c"};

typedef struct {
    at_arena a;
    at_err err;
} room;

static at_dfa *random_dfa(room *w, at_rng *r, int states, int letters)
{
    at_dfa *d;
    assert_int_equal(at_dfa_new(&(at_alphabet){letters, names}, states, &w->a, &d, &w->err), AT_OK);
    d->start = (int)at_rng_below(r, (uint64_t)states);
    for (int k = 0; k < states * letters; k++)
        d->to[k] = (int)at_rng_below(r, (uint64_t)states);
    for (int q = 0; q < states; q++)
        d->accept[q] = at_rng_below(r, 2) != 0;
    return d;
}

/* Word number k of length n over `letters`. */
static void word_nth(int *word, int n, int letters, uint64_t k)
{
    for (int i = n - 1; i >= 0; i--, k /= (uint64_t)letters)
        word[i] = (int)(k % (uint64_t)letters);
}

static uint64_t power(uint64_t b, int n)
{
    uint64_t p = 1;
    while (n--)
        p *= b;
    return p;
}

/* Classes of words that no continuation tells apart, by brute force on states: the table-filling algorithm. */
static int classes_of(const at_dfa *d)
{
    static bool apart[64][64];
    int S = d->states, L = d->sigma.n, n = 0;
    bool reached[64] = {false};
    for (int p = 0; p < S; p++)
        for (int q = 0; q < S; q++)
            apart[p][q] = d->accept[p] != d->accept[q];
    for (bool more = true; more;) {
        more = false;
        for (int p = 0; p < S; p++)
            for (int q = 0; q < S; q++)
                for (int c = 0; c < L && !apart[p][q]; c++)
                    if (apart[d->to[p * L + c]][d->to[q * L + c]])
                        more = apart[p][q] = true;
    }
    reached[d->start] = true;
    for (bool more = true; more;) {
        more = false;
        for (int p = 0; p < S; p++)
            for (int c = 0; reached[p] && c < L; c++)
                if (!reached[d->to[p * L + c]])
                    more = reached[d->to[p * L + c]] = true;
    }
    for (int p = 0; p < S; p++) {
        bool first = reached[p];
        for (int q = 0; q < p; q++)
            first = first && !(reached[q] && !apart[p][q]);
        n += first;
    }
    return n;
}

static void test_minimize(void **state)
{
    (void)state;
    for (int t = 0; t < 3000; t++) {
        room w = {0};
        at_arena_init(&w.a);
        at_rng r = at_rng_at(11, (uint64_t)t);
        int letters = 1 + t % 3, S = 1 + (int)at_rng_below(&r, 24);
        at_dfa *d = random_dfa(&w, &r, S, letters), *m, *again;
        assert_int_equal(at_dfa_minimize(d, &w.a, &m, &w.err), AT_OK);
        assert_int_equal(m->states, classes_of(d));
        assert_int_equal(m->start, 0);
        assert_int_equal(at_dfa_minimize(m, &w.a, &again, &w.err), AT_OK);
        assert_true(at_dfa_equal(m, again));
        int *word, n;
        assert_int_equal(at_dfa_differ(d, m, &w.a, &word, &n, &w.err), AT_OK);
        assert_int_equal(n, -1);
        int v[6];
        for (int k = 0; k <= 6; k++)
            for (uint64_t i = 0; i < power((uint64_t)letters, k); i++) {
                word_nth(v, k, letters, i);
                assert_int_equal(at_dfa_accepts(d, v, k), at_dfa_accepts(m, v, k));
            }
        at_arena_release(&w.a);
    }
}

static void test_differ(void **state)
{
    (void)state;
    for (int t = 0; t < 1000; t++) {
        room w = {0};
        at_arena_init(&w.a);
        at_rng r = at_rng_at(12, (uint64_t)t);
        at_dfa *x = random_dfa(&w, &r, 4, 2), *y = random_dfa(&w, &r, 4, 2), *both, *not ;
        int *word = NULL, n, v[8], shortest = -1;
        assert_int_equal(at_dfa_differ(x, y, &w.a, &word, &n, &w.err), AT_OK);
        assert_int_equal(at_dfa_intersect(x, y, &w.a, &both, &w.err), AT_OK);
        assert_int_equal(at_dfa_complement(x, &w.a, &not, &w.err), AT_OK);
        for (int k = 0; k <= 8; k++)
            for (uint64_t i = 0; i < power(2, k); i++) {
                word_nth(v, k, 2, i);
                bool a = at_dfa_accepts(x, v, k), b = at_dfa_accepts(y, v, k);
                assert_int_equal(at_dfa_accepts(both, v, k), a && b);
                assert_int_equal(at_dfa_accepts(not, v, k), !a);
                shortest = shortest < 0 && a != b ? k : shortest;
            }
        if (n >= 0)
            assert_int_not_equal(at_dfa_accepts(x, word, n), at_dfa_accepts(y, word, n));
        if (n <= 8)
            assert_int_equal(n, shortest);
        at_arena_release(&w.a);
    }
}

static void test_determinize(void **state)
{
    (void)state;
    for (int t = 0; t < 500; t++) {
        room w = {0};
        at_arena_init(&w.a);
        at_rng r = at_rng_at(13, (uint64_t)t);
        at_nfa x;
        at_nfa_init(&x, &(at_alphabet){2, names});
        int S = 2 + (int)at_rng_below(&r, 6);
        for (int q = 0; q < S; q++)
            at_nfa_state(&x);
        for (int e = 0; e < 2 * S; e++)
            at_nfa_edge(&x, (int)at_rng_below(&r, (uint64_t)S), (int)at_rng_below(&r, 3) - 1,
                        (int)at_rng_below(&r, (uint64_t)S));
        at_dfa *d;
        assert_int_equal(at_nfa_determinize(&x, 0, S - 1, &w.a, &d, &w.err), AT_OK);
        int v[7];
        for (int k = 0; k <= 7; k++)
            for (uint64_t i = 0; i < power(2, k); i++) {
                word_nth(v, k, 2, i);
                unsigned in = 1; /* states that one may be in, letter by letter */
                for (int at = 0; at <= k; at++) {
                    for (int again = 0; again < S; again++)
                        for (size_t e = 0; e < x.n; e++)
                            if (x.edge[e].letter < 0 && (in >> x.edge[e].from & 1))
                                in |= 1u << x.edge[e].to;
                    unsigned next = 0;
                    for (size_t e = 0; at < k && e < x.n; e++)
                        if (x.edge[e].letter == v[at] && (in >> x.edge[e].from & 1))
                            next |= 1u << x.edge[e].to;
                    in = at < k ? next : in;
                }
                assert_int_equal(at_dfa_accepts(d, v, k), in >> (S - 1) & 1);
            }
        at_nfa_release(&x);
        at_arena_release(&w.a);
    }
}

/* ---- monoids ---------------------------------------------------------------------------------------------------------- */

static void test_monoid(void **state)
{
    (void)state;
    for (int t = 0; t < 300; t++) {
        room w = {0};
        at_arena_init(&w.a);
        at_rng r = at_rng_at(14, (uint64_t)t);
        at_dfa *d = random_dfa(&w, &r, 1 + (int)at_rng_below(&r, 5), 2);
        at_monoid *m, *none;
        assert_int_equal(at_monoid_make(d, AT_MONOID_MAX, &w.a, &m, &w.err), AT_OK);
        assert_non_null(m);
        int Q = d->states, word[64];
        for (int k = 0; k < 200; k++) {
            int f = (int)at_rng_below(&r, (uint64_t)m->n), g = (int)at_rng_below(&r, (uint64_t)m->n);
            int h = at_monoid_times(m, f, g);
            for (int q = 0; q < Q; q++)
                assert_int_equal(m->image[h * Q + q], m->image[g * Q + m->image[f * Q + q]]);
            for (int c = 0; c < 2; c++) {
                assert_int_equal(m->right[f * 2 + c], at_monoid_times(m, f, m->right[c]));
                assert_int_equal(m->left[f * 2 + c], at_monoid_times(m, m->right[c], f));
            }
            int n = at_monoid_length(m, f);
            assert_true(n < 64);
            at_monoid_word(m, f, word);
            for (int q = 0; q < Q; q++) {
                int p = q;
                for (int i = 0; i < n; i++)
                    p = d->to[p * 2 + word[i]];
                assert_int_equal(p, m->image[f * Q + q]);
            }
            /* the period: powers of f until one comes back */
            int seen[5000], s = 0, p = f, at = -1;
            while (at < 0) {
                for (int i = 0; i < s; i++)
                    if (seen[i] == p)
                        at = i;
                seen[s++] = p;
                p = at_monoid_times(m, p, f);
            }
            assert_int_equal(at_monoid_period(m, f), s - 1 - at);
        }
        if (m->n > 1) {
            assert_int_equal(at_monoid_make(d, m->n - 1, &w.a, &none, &w.err), AT_OK);
            assert_null(none);
        }
        assert_int_equal(at_monoid_make(d, m->n, &w.a, &none, &w.err), AT_OK);
        assert_non_null(none);
        at_arena_release(&w.a);
    }
}

/* f and g are R-related when each is the other times something; by definition. */
static bool makes(const at_monoid *m, int f, int g, bool right)
{
    for (int h = 0; h < m->n; h++)
        if ((right ? at_monoid_times(m, f, h) : at_monoid_times(m, h, f)) == g)
            return true;
    return false;
}

static void test_green(void **state)
{
    (void)state;
    for (int t = 0; t < 60; t++) {
        room w = {0};
        at_arena_init(&w.a);
        at_rng r = at_rng_at(15, (uint64_t)t);
        at_dfa *d = random_dfa(&w, &r, 1 + (int)at_rng_below(&r, 4), 2);
        at_monoid *m;
        at_green g;
        assert_int_equal(at_monoid_make(d, 300, &w.a, &m, &w.err), AT_OK);
        assert_non_null(m);
        assert_int_equal(at_monoid_green(m, &w.a, &g, &w.err), AT_OK);
        for (int k = 0; k < 150; k++) {
            int x = (int)at_rng_below(&r, (uint64_t)m->n), y = (int)at_rng_below(&r, (uint64_t)m->n);
            assert_int_equal(g.r[x] == g.r[y], makes(m, x, y, true) && makes(m, y, x, true));
            assert_int_equal(g.l[x] == g.l[y], makes(m, x, y, false) && makes(m, y, x, false));
            bool joined = false; /* D: some z with x R z and z L y */
            for (int z = 0; z < m->n; z++)
                joined = joined || (g.r[x] == g.r[z] && g.l[z] == g.l[y]);
            assert_int_equal(g.d[x] == g.d[y], joined);
        }
        at_arena_release(&w.a);
    }
}

/* ---- groups ------------------------------------------------------------------------------------------------------------- */

/* The word problem of a group of permutations: accept when the product is the identity on point 0's whole orbit; states are the
 * elements, found here by closure. */
static at_dfa *group_dfa(room *w, int points, int letters, const int perm[][8])
{
    static int element[5000][8];
    static int to[5000][3];
    int n = 1;
    for (int p = 0; p < points; p++)
        element[0][p] = p;
    for (int k = 0; k < n; k++)
        for (int c = 0; c < letters; c++) {
            int next[8], at = -1;
            for (int p = 0; p < points; p++)
                next[p] = perm[c][element[k][p]];
            for (int j = 0; j < n && at < 0; j++)
                if (memcmp(element[j], next, sizeof(int) * (size_t)points) == 0)
                    at = j;
            if (at < 0) {
                assert_true(n < 5000);
                memcpy(element[at = n++], next, sizeof(int) * (size_t)points);
            }
            to[k][c] = at;
        }
    at_dfa *d;
    assert_int_equal(at_dfa_new(&(at_alphabet){letters, names}, n, &w->a, &d, &w->err), AT_OK);
    for (int k = 0; k < n; k++)
        for (int c = 0; c < letters; c++)
            d->to[k * letters + c] = to[k][c];
    d->accept[0] = true;
    return d;
}

static void test_groups(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int points, perm[2][8], order, core;
    } known[] = {
        {"Z2", 2, {{1, 0}, {1, 0}}, 2, 1},
        {"S3", 3, {{1, 0, 2}, {1, 2, 0}}, 6, 1},
        {"A4", 4, {{1, 2, 0, 3}, {1, 0, 3, 2}}, 12, 1},
        {"D4", 4, {{1, 2, 3, 0}, {0, 3, 2, 1}}, 8, 1},
        {"Q8", 8, {{1, 2, 3, 0, 5, 6, 7, 4}, {4, 7, 6, 5, 2, 1, 0, 3}}, 8, 1},
        {"S4", 4, {{1, 0, 2, 3}, {1, 2, 3, 0}}, 24, 1},
        {"A5", 5, {{1, 2, 0, 3, 4}, {1, 2, 3, 4, 0}}, 60, 60},
        {"S5", 5, {{1, 0, 2, 3, 4}, {1, 2, 3, 4, 0}}, 120, 60},
        {"PSL(2,7)", 7, {{1, 2, 3, 4, 5, 6, 0}, {0, 2, 1, 5, 4, 3, 6}}, 168, 168},
        {"A6", 6, {{1, 2, 0, 3, 4, 5}, {0, 2, 3, 4, 5, 1}}, 360, 360},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        room w = {0};
        at_arena_init(&w.a);
        at_place p;
        at_dfa *d = group_dfa(&w, known[k].points, 2, known[k].perm);
        assert_int_equal(at_place_find(d, &w.a, &p, &w.err), AT_OK);
        if (p.monoid != known[k].order || p.n_groups != 1 || p.groups[0].core != known[k].core)
            fail_msg("%s: %d elements, %d groups, core %d", known[k].name, p.monoid, p.n_groups,
                     p.n_groups ? p.groups[0].core : 0);
        assert_int_equal(p.groups[0].order, known[k].order);
        assert_int_equal(p.star_free, AT_FALSE);
        assert_int_equal(p.solvable, known[k].core == 1 ? AT_TRUE : AT_FALSE);
        /* a group that is read off lengths alone is modular; Z2 with both letters the swap is (..)* */
        assert_int_equal(p.fo_mod, k == 0 ? AT_TRUE : AT_FALSE);
        at_arena_release(&w.a);
    }
}

/* ---- series --------------------------------------------------------------------------------------------------------- */

/* The least subgroup with these elements, by all products until nothing new comes. */
static int closure(const at_monoid *m, bool *has)
{
    int n = 0;
    for (bool more = true; more;) {
        more = false;
        for (int f = 0; f < m->n; f++)
            for (int g = 0; has[f] && g < m->n; g++)
                if (has[g] && !has[at_monoid_times(m, f, g)])
                    more = has[at_monoid_times(m, f, g)] = true;
    }
    for (int f = 0; f < m->n; f++)
        n += has[f];
    return n;
}

static int back_of(const at_monoid *m, int f)
{
    for (int g = 0; g < m->n; g++)
        if (at_monoid_times(m, f, g) == 0)
            return g;
    return -1;
}

/* By all commutators of all elements: the order of the last derived group, how many steps it takes, and the group's own order. */
static int core_slow(const at_monoid *m, int *steps, int *order)
{
    enum { MOST = 800 };
    static bool has[MOST], next[MOST];
    static int back[MOST];
    assert_true(m->n <= MOST);
    memset(has, 0, sizeof has);
    for (int f = 0; f < m->n; f++) {
        back[f] = back_of(m, f);
        has[f] = back[f] >= 0;
    }
    int n = *order = closure(m, has);
    for (*steps = 0; n > 1; ++*steps) {
        memset(next, 0, sizeof next);
        for (int f = 0; f < m->n; f++)
            for (int g = 0; has[f] && g < m->n; g++)
                if (has[g])
                    next[at_monoid_times(m, at_monoid_times(m, f, g), at_monoid_times(m, back[f], back[g]))] =
                        true;
        int less = closure(m, next);
        if (less == n)
            break;
        n = less;
        memcpy(has, next, sizeof has);
    }
    return n;
}

static int power_of(const at_monoid *m, int f, int n)
{
    int p = 0;
    while (n--)
        p = at_monoid_times(m, p, f);
    return p;
}

/* Is f in G_k? */
static bool is_below(const at_tower *x, int f, int k)
{
    for (int j = 0; j < k; j++)
        if (x->exponent[f * x->n + j])
            return false;
    return true;
}

static void series_check(const at_monoid *m, const at_tower *x)
{
    int all = 1, primes = 0;
    for (int k = 0; k < x->n; k++) {
        int m_k = x->factor[k], first = 0;
        all *= m_k;
        for (int p = 2, left = m_k; left > 1; p++)
            for (; left % p == 0; left /= p, primes++) {
                assert_true(!first || first == p); /* a prime power */
                first = p;
            }
        for (int s = 0; s <= m_k; s++) { /* cyclic, of that order */
            assert_true(is_below(x, power_of(m, x->by[k], s), k));
            assert_int_equal(is_below(x, power_of(m, x->by[k], s), k + 1), s % m_k == 0);
        }
    }
    assert_int_equal(all, x->order);
    assert_int_equal(primes, x->length);
    static bool met[800];
    memset(met, 0, sizeof met);
    for (int e = 0; e < x->order; e++) {
        int f = x->element[e], product = 0, at = 0, up = 0;
        const int *s = x->exponent + f * x->n;
        assert_false(met[f]);
        met[f] = true;
        for (int k = 0; k < x->n; k++)
            at = at * x->factor[k] + s[k];
        assert_int_equal(at, e);
        for (int k = x->n - 1; k >= 0; k--)
            product = at_monoid_times(m, product, power_of(m, x->by[k], s[k]));
        assert_int_equal(product, f);
        while (up < x->n && !s[up])
            up++;
        for (int j = 0; j < x->order; j++) { /* f is in G_up: a subgroup, and normal in the one before */
            int g = x->element[j];
            if (is_below(x, g, up))
                assert_true(is_below(x, at_monoid_times(m, f, g), up));
            if (up && is_below(x, g, up - 1))
                assert_true(is_below(x, at_monoid_times(m, at_monoid_times(m, back_of(m, g), f), g), up));
        }
    }
    /* what a letter adds to exponent k is a function of it and of the exponents before k */
    for (int c = 0; c < m->d->sigma.n; c++)
        for (int e = 0; e < x->order && at_monoid_permutes(m, m->right[c]); e++) {
            int f = x->element[e], to = at_monoid_times(m, f, m->right[c]), below = x->order;
            for (int k = 0; k < x->n; k++) {
                int start = x->element[e / below * below];
                below /= x->factor[k];
                int other = at_monoid_times(m, start, m->right[c]);
                int adds = x->exponent[to * x->n + k] - x->exponent[f * x->n + k];
                int same = x->exponent[other * x->n + k] - x->exponent[start * x->n + k];
                assert_int_equal((adds - same) % x->factor[k], 0);
            }
        }
}

/* Every group that random permutations make, sometimes with resets beside them: the series is what it says, or the group is
 * not solvable by brute force, too. */
static void test_series(void **state)
{
    (void)state;
    int made = 0, refused = 0, deep = 0, parts = 0;
    for (int t = 0; t < 600; t++) {
        room w = {0};
        at_arena_init(&w.a);
        at_rng r = at_rng_at(19, (uint64_t)t);
        int S = 2 + (int)at_rng_below(&r, 5), letters = 1 + (int)at_rng_below(&r, 3);
        at_dfa *d = random_dfa(&w, &r, S, letters);
        for (int c = 0; c < letters; c++) {
            bool reset = at_rng_below(&r, 4) == 0;
            for (int q = 0; q < S; q++) {
                int j = (int)at_rng_below(&r, (uint64_t)q + 1);
                d->to[q * letters + c] = d->to[j * letters + c];
                d->to[j * letters + c] = q;
            }
            for (int q = 1; q < S && reset; q++)
                d->to[q * letters + c] = d->to[c];
        }
        at_monoid *m;
        at_tower *x;
        int steps, order;
        assert_int_equal(at_monoid_make(d, 800, &w.a, &m, &w.err), AT_OK);
        int core = core_slow(m, &steps, &order);
        at_status s = at_monoid_tower(m, &w.a, &x, &w.err);
        assert_int_equal(s, core == 1 ? AT_OK : AT_EREFUSED);
        if (s) {
            refused++;
            assert_non_null(strstr(w.err.text, "not solvable"));
        } else {
            made++;
            assert_int_equal(x->order, order);
            assert_int_equal(x->derived, steps);
            series_check(m, x);
            deep = deep > x->derived ? deep : x->derived;
            parts = parts > x->n ? parts : x->n;
        }
        at_arena_release(&w.a);
    }
    assert_true(made > 300 && refused > 50 && deep >= 3 && parts >= 4);
}

/* Direct products: those of the abelian factors, with prime powers that are not primes. */
static void test_series_known(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int points, perm[2][8], n, factor[4], length, derived;
    } known[] = {
        {"Z4", 4, {{1, 2, 3, 0}, {0, 1, 2, 3}}, 1, {4}, 2, 1},
        {"Z6", 5, {{1, 0, 3, 4, 2}, {0, 1, 2, 3, 4}}, 2, {2, 3}, 2, 1},
        {"Z4 x Z2", 6, {{1, 2, 3, 0, 4, 5}, {0, 1, 2, 3, 5, 4}}, 2, {2, 4}, 3, 1},
        {"Z4 x Z3", 7, {{1, 2, 3, 0, 4, 5, 6}, {0, 1, 2, 3, 5, 6, 4}}, 2, {3, 4}, 3, 1},
        {"S3", 3, {{1, 0, 2}, {1, 2, 0}}, 2, {2, 3}, 2, 2},
        {"A4", 4, {{1, 2, 0, 3}, {1, 0, 3, 2}}, 3, {3, 2, 2}, 3, 2},
        {"D4", 4, {{1, 2, 3, 0}, {0, 3, 2, 1}}, 3, {2, 2, 2}, 3, 2},
        {"Q8", 8, {{1, 2, 3, 0, 5, 6, 7, 4}, {4, 7, 6, 5, 2, 1, 0, 3}}, 3, {2, 2, 2}, 3, 2},
        {"S4", 4, {{1, 0, 2, 3}, {1, 2, 3, 0}}, 4, {2, 3, 2, 2}, 4, 3},
        {"7:3", 7, {{1, 2, 3, 4, 5, 6, 0}, {0, 2, 4, 6, 1, 3, 5}}, 2, {3, 7}, 2, 2},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        room w = {0};
        at_arena_init(&w.a);
        at_monoid *m;
        at_tower *x;
        at_dfa *d = group_dfa(&w, known[k].points, 2, known[k].perm);
        assert_int_equal(at_monoid_make(d, 100, &w.a, &m, &w.err), AT_OK);
        if (at_monoid_tower(m, &w.a, &x, &w.err))
            fail_msg("%s: %s", known[k].name, w.err.text);
        if (x->n != known[k].n || x->length != known[k].length || x->derived != known[k].derived)
            fail_msg("%s: %d factors, composition length %d, derived length %d", known[k].name, x->n,
                     x->length, x->derived);
        for (int j = 0; j < x->n; j++)
            assert_int_equal(x->factor[j], known[k].factor[j]);
        series_check(m, x);
        at_arena_release(&w.a);
    }
}

/* ---- places by definition ------------------------------------------------------------------------------------------------ */

/* With words to length 2s of a small monoid: is there s with equal images of length s and 2s, none of them of a period? */
static at_tri fo_mod_slow(const at_monoid *m, int *modulus)
{
    enum { LONG = 400 };
    static bool set[LONG + 1][400];
    memset(set, 0, sizeof set);
    set[0][0] = true;
    for (int k = 0; k < LONG; k++)
        for (int f = 0; f < m->n; f++)
            for (int c = 0; set[k][f] && c < m->d->sigma.n; c++)
                set[k + 1][m->right[f * m->d->sigma.n + c]] = true;
    for (int s = 1; 2 * s <= LONG; s++)
        if (memcmp(set[s], set[2 * s], sizeof set[s]) == 0) {
            *modulus = s;
            for (int f = 0; f < m->n; f++)
                if (set[s][f] && at_monoid_times(m, f, f) != f) {
                    int p = f, before;
                    for (int k = 0; k < 1000; k++)
                        p = at_monoid_times(m, p, f);
                    before = p;
                    p = at_monoid_times(m, p, f);
                    if (p != before)
                        return AT_FALSE;
                }
            return AT_TRUE;
        }
    return AT_UNKNOWN;
}

static void test_place(void **state)
{
    (void)state;
    int free = 0, mod = 0, none = 0;
    for (int t = 0; t < 2000; t++) {
        room w = {0};
        at_arena_init(&w.a);
        at_rng r = at_rng_at(16, (uint64_t)t);
        at_dfa *d = random_dfa(&w, &r, 2 + (int)at_rng_below(&r, 3), 1 + (int)at_rng_below(&r, 2));
        if (t % 2) /* states in two halves that every letter changes: languages of lengths among them */
            for (int q = 0; q < d->states; q++)
                for (int c = 0; c < d->sigma.n; c++)
                    d->to[q * d->sigma.n + c] = q % 2 ? d->to[q * d->sigma.n + c] / 2 * 2
                                                      : (d->to[q * d->sigma.n + c] | 1) % d->states;
        at_place p;
        assert_int_equal(at_place_find(d, &w.a, &p, &w.err), AT_OK);
        assert_true(p.monoid > 0 && p.monoid <= 400);
        bool aperiodic = true;
        for (int f = 0; f < p.monoid; f++)
            aperiodic = aperiodic && at_monoid_period(p.m, f) == 1;
        assert_int_equal(p.star_free, aperiodic ? AT_TRUE : AT_FALSE);
        int s = 0;
        assert_int_equal(p.fo_mod, fo_mod_slow(p.m, &s));
        if (!aperiodic) {
            assert_int_equal(p.modulus, s);
            assert_true(p.period > 1);
            /* u^k and u^(k+1) are told apart for every k: by the automaton itself, from some state */
            int q = 0, from = 0;
            bool apart = false;
            for (from = 0; from < p.states && !apart; from++) {
                q = from;
                for (int k = 0; k < 50; k++) /* long enough to be on the cycle */
                    for (int i = 0; i < p.n_witness; i++)
                        q = p.least->to[q * d->sigma.n + p.witness[i]];
                int next = q;
                for (int i = 0; i < p.n_witness; i++)
                    next = p.least->to[next * d->sigma.n + p.witness[i]];
                apart = next != q;
            }
            assert_true(apart);
        }
        if (p.fo_mod == AT_FALSE) {
            assert_int_equal(p.n_mod_witness, p.modulus);
            int f = 0;
            for (int i = 0; i < p.n_mod_witness; i++)
                f = p.m->right[f * d->sigma.n + p.mod_witness[i]];
            assert_int_equal(at_monoid_period(p.m, f), p.mod_period);
            assert_true(p.mod_period > 1);
        }
        free += p.star_free == AT_TRUE;
        mod += p.star_free == AT_FALSE && p.fo_mod == AT_TRUE;
        none += p.fo_mod == AT_FALSE;
        at_arena_release(&w.a);
    }
    assert_true(free > 100 && mod > 100 && none > 100); /* all three were met */
}

/* Beyond the limit nothing is said. */
static void test_too_many(void **state)
{
    (void)state;
    room w = {0};
    at_arena_init(&w.a);
    at_dfa *d; /* all transformations of 7 points: 823,543 */
    assert_int_equal(at_dfa_new(&(at_alphabet){3, names}, 7, &w.a, &d, &w.err), AT_OK);
    for (int q = 0; q < 7; q++) {
        d->to[q * 3] = (q + 1) % 7;
        d->to[q * 3 + 1] = q < 2 ? 1 - q : q;
        d->to[q * 3 + 2] = q == 1 ? 0 : q;
    }
    d->accept[0] = true;
    at_place p;
    assert_int_equal(at_place_find(d, &w.a, &p, &w.err), AT_OK);
    assert_int_equal(p.monoid, -1);
    assert_int_equal(p.star_free, AT_UNKNOWN);
    assert_int_equal(p.fo_mod, AT_UNKNOWN);
    assert_int_equal(p.solvable, AT_UNKNOWN);
    assert_int_equal(p.states, 7);
    at_arena_release(&w.a);
}

/* ---- cascades ------------------------------------------------------------------------------------------------------------- */

/* Random automata without periods: the coordinates stand for the automaton's state after every word, and a reset below a row
 * is a function of the row and the letter alone by how the cascade is kept. Automata with periods are refused. */
static void test_cascade(void **state)
{
    (void)state;
    int made = 0, refused = 0, deep = 0;
    for (int t = 0; t < 4000; t++) {
        room w = {0};
        at_arena_init(&w.a);
        at_rng r = at_rng_at(18, (uint64_t)t);
        int S = 1 + (int)at_rng_below(&r, 6), letters = 1 + (int)at_rng_below(&r, 3);
        at_dfa *d = random_dfa(&w, &r, S, letters);
        if (t % 2) /* orders are kept: no permutation but the identity */
            for (int c = 0; c < letters; c++)
                for (int q = 1; q < S; q++)
                    if (d->to[q * letters + c] < d->to[(q - 1) * letters + c])
                        d->to[q * letters + c] = d->to[(q - 1) * letters + c];
        at_place p;
        at_cascade *c;
        assert_int_equal(at_place_find(d, &w.a, &p, &w.err), AT_OK);
        if (!p.m) { /* 6^6 transformations are more than are made */
            at_arena_release(&w.a);
            continue;
        }
        at_status s = at_cascade_make(p.m, &w.a, &c, &w.err);
        assert_int_equal(s, p.star_free == AT_TRUE ? AT_OK : AT_EREFUSED);
        if (s) {
            refused++;
            at_arena_release(&w.a);
            continue;
        }
        made++;
        deep = deep > c->levels ? deep : c->levels;
        int coordinate[64];
        assert_true(c->levels < 64);
        for (int k = 0; k < 40; k++) {
            int q = p.least->start;
            memcpy(coordinate, c->initial, sizeof(int) * (size_t)c->levels);
            assert_int_equal(at_cascade_state(c, coordinate), q);
            for (int i = 0; i < 30; i++) {
                int a = (int)at_rng_below(&r, (uint64_t)letters);
                q = p.least->to[q * letters + a];
                at_cascade_step(c, a, coordinate);
                if (at_cascade_state(c, coordinate) != q)
                    fail_msg("automaton %d: state %d, not %d, after %d letters", t,
                             at_cascade_state(c, coordinate), q, i + 1);
                for (int l = 0; l < c->levels; l++)
                    assert_in_range(coordinate[l], 0, c->size[l] - 1);
            }
        }
        at_arena_release(&w.a);
    }
    assert_true(made > 1000 && refused > 500 && deep >= 4);
}

/* ---- alphabets ------------------------------------------------------------------------------------------------------------ */

static void test_alphabet(void **state)
{
    (void)state;
    room w = {0};
    at_arena_init(&w.a);
    at_alphabet s;
    int *word, n;
    at_text t;
    at_text_init(&t);
    assert_int_equal(at_alphabet_parse(" \"a(b)\" ", &w.a, &s, &w.err), AT_OK);
    assert_int_equal(s.n, 4);
    assert_int_equal(at_alphabet_word(&s, "ab (", &w.a, &word, &n, &w.err), AT_OK);
    assert_int_equal(n, 3);
    assert_int_equal(word[2], 1);
    at_alphabet_print(&s, word, n, &t);
    assert_string_equal(t.s, "ab(");
    assert_int_equal(at_alphabet_word(&s, "abx", &w.a, &word, &n, &w.err), AT_EINPUT);
    assert_string_equal(w.err.text, "letter 3, 'x', is not in the alphabet: a ( b )");
    w.err = (at_err){0};
    assert_int_equal(at_alphabet_parse("up down", &w.a, &s, &w.err), AT_OK);
    assert_int_equal(at_alphabet_word(&s, "up up down", &w.a, &word, &n, &w.err), AT_OK);
    assert_int_equal(n, 3);
    at_text_release(&t);
    at_text_init(&t);
    at_alphabet_print(&s, word, n, &t);
    assert_string_equal(t.s, "up up down");
    at_text_release(&t);
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "is empty"},
        {"  ", "is empty"},
        {"a b a", "'a' twice"},
        {"\"ab", "no closing"},
        {"\"\"", "is empty"},
        {"a b\x01", "no visible text"},
        {"aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbb", "too long"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        w.err = (at_err){0};
        assert_int_equal(at_alphabet_parse(bad[k].text, &w.a, &s, &w.err), AT_EINPUT);
        if (!strstr(w.err.text, bad[k].says))
            fail_msg("%s: %s", bad[k].text, w.err.text);
    }
    char many[800] = "";
    for (int k = 0; k < 65; k++)
        snprintf(many + strlen(many), 16, "x%d ", k);
    w.err = (at_err){0};
    assert_int_equal(at_alphabet_parse(many, &w.a, &s, &w.err), AT_EINPUT);
    assert_non_null(strstr(w.err.text, "more than 64"));
    at_arena_release(&w.a);
}

/* Every allocation fails once: no crash, nothing kept, the one word. */
static void test_memory(void **state)
{
    (void)state;
    for (long nth = 1, done = 0; !done; nth++) {
        room w = {0};
        at_arena_init(&w.a);
        at_rng r = at_rng_at(17, 5);
        at_dfa *d = random_dfa(&w, &r, 5, 2), *e, *not ;
        at_dfa *s3 = group_dfa(&w, 3, 2, (const int[2][8]){{1, 0, 2}, {1, 2, 0}});
        at_place p;
        at_cascade *c;
        at_monoid *m;
        at_tower *g;
        at_nfa x;
        int *word, n;
        at_nfa_init(&x, &d->sigma);
        at_alloc_inject(nth);
        int from = at_nfa_state(&x), to = at_nfa_state(&x);
        at_nfa_embed(&x, d, from, to);
        at_status s = at_nfa_determinize(&x, from, to, &w.a, &e, &w.err);
        if (!s)
            s = at_place_find(e, &w.a, &p, &w.err);
        if (!s && p.star_free == AT_TRUE)
            s = at_cascade_make(p.m, &w.a, &c, &w.err);
        if (!s)
            s = at_monoid_make(s3, 100, &w.a, &m, &w.err);
        if (!s)
            s = at_monoid_tower(m, &w.a, &g, &w.err);
        if (!s)
            s = at_dfa_complement(d, &w.a, &not, &w.err);
        if (!s)
            s = at_dfa_intersect(d, not, &w.a, &e, &w.err);
        if (!s)
            s = at_dfa_differ(d, not, &w.a, &word, &n, &w.err);
        done = !at_alloc_injected();
        at_alloc_inject(0);
        assert_int_equal(s, done ? AT_OK : AT_ENOMEM);
        at_nfa_release(&x);
        at_arena_release(&w.a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimize),     cmocka_unit_test(test_differ),
        cmocka_unit_test(test_determinize),  cmocka_unit_test(test_monoid),
        cmocka_unit_test(test_green),        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_place),        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_cascade),      cmocka_unit_test(test_alphabet),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_series),
        cmocka_unit_test(test_series_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
