/* test_brasp.c: programs in B-RASP: random ones as text against the definition on every short word, printed and read again, how they
 * may be written, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "brasp_test.h"

static program p;

static at_formulas *brasp(const char *text)
{
    at_formulas *f;
    int longest;
    char *copy = at_arena_strdup(&arena, text);
    err = (at_err){0};
    if (at_brasp_read(copy, "x.brasp", NULL, &arena, &f, &longest, &err))
        fail_msg("%s: %s", text, err.text);
    return f;
}

static const char *printed(const at_formulas *f)
{
    at_text t;
    at_text_init(&t);
    at_brasp_print(f, &t);
    const char *s = at_arena_strdup(&arena, t.s);
    at_text_release(&t);
    return s;
}

static int differing(const at_formulas *f, int longest, int *yes, int *words)
{
    int wrong = 0, word[BRASP_LONGEST];
    for (int n = 0; n <= longest; n++) {
        int all = 1;
        for (int i = 0; i < n; i++)
            all *= p.letters;
        for (int k = 0; k < all; k++) {
            at_tri v;
            for (int i = 0, x = k; i < n; i++, x /= p.letters)
                word[i] = x % p.letters;
            assert_int_equal(at_formulas_run(f, word, n, &v, &err), AT_OK);
            if (!n && (f->at == AT_AT_LAST || f->at == AT_AT_FIRST)) {
                assert_int_equal(v, AT_UNKNOWN);
                continue;
            }
            int at = f->at == AT_AT_LAST ? n : f->at == AT_AT_FIRST ? 1 : f->at == AT_AT_END ? n + 1 : 0;
            bool right = program_accepts(&p, word, n, at);
            wrong += v != (right ? AT_TRUE : AT_FALSE);
            *yes += right;
            ++*words;
        }
    }
    return wrong;
}

/* 600 programs, read at all four places. With masks that are each another one, most must differ. */
static void test_random(void **state)
{
    (void)state;
    int yes = 0, words = 0, noticed = 0, none = 0;
    for (int t = 0; t < 600; t++) {
        at_text text, broken;
        at_text_init(&text);
        at_text_init(&broken);
        program_draw(&p, (uint64_t)t, t % 4 ? 2 : 3);
        program_write(&p, (at_read_at)(t % AT_ATS), 0, &text);
        program_write(&p, (at_read_at)(t % AT_ATS), 1, &broken);
        at_formulas *f = brasp(text.s);
        int wrong = differing(f, p.letters == 2 ? 5 : 4, &yes, &words);
        if (wrong)
            fail_msg("%d words wrong:\n%s", wrong, text.s);
        const char *once = printed(f);
        at_formulas *again = brasp(once);
        assert_string_equal(printed(again), once);
        if (differing(again, 3, &yes, &words))
            fail_msg("%s\nis printed as\n%s", text.s, once);
        noticed += differing(brasp(broken.s), 3, &none, &none) > 0;
        at_text_release(&text);
        at_text_release(&broken);
        at_arena_release(&arena);
        at_arena_init(&arena);
    }
    print_message("%d words, of which %d are accepted; other masks noticed in %d programs\n", words, yes,
                  noticed);
    assert_true(yes > words / 5 && yes < words * 4 / 5 && noticed > 150);
}

