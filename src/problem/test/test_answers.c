/* test_answers.c: answers against their definitions, written out as literally as C allows: on every input
 * of small sizes, and on drawn inputs of sizes that use every path of the answers (M above and below a word). */
#include "task_test.h"

#include <math.h>

/* The definitions; positions count from 0. */
static bool match2(const double *x, int N, int M, int K, int i)
{
    (void)K;
    for (int j = 0; j < N; j++)
        if (fmod(x[i] + x[j], M) == 0)
            return true;
    return false;
}

static bool match3(const double *x, int N, int M, int K, int i)
{
    (void)K;
    for (int j1 = 0; j1 < N; j1++)
        for (int j2 = 0; j2 < N; j2++)
            if (fmod(x[i] + x[j1] + x[j2], M) == 0)
                return true;
    return false;
}

static bool match3_bigram(const double *x, int N, int M, int K, int i)
{
    (void)K;
    for (int j = 0; j < N - 1; j++)
        if (fmod(x[i] + x[j] + x[j + 1], M) == 0)
            return true;
    return false;
}

static bool match3_local(const double *x, int N, int M, int K, int i)
{
    for (int j1 = 0; j1 < N; j1++)
        for (int j2 = 0; j2 < N; j2++)
            if (abs(i - j1) <= K && abs(i - j2) <= K && fmod(x[i] + x[j1] + x[j2], M) == 0)
                return true;
    return false;
}

typedef struct {
    const char *id;
    bool (*definition)(const double *x, int N, int M, int K, int i);
} twin;
static const twin twins[] = {
    {"match2", match2},
    {"match3", match3},
    {"match3-bigram", match3_bigram},
    {"match3-local", match3_local},
};

static void compare(const twin *w, const at_task *t, const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M");
    int K = at_params_has(p, "K") ? at_params_int(p, "K") : 0;
    t->answer(p, x, y);
    for (int i = 0; i < N; i++)
        if (y[i] != (w->definition(x, N, M, K, i) ? 1 : 0))
            fail_msg("%s N=%d M=%d K=%d: position %d answers %g", w->id, N, M, K, i, y[i]);
}

static void test_every_small_input(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof twins / sizeof twins[0]; w++)
        for (int N = 1; N <= 5; N++)
            for (int M = 1; M <= 7; M++)
                for (int K = 0; K <= (strcmp(twins[w].id, "match3-local") == 0 ? 5 : 0); K++) {
                    at_params p;
                    const at_task *t = task_with(twins[w].id, "", &p);
                    at_params_set(&p, "N", N, NULL);
                    at_params_set(&p, "M", M, NULL);
                    if (at_params_has(&p, "K"))
                        at_params_set(&p, "K", K, NULL);
                    double *x = task_input(t, &p), *y = task_output(t, &p);
                    uint64_t count = t->count(&p, AT_ENUM_SEQUENCES);
                    for (uint64_t k = 0; k < count; k++) {
                        t->nth(&p, AT_ENUM_SEQUENCES, k, x);
                        compare(&twins[w], t, &p, x, y);
                    }
                    free(x);
                    free(y);
                }
}

static void test_drawn_inputs(void **state)
{
    (void)state;
    static const char *const sizes[] = {"N=1 M=1",      "N=1 M=2",   "N=2 M=3",    "N=9 M=63",
                                        "N=9 M=64",     "N=9 M=65",  "N=30 M=128", "N=30 M=1000",
                                        "N=17 M=65536", "N=40 M=31", "N=8 M=129",  "N=50 M=2"};
    for (size_t w = 0; w < sizeof twins / sizeof twins[0]; w++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            at_params p;
            const at_task *t = task_with(twins[w].id, sizes[s], &p);
            double *x = task_input(t, &p), *y = task_output(t, &p);
            for (uint64_t k = 0; k < 150; k++) {
                at_rng r = at_rng_at(7, k);
                if (at_params_has(&p, "K"))
                    at_params_set(&p, "K", (double)at_rng_below(&r, 12), NULL);
                if (k % 2)
                    t->sample(&p, &r, x);
                else
                    t->adversarial(&p, &r, x);
                compare(&twins[w], t, &p, x, y);
            }
            free(x);
            free(y);
        }
}

