/* test_ptm.c: probabilistic Turing machines: read, printed, refused with the place; words by hand, and by another way of running. */
#include <attest/ngram.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char echo[] =
    "alphabet a b\ntape _ A B\nstart say\nsay _ A r say a 2/5\nsay _ B r say b 2/5\nsay _ _ l back - 1/5\n"
    "back A A l back -\nback B B l back -\nback _ _ r again -\nagain A A r again a 6/7\nagain A A r again b "
    "1/7\n"
    "again B B r again b 6/7\nagain B B r again a 1/7\nend again _\n";

static at_ptm *take(const char *text, at_arena *a)
{
    at_ptm *p;
    at_err err = {0};
    if (at_ptm_read(text, strlen(text), "x", a, &p, &err))
        fail_msg("%s", err.text);
    return p;
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } bad[] = {
        {"", "x:1:1: no states; add a transition"},
        {"q _ _ r q a 1/2\n", "x:1:1: the probabilities of the state 'q' on '_' sum to 1/2, and not to 1"},
        {"q _ _ r q a 1/2\nend q _ 2/3\n",
         "x:1:1: the probabilities of the state 'q' on '_' sum to 7/6, and not to 1"},
        {"q _ _ r q\n", "x:1:1: 5 words; a transition is state, symbol, written, l or r, state, letter or -"},
        {"q _ _ up q a\n", "x:1:7: 'up' is no move; write l, r or *"},
        {"q _ _ r q a 0\n", "x:1:13: '0' is no probability"},
        {"q _ _ r q a 1/2\nq _ _ r q a 1/2\n", "x:2:1: this is here twice; the other one is in line 1"},
        {"end q _ 1/2\nend q _ 1/2\n", "x:2:1: this is here twice"},
        {"tape _ A\nq _ B r q a\n", "x:2:5: 'B' is none of the symbols of the tape"},
        {"tape _ A\ntape _ B\n", "x:2:1: a second line tape"},
        {"tape _ A A\n", "x:1:10: the symbol 'A' twice"},
        {"alphabet a\nq _ _ r q b\n", "x:2:11: 'b' is none of the letters"},
        {"q _ _ r q a\nalphabet a\n", "x:2:1: the line alphabet comes before what it names"},
        {"start q r\n", "x:1:1: start is followed by one state"},
        {"start q\nstart q\n", "x:2:1: a second start"},
        {"start end\n", "x:1:7: 'end' begins a line of another kind"},
        {"end q\n", "x:1:1: end is followed by a state, a symbol and a probability"},
        {"q _ a/b r q a\n", "x:1:5: a name has no /"},
        {"q _ 12345678 r q a\n", "x:1:5: a symbol has at most 7 bytes"},
        {"states\n", "x:1:1: states is followed by names"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        at_arena a;
        at_ptm *p;
        at_err err = {0};
        at_arena_init(&a);
        assert_int_equal(at_ptm_read(bad[k].text, strlen(bad[k].text), "x", &a, &p, &err), AT_EINPUT);
        if (strncmp(err.text, bad[k].said, strlen(bad[k].said)) != 0)
            fail_msg("'%s' instead of '%s'", err.text, bad[k].said);
        assert_null(strchr(err.text, '\n'));
        at_arena_release(&a);
    }
}

static void test_printed(void **state)
{
    (void)state;
    static const char *const texts[] = {echo, "q _ x l r - 0.25\nend q _ 3/4\nr x x * q z\n", "end q _\n"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        at_arena a;
        at_text one, two;
        at_arena_init(&a);
        at_text_init(&one);
        at_text_init(&two);
        at_ptm_print(take(texts[k], &a), &one);
        at_ptm_print(take(one.s, &a), &two);
        assert_string_equal(one.s, two.s);
        at_text_release(&one);
        at_text_release(&two);
        at_arena_release(&a);
    }
}

/* What a person finds: a word of n letters twice has (2/5)^n 1/5 times 6/7 a letter that is the same, and 1/7 one that is not. */
static void test_words(void **state)
{
    (void)state;
    at_arena a;
    at_err err = {0};
    const char *const *said;
    const char *left;
    at_arena_init(&a);
    at_ptm *p = take(echo, &a);
    assert_int_equal(p->steps, 10);
    assert_int_equal(at_ptm_words(p, 4, 8, &a, &said, &left, &err), AT_OK);
    assert_string_equal(said[0], "1/5");           /* the empty one */
    assert_string_equal(said[1], "0");             /* a */
    assert_string_equal(said[3], "12/175");        /* aa: 2/5 1/5 6/7 */
    assert_string_equal(said[4], "2/175");         /* ab */
    assert_string_equal(said[15 + 5], "144/6125"); /* abab: 4/25 1/5 36/49 */
    assert_string_equal(said[15 + 7], "24/6125");  /* abbb */
    /* two steps are too few for the empty one, which takes say, back, and the end behind them */
    assert_int_equal(at_ptm_words(p, 4, 1, &a, &said, &left, &err), AT_OK);
    assert_string_equal(said[0], "0");
    assert_string_equal(left, "1");
    at_arena_release(&a);
}

/* The sum over words of a tape that is a string of cells by another program: at_ptm_after, text by text. */
static void follow(const at_ptm *p, double *text, int n, int most, double so, double *ended, double *left)
{
    uint32_t count[AT_PTM_STEPS + 1], under;
    int tape[64];
    at_ptm_after(p, text, n, tape, count, &under);
    *ended += so * count[p->steps] / under;
    for (int t = 0; t < p->steps; t++)
        if (count[t] && n == most)
            *left += so * count[t] / under;
        else if (count[t]) {
            text[n] = t;
            follow(p, text, n + 1, most, so * count[t] / under, ended, left);
        }
}

static double fraction(const char *s)
{
    double x = strtod(s, NULL);
    const char *slash = strchr(s, '/');
    return slash ? x / strtod(slash + 1, NULL) : x;
}

static void test_texts(void **state)
{
    (void)state;
    at_arena a;
    at_err err = {0};
    const char *const *said;
    const char *left;
    double text[16], ended = 0, not_ended = 0, sum = 0;
    at_arena_init(&a);
    at_ptm *p = take(echo, &a);
    follow(p, text, 0, 7, 1, &ended, &not_ended);
    assert_int_equal(at_ptm_words(p, 7, 7, &a, &said, &left, &err), AT_OK);
    for (int k = 0; k < 255; k++)
        sum += fraction(said[k]);
    assert_true(sum - ended < 1e-12 && ended - sum < 1e-12);
    /* the one text of eight letters is followed no further by at_ptm_words */
    double off = not_ended - fraction(left);
    assert_true(off > -1e-12 && ended + not_ended > 1 - 1e-12);
    p = take("q _ _ r q - 1/2\nq _ _ l q - 1/2\n", &a);
    assert_int_equal(at_ptm_words(p, 0, 40, &a, &said, &left, &err), AT_EBUDGET);
    assert_non_null(strstr(err.text, "more than 1000000 steps"));
    at_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_printed),
                                       cmocka_unit_test(test_words), cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests_name("tests", tests, NULL, NULL);
}
