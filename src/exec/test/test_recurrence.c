/* test_recurrence.c: what goes position by position: recurrent nets from a state that the caller keeps, and decoders' states.
 *
 * Recurrent nets are compared with at_run bit for bit, for every cell, norm and arithmetic, also from a state that was kept
 * and come back to. States of decoders: sums rounded after every token are computed here from their two formulas; states of
 * other rows are equal exactly where they should be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <attest/exec.h>

enum { D = 3, S = 2, N = 6, R = 2, WORDS = 4 };

static void must(at_status s, const at_err *err)
{
    if (s)
        fail_msg("status %d: %s", (int)s, err->text);
}

static void weights_draw(at_model *m, uint64_t seed)
{
    at_rng r = at_rng_at(seed, 0);
    for (size_t i = 0; i < m->n_weights; i++)
        m->weights[i] = at_rng_normal(&r);
}

/* rnn, mlp, rnn; a prefix row, a subset, reals, a feature of the length. */
static void net_make(at_rnn_cell cell, at_norm norm, bool residual, uint64_t seed, at_model *m)
{
    at_err err = {0};
    at_model_init(m);
    m->width = D, m->n_min = N, m->n_max = N, m->n_prefix = 1, m->pos_origin = 1;
    m->prefix = (at_embed){0, D, -1};
    m->n_fields = 2, m->n_blocks = 3, m->n_pos = 1;
    m->fields = at_new(&m->arena, at_field, 2);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, 3);
    at_dense *d = at_new(&m->arena, at_dense, 2);
    assert_true(m->fields && m->blocks && m->pos && d);
    m->fields[0] = (at_field){.kind = AT_FIELD_REAL, .size = 2, .lo = -1, .hi = 1, .embed = {0, D, -1}};
    m->fields[1] = (at_field){.kind = AT_FIELD_SUBSET, .size = N, .pick = 2, .embed = {0, D, -1}};
    m->pos[0] = (at_pos){.kind = AT_POS_I_OVER_N, .embed = {1, 1, -1}};
    d[0].rows = 5, d[1].rows = D;
    at_block rnn = {.kind = AT_BLOCK_RNN,
                    .residual = residual,
                    .norm = norm,
                    .norm_eps = 1e-3,
                    .rnn = {.cell = cell, .state = S}};
    m->blocks[0] = m->blocks[2] = rnn;
    m->blocks[2].rnn.state = S + 1;
    m->blocks[1] = (at_block){.kind = AT_BLOCK_MLP, .act = AT_ACT_GELU, .dense = d, .n_dense = 2};
    m->readout = (at_readout){
        .kind = (at_read_kind)(AT_READ_RAW + seed % 3), .rows = R, .final_norm = true, .norm_eps = 1e-3};
    must(at_model_layout(m, &err), &err);
    weights_draw(m, seed);
}

static void input_draw(uint64_t seed, double *x)
{
    at_rng r = at_rng_at(seed, 1);
    for (int i = 0; i < N; i++, x += 4) {
        x[0] = 2 * at_rng_unit(&r) - 1;
        x[1] = 2 * at_rng_unit(&r) - 1;
        x[2] = 1 + (double)at_rng_below(&r, N - 1);
        x[3] = x[2] + 1;
    }
}

static void recurrence_is_run(void **state)
{
    (void)state;
    const at_arith ariths[] = {at_f32, at_f64, {AT_PBIT, 5, 4}, {AT_PBIT, 30, 8}};
    for (int k = 0; k < 4 * 2 * AT_NORMS * 2; k++) {
        at_err err = {0};
        at_arena a;
        at_arena_init(&a);
        at_model m;
        at_arith arith = ariths[k % 4];
        net_make(k / 4 % 2 ? AT_CELL_GRU : AT_CELL_TANH, (at_norm)(k / 8 % AT_NORMS), k / 24, (uint64_t)k,
                 &m);
        double x[N * 4], h[2 * S + 1], kept[2 * S + 1], value[R];
        input_draw((uint64_t)k, x);
        at_output y;
        must(at_run(&m, arith, &(at_input){N, x}, NULL, &a, &y, &err), &err);
        at_recurrence *r;
        must(at_recurrence_new(&m, arith, N, &r, &err), &err);
        assert_int_equal(at_recurrence_numbers(r), 2 * S + 1);
        at_recurrence_begin(r, h);
        for (int i = 0; i < N; i++) {
            memcpy(kept, h, sizeof h);
            must(at_recurrence_step(r, i, x + 4 * ((i + 1) % N), h, value, &err), &err);
            memcpy(h, kept, sizeof h); /* another row was tried; back */
            must(at_recurrence_step(r, i, x + 4 * i, h, value, &err), &err);
            assert_memory_equal(value, y.value + i * R, sizeof value);
        }
        at_recurrence_free(r);
        for (long n = 1;; n++) { /* every allocation failing once */
            at_alloc_inject(n);
            r = NULL;
            at_status st = at_recurrence_new(&m, arith, N, &r, NULL);
            at_alloc_inject(0);
            at_recurrence_free(st ? NULL : r);
            if (!st)
                break;
            assert_int_equal(st, AT_ENOMEM);
        }
        at_model_release(&m);
        at_arena_release(&a);
    }
}

