/* test_step.c: what a step does beside AdamW itself: gradients scaled down to a norm, tensors that keep their weights. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "train_test.h"

static at_train_arch arch_small(void)
{
    at_train_arch a = at_train_arch_default;
    a.layers = 2, a.heads = 2, a.width = 16, a.hidden = 24, a.vocabulary = 7, a.length = 12, a.dropout = 0;
    return a;
}

static double *numbers(size_t n)
{
    double *v = at_calloc(n, sizeof *v);
    assert_non_null(v);
    return v;
}

/* Two steps at a large eps, where AdamW feels how large a gradient is, against the formula; the norm is taken over all
 * parameters of all tensors. */
static void clipped(void **state)
{
    (void)state;
    at_train_arch a = arch_small();
    at_err err = {0};
    at_trainer *t;
    test_batch b;
    must(at_trainer_new(&a, at_f64, 2, &t, &err), &err);
    test_batch_make(&b, &a, a.length, 3);
    size_t n = at_trainer_parameters(t);
    double *w = numbers(n), *g = numbers(n), *m = numbers(n), *v = numbers(n), *got = numbers(n);
    at_adamw o = {.rate = 0.01, .beta1 = 0.9, .beta2 = 0.99, .eps = 0.5, .decay = 0.1};
    at_trainer_read(t, w);
    for (int step = 1; step <= 2; step++) {
        double loss, square = 0;
        must(at_trainer_gradient(t, b.s, b.n, &loss, g, &err), &err);
        for (size_t i = 0; i < n; i++)
            square += g[i] * g[i];
        o.clip = sqrt(square) / (step == 1 ? 3 : 0.5); /* the second is not clipped */
        double scale = step == 1 ? 1 / 3.0 : 1, c1 = 1 - pow(o.beta1, step), c2 = 1 - pow(o.beta2, step);
        must(at_trainer_step(t, b.s, b.n, &o, &loss, &err), &err);
        at_trainer_read(t, got);
        for (size_t i = 0; i < n; i++) {
            double gi = scale * g[i];
            m[i] = o.beta1 * m[i] + (1 - o.beta1) * gi;
            v[i] = o.beta2 * v[i] + (1 - o.beta2) * gi * gi;
            w[i] = w[i] * (1 - o.rate * o.decay) - o.rate * (m[i] / c1) / (sqrt(v[i] / c2) + o.eps);
            assert_true(fabs(w[i] - got[i]) <= 1e-14 * (1 + fabs(w[i])));
        }
    }
    o.clip = -1;
    double loss;
    assert_int_equal(at_trainer_step(t, b.s, b.n, &o, &loss, &err), AT_EDOMAIN);
    at_free(w), at_free(g), at_free(m), at_free(v), at_free(got);
    test_batch_release(&b);
    at_trainer_free(t);
}

static at_trainer *stepped(const at_train_arch *a, const at_adamw *o, int threads, const test_batch *b)
{
    at_trainer *t;
    at_err err = {0};
    double loss;
    must(at_trainer_new(a, at_f32, threads, &t, &err), &err);
    for (int k = 0; k < 4; k++)
        must(at_trainer_step(t, b->s, b->n, o, &loss, &err), &err);
    return t;
}

/* A norm that is never reached changes no bit; one that is gives the same bits on any number of threads, also where the
 * parameters are several stretches. */