/* Integers outside 0..M-1 mean their residue. */
static void test_foreign_tokens(void **state)
{
    (void)state;
    at_params p;
    const at_task *t = task_with("match2", "N=4 M=5", &p);
    double x[4] = {-1, 6, 1e6 + 3, 65538}, y[4];
    t->answer(&p, x, y); /* residues 4 1 3 3 */
    assert_true(y[0] == 1 && y[1] == 1 && y[2] == 0 && y[3] == 0);
}

/* Permuting the positions of a symmetric task permutes its answers: what licenses multisets. */
static void test_symmetry(void **state)
{
    (void)state;
    for (int k = 0; k < at_n_tasks; k++) {
        const at_task *t = at_tasks[k];
        if (t->real || t->last || !strcmp(t->id, "triangle")) /* whose rows are not a token each */
            continue;
        at_params p;
        task_with(t->id, "N=6 M=13", &p);
        bool broken = false;
        for (uint64_t s = 0; s < 2000; s++) {
            at_rng r = at_rng_at(11, s);
            double x[6], y[6], px[6], py[6];
            int to[6] = {0, 1, 2, 3, 4, 5};
            t->adversarial(&p, &r, x);
            for (int i = 5; i > 0; i--) {
                int j = (int)at_rng_below(&r, (uint64_t)i + 1), swap = to[i];
                to[i] = to[j];
                to[j] = swap;
            }
            for (int i = 0; i < 6; i++)
                px[to[i]] = x[i];
            t->answer(&p, x, y);
            t->answer(&p, px, py);
            for (int i = 0; i < 6; i++)
                broken |= py[to[i]] != y[i];
        }
        assert_int_equal(broken, !t->symmetric); /* and the others do depend on order */
    }
}

/* max: the one token of the input that none exceeds. Every small input, and drawn ones at the ends of the ranges. */
static void test_max(void **state)
{
    (void)state;
    static const char *const sizes[] = {"N=1 V=1", "N=1 V=5",  "N=2 V=9",       "N=3 V=7",
                                        "N=5 V=4", "N=4 V=64", "N=300 V=65536", "N=4096 V=2"};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        at_params p;
        const at_task *t = task_with("max", sizes[s], &p);
        int N = at_params_int(&p, "N"), V = at_params_int(&p, "V"), first = 0, ties = 0, last = 0;
        assert_true(t->last && t->tokens(&p) == V && t->answers(&p) == V);
        double *x = task_input(t, &p), *y = malloc(sizeof *y);
        uint64_t all = t->count(&p, AT_ENUM_SEQUENCES), listed = all <= 1024 ? all : 0;
        for (uint64_t k = 0; k < listed + 400; k++) {
            at_rng r = at_rng_at(9, k);
            if (k < listed)
                t->nth(&p, AT_ENUM_SEQUENCES, k, x);
            else
                (k % 2 ? t->sample : t->adversarial)(&p, &r, x);
            t->answer(&p, x, y);
            int equal = 0, above = 0;
            for (int i = 0; i < N; i++) {
                assert_true(x[i] >= 0 && x[i] < V);
                equal += x[i] == *y;
                above += x[i] > *y;
            }
            assert_true(equal >= 1 && above == 0);
            ties += equal > 1;
            first += equal == 1 && x[0] == *y;
            last += equal == 1 && x[N - 1] == *y;
        }
        if (N > 1 && V > 2 && N < 100) /* the hard inputs have it at either end, and more than once */
            assert_true(ties > 20 && first > 20 && last > 20);
        free(x);
        free(y);
    }
}

/* Words: the twins of majority and parity take letters away in pairs; those of brackets take neighbours away that open and close,
 * all there are at once, so that there are as many rounds as the word is deep. */
static int removed(double *w, int n, int which)
{
    int left = 0;
    for (int i = 0; i < n; i++) {
        bool pair = i + 1 < n && (which < 0 ? w[i] != w[i + 1] : (int)w[i] % 2 == 0 && w[i + 1] == w[i] + 1);
        if (pair)
            i++;
        else
            w[left++] = w[i];
    }
    return left;
}

/* The word without letters of other kinds, reduced; rounds that it took, or -1 where something stays. */
static int rounds_of(const double *x, int n, int kind)
{
    double w[64];
    int m = 0, rounds = 0;
    for (int i = 0; i < n; i++)
        if (kind < 0 || (int)x[i] / 2 == kind)
            w[m++] = x[i];
    for (; m; rounds++) {
        int left = removed(w, m, 0);
        if (left == m)
            return -1;
        m = left;
    }
    return rounds;
}

