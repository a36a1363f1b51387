/* test_decode_cells.c: decoders with recurrent cells carry a state from position to position.
 *
 *   whole    at every length all values are those of at_run on the whole prefix, bit for bit, for cells, widths, norms and
 *            arithmetics; cells beside MLPs, attention and each other, with a prefix row
 *   wrong    a state that came about by another row is noticed by that same comparison
 *   again    a generator that goes back to where two prompts part gives what a fresh one gives; so does a reset
 *   cost     multiply-adds that are counted are those that the shapes say
 *   memory   a state does not grow; every allocation failing once */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../decode.h"

enum { WORDS = 5, N = 9 };

static void must(at_status s, const at_err *err)
{
    if (s)
        fail_msg("status %d: %s", (int)s, err->text);
}

typedef struct {
    at_rnn_cell cell;
    int width, state, prefix;
    at_norm norm;
    bool residual, attention;
    uint64_t seed;
} spec;

/* cell, MLP or causal attention, cell of one number more. */
static void net_make(const spec *s, at_model *m)
{
    at_err err = {0};
    at_model_init(m);
    m->width = s->width, m->n_min = 1, m->n_max = N, m->n_prefix = s->prefix;
    m->prefix = (at_embed){0, s->width, -1};
    m->n_fields = 1, m->n_blocks = 3;
    m->fields = at_new(&m->arena, at_field, 1);
    m->blocks = at_new(&m->arena, at_block, 3);
    at_dense *d = at_new(&m->arena, at_dense, 2);
    at_group *g = at_new(&m->arena, at_group, 1);
    assert_true(m->fields && m->blocks && d && g);
    m->fields[0] = (at_field){.kind = AT_FIELD_TOKEN, .size = WORDS, .embed = {0, s->width, -1}};
    d[0].rows = 6, d[1].rows = s->width;
    *g = (at_group){
        .heads = 1, .dk = 2, .dv = 2, .weighting = AT_SOFTMAX, .mask = {.kind = AT_MASK_CAUSAL}, .scale = 1};
    m->blocks[0] = (at_block){.kind = AT_BLOCK_RNN,
                              .residual = s->residual,
                              .norm = s->norm,
                              .norm_eps = 1e-3,
                              .rnn = {.cell = s->cell, .state = s->state}};
    m->blocks[2] = m->blocks[0];
    m->blocks[2].rnn.state++;
    m->blocks[1] = s->attention
                       ? (at_block){.kind = AT_BLOCK_ATTN, .residual = true, .groups = g, .n_groups = 1}
                       : (at_block){.kind = AT_BLOCK_MLP, .act = AT_ACT_GELU, .dense = d, .n_dense = 2};
    m->readout = (at_readout){.kind = AT_READ_ARGMAX, .rows = WORDS, .final_norm = true, .norm_eps = 1e-3};
    m->decode = (at_decode){.enabled = true,
                            .stop = AT_STOP_EQUALS,
                            .value = 0,
                            .max_steps = 4,
                            .prompt_min = 1,
                            .prompt_max = 5};
    must(at_model_layout(m, &err), &err);
    at_rng r = at_rng_at(s->seed, 0);
    for (size_t i = 0; i < m->n_weights; i++)
        m->weights[i] = at_rng_normal(&r);
}

static spec spec_of(int k)
{
    static const int widths[] = {1, 3, 8, 17};
    return (spec){.cell = k % 2 ? AT_CELL_GRU : AT_CELL_TANH,
                  .width = widths[k / 2 % 4],
                  .state = 1 + k % 11,
                  .prefix = k / 3 % 2,
                  .norm = (at_norm)(k / 5 % AT_NORMS),
                  .residual = k / 2 % 2,
                  .attention = k / 4 % 3 == 0,
                  .seed = (uint64_t)k};
}

static const at_arith ariths[] = {{AT_F32, 0, 0}, {AT_F64, 0, 0}, {AT_PBIT, 5, 4}, {AT_PBIT, 12, 8}};

/* Lengths 1..n of which the decoder, given `fed`, says otherwise than at_run on `asked`. */
static int lengths_wrong(const at_model *m, at_arith a, const double *fed, const double *asked)
{
    at_err err = {0};
    at_arena arena;
    at_decoder *d;
    int wrong = 0;
    at_arena_init(&arena);
    must(at_decoder_new(m, a, &d, &err), &err);
    for (int n = 1; n <= N; n++) {
        double row, margin;
        at_tri decided;
        at_output y;
        must(at_decoder_push(d, &fed[n - 1], &err), &err);
        must(at_decoder_next(d, &row, &margin, &decided, &err), &err);
        must(at_run(m, a, &(at_input){n, asked}, NULL, &arena, &y, &err), &err);
        const double *value = y.value + (size_t)(y.n - 1) * WORDS;
        bool same = true;
        for (int k = 0; k < WORDS; k++)
            same = same && (!memcmp(&d->y.value[k], &value[k], sizeof *value) ||
                            (isnan(d->y.value[k]) && isnan(value[k])));
        wrong += !same;
    }
    at_decoder_free(d);
    at_arena_release(&arena);
    return wrong;
}

