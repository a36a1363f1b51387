/* test_clean.c: decoding and replacing of foreign text; numbers in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <attest/core.h>

#include <math.h>

static void malformed_bytes_are_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *clean;
    } cases[] = {
        {"plain", "plain"},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9D\x94\xB8", "\xC3\xA9\xE2\x82\xAC\xF0\x9D\x94\xB8"},
        {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},                 /* overlong, two bytes */
        {"\xE0\x80\xBC", "\xEF\xBF\xBD"},                         /* '<' in three */
        {"\xF0\x80\x80\xBC", "\xEF\xBF\xBD"},                     /* '<' in four */
        {"\xED\xA0\x80", "\xEF\xBF\xBD"},                         /* a surrogate */
        {"\xF4\x90\x80\x80", "\xEF\xBF\xBD"},                     /* beyond U+10FFFF */
        {"\xE2\x82", "\xEF\xBF\xBD"},                             /* cut short */
        {"\xE2<", "\xEF\xBF\xBD<"},                               /* what follows is not swallowed */
        {"\x80x\xFF", "\xEF\xBF\xBDx\xEF\xBF\xBD"},               /* strays */
        {"\xEF\xBF\xBE", "\xEF\xBF\xBD"},                         /* U+FFFE, forbidden in XML */
        {"\033\x01\x7F", "\xE2\x90\x9B\xE2\x90\x81\xE2\x90\xA1"}, /* pictures of controls */
        {"\xC2\x9B"
         "1m",
         "\xEF\xBF\xBD"
         "1m"},                           /* the C1 form of ESC [ */
        {"\xE2\x80\xAE", "\xEF\xBF\xBD"}, /* right-to-left override */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        at_text t;
        at_text_init(&t);
        at_text_add_clean(&t, cases[i].bytes);
        assert_string_equal(t.s, cases[i].clean);
        at_text_release(&t);
    }
}

/* Every scalar value survives encoding and decoding. */
static void code_points_round_trip(void **state)
{
    (void)state;
    at_text t;
    at_text_init(&t);
    for (uint32_t c = 1; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 37) {
        if (c >= 0xD800 && c < 0xE000)
            continue;
        t.n = 0;
        at_text_put(&t, c);
        const char *s = t.s;
        assert_int_equal(at_text_next(&s), c);
        assert_ptr_equal(s, t.s + t.n);
    }
    at_text_release(&t);
}

static void numbers(void **state)
{
    (void)state;
    char s[32];
    assert_string_equal(at_number_text(s, NAN), "\xE2\x80\x93");
    assert_string_equal(at_number_text(s, -0.0), "0");
    assert_string_equal(at_number_text(s, -INFINITY), "-\xE2\x88\x9E");
    assert_string_equal(at_number_text(s, 0.083333), "0.08333");
    assert_string_equal(at_count_text(s, 0), "0");
    assert_string_equal(at_count_text(s, 999), "999");
    assert_string_equal(at_count_text(s, 1000), "1,000");
    assert_string_equal(at_count_text(s, UINT64_MAX), "18,446,744,073,709,551,615");
}

/* A shell reads back what was meant. */
static void words_for_a_shell(void **state)
{
    (void)state;
    static const char *const words[][2] = {{"N=3,M=5", "N=3,M=5"}, {"a b", "'a b'"},   {"", "''"},
                                           {"it's", "'it'\\''s'"}, {"$(x)", "'$(x)'"}, {"a;b", "'a;b'"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        at_text t;
        at_text_init(&t);
        at_text_add_word(&t, words[i][0]);
        assert_string_equal(t.s, words[i][1]);
        at_text_release(&t);
    }
}

/* What may be written down as it is: the replacement character itself, but no byte that would be replaced. */
static void test_seen(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool seen;
    } texts[] = {{"", true},
                 {"abc", true},
                 {"\xC3\xA9", true},
                 {"\xEF\xBF\xBD", true},
                 {"2\xEF", false},
                 {"\xEF\xBF", false},
                 {"\xEF\xBF\xBE", false},
                 {"a\tb", false},
                 {"\xE2\x80\xAE", false},
                 {"\x80", false},
                 {"\xEF\xBF\xBD\xEF", false}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (at_text_seen(texts[k].text) != texts[k].seen)
            fail_msg("text %zu", k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seen),
        cmocka_unit_test(malformed_bytes_are_replaced),
        cmocka_unit_test(code_points_round_trip),
        cmocka_unit_test(numbers),
        cmocka_unit_test(words_for_a_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
