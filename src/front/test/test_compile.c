/* test_compile.c: every shipped recurrence, compiled to a decoder, writes the interpreter's chain.
 *
 * The judge is at_dp_run, which knows no weights. Small sizes are run on every input (up to a bound that is
 * printed), larger ones on drawn inputs; in f64, f32 and at p bits. */
#include <attest/front.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../core/test/test_scale.h"

#define MOST_INPUTS TEST_SCALED(800)

typedef struct {
    const char *file;
    int64_t size[3];
    int letters; /* inputs use this many of the lowest values */
} point;

static at_dp_instance *instance(const char *file, const int64_t *size, at_dp **d)
{
    char path[256];
    at_err err = {0};
    at_dp_instance *x;
    snprintf(path, sizeof path, "examples/%s.dp", file);
    if (at_dp_load(path, d, &err) || at_dp_bind(*d, size, &x, &err))
        fail_msg("%s", err.text);
    return x;
}

/* Input number k in base `letters`, or drawn when there are too many. */
static void input_make(const at_dp_instance *x, int letters, uint64_t k, bool draw, int64_t *in)
{
    at_rng r = at_rng_at(5, k);
    for (int64_t i = 0; i < x->n_input; i++) {
        int which = 0;
        while (which + 1 < x->d->n_inputs && i >= x->input_first[which + 1])
            which++;
        uint64_t base = (uint64_t)(x->input_hi[which] - x->input_lo[which] + 1);
        base = base > (uint64_t)letters ? (uint64_t)letters : base;
        in[i] = x->input_lo[which] + (int64_t)(draw ? at_rng_below(&r, base) : k % base);
        k /= base;
    }
}

/* One input: is the generated chain the interpreter's, row for row? */
static bool chain_right(const at_dp_instance *x, const at_model *m, at_arith a, const int64_t *in,
                        double *margin)
{
    at_arena arena;
    at_arena_init(&arena);
    at_err err = {0};
    int row = at_model_row_width(m), n, nc = x->d->n_counters, nv = x->d->n_values;
    double *prompt = at_new(&arena, double, (x->n_input + 1) * row), *rows, least;
    for (int64_t i = 0; i < x->n_input; i++)
        prompt[i * row] = (double)in[i];
    at_dp_chain c;
    if (at_dp_run(x, in, &arena, &c, &err))
        fail_msg("%s", err.text);
    at_input p = {(int)x->n_input + 1, prompt};
    bool right = at_generate(m, a, &p, &arena, &rows, &n, &least, &err) == AT_OK && n == x->n_states + 1;
    for (int64_t s = 0; right && s <= x->n_states; s++) {
        const double *r = rows + s * row;
        bool last = s == x->n_states;
        right = r[0] == 0 && r[row - 1] == (last ? (double)c.answer : 0);
        for (int k = 0; k < nc; k++)
            right = right && r[1 + k] == (last ? 0 : (double)x->state[s * nc + k]);
        for (int k = 0; k < nv; k++)
            right = right && r[1 + nc + k] == (last ? 0 : (double)c.value[s * nv + k]);
    }
    if (right)
        *margin = fmin(*margin, least);
    at_arena_release(&arena);
    return right;
}

static int wrong_chains(const point *p, const at_model *m, const at_dp_instance *x, at_arith a, int inputs,
                        bool draw, double *margin)
{
    int wrong = 0;
    int64_t in[256];
    for (int k = 0; k < inputs; k++) {
        input_make(x, p->letters, (uint64_t)k, draw, in);
        wrong += !chain_right(x, m, a, in, margin);
    }
    return wrong;
}

static void point_check(const point *p, at_attention_kind kind, bool draw, int inputs, const char *ariths)
{
    at_dp *d;
    at_dp_instance *x = instance(p->file, p->size, &d);
    at_model m;
    at_err err = {0};
    if (at_dp_model(x, &(at_dp_options){kind}, &m, &err))
        fail_msg("%s (%s): %s", p->file, at_attention_names[kind], err.text);
    double margin = INFINITY;
    if (!draw) { /* every input, when there are few enough */
        double all = pow(p->letters, (double)x->n_input);
        inputs = all > MOST_INPUTS ? MOST_INPUTS : (int)all;
    }
    char list[64], *save = NULL;
    snprintf(list, sizeof list, "%s", ariths);
    for (char *name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        at_arith a;
        assert_int_equal(at_arith_parse(name, &a, &err), AT_OK);
        int wrong = wrong_chains(p, &m, x, a, inputs, draw, &margin);
        if (wrong)
            fail_msg("%s (%s) in %s: %d of %d chains are wrong", p->file, at_attention_names[kind], name,
                     wrong, inputs);
    }
    print_message("%s %s, L = %d, width %d: %d inputs, least margin %.3g\n", p->file,
                  at_attention_names[kind], (int)x->L, m.width, inputs, margin);
    assert_true(margin > 0.1);
    at_model_release(&m);
    at_dp_instance_free(x);
    at_dp_free(d);
}

