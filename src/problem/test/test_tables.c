/* test_tables.c: function composition: answers against their definitions on every small prompt, enumerations of
 * exactly the prompts there are, draws in range, shrinking, lengths. */
#include "task_test.h"

/* The definitions, written out by recursion; positions count from 0. */
static int compose_twin(const at_params *p, const double *x)
{
    int n = at_params_int(p, "n"), k = at_params_int(p, "k");
    int value = (int)x[k * n];
    for (int f = 0; f < k; f++)
        value = (int)x[f * n + value];
    return value;
}

/* N_l = m n_1 ... n_l */
static int domain(const at_params *p, int l)
{
    char name[3] = {'n', (char)('0' + l), 0};
    return l ? domain(p, l - 1) * at_params_int(p, name) : at_params_int(p, "m");
}

/* z_l starts after the tables of z_L, ..., z_{l+1}. */
static int table(const at_params *p, int l)
{
    return l == at_params_int(p, "L") ? 0 : table(p, l + 1) + domain(p, l);
}

/* w_l: the token w is w_1 + n_1 (w_2 + n_2 (...)), so w_l = w / (n_1 ... n_{l-1}) mod n_l. */
static int digit(const at_params *p, int w, int l)
{
    int m = at_params_int(p, "m"), before = domain(p, l - 1) / m;
    return w / before % (domain(p, l) / m / before);
}

static int funccomp_index(const at_params *p, const double *x, int l) /* i_l */
{
    int after = table(p, 1) + domain(p, 0); /* z_0 */
    if (l == 0)
        return (int)x[after];
    int before = funccomp_index(p, x, l - 1);
    if (l > 1)
        before += digit(p, (int)x[after + 1], l - 1) * domain(p, l - 2);
    return (int)x[table(p, l) + before];
}

static int funccomp_twin(const at_params *p, const double *x)
{
    return funccomp_index(p, x, at_params_int(p, "L"));
}

/* Values of position i, by the definitions. */
static int values(const at_task *t, const at_params *p, int i)
{
    if (!strcmp(t->id, "compose"))
        return at_params_int(p, "n");
    int L = at_params_int(p, "L");
    for (int l = L; l >= 1; l--)
        if (i < table(p, l) + domain(p, l - 1))
            return domain(p, l - 1);
    return i == table(p, 1) + domain(p, 0) ? at_params_int(p, "m") : domain(p, L - 1) / at_params_int(p, "m");
}

static void compare(const at_task *t, const at_params *p, const double *x)
{
    double y = -1;
    int expected = (!strcmp(t->id, "compose") ? compose_twin : funccomp_twin)(p, x);
    for (int i = 0; i < at_params_int(p, "N"); i++)
        assert_true(x[i] >= 0 && x[i] < values(t, p, i) && x[i] == (int)x[i]);
    t->answer(p, x, &y);
    if (y != expected)
        fail_msg("%s: answers %g, not %d", t->id, y, expected);
}

static const struct {
    const char *id, *size;
    uint64_t count;
} small[] = {
    {"compose", "N=2 n=1 k=1", 1},
    {"compose", "N=3 n=2 k=1", 8},
    {"compose", "N=5 n=2 k=2", 32},
    {"compose", "N=7 n=3 k=2", 2187},
    {"compose", "N=10 n=3 k=3", 59049},
    {"funccomp", "L=1 m=1 n1=1 N=3", 1},
    {"funccomp", "L=1 m=3 n1=1 N=5", 81},
    {"funccomp", "L=2 m=2 n1=2 N=8", 4096},
    {"funccomp", "L=2 m=1 n1=3 N=6", 81}, /* 3^3 1 1 3 */
    {"funccomp", "L=3 m=2 n1=1 n2=2 N=10", 16384},
    {"funccomp", "L=4 m=2 n1=1 n2=1 n3=2 N=12", 65536},
};