static bool word_twin(const at_task *t, const at_params *p, const double *x)
{
    int n = at_params_int(p, "N"), ones = 0;
    if (!strcmp(t->id, "parity")) {
        for (int i = 0; i < n; i++)
            ones += (int)x[i];
        return ones % 2;
    }
    if (!strcmp(t->id, "majority")) {
        double w[64];
        int m = n;
        memcpy(w, x, (size_t)n * sizeof *w);
        for (int left; (left = removed(w, m, -1)) < m;)
            m = left;
        return m && w[0] == 1; /* what stays is all alike */
    }
    if (!strcmp(t->id, "dyck")) {
        int rounds = rounds_of(x, n, -1), D = at_params_int(p, "D");
        return rounds >= 0 && (!D || rounds <= D);
    }
    for (int kind = 0; kind < at_params_int(p, "k"); kind++)
        if (rounds_of(x, n, kind) < 0)
            return false;
    return true;
}

static void test_words(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"majority", "N=0"},         {"majority", "N=1"},
        {"majority", "N=9"},         {"majority", "N=10"},
        {"parity", "N=0"},           {"parity", "N=10"},
        {"dyck", "N=0 k=1"},         {"dyck", "N=1"},
        {"dyck", "N=10 k=1"},        {"dyck", "N=6 k=2"},
        {"dyck", "N=10 k=1 D=2"},    {"dyck", "N=6 k=2 D=1"},
        {"dyck", "N=40 k=3 D=4"},    {"dyck", "N=60 k=8"},
        {"shuffle-dyck", "N=0"},     {"shuffle-dyck", "N=10 k=1"},
        {"shuffle-dyck", "N=6 k=2"}, {"shuffle-dyck", "N=5"},
        {"shuffle-dyck", "N=4 k=3"}, {"shuffle-dyck", "N=60 k=8"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_params p;
        const at_task *t = task_with(rows[k][0], rows[k][1], &p);
        double x[64], y;
        uint64_t all = t->count(&p, AT_ENUM_SEQUENCES), listed = all <= 5000 ? all : 0;
        for (uint64_t i = 0; i < listed + 400; i++) {
            at_rng r = at_rng_at(31, i);
            if (i < listed)
                t->nth(&p, AT_ENUM_SEQUENCES, i, x);
            else
                (i % 2 ? t->sample : t->adversarial)(&p, &r, x);
            t->answer(&p, x, &y);
            if (y != word_twin(t, &p, x))
                fail_msg("%s %s: word %d", rows[k][0], rows[k][1], (int)i);
        }
        char word[AT_WORD_MAX + 1], before[AT_WORD_MAX + 1] = "";
        for (int c = 0; c < t->tokens(&p); c++) { /* letters differ */
            t->word(&p, c, word);
            assert_string_not_equal(word, before);
            strcpy(before, word);
        }
    }
}

/* Triangles: the twin multiplies matrices: (X X X)_ii counts the closed walks of three edges. Every graph on 3 nodes, and drawn ones. */
static void test_triangle(void **state)
{
    (void)state;
    at_params p;
    const at_task *t = task_with("triangle", "N=3", &p);
    assert_int_equal(t->count(&p, AT_ENUM_SEQUENCES), 512);
    int seen[2] = {0, 0};
    for (int k = 0; k < 512 + 600; k++) {
        int N = k < 512 ? 3 : 1 + k % 11;
        char size[16];
        snprintf(size, sizeof size, "N=%d", N);
        task_with("triangle", size, &p);
        double *x = task_input(t, &p), *y = task_output(t, &p);
        at_rng r = at_rng_at(5, (uint64_t)k);
        if (k < 512)
            t->nth(&p, AT_ENUM_SEQUENCES, (uint64_t)k, x);
        else
            (k % 2 ? t->sample : t->adversarial)(&p, &r, x);
        t->answer(&p, x, y);
        for (int i = 0; i < N; i++) {
            double walks = 0;
            for (int a = 0; a < N; a++)
                for (int b = 0; b < N; b++)
                    walks += x[i * N + a] * x[a * N + b] * x[b * N + i];
            assert_true(y[i] == (walks > 0));
            seen[y[i] != 0]++;
        }
        free(x);
        free(y);
    }
    assert_true(seen[0] > 500 && seen[1] > 500);
}

/* qSA: q terms of size at most 1 summed in any order differ by at most (q-1)q u relative to q, then one
 * division: below 2 q u with u = 2^-53. The twin adds over all positions by membership, backwards. */