static void decoder_make(at_weighting w, at_mask mask, int layers, int width, at_model *m)
{
    at_err err = {0};
    at_model_init(m);
    m->width = width, m->n_min = 1, m->n_max = 64, m->pos_origin = 1, m->n_fields = 1, m->n_blocks = layers;
    m->fields = at_new(&m->arena, at_field, 1);
    m->blocks = at_new(&m->arena, at_block, layers);
    at_group *g = at_new(&m->arena, at_group, layers);
    assert_true(m->fields && m->blocks && g);
    m->fields[0] = (at_field){.kind = AT_FIELD_TOKEN, .size = WORDS, .embed = {0, width, -1}};
    for (int b = 0; b < layers; b++) {
        g[b] = (at_group){.heads = 1, .dk = 1, .dv = 1, .weighting = w, .scale = 1, .mask = mask};
        m->blocks[b] = (at_block){.kind = AT_BLOCK_ATTN, .residual = true, .groups = g + b, .n_groups = 1};
    }
    m->readout = (at_readout){.kind = AT_READ_ARGMAX, .rows = WORDS};
    m->decode = (at_decode){
        .enabled = true, .stop = AT_STOP_STEPS, .max_steps = 20, .prompt_min = 1, .prompt_max = 40};
    must(at_model_layout(m, &err), &err);
    weights_draw(m, 5);
}

/* S and z of a head of width 1 are numbers p-bit added one token after the other. */
static void sums_are_rounded(void **state)
{
    (void)state;
    at_err err = {0};
    at_model m;
    decoder_make(AT_LINEAR, (at_mask){.kind = AT_MASK_CAUSAL}, 1, 1, &m);
    at_model_data(&m, m.blocks[0].groups[0].k)[0] = 1;
    at_model_data(&m, m.blocks[0].groups[0].v)[0] = 1;
    const double *e = at_model_data(&m, m.fields[0].embed.tensor);
    at_arith arith = {AT_PBIT, 6, 5};
    at_pfmt f = at_pfmt_of(arith);
    at_generator *g;
    must(at_generator_new_rounded(&m, arith, &g, &err), &err);
    double rows[40], z = 0, s = 0;
    at_rng r = at_rng_at(1, 1);
    for (int i = 0; i < 40; i++)
        rows[i] = (double)at_rng_below(&r, WORDS);
    for (int i = 0; i < 40; i++) {
        double k = at_p_round(&f, e[(int)rows[i]]);
        double phi = k > 0 ? at_p_add(&f, k, 1) : at_p_exp(&f, k);
        z = at_p_add(&f, z, phi);
        s = at_p_add(&f, s, at_p_mul(&f, phi, k));
        struct {
            int t;
            char rest[2 * sizeof(double)];
        } got;
        size_t bytes;
        must(at_generator_state(g, rows, i + 1, NULL, &bytes, &err), &err);
        assert_int_equal(bytes, sizeof(int) + 2 * sizeof(double));
        must(at_generator_state(g, rows, i + 1, &got, &bytes, &err), &err);
        assert_int_equal(got.t, i + 1);
        assert_memory_equal(got.rest, &z, sizeof z);
        assert_memory_equal(got.rest + sizeof z, &s, sizeof s);
    }
    at_generator_free(g);
    size_t bytes;
    must(at_generator_new(&m, arith, &g, &err), &err);
    assert_int_equal(at_generator_state(g, rows, 3, NULL, &bytes, NULL), AT_EREFUSED);
    at_generator_free(g);
    at_model_release(&m);
}

/* B = 4, k = 1, c = 1: what is inside a block is gone a block later in one layer; in two its end remembers it. */
static void blocks_forget(void **state)
{
    (void)state;
    for (int layers = 1; layers <= 2; layers++) {
        at_err err = {0};
        at_model m;
        decoder_make(AT_SOFTMAX, (at_mask){AT_MASK_BLOCK_SPARSE, 4, 1, 1}, layers, 2, &m);
        at_generator *g;
        must(at_generator_new(&m, at_f64, &g, &err), &err);
        for (int n = 1; n <= 20; n++) {
            double rows[2][40] = {{0}, {0}};
            for (int i = 0; i < 40; i++)
                rows[0][i] = rows[1][i] = i % WORDS;
            rows[1][1] = 3; /* was 1 */
            unsigned char got[2][2048];
            size_t bytes[2];
            for (int k = 0; k < 2; k++) {
                must(at_generator_state(g, rows[k], n, got[k], &bytes[k], &err), &err);
                assert_true(bytes[k] <= sizeof got[k]);
            }
            assert_int_equal(bytes[0], bytes[1]);
            bool same = !memcmp(got[0], got[1], bytes[0]);
            assert_int_equal(same, n < 2 || (layers == 1 && n >= 5));
        }
        at_generator_free(g);
        at_model_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recurrence_is_run),
        cmocka_unit_test(sums_are_rounded),
        cmocka_unit_test(blocks_forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
