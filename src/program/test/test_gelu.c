/* test_gelu.c: programs assembled with GeLU units.
 *
 * 20,000 random programs (random_program.c), each with a drawn lambda, against the interpreter: outputs within the
 * error that the assembler derived, plus rounding. A value below R = 2^10 meets slopes of at most 2^10 (flat radius
 * 511/1024), and fewer than 64 roundings of relative size 2^-53 (a GeLU unit: 2^-49, by erfc) between two of them:
 * 2^6 2^10 2^10 2^-49 = 2^-23; 2^-20 is asked for.
 *
 * EVIDENCE lemma-a2 sampled 17000 test_random_gelu: random programs with GeLU units, on two inputs each
 * EVIDENCE lemma-a1 sampled 33620 test_times: products of ranges of any sign, at most the promised error, and more than a quarter of it */
#include "../../core/test/test_evidence.h"
#include "random_program.h"
#include "../program_internal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define PROGRAMS 20000

static void test_random_gelu(void **state)
{
    (void)state;
    int assembled = 0, refused = 0, active = 0;
    for (int s = 0; s < PROGRAMS; s++) {
        maker k = {.r = at_rng_at(77, (uint64_t)s),
                   .how = {.range = 1024, .fields = s % 2, .noisy = s % 4 > 1}};
        random_program(&k);
        assert_non_null(k.P);
        static const double lambdas[] = {64, 300, 4096, 100000};
        at_gelu(k.P, lambdas[at_rng_below(&k.r, 4)]);
        at_model m;
        at_err err = {0};
        at_status st = at_assemble(k.P, &m, NULL, &err);
        if (st) {
            if (st != AT_EDOMAIN || !strstr(err.text, "error"))
                fail_msg("program %d: %s", s, err.text);
            refused++;
            at_program_free(k.P);
            continue;
        }
        assembled++;
        for (int b = 0; b < m.n_blocks; b++)
            assert_true(m.blocks[b].kind == AT_BLOCK_ATTN || m.blocks[b].act == AT_ACT_GELU);
        for (int run = 0; run < 2; run++) {
            double x[48], *want;
            at_input in = random_input(&k, x);
            at_arena a;
            at_arena_init(&a);
            at_output y;
            assert_int_equal(at_program_run(k.P, &in, &a, &want, &err), AT_OK);
            if (at_run(&m, at_f64, &in, NULL, &a, &y, &err))
                fail_msg("program %d: %s", s, err.text);
            for (int i = 0; i < in.n * OUTPUTS; i++) {
                double bound = at_program_var(k.P, k.out[i % OUTPUTS]).err, off = fabs(y.value[i] - want[i]);
                active += off > bound / 2 && off > 0x1p-20;
                if (!(off <= bound)) {
                    at_text t;
                    at_text_init(&t);
                    at_program_print(k.P, &t);
                    fail_msg("program %d, output %d: %.17g, interpreted %.17g, bound %g\n%s", s, i,
                             y.value[i], want[i], bound, t.s);
                }
            }
            at_arena_release(&a);
        }
        at_model_release(&m);
        at_program_free(k.P);
    }
    print_message("%d assembled, %d refused, %d outputs beyond half their bound\n", assembled, refused,
                  active);
    assert_true(assembled > PROGRAMS / 2);
    assert_true(active > 50); /* the bounds are not idle */
    evidence_say("test_random_gelu", "lemma-a2", "sampled", (uint64_t)assembled, "programs");
}

/* One position, inputs x and y; the step under test is the output. */
static at_program *two_reals(double xlo, double xhi, double ylo, double yhi, at_var *x, at_var *y)
{
    at_program *P = at_program_new("t", 1);
    assert_non_null(P);
    *x = at_reals(P, "x", 1, xlo, xhi);
    *y = at_reals(P, "y", 1, ylo, yhi);
    at_gelu(P, 1000);
    return P;
}

static void assemble(at_program *P, at_model *m, double *promised)
{
    at_err err = {0};
    if (at_assemble(P, m, promised, &err))
        fail_msg("%s", err.text);
}

static double value(const at_model *m, const double *x)
{
    at_arena a;
    at_arena_init(&a);
    at_output y;
    at_err err = {0};
    at_input in = {1, x};
    if (at_run(m, at_f64, &in, NULL, &a, &y, &err))
        fail_msg("%s", err.text);
    double v = y.value[0];
    at_arena_release(&a);
    return v;
}