static void clipped_bits(void **state)
{
    (void)state;
    at_train_arch a = arch_small();
    a.width = 64, a.hidden = 128;
    test_batch b;
    test_batch_make(&b, &a, a.length, 4);
    at_adamw o = at_adamw_default, far = o, near = o;
    far.clip = 1e6, near.clip = 0.01;
    at_trainer *plain = stepped(&a, &o, 1, &b), *same = stepped(&a, &far, 2, &b);
    test_same_state(plain, same);
    at_trainer_free(same);
    at_trainer *first = stepped(&a, &near, 1, &b);
    for (int threads = 2; threads <= 3; threads++) {
        same = stepped(&a, &near, threads, &b);
        test_same_state(first, same);
        at_trainer_free(same);
    }
    size_t n = at_trainer_parameters(plain);
    double *x = numbers(n), *y = numbers(n);
    at_trainer_read(plain, x);
    at_trainer_read(first, y);
    assert_memory_not_equal(x, y, n * sizeof *x);
    at_free(x), at_free(y);
    at_trainer_free(first);
    at_trainer_free(plain);
    test_batch_release(&b);
}

static int moved(const at_trainer *t, const double *before, const double *after, const char *begin,
                 bool others)
{
    const at_train_tensor *e;
    int n = at_trainer_tensors(t, &e), count = 0;
    for (int k = 0; k < n; k++)
        if (!strncmp(e[k].name, begin, strlen(begin)) != others)
            count += memcmp(before + e[k].offset, after + e[k].offset,
                            (size_t)e[k].rows * (size_t)e[k].cols * sizeof *before) != 0;
    return count;
}

/* What is frozen keeps its bits, in both engines; the rest moves. */
static void frozen(void **state)
{
    (void)state;
    at_train_arch a = arch_small();
    for (int plain = 0; plain < 2; plain++)
        for (int others = 0; others < 2; others++) {
            at_trainer *t;
            at_model m;
            at_err err = {0};
            test_batch b;
            at_train_options o = at_train_options_default;
            o.plain = plain;
            test_family_model(&a, at_f32, &m);
            must(at_trainer_from_model(&m, at_f32, 2, &o, &t, &err), &err);
            const at_train_tensor *e;
            at_trainer_tensors(t, &e);
            const char *first = e[3].name, *dot = strchr(strchr(first, '.') + 1, '.');
            char names[AT_NAME_MAX + 4], begin[AT_NAME_MAX + 2];
            snprintf(begin, sizeof begin, "%.*s.", (int)(dot - first), first);
            snprintf(names, sizeof names, "%s*", begin);
            must(at_trainer_freeze(t, names, others, &err), &err);
            test_batch_make(&b, &a, a.length, 5);
            size_t n = at_trainer_parameters(t);
            double *before = numbers(n), *after = numbers(n), *g = numbers(n), loss;
            at_trainer_read(t, before);
            at_adamw w = at_adamw_default;
            w.rate = 0.01, w.clip = 0.1;
            for (int k = 0; k < 3; k++)
                must(at_trainer_step(t, b.s, b.n, &w, &loss, &err), &err);
            at_trainer_read(t, after);
            assert_int_equal(moved(t, before, after, begin, others), 0);
            assert_true(moved(t, before, after, begin, !others) > 2);
            must(at_trainer_gradient(t, b.s, b.n, &loss, g, &err), &err);
            memset(before, 0, n * sizeof *before);
            assert_int_equal(moved(t, before, g, begin, others), 0);
            at_free(before), at_free(after), at_free(g);
            test_batch_release(&b);
            at_trainer_free(t);
            at_model_release(&m);
        }
}

/* Without a gradient a step is decay alone: what is spared keeps its bits, the rest shrinks, in both engines and number types. And
 * a step of what is spared is that of a training without decay. */
