/* train_test.c: see train_test.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../core/test/test_folder.h"
#include "../train_internal.h"
#include "train_test.h"

void test_must(at_status s, const at_err *err, const char *file, int line)
{
    if (s)
        fail_msg("%s:%d: status %d: %s", file, line, (int)s, err->text);
}

void test_batch_draw(test_batch *b, int V, int R, int shortest, int longest, bool last, uint64_t seed)
{
    at_rng r = at_rng_at(seed, 1);
    b->n = TEST_BATCH;
    b->numbers = calloc(2 * TEST_BATCH * (size_t)longest, sizeof(int));
    assert_non_null(b->numbers);
    for (int i = 0; i < TEST_BATCH; i++) {
        int *token = b->numbers + 2 * i * longest, *target = token + longest;
        int length = i == 0 ? longest : shortest + (int)at_rng_below(&r, (uint64_t)(longest - shortest + 1));
        for (int t = 0; t < length; t++) {
            bool none = last ? t + 1 < length : (t + i) % 4 == 3;
            token[t] = (int)at_rng_below(&r, (uint64_t)V);
            target[t] = none ? -1 : (int)at_rng_below(&r, (uint64_t)R);
        }
        b->s[i] = (at_train_sequence){length, token, target};
    }
}

void test_batch_make(test_batch *b, const at_train_arch *a, int longest, uint64_t seed)
{
    test_batch_draw(b, a->vocabulary, a->vocabulary, 1, longest, false, seed);
}

void test_batch_release(test_batch *b)
{
    free(b->numbers);
}

void test_family_model(const at_train_arch *a, at_arith arith, at_model *m)
{
    at_err err = {0};
    at_trainer *t;
    must(at_trainer_new(a, arith, 1, &t, &err), &err);
    must(at_trainer_model(t, 1, m, &err), &err);
    at_trainer_free(t);
}

char *test_file_new(void)
{
    static char path[TEST_PATH];
    snprintf(path, sizeof path, "%.200s/attest-train-XXXXXX", test_root());
    int f = mkstemp(path);
    assert_true(f >= 0);
    close(f);
    return path;
}

void test_same_state(const at_trainer *t, const at_trainer *u)
{
    size_t bytes = at_trainer_parameters(t) * t->kernel->size;
    assert_int_equal(at_trainer_parameters(t), at_trainer_parameters(u));
    assert_int_equal(at_trainer_steps(t), at_trainer_steps(u));
    assert_memory_equal(t->weights, u->weights, bytes);
    assert_memory_equal(t->moment1, u->moment1, bytes);
    assert_memory_equal(t->moment2, u->moment2, bytes);
}

void test_starve(test_maker *make, const void *what, const test_batch *b, int n_min, long each)
{
    char *path = test_file_new();
    bool all = false;
    for (long nth = 1; !all; nth += nth < each ? 1 : nth / 30) {
        at_err err = {0};
        at_trainer *t = NULL, *u = NULL;
        at_model m;
        double loss;
        at_alloc_inject(nth);
        at_status s = make(what, &t, &err);
        if (!s)
            s = at_trainer_step(t, b->s, b->n, &at_adamw_default, &loss, &err);
        if (!s)
            s = at_trainer_save(t, NULL, path, &err);
        if (!s)
            s = at_trainer_load(path, 1, &u, NULL, &err);
        if (!s && !(s = at_trainer_model(u, n_min, &m, &err)))
            at_model_release(&m);
        all = !at_alloc_injected();
        at_alloc_inject(0);
        if (s != (all ? AT_OK : AT_ENOMEM))
            fail_msg("allocation %ld: status %d: %s", nth, (int)s, err.text);
        at_trainer_free(t);
        at_trainer_free(u);
        assert_true(nth < 100000);
    }
    unlink(path);
}
