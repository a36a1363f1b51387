/* test_pfsa.c: probabilistic automata: read, printed, refused with the place; probabilities against the sum over all runs; tightness. */
#include <attest/ngram.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char weather[] =
    "start high 2/3\nstart low 1/3\nhigh d high 1/2  # dry\nhigh w high 1/6\nhigh w low 1/6\n"
    "end high 1/6\nlow d low 1/5\nlow w low 0.4\n";

static at_pfsa *take(const char *text, at_arena *a)
{
    at_pfsa *p;
    at_err err = {0};
    if (at_pfsa_read(text, strlen(text), "x", a, &p, &err))
        fail_msg("%s", err.text);
    return p;
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } bad[] = {
        {"", "x:1:1: no start; add a line as in start rain"},
        {"start q 1/2\nend q\n", "x:1:1: the probabilities of start sum to 1/2, and not to 1"},
        {"start q\nq a q 1/2\n", "x:1:7: the probabilities of the state 'q' sum to 1/2, and not to 1"},
        {"start q\nq a q 1/2\nend q 2/3",
         "x:1:7: the probabilities of the state 'q' sum to 7/6, and not to 1"},
        {"start q\nq a r 1\n", "x:2:5: nothing goes out of the state 'r'; add a transition, or end r"},
        {"start q\nq a q 1/2\nq a q 1/2\n", "x:3:1: this is here twice; the other one is in line 2"},
        {"start q\nq a q\n", "x:2:1: 3 words; a transition is written from letter to probability"},
        {"start q\nq a q 0\n", "x:2:7: '0' is no probability; write 1/3 or 0.25, more than 0 and at most 1"},
        {"start q\nq a q 3/2\n", "x:2:7: '3/2' is no probability"},
        {"start q\nq a q 1/0\n", "x:2:7: '1/0' is no probability"},
        {"start q\nq a q 1/2x\n", "x:2:7: '1/2x' is no probability"},
        {"start q\nq a q 1/9999999\n", "x:2:7: a denominator of 9999999; at most 1000000"},
        {"start q\nend q 1/1009\nq a q 1/1013\n", "x:3:1: a common denominator of 1022117; at most 1000000"},
        {"alphabet a b\nstart q\n  q c q 1\n", "x:3:5: 'c' is none of the letters"},
        {"states rain sun\nstart rian\n", "x:2:7: 'rian' is none of the states; did you mean 'rain'?"},
        {"states q q\n", "x:1:10: the list has the state 'q' twice"},
        {"start q\nalphabet a\nalphabet b\n", "x:3:1: a second line alphabet"},
        {"start q\nq a q 1\nalphabet a\n", "x:3:1: the line alphabet comes before what it names"},
        {"start end\n", "x:1:7: 'end' begins a line of another kind"},
        {"start q\nq [a q 1\n", "x:2:3: a letter is not <s> or </s>"},
        {"start q\nq \x01 q 1\n", "x:2:3: a byte that is no visible character"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        at_arena a;
        at_pfsa *p;
        at_err err = {0};
        at_arena_init(&a);
        assert_int_equal(at_pfsa_read(bad[k].text, strlen(bad[k].text), "x", &a, &p, &err), AT_EINPUT);
        if (strncmp(err.text, bad[k].said, strlen(bad[k].said)) != 0)
            fail_msg("'%s' instead of '%s'", err.text, bad[k].said);
        assert_null(strchr(err.text, '\n'));
        at_arena_release(&a);
    }
}

/* An automaton of up to 4 states and 3 letters; every state has an end, or not. */
static at_pfsa *draw(uint64_t seed, bool ends, at_arena *a)
{
    at_rng r = at_rng_at(seed, 0);
    int Q = 1 + (int)at_rng_below(&r, 4), L = 1 + (int)at_rng_below(&r, 3);
    at_pfsa_arc *arc = at_new(a, at_pfsa_arc, Q * Q * L);
    uint32_t *under = at_new(a, uint32_t, Q), *end = at_new(a, uint32_t, Q), *start = at_new(a, uint32_t, Q);
    at_pfsa like = {.states = Q, .letters = L, .arc = arc, .under = under, .end = end, .start = start}, *p;
    at_err err = {0};
    for (int q = Q - 1; q >= 0; q--) {
        for (int k = 0; k < L * Q; k++)
            if (at_rng_below(&r, 3) == 0) {
                arc[like.arcs++] = (at_pfsa_arc){q, k / Q, k % Q, 1 + (uint32_t)at_rng_below(&r, 5)};
                under[q] += arc[like.arcs - 1].count;
            }
        end[q] = (ends || at_rng_below(&r, 3) == 0 ? 1 + (uint32_t)at_rng_below(&r, 3) : 0) + !under[q];
        under[q] += end[q];
        start[q] = (uint32_t)at_rng_below(&r, 3) + (q == 0);
        like.start_under += start[q];
    }
    if (at_pfsa_make(&like, a, &p, &err))
        fail_msg("%s", err.text);
    return p;
}

static void test_printed(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_text one, two;
    at_text_init(&one);
    char text[300];
    snprintf(text, sizeof text, "\xEF\xBB\xBF%slow w high 1/5\r\nend low 0.2", weather);
    at_pfsa_print(take(text, &a), &one);
    assert_string_equal(one.s,
                        "alphabet d w\nstates high low\nstart high 2/3\nstart low 1/3\nhigh d high 1/2\n"
                        "high w high 1/6\nhigh w low 1/6\nend high 1/6\nlow d low 1/5\nlow w high 1/5\n"
                        "low w low 2/5\nend low 1/5\n");
    at_text_release(&one);
    for (uint64_t seed = 0; seed < 200; seed++) {
        at_text_init(&one);
        at_text_init(&two);
        at_pfsa_print(draw(seed, seed % 2, &a), &one);
        at_pfsa_print(take(one.s, &a), &two);
        assert_string_equal(one.s, two.s);
        at_text_release(&one);
        at_text_release(&two);
    }
    at_arena_release(&a);
}

