/* test_text.c: growing strings, escaping, strict numbers. */
#include <attest/core.h>

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* A length of 32 bits is shifted as one of 64: a machine whose size_t is short writes the same file. */
static void test_bytes(void **state)
{
    (void)state;
    unsigned char b[8];
    uint32_t n = 0x89ABCDEFu;
    at_le_put(b, n, 8);
    assert_memory_equal(b, "\xEF\xCD\xAB\x89\0\0\0\0", 8);
    assert_true(at_le_get(b, 8) == n);
    at_le_put(b, 0x8123456789ABCDEFu, 8);
    assert_memory_equal(b, "\xEF\xCD\xAB\x89\x67\x45\x23\x81", 8);
    assert_true(at_le_get(b, 8) == 0x8123456789ABCDEFu);
    assert_true(at_le_get(b, 3) == 0xABCDEFu);
    at_le_put(b, 0, 2);
    assert_memory_equal(b, "\0\0\xAB\x89", 4);
    at_text t;
    at_text_init(&t);
    at_text_add_le(&t, n, 8);
    at_text_add_le(&t, 0xFFFF0201u, 2);
    assert_int_equal(t.n, 10);
    assert_memory_equal(t.s, "\xEF\xCD\xAB\x89\0\0\0\0\x01\x02", 11);
    at_text_release(&t);
}

static void test_grow(void **state)
{
    (void)state;
    at_text t;
    at_text_init(&t);
    assert_null(t.s);
    at_text_add(&t, "");
    assert_string_equal(t.s, "");
    for (int i = 0; i < 1000; i++)
        at_text_addf(&t, "%d,", i % 10);
    assert_int_equal(t.n, 2000);
    assert_int_equal(strlen(t.s), 2000);
    at_text_addn(&t, "a\0b", 3); /* bytes, not a string */
    assert_int_equal(t.n, 2003);
    assert_int_equal(t.s[2003], 0);
    at_text_release(&t);
    assert_null(t.s);
    /* running out of memory is sticky and loses nothing that was there */
    at_text_add(&t, "kept");
    char big[1000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    at_alloc_inject(1);
    at_text_addf(&t, "%s", big);
    at_alloc_inject(0);
    assert_true(t.oom);
    at_text_add(&t, "no");
    assert_string_equal(t.s, "kept");
    at_text_release(&t);
}

static void test_html(void **state)
{
    (void)state;
    at_text t;
    at_text_init(&t);
    at_text_add_html_block(&t, "<script a='1' b=\"2\">&</script>\x1b\x01\n\t\x7f\xc2\x9b\xc3\xa9\xc2\xa0");
    assert_string_equal(
        t.s, "&lt;script a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;&lt;/script&gt;\xe2\x90\x9b\xe2\x90\x81\n\t"
             "\xe2\x90\xa1\xef\xbf\xbd\xc3\xa9\xc2\xa0");
    at_text_release(&t);
}

static void test_plain(void **state)
{
    (void)state;
    at_text t;
    at_text_init(&t);
    at_text_add_plain(&t, "a\x1b]0;title\x07\r\n\tb\x7f\xc2\x9b"
                          "31m\xc2\x80\xc2\x9f\xc2\xa0\xc3\xa9 \xe2\x82\xac\xc2");
    assert_string_equal(t.s, "a?]0;title????b??31m??\xc2\xa0\xc3\xa9 \xe2\x82\xac?");
    at_text_release(&t);
}

/* Every character that acts instead of being seen is replaced, by every function that escapes, and nothing else is. */
static void test_acting(void **state)
{
    (void)state;
    static const uint32_t acting[] = {0x1B,   0x9B,   0xAD,    0x34F,   0x61C,   0x115F,  0x180E,  0x200B,
                                      0x200C, 0x200D, 0x200E,  0x200F,  0x2028,  0x2029,  0x202A,  0x202B,
                                      0x202C, 0x202D, 0x202E,  0x2060,  0x2064,  0x2066,  0x2067,  0x2068,
                                      0x2069, 0x206F, 0x3164,  0xFDD0,  0xFE0F,  0xFEFF,  0xFFA0,  0xFFF9,
                                      0xFFFB, 0xFFFE, 0x1BCA0, 0x1D173, 0xE0001, 0xE0041, 0xE01EF, 0x10FFFF};
    static const uint32_t seen[] = {' ',    'a',    '~',    0xA0,   0xE9,    0x3B1,  0x5D0,  0x627,
                                    0x2010, 0x2027, 0x202F, 0x2030, 0x205E,  0x2070, 0x20AC, 0x2192,
                                    0x4E2D, 0xAC00, 0xE000, 0xFF21, 0x1D400, 0x1F600};
    for (int act = 1; act >= 0; act--) {
        size_t n = act ? sizeof acting / sizeof *acting : sizeof seen / sizeof *seen;
        for (size_t i = 0; i < n; i++) {
            uint32_t c = act ? acting[i] : seen[i];
            char one[5] = {0}, word[16], want[16];
            if (c < 0x80)
                one[0] = (char)c;
            else if (c < 0x800)
                memcpy(one, (char[]){(char)(0xC0 | c >> 6), (char)(0x80 | (c & 63))}, 2);
            else if (c < 0x10000)
                memcpy(
                    one,
                    (char[]){(char)(0xE0 | c >> 12), (char)(0x80 | (c >> 6 & 63)), (char)(0x80 | (c & 63))},
                    3);
            else
                memcpy(one,
                       (char[]){(char)(0xF0 | c >> 18), (char)(0x80 | (c >> 12 & 63)),
                                (char)(0x80 | (c >> 6 & 63)), (char)(0x80 | (c & 63))},
                       4);
            snprintf(word, sizeof word, "a%sb", one);
            assert_int_equal(at_text_acts(c), act);
            at_text t;
            at_text_init(&t);
            at_text_add_plain(&t, word);
            snprintf(want, sizeof want, "a%sb", act ? "?" : one);
            assert_string_equal(t.s, want);
            at_err err = {0};
            at_fail(&err, AT_EINPUT, "%s", word);
            assert_string_equal(err.text, want);
            t.n = 0;
            at_text_add_html(&t, word);
            snprintf(want, sizeof want, "a%sb", !act ? one : c < 0x20 ? "\xe2\x90\x9b" : "\xef\xbf\xbd");
            assert_string_equal(t.s, want);
            at_text_release(&t);
        }
    }
}

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        const char *s;
        bool ok;
        int64_t v;
    } cases[] = {{"0", true, 0},
                 {"-17", true, -17},
                 {"9223372036854775807", true, INT64_MAX},
                 {"-9223372036854775808", true, INT64_MIN},
                 {"9223372036854775808", false, 0},
                 {"", false, 0},
                 {" 1", false, 0},
                 {"1 ", false, 0},
                 {"1x", false, 0},
                 {"1.0", false, 0},
                 {"1e3", false, 0},
                 {"0x10", false, 0},
                 {"-", false, 0},
                 {"--1", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t v = 99;
        if (at_parse_i64(cases[i].s, strlen(cases[i].s), &v) != cases[i].ok)
            fail_msg("\"%s\"", cases[i].s);
        assert_true(v == (cases[i].ok ? cases[i].v : 99)); /* untouched on failure */
    }
    int64_t v;
    assert_true(at_parse_i64("123456", 3, &v) && v == 123); /* a part of a line */
    assert_false(at_parse_i64("1\0"
                              "2",
                              3, &v));
    assert_false(at_parse_i64("\0", 1, &v));
    char digits[65];
    memset(digits, '0', sizeof digits);
    assert_true(at_parse_i64(digits, 63, &v) && v == 0);
    assert_false(at_parse_i64(digits, 64, &v));
}

