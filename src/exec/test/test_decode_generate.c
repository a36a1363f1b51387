/* test_decode_generate.c: chains: the same as by whole passes, stop rules, no answers, refusals, memory.
 *
 * The counter is a decoder by hand: its chain, its margins and every way of not ending are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random_decoder.h"

static void no_memory(void **state)
{
    (void)state;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int a = 0; a < DECODER_ARITHS; a += 2) {
            at_model m;
            random_decoder(
                &(decoder_spec){
                    .weighting = (at_weighting)w, .mask = AT_MASK_CAUSAL, .pos = AT_POS_I, .seed = 1},
                &m);
            at_arena arena;
            at_arena_init(&arena);
            double *rows = NULL, least, prompt[] = {0, 3};
            int n = -1;
            bool fired = true;
            for (long nth = 1; fired; nth++) {
                at_err err = {0};
                at_alloc_inject(nth);
                at_status st = at_generate(&m, decoder_ariths[a], &(at_input){2, prompt}, &arena, &rows, &n,
                                           &least, &err);
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
        random_decoder(&(decoder_spec){.weighting = (at_weighting)(seed % AT_WEIGHTINGS),
                                       .mask = decoder_masks[seed % 3],
                                       .pos = seed % 2 ? AT_POS_SINUSOIDAL : AT_POS_TABLE,
                                       .seed = seed},
                       &m);
        at_arena arena;
        at_arena_init(&arena);
        at_err err = {0};
        double *rows, least, chain[DECODER_LENGTH] = {2, 0, 4}, want = INFINITY;
        int n, p = 1 + (int)(seed % 3), made = 0;
        bool end = false;
        at_status st =
            at_generate(&m, decoder_ariths[seed % 3], &(at_input){p, chain}, &arena, &rows, &n, &least, &err);
        while (!end && made < m.decode.max_steps) {
            at_output y;
            at_err mine = {0};
            must(at_run(&m, decoder_ariths[seed % 3], &(at_input){p + made, chain}, NULL, &arena, &y, &mine),
                 &mine);
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
    for (int a = 0; a < DECODER_ARITHS; a++)
        for (int n = 1; n <= 10; n++) {
            must(count(c, decoder_ariths[a], 1, (double[]){0, n, 0}), &c->err);
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
    at_model_release(&c->m);
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
    /* a weight that f32 cannot hold, times a hidden unit that is 0, is no number: at_run says so too */
    at_model_release(&c->m);
    counter_model(&c->m);
    at_model_data(&c->m, c->m.blocks[0].dense[1].w)[7] = 1e39;
    at_output y;
    must(at_run(&c->m, at_f32, &(at_input){1, (double[]){0, 1, 0}}, NULL, &c->arena, &y, &c->err), &c->err);
    assert_true(isnan(y.value[2]));
    assert_int_equal(count(c, at_f32, 1, (double[]){0, 1, 0}), AT_EBUDGET);
    assert_string_equal(c->err.text, "step 1: the row is undecided");
    must(count(c, at_f64, 1, (double[]){0, 1, 0}), &c->err);
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

/* Prints how long 450 rows take through 6 pairs of attention (D = 64, 4 heads of 16) and MLP (500 units), all weights
 * nonzero (docs/decode.md). Time is not judged, only that all rows come. */
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
    at_arena_release(&arena);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory),
        cmocka_unit_test(generation),
        cmocka_unit_test_setup_teardown(counts, counting_begin, counting_end),
        cmocka_unit_test_setup_teardown(ends, counting_begin, counting_end),
        cmocka_unit_test_setup_teardown(refusals, counting_begin, counting_end),
        cmocka_unit_test(speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
