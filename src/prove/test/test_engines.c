/* test_engines.c: the parts of a proof, each by itself: Spacer with its invariants shown again, induction over steps, hulls, and the
 * caps of counts. */
#include "../prove_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "pairs_test.h"

/* Equations of the states that the search meets. */
static void equations_of(prove_system *s, prove_search *seen, prove_hull *h)
{
    int64_t x[AT_PROVE_COUNTS];
    assert_int_equal(prove_search_run(s, 2000, &arena, seen, &err), AT_OK);
    assert_int_equal(prove_hull_init(h, s->n_free, &arena, &err), AT_OK);
    for (size_t k = 0; k < seen->n; k++) {
        for (int i = 0; i < s->n_free; i++)
            x[i] = seen->states[k * (size_t)s->fields + (size_t)s->free[i]];
        if (!prove_hull_has(h, x))
            assert_int_equal(prove_hull_join(h, x, &err), AT_OK);
        assert_true(prove_hull_has(h, x));
    }
}

/* Spacer alone: what it proves is shown again, and it never proves what is wrong. */
static void test_spacer(void **state)
{
    (void)state;
    int proved = 0, refuted = 0, open = 0, eliminated = 0;
    if (!at_prove_has_solver())
        skip();
    for (int k = 0; k < PROVE_PAIRS_ALL; k++) {
        const prove_pair *p = &prove_pairs[k];
        at_prove_question q = question(p);
        q.steps = 2000000;
        prove_system *s;
        prove_solver *v;
        prove_search seen;
        prove_hull h;
        at_tri holds, again;
        at_invariant i = {0};
        const char *why;
        assert_int_equal(prove_system_make(&q, &arena, &s, &err), AT_OK);
        equations_of(s, &seen, &h);
        assert_int_equal(prove_solver_open(s, q.steps, &v, &err), AT_OK);
        int n = h.equations;
        assert_int_equal(prove_solver_equations(v, &n, h.equation, &err), AT_OK);
        assert_int_equal(prove_solver_spacer(v, n, h.equation, &arena, &holds, &i, &err), AT_OK);
        if (holds != AT_UNKNOWN)
            assert_int_equal(holds, p->word ? AT_FALSE : AT_TRUE);
        if (holds == AT_TRUE) {
            assert_true(i.n > 0);
            assert_int_equal(at_prove_recheck(&q, &i, &arena, &again, &why, &err), AT_OK);
            if (again != AT_TRUE)
                fail_msg("%s: %s\n%s", p->name, why, i.part[0]);
            proved++;
        }
        refuted += holds == AT_FALSE;
        open += holds == AT_UNKNOWN;
        eliminated += n;
        prove_solver_close(v);
        prove_search_release(&seen);
    }
    printf("# Spacer alone: %d proved and shown again, %d refuted, %d open; %d equations\n", proved, refuted,
           open, eliminated);
    assert_true(proved >= 12 && refuted >= 5 && eliminated > 5);
}

/* Induction: `true` is no invariant of use, and two steps of it are; and a difference at two letters is not hidden by many steps. */
static void test_induction(void **state)
{
    (void)state;
    const char *yes = "true", *why;
    at_tri v;
    if (!at_prove_has_solver())
        skip();
    /* a bit that follows another: after one step they are alike */
    at_prove_question q = {
        .a = program("a b", "p(i) := #[j = i - 1] Q_a(j); Y(i) := p(i) = 1"),
        .b = program("a b", "p(i) := #[j = i - 1] (Q_a(j) & #[k <= j] true > 0); Y(i) := p(i) = 1")};
    at_invariant x = {.n = 1, .part = &yes, .k = 1};
    assert_int_equal(at_prove_recheck(&q, &x, &arena, &v, &why, &err), AT_OK);
    q.b = program("a b", "p(i) := #[j = i - 1] (Q_a(j) & #[k < j] true >= 0); Y(i) := p(i) = 1");
    at_prove_question off = {.a = program("a b", DYCK_A), .b = program("a b", DYCK_OFF)};
    for (x.k = 1; x.k <= 4; x.k++) {
        assert_int_equal(at_prove_recheck(&off, &x, &arena, &v, &why, &err), AT_OK);
        assert_int_equal(v, AT_FALSE);
        assert_string_equal(why, "safe");
    }
    at_prove_question lag = {
        .a = program("a b", "p(i) := #[j = i - 2] Q_a(j); Y(i) := p(i) = 1"),
        .b = program(
            "a b", "x(i) := #[j = i - 1] Q_a(j); p(i) := #[j = i - 1] (x(j) = 1 | false); Y(i) := p(i) = 1")};
    x.k = 3;
    assert_int_equal(at_prove_recheck(&lag, &x, &arena, &v, &why, &err), AT_OK);
    assert_int_equal(v, AT_TRUE);
    at_invariant broken = {.n = 1, .part = (const char *[]){"(= c99 0)"}, .k = 1};
    assert_int_equal(at_prove_recheck(&off, &broken, &arena, &v, &why, &err), AT_EINPUT);
}

static void test_hull(void **state)
{
    (void)state;
    prove_hull h;
    assert_int_equal(prove_hull_init(&h, 3, &arena, &err), AT_OK);
    int64_t p[4][3] = {{0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {2, 2, 5}};
    assert_false(prove_hull_has(&h, p[0]));
    for (int k = 0; k < 3; k++)
        assert_int_equal(prove_hull_join(&h, p[k], &err), AT_OK);
    assert_int_equal(h.equations, 1); /* z = x + y */
    assert_true(prove_hull_has(&h, (int64_t[]){7, 5, 12}));
    assert_false(prove_hull_has(&h, p[3]));
    assert_int_equal(prove_hull_join(&h, p[3], &err), AT_OK);
    assert_int_equal(h.equations, 0);
}

/* Counts that are compared with numbers alone are capped, and counts of the same thing are one. */
static void test_counts(void **state)
{
    (void)state;
    prove_system *s;
    at_prove_question q = {.a = program("a b", "#[Q_a] >= 3 & #[!Q_b] < 5 & #[Q_a | Q_b & Q_a] != 4"),
                           .what = AT_PROVE_EMPTY};
    assert_int_equal(prove_system_make(&q, &arena, &s, &err), AT_OK);
    assert_int_equal(s->counts.n, 1);
    assert_int_equal(s->n_free, 0);
    assert_true(s->counts.at[0].cap >= 4 && s->counts.at[0].cap <= 6);
    q.a = program("a b", "#[Q_a] > #[Q_b]");
    assert_int_equal(prove_system_make(&q, &arena, &s, &err), AT_OK);
    assert_int_equal(s->n_free, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_spacer, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_induction, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_hull, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_counts, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
