/* test_regular.c: which regular languages C-RASP has, by both ways of accepting; and every program that is written, against its automaton:
 * word by word, and by proof for all lengths. */
#include <attest/lang.h>
#include <attest/prove.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "../../core/test/test_scale.h"
#include "pairs_test.h"

/* Known languages. Those of the sorts "last" and "first and last" change side with the way of accepting. */
static const struct {
    const char *text;
    at_tri end, last;
} known[] = {
    {"(ab)*", AT_TRUE, AT_TRUE},
    {"(aabb)*", AT_TRUE, AT_TRUE}, /* two rounds: potentials alone leave two states alike */
    {"(aa(ba)*abb(ab)*b)*", AT_TRUE, AT_TRUE},
    {"(ab|ba)*", AT_TRUE, AT_TRUE},
    {"(ab|bba)*", AT_FALSE, AT_FALSE},
    {"(ab|aabb)*", AT_FALSE, AT_FALSE},
    {".*b&(a|b)*", AT_FALSE, AT_TRUE},  /* ends in b */
    {"a.*b&(a|b)*", AT_FALSE, AT_TRUE}, /* begins with a, ends in b */
    {"a.*&(a|b)*", AT_TRUE, AT_TRUE},
    {".*ab&(a|b)*", AT_FALSE, AT_FALSE}, /* the last two letters */
    {".*bb.*&(a|b)*", AT_FALSE, AT_FALSE},
    {"(aa*bb*)(aa*bb*)*", AT_FALSE, AT_TRUE}, /* a first, b last: the same as a.*b */
    {"(aa*bb*)(aa*bb*)(aa*bb*)", AT_TRUE, AT_TRUE},
    {"(ab)(ab)*bb*(ab)(ab)*", AT_TRUE, AT_TRUE},
    {"((ab)(ab)*bb*)*", AT_FALSE, AT_FALSE},
    {"(aa)*", AT_FALSE, AT_FALSE},
    {"(b*ab*a)*b*", AT_FALSE, AT_FALSE}, /* parity */
    {".*a.*b.*b.*a.*", AT_TRUE, AT_TRUE},
    {"a*b*", AT_TRUE, AT_TRUE},
    {"(abc)*|(cba)*", AT_TRUE, AT_TRUE},
    {"(a(a(ab)*b)*b)*", AT_TRUE, AT_TRUE}, /* brackets to depth 3 */
    {"(baa|cc|c)*", AT_TRUE, AT_TRUE},
    {"a|b", AT_TRUE, AT_TRUE},
    {"(aabb|ab)*c(ab)*", AT_FALSE, AT_FALSE},
};
enum { KNOWN = sizeof known / sizeof *known };

static at_dfa *automaton(const char *text)
{
    at_alphabet sigma;
    at_regex *e;
    at_dfa *d;
    assert_int_equal(at_regex_parse(text, NULL, NULL, 1, 1, &arena, &e, &sigma, &err), AT_OK);
    assert_int_equal(at_regex_dfa(e, &sigma, &arena, &d, &err), AT_OK);
    return d;
}

/* Every word to a length, by the reference. */
static void words_compare(const at_dfa *d, const at_formulas *f, const char *text)
{
    int most = d->sigma.n > 2 ? 7 : 10;
    for (int n = f->at == AT_AT_LAST; n <= most; n++) {
        int count = 1;
        for (int i = 0; i < n; i++)
            count *= d->sigma.n;
        for (int k = 0; k < count; k += TEST_SCALE) {
            int w[16];
            for (int i = 0, r = k; i < n; i++, r /= d->sigma.n)
                w[i] = r % d->sigma.n;
            at_tri v;
            assert_int_equal(at_formulas_run(f, w, n, &v, &err), AT_OK);
            if ((v == AT_TRUE) != at_dfa_accepts(d, w, n))
                fail_msg("%s: word %d of length %d", text, k, n);
        }
    }
}

