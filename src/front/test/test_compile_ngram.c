/* test_compile_ngram.c: n-gram language models as weights: every form, every attention, both readouts, against the tables, after
 * every text to a length; broken forms are noticed; files with back-off; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <attest/exec.h>
#include <attest/front.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 8
#define LONGEST    5

static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

/* Counts 0 .. 3, so that some probabilities are 0. */
static at_ngram *draw(int order, int W, uint64_t seed, at_arena *a)
{
    at_err err = {0};
    at_ngram *g;
    uint64_t histories = 1, all = 1;
    for (int k = 1; k < order; k++)
        histories += all *= (uint64_t)W;
    uint64_t *count = at_new(a, uint64_t, histories * (uint64_t)(W + 1));
    at_rng r = at_rng_at(seed, 0);
    for (uint64_t i = 0; i < histories; i++) {
        for (int w = 0; w <= W; w++)
            count[i * (uint64_t)(W + 1) + (uint64_t)w] = at_rng_below(&r, 4);
        count[i * (uint64_t)(W + 1) + at_rng_below(&r, (uint64_t)W + 1)]++;
    }
    if (at_ngram_of_counts(order, W, names, count, a, &g, &err))
        fail_msg("%s", err.text);
    return g;
}

/* The largest distance of a probability from the table's, over every text to LONGEST; *zeros: probabilities of 0 that are 0. */
static double worst_of(const at_ngram *g, const at_model *m, at_arith arith, int *zeros)
{
    double worst = 0;
    at_err err = {0};
    for (int n = 0; n <= LONGEST; n++) {
        uint64_t texts = at_words_count(g->words, n);
        for (uint64_t i = 0; i < texts; i++) {
            double x[LONGEST + 1], right[MOST_WORDS + 1];
            at_arena a;
            at_output y;
            int state = at_ngram_start(g);
            at_arena_init(&a);
            at_words_nth(g->words, n, i, x);
            for (int k = 0; k < n; k++)
                at_ngram_step(g, &state, (int)x[k]);
            at_ngram_shares(g, state, right);
            if (at_run(m, arith, &(at_input){n, x}, NULL, &a, &y, &err))
                fail_msg("%s", err.text);
            assert_int_equal(y.width, g->words + 1);
            for (int w = 0; w <= g->words; w++) {
                double off = fabs(y.decision[w] - right[w]);
                worst = off <= worst ? worst : off; /* NAN is kept */
                *zeros += right[w] == 0 && y.decision[w] == 0;
            }
            at_arena_release(&a);
        }
    }
    return worst;
}

static int layers_of(const at_model *m)
{
    int n = 0;
    for (int b = 0; b < m->n_blocks; b++)
        n += m->blocks[b].kind == AT_BLOCK_ATTN;
    return n;
}

static void test_every_form(void **state)
{
    (void)state;
    static const at_weighting by[] = {AT_AVERAGE_HARD, AT_SPARSEMAX, AT_SOFTMAX, AT_RIGHTMOST_HARD,
                                      AT_LEFTMOST_HARD};
    int models = 0, zeros = 0, noticed = 0, broken = 0;
    for (int turn = 0; turn < 8; turn++) {
        int order = 1 + turn % 4, W = 1 + turn % 3;
        at_arena a;
        at_arena_init(&a);
        at_ngram *g = draw(order, W, (uint64_t)turn, &a);
        for (int form = 0; form < AT_NGRAM_FORMS; form++)
            for (size_t k = 0; k < sizeof by / sizeof *by; k++)
                for (int bad = 0; bad < 2; bad++) {
                    at_ngram_options o = {.form = (at_ngram_form)form,
                                          .weighting = by[k],
                                          .read =
                                              (k + (size_t)turn) % 2 ? AT_READ_SPARSEMAX : AT_READ_SOFTMAX,
                                          .error = by[k] == AT_SOFTMAX ? 1e-13 : 0,
                                          .broken = bad};
                    at_model m;
                    at_err err = {0};
                    at_status s = at_ngram_model(g, LONGEST, &o, &m, &err);
                    if (form == AT_NGRAM_SINGLE && at_weighting_is(by[k], AT_IS_ONE)) {
                        assert_int_equal(s, AT_EREFUSED);
                        continue;
                    }
                    if (s)
                        fail_msg("%s", err.text);
                    double worst = worst_of(g, &m, at_f64, &zeros);
                    if (bad) {
                        broken += order > 2 &&
                                  W > 1; /* shorter histories have no furthest word beside the own one */
                        noticed += order > 2 && W > 1 && !(worst <= 1e-3);
                    } else {
                        if (!(worst <= 1e-9))
                            fail_msg("%s, %s, order %d, %d words: %g off", at_ngram_forms[form],
                                     at_weighting_names[by[k]], order, W, worst);
                        if (order > 1)
                            assert_int_equal(layers_of(&m), form == AT_NGRAM_LAYERS ? order - 2 : 1);
                        models++;
                    }
                    at_model_release(&m);
                }
        at_arena_release(&a);
    }
    print_message("%d models right, %d probabilities of 0 among them; %d of %d broken ones noticed\n", models,
                  zeros, noticed, broken);
    assert_true(models > 50 && zeros > 1000 && broken >= 20);
    assert_int_equal(noticed, broken);
}

