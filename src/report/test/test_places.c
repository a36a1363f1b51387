/* test_places.c: where problems lie: every row is about a problem that there is, by claims that there are, and says nothing twice; and the
 * report draws it. */
#include "../../picture/test/picture_test.h"
#include "../report_internal.h"

#include <attest/front.h>

static void rows_are_sound(void **state)
{
    (void)state;
    const at_task_place *p;
    int n = 0, words = 0;
    for (int k = 0; (p = at_task_place_at(k)); k++, n++) {
        at_problem *problem;
        at_err err = {0};
        if (at_problem_open(p->problem, &problem, &err))
            fail_msg("%s: %s", p->problem, err.text);
        at_problem_free(problem);
        assert_ptr_equal(at_task_place_find(p->problem), p);
        const at_lies *chain[2] = {&p->circuit, &p->chomsky};
        for (int c = 0; c < 2; c++) {
            assert_true(chain[c]->not_in < chain[c]->least || chain[c]->least < 0);
            assert_int_equal(chain[c]->least >= 0, chain[c]->why_in != NULL);
            assert_int_equal(chain[c]->not_in >= 0, chain[c]->why_not != NULL);
        }
        assert_true(p->circuit.least >= 0);
        words += p->chomsky.least >= 0;
        for (int i = 0; i < AT_PLACE_CLAIMS && p->claims[i]; i++)
            if (!at_claim_find(p->claims[i]))
                fail_msg("%s names a claim that is not there: %s", p->problem, p->claims[i]);
    }
    assert_true(n >= 15 && words >= 5);
    assert_null(at_task_place_find("nothing"));
}

/* In between it is open; above it is in; below what is known it is not. */
static void lies_is_three_valued(void **state)
{
    (void)state;
    const at_lies *l = &at_task_place_find("majority")->circuit;
    assert_int_equal(at_lies_in(l, AT_CLASS_AC0), AT_FALSE);
    assert_int_equal(at_lies_in(l, AT_CLASS_ACC0), AT_UNKNOWN);
    assert_int_equal(at_lies_in(l, AT_CLASS_TC0), AT_TRUE);
    assert_int_equal(at_lies_in(l, AT_CLASS_NC1), AT_TRUE);
    at_lies none = {.least = -1, .not_in = -1};
    assert_int_equal(at_lies_in(&none, AT_CLASS_NC1), AT_UNKNOWN);
}

static void the_report_draws_it(void **state)
{
    (void)state;
    at_row rows[2] = {0};
    static const char *const ids[] = {"parity", "majority"};
    for (int k = 0; k < 2; k++)
        rows[k] = (at_row){
            {ids[k], "N=6", "q", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", 1, "b"},
            {"claim", "exact", "holds", "f64", 99, 1, 1, "{}", "avx2", "1", 0.25, "2026-01-01"}};
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    assert_int_equal(at_report_catalogue(&(at_report_about){.build = "b"}, rows, 2, &t, &err), AT_OK);
    const char *fault = markup_fault(t.s);
    if (fault)
        fail_msg("not well formed at %s", fault);
    assert_non_null(strstr(t.s, "<section id=\"places\">"));
    assert_non_null(strstr(t.s, ">majority ● ?</text>"));
    assert_non_null(strstr(t.s, ">parity</text>"));
    assert_null(strstr(t.s, ">triangle</text>")); /* no claim of it is on the page */
    at_text_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sound),
        cmocka_unit_test(lies_is_three_valued),
        cmocka_unit_test(the_report_draws_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
