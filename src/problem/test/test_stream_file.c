/* test_stream_file.c: a user's lines: what is read, every refusal with file and line, grades, failing allocations, words of others, several answers. */
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

/* A prompt with two answers: any of them is right, of others none; each is counted once. */
static void test_answers(void **state)
{
    (void)state;
    at_source *d = parsed("x <sep> a <sep> k l\ny <sep> <sep> k\nx <sep> b <sep> m\nx <sep> b <sep> m\n"
                          "z <sep> a <sep> k\nz <sep> b <sep> k\n");
    static const struct {
        const char *completion;
        at_tri answer, chain;
        int wrong;
    } rows[] = {{"a <sep> k l <eos>", AT_TRUE, AT_TRUE, -1}, {"b <sep> m <eos>", AT_TRUE, AT_TRUE, -1},
                {"a <sep> m <eos>", AT_TRUE, AT_FALSE, 2},   {"b <sep> k l <eos>", AT_TRUE, AT_FALSE, 2},
                {"<sep> m <eos>", AT_TRUE, AT_FALSE, 0},     {"b <sep> k <eos>", AT_FALSE, AT_FALSE, 2},
                {"b <sep> m", AT_FALSE, AT_FALSE, 3},        {"m <eos>", AT_FALSE, AT_FALSE, 0},
                {"b <sep> m k <eos>", AT_FALSE, AT_FALSE, 3}};
    int prompt[8], n = tokens_from(d, "x <sep>", prompt), completion[16];
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_grade g;
        int m = tokens_from(d, rows[k].completion, completion);
        assert_int_equal(at_source_grade(d, prompt, n, completion, m, &g, NULL), AT_OK);
        if (g.answer != rows[k].answer || g.chain != rows[k].chain || g.wrong != rows[k].wrong)
            fail_msg("%s: %d %d %d", rows[k].completion, g.answer, g.chain, g.wrong);
    }
    static const struct {
        const char *prompt;
        int chains, answers;
    } counts[] = {{"x <sep>", 2, 2}, {"y <sep>", 1, 1}, {"z <sep>", 2, 1}, {"k <sep>", 0, 0}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        n = tokens_from(d, counts[k].prompt, prompt);
        at_rights r = at_source_rights(d, prompt, n);
        assert_true(r.chains == counts[k].chains && r.answers == counts[k].answers);
    }
    assert_int_equal(d->verbs->count(d), 3); /* prompts, each once */
    at_sequence s = sequence_for(d);
    bool met[3] = {false};
    for (uint64_t i = 0; i < 3; i++) {
        char word[AT_STREAM_WORD];
        s.n = 0;
        d->verbs->nth(d, i, &s);
        assert_true(s.n == 2 && s.prompt == 2);
        met[*at_source_word(d, s.token[0], word) - 'x'] = true;
    }
    assert_true(met[0] && met[1] && met[2]);
    free(s.token);
    at_source_free(d);
}

static at_status over(const char *text, const char *set, const char *const *word, int n, at_source **d,
                      at_err *err)
{
    at_lines lines = {.text = text, .name = "mine", .n = strlen(text)};
    at_problem *p = at_calloc(1, sizeof *p);
    assert_non_null(p);
    *p = (at_problem){.id = "mine", .stream = &at_stream_lines, .made = true};
    at_arena_init(&p->arena);
    at_lines *kept = at_new(&p->arena, at_lines, 1);
    *kept = lines;
    p->self = kept;
    at_vocabulary v = {.of = "theirs", .word = word, .n = n};
    at_status s = at_problem_words(p, &v, err);
    if (s) {
        at_problem_free(p);
        return s;
    }
    return at_problem_source(p, set, d, err);
}