/* Rows over 16, so that probabilities are binary fractions. */
static at_ngram *draw_binary(int order, int W, uint64_t seed, at_arena *a)
{
    at_err err = {0};
    at_ngram *g;
    uint64_t histories = 1, all = 1;
    for (int k = 1; k < order; k++)
        histories += all *= (uint64_t)W;
    uint64_t *count = at_new(a, uint64_t, histories * (uint64_t)(W + 1));
    at_rng r = at_rng_at(seed, 1);
    for (uint64_t i = 0; i < 16 * histories; i++)
        count[i / 16 * (uint64_t)(W + 1) + at_rng_below(&r, (uint64_t)W + 1)]++;
    if (at_ngram_of_counts(order, W, names, count, a, &g, &err))
        fail_msg("%s", err.text);
    return g;
}

/* Probabilities that are another fraction than the table's, over every text to LONGEST. */
static int fractions_off(const at_ngram *g, const at_model *m, int *all)
{
    int off = 0;
    at_err err = {0};
    for (int n = 0; n <= LONGEST; n++)
        for (uint64_t i = 0; i < at_words_count(g->words, n); i++) {
            double x[LONGEST + 1];
            int history[LONGEST + 1] = {at_ngram_bos(g)};
            const char *const *said;
            at_arena a;
            at_arena_init(&a);
            at_words_nth(g->words, n, i, x);
            for (int k = 0; k < n; k++)
                history[k + 1] = (int)x[k];
            int from = n + 1 > g->order - 1 ? n + 1 - (g->order - 1) : 0;
            if (at_run_fractions(m, &(at_input){n, x}, &a, &said, &err))
                fail_msg("%s", err.text);
            for (int w = 0; w <= g->words; w++, ++*all) {
                uint64_t over, under;
                char want[32];
                assert_true(at_ngram_fraction(g, history + from, n + 1 - from, w, &over, &under));
                for (; over && over % 2 == 0 && under % 2 == 0; over /= 2)
                    under /= 2;
                if (over == 0 || under == 1)
                    snprintf(want, sizeof want, "%d", (int)over);
                else
                    snprintf(want, sizeof want, "%d/%d", (int)over, (int)under);
                off += strcmp(want, said[w]) != 0;
            }
            at_arena_release(&a);
        }
    return off;
}

/* Without exp, and with rows that doubles hold, nothing is rounded: equal fractions, over the rationals. */
static void test_fractions(void **state)
{
    (void)state;
    static const at_weighting by[] = {AT_AVERAGE_HARD, AT_SPARSEMAX, AT_RIGHTMOST_HARD};
    int all = 0, models = 0, broken = 0;
    for (int turn = 0; turn < 4; turn++)
        for (int form = 0; form < AT_NGRAM_FORMS; form++)
            for (size_t k = 0; k < sizeof by / sizeof *by; k++)
                for (int bad = 0; bad < 2; bad++) {
                    at_arena a;
                    at_model m;
                    at_err err = {0};
                    if (form == AT_NGRAM_SINGLE && at_weighting_is(by[k], AT_IS_ONE))
                        continue;
                    at_arena_init(&a);
                    at_ngram *g = draw_binary(1 + turn, 2, (uint64_t)turn, &a);
                    at_ngram_options o = {.form = (at_ngram_form)form,
                                          .weighting = by[k],
                                          .read = AT_READ_SPARSEMAX,
                                          .broken = bad};
                    if (at_ngram_model(g, LONGEST, &o, &m, &err))
                        fail_msg("%s", err.text);
                    int of_this = 0, off = fractions_off(g, &m, &of_this);
                    all += bad ? 0 : of_this;
                    if (!bad)
                        assert_int_equal(off, 0);
                    models += !bad;
                    broken += bad && off > 0;
                    at_model_release(&m);
                    at_arena_release(&a);
                }
    print_message("%d models, %d probabilities as fractions; %d broken ones differ\n", models, all, broken);
    assert_int_equal(models, 32);
    assert_int_equal(broken,
                     16); /* orders 3 and 4: shorter histories have no furthest word beside the own one */
}

/* log p of a text with its end, from the definition. */
static double score(const at_ngram *g, const double *x, int n)
{
    double p[MOST_WORDS + 1], sum = 0;
    int state = at_ngram_start(g);
    for (int i = 0; i <= n; i++) {
        int w = i < n ? (int)x[i] : g->words;
        at_ngram_shares(g, state, p);
        sum += log(p[w]);
        if (i < n)
            at_ngram_step(g, &state, w);
    }
    return sum;
}

