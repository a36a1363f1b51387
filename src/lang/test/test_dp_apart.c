/* test_dp_apart.c: differences that at_dp_apart proves hold on every input.
 *
 * All inputs of small instances are run by the interpreter, and every two values that a state looks at together are subtracted. Control:
 * of edit distance no interval can be narrower, so the same count finds inputs outside intervals that are one shorter. */
#include "dp_test.h"

typedef struct {
    const char *name, *sizes;
    int letters; /* of the lowest values of each input */
} point;

static int input_of(const at_dp_instance *x, int64_t i)
{
    int w = 0;
    while (w + 1 < x->d->n_inputs && i >= x->input_first[w + 1])
        w++;
    return w;
}

/* The next input, or false after the last one. */
static bool input_next(const at_dp_instance *x, int letters, int64_t *in)
{
    for (int64_t i = 0; i < x->n_input; i++) {
        int w = input_of(x, i);
        int64_t top = x->input_lo[w] + letters - 1;
        if (in[i]++ < (top < x->input_hi[w] ? top : x->input_hi[w]))
            return true;
        in[i] = x->input_lo[w];
    }
    return false;
}

static int64_t value_at(const at_dp_instance *x, const at_dp_chain *c, int64_t rank, int v)
{
    return rank < 0 ? 0 : c->value[rank * x->d->n_values + v];
}

/* Differences outside their intervals, which are `less` shorter from below; *seen: how many were looked at. */
static int64_t outside(const point *p, int64_t less, int64_t *seen)
{
    at_err err = {0};
    at_dp *d = dp_example(p->name);
    at_dp_instance *x = dp_bound(d, p->sizes);
    at_dp_apart *a;
    enum { MOST = AT_DP_NEED + AT_DP_MAX };
    static at_dp_range r[MOST * MOST];
    bool here[MOST];
    int64_t in[64], take[AT_DP_MAX], need[AT_DP_MAX], wrong = 0;
    int n = AT_DP_NEED + d->n_needs;
    at_arena arena;
    at_arena_init(&arena);
    if (at_dp_apart_new(x, &a, &err))
        fail_msg("%s: %s", p->name, err.text);
    assert_true(x->n_input <= 64);
    for (int64_t i = 0; i < x->n_input; i++)
        in[i] = x->input_lo[input_of(x, i)];
    *seen = 0;
    do {
        at_mark mark = at_arena_mark(&arena);
        at_dp_chain c;
        assert_int_equal(at_dp_run(x, in, &arena, &c, &err), AT_OK);
        for (int64_t s = 0; s < x->n_states; s++) {
            assert_int_equal(at_dp_fetches(x, s, take, need, &err), AT_OK);
            for (int v = 0; v < d->n_values; v++) {
                at_dp_apart_at(a, s, v, r, here);
                for (int i = 1; i < n; i++)
                    for (int j = 0; j < n; j++) {
                        int64_t rank[2] = {i == AT_DP_BEFORE ? s - 1 : need[i - AT_DP_NEED],
                                           j == AT_DP_ZERO     ? -1
                                           : j == AT_DP_BEFORE ? s - 1
                                                               : need[j - AT_DP_NEED]};
                        assert_int_equal(here[i], rank[0] >= 0);
                        if (i == j || !here[i] || !here[j])
                            continue;
                        int64_t apart = value_at(x, &c, rank[0], v) - value_at(x, &c, rank[1], v);
                        wrong += apart < r[i * n + j].lo + less || apart > r[i * n + j].hi;
                        ++*seen;
                    }
            }
        }
        at_arena_reset(&arena, mark);
    } while (input_next(x, p->letters, in));
    at_arena_release(&arena);
    at_dp_apart_free(a);
    at_dp_instance_free(x);
    at_dp_free(d);
    return wrong;
}

static void test_every_input(void **state)
{
    (void)state;
    static const point p[] = {{"edit-distance", "n1=3,n2=3", 3},
                              {"edit-distance", "n1=2,n2=4,border=1", 2},
                              {"edit-distance-local", "n1=3,n2=3", 2},
                              {"lis", "n=4,top=4", 4},
                              {"lcs", "n1=3,n2=3", 3},
                              {"grid", "rows=3,cols=2", 3},
                              {"prefix-sum", "n=5,q=3", 3},
                              {"palindrome", "n=6", 2}};
    for (size_t k = 0; k < sizeof p / sizeof *p; k++) {
        int64_t seen, wrong = outside(&p[k], 0, &seen);
        print_message("%s %s: %lld differences\n", p[k].name, p[k].sizes, (long long)seen);
        assert_int_equal(wrong, 0);
        assert_true(outside(&p[k], 1, &seen) > 0);
    }
}