static void test_qsa(void **state)
{
    (void)state;
    static const char *const sizes[] = {"N=1 q=1 d=1", "N=5 q=5 d=3", "N=16 q=2 d=2", "N=40 q=7 d=1",
                                        "N=9 q=1 d=8"};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        at_params p;
        const at_task *t = task_with("qsa", sizes[s], &p);
        int N = at_params_int(&p, "N"), q = at_params_int(&p, "q"), d = at_params_int(&p, "d"), W = d + q;
        double *x = task_input(t, &p), *y = task_output(t, &p);
        assert_int_equal(t->row_width(&p), W);
        assert_int_equal(t->out_width(&p), d);
        for (uint64_t k = 0; k < 200; k++) {
            at_rng r = at_rng_at(5, k);
            (k % 2 ? t->sample : t->adversarial)(&p, &r, x);
            t->answer(&p, x, y);
            for (int i = 0; i < N; i++)
                for (int c = 0; c < d; c++) {
                    double sum = 0;
                    for (int j = N; j >= 1; j--)
                        for (int e = 0; e < q; e++)
                            if (x[i * W + d + e] == j)
                                sum += x[(j - 1) * W + c];
                    assert_true(fabs(sum / q - y[i * d + c]) <= 2 * q * 0x1p-53);
                }
        }
        free(x);
        free(y);
    }
    at_params p; /* by hand */
    const at_task *t = task_with("qsa", "N=3 q=2 d=1", &p);
    double x[9] = {0.5, 1, 3, -1, 2, 3, 0.25, 1, 2}, y[3];
    t->answer(&p, x, y);
    assert_true(y[0] == 0.375 && y[1] == -0.375 && y[2] == -0.25);
    double foreign[9] = {0.5, 1, 9, -1, 0, 3, 0.25, NAN, 2}; /* names of no position add nothing */
    t->answer(&p, foreign, y);
    assert_true(y[0] == 0.25 && y[1] == 0.125 && y[2] == -0.5);
}

/* copy, copy-rating and block-mean: literally, on draws; a mean of at most N terms is off by N u M in each way. */
static void test_fetching(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"copy", "N=1"},
                                          {"copy", "N=17 M=3"},
                                          {"block-mean", "N=1 m=1"},
                                          {"block-mean", "N=23 m=5 M=2"},
                                          {"copy-rating", "N=1 K=2"},
                                          {"copy-rating", "N=12 K=3"}};
    for (size_t s = 0; s < sizeof rows / sizeof rows[0]; s++) {
        at_params p;
        const at_task *t = task_with(rows[s][0], rows[s][1], &p);
        int N = at_params_int(&p, "N"), w = t->row_width(&p), empty = 0;
        double *x = task_input(t, &p), *y = task_output(t, &p);
        for (uint64_t k = 0; k < 300; k++) {
            at_rng r = at_rng_at(5, k);
            (k % 2 ? t->sample : t->adversarial)(&p, &r, x);
            t->answer(&p, x, y);
            for (int i = 0; i < N; i++) {
                double expected = 0, n = 0;
                for (int j = i; j >= 0; j--) {
                    bool chosen;
                    if (!strcmp(t->id, "copy"))
                        chosen = j + 1 == x[i * w + 1];
                    else if (!strcmp(t->id, "block-mean"))
                        chosen = floor((double)j / at_params_int(&p, "m")) == x[i * w + 1];
                    else {
                        chosen = x[j * w + 2] == x[i * w + 3];
                        for (int l = 0; l <= i; l++)
                            if (x[l * w + 2] == x[i * w + 3] && x[l * w + 4] > x[j * w + 4])
                                chosen = false;
                    }
                    expected += chosen ? x[j * w] : 0;
                    n += chosen;
                }
                assert_true(n >= 1 || strcmp(t->id, "copy") != 0);
                empty += n == 0;
                if (n == 0 && !strcmp(t->id, "block-mean"))
                    for (; n <= i; n++)
                        expected += x[(i - (int)n) * w];
                assert_true(fabs(expected / fmax(n, 1) - y[i]) <= 2 * N * 0x1p-53 * at_params_get(&p, "M"));
            }
        }
        assert_true(empty > 0 || !strcmp(t->id, "copy") || N == 1);
        free(x);
        free(y);
    }
    at_params
        p; /* a target that is not there yet is the nearest, a block without a position is everything so far */
    double x[6] = {1, 3, 2, 0.5, 4, NAN}, b[6] = {1, 2, 2, 2, 4, 2}, y[3];
    task_with("copy", "N=3", &p)->answer(&p, x, y);
    assert_true(y[0] == 1 && y[1] == 1 && y[2] == 1);
    task_with("block-mean", "N=3 m=2", &p)->answer(&p, b, y);
    assert_true(y[0] == 1 && y[1] == 1.5 && fabs(y[2] - 7 / 3.) < 1e-15);
}

