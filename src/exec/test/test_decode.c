/* test_decode.c: decoding against the whole pass.
 *
 * A decoder must give at every position the numbers that at_run gives at the last position of the prefix, bit for
 * bit: random decoders over every mask, weighting and position feature that a decoder may have. Linear attention
 * from running sums is another sum; it is compared with the formulas of docs/decode.md, computed here
 * apart, bit for bit, and with at_run inside the ball of at_run_bound(any_order), which holds every run that
 * adds in another order. Then caches: how much they hold, what a failed push leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "../decode.h"
#include "random_decoder.h"

static bool same(const double *a, const double *b, int n)
{
    for (int k = 0; k < n; k++)
        if (memcmp(&a[k], &b[k], sizeof *a) && !(isnan(a[k]) && isnan(b[k])))
            return false;
    return true;
}

/* Pushes random rows; at every length values, decisions and margins are those of at_run. Returns the number of
 * values that were infinite or not a number. */
static int pass_compare(const at_model *m, at_arith a, uint64_t seed)
{
    at_err err = {0};
    at_decoder *d;
    at_arena arena;
    at_arena_init(&arena);
    must(at_decoder_new_keys(m, a, &d, &err), &err);
    at_rng rng = at_rng_at(seed, 5);
    int width = at_model_row_width(m), R = m->readout.rows, wild = 0;
    double rows[3 * 64], next[3], margin;
    at_tri decided;
    for (int n = 1; n <= m->n_max; n++) {
        at_output y;
        random_decoder_row(m, &rng, rows + (n - 1) * width);
        must(at_decoder_push(d, rows + (n - 1) * width, &err), &err);
        must(at_decoder_next(d, next, &margin, &decided, &err), &err);
        must(at_run(m, a, &(at_input){n, rows}, NULL, &arena, &y, &err), &err);
        size_t last = (size_t)(y.n - 1);
        if (!same(d->y.value, y.value + last * (size_t)R, R))
            fail_msg("weighting %s, mask %s, arithmetic %d, seed %d, length %d: %a is not %a",
                     at_weighting_names[m->blocks[0].groups[0].weighting],
                     at_mask_names[m->blocks[0].groups[0].mask.kind], (int)a.kind, (int)seed, n,
                     d->y.value[0], y.value[last * (size_t)R]);
        assert_true(same(d->y.margin, y.margin + last * (size_t)y.width, y.width));
        double least = INFINITY;
        for (int k = 0; k < y.width; k++) {
            least = fmin(least, y.margin[last * (size_t)y.width + (size_t)k]);
            double want = y.decision[last * (size_t)y.width + (size_t)k];
            assert_true(next[k] == want || (isnan(next[k]) && isnan(want)));
            if (y.decided[last * (size_t)y.width + (size_t)k] != AT_TRUE)
                assert_int_equal(decided, AT_UNKNOWN);
        }
        assert_true(margin == least);
        for (int k = 0; k < R; k++)
            wild += !isfinite(d->y.value[k]);
    }
    at_decoder_free(d);
    at_arena_release(&arena);
    return wild;
}

/* The kinds of position features that a decoder may have, and AT_POS_KINDS, none. */
static bool position_allowed(int kind)
{
    return kind != AT_POS_I_OVER_N && kind != AT_POS_I_OVER_N3 && kind != AT_POS_N;
}

static void whole_pass(void **state)
{
    (void)state;
    uint64_t seed = 0;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int k = 0; k < 3; k++)
            for (int p = 0; p <= AT_POS_KINDS; p++)
                for (int integers = 0; integers < 2 && position_allowed(p); integers++, seed++) {
                    at_model m;
                    random_decoder(&(decoder_spec){.weighting = (at_weighting)w,
                                                   .mask = decoder_masks[k],
                                                   .pos = (at_pos_kind)p,
                                                   .integers = integers,
                                                   .seed = seed},
                                   &m);
                    for (int a = 0; a < DECODER_ARITHS; a++)
                        pass_compare(&m, decoder_ariths[a], seed);
                    at_model_release(&m);
                }
}

