/* test_expr.c: expressions modulo a prime: the words that refuse, the chain against the judge, all expressions of a
 * size against a listing of all rows of tokens, drawn ones. */
#include "task_test.h"

#include <math.h>
#include <stdio.h>

#define ROOM AT_EXPR_TOKENS(AT_EXPR_OPERATORS_MAX)

static int tokens_of(int p, const char *text, int *out)
{
    at_arena a;
    at_err err = {0};
    int *t, n;
    at_arena_init(&a);
    if (at_expr_parse(p, text, AT_EXPR_OPERATORS_MAX, &a, &t, &n, &err))
        fail_msg("%s: %s", text, err.text);
    memcpy(out, t, (size_t)n * sizeof *t);
    at_arena_release(&a);
    return n;
}

static void chain_is(int p, const char *text, const char *want)
{
    int t[ROOM], chain[4096], n = tokens_of(p, text, t);
    at_text s;
    at_text_init(&s);
    at_expr_print(chain, at_expr_chain(p, t, n, chain), &s);
    assert_string_equal(s.s, want);
    at_text_release(&s);
}

static void test_chains(void **state)
{
    (void)state;
    chain_is(11, "( 3 + 4 ) * 2 =", "7 * 2 = 3 <eos>");
    chain_is(11, "(3+4)*2", "7 * 2 = 3 <eos>");
    chain_is(11, "1 * 6 * 9 * 8 * 2 =", "6 * 9 * 8 * 2 = 10 * 8 * 2 = 3 * 2 = 6 <eos>");
    chain_is(11, "2 + 3 × 4", "2 + 1 = 3 <eos>");
    chain_is(11, "2 - 3 * 4 - 1", "2 - 1 - 1 = 1 - 1 = 0 <eos>");
    chain_is(11, "8 - ( 2 + 3 * ( 4 - 5 ) ) / 7",
             "8 - ( 2 + 3 * 10 ) / 7 = 8 - ( 2 + 8 ) / 7 = 8 - 10 / 7 = 8 - 3 = 5 <eos>");
    chain_is(5, "1 + ( 2 + 3 )", "1 + 0 = 1 <eos>");
    chain_is(5, "4 ÷ 3", "3 <eos>");
    chain_is(2, "1", "1 <eos>");
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "position 1: a number or ( is expected, not the end"},
        {"=", "position 1: a number or ( is expected, not ="},
        {"3 +", "position 3: a number or ( is expected, not the end"},
        {"3 + =", "position 3: a number or ( is expected, not the end"},
        {"3 3", "position 2: an operator is expected, not 3"},
        {"3 = 3", "position 2: an operator is expected, not ="},
        {"- 3", "position 1: a number or ( is expected, not -"},
        {"( 3 + 4", "position 5: an operator or ) is expected, not the end"},
        {"3 + 4 )", "position 4: an operator is expected, not )"},
        {"( 3 )", "position 1: redundant brackets, closed at position 3"},
        {"( 3 + 4 )", "position 1: redundant brackets, closed at position 5"},
        {"1 + ( 3 * 4 )", "position 3: redundant brackets, closed at position 7"},
        {"( 3 + 4 ) - 1", "position 1: redundant brackets, closed at position 5"},
        {"( 3 * 4 ) * 1", "position 1: redundant brackets, closed at position 5"},
        {"( ( 3 + 4 ) ) * 1", "position 2: redundant brackets, closed at position 6"},
        {"2 * ( 3 ) * 1", "position 3: redundant brackets, closed at position 5"},
        {"1 / ( 4 - 4 )", "position 2: division by zero"},
        {"7 + 11", "position 3: 11 is no residue modulo 11; allowed are 0..10"},
        {"99999999999999999999 + 1",
         "position 1: 99999999999999999999 is no residue modulo 11; allowed are 0..10"},
        {"7 & 1", "position 2: '&' is no token; allowed are 0..10 + - * / ( )"},
        {"1 + 1 + 1 + 1", "3 operators; at most 2 are allowed here"},
    };
    at_arena a;
    at_arena_init(&a);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_err err = {0};
        int *t, n;
        at_status s = at_expr_parse(11, rows[k].text, 2, &a, &t, &n, &err);
        assert_int_equal(at_exit_code(s), 2);
        assert_string_equal(err.text, rows[k].says);
    }
    at_err err = {0};
    assert_int_equal(at_exit_code(at_expr_prime(9, &err)), 2);
    assert_string_equal(err.text, "p=9: must be a prime in 2..251");
    assert_int_equal(at_expr_prime(2, &err), AT_OK);
    assert_int_equal(at_expr_prime(251, &err), AT_OK);
    char long_text[3 * ROOM] = "1";
    for (int i = 0; i < ROOM; i++)
        strcat(long_text, "+1");
    int *t, n;
    assert_int_equal(at_exit_code(at_expr_parse(11, long_text, 256, &a, &t, &n, &err)), 2);
    at_arena_release(&a);
}

