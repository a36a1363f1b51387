/* test_compile_bits.c: languages compiled for few bits. Whatever the compiler takes must be right in that arithmetic, on every word to
 * length 7 and on words as long as the model takes; it must take something, and refuse something. */
#include <attest/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SHORT = 7, MOST = 49 };

static at_err err;

static at_problem *language(const char *lang, const char *text)
{
    at_problem *p;
    err = (at_err){0};
    if (at_problem_parse(lang, "x", text, strlen(text), &p, &err))
        fail_msg("%s: %s", text, err.text);
    return p;
}

/* Does the model answer a word of n letters, in arithmetic a, as the problem does? */
static bool is_right(const at_problem *p, const at_model *m, at_arith a, int n, const double *x)
{
    char set[32];
    at_params q;
    at_arena arena;
    at_output y;
    double want[MOST];
    bool right = true;
    snprintf(set, sizeof set, "N=%d", n);
    assert_int_equal(at_problem_params(p, AT_VIEW_POSITIONS, set, &q, &err), AT_OK);
    assert_int_equal(at_task_answer(p->task, &q, x, want, &err), AT_OK);
    at_arena_init(&arena);
    if (at_run(m, a, &(at_input){n, x}, NULL, &arena, &y, &err))
        fail_msg("%s", err.text);
    for (int i = 0; i < (p->task->last ? 1 : n); i++)
        right &= (double)y.decision[i] == want[i];
    at_arena_release(&arena);
    return right;
}

/* Words of the model at N that are wrong in this arithmetic; -1: it is refused. */
static int wrong(const at_problem *p, int kind, int N, at_arith a)
{
    char set[32];
    at_params q;
    at_model m;
    double x[MOST];
    int bad = 0;
    snprintf(set, sizeof set, "N=%d", N);
    assert_int_equal(at_problem_params(p, AT_VIEW_POSITIONS, set, &q, &err), AT_OK);
    at_err no = {0};
    at_status s = at_front_of(p)->model(
        &q, &(at_front_options){.arith = &a, .attention = (at_attention_kind)kind}, &m, &no);
    if (s) {
        assert_int_equal(s, AT_EDOMAIN);
        return -1;
    }
    for (int n = m.n_min; n <= SHORT && n <= N; n++)
        for (int k = 0; k < 1 << n; k++) {
            for (int i = 0; i < n; i++)
                x[i] = k >> i & 1;
            bad += !is_right(p, &m, a, n, x);
        }
    for (int k = 0; k < 6 && N > SHORT; k++) { /* runs, turns, and one letter in excess at either end */
        for (int i = 0; i < N; i++)
            x[i] = k < 2 ? k : k < 4 ? (i + k) % 2 : (2 * i < N) == (k == 4);
        bad += !is_right(p, &m, a, N, x);
    }
    at_model_release(&m);
    return bad;
}

static void test_bits(void **state)
{
    (void)state;
    static const struct {
        const char *lang, *text;
        int kind;
    } rows[] = {
        {"crasp", "alphabet 0 1\naccept end\n#[Q_1] > #[Q_0]", 0},
        {"crasp", "alphabet ( )\naccept end\nA = #[Q_(]; B = #[Q_)]; C = #[A < B]\naccept C = 0 and A = B",
         0},
        {"sscm", "alphabet a b\ncounters x\na: x+1\nb: x-1\naccept x = 0", 0},
        {"foc", "alphabet 0 1\n#[1] mod 2 = 0", 0},
        {"ltl", "alphabet a b\naccept end\nattention softmax\nO (b & Y a)", 0},
        {"ltl", "alphabet a b\naccept end\nattention average\n#[a] >= 2 & Y b", 0},
        {"regex", "alphabet a b\n(ab)*", 0},
        {"regex", "alphabet a b\n(b*ab*a)*b*", 1},
        {"rasp", "alphabet a b\nx = selector_width(select(tokens, tokens, ==));", 0},
        {"rasp", "alphabet a b\nx = aggregate(select(indices, length - 1 - indices, ==), tokens);", 1},
        {"rasp", "alphabet a b\nx = aggregate(full_s, indicator(tokens == \"a\")) > 0.5;", 0}};
    static const char *const bits[] = {"p6", "p8", "p11", "f32"};
    static const int sizes[] = {1, 4, 8, 10, 24, MOST};
    int taken = 0, refused = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        at_problem *p = language(rows[r].lang, rows[r].text);
        for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                at_arith a;
                assert_int_equal(at_arith_parse(bits[b], &a, &err), AT_OK);
                int bad = wrong(p, rows[r].kind, sizes[k], a);
                if (bad > 0)
                    fail_msg("%s\ncompiled for %s at N=%d: %d words wrong", rows[r].text, bits[b], sizes[k],
                             bad);
                taken += bad == 0;
                refused += bad < 0;
            }
        at_problem_free(p);
    }
    print_message("%d models right, %d refused\n", taken, refused);
    assert_true(taken > 100 && refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
