/* test_compile_solvable.c: automata of permutations and resets, at constant depth, against the automata themselves on every short
 * word: groups that are known, random automata, long words, controls, and what is refused. */
#include "words_test.h"

static at_place place_of_maps(int states, int letters, const int *to)
{
    static const char *const names[] = {"a", "b", "c"};
    at_dfa *d;
    at_place p;
    assert_int_equal(at_dfa_new(&(at_alphabet){letters, names}, states, &arena, &d, &err), AT_OK);
    for (int a = 0; a < letters; a++)
        for (int q = 0; q < states; q++)
            d->to[q * letters + a] = to[a * states + q];
    d->accept[0] = true;
    assert_int_equal(at_place_find(d, &arena, &p, &err), AT_OK);
    return p;
}

static const struct {
    const char *name;
    int states, letters, to[24];
    int layers;
} known[] = {
    {"Z2", 2, 2, {1, 0, 0, 1}, 2},
    {"Z3, both ways", 3, 2, {1, 2, 0, 2, 0, 1}, 2},
    {"Z4", 4, 2, {1, 2, 3, 0, 2, 3, 0, 1}, 2},
    {"Z6", 6, 2, {1, 2, 3, 4, 5, 0, 0, 1, 2, 3, 4, 5}, 2},
    {"S3", 3, 2, {1, 2, 0, 1, 0, 2}, 4},
    {"A4", 4, 2, {1, 2, 0, 3, 1, 0, 3, 2}, 4},
    {"D4", 4, 2, {1, 2, 3, 0, 0, 3, 2, 1}, 4},
    {"Q8", 8, 2, {1, 2, 3, 0, 5, 6, 7, 4, 4, 7, 6, 5, 2, 1, 0, 3}, 4},
    {"S4", 4, 2, {1, 2, 3, 0, 1, 0, 2, 3}, 6},
    {"7:3", 7, 2, {1, 2, 3, 4, 5, 6, 0, 0, 2, 4, 6, 1, 3, 5}, 4},
    {"resets alone", 3, 2, {1, 1, 1, 0, 0, 0}, 1},
    {"Z2 and a reset", 2, 3, {1, 0, 0, 1, 0, 0}, 3},
    {"S3 and a reset", 3, 3, {1, 2, 0, 1, 0, 2, 1, 1, 1}, 5},
    {"A4 and a reset", 4, 3, {1, 2, 0, 3, 1, 0, 3, 2, 2, 2, 2, 2}, 5},
};

/* Layers are two a step of the derived series and one for resets, whatever N is. */
static void test_known(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int hard = 0; hard < 2; hard++) {
            at_place p = place_of_maps(known[k].states, known[k].letters, known[k].to);
            at_solvable_options o = {.hard = hard};
            at_model m;
            at_size z;
            int words;
            if (at_solvable_model(&p, 10, &o, &m, &err))
                fail_msg("%s: %s", known[k].name, err.text);
            at_model_size(&m, &z);
            if (z.layers != known[k].layers)
                fail_msg("%s: %d layers", known[k].name, z.layers);
            if (wrong(&m, at_f64, p.least, known[k].letters < 3 ? 10 : 7, &words))
                fail_msg("%s: wrong", known[k].name);
            at_model_release(&m);
            at_program *P;
            at_model shape;
            assert_int_equal(at_solvable_program(&p, 2000, &o, &P, &err), AT_OK);
            if (at_program_shape(P, &shape, &err))
                fail_msg("%s at 2,000 letters: %s", known[k].name, err.text);
            at_model_size(&shape, &z);
            assert_int_equal(z.layers, known[k].layers);
            at_model_release(&shape);
            at_program_free(P);
        }
}

/* A word of n random letters is judged as by the automaton. */
static void test_long(void **state)
{
    (void)state;
    int yes = 0;
    for (size_t k = 4; k < sizeof known / sizeof *known; k += 4) { /* S3, S4, S3 and a reset */
        at_place p = place_of_maps(known[k].states, known[k].letters, known[k].to);
        at_model m;
        int w[1000];
        double x[1000];
        if (at_solvable_model(&p, 1000, NULL, &m, &err))
            fail_msg("%s: %s", known[k].name, err.text);
        for (int t = 0; t < 6; t++) {
            at_rng r = at_rng_at(31, (uint64_t)t);
            int n = 1000 - t / 3;
            at_output y;
            at_mark mark = at_arena_mark(&arena);
            for (int i = 0; i < n; i++)
                x[i] = w[i] = (int)at_rng_below(&r, (uint64_t)known[k].letters);
            assert_int_equal(at_run(&m, at_f64, &(at_input){n, x}, NULL, &arena, &y, &err), AT_OK);
            assert_int_equal(y.decided[0], AT_TRUE);
            if ((y.decision[0] != 0) != at_dfa_accepts(p.least, w, n))
                fail_msg("%s: wrong on word %d", known[k].name, t);
            yes += y.decision[0] != 0;
            at_arena_reset(&arena, mark);
        }
        at_model_release(&m);
    }
    assert_in_range(yes, 1, 17);
}

