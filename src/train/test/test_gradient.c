/* test_gradient.c: the gradient of every parameter tensor of the fast engine against central differences, in f64;
 * gradient_check.c says how and within what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "train_test.h"

static void arch_check(const at_train_arch *a, int lengths)
{
    at_err err = {0};
    at_trainer *t;
    test_batch b;
    must(at_trainer_new(a, at_f64, 1, &t, &err), &err);
    test_batch_make(&b, a, lengths, 7);
    /* A key's bias moves all scores of a row alike: softmax does not see it. Everything else is seen. */
    test_gradient(t, &b, 1e-3, 0.2, a->attention == AT_ATTENTION_LINEAR ? NULL : "k.b");
    test_batch_release(&b);
    at_trainer_free(t);
}

static at_train_arch arch_of(at_attention_kind kind, double dropout)
{
    at_train_arch a = at_train_arch_default;
    a.attention = kind;
    a.layers = 2, a.heads = 2, a.width = 16, a.hidden = 24, a.vocabulary = 11, a.length = 61;
    a.dropout = dropout;
    return a;
}

static void standard(void **state)
{
    (void)state;
    at_train_arch a = arch_of(AT_ATTENTION_STANDARD, 0);
    arch_check(&a, 61);
    a.learned_positions = true, a.embed_norm = false, a.head_bias = false, a.heads = 4, a.dropout = 0.3;
    arch_check(&a, 61);
}

static void sparse(void **state)
{
    (void)state;
    at_train_arch a = arch_of(AT_ATTENTION_SPARSE, 0);
    arch_check(&a, 61);
    a.block = 5, a.windows = 2, a.ends = 2, a.dropout = 0.3, a.heads = 1;
    arch_check(&a, 61);
    a.block = 1, a.windows = 3, a.ends = 1;
    arch_check(&a, 40);
}

static void linear(void **state)
{
    (void)state;
    at_train_arch a = arch_of(AT_ATTENTION_LINEAR, 0);
    a.length = 103;
    arch_check(&a, 103);
    a.dropout = 0.3, a.heads = 4, a.learned_positions = true;
    arch_check(&a, 50);
}

/* Other sizes: heads wider than a panel, odd head widths, one position. */
static void sizes(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_TRAINED_ATTENTIONS; kind++) {
        at_train_arch a = arch_of((at_attention_kind)kind, 0.1);
        a.layers = 1, a.width = 40, a.heads = 2, a.length = 19, a.vocabulary = 3;
        arch_check(&a, 19);
        a.width = 24, a.heads = 8, a.length = 1;
        at_train_arch one = a;
        one.length = 2;
        arch_check(&one, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(standard), cmocka_unit_test(sparse),
                                       cmocka_unit_test(linear), cmocka_unit_test(sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
