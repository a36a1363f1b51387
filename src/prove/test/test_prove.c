/* test_prove.c: pairs whose answer is known: every one is decided, every invariant is shown again, and invariants that are spoilt are
 * rejected. */
#include <attest/lang.h>
#include <attest/prove.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "pairs_test.h"

/* A state in which the invariant is too small or too large: each part of it left out, all of it, and none. */
static int spoilt(const at_prove_question *q, const at_invariant *v)
{
    int rejected = 0;
    at_tri again;
    const char *why;
    for (int k = 0; k < v->n && v->any; k++) {
        at_invariant less = {.any = true, .k = v->k, .part = at_new(&arena, const char *, v->n)};
        for (int i = 0; i < v->n; i++)
            if (i != k)
                less.part[less.n++] = v->part[i];
        assert_int_equal(at_prove_recheck(q, &less, &arena, &again, &why, &err), AT_OK);
        if (again != AT_FALSE)
            fail_msg("without part %d of %d the invariant still holds: %s", k, v->n, v->part[k]);
        assert_true(!strcmp(why, "first") || !strcmp(why, "step"));
        rejected++;
    }
    const char *no = "false", *yes = "true";
    at_invariant none = {.k = 1, .n = 1, .part = &no}, all = {.k = 1, .n = 1, .part = &yes};
    assert_int_equal(at_prove_recheck(q, &none, &arena, &again, &why, &err), AT_OK);
    assert_int_equal(again, AT_FALSE);
    assert_string_equal(why, "first");
    assert_int_equal(at_prove_recheck(q, &all, &arena, &again, &why, &err), AT_OK);
    rejected += again == AT_FALSE;
    return rejected + 1;
}

static void test_pairs(void **state)
{
    (void)state;
    int decided = 0, proved = 0, rejected = 0, way[AT_PROVE_WAYS] = {0};
    double worst = 0;
    for (int k = 0; k < PROVE_PAIRS_ALL; k++) {
        const prove_pair *p = &prove_pairs[k];
        at_prove_question q = question(p);
        at_proof r;
        double from = at_cpu_now();
        if (at_prove(&q, &arena, &r, &err))
            fail_msg("%s: %s", p->name, err.text);
        double took = at_cpu_now() - from;
        worst = took > worst ? took : worst;
        printf("# %-60s %s, %s, %d counts, %d parts, %.2f s %s\n", p->name,
               r.holds == AT_TRUE    ? "proved"
               : r.holds == AT_FALSE ? "refuted"
                                     : "unknown",
               at_prove_way_names[r.way], r.counts, r.invariant.n, took, r.note);
        if (!at_prove_has_solver() && r.holds == AT_UNKNOWN) {
            assert_string_equal(r.lacks, "libz3-dev");
            continue;
        }
        assert_int_equal(r.holds, p->word ? AT_FALSE : AT_TRUE);
        decided++;
        way[r.way]++;
        if (p->word) {
            at_text t;
            at_text_init(&t);
            at_alphabet_print(&q.a->sigma, r.word, r.n_word, &t);
            assert_int_equal(r.n_word, strlen(p->word));
            if (r.n_word && p->word[0] != 'x')
                assert_string_equal(t.s, p->word);
            at_text_release(&t);
            continue;
        }
        proved++;
        assert_int_equal(r.rechecked, AT_TRUE);
        if (r.invariant.n && at_prove_has_solver())
            rejected += spoilt(&q, &r.invariant);
    }
    printf("# %d of %d pairs decided, %d proved (search %d, regions %d, induction %d, Spacer %d), %d spoilt "
           "invariants rejected, slowest %.2f s\n",
           decided, PROVE_PAIRS_ALL, proved, way[AT_BY_SEARCH], way[AT_BY_REGIONS], way[AT_BY_INDUCTION],
           way[AT_BY_SPACER], rejected, worst);
    if (at_prove_has_solver())
        assert_int_equal(decided, PROVE_PAIRS_ALL);
}

/* Letters in another order are the same letters; others are refused, and so is what looks ahead. */
static void test_letters(void **state)
{
    (void)state;
    at_prove_question q = {.a = program("a b", "#[Q_a] > #[Q_b]"), .b = program("b a", "#[Q_a] > #[Q_b]")};
    at_proof r;
    assert_int_equal(at_prove(&q, &arena, &r, &err), AT_OK);
    assert_int_equal(r.holds, AT_TRUE);
    q.b = program("b a", "#[Q_a] > #[Q_b] | Q_b & #[Q_b] = 3");
    assert_int_equal(at_prove(&q, &arena, &r, &err), AT_OK);
    assert_int_equal(r.holds, AT_FALSE);
    assert_int_equal(r.n_word, 3);
    assert_true(!r.says[0] && r.says[1]);
    q.b = program("a c", "Q_a");
    assert_int_equal(at_prove(&q, &arena, &r, &err), AT_EINPUT);
    err = (at_err){0};
    q.b = program("a b", "#[j > i] Q_a(j) = 0 & #[j <= i] (#[k > j] Q_a(k) = 0) > 0");
    assert_int_equal(at_prove(&q, &arena, &r, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "a count of what stands behind"));
    err = (at_err){0};
    q.b = program("a b", "#[1] Q_a(j) > #[j <= i] Q_b(j)"); /* read at the last letter, nothing is behind */
    assert_int_equal(at_prove(&q, &arena, &r, &err), AT_OK);
    assert_int_equal(r.holds, AT_TRUE);
}