/* linear-recurrence against the sum over keys (15), with long doubles and the loops the other way round. */
static void test_recurrence(void **state)
{
    (void)state;
    static const char *const sizes[] = {"N=1 d=1", "N=30 d=3 M=5", "N=9 d=32 M=50"};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        at_params p;
        const at_task *t = task_with("linear-recurrence", sizes[s], &p);
        int N = at_params_int(&p, "N"), d = at_params_int(&p, "d");
        double M = at_params_get(&p, "M"), *x = task_input(t, &p), *y = task_output(t, &p);
        for (uint64_t k = 0; k < 60; k++) {
            at_rng r = at_rng_at(6, k);
            (k % 2 ? t->sample : t->adversarial)(&p, &r, x);
            t->answer(&p, x, y);
            for (int i = 0; i < N; i++)
                for (int e = 0; e < d; e++) {
                    long double above = 0, below = 0;
                    for (int j = i; j >= 0; j--) {
                        long double w = 0;
                        for (int c = 0; c < d; c++) {
                            long double q = x[i * 3 * d + c], key = x[j * 3 * d + d + c];
                            w += (q > 0 ? q + 1 : expl(q)) * (key > 0 ? key + 1 : expl(key));
                        }
                        above += w * x[j * 3 * d + 2 * d + e];
                        below += w;
                    }
                    /* the recurrence rounds N + d sums of positive weights, each product thrice, exp once */
                    assert_true(fabsl(above / below - y[i * d + e]) <= 2 * (N + d + 8) * 0x1p-53L * M);
                }
        }
        free(x);
        free(y);
    }
}

/* The largest sizes finish and stay inside their blocks. */
static void test_largest(void **state)
{
    (void)state;
    static const char *const ids[] = {"match2", "match3", "match3-bigram", "match3-local"};
    for (int k = 0; k < 4; k++) {
        at_params p;
        const at_task *t = task_with(ids[k], "N=4096 M=65536", &p);
        if (at_params_has(&p, "K"))
            at_params_set(&p, "K", 4096, NULL);
        double *x = task_input(t, &p), *y = task_output(t, &p);
        for (int i = 0; i < 4096; i++)
            x[i] = 1 + i % 21845; /* no triple sums to 65536: the longest search */
        t->answer(&p, x, y);
        for (int i = 0; i < 4096; i++)
            assert_true(y[i] == 0);
        x[4095] = 65536 - 3; /* 1 + 2 completes it, and so does 3 alone */
        t->answer(&p, x, y);
        assert_true(y[4095] == 1);
        free(x);
        free(y);
    }
}

/* Rows of counts with a sum of their own: every outcome of those that may have a count gets its share. */
static void test_next_word(void **state)
{
    (void)state;
    const at_task *t = at_task_find("next-word");
    at_params p;
    at_err err = {0};
    uint64_t share[4] = {0}, count[4];
    at_params_init(&p, t->params, t->n_params);
    assert_int_equal(at_params_parse(&p, "W=3 sum=16", &err), AT_OK);
    for (uint64_t history = 0; history < 2000; history++) {
        uint64_t sum = 0;
        at_next_word_counts(&p, history, count);
        for (int w = 0; w < 4; w++)
            sum += count[w], share[w] += count[w];
        assert_int_equal(sum, 16);
    }
    for (int w = 0; w < 4; w++) /* a fourth of 32000, each */
        assert_in_range(share[w], 7200, 8800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_next_word),    cmocka_unit_test(test_every_small_input),
        cmocka_unit_test(test_drawn_inputs), cmocka_unit_test(test_foreign_tokens),
        cmocka_unit_test(test_symmetry),     cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_qsa),          cmocka_unit_test(test_fetching),
        cmocka_unit_test(test_recurrence),   cmocka_unit_test(test_largest),
        cmocka_unit_test(test_max),          cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
