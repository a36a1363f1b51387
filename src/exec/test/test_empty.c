/* test_empty.c: the empty input, in every executor. It has the hidden rows alone: read is the last of them, or, at all user
 * positions, nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "../exec_internal.h"
#include "naive.h"
#include "random_decoder.h"
#include "random_model.h"

static const at_input empty = {0, NULL};

/* Weights that are floats, and lengths from 0. */
static void model_make(const random_spec *s, at_model *m)
{
    at_err err = {0};
    must(random_model(s, m, &err), &err);
    for (size_t i = 0; i < m->n_weights; i++)
        m->weights[i] = (float)m->weights[i];
    m->n_min = 0;
    must(at_model_validate(m, &err), &err);
}

/* p-bit runs are the naive twin's numbers, balls contain the real ones. */
static void reference_is_naive(const at_model *m, at_arena *arena)
{
    static const at_arith formats[] = {{AT_PBIT, 12, 8}, {AT_PBIT, 30, 10}};
    mpfr_t out[64];
    at_err err = {0};
    at_output y;
    for (size_t k = 0; k < 2; k++) {
        must(at_run(m, formats[k], &empty, NULL, arena, &y, &err), &err);
        int n = naive_run(m, formats[k].bits, formats[k].exp_bits, &empty, out);
        assert_int_equal(n, y.n * y.rows);
        for (int i = 0; i < n; i++) {
            assert_true(mpfr_get_d(out[i], MPFR_RNDN) == y.value[i]);
            mpfr_clear(out[i]);
        }
    }
    must(at_run(m, (at_arith){AT_BALL, 128, 0}, &empty, NULL, arena, &y, &err), &err);
    int n = naive_run(m, 0, 0, &empty, out);
    assert_int_equal(n, y.n * y.rows);
    for (int i = 0; i < n; i++) {
        if (isfinite(y.radius[i]))
            assert_true(fabs(mpfr_get_d(out[i], MPFR_RNDN) - y.value[i]) <=
                        y.radius[i] + DBL_EPSILON * fabs(y.value[i]));
        mpfr_clear(out[i]);
    }
}

/* f32 and f64 of the reference and of the fast executor lie in the ball of at_run_bound. */
static void machines_agree(const at_model *m, at_arena *arena)
{
    const at_arith ariths[] = {at_f32, at_f64};
    at_err err = {0};
    for (int a = 0; a < 2; a++) {
        at_output y, b;
        must(at_run(m, ariths[a], &empty, NULL, arena, &y, &err), &err);
        must(at_run_bound(m, ariths[a], &empty, true, arena, &b, &err), &err);
        at_exec *e;
        at_scratch *s;
        must(at_exec_new(m, ariths[a], 0, &e, &err), &err);
        must(at_scratch_new(e, &s, &err), &err);
        assert_int_equal(at_exec_positions(e), y.n);
        enum { BATCH = 9 };
        double *value = at_new(arena, double, BATCH *(size_t)(y.n * y.rows) + 1);
        at_exec_run(e, s, NULL, BATCH, value);
        for (int i = 0; i < BATCH * y.n * y.rows; i++) {
            int k = i % (y.n * y.rows);
            double slack = b.radius[k] + DBL_EPSILON * fabs(b.value[k]);
            assert_true(!isfinite(b.radius[k]) || fabs(value[i] - b.value[k]) <= slack);
            assert_true(!isfinite(b.radius[k]) || fabs(y.value[k] - b.value[k]) <= slack);
        }
        at_scratch_free(s);
        at_exec_free(e);
    }
}

static void all_parts(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int mask = 0; mask < AT_MASKS; mask++)
            for (int pos = 0; pos <= AT_POS_KINDS; pos++, seed++) {
                random_spec s = {.weighting = (at_weighting)w,
                                 .mask = (at_mask_kind)mask,
                                 .pos = (at_pos_kind)pos,
                                 .seed = seed,
                                 .norm = (at_norm)(seed % AT_NORMS),
                                 .post = (at_post)(seed % AT_POSTS),
                                 .act = (at_act)(seed % AT_ACTS),
                                 .read = AT_READ_RAW,
                                 .tokens_only = seed % 2,
                                 .final_norm = seed % 5 == 0,
                                 .last = true};
                at_model m;
                at_arena arena;
                at_arena_init(&arena);
                model_make(&s, &m);
                machines_agree(&m, &arena);
                if (pos % 3 == w % 3)
                    reference_is_naive(&m, &arena);
                at_arena_release(&arena);
                at_model_release(&m);
            }
}