/* Long enough for caches to be squeezed several times. */
static void long_sparse(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2 * AT_WEIGHTINGS; seed++) {
        at_model m;
        random_decoder(&(decoder_spec){.weighting = (at_weighting)(seed % AT_WEIGHTINGS),
                                       .mask = AT_MASK_BLOCK_SPARSE,
                                       .pos = AT_POS_ALTERNATE,
                                       .seed = seed,
                                       .n_max = 60},
                       &m);
        for (int a = 0; a < DECODER_ARITHS; a++)
            pass_compare(&m, decoder_ariths[a], seed);
        at_model_release(&m);
    }
}

/* Weights so large that infinities and NaN appear (1e39 is one in f32 itself), where leaving out a zero too many
 * would show. */
static void overflow(void **state)
{
    (void)state;
    int wild = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        at_model m;
        random_decoder(&(decoder_spec){.weighting = (at_weighting)(seed % AT_WEIGHTINGS),
                                       .mask = decoder_masks[seed % 3],
                                       .pos = AT_POS_I,
                                       .integers = seed % 2,
                                       .seed = 6 * seed,
                                       .gain = seed % 4 < 2 ? 1e30 : 1e39},
                       &m);
        for (int a = 0; a < DECODER_ARITHS; a++)
            wild += pass_compare(&m, decoder_ariths[a], seed);
        at_model_release(&m);
    }
    assert_true(wild > 1000);
}

/* ---- running sums -------------------------------------------------------------------------------------- */

/* One linear head, dk = dv = 2, whose queries, keys and values are coordinates 0,1 / 2,3 / 4,5 of the token's
 * row; the readout is the mix in coordinates 6,7. */
static void linear_model(at_mask_kind mask, at_model *m)
{
    at_err err = {0};
    at_model_init(m);
    m->width = 8;
    m->n_max = 40;
    m->n_fields = m->n_blocks = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->fields[0] = (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = 7, .embed = {0, 6, 0}};
    m->blocks = at_new(&m->arena, at_block, 1);
    m->blocks[0] = (at_block){.n_groups = 1, .groups = at_new(&m->arena, at_group, 1)};
    m->blocks[0].groups[0] =
        (at_group){.heads = 1, .dk = 2, .dv = 2, .weighting = AT_LINEAR, .scale = 1, .mask = {.kind = mask}};
    m->readout = (at_readout){.kind = AT_READ_ARGMAX, .rows = 2, .last = true};
    m->decode = (at_decode){true, AT_STOP_EQUALS, 0, 1, 3, 1, 3};
    must(at_model_layout(m, &err), &err);
    at_rng rng = at_rng_at(3, 3);
    double *e = at_model_data(m, m->fields[0].embed.tensor);
    for (int k = 0; k < 42; k++)
        e[k] = at_rng_normal(&rng);
    at_group *g = &m->blocks[0].groups[0];
    for (int k = 0; k < 2; k++) {
        at_model_data(m, g->q)[k * 8 + k] = 1;
        at_model_data(m, g->k)[k * 8 + 2 + k] = 1;
        at_model_data(m, g->v)[k * 8 + 4 + k] = 1;
        at_model_data(m, g->o)[(6 + k) * 2 + k] = 1;
        at_model_data(m, m->readout.w)[k * 8 + 6 + k] = 1;
    }
}

static double phi(at_arith a, const at_pfmt *f, double x)
{
    x = at_p_round(f, x);
    if (x > 0)
        return at_p_add(f, x, 1);
    return a.kind == AT_F64 ? exp(x) : a.kind == AT_F32 ? (double)expf((float)x) : at_p_exp(f, x);
}

/* The rule of docs/decode.md over the whole prefix: z_c = sum phi(k)_c, S_ce = sum phi(k)_c v_e, then
 * (sum_c phi(q)_c S_ce) / (sum_c phi(q)_c z_c). f32, f64: every operation rounded, ascending. p-bit: each of
 * the sums exact, rounded once. */
