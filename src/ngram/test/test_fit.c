/* test_fit.c: fitted models against numbers found by hand; every row sums to 1; tokens. */
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

static at_ngram *fitted(room *w, const at_fit *how, const char *text, at_fitted *said)
{
    at_ngram *g;
    if (at_ngram_fit(how, text, strlen(text), "x", NULL, &w->a, &g, said, &w->err))
        fail_msg("%s", w->err.text);
    return g;
}

static int id_of(const at_ngram *g, const char *word)
{
    int id = at_ngram_find(g, word, strlen(word));
    assert_true(id >= 0);
    return id;
}

/* p(word | context), the context one word or "". */
static double p_of(const at_ngram *g, const char *context, const char *word)
{
    int h = *context ? id_of(g, context) : -1;
    double x = at_ngram_next(g, &h, h >= 0, id_of(g, word));
    return x == -INFINITY ? 0 : pow(10, x);
}

/* ---- by hand: "a b" and "a", order 2 ----------------------------------------------------------------------------- */

static const char two_lines[] = "a b\na\n";
typedef struct {
    const char *context, *word;
    double p;
} golden;

static void goldens(at_smoothing smoothing, const golden *want, int n)
{
    room w = {0};
    at_ngram *g = fitted(&w, &(at_fit){2, smoothing, AT_TOKENS_WORD, 1, 0, 0}, two_lines, NULL);
    assert_int_equal(g->words, 3); /* <unk> a b */
    for (int i = 0; i < n; i++)
        if (fabs(p_of(g, want[i].context, want[i].word) - want[i].p) > 1e-12)
            fail_msg("%s: p(%s | %s) is %.15g, not %.15g", at_smoothing_names[smoothing], want[i].word,
                     want[i].context, p_of(g, want[i].context, want[i].word), want[i].p);
    at_arena_release(&w.a);
}
#define GOLDENS(smoothing, ...)                                                                              \
    goldens(smoothing, (const golden[]){__VA_ARGS__}, sizeof((const golden[]){__VA_ARGS__}) / sizeof(golden))

static void test_by_hand(void **unused)
{
    (void)unused;
    /* Counts: a 2, b 1, </s> 2; <s> a 2, a b 1, a </s> 1, b </s> 1. */
    GOLDENS(AT_SMOOTH_NONE, {"", "a", 2. / 5}, {"", "b", 1. / 5}, {"", "</s>", 2. / 5}, {"", "<unk>", 0},
            {"<s>", "a", 1}, {"<s>", "b", 0}, {"a", "b", 0.5}, {"a", "</s>", 0.5}, {"a", "a", 0},
            {"b", "</s>", 1}, {"b", "b", 0});
    GOLDENS(AT_SMOOTH_ADD, {"", "a", 3. / 9}, {"", "b", 2. / 9}, {"", "</s>", 3. / 9}, {"", "<unk>", 1. / 9},
            {"<s>", "a", 1. / 2}, {"<s>", "b", 1. / 6}, {"a", "b", 2. / 6}, {"a", "</s>", 2. / 6},
            {"a", "a", 1. / 6}, {"b", "</s>", 2. / 5}, {"b", "<unk>", 1. / 5});
    /* D = 1/5 for words, 3/5 for pairs. */
    GOLDENS(AT_SMOOTH_ABS, {"", "a", 0.39}, {"", "b", 0.19}, {"", "</s>", 0.39}, {"", "<unk>", 0.03},
            {"a", "b", 0.314}, {"a", "</s>", 0.434}, {"a", "a", 0.6 * 0.39}, {"<s>", "a", 0.817},
            {"<s>", "<unk>", 0.009}, {"b", "</s>", 0.634});
    /* Assumed discounts 1/2, 1, 3/2. Before a: <s>; before b: a; before </s>: a, b. */
    GOLDENS(AT_SMOOTH_KN, {"", "a", 0.25}, {"", "b", 0.25}, {"", "</s>", 0.375}, {"", "<unk>", 0.125},
            {"<s>", "a", 0.625}, {"<s>", "b", 0.125}, {"a", "b", 0.375}, {"a", "</s>", 0.4375},
            {"a", "a", 0.125}, {"b", "</s>", 0.6875});
}

