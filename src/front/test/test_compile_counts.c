/* test_compile_counts.c: random C-RASP programs and formulas of FOC[MOD;+], compiled and run on all words over two letters to length 6, by
 * softmax and by average-hard attention, against judges that know nothing of the library (crasp_random.h, foc_random.h); how many bits
 * brackets need; and comparisons that are too flat, which must be noticed. */
#include <attest/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "../../lang/test/crasp_random.h"
#include "../../lang/test/foc_random.h"

enum { N = 6, PROGRAMS = 200 };

typedef struct {
    const cr_program *crasp;
    const foc_formula *foc;
    bool end;
} judge;

static bool right(const judge *u, const int *word, int n)
{
    return u->crasp ? cr_accepts(u->crasp, word, n, n + u->end, false) : foc_accepts(u->foc, word, n, false);
}

/* Words to length N that a model answers wrongly. Where comparisons are broken some programs cannot be built, since their truths are no
 * longer 0 or 1; of these nothing is said. */
static int wrong(const at_formulas *f, const judge *u, double slope, const char *text, int *words)
{
    at_model m;
    int bad = 0;
    err = (at_err){0};
    at_status s = at_formulas_model(f, N, &(at_formulas_options){.slope = slope}, &m, &err);
    if (s && slope > 0)
        return 0;
    if (s)
        fail_msg("%s\n%s", text, err.text);
    for (int n = !u->end; n <= N; n++)
        for (int k = 0; k < 1 << n; k++) {
            int word[N];
            double in[N];
            at_arena a;
            at_output y;
            at_arena_init(&a);
            for (int i = 0; i < n; i++)
                in[i] = word[i] = k >> i & 1;
            if (at_run(&m, at_f64, &(at_input){n, in}, NULL, &a, &y, &err))
                fail_msg("%s\n%s", text, err.text);
            bool is = right(u, word, n);
            bad += (y.value[0] > 0.5) != is;
            *words += is;
            at_arena_release(&a);
        }
    at_model_release(&m);
    return bad;
}

/* 0 wrong as it is, by softmax and average-hard; is a ramp that is six times too wide noticed? */
static bool compiled(at_formulas *f, const judge *u, const char *text, int *yes)
{
    static const at_formula_attend kinds[] = {AT_ATTEND_OWN, AT_ATTEND_AVERAGE};
    int unused = 0;
    for (int k = 0; k < 2; k++) {
        f->attend = kinds[k];
        int bad = wrong(f, u, 0, text, yes);
        if (bad)
            fail_msg("%s\n%s: %d words wrong", text, at_formula_attend_names[kinds[k]], bad);
    }
    f->attend = AT_ATTEND_OWN;
    return wrong(f, u, 1.0 / 6, text, &unused) > 0;
}

static at_formulas *read_text(at_status (*read)(char *, const char *, at_arena *, at_formulas **, int *,
                                                at_err *),
                              const char *text)
{
    at_formulas *f;
    int longest;
    err = (at_err){0};
    if (read(at_arena_strdup(&arena, text), "x", &arena, &f, &longest, &err))
        fail_msg("%s\n%s", text, err.text);
    return f;
}

static void crasp_round(uint64_t seed, int programs, bool classes, int least_noticed)
{
    int noticed = 0, yes = 0;
    for (int t = 0; t < programs; t++) {
        cr_program p;
        at_text text;
        at_text_init(&text);
        cr_draw(&p, seed, (uint64_t)t, classes, &arena);
        judge u = {.crasp = &p, .end = t % 2};
        cr_text(&p, u.end ? "accept end\n" : "", &text);
        noticed += compiled(read_text(at_crasp_read, text.s), &u, text.s, &yes);
        at_text_release(&text);
        at_arena_release(&arena);
        at_arena_init(&arena);
    }
    int words = programs * 2 * ((1 << (N + 1)) - 2);
    assert_true(yes > words / 5 && yes < words * 4 / 5);
    print_message("%d programs right, flat comparisons noticed in %d\n", programs, noticed);
    assert_true(noticed >= least_noticed);
}

static void test_crasp(void **state)
{
    (void)state;
    crasp_round(61, PROGRAMS, false, 8);
    crasp_round(62, PROGRAMS / 4, true, 1);
}

static void test_foc(void **state)
{
    (void)state;
    int noticed = 0, yes = 0;
    for (int t = 0; t < PROGRAMS; t++) {
        foc_formula p;
        at_text text;
        at_text_init(&text);
        foc_draw(&p, 63, (uint64_t)t, t % 4 ? FOC_PLAIN : FOC_EXISTS, &arena);
        judge u = {.foc = &p, .end = true};
        foc_text(&p, &text);
        noticed += compiled(read_text(at_foc_read, text.s), &u, text.s, &yes);
        at_text_release(&text);
        at_arena_release(&arena);
        at_arena_init(&arena);
    }
    print_message("%d formulas right, flat comparisons noticed in %d\n", PROGRAMS, noticed);
    assert_true(noticed > 20);
}

/* Brackets: the least p at which all words to length n are right, n = 2, 4, 8. Margins are u/2 = 1/(2(n + 1)), so about a bit more each
 * time that n doubles; with one bit less something is wrong, and in f64 nothing is. */
static int dyck_wrong(const at_formulas *f, int n_max, int p)
{
    at_model m;
    at_arith arith = at_f64;
    char name[8];
    int bad = 0;
    snprintf(name, sizeof name, "p%d", p);
    assert_true(!p || !at_arith_parse(name, &arith, &err));
    if (at_formulas_model(f, n_max, NULL, &m, &err))
        return -1;
    for (int n = 0; n <= n_max; n++)
        for (int k = 0; k < 1 << n; k++) {
            double in[8];
            int d = 0;
            bool fine = true;
            at_arena a;
            at_output y;
            at_arena_init(&a);
            for (int i = 0; i < n; i++) {
                in[i] = k >> i & 1;
                d += in[i] > 0 ? -1 : 1;
                fine &= d >= 0;
            }
            if (at_run(&m, arith, &(at_input){n, in}, NULL, &a, &y, &err))
                fail_msg("%s", err.text);
            bad += (y.value[0] > 0.5) != (fine && d == 0);
            at_arena_release(&a);
        }
    at_model_release(&m);
    return bad;
}

static void test_dyck(void **state)
{
    (void)state;
    at_formulas *f = read_text(at_crasp_read, "alphabet ( )\naccept end\nA = #[Q_(]\nB = #[Q_)]\nV = A < B\n"
                                              "C = #[V]\naccept C = 0 and A = B");
    static const int lengths[] = {2, 4, 8};
    int before = 0;
    for (int k = 0; k < 3; k++) {
        int p = 2;
        while (p < 20 && dyck_wrong(f, lengths[k], p))
            p++;
        print_message("least p at lengths to %d: %d\n", lengths[k], p);
        assert_true(p >= before && p <= 7);
        assert_int_equal(dyck_wrong(f, lengths[k], 0), 0);
        before = p;
    }
    assert_true(dyck_wrong(f, 8, before - 1) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_crasp, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_foc, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_dyck, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
