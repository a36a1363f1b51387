/* test_random.c: on 100,000 random programs the interpreter and the assembled model agree.
 *
 * A program is drawn from all steps of the IR (random_program.c), every fourth is narrow, and run on two random inputs. Tolerance: the error bound
 * that the assembler derived for that output, which includes rounding. */
#include "random_program.h"
#include "../../core/test/test_scale.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#define PROGRAMS TEST_SCALED(100000)

static void test_random_programs(void **state)
{
    (void)state;
    int assembled = 0, refused = 0, deepest = 0;
    for (int s = 0; s < PROGRAMS; s++) {
        maker k = {.r = at_rng_at(2026, (uint64_t)s), .how = {.range = 65536, .fields = s % 2}};
        random_program(&k);
        assert_non_null(k.P);
        if (s % 4 == 3)
            at_program_narrow(k.P);
        at_model m;
        at_err err = {0};
        at_status st = at_assemble(k.P, &m, NULL, &err);
        if (st) { /* only because an error cannot be bounded or ties would break; said in words */
            if (st != AT_EDOMAIN || !strstr(err.text, "error"))
                fail_msg("program %d: %s", s, err.text);
            refused++;
            at_program_free(k.P);
            continue;
        }
        assembled++;
        at_size z;
        at_model_size(&m, &z);
        deepest = z.layers > deepest ? z.layers : deepest;
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
                double bound = at_program_var(k.P, k.out[i % OUTPUTS]).err;
                if (!(fabs(y.value[i] - want[i]) <= bound)) {
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
    print_message("%d assembled, %d refused, deepest %d layers\n", assembled, refused, deepest);
    assert_true(assembled > PROGRAMS * 9 / 10);
    assert_true(deepest >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
