/* test_stream_file.c: a user's lines: what is read, every refusal with file and line, grades, failing allocations. */
#include "stream_test.h"

static at_source *parsed(const char *text)
{
    at_err err = {0};
    at_source *d = NULL;
    if (at_source_parse(text, strlen(text), "mine", &d, &err))
        fail_msg("%s", err.text);
    return d;
}

static void test_reading(void **state)
{
    (void)state;
    at_source *d = parsed("a b <sep> b a <sep> ja\r\n\n \t \n  c\ta <sep> <sep> nö nö");
    char word[AT_STREAM_WORD];
    static const char *const words[] = {"<pad>", "<sep>", "<eos>", "a", "b", "ja", "c", "nö"};
    assert_int_equal(at_source_vocabulary(d), 8);
    for (int t = 0; t < 8; t++) {
        assert_string_equal(at_source_word(d, t, word), words[t]);
        assert_int_equal(at_source_token(d, words[t], strlen(words[t])), t);
    }
    assert_string_equal(at_source_word(d, 8, word), "?");
    assert_int_equal(at_source_token(d, "d", 1), -1);
    assert_int_equal(at_source_longest(d), 8);

    at_sequence s = sequence_for(d);
    s.n = tokens_from(d, "c a <sep>", s.token);
    assert_int_equal(at_source_complete(d, &s, NULL), AT_OK);
    assert_true(s.n == 7 && s.prompt == 3 && s.answer == 4);
    s.n = tokens_from(d, "c <sep>", s.token);
    assert_int_equal(at_source_complete(d, &s, NULL), AT_EINPUT);
    free(s.token);
    at_source_free(d);
}

/* The first and the last character of each length, and those beside what is refused, are words. */
static void test_characters(void **state)
{
    (void)state;
    static const char *const good[] = {"~",
                                       "\xc2\xa0",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xef\xbc\x81",
                                       "\xef\xbf\xbd",
                                       "\xf0\x90\x80\x80",
                                       "\xf0\x9f\x99\x82"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char text[64], word[AT_STREAM_WORD];
        snprintf(text, sizeof text, "a <sep> %s <sep> %s", good[i], good[i]);
        at_source *d = parsed(text);
        assert_int_equal(at_source_vocabulary(d), AT_TOKEN_FIRST + 2);
        assert_string_equal(at_source_word(d, AT_TOKEN_FIRST + 1, word), good[i]);
        at_source_free(d);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "mine: no line `prompt <sep> chain <sep> answer`"},
        {" \n\t\n", "mine: no line"},
        {"a <sep> b <sep> c\na b c\n", "mine:2: 0 times <sep>; a line is prompt <sep> chain <sep> answer"},
        {"a <sep> b\n", "mine:1: 1 times <sep>"},
        {"\n\na <sep> b <sep> c <sep> d", "mine:3: 3 times <sep>"},
        {"<sep> b <sep> c", "mine:1: nothing stands before the first <sep>"},
        {"a <sep> b <sep>", "mine:1: no answer stands behind the second <sep>"},
        {"a <sep> b <sep> c <eos>", "mine:1: <eos> is added where it is needed"},
        {"a <pad> <sep> b <sep> c", "mine:1: <pad> is added where it is needed"},
        {"a <sep> \x1b[2J <sep> c", "mine:1: byte 0x1b is no character of UTF-8 text"},
        {"a <sep> \xff <sep> c", "mine:1: byte 0xff is no character of UTF-8 text"},
        {"a <sep> \xc3 <sep> c", "mine:1: byte 0xc3 is no character of UTF-8 text"},
        {"a <sep> \xc0\xaf <sep> c", "mine:1: byte 0xc0"},
        {"a <sep> \xed\xa0\x80 <sep> c", "mine:1: byte 0xed"},
        {"a <sep> \xc2\x9b <sep> c", "mine:1: byte 0xc2"},
        {"a <sep> \xe0\x9f\xbf <sep> c", "mine:1: byte 0xe0"}, /* longer than it need be */
        {"a <sep> \xf0\x8f\xbf\xbf <sep> c", "mine:1: byte 0xf0"},
        {"a <sep> \xf4\x90\x80\x80 <sep> c", "mine:1: byte 0xf4"}, /* beyond the last character */
        {"a <sep> 0123456789012345678901234567890x <sep> c",
         "mine:1: a word of 32 bytes; at most 31 are allowed"},
        {"a <sep> b <sep> c\n\na <sep> b <sep> d\n", "mine:3: the prompt of line 1 with another answer"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_err err = {0};
        at_source *d = NULL;
        size_t n = strlen(rows[k].text);
        char *exact = malloc(n + 1); /* no NUL behind it that a reader could lean on */
        memcpy(exact, rows[k].text, n);
        assert_int_not_equal(at_source_parse(exact, n, "mine", &d, &err), AT_OK);
        free(exact);
        assert_null(d);
        if (!strstr(err.text, rows[k].says))
            fail_msg("%s: %s", rows[k].text, err.text);
    }
    at_err err = {0};
    at_source *d = NULL;
    assert_int_equal(at_source_parse("a\0b <sep> c <sep> d", 19, "mine", &d, &err), AT_EINPUT);
    assert_int_equal(at_source_load("/nowhere/mine", &d, &(at_err){0}), AT_EIO);
}

