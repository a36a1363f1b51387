/* matrix.c: the values of a function of two inputs, and functions with a name. */
#include "logic_internal.h"

#include <string.h>

at_status at_cc_make(int rows, int cols, at_cc_value *f, const void *ctx, at_arena *arena, at_cc_matrix *out,
                     at_err *err)
{
    if (rows < 1 || rows > AT_CC_SIDE || cols < 1 || cols > AT_CC_SIDE)
        return at_fail(err, AT_EDOMAIN, "a matrix of %d rows and %d columns: each must be in 1..%d", rows,
                       cols, AT_CC_SIDE);
    if ((size_t)rows * (size_t)cols > AT_CC_CELLS)
        return at_fail(err, AT_EDOMAIN, "a matrix of %d x %d cells: at most %zu are allowed", rows, cols,
                       AT_CC_CELLS);
    uint8_t *at = at_new(arena, uint8_t, (size_t)rows * (size_t)cols);
    if (!at)
        return at_oom(err);
    int most = 0;
    for (int a = 0; a < rows; a++)
        for (int b = 0; b < cols; b++) {
            int v = f(ctx, a, b);
            if (v < 0 || v > 255)
                return at_fail(err, AT_EDOMAIN, "f(%d, %d) = %d: must be in 0..255", a, b, v);
            at[(size_t)a * (size_t)cols + (size_t)b] = (uint8_t)v;
            most = v > most ? v : most;
        }
    *out = (at_cc_matrix){rows, cols, most + 1, at};
    return AT_OK;
}

/* ---- names --------------------------------------------------------------------------------------------- */

static int disj(int n, int a, int b)
{
    (void)n;
    return !(a & b);
}

static int intersect(int n, int a, int b)
{
    (void)n;
    return (a & b) != 0;
}

static int eq(int n, int a, int b)
{
    (void)n;
    return a == b;
}

static int gt(int n, int a, int b)
{
    (void)n;
    return a > b;
}

static int ip(int n, int a, int b)
{
    (void)n;
    return __builtin_parity((unsigned)(a & b));
}

static int bit_at(int n, int a, int b)
{
    (void)n;
    return a >> b & 1;
}

const at_cc_fn at_cc_fns[] = {
    {"disj", "1 when the sets a and b of n elements have none in common", 13, false, disj},
    {"intersect", "1 when the sets a and b of n elements have one in common", 13, false, intersect},
    {"eq", "1 when a = b", 13, false, eq},
    {"gt", "1 when a > b, as numbers", 13, false, gt},
    {"ip", "inner product of a and b modulo 2", 13, false, ip},
    {"index", "bit b of a; b in 0..n-1", 13, true, bit_at},
};
const int at_n_cc_fns = sizeof at_cc_fns / sizeof *at_cc_fns;

static const at_registry functions =
    AT_REGISTRY_OF_ROWS("function", NULL, at_cc_fns, sizeof at_cc_fns / sizeof *at_cc_fns, id);

const at_cc_fn *at_cc_find(const char *id)
{
    return at_registry_find(&functions, id);
}

typedef struct {
    const at_cc_fn *fn;
    int n;
} named;

static int named_value(const void *ctx, int a, int b)
{
    const named *k = ctx;
    return k->fn->value(k->n, a, b);
}

at_status at_cc_named(const char *id, int n, at_arena *arena, at_cc_matrix *out, at_err *err)
{
    const at_cc_fn *fn = at_registry_need(&functions, id, err);
    if (!fn)
        return AT_EINPUT;
    if (n < 1 || n > fn->most)
        return at_fail(err, AT_EDOMAIN, "%s with n = %d: must be in 1..%d", id, n, fn->most);
    return at_cc_make(1 << n, fn->columns_are_bits ? n : 1 << n, named_value, &(named){fn, n}, arena, out,
                      err);
}
