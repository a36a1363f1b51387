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

/* ---- steps that random programs do not have ------------------------------------------------------------------------- */

static const double third[] = {1 / 3.};

/* Scores of three factors, all with errors, and their means. */
static at_program *three_wise(int n)
{
    at_program *P = at_program_new("three-wise", n);
    at_prefix(P, 1);
    at_var x = at_number(P, "x", at_token(P, "f", 5)), y = at_sum(P, "y", AT_VEC(x), third, 0.1);
    at_var z = at_sum(P, "z", AT_VEC(y), (double[]){0.7}, -0.3),
           w = at_sum(P, "w", AT_VEC(y), (double[]){1.7}, 0.2);
    at_emit(P,
            AT_VEC(at_attend(P, "m",
                             &(at_attention){.query = AT_VEC(y, z),
                                             .key = AT_VEC(z, w),
                                             .key2 = AT_VEC(w, y),
                                             .value = AT_VEC(y),
                                             .value2 = AT_VEC(w),
                                             .weighting = AT_THREEWISE,
                                             .gap = 1,
                                             .error = 1})),
            AT_READ_RAW, 0);
    return P;
}

/* A mean of all that a block-sparse mask shows. */
static at_program *sparse_mean(int n)
{
    at_program *P = at_program_new("sparse", n);
    at_var x = at_number(P, "x", at_token(P, "f", 5)), y = at_sum(P, "y", AT_VEC(x), third, 0.1);
    at_emit(P,
            AT_VEC(at_attend(P, "m",
                             &(at_attention){.query = AT_VEC(at_const(P, 1)),
                                             .key = AT_VEC(at_const(P, 1)),
                                             .value = AT_VEC(y),
                                             .mask = {AT_MASK_BLOCK_SPARSE, 3, 1, 1},
                                             .gap = 1})),
            AT_READ_RAW, 0);
    return P;
}

/* What stands at the position that the token names, by each way of copying. */
static at_program *copied(int n, at_copy_fn *copy, bool steers, double scale)
{
    at_program *P = at_program_new("copied", n);
    at_copier *c =
        at_copier_new(P, &(at_copying){.length = n, .scale = scale, .error = scale > 0 ? 0.01 : 0});
    at_var x = at_number(P, "x", at_token(P, "f", 5)), i = at_position(P, "i", AT_POS_I);
    at_var to = at_min2(P, "to", at_sum(P, NULL, AT_VEC(x), (double[]){1}, 1), i);
    at_var got = copy(c, "got", to, AT_VEC(x, at_sum(P, "y", AT_VEC(x), third, 0.1)), steers);
    at_emit(P, AT_VEC(got, got + 1), AT_READ_RAW, 0);
    at_copier_free(c);
    return P;
}

static at_program *made(int k, int n)
{
    static at_copy_fn *const copies[] = {at_copy_standard, at_copy_window, at_copy_linear, at_copy_sparse};
    return k == 0   ? three_wise(n)
           : k == 1 ? sparse_mean(n)
                    : copied(n, copies[(k - 2) % 4], k >= 6, k >= 10 ? 40 : 0);
}
enum { MADE = 14 };

/* The bound of the outputs, the sum of those of all variables and the largest, or that it is refused. */
static void program_add(at_text *out, const char *name, at_program *P, int seed, at_arith arith)
{
    at_model m;
    double error, all = 0, most = 0;
    char says[16];
    assert_non_null(P);
    at_program_arithmetic(P, arith);
    at_arith_name(arith, says);
    at_text_addf(out, "%s %d %s: ", name, seed, says);
    if (at_assemble(P, &m, &error, NULL)) {
        at_text_add(out, "refused\n");
    } else {
        for (at_var v = 0; v < at_program_vars(P); v++) {
            double e = at_program_var(P, v).err;
            all += e;
            most = fmax(most, e);
        }
        at_text_addf(out, "%.12g, %d variables %.12g, at most %.12g\n", error, at_program_vars(P), all, most);
        at_model_release(&m);
    }
    at_program_free(P);
}

static void test_list(void **state)
{
    at_text list;
    at_text_init(&list);
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        for (int seed = 0; seed < PROGRAMS; seed++)
            for (int a = 0; a < STEPS; a++) {
                maker k = {.r = at_rng_at(7, (uint64_t)seed), .how = recipes[i].how};
                random_program(&k);
                program_add(&list, recipes[i].name, k.P, seed, ariths[a]);
            }
    for (int k = 0; k < MADE; k++)
        for (int n = 1; n <= 20; n += n < 5 ? 1 : 5)
            for (int a = 0; a < STEPS; a++) {
                char name[24];
                snprintf(name, sizeof name, "made %d", k);
                program_add(&list, name, made(k, n), n, ariths[a]);
            }
    golden_check(path, list.s, *state);
    at_text_release(&list);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_list, golden_asked(argc, argv) ? (void *)argv : NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
