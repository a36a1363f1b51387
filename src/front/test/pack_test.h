/* pack_test.h: what the tests of packed decoders share: chains by the interpreter, which knows no weights, beside those that a model writes.
 * PACKED: the attention. */
#ifndef ATTEST_PACK_TEST_H
#define ATTEST_PACK_TEST_H

#include <attest/front.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../core/test/test_scale.h"

typedef struct {
    const char *file; /* an example, or a text */
    int64_t size[3];
    int letters; /* inputs use this many of the lowest values; 0: all, drawn */
    int inputs;  /* drawn */
} point;

static at_dp_instance *instance(const char *file, const int64_t *size, at_dp **d)
{
    at_err err = {0};
    at_dp_instance *x;
    bool text = strchr(file, '\n') != NULL;
    if ((text ? at_dp_parse(file, strlen(file), "text", d, &err) : at_dp_example_load(file, d, &err)) ||
        at_dp_bind(*d, size, &x, &err))
        fail_msg("%s", err.text);
    return x;
}

static int input_of(const at_dp_instance *x, int64_t i)
{
    int which = 0;
    while (which + 1 < x->d->n_inputs && i >= x->input_first[which + 1])
        which++;
    return which;
}

/* Input number k in base `letters`, or drawn. */
static void input_make(const at_dp_instance *x, int letters, uint64_t k, int64_t *in)
{
    at_rng r = at_rng_at(16, k);
    for (int64_t i = 0; i < x->n_input; i++) {
        int w = input_of(x, i);
        uint64_t base = (uint64_t)(x->input_hi[w] - x->input_lo[w] + 1);
        if (letters)
            base = base > (uint64_t)letters ? (uint64_t)letters : base;
        in[i] = x->input_lo[w] + (int64_t)(letters ? k % base : at_rng_below(&r, base));
        k = letters ? k / base : k;
    }
}

static bool chain_right(const at_dp_instance *x, const at_model *m, at_arith a, const int64_t *in)
{
    at_arena arena;
    at_arena_init(&arena);
    at_err err = {0};
    int row = at_model_row_width(m), n = 0;
    size_t numbers = (size_t)(x->n_states + 1) * (size_t)row;
    double *prompt = at_new(&arena, double, (x->n_input + 1) * row), *want = at_new(&arena, double, numbers);
    double *rows = NULL, least;
    at_dp_chain c;
    for (int64_t i = 0; i < x->n_input; i++)
        prompt[i * row] = (double)in[i];
    if (at_dp_run(x, in, &arena, &c, &err))
        fail_msg("%s", err.text);
    at_dp_rows(x, &c, want);
    bool right =
        !at_generate(m, a, &(at_input){(int)x->n_input + 1, prompt}, &arena, &rows, &n, &least, &err);
    right = right && n == x->n_states + 1 && !memcmp(rows, want, numbers * sizeof *want);
    at_arena_release(&arena);
    return right;
}

static int wrong_chains(const point *p, const at_dp_instance *x, const at_model *m, at_arith a, int *inputs)
{
    double all = p->letters ? pow(p->letters, (double)x->n_input) : p->inputs;
    int64_t in[40000];
    int wrong = 0;
    assert_true(all <= 20000 && x->n_input <= 40000);
    *inputs = 0;
    for (int k = 0; k<(int)all; k += TEST_SCALE> 1 ? 3 : 1, ++*inputs) {
        input_make(x, p->letters, (uint64_t)k, in);
        wrong += !chain_right(x, m, a, in);
    }
    return wrong;
}

/* Made for one arithmetic, run in another; returns how many chains are wrong. */
static int run(const point *p, const at_dp_options *o, const char *made, const char *run, int *inputs)
{
    at_dp *d;
    at_err err = {0};
    at_arith a, b;
    at_model m;
    at_dp_instance *x = instance(p->file, p->size, &d);
    assert_int_equal(at_arith_parse(made, &a, &err) + at_arith_parse(run, &b, &err), AT_OK);
    at_dp_options all = *o;
    all.arith = &a;
    all.pack = true;
    all.attention = PACKED;
    if (at_dp_model(x, &all, &m, &err))
        fail_msg("%s for %s: %s", p->file, made, err.text);
    int wrong = wrong_chains(p, x, &m, b, inputs);
    at_model_release(&m);
    at_dp_instance_free(x);
    at_dp_free(d);
    return wrong;
}

