/* random_program.c: see random_program.h.
 *
 * Every integer expression may be compared, tabulated, multiplied or attended with, every expression may be
 * averaged, clipped or selected. Ordinary attention scores integers, so that its gap is 1.
 *
 * A noisy step picks the key whose index is nearest to an integer t: the score 2 t i - i^2 = t^2 - (i-t)^2. The
 * masks it uses leave consecutive keys, so the nearest is t itself or one end: it is unique, and the next score is
 * lower by at least 1. Its values are mostly integers, so is its result, and an error of up to 0.45 reaches the
 * integer steps after it. */
#include "random_program.h"

#include <math.h>
#include <stdio.h>

static int below(maker *k, int n)
{
    return (int)at_rng_below(&k->r, (uint64_t)n);
}

static const char *fresh(maker *k)
{
    snprintf(k->name, sizeof k->name, "v%d", k->serial++);
    return k->name;
}

static void keep(maker *k, at_var v)
{
    if (v < 0)
        return;
    at_var_info i = at_program_var(k->P, v);
    if (fabs(i.lo) > k->how.range || fabs(i.hi) > k->how.range)
        return;
    if (k->n_any < POOL)
        k->any[k->n_any++] = v;
    if (i.integer && k->n_ints < POOL)
        k->ints[k->n_ints++] = v;
    if (i.integer && i.lo >= 0 && i.hi <= 1 && k->n_bools < POOL)
        k->bools[k->n_bools++] = v;
}

static at_var any(maker *k)
{
    return k->any[below(k, k->n_any)];
}

static at_var integer(maker *k)
{
    return k->ints[below(k, k->n_ints)];
}

static at_var small_integer(maker *k)
{
    for (int t = 0; t < 8; t++) {
        at_var v = integer(k);
        at_var_info i = at_program_var(k->P, v);
        if (i.hi - i.lo <= 40)
            return v;
    }
    return k->ints[0];
}

static at_var boolean(maker *k)
{
    return k->bools[below(k, k->n_bools)];
}

static at_weighting some_weighting(maker *k, bool unique)
{
    static const at_weighting kinds[] = {AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD, AT_AVERAGE_HARD,
                                         AT_SPARSEMAX,     AT_SOFTMAX,        AT_THREEWISE};
    /* averages of several keys are not dyadic */
    return kinds[below(k, !k->how.hard ? 6 : unique ? 4 : 2)];
}

/* The results of a step, its base included. */
static void attend(maker *k, at_attention *a)
{
    if (a->value.n == 1 && below(k, 3) == 0) {
        a->base = any(k);
        a->base_plus = true;
    }
    at_var out = at_attend(k->P, fresh(k), a);
    for (int i = 0; i < (a->base_plus ? 1 : a->value.n) && out >= 0; i++)
        keep(k, out + i);
}

static void attention_add(maker *k)
{
    at_var q[3], key[3], key2[3], v[2], v2[2];
    int n = 1 + below(k, 3), values = 1 + below(k, 2);
    for (int i = 0; i < n; i++) {
        q[i] = below(k, 9) ? small_integer(k) : at_const(k->P, below(k, 5) - 2);
        key[i] = below(k, 9) ? small_integer(k) : at_const(k->P, below(k, 5) - 2);
        key2[i] = small_integer(k);
    }
    for (int i = 0; i < values; i++) {
        v[i] = below(k, 2) ? any(k) : at_sum(k->P, NULL, AT_VEC(any(k)), (double[]){-2}, 1);
        if (below(k, 9) == 0)
            v[i] = at_const(k->P, 2);
        v2[i] = small_integer(k);
    }
    at_attention a = {.query = {n, q},
                      .key = {n, key},
                      .key2 = {n, key2},
                      .value = {values, v},
                      .value2 = {values, v2},
                      .weighting = some_weighting(k, false),
                      .gap = 1,
                      .post = below(k, AT_POSTS),
                      .mask = {below(k, AT_MASKS), 1 + below(k, 3), 1 + below(k, 2), 1}};
    attend(k, &a);
}

