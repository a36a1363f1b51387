/* compose_packed.c: CLAIM compose-one at bits=24: one layer composes two functions with a head of width n log2 n / 24.
 *
 * Source: Peng, Narayanan, Papadimitriou 2024: how tight their theorem 1 is where a number holds more than one value of g.
 * Statement: for every n one softmax head of width max(3, ceil(n/R) + 1), n^R <= 2^24, between MLPs computes g(f(x)) at a mantissa of 24
 * bits whose sums are exact and rounded once: 87 at n = 256, where 51 are needed.
 *
 * Proof:
 *   1. f(v) has the key (2v, -v^2, 1), all other positions (0, 0, 0). The query (x, 1, -x^2) scores f(v) by -(x - v)^2, the others by 0.
 *      So f(x), the n entries of g, the query itself and the hidden positions share the largest score, which is always 0. There are
 *      2^k - n - 2 hidden positions: the weights of these 2^k add up to 2^k, and dividing by that is exact.
 *   2. Slot s of a value holds g(sR), ..., g(sR + R-1) as the digits of one number to base n: g(j) enters n^(j mod R) times. The sum is an
 *      integer below 2^24, exact at 24 bits, and so is its quotient by 2^k. One slot more has f(x).
 *   3. The rest of the weights is at most n e^-lambda, which is lost when the denominator is rounded.
 *   4. An MLP picks the slot of f(x) and takes bits off its number X from the top: relu(X - t + 1) - relu(X - t) is [X >= t] on integers. One unit
 *      holds that difference, 0 or 1, which is cut once more so that no error grows. Every term and every partial sum is an integer of at most
 *      24 bits, or small: MLPs add term by term.
 * Differs from bits=0 (claim_compose_one.c): keys of width 3 instead of one-hot ones, R values a slot instead of one, a power of two as the denominator. */
#include "compose_packed.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 256, MOST_VALUES = 64 };
typedef struct {
    int n, values, slots; /* R values in each of S slots */
    int share, hidden;    /* 2^k positions share the weight, so many of them hidden */
} shape;

static shape shape_of(const at_params *p)
{
    shape z = {.n = at_params_int(p, "n"), .share = 1};
    double most = at_pow(2, at_params_get(p, "bits"));
    for (double size = z.n; size <= most && z.values < MOST_VALUES; size *= z.n)
        z.values++;
    z.values += at_params_int(p, "more");
    z.slots = z.values ? (z.n + z.values - 1) / z.values : 0;
    while (z.share < z.n + 2)
        z.share *= 2;
    z.hidden = z.share - z.n - 2;
    return z;
}

/* A position's row: key (3), mark of f, which digit it is not (R), which slot not (S). */
static int columns(const shape *z)
{
    return 4 + z->values + z->slots;
}

static void positions_fill(const shape *z, double *rows)
{
    int m = columns(z);
    for (int t = 0; t < z->hidden + 2 * z->n + 1; t++)
        for (int k = 4; k < m; k++)
            rows[(size_t)t * (size_t)m + (size_t)k] = 1;
    for (int v = 0; v < z->n; v++) {
        double *f = rows + (size_t)(z->hidden + v) * (size_t)m,
               *g = rows + (size_t)(z->hidden + z->n + v) * (size_t)m;
        f[0] = 2. * v;
        f[1] = -(double)v * v;
        f[2] = f[3] = 1;
        g[4 + v % z->values] = 0;
        g[4 + z->values + v / z->values] = 0;
    }
}

/* x where `off` is 0, and 0 where it is 1; x in 0..most. Exact at any order of addition: nothing exceeds most. */
static at_var gate(at_program *P, const char *name, at_var x, at_var off, double most)
{
    at_var y = at_relu(P, name, at_sum(P, NULL, AT_VEC(x, off), (double[]){1, -most}, 0));
    return at_known(P, NULL, y, 0, most, true, -1);
}

/* [X >= t] in one unit, exactly 0 or 1 (step 4). */
static at_var reaches(at_program *P, int r, int i, at_var X, double t)
{
    char name[32];
    snprintf(name, sizeof name, "over%d.%d", r, i);
    at_var over = at_relu(P, NULL, at_ramp(P, name, X, t - 1, t));
    snprintf(name, sizeof name, "cut%d.%d", r, i);
    at_var cut = at_at_least(P, name, at_known(P, NULL, over, 0, 1, true, -1), 1);
    snprintf(name, sizeof name, "bit%d.%d", r, i);
    return at_relu(P, name, cut);
}

/* Digit by digit, bit by bit from the top. */
static void digits_take(at_program *P, const shape *z, at_var X, at_var *digit)
{
    char name[32];
    int top = 0;
    while ((2 << top) < z->n)
        top++;
    for (int r = z->values - 1; r >= 0; r--) {
        double unit = at_pow(z->n, r), left = unit * z->n - 1, weight[16];
        at_var bit[16];
        for (int i = top; i >= 0; i--) {
            double t = unit * (1 << i);
            bit[top - i] = reaches(P, r, i, X, t);
            weight[top - i] = 1 << i;
            left = fmax(t - 1, left - t);
            X = at_known(P, NULL, at_sum(P, NULL, AT_VEC(X, bit[top - i]), (double[]){1, -t}, 0), 0, left,
                         true, -1);
        }
        snprintf(name, sizeof name, "digit%d", r);
        digit[r] =
            at_known(P, name, at_sum(P, NULL, (at_vec){top + 1, bit}, weight, 0), 0, z->n - 1, true, -1);
    }
}

