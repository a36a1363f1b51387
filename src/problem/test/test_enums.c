/* test_enums.c: enumerations are complete, without repetition, and step = jump; shrinking ends. */
#include "task_test.h"

#include <attest/model.h>

#include <math.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The base-M number that x spells, N digits, the last the lowest. */
static uint64_t spell(const double *x, int N, int M)
{
    uint64_t s = 0;
    for (int i = 0; i < N; i++) {
        assert_true(x[i] >= 0 && x[i] < M && x[i] == (int)x[i]);
        s = s * (uint64_t)M + (uint64_t)x[i];
    }
    return s;
}

static void sequences_and_multisets(int N, int M)
{
    at_params p;
    const at_task *t = task_with("match2", "", &p);
    at_params_set(&p, "N", N, NULL);
    at_params_set(&p, "M", M, NULL);
    double *x = task_input(t, &p), *step = task_input(t, &p);
    uint64_t all = t->count(&p, AT_ENUM_SEQUENCES), orbits = t->count(&p, AT_ENUM_MULTISETS);
    unsigned char *orbit = calloc(all, 1); /* is this sorted sequence the sorted form of an input? */
    assert_non_null(orbit);
    uint64_t n_orbits = 0;
    for (uint64_t k = 0; k < all; k++) { /* sequence k spells k: all of them, once each */
        t->nth(&p, AT_ENUM_SEQUENCES, k, x);
        if (k)
            t->next(&p, AT_ENUM_SEQUENCES, k, step);
        else
            memcpy(step, x, task_row_bytes(t, &p));
        assert_memory_equal(x, step, task_row_bytes(t, &p));
        assert_int_equal(spell(x, N, M), k);
        qsort(x, (size_t)N, sizeof *x, compare_doubles);
        uint64_t s = spell(x, N, M);
        n_orbits += !orbit[s];
        orbit[s] = 1;
    }
    t->next(&p, AT_ENUM_SEQUENCES, all, step); /* after the last comes the first */
    assert_int_equal(spell(step, N, M), 0);
    assert_int_equal(n_orbits, orbits);
    for (uint64_t k = 0; k < orbits; k++) { /* each sorted form once */
        t->nth(&p, AT_ENUM_MULTISETS, k, x);
        if (k)
            t->next(&p, AT_ENUM_MULTISETS, k, step);
        else
            memcpy(step, x, task_row_bytes(t, &p));
        assert_memory_equal(x, step, task_row_bytes(t, &p));
        uint64_t s = spell(x, N, M);
        assert_int_equal(orbit[s], 1);
        orbit[s] = 2;
    }
    t->next(&p, AT_ENUM_MULTISETS, orbits, step);
    assert_int_equal(spell(step, N, M), 0);
    free(orbit);
    free(x);
    free(step);
}

static void test_small_sizes(void **state)
{
    (void)state;
    for (int N = 1; N <= 6; N++)
        for (int M = 1; M <= 7; M++)
            sequences_and_multisets(N, M);
    sequences_and_multisets(12, 2);
    sequences_and_multisets(2, 60);
    sequences_and_multisets(1, 300);
}

/* Jumps into the middle of large enumerations, checked by stepping. */
static void test_large_sizes(void **state)
{
    (void)state;
    static const char *const sizes[] = {"N=6 M=65536",    "N=12 M=31", "N=4096 M=2",
                                        "N=4096 M=65536", "N=8 M=1",   "N=300 M=7"};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int e = 0; e <= AT_ENUM_MULTISETS; e++) {
            at_params p;
            const at_task *t = task_with("match3", sizes[s], &p);
            uint64_t count = t->count(&p, (at_enum)e), most = count < INT64_MAX ? count : INT64_MAX;
            double *x = task_input(t, &p), *step = task_input(t, &p);
            for (int k = 0; k < 20; k++) {
                at_rng r = at_rng_at(3, (uint64_t)k);
                uint64_t at = k == 0 ? 0 : at_rng_below(&r, most), steps = most - at < 60 ? most - at : 60;
                t->nth(&p, (at_enum)e, at, step);
                for (uint64_t j = 1; j < steps; j++) {
                    t->next(&p, (at_enum)e, at + j, step);
                    t->nth(&p, (at_enum)e, at + j, x);
                    assert_memory_equal(x, step, task_row_bytes(t, &p));
                }
            }
            free(x);
            free(step);
        }
}