/* What was one letter before, and where there is none before: other languages have words for it. */
static void test_letter_before(void **state)
{
    (void)state;
    static const struct {
        const char *ltl, *same;
    } cases[] = {{"Y a", ".*a(a|b)&(a|b)*"}, {"Z a", "(a|b)|.*a(a|b)&(a|b)*"}, {"a & Z b", "a|.*ba&(a|b)*"}};
    for (int k = 0; k < 3; k++)
        for (int other = 0; other < 3; other++) {
            at_prove_question q = {.language = expression("a b", cases[other].same)};
            at_alphabet sigma;
            at_formulas *f;
            at_proof r;
            int longest;
            char *text = at_arena_strdup(&arena, cases[k].ltl);
            assert_int_equal(at_alphabet_parse("a b", &arena, &sigma, &err), AT_OK);
            if (at_ltl_read(text, "x.ltl", &sigma, &arena, &f, &longest, &err))
                fail_msg("%s", err.text);
            q.a = f;
            if (at_prove(&q, &arena, &r, &err))
                fail_msg("%s", err.text);
            assert_int_equal(r.holds, k == other ? AT_TRUE : AT_FALSE);
        }
}

/* The empty word: only where both are read at the end. */
static void test_empty_word(void **state)
{
    (void)state;
    at_prove_question q = {.a = program("a b", "accept end; #[Q_a] = #[Q_b]"),
                           .b = program("a b", "accept end; #[Q_a] = #[Q_b] & #[1] > 0")};
    at_proof r;
    assert_int_equal(at_prove(&q, &arena, &r, &err), AT_OK);
    assert_int_equal(r.holds, AT_FALSE);
    assert_int_equal(r.words, AT_WORDS_END);
    assert_int_equal(r.n_word, 0);
    q.a = program("a b", "#[Q_a] = #[Q_b]");
    assert_int_equal(at_prove(&q, &arena, &r, &err), AT_OK);
    assert_int_equal(r.words, AT_WORDS_MIXED);
    assert_int_equal(r.holds, at_prove_has_solver() ? AT_TRUE : AT_UNKNOWN);
    q.b = program("a b", "accept end; #[Q_a] = #[Q_b] + 1"); /* and from one letter on a difference is one */
    assert_int_equal(at_prove(&q, &arena, &r, &err), AT_OK);
    assert_int_equal(r.words, AT_WORDS_MIXED);
    assert_int_equal(r.holds, AT_FALSE);
    assert_int_equal(r.n_word, 1);
    q.b = NULL;
    q.language = expression("a b", "(ab|ba)*|~((ab|ba)*)");
    q.what = AT_PROVE_INCLUDED;
    assert_int_equal(at_prove(&q, &arena, &r, &err), AT_OK);
    assert_int_equal(r.words, AT_WORDS_LAST);
    assert_int_equal(r.holds, AT_TRUE);
    assert_true(r.empty[1]);
}

/* Few states and few steps: unknown, with what was reached, and never a pass. */
static void test_budget(void **state)
{
    (void)state;
    at_prove_question q = {.a = program("a b", "#[Q_a] = 40 & #[Q_b] = #[Q_b & #[Q_a] > 60]"),
                           .what = AT_PROVE_EMPTY,
                           .states = 50,
                           .steps = 1};
    at_proof r;
    assert_int_equal(at_prove(&q, &arena, &r, &err), AT_OK);
    assert_int_equal(r.holds, AT_UNKNOWN);
    assert_true(r.note[0]);
    q.states = 0;
    assert_int_equal(at_prove(&q, &arena, &r, &err), AT_OK);
    assert_int_equal(r.holds, AT_FALSE);
    assert_int_equal(r.n_word, 40);
}

/* A failed allocation anywhere is a failure in words. */
static void test_memory(void **state)
{
    (void)state;
    at_formulas *a = program("a b", DYCK_A), *b = program("a b", DYCK_B);
    int failed = 0;
    for (long k = 1; k < 4000; k += k < 40 ? 1 : 37) {
        at_arena own;
        at_arena_init(&own);
        at_proof r;
        at_err e = {0};
        at_prove_question q = {.a = a, .b = b};
        at_alloc_inject(k);
        at_status s = at_prove(&q, &own, &r, &e);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        if (fired && s) {
            assert_int_equal(s, AT_ENOMEM);
            failed++;
        } else if (!s)
            assert_true(r.holds == AT_TRUE || !at_prove_has_solver() || fired);
        at_arena_release(&own);
        if (!fired)
            break;
    }
    assert_true(failed > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pairs, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_letters, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_letter_before, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_empty_word, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_budget, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_memory, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