/* The sum over all runs: whole numbers over the product of the denominators that were met, as long double. */
static long double runs_add(const at_pfsa *p, int q, const int *word, int n)
{
    long double sum = 0;
    if (n == 0)
        return (long double)p->end[q] / p->under[q];
    for (int k = 0; k < p->arcs; k++)
        if (p->arc[k].from == q && p->arc[k].letter == *word)
            sum += (long double)p->arc[k].count / p->under[q] * runs_add(p, p->arc[k].to, word + 1, n - 1);
    return sum;
}

static double fraction(const char *text)
{
    const char *over = strchr(text, '/');
    return over ? strtod(text, NULL) / strtod(over + 1, NULL) : strtod(text, NULL);
}

static void test_probability(void **state)
{
    (void)state;
    at_arena a;
    at_err err = {0};
    const char *said;
    char text[300];
    int words = 0;
    at_arena_init(&a);
    snprintf(text, sizeof text, "%slow w high 1/5\nend low 1/5", weather);
    at_pfsa *p = take(text, &a);
    /* d w: high high high 2/3 1/2 1/6 1/6, high high low 2/3 1/2 1/6 1/5, low low low 1/3 1/5 2/5 1/5, low low high 1/3 1/5 1/5 1/6 */
    assert_int_equal(at_pfsa_probability(p, (int[]){0, 1}, 2, &a, &said, &err), AT_OK);
    assert_string_equal(said, "377/13500"); /* 1/108 + 1/90 + 2/375 + 1/450 */
    assert_int_equal(at_pfsa_probability(p, NULL, 0, &a, &said, &err), AT_OK);
    assert_string_equal(said, "8/45"); /* 2/3 1/6 + 1/3 1/5 */
    for (uint64_t seed = 0; seed < 60; seed++) {
        p = draw(seed, true, &a);
        for (int n = 0; n <= 5; n++)
            for (int k = 0; k < 20; k++, words++) {
                int word[5];
                double belief[AT_PFSA_STATES], row[AT_PFSA_LETTERS + 1], product = 1;
                long double sum = 0;
                at_rng r = at_rng_at(seed, (uint64_t)(20 * n + k + 1));
                at_pfsa_begin(p, belief);
                for (int i = 0; i < n; i++) {
                    word[i] = (int)at_rng_below(&r, (uint64_t)p->letters);
                    at_pfsa_row(p, belief, row);
                    product *= row[word[i]];
                    at_pfsa_step(p, belief, word[i]);
                }
                at_pfsa_row(p, belief, row);
                product *= row[p->letters];
                for (int q = 0; q < p->states; q++)
                    sum += (long double)p->start[q] / p->start_under * runs_add(p, q, word, n);
                assert_int_equal(at_pfsa_probability(p, word, n, &a, &said, &err), AT_OK);
                assert_true(fabs(fraction(said) - (double)sum) <= 1e-12 * fabs((double)sum));
                assert_true(fabs(product - (double)sum) <= 1e-12 * fabs((double)sum));
            }
    }
    print_message("%d words\n", words);
    at_arena_release(&a);
}

/* The mass is that of very long words, too; a trap has a path, and no end. */
static void test_tight(void **state)
{
    (void)state;
    int loose = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        at_arena a;
        at_tight t;
        at_err err = {0};
        at_arena_init(&a);
        at_pfsa *p = draw(seed, false, &a);
        double now[AT_PFSA_STATES], mass = 0;
        assert_int_equal(at_pfsa_tight(p, &a, &t, &err), AT_OK);
        for (int q = 0; q < p->states; q++)
            now[q] = (double)p->start[q] / p->start_under;
        for (int step = 0; step < 20000; step++) {
            double then[AT_PFSA_STATES] = {0};
            for (int q = 0; q < p->states; q++)
                mass += now[q] * p->end[q] / p->under[q];
            for (int k = 0; k < p->arcs; k++)
                then[p->arc[k].to] += now[p->arc[k].from] * p->arc[k].count / p->under[p->arc[k].from];
            memcpy(now, then, sizeof now);
        }
        assert_true(fabs(mass - t.mass_near) < 1e-9 && fabs(fraction(t.mass) - mass) < 1e-9);
        assert_true(t.tight == (strcmp(t.mass, "1") == 0) && t.tight == (t.dead == 0));
        if (!t.tight) {
            loose++;
            bool in[AT_PFSA_STATES] = {false}; /* the states that the path may lead to */
            for (int q = 0; q < p->states; q++)
                in[q] = p->start[q] > 0;
            for (int i = 0; i < t.n_path; i++) {
                bool then[AT_PFSA_STATES] = {false};
                for (int k = 0; k < p->arcs; k++)
                    then[p->arc[k].to] |= in[p->arc[k].from] && p->arc[k].letter == t.path[i];
                memcpy(in, then, sizeof in);
            }
            assert_true(in[t.trap[0]] && p->end[t.trap[0]] == 0);
        }
        at_arena_release(&a);
    }
    print_message("%d of 300 are not tight\n", loose);
    assert_true(loose > 30 && loose < 270);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_printed),
        cmocka_unit_test(test_probability),
        cmocka_unit_test(test_tight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
