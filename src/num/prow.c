/* prow.c: rows of p-bit operations (prow.inc) for any machine, and the choice between the two. */
#include <stdlib.h>

#define ROW(name) at_p_row_##name##_portable
#include "prow.inc"

/* ATTEST_ISA=portable switches the vectors of newer machines off, as everywhere. Racing threads compute
 * the same answer. */
static bool avx2(void)
{
    static _Atomic int known; /* 0 not yet, 1 no, 2 yes */
    int k = known;
    if (!k) {
        const char *isa = getenv("ATTEST_ISA");
        k = 1;
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
            !(isa && !strcmp(isa, "portable")))
            k = 2;
#endif
        known = k;
    }
    return k == 2;
}

#if defined(__x86_64__)
#define ROW_CALL(name, ...)                                                                                  \
    (avx2() ? at_p_row_##name##_avx2(__VA_ARGS__) : at_p_row_##name##_portable(__VA_ARGS__))
#else
#define ROW_CALL(name, ...) (at_p_row_##name##_portable(__VA_ARGS__))
#endif

void at_p_row_add(const at_pfmt *f, size_t n, const double *a, const double *b, double *out)
{
    ROW_CALL(add, f, n, a, b, out);
}
void at_p_row_mul(const at_pfmt *f, size_t n, const double *a, const double *b, double *out)
{
    ROW_CALL(mul, f, n, a, b, out);
}
void at_p_row_div(const at_pfmt *f, size_t n, const double *a, const double *b, double *out)
{
    ROW_CALL(div, f, n, a, b, out);
}
void at_p_row_scale(const at_pfmt *f, size_t n, const double *a, double c, double *out)
{
    ROW_CALL(scale, f, n, a, c, out);
}
void at_p_row_exp(const at_pfmt *f, size_t n, const double *a, double c, double *out)
{
    ROW_CALL(exp, f, n, a, c, out);
}
double at_p_row_peak(size_t n, const double *a)
{
    return ROW_CALL(peak, n, a);
}
void at_p_row_dots(const at_pfmt *f, size_t rows, size_t n, const double *w, size_t stride, const int *pick,
                   const double *x, double *y)
{
    ROW_CALL(dots, f, rows, n, w, stride, pick, x, y);
}
double at_p_row_sum(const at_pfmt *f, size_t n, const double *w, const double *v, size_t stride,
                    const int *key)
{
    return ROW_CALL(sum, f, n, w, v, stride, key);
}
