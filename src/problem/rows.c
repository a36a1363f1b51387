/* rows.c: what the pointwise tasks over reals share: draws and shrinking. Nothing here allocates or keeps state. */
#include <math.h>

#include "problem_internal.h"

at_field at_field_real(const char *name, int size, double most)
{
    at_field f = {.kind = AT_FIELD_REAL, .size = size, .lo = -most, .hi = most};
    strcpy(f.name, name);
    return f;
}

at_field at_field_token(const char *name, int size)
{
    at_field f = {.kind = AT_FIELD_TOKEN, .size = size};
    strcpy(f.name, name);
    return f;
}

double at_real_clip(double x, double lo, double hi)
{
    return fmin(fmax(x, lo), hi);
}

double at_real_draw(at_rng *r, double lo, double hi)
{
    double u = (double)at_rng_below(r, (uint64_t)1 << 53) * 0x1p-53;
    return at_real_clip(lo + (hi - lo) * u, lo, hi);
}

double at_real_small(at_rng *r, double most)
{
    double size = ldexp(at_real_draw(r, 0.5, 1), -(int)at_rng_below(r, 30));
    return at_rng_below(r, 2) ? most * size : -most * size;
}

double at_real_weight(at_rng *r, double M)
{
    return M * ((double)at_rng_below(r, 129) - 64) / 64;
}

double at_near_integer(at_rng *r, int first, int last, double spread, bool hard)
{
    double i = first + (double)at_rng_below(r, (uint64_t)(last - first) + 1);
    double far = hard && at_rng_below(r, 2) ? spread : at_real_draw(r, 0, spread);
    double x = at_rng_below(r, 2) ? i + far : i - far;
    while (fabs(x - i) > spread) /* the sum was rounded */
        x = nextafter(x, i);
    return x;
}

#define STEPS 4

static bool step_apply(int step, double x, double *out)
{
    static const double grid[STEPS] = {0, 1, 8, 1024};
    *out = step ? trunc(x * grid[step]) / grid[step] + 0.0 : 0; /* no -0 */
    return *out != x;
}

bool at_rows_simpler(const at_params *p, const double *x, int n, int W, int k,
                     bool (*inside)(const at_params *p, const double *row), double *out)
{
    size_t count = (size_t)n * (size_t)W;
    for (int step = 0; step < STEPS; step++)
        for (size_t at = 0; at < count; at++) {
            double to;
            if (!step_apply(step, x[at], &to))
                continue;
            memcpy(out, x, count * sizeof *x);
            out[at] = to;
            if (inside(p, out + at / (size_t)W * (size_t)W) && k-- == 0)
                return true;
        }
    return false;
}

/* Every candidate has one number more at its plain value than x, so greedy descent ends. */
bool at_columns_simpler(const double *x, int n, int width, const double *plain, int k, double *out)
{
    for (int c = 0; c < width; c++)
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)i * (size_t)width + (size_t)c;
            if (plain[c] == AT_STAYS || x[at] == plain[c] || k-- > 0)
                continue;
            memcpy(out, x, (size_t)n * (size_t)width * sizeof *x);
            out[at] = plain[c];
            return true;
        }
    return false;
}

/* ---- enumeration ------------------------------------------------------------------------------------ */

uint64_t at_integers_count(const at_params *p, at_enum e, int first, int last)
{
    uint64_t all = 1;
    if (e != AT_ENUM_SEQUENCES || at_params_get(p, "spread") != 0)
        return 0;
    for (int i = 0; i < at_params_int(p, "N"); i++)
        if (__builtin_mul_overflow(all, (uint64_t)(last - first + 1), &all))
            return UINT64_MAX;
    return all;
}

void at_integers_nth(const at_params *p, uint64_t index, int first, int last, double *x)
{
    uint64_t values = (uint64_t)(last - first + 1);
    for (int i = at_params_int(p, "N") - 1; i >= 0; i--, index /= values)
        x[i] = first + (double)(index % values);
}
