/* test_generator.c: a generator that was used before says what a new one says; and what a chain costs.
 *
 * Random decoders of every weighting, mask and arithmetic. Costs are counted by the decoder where it works and
 * computed by at_generation_cost from shapes; a naive count over all pairs of positions is the judge of the masks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "random_decoder.h"

/* Prompts in an order in which lengths go up and down, half of them with the beginning of the one before, and bad
 * ones between; every answer is that of at_generate. */
static void used_again(void **state)
{
    (void)state;
    int answers = 0, none = 0, refused = 0;
    for (uint64_t seed = 0; seed < 84; seed++) {
        at_model m;
        random_decoder(&(decoder_spec){.weighting = (at_weighting)(seed % AT_WEIGHTINGS),
                                       .mask = decoder_masks[seed % 3],
                                       .pos = seed % 2 ? AT_POS_SINUSOIDAL : AT_POS_I,
                                       .seed = seed},
                       &m);
        at_arith a = decoder_ariths[seed % DECODER_ARITHS];
        at_generator *g;
        at_err err = {0};
        must(at_generator_new(&m, a, &g, &err), &err);
        at_arena arena;
        at_arena_init(&arena);
        double prompt[5] = {0};
        for (uint64_t k = 0; k < 24; k++) {
            at_rng r = at_rng_at(seed, k);
            double *want, want_margin = -1, margin = -1;
            const double *rows = NULL;
            int n = 1 + (int)at_rng_below(&r, 5), want_n = -1, n_rows = -1; /* 5 rows are too many */
            for (int i = k % 2 ? (int)at_rng_below(&r, 4) : 0; i < n; i++)
                prompt[i] = (double)at_rng_below(&r, 5) + (i == 2 && k % 7 == 3 ? 5 : 0);
            at_err other = {0};
            err = (at_err){0};
            at_status st =
                at_generate(&m, a, &(at_input){n, prompt}, &arena, &want, &want_n, &want_margin, &other);
            assert_int_equal(at_generator_run(g, prompt, n, &rows, &n_rows, &margin, &err), st);
            assert_string_equal(err.text, other.text);
            assert_int_equal(n_rows, want_n);
            assert_memory_equal(&margin, &want_margin, sizeof margin);
            if (!st || st == AT_EBUDGET)
                assert_memory_equal(rows, want, (size_t)n_rows * sizeof *rows);
            answers += !st;
            none += st == AT_EBUDGET;
            refused += st == AT_EDOMAIN;
        }
        at_generator_free(g);
        at_arena_release(&arena);
        at_model_release(&m);
    }
    assert_true(answers > 100 && none > 100 && refused > 100);
    at_generator_free(NULL);
}

/* Long prompts under a block-sparse mask: rows of the common beginning are squeezed out before it is wanted again. */
static void long_prompts(void **state)
{
    (void)state;
    enum { PROMPT = 40 };
    for (uint64_t seed = 0; seed < 8; seed++) {
        at_model m;
        random_decoder(
            &(decoder_spec){.mask = AT_MASK_BLOCK_SPARSE, .pos = AT_POS_I, .seed = seed, .n_max = 64}, &m);
        m.decode = (at_decode){true, AT_STOP_STEPS, 0, 0, 20, 1, PROMPT};
        at_arith a = decoder_ariths[seed % DECODER_ARITHS];
        at_generator *g;
        at_arena arena;
        at_err err = {0};
        at_arena_init(&arena);
        must(at_generator_new(&m, a, &g, &err), &err);
        at_rng r = at_rng_at(seed, 9);
        double prompt[PROMPT] = {0};
        for (int k = 0; k < 12; k++) {
            for (int i = k ? (int)at_rng_below(&r, PROMPT) : 0; i < PROMPT; i++)
                prompt[i] = (double)at_rng_below(&r, 5);
            const double *rows;
            double *want, margin, want_margin;
            int n, want_n;
            must(at_generate(&m, a, &(at_input){PROMPT, prompt}, &arena, &want, &want_n, &want_margin, &err),
                 &err);
            must(at_generator_run(g, prompt, PROMPT, &rows, &n, &margin, &err), &err);
            assert_true(n == want_n && margin == want_margin);
            assert_memory_equal(rows, want, (size_t)n * sizeof *rows);
        }
        at_generator_free(g);
        at_arena_release(&arena);
        at_model_release(&m);
    }
}

/* A run that fails for want of memory changes nothing for the next. */
static void no_memory(void **state)
{
    (void)state;
    at_model m;
    random_decoder(&(decoder_spec){.mask = AT_MASK_CAUSAL, .pos = AT_POS_I, .seed = 4}, &m);
    for (long nth = 1, fired = 1; fired; nth++) {
        at_err err = {0};
        at_generator *g = NULL;
        at_alloc_inject(nth);
        at_status st = at_generator_new(&m, at_f64, &g, &err);
        const double *rows;
        double prompt[] = {1, 2, 3}, margin, again;
        int n = 0, n2 = 0;
        if (!st)
            st = at_generator_run(g, prompt, 3, &rows, &n, &margin, &err);
        fired = at_alloc_injected();
        at_alloc_inject(0);
        if (fired)
            assert_int_equal(st, AT_ENOMEM);
        if (g) {
            at_status want = at_generator_run(g, prompt, 3, &rows, &n, &margin, &err);
            assert_true(want == AT_OK || want == AT_EBUDGET);
            assert_int_equal(at_generator_run(g, prompt, 3, &rows, &n2, &again, &err), want);
            assert_true(n == n2 && margin == again);
        }
        at_generator_free(g);
    }
    at_model_release(&m);
}