static void noisy_attention_add(maker *k)
{
    static const double errors[] = {0,    0x1p-10, 0.01, 0.1, 0.2,
                                    0.45, 0.6,     0.8,  0.9}; /* without score errors half is used */
    at_program *P = k->P;
    at_var one = at_const(P, 1), minus = at_const(P, -1), v[2], v2[2];
    at_var t = at_scaled(P, 2, small_integer(k)), u = at_scaled(P, 2, small_integer(k));
    int values = 1 + below(k, 2);
    for (int i = 0; i < values; i++) {
        v[i] = below(k, 4) ? small_integer(k) : any(k);
        v2[i] = below(k, 2) ? boolean(k) : small_integer(k);
    }
    at_attention a = {.value = {values, v},
                      .value2 = {values, v2},
                      .gap = 1,
                      .unique = true,
                      .weighting = some_weighting(k, true),
                      .mask = {.kind = below(k, AT_MASK_BLOCK_SPARSE)},
                      .error = errors[below(k, 9)]};
    if (below(k, 4) ==
        0) { /* an explicit scale: the error is computed from it and the gap, nothing is derived */
        a.error = 0;
        a.scale = 2 + below(k, 8);
    }
    /* three-wise: -(j1 - t)^2 - (j2 - u)^2 up to a constant */
    bool three = a.weighting == AT_THREEWISE;
    a.query = three ? AT_VEC(t, minus, u, minus) : AT_VEC(t, minus);
    a.key = three ? AT_VEC(k->index, k->square, one, one) : AT_VEC(k->index, k->square);
    a.key2 = AT_VEC(one, one, k->index, k->square);
    attend(k, &a);
}

static void point_add(maker *k)
{
    at_program *P = k->P;
    double table[64], centres[2] = {below(k, 5), 7 + below(k, 5)}, a = below(k, 3) - 2;
    at_var x = small_integer(k);
    at_var_info i = at_program_var(P, x);
    for (int t = 0; t < 64; t++)
        table[t] = below(k, 21) - 10;
    switch (below(k, 14)) {
    case 0:
        keep(k, at_ramp(P, fresh(k), any(k), a, k->how.hard ? a + 2 : 1 + below(k, 4)));
        break;
    case 1:
        keep(k, at_max2(P, fresh(k), any(k), any(k)));
        break;
    case 2:
        keep(k, at_min2(P, fresh(k), any(k), any(k)));
        break;
    case 3:
        keep(k, at_absolute(P, fresh(k), any(k)));
        break;
    case 4:
        keep(k, at_select(P, fresh(k), boolean(k), any(k), any(k)));
        break;
    case 5:
        keep(k, at_and(P, fresh(k), boolean(k), at_not(P, boolean(k))));
        break;
    case 6:
        keep(k, at_or(P, fresh(k), boolean(k), boolean(k)));
        break;
    case 7:
        keep(k, at_at_least(P, fresh(k), integer(k), below(k, 9) - 4));
        break;
    case 8:
        keep(k, at_equals(P, fresh(k), integer(k), below(k, 9) - 4));
        break;
    case 9:
        if (i.hi - i.lo < 64)
            keep(k, at_table(P, fresh(k), x, table));
        break;
    case 10:
        keep(k, at_product(P, fresh(k), x, small_integer(k)));
        break;
    case 11:
        if (i.hi - i.lo < 1000)
            keep(k, at_floor_div(P, fresh(k), x, 1 + below(k, 4)));
        break;
    case 12:
        keep(k, at_near(P, fresh(k), any(k), centres, 2, 0.5, 0.5));
        break;
    default:
        keep(k, at_sum(P, below(k, 2) ? fresh(k) : NULL, AT_VEC(any(k), integer(k)),
                       (double[]){1 + below(k, 2), -1 - below(k, 2)}, below(k, 5) - 2));
    }
}