/* The widest interval of need i minus j (a need, or the row before) over all states that have both. */
static at_dp_range widest(const char *name, const char *sizes, int v, int i, int j)
{
    at_err err = {0};
    at_dp *d = dp_example(name);
    at_dp_instance *x = dp_bound(d, sizes);
    at_dp_apart *a;
    at_dp_range r[16 * 16], all = {INT64_MAX, INT64_MIN};
    bool here[16];
    int n = AT_DP_NEED + d->n_needs;
    assert_true(n <= 16);
    assert_int_equal(at_dp_apart_new(x, &a, &err), AT_OK);
    for (int64_t s = 0; s < x->n_states; s++) {
        at_dp_apart_at(a, s, v, r, here);
        if (!here[i] || !here[j])
            continue;
        all.lo = r[i * n + j].lo < all.lo ? r[i * n + j].lo : all.lo;
        all.hi = r[i * n + j].hi > all.hi ? r[i * n + j].hi : all.hi;
    }
    at_dp_apart_free(a);
    at_dp_instance_free(x);
    at_dp_free(d);
    return all;
}

/* Neighbours in the table of an edit distance differ by at most 2, in that of a common subsequence by at most 1, at any size. */
static void test_neighbours(void **state)
{
    (void)state;
    enum { UP = AT_DP_NEED, LEFT, DIAG };
    static const struct {
        const char *name, *sizes;
        int i, j;
        at_dp_range is;
    } p[] = {{"edit-distance", "n1=30,n2=40", UP, DIAG, {-2, 2}},
             {"edit-distance", "n1=30,n2=40", LEFT, DIAG, {-2, 2}},
             {"edit-distance", "n1=30,n2=40", UP, LEFT, {-4, 4}},
             {"edit-distance-local", "n1=30,n2=40", UP, DIAG, {-2, 2}},
             {"lcs", "n1=30,n2=40", UP, DIAG, {0, 1}},
             {"lcs", "n1=30,n2=40", LEFT, DIAG, {0, 1}}};
    for (size_t k = 0; k < sizeof p / sizeof *p; k++) {
        at_dp_range r = widest(p[k].name, p[k].sizes, 0, p[k].i, p[k].j);
        assert_int_equal(r.lo, p[k].is.lo);
        assert_int_equal(r.hi, p[k].is.hi);
    }
}

/* What is subtracted is known of differences, too: behind v = before - x[i], x of 1..3, v falls by 1 to 3 from state to state. */
static void test_subtracted(void **state)
{
    (void)state;
    at_err err = {0};
    at_dp *d =
        dp_of("problem \"fall\"\nsize n in 1..9\ninput x[n] in 1..3\nstate i in 1..n\nvalue v in -27..0\n"
              "take y = x[i]\nneed p = (i-1) when i > 1\nneed q = (i-2) when i > 2\n"
              "let last = if i > 1 then p.v else 0\nv = last - y\nanswer v at (n)\n");
    at_dp_instance *x = dp_bound(d, "n=9");
    at_dp_apart *a;
    at_dp_range r[16 * 16];
    bool here[16];
    int n = AT_DP_NEED + d->n_needs, seen = 0;
    assert_int_equal(at_dp_apart_new(x, &a, &err), AT_OK);
    for (int64_t s = 0; s < x->n_states; s++) {
        at_dp_apart_at(a, s, 0, r, here);
        if (!here[AT_DP_NEED] || !here[AT_DP_NEED + 1])
            continue;
        const at_dp_range *fall = &r[AT_DP_NEED * n + AT_DP_NEED + 1];
        assert_int_equal(fall->lo, -3);
        assert_int_equal(fall->hi, -1);
        seen++;
    }
    assert_true(seen > 0);
    at_dp_apart_free(a);
    at_dp_instance_free(x);
    at_dp_free(d);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const p[][2] = {
        {"knapsack", "n=3,cap=5"}, {"matrix-chain", "n=3"}, {"palindrome-cuts", "n=3"}, {"stairs", "n=3"}};
    for (int k = 0; k < 4; k++) {
        at_err err = {0};
        at_dp *d = dp_example(p[k][0]);
        at_dp_instance *x = dp_bound(d, p[k][1]);
        at_dp_apart *a;
        assert_int_equal(at_dp_apart_new(x, &a, &err), AT_EREFUSED);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
    /* Steered look-ups, also where every input was tried. */
    at_err err = {0};
    at_dp *d = dp_of(
        "problem \"p\"\nsize n in 1..9\ninput a[n] in 1..3\nstate i in 1..n\nvalue v in 0..9\ntake x = a[i]\n"
        "need u = (i - x) when x < i\nv = if x < i then u.v else 0\nanswer v at (n)\n");
    at_dp_instance *x = dp_bound(d, "n=3");
    at_dp_apart *b;
    assert_true(x->proved == AT_TRUE && d->steering);
    assert_int_equal(at_dp_apart_new(x, &b, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "whose look-ups nothing steers"));
    at_dp_instance_free(x);
    at_dp_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_input), cmocka_unit_test(test_neighbours),
                                       cmocka_unit_test(test_subtracted), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