/* Texts to LONGEST that the recogniser for `least` judges otherwise than the tables say for `asked`; *yes: accepted ones. */
static int misjudged(const at_ngram *g, const at_ngram_options *o, double least, double asked, int *yes)
{
    int wrong = 0;
    at_model m;
    at_err err = {0};
    if (at_ngram_accepter(g, LONGEST, least, o, &m, &err))
        fail_msg("%s", err.text);
    for (int n = 0; n <= LONGEST; n++)
        for (uint64_t i = 0; i < at_words_count(g->words, n); i++) {
            double x[LONGEST + 1];
            at_arena a;
            at_output y;
            at_arena_init(&a);
            at_words_nth(g->words, n, i, x);
            if (at_run(&m, at_f64, &(at_input){n, x}, NULL, &a, &y, &err))
                fail_msg("%s", err.text);
            bool right = score(g, x, n) >= log(asked) - 1e-9;
            wrong += right != (y.decision[0] != 0);
            *yes += right;
            at_arena_release(&a);
        }
    at_model_release(&m);
    return wrong;
}

/* As a recogniser: thresholds that no text meets, and one that is met exactly. */
static void test_accepts(void **state)
{
    (void)state;
    static const double least[] = {0.31, 0.083, 0.011, 0.00037};
    int yes = 0, noticed = 0, models = 0;
    for (int turn = 0; turn < 9; turn++) {
        int order = 1 + turn % 4, W = 1 + turn % 3;
        at_arena a;
        at_arena_init(&a);
        at_ngram *g = draw(order, W, (uint64_t)turn, &a);
        for (int form = 0; form < AT_NGRAM_FORMS; form++)
            for (size_t k = 0; k < sizeof least / sizeof *least; k++, models++) {
                at_ngram_options o = {.form = (at_ngram_form)form, .weighting = AT_AVERAGE_HARD};
                assert_int_equal(misjudged(g, &o, least[k], least[k], &yes), 0);
                noticed += misjudged(g, &o, least[k], least[k] / 8, &yes) > 0;
            }
        double p[MOST_WORDS + 1];
        at_ngram_shares(g, at_ngram_start(g), p);
        at_ngram_options o = {.form = AT_NGRAM_HEADS, .weighting = AT_AVERAGE_HARD};
        if (p[W] > 0) /* the empty text has just this one */
            assert_int_equal(misjudged(g, &o, p[W], p[W], &yes), 0);
        at_arena_release(&a);
    }
    print_message("%d recognisers, %d times yes; another threshold noticed in %d\n", models, yes, noticed);
    assert_true(yes > 1000 && noticed > models / 2);
}

static const char arpa[] =
    "\\data\\\nngram 1=5\nngram 2=5\nngram 3=2\n\n\\1-grams:\n-99 <s> -0.3\n-0.7 </s>\n-0.5 a -0.2\n"
    "-0.6 b -0.1\n-0.60206 c\n\n\\2-grams:\n-0.2 <s> a -0.1\n-0.4 a b -0.3\n-0.5 a c\n-0.3 b </s>\n"
    "-0.8 b a\n\n\\3-grams:\n-0.1 <s> a b\n-0.2 a b </s>\n\n\\end\\\n";

/* Back-off: only what the file lists has a weight; the rows are over their sums. f32 is as good as f32 is. */
static void test_back_off(void **state)
{
    (void)state;
    at_arena a;
    at_ngram *g;
    at_err err = {0};
    int zeros = 0;
    at_arena_init(&a);
    assert_int_equal(at_ngram_read(arpa, sizeof arpa - 1, "t.arpa", &a, &g, &err), AT_OK);
    for (int form = 0; form < AT_NGRAM_FORMS; form++) {
        at_ngram_options o = {
            .form = (at_ngram_form)form, .weighting = AT_AVERAGE_HARD, .read = AT_READ_SOFTMAX};
        at_model m;
        assert_int_equal(at_ngram_model(g, LONGEST, &o, &m, &err), AT_OK);
        assert_true(worst_of(g, &m, at_f64, &zeros) <= 1e-12);
        assert_true(worst_of(g, &m, at_f32, &zeros) <= 1e-5);
        assert_string_equal(m.fields[0].words[1].s, "b");
        at_model_release(&m);
    }
    at_arena_release(&a);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_ngram *g = draw(3, 2, 1, &a);
    at_ngram_options o = {.form = AT_NGRAM_SINGLE, .weighting = AT_SPARSEMAX, .read = AT_READ_SOFTMAX};
    int failed = 0;
    for (long nth = 1;; nth += 1 + nth / 8) {
        at_model m;
        at_err err = {0};
        at_alloc_inject(nth);
        at_status s = at_ngram_model(g, LONGEST, &o, &m, &err);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        if (!s)
            at_model_release(&m);
        assert_true(fired ? s == AT_ENOMEM : s == AT_OK);
        failed += fired;
        if (!fired)
            break;
    }
    assert_true(failed > 10);
    at_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepts),       cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_every_form),    cmocka_unit_test(test_back_off),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("tests", tests, NULL, NULL);
}
