/* test_random_noisy.c: random programs in which the errors of softmax really flow into the steps that remove them,
 * and random programs in every arithmetic and executor.
 *
 * Tolerance: the bound that the assembler derived for that output, in the arithmetic that the program runs in. Balls and
 * exact numbers are run on programs that are assembled for f64. */
#include "random_program.h"
#include "../../core/test/test_scale.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

/* What was seen in a run of many programs. */
typedef struct {
    int assembled, refused, fast_refused, noisy_outputs, compared;
    double closest; /* largest error / bound, over outputs whose bound is above 2^-10 */
} tally;

static void difference(const maker *k, int program, const char *who, int at, double got, double want,
                       double bound)
{
    at_text t;
    at_text_init(&t);
    at_program_print(k->P, &t);
    fail_msg("program %d, %s, output %d: %.17g, interpreted %.17g, allowed %g\n%s", program, who, at, got,
             want, bound, t.s);
}

/* value (n, OUTPUTS) against the interpreter's; radius may be NULL. */
static void compare(const maker *k, int program, const char *who, int n, const double *value,
                    const double *radius, const double *want, tally *y)
{
    for (int i = 0; i < n * OUTPUTS; i++) {
        double bound = at_program_var(k->P, k->out[i % OUTPUTS]).err, miss = fabs(value[i] - want[i]);
        if (!(miss <= bound + (radius ? radius[i] : 0)))
            difference(k, program, who, i, value[i], want[i], bound);
        y->compared++;
        if (bound > 0x1p-10) {
            y->noisy_outputs++;
            y->closest = fmax(y->closest, miss / bound);
        }
    }
}

/* The fast executor on the same input; what it has no kernel for it refuses. */
static void compare_fast(const maker *k, int program, const at_model *m, const at_input *in,
                         const double *want, tally *y)
{
    at_exec *e;
    at_scratch *s;
    at_err err = {0};
    double value[8 * OUTPUTS];
    at_status st = at_exec_new(m, at_f64, in->n, &e, &err);
    if (st == AT_EREFUSED) {
        y->fast_refused++;
        return;
    }
    assert_int_equal(st, AT_OK);
    assert_int_equal(at_scratch_new(e, &s, &err), AT_OK);
    at_exec_run(e, s, in->v, 1, value);
    compare(k, program, "fast", in->n, value, NULL, want, y);
    at_scratch_free(s);
    at_exec_free(e);
}

static tally run_many(int programs, uint64_t seed, recipe how, at_arith arith, bool fast)
{
    tally y = {0};
    char who[16];
    at_arith_name(arith, who);
    for (int s = 0; s < programs; s++) {
        maker k = {.r = at_rng_at(seed, (uint64_t)s), .how = how};
        random_program(&k);
        assert_non_null(k.P);
        if (arith.kind == AT_PBIT)
            at_program_arithmetic(k.P, arith);
        at_model m;
        at_err err = {0};
        at_status st = at_assemble(k.P, &m, NULL, &err);
        if (st) {
            if (st != AT_EDOMAIN || !strstr(err.text, "error"))
                fail_msg("program %d: %s", s, err.text);
            y.refused++;
            at_program_free(k.P);
            continue;
        }
        y.assembled++;
        for (int run = 0; run < 3; run++) {
            double x[48], *want;
            at_input in = random_input(&k, x);
            at_arena a;
            at_arena_init(&a);
            at_output o;
            assert_int_equal(at_program_run(k.P, &in, &a, &want, &err), AT_OK);
            if (at_run(&m, arith, &in, NULL, &a, &o, &err))
                fail_msg("program %d: %s", s, err.text);
            compare(&k, s, who, in.n, o.value, o.radius, want, &y);
            if (fast)
                compare_fast(&k, s, &m, &in, want, &y);
            at_arena_release(&a);
        }
        at_model_release(&m);
        at_program_free(k.P);
    }
    print_message("%s: %d assembled, %d refused, %d values compared, %d noisy, worst error/bound %.3f, fast "
                  "refused %d\n",
                  who, y.assembled, y.refused, y.compared, y.noisy_outputs, y.closest, y.fast_refused);
    return y;
}

static void test_noisy_f64_and_fast(void **state)
{
    (void)state;
    tally y =
        run_many(TEST_SCALED(20000), 7, (recipe){.range = 1024, .noisy = true, .fields = true}, at_f64, true);
    assert_true(y.assembled > TEST_SCALED(10000));
    assert_true(y.noisy_outputs > TEST_SCALED(10000)); /* the errors are really there */
    assert_true(y.closest > 0.2);
    assert_true(y.fast_refused < y.assembled);
}

static void test_exact_equals_the_interpreter(void **state)
{
    (void)state;
    tally y =
        run_many(TEST_SCALED(3000), 8, (recipe){.range = 1024, .noisy = true, .hard = true, .fields = true},
                 (at_arith){.kind = AT_EXACT}, false);
    assert_true(y.assembled > TEST_SCALED(2900));
}

static void test_ball_encloses(void **state)
{
    (void)state;
    tally y = run_many(TEST_SCALED(300), 9, (recipe){.range = 1024, .noisy = true, .fields = true},
                       (at_arith){.kind = AT_BALL, .bits = 128}, false);
    assert_true(y.assembled > TEST_SCALED(150) && y.noisy_outputs > TEST_SCALED(100));
}

static void test_40_bits(void **state)
{
    (void)state;
    tally y = run_many(TEST_SCALED(2000), 10, (recipe){.range = 64, .noisy = true},
                       (at_arith){.kind = AT_PBIT, .bits = 40, .exp_bits = 10}, false);
    assert_true(y.assembled > TEST_SCALED(1000) && y.noisy_outputs > TEST_SCALED(1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noisy_f64_and_fast),
        cmocka_unit_test(test_exact_equals_the_interpreter),
        cmocka_unit_test(test_ball_encloses),
        cmocka_unit_test(test_40_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