static void test_doubles(void **state)
{
    (void)state;
    static const char *const good[] = {"0", "-1.5", "1e-3", ".5", "1e308", "-0", "4.9e-324"};
    static const char *const bad[] = {"",         " 1",    "1 ", "1,5", "nan", "inf", "-INF",
                                      "infinity", "1e309", "e3", ".",   "1e",  "+-1", "\n1"};
    static const double want[] = {0, -1.5, 1e-3, 0.5, 1e308, 0, 4.9e-324};
    double v;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!at_parse_double(good[i], strlen(good[i]), &v) || v != want[i])
            fail_msg("\"%s\"", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (at_parse_double(bad[i], strlen(bad[i]), &v))
            fail_msg("\"%s\" was read as %g", bad[i], v);
    assert_false(at_parse_double("1\0", 2, &v));
}

/* No line is wider than its columns, whatever is written; wide characters count as two. */
static void test_pen(void **state)
{
    (void)state;
    at_text t;
    at_text_init(&t);
    at_pen p = {.out = &t, .columns = 8};
    at_pen_add(&p, "abc");
    assert_int_equal(p.used, 3);
    at_pen_pad(&p, 5);
    at_pen_add(&p, "defgh"); /* three fit */
    assert_int_equal(p.used, 8);
    at_pen_end(&p);
    assert_int_equal(p.used, 0);
    at_pen_label(&p, "x", 3, 3);
    at_pen_label(&p, "longer", 4, 4);
    at_pen_end(&p);
    at_pen_wrap(&p, "one two three", 2);
    at_pen_add(&p, "1234567\xE4\xB8\xAD"
                   "9"); /* two columns do not fit behind the seventh, one does */
    at_pen_end(&p);
    assert_string_equal(t.s, "abc  def\n  xlon\xE2\x80\xA6\n  one\n  two\n  three\n12345679\n");
    at_text_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grow),   cmocka_unit_test(test_html),     cmocka_unit_test(test_plain),
        cmocka_unit_test(test_acting), cmocka_unit_test(test_integers), cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_pen),    cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