static void right_everywhere(const point *p, int n, const char *const *ariths)
{
    for (int k = 0; k < n; k++)
        for (const char *const *a = ariths; *a; a++) {
            int inputs, wrong = run(&p[k], &(at_dp_options){0}, *a, *a, &inputs);
            if (wrong)
                fail_msg("%s in %s: %d of %d chains are wrong", p[k].file, *a, wrong, inputs);
            print_message("%s %d,%d in %s: %d chains\n", p[k].file, (int)p[k].size[0], (int)p[k].size[1], *a,
                          inputs);
        }
}

static void controls_fail(const point *p, const at_dp_options *o, const char *made, const char *in)
{
    int inputs, wrong = run(p, o, made, in, &inputs);
    print_message(
        "%s, %d more digits, %d blocks fewer, modulo %d less, run in %s: %d of %d chains are wrong\n",
        p->file, o->more, o->fewer, o->less, in, wrong, inputs);
    assert_true(wrong > 0);
}

static void refused(const char *file, const int64_t *size, at_attention_kind kind, const char *says)
{
    at_dp *d;
    at_err err = {0};
    at_model m;
    at_dp_instance *x = instance(file, size, &d);
    assert_true(at_dp_model(x, &(at_dp_options){kind, .pack = true}, &m, &err) != AT_OK);
    if (!strstr(err.text, says))
        fail_msg("%s: not \"%s\": %s", file, says, err.text);
    at_dp_instance_free(x);
    at_dp_free(d);
}

/* ---- what both packings are asked ------------------------------------------------------------------------------ */

/* Inputs, and states, that can be one number only: beside others, and alone. */
#define ONE_LETTER                                                                                           \
    "problem \"one letter\"\nsize n in 1..9\ninput a[n] in 3..3\nstate i in 1..n\nvalue s in 0..3*n\n"       \
    "take x = a[i]\nneed p = (i - 1) when i > 1\ns = (if i == 1 then 0 else p.s) + x\nanswer s at (n)\n"
#define ONE_VALUE                                                                                            \
    "problem \"one value\"\nsize n in 1..9\ninput a[n] in 3..3\ninput b[n] in 1..2\nstate i in 1..n\n"       \
    "value c in 4..4, s in 0..9*n\ntake x = a[i]\ntake y = b[i]\nneed p = (i - 1) when i > 1\n"              \
    "need q = (i - 2) when i > 2\nc = if i > 2 then q.c else 4\n"                                            \
    "s = (if i == 1 then 0 else p.s) + x + y + if i > 2 then q.c else 4\nanswer s at (n)\n"

static const point small[] = {
    {ONE_LETTER, {1}, 1},         {ONE_LETTER, {6}, 1},
    {ONE_VALUE, {5}, 2},          {"edit-distance", {3, 3}, 2},
    {"edit-distance", {2, 3}, 3}, {"edit-distance", {0, 3}, 2},
    {"edit-distance", {0, 0}, 2}, {"edit-distance-local", {2, 3}, 2},
    {"lis", {4, 4}, 4},           {"lis", {1, 3}, 3},
    {"lis", {0, 3}, 3},           {"lcs", {3, 3}, 2},
    {"grid", {2, 3}, 2},          {"prefix-sum", {5, 3}, 3},
    {"prefix-sum", {1, 2}, 2},    {"palindrome", {6}, 2},
};

static void test_small(void **state)
{
    (void)state;
    right_everywhere(small, sizeof small / sizeof *small, (const char *const[]){"f64", "f32", "p24", NULL});
}

/* Every one of 3125 inputs. */
static void test_prefix_sum(void **state)
{
    (void)state;
    static const point all = {"prefix-sum", {5, 5}, 5};
    right_everywhere(&all, 1, (const char *const[]){"f32", "f64", "p12", NULL});
}

static void test_drawn(void **state)
{
    (void)state;
    static const point p[] = {{"prefix-sum", {128, 5}, 0, 6},   {"prefix-sum", {512, 5}, 0, 2},
                              {"prefix-sum", {70, 97}, 0, 4},   {"lis", {20, 99}, 0, 4},
                              {"edit-distance", {12, 9}, 0, 4}, {"edit-distance-local", {7, 9}, 0, 4},
                              {"palindrome", {9}, 0, 4},        {"grid", {6, 5}, 0, 4}};
    right_everywhere(p, sizeof p / sizeof *p, (const char *const[]){"f32", "f64", NULL});
}

#endif