/* Every prompt there is, once each and in order of the mixed base, and no other. */
static void test_every_small_prompt(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof small / sizeof small[0]; s++) {
        at_params p;
        const at_task *t = task_with(small[s].id, small[s].size, &p);
        int N = at_params_int(&p, "N");
        double *x = task_input(t, &p), *step = task_input(t, &p);
        assert_int_equal(t->length(&p), N);
        assert_int_equal(t->count(&p, AT_ENUM_SEQUENCES), small[s].count);
        assert_int_equal(t->count(&p, AT_ENUM_MULTISETS), 0);
        for (uint64_t k = 0; k < small[s].count; k++) {
            t->nth(&p, AT_ENUM_SEQUENCES, k, x);
            if (k)
                t->next(&p, AT_ENUM_SEQUENCES, k, step);
            else
                memcpy(step, x, task_row_bytes(t, &p));
            assert_memory_equal(x, step, task_row_bytes(t, &p));
            uint64_t spelt = 0;
            for (int i = 0; i < N; i++)
                spelt = spelt * (uint64_t)values(t, &p, i) + (uint64_t)x[i];
            assert_int_equal(spelt, k);
            compare(t, &p, x);
        }
        t->next(&p, AT_ENUM_SEQUENCES, small[s].count, step);
        for (int i = 0; i < N; i++)
            assert_true(step[i] == 0);
        free(x);
        free(step);
    }
}

static const char *const large[][2] = {
    {"compose", "N=9 n=8 k=1"},
    {"compose", "N=129 n=64 k=2"},
    {"compose", "N=2049 n=1024 k=2"},
    {"compose", "N=129 n=2 k=64"},
    {"funccomp", "L=2 m=4 n1=4 N=22"},
    {"funccomp", "L=3 m=3 n1=2 n2=3 N=29"},
    {"funccomp", "L=6 m=2 n1=2 n2=3 n3=1 n4=2 n5=2 N=104"},
    {"funccomp", "L=4 m=8 n1=1 n2=8 n3=8 N=594"},
};

static void test_draws(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof large / sizeof large[0]; s++) {
        at_params p;
        const at_task *t = task_with(large[s][0], large[s][1], &p);
        double *x = task_input(t, &p), *again = task_input(t, &p);
        uint64_t first = UINT64_MAX, same = 0;
        for (uint64_t k = 0; k < 200; k++)
            for (int kind = 0; kind < 2; kind++) {
                at_rng r = at_rng_at(42, k);
                memset(x, 0xff, task_row_bytes(t, &p));
                (kind ? t->adversarial : t->sample)(&p, &r, x);
                compare(t, &p, x);
                r = at_rng_at(42, k);
                memset(again, 0, task_row_bytes(t, &p));
                (kind ? t->adversarial : t->sample)(&p, &r, again);
                assert_memory_equal(x, again, task_row_bytes(t, &p));
                double y;
                t->answer(&p, x, &y);
                first = first == UINT64_MAX ? (uint64_t)y : first;
                same += (uint64_t)y == first;
            }
        assert_true(same < 360); /* the answers vary */
        free(x);
        free(again);
    }
}

/* Tables that are one value off the path and another on it: what leaks from elsewhere shows most. */
static void test_extremes(void **state)
{
    (void)state;
    at_params p;
    const at_task *t = task_with("compose", "N=17 n=8 k=2", &p);
    double x[17];
    int extremes = 0, identities = 0;
    for (uint64_t k = 0; k < 1000; k++) {
        at_rng r = at_rng_at(3, k);
        t->adversarial(&p, &r, x);
        int ends = 0, same = 0;
        for (int i = 0; i < 16; i++) {
            int on = i < 8 ? (int)x[16] : 8 + (int)x[(int)x[16]];
            ends += i != on && x[i] == 7 - x[on] && (x[on] == 0 || x[on] == 7);
            same += x[i] == i % 8;
        }
        extremes += ends == 14;
        identities += same >= 15;
    }
    assert_in_range(extremes, 250, 450); /* a third */
    assert_in_range(identities, 20, 400);
}

