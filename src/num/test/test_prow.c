/* test_prow.c: rows of p-bit operations are the scalar operations, bit for bit, in every instruction set.
 *
 * The slow twin is at_p_add and friends one at a time (judged by MPFR in test_pbit.c). Operands are mostly
 * ordinary, with zeros, subnormals, numbers near overflow, infinities and NaN sprinkled in, so that blocks take
 * both roads; lengths leave every remainder; p crosses 25, where rows become scalar loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../num_internal.h"

enum { N = 37, ROWS = 21 };

typedef void row(const at_pfmt *, size_t, const double *, const double *, double *);
typedef void dots(const at_pfmt *, size_t, size_t, const double *, size_t, const double *, double *);
typedef struct {
    row *op[3];
    dots *dot;
} kernels;

/* The kernels this machine can run; their number. */
static int kernels_list(kernels k[3])
{
    int n = 0;
    k[n++] = (kernels){{at_p_row_add, at_p_row_mul, at_p_row_div}, at_p_row_dots};
    k[n++] = (kernels){{at_p_row_add_portable, at_p_row_mul_portable, at_p_row_div_portable},
                       at_p_row_dots_portable};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        k[n++] = (kernels){{at_p_row_add_avx2, at_p_row_mul_avx2, at_p_row_div_avx2}, at_p_row_dots_avx2};
#endif
    return n;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || at_bits_of(a) == at_bits_of(b);
}

static double operand(at_rng *r, const at_pfmt *f, uint64_t odd)
{
    double x = at_rng_normal(r);
    if (at_rng_below(r, odd) == 0) {
        const double strange[] = {0.0,    -0.0,       f->tiny,           x * f->tiny, x * f->norm,
                                  f->max, f->max / x, sqrt(f->norm) * x, INFINITY,    NAN};
        x = strange[at_rng_below(r, 10)];
    }
    return at_p_round(f, x);
}

static void test_rows(void **state)
{
    (void)state;
    kernels k[3];
    int n_kernels = kernels_list(k);
    static double (*const one[3])(const at_pfmt *, double, double) = {at_p_add, at_p_mul, at_p_div};
    at_rng r = at_rng_at(1, 0);
    for (int i = 0; i < 20000; i++) {
        at_pfmt f =
            at_pfmt_of((at_arith){AT_PBIT, 2 + (int)at_rng_below(&r, 52), 3 + (int)at_rng_below(&r, 8)});
        size_t n = (size_t)at_rng_below(&r, N + 1);
        uint64_t odd = i % 2 ? 50 : 4;
        double a[N], b[N], out[N];
        for (size_t j = 0; j < n; j++) {
            a[j] = operand(&r, &f, odd);
            b[j] = operand(&r, &f, odd);
        }
        for (int v = 0; v < n_kernels; v++)
            for (int o = 0; o < 3; o++) {
                memcpy(out, a, sizeof a); /* in place, as it is allowed */
                k[v].op[o](&f, n, out, b, out);
                for (size_t j = 0; j < n; j++)
                    if (!same(out[j], one[o](&f, a[j], b[j])))
                        fail_msg("kernel %d op %d p=%d: %a, %a gave %a", v, o, f.p, a[j], b[j], out[j]);
            }
    }
}

static void test_dots(void **state)
{
    (void)state;
    kernels k[3];
    int n_kernels = kernels_list(k);
    at_rng r = at_rng_at(2, 0);
    for (int i = 0; i < 4000; i++) {
        at_pfmt f =
            at_pfmt_of((at_arith){AT_PBIT, 2 + (int)at_rng_below(&r, 52), 3 + (int)at_rng_below(&r, 8)});
        size_t n = (size_t)at_rng_below(&r, N + 1), rows = (size_t)at_rng_below(&r, ROWS + 1);
        uint64_t odd = i % 2 ? 1000 : 20;
        double w[ROWS * N], x[N], y[ROWS], want[ROWS]; /* w (rows, n), stride N */
        for (size_t j = 0; j < ROWS * N; j++)
            w[j] = operand(&r, &f, odd);
        for (size_t j = 0; j < N; j++)
            x[j] = operand(&r, &f, odd);
        for (size_t j = 0; j < rows; j++) {
            want[j] = y[j] = operand(&r, &f, odd);
            for (size_t c = 0; c < n; c++)
                want[j] = at_p_add(&f, want[j], at_p_mul(&f, w[j * N + c], x[c]));
        }
        for (int v = 0; v < n_kernels; v++) {
            double z[ROWS];
            memcpy(z, y, sizeof y);
            k[v].dot(&f, rows, n, w, N, x, z);
            for (size_t j = 0; j < rows; j++)
                if (!same(z[j], want[j]))
                    fail_msg("kernel %d p=%d row %zu of %zu: %a, want %a", v, f.p, j, rows, z[j], want[j]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_dots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