static void exact_arithmetic(void **state)
{
    (void)state;
    at_model m;
    at_arena arena;
    at_output y, z;
    at_err err = {0};
    at_arena_init(&arena);
    model_make(
        &(random_spec){
            .weighting = AT_AVERAGE_HARD, .pos = AT_POS_I, .integers = true, .last = true, .seed = 3},
        &m);
    must(at_run(&m, (at_arith){AT_EXACT, 0, 0}, &empty, NULL, &arena, &y, &err), &err);
    must(at_run(&m, at_f64, &empty, NULL, &arena, &z, &err), &err);
    assert_int_equal(y.n, 1);
    for (int i = 0; i < y.rows; i++)
        assert_true(fabs(y.value[i] - z.value[i]) <= 1e-9 * fmax(1, fabs(y.value[i])));
    at_arena_release(&arena);
    at_model_release(&m);
}

/* At all user positions there is nothing to read, with hidden rows and without. */
static void no_outputs(void **state)
{
    (void)state;
    at_err err = {0};
    for (int hidden = 0; hidden < 2; hidden++)
        for (int w = 0; w < AT_WEIGHTINGS; w++) {
            at_model m;
            at_arena arena;
            at_arena_init(&arena);
            random_spec s = {
                .weighting = (at_weighting)w, .pos = AT_POS_I_OVER_N, .seed = 5, .tokens_only = w % 2};
            must(random_model(&s, &m, &err), &err);
            m.n_min = 0;
            if (!hidden) {
                m.n_prefix = m.n_suffix = 0;
                must(at_model_layout(&m, &err), &err);
            }
            at_output y;
            at_trace trace;
            must(at_run(&m, at_f64, &empty, &trace, &arena, &y, &err), &err);
            assert_int_equal(y.n, 0);
            assert_int_equal(trace.T, hidden ? 2 : 0);
            must(at_run(&m, (at_arith){AT_BALL, 128, 0}, &empty, NULL, &arena, &y, &err), &err);
            assert_int_equal(y.n, 0);
            must(at_run(&m, (at_arith){AT_PBIT, 12, 8}, &empty, NULL, &arena, &y, &err), &err);
            assert_int_equal(y.n, 0);
            at_exec *e;
            at_scratch *scratch;
            must(at_exec_new(&m, at_f32, 0, &e, &err), &err);
            must(at_scratch_new(e, &scratch, &err), &err);
            assert_int_equal(at_exec_positions(e), 0);
            at_exec_run(e, scratch, NULL, 3, NULL);
            at_scratch_free(scratch);
            at_exec_free(e);
            at_arena_release(&arena);
            at_model_release(&m);
        }
}

/* A chain from the empty prompt: each row is what the whole pass reads at the last position. */
static void decoding(void **state)
{
    (void)state;
    at_err err = {0};
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int mask = 0; mask < 3; mask++)
            for (int a = 0; a < DECODER_ARITHS; a++) {
                at_model m, whole;
                at_arena arena;
                at_arena_init(&arena);
                random_decoder(&(decoder_spec){.weighting = (at_weighting)w,
                                               .mask = decoder_masks[mask],
                                               .pos = AT_POS_I,
                                               .integers = a % 2,
                                               .seed = (uint64_t)(3 * (w + a) + 1 + w % 2)},
                               &m);
                m.n_min = m.decode.prompt_min = 0;
                must(at_model_validate(&m, &err), &err);
                double *rows, least;
                int n = 0, width = at_model_row_width(&m);
                at_status st = at_generate(&m, decoder_ariths[a], &empty, &arena, &rows, &n, &least, &err);
                assert_true(!st || st == AT_EBUDGET);
                must(at_model_copy(&m, &whole, &err), &err);
                whole.decode.enabled = false;
                whole.readout.last = true;
                double *all = at_new(&arena, double, (size_t)(n + 1) * (size_t)width);
                for (int k = 0; k < n; k++) {
                    at_output y;
                    must(at_run(&whole, decoder_ariths[a], &(at_input){k, all}, NULL, &arena, &y, &err),
                         &err);
                    for (int c = 0; c < width; c++)
                        assert_true(y.decision[c] + 0.0 == rows[k * width + c]);
                    memcpy(all + k * width, rows + k * width, (size_t)width * sizeof *all);
                }
                at_model_release(&whole);
                at_model_release(&m);
                at_arena_release(&arena);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_parts), cmocka_unit_test(exact_arithmetic),
                                       cmocka_unit_test(no_outputs), cmocka_unit_test(decoding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