static void test_known(void **state)
{
    (void)state;
    int written = 0, proved = 0, moved = 0, open = 0;
    double took = at_cpu_now();
    for (int k = 0; k < KNOWN; k++)
        for (int way = 0; way < 2; way++) {
            at_dfa *d = automaton(known[k].text);
            at_crasp_place p;
            assert_int_equal(at_crasp_place_find(d, way ? AT_AT_LAST : AT_AT_END, &arena, &p, &err), AT_OK);
            at_tri want = way ? known[k].last : known[k].end;
            if (p.in != want)
                fail_msg("%s, %s: %d", known[k].text, way ? "last" : "end", (int)p.in);
            moved += way && known[k].last != known[k].end;
            if (p.in == AT_FALSE) {
                assert_null(p.program);
                assert_true(p.component >= 2);
                assert_int_equal(p.letter >= 0, way);
                continue;
            }
            if (!p.program)
                fail_msg("%s: no program", known[k].text);
            written++;
            words_compare(d, p.program, known[k].text);
            at_prove_question q = {.a = p.program, .language = d};
            at_proof r;
            if (at_prove(&q, &arena, &r, &err))
                fail_msg("%s: %s", known[k].text, err.text);
            if (r.holds != AT_TRUE)
                printf("# %s, %s: %s\n", known[k].text, way ? "last" : "end", r.note);
            assert_true(r.holds != AT_FALSE);
            proved += r.holds == AT_TRUE;
            open += r.holds == AT_UNKNOWN;
        }
    printf("# %d programs written, %d proved for all lengths, %d open; %d languages change side; %.1f s\n",
           written, proved, open, moved, at_cpu_now() - took);
    assert_int_equal(moved, 3);
    if (at_prove_has_solver())
        assert_int_equal(open, 0);
}

/* A program that is written and then spoilt is refuted: the automaton of another language. */
static void test_control(void **state)
{
    (void)state;
    at_crasp_place p;
    assert_int_equal(at_crasp_place_find(automaton("(aabb)*"), AT_AT_END, &arena, &p, &err), AT_OK);
    at_prove_question q = {.a = p.program, .language = automaton("(aabb|aabbab)*")};
    at_proof r;
    assert_int_equal(at_prove(&q, &arena, &r, &err), AT_OK);
    assert_int_equal(r.holds, AT_FALSE);
    assert_int_equal(r.n_word, 6);
}

/* Random automata: what is said to be in C-RASP has a program that agrees on every word; of the quotients it is said the same. */
static void test_random(void **state)
{
    (void)state;
    int yes[2] = {0}, no[2] = {0};
    at_alphabet ab = {2, (const char *const[]){"a", "b"}};
    for (int t = 0; t < TEST_SCALED(300); t++) {
        at_rng r = at_rng_at(99, (uint64_t)t);
        at_dfa *d, *least;
        int n = 2 + (int)at_rng_below(&r, 4);
        assert_int_equal(at_dfa_new(&ab, n, &arena, &d, &err), AT_OK);
        for (int q = 0; q < n; q++) {
            d->accept[q] = at_rng_below(&r, 2);
            for (int s = 0; s < 2; s++)
                d->to[q * 2 + s] = (int)at_rng_below(&r, 3) ? (int)at_rng_below(&r, (uint64_t)n) : n - 1;
        }
        assert_int_equal(at_dfa_minimize(d, &arena, &least, &err), AT_OK);
        for (int way = 0; way < 2; way++) {
            at_crasp_place p;
            assert_int_equal(at_crasp_place_find(least, way ? AT_AT_LAST : AT_AT_END, &arena, &p, &err),
                             AT_OK);
            yes[way] += p.in == AT_TRUE;
            no[way] += p.in == AT_FALSE;
            if (p.program)
                words_compare(least, p.program, "random");
        }
        at_arena_release(&arena);
        at_arena_init(&arena);
    }
    printf("# at the end: %d yes, %d no; at the last letter: %d yes, %d no\n", yes[0], no[0], yes[1], no[1]);
    assert_true(yes[0] > 10 && no[0] > 10 && yes[1] >= yes[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_known, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_control, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_random, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
