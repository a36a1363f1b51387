/* test_arpa.c: ARPA files as people write them; every fault in one line with its place; a large one. */
#include <attest/ngram.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    at_arena a;
    at_err err;
} room;

static const char good[] = "a line that is not read\n"
                           "\\data\\\n"
                           "ngram 1=4\n"
                           "ngram 2=3\n"
                           "\n"
                           "\\1-grams:\n"
                           "-0.5\t<s>\t-0.25\n"
                           "-0.4\train\t-0.125\n"
                           "-99\tsun\n"
                           "-0.7\t</s>\n"
                           "\n"
                           "\\2-grams:\n"
                           "-0.1\t<s> rain\n"
                           "-0.2\train rain\n"
                           "-0.3\train </s>\n"
                           "\n"
                           "\\end\\\n"
                           "nor is this\n";

static at_status read_n(room *w, const char *text, size_t n, at_ngram **g)
{
    w->err = (at_err){0};
    return at_ngram_read(text, n, "m.arpa", &w->a, g, &w->err);
}

static double p_of(const at_ngram *g, int history, int word)
{
    return at_ngram_next(g, &history, history >= 0, word);
}

static void good_is(const at_ngram *g)
{
    assert_int_equal(g->order, 2);
    assert_int_equal(g->words, 2);
    assert_int_equal(g->unk, -1);
    assert_string_equal(g->word[0], "rain");
    assert_string_equal(g->word[1], "sun");
    assert_true(p_of(g, 3, 0) == -0.1);
    assert_true(p_of(g, 3, 1) == -INFINITY);
    assert_true(fabs(p_of(g, 3, 2) - (-0.25 - 0.7)) <= 1e-15);
    assert_true(p_of(g, 0, 0) == -0.2);
    assert_true(p_of(g, 1, 0) == -0.4); /* no weight: 1 */
    assert_true(p_of(g, -1, 2) == -0.7);
    assert_int_equal(at_ngram_state(g, (int[]){1}, 1), 0); /* sun tells nothing */
}

/* The same with other ends of lines and blanks. */
static void test_good(void **unused)
{
    (void)unused;
    room w = {0};
    at_ngram *g;
    assert_int_equal(read_n(&w, good, strlen(good), &g), AT_OK);
    good_is(g);
    at_text t;
    at_text_init(&t);
    for (const char *s = good; *s; s++)
        at_text_add(&t, *s == '\n' ? " \t\r\n" : *s == '\t' ? "  \t " : (char[]){*s, 0});
    assert_int_equal(read_n(&w, t.s, t.n, &g), AT_OK);
    good_is(g);
    at_text_release(&t);
    at_arena_release(&w.a);
}

/* `from` becomes `to` in the good file. */
static void text_with(at_text *t, const char *from, const char *to)
{
    const char *at = strstr(good, from);
    assert_non_null(at);
    at_text_addn(t, good, (size_t)(at - good));
    at_text_add(t, to);
    at_text_add(t, at + strlen(from));
}

static void fault(const char *from, const char *to, const char *message)
{
    room w = {0};
    at_ngram *g;
    at_text t;
    at_text_init(&t);
    text_with(&t, from, to);
    at_status s = read_n(&w, t.s, t.n, &g);
    if (s != AT_EINPUT || !strstr(w.err.text, message) || strchr(w.err.text, '\n'))
        fail_msg("%s -> %s: %d, %s; not %s", from, to, s, w.err.text, message);
    at_text_release(&t);
    at_arena_release(&w.a);
}

static void test_faults(void **unused)
{
    (void)unused;
    fault("\\data\\", "data", "m.arpa:19:1: no line \\data\\");
    fault("ngram 1=4\nngram 2=3\n", "", "m.arpa:4:1: no counts");
    fault("ngram 1=4", "ngram 1 4", "m.arpa:3:7: a count is written: ngram 1=17");
    fault("ngram 2=3", "ngram 3=3", "m.arpa:4:7: ngram 2= was expected");
    fault("ngram 2=3", "ngram 2=-3", "m.arpa:4:9: a count is a whole number");
    fault("ngram 2=3", "ngram 2=three", "m.arpa:4:9: a count is a whole number");
    fault("ngram 2=3", "ngram 2=10000000", "m.arpa:4:9: at most 262144 words, and 10000000 n-grams");
    fault("ngram 1=4", "ngram 1=262145", "m.arpa:3:9: at most 262144 words");
    fault("ngram 2=3",
          "ngram 2=3\nngram 3=1\nngram 4=1\nngram 5=1\nngram 6=1\nngram 7=1\nngram 8=1\nngram 9=1",
          "m.arpa:11:7: order 9: at most 8");
    fault("ngram 2=3", "ngram 2=4", "m.arpa:17:1: 3 2-grams stand above; \\data\\ says 4");
    fault("ngram 2=3", "ngram 2=2", "m.arpa:15:1: more 2-grams than the 2 of \\data\\");
    fault("\\1-grams:", "\\2-grams:", "m.arpa:6:1: \\1-grams: was expected");
    fault("\\2-grams:", "\\3-grams:", "m.arpa:12:1: \\2-grams: was expected");
    fault("ngram 2=3", "ngram 2=3\nngram 3=1", "m.arpa:18:1: \\3-grams: was expected");
    fault("\\end\\", "", "m.arpa:18:1: more 2-grams than the 3");
    fault("\\end\\\nnor is this\n", "", "m.arpa:17:1: \\end\\ was expected");
    fault("-0.4\train", "-0,4\train", "m.arpa:8:1: '-0,4' is no number");
    fault("-0.4\train", "nan\train", "m.arpa:8:1: 'nan' is no number");
    fault("-0.4\train", "-inf\train", "m.arpa:8:1: '-inf' is no number");
    fault("-0.4\train", "0.4\train", "m.arpa:8:1: 0.4: the logarithm of a probability is at most 0");
    fault("-0.125", "100", "m.arpa:8:11: 100: the logarithm of a back-off weight is at most 99");
    fault("-0.125", "nan", "m.arpa:8:11: 'nan' is no number");
    fault("-0.125", "-0.1 5", "m.arpa:8:16: more than a probability, 1 word and a back-off weight");
    fault("-0.4\train\t-0.125", "-0.4", "m.arpa:8:5: a probability and 1 word were expected");
    fault("-0.1\t<s> rain", "-0.1\train", "m.arpa:13:10: a probability and 2 words were expected");
    fault("-0.1\t<s> rain", "-0.1\t<s> rain -0.5",
          "m.arpa:13:15: n-grams of the highest order have no back-off");
    fault("<s> rain", "<s> snow", "m.arpa:13:10: the word 'snow' is not among the 1-grams");
    fault("rain rain", "<s> rain", "m.arpa:14:1: the 2-gram stands here for the second time");
    fault("-99\tsun", "-99\train", "m.arpa:9:5: the 1-gram 'rain' stands here twice");
    fault("-99\tsun", "-99\t<s>", "m.arpa:9:5: the 1-gram '<s>' stands here twice");
    fault("-0.7\t</s>", "-0.7\tend", "m.arpa:12:1: no </s> among the 1-grams");
    fault("-0.5\t<s>", "-0.5\tbegin", "m.arpa:12:1: no <s> among the 1-grams");
}