/* Letters are random permutations, or resets. */
static at_place random_place(at_rng *r, int *letters)
{
    int S = 2 + (int)at_rng_below(r, 4), L = *letters = 1 + (int)at_rng_below(r, 3), to[3 * 5];
    for (int a = 0; a < L; a++) {
        int *f = to + a * S;
        for (int q = 0; q < S; q++) {
            int j = (int)at_rng_below(r, (uint64_t)q + 1);
            f[q] = f[j];
            f[j] = q;
        }
        if (at_rng_below(r, 3) == 0)
            for (int q = 1; q < S; q++)
                f[q] = f[0];
    }
    return place_of_maps(S, L, to);
}

static void test_random(void **state)
{
    (void)state;
    int groups = 0, resets = 0, refused = 0;
    for (int t = 0; t < 120; t++) {
        at_rng r = at_rng_at(32, (uint64_t)t);
        at_mark mark = at_arena_mark(&arena);
        int letters, words;
        at_place p = random_place(&r, &letters);
        at_model m;
        at_status s = at_solvable_model(&p, 9, &(at_solvable_options){.hard = t % 2}, &m, &err);
        assert_int_equal(s, p.solvable == AT_TRUE ? AT_OK : AT_EREFUSED);
        if (s) {
            refused++;
            assert_non_null(strstr(err.text, "is not solvable"));
            err = (at_err){0};
        } else {
            at_size z;
            at_model_size(&m, &z);
            groups += z.layers >= 4;
            resets += z.layers % 2 && z.layers > 1;
            if (wrong(&m, at_f64, p.least, letters < 3 ? 9 : 6, &words))
                fail_msg("automaton %d: wrong", t);
            at_model_release(&m);
        }
        at_arena_reset(&arena, mark);
    }
    assert_true(groups >= 20 && resets >= 20 && refused >= 3);
}

/* What one must not leave out. */
static void test_controls(void **state)
{
    (void)state;
    static const struct {
        int known;
        at_solvable_options o;
    } bad[] = {
        {4, {.straight = true}}, {5, {.straight = true}}, {6, {.straight = true}}, {7, {.straight = true}},
        {8, {.straight = true}}, {0, {.off = 1}},         {4, {.off = 1}},         {5, {.off = 1}},
        {11, {.forgets = true}}, {12, {.forgets = true}},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        int j = bad[k].known, words;
        at_place p = place_of_maps(known[j].states, known[j].letters, known[j].to);
        at_model m;
        assert_int_equal(at_solvable_model(&p, 8, &bad[k].o, &m, &err), AT_OK);
        if (!wrong(&m, at_f64, p.least, known[j].letters < 3 ? 8 : 6, &words))
            fail_msg("%s: control %zu is right", known[j].name, k);
        at_model_release(&m);
    }
}

static void refused(const at_place *p, at_status s, const char *says)
{
    at_model m;
    err = (at_err){0};
    assert_int_equal(at_solvable_model(p, 8, NULL, &m, &err), s);
    if (!strstr(err.text, says))
        fail_msg("%s", err.text);
}

static void test_refused(void **state)
{
    (void)state;
    static int turns[2 * 840]; /* by 1 and by 2 */
    for (int q = 0; q < 840; q++) {
        turns[q] = (q + 1) % 840;
        turns[840 + q] = (q + 2) % 840;
    }
    at_place circle = place_of_maps(840, 2, turns);
    refused(&circle, AT_EDOMAIN, "a table of more than 8192 entries, for a group of order 840");
    at_place a5 = place_of_maps(5, 2, (const int[]){1, 2, 3, 4, 0, 1, 2, 0, 3, 4});
    at_place s5 = place_of_maps(5, 2, (const int[]){1, 2, 3, 4, 0, 1, 0, 2, 3, 4});
    at_place neither = place_of("(ab)*", NULL), large = place_of("(a{71})*", NULL);
    refused(&a5, AT_EREFUSED, "its group, of order 60, is not solvable");
    refused(&s5, AT_EREFUSED,
            "of order 120, is not solvable: the derived series ends in a perfect group of order 60");
    refused(&neither, AT_EREFUSED, "a neither permutes the 3 states");
    refused(&large, AT_EBUDGET, "a cyclic factor of order above 64");
    assert_int_equal(at_place_compiler(&a5), AT_COMPILER_SHORTCUT);
    at_place s3 = place_of_maps(3, 2, (const int[]){1, 2, 0, 1, 0, 2});
    assert_int_equal(at_place_compiler(&s3), AT_COMPILER_SOLVABLE);
}

/* Every allocation fails once. */
static void test_memory(void **state)
{
    (void)state;
    at_place p = place_of_maps(3, 3, (const int[]){1, 2, 0, 1, 0, 2, 1, 1, 1});
    for (long nth = 1, done = 0; !done; nth++) {
        at_program *P = NULL;
        err = (at_err){0};
        at_alloc_inject(nth);
        at_status s = at_solvable_program(&p, 6, NULL, &P, &err);
        done = !at_alloc_injected();
        at_alloc_inject(0);
        assert_int_equal(s, done ? AT_OK : AT_ENOMEM);
        at_program_free(P);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_known, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_long, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_random, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_controls, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_memory, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
