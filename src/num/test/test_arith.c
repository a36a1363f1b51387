/* test_arith.c: names of arithmetics, both ways, and what is said when a name is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <attest/num.h>
#include <float.h>
#include <string.h>

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
        at_arith a;
    } good[] = {
        {"f32", "f32", {AT_F32, 24, 8}},         {"f64", "f64", {AT_F64, 53, 11}},
        {"exact", "exact", {AT_EXACT, 0, 0}},    {"p2", "p2", {AT_PBIT, 2, 10}},
        {"p12", "p12", {AT_PBIT, 12, 10}},       {"p12e8", "p12e8", {AT_PBIT, 12, 8}},
        {"p12e10", "p12", {AT_PBIT, 12, 10}},    {"p53", "p53", {AT_PBIT, 53, 10}},
        {"p53e11", "p53e11", {AT_PBIT, 53, 11}}, {"p2e3", "p2e3", {AT_PBIT, 2, 3}},
        {"ball", "ball", {AT_BALL, 128, 0}},     {"ball128", "ball", {AT_BALL, 128, 0}},
        {"ball24", "ball24", {AT_BALL, 24, 0}},  {"ball65536", "ball65536", {AT_BALL, 65536, 0}},
        {"q4", "q4", {AT_QUOTIENT, 4, 10}},      {"q4e3", "q4e3", {AT_QUOTIENT, 4, 3}},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        at_arith a = {AT_ARITH_KINDS, -1, -1}, b;
        at_err err = {0};
        char name[16];
        assert_int_equal(at_arith_parse(good[i].text, &a, &err), AT_OK);
        assert_int_equal(a.kind, good[i].a.kind);
        assert_int_equal(a.bits, good[i].a.bits);
        assert_int_equal(a.exp_bits, good[i].a.exp_bits);
        at_arith_name(a, name);
        assert_string_equal(name, good[i].name);
        assert_int_equal(at_arith_parse(name, &b, &err), AT_OK);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        at_status code;
    } bad[] = {
        {"p1", "p1: mantissa bits must be 2..53", AT_EDOMAIN},
        {"p0", "p0: mantissa bits must be 2..53", AT_EDOMAIN},
        {"p54", "p54: mantissa bits must be 2..53", AT_EDOMAIN},
        {"p54e11", "p54e11: mantissa bits must be 2..53", AT_EDOMAIN},
        {"p99999999999999999999", "p99999999999999999999: mantissa bits must be 2..53", AT_EDOMAIN},
        {"p12e2", "p12e2: exponent bits must be 3..10 (or p53e11, which is f64)", AT_EDOMAIN},
        {"p12e0", "p12e0: exponent bits must be 3..10 (or p53e11, which is f64)", AT_EDOMAIN},
        {"p12e12", "p12e12: exponent bits must be 3..10 (or p53e11, which is f64)", AT_EDOMAIN},
        {"p12e11", "p12e11: 11 exponent bits only with 53 mantissa bits (p53e11)", AT_EDOMAIN},
        {"q1", "q1: mantissa bits must be 2..53", AT_EDOMAIN},
        {"q53e11", "q53e11: exponent bits must be 3..10", AT_EDOMAIN},
        {"q", "q: unknown arithmetic", AT_EINPUT},
        {"ball7", "ball7: working precision must be 24..65536 bits", AT_EDOMAIN},
        {"ball0", "ball0: working precision must be 24..65536 bits", AT_EDOMAIN},
        {"ball99999999", "ball99999999: working precision must be 24..65536 bits", AT_EDOMAIN},
        {"", "(empty): unknown arithmetic", AT_EINPUT},
        {"p", "p: unknown arithmetic", AT_EINPUT},
        {"f16", "f16: unknown arithmetic (allowed: f32, f64, pN, pNeE, qN, qNeE, ball, ballN, exact",
         AT_EINPUT},
        {"F32", "F32: unknown arithmetic", AT_EINPUT},
        {"p12 ", "p12 : unknown arithmetic", AT_EINPUT},
        {"p+12", "p+12: unknown arithmetic", AT_EINPUT},
        {"p12e", "p12e: unknown arithmetic", AT_EINPUT},
        {"p12e8x", "p12e8x: unknown arithmetic", AT_EINPUT},
        {"p12e11x", "p12e11x: unknown arithmetic", AT_EINPUT},
        {"ball12x", "ball12x: unknown arithmetic", AT_EINPUT},
        {"ball-3", "ball-3: unknown arithmetic", AT_EINPUT},
        {"balls", "balls: unknown arithmetic", AT_EINPUT},
        {"exactly", "exactly: unknown arithmetic", AT_EINPUT},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        at_arith a = {AT_ARITH_KINDS, -1, -1};
        at_err err = {0};
        assert_int_equal(at_arith_parse(bad[i].text, &a, &err), bad[i].code);
        if (strncmp(err.text, bad[i].says, strlen(bad[i].says)))
            fail_msg("%s: said \"%s\"", bad[i].text, err.text);
        assert_int_equal(a.kind, AT_ARITH_KINDS); /* outputs only on success */
        assert_int_equal(at_arith_parse(bad[i].text, &a, NULL), bad[i].code);
    }
}

static void test_formats(void **state)
{
    (void)state;
    at_pfmt f = at_pfmt_of((at_arith){AT_F32, 0, 0});
    assert_true(f.max == FLT_MAX && f.tiny == FLT_TRUE_MIN && f.norm == FLT_MIN && f.shift == 29);
    f = at_pfmt_of((at_arith){AT_PBIT, 53, 11});
    assert_true(f.max == DBL_MAX && f.tiny == DBL_TRUE_MIN && f.norm == DBL_MIN && f.shift == 0);
    f = at_pfmt_of((at_arith){AT_PBIT, 11, 5}); /* half precision, IEEE 754-2008 table 3.2 */
    assert_true(f.max == 65504 && f.tiny == 0x1p-24 && f.norm == 0x1p-14 && f.emax == 15 && f.emin == -14);
    f = at_pfmt_of((at_arith){AT_PBIT, 8, 8}); /* bfloat16 */
    assert_true(f.max == 0x1.fep127 && f.tiny == 0x1p-133);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
