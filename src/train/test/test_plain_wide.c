/* test_plain_wide.c: the plain engine, in every instance that this machine can run, at sizes that are no multiples of its tiles,
 * panels and vectors, and beyond one of each: gradients against differences in f64, and f32 against f64, where tanh, the logistic
 * function and GeLU are its own.
 *
 * f32 is held to 1e-4 of the norm of a tensor's gradient, as judge/judge_train.py holds the fast engine; a gradient that is off by a
 * thousandth must not pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/exec.h>

#include "../../core/test/test_scale.h"
#include "train_test.h"

typedef struct {
    at_net_kind kind;
    at_rnn_cell cell;
    int width, hidden, layers, heads, length;
    double noise; /* on the weights: larger ones drive cells into both regimes of tanh */
    bool open;    /* every position sees all */
} shape;

/* Tiles have 6 rows, in AVX-512 12; panels 8, 16 or 32 columns and 256 terms; one row takes 8 or 16 sums, or 32, 64 or 128 columns,
 * at a time. Queries go 24, or where they see all 48, at a time; matrices of 192 columns and more get their gradients in strips of 48 rows; more than 288 positions
 * go through an MLP in parts. */
static const shape shapes[] = {
    {AT_NET_RNN, AT_CELL_TANH, 21, 19, 2, 1, 13, 0.4, false},
    {AT_NET_RNN, AT_CELL_GRU, 21, 19, 2, 1, 13, 0.4, false},
    {AT_NET_RNN, AT_CELL_TANH, 16, 70, 1, 1, 262, 0.1, false},
    {AT_NET_RNN, AT_CELL_GRU, 33, 67, 1, 1, 40, 0.1, false},
    {AT_NET_RNN, AT_CELL_TANH, 3, 1, 1, 1, 5, 1, false},
    {AT_NET_ATTENTION, 0, 27, 50, 1, 3, 53, 0.1, false},
    {AT_NET_ATTENTION, 0, 27, 50, 1, 3, 101, 0.1, true},
    {AT_NET_ATTENTION, 0, 52, 200, 1, 4, 40, 0.1, true},
    {AT_NET_ATTENTION, 0, 57, 200, 1, 3, 53, 0.1, false},
    {AT_NET_RNN, AT_CELL_GRU, 40, 137, 1, 1, 40, 0.1, false},
    {AT_NET_ATTENTION, 0, 8, 12, 1, 2, 301, 0.1, true},
    {AT_NET_FFN, 0, 5, 71, 2, 1, 11, 0.1, false},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, WORDS = 11 };

static void model_make(const shape *s, at_model *m)
{
    at_err err = {0};
    at_train_net n = at_train_net_default;
    n.kind = s->kind, n.cell = s->cell, n.vocabulary = WORDS, n.length = s->length, n.width = s->width;
    n.hidden = s->hidden, n.layers = s->layers, n.heads = s->heads, n.causal = !s->open, n.seed = 4;
    n.last = s->kind == AT_NET_FFN;
    must(at_train_net_model(&n, m, &err), &err);
}

static const char *const isas[] = {"native", "avx2", "portable"};
enum { ISAS = sizeof isas / sizeof *isas };

static void trainer_make(const at_model *m, at_arith a, const char *isa, at_trainer **t)
{
    at_err err = {0};
    at_train_options o = at_train_options_default;
    o.plain = true;
    setenv("ATTEST_ISA", isa, 1);
    must(at_trainer_from_model(m, a, 1, &o, t, &err), &err);
    unsetenv("ATTEST_ISA");
}

static void batch_draw(const shape *s, test_batch *b)
{
    bool one = s->kind == AT_NET_FFN;
    test_batch_draw(b, WORDS, WORDS, one ? s->length : 1, s->length, one, 3);
}

static void differences(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES * ISAS; i++) {
        int k = i / ISAS;
        if (i % ISAS && shapes[k].length > 60) /* differences take long */
            continue;
        if (TEST_SCALE > 1 && shapes[k].length > 60)
            continue;
        at_model m;
        at_trainer *t;
        test_batch b;
        model_make(&shapes[k], &m);
        trainer_make(&m, at_f64, isas[i % ISAS], &t);
        batch_draw(&shapes[k], &b);
        test_gradient(t, &b, shapes[k].kind == AT_NET_FFN ? 1e-6 : 1e-4, shapes[k].noise, "kb");
        test_batch_release(&b);
        at_trainer_free(t);
        at_model_release(&m);
    }
}

/* The largest distance of two gradients, a tensor at a time, over the norm of the whole. */
static double distance(const at_trainer *t, const double *a, const double *b, int tensor)
{
    const at_train_tensor *all;
    at_trainer_tensors(t, &all);
    size_t from = all[tensor].offset, n = (size_t)all[tensor].rows * (size_t)all[tensor].cols;
    double d = 0, norm = 0;
    for (size_t i = from; i < from + n; i++) {
        d += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return norm > 0 ? sqrt(d / norm) : d > 0;
}

static void single_precision(void **state)
{
    (void)state;
    int wide = 0;
    for (int j = 0; j < SHAPES * ISAS; j++) {
        int k = j / ISAS;
        at_err err = {0};
        at_model m;
        at_trainer *single, *full;
        test_batch b;
        const at_train_tensor *all;
        model_make(&shapes[k], &m);
        at_rng r = at_rng_at(7, (uint64_t)k);
        for (size_t i = 0; i < m.n_weights; i++)
            m.weights[i] = (float)(m.weights[i] + shapes[k].noise * at_rng_normal(&r));
        trainer_make(&m, at_f32, isas[j % ISAS], &single);
        trainer_make(&m, at_f64, "portable", &full);
        wide += !strcmp(at_trainer_isa(single), "avx512");
        batch_draw(&shapes[k], &b);
        size_t n = at_trainer_parameters(full);
        double *g = calloc(n, sizeof *g), *want = calloc(n, sizeof *want), loss[2];
        must(at_trainer_gradient(single, b.s, b.n, &loss[0], g, &err), &err);
        must(at_trainer_gradient(full, b.s, b.n, &loss[1], want, &err), &err);
        assert_true(fabs(loss[0] - loss[1]) < 1e-5 * loss[1]);
        int tensors = at_trainer_tensors(full, &all), noticed = 0;
        for (int i = 0; i < tensors; i++) {
            double d = distance(full, g, want, i);
            /* the keys' bias has no gradient under softmax: what is left is rounding */
            bool none = shapes[k].kind == AT_NET_ATTENTION && d > 0.01;
            if (!none && !(d < 1e-4))
                fail_msg("net %d, %s, %s: f32 is off by %.2g", k, isas[j % ISAS], all[i].name, d);
            size_t from = all[i].offset, count = (size_t)all[i].rows * (size_t)all[i].cols;
            for (size_t e = from; e < from + count; e++)
                g[e] *= 1.001;
            noticed += distance(full, g, want, i) >= 1e-4;
        }
        assert_true(noticed >= tensors - 2); /* all but tensors without a gradient */
        free(g);
        free(want);
        test_batch_release(&b);
        at_trainer_free(single);
        at_trainer_free(full);
        at_model_release(&m);
    }
    assert_int_equal(wide, at_exec_avx512() ? 3 : 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(differences), cmocka_unit_test(single_precision)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