/* ---- discounts by hand -------------------------------------------------------------------------------------------- */

/* Order 1: four words once, three twice, two three times, one four times; </s> once. t = 5, 3, 2, 1; Y = 5/11. */
static void test_discounts(void **unused)
{
    (void)unused;
    room w = {0};
    at_fitted said;
    at_ngram *g = fitted(&w, &(at_fit){1, AT_SMOOTH_KN, AT_TOKENS_WORD, 1, 0, 0},
                         "a b c d e e f f g g h h h i i i j j j j", &said);
    assert_false(said.assumed[1]);
    assert_true(fabs(said.discount[1][0] - (1 - 2 * (5. / 11) * 3 / 5)) <= 1e-15);
    assert_true(fabs(said.discount[1][1] - (2 - 3 * (5. / 11) * 2 / 3)) <= 1e-15);
    assert_true(fabs(said.discount[1][2] - (3 - 4 * (5. / 11) * 1 / 2)) <= 1e-15);
    double handed = 5 * said.discount[1][0] + 3 * said.discount[1][1] + 3 * said.discount[1][2];
    assert_true(fabs(p_of(g, "", "j") - ((4 - said.discount[1][2]) / 21 + handed / 21 / 12)) <= 1e-14);
    assert_true(fabs(p_of(g, "", "<unk>") - handed / 21 / 12) <= 1e-14);
    at_arena_release(&w.a);
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

/* The largest distance of a row's sum from 1, over every state. */
static double rows_off(room *w, const at_ngram *g)
{
    double off = 0, *p = at_new(&w->a, double, g->words + 1);
    assert_non_null(p);
    for (int state = 0; state < at_ngram_states(g); state++) {
        double sum = 0;
        if (!at_ngram_is_state(g, state))
            continue;
        at_ngram_state_row(g, state, p);
        for (int v = 0; v <= g->words; v++)
            sum += p[v];
        off = fmax(off, fabs(sum - 1));
    }
    return off;
}

/* Sentences of a few words, some rare; an empty one too. */
static void text_make(at_text *t, uint64_t seed, int lines)
{
    at_rng r = at_rng_at(seed, 0);
    for (int i = 0; i < lines; i++) {
        for (uint64_t n = at_rng_below(&r, 8), k = 0; k < n; k++)
            at_text_addf(t, "%sw%d", k ? " " : "", (int)(at_rng_below(&r, 4) * at_rng_below(&r, 5)));
        at_text_add(t, i % 3 ? "\n" : "\r\n");
    }
}

static void test_rows(void **unused)
{
    (void)unused;
    at_text t;
    at_text_init(&t);
    text_make(&t, 1, 150);
    for (at_smoothing s = AT_SMOOTH_KN; s < AT_SMOOTHINGS; s++)
        for (at_tokens kind = AT_TOKENS_WORD; kind < AT_TOKENS; kind++)
            for (int order = 1; order <= 4; order++) {
                room w = {0};
                at_fitted said;
                at_ngram *g = fitted(
                    &w, &(at_fit){order, s, kind, 0.3, order == 3 ? 6 : 0, order == 2 ? 8 : 0}, t.s, &said);
                assert_int_equal(said.sentences, 150);
                assert_true(rows_off(&w, g) <= 1e-12);
                at_arena_release(&w.a);
            }
    at_text_release(&t);
}

/* The check of rows catches one number that was found with a wrong discount. */
static void test_rows_control(void **unused)
{
    (void)unused;
    room w = {0};
    at_text t, printed, wrong;
    at_text_init(&t);
    at_text_init(&printed);
    at_text_init(&wrong);
    text_make(&t, 2, 60);
    at_fitted said;
    at_ngram *g = fitted(&w, &(at_fit){3, AT_SMOOTH_KN, AT_TOKENS_WORD, 1, 0, 0}, t.s, &said), *again;
    at_ngram_print(g, NULL, &printed);
    assert_int_equal(at_ngram_read(printed.s, printed.n, "x", &w.a, &again, &w.err), AT_OK);
    assert_true(rows_off(&w, again) <= 1e-12);
    const char *line = strstr(printed.s, "\\2-grams:\n") + strlen("\\2-grams:\n"), *end = strchr(line, '\t');
    double p = strtod(line, NULL);
    at_text_addn(&wrong, printed.s, (size_t)(line - printed.s));
    at_text_addf(&wrong, "%.17g%s", log10(pow(10, p) - 1e-6), end); /* as if D were a little larger */
    assert_int_equal(at_ngram_read(wrong.s, wrong.n, "x", &w.a, &again, &w.err), AT_OK);
    assert_true(rows_off(&w, again) > 1e-9);
    at_text_release(&t);
    at_text_release(&printed);
    at_text_release(&wrong);
    at_arena_release(&w.a);
}

/* ---- vocabularies and tokens ---------------------------------------------------------------------------------------- */

static void test_vocabulary(void **unused)
{
    (void)unused;
    room w = {0};
    at_fitted said;
    const char text[] = "x y y z z z\nz y\n";
    at_ngram *g = fitted(&w, &(at_fit){1, AT_SMOOTH_NONE, AT_TOKENS_WORD, 1, 2, 0}, text, &said);
    assert_int_equal(g->words, 3);
    assert_string_equal(g->word[0], "<unk>");
    assert_string_equal(g->word[1], "z");
    assert_string_equal(g->word[2], "y");
    assert_int_equal(said.unknown, 1);
    assert_int_equal(said.tokens, 8);
    assert_true(fabs(p_of(g, "", "<unk>") - 1. / 10) <= 1e-15);
    g = fitted(&w, &(at_fit){1, AT_SMOOTH_NONE, AT_TOKENS_WORD, 1, 0, 4}, text, &said);
    assert_int_equal(g->words, 2);
    assert_int_equal(said.unknown, 4);
    at_arena_release(&w.a);
}

static void cut(at_tokens kind, const char *line, const char *want)
{
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "");
    at_ngram_token k;
    for (const char *s = line, *end = line + strlen(line); at_ngram_token_next(kind, &s, end, &k);) {
        at_text_addn(&t, k.s, k.n);
        at_text_add(&t, "|");
    }
    assert_string_equal(t.s, want);
    at_text_release(&t);
}

