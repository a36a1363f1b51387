/* gradient_check.c: the gradient of every parameter tensor against central differences, in f64.
 *
 * Tolerance. Let f be the loss, e = 2^-52 the unit of f64. The quotient q(h) = (f(w+h) - f(w-h)) / 2h errs by h^2 |f'''| / 6
 * from Taylor and by |f| k e / h from rounding, where k counts roundings that do not average out (taken as 100, about the
 * longest chain of dependent operations a layer). Directions are random signs over a whole tensor, scaled to length 1, so a
 * tensor is compared with few evaluations. What the quotients themselves do says how far they are from the limit: with steps h,
 * h/2, h/4 the extrapolated quotient (4 q(h/4) - q(h/2)) / 3 is compared, within |q(h) - q(h/2)| + |q(h/2) - q(h/4)| plus the
 * rounding term. Where f is smooth the second difference alone is h^2 f''' / 32 and what extrapolation leaves is O(h^4).
 * In linear attention the second derivative of elu jumps at 0: a unit that crosses 0 at distance c < h adds a multiple
 * of (h - c)^2 / 4h to q(h). Of one unit extrapolation leaves at most 2/3 of a difference; of several with different signs it could
 * leave more than one difference, for which to hide it from both differences two equations must hold by chance.
 * Where the loss has kinks (ReLU, |x|, sparsemax) a unit that crosses 0 at distance c < h adds a multiple of (h - c) / 2h, which does
 * not vanish with h; callers take a small h, so that none is crossed, and a bound that says nothing fails.
 * A single wrong entry shows through its share of the direction; besides, single entries are drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/test/test_scale.h"
#include "train_test.h"

static double loss_of(at_trainer *t, const test_batch *b, const double *w, double *scratch)
{
    at_err err = {0};
    double loss;
    must(at_trainer_write(t, w, &err), &err);
    must(at_trainer_gradient(t, b->s, b->n, &loss, scratch, &err), &err); /* with the dropout of the step */
    return loss;
}

/* The derivative along u (n): slope from the gradient, against quotients. */
static void direction_check(at_trainer *t, const test_batch *b, double *w, const double *u, double slope,
                            size_t n, double h, double *scratch, double *moved, const char *what)
{
    double q[3], f = 0;
    for (int step = 0; step < 3; step++, h /= 2) {
        double at[2];
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < n; i++)
                moved[i] = w[i] + (side ? h : -h) * u[i];
            at[side] = loss_of(t, b, moved, scratch);
        }
        q[step] = (at[1] - at[0]) / (2 * h);
        f = at[1];
    }
    double best = (4 * q[2] - q[1]) / 3,
           bound = fabs(q[0] - q[1]) + fabs(q[1] - q[2]) + 100 * fabs(f) * DBL_EPSILON / h;
    if (!(fabs(best - slope) <= bound))
        fail_msg("%s: gradient %.12g, differences %.12g, bound %.2g", what, slope, best, bound);
    if (!(bound < 1e-4))
        fail_msg("%s: a bound of %.2g says nothing", what, bound);
}

void test_gradient(at_trainer *t, const test_batch *b, double h, double noise, const char *unseen)
{
    at_err err = {0};
    const at_train_tensor *tensor;
    size_t n = at_trainer_parameters(t);
    double *w = calloc(5 * n, sizeof *w), *u = w + n, *g = w + 2 * n, *scratch = w + 3 * n,
           *moved = w + 4 * n, loss;
    at_trainer_read(t, w);
    at_rng r = at_rng_at(3, 3);
    for (size_t i = 0; i < n; i++) /* away from the special values 0 and 1 of shifts and gains */
        w[i] += noise * at_rng_normal(&r);
    must(at_trainer_write(t, w, &err), &err);
    must(at_trainer_gradient(t, b->s, b->n, &loss, g, &err), &err);
    int tensors = at_trainer_tensors(t, &tensor);
    for (int k = 0; k < tensors; k++) {
        size_t from = tensor[k].offset, count = (size_t)tensor[k].rows * (size_t)tensor[k].cols;
        double largest = 0;
        for (int single = 0; single < TEST_SCALED(3); single++) {
            double slope = 0;
            memset(u, 0, n * sizeof *u);
            if (single)
                u[from + at_rng_below(&r, count)] = 1;
            else
                for (size_t i = 0; i < count; i++)
                    u[from + i] = (at_rng_below(&r, 2) ? 1 : -1) / sqrt((double)count);
            for (size_t i = 0; i < count; i++) {
                slope += u[from + i] * g[from + i];
                largest = fmax(largest, fabs(g[from + i]));
            }
            direction_check(t, b, w, u, slope, n, h, scratch, moved, tensor[k].name);
        }
        if (!(unseen && strstr(tensor[k].name, unseen)) && !(largest > 1e-6))
            fail_msg("%s has no gradient", tensor[k].name);
    }
    free(w);
}
