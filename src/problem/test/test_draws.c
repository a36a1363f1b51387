/* test_draws.c: drawn inputs lie in range for extreme parameters, depend on (seed, index) alone, and the
 * adversarial ones are balanced and are what they claim to be: near the boundary. */
#include "task_test.h"

#include <math.h>

#include "../problem_internal.h"

/* copy, block-mean, copy-rating and linear-recurrence: reals in -M..M; targets that exist, blocks, ratings
 * all different. */
static void reals_in_range(const at_task *t, const at_params *p, const double *x)
{
    int N = at_params_int(p, "N"), w = t->row_width(p);
    double M = at_params_get(p, "M");
    bool rating = !strcmp(t->id, "copy-rating"), recurrence = !strcmp(t->id, "linear-recurrence");
    for (int i = 0; i < N; i++) {
        const double *row = x + i * w;
        for (int c = 0; c < (recurrence ? w : 1); c++)
            assert_true(fabs(row[c]) <= M);
        for (int c = rating ? 2 : 1; c < w && !recurrence; c++)
            assert_true(row[c] == floor(row[c]) && !signbit(row[c]));
        if (!strcmp(t->id, "copy"))
            assert_true(row[1] >= 1 && row[1] <= i + 1);
        if (!strcmp(t->id, "block-mean"))
            assert_true(row[1] < at_params_int(p, "m"));
        if (!rating)
            continue;
        assert_true(fabs(row[1]) <= 1 && row[2] < at_params_get(p, "K") && row[3] < at_params_get(p, "K"));
        assert_true(row[4] < N);
        for (int j = 0; j < i; j++)
            assert_true(x[j * w + 4] != row[4]);
    }
}

/* Is x an input of the task? */
static void in_range(const at_task *t, const at_params *p, const double *x)
{
    int N = at_params_int(p, "N");
    if (!t->real) {
        int M = t->tokens(p);
        for (int i = 0; i < N; i++)
            assert_true(x[i] >= 0 && x[i] < M && x[i] == floor(x[i]) && !signbit(x[i]));
        return;
    }
    if (strcmp(t->id, "qsa") != 0) {
        reals_in_range(t, p, x);
        return;
    }
    int q = at_params_int(p, "q"), d = at_params_int(p, "d");
    for (int i = 0; i < N; i++) {
        const double *row = x + i * (d + q);
        long double square =
            0; /* 64 bits: d <= 256 squares of 53 bits are off by less than 256 * 2^-63, while
                                 * the draws keep (d+8) 2^-53 below 1 */
        for (int c = 0; c < d; c++)
            square += (long double)row[c] * row[c];
        assert_true(square <= 1);
        for (int k = 0; k < q; k++)
            assert_true(row[d + k] >= (k ? row[d + k - 1] + 1 : 1) && row[d + k] <= N &&
                        row[d + k] == floor(row[d + k]));
    }
}

