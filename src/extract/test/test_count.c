/* test_count.c: softmax whose quotients alone are rounded, as C-RASP under causal and strict masks, as FOC[MOD;+] without. Drawn models: what
 * is printed is read again and says what the executor does, on every short word and on long ones. The elimination against brute
 * force; formulas of other bits; what is refused. */
#include <attest/extract.h>
#include <attest/lang.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "../../core/test/test_scale.h"
#include "../extract_internal.h"
#include "drawn_model.h"

/* Printed, and read again. */
static at_formulas *again(const at_formulas *f, bool ordered)
{
    at_text t;
    at_formulas *g;
    int longest;
    at_text_init(&t);
    (ordered ? at_crasp_print : at_foc_print)(f, &t);
    if ((ordered ? at_crasp_read : at_foc_read)(at_arena_strdup(&arena, t.s), "x", &arena, &g, &longest,
                                                &err))
        fail_msg("%s\n%.3000s", err.text, t.s);
    at_text_release(&t);
    return g;
}

static bool holds(const at_formulas *f, const int *word, int n)
{
    at_tri v;
    assert_int_equal(at_formulas_run(f, word, n, &v, &err), AT_OK);
    assert_true(v != AT_UNKNOWN);
    return v == AT_TRUE;
}

/* Words on which they differ: all to `longest`, and drawn ones of 40 letters. *accepted: how often it says yes, of all. */
static int differences(const at_model *m, at_arith arith, const at_formulas *f, int longest, int drawn,
                       int *accepted, int *all)
{
    int bad = 0, word[48];
    *accepted = *all = 0;
    for (int n = 0; n <= longest; n++)
        for (int w = 0; w < 1 << n; w++, ++*all) {
            for (int i = 0; i < n; i++)
                word[i] = w >> i & 1;
            bool yes = drawn_says(m, arith, word, n);
            *accepted += yes;
            bad += yes != holds(f, word, n);
        }
    at_rng r = at_rng_at(3, 3);
    for (int k = 0; k < drawn; k++) {
        uint64_t share = 1 + at_rng_below(&r, 9);
        for (int i = 0; i < 40; i++)
            word[i] = at_rng_below(&r, 10) < share;
        bad += drawn_says(m, arith, word, 40) != holds(f, word, 40);
    }
    return bad;
}

/* Models drawn, half of which may be constant; conditions drawn. */
enum { MODELS = TEST_SCALE > 1 ? 8 : 48, CONDITIONS = TEST_SCALED(3000) };

