/* reals.c: what the tasks over reals in -M..M share: drawing and shrinking. */
#include "task_internal.h"

double at_reals_draw(at_rng *r, double M)
{
    return M * (2 * at_rng_unit(r) - 1);
}

/* Every candidate has one number more at its plain value than x, so greedy descent ends. */
bool at_reals_simpler(const double *x, int n, int width, const double *plain, int k, double *out)
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