static void test_small(void **state)
{
    (void)state;
    static const point points[] = {
        {"edit-distance", {2, 3}, 2},
        {"edit-distance", {4, 4}, 2},
        {"edit-distance", {3, 3}, 3},
        {"edit-distance", {0, 3}, 2},
        {"edit-distance", {3, 0}, 2},
        {"edit-distance", {0, 0}, 2},
        {"edit-distance-local", {2, 3}, 2},
        {"lis", {5, 5}, 5},
        {"lis", {1, 3}, 3},
        {"lis", {0, 3}, 3},
        {"lcs", {3, 4}, 2},
        {"knapsack", {3, 5}, 3},
        {"coins", {2, 6}, 4},
        {"grid", {2, 3}, 3},
        {"prefix-sum", {5, 3}, 3},
        {"palindrome", {6}, 2},
    };
    for (size_t k = 0; k < sizeof points / sizeof *points; k++)
        for (int kind = 0; kind < AT_ATTENTIONS; kind++)
            point_check(&points[k], (at_attention_kind)kind, false, 0,
                        kind == AT_ATTENTION_STANDARD ? "f64 f32 p22" : "f64 f32");
}

static void test_large(void **state)
{
    (void)state;
    point_check(&(point){"edit-distance", {20, 20}, 4}, AT_ATTENTION_STANDARD, true, 8, "f64 f32 p22");
    point_check(&(point){"edit-distance", {20, 20}, 4}, AT_ATTENTION_LINEAR, true, 2, "f64 f32");
    point_check(&(point){"edit-distance", {20, 20}, 4}, AT_ATTENTION_SPARSE, true, 2, "f64 f32");
    point_check(&(point){"edit-distance-local", {20, 20}, 4}, AT_ATTENTION_STANDARD, true, 3, "f64");
    point_check(&(point){"edit-distance-local", {20, 20}, 4}, AT_ATTENTION_LOCAL, true, 6, "f64 f32");
    point_check(&(point){"edit-distance", {20, 20}, 4}, AT_ATTENTION_LOCAL, true, 2, "f64");
    point_check(&(point){"prefix-sum", {90, 7}, 7}, AT_ATTENTION_LOCAL, true, 20, "f64 f32");
    point_check(&(point){"lis", {40, 100}, 100}, AT_ATTENTION_STANDARD, true, 4, "f64");
    point_check(&(point){"knapsack", {10, 30}, 12}, AT_ATTENTION_STANDARD, true, 4, "f64");
    point_check(&(point){"knapsack", {10, 30}, 12}, AT_ATTENTION_SPARSE, true, 2, "f64");
}

/* The same tensor shapes at every size: nothing in the model grows with the input. */
static void shapes_equal(const char *file, at_attention_kind kind, int64_t sizes[3][2])
{
    at_model m[3];
    for (int k = 0; k < 3; k++) {
        at_dp *d;
        at_err err = {0};
        at_dp_instance *x = instance(file, sizes[k], &d);
        if (at_dp_model(x, &(at_dp_options){kind}, &m[k], &err))
            fail_msg("%s (%s): %s", file, at_attention_names[kind], err.text);
        if (kind == AT_ATTENTION_LOCAL) { /* what does grow is the mask's block: it is the locality */
            int heads = 0;
            for (int b = 0; b < m[k].n_blocks; b++)
                for (int g = 0; m[k].blocks[b].kind == AT_BLOCK_ATTN && g < m[k].blocks[b].n_groups; g++) {
                    const at_mask *mask = &m[k].blocks[b].groups[g].mask;
                    assert_int_equal(mask->kind, AT_MASK_BLOCK_SPARSE);
                    assert_int_equal(mask->block * mask->windows, x->locality);
                    heads++;
                }
            assert_true(heads > 0);
        }
        at_dp_instance_free(x);
        at_dp_free(d);
        assert_int_equal(m[k].n_tensors, m[0].n_tensors);
        for (int t = 0; t < m[0].n_tensors; t++) {
            assert_string_equal(m[k].tensors[t].name, m[0].tensors[t].name);
            assert_memory_equal(m[k].tensors[t].shape, m[0].tensors[t].shape, sizeof m[0].tensors[t].shape);
        }
    }
    for (int k = 0; k < 3; k++)
        at_model_release(&m[k]);
}

static void test_shapes(void **state)
{
    (void)state;
    shapes_equal("edit-distance", AT_ATTENTION_STANDARD, (int64_t[3][2]){{5, 5}, {10, 10}, {20, 20}});
    shapes_equal("edit-distance-local", AT_ATTENTION_LOCAL, (int64_t[3][2]){{1, 1}, {4, 9}, {20, 20}});
    shapes_equal("prefix-sum", AT_ATTENTION_LOCAL, (int64_t[3][2]){{1, 5}, {20, 5}, {90, 5}});
}