static void whole(void **state)
{
    (void)state;
    for (int k = 0; k < 96; k++) {
        at_model m;
        spec s = spec_of(k);
        net_make(&s, &m);
        at_rng r = at_rng_at(s.seed, 1);
        double row[N];
        for (int i = 0; i < N; i++)
            row[i] = (double)at_rng_below(&r, WORDS);
        if (lengths_wrong(&m, ariths[k % 4], row, row))
            fail_msg("net %d: not the whole pass", k);
        at_model_release(&m);
    }
}

/* The same check, but the first row that the decoder got was another: from then on its state is wrong, whatever comes later. */
static void wrong(void **state)
{
    (void)state;
    int noticed = 0;
    for (int k = 0; k < 32; k++) {
        at_model m;
        spec s = spec_of(k);
        s.attention = false;                 /* the state alone carries it on */
        s.width = s.width < 3 ? 3 : s.width; /* a norm over one number says nothing of it */
        net_make(&s, &m);
        double fed[N] = {1, 2, 3, 4, 0, 1, 2, 3, 4}, asked[N] = {2, 2, 3, 4, 0, 1, 2, 3, 4};
        noticed += lengths_wrong(&m, at_f64, fed, asked) == N;
        assert_true(lengths_wrong(&m, at_f64, fed, asked) >= 2); /* also after the row itself */
        at_model_release(&m);
    }
    assert_true(noticed >= 24); /* else cells forgot, or rounded to the same */
}

static void again(void **state)
{
    (void)state;
    static const double prompts[][5] = {{1, 2, 3, 4, 1}, {1, 2, 3, 4, 2}, {1, 2, 3, 1, 1},
                                        {1, 2, 3, 1, 1}, {2, 2, 3, 4, 1}, {1, 2, 3, 4, 1}};
    for (int k = 0; k < 24; k++) {
        at_err err = {0};
        at_model m;
        spec s = spec_of(k);
        net_make(&s, &m);
        at_generator *g;
        must(at_generator_new(&m, ariths[k % 4], &g, &err), &err);
        for (size_t p = 0; p < sizeof prompts / sizeof *prompts; p++)
            for (int n = 5; n >= 2; n -= 3) {
                const double *rows;
                double margin, fresh_margin, *fresh;
                int got, right;
                at_arena arena;
                at_arena_init(&arena);
                at_status a = at_generator_run(g, prompts[p], n, &rows, &got, &margin, &err);
                at_status b = at_generate(&m, ariths[k % 4], &(at_input){n, prompts[p]}, &arena, &fresh,
                                          &right, &fresh_margin, &err);
                assert_int_equal(a, b);
                assert_int_equal(got, right);
                assert_memory_equal(rows, fresh, (size_t)got * sizeof *rows);
                assert_true(margin == fresh_margin);
                at_arena_release(&arena);
            }
        at_generator_free(g);
        at_model_release(&m);
    }
}

static void cost_and_memory(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        at_err err = {0};
        at_model m;
        spec s = spec_of(k);
        s.attention = false;
        net_make(&s, &m);
        at_decoder *d = NULL;
        must(at_decoder_new(&m, at_f32, &d, &err), &err);
        assert_int_equal(at_decoder_bytes(d), (size_t)(2 * s.state + 1) * sizeof(float));
        double row = 1, margin;
        at_tri decided;
        for (int n = 0; n < 6; n++)
            must(at_decoder_push(d, &row, &err), &err);
        must(at_decoder_next(d, &row, &margin, &decided, &err), &err);
        assert_int_equal(at_decoder_bytes(d), (size_t)(2 * s.state + 1) * sizeof(float));
        at_cost got = at_decoder_cost(d), said;
        must(at_generation_cost(&m, 6, 1, &said, &err), &err);
        assert_memory_equal(&got, &said, sizeof got);
        uint64_t D = (uint64_t)s.width, S = (uint64_t)s.state, G = (uint64_t)at_rnn_parts(s.cell), sum = 0;
        for (uint64_t e = S; e <= S + 1; e++)
            sum += G * e * (D + e) + D * e;
        assert_int_equal(got.projections, (uint64_t)(6 + s.prefix) * sum);
        at_decoder_free(d);
        at_status st = AT_ENOMEM;
        for (long n = 1; st; n++) {
            d = NULL;
            at_alloc_inject(n);
            st = at_decoder_new(&m, at_f64, &d, NULL);
            at_alloc_inject(0);
            assert_true(!st || st == AT_ENOMEM);
            at_decoder_free(d);
        }
        at_model_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole), cmocka_unit_test(wrong),
                                       cmocka_unit_test(again), cmocka_unit_test(cost_and_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
