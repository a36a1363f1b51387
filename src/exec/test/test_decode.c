/* test_decode.c: decoding against the whole pass.
 *
 * A decoder must give at every position the numbers that at_run gives at the last position of the prefix, bit for
 * bit: random decoders over every mask, weighting and position feature that a decoder may have. Linear attention
 * from running sums is another sum; it is compared with the formulas of docs/decode.md, computed here
 * apart, bit for bit, and with at_run inside the ball of at_run_bound(any_order), which holds every run that
 * adds in another order. Then caches (how much, what a failed push leaves), stop rules, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../decode.h"

static const at_arith ariths[] = {{AT_F64, 0, 0}, {AT_F32, 0, 0}, {AT_PBIT, 12, 8}, {AT_PBIT, 30, 10}};
enum { ARITHS = sizeof ariths / sizeof *ariths, LENGTH = 14 };

static void must(at_status st, const at_err *err)
{
    if (st)
        fail_msg("%s", err->text);
}

/* ---- random decoders ---------------------------------------------------------------------------------- */

typedef struct {
    at_weighting weighting;
    at_mask_kind mask; /* BLOCK_SPARSE: B = 3, k, c vary with the seed */
    at_pos_kind pos;   /* AT_POS_KINDS: none */
    bool integers;     /* two integer fields of 2 and 1 and rounding, instead of 5 tokens and argmax */
    uint64_t seed;     /* also chooses norms, activation, prefix, bias */
    int n_max;
    double gain; /* of all weights */
} spec;

static void blocks_fill(const spec *s, at_model *m)
{
    for (int b = 0; b < m->n_blocks; b++) {
        at_block *block = &m->blocks[b];
        block->residual = b != 3;
        block->norm = (at_norm)((s->seed + (uint64_t)b) % AT_NORMS);
        block->norm_eps = 1e-3;
        if (b % 2) {
            block->kind = AT_BLOCK_MLP;
            block->act = s->seed % 2 ? AT_ACT_RELU : AT_ACT_GELU;
            block->n_dense = 3;
            block->dense = at_new(&m->arena, at_dense, 3);
            block->dense[0].rows = 9;
            block->dense[1].rows = 7;
            block->dense[2].rows = m->width;
            continue;
        }
        block->kind = AT_BLOCK_ATTN;
        block->n_groups = 2;
        block->groups = at_new(&m->arena, at_group, 2);
        for (int g = 0; g < 2; g++)
            block->groups[g] = (at_group){
                .heads = g ? 1 : 2,
                .dk = g ? 2 : 3,
                .dv = g ? 4 : 2,
                .weighting = s->weighting,
                .post =
                    s->weighting == AT_LINEAR ? AT_POST_ID : (at_post)((s->seed + (uint64_t)g) % AT_POSTS),
                .scale = g ? 1 : 0.75,
                .tie = 0.25,
                .mask = {s->mask, 3, 1 + (int)(s->seed % 2), 1 + (int)(s->seed / 2 % 2)},
                .bias = !g,
            };
    }
}

static void decoder_random(const spec *s, at_model *m)
{
    at_err err = {0};
    at_model_init(m);
    strcpy(m->name, "random decoder");
    m->width = 6;
    m->n_max = s->n_max ? s->n_max : LENGTH;
    m->n_prefix = (int)(s->seed % 3);
    m->prefix.width = 6;
    m->n_fields = s->integers ? 2 : 1;
    m->fields = at_new(&m->arena, at_field, 2);
    for (int k = 0; k < m->n_fields; k++) {
        at_field *f = &m->fields[k];
        *f = (at_field){.name = "f", .size = 2 - k, .lo = -3, .hi = 3, .embed = {k, 5, 0}};
        f->kind = s->integers ? AT_FIELD_INT : AT_FIELD_TOKEN;
        f->size = s->integers ? 2 - k : 5;
    }
    m->n_pos = s->pos != AT_POS_KINDS;
    m->pos = at_new(&m->arena, at_pos, 1);
    m->pos[0] =
        (at_pos){.kind = s->pos, .size = s->pos == AT_POS_TABLE ? m->n_max + 2 : 4, .embed = {1, 4, 0}};
    m->n_blocks = 4;
    m->blocks = at_new(&m->arena, at_block, 4);
    blocks_fill(s, m);
    m->readout = (at_readout){.kind = s->integers ? AT_READ_ROUND : AT_READ_ARGMAX,
                              .rows = s->integers ? 3 : 4,
                              .last = s->seed % 2,
                              .final_norm = s->seed / 3 % 2,
                              .norm_eps = 1e-3};
    m->decode = (at_decode){.enabled = true,
                            .stop = AT_STOP_EQUALS,
                            .value = 1,
                            .max_steps = 6,
                            .prompt_min = 1,
                            .prompt_max = 4};
    must(at_model_layout(m, &err), &err);
    at_rng rng = at_rng_at(s->seed, 77);
    for (int k = 0; k < m->n_tensors; k++)
        for (size_t i = 0; i < m->tensors[k].count; i++) /* a third are zeros: runs with gaps */
            m->weights[m->tensors[k].offset + i] =
                at_rng_below(&rng, 3) ? (s->gain ? s->gain : 0.5) * at_rng_normal(&rng) : 0;
}