static void inputs_add(maker *k, int pre, int suf, int origin)
{
    at_program *P = k->P;
    int T = pre + k->N + suf;
    double table[8], rows[32], squares[16], pairs[12];
    for (int t = 0; t < 8; t++)
        table[t] = below(k, 9) - 4;
    for (int t = 0; t < 32; t++)
        rows[t] = below(k, 7) - 3;
    for (int t = 0; t < T; t++)
        squares[t] = (t + origin) * (t + origin);
    at_var f = at_token(P, "f", k->M), x = at_number(P, "x", f);
    k->row = 1;
    if (suf)
        at_hidden_suffix(P, x, suf - 1, 3);
    if (pre)
        at_hidden_prefix(P, x, 0, -1);
    keep(k, x);
    keep(k, at_lookup(P, "t", f, table));
    if (k->how.fields) {
        for (int t = 0; t < 12; t++)
            pairs[t] = below(k, 5) - 2;
        at_var s = at_subset(P, "s", 4, 2), pair = at_lookup_rows(P, "pair", s, 2, pairs);
        at_var y = at_reals(P, "y", 2, -2, 3);
        at_var z = at_ints(P, "z", 1, -3, 2);
        k->row = 6;
        keep(k, z);
        keep(k, pair);
        keep(k, pair + 1);
        keep(k, y);
        keep(k, y + 1);
        keep(k, at_position(P, "n", AT_POS_N));
        if (!k->how.hard) {
            static const at_pos_kind kinds[] = {AT_POS_I_OVER_N, AT_POS_I_OVER_N3, AT_POS_INV_I,
                                                AT_POS_INV_I2};
            keep(k, at_position(P, "part", kinds[below(k, origin < 1 ? 2 : 4)]));
        }
    }
    keep(k, k->index = at_position(P, "i", AT_POS_I));
    k->square = below(k, 2) ? at_position(P, "ii", AT_POS_I2) : at_position_rows(P, "ii", 1, squares);
    keep(k, at_position(P, "alt", AT_POS_ALTERNATE));
    at_var r = at_position_rows(P, "r", 2, rows);
    keep(k, r);
    keep(k, r + 1);
    keep(k, at_at_least(P, "b", x, 1));
    if (suf)
        keep(k, at_mark_suffix(P, "end", suf - 1));
    if (pre)
        keep(k, at_mark_prefix(P, "start", 0));
}

void random_program(maker *k)
{
    k->N = 1 + below(k, 6);
    k->n_min = 1 + below(k, k->N);
    k->M = 2 + below(k, 4);
    k->P = at_program_new("random", k->N);
    if (!k->P)
        return;
    int pre = below(k, 3), suf = below(k, 3), origin = below(k, 4) - 1;
    at_prefix(k->P, pre);
    at_suffix(k->P, suf);
    at_origin(k->P, origin);
    at_program_lengths(k->P, k->n_min);
    inputs_add(k, pre, suf, origin);
    for (int steps = 1 + below(k, 9); steps > 0; steps--)
        if (below(k, 3))
            point_add(k);
        else if (k->how.noisy && below(k, 4))
            noisy_attention_add(k);
        else
            attention_add(k);
    k->out[0] = k->any[k->n_any - 1];
    for (int o = 1; o < OUTPUTS; o++)
        k->out[o] = below(k, 16) ? any(k) : at_const(k->P, o);
    at_emit(k->P, (at_vec){OUTPUTS, k->out}, AT_READ_RAW, 0);
}

at_input random_input(maker *k, double *v)
{
    at_input in = {k->n_min + below(k, k->N - k->n_min + 1), v};
    for (int t = 0; t < in.n; t++) {
        *v++ = below(k, k->M);
        if (k->how.fields) {
            *v = 1 + below(k, 3);
            v[1] = v[0] + 1 + below(k, 4 - (int)v[0]);
            v[2] = below(k, 41) / 8. - 2;
            v[3] = below(k, 41) / 8. - 2;
            v[4] = below(k, 6) - 3;
            v += 5;
        }
    }
    return in;
}
