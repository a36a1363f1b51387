/* test_error_list.c: the error bounds of random programs, in three arithmetics, against errors.txt.
 *
 * That bounds are true is shown by running what was assembled (test_random.c, test_rounding.c, test_ties.c), and a bound with room to spare
 * would stay true if half of it were lost. Here none changes unnoticed: a change must be read beside the derivation in errors.c, points.c
 * or rounding.c before the file is written anew. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../core/test/test_golden.h"
#include "random_program.h"

static const char path[] = "src/program/test/errors.txt";

static const struct {
    const char *name;
    recipe how;
} recipes[] = {
    {"plain", {.range = 1e4, .fields = true}},
    {"hard", {.range = 1e4, .hard = true}},
    {"noisy", {.range = 1e3, .noisy = true}},
    {"large", {.range = 1e9, .fields = true}},
};
static const at_arith ariths[] = {{AT_F64, 0, 0}, {AT_F32, 0, 0}, {AT_PBIT, 16, 8}};
enum { PROGRAMS = 50, STEPS = 3 };

/* The bound of the outputs, the sum of those of all variables and the largest, or that it is refused. */
static void program_add(at_text *out, const char *name, const recipe *how, int seed, at_arith arith)
{
    maker k = {.r = at_rng_at(7, (uint64_t)seed), .how = *how};
    at_model m;
    double error, all = 0, most = 0;
    char says[16];
    random_program(&k);
    assert_non_null(k.P);
    at_program_arithmetic(k.P, arith);
    at_arith_name(arith, says);
    at_text_addf(out, "%s %d %s: ", name, seed, says);
    if (at_assemble(k.P, &m, &error, NULL)) {
        at_text_add(out, "refused\n");
    } else {
        for (at_var v = 0; v < at_program_vars(k.P); v++) {
            double e = at_program_var(k.P, v).err;
            all += e;
            most = fmax(most, e);
        }
        at_text_addf(out, "%.12g, %d variables %.12g, at most %.12g\n", error, at_program_vars(k.P), all,
                     most);
        at_model_release(&m);
    }
    at_program_free(k.P);
}

static void test_list(void **state)
{
    at_text made;
    at_text_init(&made);
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        for (int seed = 0; seed < PROGRAMS; seed++)
            for (int a = 0; a < STEPS; a++)
                program_add(&made, recipes[i].name, &recipes[i].how, seed, ariths[a]);
    golden_check(path, made.s, *state);
    at_text_release(&made);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_list, golden_asked(argc, argv) ? (void *)argv : NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