static void row_random(const at_model *m, at_rng *rng, double *row)
{
    for (int k = 0; k < at_model_row_width(m); k++)
        row[k] = m->fields[0].kind == AT_FIELD_TOKEN ? (double)at_rng_below(rng, 5)
                                                     : (double)at_rng_below(rng, 7) - 3;
}

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
        row_random(m, &rng, rows + (n - 1) * width);
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

static const at_mask_kind masks[] = {AT_MASK_CAUSAL, AT_MASK_STRICT, AT_MASK_BLOCK_SPARSE};

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
                    decoder_random(&(spec){.weighting = (at_weighting)w,
                                           .mask = masks[k],
                                           .pos = (at_pos_kind)p,
                                           .integers = integers,
                                           .seed = seed},
                                   &m);
                    for (int a = 0; a < ARITHS; a++)
                        pass_compare(&m, ariths[a], seed);
                    at_model_release(&m);
                }
}

/* Weights so large that infinities and NaN appear, where leaving out a zero too many would show. */
static void overflow(void **state)
{
    (void)state;
    int wild = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        at_model m;
        decoder_random(&(spec){.weighting = (at_weighting)(seed % AT_WEIGHTINGS),
                               .mask = masks[seed % 3],
                               .pos = AT_POS_I,
                               .integers = seed % 2,
                               .seed = 6 * seed,
                               .gain = 1e30},
                       &m);
        for (int a = 0; a < ARITHS; a++)
            wild += pass_compare(&m, ariths[a], seed);
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
        for (int a = 0; a < ARITHS; a++) {
            at_model m;
            at_err err = {0};
            at_decoder *d;
            at_arena arena;
            at_arena_init(&arena);
            linear_model(strict ? AT_MASK_STRICT : AT_MASK_CAUSAL, &m);
            must(at_decoder_new(&m, ariths[a], &d, &err), &err);
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
                sums_by_hand(&m, ariths[a], tokens, n, strict, want);
                assert_true(same(d->y.value, want, 2));
                must(at_run(&m, ariths[a], &(at_input){n, tokens}, NULL, &arena, &y, &err), &err);
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
            decoder_random(
                &(spec){.weighting = AT_LINEAR, .mask = masks[seed % 2], .pos = AT_POS_INV_I, .seed = seed},
                &m);
            must(at_decoder_new(&m, ariths[a], &d, &err), &err);
            at_rng rng = at_rng_at(seed, 6);
            double tokens[LENGTH], next, margin;
            at_tri decided;
            for (int n = 1; n <= LENGTH; n++) {
                at_output y;
                row_random(&m, &rng, &tokens[n - 1]);
                must(at_decoder_push(d, &tokens[n - 1], &err), &err);
                must(at_decoder_next(d, &next, &margin, &decided, &err), &err);
                must(at_run_bound(&m, ariths[a], &(at_input){n, tokens}, true, &arena, &y, &err), &err);
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
    decoder_random(&(spec){.weighting = w, .mask = mask.kind, .pos = AT_POS_INV_I, .n_max = n}, &m);
    for (int b = 0; b < m.n_blocks; b += 2)
        for (int g = 0; g < 2; g++)
            m.blocks[b].groups[g].mask = mask;
    must(at_decoder_new(&m, at_f64, &d, &err), &err);
    at_rng rng = at_rng_at(1, 1);
    for (int t = 0; t < n; t++) {
        double row[3];
        row_random(&m, &rng, row);
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
        decoder_random(&(spec){.weighting = (at_weighting)w,
                               .mask = masks[w % 3],
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
            row_random(&m, &rng, row);
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

static void no_memory(void **state)
{
    (void)state;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int a = 0; a < ARITHS; a += 2) {
            at_model m;
            decoder_random(
                &(spec){.weighting = (at_weighting)w, .mask = AT_MASK_CAUSAL, .pos = AT_POS_I, .seed = 1},
                &m);
            at_arena arena;
            at_arena_init(&arena);
            double *rows = NULL, least, prompt[] = {0, 3};
            int n = -1;
            bool fired = true;
            for (long nth = 1; fired; nth++) {
                at_err err = {0};
                at_alloc_inject(nth);
                at_status st =
                    at_generate(&m, ariths[a], &(at_input){2, prompt}, &arena, &rows, &n, &least, &err);
                fired = at_alloc_injected();
                at_alloc_inject(0);
                if (fired) {
                    assert_int_equal(st, AT_ENOMEM);
                    assert_int_equal(n, -1);
                }
            }
            assert_true(n > 0 && rows);
            at_arena_release(&arena);
            at_model_release(&m);
        }
}

/* ---- generation ------------------------------------------------------------------------------------------- */

/* Greedy continuation by whole passes gives the same tokens, stop and margin. */
static void generation(void **state)
{
    (void)state;
    int stopped = 0, open = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        at_model m;
        decoder_random(&(spec){.weighting = (at_weighting)(seed % AT_WEIGHTINGS),
                               .mask = masks[seed % 3],
                               .pos = seed % 2 ? AT_POS_SINUSOIDAL : AT_POS_TABLE,
                               .seed = seed},
                       &m);
        at_arena arena;
        at_arena_init(&arena);
        at_err err = {0};
        double *rows, least, chain[LENGTH] = {2, 0, 4}, want = INFINITY;
        int n, p = 1 + (int)(seed % 3), made = 0;
        bool end = false;
        at_status st =
            at_generate(&m, ariths[seed % 3], &(at_input){p, chain}, &arena, &rows, &n, &least, &err);
        while (!end && made < m.decode.max_steps) {
            at_output y;
            at_err mine = {0};
            must(at_run(&m, ariths[seed % 3], &(at_input){p + made, chain}, NULL, &arena, &y, &mine), &mine);
            chain[p + made++] = y.decision[y.n - 1];
            want = fmin(want, y.margin[y.n - 1]);
            end = y.decision[y.n - 1] == 1;
        }
        assert_int_equal(st, end ? AT_OK : AT_EBUDGET);
        assert_int_equal(n, made);
        assert_memory_equal(rows, chain + p, (size_t)made * sizeof *rows);
        if (seed % AT_WEIGHTINGS != AT_LINEAR)
            assert_true(least == want);
        stopped += end;
        open += !end;
        at_arena_release(&arena);
        at_model_release(&m);
    }
    assert_true(stopped > 10 && open > 10);
}

/* Rows (i, n, done): the next is (i+1, n, i+1 = n). done = 1 - relu(n-i-1) + relu(n-i-2). */
static void counter_model(at_model *m)
{
    at_err err = {0};
    at_model_init(m);
    strcpy(m->name, "counter");
    m->width = 4;
    m->n_max = 12;
    m->n_fields = 3;
    m->fields = at_new(&m->arena, at_field, 3);
    const char *names[] = {"i", "n", "done"};
    for (int k = 0; k < 3; k++) {
        m->fields[k] = (at_field){.kind = AT_FIELD_INT, .size = 1, .hi = k < 2 ? 20 : 1, .embed = {k, 1, 0}};
        strcpy(m->fields[k].name, names[k]);
    }
    m->n_blocks = 1;
    m->blocks = at_new(&m->arena, at_block, 1);
    m->blocks[0] = (at_block){.kind = AT_BLOCK_MLP, .residual = true, .n_dense = 2};
    m->blocks[0].dense = at_new(&m->arena, at_dense, 2);
    m->blocks[0].dense[0].rows = 2;
    m->blocks[0].dense[1].rows = 4;
    m->readout = (at_readout){.kind = AT_READ_ROUND, .rows = 3, .last = true};
    m->decode = (at_decode){true, AT_STOP_EQUALS, 2, 1, 10, 1, 2};
    must(at_model_layout(m, &err), &err);
    for (int k = 0; k < 3; k++)
        at_model_data(m, m->fields[k].embed.tensor)[0] = 1;
    const at_dense *l = m->blocks[0].dense;
    memcpy(at_model_data(m, l[0].w), (double[]){-1, 1, 0, 0, -1, 1, 0, 0}, 8 * sizeof(double));
    memcpy(at_model_data(m, l[0].b), (double[]){-1, -2}, 2 * sizeof(double));
    memcpy(at_model_data(m, l[1].w) + 6, (double[]){-1, 1}, 2 * sizeof(double));
    at_model_data(m, l[1].b)[3] = 1;
    memcpy(at_model_data(m, m->readout.w), (double[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1},
           12 * sizeof(double));
    at_model_data(m, m->readout.b)[0] = 1;
}

typedef struct {
    at_model m;
    at_arena arena;
    at_err err;
    double *rows, least;
    int n;
} counting;

static int counting_begin(void **state)
{
    counting *c = calloc(1, sizeof *c);
    at_arena_init(&c->arena);
    counter_model(&c->m);
    *state = c;
    return 0;
}

static int counting_end(void **state)
{
    counting *c = *state;
    at_arena_release(&c->arena);
    at_model_release(&c->m);
    free(c);
    return 0;
}

static at_status count(counting *c, at_arith a, int n, const double *prompt)
{
    c->err = (at_err){0};
    return at_generate(&c->m, a, &(at_input){n, prompt}, &c->arena, &c->rows, &c->n, &c->least, &c->err);
}

static void counts(void **state)
{
    counting *c = *state;
    for (int a = 0; a < ARITHS; a++)
        for (int n = 1; n <= 10; n++) {
            must(count(c, ariths[a], 1, (double[]){0, n, 0}), &c->err);
            assert_int_equal(c->n, n);
            for (int i = 0; i < n; i++) {
                assert_true(c->rows[3 * i] == i + 1 && c->rows[3 * i + 1] == n);
                assert_true(c->rows[3 * i + 2] == (i + 1 == n));
            }
            assert_true(c->least == 0.5);
        }
}

static void ends(void **state)
{
    counting *c = *state;
    /* max_steps: ten rows stand, and there is no answer */
    assert_int_equal(count(c, at_f64, 1, (double[]){0, 11, 0}), AT_EBUDGET);
    assert_string_equal(c->err.text, "no stop after 10 steps");
    assert_true(c->n == 10 && c->rows[27] == 10 && c->least == 0.5);
    /* n_max: prompt and rows together */
    c->m.n_max = 6;
    c->m.decode.max_steps = 6;
    assert_int_equal(count(c, at_f64, 2, (double[]){0, 9, 0, 0, 9, 0}), AT_EBUDGET);
    assert_string_equal(c->err.text, "no stop after 4 steps");
    assert_int_equal(c->n, 4);
    /* a number of steps */
    c->m.n_max = 12;
    c->m.decode = (at_decode){true, AT_STOP_STEPS, 0, 0, 7, 1, 2};
    must(count(c, at_f64, 1, (double[]){0, 3, 0}), &c->err);
    assert_true(c->n == 7 && c->rows[18] == 7);
    /* a row that the model may not say: done = 2 */
    counter_model(&c->m);
    at_model_data(&c->m, c->m.readout.b)[2] = 2;
    assert_int_equal(count(c, at_f64, 1, (double[]){0, 3, 0}), AT_EBUDGET);
    assert_non_null(strstr(c->err.text, "step 1 leaves the domain: position 2: integer 2 out of range 0..1"));
    assert_int_equal(c->n, 0);
    /* an undecided row: infinity */
    at_model_data(&c->m, c->m.readout.b)[2] = 0;
    at_model_data(&c->m, c->m.readout.w)[0] = 1e308;
    assert_int_equal(count(c, at_f64, 1, (double[]){20, 20, 0}), AT_EBUDGET);
    assert_string_equal(c->err.text, "step 1: the row is undecided");
    assert_true(c->n == 0 && c->least == 0);
}

static void refusals(void **state)
{
    counting *c = *state;
    c->n = -1;
    assert_int_equal(count(c, at_f64, 3, (double[]){0, 3, 0, 1, 3, 0, 2, 3, 0}), AT_EDOMAIN);
    assert_string_equal(c->err.text, "prompt of length 3 out of range 1..2");
    assert_int_equal(count(c, at_f64, 0, NULL), AT_EDOMAIN);
    assert_int_equal(count(c, at_f64, 1, (double[]){0, 21, 0}), AT_EDOMAIN);
    assert_string_equal(c->err.text, "position 1: integer 21 out of range 0..20 (field n)");
    assert_int_equal(count(c, at_f64, 1, (double[]){0, 2.5, 0}), AT_EDOMAIN);
    assert_int_equal(count(c, (at_arith){AT_BALL, 128, 0}, 1, (double[]){0, 3, 0}), AT_EREFUSED);
    assert_int_equal(count(c, (at_arith){AT_EXACT, 0, 0}, 1, (double[]){0, 3, 0}), AT_EREFUSED);
    assert_string_equal(c->err.text, "decoding is done in f32, f64 or p-bit arithmetic");
    assert_int_equal(count(c, (at_arith){(at_arith_kind)99, 0, 0}, 1, (double[]){0, 3, 0}), AT_EREFUSED);
    c->m.decode.enabled = false;
    assert_int_equal(count(c, at_f64, 1, (double[]){0, 3, 0}), AT_EREFUSED);
    assert_string_equal(c->err.text, "the model is no decoder: it has no stop rule");
    c->m.decode.enabled = true;
    assert_int_equal(c->n, -1); /* nothing was written */
    at_decoder *d;
    double row[3], margin;
    at_tri decided;
    at_err err = {0};
    must(at_decoder_new(&c->m, at_f64, &d, &err), &err);
    assert_int_equal(at_decoder_next(d, row, &margin, &decided, &err), AT_EINPUT);
    at_decoder_free(d);
    at_decoder_free(NULL);
}

/* ---- speed -------------------------------------------------------------------------------------------------- */

/* Not a measurement, only a fence: 450 rows through 6 pairs of attention (D = 64, 4 heads of 16) and MLP (500 units), all
 * weights nonzero, are far below what a sanitizer build on a busy machine may take. */
static void speed(void **state)
{
    (void)state;
    at_model m;
    at_err err = {0};
    at_model_init(&m);
    m.width = 64;
    m.n_max = 451;
    m.n_fields = 1;
    m.fields = at_new(&m.arena, at_field, 1);
    m.fields[0] = (at_field){.name = "x", .size = 9, .embed = {0, 64, 0}};
    m.n_blocks = 12;
    m.blocks = at_new(&m.arena, at_block, 12);
    for (int b = 0; b < 12; b += 2) {
        m.blocks[b] = (at_block){.residual = true, .n_groups = 1, .groups = at_new(&m.arena, at_group, 1)};
        m.blocks[b].groups[0] =
            (at_group){.heads = 4, .dk = 16, .dv = 16, .scale = 0.25, .mask = {.kind = AT_MASK_CAUSAL}};
        m.blocks[b + 1] = (at_block){
            .kind = AT_BLOCK_MLP, .residual = true, .n_dense = 2, .dense = at_new(&m.arena, at_dense, 2)};
        m.blocks[b + 1].dense[0].rows = 500;
        m.blocks[b + 1].dense[1].rows = 64;
    }
    m.readout = (at_readout){.kind = AT_READ_ARGMAX, .rows = 9, .last = true};
    m.decode = (at_decode){true, AT_STOP_STEPS, 0, 0, 450, 1, 1};
    must(at_model_layout(&m, &err), &err);
    at_rng rng = at_rng_at(4, 4);
    for (size_t k = 0; k < m.n_weights; k++)
        m.weights[k] = 0.1 * at_rng_normal(&rng);
    at_arena arena;
    at_arena_init(&arena);
    double *rows, least, start = at_now();
    int n;
    must(at_generate(&m, at_f64, &(at_input){1, (double[]){0}}, &arena, &rows, &n, &least, &err), &err);
    double seconds = at_now() - start;
    print_message("450 tokens, D = 64, 6 layers, MLP 500, dense, f64: %.3f s\n", seconds);
    assert_int_equal(n, 450);
    assert_true(seconds < 20);
    at_arena_release(&arena);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_pass),
        cmocka_unit_test(overflow),
        cmocka_unit_test(running_sums),
        cmocka_unit_test(sums_near_run),
        cmocka_unit_test(memory),
        cmocka_unit_test(push_again),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(generation),
        cmocka_unit_test_setup_teardown(counts, counting_begin, counting_end),
        cmocka_unit_test_setup_teardown(ends, counting_begin, counting_end),
        cmocka_unit_test_setup_teardown(refusals, counting_begin, counting_end),
        cmocka_unit_test(speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
