/* test_random.c: on 100,000 random programs the interpreter and the assembled model agree.
 *
 * A program is drawn from all steps of the IR; every integer expression may be compared, tabulated, multiplied
 * or attended with, every expression may be averaged, clipped or selected. It is run on two random inputs.
 * Tolerance: the error bound that the assembler derived for the output, plus rounding. Values stay below
 * R = 2^16 (expressions with a larger range are not used further), a slope is at most 4 R, and a value passes
 * fewer than 64 roundings of relative size 2^-53 between two such slopes: 64 * 4R * R * 2^-53 < 2^-13 in the worst
 * case; programs that reach it would need every slope at its largest, so 2^-20 is asked for. */
#include <attest/program.h>

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define PROGRAMS 100000
#define RANGE 65536.
#define POOL 64

typedef struct {
    at_program *P;
    at_rng r;
    at_var any[POOL], ints[POOL], bools[POOL];
    int n_any, n_ints, n_bools, serial;
    char name[24];
} maker;

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
    if (fabs(i.lo) > RANGE || fabs(i.hi) > RANGE)
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

static at_mask some_mask(maker *k)
{
    return (at_mask){below(k, AT_MASKS), 1 + below(k, 3), 1 + below(k, 2), 1};
}

static void attention_add(maker *k)
{
    static const at_weighting kinds[] = {AT_SOFTMAX,      AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD,
                                         AT_AVERAGE_HARD, AT_SPARSEMAX,     AT_THREEWISE};
    at_var q[3], key[3], key2[3], v[2], v2[2];
    int n = 1 + below(k, 3), values = 1 + below(k, 2);
    for (int i = 0; i < n; i++) {
        q[i] = small_integer(k);
        key[i] = small_integer(k);
        key2[i] = small_integer(k);
    }
    for (int i = 0; i < values; i++) {
        v[i] = below(k, 2) ? any(k) : at_sum(k->P, NULL, AT_VEC(any(k)), (double[]){-2}, 1);
        v2[i] = small_integer(k);
    }
    at_attention a = {.query = {n, q}, .key = {n, key}, .key2 = {n, key2}, .value = {values, v}, .value2 = {values, v2},
                      .weighting = kinds[below(k, 6)], .mask = some_mask(k), .gap = 1};
    if (a.weighting != AT_THREEWISE)
        a.post = below(k, AT_POSTS);
    if (values == 1 && below(k, 3) == 0) {
        a.base = any(k);
        a.base_plus = true;
    }
    at_var out = at_attend(k->P, fresh(k), &a);
    for (int i = 0; i < (a.base_plus ? 1 : values) && out >= 0; i++)
        keep(k, out + i);
}

static void point_add(maker *k)
{
    at_program *P = k->P;
    double table[64], centres[2] = {below(k, 5), 7 + below(k, 5)};
    at_var x = small_integer(k);
    at_var_info i = at_program_var(P, x);
    for (int t = 0; t < 64; t++)
        table[t] = below(k, 21) - 10;
    switch (below(k, 14)) {
    case 0:
        keep(k, at_ramp(P, fresh(k), any(k), below(k, 3) - 2, 1 + below(k, 4)));
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

static void program_make(maker *k, int *N, int *M)
{
    *N = 1 + below(k, 6);
    *M = 2 + below(k, 4);
    k->P = at_program_new("random", *N);
    assert_non_null(k->P);
    int pre = below(k, 2), suf = below(k, 2);
    at_prefix(k->P, pre);
    at_suffix(k->P, suf);
    double table[8], rows[16];
    for (int t = 0; t < 8; t++)
        table[t] = below(k, 9) - 4;
    for (int t = 0; t < 16; t++)
        rows[t] = below(k, 7) - 3;
    at_var f = at_token(k->P, "f", *M), x = at_number(k->P, "x", f);
    if (suf)
        at_hidden_suffix(k->P, x, 0, 3);
    keep(k, x);
    keep(k, at_lookup(k->P, "t", f, table));
    keep(k, at_position(k->P, "i", AT_POS_I));
    keep(k, at_position(k->P, "alt", AT_POS_ALTERNATE));
    keep(k, at_position_rows(k->P, "r", 2, rows));
    keep(k, at_at_least(k->P, "b", x, 1));
    if (suf)
        keep(k, at_mark_suffix(k->P, "end", 0));
    for (int steps = 1 + below(k, 9); steps > 0; steps--)
        (below(k, 3) ? point_add : attention_add)(k);
    at_var out[2] = {k->any[k->n_any - 1], any(k)};
    at_emit(k->P, (at_vec){2, out}, AT_READ_RAW, 0);
}

static void test_random_programs(void **state)
{
    (void)state;
    int assembled = 0, refused = 0, deepest = 0;
    for (int s = 0; s < PROGRAMS; s++) {
        maker k = {.r = at_rng_at(2026, (uint64_t)s)};
        int N, M;
        program_make(&k, &N, &M);
        at_model m;
        at_err err = {0};
        double bound;
        at_status st = at_assemble(k.P, &m, &bound, &err);
        if (st) { /* only because an error cannot be bounded or ties would break; said in words */
            if (st != AT_EDOMAIN || !strstr(err.text, "error"))
                fail_msg("program %d: %s", s, err.text);
            refused++;
            at_program_free(k.P);
            continue;
        }
        assembled++;
        at_size z;
        at_model_size(&m, &z);
        deepest = z.layers > deepest ? z.layers : deepest;
        for (int run = 0; run < 2; run++) {
            double x[8], *want;
            at_input in = {1 + below(&k, N), x};
            for (int i = 0; i < in.n; i++)
                x[i] = below(&k, M);
            at_arena a;
            at_arena_init(&a);
            at_output y;
            assert_int_equal(at_program_run(k.P, &in, &a, &want, &err), AT_OK);
            if (at_run(&m, at_f64, &in, NULL, &a, &y, &err))
                fail_msg("program %d: %s", s, err.text);
            for (int i = 0; i < in.n * 2; i++)
                if (!(fabs(y.value[i] - want[i]) <= bound + 0x1p-20)) {
                    at_text t;
                    at_text_init(&t);
                    at_program_print(k.P, &t);
                    fail_msg("program %d, output %d: %.17g, interpreted %.17g, bound %g\n%s", s, i, y.value[i], want[i],
                             bound, t.s);
                }
            at_arena_release(&a);
        }
        at_model_release(&m);
        at_program_free(k.P);
    }
    print_message("%d assembled, %d refused, deepest %d layers\n", assembled, refused, deepest);
    assert_true(assembled > PROGRAMS * 9 / 10);
    assert_true(deepest >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