/* The value of g at fx, from the slots X (S). */
static at_var entry_pick(at_program *P, const shape *z, at_var fx, const at_var *X)
{
    at_var from[MOST + 1], term[MOST], digit[MOST_VALUES + 8], zero = at_const(P, 0);
    double coef[MOST + 1], most = at_pow(z->n, z->values) - 1;
    char name[16];
    from[0] = at_const(P, 1);
    from[z->slots] = zero;
    coef[0] = 1;
    for (int s = 1; s < z->slots; s++) {
        snprintf(name, sizeof name, "from%d", s);
        from[s] = at_at_least(P, name, fx, s * z->values);
        coef[s] = -z->values;
    }
    for (int s = 0; s < z->slots; s++) {
        at_var other = at_sum(P, NULL, AT_VEC(from[s], from[s + 1]), (double[]){-1, 1}, 1);
        snprintf(name, sizeof name, "not%d", s);
        other = at_relu(P, name, at_known(P, NULL, other, 0, 1, true, -1));
        snprintf(name, sizeof name, "pick%d", s);
        term[s] = gate(P, name, X[s], other, most);
    }
    at_var x = at_known(P, "slot", at_sum(P, NULL, (at_vec){z->slots, term}, NULL, 0), 0, most, true, -1);
    digits_take(P, z, x, digit);
    from[0] = fx;
    at_var place =
        at_known(P, "place", at_sum(P, NULL, (at_vec){z->slots, from}, coef, 0), 0, z->values - 1, true, -1);
    for (int r = 0; r < z->values; r++) {
        snprintf(name, sizeof name, "is%d", r);
        at_var is = at_equals(P, name, place, r);
        snprintf(name, sizeof name, "read%d", r);
        term[r] = at_select(P, name, is, digit[r], zero);
    }
    return at_sum(P, "y", (at_vec){z->values, term}, NULL, 0);
}

static void steps(at_program *P, const shape *z, const double *rows, const double *square)
{
    at_prefix(P, z->hidden);
    at_var field = at_token(P, "x", z->n), x = at_number(P, "x", field), zero = at_const(P, 0);
    at_var x2 = at_lookup(P, "x^2", field, square), row = at_position_rows(P, "row", columns(z), rows);
    at_var part[MOST_VALUES + 8], value[MOST + 1], X[MOST];
    char name[16];
    if (x2 < 0 || row < 0)
        return;
    double most = (z->n - 1) * at_pow(z->n, z->values - 1);
    for (int r = 0; r < z->values; r++) { /* step 2 */
        double unit = at_pow(z->n, r);
        snprintf(name, sizeof name, "part%d", r);
        part[r] = gate(P, name, at_scaled(P, unit, x), row + 4 + r, (z->n - 1) * unit);
    }
    at_var held = at_known(P, "held", at_sum(P, NULL, (at_vec){z->values, part}, NULL, 0), 0, most, true, -1);
    for (int s = 0; s < z->slots; s++) {
        snprintf(name, sizeof name, "slot%d", s);
        value[s] = gate(P, name, held, row + 4 + z->values + s, most);
    }
    value[z->slots] = at_select(P, "own", row + 3, x, zero);
    at_var mean = at_attend(P, "mean", /* step 1 */
                            &(at_attention){.query = AT_VEC(x, at_const(P, 1), at_neg(P, x2)),
                                            .key = AT_VEC(row, row + 1, row + 2),
                                            .value = {z->slots + 1, value},
                                            .weighting = AT_SOFTMAX,
                                            .gap = 1,
                                            .error = 1. / (16. * z->share * z->slots)});
    if (mean < 0)
        return;
    at_var fx = at_known(P, "f(x)", at_scaled(P, z->share, mean + z->slots), 0, z->n - 1, true, -1);
    for (int s = 0; s < z->slots; s++) {
        snprintf(name, sizeof name, "X%d", s);
        X[s] = at_known(P, name, at_scaled(P, z->share, mean + s), 0, at_pow(z->n, z->values) - 1, true, -1);
    }
    at_emit_last(P, AT_VEC(entry_pick(P, z, fx, X)), AT_READ_ROUND, 0);
}

at_status compose_packed(const at_params *p, at_program **out, at_err *err)
{
    shape z = shape_of(p);
    if (!z.values)
        return at_fail(err, AT_EDOMAIN, "bits=%d: a value of 0..%d does not fit", at_params_int(p, "bits"),
                       z.n - 1);
    size_t N = 2 * (size_t)z.n + 1, all = N + (size_t)z.hidden, m = (size_t)columns(&z);
    double *rows = at_calloc(all * m + (size_t)z.n, sizeof *rows);
    at_program *P = rows ? at_program_new("compose-one", (int)N) : NULL;
    if (!P) {
        at_free(rows);
        return at_oom(err);
    }
    double *square = rows + all * m;
    positions_fill(&z, rows);
    for (int v = 0; v < z.n; v++)
        square[v] = (double)v * v;
    at_program_lengths(P, (int)N);
    at_program_weaken(P, at_params_get(p, "scale"));
    steps(P, &z, rows, square);
    at_free(rows);
    *out = P;
    return AT_OK;
}