static void test_written(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shows;
    } rows[] = {
        {"alphabet ( )\nP(i) = Q_((i) & Q_)(i) | Q[\"(\"](i)\naccept P",
         "P(i) = Q[\"(\"](i) & Q[\")\"](i) | Q[\"(\"](i)\n"},
        {"alphabet ( )\nP(i) = Q((i) & \")\"(i) | Q_\"(\"(i)\naccept P",
         "P(i) = Q[\"(\"](i) & Q[\")\"](i) | Q[\"(\"](i)\n"},
        {"alphabet a b\nQ(i) = Qa(i)\nR(i) = Q(i)\naccept R", "R(i) = Q(i)\n"},
        {"alphabet 0 1\nP(i) = 0(i) & 1 | Q1(i)\naccept P(i)", "P(i) = Q_0(i) & 1 | Q_1(i)\n"},
        {"alphabet ä b\nP(i) = Qä(i) | Q_ä(i) | ä(i)\naccept P",
         "P(i) = Q[\"ä\"](i) | Q[\"ä\"](i) | Q[\"ä\"](i)\n"},
        {"alphabet a Q_a\nP(i) = Q_a(i) | a(i)\naccept P", "P(i) = Q[\"Q_a\"](i) | Q[\"a\"](i)\n"},
        {"alphabet a b\nP(i) = rightmost j [j<i, Qa(i) & Qb(j)] !Qa(j) : Qb(i)\naccept end; accept P",
         "accept end\nP(i) = rightmost j [j < i, Q_a(i) & Q_b(j)] !Q_a(j) : Q_b(i)\naccept P\n"},
        {"alphabet a b\naccept end\nlast(i) = Qa(i)\naccept last",
         "accept end\nlast(i) = Q_a(i)\naccept last\n"},
        {"alphabet a b\naccept(i) = Qa(i)\naccept accept", "accept(i) = Q_a(i)\n"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *s = printed(brasp(rows[k].text));
        if (!strstr(s, rows[k].shows))
            fail_msg("%s\nis printed as\n%s", rows[k].text, s);
        assert_string_equal(printed(brasp(s)), s);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"P(i) = Qa(i)\naccept P", "x.brasp:1:1: no alphabet"},
        {"alphabet a b\nP(i) = Qa(i)\n", "x.brasp:3:1: nothing is accepted; add a line as in accept P"},
        {"alphabet a b\nP(i) = Qc(i)\n",
         "x.brasp:2:8: 'Qc' is neither defined above nor a letter, as in Q_a(i)"},
        {"alphabet a b\nLeft(i) = Qa(i)\nY(i) = Letf(i)",
         "x.brasp:3:8: 'Letf' is neither defined above nor a letter, as in Q_a(i); did you mean 'Left'?"},
        {"alphabet a b\nP(i) = Qa(j)\n", "x.brasp:2:11: j is known only in the score and the value"},
        {"alphabet a b\nP(i) = rightmost j [j < i, 1] 1 : Qa(j)\n", "x.brasp:2:38: j is known only"},
        {"alphabet a b\nP(i) = rightmost j [j < i, 1] Qa(j)\n",
         ": and the default, as in : 0, is missing before the end"},
        {"alphabet a b\nP(i) = rightmost j [j = i, 1] Qa(j) : 0\n", "x.brasp:2:21: a mask is 1, j < i"},
        {"alphabet a b\nP(i) = rightmost j [j < i] Qa(j) : 0\n", ", and the score is missing before ']'"},
        {"alphabet a b\nP(i) = rightmost [j < i, 1] Qa(j) : 0\n",
         "j, as in rightmost j [j < i, 1] Q_a(j) : 0, is missing"},
        {"alphabet a b\nP(i) = rightmost j [j < i, rightmost j [j < i, 1] 1 : 0] Qa(j) : 0\n",
         "a predicate, as in P(i) or Q_a(i), is missing before 'rightmost'"},
        {"alphabet a b\nP(i) = Qa(i) rightmost j [1, 1] 1 : 0",
         "a search inside of another; define it by a name first"},
        {"alphabet a b\nP(i) = Qa(i)\nP(i) = Qb(i)", "x.brasp:3:1: P is defined twice"},
        {"alphabet a b\na(i) = Qa(i)", "'a' is the predicate of a letter"},
        {"alphabet a b\nQ_a(i) = Qa(i)", "'Q_a' is the predicate of a letter"},
        {"alphabet a b\ni(i) = Qa(i)", "i is a position"},
        {"alphabet a b\nP(j) = Qa(i)", "x.brasp:2:3: j is known only"},
        {"alphabet a b\nP = Qa(i)", "(i) is missing before '='"},
        {"alphabet a b\nP(i) = Qa", "(i) is missing"},
        {"alphabet a b\nP(i) Qa(i)", "= is missing before 'Qa'"},
        {"alphabet a b\nP(i) = Qa(i) Qb(i)",
         "an operator, or the end of the statement, is missing before 'Qb'"},
        {"alphabet a b\nP(i) = Qa(i) &\nR(i) = 1", "is missing before the end of the statement"},
        {"alphabet a b\nP(i) = Qa(i)\naccept R", "x.brasp:3:8: accept names a definition above"},
        {"alphabet a b\nP(i) = Qa(i)\naccept P\naccept P", "a second definition that is accepted"},
        {"alphabet a b\naccept end\nP(i) = Qa(i)\naccept first\naccept P",
         "x.brasp:4:8: read at first, and above at end"},
        {"alphabet a b\nsemantics strict\nP(i) = Qa(i)\naccept P", "a line semantics is of .ltl files"},
        {"alphabet ( )\nP(i) = Q[\"x\"](i)", "'x' is no letter of the alphabet: ( )"},
        {"alphabet a b\nP(i) = Qa(i) S Qb(i)",
         "an operator, or the end of the statement, is missing before 'S'"},
        {"alphabet a b\nP(i) = Qa(i) < 2", "an operator, or the end of the statement, is missing before '<'"},
        {"alphabet a b\nP(i) = 2", "'2' is neither defined above nor a letter"},
        {"alphabet a b\nP(i) = # [j < i] Qa(j)", "a predicate, as in P(i) or Q_a(i), is missing before '#'"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        at_formulas *f;
        int longest;
        err = (at_err){0};
        at_status s =
            at_brasp_read(at_arena_strdup(&arena, bad[k].text), "x.brasp", NULL, &arena, &f, &longest, &err);
        if (s != AT_EINPUT || !strstr(err.text, bad[k].says))
            fail_msg("'%s': %s", bad[k].text, err.text);
    }
}

/* Definitions that are shared doubly at each step are measured in one pass; more of them than there may be, and a megabyte of brackets,
 * are refused. */
static void test_large(void **state)
{
    (void)state;
    at_text t;
    at_formulas *f;
    int longest;
    at_text_init(&t);
    at_text_add(&t, "alphabet a b\nP0(i) = rightmost j [j < i, 1] Qa(j) : 0\n");
    for (int k = 1; k < 200; k++)
        at_text_addf(&t, "P%d(i) = !P%d(i) & P%d(i) | P%d(i)\n", k, k - 1, k - 1, k - 1);
    at_text_add(&t, "accept P199\n");
    f = brasp(t.s);
    assert_true(at_formula_looks(f, f->accept, true) && !at_formula_looks(f, f->accept, false));
    assert_int_equal(at_formula_depth(f, f->accept), 1);
    for (int k = 200; k < 600; k++)
        at_text_addf(&t, "P%d(i) = P%d(i)\n", k, k - 1);
    err = (at_err){0};
    assert_int_equal(at_brasp_read(t.s, "x.brasp", NULL, &arena, &f, &longest, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "more than 512 definitions"));
    at_text_release(&t);
    at_text_init(&t);
    at_text_add(&t, "alphabet a b\nP(i) = ");
    for (int k = 0; k < 1 << 20; k++)
        at_text_add(&t, "(");
    err = (at_err){0};
    assert_int_equal(at_brasp_read(t.s, "x.brasp", NULL, &arena, &f, &longest, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "nested more than 200 deep"));
    at_text_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_written, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_large, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