static void test_counts(void **state)
{
    (void)state;
    static const struct {
        const char *id, *size;
        at_enum e;
        uint64_t count;
    } rows[] = {
        {"match2", "N=6 M=11", AT_ENUM_SEQUENCES, 1771561},
        {"match2", "N=6 M=11", AT_ENUM_MULTISETS, 8008},
        {"match2", "N=63 M=2", AT_ENUM_SEQUENCES, (uint64_t)1 << 63},
        {"match2", "N=64 M=2", AT_ENUM_SEQUENCES, UINT64_MAX},
        {"match2", "N=4096 M=1", AT_ENUM_SEQUENCES, 1},
        {"match2", "N=4096 M=1", AT_ENUM_MULTISETS, 1},
        {"match2", "N=4096 M=2", AT_ENUM_MULTISETS, 4097},
        {"match2", "N=4096 M=65536", AT_ENUM_MULTISETS, UINT64_MAX},
        {"match2", "N=6 M=11", AT_ENUM_SUBSETS, 0},
        {"qsa", "N=16 q=2 d=2", AT_ENUM_SUBSETS, 8},  /* 120/16 = 7.5 */
        {"qsa", "N=7 q=3 d=1", AT_ENUM_SUBSETS, 5},   /* 35/7 */
        {"qsa", "N=64 q=64 d=1", AT_ENUM_SUBSETS, 1}, /* 1/64 */
        {"qsa", "N=1 q=1 d=1", AT_ENUM_SUBSETS, 1},
        {"qsa", "N=4096 q=256 d=1", AT_ENUM_SUBSETS, UINT64_MAX},
        {"qsa", "N=16 q=2 d=2", AT_ENUM_SEQUENCES, 0},
        {"copy", "N=100", AT_ENUM_PAIRS, 10100},
        {"copy", "N=100", AT_ENUM_SEQUENCES, 0},
        {"block-mean", "N=100 m=10", AT_ENUM_PAIRS, 1010},
        {"block-mean", "N=1 m=10", AT_ENUM_PAIRS, 20},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        at_params p;
        const at_task *t = task_with(rows[i].id, rows[i].size, &p);
        if (t->count(&p, rows[i].e) != rows[i].count)
            fail_msg("%s %s", rows[i].id, rows[i].size);
    }
}

/* Together the inputs ask every q-subset, in rank order; z lies in the ball and depends on the index alone. */
static void test_subsets(void **state)
{
    (void)state;
    static const char *const sizes[] = {"N=1 q=1 d=1", "N=6 q=6 d=2", "N=16 q=2 d=2", "N=13 q=4 d=3",
                                        "N=64 q=3 d=1"};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        at_params p;
        const at_task *t = task_with("qsa", sizes[s], &p);
        int N = at_params_int(&p, "N"), q = at_params_int(&p, "q"), d = at_params_int(&p, "d");
        int64_t subsets = at_choose(N, q), rank = 0;
        double *x = task_input(t, &p), *again = task_input(t, &p);
        for (uint64_t b = 0; b < t->count(&p, AT_ENUM_SUBSETS); b++) {
            t->nth(&p, AT_ENUM_SUBSETS, b, x);
            for (int i = 0; i < N; i++, rank++) {
                const double *row = x + i * (d + q);
                double square = 0;
                for (int c = 0; c < d; c++)
                    square += row[c] * row[c];
                assert_true(square <= 1);
                for (int k = 0; k < q; k++)
                    assert_true(row[d + k] >= (k ? row[d + k - 1] + 1 : 1) && row[d + k] <= N);
                assert_int_equal(at_subset_rank(row + d, q), rank % subsets);
            }
            t->nth(&p, AT_ENUM_SUBSETS, b, again);
            assert_memory_equal(x, again, task_row_bytes(t, &p));
        }
        assert_true(rank >= subsets && rank < subsets + N);
        free(x);
        free(again);
    }
}

/* Every position asks for everything it may ask for; under each question the reals are 0, then one of them is M, and the
 * answers are linear in them. */
static void test_pairs(void **state)
{
    (void)state;
    static const char *const sizes[][2] = {
        {"copy", "N=1"}, {"copy", "N=13 M=3"}, {"block-mean", "N=1 m=1"}, {"block-mean", "N=21 m=5 M=2"}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        at_params p;
        const at_task *t = task_with(sizes[s][0], sizes[s][1], &p);
        bool copy = !strcmp(t->id, "copy");
        int N = at_params_int(&p, "N"), asks = copy ? N : at_params_int(&p, "m");
        double M = at_params_get(&p, "M"), x[2 * 23], zero[2 * 23], y[23], unit[23][23], base[23], all[23];
        bool seen[23][24] = {{false}};
        for (int k = 0; k < asks; k++) {
            for (int j = 0; j <= N; j++) {
                t->nth(&p, AT_ENUM_PAIRS, (uint64_t)(k * (N + 1) + j), x);
                t->answer(&p, x, y);
                memcpy(j ? unit[j - 1] : base, y, (size_t)N * sizeof *y);
                if (!j)
                    memcpy(zero, x, sizeof x);
                for (int i = 0; i < N; i++) {
                    assert_true(x[2 * i] == (i + 1 == j ? M : 0));
                    assert_true(x[2 * i + 1] == zero[2 * i + 1]);
                    seen[i][(int)x[2 * i + 1] - copy] = true;
                }
            }
            at_rng r = at_rng_at(4, (uint64_t)k); /* any reals: the sum of what the unit vectors do */
            memcpy(x, zero, sizeof x);
            memcpy(all, base, sizeof all);
            for (int j = 0; j < N; j++) {
                double by = (double)at_rng_below(&r, 257) / 128 - 1;
                x[2 * j] = by * M;
                for (int i = 0; i < N; i++)
                    all[i] += by * (unit[j][i] - base[i]);
            }
            t->answer(&p, x, y);
            for (int i = 0; i < N; i++) /* N sums of numbers below M, divided */
                assert_true(fabs(all[i] - y[i]) <= 4 * N * M * 0x1p-52);
        }
        assert_true(t->count(&p, AT_ENUM_PAIRS) == (uint64_t)(asks * (N + 1)));
        for (int i = 0; i < N; i++)
            for (int a = 0; a < (copy ? i + 1 : asks); a++)
                assert_true(seen[i][a]);
    }
}