/* What must be true of every expression: the judge takes it, the chain ends in its value, is as long as is said, and
 * each segment is an expression of one operator less and the same value. */
static void expression_check(int p, const int *t, int n, int k)
{
    int value, operators, chain[AT_EXPR_CHAIN(40)];
    at_err err = {0};
    if (at_expr_value(p, t, n, &value, &operators, &err))
        fail_msg("%s", err.text);
    assert_int_equal(operators, k);
    assert_true(n <= AT_EXPR_TOKENS(k));
    int length = at_expr_chain(p, t, n, chain), from = 0;
    assert_true(length >= 2 && length <= AT_EXPR_CHAIN(k));
    assert_int_equal(chain[length - 1], AT_EXPR_EOS);
    assert_int_equal(chain[length - 2], AT_EXPR_NUMBER + value);
    for (int i = 0; i < length; i++)
        if (chain[i] == AT_EXPR_EQUALS || chain[i] == AT_EXPR_EOS) {
            int v, ops;
            if (at_expr_value(p, chain + from, i - from, &v, &ops, &err))
                fail_msg("%s", err.text);
            assert_int_equal(v, value);
            assert_int_equal(ops, k = k ? k - 1 : 0);
            from = i + 1;
        }
    assert_int_equal(k, 0);
}

/* The list of expressions is the set of all rows of tokens that the judge takes: same number, ascending without
 * repetition is not needed then, only that all are accepted and distinct. */
static int compare(const void *a, const void *b)
{
    return memcmp(a, b, 16);
}

static void test_listing(void **state)
{
    (void)state;
    static const struct {
        int p, k;
    } rows[] = {{2, 0}, {2, 1}, {3, 1}, {5, 1}, {2, 2}, {3, 2}};
    for (size_t c = 0; c < sizeof rows / sizeof *rows; c++) {
        int p = rows[c].p, k = rows[c].k, longest = AT_EXPR_TOKENS(k), base = p + 6;
        uint64_t accepted = 0; /* every row of tokens + - * / ( ) 0..p-1 of each length */
        for (int n = 1; n <= longest; n++) {
            uint64_t all = 1;
            for (int i = 0; i < n; i++)
                all *= (uint64_t)base;
            for (uint64_t index = 0; index < all; index++) {
                int t[16], value, operators;
                uint64_t rest = index;
                for (int i = 0; i < n; i++, rest /= (uint64_t)base) {
                    int d = (int)(rest % (uint64_t)base);
                    t[i] = d < 6 ? AT_EXPR_ADD + d : AT_EXPR_NUMBER + d - 6;
                }
                accepted += !at_expr_value(p, t, n, &value, &operators, NULL) && operators == k;
            }
        }
        at_expr_space s;
        at_err err = {0};
        assert_int_equal(at_expr_space_init(&s, p, k, k, &err), AT_OK);
        assert_int_equal(s.count, accepted);
        unsigned char(*seen)[16] = calloc(s.count, 16);
        for (uint64_t i = 0; i < s.count; i++) {
            int t[16], n = at_expr_nth(&s, i, t);
            expression_check(p, t, n, k);
            for (int j = 0; j < n; j++)
                seen[i][j] = (unsigned char)t[j];
        }
        qsort(seen, s.count, 16, compare);
        for (uint64_t i = 1; i < s.count; i++)
            assert_true(memcmp(seen[i - 1], seen[i], 16) != 0);
        free(seen);
        at_expr_space_release(&s);
    }
}

