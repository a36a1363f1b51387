/* test_pack_sparse.c: packed block-sparse decoders (docs/pack.md) write the interpreter's chain.
 *
 * Every input at small sizes, drawn ones at larger ones, in f32, f64 and at p bits. Controls: a digit more than a number holds, a
 * number less, blocks that are no power of two. */
#define PACKED AT_ATTENTION_SPARSE
#include "pack_test.h"

static at_status model_of(const char *file, const int64_t *size, at_dp_options o, const char *arith,
                          at_model *m, at_err *err)
{
    at_dp *d;
    at_arith a;
    at_dp_instance *x = instance(file, size, &d);
    assert_int_equal(at_arith_parse(arith, &a, err), AT_OK);
    o.attention = PACKED;
    o.pack = true;
    o.arith = &a;
    at_status s = at_dp_model(x, &o, m, err);
    at_dp_instance_free(x);
    at_dp_free(d);
    return s;
}

/* Made for f64, and right there; wrong in f32, and refused for it. */
static void f64_only(const point *p, at_dp_options o)
{
    at_err err = {0};
    at_model m;
    int inputs;
    controls_fail(p, &o, "f64", "f32");
    assert_int_equal(run(p, &o, "f64", "f64", &inputs), 0);
    assert_int_equal(model_of(p->file, p->size, o, "f32", &m, &err), AT_EDOMAIN);
}

static void test_controls(void **state)
{
    (void)state;
    static const point p[] = {
        {"prefix-sum", {128, 5}, 0, 6}, {"lis", {20, 99}, 0, 4}, {"edit-distance", {12, 9}, 0, 4}};
    for (int k = 0; k < 3; k++) {
        controls_fail(&p[k], &(at_dp_options){.fewer = 1}, "f64", "f64");
        f64_only(&p[k], (at_dp_options){.more = 1}); /* f32 does not hold it */
    }
    f64_only(&p[0], (at_dp_options){.block = 13}); /* a mean of 13 numbers, 13 times, is not their sum */
}

/* What the compiler promises of totals and ranges holds: the interpreter, which checks it, gives each row the next one. */
static void test_words(void **state)
{
    (void)state;
    static const point p[] = {
        {"prefix-sum", {30, 5}}, {"lis", {9, 9}}, {"edit-distance", {5, 6}}, {"palindrome", {8}}};
    int64_t in[40];
    for (int k = 0; k < 4; k++) {
        at_dp *d;
        at_err err = {0};
        at_program *P;
        at_dp_chain c;
        at_arena a;
        at_arena_init(&a);
        at_dp_instance *x = instance(p[k].file, p[k].size, &d);
        if (at_dp_program(x, &(at_dp_options){PACKED, .pack = true}, &P, &err))
            fail_msg("%s", err.text);
        int width = 3 + d->n_counters + d->n_values - 1, T = (int)(x->n_input + 1 + x->n_states);
        double *rows = at_new(&a, double, (T + 1) * width), *out;
        input_make(x, 0, (uint64_t)k, in);
        for (int64_t i = 0; i < x->n_input; i++)
            rows[i * width] = (double)in[i];
        if (at_dp_run(x, in, &a, &c, &err))
            fail_msg("%s", err.text);
        at_dp_rows(x, &c, rows + (x->n_input + 1) * width);
        if (at_program_run(P, &(at_input){T, rows}, &a, &out, &err))
            fail_msg("%s", err.text);
        for (int64_t i = x->n_input * width; i < (int64_t)T * width; i++)
            assert_true(out[i] == rows[i + width]);
        at_program_free(P);
        at_dp_instance_free(x);
        at_dp_free(d);
        at_arena_release(&a);
    }
}

/* A power of two as block is right, be it not the one of the plan. */
static void test_blocks(void **state)
{
    (void)state;
    static const point p[] = {
        {"prefix-sum", {70, 5}, 0, 2}, {"lis", {12, 9}, 0, 2}, {"edit-distance", {7, 9}, 0, 2}};
    int inputs;
    for (int k = 0; k < 3; k++)
        for (int B = 2; B <= 64; B *= 2)
            assert_int_equal(run(&p[k], &(at_dp_options){.block = B}, "f32", "f32", &inputs), 0);
}

typedef struct {
    const char *file;
    int64_t size[2];
    int width, block;
} shape;

/* Widths by at_dp_shape, two attention layers. */
static void test_sizes(void **state)
{
    (void)state;
    static const shape want[] = {
        {"prefix-sum", {2048, 5}, 28, 64},
        {"prefix-sum", {8192, 5}, 40, 128},
        {"prefix-sum", {32768, 5}, 66, 256},
        {"lis", {40, 99}, 49, 32},
        {"lis", {250, 99}, 196, 256},
        {"edit-distance", {40, 40}, 50, 64},
        {"edit-distance", {160, 160}, 131, 256},
    };
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        at_dp *d;
        at_err err = {0};
        at_model m;
        at_arith f32;
        at_size z;
        at_dp_instance *x = instance(want[k].file, want[k].size, &d);
        assert_int_equal(at_arith_parse("f32", &f32, &err), AT_OK);
        if (at_dp_shape(x, &(at_dp_options){PACKED, .pack = true, .arith = &f32}, &m, &err))
            fail_msg("%s", err.text);
        at_model_size(&m, &z);
        int block = 0;
        for (int b = 0; b < m.n_blocks; b++)
            if (m.blocks[b].kind == AT_BLOCK_ATTN)
                block = m.blocks[b].groups[0].mask.block;
        print_message("%s, %d: %d layers, %d wide, blocks of %d\n", want[k].file, (int)want[k].size[0],
                      (int)z.layers, (int)z.width, block);
        assert_int_equal(z.layers, 2);
        assert_int_equal(z.width, want[k].width);
        assert_int_equal(block, want[k].block);
        at_model_release(&m);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
}

static void test_refused(void **state)
{
    (void)state;
    refused("knapsack", (int64_t[]){3, 5}, PACKED, "here x steers");
    refused("palindrome-cuts", (int64_t[]){3}, PACKED, "here is another block");
    refused("matrix-chain", (int64_t[]){3, 4}, PACKED, "10:22: --pack knows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),    cmocka_unit_test(test_prefix_sum), cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_controls), cmocka_unit_test(test_words),      cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
