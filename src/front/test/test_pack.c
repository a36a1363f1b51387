/* test_pack.c: packed linear decoders (docs/pack.md) write the interpreter's chain.
 *
 * The judge is at_dp_run, which knows no weights: every input at small sizes, drawn ones at larger ones, in f32, f64 and at p bits.
 * Controls: a digit more than a number holds, a block less, a modulus too small. */
#define PACKED AT_ATTENTION_LINEAR
#include "pack_test.h"

/* Sums have no order: at p bits they are exact, or rounded after every token. */
static void test_rounded(void **state)
{
    (void)state;
    at_dp *d;
    at_err err = {0};
    at_model m;
    at_arena arena;
    at_arith a;
    at_arena_init(&arena);
    int64_t in[16];
    at_dp_instance *x = instance("lis", (int64_t[]){8, 9}, &d);
    assert_int_equal(at_arith_parse("p24e8", &a, &err), AT_OK);
    assert_int_equal(
        at_dp_model(x, &(at_dp_options){AT_ATTENTION_LINEAR, .pack = true, .arith = &a}, &m, &err), AT_OK);
    for (uint64_t k = 0; k < 4; k++) {
        int row = at_model_row_width(&m), n[2];
        double *prompt = at_new(&arena, double, 9 * row), *rows[2], least;
        input_make(x, 0, k, in);
        for (int i = 0; i < 8; i++)
            prompt[i * row] = (double)in[i];
        at_input p = {9, prompt};
        assert_int_equal(at_generate(&m, a, &p, &arena, &rows[0], &n[0], &least, &err), AT_OK);
        assert_int_equal(at_generate_rounded(&m, a, &p, &arena, &rows[1], &n[1], &least, &err), AT_OK);
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(rows[0], rows[1], (size_t)(n[0] * row) * sizeof **rows);
        assert_true(chain_right(x, &m, a, in));
    }
    at_model_release(&m);
    at_dp_instance_free(x);
    at_dp_free(d);
    at_arena_release(&arena);
}