static void test_counts(void **state)
{
    (void)state;
    at_expr_space s;
    at_err err = {0};
    assert_int_equal(at_expr_space_init(&s, 5, 0, 3, &err), AT_OK);
    print_message("expressions modulo 5 with up to 3 operators: %llu\n", (unsigned long long)s.count);
    int t[16];
    for (uint64_t i = 0; i < s.count; i += 1 + i / 40) { /* all the short ones, then ever fewer */
        int n = at_expr_nth(&s, i, t), v, k;
        assert_int_equal(at_expr_value(5, t, n, &v, &k, &err), AT_OK);
        expression_check(5, t, n, k);
    }
    at_expr_space_release(&s);
    assert_int_equal(at_expr_space_init(&s, 251, 0, 256, &err), AT_OK);
    assert_true(s.count == UINT64_MAX);
    at_expr_space_release(&s);
    assert_int_equal(at_exit_code(at_expr_space_init(&s, 5, 3, 2, &err)), 2);
    assert_int_equal(at_exit_code(at_expr_space_init(&s, 4, 0, 2, &err)), 2);
    at_alloc_inject(1);
    assert_int_equal(at_expr_space_init(&s, 5, 0, 2, &err), AT_ENOMEM);
    at_alloc_inject(0);
}

static void test_samples(void **state)
{
    (void)state;
    int brackets = 0, longest = 0, ops[4] = {0}, values[11] = {0};
    for (int k = 0; k <= 40; k++)
        for (uint64_t i = 0; i < 500; i++) {
            at_rng r = at_rng_at(7, i), again = r;
            int t[AT_EXPR_TOKENS(40)], u[AT_EXPR_TOKENS(40)], n = at_expr_sample(11, k, &r, t), v, o,
                                                              chain[AT_EXPR_CHAIN(40)];
            assert_int_equal(n, at_expr_sample(11, k, &again, u));
            assert_memory_equal(t, u, (size_t)n * sizeof *t);
            expression_check(11, t, n, k);
            assert_int_equal(at_expr_value(11, t, n, &v, &o, NULL), AT_OK);
            values[v]++;
            r = at_rng_at(9, i);
            assert_int_equal(at_expr_sample_long(11, k, &r, u), AT_EXPR_TOKENS(k));
            expression_check(11, u, AT_EXPR_TOKENS(k), k);
            for (int j = 0; j < n; j++) {
                brackets += t[j] == AT_EXPR_OPEN;
                if (t[j] >= AT_EXPR_ADD && t[j] <= AT_EXPR_DIV)
                    ops[t[j] - AT_EXPR_ADD]++;
            }
            int all = n + 1 + at_expr_chain(11, t, n, chain);
            longest = k == 16 && all > longest ? all : longest;
        }
    print_message("%d brackets; longest of 500 with 16 operators: %d tokens\n", brackets, longest);
    assert_true(brackets > 0 && longest > 300 && longest <= AT_EXPR_TOKENS(16) + 1 + AT_EXPR_CHAIN(16));
    for (int o = 0; o < 4; o++) /* 410,000 operators, 23 to 27% each */
        assert_in_range(ops[o], 80000, 120000);
    for (int v = 0; v < 11; v++) /* 20,500 answers, but the same 500 streams for every k: wide */
        assert_true(values[v] > 500);
    for (int p = 2; p <= 3; p++)
        for (uint64_t i = 0; i < 2000; i++) {
            at_rng r = at_rng_at(8, i);
            int t[AT_EXPR_TOKENS(9)];
            expression_check(p, t, at_expr_sample(p, 9, &r, t), 9);
        }
}

/* The number v becomes `a op b`: a and op uniform where there is a b. So + and - have 11 chances each; * has 10 and / 10,
 * or, for v = 0, 11 and 1. Five standard deviations. */
static void test_operators(void **state)
{
    (void)state;
    enum { DRAWS = 22000 };
    int met[2][4] = {0}, all[2] = {0};
    static const double chances[2][4] = {{11, 11, 11, 1}, {11, 11, 10, 10}};
    for (uint64_t i = 0; i < DRAWS; i++) {
        at_rng r = at_rng_at(4, i);
        int t[AT_EXPR_TOKENS(1)], v, o, n = at_expr_sample(11, 1, &r, t);
        assert_int_equal(n, 3);
        assert_int_equal(at_expr_value(11, t, n, &v, &o, NULL), AT_OK);
        met[v != 0][t[1] - AT_EXPR_ADD]++;
        all[v != 0]++;
    }
    for (int k = 0; k < 2; k++)
        for (int o = 0; o < 4; o++) {
            double share = chances[k][o] / (k ? 42 : 34);
            assert_true(fabs(met[k][o] - all[k] * share) < 5 * sqrt(all[k] * share * (1 - share)));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains),  cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_listing), cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_samples), cmocka_unit_test(test_operators)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
