/* test_standing.c: what rows say together, and that what they rest on can be told apart. */
#include <attest/store.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static at_row row(const char *role, const char *verdict, const char *evidence, uint64_t inputs)
{
    return (at_row){.rec = {.role = role, .verdict = verdict, .evidence = evidence, .inputs = inputs}};
}

/* Every pair of a cell's and a control's verdict. */
static void test_standings(void **state)
{
    (void)state;
    static const char *const verdicts[] = {"holds", "fails", "unknown", NULL, "idle", "HOLDS"};
    static const at_standing cell[] = {AT_STANDS, AT_FALLS, AT_OPEN, AT_OPEN, AT_OPEN, AT_OPEN};
    static const at_standing control[] = {AT_FALLS, AT_STANDS, AT_OPEN, AT_OPEN, AT_ABSENT, AT_OPEN};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            at_row a = row("claim", verdicts[i], "exact", 5), b = row("control", verdicts[k], "exact", 5);
            at_tally t = {0};
            assert_int_equal(at_row_standing(&a), cell[i]);
            assert_int_equal(at_row_standing(&b), control[k]);
            at_tally_add(&t, &a);
            at_tally_add(&t, &b);
            at_standing all = at_tally_standing(&t);
            bool falls = cell[i] == AT_FALLS || control[k] == AT_FALLS;
            bool open = cell[i] == AT_OPEN || control[k] == AT_OPEN;
            assert_int_equal(all, falls ? AT_FALLS : open ? AT_OPEN : AT_STANDS);
            assert_int_equal(!strcmp(at_tally_word(&t), "holds"), all == AT_STANDS);
        }
    static const char *const aside[] = {"table", "trained", "refutation"};
    for (int k = 0; k < 3; k++) { /* of no claim */
        at_row r = row(aside[k], "fails", "refuted", 1);
        at_tally t = {0};
        at_tally_add(&t, &r);
        assert_int_equal(at_row_standing(&r), AT_ABSENT);
        assert_int_equal(at_tally_standing(&t), AT_ABSENT);
        assert_string_equal(at_tally_word(&t), "not checked");
    }
}

static void test_several_claims(void **state)
{
    (void)state;
    static const struct {
        at_standing one[3], all;
    } rows[] = {{{AT_STANDS, AT_STANDS, AT_STANDS}, AT_STANDS},
                {{AT_STANDS, AT_OPEN, AT_STANDS}, AT_OPEN},
                {{AT_STANDS, AT_STANDS, AT_ABSENT}, AT_OPEN},
                {{AT_FALLS, AT_OPEN, AT_STANDS}, AT_FALLS},
                {{AT_OPEN, AT_STANDS, AT_FALLS}, AT_FALLS}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_int_equal(at_standing_of_all(rows[k].one, 3), rows[k].all);
    assert_int_equal(at_standing_of_all(NULL, 0), AT_ABSENT);
}

/* What rests on more ranks higher, and no two signs are the same. */
static void test_strength(void **state)
{
    (void)state;
    static const struct {
        const char *verdict, *evidence;
        uint64_t inputs;
        at_strength strength;
        const char *text;
    } rows[] = {{"holds", "certified", INT64_MAX, AT_STRENGTH_PROOF, "certified, all inputs"},
                {"holds", "exact", 1771561, AT_STRENGTH_ALL, "exact, 1,771,561 inputs"},
                {"fails", "refuted", 1, AT_STRENGTH_ALL, "refuted, 1 input"},
                {"holds", "sampled", 4000, AT_STRENGTH_SOME, "sampled, 4000 inputs"},
                {"holds", "simulated", 200, AT_STRENGTH_SOME, "simulated, 200 inputs"},
                {"holds", "sampled", 1, AT_STRENGTH_ONE, "sampled, 1 input"},
                {"holds", "refuted", 1, AT_STRENGTH_ONE, "refuted, 1 input"},
                {"holds", NULL, 0, AT_STRENGTH_NONE, "no evidence"},
                {"unknown", "certified", 9, AT_STRENGTH_NONE, "certified, 9 inputs"},
                {NULL, "exact", 9, AT_STRENGTH_NONE, "exact, 9 inputs"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_row r = row("claim", rows[k].verdict, rows[k].evidence, rows[k].inputs);
        char text[AT_EVIDENCE_TEXT];
        at_row_evidence(&r, "input", text);
        assert_int_equal(at_row_strength(&r), rows[k].strength);
        assert_string_equal(text, rows[k].text);
    }
    for (int i = 0; i < AT_STRENGTHS; i++)
        for (int k = 0; k < i; k++)
            assert_true(strcmp(at_strength_signs[i], at_strength_signs[k]) != 0 &&
                        strcmp(at_strength_names[i], at_strength_names[k]) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standings),
        cmocka_unit_test(test_several_claims),
        cmocka_unit_test(test_strength),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
