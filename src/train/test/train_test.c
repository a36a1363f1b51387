/* train_test.c: see train_test.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

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
