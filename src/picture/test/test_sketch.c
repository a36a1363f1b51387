/* test_sketch.c: the terminal sketch never leaves its columns and never lets foreign text act. */
#include "picture_test.h"

/* The widest line, our own colour sequences aside; *escapes counts them. Any other ESC, any control
 * character and any code point of unknown width fails. */
static int widest(const char *s, int *escapes)
{
    int line = 0, most = 0;
    *escapes = 0;
    for (uint32_t c; (c = at_text_next(&s));) {
        if (c == '\n') {
            line = 0;
            continue;
        }
        if (c == 033) { /* ESC [ digits and semicolons m */
            assert_int_equal(*s, '[');
            s += 1 + strspn(s + 1, "0123456789;");
            assert_int_equal(*s++, 'm');
            ++*escapes;
            continue;
        }
        assert_int_equal(at_text_visible(c), c);
        int w = at_text_column(c);
        assert_true(w > 0);
        line += w;
        most = line > most ? line : most;
    }
    return most;
}

static void width_is_never_exceeded(void **state)
{
    (void)state;
    static const int lengths[] = {1, 4, 40, 65, 150};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t h = 0; h <= HOSTILE; h++) {
            fixture f;
            fixture_make(&f, lengths[i], 1, 1, h < HOSTILE ? hostile[h] : NULL);
            if (h < HOSTILE)
                snprintf(f.m.name, sizeof f.m.name, "%s", hostile[h]);
            for (int columns = 1; columns <= 130; columns += columns < 14 ? 1 : 29)
                for (int color = 0; color < 2; color++) {
                    at_text t;
                    int escapes;
                    at_text_init(&t);
                    at_look_terminal(&f.l, columns, color, &t);
                    assert_true(widest(t.s, &escapes) <= columns);
                    if (!color)
                        assert_int_equal(escapes, 0);
                    at_text_release(&t);
                }
            fixture_free(&f);
        }
}

/* A colour sequence opens every cell and closes it: T*T cells a head. */
static void a_cell_for_every_weight(void **state)
{
    (void)state;
    for (int T = 1; T <= 70; T += 3) {
        fixture f;
        at_text t;
        int escapes;
        fixture_make(&f, T, 2, 1, NULL);
        at_text_init(&t);
        at_look_terminal(&f.l, 80, true, &t);
        assert_true(widest(t.s, &escapes) <= 80);
        assert_int_equal(escapes, 2 * 4 * T * T);
        at_text_release(&t);
        fixture_free(&f);
    }
}

static void small_sketch_is_exactly_this(void **state)
{
    (void)state;
    fixture f;
    at_text t;
    fixture_make(&f, 3, 1, 0, NULL);
    static double w[9] = {1, 0, 0, 0.25, 0.75, 0, 0, 0.0625, 0.9375};
    static const char *const labels[] = {"BOS", "10", "3"};
    f.tr.heads[0].w = w;
    f.l.labels = labels;
    f.y.decided[1] = AT_UNKNOWN;
    at_text_init(&t);
    at_look_terminal(&f.l, 80, false, &t);
    assert_string_equal(t.s, "toy\n"
                             "\n"
                             "layer 1 head 1 \xC2\xB7 softmax \xC2\xB7 causal\n"
                             "    B     \n"
                             "    O 1   \n"
                             "    S 0 3 \n"
                             "BOS ██· · \n"
                             " 10 ▒▒▓▓· \n"
                             "  3   ░░██\n"
                             "\n"
                             "rows: queries  columns: keys  strongest: 1  \xC2\xB7 masked\n"
                             "input      10     3\n"
                             "output      1     ?\n"
                             "margin 0.0625 0.125\n");
    at_text_release(&t);
    fixture_free(&f);
}

/* Where there is no word for a position, its number stands there. */
static void positions_without_words_have_numbers(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, 3, 1, 0, NULL);
    static const char *const partly[] = {"one", "", NULL};
    for (int k = 0; k < 2; k++) {
        at_text t;
        at_text_init(&t);
        f.l.labels = k ? partly : NULL;
        at_look_terminal(&f.l, 80, false, &t);
        assert_non_null(strstr(t.s, k ? "\none " : "\n1 "));
        assert_non_null(strstr(t.s, k ? "\n  2 " : "\n2 "));
        assert_non_null(strstr(t.s, k ? "\n  3 " : "\n3 "));
        at_text_release(&t);
    }
    fixture_free(&f);
}

static void reduction_and_refusal_are_said(void **state)
{
    (void)state;
    fixture f;
    at_text t;
    fixture_make(&f, 100, 1, 1, NULL);
    at_text_init(&t);
    at_look_terminal(&f.l, 60, false, &t);
    assert_non_null(strstr(t.s, "a cell is the largest of 2 x 2 weights"));
    at_text_release(&t);
    f.tr.T = AT_LOOK_MAX_LENGTH + 1;
    at_text_init(&t);
    at_look_terminal(&f.l, 100, false, &t);
    assert_non_null(strstr(t.s, "allowed are 1..4096"));
    at_text_release(&t);
    fixture_free(&f);
}

static at_status lines(const void *look, at_text *t, at_err *err)
{
    at_look_terminal(look, 80, true, t);
    return t->oom ? at_oom(err) : AT_OK;
}

static void out_of_memory_is_sticky(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, 6, 1, 1, NULL);
    assert_true(starve(lines, &f.l, true) > 0);
    fixture_free(&f);
}

/* What is right stands below what comes out; only what was judged and is wrong is marked. */
static void what_is_wrong_is_marked(void **state)
{
    (void)state;
    fixture f;
    at_text t;
    fixture_make(&f, 5, 1, 0, NULL);
    static const double one = 1, zero = 0;
    const double *right[] = {NULL, &one, &zero, NULL}; /* come out: 1 0 0 1 */
    at_tri judged[] = {AT_UNKNOWN, AT_FALSE, AT_TRUE, AT_FALSE};
    f.l.right = right;
    f.l.judged = judged;
    f.l.verdict = "right at 1 of 3 positions";
    at_text_init(&t);
    at_look_terminal(&f.l, 80, false, &t);
    assert_non_null(strstr(t.s, "output      1     0      0    1\n"
                                "right             1      0    \xE2\x80\x93\n"
                                "wrong             ^           ^\n"
                                "margin 0.0625 0.125 0.1875 0.25\n"
                                "right at 1 of 3 positions\n"));
    judged[1] = judged[3] = AT_TRUE; /* the control: nothing is wrong, nothing is marked */
    right[3] = &one;
    t.n = 0;
    at_look_terminal(&f.l, 80, false, &t);
    assert_null(strstr(t.s, "^"));
    for (int columns = 1; columns < 40; columns++) {
        int escapes;
        t.n = 0;
        judged[0] = AT_FALSE;
        at_look_terminal(&f.l, columns, true, &t);
        assert_true(widest(t.s, &escapes) <= columns);
    }
    assert_true(starve(lines, &f.l, true) > 0);
    at_text_release(&t);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_marked),
        cmocka_unit_test(width_is_never_exceeded),
        cmocka_unit_test(a_cell_for_every_weight),
        cmocka_unit_test(small_sketch_is_exactly_this),
        cmocka_unit_test(positions_without_words_have_numbers),
        cmocka_unit_test(reduction_and_refusal_are_said),
        cmocka_unit_test(out_of_memory_is_sticky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