static void test_tokens(void **unused)
{
    (void)unused;
    cut(AT_TOKENS_WORD, "", "");
    cut(AT_TOKENS_WORD, " \t ", "");
    cut(AT_TOKENS_WORD, " it \train\xC3\xA9\r", "it|rain\xC3\xA9|");
    cut(AT_TOKENS_CHAR, "a \xC3\xA9\xE2\x82\xAC\t<", "a|<U+0020>|\xC3\xA9|\xE2\x82\xAC|<U+0009>|<|");
    cut(AT_TOKENS_CHAR, "\xC3\xC2\xA0\xFF", "\xEF\xBF\xBD|<U+00A0>|\xEF\xBF\xBD|");
    cut(AT_TOKENS_CHAR, "\xE1\x9A\x80\xE2\x80\x80\xE2\x80\x8A\xE2\x80\xAF\xE2\x81\x9F\xE3\x80\x80",
        "<U+1680>|<U+2000>|<U+200A>|<U+202F>|<U+205F>|<U+3000>|");
    cut(AT_TOKENS_CHAR, "\xE1\x9A\x81\xE3\x80\x81",
        "\xE1\x9A\x81|\xE3\x80\x81|"); /* neighbours that are seen */
    cut(AT_TOKENS_BYTE, "a \xC3\xA9~\x7F", "a|<0x20>|<0xC3>|<0xA9>|~|<0x7F>|");
}

