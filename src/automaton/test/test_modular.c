/* test_modular.c: words with positions modulo m, against their definition over all short words; what is refused. */
#include <attest/automaton.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <attest/core.h>

static const char *const names[] = {"a", "b", "c"};
static at_err err;

/* Letter a m + r of place i is right when r is i modulo m; a word of right letters is in when that of its letters is. */
static bool is_in(const at_dfa *d, int m, const int *word, int n)
{
    int plain[8];
    for (int i = 0; i < n; i++) {
        if (word[i] % m != i % m)
            return false;
        plain[i] = word[i] / m;
    }
    return at_dfa_accepts(d, plain, n);
}

static at_dfa *drawn(at_rng *r, int states, int letters, at_arena *a)
{
    at_dfa *d;
    assert_int_equal(at_dfa_new(&(at_alphabet){letters, names}, states, a, &d, &err), AT_OK);
    d->start = (int)at_rng_below(r, (uint64_t)states);
    for (int k = 0; k < states * letters; k++)
        d->to[k] = (int)at_rng_below(r, (uint64_t)states);
    for (int q = 0; q < states; q++)
        d->accept[q] = at_rng_below(r, 2) != 0;
    return d;
}

static void test_words(void **state)
{
    (void)state;
    at_rng r = at_rng_at(29, 0);
    int met[2] = {0, 0};
    for (int t = 0; t < 24; t++) {
        at_arena a;
        at_arena_init(&a);
        int m = 1 + t % 3, letters = 1 + t % 2;
        at_dfa *d = drawn(&r, 1 + t % 5, letters, &a), *with;
        assert_int_equal(at_dfa_modular(d, m, &a, &with, &err), AT_OK);
        assert_int_equal(with->sigma.n, letters * m);
        for (int n = 0; n <= 5; n++) {
            int word[8] = {0}, k;
            do {
                bool in = is_in(d, m, word, n);
                assert_int_equal(at_dfa_accepts(with, word, n), in);
                met[in]++;
                for (k = n - 1; k >= 0 && ++word[k] == letters * m; k--)
                    word[k] = 0;
            } while (k >= 0);
        }
        at_arena_release(&a);
    }
    assert_true(met[0] > 1000 && met[1] > 100);
}

static void test_refused(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_rng r = at_rng_at(30, 0);
    at_dfa *d = drawn(&r, 3, 2, &a), *with;
    assert_int_equal(at_dfa_modular(d, AT_LETTERS_MAX / 2, &a, &with, &err), AT_OK);
    static const int bad[] = {0, -1, AT_LETTERS_MAX / 2 + 1, AT_LETTERS_MAX};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        with = d;
        err = (at_err){0};
        assert_int_equal(at_dfa_modular(d, bad[k], &a, &with, &err), AT_EBUDGET);
        assert_null(with);
        assert_non_null(strstr(err.text, "at most 64 pairs"));
    }
    d = drawn(&r, AT_STATES_MAX / 4, 1, &a);
    err = (at_err){0};
    assert_int_equal(at_dfa_modular(d, 4, &a, &with, &err), AT_EBUDGET);
    assert_non_null(strstr(err.text, "more than 20000 states"));
    at_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
