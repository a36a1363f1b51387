/* bench_pbit.c: p-bit arithmetic against MPFR on the same stream of operations, as JSON lines.
 *
 * Both sides compute the same numbers in the same format (p bits, 10 exponent bits, gradual underflow) from
 * operands that are ready in their own representation; MPFR therefore pays for the operation and for
 * mpfr_subnormalize, not for conversions (mpfr_bare_ns is the operation alone). Results are compared bit for
 * bit off the clock. ns: ours through the row kernels at_p_row_* (exp has none: one call at a time);
 * call_ns: add, mul, div one public call at a time, no vectors; ratios are of ns, call_ratio of call_ns.
 * `dot64` is 64 rounded products and 64 rounded sums in order, per row of a matrix, ns for the whole dot.
 * `acc64` is the exact dot: 64 exact products accumulated and rounded once, against mpfr_dot.
 * The best of several rounds counts, on both sides. */
#include "../src/num/num_internal.h"
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4096, K = 64, ROWS = N / K, ROUNDS = 15 };

typedef enum { ADD, MUL, DIV, EXP, DOT, ACC, OPS } op;
static const char *const op_name[OPS] = {"add", "mul", "div", "exp", "dot64", "acc64"};

static double a[N], b[N], out[N]; /* operands and results; a dot uses rows of a against b[0..K) */
static mpfr_t ma[N], mb[N], mz[N], product;
static mpfr_ptr pa[N], pb[N];

static int ours(const at_pfmt *f, op o)
{
    switch (o) {
    case ADD:
        at_p_row_add(f, N, a, b, out);
        return N;
    case MUL:
        at_p_row_mul(f, N, a, b, out);
        return N;
    case DIV:
        at_p_row_div(f, N, a, b, out);
        return N;
    case EXP:
        for (int i = 0; i < N; i++)
            out[i] = at_p_exp(f, a[i]);
        return N;
    case DOT:
        memset(out, 0, sizeof(double) * ROWS);
        at_p_row_dots(f, ROWS, K, a, K, b, out);
        return ROWS;
    default:
        for (int r = 0; r < ROWS; r++) {
            at_acc s;
            at_acc_zero(&s);
            for (int k = 0; k < K; k++)
                at_acc_add_product_fast(&s, a[r * K + k], b[k]);
            out[r] = at_acc_round(&s, f);
        }
        return ROWS;
    }
}

/* One operation a call, as a program without rows would do; the table keeps the calls. Only add, mul, div. */
static double calls_measure(const at_pfmt *f, op o)
{
    static double (*const fn[])(const at_pfmt *, double, double) = {at_p_add, at_p_mul, at_p_div};
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double start = at_now();
        for (int i = 0; i < 20 * N; i++)
            out[i % N] = fn[o](f, a[i % N], b[i % N]);
        double t = (at_now() - start) / (20 * N) * 1e9;
        best = t < best ? t : best;
    }
    return best;
}

typedef int binary(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

static int theirs(op o, bool subnormal)
{
    static binary *const fn[] = {mpfr_add, mpfr_mul, mpfr_div};
    switch (o) {
    case ADD:
    case MUL:
    case DIV:
        for (int i = 0; i < N; i++) {
            int t = fn[o](mz[i], ma[i], mb[i], MPFR_RNDN);
            if (subnormal)
                mpfr_subnormalize(mz[i], t, MPFR_RNDN);
        }
        return N;
    case EXP:
        for (int i = 0; i < N; i++) {
            int t = mpfr_exp(mz[i], ma[i], MPFR_RNDN);
            if (subnormal)
                mpfr_subnormalize(mz[i], t, MPFR_RNDN);
        }
        return N;
    case DOT:
        for (int r = 0; r < ROWS; r++) {
            mpfr_set_zero(mz[r], 1);
            for (int k = 0; k < K; k++) {
                int t = mpfr_mul(product, ma[r * K + k], mb[k], MPFR_RNDN);
                if (subnormal)
                    mpfr_subnormalize(product, t, MPFR_RNDN);
                t = mpfr_add(mz[r], mz[r], product, MPFR_RNDN);
                if (subnormal)
                    mpfr_subnormalize(mz[r], t, MPFR_RNDN);
            }
        }
        return ROWS;
    default:
        for (int r = 0; r < ROWS; r++) {
            int t = mpfr_dot(mz[r], pa + r * K, pb, K, MPFR_RNDN);
            if (subnormal)
                mpfr_subnormalize(mz[r], t, MPFR_RNDN);
        }
        return ROWS;
    }
}

/* Nanoseconds of one operation: the best round of enough repetitions for the clock. f NULL: MPFR. */
static double measure(const at_pfmt *f, op o, bool subnormal)
{
    double best = INFINITY;
    int repeat = f ? (o == EXP ? 4 : 20) : o == EXP ? 1 : 2;
    for (int round = 0; round < ROUNDS; round++) {
        double start = at_now();
        long n = 0;
        for (int i = 0; i < repeat; i++)
            n += f ? ours(f, o) : theirs(o, subnormal);
        double t = (at_now() - start) / (double)n * 1e9;
        best = t < best ? t : best;
    }
    return best;
}

int main(void)
{
    static const int ps[] = {8, 11, 16, 24, 25};
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    bool good = true;
    for (size_t c = 0; c < sizeof ps / sizeof *ps; c++) {
        at_pfmt f = at_pfmt_of((at_arith){AT_PBIT, ps[c], 10});
        at_rng r = at_rng_at(7, c);
        mpfr_init2(product, f.p);
        for (int i = 0; i < N; i++) {
            a[i] = at_p_round(&f, at_rng_normal(&r));
            b[i] = at_p_round(&f, at_rng_normal(&r));
            mpfr_init2(ma[i], f.p);
            mpfr_init2(mb[i], f.p);
            mpfr_init2(mz[i], f.p);
            mpfr_set_d(ma[i], a[i], MPFR_RNDN);
            mpfr_set_d(mb[i], b[i], MPFR_RNDN);
            pa[i] = ma[i];
            pb[i] = mb[i];
        }
        mpfr_set_emin(f.emin - f.p + 2);
        mpfr_set_emax(f.emax + 1);
        for (op o = 0; o < OPS; o++) {
            int n = ours(&f, o), wrong = 0;
            theirs(o, true);
            for (int i = 0; i < n; i++)
                wrong += out[i] != mpfr_get_d(mz[i], MPFR_RNDN);
            good = good && wrong == 0;
            double us = measure(&f, o, true), mpfr = measure(NULL, o, true), bare = measure(NULL, o, false);
            printf("{\"bench\":\"pbit\",\"op\":\"%s\",\"p\":%d,\"ns\":%.3f,\"mpfr_ns\":%.2f,\"mpfr_bare_ns\":"
                   "%.2f,"
                   "\"ratio\":%.1f,\"ratio_bare\":%.1f,",
                   op_name[o], f.p, us, mpfr, bare, mpfr / us, bare / us);
            if (o <= DIV) {
                double call = calls_measure(&f, o);
                printf("\"call_ns\":%.3f,\"call_ratio\":%.1f,", call, mpfr / call);
            }
            printf("\"checked\":%d,\"correct\":%d}\n", n, n - wrong);
            fflush(stdout);
        }
        mpfr_set_emin(emin);
        mpfr_set_emax(emax);
        for (int i = 0; i < N; i++)
            mpfr_clears(ma[i], mb[i], mz[i], (mpfr_ptr)0);
        mpfr_clear(product);
    }
    mpfr_free_cache();
    return good ? 0 : 1;
}
