/* test_rows.c: the pointwise tasks over reals: draws lie in the domain and reach its ends, answers equal the
 * definition written once more, shrinking ends and never leaves the domain, integers are enumerated once each. */
#include "task_test.h"

#include <math.h>

static const struct {
    const char *id, *size;
} rows[] = {
    {"product", "N=5 M=3"},
    {"product", "N=1 M=0.001"},
    {"relu-net", "N=3"},
    {"relu-net", "N=2 d1=16 h=64 d2=16 M=100 X=0.5 net=7"},
    {"linear-map", "N=3"},
    {"linear-map", "N=2 d1=16 d2=16 M=100"},
    {"selection", "N=4"},
    {"selection", "N=2 d=16 M=7 alpha=0.001 T=1000"},
    {"selection", "N=2 alpha=4"},
    {"prefix-mask", "N=4 n=1"},
    {"prefix-mask", "N=2 n=9"},
    {"prefix-mask", "N=2 n=9 onehot=1"},
    {"suffix-mask", "N=4 n=9"},
    {"suffix-mask", "N=2 n=1024"},
    {"block-index", "N=4 n=1"},
    {"block-index", "N=4 n=5"},
    {"block-index", "N=2 n=256"},
    {"prefix-mask", "N=3 n=4 spread=0"},
    {"block-index", "N=3 n=3 spread=0"},
};
#define ROWS (sizeof rows / sizeof rows[0])

/* The domain, from its definition. */
static bool in_domain(const at_task *t, const at_params *p, const double *x)
{
    if (!strcmp(t->id, "product"))
        return fabs(x[0]) <= at_params_get(p, "M") && fabs(x[1]) <= at_params_get(p, "M");
    if (!strcmp(t->id, "selection")) {
        int d = at_params_int(p, "d");
        for (int k = 0; k < 2 * d; k++)
            if (fabs(x[k]) > at_params_get(p, "M"))
                return false;
        return fabs(x[2 * d]) >= at_params_get(p, "alpha") && fabs(x[2 * d]) <= at_params_get(p, "T");
    }
    if (at_params_has(p, "X")) {
        for (int k = 0; k < t->row_width(p); k++)
            if (fabs(x[k]) > at_params_get(p, "X"))
                return false;
        return true;
    }
    int n = at_params_int(p, "n"), blocks = !strcmp(t->id, "block-index");
    double i = floor(x[0] + 0.5);
    return i >= blocks && i <= (blocks ? n * n : n) && fabs(x[0] - i) <= at_params_get(p, "spread");
}

static void test_draws(void **state)
{
    (void)state;
    for (size_t k = 0; k < ROWS; k++) {
        at_params p;
        const at_task *t = task_with(rows[k].id, rows[k].size, &p);
        double *x = task_input(t, &p), least = INFINITY, most = -INFINITY;
        int W = t->row_width(&p), N = at_params_int(&p, "N");
        for (uint64_t i = 0; i < 2000; i++) {
            at_rng r = at_rng_at(31, i);
            (i % 2 ? t->adversarial : t->sample)(&p, &r, x);
            for (int j = 0; j < N; j++) {
                assert_true(in_domain(t, &p, x + j * W));
                least = fmin(least, x[j * W]);
                most = fmax(most, x[j * W]);
            }
        }
        double M = !strcmp(t->id, "product") || !strcmp(t->id, "selection") ? at_params_get(&p, "M")
                   : at_params_has(&p, "X")                                 ? at_params_get(&p, "X")
                                                                            : 0;
        if (M > 0) /* both ends are met, or nearly */
            assert_true(most > 0.99 * M && least < -0.99 * M);
        else {
            int n = at_params_int(&p, "n");
            bool blocks = !strcmp(t->id, "block-index");
            assert_true(least <= blocks + 0.02 * n * n && most >= (blocks ? n * n : n) * 0.98);
        }
        free(x);
    }
}

static void expect(const at_task *t, const at_params *p, const double *x, double *y)
{
    if (!strcmp(t->id, "product"))
        y[0] = x[1] * x[0];
    else if (!strcmp(t->id, "selection")) {
        int d = at_params_int(p, "d");
        for (int k = 0; k < d; k++)
            y[k] = x[2 * d] > 0 ? x[k] : x[d + k];
    } else if (!strcmp(t->id, "block-index")) {
        int n = at_params_int(p, "n"), i = (int)floor(x[0] + 0.5), b = 1;
        while (b * n < i)
            b++;
        y[0] = b;
        y[1] = b - 1;
        y[2] = x[0] - (b - 1) * n;
    } else {
        int i = (int)floor(x[0] + 0.5);
        for (int k = 1; k <= at_params_int(p, "n"); k++)
            y[k - 1] = !strcmp(t->id, "suffix-mask") ? !(k < i)
                       : at_params_int(p, "onehot")  ? !(k < i) && !(k > i)
                                                     : !(k > i);
    }
}