static void sums_by_hand(const at_model *m, at_arith a, const double *tokens, int n, bool strict,
                         double out[2])
{
    at_pfmt f = at_pfmt_of(a);
    const double *e = at_model_data(m, m->fields[0].embed.tensor);
    double sums[3][2], q[2], num[3];
    for (int c = 0; c < 2; c++) {
        q[c] = phi(a, &f, e[6 * (int)tokens[n - 1] + c]);
        for (int v = 0; v < 3; v++) {
            at_acc acc;
            at_acc_zero(&acc);
            sums[v][c] = 0;
            for (int j = 0; j < n - strict; j++) {
                const double *row = e + 6 * (int)tokens[j];
                double k = phi(a, &f, row[2 + c]), x = v < 2 ? at_p_round(&f, row[4 + v]) : 1;
                at_acc_add_product(&acc, k, x);
                sums[v][c] = at_p_add(&f, sums[v][c], at_p_mul(&f, k, x));
            }
            if (a.kind == AT_PBIT)
                sums[v][c] = at_acc_round(&acc, &f);
        }
    }
    for (int v = 0; v < 3; v++) {
        at_acc acc;
        at_acc_zero(&acc);
        at_acc_add_product(&acc, q[0], sums[v][0]);
        at_acc_add_product(&acc, q[1], sums[v][1]);
        num[v] = a.kind == AT_PBIT
                     ? at_acc_round(&acc, &f)
                     : at_p_add(&f, at_p_mul(&f, q[0], sums[v][0]), at_p_mul(&f, q[1], sums[v][1]));
    }
    for (int v = 0; v < 2; v++)
        out[v] = n - strict > 0 ? at_p_div(&f, num[v], num[2]) : 0;
}

static void running_sums(void **state)
{
    (void)state;
    int differ = 0;
    for (int strict = 0; strict < 2; strict++)
        for (int a = 0; a < DECODER_ARITHS; a++) {
            at_model m;
            at_err err = {0};
            at_decoder *d;
            at_arena arena;
            at_arena_init(&arena);
            linear_model(strict ? AT_MASK_STRICT : AT_MASK_CAUSAL, &m);
            must(at_decoder_new(&m, decoder_ariths[a], &d, &err), &err);
            at_rng rng = at_rng_at(9, 9);
            double tokens[40], next, margin;
            at_tri decided;
            size_t bytes = at_decoder_bytes(d);
            for (int n = 1; n <= 40; n++) {
                double want[2];
                at_output y;
                tokens[n - 1] = (double)at_rng_below(&rng, 7);
                must(at_decoder_push(d, &tokens[n - 1], &err), &err);
                must(at_decoder_next(d, &next, &margin, &decided, &err), &err);
                sums_by_hand(&m, decoder_ariths[a], tokens, n, strict, want);
                assert_true(same(d->y.value, want, 2));
                must(at_run(&m, decoder_ariths[a], &(at_input){n, tokens}, NULL, &arena, &y, &err), &err);
                differ += !same(d->y.value, y.value, 2);
            }
            assert_true(at_decoder_bytes(d) == bytes && bytes > 0);
            at_decoder_free(d);
            at_model_release(&m);
            at_arena_release(&arena);
        }
    assert_true(differ > 0); /* they are another sum: were they not, the docs would be wrong */
}

/* On random models the sums stay in the ball of every order of adding. */
static void sums_near_run(void **state)
{
    (void)state;
    int bounded = 0;
    for (uint64_t seed = 0; seed < 16; seed++)
        for (int a = 0; a < 2; a++) {
            at_model m;
            at_err err = {0};
            at_decoder *d;
            at_arena arena;
            at_arena_init(&arena);
            random_decoder(&(decoder_spec){.weighting = AT_LINEAR,
                                           .mask = decoder_masks[seed % 2],
                                           .pos = AT_POS_INV_I,
                                           .seed = seed},
                           &m);
            must(at_decoder_new(&m, decoder_ariths[a], &d, &err), &err);
            at_rng rng = at_rng_at(seed, 6);
            double tokens[DECODER_LENGTH], next, margin;
            at_tri decided;
            for (int n = 1; n <= DECODER_LENGTH; n++) {
                at_output y;
                random_decoder_row(&m, &rng, &tokens[n - 1]);
                must(at_decoder_push(d, &tokens[n - 1], &err), &err);
                must(at_decoder_next(d, &next, &margin, &decided, &err), &err);
                must(at_run_bound(&m, decoder_ariths[a], &(at_input){n, tokens}, true, &arena, &y, &err),
                     &err);
                for (int r = 0; r < y.rows; r++) {
                    size_t at = (size_t)((y.n - 1) * y.rows + r);
                    bounded += isfinite(y.radius[at]);
                    /* the midpoint was rounded to a double */
                    double slack = fabs(y.value[at]) * 0x1p-52;
                    assert_true(!isfinite(y.radius[at]) ||
                                fabs(d->y.value[r] - y.value[at]) <= y.radius[at] + slack);
                }
            }
            at_decoder_free(d);
            at_model_release(&m);
            at_arena_release(&arena);
        }
    assert_true(bounded > 1000);
}