/* Words of others: a token is what it is there, in whatever order the file has them. */
static void test_words_of_others(void **state)
{
    (void)state;
    static const char *const words[] = {"<pad>", "<sep>", "<eos>", "a", "b", "c", "d"};
    at_err err = {0};
    at_source *d = NULL, *own = parsed("c b <sep> <sep> a\n");
    assert_int_equal(at_source_token(own, "c", 1), 3); /* by appearance */
    assert_int_equal(over("c b <sep> <sep> a\n", NULL, words, 7, &d, &err), AT_OK);
    assert_int_equal(at_source_vocabulary(d), 7);
    char word[AT_STREAM_WORD];
    for (int t = 0; t < 7; t++)
        assert_string_equal(at_source_word(d, t, word), words[t]);
    at_sequence s = sequence_for(d);
    sample_take(d, 1, AT_ALL, 0, &s);
    static const int right[] = {5, 4, 1, 1, 3, 2};
    assert_int_equal(s.n, 6);
    assert_memory_equal(s.token, right, sizeof right);
    /* The words of a source, as those of another file. */
    at_arena arena;
    at_arena_init(&arena);
    at_vocabulary v;
    assert_int_equal(at_vocabulary_of_source(d, "d", &arena, &v, &err), AT_OK);
    assert_int_equal(v.n, 7);
    assert_string_equal(v.word[6], "d");
    at_arena_release(&arena);
    free(s.token);
    at_source_free(d);
    at_source_free(own);

    static const struct {
        const char *text;
        int n;
        const char *says;
    } rows[] = {
        {"a <sep> <sep> b\n\nb x <sep> <sep> y\n", 7, "mine:3: 'x' is no word of theirs"},
        {"a <sep> <sep> d", 6, "mine:1: 'd' is no word of theirs"},
        {"a <sep> <sep> b", 2, "mine: word 2 of theirs is not <eos>"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        err = (at_err){0};
        assert_int_not_equal(over(rows[k].text, NULL, words, rows[k].n, &d, &err), AT_OK);
        if (!strstr(err.text, rows[k].says))
            fail_msg("%s: %s", rows[k].text, err.text);
    }
    static const char *const integers[] = {"0", "1", "2", "3"};
    assert_int_not_equal(over("3 <sep> <sep> 2", NULL, integers, 4, &d, &err), AT_OK);
}

/* whole=1: every prompt is for training, none for tests; else some of both. AT_ALL draws all of them. */
static void test_whole(void **state)
{
    (void)state;
    enum { LINES = 100 };
    at_text t;
    at_text_init(&t);
    for (int i = 0; i < LINES; i++)
        at_text_addf(&t, "p%d <sep> <sep> a\n", i);
    for (int whole = 0; whole < 2; whole++) {
        at_err err = {0};
        at_source *d = NULL;
        assert_int_equal(over(t.s, whole ? "whole=1" : NULL, NULL, 0, &d, &err), AT_OK);
        at_sequence s = sequence_for(d);
        int parts[AT_PARTS] = {0}, n = at_source_vocabulary(d);
        for (int i = 0; i < LINES; i++) {
            int prompt[2] = {0, AT_TOKEN_SEP};
            char word[16];
            bool draws[AT_PARTS];
            snprintf(word, sizeof word, "p%d", i);
            prompt[0] = at_source_token(d, word, strlen(word));
            for (int part = 0; part < AT_PARTS; part++) {
                assert_int_equal(at_source_draws(d, (at_part)part, prompt, 2, &draws[part], &err), AT_OK);
                parts[part] += draws[part];
            }
            assert_true(draws[AT_ALL] && draws[AT_TRAIN] != draws[AT_TEST]);
        }
        assert_int_equal(parts[AT_TRAIN], whole ? LINES : LINES - parts[AT_TEST]);
        assert_true(whole || parts[AT_TEST] > 0);
        bool draws = true;
        assert_int_equal(at_source_draws(d, AT_ALL, (int[]){n - 1, n - 1, AT_TOKEN_SEP}, 3, &draws, &err),
                         AT_OK);
        assert_false(draws);
        assert_int_equal(at_source_sample(d, 1, AT_TEST, 0, &s, &err), whole ? AT_EREFUSED : AT_OK);
        assert_true(!whole || strstr(err.text, "whole=1: all lines of the file are for training"));
        free(s.token);
        at_source_free(d);
    }
    at_text_release(&t);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),  cmocka_unit_test(test_characters),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_grades),
        cmocka_unit_test(test_samples),  cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_answers),  cmocka_unit_test(test_words_of_others),
        cmocka_unit_test(test_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