static void test_controls(void **state)
{
    (void)state;
    static const point p[] = {
        {"prefix-sum", {128, 5}, 0, 6}, {"lis", {20, 99}, 0, 4}, {"edit-distance", {12, 9}, 0, 4}};
    for (int k = 0; k < 3; k++) {
        controls_fail(&p[k], &(at_dp_options){.fewer = 1}, "f64", "f64");
        /* what f32 holds is exceeded: f64 still holds it, f32 is wrong, and compiling for f32 is refused */
        controls_fail(&p[k], &(at_dp_options){.more = 1}, "f64", "f32");
        int inputs;
        assert_int_equal(run(&p[k], &(at_dp_options){.more = 1}, "f64", "f64", &inputs), 0);
        at_dp *d;
        at_err err = {0};
        at_model m;
        at_arith f32;
        assert_int_equal(at_arith_parse("f32", &f32, &err), AT_OK);
        at_dp_instance *x = instance(p[k].file, p[k].size, &d);
        at_dp_options o = {AT_ATTENTION_LINEAR, .pack = true, .more = 1, .arith = &f32};
        assert_int_equal(at_dp_model(x, &o, &m, &err), AT_EDOMAIN);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
}

/* Neighbours of an edit distance differ by -2..2: modulo 3 they cannot be told apart, and modulo 4 not all of them. */
static void test_modulo(void **state)
{
    (void)state;
    static const point p[] = {{"edit-distance", {4, 4}, 2}, {"edit-distance-local", {3, 4}, 2}};
    for (int k = 0; k < 2; k++) {
        int inputs;
        assert_int_equal(run(&p[k], &(at_dp_options){0}, "f32", "f32", &inputs), 0);
        for (int less = 1; less <= 2; less++)
            controls_fail(&p[k], &(at_dp_options){.less = less}, "f32", "f32");
    }
}

/* A model that is cleared by rounding, for f32. */
static at_dp_instance *cleared(const char *file, const int64_t *size, int more, at_dp **d, at_model *m)
{
    at_err err = {0};
    at_dp_instance *x = instance(file, size, d);
    at_dp_options o = {AT_ATTENTION_LINEAR, .pack = true, .clear = true, .more = more, .arith = &at_f32};
    if (at_dp_model(x, &o, m, &err))
        fail_msg("%s: %s", file, err.text);
    assert_true(at_model_trait(m, AT_TRAIT_ROUNDED) >= 0);
    return x;
}

/* Every input, with one digit or two a number, so that places are used again in small tables; drawn ones with as many as fit. */
static void test_cleared(void **state)
{
    (void)state;
    static const struct {
        point p;
        int more;
    } of[] = {{{"edit-distance", {8, 3}, 2}, -8},
              {{"edit-distance", {6, 4}, 2}, -9},
              {{"edit-distance-local", {4, 5}, 2}, -9},
              {{"edit-distance", {24, 20}, 0, 2}, 0},
              {{"edit-distance-local", {16, 20}, 0, 2}, 0}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        at_dp *d;
        at_model m;
        int inputs;
        at_dp_instance *x = cleared(of[k].p.file, of[k].p.size, of[k].more, &d, &m);
        int wrong = wrong_chains(&of[k].p, x, &m, at_f32, &inputs);
        print_message("%s %d,%d cleared: %d of %d chains are wrong\n", of[k].p.file, (int)of[k].p.size[0],
                      (int)of[k].p.size[1], wrong, inputs);
        assert_int_equal(wrong, 0);
        at_model_release(&m);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
    static const point p = {"edit-distance", {7, 3}, 2};
    controls_fail(&p, &(at_dp_options){.clear = true, .more = -9, .keep = true}, "f32", "f32");
    controls_fail(&p, &(at_dp_options){.clear = true, .more = -9, .fewer = 1}, "f32", "f32");
    controls_fail(&p, &(at_dp_options){.clear = true, .more = -9, .less = 2}, "f32", "f32");
}

static void says(at_status s, at_err *err, const char *words)
{
    if (s != AT_EREFUSED || !strstr(err->text, words))
        fail_msg("not \"%s\": %s", words, s ? err->text : "done");
    *err = (at_err){0};
}

/* Where sums are not rounded to 24 bits after every token, a cleared model is refused; where they are, it is right. */
static void test_cleared_refused(void **state)
{
    (void)state;
    at_dp *d;
    at_model m;
    at_err err = {0};
    at_arena arena;
    at_arena_init(&arena);
    at_dp_instance *x = cleared("edit-distance", (int64_t[]){7, 3}, -9, &d, &m);
    int row = at_model_row_width(&m), n[2];
    double *prompt = at_new(&arena, double, 11 * row), *rows[2], least;
    for (int i = 0; i < 10; i++)
        prompt[i * row] = 1 + i % 2;
    at_input p = {11, prompt};
    at_output y;
    at_exec *e;
    at_decoder *c;
    const at_arith p24 = {.kind = AT_PBIT, .bits = 24, .exp_bits = 8}, ball = {.kind = AT_BALL, .bits = 128};
    says(at_run(&m, at_f32, &p, NULL, &arena, &y, &err), &err, "whole passes do not");
    says(at_run(&m, ball, &p, NULL, &arena, &y, &err), &err, "whole passes do not");
    says(at_exec_new(&m, at_f32, 11, &e, &err), &err, "whole passes do not");
    says(at_decoder_new_keys(&m, at_f32, &c, &err), &err, "here are keys and values");
    says(at_decoder_new(&m, p24, &c, &err), &err, "here are exact sums");
    says(at_decoder_new(&m, at_f64, &c, &err), &err, "here are sums of other bits");
    assert_int_equal(at_generate(&m, at_f32, &p, &arena, &rows[0], &n[0], &least, &err), AT_OK);
    assert_int_equal(at_generate_rounded(&m, p24, &p, &arena, &rows[1], &n[1], &least, &err), AT_OK);
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(rows[0], rows[1], (size_t)(n[0] * row) * sizeof **rows);
    /* the assembler proves it, or refuses: real numbers do not forget, 2^129 is no p34e8, a digit more does not fit */
    static const at_arith exact = {.kind = AT_EXACT}, narrow = {.kind = AT_PBIT, .bits = 34, .exp_bits = 8};
    const at_dp_options bad[] = {{.arith = &exact}, {.arith = &narrow}, {.arith = &at_f32, .more = 1}};
    int64_t in[64];
    for (int k = 0; k < 3; k++) {
        at_dp_options o = bad[k];
        at_model other;
        o.attention = AT_ATTENTION_LINEAR;
        o.pack = o.clear = true;
        at_dp *of;
        at_dp_instance *y20 = instance("edit-distance", (int64_t[]){20, 20}, &of);
        assert_int_equal(at_dp_model(y20, &o, &other, &err), AT_EDOMAIN);
        err = (at_err){0};
        o.clear = false;
        if (o.arith == &narrow) {
            assert_int_equal(at_dp_model(y20, &o, &other, &err), AT_OK);
            at_model_release(&other);
        }
        at_dp_instance_free(y20);
        at_dp_free(of);
    }
    input_make(x, 0, 3, in);
    assert_true(chain_right(x, &m, at_f32, in));
    at_model_release(&m);
    at_dp_instance_free(x);
    at_dp_free(d);
    at_arena_release(&arena);
}

/* The meaning: the interpreter clears as rounding does, and finds what is not as was said. */
static void test_cleared_meaning(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        at_dp *d;
        at_err err = {0};
        at_program *P;
        at_arena arena;
        at_arena_init(&arena);
        at_dp_instance *x = instance("edit-distance", (int64_t[]){7, 3}, &d);
        at_dp_options o = {AT_ATTENTION_LINEAR, .pack = true, .clear = true,
                           .keep = keep,        .more = -9,   .arith = &at_f32};
        assert_int_equal(at_dp_program(x, &o, &P, &err), AT_OK);
        int64_t in[10] = {1, 2, 1, 1, 2, 2, 1, 2, 2, 3};
        at_dp_chain c;
        assert_int_equal(at_dp_run(x, in, &arena, &c, &err), AT_OK);
        enum { ROW = 5 };
        double rows[33 * ROW] = {0}, *out; /* 10 letters, |, 21 states, the answer */
        for (int i = 0; i < 10; i++)
            rows[i * ROW] = (double)in[i];
        at_dp_rows(x, &c, rows + 11 * ROW);
        at_status s = at_program_run(P, &(at_input){32, rows}, &arena, &out, &err);
        assert_int_equal(s, keep ? AT_EDOMAIN : AT_OK);
        for (int t = 10; t < 32 && !keep; t++)
            assert_memory_equal(out + (size_t)t * ROW, rows + (size_t)(t + 1) * ROW, ROW * sizeof *rows);
        at_program_free(P);
        at_dp_instance_free(x);
        at_dp_free(d);
        at_arena_release(&arena);
    }
}

/* Heads times their width, by at_dp_shape. */
static int heads_width(const char *file, const int64_t *size, bool clear, int *heads)
{
    at_dp *d;
    at_err err = {0};
    at_model m;
    at_arith f32;
    int wide = 0;
    at_dp_instance *x = instance(file, size, &d);
    assert_int_equal(at_arith_parse("f32", &f32, &err), AT_OK);
    if (at_dp_shape(x, &(at_dp_options){AT_ATTENTION_LINEAR, .pack = true, .clear = clear, .arith = &f32}, &m,
                    &err))
        fail_msg("%s", err.text);
    *heads = 0;
    for (int b = 0; b < m.n_blocks; b++)
        for (int g = 0; m.blocks[b].kind == AT_BLOCK_ATTN && g < m.blocks[b].n_groups; g++) {
            const at_group *r = &m.blocks[b].groups[g];
            wide = r->dk > wide ? r->dk : wide;
            wide = r->dv > wide ? r->dv : wide;
            *heads += r->heads;
        }
    at_model_release(&m);
    at_dp_instance_free(x);
    at_dp_free(d);
    return wide;
}

/* Prefix sums: 10 letters a number, as many numbers as a square holds. LIS: two heads, of which one keeps two numbers a place. Edit
 * distance: costs modulo 5, 10 a number, n^2 of them. */
static void test_sizes(void **state)
{
    (void)state;
    int heads;
    static const int64_t n[] = {128, 512, 2048, 8192, 32768};
    for (int k = 0; k < 5; k++) {
        int wide = heads_width("prefix-sum", (int64_t[]){n[k], 5}, false, &heads), least = 1;
        while ((int64_t)least * least < (n[k] + 9) / 10)
            least++;
        print_message("prefix sums, n = %d: %d head, %d wide\n", (int)n[k], heads, wide);
        assert_int_equal(heads, 1);
        assert_int_equal(wide, least);
    }
    static const int64_t lis[][2] = {{40, 5}, {80, 8}, {160, 11}, {250, 14}};
    for (int k = 0; k < 4; k++) {
        int wide = heads_width("lis", (int64_t[]){lis[k][0], 99}, false, &heads);
        print_message("lis, n = %d: %d heads, %d wide\n", (int)lis[k][0], heads, wide);
        assert_int_equal(heads, 2);
        assert_int_equal(wide, lis[k][1]);
    }
    static const struct {
        const char *file;
        int64_t n;
        bool clear;
        int heads, wide;
    } words[] = {{"edit-distance", 480, false, 4, 152},
                 {"edit-distance-local", 160, false, 2, 153},
                 {"edit-distance", 480, true, 4, 10},
                 {"edit-distance-local", 160, true, 2, 17}};
    for (int k = 0; k < 4; k++) {
        int wide = heads_width(words[k].file, (int64_t[]){words[k].n, words[k].n}, words[k].clear, &heads);
        print_message("%s, n = %d%s: %d heads, %d wide\n", words[k].file, (int)words[k].n,
                      words[k].clear ? ", cleared" : "", heads, wide);
        assert_int_equal(heads, words[k].heads);
        assert_int_equal(wide, words[k].wide);
    }
}

static void test_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_ATTENTIONS; kind++)
        if (kind != AT_ATTENTION_LINEAR && kind != AT_ATTENTION_SPARSE)
            refused("lis", (int64_t[]){3, 3}, (at_attention_kind)kind, "--pack is for linear and sparse");
    refused("knapsack", (int64_t[]){3, 5}, AT_ATTENTION_LINEAR, "here x steers");
    refused("coins", (int64_t[]){2, 6}, AT_ATTENTION_LINEAR, "here c steers");
    refused("palindrome-cuts", (int64_t[]){3}, AT_ATTENTION_LINEAR, "here is another block");
    refused("stairs", (int64_t[]){3}, AT_ATTENTION_LINEAR, "here is a counter that begins below 1");
    refused("matrix-chain", (int64_t[]){3, 4}, AT_ATTENTION_LINEAR, "10:22: --pack knows");
    refused("stock", (int64_t[]){3}, AT_ATTENTION_LINEAR, "an input that is read in place");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),           cmocka_unit_test(test_prefix_sum),
        cmocka_unit_test(test_drawn),           cmocka_unit_test(test_rounded),
        cmocka_unit_test(test_controls),        cmocka_unit_test(test_modulo),
        cmocka_unit_test(test_cleared),         cmocka_unit_test(test_cleared_refused),
        cmocka_unit_test(test_cleared_meaning), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
