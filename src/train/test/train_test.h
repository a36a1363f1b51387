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
/* Any words: inputs below V, targets below R, lengths from `shortest`; last: targets at the end only. */
void test_batch_draw(test_batch *b, int V, int R, int shortest, int longest, bool last, uint64_t seed);
void test_batch_release(test_batch *b);
void test_must(at_status s, const at_err *err, const char *file, int line);
#define must(call, err) test_must((call), (err), __FILE__, __LINE__)

/* The gradient of every tensor of an f64 trainer, its weights moved by `noise` times normal numbers first, against differences
 * of step h. Tensors whose name holds `unseen` (may be NULL) may have no gradient at all. */
void test_gradient(at_trainer *t, const test_batch *b, double h, double noise, const char *unseen);

#endif