/* ---- caches --------------------------------------------------------------------------------------------- */

static size_t bytes_after(at_mask mask, at_weighting w, int n)
{
    at_model m;
    at_err err = {0};
    at_decoder *d;
    random_decoder(&(decoder_spec){.weighting = w, .mask = mask.kind, .pos = AT_POS_INV_I, .n_max = n}, &m);
    for (int b = 0; b < m.n_blocks; b += 2)
        for (int g = 0; g < 2; g++)
            m.blocks[b].groups[g].mask = mask;
    must(at_decoder_new(&m, at_f64, &d, &err), &err);
    at_rng rng = at_rng_at(1, 1);
    for (int t = 0; t < n; t++) {
        double row[3];
        random_decoder_row(&m, &rng, row);
        must(at_decoder_push(d, row, &err), &err);
    }
    double one_more = 0;
    assert_int_equal(at_decoder_push(d, &one_more, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "out of range"));
    size_t bytes = at_decoder_bytes(d);
    at_decoder_free(d);
    at_model_release(&m);
    return bytes;
}

/* At most 2 (kB + cT/B + c) + 16 rows in each of the four groups: the first of a block has 2 heads with 3 + 2
 * numbers, the second one with 2 + 4, and each row has its position. */
static void memory(void **state)
{
    (void)state;
    at_mask sparse = {AT_MASK_BLOCK_SPARSE, 32, 1, 1}, causal = {.kind = AT_MASK_CAUSAL};
    size_t row = 2 * ((10 + 6) * sizeof(double) + 2 * sizeof(int));
    for (int T = 256; T <= 4096; T *= 4) {
        size_t live = 32 + (size_t)T / 32 + 1;
        assert_true(bytes_after(sparse, AT_SOFTMAX, T) <= (2 * live + 16) * row);
        assert_true(bytes_after(sparse, AT_LINEAR, T) <= (2 * live + 16) * row);
    }
    assert_true(bytes_after(causal, AT_SOFTMAX, 1024) >= 1024 * row);
    assert_true(bytes_after(causal, AT_SOFTMAX, 1024) <= (2 * 1024 + 16) * row);
    assert_true(bytes_after(causal, AT_LINEAR, 16) == bytes_after(causal, AT_LINEAR, 1024));
}

/* A push that finds no memory changes nothing: the next one gives the numbers of an undisturbed run. */
static void push_again(void **state)
{
    (void)state;
    for (int w = 0; w < AT_WEIGHTINGS; w++) {
        at_model m;
        at_err err = {0};
        at_decoder *calm, *poor;
        random_decoder(&(decoder_spec){.weighting = (at_weighting)w,
                                       .mask = decoder_masks[w % 3],
                                       .pos = AT_POS_I,
                                       .seed = (uint64_t)w,
                                       .n_max = 60},
                       &m);
        must(at_decoder_new(&m, at_f64, &calm, &err), &err);
        must(at_decoder_new(&m, at_f64, &poor, &err), &err);
        at_rng rng = at_rng_at(2, 2);
        double row[3], a[3], b[3], margin;
        at_tri decided;
        int failed = 0;
        for (int t = 0; t < 60; t++) {
            random_decoder_row(&m, &rng, row);
            must(at_decoder_push(calm, row, &err), &err);
            bool done = false;
            for (long nth = 1; !done; nth++) {
                at_err mine = {0};
                at_alloc_inject(nth);
                done = at_decoder_push(poor, row, &mine) == AT_OK;
                at_alloc_inject(0);
                failed += !done;
                if (!done)
                    assert_int_equal(mine.code, AT_ENOMEM);
            }
            must(at_decoder_next(calm, a, &margin, &decided, &err), &err);
            must(at_decoder_next(poor, b, &margin, &decided, &err), &err);
            assert_true(same(calm->y.value, poor->y.value, m.readout.rows));
        }
        assert_true(w == AT_LINEAR || failed > 0);
        at_decoder_free(calm);
        at_decoder_free(poor);
        at_model_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_pass),   cmocka_unit_test(long_sparse),   cmocka_unit_test(overflow),
        cmocka_unit_test(running_sums), cmocka_unit_test(sums_near_run), cmocka_unit_test(memory),
        cmocka_unit_test(push_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