static void test_answers(void **state)
{
    (void)state;
    for (size_t k = 0; k < ROWS; k++) {
        at_params p;
        const at_task *t = task_with(rows[k].id, rows[k].size, &p);
        if (at_params_has(&p, "X"))
            continue; /* test_networks */
        double *x = task_input(t, &p), *y = task_output(t, &p), *want = task_output(t, &p);
        int W = t->row_width(&p), R = t->out_width(&p), N = at_params_int(&p, "N");
        for (uint64_t i = 0; i < 500; i++) {
            at_rng r = at_rng_at(32, i);
            t->adversarial(&p, &r, x);
            t->answer(&p, x, y);
            for (int j = 0; j < N; j++) {
                expect(t, &p, x + j * W, want);
                for (int o = 0; o < R;
                     o++) /* n - (bn - x) and x - (b-1)n: integers below 2^17 and one rounding */
                    assert_true(fabs(y[j * R + o] - want[o]) <= 0x1p-35);
            }
        }
        free(x);
        free(y);
        free(want);
    }
}

/* Networks: the weights are multiples of M/64 of size at most M, differ with `net`, and the answer is their sum. */
static void test_networks(void **state)
{
    (void)state;
    at_params p;
    const at_task *t = task_with("relu-net", "N=1 d1=2 h=3 d2=1 M=2 net=5", &p);
    double w1[6], b1[3], w2[3], b2[1], x[2] = {0.5, -0.75}, y, other[6], W[6];
    at_relu_net_weights(&p, w1, b1, w2, b2);
    for (int k = 0; k < 6; k++)
        assert_true(fabs(w1[k]) <= 2 && w1[k] * 32 == floor(w1[k] * 32));
    double want = b2[0];
    for (int k = 0; k < 3; k++)
        want += w2[k] * fmax(0, w1[2 * k] * x[0] + w1[2 * k + 1] * x[1] + b1[k]);
    t->answer(&p, x, &y);
    assert_true(y == want); /* dyadic numbers: exact */
    assert_int_equal(at_params_set(&p, "net", 6, NULL), AT_OK);
    at_relu_net_weights(&p, other, b1, w2, b2);
    assert_memory_not_equal(w1, other, sizeof w1);
    t = task_with("linear-map", "N=1 d1=2 d2=3 M=2 net=5", &p);
    double z[3];
    at_linear_map_weights(&p, W);
    t->answer(&p, x, z);
    for (int r = 0; r < 3; r++)
        assert_true(z[r] == W[2 * r] * x[0] + W[2 * r + 1] * x[1]);
}

static void test_shrinking(void **state)
{
    (void)state;
    for (size_t k = 0; k < ROWS; k++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            at_params p;
            const at_task *t = task_with(rows[k].id, rows[k].size, &p);
            size_t bytes = task_row_bytes(t, &p);
            double *x = task_input(t, &p), *y = task_input(t, &p);
            int N = at_params_int(&p, "N"), W = t->row_width(&p), steps = 0;
            at_rng r = at_rng_at(seed, 1);
            t->sample(&p, &r, x);
            while (t->simpler(&p, x, N, 0, y)) {
                assert_memory_not_equal(x, y, bytes);
                for (int j = 0; j < N; j++)
                    assert_true(in_domain(t, &p, y + j * W));
                assert_true(t->holds(&p, y));
                memcpy(x, y, bytes);
                assert_true(++steps < 1000);
            }
            free(x);
            free(y);
        }
}

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        const char *id, *size;
        int first, last;
    } cases[] = {{"prefix-mask", "N=2 n=5 spread=0", 0, 5},
                 {"suffix-mask", "N=3 n=2 spread=0", 0, 2},
                 {"block-index", "N=2 n=4 spread=0", 1, 16}};
    for (int k = 0; k < 3; k++) {
        at_params p;
        const at_task *t = task_with(cases[k].id, cases[k].size, &p);
        int N = at_params_int(&p, "N"), values = cases[k].last - cases[k].first + 1;
        uint64_t count = t->count(&p, AT_ENUM_SEQUENCES);
        assert_true(count == (uint64_t)pow(values, N));
        for (uint64_t i = 0; i < count; i++) {
            double x[3];
            uint64_t back = 0;
            t->nth(&p, AT_ENUM_SEQUENCES, i, x);
            for (int j = 0; j < N; j++) {
                assert_true(x[j] >= cases[k].first && x[j] <= cases[k].last && x[j] == floor(x[j]));
                back = back * (uint64_t)values + (uint64_t)(x[j] - cases[k].first);
            }
            assert_true(back == i);
        }
        assert_int_equal(at_params_set(&p, "spread", 0.125, NULL), AT_OK);
        assert_true(t->count(&p, AT_ENUM_SEQUENCES) == 0); /* reals are not listed */
        assert_true(t->count(&p, AT_ENUM_MULTISETS) == 0);
    }
    at_params p;
    at_err err = {0};
    const at_task *t = task_with("selection", "N=1", &p);
    assert_int_equal(at_params_parse(&p, "alpha=5", &err), AT_OK);
    assert_int_equal(t->validate(&p, &err), AT_EDOMAIN);
    assert_string_equal(err.text, "alpha=5: must be at most T=4");
}

