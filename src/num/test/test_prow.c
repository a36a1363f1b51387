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
typedef void dots(const at_pfmt *, size_t, size_t, const double *, size_t, const int *, const double *,
                  double *);
typedef void with(const at_pfmt *, size_t, const double *, double, double *);
typedef double peak(size_t, const double *);
typedef double sum(const at_pfmt *, size_t, const double *, const double *, size_t, const int *);
typedef struct {
    row *op[3];
    dots *dot;
    with *scale, *exp;
    peak *top;
    sum *total;
} kernels;

/* The kernels this machine can run; their number. */
static int kernels_list(kernels k[3])
{
    int n = 0;
#define KERNELS(isa)                                                                                         \
    (kernels){{at_p_row_add##isa, at_p_row_mul##isa, at_p_row_div##isa},                                     \
              at_p_row_dots##isa,                                                                            \
              at_p_row_scale##isa,                                                                           \
              at_p_row_exp##isa,                                                                             \
              at_p_row_peak##isa,                                                                            \
              at_p_row_sum##isa}
    k[n++] = KERNELS();
    k[n++] = KERNELS(_portable);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        k[n++] = KERNELS(_avx2);
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
        int pick[N];
        for (size_t j = 0; j < N; j++)
            pick[j] = i % 3 ? (int)j : (int)at_rng_below(&r, N);
        for (size_t j = 0; j < ROWS * N; j++)
            w[j] = operand(&r, &f, odd);
        for (size_t j = 0; j < N; j++)
            x[j] = operand(&r, &f, odd);
        for (size_t j = 0; j < rows; j++) {
            want[j] = y[j] = operand(&r, &f, odd);
            for (size_t c = 0; c < n; c++)
                want[j] = at_p_add(&f, want[j], at_p_mul(&f, w[j * N + (size_t)pick[c]], x[c]));
        }
        for (int v = 0; v < n_kernels; v++) {
            double z[ROWS];
            memcpy(z, y, sizeof y);
            k[v].dot(&f, rows, n, w, N, i % 3 == 1 ? NULL : pick, x, z);
            for (size_t j = 0; j < rows; j++)
                if (!same(z[j], want[j]))
                    fail_msg("kernel %d p=%d row %zu of %zu: %a, want %a", v, f.p, j, rows, z[j], want[j]);
        }
    }
}

/* scale, exp and peak; exp mostly where attention uses it (differences in -60..0), and everywhere else. */
static void test_with(void **state)
{
    (void)state;
    kernels k[3];
    int n_kernels = kernels_list(k);
    at_rng r = at_rng_at(3, 0);
    for (int i = 0; i < 20000; i++) {
        at_pfmt f =
            at_pfmt_of((at_arith){AT_PBIT, 2 + (int)at_rng_below(&r, 52), 3 + (int)at_rng_below(&r, 8)});
        size_t n = (size_t)at_rng_below(&r, N + 1);
        double a[N], out[N], c = i % 5 ? at_p_round(&f, at_rng_normal(&r)) : operand(&r, &f, 2);
        double span = (double[]){1, 60, 400, 2000}[i % 4], top = -INFINITY;
        for (size_t j = 0; j < n; j++) {
            a[j] = i % 2 ? operand(&r, &f, 20) : at_p_round(&f, c - span * at_rng_unit(&r));
            top = a[j] > top || isnan(a[j]) ? a[j] : top;
        }
        for (int v = 0; v < n_kernels; v++) {
            memcpy(out, a, sizeof a);
            k[v].scale(&f, n, out, c, out);
            for (size_t j = 0; j < n; j++)
                assert_true(same(out[j], at_p_mul(&f, a[j], c)));
            memcpy(out, a, sizeof a);
            k[v].exp(&f, n, out, c, out);
            for (size_t j = 0; j < n; j++)
                if (!same(out[j], at_p_exp(&f, at_p_sub(&f, a[j], c))))
                    fail_msg("kernel %d p=%d: exp(%a - %a) gave %a", v, f.p, a[j], c, out[j]);
            if (n)
                assert_true(same(k[v].top(n, a), top) || k[v].top(n, a) == top);
        }
    }
}

enum { LONG = 700 }; /* terms: chunks of 256 end inside, at the end, and beyond it */

/* The exact sum against at_acc: weights over a few bits or over the whole range of exponents, so that one, two, four
 * bins and the accumulator all are needed; cancellation to zero or almost; strange numbers. */
static void test_sum(void **state)
{
    (void)state;
    kernels k[3];
    int n_kernels = kernels_list(k);
    at_rng r = at_rng_at(4, 0);
    static double w[LONG], v[3 * LONG];
    static int key[LONG];
    for (int i = 0; i < 12000; i++) {
        at_pfmt f =
            at_pfmt_of((at_arith){AT_PBIT, 2 + (int)at_rng_below(&r, 52), 3 + (int)at_rng_below(&r, 8)});
        size_t n = (size_t)at_rng_below(&r, i % 16 ? N : LONG + 1), stride = 1 + at_rng_below(&r, 3);
        int span = (int[]){4, 30, 100, 300, 1000}[i % 5];
        for (size_t j = 0; j < n; j++) {
            w[j] = at_p_round(&f, ldexp(at_rng_unit(&r), -(int)at_rng_below(&r, (uint64_t)span)));
            key[j] = (int)at_rng_below(&r, n);
        }
        for (size_t j = 0; j < n * stride; j++)
            v[j] = operand(&r, &f, i % 3 ? 1000000 : 40);
        if (i % 7 == 0) /* what is left is the last term */
            for (size_t j = 0; j + 2 < n; j += 2)
                w[j + 1] = -w[j];
        for (int kind = 0; kind < 3; kind++) { /* w alone, w*v, w*v[key] */
            at_acc s;
            at_acc_zero(&s);
            for (size_t j = 0; j < n; j++)
                if (kind == 0)
                    at_acc_add(&s, w[j]);
                else
                    at_acc_add_product(&s, w[j], v[stride * (kind == 2 ? (size_t)key[j] : j)]);
            double want = at_acc_round(&s, &f);
            for (int c = 0; c < n_kernels; c++) {
                double got = k[c].total(&f, n, w, kind ? v : NULL, stride, kind == 2 ? key : NULL);
                if (!same(got, want))
                    fail_msg("kernel %d p=%d kind %d, %zu terms: %a, want %a", c, f.p, kind, n, got, want);
            }
        }
    }
}

/* The worst case of the bins: the second one fills to the brim, then comes a number that only the third
 * holds, then all but that cancels. x leaves nearly 2^-46 below the first bin, whose unit is 2^-45. */
static void test_sum_brim(void **state)
{
    (void)state;
    kernels k[3];
    int n_kernels = kernels_list(k);
    at_pfmt f = at_pfmt_of((at_arith){AT_PBIT, 53, 10});
    for (int low = 80; low < 140; low++) {
        double w[244], x = 0.5 + 0x1p-46 - 0x1p-53, little = ldexp(1, -low);
        for (int j = 0; j < 244; j++)
            w[j] = j < 120 ? x : j < 124 ? little : -x;
        for (int c = 0; c < n_kernels; c++)
            assert_true(k[c].total(&f, 244, w, NULL, 0, NULL) == 4 * little);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows), cmocka_unit_test(test_dots),     cmocka_unit_test(test_with),
        cmocka_unit_test(test_sum),  cmocka_unit_test(test_sum_brim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