/* A prompt with two chains: both are right, and a third is wrong where it leaves the nearer one. */
static void test_grades(void **state)
{
    (void)state;
    at_source *d = parsed("x y <sep> a b c <sep> k\nz <sep> a <sep> l\nx y <sep> a c <sep> k\n");
    static const struct {
        const char *completion;
        at_tri answer, chain;
        int wrong;
    } rows[] = {
        {"a b c <sep> k <eos>", AT_TRUE, AT_TRUE, -1},  {"a c <sep> k <eos>", AT_TRUE, AT_TRUE, -1},
        {"a c c <sep> k <eos>", AT_TRUE, AT_FALSE, 2},  {"a b <sep> k <eos>", AT_TRUE, AT_FALSE, 2},
        {"a b c <sep> l <eos>", AT_FALSE, AT_FALSE, 4}, {"a b c <sep> k", AT_FALSE, AT_FALSE, 5},
    };
    int prompt[8], n = tokens_from(d, "x y <sep>", prompt), completion[16];
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_grade g;
        int m = tokens_from(d, rows[k].completion, completion);
        assert_int_equal(at_source_grade(d, prompt, n, completion, m, &g, NULL), AT_OK);
        assert_true(g.answer == rows[k].answer && g.chain == rows[k].chain && g.wrong == rows[k].wrong);
    }
    at_source_free(d);
}

/* Many lines: every line is met, in its split and in no other. */
static void test_samples(void **state)
{
    (void)state;
    enum { LINES = 300 };
    int met[AT_PARTS][LINES] = {{0}}, tests = 0;
    at_text t;
    at_text_init(&t);
    for (int i = 0; i < LINES; i++)
        at_text_addf(&t, "p%d <sep> c%d <sep> a%d\n", i, i, i % 2);
    at_source *d = parsed(t.s);
    at_sequence s = sequence_for(d);
    char word[AT_STREAM_WORD];
    for (int part = 0; part < AT_PARTS; part++)
        for (uint64_t i = 0; i < 6000; i++) {
            sample_take(d, 1, (at_part)part, i, &s);
            int line = atoi(at_source_word(d, s.token[0], word) + 1);
            assert_int_equal(atoi(at_source_word(d, s.token[2], word) + 1), line);
            assert_int_equal(atoi(at_source_word(d, s.token[4], word) + 1), line % 2);
            met[part][line]++;
        }
    for (int i = 0; i < LINES; i++) {
        assert_int_equal((met[AT_TRAIN][i] > 0) + (met[AT_TEST][i] > 0), 1);
        tests += met[AT_TEST][i] > 0;
    }
    assert_in_range(tests, 9, 51); /* 30, and four standard deviations are 21 */
    free(s.token);
    at_source_free(d);

    d = parsed("a <sep> b <sep> c\n"); /* one line: one of the splits is empty */
    s = sequence_for(d);
    at_err err = {0};
    int good = !at_source_sample(d, 1, AT_TRAIN, 0, &s, &err) + !at_source_sample(d, 1, AT_TEST, 0, &s, &err);
    assert_int_equal(good, 1);
    assert_non_null(strstr(err.text, "the file: of 20000 prompts in a row none"));
    free(s.token);
    at_source_free(d);
    at_text_release(&t);
}

static void test_allocations(void **state)
{
    (void)state;
    const char *text = "x y <sep> a b c <sep> k\nz <sep> a <sep> l\nx y <sep> a c <sep> k\n";
    bool fired = true;
    for (long nth = 1; fired; nth++) {
        at_source *d = NULL;
        at_alloc_inject(nth);
        at_status s = at_source_parse(text, strlen(text), "mine", &d, NULL);
        fired = at_alloc_injected();
        at_alloc_inject(0);
        assert_int_equal(s, fired ? AT_ENOMEM : AT_OK);
        at_source_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reading),  cmocka_unit_test(test_characters),
                                       cmocka_unit_test(test_refusals), cmocka_unit_test(test_grades),
                                       cmocka_unit_test(test_samples),  cmocka_unit_test(test_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