/* The adversary of a selection takes t near its largest size in a sixth of its draws (a quarter of two thirds), else near its least. */
static void test_sizes_of_t(void **state)
{
    (void)state;
    at_params p;
    const at_task *t = task_with("selection", "N=1 d=1 alpha=1 T=1000", &p);
    int large = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        double x[3];
        at_rng r = at_rng_at(seed, 6);
        t->adversarial(&p, &r, x);
        large += fabs(x[2]) > 100;
    }
    assert_true(large > 350 && large < 650); /* 500 of 3000, 7 deviations either way */
}

/* The adversary of relu-net brings some unit near its kink: its argument is at most 1, unless the box stopped it. */
static void test_kinks(void **state)
{
    (void)state;
    at_params p;
    const at_task *t = task_with("relu-net", "N=1 d1=3 h=2 d2=1 X=100", &p);
    double w1[6], b1[2], w2[2], b2[1], x[3];
    int inside = 0;
    for (int net = 1; net <= 20; net++) {
        assert_int_equal(at_params_set(&p, "net", net, NULL), AT_OK);
        at_relu_net_weights(&p, w1, b1, w2, b2);
        for (uint64_t seed = 0; seed < 20; seed++) {
            at_rng r = at_rng_at(seed, 5);
            t->adversarial(&p, &r, x);
            double least = INFINITY;
            bool stopped = false;
            for (int k = 0; k < 2; k++)
                least =
                    fmin(least, fabs(b1[k] + w1[3 * k] * x[0] + w1[3 * k + 1] * x[1] + w1[3 * k + 2] * x[2]));
            for (int i = 0; i < 3; i++)
                stopped = stopped || fabs(x[i]) == 100;
            assert_true(stopped || least <= 1 + 1e-9);
            inside += !stopped;
        }
    }
    assert_true(inside > 100);
}

/* Beside inputs lie rows that are none. */
static void test_holds(void **state)
{
    (void)state;
    static const struct {
        const char *id, *size;
        double x[15];
        bool holds;
    } cases[] = {{"selection", "N=1 d=1", {1, -1, 0.5}, true},
                 {"selection", "N=1 d=1", {1, -1, 0.25}, false},
                 {"selection", "N=2 d=1", {1, -1, 0.5, 1, -1, -0.25}, false},
                 {"prefix-mask", "N=1 n=2", {1.25}, true},
                 {"prefix-mask", "N=1 n=2", {1.5}, false},
                 {"suffix-mask", "N=1 n=2", {0.375}, false},
                 {"block-index", "N=1 n=2", {0.5}, false},
                 {"product", "N=1 M=1", {1, 1.5}, false},
                 {"relu-net", "N=1 d1=2 h=2 d2=1", {4, -4}, true}, /* X is 4 */
                 {"relu-net", "N=1 d1=2 h=2 d2=1", {4.5, 0}, false},
                 {"relu-net", "N=1 d1=2 h=2 d2=1", {0, 4.5}, false},
                 {"linear-map", "N=1 d1=2 d2=1", {0, 4.5}, false},
                 {"copy-rating", "N=3", {0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, true},
                 {"copy-rating", "N=3", {0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1}, false},
                 {"copy-rating", "N=3", {0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1}, false}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        at_params p;
        const at_task *t = task_with(cases[k].id, cases[k].size, &p);
        assert_int_equal(t->holds(&p, cases[k].x), cases[k].holds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws),      cmocka_unit_test(test_answers),  cmocka_unit_test(test_networks),
        cmocka_unit_test(test_shrinking),  cmocka_unit_test(test_integers), cmocka_unit_test(test_holds),
        cmocka_unit_test(test_sizes_of_t), cmocka_unit_test(test_kinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
