/* test_total.c: totals (at_attention.total) are exact in f32, with the gate that reads them; an author's word that is not kept is found
 * out; narrow programs have fewer coordinates. */
#include <attest/program.h>
#include <attest/exec.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { ROWS = 16 };

typedef struct {
    int block;    /* rows that are added up */
    int most;     /* as the author says */
    double total; /* 0: no promise */
    bool narrow;
} plan;

/* Rows hold integers up to `top`. At the last row of each block: their sum, by the mean; elsewhere 0. */
static at_program *program_of(const plan *k, double top)
{
    at_program *P = at_program_new("blocks", ROWS);
    at_var x = at_ints(P, "x", 1, 0, top), one = at_const(P, 1);
    double rows[ROWS][4];
    for (int r = 0; r < ROWS; r++) {
        double b = r / k->block, o = r % k->block;
        memcpy(rows[r], (double[]){b, b * b, o * o, o != k->block - 1}, sizeof rows[r]);
    }
    at_var t = at_position_rows(P, "rows", 4, *rows), no_end = t + 3;
    at_var mean =
        at_attend(P, "mean",
                  &(at_attention){.query = AT_VEC(at_scaled(P, 2, t), at_neg(P, one), at_neg(P, no_end)),
                                  .key = AT_VEC(t, t + 1, t + 2),
                                  .value = AT_VEC(x),
                                  .mask = {.kind = AT_MASK_CAUSAL},
                                  .gap = 1,
                                  .scale = 1024,
                                  .most = k->most,
                                  .total = k->total});
    at_var sum = at_sum(P, NULL, AT_VEC(mean, no_end), (double[]){k->block, -k->block * top}, 0);
    at_var known = at_known(P, "known", sum, -k->block * top, top, true, -1);
    at_emit(P, AT_VEC(at_relu(P, "sum", known)), AT_READ_RAW, 0);
    at_program_arithmetic(P, at_f32);
    if (k->narrow)
        at_program_narrow(P);
    return P;
}

/* How many of 64 inputs, whose blocks add up to at most top, come out otherwise than interpreted; *bound is the assembler's. */
static int wrong(const plan *k, double top, double *bound)
{
    at_program *P = program_of(k, top);
    at_model m;
    at_err err = {0};
    int bad = 0;
    if (at_assemble(P, &m, bound, &err))
        fail_msg("%s", err.text);
    for (int i = 0; i < 64; i++) {
        at_rng r = at_rng_at(5, (uint64_t)i);
        double x[ROWS], left = top, *want;
        at_arena a;
        at_output y;
        at_arena_init(&a);
        for (int t = 0; t < ROWS; t++) {
            left = t % k->block ? left : top;
            x[t] = t % k->block == k->block - 1 ? left - (double)(i % 3)
                                                : (double)at_rng_below(&r, (uint64_t)left);
            x[t] = fmax(x[t], 0);
            left -= x[t];
        }
        if (at_program_run(P, &(at_input){ROWS, x}, &a, &want, &err) ||
            at_run(&m, at_f32, &(at_input){ROWS, x}, NULL, &a, &y, &err))
            fail_msg("%s", err.text);
        bad += memcmp(want, y.value, ROWS * sizeof *want) != 0;
        at_arena_release(&a);
    }
    at_model_release(&m);
    at_program_free(P);
    return bad;
}

/* Up to 2^24 - 1, in blocks of 8: exact, and the assembler knows. Without the promise it is as exact here, and not known to be; with blocks
 * of 7, whose mean is rounded, it is wrong, and known to be. */
static void test_exact(void **state)
{
    (void)state;
    double bound, top = 0x1p24 - 1;
    for (int narrow = 0; narrow < 2; narrow++) {
        assert_int_equal(wrong(&(plan){8, 8, top, narrow}, top, &bound), 0);
        assert_true(bound < 0x1p-500);
    }
    assert_int_equal(wrong(&(plan){8, 8, 0, false}, top, &bound), 0);
    assert_true(bound > 0.5);
    int bad = wrong(&(plan){7, 7, 0, false}, top, &bound);
    print_message("blocks of 7: %d of 64 inputs differ, bound %g\n", bad, bound);
    assert_true(bad > 0 && bound > 0.5);
}

static void words_broken(const plan *k, double x0, const char *says)
{
    at_program *P = program_of(k, 100);
    double x[ROWS] = {x0}, *want;
    at_err err = {0};
    at_arena a;
    at_arena_init(&a);
    at_status s = at_program_run(P, &(at_input){ROWS, x}, &a, &want, &err);
    if (says ? s == AT_OK || !strstr(err.text, says) : s != AT_OK)
        fail_msg("%s, not %s", err.text, says ? says : "right");
    at_arena_release(&a);
    at_program_free(P);
}

static void test_words(void **state)
{
    (void)state;
    words_broken(&(plan){8, 8, 90, false}, 90, NULL);
    words_broken(&(plan){8, 8, 90, false}, 91, "mean has a total above 90 at position 1, or its keys");
    words_broken(&(plan){8, 4, 90, false}, 1, "not a power of two, at most 4");
    words_broken(&(plan){7, 8, 90, false}, 1, "not a power of two, at most 8");
    words_broken(&(plan){7, 7, 90, false}, 1, "a power of two as the most keys");
}

/* A fixed program: twelve booleans of position tables that are read after attention. */
static int width_of(bool narrow)
{
    at_program *P = at_program_new("late", 4);
    at_var x = at_ints(P, "x", 1, 0, 12), is[12];
    char name[16];
    for (int k = 0; k < 12; k++) {
        name[0] = (char)('a' + k), name[1] = 0;
        is[k] = at_equals(P, name, x, k);
    }
    at_var mean = at_mean(P, "mean", AT_VEC(is[0], x), AT_SOFTMAX, (at_mask){.kind = AT_MASK_CAUSAL});
    at_var sum = at_sum(P, NULL, (at_vec){12, is}, NULL, 0);
    at_emit(P, AT_VEC(at_max2(P, "m", sum, mean), at_max2(P, "n", is[3], mean + 1)), AT_READ_RAW, 0);
    if (narrow)
        at_program_narrow(P);
    at_model m;
    at_err err = {0};
    assert_int_equal(at_assemble(P, &m, NULL, &err), AT_OK);
    int width = m.width;
    at_model_release(&m);
    at_program_free(P);
    return width;
}

static void test_narrow(void **state)
{
    (void)state;
    print_message("%d wide, narrow %d\n", width_of(false), width_of(true));
    assert_true(width_of(true) < width_of(false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact), cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_narrow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
