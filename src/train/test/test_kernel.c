/* test_kernel.c: the pass in every instance that this machine can run, at shapes that reach each way through the products.
 *
 * f32 against f64: an entry is reached through sums of at most n = 3 D + U + 2 T terms a layer each way, each of which errs by
 * at most n 2^-24 of its terms' sizes; a tensor's error, by its largest entry, is allowed 2 layers n 2^-24, times 4 for terms
 * that cancel. A lean pass does the operations of a full one, so there every bit is compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../train_internal.h"
#include "train_test.h"

static const char *const isas[] = {"native", "avx2", "portable"};
#define ISAS (int)(sizeof isas / sizeof *isas)

static double *gradient_of(const at_train_arch *a, at_arith arith, const double *w, const test_batch *b,
                           const char *isa, double *loss)
{
    at_err err = {0};
    at_trainer *t;
    setenv("ATTEST_ISA", isa, 1);
    must(at_trainer_new(a, arith, 1, &t, &err), &err);
    unsetenv("ATTEST_ISA");
    double *g = calloc(at_trainer_parameters(t), sizeof *g);
    must(at_trainer_write(t, w, &err), &err);
    must(at_trainer_gradient(t, b->s, b->n, loss, g, &err), &err);
    at_trainer_free(t);
    return g;
}

static void shape_check(const at_train_arch *a)
{
    at_err err = {0};
    at_trainer *t;
    const at_train_tensor *tensor;
    must(at_trainer_new(a, at_f32, 1, &t, &err), &err);
    int U = at_trainer_arch(t)->hidden, tensors = at_trainer_tensors(t, &tensor);
    double *w = calloc(at_trainer_parameters(t), sizeof *w), l64;
    at_trainer_read(t, w);
    test_batch b;
    test_batch_make(&b, a, a->length, 5);
    double *d = gradient_of(a, at_f64, w, &b, "portable", &l64);
    double allowed = 4 * 2 * a->layers * (3 * a->width + U + 2 * a->length) * 0x1p-24;
    for (int i = 0; i < ISAS; i++) {
        double l32, *f = gradient_of(a, at_f32, w, &b, isas[i], &l32);
        assert_true(fabs(l32 - l64) <= allowed * l64);
        for (int k = 0; k < tensors; k++) {
            double largest = 0, off = 0;
            for (size_t e = 0; e < (size_t)tensor[k].rows * (size_t)tensor[k].cols; e++) {
                largest = fmax(largest, fabs(d[tensor[k].offset + e]));
                off = fmax(off, fabs(d[tensor[k].offset + e] - f[tensor[k].offset + e]));
            }
            /* softmax does not see a key's bias: only rounding is left of its gradient */
            if (strstr(tensor[k].name, "k.b") && a->attention != AT_ATTENTION_LINEAR)
                largest = 1;
            if (!(off <= allowed * largest))
                fail_msg("%s D=%d H=%d T=%d %s %s: off by %g of %g", at_attention_names[a->attention],
                         a->width, a->heads, a->length, isas[i], tensor[k].name, off, largest);
        }
        free(f);
    }
    free(d);
    free(w);
    test_batch_release(&b);
    at_trainer_free(t);
}

/* Heads of 16 and 64 (whole vectors), 20 and 40 (cut panels), 8 (never AVX-512); sums longer than one panel; gradients
 * copied in strips (256 inputs and more), the last strip short and its last tile cut. */
static void instances_agree(void **state)
{
    (void)state;
    const struct {
        int D, H, U, T;
    } shapes[] = {{32, 2, 48, 61},  {80, 4, 96, 49},  {80, 2, 64, 33},   {16, 2, 32, 61},
                  {64, 1, 64, 100}, {32, 1, 32, 300}, {256, 4, 272, 40}, {48, 3, 304, 17}};
    for (int kind = 0; kind < AT_TRAINED_ATTENTIONS; kind++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            at_train_arch a = at_train_arch_default;
            a.attention = (at_attention_kind)kind;
            a.layers = 1, a.vocabulary = 35, a.dropout = 0.2;
            a.width = shapes[i].D, a.heads = shapes[i].H, a.hidden = shapes[i].U, a.length = shapes[i].T;
            shape_check(&a);
        }
}

/* Long wide sequences take the lean way. Where positions are sinusoids, a length one below the limit has the same parameters. */
static void lean_is_full(void **state)
{
    (void)state;
    at_err err = {0};
    for (int i = 0; i < ISAS; i++) {
        at_train_arch a = at_train_arch_default;
        a.layers = 1, a.heads = 1, a.width = 16, a.hidden = 5600, a.vocabulary = 11, a.dropout = 0.2,
        a.slots = 2;
        double *g[2], *w = NULL, loss[2];
        size_t n = 0;
        for (int lean = 0; lean < 2; lean++) {
            at_trainer *t;
            a.length = 191 + lean;
            must(at_trainer_new(&a, at_f32, 1, &t, &err), &err);
            assert_int_equal(t->plan.lean, lean);
            n = at_trainer_parameters(t);
            w = w ? w : calloc(n, sizeof *w);
            at_trainer_read(t, w);
            at_trainer_free(t);
            test_batch b;
            test_batch_make(&b, &a, 191, 5);
            g[lean] = gradient_of(&a, at_f32, w, &b, isas[i], &loss[lean]);
            test_batch_release(&b);
        }
        assert_true(loss[0] == loss[1]);
        assert_memory_equal(g[0], g[1], n * sizeof(double));
        free(g[0]);
        free(g[1]);
        free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(instances_agree), cmocka_unit_test(lean_is_full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