/* ---- cost ------------------------------------------------------------------------------------------------- */

static bool same_cost(const at_cost *a, const at_cost *b)
{
    return memcmp(a, b, sizeof *a) == 0; /* only uint64_t, so no padding */
}

/* Every number of at_cost, after every row: 7 weightings, 3 masks, 4 arithmetics. */
static void counted_is_computed(void **state)
{
    (void)state;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int k = 0; k < 3; k++)
            for (uint64_t seed = 0; seed < 8; seed++) {
                at_model m;
                random_decoder(&(decoder_spec){.weighting = (at_weighting)w,
                                               .mask = decoder_masks[k],
                                               .pos = seed % 3 == 0   ? AT_POS_TABLE
                                                      : seed % 3 == 1 ? AT_POS_SQRT_PAIR
                                                                      : AT_POS_KINDS,
                                               .integers = seed % 2,
                                               .seed = seed},
                               &m);
                at_decoder *d;
                at_err err = {0};
                must(at_decoder_new(&m, decoder_ariths[seed % DECODER_ARITHS], &d, &err), &err);
                at_rng rng = at_rng_at(seed, 3);
                int prompt = 1 + (int)(seed % 4);
                for (int t = 1; t <= m.n_max; t++) {
                    double row[8], margin;
                    at_tri decided;
                    random_decoder_row(&m, &rng, row);
                    must(at_decoder_push(d, row, &err), &err);
                    if (t < prompt)
                        continue;
                    must(at_decoder_next(d, row, &margin, &decided, &err), &err);
                    at_cost done = at_decoder_cost(d), want;
                    must(at_generation_cost(&m, prompt, t - prompt + 1, &want, &err), &err);
                    assert_true(same_cost(&done, &want));
                    assert_true(want.dense > 0 && (want.attention > 0 || want.positions == 1));
                }
                at_decoder_free(d);
                at_model_release(&m);
            }
}

/* Scores of one softmax group by brute force over pairs of positions, over masks with many blocks. */
static void masks_by_pairs(void **state)
{
    (void)state;
    at_group g = {.heads = 3, .dk = 5, .dv = 2, .weighting = AT_SOFTMAX, .scale = 1};
    at_block b = {.kind = AT_BLOCK_ATTN, .groups = &g, .n_groups = 1};
    at_model m;
    at_model_init(&m);
    m.width = 4;
    m.n_max = 60;
    m.blocks = &b;
    m.n_blocks = 1;
    m.readout.rows = 1;
    for (int kind = 0; kind < 3; kind++)
        for (int B = 1; B <= 7; B++)
            for (int k = 1; k <= 3; k++)
                for (int c = 1; c <= B; c++) {
                    g.mask = (at_mask){decoder_masks[kind], B, k, c};
                    uint64_t pairs = 0, last = kind == 1; /* strict: its own key is seen by the next row */
                    for (int i = 0; i < 60; i++)
                        for (int j = 0; j < 60; j++) {
                            pairs += at_mask_allows(&g.mask, i, j);
                            last += i == 59 && at_mask_allows(&g.mask, i, j);
                        }
                    at_cost got;
                    at_err err = {0};
                    must(at_generation_cost(&m, 50, 11, &got, &err), &err);
                    assert_true(got.positions == 60 && got.readouts == 11);
                    assert_true(got.scores == pairs * 15 && got.values == pairs * 6 && got.states == 0);
                    assert_true(got.attention == pairs * 21 &&
                                got.projections == 60 * 4 * 3 * (5 + 5 + 2 + 2));
                    uint64_t kept;
                    must(at_generation_kept(&m, 50, 11, &kept, &err), &err);
                    assert_true(kept == last * 3 * (5 + 2));
                }
    for (int kind = 0; kind < AT_MASKS; kind++) { /* a run: every mask, by pairs again */
        g.mask = (at_mask){(at_mask_kind)kind, 7, 2, 1};
        uint64_t pairs = 0;
        for (int i = 0; i < 60; i++)
            for (int j = 0; j < 60; j++)
                pairs += at_mask_allows(&g.mask, i, j);
        at_cost run;
        at_err why = {0};
        must(at_run_cost(&m, 60, &run, &why), &why);
        assert_true(run.scores == pairs * 15 && run.values == pairs * 6 && run.readouts == 60);
        assert_int_equal(at_run_cost(&m, 61, &run, &why), AT_EDOMAIN);
    }
    at_cost got;
    at_err err = {0};
    assert_int_equal(at_generation_cost(&m, 50, 12, &got, &err), AT_EDOMAIN);
    assert_int_equal(at_generation_cost(&m, 50, 0, &got, &err), AT_EDOMAIN);
    g.mask.kind = AT_MASK_FUTURE;
    assert_int_equal(at_generation_cost(&m, 50, 1, &got, &err), AT_EREFUSED);
    /* three-wise over 2^20 positions with the widest heads: beyond 2^64, and it says so */
    m.n_max = AT_MAX_LENGTH;
    g = (at_group){
        .heads = 64, .dk = 1024, .dv = 1024, .weighting = AT_THREEWISE, .mask = {.kind = AT_MASK_CAUSAL}};
    must(at_generation_cost(&m, 1, AT_MAX_LENGTH, &got, &err), &err);
    assert_true(got.scores == UINT64_MAX && got.attention == UINT64_MAX && got.dense < UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(used_again), cmocka_unit_test(long_prompts),
                                       cmocka_unit_test(no_memory), cmocka_unit_test(counted_is_computed),
                                       cmocka_unit_test(masks_by_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
