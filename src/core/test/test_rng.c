/* test_rng.c: fixed reference values (a ledger entry names seeds: they must mean the same for ever), and the
 * statistics that would show a biased or dependent stream. The draws are fixed, so a test passes always or never;
 * limits are five standard deviations. */
#include <attest/core.h>

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#define DRAWS 200000

static void test_reference_values(void **state)
{
    (void)state;
    static const uint64_t want[] = {0x64e3f7e1ec0cb9b8u, 0x58026d8f8adca915u, 0x55d76bedef34ae97u,
                                    0x345a13bc372c040au};
    static const uint64_t digits[] = {1, 1, 9, 5, 1, 4};
    at_rng r = at_rng_at(1, 2);
    for (int i = 0; i < 4; i++)
        assert_true(at_rng_u64(&r) == want[i]);
    r = at_rng_at(0, 0);
    assert_true(at_rng_u64(&r) == 0xddc11d0161dd4d28u);
    r = at_rng_at(2026, 7);
    for (int i = 0; i < 6; i++)
        assert_true(at_rng_below(&r, 10) == digits[i]);
    assert_true(at_rng_unit(&r) == 0.41980839762817157);
    assert_true(at_rng_normal(&r) == -0.5600323858459122);
    assert_true(at_hash64("attest", 6, 0) == 0xf36d8ac27c07bd27u);
    assert_true(at_hash64("attestation", 11, 5) == 0x14fcaeaf6d74ad8au);
    assert_true(at_hash64("attest", 6, 1) != at_hash64("attest", 6, 0));
    assert_true(at_hash64("attest\0", 7, 0) != at_hash64("attest", 6, 0));
}

/* n = 3 * 2^62: a plain remainder would give the lowest third twice the weight, a multiplication without rejection
 * every third number. */
static void test_below_is_unbiased(void **state)
{
    (void)state;
    at_rng r = at_rng_at(3, 0);
    uint64_t n = (uint64_t)3 << 62;
    int third[3] = {0}, residue[3] = {0};
    for (int i = 0; i < DRAWS; i++) {
        uint64_t v = at_rng_below(&r, n);
        assert_true(v < n);
        third[v >> 62]++;
        residue[v % 3]++;
    }
    double sd = sqrt(DRAWS * (1 / 3.) * (2 / 3.));
    for (int k = 0; k < 3; k++)
        assert_true(fabs(third[k] - DRAWS / 3.) < 5 * sd && fabs(residue[k] - DRAWS / 3.) < 5 * sd);
    int face[6] = {0};
    for (int i = 0; i < DRAWS; i++)
        face[at_rng_below(&r, 6)]++;
    sd = sqrt(DRAWS * (1 / 6.) * (5 / 6.));
    for (int k = 0; k < 6; k++)
        assert_true(fabs(face[k] - DRAWS / 6.) < 5 * sd);
    for (int i = 0; i < 100; i++)
        assert_true(at_rng_below(&r, 1) == 0);
}

/* Bits agree half of the time: of two streams, of two seeds, of two neighbours in a stream, and each with 0. */
static void test_streams_are_independent(void **state)
{
    (void)state;
    double sd = sqrt(64. * DRAWS / 4);
    long other_stream = 0, other_seed = 0, neighbour = 0, ones = 0;
    at_rng a = at_rng_at(5, 10), b = at_rng_at(5, 11), c = at_rng_at(6, 10);
    uint64_t before = at_rng_u64(&(at_rng){a.key, 1u << 30});
    for (int i = 0; i < DRAWS; i++) {
        uint64_t x = at_rng_u64(&a);
        other_stream += __builtin_popcountll(x ^ at_rng_u64(&b));
        other_seed += __builtin_popcountll(x ^ at_rng_u64(&c));
        neighbour += __builtin_popcountll(x ^ before);
        ones += __builtin_popcountll(x);
        before = x;
    }
    assert_true(fabs((double)other_stream - 32. * DRAWS) < 5 * sd);
    assert_true(fabs((double)other_seed - 32. * DRAWS) < 5 * sd);
    assert_true(fabs((double)neighbour - 32. * DRAWS) < 5 * sd);
    assert_true(fabs((double)ones - 32. * DRAWS) < 5 * sd);
    /* the first draw of neighbouring streams: what sample i sees */
    long first = 0;
    for (uint64_t s = 0; s < DRAWS; s++) {
        a = at_rng_at(5, s);
        b = at_rng_at(5, s + 1);
        first += __builtin_popcountll(at_rng_u64(&a) ^ at_rng_u64(&b));
    }
    assert_true(fabs((double)first - 32. * DRAWS) < 5 * sd);
}

static void test_moments(void **state)
{
    (void)state;
    at_rng r = at_rng_at(8, 8);
    double mean = 0, square = 0, unit = 0;
    for (int i = 0; i < DRAWS; i++) {
        double u = at_rng_unit(&r), g = at_rng_normal(&r);
        assert_true(u >= 0 && u < 1 && ldexp(u, 53) == floor(ldexp(u, 53)));
        assert_true(isfinite(g));
        unit += u;
        mean += g;
        square += g * g;
    }
    assert_true(fabs(unit / DRAWS - 0.5) < 5 * sqrt(1 / 12. / DRAWS));
    assert_true(fabs(mean / DRAWS) < 5 / sqrt(DRAWS));
    assert_true(fabs(square / DRAWS - 1) < 5 * sqrt(2. / DRAWS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_values),
        cmocka_unit_test(test_below_is_unbiased),
        cmocka_unit_test(test_streams_are_independent),
        cmocka_unit_test(test_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