/* What was cut is said again; and the words of a model tell how it was cut. */
static void test_say(void **unused)
{
    (void)unused;
    const char text[] = "the caf\xC3\xA9 is open";
    for (at_tokens kind = AT_TOKENS_WORD; kind < AT_TOKENS; kind++) {
        room w = {0};
        at_ngram *g = fitted(&w, &(at_fit){2, AT_SMOOTH_KN, kind, 1, 0, 0}, text, NULL);
        assert_int_equal(at_ngram_tokens(g), kind);
        int word[64], n = 0;
        at_ngram_token t;
        for (const char *s = text, *end = text + strlen(text); at_ngram_token_next(kind, &s, end, &t);)
            word[n++] = at_ngram_find(g, t.s, t.n);
        at_text said;
        at_text_init(&said);
        at_ngram_say(g, kind, word, n, &said);
        assert_string_equal(said.s, text);
        at_text_release(&said);
        at_arena_release(&w.a);
    }
}

/* ---- refusals --------------------------------------------------------------------------------------------------------- */

static void refused(const at_fit *how, const char *text, size_t n, const char *why)
{
    room w = {0};
    at_ngram *g;
    assert_int_not_equal(at_ngram_fit(how, text, n, "t", NULL, &w.a, &g, NULL, &w.err), AT_OK);
    if (!strstr(w.err.text, why))
        fail_msg("'%s' is not in: %s", why, w.err.text);
    at_arena_release(&w.a);
}

static void test_refused(void **unused)
{
    (void)unused;
    at_fit how = {2, AT_SMOOTH_KN, AT_TOKENS_WORD, 1, 0, 0};
    char longest[AT_NGRAM_WORD_MAX + 1];
    memset(longest, 'x', sizeof longest);
    refused(&how, "", 0, "t: no sentence");
    refused(&how, "a\nb <s> c", 9, "t:2:3: <s> stands around");
    refused(&how, "a </s>", 6, "t:1:3: </s> stands around");
    refused(&how, "a b\0c", 5, "t:1:3: a zero byte");
    refused(&how, longest, sizeof longest, "t:1:1: a word of 257 bytes: at most 255");
    how.order = 9;
    refused(&how, "a", 1, "order 9: must be 1..8");
    how = (at_fit){2, AT_SMOOTH_ADD, AT_TOKENS_WORD, 0, 0, 0};
    refused(&how, "a", 1, "k of add");
    how.k = NAN;
    refused(&how, "a", 1, "k of add");
    /* 4,000 different pairs over 4,000 words */
    at_text t;
    at_text_init(&t);
    for (int i = 0; i < 4000; i++)
        at_text_addf(&t, "w%d ", i);
    how.k = 1;
    refused(&how, t.s, t.n, "16016005 n-grams, at most 10000000");
    at_text_release(&t);
}

static void test_memory(void **unused)
{
    (void)unused;
    at_text t;
    at_text_init(&t);
    text_make(&t, 3, 10);
    for (at_smoothing how = AT_SMOOTH_KN; how < AT_SMOOTHINGS; how++) {
        bool done = false;
        for (long nth = 1; !done; nth++) {
            room w = {0};
            at_ngram *g;
            at_alloc_inject(nth);
            at_status s = at_ngram_fit(&(at_fit){3, how, AT_TOKENS_CHAR, 1, 0, 0}, t.s, t.n, "x", NULL, &w.a,
                                       &g, NULL, &w.err);
            done = !at_alloc_injected();
            at_alloc_inject(0);
            assert_int_equal(s, done ? AT_OK : AT_ENOMEM);
            at_arena_release(&w.a);
        }
    }
    at_text_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),      cmocka_unit_test(test_discounts),  cmocka_unit_test(test_rows),
        cmocka_unit_test(test_rows_control), cmocka_unit_test(test_vocabulary), cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_say),          cmocka_unit_test(test_refused),    cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