/* Greedy descent keeps prompts prompts and ends in zeros. */
static void test_shrinking(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof large / sizeof large[0]; s++) {
        at_params p;
        const at_task *t = task_with(large[s][0], large[s][1], &p);
        int N = at_params_int(&p, "N"), steps = 0;
        if (N > 200)
            continue;
        double *x = task_input(t, &p), *y = task_input(t, &p);
        at_rng r = at_rng_at(1, 1);
        t->sample(&p, &r, x);
        x[0] = 1;
        for (int c = 0; t->simpler(&p, x, N, c, y); c++) {
            compare(t, &p, y);
            if (y[0] == 1) {
                memcpy(x, y, task_row_bytes(t, &p));
                c = -1;
                assert_true(++steps < 10000);
            }
        }
        for (int i = 1; i < N; i++)
            assert_true(x[i] == 0);
        free(x);
        free(y);
    }
}

static void test_lengths(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"compose", "n=4", "N=7: must be 9, the length k n + 1"},
        {"compose", "n=1024 k=4", "the length k n + 1 would be 4097: must be at most 4096"},
        {"funccomp", "L=3", "N=8: must be 12, the length N_0 + ... + N_{L-1} + 2"},
        {"funccomp", "L=1", "n1=2: must be 1, since w_1 is not used when L is 1"},
        {"funccomp", "n3=2", "n3=2: must be 1, since w_3 is not used when L is 2"},
        {"funccomp", "L=6 m=8 n1=8 n2=8 n3=8 n4=8 n5=8",
         "the length N_0 + ... + N_{L-1} + 2 would be 299594: must be at most 4096"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const at_task *t = at_task_find(rows[k][0]);
        at_params p;
        at_err err = {0};
        at_params_init(&p, t->params, t->n_params);
        assert_int_equal(at_params_parse(&p, rows[k][1], &err), AT_OK);
        assert_int_equal(t->validate(&p, &err), AT_EDOMAIN);
        assert_string_equal(err.text, rows[k][2]);
    }
}

/* Integers outside their range mean their residue: nothing is read outside a prompt. */
static void test_foreign_tokens(void **state)
{
    (void)state;
    at_params p;
    double y, x[7] = {1, 2, -300, 1e6, 5, 7, -1}; /* f = 1 2 0, g = 1 2 1, x = 2 */
    task_with("compose", "", &p)->answer(&p, x, &y);
    assert_true(y == 1);
    double z[8] = {-1, 9, 6, 4, 3, 2, 5, 99}; /* z_2 = 3 1 2 0, z_1 = 1 0, z_0 = 1, w_1 = 1 */
    task_with("funccomp", "", &p)->answer(&p, z, &y);
    assert_true(y == 2); /* i_1 = 0, z_2(1*2 + 0) */
}

/* A model's field is as wide as the widest table, so it takes prompts that are none: the task says which. */
static void test_holds(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof small / sizeof small[0]; s++) {
        at_params p;
        const at_task *t = task_with(small[s].id, small[s].size, &p);
        int N = at_params_int(&p, "N");
        double *x = task_input(t, &p);
        for (uint64_t k = 0; k < small[s].count; k += 1 + small[s].count / 100) {
            t->nth(&p, AT_ENUM_SEQUENCES, k, x);
            assert_true(t->holds(&p, x));
            for (int i = 0; i < N; i++) {
                double kept = x[i];
                x[i] = values(t, &p, i);
                assert_false(t->holds(&p, x));
                x[i] = -1;
                assert_false(t->holds(&p, x));
                x[i] = values(t, &p, i) - 1;
                assert_true(t->holds(&p, x));
                x[i] = kept;
            }
        }
        free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_small_prompt),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_shrinking),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_foreign_tokens),
        cmocka_unit_test(test_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