/* The worst case of the bound is |x| = |y| = M: there it is sharp up to the next term of the series. */
static void test_times(void **state)
{
    (void)state;
    static const double range[][4] = {
        {-1, 1, -1, 1}, {-8, 8, -8, 8}, {0, 3, -5, 2}, {-4, -1, 100, 101}, {0, 0, -1, 1}};
    uint64_t products = 0;
    for (int r = 0; r < 5; r++)
        for (double eps = 0.1; eps > 1e-5; eps /= 10) {
            at_var x, y;
            at_program *P = two_reals(range[r][0], range[r][1], range[r][2], range[r][3], &x, &y);
            at_emit(P, AT_VEC(at_times(P, "xy", x, y, eps)), AT_READ_RAW, 0);
            at_model m;
            double promised, worst = 0;
            assemble(P, &m, &promised);
            /* rounding: units of size |x|/L are multiplied by L^2, and L is (|x|+|y|)^2 / sqrt(24 eps) */
            assert_true(promised <= eps + 1e-10 + 0x1p-47 * 1e6 / sqrt(eps));
            at_size z;
            at_model_size(&m, &z);
            assert_int_equal(m.blocks[0].dense[0].rows, 4);
            for (int i = 0; i <= 40; i++)
                for (int j = 0; j <= 40; j++) {
                    double in[2] = {range[r][0] + (range[r][1] - range[r][0]) * i / 40,
                                    range[r][2] + (range[r][3] - range[r][2]) * j / 40};
                    worst = fmax(worst, fabs(value(&m, in) - in[0] * in[1]));
                    products++;
                }
            if (!(worst <= eps))
                fail_msg("range %d: off by %g, promised %g", r, worst, eps);
            if (r < 2)
                assert_true(worst > eps / 4);
            at_model_release(&m);
            at_program_free(P);
        }
    evidence_say("test_times", "lemma-a1", "sampled", products, "products");
}

static void test_times_needs_gelu(void **state)
{
    (void)state;
    at_program *P = at_program_new("t", 1);
    at_var x = at_reals(P, "x", 1, 0, 1);
    at_emit(P, AT_VEC(at_times(P, "xx", x, x, 0.1)), AT_READ_RAW, 0);
    at_model m;
    at_err err = {0};
    assert_int_equal(at_assemble(P, &m, NULL, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "xx: a product of reals needs GeLU units"));
    at_program_free(P);
    P = at_program_new("t", 1);
    at_gelu(P, 0);
    err = (at_err){0};
    assert_int_equal(at_program_status(P, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "lambda 0"));
    at_program_free(P);
}

/* relu, pass and choose mean the same with either activation; the numbers of units are the lemmas'. */
static void test_relu_pass_choose(void **state)
{
    (void)state;
    for (int gelu = 0; gelu < 2; gelu++)
        for (int which = 0; which < 3; which++) {
            at_program *P = at_program_new("t", 1);
            at_var x = at_reals(P, "x", 1, -2, 2), y = at_reals(P, "y", 1, -2, 2);
            at_var t = at_reals(P, "t", 1, -9, 9);
            at_var u = at_sub(P, x, y);
            at_var out = which == 0   ? at_relu(P, "r", u)
                         : which == 1 ? at_pass(P, "p", u)
                                      : at_choose_rows(P, "c", t, 0.5, AT_VEC(x), AT_VEC(y), 1);
            if (gelu)
                at_gelu(P, 1000);
            at_emit(P, AT_VEC(out), AT_READ_RAW, 0);
            at_model m;
            double promised;
            assemble(P, &m, &promised);
            assert_true(promised <= (gelu && which != 1 ? 4 * AT_GELU_GAP / 1000 : 0) + 1e-12);
            static const int units[] = {1, 2, 4};
            assert_int_equal(m.blocks[0].dense[0].rows, units[which]);
            for (int k = 0; k < 4000; k++) {
                at_rng r = at_rng_at(3, (uint64_t)k);
                double in[3], *want;
                for (int i = 0; i < 3; i++)
                    in[i] = (double)at_rng_below(&r, 1 << 20) / (1 << 18) - 2;
                in[2] += in[2] < 0 ? -0.5 : 0.5;
                at_arena a;
                at_arena_init(&a);
                at_err err = {0};
                at_input one = {1, in};
                assert_int_equal(at_program_run(P, &one, &a, &want, &err), AT_OK);
                double truth = which == 0   ? fmax(in[0] - in[1], 0)
                               : which == 1 ? in[0] - in[1]
                               : in[2] > 0  ? in[0]
                                            : in[1];
                assert_true(fabs(*want - truth) <= 1e-12);
                assert_true(fabs(value(&m, in) - truth) <= promised);
                at_arena_release(&a);
            }
            at_model_release(&m);
            at_program_free(P);
        }
}

/* Sampford's bound is one, and at most 2% and a little too high. */
static void test_gap(void **state)
{
    (void)state;
    for (int i = 0; i < 40000; i++) {
        double u = i / 1000., gap = u * erfc(u * M_SQRT1_2) / 2;
        assert_true(mlp_gelu_gap(u) >= gap && mlp_gelu_gap(u) <= AT_GELU_GAP);
        if (u >= 1)
            assert_true(mlp_gelu_gap(u) <= 1.02 * gap + 0x1p-59);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_times_needs_gelu),
        cmocka_unit_test(test_relu_pass_choose),
        cmocka_unit_test(test_random_gelu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