static void spared(void **state)
{
    (void)state;
    at_train_arch a = arch_small();
    a.dropout = 0;
    for (int plain = 0; plain < 2; plain++)
        for (int which = AT_SPARED_NONE; which <= AT_SPARED_NORMS; which++)
            for (int type = 0; type < 2; type++) {
                at_trainer *t, *free_of;
                at_model m;
                at_err err = {0};
                test_batch b;
                at_train_options o = at_train_options_default;
                o.plain = plain;
                at_arith arith = type ? at_f64 : at_f32;
                test_family_model(&a, arith, &m);
                must(at_trainer_from_model(&m, arith, 2, &o, &t, &err), &err);
                must(at_trainer_from_model(&m, arith, 2, &o, &free_of, &err), &err);
                must(at_trainer_spare(t, (at_spared)which, &err), &err);
                test_batch_make(&b, &a, a.length, 5);
                size_t n = at_trainer_parameters(t);
                double *x = numbers(n), *y = numbers(n), loss;
                at_adamw w = at_adamw_default, bare = w;
                w.rate = bare.rate = 0.01, w.decay = 0.5, bare.decay = 0;
                must(at_trainer_step(t, b.s, b.n, &w, &loss, &err), &err);
                must(at_trainer_step(free_of, b.s, b.n, &bare, &loss, &err), &err);
                at_trainer_read(t, x);
                at_trainer_read(free_of, y);
                const at_train_tensor *e;
                int tensors = at_trainer_tensors(t, &e), met[2] = {0};
                for (int k = 0; k < tensors; k++) {
                    size_t len = strlen(e[k].name);
                    bool gain = !strcmp(e[k].name + len - 2, ".g"),
                         keeps = e[k].rows == 1 && which && (which == AT_SPARED_NORMS || !gain);
                    bool same = !memcmp(x + e[k].offset, y + e[k].offset,
                                        (size_t)e[k].rows * (size_t)e[k].cols * sizeof *x);
                    assert_true(same || !keeps);
                    met[keeps] += keeps || !same;
                }
                assert_true(met[0] > 5);
                assert_true(which ? met[1] > 5 : met[1] == 0);
                at_free(x), at_free(y);
                test_batch_release(&b);
                at_trainer_free(t);
                at_trainer_free(free_of);
                at_model_release(&m);
            }
}

/* Heads are called by their names; what is no name is refused, and so is keeping everything. */
static void names(void **state)
{
    (void)state;
    at_train_arch a = arch_small();
    at_model m;
    at_trainer *t;
    at_err err = {0};
    test_family_model(&a, at_f32, &m);
    int block = 0;
    while (m.blocks[block].kind != AT_BLOCK_ATTN)
        block++;
    must(at_model_name_head(&m, block, 0, "look", &err), &err);
    at_train_options o = at_train_options_default;
    o.plain = true;
    must(at_trainer_from_model(&m, at_f32, 1, &o, &t, &err), &err);
    must(at_trainer_freeze(t, "look,readout.w", false, &err), &err);
    test_batch b;
    test_batch_make(&b, &a, a.length, 6);
    size_t n = at_trainer_parameters(t);
    double *before = numbers(n), *after = numbers(n), loss;
    char begin[AT_NAME_MAX + 1];
    snprintf(begin, sizeof begin, "block.%d.attn.0.", block);
    at_trainer_read(t, before);
    must(at_trainer_step(t, b.s, b.n, &at_adamw_default, &loss, &err), &err);
    at_trainer_read(t, after);
    assert_int_equal(moved(t, before, after, begin, false), 0);
    assert_int_equal(moved(t, before, after, "readout.w", false), 0);
    assert_true(moved(t, before, after, "block.", false) > 2);
    static const struct {
        const char *names, *says;
        bool others;
    } wrong[] = {{"nowhere", "no tensor or head is called 'nowhere'", false},
                 {"look,", "no tensor or head is called ''", false},
                 {"look,blok.*", "'blok.*'", false},
                 {"*", "nothing is left to learn", false}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        at_err why = {0};
        assert_int_equal(at_trainer_freeze(t, wrong[k].names, wrong[k].others, &why), AT_EINPUT);
        if (!strstr(why.text, wrong[k].says))
            fail_msg("%s: %s", wrong[k].names, why.text);
    }
    at_free(before), at_free(after);
    test_batch_release(&b);
    at_trainer_free(t);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clipped), cmocka_unit_test(clipped_bits), cmocka_unit_test(frozen),
        cmocka_unit_test(spared),  cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