static void test_ranges_and_determinism(void **state)
{
    (void)state;
    static const struct {
        const char *id, *size;
    } rows[] = {
        {"max", "N=1 V=1"},
        {"max", "N=3 V=2"},
        {"max", "N=4096 V=65536"},
        {"match2", "N=1 M=1"},
        {"match2", "N=1 M=2"},
        {"match2", "N=2 M=1"},
        {"match2", "N=5 M=3"},
        {"match2", "N=4096 M=65536"},
        {"match3", "N=1 M=1"},
        {"match3", "N=1 M=2"},
        {"match3", "N=2 M=3"},
        {"match3", "N=9 M=4"},
        {"match3", "N=4096 M=65536"},
        {"match3-bigram", "N=1 M=1"},
        {"match3-bigram", "N=1 M=2"},
        {"match3-bigram", "N=2 M=2"},
        {"match3-bigram", "N=3 M=1"},
        {"match3-bigram", "N=4096 M=65536"},
        {"match3-local", "N=1 M=1 K=0"},
        {"match3-local", "N=1 M=2 K=9"},
        {"match3-local", "N=4 M=2 K=4"},
        {"match3-local", "N=4 M=3 K=0"},
        {"match3-local", "N=9 M=1 K=2"},
        {"match3-local", "N=4096 M=65536 K=4096"},
        {"qsa", "N=1 q=1 d=1"},
        {"qsa", "N=5 q=5 d=2"},
        {"qsa", "N=256 q=256 d=1"},
        {"qsa", "N=300 q=1 d=256"},
        {"qsa", "N=16 q=15 d=3"},
        {"copy", "N=1 M=0.001"},
        {"copy", "N=300 M=7"},
        {"block-mean", "N=1 m=1"},
        {"block-mean", "N=300 m=18 M=1000000"},
        {"copy-rating", "N=1 K=2"},
        {"copy-rating", "N=300 K=64"},
        {"linear-recurrence", "N=1 d=1"},
        {"linear-recurrence", "N=300 d=32 M=100"},
        {"majority", "N=1"},
        {"majority", "N=4096"},
        {"parity", "N=1"},
        {"parity", "N=4096"},
        {"dyck", "N=1 k=1 D=1"},
        {"dyck", "N=2 k=8"},
        {"dyck", "N=7 k=1 D=1"},
        {"dyck", "N=4095 k=8 D=2048"},
        {"shuffle-dyck", "N=1 k=1"},
        {"shuffle-dyck", "N=7 k=3"},
        {"shuffle-dyck", "N=4096 k=8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        at_params p;
        const at_task *t = task_with(rows[i].id, rows[i].size, &p);
        double *x = task_input(t, &p), *again = task_input(t, &p);
        uint64_t draws = at_params_int(&p, "N") > 100 ? 12 : 300;
        for (int kind = 0; kind < 2; kind++) {
            void (*draw)(const at_params *, at_rng *, double *) = kind ? t->adversarial : t->sample;
            for (uint64_t k = draws; k-- > 0;) { /* the order of draws and what lay in x do not matter */
                at_rng r = at_rng_at(42, k);
                memset(x, 0xff, task_row_bytes(t, &p));
                draw(&p, &r, x);
                in_range(t, &p, x);
                r = at_rng_at(42, k);
                memset(again, 0, task_row_bytes(t, &p));
                draw(&p, &r, again);
                assert_memory_equal(x, again, task_row_bytes(t, &p));
            }
        }
        free(x);
        free(again);
    }
}

static void test_draws_differ(void **state)
{
    (void)state;
    for (int k = 0; k < at_n_tasks; k++)
        for (int kind = 0; kind < 2; kind++) {
            const at_task *t = at_tasks[k];
            at_params p;
            if (t->length)
                task_with(t->id, "", &p);
            else
                task_middling(t, 16, &p);
            double *x = task_input(t, &p), *y = task_input(t, &p);
            int same = 0;
            for (uint64_t i = 0; i < 100; i++) {
                at_rng a = at_rng_at(1, i), b = at_rng_at(2, i);
                (kind ? t->adversarial : t->sample)(&p, &a, x);
                (kind ? t->adversarial : t->sample)(&p, &b, y);
                same += memcmp(x, y, task_row_bytes(t, &p)) == 0;
            }
            assert_true(same < 10);
            free(x);
            free(y);
        }
}

/* Answers over positions, and inputs with no hit, with one, with more: each kind is met often. */
static void test_balance(void **state)
{
    (void)state;
    static const struct {
        const char *id, *size;
    } rows[] = {
        {"match2", "N=16 M=31"},           {"match2", "N=64 M=65536"},     {"match3", "N=16 M=31"},
        {"match3", "N=64 M=65536"},        {"match3-bigram", "N=16 M=31"}, {"match3-local", "N=16 M=31 K=1"},
        {"match3-local", "N=16 M=31 K=3"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        at_params p;
        const at_task *t = task_with(rows[k].id, rows[k].size, &p);
        double *x = task_input(t, &p), *y = task_output(t, &p);
        int N = at_params_int(&p, "N"), inputs = 4000, positive = 0, none = 0, some = 0;
        for (int i = 0; i < inputs; i++) {
            at_rng r = at_rng_at(9, (uint64_t)i);
            t->adversarial(&p, &r, x);
            t->answer(&p, x, y);
            int hits = 0;
            for (int j = 0; j < N; j++)
                hits += y[j] == 1;
            positive += hits;
            none += hits == 0;
            some += hits > 0 && hits <= 3;
        }
        double rate = (double)positive / (inputs * N);
        print_message("%s %s: %.0f%% of answers are 1; no hit in %.0f%%, one to three in %.0f%% of inputs\n",
                      rows[k].id, rows[k].size, 100 * rate, 100.0 * none / inputs, 100.0 * some / inputs);
        assert_true(rate > 0.05 && rate < 0.95);
        assert_true(none > inputs / 20 && some > inputs / 20);
        free(x);
        free(y);
    }
}

/* Words: both verdicts are met often, by each sampler; and members at every length that has some. */
static void test_word_balance(void **state)
{
    (void)state;
    static const char *const ids[] = {"majority", "parity", "dyck", "shuffle-dyck"};
    static const char *const sizes[] = {"N=6", "N=16", "N=17", "N=1000"};
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int hard = 0; hard < 2; hard++) {
                at_params p;
                const at_task *t = task_with(ids[k], sizes[s], &p);
                double *x = task_input(t, &p), y;
                int yes = 0, draws = 400;
                for (int i = 0; i < draws; i++) {
                    at_rng r = at_rng_at(29, (uint64_t)i);
                    (hard ? t->adversarial : t->sample)(&p, &r, x);
                    t->answer(&p, x, &y);
                    yes += y == 1;
                }
                bool none = k >= 2 && at_params_int(&p, "N") % 2;
                if (none ? yes > 0 : yes < draws / 5 || yes > draws * 4 / 5)
                    fail_msg("%s %s: %d of %d %s draws are members", ids[k], sizes[s], yes, draws,
                             hard ? "adversarial" : "random");
                free(x);
            }
}

/* Low residues never sum to 0, and come as close as they can; folds nearly do, and sometimes do. */
static void test_residue_draws(void **state)
{
    (void)state;
    for (int terms = 2; terms <= 3; terms++)
        for (int M = 1; M <= 100; M++) {
            int highest = 0, nearest = M;
            at_rng r = at_rng_at(19, (uint64_t)M);
            for (int k = 0; k < 2000; k++) {
                int low = at_tokens_low(&r, M, terms), fold = at_tokens_fold(&r, M, terms);
                assert_true(low >= 0 && low < M && fold >= 0 && fold < M);
                if (M > terms)
                    assert_true(low >= 1 && low * terms < M);
                highest = low > highest ? low : highest;
                int rest = fold * terms % M, off = rest < M - rest ? rest : M - rest;
                assert_true(off < terms);
                if (fold)
                    nearest = off < nearest ? off : nearest;
            }
            if (M > terms) /* a draw of at most 50 values, 2000 times: a miss has odds below 50 e^-40 */
                assert_int_equal(highest, (M - 1) / terms);
            if (M > 1)
                assert_int_equal(nearest, M % terms ? 1 : 0);
        }
}

/* Some query of match2 sits in a crowd of N-1 tokens that each miss it by one. */
static void test_crowds(void **state)
{
    (void)state;
    at_params p;
    const at_task *t = task_with("match2", "N=16 M=31", &p);
    double x[16];
    int crowds = 0;
    for (uint64_t k = 0; k < 1000; k++) {
        at_rng r = at_rng_at(13, k);
        t->adversarial(&p, &r, x);
        for (int i = 0; i < 16; i++) {
            int near = 0;
            for (int j = 0; j < 16; j++) {
                int s = ((int)x[i] + (int)x[j]) % 31;
                near += j != i && (s == 1 || s == 30);
            }
            if (near == 15) {
                crowds++;
                break;
            }
        }
    }
    assert_in_range(crowds, 100, 900);
}

/* qSA: position 1 asks for +e, every position off its support holds -e, |e| = 1. */
static void test_qsa_pull(void **state)
{
    (void)state;
    enum { N = 16, Q = 3, D = 2, W = D + Q };
    at_params p;
    const at_task *t = task_with("qsa", "N=16 q=3 d=2", &p);
    double x[N * W], y[N * D];
    int nudged = 0;
    for (uint64_t k = 0; k < 500; k++) {
        at_rng r = at_rng_at(17, k);
        t->adversarial(&p, &r, x);
        t->answer(&p, x, y);
        const double *e =
            x + ((int)x[D] - 1) * W; /* the vector at the first element of position 1's subset */
        assert_true(fabs(hypot(e[0], e[1]) - 1) <
                    20 * 0x1p-53); /* (D+8)u by design, 4u for hypot, 2u each way */
        for (int j = 0; j < N; j++) {
            bool on = j + 1 == x[D] || j + 1 == x[D + 1] || j + 1 == x[D + 2];
            for (int c = 0; c < D; c++)
                assert_true(x[j * W + c] == (on ? e[c] : -e[c]));
            nudged += memcmp(x + D, x + j * W + D, Q * sizeof *x) != 0;
        }
        for (int c = 0; c < D; c++)
            assert_true(fabs(y[c] - e[c]) <= 2 * Q * 0x1p-53);
    }
    assert_in_range(nudged, 500 * N / 10, 500 * N * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_and_determinism),
        cmocka_unit_test(test_draws_differ),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_word_balance),
        cmocka_unit_test(test_residue_draws),
        cmocka_unit_test(test_crowds),
        cmocka_unit_test(test_qsa_pull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