static bool fetches(const at_task *t)
{
    static const char *const ids[] = {"copy", "copy-rating", "block-mean", "linear-recurrence"};
    for (int k = 0; k < 4; k++)
        if (!strcmp(t->id, ids[k]))
            return true;
    return false;
}

/* Greedy descent, taking the first candidate that keeps a property, ends and ends at a plain input. */
static void test_shrinking(void **state)
{
    (void)state;
    for (int k = 0; k < at_n_tasks; k++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            const at_task *t = at_tasks[k];
            if (t->real && strcmp(t->id, "qsa") != 0 && !fetches(t))
                continue; /* test_rows.c */
            if (t->length)
                continue; /* test_tables.c */
            at_params p;
            at_rng r = at_rng_at(seed, 0);
            task_middling(t, 7, &p);
            size_t bytes = task_row_bytes(t, &p), n = bytes / sizeof(double);
            double *x = task_input(t, &p), *y = task_input(t, &p);
            t->sample(&p, &r, x);
            x[0] = t->real ? 0.5
                   : !strcmp(t->id, "triangle") || t->word
                       ? 1
                       : 4321; /* the property: the first number is at least this */
            double keep = x[0];
            int steps = 0, c = 0;
            while (t->simpler(&p, x, 7, c, y)) {
                assert_memory_not_equal(x, y, bytes);
                c++;
                if (y[0] >= keep) {
                    memcpy(x, y, bytes);
                    c = 0;
                    assert_true(++steps < 1000);
                }
            }
            assert_false(t->simpler(&p, x, 7, c + 1, y));
            assert_true(x[0] == keep);
            size_t w = (size_t)t->row_width(&p);
            for (size_t i = 1; i < n; i++)
                if (!strcmp(t->id, "qsa") && i % 5 >= 2)
                    assert_true(x[i] == (double)(i % 5 - 1)); /* the subset 1, 2, 3 */
                else if (!strcmp(t->id, "copy") && i % w == 1)
                    assert_true(x[i] == 1); /* the first position */
                else if (strcmp(t->id, "copy-rating") != 0 || i % w != 4)
                    assert_true(x[i] == 0);
            free(x);
            free(y);
        }
    at_params p; /* the candidates of one input, in order */
    const at_task *t = task_with("match2", "N=4 M=9", &p);
    const double x[4] = {0, 1, 2, 7};
    const double candidates[6][4] = {{0, 0, 2, 7}, {0, 1, 0, 7}, {0, 1, 2, 0},
                                     {0, 1, 1, 7}, {0, 1, 2, 3}, {0, 1, 2, 6}};
    double y[4];
    for (int c = 0; c < 6; c++) {
        assert_true(t->simpler(&p, x, 4, c, y));
        assert_memory_equal(y, candidates[c], sizeof y);
    }
    assert_false(t->simpler(&p, x, 4, 6, y));
    t = task_with("qsa", "N=2 q=1 d=1", &p); /* to 0, then towards 0, to a multiple of 1/8 */
    const double z[4] = {0.3, 1, -0.125, 1},
                 lower[3][4] = {{0, 1, -0.125, 1}, {0.3, 1, 0, 1}, {0.25, 1, -0.125, 1}};
    for (int c = 0; c < 3; c++) {
        assert_true(t->simpler(&p, z, 2, c, y));
        assert_memory_equal(y, lower[c], sizeof y);
    }
    assert_false(t->simpler(&p, z, 2, 3, y));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_sizes), cmocka_unit_test(test_large_sizes),
        cmocka_unit_test(test_counts),      cmocka_unit_test(test_subsets),
        cmocka_unit_test(test_pairs),       cmocka_unit_test(test_shrinking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