static void drawn_run(bool ordered)
{
    static const at_arith ariths[] = {{AT_QUOTIENT, 2, 4}, {AT_QUOTIENT, 3, 4}, {AT_QUOTIENT, 4, 4}};
    int models = 0, varied = 0, large = 0, most = 0, inequalities = 0, periodic = 0, deep = 0;
    for (uint64_t t = 0; t < 400 && models < MODELS; t++) {
        drawn_spec s = {.weighting = t % 5 == 4 ? AT_AVERAGE_HARD : AT_SOFTMAX,
                        .mask = !ordered ? AT_MASK_NONE
                                : t % 3  ? AT_MASK_CAUSAL
                                         : AT_MASK_STRICT,
                        .layers = t % 4 == 3 ? 2 : 1,
                        .heads = 1,
                        .dv = 1,
                        .prefix = (int)(t / 2 % 2),
                        .period = t % 6 == 1 ? 2 : 0,
                        .step = 0.5,
                        .most = t % 4 == 3 ? 2 : 3,
                        .mixed = ordered && t % 7 == 0};
        at_arith arith = s.layers == 2 ? (at_arith){AT_QUOTIENT, 2, 3} : ariths[t % 3];
        at_model m;
        at_extracted_count x;
        int accepted, all;
        drawn_make(&s, t, &m);
        at_mark mark = at_arena_mark(&arena);
        err = (at_err){0};
        at_status st = (ordered ? at_extract_crasp : at_extract_foc)(&m, arith, 0, &arena, &x, &err);
        if (st == AT_EBUDGET || (st == AT_EREFUSED && strstr(err.text, "finite")) ||
            (st == AT_EREFUSED && strstr(err.text, "leaves the numbers")))
            large++;
        else if (st)
            fail_msg("model %d: %s", (int)t, err.text);
        else if (at_formula_written(x.formulas, x.formulas->accept) > 100000)
            large++;
        else {
            at_formulas *g = again(x.formulas, ordered);
            int bad = differences(&m, arith, g, 8, 30, &accepted, &all);
            if (bad)
                fail_msg("model %d (q%de%d): %d words", (int)t, arith.bits, arith.exp_bits, bad);
            bool changes = accepted > 0 && accepted < all;
            models += changes || models - varied < MODELS / 2; /* no more that are constant count */
            varied += changes;
            deep += changes && s.layers == 2;
            most = x.values > most ? x.values : most;
            inequalities = x.inequalities > inequalities ? x.inequalities : inequalities;
            periodic += x.period > 1;
        }
        at_arena_reset(&arena, mark);
        at_model_release(&m);
    }
    print_message("%s: %d models (%d with positions), %d not constant (%d of two layers), %d too large; at "
                  "most %d values, %d "
                  "inequalities\n",
                  ordered ? "C-RASP" : "FOC", models, periodic, varied, deep, large, most, inequalities);
    assert_true(models >= MODELS && varied >= MODELS / 2 && periodic >= MODELS / 16);
}

static void test_crasp(void **state)
{
    (void)state;
    drawn_run(true);
}

static void test_foc(void **state)
{
    (void)state;
    drawn_run(false);
}

/* The formula of one number of bits is not the model in another: the check tells them apart. */
static void test_bits(void **state)
{
    (void)state;
    int apart = 0, sums = 0;
    for (uint64_t t = 0; t < 24; t++) {
        drawn_spec s = {.weighting = AT_SOFTMAX,
                        .mask = AT_MASK_CAUSAL,
                        .layers = 1,
                        .heads = 1,
                        .dv = 1,
                        .step = 0.5,
                        .most = 3};
        at_model m;
        at_extracted_count x;
        int accepted, all;
        drawn_make(&s, t, &m);
        if (!at_extract_crasp(&m, (at_arith){AT_QUOTIENT, 2, 3}, 0, &arena, &x, &err))
            apart += differences(&m, (at_arith){AT_QUOTIENT, 4, 3}, x.formulas, 8, 30, &accepted, &all) > 0;
        if (!at_extract_crasp(&m, (at_arith){AT_QUOTIENT, 3, 3}, 0, &arena, &x,
                              &err)) /* rounded sums are another thing */
            sums += differences(&m, (at_arith){AT_PBIT, 3, 3}, x.formulas, 8, 30, &accepted, &all) > 0;
        at_model_release(&m);
    }
    print_message("%d of 24 differ at other bits, %d with rounded sums\n", apart, sums);
    assert_true(apart >= 3 && sums >= 1);
}

/* By brute force: counts from 0 to 12. What is found there must be said to be possible. */
static void test_conditions(void **state)
{
    (void)state;
    int impossible = 0, possible = 0, unseen = 0;
    at_rng r = at_rng_at(11, 0);
    for (int t = 0; t < CONDITIONS; t++) {
        condition c[5] = {0};
        int n = 1 + (int)at_rng_below(&r, 5), offers = 1 + (int)at_rng_below(&r, 3);
        for (int k = 0; k < n; k++) {
            c[k].constant = (int64_t)at_rng_below(&r, 9) - 6;
            for (int o = 0; o < offers; o++)
                c[k].of[o] = (int64_t)at_rng_below(&r, 7) - 3;
        }
        bool found = false;
        for (int v = 0; v < 13 * 13 * 13 && !found; v++) {
            int count[3] = {v % 13, v / 13 % 13, v / 169};
            found = true;
            for (int k = 0; k < n; k++) {
                int64_t sum = c[k].constant;
                for (int o = 0; o < offers; o++)
                    sum += c[k].of[o] * count[o];
                found &= sum >= 0;
            }
        }
        bool said = conditions_meet(c, n, offers);
        if (found && !said)
            fail_msg("conditions %d hold for some counts", t);
        impossible += !said;
        possible += found;
        unseen += said && !found;
    }
    print_message("%d possible, %d impossible, %d not told\n", possible, impossible, unseen);
    assert_true(impossible > CONDITIONS / 6 && unseen < CONDITIONS / 50);
}

