/* test_ties.c: verdicts on models of hard attention say whether rounding may turn a choice, and then they are not exact.
 *
 * Pairs by leftmost-hard attention: the score cos(a+b) of a partner and that of the blank are both 1, so the first partner must win
 * against the blank behind it by a tie. With tie 0 the cosines decide by an ulp: wrong, or right by luck. */
#include "../check_internal.h"
#include "check_test.h"

static subject hard_pairs(int N, int M, at_weighting w)
{
    subject s = {.N = N, .M = M};
    at_program *P = at_program_new("hard pairs", N);
    bool right = w == AT_RIGHTMOST_HARD; /* the blank comes last in the direction of the search */
    if (right)
        at_prefix(P, 1);
    else
        at_suffix(P, 1);
    at_var x = at_token(P, "x", M), C, S;
    at_var blank = right ? at_mark_prefix(P, "blank", 0) : at_mark_suffix(P, "blank", 0);
    circle(P, x, M, &C, &S);
    at_var found = at_attend(P, "found",
                             &(at_attention){.query = AT_VEC(C, S, at_const(P, 1)),
                                             .key = AT_VEC(C, at_neg(P, S), blank),
                                             .value = AT_VEC(at_not(P, blank)),
                                             .weighting = w,
                                             .gap = 0.99 * (1 - cos(2 * M_PI / M))});
    /* average-hard: b of b + 1 keys are partners */
    at_emit(P, AT_VEC(found), AT_READ_THRESHOLD, 0.25);
    subject_finish(&s, P, "match2");
    return s;
}

static void test_verdicts(void **state)
{
    (void)state;
    int wrong = 0, lucky = 0;
    for (int w = AT_LEFTMOST_HARD; w <= AT_AVERAGE_HARD; w++)
        for (int M = 2; M <= 9; M++) {
            subject s = hard_pairs(3, M, (at_weighting)w);
            at_group *g = &s.m.blocks[0].groups[0];
            double tie = g->tie;
            at_arena a;
            at_arena_init(&a);
            assert_true(tie > 0);
            for (int f32 = 0; f32 < 2; f32++) {
                at_verdict v = check(&s, AT_EV_EXACT, AT_ENUM_SEQUENCES, f32 ? "f32" : "f64", 0, 1, &a);
                assert_int_equal(v.holds, AT_TRUE);
                assert_int_equal(v.evidence, AT_EV_EXACT);
                char says[80];
                snprintf(says, sizeof says, "no hard choice hangs on rounding (all %d inputs looked at)",
                         M * M * M);
                assert_string_equal(v.note, says);
            }
            /* below 2e; and at the distance between a partner and the next, where rounding decides again */
            const double outside[] = {0, 1 - cos(2 * M_PI / M)};
            for (int k = 0; k < 2; k++) {
                g->tie = outside[k];
                at_verdict v = check(&s, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, 1, &a);
                wrong += v.holds == AT_FALSE;
                if (v.holds == AT_FALSE)
                    continue;
                assert_int_equal(v.holds, AT_TRUE);
                bool unsure = v.note && strstr(v.note, "rounding may turn a hard choice on ");
                assert_int_equal(v.evidence, unsure ? AT_EV_SAMPLED : AT_EV_EXACT);
                assert_true(unsure ||
                            (M == 2 && k == 1)); /* all are their own partners: the first key will do */
                lucky += unsure;
                if (unsure)
                    assert_non_null(strstr(v.note, "first in block 0, group 0, head 0, row "));
            }
            at_arena_release(&a);
            at_model_release(&s.m);
        }
    print_message("ties outside the interval: %d models wrong, %d right by luck and called so\n", wrong,
                  lucky);
    assert_true(wrong > 5 && lucky > 5);
}

/* What is found, and where first, does not depend on who looks. */
static void test_threads(void **state)
{
    (void)state;
    int unsure = 0;
    for (int broken = 0; broken < 2; broken++)
        for (int M = 3; M <= 9; M++) {
            subject s = hard_pairs(4, M, AT_LEFTMOST_HARD);
            at_arena a;
            at_arena_init(&a);
            if (broken)
                s.m.blocks[0].groups[0].tie = 0;
            at_verdict one = check(&s, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, 1, &a);
            at_verdict four = check(&s, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, 4, &a);
            assert_int_equal(one.holds, four.holds);
            assert_int_equal(one.evidence, four.evidence);
            assert_int_equal(!one.note, !four.note);
            if (one.note)
                assert_string_equal(one.note, four.note);
            unsure += broken && one.holds == AT_TRUE && one.evidence == AT_EV_SAMPLED;
            at_arena_release(&a);
            at_model_release(&s.m);
        }
    assert_true(unsure > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_verdicts), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
