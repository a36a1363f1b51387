/* train_test.h: random batches for the tests of training. */
#ifndef ATTEST_TRAIN_TEST_H
#define ATTEST_TRAIN_TEST_H

#include <attest/train.h>

#define TEST_BATCH 5

typedef struct {
    at_train_sequence s[TEST_BATCH];
    int n;
    int *numbers;
} test_batch;

/* TEST_BATCH sequences of different lengths up to `longest`; every fourth target is left out. */
void test_batch_make(test_batch *b, const at_train_arch *a, int longest, uint64_t seed);
void test_batch_release(test_batch *b);
void test_must(at_status s, const at_err *err, const char *file, int line);
#define must(call, err) test_must((call), (err), __FILE__, __LINE__)

#endif