/* A trigram whose first two words are no bigram. */
static void test_context(void **unused)
{
    (void)unused;
    room w = {0};
    at_ngram *g;
    at_text t;
    at_text_init(&t);
    text_with(&t, "ngram 2=3\n", "ngram 2=3\nngram 3=1\n");
    char *end = strstr(t.s, "\\end\\");
    at_text u;
    at_text_init(&u);
    at_text_addn(&u, t.s, (size_t)(end - t.s));
    at_text_add(&u, "\\3-grams:\n-0.5 sun rain </s>\n\\end\\\n");
    assert_int_equal(read_n(&w, u.s, u.n, &g), AT_EINPUT);
    assert_string_equal(w.err.text, "m.arpa:19:6: the words before the last are not among the 2-grams");
    at_text_release(&t);
    at_text_release(&u);
    at_arena_release(&w.a);
}

/* <s> behind a word, </s> before one: some tools write them, no sentence has them. */
static void test_read_over(void **unused)
{
    (void)unused;
    room w = {0};
    at_ngram *g;
    at_text t;
    static const char *const never[] = {"</s> <s>", "rain <s>", "</s> rain"};
    for (int i = 0; i < 3; i++) {
        at_text_init(&t);
        text_with(&t, "rain rain", never[i]);
        assert_int_equal(read_n(&w, t.s, t.n, &g), AT_OK);
        assert_int_equal(at_ngram_count(g, 2), 2);
        at_text_release(&t);
    }
    at_arena_release(&w.a);
}

/* Every beginning of the file, and every byte of it replaced: refused in one line, or read. */
static void test_damaged(void **unused)
{
    (void)unused;
    char text[sizeof good];
    for (size_t n = 0; n < sizeof good; n++)
        for (int c = -1; c < 6; c++) {
            room w = {0};
            at_ngram *g;
            memcpy(text, good, sizeof good);
            if (c >= 0)
                text[n] = " \n9\\-\0"[c];
            at_status s = read_n(&w, text, c < 0 ? n : sizeof good - 1, &g);
            assert_true(s == AT_OK || s == AT_EINPUT);
            assert_true((s == AT_OK) == !w.err.text[0] && !strchr(w.err.text, '\n'));
            at_arena_release(&w.a);
        }
}

/* Some thousand lines, unsorted: every one is found again. */
static void test_large(void **unused)
{
    (void)unused;
    enum { W = 500, PAIRS = 20000 };
    room w = {0};
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "\\data\\\nngram 1=%d\nngram 2=%d\n\\1-grams:\n-99 <s>\n-1 </s>\n", W + 2, PAIRS);
    for (int i = 0; i < W; i++)
        at_text_addf(&t, "-3 w%d %g\n", i, -i * 1e-3);
    at_text_add(&t, "\\2-grams:\n");
    for (int i = 0; i < PAIRS; i++) {
        int k = (int)((int64_t)i * 104729 % (W * W)); /* a prime: all different */
        at_text_addf(&t, "%g w%d w%d\n", -k * 1e-6, k / W, k % W);
    }
    at_text_add(&t, "\\end\\\n");
    at_ngram *g;
    assert_int_equal(read_n(&w, t.s, t.n, &g), AT_OK);
    assert_int_equal(at_ngram_count(g, 2), PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        int k = (int)((int64_t)i * 104729 % (W * W));
        assert_true(fabs(p_of(g, k / W, k % W) - -k * 1e-6) <= 1e-7);
    }
    at_text_release(&t);
    at_arena_release(&w.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),    cmocka_unit_test(test_faults),    cmocka_unit_test(test_context),
        cmocka_unit_test(test_damaged), cmocka_unit_test(test_read_over), cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