/* With linear and sparse attention the width grows like the square root of the length, and depth does not grow. */
static void test_width(void **state)
{
    (void)state;
    for (int kind = AT_ATTENTION_LINEAR; kind <= AT_ATTENTION_SPARSE; kind++) {
        double width[2], length[2];
        int layers[2];
        for (int k = 0; k < 2; k++) {
            at_dp *d;
            at_err err = {0};
            at_dp_instance *x = instance("edit-distance", (int64_t[]){k ? 32 : 8, k ? 32 : 8}, &d);
            at_model m;
            at_size z;
            assert_int_equal(at_dp_model(x, &(at_dp_options){(at_attention_kind)kind}, &m, &err), AT_OK);
            at_model_size(&m, &z);
            width[k] = z.width;
            layers[k] = z.layers;
            length[k] = (double)x->L;
            at_model_release(&m);
            at_dp_instance_free(x);
            at_dp_free(d);
        }
        double exponent = log(width[1] / width[0]) / log(length[1] / length[0]);
        print_message("%s: width %.0f to %.0f over L = %.0f to %.0f, exponent %.2f\n",
                      at_attention_names[kind], width[0], width[1], length[0], length[1], exponent);
        assert_true(exponent > 0.4 && exponent < 0.6);
        assert_int_equal(layers[0], layers[1]);
    }
}

/* A control: with a scale that is too small, or too few bits, chains go wrong and the test above would say so. */
static void test_broken(void **state)
{
    (void)state;
    point p = {"edit-distance", {4, 4}, 2};
    at_dp *d;
    at_err err = {0};
    at_dp_instance *x = instance(p.file, p.size, &d);
    at_model m;
    assert_int_equal(at_dp_model(x, &(at_dp_options){AT_ATTENTION_STANDARD}, &m, &err), AT_OK);
    double margin = INFINITY;
    assert_int_equal(wrong_chains(&p, &m, x, at_f64, 64, false, &margin), 0);
    assert_true(wrong_chains(&p, &m, x, (at_arith){AT_PBIT, 5, 10}, 64, false, &margin) > 0);
    for (int b = 0; b < m.n_blocks; b++)
        for (int g = 0; m.blocks[b].kind == AT_BLOCK_ATTN && g < m.blocks[b].n_groups; g++)
            m.blocks[b].groups[g].scale = 0.5;
    assert_true(wrong_chains(&p, &m, x, at_f64, 64, false, &margin) > 0);
    at_model_release(&m);
    at_dp_instance_free(x);
    at_dp_free(d);
}

/* Local attention sees the m rows that count and no row more: with one less in its window chains go wrong. Where m is
 * unknown it is refused. */
static void test_local(void **state)
{
    (void)state;
    static const point points[] = {{"edit-distance-local", {3, 3}, 2}, {"prefix-sum", {5, 3}, 3}};
    for (int k = 0; k < 2; k++) {
        at_dp *d;
        at_err err = {0};
        at_dp_instance *x = instance(points[k].file, points[k].size, &d);
        at_model m;
        assert_int_equal(at_dp_model(x, &(at_dp_options){AT_ATTENTION_LOCAL}, &m, &err), AT_OK);
        double margin = INFINITY;
        assert_int_equal(wrong_chains(&points[k], &m, x, at_f64, 64, false, &margin), 0);
        for (int b = 0; b < m.n_blocks; b++)
            for (int g = 0; m.blocks[b].kind == AT_BLOCK_ATTN && g < m.blocks[b].n_groups; g++)
                m.blocks[b].groups[g].mask.block--;
        int wrong = wrong_chains(&points[k], &m, x, at_f64, 64, false, &margin);
        print_message("%s, a window of %d rows instead of %d: %d of 64 chains are wrong\n", points[k].file,
                      (int)x->locality - 1, (int)x->locality, wrong);
        assert_true(wrong > 0);
        at_model_release(&m);
        x->locality = -1;
        assert_int_equal(at_dp_model(x, &(at_dp_options){AT_ATTENTION_LOCAL}, &m, &err), AT_EREFUSED);
        assert_non_null(strstr(err.text, "states"));
        at_dp_instance_free(x);
        at_dp_free(d);
    }
}

/* A prompt of another length is refused, not run. */
static void test_length(void **state)
{
    (void)state;
    at_dp *d;
    at_err err = {0};
    at_dp_instance *x = instance("edit-distance", (int64_t[]){3, 3}, &d);
    at_model m;
    assert_int_equal(at_dp_model(x, &(at_dp_options){AT_ATTENTION_STANDARD}, &m, &err), AT_OK);
    at_arena a;
    at_arena_init(&a);
    double prompt[64] = {1, 0, 0, 0, 0, 1}, *rows, least;
    int n;
    at_input in = {5, prompt};
    at_status s = at_generate(&m, at_f64, &in, &a, &rows, &n, &least, &err);
    assert_int_equal(at_exit_code(s), 2);
    at_arena_release(&a);
    at_model_release(&m);
    at_dp_instance_free(x);
    at_dp_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small),  cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_shapes), cmocka_unit_test(test_width),
                                       cmocka_unit_test(test_broken), cmocka_unit_test(test_length),
                                       cmocka_unit_test(test_local)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