static void test_refused(void **state)
{
    (void)state;
    drawn_spec s = {.weighting = AT_SOFTMAX,
                    .mask = AT_MASK_CAUSAL,
                    .layers = 1,
                    .heads = 1,
                    .dv = 1,
                    .step = 0.5,
                    .most = 3};
    at_model m;
    at_extracted_count x;
    at_arith q = {AT_QUOTIENT, 3, 3};
    drawn_make(&s, 1, &m);
    static const struct {
        at_arith arith;
        const char *says;
    } rows[] = {{{AT_PBIT, 3, 3}, "p3e3 rounds both sums of a mean before it divides"},
                {{AT_F64, 53, 11}, "in f64 a stream has no few values"},
                {{AT_QUOTIENT, 4, 10}, "q4: at most 12 bits and 5 exponent bits"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        err = (at_err){0};
        assert_int_equal(at_extract_crasp(&m, rows[k].arith, 0, &arena, &x, &err), AT_EREFUSED);
        if (!strstr(err.text, rows[k].says))
            fail_msg("%s", err.text);
    }
    err = (at_err){0};
    assert_int_equal(at_extract_foc(&m, q, 0, &arena, &x, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "FOC[MOD;+] knows no order; causal and strict ones: --to crasp"));
    m.blocks[0].groups[0].mask.kind = AT_MASK_NONE;
    err = (at_err){0};
    assert_int_equal(at_extract_crasp(&m, q, 0, &arena, &x, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "without a mask: --to foc"));
    m.blocks[0].groups[0].mask.kind = AT_MASK_CAUSAL;
    m.blocks[0].groups[0].weighting = AT_LEFTMOST_HARD;
    err = (at_err){0};
    assert_int_equal(at_extract_crasp(&m, q, 0, &arena, &x, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "it chooses by order: --to ltl or dfa"));
    m.blocks[0].groups[0].weighting = AT_SOFTMAX;
    err = (at_err){0};
    assert_int_equal(at_extract_crasp(&m, q, 1, &arena, &x, &err), AT_EBUDGET);
    at_model_release(&m);
}

/* Every allocation fails once: that is said, and nothing else happens. */
static void test_memory(void **state)
{
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        drawn_spec s = {.weighting = AT_SOFTMAX,
                        .mask = ordered ? AT_MASK_CAUSAL : AT_MASK_NONE,
                        .layers = 1,
                        .heads = 1,
                        .dv = 1,
                        .prefix = 1,
                        .step = 0.5,
                        .most = 2};
        at_model m;
        drawn_make(&s, 2, &m);
        for (int64_t k = 1;; k++) {
            at_arena own;
            at_extracted_count x;
            at_err said = {0};
            at_arena_init(&own);
            at_alloc_inject(k);
            at_status st = (ordered ? at_extract_crasp : at_extract_foc)(&m, (at_arith){AT_QUOTIENT, 2, 3}, 0,
                                                                         &own, &x, &said);
            bool failed = at_alloc_injected();
            at_alloc_inject(0);
            at_arena_release(&own);
            assert_int_equal(st, failed ? AT_ENOMEM : AT_OK);
            if (!failed)
                break;
        }
        at_model_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_conditions, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_crasp, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_foc, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_bits, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_memory, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
